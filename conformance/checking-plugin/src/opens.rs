//! What is known of each open of the base.

use std::sync::{Mutex, MutexGuard, PoisonError};

use base_plugin::SLOTS;
use conformance_catalogue::rules::{H_04, H_11};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
    D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_COMPILER_FUNCS, D3D12DDI_HCOMPILERDDI,
};

use crate::writer::broken;

/// One open.
#[derive(Clone)]
pub(crate) struct Open {
    /// The address in its handle.
    handle: usize,
    pub(crate) slot: usize,
    pub(crate) alive: bool,
    pub(crate) base: D3D12DDI_COMPILER_DDI_FUNCS,
    pub(crate) capabilities: D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
    pub(crate) compiler: D3D12DDI_COMPILER_FUNCS,
    /// The host's callbacks, once they are set and complete.
    pub(crate) host: Option<D3D12DDI_COMPILER_CACHE_CALLBACKS>,
    /// The number of versions that the size query answered.
    pub(crate) versions: Option<u32>,
    pub(crate) selected: bool,
    /// The ABI versions of each family.
    pub(crate) families: Vec<Vec<u64>>,
}

/// By age. One that is destroyed stays until another needs its slot.
static OPENS: Mutex<Vec<Open>> = Mutex::new(Vec::new());

fn opens() -> MutexGuard<'static, Vec<Open>> {
    OPENS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes a new open; `None` when all slots are taken.
pub(crate) fn insert(
    handle: D3D12DDI_HCOMPILERDDI,
    base: D3D12DDI_COMPILER_DDI_FUNCS,
) -> Option<()> {
    let mut opens = opens();
    let slot = if opens.len() < SLOTS {
        opens.len()
    } else {
        let oldest = opens.iter().position(|open| !open.alive)?;
        opens.remove(oldest).slot
    };
    opens.push(Open {
        handle: handle.pDrvPrivate.addr(),
        slot,
        alive: true,
        base,
        capabilities: D3D12DDI_COMPILER_CAPABILITIES_FUNCS::default(),
        compiler: D3D12DDI_COMPILER_FUNCS::default(),
        host: None,
        versions: None,
        selected: false,
        families: Vec::new(),
    });
    Some(())
}

/// The open of a handle, in a call of the host. H-04 and H-11.
pub(crate) fn of(handle: D3D12DDI_HCOMPILERDDI, call: &str) -> Option<Open> {
    let address = handle.pDrvPrivate.addr();
    let open = opens().iter().rfind(|open| open.handle == address).cloned();
    if open.is_none() {
        let got = format!("hCompilerDDI {address:#x}");
        broken(H_04, call, "a handle that an open gave", got);
    }
    alive(open?, call)
}

/// The open in a slot, in a call of the host that has no handle. H-11.
pub(crate) fn in_slot(slot: usize, call: &str) -> Option<Open> {
    let open = opens().iter().find(|open| open.slot == slot).cloned();
    alive(open?, call)
}

fn alive(open: Open, call: &str) -> Option<Open> {
    if !open.alive {
        let expected = "no call through the tables of an open that is destroyed";
        broken(
            H_11,
            call,
            expected,
            "the call came after DestroyCompilerDDI",
        );
    }
    open.alive.then_some(open)
}

/// Changes the open in a slot.
pub(crate) fn update(slot: usize, change: impl FnOnce(&mut Open)) {
    if let Some(open) = opens().iter_mut().find(|open| open.slot == slot) {
        change(open);
    }
}
