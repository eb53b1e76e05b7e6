//! Objects that live in memory which the host allocates: "Memory is allocated by the caller, and
//! plugin places compiler object" (PFND3D12DDI_COMPILER_CREATE_COMPILER).
//!
//! The DDI states no alignment, so none is needed: a block asks for as many bytes more as aligning
//! can cost, and finds its place again from the same pointer.

use std::any::TypeId;
use std::ffi::c_void;
use std::ptr::NonNull;

use crate::error::{Error, Result};

/// Marks a live object, so that memory which holds none is told from one that does.
const LIVE: usize = 0x0D3D_5DC0;

/// A `T` in the host's memory.
#[repr(C)]
pub(crate) struct Block<T> {
    /// The block's own address xor [`LIVE`]; 0 after the end.
    tag: usize,
    /// The type of the value: a host may pass the handle of one kind of object where another is meant.
    kind: TypeId,
    value: T,
}

impl<T: 'static> Block<T> {
    /// Bytes to ask the host for.
    pub(crate) const SIZE: usize = size_of::<Self>() + align_of::<Self>() - 1;

    fn locate(memory: *mut c_void) -> Result<NonNull<Self>> {
        let offset = memory.align_offset(align_of::<Self>());
        let place = memory.wrapping_byte_add(offset).cast::<Self>();
        NonNull::new(place)
            .filter(|_| !memory.is_null())
            .ok_or_else(|| Error::invalid_argument("the object's memory is null"))
    }

    /// Whether an object could be placed there: E_INVALIDARG for null memory.
    pub(crate) fn check(memory: *mut c_void) -> Result<()> {
        Self::locate(memory).map(drop)
    }

    /// Places `value` in the host's memory.
    ///
    /// # Errors
    ///
    /// E_INVALIDARG for null memory; `value` is dropped.
    ///
    /// # Safety
    ///
    /// `memory` is null or points at [`Self::SIZE`] bytes that the caller lets the object have until
    /// [`Self::end`].
    pub(crate) unsafe fn place(memory: *mut c_void, value: T) -> Result<()> {
        let place = Self::locate(memory)?;
        let tag = place.addr().get() ^ LIVE;
        // SAFETY: aligned, and inside the caller's bytes: SIZE counts the alignment's cost.
        unsafe {
            place.write(Self {
                tag,
                kind: TypeId::of::<T>(),
                value,
            });
        }
        Ok(())
    }

    /// The object that lives in the host's memory.
    ///
    /// # Errors
    ///
    /// E_INVALIDARG when the memory is null or holds no live object of this kind.
    ///
    /// # Safety
    ///
    /// `memory` is null or points at [`Self::SIZE`] readable bytes, and nothing ends the object
    /// during `'a`.
    pub(crate) unsafe fn get<'a>(memory: *mut c_void) -> Result<&'a T> {
        let place = Self::locate(memory)?;
        // SAFETY: aligned and inside the caller's bytes. Only the tag is read before it is judged.
        let tag = unsafe { (&raw const (*place.as_ptr()).tag).read() };
        if tag != place.addr().get() ^ LIVE {
            return Err(Error::invalid_argument(
                "the handle's memory holds no object: never created, moved, or destroyed already",
            ));
        }
        // SAFETY: the tag says that `place` wrote a block of some type here; every type's begins with these two members.
        let kind = unsafe { (&raw const (*place.as_ptr()).kind).read() };
        if kind != TypeId::of::<T>() {
            return Err(Error::invalid_argument(
                "the handle is of another kind of object",
            ));
        }
        // SAFETY: tag and type say that `place` wrote a T here, and the caller that it stays.
        Ok(unsafe { &place.as_ref().value })
    }

    /// Ends the object; the memory stays the host's.
    ///
    /// # Errors
    ///
    /// As [`Self::get`].
    ///
    /// # Safety
    ///
    /// As [`Self::get`], and no reference to the object is alive.
    pub(crate) unsafe fn end(memory: *mut c_void) -> Result<T> {
        // SAFETY: `memory` is null or has `SIZE` readable bytes (`# Safety`); the reference is gone before the object ends.
        unsafe { Self::get(memory)? };
        let place = Self::locate(memory)?;
        // SAFETY: `get` found a live object; it is read once, as the tag is cleared with it.
        unsafe {
            (&raw mut (*place.as_ptr()).tag).write(0);
            Ok((&raw const (*place.as_ptr()).value).read())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[repr(align(64))]
    struct Wide(Arc<u32>);

    #[test]
    fn any_alignment_holds_an_object_within_its_size() {
        let counted = Arc::new(7);
        for offset in 0..64 {
            let mut memory = vec![0xA5u8; Block::<Wide>::SIZE + 64 + 1];
            let at = memory[offset..].as_mut_ptr().cast();
            // SAFETY: SIZE bytes from `at` on belong to the vector, and no reference outlives use.
            unsafe {
                assert!(Block::<Wide>::get(at).is_err(), "garbage is no object");
                Block::place(at, Wide(counted.clone())).unwrap();
                assert_eq!(*Block::<Wide>::get(at).unwrap().0, 7);
                drop(Block::<Wide>::end(at).unwrap());
                assert!(Block::<Wide>::end(at).is_err(), "ended already");
            }
            let outside = memory[..offset]
                .iter()
                .chain(&memory[offset + Block::<Wide>::SIZE..]);
            assert!(outside.into_iter().all(|&b| b == 0xA5));
        }
        assert_eq!(Arc::strong_count(&counted), 1);
    }

    #[test]
    fn an_object_of_another_type_is_refused() {
        let mut memory = vec![0u8; Block::<[u32; 4]>::SIZE];
        let at = memory.as_mut_ptr().cast();
        // SAFETY: SIZE bytes from `at` on belong to the vector; both types have this size and alignment.
        unsafe {
            Block::place(at, [7_u32; 4]).unwrap();
            assert!(Block::<[f32; 4]>::get(at).is_err());
            assert!(Block::<[f32; 4]>::end(at).is_err());
            assert_eq!(Block::<[u32; 4]>::end(at).unwrap(), [7; 4]);
        }
    }

    #[test]
    fn null_memory_is_refused_and_the_value_dropped() {
        let counted = Arc::new(());
        // SAFETY: null is allowed.
        let placed = unsafe { Block::place(std::ptr::null_mut(), counted.clone()) };
        assert!(placed.is_err() && Arc::strong_count(&counted) == 1);
    }
}
