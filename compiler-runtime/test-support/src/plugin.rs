//! A linked-in plugin whose compile calls do what the test says.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::ptr;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use compiler_runtime::Factory;
use ddi_sys::*;

/// A compile call.
pub struct Compile {
    pub session: D3D12DDI_HRTCOMPILERCACHESESSION,
    pub value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    pub callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS,
}

impl Compile {
    /// Calls `pfnCompilerCacheStoreValue`.
    pub fn store(
        &self,
        key: &[u8],
        values: &[(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, &[u8])],
    ) -> HRESULT {
        let typed = |(kind, value): &(_, &[u8])| D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE {
            Type: *kind,
            Value: D3D12DDI_COMPILER_CACHE_CONST_VALUE {
                pValue: value.as_ptr().cast(),
                ValueSize: value.len(),
            },
        };
        let mut typed_values = [typed(&(D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE, &[])); 4];
        for (place, value) in typed_values.iter_mut().zip(values) {
            *place = typed(value);
        }
        let function = self.callbacks.pfnCompilerCacheStoreValue.unwrap();
        let count = u32::try_from(values.len()).unwrap();
        // SAFETY: key and values as the specification says.
        unsafe { function(self.session, &raw_key(key), typed_values.as_ptr(), count) }
    }

    /// Calls `pfnCompilerCacheFindValue`.
    ///
    /// # Safety
    ///
    /// The entries' buffers have as many bytes as they say.
    pub unsafe fn find(
        &self,
        key: &[u8],
        values: &mut [D3D12DDI_COMPILER_CACHE_TYPED_VALUE],
        allocate: PFND3D12DDI_COMPILER_ALLOCATION,
        context: *mut c_void,
    ) -> HRESULT {
        let function = self.callbacks.pfnCompilerCacheFindValue.unwrap();
        let count = u32::try_from(values.len()).unwrap();
        // SAFETY: PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB: pValueKey is alive, pValues has NumValues entries, whose buffers
        // have as many bytes as they say (`# Safety`).
        unsafe {
            function(
                self.session,
                &raw_key(key),
                values.as_mut_ptr(),
                count,
                allocate,
                context,
            )
        }
    }

    /// Calls `pfnCompilerCacheSetObjectValueKeys`, as every successful compile does.
    pub fn set_keys(&self, keys: &[&[u8]]) -> HRESULT {
        let keys: Vec<_> = keys.iter().map(|key| raw_key(key)).collect();
        let function = self.callbacks.pfnCompilerCacheSetObjectValueKeys.unwrap();
        let count = u32::try_from(keys.len()).unwrap();
        // SAFETY: keys as the specification says.
        unsafe { function(self.session, keys.as_ptr(), count) }
    }

    /// Stores object code under a key and names it as the object's only value.
    pub fn store_object(&self, key: &[u8], code: &[u8]) -> HRESULT {
        let stored = self.store(
            key,
            &[(D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE, code)],
        );
        if stored == S_OK {
            self.set_keys(&[key])
        } else {
            stored
        }
    }
}

fn raw_key(key: &[u8]) -> D3D12DDI_COMPILER_CACHE_VALUE_KEY {
    D3D12DDI_COMPILER_CACHE_VALUE_KEY {
        pKey: key.as_ptr().cast(),
        KeySize: u32::try_from(key.len()).unwrap(),
    }
}

type Script = Rc<dyn Fn(&Compile) -> HRESULT>;

thread_local! {
    static SCRIPT: RefCell<Option<Script>> = const { RefCell::new(None) };
}

/// What the compile calls of this thread do from now on.
pub fn on_compile(script: impl Fn(&Compile) -> HRESULT + 'static) {
    SCRIPT.set(Some(Rc::new(script)));
}

type Create = Rc<dyn Fn()>;

thread_local! {
    static CREATE: RefCell<Option<Create>> = const { RefCell::new(None) };
    static NAMES: RefCell<Option<Vec<Vec<u16>>>> = const { RefCell::new(None) };
}

