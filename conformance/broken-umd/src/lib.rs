//! A user-mode driver with one defect, to prove that the rules about drivers bite.
//!
//! The environment variable `DDI_DEFECT`, read at the first use, names the defect: its row is in the file that deviates. The
//! driver underneath is the one whose library the variable [`DRIVER`] names. A defect is a function that takes the place of the
//! driver's in the tables that hosts get; every other call is the driver's.
//!
//! The library that hosts load is the example `broken-umd`, which has the export: a program can link only one driver.

mod bypass;
mod defect;
mod keys;
mod memory;
mod shader_cache;
mod state;

use std::ffi::c_void;
use std::mem;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, OnceLock};

use base_plugin::defects;
use ddi_sys::{
    D3D12DDI_ADAPTERFUNCS, D3D12DDI_COMMAND_LIST_FUNCS_3D_0114, D3D12DDI_DEVICE_FUNCS_CORE_0109,
    D3D12DDI_DEVICE_FUNCS_CORE_0113, D3D12DDI_EXTENDED_FEATURES_FUNCS_0096, D3D12DDI_HADAPTER,
    D3D12DDI_HRTTABLE, D3D12DDI_SHADERCACHE_CALLBACKS_0118, D3D12DDI_SHADERCACHE_FUNCS_0118,
    D3D12DDI_TABLE_TYPE, D3D12DDI_TABLE_TYPE_0096_EXTENDED_FEATURES,
    D3D12DDI_TABLE_TYPE_0114_SHADERCACHE_FUNCS, D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D,
    D3D12DDI_TABLE_TYPE_DEVICE_CORE, D3D12DDIARG_CREATEDEVICE_0003, D3D12DDIARG_CREATEDEVICE_0109,
    D3D12DDIARG_OPENADAPTER, E_FAIL, E_INVALIDARG, E_UNEXPECTED, HRESULT,
    PFND3D12DDI_FILLDDITTABLE, SIZE_T, UINT, UINT64,
};
use libloading::Library;

use defect::{SELECTED, has};

/// The environment variable that names the library of the driver underneath.
pub const DRIVER: &str = "DDI_DRIVER";

/// The defects of this file.
#[macro_export]
macro_rules! adapter_defects {
    ($take:ident) => {
        $take! {
            /// In `OpenAdapter12` and the functions of the adapter.
            Adapter {
                OpenFails = "open-fails" breaks U_OPEN_01:
                    "the adapter is refused with E_FAIL";
                NoDestroy = "open-no-destroy" breaks U_OPEN_01:
                    "the adapter's table has no pfnDestroyDevice";
                NoHandle = "open-no-handle" breaks U_OPEN_01:
                    "the adapter's handle is null";
                VersionZero = "versions-zero" breaks U_OPEN_02:
                    "the last version of the list is 0";
                VersionsFail = "versions-count-fails" breaks U_OPEN_02:
                    "a null array gets E_INVALIDARG";
                NewestRefused = "create-newest-refused" breaks U_OPEN_03:
                    "the newest version that is listed gets no device";
                OldestRefused = "create-oldest-refused" breaks U_OPEN_03:
                    "build 109, which is listed, gets no device";
                NullSlot = "table-null-slot" breaks U_OPEN_05:
                    "pfnCheckFormatSupport is null";
                TableTooLong = "table-too-long" breaks U_OPEN_04:
                    "the table of build 109 has three functions more";
                NewestTooLong = "table-newest-too-long" breaks U_OPEN_04:
                    "the table of build 115 has one function more";
            }
        }
    };
}

adapter_defects!(defects);

type OpenAdapter = unsafe extern "system" fn(*mut D3D12DDIARG_OPENADAPTER) -> HRESULT;

/// The driver underneath, which stays loaded.
static BASE: LazyLock<Option<OpenAdapter>> = LazyLock::new(|| {
    let path = std::env::var_os(DRIVER)?;
    // SAFETY: the tests name a driver that can be loaded.
    let library = Box::leak(Box::new(unsafe { Library::new(path) }.ok()?));
    // SAFETY: a driver's export of this name has this type.
    let export = unsafe { library.get::<OpenAdapter>(b"OpenAdapter12") };
    export.ok().map(|symbol| *symbol)
});

