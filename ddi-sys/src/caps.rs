//! Capabilities: the usermode DDI's cap types that a plugin answers, and their data.

use core::ffi::c_void;

use bytemuck::{Pod, Zeroable};

use crate::base::{BOOL, UINT};

/// Argument of the capability query. The structure is read-only; the answer goes through `pData`.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_GETCAPS {
    /// x64 offset 0, x86 offset 0.
    pub Type: D3D12DDICAPS_TYPE,
    /// Null for the caps that a plugin is asked for. x64 offset 8, x86 offset 4.
    pub pInfo: *mut c_void,
    /// The caller's buffer for the answer. x64 offset 16, x86 offset 8.
    pub pData: *mut c_void,
    /// The buffer's size in bytes; it also tells which version of the structure is meant. x64
    /// offset 24, x86 offset 12.
    pub DataSize: UINT,
}

ddi_enum! {
    /// Capability queries of the usermode DDI. A plugin is asked for SHADER, D3D12_OPTIONS, OPTIONS_*,
    /// SHADER_MODEL_6_8_OPTIONS_0110, 0011_SHADER_MODELS and 0081_3DPIPELINESUPPORT1.
    ///
    /// Source: the WDK reference pages for names and order; values from bindings generated from the
    /// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDICAPS_TYPE {
        /// Value 1000.
        D3D12DDICAPS_TYPE_TEXTURE_LAYOUT = 1000,
        /// Value 1001.
        D3D12DDICAPS_TYPE_SWIZZLE_PATTERN = 1001,
        /// Value 1002.
        D3D12DDICAPS_TYPE_MEMORY_ARCHITECTURE = 1002,
        /// Value 1003.
        D3D12DDICAPS_TYPE_TEXTURE_LAYOUT_SETS = 1003,
        /// D3D12DDI_SHADER_CAPS_0084; the older versions are prefixes of it.
        D3D12DDICAPS_TYPE_SHADER = 1004,
        /// Value 1005.
        D3D12DDICAPS_TYPE_ARCHITECTURE_INFO = 1005,
        /// D3D12DDI_D3D12_OPTIONS_DATA_0089; the older versions are prefixes of it.
        D3D12DDICAPS_TYPE_D3D12_OPTIONS = 1006,
        /// Value 1007.
        D3D12DDICAPS_TYPE_3DPIPELINESUPPORT = 1007,
        /// Value 1009.
        D3D12DDICAPS_TYPE_GPUVA_CAPS = 1009,
        /// Value 1010.
        D3D12DDICAPS_TYPE_TEXTURE_LAYOUT1 = 1010,
        /// D3D12DDI_D3D12_SHADER_MODELS_DATA_0011.
        D3D12DDICAPS_TYPE_0011_SHADER_MODELS = 1012,
        /// D3D12DDI_OPTIONS1_DATA_0103.
        D3D12DDICAPS_TYPE_OPTIONS1_0103 = 1013,
        /// Value 1057.
        D3D12DDICAPS_TYPE_0030_PROTECTED_RESOURCE_SESSION_SUPPORT = 1057,
        /// Value 1058.
        D3D12DDICAPS_TYPE_0030_CRYPTO_SESSION_SUPPORT = 1058,
        /// Value 1059.
        D3D12DDICAPS_TYPE_0022_CPU_PAGE_TABLE_FALSE_POSITIVES = 1059,
        /// Value 1060.
        D3D12DDICAPS_TYPE_0022_TEXTURE_LAYOUT = 1060,
        /// Value 1061.
        D3D12DDICAPS_TYPE_0022_SWIZZLE_PATTERN = 1061,
        /// Value 1062.
        D3D12DDICAPS_TYPE_0023_UMD_BASED_COMMAND_QUEUE_PRIORITY = 1062,
        /// Value 1063.
        D3D12DDICAPS_TYPE_0030_CONTENT_PROTECTION_SYSTEM_COUNT = 1063,
        /// Value 1064.
        D3D12DDICAPS_TYPE_0030_CONTENT_PROTECTION_SYSTEM_SUPPORT = 1064,
        /// Value 1065.
        D3D12DDICAPS_TYPE_0030_CRYPTO_SESSION_TRANSFORM_SUPPORT = 1065,
        /// Value 1066.
        D3D12DDICAPS_TYPE_0033_ADAPTER_COMPUTE_ONLY = 1066,
        /// Value 1067.
        D3D12DDICAPS_TYPE_0050_HARDWARE_SCHEDULING_CAPS = 1067,
        /// Value 1068.
        D3D12DDICAPS_TYPE_QUERY_META_COMMAND_CAPS_0061 = 1068,
        /// Value 1069.
        D3D12DDICAPS_TYPE_EXECUTECOMMANDLISTS_PARALLELISM = 1069,
        /// Value 1070.
        D3D12DDICAPS_TYPE_SAMPLER_FEEDBACK_0073 = 1070,
        /// Value 1071.
        D3D12DDICAPS_TYPE_0073_SUPPORT_BATCHED_MARKERS = 1071,
        /// Value 1072.
        D3D12DDICAPS_TYPE_0074_PROTECTED_RESOURCE_SESSION_TYPE_COUNT = 1072,
        /// Value 1073.
        D3D12DDICAPS_TYPE_0074_PROTECTED_RESOURCE_SESSION_TYPES = 1073,
        /// D3D12DDI_3DPIPELINESUPPORT1_DATA_0081.
        D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1 = 1074,
        /// Not asked of a plugin.
        D3D12DDICAPS_TYPE_0103_WAVE_MMA = 1075,
        /// D3D12DDI_OPTIONS_DATA_0090.
        D3D12DDICAPS_TYPE_OPTIONS_0090 = 1077,
        /// D3D12DDI_OPTIONS_DATA_0091.
        D3D12DDICAPS_TYPE_OPTIONS_0091 = 1078,
        /// D3D12DDI_OPTIONS_DATA_0093.
        D3D12DDICAPS_TYPE_OPTIONS_0093 = 1079,
        /// D3D12DDI_OPTIONS_DATA_0098.
        D3D12DDICAPS_TYPE_OPTIONS_0098 = 1080,
        /// D3D12DDI_OPTIONS_DATA_0101.
        D3D12DDICAPS_TYPE_OPTIONS_0101 = 1081,
        /// D3D12DDI_OPTIONS_DATA_0102.
        D3D12DDICAPS_TYPE_OPTIONS_0102 = 1082,
        /// Value 1084.
        D3D12DDI_FEATURE_D3D12_PREDICATION_106 = 1084,
        /// Value 1085.
        D3D12DDI_FEATURE_PLACED_RESOURCE_SUPPORT_INFO_106 = 1085,
        /// Value 1086.
        D3D12DDI_FEATURE_HARDWARE_COPY_106 = 1086,
        /// D3D12DDI_OPTIONS_DATA_0109.
        D3D12DDICAPS_TYPE_OPTIONS_0109 = 1087,
        /// D3D12DDI_OPTIONS_DATA_0110.
        D3D12DDICAPS_TYPE_OPTIONS_0110 = 1088,
        /// DDI 0111; not asked of a plugin.
        D3D12DDICAPS_TYPE_TIGHT_ALIGNMENT_TIER_0111 = 1089,
        /// DDI 0111.
        D3D12DDICAPS_TYPE_GUID_TEXTURE_LAYOUT_TIER_0111 = 1090,
        /// D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110.
        D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110 = 1091,
        /// DDI 0111, from the WDK 10.0.28000 on.
        D3D12DDICAPS_TYPE_GUID_TEXTURE_LAYOUT_GUID_SUPPORT_0111 = 1092,
        /// DDI 0112.
        D3D12DDICAPS_TYPE_0112_NATIVE_FENCE_SUPPORT = 1093,
        /// DDI 0113, spelt 113; not asked of a plugin.
        D3D12DDI_APPLICATION_SPECIFIC_DRIVER_STATE_113 = 1094,
        /// D3D12DDI_OPTIONS_DATA_0118.
        D3D12DDICAPS_TYPE_OPTIONS_0118 = 1095,
    }
}

