//! `ID3D12CompilerCacheSession`.

use std::ffi::c_void;
use std::ptr;

use api_sys::{
    D3D12_APPLICATION_DESC, D3D12_COMPILER_CACHE_CONST_VALUE, D3D12_COMPILER_CACHE_GROUP_KEY,
    D3D12_COMPILER_CACHE_TYPED_CONST_VALUE, D3D12_COMPILER_CACHE_TYPED_VALUE,
    D3D12_COMPILER_CACHE_VALUE_KEY, D3D12_COMPILER_TARGET, D3D12_COMPILER_VALUE_TYPE,
    D3D12_COMPILER_VALUE_TYPE_FLAGS, D3D12CompilerCacheSessionAllocationFunc,
    D3D12CompilerCacheSessionGroupValueKeysFunc, D3D12CompilerCacheSessionGroupValuesFunc,
    DXGI_ERROR_MORE_DATA, DXGI_ERROR_NOT_FOUND, E_OUTOFMEMORY, GetCompilerTarget,
    ID3D12CompilerCacheSession, ID3D12CompilerCacheSession_Impl, ID3D12CompilerFactoryChild,
    ID3D12CompilerFactoryChild_Impl, S_OK,
};
use shader_db::psdb::{Psdb, ValueType, ValueTypes};
use windows_core::{ComObject, GUID, HRESULT, IUnknown, IUnknownImpl, Interface, implement};

use super::arguments::size;
use super::factory::ComFactory;
use super::{Failure, IOfLibrary, IOfLibrary_Impl, Outcome, Owned, arguments, call, give, library};
use crate::{CacheSession, Error};

#[implement(ID3D12CompilerCacheSession, IOfLibrary)]
pub(super) struct ComCacheSession {
    session: Owned<CacheSession>,
    application: Application,
    // After the session: the plugin must outlive what was made with it.
    factory: ComObject<ComFactory>,
}

/// Points into the session.
struct Application(D3D12_APPLICATION_DESC);

// SAFETY: the pointers are to what the session holds and nobody changes.
unsafe impl Send for Application {}
// SAFETY: a shared reference gives no more than to read the strings, which the session keeps and nobody changes.
unsafe impl Sync for Application {}

impl ComCacheSession {
    pub(super) const IIDS: [GUID; 3] = [
        IUnknown::IID,
        ID3D12CompilerFactoryChild::IID,
        ID3D12CompilerCacheSession::IID,
    ];

    pub(super) fn new(session: CacheSession, factory: ComObject<ComFactory>) -> Self {
        let application = Application(arguments::application_desc(session.application()));
        Self {
            session: Owned::new(session),
            application,
            factory,
        }
    }

    pub(super) fn session(&self) -> &CacheSession {
        &self.session
    }

    fn database(&self) -> &Psdb {
        let database = self.session.database();
        database.expect("a session of the API stores in files")
    }

    /// The version of a group; DXGI_ERROR_NOT_FOUND if there is no such group, or it has another version than the expected one.
    ///
    /// # Safety
    ///
    /// `expected` is null or to a version.
    unsafe fn group(&self, key: &[u8], expected: *const u32) -> Result<u32, Failure> {
        let version = self
            .database()
            .find_group(key)?
            .ok_or(DXGI_ERROR_NOT_FOUND)?;
        // SAFETY: `expected` is null or to a version (`# Safety`), which is compared before this returns.
        match unsafe { arguments::optional("pExpectedGroupVersion", expected) }? {
            Some(expected) if *expected != version => Err(DXGI_ERROR_NOT_FOUND.into()),
            _ => Ok(version),
        }
    }
}

/// The type of a number.
fn value_type(number: D3D12_COMPILER_VALUE_TYPE) -> Result<ValueType, Error> {
    let kind = u32::try_from(number).ok().and_then(ValueType::from_number);
    kind.ok_or_else(|| Error::argument(format!("{number} is not a value type")))
}

/// The number of a type.
fn number(kind: ValueType) -> D3D12_COMPILER_VALUE_TYPE {
    D3D12_COMPILER_VALUE_TYPE::from(kind as u8)
}

impl ID3D12CompilerFactoryChild_Impl for ComCacheSession_Impl {
    unsafe fn GetFactory(&self, riid: *const GUID, ppCompilerFactory: *mut *mut c_void) -> HRESULT {
        call("GetFactory", || {
            let factory = || Ok(self.factory.to_interface::<IUnknown>());
            // SAFETY: `riid` is null or to a GUID, `ppCompilerFactory` null or to a pointer.
            unsafe { give(riid, ppCompilerFactory, &ComFactory::IIDS, factory) }
        })
    }
}

