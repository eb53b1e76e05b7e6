use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::Encoding::{Char6, Fixed, Literal, Vbr};
use super::{CHAR6, Cursor, Encoding, Entry, MAGIC, Operand};
use crate::{BitstreamFault as F, Error, ErrorKind};

/// Writes bitstreams, right or wrong.
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
    position: u64,
    /// Where the lengths of the open blocks are.
    lengths: Vec<usize>,
    /// Widths of abbreviation ids, outside of all blocks and in each open block.
    id_widths: Vec<u32>,
}

impl Writer {
    pub(crate) fn new() -> Self {
        Self {
            bytes: MAGIC.to_vec(),
            position: 32,
            lengths: Vec::new(),
            id_widths: vec![2],
        }
    }

    fn fixed(&mut self, value: u64, width: u32) -> &mut Self {
        for bit in 0..width {
            if self.position.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let last = self.bytes.len() - 1;
            self.bytes[last] |= u8::from(value >> bit & 1 == 1) << (self.position % 8);
            self.position += 1;
        }
        self
    }

    fn vbr(&mut self, mut value: u64, width: u32) -> &mut Self {
        let continued = 1 << (width - 1);
        while value >= continued {
            self.fixed(value & (continued - 1) | continued, width);
            value >>= width - 1;
        }
        self.fixed(value, width)
    }

    fn align(&mut self) -> &mut Self {
        while !self.position.is_multiple_of(32) {
            self.fixed(0, 1);
        }
        self
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        for &byte in bytes {
            self.fixed(byte.into(), 8);
        }
        self
    }

    pub(crate) fn id(&mut self, id: u64) -> &mut Self {
        self.fixed(id, *self.id_widths.last().unwrap())
    }

    pub(crate) fn enter(&mut self, block: u64, id_width: u32) -> &mut Self {
        self.id(1).vbr(block, 8).vbr(id_width.into(), 4).align();
        self.lengths.push(self.bytes.len());
        self.id_widths.push(id_width);
        self.fixed(0, 32)
    }

    pub(crate) fn leave(&mut self) -> &mut Self {
        self.id(0).align();
        self.id_widths.pop();
        let at = self.lengths.pop().unwrap();
        let words = u32::try_from((self.bytes.len() - at) / 4 - 1).unwrap();
        self.bytes[at..at + 4].copy_from_slice(&words.to_le_bytes());
        self
    }

    pub(crate) fn define(&mut self, operands: &[Op]) -> &mut Self {
        self.id(2).vbr(operands.len() as u64, 5);
        for &operand in operands {
            match operand {
                Op::Scalar(Literal(value)) => self.fixed(1, 1).vbr(value, 8),
                Op::Scalar(Fixed(width)) => self.encoding(1).vbr(width.into(), 5),
                Op::Scalar(Vbr(width)) => self.encoding(2).vbr(width.into(), 5),
                Op::Array => self.encoding(3),
                Op::Scalar(Char6) => self.encoding(4),
                Op::Blob => self.encoding(5),
            };
        }
        self
    }

    /// An operand in a definition that is not a literal.
    fn encoding(&mut self, encoding: u64) -> &mut Self {
        self.fixed(0, 1).fixed(encoding, 3)
    }

    /// An unabbreviated record.
    pub(crate) fn record(&mut self, code: u64, operands: &[u64]) -> &mut Self {
        self.id(3).vbr(code, 6).vbr(operands.len() as u64, 6);
        for &operand in operands {
            self.vbr(operand, 6);
        }
        self
    }

    /// The value that `seed` makes in this encoding, and what should be read there.
    fn operand(&mut self, encoding: Encoding, seed: u64) -> Operand {
        let bit = self.position;
        let value = match encoding {
            Literal(value) => value,
            Fixed(width) => seed & ((1 << width) - 1),
            Vbr(_) => seed >> (seed % 64),
            Char6 => u64::from(CHAR6[(seed % 64) as usize]),
        };
        match encoding {
            Literal(_) => {}
            Fixed(width) => _ = self.fixed(value, width),
            Vbr(width) => _ = self.vbr(value, width),
            Char6 => _ = self.fixed(seed % 64, 6),
        }
        Operand {
            value,
            encoding,
            bit,
            len: self.position - bit,
        }
    }