/// What is done on this thread while a compiler is made.
pub fn on_create(script: impl Fn() + 'static) {
    CREATE.set(Some(Rc::new(script)));
}

/// The names of the adapter families on this thread; of 128 units, they have no NUL.
pub fn name_families(names: Vec<Vec<u16>>) {
    NAMES.set(Some(names));
}

/// A factory over this plugin.
pub fn factory() -> Factory {
    // SAFETY: the plugin keeps the DDI, but for what a test has it do wrong in compile calls, which a
    // host must stand.
    unsafe { Factory::from_entry(open) }.unwrap()
}

/// Objects of the plugin that are alive: opens, compilers and state objects, as many as this thread
/// has made more than it has destroyed.
pub fn alive() -> [isize; 3] {
    ALIVE.get()
}

const OPENS: usize = 0;
const COMPILERS: usize = 1;
const STATE_OBJECTS: usize = 2;

thread_local! {
    static ALIVE: Cell<[isize; 3]> = const { Cell::new([0; 3]) };
}

fn count(object: usize, change: isize) {
    let mut alive = ALIVE.get();
    alive[object] += change;
    ALIVE.set(alive);
}

/// The same table in every open: no call of a compiler says which open it is of.
static CALLBACKS: Mutex<Option<D3D12DDI_COMPILER_CACHE_CALLBACKS>> = Mutex::new(None);

pub const FAMILIES: [&str; 2] = ["Gen1", "Gen2"];
/// Not in order, one twice, and the reserved ones.
pub const ABI_VERSIONS: [u64; 6] = [2, 3, 0, 1, 3, u64::MAX];
pub const COMPILER_VERSION: u64 = 0x0001_0002_0003_0004;
pub const PROFILE_VERSION: u64 = 0x0005_0000_0000_0000;

thread_local! {
    static VERSIONS: Cell<[u64; 2]> = const { Cell::new([COMPILER_VERSION, PROFILE_VERSION]) };
}

/// Which version of the compiler, and of the application's profile, the plugin has on this thread from now on.
pub fn set_versions(compiler: u64, profile: u64) {
    VERSIONS.set([compiler, profile]);
}

unsafe extern "system" fn open(arg: *mut D3D12DDIARG_COMPILER_OPEN_DDI) -> HRESULT {
    count(OPENS, 1);
    // SAFETY: the host lends the argument and its table.
    unsafe {
        *(*arg).pDDIFuncs = D3D12DDI_COMPILER_DDI_FUNCS {
            pfnDestroyCompilerDDI: Some(destroy_ddi),
            pfnGetSupportedVersions: Some(get_supported_versions),
            pfnSetSelectedVersion: Some(set_selected_version),
            pfnFillDDITable: Some(fill_ddi_table),
            pfnSetCallbackDDITable: Some(set_callback_ddi_table),
        };
    }
    S_OK
}

unsafe extern "system" fn destroy_ddi(_: D3D12DDI_HCOMPILERDDI) {
    count(OPENS, -1);
}

/// # Safety
///
/// `count` is valid; `array` is null or has that many entries.
unsafe fn list(entries: &[u64], count: *mut u32, array: *mut u64) -> HRESULT {
    // SAFETY: `count` is valid; `array` is null or has that many entries (`# Safety`).
    unsafe {
        let capacity = *count as usize;
        *count = u32::try_from(entries.len()).unwrap();
        if array.is_null() {
            return S_OK;
        }
        let fits = capacity.min(entries.len());
        ptr::copy_nonoverlapping(entries.as_ptr(), array, fits);
        if fits < entries.len() {
            DXGI_ERROR_MORE_DATA
        } else {
            S_OK
        }
    }
}

unsafe extern "system" fn get_supported_versions(
    _: D3D12DDI_HCOMPILERDDI,
    count: *mut u32,
    versions: *mut u64,
) -> HRESULT {
    // SAFETY: the DDI: `count` is valid, and `versions` null or an array of as many entries.
    unsafe { list(&[0x000C_0000_0002_0000], count, versions) }
}

