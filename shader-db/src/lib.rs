//! Shader databases on disk.
//!
//! [`psdb`] is the precompiled shader database (PSDB): what a compiler cache session stores and a runtime finds again.
//! Its layout, rules and limits are in `docs/psdb.md`.
//!
//! [`sodb`] is the state object database (SODB): what there is to compile, in Microsoft's published schema. Its rules are
//! in `docs/sodb.md`.
//!
//! The crate knows files and SQLite. It knows nothing of plugins and of COM: its errors are an [`Error`] that a caller
//! maps to an `HRESULT`.

mod error;
pub mod file_name;
mod locked_file;
pub mod psdb;
pub mod sodb;
mod sqlite;
pub mod temporary;
#[cfg(windows)]
mod turn;

pub use error::{Error, fault_of_path};

/// What the functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A key as messages show it: hexadecimal digits, of a long one those at the beginning.
pub fn short_hex(key: &[u8]) -> String {
    const MOST: usize = 64;
    match key.get(..MOST) {
        Some(first) if key.len() > MOST => {
            format!("{}... ({} bytes)", hex::encode(first), key.len())
        }
        _ => hex::encode(key),
    }
}

/// The examples in the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