    fn read(&self) -> Result<Vec<Read>, Error> {
        read(&self.bytes)
    }
}

/// An operand in the definition of an abbreviation.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Op {
    Scalar(Encoding),
    Array,
    Blob,
}

impl From<Encoding> for Op {
    fn from(encoding: Encoding) -> Self {
        Self::Scalar(encoding)
    }
}

/// Operands of a definition.
macro_rules! ops {
    ($($operand:expr),*) => { &[$(Op::from($operand)),*] };
}

/// An entry with everything in it.
#[derive(Debug, Clone, PartialEq)]
enum Read {
    Enter(u32),
    Leave,
    Record(u32, Vec<Operand>, Option<Vec<u8>>),
}

fn read(bitcode: &[u8]) -> Result<Vec<Read>, Error> {
    let mut cursor = Cursor::new(bitcode)?;
    let entries = cursor.by_ref().map(|entry| {
        Ok(match entry? {
            Entry::SubBlock { id } => Read::Enter(id),
            Entry::EndBlock => Read::Leave,
            Entry::Record(record) => {
                let operands: Vec<_> = record.operands().collect();
                assert_eq!(record.operands().len(), operands.len());
                let blob = record.blob().map(<[u8]>::to_vec);
                Read::Record(record.code(), operands, blob)
            }
        })
    });
    let entries = entries.collect();
    assert!(cursor.next().is_none());
    entries
}

/// Reads a block of one record, which has an abbreviation with these operands behind a literal code
/// and is written by `write`.
fn read_one(operands: &[Op], write: impl FnOnce(&mut Writer)) -> Result<Vec<Operand>, Error> {
    let mut writer = Writer::new();
    writer.enter(8, 3);
    writer.define(&[ops![Literal(7)], operands].concat()).id(4);
    write(&mut writer);
    writer.leave();
    match &writer.read()?[..] {
        [Read::Enter(8), Read::Record(7, operands, None), Read::Leave] => Ok(operands.clone()),
        other => panic!("{other:?}"),
    }
}

/// Behind each entry, and at the end.
#[test]
fn position_is_behind_the_last_entry() {
    let mut writer = Writer::new();
    writer.enter(8, 3);
    let inside = writer.position;
    writer.record(1, &[5]);
    let behind = writer.position;
    writer.leave();
    let mut cursor = Cursor::new(&writer.bytes).unwrap();
    let mut positions = vec![cursor.position()];
    while let Some(entry) = cursor.next() {
        entry.unwrap();
        positions.push(cursor.position());
    }
    let end = 8 * writer.bytes.len() as u64;
    assert_eq!(positions, [32, inside, behind, end]);
    assert_eq!(cursor.position(), end);
}

#[test]
fn vbr_holds_64_bits_in_chunks_of_any_width() {
    for width in 2..=32 {
        for value in (0..64).flat_map(|bit| [1 << bit, (1 << bit) - 1, u64::MAX << bit]) {
            let operands = read_one(ops![Vbr(width)], |w| _ = w.vbr(value, width)).unwrap();
            let chunks = (64 - value.leading_zeros()).div_ceil(width - 1).max(1);
            assert_eq!(operands[0].value, value);
            assert_eq!(operands[0].len, u64::from(chunks * width));
        }
    }
}

/// A value that was overwritten in place can be longer than need be.
#[test]
fn vbr_may_be_longer_than_need_be() {
    let value = |chunks: &[u64], last: u64| {
        let operands = read_one(ops![Vbr(6)], |w| {
            for chunk in chunks {
                w.fixed(chunk | 0b10_0000, 6);
            }
            w.fixed(last, 6);
        });
        operands.map(|operands| operands[0].value)
    };
    assert_eq!(value(&[3, 0], 0), Ok(3));
    assert_eq!(value(&[0; 12], 0b1111), Ok(0b1111 << 60));
    // A bit of weight 2^64, and a chunk that has no place in 64 bits at all.
    let too_large = Err(F::TooLarge { bits: 64 }.at(125));
    assert_eq!(value(&[0; 12], 0b1_0000), too_large);
    assert_eq!(value(&[0; 13], 0), too_large);
}

