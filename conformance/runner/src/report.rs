//! The result of a run, and how it is written.

mod facts;
mod format;
mod html;
pub mod json;
mod junit;
mod sarif;
pub mod text;
mod wtl;
mod xml;

use std::fmt::Write as _;
use std::time::Duration;

use conformance_catalogue::verdict::Verdict;
use conformance_catalogue::{Rule, rules};
use conformance_protocol::{FaultPlan, Set, Settings};
use serde::{Deserialize, Serialize};

use crate::tested::{Identities, Identity};
use crate::waivers::Waiver;

pub use facts::Effect;
pub use format::{Format, Reporter};

/// Exit codes of `ddi-conformance`.
pub mod exit_code {
    /// Every selected rule of level MUST that applies was decided, and none is broken; with strictness,
    /// every one of any level.
    pub const CONFORMANT: u8 = 0;
    /// A rule is broken, or its test crashed or took too long.
    pub const NOT_CONFORMANT: u8 = 1;
    /// The command line is wrong.
    pub const USAGE: u8 = 2;
    /// A library's file is missing or cannot be read; or that of the corpus, the journal or the waivers is; or a waiver is out of
    /// date.
    pub const PLUGIN_FILE: u8 = 3;
    /// No test was selected, or no selected rule applies.
    pub const NO_TESTS: u8 = 4;
    /// No rule is known to be broken, but one of level MUST was not decided; with strictness, one of any
    /// level.
    pub const INCOMPLETE: u8 = 5;
    /// The tool itself failed, and nothing worse is known.
    pub const TOOL_ERROR: u8 = 70;
}

/// The result of one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleReport {
    /// The rule.
    #[serde(rename = "id")]
    pub rule: Rule,
    /// Its verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// What the test says besides: how far it could see, or which reading of an ambiguous rule the
    /// library keeps to.
    pub notes: Vec<String>,
    /// The end of what the test's process printed: the library's own log, where it has one; nothing of a rule that passes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The last calls that the test made, of a plugin that breaks the rule: one in a line, callbacks below their call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// Whether the process died or took too long in the first compile.
    #[serde(default, skip_serializing_if = "is_false")]
    pub in_first_compile: bool,
    /// The functions on the stack of a process that died, as modules and offsets, the innermost first; nothing where no handler
    /// could say it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backtrace: Vec<String>,
    /// The fault plan under which it is broken, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault_plan: Option<FaultPlan>,
    /// How long its test took.
    #[serde(rename = "milliseconds", with = "milliseconds")]
    pub elapsed: Duration,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}

impl RuleReport {
    /// A verdict, and nothing besides.
    pub(crate) fn new(rule: Rule, verdict: Verdict) -> Self {
        Self {
            rule,
            verdict,
            notes: Vec::new(),
            output: String::new(),
            calls: Vec::new(),
            in_first_compile: false,
            backtrace: Vec::new(),
            fault_plan: None,
            elapsed: Duration::ZERO,
        }
    }
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What was tested.
    pub tested: Identities,
    /// Environment variables that the tests were given.
    pub env: Vec<(String, String)>,
    /// How the tests were made.
    pub settings: Settings,
    /// The rules to test, in the order of [`rules::all`].
    pub plan: Vec<Rule>,
    /// One result for each rule of the plan, in its order; a run that was interrupted has fewer.
    pub rules: Vec<RuleReport>,
    /// How many rules there are for what was tested; the filter may have selected fewer.
    pub of: usize,
    /// How long it all took.
    pub elapsed: Duration,
    /// The failures that do not count.
    pub waivers: Vec<Waiver>,
}

