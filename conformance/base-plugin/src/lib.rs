//! What the broken plugin and the checking plugin have in common: the plugin underneath, [`Base`], and
//! the means of a layer between it and the host; and how the broken libraries declare their defects.

#![allow(
    clippy::macro_metavars_in_unsafe,
    reason = "call! is for a layer, which passes on the arguments of the DDI"
)]

mod base;
mod defect;

pub use base::{Base, BaseCompiler};
pub use defect::{NONE, VARIABLE, follow, select};

use std::ptr;

use ddi_sys::{
    D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_HCOMPILERDDI, D3D12DDIARG_COMPILER_OPEN_DDI,
    E_OUTOFMEMORY, E_UNEXPECTED, HRESULT,
};
use plugin_sdk::PluginEntry as _;

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

/// Opens the base behind a layer: the host gets the layer's table. `note` keeps the handle and the base's
/// table, or gives `None` where too many opens live.
///
/// # Safety
///
/// PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid for reads and writes, and so is the
/// table that it points at.
pub unsafe fn open_behind(
    layer: D3D12DDI_COMPILER_DDI_FUNCS,
    argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI,
    note: impl FnOnce(D3D12DDI_HCOMPILERDDI, D3D12DDI_COMPILER_DDI_FUNCS) -> Option<()>,
) -> HRESULT {
    // SAFETY: the argument is as PFND3D12DDI_COMPILER_OPEN_DDI demands of a host.
    let result = unsafe { Base::entry_point()(argument) };
    if !result.is_ok() {
        return result;
    }
    // SAFETY: the base refuses a null argument, so this is one that the host lends for the call.
    let argument = unsafe { &mut *argument };
    // SAFETY: the base has filled the table.
    let table = unsafe { &mut *argument.pDDIFuncs };
    if note(argument.hCompilerDDI, *table).is_none() {
        call!(table.pfnDestroyCompilerDDI(argument.hCompilerDDI) else ());
        return E_OUTOFMEMORY;
    }
    *table = layer;
    result
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