#[test]
fn vbr_of_single_bits_is_zero() {
    let operands = read_one(ops![Vbr(1)], |w| _ = w.fixed(0b0111, 4)).unwrap();
    assert_eq!((operands[0].value, operands[0].len), (0, 4));
}

#[test]
fn fixed_fields_start_at_any_bit() {
    for skipped in 1..=32 {
        for width in 1..=32 {
            let value = 0xdead_beef & ((1 << width) - 1);
            let operands = read_one(ops![Fixed(skipped), Fixed(width), Fixed(3)], |w| {
                w.fixed(u64::MAX, skipped).fixed(value, width).fixed(5, 3);
            });
            let values: Vec<_> = operands
                .unwrap()
                .iter()
                .map(|operand| operand.value)
                .collect();
            assert_eq!(
                values,
                [(1 << skipped) - 1, value, 5],
                "{width} bits after {skipped}"
            );
        }
    }
}

/// LLVM writes fields of no bits, and means 0.
#[test]
fn fields_of_no_bits_are_zero() {
    let operands = read_one(ops![Fixed(0), Vbr(0), Fixed(8)], |w| _ = w.fixed(3, 8)).unwrap();
    let values: Vec<_> = operands.iter().map(|operand| operand.value).collect();
    assert_eq!(values, [0, 0, 3]);
    assert_eq!(operands[0].encoding, Literal(0));
}

#[test]
fn char6_is_ascii() {
    let operands = read_one(ops![Op::Array, Char6], |w| {
        w.vbr(64, 6);
        (0..64).for_each(|char| _ = w.fixed(char, 6));
    });
    let codes = operands
        .unwrap()
        .into_iter()
        .map(|operand| u8::try_from(operand.value).unwrap());
    let expected = (b'a'..=b'z')
        .chain(b'A'..=b'Z')
        .chain(b'0'..=b'9')
        .chain(*b"._");
    assert!(codes.eq(expected));
}

#[test]
fn operands_say_where_they_are() {
    let operands = read_one(ops![Vbr(6), Literal(9), Op::Array, Fixed(5)], |w| {
        w.vbr(33, 6).vbr(2, 6).fixed(30, 5).fixed(1, 5);
    });
    // The definition takes 3 + 5 + 9 + 9 + 9 + 4 + 9 bits from bit 96 on, the abbreviation id 3.
    let operand = |value, encoding, bit, len| Operand {
        value,
        encoding,
        bit,
        len,
    };
    let expected = vec![
        operand(33, Vbr(6), 147, 12),
        operand(9, Literal(9), 159, 0),
        operand(30, Fixed(5), 165, 5),
        operand(1, Fixed(5), 170, 5),
    ];
    assert_eq!(operands, Ok(expected));
}

#[test]
fn records_say_where_they_start() {
    let mut writer = Writer::new();
    writer.enter(8, 3);
    let starts = [0, 70, 3].map(|operand| {
        let start = writer.position;
        writer.record(1, &[operand]);
        start
    });
    writer.leave();
    let entries = Cursor::new(&writer.bytes).unwrap().map(Result::unwrap);
    let bits = entries.filter_map(|entry| match entry {
        Entry::Record(record) => Some(record.bit()),
        _ => None,
    });
    assert!(bits.eq(starts));
}

#[test]
fn arrays_may_be_empty() {
    let operands = read_one(ops![Op::Array, Vbr(4)], |w| _ = w.vbr(0, 6));
    assert_eq!(operands, Ok(vec![]));
}

/// Blobs are aligned on both sides, whatever their length.
#[test]
fn blobs_start_and_end_at_words() {
    for len in 0..10 {
        let blob = vec![0xa5; len];
        let mut writer = Writer::new();
        writer.enter(8, 3);
        writer.define(ops![Fixed(4), Fixed(7), Op::Blob]);
        writer
            .id(4)
            .fixed(12, 4)
            .fixed(99, 7)
            .vbr(len as u64, 6)
            .align();
        writer.bytes(&blob);
        writer.align().record(1, &[2]).leave();
        let read = writer.read().unwrap();
        let [
            _,
            Read::Record(12, a, Some(found)),
            Read::Record(1, b, None),
            _,
        ] = &read[..]
        else {
            panic!("{read:?}")
        };
        assert_eq!((a[0].value, a.len(), found), (99, 1, &blob));
        assert_eq!((b[0].value, b.len()), (2, 1));
    }
}

