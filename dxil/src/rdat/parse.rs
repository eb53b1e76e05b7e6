//! Reading the tables, and checking that the records refer to what is there.

use std::ops::Range;

use super::{
    FUNCTION_KIND, FUNCTION_NODE, FUNCTIONS, INDICES, NODE_ATTRIBUTES, NODE_IDS,
    NODE_IO_ATTRIBUTES, NODE_IOS, NODES, NONE, RAW_BYTES, RESOURCES, Record, RuntimeData, STRINGS,
    SUBOBJECTS, Table, function_kind, node_row,
};
use crate::read::{Numbers, table, word_at};
use crate::{Error, ErrorKind};

const VERSION: u32 = 0x10;

const HEADER_LEN: usize = 8;

/// Type and size in front of a table; record count and stride in front of its records.
const TABLE_HEADER_LEN: usize = 8;

/// How many times the length of the part the strings of its records may have together.
const TEXT_FACTOR: usize = 64;

/// The tables of records, and how many bytes of a record have always been there.
pub(super) const RECORDS: [(usize, u32); 8] = [
    (RESOURCES, 32),
    (FUNCTIONS, 44),
    (SUBOBJECTS, 24),
    (NODE_IDS, 8),
    (NODE_IO_ATTRIBUTES, 8),
    (NODE_ATTRIBUTES, 8),
    (NODE_IOS, 8),
    (NODES, 20),
];

/// What is wrong with runtime data. Tables are called by their type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The version is not 0x10.
    #[error("version {version:#x} of the runtime data is unknown, 0x10 is the only one")]
    Version {
        /// The version field.
        version: u32,
    },
    /// The offsets of the tables do not fit into the part.
    #[error("the offsets of {count} tables do not fit into {part} bytes")]
    OffsetsPastEnd {
        /// The table count.
        count: u32,
        /// Length of the part.
        part: usize,
    },
    /// A table does not start inside the part.
    #[error("table number {index} starts at offset {offset:#x}, the part has {part} bytes")]
    TableOffset {
        /// Place among the offsets, from 0.
        index: usize,
        /// The offset.
        offset: u32,
        /// Length of the part.
        part: usize,
    },
    /// A table does not fit into the part.
    #[error("the table of type {table} claims {size} bytes, there are {available}")]
    TablePastEnd {
        /// Type of the table.
        table: u32,
        /// The size field.
        size: u32,
        /// Bytes to the end of the part.
        available: usize,
    },
    /// Two tables are of the same type.
    #[error("a second table of type {table}")]
    DuplicateTable {
        /// Type of the table.
        table: u32,
    },
    /// A table ends before its records start.
    #[error("the table of type {table} ends after {available} bytes, inside its 8-byte header")]
    TableCut {
        /// Type of the table.
        table: usize,
        /// Length of the table.
        available: usize,
    },
    /// The records of a table are shorter than they ever were.
    #[error("records of {stride} bytes in the table of type {table}, {least} is the least")]
    Stride {
        /// Type of the table.
        table: usize,
        /// The stride field.
        stride: u32,
        /// Bytes that every such record has.
        least: u32,
    },
    /// The records of a table do not fit into it.
    #[error("{count} records of {stride} bytes do not fit into the table of type {table}")]
    RecordsPastEnd {
        /// Type of the table.
        table: usize,
        /// The record count.
        count: u32,
        /// The stride field.
        stride: u32,
    },
    /// The strings are not UTF-8.
    #[error("the strings are not UTF-8")]
    StringsNotUtf8,
    /// A string does not start or end in the table of strings.
    #[error("no string is at offset {offset:#x}, the table of strings has {strings} bytes")]
    String {
        /// The offset.
        offset: u32,
        /// Length of the table of strings.
        strings: usize,
    },
    /// The strings of the records are much longer than the part, because many are the same long one.
    #[error("the strings of the records have more than {limit} bytes: they are used too often")]
    StringsTooLong {
        /// How many they may have: 64 times the length of the part.
        limit: usize,
    },
    /// An array is not inside the table of indices.
    #[error("no array is at index {index}, the table of indices has {indices} words")]
    Array {
        /// The index.
        index: u32,
        /// Length of the table of indices.
        indices: usize,
    },
    /// A row is not in its table.
    #[error("there is no row {row}, the table of type {table} has {count}")]
    Row {
        /// Type of the table.
        table: usize,
        /// The row.
        row: u32,
        /// How many the table has.
        count: u32,
    },
    /// A root signature is not inside the table of raw bytes.
    #[error(
        "{size} bytes at offset {offset:#x} do not fit into the table of {raw_bytes} raw bytes"
    )]
    RawBytes {
        /// The offset.
        offset: u32,
        /// The size.
        size: u32,
        /// Length of the table of raw bytes.
        raw_bytes: usize,
    },
    /// Two root signatures share bytes and are not the same.
    #[error("the root signature at offset {offset:#x} of the raw bytes starts inside another")]
    RootSignaturesOverlap {
        /// Where the second one starts.
        offset: u32,
    },
    /// A table stands behind one that DXC writes after it.
    #[error("the table of type {table} is not in the order in which DXC writes the tables")]
    TableOrder {
        /// Type of the table.
        table: u32,
    },
    /// A function is of a kind that does not exist.
    #[error("function kind {kind:#x} does not exist, kinds are 0 to 15")]
    FunctionKind {
        /// The kind.
        kind: u32,
    },
}

