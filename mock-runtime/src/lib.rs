//! The minimum of a D3D12 runtime: loads a user-mode driver by its `OpenAdapter12` and drives it, for tests.

pub mod adapter;
pub mod adapters;
mod callbacks;
pub mod command_list;
pub mod device;
mod error;
pub mod exports;
mod object;
pub mod objects;
pub mod realize;
mod registry;
pub mod shader_cache;
pub mod umd;

pub use error::Error;
