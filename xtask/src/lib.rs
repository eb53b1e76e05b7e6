//! The C side of the DDI and of the API: one generator for both, with the proof that C, Rust and the recorded facts agree.
//!
//! It has a model of what C has, [`source::Declarations`], which is read from the source of `ddi-sys` or `api-sys`, and one of
//! what is known of it, [`facts::Facts`], which is read from the tables of the same crate; [`input::Input`] says which. Of these
//! [`header`] writes C headers, [`layout`] assertions for the crates and [`layout_check`] assertions for any C header. [`check`]
//! compares what the C and the Rust compiler make of the names of the DDI, for every target, with the tables.
//!
//! Two parts have no counterpart for the DDI. [`bindings`]: windows-bindgen writes a part of the source of `api-sys` from
//! Microsoft's metadata, which has the API alone. Interfaces: the DDI has none, and cbindgen writes no abstract classes, so
//! [`header::api`] writes them itself.
//!
//! [`header::own`] writes the headers of this project's own libraries, by cbindgen alone.
//!
//! [`import_libs`] writes the libraries with which programs are linked to the runtime, [`new_plugin`] the project that a vendor
//! starts with, [`dist`] the archives of a release.
//!
//! For `scripts/windows-test`: [`dll`] reads what a DLL exports and imports, [`verdicts`] compares
//! reports of the conformance suite.

pub mod bindings;
pub mod check;
pub mod ctype;
mod declarations;
pub mod dist;
pub mod dll;
mod error;
pub mod facts;
pub mod header;
pub mod import_libs;
pub mod input;
pub mod layout;
pub mod layout_check;
pub mod names;
pub mod new_plugin;
mod probe;
pub mod source;
pub mod toolchain;
pub mod verdicts;

use std::path::PathBuf;

pub use error::Error;

/// The workspace's folder.
pub fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}
