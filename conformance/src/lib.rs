//! Conformance tests for D3D12 compiler plugins, compiler runtimes and user-mode drivers.
//!
//! [`rules`] has every obligation of a plugin or a runtime that ShaderCompilerPlugin.md states or
//! implies: a [`Rule`] with its level, its section and our reading of it. Each rule that can be decided from
//! outside has one test, which fails for that rule only: where a test needs another rule to hold and
//! it does not, the rule is left undecided, with that rule's name.
//!
//! [`run`] runs tests and makes a [`Report`]. Every test has a process of its own, in which the library
//! is loaded, so that one that crashes, hangs or exits costs one verdict and nothing else. The
//! command `ddi-conformance` is the same for people; its README documents options, exit codes and
//! the JSON report.
//!
//! A harness that has tests and an order of its own, such as GoogleTest, takes a [`Session`] and asks for one rule after the
//! other. The package `conformance-c` has that for C.
//!
//! [`selftest`] shows on a plugin that the tests would notice its defects.

mod arena;
mod build;
mod capabilities;
mod caps;
mod compiler;
mod corpus;
mod debugger;
pub mod defects;
mod driver;
mod elsewhere;
mod fault;
mod function_table;
mod generated;
mod heap;
mod inputs;
mod layer;
mod limits;
mod linked_in;
mod malformed;
mod memory;
mod object;
mod pipeline;
mod process_change;
mod recorder;
mod replay;
mod request;
mod resources;
pub mod rules;
mod runtime;
mod schedule;
mod shaders;
mod signatures;
mod state_object;
mod subject;
mod sweep;
mod wine;

pub use conformance_replay::*;
pub use conformance_runner::*;
pub use ddi_trace::Trace;

/// What the processes do that [`run`] starts; only `ddi-conformance` calls this.
#[doc(hidden)]
pub mod process_of_a_test {
    pub use crate::elsewhere::CLOCK_IS_OURS;
    pub use crate::heap::{HEAP_IS_OURS, allocation_fails};
    pub use crate::request::run;
}
