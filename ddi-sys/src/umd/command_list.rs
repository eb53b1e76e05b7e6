//! The command list table and what its functions take.

use core::ffi::c_void;

use bytemuck::Zeroable;

use crate::*;

/// The structure that [`PFND3D12DDI_RS_SETVIEWPORTS_0114`] and [`PFND3D12DDI_RS_SETVIEWPORTS_0003`] take as
/// `pViewport`.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_VIEWPORT {
    /// x64 offset 0, x86 offset 0.
    pub TopLeftX: FLOAT,
    /// x64 offset 4, x86 offset 4.
    pub TopLeftY: FLOAT,
    /// x64 offset 8, x86 offset 8.
    pub Width: FLOAT,
    /// x64 offset 12, x86 offset 12.
    pub Height: FLOAT,
    /// x64 offset 16, x86 offset 16.
    pub MinDepth: FLOAT,
    /// x64 offset 20, x86 offset 20.
    pub MaxDepth: FLOAT,
}

/// The structure that [`PFND3D12DDI_COPYTEXTUREREGION_0003`] takes as `pBox`.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_BOX {
    /// x64 offset 0, x86 offset 0.
    pub Left: INT,
    /// x64 offset 4, x86 offset 4.
    pub Top: INT,
    /// x64 offset 8, x86 offset 8.
    pub Front: INT,
    /// x64 offset 12, x86 offset 12.
    pub Right: INT,
    /// x64 offset 16, x86 offset 16.
    pub Bottom: INT,
    /// x64 offset 20, x86 offset 20.
    pub Back: INT,
}

/// The structure that [`PFND3D12DDI_IA_SET_INDEX_BUFFER_0114`] and [`PFND3D12DDI_IA_SET_INDEX_BUFFER`] take as
/// `pIndexBufferView`.
///
/// Source: ResourceBinding.md, bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_INDEX_BUFFER_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub BufferLocation: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub SizeInBytes: UINT,
    /// x64 offset 12, x86 offset 12.
    pub Format: DXGI_FORMAT,
}

/// The structure that [`PFND3D12DDI_IA_SET_VERTEX_BUFFERS_0114`] and [`PFND3D12DDI_IA_SET_VERTEX_BUFFERS_0003`] take as
/// `pVertexBufferView`.
///
/// Source: ResourceBinding.md, bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_VERTEX_BUFFER_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub BufferLocation: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub SizeInBytes: UINT,
    /// x64 offset 12, x86 offset 12.
    pub StrideInBytes: UINT,
}

/// The structure that [`PFND3D12DDI_SO_SET_TARGETS_0114`] and [`PFND3D12DDI_SO_SET_TARGETS_0003`] take as
/// `pStreamOutputBufferView`.
///
/// Source: ResourceBinding.md, bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_STREAM_OUTPUT_BUFFER_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub BufferLocation: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub SizeInBytes: UINT64,
    /// x64 offset 16, x86 offset 16.
    pub BufferFilledSizeLocation: UINT64,
}

/// The structure that [`PFND3D12DDI_SETSAMPLEPOSITIONS_0114`] and [`PFND3D12DDI_SETSAMPLEPOSITIONS_0027`] take as
/// `pSamplePosition`.
///
/// Source: ProgrammableSamplePositions.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_SAMPLE_POSITION {
    /// x64 offset 0, x86 offset 0.
    pub X: INT8,
    /// x64 offset 1, x86 offset 1.
    pub Y: INT8,
}

/// An argument: `D3D12DDIARG_PLACED_RESOURCE`. By naming: Layout 1 or 2 selects D3D12DDIARG_PHYSICAL_ or
/// _VIRTUAL_SUBRESOURCE_PITCHED_LAYOUT, 0x40 a UINT sub-resource index.
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_PLACED_RESOURCE {
    /// x64 offset 0, x86 offset 0.
    pub Layout: D3D12DDI_RESOURCE_LAYOUT,
    /// x64 offset 8, x86 offset 4.
    pub pLayout: *const c_void,
}

/// An argument: `D3D12DDIARG_PHYSICAL_SUBRESOURCE_PITCHED_LAYOUT`.
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_PHYSICAL_SUBRESOURCE_PITCHED_LAYOUT {
    /// x64 offset 0, x86 offset 0.
    pub Format: DXGI_FORMAT,
    /// x64 offset 4, x86 offset 4.
    pub PhysicalWidth: UINT,
    /// x64 offset 8, x86 offset 8.
    pub PhysicalHeight: UINT,
    /// x64 offset 12, x86 offset 12.
    pub PhysicalDepth: UINT,
    /// x64 offset 16, x86 offset 16.
    pub Pitch: UINT,
    /// x64 offset 20, x86 offset 20.
    pub SlicePitch: UINT,
}

/// An argument: `D3D12DDIARG_VIRTUAL_SUBRESOURCE_PITCHED_LAYOUT`.
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_VIRTUAL_SUBRESOURCE_PITCHED_LAYOUT {
    /// x64 offset 0, x86 offset 0.
    pub Format: DXGI_FORMAT,
    /// x64 offset 4, x86 offset 4.
    pub VirtualWidth: UINT,
    /// x64 offset 8, x86 offset 8.
    pub VirtualHeight: UINT,
    /// x64 offset 12, x86 offset 12.
    pub VirtualDepth: UINT,
    /// x64 offset 16, x86 offset 16.
    pub PhysicalWidth: UINT,
    /// x64 offset 20, x86 offset 20.
    pub PhysicalHeight: UINT,
    /// x64 offset 24, x86 offset 24.
    pub PhysicalDepth: UINT,
    /// x64 offset 28, x86 offset 28.
    pub Pitch: UINT,
    /// x64 offset 32, x86 offset 32.
    pub SlicePitch: UINT,
}

/// An argument: `D3D12DDIARG_DISCARD_RESOURCE_0003`.
///
/// Source: ResourceBinding.md, bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_DISCARD_RESOURCE_0003 {
    /// x64 offset 0, x86 offset 0.
    pub NumRects: UINT,
    /// x64 offset 8, x86 offset 4.
    pub pRects: *const D3D12DDI_RECT,
    /// x64 offset 16, x86 offset 8.
    pub FirstSubresource: UINT,
    /// x64 offset 20, x86 offset 12.
    pub NumSubresources: UINT,
}

/// An argument: `D3D12DDIARG_BLT`.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_BLT {
    /// x64 offset 0, x86 offset 0.
    pub hDstResource: D3D12DDI_HRESOURCE,
    /// x64 offset 8, x86 offset 4.
    pub DstSubresource: UINT,
    /// x64 offset 12, x86 offset 8.
    pub DstLeft: UINT,
    /// x64 offset 16, x86 offset 12.
    pub DstTop: UINT,
    /// x64 offset 20, x86 offset 16.
    pub DstRight: UINT,
    /// x64 offset 24, x86 offset 20.
    pub DstBottom: UINT,
    /// x64 offset 32, x86 offset 24.
    pub hSrcResource: D3D12DDI_HRESOURCE,
    /// x64 offset 40, x86 offset 28.
    pub SrcSubresource: UINT,
    /// x64 offset 44, x86 offset 32.
    pub SrcLeft: UINT,
    /// x64 offset 48, x86 offset 36.
    pub SrcTop: UINT,
    /// x64 offset 52, x86 offset 40.
    pub SrcRight: UINT,
    /// x64 offset 56, x86 offset 44.
    pub SrcBottom: UINT,
    /// x64 offset 60, x86 offset 48.
    pub Flags: DXGI_DDI_ARG_BLT_FLAGS,
    /// x64 offset 64, x86 offset 52.
    pub Rotate: DXGI_DDI_MODE_ROTATION,
}

/// An argument: `D3D12DDIARG_PRESENT_0001`.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_PRESENT_0001 {
    /// x64 offset 0, x86 offset 0.
    pub phSurfacesToPresent: *const D3D12DDI_ARG_PRESENTSURFACE,
    /// x64 offset 8, x86 offset 4.
    pub SurfacesToPresent: UINT,
    /// x64 offset 16, x86 offset 8.
    pub hDstResource: D3D12DDI_HRESOURCE,
    /// x64 offset 24, x86 offset 12.
    pub DstSubResourceIndex: UINT,
    /// x64 offset 28, x86 offset 16.
    pub Flags: DXGI_DDI_PRESENT_FLAGS,
    /// x64 offset 32, x86 offset 20.
    pub FlipInterval: DXGI_DDI_FLIP_INTERVAL_TYPE,
    /// x64 offset 36, x86 offset 24.
    pub VidPnSourceID: UINT,
    /// x64 offset 40, x86 offset 28.
    pub pDirtyRects: *const RECT,
    /// x64 offset 48, x86 offset 32.
    pub DirtyRects: UINT,
    /// x64 offset 52, x86 offset 36.
    pub PrivateDriverDataSize: UINT,
    /// x64 offset 56, x86 offset 40.
    pub pPrivateDriverData: *mut c_void,
    /// x64 offset 64, x86 offset 44.
    pub OptimizeForComposition: BOOL,
}