/// Answer to [`D3D12DDICAPS_TYPE_SHADER`]; older versions are prefixes of it.
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct D3D12DDI_SHADER_CAPS_0084 {
    /// x64 offset 0, x86 offset 0.
    pub MinPrecision: D3D12DDI_SHADER_MIN_PRECISION,
    /// x64 offset 4, x86 offset 4.
    pub DoubleOps: BOOL,
    /// x64 offset 8, x86 offset 8.
    pub ShaderSpecifiedStencilRef: BOOL,
    /// x64 offset 12, x86 offset 12.
    pub TypedUAVLoadAdditionalFormats: BOOL,
    /// x64 offset 16, x86 offset 16.
    pub ROVs: BOOL,
    /// x64 offset 20, x86 offset 20.
    pub WaveOps: BOOL,
    /// x64 offset 24, x86 offset 24.
    pub WaveLaneCountMin: UINT,
    /// x64 offset 28, x86 offset 28.
    pub WaveLaneCountMax: UINT,
    /// x64 offset 32, x86 offset 32.
    pub TotalLaneCount: UINT,
    /// x64 offset 36, x86 offset 36.
    pub Int64Ops: BOOL,
    /// x64 offset 40, x86 offset 40.
    pub Native16BitOps: BOOL,
    /// x64 offset 44, x86 offset 44.
    pub AtomicInt64OnTypedResource: BOOL,
    /// x64 offset 48, x86 offset 48.
    pub AtomicInt64OnGroupShared: BOOL,
    /// x64 offset 52, x86 offset 52.
    pub DerivativesInMeshAndAmplificationShaders: BOOL,
    /// x64 offset 56, x86 offset 56.
    pub WaveMMATier: D3D12DDI_WAVE_MMA_TIER,
    /// x64 offset 60, x86 offset 60.
    pub AtomicInt64OnDescriptorHeapResource: BOOL,
}

