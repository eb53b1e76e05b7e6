//! The D3D12 compiler plugin DDI, as the C headers have it: every type, constant, handle, function
//! pointer and table of ShaderCompilerPlugin.md, "Plugin DDI", and every usermode DDI type that they
//! reach.
//!
//! Names, field order and layout are C's, misprints included (`pfnDestroyCopiler`). The layout is
//! that of Windows on every system: `WCHAR` is 16 bits, `BOOL` 32. Enumerations are open: a value
//! from outside is kept even when it has no name, so reading one is never undefined behaviour.
//! Nothing here checks anything; the safe interface is the crate `plugin-sdk`.
//!
//! Every build asserts the recorded sizes, alignments and offsets for its target (`layout.rs`, generated from `facts`). Flags
//! have the methods of the crate `bitflags` and keep bits without a name.
//!
//! Each item says where its definition is public. "No official public text prints it" marks what is
//! known from bindings of Microsoft's headers only. Where the specification is silent or contradicts
//! itself, `docs/spec-notes.md` has the readings and the choice.
//!
//! ```
//! use ddi_sys::*;
//!
//! assert_eq!(size_of::<D3D12DDI_COMPILER_TARGET>(), 16);
//! assert_eq!(D3D12DDICAPS_TYPE_SHADER.name(), Some("D3D12DDICAPS_TYPE_SHADER"));
//! assert_eq!(D3D12DDICAPS_TYPE(-7).name(), None);
//! ```
#![no_std]
// The names are C's.
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]

#[macro_use]
mod macros;

mod base;
mod caps;
mod compiler;
mod dxgi;
mod fixed_function;
mod hresult;
mod layout;
mod pipeline_state;
mod root_signature;
mod shader;
mod state_object;
mod tokenized_program;
mod umd;
mod version;
mod work_graph;

pub use base::*;
pub use caps::*;
pub use compiler::*;
pub use dxgi::*;
pub use fixed_function::*;
pub use hresult::*;
pub use pipeline_state::*;
pub use root_signature::*;
pub use shader::*;
pub use state_object::*;
pub use tokenized_program::*;
pub use umd::*;
pub use version::{InvalidVersionNumber, VersionNumber};
pub use work_graph::*;

/// The examples in the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
