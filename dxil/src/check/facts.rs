//! What a program says that the parts around it repeat.
//!
//! How the parts follow from the metadata is defined by `DxilContainerAssembler.cpp` and
//! `DxilPipelineStateValidation.cpp` of DirectXShaderCompiler.

use crate::module::{ElementType, EntryPoint, Resource, SignatureEntry, Stage};
use crate::psv0::{InterpolationMode, ResourceType, SemanticKind};
use crate::rdat::ResourceFlags;
use crate::{
    ComponentType, FeatureFlags, MinPrecision, Module, ResourceClass, ResourceKind, ShaderKind,
    SystemValue, Version,
};

/// A program that is not a library, with its entry point.
pub(crate) struct Facts<'m> {
    pub(crate) kind: ShaderKind,
    pub(crate) module: &'m Module,
    pub(crate) entry: &'m EntryPoint,
}

/// Bits of the shader flags (`ShaderFlags` of DirectXShaderCompiler), and the feature that each
/// needs.
const FEATURES: [(u32, FeatureFlags); 32] = [
    (2, FeatureFlags::DOUBLES),
    (6, FeatureFlags::DOUBLE_EXTENSIONS_11_1),
    (7, FeatureFlags::SHADER_EXTENSIONS_11_1),
    (9, FeatureFlags::VIEWPORT_AND_RT_ARRAY_INDEX_FROM_ANY_SHADER),
    (10, FeatureFlags::INNER_COVERAGE),
    (11, FeatureFlags::STENCIL_REF),
    (12, FeatureFlags::TILED_RESOURCES),
    (13, FeatureFlags::TYPED_UAV_LOAD_ADDITIONAL_FORMATS),
    (14, FeatureFlags::LEVEL_9_COMPARISON_FILTERING),
    (15, FeatureFlags::UAVS_64),
    (16, FeatureFlags::UAVS_AT_EVERY_STAGE),
    (
        17,
        FeatureFlags::COMPUTE_SHADERS_PLUS_RAW_AND_STRUCTURED_BUFFERS,
    ),
    (18, FeatureFlags::ROVS),
    (19, FeatureFlags::WAVE_OPS),
    (20, FeatureFlags::INT64_OPS),
    (USES_VIEW_ID, FeatureFlags::VIEW_ID),
    (22, FeatureFlags::BARYCENTRICS),
    (24, FeatureFlags::SHADING_RATE),
    (25, FeatureFlags::RAYTRACING_TIER_1_1),
    (26, FeatureFlags::SAMPLER_FEEDBACK),
    (27, FeatureFlags::ATOMIC_INT64_ON_TYPED_RESOURCE),
    (28, FeatureFlags::ATOMIC_INT64_ON_GROUP_SHARED),
    (
        29,
        FeatureFlags::DERIVATIVES_IN_MESH_AND_AMPLIFICATION_SHADERS,
    ),
    (30, FeatureFlags::RESOURCE_DESCRIPTOR_HEAP_INDEXING),
    (31, FeatureFlags::SAMPLER_DESCRIPTOR_HEAP_INDEXING),
    (32, FeatureFlags::ATOMIC_INT64_ON_HEAP_RESOURCE),
    (34, FeatureFlags::ADVANCED_TEXTURE_OPS),
    (35, FeatureFlags::WRITEABLE_MSAA_TEXTURES),
    (37, FeatureFlags::SAMPLE_CMP_GRADIENT_OR_BIAS),
    (38, FeatureFlags::EXTENDED_COMMAND_INFO),
    (39, FeatureFlags::OPT_USES_DERIVATIVES),
    (40, FeatureFlags::OPT_REQUIRES_GROUP),
];
const LOW_PRECISION: u32 = 5;
const USES_VIEW_ID: u32 = 21;
const NATIVE_LOW_PRECISION: u32 = 23;

/// The feature flags that `SFI0` has for a program with these shader flags.
pub(crate) fn features(flags: u64) -> FeatureFlags {
    let is_set = |bit: u32| flags >> bit & 1 != 0;
    let mut features = FeatureFlags::NONE;
    for (bit, feature) in FEATURES {
        if is_set(bit) {
            features = features | feature;
        }
    }
    if is_set(LOW_PRECISION) {
        let is_native = is_set(NATIVE_LOW_PRECISION);
        features = features
            | if is_native {
                FeatureFlags::NATIVE_LOW_PRECISION
            } else {
                FeatureFlags::MINIMUM_PRECISION
            };
    }
    features
}

