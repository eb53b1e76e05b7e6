//! Interfaces that Rust declares: Rust and C++ call and implement them.

mod cpp;
mod interfaces;
mod session;
