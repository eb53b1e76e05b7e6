//! Descriptors, views, queries and command objects.

use core::ffi::c_void;

use bytemuck::Zeroable;

use crate::*;

/// The structure that [`PFND3D12DDI_CREATE_SHADER_RESOURCE_VIEW_0002`], [`PFND3D12DDI_CREATE_CONSTANT_BUFFER_VIEW`] and
/// 13 more take.
///
/// Source: ResourceBinding.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_CPU_DESCRIPTOR_HANDLE {
    /// x64 offset 0, x86 offset 0.
    pub ptr: SIZE_T,
}

/// The structure that [`PFND3D12DDI_SET_ROOT_DESCRIPTOR_TABLE_0114`],
/// [`PFND3D12DDI_CLEAR_UNORDERED_ACCESS_VIEW_UINT_0003`] and 2 more take.
///
/// Source: ResourceBinding.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_GPU_DESCRIPTOR_HANDLE {
    /// x64 offset 0, x86 offset 0.
    pub ptr: UINT64,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATE_DESCRIPTOR_HEAP_0001`.
///
/// Source: ResourceBinding.md, bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_CREATE_DESCRIPTOR_HEAP_0001 {
    /// x64 offset 0, x86 offset 0.
    pub Type: D3D12DDI_DESCRIPTOR_HEAP_TYPE,
    /// x64 offset 4, x86 offset 4.
    pub NumDescriptors: UINT,
    /// x64 offset 8, x86 offset 8.
    pub Flags: D3D12DDI_DESCRIPTOR_HEAP_FLAGS,
    /// x64 offset 12, x86 offset 12.
    pub NodeMask: UINT,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATE_SHADER_RESOURCE_VIEW_0002`.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_CREATE_SHADER_RESOURCE_VIEW_0002 {
    /// x64 offset 0, x86 offset 0.
    pub hDrvResource: D3D12DDI_HRESOURCE,
    /// x64 offset 8, x86 offset 4.
    pub Format: DXGI_FORMAT,
    /// x64 offset 12, x86 offset 8.
    pub ResourceDimension: D3D12DDI_RESOURCE_DIMENSION,
    /// x64 offset 16, x86 offset 12.
    pub Shader4ComponentMapping: UINT,
    /// The anonymous union at x64 offset 24, x86 offset 16.
    pub Anonymous: D3D12DDIARG_CREATE_SHADER_RESOURCE_VIEW_0002_0,
}

/// Union member `Anonymous` of [`D3D12DDIARG_CREATE_SHADER_RESOURCE_VIEW_0002`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_CREATE_SHADER_RESOURCE_VIEW_0002_0 {
    /// One reading of the bytes at x64 offset 24, x86 offset 16.
    pub Buffer: D3D12DDIARG_BUFFER_SHADER_RESOURCE_VIEW,
    /// One reading of the bytes at x64 offset 24, x86 offset 16.
    pub Tex1D: D3D12DDIARG_TEX1D_SHADER_RESOURCE_VIEW,
    /// One reading of the bytes at x64 offset 24, x86 offset 16.
    pub Tex2D: D3D12DDIARG_TEX2D_SHADER_RESOURCE_VIEW_0002,
    /// One reading of the bytes at x64 offset 24, x86 offset 16.
    pub Tex3D: D3D12DDIARG_TEX3D_SHADER_RESOURCE_VIEW,
    /// One reading of the bytes at x64 offset 24, x86 offset 16.
    pub TexCube: D3D12DDIARG_TEXCUBE_SHADER_RESOURCE_VIEW,
    /// One reading of the bytes at x64 offset 24, x86 offset 16.
    pub RaytracingAccelerationStructure:
        D3D12DDIARG_RAYTRACING_ACCELERATION_STRUCTURE_SHADER_RESOURCE_VIEW_0042,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATE_UNORDERED_ACCESS_VIEW_0002`.
///
/// Source: ResourceBinding.md, bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_CREATE_UNORDERED_ACCESS_VIEW_0002 {
    /// x64 offset 0, x86 offset 0.
    pub hDrvResource: D3D12DDI_HRESOURCE,
    /// x64 offset 8, x86 offset 4.
    pub Format: DXGI_FORMAT,
    /// x64 offset 12, x86 offset 8.
    pub ResourceDimension: D3D12DDI_RESOURCE_DIMENSION,
    /// The anonymous union at x64 offset 16, x86 offset 16.
    pub Anonymous: D3D12DDIARG_CREATE_UNORDERED_ACCESS_VIEW_0002_0,
}

/// Union member `Anonymous` of [`D3D12DDIARG_CREATE_UNORDERED_ACCESS_VIEW_0002`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_CREATE_UNORDERED_ACCESS_VIEW_0002_0 {
    /// One reading of the bytes at x64 offset 16, x86 offset 16.
    pub Buffer: D3D12DDIARG_BUFFER_UNORDERED_ACCESS_VIEW,
    /// One reading of the bytes at x64 offset 16, x86 offset 16.
    pub Tex1D: D3D12DDIARG_TEX1D_UNORDERED_ACCESS_VIEW,
    /// One reading of the bytes at x64 offset 16, x86 offset 16.
    pub Tex2D: D3D12DDIARG_TEX2D_UNORDERED_ACCESS_VIEW_0002,
    /// One reading of the bytes at x64 offset 16, x86 offset 16.
    pub Tex3D: D3D12DDIARG_TEX3D_UNORDERED_ACCESS_VIEW,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATE_RENDER_TARGET_VIEW_0002`.
