//! `ID3D12CompilerCacheSession`.

use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::{ptr, slice};

use api_sys::{
    D3D12_APPLICATION_DESC, D3D12_COMPILER_CACHE_GROUP_KEY, D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
    D3D12_COMPILER_CACHE_TYPED_VALUE, D3D12_COMPILER_CACHE_VALUE, D3D12_COMPILER_CACHE_VALUE_KEY,
    D3D12_COMPILER_TARGET, D3D12CompilerCacheSessionAllocationFunc,
    D3D12CompilerCacheSessionGroupValueKeysFunc, D3D12CompilerCacheSessionGroupValuesFunc,
    DXGI_ERROR_ALREADY_EXISTS, DXGI_ERROR_MORE_DATA, DXGI_ERROR_NOT_FOUND, E_ACCESSDENIED, E_FAIL,
    E_INVALIDARG, E_NOTIMPL, E_OUTOFMEMORY, ID3D12CompilerCacheSession_Vtbl, S_OK,
};
use base_plugin::{defects, follow};
use windows_core::{GUID, HRESULT, PCWSTR};

use crate::count_factory;
use crate::defect::has;

/// The defects of this file.
#[macro_export]
macro_rules! session_defects {
    ($take:ident) => {
        $take! {
            /// In the methods of cache sessions.
            Sessions {
                SessionReadOnly = "session-read-only" breaks R_SES_02:
                    "nothing can be stored in a file that existed";
                SessionForgets = "session-forgets" breaks R_SES_02:
                    "what is stored in a file that existed gets S_OK and is lost";
                SecondFileUnread = "session-second-file-unread" breaks R_SES_03:
                    "a session with two files finds the values of the first only";
                TargetZero = "session-target-zero" breaks R_SES_04:
                    "GetCompilerTarget returns an ABIVersion of 0";
                TargetOfLast = "session-target-of-last" breaks R_SES_04:
                    "GetCompilerTarget returns the target of the session that was created last";
                EngineDropped = "session-engine-dropped" breaks R_SES_05:
                    "GetApplicationDesc leaves the engine out";
                ApplicationBorrowed = "session-application-borrowed" breaks R_SES_06:
                    "GetApplicationDesc returns the caller's strings";
                ApplicationAnew = "session-application-anew" breaks R_SES_06:
                    "GetApplicationDesc returns another pointer each time";
                TypesOfFirst = "session-types-of-first" breaks R_SES_07:
                    "GetValueTypes returns the types of the first path";
                TypesOfLast = "session-types-of-last" breaks R_SES_07:
                    "GetValueTypes returns the types of the session that was created last";
                EngineOfFile = "session-engine-of-file" breaks R_SES_08:
                    "an application of a file that has no engine gets an empty one";
                StoreOneType = "store-one-type" breaks R_VAL_01:
                    "a key that has a value gets no other type";
                StoreLargeFails = "store-large-fails" breaks R_VAL_01:
                    "values of more than 64 KiB get E_OUTOFMEMORY";
                StoreNothing = "store-nothing" breaks R_VAL_02:
                    "a NumTypedValues of 0 gets S_OK";
                StoreNullFollowed = "store-null-followed" breaks R_VAL_02:
                    "null pTypedValues are read";
                StoreEmpty = "store-empty" breaks R_VAL_03:
                    "values of size 0 are passed over";
                StoreEmptyPdb = "store-empty-pdb" breaks R_VAL_03:
                    "debug information of size 0 is passed over";
                StoreTwice = "store-twice" breaks R_VAL_04:
                    "of two values of one type the first is stored";
                StoreTwiceApart = "store-twice-apart" breaks R_VAL_04:
                    "of two values of one type that are not side by side the first is stored";
                StoreAgain = "store-again" breaks R_VAL_05:
                    "a value that is stored already gets S_OK";
                StoreAgainFails = "store-again-fails" breaks R_VAL_05:
                    "a value that is stored already gets E_FAIL";
                StoreAgainLater = "store-again-later" breaks R_VAL_05:
                    "a value that an earlier session stored gets S_OK";
                StoreInPart = "store-in-part" breaks R_VAL_06:
                    "values are stored one after the other until one is refused";
                StoreBehind = "store-behind" breaks R_VAL_06:
                    "the values behind one that is stored already are stored";
                SizeMoreData = "size-more-data" breaks R_VAL_07:
                    "the size check gets DXGI_ERROR_MORE_DATA";
                SizeSetsPointer = "size-sets-pointer" breaks R_VAL_07:
                    "the size check sets pValue";
                SizeCut = "size-cut" breaks R_VAL_07:
                    "the size check cuts sizes to 16 bits";
                AbsentFound = "absent-found" breaks R_VAL_08:
                    "the size check of a key that is not cached gets S_OK";
                AbsentAllocated = "absent-allocated" breaks R_VAL_08:
                    "the callback is called for a key that is not cached";
                NamedFound = "named-found" breaks R_VAL_08:
                    "the size check of a key that is not cached, but that a group names, gets S_OK";
                SizeIsCapacity = "size-is-capacity" breaks R_VAL_09:
                    "the ValueSize of a larger buffer stays its capacity";
                BufferCleared = "buffer-cleared" breaks R_VAL_09:
                    "the rest of a larger buffer is cleared";
                MetadataCleared = "metadata-cleared" breaks R_VAL_09:
                    "the rest of a larger buffer for metadata is cleared";
                ShortSucceeds = "short-succeeds" breaks R_VAL_10:
                    "a buffer that is too small gets S_OK";
                ShortSizeKept = "short-size-kept" breaks R_VAL_10:
                    "a buffer that is too small keeps its ValueSize";
                ShortMetadata = "short-metadata" breaks R_VAL_10:
                    "a buffer that is too small for metadata gets S_OK";
                NullNotAllocated = "null-not-allocated" breaks R_VAL_11:
                    "for a null pValue the callback is not called";
                PerformanceNotAllocated = "performance-not-allocated" breaks R_VAL_11:
                    "for performance data the callback is not called";
                AllocationFails = "allocation-fails" breaks R_VAL_12:
                    "a callback that returns null makes the call fail with E_FAIL";
                AllocationForgotten = "allocation-forgotten" breaks R_VAL_12:
                    "when the callback returns null, every pValue is null";
                AbsentBeside = "absent-beside" breaks R_VAL_13:
                    "one type that is not cached makes the call DXGI_ERROR_NOT_FOUND";
                AbsentCapacity = "absent-capacity" breaks R_VAL_13:
                    "the ValueSize of a type that is not cached stays the capacity of its buffer";
                EmptyKeyAccepted = "value-empty-key" breaks R_VAL_14:
                    "StoreValue with a key of size 0 gets S_OK";
                NullKeyFollowed = "value-null-key-followed" breaks R_VAL_14:
                    "FindValue reads a null key";
                LackingFound = "lacking-found" notes R_VAL_15 "S_OK":
                    "a type that the key lacks gets S_OK, as the key has another";
                LackingFoundInPart = "lacking-found-in-part" breaks R_VAL_15:
                    "only the size check of a type that the key lacks gets S_OK";
                LackingAllocated = "lacking-allocated" breaks R_VAL_15:
                    "the callback is called for a type that the key lacks";
                ShortStops = "short-stops" breaks R_VAL_16:
                    "nothing is copied where one of several buffers is too small";
                ShortStopsSizes = "short-stops-sizes" breaks R_VAL_16:
                    "the ValueSizes behind that of a buffer that is too small stay";
                BufferAllocated = "buffer-allocated" breaks R_VAL_17:
                    "where there is a callback, buffers are not used";
                BufferOrAllocation = "buffer-or-allocation" breaks R_VAL_17:
                    "where there is a buffer, the callback is not called";
                VersionRequired = "group-version-required" breaks R_GRP_01:
                    "a null pGroupVersion gets E_INVALIDARG";
                VersionZero = "group-version-zero" breaks R_GRP_01:
                    "a group of version 0 is not found";
                VersionSigned = "group-version-signed" breaks R_GRP_01:
                    "versions of more than 31 bits become the largest of 31 bits";
                AbsentGroupFails = "absent-group-fails" breaks R_GRP_02:
                    "a group that does not exist gets E_FAIL from FindGroup";
                AbsentGroupEmpty = "absent-group-empty" breaks R_GRP_02:
                    "a group that does not exist gets S_OK from FindGroupValues";
                AbsentGroupExists = "absent-group-exists" breaks R_GRP_02:
                    "a group that does not exist gets S_OK from FindGroup where pGroupVersion is null";
                KeysTwice = "group-keys-twice" breaks R_GRP_03:
                    "the callback is called twice for each key";
                KeysOfAll = "group-keys-of-all" breaks R_GRP_03:
                    "the callback is called for the keys of other groups, too";
                KeysVersionIgnored = "group-keys-version-ignored" breaks R_GRP_04:
                    "FindGroupValueKeys takes any version";
                ValuesVersionIgnored = "group-values-version-ignored" breaks R_GRP_04:
                    "FindGroupValues takes any version";
                VersionIgnoredWithout = "group-version-ignored-without" breaks R_GRP_04:
                    "FindGroupValueKeys takes any version where there is no callback";
                KeysCallbackRequired = "group-keys-callback-required" breaks R_GRP_05:
                    "FindGroupValueKeys without a callback gets E_INVALIDARG";
                KeysNeedValues = "group-keys-need-values" breaks R_GRP_05:
                    "FindGroupValueKeys without a callback looks for the values";
                KeysVersionRefused = "group-keys-version-refused" breaks R_GRP_05:
                    "FindGroupValueKeys without a callback takes no version";
                ValuesCounted = "group-values-counted" breaks R_GRP_06:
                    "ValueKeyIndex counts values";
                ValuesByType = "group-values-by-type" breaks R_GRP_06:
                    "the values come type by type";
                ValuesCut = "group-values-cut" breaks R_GRP_06:
                    "the last byte of each value is left out";
                ValuesOfOneType = "group-values-of-one-type" breaks R_GRP_06:
                    "where one type is requested the callback is not called";
                ValuesOfAllTypes = "group-values-of-all-types" breaks R_GRP_07:
                    "values of every type are passed to the callback";
                ValuesOfMoreTypes = "group-values-of-more-types" breaks R_GRP_07:
                    "where several types are requested values of every type are passed to the callback";
                ValuesNotLookedUp = "group-values-not-looked-up" breaks R_GRP_08:
                    "FindGroupValues without a callback looks for the group only";
                LastValue = "group-last-value" breaks R_GRP_08:
                    "FindGroupValues without a callback looks for the values of the last key only";
                ValuesRequired = "group-values-required" breaks R_GRP_09:
                    "keys without values cannot be in a group";
                SecondVersion = "group-second-version" breaks R_GRP_10:
                    "another version of a group gets S_OK";
                GroupAgainLater = "group-again-later" breaks R_GRP_10:
                    "the key of a group that an earlier session stored gets S_OK";
                GroupTakenFails = "group-taken-fails" breaks R_GRP_11:
                    "a group key that is taken gets E_FAIL";
                EmptyGroupKey = "group-empty-key" breaks R_GRP_12:
                    "a group key of size 0 gets S_OK";
                NullKeysFollowed = "group-null-keys-followed" breaks R_GRP_12:
                    "null pValueKeys are read";
                NoFactory = "no-factory" breaks R_LIF_02:
                    "GetFactory of a session returns E_NOTIMPL";
                SessionEnds = "session-ends-with-factory" breaks R_LIF_03:
                    "FindGroup fails when the program has released the factory";
            }
        }
    };
}

