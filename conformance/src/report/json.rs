//! The report as one JSON document; its fields are described in the crate's README.

use serde_json::{Value, json};

use super::{Identities, Identity, Report};
use crate::Verdict;

impl Report {
    /// The report as JSON.
    pub fn to_json(&self, strict: bool) -> Value {
        let (plugin, other) = match &self.tested {
            Identities::Plugin(plugin) => (plugin.as_ref(), None),
            Identities::Runtime { library, plugin } => (Some(plugin), Some(("runtime", library))),
            Identities::Driver { library, plugin } => (plugin.as_ref(), Some(("driver", library))),
        };
        let rules: Vec<Value> = self
            .rules
            .iter()
            .map(|result| {
                let mut rule = json!({
                    "id": result.rule.id(),
                    "level": result.rule.level().to_string(),
                    "verdict": result.verdict.word(),
                    "milliseconds": milliseconds(result.elapsed),
                    "notes": result.notes,
                    "repeat": self.repeat(result.rule),
                });
                if result.verdict != Verdict::Pass {
                    rule["output"] = result.output.clone().into();
                }
                if let (Value::Object(rule), Value::Object(details)) =
                    (&mut rule, details(&result.verdict))
                {
                    rule.extend(details);
                }
                rule
            })
            .collect();
        let exit_code = self.exit_code(strict);
        let mut report = json!({
            "tool": tool(),
            "plugin": plugin.map(library),
            "set": self.settings.set.name(),
            "seed": self.settings.seed,
            "strict": strict,
            "result": self.result(strict),
            "exit_code": exit_code,
            "conformant": self.is_conformant(strict),
            "rules_in_all": self.of,
            "milliseconds": milliseconds(self.elapsed),
            "totals": self.totals(),
            "rules": rules,
        });
        if let Some((kind, tested)) = other {
            report[kind] = tested.as_ref().map(library).into();
        }
        report
    }
}

/// This tool.
pub(crate) fn tool() -> Value {
    json!({ "name": "ddi-conformance", "version": env!("CARGO_PKG_VERSION") })
}

pub(crate) fn library(library: &Identity) -> Value {
    json!({ "path": library.path.to_string_lossy(), "sha256": library.sha256 })
}

fn details(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Pass => json!({}),
        Verdict::Warn(failure) | Verdict::Fail(failure) => json!(failure),
        Verdict::Crash { how, during } => json!({ "how": how, "during": during }),
        Verdict::Timeout { during, .. } => json!({ "during": during }),
        Verdict::Undecided { needs, reason } => json!({ "needs": needs, "reason": reason }),
        Verdict::NotApplicable(reason) | Verdict::ToolError(reason) => json!({ "reason": reason }),
    }
}

pub(crate) fn milliseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
