//! Devices, heaps and resources.

use core::ffi::c_void;

use bytemuck::Zeroable;

use crate::*;

/// An argument: `D3D12DDIARG_CALCPRIVATEDEVICESIZE`.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_CALCPRIVATEDEVICESIZE {
    /// x64 offset 0, x86 offset 0.
    pub Interface: UINT,
    /// x64 offset 4, x86 offset 4.
    pub Version: UINT,
    /// x64 offset 8, x86 offset 8.
    pub Flags: D3D12DDI_CREATE_DEVICE_FLAGS,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATEDEVICE_0003`. Bindings generated from the WDK
/// 10.0.28000 header (28000) has two more union arms: _0112, _0116.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_CREATEDEVICE_0003 {
    /// x64 offset 0, x86 offset 0.
    pub hRTDevice: D3D12DDI_HRTDEVICE,
    /// x64 offset 8, x86 offset 4.
    pub Interface: UINT,
    /// x64 offset 12, x86 offset 8.
    pub Version: UINT,
    /// x64 offset 16, x86 offset 12.
    pub pKTCallbacks: *const D3DDDI_DEVICECALLBACKS,
    /// x64 offset 24, x86 offset 16.
    pub hDrvDevice: D3D12DDI_HDEVICE,
    /// The anonymous union at x64 offset 32, x86 offset 20.
    pub Anonymous: D3D12DDIARG_CREATEDEVICE_0003_0,
    /// x64 offset 40, x86 offset 24.
    pub Flags: D3D12DDI_CREATE_DEVICE_FLAGS,
}

/// Union member `Anonymous` of [`D3D12DDIARG_CREATEDEVICE_0003`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_CREATEDEVICE_0003_0 {
    /// One reading of the bytes at x64 offset 32, x86 offset 20.
    pub p12UMCallbacks: *const D3D12DDI_CORELAYER_DEVICECALLBACKS_0003,
    /// One reading of the bytes at x64 offset 32, x86 offset 20.
    pub p12UMCallbacks_0022: *const D3D12DDI_CORELAYER_DEVICECALLBACKS_0022,
    /// One reading of the bytes at x64 offset 32, x86 offset 20.
    pub p12UMCallbacks_0050: *const D3D12DDI_CORELAYER_DEVICECALLBACKS_0050,
    /// One reading of the bytes at x64 offset 32, x86 offset 20.
    pub p12UMCallbacks_0062: *const D3D12DDI_CORELAYER_DEVICECALLBACKS_0062,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATEDEVICE_0109`. PReserveRanges may be null when
/// NumReserveRanges is 0.
///
/// Source: RecreateAtGpuva.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_CREATEDEVICE_0109 {
    /// x64 offset 0, x86 offset 0.
    pub hRTDevice: D3D12DDI_HRTDEVICE,
    /// x64 offset 8, x86 offset 4.
    pub Interface: UINT,
    /// x64 offset 12, x86 offset 8.
    pub Version: UINT,
    /// x64 offset 16, x86 offset 12.
    pub pKTCallbacks: *const D3DDDI_DEVICECALLBACKS,
    /// x64 offset 24, x86 offset 16.
    pub hDrvDevice: D3D12DDI_HDEVICE,
    /// The anonymous union at x64 offset 32, x86 offset 20.
    pub Anonymous: D3D12DDIARG_CREATEDEVICE_0109_0,
    /// x64 offset 40, x86 offset 24.
    pub Flags: D3D12DDI_CREATE_DEVICE_FLAGS,
    /// x64 offset 48, x86 offset 28.
    pub pReserveRanges: *mut D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE,
    /// x64 offset 56, x86 offset 32.
    pub NumReserveRanges: UINT,
}

/// Union member `Anonymous` of [`D3D12DDIARG_CREATEDEVICE_0109`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_CREATEDEVICE_0109_0 {
    /// One reading of the bytes at x64 offset 32, x86 offset 20.
    pub p12UMCallbacks: *const D3D12DDI_CORELAYER_DEVICECALLBACKS_0003,
    /// One reading of the bytes at x64 offset 32, x86 offset 20.
    pub p12UMCallbacks_0022: *const D3D12DDI_CORELAYER_DEVICECALLBACKS_0022,
    /// One reading of the bytes at x64 offset 32, x86 offset 20.
    pub p12UMCallbacks_0050: *const D3D12DDI_CORELAYER_DEVICECALLBACKS_0050,
    /// One reading of the bytes at x64 offset 32, x86 offset 20.
    pub p12UMCallbacks_0062: *const D3D12DDI_CORELAYER_DEVICECALLBACKS_0062,
}

