//! From a root signature to the places of root arguments.
//!
//! Root arguments stand one after the other, in the order of the root signature: first in the
//! registers that the ABI has for them, then in memory. An address takes two words.

#[allow(clippy::wildcard_imports)] // Half a page of names that stand below anyway.
use plugin_sdk::ddi::*;
use plugin_sdk::desc::{RootParameter, RootSignature, ShaderStage, StaticSamplers};
use plugin_sdk::{Error, Result};

use crate::families::Abi;
use crate::object_code::{Argument, RootLayout, Sampler};

/// Global root signatures have 64 words at most, local ones what a shader record of 4096 bytes holds.
const MAX_WORDS: u32 = 1024;

/// More than any application has; tables may share ranges, so a few bytes could stand for billions.
const MAX_ARGUMENTS: usize = 1 << 16;

/// [`Argument::class`] of constants; else it is a D3D12DDI_DESCRIPTOR_RANGE_TYPE.
pub(crate) const CONSTANTS: u32 = 4;

// Argument::access.
const VALUE: u32 = 0;
const ADDRESS: u32 = 1;
const TABLE: u32 = 2;

/// [`Argument::place`]: in memory.
const IN_MEMORY: u32 = 0x8000_0000;

/// A count or offset that means "no end" or "after the range before".
const OPEN: u32 = u32::MAX;

/// Lays out a root signature that came through the DDI.
///
/// # Errors
///
/// E_INVALIDARG for values of enumerations that the DDI does not define, and for more arguments than
/// any root signature can have.
pub(crate) fn of(root_signature: &RootSignature<'_>, abi: &Abi) -> Result<RootLayout> {
    let mut to = Builder::new(abi, root_signature.flags())?;
    for (parameter, visibility) in root_signature.parameters() {
        match parameter {
            RootParameter::Table(ranges) => to.table(visibility, ranges.iter().copied())?,
            RootParameter::Constants(c) => {
                let (space, register) = (c.RegisterSpace, c.ShaderRegister);
                to.constants(visibility, space, register, c.Num32BitValues)?;
            }
            RootParameter::Cbv(d) => {
                to.descriptor(visibility, D3D12DDI_DESCRIPTOR_RANGE_TYPE_CBV, *d)?;
            }
            RootParameter::Srv(d) => {
                to.descriptor(visibility, D3D12DDI_DESCRIPTOR_RANGE_TYPE_SRV, *d)?;
            }
            RootParameter::Uav(d) => {
                to.descriptor(visibility, D3D12DDI_DESCRIPTOR_RANGE_TYPE_UAV, *d)?;
            }
            other => {
                return Err(Error::invalid_argument(format!("root parameter {other:?}")));
            }
        }
    }
    match root_signature.static_samplers() {
        StaticSamplers::V1_1(samplers) => samplers.iter().try_for_each(|s| {
            to.sampler(&D3D12DDI_STATIC_SAMPLER_0100 {
                Filter: s.Filter,
                AddressU: s.AddressU,
                AddressV: s.AddressV,
                AddressW: s.AddressW,
                MipLODBias: s.MipLODBias,
                MaxAnisotropy: s.MaxAnisotropy,
                ComparisonFunc: s.ComparisonFunc,
                BorderColor: s.BorderColor,
                MinLOD: s.MinLOD,
                MaxLOD: s.MaxLOD,
                ShaderRegister: s.ShaderRegister,
                RegisterSpace: s.RegisterSpace,
                ShaderVisibility: s.ShaderVisibility,
                Flags: D3D12DDI_SAMPLER_FLAGS_0096(0),
            })
        })?,
        StaticSamplers::V1_2(samplers) => samplers.iter().try_for_each(|s| to.sampler(s))?,
        other => return Err(Error::unsupported(format!("static samplers {other:?}"))),
    }
    Ok(to.layout)
}

