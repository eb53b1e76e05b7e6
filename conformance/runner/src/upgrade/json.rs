//! The result for programs; its fields are described in the crate's README.

use serde_json::{Value, json};

use super::UpgradeReport;
use crate::report::json::{library, tool};

impl UpgradeReport {
    /// The result as JSON.
    pub fn to_json(&self, strict: bool) -> Value {
        json!({
            "tool": tool(),
            "old": library(&self.old),
            "new": library(&self.new),
            "strict": strict,
            "result": self.result(strict),
            "exit_code": self.exit_code(strict),
            "comparisons": self.comparisons,
            "findings": self.findings,
        })
    }
}
