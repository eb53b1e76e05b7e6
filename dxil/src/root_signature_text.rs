//! Root signatures as HLSL spells them, in the attribute `[RootSignature("...")]`.

use std::fmt::{self, Display, Formatter, Write};

use crate::{
    DescriptorRange, DescriptorRangeFlags, DescriptorRangeType, RootDescriptor,
    RootDescriptorFlags, RootParameterKind, RootSignature, RootSignatureFlags, SamplerFlags,
    ShaderVisibility, StaticSampler,
};

/// The text from which DXC makes the root signature again, in the same version: what is left out is
/// what it takes for granted. It has no spelling for the flags of samplers, which came with version
/// 1.2; they are spelt like those of descriptors. Numbers that have no name stand as they are.
///
/// ```
/// use dxil::Container;
///
/// let shader = include_bytes!("../corpus/dxil/raw_copy_cs.dxil");
/// let root_signature = Container::parse(shader)?.root_signature()?.unwrap();
/// assert_eq!(
///     root_signature.to_string(),
///     "RootConstants(num32BitConstants=3, b0), SRV(t0), UAV(u0, flags=DATA_VOLATILE)"
/// );
/// # Ok::<(), dxil::Error>(())
/// ```
impl Display for RootSignature<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut items = Items::new(", ");
        if self.flags() != RootSignatureFlags::NONE {
            items.next(f)?;
            f.write_str("RootFlags(")?;
            let flags = self.flags();
            write_flags(f, flags.names(), flags.unnamed())?;
            f.write_char(')')?;
        }
        for parameter in self.parameters() {
            items.next(f)?;
            match parameter.kind {
                RootParameterKind::DescriptorTable(table) => {
                    f.write_str("DescriptorTable(")?;
                    let mut inner = Items::new(", ");
                    for range in table.ranges() {
                        inner.next(f)?;
                        write_range(f, &range)?;
                    }
                }
                RootParameterKind::Constants(constants) => {
                    let number = constants.num_32bit_values;
                    write!(f, "RootConstants(num32BitConstants={number}, ")?;
                    write_register(f, 'b', constants.shader_register, constants.register_space)?;
                }
                RootParameterKind::Cbv(cbv) => write_descriptor(f, "CBV", 'b', cbv)?,
                RootParameterKind::Srv(srv) => write_descriptor(f, "SRV", 't', srv)?,
                RootParameterKind::Uav(uav) => write_descriptor(f, "UAV", 'u', uav)?,
            }
            write_visibility(f, parameter.shader_visibility)?;
            f.write_char(')')?;
        }
        for sampler in self.static_samplers() {
            items.next(f)?;
            write_sampler(f, &sampler)?;
        }
        Ok(())
    }
}

/// Puts a separator between items.
struct Items {
    separator: &'static str,
    is_first: bool,
}

impl Items {
    fn new(separator: &'static str) -> Self {
        Self {
            separator,
            is_first: true,
        }
    }

    fn next(&mut self, f: &mut Formatter<'_>) -> fmt::Result {
        if std::mem::take(&mut self.is_first) {
            return Ok(());
        }
        f.write_str(self.separator)
    }
}

fn write_flags(
    f: &mut Formatter<'_>,
    names: impl Iterator<Item = &'static str>,
    unnamed: u32,
) -> fmt::Result {
    let mut items = Items::new(" | ");
    for name in names {
        items.next(f)?;
        f.write_str(name)?;
    }
    // No flags at all is 0.
    if unnamed != 0 || items.is_first {
        items.next(f)?;
        write!(f, "{unnamed}")?;
    }
    Ok(())
}

fn write_register(f: &mut Formatter<'_>, letter: char, register: u32, space: u32) -> fmt::Result {
    write!(f, "{letter}{register}")?;
    if space != 0 {
        write!(f, ", space={space}")?;
    }
    Ok(())
}

fn write_visibility(f: &mut Formatter<'_>, visibility: ShaderVisibility) -> fmt::Result {
    match visibility {
        ShaderVisibility::ALL => Ok(()),
        ShaderVisibility(number) if visibility > ShaderVisibility::MESH => {
            write!(f, ", visibility={number}")
        }
        _ => write!(f, ", visibility=SHADER_VISIBILITY_{visibility:?}"),
    }
}

fn write_descriptor(
    f: &mut Formatter<'_>,
    name: &str,
    letter: char,
    descriptor: RootDescriptor,
) -> fmt::Result {
    write!(f, "{name}(")?;
    write_register(
        f,
        letter,
        descriptor.shader_register,
        descriptor.register_space,
    )?;
    match descriptor.flags {
        Some(flags) if flags != RootDescriptorFlags::NONE => {
            f.write_str(", flags=")?;
            write_flags(f, flags.names(), flags.unnamed())
        }
        _ => Ok(()),
    }
}

