//! What the host called: a record in memory for [`inspect`](crate::inspect), and a file of JSON lines
//! for people (`MOCK_UMD_TRACE`).

use std::collections::BTreeMap;
use std::io::Write;

use ddi_sys::HRESULT;
use parking_lot::Mutex;
use serde_json::json;

use crate::handles::{DeviceId, ObjectId};
use crate::switches;

/// What a call is of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject {
    /// Nothing that is known.
    None,
    /// An adapter, by the number of its handle.
    Adapter(usize),
    /// A device.
    Device(DeviceId),
    /// An object of a device.
    Object(DeviceId, ObjectId),
}

/// How often a slot was called, and how often it failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// All calls.
    pub calls: u64,
    /// Those that failed.
    pub failures: u64,
}

#[derive(Default)]
struct Record {
    slots: BTreeMap<&'static str, Calls>,
    last_failure: Option<String>,
}

static RECORD: Mutex<Record> = Mutex::new(Record {
    slots: BTreeMap::new(),
    last_failure: None,
});

/// Notes a call; not those that record into command lists, which the lists themselves have.
pub(crate) fn call(slot: &'static str, subject: Subject, result: HRESULT, problem: Option<&str>) {
    let mut record = RECORD.lock();
    let calls = record.slots.entry(slot).or_default();
    calls.calls += 1;
    if !result.is_ok() {
        calls.failures += 1;
    }
    if let Some(problem) = problem {
        record.last_failure = Some(format!("{slot}: {problem}"));
    }
    // With the lock: lines of two threads come one after the other.
    if let Some(file) = switches::trace() {
        let mut line = json!({ "call": slot, "result": result.to_string(), "problem": problem });
        match subject {
            Subject::None => {}
            Subject::Adapter(adapter) => line["adapter"] = adapter.into(),
            Subject::Device(device) => line["device"] = device.get().into(),
            Subject::Object(device, object) => {
                line["device"] = device.get().into();
                line["object"] = object.get().into();
            }
        }
        // A file that is full must not change what the driver does.
        _ = writeln!(&*file, "{line}");
    }
}

/// All slots that were called since the last [`reset`].
pub(crate) fn calls() -> BTreeMap<&'static str, Calls> {
    RECORD.lock().slots.clone()
}

/// What was wrong with the last call that failed.
pub(crate) fn last_failure() -> Option<String> {
    RECORD.lock().last_failure.clone()
}

/// Forgets all calls.
pub(crate) fn reset() {
    let mut record = RECORD.lock();
    record.slots.clear();
    record.last_failure = None;
}
