//! State object descriptions through translation, validation, and into plugins that are linked in.

mod additions;
mod bindless;
mod collections;
mod generic_programs;
mod malformed;
mod plugins;
mod random_descriptions;
mod raytracing;
mod root_signatures;
mod target;
mod work_graphs;
