//! Wine, where it is the system.

/// Its version.
#[cfg(windows)]
pub(crate) fn version() -> Option<String> {
    use std::ffi::{CStr, c_char};

    use libloading::os::windows::Library;

    let library = Library::open_already_loaded("ntdll.dll").ok()?;
    // SAFETY: where ntdll.dll has this function it is Wine's, which takes nothing and returns a constant text.
    unsafe {
        let version = library.get::<unsafe extern "C" fn() -> *const c_char>(b"wine_get_version\0");
        let version = CStr::from_ptr(version.ok()?());
        Some(version.to_string_lossy().into_owned())
    }
}

#[cfg(not(windows))]
pub(crate) fn version() -> Option<String> {
    None
}