fn write_range(f: &mut Formatter<'_>, range: &DescriptorRange) -> fmt::Result {
    let (name, letter) = match range.range_type {
        DescriptorRangeType::SRV => ("SRV", 't'),
        DescriptorRangeType::UAV => ("UAV", 'u'),
        DescriptorRangeType::CBV => ("CBV", 'b'),
        DescriptorRangeType::SAMPLER => ("Sampler", 's'),
        DescriptorRangeType(_) => ("", '?'),
    };
    match (name, range.range_type) {
        ("", DescriptorRangeType(number)) => write!(f, "{number}(")?,
        _ => write!(f, "{name}(")?,
    }
    write_register(f, letter, range.base_shader_register, range.register_space)?;
    match range.num_descriptors {
        1 => {}
        DescriptorRange::UNBOUNDED => f.write_str(", numDescriptors=unbounded")?,
        number => write!(f, ", numDescriptors={number}")?,
    }
    match range.offset_in_descriptors_from_table_start {
        DescriptorRange::OFFSET_APPEND => {}
        offset => write!(f, ", offset={offset}")?,
    }
    match range.flags {
        Some(flags) if flags != DescriptorRangeFlags::NONE => {
            f.write_str(", flags=")?;
            write_flags(f, flags.names(), flags.unnamed())?;
        }
        _ => {}
    }
    f.write_char(')')
}

/// `D3D12_FILTER_REDUCTION_TYPE`, from bit 7 of a filter on.
const REDUCTIONS: [&str; 4] = ["", "COMPARISON_", "MINIMUM_", "MAXIMUM_"];

/// The low bits of `D3D12_FILTER`.
const FILTERS: [(u32, &str); 10] = [
    (0x00, "MIN_MAG_MIP_POINT"),
    (0x01, "MIN_MAG_POINT_MIP_LINEAR"),
    (0x04, "MIN_POINT_MAG_LINEAR_MIP_POINT"),
    (0x05, "MIN_POINT_MAG_MIP_LINEAR"),
    (0x10, "MIN_LINEAR_MAG_MIP_POINT"),
    (0x11, "MIN_LINEAR_MAG_POINT_MIP_LINEAR"),
    (0x14, "MIN_MAG_LINEAR_MIP_POINT"),
    (0x15, "MIN_MAG_MIP_LINEAR"),
    (0x54, "MIN_MAG_ANISOTROPIC_MIP_POINT"),
    (0x55, "ANISOTROPIC"),
];

/// `D3D12_TEXTURE_ADDRESS_MODE`, from 1 on.
const ADDRESSES: [&str; 5] = ["WRAP", "MIRROR", "CLAMP", "BORDER", "MIRROR_ONCE"];

/// `D3D12_COMPARISON_FUNC`, from 1 on.
const COMPARISONS: [&str; 8] = [
    "NEVER",
    "LESS",
    "EQUAL",
    "LESS_EQUAL",
    "GREATER",
    "NOT_EQUAL",
    "GREATER_EQUAL",
    "ALWAYS",
];

/// `D3D12_STATIC_BORDER_COLOR`.
const BORDER_COLORS: [&str; 5] = [
    "TRANSPARENT_BLACK",
    "OPAQUE_BLACK",
    "OPAQUE_WHITE",
    "OPAQUE_BLACK_UINT",
    "OPAQUE_WHITE_UINT",
];

/// Where to find the name of a number, its prefix, and the number of the first.
type Names = (&'static [&'static str], &'static str, u32);

fn write_sampler(f: &mut Formatter<'_>, sampler: &StaticSampler) -> fmt::Result {
    const ADDRESS: Names = (&ADDRESSES, "TEXTURE_ADDRESS_", 1);
    const COMPARISON: Names = (&COMPARISONS, "COMPARISON_", 1);
    const BORDER: Names = (&BORDER_COLORS, "STATIC_BORDER_COLOR_", 0);
    write!(f, "StaticSampler(s{}", sampler.shader_register)?;
    if sampler.filter != 0x55 {
        write_filter(f, sampler.filter)?;
    }
    let numbers = [
        ("addressU", sampler.address_u, 1, ADDRESS),
        ("addressV", sampler.address_v, 1, ADDRESS),
        ("addressW", sampler.address_w, 1, ADDRESS),
        ("comparisonFunc", sampler.comparison_func, 4, COMPARISON),
        ("borderColor", sampler.border_color, 2, BORDER),
        ("maxAnisotropy", sampler.max_anisotropy, 16, (&[], "", 0)),
        ("space", sampler.register_space, 0, (&[], "", 0)),
    ];
    for (field, number, default, (names, prefix, first)) in numbers {
        if number == default {
            continue;
        }
        let place = number.checked_sub(first).map(|place| place as usize);
        match place.and_then(|place| names.get(place)) {
            Some(name) => write!(f, ", {field}={prefix}{name}")?,
            None => write!(f, ", {field}={number}")?,
        }
    }
    let floats = [
        ("mipLODBias", sampler.mip_lod_bias, 0.0_f32),
        ("minLOD", sampler.min_lod, 0.0),
        ("maxLOD", sampler.max_lod, f32::MAX),
    ];
    for (field, float, default) in floats {
        if float.to_bits() != default.to_bits() {
            write!(f, ", {field}={float:?}")?;
        }
    }
    write_visibility(f, sampler.shader_visibility)?;
    match sampler.flags {
        Some(flags) if flags != SamplerFlags::NONE => {
            f.write_str(", flags=")?;
            write_flags(f, flags.names(), flags.unnamed())?;
        }
        _ => {}
    }
    f.write_char(')')
}

