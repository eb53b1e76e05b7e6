use super::{
    MAX_RANGES, RootParameterDesc, RootParameterKindDesc as Kind, RootSignatureDesc,
    RootSignatureFault as F, RootSignaturePlace as P, SamplerValue,
};
use crate::{
    DescriptorRange, DescriptorRangeFlags, DescriptorRangeType, ErrorKind, RootConstants,
    RootDescriptor, RootDescriptorFlags, RootSignature, RootSignatureFlags, SamplerFlags,
    ShaderVisibility, StaticSampler, Version,
};

const UNBOUNDED: u32 = DescriptorRange::UNBOUNDED;
const APPEND: u32 = DescriptorRange::OFFSET_APPEND;

const V1_0: Version = Version { major: 1, minor: 0 };
const V1_1: Version = Version { major: 1, minor: 1 };
const V1_2: Version = Version { major: 1, minor: 2 };

fn all(kind: Kind) -> RootParameterDesc {
    RootParameterDesc {
        shader_visibility: ShaderVisibility::ALL,
        kind,
    }
}

fn constants(shader_register: u32, num_32bit_values: u32) -> RootParameterDesc {
    all(Kind::Constants(RootConstants {
        shader_register,
        register_space: 0,
        num_32bit_values,
    }))
}

fn descriptor(shader_register: u32, flags: u32) -> RootDescriptor {
    RootDescriptor {
        shader_register,
        register_space: 0,
        flags: Some(RootDescriptorFlags(flags)),
    }
}

fn range(range_type: DescriptorRangeType, base: u32, count: u32, offset: u32) -> DescriptorRange {
    DescriptorRange {
        range_type,
        num_descriptors: count,
        base_shader_register: base,
        register_space: 0,
        flags: Some(DescriptorRangeFlags::NONE),
        offset_in_descriptors_from_table_start: offset,
    }
}

fn srv(base: u32, count: u32) -> DescriptorRange {
    range(DescriptorRangeType::SRV, base, count, APPEND)
}

fn table(ranges: &[DescriptorRange]) -> RootParameterDesc {
    all(Kind::DescriptorTable(ranges.to_vec()))
}

fn sampler() -> StaticSampler {
    StaticSampler {
        filter: 0x55,
        address_u: 1,
        address_v: 1,
        address_w: 1,
        mip_lod_bias: 0.0,
        max_anisotropy: 16,
        comparison_func: 4,
        border_color: 2,
        min_lod: 0.0,
        max_lod: f32::MAX,
        shader_register: 0,
        register_space: 0,
        shader_visibility: ShaderVisibility::ALL,
        flags: None,
    }
}

fn desc(parameters: &[RootParameterDesc]) -> RootSignatureDesc {
    RootSignatureDesc {
        version: V1_1,
        parameters: parameters.to_vec(),
        static_samplers: vec![],
        flags: RootSignatureFlags::NONE,
    }
}

fn fault(desc: &RootSignatureDesc) -> Option<(P, F)> {
    let refused = desc.validate().err();
    assert_eq!(desc.serialize().err(), refused);
    refused.map(|error| (error.place, error.fault))
}

/// What is refused in one parameter, or in the range of that number of one table.
fn in_parameter(parameter: RootParameterDesc) -> Option<(P, F)> {
    fault(&desc(&[parameter]))
}

fn in_table(ranges: &[DescriptorRange]) -> Option<(usize, F)> {
    let (place, fault) = in_parameter(table(ranges))?;
    match place {
        P::Range {
            parameter: 0,
            range,
        } => Some((range, fault)),
        other => panic!("{other}: {fault}"),
    }
}

fn in_sampler(change: impl FnOnce(&mut StaticSampler)) -> Option<F> {
    let mut sampler = sampler();
    change(&mut sampler);
    let desc = RootSignatureDesc {
        static_samplers: vec![sampler],
        ..desc(&[])
    };
    let (place, fault) = fault(&desc)?;
    assert_eq!(place, P::StaticSampler(0));
    Some(fault)
}

