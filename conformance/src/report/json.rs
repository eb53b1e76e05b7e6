//! The report as one JSON document; its fields are described in the crate's README.

use super::Report;
use crate::Verdict;
use serde_json::{Value, json};

impl Report {
    /// The report as JSON.
    pub fn to_json(&self, strict: bool) -> Value {
        let plugin = match &self.plugin {
            Some(plugin) => json!({
                "path": plugin.path.to_string_lossy(),
                "sha256": plugin.sha256,
            }),
            None => Value::Null,
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
                    "repeat": self.repeat(result.rule),
                });
                if let (Value::Object(rule), Value::Object(details)) =
                    (&mut rule, details(&result.verdict))
                {
                    rule.extend(details);
                }
                rule
            })
            .collect();
        let exit_code = self.exit_code(strict);
        json!({
            "tool": { "name": "ddi-conformance", "version": env!("CARGO_PKG_VERSION") },
            "plugin": plugin,
            "strict": strict,
            "exit_code": exit_code,
            "conformant": exit_code == super::exit_code::CONFORMANT,
            "milliseconds": milliseconds(self.elapsed),
            "totals": self.totals(),
            "rules": rules,
        })
    }
}

fn details(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Pass => json!({}),
        Verdict::Warn(failure) | Verdict::Fail(failure) => json!(failure),
        Verdict::Crash {
            how,
            during,
            output,
        } => {
            json!({ "how": how, "during": during, "output": output })
        }
        Verdict::Timeout { during, output, .. } => json!({ "during": during, "output": output }),
        Verdict::Skipped(reason) | Verdict::ToolError(reason) => json!({ "reason": reason }),
    }
}

fn milliseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
