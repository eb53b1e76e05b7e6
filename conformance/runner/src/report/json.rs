//! The report as one JSON document, or as JSON lines; the fields are described in the crate's README.

use std::io::{self, Write};

use conformance_catalogue::rules;
use serde_json::{Value, json};

use super::{Report, RuleReport, milliseconds};
use crate::tested::{Identities, Identity};

impl Report {
    /// The report as JSON.
    pub fn to_json(&self, strict: bool) -> Value {
        let mut report = self.summary_json(strict);
        let rules = self.rules.iter().map(|result| self.rule_json(result));
        report["rules"] = rules.collect();
        report
    }

    /// Writes the line of a verdict.
    pub(super) fn write_rule_line(
        &self,
        result: &RuleReport,
        to: &mut impl Write,
    ) -> io::Result<()> {
        writeln!(to, "{}", json!({ "rule": self.rule_json(result) }))
    }

    /// Writes the last line.
    pub(super) fn write_summary_line(&self, strict: bool, to: &mut impl Write) -> io::Result<()> {
        writeln!(to, "{}", json!({ "summary": self.summary_json(strict) }))
    }

    /// A result as JSON, as it is in the report.
    pub fn rule_json(&self, result: &RuleReport) -> Value {
        let mut rule = json!(result);
        rule["level"] = result.rule.level().to_string().into();
        rule["repeat"] = self.repeat_of(result).into();
        if let Some(waiver) = self.waiver_of(result) {
            rule["waiver"] = json!(waiver);
        }
        rule
    }

    /// All but the rules.
    fn summary_json(&self, strict: bool) -> Value {
        let (plugin, other) = match &self.tested {
            Identities::Plugin(plugin) => (plugin.as_ref(), None),
            Identities::Runtime { library, plugin } => (Some(plugin), Some(("runtime", library))),
            Identities::Driver { library, plugin } => (plugin.as_ref(), Some(("driver", library))),
        };
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
            "waiver_errors": self.objections(),
        });
        if let Some((kind, tested)) = other {
            report[kind] = tested.as_ref().map(library).into();
        }
        report
    }
}

/// This tool.
pub fn tool() -> Value {
    json!({
        "name": "ddi-conformance",
        "version": env!("CARGO_PKG_VERSION"),
        "rule_set": rules::digest(),
    })
}

/// A library.
pub fn library(library: &Identity) -> Value {
    json!({ "path": library.path.to_string_lossy(), "sha256": library.sha256 })
}
