//! Whether the tests would notice a defect of a plugin: a layer between them and that plugin has one defect
//! after the other.
//!
//! The layer is that of `broken-plugin`, so what it can break is what the suite's own tests break with it. First
//! come the plugin itself and the plugin behind a layer that changes nothing: a defect counts only if its rule
//! holds in both.

pub(crate) mod defects;
mod json;
mod text;

use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::journal::Account;
use crate::layer;
use crate::report::{Identities, Identity};
use crate::runner::{self, in_parallel};
use crate::{Event, Options, Report, Rule, RuleReport, RunError, Set, Verdict, exit_code, run};
pub use defects::Defect;

/// What came of one defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Noticed {
    /// These rules notice it.
    By(Vec<Rule>),
    /// No rule does; the verdict of its own rule.
    No(Verdict),
    /// It cannot show on this plugin, for this reason.
    NotApplicable(String),
    /// Its rule does not hold without it, as this says.
    LeftOut(String),
    /// The tool could not do its work.
    ToolError(String),
}

/// A defect, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The defect.
    pub defect: Defect,
    /// What came of it.
    pub noticed: Noticed,
    /// The command that makes the trial again.
    pub repeat: String,
}

/// How many defects there are, and what came of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs, reason = "each counts what its name says")]
pub struct Score {
    pub defects: usize,
    pub noticed: usize,
    pub not_noticed: usize,
    pub not_applicable: usize,
    pub left_out: usize,
    pub tool_error: usize,
}

/// The result of a self-test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selftest {
    /// The plugin; `None` for the one that is linked in.
    pub plugin: Option<Identity>,
    /// One for each defect of a selected rule.
    pub trials: Vec<Trial>,
    /// How long it all took.
    pub elapsed: Duration,
}

/// How many steps a self-test has; it tells of each.
pub fn selftest_steps(options: &Options) -> usize {
    2 * options.rules().len() + of_selected_rules(options).len()
}

fn of_selected_rules(options: &Options) -> Vec<Defect> {
    let rules = options.rules();
    let mut defects = defects::all();
    defects.retain(|defect| rules.contains(&defect.rule));
    defects
}

/// Tries each defect that breaks a selected rule in front of the plugin. `each` is told what each step was
/// about: a rule, or a defect.
///
/// # Errors
///
/// Those of [`run`].
pub fn selftest(options: &Options, mut each: impl FnMut(&str)) -> Result<Selftest, RunError> {
    let start = Instant::now();
    let defects = of_selected_rules(options);
    if defects.is_empty() {
        return Err(RunError::NoTests);
    }
    let itself = run(options, |event| told(event, &mut each))?;
    let Identities::Plugin(plugin) = &itself.tested else {
        return Err(RunError::NoTests);
    };
    let unchanged = run(&behind(options, ::defects::NONE), |event| {
        told(event, &mut each);
    })?;
    let folder = runner::folder()?;
    let trials = in_parallel(
        options.jobs,
        &defects,
        |defect| {
            Some(Trial {
                defect: *defect,
                noticed: match objection(defect.rule, &itself, &unchanged) {
                    Some(objection) => objection,
                    None => attempt(options, *defect, &unchanged, folder.path()),
                },
                repeat: Report {
                    env: behind(options, defect.name).shown_env(),
                    ..itself.clone()
                }
                .repeat(defect.rule, None),
            })
        },
        |trial| each(trial.defect.name),
    );
    Ok(Selftest {
        plugin: plugin.clone(),
        trials,
        elapsed: start.elapsed(),
    })
}

fn told(event: Event<'_>, each: &mut impl FnMut(&str)) {
    if let Event::Decided(result) = event {
        each(result.rule.id());
    }
}

/// The same on the plugin behind a layer.
fn behind(options: &Options, defect: &str) -> Options {
    let mut options = options.clone();
    options.env.push((layer::VARIABLE.into(), defect.into()));
    options
}

