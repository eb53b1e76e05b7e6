//! Structures of `ddi-sys/src/umd/driver_state.rs`.

use ddi_sys::*;

structures! {
    D3D12DDI_FEATURE_DATA_APPLICATION_SPECIFIC_DRIVER_STATE_113 { Supported }
    D3D12DDI_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER_0054 { DriverOpaqueGUID, DriverOpaqueVersioningData }
}