#[test]
fn blockinfo_defines_for_later_blocks_of_its_id() {
    let mut writer = Writer::new();
    writer.enter(8, 3);
    writer.enter(9, 3);
    writer.enter(0, 2);
    for (block, code) in [(9, 1), (10, 2), (9, 3)] {
        // The second record is a name of the block, and of no meaning.
        writer.record(1, &[block]).record(2, &[]);
        writer.define(ops![Literal(code), Fixed(8)]);
    }
    writer.leave();
    // This block 9 was open before: its first abbreviation is the one that it defines itself.
    writer.define(ops![Literal(4), Fixed(8)]);
    writer.id(4).fixed(40, 8);
    // This one has two from BLOCKINFO before its own.
    writer.enter(9, 4).define(ops![Literal(5), Fixed(8)]);
    writer
        .id(6)
        .fixed(50, 8)
        .id(5)
        .fixed(30, 8)
        .id(4)
        .fixed(10, 8)
        .leave();
    writer.enter(10, 4).id(4).fixed(20, 8).leave();
    // The inner blocks change nothing here.
    writer.id(4).fixed(41, 8).leave().leave();

    let values = writer
        .read()
        .unwrap()
        .into_iter()
        .filter_map(|entry| match entry {
            Read::Record(code, operands, None) => Some((code, operands.first()?.value)),
            _ => None,
        });
    let set_bid = [(1, 9), (1, 10), (1, 9)];
    let abbreviated = [(4, 40), (5, 50), (3, 30), (1, 10), (2, 20), (4, 41)];
    assert!(values.eq(set_bid.into_iter().chain(abbreviated)));
}

#[test]
fn blocks_nest_to_a_limit() {
    let nested = |depth: u64| {
        let mut writer = Writer::new();
        (0..depth).for_each(|_| _ = writer.enter(8, 2));
        (0..depth).for_each(|_| _ = writer.leave());
        writer.read().map(|entries| entries.len())
    };
    assert_eq!(nested(32), Ok(64));
    assert_eq!(nested(33), Err(F::TooDeep { limit: 32 }.at(32 + 32 * 64)));
}

#[test]
fn only_blocks_are_outside_of_blocks() {
    assert_eq!(Writer::new().read(), Ok(vec![]));
    for id in [0, 2, 3] {
        let mut writer = Writer::new();
        writer.enter(8, 2).leave().fixed(id, 2).align();
        assert_eq!(writer.read(), Err(F::OutsideOfBlocks { id }.at(128)));
    }
    let mut writer = Writer::new();
    writer.enter(8, 2).leave().fixed(1, 8);
    assert_eq!(writer.read(), Err(F::PastEnd { end: 136 }.at(130)));
    for cut in [&b""[..], b"BC\xc0", b"BC\xc0\xdf"] {
        assert_eq!(read(cut), Err(ErrorKind::NotBitcode.at(0)));
    }
}

