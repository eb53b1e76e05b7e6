//! Little-endian fields of fixed-size headers.

/// The word at byte `at` of a header that is long enough for it: offsets are constants of the
/// format.
pub(crate) fn word_at<const N: usize>(header: &[u8; N], at: usize) -> u32 {
    u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
}
