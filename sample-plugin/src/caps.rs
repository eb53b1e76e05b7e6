//! What each generation can do. Each column is as one would find it on real GPUs of that feature
//! level: what D3D12_FeatureLevel12_2.md demands is there, tiers fit together.

#[allow(clippy::wildcard_imports)] // The table's rows are the DDI's own names.
use plugin_sdk::ddi::*;
use plugin_sdk::{Capabilities, shader_models_up_to};

use crate::families::Generation;

/// D3D12DDI_COMMAND_QUEUE_FLAGS of all engines.
const ENGINES: D3D12DDI_COMMAND_QUEUE_FLAGS = D3D12DDI_COMMAND_QUEUE_FLAGS(
    D3D12DDI_COMMAND_QUEUE_FLAG_3D.0
        | D3D12DDI_COMMAND_QUEUE_FLAG_COMPUTE.0
        | D3D12DDI_COMMAND_QUEUE_FLAG_COPY.0,
);

/// All sample counts up to 8, as a mask.
const UP_TO_8_SAMPLES: UINT = 1 | 2 | 4 | 8;

/// The structures of [`Capabilities`] by member: name of the structure, then name and value of each of
/// its members.
macro_rules! capabilities {
    ($($structure:ident { $($member:ident: $aurora:expr, $borealis:expr, $cirrus:expr;)* })*) => {
        /// The capabilities of a generation.
        pub(crate) fn capabilities(generation: Generation) -> Capabilities {
            let mut c = Capabilities::default();
            c.shader_models = shader_models_up_to(6, [8, 7, 6][generation as usize]).into();
            c.highest_feature_level = [
                D3D12DDI_3DPIPELINELEVEL_12_2,
                D3D12DDI_3DPIPELINELEVEL_12_2,
                D3D12DDI_3DPIPELINELEVEL_12_1,
            ][generation as usize];
            $($(c.$structure.$member = [$aurora, $borealis, $cirrus][generation as usize];)*)*
            c
        }
    };
}

const YES: BOOL = TRUE;
const NO: BOOL = FALSE;

