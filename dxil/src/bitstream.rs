//! The bitstream that LLVM keeps bitcode in: blocks, records and abbreviations.
//!
//! [`Cursor`] reads one from its start to its end. It knows nothing of what the records mean. DXIL
//! is bitcode of LLVM 3.7; the format of the bitstream is described in LLVM's
//! `docs/BitCodeFormat.rst`.
//!
//! Every [`Operand`] says where it stands and how it is encoded, so that its value can be
//! overwritten in place. Bits count from the start of the bitcode, magic included, and in each byte
//! from the low end.
//!
//! Any input is safe to read. Time and memory are linear in the length of the bitstream; only
//! abbreviations are kept, records are read where they are.
//!
//! ```
//! use dxil::bitstream::{Cursor, Encoding, Entry};
//!
//! /// The block of LLVM that holds constants, and the record in it for one integer.
//! const CONSTANTS_BLOCK: u32 = 11;
//! const INTEGER: u32 = 4;
//!
//! let shader = include_bytes!("../corpus/dxil/raw_copy_cs.dxil");
//! let program = dxil::Container::parse(shader)?.program()?;
//! let mut blocks = Vec::new();
//! let mut integers = 0;
//! for entry in Cursor::new(program.bitcode())? {
//!     match entry? {
//!         Entry::SubBlock { id } => blocks.push(id),
//!         Entry::EndBlock => _ = blocks.pop(),
//!         Entry::Record(record) => {
//!             if blocks.last() == Some(&CONSTANTS_BLOCK) && record.code() == INTEGER {
//!                 let operand = record.operands().next().unwrap();
//!                 assert_eq!(operand.encoding, Encoding::Vbr(8));
//!                 integers += 1;
//!             }
//!         }
//!     }
//! }
//! assert_eq!(integers, 16);
//! # Ok::<(), dxil::Error>(())
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use crate::{BitstreamFault, Error, ErrorKind};

/// What a bitstream of LLVM bitcode starts with.
pub(crate) const MAGIC: &[u8; 4] = b"BC\xc0\xde";

/// The block that defines abbreviations for all blocks of an id, and the record in it that says of
/// which.
const BLOCKINFO: u32 = 0;
const SETBID: u32 = 1;

// The abbreviation ids that are no abbreviations.
const END_BLOCK: u64 = 0;
const ENTER_SUBBLOCK: u64 = 1;
const DEFINE_ABBREV: u64 = 2;
const UNABBREV_RECORD: u64 = 3;

/// The width of abbreviation ids outside of all blocks.
const OUTER_ID_WIDTH: u32 = 2;

/// The widest field that every build of LLVM can read.
const MAX_WIDTH: u32 = 32;

/// How deep blocks may nest. Those of DXC nest 3 deep.
const MAX_DEPTH: usize = 32;

/// How many operands an abbreviation may have. Those of DXC have 7 at most. Without a limit, a few
/// bits could stand for any number of operands that are literals.
const MAX_OPERANDS: u64 = 64;

const CHAR6: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";

/// Walks through a bitstream: an iterator over its entries.
///
/// It applies the definitions of abbreviations itself. The first error is the last entry.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    bits: Bits<'a>,
    /// The open blocks, the innermost last.
    blocks: Vec<Block>,
    /// What BLOCKINFO blocks define, by block id.
    registered: BTreeMap<u32, Vec<Rc<Abbreviation>>>,
}

/// What a cursor comes upon.
#[derive(Debug, Clone)]
pub enum Entry<'a> {
    /// A block starts.
    SubBlock {
        /// The kind of block.
        id: u32,
    },
    /// The innermost open block ends.
    EndBlock,
    /// A record in the innermost open block.
    Record(Record<'a>),
}

#[derive(Debug, Clone)]
struct Block {
    id: u32,
    id_width: u32,
    /// Where the block ends, going by its length.
    end: u64,
    /// How many abbreviations were registered for the id when the block started; later ones do not
    /// count in it.
    inherited: usize,
    /// The abbreviations that the block defines for itself.
    own: Vec<Rc<Abbreviation>>,
    /// In a BLOCKINFO block, for which id it defines abbreviations.
    described: Option<u32>,
}