/// Answer to [`D3D12DDICAPS_TYPE_D3D12_OPTIONS`]; older versions are prefixes of it.
///
/// Source: D3D12EnhancedBarriers.md and the WDK reference pages.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct D3D12DDI_D3D12_OPTIONS_DATA_0089 {
    /// x64 offset 0, x86 offset 0.
    pub ResourceBindingTier: D3D12DDI_RESOURCE_BINDING_TIER,
    /// x64 offset 4, x86 offset 4.
    pub ConservativeRasterizationTier: D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER,
    /// x64 offset 8, x86 offset 8.
    pub TiledResourcesTier: D3D12DDI_TILED_RESOURCES_TIER,
    /// x64 offset 12, x86 offset 12.
    pub CrossNodeSharingTier: D3D12DDI_CROSS_NODE_SHARING_TIER,
    /// x64 offset 16, x86 offset 16.
    pub VPAndRTArrayIndexFromAnyShaderFeedingRasterizerSupportedWithoutGSEmulation: BOOL,
    /// x64 offset 20, x86 offset 20.
    pub OutputMergerLogicOp: BOOL,
    /// x64 offset 24, x86 offset 24.
    pub ResourceHeapTier: D3D12DDI_RESOURCE_HEAP_TIER,
    /// x64 offset 28, x86 offset 28.
    pub DepthBoundsTestSupported: BOOL,
    /// x64 offset 32, x86 offset 32.
    pub ProgrammableSamplePositionsTier: D3D12DDI_PROGRAMMABLE_SAMPLE_POSITIONS_TIER,
    /// x64 offset 36, x86 offset 36.
    pub CopyQueueTimestampQueriesSupported: BOOL,
    /// x64 offset 40, x86 offset 40.
    pub WriteBufferImmediateQueueFlags: D3D12DDI_COMMAND_QUEUE_FLAGS,
    /// x64 offset 44, x86 offset 44.
    pub ViewInstancingTier: D3D12DDI_VIEW_INSTANCING_TIER,
    /// x64 offset 48, x86 offset 48.
    pub BarycentricsSupported: BOOL,
    /// x64 offset 52, x86 offset 52.
    pub ReservedBufferPlacementSupported: BOOL,
    /// x64 offset 56, x86 offset 56.
    pub Deterministic64KBUndefinedSwizzle: BOOL,
    /// x64 offset 60, x86 offset 60.
    pub SRVOnlyTiledResourceTier3: BOOL,
    /// x64 offset 64, x86 offset 64.
    pub RenderPassTier: D3D12DDI_RENDER_PASS_TIER,
    /// x64 offset 68, x86 offset 68.
    pub RaytracingTier: D3D12DDI_RAYTRACING_TIER,
    /// x64 offset 72, x86 offset 72.
    pub VariableShadingRateTier: D3D12DDI_VARIABLE_SHADING_RATE_TIER,
    /// x64 offset 76, x86 offset 76.
    pub PerPrimitiveShadingRateSupportedWithViewportIndexing: BOOL,
    /// x64 offset 80, x86 offset 80.
    pub AdditionalShadingRatesSupported: BOOL,
    /// x64 offset 84, x86 offset 84.
    pub ShadingRateImageTileSize: UINT,
    /// x64 offset 88, x86 offset 88.
    pub BackgroundProcessingSupported: BOOL,
    /// x64 offset 92, x86 offset 92.
    pub MeshShaderTier: D3D12DDI_MESH_SHADER_TIER,
    /// x64 offset 96, x86 offset 96.
    pub SamplerFeedbackTier: D3D12DDI_SAMPLER_FEEDBACK_TIER,
    /// x64 offset 100, x86 offset 100.
    pub DriverManagedShaderCachePresent: BOOL,
    /// x64 offset 104, x86 offset 104.
    pub MeshShaderSupportsFullRangeRenderTargetArrayIndex: BOOL,
    /// x64 offset 108, x86 offset 108.
    pub VariableRateShadingSumCombinerSupported: BOOL,
    /// x64 offset 112, x86 offset 112.
    pub MeshShaderPerPrimitiveShadingRateSupported: BOOL,
    /// x64 offset 116, x86 offset 116.
    pub MSPrimitivesPipelineStatisticIncludesCulledPrimitives: BOOL,
    /// x64 offset 120, x86 offset 120.
    pub EnhancedBarriersSupported: BOOL,
}