/// The structure of `phSurfacesToPresent` in [`D3D12DDIARG_PRESENT_0001`].
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_ARG_PRESENTSURFACE {
    /// x64 offset 0, x86 offset 0.
    pub hSurface: D3D12DDI_HRESOURCE,
    /// x64 offset 8, x86 offset 4.
    pub SubResourceIndex: UINT,
}

/// The structure that [`PFND3D12DDI_PRESENT_0051`] takes as `pPresent2`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3D12DDI_PRESENT_0051 {
    /// x64 offset 0, x86 offset 0.
    pub BroadcastSrcAllocation: [UINT; 65],
    /// x64 offset 260, x86 offset 260.
    pub BroadcastDstAllocation: [UINT; 65],
    /// x64 offset 520, x86 offset 520.
    pub AddedGpuWork: BOOL,
    /// x64 offset 524, x86 offset 524.
    pub BackBufferMultiplicity: UINT,
    /// x64 offset 528, x86 offset 528.
    pub SyncIntervalOverrideValid: BOOL,
    /// x64 offset 532, x86 offset 532.
    pub SyncIntervalOverride: DXGI_DDI_FLIP_INTERVAL_TYPE,
}

/// The structure that [`PFND3D12DDI_PRESENT_0051`] takes as `pPresentContexts`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_PRESENT_CONTEXTS_0051 {
    /// x64 offset 0, x86 offset 0.
    pub hContext: HANDLE,
    /// x64 offset 8, x86 offset 4.
    pub BroadcastContextCount: UINT,
    /// x64 offset 16, x86 offset 8.
    pub BroadcastContext: [HANDLE; 64],
}

/// The structure that [`PFND3D12DDI_PRESENT_0051`] takes as `pPresentHwqueues`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct D3D12DDI_PRESENT_HWQUEUES_0051 {
    /// x64 offset 0, x86 offset 0.
    pub BroadcastQueueCount: UINT,
    /// x64 offset 8, x86 offset 4.
    pub hHwQueues: [HANDLE; 65],
}

/// An argument: `D3D12DDIARG_RESOURCE_BARRIER_0022`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_RESOURCE_BARRIER_0022 {
    /// x64 offset 0, x86 offset 0.
    pub Type: D3D12DDI_RESOURCE_BARRIER_TYPE,
    /// x64 offset 4, x86 offset 4.
    pub Flags: D3D12DDI_RESOURCE_BARRIER_FLAGS,
    /// The anonymous union at x64 offset 8, x86 offset 8.
    pub Anonymous: D3D12DDIARG_RESOURCE_BARRIER_0022_0,
}

/// Union member `Anonymous` of [`D3D12DDIARG_RESOURCE_BARRIER_0022`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_RESOURCE_BARRIER_0022_0 {
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub Transition: D3D12DDI_RESOURCE_TRANSITION_BARRIER_0003,
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub Ranged: D3D12DDI_RESOURCE_RANGED_BARRIER_0022,
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub UAV: D3D12DDI_RESOURCE_UAV_BARRIER,
}

/// An argument: `D3D12DDIARG_BARRIER_0094`.
///
/// Source: D3D12EnhancedBarriers.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_BARRIER_0094 {
    /// x64 offset 0, x86 offset 0.
    pub Type: D3D12DDI_BARRIER_TYPE,
    /// The anonymous union at x64 offset 8, x86 offset 8.
    pub Anonymous: D3D12DDIARG_BARRIER_0094_0,
}

/// Union member `Anonymous` of [`D3D12DDIARG_BARRIER_0094`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_BARRIER_0094_0 {
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub GlobalBarrier: D3D12DDI_GLOBAL_BARRIER_0088,
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub TextureBarrier: D3D12DDI_TEXTURE_BARRIER_0088,
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub BufferBarrier: D3D12DDI_BUFFER_BARRIER_0088,
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub RangedBarrier: D3D12DDI_RANGED_BARRIER_0094,
}

/// The structure that [`PFND3D12DDI_WRITEBUFFERIMMEDIATE_0032`] takes as `pParams`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_WRITEBUFFERIMMEDIATE_PARAMETER_0032 {
    /// x64 offset 0, x86 offset 0.
    pub Dst: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub Value: UINT,
}

/// An argument: `D3D12DDIARG_DISPATCH_RAYS_0054`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_DISPATCH_RAYS_0054 {
    /// x64 offset 0, x86 offset 0.
    pub RayGenerationShaderRecord: D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE,
    /// x64 offset 16, x86 offset 16.
    pub MissShaderTable: D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE,
    /// x64 offset 40, x86 offset 40.
    pub HitGroupTable: D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE,
    /// x64 offset 64, x86 offset 64.
    pub CallableShaderTable: D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE,
    /// x64 offset 88, x86 offset 88.
    pub Width: UINT,
    /// x64 offset 92, x86 offset 92.
    pub Height: UINT,
    /// x64 offset 96, x86 offset 96.
    pub Depth: UINT,
}

/// An argument: `D3D12DDIARG_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0054`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0054 {
    /// x64 offset 0, x86 offset 0.
    pub DestAccelerationStructureData: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub Inputs: D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054,
    /// x64 offset 32, x86 offset 32.
    pub SourceAccelerationStructureData: UINT64,
    /// x64 offset 40, x86 offset 40.
    pub ScratchAccelerationStructureData: UINT64,
    /// x64 offset 48, x86 offset 48.
    pub NumPostbuildInfoDescs: UINT,
    /// x64 offset 56, x86 offset 52.
    pub pPostbuildInfoDescs:
        *const D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC_0054,
}

/// The structure that [`PFND3D12DDI_GET_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO_0054`] takes as
/// `pBuildRaytracingAccelerationStructureInputs`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054 {
    /// x64 offset 0, x86 offset 0.
    pub Type: D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_TYPE,
    /// x64 offset 4, x86 offset 4.
    pub Flags: D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS,
    /// x64 offset 8, x86 offset 8.
    pub NumDescs: UINT,
    /// x64 offset 12, x86 offset 12.
    pub DescsLayout: D3D12DDI_ELEMENTS_LAYOUT,
    /// The anonymous union at x64 offset 16, x86 offset 16.
    pub Anonymous: D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054_0,
}

/// Union member `Anonymous` of [`D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054_0 {
    /// One reading of the bytes at x64 offset 16, x86 offset 16.
    pub InstanceDescs: UINT64,
    /// One reading of the bytes at x64 offset 16, x86 offset 16.
    pub pGeometryDescs: *const D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054,
    /// One reading of the bytes at x64 offset 16, x86 offset 16.
    pub ppGeometryDescs: *const *const D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054,
}

/// The structure of `pGeometryDescs` and `ppGeometryDescs` in
/// [`D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054`]. Bindings generated from the WDK 10.0.28000 header
/// (28000) adds a third arm OMMTriangles of two pointers; the union stays 48 bytes.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054 {
    /// x64 offset 0, x86 offset 0.
    pub Type: D3D12DDI_RAYTRACING_GEOMETRY_TYPE,
    /// x64 offset 4, x86 offset 4.
    pub Flags: D3D12DDI_RAYTRACING_GEOMETRY_FLAGS,
    /// The anonymous union at x64 offset 8, x86 offset 8.
    pub Anonymous: D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054_0,
}

/// Union member `Anonymous` of [`D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054_0 {
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub Triangles: D3D12DDI_RAYTRACING_GEOMETRY_TRIANGLES_DESC_0054,
    /// One reading of the bytes at x64 offset 8, x86 offset 8.
    pub AABBs: D3D12DDI_RAYTRACING_GEOMETRY_AABBS_DESC_0054,
}

/// The structure `D3D12DDI_RAYTRACING_INSTANCE_DESC_0054`.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RAYTRACING_INSTANCE_DESC_0054 {
    /// x64 offset 0, x86 offset 0.
    pub Transform: [[FLOAT; 4]; 3],
    /// Bit fields: InstanceID (24 bits from bit 0), InstanceMask (8 bits from bit 24). x64 offset 48, x86 offset 48.
    pub InstanceIDAndMask: UINT,
    /// Bit fields: InstanceContributionToHitGroupIndex (24 bits from bit 0), Flags (8 bits from bit 24). x64 offset 52, x86 offset 52.
    pub InstanceContributionAndFlags: UINT,
    /// x64 offset 56, x86 offset 56.
    pub AccelerationStructure: D3D12DDI_GPU_VIRTUAL_ADDRESS,
}

