//! The program: the payload of a `DXIL` part, and what a driver is given.

use std::fmt;

use crate::bitstream::{Cursor, Entry, MAGIC as BITCODE_MAGIC};
use crate::read::word_at;
use crate::{BitstreamFault, Container, Error, ErrorKind, Foreign, FourCc};

const HEADER_LEN: usize = 24;

// Where the header's fields are.
const VERSION: usize = 0x00;
const SIZE: usize = 0x04;
const MAGIC: usize = 0x08;
pub(crate) const DXIL_VERSION: usize = 0x0c;
const BITCODE_OFFSET: usize = 0x10;
const BITCODE_SIZE: usize = 0x14;

/// The bitcode offset counts from here.
const BITCODE_BASE: usize = MAGIC;

/// The id of the block that holds a module of LLVM.
const MODULE: u32 = 8;

/// A program: a header of 24 bytes and LLVM bitcode.
///
/// It is the payload of the parts `DXIL`, `ILDB` and `STAT`, and starts with its own version and
/// size. That is enough for the DDI, where `pShaderCode` comes without a length: see
/// [`declared_len`](Self::declared_len).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Program<'a> {
    bytes: &'a [u8],
    kind: ShaderKind,
    shader_model: Version,
    dxil_version: Version,
    bitcode_offset: usize,
    bitcode: &'a [u8],
}

impl<'a> Program<'a> {
    /// How many bytes the program claims to have that starts with `header`.
    ///
    /// For shader code that comes as a pointer without a length: the caller must know that the 8
    /// bytes are readable, and takes the word of whoever wrote them for the rest.
    ///
    /// # Errors
    ///
    /// `header` names no existing shader kind, or a size that no program can have.
    pub fn declared_len(header: &[u8; 8]) -> Result<usize, Error> {
        let (_, len) = kind_and_len(word_at(header, VERSION), word_at(header, SIZE))?;
        Ok(len)
    }

    /// Reads the program at the start of `bytes`. Bytes behind its end are left alone.
    ///
    /// # Errors
    ///
    /// A field of the header is wrong, or the bitcode does not start as bitcode does; [`ErrorKind`]
    /// lists how. The inside of the bitcode is not read: see
    /// [`check_bitcode`](Self::check_bitcode).
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let magic = bytes.get(MAGIC..).and_then(<[u8]>::first_chunk).copied();
        let magic = magic.map(FourCc);
        if magic != Some(FourCc::DXIL)
            && let Some(what) = Foreign::sniff(bytes)
        {
            return Err(ErrorKind::Foreign { what }.at(0));
        }
        let Some(header) = bytes.first_chunk::<HEADER_LEN>() else {
            return Err(ErrorKind::ProgramHeaderCut {
                available: bytes.len(),
            }
            .at(0));
        };
        if let Some(found) = magic.filter(|&magic| magic != FourCc::DXIL) {
            return Err(ErrorKind::NotAProgram { found }.at(MAGIC));
        }
        let [version, words] = [VERSION, SIZE].map(|at| word_at(header, at));
        let (kind, len) = kind_and_len(version, words)?;
        let Some(program) = bytes.get(..len) else {
            return Err(ErrorKind::ProgramCut {
                words,
                available: bytes.len(),
            }
            .at(SIZE));
        };
        let dxil = word_at(header, DXIL_VERSION);
        let [offset, size] = [BITCODE_OFFSET, BITCODE_SIZE].map(|at| word_at(header, at));
        Ok(Self {
            bytes: program,
            kind,
            shader_model: Version {
                major: (version & 0xffff) >> 4,
                minor: version & 0xf,
            },
            dxil_version: Version {
                major: dxil >> 8,
                minor: dxil & 0xff,
            },
            bitcode: bitcode(program, offset, size)?,
            bitcode_offset: BITCODE_BASE + offset as usize,
        })
    }

    /// The program's own bytes, as many as its header says.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The kind of shader.
    pub fn kind(&self) -> ShaderKind {
        self.kind
    }

    /// The shader model, such as 6.6.
    pub fn shader_model(&self) -> Version {
        self.shader_model
    }

    /// The version of DXIL: 1.0 for shader model 6.0, 1.1 for 6.1 and so on.
    pub fn dxil_version(&self) -> Version {
        self.dxil_version
    }

    /// The size in 32-bit words, header included.
    pub fn size_in_words(&self) -> usize {
        self.bytes.len() / 4
    }

    /// The LLVM bitcode. Starts with `BC` 0xC0 0xDE and is a multiple of 4 bytes long.
    pub fn bitcode(&self) -> &'a [u8] {
        self.bitcode
    }

    /// Where the bitcode starts, in bytes from the start of the program.
    pub fn bitcode_offset(&self) -> usize {
        self.bitcode_offset
    }

    /// Reads the bitcode to its end: every block is as long as it says, every record has a known
    /// abbreviation, nothing is left over, and there is a module. What the records say is not
    /// read. Takes time linear in the length of the bitcode.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Bitstream`]. Its `bit` counts from the start of the bitcode, the offset of the
    /// error in bytes from the start of the program.
    pub fn check_bitcode(&self) -> Result<(), Error> {
        check_module(self.bitcode).map_err(|error| Error {
            offset: self.bitcode_offset + error.offset,
            ..error
        })
    }
}

