//! The driver with the defect that the environment variable `DDI_DEFECT` names.

use ddi_sys::{D3D12DDIARG_OPENADAPTER, HRESULT};

/// # Safety
///
/// OpenAdapter12: `arguments` is as the DDI says.
// SAFETY: the DDI's own name, which nothing else in this library has.
#[unsafe(no_mangle)]
unsafe extern "system" fn OpenAdapter12(arguments: *mut D3D12DDIARG_OPENADAPTER) -> HRESULT {
    // SAFETY: `arguments` is what OpenAdapter12 takes, which the caller calls.
    unsafe { broken_umd::open_adapter(arguments) }
}