impl<'a> Cursor<'a> {
    /// Starts behind the magic of `bitcode`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotBitcode`] where there is no magic.
    pub fn new(bitcode: &'a [u8]) -> Result<Self, Error> {
        if !bitcode.starts_with(MAGIC) {
            return Err(ErrorKind::NotBitcode.at(0));
        }
        Ok(Self {
            bits: Bits {
                bytes: bitcode,
                position: 8 * MAGIC.len() as u64,
                end: 8 * bitcode.len() as u64,
            },
            blocks: Vec::new(),
            registered: BTreeMap::new(),
        })
    }

    /// The bit that it has come to: behind the last entry.
    pub fn position(&self) -> u64 {
        self.bits.position
    }

    fn advance(&mut self) -> Result<Option<Entry<'a>>, Error> {
        loop {
            let at = self.bits.position;
            let Some(block) = self.blocks.last() else {
                if at == self.bits.end {
                    return Ok(None);
                }
                let id = self.bits.fixed(OUTER_ID_WIDTH)?;
                if id != ENTER_SUBBLOCK {
                    return Err(BitstreamFault::OutsideOfBlocks { id }.at(at));
                }
                return self.enter(at).map(Some);
            };
            match self.bits.fixed(block.id_width)? {
                END_BLOCK => return self.leave(at).map(Some),
                ENTER_SUBBLOCK => return self.enter(at).map(Some),
                DEFINE_ABBREV => self.define(at)?,
                id => return self.record(at, id).map(Some),
            }
        }
    }

    /// ENTER_SUBBLOCK: block id, width of the abbreviation ids in it, length in words.
    fn enter(&mut self, at: u64) -> Result<Entry<'a>, Error> {
        if self.blocks.len() == MAX_DEPTH {
            return Err(BitstreamFault::TooDeep { limit: MAX_DEPTH }.at(at));
        }
        let id = self.bits.vbr_u32(8)?;
        let width_at = self.bits.position;
        let id_width = check_width(self.bits.vbr(4)?, width_at)?;
        self.bits.align()?;
        let length_at = self.bits.position;
        let words = self.bits.fixed(32)?;
        let available = (self.bits.end - self.bits.position) / 32;
        if words > available {
            let fault = BitstreamFault::BlockPastEnd {
                id,
                words,
                available,
            };
            return Err(fault.at(length_at));
        }
        self.bits.end = self.bits.position + 32 * words;
        self.blocks.push(Block {
            id,
            id_width,
            end: self.bits.end,
            inherited: self.registered.get(&id).map_or(0, Vec::len),
            own: Vec::new(),
            described: None,
        });
        Ok(Entry::SubBlock { id })
    }

    /// END_BLOCK.
    fn leave(&mut self, at: u64) -> Result<Entry<'a>, Error> {
        self.bits.align()?;
        if let Some(Block { id, end, .. }) = self.blocks.pop()
            && end != self.bits.position
        {
            return Err(BitstreamFault::BlockLength { id, end }.at(at));
        }
        self.bits.end = match self.blocks.last() {
            Some(outer) => outer.end,
            None => 8 * self.bits.bytes.len() as u64,
        };
        Ok(Entry::EndBlock)
    }

    /// DEFINE_ABBREV: for the block that it stands in, but in a BLOCKINFO block for others.
    fn define(&mut self, at: u64) -> Result<(), Error> {
        let abbreviation = Rc::new(Abbreviation::read(&mut self.bits)?);
        if let Some(block) = self.blocks.last_mut() {
            if block.id == BLOCKINFO {
                let id = block.described.ok_or(BitstreamFault::NoSetBid.at(at))?;
                self.registered.entry(id).or_default().push(abbreviation);
            } else {
                block.own.push(abbreviation);
            }
        }
        Ok(())
    }

    /// A record: abbreviation `id`, which is not one of the first three, is at bit `at` and read.
    fn record(&mut self, at: u64, id: u64) -> Result<Entry<'a>, Error> {
        let abbreviation = self.abbreviation(at, id)?;
        let record = Record::read(&mut self.bits, at, abbreviation)?;
        if let Some(block) = self.blocks.last_mut()
            && (block.id, record.code) == (BLOCKINFO, SETBID)
        {
            let id = record.operands().next().map(|operand| operand.value);
            let id = id.and_then(|id| id.try_into().ok());
            block.described = Some(id.ok_or(BitstreamFault::SetBid.at(at))?);
        }
        Ok(Entry::Record(record))
    }

    /// The abbreviation of that id; `None` for an unabbreviated record.
    fn abbreviation(&self, at: u64, id: u64) -> Result<Option<Rc<Abbreviation>>, Error> {
        if id == UNABBREV_RECORD {
            return Ok(None);
        }
        let (inherited, own): (&[_], &[_]) = match self.blocks.last() {
            None => (&[], &[]),
            Some(block) => match self.registered.get(&block.id) {
                None => (&[], &block.own),
                Some(registered) => (&registered[..block.inherited], &block.own),
            },
        };
        let index = usize::try_from(id - UNABBREV_RECORD - 1).unwrap_or(usize::MAX);
        let abbreviation = inherited.iter().chain(own).nth(index).cloned();
        let known = inherited.len() + own.len();
        let unknown = BitstreamFault::UnknownAbbreviation { id, known };
        abbreviation.map(Some).ok_or(unknown.at(at))
    }
}

