//! Copies of what a host lends for one call, at addresses that stay.

use std::mem::MaybeUninit;
use std::ptr;

/// Memory for copies. Nothing in it moves, wherever this moves.
#[derive(Default)]
pub(crate) struct Copies(Vec<Box<[Unit]>>);

/// 16 bytes, aligned to as many: enough for every structure of the DDI.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Unit(#[expect(dead_code, reason = "memory for others")] MaybeUninit<[u8; 16]>);

impl Copies {
    /// Copies a structure.
    pub(crate) fn put<T: Copy>(&mut self, value: T) -> *mut T {
        self.array(&[value])
    }

    /// Copies an array; an empty one is null.
    pub(crate) fn array<T: Copy>(&mut self, values: &[T]) -> *mut T {
        const { assert!(align_of::<T>() <= align_of::<Unit>()) };
        if values.is_empty() {
            return ptr::null_mut();
        }
        let units = size_of_val(values).div_ceil(size_of::<Unit>());
        // Zeros between the structures: the same bytes each time.
        let mut memory = vec![Unit(MaybeUninit::zeroed()); units].into_boxed_slice();
        let place = memory.as_mut_ptr().cast::<T>();
        // SAFETY: the memory has room for the values, is aligned for them, and nothing else points to it.
        unsafe { ptr::copy_nonoverlapping(values.as_ptr(), place, values.len()) };
        self.0.push(memory);
        place
    }
}

/// A structure in [`Copies`] or in memory that its owner keeps alive and unchanged.
#[derive(Debug)]
pub(crate) struct Kept<T>(*const T);

impl<T> Kept<T> {
    /// # Safety
    /// The structure, and all that it points to, lives unchanged as long as this value's owner.
    pub(crate) const unsafe fn new(place: *const T) -> Self {
        Self(place)
    }

    pub(crate) const fn as_ptr(&self) -> *const T {
        self.0
    }

    pub(crate) fn get(&self) -> &T {
        // SAFETY: by `new`: the owner, of which `self` is a part, keeps it.
        unsafe { &*self.0 }
    }
}

// SAFETY: what it points to is only read.
unsafe impl<T> Send for Kept<T> {}
// SAFETY: as for `Send`.
unsafe impl<T> Sync for Kept<T> {}
