//! `ID3D12StateObjectDatabaseFactory1`, and `ID3D12StateObjectDatabase1` without what the preview adds.

use std::ffi::c_void;
use std::path::PathBuf;
use std::ptr;
use std::time::Duration;

use api_desc::caller;
use api_sys::{
    D3D12_APPLICATION_DESC, D3D12_JOURNAL_MODE, D3D12_JOURNAL_MODE_DEFAULT,
    D3D12_JOURNAL_MODE_DELETE, D3D12_JOURNAL_MODE_WAL, D3D12_PIPELINE_STATE_STREAM_DESC,
    D3D12_STATE_OBJECT_DATABASE_DESC, D3D12_STATE_OBJECT_DATABASE_FLAG_NONE,
    D3D12_STATE_OBJECT_DATABASE_FLAG_READ_ONLY, D3D12_STATE_OBJECT_DATABASE_FLAGS,
    D3D12_STATE_OBJECT_DESC, D3D12ApplicationDescFunc, D3D12PipelineStateFunc,
    D3D12StateObjectFunc, DXGI_ERROR_NOT_FOUND, ID3D12InfoQueue, ID3D12StateObjectDatabase,
    ID3D12StateObjectDatabase_Impl, ID3D12StateObjectDatabase1, ID3D12StateObjectDatabaseFactory,
    ID3D12StateObjectDatabaseFactory_Impl, ID3D12StateObjectDatabaseFactory1,
    ID3D12StateObjectDatabaseFactory1_Impl, S_OK,
};
use shader_db::file_name;
use shader_db::sodb::{Access, JournalMode, OpenOptions, PipelineStateDesc, Sodb, StateObjectDesc};
use windows_core::{GUID, HRESULT, IUnknown, Interface, PCWSTR, Ref, implement};

use super::created_objects::CreatedObjects;
use super::info_queue::{InfoQueue, call_with};
use super::{Failure, Outcome, Owned, arguments, call, give};
use crate::Error;
use crate::cache_session::{from_database, to_database};

/// What `D3D12GetInterface` gives for `CLSID_D3D12StateObjectFactory`.
#[implement(ID3D12StateObjectDatabaseFactory1)]
pub(crate) struct ComStateObjectDatabaseFactory;

impl ComStateObjectDatabaseFactory {
    pub(crate) const IIDS: [GUID; 3] = [
        IUnknown::IID,
        ID3D12StateObjectDatabaseFactory::IID,
        ID3D12StateObjectDatabaseFactory1::IID,
    ];
}

/// The journal that a caller asks for.
pub(super) fn journal(mode: D3D12_JOURNAL_MODE) -> Result<Option<JournalMode>, Error> {
    match mode {
        D3D12_JOURNAL_MODE_DEFAULT => Ok(None),
        D3D12_JOURNAL_MODE_DELETE => Ok(Some(JournalMode::Delete)),
        D3D12_JOURNAL_MODE_WAL => Ok(Some(JournalMode::Wal)),
        _ => Err(Error::argument(format!("journal mode {mode} is unknown"))),
    }
}

impl ID3D12StateObjectDatabaseFactory_Impl for ComStateObjectDatabaseFactory_Impl {
    unsafe fn CreateStateObjectDatabaseFromFile(
        &self,
        pDatabaseFile: PCWSTR,
        flags: D3D12_STATE_OBJECT_DATABASE_FLAGS,
        riid: *const GUID,
        ppvStateObjectDatabase: *mut *mut c_void,
    ) -> HRESULT {
        call("CreateStateObjectDatabaseFromFile", || {
            let iids = &ComStateObjectDatabase::IIDS;
            let options = OpenOptions::default();
            // SAFETY: `pDatabaseFile` is null or ends with NUL.
            let make = || unsafe { open(pDatabaseFile, flags, options, None) };
            // SAFETY: `riid` is null or to a GUID, `ppvStateObjectDatabase` null or to a pointer.
            unsafe { give(riid, ppvStateObjectDatabase, iids, make) }
        })
    }
}

