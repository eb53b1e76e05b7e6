//! The reflection, in the numbers of `d3d12shader.h`.

use std::fmt;

use dxil::module::{ElementType, Resource, SignatureEntry, Stage};
use dxil::psv0::SemanticKind;
use dxil::rdat::{Function, ResourceFlags, RuntimeData};
use dxil::{
    Container, Error, FeatureFlags, FourCc, Module, PartContent, ResourceClass, ResourceKind,
    ShaderKind, SignatureElement,
};

use super::{BY_CLASS, in_order, quoted};

/// `D3D_SHADER_REQUIRES_...` flags are those of SFI0, but for one bit.
const EARLY_DEPTH_STENCIL: u64 = 2;
/// The shader flag for that bit (`DXIL.rst`).
const FORCE_EARLY_DEPTH_STENCIL: u64 = 8;
/// The shader flag for types of 16 bits that are meant.
const USE_NATIVE_LOW_PRECISION: u64 = 0x80_0000;

/// `ID3D12ShaderReflection`.
pub fn shader(
    lines: &mut Vec<String>,
    container: &Container<'_>,
    module: &Module,
) -> Result<(), Error> {
    let [entry] = module.entry_points() else {
        panic!("{} entry points", module.entry_points().len())
    };
    let (_, version) = module.profile().expect("a shader model");
    let kind = entry.kind as u32;
    lines.push(format!(
        "program {kind} {} {}",
        version.major, version.minor
    ));
    let mut features = 0;
    for part in container.parts() {
        if let PartContent::FeatureFlags(flags) = part.content()? {
            features = flags.0;
        }
    }
    features &= !FeatureFlags::COMPUTE_SHADERS_PLUS_RAW_AND_STRUCTURED_BUFFERS.0;
    if module.flags() & FORCE_EARLY_DEPTH_STENCIL != 0 {
        features |= EARLY_DEPTH_STENCIL;
    }
    lines.push(format!("features {features:016x}"));
    let [x, y, z] = entry.thread_group.unwrap_or_default();
    lines.push(format!("group {x} {y} {z}"));
    let (geometry, tessellation) = match entry.stage {
        Stage::Geometry {
            input_primitive,
            max_vertices,
            topology,
            instances,
            ..
        } => ([input_primitive, topology, max_vertices, instances], [0; 4]),
        // D3D_PRIMITIVE_1_CONTROL_POINT_PATCH is 8.
        Stage::Hull {
            input_points,
            output_points,
            domain,
            partitioning,
            output_primitive,
            ..
        } => (
            [7 + input_points, 0, 0, 0],
            [output_points, output_primitive, partitioning, domain],
        ),
        Stage::Domain {
            domain,
            input_points,
        } => ([0; 4], [input_points, 0, 0, domain]),
        _ => ([0; 4], [0; 4]),
    };
    for (word, [a, b, c, d]) in [("geometry", geometry), ("tessellation", tessellation)] {
        lines.push(format!("{word} {a} {b} {c} {d}"));
    }
    let domain = match entry.stage {
        Stage::Hull { domain, .. } | Stage::Domain { domain, .. } => domain,
        _ => 0,
    };
    for (word, part, entries) in [
        ("input", FourCc::ISG1, &entry.inputs),
        ("output", FourCc::OSG1, &entry.outputs),
        ("patch", FourCc::PSG1, &entry.patch_or_primitive),
    ] {
        let native = module.flags() & USE_NATIVE_LOW_PRECISION != 0;
        let rows = |of_part| {
            let rows = entries.iter().flat_map(move |it| {
                let is_read = word == "input"
                    || (of_part && word == "patch" && entry.kind == ShaderKind::Domain);
                (0..it.rows)
                    .map(move |row| Parameter::new(it, row, domain, is_read, of_part, native))
            });
            rows.collect::<Vec<_>>()
        };
        lines.extend(rows(false).iter().map(|it| format!("{word} {it}")));
        // The part must say the same as the program; its order is its own.
        if let Some(signature) = container.signature(part)? {
            let mut of_part: Vec<_> = signature.elements().map(Parameter::from).collect();
            let mut of_program = rows(true);
            of_part.sort();
            of_program.sort();
            if of_part != of_program {
                lines.push(format!(
                    "{word} {part} is not that of the program, by these:"
                ));
            }
            let only_part = of_part.iter().filter(|it| !of_program.contains(it));
            lines.extend(only_part.map(|it| format!("{word} {part}: {it}")));
            let only_program = of_program.iter().filter(|it| !of_part.contains(it));
            lines.extend(only_program.map(|it| format!("{word} program: {it}")));
        }
    }
    resources(lines, module, |_| true);
    Ok(())
}

