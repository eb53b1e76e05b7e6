//! The caps that a plugin is asked for, whose answers are plain structures: member by member.

use std::mem::offset_of;

use ddi_sys::{
    D3D12DDI_COMMAND_QUEUE_FLAGS, D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER,
    D3D12DDI_CROSS_NODE_SHARING_TIER, D3D12DDI_D3D12_OPTIONS_DATA_0089,
    D3D12DDI_EXECUTE_INDIRECT_TIER, D3D12DDI_MESH_SHADER_TIER, D3D12DDI_OPTIONS_DATA_0090,
    D3D12DDI_OPTIONS_DATA_0091, D3D12DDI_OPTIONS_DATA_0093, D3D12DDI_OPTIONS_DATA_0098,
    D3D12DDI_OPTIONS_DATA_0101, D3D12DDI_OPTIONS_DATA_0102, D3D12DDI_OPTIONS_DATA_0109,
    D3D12DDI_OPTIONS_DATA_0110, D3D12DDI_OPTIONS1_DATA_0103,
    D3D12DDI_PROGRAMMABLE_SAMPLE_POSITIONS_TIER, D3D12DDI_RAYTRACING_TIER,
    D3D12DDI_RECREATE_AT_TIER, D3D12DDI_RENDER_PASS_TIER, D3D12DDI_RESOURCE_BINDING_TIER,
    D3D12DDI_RESOURCE_HEAP_TIER, D3D12DDI_SAMPLER_FEEDBACK_TIER, D3D12DDI_SHADER_CAPS_0084,
    D3D12DDI_SHADER_MIN_PRECISION, D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110,
    D3D12DDI_TILED_RESOURCES_TIER, D3D12DDI_VARIABLE_SHADING_RATE_TIER,
    D3D12DDI_VIEW_INSTANCING_TIER, D3D12DDI_WAVE_MMA_TIER, D3D12DDI_WORK_GRAPHS_TIER,
    D3D12DDICAPS_TYPE, D3D12DDICAPS_TYPE_D3D12_OPTIONS, D3D12DDICAPS_TYPE_OPTIONS_0090,
    D3D12DDICAPS_TYPE_OPTIONS_0091, D3D12DDICAPS_TYPE_OPTIONS_0093, D3D12DDICAPS_TYPE_OPTIONS_0098,
    D3D12DDICAPS_TYPE_OPTIONS_0101, D3D12DDICAPS_TYPE_OPTIONS_0102, D3D12DDICAPS_TYPE_OPTIONS_0109,
    D3D12DDICAPS_TYPE_OPTIONS_0110, D3D12DDICAPS_TYPE_OPTIONS1_0103, D3D12DDICAPS_TYPE_SHADER,
    D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110,
};

/// A member of an answer: 4 bytes.
pub(crate) struct Member {
    pub(crate) name: &'static str,
    offset: usize,
    pub(crate) holds: Holds,
}

/// What a member may hold.
#[derive(Clone, Copy)]
pub(crate) enum Holds {
    Bool,
    Number,
    /// One of the enumerators, or none but the flags, that this tells.
    Known(fn(i32) -> bool),
}

impl Member {
    pub(crate) fn of(&self, answer: &[u8]) -> i32 {
        let bytes = &answer[self.offset..self.offset + size_of::<i32>()];
        i32::from_ne_bytes(bytes.try_into().expect("four bytes"))
    }
}

/// A cap whose answer is a plain structure.
pub(crate) struct Cap {
    pub(crate) ty: D3D12DDICAPS_TYPE,
    pub(crate) size: usize,
    pub(crate) members: &'static [Member],
}

impl Cap {
    /// The member in which two answers differ first.
    pub(crate) fn difference(&self, one: &[u8], other: &[u8]) -> Option<&'static str> {
        let mut members = self.members.iter();
        let different = members.find(|member| member.of(one) != member.of(other));
        different.map(|member| member.name)
    }
}

macro_rules! holds {
    (Bool) => {
        Holds::Bool
    };
    (Number) => {
        Holds::Number
    };
    (enumerator $type:ident) => {
        Holds::Known(|value| $type(value).name().is_some())
    };
    (flags $type:ident) => {
        Holds::Known(|value| value & !$type::KNOWN.0 == 0)
    };
}

macro_rules! cap {
    ($ty:ident: $structure:ident { $($member:ident: $($holds:ident)+,)* }) => {
        Cap {
            ty: $ty,
            size: size_of::<$structure>(),
            members: {
                const MEMBERS: &[Member] = &[$(Member {
                    name: stringify!($member),
                    offset: offset_of!($structure, $member),
                    holds: holds!($($holds)+),
                },)*];
                const { assert!(MEMBERS.len() * size_of::<i32>() == size_of::<$structure>()) };
                MEMBERS
            },
        }
    };
}

pub(crate) const SHADER: Cap = cap! {
    D3D12DDICAPS_TYPE_SHADER: D3D12DDI_SHADER_CAPS_0084 {
        MinPrecision: flags D3D12DDI_SHADER_MIN_PRECISION,
        DoubleOps: Bool,
        ShaderSpecifiedStencilRef: Bool,
        TypedUAVLoadAdditionalFormats: Bool,
        ROVs: Bool,
        WaveOps: Bool,
        WaveLaneCountMin: Number,
        WaveLaneCountMax: Number,
        TotalLaneCount: Number,
        Int64Ops: Bool,
        Native16BitOps: Bool,
        AtomicInt64OnTypedResource: Bool,
        AtomicInt64OnGroupShared: Bool,
        DerivativesInMeshAndAmplificationShaders: Bool,
        WaveMMATier: enumerator D3D12DDI_WAVE_MMA_TIER,
        AtomicInt64OnDescriptorHeapResource: Bool,
    }
};