impl ID3D12CompilerCacheSession_Impl for ComCacheSession_Impl {
    unsafe fn FindGroup(
        &self,
        pGroupKey: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        pGroupVersion: *mut u32,
    ) -> HRESULT {
        call("FindGroup", || {
            // SAFETY: `pGroupKey` is null or to a key, whose `pKey` is null or to `KeySize` bytes.
            let key = unsafe { arguments::group_key(pGroupKey) }?;
            // SAFETY: null expects no version.
            let version = unsafe { self.group(key, ptr::null()) }?;
            if !pGroupVersion.is_null() {
                // SAFETY: `pGroupVersion` is to the place for a version.
                unsafe { arguments::place("pGroupVersion", pGroupVersion) }?.write(version);
            }
            Ok(S_OK)
        })
    }

    unsafe fn FindGroupValueKeys(
        &self,
        pGroupKey: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        pExpectedGroupVersion: *const u32,
        CallbackFunc: D3D12CompilerCacheSessionGroupValueKeysFunc,
        pContext: *mut c_void,
    ) -> HRESULT {
        call("FindGroupValueKeys", || {
            // SAFETY: `pGroupKey` is null or to a key, whose `pKey` is null or to `KeySize` bytes; `pExpectedGroupVersion` is null
            // or to a version.
            let (key, version) = unsafe {
                let key = arguments::group_key(pGroupKey)?;
                (key, self.group(key, pExpectedGroupVersion)?)
            };
            let Some(callback) = CallbackFunc else {
                return Ok(S_OK);
            };
            // A callback may release the caller's last reference.
            let session = self.to_object();
            let Some(keys) = session.database().group_value_keys(key, version)? else {
                return Err(DXGI_ERROR_NOT_FOUND.into());
            };
            for key in keys {
                let key = D3D12_COMPILER_CACHE_VALUE_KEY {
                    pKey: key.as_ptr().cast(),
                    KeySize: size(&key),
                };
                // SAFETY: `CallbackFunc` takes `pContext` and a key that is valid during the call.
                unsafe { callback(&raw const key, pContext) };
            }
            Ok(S_OK)
        })
    }

    unsafe fn FindGroupValues(
        &self,
        pGroupKey: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        pExpectedGroupVersion: *const u32,
        ValueTypeFlags: D3D12_COMPILER_VALUE_TYPE_FLAGS,
        CallbackFunc: D3D12CompilerCacheSessionGroupValuesFunc,
        pContext: *mut c_void,
    ) -> HRESULT {
        call("FindGroupValues", || {
            // SAFETY: `pGroupKey` is null or to a key, whose `pKey` is null or to `KeySize` bytes.
            let key = unsafe { arguments::group_key(pGroupKey) }?;
            let types = ValueTypes::from_bits(ValueTypeFlags).ok_or_else(|| {
                Error::argument(format!(
                    "ValueTypeFlags {ValueTypeFlags:#x} have unknown bits"
                ))
            })?;
            // SAFETY: `pExpectedGroupVersion` is null or to a version.
            let version = unsafe { self.group(key, pExpectedGroupVersion) }?;
            // A callback may release the caller's last reference.
            let session = self.to_object();
            let database = session.database();
            let Some(keys) = database.group_value_keys(key, version)? else {
                return Err(DXGI_ERROR_NOT_FOUND.into());
            };
            let mut value = Vec::new();
            for (index, key) in (0_u32..).zip(&keys) {
                // If the caller asks for no types, none is missing.
                let mut has_any = types.is_empty();
                for kind in types.kinds() {
                    let Some(callback) = CallbackFunc else {
                        has_any |= database.value_size(key, kind)?.is_some();
                        continue;
                    };
                    let found = database.find_value(key, kind, |found| copy(found, &mut value))?;
                    if found.transpose()?.is_none() {
                        continue;
                    }
                    let typed = D3D12_COMPILER_CACHE_TYPED_CONST_VALUE {
                        Type: number(kind),
                        Value: D3D12_COMPILER_CACHE_CONST_VALUE {
                            pValue: value.as_ptr().cast(),
                            ValueSize: size(&value),
                        },
                    };
                    // SAFETY: `CallbackFunc` takes `pContext` and a value that is valid during the call.
                    unsafe { callback(index, &raw const typed, pContext) };
                }
                if CallbackFunc.is_none() && !has_any {
                    return Err(DXGI_ERROR_NOT_FOUND.into());
                }
            }
            Ok(S_OK)
        })
    }