/// `ID3D12LibraryReflection`.
pub fn library(lines: &mut Vec<String>, module: &Module, data: &RuntimeData<'_>) {
    let mut functions: Vec<Function<'_>> = data.functions().collect();
    functions.sort_by_key(|function| function.name);
    let (_, version) = module.profile().expect("a shader model");
    for function in functions {
        let mut features = function.features;
        // Pixel shaders have derivatives anyway, and DXC does not reflect that they use them.
        if function.kind == ShaderKind::Pixel {
            features.0 &= !FeatureFlags::OPT_USES_DERIVATIVES.0;
        }
        lines.push(format!(
            "function {} {} {} {:016x} {}",
            function.kind as u32,
            version.major,
            version.minor,
            features.0,
            quoted(function.name.as_bytes())
        ));
        resources(lines, module, |it| {
            let mut used = function.resources.iter();
            used.any(|other| (other.class, other.id) == (it.class, it.id))
        });
    }
}

/// `D3D12_SHADER_INPUT_BIND_DESC` and `D3D12_SHADER_BUFFER_DESC` of those that `is_used` says.
fn resources(lines: &mut Vec<String>, module: &Module, is_used: impl Fn(&Resource) -> bool) {
    use ResourceClass as C;
    let used = |classes| in_order(module.resources(), classes).filter(|it| is_used(it));
    lines.extend(used(BY_CLASS).map(bound));
    for it in used([C::CBV, C::SAMPLER, C::UAV, C::SRV]) {
        let (kind, size) = match it.kind {
            ResourceKind::CONSTANT_BUFFER => (0, it.size.next_multiple_of(16).to_string()),
            ResourceKind::TBUFFER => (1, "?".to_owned()),
            ResourceKind::STRUCTURED_BUFFER => (3, it.stride.unwrap_or_default().to_string()),
            _ => continue,
        };
        let name = quoted(it.name.as_bytes());
        lines.push(format!("buffer {kind} {size} {name}"));
    }
}

/// `D3D12_SHADER_INPUT_BIND_DESC`; the flags without the number of components, which is in HLSL
/// types only.
fn bound(it: &Resource) -> String {
    use ResourceKind as K;
    let is_uav = it.class == ResourceClass::UAV;
    let counter = it.flags.contains(ResourceFlags::UAV_COUNTER);
    let (kind, dimension) = match it.kind {
        K::CONSTANT_BUFFER => (0, 0),
        K::TBUFFER => (1, 0),
        K::SAMPLER => (3, 0),
        K::RAW_BUFFER => (if is_uav { 8 } else { 7 }, 1),
        K::STRUCTURED_BUFFER if !is_uav => (5, 1),
        K::STRUCTURED_BUFFER => (if counter { 11 } else { 6 }, 1),
        K::ACCELERATION_STRUCTURE => (12, 0),
        K::FEEDBACK_TEXTURE_2D => (13, 4),
        K::FEEDBACK_TEXTURE_2D_ARRAY => (13, 5),
        shape => {
            let dimension = match shape {
                K::TYPED_BUFFER => 1,
                K::TEXTURE_1D => 2,
                K::TEXTURE_1D_ARRAY => 3,
                K::TEXTURE_2D => 4,
                K::TEXTURE_2D_ARRAY => 5,
                K::TEXTURE_2DMS => 6,
                K::TEXTURE_2DMS_ARRAY => 7,
                K::TEXTURE_3D => 8,
                K::TEXTURE_CUBE => 9,
                K::TEXTURE_CUBE_ARRAY => 10,
                other => panic!("{other:?}"),
            };
            (if is_uav { 4 } else { 2 }, dimension)
        }
    };
    let flags = match it.kind {
        K::CONSTANT_BUFFER | K::TBUFFER => 1,
        K::SAMPLER if it.sampler == 1 => 2,
        _ => 0,
    };
    let returns = match it.kind {
        K::CONSTANT_BUFFER | K::TBUFFER | K::SAMPLER => 0,
        _ => it.element.map_or(6, return_type),
    };
    let samples = match it.kind {
        K::CONSTANT_BUFFER | K::TBUFFER | K::SAMPLER | K::RAW_BUFFER => 0,
        K::TEXTURE_2DMS | K::TEXTURE_2DMS_ARRAY => it.samples,
        K::STRUCTURED_BUFFER => it.stride.unwrap_or_default(),
        _ => u32::MAX,
    };
    let count = if it.range_size == u32::MAX {
        0
    } else {
        it.range_size
    };
    let name = quoted(it.name.as_bytes());
    format!(
        "resource {kind} {} {count} {flags} {returns} {dimension} {samples} {} {} {name}",
        it.lower_bound, it.space, it.id
    )
}

