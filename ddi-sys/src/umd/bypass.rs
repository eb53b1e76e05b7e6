//! Runtime bypass: command list functions that take the handles of API objects (D3D12RuntimeBypass.md).

use core::ffi::c_void;

use bytemuck::Zeroable;

use crate::*;

/// The structure `D3D12DDI_RUNTIME_BYPASS_HEADER`. First bytes of every API object that takes part; the driver finds
/// its own object through pDriverObject.
///
/// Source: D3D12RuntimeBypass.md and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RUNTIME_BYPASS_HEADER {
    /// x64 offset 0, x86 offset 0.
    pub pInterfaceVtable: *const c_void,
    /// x64 offset 8, x86 offset 4.
    pub pDriverObject: *mut c_void,
}

/// The handle of an API object, which begins with a [`D3D12DDI_RUNTIME_BYPASS_HEADER`]: `D3D12DDI_API_HSTATEOBJECT`.
///
/// Source: D3D12RuntimeBypass.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_API_HSTATEOBJECT {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle of an API object, which begins with a [`D3D12DDI_RUNTIME_BYPASS_HEADER`]: `D3D12DDI_API_HROOTSIGNATURE`.
///
/// Source: D3D12RuntimeBypass.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_API_HROOTSIGNATURE {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle of an API object, which begins with a [`D3D12DDI_RUNTIME_BYPASS_HEADER`]: `D3D12DDI_API_HPIPELINESTATE`.
///
/// Source: D3D12RuntimeBypass.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_API_HPIPELINESTATE {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The handle of an API object, which begins with a [`D3D12DDI_RUNTIME_BYPASS_HEADER`]: `D3D12DDI_API_HCOMMANDLIST`.
///
/// Source: D3D12RuntimeBypass.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_API_HCOMMANDLIST {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The function `pfnDrawInstanced` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_DRAWINSTANCED.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_DRAWINSTANCED_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        Value: UINT,
        Value2: UINT,
        Value3: UINT,
        Value4: UINT,
    ),
>;

/// The function `pfnDrawIndexedInstanced` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_DRAWINDEXEDINSTANCED.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_DRAWINDEXEDINSTANCED_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        Value: UINT,
        Value2: UINT,
        Value3: UINT,
        SignedValue: INT,
        Value4: UINT,
    ),
>;

/// The function `pfnDispatch` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of PFND3D12DDI_DISPATCH.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_DISPATCH_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        Value: UINT,
        Value2: UINT,
        Value3: UINT,
    ),
>;

/// The function `pfnIaSetTopology` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_IA_SETTOPOLOGY_0003.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_IA_SETTOPOLOGY_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        PrimitiveTopology: D3D12DDI_PRIMITIVE_TOPOLOGY,
    ),
>;

/// The function `pfnRsSetViewports` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_RS_SETVIEWPORTS_0003.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_RS_SETVIEWPORTS_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        Count: UINT,
        pViewport: *const D3D12DDI_VIEWPORT,
    ),
>;

/// The function `pfnRsSetScissorRects` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_RS_SETSCISSORRECTS_0003.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_RS_SETSCISSORRECTS_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        Count: UINT,
        pRect: *const D3D12DDI_RECT,
    ),
>;

/// The function `pfnOmSetBlendFactor` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_OM_SETBLENDFACTOR.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_OM_SETBLENDFACTOR_0114 = Option<
    unsafe extern "system" fn(hCommandlist: D3D12DDI_API_HCOMMANDLIST, Values: *const FLOAT),
>;

/// The function `pfnOmSetStencilRef` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_OM_SETSTENCILREF.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_OM_SETSTENCILREF_0114 =
    Option<unsafe extern "system" fn(hCommandlist: D3D12DDI_API_HCOMMANDLIST, Value: UINT)>;

/// The function `pfnSetPipelineState` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_SET_PIPELINE_STATE.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_SET_PIPELINE_STATE_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        hPipelinestate: D3D12DDI_API_HPIPELINESTATE,
    ),
>;

/// The functions `pfnSetComputeRootSignature` and `pfnSetGraphicsRootSignature` of
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of PFND3D12DDI_SET_ROOT_SIGNATURE.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_SET_ROOT_SIGNATURE_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        hRootsignature: D3D12DDI_API_HROOTSIGNATURE,
    ),
