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
pub mod psdb;
pub mod sodb;
mod sqlite;
pub mod temporary;

pub use error::{Error, fault_of_path};

/// What the functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A key as messages show it: hexadecimal digits, of a long one those at the beginning.
pub fn short_hex(key: &[u8]) -> String {
    use std::fmt::Write as _;
    const MOST: usize = 64;
    let mut text = String::new();
    for byte in key.iter().take(MOST) {
        write!(text, "{byte:02x}").expect("a string takes everything");
    }
    if key.len() > MOST {
        write!(text, "... ({} bytes)", key.len()).expect("a string takes everything");
    }
    text
}
