//! Capabilities that a runtime asks a device for, beyond those of a plugin.

use bytemuck::Zeroable;

use crate::*;

/// The structure `D3D12DDI_TIGHT_ALIGNMENT_TIER_DATA_0111`.
///
/// Source: bindings generated from Microsoft's headers.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_TIGHT_ALIGNMENT_TIER_DATA_0111 {
    /// x64 offset 0, x86 offset 0.
    pub SupportTier: D3D12DDI_TIGHT_ALIGNMENT_TIER,
}

/// The structure `D3D12DDI_WAVE_MMA_DATA_0103`.
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_WAVE_MMA_DATA_0103 {
    /// x64 offset 0, x86 offset 0.
    pub InputDataType: D3D12DDI_WAVE_MMA_INPUT_DATATYPE,
    /// x64 offset 4, x86 offset 4.
    pub M: D3D12DDI_WAVE_MMA_DIMENSION,
    /// x64 offset 8, x86 offset 8.
    pub N: D3D12DDI_WAVE_MMA_DIMENSION,
    /// x64 offset 12, x86 offset 12.
    pub Supported: BOOL,
    /// x64 offset 16, x86 offset 16.
    pub K: UINT,
    /// x64 offset 20, x86 offset 20.
    pub AccumDataTypes: D3D12DDI_WAVE_MMA_ACCUM_DATATYPE,
    /// x64 offset 24, x86 offset 24.
    pub RequiredWaveLaneCountMin: UINT,
    /// x64 offset 28, x86 offset 28.
    pub RequiredWaveLaneCountMax: UINT,
}

/// The structure `D3D12DDI_RASTERIZER_DESC_0099`.
///
/// Source: VulkanOn12.md and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RASTERIZER_DESC_0099 {
    /// x64 offset 0, x86 offset 0.
    pub FillMode: D3D12DDI_FILL_MODE,
    /// x64 offset 4, x86 offset 4.
    pub CullMode: D3D12DDI_CULL_MODE,
    /// x64 offset 8, x86 offset 8.
    pub FrontCounterClockwise: BOOL,
    /// x64 offset 12, x86 offset 12.
    pub DepthBias: FLOAT,
    /// x64 offset 16, x86 offset 16.
    pub DepthBiasClamp: FLOAT,
    /// x64 offset 20, x86 offset 20.
    pub SlopeScaledDepthBias: FLOAT,
    /// x64 offset 24, x86 offset 24.
    pub DepthClipEnable: BOOL,
    /// x64 offset 28, x86 offset 28.
    pub ScissorEnable: BOOL,
    /// x64 offset 32, x86 offset 32.
    pub MultisampleEnable: BOOL,
    /// x64 offset 36, x86 offset 36.
    pub AntialiasedLineEnable: BOOL,
    /// x64 offset 40, x86 offset 40.
    pub ForcedSampleCount: UINT,
    /// x64 offset 44, x86 offset 44.
    pub ConservativeRasterizationMode: D3D12DDI_CONSERVATIVE_RASTERIZATION_MODE,
    /// x64 offset 48, x86 offset 48.
    pub LibraryReference: D3D12DDI_LIBRARY_REFERENCE_0010,
}

/// The structure `D3D12DDI_ARCHITECTURE_INFO_DATA`.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_ARCHITECTURE_INFO_DATA {
    /// x64 offset 0, x86 offset 0.
    pub TileBasedDeferredRenderer: BOOL,
}

/// The structure `D3D12DDI_MEMORY_ARCHITECTURE_CAPS_0041`.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_MEMORY_ARCHITECTURE_CAPS_0041 {
    /// x64 offset 0, x86 offset 0.
    pub UMA: BOOL,
    /// x64 offset 4, x86 offset 4.
    pub IOCoherent: BOOL,
    /// x64 offset 8, x86 offset 8.
    pub CacheCoherent: BOOL,
    /// x64 offset 12, x86 offset 12.
    pub HeapSerializationTier: D3D12DDI_HEAP_SERIALIZATION_TIER_0041,
    /// x64 offset 16, x86 offset 16.
    pub ResourceSerializationTier: D3D12DDI_RESOURCE_SERIALIZATION_TIER_0041,
}

