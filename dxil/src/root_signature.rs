//! Root signatures: where a shader's resources come from.

use std::fmt;

use crate::numbers::{flags, number};
use crate::read::{table, word_at};
use crate::{Error, ErrorKind, Version};

const HEADER_LEN: usize = 24;

// Where the header's fields are.
const VERSION: usize = 0x00;
const PARAMETER_COUNT: usize = 0x04;
const PARAMETERS: usize = 0x08;
const SAMPLER_COUNT: usize = 0x0c;
const SAMPLERS: usize = 0x10;
const FLAGS: usize = 0x14;

/// Words of a parameter.
const PARAMETER_STRIDE: usize = 3;

/// Where a parameter's fields are.
const PARAMETER_TYPE: usize = 0;
const PARAMETER_OFFSET: usize = 8;

/// A serialized root signature: the payload of the part `RTS0`, versions 1.0 to 1.2.
///
/// Parsing checks that everything lies in the part, and takes time linear in its length; what the
/// fields say is not judged. Fields and constants are those of `d3d12.h`. Compare root signatures
/// by `==` and not bytewise: the same content can be laid out in several ways.
///
/// ```
/// use dxil::{Container, RootParameterKind, RootSignature};
///
/// let bytes = include_bytes!("../corpus/dxil/raw_copy_cs.dxil");
/// let root_signature = Container::parse(bytes)?.root_signature()?.unwrap();
/// assert_eq!(root_signature.version().to_string(), "1.1");
/// let RootParameterKind::Constants(constants) = root_signature.parameters()[0].kind else {
///     panic!("{root_signature:?}")
/// };
/// assert_eq!((constants.shader_register, constants.num_32bit_values), (0, 3));
/// # Ok::<(), dxil::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RootSignature<'a> {
    version: Version,
    flags: RootSignatureFlags,
    parameters: Vec<RootParameter<'a>>,
    static_samplers: StaticSamplers<'a>,
}

impl<'a> RootSignature<'a> {
    /// Reads the payload of an `RTS0` part.
    ///
    /// # Errors
    ///
    /// The version is unknown, a parameter is of an unknown type, or something is not inside
    /// `bytes`.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let Some(header) = bytes.first_chunk::<HEADER_LEN>() else {
            let available = bytes.len();
            return Err(ErrorKind::RootSignatureCut { available }.at(0));
        };
        let version = word_at(header, VERSION);
        if !(1..=3).contains(&version) {
            return Err(ErrorKind::RootSignatureVersion { version }.at(VERSION));
        }
        let minor = version - 1;

        let [count, offset] = [PARAMETER_COUNT, PARAMETERS].map(|at| word_at(header, at));
        let Some(words) = table(bytes, offset, count, PARAMETER_STRIDE) else {
            let kind = ErrorKind::RootParametersPastEnd {
                count,
                offset,
                root_signature: bytes.len(),
            };
            return Err(kind.at(PARAMETER_COUNT));
        };
        let (records, _) = words.as_chunks();
        let parameters = records.iter().enumerate().map(|(index, record)| {
            let at = offset as usize + 4 * PARAMETER_STRIDE * index;
            RootParameter::parse(bytes, minor, record.map(u32::from_le_bytes), index, at)
        });
        let parameters = parameters.collect::<Result<Vec<_>, _>>()?;

        let [count, offset] = [SAMPLER_COUNT, SAMPLERS].map(|at| word_at(header, at));
        let stride = if minor < 2 { 13 } else { 14 };
        let Some(words) = table(bytes, offset, count, stride) else {
            let kind = ErrorKind::StaticSamplersPastEnd {
                count,
                offset,
                root_signature: bytes.len(),
            };
            return Err(kind.at(SAMPLER_COUNT));
        };
        Ok(Self {
            version: Version { major: 1, minor },
            flags: RootSignatureFlags(word_at(header, FLAGS)),
            parameters,
            static_samplers: StaticSamplers { words, stride },
        })
    }

    /// The version: 1.0, 1.1 or 1.2.
    pub fn version(&self) -> Version {
        self.version
    }

    /// `D3D12_ROOT_SIGNATURE_FLAGS`.
    pub fn flags(&self) -> RootSignatureFlags {
        self.flags
    }

    /// The parameters; the place is the root parameter index.
    pub fn parameters(&self) -> &[RootParameter<'a>] {
        &self.parameters
    }

    /// The static samplers.
    pub fn static_samplers(&self) -> impl ExactSizeIterator<Item = StaticSampler> + use<'a> {
        self.static_samplers.iter()
    }
}

