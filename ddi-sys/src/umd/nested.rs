//! Structures and enumerations inside those of the other modules.

use bytemuck::Zeroable;

use crate::*;

/// The structure of members of [`D3D12DDI_SET_WORK_GRAPH_DESC_0108`] and [`D3D12DDIARG_DISPATCH_RAYS_0054`].
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE {
    /// x64 offset 0, x86 offset 0.
    pub StartAddress: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub SizeInBytes: UINT64,
    /// x64 offset 16, x86 offset 16.
    pub StrideInBytes: UINT64,
}

/// The structure of members of [`D3D12DDI_NODE_GPU_INPUT_0108`], [`D3D12DDI_MULTI_NODE_GPU_INPUT_0108`] and 2 more.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_GPU_VIRTUAL_ADDRESS_AND_STRIDE {
    /// x64 offset 0, x86 offset 0.
    pub StartAddress: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub StrideInBytes: UINT64,
}

/// The structure of `hKMResource` in [`D3D12DDIARG_OPENHEAP_0003`].
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_HKMRESOURCE {
    /// x64 offset 0, x86 offset 0.
    pub handle: D3DKMT_HANDLE,
}

/// The structure of `Flags` in [`D3D12DDIARG_MAKERESIDENT_0001`].
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3DDDI_MAKERESIDENT_FLAGS {
    /// Bit fields: CantTrimFurther (1 bits from bit 0), MustSucceed (1 bits from bit 1), Reserved (30 bits from bit 2).
    /// x64 offset 0, x86 offset 0.
    pub Value: UINT,
}

/// The structure of `Flags` in [`D3D12DDIARG_EVICT`].
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3DDDI_EVICT_FLAGS {
    /// Bit fields: EvictOnlyIfNecessary (1 bits from bit 0), NotWrittenTo (1 bits from bit 1), Reserved (30 bits from
    /// bit 2). x64 offset 0, x86 offset 0.
    pub Value: UINT,
}

/// An argument: `D3D12DDIARG_BUFFER_SHADER_RESOURCE_VIEW`.
///
/// Source: ResourceBinding.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_BUFFER_SHADER_RESOURCE_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub FirstElement: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub NumElements: UINT,
    /// x64 offset 12, x86 offset 12.
    pub StructureByteStride: UINT,
    /// x64 offset 16, x86 offset 16.
    pub Flags: D3D12DDI_BUFFER_SRV_FLAGS,
}

/// An argument: `D3D12DDIARG_TEX1D_SHADER_RESOURCE_VIEW`.
///
/// Source: ResourceBinding.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_TEX1D_SHADER_RESOURCE_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub MostDetailedMip: UINT,
    /// x64 offset 4, x86 offset 4.
    pub FirstArraySlice: UINT,
    /// x64 offset 8, x86 offset 8.
    pub MipLevels: UINT,
    /// x64 offset 12, x86 offset 12.
    pub ArraySize: UINT,
    /// x64 offset 16, x86 offset 16.
    pub ResourceMinLODClamp: FLOAT,
}

/// An argument: `D3D12DDIARG_TEX2D_SHADER_RESOURCE_VIEW_0002`.
///
/// Source: ResourceBinding.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_TEX2D_SHADER_RESOURCE_VIEW_0002 {
    /// x64 offset 0, x86 offset 0.
    pub MostDetailedMip: UINT,
    /// x64 offset 4, x86 offset 4.
    pub FirstArraySlice: UINT,
    /// x64 offset 8, x86 offset 8.
    pub MipLevels: UINT,
    /// x64 offset 12, x86 offset 12.
    pub ArraySize: UINT,
    /// x64 offset 16, x86 offset 16.
    pub PlaneSlice: UINT,
    /// x64 offset 20, x86 offset 20.
    pub ResourceMinLODClamp: FLOAT,
}

/// An argument: `D3D12DDIARG_TEX3D_SHADER_RESOURCE_VIEW`.
///
/// Source: ResourceBinding.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_TEX3D_SHADER_RESOURCE_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub MostDetailedMip: UINT,
    /// x64 offset 4, x86 offset 4.
    pub MipLevels: UINT,
    /// x64 offset 8, x86 offset 8.
    pub ResourceMinLODClamp: FLOAT,
}

