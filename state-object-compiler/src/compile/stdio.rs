//! The standard streams of a worker, which the plugin must not disturb: its output goes to standard error, and its input is
//! empty.

use std::fs::File;
use std::io;

/// Takes both streams. In their places plugins see standard error and an empty input.
pub fn take() -> io::Result<(File, File)> {
    let taken = system::duplicates()?;
    // SAFETY: the arguments are descriptors and a path with its NUL. The C runtime that this program is linked with is
    // also that of most plugins.
    unsafe {
        let nothing = libc::open(system::NOTHING.as_ptr(), libc::O_RDWR);
        let input = libc::dup2(nothing, 0);
        // There may be no standard error either.
        if input < 0 || libc::dup2(2, 1) < 0 && libc::dup2(nothing, 1) < 0 {
            return Err(io::Error::last_os_error());
        }
        libc::close(nothing);
    }
    #[cfg(windows)]
    system::replace()?;
    Ok(taken)
}

#[cfg(unix)]
mod system {
    use std::ffi::CStr;
    use std::fs::File;
    use std::io;
    use std::os::fd::AsFd;

    pub const NOTHING: &CStr = c"/dev/null";

    /// Processes that the plugin starts do not inherit the duplicates.
    pub fn duplicates() -> io::Result<(File, File)> {
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        let output = io::stdout().as_fd().try_clone_to_owned()?;
        Ok((input.into(), output.into()))
    }
}

/// Besides the descriptors of the C runtime this sets the handles, from which other runtimes make their descriptors when they
/// are loaded.
#[cfg(windows)]
mod system {
    use std::ffi::CStr;
    use std::fs::File;
    use std::io;
    use std::os::windows::io::{AsHandle, IntoRawHandle};

    use windows_sys::Win32::System::Console::{
        GetStdHandle, STD_ERROR_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle,
    };

    pub const NOTHING: &CStr = c"NUL";

    pub fn duplicates() -> io::Result<(File, File)> {
        let input = io::stdin().as_handle().try_clone_to_owned()?;
        let output = io::stdout().as_handle().try_clone_to_owned()?;
        Ok((input.into(), output.into()))
    }

    pub fn replace() -> io::Result<()> {
        let nothing = File::open("NUL")?.into_raw_handle();
        // SAFETY: takes numbers and handles that stay open.
        let set = unsafe {
            SetStdHandle(STD_INPUT_HANDLE, nothing) != 0
                && SetStdHandle(STD_OUTPUT_HANDLE, GetStdHandle(STD_ERROR_HANDLE)) != 0
        };
        if set {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}