/// A root parameter (`D3D12_ROOT_PARAMETER1`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootParameter<'a> {
    /// The shader stages that see the parameter.
    pub shader_visibility: ShaderVisibility,
    /// What the parameter is.
    pub kind: RootParameterKind<'a>,
}

/// What a root parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootParameterKind<'a> {
    /// A table of descriptors in the heap.
    DescriptorTable(DescriptorTable<'a>),
    /// Constants in the root arguments themselves.
    Constants(RootConstants),
    /// The address of a constant buffer.
    Cbv(RootDescriptor),
    /// The address of a buffer to read from.
    Srv(RootDescriptor),
    /// The address of a buffer to write to.
    Uav(RootDescriptor),
}

impl<'a> RootParameter<'a> {
    /// The parameter `index`, whose record is at byte `at` of `bytes`.
    fn parse(
        bytes: &'a [u8],
        minor: u32,
        record: [u32; PARAMETER_STRIDE],
        index: usize,
        at: usize,
    ) -> Result<Self, Error> {
        let [parameter_type, visibility, offset] = record;
        let past_end = || {
            let kind = ErrorKind::RootParameterPastEnd {
                index,
                offset,
                root_signature: bytes.len(),
            };
            kind.at(at + PARAMETER_OFFSET)
        };
        let content = |stride| table(bytes, offset, 1, stride).ok_or_else(past_end);
        let word = |content: &[[u8; 4]], index: usize| u32::from_le_bytes(content[index]);

        let kind = match parameter_type {
            0 => {
                let content = content(2)?;
                let [count, ranges] = [0, 1].map(|index| word(content, index));
                let stride = if minor == 0 { 5 } else { 6 };
                let Some(words) = table(bytes, ranges, count, stride) else {
                    let kind = ErrorKind::DescriptorRangesPastEnd {
                        index,
                        count,
                        offset: ranges,
                        root_signature: bytes.len(),
                    };
                    return Err(kind.at(offset as usize));
                };
                RootParameterKind::DescriptorTable(DescriptorTable { words, stride })
            }
            1 => {
                let content = content(3)?;
                RootParameterKind::Constants(RootConstants {
                    shader_register: word(content, 0),
                    register_space: word(content, 1),
                    num_32bit_values: word(content, 2),
                })
            }
            2..=4 => {
                let content = content(if minor == 0 { 2 } else { 3 })?;
                let descriptor = RootDescriptor {
                    shader_register: word(content, 0),
                    register_space: word(content, 1),
                    flags: (minor > 0).then(|| RootDescriptorFlags(word(content, 2))),
                };
                match parameter_type {
                    2 => RootParameterKind::Cbv(descriptor),
                    3 => RootParameterKind::Srv(descriptor),
                    _ => RootParameterKind::Uav(descriptor),
                }
            }
            found => {
                return Err(ErrorKind::RootParameterType { index, found }.at(at + PARAMETER_TYPE));
            }
        };
        Ok(Self {
            shader_visibility: ShaderVisibility(visibility),
            kind,
        })
    }
}

/// Constants in the root arguments (`D3D12_ROOT_CONSTANTS`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootConstants {
    /// The register `b` of the constant buffer that they make up.
    pub shader_register: u32,
    /// The register space.
    pub register_space: u32,
    /// Number of 32-bit constants.
    pub num_32bit_values: u32,
}

/// The address of a buffer in the root arguments (`D3D12_ROOT_DESCRIPTOR1`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootDescriptor {
    /// The register: `b`, `t` or `u`.
    pub shader_register: u32,
    /// The register space.
    pub register_space: u32,
    /// What the driver may assume; `None` in version 1.0, which has no flags.
    pub flags: Option<RootDescriptorFlags>,
}

/// A table of descriptors (`D3D12_ROOT_DESCRIPTOR_TABLE1`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DescriptorTable<'a> {
    words: &'a [[u8; 4]],
    /// Words of a range: 5 in version 1.0, 6 with flags.
    stride: usize,
}

impl<'a> DescriptorTable<'a> {
    /// The ranges. Several tables may have the same ones.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = DescriptorRange> + use<'a> {
        let stride = self.stride;
        self.words.chunks_exact(stride).map(move |range| {
            let word = |index: usize| u32::from_le_bytes(range[index]);
            DescriptorRange {
                range_type: DescriptorRangeType(word(0)),
                num_descriptors: word(1),
                base_shader_register: word(2),
                register_space: word(3),
                flags: (stride == 6).then(|| DescriptorRangeFlags(word(4))),
                offset_in_descriptors_from_table_start: word(stride - 1),
            }
        })
    }
}

