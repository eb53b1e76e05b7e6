//! The runtime's callbacks with a defect, and the session handles that the plugin gets.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::sync::Mutex;
use std::{ptr, slice};

use base_plugin::{call, defects, follow};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CACHE_CONST_VALUE,
    D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE, D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    D3D12DDI_COMPILER_CACHE_VALUE, D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID,
    D3D12DDI_HRTCOMPILERCACHESESSION, DXGI_ERROR_ALREADY_EXISTS, DXGI_ERROR_MORE_DATA,
    DXGI_ERROR_NOT_FOUND, E_FAIL, E_INVALIDARG, E_OUTOFMEMORY, E_UNEXPECTED, HRESULT,
    PFND3D12DDI_COMPILER_ALLOCATION, S_OK, UINT,
};

use super::{lock, plugin};
use crate::defect::has;

/// The defects of this file.
#[macro_export]
macro_rules! callback_defects {
    ($take:ident) => {
        $take! {
            /// In the callbacks that the plugin gets.
            Callbacks {
                StoresAgain = "host-stores-again" breaks H_09:
                    "storing a value again gets S_OK";
                ShortBuffer = "host-short-buffer" breaks H_09:
                    "finding into a buffer that is too small gets S_OK";
                SharedSession = "host-shared-session" breaks H_09:
                    "compile calls at the same time have one session handle";
                NullSession = "host-null-session" breaks H_09:
                    "the first compile call has a null session handle";
                SizeMoreData = "host-size-more-data" breaks H_09:
                    "the size check of one value gets DXGI_ERROR_MORE_DATA";
                SizeKept = "host-size-kept" breaks H_09:
                    "the size check of one value leaves ValueSize at 0";
                SizeSetsPointer = "host-size-sets-pointer" breaks H_09:
                    "the size check sets pValue";
                ShortSizeKept = "host-short-size-kept" breaks H_09:
                    "a buffer that is too small keeps its ValueSize";
                ShortOverrun = "host-short-overrun" breaks H_09:
                    "one byte is written behind a buffer that is too small";
                BufferCleared = "host-buffer-cleared" breaks H_09:
                    "the rest of a larger buffer is cleared";
                SizeIsCapacity = "host-size-is-capacity" breaks H_09:
                    "the ValueSize of a larger buffer stays its capacity";
                AbsentFound = "host-absent-found" breaks H_09:
                    "the size check of a key that is not cached gets S_OK";
                AbsentFails = "host-absent-fails" breaks H_09:
                    "finding a key that is not cached into a buffer gets E_FAIL";
                AbsentAllocated = "host-absent-allocated" breaks H_09:
                    "the allocation callback is called for a key that is not cached";
                NotAllocated = "host-not-allocated" breaks H_09:
                    "the allocation callback is not called";
                AllocationSize = "host-allocation-size" breaks H_09:
                    "the allocation callback is asked for one byte more";
                AllocationKept = "host-allocation-kept" breaks H_09:
                    "pValue does not become what the allocation callback returned";
                AllocationFails = "host-allocation-fails" breaks H_09:
                    "an allocation callback that returns null makes the find fail with E_FAIL";
                AllocationIgnored = "host-allocation-ignored" breaks H_09:
                    "an allocation callback that returns null makes the find return S_OK";
                AllocationForgotten = "host-allocation-forgotten" breaks H_09:
                    "when the allocation callback returns null, every pValue is null";
                BufferAllocated = "host-buffer-allocated" breaks H_09:
                    "where there is an allocation callback, buffers are not used";
                FirstOnly = "host-first-only" breaks H_09:
                    "of several buffers the first is filled";
                ShortStops = "host-short-stops" breaks H_09:
                    "nothing is copied where one of several buffers is too small";
                StoresNothing = "host-stores-nothing" breaks H_09:
                    "storing no values gets S_OK";
                StoresNull = "host-stores-null" breaks H_09:
                    "storing null gets S_OK";
                StoresEmpty = "host-stores-empty" breaks H_09:
                    "values of size 0 are passed over";
                StoresTwice = "host-stores-twice" breaks H_09:
                    "of two values of one type the first is stored";
                AgainFails = "host-again-fails" breaks H_09:
                    "storing a value again gets E_FAIL";
                PdbAgain = "host-pdb-again" breaks H_09:
                    "storing debug information again gets S_OK";
                Replaces = "host-replaces" breaks H_09:
                    "storing another value gets DXGI_ERROR_ALREADY_EXISTS and replaces the first";
                LackingFound = "host-lacking-found" notes H_13 "S_OK":
                    "finding a type that the key lacks gets S_OK, as the key has another";
                LackingFoundInPart = "host-lacking-found-in-part" breaks H_13:
                    "only the size check of a type that the key lacks gets S_OK";
                LackingAllocated = "host-lacking-allocated" breaks H_13:
                    "the allocation callback is called for a type that the key lacks";
                AbsentBeside = "host-absent-beside" breaks H_14:
                    "one type that is not cached makes a find DXGI_ERROR_NOT_FOUND";
                AbsentCapacity = "host-absent-capacity" breaks H_14:
                    "the ValueSize of a type that is not cached stays the capacity of its buffer";
                LateSession = "host-late-session" breaks H_15:
                    "the callbacks return S_OK for the session handle of an earlier call";
                SessionFollowed = "host-session-followed" breaks H_15:
                    "the callbacks follow the session handle of an earlier call";
                SessionAgain = "host-session-again" notes H_15 "again":
                    "one compile call after the other has the same session handle";
                KeysTwice = "host-keys-twice" breaks H_16:
                    "a second list of value keys gets S_OK";
                KeysLast = "host-keys-last" breaks H_16:
                    "of two lists of value keys the second is refused and taken";
                NullKeyFollowed = "host-null-key-followed" breaks H_17:
                    "finding reads a null key";
                EmptyKey = "host-empty-key" breaks H_17:
                    "storing with a key of size 0 gets S_OK";
                NullBuffer = "host-null-buffer" breaks H_17:
                    "finding into a null buffer is the size check";
                UnknownTypeLost = "host-unknown-type-lost" breaks H_17:
                    "values of types that do not exist are passed over";
                RefusedInPart = "host-refused-in-part" breaks H_17:
                    "the values before one of a type that does not exist are stored";
                NullValue = "host-null-value" breaks H_17:
                    "null values that have a size are passed over";
                FindsNothing = "host-finds-nothing" breaks H_17:
                    "finding no values gets S_OK";
                NullKeys = "host-null-keys" breaks H_17:
                    "a null list of value keys gets S_OK";
                NullNotAllocated = "host-null-not-allocated" breaks H_18:
                    "for a null pValue the allocation callback is not called";
                ValueCleared = "host-value-cleared" breaks H_19:
                    "the first byte of a value is cleared after it was stored";
                RefusedCleared = "host-refused-cleared" breaks H_19:
                    "the first byte of a value that is cached already is cleared";
                KeyCleared = "host-key-cleared" breaks H_19:
                    "the first byte of a key that has the value already is cleared";
            }
        }
    };
}

