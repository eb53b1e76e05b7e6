//! Command lists that are called by the application's objects.

use std::ffi::c_void;
use std::ptr;

use base_plugin::defects;
use ddi_sys::{
    D3D12DDI_API_HCOMMANDLIST, D3D12DDI_API_HPIPELINESTATE, D3D12DDI_API_HROOTSIGNATURE,
    D3D12DDI_COMMAND_LIST_FUNCS_3D_0114, D3D12DDI_RUNTIME_BYPASS_HEADER, FLOAT, UINT,
};

use crate::defect::has;
use crate::own;

/// The defects of this file.
#[macro_export]
macro_rules! bypass_defects {
    ($take:ident) => {
        $take! {
            /// In the functions of command lists of build 114.
            Bypass {
                NullSlot = "bypass-null-slot" breaks U_RTBP_01:
                    "pfnDispatchGraph is null";
                BehindHeader = "bypass-behind-the-header" breaks U_RTBP_02:
                    "pfnOmSetStencilRef takes what lies behind the header for the list";
                HeaderItself = "bypass-header-itself" breaks U_RTBP_02:
                    "pfnOmSetBlendFactor takes the header for the list";
                DrawHeaderItself = "bypass-draw-header-itself" breaks U_RTBP_03:
                    "pfnDrawInstanced takes the header for the list";
                PipelineItself = "bypass-pipeline-itself" breaks U_RTBP_03:
                    "pfnSetPipelineState takes the application's object for the driver's";
                ComputeRootItself = "bypass-compute-root-itself" breaks U_RTBP_03:
                    "pfnSetComputeRootSignature takes the application's object for the driver's";
                GraphicsRootItself = "bypass-graphics-root-itself" breaks U_RTBP_03:
                    "pfnSetGraphicsRootSignature takes the application's object for the driver's";
            }
        }
    };
}

bypass_defects!(defects);

pub(crate) fn layer(list: &mut D3D12DDI_COMMAND_LIST_FUNCS_3D_0114) {
    list.pfnOmSetStencilRef = Some(set_stencil_ref);
    list.pfnOmSetBlendFactor = Some(set_blend_factor);
    list.pfnDrawInstanced = Some(draw_instanced);
    list.pfnSetPipelineState = Some(set_pipeline_state);
    list.pfnSetComputeRootSignature = Some(set_compute_root_signature);
    list.pfnSetGraphicsRootSignature = Some(set_graphics_root_signature);
    if has(Bypass::NullSlot) {
        list.pfnDispatchGraph = None;
    }
}

/// A header that leads to the given address in the place of the object's own.
fn header_of(object: *mut c_void) -> D3D12DDI_RUNTIME_BYPASS_HEADER {
    D3D12DDI_RUNTIME_BYPASS_HEADER {
        pInterfaceVtable: ptr::null(),
        pDriverObject: object,
    }
}

/// What a driver does that takes this for its list: it records there.
fn record_at(list: *mut c_void) {
    // SAFETY: none: it is not the driver's memory. The suite has room there.
    unsafe { list.cast::<u32>().write(0x0BAD_115D) };
}

unsafe extern "system" fn set_stencil_ref(list: D3D12DDI_API_HCOMMANDLIST, value: UINT) {
    if has(Bypass::BehindHeader) {
        let size = size_of::<D3D12DDI_RUNTIME_BYPASS_HEADER>();
        return record_at(list.pDrvPrivate.wrapping_byte_add(size));
    }
    own!(LIST.pfnOmSetStencilRef(list, value));
}

unsafe extern "system" fn set_blend_factor(list: D3D12DDI_API_HCOMMANDLIST, factor: *const FLOAT) {
    if has(Bypass::HeaderItself) {
        return record_at(list.pDrvPrivate);
    }
    own!(LIST.pfnOmSetBlendFactor(list, factor));
}

unsafe extern "system" fn draw_instanced(
    list: D3D12DDI_API_HCOMMANDLIST,
    vertices: UINT,
    instances: UINT,
    first_vertex: UINT,
    first_instance: UINT,
) {
    if has(Bypass::DrawHeaderItself) {
        return record_at(list.pDrvPrivate);
    }
    own!(LIST.pfnDrawInstanced(list, vertices, instances, first_vertex, first_instance));
}

unsafe extern "system" fn set_pipeline_state(
    list: D3D12DDI_API_HCOMMANDLIST,
    mut pipeline: D3D12DDI_API_HPIPELINESTATE,
) {
    let header = header_of(pipeline.pDrvPrivate);
    if has(Bypass::PipelineItself) {
        pipeline.pDrvPrivate = (&raw const header).cast_mut().cast();
    }
    own!(LIST.pfnSetPipelineState(list, pipeline));
}

unsafe extern "system" fn set_compute_root_signature(
    list: D3D12DDI_API_HCOMMANDLIST,
    mut signature: D3D12DDI_API_HROOTSIGNATURE,
) {
    let header = header_of(signature.pDrvPrivate);
    if has(Bypass::ComputeRootItself) {
        signature.pDrvPrivate = (&raw const header).cast_mut().cast();
    }
    own!(LIST.pfnSetComputeRootSignature(list, signature));
}

unsafe extern "system" fn set_graphics_root_signature(
    list: D3D12DDI_API_HCOMMANDLIST,
    mut signature: D3D12DDI_API_HROOTSIGNATURE,
) {
    let header = header_of(signature.pDrvPrivate);
    if has(Bypass::GraphicsRootItself) {
        signature.pDrvPrivate = (&raw const header).cast_mut().cast();
    }
    own!(LIST.pfnSetGraphicsRootSignature(list, signature));
}
