//! What the layer knows of each open of the base. The functions of the COMPILER table and the
//! callbacks are told no `hCompilerDDI`, so each open has functions of its own for them.

use std::fs::File;
use std::hint::black_box;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{env, mem, ptr};

use base_plugin::SLOTS;
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
    D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_COMPILER_FUNCS, D3D12DDI_HCOMPILERDDI,
};

/// One open of the base.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    /// The address in its handle, which is not followed.
    handle: usize,
    /// How many opens came before it.
    pub(crate) number: usize,
    /// How many living opens have its handle: a base may have one for all.
    living: usize,
    pub(crate) base: D3D12DDI_COMPILER_DDI_FUNCS,
    pub(crate) capabilities: D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
    pub(crate) compiler: D3D12DDI_COMPILER_FUNCS,
    /// The host's callbacks; null entries before they are set.
    pub(crate) host: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    /// The address of the host's table; see `Callbacks::Kept`.
    pub(crate) host_table: usize,
    /// The plugin DDI version that is selected; 0 before.
    pub(crate) version: u64,
    /// Whether that is the oldest of the base's versions.
    pub(crate) is_oldest: bool,
}

impl Open {
    pub(crate) fn is_selected(&self) -> bool {
        self.version != 0
    }

    pub(crate) fn handle(&self) -> D3D12DDI_HCOMPILERDDI {
        D3D12DDI_HCOMPILERDDI {
            pDrvPrivate: ptr::without_provenance_mut(self.handle),
        }
    }
}

struct Opens {
    slots: [Option<Open>; SLOTS],
    /// How many there have been.
    count: usize,
}

static OPENS: Mutex<Opens> = Mutex::new(Opens {
    slots: [None; SLOTS],
    count: 0,
});

fn opens() -> MutexGuard<'static, Opens> {
    OPENS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a slot for an open; `None` when all are taken.
pub(crate) fn insert(
    handle: D3D12DDI_HCOMPILERDDI,
    base: D3D12DDI_COMPILER_DDI_FUNCS,
) -> Option<()> {
    let mut opens = opens();
    let number = opens.count;
    let handle = handle.pDrvPrivate.addr();
    let mut living = opens.slots.iter_mut().flatten();
    if let Some(same) = living.find(|open| open.handle == handle) {
        same.living += 1;
        return Some(());
    }
    *opens.slots.iter_mut().find(|slot| slot.is_none())? = Some(Open {
        handle,
        number,
        living: 1,
        base,
        capabilities: D3D12DDI_COMPILER_CAPABILITIES_FUNCS::default(),
        compiler: D3D12DDI_COMPILER_FUNCS::default(),
        host: D3D12DDI_COMPILER_CACHE_CALLBACKS::default(),
        host_table: 0,
        version: 0,
        is_oldest: false,
    });
    opens.count += 1;
    Some(())
}

/// The open of a handle, and its slot.
pub(crate) fn of(handle: D3D12DDI_HCOMPILERDDI) -> Option<(usize, Open)> {
    let address = handle.pDrvPrivate.addr();
    let opens = opens();
    let mut slots = opens.slots.iter().enumerate();
    slots.find_map(|(slot, open)| open.filter(|o| o.handle == address).map(|o| (slot, o)))
}

/// The open in a slot.
pub(crate) fn in_slot(slot: usize) -> Option<Open> {
    opens().slots[slot]
}

/// Changes the open in a slot.
pub(crate) fn update(slot: usize, change: impl FnOnce(&mut Open)) {
    if let Some(open) = &mut opens().slots[slot] {
        change(open);
    }
}

/// Frees a slot with the last open in it.
pub(crate) fn remove(slot: usize) {
    let slot = &mut opens().slots[slot];
    match slot {
        Some(open) if open.living > 1 => open.living -= 1,
        _ => *slot = None,
    }
}

/// Every open, with its slot.
pub(crate) fn all() -> Vec<(usize, Open)> {
    let opens = opens();
    let slots = opens.slots.iter().enumerate();
    slots
        .filter_map(|(slot, open)| Some((slot, (*open)?)))
        .collect()
}

/// Allocates memory that nobody frees.
pub(crate) fn leave_memory(size: usize) {
    // An optimizer removes an allocation that nobody can see.
    mem::forget(black_box(vec![1_u8; size]));
}

/// Opens a file that nobody closes.
pub(crate) fn leave_handle() {
    mem::forget(env::current_exe().and_then(File::open));
}

#[cfg(test)]
mod tests {
    use super::{insert, of, remove};
    use ddi_sys::{D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_HCOMPILERDDI};
    use std::ptr;

    #[test]
    fn opens_with_one_handle_live_as_long_as_the_last() {
        let handle = D3D12DDI_HCOMPILERDDI {
            pDrvPrivate: ptr::without_provenance_mut(0x1000),
        };
        let table = D3D12DDI_COMPILER_DDI_FUNCS::default();
        insert(handle, table).unwrap();
        insert(handle, table).unwrap();
        let (slot, _) = of(handle).unwrap();
        remove(slot);
        assert!(of(handle).is_some());
        remove(slot);
        assert!(of(handle).is_none());
    }
}
