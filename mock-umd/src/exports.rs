//! What a host that is not written in Rust can ask of the driver: `headers/d3d12_mock_umd.h`, which `cargo xtask headers`
//! writes from here.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use ddi_sys::{E_NOT_SUFFICIENT_BUFFER, HRESULT, S_OK, SIZE_T, UINT32};

use crate::boundary::{self, Error, Result};
use crate::inspect;
use crate::trace::Subject;

/// Writes text with its terminator, or tells the size that it needs.
///
/// # Safety
///
/// `size` is null or points to the size of `buffer`, which is null or has as many bytes.
unsafe fn write(text: &str, buffer: *mut c_char, size: *mut SIZE_T) -> Result<HRESULT> {
    if size.is_null() || !size.is_aligned() {
        return Err(Error::invalid(
            "the pointer to the size is null or not aligned",
        ));
    }
    let needed = text.len() + 1;
    // SAFETY: `size` is not null and aligned, and so points to a size (`# Safety`).
    let room = unsafe { size.replace(needed) };
    if buffer.is_null() {
        return Ok(S_OK);
    }
    if room < needed {
        return Err(Error::new(
            E_NOT_SUFFICIENT_BUFFER,
            format!("room for {room} of {needed} bytes"),
        ));
    }
    // SAFETY: `buffer` has the `room` bytes that `size` said (`# Safety`), as many as are needed or more.
    unsafe {
        ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), text.len());
        buffer.add(text.len()).write(0);
    }
    Ok(S_OK)
}

/// Writes all calls since the library was loaded, as JSON, with a NUL. What reads, as this function, is not among them: the text
/// has the size that was asked for, unless another thread has called the driver meanwhile.
///
/// `buffer` is null, or has `*size` bytes; `*size` becomes the number that is needed. Returns S_OK,
/// E_NOT_SUFFICIENT_BUFFER with nothing written, or E_INVALIDARG.
///
/// # Safety
///
/// `size` is null or points to the size of `buffer`, which is null or has as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn MockUmdStatistics(buffer: *mut c_char, size: *mut SIZE_T) -> HRESULT {
    read("MockUmdStatistics", || {
        // SAFETY: `size` is null or points to the size of `buffer`, which is null or has as many bytes (`# Safety`).
        unsafe { write(&inspect::statistics_json().to_string(), buffer, size) }
    })
}

/// Writes what a command list has recorded since its last reset, as JSON, with a NUL, by the driver's handle: its `pDrvPrivate`.
/// Returns E_INVALIDARG when no list has it; the rest is as for MockUmdStatistics.
///
/// # Safety
///
/// As [`MockUmdStatistics`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn MockUmdCommandList(
    list: *mut c_void,
    buffer: *mut c_char,
    size: *mut SIZE_T,
) -> HRESULT {
    read("MockUmdCommandList", || {
        let recording = inspect::recording(list)
            .ok_or_else(|| Error::invalid("no command list has this handle"))?;
        // SAFETY: `size` is null or points to the size of `buffer`, which is null or has as many bytes (`# Safety`).
        unsafe { write(&recording.json().to_string(), buffer, size) }
    })
}

/// Runs a function that reads: it changes nothing of what it reads.
fn read(name: &'static str, body: impl FnOnce() -> Result<HRESULT>) -> HRESULT {
    boundary::run(name, body).unwrap_or_else(|error| error.result)
}

/// Sets a switch by the name of its environment variable; null or an empty value is its default. Returns E_INVALIDARG for a
/// name or a value that there is not: `last_failure` of the statistics says what is wrong.
///
/// # Safety
///
/// `name` and `value` are null or end with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn MockUmdSet(name: *const c_char, value: *const c_char) -> HRESULT {
    boundary::call(
        "MockUmdSet",
        Subject::None,
        |_| {},
        || {
            if name.is_null() {
                return Err(Error::invalid("the name is null"));
            }
            // SAFETY: `name` is not null, and so ends with a zero (`# Safety`).
            let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
            let value = if value.is_null() {
                "".into()
            } else {
                // SAFETY: `value` is not null, and so ends with a zero (`# Safety`).
                unsafe { CStr::from_ptr(value) }.to_string_lossy()
            };
            inspect::set(&name, &value)?;
            Ok(S_OK)
        },
    )
}

/// How many commands a list has recorded since its last reset, by the driver's handle: its `pDrvPrivate`; 0 when no list has
/// it.
#[unsafe(no_mangle)]
pub extern "system" fn MockUmdCommandCount(list: *mut c_void) -> UINT32 {
    inspect::recording(list).map_or(0, |recording| {
        UINT32::try_from(recording.commands.len()).unwrap_or(UINT32::MAX)
    })
}
