//! What the layer knows of each open of the base. The functions of the COMPILER table and the
//! callbacks are told no `hCompilerDDI`, so each open has functions of its own for them.

use std::fs::File;
use std::hint::black_box;
use std::{env, mem, ptr, thread};

use base_plugin::Opens;
use ddi_sys::*;

/// One open of the base.
#[derive(Clone, Copy, Default)]
pub(crate) struct Open {
    /// The address in its handle, which is not followed.
    handle: usize,
    /// How many opens came before it.
    pub(crate) number: usize,
    pub(crate) base: D3D12DDI_COMPILER_DDI_FUNCS,
    pub(crate) capabilities: D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
    pub(crate) compiler: D3D12DDI_COMPILER_FUNCS,
    /// The host's callbacks; null entries before they are set.
    pub(crate) host: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    /// The address of the host's table, which `callbacks-kept` reads.
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

/// The living opens of the base.
pub(crate) static OPENS: Opens<Open> = Opens::new();

/// The open of a handle; without functions for one that is none.
pub(crate) fn of(handle: D3D12DDI_HCOMPILERDDI) -> Open {
    OPENS.of(handle).map(|(_, open)| open).unwrap_or_default()
}

/// The open in a slot; without functions where there is none.
pub(crate) fn in_slot(slot: usize) -> Open {
    OPENS.in_slot(slot).unwrap_or_default()
}

/// Changes what is known of the open of a handle.
pub(crate) fn update(handle: D3D12DDI_HCOMPILERDDI, change: impl FnOnce(&mut Open)) {
    if let Some((slot, _)) = OPENS.of(handle) {
        OPENS.update(slot, change);
    }
}

/// Takes a slot for an open; `None` when all are taken.
pub(crate) fn insert(
    handle: D3D12DDI_HCOMPILERDDI,
    base: D3D12DDI_COMPILER_DDI_FUNCS,
) -> Option<()> {
    let keep = |number| Open {
        handle: handle.pDrvPrivate.addr(),
        number,
        base,
        ..Open::default()
    };
    OPENS.insert(handle, keep).map(|_| ())
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

/// Starts a thread that never ends.
pub(crate) fn leave_thread() {
    thread::spawn(|| {
        loop {
            thread::park();
        }
    });
}
