//! The minimum of a D3D12 runtime: loads a user-mode driver by its `OpenAdapter12` and drives it, for tests.

pub mod adapters;
mod error;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the callbacks of a device are what uses it")
)]
pub mod shader_cache;

pub use error::Error;
