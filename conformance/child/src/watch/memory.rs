//! Memory with guard pages on both sides, and canaries in what is left of its own pages.

use std::marker::PhantomData;
use std::ops::Range;
use std::ptr;

use conformance_catalogue::verdict::{Failure, Outcome, Stop};
use conformance_protocol::journal::at_offset;
use ddi_sys::{
    D3D12DDI_3DPIPELINESUPPORT1_DATA_0081, D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
    D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_COMPILER_FUNCS, D3D12DDI_D3D12_OPTIONS_DATA_0089,
    D3D12DDI_OPTIONS1_DATA_0103, D3D12DDI_SHADER_MODEL, D3D12DDIARG_COMPILER_OPEN_DDI,
};
use region::Protection;

/// Where an object lies between its guard pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Directly behind the guard page in front.
    Start,
    /// As close before the guard page behind as its alignment allows.
    End,
    /// With a page of room on both sides, at an address that has no more than its alignment.
    Odd,
    /// With a page of room on both sides, for tests that are not about writing outside: what a
    /// plugin writes there is another rule's business.
    Roomy,
}

impl Place {
    /// The two places that let no byte outside go unnoticed.
    pub(crate) const TIGHT: [Self; 2] = [Self::Start, Self::End];
}

/// What bytes hold before anyone uses them.
const CANARY: u8 = 0xC5;

/// Room for one object between two guard pages.
pub(crate) struct Guarded {
    pages: region::Allocation,
    /// The object's place, as offsets into `pages`.
    object: Range<usize>,
}

// SAFETY: the pages belong to this value alone; it has no thread of its own.
unsafe impl Send for Guarded {}

impl Guarded {
    /// Room for `len` bytes at an alignment of `align`, filled with `fill`.
    pub(crate) fn new(len: usize, align: usize, place: Place, fill: u8) -> Result<Self, Stop> {
        let page = region::page::size();
        let cannot = |error: &dyn std::fmt::Display| {
            Stop::Tool(format!(
                "cannot allocate {len} bytes between guard pages: {error}"
            ))
        };
        let room = match place {
            Place::Start | Place::End => 0,
            Place::Odd | Place::Roomy => 2 * page,
        };
        let inner = len
            .max(1)
            .checked_next_multiple_of(page)
            .filter(|inner| *inner < usize::MAX / 2)
            .ok_or_else(|| cannot(&"too large"))?
            + room;
        let pages = region::alloc(inner + 2 * page, Protection::NONE).map_err(|e| cannot(&e))?;
        let start = match place {
            Place::Start => page,
            Place::Odd => 2 * page + align,
            Place::Roomy => 2 * page,
            Place::End => (page + inner - len) / align * align,
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
    pub(crate) fn ptr<T>(&self) -> *mut T {
        self.at(self.object.start).cast()
    }

    pub(crate) fn len(&self) -> usize {
        self.object.len()
    }

    /// The object's addresses.
    pub(crate) fn addresses(&self) -> Range<usize> {
        let start = self.ptr::<u8>().addr();
        start..start + self.len()
    }

    /// All addresses, guard pages included.
    pub(crate) fn all_addresses(&self) -> Range<usize> {
        let start = self.pages.as_ptr::<u8>().addr();
        start..start + self.pages.len()
    }

    /// Writes `byte` to the whole object.
    pub(crate) fn fill(&self, byte: u8) {
        // SAFETY: the object lies in the pages that `protect` made writable.
        unsafe { ptr::write_bytes(self.ptr::<u8>(), byte, self.len()) };
    }

    /// Writes `bytes` to the start of the object.
    pub(crate) fn write(&self, bytes: &[u8]) {
        assert!(bytes.len() <= self.len(), "larger than the object");
        // SAFETY: the object lies in the pages that `protect` made writable, and is long enough.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.ptr::<u8>(), bytes.len()) };
    }

    /// Writes a structure to the start of the object.
    pub(crate) fn put<T: Copy>(&self, value: T) {
        assert!(size_of::<T>() <= self.len() && self.ptr::<T>().is_aligned());
        // SAFETY: the object lies in the pages that `protect` made writable, is long enough and
        // aligned.
        unsafe { self.ptr::<T>().write(value) };
    }

    /// Reads a structure from the start of the object.
    pub(crate) fn get<T: Plain>(&self) -> T {
        assert!(size_of::<T>() <= self.len() && self.ptr::<T>().is_aligned());
        // SAFETY: long enough, aligned and initialised; any bytes are a value.
        unsafe { self.ptr::<T>().read() }
    }

    /// What the object holds now.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len()];
        // SAFETY: both are valid for that length; the plugin does not run meanwhile.
        unsafe { ptr::copy_nonoverlapping(self.ptr::<u8>(), bytes.as_mut_ptr(), bytes.len()) };
        bytes
    }

    /// The offset from the object's start of a byte outside that was written, if there is one.
    pub(crate) fn stray(&self) -> Option<isize> {
        let page = region::page::size();
        (page..self.pages.len() - page)
            .filter(|at| !self.object.contains(at))
            // SAFETY: inside the pages between the guards.
            .find(|&at| unsafe { self.at(at).read() } != CANARY)
            .map(|at| at.cast_signed() - self.object.start.cast_signed())
    }

    /// That no byte outside was written; `what` is what the object is.
    pub(crate) fn untouched(&self, what: &str, failure: &Failure) -> Outcome {
        let Some(offset) = self.stray() else {
            return Ok(());
        };
        let (before, written) = (&failure.got, at_offset(offset, what, self.len()));
        Err(Stop::Broken(Failure {
            got: format!("{before}: a write {written}"),
            ..failure.clone()
        }))
    }

    /// Changes what may be done with the pages between the guards.
    pub(crate) fn protect(&self, protection: Protection) -> Result<(), Stop> {
        let page = region::page::size();
        // SAFETY: the pages belong to this value.
        unsafe { region::protect(self.at(page), self.pages.len() - 2 * page, protection) }
            .map_err(|error| Stop::Tool(format!("cannot protect memory: {error}")))
    }

    fn at(&self, offset: usize) -> *mut u8 {
        self.pages.as_ptr::<u8>().cast_mut().wrapping_add(offset)
    }
}

/// Room for `len` values of a type that the DDI reads or writes.
pub(crate) struct Array<T> {
    memory: Guarded,
    len: usize,
    values: PhantomData<T>,
}

/// Plain data: any bytes are a value. (Of a function table, as long as its entries are not called.)
pub(crate) trait Plain: Copy {}

macro_rules! plain {
    ($($plain:ty,)*) => {
        $(impl Plain for $plain {})*
    };
}

plain! {
    u32,
    u64,
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
    D3D12DDI_COMPILER_DDI_FUNCS,
    D3D12DDI_COMPILER_FUNCS,
    D3D12DDI_D3D12_OPTIONS_DATA_0089,
    D3D12DDI_OPTIONS1_DATA_0103,
    D3D12DDIARG_COMPILER_OPEN_DDI,
    D3D12DDI_3DPIPELINESUPPORT1_DATA_0081,
    D3D12DDI_SHADER_MODEL,
}

impl<T: Plain> Array<T> {
    /// `len` values of which every byte is `fill`.
    pub(crate) fn new(len: usize, place: Place, fill: u8) -> Result<Self, Stop> {
        let memory = Guarded::new(len * size_of::<T>(), align_of::<T>(), place, fill)?;
        Ok(Self {
            memory,
            len,
            values: PhantomData,
        })
    }

