//! Turning the host's pointers into references, with every check that is possible.
//!
//! The views of [`desc`](super) are made with it. A vendor's usermode driver, which gets the same
//! structures from the D3D12 runtime, reads them with it too.

use ddi_sys::{E_INVALIDARG, WCHAR};
use widestring::U16Str;

use crate::error::Error;

/// Why a description cannot be read. `what` is the C name of the member.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DescError {
    /// A pointer that the DDI requires is null.
    #[error("{what} is null")]
    Null {
        /// The pointer.
        what: &'static str,
    },
    /// A count says that there are elements, but the array is null.
    #[error("{what} is null, but its count is {count}")]
    NullArray {
        /// The array.
        what: &'static str,
        /// Its stated number of elements.
        count: u32,
    },
    /// A pointer is not aligned as its type is in C.
    #[error("{what} is not aligned")]
    Misaligned {
        /// The pointer.
        what: &'static str,
    },
    /// A count is beyond all that the DDI can mean.
    #[error("{what} has {count} elements, more than {limit}")]
    TooMany {
        /// The array.
        what: &'static str,
        /// Its stated number of elements.
        count: u32,
        /// The largest number that is accepted.
        limit: u32,
    },
    /// A string has no end.
    #[error("{what} has no NUL within {limit} characters")]
    Unterminated {
        /// The string.
        what: &'static str,
        /// Where the search ended, in UTF-16 code units.
        limit: usize,
    },
    /// Shader code whose first words cannot be those of a program or container.
    #[error("{what} is no shader: {error}")]
    Shader {
        /// The pointer to the code.
        what: &'static str,
        /// What is wrong with its header.
        error: dxil::Error,
    },
    /// The root signature's version is none that the DDI defines.
    #[error("root signature version {version} is unknown")]
    RootSignatureVersion {
        /// The stated version.
        version: i32,
    },
    /// An existing collection is no object of this plugin.
    #[error("hExistingCollection is no live state object of this plugin")]
    ForeignCollection,
    /// A linked list is longer than its stated number of elements.
    #[error("{what} has more links than its count of {count}")]
    EndlessList {
        /// The list.
        what: &'static str,
        /// Its stated number of elements.
        count: u32,
    },
}

impl From<DescError> for Error {
    fn from(error: DescError) -> Self {
        Self::new(E_INVALIDARG, error.to_string())
    }
}

/// More elements than any array of the DDI can mean, so that no count makes a slice of absurd size.
const MAX_ELEMENTS: u32 = 1 << 20;

/// More than any name, path or title; a string must end before.
const MAX_STRING: usize = 1 << 16;

/// The structure at a pointer; `None` when the pointer is null.
///
/// # Errors
///
/// [`DescError::Misaligned`].
///
/// # Safety
///
/// `pointer` is null or points at a `T` that is valid and unchanged for `'a`.
pub unsafe fn optional<'a, T>(
    what: &'static str,
    pointer: *const T,
) -> Result<Option<&'a T>, DescError> {
    if !pointer.is_null() && !pointer.is_aligned() {
        return Err(DescError::Misaligned { what });
    }
    // SAFETY: `pointer` is null or to a `T` that is valid and unchanged for `'a` (`# Safety`), and is aligned, as was checked.
    Ok(unsafe { pointer.as_ref() })
}

/// The structure at a pointer.
///
/// # Errors
///
/// [`DescError::Null`] and [`DescError::Misaligned`].
///
/// # Safety
///
/// As [`optional`].
pub unsafe fn required<'a, T>(what: &'static str, pointer: *const T) -> Result<&'a T, DescError> {
    // SAFETY: `pointer` is null or to a `T` that is valid and unchanged for `'a` (`# Safety`).
    unsafe { optional(what, pointer) }?.ok_or(DescError::Null { what })
}

