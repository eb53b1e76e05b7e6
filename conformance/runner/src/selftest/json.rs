//! The result as one JSON document; its fields are described in the crate's README.

use conformance_catalogue::Rule;
use serde_json::{Value, json};

use super::{Noticed, Selftest};
use crate::report::json::{library, tool};
use crate::report::milliseconds;

impl Selftest {
    /// The result as JSON.
    pub fn to_json(&self) -> Value {
        let defects: Vec<_> = self
            .trials
            .iter()
            .map(|trial| {
                let (result, field, value) = match &trial.noticed {
                    Noticed::By(rules) => {
                        let rules: Vec<_> = rules.iter().copied().map(Rule::id).collect();
                        ("noticed", "by", json!(rules))
                    }
                    Noticed::No(verdict) => ("not-noticed", "verdict", json!(verdict.word())),
                    Noticed::NotApplicable(reason) => ("not-applicable", "reason", json!(reason)),
                    Noticed::LeftOut(reason) => ("left-out", "reason", json!(reason)),
                    Noticed::ToolError(reason) => ("tool-error", "reason", json!(reason)),
                };
                json!({
                    "name": trial.defect.name,
                    "what": trial.defect.what,
                    "rule": trial.defect.rule.id(),
                    "result": result,
                    field: value,
                    "repeat": trial.repeat,
                })
            })
            .collect();
        json!({
            "tool": tool(),
            "plugin": self.plugin.as_ref().map(library),
            "result": self.result(),
            "exit_code": self.exit_code(),
            "milliseconds": milliseconds::of(self.elapsed),
            "score": self.score(),
            "defects": defects,
        })
    }
}
