//! The command queue table.

use core::ffi::c_void;

use bytemuck::Zeroable;

use crate::*;

/// The structure that [`PFND3D12DDI_UPDATETILEMAPPINGS`], [`PFND3D12DDI_COPYTILEMAPPINGS`] and
/// [`PFND3D12DDI_COPYTILES`] take.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_TILED_RESOURCE_COORDINATE {
    /// x64 offset 0, x86 offset 0.
    pub X: UINT,
    /// x64 offset 4, x86 offset 4.
    pub Y: UINT,
    /// x64 offset 8, x86 offset 8.
    pub Z: UINT,
    /// x64 offset 12, x86 offset 12.
    pub Subresource: UINT,
}

/// The structure that [`PFND3D12DDI_UPDATETILEMAPPINGS`], [`PFND3D12DDI_COPYTILEMAPPINGS`] and
/// [`PFND3D12DDI_COPYTILES`] take.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_TILE_REGION_SIZE {
    /// x64 offset 0, x86 offset 0.
    pub NumTiles: UINT,
    /// x64 offset 4, x86 offset 4.
    pub UseBox: BOOL,
    /// x64 offset 8, x86 offset 8.
    pub Width: UINT,
    /// x64 offset 12, x86 offset 12.
    pub Height: UINT16,
    /// x64 offset 14, x86 offset 14.
    pub Depth: UINT16,
}

/// The function `pfnExecuteCommandLists` of [`D3D12DDI_COMMAND_QUEUE_FUNCS_CORE_0001`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_EXECUTECOMMANDLISTS = Option<
    unsafe extern "system" fn(
        hCommandqueue: D3D12DDI_HCOMMANDQUEUE,
        Count: UINT,
        pCommandLists: *const D3D12DDI_HCOMMANDLIST,
    ),
>;

/// The function `pfnUpdateTileMappings` of [`D3D12DDI_COMMAND_QUEUE_FUNCS_CORE_0001`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_UPDATETILEMAPPINGS = Option<
    unsafe extern "system" fn(
        hCommandqueue: D3D12DDI_HCOMMANDQUEUE,
        hResource: D3D12DDI_HRESOURCE,
        NumTiledResourceRegions: UINT,
        pResourceRegionStartCoords: *const D3D12DDI_TILED_RESOURCE_COORDINATE,
        pResourceRegionSizes: *const D3D12DDI_TILE_REGION_SIZE,
        hHeap: D3D12DDI_HHEAP,
        NumRanges: UINT,
        pTileRangeFlags: *const D3D12DDI_TILE_RANGE_FLAGS,
        pHeapStartOffsets: *const UINT,
        pRangeTileCounts: *const UINT,
        TileMappingFlags: D3D12DDI_TILE_MAPPING_FLAGS,
    ),
>;

/// The function `pfnCopyTileMappings` of [`D3D12DDI_COMMAND_QUEUE_FUNCS_CORE_0001`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_COPYTILEMAPPINGS = Option<
    unsafe extern "system" fn(
        hCommandqueue: D3D12DDI_HCOMMANDQUEUE,
        hDstResource: D3D12DDI_HRESOURCE,
        pDstRegionStartCoord: *const D3D12DDI_TILED_RESOURCE_COORDINATE,
        hSrcResource: D3D12DDI_HRESOURCE,
        pSrcRegionStartCoord: *const D3D12DDI_TILED_RESOURCE_COORDINATE,
        pTileRegionSize: *const D3D12DDI_TILE_REGION_SIZE,
        TileMappingFlags: D3D12DDI_TILE_MAPPING_FLAGS,
    ),
>;

/// The function `pfnSignalFence` of [`D3D12DDI_COMMAND_QUEUE_FUNCS_CORE_0001`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SIGNAL_FENCE = Option<
    unsafe extern "system" fn(
        hCommandqueue: D3D12DDI_HCOMMANDQUEUE,
        pFenceOperation: *mut D3D12DDIARG_FENCE_OPERATION,
    ),
>;

/// The function `pfnWaitForFence` of [`D3D12DDI_COMMAND_QUEUE_FUNCS_CORE_0001`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_WAIT_FOR_FENCE = Option<
    unsafe extern "system" fn(
        hCommandqueue: D3D12DDI_HCOMMANDQUEUE,
        pFenceOperation: *mut D3D12DDIARG_FENCE_OPERATION,
    ),
>;

/// The command queue table.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_COMMAND_QUEUE_FUNCS_CORE_0001 {
    /// Slot 0. x64 offset 0, x86 offset 0.
    pub pfnExecuteCommandLists: PFND3D12DDI_EXECUTECOMMANDLISTS,
    /// Slot 1. x64 offset 8, x86 offset 4.
    pub pfnUnused: *mut c_void,
    /// Slot 2. x64 offset 16, x86 offset 8.
    pub pfnUnused2: *mut c_void,
    /// Slot 3. x64 offset 24, x86 offset 12.
    pub pfnUpdateTileMappings: PFND3D12DDI_UPDATETILEMAPPINGS,
    /// Slot 4. x64 offset 32, x86 offset 16.
    pub pfnCopyTileMappings: PFND3D12DDI_COPYTILEMAPPINGS,
    /// Slot 5. x64 offset 40, x86 offset 20.
    pub pfnSignalFence: PFND3D12DDI_SIGNAL_FENCE,
    /// Slot 6. x64 offset 48, x86 offset 24.
    pub pfnWaitForFence: PFND3D12DDI_WAIT_FOR_FENCE,
}

ddi_flags! {
    /// The enumeration that [`PFND3D12DDI_UPDATETILEMAPPINGS`] takes as `pTileRangeFlags`.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_TILE_RANGE_FLAGS {
        /// Value 0.
        D3D12DDI_TILE_RANGE_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_TILE_RANGE_FLAG_NULL = 1,
        /// Value 2.
        D3D12DDI_TILE_RANGE_FLAG_SKIP = 2,
        /// Value 4.
        D3D12DDI_TILE_RANGE_FLAG_REUSE_SINGLE_TILE = 4,
    }
}

ddi_flags! {
    /// The enumeration that [`PFND3D12DDI_UPDATETILEMAPPINGS`] and [`PFND3D12DDI_COPYTILEMAPPINGS`] take as
    /// `TileMappingFlags`.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_TILE_MAPPING_FLAGS {
        /// Value 0.
        D3D12DDI_TILE_MAPPING_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_TILE_MAPPING_FLAG_NO_HAZARD = 1,
    }
}

ddi_flags! {
    /// The enumeration that [`PFND3D12DDI_COPYTILES`] takes as `TileCopyFlags`.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_TILE_COPY_FLAGS {
        /// Value 0.
        D3D12DDI_TILE_COPY_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_TILE_COPY_FLAG_NO_HAZARD = 1,
        /// Value 2.
        D3D12DDI_TILE_COPY_FLAG_LINEAR_BUFFER_TO_SWIZZLED_TILED_RESOURCE = 2,
        /// Value 4.
        D3D12DDI_TILE_COPY_FLAG_SWIZZLED_TILED_RESOURCE_TO_LINEAR_BUFFER = 4,
    }
}