///
/// Source: ResourceBinding.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_CREATE_RENDER_TARGET_VIEW_0002 {
    /// x64 offset 0, x86 offset 0.
    pub hDrvResource: D3D12DDI_HRESOURCE,
    /// x64 offset 8, x86 offset 4.
    pub Format: DXGI_FORMAT,
    /// x64 offset 12, x86 offset 8.
    pub ResourceDimension: D3D12DDI_RESOURCE_DIMENSION,
    /// The anonymous union at x64 offset 16, x86 offset 16.
    pub Anonymous: D3D12DDIARG_CREATE_RENDER_TARGET_VIEW_0002_0,
}

/// Union member `Anonymous` of [`D3D12DDIARG_CREATE_RENDER_TARGET_VIEW_0002`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_CREATE_RENDER_TARGET_VIEW_0002_0 {
    /// One reading of the bytes at x64 offset 16, x86 offset 16.
    pub Buffer: D3D12DDIARG_BUFFER_RENDER_TARGET_VIEW,
    /// One reading of the bytes at x64 offset 16, x86 offset 16.
    pub Tex1D: D3D12DDIARG_TEX1D_RENDER_TARGET_VIEW,
    /// One reading of the bytes at x64 offset 16, x86 offset 16.
    pub Tex2D: D3D12DDIARG_TEX2D_RENDER_TARGET_VIEW_0002,
    /// One reading of the bytes at x64 offset 16, x86 offset 16.
    pub Tex3D: D3D12DDIARG_TEX3D_RENDER_TARGET_VIEW,
    /// One reading of the bytes at x64 offset 16, x86 offset 16.
    pub TexCube: D3D12DDIARG_TEXCUBE_RENDER_TARGET_VIEW,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATE_DEPTH_STENCIL_VIEW`.
///
/// Source: ResourceBinding.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_CREATE_DEPTH_STENCIL_VIEW {
    /// x64 offset 0, x86 offset 0.
    pub hDrvResource: D3D12DDI_HRESOURCE,
    /// x64 offset 8, x86 offset 4.
    pub Format: DXGI_FORMAT,
    /// x64 offset 12, x86 offset 8.
    pub ResourceDimension: D3D12DDI_RESOURCE_DIMENSION,
    /// x64 offset 16, x86 offset 12.
    pub Flags: D3D12DDI_CREATE_DEPTH_STENCIL_VIEW_FLAGS,
    /// The anonymous union at x64 offset 20, x86 offset 16.
    pub Anonymous: D3D12DDIARG_CREATE_DEPTH_STENCIL_VIEW_0,
}

/// Union member `Anonymous` of [`D3D12DDIARG_CREATE_DEPTH_STENCIL_VIEW`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_CREATE_DEPTH_STENCIL_VIEW_0 {
    /// One reading of the bytes at x64 offset 20, x86 offset 16.
    pub Tex1D: D3D12DDIARG_TEX1D_DEPTH_STENCIL_VIEW,
    /// One reading of the bytes at x64 offset 20, x86 offset 16.
    pub Tex2D: D3D12DDIARG_TEX2D_DEPTH_STENCIL_VIEW,
    /// One reading of the bytes at x64 offset 20, x86 offset 16.
    pub TexCube: D3D12DDIARG_TEXCUBE_DEPTH_STENCIL_VIEW,
}

/// The structure that [`PFND3D12DDI_CREATE_CONSTANT_BUFFER_VIEW`] takes as `pConstantBufferViewDesc`.
///
/// Source: ResourceBinding.md, bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_CONSTANT_BUFFER_VIEW_DESC {
    /// x64 offset 0, x86 offset 0.
    pub BufferLocation: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub SizeInBytes: UINT,
    /// x64 offset 12, x86 offset 12.
    pub Padding: UINT,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATE_SAMPLER_0096`.
