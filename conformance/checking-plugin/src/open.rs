//! `D3D12OpenCompilerDDI` and the table that it fills.

use std::ffi::c_void;

use base_plugin::{call, open_behind, put_in_front, versions};
use conformance_catalogue::rules::{H_01, H_02, H_03};
use conformance_protocol::record::VERSIONS_SIZE_QUERY;
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
    D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE, D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
    D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_COMPILER_FUNCS, D3D12DDI_COMPILER_TABLE_TYPE,
    D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES, D3D12DDI_COMPILER_TABLE_TYPE_COMPILER,
    D3D12DDI_HCOMPILERDDI, D3D12DDIARG_COMPILER_OPEN_DDI, E_FAIL, E_INVALIDARG, E_UNEXPECTED,
    HRESULT, SIZE_T,
};

use crate::opens;
use crate::writer::{broken, called};
use crate::{capabilities, compiler, fields, session, underneath};

/// The plugin's one export.
///
/// # Safety
///
/// PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid for reads and writes, and so is the
/// table that it points at.
// SAFETY: the DDI's own name, which nothing else in a plugin library has.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the DDI's name")]
pub unsafe extern "system" fn D3D12OpenCompilerDDI(
    argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI,
) -> HRESULT {
    called("D3D12OpenCompilerDDI");
    fields::observe();
    let Some(base) = underneath::entry_point() else {
        return E_FAIL;
    };
    let table = D3D12DDI_COMPILER_DDI_FUNCS {
        pfnDestroyCompilerDDI: Some(destroy_compiler_ddi),
        pfnGetSupportedVersions: Some(get_supported_versions),
        pfnSetSelectedVersion: Some(set_selected_version),
        pfnFillDDITable: Some(fill_ddi_table),
        pfnSetCallbackDDITable: Some(set_callback_ddi_table),
    };
    // SAFETY: `argument` is what D3D12OpenCompilerDDI takes (`# Safety`).
    unsafe {
        open_behind(
            base,
            |base| put_in_front(base, &table),
            argument,
            opens::insert,
        )
    }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_DESTROY_DDI: the handle is one of this plugin's.
unsafe extern "system" fn destroy_compiler_ddi(handle: D3D12DDI_HCOMPILERDDI) {
    const NAME: &str = "pfnDestroyCompilerDDI";
    called(NAME);
    let Some(open) = opens::of(handle, NAME) else {
        return;
    };
    compiler::open_ends(open.slot);
    opens::update(open.slot, |open| open.alive = false);
    call!(open.base.pfnDestroyCompilerDDI(handle) else ());
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS: `count` is null or valid for reads and writes,
/// `array` null or as long as it says.
unsafe extern "system" fn get_supported_versions(
    handle: D3D12DDI_HCOMPILERDDI,
    count: *mut u32,
    array: *mut u64,
) -> HRESULT {
    const NAME: &str = "pfnGetSupportedVersions";
    called(NAME);
    let Some(open) = opens::of(handle, NAME) else {
        return E_INVALIDARG;
    };
    if array.is_null() {
        called(VERSIONS_SIZE_QUERY);
    }
    // SAFETY: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS: null, or valid for the call.
    let entries = unsafe { count.as_ref() }.copied();
    match entries {
        None => broken(H_01, NAME, "a count", "puEntries is null"),
        Some(entries) if array.is_null() && entries != 0 => {
            let got = format!("*puEntries is {entries}");
            broken(H_01, NAME, "0 entries with a null array", got);
        }
        Some(entries) if !array.is_null() && open.versions.is_some_and(|n| entries < n) => {
            let expected = format!("an array of {} entries", open.versions.unwrap_or(0));
            broken(H_01, NAME, &expected, format!("one of {entries}"));
        }
        Some(_) => {}
    }
    let result = call!(open.base.pfnGetSupportedVersions(handle, count, array) else E_UNEXPECTED);
    if array.is_null() && result.is_ok() {
        // SAFETY: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS: null, or valid for the call.
        let answer = unsafe { count.as_ref() }.copied();
        opens::update(open.slot, |open| open.versions = answer);
    }
    result
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_SET_SELECTED_VERSION: the handle is one of this plugin's.
unsafe extern "system" fn set_selected_version(
    handle: D3D12DDI_HCOMPILERDDI,
    plugin: u64,
    usermode: u64,
) -> HRESULT {
    const NAME: &str = "pfnSetSelectedVersion";
    called(NAME);
    let Some(open) = opens::of(handle, NAME) else {
        return E_INVALIDARG;
    };
    let result = call!(open.base.pfnSetSelectedVersion(handle, plugin, usermode) else E_UNEXPECTED);
    let versions = versions(&open.base, handle);
    if !versions.contains(&plugin) {
        let got = format!("{plugin:#018x}, where {versions:#018x?} are reported");
        broken(H_02, NAME, "one of the reported versions", got);
    } else if !result.is_ok() {
        let got = format!("usermode DDI version {usermode:#018x} for {plugin:#018x}");
        broken(
            H_02,
            NAME,
            "the usermode DDI version that belongs to the plugin's",
            got,
        );
    }
    if result.is_ok() {
        opens::update(open.slot, |open| open.selected = true);
    }
    result
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_FILL_DDI_TABLE: `table` is null or valid for writes of `size` bytes.
unsafe extern "system" fn fill_ddi_table(
    handle: D3D12DDI_HCOMPILERDDI,
    kind: D3D12DDI_COMPILER_TABLE_TYPE,
    table: *mut c_void,
    size: SIZE_T,
) -> HRESULT {
    const NAME: &str = "pfnFillDDITable";
    called(NAME);
    let Some(open) = opens::of(handle, NAME) else {
        return E_INVALIDARG;
    };
    if !open.selected {
        broken(
            H_02,
            NAME,
            "a call after pfnSetSelectedVersion",
            "no version is selected",
        );
    }
    let result = call!(open.base.pfnFillDDITable(handle, kind, table, size) else E_UNEXPECTED);
    if !result.is_ok() {
        return result;
    }
    // The base fills a table only where it has room for all of it.
    if kind == D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES {
        let table = table.cast::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>();
        // SAFETY: the call succeeded, so the table is there; it need not be aligned.
        let base = unsafe { table.read_unaligned() };
        opens::update(open.slot, |open| open.capabilities = base);
        // SAFETY: it has room for all of it, as the base filled it.
        unsafe { table.write_unaligned(capabilities::TABLE) };
        capabilities::learn(open.slot, handle, &base);
    } else if kind == D3D12DDI_COMPILER_TABLE_TYPE_COMPILER {
        let table = table.cast::<D3D12DDI_COMPILER_FUNCS>();
        // SAFETY: the call succeeded, so the table is there; it need not be aligned.
        let base = unsafe { table.read_unaligned() };
        opens::update(open.slot, |open| open.compiler = base);
        // SAFETY: it has room for all of it, as the base filled it.
        unsafe { table.write_unaligned(compiler::table(open.slot)) };
    }
    result
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE: `table` is null or valid for reads of `size` bytes.
unsafe extern "system" fn set_callback_ddi_table(
    handle: D3D12DDI_HCOMPILERDDI,
    kind: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
    table: *const c_void,
    size: SIZE_T,
) -> HRESULT {
    const NAME: &str = "pfnSetCallbackDDITable";
    called(NAME);
    let Some(open) = opens::of(handle, NAME) else {
        return E_INVALIDARG;
    };
    let needed = size_of::<D3D12DDI_COMPILER_CACHE_CALLBACKS>();
    let known = kind == D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE;
    if !known || table.is_null() || size < needed {
        let got = format!("type {}, {size} bytes, null: {}", kind.0, table.is_null());
        broken(H_03, NAME, &format!("a CACHE table of {needed} bytes"), got);
        return E_INVALIDARG;
    }
    // SAFETY: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE: there are as many bytes as the size;
    // they need not be aligned.
    let host: D3D12DDI_COMPILER_CACHE_CALLBACKS = unsafe {
        table
            .cast::<D3D12DDI_COMPILER_CACHE_CALLBACKS>()
            .read_unaligned()
    };
    if host.pfnCompilerCacheFindValue.is_none()
        || host.pfnCompilerCacheStoreValue.is_none()
        || host.pfnCompilerCacheSetObjectValueKeys.is_none()
    {
        broken(
            H_03,
            NAME,
            "a table with three entries",
            "one of them is null",
        );
        return E_INVALIDARG;
    }
    let own = session::CALLBACKS;
    let result = call!(open.base.pfnSetCallbackDDITable(
        handle,
        kind,
        (&raw const own).cast(),
        size_of_val(&own),
    ) else E_UNEXPECTED);
    if result.is_ok() {
        opens::update(open.slot, |open| open.host = Some(host));
    }
    result
}