/// An argument: `D3D12DDIARG_TEXCUBE_SHADER_RESOURCE_VIEW`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_TEXCUBE_SHADER_RESOURCE_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub MostDetailedMip: UINT,
    /// x64 offset 4, x86 offset 4.
    pub MipLevels: UINT,
    /// x64 offset 8, x86 offset 8.
    pub First2DArrayFace: UINT,
    /// x64 offset 12, x86 offset 12.
    pub NumCubes: UINT,
    /// x64 offset 16, x86 offset 16.
    pub ResourceMinLODClamp: FLOAT,
}

/// An argument: `D3D12DDIARG_RAYTRACING_ACCELERATION_STRUCTURE_SHADER_RESOURCE_VIEW_0042`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_RAYTRACING_ACCELERATION_STRUCTURE_SHADER_RESOURCE_VIEW_0042 {
    /// x64 offset 0, x86 offset 0.
    pub Location: UINT64,
}

/// An argument: `D3D12DDIARG_BUFFER_UNORDERED_ACCESS_VIEW`.
///
/// Source: ResourceBinding.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_BUFFER_UNORDERED_ACCESS_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub hDrvCounterResource: D3D12DDI_HRESOURCE,
    /// x64 offset 8, x86 offset 8.
    pub FirstElement: UINT64,
    /// x64 offset 16, x86 offset 16.
    pub NumElements: UINT,
    /// x64 offset 20, x86 offset 20.
    pub StructureByteStride: UINT,
    /// x64 offset 24, x86 offset 24.
    pub CounterOffsetInBytes: UINT64,
    /// x64 offset 32, x86 offset 32.
    pub Flags: D3D12DDI_BUFFER_UAV_FLAGS,
}

/// An argument: `D3D12DDIARG_TEX1D_UNORDERED_ACCESS_VIEW`.
///
/// Source: ResourceBinding.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_TEX1D_UNORDERED_ACCESS_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub MipSlice: UINT,
    /// x64 offset 4, x86 offset 4.
    pub FirstArraySlice: UINT,
    /// x64 offset 8, x86 offset 8.
    pub ArraySize: UINT,
}

/// An argument: `D3D12DDIARG_TEX2D_UNORDERED_ACCESS_VIEW_0002`.
///
/// Source: ResourceBinding.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_TEX2D_UNORDERED_ACCESS_VIEW_0002 {
    /// x64 offset 0, x86 offset 0.
    pub MipSlice: UINT,
    /// x64 offset 4, x86 offset 4.
    pub FirstArraySlice: UINT,
    /// x64 offset 8, x86 offset 8.
    pub ArraySize: UINT,
    /// x64 offset 12, x86 offset 12.
    pub PlaneSlice: UINT,
}

/// An argument: `D3D12DDIARG_TEX3D_UNORDERED_ACCESS_VIEW`.
///
/// Source: ResourceBinding.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_TEX3D_UNORDERED_ACCESS_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub MipSlice: UINT,
    /// x64 offset 4, x86 offset 4.
    pub FirstW: UINT,
    /// x64 offset 8, x86 offset 8.
    pub WSize: UINT,
}

/// An argument: `D3D12DDIARG_BUFFER_RENDER_TARGET_VIEW`.
///
/// Source: ResourceBinding.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_BUFFER_RENDER_TARGET_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub FirstElement: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub NumElements: UINT,
}

/// An argument: `D3D12DDIARG_TEX1D_RENDER_TARGET_VIEW`.
///
/// Source: ResourceBinding.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_TEX1D_RENDER_TARGET_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub MipSlice: UINT,
    /// x64 offset 4, x86 offset 4.
    pub FirstArraySlice: UINT,
    /// x64 offset 8, x86 offset 8.
    pub ArraySize: UINT,
}

/// An argument: `D3D12DDIARG_TEX2D_RENDER_TARGET_VIEW_0002`.
///
/// Source: ResourceBinding.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_TEX2D_RENDER_TARGET_VIEW_0002 {
    /// x64 offset 0, x86 offset 0.
    pub MipSlice: UINT,
    /// x64 offset 4, x86 offset 4.
    pub FirstArraySlice: UINT,
    /// x64 offset 8, x86 offset 8.
    pub ArraySize: UINT,
    /// x64 offset 12, x86 offset 12.
    pub PlaneSlice: UINT,
}

/// An argument: `D3D12DDIARG_TEX3D_RENDER_TARGET_VIEW`.
///
/// Source: ResourceBinding.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_TEX3D_RENDER_TARGET_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub MipSlice: UINT,
    /// x64 offset 4, x86 offset 4.
    pub FirstW: UINT,
    /// x64 offset 8, x86 offset 8.
    pub WSize: UINT,
}

