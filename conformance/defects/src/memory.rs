//! Uses of memory: as the DDI permits it, and as a defect does.
//!
//! They take any pointer, as a defect is a use that nothing permits.

#![allow(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "a hook has the arguments of its call, which the DDI has valid, or does what nothing permits"
)]

use std::{ptr, slice};

/// What an argument of a call in progress leads to: the DDI has it null or valid.
pub fn given<'a, T>(argument: *const T) -> Option<&'a T> {
    // SAFETY: null or valid for as long as the call, as the DDI demands of whoever makes it.
    unsafe { argument.as_ref() }
}

/// The elements that an argument of a call in progress leads to: the DDI has it null, or has as many there as are said.
pub fn given_array<'a, T>(first: *const T, count: u32) -> &'a [T] {
    if first.is_null() {
        return &[];
    }
    // SAFETY: there are as many for as long as the call, as the DDI demands of whoever makes it.
    unsafe { slice::from_raw_parts(first, count as usize) }
}

/// The elements that a call in progress is to write: null, or room for as many as are said.
pub fn given_room<'a, T>(first: *mut T, count: u32) -> &'a mut [T] {
    if first.is_null() {
        return &mut [];
    }
    // SAFETY: there are as many for as long as the call, as the DDI demands of whoever makes it.
    unsafe { slice::from_raw_parts_mut(first, count as usize) }
}

/// What comes of using `pointer` without a check: a fault of the processor if it is null.
pub fn follow<T>(pointer: *const T) {
    if pointer.is_null() {
        // Not at 0 itself, which Rust's own checks would catch.
        // SAFETY: none; that is the defect.
        unsafe { pointer.cast::<u8>().wrapping_add(1).read_volatile() };
    }
}

/// Reads a byte of each 4, where so many bytes are there or not.
pub fn read<T>(first: *const T, bytes: usize) {
    for at in (0..bytes).step_by(4) {
        // SAFETY: none; that is the defect.
        unsafe { first.cast::<u8>().wrapping_add(at).read_volatile() };
    }
}

/// Writes a value, where there is room or not.
pub fn write<T>(at: *const T, value: impl Copy) {
    let bytes = (&raw const value).cast::<u8>();
    // SAFETY: none; that is the defect.
    unsafe { ptr::copy(bytes, at.cast::<u8>().cast_mut(), size_of_val(&value)) };
}

/// Writes what is there already, if the pointer leads anywhere.
pub fn rewrite<T>(at: *const T) {
    if !at.is_null() {
        let byte = at.cast::<u8>().cast_mut();
        // SAFETY: none, as what an argument leads to is const; that is the defect.
        unsafe { byte.write_volatile(byte.read_volatile()) };
    }
}
