//! State object databases as `d3d12.h` of the preview 1.721.1 extends them; a preview may change.

use core::ffi::c_void;

use windows_core::{BOOL, GUID, HRESULT, IUnknown, PCWSTR, Ref, interface};

use crate::{
    D3D12_PIPELINE_STATE_STREAM_DESC, D3D12_STATE_OBJECT_DATABASE_FLAGS, D3D12_STATE_OBJECT_DESC,
    ID3D12InfoQueue, ID3D12RootSignature, ID3D12StateObjectDatabase,
    ID3D12StateObjectDatabase_Impl, ID3D12StateObjectDatabaseFactory,
    ID3D12StateObjectDatabaseFactory_Impl,
};

/// `D3D12GetInterface` gives an [`ID3D12StateObjectDatabaseCapture`] for it.
pub const CLSID_D3D12StateObjectDatabaseCapture: GUID =
    GUID::from_u128(0x2b6c3e2f_eb8e_4db9_8cf4_1e047e671b7f);

/// How changes reach the file.
pub type D3D12_JOURNAL_MODE = i32;
/// As the file has it.
pub const D3D12_JOURNAL_MODE_DEFAULT: D3D12_JOURNAL_MODE = 0;
/// A rollback journal, deleted after each transaction.
pub const D3D12_JOURNAL_MODE_DELETE: D3D12_JOURNAL_MODE = 1;
/// A write-ahead log.
pub const D3D12_JOURNAL_MODE_WAL: D3D12_JOURNAL_MODE = 2;

/// When a transaction locks.
pub type D3D12_TRANSACTION_TYPE = i32;
/// At the first access.
pub const D3D12_TRANSACTION_TYPE_DEFERRED: D3D12_TRANSACTION_TYPE = 0;
/// At once, for writing.
pub const D3D12_TRANSACTION_TYPE_IMMEDIATE: D3D12_TRANSACTION_TYPE = 1;
/// At once, for everything.
pub const D3D12_TRANSACTION_TYPE_EXCLUSIVE: D3D12_TRANSACTION_TYPE = 2;
/// Inside another transaction.
pub const D3D12_TRANSACTION_TYPE_SAVEPOINT: D3D12_TRANSACTION_TYPE = 3;

/// How far a checkpoint goes.
pub type D3D12_CHECKPOINT_MODE = i32;
/// As far as it goes without waiting.
pub const D3D12_CHECKPOINT_MODE_PASSIVE: D3D12_CHECKPOINT_MODE = 0;
/// To the end of the log.
pub const D3D12_CHECKPOINT_MODE_FULL: D3D12_CHECKPOINT_MODE = 1;
/// As full, and the log starts over.
pub const D3D12_CHECKPOINT_MODE_RESTART: D3D12_CHECKPOINT_MODE = 2;
/// As restart, and the log is cut to nothing.
pub const D3D12_CHECKPOINT_MODE_TRUNCATE: D3D12_CHECKPOINT_MODE = 3;

/// What a search for a pipeline gives.
pub type D3D12_FIND_PIPELINE_STATE_DESC_FLAGS = u32;
/// Everything.
pub const D3D12_FIND_PIPELINE_STATE_DESC_FLAG_NONE: D3D12_FIND_PIPELINE_STATE_DESC_FLAGS = 0;
/// Everything but the group keys.
pub const D3D12_FIND_PIPELINE_STATE_DESC_FLAG_NO_GROUPS: D3D12_FIND_PIPELINE_STATE_DESC_FLAGS = 1;

/// What a search for a state object gives.
pub type D3D12_FIND_STATE_OBJECT_DESC_FLAGS = u32;
/// Everything.
pub const D3D12_FIND_STATE_OBJECT_DESC_FLAG_NONE: D3D12_FIND_STATE_OBJECT_DESC_FLAGS = 0;
/// Everything but the group keys.
pub const D3D12_FIND_STATE_OBJECT_DESC_FLAG_NO_GROUPS: D3D12_FIND_STATE_OBJECT_DESC_FLAGS = 1;

/// How a database is opened.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_STATE_OBJECT_DATABASE_DESC {
    /// For reading, or for writing too.
    pub Flags: D3D12_STATE_OBJECT_DATABASE_FLAGS,
    /// How changes reach the file.
    pub JournalMode: D3D12_JOURNAL_MODE,
    /// How long a call waits for another process, in milliseconds.
    pub BusyTimeoutMs: u32,
}

/// The application's key of an object.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_DATABASE_GROUP_KEY {
    /// Its bytes.
    pub pKey: *const c_void,
    /// Their number.
    pub KeySize: u32,
}

