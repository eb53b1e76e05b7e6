//! Application-specific driver state.

use bytemuck::Zeroable;

use crate::*;

ddi_enum! {
    /// What became of the blob that the host set for the driver. 0 is no value.
    ///
    /// Source: Application_Specific_Driver_State.md.
    pub enum D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS {
        /// The runtime does not know.
        D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_UNKNOWN = 1,
        /// The driver uses the blob.
        D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED = 2,
        /// The driver ignores the blob.
        D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_IGNORED = 3,
        /// No blob has been set.
        D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_NOT_SPECIFIED = 4,
    }
}

/// The structure `D3D12DDI_FEATURE_DATA_APPLICATION_SPECIFIC_DRIVER_STATE_113`.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_FEATURE_DATA_APPLICATION_SPECIFIC_DRIVER_STATE_113 {
    /// x64 offset 0, x86 offset 0.
    pub Supported: BOOL,
}

/// The structure that [`PFND3D12DDI_CHECK_DRIVER_MATCHING_IDENTIFIER_0054`] takes as
/// `pSerializedDataDriverMatchingIdentifier`. The API twin D3D12_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER is
/// identical.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER_0054 {
    /// x64 offset 0, x86 offset 0.
    pub DriverOpaqueGUID: GUID,
    /// x64 offset 16, x86 offset 16.
    pub DriverOpaqueVersioningData: [UINT8; 16],
}

ddi_enum! {
    /// The enumeration that [`PFND3D12DDI_CHECK_DRIVER_MATCHING_IDENTIFIER_0054`] takes as `SerializedDataType`.
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_SERIALIZED_DATA_TYPE {
        /// Value 0.
        D3D12DDI_SERIALIZED_DATA_RAYTRACING_ACCELERATION_STRUCTURE = 0,
        /// Value 1. Seed 001; not in the 26100 header.
        D3D12DDI_SERIALIZED_DATA_APPLICATION_SPECIFIC_DRIVER_STATE = 1,
    }
}

ddi_enum! {
    /// The enumeration that [`PFND3D12DDI_CHECK_DRIVER_MATCHING_IDENTIFIER_0054`] returns.
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS {
        /// Value 0.
        D3D12DDI_DRIVER_MATCHING_IDENTIFIER_COMPATIBLE_WITH_DEVICE = 0,
        /// Value 1.
        D3D12DDI_DRIVER_MATCHING_IDENTIFIER_UNSUPPORTED_TYPE = 1,
        /// Value 2.
        D3D12DDI_DRIVER_MATCHING_IDENTIFIER_UNRECOGNIZED = 2,
        /// Value 3.
        D3D12DDI_DRIVER_MATCHING_IDENTIFIER_INCOMPATIBLE_VERSION = 3,
        /// Value 4.
        D3D12DDI_DRIVER_MATCHING_IDENTIFIER_INCOMPATIBLE_TYPE = 4,
    }
}