/// Lays out the root signature in a shader's container.
///
/// # Errors
///
/// As [`of`].
pub(crate) fn of_container(
    root_signature: &dxil::RootSignature<'_>,
    abi: &Abi,
) -> Result<RootLayout> {
    let flags = D3D12DDI_ROOT_SIGNATURE_FLAGS(root_signature.flags().0.cast_signed());
    let mut to = Builder::new(abi, flags)?;
    let descriptor = |d: &dxil::RootDescriptor| D3D12DDI_ROOT_DESCRIPTOR_0013 {
        ShaderRegister: d.shader_register,
        RegisterSpace: d.register_space,
        Flags: d.flags.map_or(
            // Version 1.0 promises nothing.
            D3D12DDI_ROOT_DESCRIPTOR_FLAG_0013_DATA_VOLATILE,
            |flags| D3D12DDI_ROOT_DESCRIPTOR_FLAGS(flags.0.cast_signed()),
        ),
    };
    for parameter in root_signature.parameters() {
        let visibility = D3D12DDI_SHADER_VISIBILITY(parameter.shader_visibility.0.cast_signed());
        match &parameter.kind {
            dxil::RootParameterKind::DescriptorTable(table) => {
                to.table(visibility, table.ranges().map(range))?;
            }
            dxil::RootParameterKind::Constants(c) => {
                let (space, register) = (c.register_space, c.shader_register);
                to.constants(visibility, space, register, c.num_32bit_values)?;
            }
            dxil::RootParameterKind::Cbv(d) => {
                to.descriptor(
                    visibility,
                    D3D12DDI_DESCRIPTOR_RANGE_TYPE_CBV,
                    descriptor(d),
                )?;
            }
            dxil::RootParameterKind::Srv(d) => {
                to.descriptor(
                    visibility,
                    D3D12DDI_DESCRIPTOR_RANGE_TYPE_SRV,
                    descriptor(d),
                )?;
            }
            dxil::RootParameterKind::Uav(d) => {
                to.descriptor(
                    visibility,
                    D3D12DDI_DESCRIPTOR_RANGE_TYPE_UAV,
                    descriptor(d),
                )?;
            }
        }
    }
    for s in root_signature.static_samplers() {
        to.sampler(&D3D12DDI_STATIC_SAMPLER_0100 {
            Filter: D3D12DDI_FILTER(s.filter.cast_signed()),
            AddressU: D3D12DDI_TEXTURE_ADDRESS_MODE(s.address_u.cast_signed()),
            AddressV: D3D12DDI_TEXTURE_ADDRESS_MODE(s.address_v.cast_signed()),
            AddressW: D3D12DDI_TEXTURE_ADDRESS_MODE(s.address_w.cast_signed()),
            MipLODBias: s.mip_lod_bias,
            MaxAnisotropy: s.max_anisotropy,
            ComparisonFunc: D3D12DDI_COMPARISON_FUNC(s.comparison_func.cast_signed()),
            BorderColor: D3D12DDI_STATIC_BORDER_COLOR(s.border_color.cast_signed()),
            MinLOD: s.min_lod,
            MaxLOD: s.max_lod,
            ShaderRegister: s.shader_register,
            RegisterSpace: s.register_space,
            ShaderVisibility: D3D12DDI_SHADER_VISIBILITY(s.shader_visibility.0.cast_signed()),
            Flags: D3D12DDI_SAMPLER_FLAGS_0096(s.flags.map_or(0, |flags| flags.0.cast_signed())),
        })?;
    }
    Ok(to.layout)
}

fn range(range: dxil::DescriptorRange) -> D3D12DDI_DESCRIPTOR_RANGE_0013 {
    let range_type = D3D12DDI_DESCRIPTOR_RANGE_TYPE(range.range_type.0.cast_signed());
    // Version 1.0 promises nothing; samplers have no data.
    let volatile = if range_type == D3D12DDI_DESCRIPTOR_RANGE_TYPE_SAMPLER {
        D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DESCRIPTORS_VOLATILE
    } else {
        D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DESCRIPTORS_VOLATILE
            | D3D12DDI_DESCRIPTOR_RANGE_FLAG_0013_DATA_VOLATILE
    };
    D3D12DDI_DESCRIPTOR_RANGE_0013 {
        RangeType: range_type,
        NumDescriptors: range.num_descriptors,
        BaseShaderRegister: range.base_shader_register,
        RegisterSpace: range.register_space,
        Flags: range.flags.map_or(volatile, |flags| {
            D3D12DDI_DESCRIPTOR_RANGE_FLAGS(flags.0.cast_signed())
        }),
        OffsetInDescriptorsFromTableStart: range.offset_in_descriptors_from_table_start,
    }
}

struct Builder<'a> {
    abi: &'a Abi,
    layout: RootLayout,
}

