//! P-PSO: compiling pipelines, and what holds for state objects alike.

use std::collections::BTreeSet;
use std::ptr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use conformance_catalogue::verdict::{Failure, Outcome, Stop, broken, ensure, failure};
use conformance_catalogue::{Level, Rule, rules};
use conformance_protocol::{FaultPlan, Set};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA, E_INVALIDARG,
};
use plugin_host::session::MemoryCache;
use region::Protection;

use super::Tests;
use crate::inputs::arena::Surroundings;
use crate::inputs::pipeline::{COMPUTE, Pipeline, Replaced};
use crate::plugin::compiler::{Product, Rig, USUAL_TYPES, short_hex};
use crate::plugin::malformed::{Malformed, Part, malformed};
use crate::plugin::object::{Case, Object, Repeated};
use crate::plugin::recorder::{self, Callback, Recording};
use crate::plugin::state_object::{self, ADDITION, RAYTRACING};
use crate::plugin::subject::Subject;
use crate::watch::fault::{Watch, watched};
use crate::watch::memory::{Guarded, Place};

pub(super) mod faults;
pub(crate) mod products;
pub(super) mod purity;
mod refusals;
pub(crate) mod sharing;
mod types;

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::P_PSO_01, p_pso_01_sets_the_keys_once),
    (rules::P_PSO_02, p_pso_02_every_key_has_a_value),
    (rules::P_PSO_03, p_pso_03_stores_the_types_asked_for),
    (rules::P_PSO_04, p_pso_04_stores_are_well_formed),
    (rules::P_PSO_05, p_pso_05_calls_back_only_in_its_own_session),
    (rules::P_PSO_06, p_pso_06_compiles_again_over_its_values),
    (rules::P_PSO_07, purity::p_pso_07_is_a_pure_function),
    (rules::P_PSO_08, purity::p_pso_08_keys_tell_code_apart),
    (rules::P_PSO_09, sharing::p_pso_09_stores_code_once),
    (rules::P_PSO_10, sharing::p_pso_10_keeps_keys_small),
    (rules::P_PSO_11, sharing::p_pso_11_is_for_every_application),
    (rules::P_PSO_12, faults::p_pso_12_asks_as_specified),
    (rules::P_PSO_13, faults::p_pso_13_loses_a_race),
    (rules::P_PSO_14, faults::p_pso_14_survives_failures),
    (rules::P_PSO_15, types::p_pso_15_adds_types_later),
    (rules::P_PSO_16, types::p_pso_16_stores_nothing_for_no_types),
    (rules::P_PSO_17, p_pso_17_refuses_malformed_programs),
    (rules::P_PSO_18, p_pso_18_compiles_every_kind),
    (
        rules::P_PSO_19,
        super::threads::p_pso_19_compiles_in_threads,
    ),
    (rules::P_PSO_20, p_pso_20_writes_no_input),
    (rules::P_PSO_21, p_pso_21_refuses_null),
    (rules::P_PSO_22, p_pso_22_every_value_has_a_key),
    (
        rules::P_PSO_24,
        refusals::p_pso_24_sets_keys_once_or_not_at_all,
    ),
];

/// Every value type.
const ALL_TYPES: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS =
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS::KNOWN;

/// Everything that the plugin compiles ([`Rig::everything`]).
fn everything(subject: &Subject) -> Result<(Rig, Vec<Case>), Stop> {
    let rig = subject.rig()?;
    let (cases, _) = rig.everything(subject.settings(), 1)?;
    Ok((rig, cases))
}

/// As [`everything`], with a part of what is generated, for tests that compile each a dozen times and more.
fn sample(subject: &Subject) -> Result<(Rig, Vec<Case>), Stop> {
    let rig = subject.rig()?;
    let (cases, _) = rig.everything(subject.settings(), 5)?;
    Ok((rig, cases))
}