impl ID3D12StateObjectDatabaseFactory1_Impl for ComStateObjectDatabaseFactory_Impl {
    unsafe fn CreateStateObjectDatabaseFromFile1(
        &self,
        pDatabaseFile: PCWSTR,
        pDesc: *const D3D12_STATE_OBJECT_DATABASE_DESC,
        pInfoQueue: Ref<ID3D12InfoQueue>,
        riid: *const GUID,
        ppvStateObjectDatabase: *mut *mut c_void,
    ) -> HRESULT {
        let queue = pInfoQueue.as_ref().map(InfoQueue::new);
        call_with(queue.as_ref(), "CreateStateObjectDatabaseFromFile1", || {
            let make = || {
                // SAFETY: `pDesc` is null or to one D3D12_STATE_OBJECT_DATABASE_DESC.
                let desc = unsafe { caller::required("pDesc", pDesc) }?;
                let timeout = u64::from(desc.BusyTimeoutMs);
                let options = OpenOptions {
                    journal: journal(desc.JournalMode)?,
                    busy_timeout: (timeout != 0).then(|| Duration::from_millis(timeout)),
                };
                // SAFETY: `pDatabaseFile` is null or ends with NUL.
                unsafe { open(pDatabaseFile, desc.Flags, options, queue.clone()) }
            };
            let iids = &ComStateObjectDatabase::IIDS;
            // SAFETY: `riid` is null or to a GUID, `ppvStateObjectDatabase` null or to a pointer.
            unsafe { give(riid, ppvStateObjectDatabase, iids, make) }
        })
    }
}

/// # Safety
///
/// `path` is null or NUL-terminated.
unsafe fn open(
    path: PCWSTR,
    flags: D3D12_STATE_OBJECT_DATABASE_FLAGS,
    options: OpenOptions,
    queue: Option<InfoQueue>,
) -> Result<ComStateObjectDatabase, Failure> {
    // SAFETY: `path` is null or NUL-terminated (`# Safety`).
    let path = unsafe { arguments::path("pDatabaseFile", path) }?;
    let access = match flags {
        D3D12_STATE_OBJECT_DATABASE_FLAG_NONE => Access::Create,
        D3D12_STATE_OBJECT_DATABASE_FLAG_READ_ONLY => Access::Read,
        _ => {
            let text = format!("flags {flags:#x} have unknown bits");
            return Err(Error::argument(text).into());
        }
    };
    // Windows reports a folder as a file that access is denied to.
    if path.is_dir() {
        let text = format!("{}: this is a folder", path.display());
        return Err(Error::argument(text).into());
    }
    file_name::check(&path).map_err(Error::from)?;
    let database = Owned::new(Sodb::open_with(&path, access, options)?);
    Ok(ComStateObjectDatabase {
        database,
        path,
        created: CreatedObjects::default(),
        queue,
    })
}

#[implement(ID3D12StateObjectDatabase1)]
pub(super) struct ComStateObjectDatabase {
    pub(super) database: Owned<Sodb>,
    /// For messages.
    pub(super) path: PathBuf,
    pub(super) created: CreatedObjects,
    queue: Option<InfoQueue>,
}

impl ComStateObjectDatabase {
    const IIDS: [GUID; 3] = [
        IUnknown::IID,
        ID3D12StateObjectDatabase::IID,
        ID3D12StateObjectDatabase1::IID,
    ];

    /// As [`call`], and reports failures to the caller's queue.
    pub(super) fn call(&self, name: &'static str, body: impl FnOnce() -> Outcome) -> HRESULT {
        // A callback that the body calls may release `self`.
        let queue = self.queue.clone();
        call_with(queue.as_ref(), name, body)
    }
}

/// The callback, which a caller may not leave out.
pub(super) fn required<F>(callback: Option<F>) -> Result<F, Error> {
    callback.ok_or_else(|| Error::argument("CallbackFunc is null"))
}

// No method uses `self` after a callback, which may release the last reference.
impl ID3D12StateObjectDatabase_Impl for ComStateObjectDatabase_Impl {
    unsafe fn SetApplicationDesc(
        &self,
        pApplicationDesc: *const D3D12_APPLICATION_DESC,
    ) -> HRESULT {
        self.call("SetApplicationDesc", || {
            // SAFETY: `pApplicationDesc` is null or to an application, whose strings are null or end with NUL.
            let application = unsafe { arguments::application(pApplicationDesc) }?;
            let application =
                application.ok_or_else(|| Error::argument("pApplicationDesc is null"))?;
            self.database.set_application(&to_database(&application)?)?;
            Ok(S_OK)
        })
    }

    unsafe fn GetApplicationDesc(
        &self,
        CallbackFunc: D3D12ApplicationDescFunc,
        pContext: *mut c_void,
    ) -> HRESULT {
        self.call("GetApplicationDesc", || {
            let callback = required(CallbackFunc)?;
            let found = self.database.application()?.ok_or(DXGI_ERROR_NOT_FOUND)?;
            let application = from_database(&found).map_err(|error| shader_db::Error::Corrupt {
                path: self.path.clone(),
                reason: error.to_string(),
            })?;
            let desc = arguments::application_desc(&application);
            // SAFETY: `CallbackFunc` takes `pContext` and an application that is valid during the call.
            unsafe { callback(&raw const desc, pContext) };
            Ok(S_OK)
        })
    }

