//! What makes a root signature wrong.

use std::collections::BTreeSet;
use std::fmt;

use super::{RootParameterKindDesc as Kind, RootSignatureDesc};
use crate::{
    DescriptorRange, DescriptorRangeFlags, DescriptorRangeType, RootDescriptor,
    RootDescriptorFlags, RootSignatureFlags, SamplerFlags, ShaderVisibility, StaticSampler,
    Version,
};

/// Why a root signature was refused, and what of it is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootSignatureError {
    /// What is wrong.
    pub fault: RootSignatureFault,
    /// Where.
    pub place: RootSignaturePlace,
}

impl fmt::Display for RootSignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.fault)
    }
}

impl std::error::Error for RootSignatureError {}

/// A place in a root signature. Numbers count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RootSignaturePlace {
    /// The root signature as a whole.
    Whole,
    /// A root parameter.
    Parameter(usize),
    /// A range of a descriptor table.
    Range {
        /// The root parameter that is the table.
        parameter: usize,
        /// The range.
        range: usize,
    },
    /// A static sampler.
    StaticSampler(usize),
}

impl fmt::Display for RootSignaturePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => write!(f, "root signature"),
            Self::Parameter(parameter) => write!(f, "root parameter {parameter}"),
            Self::Range { parameter, range } => {
                write!(f, "root parameter {parameter}, range {range}")
            }
            Self::StaticSampler(sampler) => write!(f, "static sampler {sampler}"),
        }
    }
}

/// What is wrong with a root signature. Numbers are the values that were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RootSignatureFault {
    /// The version is not 1.0, 1.1 or 1.2.
    #[error("version {version} is unknown, there are 1.0, 1.1 and 1.2")]
    Version {
        /// The version.
        version: Version,
    },
    /// There are flags in a version that has none there.
    #[error("version {version} has no such flags")]
    FlagsNotInVersion {
        /// The version.
        version: Version,
    },
    /// Flags are missing in a version that has them.
    #[error("version {version} has flags here, none were given")]
    FlagsMissing {
        /// The version.
        version: Version,
    },
    /// Flags are set that do not exist.
    #[error("flags {unknown:#x} do not exist")]
    UnknownFlags {
        /// The flags without a name.
        unknown: u32,
    },
    /// The root arguments are too large.
    #[error("{words} words of root arguments, {limit} is the limit")]
    TooLarge {
        /// Words of all root arguments.
        words: u64,
        /// Most words of all root arguments.
        limit: u64,
    },
    /// The serialized root signature would be larger than a container can be.
    #[error("the root signature would have {len} bytes, 0x80000000 is the limit")]
    TooLong {
        /// The length that it would have.
        len: u64,
    },
    /// The visibility does not exist.
    #[error("shader visibility {visibility} does not exist, there are 0 to 7")]
    Visibility {
        /// The visibility.
        visibility: u32,
    },
    /// The type of a range does not exist.
    #[error("descriptor range type {range_type} does not exist, there are 0 to 3")]
    RangeType {
        /// The type.
        range_type: u32,
    },
    /// A table has samplers and other descriptors.
    #[error("samplers cannot be in a descriptor table with other resources")]
    SamplersMixed,
    /// A range has no descriptors.
    #[error("the range has no descriptors")]
    NoDescriptors,
    /// A range that is to follow the one before comes after one without end.
    #[error("the range before is unbounded, so that none can be appended to it")]
    AppendedToUnbounded,
    /// The registers of a range go beyond the last.
    #[error("{count} registers from {base} on go beyond the last register")]
    RegistersPastEnd {
        /// The first register.
        base: u32,
        /// How many.
        count: u32,
    },
    /// The descriptors of a range go beyond the last of the table.
    #[error("{count} descriptors from {start} on go beyond the last of a table")]
    DescriptorsPastEnd {
        /// Where the range starts in the table.
        start: u64,
        /// How many.
        count: u32,
    },
    /// Samplers have flags for data.
    #[error("samplers have no data, so they cannot have DATA flags")]
    DataFlagsOfSampler,
    /// More than one flag says how data changes.
    #[error("more than one DATA flag")]
    DataFlags,
    /// More than one flag says how descriptors change.
    #[error(
        "DESCRIPTORS_VOLATILE and DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS exclude each other"
    )]
    DescriptorsFlags,
    /// Descriptors can change, but data cannot.
    #[error(
        "DATA_STATIC cannot be with DESCRIPTORS_VOLATILE, DATA_STATIC_WHILE_SET_AT_EXECUTE can"
    )]
    StaticDataOfVolatileDescriptors,
    /// The register space is reserved.
    #[error("register space {space:#x} is reserved, as are all from 0xfffffff0 on")]
    ReservedSpace {
        /// The register space.
        space: u32,
    },
    /// Two things that a stage sees have the same register.
    #[error("register {class}{register} in space {space} is already taken by {other}")]
    Overlap {
        /// `b`, `t`, `u` or `s`.
        class: char,
        /// The first register that both have.
        register: u32,
        /// The register space.
        space: u32,
        /// What else has it.
        other: RootSignaturePlace,
    },
    /// There are too many different static samplers.
    #[error("{count} different static samplers, {limit} is the limit")]
    TooManySamplers {
        /// How many.
        count: usize,
        /// Most static samplers.
        limit: usize,
    },
    /// A field of a static sampler has a value that does not exist or is out of its range.
    #[error("{field} is {value}, but must be {expected}")]
    Sampler {
        /// The field.
        field: &'static str,
        /// Its value.
        value: SamplerValue,
        /// What values it can have.
        expected: &'static str,
    },
}