/// Answer to [`D3D12DDICAPS_TYPE_0011_SHADER_MODELS`]: a null array asks for the count, else the
/// count is the capacity and becomes the true number.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_D3D12_SHADER_MODELS_DATA_0011 {
    /// x64 offset 0, x86 offset 0.
    pub pNumShaderModelsSupported: *mut UINT,
    /// x64 offset 8, x86 offset 4.
    pub pShaderModelsSupported: *mut D3D12DDI_SHADER_MODEL,
}

/// [`D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1`]: the first member is the runtime's limit, the
/// second the answer, never above it.
///
/// Source: D3D12_FeatureLevel12_2.md and the WDK reference pages.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct D3D12DDI_3DPIPELINESUPPORT1_DATA_0081 {
    /// x64 offset 0, x86 offset 0.
    pub HighestRuntimeSupportedFeatureLevel: D3D12DDI_3DPIPELINELEVEL,
    /// x64 offset 4, x86 offset 4.
    pub MaximumDriverSupportedFeatureLevel: D3D12DDI_3DPIPELINELEVEL,
}

/// Answer to [`D3D12DDICAPS_TYPE_OPTIONS1_0103`].
///
/// Source: the WDK reference pages.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct D3D12DDI_OPTIONS1_DATA_0103 {
    /// x64 offset 0, x86 offset 0.
    pub WorkGraphsTier: D3D12DDI_WORK_GRAPHS_TIER,
}

/// The typedef of the WDK reference pages, whose tag is D3D12DDI_OPTIONS1_DATA_0103.
pub type D3D12DDI_OPTIONS_DATA_0103 = D3D12DDI_OPTIONS1_DATA_0103;

/// Answer to [`D3D12DDICAPS_TYPE_OPTIONS_0090`].
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct D3D12DDI_OPTIONS_DATA_0090 {
    /// x64 offset 0, x86 offset 0.
    pub RelaxedFormatCastingSupported: BOOL,
}

/// Answer to [`D3D12DDICAPS_TYPE_OPTIONS_0091`].
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct D3D12DDI_OPTIONS_DATA_0091 {
    /// x64 offset 0, x86 offset 0.
    pub UnrestrictedBufferTextureCopyPitchSupported: BOOL,
    /// x64 offset 4, x86 offset 4.
    pub UnrestrictedVertexElementAlignmentSupported: BOOL,
    /// x64 offset 8, x86 offset 8.
    pub InvertedViewportHeightFlipsYSupported: BOOL,
    /// x64 offset 12, x86 offset 12.
    pub InvertedViewportDepthFlipsZSupported: BOOL,
}

/// Answer to [`D3D12DDICAPS_TYPE_OPTIONS_0093`].
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct D3D12DDI_OPTIONS_DATA_0093 {
    /// x64 offset 0, x86 offset 0.
    pub AdvancedTextureOpsSupported: BOOL,
    /// x64 offset 4, x86 offset 4.
    pub WriteableMSAATexturesSupported: BOOL,
}

/// Answer to [`D3D12DDICAPS_TYPE_OPTIONS_0098`].
///
/// Source: D3D12GPUUploadHeaps.md, which prints the member as C++ `bool`; BOOL as in bindings
/// generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct D3D12DDI_OPTIONS_DATA_0098 {
    /// x64 offset 0, x86 offset 0.
    pub L1MemoryFullyCpuAccessible: BOOL,
}

/// Answer to [`D3D12DDICAPS_TYPE_OPTIONS_0101`].
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct D3D12DDI_OPTIONS_DATA_0101 {
    /// x64 offset 0, x86 offset 0.
    pub ComputeOnlyCustomHeapSupported: BOOL,
}

/// Answer to [`D3D12DDICAPS_TYPE_OPTIONS_0102`].
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct D3D12DDI_OPTIONS_DATA_0102 {
    /// x64 offset 0, x86 offset 0.
    pub SupportedSampleCountsWithNoOutputs: UINT,
    /// x64 offset 4, x86 offset 4.
    pub MaxSamplerDescriptorHeapSize: UINT,
    /// x64 offset 8, x86 offset 8.
    pub MaxSamplerDescriptorHeapSizeWithStaticSamplers: UINT,
    /// x64 offset 12, x86 offset 12.
    pub MaxViewDescriptorHeapSize: UINT,
}

/// Answer to [`D3D12DDICAPS_TYPE_OPTIONS_0109`].
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct D3D12DDI_OPTIONS_DATA_0109 {
    /// x64 offset 0, x86 offset 0.
    pub RecreateAtTier: D3D12DDI_RECREATE_AT_TIER,
}

