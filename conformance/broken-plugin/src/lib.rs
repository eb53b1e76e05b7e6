//! A plugin with one defect, to prove that the rules of the suite bite.
//!
//! The environment variable `DDI_DEFECT`, read at the first open, names the defect: one of
//! [`defect::DEFECTS`]. Without it the plugin conforms. That plugin is in `base-plugin`, written with the
//! SDK; what the SDK makes impossible is done by a layer between it and the host, which has the
//! plugin's export, passes every call on, and changes exactly one thing.

mod capabilities;
mod compiler;
pub mod defect;
mod layer;
mod list;
mod open;
mod session;

pub use open::D3D12OpenCompilerDDI;
