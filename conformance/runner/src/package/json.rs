//! The result of a verification as one JSON document; its fields are described in the crate's README.

use serde_json::{Value, json};

use super::Verification;
use crate::report::json::tool;

impl Verification {
    /// The result as JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "tool": tool(),
            "size": self.size,
            "sha256": self.sha256,
            "result": self.result(),
            "exit_code": self.exit_code(),
            "checks": self.checks,
            "package": self.manifest,
        })
    }
}