/// DXC 1.7 refuses and accepts the same of these when it compiles them from text.
#[test]
fn ranges() {
    use DescriptorRangeType as T;
    let with_flags = |range: DescriptorRange, flags| DescriptorRange {
        flags: Some(DescriptorRangeFlags(flags)),
        ..range
    };
    let last = u32::MAX;
    assert_eq!(in_table(&[]), None);
    assert_eq!(
        in_table(&[srv(0, 1), range(T::SAMPLER, 0, 1, APPEND)]),
        Some((1, F::SamplersMixed))
    );
    assert_eq!(in_table(&[srv(0, 0)]), Some((0, F::NoDescriptors)));
    assert_eq!(
        in_table(&[srv(9, UNBOUNDED), range(T::UAV, 5, 1, APPEND)]),
        Some((1, F::AppendedToUnbounded))
    );
    assert_eq!(in_table(&[srv(9, UNBOUNDED), range(T::UAV, 5, 1, 3)]), None);
    let (base, count) = (last, 2);
    assert_eq!(
        in_table(&[srv(base, count)]),
        Some((0, F::RegistersPastEnd { base, count }))
    );
    assert_eq!(in_table(&[srv(last, 1)]), None);
    assert_eq!(in_table(&[range(T::SRV, 0, 2, last - 1)]), None);
    let (start, count) = (u64::from(last - 1), 3);
    assert_eq!(
        in_table(&[range(T::SRV, 0, count, last - 1)]),
        Some((0, F::DescriptorsPastEnd { start, count }))
    );
    assert_eq!(
        in_table(&[range(T::SRV, 0, 1, last - 1), srv(1, 2)]),
        Some((
            1,
            F::DescriptorsPastEnd {
                start: last.into(),
                count: 2
            }
        ))
    );
    let range_type = 4;
    assert_eq!(
        in_table(&[range(T(range_type), 0, 1, APPEND)]),
        Some((0, F::RangeType { range_type }))
    );
    for (flags, refused) in [
        (0x1_0008, None),
        (0x5, None),
        (0xa, Some(F::DataFlags)),
        (0x9, Some(F::StaticDataOfVolatileDescriptors)),
        (0x1_0001, Some(F::DescriptorsFlags)),
        (0x2_0000, Some(F::UnknownFlags { unknown: 0x2_0000 })),
    ] {
        let found = in_table(&[with_flags(srv(0, 1), flags)]);
        assert_eq!(found, refused.map(|fault| (0, fault)), "{flags:#x}");
    }
    let samplers = range(T::SAMPLER, 0, 1, APPEND);
    assert_eq!(in_table(&[with_flags(samplers, 1)]), None);
    assert_eq!(
        in_table(&[with_flags(samplers, 2)]),
        Some((0, F::DataFlagsOfSampler))
    );
}

#[test]
fn parameters() {
    let whole = |fault| Some((P::Whole, fault));
    let limit = 64;
    assert_eq!(in_parameter(constants(0, 64)), None);
    let words = 65;
    assert_eq!(
        in_parameter(constants(0, 65)),
        whole(F::TooLarge { words, limit })
    );
    let cbv = all(Kind::Cbv(descriptor(1, 0)));
    assert_eq!(fault(&desc(&[constants(0, 62), cbv.clone()])), None);
    let too_large = desc(&[constants(0, 62), cbv.clone(), table(&[srv(0, 1)])]);
    assert_eq!(fault(&too_large), whole(F::TooLarge { words, limit }));
    let local = RootSignatureDesc {
        flags: RootSignatureFlags::LOCAL_ROOT_SIGNATURE,
        ..too_large
    };
    assert_eq!(fault(&local), None);

    let visibility = 8;
    let invisible = RootParameterDesc {
        shader_visibility: ShaderVisibility(visibility),
        ..constants(0, 1)
    };
    let first = |fault| Some((P::Parameter(0), fault));
    assert_eq!(in_parameter(invisible), first(F::Visibility { visibility }));
    let with_flags = |flags| in_parameter(all(Kind::Uav(descriptor(0, flags))));
    assert_eq!(with_flags(8), None);
    assert_eq!(with_flags(0xa), first(F::DataFlags));
    assert_eq!(with_flags(1), first(F::UnknownFlags { unknown: 1 }));

    let mut unknown = desc(&[]);
    unknown.flags = RootSignatureFlags(0x1001);
    assert_eq!(fault(&unknown), whole(F::UnknownFlags { unknown: 0x1000 }));
    for version in [
        Version { major: 1, minor: 3 },
        Version { major: 2, minor: 0 },
    ] {
        let unknown = RootSignatureDesc {
            version,
            ..desc(&[])
        };
        assert_eq!(fault(&unknown), whole(F::Version { version }));
    }
}