///
/// Source: ResourceBinding.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_CREATE_SAMPLER_0096 {
    /// x64 offset 0, x86 offset 0.
    pub pSamplerDesc: *const D3D12DDI_SAMPLER_DESC_0096,
}

/// The structure of `pSamplerDesc` in [`D3D12DDIARG_CREATE_SAMPLER_0096`].
///
/// Source: ResourceBinding.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDI_SAMPLER_DESC_0096 {
    /// x64 offset 0, x86 offset 0.
    pub Filter: D3D12DDI_FILTER,
    /// x64 offset 4, x86 offset 4.
    pub AddressU: D3D12DDI_TEXTURE_ADDRESS_MODE,
    /// x64 offset 8, x86 offset 8.
    pub AddressV: D3D12DDI_TEXTURE_ADDRESS_MODE,
    /// x64 offset 12, x86 offset 12.
    pub AddressW: D3D12DDI_TEXTURE_ADDRESS_MODE,
    /// x64 offset 16, x86 offset 16.
    pub MipLODBias: FLOAT,
    /// x64 offset 20, x86 offset 20.
    pub MaxAnisotropy: UINT,
    /// x64 offset 24, x86 offset 24.
    pub ComparisonFunc: D3D12DDI_COMPARISON_FUNC,
    /// The anonymous union at x64 offset 28, x86 offset 28.
    pub Anonymous: D3D12DDI_SAMPLER_DESC_0096_0,
    /// x64 offset 44, x86 offset 44.
    pub MinLOD: FLOAT,
    /// x64 offset 48, x86 offset 48.
    pub MaxLOD: FLOAT,
    /// x64 offset 52, x86 offset 52.
    pub Flags: D3D12DDI_SAMPLER_FLAGS_0096,
}

/// Union member `Anonymous` of [`D3D12DDI_SAMPLER_DESC_0096`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDI_SAMPLER_DESC_0096_0 {
    /// One reading of the bytes at x64 offset 28, x86 offset 28.
    pub FloatBorderColor: [FLOAT; 4],
    /// One reading of the bytes at x64 offset 28, x86 offset 28.
    pub UintBorderColor: [UINT; 4],
}