/// An argument: `D3D12DDIARG_TEXCUBE_RENDER_TARGET_VIEW`.
///
/// Source: ResourceBinding.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_TEXCUBE_RENDER_TARGET_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub MipSlice: UINT,
    /// x64 offset 4, x86 offset 4.
    pub FirstArraySlice: UINT,
    /// x64 offset 8, x86 offset 8.
    pub ArraySize: UINT,
}

/// An argument: `D3D12DDIARG_TEX1D_DEPTH_STENCIL_VIEW`.
///
/// Source: ResourceBinding.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_TEX1D_DEPTH_STENCIL_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub MipSlice: UINT,
    /// x64 offset 4, x86 offset 4.
    pub FirstArraySlice: UINT,
    /// x64 offset 8, x86 offset 8.
    pub ArraySize: UINT,
}

/// An argument: `D3D12DDIARG_TEX2D_DEPTH_STENCIL_VIEW`.
///
/// Source: ResourceBinding.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_TEX2D_DEPTH_STENCIL_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub MipSlice: UINT,
    /// x64 offset 4, x86 offset 4.
    pub FirstArraySlice: UINT,
    /// x64 offset 8, x86 offset 8.
    pub ArraySize: UINT,
}

/// An argument: `D3D12DDIARG_TEXCUBE_DEPTH_STENCIL_VIEW`.
///
/// Source: ResourceBinding.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_TEXCUBE_DEPTH_STENCIL_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub MipSlice: UINT,
    /// x64 offset 4, x86 offset 4.
    pub FirstArraySlice: UINT,
    /// x64 offset 8, x86 offset 8.
    pub ArraySize: UINT,
}

/// The structure of `FenceValue` and `FenceMonitoredValue` in [`D3D12DDI_FENCE`].
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_FENCE_PLACEMENT {
    /// x64 offset 0, x86 offset 0.
    pub BaseAddress: UINT64,
}

/// The structure of `Flags` in [`D3D12DDIARG_BLT`].
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct DXGI_DDI_ARG_BLT_FLAGS {
    /// Bit fields: Resolve (1 bits from bit 0), Convert (1 bits from bit 1), Stretch (1 bits from bit 2), Present (1
    /// bits from bit 3), Reserved (28 bits from bit 4). x64 offset 0, x86 offset 0.
    pub Value: UINT,
}

/// The structure of `Flags` in [`D3D12DDIARG_PRESENT_0001`].
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct DXGI_DDI_PRESENT_FLAGS {
    /// Bit fields: Blt (1 bits from bit 0), Flip (1 bits from bit 1), PreferRight (1 bits from bit 2), TemporaryMono (1
    /// bits from bit 3), AllowTearing (1 bits from bit 4), AllowFlexibleRefresh (1 bits from bit 5), NoScanoutTransform
    /// (1 bits from bit 6), Reserved (25 bits from bit 7). x64 offset 0, x86 offset 0.
    pub Value: UINT,
}

/// The structure of `Transition` in [`D3D12DDIARG_RESOURCE_BARRIER_0022`].
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RESOURCE_TRANSITION_BARRIER_0003 {
    /// x64 offset 0, x86 offset 0.
    pub hResource: D3D12DDI_HRESOURCE,
    /// x64 offset 8, x86 offset 4.
    pub Subresource: UINT,
    /// x64 offset 12, x86 offset 8.
    pub StateBefore: D3D12DDI_RESOURCE_STATES,
    /// x64 offset 16, x86 offset 12.
    pub StateAfter: D3D12DDI_RESOURCE_STATES,
}

/// The structure of `Ranged` in [`D3D12DDIARG_RESOURCE_BARRIER_0022`].
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RESOURCE_RANGED_BARRIER_0022 {
    /// x64 offset 0, x86 offset 0.
    pub hResource: D3D12DDI_HRESOURCE,
    /// x64 offset 8, x86 offset 4.
    pub Subresource: UINT,
    /// x64 offset 16, x86 offset 8.
    pub Range: D3D12DDI_RANGE,
}

/// The structure of `Range` in [`D3D12DDI_RESOURCE_RANGED_BARRIER_0022`] and [`D3D12DDI_RANGED_BARRIER_0094`].
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RANGE {
    /// x64 offset 0, x86 offset 0.
    pub Begin: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub End: UINT64,
}

