//! What `ddi-conformance` knows of the suite's own libraries with defects.

pub mod defects;