/// What the host passes to create an object: `D3D12DDIARG_CREATE_QUERY_HEAP_0001`.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_CREATE_QUERY_HEAP_0001 {
    /// x64 offset 0, x86 offset 0.
    pub Type: D3D12DDI_QUERY_HEAP_TYPE,
    /// x64 offset 4, x86 offset 4.
    pub Count: UINT,
    /// x64 offset 8, x86 offset 8.
    pub NodeMask: UINT,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATE_COMMAND_SIGNATURE_0001`.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_CREATE_COMMAND_SIGNATURE_0001 {
    /// x64 offset 0, x86 offset 0.
    pub ByteStride: UINT,
    /// x64 offset 4, x86 offset 4.
    pub NumArgumentDescs: UINT,
    /// x64 offset 8, x86 offset 8.
    pub pArgumentDescs: *const D3D12DDI_INDIRECT_ARGUMENT_DESC,
    /// x64 offset 16, x86 offset 12.
    pub hRootSignature: D3D12DDI_HROOTSIGNATURE,
    /// x64 offset 24, x86 offset 16.
    pub NodeMask: UINT,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATECOMMANDQUEUE_0050`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_CREATECOMMANDQUEUE_0050 {
    /// x64 offset 0, x86 offset 0.
    pub QueueFlags: D3D12DDI_COMMAND_QUEUE_FLAGS,
    /// x64 offset 4, x86 offset 4.
    pub NodeMask: UINT,
    /// x64 offset 8, x86 offset 8.
    pub QueueCreationFlags: D3D12DDI_COMMAND_QUEUE_CREATION_FLAGS,
    /// x64 offset 16, x86 offset 12.
    pub SchedulingGroup: D3D12DDI_HSCHEDULINGGROUP_0050,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATE_COMMAND_POOL_0040`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_CREATE_COMMAND_POOL_0040 {
    /// x64 offset 0, x86 offset 0.
    pub PoolFlags: D3D12DDI_COMMAND_POOL_FLAGS,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATE_COMMAND_RECORDER_0040`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_CREATE_COMMAND_RECORDER_0040 {
    /// x64 offset 0, x86 offset 0.
    pub QueueFlags: D3D12DDI_COMMAND_QUEUE_FLAGS,
    /// x64 offset 4, x86 offset 4.
    pub RecorderFlags: D3D12DDI_COMMAND_RECORDER_FLAGS,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATE_COMMAND_LIST_0040`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_CREATE_COMMAND_LIST_0040 {
    /// x64 offset 0, x86 offset 0.
    pub Type: D3D12DDI_COMMAND_LIST_TYPE,
    /// x64 offset 4, x86 offset 4.
    pub QueueFlags: D3D12DDI_COMMAND_QUEUE_FLAGS,
    /// x64 offset 8, x86 offset 8.
    pub ID: UINT64,
    /// x64 offset 16, x86 offset 16.
    pub CommandListFlags: D3D12DDI_COMMAND_LIST_FLAGS,
    /// x64 offset 20, x86 offset 20.
    pub NodeMask: UINT,
}

/// An argument: `D3D12DDIARG_RESETCOMMANDLIST_0040`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_RESETCOMMANDLIST_0040 {
    /// x64 offset 0, x86 offset 0.
    pub hDrvCommandRecorder: D3D12DDI_HCOMMANDRECORDER_0040,
    /// x64 offset 8, x86 offset 8.
    pub ID: UINT64,
    /// x64 offset 16, x86 offset 16.
    pub CommandListFlags: D3D12DDI_COMMAND_LIST_FLAGS,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATESCHEDULINGGROUP_0050`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_CREATESCHEDULINGGROUP_0050 {
    /// x64 offset 0, x86 offset 0.
    pub NodeMask: UINT,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATE_FENCE`.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_CREATE_FENCE {
    /// x64 offset 0, x86 offset 0.
    pub FenceCount: UINT,
    /// x64 offset 8, x86 offset 4.
    pub Fences: *mut D3D12DDI_FENCE,
}

/// What the host passes to create a fence since build 0112: `D3D12DDIARG_CREATE_FENCE_0112`.
///
/// Source: D3D12EnhancedBarriers.md.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_CREATE_FENCE_0112 {
    /// Which member of the union counts. x64 offset 0, x86 offset 0.
    pub FenceType: D3D12DDI_FENCE_TYPE_0112,
    /// The anonymous union at x64 offset 8, x86 offset 8.
    pub Anonymous: D3D12DDIARG_CREATE_FENCE_0112_0,
}

/// Union member `Anonymous` of [`D3D12DDIARG_CREATE_FENCE_0112`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_CREATE_FENCE_0112_0 {
    /// MONITORED.
    pub MonitoredFenceArgs: D3D12DDI_FENCE,
    /// NATIVE and OPENED_NATIVE.
    pub pNativeFenceArgs: *mut D3DKMT_CREATENATIVEFENCE,
    /// COMMAND_LIST_SCOPED.
    pub CLScopedFenceArgs: D3D12DDI_COMMAND_LIST_SCOPED_FENCE,
}

/// Where the driver writes the address at which the CPU reads the value of a fence of a command list.
///
/// Source: D3D12EnhancedBarriers.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_COMMAND_LIST_SCOPED_FENCE {
    /// x64 offset 0, x86 offset 0.
    pub ppFenceValue: *mut *mut UINT64,
}

/// The structure of members of [`D3D12DDIARG_CREATE_FENCE`] and [`D3D12DDIARG_CREATE_FENCE_0112`].
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_FENCE {
    /// x64 offset 0, x86 offset 0.
    pub FenceValue: D3D12DDI_FENCE_PLACEMENT,
    /// x64 offset 8, x86 offset 8.
    pub FenceMonitoredValue: D3D12DDI_FENCE_PLACEMENT,
    /// x64 offset 16, x86 offset 16.
    pub Flags: D3D12DDI_FENCE_FLAGS,
}

/// An argument: `D3D12DDIARG_FENCE_OPERATION`.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_FENCE_OPERATION {
    /// x64 offset 0, x86 offset 0.
    pub Fence: D3D12DDI_HFENCE,
    /// x64 offset 8, x86 offset 8.
    pub Value: UINT64,
    /// x64 offset 16, x86 offset 16.
    pub PhysicalAdapterMask: UINT,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATE_PIPELINE_LIBRARY_0010`.
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_CREATE_PIPELINE_LIBRARY_0010 {
    /// x64 offset 0, x86 offset 0.
    pub InitialDataSize: SIZE_T,
    /// x64 offset 8, x86 offset 4.
    pub pInitialData: *const c_void,
}

ddi_enum! {
    /// The enumeration that [`PFND3D12DDI_GET_DESCRIPTOR_SIZE_IN_BYTES`], [`PFND3D12DDI_COPY_DESCRIPTORS_0003`] and
    /// [`PFND3D12DDI_COPY_DESCRIPTORS_SIMPLE_0003`] take.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_DESCRIPTOR_HEAP_TYPE {
        /// Value 0.
        D3D12DDI_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV = 0,
        /// Value 1.
        D3D12DDI_DESCRIPTOR_HEAP_TYPE_SAMPLER = 1,
        /// Value 2.
        D3D12DDI_DESCRIPTOR_HEAP_TYPE_RTV = 2,
        /// Value 3.
        D3D12DDI_DESCRIPTOR_HEAP_TYPE_DSV = 3,
        /// Value 4.
        D3D12DDI_DESCRIPTOR_HEAP_TYPE_NUM_TYPES = 4,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDIARG_CREATE_DESCRIPTOR_HEAP_0001`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_DESCRIPTOR_HEAP_FLAGS {
        /// Value 0.
        D3D12DDI_DESCRIPTOR_HEAP_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_DESCRIPTOR_HEAP_FLAG_CPU_VISIBLE = 1,
        /// Value 2.
        D3D12DDI_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE = 2,
    }
}

ddi_enum! {
    /// The enumeration of `Type` in [`D3D12DDIARG_CREATE_QUERY_HEAP_0001`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_QUERY_HEAP_TYPE {
        /// Value 0.
        D3D12DDI_QUERY_HEAP_TYPE_OCCLUSION = 0,
        /// Value 1.
        D3D12DDI_QUERY_HEAP_TYPE_TIMESTAMP = 1,
        /// Value 2.
        D3D12DDI_QUERY_HEAP_TYPE_PIPELINE_STATISTICS = 2,
        /// Value 3.
        D3D12DDI_QUERY_HEAP_TYPE_SO_STATISTICS = 3,
        /// Value 4.
        D3D12DDI_QUERY_HEAP_TYPE_0020_VIDEO_DECODE_STATISTICS = 4,
        /// Value 5.
        D3D12DDI_QUERY_HEAP_TYPE_0032_COPY_QUEUE_TIMESTAMP = 5,
        /// Value 7.
        D3D12DDI_QUERY_HEAP_TYPE_PIPELINE_STATISTICS1 = 7,
    }
}

ddi_enum! {
    /// The enumeration that [`PFND3D12DDI_BEGIN_END_QUERY_0003`] and [`PFND3D12DDI_RESOLVE_QUERY_DATA`] take as
    /// `QueryType`.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_QUERY_TYPE {
        /// Value 0.
        D3D12DDI_QUERY_TYPE_OCCLUSION = 0,
        /// Value 1.
        D3D12DDI_QUERY_TYPE_BINARY_OCCLUSION = 1,
        /// Value 2.
        D3D12DDI_QUERY_TYPE_TIMESTAMP = 2,
        /// Value 3.
        D3D12DDI_QUERY_TYPE_PIPELINE_STATISTICS = 3,
        /// Value 4.
        D3D12DDI_QUERY_TYPE_SO_STATISTICS_STREAM0 = 4,
        /// Value 5.
        D3D12DDI_QUERY_TYPE_SO_STATISTICS_STREAM1 = 5,
        /// Value 6.
        D3D12DDI_QUERY_TYPE_SO_STATISTICS_STREAM2 = 6,
        /// Value 7.
        D3D12DDI_QUERY_TYPE_SO_STATISTICS_STREAM3 = 7,
        /// Value 8.
        D3D12DDI_QUERY_TYPE_0020_VIDEO_DECODE_STATISTICS = 8,
        /// Value 10.
        D3D12DDI_QUERY_TYPE_PIPELINE_STATISTICS1 = 10,
    }
}

ddi_enum! {
    /// The enumeration that [`PFND3D12DDI_SET_PREDICATION`] takes as `PredicationOp`.
    ///
    /// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from
    /// the WDK 10.0.28000 header.
    pub enum D3D12DDI_PREDICATION_OP {
        /// Value 0.
        D3D12DDI_PREDICATION_OP_EQUAL_ZERO = 0,
        /// Value 1.
        D3D12DDI_PREDICATION_OP_NOT_EQUAL_ZERO = 1,
    }
}

ddi_enum! {
    /// The enumeration of `Type` in [`D3D12DDI_INDIRECT_ARGUMENT_DESC`].
    ///
    /// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from
    /// the WDK 10.0.28000 header.
    pub enum D3D12DDI_INDIRECT_ARGUMENT_TYPE {
        /// Value 0.
        D3D12DDI_INDIRECT_ARGUMENT_TYPE_DRAW = 0,
        /// Value 1.
        D3D12DDI_INDIRECT_ARGUMENT_TYPE_DRAW_INDEXED = 1,
        /// Value 2.
        D3D12DDI_INDIRECT_ARGUMENT_TYPE_DISPATCH = 2,
        /// Value 3.
        D3D12DDI_INDIRECT_ARGUMENT_TYPE_VERTEX_BUFFER_VIEW = 3,
        /// Value 4.
        D3D12DDI_INDIRECT_ARGUMENT_TYPE_INDEX_BUFFER_VIEW = 4,
        /// Value 5.
        D3D12DDI_INDIRECT_ARGUMENT_TYPE_CONSTANT = 5,
        /// Value 6.
        D3D12DDI_INDIRECT_ARGUMENT_TYPE_CONSTANT_BUFFER_VIEW = 6,
        /// Value 7.
        D3D12DDI_INDIRECT_ARGUMENT_TYPE_SHADER_RESOURCE_VIEW = 7,
        /// Value 8.
        D3D12DDI_INDIRECT_ARGUMENT_TYPE_UNORDERED_ACCESS_VIEW = 8,
        /// Value 9.
        D3D12DDI_INDIRECT_ARGUMENT_TYPE_DISPATCH_RAYS = 9,
        /// Value 10.
        D3D12DDI_INDIRECT_ARGUMENT_TYPE_DISPATCH_MESH = 10,
        /// Value 11.
        D3D12DDI_INDIRECT_ARGUMENT_TYPE_INCREMENTING_CONSTANT = 11,
    }
}

ddi_enum! {
    /// The enumeration of `Type` in [`D3D12DDIARG_CREATE_COMMAND_LIST_0040`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_COMMAND_LIST_TYPE {
        /// Value 0.
        D3D12DDI_COMMAND_LIST_TYPE_DIRECT = 0,
        /// Value 1.
        D3D12DDI_COMMAND_LIST_TYPE_BUNDLE = 1,
    }
}

ddi_flags! {
    /// The enumeration of `CommandListFlags` in [`D3D12DDIARG_CREATE_COMMAND_LIST_0040`] and
    /// [`D3D12DDIARG_RESETCOMMANDLIST_0040`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_COMMAND_LIST_FLAGS {
        /// Value 0.
        D3D12DDI_COMMAND_LIST_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_COMMAND_LIST_FLAG_ENABLE_MARKERS = 1,
        /// Value 2.
        D3D12DDI_COMMAND_LIST_FLAG_0010_ENABLE_FULLPIPELINE_MARKERS = 2,
    }
}

ddi_flags! {
    /// The enumeration of `PoolFlags` in [`D3D12DDIARG_CREATE_COMMAND_POOL_0040`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_COMMAND_POOL_FLAGS {
        /// Value 0.
        D3D12DDI_COMMAND_POOL_FLAG_NONE = 0,
    }
}

ddi_flags! {
    /// The enumeration of `RecorderFlags` in [`D3D12DDIARG_CREATE_COMMAND_RECORDER_0040`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_COMMAND_RECORDER_FLAGS {
        /// Value 0.
        D3D12DDI_COMMAND_RECORDER_FLAG_NONE = 0,
    }
}

ddi_flags! {
    /// The enumeration of `QueueCreationFlags` in [`D3D12DDIARG_CREATECOMMANDQUEUE_0050`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_COMMAND_QUEUE_CREATION_FLAGS {
        /// Value 0.
        D3D12DDI_COMMAND_QUEUE_CREATION_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_COMMAND_QUEUE_CREATION_FLAG_GLOBAL_REALTIME_PRIORITY = 1,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDI_FENCE`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_FENCE_FLAGS {
        /// Value 0.
        D3D12DDI_FENCE_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_FENCE_FLAG_BOTTOM_OF_PIPE = 1,
    }
}

ddi_enum! {
    /// The enumeration of `FenceType` in [`D3D12DDIARG_CREATE_FENCE_0112`].
    ///
    /// Source: D3D12EnhancedBarriers.md.
    pub enum D3D12DDI_FENCE_TYPE_0112 {
        /// Value 0.
        D3D12DDI_FENCE_TYPE_MONITORED = 0,
        /// Value 1.
        D3D12DDI_FENCE_TYPE_NATIVE = 1,
        /// Value 2.
        D3D12DDI_FENCE_TYPE_OPENED_NATIVE = 2,
        /// Value 3.
        D3D12DDI_FENCE_TYPE_COMMAND_LIST_SCOPED = 3,
    }
}

/// What one argument of a command signature sets.
///
/// Source: the WDK reference pages for names; C types from bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDI_INDIRECT_ARGUMENT_DESC {
    /// x64 offset 0, x86 offset 0.
    pub Type: D3D12DDI_INDIRECT_ARGUMENT_TYPE,
    /// The anonymous union at x64 offset 4, x86 offset 4.
    pub Anonymous: D3D12DDI_INDIRECT_ARGUMENT_DESC_0,
}

/// Union member `Anonymous` of [`D3D12DDI_INDIRECT_ARGUMENT_DESC`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDI_INDIRECT_ARGUMENT_DESC_0 {
    /// VERTEX_BUFFER_VIEW.
    pub VertexBuffer: D3D12DDI_INDIRECT_ARGUMENT_DESC_VertexBuffer,
    /// CONSTANT.
    pub Constant: D3D12DDI_INDIRECT_ARGUMENT_DESC_Constant,
    /// CONSTANT_BUFFER_VIEW.
    pub ConstantBufferView: D3D12DDI_INDIRECT_ARGUMENT_DESC_View,
    /// SHADER_RESOURCE_VIEW.
    pub ShaderResourceView: D3D12DDI_INDIRECT_ARGUMENT_DESC_View,
    /// UNORDERED_ACCESS_VIEW.
    pub UnorderedAccessView: D3D12DDI_INDIRECT_ARGUMENT_DESC_View,
    /// INCREMENTING_CONSTANT.
    pub IncrementingConstant: D3D12DDI_INDIRECT_ARGUMENT_DESC_IncrementingConstant,
}

/// What an argument sets: a member of the union in [`D3D12DDI_INDIRECT_ARGUMENT_DESC`].
///
/// Source: bindings generated from the SDK 10.0.26100 header; the names of the structures are ours.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_INDIRECT_ARGUMENT_DESC_VertexBuffer {
    /// x64 offset 0, x86 offset 0.
    pub Slot: UINT,
}