/// The structure of members of [`D3D12DDI_SET_WORK_GRAPH_DESC_0108`], [`D3D12DDIARG_CREATEDEVICE_0109`] and
/// [`D3D12DDIARG_DISPATCH_RAYS_0054`].
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE {
    /// x64 offset 0, x86 offset 0.
    pub StartAddress: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub SizeInBytes: UINT64,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATEHEAP_0001`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_CREATEHEAP_0001 {
    /// x64 offset 0, x86 offset 0.
    pub ByteSize: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub Alignment: UINT64,
    /// x64 offset 16, x86 offset 16.
    pub MemoryPool: D3D12DDI_MEMORY_POOL,
    /// x64 offset 20, x86 offset 20.
    pub CPUPageProperty: D3D12DDI_CPU_PAGE_PROPERTY,
    /// x64 offset 24, x86 offset 24.
    pub Flags: D3D12DDI_HEAP_FLAGS,
    /// x64 offset 28, x86 offset 28.
    pub CreationNodeMask: UINT,
    /// x64 offset 32, x86 offset 32.
    pub VisibleNodeMask: UINT,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATERESOURCE_0109`. CreateAtVirtualAddress 0 means none;
/// functional from DDI 0111 on.
///
/// Source: RecreateAtGpuva.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_CREATERESOURCE_0109 {
    /// x64 offset 0, x86 offset 0.
    pub ReuseBufferGPUVA: D3D12DDIARG_BUFFER_PLACEMENT,
    /// x64 offset 16, x86 offset 16.
    pub ResourceType: D3D12DDI_RESOURCE_TYPE,
    /// x64 offset 24, x86 offset 24.
    pub Width: UINT64,
    /// x64 offset 32, x86 offset 32.
    pub Height: UINT,
    /// x64 offset 36, x86 offset 36.
    pub DepthOrArraySize: UINT16,
    /// x64 offset 38, x86 offset 38.
    pub MipLevels: UINT16,
    /// x64 offset 40, x86 offset 40.
    pub Format: DXGI_FORMAT,
    /// x64 offset 44, x86 offset 44.
    pub SampleDesc: DXGI_SAMPLE_DESC,
    /// x64 offset 52, x86 offset 52.
    pub Layout: D3D12DDI_TEXTURE_LAYOUT,
    /// x64 offset 56, x86 offset 56.
    pub Flags: D3D12DDI_RESOURCE_FLAGS_0003,
    /// x64 offset 60, x86 offset 60.
    pub InitialBarrierLayout: D3D12DDI_BARRIER_LAYOUT,
    /// x64 offset 64, x86 offset 64.
    pub pRowMajorLayout: *const D3D12DDIARG_ROW_MAJOR_RESOURCE_LAYOUT,
    /// x64 offset 72, x86 offset 68.
    pub SamplerFeedbackMipRegion: D3D12DDI_MIP_REGION_0075,
    /// x64 offset 84, x86 offset 80.
    pub NumCastableFormats: UINT,
    /// x64 offset 88, x86 offset 84.
    pub pCastableFormats: *const DXGI_FORMAT,
    /// x64 offset 96, x86 offset 88.
    pub CreateAtVirtualAddress: UINT64,
}

/// What the host passes to create an object: `D3D12DDIARG_CREATERESOURCE_0111`. 0109 plus LayoutGuid
/// (D3D12GUIDTextureLayout.md).
///
/// Source: D3D12GUIDTextureLayout.md.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_CREATERESOURCE_0111 {
    /// x64 offset 0, x86 offset 0.
    pub ReuseBufferGPUVA: D3D12DDIARG_BUFFER_PLACEMENT,
    /// x64 offset 16, x86 offset 16.
    pub ResourceType: D3D12DDI_RESOURCE_TYPE,
    /// x64 offset 24, x86 offset 24.
    pub Width: UINT64,
    /// x64 offset 32, x86 offset 32.
    pub Height: UINT,
    /// x64 offset 36, x86 offset 36.
    pub DepthOrArraySize: UINT16,
    /// x64 offset 38, x86 offset 38.
    pub MipLevels: UINT16,
    /// x64 offset 40, x86 offset 40.
    pub Format: DXGI_FORMAT,
    /// x64 offset 44, x86 offset 44.
    pub SampleDesc: DXGI_SAMPLE_DESC,
    /// x64 offset 52, x86 offset 52.
    pub Layout: D3D12DDI_TEXTURE_LAYOUT,
    /// x64 offset 56, x86 offset 56.
    pub Flags: D3D12DDI_RESOURCE_FLAGS_0003,
    /// x64 offset 60, x86 offset 60.
    pub InitialBarrierLayout: D3D12DDI_BARRIER_LAYOUT,
    /// x64 offset 64, x86 offset 64.
    pub pRowMajorLayout: *const D3D12DDIARG_ROW_MAJOR_RESOURCE_LAYOUT,
    /// x64 offset 72, x86 offset 68.
    pub SamplerFeedbackMipRegion: D3D12DDI_MIP_REGION_0075,
    /// x64 offset 84, x86 offset 80.
    pub NumCastableFormats: UINT32,
    /// x64 offset 88, x86 offset 84.
    pub pCastableFormats: *const DXGI_FORMAT,
    /// x64 offset 96, x86 offset 88.
    pub CreateAtVirtualAddress: D3D12DDI_GPU_VIRTUAL_ADDRESS,
    /// x64 offset 104, x86 offset 96.
    pub LayoutGuid: GUID,
}

