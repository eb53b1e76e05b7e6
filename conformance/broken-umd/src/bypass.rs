//! Command lists that are called by the application's objects, from build 114 on.

use std::ffi::c_void;
use std::ptr;

use ddi_sys::*;
use defects::{Place, rows};

use crate::places::*;

rows! {
    Hook, Device;

    "bypass-null-slot" breaks U_RTBP_01: "pfnDispatchGraph is null",
        at FillTable lacks_dispatch_graph;
    "bypass-behind-the-header" breaks U_RTBP_02: "pfnOmSetStencilRef takes what lies behind the header for the list",
        at SetStencilRef |call| record_at(call.list.pDrvPrivate.wrapping_byte_add(size_of::<D3D12DDI_RUNTIME_BYPASS_HEADER>()));
    "bypass-header-itself" breaks U_RTBP_02: "pfnOmSetBlendFactor takes the header for the list",
        at SetBlendFactor |call| record_at(call.list.pDrvPrivate);
    "bypass-draw-header-itself" breaks U_RTBP_03: "pfnDrawInstanced takes the header for the list",
        at DrawInstanced |call| record_at(call.list.pDrvPrivate);
    "bypass-pipeline-itself" breaks U_RTBP_03: "pfnSetPipelineState takes the application's object for the driver's",
        at SetPipelineState |call| itself(call, |call| &mut call.pipeline.pDrvPrivate);
    "bypass-compute-root-itself" breaks U_RTBP_03:
        "pfnSetComputeRootSignature takes the application's object for the driver's",
        at SetComputeRoot |call| itself(call, |call| &mut call.signature.pDrvPrivate);
    "bypass-graphics-root-itself" breaks U_RTBP_03:
        "pfnSetGraphicsRootSignature takes the application's object for the driver's",
        at SetGraphicsRoot |call| itself(call, |call| &mut call.signature.pDrvPrivate);
}

fn lacks_dispatch_graph(call: &mut FillTable) -> HRESULT {
    let result = call.pass();
    let kind = D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D;
    let list = call.filled::<D3D12DDI_COMMAND_LIST_FUNCS_3D_0114>(kind);
    if let Some(list) = list.filter(|_| result.is_ok()) {
        list.pfnDispatchGraph = None;
    }
    result
}

/// What a driver does that takes this for its list: it records there.
fn record_at(list: *mut c_void) {
    // SAFETY: none: it is not the driver's memory. The suite has room there.
    unsafe { list.cast::<u32>().write(0x0BAD_115D) };
}

/// Gives the driver a header that leads to the application's object, as if that were its own.
fn itself<P: Place<Answer = ()>>(call: &mut P, object: fn(&mut P) -> &mut *mut c_void) {
    let object = object(call);
    let mut header = D3D12DDI_RUNTIME_BYPASS_HEADER {
        pInterfaceVtable: ptr::null(),
        pDriverObject: *object,
    };
    *object = (&raw mut header).cast();
    call.pass();
}
