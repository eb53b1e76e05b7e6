//! What the preview of d3d12.h adds to `ID3D12StateObjectDatabase1`.

use std::ffi::c_void;
use std::ptr;

use api_sys::{
    D3D12_CHECKPOINT_MODE, D3D12_CHECKPOINT_MODE_FULL, D3D12_CHECKPOINT_MODE_PASSIVE,
    D3D12_CHECKPOINT_MODE_RESTART, D3D12_CHECKPOINT_MODE_TRUNCATE, D3D12_DATABASE_GROUP_KEY,
    D3D12_DATABASE_PIPELINE_STATE_KEY, D3D12_DATABASE_STATE_OBJECT_KEY,
    D3D12_FIND_PIPELINE_STATE_DESC_FLAG_NO_GROUPS, D3D12_FIND_PIPELINE_STATE_DESC_FLAGS,
    D3D12_FIND_STATE_OBJECT_DESC_FLAG_NO_GROUPS, D3D12_FIND_STATE_OBJECT_DESC_FLAGS,
    D3D12_JOURNAL_MODE, D3D12_JOURNAL_MODE_DELETE, D3D12_JOURNAL_MODE_WAL,
    D3D12_PIPELINE_STATE_STREAM_DESC, D3D12_STATE_OBJECT_DESC, D3D12_TRANSACTION_TYPE,
    D3D12_TRANSACTION_TYPE_DEFERRED, D3D12_TRANSACTION_TYPE_EXCLUSIVE,
    D3D12_TRANSACTION_TYPE_IMMEDIATE, D3D12_TRANSACTION_TYPE_SAVEPOINT,
    D3D12CreateRootSignatureFunc, D3D12EnumeratePipelineStateFunc, D3D12EnumerateStateObjectFunc,
    D3D12LookupRootSignatureFunc, D3D12LookupStateObjectFunc, D3D12PipelineStateFunc1,
    D3D12StateObjectFunc1, DXGI_ERROR_NOT_FOUND, ID3D12StateObjectDatabase1_Impl, S_OK,
};
use shader_db::sodb::{
    CheckpointMode, Group, JournalMode, ObjectName, Origins, PipelineStateDesc, StateObjectDesc,
    TransactionKind,
};
use windows_core::{BOOL, HRESULT, IUnknown, Interface, Ref};

use super::arguments;
use super::created_objects::Identity;
use super::looked_up::Callbacks;
use super::state_object_database::{
    ComStateObjectDatabase, ComStateObjectDatabase_Impl, journal, required,
};
use crate::Error;

/// The API's arrays of groups; they point into the groups that they were made from.
struct Groups {
    keys: Vec<D3D12_DATABASE_GROUP_KEY>,
    versions: Vec<u32>,
}

impl Groups {
    fn new(groups: &[Group]) -> Self {
        let key = |group: &Group| arguments::database_group_key(&group.key);
        Self {
            keys: groups.iter().map(key).collect(),
            versions: groups.iter().map(|group| group.version).collect(),
        }
    }

    /// Keys, versions and their number; null if there are none.
    fn raw(&self) -> (*const D3D12_DATABASE_GROUP_KEY, *const u32, u32) {
        if self.keys.is_empty() {
            return (ptr::null(), ptr::null(), 0);
        }
        let count = u32::try_from(self.keys.len()).unwrap_or(u32::MAX);
        (self.keys.as_ptr(), self.versions.as_ptr(), count)
    }
}

fn pipeline_state_key(key: &[u8]) -> D3D12_DATABASE_PIPELINE_STATE_KEY {
    D3D12_DATABASE_PIPELINE_STATE_KEY {
        pKey: key.as_ptr().cast(),
        KeySize: arguments::size(key),
    }
}

fn state_object_key(key: &[u8]) -> D3D12_DATABASE_STATE_OBJECT_KEY {
    D3D12_DATABASE_STATE_OBJECT_KEY {
        pKey: key.as_ptr().cast(),
        KeySize: arguments::size(key),
    }
}

