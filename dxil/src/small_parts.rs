//! The parts of a few words: `SFI0`, `HASH`, `ILDN` and `VERS`.

use crate::check::Findings;
use crate::numbers::flags;
use crate::read::word_at;
use crate::{Error, ErrorKind, Version};

flags! {
    /// What a shader, or a function of a library, needs the device to support: the payload of the
    /// part `SFI0` (`DXIL::ShaderFeatureInfo...` of DirectXShaderCompiler).
    ///
    /// The compiler's word for it: DXC 1.9 leaves out sampler feedback, and versions differ in what
    /// they set for functions of libraries.
    FeatureFlags: u64 {
        /// Double-precision floating point.
        DOUBLES = 0x1,
        /// Raw and structured buffers in compute shaders of shader model 4.
        COMPUTE_SHADERS_PLUS_RAW_AND_STRUCTURED_BUFFERS = 0x2,
        /// UAVs in stages other than pixel and compute.
        UAVS_AT_EVERY_STAGE = 0x4,
        /// More than 8 UAVs.
        UAVS_64 = 0x8,
        /// Minimum-precision types.
        MINIMUM_PRECISION = 0x10,
        /// Division, reciprocal and fused multiply-add of doubles.
        DOUBLE_EXTENSIONS_11_1 = 0x20,
        /// `msad4`.
        SHADER_EXTENSIONS_11_1 = 0x40,
        /// Comparison sampling of feature level 9.
        LEVEL_9_COMPARISON_FILTERING = 0x80,
        /// Tiled resources.
        TILED_RESOURCES = 0x100,
        /// `SV_StencilRef` as an output.
        STENCIL_REF = 0x200,
        /// `SV_InnerCoverage`.
        INNER_COVERAGE = 0x400,
        /// Typed loads from UAVs of formats other than the basic ones.
        TYPED_UAV_LOAD_ADDITIONAL_FORMATS = 0x800,
        /// Rasterizer-ordered views.
        ROVS = 0x1000,
        /// Render target array or viewport index from stages other than geometry.
        VIEWPORT_AND_RT_ARRAY_INDEX_FROM_ANY_SHADER = 0x2000,
        /// Wave operations.
        WAVE_OPS = 0x4000,
        /// 64-bit integers.
        INT64_OPS = 0x8000,
        /// `SV_ViewID`.
        VIEW_ID = 0x1_0000,
        /// `SV_Barycentrics`.
        BARYCENTRICS = 0x2_0000,
        /// 16-bit types.
        NATIVE_LOW_PRECISION = 0x4_0000,
        /// `SV_ShadingRate`.
        SHADING_RATE = 0x8_0000,
        /// Ray tracing of tier 1.1, such as `RayQuery`.
        RAYTRACING_TIER_1_1 = 0x10_0000,
        /// Sampler feedback.
        SAMPLER_FEEDBACK = 0x20_0000,
        /// 64-bit atomics on typed resources.
        ATOMIC_INT64_ON_TYPED_RESOURCE = 0x40_0000,
        /// 64-bit atomics on group-shared memory.
        ATOMIC_INT64_ON_GROUP_SHARED = 0x80_0000,
        /// Derivatives in mesh and amplification shaders.
        DERIVATIVES_IN_MESH_AND_AMPLIFICATION_SHADERS = 0x100_0000,
        /// The shader takes resources from the heap by index.
        RESOURCE_DESCRIPTOR_HEAP_INDEXING = 0x200_0000,
        /// The shader takes samplers from the heap by index.
        SAMPLER_DESCRIPTOR_HEAP_INDEXING = 0x400_0000,
        /// 64-bit atomics on resources from the heap.
        ATOMIC_INT64_ON_HEAP_RESOURCE = 0x1000_0000,
        /// Texture operations of shader model 6.7.
        ADVANCED_TEXTURE_OPS = 0x2000_0000,
        /// Writable multisampled textures.
        WRITEABLE_MSAA_TEXTURES = 0x4000_0000,
        /// `SampleCmpGrad` and `SampleCmpBias`.
        SAMPLE_CMP_GRADIENT_OR_BIAS = 0x8000_0000,
        /// `SV_StartVertexLocation` and `SV_StartInstanceLocation`.
        EXTENDED_COMMAND_INFO = 0x1_0000_0000,
        /// Optional: derivatives are used.
        OPT_USES_DERIVATIVES = 0x100_0000_0000,
        /// Optional: the function needs to run in a group.
        OPT_REQUIRES_GROUP = 0x200_0000_0000,
    }
}