    unsafe fn FindValue(
        &self,
        pValueKey: *const D3D12_COMPILER_CACHE_VALUE_KEY,
        pTypedValues: *mut D3D12_COMPILER_CACHE_TYPED_VALUE,
        NumTypedValues: u32,
        pCallbackFunc: D3D12CompilerCacheSessionAllocationFunc,
        pContext: *mut c_void,
    ) -> HRESULT {
        call("FindValue", || {
            // SAFETY: the key and each of the `NumTypedValues` entries are null or what their types say, `pKey` with `KeySize` and
            // `pValue` with `ValueSize` bytes; `pCallbackFunc` takes `pContext` and returns null or the bytes that it was asked for.
            unsafe {
                self.find_value(
                    pValueKey,
                    pTypedValues,
                    NumTypedValues,
                    pCallbackFunc,
                    pContext,
                )
            }
        })
    }

    unsafe fn GetApplicationDesc(&self) -> *const D3D12_APPLICATION_DESC {
        &raw const self.application.0
    }

    GetCompilerTarget! { self => {
        let target = self.session.target();
        D3D12_COMPILER_TARGET {
            AdapterFamilyIndex: target.adapter_family_index(),
            ABIVersion: target.abi_version(),
        }
    } }

    unsafe fn GetValueTypes(&self) -> D3D12_COMPILER_VALUE_TYPE_FLAGS {
        self.database().types().bits()
    }

    unsafe fn StoreGroupValueKeys(
        &self,
        pGroupKey: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        GroupVersion: u32,
        pValueKeys: *const D3D12_COMPILER_CACHE_VALUE_KEY,
        NumValueKeys: u32,
    ) -> HRESULT {
        call("StoreGroupValueKeys", || {
            // SAFETY: `pGroupKey` is null or to a key, `pValueKeys` null or to `NumValueKeys` keys; `pKey` of each is null or to
            // `KeySize` bytes.
            let (key, keys) = unsafe {
                let keys = arguments::array("pValueKeys", pValueKeys, NumValueKeys);
                (arguments::group_key(pGroupKey)?, keys?)
            };
            let keys: Vec<&[u8]> = keys
                .iter()
                // SAFETY: `pKey` of each key is null or to `KeySize` bytes.
                .map(|key| unsafe { arguments::value_key(key) })
                .collect::<Result<_, _>>()?;
            self.database().store_group(key, GroupVersion, &keys)?;
            Ok(S_OK)
        })
    }

    unsafe fn StoreValue(
        &self,
        pValueKey: *const D3D12_COMPILER_CACHE_VALUE_KEY,
        pTypedValues: *const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
        NumTypedValues: u32,
    ) -> HRESULT {
        call("StoreValue", || {
            // SAFETY: `pValueKey` is null or to a key, whose `pKey` is null or to `KeySize` bytes; `pTypedValues` is null or to
            // `NumTypedValues` elements.
            let (key, values) = unsafe {
                let values = arguments::array("pTypedValues", pTypedValues, NumTypedValues);
                (arguments::value_key(pValueKey)?, values?)
            };
            let values: Vec<(ValueType, &[u8])> = values
                .iter()
                .map(|typed| {
                    let value = &typed.Value;
                    // SAFETY: `pValue` of each element is null or to `ValueSize` bytes.
                    let bytes = unsafe { arguments::value(value.pValue, value.ValueSize) }?;
                    Ok::<_, Error>((value_type(typed.Type)?, bytes))
                })
                .collect::<Result<_, _>>()?;
            self.database().store_value(key, &values)?;
            Ok(S_OK)
        })
    }
}

impl IOfLibrary_Impl for ComCacheSession_Impl {
    unsafe fn Library(&self) -> usize {
        library()
    }
}

/// Replaces the content of `to` by a value; E_OUTOFMEMORY if there is no memory for it.
fn copy(value: &[u8], to: &mut Vec<u8>) -> Result<(), HRESULT> {
    to.clear();
    to.try_reserve_exact(value.len())
        .map_err(|_| E_OUTOFMEMORY)?;
    to.extend_from_slice(value);
    Ok(())
}

/// # Safety
///
/// `memory` has room for as many bytes, and does not overlap them.
unsafe fn copy_to(memory: *mut c_void, bytes: &[u8]) {
    // SAFETY: `memory` takes `bytes.len()` bytes, and is not theirs (`# Safety`).
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), memory.cast(), bytes.len()) };
}