/// Answer to [`D3D12DDICAPS_TYPE_OPTIONS_0110`].
///
/// Source: the WDK reference pages.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct D3D12DDI_OPTIONS_DATA_0110 {
    /// x64 offset 0, x86 offset 0.
    pub ExecuteIndirectTier: D3D12DDI_EXECUTE_INDIRECT_TIER,
}

/// Answer to [`D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110`].
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110 {
    /// x64 offset 0, x86 offset 0.
    pub SampleCmpGradientAndBiasSupported: BOOL,
    /// x64 offset 4, x86 offset 4.
    pub ExtendedCommandInfoSupported: BOOL,
}

/// Answer to [`D3D12DDICAPS_TYPE_OPTIONS_0118`].
///
/// Source: bindings generated from the WDK 10.0.28000 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct D3D12DDI_OPTIONS_DATA_0118 {
    /// x64 offset 0, x86 offset 0.
    pub ShaderExecutionReorderingActuallyReorders: BOOL,
}

ddi_enum! {
    /// Shader model: major in bits 16 and up, minor in bits 4 to 15, low nibble 0 experimental, 5
    /// release.
    ///
    /// Source: the WDK reference pages up to 6_7_EXPERIMENTAL_0082; the rest from bindings
    /// generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000
    /// header.
    pub enum D3D12DDI_SHADER_MODEL {
        /// Value 0x50015.
        D3D12DDI_SHADER_MODEL_5_1_RELEASE_0011 = 0x50015,
        /// Value 0x60000.
        D3D12DDI_SHADER_MODEL_6_0_EXPERIMENTAL_0011 = 0x60000,
        /// Value 0x60005.
        D3D12DDI_SHADER_MODEL_6_0_RELEASE_0011 = 0x60005,
        /// Value 0x60010.
        D3D12DDI_SHADER_MODEL_6_1_EXPERIMENTAL_0033 = 0x60010,
        /// Value 0x60015.
        D3D12DDI_SHADER_MODEL_6_1_RELEASE_0033 = 0x60015,
        /// Value 0x60020.
        D3D12DDI_SHADER_MODEL_6_2_EXPERIMENTAL_0042 = 0x60020,
        /// Value 0x60025.
        D3D12DDI_SHADER_MODEL_6_2_RELEASE_0042 = 0x60025,
        /// Value 0x60030.
        D3D12DDI_SHADER_MODEL_6_3_EXPERIMENTAL_0054 = 0x60030,
        /// Value 0x60035.
        D3D12DDI_SHADER_MODEL_6_3_RELEASE_0054 = 0x60035,
        /// Value 0x60040.
        D3D12DDI_SHADER_MODEL_6_4_EXPERIMENTAL_0054 = 0x60040,
        /// Value 0x60045.
        D3D12DDI_SHADER_MODEL_6_4_RELEASE_0062 = 0x60045,
        /// Value 0x60050.
        D3D12DDI_SHADER_MODEL_6_5_EXPERIMENTAL_0062 = 0x60050,
        /// Value 0x60055.
        D3D12DDI_SHADER_MODEL_6_5_RELEASE_0071 = 0x60055,
        /// Value 0x60060.
        D3D12DDI_SHADER_MODEL_6_6_EXPERIMENTAL_0071 = 0x60060,
        /// Value 0x60065.
        D3D12DDI_SHADER_MODEL_6_6_RELEASE_0082 = 0x60065,
        /// Value 0x60070.
        D3D12DDI_SHADER_MODEL_6_7_EXPERIMENTAL_0082 = 0x60070,
        /// Value 0x60075.
        D3D12DDI_SHADER_MODEL_6_7_RELEASE_0093 = 0x60075,
        /// Value 0x60080.
        D3D12DDI_SHADER_MODEL_6_8_EXPERIMENTAL_0093 = 0x60080,
        /// Value 0x60085.
        D3D12DDI_SHADER_MODEL_6_8_RELEASE_0108 = 0x60085,
        /// Value 0x60090.
        D3D12DDI_SHADER_MODEL_6_9_EXPERIMENTAL_0108 = 0x60090,
        /// DDI 0118, from the WDK 10.0.28000 on.
        D3D12DDI_SHADER_MODEL_6_9_RELEASE_0118 = 0x60095,
    }
}