/// Makes a test for each case. One that does not compile leaves the rule undecided only after all others
/// have kept it; of generated ones a plugin may refuse any. A generated one that breaks the rule is told with no more
/// fields changed than it takes. With a compiler that is slow, not all of them are tried.
pub(super) fn each(
    subject: &Subject,
    cases: &[Case],
    mut test: impl FnMut(Case) -> Outcome,
) -> Outcome {
    const PATIENCE: Duration = Duration::from_secs(20);
    let (mut undecided, mut left, since) = (None, 0, Instant::now());
    for &case in cases {
        let may_be_left = case.object.is_generated() && subject.settings().set < Set::Soak;
        if may_be_left && since.elapsed() > PATIENCE {
            left += 1;
            continue;
        }
        match test(case) {
            // Some tests compile without an engine too, at last.
            Err(stop @ Stop::Needs { rule, .. })
                if rule == case.object.rule() || rule == rules::P_PROF_03 =>
            {
                if !case.object.is_generated() {
                    undecided.get_or_insert(stop);
                }
            }
            Err(Stop::Broken(failure)) => {
                return Err(Stop::Broken(shrunk(case, failure, &mut test)));
            }
            other => other?,
        }
    }
    if left > 0 {
        subject.note(format!(
            "without {left} of the descriptions with fields off their defaults, as the compiler is slow"
        ));
    }
    undecided.map_or(Ok(()), Err)
}

/// The failure of the simplest case that breaks the rule as this one does.
fn shrunk(mut case: Case, mut failure: Failure, test: &mut impl FnMut(Case) -> Outcome) -> Failure {
    'simpler: loop {
        for object in case.object.reduced() {
            let smaller = Case { object, ..case };
            if let Err(Stop::Broken(of_smaller)) = test(smaller) {
                (case, failure) = (smaller, of_smaller);
                continue 'simpler;
            }
        }
        return failure;
    }
}

/// The value types of a set.
fn types_of(
    flags: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
) -> BTreeSet<D3D12DDI_COMPILER_CACHE_VALUE_TYPE> {
    (0..i32::BITS.cast_signed())
        .filter(|bit| flags.0 & 1 << bit != 0)
        .map(D3D12DDI_COMPILER_CACHE_VALUE_TYPE)
        .collect()
}

/// The first compile finds nothing in the cache, the second one everything; what has to hold for it to
/// succeed, besides that it compiles at all.
const TIMES: [(&str, Option<Rule>); 2] = [("first", None), ("second", Some(rules::P_PSO_06))];

/// Compiles each case twice over one cache, with all types of values, one object with every single type
/// too, and shows `test` what was compiled, when, and what is in the cache then.
fn each_twice(
    subject: &Subject,
    mut test: impl FnMut(&str, &Recording, &MemoryCache) -> Outcome,
) -> Outcome {
    each(subject, &everything(subject)?.1, |case| {
        let single = (0..u32::BITS)
            .map(|bit| 1 << bit)
            .filter(|bit| ALL_TYPES.0 & bit != 0);
        let single = single.filter(|_| case.object == Object::Pipeline(&COMPUTE));
        for bits in [ALL_TYPES.0].into_iter().chain(single) {
            let types = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(bits);
            let cache: Arc<MemoryCache> = Arc::default();
            for (time, needed) in TIMES {
                let needed = needed.or((types != ALL_TYPES).then_some(rules::P_PSO_03));
                let what = format!("{case} with ValueTypeFlags {bits:#x}, the {time} time");
                subject.at(what.as_str());
                let compiled = case.compiled(&cache, types);
                let recording = compiled.map_err(|stop| match (stop, needed) {
                    (Stop::Needs { got, .. }, Some(rule)) => Stop::Needs { rule, got },
                    (other, _) => other,
                })?;
                test(&what, &recording, &cache)?;
            }
        }
        Ok(())
    })
}

fn p_pso_01_sets_the_keys_once(subject: &Subject) -> Outcome {
    each_twice(subject, |what, recording, _| {
        let lists: Vec<_> = recording.key_lists().map(|(event, _)| event).collect();
        let count = lists.len();
        ensure!(
            count == 1,
            call: "{what}, which succeeded",
            expected: "one call of pfnCompilerCacheSetObjectValueKeys before it returned",
            got: "{count} calls",
        );
        ensure!(
            lists[0].own_session,
            call: "{what}, which succeeded",
            expected: "pfnCompilerCacheSetObjectValueKeys with the session of this compile",
            got: "another session's handle",
        );
        Ok(())
    })
}