/// What has flags in a version, and what has none.
#[test]
fn flags_belong_to_versions() {
    let in_version = |version, sampler_flags, flags: bool| {
        let range_flags = flags.then_some(DescriptorRangeFlags::NONE);
        let ranges = DescriptorRange {
            flags: range_flags,
            ..srv(0, 1)
        };
        let root = RootDescriptor {
            flags: flags.then_some(RootDescriptorFlags::NONE),
            ..descriptor(0, 0)
        };
        let mut of = [
            desc(&[table(&[ranges])]),
            desc(&[all(Kind::Cbv(root))]),
            desc(&[]),
        ];
        of[2].static_samplers = vec![StaticSampler {
            flags: sampler_flags,
            ..sampler()
        }];
        of.map(|desc| fault(&RootSignatureDesc { version, ..desc }).map(|(_, fault)| fault))
    };
    let some = Some(SamplerFlags::UINT_BORDER_COLOR);
    let missing = |version| Some(F::FlagsMissing { version });
    let excess = |version| Some(F::FlagsNotInVersion { version });
    assert_eq!(in_version(V1_0, None, false), [None; 3]);
    assert_eq!(in_version(V1_0, some, true), [excess(V1_0); 3]);
    assert_eq!(in_version(V1_1, None, true), [None; 3]);
    assert_eq!(
        in_version(V1_1, some, false),
        [missing(V1_1), missing(V1_1), excess(V1_1)]
    );
    assert_eq!(in_version(V1_2, some, true), [None; 3]);
    assert_eq!(in_version(V1_2, None, false), [missing(V1_2); 3]);
    let unknown = in_version(V1_2, Some(SamplerFlags(5)), true);
    assert_eq!(unknown[2], Some(F::UnknownFlags { unknown: 4 }));
}

/// DXC 1.7 refuses and accepts the same of these when it compiles them from text.
#[test]
fn registers_are_taken_once_for_each_stage() {
    let seen_by = |shader_visibility, parameter: &RootParameterDesc| RootParameterDesc {
        shader_visibility,
        ..parameter.clone()
    };
    let overlap = |class, register, other, place| {
        let space = 0;
        let fault = F::Overlap {
            class,
            register,
            space,
            other,
        };
        Some((place, fault))
    };
    let [first, second] = [0, 1].map(P::Parameter);
    let b0 = constants(0, 1);
    let cbv = all(Kind::Cbv(descriptor(0, 0)));
    assert_eq!(
        fault(&desc(&[cbv.clone(), b0.clone()])),
        overlap('b', 0, first, second)
    );
    let vertex = seen_by(ShaderVisibility::VERTEX, &b0);
    let pixel = seen_by(ShaderVisibility::PIXEL, &cbv);
    assert_eq!(fault(&desc(&[vertex.clone(), pixel])), None);
    assert_eq!(fault(&desc(&[vertex, cbv])), overlap('b', 0, first, second));

    let t3 = all(Kind::Srv(descriptor(3, 0)));
    let of_table = P::Range {
        parameter: 1,
        range: 0,
    };
    assert_eq!(
        fault(&desc(&[t3.clone(), table(&[srv(0, UNBOUNDED)])])),
        overlap('t', 3, first, of_table)
    );
    assert_eq!(fault(&desc(&[t3.clone(), table(&[srv(0, 3)])])), None);
    let far = all(Kind::Srv(descriptor(u32::MAX, 0)));
    assert_eq!(
        fault(&desc(&[far, table(&[srv(0, UNBOUNDED)])])),
        overlap('t', u32::MAX, first, of_table)
    );
    let u3 = all(Kind::Uav(descriptor(3, 0)));
    assert_eq!(fault(&desc(&[t3, u3])), None);

    let samplers = range(DescriptorRangeType::SAMPLER, 0, 1, APPEND);
    let with_sampler = RootSignatureDesc {
        static_samplers: vec![sampler()],
        ..desc(&[table(&[samplers])])
    };
    let of_table = P::Range {
        parameter: 0,
        range: 0,
    };
    assert_eq!(
        fault(&with_sampler),
        overlap('s', 0, of_table, P::StaticSampler(0))
    );

    let in_space = |register_space| {
        in_parameter(all(Kind::Cbv(RootDescriptor {
            register_space,
            ..descriptor(0, 0)
        })))
    };
    assert_eq!(in_space(0xffff_ffef), None);
    let space = 0xffff_fff0;
    assert_eq!(in_space(space), Some((first, F::ReservedSpace { space })));
}

