//! Root signatures are those that the sources declare.

use dxil::rdat::{RuntimeData, SubobjectKind};
use dxil::{
    Container, ContainerBuilder, DescriptorRange, DescriptorRangeType, FourCc, RootDescriptor,
    RootParameter, RootParameterKind as Kind, RootSignature, RootSignatureDesc, StaticSampler,
    Version,
};

use crate::valid::{Shader, shaders};

/// Every field of a root signature, one line for its flags and for each parameter and sampler.
fn text(root_signature: &RootSignature<'_>) -> Vec<String> {
    let flags = format!("{:?}", root_signature.flags());
    let parameters = root_signature.parameters().iter().map(parameter_text);
    let samplers = root_signature.static_samplers().map(sampler_text);
    [flags]
        .into_iter()
        .chain(parameters)
        .chain(samplers)
        .collect()
}

fn parameter_text(parameter: &RootParameter<'_>) -> String {
    let descriptor = |register: char, descriptor: RootDescriptor| {
        format!(
            "{register}{} space{} {:?}",
            descriptor.shader_register, descriptor.register_space, descriptor.flags
        )
    };
    let content = match parameter.kind {
        Kind::DescriptorTable(table) => {
            let ranges: Vec<_> = table.ranges().map(range_text).collect();
            format!("table [{}]", ranges.join(", "))
        }
        Kind::Constants(constants) => format!(
            "constants b{} space{} x{}",
            constants.shader_register, constants.register_space, constants.num_32bit_values
        ),
        Kind::Cbv(cbv) => descriptor('b', cbv),
        Kind::Srv(srv) => descriptor('t', srv),
        Kind::Uav(uav) => descriptor('u', uav),
    };
    format!("{content} {:?}", parameter.shader_visibility)
}

fn range_text(range: DescriptorRange) -> String {
    let register = match range.range_type {
        DescriptorRangeType::SRV => 't',
        DescriptorRangeType::UAV => 'u',
        DescriptorRangeType::CBV => 'b',
        DescriptorRangeType::SAMPLER => 's',
        other => panic!("{other:?}"),
    };
    let count = match range.num_descriptors {
        DescriptorRange::UNBOUNDED => "unbounded".to_owned(),
        count => format!("x{count}"),
    };
    let offset = match range.offset_in_descriptors_from_table_start {
        DescriptorRange::OFFSET_APPEND => "append".to_owned(),
        offset => format!("at {offset}"),
    };
    let (base, space) = (range.base_shader_register, range.register_space);
    format!(
        "{register}{base} space{space} {count} {offset} {:?}",
        range.flags
    )
}

fn sampler_text(sampler: StaticSampler) -> String {
    let StaticSampler {
        filter,
        address_u,
        address_v,
        address_w,
        mip_lod_bias,
        max_anisotropy,
        comparison_func,
        border_color,
        min_lod,
        max_lod,
        shader_register,
        register_space,
        shader_visibility,
        flags,
    } = sampler;
    format!(
        "sampler s{shader_register} space{register_space} filter {filter:#x} address \
         {address_u} {address_v} {address_w} bias {mip_lod_bias:?} anisotropy {max_anisotropy} \
         comparison {comparison_func} border {border_color} lod {min_lod:?}..{max_lod:?} {flags:?} \
         {shader_visibility:?}"
    )
}

