//! A compiler runtime with one defect, to prove that the rules about runtimes bite.
//!
//! The environment variable `DDI_DEFECT`, read at the first use, names the defect: its row is in the file of what it is about.
//! Without it the runtime is the one whose library the variable [`RUNTIME`] names, which is loaded and passed on, whatever else
//! it exports.
//!
//! - Towards the program a hook is at a method in the vtable of the runtime's objects: identity, references and everything else
//!   stay the runtime's (`factory.rs`, `session.rs`, `compiler.rs`).
//! - Towards the plugin a hook is at a layer between the two. The runtime is given this library as the plugin, which passes every
//!   call on to the real one (`host.rs`).
//!
//! The library that programs load is the example `broken-runtime`, which has the exports: the tests of the
//! suite, which read the rows of the defects here, have another runtime linked in.

#![allow(
    clippy::wildcard_imports,
    reason = "the names are C's, and those of the places of rows"
)]

mod compiler;
mod export;
mod factory;
mod hook;
mod host;
mod places;
mod session;

use defects::{Defect, Library, Row};

use host::Asked;
use places::Hook;

pub use export::{RUNTIME, create_factory};
pub use host::{OWN, OpenPlugin, open_compiler_ddi};

static LIBRARY: Library<Hook, Asked> = Library::new(&[
    export::ROWS,
    factory::ROWS,
    session::ROWS,
    compiler::ROWS,
    host::ROWS,
    host::callbacks::ROWS,
    host::descriptions::ROWS,
    host::pipelines::ROWS,
]);

/// Every defect.
pub fn all_defects() -> impl Iterator<Item = &'static Defect> {
    LIBRARY.defects()
}

/// Whether a defect is one of a host, between the runtime and the plugin; else it is one of the API.
pub fn is_of_host(defect: &Defect) -> bool {
    let tables: [&[Row<Hook, Asked>]; 4] = [
        host::ROWS,
        host::callbacks::ROWS,
        host::descriptions::ROWS,
        host::pipelines::ROWS,
    ];
    let mut rows = tables.into_iter().flatten();
    rows.any(|row| row.defect == *defect)
}