impl fmt::Debug for Program<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("kind", &self.kind)
            .field("shader_model", &self.shader_model)
            .field("dxil_version", &self.dxil_version)
            .field("len", &self.bytes.len())
            .field("bitcode", &self.bitcode.len())
            .finish()
    }
}

/// What the first two words say: shader kind and length in bytes.
fn kind_and_len(version: u32, words: u32) -> Result<(ShaderKind, usize), Error> {
    let number = version >> 16;
    let Some(&kind) = ShaderKind::ALL.get(number as usize) else {
        return Err(ErrorKind::ProgramKind { kind: number }.at(VERSION));
    };
    if (words as usize) < HEADER_LEN / 4 {
        return Err(ErrorKind::ProgramSizeBelowHeader { words }.at(SIZE));
    }
    if words > Container::MAX_LEN / 4 {
        return Err(ErrorKind::ProgramSizeAboveLimit { words }.at(SIZE));
    }
    Ok((kind, words as usize * 4))
}

/// The bitcode inside `program`, which is at least as long as its header.
fn bitcode(program: &[u8], offset: u32, size: u32) -> Result<&[u8], Error> {
    if (offset as usize) < HEADER_LEN - BITCODE_BASE {
        return Err(ErrorKind::BitcodeInHeader { offset }.at(BITCODE_OFFSET));
    }
    let Some(rest) = program[BITCODE_BASE..].get(offset as usize..) else {
        let kind = ErrorKind::BitcodeOffsetPastEnd {
            offset,
            program: program.len(),
        };
        return Err(kind.at(BITCODE_OFFSET));
    };
    let Some(bitcode) = rest.get(..size as usize) else {
        return Err(ErrorKind::BitcodePastEnd {
            size,
            available: rest.len(),
        }
        .at(BITCODE_SIZE));
    };
    if !size.is_multiple_of(4) {
        return Err(ErrorKind::BitcodeSizeOdd { size }.at(BITCODE_SIZE));
    }
    if !bitcode.starts_with(BITCODE_MAGIC) {
        return Err(ErrorKind::NotBitcode.at(BITCODE_BASE + offset as usize));
    }
    Ok(bitcode)
}

/// The bitcode is sound and has a module on its outermost level.
fn check_module(bitcode: &[u8]) -> Result<(), Error> {
    let mut depth = 0_u32;
    let mut found = false;
    for entry in Cursor::new(bitcode)? {
        match entry? {
            Entry::SubBlock { id } => {
                found |= depth == 0 && id == MODULE;
                depth += 1;
            }
            Entry::EndBlock => depth -= 1,
            Entry::Record(_) => {}
        }
    }
    if found {
        Ok(())
    } else {
        Err(BitstreamFault::NoModule.at(0))
    }
}