/// The structure that [`PFND3D12DDI_GET_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO_0054`] takes as
/// `pRaytracingAccelerationStructurePrebuildInfo`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO_0054 {
    /// x64 offset 0, x86 offset 0.
    pub ResultDataMaxSizeInBytes: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub ScratchDataSizeInBytes: UINT64,
    /// x64 offset 16, x86 offset 16.
    pub UpdateScratchDataSizeInBytes: UINT64,
}

/// An argument: `D3D12DDIARG_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0054`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0054 {
    /// x64 offset 0, x86 offset 0.
    pub Desc: D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC_0054,
    /// x64 offset 16, x86 offset 16.
    pub NumSourceAccelerationStructures: UINT,
    /// x64 offset 24, x86 offset 20.
    pub pSourceAccelerationStructureData: *const D3D12DDI_GPU_VIRTUAL_ADDRESS,
}

/// An argument: `D3D12DDIARG_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0054`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0054 {
    /// x64 offset 0, x86 offset 0.
    pub DestAccelerationStructureData: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub SourceAccelerationStructureData: UINT64,
    /// x64 offset 16, x86 offset 16.
    pub Mode: D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE,
}

/// The function `pfnCloseCommandList` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CLOSECOMMANDLIST =
    Option<unsafe extern "system" fn(hCommandlist: D3D12DDI_HCOMMANDLIST)>;

/// The function `pfnResetCommandList` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_RESETCOMMANDLIST_0040 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        pResetcommandlist: *const D3D12DDIARG_RESETCOMMANDLIST_0040,
    ),
>;

/// The function `pfnDrawInstanced` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`]. Vertex count per instance, instance
/// count, start vertex, start instance.
///
/// Source: D3D12RuntimeBypass.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DRAWINSTANCED = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        Value: UINT,
        Value2: UINT,
        Value3: UINT,
        Value4: UINT,
    ),
>;

/// The function `pfnDrawIndexedInstanced` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`]. The signed one is the base
/// vertex.
///
/// Source: D3D12RuntimeBypass.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DRAWINDEXEDINSTANCED = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        Value: UINT,
        Value2: UINT,
        Value3: UINT,
        SignedValue: INT,
        Value4: UINT,
    ),
>;

/// The function `pfnDispatch` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: D3D12RuntimeBypass.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DISPATCH = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        Value: UINT,
        Value2: UINT,
        Value3: UINT,
    ),
>;

/// The function `pfnClearUnorderedAccessViewUint` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CLEAR_UNORDERED_ACCESS_VIEW_UINT_0003 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        ViewGPUHandleInCurrentHeap: D3D12DDI_GPU_DESCRIPTOR_HANDLE,
        ViewCPUHandle: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
        hResource: D3D12DDI_HRESOURCE,
        Values: *const UINT,
        NumRects: UINT,
        pRects: *const D3D12DDI_RECT,
    ),
>;

/// The function `pfnClearUnorderedAccessViewFloat` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CLEAR_UNORDERED_ACCESS_VIEW_FLOAT_0003 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        ViewGPUHandleInCurrentHeap: D3D12DDI_GPU_DESCRIPTOR_HANDLE,
        ViewCPUHandle: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
        hResource: D3D12DDI_HRESOURCE,
        Values: *const FLOAT,
        NumRects: UINT,
        pRects: *const D3D12DDI_RECT,
    ),
>;

/// The function `pfnClearRenderTargetView` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: the WDK reference pages, ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CLEAR_RENDER_TARGET_VIEW_0003 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        ViewCPUHandle: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
        Values: *const FLOAT,
        NumRects: UINT,
        pRects: *const D3D12DDI_RECT,
    ),
>;

/// The function `pfnClearDepthStencilView` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CLEAR_DEPTH_STENCIL_VIEW_0003 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        ViewCPUHandle: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
        ClearFlags: UINT,
        Depth: FLOAT,
        Stencil: UINT8,
        NumRects: UINT,
        pRects: *const D3D12DDI_RECT,
    ),
>;

/// The function `pfnDiscardResource` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DISCARD_RESOURCE_0003 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        hResource: D3D12DDI_HRESOURCE,
        pDiscardResource: *const D3D12DDIARG_DISCARD_RESOURCE_0003,
    ),
>;

/// The function `pfnCopyTextureRegion` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. Two PLACED_RESOURCE structures by value (16 bytes on x64: hidden
/// references).
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_COPYTEXTUREREGION_0003 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        pBufferPlacement: *const D3D12DDIARG_BUFFER_PLACEMENT,
        D3d12ddiargPlacedResource: D3D12DDIARG_PLACED_RESOURCE,
        DstX: UINT,
        DstY: UINT,
        DstZ: UINT,
        pBufferPlacement2: *const D3D12DDIARG_BUFFER_PLACEMENT,
        D3d12ddiargPlacedResource2: D3D12DDIARG_PLACED_RESOURCE,
        pBox: *const D3D12DDI_BOX,
    ),
>;

/// The function `pfnResourceCopy` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_RESOURCECOPY = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        Dst: D3D12DDI_HRESOURCE,
        Src: D3D12DDI_HRESOURCE,
    ),
>;

/// The function `pfnCopyTiles` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_COPYTILES = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        hResource: D3D12DDI_HRESOURCE,
        pRegionStartCoord: *const D3D12DDI_TILED_RESOURCE_COORDINATE,
        pRegionSize: *const D3D12DDI_TILE_REGION_SIZE,
        hBuffer: D3D12DDI_HRESOURCE,
        BufferStartOffsetInBytes: UINT64,
        TileCopyFlags: D3D12DDI_TILE_COPY_FLAGS,
    ),
>;

/// The function `pfnCopyBufferRegion` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`], and of 3 more members. By-value
/// 16-byte structures.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_COPYBUFFERREGION_0003 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        Dst: D3D12DDIARG_BUFFER_PLACEMENT,
        Src: D3D12DDIARG_BUFFER_PLACEMENT,
        SrcBytes: UINT64,
    ),
>;

/// The function `pfnResourceResolveSubresource` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_RESOURCERESOLVESUBRESOURCE = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        Dst: D3D12DDI_HRESOURCE,
        DstSubresource: UINT,
        Src: D3D12DDI_HRESOURCE,
        SrcSubresource: UINT,
        Format: DXGI_FORMAT,
    ),
>;

/// The function `pfnExecuteBundle` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_EXECUTE_BUNDLE = Option<
    unsafe extern "system" fn(hCommandlist: D3D12DDI_HCOMMANDLIST, Bundle: D3D12DDI_HCOMMANDLIST),
>;

/// The function `pfnExecuteIndirect` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. By-value 16-byte structures.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_EXECUTE_INDIRECT = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        hCommandsignature: D3D12DDI_HCOMMANDSIGNATURE,
        MaxCommandCount: UINT,
        ArgumentBuffer: D3D12DDIARG_BUFFER_PLACEMENT,
        CountBuffer: D3D12DDIARG_BUFFER_PLACEMENT,
    ),
>;

/// The function `pfnResourceBarrier` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_RESOURCEBARRIER_0022 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        Count: UINT,
        pResourceBarrier: *const D3D12DDIARG_RESOURCE_BARRIER_0022,
    ),
>;

/// The function `pfnBlt` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_BLT = Option<
    unsafe extern "system" fn(hCommandlist: D3D12DDI_HCOMMANDLIST, pBlt: *const D3D12DDIARG_BLT),
>;

/// The function `pfnPresent` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_PRESENT_0051 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        hCommandqueue: D3D12DDI_HCOMMANDQUEUE,
        pPresent: *const D3D12DDIARG_PRESENT_0001,
        pPresent2: *mut D3D12DDI_PRESENT_0051,
        pPresentContexts: *mut D3D12DDI_PRESENT_CONTEXTS_0051,
        pPresentHwqueues: *mut D3D12DDI_PRESENT_HWQUEUES_0051,
    ),
>;

/// The function `pfnBeginQuery` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`], and of 3 more members. Type and index are
/// swapped against the unsuffixed PFN.
///
/// Source: bindings generated from the WDK 10.0.28000 header and the WDK reference pages.
pub type PFND3D12DDI_BEGIN_END_QUERY_0003 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        hQueryheap: D3D12DDI_HQUERYHEAP,
        QueryType: D3D12DDI_QUERY_TYPE,
        Index: UINT,
    ),
>;

