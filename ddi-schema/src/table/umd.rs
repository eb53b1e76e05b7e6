//! Structures of `ddi-sys/src/umd`.

mod adapter;
mod base;
mod bypass;
mod command_list;
mod command_queue;
mod device;
mod device_callbacks;
mod device_caps;
mod driver_state;
mod meta_command;
mod nested;
mod program;
mod shader_cache;
mod view;

use crate::types::Type;

pub(super) const ALL: &[&[&Type]] = &[
    adapter::ALL,
    base::ALL,
    bypass::ALL,
    command_list::ALL,
    command_queue::ALL,
    device::ALL,
    device_callbacks::ALL,
    device_caps::ALL,
    driver_state::ALL,
    meta_command::ALL,
    nested::ALL,
    program::ALL,
    shader_cache::ALL,
    view::ALL,
];
