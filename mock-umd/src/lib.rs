//! The user-mode driver of Fabrikam, the fake vendor whose compiler plugin is `sample-plugin`.

mod abi_support;
mod adapter;
mod address_space;
mod boundary;
mod cache;
mod caps;
mod command_list;
mod copies;
mod descriptors;
mod device;
mod driver_state;
mod exports;
mod features;
mod handles;
pub mod inspect;
mod memory;
mod meta_command;
mod objects;
mod pipeline;
mod sample;
mod switches;
mod tables;
mod text;
mod trace;
mod version;

pub use adapter::OpenAdapter12;
pub use exports::{MockUmdCommandCount, MockUmdCommandList, MockUmdSet, MockUmdStatistics};