/// The structure of `UAV` in [`D3D12DDIARG_RESOURCE_BARRIER_0022`].
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RESOURCE_UAV_BARRIER {
    /// x64 offset 0, x86 offset 0.
    pub hResource: D3D12DDI_HRESOURCE,
}

/// The structure of `GlobalBarrier` in [`D3D12DDIARG_BARRIER_0094`].
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_GLOBAL_BARRIER_0088 {
    /// x64 offset 0, x86 offset 0.
    pub SyncBefore: D3D12DDI_BARRIER_SYNC,
    /// x64 offset 4, x86 offset 4.
    pub SyncAfter: D3D12DDI_BARRIER_SYNC,
    /// x64 offset 8, x86 offset 8.
    pub AccessBefore: D3D12DDI_BARRIER_ACCESS,
    /// x64 offset 12, x86 offset 12.
    pub AccessAfter: D3D12DDI_BARRIER_ACCESS,
}

/// The structure of `TextureBarrier` in [`D3D12DDIARG_BARRIER_0094`].
///
/// Source: D3D12EnhancedBarriers.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_TEXTURE_BARRIER_0088 {
    /// x64 offset 0, x86 offset 0.
    pub SyncBefore: D3D12DDI_BARRIER_SYNC,
    /// x64 offset 4, x86 offset 4.
    pub SyncAfter: D3D12DDI_BARRIER_SYNC,
    /// x64 offset 8, x86 offset 8.
    pub AccessBefore: D3D12DDI_BARRIER_ACCESS,
    /// x64 offset 12, x86 offset 12.
    pub AccessAfter: D3D12DDI_BARRIER_ACCESS,
    /// x64 offset 16, x86 offset 16.
    pub LayoutBefore: D3D12DDI_BARRIER_LAYOUT,
    /// x64 offset 20, x86 offset 20.
    pub LayoutAfter: D3D12DDI_BARRIER_LAYOUT,
    /// x64 offset 24, x86 offset 24.
    pub hResource: D3D12DDI_HRESOURCE,
    /// x64 offset 32, x86 offset 28.
    pub Subresources: D3D12DDI_BARRIER_SUBRESOURCE_RANGE_0088,
    /// x64 offset 56, x86 offset 52.
    pub Flags: D3D12DDI_TEXTURE_BARRIER_FLAGS_0088,
}

/// The structure of `Subresources` in [`D3D12DDI_TEXTURE_BARRIER_0088`].
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_BARRIER_SUBRESOURCE_RANGE_0088 {
    /// x64 offset 0, x86 offset 0.
    pub IndexOrFirstMipLevel: UINT,
    /// x64 offset 4, x86 offset 4.
    pub NumMipLevels: UINT,
    /// x64 offset 8, x86 offset 8.
    pub FirstArraySlice: UINT,
    /// x64 offset 12, x86 offset 12.
    pub NumArraySlices: UINT,
    /// x64 offset 16, x86 offset 16.
    pub FirstPlane: UINT,
    /// x64 offset 20, x86 offset 20.
    pub NumPlanes: UINT,
}

/// The structure of `BufferBarrier` in [`D3D12DDIARG_BARRIER_0094`].
///
/// Source: D3D12EnhancedBarriers.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_BUFFER_BARRIER_0088 {
    /// x64 offset 0, x86 offset 0.
    pub SyncBefore: D3D12DDI_BARRIER_SYNC,
    /// x64 offset 4, x86 offset 4.
    pub SyncAfter: D3D12DDI_BARRIER_SYNC,
    /// x64 offset 8, x86 offset 8.
    pub AccessBefore: D3D12DDI_BARRIER_ACCESS,
    /// x64 offset 12, x86 offset 12.
    pub AccessAfter: D3D12DDI_BARRIER_ACCESS,
    /// x64 offset 16, x86 offset 16.
    pub hResource: D3D12DDI_HRESOURCE,
}

/// The structure of `RangedBarrier` in [`D3D12DDIARG_BARRIER_0094`].
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RANGED_BARRIER_0094 {
    /// x64 offset 0, x86 offset 0.
    pub Flags: D3D12DDI_RANGED_BARRIER_FLAGS_0094,
    /// x64 offset 8, x86 offset 4.
    pub hResource: D3D12DDI_HRESOURCE,
    /// x64 offset 16, x86 offset 8.
    pub Subresource: UINT,
    /// x64 offset 24, x86 offset 16.
    pub Range: D3D12DDI_RANGE,
}

