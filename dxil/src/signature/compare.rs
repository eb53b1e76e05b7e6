//! A signature part against the signature in the metadata.

use std::collections::BTreeMap;

use super::{ELEMENTS, HEADER_LEN, NAME, STRIDE, Signature};
use crate::ErrorKind;
use crate::check::{Expected, Facts, Fields, Findings, is_packed};
use crate::module::SignatureEntry;
use crate::psv0::SemanticKind;

const FIELDS: &Fields = &[
    ("stream", 0, 32),
    ("semantic index", 64, 32),
    ("system value", 96, 32),
    ("component type", 128, 32),
    ("register", 160, 32),
    ("mask", 192, 8),
    ("mask of what is read or not written", 200, 8),
    ("reserved bytes", 208, 16),
    ("minimum precision", 224, 32),
];

/// Where the names are: compared only where nothing else is wrong, for another name moves those
/// behind it.
const NAME_OFFSET: &Fields = &[("offset of the semantic name", 32, 32)];

const ELEMENT: &str = "element";

struct Row<'m> {
    record: Expected<{ 4 * STRIDE }>,
    name: &'m str,
    /// Stream, register, offset of the name: the order of the part.
    key: (u32, u32, u32),
    semantic_index: u32,
}

impl Signature<'_> {
    /// Compares the signature with the entries that it is made from.
    pub(crate) fn compare(
        &self,
        facts: &Facts<'_>,
        entries: &[SignatureEntry],
        is_input: bool,
        findings: &mut Findings<'_, '_>,
    ) {
        let (mut rows, len) = rows(facts, entries, is_input);
        if !findings.count("elements", [self.elements.len(), rows.len()], 0) {
            return;
        }
        let offset = self.bytes[ELEMENTS..].first_chunk().copied();
        let offset = u32::from_le_bytes(offset.unwrap_or_default());
        let offsets = [offset.into(), HEADER_LEN as u64];
        if !findings.number(("elements", None), "their offset", offsets, ELEMENTS) {
            return;
        }
        rows.sort_by_key(|row| row.key);
        let before = findings.len();
        for (index, place) in self.pairs(&rows) {
            let row = &rows[place];
            let words = &self.elements[index];
            let at = HEADER_LEN + 4 * STRIDE * index;
            let record = (ELEMENT, Some(index));
            let name = u32::from_le_bytes(words[NAME / 4]) as usize;
            let name = self.bytes.get(name..).unwrap_or_default();
            findings.text(record, "semantic name", (name, row.name), at + NAME);
            let records = [words.as_flattened(), &row.record.0];
            findings.record(record, FIELDS, records, at);
        }
        if findings.len() > before {
            return;
        }
        for (index, place) in self.pairs(&rows) {
            let records = [self.elements[index].as_flattened(), &rows[place].record.0];
            let at = HEADER_LEN + 4 * STRIDE * index;
            findings.record((ELEMENT, Some(index)), NAME_OFFSET, records, at);
        }
        let found = self.bytes.len();
        if found != len {
            let expected = len;
            findings.add(ErrorKind::PartLength { expected, found }, 0);
        } else if findings.len() == before {
            // All names are in their places, so only what pads the part is left.
            let end = rows
                .iter()
                .map(|row| row.key.2 as usize + row.name.len() + 1);
            let end = end.max().unwrap_or(HEADER_LEN);
            if self.bytes[end..].iter().any(|&byte| byte != 0) {
                findings.add(ErrorKind::Unused { what: "bytes" }, end);
            }
        }
    }

    /// Places of elements with those of the rows to compare them with. Rows of the same key have no
    /// order of their own.
    fn pairs(&self, rows: &[Row<'_>]) -> Vec<(usize, usize)> {
        let mut pairs = Vec::with_capacity(rows.len());
        let mut start = 0;
        for group in rows.chunk_by(|a, b| a.key == b.key) {
            let places = start..start + group.len();
            let mut elements: Vec<usize> = places.clone().collect();
            let mut expected = elements.clone();
            elements.sort_by_key(|&index| u32::from_le_bytes(self.elements[index][2]));
            expected.sort_by_key(|&place| rows[place].semantic_index);
            pairs.extend(elements.into_iter().zip(expected));
            start = places.end;
        }
        pairs
    }
}

/// The records, and the length of the part.
fn rows<'m>(
    facts: &Facts<'_>,
    entries: &'m [SignatureEntry],
    is_input: bool,
) -> (Vec<Row<'m>>, usize) {
    let is_before_1_5 = facts.is_before(5);
    let is_before_1_7 = facts.is_before(7);
    let count: usize = entries.iter().map(|entry| entry.indices.len()).sum();
    let mut end = HEADER_LEN + 4 * STRIDE * count;
    let mut names = BTreeMap::new();
    let mut rows = Vec::with_capacity(count);
    for entry in entries {
        // Before 1.7, only system values shared their names.
        let is_shared = !is_before_1_7 || entry.semantic != SemanticKind::ARBITRARY;
        let known = names.get(entry.name.as_str()).copied();
        let offset = known.filter(|_| is_shared).unwrap_or_else(|| {
            names.insert(entry.name.as_str(), end);
            let offset = end;
            end += entry.name.len() + 1;
            offset
        });
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        let shift = if is_packed(entry) {
            entry.start_column
        } else {
            0
        };
        let mask = ((1_u32 << entry.columns.min(4)) - 1) << shift;
        let usage = entry.usage_mask << shift;
        let rw_mask = match (is_before_1_5, is_input) {
            (true, true) => 0,
            (true, false) => !mask,
            (false, true) => usage,
            (false, false) => !usage & 0xf,
        };
        for (row, &index) in entry.indices.iter().enumerate() {
            let register = if is_packed(entry) {
                let row = u32::try_from(row).unwrap_or(u32::MAX);
                entry.start_row.saturating_add(row)
            } else {
                entry.start_row
            };
            let mut record = Expected::new();
            record.word(0, entry.stream);
            record.word(4, offset);
            record.word(8, index);
            record.word(12, facts.system_value(entry.semantic, row).0);
            record.word(16, facts.component_type(entry.ty).0);
            record.word(20, register);
            record.byte(24, mask);
            record.byte(25, rw_mask);
            record.word(28, facts.min_precision(entry.ty).0);
            rows.push(Row {
                record,
                name: &entry.name,
                key: (entry.stream, register, offset),
                semantic_index: index,
            });
        }
    }
    let len = if is_before_1_7 {
        end
    } else {
        end.next_multiple_of(4)
    };
    (rows, len)
}
