//! Little-endian fields: of headers of fixed size, and of tables whose place and length the input
//! says.

use std::fmt;

/// The word at byte `at` of a header that is long enough for it: offsets are constants of the
/// format.
pub(crate) fn word_at<const N: usize>(header: &[u8; N], at: usize) -> u32 {
    u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
}

/// The words of a table of `count` records of `stride` words each, which starts at byte `offset`.
/// `None` where it does not fit into `bytes`; where there are no records, the offset means nothing.
pub(crate) fn table(bytes: &[u8], offset: u32, count: u32, stride: usize) -> Option<&[[u8; 4]]> {
    if count == 0 {
        return Some(&[]);
    }
    let (words, _) = bytes.get(offset as usize..)?.as_chunks();
    words.get(..(count as usize).checked_mul(stride)?)
}

/// Numbers in a part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Numbers<'a>(pub(crate) &'a [[u8; 4]]);

impl<'a> Numbers<'a> {
    /// The numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        self.0.iter().copied().map(u32::from_le_bytes)
    }
}

impl fmt::Debug for Numbers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn a_table_fits_or_there_is_none() {
        let bytes = [7; 13];
        let words = |offset, count, stride| table(&bytes, offset, count, stride).map(<[_]>::len);
        assert_eq!(words(1, 3, 1), Some(3));
        assert_eq!(words(2, 3, 1), None);
        assert_eq!(words(5, 1, 2), Some(2));
        assert_eq!(words(5, 2, 2), None);
        assert_eq!(words(0, u32::MAX, usize::MAX / 2), None);
        assert_eq!(words(13, 1, 1), None);
        assert_eq!(words(14, 1, 1), None);
        assert_eq!(words(u32::MAX, 1, 1), None);
        assert_eq!(words(u32::MAX, 0, 1), Some(0));
    }
}
