//! Objects that pipelines are made of, without their content.

use std::ffi::c_void;

#[allow(clippy::wildcard_imports)] // The functions are written in the DDI's own types.
use ddi_sys::*;

use crate::boundary::{self, checked, device_slots, plain_objects, raw};
use crate::handles::{self, PRIVATE_SIZE};

plain_objects! {
    ElementLayout = "element layout";
    BlendState = "blend state";
    DepthStencilState = "depth-stencil state";
    RasterizerState = "rasterizer state";
    Shader = "shader";
    PipelineState = "pipeline state";
    RootSignature = "root signature";
    StateObject = "state object";
}

device_slots! {
    calc_private_element_layout_size = "pfnCalcPrivateElementLayoutSize"(_device, value _argument: *const D3D12DDIARG_CREATEELEMENTLAYOUT_0010) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_element_layout = "pfnCreateElementLayout"(device, input _desc: D3D12DDIARG_CREATEELEMENTLAYOUT_0010, private object: D3D12DDI_HELEMENTLAYOUT) {
        object.create(device, |_| Ok(ElementLayout))?;
    }

    destroy_element_layout = "pfnDestroyElementLayout"(_device, value object: D3D12DDI_HELEMENTLAYOUT) {
        handles::remove::<ElementLayout>(object.pDrvPrivate)?;
    }

    calc_private_blend_state_size = "pfnCalcPrivateBlendStateSize"(_device, value _argument: *const D3D12DDI_BLEND_DESC_0010) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_blend_state = "pfnCreateBlendState"(device, input _desc: D3D12DDI_BLEND_DESC_0010, private object: D3D12DDI_HBLENDSTATE) {
        object.create(device, |_| Ok(BlendState))?;
    }

    destroy_blend_state = "pfnDestroyBlendState"(_device, value object: D3D12DDI_HBLENDSTATE) {
        handles::remove::<BlendState>(object.pDrvPrivate)?;
    }

    calc_private_depth_stencil_state_size = "pfnCalcPrivateDepthStencilStateSize"(_device, value _argument: *const D3D12DDI_DEPTH_STENCIL_DESC_0095) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_depth_stencil_state = "pfnCreateDepthStencilState"(device, input _desc: D3D12DDI_DEPTH_STENCIL_DESC_0095, private object: D3D12DDI_HDEPTHSTENCILSTATE) {
        object.create(device, |_| Ok(DepthStencilState))?;
    }

    destroy_depth_stencil_state = "pfnDestroyDepthStencilState"(_device, value object: D3D12DDI_HDEPTHSTENCILSTATE) {
        handles::remove::<DepthStencilState>(object.pDrvPrivate)?;
    }

    calc_private_rasterizer_state_size = "pfnCalcPrivateRasterizerStateSize"(_device, value _argument: *const D3D12DDI_RASTERIZER_DESC_0102) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_rasterizer_state = "pfnCreateRasterizerState"(device, input _desc: D3D12DDI_RASTERIZER_DESC_0102, private object: D3D12DDI_HRASTERIZERSTATE) {
        object.create(device, |_| Ok(RasterizerState))?;
    }

    destroy_rasterizer_state = "pfnDestroyRasterizerState"(_device, value object: D3D12DDI_HRASTERIZERSTATE) {
        handles::remove::<RasterizerState>(object.pDrvPrivate)?;
    }

    calc_private_shader_size = "pfnCalcPrivateShaderSize"(_device, value _argument: *const D3D12DDIARG_CREATE_SHADER_0026) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_vertex_shader = "pfnCreateVertexShader"(device, input _desc: D3D12DDIARG_CREATE_SHADER_0026, private object: D3D12DDI_HSHADER) {
        object.create(device, |_| Ok(Shader))?;
    }

    create_pixel_shader = "pfnCreatePixelShader"(device, input _desc: D3D12DDIARG_CREATE_SHADER_0026, private object: D3D12DDI_HSHADER) {
        object.create(device, |_| Ok(Shader))?;
    }

    create_geometry_shader = "pfnCreateGeometryShader"(device, input _desc: D3D12DDIARG_CREATE_SHADER_0026, private object: D3D12DDI_HSHADER) {
        object.create(device, |_| Ok(Shader))?;
    }

    create_compute_shader = "pfnCreateComputeShader"(device, input _desc: D3D12DDIARG_CREATE_SHADER_0026, private object: D3D12DDI_HSHADER) {
        object.create(device, |_| Ok(Shader))?;
    }

    calc_private_geometry_shader_with_stream_output = "pfnCalcPrivateGeometryShaderWithStreamOutput"(_device, value _argument: *const D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_geometry_shader_with_stream_output = "pfnCreateGeometryShaderWithStreamOutput"(device, input _desc: D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026, private object: D3D12DDI_HSHADER) {
        object.create(device, |_| Ok(Shader))?;
    }

    calc_private_tessellation_shader_size = "pfnCalcPrivateTessellationShaderSize"(_device, value _argument: *const D3D12DDIARG_CREATE_SHADER_0026) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_hull_shader = "pfnCreateHullShader"(device, input _desc: D3D12DDIARG_CREATE_SHADER_0026, private object: D3D12DDI_HSHADER) {
        object.create(device, |_| Ok(Shader))?;
    }

    create_domain_shader = "pfnCreateDomainShader"(device, input _desc: D3D12DDIARG_CREATE_SHADER_0026, private object: D3D12DDI_HSHADER) {
        object.create(device, |_| Ok(Shader))?;
    }

    destroy_shader = "pfnDestroyShader"(_device, value object: D3D12DDI_HSHADER) {
        handles::remove::<Shader>(object.pDrvPrivate)?;
    }

    calc_private_pipeline_state_size = "pfnCalcPrivatePipelineStateSize"(_device, value _argument: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_pipeline_state = "pfnCreatePipelineState"(device, input _desc: D3D12DDIARG_CREATE_PIPELINE_STATE_0099, private object: D3D12DDI_HPIPELINESTATE, value _argument2: D3D12DDI_HRTPIPELINESTATE) -> HRESULT {
        object.create(device, |_| Ok(PipelineState))?; S_OK
    }

    destroy_pipeline_state = "pfnDestroyPipelineState"(_device, value object: D3D12DDI_HPIPELINESTATE) {
        handles::remove::<PipelineState>(object.pDrvPrivate)?;
    }

    calc_private_root_signature_size = "pfnCalcPrivateRootSignatureSize"(_device, value _argument: *const D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_root_signature = "pfnCreateRootSignature"(device, input _desc: D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100, private object: D3D12DDI_HROOTSIGNATURE) -> HRESULT {
        object.create(device, |_| Ok(RootSignature))?; S_OK
    }

    destroy_root_signature = "pfnDestroyRootSignature"(_device, value object: D3D12DDI_HROOTSIGNATURE) {
        handles::remove::<RootSignature>(object.pDrvPrivate)?;
    }

    retrieve_shader_comment = "pfnRetrieveShaderComment"(_device, value pipeline: D3D12DDI_HPIPELINESTATE, pointer _buffer: WCHAR, output length: SIZE_T) -> HRESULT {
        handles::id_of::<PipelineState>(pipeline.pDrvPrivate)?; *length = 0; S_OK
    }

    calc_private_state_object_size = "pfnCalcPrivateStateObjectSize"(_device, value _argument: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_state_object = "pfnCreateStateObject"(device, input _desc: D3D12DDIARG_CREATE_STATE_OBJECT_0054, private object: D3D12DDI_HSTATEOBJECT_0054, value _argument2: D3D12DDI_HRTSTATEOBJECT_0054) -> HRESULT {
        object.create(device, |_| Ok(StateObject))?; S_OK
    }

    destroy_state_object = "pfnDestroyStateObject"(_device, value object: D3D12DDI_HSTATEOBJECT_0054) {
        handles::remove::<StateObject>(object.pDrvPrivate)?;
    }

    calc_private_add_to_state_object_size = "pfnCalcPrivateAddToStateObjectSize"(_device, value _argument: *const D3D12DDIARG_ADD_TO_STATE_OBJECT_0072) -> SIZE_T {
        PRIVATE_SIZE
    }

    add_to_state_object = "pfnAddToStateObject"(device, input _desc: D3D12DDIARG_ADD_TO_STATE_OBJECT_0072, private object: D3D12DDI_HSTATEOBJECT_0054, value _argument2: D3D12DDI_HRTSTATEOBJECT_0054) -> HRESULT {
        object.create(device, |_| Ok(StateObject))?; S_OK
    }

    create_amplification_shader = "pfnCreateAmplificationShader"(device, input _desc: D3D12DDIARG_CREATE_SHADER_0026, private object: D3D12DDI_HSHADER) {
        object.create(device, |_| Ok(Shader))?;
    }

    create_mesh_shader = "pfnCreateMeshShader"(device, input _desc: D3D12DDIARG_CREATE_SHADER_0026, private object: D3D12DDI_HSHADER) {
        object.create(device, |_| Ok(Shader))?;
    }

    calc_private_mesh_shader_size = "pfnCalcPrivateMeshShaderSize"(_device, value _argument: *const D3D12DDIARG_CREATE_SHADER_0026) -> SIZE_T {
        PRIVATE_SIZE
    }
}

pub(crate) unsafe extern "system" fn get_shader_identifier(
    object: D3D12DDI_HSTATEOBJECT_0054,
    _argument1: LPCWSTR,
) -> *mut c_void {
    boundary::call(
        "pfnGetShaderIdentifier",
        None,
        |_| {},
        || {
            handles::id_of::<StateObject>(object.pDrvPrivate)?;
            Ok(std::ptr::null_mut())
        },
    )
}

pub(crate) unsafe extern "system" fn get_shader_stack_size(
    object: D3D12DDI_HSTATEOBJECT_0054,
    _argument1: LPCWSTR,
) -> UINT {
    boundary::call(
        "pfnGetShaderStackSize",
        None,
        |_| {},
        || {
            handles::id_of::<StateObject>(object.pDrvPrivate)?;
            Ok(0)
        },
    )
}

pub(crate) unsafe extern "system" fn get_pipeline_stack_size(
    object: D3D12DDI_HSTATEOBJECT_0054,
) -> UINT {
    boundary::call(
        "pfnGetPipelineStackSize",
        None,
        |_| {},
        || {
            handles::id_of::<StateObject>(object.pDrvPrivate)?;
            Ok(0)
        },
    )
}

pub(crate) unsafe extern "system" fn set_pipeline_stack_size(
    object: D3D12DDI_HSTATEOBJECT_0054,
    _argument1: UINT,
) {
    boundary::call(
        "pfnSetPipelineStackSize",
        None,
        |_| {},
        || {
            handles::id_of::<StateObject>(object.pDrvPrivate)?;
            Ok(())
        },
    );
}

pub(crate) unsafe extern "system" fn get_program_identifier(
    object: D3D12DDI_HSTATEOBJECT_0054,
    _argument1: LPCWSTR,
) -> D3D12DDI_PROGRAM_IDENTIFIER_0108 {
    boundary::call(
        "pfnGetProgramIdentifier",
        None,
        |_| {},
        || {
            handles::id_of::<StateObject>(object.pDrvPrivate)?;
            Ok(bytemuck::Zeroable::zeroed())
        },
    )
}

pub(crate) unsafe extern "system" fn get_work_graph_memory_requirements(
    object: D3D12DDI_HSTATEOBJECT_0054,
    _argument1: LPCWSTR,
    _argument2: *mut D3D12DDI_WORK_GRAPH_MEMORY_REQUIREMENTS_0108,
) {
    boundary::call(
        "pfnGetWorkGraphMemoryRequirements",
        None,
        |_| {},
        || {
            handles::id_of::<StateObject>(object.pDrvPrivate)?;
            Ok(())
        },
    );
}