/// Written by hand from the root signatures in `hlsl/`: source, entry point of those in
/// `root_signatures.hlsl`, and content. FLAGS and SAMPLER_FLAGS are those that the source does not
/// set, which depend on the version.
#[rustfmt::skip]
const EXPECTED: [(&str, &str, &[&str]); 13] = [
    ("hlsl/root_signatures.hlsl", "RS_EMPTY", &["{}"]),
    ("hlsl/root_signatures.hlsl", "RS_FLAGS", &[
        "{ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT, DENY_PIXEL_SHADER_ROOT_ACCESS, ALLOW_STREAM_OUTPUT, \
         DENY_AMPLIFICATION_SHADER_ROOT_ACCESS, DENY_MESH_SHADER_ROOT_ACCESS}",
    ]),
    ("hlsl/root_signatures.hlsl", "RS_CONSTANTS", &[
        "{}",
        "constants b0 space0 x1 ALL",
        "constants b3 space7 x16 VERTEX",
    ]),
    ("hlsl/root_signatures.hlsl", "RS_DESCRIPTORS", &[
        "{}",
        "b1 space0 FLAGS ALL",
        "t2 space1 FLAGS PIXEL",
        "u3 space0 FLAGS GEOMETRY",
    ]),
    ("hlsl/root_signatures.hlsl", "RS_TABLES", &[
        "{}",
        "table [b4 space0 x3 append FLAGS, t4 space2 unbounded append FLAGS] HULL",
        "table [u5 space0 x2 at 8 FLAGS, b9 space0 x1 append FLAGS, t0 space9 x5 append FLAGS] ALL",
        "table [s1 space1 x4 append FLAGS] DOMAIN",
    ]),
    // Where the source says nothing: anisotropic filter (0x55) of 16, wrap (1), less or equal (4),
    // opaque white (2), all levels.
    ("hlsl/root_signatures.hlsl", "RS_SAMPLERS", &[
        "{}",
        "sampler s0 space0 filter 0x55 address 1 1 1 bias 0.0 anisotropy 16 comparison 4 border 2 \
         lod 0.0..3.4028235e38 SAMPLER_FLAGS ALL",
        "sampler s1 space0 filter 0x55 address 2 5 4 bias -0.5 anisotropy 8 comparison 4 border 1 \
         lod 1.0..6.5 SAMPLER_FLAGS ALL",
        "sampler s2 space3 filter 0x95 address 1 1 1 bias 0.0 anisotropy 16 comparison 7 border 2 \
         lod 0.0..3.4028235e38 SAMPLER_FLAGS PIXEL",
    ]),
    ("hlsl/root_signatures.hlsl", "RS_VOLATILITY", &[
        "{}",
        "b0 space0 Some({DATA_STATIC}) ALL",
        "t0 space0 Some({DATA_STATIC_WHILE_SET_AT_EXECUTE}) ALL",
        "u0 space0 Some({DATA_VOLATILE}) ALL",
        "table [t1 space0 x1 append Some({DESCRIPTORS_VOLATILE, DATA_VOLATILE}), \
         t2 space0 x1 append Some({DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS}), \
         u1 space0 x1 append FLAGS, b1 space0 x1 append Some({DATA_STATIC})] ALL",
        "table [s0 space0 x1 append Some({DESCRIPTORS_VOLATILE})] ALL",
    ]),
    ("hlsl/root_signatures.hlsl", "RS_HEAPS", &[
        "{CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED, SAMPLER_HEAP_DIRECTLY_INDEXED}",
        "constants b0 space1 x8 ALL",
    ]),
    ("hlsl/root_signatures.hlsl", "RS_LOCAL", &[
        "{LOCAL_ROOT_SIGNATURE}",
        "constants b0 space1 x2 ALL",
        "t0 space1 FLAGS ALL",
    ]),
    ("hlsl/raw_copy.hlsl", "", &[
        "{}",
        "constants b0 space0 x3 ALL",
        "t0 space0 FLAGS ALL",
        "u0 space0 Some({DATA_VOLATILE}) ALL",
    ]),
    ("hlsl/indirect_args.hlsl", "", &[
        "{}",
        "b0 space0 Some({DATA_STATIC}) ALL",
        "table [t0 space0 x1 append Some({DATA_STATIC_WHILE_SET_AT_EXECUTE}), \
         u0 space0 x1 append FLAGS] ALL",
        "u1 space0 FLAGS ALL",
    ]),
    ("hlsl/heap_compute.hlsl", "", &[
        "{CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED, SAMPLER_HEAP_DIRECTLY_INDEXED}",
        "constants b0 space0 x4 ALL",
    ]),
    ("hlsl/fullscreen.hlsl", "", &[
        "{DENY_HULL_SHADER_ROOT_ACCESS, DENY_DOMAIN_SHADER_ROOT_ACCESS, \
         DENY_GEOMETRY_SHADER_ROOT_ACCESS}",
        "constants b0 space0 x4 PIXEL",
        "table [t0 space0 x2 append FLAGS] PIXEL",
        "sampler s0 space0 filter 0x14 address 3 3 3 bias 0.0 anisotropy 16 comparison 4 border 2 \
         lod 0.0..3.4028235e38 SAMPLER_FLAGS PIXEL",
    ]),
];