/// The structure `D3D12DDI_TEXTURE_LAYOUT_CAPS_0026`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_TEXTURE_LAYOUT_CAPS_0026 {
    /// x64 offset 0, x86 offset 0.
    pub DeviceDependentLayoutCount: UINT,
    /// x64 offset 4, x86 offset 4.
    pub DeviceDependentSwizzleCount: UINT,
    /// x64 offset 8, x86 offset 8.
    pub Supports64KStandardSwizzle: BOOL,
    /// x64 offset 12, x86 offset 12.
    pub SupportsRowMajorTexture: BOOL,
    /// x64 offset 16, x86 offset 16.
    pub IndexableSwizzlePatterns: BOOL,
}

/// The structure `D3D12DDI_ROW_MAJOR_LAYOUT_CAPS`.
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_ROW_MAJOR_LAYOUT_CAPS {
    /// x64 offset 0, x86 offset 0.
    pub SubCaps: [D3D12DDI_ROW_MAJOR_LAYOUT_SUB_CAPS; 2],
    /// x64 offset 16, x86 offset 16.
    pub Flags: D3D12DDI_ROW_MAJOR_LAYOUT_FLAGS,
}

/// The structure of `SubCaps` in [`D3D12DDI_ROW_MAJOR_LAYOUT_CAPS`].
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_ROW_MAJOR_LAYOUT_SUB_CAPS {
    /// x64 offset 0, x86 offset 0.
    pub MaxElementSize: UINT16,
    /// x64 offset 2, x86 offset 2.
    pub BaseOffsetAlignment: UINT16,
    /// x64 offset 4, x86 offset 4.
    pub PitchAlignment: UINT16,
    /// x64 offset 6, x86 offset 6.
    pub DepthPitchAlignment: UINT16,
}

/// The structure `D3D12DDI_GPUVA_CAPS_0004`.
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_GPUVA_CAPS_0004 {
    /// x64 offset 0, x86 offset 0.
    pub MaxGPUVirtualAddressBitsPerResource: UINT,
}

/// The structure `D3D12DDICAPS_HARDWARE_SCHEDULING_CAPS_0050`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDICAPS_HARDWARE_SCHEDULING_CAPS_0050 {
    /// x64 offset 0, x86 offset 0.
    pub ComputeQueuesPer3DQueue: UINT,
}

/// The structure `D3D12DDICAPS_UMD_BASED_COMMAND_QUEUE_PRIORITY_DATA_0023`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDICAPS_UMD_BASED_COMMAND_QUEUE_PRIORITY_DATA_0023 {
    /// x64 offset 0, x86 offset 0.
    pub SupportedQueueFlagsForGlobalRealtimeQueues: D3D12DDI_COMMAND_QUEUE_FLAGS,
}

/// The structure `D3D12DDI_PROTECTED_RESOURCE_SESSION_SUPPORT_DATA_0030`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_PROTECTED_RESOURCE_SESSION_SUPPORT_DATA_0030 {
    /// x64 offset 0, x86 offset 0.
    pub NodeIndex: UINT,
    /// x64 offset 4, x86 offset 4.
    pub Support: D3D12DDI_PROTECTED_RESOURCE_SESSION_SUPPORT_FLAGS_0030,
}

/// The structure `D3D12DDI_FEATURE_DATA_PREDICATION_106`.
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_FEATURE_DATA_PREDICATION_106 {
    /// x64 offset 0, x86 offset 0.
    pub Supported: BOOL,
}

/// The structure `D3D12DDI_FEATURE_DATA_PLACED_RESOURCE_SUPPORT_INFO_106`.
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_FEATURE_DATA_PLACED_RESOURCE_SUPPORT_INFO_106 {
    /// x64 offset 0, x86 offset 0.
    pub Format: DXGI_FORMAT,
    /// x64 offset 4, x86 offset 4.
    pub ResourceType: D3D12DDI_RESOURCE_TYPE,
    /// x64 offset 8, x86 offset 8.
    pub MemoryPool: D3D12DDI_MEMORY_POOL,
    /// x64 offset 12, x86 offset 12.
    pub CPUPageProperty: D3D12DDI_CPU_PAGE_PROPERTY,
    /// x64 offset 16, x86 offset 16.
    pub CreationNodeMask: UINT,
    /// x64 offset 20, x86 offset 20.
    pub VisibleNodeMask: UINT,
    /// x64 offset 24, x86 offset 24.
    pub Supported: BOOL,
}

/// The structure `D3D12DDI_FEATURE_DATA_HARDWARE_COPY_106`.
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_FEATURE_DATA_HARDWARE_COPY_106 {
    /// x64 offset 0, x86 offset 0.
    pub Supported: BOOL,
}

