//! Replacing methods of objects.

use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;

use windows_core::{IUnknown, Interface};

/// Gives an object a vtable of its own, in which `change` replaces methods. The methods that were
/// there are kept in `original`: all objects of a class have the same.
///
/// # Safety
///
/// `object` is an interface whose vtable begins with a `V`, and nothing calls it meanwhile.
pub(crate) unsafe fn hook<V>(object: *mut c_void, original: &OnceLock<V>, change: fn(&mut V)) {
    let place = object.cast::<*const V>();
    // SAFETY: an object begins with the pointer to its vtable, which begins with a `V` and has no
    // state. The copy lives until the process ends.
    unsafe {
        let table = place.read();
        let _ = original.set(table.read());
        let copy = Box::leak(Box::new(table.read()));
        change(copy);
        place.write(copy);
    }
}

/// Releases what a call has made, and makes its place null.
pub(crate) fn release(place: *mut *mut c_void) {
    // SAFETY: a place of the caller's is null, or holds null or an interface that nobody else has yet.
    unsafe {
        if let Some(object) = place.as_mut()
            && !object.is_null()
        {
            drop(IUnknown::from_raw(*object));
            *object = ptr::null_mut();
        }
    }
}
