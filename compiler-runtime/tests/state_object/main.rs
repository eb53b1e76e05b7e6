//! State object descriptions through translation, validation, and into plugins that are linked in.

mod additions;
mod api;
mod collections;
mod generic_programs;
#[path = "../support/linked_in.rs"]
mod linked_in;
mod malformed;
mod plugins;
mod random_descriptions;
mod raytracing;
mod target;
mod work_graphs;
