//! The API objects that a caller's callbacks return for the root signatures and collections of a description.

use std::ffi::c_void;
use std::mem;

use api_sys::{
    D3D12_DATABASE_GROUP_KEY, D3D12_DATABASE_ROOT_SIGNATURE_KEY, D3D12_DATABASE_STATE_OBJECT_KEY,
    D3D12CreateRootSignatureFunc, D3D12LookupRootSignatureFunc, D3D12LookupStateObjectFunc,
    DXGI_ERROR_NOT_FOUND, E_FAIL, E_NOINTERFACE,
};
use shader_db::sodb::{ApiCollection, ApiObjects, FoundStateObject};
use windows_core::{HRESULT, IUnknown, Interface};

use super::arguments;
use crate::Error;

/// The callbacks, which may be null, and their context.
#[derive(Clone, Copy)]
pub(super) struct Callbacks {
    pub(super) lookup_state_object: D3D12LookupStateObjectFunc,
    pub(super) create_root_signature: D3D12CreateRootSignatureFunc,
    pub(super) lookup_root_signature: D3D12LookupRootSignatureFunc,
    pub(super) context: *mut c_void,
}

/// The object that a callback returned. If the callback failed, nothing in its place counts.
fn given<T>(
    callback: &'static str,
    key: &[u8],
    result: HRESULT,
    place: Option<T>,
) -> Result<T, Error> {
    let failure = |result: HRESULT, reason: String| {
        Err(Error::Callback {
            callback,
            key: hex::encode(key),
            reason,
            result: ddi_sys::HRESULT(result.0),
        })
    };
    if result.is_err() {
        // A callback that fails need not initialize its place, so nothing may be released.
        mem::forget(place);
        return failure(result, format!("{:#010x}", result.0));
    }
    match place {
        Some(object) => Ok(object),
        None => failure(E_FAIL, "it succeeded with null".into()),
    }
}

impl Callbacks {
    /// The object for a root signature: the lookup callback's, or else the create callback's. `None` if the caller passed no
    /// callbacks, or its lookup finds none and there is no create callback.
    ///
    /// # Safety
    ///
    /// Each callback is null or takes `context`, and sets its place to null or an object, with a reference, when it succeeds.
    pub(super) unsafe fn root_signature(
        &self,
        key: &[u8],
        bytes: &[u8],
    ) -> Result<Option<api_sys::ID3D12RootSignature>, Error> {
        let of_api = D3D12_DATABASE_ROOT_SIGNATURE_KEY {
            pKey: key.as_ptr().cast(),
            KeySize: arguments::size(key),
        };
        if let Some(lookup) = self.lookup_root_signature {
            let mut place = None;
            // SAFETY: `lookup` takes `context` (`# Safety`); the key is valid during the call.
            let result = unsafe { lookup(&raw const of_api, &raw mut place, self.context) };
            if result != DXGI_ERROR_NOT_FOUND {
                return given("pfnLookupRootSignature", key, result, place).map(Some);
            }
            mem::forget(place);
        }
        let Some(create) = self.create_root_signature else {
            return Ok(None);
        };
        let mut place = None;
        let (first, size) = (bytes.as_ptr().cast(), bytes.len());
        // SAFETY: `create` takes `context` (`# Safety`); key and bytes are valid during the call.
        let result =
            unsafe { create(&raw const of_api, first, size, &raw mut place, self.context) };
        given("pfnCreateRootSignature", key, result, place).map(Some)
    }

    /// The objects for the collections and root signatures of a state object.
    ///
    /// # Safety
    ///
    /// As for [`root_signature`](Self::root_signature).
    pub(super) unsafe fn of_state_object(
        &self,
        found: &FoundStateObject,
    ) -> Result<ApiObjects, Error> {
        let mut objects = ApiObjects::default();
        let desc = &found.desc;
        if let Some(lookup) = self.lookup_state_object {
            for (row, collection) in found.collections.iter().zip(&desc.collections) {
                // SAFETY: `lookup` takes `context`, and sets its place when it succeeds (`# Safety`).
                let collection = unsafe { self.collection(lookup, row, &collection.collection) }?;
                objects.collections.push(Some(collection));
            }
        }
        for (keys, blobs, into) in [
            (
                &found.global_root_signatures,
                &desc.global_root_signatures,
                &mut objects.global_root_signatures,
            ),
            (
                &found.local_root_signatures,
                &desc.local_root_signatures,
                &mut objects.local_root_signatures,
            ),
        ] {
            for (key, bytes) in keys.iter().zip(blobs) {
                // SAFETY: the callbacks are null or take `context`, and set their place when they succeed (`# Safety`).
                into.push(unsafe { self.root_signature(key, bytes) }?);
            }
        }
        Ok(objects)
    }

    /// # Safety
    ///
    /// As for [`root_signature`](Self::root_signature).
    unsafe fn collection(
        &self,
        lookup: unsafe extern "system" fn(
            *const D3D12_DATABASE_STATE_OBJECT_KEY,
            *const D3D12_DATABASE_GROUP_KEY,
            *mut Option<IUnknown>,
            *mut c_void,
        ) -> HRESULT,
        row: &[u8],
        group: &[u8],
    ) -> Result<ApiCollection, Error> {
        let key = D3D12_DATABASE_STATE_OBJECT_KEY {
            pKey: row.as_ptr().cast(),
            KeySize: arguments::size(row),
        };
        let group = arguments::database_group_key(group);
        let mut place = None;
        // SAFETY: `lookup` takes `context` (`# Safety`); the keys are valid during the call.
        let result = unsafe {
            lookup(
                &raw const key,
                &raw const group,
                &raw mut place,
                self.context,
            )
        };
        let callback = "pfnLookupStateObject";
        let object = given(callback, row, result, place)?;
        let state_object = object.cast().map(ApiCollection::StateObject);
        let collection = state_object.or_else(|_| object.cast().map(ApiCollection::Compiled));
        given(
            callback,
            row,
            if collection.is_ok() {
                result
            } else {
                E_NOINTERFACE
            },
            collection.ok(),
        )
    }
}
