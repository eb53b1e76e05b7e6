//! The report as one JSON document; its fields are described in the crate's README.

use serde_json::{Value, json};

use super::{Identities, Identity, Report, milliseconds};

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
                let mut rule = json!(result);
                rule["level"] = result.rule.level().to_string().into();
                rule["repeat"] = self.repeat(result.rule).into();
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
            "planned": self.plan.len(),
            "milliseconds": milliseconds::of(self.elapsed),
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