fn p_pso_02_every_key_has_a_value(subject: &Subject) -> Outcome {
    each_twice(subject, |what, recording, cache| {
        let (keys, stored) = (key_list(recording)?, cache.values());
        for (index, key) in keys.iter().enumerate() {
            let Some(key) = key else {
                broken!(
                    call: "{what}, its key list",
                    expected: "keys of at least one byte in pfnCompilerCacheSetObjectValueKeys",
                    got: "nothing at index {index}",
                );
            };
            let shown = short_hex(key);
            ensure!(
                stored.contains_key(key),
                call: "{what}, its key list",
                expected: "a value for every key of pfnCompilerCacheSetObjectValueKeys",
                got: "none for key {index}, {shown}",
            );
        }
        Ok(())
    })
}

fn p_pso_22_every_value_has_a_key(subject: &Subject) -> Outcome {
    each_twice(subject, |what, recording, _| {
        let keys = key_list(recording)?;
        for (number, (event, key, _)) in (1..).zip(recording.stores()) {
            // A store without a key is another rule's business.
            let Some(key) = key else { continue };
            let named = keys.iter().any(|named| named.as_deref() == Some(key));
            let shown = short_hex(key);
            ensure!(
                named || !event.own_session || !event.result.is_ok(),
                call: "{what}, store {number}",
                expected: "a key that pfnCompilerCacheSetObjectValueKeys names",
                got: "{shown}, which it does not name",
            );
        }
        Ok(())
    })
}

fn p_pso_03_stores_the_types_asked_for(subject: &Subject) -> Outcome {
    each(subject, &everything(subject)?.1, |case| {
        // That it compiles at all is another rule's business.
        case.compiled(&Arc::default(), USUAL_TYPES)?;
        let is_compute = case.object == Object::Pipeline(&COMPUTE);
        let is_first_family = case.target.adapter_family_index == 0;
        for bits in 1..=ALL_TYPES.0 {
            let flags = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(bits);
            // Every set for one object, single types for what the first family compiles, all of them for
            // everything.
            let tried = is_compute || (is_first_family && bits.count_ones() == 1);
            if !tried && flags != ALL_TYPES {
                continue;
            }
            let expected = types_of(flags);
            subject.at(format!("{case} with ValueTypeFlags {bits:#x}"));
            let cache: Arc<MemoryCache> = Arc::default();
            let recording = case.compile(&cache, flags)?;
            let (result, stored) = (recording.result, recording.stored_types());
            ensure!(
                result.is_ok(),
                call: "{case} with ValueTypeFlags {bits:#x}",
                expected: "success, and values of {expected:?}",
                got: "returned {result}",
            );
            ensure!(
                stored.is_subset(&expected),
                call: "{case} with ValueTypeFlags {bits:#x}",
                expected: "values of {expected:?}",
                got: "values of {stored:?}",
            );
            // What an addition or a collection shares with what it is made from is there already.
            let (keys, values) = (key_list(&recording)?, cache.values());
            let named = keys.iter().flatten().filter_map(|key| values.get(key));
            let there: BTreeSet<_> = named
                .flat_map(|values| (0..).zip(values))
                .filter(|(_, value)| value.is_some())
                .map(|(kind, _)| D3D12DDI_COMPILER_CACHE_VALUE_TYPE(kind))
                .collect();
            ensure!(
                has_all(&there, &expected),
                call: "{case} with ValueTypeFlags {bits:#x}",
                expected: "values of {expected:?} under the keys that it names",
                got: "values of {there:?}",
            );
        }
        Ok(())
    })
}

fn p_pso_04_stores_are_well_formed(subject: &Subject) -> Outcome {
    each_twice(subject, |what, recording, _| {
        for (number, (_, key, values)) in (1..).zip(recording.stores()) {
            ensure!(
                key.is_some(),
                call: "{what}, store {number}",
                expected: "a key of at least one byte",
                got: "a key that is null or empty",
            );
            if let Some(improper) = recorder::improper_values(values) {
                broken!(
                    call: "{what}, store {number}",
                    expected: "at least one value, each of another type and of at least one byte",
                    got: "a store with {improper}",
                );
            }
        }
        Ok(())
    })
}