callback_defects!(defects);

type Session = D3D12DDI_HRTCOMPILERCACHESESSION;
type Entry = D3D12DDI_COMPILER_CACHE_TYPED_VALUE;
type ConstEntry = D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE;
type Key = D3D12DDI_COMPILER_CACHE_VALUE_KEY;

/// What the plugin gets.
pub(super) const TABLE: D3D12DDI_COMPILER_CACHE_CALLBACKS = D3D12DDI_COMPILER_CACHE_CALLBACKS {
    pfnCompilerCacheFindValue: Some(find_value),
    pfnCompilerCacheStoreValue: Some(store_value),
    pfnCompilerCacheSetObjectValueKeys: Some(set_object_value_keys),
};

/// The compile calls in progress.
struct Calls {
    /// The runtime's sessions, as addresses.
    sessions: Vec<usize>,
    /// How often there was none in progress when one began.
    begun: usize,
}

static CALLS: Mutex<Calls> = Mutex::new(Calls {
    sessions: Vec::new(),
    begun: 0,
});

/// Keys, and what the defect has replaced their values with; the last counts.
static REPLACED: Mutex<Vec<(Vec<u8>, Vec<u8>)>> = Mutex::new(Vec::new());

thread_local! {
    /// The handle that the plugin has in the compile call of this thread, and the runtime's.
    static CURRENT: Cell<Option<(usize, Session)>> = const { Cell::new(None) };
    /// The value keys that were set in it.
    static KEYS: RefCell<Option<Vec<Vec<u8>>>> = const { RefCell::new(None) };
}

