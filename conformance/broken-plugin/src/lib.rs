//! A plugin with one defect, to prove that the rules of the suite bite.
//!
//! The environment variable `DDI_DEFECT`, read at the first open, names the defect. Without it the plugin
//! conforms. That plugin is in `base-plugin`, written with the SDK; what the SDK makes impossible is done by
//! a layer between it and the host, which has the plugin's entry point, passes every call on, and changes
//! exactly one thing: each defect is one deviation from the specification, as a vendor could have made it, and breaks
//! one rule; or a choice that the specification leaves, which breaks none. Its row is in the file of what it is about.
//!
//! The suite's self-test has the layer in front of other plugins: [`in_front_of`].
//!
//! The library that hosts load is the example `broken-plugin`, which exports the entry point: the suite, which
//! links this package, exports none.

#![allow(
    clippy::wildcard_imports,
    reason = "the names are C's, and those of the places and conditions of rows"
)]
#![allow(
    clippy::needless_for_each,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the action of a row is one expression, and all places have functions of one form"
)]

mod about;
mod boundary;
mod caps;
mod compile;
mod compiler;
mod defect;
mod families;
mod faults;
mod fields;
mod formats;
mod layer;
mod list;
mod memory;
mod need;
mod open;
mod pipelines;
mod places;
mod purity;
mod session;
mod state_object;
mod subobjects;
mod tables;
mod targets;
mod threads;

use defects::{Defect, Library};

use about::About;
use places::Hook;

pub use defect::in_front_of;
pub use open::open_compiler_ddi;

static LIBRARY: Library<Hook, About> = Library::new(&[
    open::ROWS,
    tables::ROWS,
    families::ROWS,
    caps::ROWS,
    formats::ROWS,
    compiler::ROWS,
    pipelines::ROWS,
    fields::ROWS,
    session::ROWS,
    purity::ROWS,
    faults::ROWS,
    state_object::ROWS,
    subobjects::ROWS,
    threads::ROWS,
    memory::ROWS,
    boundary::ROWS,
]);

/// Every defect.
pub fn all_defects() -> impl Iterator<Item = &'static Defect> {
    LIBRARY.defects()
}

/// What the defect of this process needs of the plugin and has not met so far, in words; `None` where it could
/// act.
pub fn unmet() -> Option<&'static str> {
    LIBRARY.unmet()
}
