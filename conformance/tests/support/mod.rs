//! What several of the tests use.

#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "each test is a program of its own, and uses a part"
)]

pub mod defects;
pub mod libraries;
pub mod matrix;
pub mod misbehaving;