/// The value of a field of a static sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SamplerValue {
    /// A number or enumerator.
    Number(u32),
    /// The bits of a number of type `f32`.
    Float(u32),
}

impl fmt::Display for SamplerValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Number(number) => number.fmt(f),
            Self::Float(bits) => f32::from_bits(bits).fmt(f),
        }
    }
}

/// The limit of root arguments. Local root signatures are not held to it: their arguments are in
/// shader records.
const MAX_WORDS: u64 = 64;

/// Different static samplers that can be in use at a time ("Hardware Tiers" in the reference of
/// Direct3D 12).
const MAX_STATIC_SAMPLERS: usize = 2032;

const RESERVED_SPACES: u32 = 0xffff_fff0;

const ALL_FLAGS: u32 = 0xfff;
const DATA_FLAGS: u32 = 0xe;
const ALL_RANGE_FLAGS: u32 = 0x1_000f;
const ALL_SAMPLER_FLAGS: u32 = 0x3;

/// Shader visibilities other than ALL.
const STAGES: std::ops::RangeInclusive<u32> = 1..=7;

/// What takes registers.
#[derive(Clone, Copy)]
struct Binding {
    place: RootSignaturePlace,
    visibility: ShaderVisibility,
    range_type: DescriptorRangeType,
    space: u32,
    first: u32,
    last: u32,
}

impl Binding {
    /// By what must be the same for registers to be, then by the first of them.
    fn key(&self) -> (u32, u32, u32) {
        (self.range_type.0, self.space, self.first)
    }
}

