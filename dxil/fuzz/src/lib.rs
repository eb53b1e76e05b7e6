//! What the fuzz targets do with their input.

pub mod module;
/// The same as the tests of the crate.
pub use dxil_test_support::walk;
