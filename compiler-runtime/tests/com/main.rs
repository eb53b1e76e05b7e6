//! The API through its interfaces alone, as a C++ caller uses it.
#![allow(clippy::wildcard_imports, reason = "the names are C's")]

mod compile;
mod crash;
mod exports;
mod factory;
mod lifetime;
mod root_signature;
mod session;
mod shared_files;
mod threads;
mod versions;