/// Why a defect that breaks `rule` says nothing: the rule does not hold without it.
fn objection(rule: Rule, itself: &Report, unchanged: &Report) -> Option<Noticed> {
    match (itself.verdict_of(rule)?, unchanged.verdict_of(rule)?) {
        (Verdict::Pass, Verdict::Pass) => None,
        (Verdict::NotApplicable { reason }, _) => Some(Noticed::NotApplicable(format!(
            "{rule} does not apply: {reason}"
        ))),
        (Verdict::Pass, other) => Some(Noticed::LeftOut(format!(
            "the verdict of {rule} is pass on the plugin itself, but {} behind a layer that changes nothing",
            other.word()
        ))),
        (other, _) => Some(Noticed::LeftOut(format!(
            "the verdict of {rule} is {} on the plugin itself",
            other.word()
        ))),
    }
}

/// Runs the rule that a defect breaks on the plugin with that defect; in a soak every rule that holds without it.
fn attempt(options: &Options, defect: Defect, unchanged: &Report, folder: &Path) -> Noticed {
    let folder = folder.join(defect.name);
    if let Err(error) = std::fs::create_dir(&folder) {
        return Noticed::ToolError(format!("cannot make a folder for the results: {error}"));
    }
    let options = behind(options, defect.name);
    let others = unchanged.rules.iter().filter(|result| {
        options.settings.set == Set::Soak
            && result.verdict == Verdict::Pass
            && result.rule != defect.rule
    });
    let own = runner::test(&options, defect.rule, &folder);
    let unmet = Account::read(&runner::journal(&folder, defect.rule)).unmet;
    let others: Vec<_> = others
        .map(|result| runner::test(&options, result.rule, &folder))
        .collect();
    let noticed = judge(own, &others, unmet);
    // Failures leave nothing that the next defect needs.
    let _ = std::fs::remove_dir_all(&folder);
    noticed
}

/// What the tests with a defect amount to: that of its own rule, those of others, and what the defect needs of the
/// plugin and has not met.
fn judge(own: RuleReport, others: &[RuleReport], unmet: Option<String>) -> Noticed {
    let notices = |result: &&RuleReport| result.verdict.is_broken();
    let all = [&own].into_iter().chain(others);
    let by: Vec<_> = all.filter(notices).map(|result| result.rule).collect();
    match (own.verdict, unmet) {
        _ if !by.is_empty() => Noticed::By(by),
        (Verdict::ToolError { reason: error }, _) => Noticed::ToolError(error),
        (_, Some(need)) => Noticed::NotApplicable(format!("needs {need}")),
        (verdict, None) => Noticed::No(verdict),
    }
}

impl Selftest {
    /// Counts.
    pub fn score(&self) -> Score {
        score(&self.trials)
    }

    /// The process's exit code.
    pub fn exit_code(&self) -> u8 {
        self.score().exit_code()
    }

    /// The result in words.
    pub fn result(&self) -> &'static str {
        self.score().result()
    }
}

impl Score {
    fn exit_code(self) -> u8 {
        if self.not_noticed > 0 {
            exit_code::NOT_CONFORMANT
        } else if self.tool_error > 0 {
            exit_code::TOOL_ERROR
        } else if self.left_out > 0 {
            exit_code::INCOMPLETE
        } else if self.noticed == 0 {
            exit_code::NO_TESTS
        } else {
            exit_code::CONFORMANT
        }
    }

    /// What it says in words.
    pub(crate) fn result(self) -> &'static str {
        match self.exit_code() {
            exit_code::CONFORMANT => "all noticed",
            exit_code::NOT_CONFORMANT => "some not noticed",
            exit_code::INCOMPLETE => "incomplete",
            exit_code::NO_TESTS => "nothing applies",
            _ => "tool error",
        }
    }
}

