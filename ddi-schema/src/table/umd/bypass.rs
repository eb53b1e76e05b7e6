//! Structures of `ddi-sys/src/umd/bypass.rs`.

use ddi_sys::*;

structures! {
    D3D12DDI_RUNTIME_BYPASS_HEADER { pInterfaceVtable, pDriverObject }
}