>;

/// The functions `pfnSetComputeRootDescriptorTable` and `pfnSetGraphicsRootDescriptorTable` of
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of PFND3D12DDI_SET_ROOT_DESCRIPTOR_TABLE.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_SET_ROOT_DESCRIPTOR_TABLE_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        RootParameterIndex: UINT,
        BaseDescriptor: D3D12DDI_GPU_DESCRIPTOR_HANDLE,
    ),
>;

/// The functions `pfnSetComputeRoot32BitConstant` and `pfnSetGraphicsRoot32BitConstant` of
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of PFND3D12DDI_SET_ROOT_32BIT_CONSTANT.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_SET_ROOT_32BIT_CONSTANT_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        RootParameterIndex: UINT,
        SrcData: UINT,
        DestOffsetIn32BitValues: UINT,
    ),
>;

/// The functions `pfnSetComputeRoot32BitConstants` and `pfnSetGraphicsRoot32BitConstants` of
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of PFND3D12DDI_SET_ROOT_32BIT_CONSTANTS_0003.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_SET_ROOT_32BIT_CONSTANTS_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        RootParameterIndex: UINT,
        Num32BitValuesToSet: UINT,
        pSrcData: *const c_void,
        DestOffsetIn32BitValues: UINT,
    ),
>;

/// The function `pfnSetComputeRootConstantBufferView` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`], and of 5 more
/// members. Takes the place of PFND3D12DDI_SET_ROOT_BUFFER_VIEW.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_SET_ROOT_BUFFER_VIEW_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        RootParameterIndex: UINT,
        BufferLocation: D3D12DDI_GPU_VIRTUAL_ADDRESS,
    ),
>;

/// The function `pfnIASetIndexBuffer` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_IA_SET_INDEX_BUFFER.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_IA_SET_INDEX_BUFFER_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        pIndexBufferView: *const D3D12DDI_INDEX_BUFFER_VIEW,
    ),
>;

/// The function `pfnIASetVertexBuffers` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_IA_SET_VERTEX_BUFFERS_0003.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_IA_SET_VERTEX_BUFFERS_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        StartSlot: UINT,
        NumViews: UINT,
        pVertexBufferView: *const D3D12DDI_VERTEX_BUFFER_VIEW,
    ),
>;

/// The function `pfnSOSetTargets` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_SO_SET_TARGETS_0003.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_SO_SET_TARGETS_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        StartSlot: UINT,
        NumViews: UINT,
        pStreamOutputBufferView: *const D3D12DDI_STREAM_OUTPUT_BUFFER_VIEW,
    ),
>;

/// The function `pfnOMSetRenderTargets` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_OM_SET_RENDER_TARGETS_0003.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_OM_SET_RENDER_TARGETS_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        NumRenderTargetDescriptors: UINT,
        pRenderTargetDescriptors: *const D3D12DDI_CPU_DESCRIPTOR_HANDLE,
        RTsSingleHandleToDescriptorRange: BOOL,
        pDepthStencilDescriptor: *const D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    ),
>;

/// The function `pfnOMSetDepthBounds` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_OM_SETDEPTHBOUNDS_0025.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_OM_SETDEPTHBOUNDS_0114 = Option<
    unsafe extern "system" fn(hCommandlist: D3D12DDI_API_HCOMMANDLIST, Min: FLOAT, Max: FLOAT),
>;

/// The function `pfnSetSamplePositions` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_SETSAMPLEPOSITIONS_0027.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_SETSAMPLEPOSITIONS_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        NumSamplesPerPixel: UINT,
        NumPixels: UINT,
        pSamplePosition: *mut D3D12DDI_SAMPLE_POSITION,
    ),
>;

/// The function `pfnSetViewInstanceMask` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_SETVIEWINSTANCEMASK_0033.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_SETVIEWINSTANCEMASK_0114 =
    Option<unsafe extern "system" fn(hCommandlist: D3D12DDI_API_HCOMMANDLIST, Mask: UINT)>;

/// The function type `PFND3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0114`. Takes the place of
/// PFND3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0054; not in the shipping table.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0114 = Option<unsafe extern "system" fn(hCommandlist: D3D12DDI_API_HCOMMANDLIST, pBuildRaytracingAccelerationStructure: *const D3D12DDIARG_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0054)>;

