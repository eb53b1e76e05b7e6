//! State object databases through their interfaces alone, as a C++ caller uses them.
#![allow(clippy::wildcard_imports, reason = "the names are C's")]
#![allow(
    clippy::inline_always,
    clippy::ref_as_ptr,
    reason = "`implement` writes it"
)]

mod applications;
mod callbacks;
mod compile;
mod cpp;
mod database;
mod enumerating;
mod factory;
mod finding;
mod groups;
mod info_queue;
mod journals;
mod looking_up;
mod pipelines;
mod preview;
mod round_trip;
mod state_objects;
mod transactions;