/// Whether `flags` have the flag `known`. Refuses all other bits.
fn has_flag(flags: u32, known: u32) -> Result<bool, Error> {
    if flags & !known != 0 {
        return Err(Error::argument(format!(
            "flags {flags:#x} have unknown bits"
        )));
    }
    Ok(flags != 0)
}

impl ComStateObjectDatabase {
    /// The key of the row that an object was created from.
    fn row_of(&self, what: &str, object: &IUnknown) -> Result<Vec<u8>, Error> {
        let row = self.created.row_of(object)?;
        row.ok_or_else(|| {
            Error::Database(shader_db::Error::UnknownKey {
                path: self.path.clone(),
                reason: format!("{what} was no pCreatedObject of what was stored before"),
            })
        })
    }
}

// No method uses `self` after a callback, which may release the last reference.
impl ID3D12StateObjectDatabase1_Impl for ComStateObjectDatabase_Impl {
    unsafe fn EnumeratePipelineStates(
        &self,
        CallbackFunc: D3D12EnumeratePipelineStateFunc,
        pContext: *mut c_void,
    ) -> HRESULT {
        self.call("EnumeratePipelineStates", || {
            let callback = required(CallbackFunc)?;
            for keys in self.database.pipeline_states()? {
                let groups = Groups::new(&keys.groups);
                let (first, versions, count) = groups.raw();
                let key = pipeline_state_key(&keys.object);
                // SAFETY: `CallbackFunc` takes `pContext` and keys that are valid during the call.
                let go_on = unsafe { callback(first, versions, count, &raw const key, pContext) };
                if !go_on.as_bool() {
                    break;
                }
            }
            Ok(S_OK)
        })
    }

    unsafe fn EnumerateStateObjects(
        &self,
        CallbackFunc: D3D12EnumerateStateObjectFunc,
        pContext: *mut c_void,
    ) -> HRESULT {
        self.call("EnumerateStateObjects", || {
            let callback = required(CallbackFunc)?;
            for keys in self.database.state_objects()? {
                let groups = Groups::new(&keys.groups);
                let (first, versions, count) = groups.raw();
                let key = state_object_key(&keys.object);
                // SAFETY: `CallbackFunc` takes `pContext` and keys that are valid during the call.
                let go_on = unsafe { callback(first, versions, count, &raw const key, pContext) };
                if !go_on.as_bool() {
                    break;
                }
            }
            Ok(S_OK)
        })
    }

    unsafe fn FindPipelineStateDesc1(
        &self,
        pGroupKey: *const D3D12_DATABASE_GROUP_KEY,
        pPipelineStateKey: *const D3D12_DATABASE_PIPELINE_STATE_KEY,
        Flags: D3D12_FIND_PIPELINE_STATE_DESC_FLAGS,
        CallbackFunc: D3D12PipelineStateFunc1,
        pfnCreateRootSignature: D3D12CreateRootSignatureFunc,
        pfnLookupRootSignature: D3D12LookupRootSignatureFunc,
        pContext: *mut c_void,
    ) -> HRESULT {
        self.call("FindPipelineStateDesc1", || {
            // SAFETY: `pGroupKey` and `pPipelineStateKey` are null or to a key, whose `pKey` is null or to `KeySize` bytes.
            let name = unsafe {
                let key = arguments::optional("pPipelineStateKey", pPipelineStateKey)?;
                let key = key.map(|key| arguments::key_bytes(key.pKey, key.KeySize));
                ObjectName {
                    group: arguments::optional_database_key("pGroupKey", pGroupKey)?,
                    object: key.transpose()?,
                }
            };
            let no_groups = has_flag(Flags, D3D12_FIND_PIPELINE_STATE_DESC_FLAG_NO_GROUPS)?;
            let callback = required(CallbackFunc)?;
            let found = self.database.find_pipeline_state_by(name, !no_groups)?;
            let found = found.ok_or(DXGI_ERROR_NOT_FOUND)?;
            let callbacks = Callbacks {
                lookup_state_object: None,
                create_root_signature: pfnCreateRootSignature,
                lookup_root_signature: pfnLookupRootSignature,
                context: pContext,
            };
            let root_signature = match (&found.root_signature, &found.desc.root_signature) {
                // SAFETY: the callbacks are null or take `pContext`, and set their place when they succeed.
                (Some(key), Some(bytes)) => unsafe { callbacks.root_signature(key, bytes) }?,
                _ => None,
            };
            let raw = found.desc.to_raw_with(root_signature.as_ref());
            let groups = Groups::new(&found.keys.groups);
            let (first, versions, count) = groups.raw();
            let key = pipeline_state_key(&found.keys.object);
            // SAFETY: `CallbackFunc` takes `pContext`, and keys and a description that are valid during the call.
            unsafe {
                callback(first, versions, count, &raw const key, raw.desc(), pContext);
            }
            Ok(S_OK)
        })
    }