impl FeatureFlags {
    /// Reads the payload of an `SFI0` part.
    ///
    /// # Errors
    ///
    /// It is not 8 bytes long.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        fixed_len(bytes).map(|&bytes| Self(u64::from_le_bytes(bytes)))
    }
}

flags! {
    /// How the hash of a shader was made.
    ShaderHashFlags: u32 {
        /// From the bitcode with debug information, that of `ILDB`: another source gives another
        /// hash, even if the program is the same.
        INCLUDES_SOURCE = 0x1,
    }
}

/// The hash of a shader: the payload of a `HASH` part. An identity of the program that survives
/// changes to other parts; see
/// [`Container::computed_shader_hash`](crate::Container::computed_shader_hash).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShaderHash {
    /// How it was made.
    pub flags: ShaderHashFlags,
    /// MD5 of bitcode.
    pub digest: [u8; 16],
}

impl ShaderHash {
    /// Reads the payload of a `HASH` part.
    ///
    /// # Errors
    ///
    /// It is not 20 bytes long.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let bytes: &[u8; 20] = fixed_len(bytes)?;
        let mut digest = [0; 16];
        digest.copy_from_slice(&bytes[4..]);
        Ok(Self {
            flags: ShaderHashFlags(word_at(bytes, 0)),
            digest,
        })
    }
}

fn fixed_len<const N: usize>(bytes: &[u8]) -> Result<&[u8; N], Error> {
    bytes.try_into().map_err(|_| {
        let kind = ErrorKind::PartLength {
            expected: N,
            found: bytes.len(),
        };
        kind.at(0)
    })
}

/// The name of the PDB that belongs to a shader: the payload of an `ILDN` part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DebugName<'a> {
    /// No flags are defined.
    pub flags: u16,
    /// The file name; unless another was asked for, the hash of the shader in hexadecimal and
    /// `.pdb`.
    pub name: &'a str,
}

impl<'a> DebugName<'a> {
    /// Reads the payload of an `ILDN` part.
    ///
    /// # Errors
    ///
    /// The name is not inside `bytes`, or not UTF-8.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let (header, rest) = split_header::<4>(bytes)?;
        let [flags, length] = [0, 2].map(|at| u16::from_le_bytes([header[at], header[at + 1]]));
        let name = text(rest, length.into(), 2, 4)?;
        Ok(Self { flags, name })
    }
}

flags! {
    /// What kind of build a compiler is.
    CompilerFlags: u32 {
        /// A debug build.
        DEBUG = 0x1,
        /// Not a release.
        INTERNAL = 0x2,
    }
}

/// The compiler that wrote a library: the payload of a `VERS` part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompilerVersion<'a> {
    /// The version of the compiler's interface, such as 1.9.
    pub version: Version,
    /// What kind of build it is.
    pub flags: CompilerFlags,
    /// How many commits its source had.
    pub commit_count: u32,
    /// The last of these, abbreviated.
    pub commit: &'a str,
    /// The version of the file, such as `1.9.2602.17`.
    pub custom_version: &'a str,
}

impl<'a> CompilerVersion<'a> {
    /// Reads the payload of a `VERS` part.
    ///
    /// # Errors
    ///
    /// The texts are not inside `bytes`, have no end, or are not UTF-8.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        const HEADER_LEN: usize = 16;
        const LENGTH: usize = 12;
        let (header, rest) = split_header::<HEADER_LEN>(bytes)?;
        let version = word_at(header, 0);
        let texts = text(rest, word_at(header, LENGTH), LENGTH, HEADER_LEN)?;
        // The second text may be missing.
        let mut at = HEADER_LEN;
        let mut rest = texts;
        let mut next = || {
            if rest.is_empty() {
                return Ok(rest);
            }
            let (text, behind) = rest.split_once('\0').ok_or(ErrorKind::TextEndless.at(at))?;
            at += text.len() + 1;
            rest = behind;
            Ok(text)
        };
        let (commit, custom_version) = (next()?, next()?);
        Ok(Self {
            version: Version {
                major: version & 0xffff,
                minor: version >> 16,
            },
            flags: CompilerFlags(word_at(header, 4)),
            commit_count: word_at(header, 8),
            commit,
            custom_version,
        })
    }

    /// Finds what is in a part besides header and texts.
    pub(crate) fn compare(findings: &mut Findings<'_, '_>) {
        const TEXTS: usize = 16;
        let bytes = findings.part.bytes();
        let length = bytes[12..].first_chunk().copied().unwrap_or_default();
        let length = u32::from_le_bytes(length) as usize;
        let texts = bytes[TEXTS..].get(..length).unwrap_or_default();
        if texts.split_inclusive(|&byte| byte == 0).count() > 2 {
            findings.add(ErrorKind::Unused { what: "bytes" }, TEXTS);
        }
        let end = TEXTS + length;
        let (expected, found) = (end.next_multiple_of(4), bytes.len());
        if found != expected {
            findings.add(ErrorKind::PartLength { expected, found }, 0);
        } else if bytes[end..].iter().any(|&byte| byte != 0) {
            findings.add(ErrorKind::Unused { what: "bytes" }, end);
        }
    }
}