/// Makes a compile call with the session handle that the defect has.
pub(super) fn in_session(session: Session, compile: impl FnOnce(Session) -> HRESULT) -> HRESULT {
    let given = {
        let mut calls = lock(&CALLS);
        calls.begun += usize::from(calls.sessions.is_empty());
        calls.sessions.push(session.handle.addr());
        if has(Callbacks::SharedSession) {
            // Far from the runtime's own handles, which are small numbers or addresses.
            ptr::without_provenance_mut(0x5E55_0000 + calls.begun)
        } else if has(Callbacks::NullSession) && calls.begun == 1 {
            ptr::null_mut()
        } else if has(Callbacks::SessionAgain) && calls.sessions.len() == 1 {
            ptr::without_provenance_mut(0x5E55_0000)
        } else {
            session.handle
        }
    };
    CURRENT.set(Some((given.addr(), session)));
    KEYS.take();
    let result = compile(Session { handle: given });
    if let Some(keys) = KEYS.take()
        && has(Callbacks::KeysLast)
    {
        let plugin = plugin();
        let raw: Vec<Key> = keys.iter().map(|key| raw_key(key)).collect();
        let count = UINT::try_from(raw.len()).unwrap_or(0);
        let _ = call!(plugin.callbacks.pfnCompilerCacheSetObjectValueKeys(
            session, raw.as_ptr(), count
        ) else E_UNEXPECTED);
    }
    CURRENT.set(None);
    let mut calls = lock(&CALLS);
    let address = session.handle.addr();
    calls.sessions.retain(|other| *other != address);
    result
}

fn raw_key(key: &[u8]) -> Key {
    Key {
        pKey: key.as_ptr().cast(),
        KeySize: UINT::try_from(key.len()).unwrap_or(0),
    }
}

/// The runtime's session for the handle that the plugin used, or what the defect makes of one that is
/// none.
fn runtimes(session: Session) -> Result<Session, HRESULT> {
    let session = match CURRENT.get() {
        Some((given, own)) if given == session.handle.addr() => own,
        _ => session,
    };
    if !lock(&CALLS).sessions.contains(&session.handle.addr()) {
        if has(Callbacks::LateSession) {
            return Err(S_OK);
        }
        if has(Callbacks::SessionFollowed) {
            follow::<u8>(ptr::null());
        }
    }
    Ok(session)
}

/// # Safety
///
/// `key` is a key.
unsafe fn bytes_of(key: *const Key) -> Vec<u8> {
    // SAFETY: `key` is a key, as this function demands.
    unsafe { slice::from_raw_parts((*key).pKey.cast::<u8>(), (*key).KeySize as usize) }.to_vec()
}

fn find(
    session: Session,
    key: *const Key,
    entries: &mut [Entry],
    allocate: PFND3D12DDI_COMPILER_ALLOCATION,
    context: *mut c_void,
) -> HRESULT {
    let plugin = plugin();
    let count = UINT::try_from(entries.len()).unwrap_or(0);
    call!(plugin.callbacks.pfnCompilerCacheFindValue(
        session, key, entries.as_mut_ptr(), count, allocate, context
    ) else E_UNEXPECTED)
}

/// The sizes of types, 0 for one that is not there.
fn sizes(
    session: Session,
    key: *const Key,
    types: impl Iterator<Item = D3D12DDI_COMPILER_CACHE_VALUE_TYPE>,
) -> Vec<usize> {
    let mut entries: Vec<_> = types
        .map(|kind| Entry {
            Type: kind,
            Value: D3D12DDI_COMPILER_CACHE_VALUE {
                pValue: ptr::null_mut(),
                ValueSize: 0,
            },
        })
        .collect();
    let _ = find(session, key, &mut entries, None, ptr::null_mut());
    entries.iter().map(|entry| entry.Value.ValueSize).collect()
}

