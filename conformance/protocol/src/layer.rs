//! The layers in front of a plugin under test: environment variables, which second processes inherit.

/// Names the defect of the layer of `broken-plugin`; unset, there is no layer.
pub const VARIABLE: &str = "DDI_LAYER";

/// Names the file of the trace; unset, nothing is recorded.
pub const TRACE: &str = "DDI_TRACE";

/// Names the rule that is tested, for the trace.
pub const TRACED_RULE: &str = "DDI_TRACED_RULE";