session_defects!(defects);

static ORIGINAL: OnceLock<ID3D12CompilerCacheSession_Vtbl> = OnceLock::new();

fn original() -> &'static ID3D12CompilerCacheSession_Vtbl {
    ORIGINAL.get().expect("set before a method is replaced")
}

/// What a session was created with.
#[derive(Clone, Copy)]
pub(crate) struct Info {
    /// Whether a file of it was there before.
    pub(crate) existed: bool,
    pub(crate) first_types: u32,
    pub(crate) types: u32,
    pub(crate) target: Option<D3D12_COMPILER_TARGET>,
    /// With the caller's strings.
    pub(crate) application: Option<D3D12_APPLICATION_DESC>,
}

struct Known {
    session: usize,
    info: Info,
    has_compiler: bool,
    /// What GetApplicationDesc returned.
    application: Option<&'static D3D12_APPLICATION_DESC>,
}

// SAFETY: the pointers are the caller's, and are not followed here.
unsafe impl Send for Known {}

/// The sessions, by age.
static SESSIONS: Mutex<Vec<Known>> = Mutex::new(Vec::new());

fn sessions() -> MutexGuard<'static, Vec<Known>> {
    SESSIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn known<R>(this: *mut c_void, use_it: impl FnOnce(&mut Known) -> R) -> Option<R> {
    let mut sessions = sessions();
    sessions
        .iter_mut()
        .rfind(|known| known.session == this.addr())
        .map(use_it)
}