/// One thing wrong in a block that starts at bit 96, with abbreviation ids of 3 bits.
#[test]
fn each_fault_is_found_where_it_is() {
    let case = |fault: F, bit: u64, write: &dyn Fn(&mut Writer)| {
        let mut writer = Writer::new();
        writer.enter(8, 3);
        write(&mut writer);
        writer.leave();
        assert_eq!(writer.read(), Err(fault.at(bit)));
    };
    let big = 1 << 32;
    let too_large = F::TooLarge { bits: 32 };

    // Records.
    let unknown = |id, known| F::UnknownAbbreviation { id, known };
    case(unknown(4, 0), 96, &|w| _ = w.id(4));
    case(unknown(6, 1), 113, &|w| _ = w.define(ops![Vbr(6)]).id(6));
    case(too_large, 99, &|w| _ = w.record(big, &[]));
    case(too_large, 105, &|w| _ = w.id(3).vbr(1, 6).vbr(big, 6));
    case(too_large, 148, &|w| _ = w.define(ops![Literal(big)]).id(4));
    case(F::PastEnd { end: 128 }, 123, &|w| {
        w.id(3).vbr(1, 6).vbr(9, 6).fixed(0, 12);
    });
    case(F::PastEnd { end: 160 }, 159, &|w| {
        w.id(3).vbr(1, 6).vbr(big - 1, 6);
    });
    case(F::PastEnd { end: 160 }, 160, &|w| {
        w.define(ops![Vbr(6), Op::Blob]).id(4).vbr(1, 6).vbr(1, 6);
    });

    // Definitions of abbreviations.
    let misshapen: [&[Op]; 9] = [
        ops![],
        ops![Op::Blob],
        ops![Op::Array, Char6],
        ops![Char6, Op::Array],
        ops![Char6, Op::Array, Char6, Char6],
        ops![Char6, Op::Array, Op::Array, Char6],
        ops![Char6, Op::Blob, Char6],
        ops![Char6, Op::Array, Literal(1)],
        ops![Char6, Op::Array, Fixed(0)],
    ];
    for operands in misshapen {
        case(F::AbbreviationShape, 99, &|w| _ = w.define(operands));
    }
    let (count, limit) = (65, 64);
    case(F::AbbreviationTooLong { count, limit }, 99, &|w| {
        w.define(&[Op::Scalar(Char6); 65]);
    });
    case(F::Width { width: 33 }, 104, &|w| {
        w.define(ops![Fixed(33)]);
    });
    case(F::Width { width: 33 }, 104, &|w| {
        w.define(ops![Vbr(33)]);
    });
    case(F::Width { width: big }, 104, &|w| {
        w.id(2).vbr(1, 5).encoding(1).vbr(big, 5);
    });
    for encoding in [0, 6, 7] {
        let fault = F::UnknownEncoding { encoding };
        case(fault, 104, &|w| _ = w.id(2).vbr(1, 5).encoding(encoding));
    }

    // Blocks.
    case(too_large, 99, &|w| _ = w.id(1).vbr(big, 8));
    for width in [0, 33] {
        case(F::Width { width }, 107, &|w| {
            w.id(1).vbr(9, 8).vbr(width, 4);
        });
    }
    let (id, words, available) = (9, 2, 1);
    case(
        F::BlockPastEnd {
            id,
            words,
            available,
        },
        128,
        &|w| {
            w.id(1).vbr(9, 8).vbr(3, 4).align().fixed(words, 32);
        },
    );
    case(F::BlockLength { id, end: 224 }, 160, &|w| {
        w.id(1)
            .vbr(9, 8)
            .vbr(3, 4)
            .align()
            .fixed(2, 32)
            .fixed(0, 32);
    });

    // The block around one that ended still has its own end, at bit 288.
    case(F::PastEnd { end: 288 }, 283, &|w| {
        w.enter(9, 3).enter(10, 3).leave();
        w.id(3).vbr(1, 6).vbr(9, 6).leave().fixed(0, 32);
    });

    // BLOCKINFO.
    case(F::NoSetBid, 160, &|w| {
        w.enter(0, 3).define(ops![Char6]).leave();
    });
    case(F::SetBid, 160, &|w| {
        w.enter(0, 3).record(1, &[]).leave();
    });
    case(F::SetBid, 160, &|w| {
        w.enter(0, 3).record(1, &[big]).leave();
    });
}

/// Abbreviations from BLOCKINFO hold in every block of the id. Copying them into each would take
/// minutes here.
#[test]
fn many_abbreviations_in_many_blocks_are_read_in_reasonable_time() {
    let mut writer = Writer::new();
    writer.enter(8, 3).enter(0, 3).record(1, &[9]);
    (0..40_000).for_each(|_| _ = writer.define(ops![Char6]));
    writer.leave();
    (0..40_000).for_each(|_| _ = writer.enter(9, 3).leave());
    writer.leave();
    let entries = Cursor::new(&writer.bytes).unwrap();
    assert_eq!(entries.map(Result::unwrap).count(), 80_005);
}

fn encoding() -> impl Strategy<Value = Encoding> {
    prop_oneof![
        any::<u64>().prop_map(Literal),
        (1..=32_u32).prop_map(Fixed),
        (2..=32_u32).prop_map(Vbr),
        Just(Char6),
    ]
}