unsafe extern "system" fn set_selected_version(
    _: D3D12DDI_HCOMPILERDDI,
    _: u64,
    _: u64,
) -> HRESULT {
    S_OK
}

unsafe extern "system" fn fill_ddi_table(
    _: D3D12DDI_HCOMPILERDDI,
    table_type: D3D12DDI_COMPILER_TABLE_TYPE,
    table: *mut c_void,
    _: usize,
) -> HRESULT {
    if table_type == D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES {
        let filled = D3D12DDI_COMPILER_CAPABILITIES_FUNCS {
            pfnGetCaps: Some(get_caps),
            pfnEnumerateAdapterFamilies: Some(enumerate_adapter_families),
            pfnGetAdapterFamilyABIVersions: Some(get_adapter_family_abi_versions),
            pfnGetCompilerVersion: Some(get_compiler_version),
            pfnGetApplicationProfileVersion: Some(get_application_profile_version),
            pfnCheckFormatSupport: Some(check_format_support),
            pfnCheckMultisampleQualityLevels: Some(check_multisample_quality_levels),
        };
        // SAFETY: the table is the one of the type.
        unsafe {
            table
                .cast::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>()
                .write(filled);
        }
    } else {
        let filled = D3D12DDI_COMPILER_FUNCS {
            pfnCalcPrivateCompilerSize: Some(calc_private_compiler_size),
            pfnCreateCompiler: Some(create_compiler),
            pfnDestroyCopiler: Some(destroy_compiler),
            pfnCompilePipelineState: Some(compile_pipeline_state),
            pfnCalcPrivateStateObjectSize: Some(calc_private_state_object_size),
            pfnCompileCreateStateObject: Some(compile_create_state_object),
            pfnCalcPrivateAddToStateObjectSize: Some(calc_private_add_to_state_object_size),
            pfnCompileAddToStateObject: Some(compile_add_to_state_object),
            pfnDestroyStateObject: Some(destroy_state_object),
        };
        // SAFETY: the table is the one of the type.
        unsafe { table.cast::<D3D12DDI_COMPILER_FUNCS>().write(filled) };
    }
    S_OK
}

unsafe extern "system" fn set_callback_ddi_table(
    _: D3D12DDI_HCOMPILERDDI,
    _: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
    table: *const c_void,
    _: usize,
) -> HRESULT {
    // SAFETY: the table is the one of the type.
    let callbacks = unsafe { table.cast::<D3D12DDI_COMPILER_CACHE_CALLBACKS>().read() };
    *CALLBACKS.lock().unwrap_or_else(PoisonError::into_inner) = Some(callbacks);
    S_OK
}

unsafe extern "system" fn get_caps(
    _: D3D12DDI_HCOMPILERDDI,
    _: *const D3D12DDI_COMPILER_TARGET,
    _: *const D3D12DDI_APPLICATION_DESC,
    _: *const D3D12DDIARG_GETCAPS,
) -> HRESULT {
    E_INVALIDARG
}

unsafe extern "system" fn enumerate_adapter_families(
    _: D3D12DDI_HCOMPILERDDI,
    index: u32,
    family: *mut D3D12DDI_COMPILER_ADAPTER_FAMILY,
) -> HRESULT {
    let names = NAMES.with_borrow(Clone::clone);
    let names =
        names.unwrap_or_else(|| FAMILIES.map(|name| name.encode_utf16().collect()).to_vec());
    let Some(name) = names.get(index as usize) else {
        return DXGI_ERROR_NOT_FOUND;
    };
    // SAFETY: the host's structure.
    unsafe {
        for (place, unit) in (*family).szAdapterFamily.iter_mut().zip(name) {
            *place = *unit;
        }
    }
    S_OK
}