/// Whether a module was made for a validator older than 1.`minor`, which decides the layout of the
/// parts. Without a version it was made for 1.0; 0.0 stands for the newest.
pub(crate) fn is_before(module: &Module, minor: u32) -> bool {
    let oldest = Version { major: 1, minor: 0 };
    let version = module.validator_version().unwrap_or(oldest);
    version.major != 0 && version < Version { major: 1, minor }
}

/// The resources of a module in the order of `PSV0` and `RDAT`.
pub(crate) fn resources(module: &Module) -> Vec<&Resource> {
    use ResourceClass as C;
    let mut resources: Vec<&Resource> = module.resources().iter().collect();
    resources.sort_by_key(|resource| {
        let order = [C::CBV, C::SAMPLER, C::SRV, C::UAV];
        order.iter().position(|&class| class == resource.class)
    });
    resources
}

/// The last register of a resource; `u32::MAX` where there is no end.
pub(crate) fn upper_bound(resource: &Resource) -> u32 {
    match resource.range_size {
        u32::MAX => u32::MAX,
        size => resource.lower_bound.wrapping_add(size).wrapping_sub(1),
    }
}

/// How a resource is bound and read.
pub(crate) fn resource_type(resource: &Resource) -> ResourceType {
    use {ResourceKind as K, ResourceType as T};
    let is_uav = resource.class == ResourceClass::UAV;
    let has_counter = resource.flags.contains(ResourceFlags::UAV_COUNTER);
    match resource.kind {
        K::SAMPLER => T::SAMPLER,
        K::CONSTANT_BUFFER => T::CBV,
        K::STRUCTURED_BUFFER if is_uav && has_counter => T::UAV_STRUCTURED_WITH_COUNTER,
        K::STRUCTURED_BUFFER if is_uav => T::UAV_STRUCTURED,
        K::STRUCTURED_BUFFER => T::SRV_STRUCTURED,
        K::RAW_BUFFER if is_uav => T::UAV_RAW,
        K::RAW_BUFFER | K::ACCELERATION_STRUCTURE => T::SRV_RAW,
        _ if is_uav => T::UAV_TYPED,
        _ => T::SRV_TYPED,
    }
}

