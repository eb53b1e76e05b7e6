//! `ID3D12StateObjectDatabaseFactory` and `ID3D12StateObjectDatabase`.

use std::ffi::c_void;
use std::path::PathBuf;
use std::ptr;

use api_sys::{
    D3D12_APPLICATION_DESC, D3D12_PIPELINE_STATE_STREAM_DESC,
    D3D12_STATE_OBJECT_DATABASE_FLAG_NONE, D3D12_STATE_OBJECT_DATABASE_FLAG_READ_ONLY,
    D3D12_STATE_OBJECT_DATABASE_FLAGS, D3D12_STATE_OBJECT_DESC, D3D12ApplicationDescFunc,
    D3D12PipelineStateFunc, D3D12StateObjectFunc, DXGI_ERROR_NOT_FOUND, ID3D12StateObjectDatabase,
    ID3D12StateObjectDatabase_Impl, ID3D12StateObjectDatabaseFactory,
    ID3D12StateObjectDatabaseFactory_Impl, S_OK,
};
use shader_db::sodb::{Access, PipelineStateDesc, Sodb, StateObjectDesc};
use windows_core::{GUID, HRESULT, IUnknown, Interface, PCWSTR, implement};

use super::{Owned, arguments, call, give};
use crate::Error;
use crate::cache_session::{from_database, to_database};
use crate::claim::Claims;

/// What `D3D12GetInterface` gives for `CLSID_D3D12StateObjectFactory`.
#[implement(ID3D12StateObjectDatabaseFactory)]
pub(crate) struct ComStateObjectDatabaseFactory;

impl ComStateObjectDatabaseFactory {
    pub(crate) const IIDS: [GUID; 2] = [IUnknown::IID, ID3D12StateObjectDatabaseFactory::IID];
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
            let make = || {
                // SAFETY: the API's contract.
                let path = unsafe { arguments::path("pDatabaseFile", pDatabaseFile) }?;
                let access = match flags {
                    D3D12_STATE_OBJECT_DATABASE_FLAG_NONE => Access::Create,
                    D3D12_STATE_OBJECT_DATABASE_FLAG_READ_ONLY => Access::Read,
                    _ => {
                        let text = format!("flags {flags:#x} have unknown bits");
                        return Err(Error::argument(text).into());
                    }
                };
                // Windows would call it one that must not be opened.
                if path.is_dir() {
                    let text = format!("{}: this is a folder", path.display());
                    return Err(Error::argument(text).into());
                }
                let claims = Claims::new(std::iter::once(&*path))?;
                let database = Owned::new(Sodb::open(&path, access)?);
                Ok(ComStateObjectDatabase {
                    database,
                    _claims: claims,
                    path,
                })
            };
            let iids = &ComStateObjectDatabase::IIDS;
            // SAFETY: the API's contract.
            unsafe { give(riid, ppvStateObjectDatabase, iids, make) }
        })
    }
}

#[implement(ID3D12StateObjectDatabase)]
pub(super) struct ComStateObjectDatabase {
    database: Owned<Sodb>,
    // After the file, which is closed by then.
    _claims: Claims,
    /// For messages.
    path: PathBuf,
}

impl ComStateObjectDatabase {
    const IIDS: [GUID; 2] = [IUnknown::IID, ID3D12StateObjectDatabase::IID];
}

/// The callback, which all methods that have one need.
fn required<F>(callback: Option<F>) -> Result<F, Error> {
    callback.ok_or_else(|| Error::argument("CallbackFunc is null"))
}

// Nothing uses `self` behind a callback, which may release the last reference.
impl ID3D12StateObjectDatabase_Impl for ComStateObjectDatabase_Impl {
    unsafe fn SetApplicationDesc(
        &self,
        pApplicationDesc: *const D3D12_APPLICATION_DESC,
    ) -> HRESULT {
        call("SetApplicationDesc", || {
            // SAFETY: the API's contract.
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
        call("GetApplicationDesc", || {
            let callback = required(CallbackFunc)?;
            let found = self.database.application()?.ok_or(DXGI_ERROR_NOT_FOUND)?;
            let application = from_database(&found).map_err(|error| shader_db::Error::Corrupt {
                path: self.path.clone(),
                reason: error.to_string(),
            })?;
            let desc = arguments::application_desc(&application);
            // SAFETY: the caller's callback and context; the application is valid during the call.
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
        call("StorePipelineStateDesc", || {
            // SAFETY: the API's contract.
            let (key, desc) = unsafe {
                (
                    arguments::key_bytes(pKey, KeySize)?,
                    PipelineStateDesc::from_raw(pDesc)?,
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
        call("FindPipelineStateDesc", || {
            // SAFETY: the API's contract.
            let key = unsafe { arguments::key_bytes(pKey, KeySize) }?;
            let callback = required(CallbackFunc)?;
            let found = self.database.find_pipeline_state(key)?;
            let found = found.ok_or(DXGI_ERROR_NOT_FOUND)?;
            let raw = found.desc.to_raw();
            // SAFETY: the caller's callback, key and context; the description is valid during the
            // call.
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
        call("StoreStateObjectDesc", || {
            let (parent, parent_size) = (pStateObjectToGrowFromKey, StateObjectToGrowFromKeySize);
            // SAFETY: the API's contract.
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
        call("FindStateObjectDesc", || {
            // SAFETY: the API's contract.
            let key = unsafe { arguments::key_bytes(pKey, KeySize) }?;
            let callback = required(CallbackFunc)?;
            let found = self.database.find_state_object(key)?;
            let found = found.ok_or(DXGI_ERROR_NOT_FOUND)?;
            let raw = found.desc.to_raw();
            let (parent, parent_size) = match &found.parent {
                Some(parent) => (parent.as_ptr().cast(), arguments::size(parent)),
                None => (ptr::null(), 0),
            };
            // SAFETY: the caller's callback, key and context; the description and the parent's key
            // are valid during the call.
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
        call("FindObjectVersion", || {
            // SAFETY: the API's contract.
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