fn p_pso_05_calls_back_only_in_its_own_session(subject: &Subject) -> Outcome {
    /// So long do we wait for threads that call back too late.
    const PATIENCE: Duration = Duration::from_millis(250);
    let no_callback = |when: &str| -> Outcome {
        match recorder::late().first() {
            Some(callback) => broken!(
                call: "a callback {when}",
                expected: "none, as no compile was in progress",
                got: "a call of {callback}",
            ),
            None => Ok(()),
        }
    };
    let (rig, cases) = everything(subject)?;
    let mut objects = Vec::new();
    no_callback("before any compile")?;
    each(subject, &cases, |case| {
        let cache = Arc::default();
        for (time, needed) in TIMES {
            subject.at(format!("{case}, the {time} time"));
            let watch = vec![Watch::needs(case.object.rule())];
            let recording = watched(watch, || match case.object {
                Object::Pipeline(_) => case.compile(&cache, ALL_TYPES),
                Object::StateObject(kind) => {
                    let compiler = case.compiler;
                    let (recording, object) =
                        compiler.compile_state_object(&cache, ALL_TYPES, kind)?;
                    objects.extend(object.map(|object| (case, object)));
                    Ok(recording)
                }
            })?;
            let result = recording.result;
            if !result.is_ok() {
                let got = format!("{case}, the {time} time, returned {result}");
                return Err(Stop::needs_but_got(
                    needed.unwrap_or(case.object.rule()),
                    got,
                ));
            }
            let foreign = recording.events.iter().find(|event| {
                !event.own_session && !matches!(event.callback, Callback::SetKeys(_))
            });
            if let Some(event) = foreign {
                let callback = event.callback.name();
                broken!(
                    call: "{case}, the {time} time",
                    expected: "callbacks with the session of this compile",
                    got: "{callback} with the handle of another",
                );
            }
            no_callback(&format!("after {case} returned"))?;
        }
        Ok(())
    })?;
    subject.at("waiting for callbacks that come too late");
    thread::sleep(PATIENCE);
    no_callback("after every compile had returned")?;
    for (case, object) in &objects {
        subject.at(format!("pfnDestroyStateObject of {case}"));
        case.compiler.destroy_state_object(object);
        no_callback(&format!("in pfnDestroyStateObject after {case}"))?;
    }
    let mut compilers: Vec<_> = cases.iter().map(|case| case.compiler).collect();
    compilers.dedup_by_key(|compiler| compiler.memory.ptr::<u8>());
    for compiler in compilers {
        subject.at("pfnDestroyCopiler");
        compiler.destroy();
        no_callback("in pfnDestroyCopiler")?;
    }
    subject.at("pfnDestroyCompilerDDI");
    rig.open.destroy();
    thread::sleep(PATIENCE / 5);
    no_callback("in or after pfnDestroyCompilerDDI")
}

/// The first key list of a recording.
fn key_list(recording: &Recording) -> Result<Vec<Option<Vec<u8>>>, Stop> {
    let first = recording.key_lists().next().map(|(_, keys)| keys.to_vec());
    first.ok_or(Stop::needs(rules::P_PSO_01))
}

/// Whether values of these types are all that were asked for; metadata is what a "compiler may provide".
fn has_all(
    there: &BTreeSet<D3D12DDI_COMPILER_CACHE_VALUE_TYPE>,
    wanted: &BTreeSet<D3D12DDI_COMPILER_CACHE_VALUE_TYPE>,
) -> bool {
    let mut missing = wanted.difference(there);
    there.is_subset(wanted)
        && missing.all(|missing| *missing == D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA)
}

/// A compile that keeps what other rules build on. Needs P-PSO-01 to 05 and 22.
fn proper(
    recording: &Recording,
    cache: &MemoryCache,
    types: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
) -> Outcome {
    let needs = |holds: bool, rule| {
        if holds {
            Ok(())
        } else {
            Err(Stop::needs(rule))
        }
    };
    for event in &recording.events {
        let of_keys = matches!(event.callback, Callback::SetKeys(_));
        needs(
            event.own_session,
            if of_keys {
                rules::P_PSO_01
            } else {
                rules::P_PSO_05
            },
        )?;
    }
    needs(recording.key_lists().count() == 1, rules::P_PSO_01)?;
    let (keys, values) = (key_list(recording)?, cache.values());
    for (_, key, values) in recording.stores() {
        let improper = key.is_none() || recorder::improper_values(values).is_some();
        needs(!improper, rules::P_PSO_04)?;
        let is_named = keys.iter().any(|named| named.as_deref() == key);
        needs(is_named, rules::P_PSO_22)?;
    }
    let mut there = BTreeSet::new();
    for key in keys {
        let values = key.and_then(|key| values.get(&key));
        let values = values.ok_or(Stop::needs(rules::P_PSO_02))?;
        let found = (0..).zip(values).filter(|(_, value)| value.is_some());
        there.extend(found.map(|(kind, _)| D3D12DDI_COMPILER_CACHE_VALUE_TYPE(kind)));
    }
    let wanted = types_of(types);
    let holds = has_all(&there, &wanted) && recording.stored_types().is_subset(&wanted);
    needs(holds, rules::P_PSO_03)
}