// Columns: Aurora, Borealis, Cirrus. Members that are not here are 0 on all.
#[rustfmt::skip]
capabilities! {
    shader {
        MinPrecision:
            D3D12DDI_SHADER_MIN_PRECISION_16_BIT,
            D3D12DDI_SHADER_MIN_PRECISION_16_BIT,
            D3D12DDI_SHADER_MIN_PRECISION_NONE;
        DoubleOps: YES, YES, YES;
        ShaderSpecifiedStencilRef: YES, YES, NO;
        TypedUAVLoadAdditionalFormats: YES, YES, YES;
        ROVs: YES, YES, YES;
        WaveOps: YES, YES, YES;
        WaveLaneCountMin: 32, 32, 64;
        WaveLaneCountMax: 64, 32, 64;
        TotalLaneCount: 12_288, 5_120, 2_304;
        Int64Ops: YES, YES, YES;
        Native16BitOps: YES, YES, NO;
        AtomicInt64OnTypedResource: YES, YES, NO;
        AtomicInt64OnGroupShared: YES, YES, NO;
        DerivativesInMeshAndAmplificationShaders: YES, NO, NO;
        AtomicInt64OnDescriptorHeapResource: YES, YES, NO;
    }
    options {
        ResourceBindingTier:
            D3D12DDI_RESOURCE_BINDING_TIER_3,
            D3D12DDI_RESOURCE_BINDING_TIER_3,
            D3D12DDI_RESOURCE_BINDING_TIER_3;
        ConservativeRasterizationTier:
            D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER_3,
            D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER_3,
            D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER_2;
        TiledResourcesTier:
            D3D12DDI_TILED_RESOURCES_TIER_3,
            D3D12DDI_TILED_RESOURCES_TIER_3,
            D3D12DDI_TILED_RESOURCES_TIER_2;
        VPAndRTArrayIndexFromAnyShaderFeedingRasterizerSupportedWithoutGSEmulation: YES, YES, YES;
        OutputMergerLogicOp: YES, YES, YES;
        ResourceHeapTier:
            D3D12DDI_RESOURCE_HEAP_TIER_2,
            D3D12DDI_RESOURCE_HEAP_TIER_2,
            D3D12DDI_RESOURCE_HEAP_TIER_1;
        DepthBoundsTestSupported: YES, YES, YES;
        ProgrammableSamplePositionsTier:
            D3D12DDI_PROGRAMMABLE_SAMPLE_POSITIONS_TIER_2,
            D3D12DDI_PROGRAMMABLE_SAMPLE_POSITIONS_TIER_2,
            D3D12DDI_PROGRAMMABLE_SAMPLE_POSITIONS_TIER_1;
        CopyQueueTimestampQueriesSupported: YES, YES, YES;
        WriteBufferImmediateQueueFlags: ENGINES, ENGINES, ENGINES;
        ViewInstancingTier:
            D3D12DDI_VIEW_INSTANCING_TIER_3,
            D3D12DDI_VIEW_INSTANCING_TIER_2,
            D3D12DDI_VIEW_INSTANCING_TIER_1;
        BarycentricsSupported: YES, YES, NO;
        ReservedBufferPlacementSupported: YES, YES, YES;
        RaytracingTier:
            D3D12DDI_RAYTRACING_TIER_1_1,
            D3D12DDI_RAYTRACING_TIER_1_1,
            D3D12DDI_RAYTRACING_TIER_NOT_SUPPORTED;
        VariableShadingRateTier:
            D3D12DDI_VARIABLE_SHADING_RATE_TIER_2,
            D3D12DDI_VARIABLE_SHADING_RATE_TIER_2,
            D3D12DDI_VARIABLE_SHADING_RATE_TIER_NOT_SUPPORTED;
        PerPrimitiveShadingRateSupportedWithViewportIndexing: YES, NO, NO;
        AdditionalShadingRatesSupported: YES, YES, NO;
        ShadingRateImageTileSize: 8, 16, 0;
        MeshShaderTier:
            D3D12DDI_MESH_SHADER_TIER_1,
            D3D12DDI_MESH_SHADER_TIER_1,
            D3D12DDI_MESH_SHADER_TIER_NOT_SUPPORTED;
        SamplerFeedbackTier:
            D3D12DDI_SAMPLER_FEEDBACK_TIER_1_0,
            D3D12DDI_SAMPLER_FEEDBACK_TIER_0_9,
            D3D12DDI_SAMPLER_FEEDBACK_TIER_NOT_SUPPORTED;
        DriverManagedShaderCachePresent: YES, YES, YES;
        MeshShaderSupportsFullRangeRenderTargetArrayIndex: YES, NO, NO;
        VariableRateShadingSumCombinerSupported: YES, YES, NO;
        MeshShaderPerPrimitiveShadingRateSupported: YES, YES, NO;
        EnhancedBarriersSupported: YES, YES, NO;
    }
    options_0090 {
        RelaxedFormatCastingSupported: YES, YES, NO;
    }
    options_0091 {
        UnrestrictedBufferTextureCopyPitchSupported: YES, YES, NO;
        UnrestrictedVertexElementAlignmentSupported: YES, YES, NO;
        InvertedViewportHeightFlipsYSupported: YES, YES, YES;
        InvertedViewportDepthFlipsZSupported: YES, YES, YES;
    }
    options_0093 {
        AdvancedTextureOpsSupported: YES, YES, NO;
        WriteableMSAATexturesSupported: YES, NO, NO;
    }
    options_0098 {
        L1MemoryFullyCpuAccessible: YES, NO, NO;
    }
    options_0102 {
        SupportedSampleCountsWithNoOutputs:
            UP_TO_8_SAMPLES | 16,
            UP_TO_8_SAMPLES | 16,
            UP_TO_8_SAMPLES;
        MaxSamplerDescriptorHeapSize: 4_096, 2_048, 2_048;
        MaxSamplerDescriptorHeapSizeWithStaticSamplers: 4_000, 2_048, 2_048;
        MaxViewDescriptorHeapSize: 1_048_576, 1_000_000, 1_000_000;
    }
    options1_0103 {
        WorkGraphsTier:
            D3D12DDI_WORK_GRAPHS_TIER_1_0,
            D3D12DDI_WORK_GRAPHS_TIER_NOT_SUPPORTED,
            D3D12DDI_WORK_GRAPHS_TIER_NOT_SUPPORTED;
    }
    options_0109 {
        RecreateAtTier:
            D3D12DDI_RECREATE_AT_TIER_1,
            D3D12DDI_RECREATE_AT_TIER_1,
            D3D12DDI_RECREATE_AT_TIER_NOT_SUPPORTED;
    }
    options_0110 {
        ExecuteIndirectTier:
            D3D12DDI_EXECUTE_INDIRECT_TIER_1_1,
            D3D12DDI_EXECUTE_INDIRECT_TIER_1_0,
            D3D12DDI_EXECUTE_INDIRECT_TIER_1_0;
    }
    shader_model_6_8_options {
        SampleCmpGradientAndBiasSupported: YES, NO, NO;
        ExtendedCommandInfoSupported: YES, NO, NO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::FAMILIES;

    /// D3D12_FeatureLevel12_2.md, "Capabilities".
    #[test]
    fn feature_level_12_2_has_what_it_demands() {
        for family in &FAMILIES {
            let c = capabilities(family.generation);
            let o = &c.options;
            let demands = [
                c.has_shader_model(6, 5),
                o.RaytracingTier >= D3D12DDI_RAYTRACING_TIER_1_1,
                o.VariableShadingRateTier >= D3D12DDI_VARIABLE_SHADING_RATE_TIER_2,
                o.MeshShaderTier >= D3D12DDI_MESH_SHADER_TIER_1,
                o.SamplerFeedbackTier >= D3D12DDI_SAMPLER_FEEDBACK_TIER_0_9,
                o.ResourceBindingTier >= D3D12DDI_RESOURCE_BINDING_TIER_3,
                o.TiledResourcesTier >= D3D12DDI_TILED_RESOURCES_TIER_3,
                o.ConservativeRasterizationTier >= D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER_3,
                o.DepthBoundsTestSupported == YES,
                o.WriteBufferImmediateQueueFlags.contains(ENGINES),
                c.shader.WaveOps == YES,
                o.OutputMergerLogicOp == YES,
                o.VPAndRTArrayIndexFromAnyShaderFeedingRasterizerSupportedWithoutGSEmulation == YES,
                o.CopyQueueTimestampQueriesSupported == YES,
                c.shader.Int64Ops == YES,
            ];
            assert_eq!(
                c.highest_feature_level == D3D12DDI_3DPIPELINELEVEL_12_2,
                demands.iter().all(|&demand| demand),
                "{}: {demands:?}",
                family.name
            );
        }
    }

    #[test]
    fn dependent_capabilities_fit_together() {
        for family in &FAMILIES {
            let c = capabilities(family.generation);
            let (o, s) = (&c.options, &c.shader);
            let rates = o.VariableShadingRateTier >= D3D12DDI_VARIABLE_SHADING_RATE_TIER_2;
            let mesh = o.MeshShaderTier != D3D12DDI_MESH_SHADER_TIER_NOT_SUPPORTED;
            for (what, has, needs) in [
                ("tile size", o.ShadingRateImageTileSize != 0, rates),
                (
                    "rate combiner",
                    o.VariableRateShadingSumCombinerSupported == YES,
                    rates,
                ),
                (
                    "more rates",
                    o.AdditionalShadingRatesSupported == YES,
                    rates,
                ),
                (
                    "rates in meshes",
                    o.MeshShaderPerPrimitiveShadingRateSupported == YES,
                    rates && mesh,
                ),
                (
                    "mesh derivatives",
                    s.DerivativesInMeshAndAmplificationShaders == YES,
                    mesh,
                ),
                (
                    "format casting",
                    c.options_0090.RelaxedFormatCastingSupported == YES,
                    o.EnhancedBarriersSupported == YES,
                ),
                (
                    "16 bit",
                    s.Native16BitOps == YES,
                    s.MinPrecision == D3D12DDI_SHADER_MIN_PRECISION_16_BIT,
                ),
                (
                    "work graphs",
                    c.options1_0103.WorkGraphsTier.0 != 0,
                    c.has_shader_model(6, 8),
                ),
                (
                    "6.8 options",
                    c.shader_model_6_8_options.ExtendedCommandInfoSupported == YES,
                    c.has_shader_model(6, 8),
                ),
            ] {
                assert!(!has || needs, "{}: {what}", family.name);
            }
            assert!(
                s.WaveLaneCountMin <= s.WaveLaneCountMax && s.WaveLaneCountMin.is_power_of_two()
            );
        }
    }
}
