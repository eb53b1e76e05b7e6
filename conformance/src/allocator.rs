//! The functions that allocate, as a plugin in this process finds them.
//!
//! As with the `clock`, with glibc a library finds a function in the executable first. So these are here, and fail
//! where `conformance-child` says that an allocation of the plugin fails; the C library does the rest.

#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod imp {
    use std::ptr;

    use conformance_child::allocation_fails;
    use libc::{EINVAL, ENOMEM, c_int, c_void, size_t};

    // SAFETY: the C library's names of its own functions, with their types.
    unsafe extern "C" {
        fn __libc_malloc(size: size_t) -> *mut c_void;
        fn __libc_calloc(count: size_t, size: size_t) -> *mut c_void;
        fn __libc_realloc(memory: *mut c_void, size: size_t) -> *mut c_void;
        fn __libc_memalign(alignment: size_t, size: size_t) -> *mut c_void;
    }

    fn no_memory() -> *mut c_void {
        // SAFETY: the address of this thread's errno.
        unsafe { *libc::__errno_location() = ENOMEM };
        ptr::null_mut()
    }

    /// # Safety
    ///
    /// That of the C library's function.
    // SAFETY: it does what the C library's function of this name does.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn malloc(size: size_t) -> *mut c_void {
        if allocation_fails() {
            return no_memory();
        }
        // SAFETY: that of this function.
        unsafe { __libc_malloc(size) }
    }

    /// # Safety
    ///
    /// That of the C library's function.
    // SAFETY: it does what the C library's function of this name does.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn calloc(count: size_t, size: size_t) -> *mut c_void {
        if allocation_fails() {
            return no_memory();
        }
        // SAFETY: that of this function.
        unsafe { __libc_calloc(count, size) }
    }

    /// # Safety
    ///
    /// That of the C library's function.
    // SAFETY: it does what the C library's function of this name does.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn realloc(memory: *mut c_void, size: size_t) -> *mut c_void {
        if allocation_fails() {
            return no_memory();
        }
        // SAFETY: that of this function.
        unsafe { __libc_realloc(memory, size) }
    }

    /// # Safety
    ///
    /// That of the C library's function.
    // SAFETY: it does what the C library's function of this name does.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn aligned_alloc(alignment: size_t, size: size_t) -> *mut c_void {
        if allocation_fails() {
            return no_memory();
        }
        // SAFETY: that of this function.
        unsafe { __libc_memalign(alignment, size) }
    }

    /// # Safety
    ///
    /// That of the C library's function.
    // SAFETY: it does what the C library's function of this name does.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn posix_memalign(
        memory: *mut *mut c_void,
        alignment: size_t,
        size: size_t,
    ) -> c_int {
        if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<*mut c_void>()) {
            return EINVAL;
        }
        if allocation_fails() {
            return ENOMEM;
        }
        // SAFETY: that of this function.
        let allocated = unsafe { __libc_memalign(alignment, size) };
        if allocated.is_null() {
            return ENOMEM;
        }
        // SAFETY: posix_memalign(3): `memory` is valid for writes.
        unsafe { memory.write(allocated) };
        0
    }
}