#[test]
fn samplers() {
    type Change = fn(&mut StaticSampler);
    let refused: [(Change, &str, SamplerValue); 14] = [
        (|it| it.filter = 0x56, "Filter", SamplerValue::Number(0x56)),
        (
            |it| it.filter = 0x200,
            "Filter",
            SamplerValue::Number(0x200),
        ),
        (|it| it.filter = 0x51, "Filter", SamplerValue::Number(0x51)),
        (|it| it.address_u = 0, "AddressU", SamplerValue::Number(0)),
        (|it| it.address_v = 6, "AddressV", SamplerValue::Number(6)),
        (|it| it.address_w = 9, "AddressW", SamplerValue::Number(9)),
        (
            |it| it.mip_lod_bias = 16.0,
            "MipLODBias",
            SamplerValue::Float(16_f32.to_bits()),
        ),
        (
            |it| it.mip_lod_bias = -16.5,
            "MipLODBias",
            SamplerValue::Float((-16.5_f32).to_bits()),
        ),
        (
            |it| it.mip_lod_bias = f32::NAN,
            "MipLODBias",
            SamplerValue::Float(f32::NAN.to_bits()),
        ),
        (
            |it| it.max_anisotropy = 17,
            "MaxAnisotropy",
            SamplerValue::Number(17),
        ),
        (
            |it| (it.filter, it.comparison_func) = (0x95, 0),
            "ComparisonFunc",
            SamplerValue::Number(0),
        ),
        (
            |it| it.border_color = 5,
            "BorderColor",
            SamplerValue::Number(5),
        ),
        (
            |it| it.min_lod = f32::NAN,
            "MinLOD",
            SamplerValue::Float(f32::NAN.to_bits()),
        ),
        (
            |it| it.max_lod = f32::NAN,
            "MaxLOD",
            SamplerValue::Float(f32::NAN.to_bits()),
        ),
    ];
    for (change, expected, expected_value) in refused {
        let Some(F::Sampler { field, value, .. }) = in_sampler(change) else {
            panic!("{expected}: {:?}", in_sampler(change))
        };
        assert_eq!((field, value), (expected, expected_value));
    }
    let allowed: [Change; 6] = [
        |it| it.filter = 0x15,
        |it| it.filter = 0x1d5,
        |it| (it.filter, it.comparison_func) = (0x1d5, 0),
        |it| (it.min_lod, it.max_lod) = (f32::NEG_INFINITY, f32::INFINITY),
        |it| it.mip_lod_bias = -16.0,
        |it| it.max_anisotropy = 0,
    ];
    for change in allowed {
        assert_eq!(in_sampler(change), None);
    }
    let text = in_sampler(|it| it.mip_lod_bias = 16.0).unwrap().to_string();
    assert_eq!(text, "MipLODBias is 16, but must be -16 to 15.99");
}

/// 2032 different samplers can be in use, in any number of registers.
#[test]
fn different_samplers_are_counted() {
    let with = |different: u32| {
        let samplers = (0..4000).map(|shader_register| StaticSampler {
            shader_register,
            max_lod: f32::from_bits(shader_register % different),
            ..sampler()
        });
        fault(&RootSignatureDesc {
            static_samplers: samplers.collect(),
            ..desc(&[])
        })
    };
    assert_eq!(with(2032), None);
    let (count, limit) = (2033, 2032);
    assert_eq!(
        with(2033),
        Some((P::Whole, F::TooManySamplers { count, limit }))
    );
}

/// Checking each range against each would take minutes here.
#[test]
fn many_ranges_are_checked_in_reasonable_time() {
    let ranges: Vec<_> = (0..1_000_000).map(|n| srv(n, 1)).collect();
    assert_eq!(in_table(&ranges), None);
}

/// Tables may share ranges: copying those of each would take all memory here.
#[test]
fn shared_ranges_are_not_copied_without_limit() {
    let count = 1000_u32;
    let payload = 24 + 12 * count;
    let mut words = vec![2, count, 24, 0, 0, 0];
    for _ in 0..count {
        words.extend([0, 0, payload]);
    }
    let ranges = u32::try_from(MAX_RANGES).unwrap() / count + 1;
    words.extend([ranges, payload + 8]);
    words.resize(words.len() + 6 * ranges as usize, 0);
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let root_signature = RootSignature::parse(&bytes).unwrap();
    let limit = MAX_RANGES;
    assert_eq!(
        RootSignatureDesc::try_from(&root_signature),
        Err(ErrorKind::DescriptorRangesTooMany { limit }.at(0))
    );
}
