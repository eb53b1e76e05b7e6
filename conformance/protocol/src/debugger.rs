//! The debugger of a test: an environment variable.

/// Tells the process of a test that there is a debugger, or to wait for one.
pub const VARIABLE: &str = "DDI_DEBUGGER";

/// The debugger has started the process.
pub const HERE: &str = "here";

/// The process waits for the debugger.
pub const WAIT: &str = "wait";
