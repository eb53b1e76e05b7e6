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

// What describes, and what compiles, as the other tests have it.
#[allow(dead_code, reason = "the other tests use all of it")]
#[path = "../com/api.rs"]
mod api;
#[allow(dead_code, reason = "the other tests use all of it")]
#[path = "../pipeline/corpus.rs"]
mod corpus;
#[allow(dead_code, reason = "the other tests use all of it")]
#[path = "../../../shader-db/tests/sodb/generate.rs"]
mod generate;
#[allow(dead_code, reason = "the other tests use all of it")]
#[path = "../com/plugin.rs"]
mod plugin;
#[allow(dead_code, reason = "the other tests use all of it")]
#[path = "../state_object/api.rs"]
mod state_object;
#[allow(dead_code, reason = "the other tests use all of it")]
#[path = "../pipeline/stream.rs"]
mod stream;