    unsafe fn FindStateObjectDesc1(
        &self,
        pGroupKey: *const D3D12_DATABASE_GROUP_KEY,
        pStateObjectKey: *const D3D12_DATABASE_STATE_OBJECT_KEY,
        Flags: D3D12_FIND_STATE_OBJECT_DESC_FLAGS,
        CallbackFunc: D3D12StateObjectFunc1,
        pfnLookupStateObject: D3D12LookupStateObjectFunc,
        pfnCreateRootSignature: D3D12CreateRootSignatureFunc,
        pfnLookupRootSignature: D3D12LookupRootSignatureFunc,
        pContext: *mut c_void,
    ) -> HRESULT {
        self.call("FindStateObjectDesc1", || {
            // SAFETY: `pGroupKey` and `pStateObjectKey` are null or to a key, whose `pKey` is null or to `KeySize` bytes.
            let name = unsafe {
                let key = arguments::optional("pStateObjectKey", pStateObjectKey)?;
                let key = key.map(|key| arguments::key_bytes(key.pKey, key.KeySize));
                ObjectName {
                    group: arguments::optional_database_key("pGroupKey", pGroupKey)?,
                    object: key.transpose()?,
                }
            };
            let no_groups = has_flag(Flags, D3D12_FIND_STATE_OBJECT_DESC_FLAG_NO_GROUPS)?;
            let callback = required(CallbackFunc)?;
            let found = self.database.find_state_object_by(name, !no_groups)?;
            let found = found.ok_or(DXGI_ERROR_NOT_FOUND)?;
            let mut collections = found.desc.collections.iter();
            if pfnLookupStateObject.is_none() && collections.any(|it| it.collection.is_empty()) {
                return Err(shader_db::Error::UnknownKey {
                    path: self.path.clone(),
                    reason: "a collection has no group: its key needs pfnLookupStateObject".into(),
                }
                .into());
            }
            let callbacks = Callbacks {
                lookup_state_object: pfnLookupStateObject,
                create_root_signature: pfnCreateRootSignature,
                lookup_root_signature: pfnLookupRootSignature,
                context: pContext,
            };
            // SAFETY: the callbacks are null or take `pContext`, and set their place when they succeed.
            let objects = unsafe { callbacks.of_state_object(&found) }?;
            let raw = found.desc.to_raw_with(&objects);
            let groups = Groups::new(&found.keys.groups);
            let (first, versions, count) = groups.raw();
            let key = state_object_key(&found.keys.object);
            let parent = found.parent.as_ref();
            let parent_key = parent.map(|parent| state_object_key(&parent.object));
            let parent_group = parent.and_then(|parent| parent.group.as_deref());
            let parent_group = parent_group.map(arguments::database_group_key);
            // SAFETY: `CallbackFunc` takes `pContext`, and keys and a description that are valid during the call.
            unsafe {
                callback(
                    first,
                    versions,
                    count,
                    &raw const key,
                    raw.desc(),
                    parent_key.as_ref().map_or(ptr::null(), ptr::from_ref),
                    parent_group.as_ref().map_or(ptr::null(), ptr::from_ref),
                    pContext,
                );
            }
            Ok(S_OK)
        })
    }