/// The structure of members of [`D3D12DDIARG_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0054`] and
/// [`D3D12DDIARG_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0054`].
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC_0054 {
    /// x64 offset 0, x86 offset 0.
    pub DestBuffer: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub InfoType: D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE,
}

/// The structure of `Triangles` in [`D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054`].
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RAYTRACING_GEOMETRY_TRIANGLES_DESC_0054 {
    /// x64 offset 0, x86 offset 0.
    pub ColumnMajorTransform3x4: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub IndexFormat: DXGI_FORMAT,
    /// x64 offset 12, x86 offset 12.
    pub VertexFormat: DXGI_FORMAT,
    /// x64 offset 16, x86 offset 16.
    pub IndexCount: UINT,
    /// x64 offset 20, x86 offset 20.
    pub VertexCount: UINT,
    /// x64 offset 24, x86 offset 24.
    pub IndexBuffer: UINT64,
    /// x64 offset 32, x86 offset 32.
    pub VertexBuffer: D3D12DDI_GPU_VIRTUAL_ADDRESS_AND_STRIDE,
}

/// The structure of `AABBs` in [`D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054`].
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RAYTRACING_GEOMETRY_AABBS_DESC_0054 {
    /// x64 offset 0, x86 offset 0.
    pub AABBCount: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub AABBs: D3D12DDI_GPU_VIRTUAL_ADDRESS_AND_STRIDE,
}

