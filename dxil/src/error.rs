//! What is wrong with the bytes, and where.

use std::fmt;

use crate::{Foreign, FourCc, ResourceClass, ShaderKind, StoredHash, Version, psv0, rdat};

/// Why bytes were refused, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The part that is at fault; `None` for the container's header and part table, and for what was
    /// not read by way of a container.
    pub part: Option<FourCc>,
    /// The field at fault: its offset in bytes from the start of the container, or of what was read
    /// without one, such as a bare program.
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
    /// The input is a file of another kind, which is known by its first bytes.
    #[error("{what}")]
    Foreign {
        /// What it is.
        what: Foreign,
    },
    /// The first word is not `DXBC`, nor what files of known kinds start with.
    #[error("a shader container starts with DXBC, this with {found}")]
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
    /// A container to be written would be larger than
    /// [`Container::MAX_LEN`](crate::Container::MAX_LEN).
    #[error("the container would have {len} bytes, the format's limit is 0x80000000")]
    ContainerTooLong {
        /// The size that it would have.
        len: u64,
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
    /// The program header lacks the word `DXIL`, and the input is not a file of a known kind.
    #[error("this is neither a container nor a program: a program has DXIL here, this has {found}")]
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
    /// The bitstream in the bitcode is damaged.
    #[error("bitcode, bit {bit}: {fault}")]
    Bitstream {
        /// Where, in bits from the start of the bitcode.
        bit: u64,
        /// What is wrong.
        fault: BitstreamFault,
    },
    /// Metadata of the module is not as DXIL has it.
    #[error("metadata {node}: {expected} is missing or something else")]
    Metadata {
        /// Which, counted from 0 in the order of the module.
        node: u32,
        /// What should be there.
        expected: &'static str,
    },
    /// Nodes of metadata are used so often that what they say is much longer than the bitcode.
    #[error("the metadata says more than {limit} bytes: its nodes are used too often")]
    MetadataTooLong {
        /// How many it may say: 32 times the length of the bitcode.
        limit: usize,
    },
    /// A part was asked for as a signature that is none of `ISG1`, `OSG1` and `PSG1`.
    #[error("not a signature of shader model 6: those are ISG1, OSG1 and PSG1")]
    NotASignature,
    /// A signature ends inside its header.
    #[error("the signature ends after {available} bytes, inside its 8-byte header")]
    SignatureCut {
        /// Length of the signature.
        available: usize,
    },
    /// The elements of a signature do not fit into it.
    #[error(
        "{count} elements of 32 bytes at offset {offset:#x} do not fit into the signature's {signature} bytes"
    )]
    SignatureElementsPastEnd {
        /// The element count.
        count: u32,
        /// Where the elements start, in bytes from the start of the signature.
        offset: u32,
        /// Length of the signature.
        signature: usize,
    },
    /// The name of an element lies outside of the signature.
    #[error(
        "the name of element {index} is at offset {offset:#x}, past the signature's {signature} bytes"
    )]
    SignatureNamePastEnd {
        /// Place among the elements, from 0.
        index: usize,
        /// Where the name starts, in bytes from the start of the signature.
        offset: u32,
        /// Length of the signature.
        signature: usize,
    },
    /// The name of an element is cut off by the end of the signature.
    #[error("the name of element {index}, at offset {offset:#x}, has no end in the signature")]
    SignatureNameEndless {
        /// Place among the elements, from 0.
        index: usize,
        /// Where the name starts, in bytes from the start of the signature.
        offset: u32,
    },
    /// A root signature ends inside its header.
    #[error("the root signature ends after {available} bytes, inside its 24-byte header")]
    RootSignatureCut {
        /// Length of the root signature.
        available: usize,
    },
    /// The version of a root signature is not 1.0, 1.1 or 1.2.
    #[error("root signature version {version} is unknown; 1 is 1.0, 2 is 1.1 and 3 is 1.2")]
    RootSignatureVersion {
        /// The version field.
        version: u32,
    },
    /// The parameters of a root signature do not fit into it.
    #[error(
        "{count} root parameters of 12 bytes at offset {offset:#x} do not fit into the root signature's {root_signature} bytes"
    )]
    RootParametersPastEnd {
        /// The parameter count.
        count: u32,
        /// Where the parameters start, in bytes from the start of the root signature.
        offset: u32,
        /// Length of the root signature.
        root_signature: usize,
    },
    /// A root parameter is of an unknown type, so that it cannot be read.
    #[error("root parameter {index} is of type {found}, types are 0 to 4")]
    RootParameterType {
        /// The root parameter index.
        index: usize,
        /// The type field.
        found: u32,
    },
    /// What a root parameter consists of does not fit into the root signature.
    #[error(
        "the content of root parameter {index}, at offset {offset:#x}, does not fit into the root signature's {root_signature} bytes"
    )]
    RootParameterPastEnd {
        /// The root parameter index.
        index: usize,
        /// Where the content starts, in bytes from the start of the root signature.
        offset: u32,
        /// Length of the root signature.
        root_signature: usize,
    },
    /// The ranges of a descriptor table do not fit into the root signature.
    #[error(
        "{count} ranges at offset {offset:#x}, of the descriptor table in root parameter {index}, do not fit into the root signature's {root_signature} bytes"
    )]
    DescriptorRangesPastEnd {
        /// The root parameter index.
        index: usize,
        /// The range count.
        count: u32,
        /// Where the ranges start, in bytes from the start of the root signature.
        offset: u32,
        /// Length of the root signature.
        root_signature: usize,
    },
    /// The static samplers of a root signature do not fit into it.
    #[error(
        "{count} static samplers at offset {offset:#x} do not fit into the root signature's {root_signature} bytes"
    )]
    StaticSamplersPastEnd {
        /// The static sampler count.
        count: u32,
        /// Where the static samplers start, in bytes from the start of the root signature.
        offset: u32,
        /// Length of the root signature.
        root_signature: usize,
    },
    /// A root signature has too many descriptor ranges to copy: tables may share theirs, so that a
    /// short one can have any number.
    #[error("more than {limit} descriptor ranges")]
    DescriptorRangesTooMany {
        /// How many are copied at most.
        limit: usize,
    },
    /// A part of fixed length has another.
    #[error("the part has {found} bytes, {expected} belong there")]
    PartLength {
        /// The length that it must have.
        expected: usize,
        /// The length that it has.
        found: usize,
    },
    /// A part ends inside its header.
    #[error("the part ends after {available} bytes, inside its {header}-byte header")]
    PartHeaderCut {
        /// Length of the header.
        header: usize,
        /// Length of the part.
        available: usize,
    },
    /// Text in a part is longer than the part.
    #[error("{length} bytes of text, but the part has {available} from there on")]
    TextPastEnd {
        /// The length field.
        length: u32,
        /// Bytes to the end of the part.
        available: usize,
    },
    /// Text in a part has no end.
    #[error("the text has no NUL at its end")]
    TextEndless,
    /// Text in a part is not UTF-8.
    #[error("the text is not UTF-8")]
    TextNotUtf8,
    /// The input is no PDB.
    #[error("a PDB starts with `Microsoft C/C++ MSF 7.00` and a header of 56 bytes")]
    NotAPdb,
    /// The blocks of a PDB have no bytes.
    #[error("the blocks of the PDB have 0 bytes")]
    PdbBlockSize,
    /// The directory of a PDB, or what it says, does not fit into the PDB.
    #[error("the directory of the PDB is not inside of it, or damaged")]
    PdbDirectory,
    /// A block is not inside the PDB.
    #[error("the PDB has no block {block}")]
    PdbBlock {
        /// Number of the block.
        block: u32,
    },
    /// A PDB has no stream 5, where the container is.
    #[error(
        "the PDB has {streams} streams, the container would be in the sixth: it is of no shader"
    )]
    PdbNoContainer {
        /// How many streams it has.
        streams: usize,
    },
    /// Runtime data (`RDAT`) is wrong.
    #[error("{0}")]
    RuntimeData(rdat::Fault),
    /// Pipeline state validation data (`PSV0`) is wrong.
    #[error("{0}")]
    PipelineStateValidation(psv0::Fault),
    /// A part says that the program is of another kind than the program itself.
    #[error("the program is of kind {program}, part {part} describes one of kind {described}")]
    ProgramKindMismatch {
        /// The kind in the header of the program in the `DXIL` part.
        program: ShaderKind,
        /// The other part.
        part: FourCc,
        /// The kind that this one says or implies.
        described: ShaderKind,
    },
    /// The header of a program names another version than the module in its bitcode.
    #[error("the program header says {what} {header}, the module {module}")]
    ProgramVersionMismatch {
        /// Which version.
        what: &'static str,
        /// That of the header.
        header: Version,
        /// That of the module.
        module: Version,
    },
    /// The module in the bitcode is of another kind than the header of the program says.
    #[error("the program header says {header}, the module is for another kind of shader")]
    ProfileMismatch {
        /// The kind in the header.
        header: ShaderKind,
    },
    /// A program that is not a library has no entry point, or several.
    #[error("the program has {count} entry points, 1 belongs there")]
    EntryPointCount {
        /// How many it has.
        count: usize,
    },
    /// The container lacks a part that a program of its kind must have.
    #[error("there is no part {part}, which a program of kind {program} must have")]
    MissingPart {
        /// The name of the part.
        part: FourCc,
        /// The kind of the program.
        program: ShaderKind,
    },
    /// The container has a part that a program of its kind cannot have, or that nobody knows.
    #[error("a container with a program of kind {program} has no such part")]
    SurplusPart {
        /// The kind of the program.
        program: ShaderKind,
    },
    /// A part does not start where the part before it in the table ends.
    #[error(
        "the part starts at byte {start:#x}, the one before it in the part table ends at {end:#x}"
    )]
    PartNotAdjacent {
        /// Where the part starts.
        start: usize,
        /// Where the part before it ends; for the first part, the part table.
        end: usize,
    },
    /// The container does not end where its last part does.
    #[error("the last part ends at byte {end:#x}, the container at {container:#x}")]
    ContainerPastParts {
        /// Where the last part ends.
        end: usize,
        /// The container size.
        container: usize,
    },
    /// A number in a part is not what the program makes it.
    #[error("{record}: {field} is {}, by the program it is {}", Shown(*found), Shown(*expected))]
    Disagreement {
        /// The record in the part.
        record: PartRecord,
        /// The field of the record.
        field: &'static str,
        /// The number in the part.
        found: u64,
        /// The number that the program makes it.
        expected: u64,
    },
    /// A text or list in a part is not that of the program.
    #[error("{record}: the program has another {field}")]
    OtherDisagreement {
        /// The record in the part.
        record: PartRecord,
        /// The field of the record.
        field: &'static str,
    },
    /// A part has bytes that nothing refers to, or that are not zero where it is only padded.
    #[error("{what} that no record uses")]
    Unused {
        /// What they are.
        what: &'static str,
    },
    /// The root signature does not bind a resource of the program.
    #[error("the root signature does not bind {class:?} {id} of the program: {why}")]
    NotBound {
        /// How the resource is bound.
        class: ResourceClass,
        /// Its number in its class.
        id: u32,
        /// What is wrong.
        why: &'static str,
    },
}