fn write_filter(f: &mut Formatter<'_>, filter: u32) -> fmt::Result {
    let low = FILTERS.iter().find(|&&(low, _)| low == filter & 0x7f);
    match (REDUCTIONS.get((filter >> 7) as usize), low) {
        (Some(reduction), Some((_, name))) => write!(f, ", filter=FILTER_{reduction}{name}"),
        _ => write!(f, ", filter={filter}"),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Container, RootSignature};

    fn of(shader: &[u8]) -> String {
        let container = Container::parse(shader).unwrap();
        container.root_signature().unwrap().unwrap().to_string()
    }

    /// As in the source, but for what DXC takes for granted.
    #[test]
    fn the_text_is_the_source() {
        assert_eq!(of(include_bytes!("../corpus/dxil/rs_empty_1_1.dxil")), "");
        assert_eq!(
            of(include_bytes!("../corpus/dxil/rs_heaps_1_1.dxil")),
            "RootFlags(CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED | SAMPLER_HEAP_DIRECTLY_INDEXED), \
             RootConstants(num32BitConstants=8, b0, space=1)"
        );
        assert_eq!(
            of(include_bytes!("../corpus/dxil/rs_tables_1_0.dxil")),
            "DescriptorTable(CBV(b4, numDescriptors=3), \
             SRV(t4, space=2, numDescriptors=unbounded), visibility=SHADER_VISIBILITY_HULL), \
             DescriptorTable(UAV(u5, numDescriptors=2, offset=8), CBV(b9), \
             SRV(t0, space=9, numDescriptors=5)), \
             DescriptorTable(Sampler(s1, space=1, numDescriptors=4), \
             visibility=SHADER_VISIBILITY_DOMAIN)"
        );
        assert_eq!(
            of(include_bytes!("../corpus/dxil/rs_volatility_1_1.dxil")),
            "CBV(b0, flags=DATA_STATIC), SRV(t0, flags=DATA_STATIC_WHILE_SET_AT_EXECUTE), \
             UAV(u0, flags=DATA_VOLATILE), \
             DescriptorTable(SRV(t1, flags=DESCRIPTORS_VOLATILE | DATA_VOLATILE), \
             SRV(t2, flags=DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS), UAV(u1), \
             CBV(b1, flags=DATA_STATIC)), \
             DescriptorTable(Sampler(s0, flags=DESCRIPTORS_VOLATILE))"
        );
        assert_eq!(
            of(include_bytes!("../corpus/dxil/rs_samplers_1_2.dxil")),
            "StaticSampler(s0, flags=UINT_BORDER_COLOR), \
             StaticSampler(s1, addressU=TEXTURE_ADDRESS_MIRROR, \
             addressV=TEXTURE_ADDRESS_MIRROR_ONCE, addressW=TEXTURE_ADDRESS_BORDER, \
             borderColor=STATIC_BORDER_COLOR_OPAQUE_BLACK, maxAnisotropy=8, mipLODBias=-0.5, \
             minLOD=1.0, maxLOD=6.5), \
             StaticSampler(s2, filter=FILTER_COMPARISON_MIN_MAG_MIP_LINEAR, \
             comparisonFunc=COMPARISON_GREATER_EQUAL, space=3, \
             visibility=SHADER_VISIBILITY_PIXEL)"
        );
    }

    /// A table with one range and a static sampler, full of numbers that mean nothing.
    #[test]
    fn numbers_without_a_name_stay_numbers() {
        let mut words = vec![3, 1, 24, 1, 68, 0x8000_0041]; // header
        words.extend([0, 9, 36]); // 24: parameter
        words.extend([1, 44]); // 36: table
        words.extend([7, 0, 1, 0, 0x40, u32::MAX]); // 44: range
        words.extend([
            0x212,
            0,
            6,
            1,
            0x7fc0_0000,
            3,
            9,
            5,
            0,
            0x7f7f_ffff,
            2,
            0,
            8,
            4,
        ]); // 68
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        assert_eq!(
            RootSignature::parse(&bytes).unwrap().to_string(),
            "RootFlags(ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT | ALLOW_STREAM_OUTPUT | 2147483648), \
             DescriptorTable(7(?1, numDescriptors=0, flags=64), visibility=9), \
             StaticSampler(s2, filter=530, addressU=0, addressV=6, comparisonFunc=9, \
             borderColor=5, maxAnisotropy=3, mipLODBias=NaN, visibility=8, flags=4)"
        );
    }
}
