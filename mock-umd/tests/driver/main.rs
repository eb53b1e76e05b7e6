//! The driver through its tables, as a runtime drives it.
#![allow(clippy::wildcard_imports, clippy::struct_field_names)] // The names are the DDI's own.

mod host;
mod lists;
mod negotiation;
