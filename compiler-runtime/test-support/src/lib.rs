//! What the tests and the benchmark of the compiler runtime share.
#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    clippy::return_self_not_must_use,
    reason = "helpers of tests: a failure is a panic, and names say the rest"
)]
#![allow(clippy::wildcard_imports, reason = "the names are C's")]

pub mod api;
pub mod bindless;
pub mod corpus;
pub mod linked_in;
pub mod native;
pub mod plugin;
pub mod state_object;
pub mod stream;
