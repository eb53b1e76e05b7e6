//! What a compile makes of a host whose callbacks fail, or whose values come and change meanwhile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure, failure};
use conformance_protocol::{FaultPlan, Set};
use plugin_host::session::{MemoryCache, Misuse};

use super::{Settled, each, each_twice, key_list, sample, settled};
use crate::plugin::compiler::{Product, USUAL_TYPES};
use crate::plugin::object::Case;
use crate::plugin::recorder::{FIND, MOST_TRIES, Recording};
use crate::plugin::subject::Subject;
use crate::plugin::sweep::{failures, pairs, races, replaced};
use crate::watch::fault::{Watch, watched};

/// A compile under a fault plan.
struct Planned<'t> {
    subject: &'t Subject<'t>,
    settled: &'t Settled,
    plan: &'t FaultPlan,
    /// Whether the session has the object's values before.
    is_filled: bool,
}

impl Planned<'_> {
    fn case(&self) -> Case {
        self.settled.repeated.case
    }

    /// In the words of a failure.
    fn what(&self) -> String {
        let over = if self.is_filled {
            " over its values"
        } else {
            ""
        };
        format!("{}{over}", self.case())
    }

    /// A session as it is before.
    fn cache(&self) -> Result<Arc<MemoryCache>, Stop> {
        let cache = Arc::default();
        if self.is_filled {
            self.compile(&cache, &FaultPlan::NONE)?;
        }
        Ok(cache)
    }

    fn compile(&self, cache: &Arc<MemoryCache>, plan: &FaultPlan) -> Result<Recording, Stop> {
        self.settled.repeated.compile(cache, USUAL_TYPES, plan)
    }

    /// Compiles under the plan; a memory fault is what `watch` says.
    fn compile_under(&self, cache: &Arc<MemoryCache>, watch: Watch) -> Result<Recording, Stop> {
        let (what, plan) = (self.what(), self.plan);
        self.subject
            .at(format!("{what} under the fault plan \"{plan}\""));
        watched(vec![watch], || self.compile(cache, self.plan))
    }
}

/// Makes a test of each case under the plans that `plans` has for a compile, or under the one of the settings:
/// in an empty session, and over its values. `plans` is told whether to be thorough. With a compiler that is slow, later objects
/// are compiled under fewer plans, and the last ones under one each.
fn each_planned(
    subject: &Subject,
    plans: impl Fn(&Recording, bool) -> Vec<FaultPlan>,
    test: impl Fn(&Planned) -> Outcome,
) -> Outcome {
    const PATIENCE: Duration = Duration::from_secs(10);
    let (rig, cases) = sample(subject)?;
    let settings = subject.settings();
    let (since, mut less_thorough) = (Instant::now(), 0);
    let mut of_failure = None;
    let outcome = each(subject, &cases, |case| {
        subject.under(None);
        let settled = settled(&rig, case, USUAL_TYPES)?;
        // How a call fails has little to do with the fields of a description.
        let may_be_thorough = settings.set > Set::Smoke && !case.object.is_generated();
        let may_be_less = settings.set < Set::Soak && settings.fault_plan.is_none();
        let late = |patience| may_be_less && may_be_thorough && since.elapsed() > patience;
        let (is_late, is_very_late) = (late(PATIENCE), late(2 * PATIENCE));
        let is_thorough = may_be_thorough && !is_late;
        less_thorough += usize::from(is_late);
        for (recording, is_filled) in settled.times.iter().zip([false, true]) {
            let mut plans = match &settings.fault_plan {
                Some(plan) => vec![plan.clone()],
                None => plans(recording, is_thorough),
            };
            if is_very_late && !plans.is_empty() {
                plans = vec![plans.swap_remove(less_thorough % plans.len())];
            }
            for plan in plans {
                subject.under(Some(&plan));
                let outcome = test(&Planned {
                    subject,
                    settled: &settled,
                    plan: &plan,
                    is_filled,
                });
                if let Err(Stop::Broken(_)) = outcome {
                    of_failure = Some(plan);
                }
                outcome?;
            }
        }
        Ok(())
    });
    if less_thorough > 0 {
        subject.note(format!(
            "{less_thorough} objects were compiled under a part of the fault plans, as the compiler is slow"
        ));
    }
    // A simpler case may have been tried since, and have kept the rule.
    subject.under(of_failure.as_ref());
    outcome
}

pub(super) fn p_pso_12_asks_as_specified(subject: &Subject) -> Outcome {
    each_twice(subject, |what, _, cache| asks_properly(what, cache))?;
    each_planned(
        subject,
        |recording, _| replaced(recording),
        |planned| {
            let cache = planned.cache()?;
            planned.compile_under(&cache, Watch::needs(rules::P_PSO_14))?;
            let (what, plan) = (planned.what(), planned.plan);
            asks_properly(&format!("{what} under the fault plan \"{plan}\""), &cache)
        },
    )
}

fn asks_properly(what: &str, cache: &MemoryCache) -> Outcome {
    let misuses = cache.misuses();
    // A handle that is over is another rule's business.
    let of_find =
        |(call, misuse): &&(&str, Misuse)| *call == FIND && !matches!(misuse, Misuse::StaleHandle);
    if let Some((_, misuse)) = misuses.iter().find(of_find) {
        broken!(
            call: "{what}, a call of {FIND}",
            expected: "a key of at least one byte, at least one value, types that exist, and buffers as large as they say",
            got: "a call that the host has to refuse: {misuse}",
        );
    }
    Ok(())
}