/// The function `pfnResolveQueryData` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. D3D12CpuTimelineQueryResolution.md describes a different device-level
/// function of the same name.
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_RESOLVE_QUERY_DATA = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        hQueryheap: D3D12DDI_HQUERYHEAP,
        QueryType: D3D12DDI_QUERY_TYPE,
        StartElement: UINT,
        ElementCount: UINT,
        hDrvDestinationBuffer: D3D12DDI_HRESOURCE,
        DestinationOffset: UINT64,
    ),
>;

/// The function `pfnSetPredication` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SET_PREDICATION = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        hResource: D3D12DDI_HRESOURCE,
        Offset: UINT64,
        PredicationOp: D3D12DDI_PREDICATION_OP,
    ),
>;

/// The function `pfnIaSetTopology` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: D3D12RuntimeBypass.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_IA_SETTOPOLOGY_0003 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        PrimitiveTopology: D3D12DDI_PRIMITIVE_TOPOLOGY,
    ),
>;

/// The function `pfnRsSetViewports` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: D3D12RuntimeBypass.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_RS_SETVIEWPORTS_0003 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        Count: UINT,
        pViewport: *const D3D12DDI_VIEWPORT,
    ),
>;

/// The function `pfnRsSetScissorRects` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: D3D12RuntimeBypass.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_RS_SETSCISSORRECTS_0003 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        Count: UINT,
        pRect: *const D3D12DDI_RECT,
    ),
>;

/// The function `pfnOmSetBlendFactor` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: D3D12RuntimeBypass.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_OM_SETBLENDFACTOR =
    Option<unsafe extern "system" fn(hCommandlist: D3D12DDI_HCOMMANDLIST, Values: *const FLOAT)>;

/// The function `pfnOmSetStencilRef` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: D3D12RuntimeBypass.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_OM_SETSTENCILREF =
    Option<unsafe extern "system" fn(hCommandlist: D3D12DDI_HCOMMANDLIST, Value: UINT)>;

/// The function `pfnSetPipelineState` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: D3D12RuntimeBypass.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SET_PIPELINE_STATE = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        hPipelinestate: D3D12DDI_HPIPELINESTATE,
    ),
>;

/// The function `pfnSetDescriptorHeaps` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. ResourceBinding.md lists the pointer before the count: the header order is
/// the one given here.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SET_DESCRIPTOR_HEAPS_0003 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        NumDescriptorHeaps: UINT,
        pHdescriptorheap: *mut D3D12DDI_HDESCRIPTORHEAP,
    ),
>;

/// The functions `pfnSetComputeRootSignature` and `pfnSetGraphicsRootSignature` of
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: the WDK reference pages, ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SET_ROOT_SIGNATURE = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        hRootsignature: D3D12DDI_HROOTSIGNATURE,
    ),
>;

/// The functions `pfnSetComputeRootDescriptorTable` and `pfnSetGraphicsRootDescriptorTable` of
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SET_ROOT_DESCRIPTOR_TABLE = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        RootParameterIndex: UINT,
        BaseDescriptor: D3D12DDI_GPU_DESCRIPTOR_HANDLE,
    ),
>;

/// The functions `pfnSetComputeRoot32BitConstant` and `pfnSetGraphicsRoot32BitConstant` of
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SET_ROOT_32BIT_CONSTANT = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        RootParameterIndex: UINT,
        SrcData: UINT,
        DestOffsetIn32BitValues: UINT,
    ),
>;

/// The functions `pfnSetComputeRoot32BitConstants` and `pfnSetGraphicsRoot32BitConstants` of
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SET_ROOT_32BIT_CONSTANTS_0003 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        RootParameterIndex: UINT,
        Num32BitValuesToSet: UINT,
        pSrcData: *const c_void,
        DestOffsetIn32BitValues: UINT,
    ),
>;

/// The function `pfnSetComputeRootConstantBufferView` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`], and of 5 more
/// members. One type for CBV, SRV and UAV, compute and graphics.
///
/// Source: ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SET_ROOT_BUFFER_VIEW = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        RootParameterIndex: UINT,
        BufferLocation: D3D12DDI_GPU_VIRTUAL_ADDRESS,
    ),
>;

/// The function `pfnIASetIndexBuffer` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: D3D12RuntimeBypass.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_IA_SET_INDEX_BUFFER = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        pIndexBufferView: *const D3D12DDI_INDEX_BUFFER_VIEW,
    ),
>;

/// The function `pfnIASetVertexBuffers` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: D3D12RuntimeBypass.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_IA_SET_VERTEX_BUFFERS_0003 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        StartSlot: UINT,
        NumViews: UINT,
        pVertexBufferView: *const D3D12DDI_VERTEX_BUFFER_VIEW,
    ),
>;

/// The function `pfnSOSetTargets` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SO_SET_TARGETS_0003 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        StartSlot: UINT,
        NumViews: UINT,
        pStreamOutputBufferView: *const D3D12DDI_STREAM_OUTPUT_BUFFER_VIEW,
    ),
>;

/// The function `pfnOMSetRenderTargets` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: D3D12RuntimeBypass.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_OM_SET_RENDER_TARGETS_0003 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        NumRenderTargetDescriptors: UINT,
        pRenderTargetDescriptors: *const D3D12DDI_CPU_DESCRIPTOR_HANDLE,
        RTsSingleHandleToDescriptorRange: BOOL,
        pDepthStencilDescriptor: *const D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    ),
>;

/// The function `pfnSetMarker` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SET_MARKER =
    Option<unsafe extern "system" fn(hCommandlist: D3D12DDI_HCOMMANDLIST, UINT64: UINT64)>;

/// The function `pfnClearRootArguments` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CLEAR_ROOT_ARGUMENTS =
    Option<unsafe extern "system" fn(hCommandlist: D3D12DDI_HCOMMANDLIST)>;

/// The function `pfnOMSetDepthBounds` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: D3D12RuntimeBypass.md.
pub type PFND3D12DDI_OM_SETDEPTHBOUNDS_0025 =
    Option<unsafe extern "system" fn(hCommandlist: D3D12DDI_HCOMMANDLIST, Min: FLOAT, Max: FLOAT)>;

/// The function `pfnSetSamplePositions` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: ProgrammableSamplePositions.md.
pub type PFND3D12DDI_SETSAMPLEPOSITIONS_0027 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        NumSamplesPerPixel: UINT,
        NumPixels: UINT,
        pSamplePosition: *mut D3D12DDI_SAMPLE_POSITION,
    ),
>;

/// The function `pfnResourceResolveSubresourceRegion` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`]. ProgrammableSamplePositions.md has no destination sub-resource parameter,
/// the API method has one: do not call or implement beyond a stub.
///
/// Source: ProgrammableSamplePositions.md.
pub type PFND3D12DDI_RESOURCERESOLVESUBRESOURCEREGION_0027 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        DstResource: D3D12DDI_HRESOURCE,
        DstSubresource: UINT,
        DstX: UINT,
        DstY: UINT,
        SrcResource: D3D12DDI_HRESOURCE,
        SrcSubresource: UINT,
        pSrcRect: *mut D3D12DDI_RECT,
        Format: DXGI_FORMAT,
        ResolveMode: D3D12DDI_RESOLVE_MODE,
    ),
>;

/// The function `pfnSetProtectedResourceSession` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: ProtectedResources.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SETPROTECTEDRESOURCESESSION_0030 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        hProtectedresourcesession: D3D12DDI_HPROTECTEDRESOURCESESSION_0030,
    ),
>;

/// The function `pfnWriteBufferImmediate` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_WRITEBUFFERIMMEDIATE_0032 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        Count: UINT,
        pParams: *const D3D12DDI_WRITEBUFFERIMMEDIATE_PARAMETER_0032,
        pModes: *const D3D12DDI_WRITEBUFFERIMMEDIATE_MODE_0032,
    ),
>;

/// The function `pfnSetViewInstanceMask` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: D3D12RuntimeBypass.md and the WDK reference pages.
pub type PFND3D12DDI_SETVIEWINSTANCEMASK_0033 =
    Option<unsafe extern "system" fn(hCommandlist: D3D12DDI_HCOMMANDLIST, Mask: UINT)>;

/// The function `pfnInitializeMetaCommand` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_INITIALIZE_META_COMMAND_0052 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        hMetacommand: D3D12DDI_HMETACOMMAND_0052,
        pVoid: *const c_void,
        Size: SIZE_T,
    ),
>;

/// The function `pfnExecuteMetaCommand` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_EXECUTE_META_COMMAND_0052 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        hMetacommand: D3D12DDI_HMETACOMMAND_0052,
        pVoid: *const c_void,
        Size: SIZE_T,
    ),
>;

/// The function `pfnBuildRaytracingAccelerationStructure` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0054 = Option<unsafe extern "system" fn(hCommandlist: D3D12DDI_HCOMMANDLIST, pBuildRaytracingAccelerationStructure: *const D3D12DDIARG_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0054)>;

