//! The callbacks of a host that fails, or whose values come and change meanwhile.

use std::ffi::c_void;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{ptr, slice};

use base_plugin::{call, defects, follow};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    D3D12DDI_COMPILER_CACHE_TYPED_VALUE, D3D12DDI_COMPILER_CACHE_VALUE,
    D3D12DDI_COMPILER_CACHE_VALUE_KEY, D3D12DDI_HRTCOMPILERCACHESESSION, DXGI_ERROR_ALREADY_EXISTS,
    DXGI_ERROR_MORE_DATA, DXGI_ERROR_NOT_FOUND, E_FAIL, E_INVALIDARG, E_OUTOFMEMORY, HRESULT,
    PFND3D12DDI_COMPILER_ALLOCATION, S_OK, UINT,
};

use crate::defect::{Defect, selected};
use crate::need::{Need, met_if};
use crate::session::{What, bytes_of_base, raw_key};

/// The defects of this file.
#[macro_export]
macro_rules! fault_defects {
    ($take:ident) => {
        $take! {
            /// Where a callback fails, or a value is another than at the look before.
            Faults {
                NullAfterGrowth = "fault-null-after-growth" breaks P_PSO_12:
                    "a value that has grown is asked for with its size and a null buffer",
                    where Found;
                RaceOfSecondStore = "fault-race-of-second-store" breaks P_PSO_13:
                    "DXGI_ERROR_ALREADY_EXISTS of the second store of a compile is passed on",
                    where SecondStore;
                RaceAfterPart = "fault-race-after-part" breaks P_PSO_13:
                    "DXGI_ERROR_ALREADY_EXISTS is passed on where a find has found a part of the types",
                    where FoundInPart;
                RaceOfFamily = "fault-race-of-family" breaks P_PSO_13:
                    "for the second family DXGI_ERROR_ALREADY_EXISTS is passed on",
                    where SecondFamily;
                RaceRenamed = "fault-race-renamed" breaks P_PSO_13:
                    "a value that another thread has stored is stored again, under a new key";
                SecondStoreIgnored = "fault-second-store-ignored" breaks P_PSO_14:
                    "the failure of the second store of a compile is taken for success",
                    where SecondStore;
                ThirdStoreIgnored = "fault-third-store-ignored" breaks P_PSO_14:
                    "the failure of the third store of a compile is taken for success",
                    where ThirdStore;
                FourthStoreIgnored = "fault-fourth-store-ignored" breaks P_PSO_14:
                    "the failure of the fourth store of a compile is taken for success",
                    where FourthStore;
                StoreIgnoredOfAddition = "fault-store-ignored-of-addition" breaks P_PSO_14:
                    "the failure of a store is taken for success in an addition",
                    where Addition;
                StoreMemoryIgnored = "fault-store-memory-ignored" breaks P_PSO_14:
                    "E_OUTOFMEMORY of a store is taken for success";
                StoreRefusalIgnored = "fault-store-refusal-ignored" breaks P_PSO_14:
                    "E_INVALIDARG of a store is taken for success";
                StoreIgnoredAfterRace = "fault-store-ignored-after-race" breaks P_PSO_14:
                    "the failure of a store is taken for success after one of DXGI_ERROR_ALREADY_EXISTS",
                    where SecondStore;
                StoreForEver = "fault-store-for-ever" breaks P_PSO_14:
                    "a store that gets E_OUTOFMEMORY is tried again without an end";
                StoreUnnamed = "fault-store-unnamed" breaks P_PSO_14:
                    "a value whose store fails is left out of the value keys";
                StoreRemembered = "fault-store-remembered" breaks P_PSO_14:
                    "a value whose store got E_OUTOFMEMORY is not stored the next time";
                FindForEver = "fault-find-for-ever" breaks P_PSO_14:
                    "a find that fails is tried again without an end",
                    where Find;
                FindTaken = "fault-find-taken" breaks P_PSO_14:
                    "a find that fails is taken for one that has found the value",
                    where Find;
                FindTakenOfFamily = "fault-find-taken-of-family" breaks P_PSO_14:
                    "for the second family a find that gets E_OUTOFMEMORY is taken for one that has found the value",
                    where SecondFamily, where Find;
                ShortTaken = "fault-short-taken" breaks P_PSO_14:
                    "what a buffer holds that was too small is taken for the value",
                    where Found;
                ShortFollowed = "fault-short-followed" breaks P_PSO_14:
                    "what a buffer holds that was too small is followed as a pointer",
                    where Found;
                GoneTaken = "fault-gone-taken" breaks P_PSO_14:
                    "what a buffer holds is taken for a value that is gone since the size check",
                    where Found;
                KeysMemoryIgnored = "fault-keys-memory-ignored" breaks P_PSO_14:
                    "E_OUTOFMEMORY of the value keys is taken for success";
                KeysIgnoredWithoutPixels = "fault-keys-ignored-without-pixels" breaks P_PSO_14:
                    "of a pipeline without a pixel shader the failure of the value keys is taken for success";
                KeysRefusalIgnoredOfAddition = "fault-keys-refusal-ignored-of-addition" breaks P_PSO_14:
                    "of an addition E_INVALIDARG of the value keys is taken for success",
                    where Addition;
                KeysIgnoredAfterRace = "fault-keys-ignored-after-race" breaks P_PSO_14:
                    "the failure of the value keys is taken for success after DXGI_ERROR_ALREADY_EXISTS";
                KeysForEver = "fault-keys-for-ever" breaks P_PSO_14:
                    "value keys that the host refuses are set again without an end";
                RefusesAfterKeys = "fault-refuses-after-keys" breaks P_PSO_14:
                    "after the value keys failed once every compile fails",
                    sometimes P_SO_04 because "it makes state objects after their value keys failed";
                MemoryReported = "fault-memory-reported" notes P_BND_02 "3 made the call fail":
                    "of its own memory a compile makes three parts, and returns E_OUTOFMEMORY if it does not get one";
                MemoryIgnored = "fault-memory-ignored" breaks P_BND_02:
                    "a compile that does not get its own memory returns S_OK and does nothing";
                MemoryMissed = "fault-memory-missed" breaks P_BND_02:
                    "after a compile that did not get its own memory every compile fails";
                MemoryFollowed = "fault-memory-followed" breaks P_BND_02:
                    "a compile uses its own memory whether it gets it or not";
            }
        }
    };
}