/// A version, such as a shader model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The number before the point.
    pub major: u32,
    /// The number behind the point.
    pub minor: u32,
}

/// `major.minor`.
impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What a program is, in the numbering of the program version (`DXIL::ShaderKind` of
/// DirectXShaderCompiler).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ShaderKind {
    /// 0, profile `ps`.
    Pixel,
    /// 1, profile `vs`.
    Vertex,
    /// 2, profile `gs`.
    Geometry,
    /// 3, profile `hs`.
    Hull,
    /// 4, profile `ds`.
    Domain,
    /// 5, profile `cs`.
    Compute,
    /// 6, profile `lib`; several functions, each with a kind of its own.
    Library,
    /// 7, in libraries.
    RayGeneration,
    /// 8, in libraries.
    Intersection,
    /// 9, in libraries.
    AnyHit,
    /// 10, in libraries.
    ClosestHit,
    /// 11, in libraries.
    Miss,
    /// 12, in libraries.
    Callable,
    /// 13, profile `ms`.
    Mesh,
    /// 14, profile `as`.
    Amplification,
    /// 15, in libraries.
    Node,
}

impl ShaderKind {
    /// All kinds; the place is the number.
    pub const ALL: [Self; 16] = [
        Self::Pixel,
        Self::Vertex,
        Self::Geometry,
        Self::Hull,
        Self::Domain,
        Self::Compute,
        Self::Library,
        Self::RayGeneration,
        Self::Intersection,
        Self::AnyHit,
        Self::ClosestHit,
        Self::Miss,
        Self::Callable,
        Self::Mesh,
        Self::Amplification,
        Self::Node,
    ];
}