/// The session that was created last, and what it was created with.
pub(crate) fn last() -> Option<(*mut c_void, Info)> {
    let sessions = sessions();
    let last = sessions.last()?;
    Some((ptr::with_exposed_provenance_mut(last.session), last.info))
}

/// Whether a session was given no target.
pub(crate) fn has_target_of_file(session: *mut c_void) -> bool {
    known(session, |known| known.info.target.is_none()) == Some(true)
}

/// Values whose object code is not found.
static LOST: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// Loses the object code of all values of a group but the first, in a session of every type.
///
/// # Safety
///
/// `session` is a session, `key` a key.
pub(crate) unsafe fn lose_code(session: *mut c_void, key: *const D3D12_COMPILER_CACHE_GROUP_KEY) {
    // A key without any value would be noticed before.
    if known(session, |known| known.info.types) != Some(15) {
        return;
    }
    // SAFETY: `session` is a session, `key` a key, as this function demands.
    let keys = unsafe { group_keys(session, key, ptr::null()) };
    let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
    lost.extend(keys.into_iter().skip(1));
}

/// Whether a file of a session was there before.
fn existed(session: *mut c_void) -> bool {
    known(session, |known| known.info.existed) == Some(true)
}

/// What the program has stored of groups, in any session.
struct Stored {
    groups: Vec<Vec<u8>>,
    /// The value keys that they name.
    keys: Vec<Vec<u8>>,
}

fn stored() -> MutexGuard<'static, Stored> {
    static STORED: Mutex<Stored> = Mutex::new(Stored {
        groups: Vec::new(),
        keys: Vec::new(),
    });
    STORED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// # Safety
///
/// `pointer` is to as many bytes as `size` says.
unsafe fn bytes_of(pointer: *const c_void, size: u32) -> Vec<u8> {
    // SAFETY: `pointer` is to as many bytes as `size` says, as this function demands.
    unsafe { slice::from_raw_parts(pointer.cast::<u8>(), size as usize) }.to_vec()
}

