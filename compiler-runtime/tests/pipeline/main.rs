//! Pipeline state streams through translation, validation, and into a plugin that is linked in.

#![allow(
    clippy::wildcard_imports,
    reason = "the API's names are C's, with their prefix"
)]

mod bindless;
mod corpus_pipelines;
mod fields;
mod linkage;
/// Places in a stream are counted by hand, with pointers of 8 bytes.
#[cfg(target_pointer_width = "64")]
mod malformed_streams;
mod plugins;
mod random_streams;
#[cfg(target_pointer_width = "64")]
mod root_signatures;
mod target;
mod validation;