/// A case in a session that has its values.
pub(super) struct Settled {
    repeated: Repeated,
    cache: Arc<MemoryCache>,
    keys: Vec<Option<Vec<u8>>>,
    /// How it was compiled into the empty session, and over its values.
    times: [Recording; 2],
    /// What every compile of it gives.
    expected: Product,
}

/// Compiles twice over one cache. Needs the object's rule, P-PSO-01 to 07 and 22.
pub(super) fn settled(
    rig: &Rig,
    case: Case,
    types: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
) -> Result<Settled, Stop> {
    let expected = rig.expected(case.target, case.object)?;
    let repeated = case.repeated()?;
    let cache: Arc<MemoryCache> = Arc::default();
    let compile = |rule| {
        let recording = repeated.compile(&cache, types, &FaultPlan::NONE)?;
        if recording.result.is_ok() {
            Ok((key_list(&recording)?, cache.values(), recording))
        } else {
            Err(Stop::needs(rule))
        }
    };
    let (keys, values, first) = compile(case.object.rule())?;
    proper(&first, &cache, types)?;
    let (again, values_again, second) = compile(rules::P_PSO_06)?;
    if again != keys || values_again != values {
        return Err(Stop::needs(rules::P_PSO_06));
    }
    proper(&second, &cache, types)?;
    Ok(Settled {
        repeated,
        cache,
        keys,
        times: [first, second],
        expected,
    })
}

fn p_pso_06_compiles_again_over_its_values(subject: &Subject) -> Outcome {
    let (rig, cases) = everything(subject)?;
    each(subject, &cases, |case| {
        rig.expected(case.target, case.object)?;
        let cache: Arc<MemoryCache> = Arc::default();
        let keys = key_list(&case.compiled(&cache, ALL_TYPES)?)?;
        let values = cache.values();
        let new = Case {
            compiler: rig.compiler(case.target)?,
            ..case
        };
        for (whose, case) in [("the same", case), ("a new", new)] {
            subject.at(format!(
                "{case} again over its values, with {whose} compiler"
            ));
            let again = case.compile(&cache, ALL_TYPES)?;
            let result = again.result;
            ensure!(
                result.is_ok(),
                call: "{case}, in a session that has its values, with {whose} compiler",
                expected: "success",
                got: "returned {result}",
            );
            ensure!(
                again.key_lists().next().is_some_and(|(_, again)| again == keys),
                call: "{case}, in a session that has its values, with {whose} compiler",
                expected: "the same keys in pfnCompilerCacheSetObjectValueKeys",
                got: "other keys, or none",
            );
            let (now, before) = (cache.values(), values.len());
            let count = now.len();
            ensure!(
                now == values,
                call: "{case}, in a session that has its values, with {whose} compiler",
                expected: "nothing new in the session, which had values of {before} keys",
                got: "values of {count} keys, or other values",
            );
        }
        Ok(())
    })
}

/// A pipeline or state object with a program that is none.
pub(super) fn compile_malformed(
    case: Case,
    malformed: &Malformed,
    program: &Guarded,
) -> Result<Recording, Stop> {
    let (compiler, cache) = (case.compiler, Arc::default());
    match (case.object, malformed.part) {
        (Object::StateObject(kind), _) => {
            let change = |arg| state_object::with_library(arg, program.ptr());
            let compiled = compiler.compile_changed_state_object(&cache, USUAL_TYPES, kind, change);
            Ok(compiled?.0)
        }
        (Object::Pipeline(_), Part::Library) => Ok(Recording::refused()),
        (Object::Pipeline(kind), Part::Stage(_, stage)) => {
            let replaced = Replaced {
                stage,
                program: program.ptr(),
                bytes: &malformed.bytes,
            };
            let pipeline = Pipeline::with(kind, Surroundings::USUAL, Some(replaced))?;
            let recording = compiler.compile(&cache, USUAL_TYPES, pipeline.arg);
            pipeline.keep(kind);
            Ok(recording)
        }
    }
}