ddi_enum! {
    /// The enumeration of `SupportTier` in [`D3D12DDI_TIGHT_ALIGNMENT_TIER_DATA_0111`].
    ///
    /// Source: bindings generated from Microsoft's headers.
    pub enum D3D12DDI_TIGHT_ALIGNMENT_TIER {
        /// Value 0.
        D3D12DDI_TIGHT_ALIGNMENT_TIER_NOT_SUPPORTED = 0,
        /// Value 1.
        D3D12DDI_TIGHT_ALIGNMENT_TIER_1 = 1,
    }
}

ddi_enum! {
    /// The enumeration of `InputDataType` in [`D3D12DDI_WAVE_MMA_DATA_0103`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_WAVE_MMA_INPUT_DATATYPE {
        /// Value 0.
        D3D12DDI_WAVE_MMA_INPUT_DATATYPE_INVALID = 0,
        /// Value 1.
        D3D12DDI_WAVE_MMA_INPUT_DATATYPE_BYTE = 1,
        /// Value 2.
        D3D12DDI_WAVE_MMA_INPUT_DATATYPE_FLOAT16 = 2,
        /// Value 3.
        D3D12DDI_WAVE_MMA_INPUT_DATATYPE_FLOAT = 3,
    }
}

ddi_enum! {
    /// The enumeration of `M` and `N` in [`D3D12DDI_WAVE_MMA_DATA_0103`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_WAVE_MMA_DIMENSION {
        /// Value 0.
        D3D12DDI_WAVE_MMA_DIMENSION_INVALID = 0,
        /// Value 1.
        D3D12DDI_WAVE_MMA_DIMENSION_16 = 1,
        /// Value 2.
        D3D12DDI_WAVE_MMA_DIMENSION_64 = 2,
    }
}

ddi_enum! {
    /// The enumeration of `AccumDataTypes` in [`D3D12DDI_WAVE_MMA_DATA_0103`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_WAVE_MMA_ACCUM_DATATYPE {
        /// Value 0.
        D3D12DDI_WAVE_MMA_ACCUM_DATATYPE_NONE = 0,
        /// Value 1.
        D3D12DDI_WAVE_MMA_ACCUM_DATATYPE_INT32 = 1,
        /// Value 2.
        D3D12DDI_WAVE_MMA_ACCUM_DATATYPE_FLOAT16 = 2,
        /// Value 4.
        D3D12DDI_WAVE_MMA_ACCUM_DATATYPE_FLOAT = 4,
    }
}

ddi_enum! {
    /// The enumeration of `HeapSerializationTier` in [`D3D12DDI_MEMORY_ARCHITECTURE_CAPS_0041`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_HEAP_SERIALIZATION_TIER_0041 {
        /// Value 0.
        D3D12DDI_HEAP_SERIALIZATION_TIER_0041_0 = 0,
        /// Value 1.
        D3D12DDI_HEAP_SERIALIZATION_TIER_0041_1 = 1,
    }
}

ddi_enum! {
    /// The enumeration of `ResourceSerializationTier` in [`D3D12DDI_MEMORY_ARCHITECTURE_CAPS_0041`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_RESOURCE_SERIALIZATION_TIER_0041 {
        /// Value 0.
        D3D12DDI_RESOURCE_SERIALIZATION_TIER_0041_0 = 0,
        /// Value 1.
        D3D12DDI_RESOURCE_SERIALIZATION_TIER_0041_1 = 1,
        /// Value 2.
        D3D12DDI_RESOURCE_SERIALIZATION_TIER_0041_2 = 2,
    }
}

ddi_enum! {
    /// The enumeration `D3D12DDI_FUNCTIONAL_UNIT`.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_FUNCTIONAL_UNIT {
        /// Value 0.
        D3D12DDI_FUNCUNIT_COMBINED = 0,
        /// Value 1.
        D3D12DDI_FUNCUNIT_COPY_SRC = 1,
        /// Value 2.
        D3D12DDI_FUNCUNIT_COPY_DST = 2,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDI_ROW_MAJOR_LAYOUT_CAPS`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_ROW_MAJOR_LAYOUT_FLAGS {
        /// Value 0.
        D3D12DDI_ROW_MAJOR_LAYOUT_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_ROW_MAJOR_LAYOUT_FLAG_FLEXIBLE_DEPTH_PITCH = 1,
        /// Value 2.
        D3D12DDI_ROW_MAJOR_LAYOUT_FLAG_DEPTH_PITCH_4_8_16_HEIGHT_MULTIPLE = 2,
    }
}
