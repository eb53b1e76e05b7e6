//! The host's side of compile calls: answers the cache callbacks and records them.
//!
//! The answers are those of `plugin_host::session`. Where a plugin breaks a rule of the callbacks,
//! the recorder notes what came and answers as if it had been right, so that the compile goes on
//! and only the test of that rule sees the defect. Nothing is judged here, and nothing panics.
//!
//! Compile calls are made one at a time; callbacks may come from any thread.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_void;
use std::slice;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use conformance_protocol::{Answer, FaultPlan, On, calls};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    D3D12DDI_COMPILER_CACHE_TYPED_VALUE, D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID,
    D3D12DDI_HRTCOMPILERCACHESESSION, DXGI_ERROR_ALREADY_EXISTS, E_INVALIDARG, HRESULT,
    PFND3D12DDI_COMPILER_ALLOCATION, S_OK, UINT,
};
use plugin_host::session::{self, CacheSession, MemoryCache, SessionScope};

use crate::watch::heap::{self, OfHost};

mod find;

/// One call of a callback.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// Which of the callback tables it came through.
    pub(crate) table: usize,
    /// Whether it named the session of the compile call in progress.
    pub(crate) own_session: bool,
    pub(crate) callback: Callback,
    /// What it was answered.
    pub(crate) result: HRESULT,
}

pub(crate) const FIND: &str = "pfnCompilerCacheFindValue";
pub(crate) const STORE: &str = "pfnCompilerCacheStoreValue";
pub(crate) const SET_KEYS: &str = "pfnCompilerCacheSetObjectValueKeys";

/// The arguments of a callback. A key is `None` when it is null or empty.
#[derive(Clone, Debug)]
pub(crate) enum Callback {
    Find {
        key: Option<Vec<u8>>,
    },
    Store {
        key: Option<Vec<u8>>,
        values: Vec<Value>,
    },
    SetKeys(Vec<Option<Vec<u8>>>),
}

impl Callback {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Find { .. } => FIND,
            Self::Store { .. } => STORE,
            Self::SetKeys(_) => SET_KEYS,
        }
    }

    /// Which it is in a fault plan.
    pub(crate) fn on(&self) -> On {
        match self {
            Self::Find { .. } => On::Find,
            Self::Store { .. } => On::Store,
            Self::SetKeys(_) => On::Keys,
        }
    }

    /// The key of a find or a store.
    pub(crate) fn key(&self) -> Option<&[u8]> {
        match self {
            Self::Find { key } | Self::Store { key, .. } => key.as_deref(),
            Self::SetKeys(_) => None,
        }
    }
}

/// A value of a store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub(crate) ty: D3D12DDI_COMPILER_CACHE_VALUE_TYPE,
    pub(crate) null: bool,
    pub(crate) size: usize,
}

/// What became of one compile call.
pub(crate) struct Recording {
    pub(crate) result: HRESULT,
    pub(crate) events: Vec<Event>,
    /// How many allocations the plugin has made on the thread of the call, where they can be counted.
    pub(crate) allocations: usize,
}

impl Recording {
    /// Of a compile call that was not made, as the plugin refused the description before.
    pub(crate) fn refused() -> Self {
        Self {
            result: E_INVALIDARG,
            events: Vec::new(),
            allocations: 0,
        }
    }

    /// The key lists that were set.
    pub(crate) fn key_lists(&self) -> impl Iterator<Item = (&Event, &[Option<Vec<u8>>])> {
        self.events
            .iter()
            .filter_map(|event| match &event.callback {
                Callback::SetKeys(keys) => Some((event, keys.as_slice())),
                _ => None,
            })
    }

    /// The stores, whatever became of them.
    pub(crate) fn stores(&self) -> impl Iterator<Item = (&Event, Option<&[u8]>, &[Value])> {
        self.events
            .iter()
            .filter_map(|event| match &event.callback {
                Callback::Store { key, values } => Some((event, key.as_deref(), values.as_slice())),
                _ => None,
            })
    }

    /// How often one callback was called for one key, at most.
    pub(crate) fn most_tries(&self) -> usize {
        let mut tries: BTreeMap<_, usize> = BTreeMap::new();
        for Event { callback, .. } in &self.events {
            *tries.entry((callback.name(), callback.key())).or_default() += 1;
        }
        tries.into_values().max().unwrap_or_default()
    }

    /// The types of the values that were stored in its session.
    pub(crate) fn stored_types(&self) -> BTreeSet<D3D12DDI_COMPILER_CACHE_VALUE_TYPE> {
        self.stores()
            .filter(|(event, ..)| event.own_session && event.result.is_ok())
            .flat_map(|(_, _, values)| values.iter().map(|value| value.ty))
            .collect()
    }
}

/// A plugin that asks for one key more often than this tries again what a fault plan makes fail. The plan ends then,
/// so that the compile can end too.
pub(crate) const MOST_TRIES: usize = 100;

/// The compile call in progress.
struct InProgress {
    scope: Arc<SessionScope>,
    events: Vec<Event>,
    plan: FaultPlan,
}