/// An array of a stated number of elements; without any, the pointer does not matter.
///
/// # Errors
///
/// [`DescError::NullArray`], [`DescError::Misaligned`] and [`DescError::TooMany`].
///
/// # Safety
///
/// `pointer` is null or points at `count` elements that are valid and unchanged for `'a`.
pub unsafe fn array<'a, T>(
    what: &'static str,
    pointer: *const T,
    count: u32,
) -> Result<&'a [T], DescError> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(DescError::NullArray { what, count });
    }
    if !pointer.is_aligned() {
        return Err(DescError::Misaligned { what });
    }
    if count > MAX_ELEMENTS {
        let limit = MAX_ELEMENTS;
        return Err(DescError::TooMany { what, count, limit });
    }
    // SAFETY: `pointer` is not null and aligned, `MAX_ELEMENTS` keeps the size from overflowing, and `count` elements are valid
    // and unchanged for `'a` (`# Safety`).
    Ok(unsafe { std::slice::from_raw_parts(pointer, count as usize) })
}

/// A NUL-terminated string; `None` when the pointer is null.
///
/// # Errors
///
/// [`DescError::Misaligned`] and [`DescError::Unterminated`].
///
/// # Safety
///
/// `pointer` is null or points at UTF-16 code units, valid and unchanged for `'a`, up to and with a
/// NUL.
pub unsafe fn optional_text<'a>(
    what: &'static str,
    pointer: *const WCHAR,
) -> Result<Option<&'a U16Str>, DescError> {
    if pointer.is_null() {
        return Ok(None);
    }
    if !pointer.is_aligned() {
        return Err(DescError::Misaligned { what });
    }
    for length in 0..MAX_STRING {
        // SAFETY: no NUL came before this unit, so it belongs to the caller's string.
        if unsafe { *pointer.add(length) } == 0 {
            // SAFETY: these units were just read.
            return Ok(Some(unsafe { U16Str::from_ptr(pointer, length) }));
        }
    }
    let limit = MAX_STRING;
    Err(DescError::Unterminated { what, limit })
}

/// A NUL-terminated string.
///
/// # Errors
///
/// As [`optional_text`], and [`DescError::Null`].
///
/// # Safety
///
/// As [`optional_text`].
pub unsafe fn text<'a>(what: &'static str, pointer: *const WCHAR) -> Result<&'a U16Str, DescError> {
    // SAFETY: `pointer` is null or to units that are valid and unchanged for `'a`, up to and with a NUL (`# Safety`).
    unsafe { optional_text(what, pointer) }?.ok_or(DescError::Null { what })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn every_check_of_an_array() {
        let items = [1u32, 2, 3];
        let odd = items.as_ptr().wrapping_byte_add(1);
        // SAFETY: pointers are null, of `items`, or refused before they are read.
        unsafe {
            assert_eq!(array::<u32>("a", ptr::null(), 0), Ok(&[][..]));
            assert_eq!(array("a", items.as_ptr(), 3), Ok(&items[..]));
            let null = DescError::NullArray {
                what: "a",
                count: 1,
            };
            assert_eq!(array::<u32>("a", ptr::null(), 1), Err(null));
            assert_eq!(array("a", odd, 1), Err(DescError::Misaligned { what: "a" }));
            assert!(matches!(
                array("a", items.as_ptr(), u32::MAX),
                Err(DescError::TooMany {
                    count: u32::MAX,
                    ..
                })
            ));
        }
    }

    #[test]
    fn every_check_of_a_string() {
        let endless = vec![u16::from(b'x'); MAX_STRING];
        let hello: Vec<u16> = "hi\0rest".encode_utf16().collect();
        // SAFETY: the endless string is as long as the search goes.
        unsafe {
            assert_eq!(text("s", hello.as_ptr()).unwrap().to_string_lossy(), "hi");
            assert_eq!(text("s", ptr::null()), Err(DescError::Null { what: "s" }));
            assert_eq!(optional_text("s", ptr::null()), Ok(None));
            assert!(matches!(
                text("s", endless.as_ptr()),
                Err(DescError::Unterminated { .. })
            ));
        }
    }
}