/// The value keys of a group.
///
/// # Safety
///
/// `this` is a session, `key` null or a key, `expected` null or a version.
pub(crate) unsafe fn group_keys(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    expected: *const u32,
) -> Vec<Vec<u8>> {
    unsafe extern "system" fn collect(
        key: *const D3D12_COMPILER_CACHE_VALUE_KEY,
        context: *mut c_void,
    ) {
        // SAFETY: the runtime's key, and the context below.
        unsafe {
            let keys = context.cast::<Vec<Vec<u8>>>();
            (*keys).push(bytes_of((*key).pKey, (*key).KeySize));
        }
    }
    let mut keys: Vec<Vec<u8>> = Vec::new();
    let context = (&raw mut keys).cast();
    // SAFETY: `this` is a session, `key` null or a key, `expected` null or a version, as this
    // function demands.
    let _ = unsafe { (original().FindGroupValueKeys)(this, key, expected, Some(collect), context) };
    keys
}

/// Whether a session had a compiler before; now it has.
pub(crate) fn has_compiler(session: *mut c_void) -> bool {
    known(session, |known| {
        std::mem::replace(&mut known.has_compiler, true)
    })
    .unwrap_or(false)
}

/// Replaces the methods of a session.
///
/// # Safety
///
/// `session` is an `ID3D12CompilerCacheSession` that the program has not got yet.
pub(crate) unsafe fn hook(session: *mut c_void, info: Info) {
    sessions().push(Known {
        session: session.expose_provenance(),
        info,
        has_compiler: false,
        application: None,
    });
    // SAFETY: `session` is an `ID3D12CompilerCacheSession` that the program has not got yet, as
    // this function demands.
    unsafe {
        crate::hook::hook(session, &ORIGINAL, |table| {
            table.base__.GetFactory = get_factory;
            table.FindGroup = find_group;
            table.FindGroupValueKeys = find_group_value_keys;
            table.FindGroupValues = find_group_values;
            table.FindValue = find_value;
            table.GetApplicationDesc = get_application_desc;
            table.GetCompilerTarget = get_compiler_target;
            table.GetValueTypes = get_value_types;
            table.StoreGroupValueKeys = store_group_value_keys;
            table.StoreValue = store_value;
        });
    }
}

/// The version of a group.
///
/// # Safety
///
/// `this` is a session, `key` null or a key.
pub(crate) unsafe fn version(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
) -> Option<u32> {
    let mut version = 0;
    // SAFETY: `this` is a session, `key` null or a key, as this function demands.
    let result = unsafe { (original().FindGroup)(this, key, &raw mut version) };
    (result == S_OK).then_some(version)
}

/// Stores a group without value keys.
///
/// # Safety
///
/// `this` is a session, `key` a key.
pub(crate) unsafe fn store_empty_group(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    version: u32,
) {
    // SAFETY: `this` is a session and `key` a key; there are no value keys.
    let _ = unsafe { (original().StoreGroupValueKeys)(this, key, version, ptr::null(), 0) };
}

/// Whether a key has a value of any type.
///
/// # Safety
///
/// `this` is a session, `key` null or a key.
unsafe fn has_value(this: *mut c_void, key: *const D3D12_COMPILER_CACHE_VALUE_KEY) -> bool {
    // SAFETY: `this` is a session, `key` null or a key, as this function demands.
    (0..4).any(|kind| unsafe { has_type(this, key, kind) })
}

/// Whether a key has a value of a type.
///
/// # Safety
///
/// As [`has_value`].
unsafe fn has_type(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_VALUE_KEY,
    kind: i32,
) -> bool {
    let mut value = D3D12_COMPILER_CACHE_TYPED_VALUE {
        Type: kind,
        ..D3D12_COMPILER_CACHE_TYPED_VALUE::default()
    };
    // SAFETY: `this` is a session and `key` null or a key; it is a size check of one entry.
    let result =
        unsafe { (original().FindValue)(this, key, &raw mut value, 1, None, ptr::null_mut()) };
    result == S_OK
}

// In every function below the pointers are null or to what the API says.

unsafe extern "system" fn get_factory(
    this: *mut c_void,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    if has(Sessions::NoFactory) {
        return E_NOTIMPL;
    }
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    unsafe { (original().base__.GetFactory)(this, riid, place) }
}

unsafe extern "system" fn find_group(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    version: *mut u32,
) -> HRESULT {
    if has(Sessions::SessionEnds) && !count_factory(0) {
        return E_FAIL;
    }
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    let result = unsafe { (original().FindGroup)(this, key, version) };
    if result == S_OK && version.is_null() && has(Sessions::VersionRequired) {
        return E_INVALIDARG;
    }
    // SAFETY: null or the caller's.
    let zero = unsafe { version.as_ref() } == Some(&0);
    match result {
        S_OK if zero && has(Sessions::VersionZero) => DXGI_ERROR_NOT_FOUND,
        S_OK if has(Sessions::VersionSigned) => {
            // SAFETY: null or the caller's.
            if let Some(version) = unsafe { version.as_mut() } {
                *version = (*version).min(i32::MAX.cast_unsigned());
            }
            S_OK
        }
        DXGI_ERROR_NOT_FOUND if version.is_null() && has(Sessions::AbsentGroupExists) => S_OK,
        DXGI_ERROR_NOT_FOUND if has(Sessions::AbsentGroupFails) => E_FAIL,
        _ => result,
    }
}