impl<'a> Builder<'a> {
    fn new(abi: &'a Abi, flags: D3D12DDI_ROOT_SIGNATURE_FLAGS) -> Result<Self> {
        Ok(Self {
            abi,
            layout: RootLayout {
                flags: known_flags("root signature flags", flags)?,
                ..RootLayout::default()
            },
        })
    }

    /// Takes the next words, and says where they are. What does not fit into the registers whole is in
    /// memory, at the same number of words from its start as from the first argument.
    fn place(&mut self, words: u32) -> Result<u32> {
        let first = self.layout.size;
        let end = first.checked_add(words).filter(|&end| end <= MAX_WORDS);
        let end = end.ok_or_else(|| {
            Error::invalid_argument(format!("root arguments of more than {MAX_WORDS} words"))
        })?;
        self.layout.size = end;
        Ok(if end <= self.abi.argument_registers {
            self.abi.first_argument_register + first
        } else {
            IN_MEMORY | first
        })
    }

    fn argument(&mut self, argument: Argument) -> Result<()> {
        if self.layout.arguments.len() == MAX_ARGUMENTS {
            return Err(Error::invalid_argument(format!(
                "a root signature of more than {MAX_ARGUMENTS} ranges"
            )));
        }
        self.layout.arguments.push(argument);
        Ok(())
    }

    fn constants(
        &mut self,
        visibility: D3D12DDI_SHADER_VISIBILITY,
        space: u32,
        register: u32,
        count: u32,
    ) -> Result<()> {
        let argument = Argument {
            class: CONSTANTS,
            visibility: known("ShaderVisibility", visibility)?,
            space,
            register,
            count,
            flags: 0,
            access: VALUE,
            place: self.place(count)?,
            offset: 0,
        };
        self.argument(argument)
    }

    fn descriptor(
        &mut self,
        visibility: D3D12DDI_SHADER_VISIBILITY,
        class: D3D12DDI_DESCRIPTOR_RANGE_TYPE,
        descriptor: D3D12DDI_ROOT_DESCRIPTOR_0013,
    ) -> Result<()> {
        let argument = Argument {
            class: class.0.cast_unsigned(),
            visibility: known("ShaderVisibility", visibility)?,
            space: descriptor.RegisterSpace,
            register: descriptor.ShaderRegister,
            count: 1,
            flags: known_flags("root descriptor flags", descriptor.Flags)?,
            access: ADDRESS,
            place: self.place(2)?,
            offset: 0,
        };
        self.argument(argument)
    }

    fn table(
        &mut self,
        visibility: D3D12DDI_SHADER_VISIBILITY,
        ranges: impl Iterator<Item = D3D12DDI_DESCRIPTOR_RANGE_0013>,
    ) -> Result<()> {
        let visibility = known("ShaderVisibility", visibility)?;
        let place = self.place(1)?;
        let mut next = 0;
        for range in ranges {
            let offset = match range.OffsetInDescriptorsFromTableStart {
                OPEN if next == OPEN => {
                    return Err(Error::invalid_argument("a range after one without end"));
                }
                OPEN => next,
                offset => offset,
            };
            next = offset.saturating_add(range.NumDescriptors);
            self.argument(Argument {
                class: known("RangeType", range.RangeType)?,
                visibility,
                space: range.RegisterSpace,
                register: range.BaseShaderRegister,
                count: range.NumDescriptors,
                flags: known_flags("descriptor range flags", range.Flags)?,
                access: TABLE,
                place,
                offset,
            })?;
        }
        Ok(())
    }

    fn sampler(&mut self, s: &D3D12DDI_STATIC_SAMPLER_0100) -> Result<()> {
        let filter = known("Filter", s.Filter)?;
        // D3D12_FILTER: bit 6 is anisotropic, bits 7 and 8 are the reduction, 1 of which compares.
        let anisotropic = filter & 0x40 != 0;
        let compares = filter & 0x180 == 0x80;
        let addresses = [s.AddressU, s.AddressV, s.AddressW];
        let border = addresses.contains(&D3D12DDI_TEXTURE_ADDRESS_MODE_BORDER);
        let if_read = |read: bool, value: Result<u32>| if read { value } else { Ok(0) };
        let sampler = Sampler {
            visibility: known("ShaderVisibility", s.ShaderVisibility)?,
            space: s.RegisterSpace,
            register: s.ShaderRegister,
            filter,
            address_u: known("AddressU", s.AddressU)?,
            address_v: known("AddressV", s.AddressV)?,
            address_w: known("AddressW", s.AddressW)?,
            mip_lod_bias: s.MipLODBias.to_bits(),
            max_anisotropy: if anisotropic { s.MaxAnisotropy } else { 0 },
            comparison: if_read(compares, known("ComparisonFunc", s.ComparisonFunc))?,
            border_color: if_read(border, known("BorderColor", s.BorderColor))?,
            min_lod: s.MinLOD.to_bits(),
            max_lod: s.MaxLOD.to_bits(),
            flags: known_flags("sampler flags", s.Flags)?,
        };
        self.layout.samplers.push(sampler);
        Ok(())
    }
}