impl<'a> Iterator for Cursor<'a> {
    type Item = Result<Entry<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.advance().transpose();
        if let Some(Err(_)) = entry {
            self.blocks.clear();
            self.bits.position = self.bits.end;
        }
        entry
    }
}

/// A record: a code that says what it is, and operands.
#[derive(Clone)]
pub struct Record<'a> {
    bit: u64,
    code: u32,
    operands: Operands<'a>,
    blob: Option<&'a [u8]>,
}

impl<'a> Record<'a> {
    /// Reads a record behind its abbreviation id, which stands at `bit`.
    fn read(
        bits: &mut Bits<'a>,
        bit: u64,
        abbreviation: Option<Rc<Abbreviation>>,
    ) -> Result<Self, Error> {
        let code_at = bits.position;
        let (code, tail) = match &abbreviation {
            None => (bits.vbr(6)?, Tail::Array(Encoding::Vbr(6))),
            Some(abbreviation) => (bits.operand(abbreviation.code)?.value, abbreviation.tail),
        };
        let code = to_u32(code, code_at)?;
        let scalars = *bits;
        for &encoding in abbreviation
            .iter()
            .flat_map(|abbreviation| &abbreviation.scalars)
        {
            bits.operand(encoding)?;
        }
        let mut operands = Operands {
            abbreviation,
            next: 0,
            scalars,
            array: *bits,
            element: Encoding::Literal(0),
            elements: 0,
        };
        let mut blob = None;
        match tail {
            Tail::None => {}
            Tail::Array(element) => {
                operands.element = element;
                operands.elements = bits.vbr_u32(6)?;
                operands.array = *bits;
                for _ in 0..operands.elements {
                    bits.operand(element)?;
                }
            }
            Tail::Blob => {
                let len = bits.vbr_u32(6)?;
                bits.align()?;
                blob = Some(bits.blob(len)?);
                bits.align()?;
            }
        }
        Ok(Self {
            bit,
            code,
            operands,
            blob,
        })
    }

    /// Where the record starts, with its abbreviation id.
    pub fn bit(&self) -> u64 {
        self.bit
    }

    /// What the record is, among those of its kind of block.
    pub fn code(&self) -> u32 {
        self.code
    }

    /// The operands, without the code and the blob. They are decoded anew at each call.
    pub fn operands(&self) -> Operands<'a> {
        self.operands.clone()
    }

    /// The blob, which some abbreviations have behind the operands.
    pub fn blob(&self) -> Option<&'a [u8]> {
        self.blob
    }
}

impl fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("bit", &self.bit)
            .field("code", &self.code)
            .field("operands", &self.operands)
            .field("blob", &self.blob)
            .finish()
    }
}

/// The operands of a record: an iterator.
#[derive(Clone)]
pub struct Operands<'a> {
    abbreviation: Option<Rc<Abbreviation>>,
    /// The next of the abbreviation's scalars.
    next: usize,
    scalars: Bits<'a>,
    array: Bits<'a>,
    element: Encoding,
    /// Elements that are left in the array.
    elements: u32,
}