/// An argument: `D3D12DDIARG_BUFFER_PLACEMENT`. The union has one arm in the public header.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDIARG_BUFFER_PLACEMENT {
    /// The tagless union `BaseAddress`: x64 offset 0, x86 offset 0.
    pub BaseAddress: D3D12DDIARG_BUFFER_PLACEMENT_BaseAddress,
}

/// Union member `BaseAddress` of [`D3D12DDIARG_BUFFER_PLACEMENT`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDIARG_BUFFER_PLACEMENT_BaseAddress {
    /// One reading of the bytes at x64 offset 0, x86 offset 0.
    pub UMD: D3D12DDIARG_HRESOURCE_PLACEMENT,
}

/// An argument: `D3D12DDIARG_HRESOURCE_PLACEMENT`.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_HRESOURCE_PLACEMENT {
    /// x64 offset 0, x86 offset 0.
    pub hResource: D3D12DDI_HRESOURCE,
    /// x64 offset 8, x86 offset 8.
    pub Offset: UINT64,
}

/// An argument: `D3D12DDIARG_ROW_MAJOR_RESOURCE_LAYOUT`.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_ROW_MAJOR_RESOURCE_LAYOUT {
    /// x64 offset 0, x86 offset 0.
    pub RowPitch: UINT,
    /// x64 offset 4, x86 offset 4.
    pub SlicePitch: UINT,
}

/// The structure of `SamplerFeedbackMipRegion` in [`D3D12DDIARG_CREATERESOURCE_0109`] and
/// [`D3D12DDIARG_CREATERESOURCE_0111`].
///
/// Source: SamplerFeedback.md, the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_MIP_REGION_0075 {
    /// x64 offset 0, x86 offset 0.
    pub Width: UINT,
    /// x64 offset 4, x86 offset 4.
    pub Height: UINT,
    /// x64 offset 8, x86 offset 8.
    pub Depth: UINT,
}

/// The structure that [`PFND3D12DDI_CREATEHEAPANDRESOURCE_0109`] and [`PFND3D12DDI_CREATEHEAPANDRESOURCE_0111`] take as
/// `pClearValues`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct D3D12DDI_CLEAR_VALUES {
    /// x64 offset 0, x86 offset 0.
    pub Format: DXGI_FORMAT,
    /// The anonymous union at x64 offset 4, x86 offset 4.
    pub Anonymous: D3D12DDI_CLEAR_VALUES_0,
}

/// Union member `Anonymous` of [`D3D12DDI_CLEAR_VALUES`].
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub union D3D12DDI_CLEAR_VALUES_0 {
    /// One reading of the bytes at x64 offset 4, x86 offset 4.
    pub Color: [FLOAT; 4],
    /// One reading of the bytes at x64 offset 4, x86 offset 4.
    pub DepthStencil: D3D12DDI_DEPTH_STENCIL_VALUES,
}

/// The structure of `DepthStencil` in [`D3D12DDI_CLEAR_VALUES`].
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_DEPTH_STENCIL_VALUES {
    /// x64 offset 0, x86 offset 0.
    pub Depth: FLOAT,
    /// x64 offset 4, x86 offset 4.
    pub Stencil: UINT8,
}

/// The structure that [`PFND3D12DDI_CALCPRIVATEHEAPANDRESOURCESIZES_0109`],
/// [`PFND3D12DDI_CALCPRIVATEOPENEDHEAPANDRESOURCESIZES_0043`] and [`PFND3D12DDI_CALCPRIVATEHEAPANDRESOURCESIZES_0111`]
/// return.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_HEAP_AND_RESOURCE_SIZES {
    /// x64 offset 0, x86 offset 0.
    pub Heap: SIZE_T,
    /// x64 offset 8, x86 offset 4.
    pub Resource: SIZE_T,
}

/// The structure that [`PFND3D12DDI_CHECKRESOURCEALLOCATIONINFO_0109`],
/// [`PFND3D12DDI_CHECKEXISITINGRESOURCEALLOCATIONINFO_0022`] and [`PFND3D12DDI_CHECKRESOURCEALLOCATIONINFO_0111`] take
/// as `pResourceAllocationInfo`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RESOURCE_ALLOCATION_INFO_0022 {
    /// x64 offset 0, x86 offset 0.
    pub ResourceDataSize: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub AdditionalDataHeaderSize: UINT64,
    /// x64 offset 16, x86 offset 16.
    pub AdditionalDataSize: UINT64,
    /// x64 offset 24, x86 offset 24.
    pub ResourceDataAlignment: UINT,
    /// x64 offset 28, x86 offset 28.
    pub AdditionalDataHeaderAlignment: UINT,
    /// x64 offset 32, x86 offset 32.
    pub AdditionalDataAlignment: UINT,
    /// x64 offset 36, x86 offset 36.
    pub Layout: D3D12DDI_TEXTURE_LAYOUT,
    /// x64 offset 40, x86 offset 40.
    pub MipLevelSwizzleTransition: [UINT8; 5],
    /// x64 offset 45, x86 offset 45.
    pub PlaneSliceSwizzleTransition: [UINT8; 2],
}