unsafe extern "system" fn find_group_value_keys(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    mut expected: *const u32,
    callback: D3D12CompilerCacheSessionGroupValueKeysFunc,
    context: *mut c_void,
) -> HRESULT {
    struct Twice(D3D12CompilerCacheSessionGroupValueKeysFunc, *mut c_void);
    unsafe extern "system" fn twice(
        key: *const D3D12_COMPILER_CACHE_VALUE_KEY,
        context: *mut c_void,
    ) {
        // SAFETY: the context below, with the caller's callback and context.
        unsafe {
            let Twice(callback, context) = &*context.cast::<Twice>();
            if let Some(callback) = callback {
                callback(key, *context);
                callback(key, *context);
            }
        }
    }
    if has(Sessions::KeysVersionIgnored)
        || (callback.is_none() && has(Sessions::VersionIgnoredWithout))
    {
        expected = ptr::null();
    }
    if has(Sessions::KeysTwice) && callback.is_some() {
        let mut context = Twice(callback, context);
        let context = (&raw mut context).cast();
        // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
        return unsafe {
            (original().FindGroupValueKeys)(this, key, expected, Some(twice), context)
        };
    }
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    let result = unsafe { (original().FindGroupValueKeys)(this, key, expected, callback, context) };
    if callback.is_some() && result == S_OK && has(Sessions::KeysOfAll) {
        // SAFETY: the runtime found the key.
        let own = unsafe { bytes_of((*key).pKey, (*key).KeySize) };
        for other in stored().groups.iter().filter(|other| **other != own) {
            let other = D3D12_COMPILER_CACHE_GROUP_KEY {
                pKey: other.as_ptr().cast(),
                KeySize: u32::try_from(other.len()).unwrap_or(0),
            };
            // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call. A group that is not in this session is not found.
            let _ = unsafe {
                let (key, none) = (&raw const other, ptr::null());
                (original().FindGroupValueKeys)(this, key, none, callback, context)
            };
        }
    }
    if callback.is_none() && result == S_OK {
        if has(Sessions::KeysCallbackRequired)
            || (!expected.is_null() && has(Sessions::KeysVersionRefused))
        {
            return E_INVALIDARG;
        }
        if has(Sessions::KeysNeedValues) {
            // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
            return unsafe { (original().FindGroupValues)(this, key, expected, 15, None, context) };
        }
    }
    result
}

unsafe extern "system" fn find_group_values(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    mut expected: *const u32,
    mut types: u32,
    callback: D3D12CompilerCacheSessionGroupValuesFunc,
    context: *mut c_void,
) -> HRESULT {
    struct Counted(D3D12CompilerCacheSessionGroupValuesFunc, *mut c_void, u32);
    unsafe extern "system" fn count(
        _: u32,
        value: *const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
        context: *mut c_void,
    ) {
        // SAFETY: the context below, with the caller's callback and context.
        unsafe {
            let Counted(callback, context, calls) = &mut *context.cast::<Counted>();
            if let Some(callback) = callback {
                callback(*calls, value, *context);
            }
            *calls += 1;
        }
    }
    struct Cut(D3D12CompilerCacheSessionGroupValuesFunc, *mut c_void);
    unsafe extern "system" fn cut(
        index: u32,
        value: *const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
        context: *mut c_void,
    ) {
        // SAFETY: the context below, with the caller's callback and context.
        unsafe {
            let Cut(callback, context) = &*context.cast::<Cut>();
            let mut value = *value;
            value.Value.ValueSize -= 1;
            if let Some(callback) = callback {
                callback(index, &raw const value, *context);
            }
        }
    }
    if has(Sessions::ValuesVersionIgnored) {
        expected = ptr::null();
    }
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    let find = |types, callback, context| unsafe {
        (original().FindGroupValues)(this, key, expected, types, callback, context)
    };
    if callback.is_some() {
        if has(Sessions::ValuesOfAllTypes)
            || (types.count_ones() > 1 && has(Sessions::ValuesOfMoreTypes))
        {
            types = 15;
        }
        if has(Sessions::ValuesCounted) {
            let mut context = Counted(callback, context, 0);
            return find(types, Some(count), (&raw mut context).cast());
        }
        if has(Sessions::ValuesCut) {
            let mut context = Cut(callback, context);
            return find(types, Some(cut), (&raw mut context).cast());
        }
        if types.is_power_of_two() && has(Sessions::ValuesOfOneType) {
            // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
            return unsafe {
                (original().FindGroupValueKeys)(this, key, expected, None, ptr::null_mut())
            };
        }
        if has(Sessions::ValuesByType) {
            let mut result = S_OK;
            for kind in (0..4)
                .map(|kind| 1 << kind)
                .filter(|kind| types & kind != 0)
            {
                result = find(kind, callback, context);
            }
            return result;
        }
    } else if has(Sessions::ValuesNotLookedUp) {
        // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
        return unsafe {
            (original().FindGroupValueKeys)(this, key, expected, None, ptr::null_mut())
        };
    }
    let result = find(types, callback, context);
    if result == DXGI_ERROR_NOT_FOUND && callback.is_none() && has(Sessions::LastValue) {
        // SAFETY: `this` is a session, and `key` null or the caller's.
        let keys = unsafe { group_keys(this, key, expected) };
        let cached = |key: &Vec<u8>| {
            let key = D3D12_COMPILER_CACHE_VALUE_KEY {
                pKey: key.as_ptr().cast(),
                KeySize: u32::try_from(key.len()).unwrap_or(0),
            };
            // SAFETY: a session and a key.
            unsafe { has_value(this, &raw const key) }
        };
        if keys.last().is_some_and(cached) {
            return S_OK;
        }
    }
    if result == DXGI_ERROR_NOT_FOUND
        && has(Sessions::AbsentGroupEmpty)
        // SAFETY: `this` is a session, and `key` null or the caller's.
        && unsafe { version(this, key) }.is_none()
    {
        return S_OK;
    }
    result
}

