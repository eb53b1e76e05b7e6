//! A plugin with one defect, to prove that the rules of the suite bite.
//!
//! The environment variable `DDI_DEFECT`, read at the first open, names the defect. Without it the plugin
//! conforms. That plugin is in `base-plugin`, written with the SDK; what the SDK makes impossible is done by
//! a layer between it and the host, which has the plugin's entry point, passes every call on, and changes
//! exactly one thing.
//!
//! The library that hosts load is the example `broken-plugin`, which exports the entry point: the tests of
//! the suite, which read the rows of the defects here, have another plugin linked in.

mod capabilities;
mod compiler;
mod defect;
mod layer;
mod list;
mod open;
mod session;
mod state_object;
mod threads;

pub use open::open_compiler_ddi;
