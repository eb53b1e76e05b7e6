//! What is wrong with the bytes, and where.

use crate::{FourCc, StoredHash};
use std::fmt;

/// Why bytes were refused, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The part that is at fault; `None` for the container's header and part table, and in a bare
    /// program.
    pub part: Option<FourCc>,
    /// The field at fault: its offset in bytes from the start of the container, or of the bare
    /// program.
    pub offset: usize,
}

impl Error {
    /// The same error, when what was read is the inside of a part whose payload starts at
    /// `payload`.
    pub(crate) fn in_part(self, part: FourCc, payload: usize) -> Self {
        Self {
            part: Some(part),
            offset: payload + self.offset,
            ..self
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(part) = self.part {
            write!(f, "part {part}, ")?;
        }
        write!(f, "byte {:#x}: {}", self.offset, self.kind)
    }
}

impl std::error::Error for Error {}

/// What is wrong. Numbers are the values that were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ends inside the container header.
    #[error("the input ends after {available} bytes, inside the 32-byte container header")]
    HeaderCut {
        /// Length of the input.
        available: usize,
    },
    /// The first word is not `DXBC`.
    #[error(
        "a container starts with DXBC, this with {found}; read a bare program with Program::parse"
    )]
    NotAContainer {
        /// The first word.
        found: FourCc,
    },
    /// The container version is not 1.x.
    #[error("container version {major}.{minor} is unknown, only 1.x is defined")]
    ContainerVersion {
        /// Major version.
        major: u16,
        /// Minor version.
        minor: u16,
    },
    /// The container size is smaller than the container header.
    #[error("container size {size} is smaller than the 32-byte container header")]
    ContainerSizeBelowHeader {
        /// The size field.
        size: u32,
    },
    /// The container size is above [`Container::MAX_LEN`](crate::Container::MAX_LEN).
    #[error("container size {size} is above the format's limit of 0x80000000 bytes")]
    ContainerSizeAboveLimit {
        /// The size field.
        size: u32,
    },
    /// The container size is larger than the input.
    #[error(
        "container size {size}, but the input ends after {available} bytes: it is cut off, or the size field wrong"
    )]
    ContainerCut {
        /// The size field.
        size: u32,
        /// Length of the input.
        available: usize,
    },
    /// The part count is 0.
    #[error("the container has no parts")]
    NoParts,
    /// The part table does not fit into the container.
    #[error("a table of {count} parts does not fit into a container of {container} bytes")]
    TablePastEnd {
        /// The part count.
        count: u32,
        /// The container size.
        container: usize,
    },
    /// A part starts inside the container header or the part table.
    #[error(
        "part {index} starts at byte {start:#x}, inside the header and part table, which end at {table_end:#x}"
    )]
    PartInTable {
        /// Place in the part table, from 0.
        index: usize,
        /// The part's offset.
        start: u32,
        /// Where the part table ends.
        table_end: usize,
    },
    /// A part's header does not fit into the container.
    #[error(
        "part {index} starts at byte {start:#x}, which leaves no room for its header in {container} bytes"
    )]
    PartHeaderPastEnd {
        /// Place in the part table, from 0.
        index: usize,
        /// The part's offset.
        start: u32,
        /// The container size.
        container: usize,
    },
    /// What should be a part's name is not printable ASCII.
    #[error(
        "part {index} is named {found}, which is no name: the part table does not point at a part here"
    )]
    PartName {
        /// Place in the part table, from 0.
        index: usize,
        /// What stands there.
        found: FourCc,
    },
    /// A part's payload does not fit into the container.
    #[error(
        "part {index} claims a payload of {size} bytes, the container has {available} from there on"
    )]
    PartPastEnd {
        /// Place in the part table, from 0.
        index: usize,
        /// The part's size field.
        size: u32,
        /// Bytes between the part's header and the end of the container.
        available: usize,
    },
    /// Two parts share bytes.
    #[error("overlaps with part {other}, which lies at {other_start:#x}..{other_end:#x}")]
    PartOverlap {
        /// The part that starts first.
        other: FourCc,
        /// Where its header starts.
        other_start: usize,
        /// Where its payload ends.
        other_end: usize,
    },
    /// Two parts have the same name.
    #[error("a part of this name is already at {first:#x}, and only one of each is allowed")]
    DuplicatePart {
        /// Where the header of the first one starts.
        first: usize,
    },
    /// There is no program to read: the container has no `DXIL` part.
    #[error("the container has no DXIL part: no shader, or one that was stripped")]
    NoDxilPart,
    /// The program is of shader model 4 or 5.
    #[error("a program of shader model 4 or 5; only DXIL is read, compile for shader model 6")]
    NotDxil,
    /// The hash field holds one of the reserved values, so there is nothing to verify.
    #[error("the hash field says {stored:?}: there is no hash to verify")]
    NoHash {
        /// What the hash field says.
        stored: StoredHash,
    },
    /// The stored hash is not that of the container.
    #[error(
        "stored hash {:032x}, computed hash {:032x}: the container was changed, sign it anew",
        u128::from_be_bytes(*stored), u128::from_be_bytes(*computed)
    )]
    HashMismatch {
        /// The hash field.
        stored: [u8; 16],
        /// The hash of the container as it is.
        computed: [u8; 16],
    },
    /// The program ends inside its header.
    #[error("the program ends after {available} bytes, inside its 24-byte header")]
    ProgramHeaderCut {
        /// Length of the program.
        available: usize,
    },
    /// The program header lacks the word `DXIL`.
    #[error("the program header has {found} where DXIL belongs")]
    NotAProgram {
        /// What stands there.
        found: FourCc,
    },
    /// The program kind is not a [`ShaderKind`](crate::ShaderKind).
    #[error("program kind {kind:#x} does not exist, kinds are 0 to 15")]
    ProgramKind {
        /// The high half of the program version.
        kind: u32,
    },
    /// The program size is smaller than the program header.
    #[error("program size {words} words is smaller than the 6 words of its header")]
    ProgramSizeBelowHeader {
        /// The size field.
        words: u32,
    },
    /// The program size is larger than a container, and so any of its parts, can be.
    #[error("program size {words} words is above the format's limit of 0x80000000 bytes")]
    ProgramSizeAboveLimit {
        /// The size field.
        words: u32,
    },
    /// The program size is larger than the part, or the input.
    #[error("program size {words} words, but there are {available} bytes")]
    ProgramCut {
        /// The size field.
        words: u32,
        /// Length of the part or input.
        available: usize,
    },
    /// The bitcode starts inside the program header.
    #[error("bitcode offset {offset} points into the program header, 16 is the least")]
    BitcodeInHeader {
        /// The offset field, which counts from byte 8 of the program.
        offset: u32,
    },
    /// The bitcode starts behind the end of the program.
    #[error("bitcode offset {offset} points past the program's {program} bytes")]
    BitcodeOffsetPastEnd {
        /// The offset field, which counts from byte 8 of the program.
        offset: u32,
        /// Length of the program.
        program: usize,
    },
    /// The bitcode does not fit into the program.
    #[error(
        "bitcode size {size}, but the program has {available} bytes from the bitcode's start on"
    )]
    BitcodePastEnd {
        /// The size field.
        size: u32,
        /// Bytes between the start of the bitcode and the end of the program.
        available: usize,
    },
    /// The bitcode is not made of whole words.
    #[error("bitcode size {size} is not a multiple of 4")]
    BitcodeSizeOdd {
        /// The size field.
        size: u32,
    },
    /// The bitcode does not start with `BC` 0xC0 0xDE.
    #[error(
        r"the bitcode does not start with BC\xc0\xde: it is empty, damaged or not LLVM bitcode"
    )]
    NotBitcode,
}

impl ErrorKind {
    /// The error of this kind whose field is at byte `offset`, outside of parts or not known to be
    /// inside one.
    pub(crate) fn at(self, offset: usize) -> Error {
        Error {
            kind: self,
            part: None,
            offset,
        }
    }
}