/// Its functions, which are the same for every adapter and device.
static FUNCS: OnceLock<D3D12DDI_ADAPTERFUNCS> = OnceLock::new();
static CORE: OnceLock<D3D12DDI_DEVICE_FUNCS_CORE_0113> = OnceLock::new();
static LIST: OnceLock<D3D12DDI_COMMAND_LIST_FUNCS_3D_0114> = OnceLock::new();
static SHADER_CACHE: OnceLock<D3D12DDI_SHADERCACHE_FUNCS_0118> = OnceLock::new();
static FEATURES: OnceLock<D3D12DDI_EXTENDED_FEATURES_FUNCS_0096> = OnceLock::new();

/// The callbacks of the host's shader cache, which are the same for every device.
static CALLBACKS: OnceLock<D3D12DDI_SHADERCACHE_CALLBACKS_0118> = OnceLock::new();

/// The build of the device that was created last.
static BUILD: AtomicU32 = AtomicU32::new(0);

/// The oldest build whose tables get functions of this library.
const LAYERED: u32 = 113;

/// Calls the driver's own function of a table.
macro_rules! own {
    ($table:ident.$function:ident($($argument:expr),* $(,)?)) => {{
        let table = $crate::$table.get().expect("the host has the table");
        let function = table.$function.expect("the driver has the function");
        // SAFETY: the driver's function, with the arguments of its caller.
        unsafe { function($($argument),*) }
    }};
}

use own;

/// `OpenAdapter12` of the driver with the defect.
///
/// # Safety
///
/// `arguments` is as the DDI says.
pub unsafe fn open_adapter(arguments: *mut D3D12DDIARG_OPENADAPTER) -> HRESULT {
    let (Ok(_), Some(open)) = (&*SELECTED, *BASE) else {
        return E_UNEXPECTED;
    };
    if has(Adapter::OpenFails) {
        return E_FAIL;
    }
    // SAFETY: OpenAdapter12: the arguments and what they point to live for the call (`# Safety`).
    let arguments = unsafe { &mut *arguments };
    // SAFETY: `pAdapterCallbacks` points to the host's table, which lives for the call.
    let callbacks = state::layer(unsafe { &*arguments.pAdapterCallbacks });
    let given = mem::replace(&mut arguments.pAdapterCallbacks, callbacks);
    // SAFETY: the arguments are the caller's, but for the callbacks, which live as long as the process.
    let result = unsafe { open(arguments) };
    arguments.pAdapterCallbacks = given;
    if !result.is_ok() {
        return result;
    }
    // SAFETY: `pAdapterFuncs` points to the host's table, which the driver has filled.
    let funcs = unsafe { &mut *arguments.pAdapterFuncs };
    let _ = FUNCS.set(*funcs);
    funcs.pfnGetSupportedVersions = Some(get_supported_versions);
    funcs.pfnCreateDevice = Some(create_device);
    funcs.pfnFillDDITable = Some(fill_table);
    funcs.pfnGetCaps = Some(memory::get_caps);
    if has(Adapter::NoDestroy) {
        funcs.pfnDestroyDevice = None;
    }
    if has(Adapter::NoHandle) {
        arguments.hAdapter.pDrvPrivate = std::ptr::null_mut();
    }
    result
}

unsafe extern "system" fn get_supported_versions(
    adapter: D3D12DDI_HADAPTER,
    count: *mut UINT,
    versions: *mut UINT64,
) -> HRESULT {
    if versions.is_null() && has(Adapter::VersionsFail) {
        return E_INVALIDARG;
    }
    let result = own!(FUNCS.pfnGetSupportedVersions(adapter, count, versions));
    if result.is_ok() && !versions.is_null() && has(Adapter::VersionZero) {
        // SAFETY: the DDI: the array has as many entries.
        unsafe { versions.add(*count as usize - 1).write(0) };
    }
    result
}

unsafe extern "system" fn create_device(
    adapter: D3D12DDI_HADAPTER,
    arguments: *const D3D12DDIARG_CREATEDEVICE_0003,
) -> HRESULT {
    // SAFETY: the host's structure, which is that of 0109 for the builds of the suite.
    let mut given = unsafe { *arguments.cast::<D3D12DDIARG_CREATEDEVICE_0109>() };
    let build = given.Version >> 16;
    let is_refused = (build == 115 && has(Adapter::NewestRefused))
        || (build == 109 && has(Adapter::OldestRefused))
        || memory::refuses_ranges(&given);
    if is_refused {
        return E_INVALIDARG;
    }
    BUILD.store(build, Ordering::Relaxed);
    memory::keep_callbacks(&given);
    memory::forget_ranges(&mut given);
    let result = own!(FUNCS.pfnCreateDevice(adapter, (&raw const given).cast()));
    if result.is_ok() && state::refuses_device(adapter, given.hDrvDevice) {
        return E_FAIL;
    }
    result
}

