//! The names of numbers and parts.

use std::fmt::Debug;

use dxil::module::ElementType;
use dxil::{ComponentType, FourCc, ResourceClass, ResourceKind, ShaderKind};

/// The purpose of a part, in one line.
pub fn part(name: FourCc) -> &'static str {
    match name {
        FourCc::DXIL => "program",
        FourCc::ILDB => "program with debug information",
        FourCc::STAT => "reflection",
        FourCc::SFI0 => "feature flags",
        FourCc::ISG1 | FourCc::ISGN => "input signature",
        FourCc::OSG1 | FourCc::OSGN => "output signature",
        FourCc::PSG1 => "patch-constant or per-primitive signature",
        FourCc::PSV0 => "pipeline state validation",
        FourCc::RDAT => "runtime data of a library",
        FourCc::RTS0 => "root signature",
        FourCc::VERS => "compiler version",
        FourCc::ILDN => "name of the PDB",
        FourCc::HASH => "hash of the bitcode",
        FourCc::PRIV => "data of the application",
        FourCc::SRCI => "sources",
        FourCc::PDBI => "compiler arguments",
        FourCc::RDEF => "reflection, shader models 4 and 5",
        FourCc::SHEX | FourCc::SHDR => "program, shader models 4 and 5",
        _ => "unknown",
    }
}

/// The short name of the profile, such as `ps`; libraries and the shaders in them have `lib`.
pub fn profile(kind: ShaderKind) -> &'static str {
    match kind {
        ShaderKind::Pixel => "ps",
        ShaderKind::Vertex => "vs",
        ShaderKind::Geometry => "gs",
        ShaderKind::Hull => "hs",
        ShaderKind::Domain => "ds",
        ShaderKind::Compute => "cs",
        ShaderKind::Mesh => "ms",
        ShaderKind::Amplification => "as",
        _ => "lib",
    }
}

/// The name of a number in lower case: `LINEAR_SAMPLE` is `linear sample`. A number without a name
/// stays as the library shows it.
pub fn lower(number: impl Debug) -> String {
    let name = format!("{number:?}");
    if name.contains('(') {
        name
    } else {
        name.to_lowercase().replace('_', " ")
    }
}

/// The shapes of resources in HLSL, from 1 on.
const SHAPES: [&str; 18] = [
    "Texture1D",
    "Texture2D",
    "Texture2DMS",
    "Texture3D",
    "TextureCube",
    "Texture1DArray",
    "Texture2DArray",
    "Texture2DMSArray",
    "TextureCubeArray",
    "Buffer",
    "ByteAddressBuffer",
    "StructuredBuffer",
    "ConstantBuffer",
    "SamplerState",
    "TextureBuffer",
    "RaytracingAccelerationStructure",
    "FeedbackTexture2D",
    "FeedbackTexture2DArray",
];

/// The type of a resource in HLSL, such as `RWTexture2D`.
pub fn shape(class: ResourceClass, kind: ResourceKind, is_ordered: bool) -> String {
    let place = (kind.0 as usize).checked_sub(1);
    let Some(shape) = place.and_then(|place| SHAPES.get(place)) else {
        return format!("{kind:?}");
    };
    let is_feedback = kind >= ResourceKind::FEEDBACK_TEXTURE_2D;
    let prefix = match class {
        ResourceClass::UAV if is_feedback => "",
        ResourceClass::UAV if is_ordered => "RasterizerOrdered",
        ResourceClass::UAV => "RW",
        _ => "",
    };
    format!("{prefix}{shape}")
}

/// The type of a component in HLSL, if it has one.
pub fn element(ty: ElementType) -> String {
    let hlsl = match ty {
        ElementType::I1 => "bool",
        ElementType::I16 => "int16_t",
        ElementType::U16 => "uint16_t",
        ElementType::I32 => "int",
        ElementType::U32 => "uint",
        ElementType::I64 => "int64_t",
        ElementType::U64 => "uint64_t",
        ElementType::F16 => "half",
        ElementType::F32 => "float",
        ElementType::F64 => "double",
        _ => return lower(ty),
    };
    hlsl.to_owned()
}

/// The same, in the numbering of the signature parts.
pub fn component(ty: ComponentType) -> String {
    element(match ty {
        ComponentType::UINT32 => ElementType::U32,
        ComponentType::SINT32 => ElementType::I32,
        ComponentType::FLOAT32 => ElementType::F32,
        ComponentType::UINT16 => ElementType::U16,
        ComponentType::SINT16 => ElementType::I16,
        ComponentType::FLOAT16 => ElementType::F16,
        ComponentType::UINT64 => ElementType::U64,
        ComponentType::SINT64 => ElementType::I64,
        ComponentType::FLOAT64 => ElementType::F64,
        other => return lower(other),
    })
}

/// The name of a number of `d3dcommon.h` and `d3d12.h`, or the number.
pub fn numbered(names: &[(u32, &str)], number: u32) -> String {
    let found = names.iter().find(|&&(named, _)| named == number);
    found.map_or_else(|| number.to_string(), |(_, name)| (*name).to_owned())
}

/// `D3D_PRIMITIVE`, those that geometry shaders take.
pub const PRIMITIVES: &[(u32, &str)] = &[
    (1, "point"),
    (2, "line"),
    (3, "triangle"),
    (6, "lineadj"),
    (7, "triangleadj"),
];

/// `D3D_PRIMITIVE_TOPOLOGY`, those that geometry shaders make.
pub const TOPOLOGIES: &[(u32, &str)] = &[
    (1, "point list"),
    (2, "line list"),
    (3, "line strip"),
    (4, "triangle list"),
    (5, "triangle strip"),
];

/// `outputtopology` of mesh shaders.
pub const MESH_TOPOLOGIES: &[(u32, &str)] = &[(1, "line"), (2, "triangle")];

/// `D3D_TESSELLATOR_DOMAIN`.
pub const DOMAINS: &[(u32, &str)] = &[(1, "isoline"), (2, "tri"), (3, "quad")];

/// `D3D_TESSELLATOR_PARTITIONING`.
pub const PARTITIONINGS: &[(u32, &str)] = &[
    (1, "integer"),
    (2, "pow2"),
    (3, "fractional_odd"),
    (4, "fractional_even"),
];

/// `D3D_TESSELLATOR_OUTPUT_PRIMITIVE`.
pub const TESSELLATOR_OUTPUTS: &[(u32, &str)] = &[
    (1, "point"),
    (2, "line"),
    (3, "triangle_cw"),
    (4, "triangle_ccw"),
];

/// Kinds of samplers in the metadata.
pub const SAMPLERS: &[(u32, &str)] = &[(0, "default"), (1, "comparison"), (2, "mono")];