/// The database's key of a root signature.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_DATABASE_ROOT_SIGNATURE_KEY {
    /// Its bytes.
    pub pKey: *const c_void,
    /// Their number.
    pub KeySize: u32,
}

/// The database's key of a pipeline.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_DATABASE_PIPELINE_STATE_KEY {
    /// Its bytes.
    pub pKey: *const c_void,
    /// Their number.
    pub KeySize: u32,
}

/// The database's key of a state object.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_DATABASE_STATE_OBJECT_KEY {
    /// Its bytes.
    pub pKey: *const c_void,
    /// Their number.
    pub KeySize: u32,
}

/// Gives the root signature of a key, or DXGI_ERROR_NOT_FOUND.
pub type D3D12LookupRootSignatureFunc = Option<
    unsafe extern "system" fn(
        pRootSignatureKey: *const D3D12_DATABASE_ROOT_SIGNATURE_KEY,
        ppRootSignature: *mut Option<ID3D12RootSignature>,
        pContext: *mut c_void,
    ) -> HRESULT,
>;

/// Makes a root signature of its serialized form.
pub type D3D12CreateRootSignatureFunc = Option<
    unsafe extern "system" fn(
        pRootSignatureKey: *const D3D12_DATABASE_ROOT_SIGNATURE_KEY,
        pSerializedRootSignature: *const c_void,
        SerializedRootSignatureSize: usize,
        ppRootSignature: *mut Option<ID3D12RootSignature>,
        pContext: *mut c_void,
    ) -> HRESULT,
>;

/// Gives the state object of a key, or DXGI_ERROR_NOT_FOUND.
pub type D3D12LookupStateObjectFunc = Option<
    unsafe extern "system" fn(
        pStateObjectKey: *const D3D12_DATABASE_STATE_OBJECT_KEY,
        pGroupKey: *const D3D12_DATABASE_GROUP_KEY,
        ppStateObject: *mut Option<IUnknown>,
        pContext: *mut c_void,
    ) -> HRESULT,
>;

/// Takes a pipeline; everything is valid during the call.
pub type D3D12PipelineStateFunc1 = Option<
    unsafe extern "system" fn(
        pGroupKeys: *const D3D12_DATABASE_GROUP_KEY,
        pVersions: *const u32,
        NumGroupKeys: u32,
        pPipelineStateKey: *const D3D12_DATABASE_PIPELINE_STATE_KEY,
        pDesc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
        pContext: *mut c_void,
    ),
>;

/// Takes a state object; everything is valid during the call.
pub type D3D12StateObjectFunc1 = Option<
    unsafe extern "system" fn(
        pGroupKeys: *const D3D12_DATABASE_GROUP_KEY,
        pVersions: *const u32,
        NumGroupKeys: u32,
        pStateObjectKey: *const D3D12_DATABASE_STATE_OBJECT_KEY,
        pDesc: *const D3D12_STATE_OBJECT_DESC,
        pParentKey: *const D3D12_DATABASE_STATE_OBJECT_KEY,
        pParentGroupKey: *const D3D12_DATABASE_GROUP_KEY,
        pContext: *mut c_void,
    ),
>;

/// Takes the keys of one pipeline after the other until it returns false.
pub type D3D12EnumeratePipelineStateFunc = Option<
    unsafe extern "system" fn(
        pGroupKeys: *const D3D12_DATABASE_GROUP_KEY,
        pVersions: *const u32,
        NumGroupKeys: u32,
        pPipelineStateKey: *const D3D12_DATABASE_PIPELINE_STATE_KEY,
        pContext: *mut c_void,
    ) -> BOOL,
>;

/// Takes the keys of one state object after the other until it returns false.
pub type D3D12EnumerateStateObjectFunc = Option<
    unsafe extern "system" fn(
        pGroupKeys: *const D3D12_DATABASE_GROUP_KEY,
        pVersions: *const u32,
        NumGroupKeys: u32,
        pStateObjectKey: *const D3D12_DATABASE_STATE_OBJECT_KEY,
        pContext: *mut c_void,
    ) -> BOOL,
>;

/// A database whose objects have keys of their own beside the application's.
#[interface("c066f807-403d-40a3-b1a3-5f50f912b6e0")]
pub unsafe trait ID3D12StateObjectDatabase1: ID3D12StateObjectDatabase {
    /// Calls back with the keys of each pipeline.
    pub unsafe fn EnumeratePipelineStates(
        &self,
        CallbackFunc: D3D12EnumeratePipelineStateFunc,
        pContext: *mut c_void,
    ) -> HRESULT;

    /// Calls back with the keys of each state object.
    pub unsafe fn EnumerateStateObjects(
        &self,
        CallbackFunc: D3D12EnumerateStateObjectFunc,
        pContext: *mut c_void,
    ) -> HRESULT;

