//! `D3D12OpenCompilerDDI`, the plugin's own first table, and what it knows of each open.

use std::ffi::c_void;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
    D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE, D3D12DDI_COMPILER_DDI_FUNCS,
    D3D12DDI_COMPILER_TABLE_TYPE, D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES,
    D3D12DDI_COMPILER_TABLE_TYPE_COMPILER, D3D12DDI_HCOMPILERDDI, D3D12DDIARG_COMPILER_OPEN_DDI,
    DXGI_ERROR_MORE_DATA, DXGI_ERROR_NOT_CURRENTLY_AVAILABLE, DXGI_ERROR_UNSUPPORTED, E_INVALIDARG,
    E_NOTIMPL, E_UNEXPECTED, HRESULT, S_FALSE, S_OK, SIZE_T,
};

use crate::{capabilities, compiler};

/// More opens than a host needs: the functions that make compilers are told no `hCompilerDDI`, so each open has
/// functions of its own.
pub(crate) const SLOTS: usize = 64;

/// 12.0.1.0.
const PLUGIN_DDI_VERSION: u64 = 0x000C_0000_0001_0000;

/// What is known of an open.
#[derive(Clone, Copy)]
struct Open {
    is_selected: bool,
    callbacks: Option<D3D12DDI_COMPILER_CACHE_CALLBACKS>,
}

static OPENS: Mutex<[Option<Open>; SLOTS]> = Mutex::new([None; SLOTS]);

fn opens() -> MutexGuard<'static, [Option<Open>; SLOTS]> {
    OPENS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A handle is the number of a slot, from 1.
fn slot(handle: D3D12DDI_HCOMPILERDDI) -> Option<usize> {
    handle
        .pDrvPrivate
        .addr()
        .checked_sub(1)
        .filter(|slot| *slot < SLOTS)
}

/// Whether an open lives.
pub(crate) fn is_open(handle: D3D12DDI_HCOMPILERDDI) -> bool {
    slot(handle).is_some_and(|slot| opens()[slot].is_some())
}

/// The callbacks that are set now.
pub(crate) fn callbacks(slot: usize) -> Option<D3D12DDI_COMPILER_CACHE_CALLBACKS> {
    opens()[slot]?.callbacks
}

/// Changes what is known of an open.
fn with(handle: D3D12DDI_HCOMPILERDDI, change: impl FnOnce(&mut Open) -> HRESULT) -> HRESULT {
    let Some(slot) = slot(handle) else {
        return E_INVALIDARG;
    };
    opens()[slot].as_mut().map_or(E_INVALIDARG, change)
}

static FUNCS: D3D12DDI_COMPILER_DDI_FUNCS = D3D12DDI_COMPILER_DDI_FUNCS {
    pfnDestroyCompilerDDI: Some(destroy),
    pfnGetSupportedVersions: Some(get_supported_versions),
    pfnSetSelectedVersion: Some(set_selected_version),
    pfnFillDDITable: Some(fill_table),
    pfnSetCallbackDDITable: Some(set_callback_table),
};

