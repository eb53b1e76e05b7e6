//! The host's side of a cache session: that of plugin-host, with a record of the calls, and faults on order.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

use ddi_sys::*;
use parking_lot::{Mutex, MutexGuard};
use plugin_host::session::{self as host, CacheSession as _, MemoryCache, SessionScope};

/// Object code, metadata, debug PDB, performance data.
pub const ALL_TYPES: [i32; 4] = [0, 1, 2, 3];

/// A callback that the plugin called.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    Find {
        key: Vec<u8>,
        types: Vec<i32>,
        /// With an allocation callback.
        allocates: bool,
    },
    Store {
        key: Vec<u8>,
        values: Values,
    },
    SetKeys(Vec<Vec<u8>>),
}

impl Call {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Find { .. } => "find",
            Self::Store { .. } => "store",
            Self::SetKeys(_) => "set_keys",
        }
    }
}

/// What the find callback does instead of its work.
pub type Find = fn(
    values: &mut [D3D12DDI_COMPILER_CACHE_TYPED_VALUE],
    allocate: &dyn Fn(usize) -> *mut c_void,
) -> HRESULT;

/// By type.
pub type Values = BTreeMap<i32, Vec<u8>>;

#[derive(Default)]
pub struct State {
    pub calls: Vec<Call>,
    /// The call of this index, over all callbacks, fails with this.
    pub fail: Option<(usize, HRESULT)>,
    /// A key and values that somebody else stores just before the plugin's next store.
    pub race: Option<(Vec<u8>, Values)>,
    pub find: Option<Find>,
    /// The callback tables that calls came through.
    pub tables: Vec<usize>,
    /// The threads that calls came from.
    pub threads: Vec<std::thread::ThreadId>,
    /// Of the compile call in progress, or the last one.
    scope: Option<SessionScope>,
    /// Whether the plugin wanted memory for a value by a null pointer, which the specification has no meaning for.
    wanted_memory_by_null: bool,
}

/// The session of one compile call, or of several on one cache.
#[derive(Default)]
pub struct Session {
    state: Mutex<State>,
    cache: Arc<MemoryCache>,
}

impl Session {
    /// For the next compile call.
    pub fn handle(&self) -> D3D12DDI_HRTCOMPILERCACHESESSION {
        self.state().scope = Some(SessionScope::new(self.cache.clone()));
        D3D12DDI_HRTCOMPILERCACHESESSION {
            handle: std::ptr::from_ref(self).cast_mut().cast(),
        }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Takes the calls so far.
    pub fn calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.state().calls)
    }

    /// The calls so far, by name.
    pub fn call_names(&self) -> Vec<&'static str> {
        self.state().calls.iter().map(Call::name).collect()
    }

    /// The keys of the object, when they were set once.
    pub fn object_keys(&self) -> Option<Vec<Vec<u8>>> {
        let state = self.state();
        let mut sets = state.calls.iter().filter_map(|call| match call {
            Call::SetKeys(keys) => Some(keys.clone()),
            _ => None,
        });
        let keys = sets.next();
        assert_eq!(sets.next(), None, "SetObjectValueKeys came twice");
        keys
    }

    /// What is stored under a key.
    pub fn values(&self, key: &[u8]) -> Values {
        let values = self.cache.values().remove(key).unwrap_or_default();
        let stored = |(kind, value): (i32, Option<Arc<[u8]>>)| Some((kind, value?.to_vec()));
        (0..).zip(values).filter_map(stored).collect()
    }

    pub fn put(&self, key: &[u8], kind: i32, value: &[u8]) {
        let kind = D3D12DDI_COMPILER_CACHE_VALUE_TYPE(kind);
        self.cache.store(key, &[(kind, value)]).unwrap();
    }

    /// Notes a call; what it fails with if it must, and else the session to go on with.
    fn enter(&self, table: usize, call: Call) -> Result<D3D12DDI_HRTCOMPILERCACHESESSION, HRESULT> {
        let mut state = self.state();
        let index = state.calls.len();
        state.calls.push(call);
        state.tables.push(table);
        state.threads.push(std::thread::current().id());
        match state.fail {
            Some((at, hresult)) if at == index => Err(hresult),
            _ => Ok(state.scope.as_ref().unwrap().handle()),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.cache.misuses(), []);
            assert!(!self.state().wanted_memory_by_null);
        }
    }
}

