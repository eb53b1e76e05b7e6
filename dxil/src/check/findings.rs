//! What is found wrong, and the comparison of records that finds it.

use crate::error::PartRecord;
use crate::{Error, ErrorKind, Part};

/// The fields of a record: name, first bit, number of bits.
pub(crate) type Fields = [(&'static str, usize, usize)];

/// What is wrong with a part.
pub(crate) struct Findings<'p, 'a> {
    pub(crate) part: &'p Part<'a>,
    errors: &'p mut Vec<Error>,
}

impl<'p, 'a> Findings<'p, 'a> {
    pub(super) fn new(part: &'p Part<'a>, errors: &'p mut Vec<Error>) -> Self {
        Self { part, errors }
    }

    /// How much was found, in this part and those before.
    pub(crate) fn len(&self) -> usize {
        self.errors.len()
    }

    /// Adds what is wrong at byte `at` of the payload.
    pub(crate) fn add(&mut self, kind: ErrorKind, at: usize) {
        let error = kind.at(at);
        self.errors
            .push(error.in_part(self.part.fourcc(), self.part.payload()));
    }

    /// Compares a number at byte `at`; tells whether it is as expected.
    pub(crate) fn number(
        &mut self,
        record: (&'static str, Option<usize>),
        field: &'static str,
        [found, expected]: [u64; 2],
        at: usize,
    ) -> bool {
        if found != expected {
            let record = place(record);
            let kind = ErrorKind::Disagreement {
                record,
                field,
                found,
                expected,
            };
            self.add(kind, at);
        }
        found == expected
    }

    /// Compares how many records there are; tells whether it is as expected.
    pub(crate) fn count(
        &mut self,
        records: &'static str,
        [found, expected]: [usize; 2],
        at: usize,
    ) -> bool {
        let counts = [found, expected].map(|count| count as u64);
        self.number((records, None), "their number", counts, at)
    }

    /// Compares a text at byte `at`. `found` is what stands at its start: many records may share a
    /// long one, so nothing looks for its end.
    pub(crate) fn text(
        &mut self,
        record: (&'static str, Option<usize>),
        field: &'static str,
        (found, expected): (&[u8], &str),
        at: usize,
    ) {
        let is_same = found.strip_prefix(expected.as_bytes());
        if is_same.and_then(<[u8]>::first) != Some(&0) {
            self.differs(record, field, at);
        }
    }

    /// Adds that something that is not a number is not as expected.
    pub(crate) fn differs(
        &mut self,
        record: (&'static str, Option<usize>),
        field: &'static str,
        at: usize,
    ) {
        let record = place(record);
        self.add(ErrorKind::OtherDisagreement { record, field }, at);
    }

    /// Compares the fields of a record that starts at byte `at`.
    pub(crate) fn record(
        &mut self,
        record: (&'static str, Option<usize>),
        fields: &Fields,
        [found, expected]: [&[u8]; 2],
        at: usize,
    ) {
        if found == expected {
            return;
        }
        for &(field, bit, bits) in fields {
            let values = [found, expected].map(|bytes| extract(bytes, bit, bits));
            self.number(record, field, values, at + bit / 8);
        }
    }
}

fn place((name, index): (&'static str, Option<usize>)) -> PartRecord {
    PartRecord { name, index }
}

/// Up to 64 bits of a record; those behind its end are 0.
fn extract(bytes: &[u8], bit: usize, bits: usize) -> u64 {
    let bytes = bytes.get(bit / 8..).unwrap_or_default().iter();
    let low = bytes.take(8).zip(0..).fold(0, |value, (&byte, place)| {
        value | u64::from(byte) << (8 * place)
    });
    let value = low >> (bit % 8);
    if bits < 64 {
        value & ((1 << bits) - 1)
    } else {
        value
    }
}

/// A record to compare with: words and smaller numbers, put at their places.
pub(crate) struct Expected<const N: usize>(pub(crate) [u8; N]);

impl<const N: usize> Expected<N> {
    pub(crate) fn new() -> Self {
        Self([0; N])
    }

    pub(crate) fn word(&mut self, at: usize, value: u32) {
        self.0[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// Puts in the low half of a number.
    pub(crate) fn half(&mut self, at: usize, value: u32) {
        self.0[at..at + 2].copy_from_slice(&value.to_le_bytes()[..2]);
    }

    /// Puts in the low byte of a number.
    pub(crate) fn byte(&mut self, at: usize, value: u32) {
        self.0[at] = value.to_le_bytes()[0];
    }
}

#[cfg(test)]
mod tests {
    use super::extract;

    #[test]
    fn bits_of_records() {
        let bytes = [0x12, 0x34, 0x56, 0x78, 0x9a];
        assert_eq!(extract(&bytes, 0, 32), 0x7856_3412);
        assert_eq!(extract(&bytes, 12, 4), 3);
        assert_eq!(extract(&bytes, 24, 16), 0x9a78);
        assert_eq!(extract(&bytes, 24, 64), 0x9a78);
        assert_eq!(extract(&bytes, 40, 8), 0);
    }
}