/// The function `pfnEmitRaytracingAccelerationStructurePostbuildInfo` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0054 = Option<unsafe extern "system" fn(hCommandlist: D3D12DDI_HCOMMANDLIST, pEmitRaytracingAccelerationStructurePostbuildInfo: *const D3D12DDIARG_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0054)>;

/// The function `pfnCopyRaytracingAccelerationStructure` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0054 = Option<unsafe extern "system" fn(hCommandlist: D3D12DDI_HCOMMANDLIST, pCopyRaytracingAccelerationStructure: *const D3D12DDIARG_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0054)>;

/// The function `pfnSetPipelineState1` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_SET_PIPELINE_STATE1_0054 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        hStateobject: D3D12DDI_HSTATEOBJECT_0054,
    ),
>;

/// The function `pfnDispatchRays` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_DISPATCH_RAYS_0054 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        pDispatchRays: *const D3D12DDIARG_DISPATCH_RAYS_0054,
    ),
>;

/// The function `pfnRSSetShadingRate` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`]. Combiner array of 2, may be null.
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_RS_SET_SHADING_RATE_0062 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        ShadingRate: D3D12DDI_SHADING_RATE_0062,
        Combiners: *const D3D12DDI_SHADING_RATE_COMBINER_0062,
    ),
>;

/// The function `pfnRSSetShadingRateImage` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and
/// [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_RS_SET_SHADING_RATE_IMAGE_0062 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        hShadingRateImage: D3D12DDI_HRESOURCE,
    ),
>;

/// The function `pfnDispatchMesh` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_DISPATCH_MESH_0074 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        Value: UINT,
        Value2: UINT,
        Value3: UINT,
    ),
>;

/// The function `pfnBarrier` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`] and [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`].
///
/// Source: D3D12EnhancedBarriers.md.
pub type PFND3D12DDI_BARRIER_0094 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        NumBarriers: UINT32,
        pBarriers: *const D3D12DDIARG_BARRIER_0094,
    ),
>;

/// VulkanOn12.md says the slot is kept and never called: fill it with a stub. Its parameters are in no public text.
///
/// Source: VulkanOn12.md.
pub type PFND3D12DDI_OM_SETALPHABLENDFACTOR_0092 = PFND3D12DDI_UNKNOWN;

/// The function `pfnOmSetFrontAndBackStencilRef` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: VulkanOn12.md.
pub type PFND3D12DDI_OM_SETFRONTANDBACKSTENCILREF_0095 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        FrontStencilRef: UINT,
        BackStencilRef: UINT,
    ),
>;

/// The function `pfnRSSetDepthBias` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: VulkanOn12.md.
pub type PFND3D12DDI_SET_DEPTH_BIAS_STATE_0099 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        DepthBias: FLOAT,
        DepthBiasClamp: FLOAT,
        SlopeScaledDepthBias: FLOAT,
    ),
>;

/// The function `pfnIASetIndexBufferStripCutValue` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: VulkanOn12.md.
pub type PFND3D12DDI_SET_INDEX_BUFFER_STRIP_CUT_VALUE_0099 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        IndexBufferStripCutValue: D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE,
    ),
>;

/// The function `pfnSetProgram` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: WorkGraphs.md.
pub type PFND3D12DDI_SET_PROGRAM_0108 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        pSetProgramDesc: *const D3D12DDI_SET_PROGRAM_DESC_0108,
    ),
>;

/// The function `pfnDispatchGraph` of [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0108`].
///
/// Source: WorkGraphs.md.
pub type PFND3D12DDI_DISPATCH_GRAPH_0108 = Option<
    unsafe extern "system" fn(
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        pDispatchGraphDesc: *const D3D12DDI_DISPATCH_GRAPH_DESC_0108,
    ),
>;

/// The command list table of DDI 0108 to 0113.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_COMMAND_LIST_FUNCS_3D_0108 {
    /// Slot 0. x64 offset 0, x86 offset 0.
    pub pfnCloseCommandList: PFND3D12DDI_CLOSECOMMANDLIST,
    /// Slot 1. x64 offset 8, x86 offset 4.
    pub pfnResetCommandList: PFND3D12DDI_RESETCOMMANDLIST_0040,
    /// Slot 2. x64 offset 16, x86 offset 8.
    pub pfnDrawInstanced: PFND3D12DDI_DRAWINSTANCED,
    /// Slot 3. x64 offset 24, x86 offset 12.
    pub pfnDrawIndexedInstanced: PFND3D12DDI_DRAWINDEXEDINSTANCED,
    /// Slot 4. x64 offset 32, x86 offset 16.
    pub pfnDispatch: PFND3D12DDI_DISPATCH,
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
    pub pfnIaSetTopology: PFND3D12DDI_IA_SETTOPOLOGY_0003,
    /// Slot 25. x64 offset 200, x86 offset 100.
    pub pfnRsSetViewports: PFND3D12DDI_RS_SETVIEWPORTS_0003,
    /// Slot 26. x64 offset 208, x86 offset 104.
    pub pfnRsSetScissorRects: PFND3D12DDI_RS_SETSCISSORRECTS_0003,
    /// Slot 27. x64 offset 216, x86 offset 108.
    pub pfnOmSetBlendFactor: PFND3D12DDI_OM_SETBLENDFACTOR,
    /// Slot 28. x64 offset 224, x86 offset 112.
    pub pfnOmSetStencilRef: PFND3D12DDI_OM_SETSTENCILREF,
    /// Slot 29. x64 offset 232, x86 offset 116.
    pub pfnSetPipelineState: PFND3D12DDI_SET_PIPELINE_STATE,
    /// Slot 30. x64 offset 240, x86 offset 120.
    pub pfnSetDescriptorHeaps: PFND3D12DDI_SET_DESCRIPTOR_HEAPS_0003,
    /// Slot 31. x64 offset 248, x86 offset 124.
    pub pfnSetComputeRootSignature: PFND3D12DDI_SET_ROOT_SIGNATURE,
    /// Slot 32. x64 offset 256, x86 offset 128.
    pub pfnSetGraphicsRootSignature: PFND3D12DDI_SET_ROOT_SIGNATURE,
    /// Slot 33. x64 offset 264, x86 offset 132.
    pub pfnSetComputeRootDescriptorTable: PFND3D12DDI_SET_ROOT_DESCRIPTOR_TABLE,
    /// Slot 34. x64 offset 272, x86 offset 136.
    pub pfnSetGraphicsRootDescriptorTable: PFND3D12DDI_SET_ROOT_DESCRIPTOR_TABLE,
    /// Slot 35. x64 offset 280, x86 offset 140.
    pub pfnSetComputeRoot32BitConstant: PFND3D12DDI_SET_ROOT_32BIT_CONSTANT,
    /// Slot 36. x64 offset 288, x86 offset 144.
    pub pfnSetGraphicsRoot32BitConstant: PFND3D12DDI_SET_ROOT_32BIT_CONSTANT,
    /// Slot 37. x64 offset 296, x86 offset 148.
    pub pfnSetComputeRoot32BitConstants: PFND3D12DDI_SET_ROOT_32BIT_CONSTANTS_0003,
    /// Slot 38. x64 offset 304, x86 offset 152.
    pub pfnSetGraphicsRoot32BitConstants: PFND3D12DDI_SET_ROOT_32BIT_CONSTANTS_0003,
    /// Slot 39. x64 offset 312, x86 offset 156.
    pub pfnSetComputeRootConstantBufferView: PFND3D12DDI_SET_ROOT_BUFFER_VIEW,
    /// Slot 40. x64 offset 320, x86 offset 160.
    pub pfnSetGraphicsRootConstantBufferView: PFND3D12DDI_SET_ROOT_BUFFER_VIEW,
    /// Slot 41. x64 offset 328, x86 offset 164.
    pub pfnSetComputeRootShaderResourceView: PFND3D12DDI_SET_ROOT_BUFFER_VIEW,
    /// Slot 42. x64 offset 336, x86 offset 168.
    pub pfnSetGraphicsRootShaderResourceView: PFND3D12DDI_SET_ROOT_BUFFER_VIEW,
    /// Slot 43. x64 offset 344, x86 offset 172.
    pub pfnSetComputeRootUnorderedAccessView: PFND3D12DDI_SET_ROOT_BUFFER_VIEW,
    /// Slot 44. x64 offset 352, x86 offset 176.
    pub pfnSetGraphicsRootUnorderedAccessView: PFND3D12DDI_SET_ROOT_BUFFER_VIEW,
    /// Slot 45. x64 offset 360, x86 offset 180.
    pub pfnIASetIndexBuffer: PFND3D12DDI_IA_SET_INDEX_BUFFER,
    /// Slot 46. x64 offset 368, x86 offset 184.
    pub pfnIASetVertexBuffers: PFND3D12DDI_IA_SET_VERTEX_BUFFERS_0003,
    /// Slot 47. x64 offset 376, x86 offset 188.
    pub pfnSOSetTargets: PFND3D12DDI_SO_SET_TARGETS_0003,
    /// Slot 48. x64 offset 384, x86 offset 192.
    pub pfnOMSetRenderTargets: PFND3D12DDI_OM_SET_RENDER_TARGETS_0003,
    /// Slot 49. x64 offset 392, x86 offset 196.
    pub pfnSetMarker: PFND3D12DDI_SET_MARKER,
    /// Slot 50. x64 offset 400, x86 offset 200.
    pub pfnClearRootArguments: PFND3D12DDI_CLEAR_ROOT_ARGUMENTS,
    /// Slot 51. x64 offset 408, x86 offset 204.
    pub pfnAtomicCopyBufferRegion: PFND3D12DDI_COPYBUFFERREGION_0003,
    /// Slot 52. x64 offset 416, x86 offset 208.
    pub pfnOMSetDepthBounds: PFND3D12DDI_OM_SETDEPTHBOUNDS_0025,
    /// Slot 53. x64 offset 424, x86 offset 212.
    pub pfnSetSamplePositions: PFND3D12DDI_SETSAMPLEPOSITIONS_0027,
    /// Slot 54. x64 offset 432, x86 offset 216.
    pub pfnResourceResolveSubresourceRegion: PFND3D12DDI_RESOURCERESOLVESUBRESOURCEREGION_0027,
    /// Slot 55. x64 offset 440, x86 offset 220.
    pub pfnSetProtectedResourceSession: PFND3D12DDI_SETPROTECTEDRESOURCESESSION_0030,
    /// Slot 56. x64 offset 448, x86 offset 224.
    pub pfnWriteBufferImmediate: PFND3D12DDI_WRITEBUFFERIMMEDIATE_0032,
    /// Slot 57. x64 offset 456, x86 offset 228.
    pub pfnSetViewInstanceMask: PFND3D12DDI_SETVIEWINSTANCEMASK_0033,
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
    pub pfnSetPipelineState1: PFND3D12DDI_SET_PIPELINE_STATE1_0054,
    /// Slot 64. x64 offset 512, x86 offset 256.
    pub pfnDispatchRays: PFND3D12DDI_DISPATCH_RAYS_0054,
    /// Slot 65. x64 offset 520, x86 offset 260.
    pub pfnRSSetShadingRate: PFND3D12DDI_RS_SET_SHADING_RATE_0062,
    /// Slot 66. x64 offset 528, x86 offset 264.
    pub pfnRSSetShadingRateImage: PFND3D12DDI_RS_SET_SHADING_RATE_IMAGE_0062,
    /// Slot 67. x64 offset 536, x86 offset 268.
    pub pfnDispatchMesh: PFND3D12DDI_DISPATCH_MESH_0074,
    /// Slot 68. x64 offset 544, x86 offset 272.
    pub pfnBarrier: PFND3D12DDI_BARRIER_0094,
    /// Slot 69. x64 offset 552, x86 offset 276.
    pub pfnOmSetAlphaBlendFactor: PFND3D12DDI_OM_SETALPHABLENDFACTOR_0092,
    /// Slot 70. x64 offset 560, x86 offset 280.
    pub pfnOmSetFrontAndBackStencilRef: PFND3D12DDI_OM_SETFRONTANDBACKSTENCILREF_0095,
    /// Slot 71. x64 offset 568, x86 offset 284.
    pub pfnRSSetDepthBias: PFND3D12DDI_SET_DEPTH_BIAS_STATE_0099,
    /// Slot 72. x64 offset 576, x86 offset 288.
    pub pfnIASetIndexBufferStripCutValue: PFND3D12DDI_SET_INDEX_BUFFER_STRIP_CUT_VALUE_0099,
    /// Slot 73. x64 offset 584, x86 offset 292.
    pub pfnSetProgram: PFND3D12DDI_SET_PROGRAM_0108,
    /// Slot 74. x64 offset 592, x86 offset 296.
    pub pfnDispatchGraph: PFND3D12DDI_DISPATCH_GRAPH_0108,
}