impl Fault {
    fn at(self, offset: usize) -> Error {
        ErrorKind::RuntimeData(self).at(offset)
    }
}

/// What a word of a record refers to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reference {
    String,
    Row(usize),
    Numbers,
    Strings,
    Rows(usize),
    /// With the next word, its size.
    RawBytes,
}

/// Which words of a record refer to something.
pub(super) fn references(table: usize, record: Record<'_>) -> &'static [(usize, Reference)] {
    use Reference::{Numbers, RawBytes, Row, Rows, String, Strings};
    match (table, record.word(0)) {
        (RESOURCES, _) => &[(6, String)],
        (FUNCTIONS, _) if node_row(record).is_some() => &[
            (0, String),
            (1, String),
            (2, Rows(RESOURCES)),
            (3, Strings),
            (FUNCTION_NODE, Row(NODES)),
        ],
        (FUNCTIONS, _) => &[(0, String), (1, String), (2, Rows(RESOURCES)), (3, Strings)],
        (SUBOBJECTS, 1 | 2) => &[(1, String), (2, RawBytes)],
        (SUBOBJECTS, 8) => &[(1, String), (2, String), (3, Strings)],
        (SUBOBJECTS, 11) => &[(1, String), (3, String), (4, String), (5, String)],
        (SUBOBJECTS, _) => &[(1, String)],
        (NODE_IDS, _) => &[(0, String)],
        (NODE_IO_ATTRIBUTES, 1) | (NODE_ATTRIBUTES, 1 | 3) => &[(1, Row(NODE_IDS))],
        (NODE_ATTRIBUTES, 2 | 4 | 7) => &[(1, Numbers)],
        (NODE_IOS, _) => &[(1, Rows(NODE_IO_ATTRIBUTES))],
        (NODES, _) => &[
            (2, Rows(NODE_ATTRIBUTES)),
            (3, Rows(NODE_IOS)),
            (4, Rows(NODE_IOS)),
        ],
        _ => &[],
    }
}

impl<'a> RuntimeData<'a> {
    /// Reads the payload of an `RDAT` part.
    ///
    /// # Errors
    ///
    /// A table is not inside `bytes`, or a record refers to something that is not there; [`Fault`]
    /// lists how.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let tables = Tables::find(bytes)?;
        let strings = str::from_utf8(tables.bytes(STRINGS)).map_err(|error| {
            Fault::StringsNotUtf8.at(tables.0[STRINGS].start + error.valid_up_to())
        })?;
        let mut data = Self {
            bytes,
            strings,
            indices: tables.bytes(INDICES).as_chunks().0,
            raw_bytes: tables.bytes(RAW_BYTES),
            strings_at: tables.0[STRINGS].start,
            indices_at: tables.0[INDICES].start,
            raw_bytes_at: tables.0[RAW_BYTES].start,
            has_unknown_tables: tables.2,
            tables: [Table::default(); NODES + 1],
        };
        for (table, least) in RECORDS {
            data.tables[table] = tables.records(table, least)?;
        }
        References::new(&data).check()?;
        Ok(data)
    }

    /// The root signatures that subobjects declare, each once, and where they are in the part.
    ///
    /// # Errors
    ///
    /// They overlap. That would not harm, but reading each could then take time quadratic in the
    /// length of the part.
    pub(crate) fn root_signatures(&self) -> Result<impl Iterator<Item = (usize, &'a [u8])>, Error> {
        let Table { at, count, stride } = self.tables[SUBOBJECTS];
        let mut places: Vec<_> = (0..count)
            .map(|row| (self.record(SUBOBJECTS, row), at + row as usize * stride))
            .filter(|(record, _)| matches!(record.word(0), 1 | 2))
            .map(|(record, at)| (record.word(2), record.word(3), at + 8))
            .collect();
        places.sort_unstable();
        places.dedup_by_key(|&mut (offset, size, _)| (offset, size));
        for pair in places.windows(2) {
            let [(offset, size, _), (other, _, at)] = [pair[0], pair[1]];
            // Parsing has checked that the sum is inside the table.
            if other < offset + size {
                return Err(Fault::RootSignaturesOverlap { offset: other }.at(at));
            }
        }
        Ok(places.into_iter().map(|(offset, size, _)| {
            let at = self.raw_bytes_at + offset as usize;
            (at, self.raw(offset, size))
        }))
    }
}