impl RootSignatureDesc {
    /// Checks all that `D3D12SerializeVersionedRootSignature` is known to refuse: what the reference
    /// of Direct3D 12 forbids, and what DXC (`DxilRootSignatureValidator.cpp`) does.
    ///
    /// # Errors
    ///
    /// The first fault.
    pub fn validate(&self) -> Result<(), RootSignatureError> {
        let whole = |fault: RootSignatureFault| fault.at(RootSignaturePlace::Whole);
        let version = self.version;
        if version.major != 1 || version.minor > 2 {
            return Err(whole(RootSignatureFault::Version { version }));
        }
        check_flags(self.flags.0, ALL_FLAGS).map_err(whole)?;

        let mut bindings = Vec::new();
        let mut words = 0;
        for (index, parameter) in self.parameters.iter().enumerate() {
            let place = RootSignaturePlace::Parameter(index);
            let visibility = parameter.shader_visibility;
            check_visibility(visibility).map_err(|fault| fault.at(place))?;
            let binding = |range_type, first, space| Binding {
                place,
                visibility,
                range_type,
                space,
                first,
                last: first,
            };
            let mut descriptor = |range_type, descriptor: &RootDescriptor| {
                check_descriptor(descriptor, version).map_err(|fault| fault.at(place))?;
                let RootDescriptor {
                    shader_register,
                    register_space,
                    ..
                } = *descriptor;
                bindings.push(binding(range_type, shader_register, register_space));
                Ok(2)
            };
            words += match &parameter.kind {
                Kind::Cbv(cbv) => descriptor(DescriptorRangeType::CBV, cbv)?,
                Kind::Srv(srv) => descriptor(DescriptorRangeType::SRV, srv)?,
                Kind::Uav(uav) => descriptor(DescriptorRangeType::UAV, uav)?,
                Kind::Constants(constants) => {
                    bindings.push(binding(
                        DescriptorRangeType::CBV,
                        constants.shader_register,
                        constants.register_space,
                    ));
                    u64::from(constants.num_32bit_values)
                }
                Kind::DescriptorTable(ranges) => {
                    check_table(index, ranges, version)?;
                    bindings.extend(ranges.iter().enumerate().map(|(range, it)| Binding {
                        place: RootSignaturePlace::Range {
                            parameter: index,
                            range,
                        },
                        last: last(it.base_shader_register, it.num_descriptors),
                        ..binding(it.range_type, it.base_shader_register, it.register_space)
                    }));
                    1
                }
            };
        }
        for (index, sampler) in self.static_samplers.iter().enumerate() {
            let place = RootSignaturePlace::StaticSampler(index);
            check_visibility(sampler.shader_visibility)
                .and_then(|()| check_sampler(sampler, version))
                .map_err(|fault| fault.at(place))?;
            bindings.push(Binding {
                place,
                visibility: sampler.shader_visibility,
                range_type: DescriptorRangeType::SAMPLER,
                space: sampler.register_space,
                first: sampler.shader_register,
                last: sampler.shader_register,
            });
        }
        if words > MAX_WORDS
            && !self
                .flags
                .contains(RootSignatureFlags::LOCAL_ROOT_SIGNATURE)
        {
            let limit = MAX_WORDS;
            return Err(whole(RootSignatureFault::TooLarge { words, limit }));
        }
        check_sampler_count(&self.static_samplers).map_err(whole)?;
        check_registers(&bindings)
    }
}

impl RootSignatureFault {
    pub(super) fn at(self, place: RootSignaturePlace) -> RootSignatureError {
        RootSignatureError { fault: self, place }
    }
}

/// The last of `count` registers, which [`check_table`] has found to exist.
fn last(first: u32, count: u32) -> u32 {
    match count {
        DescriptorRange::UNBOUNDED => u32::MAX,
        count => first + (count - 1),
    }
}

fn check_flags(flags: u32, all: u32) -> Result<(), RootSignatureFault> {
    match flags & !all {
        0 => Ok(()),
        unknown => Err(RootSignatureFault::UnknownFlags { unknown }),
    }
}

/// Flags are there from a version on, and all of them exist.
fn check_versioned(
    flags: Option<u32>,
    since: u32,
    all: u32,
    version: Version,
) -> Result<u32, RootSignatureFault> {
    match flags {
        Some(_) if version.minor < since => Err(RootSignatureFault::FlagsNotInVersion { version }),
        None if version.minor >= since => Err(RootSignatureFault::FlagsMissing { version }),
        flags => {
            let flags = flags.unwrap_or_default();
            check_flags(flags, all).map(|()| flags)
        }
    }
}

fn check_visibility(visibility: ShaderVisibility) -> Result<(), RootSignatureFault> {
    if visibility == ShaderVisibility::ALL || STAGES.contains(&visibility.0) {
        return Ok(());
    }
    Err(RootSignatureFault::Visibility {
        visibility: visibility.0,
    })
}

fn check_data_flags(flags: u32) -> Result<(), RootSignatureFault> {
    if (flags & DATA_FLAGS).count_ones() > 1 {
        return Err(RootSignatureFault::DataFlags);
    }
    Ok(())
}

fn check_descriptor(
    descriptor: &RootDescriptor,
    version: Version,
) -> Result<(), RootSignatureFault> {
    let flags = descriptor.flags.map(|RootDescriptorFlags(flags)| flags);
    check_data_flags(check_versioned(flags, 1, DATA_FLAGS, version)?)
}