/// The content of a shader's root signature, in the version that it is compiled for.
fn expected(shader: &Shader, minor: u32) -> Vec<String> {
    let name = &shader.entry.name;
    let is_it = |source: &str, entry: &str| {
        source == shader.source && (entry.is_empty() || entry == shader.entry_point)
    };
    let (_, _, lines) = EXPECTED
        .iter()
        .find(|(source, entry, _)| is_it(source, entry))
        .unwrap_or_else(|| panic!("{name}: not in the table"));
    let no_flags = |since| if minor < since { "None" } else { "Some({})" };
    let mut lines: Vec<_> = lines
        .iter()
        .map(|line| {
            line.replace("SAMPLER_FLAGS", no_flags(2))
                .replace("FLAGS", no_flags(1))
        })
        .collect();
    if name == "rs_samplers_1_2" {
        // It is made from version 1.1, with this flag added.
        lines[1] = lines[1].replace("Some({})", "Some({UINT_BORDER_COLOR})");
    }
    lines
}

#[test]
fn content_is_that_of_the_source() {
    let mut versions = [0; 3];
    for shader in shaders() {
        let name = &shader.entry.name;
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        let root_signature = container
            .root_signature()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(
            root_signature.is_some(),
            container.part(FourCc::RTS0).is_some(),
            "{name}"
        );
        let Some(root_signature) = root_signature else {
            assert_ne!(shader.stage, "rootsig", "{name}");
            continue;
        };
        let asked_for = |version: &str| {
            shader.profile == version || shader.args.iter().any(|arg| arg == version)
        };
        let minor = if asked_for("rootsig_1_0") {
            0
        } else if asked_for("rootsig_1_2") {
            2
        } else {
            1
        };
        assert_eq!(
            root_signature.version(),
            Version { major: 1, minor },
            "{name}"
        );
        assert_eq!(text(&root_signature), expected(&shader, minor), "{name}");
        versions[minor as usize] += 1;
    }
    assert_eq!(versions, [9, 24, 1]);
}

/// Every root signature of the corpus, those of subobjects included.
fn payloads() -> Vec<(String, Vec<u8>)> {
    let mut payloads = Vec::new();
    for shader in shaders() {
        let name = &shader.entry.name;
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        if let Some(part) = container.part(FourCc::RTS0) {
            payloads.push((name.clone(), part.bytes().to_vec()));
        }
        let runtime_data = container.runtime_data().unwrap();
        for subobject in runtime_data.iter().flat_map(RuntimeData::subobjects) {
            if let SubobjectKind::GlobalRootSignature(bytes)
            | SubobjectKind::LocalRootSignature(bytes) = subobject.kind
            {
                payloads.push((format!("{name} {}", subobject.name), bytes.to_vec()));
            }
        }
    }
    payloads
}

#[test]
fn what_dxc_wrote_is_valid_and_written_alike() {
    let payloads = payloads();
    assert!(payloads.len() > 45, "{}", payloads.len());
    for (name, bytes) in payloads {
        let read = RootSignature::parse(&bytes).unwrap();
        let desc = RootSignatureDesc::try_from(&read).unwrap();
        let written = desc
            .serialize()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(written, bytes, "{name}");
    }
}

/// The container around a root signature, byte for byte.
#[test]
fn root_signature_containers_are_written_alike() {
    let mut written = 0;
    for shader in shaders().iter().filter(|it| it.stage == "rootsig") {
        let bytes = shader.entry.read();
        let container = Container::parse(&bytes).unwrap();
        let read = container.root_signature().unwrap().unwrap();
        let mut builder = ContainerBuilder::new();
        let desc = RootSignatureDesc::try_from(&read).unwrap();
        builder.set(FourCc::RTS0, desc.serialize().unwrap());
        assert!(builder.build().unwrap() == bytes, "{}", shader.entry.name);
        written += 1;
    }
    assert_eq!(written, 18);
}