ddi_enum! {
    /// Feature level.
    ///
    /// Source: the WDK reference pages for the names, D3D12_FeatureLevel12_2.md for 12_2; the other
    /// values, and 1_0_GENERIC, from bindings generated from the SDK 10.0.26100 header and bindings
    /// generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_3DPIPELINELEVEL {
        /// Value 1.
        D3D12DDI_3DPIPELINELEVEL_1_0_GENERIC = 1,
        /// Value 2.
        D3D12DDI_3DPIPELINELEVEL_1_0_CORE = 2,
        /// Value 10.
        D3D12DDI_3DPIPELINELEVEL_11_0 = 10,
        /// Value 11.
        D3D12DDI_3DPIPELINELEVEL_11_1 = 11,
        /// Value 12.
        D3D12DDI_3DPIPELINELEVEL_12_0 = 12,
        /// Value 13.
        D3D12DDI_3DPIPELINELEVEL_12_1 = 13,
        /// Value 14.
        D3D12DDI_3DPIPELINELEVEL_12_2 = 14,
    }
}

ddi_flags! {
    /// Minimum precisions that shaders may use.
    ///
    /// Source: the WDK reference pages.
    pub enum D3D12DDI_SHADER_MIN_PRECISION {
        /// Value 0.
        D3D12DDI_SHADER_MIN_PRECISION_NONE = 0,
        /// Value 1.
        D3D12DDI_SHADER_MIN_PRECISION_10_BIT = 1,
        /// Value 2.
        D3D12DDI_SHADER_MIN_PRECISION_16_BIT = 2,
    }
}

ddi_enum! {
    /// Wave matrix support.
    ///
    /// Source: the WDK reference pages.
    pub enum D3D12DDI_WAVE_MMA_TIER {
        /// Value 0.
        D3D12DDI_WAVE_MMA_TIER_NOT_SUPPORTED = 0,
        /// Value 5.
        D3D12DDI_WAVE_MMA_TIER_0_5_EXPERIMENTAL = 5,
    }
}

ddi_enum! {
    /// Resource binding support.
    ///
    /// Source: ResourceBinding.md and the WDK reference pages.
    pub enum D3D12DDI_RESOURCE_BINDING_TIER {
        /// Value 1.
        D3D12DDI_RESOURCE_BINDING_TIER_1 = 1,
        /// Value 2.
        D3D12DDI_RESOURCE_BINDING_TIER_2 = 2,
        /// Value 3.
        D3D12DDI_RESOURCE_BINDING_TIER_3 = 3,
    }
}

ddi_enum! {
    /// Conservative rasterization support.
    ///
    /// Source: the WDK reference pages.
    pub enum D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER {
        /// Value 0.
        D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER_NOT_SUPPORTED = 0,
        /// Value 1.
        D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER_1 = 1,
        /// Value 2.
        D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER_2 = 2,
        /// Value 3.
        D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER_3 = 3,
    }
}

ddi_enum! {
    /// Tiled resources support.
    ///
    /// Source: D3D12TiledResourceTier4.md and, up to tier 3, the WDK reference pages.
    pub enum D3D12DDI_TILED_RESOURCES_TIER {
        /// Value 0.
        D3D12DDI_TILED_RESOURCES_TIER_NOT_SUPPORTED = 0,
        /// Value 1.
        D3D12DDI_TILED_RESOURCES_TIER_1 = 1,
        /// Value 2.
        D3D12DDI_TILED_RESOURCES_TIER_2 = 2,
        /// Value 3.
        D3D12DDI_TILED_RESOURCES_TIER_3 = 3,
        /// DDI 0117, from the WDK 10.0.28000 on.
        D3D12DDI_TILED_RESOURCES_TIER_0117_4 = 4,
    }
}

ddi_enum! {
    /// Sharing between nodes.
    ///
    /// Source: the WDK reference pages.
    pub enum D3D12DDI_CROSS_NODE_SHARING_TIER {
        /// Value 0.
        D3D12DDI_CROSS_NODE_SHARING_TIER_NOT_SUPPORTED = 0,
        /// Value 1.
        D3D12DDI_CROSS_NODE_SHARING_TIER_1_EMULATED = 1,
        /// Value 2.
        D3D12DDI_CROSS_NODE_SHARING_TIER_1 = 2,
        /// Value 3.
        D3D12DDI_CROSS_NODE_SHARING_TIER_2 = 3,
        /// Value 4.
        D3D12DDI_CROSS_NODE_SHARING_TIER_0041_3 = 4,
    }
}

ddi_enum! {
    /// Resource heap support.
    ///
    /// Source: the WDK reference pages.
    pub enum D3D12DDI_RESOURCE_HEAP_TIER {
        /// Value 1.
        D3D12DDI_RESOURCE_HEAP_TIER_1 = 1,
        /// Value 2.
        D3D12DDI_RESOURCE_HEAP_TIER_2 = 2,
    }
}

