//! The host's side of a cache session, in memory, with faults on order.

use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard};

use ddi_sys::*;

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
        values: BTreeMap<i32, Vec<u8>>,
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

type Values = HashMap<Vec<u8>, BTreeMap<i32, Vec<u8>>>;

#[derive(Default)]
pub struct State {
    pub values: Values,
    pub calls: Vec<Call>,
    /// What the plugin did that the DDI forbids.
    pub violations: Vec<String>,
    /// The call of this index, over all callbacks, fails with this.
    pub fail: Option<(usize, HRESULT)>,
    /// Stored by somebody else just before the plugin's next store.
    pub race: Values,
    pub find: Option<Find>,
    /// The callback tables that calls came through.
    pub tables: Vec<usize>,
    /// The threads that calls came from.
    pub threads: Vec<std::thread::ThreadId>,
}

/// The session of one compile call, or of several: the plugin cannot tell.
#[derive(Default)]
pub struct Session(Mutex<State>);

impl Session {
    pub fn handle(&self) -> D3D12DDI_HRTCOMPILERCACHESESSION {
        D3D12DDI_HRTCOMPILERCACHESESSION {
            handle: std::ptr::from_ref(self).cast_mut().cast(),
        }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
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

    pub fn put(&self, key: &[u8], kind: i32, value: &[u8]) {
        let mut state = self.state();
        let values = state.values.entry(key.to_vec()).or_default();
        values.insert(kind, value.to_vec());
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let violations = std::mem::take(&mut self.state().violations);
        if !std::thread::panicking() {
            assert_eq!(violations, Vec::<String>::new());
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

impl State {
    fn require(&mut self, condition: bool, what: &str) {
        if !condition {
            self.violations.push(what.into());
        }
    }

    /// Notes a call; whether it must fail.
    fn enter(&mut self, table: usize, call: Call) -> Result<(), HRESULT> {
        let index = self.calls.len();
        self.calls.push(call);
        self.tables.push(table);
        self.threads.push(std::thread::current().id());
        match self.fail {
            Some((at, hresult)) if at == index => Err(hresult),
            _ => Ok(()),
        }
    }

    /// # Safety
    ///
    /// The key is valid for the call.
    unsafe fn key(&mut self, key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY) -> Vec<u8> {
        if key.is_null() {
            self.violations.push("null key".into());
            return Vec::new();
        }
        // SAFETY: `key` was found not null, and is valid for the call (`# Safety`).
        let key = unsafe { *key };
        if key.pKey.is_null() || key.KeySize == 0 {
            self.violations.push("key without bytes".into());
            return Vec::new();
        }
        // SAFETY: `pKey` was found not null; a valid key (`# Safety`) has KeySize bytes there.
        unsafe { std::slice::from_raw_parts(key.pKey.cast(), key.KeySize as usize) }.to_vec()
    }

    fn types(&mut self, types: impl Iterator<Item = D3D12DDI_COMPILER_CACHE_VALUE_TYPE>) {
        let types: Vec<i32> = types.map(|kind| kind.0).collect();
        self.require(!types.is_empty(), "no values");
        for (index, kind) in types.iter().enumerate() {
            self.require(ALL_TYPES.contains(kind), "unknown value type");
            self.require(!types[..index].contains(kind), "a value type twice");
        }
    }
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
        let mut state = session(handle).state();
        let key = state.key(key);
        if values.is_null() {
            state.violations.push("null values".into());
            return E_INVALIDARG;
        }
        let values = std::slice::from_raw_parts_mut(values, count as usize);
        state.types(values.iter().map(|value| value.Type));
        for value in &*values {
            let Value {
                pValue: buffer,
                ValueSize: size,
            } = value.Value;
            state.require(size == 0 || !buffer.is_null(), "size without buffer");
            state.require(
                size != 0 || callback.is_none() || !buffer.is_null(),
                "a value to be allocated has a null pointer",
            );
        }
        let call = Call::Find {
            key: key.clone(),
            types: values.iter().map(|value| value.Type.0).collect(),
            allocates: callback.is_some(),
        };
        if let Err(hresult) = state.enter(TABLE, call) {
            return hresult;
        }
        let allocate = |size| callback.unwrap()(size, context);
        if let Some(find) = state.find {
            return find(values, &allocate);
        }
        let stored = state.values.get(&key).filter(|stored| {
            let mut types = values.iter().map(|value| value.Type.0);
            types.any(|kind| stored.contains_key(&kind))
        });
        let Some(stored) = stored else {
            return DXGI_ERROR_NOT_FOUND;
        };
        let mut result = S_OK;
        for value in values {
            let bytes = stored.get(&value.Type.0).map_or(&[][..], Vec::as_slice);
            let capacity = std::mem::replace(&mut value.Value.ValueSize, bytes.len());
            if capacity == 0 {
                if callback.is_none() || bytes.is_empty() {
                    continue;
                }
                let buffer = allocate(bytes.len());
                if buffer.is_null() {
                    return E_OUTOFMEMORY;
                }
                value.Value.pValue = buffer;
            } else if capacity < bytes.len() {
                result = DXGI_ERROR_MORE_DATA;
                continue;
            }
            let buffer = value.Value.pValue.cast::<u8>();
            buffer.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        result
    }
}

type Value = D3D12DDI_COMPILER_CACHE_VALUE;

unsafe extern "system" fn store<const TABLE: usize>(
    handle: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    count: UINT,
) -> HRESULT {
    // SAFETY: the plugin gives the session of its call and an array of `count` elements, readable until this returns.
    unsafe {
        let mut state = session(handle).state();
        let key = state.key(key);
        if values.is_null() {
            state.violations.push("null values".into());
            return E_INVALIDARG;
        }
        let values = std::slice::from_raw_parts(values, count as usize);
        state.types(values.iter().map(|value| value.Type));
        let values: BTreeMap<i32, Vec<u8>> = values
            .iter()
            .map(|value| {
                let (bytes, size) = (value.Value.pValue.cast::<u8>(), value.Value.ValueSize);
                if size == 0 || bytes.is_null() {
                    state.violations.push("an empty value".into());
                    return (value.Type.0, Vec::new());
                }
                let bytes = std::slice::from_raw_parts(bytes, size).to_vec();
                (value.Type.0, bytes)
            })
            .collect();
        let call = Call::Store {
            key: key.clone(),
            values: values.clone(),
        };
        if let Err(hresult) = state.enter(TABLE, call) {
            return hresult;
        }
        for (key, values) in std::mem::take(&mut state.race) {
            state.values.entry(key).or_default().extend(values);
        }
        let stored = state.values.entry(key).or_default();
        if values.keys().any(|kind| stored.contains_key(kind)) {
            return DXGI_ERROR_ALREADY_EXISTS;
        }
        stored.extend(values);
        S_OK
    }
}

unsafe extern "system" fn set_keys<const TABLE: usize>(
    handle: D3D12DDI_HRTCOMPILERCACHESESSION,
    keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    count: UINT,
) -> HRESULT {
    // SAFETY: the plugin gives the session of its call and an array of `count` elements, readable until this returns.
    unsafe {
        let mut state = session(handle).state();
        if keys.is_null() || count == 0 {
            state.violations.push("no keys".into());
            return E_INVALIDARG;
        }
        let keys: Vec<_> = std::slice::from_raw_parts(keys, count as usize)
            .iter()
            .map(|key| state.key(key))
            .collect();
        match state.enter(TABLE, Call::SetKeys(keys)) {
            Ok(()) => S_OK,
            Err(hresult) => hresult,
        }
    }
}