/// An abbreviation for records of some code.
#[derive(Debug, Clone)]
struct Shape {
    code: Encoding,
    scalars: Vec<Encoding>,
    tail: Option<Op>,
}

fn shape() -> impl Strategy<Value = Shape> {
    let code = prop_oneof![(0..100_u64).prop_map(Literal), Just(Fixed(7)), Just(Char6)];
    let element = encoding().prop_filter("elements are no literals", |element| {
        !matches!(element, Literal(_))
    });
    let tail = prop_oneof![element.prop_map(Op::Scalar), Just(Op::Blob)];
    let scalars = prop::collection::vec(encoding(), 0..6);
    (code, scalars, prop::option::of(tail)).prop_map(|(code, scalars, tail)| Shape {
        code,
        scalars,
        tail,
    })
}

impl Shape {
    fn definition(&self) -> Vec<Op> {
        let scalars = self.scalars.iter().copied().map(Op::Scalar);
        let tail: &[Op] = match self.tail {
            None => &[],
            Some(Op::Scalar(element)) => &[Op::Array, Op::Scalar(element)],
            Some(other) => &[other],
        };
        let code = std::iter::once(Op::Scalar(self.code));
        code.chain(scalars).chain(tail.iter().copied()).collect()
    }

    /// Writes a record and says what should be read.
    fn record(&self, writer: &mut Writer, seeds: &[u64]) -> Read {
        let mut seeds = seeds.iter().copied().cycle();
        let mut seed = || seeds.next().unwrap();
        let code = u32::try_from(writer.operand(self.code, seed()).value).unwrap();
        let scalars = self.scalars.iter();
        let mut operands: Vec<_> = scalars
            .map(|&scalar| writer.operand(scalar, seed()))
            .collect();
        let len = seed() % 40;
        let mut blob = None;
        match self.tail {
            Some(Op::Scalar(element)) => {
                writer.vbr(len, 6);
                operands.extend((0..len).map(|_| writer.operand(element, seed())));
            }
            Some(_) => {
                writer.vbr(len, 6).align();
                let bytes: Vec<u8> = (0..len).map(|_| seed().to_le_bytes()[0]).collect();
                writer.bytes(&bytes);
                writer.align();
                blob = Some(bytes);
            }
            None => {}
        }
        Read::Record(code, operands, blob)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// What was written is read.
    #[test]
    fn round_trip(
        registered in prop::collection::vec(shape(), 0..4),
        own in prop::collection::vec(shape(), 1..4),
        records in prop::collection::vec((any::<Index>(), prop::collection::vec(any::<u64>(), 1..50)), 0..12),
        id_width in 4..=32_u32,
    ) {
        let mut writer = Writer::new();
        writer.enter(8, 2).enter(0, 2).record(1, &[9]);
        for shape in &registered {
            writer.define(&shape.definition());
        }
        writer.leave().enter(9, id_width);
        for shape in &own {
            writer.define(&shape.definition());
        }
        let shapes = [registered, own].concat();
        let mut expected = Vec::new();
        for (index, seeds) in &records {
            let index = index.index(shapes.len());
            writer.id(4 + index as u64);
            expected.push(shapes[index].record(&mut writer, seeds));
        }
        writer.leave().leave();
        let read = writer.read().unwrap();
        prop_assert_eq!(&read[5..read.len() - 2], expected);
    }

    /// Random bits in a block that is sound otherwise: reading ends, with an error in the input.
    #[test]
    fn random_bits(
        block in select(&[0, 8, 9][..]),
        id_width in 2..=5_u32,
        bytes in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let mut writer = Writer::new();
        writer.enter(8, id_width).enter(block, id_width);
        writer.bytes(&bytes);
        writer.align().leave().leave();
        if let Err(error) = writer.read() {
            let ErrorKind::Bitstream { bit, .. } = error.kind else { panic!("{error}") };
            prop_assert!((160..8 * writer.bytes.len() as u64).contains(&bit), "{error}");
            prop_assert_eq!(error.offset as u64, bit / 8);
        }
    }
}