ddi_enum! {
    /// Programmable sample positions support.
    ///
    /// Source: the WDK reference pages. ProgrammableSamplePositions.md calls the first TIER_0.
    pub enum D3D12DDI_PROGRAMMABLE_SAMPLE_POSITIONS_TIER {
        /// Value 0.
        D3D12DDI_PROGRAMMABLE_SAMPLE_POSITIONS_TIER_NOT_SUPPORTED = 0,
        /// Value 1.
        D3D12DDI_PROGRAMMABLE_SAMPLE_POSITIONS_TIER_1 = 1,
        /// Value 2.
        D3D12DDI_PROGRAMMABLE_SAMPLE_POSITIONS_TIER_2 = 2,
    }
}

ddi_flags! {
    /// Kinds of command queue.
    ///
    /// Source: the WDK reference pages.
    pub enum D3D12DDI_COMMAND_QUEUE_FLAGS {
        /// Value 0.
        D3D12DDI_COMMAND_QUEUE_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_COMMAND_QUEUE_FLAG_3D = 1,
        /// Value 2.
        D3D12DDI_COMMAND_QUEUE_FLAG_COMPUTE = 2,
        /// Value 4.
        D3D12DDI_COMMAND_QUEUE_FLAG_COPY = 4,
        /// Value 8.
        D3D12DDI_COMMAND_QUEUE_FLAG_PAGING = 8,
        /// Value 16.
        D3D12DDI_COMMAND_QUEUE_FLAG_0020_VIDEO_LEGACY = 0x10,
        /// Value 16.
        D3D12DDI_COMMAND_QUEUE_FLAG_0022_VIDEO_DECODE = 0x10,
        /// Value 32.
        D3D12DDI_COMMAND_QUEUE_FLAG_0022_VIDEO_PROCESS = 0x20,
        /// Value 64.
        D3D12DDI_COMMAND_QUEUE_FLAG_0053_VIDEO_ENCODE = 0x40,
    }
}

ddi_enum! {
    /// View instancing support.
    ///
    /// Source: the WDK reference pages for the names; values from bindings generated from the SDK
    /// 10.0.26100 header. ViewInstancing.md calls the first TIER_0.
    pub enum D3D12DDI_VIEW_INSTANCING_TIER {
        /// Value 0.
        D3D12DDI_VIEW_INSTANCING_TIER_NOT_SUPPORTED = 0,
        /// Value 1.
        D3D12DDI_VIEW_INSTANCING_TIER_1 = 1,
        /// Value 2.
        D3D12DDI_VIEW_INSTANCING_TIER_2 = 2,
        /// Value 3.
        D3D12DDI_VIEW_INSTANCING_TIER_3 = 3,
    }
}

ddi_enum! {
    /// Render pass support.
    ///
    /// Source: the WDK reference pages.
    pub enum D3D12DDI_RENDER_PASS_TIER {
        /// Value 0.
        D3D12DDI_RENDER_PASS_TIER_NOT_SUPPORTED = 0,
        /// Value 1.
        D3D12DDI_RENDER_PASS_TIER_1 = 1,
        /// Value 2.
        D3D12DDI_RENDER_PASS_TIER_2 = 2,
    }
}

ddi_enum! {
    /// Raytracing support.
    ///
    /// Source: the WDK reference pages; tier 1_2 from bindings generated from the WDK 10.0.28000
    /// header.
    pub enum D3D12DDI_RAYTRACING_TIER {
        /// Value 0.
        D3D12DDI_RAYTRACING_TIER_NOT_SUPPORTED = 0,
        /// Value 10.
        D3D12DDI_RAYTRACING_TIER_1_0 = 10,
        /// Value 11.
        D3D12DDI_RAYTRACING_TIER_1_1 = 11,
        /// From the WDK 10.0.28000 on.
        D3D12DDI_RAYTRACING_TIER_1_2 = 12,
    }
}

ddi_enum! {
    /// Variable shading rate support.
    ///
    /// Source: the WDK reference pages.
    pub enum D3D12DDI_VARIABLE_SHADING_RATE_TIER {
        /// Value 0.
        D3D12DDI_VARIABLE_SHADING_RATE_TIER_NOT_SUPPORTED = 0,
        /// Value 1.
        D3D12DDI_VARIABLE_SHADING_RATE_TIER_1 = 1,
        /// Value 2.
        D3D12DDI_VARIABLE_SHADING_RATE_TIER_2 = 2,
    }
}

ddi_enum! {
    /// Mesh shader support.
    ///
    /// Source: the WDK reference pages.
    pub enum D3D12DDI_MESH_SHADER_TIER {
        /// Value 0.
        D3D12DDI_MESH_SHADER_TIER_NOT_SUPPORTED = 0,
        /// Value 10.
        D3D12DDI_MESH_SHADER_TIER_1 = 10,
    }
}

