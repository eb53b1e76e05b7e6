//! Of `d3d12.h`: what an application is to the compiler and the runtime, and what the runtime counts.

use core::ffi::c_void;

use windows_core::{BOOL, GUID, HRESULT, IUnknown, PCWSTR, interface};

use crate::D3D12_VERSION_NUMBER;

/// An application: ShaderCompilerPlugin.md, "Struct: D3D12_APPLICATION_DESC".
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_APPLICATION_DESC {
    /// File name of the executable, with its extension.
    pub pExeFilename: PCWSTR,
    /// Its name.
    pub pName: PCWSTR,
    /// Its version.
    pub Version: D3D12_VERSION_NUMBER,
    /// Name of its engine; null when it says none.
    pub pEngineName: PCWSTR,
    /// Version of the engine; 0 without an engine.
    pub EngineVersion: D3D12_VERSION_NUMBER,
}

/// Takes an application; it is valid during the call.
pub type D3D12ApplicationDescFunc = Option<
    unsafe extern "system" fn(
        pApplicationDesc: *const D3D12_APPLICATION_DESC,
        pContext: *mut c_void,
    ),
>;

/// `D3D12GetInterface` gives an [`ID3D12ApplicationIdentity`] for it.
pub const CLSID_D3D12ApplicationIdentity: GUID =
    GUID::from_u128(0x08d8e1e8_75a6_42a7_bf3a_d05fe529c47c);

/// Tells the runtime what application runs.
#[interface("82dc6c85-727b-4a8d-9169-db6ce3e975a0")]
pub unsafe trait ID3D12ApplicationIdentity: IUnknown {
    /// Sets the application; before a device is created.
    pub unsafe fn SetApplicationIdentity(
        &self,
        pDesc: *const D3D12_APPLICATION_DESC,
        AppId: *const GUID,
    ) -> HRESULT;
}

/// Counts of one kind of object: D3D12DeviceCacheStatistics.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_CREATE_STATE_OBJECT_STATISTICS {
    /// Objects created.
    pub NumCreated: u32,
    /// Of those, objects of which the precompiled database lacked at least a part.
    pub NumPSDBCacheMissed: u32,
    /// Of those, objects that no cache had.
    pub NumTotalCacheMissed: u32,
    /// Of those, objects for which the driver looked nothing up.
    pub NumCacheUnknown: u32,
}

/// Counts since a device was created: D3D12DeviceCacheStatistics.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_STATE_OBJECT_STATISTICS {
    /// Whether the component "default" is registered and fits the driver.
    pub DefaultPSDBRegistered: BOOL,
    /// Pipelines.
    pub PipelineStateObjectStatistics: D3D12_CREATE_STATE_OBJECT_STATISTICS,
    /// State objects and additions.
    pub StateObjectStatistics: D3D12_CREATE_STATE_OBJECT_STATISTICS,
}

/// What a device counts.
#[interface("3d5ca1a8-a39e-4619-95e0-f9b0a40340f5")]
pub unsafe trait ID3D12DeviceStatistics: IUnknown {
    /// The counts so far.
    pub unsafe fn GetStateObjectStatistics(
        &self,
        pStatistics: *mut D3D12_STATE_OBJECT_STATISTICS,
    ) -> HRESULT;
}