fn check_table(
    parameter: usize,
    ranges: &[DescriptorRange],
    version: Version,
) -> Result<(), RootSignatureError> {
    let samplers = |range: &DescriptorRange| range.range_type == DescriptorRangeType::SAMPLER;
    // Where the next range starts if it is appended; `None` after one without end.
    let mut next = Some(0);
    for (index, range) in ranges.iter().enumerate() {
        let place = RootSignaturePlace::Range {
            parameter,
            range: index,
        };
        let fault = if range.range_type.0 > DescriptorRangeType::SAMPLER.0 {
            Err(RootSignatureFault::RangeType {
                range_type: range.range_type.0,
            })
        } else if samplers(range) != samplers(&ranges[0]) {
            Err(RootSignatureFault::SamplersMixed)
        } else {
            check_range(range, next, version)
        };
        next = fault.map_err(|fault| fault.at(place))?;
    }
    Ok(())
}

/// Tells where the range ends; `None` if it does not.
fn check_range(
    range: &DescriptorRange,
    next: Option<u64>,
    version: Version,
) -> Result<Option<u64>, RootSignatureFault> {
    let count = range.num_descriptors;
    let start = match range.offset_in_descriptors_from_table_start {
        DescriptorRange::OFFSET_APPEND => next.ok_or(RootSignatureFault::AppendedToUnbounded)?,
        offset => offset.into(),
    };
    let end = if count == DescriptorRange::UNBOUNDED {
        None
    } else {
        let base = range.base_shader_register;
        if count == 0 {
            return Err(RootSignatureFault::NoDescriptors);
        }
        if base.checked_add(count - 1).is_none() {
            return Err(RootSignatureFault::RegistersPastEnd { base, count });
        }
        let end = start + u64::from(count);
        if end > 1 << 32 {
            return Err(RootSignatureFault::DescriptorsPastEnd { start, count });
        }
        Some(end)
    };

    let flags = range.flags.map(|DescriptorRangeFlags(flags)| flags);
    let flags = check_versioned(flags, 1, ALL_RANGE_FLAGS, version)?;
    if range.range_type == DescriptorRangeType::SAMPLER && flags & DATA_FLAGS != 0 {
        return Err(RootSignatureFault::DataFlagsOfSampler);
    }
    check_data_flags(flags)?;
    let has = |flag| DescriptorRangeFlags(flags).contains(flag);
    if has(DescriptorRangeFlags::DESCRIPTORS_VOLATILE) {
        if has(DescriptorRangeFlags::DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS) {
            return Err(RootSignatureFault::DescriptorsFlags);
        }
        if has(DescriptorRangeFlags::DATA_STATIC) {
            return Err(RootSignatureFault::StaticDataOfVolatileDescriptors);
        }
    }
    Ok(end)
}

/// A filter is a comparison filter if this is set and the reduction is no minimum or maximum.
const COMPARISON: u32 = 0x80;
const REDUCTION: u32 = 0x180;

/// `D3D12_FILTER`: linear or point for minification, magnification and mip levels (bits 4, 2, 0),
/// or one of the anisotropic filters; with one of four reductions.
fn is_filter(filter: u32) -> bool {
    const LINEAR: u32 = 0x15;
    const ANISOTROPIC: u32 = 0x55;
    // Newer than DXC's list of them.
    const ANISOTROPIC_MIP_POINT: u32 = 0x54;
    let basic = filter & !REDUCTION;
    basic & !LINEAR == 0 || basic == ANISOTROPIC || basic == ANISOTROPIC_MIP_POINT
}

