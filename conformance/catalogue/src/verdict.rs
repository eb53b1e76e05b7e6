//! What a test can say, and the macros that make saying nothing impossible.

use serde::{Deserialize, Serialize};

use crate::{Level, Rule};

/// How a rule is broken: what was called, what the rule expects of it, what was seen instead.
///
/// The macro [`failure`] makes one, and it refuses at compile time a text that has no words of its own; or the
/// checking plugin does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The call, or the calls, under test.
    pub call: String,
    /// What the rule expects.
    pub expected: String,
    /// What was seen.
    pub got: String,
}

/// Why a test ended before it could say that the rule holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// The rule is broken.
    Broken(Failure),
    /// The test builds on another rule, and that one does not hold here.
    Needs {
        /// The other rule.
        rule: Rule,
        /// What was seen, where that says more than what the test was doing.
        got: Option<String>,
    },
    /// There was a memory fault where another rule should hold.
    FaultOf(Rule),
    /// The rule does not apply to this library, by the fact that is named.
    NotApplicable(String),
    /// The rule applies, but this test cannot decide it here.
    Undecided(String),
    /// A second process of the test crashed in the plugin.
    CrashElsewhere(String),
    /// The tool itself could not do its work.
    Tool(String),
}

impl Stop {
    /// The test builds on this rule, which does not hold.
    pub fn needs(rule: Rule) -> Self {
        Self::Needs { rule, got: None }
    }

    /// The same, with what was seen instead.
    pub fn needs_but_got(rule: Rule, got: String) -> Self {
        let got = Some(got);
        Self::Needs { rule, got }
    }
}

/// What a test returns.
pub type Outcome = Result<(), Stop>;

/// A format string that has words besides its placeholders.
#[doc(hidden)]
pub const fn says_something(format: &str) -> bool {
    let (bytes, mut at, mut depth) = (format.as_bytes(), 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            byte if depth == 0 && byte.is_ascii_alphanumeric() => return true,
            _ => {}
        }
        at += 1;
    }
    false
}

/// A [`Failure`] from three format strings.
#[macro_export]
macro_rules! failure {
    (call: $call:literal, expected: $expected:literal, got: $got:literal $(,)?) => {{
        const {
            assert!(
                $crate::verdict::says_something($call),
                "say what was called"
            );
            assert!(
                $crate::verdict::says_something($expected),
                "say what was expected"
            );
            assert!($crate::verdict::says_something($got), "say what was seen");
        }
        $crate::verdict::Failure {
            call: format!($call),
            expected: format!($expected),
            got: format!($got),
        }
    }};
}

/// Ends a test: the rule is broken.
#[macro_export]
macro_rules! broken {
    ($($failure:tt)*) => {
        return Err($crate::verdict::Stop::Broken($crate::failure!($($failure)*)))
    };
}

/// Ends a test unless the condition holds.
#[macro_export]
macro_rules! ensure {
    ($holds:expr, $($failure:tt)*) => {
        if !$holds {
            $crate::broken!($($failure)*);
        }
    };
}

pub use crate::{broken, ensure, failure};

/// The result of one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// The rule holds, as far as its test can see.
    Pass,
    /// A rule of level SHOULD is broken, or one of level AMBIGUOUS by every reading.
    Warn(Failure),
    /// A rule of level MUST is broken.
    Fail(Failure),
    /// The process of the test died.
    Crash {
        /// The signal, the exception or the exit code.
        how: String,
        /// What the test was doing.
        during: Option<String>,
    },
    /// The test took too long; its process and everything that it started were killed.
    Timeout {
        /// How long it ran, in milliseconds.
        after_ms: u64,
        /// What the test was doing.
        during: Option<String>,
    },
    /// The rule does not apply to this library.
    NotApplicable {
        /// The fact that makes it so.
        reason: String,
    },
    /// The rule applies, and its test could not decide it.
    Undecided {
        /// The rule that the test builds on and that did not hold in its process, if that is why.
        needs: Option<Rule>,
        /// What was seen instead.
        reason: String,
    },
    /// The tool could not do its work; this says nothing about the plugin.
    ToolError {
        /// What it could not do.
        reason: String,
    },
}

impl Verdict {
    /// Whether it is of a library that breaks the rule, or dies of its test.
    pub fn is_broken(&self) -> bool {
        matches!(
            self,
            Self::Warn(_) | Self::Fail(_) | Self::Crash { .. } | Self::Timeout { .. }
        )
    }