unsafe extern "system" fn find_value(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_VALUE_KEY,
    values: *mut D3D12_COMPILER_CACHE_TYPED_VALUE,
    count: u32,
    mut allocate: D3D12CompilerCacheSessionAllocationFunc,
    context: *mut c_void,
) -> HRESULT {
    if key.is_null() && has(Sessions::NullKeyFollowed) {
        follow(key);
    }
    // SAFETY: null or the caller's.
    let first = unsafe { values.as_ref() };
    if let Some(first) = first
        && has(Sessions::SecondFileUnread)
        && known(this, |known| {
            known.info.first_types & (1 << first.Type) == 0
        }) == Some(true)
    {
        return DXGI_ERROR_NOT_FOUND;
    }
    if !key.is_null() && first.is_some_and(|first| first.Type == 0) {
        let lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller's key.
        if !lost.is_empty() && lost.contains(&unsafe { bytes_of((*key).pKey, (*key).KeySize) }) {
            return DXGI_ERROR_NOT_FOUND;
        }
    }
    let before = if values.is_null() {
        Vec::new()
    } else {
        // SAFETY: `count` is that of the array.
        unsafe { slice::from_raw_parts(values, count as usize) }.to_vec()
    };
    let empty = |value: &D3D12_COMPILER_CACHE_TYPED_VALUE| {
        value.Value.pValue.is_null() && value.Value.ValueSize == 0
    };
    let size_check = allocate.is_none() && before.iter().all(empty);
    if (has(Sessions::NullNotAllocated) && before.iter().all(empty))
        || (has(Sessions::PerformanceNotAllocated)
            && matches!(before[..], [only] if only.Type == 3))
    {
        allocate = None;
    }
    let is_buffer = |value: &D3D12_COMPILER_CACHE_TYPED_VALUE| value.Value.ValueSize != 0;
    if allocate.is_some() && before.iter().any(is_buffer) {
        if has(Sessions::BufferOrAllocation) {
            allocate = None;
        }
        if has(Sessions::BufferAllocated) {
            for index in 0..before.len() {
                // SAFETY: one of the entries.
                unsafe { (*values.add(index)).Value.ValueSize = 0 };
            }
        }
    }
    if before.len() > 1 && has(Sessions::ShortStops) {
        let mut sizes = before.clone();
        for value in &mut sizes {
            value.Value = D3D12_COMPILER_CACHE_VALUE::default();
        }
        // SAFETY: a size check, whose entries are our own.
        let found = unsafe {
            (original().FindValue)(this, key, sizes.as_mut_ptr(), count, None, ptr::null_mut())
        };
        let short = |(before, size): (&D3D12_COMPILER_CACHE_TYPED_VALUE, _)| {
            is_buffer(before) && before.Value.ValueSize < size
        };
        let sizes = sizes.iter().map(|value| value.Value.ValueSize);
        if found == S_OK && before.iter().zip(sizes.clone()).any(short) {
            for (index, size) in sizes.enumerate() {
                // SAFETY: one of the entries.
                unsafe { (*values.add(index)).Value.ValueSize = size };
            }
            return DXGI_ERROR_MORE_DATA;
        }
    }
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    let result = unsafe { (original().FindValue)(this, key, values, count, allocate, context) };
    if before.is_empty() {
        return result;
    }
    // SAFETY: `count` is that of the array; the call is over.
    let after = unsafe { slice::from_raw_parts_mut(values, count as usize) };
    match result {
        S_OK if size_check && has(Sessions::SizeMoreData) => return DXGI_ERROR_MORE_DATA,
        S_OK if size_check && has(Sessions::SizeSetsPointer) => {
            for value in after {
                value.Value.pValue = ptr::dangling_mut();
            }
        }
        S_OK if has(Sessions::AbsentBeside)
            && after.iter().any(|value| value.Value.ValueSize == 0) =>
        {
            return DXGI_ERROR_NOT_FOUND;
        }
        S_OK => {
            for (before, after) in before.iter().zip(after) {
                let (capacity, size) = (before.Value.ValueSize, after.Value.ValueSize);
                let metadata = before.Type == 1 && has(Sessions::MetadataCleared);
                if capacity > size && (metadata || has(Sessions::BufferCleared)) {
                    let memory = before.Value.pValue.cast::<u8>();
                    // SAFETY: the caller's buffer has that many bytes.
                    unsafe {
                        memory
                            .add(size as usize)
                            .write_bytes(0, (capacity - size) as usize);
                    };
                }
                let found = size != 0;
                if capacity > size
                    && ((found && has(Sessions::SizeIsCapacity))
                        || (!found && has(Sessions::AbsentCapacity)))
                {
                    after.Value.ValueSize = capacity;
                }
                if size_check && has(Sessions::SizeCut) {
                    after.Value.ValueSize &= 0xFFFF;
                }
            }
        }
        DXGI_ERROR_NOT_FOUND => {
            // SAFETY: the caller's key.
            let lacking = unsafe { has_value(this, key) };
            if size_check && !lacking && has(Sessions::AbsentFound) {
                return S_OK;
            }
            if size_check && !lacking && has(Sessions::NamedFound) {
                // SAFETY: the runtime has looked for the key.
                let key = unsafe { bytes_of((*key).pKey, (*key).KeySize) };
                if stored().keys.contains(&key) {
                    return S_OK;
                }
            }
            if lacking
                && (has(Sessions::LackingFound)
                    || (size_check && has(Sessions::LackingFoundInPart)))
            {
                for value in after {
                    value.Value.ValueSize = 0;
                }
                return S_OK;
            }
            if let Some(allocate) = allocate
                && has(if lacking {
                    Sessions::LackingAllocated
                } else {
                    Sessions::AbsentAllocated
                })
            {
                // SAFETY: the caller's callback and context.
                let _ = unsafe { allocate(1, context) };
            }
        }
        DXGI_ERROR_MORE_DATA => {
            let metadata = matches!(before[..], [only] if only.Type == 1);
            if has(Sessions::ShortSucceeds) || (metadata && has(Sessions::ShortMetadata)) {
                return S_OK;
            }
            if has(Sessions::ShortSizeKept) {
                after.copy_from_slice(&before);
            }
            if has(Sessions::ShortStopsSizes) {
                let is_short = |(before, after): (&D3D12_COMPILER_CACHE_TYPED_VALUE, &_)| {
                    let after: &D3D12_COMPILER_CACHE_TYPED_VALUE = after;
                    before.Value.ValueSize < after.Value.ValueSize
                };
                let short = before.iter().zip(after.iter()).position(is_short);
                let behind = short.map_or(before.len(), |short| short + 1);
                after[behind..].copy_from_slice(&before[behind..]);
            }
        }
        E_OUTOFMEMORY => {
            if has(Sessions::AllocationFails) {
                return E_FAIL;
            }
            if has(Sessions::AllocationForgotten) {
                for value in after {
                    value.Value.pValue = ptr::null_mut();
                }
            }
        }
        _ => {}
    }
    result
}