ddi_enum! {
    /// The enumeration that [`PFND3D12DDI_IA_SETTOPOLOGY_0114`] and [`PFND3D12DDI_IA_SETTOPOLOGY_0003`] take as
    /// `PrimitiveTopology`.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_PRIMITIVE_TOPOLOGY {
        /// Value 0.
        D3D12DDI_PRIMITIVE_TOPOLOGY_UNDEFINED = 0,
        /// Value 1.
        D3D12DDI_PRIMITIVE_TOPOLOGY_POINTLIST = 1,
        /// Value 2.
        D3D12DDI_PRIMITIVE_TOPOLOGY_LINELIST = 2,
        /// Value 3.
        D3D12DDI_PRIMITIVE_TOPOLOGY_LINESTRIP = 3,
        /// Value 4.
        D3D12DDI_PRIMITIVE_TOPOLOGY_TRIANGLELIST = 4,
        /// Value 5.
        D3D12DDI_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP = 5,
        /// Value 6.
        D3D12DDI_PRIMITIVE_TOPOLOGY_TRIANGLEFAN = 6,
        /// Value 10.
        D3D12DDI_PRIMITIVE_TOPOLOGY_LINELIST_ADJ = 10,
        /// Value 11.
        D3D12DDI_PRIMITIVE_TOPOLOGY_LINESTRIP_ADJ = 11,
        /// Value 12.
        D3D12DDI_PRIMITIVE_TOPOLOGY_TRIANGLELIST_ADJ = 12,
        /// Value 13.
        D3D12DDI_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP_ADJ = 13,
        /// Value 33.
        D3D12DDI_PRIMITIVE_TOPOLOGY_1_CONTROL_POINT_PATCHLIST = 33,
        /// Value 34.
        D3D12DDI_PRIMITIVE_TOPOLOGY_2_CONTROL_POINT_PATCHLIST = 34,
        /// Value 35.
        D3D12DDI_PRIMITIVE_TOPOLOGY_3_CONTROL_POINT_PATCHLIST = 35,
        /// Value 36.
        D3D12DDI_PRIMITIVE_TOPOLOGY_4_CONTROL_POINT_PATCHLIST = 36,
        /// Value 37.
        D3D12DDI_PRIMITIVE_TOPOLOGY_5_CONTROL_POINT_PATCHLIST = 37,
        /// Value 38.
        D3D12DDI_PRIMITIVE_TOPOLOGY_6_CONTROL_POINT_PATCHLIST = 38,
        /// Value 39.
        D3D12DDI_PRIMITIVE_TOPOLOGY_7_CONTROL_POINT_PATCHLIST = 39,
        /// Value 40.
        D3D12DDI_PRIMITIVE_TOPOLOGY_8_CONTROL_POINT_PATCHLIST = 40,
        /// Value 41.
        D3D12DDI_PRIMITIVE_TOPOLOGY_9_CONTROL_POINT_PATCHLIST = 41,
        /// Value 42.
        D3D12DDI_PRIMITIVE_TOPOLOGY_10_CONTROL_POINT_PATCHLIST = 42,
        /// Value 43.
        D3D12DDI_PRIMITIVE_TOPOLOGY_11_CONTROL_POINT_PATCHLIST = 43,
        /// Value 44.
        D3D12DDI_PRIMITIVE_TOPOLOGY_12_CONTROL_POINT_PATCHLIST = 44,
        /// Value 45.
        D3D12DDI_PRIMITIVE_TOPOLOGY_13_CONTROL_POINT_PATCHLIST = 45,
        /// Value 46.
        D3D12DDI_PRIMITIVE_TOPOLOGY_14_CONTROL_POINT_PATCHLIST = 46,
        /// Value 47.
        D3D12DDI_PRIMITIVE_TOPOLOGY_15_CONTROL_POINT_PATCHLIST = 47,
        /// Value 48.
        D3D12DDI_PRIMITIVE_TOPOLOGY_16_CONTROL_POINT_PATCHLIST = 48,
        /// Value 49.
        D3D12DDI_PRIMITIVE_TOPOLOGY_17_CONTROL_POINT_PATCHLIST = 49,
        /// Value 50.
        D3D12DDI_PRIMITIVE_TOPOLOGY_18_CONTROL_POINT_PATCHLIST = 50,
        /// Value 51.
        D3D12DDI_PRIMITIVE_TOPOLOGY_19_CONTROL_POINT_PATCHLIST = 51,
        /// Value 52.
        D3D12DDI_PRIMITIVE_TOPOLOGY_20_CONTROL_POINT_PATCHLIST = 52,
        /// Value 53.
        D3D12DDI_PRIMITIVE_TOPOLOGY_21_CONTROL_POINT_PATCHLIST = 53,
        /// Value 54.
        D3D12DDI_PRIMITIVE_TOPOLOGY_22_CONTROL_POINT_PATCHLIST = 54,
        /// Value 55.
        D3D12DDI_PRIMITIVE_TOPOLOGY_23_CONTROL_POINT_PATCHLIST = 55,
        /// Value 56.
        D3D12DDI_PRIMITIVE_TOPOLOGY_24_CONTROL_POINT_PATCHLIST = 56,
        /// Value 57.
        D3D12DDI_PRIMITIVE_TOPOLOGY_25_CONTROL_POINT_PATCHLIST = 57,
        /// Value 58.
        D3D12DDI_PRIMITIVE_TOPOLOGY_26_CONTROL_POINT_PATCHLIST = 58,
        /// Value 59.
        D3D12DDI_PRIMITIVE_TOPOLOGY_27_CONTROL_POINT_PATCHLIST = 59,
        /// Value 60.
        D3D12DDI_PRIMITIVE_TOPOLOGY_28_CONTROL_POINT_PATCHLIST = 60,
        /// Value 61.
        D3D12DDI_PRIMITIVE_TOPOLOGY_29_CONTROL_POINT_PATCHLIST = 61,
        /// Value 62.
        D3D12DDI_PRIMITIVE_TOPOLOGY_30_CONTROL_POINT_PATCHLIST = 62,
        /// Value 63.
        D3D12DDI_PRIMITIVE_TOPOLOGY_31_CONTROL_POINT_PATCHLIST = 63,
        /// Value 64.
        D3D12DDI_PRIMITIVE_TOPOLOGY_32_CONTROL_POINT_PATCHLIST = 64,
    }
}

