//! Memory that a host lends.

use std::alloc::{Layout, alloc, dealloc};

/// Bytes on either side that must stay as they are.
const GUARD: usize = 64;
const GARBAGE: u8 = 0xA5;

/// Garbage-filled memory at any alignment, with guard bytes on both sides.
pub struct Guarded {
    base: *mut u8,
    offset: usize,
    size: usize,
}

impl Guarded {
    /// `size` bytes whose address is `offset` more than a multiple of 64.
    pub fn new(size: usize, offset: usize) -> Self {
        let layout = Self::layout(size, offset);
        // SAFETY: the layout has bytes, all of which are then written.
        let base = unsafe {
            let base = alloc(layout);
            base.write_bytes(GARBAGE, layout.size());
            base
        };
        Self { base, offset, size }
    }

    fn layout(size: usize, offset: usize) -> Layout {
        Layout::from_size_align(GUARD + offset + size + GUARD, GUARD).unwrap()
    }

    pub fn at(&self) -> *mut u8 {
        // SAFETY: inside the allocation.
        unsafe { self.base.add(GUARD + self.offset) }
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the allocation's own bytes, initialised; the plugin writes only during its calls.
        unsafe { std::slice::from_raw_parts(self.at(), self.size) }
    }

    /// Whether nothing was ever written.
    pub fn is_untouched(&self) -> bool {
        self.bytes().iter().all(|&byte| byte == GARBAGE)
    }

    /// Panics if a guard byte changed.
    pub fn check(&self) {
        let len = Self::layout(self.size, self.offset).size();
        // SAFETY: the allocation's own bytes, initialised.
        let all = unsafe { std::slice::from_raw_parts(self.base, len) };
        let (before, rest) = all.split_at(GUARD + self.offset);
        let outside = before.iter().chain(&rest[self.size..]);
        assert!(
            outside.into_iter().all(|&byte| byte == GARBAGE),
            "written outside"
        );
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.base, Self::layout(self.size, self.offset)) };
    }
}

/// Owns what a description points at. Raw pointers into it stay valid, and may be written through,
/// until it is dropped.
#[derive(Default)]
pub struct Arena(Vec<Box<dyn FnOnce()>>);

impl Arena {
    pub fn put<T: 'static>(&mut self, value: T) -> *mut T {
        let memory = Box::into_raw(Box::new(value));
        // SAFETY: from `into_raw`, freed once.
        let free = move || drop(unsafe { Box::from_raw(memory) });
        self.0.push(Box::new(free));
        memory
    }

    /// The elements; null for none.
    pub fn slice<T: 'static>(&mut self, values: Vec<T>) -> *mut T {
        if values.is_empty() {
            return std::ptr::null_mut();
        }
        let memory = Box::into_raw(values.into_boxed_slice());
        // SAFETY: from `into_raw`, freed once.
        let free = move || drop(unsafe { Box::from_raw(memory) });
        self.0.push(Box::new(free));
        memory.cast()
    }

    /// NUL-terminated UTF-16.
    pub fn text(&mut self, text: &str) -> *const u16 {
        self.slice(text.encode_utf16().chain([0]).collect())
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for free in self.0.drain(..) {
            free();
        }
    }
}