fn check_sampler(sampler: &StaticSampler, version: Version) -> Result<(), RootSignatureFault> {
    let flags = sampler.flags.map(|SamplerFlags(flags)| flags);
    check_versioned(flags, 2, ALL_SAMPLER_FLAGS, version)?;

    let is_comparison = sampler.filter & REDUCTION == COMPARISON;
    let address = "1 to 5 (D3D12_TEXTURE_ADDRESS_MODE)";
    let addresses = [
        ("AddressU", sampler.address_u),
        ("AddressV", sampler.address_v),
        ("AddressW", sampler.address_w),
    ];
    let addresses =
        addresses.map(|(field, value)| (field, value, (1..=5).contains(&value), address));
    let others = [
        (
            "Filter",
            sampler.filter,
            is_filter(sampler.filter),
            "a D3D12_FILTER",
        ),
        (
            "MaxAnisotropy",
            sampler.max_anisotropy,
            sampler.max_anisotropy <= 16,
            "at most 16",
        ),
        (
            "ComparisonFunc",
            sampler.comparison_func,
            !is_comparison || (1..=8).contains(&sampler.comparison_func),
            "1 to 8 (D3D12_COMPARISON_FUNC) with a comparison filter",
        ),
        (
            "BorderColor",
            sampler.border_color,
            sampler.border_color <= 4,
            "0 to 4 (D3D12_STATIC_BORDER_COLOR)",
        ),
    ];
    let lods = [
        (
            "MipLODBias",
            sampler.mip_lod_bias,
            (-16.0..=15.99).contains(&sampler.mip_lod_bias),
            "-16 to 15.99",
        ),
        (
            "MinLOD",
            sampler.min_lod,
            !sampler.min_lod.is_nan(),
            "a number",
        ),
        (
            "MaxLOD",
            sampler.max_lod,
            !sampler.max_lod.is_nan(),
            "a number",
        ),
    ];
    let numbers = others
        .into_iter()
        .chain(addresses)
        .map(|(field, value, is_right, expected)| {
            (field, SamplerValue::Number(value), is_right, expected)
        });
    let lods = lods.into_iter().map(|(field, value, is_right, expected)| {
        let value = SamplerValue::Float(value.to_bits());
        (field, value, is_right, expected)
    });
    match numbers.chain(lods).find(|(_, _, is_right, _)| !is_right) {
        None => Ok(()),
        Some((field, value, _, expected)) => Err(RootSignatureFault::Sampler {
            field,
            value,
            expected,
        }),
    }
}

/// Counts samplers that differ in more than their registers and visibility.
fn check_sampler_count(samplers: &[StaticSampler]) -> Result<(), RootSignatureFault> {
    let different: BTreeSet<_> = samplers
        .iter()
        .map(|it| {
            [
                it.filter,
                it.address_u,
                it.address_v,
                it.address_w,
                it.mip_lod_bias.to_bits(),
                it.max_anisotropy,
                it.comparison_func,
                it.border_color,
                it.min_lod.to_bits(),
                it.max_lod.to_bits(),
                it.flags.unwrap_or(SamplerFlags::NONE).0,
            ]
        })
        .collect();
    let (count, limit) = (different.len(), MAX_STATIC_SAMPLERS);
    if count > limit {
        return Err(RootSignatureFault::TooManySamplers { count, limit });
    }
    Ok(())
}

/// No register space is reserved, and no stage sees two things in one register.
fn check_registers(bindings: &[Binding]) -> Result<(), RootSignatureError> {
    if let Some(binding) = bindings.iter().find(|it| it.space >= RESERVED_SPACES) {
        let space = binding.space;
        return Err(RootSignatureFault::ReservedSpace { space }.at(binding.place));
    }
    for stage in STAGES {
        let sees = |it: &&Binding| [ShaderVisibility::ALL.0, stage].contains(&it.visibility.0);
        let mut seen: Vec<&Binding> = bindings.iter().filter(sees).collect();
        seen.sort_by_key(|it| it.key());
        for pair in seen.windows(2) {
            let [a, b] = [pair[0], pair[1]];
            if (a.range_type, a.space) == (b.range_type, b.space) && b.first <= a.last {
                let (other, place) = (a.place.min(b.place), a.place.max(b.place));
                let fault = RootSignatureFault::Overlap {
                    class: class(a.range_type),
                    register: b.first,
                    space: b.space,
                    other,
                };
                return Err(fault.at(place));
            }
        }
    }
    Ok(())
}

fn class(range_type: DescriptorRangeType) -> char {
    match range_type {
        DescriptorRangeType::SRV => 't',
        DescriptorRangeType::UAV => 'u',
        DescriptorRangeType::CBV => 'b',
        _ => 's',
    }
}