fn score<'t>(trials: impl IntoIterator<Item = &'t Trial>) -> Score {
    let mut score = Score::default();
    for trial in trials {
        score.defects += 1;
        *match trial.noticed {
            Noticed::By(_) => &mut score.noticed,
            Noticed::No(_) => &mut score.not_noticed,
            Noticed::NotApplicable(_) => &mut score.not_applicable,
            Noticed::LeftOut(_) => &mut score.left_out,
            Noticed::ToolError(_) => &mut score.tool_error,
        } += 1;
    }
    score
}

#[cfg(test)]
mod tests {
    use super::{Noticed, judge, objection};
    use crate::report::{Identities, Report};
    use crate::verdict::failure;
    use crate::{Rule, RuleReport, Settings, Verdict, rules};
    use std::time::Duration;

    fn report(rule: Rule, verdict: Verdict) -> Report {
        Report {
            tested: Identities::Plugin(None),
            env: Vec::new(),
            settings: Settings::default(),
            plan: vec![rule],
            rules: vec![RuleReport::new(rule, verdict)],
            of: 1,
            elapsed: Duration::ZERO,
            waivers: vec![],
        }
    }

    fn fail() -> Verdict {
        Verdict::Fail(failure!(call: "f()", expected: "S_OK", got: "E_FAIL"))
    }

    fn undecided() -> Verdict {
        Verdict::Undecided {
            needs: None,
            reason: "no more".into(),
        }
    }

    #[test]
    fn a_suite_that_sees_nothing_is_told_so() {
        let (rule, other) = (rules::P_ABI_05, rules::P_ABI_08);
        let judged = |verdict: Verdict, unmet: Option<&str>| {
            judge(
                RuleReport::new(rule, verdict),
                &[],
                unmet.map(str::to_owned),
            )
        };
        assert_eq!(judged(Verdict::Pass, None), Noticed::No(Verdict::Pass));
        assert_eq!(judged(undecided(), None), Noticed::No(undecided()));
        let not_applicable = Noticed::NotApplicable("needs a second family".into());
        assert_eq!(
            judged(Verdict::Pass, Some("a second family")),
            not_applicable
        );
        let tool = || Verdict::ToolError {
            reason: "no memory".into(),
        };
        assert_eq!(judged(tool(), None), Noticed::ToolError("no memory".into()));
        let crash = Verdict::Crash {
            how: "SIGSEGV".into(),
            during: None,
        };
        let timeout = Verdict::Timeout {
            after_ms: 1,
            during: None,
        };
        for broken in [fail(), crash, timeout] {
            assert_eq!(judged(broken, None), Noticed::By(vec![rule]));
        }
        let by_another = judge(
            RuleReport::new(rule, Verdict::Pass),
            &[RuleReport::new(other, fail())],
            None,
        );
        assert_eq!(by_another, Noticed::By(vec![other]));
    }

    #[test]
    fn a_rule_that_does_not_hold_by_itself_is_no_measure() {
        let rule = rules::P_ABI_05;
        let against = |itself: Verdict, unchanged: Verdict| {
            objection(rule, &report(rule, itself), &report(rule, unchanged))
        };
        assert_eq!(against(Verdict::Pass, Verdict::Pass), None);
        for (itself, unchanged, expected) in [
            (fail(), fail(), "P-ABI-05 is fail on the plugin itself"),
            (
                undecided(),
                undecided(),
                "is undecided on the plugin itself",
            ),
            (
                Verdict::Pass,
                fail(),
                "but fail behind a layer that changes nothing",
            ),
        ] {
            let objection = against(itself, unchanged);
            assert!(
                matches!(&objection, Some(Noticed::LeftOut(reason)) if reason.ends_with(expected)),
                "{objection:?}"
            );
        }
        let absent = || Verdict::NotApplicable {
            reason: "no state objects".into(),
        };
        let reason = "P-ABI-05 does not apply: no state objects".to_owned();
        assert_eq!(
            against(absent(), absent()),
            Some(Noticed::NotApplicable(reason))
        );
    }
}