/// The structure that [`PFND3D12DDI_CHECKSUBRESOURCEINFO`] takes as `pSubresourceInfo`.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_SUBRESOURCE_INFO {
    /// x64 offset 0, x86 offset 0.
    pub Offset: UINT64,
    /// x64 offset 8, x86 offset 8.
    pub RowStride: UINT64,
    /// x64 offset 16, x86 offset 16.
    pub DepthStride: UINT64,
    /// x64 offset 24, x86 offset 24.
    pub RowBytePreSwizzleOffset: UINT16,
    /// x64 offset 26, x86 offset 26.
    pub ColumnPreSwizzleOffset: UINT16,
    /// x64 offset 28, x86 offset 28.
    pub DepthPreSwizzleOffset: UINT16,
}

/// An argument: `D3D12DDIARG_OPENHEAP_0003`. POpenAllocationInfo is an array of D3DDDI open-allocation records: pointee
/// unverified.
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_OPENHEAP_0003 {
    /// x64 offset 0, x86 offset 0.
    pub NumAllocations: UINT,
    /// x64 offset 8, x86 offset 4.
    pub pOpenAllocationInfo: *const c_void,
    /// x64 offset 16, x86 offset 8.
    pub hKMResource: D3D12DDI_HKMRESOURCE,
    /// x64 offset 24, x86 offset 12.
    pub pPrivateDriverData: *mut c_void,
    /// x64 offset 32, x86 offset 16.
    pub PrivateDriverDataSize: UINT,
    /// x64 offset 36, x86 offset 20.
    pub InitialResourceState: D3D12DDI_RESOURCE_STATES,
}

/// The structure that [`PFND3D12DDI_GET_DEBUG_ALLOCATION_INFO_0014`], [`PFND3D12DDI_SHADERCACHE_GETVALUE_CB_0114`] and
/// 2 more take.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_HANDLE_AND_TYPE {
    /// x64 offset 0, x86 offset 0.
    pub Handle: *mut c_void,
    /// x64 offset 8, x86 offset 4.
    pub Type: D3D12DDI_HANDLETYPE,
}

/// An argument: `D3D12DDIARG_MAKERESIDENT_0001`.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_MAKERESIDENT_0001 {
    /// x64 offset 0, x86 offset 0.
    pub NumAdapters: UINT,
    /// x64 offset 8, x86 offset 4.
    pub pRTPagingQueue: *const D3D12DDI_HRTPAGINGQUEUE,
    /// x64 offset 16, x86 offset 8.
    pub NumObjects: UINT,
    /// x64 offset 24, x86 offset 12.
    pub pObjects: *const D3D12DDI_HANDLE_AND_TYPE,
    /// x64 offset 32, x86 offset 16.
    pub Flags: D3DDDI_MAKERESIDENT_FLAGS,
    /// x64 offset 40, x86 offset 20.
    pub pPagingFenceValue: *mut UINT64,
    /// x64 offset 48, x86 offset 24.
    pub WaitMask: UINT,
}

/// An argument: `D3D12DDIARG_EVICT`.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_EVICT {
    /// x64 offset 0, x86 offset 0.
    pub NumObjects: UINT,
    /// x64 offset 8, x86 offset 4.
    pub pObjects: *const D3D12DDI_HANDLE_AND_TYPE,
    /// x64 offset 16, x86 offset 8.
    pub Flags: D3DDDI_EVICT_FLAGS,
}

/// An argument: `D3D12DDIARG_OFFERRESOURCES`.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_OFFERRESOURCES {
    /// x64 offset 0, x86 offset 0.
    pub NumObjects: UINT,
    /// x64 offset 8, x86 offset 4.
    pub pObjects: *const D3D12DDI_HANDLE_AND_TYPE,
    /// x64 offset 16, x86 offset 8.
    pub Priority: D3DDDI_OFFER_PRIORITY,
}

