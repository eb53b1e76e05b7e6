//! Watches what a call of the plugin does to its process.

pub(crate) mod debugger;
pub(crate) mod fault;
pub(crate) mod heap;
pub(crate) mod limits;
pub(crate) mod memory;
pub(crate) mod process_change;
pub(crate) mod resources;
pub(crate) mod schedule;
pub(crate) mod wine;
