//! The minimum of a D3D12 runtime: loads a user-mode driver by its `OpenAdapter12` and drives it, for tests.

pub mod adapters;
mod error;
pub mod shader_cache;

pub use error::Error;