impl fmt::Debug for DescriptorTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.ranges()).finish()
    }
}

/// A range of descriptors in a table (`D3D12_DESCRIPTOR_RANGE1`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescriptorRange {
    /// What the descriptors describe.
    pub range_type: DescriptorRangeType,
    /// Number of descriptors, or [`UNBOUNDED`](Self::UNBOUNDED).
    pub num_descriptors: u32,
    /// The first register: `t`, `u`, `b` or `s`.
    pub base_shader_register: u32,
    /// The register space.
    pub register_space: u32,
    /// What the driver may assume; `None` in version 1.0, which has no flags.
    pub flags: Option<DescriptorRangeFlags>,
    /// Where the range starts in the table, in descriptors, or
    /// [`OFFSET_APPEND`](Self::OFFSET_APPEND).
    pub offset_in_descriptors_from_table_start: u32,
}

impl DescriptorRange {
    /// A number of descriptors that ends with the heap only.
    pub const UNBOUNDED: u32 = u32::MAX;
    /// Behind the range before (`D3D12_DESCRIPTOR_RANGE_OFFSET_APPEND`).
    pub const OFFSET_APPEND: u32 = u32::MAX;
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct StaticSamplers<'a> {
    words: &'a [[u8; 4]],
    /// Words of a sampler: 14 in version 1.2, 13 before.
    stride: usize,
}

impl<'a> StaticSamplers<'a> {
    fn iter(&self) -> impl ExactSizeIterator<Item = StaticSampler> + use<'a> {
        self.words.chunks_exact(self.stride).map(|sampler| {
            let word = |index: usize| u32::from_le_bytes(sampler[index]);
            let float = |index: usize| f32::from_le_bytes(sampler[index]);
            StaticSampler {
                filter: word(0),
                address_u: word(1),
                address_v: word(2),
                address_w: word(3),
                mip_lod_bias: float(4),
                max_anisotropy: word(5),
                comparison_func: word(6),
                border_color: word(7),
                min_lod: float(8),
                max_lod: float(9),
                shader_register: word(10),
                register_space: word(11),
                shader_visibility: ShaderVisibility(word(12)),
                flags: sampler
                    .get(13)
                    .map(|&flags| SamplerFlags(u32::from_le_bytes(flags))),
            }
        })
    }
}