    unsafe fn GetPipelineStateDescCount(&self, pCount: *mut u32) -> HRESULT {
        self.call("GetPipelineStateDescCount", || {
            // SAFETY: `pCount` is null or to the place for a number.
            let place = unsafe { arguments::place("pCount", pCount) }?;
            let count = self.database.pipeline_state_count()?;
            place.write(u32::try_from(count).unwrap_or(u32::MAX));
            Ok(S_OK)
        })
    }

    unsafe fn GetStateObjectDescCount(&self, pCount: *mut u32) -> HRESULT {
        self.call("GetStateObjectDescCount", || {
            // SAFETY: `pCount` is null or to the place for a number.
            let place = unsafe { arguments::place("pCount", pCount) }?;
            let count = self.database.state_object_count()?;
            place.write(u32::try_from(count).unwrap_or(u32::MAX));
            Ok(S_OK)
        })
    }

    unsafe fn BeginTransaction(&self, Type: D3D12_TRANSACTION_TYPE) -> HRESULT {
        self.call("BeginTransaction", || {
            self.database.begin(match Type {
                D3D12_TRANSACTION_TYPE_DEFERRED => TransactionKind::Deferred,
                D3D12_TRANSACTION_TYPE_IMMEDIATE => TransactionKind::Immediate,
                D3D12_TRANSACTION_TYPE_EXCLUSIVE => TransactionKind::Exclusive,
                D3D12_TRANSACTION_TYPE_SAVEPOINT => TransactionKind::Savepoint,
                _ => {
                    let text = format!("transaction type {Type} is unknown");
                    return Err(Error::argument(text).into());
                }
            })?;
            Ok(S_OK)
        })
    }

    unsafe fn CommitTransaction(&self) -> HRESULT {
        self.call("CommitTransaction", || {
            self.database.commit()?;
            Ok(S_OK)
        })
    }

    unsafe fn RollbackTransaction(&self) -> HRESULT {
        self.call("RollbackTransaction", || {
            self.database.roll_back()?;
            Ok(S_OK)
        })
    }

    unsafe fn IsTransactionActive(&self) -> BOOL {
        let mut is_active = false;
        // The method has no way to report a failure.
        let _ = self.call("IsTransactionActive", || {
            is_active = self.database.is_in_transaction();
            Ok(S_OK)
        });
        is_active.into()
    }

    unsafe fn Checkpoint(
        &self,
        CheckpointMode: D3D12_CHECKPOINT_MODE,
        JournalMode: D3D12_JOURNAL_MODE,
        pPreviousJournalMode: *mut D3D12_JOURNAL_MODE,
    ) -> HRESULT {
        self.call("Checkpoint", || {
            let mode = match CheckpointMode {
                D3D12_CHECKPOINT_MODE_PASSIVE => CheckpointMode::Passive,
                D3D12_CHECKPOINT_MODE_FULL => CheckpointMode::Full,
                D3D12_CHECKPOINT_MODE_RESTART => CheckpointMode::Restart,
                D3D12_CHECKPOINT_MODE_TRUNCATE => CheckpointMode::Truncate,
                _ => {
                    let text = format!("checkpoint mode {CheckpointMode} is unknown");
                    return Err(Error::argument(text).into());
                }
            };
            let journal = journal(JournalMode)?;
            let place = if pPreviousJournalMode.is_null() {
                None
            } else {
                // SAFETY: `pPreviousJournalMode` is to the place for a mode.
                Some(unsafe { arguments::place("pPreviousJournalMode", pPreviousJournalMode) }?)
            };
            let previous = self.database.checkpoint_with(mode, journal)?;
            if let Some(place) = place {
                place.write(match previous {
                    JournalMode::Delete => D3D12_JOURNAL_MODE_DELETE,
                    JournalMode::Wal => D3D12_JOURNAL_MODE_WAL,
                });
            }
            Ok(S_OK)
        })
    }

