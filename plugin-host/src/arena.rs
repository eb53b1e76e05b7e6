//! The memory of one description, for those who make or keep descriptions.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr;

/// Memory that descriptions are put into, one structure after another. What was put in never moves
/// and stays until the arena is dropped, wherever the arena itself moves meanwhile.
///
/// Only plain data goes in (`Copy`): nothing is dropped. Memory starts out as zeros, so that what is
/// between the structures is the same each time. Nothing else lies in its pages, so that a host may
/// protect them ([`pages`](Self::pages)).
///
/// ```
/// use plugin_host::arena::Arena;
///
/// let mut arena = Arena::new();
/// let words = arena.array(&[1_u32, 2, 3]);
/// let moved = arena;
/// // SAFETY: the arena is alive and holds three words there.
/// assert_eq!(unsafe { *words.add(2) }, 3);
/// drop(moved);
/// ```
#[derive(Debug, Default)]
pub struct Arena {
    chunks: Vec<Vec<Page>>,
    /// Units of the last chunk that are taken.
    used: usize,
}

/// What chunks are made of: a page of x86.
#[derive(Clone, Copy, Debug)]
#[repr(align(4096))]
struct Page(#[expect(dead_code, reason = "memory for others")] MaybeUninit<[u8; 4096]>);

/// What is taken of chunks: 16 bytes, aligned to as many.
#[repr(align(16))]
struct Unit(#[expect(dead_code, reason = "memory for others")] MaybeUninit<[u8; 16]>);

/// How many units a page has.
const UNITS: usize = size_of::<Page>() / size_of::<Unit>();

impl Arena {
    /// The alignment of everything that is put in, at least.
    pub const ALIGN: usize = align_of::<Unit>();

    /// In pages. The first chunk has room for a pipeline of two shaders; each further one is twice as
    /// large.
    const FIRST_CHUNK: usize = 1;
    const LARGEST_CHUNK: usize = (1 << 20) / size_of::<Page>();

    /// An empty arena; allocates with the first thing that is put in.
    pub fn new() -> Self {
        Self::default()
    }

    /// Copies one structure into the arena.
    pub fn put<T: Copy>(&mut self, value: T) -> *mut T {
        self.array(&[value])
    }

    /// Copies an array into the arena; an empty one is null.
    pub fn array<T: Copy>(&mut self, values: &[T]) -> *mut T {
        const { assert!(align_of::<T>() <= Self::ALIGN) };
        if values.is_empty() {
            return ptr::null_mut();
        }
        let place = self.room(size_of_val(values)).cast::<T>();
        // SAFETY: `room` gave that many bytes, which nothing else points at, aligned for any `T`.
        unsafe { ptr::copy_nonoverlapping(values.as_ptr(), place, values.len()) };
        place
    }

    /// Makes an array of what the iterator gives; an empty one is null.
    pub fn array_of<T: Copy>(&mut self, values: impl ExactSizeIterator<Item = T>) -> *mut T {
        const { assert!(align_of::<T>() <= Self::ALIGN) };
        let count = values.len();
        if count == 0 {
            return ptr::null_mut();
        }
        let bytes = count.saturating_mul(size_of::<T>());
        let place = self.room(bytes).cast::<T>();
        for (index, value) in values.take(count).enumerate() {
            // SAFETY: `index` is below `count`, for which there is room, aligned for any `T`.
            unsafe { place.add(index).write(value) };
        }
        place
    }

    /// Copies a string and ends it with a NUL.
    pub fn string(&mut self, units: &[u16]) -> *const u16 {
        // Zeros are there already.
        let place = self
            .room(size_of_val(units) + size_of::<u16>())
            .cast::<u16>();
        // SAFETY: `room` gave the bytes of the units and a NUL, which nothing else points at, aligned for any `u16`.
        unsafe { ptr::copy_nonoverlapping(units.as_ptr(), place, units.len()) };
        place
    }

    /// The addresses of its memory, in whole pages of 4096 bytes.
    pub fn pages(&self) -> impl Iterator<Item = Range<*const u8>> {
        self.chunks.iter().map(|chunk| {
            let Range { start, end } = chunk.as_ptr_range();
            start.cast()..end.cast()
        })
    }

    /// Room for `len` bytes, all zeros.
    fn room(&mut self, len: usize) -> *mut Unit {
        let units = len.div_ceil(size_of::<Unit>());
        let free = self.chunks.last().map_or(0, |chunk| chunk.len() * UNITS) - self.used;
        if units > free {
            let double = Self::FIRST_CHUNK << self.chunks.len().min(16);
            let chunk = units.div_ceil(UNITS).max(double.min(Self::LARGEST_CHUNK));
            self.chunks.push(vec![Page(MaybeUninit::zeroed()); chunk]);
            self.used = 0;
        }
        let start = self.used;
        self.used += units;
        let chunk = self.chunks.last_mut();
        let chunk = chunk
            .map_or(ptr::null_mut(), Vec::as_mut_ptr)
            .cast::<Unit>();
        // SAFETY: the chunk has at least `used` units. Without a chunk `start` is 0.
        unsafe { chunk.add(start) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_moves_and_everything_is_aligned() {
        let mut arena = Arena::new();
        let mut places = Vec::new();
        for index in 0..2_000_u64 {
            let values: Vec<u64> = (index..=index + index % 40).collect();
            places.push((arena.array(&values), values));
        }
        let large = vec![7_u8; 3 << 20];
        let large_at = arena.array(&large);
        let name = arena.string(&[65, 66]);
        let moved = Box::new(arena);
        for (place, values) in &places {
            assert!(place.addr().is_multiple_of(Arena::ALIGN));
            // SAFETY: the arena is alive.
            let found = unsafe { std::slice::from_raw_parts(*place, values.len()) };
            assert_eq!(found, &values[..]);
        }
        // SAFETY: the arena lives, and holds as many values.
        unsafe {
            assert_eq!(
                std::slice::from_raw_parts(large_at, large.len()),
                &large[..]
            );
            assert_eq!(std::slice::from_raw_parts(name, 3), [65, 66, 0]);
        }
        drop(moved);
    }

    #[test]
    fn an_empty_array_is_null() {
        assert!(Arena::new().array::<u32>(&[]).is_null());
    }

    #[test]
    fn everything_is_in_whole_pages_of_its_own() {
        let mut arena = Arena::new();
        let places = [1_usize, 100, 5_000].map(|len| arena.array(&vec![7_u8; len]).cast_const());
        assert!(
            places
                .iter()
                .all(|place| arena.pages().any(|pages| pages.contains(place)))
        );
        for pages in arena.pages() {
            assert!(pages.start.addr().is_multiple_of(4096));
            assert!(pages.end.addr().is_multiple_of(4096));
        }
    }

    #[test]
    fn a_small_description_takes_one_allocation() {
        let mut arena = Arena::new();
        for _ in 0..64 {
            arena.put([0_u64; 8]);
        }
        assert_eq!(arena.chunks.len(), 1);
    }
}