/// The offsets of the tables; none where they do not fit into the part.
pub(super) fn offsets(bytes: &[u8]) -> Numbers<'_> {
    let count = bytes.get(4..).and_then(<[u8]>::first_chunk).copied();
    let count = u32::from_le_bytes(count.unwrap_or_default());
    Numbers(table(bytes, 8, count, 1).unwrap_or_default())
}

/// Where the payloads of the tables are in the part, by type; empty for those that are not there.
/// The last field tells whether there are others.
struct Tables<'a>([Range<usize>; NODES + 1], &'a [u8], bool);

impl<'a> Tables<'a> {
    fn find(bytes: &'a [u8]) -> Result<Self, Error> {
        let Some(header) = bytes.first_chunk::<HEADER_LEN>() else {
            let kind = ErrorKind::PartHeaderCut {
                header: HEADER_LEN,
                available: bytes.len(),
            };
            return Err(kind.at(0));
        };
        let [version, count] = [0, 4].map(|at| word_at(header, at));
        if version != VERSION {
            return Err(Fault::Version { version }.at(0));
        }
        let part = bytes.len();
        let Some(offsets) = table(bytes, 8, count, 1) else {
            return Err(Fault::OffsetsPastEnd { count, part }.at(4));
        };
        let mut found = [const { 0..0 }; NODES + 1];
        let mut has_unknown = false;
        for (index, offset) in Numbers(offsets).iter().enumerate() {
            let at = offset as usize;
            let from_start = bytes.get(at..).unwrap_or_default();
            let Some((header, rest)) = from_start.split_first_chunk::<TABLE_HEADER_LEN>() else {
                let fault = Fault::TableOffset {
                    index,
                    offset,
                    part,
                };
                return Err(fault.at(HEADER_LEN + 4 * index));
            };
            let [table, size] = [0, 4].map(|at| word_at(header, at));
            if rest.len() < size as usize {
                let available = rest.len();
                let fault = Fault::TablePastEnd {
                    table,
                    size,
                    available,
                };
                return Err(fault.at(at + 4));
            }
            let Some(place) = found.get_mut(table as usize) else {
                has_unknown = true;
                continue;
            };
            if place.start != 0 {
                return Err(Fault::DuplicateTable { table }.at(at));
            }
            let start = at + TABLE_HEADER_LEN;
            *place = start..start + size as usize;
        }
        Ok(Self(found, bytes, has_unknown))
    }

    fn bytes(&self, table: usize) -> &'a [u8] {
        &self.1[self.0[table].clone()]
    }

    fn records(&self, table: usize, least: u32) -> Result<Table, Error> {
        let bytes = self.bytes(table);
        let start = self.0[table].start;
        if start == 0 {
            return Ok(Table::default());
        }
        let Some((header, records)) = bytes.split_first_chunk::<TABLE_HEADER_LEN>() else {
            let available = bytes.len();
            return Err(Fault::TableCut { table, available }.at(start));
        };
        let [count, stride] = [0, 4].map(|at| word_at(header, at));
        if stride < least {
            let fault = Fault::Stride {
                table,
                stride,
                least,
            };
            return Err(fault.at(start + 4));
        }
        if u64::from(count) * u64::from(stride) > records.len() as u64 {
            let fault = Fault::RecordsPastEnd {
                table,
                count,
                stride,
            };
            return Err(fault.at(start));
        }
        Ok(Table {
            at: start + TABLE_HEADER_LEN,
            count,
            stride: stride as usize,
        })
    }
}

/// An array that records refer to, whose elements are to be checked: what they are, and where they
/// are in the table of indices.
type Elements = (Target, Range<usize>);

/// What the elements of an array are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Strings,
    Rows(usize),
}

/// Checks all references.
struct References<'r, 'a> {
    data: &'r RuntimeData<'a>,
    /// Where the last string ends, so that none behind it has an end.
    last_end: Option<usize>,
    /// How many bytes the strings of records may still have.
    text_left: usize,
    arrays: Vec<Elements>,
}

