//! The defect `export-mangled`: a library whose export has the mangled name of a C++ function, as a
//! compiler makes it where `extern "C"` is forgotten.

use ddi_sys::{D3D12DDIARG_COMPILER_OPEN_DDI, E_NOTIMPL, HRESULT};

// SAFETY: no other symbol has this name.
#[unsafe(export_name = "_Z20D3D12OpenCompilerDDIP29D3D12DDIARG_COMPILER_OPEN_DDI")]
extern "system" fn open(_: *mut D3D12DDIARG_COMPILER_OPEN_DDI) -> HRESULT {
    E_NOTIMPL
}