    /// One value.
    pub(crate) fn one(value: T, place: Place) -> Result<Self, Stop> {
        let array = Self::new(1, place, 0)?;
        array.set(0, value);
        Ok(array)
    }

    pub(crate) fn set(&self, index: usize, value: T) {
        assert!(index < self.len, "outside of the array");
        // SAFETY: inside the array, aligned, writable.
        unsafe { self.ptr().add(index).write(value) };
    }

    pub(crate) fn get(&self, index: usize) -> T {
        assert!(index < self.len, "outside of the array");
        // SAFETY: inside the array, aligned, initialised; any bytes are a value.
        unsafe { self.ptr().add(index).read() }
    }

    pub(crate) fn values(&self) -> Vec<T> {
        (0..self.len).map(|index| self.get(index)).collect()
    }

    pub(crate) fn ptr(&self) -> *mut T {
        self.memory.ptr()
    }

    /// The address that a parameter gets: null for no array.
    pub(crate) fn or_null(array: Option<&Self>) -> *mut T {
        array.map_or(ptr::null_mut(), Self::ptr)
    }

    pub(crate) fn memory(&self) -> &Guarded {
        &self.memory
    }

    pub(crate) fn into_memory(self) -> Guarded {
        self.memory
    }
}

impl Array<u64> {
    const BLANK: u8 = 0xA5;

    /// Room for `len` numbers, all of them a number that no list has.
    pub(crate) fn blank(len: usize) -> Result<Self, Stop> {
        Self::new(len, Place::Roomy, Self::BLANK)
    }

    /// The numbers, when every one was written.
    pub(crate) fn written(&self) -> Option<Vec<u64>> {
        let values = self.values();
        (!values.contains(&u64::from_ne_bytes([Self::BLANK; 8]))).then_some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::{CANARY, Guarded, Place};

    #[test]
    fn the_object_touches_a_guard() {
        let page = region::page::size();
        for place in [Place::Start, Place::End, Place::Odd, Place::Roomy] {
            for len in [0, 1, 16, 40, page - 8, page, page + 1] {
                let memory = Guarded::new(len, 1, place, 0xAA).unwrap();
                let (object, all) = (memory.addresses(), memory.all_addresses());
                match place {
                    Place::Start => assert_eq!(object.start, all.start + page),
                    Place::End => assert_eq!(object.end, all.end - page),
                    Place::Odd => {
                        assert_eq!(object.start, all.start + 2 * page + 1);
                        assert!(object.end + page <= all.end);
                    }
                    Place::Roomy => {
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
        let memory = Guarded::new(41, 16, Place::End, 0).unwrap();
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
