//! What the broken plugin and the checking plugin have in common: the plugin underneath, [`Base`], and
//! the means of a layer between it and the host.

#![allow(
    clippy::macro_metavars_in_unsafe,
    reason = "call! is for a layer, which passes on the arguments of the DDI"
)]

mod base;
mod defect;
mod opens;

pub use base::{Base, BaseCompiler, OBSERVER};
pub use opens::Opens;

use std::ptr;
use std::sync::OnceLock;

use ddi_sys::{
    D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_HCOMPILERDDI, D3D12DDIARG_COMPILER_OPEN_DDI,
    E_OUTOFMEMORY, E_UNEXPECTED, HRESULT,
};
pub use plugin_sdk::{EntryPoint, PluginEntry};

/// So many opens can live at once, which are more than a host needs for a plugin: the functions of the
/// COMPILER table and the callbacks are told no `hCompilerDDI`, so each open has functions of its own.
pub const SLOTS: usize = 64;

/// An array of what `$make` makes of each slot's number, of which there are [`SLOTS`].
#[macro_export]
macro_rules! per_slot {
    ($make:ident) => {
        $crate::per_slot!($make:
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
            32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60
            61 62 63)
    };
    ($make:ident: $($slot:literal)*) => { [$($make::<$slot>()),*] };
}

/// Calls an entry of a table of the base or the host, or gives a value where it is null.
#[macro_export]
macro_rules! call {
    ($($table:ident).+ ($($argument:expr),* $(,)?) else $absent:expr) => {
        match $($table).+ {
            // SAFETY: the entry is a function of the DDI that the base or the host gave. Its arguments
            // are the host's, valid as the DDI has it, or our own for as long as the call; what a
            // defect changes in them is the defect.
            Some(call) => unsafe { call($($argument),*) },
            None => $absent,
        }
    };
}

/// Puts the functions of a layer in front of those that a base has.
pub fn put_in_front(table: &mut D3D12DDI_COMPILER_DDI_FUNCS, layer: &D3D12DDI_COMPILER_DDI_FUNCS) {
    let base = *table;
    *table = D3D12DDI_COMPILER_DDI_FUNCS {
        pfnDestroyCompilerDDI: base.pfnDestroyCompilerDDI.and(layer.pfnDestroyCompilerDDI),
        pfnGetSupportedVersions: base
            .pfnGetSupportedVersions
            .and(layer.pfnGetSupportedVersions),
        pfnSetSelectedVersion: base.pfnSetSelectedVersion.and(layer.pfnSetSelectedVersion),
        pfnFillDDITable: base.pfnFillDDITable.and(layer.pfnFillDDITable),
        pfnSetCallbackDDITable: base
            .pfnSetCallbackDDITable
            .and(layer.pfnSetCallbackDDITable),
    };
}

/// Opens a base behind a layer: the host gets the table that `layer` has changed where it would get the base's. `note` keeps
/// the handle and the base's table, or gives `None` where too many opens live.
///
/// # Safety
///
/// PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid for reads and writes, and so is the
/// table that it points at. `base` is a plugin's entry point.
pub unsafe fn open_behind(
    base: EntryPoint,
    layer: impl FnOnce(&mut D3D12DDI_COMPILER_DDI_FUNCS),
    argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI,
    note: impl FnOnce(D3D12DDI_HCOMPILERDDI, D3D12DDI_COMPILER_DDI_FUNCS) -> Option<()>,
) -> HRESULT {
    // SAFETY: PFND3D12DDI_COMPILER_OPEN_DDI: an argument that is not null is valid.
    let hosts = unsafe { argument.as_ref() }.map_or(ptr::null_mut(), |argument| argument.pDDIFuncs);
    // SAFETY: the argument is as PFND3D12DDI_COMPILER_OPEN_DDI demands of a host.
    let result = unsafe { base(argument) };
    // SAFETY: PFND3D12DDI_COMPILER_OPEN_DDI: an argument that is not null is valid.
    let Some(argument) = unsafe { argument.as_mut() }.filter(|_| result.is_ok()) else {
        return result;
    };
    if argument.pDDIFuncs.is_null() {
        return result;
    }
    // SAFETY: the open succeeded, so this is the host's table, which the base has filled, or one of its own.
    let table = unsafe { argument.pDDIFuncs.read() };
    if note(argument.hCompilerDDI, table).is_none() {
        call!(table.pfnDestroyCompilerDDI(argument.hCompilerDDI) else ());
        return E_OUTOFMEMORY;
    }
    let mut layered = table;
    layer(&mut layered);
    if ptr::eq(argument.pDDIFuncs, hosts) {
        // SAFETY: the base has filled the host's table, so it is there.
        unsafe { hosts.write(layered) };
        return result;
    }
    // A table of the base's own is not ours to write, and what else it put into the host's is left alone.
    argument.pDDIFuncs = ptr::from_ref(LAYERS_OWN.get_or_init(|| layered)).cast_mut();
    // SAFETY: PFND3D12DDI_COMPILER_OPEN_DDI: the host's table is null or valid.
    if let Some(hosts) = unsafe { hosts.as_mut() }
        && addresses(hosts) == addresses(&table)
    {
        *hosts = layered;
    }
    result
}

/// The table that a host gets for one of the base's own.
static LAYERS_OWN: OnceLock<D3D12DDI_COMPILER_DDI_FUNCS> = OnceLock::new();

fn addresses(table: &D3D12DDI_COMPILER_DDI_FUNCS) -> [Option<usize>; 5] {
    [
        table.pfnDestroyCompilerDDI.map(|entry| entry as usize),
        table.pfnGetSupportedVersions.map(|entry| entry as usize),
        table.pfnSetSelectedVersion.map(|entry| entry as usize),
        table.pfnFillDDITable.map(|entry| entry as usize),
        table.pfnSetCallbackDDITable.map(|entry| entry as usize),
    ]
}

/// The plugin DDI versions that the base reports for one of its opens.
pub fn versions(base: &D3D12DDI_COMPILER_DDI_FUNCS, handle: D3D12DDI_HCOMPILERDDI) -> Vec<u64> {
    let mut count = 0;
    let _ = call!(base.pfnGetSupportedVersions(handle, &raw mut count, ptr::null_mut())
        else E_UNEXPECTED);
    let mut versions = vec![0; count as usize];
    let _ = call!(base.pfnGetSupportedVersions(handle, &raw mut count, versions.as_mut_ptr())
        else E_UNEXPECTED);
    versions
}
