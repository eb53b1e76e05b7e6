//! The least that drives the plugin through its tables: one open for each compiler, and a cache in
//! memory whose address is the session.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::rc::Rc;

use bytemuck::Zeroable as _;
use plugin_sdk::PluginEntry as _;
#[allow(clippy::wildcard_imports)] // A host's arguments are made of little else.
use plugin_sdk::ddi::*;
use sample_plugin::SamplePlugin;

const PLUGIN_DDI_VERSION: u64 = 0x000C_0000_0002_0000;
const USERMODE_DDI_VERSION: u64 = 0x000C_0050_0073_0000;

pub type Keys = Vec<Vec<u8>>;

/// What to compile for.
#[derive(Clone)]
pub struct Application {
    pub exe_filename: &'static str,
    pub name: &'static str,
    pub version: u64,
    pub engine: Option<(&'static str, u64)>,
}

/// A cache, which outlives the sessions on it.
#[derive(Default)]
pub struct Cache(RefCell<State>);

#[derive(Default)]
struct State {
    values: BTreeMap<Vec<u8>, [Option<Vec<u8>>; 4]>,
    key_lists: Vec<Keys>,
    stores: usize,
}

impl Cache {
    /// Runs a compile call. Only one that succeeds has set keys, and once.
    fn session(
        &self,
        call: impl FnOnce(D3D12DDI_HRTCOMPILERCACHESESSION) -> HRESULT,
    ) -> Result<Keys, HRESULT> {
        let handle = std::ptr::from_ref(self).cast_mut().cast();
        let hresult = call(D3D12DDI_HRTCOMPILERCACHESESSION { handle });
        let mut lists = std::mem::take(&mut self.0.borrow_mut().key_lists);
        assert_eq!(lists.len(), usize::from(hresult.is_ok()));
        lists.pop().ok_or(hresult)
    }

    pub fn value(&self, key: &[u8], kind: usize) -> Option<Vec<u8>> {
        self.0.borrow().values.get(key)?[kind].clone()
    }

    pub fn len(&self) -> usize {
        self.0.borrow().values.len()
    }

    /// How often the plugin stored something, or tried to.
    pub fn stores(&self) -> usize {
        self.0.borrow().stores
    }

    /// # Safety
    ///
    /// The handle is a session of a call that lasts for `'a`.
    unsafe fn of<'a>(session: D3D12DDI_HRTCOMPILERCACHESESSION) -> &'a Self {
        // SAFETY: `session` made the handle of a reference that lives through the call.
        unsafe { &*session.handle.cast::<Self>() }
    }
}

/// # Safety
///
/// The key is valid.
unsafe fn bytes_of_key(key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY) -> Vec<u8> {
    // SAFETY: `key` is valid (`# Safety`), and so is its `pKey` for `KeySize` bytes.
    unsafe { std::slice::from_raw_parts((*key).pKey.cast(), (*key).KeySize as usize).to_vec() }
}

/// Answers size queries, which are all that finding or storing a value needs.
unsafe extern "system" fn find_value(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    count: UINT,
    _: PFND3D12DDI_COMPILER_ALLOCATION,
    _: *mut c_void,
) -> HRESULT {
    // SAFETY: the plugin gives the session of its call, a key and an array of `count` entries, valid until this returns.
    let (cache, key, queries) = unsafe {
        let queries = std::slice::from_raw_parts_mut(values, count as usize);
        (Cache::of(session), bytes_of_key(key), queries)
    };
    let state = cache.0.borrow();
    let mut result = DXGI_ERROR_NOT_FOUND;
    for query in queries {
        if !query.Value.pValue.is_null() {
            return E_NOTIMPL;
        }
        let kind = usize::try_from(query.Type.0).unwrap_or(usize::MAX);
        let value = state
            .values
            .get(&key)
            .and_then(|values| values[kind].as_ref());
        query.Value.ValueSize = value.map_or(0, Vec::len);
        if value.is_some() {
            result = S_OK;
        }
    }
    result
}

unsafe extern "system" fn store_value(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    count: UINT,
) -> HRESULT {
    // SAFETY: the plugin gives the session of its call and an array of `count` elements, readable until this returns.
    let (cache, key, values) = unsafe {
        let values = std::slice::from_raw_parts(values, count as usize);
        (Cache::of(session), bytes_of_key(key), values)
    };
    let mut state = cache.0.borrow_mut();
    state.stores += 1;
    let stored = state.values.entry(key).or_default();
    for value in values {
        let slot = &mut stored[usize::try_from(value.Type.0).unwrap_or(usize::MAX)];
        if slot.is_some() {
            return DXGI_ERROR_ALREADY_EXISTS;
        }
        let (pointer, size) = (value.Value.pValue.cast(), value.Value.ValueSize);
        // SAFETY: `pValue` has `ValueSize` bytes, readable until this returns.
        *slot = Some(unsafe { std::slice::from_raw_parts(pointer, size).to_vec() });
    }
    S_OK
}

unsafe extern "system" fn set_object_value_keys(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    count: UINT,
) -> HRESULT {
    // SAFETY: the plugin gives the session of its call and an array of `count` elements, readable until this returns.
    let (cache, keys) = unsafe {
        let keys = std::slice::from_raw_parts(keys, count as usize);
        (
            Cache::of(session),
            keys.iter().map(|key| bytes_of_key(key)).collect(),
        )
    };
    cache.0.borrow_mut().key_lists.push(keys);
    S_OK
}

/// An open of its own, and a compiler in it. Clones share it.
#[derive(Clone)]
pub struct Compiler(Rc<Inner>);

struct Inner {
    open: D3D12DDIARG_COMPILER_OPEN_DDI,
    first: D3D12DDI_COMPILER_DDI_FUNCS,
    table: D3D12DDI_COMPILER_FUNCS,
    memory: Memory,
}

/// Memory for an object of the plugin, which writes into it.
struct Memory(Box<[Cell<u128>]>);

impl Memory {
    fn new(size: usize) -> Self {
        assert_ne!(size, 0);
        Self(vec![Cell::new(0); size.div_ceil(16)].into())
    }

