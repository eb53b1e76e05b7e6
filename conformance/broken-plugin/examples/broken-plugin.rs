//! The plugin with the defect that the environment variable `DDI_DEFECT` names.

use ddi_sys::{D3D12DDIARG_COMPILER_OPEN_DDI, HRESULT};

/// # Safety
///
/// PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid for reads and writes, and so is the
/// table that it points at.
// SAFETY: the DDI's own name, which nothing else in a plugin library has.
#[unsafe(no_mangle)]
unsafe extern "system" fn D3D12OpenCompilerDDI(
    argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI,
) -> HRESULT {
    // SAFETY: `argument` is what D3D12OpenCompilerDDI takes, which the caller calls.
    unsafe { broken_plugin::open_compiler_ddi(argument) }
}