fn known<T: Enumeration>(what: &str, value: T) -> Result<u32> {
    match value.name() {
        Some(_) => Ok(value.value().cast_unsigned()),
        None => Err(Error::invalid_argument(format!("{what} {}", value.value()))),
    }
}

fn known_flags<T: Flags>(what: &str, flags: T) -> Result<u32> {
    match flags.value() & !T::KNOWN {
        0 => Ok(flags.value().cast_unsigned()),
        unknown => Err(Error::invalid_argument(format!("{what} {unknown:#x}"))),
    }
}

/// Whether a place is in memory, because the argument did not fit into the registers.
pub(crate) fn is_in_memory(place: u32) -> bool {
    place & IN_MEMORY != 0
}

impl RootLayout {
    /// The arguments and static samplers that a stage sees. What only other stages see does not split
    /// the values of this one.
    pub(crate) fn seen_by(&self, stage: ShaderStage) -> (Vec<Argument>, Vec<Sampler>) {
        let (own, denied) = match stage {
            ShaderStage::Vertex => (
                D3D12DDI_SHADER_VISIBILITY_VERTEX,
                D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_VERTEX_SHADER_ROOT_ACCESS,
            ),
            ShaderStage::Pixel => (
                D3D12DDI_SHADER_VISIBILITY_PIXEL,
                D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_PIXEL_SHADER_ROOT_ACCESS,
            ),
            ShaderStage::Domain => (
                D3D12DDI_SHADER_VISIBILITY_DOMAIN,
                D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_DOMAIN_SHADER_ROOT_ACCESS,
            ),
            ShaderStage::Hull => (
                D3D12DDI_SHADER_VISIBILITY_HULL,
                D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_HULL_SHADER_ROOT_ACCESS,
            ),
            ShaderStage::Geometry => (
                D3D12DDI_SHADER_VISIBILITY_GEOMETRY,
                D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_GEOMETRY_SHADER_ROOT_ACCESS,
            ),
            ShaderStage::Mesh => (
                D3D12DDI_SHADER_VISIBILITY_MESH,
                D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_MESH_SHADER_ROOT_ACCESS,
            ),
            ShaderStage::Amplification => (
                D3D12DDI_SHADER_VISIBILITY_AMPLIFICATION,
                D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_AMPLIFICATION_SHADER_ROOT_ACCESS,
            ),
            // Compute: a root signature neither names it nor denies it anything.
            _ => (
                D3D12DDI_SHADER_VISIBILITY_ALL,
                D3D12DDI_ROOT_SIGNATURE_FLAG_NONE,
            ),
        };
        if self.flags & denied.0.cast_unsigned() != 0 {
            return (Vec::new(), Vec::new());
        }
        let seen = |visibility| {
            visibility == own.0.cast_unsigned()
                || visibility == D3D12DDI_SHADER_VISIBILITY_ALL.0.cast_unsigned()
        };
        let arguments = self.arguments.iter().filter(|a| seen(a.visibility));
        let samplers = self.samplers.iter().filter(|s| seen(s.visibility));
        (arguments.copied().collect(), samplers.copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::FAMILIES;
    use plugin_sdk::ddi::D3D12DDI_FILTER_ANISOTROPIC;

    macro_rules! layout {
        ($file:literal, $abi:expr) => {{
            let bytes = include_bytes!(concat!("../../dxil/corpus/dxil/", $file, ".dxil"));
            let container = dxil::Container::parse(bytes).unwrap();
            of_container(&container.root_signature().unwrap().unwrap(), $abi)
        }};
    }

    /// Registers 4 to 35.
    const AURORA: &Abi = &FAMILIES[0].abis[0];
    /// Registers 0 to 7.
    const CIRRUS: &Abi = &FAMILIES[2].abis[0];

    #[test]
    fn arguments_follow_each_other_and_spill_whole() {
        // 1 constant, 16 constants for vertex shaders.
        let places =
            |layout: RootLayout| layout.arguments.iter().map(|a| a.place).collect::<Vec<_>>();
        assert_eq!(places(layout!("rs_constants_1_1", AURORA).unwrap()), [4, 5]);
        assert_eq!(
            places(layout!("rs_constants_1_1", CIRRUS).unwrap()),
            [0, 0x8000_0001]
        );
        // The registers are 8.
        for (count, place) in [(8, 0), (9, IN_MEMORY)] {
            let mut to = Builder::new(CIRRUS, D3D12DDI_ROOT_SIGNATURE_FLAG_NONE).unwrap();
            to.constants(D3D12DDI_SHADER_VISIBILITY_ALL, 0, 0, count)
                .unwrap();
            assert_eq!(places(to.layout), [place]);
        }
        let descriptors = layout!("rs_descriptors_1_1", CIRRUS).unwrap();
        assert_eq!(
            (places(descriptors.clone()), descriptors.size),
            (vec![0, 2, 4], 6)
        );
        assert!(
            descriptors
                .arguments
                .iter()
                .all(|a| a.access == ADDRESS && !is_in_memory(a.place))
        );
    }

    /// The table of domain shaders, the one of all, the one of hull shaders: RS_TABLES.
    #[test]
    fn ranges_have_their_offsets_and_visibility() {
        let layout = layout!("rs_tables_1_1", AURORA).unwrap();
        let seen = |stage| {
            let (arguments, _) = layout.seen_by(stage);
            arguments
                .iter()
                .map(|a| (a.class, a.register, a.offset, a.place))
                .collect::<Vec<_>>()
        };
        let all = [(1, 5, 8, 5), (2, 9, 10, 5), (0, 0, 11, 5)];
        assert_eq!(seen(ShaderStage::Pixel), all);
        assert_eq!(
            seen(ShaderStage::Domain),
            [&all[..], &[(3, 1, 0, 6)]].concat()
        );
        assert_eq!(
            seen(ShaderStage::Hull),
            [&[(2, 4, 0, 4), (0, 4, 3, 4)], &all[..]].concat()
        );
    }

    /// RS_VOLATILITY, and what its flags are without those of version 1.1.
    #[test]
    fn flags_are_kept() {
        let flags =
            |layout: RootLayout| layout.arguments.iter().map(|a| a.flags).collect::<Vec<_>>();
        let layout = layout!("rs_volatility_1_1", AURORA).unwrap();
        assert_eq!(flags(layout), [8, 4, 2, 3, 0x1_0000, 0, 8, 1]);
        assert_eq!(
            flags(layout!("rs_descriptors_1_0", AURORA).unwrap()),
            [2, 2, 2]
        );
        assert_eq!(
            flags(layout!("rs_tables_1_0", AURORA).unwrap()),
            [3, 3, 3, 3, 3, 1]
        );
    }

    #[test]
    fn access_can_be_denied() {
        let mut layout = layout!("rs_constants_1_1", AURORA).unwrap();
        assert_eq!(layout.seen_by(ShaderStage::Vertex).0.len(), 2);
        assert_eq!(layout.seen_by(ShaderStage::Compute).0.len(), 1);
        layout.flags |= D3D12DDI_ROOT_SIGNATURE_FLAG_DENY_VERTEX_SHADER_ROOT_ACCESS
            .0
            .cast_unsigned();
        assert_eq!(layout.seen_by(ShaderStage::Vertex).0.len(), 0);
        assert_eq!(layout.seen_by(ShaderStage::Pixel).0.len(), 1);
    }

    #[test]
    fn samplers_are_reduced_to_what_their_filter_reads() {
        let layout = layout!("rs_samplers_1_1", AURORA).unwrap();
        let read = layout
            .samplers
            .iter()
            .map(|s| (s.max_anisotropy, s.comparison, s.border_color));
        // s0 is anisotropic by default; s1 has a border; s2 compares.
        assert_eq!(read.collect::<Vec<_>>(), [(16, 0, 0), (8, 0, 1), (0, 7, 0)]);
        assert_eq!(layout.seen_by(ShaderStage::Vertex).1.len(), 2);
    }

    fn sampler(change: impl Fn(&mut D3D12DDI_STATIC_SAMPLER_0100)) -> Result<()> {
        let wrap = D3D12DDI_TEXTURE_ADDRESS_MODE(1);
        let mut sampler = D3D12DDI_STATIC_SAMPLER_0100 {
            Filter: D3D12DDI_FILTER_ANISOTROPIC,
            AddressU: wrap,
            AddressV: wrap,
            AddressW: wrap,
            ..bytemuck::Zeroable::zeroed()
        };
        change(&mut sampler);
        Builder::new(AURORA, D3D12DDI_ROOT_SIGNATURE_FLAG_NONE)?.sampler(&sampler)
    }

    #[test]
    fn what_would_have_to_be_understood_must_be_known() {
        sampler(|_| {}).unwrap();
        sampler(|s| s.ComparisonFunc = D3D12DDI_COMPARISON_FUNC(99)).unwrap();
        let visibility = D3D12DDI_SHADER_VISIBILITY_ALL;
        let builder = || Builder::new(AURORA, D3D12DDI_ROOT_SIGNATURE_FLAG_NONE).unwrap();
        let range = D3D12DDI_DESCRIPTOR_RANGE_0013 {
            NumDescriptors: 1,
            ..bytemuck::Zeroable::zeroed()
        };
        let table = |ranges: &[D3D12DDI_DESCRIPTOR_RANGE_0013]| {
            builder().table(visibility, ranges.iter().copied())
        };
        table(&[range]).unwrap();
        let open = D3D12DDI_DESCRIPTOR_RANGE_0013 {
            NumDescriptors: OPEN,
            ..range
        };
        let append = D3D12DDI_DESCRIPTOR_RANGE_0013 {
            OffsetInDescriptorsFromTableStart: OPEN,
            ..range
        };
        for (what, result) in [
            ("filter", sampler(|s| s.Filter = D3D12DDI_FILTER(2))),
            (
                "address",
                sampler(|s| s.AddressU = D3D12DDI_TEXTURE_ADDRESS_MODE(0)),
            ),
            (
                "sampler flags",
                sampler(|s| s.Flags = D3D12DDI_SAMPLER_FLAGS_0096(4)),
            ),
            (
                "comparison",
                sampler(|s| {
                    s.Filter = D3D12DDI_FILTER(0x80);
                    s.ComparisonFunc = D3D12DDI_COMPARISON_FUNC(99);
                }),
            ),
            (
                "border",
                sampler(|s| {
                    s.AddressW = D3D12DDI_TEXTURE_ADDRESS_MODE_BORDER;
                    s.BorderColor = D3D12DDI_STATIC_BORDER_COLOR(99);
                }),
            ),
            (
                "visibility",
                builder().constants(D3D12DDI_SHADER_VISIBILITY(8), 0, 0, 1),
            ),
            (
                "words",
                builder().constants(visibility, 0, 0, MAX_WORDS + 1),
            ),
            ("overflow", builder().constants(visibility, 0, 0, u32::MAX)),
            (
                "range type",
                table(&[D3D12DDI_DESCRIPTOR_RANGE_0013 {
                    RangeType: D3D12DDI_DESCRIPTOR_RANGE_TYPE(4),
                    ..range
                }]),
            ),
            (
                "range flags",
                table(&[D3D12DDI_DESCRIPTOR_RANGE_0013 {
                    Flags: D3D12DDI_DESCRIPTOR_RANGE_FLAGS(0x100),
                    ..range
                }]),
            ),
            (
                "root descriptor flags",
                builder().descriptor(
                    visibility,
                    D3D12DDI_DESCRIPTOR_RANGE_TYPE_CBV,
                    D3D12DDI_ROOT_DESCRIPTOR_0013 {
                        Flags: D3D12DDI_ROOT_DESCRIPTOR_FLAGS(1),
                        ..bytemuck::Zeroable::zeroed()
                    },
                ),
            ),
            ("after no end", table(&[open, append])),
            ("too many", table(&vec![range; MAX_ARGUMENTS + 1])),
            (
                "flags",
                Builder::new(AURORA, D3D12DDI_ROOT_SIGNATURE_FLAGS(0x1000)).map(|_| ()),
            ),
        ] {
            assert!(result.is_err(), "{what}");
        }
    }
}
