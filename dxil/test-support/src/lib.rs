//! What the tests, the examples and the fuzz targets of `dxil` share.
#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    reason = "helpers of tests: a failure is a panic, and names say the rest"
)]

pub mod comparison;
pub mod plan;
pub mod planted;
mod view;
pub mod walk;
