//! Where this library is, or the program that it is a part of.

use std::io;
use std::path::PathBuf;

/// The path of the file that has this function.
#[cfg(unix)]
pub(crate) fn own_path() -> io::Result<PathBuf> {
    use std::ffi::{CStr, OsStr};
    use std::mem::MaybeUninit;
    use std::os::unix::ffi::OsStrExt as _;

    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: the address is one of this library, and `info` has room for the answer.
    if unsafe { libc::dladdr(own_path as *const libc::c_void, info.as_mut_ptr()) } == 0 {
        return Err(io::Error::other("the system does not know it"));
    }
    // SAFETY: dladdr succeeded, so it filled `info`, and the name ends with a NUL and lives as long as this library.
    let name = unsafe { CStr::from_ptr(info.assume_init().dli_fname) };
    std::path::absolute(OsStr::from_bytes(name.to_bytes()))
}

/// The path of the file that has this function.
#[cfg(windows)]
pub(crate) fn own_path() -> io::Result<PathBuf> {
    use std::ffi::OsString;
    use std::os::windows::ffi::OsStringExt as _;
    use std::ptr;

    use windows_sys::Win32::System::LibraryLoader::{
        GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
        GetModuleFileNameW, GetModuleHandleExW,
    };

    /// Windows' own limit of a path.
    const LONGEST: u16 = 32767;

    let flags =
        GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    let mut module = ptr::null_mut();
    // SAFETY: with these flags the name is an address, here one of this library, and `module` has room for the answer.
    if unsafe { GetModuleHandleExW(flags, own_path as *const u16, &raw mut module) } == 0 {
        return Err(io::Error::last_os_error());
    }
    let mut name = vec![0; usize::from(LONGEST)];
    // SAFETY: the module is loaded as long as its code runs, and `name` has that many units.
    let length = unsafe { GetModuleFileNameW(module, name.as_mut_ptr(), u32::from(LONGEST)) };
    match usize::try_from(length) {
        Ok(length @ 1..) => {
            name.truncate(length);
            Ok(OsString::from_wide(&name).into())
        }
        _ => Err(io::Error::last_os_error()),
    }
}