unsafe extern "system" fn get_application_desc(this: *mut c_void) -> *const D3D12_APPLICATION_DESC {
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    let own = unsafe { (original().GetApplicationDesc)(this) };
    let info = known(this, |known| known.info);
    let given = info.and_then(|info| info.application);
    // SAFETY: the runtime's, which lives as long as the session.
    let mut desc = unsafe { *own };
    if has(Sessions::ApplicationAnew) {
        return Box::leak(Box::new(desc));
    }
    let of_file = info.is_some_and(|info| info.application.is_none());
    if has(Sessions::EngineDropped) {
        desc.pEngineName = PCWSTR::null();
    } else if of_file && desc.pEngineName.is_null() && has(Sessions::EngineOfFile) {
        desc.pEngineName = PCWSTR([0].as_ptr());
    } else if let Some(given) = given
        && has(Sessions::ApplicationBorrowed)
    {
        desc = given;
    } else {
        return own;
    }
    let keep = |known: &mut Known| {
        let kept = known
            .application
            .get_or_insert_with(|| Box::leak(Box::new(desc)));
        ptr::from_ref(*kept)
    };
    known(this, keep).unwrap_or(own)
}

#[cfg(windows)]
unsafe extern "system" fn get_compiler_target(
    this: *mut c_void,
    place: *mut D3D12_COMPILER_TARGET,
) -> *mut D3D12_COMPILER_TARGET {
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    unsafe {
        (original().GetCompilerTarget)(this, place);
        if has(Sessions::TargetZero) {
            (*place).ABIVersion = 0;
        }
        if let Some(target) = target_of_last() {
            *place = target;
        }
    }
    place
}

#[cfg(not(windows))]
unsafe extern "system" fn get_compiler_target(this: *mut c_void) -> D3D12_COMPILER_TARGET {
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    let mut target = unsafe { (original().GetCompilerTarget)(this) };
    if has(Sessions::TargetZero) {
        target.ABIVersion = 0;
    }
    target_of_last().unwrap_or(target)
}

/// The target of the session that was created last, if that is the defect.
fn target_of_last() -> Option<D3D12_COMPILER_TARGET> {
    let (_, info) = last().filter(|_| has(Sessions::TargetOfLast))?;
    info.target
}

unsafe extern "system" fn get_value_types(this: *mut c_void) -> u32 {
    if let Some((_, info)) = last()
        && has(Sessions::TypesOfLast)
    {
        return info.types;
    }
    let first = known(this, |known| known.info.first_types);
    match first {
        Some(types) if has(Sessions::TypesOfFirst) => types,
        // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
        _ => unsafe { (original().GetValueTypes)(this) },
    }
}

