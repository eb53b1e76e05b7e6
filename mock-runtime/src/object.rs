//! The memory of an object: what the API's caller sees, and behind it the driver's object, in one allocation.
//!
//! The first member is [`D3D12DDI_RUNTIME_BYPASS_HEADER`], so the address of the allocation is both the `this` pointer of the
//! API and a handle from which a driver finds its object by itself.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::{fmt, iter, ptr};

use ddi_sys::D3D12DDI_RUNTIME_BYPASS_HEADER;

use crate::Error;

/// What memory is made of. Drivers may want private memory as aligned as that of an allocator.
#[repr(align(16))]
struct Unit(#[expect(dead_code, reason = "the driver's")] UnsafeCell<MaybeUninit<[u8; 16]>>);

/// Units of the header.
const HEADER: usize = size_of::<D3D12DDI_RUNTIME_BYPASS_HEADER>().div_ceil(size_of::<Unit>());

/// The most bytes that a driver can want for an object: a larger number is a mistake, not an object.
const MOST: usize = 1 << 30;

/// An object of the runtime and the driver.
pub(crate) struct Object(Box<[Unit]>);

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Object").field(&self.api()).finish()
    }
}

// SAFETY: the header is accessed by atomic operations, and the rest is the driver's, whose objects are free-threaded.
unsafe impl Send for Object {}
// SAFETY: through `&Object` the header is accessed by atomic operations only, and the driver's objects are free-threaded.
unsafe impl Sync for Object {}

impl Object {
    /// Allocates an object with so many bytes for the driver, as `call` has calculated them.
    ///
    /// # Errors
    ///
    /// [`Error::Contract`] if no object is that large.
    pub(crate) fn new(call: &'static str, private_size: usize) -> Result<Self, Error> {
        if private_size > MOST {
            let text = format!("the driver wants {private_size} bytes for one object");
            return Err(Error::Contract { call, text });
        }
        // The size may be 0, and handles of different objects must differ.
        let private = private_size.max(1).div_ceil(size_of::<Unit>());
        let unit = || Unit(UnsafeCell::new(MaybeUninit::zeroed()));
        let memory = iter::repeat_with(unit).take(HEADER + private).collect();
        let object = Self(memory);
        let header = D3D12DDI_RUNTIME_BYPASS_HEADER {
            pInterfaceVtable: ptr::null(),
            pDriverObject: object.driver(),
        };
        // SAFETY: the memory begins with room for the header, and nobody else knows it yet.
        unsafe { object.header().write(header) };
        Ok(object)
    }

    fn header(&self) -> *mut D3D12DDI_RUNTIME_BYPASS_HEADER {
        self.0.as_ptr().cast_mut().cast()
    }

    /// The address of the object: the API's handle.
    pub(crate) fn api(&self) -> *mut c_void {
        self.header().cast()
    }

    /// The address of the driver's memory: the driver's handle.
    pub(crate) fn driver(&self) -> *mut c_void {
        let private = self.0[HEADER..].as_ptr();
        private.cast_mut().cast()
    }

    /// The pointer to the v-table, which can change while calls are made.
    fn vtable_place(&self) -> &AtomicPtr<c_void> {
        // SAFETY: the member is a pointer, aligned, alive as long as `self`, and accessed in this way only.
        unsafe { AtomicPtr::from_ptr((&raw mut (*self.header()).pInterfaceVtable).cast()) }
    }

    /// The v-table.
    pub(crate) fn vtable(&self) -> *const c_void {
        self.vtable_place().load(Ordering::Acquire)
    }

    /// Puts another v-table in its place.
    pub(crate) fn set_vtable(&self, table: *const c_void) {
        self.vtable_place()
            .store(table.cast_mut(), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_leads_to_the_drivers_memory() {
        for size in [0, 1, 16, 4096] {
            let object = Object::new("CalcPrivateSize", size).unwrap();
            let header = object.api().cast::<D3D12DDI_RUNTIME_BYPASS_HEADER>();
            // SAFETY: the object begins with its header.
            let header = unsafe { header.read() };
            assert_eq!(header.pDriverObject, object.driver());
            assert!(object.driver().addr() > object.api().addr());
            assert!(object.driver().addr().is_multiple_of(16));
            let table = 1_u64;
            object.set_vtable((&raw const table).cast());
            assert_eq!(object.vtable(), (&raw const table).cast());
            // SAFETY: the driver's memory has `size` bytes.
            unsafe { object.driver().cast::<u8>().write_bytes(0xFF, size) };
        }
        assert!(Object::new("CalcPrivateSize", usize::MAX).is_err());
    }
}