    unsafe fn StorePipelineStateDesc1(
        &self,
        pGroupKeys: *const D3D12_DATABASE_GROUP_KEY,
        pVersions: *const u32,
        NumGroupKeys: u32,
        pDesc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    ) -> HRESULT {
        self.call("StorePipelineStateDesc1", || {
            // SAFETY: the arrays are null or have `NumGroupKeys` elements, `pKey` of each key is null or to `KeySize` bytes, and
            // `pDesc` null or to a description, with all that it points at.
            let (groups, desc) = unsafe {
                (
                    arguments::database_groups(pGroupKeys, pVersions, NumGroupKeys)?,
                    PipelineStateDesc::from_raw(pDesc).map_err(shader_db::Error::from)?,
                )
            };
            self.database.store_pipeline_state_in(&groups, &desc)?;
            Ok(S_OK)
        })
    }

    unsafe fn StoreStateObjectDesc1(
        &self,
        pGroupKeys: *const D3D12_DATABASE_GROUP_KEY,
        pVersions: *const u32,
        NumGroupKeys: u32,
        pDesc: *const D3D12_STATE_OBJECT_DESC,
        pStateObjectToGrowFromGroupKey: *const D3D12_DATABASE_GROUP_KEY,
        pCreatedObject: Ref<IUnknown>,
        pStateObjectToGrowFrom: Ref<IUnknown>,
    ) -> HRESULT {
        self.call("StoreStateObjectDesc1", || {
            let row_of = |pointer: *mut c_void| {
                // SAFETY: `pExistingCollection` of a description is null or to a live object, and `from_raw_with` gives no other
                // addresses.
                let object = unsafe { IUnknown::from_raw_borrowed(&pointer) };
                let object = object.ok_or_else(|| {
                    shader_db::Error::InvalidArgument("pExistingCollection is null".into())
                })?;
                self.row_of("pExistingCollection", object)
                    .map_err(|error| match error {
                        Error::Database(error) => error,
                        error => shader_db::Error::InvalidArgument(error.to_string()),
                    })
            };
            // SAFETY: the arrays are null or have `NumGroupKeys` elements; `pDesc` is null or to a description, with all that it
            // points at; `pStateObjectToGrowFromGroupKey` is null or to a key. `pKey` of each key is null or to `KeySize` bytes.
            let (groups, (desc, collections), parent_group) = unsafe {
                (
                    arguments::database_groups(pGroupKeys, pVersions, NumGroupKeys)?,
                    StateObjectDesc::from_raw_with(pDesc, &row_of)?,
                    arguments::optional_database_key(
                        "pStateObjectToGrowFromGroupKey",
                        pStateObjectToGrowFromGroupKey,
                    )?,
                )
            };
            let created = pCreatedObject.as_ref().map(Identity::of).transpose()?;
            let parent_object = match pStateObjectToGrowFrom.as_ref() {
                // The caller's group key identifies the parent, too.
                Some(object) if parent_group.is_some() => self.created.row_of(object)?,
                Some(object) => Some(self.row_of("pStateObjectToGrowFrom", object)?),
                None => None,
            };
            let origins = Origins {
                collections: &collections,
                parent_group,
                parent_object: parent_object.as_deref(),
            };
            let row = self
                .database
                .store_state_object_in(&groups, &desc, &origins)?;
            if let Some(created) = created {
                self.created.add(created, row);
            }
            Ok(S_OK)
        })
    }
}
