//! State object databases: StateObjectDatabase.md, `d3d12.h`.

use core::ffi::c_void;

use windows_core::{GUID, HRESULT, IUnknown, PCWSTR, interface};

use crate::{
    D3D12_APPLICATION_DESC, D3D12_PIPELINE_STATE_STREAM_DESC, D3D12_STATE_OBJECT_DESC,
    D3D12ApplicationDescFunc,
};

/// `D3D12GetInterface` gives an [`ID3D12StateObjectDatabaseFactory`] for it.
pub const CLSID_D3D12StateObjectFactory: GUID =
    GUID::from_u128(0x54e1c9f3_1303_4112_bf8e_7bf2bb606a73);

/// How a database is opened.
pub type D3D12_STATE_OBJECT_DATABASE_FLAGS = u32;
/// For reading and writing; a missing file is created.
pub const D3D12_STATE_OBJECT_DATABASE_FLAG_NONE: D3D12_STATE_OBJECT_DATABASE_FLAGS = 0;
/// For reading.
pub const D3D12_STATE_OBJECT_DATABASE_FLAG_READ_ONLY: D3D12_STATE_OBJECT_DATABASE_FLAGS = 1;

/// Takes a pipeline; everything is valid during the call.
pub type D3D12PipelineStateFunc = Option<
    unsafe extern "system" fn(
        pKey: *const c_void,
        KeySize: u32,
        Version: u32,
        pDesc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
        pContext: *mut c_void,
    ),
>;

/// Takes a state object; everything is valid during the call.
pub type D3D12StateObjectFunc = Option<
    unsafe extern "system" fn(
        pKey: *const c_void,
        KeySize: u32,
        Version: u32,
        pDesc: *const D3D12_STATE_OBJECT_DESC,
        pParentKey: *const c_void,
        ParentKeySize: u32,
        pContext: *mut c_void,
    ),
>;

/// Opens databases: StateObjectDatabase.md, "ID3D12StateObjectDatabaseFactory".
#[interface("f5b066f0-648a-4611-bd41-27fd0948b9eb")]
pub unsafe trait ID3D12StateObjectDatabaseFactory: IUnknown {
    /// Opens or creates a database file.
    pub unsafe fn CreateStateObjectDatabaseFromFile(
        &self,
        pDatabaseFile: PCWSTR,
        flags: D3D12_STATE_OBJECT_DATABASE_FLAGS,
        riid: *const GUID,
        ppvStateObjectDatabase: *mut *mut c_void,
    ) -> HRESULT;
}

/// A database: StateObjectDatabase.md, "ID3D12StateObjectDatabase".
#[interface("c56060b7-b5fc-4135-98e0-a1e9997eace0")]
pub unsafe trait ID3D12StateObjectDatabase: IUnknown {
    /// Stores what application the objects are of.
    pub unsafe fn SetApplicationDesc(
        &self,
        pApplicationDesc: *const D3D12_APPLICATION_DESC,
    ) -> HRESULT;

    /// Calls back with the application.
    pub unsafe fn GetApplicationDesc(
        &self,
        CallbackFunc: D3D12ApplicationDescFunc,
        pContext: *mut c_void,
    ) -> HRESULT;

    /// Stores a pipeline.
    pub unsafe fn StorePipelineStateDesc(
        &self,
        pKey: *const c_void,
        KeySize: u32,
        Version: u32,
        pDesc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    ) -> HRESULT;

    /// Calls back with a pipeline.
    pub unsafe fn FindPipelineStateDesc(
        &self,
        pKey: *const c_void,
        KeySize: u32,
        CallbackFunc: D3D12PipelineStateFunc,
        pContext: *mut c_void,
    ) -> HRESULT;

    /// Stores a state object, or an addition to the one of another key.
    pub unsafe fn StoreStateObjectDesc(
        &self,
        pKey: *const c_void,
        KeySize: u32,
        Version: u32,
        pDesc: *const D3D12_STATE_OBJECT_DESC,
        pStateObjectToGrowFromKey: *const c_void,
        StateObjectToGrowFromKeySize: u32,
    ) -> HRESULT;

    /// Calls back with a state object.
    pub unsafe fn FindStateObjectDesc(
        &self,
        pKey: *const c_void,
        KeySize: u32,
        CallbackFunc: D3D12StateObjectFunc,
        pContext: *mut c_void,
    ) -> HRESULT;

    /// The version of an object of any kind.
    pub unsafe fn FindObjectVersion(
        &self,
        pKey: *const c_void,
        KeySize: u32,
        pVersion: *mut u32,
    ) -> HRESULT;
}