impl Facts<'_> {
    pub(crate) fn is_before(&self, minor: u32) -> bool {
        is_before(self.module, minor)
    }

    pub(crate) fn uses_view_id(&self) -> bool {
        self.module.flags() >> USES_VIEW_ID & 1 != 0
    }

    /// The signatures of the entry point: inputs, outputs, patch constants or primitives.
    pub(crate) fn signatures(&self) -> [&[SignatureEntry]; 3] {
        let entry = self.entry;
        [&entry.inputs, &entry.outputs, &entry.patch_or_primitive]
    }

    /// Whether there are patch constants or primitives.
    pub(crate) fn has_third_signature(&self) -> bool {
        matches!(
            self.kind,
            ShaderKind::Hull | ShaderKind::Domain | ShaderKind::Mesh
        )
    }

    /// Whether the threads run in groups.
    pub(crate) fn has_groups(&self) -> bool {
        matches!(
            self.kind,
            ShaderKind::Compute | ShaderKind::Mesh | ShaderKind::Amplification
        )
    }

    pub(crate) fn component_type(&self, ty: ElementType) -> ComponentType {
        match ty {
            ElementType::I1 if self.is_before(5) => ComponentType::UNKNOWN,
            ElementType::I1 | ElementType::U32 => ComponentType::UINT32,
            ElementType::I32 => ComponentType::SINT32,
            ElementType::F32 => ComponentType::FLOAT32,
            ElementType::U16 => ComponentType::UINT16,
            ElementType::I16 => ComponentType::SINT16,
            ElementType::F16 => ComponentType::FLOAT16,
            ElementType::U64 => ComponentType::UINT64,
            ElementType::I64 => ComponentType::SINT64,
            ElementType::F64 => ComponentType::FLOAT64,
            _ => ComponentType::UNKNOWN,
        }
    }

    pub(crate) fn min_precision(&self, ty: ElementType) -> MinPrecision {
        let is_native = self.module.flags() >> NATIVE_LOW_PRECISION & 1 != 0;
        match ty {
            _ if is_native => MinPrecision::DEFAULT,
            ElementType::I16 => MinPrecision::SINT_16,
            ElementType::U16 => MinPrecision::UINT_16,
            ElementType::F16 => MinPrecision::FLOAT_16,
            _ => MinPrecision::DEFAULT,
        }
    }

    /// What an element means, in the numbering of the signature parts. `row` is its place in the
    /// element: an isoline has its density in the first row and its detail in the second.
    pub(crate) fn system_value(&self, semantic: SemanticKind, row: usize) -> SystemValue {
        use {SemanticKind as K, SystemValue as V};
        let domain = match self.entry.stage {
            Stage::Hull { domain, .. } | Stage::Domain { domain, .. } => domain,
            _ => 0,
        };
        match semantic {
            K::POSITION => V::POSITION,
            K::CLIP_DISTANCE => V::CLIP_DISTANCE,
            K::CULL_DISTANCE => V::CULL_DISTANCE,
            K::RENDER_TARGET_ARRAY_INDEX => V::RENDER_TARGET_ARRAY_INDEX,
            K::VIEWPORT_ARRAY_INDEX => V::VIEWPORT_ARRAY_INDEX,
            K::VERTEX_ID => V::VERTEX_ID,
            K::PRIMITIVE_ID => V::PRIMITIVE_ID,
            K::INSTANCE_ID => V::INSTANCE_ID,
            K::IS_FRONT_FACE => V::IS_FRONT_FACE,
            K::SAMPLE_INDEX => V::SAMPLE_INDEX,
            K::BARYCENTRICS => V::BARYCENTRICS,
            K::SHADING_RATE => V::SHADINGRATE,
            K::CULL_PRIMITIVE => V::CULLPRIMITIVE,
            K::TARGET => V::TARGET,
            K::DEPTH => V::DEPTH,
            K::COVERAGE => V::COVERAGE,
            K::DEPTH_GREATER_EQUAL => V::DEPTH_GREATER_EQUAL,
            K::DEPTH_LESS_EQUAL => V::DEPTH_LESS_EQUAL,
            K::STENCIL_REF => V::STENCIL_REF,
            K::INNER_COVERAGE => V::INNER_COVERAGE,
            K::TESS_FACTOR => match domain {
                1 if row == 0 => V::FINAL_LINE_DENSITY_TESSFACTOR,
                1 => V::FINAL_LINE_DETAIL_TESSFACTOR,
                2 => V::FINAL_TRI_EDGE_TESSFACTOR,
                3 => V::FINAL_QUAD_EDGE_TESSFACTOR,
                _ => V::UNDEFINED,
            },
            K::INSIDE_TESS_FACTOR => match domain {
                2 => V::FINAL_TRI_INSIDE_TESSFACTOR,
                3 => V::FINAL_QUAD_INSIDE_TESSFACTOR,
                _ => V::UNDEFINED,
            },
            _ => V::UNDEFINED,
        }
    }

    /// Whether an output of these kinds exists.
    pub(crate) fn puts_out(&self, kinds: &[SemanticKind]) -> bool {
        let mut outputs = self.entry.outputs.iter();
        outputs.any(|output| kinds.contains(&output.semantic))
    }

    /// Whether a pixel shader runs for each sample because of its inputs.
    pub(crate) fn runs_for_each_sample(&self) -> bool {
        use InterpolationMode as I;
        self.entry.inputs.iter().any(|input| {
            input.semantic == SemanticKind::SAMPLE_INDEX
                || matches!(
                    input.interpolation,
                    I::LINEAR_SAMPLE | I::LINEAR_NOPERSPECTIVE_SAMPLE
                )
        })
    }
}

/// Whether an element is in a register.
pub(crate) fn is_packed(entry: &SignatureEntry) -> bool {
    entry.start_row != u32::MAX && entry.start_column < 4
}

/// How many registers the elements of a stream take.
pub(crate) fn vectors(entries: &[SignatureEntry], stream: u32) -> u32 {
    let packed = entries.iter();
    let packed = packed.filter(|entry| is_packed(entry) && entry.stream == stream);
    let ends = packed.map(|entry| entry.start_row.saturating_add(entry.rows));
    ends.max().unwrap_or(0)
}