fault_defects!(defects);

/// The defect of this process, if it is one of these.
pub(crate) fn defect() -> Option<Faults> {
    match selected() {
        Some(Defect::Faults(defect)) => Some(defect),
        _ => None,
    }
}

/// A compile in progress.
#[derive(Default)]
struct Compile {
    /// Its session, as an address.
    session: usize,
    /// Whether it is one of those that the defect is about.
    concerned: bool,
    /// How many stores it has made.
    stores: usize,
    /// Whether a store was answered DXGI_ERROR_ALREADY_EXISTS.
    lost_race: bool,
    /// Whether a find has found some of the types, but not all.
    found_in_part: bool,
    /// The keys that are not named.
    unnamed: Vec<Vec<u8>>,
    /// The keys that are named besides.
    named: Vec<Vec<u8>>,
    /// What it returns instead of success.
    result: Option<HRESULT>,
}

static COMPILES: Mutex<Vec<Compile>> = Mutex::new(Vec::new());

/// Whether value keys have failed in this process; see [`Faults::RefusesAfterKeys`].
static KEYS_HAVE_FAILED: AtomicBool = AtomicBool::new(false);

/// The keys whose stores failed; see [`Faults::StoreRemembered`].
static FAILED: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// How many parts of its own memory a compile makes, and how many bytes each has.
const OWN_PARTS: usize = 3;
const OWN_PART: usize = 4096;

fn lock<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The compile in progress that a session is of.
fn compile<R>(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    use_it: impl FnOnce(&mut Compile) -> R,
) -> Option<R> {
    let mut compiles = lock(&COMPILES);
    let mut compiles = compiles.iter_mut();
    compiles
        .find(|compile| compile.session == session.handle.addr())
        .map(use_it)
}

/// Whether a compile is one of those that the defect is about.
fn is_concerned(session: D3D12DDI_HRTCOMPILERCACHESESSION) -> bool {
    compile(session, |compile| compile.concerned) == Some(true)
}

/// Has the base compile an object, by `base`.
pub(crate) fn compiled(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    what: What,
    has_pixels: bool,
    family: u32,
    base: impl FnOnce() -> HRESULT,
) -> HRESULT {
    let Some(defect) = defect() else {
        return base();
    };
    if defect == Faults::RefusesAfterKeys && KEYS_HAVE_FAILED.load(Ordering::Relaxed) {
        return E_FAIL;
    }
    if let Err(result) = own_memory(defect) {
        return result;
    }
    let session = session.handle.addr();
    let concerned = match defect {
        Faults::StoreIgnoredOfAddition | Faults::KeysRefusalIgnoredOfAddition => {
            matches!(what, What::Addition(_))
        }
        Faults::RaceOfFamily | Faults::FindTakenOfFamily => family == 1,
        Faults::KeysIgnoredWithoutPixels => matches!(what, What::Pipeline(..)) && !has_pixels,
        _ => true,
    };
    lock(&COMPILES).push(Compile {
        session,
        concerned,
        ..Compile::default()
    });
    let result = base();
    let mut compiles = lock(&COMPILES);
    let own = compiles
        .iter()
        .rposition(|compile| compile.session == session);
    let own = own.map(|own| compiles.swap_remove(own));
    own.and_then(|own| own.result).unwrap_or(result)
}