impl Operands<'_> {
    fn scalars_left(&self) -> &[Encoding] {
        match &self.abbreviation {
            Some(abbreviation) => &abbreviation.scalars[self.next..],
            None => &[],
        }
    }
}

impl Iterator for Operands<'_> {
    type Item = Operand;

    fn next(&mut self) -> Option<Operand> {
        // Nothing fails here: all of it was read once, to find the end of the record.
        if let Some(&encoding) = self.scalars_left().first() {
            self.next += 1;
            self.scalars.operand(encoding).ok()
        } else {
            self.elements = self.elements.checked_sub(1)?;
            self.array.operand(self.element).ok()
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.scalars_left().len() + self.elements as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for Operands<'_> {}

impl fmt::Debug for Operands<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.clone().map(|operand| operand.value);
        f.debug_list().entries(values).finish()
    }
}

/// An operand of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    /// The value. Whether it is signed, and how, is up to the record.
    pub value: u64,
    /// How the value is encoded.
    pub encoding: Encoding,
    /// Where the value starts.
    pub bit: u64,
    /// How many bits it takes: of a VBR a multiple of its width, of a literal none.
    pub len: u64,
}

/// How a value is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Not in the record: the value is part of the abbreviation.
    Literal(u64),
    /// As a number of so many bits.
    Fixed(u32),
    /// In chunks of so many bits, the low ones first; the highest bit of a chunk says whether
    /// another follows.
    Vbr(u32),
    /// As 6 bits that stand for a letter, a digit, a point or an underscore; the value is its ASCII
    /// code.
    Char6,
}

/// How the records of an abbreviation are encoded.
#[derive(Debug)]
struct Abbreviation {
    code: Encoding,
    scalars: Vec<Encoding>,
    tail: Tail,
}

/// What follows the scalar operands of a record.
#[derive(Debug, Clone, Copy)]
enum Tail {
    None,
    /// A count and as many elements, which are not literals.
    Array(Encoding),
    /// A count and as many bytes, at a word boundary.
    Blob,
}

impl Abbreviation {
    /// Reads a definition behind its DEFINE_ABBREV.
    fn read(bits: &mut Bits<'_>) -> Result<Self, Error> {
        enum Operand {
            Scalar(Encoding),
            Array,
            Blob,
        }
        let start = bits.position;
        let count = bits.vbr(5)?;
        if count > MAX_OPERANDS {
            let limit = MAX_OPERANDS;
            return Err(BitstreamFault::AbbreviationTooLong { count, limit }.at(start));
        }
        let mut operands = Vec::new();
        for _ in 0..count {
            let at = bits.position;
            let is_literal = bits.fixed(1)? == 1;
            operands.push(if is_literal {
                Operand::Scalar(Encoding::Literal(bits.vbr(8)?))
            } else {
                match bits.fixed(3)? {
                    encoding @ (1 | 2) => Operand::Scalar(match bits.vbr(5)? {
                        // As LLVM has it: no bits are no field.
                        0 => Encoding::Literal(0),
                        width if encoding == 1 => Encoding::Fixed(check_width(width, at)?),
                        width => Encoding::Vbr(check_width(width, at)?),
                    }),
                    3 => Operand::Array,
                    4 => Operand::Scalar(Encoding::Char6),
                    5 => Operand::Blob,
                    encoding => return Err(BitstreamFault::UnknownEncoding { encoding }.at(at)),
                }
            });
        }
        // An array of literals would be any number of operands for nothing.
        let (scalars, tail) = match &operands[..] {
            [scalars @ .., Operand::Array, Operand::Scalar(element)]
                if !matches!(element, Encoding::Literal(_)) =>
            {
                (scalars, Tail::Array(*element))
            }
            [scalars @ .., Operand::Blob] => (scalars, Tail::Blob),
            scalars => (scalars, Tail::None),
        };
        let mut scalars = scalars.iter().map(|operand| match operand {
            Operand::Scalar(encoding) => Some(*encoding),
            Operand::Array | Operand::Blob => None,
        });
        let shape = BitstreamFault::AbbreviationShape.at(start);
        Ok(Self {
            code: scalars.next().flatten().ok_or(shape)?,
            scalars: scalars.collect::<Option<_>>().ok_or(shape)?,
            tail,
        })
    }
}

