//! The driver through its tables, as a runtime drives it.
#![allow(clippy::wildcard_imports, clippy::struct_field_names)] // The names are the DDI's own.

mod app_state;
mod bad_handles;
mod bypass;
mod c_client;
mod descriptors;
mod fences;
mod host;
mod lists;
mod memory;
mod negotiation;
mod other_calls;
mod other_device;
mod pipelines;
mod shader_cache;
mod switches;