/// An argument: `D3D12DDIARG_RECLAIMRESOURCES_0001`.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_RECLAIMRESOURCES_0001 {
    /// x64 offset 0, x86 offset 0.
    pub NumAdapters: UINT,
    /// x64 offset 8, x86 offset 4.
    pub pRTPagingQueue: *const D3D12DDI_HRTPAGINGQUEUE,
    /// x64 offset 16, x86 offset 8.
    pub NumObjects: UINT,
    /// x64 offset 24, x86 offset 12.
    pub pObjects: *const D3D12DDI_HANDLE_AND_TYPE,
    /// x64 offset 32, x86 offset 16.
    pub pDiscarded: *mut BOOL,
    /// x64 offset 40, x86 offset 20.
    pub pPagingFenceValue: *mut UINT64,
    /// x64 offset 48, x86 offset 24.
    pub WaitMask: UINT,
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDIARG_CALCPRIVATEDEVICESIZE`], [`D3D12DDIARG_CREATEDEVICE_0003`] and
    /// [`D3D12DDIARG_CREATEDEVICE_0109`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_CREATE_DEVICE_FLAGS {
        /// Value 0.
        D3D12DDI_CREATE_DEVICE_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_CREATE_DEVICE_FLAG_DISABLE_IMPLICIT_MGPU = 1,
        /// Value 2.
        D3D12DDI_CREATE_DEVICE_FLAG_DEBUGGABLE = 2,
    }
}

ddi_enum! {
    /// The enumeration of `Type` in [`D3D12DDI_HANDLE_AND_TYPE`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_HANDLETYPE {
        /// Value 19.
        D3D12DDI_HT_COMMAND_QUEUE = 19,
        /// Value 20.
        D3D12DDI_HT_COMMAND_ALLOCATOR = 20,
        /// Value 21.
        D3D12DDI_HT_PIPELINE_STATE = 21,
        /// Value 22.
        D3D12DDI_HT_COMMAND_LIST = 22,
        /// Value 23.
        D3D12DDI_HT_FENCE = 23,
        /// Value 24.
        D3D12DDI_HT_DESCRIPTOR_HEAP = 24,
        /// Value 25.
        D3D12DDI_HT_HEAP = 25,
        /// Value 27.
        D3D12DDI_HT_QUERY_HEAP = 27,
        /// Value 28.
        D3D12DDI_HT_COMMAND_SIGNATURE = 28,
        /// Value 29.
        D3D12DDI_HT_0010_PIPELINE_LIBRARY = 29,
        /// Value 30.
        D3D12DDI_HT_0020_VIDEO_DECODER = 30,
        /// Value 32.
        D3D12DDI_HT_0020_VIDEO_PROCESSOR = 32,
        /// Value 34.
        D3D12DDI_HT_0012_RESOURCE = 34,
        /// Value 35.
        D3D12DDI_HT_PASS = 35,
        /// Value 36.
        D3D12DDI_HT_0030_CRYPTOSESSION = 36,
        /// Value 37.
        D3D12DDI_HT_0030_CRYPTOSESSIONPOLICY = 37,
        /// Value 38.
        D3D12DDI_HT_0030_PROTECTEDRESOURCESESSION = 38,
        /// Value 39.
        D3D12DDI_HT_0032_VIDEO_DECODER_HEAP = 39,
        /// Value 40.
        D3D12DDI_HT_0040_COMMAND_POOL = 40,
        /// Value 41.
        D3D12DDI_HT_0040_COMMAND_RECORDER = 41,
        /// Value 42.
        D3D12DDI_HT_0054_STATE_OBJECT = 42,
        /// Value 43.
        D3D12DDI_HT_METACOMMAND = 43,
        /// Value 44.
        D3D12DDI_HT_0050_SCHEDULINGGROUP = 44,
        /// Value 45.
        D3D12DDI_HT_0053_VIDEO_MOTION_ESTIMATOR = 45,
        /// Value 46.
        D3D12DDI_HT_0053_VIDEO_MOTION_VECTOR_HEAP = 46,
        /// Value 47.
        D3D12DDI_HT_0061_VIDEO_EXTENSION_COMMAND = 47,
        /// Value 48.
        D3D12DDI_HT_0080_VIDEO_ENCODER = 48,
        /// Value 49.
        D3D12DDI_HT_0080_VIDEO_ENCODER_HEAP = 49,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDIARG_CREATEHEAP_0001`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_HEAP_FLAGS {
        /// Value 0.
        D3D12DDI_HEAP_FLAG_NONE = 0,
        /// Value 2.
        D3D12DDI_HEAP_FLAG_NON_RT_DS_TEXTURES = 2,
        /// Value 4.
        D3D12DDI_HEAP_FLAG_BUFFERS = 4,
        /// Value 8.
        D3D12DDI_HEAP_FLAG_COHERENT_SYSTEMWIDE = 8,
        /// Value 16.
        D3D12DDI_HEAP_FLAG_PRIMARY = 16,
        /// Value 32.
        D3D12DDI_HEAP_FLAG_RT_DS_TEXTURES = 32,
        /// Value 64.
        D3D12DDI_HEAP_FLAG_0041_DENY_L0_DEMOTION = 64,
    }
}

ddi_enum! {
    /// The enumeration of `MemoryPool` in [`D3D12DDIARG_CREATEHEAP_0001`] and
    /// [`D3D12DDI_FEATURE_DATA_PLACED_RESOURCE_SUPPORT_INFO_106`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_MEMORY_POOL {
        /// Value 0.
        D3D12DDI_MEMORY_POOL_L0 = 0,
        /// Value 1.
        D3D12DDI_MEMORY_POOL_L1 = 1,
    }
}

ddi_enum! {
    /// The enumeration of `CPUPageProperty` in [`D3D12DDIARG_CREATEHEAP_0001`] and
    /// [`D3D12DDI_FEATURE_DATA_PLACED_RESOURCE_SUPPORT_INFO_106`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_CPU_PAGE_PROPERTY {
        /// Value 0.
        D3D12DDI_CPU_PAGE_PROPERTY_NOT_AVAILABLE = 0,
        /// Value 1.
        D3D12DDI_CPU_PAGE_PROPERTY_WRITE_COMBINE = 1,
        /// Value 2.
        D3D12DDI_CPU_PAGE_PROPERTY_WRITE_BACK = 2,
    }
}