ddi_enum! {
    /// The enumeration that [`PFND3D12DDI_RS_SET_SHADING_RATE_0114`] and [`PFND3D12DDI_RS_SET_SHADING_RATE_0062`] take
    /// as `ShadingRate`.
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_SHADING_RATE_0062 {
        /// Value 0.
        D3D12DDI_SHADING_RATE_0062_1X1 = 0,
        /// Value 1.
        D3D12DDI_SHADING_RATE_0062_1X2 = 1,
        /// Value 4.
        D3D12DDI_SHADING_RATE_0062_2X1 = 4,
        /// Value 5.
        D3D12DDI_SHADING_RATE_0062_2X2 = 5,
        /// Value 6.
        D3D12DDI_SHADING_RATE_0062_2X4 = 6,
        /// Value 9.
        D3D12DDI_SHADING_RATE_0062_4X2 = 9,
        /// Value 10.
        D3D12DDI_SHADING_RATE_0062_4X4 = 10,
    }
}

ddi_enum! {
    /// The enumeration that [`PFND3D12DDI_RS_SET_SHADING_RATE_0114`] and [`PFND3D12DDI_RS_SET_SHADING_RATE_0062`] take
    /// as `Combiners`.
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_SHADING_RATE_COMBINER_0062 {
        /// Value 0.
        D3D12DDI_SHADING_RATE_COMBINER_0062_PASSTHROUGH = 0,
        /// Value 1.
        D3D12DDI_SHADING_RATE_COMBINER_0062_OVERRIDE = 1,
        /// Value 2.
        D3D12DDI_SHADING_RATE_COMBINER_0062_MIN = 2,
        /// Value 3.
        D3D12DDI_SHADING_RATE_COMBINER_0062_MAX = 3,
        /// Value 4.
        D3D12DDI_SHADING_RATE_COMBINER_0062_SUM = 4,
    }
}

ddi_enum! {
    /// The enumeration that [`PFND3D12DDI_RESOURCERESOLVESUBRESOURCEREGION_0027`] takes as `ResolveMode`.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_RESOLVE_MODE {
        /// Value 0.
        D3D12DDI_RESOLVE_MODE_DECOMPRESS = 0,
        /// Value 1.
        D3D12DDI_RESOLVE_MODE_MIN = 1,
        /// Value 2.
        D3D12DDI_RESOLVE_MODE_MAX = 2,
        /// Value 3.
        D3D12DDI_RESOLVE_MODE_AVERAGE = 3,
        /// Value 4.
        D3D12DDI_RESOLVE_MODE_ENCODE_SAMPLER_FEEDBACK_0073 = 4,
        /// Value 5.
        D3D12DDI_RESOLVE_MODE_DECODE_SAMPLER_FEEDBACK_0073 = 5,
    }
}

ddi_enum! {
    /// The enumeration that [`PFND3D12DDI_WRITEBUFFERIMMEDIATE_0032`] takes as `pModes`.
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_WRITEBUFFERIMMEDIATE_MODE_0032 {
        /// Value 0.
        D3D12DDI_WRITEBUFFERIMMEDIATE_MODE_DEFAULT = 0,
        /// Value 1.
        D3D12DDI_WRITEBUFFERIMMEDIATE_MODE_MARKER_IN = 1,
        /// Value 2.
        D3D12DDI_WRITEBUFFERIMMEDIATE_MODE_MARKER_OUT = 2,
    }
}

ddi_enum! {
    /// The enumeration of `Type` in [`D3D12DDIARG_BARRIER_0094`].
    ///
    /// Source: D3D12EnhancedBarriers.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_BARRIER_TYPE {
        /// Value 0.
        D3D12DDI_BARRIER_TYPE_GLOBAL = 0,
        /// Value 1.
        D3D12DDI_BARRIER_TYPE_TEXTURE = 1,
        /// Value 2.
        D3D12DDI_BARRIER_TYPE_BUFFER = 2,
        /// Value 3.
        D3D12DDI_BARRIER_TYPE_RANGED = 3,
    }
}

ddi_enum! {
    /// The enumeration of members of [`D3D12DDI_GLOBAL_BARRIER_0088`], [`D3D12DDI_TEXTURE_BARRIER_0088`] and
    /// [`D3D12DDI_BUFFER_BARRIER_0088`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_BARRIER_SYNC {
        /// Value 0.
        D3D12DDI_BARRIER_SYNC_NONE = 0,
        /// Value 1.
        D3D12DDI_BARRIER_SYNC_ALL = 1,
        /// Value 2.
        D3D12DDI_BARRIER_SYNC_DRAW = 2,
        /// Value 4.
        D3D12DDI_BARRIER_SYNC_INPUT_ASSEMBLER = 4,
        /// Value 4.
        D3D12DDI_BARRIER_SYNC_INDEX_INPUT = 4,
        /// Value 8.
        D3D12DDI_BARRIER_SYNC_VERTEX_SHADING = 8,
        /// Value 16.
        D3D12DDI_BARRIER_SYNC_PIXEL_SHADING = 16,
        /// Value 32.
        D3D12DDI_BARRIER_SYNC_DEPTH_STENCIL = 32,
        /// Value 64.
        D3D12DDI_BARRIER_SYNC_RENDER_TARGET = 64,
        /// Value 128.
        D3D12DDI_BARRIER_SYNC_COMPUTE_SHADING = 128,
        /// Value 256.
        D3D12DDI_BARRIER_SYNC_RAYTRACING = 256,
        /// Value 512.
        D3D12DDI_BARRIER_SYNC_COPY = 512,
        /// Value 1024.
        D3D12DDI_BARRIER_SYNC_RESOLVE = 1024,
        /// Value 2048.
        D3D12DDI_BARRIER_SYNC_EXECUTE_INDIRECT = 2048,
        /// Value 2048.
        D3D12DDI_BARRIER_SYNC_PREDICATION = 2048,
        /// Value 4096.
        D3D12DDI_BARRIER_SYNC_ALL_SHADING = 4096,
        /// Value 8192.
        D3D12DDI_BARRIER_SYNC_NON_PIXEL_SHADING = 8192,
        /// Value 16384.
        D3D12DDI_BARRIER_SYNC_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO = 16384,
        /// Value 32768.
        D3D12DDI_BARRIER_SYNC_CLEAR_UNORDERED_ACCESS_VIEW = 32768,
        /// Value 1048576.
        D3D12DDI_BARRIER_SYNC_VIDEO_DECODE = 0x0010_0000,
        /// Value 2097152.
        D3D12DDI_BARRIER_SYNC_VIDEO_PROCESS = 0x0020_0000,
        /// Value 4194304.
        D3D12DDI_BARRIER_SYNC_VIDEO_ENCODE = 0x0040_0000,
        /// Value 8388608.
        D3D12DDI_BARRIER_SYNC_BUILD_RAYTRACING_ACCELERATION_STRUCTURE = 0x0080_0000,
        /// Value 16777216.
        D3D12DDI_BARRIER_SYNC_COPY_RAYTRACING_ACCELERATION_STRUCTURE = 0x0100_0000,
        /// Value -2147483648.
        D3D12DDI_BARRIER_SYNC_SPLIT = -2_147_483_648,
    }
}

