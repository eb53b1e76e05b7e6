//! What XML cannot hold.

/// A document with a replacement character for each character that XML 1.0 has no way to write, which a library may have printed.
pub(super) fn with_legal_characters(document: &str) -> String {
    let is_legal = |c| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    document.replace(|c| !is_legal(c), "\u{fffd}")
}