/// One entry of a find, as the caller passed it, and what the database has for it.
struct Wanted {
    entry: *mut D3D12_COMPILER_CACHE_TYPED_VALUE,
    capacity: u32,
    /// 0 if the database has no such value.
    size: u32,
    /// A copy of the value. The callback that allocates its memory runs later, when this thread holds no lock.
    copy: Vec<u8>,
}

impl ComCacheSession {
    /// Sets ValueSize to 0 for a type that the key lacks, as long as the key has another type that the caller asks for.
    /// Allocates memory for an entry whose ValueSize is 0 if there is a callback, whatever its pValue is. Sets all sizes, also
    /// if a buffer is too small or an allocation fails; after a failed allocation it allocates nothing more. It does not use
    /// `self` after a callback, which may release the last reference.
    ///
    /// # Safety
    ///
    /// `key` is null or to a key, whose `pKey` is null or to `KeySize` bytes. `entries` is null or to `count` entries, which may be
    /// written; `pValue` of each is null or has room for `ValueSize` bytes. `allocate` takes `context`, and returns null or as many
    /// bytes as it is asked for.
    unsafe fn find_value(
        &self,
        key: *const D3D12_COMPILER_CACHE_VALUE_KEY,
        entries: *mut D3D12_COMPILER_CACHE_TYPED_VALUE,
        count: u32,
        mut allocate: D3D12CompilerCacheSessionAllocationFunc,
        context: *mut c_void,
    ) -> Outcome {
        // SAFETY: `key` is null or to a key, whose `pKey` has `KeySize` bytes (`# Safety`), valid during the call.
        let key = unsafe { arguments::value_key(key) }?;
        if count == 0 {
            return Err(Error::argument("NumTypedValues is 0").into());
        }
        let database = self.database();
        // SAFETY: `entries` is null or to `count` elements, pTypedValues (`# Safety`); the slice ends before they are written.
        let values = unsafe { arguments::array("pTypedValues", entries, count) }?;
        for typed in values {
            value_type(typed.Type)?;
            if typed.Value.pValue.is_null() && typed.Value.ValueSize != 0 {
                return Err(Error::argument("a null pValue has a ValueSize").into());
            }
        }
        let mut wanted = Vec::with_capacity(values.len());
        for (index, typed) in values.iter().enumerate() {
            let kind = value_type(typed.Type)?;
            let D3D12_COMPILER_CACHE_TYPED_VALUE { Value: buffer, .. } = *typed;
            let capacity = buffer.ValueSize;
            let (mut found_size, mut own, mut copied) = (0, Vec::new(), Ok(()));
            if capacity == 0 && allocate.is_none() {
                found_size = database.value_size(key, kind)?.unwrap_or(0);
            } else {
                database.find_value(key, kind, |value| {
                    found_size = size(value);
                    if capacity == 0 {
                        copied = copy(value, &mut own);
                    } else if found_size <= capacity {
                        // SAFETY: `pValue` was checked for null and has room for `capacity` bytes (`# Safety`); the value is the
                        // database's memory.
                        unsafe { copy_to(buffer.pValue, value) };
                    }
                })?;
                copied?;
            }
            let entry = entries.wrapping_add(index);
            wanted.push(Wanted {
                entry,
                capacity,
                size: found_size,
                copy: own,
            });
        }
        if wanted.iter().all(|wanted| wanted.size == 0) {
            return Err(DXGI_ERROR_NOT_FOUND.into());
        }

        let mut result = S_OK;
        for Wanted {
            entry,
            capacity,
            size,
            copy,
        } in wanted
        {
            // SAFETY: `entry` is one of `count` entries (`# Safety`), reached by pointer, as the callback may change it.
            unsafe { (&raw mut (*entry).Value.ValueSize).write(size) };
            if 0 < capacity && capacity < size && result == S_OK {
                result = DXGI_ERROR_MORE_DATA;
            }
            let Some(function) = allocate.filter(|_| !copy.is_empty()) else {
                continue;
            };
            // SAFETY: `allocate` takes `context` (`# Safety`).
            let memory = unsafe { function(copy.len(), context) };
            // SAFETY: `entry` is one of `count` entries (`# Safety`), reached by pointer, as the callback may change it.
            unsafe { (&raw mut (*entry).Value.pValue).write(memory) };
            if memory.is_null() {
                result = E_OUTOFMEMORY;
                allocate = None;
                continue;
            }
            // SAFETY: `memory` is not null, and has as many bytes as `allocate` was asked for (`# Safety`).
            unsafe { copy_to(memory, &copy) };
        }
        Ok(result)
    }
}