    /// Whether the tool could not do its work.
    pub fn is_tool_error(&self) -> bool {
        matches!(self, Self::ToolError { .. })
    }

    /// The verdict in one word, as in the reports.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn(_) => "warn",
            Self::Fail(_) => "fail",
            Self::Crash { .. } => "crash",
            Self::Timeout { .. } => "timeout",
            Self::NotApplicable { .. } => "not-applicable",
            Self::Undecided { .. } => "undecided",
            Self::ToolError { .. } => "tool-error",
        }
    }

    /// The verdict of `rule` when its test came to an end.
    pub fn of(rule: Rule, outcome: Outcome, during: Option<String>) -> Self {
        match outcome {
            Ok(()) => Self::Pass,
            Err(Stop::Broken(failure)) => match rule.level() {
                Level::Must => Self::Fail(failure),
                Level::Should | Level::Ambiguous => Self::Warn(failure),
            },
            // A step on the way to another rule's question is this rule's own question.
            Err(Stop::Needs { rule: needed, got }) if needed == rule => {
                let failure = Failure {
                    call: during.unwrap_or_default(),
                    expected: rule.reading().into(),
                    got: got.unwrap_or_else(|| "it does not".into()),
                };
                Self::of(rule, Err(Stop::Broken(failure)), None)
            }
            Err(Stop::Needs { rule, got }) => Self::Undecided {
                needs: Some(rule),
                reason: got.or(during).unwrap_or_default(),
            },
            Err(Stop::FaultOf(rule)) => Self::Undecided {
                needs: Some(rule),
                reason: format!("a memory fault: {}", during.unwrap_or_default()),
            },
            Err(Stop::NotApplicable(reason)) => Self::NotApplicable { reason },
            Err(Stop::Undecided(reason)) => Self::Undecided {
                needs: None,
                reason,
            },
            Err(Stop::CrashElsewhere(how)) => Self::Crash { how, during },
            Err(Stop::Tool(reason)) => Self::ToolError { reason },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Stop, Verdict, says_something};
    use crate::rules;

    #[test]
    fn a_text_needs_words_of_its_own() {
        for empty in ["", " ", "{}", "{x}", " {x:?}: {y}", "{{}}"] {
            assert!(!says_something(empty), "{empty:?}");
        }
        for full in ["returned {x}", "S_OK", "{x} entries"] {
            assert!(says_something(full), "{full:?}");
        }
    }

    #[test]
    fn the_level_decides_between_fail_and_warn() {
        let failure = failure!(call: "f()", expected: "S_OK", got: "E_FAIL");
        let of = |rule| Verdict::of(rule, Err(Stop::Broken(failure.clone())), None);
        assert_eq!(of(rules::P_OPEN_03), Verdict::Fail(failure.clone()));
        assert_eq!(of(rules::P_OPEN_04), Verdict::Warn(failure.clone()));
        assert_eq!(of(rules::P_OPEN_11), Verdict::Warn(failure.clone()));
    }

    #[test]
    fn a_need_that_does_not_hold_leaves_a_rule_undecided() {
        let undecided = |reason: &str| Verdict::Undecided {
            needs: Some(rules::P_FAM_01),
            reason: reason.into(),
        };
        let during = Some("pfnEnumerateAdapterFamilies(0)".to_owned());
        let of = |stop, during| Verdict::of(rules::P_ABI_05, Err(stop), during);
        assert_eq!(
            of(Stop::needs(rules::P_FAM_01), during.clone()),
            undecided("pfnEnumerateAdapterFamilies(0)")
        );
        let got = Stop::needs_but_got(rules::P_FAM_01, "returned E_FAIL".into());
        assert_eq!(of(got, during), undecided("returned E_FAIL"));
    }

    #[test]
    fn stops_survive_the_journal() {
        let stop = Stop::needs(rules::P_FAM_01);
        let text = serde_json::to_string(&stop).unwrap();
        assert_eq!(text, r#"{"Needs":{"rule":"P-FAM-01","got":null}}"#);
        assert_eq!(serde_json::from_str::<Stop>(&text).unwrap(), stop);
        assert!(
            serde_json::from_str::<Stop>(r#"{"Needs":{"rule":"P-FAM-99","got":null}}"#).is_err()
        );
    }
}
