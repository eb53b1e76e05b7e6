//! Crate under construction.
fn main() {}
