//! The runtime with the defect that the environment variable `DDI_DEFECT` names.

use std::ffi::c_void;

use ddi_sys::D3D12DDIARG_COMPILER_OPEN_DDI;
use windows_core::{GUID, HRESULT, PCWSTR};

/// # Safety
///
/// D3D12CompilerCreateFactory: the pointers are null or to what the API says.
// SAFETY: the API's own name, which nothing else in this library has.
#[unsafe(no_mangle)]
unsafe extern "system" fn D3D12CompilerCreateFactory(
    path: PCWSTR,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    // SAFETY: D3D12CompilerCreateFactory: the path is null or NUL-terminated, `riid` null or to a GUID, the place null or to a pointer.
    unsafe { broken_runtime::create_factory(D3D12OpenCompilerDDI, path, riid, place) }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid for reads and writes, and so is the
/// table that it points at.
// SAFETY: the DDI's own name, which nothing else in this library has.
#[unsafe(no_mangle)]
unsafe extern "system" fn D3D12OpenCompilerDDI(
    argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI,
) -> ddi_sys::HRESULT {
    // SAFETY: `argument` is what D3D12OpenCompilerDDI takes, which the caller calls.
    unsafe { broken_runtime::open_compiler_ddi(argument) }
}