unsafe extern "system" fn store_group_value_keys(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    number: u32,
    keys: *const D3D12_COMPILER_CACHE_VALUE_KEY,
    count: u32,
) -> HRESULT {
    if keys.is_null() && has(Sessions::NullKeysFollowed) {
        follow(keys);
    }
    // SAFETY: null or the caller's.
    if unsafe { key.as_ref() }.is_some_and(|key| key.KeySize == 0) && has(Sessions::EmptyGroupKey) {
        return S_OK;
    }
    if has(Sessions::ValuesRequired) && !keys.is_null() {
        // SAFETY: `count` is that of the array.
        let keys = unsafe { slice::from_raw_parts(keys, count as usize) };
        // SAFETY: the caller's keys.
        if keys.iter().any(|key| unsafe { !has_value(this, key) }) {
            return E_INVALIDARG;
        }
    }
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    let result = unsafe { (original().StoreGroupValueKeys)(this, key, number, keys, count) };
    if result == S_OK && !keys.is_null() {
        let mut stored = stored();
        // SAFETY: the runtime has stored them.
        unsafe {
            stored.groups.push(bytes_of((*key).pKey, (*key).KeySize));
            let keys = slice::from_raw_parts(keys, count as usize).iter();
            stored
                .keys
                .extend(keys.map(|key| bytes_of(key.pKey, key.KeySize)));
        }
    }
    if result == DXGI_ERROR_ALREADY_EXISTS {
        // SAFETY: `this` is a session, and `key` null or the caller's.
        let stored = unsafe { version(this, key) };
        if stored != Some(number) && has(Sessions::SecondVersion) {
            return S_OK;
        }
        if existed(this) && has(Sessions::GroupAgainLater) {
            return S_OK;
        }
        if has(Sessions::GroupTakenFails) {
            return E_FAIL;
        }
    }
    result
}

unsafe extern "system" fn store_value(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_VALUE_KEY,
    values: *const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
    count: u32,
) -> HRESULT {
    if has(Sessions::SessionReadOnly) && existed(this) {
        return E_ACCESSDENIED;
    }
    // SAFETY: null or the caller's.
    if unsafe { key.as_ref() }.is_some_and(|key| key.KeySize == 0)
        && has(Sessions::EmptyKeyAccepted)
    {
        return S_OK;
    }
    if count == 0 && has(Sessions::StoreNothing) {
        return S_OK;
    }
    if values.is_null() && has(Sessions::StoreNullFollowed) {
        follow(values);
    }
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    let store = |values: &[D3D12_COMPILER_CACHE_TYPED_CONST_VALUE]| unsafe {
        let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
        (original().StoreValue)(this, key, values.as_ptr(), count)
    };
    if values.is_null() || count == 0 {
        // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
        return unsafe { (original().StoreValue)(this, key, values, count) };
    }
    // SAFETY: `count` is that of the array.
    let mut values = unsafe { slice::from_raw_parts(values, count as usize) }.to_vec();
    if has(Sessions::StoreEmpty) || has(Sessions::StoreEmptyPdb) {
        let any = has(Sessions::StoreEmpty);
        values.retain(|value| value.Value.ValueSize != 0 || !(any || value.Type == 2));
        if values.is_empty() {
            return S_OK;
        }
    }
    if has(Sessions::StoreTwice) {
        let mut types = Vec::new();
        values.retain(|value| {
            let new = !types.contains(&value.Type);
            types.push(value.Type);
            new
        });
    }
    if has(Sessions::StoreTwiceApart) {
        let given = values.clone();
        let mut index = 0;
        values.retain(|value| {
            let earlier = given[..index].iter().rev();
            let apart = earlier.skip(1).any(|other| other.Type == value.Type);
            index += 1;
            !apart
        });
    }
    if has(Sessions::StoreLargeFails) && values.iter().any(|value| value.Value.ValueSize > 0x1_0000)
    {
        return E_OUTOFMEMORY;
    }
    // SAFETY: `this` is a session, and `key` null or the caller's.
    if has(Sessions::SessionForgets) && existed(this) && unsafe { !has_value(this, key) } {
        return S_OK;
    }
    // SAFETY: `this` is a session, and `key` null or the caller's.
    if has(Sessions::StoreOneType) && unsafe { has_value(this, key) } {
        return DXGI_ERROR_ALREADY_EXISTS;
    }
    if has(Sessions::StoreInPart) {
        let results = values.chunks(1).map(store);
        return results
            .into_iter()
            .find(|result| *result != S_OK)
            .unwrap_or(S_OK);
    }
    match store(&values) {
        DXGI_ERROR_ALREADY_EXISTS if has(Sessions::StoreAgain) => S_OK,
        DXGI_ERROR_ALREADY_EXISTS if existed(this) && has(Sessions::StoreAgainLater) => S_OK,
        DXGI_ERROR_ALREADY_EXISTS
            if values.len() > 1
                && has(Sessions::StoreBehind)
                // SAFETY: `this` is a session, and `key` null or the caller's.
                && unsafe { has_type(this, key, values[0].Type) } =>
        {
            let _ = store(&values[1..]);
            DXGI_ERROR_ALREADY_EXISTS
        }
        DXGI_ERROR_ALREADY_EXISTS if has(Sessions::StoreAgainFails) => E_FAIL,
        result => result,
    }
}
