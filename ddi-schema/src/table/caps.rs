//! Structures of `ddi-sys/src/caps.rs`.

use ddi_sys::*;

structures! {
    D3D12DDIARG_GETCAPS {
        Type, pInfo, pData: sized(DataSize; Type:
            D3D12DDICAPS_TYPE_SHADER => D3D12DDI_SHADER_CAPS_0084,
            D3D12DDICAPS_TYPE_D3D12_OPTIONS => D3D12DDI_D3D12_OPTIONS_DATA_0089,
            D3D12DDICAPS_TYPE_0011_SHADER_MODELS => D3D12DDI_D3D12_SHADER_MODELS_DATA_0011,
            D3D12DDICAPS_TYPE_OPTIONS1_0103 => D3D12DDI_OPTIONS1_DATA_0103,
            D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1 => D3D12DDI_3DPIPELINESUPPORT1_DATA_0081,
            D3D12DDICAPS_TYPE_OPTIONS_0090 => D3D12DDI_OPTIONS_DATA_0090,
            D3D12DDICAPS_TYPE_OPTIONS_0091 => D3D12DDI_OPTIONS_DATA_0091,
            D3D12DDICAPS_TYPE_OPTIONS_0093 => D3D12DDI_OPTIONS_DATA_0093,
            D3D12DDICAPS_TYPE_OPTIONS_0098 => D3D12DDI_OPTIONS_DATA_0098,
            D3D12DDICAPS_TYPE_OPTIONS_0101 => D3D12DDI_OPTIONS_DATA_0101,
            D3D12DDICAPS_TYPE_OPTIONS_0102 => D3D12DDI_OPTIONS_DATA_0102,
            D3D12DDICAPS_TYPE_OPTIONS_0109 => D3D12DDI_OPTIONS_DATA_0109,
            D3D12DDICAPS_TYPE_OPTIONS_0110 => D3D12DDI_OPTIONS_DATA_0110,
            D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110 => D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110,
            D3D12DDICAPS_TYPE_OPTIONS_0118 => D3D12DDI_OPTIONS_DATA_0118,
            D3D12DDICAPS_TYPE_MEMORY_ARCHITECTURE => D3D12DDI_MEMORY_ARCHITECTURE_CAPS_0041,
            D3D12DDICAPS_TYPE_ARCHITECTURE_INFO => D3D12DDI_ARCHITECTURE_INFO_DATA,
            D3D12DDICAPS_TYPE_GPUVA_CAPS => D3D12DDI_GPUVA_CAPS_0004,
            D3D12DDICAPS_TYPE_0022_TEXTURE_LAYOUT => D3D12DDI_TEXTURE_LAYOUT_CAPS_0026,
            D3D12DDICAPS_TYPE_0050_HARDWARE_SCHEDULING_CAPS => D3D12DDICAPS_HARDWARE_SCHEDULING_CAPS_0050,
            D3D12DDICAPS_TYPE_0023_UMD_BASED_COMMAND_QUEUE_PRIORITY =>
                D3D12DDICAPS_UMD_BASED_COMMAND_QUEUE_PRIORITY_DATA_0023,
            D3D12DDICAPS_TYPE_0030_PROTECTED_RESOURCE_SESSION_SUPPORT =>
                D3D12DDI_PROTECTED_RESOURCE_SESSION_SUPPORT_DATA_0030,
            D3D12DDICAPS_TYPE_QUERY_META_COMMAND_CAPS_0061 => D3D12DDICAPS_QUERY_META_COMMAND_CAPS_0061,
            D3D12DDICAPS_TYPE_0103_WAVE_MMA => D3D12DDI_WAVE_MMA_DATA_0103,
            D3D12DDI_FEATURE_D3D12_PREDICATION_106 => D3D12DDI_FEATURE_DATA_PREDICATION_106,
            D3D12DDI_FEATURE_PLACED_RESOURCE_SUPPORT_INFO_106 => D3D12DDI_FEATURE_DATA_PLACED_RESOURCE_SUPPORT_INFO_106,
            D3D12DDI_FEATURE_HARDWARE_COPY_106 => D3D12DDI_FEATURE_DATA_HARDWARE_COPY_106,
            D3D12DDICAPS_TYPE_TIGHT_ALIGNMENT_TIER_0111 => D3D12DDI_TIGHT_ALIGNMENT_TIER_DATA_0111,
            D3D12DDI_APPLICATION_SPECIFIC_DRIVER_STATE_113 =>
                D3D12DDI_FEATURE_DATA_APPLICATION_SPECIFIC_DRIVER_STATE_113,
        ),
        DataSize,
    }
    D3D12DDI_SHADER_CAPS_0084 {
        MinPrecision, DoubleOps, ShaderSpecifiedStencilRef, TypedUAVLoadAdditionalFormats, ROVs, WaveOps,
        WaveLaneCountMin, WaveLaneCountMax, TotalLaneCount, Int64Ops, Native16BitOps, AtomicInt64OnTypedResource,
        AtomicInt64OnGroupShared, DerivativesInMeshAndAmplificationShaders, WaveMMATier,
        AtomicInt64OnDescriptorHeapResource,
    }
    D3D12DDI_D3D12_OPTIONS_DATA_0089 {
        ResourceBindingTier, ConservativeRasterizationTier, TiledResourcesTier, CrossNodeSharingTier,
        VPAndRTArrayIndexFromAnyShaderFeedingRasterizerSupportedWithoutGSEmulation, OutputMergerLogicOp,
        ResourceHeapTier, DepthBoundsTestSupported, ProgrammableSamplePositionsTier, CopyQueueTimestampQueriesSupported,
        WriteBufferImmediateQueueFlags, ViewInstancingTier, BarycentricsSupported, ReservedBufferPlacementSupported,
        Deterministic64KBUndefinedSwizzle, SRVOnlyTiledResourceTier3, RenderPassTier, RaytracingTier,
        VariableShadingRateTier, PerPrimitiveShadingRateSupportedWithViewportIndexing, AdditionalShadingRatesSupported,
        ShadingRateImageTileSize, BackgroundProcessingSupported, MeshShaderTier, SamplerFeedbackTier,
        DriverManagedShaderCachePresent, MeshShaderSupportsFullRangeRenderTargetArrayIndex,
        VariableRateShadingSumCombinerSupported, MeshShaderPerPrimitiveShadingRateSupported,
        MSPrimitivesPipelineStatisticIncludesCulledPrimitives, EnhancedBarriersSupported,
    }
    D3D12DDI_D3D12_SHADER_MODELS_DATA_0011 {
        pNumShaderModelsSupported: required(inout()), pShaderModelsSupported: out(array(* pNumShaderModelsSupported)),
    }
    D3D12DDI_3DPIPELINESUPPORT1_DATA_0081 { HighestRuntimeSupportedFeatureLevel, MaximumDriverSupportedFeatureLevel }
    D3D12DDI_OPTIONS1_DATA_0103 { WorkGraphsTier }
    D3D12DDI_OPTIONS_DATA_0090 { RelaxedFormatCastingSupported }
    D3D12DDI_OPTIONS_DATA_0091 {
        UnrestrictedBufferTextureCopyPitchSupported, UnrestrictedVertexElementAlignmentSupported,
        InvertedViewportHeightFlipsYSupported, InvertedViewportDepthFlipsZSupported,
    }
    D3D12DDI_OPTIONS_DATA_0093 { AdvancedTextureOpsSupported, WriteableMSAATexturesSupported }
    D3D12DDI_OPTIONS_DATA_0098 { L1MemoryFullyCpuAccessible }
    D3D12DDI_OPTIONS_DATA_0101 { ComputeOnlyCustomHeapSupported }
    D3D12DDI_OPTIONS_DATA_0102 {
        SupportedSampleCountsWithNoOutputs, MaxSamplerDescriptorHeapSize,
        MaxSamplerDescriptorHeapSizeWithStaticSamplers, MaxViewDescriptorHeapSize,
    }
    D3D12DDI_OPTIONS_DATA_0109 { RecreateAtTier }
    D3D12DDI_OPTIONS_DATA_0110 { ExecuteIndirectTier }
    D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110 { SampleCmpGradientAndBiasSupported, ExtendedCommandInfoSupported }
    D3D12DDI_OPTIONS_DATA_0118 { ShaderExecutionReorderingActuallyReorders }
}