/// A record of a part, in an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartRecord {
    /// What it is.
    pub name: &'static str,
    /// Its place among its kind, from 0; `None` where there is only one.
    pub index: Option<usize>,
}

/// The name, and the place.
impl fmt::Display for PartRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        match self.index {
            Some(index) => write!(f, " {index}"),
            None => Ok(()),
        }
    }
}

/// A number of a format: large ones are flags, masks or all ones.
struct Shown(u64);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 0x1_0000 {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:#x}", self.0)
        }
    }
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

/// What is wrong with a bitstream. Numbers are the values that were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BitstreamFault {
    /// Something reaches beyond the end of the block that it is in, or of the bitcode.
    #[error("cut off by the end of the block or bitcode at bit {end}")]
    PastEnd {
        /// Where the block, or the bitcode, ends.
        end: u64,
    },
    /// Something other than a block stands outside of all blocks.
    #[error(
        "abbreviation id {id} outside of all blocks, where only 1, the start of a block, can be"
    )]
    OutsideOfBlocks {
        /// The abbreviation id.
        id: u64,
    },
    /// Blocks are nested too deep.
    #[error("blocks are nested more than {limit} deep")]
    TooDeep {
        /// How deep they may be.
        limit: usize,
    },
    /// The length of a block reaches beyond the end of the block around it, or of the bitcode.
    #[error("block {id} claims {words} words, but there are {available}")]
    BlockPastEnd {
        /// The block id.
        id: u32,
        /// The length field.
        words: u64,
        /// Words to the end of the block around it, or of the bitcode.
        available: u64,
    },
    /// A block ends before its length says so.
    #[error("block {id} ends here, but by its length it ends at bit {end}")]
    BlockLength {
        /// The block id.
        id: u32,
        /// Where it should end.
        end: u64,
    },
    /// A field or the abbreviation ids of a block have an impossible width.
    #[error("a width of {width} bits, possible are 1 to 32")]
    Width {
        /// The width.
        width: u64,
    },
    /// A number has too many bits.
    #[error("a number that does not fit into {bits} bits")]
    TooLarge {
        /// How many bits it may have.
        bits: u32,
    },
    /// An abbreviation id was not defined.
    #[error("abbreviation id {id}, but only {known} abbreviations are defined here, from id 4 on")]
    UnknownAbbreviation {
        /// The abbreviation id.
        id: u64,
        /// How many abbreviations the block has.
        known: usize,
    },
    /// An abbreviation has too many operands.
    #[error("an abbreviation of {count} operands, {limit} are allowed")]
    AbbreviationTooLong {
        /// How many it has.
        count: u64,
        /// How many it may have.
        limit: u64,
    },
    /// An abbreviation uses an encoding that does not exist.
    #[error("encoding {encoding} in an abbreviation, encodings are 1 to 5")]
    UnknownEncoding {
        /// The encoding.
        encoding: u64,
    },
    /// The operands of an abbreviation do not make up a record.
    #[error(
        "an abbreviation must start with a code, and an array of one coded element or a blob can only come last"
    )]
    AbbreviationShape,
    /// A BLOCKINFO block defines an abbreviation without having said for which block.
    #[error("an abbreviation in BLOCKINFO, but no SETBID before it")]
    NoSetBid,
    /// A SETBID record does not name a block.
    #[error("a SETBID without a block id")]
    SetBid,
    /// There is no MODULE block.
    #[error("no MODULE block")]
    NoModule,
    /// There is another MODULE block.
    #[error("a second MODULE block")]
    SecondModule,
    /// The records have more operands than there is room for with the encodings that compilers use.
    #[error("more than {limit} records and operands, which no compiler writes in so few bits")]
    TooDense {
        /// How many there may be: 2 for each byte.
        limit: usize,
    },
    /// There is a function body and no function for it.
    #[error("a function body, but the functions that are declared to have one had theirs")]
    BodyWithoutFunction,
}

impl BitstreamFault {
    /// The error of this fault at a bit of the bitcode.
    pub(crate) fn at(self, bit: u64) -> Error {
        let offset = usize::try_from(bit / 8).unwrap_or(usize::MAX);
        ErrorKind::Bitstream { bit, fault: self }.at(offset)
    }
}
