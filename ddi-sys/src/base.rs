//! The Windows base types that the DDI is written in.

use core::ffi::c_void;

/// 32-bit unsigned integer.
pub type UINT = u32;
/// 32-bit signed integer.
pub type INT = i32;
/// 8-bit unsigned integer.
pub type UINT8 = u8;
/// 16-bit unsigned integer.
pub type UINT16 = u16;
/// 32-bit unsigned integer.
pub type UINT32 = u32;
/// 64-bit unsigned integer, aligned to 8 bytes on 32-bit Windows too.
pub type UINT64 = u64;
/// 32-bit boolean: 0 is false, anything else true; the DDI writes 1.
pub type BOOL = i32;
/// 32-bit floating point number.
pub type FLOAT = f32;
/// Pointer-sized unsigned integer.
pub type SIZE_T = usize;
/// UTF-16 code unit, 16 bits on every system.
pub type WCHAR = u16;
/// NUL-terminated UTF-16 string that is not written.
pub type PCWSTR = *const WCHAR;
/// NUL-terminated UTF-16 string that is not written.
pub type LPCWSTR = *const WCHAR;
/// Opaque pointer-sized value of the host.
pub type HANDLE = *mut c_void;

/// [`BOOL`] true.
pub const TRUE: BOOL = 1;
/// [`BOOL`] false.
pub const FALSE: BOOL = 0;

/// A C enum of the DDI: any 32-bit value, perhaps with a name.
pub trait Enumeration: Copy {
    /// The value.
    fn value(self) -> INT;
    /// The enumerator's C name; `None` for a value that has none.
    fn name(self) -> Option<&'static str>;
}

/// A C enum whose enumerators are bits.
pub trait Flags: Enumeration {
    /// The bits that have a name.
    const KNOWN: INT;
}