/// A table of its own for each `TABLE`.
pub fn callbacks<const TABLE: usize>() -> D3D12DDI_COMPILER_CACHE_CALLBACKS {
    D3D12DDI_COMPILER_CACHE_CALLBACKS {
        pfnCompilerCacheFindValue: Some(find::<TABLE>),
        pfnCompilerCacheStoreValue: Some(store::<TABLE>),
        pfnCompilerCacheSetObjectValueKeys: Some(set_keys::<TABLE>),
    }
}

/// # Safety
///
/// The handle is that of a session that is alive.
unsafe fn session<'a>(handle: D3D12DDI_HRTCOMPILERCACHESESSION) -> &'a Session {
    // SAFETY: `handle` is the pointer to a `Session` that is alive (`# Safety`).
    unsafe { &*handle.handle.cast::<Session>() }
}

/// # Safety
///
/// The pointer is null or to as many elements.
unsafe fn slice<'a, T>(pointer: *const T, count: usize) -> &'a [T] {
    if pointer.is_null() {
        return &[];
    }
    // SAFETY: as many elements (`# Safety`).
    unsafe { std::slice::from_raw_parts(pointer, count) }
}

/// # Safety
///
/// The keys are null, or as many, whose bytes are null or as many as they say.
unsafe fn keys(keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY, count: usize) -> Vec<Vec<u8>> {
    // SAFETY: null or as many keys, each with its bytes (`# Safety`).
    let bytes = |key: &D3D12DDI_COMPILER_CACHE_VALUE_KEY| unsafe {
        slice(key.pKey.cast(), key.KeySize as usize).to_vec()
    };
    // SAFETY: as above.
    unsafe { slice(keys, count) }.iter().map(bytes).collect()
}

unsafe extern "system" fn find<const TABLE: usize>(
    handle: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    count: UINT,
    callback: PFND3D12DDI_COMPILER_ALLOCATION,
    context: *mut c_void,
) -> HRESULT {
    // SAFETY: what the SDK owes a host, and this test is about: live session, valid key and array.
    unsafe {
        let (session, wanted) = (session(handle), slice(values, count as usize));
        let call = Call::Find {
            key: keys(key, 1).concat(),
            types: wanted.iter().map(|value| value.Type.0).collect(),
            allocates: callback.is_some(),
        };
        let is_null = |value: &D3D12DDI_COMPILER_CACHE_TYPED_VALUE| value.Value.pValue.is_null();
        session.state().wanted_memory_by_null |= callback.is_some() && wanted.iter().any(is_null);
        let of_call = match session.enter(TABLE, call) {
            Ok(of_call) => of_call,
            Err(hresult) => return hresult,
        };
        let instead = session.state().find;
        if let Some(find) = instead {
            let values = std::slice::from_raw_parts_mut(values, count as usize);
            return find(values, &|size| callback.unwrap()(size, context));
        }
        let find = host::callbacks().pfnCompilerCacheFindValue.unwrap();
        find(of_call, key, values, count, callback, context)
    }
}

unsafe extern "system" fn store<const TABLE: usize>(
    handle: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    count: UINT,
) -> HRESULT {
    // SAFETY: the plugin gives the session of its call and an array of `count` elements, readable until this returns.
    unsafe {
        let session = session(handle);
        let stored = slice(values, count as usize).iter().map(|value| {
            let bytes = slice(value.Value.pValue.cast(), value.Value.ValueSize);
            (value.Type.0, bytes.to_vec())
        });
        let call = Call::Store {
            key: keys(key, 1).concat(),
            values: stored.collect(),
        };
        let of_call = match session.enter(TABLE, call) {
            Ok(of_call) => of_call,
            Err(hresult) => return hresult,
        };
        if let Some((key, values)) = session.state().race.take() {
            for (kind, value) in values {
                session.put(&key, kind, &value);
            }
        }
        let store = host::callbacks().pfnCompilerCacheStoreValue.unwrap();
        store(of_call, key, values, count)
    }
}

unsafe extern "system" fn set_keys<const TABLE: usize>(
    handle: D3D12DDI_HRTCOMPILERCACHESESSION,
    keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    count: UINT,
) -> HRESULT {
    // SAFETY: the plugin gives the session of its call and an array of `count` elements, readable until this returns.
    unsafe {
        let call = Call::SetKeys(self::keys(keys, count as usize));
        let of_call = match session(handle).enter(TABLE, call) {
            Ok(of_call) => of_call,
            Err(hresult) => return hresult,
        };
        let set_keys = host::callbacks().pfnCompilerCacheSetObjectValueKeys;
        set_keys.unwrap()(of_call, keys, count)
    }
}