    fn pointer(&self) -> *mut c_void {
        self.0.as_ptr().cast_mut().cast()
    }
}

fn done(hresult: HRESULT) {
    assert_eq!(hresult, S_OK);
}

impl Compiler {
    pub fn new((family, abi_version): (u32, u64), application: &Application) -> Self {
        let mut first = D3D12DDI_COMPILER_DDI_FUNCS::default();
        let mut table = D3D12DDI_COMPILER_FUNCS::default();
        let mut open = D3D12DDIARG_COMPILER_OPEN_DDI::zeroed();
        open.pDDIFuncs = &raw mut first;
        let callbacks = D3D12DDI_COMPILER_CACHE_CALLBACKS {
            pfnCompilerCacheFindValue: Some(find_value),
            pfnCompilerCacheStoreValue: Some(store_value),
            pfnCompilerCacheSetObjectValueKeys: Some(set_object_value_keys),
        };
        let text = |text: &str| text.encode_utf16().chain([0]).collect::<Vec<_>>();
        let (exe_filename, name) = (text(application.exe_filename), text(application.name));
        let engine = application
            .engine
            .map(|(name, version)| (text(name), version));
        let target = D3D12DDI_COMPILER_TARGET {
            AdapterFamilyIndex: family,
            ABIVersion: abi_version,
        };
        let application = D3D12DDI_APPLICATION_DESC {
            pExeFilename: exe_filename.as_ptr(),
            pName: name.as_ptr(),
            Version: D3D12DDI_VERSION_NUMBER::from_bits(application.version),
            pEngineName: engine.as_ref().map_or(std::ptr::null(), |e| e.0.as_ptr()),
            EngineVersion: D3D12DDI_VERSION_NUMBER::from_bits(engine.as_ref().map_or(0, |e| e.1)),
        };
        let (target, application) = (&raw const target, &raw const application);
        // SAFETY: the DDI's order of calls, with arguments that are valid for each.
        let memory = unsafe {
            done(SamplePlugin::entry_point()(&raw mut open));
            let handle = open.hCompilerDDI;
            done(first.pfnSetSelectedVersion.unwrap()(
                handle,
                PLUGIN_DDI_VERSION,
                USERMODE_DDI_VERSION,
            ));
            done(first.pfnSetCallbackDDITable.unwrap()(
                handle,
                D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE,
                (&raw const callbacks).cast(),
                size_of_val(&callbacks),
            ));
            done(first.pfnFillDDITable.unwrap()(
                handle,
                D3D12DDI_COMPILER_TABLE_TYPE_COMPILER,
                (&raw mut table).cast(),
                size_of_val(&table),
            ));
            let size = table.pfnCalcPrivateCompilerSize.unwrap()(target, application);
            let memory = Memory::new(size);
            let compiler = D3D12DDI_HCOMPILER {
                pDrvPrivate: memory.pointer(),
            };
            let runtime = D3D12DDI_HRTCOMPILER::zeroed();
            done(table.pfnCreateCompiler.unwrap()(
                target,
                application,
                compiler,
                runtime,
            ));
            memory
        };
        Self(Rc::new(Inner {
            open,
            first,
            table,
            memory,
        }))
    }