ddi_enum! {
    /// Sampler feedback support.
    ///
    /// Source: SamplerFeedback.md and the WDK reference pages.
    pub enum D3D12DDI_SAMPLER_FEEDBACK_TIER {
        /// Value 0.
        D3D12DDI_SAMPLER_FEEDBACK_TIER_NOT_SUPPORTED = 0,
        /// Value 90.
        D3D12DDI_SAMPLER_FEEDBACK_TIER_0_9 = 90,
        /// Value 100.
        D3D12DDI_SAMPLER_FEEDBACK_TIER_1_0 = 100,
    }
}

ddi_enum! {
    /// Work graph support.
    ///
    /// Source: WorkGraphs.md; the WDK reference pages for the name of tier 0_1, its value from
    /// bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_WORK_GRAPHS_TIER {
        /// Value 0.
        D3D12DDI_WORK_GRAPHS_TIER_NOT_SUPPORTED = 0,
        /// Value 1.
        D3D12DDI_WORK_GRAPHS_TIER_0_1 = 1,
        /// Value 10.
        D3D12DDI_WORK_GRAPHS_TIER_1_0 = 10,
    }
}

ddi_enum! {
    /// Support for creating objects at a given GPU address.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
    pub enum D3D12DDI_RECREATE_AT_TIER {
        /// Value 0.
        D3D12DDI_RECREATE_AT_TIER_NOT_SUPPORTED = 0,
        /// Value 1.
        D3D12DDI_RECREATE_AT_TIER_1 = 1,
    }
}

ddi_enum! {
    /// ExecuteIndirect support.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
    pub enum D3D12DDI_EXECUTE_INDIRECT_TIER {
        /// Value 10.
        D3D12DDI_EXECUTE_INDIRECT_TIER_1_0 = 10,
        /// Value 11.
        D3D12DDI_EXECUTE_INDIRECT_TIER_1_1 = 11,
    }
}

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_SHADER_SAMPLE: UINT = 0x1;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_RENDERTARGET: UINT = 0x2;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_BLENDABLE: UINT = 0x4;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET: UINT = 0x8;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_LOAD: UINT = 0x10;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_DECODER_OUTPUT: UINT = 0x20;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_VIDEO_PROCESSOR_OUTPUT: UINT = 0x40;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_VIDEO_PROCESSOR_INPUT: UINT = 0x80;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_VERTEX_BUFFER: UINT = 0x100;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_UAV_WRITES: UINT = 0x200;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_BUFFER: UINT = 0x400;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_CAPTURE: UINT = 0x800;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_VIDEO_ENCODER: UINT = 0x1000;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_OUTPUT_MERGER_LOGIC_OP: UINT = 0x2000;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_SHADER_GATHER: UINT = 0x4000;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_MULTIPLANE_OVERLAY: UINT = 0x8000;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_TILED: UINT = 0x10000;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_UAV_READS: UINT = 0x20000;

/// Format support bit, a macro in the header; from D3D12R9G9B9E5Format.md.
pub const D3D12DDI_FORMAT_SUPPORT_DISPLAY: UINT = 0x0020_0000;

/// Format support bit; from bindings generated from the SDK 10.0.26100 header, a macro there.
pub const D3D12DDI_FORMAT_SUPPORT_NOT_SUPPORTED: UINT = 0x8000_0000;

/// Every format support bit above; the name is this crate's own.
pub const D3D12DDI_FORMAT_SUPPORT_ALL: UINT = D3D12DDI_FORMAT_SUPPORT_SHADER_SAMPLE
    | D3D12DDI_FORMAT_SUPPORT_RENDERTARGET
    | D3D12DDI_FORMAT_SUPPORT_BLENDABLE
    | D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET
    | D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_LOAD
    | D3D12DDI_FORMAT_SUPPORT_DECODER_OUTPUT
    | D3D12DDI_FORMAT_SUPPORT_VIDEO_PROCESSOR_OUTPUT
    | D3D12DDI_FORMAT_SUPPORT_VIDEO_PROCESSOR_INPUT
    | D3D12DDI_FORMAT_SUPPORT_VERTEX_BUFFER
    | D3D12DDI_FORMAT_SUPPORT_UAV_WRITES
    | D3D12DDI_FORMAT_SUPPORT_BUFFER
    | D3D12DDI_FORMAT_SUPPORT_CAPTURE
    | D3D12DDI_FORMAT_SUPPORT_VIDEO_ENCODER
    | D3D12DDI_FORMAT_SUPPORT_OUTPUT_MERGER_LOGIC_OP
    | D3D12DDI_FORMAT_SUPPORT_SHADER_GATHER
    | D3D12DDI_FORMAT_SUPPORT_MULTIPLANE_OVERLAY
    | D3D12DDI_FORMAT_SUPPORT_TILED
    | D3D12DDI_FORMAT_SUPPORT_UAV_READS
    | D3D12DDI_FORMAT_SUPPORT_DISPLAY
    | D3D12DDI_FORMAT_SUPPORT_NOT_SUPPORTED;