/// A place in the bitstream, and how far can be read from there.
#[derive(Clone, Copy)]
struct Bits<'a> {
    bytes: &'a [u8],
    position: u64,
    /// The end of the innermost open block, or of `bytes`.
    end: u64,
}

impl<'a> Bits<'a> {
    /// Moves on by so many bits, if they are there; gives where they start.
    fn take(&mut self, width: u64) -> Result<u64, Error> {
        let start = self.position;
        if width > self.end - start {
            return Err(BitstreamFault::PastEnd { end: self.end }.at(start));
        }
        self.position += width;
        Ok(start)
    }

    /// The bytes from a bit on, which is the first one of a byte.
    fn bytes_from(&self, bit: u64) -> &'a [u8] {
        let byte = usize::try_from(bit / 8).unwrap_or(usize::MAX);
        self.bytes.get(byte..).unwrap_or_default()
    }

    /// A number of 1 to 32 bits.
    fn fixed(&mut self, width: u32) -> Result<u64, Error> {
        let start = self.take(u64::from(width))?;
        let bytes = self.bytes_from(start);
        let window = bytes.first_chunk().copied().unwrap_or_else(|| {
            let mut window = [0; 8];
            window[..bytes.len()].copy_from_slice(bytes);
            window
        });
        Ok(u64::from_le_bytes(window) >> (start % 8) & ((1 << width) - 1))
    }

    /// A number in chunks of `width` bits, up to 64 bits long.
    fn vbr(&mut self, width: u32) -> Result<u64, Error> {
        let start = self.position;
        let continued = 1 << (width - 1);
        let (mut value, mut shift) = (0, 0);
        loop {
            let chunk = self.fixed(width)?;
            let digits = chunk & (continued - 1);
            match digits.checked_shl(shift) {
                Some(shifted) if shifted >> shift == digits => value |= shifted,
                _ => return Err(BitstreamFault::TooLarge { bits: 64 }.at(start)),
            }
            if chunk & continued == 0 {
                return Ok(value);
            }
            shift += width - 1;
        }
    }

    /// The same where LLVM reads 32 bits.
    fn vbr_u32(&mut self, width: u32) -> Result<u32, Error> {
        let start = self.position;
        to_u32(self.vbr(width)?, start)
    }

    fn operand(&mut self, encoding: Encoding) -> Result<Operand, Error> {
        let bit = self.position;
        let value = match encoding {
            Encoding::Literal(value) => value,
            Encoding::Fixed(width) => self.fixed(width)?,
            Encoding::Vbr(width) => self.vbr(width)?,
            Encoding::Char6 => u64::from(CHAR6[usize::from(self.fixed(6)?.to_le_bytes()[0])]),
        };
        Ok(Operand {
            value,
            encoding,
            bit,
            len: self.position - bit,
        })
    }

    /// So many bytes, from a word boundary on.
    fn blob(&mut self, len: u32) -> Result<&'a [u8], Error> {
        let start = self.take(8 * u64::from(len))?;
        Ok(&self.bytes_from(start)[..len as usize])
    }

    /// Moves on to the next word boundary.
    fn align(&mut self) -> Result<(), Error> {
        let padding = self.position.next_multiple_of(32) - self.position;
        self.take(padding).map(|_| ())
    }
}

impl fmt::Debug for Bits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bits {}..{}", self.position, self.end)
    }
}

fn check_width(width: u64, at: u64) -> Result<u32, Error> {
    match u32::try_from(width) {
        Ok(width @ 1..=MAX_WIDTH) => Ok(width),
        _ => Err(BitstreamFault::Width { width }.at(at)),
    }
}

fn to_u32(value: u64, at: u64) -> Result<u32, Error> {
    u32::try_from(value).map_err(|_| BitstreamFault::TooLarge { bits: 32 }.at(at))
}

#[cfg(test)]
pub(crate) mod tests;