/// What a run tells while it goes on.
#[derive(Clone, Copy, Debug)]
pub enum Event<'r> {
    /// It begins; there are no results yet.
    Begun(&'r Report),
    /// There is the result of a rule, of this run or of the one that it goes on from.
    Decided(&'r RuleReport),
}

/// How many rules have which verdict; one whose failure is waived counts as waived only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "each counts the verdict of its name")]
pub struct Totals {
    pub pass: usize,
    pub warn: usize,
    pub fail: usize,
    pub crash: usize,
    pub timeout: usize,
    #[serde(rename = "not-applicable")]
    pub not_applicable: usize,
    pub undecided: usize,
    #[serde(rename = "tool-error")]
    pub tool_error: usize,
    pub waived: usize,
}

/// A time as a number of milliseconds.
pub(crate) mod milliseconds {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::time::Duration;

    pub(crate) fn of(time: Duration) -> u64 {
        u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
    }

    pub(crate) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(of(*time))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
}

impl Report {
    /// Puts the results in the order of the rules.
    pub(crate) fn sort(&mut self) {
        let place = |rule: Rule| rules::all().position(|other| other == rule);
        self.plan.sort_by_key(|rule| place(*rule));
        self.rules.sort_by_key(|result| place(result.rule));
    }

    /// This and a report of other rules, of the same libraries and settings.
    pub(crate) fn joined(mut self, other: Self) -> Result<Self, &'static str> {
        if (&self.tested, &self.env, &self.settings) != (&other.tested, &other.env, &other.settings)
        {
            return Err("it is of other libraries or settings");
        }
        if other.plan.iter().any(|rule| self.plan.contains(rule)) {
            return Err("a rule is in it that another journal has too: it would count twice");
        }
        self.plan.extend(other.plan);
        self.rules.extend(other.rules);
        self.elapsed = self.elapsed.saturating_add(other.elapsed);
        self.sort();
        Ok(self)
    }

    /// Whether the run ended before each rule of its plan had a result.
    pub fn is_interrupted(&self) -> bool {
        self.rules.len() < self.plan.len()
    }

    /// Counts the verdicts. Their sum is the number of rules.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for result in &self.rules {
            *match result.verdict {
                _ if self.waiver_of(result).is_some() => &mut totals.waived,
                Verdict::Pass => &mut totals.pass,
                Verdict::Warn(_) => &mut totals.warn,
                Verdict::Fail(_) => &mut totals.fail,
                Verdict::Crash { .. } => &mut totals.crash,
                Verdict::Timeout { .. } => &mut totals.timeout,
                Verdict::NotApplicable { .. } => &mut totals.not_applicable,
                Verdict::Undecided { .. } => &mut totals.undecided,
                Verdict::ToolError { .. } => &mut totals.tool_error,
            } += 1;
        }
        totals
    }

    /// The process's exit code; with `strict` a warning counts as a failure, and no rule may be undecided.
    pub fn exit_code(&self, strict: bool) -> u8 {
        let totals = self.totals();
        let broken = totals.fail + totals.crash + totals.timeout;
        if broken > 0 || (strict && totals.warn > 0) {
            exit_code::NOT_CONFORMANT
        } else if totals.tool_error > 0 {
            exit_code::TOOL_ERROR
        } else if !self.objections().is_empty() {
            exit_code::PLUGIN_FILE
        } else if self.is_interrupted()
            || self
                .rules
                .iter()
                .any(|result| self.leaves_open(result, strict))
        {
            exit_code::INCOMPLETE
        } else if totals.not_applicable == self.rules.len() {
            exit_code::NO_TESTS
        } else {
            exit_code::CONFORMANT
        }
    }

    /// The waiver of a failure, if it has one that has not expired.
    pub(crate) fn waiver_of(&self, result: &RuleReport) -> Option<&Waiver> {
        let good = |waiver: &&Waiver| waiver.rule == result.rule && !waiver.has_expired;
        let waiver = self.waivers.iter().find(good);
        waiver.filter(|_| result.verdict.is_broken())
    }

    /// What is wrong with the waivers, by file and line.
    pub(crate) fn objections(&self) -> Vec<String> {
        let passes = |rule| self.verdict_of(rule) == Some(&Verdict::Pass);
        let waivers = self.waivers.iter();
        waivers
            .filter_map(|waiver| waiver.objection(passes(waiver.rule)))
            .collect()
    }

    /// Whether what was tested keeps all rules: some of them do not make it conformant, nor does the smoke set, nor a waiver.
    pub fn is_conformant(&self, strict: bool) -> bool {
        self.exit_code(strict) == exit_code::CONFORMANT
            && self.rules.len() == self.of
            && self.settings.set != Set::Smoke
            && self.totals().waived == 0
    }

    /// The result in words.
    pub fn result(&self, strict: bool) -> &'static str {
        match self.exit_code(strict) {
            exit_code::CONFORMANT if self.is_conformant(strict) => "conformant",
            exit_code::CONFORMANT if self.totals().waived > 0 => {
                "rules hold but for what is waived"
            }
            exit_code::CONFORMANT if self.rules.len() < self.of => "selected rules hold",
            exit_code::CONFORMANT => "rules hold as far as the smoke set looks",
            exit_code::NOT_CONFORMANT => "not conformant",
            exit_code::INCOMPLETE if self.is_interrupted() => "interrupted",
            exit_code::INCOMPLETE => "incomplete",
            exit_code::PLUGIN_FILE => "a waiver is out of date",
            exit_code::NO_TESTS => "nothing applies",
            _ => "tool error",
        }
    }

    /// The verdict of `rule` in this run, if it was selected.
    pub(crate) fn verdict_of(&self, rule: Rule) -> Option<&Verdict> {
        let result = self.rules.iter().find(|result| result.rule == rule)?;
        Some(&result.verdict)
    }

    /// The command that makes a result again: where it is of a fault plan, under this one only.
    pub fn repeat_of(&self, result: &RuleReport) -> String {
        self.repeat(result.rule, result.fault_plan.as_ref())
    }

    /// The command that runs the test of `rule` alone, under `plan` if there is one.
    pub(crate) fn repeat(&self, rule: Rule, plan: Option<&FaultPlan>) -> String {
        let mut command = String::new();
        for (name, value) in &self.env {
            let _ = write!(command, "{name}={} ", quoted(value));
        }
        let path = |library: &Identity| quoted(&library.path.to_string_lossy());
        let run = match &self.tested {
            Identities::Plugin(None) => "run".to_owned(),
            Identities::Plugin(Some(plugin)) => format!("run {}", path(plugin)),
            Identities::Runtime { library, plugin } => {
                let library = library
                    .as_ref()
                    .map(|library| format!(" {}", path(library)));
                let library = library.unwrap_or_default();
                format!("run-runtime{library} --plugin {}", path(plugin))
            }
            Identities::Driver { library, plugin } => {
                let argument = |before: &str, library: &Option<Identity>| {
                    let library = library.as_ref();
                    library.map_or_else(String::new, |library| format!("{before}{}", path(library)))
                };
                let (library, plugin) = (argument(" ", library), argument(" --plugin ", plugin));
                format!("run-umd{library}{plugin}")
            }
        };
        command = command + "ddi-conformance " + &run + " --filter =" + rule.id();
        let mut settings = self.settings.clone();
        settings.fault_plan = plan.cloned().or(settings.fault_plan);
        for option in settings.options() {
            let _ = write!(command, " {}", quoted(&option.to_string_lossy()));
        }
        command
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/\\:._-+=@,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("\"{word}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::facts::Effect;
    use super::{Report, RuleReport, exit_code};
    use crate::tested::{Identities, Identity};
    use conformance_catalogue::verdict::{Verdict, failure};
    use conformance_catalogue::{Level, rules};
    use conformance_protocol::{Set, Settings};
    use std::time::Duration;

    fn report(verdicts: &[Verdict]) -> Report {
        let rules = verdicts
            .iter()
            .zip(rules::all())
            .map(|(verdict, rule)| RuleReport::new(rule, verdict.clone()));
        Report {
            tested: Identities::Plugin(None),
            env: vec![],
            settings: Settings::default(),
            plan: rules::all().take(verdicts.len()).collect(),
            rules: rules.collect(),
            of: verdicts.len(),
            elapsed: Duration::ZERO,
            waivers: vec![],
        }
    }

    #[test]
    fn exit_codes() {
        let failure = failure!(call: "f()", expected: "S_OK", got: "E_FAIL");
        let (pass, warn, fail) = (
            Verdict::Pass,
            Verdict::Warn(failure.clone()),
            Verdict::Fail(failure),
        );
        let crash = Verdict::Crash {
            how: "SIGSEGV".into(),
            during: None,
        };
        let timeout = Verdict::Timeout {
            after_ms: 1,
            during: None,
        };
        let absent = Verdict::NotApplicable {
            reason: "the plugin is linked in".into(),
        };
        let undecided = Verdict::Undecided {
            needs: Some(rules::P_FAM_01),
            reason: String::new(),
        };
        let tool = Verdict::ToolError {
            reason: "no memory".into(),
        };
        let code = |verdicts: &[&Verdict], strict| {
            let report = report(&verdicts.iter().copied().cloned().collect::<Vec<_>>());
            let code = report.exit_code(strict);
            // What the forms show as red is what the code comes from.
            let mut effects = report
                .rules
                .iter()
                .map(|result| report.effect(result, strict));
            let succeeds = [exit_code::CONFORMANT, exit_code::NO_TESTS].contains(&code);
            assert_eq!(effects.any(|effect| effect == Effect::Fails), !succeeds);
            code
        };
        assert_eq!(code(&[&pass, &absent], true), exit_code::CONFORMANT);
        // The fourth rule is the first SHOULD.
        assert_eq!(rules::P_OPEN_04.level(), Level::Should);
        let should = [&pass, &pass, &pass, &undecided];
        assert_eq!(code(&[&pass, &undecided], false), exit_code::INCOMPLETE);
        assert_eq!(code(&should, false), exit_code::CONFORMANT);
        assert_eq!(code(&should, true), exit_code::INCOMPLETE);
        let nothing = [&absent, &absent, &absent, &undecided];
        assert_eq!(code(&nothing, false), exit_code::INCOMPLETE);
        assert_eq!(code(&[&pass, &warn], false), exit_code::CONFORMANT);
        assert_eq!(code(&[&pass, &warn], true), exit_code::NOT_CONFORMANT);
        for broken in [&fail, &crash, &timeout] {
            assert_eq!(
                code(&[&pass, broken, &tool, &undecided], false),
                exit_code::NOT_CONFORMANT
            );
        }
        assert_eq!(code(&[&pass, &tool, &warn], false), exit_code::TOOL_ERROR);
        assert_eq!(code(&[&tool, &undecided], false), exit_code::TOOL_ERROR);
        assert_eq!(code(&[&absent, &absent], false), exit_code::NO_TESTS);
    }

    #[test]
    fn some_rules_do_not_make_a_plugin_conformant() {
        let mut report = report(&[Verdict::Pass, Verdict::Pass]);
        assert!(report.is_conformant(true));
        report.of += 1;
        assert!(!report.is_conformant(false));
        assert_eq!(report.exit_code(false), exit_code::CONFORMANT);
        assert_eq!(report.result(false), "selected rules hold");
    }

    #[test]
    fn the_smoke_set_does_not_make_a_plugin_conformant() {
        let mut report = report(&[Verdict::Pass, Verdict::Pass]);
        for (set, result) in [
            (Set::Smoke, "rules hold as far as the smoke set looks"),
            (Set::Full, "conformant"),
            (Set::Soak, "conformant"),
        ] {
            report.settings.set = set;
            assert_eq!(report.result(false), result);
            assert_eq!(report.is_conformant(false), set != Set::Smoke);
            assert_eq!(report.exit_code(false), exit_code::CONFORMANT);
        }
    }

    #[test]
    fn totals_add_up() {
        let report = report(&[
            Verdict::Pass,
            Verdict::Pass,
            Verdict::NotApplicable {
                reason: "nothing".into(),
            },
        ]);
        let totals = report.totals();
        assert_eq!((totals.pass, totals.not_applicable), (2, 1));
        assert_eq!(totals.pass + totals.not_applicable, report.rules.len());
    }

    #[test]
    fn the_command_to_repeat_a_test_can_be_pasted() {
        let mut report = report(&[Verdict::Pass]);
        assert_eq!(
            report.repeat(rules::P_ABI_05, None),
            "ddi-conformance run --filter =P-ABI-05"
        );
        report.env = vec![("DDI_DEFECT".into(), "abi 5".into())];
        let (path, sha256) = ("C:\\Program Files\\plugin.dll".into(), String::new());
        let plugin = Identity { path, sha256 };
        report.tested = Identities::Plugin(Some(plugin.clone()));
        assert_eq!(
            report.repeat(rules::P_ABI_05, None),
            "DDI_DEFECT=\"abi 5\" ddi-conformance run \"C:\\Program Files\\plugin.dll\" --filter =P-ABI-05"
        );
        let plan = "find#*=grow; keys#0=E_FAIL".parse().unwrap();
        let rule = rules::P_PSO_14;
        report.env.clear();
        assert_eq!(
            report.repeat(rule, Some(&plan)),
            format!(
                "ddi-conformance run \"C:\\Program Files\\plugin.dll\" --filter ={rule} --fault-plan \"find#*=grow; keys#0=E_FAIL\""
            )
        );
        let library = None;
        report.tested = Identities::Runtime { library, plugin };
        assert_eq!(
            report.repeat(rules::H_01, None),
            "ddi-conformance run-runtime --plugin \"C:\\Program Files\\plugin.dll\" --filter =H-01"
        );
    }
}