/// The function type `PFND3D12DDI_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0114`. Takes the place of
/// PFND3D12DDI_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0054; not in the shipping table.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0114 = Option<unsafe extern "system" fn(hCommandlist: D3D12DDI_API_HCOMMANDLIST, pEmitRaytracingAccelerationStructurePostbuildInfo: *const D3D12DDIARG_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0054)>;

/// The function type `PFND3D12DDI_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0114`. Takes the place of
/// PFND3D12DDI_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0054; not in the shipping table.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0114 = Option<unsafe extern "system" fn(hCommandlist: D3D12DDI_API_HCOMMANDLIST, pCopyRaytracingAccelerationStructure: *const D3D12DDIARG_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0054)>;

/// The function `pfnSetPipelineState1` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_SET_PIPELINE_STATE1_0054.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_SET_PIPELINE_STATE1_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        hStateobject: D3D12DDI_API_HSTATEOBJECT,
    ),
>;

/// The function `pfnDispatchRays` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_DISPATCH_RAYS_0054.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_DISPATCH_RAYS_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        pDispatchRays: *const D3D12DDIARG_DISPATCH_RAYS_0054,
    ),
>;

/// The function `pfnRSSetShadingRate` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_RS_SET_SHADING_RATE_0062.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_RS_SET_SHADING_RATE_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        ShadingRate: D3D12DDI_SHADING_RATE_0062,
        Combiners: *const D3D12DDI_SHADING_RATE_COMBINER_0062,
    ),
>;

/// The function `pfnDispatchMesh` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_DISPATCH_MESH_0074.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_DISPATCH_MESH_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        Value: UINT,
        Value2: UINT,
        Value3: UINT,
    ),
>;

/// The function `pfnOmSetFrontAndBackStencilRef` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_OM_SETFRONTANDBACKSTENCILREF_0095.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_OM_SETFRONTANDBACKSTENCILREF_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        FrontStencilRef: UINT,
        BackStencilRef: UINT,
    ),
>;

/// The function `pfnRSSetDepthBias` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_SET_DEPTH_BIAS_STATE_0099.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_SET_DEPTH_BIAS_STATE_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        DepthBias: FLOAT,
        DepthBiasClamp: FLOAT,
        SlopeScaledDepthBias: FLOAT,
    ),
>;

/// The function `pfnIASetIndexBufferStripCutValue` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_SET_INDEX_BUFFER_STRIP_CUT_VALUE_0099.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_SET_INDEX_BUFFER_STRIP_CUT_VALUE_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        IndexBufferStripCutValue: D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE,
    ),
>;

/// The function `pfnSetProgram` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_SET_PROGRAM_0108.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_SET_PROGRAM_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        pSetProgramDesc: *const D3D12DDI_SET_PROGRAM_DESC_0108,
    ),
>;

/// The function `pfnDispatchGraph` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Takes the place of
/// PFND3D12DDI_DISPATCH_GRAPH_0108.
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_DISPATCH_GRAPH_0114 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_API_HCOMMANDLIST,
        pDispatchGraphDesc: *const D3D12DDI_DISPATCH_GRAPH_DESC_0108,
    ),
>;

