//! The result of a run, and how it is written.

mod json;
mod text;

use crate::{Rule, Verdict};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

/// Exit codes of `ddi-conformance`.
pub mod exit_code {
    /// No rule of level MUST is broken; with strictness, none at all.
    pub const CONFORMANT: u8 = 0;
    /// A rule is broken, or its test crashed or took too long.
    pub const NOT_CONFORMANT: u8 = 1;
    /// The command line is wrong.
    pub const USAGE: u8 = 2;
    /// A library's file is missing or cannot be read.
    pub const PLUGIN_FILE: u8 = 3;
    /// No test was selected, or every selected one was skipped.
    pub const NO_TESTS: u8 = 4;
    /// The tool itself failed, and nothing worse is known.
    pub const TOOL_ERROR: u8 = 70;
}

/// The libraries of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identities {
    /// The plugin that was tested; `None` for the one that is linked in.
    Plugin(Option<Identity>),
    /// The compiler runtime that was tested.
    Runtime {
        /// `None` for the one that is linked in.
        library: Option<Identity>,
        /// The plugin that it was given.
        plugin: Identity,
    },
}

/// A library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// As it was given.
    pub path: PathBuf,
    /// Of the file, in hexadecimal.
    pub sha256: String,
}

/// The result of one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleReport {
    /// The rule.
    pub rule: Rule,
    /// Its verdict.
    pub verdict: Verdict,
    /// How long its test took.
    pub elapsed: Duration,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What was tested.
    pub tested: Identities,
    /// Environment variables that the tests were given.
    pub env: Vec<(OsString, OsString)>,
    /// One result for each rule of the plan, in the order of the catalogue.
    pub rules: Vec<RuleReport>,
    /// How long it all took.
    pub elapsed: Duration,
}

/// How many rules have which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[allow(missing_docs, reason = "each counts the verdict of its name")]
pub struct Totals {
    pub pass: usize,
    pub warn: usize,
    pub fail: usize,
    pub crash: usize,
    pub timeout: usize,
    pub skipped: usize,
    #[serde(rename = "tool-error")]
    pub tool_error: usize,
}

impl Report {
    /// Counts the verdicts. Their sum is the number of rules.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for result in &self.rules {
            *match result.verdict {
                Verdict::Pass => &mut totals.pass,
                Verdict::Warn(_) => &mut totals.warn,
                Verdict::Fail(_) => &mut totals.fail,
                Verdict::Crash { .. } => &mut totals.crash,
                Verdict::Timeout { .. } => &mut totals.timeout,
                Verdict::Skipped(_) => &mut totals.skipped,
                Verdict::ToolError(_) => &mut totals.tool_error,
            } += 1;
        }
        totals
    }

    /// The process's exit code; with `strict` a warning counts as a failure.
    pub fn exit_code(&self, strict: bool) -> u8 {
        let totals = self.totals();
        let broken = totals.fail + totals.crash + totals.timeout;
        if broken > 0 || (strict && totals.warn > 0) {
            exit_code::NOT_CONFORMANT
        } else if totals.tool_error > 0 {
            exit_code::TOOL_ERROR
        } else if totals.skipped == self.rules.len() {
            exit_code::NO_TESTS
        } else {
            exit_code::CONFORMANT
        }
    }

    /// The command that runs the test of `rule` alone.
    pub fn repeat(&self, rule: Rule) -> String {
        let mut command = String::new();
        for (name, value) in &self.env {
            let value = quoted(&value.to_string_lossy());
            let _ = write!(command, "{}={value} ", name.display());
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
        };
        command + "ddi-conformance " + &run + " --filter =" + rule.id()
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
    use super::{Identities, Identity, Report, RuleReport, exit_code};
    use crate::verdict::failure;
    use crate::{Rule, Verdict};
    use std::time::Duration;

    fn report(verdicts: &[Verdict]) -> Report {
        let rules = verdicts
            .iter()
            .zip(Rule::ALL)
            .map(|(verdict, rule)| RuleReport {
                rule: *rule,
                verdict: verdict.clone(),
                elapsed: Duration::ZERO,
            });
        Report {
            tested: Identities::Plugin(None),
            env: vec![],
            rules: rules.collect(),
            elapsed: Duration::ZERO,
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
            output: String::new(),
        };
        let timeout = Verdict::Timeout {
            after_ms: 1,
            during: None,
            output: String::new(),
        };
        let skipped = Verdict::Skipped("needs P-FAM-01".into());
        let tool = Verdict::ToolError("no memory".into());
        let code = |verdicts: &[&Verdict], strict| {
            report(&verdicts.iter().copied().cloned().collect::<Vec<_>>()).exit_code(strict)
        };
        assert_eq!(code(&[&pass, &skipped], true), exit_code::CONFORMANT);
        assert_eq!(code(&[&pass, &warn], false), exit_code::CONFORMANT);
        assert_eq!(code(&[&pass, &warn], true), exit_code::NOT_CONFORMANT);
        for broken in [&fail, &crash, &timeout] {
            assert_eq!(
                code(&[&pass, broken, &tool], false),
                exit_code::NOT_CONFORMANT
            );
        }
        assert_eq!(code(&[&pass, &tool, &warn], false), exit_code::TOOL_ERROR);
        assert_eq!(code(&[&skipped, &skipped], false), exit_code::NO_TESTS);
    }

    #[test]
    fn totals_add_up() {
        let report = report(&[
            Verdict::Pass,
            Verdict::Pass,
            Verdict::Skipped("nothing".into()),
        ]);
        let totals = report.totals();
        assert_eq!((totals.pass, totals.skipped), (2, 1));
        assert_eq!(totals.pass + totals.skipped, report.rules.len());
    }

    #[test]
    fn the_command_to_repeat_a_test_can_be_pasted() {
        let mut report = report(&[Verdict::Pass]);
        assert_eq!(
            report.repeat(Rule::P_ABI_05),
            "ddi-conformance run --filter =P-ABI-05"
        );
        report.env = vec![("DDI_DEFECT".into(), "abi 5".into())];
        let (path, sha256) = ("C:\\Program Files\\plugin.dll".into(), String::new());
        let plugin = Identity { path, sha256 };
        report.tested = Identities::Plugin(Some(plugin.clone()));
        assert_eq!(
            report.repeat(Rule::P_ABI_05),
            "DDI_DEFECT=\"abi 5\" ddi-conformance run \"C:\\Program Files\\plugin.dll\" --filter =P-ABI-05"
        );
        report.env.clear();
        let library = None;
        report.tested = Identities::Runtime { library, plugin };
        assert_eq!(
            report.repeat(Rule::H_01),
            "ddi-conformance run-runtime --plugin \"C:\\Program Files\\plugin.dll\" --filter =H-01"
        );
    }
}