fn split_header<const N: usize>(bytes: &[u8]) -> Result<(&[u8; N], &[u8]), Error> {
    bytes.split_first_chunk().ok_or_else(|| {
        let kind = ErrorKind::PartHeaderCut {
            header: N,
            available: bytes.len(),
        };
        kind.at(0)
    })
}

/// The text of `length` bytes at the start of `rest`; `length_at` and `text_at` are where the length
/// and the text are in the part.
fn text(rest: &[u8], length: u32, length_at: usize, text_at: usize) -> Result<&str, Error> {
    let Some(text) = rest.get(..length as usize) else {
        let available = rest.len();
        return Err(ErrorKind::TextPastEnd { length, available }.at(length_at));
    };
    str::from_utf8(text).map_err(|error| ErrorKind::TextNotUtf8.at(text_at + error.valid_up_to()))
}

#[cfg(test)]
mod tests {
    use super::{CompilerVersion, DebugName, FeatureFlags, ShaderHash, ShaderHashFlags};
    use crate::ErrorKind as E;

    #[test]
    fn lengths_are_fixed() {
        assert_eq!(
            FeatureFlags::parse(&[1, 0, 0, 0, 1, 0, 0, 0]),
            Ok(FeatureFlags::DOUBLES | FeatureFlags::EXTENDED_COMMAND_INFO)
        );
        for found in [0, 7, 9] {
            let kind = E::PartLength { expected: 8, found };
            assert_eq!(FeatureFlags::parse(&vec![0; found]), Err(kind.at(0)));
        }
        let mut bytes = [7; 20];
        bytes[..4].copy_from_slice(&[1, 0, 0, 0]);
        let hash = ShaderHash::parse(&bytes).unwrap();
        assert_eq!(hash.flags, ShaderHashFlags::INCLUDES_SOURCE);
        assert_eq!(hash.digest, [7; 16]);
        let (expected, found) = (20, 19);
        let kind = E::PartLength { expected, found };
        assert_eq!(ShaderHash::parse(&bytes[..19]), Err(kind.at(0)));
    }

    #[test]
    fn a_debug_name_lies_in_the_part() {
        let name = |bytes| DebugName::parse(bytes).map(|name| name.name);
        assert_eq!(name(b"\0\0\x02\0ab\0\0"), Ok("ab"));
        assert_eq!(name(b"\0\0\x02\0ab"), Ok("ab"));
        assert_eq!(name(b"\0\0\0\0"), Ok(""));
        let (length, available) = (3, 2);
        let past_end = E::TextPastEnd { length, available };
        assert_eq!(name(b"\0\0\x03\0ab"), Err(past_end.at(2)));
        assert_eq!(name(b"\0\0\x02\0a\xff"), Err(E::TextNotUtf8.at(5)));
        let (header, available) = (4, 3);
        let cut = E::PartHeaderCut { header, available };
        assert_eq!(name(b"\0\0\0"), Err(cut.at(0)));
    }

    #[test]
    fn a_compiler_version_has_two_texts() {
        let parse = |texts: &'static str, length: u8| {
            let header = [1, 0, 9, 0, 2, 0, 0, 0, 5, 0, 0, 0, length, 0, 0, 0];
            let bytes = [&header[..], texts.as_bytes()].concat();
            CompilerVersion::parse(&bytes).map(|version| {
                let texts = [version.commit, version.custom_version].map(str::to_owned);
                assert_eq!(version.version.to_string(), "1.9");
                assert_eq!(format!("{:?}", version.flags), "{INTERNAL}");
                assert_eq!(version.commit_count, 5);
                texts
            })
        };
        assert_eq!(
            parse("ab\x001.9\0\0", 7),
            Ok(["ab", "1.9"].map(str::to_owned))
        );
        assert_eq!(parse("\0\0", 2), Ok(["", ""].map(str::to_owned)));
        assert_eq!(parse("ab\x001.9\0", 6), Err(E::TextEndless.at(19)));
        assert_eq!(parse("ab", 2), Err(E::TextEndless.at(16)));
        let (length, available) = (3, 2);
        assert_eq!(
            parse("ab", 3),
            Err(E::TextPastEnd { length, available }.at(12))
        );
    }
}