ddi_enum! {
    /// The enumeration of `ResourceType` in [`D3D12DDIARG_CREATERESOURCE_0109`], [`D3D12DDIARG_CREATERESOURCE_0111`]
    /// and [`D3D12DDI_FEATURE_DATA_PLACED_RESOURCE_SUPPORT_INFO_106`].
    ///
    /// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from
    /// the WDK 10.0.28000 header.
    pub enum D3D12DDI_RESOURCE_TYPE {
        /// Value 1.
        D3D12DDI_RT_BUFFER = 1,
        /// Value 2.
        D3D12DDI_RT_TEXTURE1D = 2,
        /// Value 3.
        D3D12DDI_RT_TEXTURE2D = 3,
        /// Value 4.
        D3D12DDI_RT_TEXTURE3D = 4,
    }
}

ddi_enum! {
    /// The enumeration of `ResourceDimension` in [`D3D12DDIARG_CREATE_SHADER_RESOURCE_VIEW_0002`],
    /// [`D3D12DDIARG_CREATE_UNORDERED_ACCESS_VIEW_0002`] and 2 more.
    ///
    /// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from
    /// the WDK 10.0.28000 header.
    pub enum D3D12DDI_RESOURCE_DIMENSION {
        /// Value 1.
        D3D12DDI_RD_BUFFER = 1,
        /// Value 2.
        D3D12DDI_RD_TEXTURE1D = 2,
        /// Value 3.
        D3D12DDI_RD_TEXTURE2D = 3,
        /// Value 4.
        D3D12DDI_RD_TEXTURE3D = 4,
        /// Value 5.
        D3D12DDI_RD_TEXTURECUBE = 5,
        /// Value 6.
        D3D12DDI_RD_RAYTRACING_ACCELERATION_STRUCTURE_0042 = 6,
    }
}