fn p_pso_17_refuses_malformed_programs(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let malformed = malformed()?;
    let (cases, _) = rig.cases(&rig.newest_targets()?, &Object::all())?;
    each(subject, &cases, |case| {
        // Of other families than the first only one pipeline, one library, and that of an addition.
        let object = case.object;
        let of_each_family = [
            Object::Pipeline(&COMPUTE),
            Object::StateObject(&RAYTRACING),
            Object::StateObject(&ADDITION),
        ];
        if case.target.adapter_family_index != 0 && !of_each_family.contains(&object) {
            return Ok(());
        }
        // That it compiles with programs that are good is another rule's business.
        case.compiled(&Arc::default(), USUAL_TYPES)?;
        let of_object = malformed.iter().filter(|malformed| malformed.is_of(object));
        for malformed in of_object {
            refuses_malformed(subject, case, malformed)?;
        }
        Ok(())
    })
}

fn refuses_malformed(subject: &Subject, case: Case, malformed: &Malformed) -> Outcome {
    let what = &malformed.what;
    let program = malformed.placed(Place::End)?;
    let fault = |got: &str| {
        failure!(
            call: "{case} of a malformed program: {what}",
            expected: "a failure",
            got: "there was {got}",
        )
    };
    let watches = vec![
        Watch::of(
            &program,
            "the program",
            fault("an access beside the program"),
        ),
        Watch::anywhere(fault("a memory fault")),
    ];
    subject.at(format!("{case} of a malformed program: {what}"));
    let compile = || compile_malformed(case, malformed, &program);
    let recording = watched(watches, compile)?;
    std::mem::forget(program);
    let result = recording.result;
    ensure!(
        !result.is_ok() || !malformed.obvious,
        call: "{case} of a malformed program: {what}",
        expected: "a failure",
        got: "returned {result}",
    );
    Ok(())
}

fn p_pso_18_compiles_every_kind(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    compiles(
        subject,
        rig.cases(&rig.newest_targets()?, &Object::pipelines())?,
    )?;
    let (older, left_out) = rig.older_targets()?;
    if !older.is_empty() {
        let (cases, _) = rig.cases(&older, &[Object::Pipeline(&COMPUTE)])?;
        compiles(subject, (cases, left_out.into_iter().collect()))?;
    }
    generated_return(subject, &rig, |object| {
        matches!(object, Object::Pipeline(_))
    })?;
    compiles_corpus(subject, &rig)
}

/// Compiles what has fields off their defaults, of those that `concerned` has; a plugin may refuse any.
pub(super) fn generated_return(
    subject: &Subject,
    rig: &Rig,
    concerned: fn(Object) -> bool,
) -> Outcome {
    let mut generated = rig.generated(subject.settings(), 1)?;
    generated.retain(|case| concerned(case.object));
    let refused = refused(subject, &generated)?.len();
    if refused > 0 {
        let all = generated.len();
        subject.note(format!(
            "refused {refused} of {all} descriptions with fields off their defaults"
        ));
    }
    Ok(())
}

/// Compiles what a plugin may refuse, and says what it refused.
fn refused(subject: &Subject, cases: &[Case]) -> Result<Vec<String>, Stop> {
    let mut refused = Vec::new();
    for case in cases {
        subject.at(case.to_string());
        let fault = Watch::anywhere(failure!(
            call: "a compile of {case}",
            expected: "a compile that returns",
            got: "a memory fault",
        ));
        let cache = Arc::default();
        let result = watched(vec![fault], || case.compile(&cache, USUAL_TYPES))?.result;
        if !result.is_ok() {
            refused.push(format!("{case} returned {result}"));
        }
    }
    Ok(refused)
}