fn exists(kind: D3D12DDI_COMPILER_CACHE_VALUE_TYPE) -> bool {
    (0..D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID.0).contains(&kind.0)
}

/// Whether a key has a value of any type.
fn has_value(session: Session, key: *const Key) -> bool {
    let all =
        (0..D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID.0).map(D3D12DDI_COMPILER_CACHE_VALUE_TYPE);
    sizes(session, key, all).iter().any(|size| *size != 0)
}

/// The plugin's allocation callback and its context, behind one that asks for more.
struct Larger(PFND3D12DDI_COMPILER_ALLOCATION, *mut c_void);

unsafe extern "system" fn larger(size: usize, context: *mut c_void) -> *mut c_void {
    // SAFETY: the context of `find_value`, with the plugin's callback and context.
    unsafe {
        let Larger(function, context) = &*context.cast::<Larger>();
        function.map_or(ptr::null_mut(), |function| function(size + 1, *context))
    }
}

// In every function below the arguments are those of the plugin, as the DDI says or wrong.

unsafe extern "system" fn find_value(
    session: Session,
    key: *const Key,
    values: *mut Entry,
    count: UINT,
    mut allocate: PFND3D12DDI_COMPILER_ALLOCATION,
    context: *mut c_void,
) -> HRESULT {
    let session = match runtimes(session) {
        Ok(session) => session,
        Err(result) => return result,
    };
    if key.is_null() && has(Callbacks::NullKeyFollowed) {
        follow(key);
    }
    if count == 0 && has(Callbacks::FindsNothing) {
        return S_OK;
    }
    if values.is_null() || count == 0 {
        let plugin = plugin();
        return call!(plugin.callbacks.pfnCompilerCacheFindValue(
            session, key, values, count, allocate, context
        ) else E_UNEXPECTED);
    }
    // SAFETY: `count` is that of the array.
    let entries = unsafe { slice::from_raw_parts_mut(values, count as usize) };
    let before = entries.to_vec();
    let is_null = |entry: &Entry| entry.Value.pValue.is_null();
    let is_buffer = |entry: &Entry| entry.Value.ValueSize != 0;
    let size_check = allocate.is_none()
        && before
            .iter()
            .all(|entry| is_null(entry) && !is_buffer(entry));

    // What the runtime is asked.
    for entry in &mut *entries {
        let null_buffer = is_null(entry) && is_buffer(entry);
        if (null_buffer && has(Callbacks::NullBuffer))
            || (allocate.is_some() && has(Callbacks::BufferAllocated))
        {
            entry.Value.ValueSize = 0;
        }
    }
    if has(Callbacks::NotAllocated)
        || (before.iter().all(is_null) && has(Callbacks::NullNotAllocated))
    {
        allocate = None;
    }
    if before.iter().any(is_buffer) && has(Callbacks::ShortStops) {
        let sizes = sizes(session, key, before.iter().map(|entry| entry.Type));
        let short =
            |(entry, size): (&Entry, &usize)| is_buffer(entry) && entry.Value.ValueSize < *size;
        if before.iter().zip(&sizes).any(short) {
            for (entry, size) in entries.iter_mut().zip(sizes) {
                entry.Value.ValueSize = size;
            }
            return DXGI_ERROR_MORE_DATA;
        }
    }
    let first_only = has(Callbacks::FirstOnly)
        && before.iter().all(is_buffer)
        && !sizes(session, key, before.iter().map(|entry| entry.Type)).contains(&0);
    let asked = if first_only {
        &mut entries[..1]
    } else {
        &mut *entries
    };
    let mut result = if has(Callbacks::AllocationSize) && allocate.is_some() {
        let mut more = Larger(allocate, context);
        find(session, key, asked, Some(larger), (&raw mut more).cast())
    } else {
        find(session, key, asked, allocate, context)
    };

    // What the plugin is told.
    match result {
        S_OK => {
            if size_check && count == 1 {
                if has(Callbacks::SizeMoreData) {
                    result = DXGI_ERROR_MORE_DATA;
                }
                if has(Callbacks::SizeKept) {
                    entries[0].Value.ValueSize = 0;
                }
                if has(Callbacks::SizeSetsPointer) {
                    entries[0].Value.pValue = ptr::dangling_mut();
                }
            }
            if entries.iter().any(|entry| !is_buffer(entry)) && has(Callbacks::AbsentBeside) {
                result = DXGI_ERROR_NOT_FOUND;
            }
            // SAFETY: the runtime found the key.
            let key = unsafe { bytes_of(key) };
            let replaced = lock(&REPLACED);
            let replaced = replaced.iter().rfind(|(of, _)| *of == key);
            for (before, entry) in before.iter().zip(entries) {
                let (capacity, size) = (before.Value.ValueSize, entry.Value.ValueSize);
                if let Some((_, value)) = replaced {
                    let length = value.len().min(capacity);
                    // SAFETY: the plugin's buffer has `capacity` bytes.
                    unsafe { before.Value.pValue.copy_from(value.as_ptr().cast(), length) };
                }
                if capacity > size && has(Callbacks::BufferCleared) {
                    let memory = before.Value.pValue.cast::<u8>();
                    // SAFETY: the plugin's buffer has that many bytes.
                    unsafe { memory.add(size).write_bytes(0, capacity - size) };
                }
                let found = size != 0;
                if capacity > size
                    && ((found && has(Callbacks::SizeIsCapacity))
                        || (!found && has(Callbacks::AbsentCapacity)))
                {
                    entry.Value.ValueSize = capacity;
                }
                if capacity == 0 && has(Callbacks::AllocationKept) {
                    entry.Value.pValue = before.Value.pValue;
                }
            }
        }
        DXGI_ERROR_NOT_FOUND => {
            let lacking = has_value(session, key);
            let (found, allocated) = if lacking {
                (Callbacks::LackingFound, Callbacks::LackingAllocated)
            } else {
                (Callbacks::AbsentFound, Callbacks::AbsentAllocated)
            };
            let in_part = size_check && lacking && has(Callbacks::LackingFoundInPart);
            if in_part || ((size_check || lacking) && has(found)) {
                for entry in &mut *entries {
                    entry.Value.ValueSize = 0;
                }
                result = S_OK;
            }
            if let Some(allocate) = allocate
                && has(allocated)
            {
                // SAFETY: the plugin's callback and context.
                let _ = unsafe { allocate(1, context) };
            }
            if !lacking && before.iter().any(is_buffer) && has(Callbacks::AbsentFails) {
                result = E_FAIL;
            }
        }
        DXGI_ERROR_MORE_DATA => {
            for (before, entry) in before.iter().zip(&mut *entries) {
                let capacity = before.Value.ValueSize;
                if capacity < entry.Value.ValueSize && has(Callbacks::ShortOverrun) {
                    // SAFETY: none; that is the defect.
                    unsafe { before.Value.pValue.cast::<u8>().add(capacity).write(0) };
                }
            }
            if has(Callbacks::ShortSizeKept) {
                entries.copy_from_slice(&before);
            }
            if has(Callbacks::ShortBuffer) {
                result = S_OK;
            }
        }
        E_OUTOFMEMORY => {
            if has(Callbacks::AllocationForgotten) {
                for entry in entries {
                    entry.Value.pValue = ptr::null_mut();
                }
            }
            if has(Callbacks::AllocationFails) {
                result = E_FAIL;
            }
            if has(Callbacks::AllocationIgnored) {
                result = S_OK;
            }
        }
        _ => {}
    }
    result
}

