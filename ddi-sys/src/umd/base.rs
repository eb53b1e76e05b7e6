//! Base types that only the usermode DDI uses.

use core::ffi::c_char;

use bytemuck::{Pod, Zeroable};

use crate::base::{UINT8, UINT16, UINT32};

/// 8-bit signed integer.
pub type INT8 = i8;
/// 32-bit signed integer.
pub type LONG = i32;
/// Pointer-sized unsigned integer.
pub type ULONG_PTR = usize;
/// NUL-terminated string of bytes that is not written.
pub type LPCSTR = *const c_char;

/// A rectangle: left and top inside, right and bottom outside.
///
/// Source: the public windef.h.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct RECT {
    /// x64 offset 0, x86 offset 0.
    pub left: LONG,
    /// x64 offset 4, x86 offset 4.
    pub top: LONG,
    /// x64 offset 8, x86 offset 8.
    pub right: LONG,
    /// x64 offset 12, x86 offset 12.
    pub bottom: LONG,
}

/// A globally unique identifier.
///
/// Source: the public guiddef.h.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
pub struct GUID {
    /// x64 offset 0, x86 offset 0.
    pub Data1: UINT32,
    /// x64 offset 4, x86 offset 4.
    pub Data2: UINT16,
    /// x64 offset 6, x86 offset 6.
    pub Data3: UINT16,
    /// x64 offset 8, x86 offset 8.
    pub Data4: [UINT8; 8],
}