/// What a compile does with memory of its own, of which a host may have none.
fn own_memory(defect: Faults) -> Result<(), HRESULT> {
    static MISSED: AtomicBool = AtomicBool::new(false);
    if MISSED.load(Ordering::Relaxed) {
        return Err(E_FAIL);
    }
    for _ in 0..OWN_PARTS {
        let mut part: Vec<u8> = Vec::new();
        if part.try_reserve_exact(OWN_PART).is_ok() {
            // An optimizer removes an allocation that nobody can see.
            black_box(part);
            continue;
        }
        match defect {
            Faults::MemoryReported => return Err(E_OUTOFMEMORY),
            Faults::MemoryIgnored => return Err(S_OK),
            Faults::MemoryMissed => {
                MISSED.store(true, Ordering::Relaxed);
                return Err(E_OUTOFMEMORY);
            }
            Faults::MemoryFollowed => follow(ptr::null::<c_void>()),
            _ => {}
        }
    }
    Ok(())
}

/// Whether it is a failure that a plugin has to pass on.
fn is_failure(result: HRESULT) -> bool {
    !result.is_ok()
        && ![
            DXGI_ERROR_NOT_FOUND,
            DXGI_ERROR_ALREADY_EXISTS,
            DXGI_ERROR_MORE_DATA,
        ]
        .contains(&result)
}

/// # Safety
/// PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB, called by the base.
pub(crate) unsafe fn find_value(
    defect: Faults,
    host: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    count: UINT,
    allocate: (PFND3D12DDI_COMPILER_ALLOCATION, *mut c_void),
) -> HRESULT {
    let find = |values: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE, count: UINT| {
        let (function, context) = allocate;
        call!(host.pfnCompilerCacheFindValue(session, key, values, count, function, context)
            else E_FAIL)
    };
    let mut result = find(values, count);
    if !is_concerned(session) {
        return result;
    }
    met_if(true, Need::Find);
    met_if(result.is_ok(), Need::Found);
    while defect == Faults::FindForEver && is_failure(result) {
        result = find(values, count);
    }
    // SAFETY: the base's values.
    let values = unsafe { slice::from_raw_parts_mut(values, count as usize) };
    let is_taken = match defect {
        Faults::FindTaken => is_failure(result),
        Faults::FindTakenOfFamily => result == E_OUTOFMEMORY,
        _ => false,
    };
    if is_taken {
        for value in values {
            value.Value.ValueSize = 1;
        }
        return S_OK;
    }
    if !result.is_ok() {
        return result;
    }
    let is_there = |value: &D3D12DDI_COMPILER_CACHE_TYPED_VALUE| value.Value.ValueSize != 0;
    let in_part = values.iter().any(is_there) && !values.iter().all(is_there);
    met_if(in_part, Need::FoundInPart);
    compile(session, |compile| compile.found_in_part |= in_part);
    match defect {
        Faults::NullAfterGrowth
        | Faults::ShortTaken
        | Faults::ShortFollowed
        | Faults::GoneTaken => {
            let sizes = values.iter().filter(|value| is_there(value));
            for size in sizes.filter(|value| value.Value.pValue.is_null()) {
                // SAFETY: the base's key.
                let read = unsafe { read_value(defect, host, session, key, *size) };
                if is_failure(read) {
                    return read;
                }
            }
            result
        }
        _ => result,
    }
}

/// Reads a value whose size is known, and makes a mistake if that has changed.
///
/// # Safety
/// The key is one of the base's.
unsafe fn read_value(
    defect: Faults,
    host: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    size: D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
) -> HRESULT {
    let find = |value: &mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE| {
        call!(host.pfnCompilerCacheFindValue(session, key, value, 1, None, ptr::null_mut())
            else E_FAIL)
    };
    let mut buffer = vec![0_usize; size.Value.ValueSize.div_ceil(size_of::<usize>())];
    let mut value = D3D12DDI_COMPILER_CACHE_TYPED_VALUE {
        Value: D3D12DDI_COMPILER_CACHE_VALUE {
            pValue: buffer.as_mut_ptr().cast(),
            ..size.Value
        },
        ..size
    };
    let result = find(&mut value);
    let is_short = result == DXGI_ERROR_MORE_DATA;
    let is_nothing = match defect {
        Faults::ShortTaken => is_short,
        Faults::GoneTaken => result == DXGI_ERROR_NOT_FOUND,
        _ => false,
    };
    match defect {
        Faults::NullAfterGrowth if is_short => {
            value.Value.pValue = ptr::null_mut();
            let _ = find(&mut value);
        }
        Faults::ShortFollowed if is_short => {
            follow(ptr::with_exposed_provenance::<c_void>(buffer[0]));
        }
        // An object whose code is all zeros is nothing.
        _ if is_nothing => {
            // SAFETY: the base's key.
            let key = unsafe { bytes_of_base(key) };
            compile(session, |compile| compile.unnamed.push(key));
        }
        _ => {}
    }
    result
}