unsafe extern "system" fn store_value(
    session: Session,
    key: *const Key,
    values: *const ConstEntry,
    count: UINT,
) -> HRESULT {
    let session = match runtimes(session) {
        Ok(session) => session,
        Err(result) => return result,
    };
    let plugin = plugin();
    let store = |values: *const ConstEntry, count| {
        call!(plugin.callbacks.pfnCompilerCacheStoreValue(session, key, values, count)
            else E_UNEXPECTED)
    };
    // SAFETY: null or the plugin's.
    if unsafe { key.as_ref() }.is_some_and(|key| key.KeySize == 0) && has(Callbacks::EmptyKey) {
        return S_OK;
    }
    if (values.is_null() && has(Callbacks::StoresNull))
        || (count == 0 && has(Callbacks::StoresNothing))
    {
        return S_OK;
    }
    if values.is_null() || count == 0 {
        return store(values, count);
    }
    // SAFETY: `count` is that of the array.
    let given = unsafe { slice::from_raw_parts(values, count as usize) };
    let mut kept = given.to_vec();
    if has(Callbacks::StoresEmpty) {
        kept.retain(|value| value.Value.ValueSize != 0);
    }
    if has(Callbacks::StoresTwice) {
        let mut types = Vec::new();
        kept.retain(|value| {
            let new = !types.contains(&value.Type);
            types.push(value.Type);
            new
        });
    }
    if has(Callbacks::NullValue) {
        kept.retain(|value| !value.Value.pValue.is_null());
    }
    let real = |value: &ConstEntry| exists(value.Type);
    if has(Callbacks::UnknownTypeLost) {
        kept.retain(real);
    }
    if kept.is_empty() {
        return S_OK;
    }
    if let Some(unknown) = kept.iter().position(|value| !real(value))
        && has(Callbacks::RefusedInPart)
    {
        let _ = store(kept.as_ptr(), UINT::try_from(unknown).unwrap_or(0));
    }
    let result = store(kept.as_ptr(), UINT::try_from(kept.len()).unwrap_or(0));
    let cleared = match result {
        S_OK if has(Callbacks::ValueCleared) => kept[0].Value.pValue,
        DXGI_ERROR_ALREADY_EXISTS if has(Callbacks::RefusedCleared) => kept[0].Value.pValue,
        // SAFETY: the runtime has read the key.
        DXGI_ERROR_ALREADY_EXISTS if has(Callbacks::KeyCleared) => unsafe { (*key).pKey },
        _ => ptr::null(),
    };
    if !cleared.is_null() {
        // SAFETY: none, as it is the plugin's; that is the defect.
        unsafe { cleared.cast_mut().cast::<u8>().write(0) };
    }
    match result {
        DXGI_ERROR_ALREADY_EXISTS if has(Callbacks::StoresAgain) => S_OK,
        DXGI_ERROR_ALREADY_EXISTS if kept[0].Type.0 == 2 && has(Callbacks::PdbAgain) => S_OK,
        DXGI_ERROR_ALREADY_EXISTS if has(Callbacks::AgainFails) => E_FAIL,
        DXGI_ERROR_ALREADY_EXISTS if has(Callbacks::Replaces) => {
            let D3D12DDI_COMPILER_CACHE_CONST_VALUE { pValue, ValueSize } = kept[0].Value;
            // SAFETY: the runtime found the key, and the value is the plugin's.
            let pair = unsafe {
                let value = slice::from_raw_parts(pValue.cast::<u8>(), ValueSize);
                (bytes_of(key), value.to_vec())
            };
            lock(&REPLACED).push(pair);
            DXGI_ERROR_ALREADY_EXISTS
        }
        result => result,
    }
}