ddi_enum! {
    /// The enumeration of `Layout` in [`D3D12DDIARG_CREATERESOURCE_0109`], [`D3D12DDIARG_CREATERESOURCE_0111`] and
    /// [`D3D12DDI_RESOURCE_ALLOCATION_INFO_0022`].
    ///
    /// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from
    /// the WDK 10.0.28000 header.
    pub enum D3D12DDI_TEXTURE_LAYOUT {
        /// Value 0.
        D3D12DDI_TL_UNDEFINED = 0,
        /// Value 1.
        D3D12DDI_TL_ROW_MAJOR = 1,
        /// Value 2.
        D3D12DDI_TL_64KB_TILE_UNDEFINED_SWIZZLE = 2,
        /// Value 3.
        D3D12DDI_TL_64KB_TILE_STANDARD_SWIZZLE = 3,
        /// Value 4. 28000 header; DDI 0111.
        D3D12DDI_TL_GUID = 4,
        /// Value 256.
        D3D12DDI_TL_DEVICE_DEPENDENT_SWIZZLE_0 = 256,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDIARG_CREATERESOURCE_0109`] and [`D3D12DDIARG_CREATERESOURCE_0111`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_RESOURCE_FLAGS_0003 {
        /// Value 0.
        D3D12DDI_RESOURCE_FLAG_0003_NONE = 0,
        /// Value 1.
        D3D12DDI_RESOURCE_FLAG_0003_RENDER_TARGET = 1,
        /// Value 2.
        D3D12DDI_RESOURCE_FLAG_0003_DEPTH_STENCIL = 2,
        /// Value 4.
        D3D12DDI_RESOURCE_FLAG_0003_CROSS_ADAPTER = 4,
        /// Value 8.
        D3D12DDI_RESOURCE_FLAG_0003_SIMULTANEOUS_ACCESS = 8,
        /// Value 16.
        D3D12DDI_RESOURCE_FLAG_0003_SHADER_RESOURCE = 16,
        /// Value 32.
        D3D12DDI_RESOURCE_FLAG_0020_VIDEO_DECODE_REFERENCE_ONLY = 32,
        /// Value 64.
        D3D12DDI_RESOURCE_FLAG_0020_CONTENT_PROTECTION = 64,
        /// Value 128.
        D3D12DDI_RESOURCE_FLAG_0022_UNORDERED_ACCESS = 128,
        /// Value 256.
        D3D12DDI_RESOURCE_FLAG_0041_ONLY_NON_RT_DS_TEXTURE_PLACEMENT = 256,
        /// Value 512.
        D3D12DDI_RESOURCE_FLAG_0041_ONLY_RT_DS_TEXTURE_PLACEMENT = 512,
        /// Value 1024.
        D3D12DDI_RESOURCE_FLAG_0041_4MB_ALIGNED = 1024,
        /// Value 2048.
        D3D12DDI_RESOURCE_FLAG_0073_SAMPLER_FEEDBACK = 2048,
        /// Value 4096.
        D3D12DDI_RESOURCE_FLAG_0080_VIDEO_ENCODE_REFERENCE_ONLY = 4096,
        /// Value 8192.
        D3D12DDI_RESOURCE_FLAG_0088_RAYTRACING_ACCELERATION_STRUCTURE = 8192,
        /// Value 32768. 28000 header; also D3D12TightPlacedResourceAlignment.md.
        D3D12DDI_RESOURCE_FLAG_0111_USE_TIGHT_ALIGNMENT = 32768,
        /// Value 65536. 28000 header.
        D3D12DDI_RESOURCE_FLAG_0106_VIDEO_PROCESS_1DLUT_ONLY = 0x0001_0000,
    }
}

ddi_flags! {
    /// The enumeration of members of [`D3D12DDIARG_OPENHEAP_0003`], [`D3D12DDIARG_META_COMMAND_PARAMETER_DESC`] and
    /// [`D3D12DDI_RESOURCE_TRANSITION_BARRIER_0003`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_RESOURCE_STATES {
        /// Value 0.
        D3D12DDI_RESOURCE_STATE_COMMON = 0,
        /// Value 1.
        D3D12DDI_RESOURCE_STATE_VERTEX_AND_CONSTANT_BUFFER = 1,
        /// Value 2.
        D3D12DDI_RESOURCE_STATE_INDEX_BUFFER = 2,
        /// Value 4.
        D3D12DDI_RESOURCE_STATE_RENDER_TARGET = 4,
        /// Value 8.
        D3D12DDI_RESOURCE_STATE_UNORDERED_ACCESS = 8,
        /// Value 16.
        D3D12DDI_RESOURCE_STATE_DEPTH_WRITE = 16,
        /// Value 32.
        D3D12DDI_RESOURCE_STATE_DEPTH_READ = 32,
        /// Value 64.
        D3D12DDI_RESOURCE_STATE_NON_PIXEL_SHADER_RESOURCE = 64,
        /// Value 128.
        D3D12DDI_RESOURCE_STATE_PIXEL_SHADER_RESOURCE = 128,
        /// Value 256.
        D3D12DDI_RESOURCE_STATE_STREAM_OUT = 256,
        /// Value 512.
        D3D12DDI_RESOURCE_STATE_INDIRECT_ARGUMENT = 512,
        /// Value 1024.
        D3D12DDI_RESOURCE_STATE_COPY_DEST = 1024,
        /// Value 2048.
        D3D12DDI_RESOURCE_STATE_COPY_SOURCE = 2048,
        /// Value 4096.
        D3D12DDI_RESOURCE_STATE_RESOLVE_DEST = 4096,
        /// Value 8192.
        D3D12DDI_RESOURCE_STATE_RESOLVE_SOURCE = 8192,
        /// Value 65536.
        D3D12DDI_RESOURCE_STATE_0020_VIDEO_DECODE_READ = 0x0001_0000,
        /// Value 131072.
        D3D12DDI_RESOURCE_STATE_0020_VIDEO_DECODE_WRITE = 0x0002_0000,
        /// Value 262144.
        D3D12DDI_RESOURCE_STATE_0020_VIDEO_PROCESS_READ = 0x0004_0000,
        /// Value 524288.
        D3D12DDI_RESOURCE_STATE_0020_VIDEO_PROCESS_WRITE = 0x0008_0000,
        /// Value 2097152.
        D3D12DDI_RESOURCE_STATE_0060_VIDEO_ENCODE_READ = 0x0020_0000,
        /// Value 8388608.
        D3D12DDI_RESOURCE_STATE_0060_VIDEO_ENCODE_WRITE = 0x0080_0000,
        /// Value 16777216.
        D3D12DDI_RESOURCE_STATE_0062_SHADING_RATE_SOURCE = 0x0100_0000,
        /// Value 4194304.
        D3D12DDI_RESOURCE_STATE_RAYTRACING_ACCELERATION_STRUCTURE = 0x0040_0000,
    }
}

ddi_enum! {
    /// The enumeration of members of [`D3D12DDIARG_CREATERESOURCE_0109`], [`D3D12DDIARG_CREATERESOURCE_0111`] and
    /// [`D3D12DDI_TEXTURE_BARRIER_0088`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_BARRIER_LAYOUT {
        /// Value -1.
        D3D12DDI_BARRIER_LAYOUT_UNDEFINED = -1,
        /// Value 0.
        D3D12DDI_BARRIER_LAYOUT_COMMON = 0,
        /// Value 0.
        D3D12DDI_BARRIER_LAYOUT_PRESENT = 0,
        /// Value 1.
        D3D12DDI_BARRIER_LAYOUT_GENERIC_READ = 1,
        /// Value 2.
        D3D12DDI_BARRIER_LAYOUT_RENDER_TARGET = 2,
        /// Value 3.
        D3D12DDI_BARRIER_LAYOUT_UNORDERED_ACCESS = 3,
        /// Value 4.
        D3D12DDI_BARRIER_LAYOUT_DEPTH_STENCIL_WRITE = 4,
        /// Value 5.
        D3D12DDI_BARRIER_LAYOUT_DEPTH_STENCIL_READ = 5,
        /// Value 6.
        D3D12DDI_BARRIER_LAYOUT_SHADER_RESOURCE = 6,
        /// Value 7.
        D3D12DDI_BARRIER_LAYOUT_COPY_SOURCE = 7,
        /// Value 8.
        D3D12DDI_BARRIER_LAYOUT_COPY_DEST = 8,
        /// Value 9.
        D3D12DDI_BARRIER_LAYOUT_RESOLVE_SOURCE = 9,
        /// Value 10.
        D3D12DDI_BARRIER_LAYOUT_RESOLVE_DEST = 10,
        /// Value 11.
        D3D12DDI_BARRIER_LAYOUT_SHADING_RATE_SOURCE = 11,
        /// Value 12.
        D3D12DDI_BARRIER_LAYOUT_VIDEO_DECODE_READ = 12,
        /// Value 13.
        D3D12DDI_BARRIER_LAYOUT_VIDEO_DECODE_WRITE = 13,
        /// Value 14.
        D3D12DDI_BARRIER_LAYOUT_VIDEO_PROCESS_READ = 14,
        /// Value 15.
        D3D12DDI_BARRIER_LAYOUT_VIDEO_PROCESS_WRITE = 15,
        /// Value 16.
        D3D12DDI_BARRIER_LAYOUT_VIDEO_ENCODE_READ = 16,
        /// Value 17.
        D3D12DDI_BARRIER_LAYOUT_VIDEO_ENCODE_WRITE = 17,
        /// Value 18.
        D3D12DDI_BARRIER_LAYOUT_DIRECT_QUEUE_COMMON = 18,
        /// Value 19.
        D3D12DDI_BARRIER_LAYOUT_DIRECT_QUEUE_GENERIC_READ = 19,
        /// Value 20.
        D3D12DDI_BARRIER_LAYOUT_DIRECT_QUEUE_UNORDERED_ACCESS = 20,
        /// Value 21.
        D3D12DDI_BARRIER_LAYOUT_DIRECT_QUEUE_SHADER_RESOURCE = 21,
        /// Value 22.
        D3D12DDI_BARRIER_LAYOUT_DIRECT_QUEUE_COPY_SOURCE = 22,
        /// Value 23.
        D3D12DDI_BARRIER_LAYOUT_DIRECT_QUEUE_COPY_DEST = 23,
        /// Value 24.
        D3D12DDI_BARRIER_LAYOUT_COMPUTE_QUEUE_COMMON = 24,
        /// Value 25.
        D3D12DDI_BARRIER_LAYOUT_COMPUTE_QUEUE_GENERIC_READ = 25,
        /// Value 26.
        D3D12DDI_BARRIER_LAYOUT_COMPUTE_QUEUE_UNORDERED_ACCESS = 26,
        /// Value 27.
        D3D12DDI_BARRIER_LAYOUT_COMPUTE_QUEUE_SHADER_RESOURCE = 27,
        /// Value 28.
        D3D12DDI_BARRIER_LAYOUT_COMPUTE_QUEUE_COPY_SOURCE = 28,
        /// Value 29.
        D3D12DDI_BARRIER_LAYOUT_COMPUTE_QUEUE_COPY_DEST = 29,
        /// Value 30.
        D3D12DDI_BARRIER_LAYOUT_VIDEO_QUEUE_COMMON = 30,
        /// Value 31.
        D3D12DDI_BARRIER_LAYOUT_LEGACY_DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE = 31,
        /// Value -2147483648.
        D3D12DDI_BARRIER_LAYOUT_LEGACY_COPY_SOURCE = -2_147_483_648,
        /// Value -2147483647.
        D3D12DDI_BARRIER_LAYOUT_LEGACY_COPY_DEST = -2_147_483_647,
        /// Value -2147483646.
        D3D12DDI_BARRIER_LAYOUT_LEGACY_SHADER_RESOURCE = -2_147_483_646,
        /// Value -2147483645.
        D3D12DDI_BARRIER_LAYOUT_LEGACY_PIXEL_SHADER_RESOURCE = -2_147_483_645,
    }
}

ddi_flags! {
    /// The enumeration that [`PFND3D12DDI_CHECKRESOURCEALLOCATIONINFO_0109`] and
    /// [`PFND3D12DDI_CHECKRESOURCEALLOCATIONINFO_0111`] take as `ResourceOptimizationFlags`.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_RESOURCE_OPTIMIZATION_FLAGS {
        /// Value 0.
        D3D12DDI_RESOURCE_OPTIMIZATION_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_RESOURCE_OPTIMIZATION_FLAG_SHADER_RESOURCE = 1,
        /// Value 2.
        D3D12DDI_RESOURCE_OPTIMIZATION_FLAG_UNORDERED_ACCESS = 2,
        /// Value 4.
        D3D12DDI_RESOURCE_OPTIMIZATION_FLAG_PRIMARY = 4,
        /// Value 8.
        D3D12DDI_RESOURCE_OPTIMIZATION_FLAG_DETERMINISTIC = 8,
    }
}