impl fmt::Debug for StaticSamplers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A static sampler (`D3D12_STATIC_SAMPLER_DESC1`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StaticSampler {
    /// `D3D12_FILTER`.
    pub filter: u32,
    /// `D3D12_TEXTURE_ADDRESS_MODE` across.
    pub address_u: u32,
    /// `D3D12_TEXTURE_ADDRESS_MODE` down.
    pub address_v: u32,
    /// `D3D12_TEXTURE_ADDRESS_MODE` in depth.
    pub address_w: u32,
    /// Added to the computed level of detail.
    pub mip_lod_bias: f32,
    /// 1 to 16.
    pub max_anisotropy: u32,
    /// `D3D12_COMPARISON_FUNC`.
    pub comparison_func: u32,
    /// `D3D12_STATIC_BORDER_COLOR`.
    pub border_color: u32,
    /// The least level of detail.
    pub min_lod: f32,
    /// The greatest level of detail.
    pub max_lod: f32,
    /// The register `s`.
    pub shader_register: u32,
    /// The register space.
    pub register_space: u32,
    /// The shader stages that see the sampler.
    pub shader_visibility: ShaderVisibility,
    /// `None` before version 1.2, which brought the flags.
    pub flags: Option<SamplerFlags>,
}

flags! {
    /// `D3D12_ROOT_SIGNATURE_FLAGS`.
    RootSignatureFlags: u32 {
        /// An input layout is used.
        ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT = 0x1,
        /// Vertex shaders see no parameter.
        DENY_VERTEX_SHADER_ROOT_ACCESS = 0x2,
        /// Hull shaders see no parameter.
        DENY_HULL_SHADER_ROOT_ACCESS = 0x4,
        /// Domain shaders see no parameter.
        DENY_DOMAIN_SHADER_ROOT_ACCESS = 0x8,
        /// Geometry shaders see no parameter.
        DENY_GEOMETRY_SHADER_ROOT_ACCESS = 0x10,
        /// Pixel shaders see no parameter.
        DENY_PIXEL_SHADER_ROOT_ACCESS = 0x20,
        /// Stream output is used.
        ALLOW_STREAM_OUTPUT = 0x40,
        /// A local root signature, whose arguments are in the shader table.
        LOCAL_ROOT_SIGNATURE = 0x80,
        /// Amplification shaders see no parameter.
        DENY_AMPLIFICATION_SHADER_ROOT_ACCESS = 0x100,
        /// Mesh shaders see no parameter.
        DENY_MESH_SHADER_ROOT_ACCESS = 0x200,
        /// Shaders index the resource heap themselves.
        CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED = 0x400,
        /// Shaders index the sampler heap themselves.
        SAMPLER_HEAP_DIRECTLY_INDEXED = 0x800,
    }
}

flags! {
    /// `D3D12_ROOT_DESCRIPTOR_FLAGS`.
    RootDescriptorFlags: u32 {
        /// The data can change at any time.
        DATA_VOLATILE = 0x2,
        /// The data does not change from the execution of the root argument on.
        DATA_STATIC_WHILE_SET_AT_EXECUTE = 0x4,
        /// The data does not change from the recording of the root argument on.
        DATA_STATIC = 0x8,
    }
}

flags! {
    /// `D3D12_DESCRIPTOR_RANGE_FLAGS`.
    DescriptorRangeFlags: u32 {
        /// The descriptors can change until the commands execute.
        DESCRIPTORS_VOLATILE = 0x1,
        /// The data can change at any time.
        DATA_VOLATILE = 0x2,
        /// The data does not change from the execution of the root argument on.
        DATA_STATIC_WHILE_SET_AT_EXECUTE = 0x4,
        /// The data does not change from the recording of the root argument on.
        DATA_STATIC = 0x8,
        /// The descriptors do not change, but accesses to buffers are checked all the same.
        DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS = 0x1_0000,
    }
}

flags! {
    /// `D3D12_SAMPLER_FLAGS`.
    SamplerFlags: u32 {
        /// The border colour is one of integers.
        UINT_BORDER_COLOR = 0x1,
        /// Coordinates count texels.
        NON_NORMALIZED_COORDINATES = 0x2,
    }
}

number! {
    /// `D3D12_SHADER_VISIBILITY`: the shader stages that see a parameter or sampler.
    ShaderVisibility {
        /// All.
        ALL = 0,
        /// Vertex shaders.
        VERTEX = 1,
        /// Hull shaders.
        HULL = 2,
        /// Domain shaders.
        DOMAIN = 3,
        /// Geometry shaders.
        GEOMETRY = 4,
        /// Pixel shaders.
        PIXEL = 5,
        /// Amplification shaders.
        AMPLIFICATION = 6,
        /// Mesh shaders.
        MESH = 7,
    }
}

number! {
    /// `D3D12_DESCRIPTOR_RANGE_TYPE`: what the descriptors of a range describe.
    DescriptorRangeType {
        /// Resources to read from, register `t`.
        SRV = 0,
        /// Resources to write to, register `u`.
        UAV = 1,
        /// Constant buffers, register `b`.
        CBV = 2,
        /// Samplers, register `s`.
        SAMPLER = 3,
    }
}

#[cfg(test)]
mod tests {
    use super::{RootParameterKind, RootSignature};
    use crate::ErrorKind;

    /// Version 1.1: constants, a UAV, a table of two ranges and a static sampler, in 212 bytes.
    fn sample() -> Vec<u32> {
        let mut words = vec![2, 3, 24, 1, 160, 0x80]; // header
        words.extend([1, 1, 60, 4, 0, 72, 0, 5, 84]); // parameters
        words.extend([7, 1, 4]); // 60: constants
        words.extend([8, 2, 2]); // 72: UAV
        words.extend([2, 92]); // 84: table
        words.extend([0, u32::MAX, 3, 0, 1, 0, 9, 1, 2, 3, 0x10, 4]); // 92: ranges
        words.extend([0; 5]); // 140: nothing
        words.extend([0; 13]); // 160: static sampler
        words
    }

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().copied().flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn what_is_unknown_is_kept() {
        let bytes = bytes(&sample());
        let text = format!(
            "{:?}",
            RootSignature::parse(&bytes).unwrap().parameters()[2]
        );
        assert_eq!(
            text,
            "RootParameter { shader_visibility: PIXEL, kind: DescriptorTable([DescriptorRange { \
             range_type: SRV, num_descriptors: 4294967295, base_shader_register: 3, \
             register_space: 0, flags: Some({DESCRIPTORS_VOLATILE}), \
             offset_in_descriptors_from_table_start: 0 }, DescriptorRange { range_type: \
             DescriptorRangeType(0x9), num_descriptors: 1, base_shader_register: 2, \
             register_space: 3, flags: Some({0x10}), offset_in_descriptors_from_table_start: 4 \
             }]) }"
        );
    }

    /// Another layout, and a payload used twice.
    #[test]
    fn content_is_what_counts() {
        let a = bytes(&sample());
        let mut words = sample();
        words.drain(35..40);
        words[4] = 140;
        words.extend([7, 1, 4]);
        words[8] = 192;
        let b = bytes(&words);
        assert_eq!(RootSignature::parse(&a), RootSignature::parse(&b));

        words[11] = 192;
        let c = bytes(&words);
        let c = RootSignature::parse(&c).unwrap();
        assert!(
            matches!(c.parameters()[1].kind, RootParameterKind::Uav(uav) if uav.shader_register == 7)
        );
        assert_ne!(RootSignature::parse(&a), Ok(c));
    }

    #[test]
    fn nothing_is_nowhere() {
        for version in 1..=3 {
            let bytes = bytes(&[version, 0, u32::MAX, 0, u32::MAX, 0]);
            let root_signature = RootSignature::parse(&bytes).unwrap();
            assert_eq!(root_signature.version().minor, version - 1);
            assert!(root_signature.parameters().is_empty());
            assert_eq!(root_signature.static_samplers().len(), 0);
        }
    }

    /// One field wrong at a time, at the edge of what is allowed.
    #[test]
    fn each_field_is_checked() {
        use ErrorKind as E;
        let root_signature = 212;
        let parameters = |count, offset| E::RootParametersPastEnd {
            count,
            offset,
            root_signature,
        };
        let parameter = |index, offset| E::RootParameterPastEnd {
            index,
            offset,
            root_signature,
        };
        let ranges = |count, offset| E::DescriptorRangesPastEnd {
            index: 2,
            count,
            offset,
            root_signature,
        };
        let samplers = |count, offset| E::StaticSamplersPastEnd {
            count,
            offset,
            root_signature,
        };
        let version = |version| E::RootSignatureVersion { version };
        let cases = [
            (0, 0, version(0), 0x00),
            (0, 4, version(4), 0x00),
            (0, 3, samplers(1, 160), 0x0c),
            (1, 16, parameters(16, 24), 0x04),
            (1, 0x2000_0000, parameters(0x2000_0000, 24), 0x04),
            (2, 177, parameters(3, 177), 0x04),
            (3, 2, samplers(2, 160), 0x0c),
            (4, 161, samplers(1, 161), 0x0c),
            (6, 5, E::RootParameterType { index: 0, found: 5 }, 24),
            (8, 201, parameter(0, 201), 32),
            (11, 201, parameter(1, 201), 44),
            (14, 205, parameter(2, 205), 56),
            (14, 0xffff_fff0, parameter(2, 0xffff_fff0), 56),
            (21, 6, ranges(6, 92), 84),
            (21, u32::MAX, ranges(u32::MAX, 92), 84),
            (22, 165, ranges(2, 165), 84),
        ];
        for (word, value, kind, offset) in cases {
            let mut words = sample();
            words[word] = value;
            assert_eq!(
                RootSignature::parse(&bytes(&words)),
                Err(kind.at(offset)),
                "word {word} = {value:#x}"
            );
        }
        assert_eq!(
            RootSignature::parse(&bytes(&sample())[..23]),
            Err(E::RootSignatureCut { available: 23 }.at(0))
        );
    }

    /// Records are shorter in version 1.0: what does not fit in 1.1 fits there.
    #[test]
    fn version_1_0_has_shorter_records() {
        let mut words = sample();
        words[11] = 204; // UAV
        words[22] = 172; // ranges
        let at = |version| {
            let mut words = words.clone();
            words[0] = version;
            RootSignature::parse(&bytes(&words)).map(|_| ())
        };
        assert_eq!(at(1), Ok(()));
        at(2).unwrap_err();
    }

    /// Tables may share their ranges. Reading them once for each would take minutes here.
    #[test]
    fn many_tables_of_the_same_ranges_parse_in_reasonable_time() {
        let count = 100_000_u32;
        let payload = 24 + 12 * count;
        let mut words = vec![2, count, 24, 0, 0, 0];
        for _ in 0..count {
            words.extend([0, 0, payload]);
        }
        words.extend([1_000_000, payload + 8]);
        words.resize(words.len() + 6_000_000, 0);
        let bytes = bytes(&words);
        assert_eq!(
            RootSignature::parse(&bytes).unwrap().parameters().len(),
            100_000
        );
    }
}
