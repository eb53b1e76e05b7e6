//! Rules that are tested first, as most others build on what they ask for: where a plugin dies of it, or hangs, that is told
//! once.

use std::time::Duration;

use conformance_catalogue::verdict::Verdict;
use conformance_catalogue::{Rule, rules};

use crate::report::RuleReport;

/// In the order in which they are tested.
pub(crate) const GATES: [Rule; 3] = [rules::P_OPEN_01, rules::P_OPEN_02, rules::P_PSO_18];

/// Whether a rule is to be tested before those that are no gates.
pub fn is_gate(rule: Rule) -> bool {
    GATES.contains(&rule)
}

/// A gate that a plugin does not come through.
#[derive(Clone, Debug)]
pub(crate) struct Closed {
    gate: Rule,
    reason: String,
    hangs: bool,
}

impl Closed {
    /// What the result of a rule closes: nothing if it is no gate, or if the plugin lives.
    pub(crate) fn by(result: &RuleReport) -> Option<Self> {
        let reason = match &result.verdict {
            Verdict::Crash { how, .. } => how.clone(),
            Verdict::Timeout { after_ms, .. } => format!("no end after {after_ms} ms"),
            _ => return None,
        };
        let closes = result.rule != rules::P_PSO_18 || result.in_first_compile;
        (is_gate(result.rule) && closes).then_some(Self {
            gate: result.rule,
            reason,
            hangs: matches!(result.verdict, Verdict::Timeout { .. }),
        })
    }

    /// Whether the test of another rule has died of the same.
    pub(crate) fn is_cause_of(&self, result: &RuleReport) -> bool {
        self.gate == rules::P_PSO_18 && result.in_first_compile
    }

    /// Whether a rule is behind it, so that its test would tell nothing. To compile is a gate only for those whose tests
    /// die of it too; but where it hangs, the tests of pipelines would take the limit of time each.
    fn is_before(&self, rule: Rule) -> bool {
        self.gate != rules::P_PSO_18 || (self.hangs && rule.id().starts_with("P-PSO-"))
    }

    /// The result of a rule behind it, without a test.
    pub(crate) fn result(&self, rule: Rule) -> Option<RuleReport> {
        self.is_before(rule)
            .then(|| self.undecided(rule, Duration::ZERO))
    }

    /// The result of a rule that cannot be decided.
    pub(crate) fn undecided(&self, rule: Rule, elapsed: Duration) -> RuleReport {
        let verdict = Verdict::Undecided {
            needs: Some(self.gate),
            reason: self.reason.clone(),
        };
        RuleReport {
            elapsed,
            ..RuleReport::new(rule, verdict)
        }
    }
}
