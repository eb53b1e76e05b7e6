//! What a defect is.

use crate::Rule;

/// A way to break one rule, which proves that the test of the rule can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Its name.
    pub name: &'static str,
    /// What the library does that has it.
    pub what: &'static str,
    /// The rule that it breaks.
    pub rule: Rule,
}
