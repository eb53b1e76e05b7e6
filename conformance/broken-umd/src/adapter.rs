//! `OpenAdapter12` and the functions of the adapter.

use std::ptr;

use ddi_sys::*;
use defects::{Place as _, rows, write};

use crate::places::*;

rows! {
    Hook, Device;

    "open-fails" breaks U_OPEN_01: "the adapter is refused with E_FAIL",
        at Open |_| E_FAIL;
    "open-no-destroy" breaks U_OPEN_01: "the adapter's table has no pfnDestroyDevice",
        at Open |call| opened(call, |call| call.funcs().pfnDestroyDevice = None);
    "open-no-handle" breaks U_OPEN_01: "the adapter's handle is null",
        at Open |call| opened(call, |call| call.arguments.hAdapter.pDrvPrivate = ptr::null_mut());
    "versions-zero" breaks U_OPEN_02: "the last version of the list is 0",
        at GetSupportedVersions last_is_zero;
    "versions-count-fails" breaks U_OPEN_02: "a null array gets E_INVALIDARG",
        at GetSupportedVersions |call| call.answer_if(call.versions.is_null(), E_INVALIDARG);
    "create-newest-refused" breaks U_OPEN_03: "the newest version that is listed gets no device",
        where BUILD_115, at CreateDevice |_| E_INVALIDARG;
    "create-oldest-refused" breaks U_OPEN_03: "build 109, which is listed, gets no device",
        where BUILD_109, at CreateDevice |_| E_INVALIDARG;
    "table-null-slot" breaks U_OPEN_05: "pfnCheckFormatSupport is null",
        at FillTable lacks_format_support;
    "table-too-long" breaks U_OPEN_04: "the table of build 109 has three functions more",
        where BUILD_109, at FillTable longer::<D3D12DDI_DEVICE_FUNCS_CORE_0109, 3>;
    "table-newest-too-long" breaks U_OPEN_04: "the table of build 115 has one function more",
        where BUILD_115, at FillTable longer::<D3D12DDI_DEVICE_FUNCS_CORE_0113, 1>;
}

fn opened(call: &mut Open, change: fn(&mut Open)) -> HRESULT {
    let result = call.pass();
    if result.is_ok() {
        change(call);
    }
    result
}

fn last_is_zero(call: &mut GetSupportedVersions) -> HRESULT {
    let result = call.pass();
    if result.is_ok() && !call.versions.is_null() {
        // SAFETY: the DDI: the array has as many entries.
        unsafe { call.versions.add(*call.count as usize - 1).write(0) };
    }
    result
}

fn lacks_format_support(call: &mut FillTable) -> HRESULT {
    let result = call.pass();
    let core = call.filled::<D3D12DDI_DEVICE_FUNCS_CORE_0113>(D3D12DDI_TABLE_TYPE_DEVICE_CORE);
    if let Some(core) = core.filter(|_| result.is_ok()) {
        core.pfnCheckFormatSupport = None;
    }
    result
}

/// Writes entries behind a table of the core functions, which the host's may not have.
fn longer<T, const MORE: usize>(call: &mut FillTable) -> HRESULT {
    let result = call.pass();
    if result.is_ok() && call.kind == D3D12DDI_TABLE_TYPE_DEVICE_CORE {
        let function = longer::<T, MORE> as fn(&mut FillTable) -> HRESULT;
        let end = call.table.wrapping_byte_add(size_of::<T>());
        write(end, [Some(function); MORE]);
    }
    result
}