/// What an argument sets: a member of the union in [`D3D12DDI_INDIRECT_ARGUMENT_DESC`].
///
/// Source: bindings generated from the SDK 10.0.26100 header; the names of the structures are ours.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_INDIRECT_ARGUMENT_DESC_Constant {
    /// x64 offset 0, x86 offset 0.
    pub RootParameterIndex: UINT,
    /// x64 offset 4, x86 offset 4.
    pub DestOffsetIn32BitValues: UINT,
    /// x64 offset 8, x86 offset 8.
    pub Num32BitValuesToSet: UINT,
}

/// What an argument sets: a member of the union in [`D3D12DDI_INDIRECT_ARGUMENT_DESC`].
///
/// Source: bindings generated from the SDK 10.0.26100 header; the names of the structures are ours.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_INDIRECT_ARGUMENT_DESC_View {
    /// x64 offset 0, x86 offset 0.
    pub RootParameterIndex: UINT,
}

/// What an argument sets: a member of the union in [`D3D12DDI_INDIRECT_ARGUMENT_DESC`].
///
/// Source: bindings generated from the SDK 10.0.26100 header; the names of the structures are ours.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_INDIRECT_ARGUMENT_DESC_IncrementingConstant {
    /// x64 offset 0, x86 offset 0.
    pub RootParameterIndex: UINT,
    /// x64 offset 4, x86 offset 4.
    pub DestOffsetIn32BitValues: UINT,
}
