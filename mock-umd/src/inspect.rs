//! What the host made of the driver, for its tests.

use std::collections::BTreeMap;
use std::ffi::c_void;

use ddi_sys::D3D12DDI_CPU_DESCRIPTOR_HANDLE;
use serde_json::{Map, Value, json};

pub use crate::cache::{Created, LoadedValue, Statistics};
pub use crate::command_list::{Command, Placement, Recording};
pub use crate::descriptors::View;
pub use crate::driver_state::DRIVER;
pub use crate::handles::ObjectId;
pub use crate::meta_command::{
    ENABLE_DUMMY_APPLICATION_SPECIFIC_DRIVER_STATE_BLOB, GET_APPLICATION_SPECIFIC_DRIVER_STATE,
    GetDriverStateParameters,
};
pub use crate::switches::{InvalidSwitch, set};
pub use crate::trace::Calls;

use crate::command_list::{CommandList, CommandQueue};
use crate::device::Device;
use crate::pipeline::{PipelineState, StateObject};
use crate::{cache, handles, switches, trace};

/// What a command list has recorded since its last reset, by the driver's handle. `None` when no list has it.
pub fn recording(list: *mut c_void) -> Option<Recording> {
    Some(handles::get::<CommandList>(list).ok()?.recording())
}

/// The lists that a queue was given, in order, by the driver's handle. `None` when no queue has it.
pub fn executed(queue: *mut c_void) -> Option<Vec<ObjectId>> {
    Some(handles::get::<CommandQueue>(queue).ok()?.executed())
}

impl Recording {
    /// The recording as JSON: `open`, `error`, and `commands`, each with `call` and its `arguments` as text.
    pub fn json(&self) -> Value {
        let commands: Vec<_> = self.commands.iter().map(Command::json).collect();
        json!({
            "open": self.open,
            "error": self.error.map(|error| error.to_string()),
            "commands": commands,
        })
    }
}

/// All calls as JSON: for each slot `calls` and `failures`; the last failure; and what all devices looked up and compiled.
pub fn statistics_json() -> Value {
    let slots: Map<_, _> = calls()
        .into_iter()
        .map(|(slot, calls)| {
            let numbers = json!({ "calls": calls.calls, "failures": calls.failures });
            (slot.to_owned(), numbers)
        })
        .collect();
    json!({
        "slots": slots,
        "last_failure": last_failure(),
        "shader_cache": cache::total().json(),
    })
}

/// Every switch: the environment variable, the form of its value, and what it does.
pub fn switches() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    switches::SWITCHES
        .iter()
        .map(|switch| (switch.name, switch.value, switch.meaning))
}

/// What is at a descriptor's CPU handle of a device, by the driver's handle of the device. `None` when there is no such
/// device or descriptor, or nothing was written there.
pub fn view(device: *mut c_void, descriptor: D3D12DDI_CPU_DESCRIPTOR_HANDLE) -> Option<View> {
    let device = handles::get::<Device>(device).ok()?;
    device.descriptors.view(descriptor).ok()?
}

/// The number of a command list, by the driver's handle.
pub fn list_id(list: *mut c_void) -> Option<ObjectId> {
    handles::id_of::<CommandList>(list).ok()
}

/// How often each slot was called since the last [`reset_calls`]; calls that record into a list only if they failed.
pub fn calls() -> BTreeMap<&'static str, Calls> {
    trace::calls()
}

/// What was wrong with the last call that failed: slot and reason.
pub fn last_failure() -> Option<String> {
    trace::last_failure()
}

/// Forgets all calls.
pub fn reset_calls() {
    trace::reset();
}

/// What a device looked up and compiled, by the driver's handle. `None` when no device has it.
pub fn shader_cache(device: *mut c_void) -> Option<Statistics> {
    Some(handles::get::<Device>(device).ok()?.compiled.statistics())
}

/// The values that a pipeline state or state object is made of, in the plugin's order, by the driver's handle. `None` when
/// neither has it.
pub fn values(object: *mut c_void) -> Option<Vec<LoadedValue>> {
    if let Ok(pipeline) = handles::get::<PipelineState>(object) {
        return Some(pipeline.values.clone());
    }
    Some(handles::get::<StateObject>(object).ok()?.values.clone())
}

impl Statistics {
    fn json(&self) -> Value {
        let created = |created: &Created| json!({ "all": created.all, "missed": created.missed, "unknown": created.unknown });
        json!({
            "pipeline_states": created(&self.pipeline_states),
            "state_objects": created(&self.state_objects),
            "hits": self.hits,
            "compiled": self.compiled,
            "refused": self.refused,
            "stored": self.stored,
        })
    }
}
