//! The usermode DDI around the compiler plugin DDI: what a user-mode driver exports, the tables that it fills, and what their
//! functions take, for DDI builds 0109 to 0115.
//!
//! Sources: Application_Specific_Driver_State.md, D3D12RuntimeBypass.md and RecreateAtGpuva.md of DirectX-Specs, the WDK
//! reference pages, and public bindings of Microsoft's headers. What no public text types is
//! [`PFND3D12DDI_UNKNOWN`](crate::PFND3D12DDI_UNKNOWN) or an untyped pointer.
// The modules are one namespace, as a C header is.
#![allow(clippy::wildcard_imports)]

mod adapter;
mod alias;
mod api_handle;
mod assumed;
mod base;
mod bypass;
mod command_list;
mod command_queue;
mod device;
mod device_callbacks;
mod device_caps;
mod device_table;
mod driver_state;
mod handle;
mod meta_command;
mod nested;
mod opaque;
mod program;
mod render_pass;
mod shader_cache;
mod view;

pub use adapter::*;
pub use alias::*;
pub use api_handle::*;
pub use assumed::*;
pub use base::*;
pub use bypass::*;
pub use command_list::*;
pub use command_queue::*;
pub use device::*;
pub use device_callbacks::*;
pub use device_caps::*;
pub use device_table::*;
pub use driver_state::*;
pub use handle::*;
pub use meta_command::*;
pub use nested::*;
pub use opaque::*;
pub use program::*;
pub use render_pass::*;
pub use shader_cache::*;
pub use view::*;