/// The name in lower case, such as `closesthit`: that is how HLSL spells it in
/// `[shader("closesthit")]`.
impl fmt::Display for ShaderKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{self:?}").to_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::{Program, ShaderKind, Version, check_module};
    use crate::{BitstreamFault, ErrorKind, FourCc};

    /// cs_6_6 with two words of bitcode.
    const WORDS: [u32; 8] = [0x0005_0066, 8, 0x4c49_5844, 0x0106, 16, 8, 0xdec0_4342, 0];

    fn program(change: impl Fn(&mut [u32; 8])) -> Vec<u8> {
        let mut words = WORDS;
        change(&mut words);
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn fields() {
        let mut bytes = program(|_| ());
        bytes.extend([0xaa; 5]);
        let program = Program::parse(&bytes).unwrap();
        assert_eq!(program.kind(), ShaderKind::Compute);
        assert_eq!(program.shader_model(), Version { major: 6, minor: 6 });
        assert_eq!(program.dxil_version(), Version { major: 1, minor: 6 });
        assert_eq!(program.size_in_words(), 8);
        assert_eq!(program.bytes(), &bytes[..32]);
        assert_eq!(program.bitcode(), &bytes[24..32]);
        assert_eq!(program.bitcode_offset(), 24);
    }

    #[test]
    fn bitcode_may_start_later() {
        let bytes =
            program(|words| (words[4], words[5], words[6], words[7]) = (20, 4, 0, 0xdec0_4342));
        assert_eq!(Program::parse(&bytes).unwrap().bitcode(), &bytes[28..]);
    }

    /// One field wrong at a time, at the edge of what is allowed.
    #[test]
    fn each_field_is_checked() {
        use ErrorKind as E;
        let cases: [(usize, u32, E, usize); 14] = [
            (0, 0x0010_0066, E::ProgramKind { kind: 16 }, 0x00),
            (1, 0, E::ProgramSizeBelowHeader { words: 0 }, 0x04),
            (1, 5, E::ProgramSizeBelowHeader { words: 5 }, 0x04),
            (
                1,
                9,
                E::ProgramCut {
                    words: 9,
                    available: 32,
                },
                0x04,
            ),
            (
                1,
                0x2000_0000,
                E::ProgramCut {
                    words: 0x2000_0000,
                    available: 32,
                },
                0x04,
            ),
            (
                1,
                0x2000_0001,
                E::ProgramSizeAboveLimit { words: 0x2000_0001 },
                0x04,
            ),
            (
                1,
                7,
                E::BitcodePastEnd {
                    size: 8,
                    available: 4,
                },
                0x14,
            ),
            (
                2,
                u32::from_le_bytes(*b"DXBC"),
                E::NotAProgram {
                    found: FourCc::DXBC,
                },
                0x08,
            ),
            (4, 15, E::BitcodeInHeader { offset: 15 }, 0x10),
            (
                4,
                25,
                E::BitcodeOffsetPastEnd {
                    offset: 25,
                    program: 32,
                },
                0x10,
            ),
            (
                4,
                24,
                E::BitcodePastEnd {
                    size: 8,
                    available: 0,
                },
                0x14,
            ),
            (
                5,
                12,
                E::BitcodePastEnd {
                    size: 12,
                    available: 8,
                },
                0x14,
            ),
            (5, 7, E::BitcodeSizeOdd { size: 7 }, 0x14),
            (5, 0, E::NotBitcode, 0x18),
        ];
        for (word, value, kind, offset) in cases {
            let bytes = program(|words| words[word] = value);
            assert_eq!(
                Program::parse(&bytes),
                Err(kind.at(offset)),
                "word {word} = {value:#x}"
            );
        }
    }

    #[test]
    fn bitcode_needs_a_module_on_its_outermost_level() {
        // Blocks with abbreviation ids of 2 bits, empty or with one block inside.
        let empty = |id: u32| [1 | id << 2 | 2 << 10, 1, 0];
        let around = |id: u32, inner: [u32; 3]| {
            let [start, _, end] = empty(id);
            [&[start, 4], &inner[..], &[end]].concat()
        };
        let check = |blocks: &[u32]| {
            let words = [&[0xdec0_4342], blocks].concat();
            let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
            check_module(&bytes)
        };
        let none = Err(BitstreamFault::NoModule.at(0));
        assert_eq!(check(&[]), none);
        assert_eq!(check(&empty(9)), none);
        assert_eq!(check(&around(9, empty(8))), none);
        assert_eq!(check(&empty(8)), Ok(()));
        assert_eq!(
            check(&[around(9, empty(8)), empty(8).to_vec()].concat()),
            Ok(())
        );
    }

    /// Locations count from the program, not from the bitcode.
    #[test]
    fn errors_in_bitcode_say_where() {
        let bytes = program(|_| ());
        let error = Program::parse(&bytes).unwrap().check_bitcode().unwrap_err();
        let fault = BitstreamFault::OutsideOfBlocks { id: 0 };
        let kind = ErrorKind::Bitstream { bit: 32, fault };
        assert_eq!(error, kind.at(28));
        assert_eq!(
            error.to_string(),
            "byte 0x1c: bitcode, bit 32: abbreviation id 0 outside of all blocks, where only 1, \
             the start of a block, can be"
        );
    }

    #[test]
    fn declared_len_is_in_bytes() {
        let header = |version: u32, words: u32| {
            let mut bytes = [0; 8];
            bytes[..4].copy_from_slice(&version.to_le_bytes());
            bytes[4..].copy_from_slice(&words.to_le_bytes());
            Program::declared_len(&bytes)
        };
        assert_eq!(header(0x0005_0066, 8), Ok(32));
        assert_eq!(header(0x000f_0068, 0x2000_0000), Ok(0x8000_0000));
        for (version, words) in [
            (0x0010_0060, 8),
            (0x0005_0060, 5),
            (0x0005_0060, 0x2000_0001),
        ] {
            header(version, words).unwrap_err();
        }
    }
}