/// The size of a table that this library changes.
fn table_size(table_type: D3D12DDI_TABLE_TYPE) -> SIZE_T {
    match table_type {
        D3D12DDI_TABLE_TYPE_DEVICE_CORE => size_of::<D3D12DDI_DEVICE_FUNCS_CORE_0113>(),
        D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D => size_of::<D3D12DDI_COMMAND_LIST_FUNCS_3D_0114>(),
        D3D12DDI_TABLE_TYPE_0114_SHADERCACHE_FUNCS => size_of::<D3D12DDI_SHADERCACHE_FUNCS_0118>(),
        D3D12DDI_TABLE_TYPE_0096_EXTENDED_FEATURES => {
            size_of::<D3D12DDI_EXTENDED_FEATURES_FUNCS_0096>()
        }
        _ => 0,
    }
}

unsafe extern "system" fn fill_table(
    adapter: D3D12DDI_HADAPTER,
    table_type: D3D12DDI_TABLE_TYPE,
    table: *mut c_void,
    size: SIZE_T,
    number: UINT,
    runtime: D3D12DDI_HRTTABLE,
) -> HRESULT {
    let result = own!(FUNCS.pfnFillDDITable(adapter, table_type, table, size, number, runtime));
    if !result.is_ok() {
        return result;
    }
    let build = BUILD.load(Ordering::Relaxed);
    if build == 109 && table_type == D3D12DDI_TABLE_TYPE_DEVICE_CORE && has(Adapter::TableTooLong) {
        let more = [PFND3D12DDI_FILLDDITTABLE::Some(fill_table); 3];
        // SAFETY: none: the host's table may end before.
        unsafe {
            let end = table.byte_add(size_of::<D3D12DDI_DEVICE_FUNCS_CORE_0109>());
            end.cast::<[PFND3D12DDI_FILLDDITTABLE; 3]>().write(more);
        };
    }
    if build == 115 && table_type == D3D12DDI_TABLE_TYPE_DEVICE_CORE && has(Adapter::NewestTooLong)
    {
        // SAFETY: none: the host's table may end before.
        unsafe {
            let end = table.byte_add(size_of::<D3D12DDI_DEVICE_FUNCS_CORE_0113>());
            end.cast::<PFND3D12DDI_FILLDDITTABLE>()
                .write(Some(fill_table));
        };
    }
    if build < LAYERED || size < table_size(table_type) {
        return result;
    }
    // SAFETY: the host's table of this type and build, which the driver has filled.
    unsafe {
        match table_type {
            D3D12DDI_TABLE_TYPE_DEVICE_CORE => {
                let core = &mut *table.cast::<D3D12DDI_DEVICE_FUNCS_CORE_0113>();
                let _ = CORE.set(*core);
                state::layer_core(core);
                memory::layer_core(core);
                keys::layer_core(core);
                if has(Adapter::NullSlot) {
                    core.pfnCheckFormatSupport = None;
                }
            }
            D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D => {
                let list = &mut *table.cast::<D3D12DDI_COMMAND_LIST_FUNCS_3D_0114>();
                let _ = LIST.set(*list);
                state::layer_list(list);
                if build >= 114 {
                    bypass::layer(list);
                }
            }
            D3D12DDI_TABLE_TYPE_0114_SHADERCACHE_FUNCS => {
                let funcs = &mut *table.cast::<D3D12DDI_SHADERCACHE_FUNCS_0118>();
                let _ = SHADER_CACHE.set(*funcs);
                shader_cache::layer(funcs);
            }
            D3D12DDI_TABLE_TYPE_0096_EXTENDED_FEATURES => {
                let features = &mut *table.cast::<D3D12DDI_EXTENDED_FEATURES_FUNCS_0096>();
                let _ = FEATURES.set(*features);
                keys::layer_features(features);
            }
            _ => {}
        }
    }
    result
}
