//! What the fuzz targets do with their input: the same as the tests of the crate.

#[path = "../../tests/corpus/walk.rs"]
pub mod walk;