pub(in crate::rules) fn p_pso_13_loses_a_race(subject: &Subject) -> Outcome {
    let plans = |recording: &Recording, thorough| races(recording, subject.settings(), thorough);
    each_planned(subject, plans, |planned| {
        let (what, plan) = (planned.what(), planned.plan);
        let cache = planned.cache()?;
        let values = cache.values();
        let watch = Watch::anywhere(failure!(
            call: "{what} under the fault plan \"{plan}\", as if another thread had stored the values just then",
            expected: "success, as the values are there",
            got: "a memory fault",
        ));
        let recording = planned.compile_under(&cache, watch)?;
        let result = recording.result;
        ensure!(
            result.is_ok(),
            call: "{what} under the fault plan \"{plan}\", as if another thread had stored the values just then",
            expected: "success, as the values are there",
            got: "returned {result}",
        );
        ensure!(
            key_list(&recording)? == planned.settled.keys,
            call: "{what} under the fault plan \"{plan}\", as if another thread had stored the values just then",
            expected: "the same keys as before",
            got: "other keys",
        );
        ensure!(
            !planned.is_filled || cache.values() == values,
            call: "{what} under the fault plan \"{plan}\", as if another thread had stored the values just then",
            expected: "no other values in the session",
            got: "another value",
        );
        Ok(())
    })
}

pub(super) fn p_pso_14_survives_failures(subject: &Subject) -> Outcome {
    let settings = subject.settings();
    let plans = |recording: &Recording, thorough| {
        let mut plans = failures(recording, settings, thorough);
        if thorough {
            plans.extend(pairs(recording, settings));
        }
        plans
    };
    each_planned(subject, plans, survives)
}

fn survives(planned: &Planned) -> Outcome {
    let (what, plan) = (planned.what(), planned.plan);
    let expected = &planned.settled.expected;
    let cache = planned.cache()?;
    let watch = Watch::anywhere(failure!(
        call: "{what} under the fault plan \"{plan}\"",
        expected: "a compile that returns",
        got: "a memory fault",
    ));
    let recording = planned.compile_under(&cache, watch)?;
    let tries = recording.most_tries();
    ensure!(
        tries <= MOST_TRIES,
        call: "{what} under the fault plan \"{plan}\"",
        expected: "a compile that returns, though the callback fails each time",
        got: "{tries} calls of a callback for one key, and an end only when it did not fail any more",
    );
    let (result, values) = (recording.result, cache.values());
    let lists = recording.key_lists();
    let taken: Vec<_> = lists.filter(|(event, _)| event.result.is_ok()).collect();
    let missing = taken
        .iter()
        .flat_map(|(_, keys)| keys.iter().flatten())
        .any(|key| !values.contains_key(key));
    ensure!(
        !missing,
        call: "{what} under the fault plan \"{plan}\"",
        expected: "no value keys set for a value that is not there",
        got: "a key without a value, and {result}",
    );
    // A plugin may do without what it does not find, and try again what fails.
    let is_whole = taken.len() == 1
        && Product::new(&recording, &cache) == *expected
        && types_of_keys(&cache) == types_of_keys(&planned.settled.cache);
    if result.is_ok() && !is_whole {
        still(planned)?;
        broken!(
            call: "{what} under the fault plan \"{plan}\"",
            expected: "a failure, or all keys and values all the same",
            got: "returned {result} without them",
        );
    }
    planned
        .subject
        .at(format!("{what} after one under the fault plan \"{plan}\""));
    let again = planned.compile(&cache, &FaultPlan::NONE)?;
    let (result, product) = (again.result, Product::new(&again, &cache));
    ensure!(
        result.is_ok(),
        call: "{what} after one under the fault plan \"{plan}\"",
        expected: "success, as the host has no failure any more",
        got: "returned {result}",
    );
    if let Some(difference) = expected.difference(&product) {
        still(planned)?;
        broken!(
            call: "{what} after one under the fault plan \"{plan}\"",
            expected: "the keys and the object code of any other compile",
            got: "a difference: {difference}",
        );
    }
    Ok(())
}

/// Which types of values each key has.
fn types_of_keys(cache: &MemoryCache) -> Vec<(Vec<u8>, Vec<bool>)> {
    let values = cache.values().into_iter();
    values
        .map(|(key, values)| (key, values.iter().map(Option::is_some).collect()))
        .collect()
}

/// Whether a compile gives what it gave before, and what it gives under the races of the plan alone. Needs P-PSO-07
/// and P-PSO-13.
fn still(planned: &Planned) -> Outcome {
    let (case, expected) = (planned.case(), &planned.settled.expected);
    if case.compiler.expected(case.object)? != *expected {
        return Err(Stop::needs(rules::P_PSO_07));
    }
    let races = planned.plan.races();
    if races == *planned.plan {
        return Ok(());
    }
    let cache = planned.cache()?;
    let raced = planned.compile(&cache, &races)?;
    if Product::new(&raced, &cache) == *expected {
        Ok(())
    } else {
        Err(Stop::needs(rules::P_PSO_13))
    }
}