ddi_enum! {
    /// The enumeration of members of [`D3D12DDI_GLOBAL_BARRIER_0088`], [`D3D12DDI_TEXTURE_BARRIER_0088`] and
    /// [`D3D12DDI_BUFFER_BARRIER_0088`].
    ///
    /// Source: D3D12EnhancedBarriers.md and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_BARRIER_ACCESS {
        /// Value 0.
        D3D12DDI_BARRIER_ACCESS_COMMON = 0,
        /// Value 1.
        D3D12DDI_BARRIER_ACCESS_VERTEX_BUFFER = 1,
        /// Value 2.
        D3D12DDI_BARRIER_ACCESS_CONSTANT_BUFFER = 2,
        /// Value 4.
        D3D12DDI_BARRIER_ACCESS_INDEX_BUFFER = 4,
        /// Value 8.
        D3D12DDI_BARRIER_ACCESS_RENDER_TARGET = 8,
        /// Value 16.
        D3D12DDI_BARRIER_ACCESS_UNORDERED_ACCESS = 16,
        /// Value 32.
        D3D12DDI_BARRIER_ACCESS_DEPTH_STENCIL_WRITE = 32,
        /// Value 64.
        D3D12DDI_BARRIER_ACCESS_DEPTH_STENCIL_READ = 64,
        /// Value 128.
        D3D12DDI_BARRIER_ACCESS_SHADER_RESOURCE = 128,
        /// Value 256.
        D3D12DDI_BARRIER_ACCESS_STREAM_OUTPUT = 256,
        /// Value 512.
        D3D12DDI_BARRIER_ACCESS_INDIRECT_ARGUMENT = 512,
        /// Value 512.
        D3D12DDI_BARRIER_ACCESS_PREDICATION = 512,
        /// Value 1024.
        D3D12DDI_BARRIER_ACCESS_COPY_DEST = 1024,
        /// Value 2048.
        D3D12DDI_BARRIER_ACCESS_COPY_SOURCE = 2048,
        /// Value 4096.
        D3D12DDI_BARRIER_ACCESS_RESOLVE_DEST = 4096,
        /// Value 8192.
        D3D12DDI_BARRIER_ACCESS_RESOLVE_SOURCE = 8192,
        /// Value 16384.
        D3D12DDI_BARRIER_ACCESS_RAYTRACING_ACCELERATION_STRUCTURE_READ = 16384,
        /// Value 32768.
        D3D12DDI_BARRIER_ACCESS_RAYTRACING_ACCELERATION_STRUCTURE_WRITE = 32768,
        /// Value 65536.
        D3D12DDI_BARRIER_ACCESS_SHADING_RATE_SOURCE = 0x0001_0000,
        /// Value 131072.
        D3D12DDI_BARRIER_ACCESS_VIDEO_DECODE_READ = 0x0002_0000,
        /// Value 262144.
        D3D12DDI_BARRIER_ACCESS_VIDEO_DECODE_WRITE = 0x0004_0000,
        /// Value 524288.
        D3D12DDI_BARRIER_ACCESS_VIDEO_PROCESS_READ = 0x0008_0000,
        /// Value 1048576.
        D3D12DDI_BARRIER_ACCESS_VIDEO_PROCESS_WRITE = 0x0010_0000,
        /// Value 2097152.
        D3D12DDI_BARRIER_ACCESS_VIDEO_ENCODE_READ = 0x0020_0000,
        /// Value 4194304.
        D3D12DDI_BARRIER_ACCESS_VIDEO_ENCODE_WRITE = 0x0040_0000,
        /// Value -2147483648.
        D3D12DDI_BARRIER_ACCESS_NO_ACCESS = -2_147_483_648,
    }
}

ddi_enum! {
    /// The enumeration of `Type` in [`D3D12DDIARG_RESOURCE_BARRIER_0022`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_RESOURCE_BARRIER_TYPE {
        /// Value 0.
        D3D12DDI_RESOURCE_BARRIER_TYPE_TRANSITION = 0,
        /// Value 1.
        D3D12DDI_RESOURCE_BARRIER_TYPE_ALIASING = 1,
        /// Value 2.
        D3D12DDI_RESOURCE_BARRIER_TYPE_UAV = 2,
        /// Value 3.
        D3D12DDI_RESOURCE_BARRIER_TYPE_0022_RANGED = 3,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDIARG_RESOURCE_BARRIER_0022`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_RESOURCE_BARRIER_FLAGS {
        /// Value 0.
        D3D12DDI_RESOURCE_BARRIER_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_RESOURCE_BARRIER_FLAG_BEGIN_ONLY = 1,
        /// Value 2.
        D3D12DDI_RESOURCE_BARRIER_FLAG_END_ONLY = 2,
        /// Value 4.
        D3D12DDI_RESOURCE_BARRIER_FLAG_0022_ATOMIC_COPY = 4,
        /// Value 8.
        D3D12DDI_RESOURCE_BARRIER_FLAG_0022_ALIASING = 8,
    }
}

ddi_enum! {
    /// The enumeration of `Type` in [`D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_RAYTRACING_GEOMETRY_TYPE {
        /// Value 0.
        D3D12DDI_RAYTRACING_GEOMETRY_TYPE_TRIANGLES = 0,
        /// Value 1.
        D3D12DDI_RAYTRACING_GEOMETRY_TYPE_PROCEDURAL_PRIMITIVE_AABBS = 1,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_RAYTRACING_GEOMETRY_FLAGS {
        /// Value 0.
        D3D12DDI_RAYTRACING_GEOMETRY_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_RAYTRACING_GEOMETRY_FLAG_OPAQUE = 1,
        /// Value 2.
        D3D12DDI_RAYTRACING_GEOMETRY_FLAG_NO_DUPLICATE_ANYHIT_INVOCATION = 2,
    }
}

ddi_flags! {
    /// The enumeration `D3D12DDI_RAYTRACING_INSTANCE_FLAGS`.
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_RAYTRACING_INSTANCE_FLAGS {
        /// Value 0.
        D3D12DDI_RAYTRACING_INSTANCE_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_RAYTRACING_INSTANCE_FLAG_TRIANGLE_CULL_DISABLE = 1,
        /// Value 2.
        D3D12DDI_RAYTRACING_INSTANCE_FLAG_TRIANGLE_FRONT_COUNTERCLOCKWISE = 2,
        /// Value 4.
        D3D12DDI_RAYTRACING_INSTANCE_FLAG_FORCE_OPAQUE = 4,
        /// Value 8.
        D3D12DDI_RAYTRACING_INSTANCE_FLAG_FORCE_NON_OPAQUE = 8,
    }
}

ddi_enum! {
    /// The enumeration of `Type` in [`D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054`].
    ///
    /// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from
    /// the WDK 10.0.28000 header.
    pub enum D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_TYPE {
        /// Value 0.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL = 0,
        /// Value 1.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL = 1,
        /// Value 2. 28000 header.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_ARRAY_0110 = 2,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054`].
    ///
    /// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from
    /// the WDK 10.0.28000 header.
    pub enum D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS {
        /// Value 0.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_UPDATE = 1,
        /// Value 2.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_COMPACTION = 2,
        /// Value 4.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_PREFER_FAST_TRACE = 4,
        /// Value 8.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_PREFER_FAST_BUILD = 8,
        /// Value 16.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_MINIMIZE_MEMORY = 16,
        /// Value 32.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_PERFORM_UPDATE = 32,
        /// Value 64. 28000 header.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_OMM_UPDATE_0110 = 64,
        /// Value 128. 28000 header.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_DISABLE_OMMS_0110 = 128,
        /// Value 256. 28000 header.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_DATA_ACCESS_0110 = 256,
    }
}

ddi_enum! {
    /// The enumeration of `Mode` in [`D3D12DDIARG_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0054`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE {
        /// Value 0.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_CLONE = 0,
        /// Value 1.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_COMPACT = 1,
        /// Value 2.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_VISUALIZATION_DECODE_FOR_TOOLS = 2,
        /// Value 3.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_SERIALIZE = 3,
        /// Value 4.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_DESERIALIZE = 4,
    }
}

ddi_enum! {
    /// The enumeration of `InfoType` in [`D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC_0054`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE {
        /// Value 0.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_COMPACTED_SIZE = 0,
        /// Value 1.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TOOLS_VISUALIZATION = 1,
        /// Value 2.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_SERIALIZATION = 2,
        /// Value 3.
        D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_CURRENT_SIZE = 3,
    }
}
