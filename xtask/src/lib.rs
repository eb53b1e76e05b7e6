//! The C side of the DDI and of the API: generates `headers/` from `ddi-sys` and proves that C, Rust and the
//! recorded facts agree.
//!
//! [`header`] writes `d3d12_compiler_ddi.h`, [`layout_check`] writes `layout_check.cpp`, [`check`]
//! compares what the C and the Rust compiler make of the same names, for every target, with the
//! tables in `ddi-sys/facts`.
//!
//! [`api`] does the same for the API: bindings of Microsoft's metadata, assertions for `api-sys`, its C
//! header and layout check.
//!
//! [`import_libs`] writes the libraries with which programs are linked to the runtime.
//!
//! For `scripts/windows-test`: [`dll`] reads what a DLL exports and imports, [`verdicts`] compares
//! reports of the conformance suite.

pub mod api;
pub mod check;
pub mod ctype;
pub mod ddi;
mod declarations;
pub mod dll;
mod error;
pub mod facts;
pub mod header;
pub mod import_libs;
pub mod layout;
pub mod layout_check;
mod probe;
pub mod toolchain;
pub mod verdicts;

use std::path::PathBuf;

pub use error::Error;

/// The workspace's folder.
pub fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}