pub(crate) const OPTIONS: Cap = cap! {
    D3D12DDICAPS_TYPE_D3D12_OPTIONS: D3D12DDI_D3D12_OPTIONS_DATA_0089 {
        ResourceBindingTier: enumerator D3D12DDI_RESOURCE_BINDING_TIER,
        ConservativeRasterizationTier: enumerator D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER,
        TiledResourcesTier: enumerator D3D12DDI_TILED_RESOURCES_TIER,
        CrossNodeSharingTier: enumerator D3D12DDI_CROSS_NODE_SHARING_TIER,
        VPAndRTArrayIndexFromAnyShaderFeedingRasterizerSupportedWithoutGSEmulation: Bool,
        OutputMergerLogicOp: Bool,
        ResourceHeapTier: enumerator D3D12DDI_RESOURCE_HEAP_TIER,
        DepthBoundsTestSupported: Bool,
        ProgrammableSamplePositionsTier: enumerator D3D12DDI_PROGRAMMABLE_SAMPLE_POSITIONS_TIER,
        CopyQueueTimestampQueriesSupported: Bool,
        WriteBufferImmediateQueueFlags: flags D3D12DDI_COMMAND_QUEUE_FLAGS,
        ViewInstancingTier: enumerator D3D12DDI_VIEW_INSTANCING_TIER,
        BarycentricsSupported: Bool,
        ReservedBufferPlacementSupported: Bool,
        Deterministic64KBUndefinedSwizzle: Bool,
        SRVOnlyTiledResourceTier3: Bool,
        RenderPassTier: enumerator D3D12DDI_RENDER_PASS_TIER,
        RaytracingTier: enumerator D3D12DDI_RAYTRACING_TIER,
        VariableShadingRateTier: enumerator D3D12DDI_VARIABLE_SHADING_RATE_TIER,
        PerPrimitiveShadingRateSupportedWithViewportIndexing: Bool,
        AdditionalShadingRatesSupported: Bool,
        ShadingRateImageTileSize: Number,
        BackgroundProcessingSupported: Bool,
        MeshShaderTier: enumerator D3D12DDI_MESH_SHADER_TIER,
        SamplerFeedbackTier: enumerator D3D12DDI_SAMPLER_FEEDBACK_TIER,
        DriverManagedShaderCachePresent: Bool,
        MeshShaderSupportsFullRangeRenderTargetArrayIndex: Bool,
        VariableRateShadingSumCombinerSupported: Bool,
        MeshShaderPerPrimitiveShadingRateSupported: Bool,
        MSPrimitivesPipelineStatisticIncludesCulledPrimitives: Bool,
        EnhancedBarriersSupported: Bool,
    }
};

/// `OPTIONS_*` in the specification.
pub(crate) const LATER_OPTIONS: [Cap; 9] = [
    cap! {
        D3D12DDICAPS_TYPE_OPTIONS_0090: D3D12DDI_OPTIONS_DATA_0090 {
            RelaxedFormatCastingSupported: Bool,
        }
    },
    cap! {
        D3D12DDICAPS_TYPE_OPTIONS_0091: D3D12DDI_OPTIONS_DATA_0091 {
            UnrestrictedBufferTextureCopyPitchSupported: Bool,
            UnrestrictedVertexElementAlignmentSupported: Bool,
            InvertedViewportHeightFlipsYSupported: Bool,
            InvertedViewportDepthFlipsZSupported: Bool,
        }
    },
    cap! {
        D3D12DDICAPS_TYPE_OPTIONS_0093: D3D12DDI_OPTIONS_DATA_0093 {
            AdvancedTextureOpsSupported: Bool,
            WriteableMSAATexturesSupported: Bool,
        }
    },
    cap! {
        D3D12DDICAPS_TYPE_OPTIONS_0098: D3D12DDI_OPTIONS_DATA_0098 {
            L1MemoryFullyCpuAccessible: Bool,
        }
    },
    cap! {
        D3D12DDICAPS_TYPE_OPTIONS_0101: D3D12DDI_OPTIONS_DATA_0101 {
            ComputeOnlyCustomHeapSupported: Bool,
        }
    },
    cap! {
        D3D12DDICAPS_TYPE_OPTIONS_0102: D3D12DDI_OPTIONS_DATA_0102 {
            SupportedSampleCountsWithNoOutputs: Number,
            MaxSamplerDescriptorHeapSize: Number,
            MaxSamplerDescriptorHeapSizeWithStaticSamplers: Number,
            MaxViewDescriptorHeapSize: Number,
        }
    },
    cap! {
        D3D12DDICAPS_TYPE_OPTIONS1_0103: D3D12DDI_OPTIONS1_DATA_0103 {
            WorkGraphsTier: enumerator D3D12DDI_WORK_GRAPHS_TIER,
        }
    },
    cap! {
        D3D12DDICAPS_TYPE_OPTIONS_0109: D3D12DDI_OPTIONS_DATA_0109 {
            RecreateAtTier: enumerator D3D12DDI_RECREATE_AT_TIER,
        }
    },
    cap! {
        D3D12DDICAPS_TYPE_OPTIONS_0110: D3D12DDI_OPTIONS_DATA_0110 {
            ExecuteIndirectTier: enumerator D3D12DDI_EXECUTE_INDIRECT_TIER,
        }
    },
];

pub(crate) const SHADER_MODEL_6_8_OPTIONS: Cap = cap! {
    D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110: D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110 {
        SampleCmpGradientAndBiasSupported: Bool,
        ExtendedCommandInfoSupported: Bool,
    }
};

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = Cap> {
    [SHADER, OPTIONS]
        .into_iter()
        .chain(LATER_OPTIONS)
        .chain([SHADER_MODEL_6_8_OPTIONS])
}
