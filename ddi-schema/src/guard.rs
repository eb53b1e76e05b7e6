//! Memory with guard pages on both sides, and canaries in what is left of its own pages.

use std::fmt;
use std::ops::Range;
use std::ptr;

use region::Protection;

/// Where an object lies between its guard pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Directly behind the guard page in front.
    Start,
    /// As close before the guard page behind as its alignment allows.
    End,
    /// With a page of room on both sides, at an address that has no more than its alignment.
    Odd,
    /// With a page of room on both sides, for whoever does not care about writes outside.
    Roomy,
}

impl Side {
    /// The two that let no byte outside go unnoticed.
    pub const TIGHT: [Self; 2] = [Self::Start, Self::End];
}

/// The system has no memory, or lets nobody protect it; in words.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoMemory(String);

/// What bytes hold before anyone uses them.
const CANARY: u8 = 0xC5;

/// Room for one object between two guard pages.
pub struct Guarded {
    pages: region::Allocation,
    /// The object's place, as offsets into `pages`.
    object: Range<usize>,
}

impl fmt::Debug for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Guarded").field(&self.addresses()).finish()
    }
}

// SAFETY: the pages belong to this value alone; it has no thread of its own.
unsafe impl Send for Guarded {}
// SAFETY: a shared reference reads and writes through raw pointers alone, which who uses them answers for.
unsafe impl Sync for Guarded {}

impl Guarded {
    /// Room for `len` bytes at an alignment of `align`, filled with `fill`.
    ///
    /// # Errors
    ///
    /// The system has no memory.
    pub fn new(len: usize, align: usize, side: Side, fill: u8) -> Result<Self, NoMemory> {
        let page = region::page::size();
        let cannot = |error: &dyn fmt::Display| {
            NoMemory(format!(
                "cannot allocate {len} bytes between guard pages: {error}"
            ))
        };
        let room = match side {
            Side::Start | Side::End => 0,
            Side::Odd | Side::Roomy => 2 * page,
        };
        let inner = len
            .max(1)
            .checked_next_multiple_of(page)
            .filter(|inner| *inner < usize::MAX / 2)
            .ok_or_else(|| cannot(&"too large"))?
            + room;
        let pages = region::alloc(inner + 2 * page, Protection::NONE).map_err(|e| cannot(&e))?;
        let start = match side {
            Side::Start => page,
            Side::Odd => 2 * page + align,
            Side::Roomy => 2 * page,
            Side::End => (page + inner - len) / align * align,
        };
        let memory = Self {
            pages,
            object: start..start + len,
        };
        memory.protect(Protection::READ_WRITE)?;
        // SAFETY: these are the pages between the guards, writable since the line before.
        unsafe { ptr::write_bytes(memory.at(page), CANARY, inner) };
        memory.fill(fill);
        Ok(memory)
    }

    /// The object.
    pub fn ptr<T>(&self) -> *mut T {
        self.at(self.object.start).cast()
    }

    /// How many bytes the object has.
    #[allow(
        clippy::len_without_is_empty,
        reason = "an object of no bytes is one too"
    )]
    pub fn len(&self) -> usize {
        self.object.len()
    }

    /// The object's addresses.
    pub fn addresses(&self) -> Range<usize> {
        let start = self.ptr::<u8>().addr();
        start..start + self.len()
    }

    /// All addresses, guard pages included.
    pub fn all_addresses(&self) -> Range<usize> {
        let start = self.pages.as_ptr::<u8>().addr();
        start..start + self.pages.len()
    }

    /// Writes `byte` to the whole object.
    pub fn fill(&self, byte: u8) {
        // SAFETY: the object lies in the pages that `protect` made writable.
        unsafe { ptr::write_bytes(self.ptr::<u8>(), byte, self.len()) };
    }

    /// Writes `bytes` to the start of the object.
    ///
    /// # Panics
    ///
    /// They are more than the object has.
    pub fn write(&self, bytes: &[u8]) {
        assert!(bytes.len() <= self.len(), "larger than the object");
        // SAFETY: the object lies in the pages that `protect` made writable, and is long enough.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.ptr::<u8>(), bytes.len()) };
    }

    /// What the object holds now.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len()];
        // SAFETY: both are valid for that length; nobody else writes meanwhile.
        unsafe { ptr::copy_nonoverlapping(self.ptr::<u8>(), bytes.as_mut_ptr(), bytes.len()) };
        bytes
    }

    /// The offset from the object's start of a byte outside that was written, if there is one.
    pub fn stray(&self) -> Option<isize> {
        let page = region::page::size();
        (page..self.pages.len() - page)
            .filter(|at| !self.object.contains(at))
            // SAFETY: inside the pages between the guards.
            .find(|&at| unsafe { self.at(at).read() } != CANARY)
            .map(|at| at.cast_signed() - self.object.start.cast_signed())
    }

    /// Changes what may be done with the pages between the guards.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn protect(&self, protection: Protection) -> Result<(), NoMemory> {
        let page = region::page::size();
        // SAFETY: the pages belong to this value.
        unsafe { region::protect(self.at(page), self.pages.len() - 2 * page, protection) }
            .map_err(|error| NoMemory(format!("cannot protect memory: {error}")))
    }

    fn at(&self, offset: usize) -> *mut u8 {
        self.pages.as_ptr::<u8>().cast_mut().wrapping_add(offset)
    }
}

#[cfg(test)]
mod tests {
    use super::{CANARY, Guarded, Side};

    #[test]
    fn the_object_touches_a_guard() {
        let page = region::page::size();
        for side in [Side::Start, Side::End, Side::Odd, Side::Roomy] {
            for len in [0, 1, 16, 40, page - 8, page, page + 1] {
                let memory = Guarded::new(len, 1, side, 0xAA).unwrap();
                let (object, all) = (memory.addresses(), memory.all_addresses());
                match side {
                    Side::Start => assert_eq!(object.start, all.start + page),
                    Side::End => assert_eq!(object.end, all.end - page),
                    Side::Odd => {
                        assert_eq!(object.start, all.start + 2 * page + 1);
                        assert!(object.end + page <= all.end);
                    }
                    Side::Roomy => {
                        assert_eq!(object.start, all.start + 2 * page);
                        assert!(object.end + 2 * page <= all.end);
                    }
                }
                assert_eq!(memory.bytes(), vec![0xAA; len]);
                assert_eq!(memory.stray(), None);
            }
        }
    }

    #[test]
    fn alignment_is_kept_and_strays_are_found() {
        let memory = Guarded::new(41, 16, Side::End, 0).unwrap();
        assert_eq!(memory.addresses().start % 16, 0);
        for offset in [-1, 41] {
            let outside = memory.ptr::<u8>().wrapping_offset(offset);
            // SAFETY: between the guard pages.
            unsafe { outside.write(!CANARY) };
            assert_eq!(memory.stray(), Some(offset));
            // SAFETY: between the guard pages.
            unsafe { outside.write(CANARY) };
        }
        assert_eq!(memory.stray(), None);
    }
}