    /// Calls back with a pipeline, found by either key.
    pub unsafe fn FindPipelineStateDesc1(
        &self,
        pGroupKey: *const D3D12_DATABASE_GROUP_KEY,
        pPipelineStateKey: *const D3D12_DATABASE_PIPELINE_STATE_KEY,
        Flags: D3D12_FIND_PIPELINE_STATE_DESC_FLAGS,
        CallbackFunc: D3D12PipelineStateFunc1,
        pfnCreateRootSignature: D3D12CreateRootSignatureFunc,
        pfnLookupRootSignature: D3D12LookupRootSignatureFunc,
        pContext: *mut c_void,
    ) -> HRESULT;

    /// Calls back with a state object, found by either key.
    pub unsafe fn FindStateObjectDesc1(
        &self,
        pGroupKey: *const D3D12_DATABASE_GROUP_KEY,
        pStateObjectKey: *const D3D12_DATABASE_STATE_OBJECT_KEY,
        Flags: D3D12_FIND_STATE_OBJECT_DESC_FLAGS,
        CallbackFunc: D3D12StateObjectFunc1,
        pfnLookupStateObject: D3D12LookupStateObjectFunc,
        pfnCreateRootSignature: D3D12CreateRootSignatureFunc,
        pfnLookupRootSignature: D3D12LookupRootSignatureFunc,
        pContext: *mut c_void,
    ) -> HRESULT;

    /// The number of pipelines.
    pub unsafe fn GetPipelineStateDescCount(&self, pCount: *mut u32) -> HRESULT;

    /// The number of state objects.
    pub unsafe fn GetStateObjectDescCount(&self, pCount: *mut u32) -> HRESULT;

    /// Begins a transaction.
    pub unsafe fn BeginTransaction(&self, Type: D3D12_TRANSACTION_TYPE) -> HRESULT;

    /// Keeps what the transaction changed.
    pub unsafe fn CommitTransaction(&self) -> HRESULT;

    /// Undoes what the transaction changed.
    pub unsafe fn RollbackTransaction(&self) -> HRESULT;

    /// Whether a transaction has begun and not ended.
    pub unsafe fn IsTransactionActive(&self) -> BOOL;

    /// Moves the write-ahead log into the file and sets the journal's mode.
    pub unsafe fn Checkpoint(
        &self,
        CheckpointMode: D3D12_CHECKPOINT_MODE,
        JournalMode: D3D12_JOURNAL_MODE,
        pPreviousJournalMode: *mut D3D12_JOURNAL_MODE,
    ) -> HRESULT;

    /// Stores a pipeline under any number of group keys.
    pub unsafe fn StorePipelineStateDesc1(
        &self,
        pGroupKeys: *const D3D12_DATABASE_GROUP_KEY,
        pVersions: *const u32,
        NumGroupKeys: u32,
        pDesc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    ) -> HRESULT;

    /// Stores a state object or an addition under any number of group keys.
    pub unsafe fn StoreStateObjectDesc1(
        &self,
        pGroupKeys: *const D3D12_DATABASE_GROUP_KEY,
        pVersions: *const u32,
        NumGroupKeys: u32,
        pDesc: *const D3D12_STATE_OBJECT_DESC,
        pStateObjectToGrowFromGroupKey: *const D3D12_DATABASE_GROUP_KEY,
        pCreatedObject: Ref<IUnknown>,
        pStateObjectToGrowFrom: Ref<IUnknown>,
    ) -> HRESULT;
}

/// Opens databases in more ways.
#[interface("68a6585d-0ac7-4fa4-ba33-e3bd442f2833")]
pub unsafe trait ID3D12StateObjectDatabaseFactory1:
    ID3D12StateObjectDatabaseFactory
{
    /// Opens or creates a database file; `pInfoQueue` may be null.
    pub unsafe fn CreateStateObjectDatabaseFromFile1(
        &self,
        pDatabaseFile: PCWSTR,
        pDesc: *const D3D12_STATE_OBJECT_DATABASE_DESC,
        pInfoQueue: Ref<ID3D12InfoQueue>,
        riid: *const GUID,
        ppvStateObjectDatabase: *mut *mut c_void,
    ) -> HRESULT;
}

/// Writes what the process creates into a database.
#[interface("d67447bc-4d6c-4ca5-a2a8-deeea4c145c4")]
pub unsafe trait ID3D12StateObjectDatabaseCapture: IUnknown {
    /// Starts or ends writing.
    pub unsafe fn EnableCapture(&self, Enable: BOOL, pDatabaseFile: PCWSTR);
}