/// The command list table from DDI 0114 on: its entries take the handles of API objects.
///
/// Source: D3D12RuntimeBypass.md and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_COMMAND_LIST_FUNCS_3D_0114 {
    /// Slot 0. x64 offset 0, x86 offset 0.
    pub pfnCloseCommandList: PFND3D12DDI_CLOSECOMMANDLIST,
    /// Slot 1. x64 offset 8, x86 offset 4.
    pub pfnResetCommandList: PFND3D12DDI_RESETCOMMANDLIST_0040,
    /// Slot 2. x64 offset 16, x86 offset 8.
    pub pfnDrawInstanced: PFND3D12DDI_DRAWINSTANCED_0114,
    /// Slot 3. x64 offset 24, x86 offset 12.
    pub pfnDrawIndexedInstanced: PFND3D12DDI_DRAWINDEXEDINSTANCED_0114,
    /// Slot 4. x64 offset 32, x86 offset 16.
    pub pfnDispatch: PFND3D12DDI_DISPATCH_0114,
    /// Slot 5. x64 offset 40, x86 offset 20.
    pub pfnClearUnorderedAccessViewUint: PFND3D12DDI_CLEAR_UNORDERED_ACCESS_VIEW_UINT_0003,
    /// Slot 6. x64 offset 48, x86 offset 24.
    pub pfnClearUnorderedAccessViewFloat: PFND3D12DDI_CLEAR_UNORDERED_ACCESS_VIEW_FLOAT_0003,
    /// Slot 7. x64 offset 56, x86 offset 28.
    pub pfnClearRenderTargetView: PFND3D12DDI_CLEAR_RENDER_TARGET_VIEW_0003,
    /// Slot 8. x64 offset 64, x86 offset 32.
    pub pfnClearDepthStencilView: PFND3D12DDI_CLEAR_DEPTH_STENCIL_VIEW_0003,
    /// Slot 9. x64 offset 72, x86 offset 36.
    pub pfnDiscardResource: PFND3D12DDI_DISCARD_RESOURCE_0003,
    /// Slot 10. x64 offset 80, x86 offset 40.
    pub pfnCopyTextureRegion: PFND3D12DDI_COPYTEXTUREREGION_0003,
    /// Slot 11. x64 offset 88, x86 offset 44.
    pub pfnResourceCopy: PFND3D12DDI_RESOURCECOPY,
    /// Slot 12. x64 offset 96, x86 offset 48.
    pub pfnCopyTiles: PFND3D12DDI_COPYTILES,
    /// Slot 13. x64 offset 104, x86 offset 52.
    pub pfnCopyBufferRegion: PFND3D12DDI_COPYBUFFERREGION_0003,
    /// Slot 14. x64 offset 112, x86 offset 56.
    pub pfnResourceResolveSubresource: PFND3D12DDI_RESOURCERESOLVESUBRESOURCE,
    /// Slot 15. x64 offset 120, x86 offset 60.
    pub pfnExecuteBundle: PFND3D12DDI_EXECUTE_BUNDLE,
    /// Slot 16. x64 offset 128, x86 offset 64.
    pub pfnExecuteIndirect: PFND3D12DDI_EXECUTE_INDIRECT,
    /// Slot 17. x64 offset 136, x86 offset 68.
    pub pfnResourceBarrier: PFND3D12DDI_RESOURCEBARRIER_0022,
    /// Slot 18. x64 offset 144, x86 offset 72.
    pub pfnBlt: PFND3D12DDI_BLT,
    /// Slot 19. x64 offset 152, x86 offset 76.
    pub pfnPresent: PFND3D12DDI_PRESENT_0051,
    /// Slot 20. x64 offset 160, x86 offset 80.
    pub pfnBeginQuery: PFND3D12DDI_BEGIN_END_QUERY_0003,
    /// Slot 21. x64 offset 168, x86 offset 84.
    pub pfnEndQuery: PFND3D12DDI_BEGIN_END_QUERY_0003,
    /// Slot 22. x64 offset 176, x86 offset 88.
    pub pfnResolveQueryData: PFND3D12DDI_RESOLVE_QUERY_DATA,
    /// Slot 23. x64 offset 184, x86 offset 92.
    pub pfnSetPredication: PFND3D12DDI_SET_PREDICATION,
    /// Slot 24. x64 offset 192, x86 offset 96.
    pub pfnIaSetTopology: PFND3D12DDI_IA_SETTOPOLOGY_0114,
    /// Slot 25. x64 offset 200, x86 offset 100.
    pub pfnRsSetViewports: PFND3D12DDI_RS_SETVIEWPORTS_0114,
    /// Slot 26. x64 offset 208, x86 offset 104.
    pub pfnRsSetScissorRects: PFND3D12DDI_RS_SETSCISSORRECTS_0114,
    /// Slot 27. x64 offset 216, x86 offset 108.
    pub pfnOmSetBlendFactor: PFND3D12DDI_OM_SETBLENDFACTOR_0114,
    /// Slot 28. x64 offset 224, x86 offset 112.
    pub pfnOmSetStencilRef: PFND3D12DDI_OM_SETSTENCILREF_0114,
    /// Slot 29. x64 offset 232, x86 offset 116.
    pub pfnSetPipelineState: PFND3D12DDI_SET_PIPELINE_STATE_0114,
    /// Slot 30. x64 offset 240, x86 offset 120.
    pub pfnSetDescriptorHeaps: PFND3D12DDI_SET_DESCRIPTOR_HEAPS_0003,
    /// Slot 31. x64 offset 248, x86 offset 124.
    pub pfnSetComputeRootSignature: PFND3D12DDI_SET_ROOT_SIGNATURE_0114,
    /// Slot 32. x64 offset 256, x86 offset 128.
    pub pfnSetGraphicsRootSignature: PFND3D12DDI_SET_ROOT_SIGNATURE_0114,
    /// Slot 33. x64 offset 264, x86 offset 132.
    pub pfnSetComputeRootDescriptorTable: PFND3D12DDI_SET_ROOT_DESCRIPTOR_TABLE_0114,
    /// Slot 34. x64 offset 272, x86 offset 136.
    pub pfnSetGraphicsRootDescriptorTable: PFND3D12DDI_SET_ROOT_DESCRIPTOR_TABLE_0114,
    /// Slot 35. x64 offset 280, x86 offset 140.
    pub pfnSetComputeRoot32BitConstant: PFND3D12DDI_SET_ROOT_32BIT_CONSTANT_0114,
    /// Slot 36. x64 offset 288, x86 offset 144.
    pub pfnSetGraphicsRoot32BitConstant: PFND3D12DDI_SET_ROOT_32BIT_CONSTANT_0114,
    /// Slot 37. x64 offset 296, x86 offset 148.
    pub pfnSetComputeRoot32BitConstants: PFND3D12DDI_SET_ROOT_32BIT_CONSTANTS_0114,
    /// Slot 38. x64 offset 304, x86 offset 152.
    pub pfnSetGraphicsRoot32BitConstants: PFND3D12DDI_SET_ROOT_32BIT_CONSTANTS_0114,
    /// Slot 39. x64 offset 312, x86 offset 156.
    pub pfnSetComputeRootConstantBufferView: PFND3D12DDI_SET_ROOT_BUFFER_VIEW_0114,
    /// Slot 40. x64 offset 320, x86 offset 160.
    pub pfnSetGraphicsRootConstantBufferView: PFND3D12DDI_SET_ROOT_BUFFER_VIEW_0114,
    /// Slot 41. x64 offset 328, x86 offset 164.
    pub pfnSetComputeRootShaderResourceView: PFND3D12DDI_SET_ROOT_BUFFER_VIEW_0114,
    /// Slot 42. x64 offset 336, x86 offset 168.
    pub pfnSetGraphicsRootShaderResourceView: PFND3D12DDI_SET_ROOT_BUFFER_VIEW_0114,
    /// Slot 43. x64 offset 344, x86 offset 172.
    pub pfnSetComputeRootUnorderedAccessView: PFND3D12DDI_SET_ROOT_BUFFER_VIEW_0114,
    /// Slot 44. x64 offset 352, x86 offset 176.
    pub pfnSetGraphicsRootUnorderedAccessView: PFND3D12DDI_SET_ROOT_BUFFER_VIEW_0114,
    /// Slot 45. x64 offset 360, x86 offset 180.
    pub pfnIASetIndexBuffer: PFND3D12DDI_IA_SET_INDEX_BUFFER_0114,
    /// Slot 46. x64 offset 368, x86 offset 184.
    pub pfnIASetVertexBuffers: PFND3D12DDI_IA_SET_VERTEX_BUFFERS_0114,
    /// Slot 47. x64 offset 376, x86 offset 188.
    pub pfnSOSetTargets: PFND3D12DDI_SO_SET_TARGETS_0114,
    /// Slot 48. x64 offset 384, x86 offset 192.
    pub pfnOMSetRenderTargets: PFND3D12DDI_OM_SET_RENDER_TARGETS_0114,
    /// Slot 49. x64 offset 392, x86 offset 196.
    pub pfnSetMarker: PFND3D12DDI_SET_MARKER,
    /// Slot 50. x64 offset 400, x86 offset 200.
    pub pfnClearRootArguments: PFND3D12DDI_CLEAR_ROOT_ARGUMENTS,
    /// Slot 51. x64 offset 408, x86 offset 204.
    pub pfnAtomicCopyBufferRegion: PFND3D12DDI_COPYBUFFERREGION_0003,
    /// Slot 52. x64 offset 416, x86 offset 208.
    pub pfnOMSetDepthBounds: PFND3D12DDI_OM_SETDEPTHBOUNDS_0114,
    /// Slot 53. x64 offset 424, x86 offset 212.
    pub pfnSetSamplePositions: PFND3D12DDI_SETSAMPLEPOSITIONS_0114,
    /// Slot 54. x64 offset 432, x86 offset 216.
    pub pfnResourceResolveSubresourceRegion: PFND3D12DDI_RESOURCERESOLVESUBRESOURCEREGION_0027,
    /// Slot 55. x64 offset 440, x86 offset 220.
    pub pfnSetProtectedResourceSession: PFND3D12DDI_SETPROTECTEDRESOURCESESSION_0030,
    /// Slot 56. x64 offset 448, x86 offset 224.
    pub pfnWriteBufferImmediate: PFND3D12DDI_WRITEBUFFERIMMEDIATE_0032,
    /// Slot 57. x64 offset 456, x86 offset 228.
    pub pfnSetViewInstanceMask: PFND3D12DDI_SETVIEWINSTANCEMASK_0114,
    /// Slot 58. x64 offset 464, x86 offset 232.
    pub pfnInitializeMetaCommand: PFND3D12DDI_INITIALIZE_META_COMMAND_0052,
    /// Slot 59. x64 offset 472, x86 offset 236.
    pub pfnExecuteMetaCommand: PFND3D12DDI_EXECUTE_META_COMMAND_0052,
    /// Slot 60. x64 offset 480, x86 offset 240.
    pub pfnBuildRaytracingAccelerationStructure:
        PFND3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0054,
    /// Slot 61. x64 offset 488, x86 offset 244.
    pub pfnEmitRaytracingAccelerationStructurePostbuildInfo:
        PFND3D12DDI_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0054,
    /// Slot 62. x64 offset 496, x86 offset 248.
    pub pfnCopyRaytracingAccelerationStructure:
        PFND3D12DDI_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0054,
    /// Slot 63. x64 offset 504, x86 offset 252.
    pub pfnSetPipelineState1: PFND3D12DDI_SET_PIPELINE_STATE1_0114,
    /// Slot 64. x64 offset 512, x86 offset 256.
    pub pfnDispatchRays: PFND3D12DDI_DISPATCH_RAYS_0114,
    /// Slot 65. x64 offset 520, x86 offset 260.
    pub pfnRSSetShadingRate: PFND3D12DDI_RS_SET_SHADING_RATE_0114,
    /// Slot 66. x64 offset 528, x86 offset 264.
    pub pfnRSSetShadingRateImage: PFND3D12DDI_RS_SET_SHADING_RATE_IMAGE_0062,
    /// Slot 67. x64 offset 536, x86 offset 268.
    pub pfnDispatchMesh: PFND3D12DDI_DISPATCH_MESH_0114,
    /// Slot 68. x64 offset 544, x86 offset 272.
    pub pfnBarrier: PFND3D12DDI_BARRIER_0094,
    /// Slot 69. x64 offset 552, x86 offset 276.
    pub pfnOmSetAlphaBlendFactor: PFND3D12DDI_OM_SETALPHABLENDFACTOR_0092,
    /// Slot 70. x64 offset 560, x86 offset 280.
    pub pfnOmSetFrontAndBackStencilRef: PFND3D12DDI_OM_SETFRONTANDBACKSTENCILREF_0114,
    /// Slot 71. x64 offset 568, x86 offset 284.
    pub pfnRSSetDepthBias: PFND3D12DDI_SET_DEPTH_BIAS_STATE_0114,
    /// Slot 72. x64 offset 576, x86 offset 288.
    pub pfnIASetIndexBufferStripCutValue: PFND3D12DDI_SET_INDEX_BUFFER_STRIP_CUT_VALUE_0114,
    /// Slot 73. x64 offset 584, x86 offset 292.
    pub pfnSetProgram: PFND3D12DDI_SET_PROGRAM_0114,
    /// Slot 74. x64 offset 592, x86 offset 296.
    pub pfnDispatchGraph: PFND3D12DDI_DISPATCH_GRAPH_0114,
}