impl InProgress {
    /// What a callback gets instead of an answer of the protocol.
    fn fault(&self, callback: &Callback) -> Option<Answer> {
        let on = callback.on();
        let earlier = self.events.iter().map(|event| &event.callback);
        let earlier = earlier.filter(|earlier| earlier.on() == on);
        let of_its_key = earlier
            .clone()
            .filter(|earlier| earlier.key() == callback.key());
        let tries = of_its_key.count();
        let answer = self.plan.answer(on, earlier.count(), tries == 0);
        answer.filter(|_| tries < MOST_TRIES)
    }
}

/// The plan of the next compile call.
static NEXT_PLAN: Mutex<FaultPlan> = Mutex::new(FaultPlan::NONE);

/// Has the host answer the callbacks of the next compile call as the plan says.
pub(crate) fn arm(plan: &FaultPlan) {
    *lock(&NEXT_PLAN) = plan.clone();
}

static CALL: Mutex<Option<InProgress>> = Mutex::new(None);
static LATE: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

/// Notes a callback that came when no compile call was in progress: the first few, which is enough.
fn note_late(callback: &Callback) {
    const MOST: usize = 16;
    let mut late = lock(&LATE);
    if late.len() < MOST {
        late.push(callback.name());
    }
}

fn lock<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a compile call in a session of its own over `cache`.
pub(crate) fn record(
    cache: &Arc<MemoryCache>,
    call: impl FnOnce(D3D12DDI_HRTCOMPILERCACHESESSION) -> HRESULT,
) -> Recording {
    let scope = Arc::new(SessionScope::new(Arc::clone(cache) as Arc<dyn CacheSession>));
    let session = scope.handle();
    let plan = std::mem::take(&mut *lock(&NEXT_PLAN));
    *lock(&CALL) = Some(InProgress {
        scope,
        events: Vec::new(),
        plan: plan.clone(),
    });
    let (result, allocations) = heap::of_plugin(&plan, || call(session));
    let ended = lock(&CALL).take();
    Recording {
        result,
        events: ended.map(|call| call.events).unwrap_or_default(),
        allocations,
    }
}

/// The names of the callbacks that came when no compile call was in progress.
pub(crate) fn late() -> Vec<&'static str> {
    lock(&LATE).clone()
}

/// A callback table; the tables of different numbers have different functions.
pub(crate) fn callbacks<const TABLE: usize>() -> D3D12DDI_COMPILER_CACHE_CALLBACKS {
    D3D12DDI_COMPILER_CACHE_CALLBACKS {
        pfnCompilerCacheFindValue: Some(find_value::<TABLE>),
        pfnCompilerCacheStoreValue: Some(store_value::<TABLE>),
        pfnCompilerCacheSetObjectValueKeys: Some(set_object_value_keys::<TABLE>),
    }
}

/// What the host knows when it answers.
struct Known {
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    /// Whether the keys were set before.
    keys_set: bool,
    /// What the fault plan says, where it is no failure to return at once.
    fault: Option<Answer>,
}

/// Answers and records one callback.
fn answer(
    table: usize,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    callback: Callback,
    answer: impl FnOnce(Known) -> HRESULT,
) -> HRESULT {
    let _noted = calls::callback(callback.name());
    let call = lock(&CALL).as_ref().map(|call| {
        let keys_set =
            |event: &Event| matches!(event.callback, Callback::SetKeys(_)) && event.result.is_ok();
        let scope = Arc::clone(&call.scope);
        (
            scope,
            call.events.iter().any(keys_set),
            call.fault(&callback),
        )
    });
    let Some((scope, keys_set, fault)) = call else {
        note_late(&callback);
        return E_INVALIDARG;
    };
    // No lock is held: the plugin's allocation callback may call back.
    let answered = || {
        answer(Known {
            session: scope.handle(),
            keys_set,
            fault,
        })
    };
    let result = match (fault, &callback) {
        (Some(Answer::Failure(DXGI_ERROR_ALREADY_EXISTS)), Callback::Store { .. }) => {
            let result = answered();
            if result.is_ok() {
                DXGI_ERROR_ALREADY_EXISTS
            } else {
                result
            }
        }
        (Some(Answer::Failure(failure)), _) => failure,
        _ => answered(),
    };
    match lock(&CALL).as_mut() {
        Some(call) if Arc::ptr_eq(&call.scope, &scope) => {
            let own_session = session == scope.handle();
            call.events.push(Event {
                table,
                own_session,
                callback,
                result,
            });
        }
        // The compile call returned while the callback was in progress.
        _ => note_late(&callback),
    }
    result
}