/// # Safety
/// PFND3D12DDI_COMPILER_CACHE_STORE_VALUE_CB, called by the base.
pub(crate) unsafe fn store_value(
    defect: Faults,
    host: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    count: UINT,
) -> HRESULT {
    let store =
        |key| call!(host.pfnCompilerCacheStoreValue(session, key, values, count) else E_FAIL);
    // SAFETY: the base's key.
    let bytes = unsafe { bytes_of_base(key) };
    if defect == Faults::StoreRemembered {
        let mut failed = lock(&FAILED);
        if let Some(at) = failed.iter().position(|key| *key == bytes) {
            failed.swap_remove(at);
            return S_OK;
        }
    }
    let mut result = store(key);
    if !is_concerned(session) {
        return result;
    }
    while defect == Faults::StoreForEver && result == E_OUTOFMEMORY {
        result = store(key);
    }
    let state = compile(session, |compile| {
        compile.stores += 1;
        let after_race = compile.lost_race;
        compile.lost_race |= result == DXGI_ERROR_ALREADY_EXISTS;
        (compile.stores, after_race, compile.found_in_part)
    });
    let (number, after_race, after_part) = state.unwrap_or_default();
    for (needed, need) in [
        (2, Need::SecondStore),
        (3, Need::ThirdStore),
        (4, Need::FourthStore),
    ] {
        met_if(number >= needed, need);
    }
    if result == DXGI_ERROR_ALREADY_EXISTS {
        let is_passed_on = match defect {
            Faults::RaceOfSecondStore => number == 2,
            Faults::RaceAfterPart => after_part,
            Faults::RaceOfFamily => true,
            _ => false,
        };
        if defect == Faults::RaceRenamed {
            let again = [&bytes[..], b"again"].concat();
            let key = raw_key(&again);
            let _ = store(&raw const key);
            compile(session, |compile| compile.named.push(again));
        }
        compile(session, |compile| {
            compile.result = is_passed_on.then_some(result).or(compile.result);
        });
        return result;
    }
    if !is_failure(result) {
        return result;
    }
    match defect {
        Faults::StoreUnnamed => {
            compile(session, |compile| compile.unnamed.push(bytes));
            return S_OK;
        }
        Faults::StoreRemembered if result == E_OUTOFMEMORY => lock(&FAILED).push(bytes),
        _ => {}
    }
    let is_ignored = match defect {
        Faults::SecondStoreIgnored => number == 2,
        Faults::ThirdStoreIgnored => number == 3,
        Faults::FourthStoreIgnored => number == 4,
        Faults::StoreIgnoredOfAddition => true,
        Faults::StoreMemoryIgnored => result == E_OUTOFMEMORY,
        Faults::StoreRefusalIgnored => result == E_INVALIDARG,
        Faults::StoreIgnoredAfterRace => after_race,
        _ => false,
    };
    if is_ignored { S_OK } else { result }
}

/// # Safety
/// PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB, called by the base.
pub(crate) unsafe fn set_object_value_keys(
    defect: Faults,
    host: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    count: UINT,
) -> HRESULT {
    // SAFETY: the base's keys.
    let keys = unsafe { slice::from_raw_parts(keys, count as usize) };
    // SAFETY: each one of the base's.
    let mut keys: Vec<_> = keys
        .iter()
        .map(|key| unsafe { bytes_of_base(key) })
        .collect();
    let after_race = compile(session, |compile| {
        keys.retain(|key| !compile.unnamed.contains(key));
        keys.append(&mut compile.named);
        compile.lost_race
    });
    let keys: Vec<_> = keys.iter().map(|key| raw_key(key)).collect();
    let count = UINT::try_from(keys.len()).unwrap_or(UINT::MAX);
    let set = || call!(host.pfnCompilerCacheSetObjectValueKeys(session, keys.as_ptr(), count) else E_FAIL);
    let mut result = set();
    while defect == Faults::KeysForEver && is_failure(result) {
        result = set();
    }
    if !is_failure(result) || !is_concerned(session) {
        return result;
    }
    KEYS_HAVE_FAILED.store(true, Ordering::Relaxed);
    let is_ignored = match defect {
        Faults::KeysMemoryIgnored => result == E_OUTOFMEMORY,
        Faults::KeysIgnoredWithoutPixels => true,
        Faults::KeysRefusalIgnoredOfAddition => result == E_INVALIDARG,
        Faults::KeysIgnoredAfterRace => after_race == Some(true),
        _ => false,
    };
    if is_ignored { S_OK } else { result }
}
