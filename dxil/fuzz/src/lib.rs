//! What the fuzz targets do with their input.

pub mod module;
/// The same as the tests of the crate.
#[path = "../../tests/corpus/walk.rs"]
pub mod walk;
