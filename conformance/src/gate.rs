//! Rules that are tested first, as most others build on what they ask for: where a plugin dies of it, or hangs, that is told
//! once.

use std::time::Duration;

use crate::report::RuleReport;
use crate::verdict::Verdict;
use crate::{Rule, rules};

/// In the order in which they are tested.
pub(crate) const GATES: [Rule; 3] = [rules::P_OPEN_01, rules::P_OPEN_02, rules::P_PSO_18];

/// A gate that a plugin does not come through.
#[derive(Clone, Debug)]
pub(crate) struct Closed {
    gate: Rule,
    reason: String,
}

impl Closed {
    /// What the result of a rule closes: nothing if it is no gate, or if the plugin lives.
    pub(crate) fn by(result: &RuleReport) -> Option<Self> {
        let is_gate = GATES.contains(&result.rule);
        let reason = match &result.verdict {
            Verdict::Crash { how, .. } => how.clone(),
            Verdict::Timeout { after_ms, .. } => format!("no end after {after_ms} ms"),
            _ => return None,
        };
        let closes = result.rule != rules::P_PSO_18 || is_first_compile(&result.calls);
        (is_gate && closes).then_some(Self {
            gate: result.rule,
            reason,
        })
    }

    /// Whether the test of another rule has died of the same.
    pub(crate) fn is_cause_of(&self, result: &RuleReport) -> bool {
        let is_death = matches!(
            result.verdict,
            Verdict::Crash { .. } | Verdict::Timeout { .. }
        );
        self.gate == rules::P_PSO_18 && is_death && is_first_compile(&result.calls)
    }

    /// Whether a rule is behind it, whatever its test does.
    fn is_before(&self, rule: Rule) -> bool {
        let id = rule.id();
        self.gate != rules::P_PSO_18
            || ["P-PSO-", "P-SO-", "P-BND-"]
                .iter()
                .any(|family| id.starts_with(family))
    }

    /// The result of a rule behind it, without a test.
    pub(crate) fn result(&self, rule: Rule) -> Option<RuleReport> {
        self.is_before(rule)
            .then(|| self.undecided(rule, Duration::ZERO))
    }

    /// The result of a rule that cannot be decided.
    pub(crate) fn undecided(&self, rule: Rule, elapsed: Duration) -> RuleReport {
        RuleReport {
            rule,
            verdict: Verdict::Undecided {
                needs: Some(self.gate),
                reason: self.reason.clone(),
            },
            notes: Vec::new(),
            output: String::new(),
            calls: Vec::new(),
            backtrace: Vec::new(),
            fault_plan: None,
            elapsed,
        }
    }
}

/// Whether no compile had returned.
fn is_first_compile(calls: &[String]) -> bool {
    let mut compiles = calls.iter().filter(|call| call.starts_with("pfnCompile"));
    let first = compiles.next();
    first.is_some_and(|call| call.ends_with("(has not returned)")) && compiles.next().is_none()
}