    unsafe fn StorePipelineStateDesc(
        &self,
        pKey: *const c_void,
        KeySize: u32,
        Version: u32,
        pDesc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    ) -> HRESULT {
        self.call("StorePipelineStateDesc", || {
            // SAFETY: `pKey` is null or to `KeySize` bytes, `pDesc` null or to a description, with all that it points at.
            let (key, desc) = unsafe {
                (
                    arguments::key_bytes(pKey, KeySize)?,
                    PipelineStateDesc::from_raw(pDesc).map_err(shader_db::Error::from)?,
                )
            };
            self.database.store_pipeline_state(key, Version, &desc)?;
            Ok(S_OK)
        })
    }

    unsafe fn FindPipelineStateDesc(
        &self,
        pKey: *const c_void,
        KeySize: u32,
        CallbackFunc: D3D12PipelineStateFunc,
        pContext: *mut c_void,
    ) -> HRESULT {
        self.call("FindPipelineStateDesc", || {
            // SAFETY: `pKey` is null or to `KeySize` bytes.
            let key = unsafe { arguments::key_bytes(pKey, KeySize) }?;
            let callback = required(CallbackFunc)?;
            let found = self.database.find_pipeline_state(key)?;
            let found = found.ok_or(DXGI_ERROR_NOT_FOUND)?;
            let raw = found.desc.to_raw();
            // SAFETY: `CallbackFunc` takes `pContext`, the caller's key, and a description that is valid during the call.
            unsafe { callback(pKey, KeySize, found.version, raw.desc(), pContext) };
            Ok(S_OK)
        })
    }

    unsafe fn StoreStateObjectDesc(
        &self,
        pKey: *const c_void,
        KeySize: u32,
        Version: u32,
        pDesc: *const D3D12_STATE_OBJECT_DESC,
        pStateObjectToGrowFromKey: *const c_void,
        StateObjectToGrowFromKeySize: u32,
    ) -> HRESULT {
        self.call("StoreStateObjectDesc", || {
            let (parent, parent_size) = (pStateObjectToGrowFromKey, StateObjectToGrowFromKeySize);
            // SAFETY: `pKey` is null or to `KeySize` bytes, `pDesc` null or to a description, with all that it points at;
            // `pStateObjectToGrowFromKey` is null or to `StateObjectToGrowFromKeySize` bytes.
            let (key, desc, parent) = unsafe {
                (
                    arguments::key_bytes(pKey, KeySize)?,
                    StateObjectDesc::from_raw(pDesc)?,
                    match (parent.is_null(), parent_size) {
                        (true, 0) => None,
                        _ => Some(arguments::key_bytes(parent, parent_size)?),
                    },
                )
            };
            self.database
                .store_state_object(key, Version, &desc, parent)?;
            Ok(S_OK)
        })
    }

    unsafe fn FindStateObjectDesc(
        &self,
        pKey: *const c_void,
        KeySize: u32,
        CallbackFunc: D3D12StateObjectFunc,
        pContext: *mut c_void,
    ) -> HRESULT {
        self.call("FindStateObjectDesc", || {
            // SAFETY: `pKey` is null or to `KeySize` bytes.
            let key = unsafe { arguments::key_bytes(pKey, KeySize) }?;
            let callback = required(CallbackFunc)?;
            let found = self.database.find_state_object(key)?;
            let found = found.ok_or(DXGI_ERROR_NOT_FOUND)?;
            let raw = found.desc.to_raw();
            let (parent, parent_size) = match &found.parent {
                Some(parent) => (parent.as_ptr().cast(), arguments::size(parent)),
                None => (ptr::null(), 0),
            };
            // SAFETY: `CallbackFunc` takes `pContext`, the caller's key, and a description and a parent's key that are valid during
            // the call.
            unsafe {
                callback(
                    pKey,
                    KeySize,
                    found.version,
                    raw.desc(),
                    parent,
                    parent_size,
                    pContext,
                );
            }
            Ok(S_OK)
        })
    }

    unsafe fn FindObjectVersion(
        &self,
        pKey: *const c_void,
        KeySize: u32,
        pVersion: *mut u32,
    ) -> HRESULT {
        self.call("FindObjectVersion", || {
            // SAFETY: `pKey` is null or to `KeySize` bytes, `pVersion` null or to the place for a version.
            let (key, place) = unsafe {
                (
                    arguments::key_bytes(pKey, KeySize)?,
                    arguments::place("pVersion", pVersion)?,
                )
            };
            let version = self.database.object_version(key)?;
            place.write(version.ok_or(DXGI_ERROR_NOT_FOUND)?);
            Ok(S_OK)
        })
    }
}