/// # Safety
///
/// The arguments are what the specification says; what it forbids may be null or empty.
unsafe extern "system" fn find_value<const TABLE: usize>(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    count: UINT,
    allocate: PFND3D12DDI_COMPILER_ALLOCATION,
    context: *mut c_void,
) -> HRESULT {
    let _of_host = OfHost::begin();
    // SAFETY: null, or a key of the plugin.
    let key_bytes = unsafe { key.as_ref().and_then(|key| read_key(key)) };
    let callback = Callback::Find { key: key_bytes };
    answer(
        TABLE,
        session,
        callback,
        |Known { session, fault, .. }| {
            let protocol = session::callbacks().pfnCompilerCacheFindValue;
            let find = || {
                // SAFETY: the plugin's arguments as they came.
                protocol.map_or(E_INVALIDARG, |f| unsafe {
                    f(session, key, values, count, allocate, context)
                })
            };
            let Some(fault) = fault else { return find() };
            // SAFETY: null, or an array of the plugin of that many values.
            let values = unsafe { find::Values::new(values, count, allocate.is_some()) };
            values.answered(fault, find)
        },
    )
}

/// # Safety
///
/// As for [`find_value`].
unsafe extern "system" fn store_value<const TABLE: usize>(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    count: UINT,
) -> HRESULT {
    let _of_host = OfHost::begin();
    // SAFETY: null, or a key of the plugin.
    let key_bytes = unsafe { key.as_ref().and_then(|key| read_key(key)) };
    let entries: &[D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE] = if is_array(values, count) {
        // SAFETY: an array of the plugin of that many values.
        unsafe { slice::from_raw_parts(values, count as usize) }
    } else {
        &[]
    };
    let stored: Vec<Value> = entries
        .iter()
        .map(|entry| Value {
            ty: entry.Type,
            null: entry.Value.pValue.is_null(),
            size: entry.Value.ValueSize,
        })
        .collect();
    let known =
        |value: &Value| (0..D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID.0).contains(&value.ty.0);
    let proper =
        key_bytes.is_some() && improper_values(&stored).is_none() && stored.iter().all(known);
    let callback = Callback::Store {
        key: key_bytes,
        values: stored,
    };
    let given = session;
    answer(TABLE, session, callback, |Known { session, .. }| {
        let Some(protocol) = session::callbacks().pfnCompilerCacheStoreValue else {
            return E_INVALIDARG;
        };
        if given != session {
            // It belongs to another compile, and is no value of this one.
            return S_OK;
        }
        if proper {
            // SAFETY: the plugin's arguments as they came.
            return unsafe { protocol(session, key, values, count) };
        }
        // What can be stored is stored, so that the rest of the compile finds it.
        for entry in entries {
            // SAFETY: one value of the plugin's; what cannot be stored is refused.
            let _ = unsafe { protocol(session, key, entry, 1) };
        }
        S_OK
    })
}

/// # Safety
///
/// As for [`find_value`].
unsafe extern "system" fn set_object_value_keys<const TABLE: usize>(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    count: UINT,
) -> HRESULT {
    let _of_host = OfHost::begin();
    let list: Vec<Option<Vec<u8>>> = if is_array(keys, count) {
        // SAFETY: an array of the plugin of that many keys.
        let keys = unsafe { slice::from_raw_parts(keys, count as usize) };
        // SAFETY: each a key of the plugin.
        keys.iter().map(|key| unsafe { read_key(key) }).collect()
    } else {
        vec![None; count.min(1) as usize]
    };
    let proper = list.iter().all(Option::is_some);
    answer(
        TABLE,
        session,
        Callback::SetKeys(list),
        |Known {
             session, keys_set, ..
         }| {
            match session::callbacks().pfnCompilerCacheSetObjectValueKeys {
                // SAFETY: the plugin's arguments as they came.
                Some(protocol) if proper && !keys_set => unsafe { protocol(session, keys, count) },
                _ => S_OK,
            }
        },
    )
}

/// Whether a pointer and a count can be an array: it is not null, and memory can be as large.
fn is_array<T>(pointer: *const T, count: UINT) -> bool {
    let size = (count as usize).checked_mul(size_of::<T>());
    !pointer.is_null() && size.is_some_and(|size| isize::try_from(size).is_ok())
}

/// What is wrong with the values of a store, if something is. Their types are not looked at beyond
/// being different.
pub(crate) fn improper_values(values: &[Value]) -> Option<String> {
    if values.is_empty() {
        return Some("no values".into());
    }
    let mut types = BTreeSet::new();
    for Value { ty, null, size } in values {
        if *null || *size == 0 {
            return Some(format!("a value of type {ty:?} with {size} bytes"));
        }
        if !types.insert(*ty) {
            return Some(format!("two values of type {ty:?}"));
        }
    }
    None
}

/// A key's bytes; `None` when it has none.
///
/// # Safety
///
/// Not null, the pointer leads to that many bytes.
unsafe fn read_key(key: &D3D12DDI_COMPILER_CACHE_VALUE_KEY) -> Option<Vec<u8>> {
    if key.KeySize == 0 || !is_array(key.pKey.cast::<u8>(), key.KeySize) {
        return None;
    }
    // SAFETY: `pKey` is not null, and so leads to `KeySize` bytes (`# Safety`).
    Some(unsafe { slice::from_raw_parts(key.pKey.cast::<u8>(), key.KeySize as usize) }.to_vec())
}
