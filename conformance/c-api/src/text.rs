//! Texts across the boundary: UTF-8 with a NUL at the end.

use std::ffi::{CStr, CString, c_char};

use crate::last_error::Error;

/// A text for C. What follows a NUL inside it would be lost, so a NUL becomes a replacement character.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// A text of C's; `None` for a null pointer.
///
/// # Safety
///
/// `text` is null, or points to bytes that end with a NUL and do not change as long as the result.
pub(crate) unsafe fn from_c<'a>(name: &str, text: *const c_char) -> Result<Option<&'a str>, Error> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: `text` is not null, and so a text that ends (`# Safety`).
    let text = unsafe { CStr::from_ptr(text) };
    let text = text
        .to_str()
        .map_err(|_| Error::invalid(format!("{name} is not UTF-8")))?;
    Ok(Some(text))
}