    fn handle(&self) -> D3D12DDI_HCOMPILER {
        D3D12DDI_HCOMPILER {
            pDrvPrivate: self.0.memory.pointer(),
        }
    }

    /// # Safety
    ///
    /// `arg`, and all that it points at, is valid for the call.
    pub unsafe fn compile(
        &self,
        cache: &Cache,
        types: i32,
        arg: &D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    ) -> Result<Keys, HRESULT> {
        let compile = self.0.table.pfnCompilePipelineState.unwrap();
        let types = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(types);
        // SAFETY: the compiler lives, the session is this call's, and `arg` is valid for it (`# Safety`).
        cache.session(|session| unsafe { compile(self.handle(), session, types, arg) })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let compiler = D3D12DDI_HCOMPILER {
            pDrvPrivate: self.memory.pointer(),
        };
        // SAFETY: both are alive, and nothing uses them any more.
        unsafe {
            self.table.pfnDestroyCopiler.unwrap()(compiler);
            self.first.pfnDestroyCompilerDDI.unwrap()(self.open.hCompilerDDI);
        }
    }
}

/// A state object.
pub struct StateObject {
    pub keys: Keys,
    compiler: Compiler,
    memory: Memory,
    /// Must outlive it.
    _arg: Box<D3D12DDIARG_CREATE_STATE_OBJECT_0054>,
}

impl StateObject {
    /// Compiles a state object, or an addition to `parent`.
    ///
    /// # Safety
    ///
    /// The subobjects, and what they point at, are what their types want, and stay until the object
    /// and all additions to it are dropped.
    pub unsafe fn new(
        compiler: &Compiler,
        parent: Option<&Self>,
        cache: &Cache,
        kind: D3D12DDI_STATE_OBJECT_TYPE,
        subobjects: &[D3D12DDI_STATE_SUBOBJECT_0054],
    ) -> Result<Self, HRESULT> {
        let arg = Box::new(D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
            Type: kind,
            NumSubobjects: subobjects.len().try_into().unwrap(),
            pSubobjects: subobjects.as_ptr(),
        });
        let types = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(15);
        let (table, c) = (&compiler.0.table, compiler.handle());
        // SAFETY: compiler and parent live, `memory` has the calculated size, and `arg` stays with the object, the subobjects
        // as long (`# Safety`).
        let (memory, keys) = unsafe {
            let size = match parent {
                None => table.pfnCalcPrivateStateObjectSize.unwrap()(c, &raw const *arg),
                Some(p) => table.pfnCalcPrivateAddToStateObjectSize.unwrap()(
                    c,
                    &raw const *arg,
                    p.handle(),
                ),
            };
            let memory = Memory::new(size);
            let own = D3D12DDI_HCOMPILERSTATEOBJECT {
                pDrvPrivate: memory.pointer(),
            };
            let keys = cache.session(|session| match parent {
                None => table.pfnCompileCreateStateObject.unwrap()(
                    c,
                    session,
                    types,
                    &raw const *arg,
                    own,
                ),
                Some(p) => table.pfnCompileAddToStateObject.unwrap()(
                    c,
                    session,
                    types,
                    &raw const *arg,
                    p.handle(),
                    own,
                ),
            });
            (memory, keys?)
        };
        Ok(Self {
            keys,
            compiler: compiler.clone(),
            memory,
            _arg: arg,
        })
    }

    fn handle(&self) -> D3D12DDI_HCOMPILERSTATEOBJECT {
        D3D12DDI_HCOMPILERSTATEOBJECT {
            pDrvPrivate: self.memory.pointer(),
        }
    }

    /// As an existing collection of another object.
    pub fn collection(&self) -> D3D12DDI_HSTATEOBJECT_0054 {
        D3D12DDI_HSTATEOBJECT_0054 {
            pDrvPrivate: self.memory.pointer(),
        }
    }
}

impl Drop for StateObject {
    fn drop(&mut self) {
        let destroy = self.compiler.0.table.pfnDestroyStateObject.unwrap();
        // SAFETY: the object is alive, and nothing uses it any more.
        unsafe { destroy(self.compiler.handle(), self.handle()) };
    }
}
