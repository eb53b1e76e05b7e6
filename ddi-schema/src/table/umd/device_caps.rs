//! Structures of `ddi-sys/src/umd/device_caps.rs`.

use ddi_sys::*;

structures! {
    D3D12DDI_TIGHT_ALIGNMENT_TIER_DATA_0111 { SupportTier }
    D3D12DDI_WAVE_MMA_DATA_0103 {
        InputDataType, M, N, Supported, K, AccumDataTypes, RequiredWaveLaneCountMin, RequiredWaveLaneCountMax,
    }
    D3D12DDI_RASTERIZER_DESC_0099 {
        FillMode, CullMode, FrontCounterClockwise, DepthBias, DepthBiasClamp, SlopeScaledDepthBias, DepthClipEnable,
        ScissorEnable, MultisampleEnable, AntialiasedLineEnable, ForcedSampleCount, ConservativeRasterizationMode,
        LibraryReference,
    }
    D3D12DDI_ARCHITECTURE_INFO_DATA { TileBasedDeferredRenderer }
    D3D12DDI_MEMORY_ARCHITECTURE_CAPS_0041 {
        UMA, IOCoherent, CacheCoherent, HeapSerializationTier, ResourceSerializationTier,
    }
    D3D12DDI_TEXTURE_LAYOUT_CAPS_0026 {
        DeviceDependentLayoutCount, DeviceDependentSwizzleCount, Supports64KStandardSwizzle, SupportsRowMajorTexture,
        IndexableSwizzlePatterns,
    }
    D3D12DDI_ROW_MAJOR_LAYOUT_CAPS { SubCaps, Flags }
    D3D12DDI_ROW_MAJOR_LAYOUT_SUB_CAPS { MaxElementSize, BaseOffsetAlignment, PitchAlignment, DepthPitchAlignment }
    D3D12DDI_GPUVA_CAPS_0004 { MaxGPUVirtualAddressBitsPerResource }
    D3D12DDICAPS_HARDWARE_SCHEDULING_CAPS_0050 { ComputeQueuesPer3DQueue }
    D3D12DDICAPS_UMD_BASED_COMMAND_QUEUE_PRIORITY_DATA_0023 { SupportedQueueFlagsForGlobalRealtimeQueues }
    D3D12DDI_PROTECTED_RESOURCE_SESSION_SUPPORT_DATA_0030 { NodeIndex, Support }
    D3D12DDI_FEATURE_DATA_PREDICATION_106 { Supported }
    D3D12DDI_FEATURE_DATA_PLACED_RESOURCE_SUPPORT_INFO_106 {
        Format, ResourceType, MemoryPool, CPUPageProperty, CreationNodeMask, VisibleNodeMask, Supported,
    }
    D3D12DDI_FEATURE_DATA_HARDWARE_COPY_106 { Supported }
}