ddi_enum! {
    /// The enumeration of `Priority` in [`D3D12DDIARG_OFFERRESOURCES`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum D3DDDI_OFFER_PRIORITY {
        /// Value 0.
        D3DDDI_OFFER_PRIORITY_NONE = 0,
        /// Value 1.
        D3DDDI_OFFER_PRIORITY_LOW = 1,
        /// Value 2.
        D3DDDI_OFFER_PRIORITY_NORMAL = 2,
        /// Value 3.
        D3DDDI_OFFER_PRIORITY_HIGH = 3,
        /// Value 4.
        D3DDDI_OFFER_PRIORITY_AUTO = 4,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDIARG_CREATE_DEPTH_STENCIL_VIEW`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_CREATE_DEPTH_STENCIL_VIEW_FLAGS {
        /// Value 0.
        D3D12DDI_CREATE_DSV_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_CREATE_DSV_FLAG_READ_ONLY_DEPTH = 1,
        /// Value 2.
        D3D12DDI_CREATE_DSV_FLAG_READ_ONLY_STENCIL = 2,
        /// Value 3.
        D3D12DDI_CREATE_DSV_FLAG_MASK = 3,
    }
}

ddi_enum! {
    /// The enumeration of `Layout` in [`D3D12DDIARG_PLACED_RESOURCE`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_RESOURCE_LAYOUT {
        /// Value 0.
        D3D12DDI_RL_UNDEFINED = 0,
        /// Value 1.
        D3D12DDI_RL_PLACED_PHYSICAL_SUBRESOURCE_PITCHED = 1,
        /// Value 2.
        D3D12DDI_RL_PLACED_VIRTUAL_SUBRESOURCE_PITCHED = 2,
        /// Value 64.
        D3D12DDI_RL_SELECT_SUBRESOURCE = 64,
    }
}

ddi_enum! {
    /// The enumeration of `Rotate` in [`D3D12DDIARG_BLT`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum DXGI_DDI_MODE_ROTATION {
        /// Value 0.
        DXGI_DDI_MODE_ROTATION_UNSPECIFIED = 0,
        /// Value 1.
        DXGI_DDI_MODE_ROTATION_IDENTITY = 1,
        /// Value 2.
        DXGI_DDI_MODE_ROTATION_ROTATE90 = 2,
        /// Value 3.
        DXGI_DDI_MODE_ROTATION_ROTATE180 = 3,
        /// Value 4.
        DXGI_DDI_MODE_ROTATION_ROTATE270 = 4,
    }
}

ddi_enum! {
    /// The enumeration of members of [`D3D12DDIARG_PRESENT_0001`] and [`D3D12DDI_PRESENT_0051`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum DXGI_DDI_FLIP_INTERVAL_TYPE {
        /// Value 0.
        DXGI_DDI_FLIP_INTERVAL_IMMEDIATE = 0,
        /// Value 1.
        DXGI_DDI_FLIP_INTERVAL_ONE = 1,
        /// Value 2.
        DXGI_DDI_FLIP_INTERVAL_TWO = 2,
        /// Value 3.
        DXGI_DDI_FLIP_INTERVAL_THREE = 3,
        /// Value 4.
        DXGI_DDI_FLIP_INTERVAL_FOUR = 4,
        /// Value 5.
        DXGI_DDI_FLIP_INTERVAL_IMMEDIATE_ALLOW_TEARING = 5,
    }
}

ddi_enum! {
    /// The enumeration of `DescsLayout` in [`D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_ELEMENTS_LAYOUT {
        /// Value 0.
        D3D12DDI_ELEMENTS_LAYOUT_ARRAY = 0,
        /// Value 1.
        D3D12DDI_ELEMENTS_LAYOUT_ARRAY_OF_POINTERS = 1,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDI_ALLOCATION_INFO_0022`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_ALLOCATION_INFO_FLAGS_0022 {
        /// Value 0.
        D3D12DDI_ALLOCATION_INFO_FLAGS_0022_NONE = 0,
        /// Value 1.
        D3D12DDI_ALLOCATION_INFO_FLAGS_0022_PRIMARY = 1,
        /// Value 2.
        D3D12DDI_ALLOCATION_INFO_FLAGS_0022_STEREO = 2,
        /// Value 4.
        D3D12DDI_ALLOCATION_INFO_FLAGS_0022_OVERRIDE_PRIORITY = 4,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDICB_DEALLOCATE_0022`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_DEALLOCATE_FLAGS_0022 {
        /// Value 0.
        D3D12DDI_DEALLOCATE_FLAGS_0022_NONE = 0,
        /// Value 1.
        D3D12DDI_DEALLOCATE_FLAGS_0022_ASSUME_NOT_IN_USE = 1,
        /// Value 2.
        D3D12DDI_DEALLOCATE_FLAGS_0022_SYNCHRONOUS_DESTROY = 2,
    }
}

ddi_flags! {
    /// The enumeration of `Support` in [`D3D12DDI_PROTECTED_RESOURCE_SESSION_SUPPORT_DATA_0030`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_PROTECTED_RESOURCE_SESSION_SUPPORT_FLAGS_0030 {
        /// Value 0.
        D3D12DDI_PROTECTED_RESOURCE_SESSION_SUPPORT_FLAG_0030_NONE = 0,
        /// Value 1.
        D3D12DDI_PROTECTED_RESOURCE_SESSION_SUPPORT_FLAG_0030_SUPPORTED = 1,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDIARG_BUFFER_SHADER_RESOURCE_VIEW`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_BUFFER_SRV_FLAGS {
        /// Value 0.
        D3D12DDI_BUFFER_SRV_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_BUFFER_SRV_FLAG_RAW = 1,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDIARG_BUFFER_UNORDERED_ACCESS_VIEW`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_BUFFER_UAV_FLAGS {
        /// Value 0.
        D3D12DDI_BUFFER_UAV_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_BUFFER_UAV_FLAG_RAW = 1,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDI_TEXTURE_BARRIER_0088`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_TEXTURE_BARRIER_FLAGS_0088 {
        /// Value 0.
        D3D12DDI_TEXTURE_BARRIER_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_TEXTURE_BARRIER_FLAG_DISCARD = 1,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDI_RANGED_BARRIER_0094`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_RANGED_BARRIER_FLAGS_0094 {
        /// Value 0.
        D3D12DDI_RANGED_BARRIER_FLAG_NONE_0094 = 0,
        /// Value 1.
        D3D12DDI_RANGED_BARRIER_FLAG_ATOMIC_COPY_0094 = 1,
        /// Value 2.
        D3D12DDI_RANGED_BARRIER_FLAG_ACQUIRE_0094 = 2,
        /// Value 4.
        D3D12DDI_RANGED_BARRIER_FLAG_RELEASE_0094 = 4,
    }
}

ddi_flags! {
    /// What a texture layout supports, as the API's first set of format support bits has it.
    ///
    /// Source: D3D12GUIDTextureLayout.md.
    pub enum D3D12DDI_LAYOUT_SUPPORT1 {
        /// Value 0.
        D3D12DDI_LAYOUT_SUPPORT1_NONE = 0,
        /// Value 16.
        D3D12DDI_LAYOUT_SUPPORT1_TEXTURE1D = 0x10,
        /// Value 32.
        D3D12DDI_LAYOUT_SUPPORT1_TEXTURE2D = 0x20,
        /// Value 64.
        D3D12DDI_LAYOUT_SUPPORT1_TEXTURE3D = 0x40,
        /// Value 128.
        D3D12DDI_LAYOUT_SUPPORT1_TEXTURECUBE = 0x80,
        /// Value 256.
        D3D12DDI_LAYOUT_SUPPORT1_SHADER_LOAD = 0x100,
        /// Value 512.
        D3D12DDI_LAYOUT_SUPPORT1_SHADER_SAMPLE = 0x200,
        /// Value 1024.
        D3D12DDI_LAYOUT_SUPPORT1_SHADER_SAMPLE_COMPARISON = 0x400,
        /// Value 4096.
        D3D12DDI_LAYOUT_SUPPORT1_MIP = 0x1000,
        /// Value 16384.
        D3D12DDI_LAYOUT_SUPPORT1_RENDER_TARGET = 0x4000,
        /// Value 32768.
        D3D12DDI_LAYOUT_SUPPORT1_BLENDABLE = 0x8000,
        /// Value 65536.
        D3D12DDI_LAYOUT_SUPPORT1_DEPTH_STENCIL = 0x1_0000,
        /// Value 262144.
        D3D12DDI_LAYOUT_SUPPORT1_MULTISAMPLE = 0x4_0000,
        /// Value 524288.
        D3D12DDI_LAYOUT_SUPPORT1_DISPLAY = 0x8_0000,
        /// Value 1048576.
        D3D12DDI_LAYOUT_SUPPORT1_CAST_WITHIN_BIT_LAYOUT = 0x10_0000,
        /// Value 8388608.
        D3D12DDI_LAYOUT_SUPPORT1_SHADER_GATHER = 0x80_0000,
        /// Value 16777216.
        D3D12DDI_LAYOUT_SUPPORT1_BACK_BUFFER_CAST = 0x100_0000,
        /// Value 67108864.
        D3D12DDI_LAYOUT_SUPPORT1_SHADER_GATHER_COMPARISON = 0x400_0000,
        /// Value 134217728.
        D3D12DDI_LAYOUT_SUPPORT1_DECODER_OUTPUT = 0x800_0000,
        /// Value 268435456.
        D3D12DDI_LAYOUT_SUPPORT1_VIDEO_PROCESSOR_OUTPUT = 0x1000_0000,
        /// Value 536870912.
        D3D12DDI_LAYOUT_SUPPORT1_VIDEO_PROCESSOR_INPUT = 0x2000_0000,
        /// Value 1073741824.
        D3D12DDI_LAYOUT_SUPPORT1_VIDEO_ENCODER = 0x4000_0000,
    }
}

ddi_flags! {
    /// What a texture layout supports, as the API's second set of format support bits has it.
    ///
    /// Source: D3D12GUIDTextureLayout.md.
    pub enum D3D12DDI_LAYOUT_SUPPORT2 {
        /// Value 0.
        D3D12DDI_LAYOUT_SUPPORT2_NONE = 0,
        /// Value 1.
        D3D12DDI_LAYOUT_SUPPORT2_UAV_INTEGER_ATOMICS = 0x1,
        /// Value 4.
        D3D12DDI_LAYOUT_SUPPORT2_UAV_ATOMIC_COMPARE_EXCHANGE = 0x4,
        /// Value 64.
        D3D12DDI_LAYOUT_SUPPORT2_UAV_TYPED_LOAD = 0x40,
        /// Value 128.
        D3D12DDI_LAYOUT_SUPPORT2_UAV_TYPED_STORE = 0x80,
        /// Value 256.
        D3D12DDI_LAYOUT_SUPPORT2_OUTPUT_MERGER_LOGIC_OP = 0x100,
        /// Value 512.
        D3D12DDI_LAYOUT_SUPPORT2_TILED = 0x200,
        /// Value 16384.
        D3D12DDI_LAYOUT_SUPPORT2_MULTIPLANE_OVERLAY = 0x4000,
        /// Value 32768.
        D3D12DDI_LAYOUT_SUPPORT2_SAMPLER_FEEDBACK = 0x8000,
        /// Value 65536.
        D3D12DDI_LAYOUT_SUPPORT2_DISPLAYABLE = 0x1_0000,
    }
}