impl<'r, 'a> References<'r, 'a> {
    fn new(data: &'r RuntimeData<'a>) -> Self {
        Self {
            data,
            last_end: data.strings.rfind('\0'),
            text_left: TEXT_FACTOR * data.bytes.len(),
            arrays: Vec::new(),
        }
    }

    fn check(mut self) -> Result<(), Error> {
        for (table, _) in RECORDS {
            let Table { at, count, stride } = self.data.tables[table];
            for row in 0..count {
                let at = at + row as usize * stride;
                let record = self.data.record(table, row);
                if table == FUNCTIONS && function_kind(record).is_none() {
                    let kind = record.word(FUNCTION_KIND);
                    return Err(Fault::FunctionKind { kind }.at(at + 4 * FUNCTION_KIND));
                }
                for &(word, reference) in references(table, record) {
                    self.check_reference(record, word, reference)
                        .map_err(|fault| fault.at(at + 4 * word))?;
                }
            }
        }
        self.check_elements()
    }

    fn check_reference(
        &mut self,
        record: Record<'_>,
        word: usize,
        reference: Reference,
    ) -> Result<(), Fault> {
        let value = record.word(word);
        match reference {
            Reference::String => {
                self.check_target(Target::Strings, value)?;
                self.count_text(value)
            }
            Reference::Row(table) => self.check_target(Target::Rows(table), value),
            Reference::Numbers => self.array(value).map(drop),
            Reference::Strings => self.add(Target::Strings, value),
            Reference::Rows(table) => self.add(Target::Rows(table), value),
            Reference::RawBytes => {
                let size = record.word(word + 1);
                let raw_bytes = self.data.raw_bytes.len();
                if u64::from(value) + u64::from(size) > raw_bytes as u64 {
                    return Err(Fault::RawBytes {
                        offset: value,
                        size,
                        raw_bytes,
                    });
                }
                Ok(())
            }
        }
    }

    /// Counts the string of a record. Records may share one, and each looks for its end when it is read:
    /// without a limit, that could take time quadratic in the length of the part.
    fn count_text(&mut self, offset: u32) -> Result<(), Fault> {
        let left = self.text_left.checked_sub(self.data.string(offset).len());
        self.text_left = left.ok_or(Fault::StringsTooLong {
            limit: TEXT_FACTOR * self.data.bytes.len(),
        })?;
        Ok(())
    }

    fn check_target(&self, target: Target, value: u32) -> Result<(), Fault> {
        match target {
            Target::Strings => {
                let strings = self.data.strings;
                let offset = value as usize;
                if strings.is_char_boundary(offset) && self.last_end >= Some(offset) {
                    return Ok(());
                }
                Err(Fault::String {
                    offset: value,
                    strings: strings.len(),
                })
            }
            Target::Rows(table) => {
                let count = self.data.tables[table].count;
                if value < count {
                    return Ok(());
                }
                Err(Fault::Row {
                    table,
                    row: value,
                    count,
                })
            }
        }
    }

    /// Where the elements of an array are in the table of indices; nowhere if it is none.
    fn array(&self, index: u32) -> Result<Range<usize>, Fault> {
        if index == NONE {
            return Ok(0..0);
        }
        let start = index as usize + 1;
        let indices = self.data.indices;
        let count = indices.get(index as usize).copied();
        count
            .map(|count| start..start.saturating_add(u32::from_le_bytes(count) as usize))
            .filter(|elements| elements.end <= indices.len())
            .ok_or(Fault::Array {
                index,
                indices: indices.len(),
            })
    }

    fn add(&mut self, target: Target, index: u32) -> Result<(), Fault> {
        let elements = self.array(index)?;
        if !elements.is_empty() {
            self.arrays.push((target, elements));
        }
        Ok(())
    }

    /// Checks the elements of all arrays. Arrays may share elements: each is looked at once, or the
    /// time could be quadratic in the length of the part.
    fn check_elements(mut self) -> Result<(), Error> {
        let mut arrays = std::mem::take(&mut self.arrays);
        arrays.sort_unstable_by_key(|(target, elements)| (*target, elements.start));
        let mut checked = (Target::Strings, 0);
        for (target, elements) in arrays {
            let done = if checked.0 == target { checked.1 } else { 0 };
            for index in elements.start.max(done)..elements.end {
                let value = u32::from_le_bytes(self.data.indices[index]);
                self.check_target(target, value)
                    .map_err(|fault| fault.at(self.data.indices_at + 4 * index))?;
            }
            checked = (target, elements.end.max(done));
        }
        Ok(())
    }
}
