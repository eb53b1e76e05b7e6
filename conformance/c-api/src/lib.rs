//! The conformance suite for C and C++: `headers/ddi_conformance.h`, which `cargo xtask headers` writes from [`api`].
//!
//! A harness enumerates the rules and runs one at a time, each in a process of its own that the executable `ddi-conformance`
//! becomes. All the suite does is in the package `conformance`; here is the boundary to C.

pub mod api;
mod last_error;
mod own_path;
mod result;
mod rule;
mod suite;
mod text;
