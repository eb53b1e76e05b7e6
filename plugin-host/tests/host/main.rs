//! The host against scripted plugins: every step failing, lying or missing, and the session protocol.

#![allow(
    clippy::wildcard_imports,
    reason = "the DDI's names are C's, with their prefix"
)]

mod capabilities;
mod compile;
mod lifecycle;
mod load;
mod protocol_model;
mod session;

use plugin_host_test_support as scripted;