/// `D3D_RESOURCE_RETURN_TYPE`.
fn return_type(ty: ElementType) -> u32 {
    use ElementType as T;
    match ty {
        T::UNORM_F16 | T::UNORM_F32 | T::UNORM_F64 => 1,
        T::SNORM_F16 | T::SNORM_F32 | T::SNORM_F64 => 2,
        T::I16 | T::I32 | T::I64 => 3,
        T::U16 | T::U32 | T::U64 => 4,
        T::F16 | T::F32 => 5,
        T::F64 => 7,
        _ => 6,
    }
}

/// `D3D12_SIGNATURE_PARAMETER_DESC`: a row of an element of a signature.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Parameter {
    name: String,
    index: u32,
    register: u32,
    system_value: u32,
    component_type: u32,
    mask: u32,
    read_write_mask: u32,
    stream: u32,
    min_precision: u32,
}

impl Parameter {
    /// As the reflection has it, or the part where the two differ:
    ///
    /// - The reflection has names in upper case.
    /// - It does not tell types of 16 bits from those of 32 bits where less precision is enough.
    /// - It has all factors of an isoline as those of detail; the first is the density.
    /// - It has patch constants as what is not written, of domain shaders too, which read them.
    fn new(
        it: &SignatureEntry,
        row: u32,
        domain: u32,
        is_read: bool,
        of_part: bool,
        native: bool,
    ) -> Self {
        use ElementType as T;
        let (component_type, min_precision) = match it.ty {
            T::U16 if of_part && native => (4, 0),
            T::I16 if of_part && native => (5, 0),
            T::F16 if of_part && native => (6, 0),
            T::U16 if of_part => (4, 5),
            T::I16 if of_part => (5, 4),
            T::F16 if of_part => (6, 1),
            T::U16 => (1, 5),
            T::I16 => (2, 4),
            T::F16 => (3, 1),
            T::I1 | T::U32 => (1, 0),
            T::I32 => (2, 0),
            T::F32 => (3, 0),
            other => panic!("{other:?}"),
        };
        let column = match it.start_column {
            column @ 0..4 => column,
            _ => 0,
        };
        let used = it.usage_mask << column;
        Self {
            name: if of_part {
                it.name.clone()
            } else {
                it.name.to_ascii_uppercase()
            },
            index: it.indices[row as usize],
            register: match it.start_row {
                u32::MAX => u32::MAX,
                first => first + row,
            },
            system_value: match (it.semantic, domain) {
                (SemanticKind::TESS_FACTOR, 1) if of_part && row == 0 => 16,
                (semantic, _) => system_value(semantic, domain),
            },
            component_type,
            mask: ((1 << it.columns) - 1) << column,
            read_write_mask: if is_read { used } else { !used & 0xf },
            stream: it.stream,
            min_precision,
        }
    }
}

impl From<SignatureElement<'_>> for Parameter {
    fn from(it: SignatureElement<'_>) -> Self {
        Self {
            name: String::from_utf8(it.name().to_vec()).expect("an HLSL name"),
            index: it.semantic_index(),
            register: it.register().unwrap_or(u32::MAX),
            system_value: it.system_value().0,
            component_type: it.component_type().0,
            mask: it.mask().into(),
            read_write_mask: it.rw_mask().into(),
            stream: it.stream(),
            min_precision: it.min_precision().0,
        }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            index, register, ..
        } = self;
        write!(
            f,
            "{index} {register} {} {} {} {} {} {} {}",
            self.system_value,
            self.component_type,
            self.mask,
            self.read_write_mask,
            self.stream,
            self.min_precision,
            quoted(self.name.as_bytes())
        )
    }
}

/// `D3D_NAME`; tessellation factors by `D3D_TESSELLATOR_DOMAIN`.
fn system_value(semantic: SemanticKind, domain: u32) -> u32 {
    use SemanticKind as S;
    match semantic {
        S::POSITION => 1,
        S::CLIP_DISTANCE => 2,
        S::CULL_DISTANCE => 3,
        S::RENDER_TARGET_ARRAY_INDEX => 4,
        S::VIEWPORT_ARRAY_INDEX => 5,
        S::VERTEX_ID => 6,
        S::PRIMITIVE_ID => 7,
        S::INSTANCE_ID => 8,
        S::IS_FRONT_FACE => 9,
        S::SAMPLE_INDEX => 10,
        S::TESS_FACTOR => [0, 15, 13, 11][domain as usize],
        S::INSIDE_TESS_FACTOR => [0, 0, 14, 12][domain as usize],
        S::BARYCENTRICS => 23,
        S::SHADING_RATE => 24,
        S::CULL_PRIMITIVE => 25,
        S::TARGET => 64,
        S::DEPTH => 65,
        S::COVERAGE => 66,
        S::DEPTH_GREATER_EQUAL => 67,
        S::DEPTH_LESS_EQUAL => 68,
        S::STENCIL_REF => 69,
        S::INNER_COVERAGE => 70,
        _ => 0,
    }
}