/// Compiles the whole corpus. What the plugin refuses is named, and no failure: whether it has to compile only the
/// vendor knows.
fn compiles_corpus(subject: &Subject, rig: &Rig) -> Outcome {
    let corpus = rig.corpus;
    if corpus.pipelines.is_empty() && corpus.left_out.is_empty() {
        return Ok(());
    }
    let (cases, mut left_out) = rig.cases(&rig.newest_targets()?, &corpus.pipelines)?;
    let refused = refused(subject, &cases)?;
    let (compiled, count) = (cases.len() - refused.len(), refused.len());
    subject.note(format!("corpus: {compiled} compiled, {count} refused"));
    left_out.extend(corpus.left_out.iter().cloned());
    for left_out in left_out {
        subject.note(format!("corpus, left out: {left_out}"));
    }
    for refused in refused {
        subject.note(format!("corpus, refused: {refused}"));
    }
    Ok(())
}

/// Compiles what a plugin may not refuse, and notes what is left out.
pub(super) fn compiles(subject: &Subject, (cases, left_out): (Vec<Case>, Vec<String>)) -> Outcome {
    if cases.is_empty() {
        return Err(Stop::NotApplicable(left_out.join("; ")));
    }
    for left_out in left_out {
        subject.note(left_out);
    }
    for case in cases {
        let made_of = case.object.programs()?;
        subject.at(case.to_string());
        let fault = Watch::anywhere(failure!(
            call: "{case}, of {made_of}",
            expected: "success",
            got: "a memory fault",
        ));
        // A fault is more than a warning.
        let is_must = case.object.rule().level() == Level::Must;
        let watches = is_must.then_some(fault).into_iter().collect();
        let cache = Arc::default();
        let recording = watched(watches, || case.compile(&cache, USUAL_TYPES))?;
        let result = recording.result;
        ensure!(
            result.is_ok(),
            call: "{case}, of {made_of}",
            expected: "success",
            got: "returned {result}",
        );
    }
    Ok(())
}

fn p_pso_20_writes_no_input(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let (mut cases, _) = rig.cases(&rig.newest_targets()?, &Object::pipelines())?;
    cases.extend(rig.of_corpus()?);
    cases.extend(rig.generated(subject.settings(), 1)?);
    each(subject, &cases, |case| {
        let (Object::Pipeline(kind), compiler) = (case.object, case.compiler) else {
            return Ok(());
        };
        case.compiled(&Arc::default(), USUAL_TYPES)?;
        let pipeline = Pipeline::new(kind, Surroundings::guarded(Place::Roomy))?;
        pipeline.arena.protect(Protection::READ)?;
        let written = pipeline.arena.watches(&failure!(
            call: "{case}, with a read-only description",
            expected: "a description that is only read",
            got: "a write to it",
        ));
        subject.at(format!("{case} from read-only memory"));
        let result = watched(written, || {
            compiler
                .compile(&Arc::default(), USUAL_TYPES, pipeline.arg)
                .result
        });
        ensure!(
            result.is_ok(),
            call: "{case}, with a read-only description",
            expected: "success, as with a writable one",
            got: "returned {result}",
        );
        pipeline.keep(kind);
        Ok(())
    })
}

fn p_pso_21_refuses_null(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let objects = [
        Object::Pipeline(&COMPUTE),
        Object::StateObject(&RAYTRACING),
        Object::StateObject(&ADDITION),
    ];
    for case in rig.cases(&[rig.target()?], &objects)?.0 {
        let (object, compiler) = (case.object, case.compiler);
        case.compiled(&Arc::default(), USUAL_TYPES)?;
        subject.at(format!("{object} with a null description"));
        let fault = Watch::null(failure!(
            call: "{object} with a null description",
            expected: "E_INVALIDARG",
            got: "the null pointer was used",
        ));
        let cache = Arc::default();
        let recording = watched(vec![fault], || match object {
            Object::Pipeline(_) => Ok(compiler.compile(&cache, USUAL_TYPES, ptr::null())),
            Object::StateObject(kind) => compiler
                .compile_changed_state_object(&cache, USUAL_TYPES, kind, |_| ptr::null())
                .map(|(recording, _)| recording),
        })?;
        let result = recording.result;
        ensure!(
            result == E_INVALIDARG,
            call: "{object} with a null description",
            expected: "E_INVALIDARG",
            got: "returned {result}",
        );
    }
    Ok(())
}