unsafe extern "system" fn get_adapter_family_abi_versions(
    _: D3D12DDI_HCOMPILERDDI,
    _: u32,
    count: *mut u32,
    versions: *mut u64,
) -> HRESULT {
    // SAFETY: the DDI: `count` is valid, and `versions` null or an array of as many entries.
    unsafe { list(&ABI_VERSIONS, count, versions) }
}

unsafe extern "system" fn get_compiler_version(
    _: D3D12DDI_HCOMPILERDDI,
    _: u32,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    // SAFETY: the host's version.
    unsafe { version.write(D3D12DDI_VERSION_NUMBER::from_bits(VERSIONS.get()[0])) };
    S_OK
}

unsafe extern "system" fn get_application_profile_version(
    _: D3D12DDI_HCOMPILERDDI,
    _: *const D3D12DDI_COMPILER_TARGET,
    _: *const D3D12DDI_APPLICATION_DESC,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    // SAFETY: the host's version.
    unsafe { version.write(D3D12DDI_VERSION_NUMBER::from_bits(VERSIONS.get()[1])) };
    S_OK
}

unsafe extern "system" fn check_format_support(
    _: D3D12DDI_HCOMPILERDDI,
    _: *const D3D12DDI_COMPILER_TARGET,
    _: DXGI_FORMAT,
    _: *mut u32,
) -> HRESULT {
    S_OK
}

unsafe extern "system" fn check_multisample_quality_levels(
    _: D3D12DDI_HCOMPILERDDI,
    _: *const D3D12DDI_COMPILER_TARGET,
    _: DXGI_FORMAT,
    _: u32,
    _: u32,
) -> BOOL {
    FALSE
}

unsafe extern "system" fn calc_private_compiler_size(
    _: *const D3D12DDI_COMPILER_TARGET,
    _: *const D3D12DDI_APPLICATION_DESC,
) -> usize {
    8
}

unsafe extern "system" fn create_compiler(
    _: *const D3D12DDI_COMPILER_TARGET,
    _: *const D3D12DDI_APPLICATION_DESC,
    _: D3D12DDI_HCOMPILER,
    _: D3D12DDI_HRTCOMPILER,
) -> HRESULT {
    if let Some(script) = CREATE.with_borrow(Clone::clone) {
        script();
    }
    count(COMPILERS, 1);
    S_OK
}

unsafe extern "system" fn destroy_compiler(_: D3D12DDI_HCOMPILER) {
    count(COMPILERS, -1);
}

fn compile(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
) -> HRESULT {
    let callbacks = *CALLBACKS.lock().unwrap_or_else(PoisonError::into_inner);
    let compile = Compile {
        session,
        value_types,
        callbacks: callbacks.unwrap(),
    };
    let script = SCRIPT.with_borrow(Clone::clone);
    script.map_or_else(|| compile.set_keys(&[]), |script| script(&compile))
}

unsafe extern "system" fn compile_pipeline_state(
    _: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    _: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
) -> HRESULT {
    compile(session, value_types)
}

unsafe extern "system" fn calc_private_state_object_size(
    _: D3D12DDI_HCOMPILER,
    _: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
) -> usize {
    8
}

unsafe extern "system" fn compile_create_state_object(
    _: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    _: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    _: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    let result = compile(session, value_types);
    if result.is_ok() {
        count(STATE_OBJECTS, 1);
    }
    result
}

unsafe extern "system" fn calc_private_add_to_state_object_size(
    _: D3D12DDI_HCOMPILER,
    _: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    _: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> usize {
    8
}

unsafe extern "system" fn compile_add_to_state_object(
    _: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    _: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    _: D3D12DDI_HCOMPILERSTATEOBJECT,
    _: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    let result = compile(session, value_types);
    if result.is_ok() {
        count(STATE_OBJECTS, 1);
    }
    result
}

unsafe extern "system" fn destroy_state_object(
    _: D3D12DDI_HCOMPILER,
    _: D3D12DDI_HCOMPILERSTATEOBJECT,
) {
    count(STATE_OBJECTS, -1);
}