/// The plugin's one export.
///
/// # Safety
///
/// PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid for reads and writes.
// SAFETY: the DDI's own name, which nothing else in a plugin library has.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the DDI's name")]
pub unsafe extern "system" fn D3D12OpenCompilerDDI(
    argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI,
) -> HRESULT {
    // SAFETY: null, or valid for reads and writes (`# Safety`).
    let Some(argument) = (unsafe { argument.as_mut() }) else {
        return E_INVALIDARG;
    };
    let mut opens = opens();
    let Some(slot) = opens.iter().position(Option::is_none) else {
        return DXGI_ERROR_NOT_CURRENTLY_AVAILABLE;
    };
    opens[slot] = Some(Open {
        is_selected: false,
        callbacks: None,
    });
    argument.hCompilerDDI.pDrvPrivate = ptr::without_provenance_mut(slot + 1);
    // The member is "out: Plugin function table". Nobody writes through the pointer.
    argument.pDDIFuncs = (&raw const FUNCS).cast_mut();
    S_OK
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_DESTROY_DDI.
unsafe extern "system" fn destroy(handle: D3D12DDI_HCOMPILERDDI) {
    if let Some(slot) = slot(handle) {
        opens()[slot] = None;
    }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS: the count is null or valid for reads and writes, the array null or
/// as long as it says.
unsafe extern "system" fn get_supported_versions(
    handle: D3D12DDI_HCOMPILERDDI,
    count: *mut u32,
    versions: *mut u64,
) -> HRESULT {
    // SAFETY: null or valid (`# Safety`).
    let Some(count) = (unsafe { count.as_mut() }) else {
        return E_INVALIDARG;
    };
    let capacity = *count;
    *count = 1;
    if !is_open(handle) {
        return E_INVALIDARG;
    }
    match capacity {
        _ if versions.is_null() => S_OK,
        0 => DXGI_ERROR_MORE_DATA,
        _ => {
            // SAFETY: as long as the count says (`# Safety`).
            unsafe { versions.write(PLUGIN_DDI_VERSION) };
            S_OK
        }
    }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_SET_SELECTED_VERSION.
unsafe extern "system" fn set_selected_version(
    handle: D3D12DDI_HCOMPILERDDI,
    plugin: u64,
    usermode: u64,
) -> HRESULT {
    // 12.80, from the build on in which the structures are what they are here.
    const INTERFACE: u64 = 0x000C_0050;
    const OLDEST_BUILD: u64 = 109;
    if plugin != PLUGIN_DDI_VERSION
        || usermode >> 32 != INTERFACE
        || usermode >> 16 & 0xFFFF < OLDEST_BUILD
    {
        return DXGI_ERROR_UNSUPPORTED;
    }
    with(handle, |open| {
        open.is_selected = true;
        S_FALSE
    })
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_FILL_DDI_TABLE: the table is null or has the size.
unsafe extern "system" fn fill_table(
    handle: D3D12DDI_HCOMPILERDDI,
    kind: D3D12DDI_COMPILER_TABLE_TYPE,
    table: *mut c_void,
    size: SIZE_T,
) -> HRESULT {
    let Some(slot) = slot(handle) else {
        return E_INVALIDARG;
    };
    match opens()[slot] {
        None => return E_INVALIDARG,
        Some(_) if table.is_null() => return E_INVALIDARG,
        Some(open) if !open.is_selected => return E_UNEXPECTED,
        Some(_) => {}
    }
    // SAFETY: not null, so of the size (`# Safety`).
    unsafe {
        match kind {
            D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES => fill(capabilities::FUNCS, table, size),
            D3D12DDI_COMPILER_TABLE_TYPE_COMPILER => fill(compiler::funcs(slot), table, size),
            _ => E_NOTIMPL,
        }
    }
}

/// # Safety
///
/// `to` is valid for writes of `size` bytes.
unsafe fn fill<T>(table: T, to: *mut c_void, size: SIZE_T) -> HRESULT {
    if size < size_of::<T>() {
        return DXGI_ERROR_MORE_DATA;
    }
    // SAFETY: as large as that (`# Safety`); nothing is said of its alignment.
    unsafe { to.cast::<T>().write_unaligned(table) };
    S_FALSE
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE: the table is null or has the size.
unsafe extern "system" fn set_callback_table(
    handle: D3D12DDI_HCOMPILERDDI,
    kind: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
    table: *const c_void,
    size: SIZE_T,
) -> HRESULT {
    if kind != D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE {
        return E_NOTIMPL;
    }
    if table.is_null() || size < size_of::<D3D12DDI_COMPILER_CACHE_CALLBACKS>() {
        return E_INVALIDARG;
    }
    // SAFETY: as large as that (`# Safety`), and entries may be null.
    let callbacks = unsafe {
        table
            .cast::<D3D12DDI_COMPILER_CACHE_CALLBACKS>()
            .read_unaligned()
    };
    with(handle, |open| {
        open.callbacks = Some(callbacks);
        S_FALSE
    })
}