unsafe extern "system" fn set_object_value_keys(
    session: Session,
    keys: *const Key,
    count: UINT,
) -> HRESULT {
    let session = match runtimes(session) {
        Ok(session) => session,
        Err(result) => return result,
    };
    let plugin = plugin();
    let set = || {
        call!(plugin.callbacks.pfnCompilerCacheSetObjectValueKeys(session, keys, count)
            else E_UNEXPECTED)
    };
    if keys.is_null() && has(Callbacks::NullKeys) {
        return S_OK;
    }
    let current = CURRENT.get().is_some_and(|(_, own)| own == session);
    if !current || keys.is_null() || count == 0 {
        return set();
    }
    // SAFETY: `count` is that of the array.
    let raw = unsafe { slice::from_raw_parts(keys, count as usize) };
    if raw.iter().any(|key| key.pKey.is_null() || key.KeySize == 0) {
        return set();
    }
    // SAFETY: the plugin's keys.
    let bytes = |key: &Key| unsafe { bytes_of(key) };
    let earlier = KEYS.replace(Some(raw.iter().map(bytes).collect()));
    if has(Callbacks::KeysLast) {
        return if earlier.is_some() {
            E_INVALIDARG
        } else {
            S_OK
        };
    }
    let result = set();
    if earlier.is_some() && has(Callbacks::KeysTwice) {
        return S_OK;
    }
    result
}
