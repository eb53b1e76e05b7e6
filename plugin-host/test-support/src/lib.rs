//! A linked-in plugin that does what the test's script says, and logs every call.
//!
//! Script and log belong to the thread of the call: two calls of the DDI name no open, so there is no
//! other way to tell whose call it is. A thread without a script has that of [`set_default`].
#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    reason = "helpers of tests: a failure is a panic, and names say the rest"
)]
#![allow(
    clippy::wildcard_imports,
    reason = "the DDI's names are C's, with their prefix"
)]

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::ptr;
use std::rc::Rc;
use std::sync::OnceLock;

use ddi_sys::*;
use parking_lot::Mutex;
use plugin_host::{
    ApplicationDesc, CallError, CallFailure, Engine, EntryPoint, Library, Plugin, Target,
    U16CString,
};

/// What a list call answers: the count and the result, for a capacity and the array's slice.
pub type List = Rc<dyn Fn(&mut [u64]) -> (u32, HRESULT)>;

#[derive(Clone)]
pub struct Script {
    /// This call returns this result and does nothing: a function, or one of its calls, as `pfnFillDDITable(COMPILER)`.
    pub fail: Option<(&'static str, HRESULT)>,
    /// The entry of this name is null.
    pub null: Option<&'static str>,
    /// What `pDDIFuncs` is after the open.
    pub table: OpenTable,
    pub versions: List,
    /// Adapter families, ABI versions and shader models.
    pub family: Rc<dyn Fn(u32) -> Result<[u16; 128], HRESULT>>,
    pub abi_versions: List,
    pub shader_models: List,
    /// The version of a family's compiler.
    pub compiler_version: Rc<dyn Fn(u32) -> u64>,
    pub profile_version: u64,
    /// Of a format, in a family.
    pub format_support: fn(DXGI_FORMAT, u32) -> u32,
    /// Sizes of private memory.
    pub size: usize,
    /// What is done while a compiler is made.
    pub create: Rc<dyn Fn()>,
    /// What a compile does with its session and value types.
    pub compile: Rc<dyn Fn(&Compile) -> HRESULT>,
    /// Whether calls are logged.
    pub is_logged: bool,
}

#[derive(Clone, Copy)]
pub enum OpenTable {
    Hosts,
    Plugins,
    Nulled,
}

/// A compile call, and the callbacks of its host.
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

impl Default for Script {
    fn default() -> Self {
        Self {
            fail: None,
            null: None,
            table: OpenTable::Hosts,
            versions: list(&[0x000C_0000_0001_0000, 0x000C_0000_0002_0000]),
            family: families(&["Gen1", "Gen2"]),
            abi_versions: list(&[3, 2, 1]),
            shader_models: list(&[0x60065, 0x60060]),
            compiler_version: Rc::new(|family| 100 + u64::from(family)),
            profile_version: 7,
            format_support: |format, family| format.0.cast_unsigned() + family,
            size: 40,
            create: Rc::new(|| ()),
            compile: Rc::new(|compile| compile.set_keys(&[b"key"])),
            is_logged: true,
        }
    }
}

/// A list that keeps the rules.
pub fn list(entries: &[u64]) -> List {
    let entries = entries.to_vec();
    Rc::new(move |array| {
        let fits = array.len().min(entries.len());
        array[..fits].copy_from_slice(&entries[..fits]);
        let short = fits < entries.len() && !array.is_empty();
        let result = if short { DXGI_ERROR_MORE_DATA } else { S_OK };
        (u32::try_from(entries.len()).unwrap(), result)
    })
}

/// A list that answers the n-th call with the n-th of these, and fills nothing.
pub fn answers(answers: &'static [(u32, HRESULT)]) -> List {
    let call = Cell::new(0);
    Rc::new(move |_| answers[call.replace(call.get() + 1)])
}

/// Families that keep the rules.
pub fn families(names: &'static [&'static str]) -> Rc<dyn Fn(u32) -> Result<[u16; 128], HRESULT>> {
    Rc::new(|index| {
        let name = names.get(index as usize).ok_or(DXGI_ERROR_NOT_FOUND)?;
        Ok(units(name.encode_utf16(), 0))
    })
}

/// 128 code units: a name and filling.
pub fn units(name: impl Iterator<Item = u16>, filling: u16) -> [u16; 128] {
    let mut units = [filling; 128];
    units.iter_mut().zip(name).for_each(|(unit, u)| *unit = u);
    units
}

#[derive(Default)]
struct State {
    script: Option<Script>,
    log: Vec<String>,
    opens: usize,
    created: u8,
    alive: Alive,
    /// Where the host keeps them, and what they are.
    callbacks: Option<*const D3D12DDI_COMPILER_CACHE_CALLBACKS>,
    copied: Option<D3D12DDI_COMPILER_CACHE_CALLBACKS>,
}

impl State {
    fn script(&mut self) -> &mut Script {
        let default = || {
            DEFAULT
                .get()
                .map_or_else(Script::default, |script| script())
        };
        self.script.get_or_insert_with(default)
    }
}

/// Objects of the plugin that are alive: as many as a thread has made more than it has destroyed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alive {
    pub opens: isize,
    pub compilers: isize,
    pub state_objects: isize,
}

static DEFAULT: OnceLock<fn() -> Script> = OnceLock::new();

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// The script of every thread of the process that gets no other.
pub fn set_default(script: fn() -> Script) {
    DEFAULT.get_or_init(|| script);
}

/// Changes the script of this thread.
pub fn change(change: impl FnOnce(&mut Script)) {
    STATE.with_borrow_mut(|state| change(state.script()));
}

/// The objects of this thread.
pub fn alive() -> Alive {
    STATE.with_borrow(|state| state.alive)
}

fn count(change: impl FnOnce(&mut Alive)) {
    STATE.with_borrow_mut(|state| change(&mut state.alive));
}

/// The plugin's `D3D12OpenCompilerDDI`.
pub fn entry() -> EntryPoint {
    open
}

/// A library that follows `script` on this thread.
pub fn library(script: Script) -> Library {
    change(|of_thread| *of_thread = script);
    // SAFETY: the scripted plugin uses no more memory than it is given. Its failures are such that
    // the host must stand them.
    unsafe { Library::from_entry(open) }
}

/// A negotiated plugin that follows `script` on this thread; the log is empty.
pub fn plugin(script: Script) -> Plugin {
    let plugin = Plugin::open(&library(script)).unwrap();
    take_log();
    plugin
}

/// The callbacks that were set last: for the compile calls of threads that have opened nothing.
static CALLBACKS: Mutex<Option<D3D12DDI_COMPILER_CACHE_CALLBACKS>> = Mutex::new(None);

/// The callbacks, from where the plugin keeps them: the host's table.
///
/// # Safety
///
/// The open that set them is alive.
pub unsafe fn callbacks() -> D3D12DDI_COMPILER_CACHE_CALLBACKS {
    let callbacks = STATE.with_borrow(|state| state.callbacks);
    // SAFETY: the host keeps the table that it set.
    unsafe { *callbacks.unwrap() }
}

/// The calls since the last time.
pub fn take_log() -> Vec<String> {
    STATE.with_borrow_mut(|state| std::mem::take(&mut state.log))
}

/// Family 1, ABI version 3; the log is empty.
pub fn target(plugin: &Plugin) -> Target {
    let target = plugin.target(1, 3).unwrap();
    take_log();
    target
}

/// The error of a call that returned a failure.
pub fn failed(call: &'static str, hresult: HRESULT) -> CallError {
    error(call, CallFailure::Result(hresult))
}

/// An error of the scripted plugin, which has no path.
pub fn error(call: &'static str, failure: CallFailure) -> CallError {
    CallError {
        path: None,
        call,
        failure,
    }
}

pub fn application() -> ApplicationDesc {
    ApplicationDesc {
        exe_filename: U16CString::from_str("Code.exe").unwrap(),
        name: U16CString::from_str("Code").unwrap(),
        version: 0x0001_005D_0001_0000,
        engine: Some(Engine {
            name: U16CString::from_str("Godot").unwrap(),
            version: 0x0004_0003_0000_0000,
        }),
    }
}

/// Logs a call and gives the script, or the result that the script demands.
fn called(call: &str, detail: impl FnOnce() -> String) -> Result<Script, HRESULT> {
    STATE.with_borrow_mut(|state| {
        let script = state.script().clone();
        if script.is_logged {
            state.log.push(format!("{call}{}", detail()));
        }
        match script.fail {
            Some((failing, result)) if is_call(call, failing) => Err(result),
            _ => Ok(script),
        }
    })
}

/// Whether a call is the one of this name, or one of the function of this name.
fn is_call(call: &str, name: &str) -> bool {
    let rest = call.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('('))
}

fn result(call: &str, body: impl FnOnce(Script) -> HRESULT) -> HRESULT {
    called(call, String::new).map_or_else(|result| result, body)
}

macro_rules! table {
    ($table:ident { $($entry:ident: $function:ident,)* }) => {{
        let mut table = $table { $($entry: Some($function),)* };
        STATE.with_borrow_mut(|state| {
            $(if state.script().null == Some(stringify!($entry)) {
                table.$entry = None;
            })*
        });
        table
    }};
}

unsafe extern "system" fn open(arg: *mut D3D12DDIARG_COMPILER_OPEN_DDI) -> HRESULT {
    result("D3D12OpenCompilerDDI", |script| {
        let opens = STATE.with_borrow_mut(|state| {
            state.opens += 1;
            state.alive.opens += 1;
            state.opens
        });
        let table = table!(D3D12DDI_COMPILER_DDI_FUNCS {
            pfnDestroyCompilerDDI: destroy_ddi,
            pfnGetSupportedVersions: get_supported_versions,
            pfnSetSelectedVersion: set_selected_version,
            pfnFillDDITable: fill_ddi_table,
            pfnSetCallbackDDITable: set_callback_ddi_table,
        });
        // SAFETY: the host lends the argument and its table.
        unsafe {
            assert_ne!((*arg).hRTCompilerDDI.handle, ptr::null_mut());
            (*arg).hCompilerDDI.pDrvPrivate = ptr::without_provenance_mut(opens);
            match script.table {
                OpenTable::Hosts => *(*arg).pDDIFuncs = table,
                OpenTable::Plugins => (*arg).pDDIFuncs = Box::leak(Box::new(table)),
                OpenTable::Nulled => {
                    *(*arg).pDDIFuncs = table;
                    (*arg).pDDIFuncs = ptr::null_mut();
                }
            }
        }
        S_OK
    })
}

unsafe extern "system" fn destroy_ddi(ddi: D3D12DDI_HCOMPILERDDI) {
    count(|alive| alive.opens -= 1);
    let _ = called("pfnDestroyCompilerDDI", || {
        format!("({})", ddi.pDrvPrivate.addr())
    });
}

/// # Safety
///
/// `count` is valid; `array` is null or has that many entries.
unsafe fn answer<T: Clone + TryFrom<u64, Error: std::fmt::Debug>>(
    list: &List,
    count: *mut u32,
    array: *mut T,
) -> HRESULT {
    // SAFETY: `count` is valid; `array` is null or has that many entries (`# Safety`).
    unsafe {
        let capacity = *count as usize;
        assert!(
            !array.is_null() || capacity == 0,
            "a null array comes with count 0"
        );
        let mut entries = vec![0; capacity];
        let (new_count, result) = list(&mut entries);
        for (i, entry) in entries.into_iter().enumerate() {
            *array.add(i) = T::try_from(entry).unwrap();
        }
        *count = new_count;
        result
    }
}

unsafe extern "system" fn get_supported_versions(
    _: D3D12DDI_HCOMPILERDDI,
    count: *mut u32,
    versions: *mut u64,
) -> HRESULT {
    // SAFETY: the DDI: `count` is valid, and `versions` null or an array of as many entries.
    result("pfnGetSupportedVersions", |script| unsafe {
        answer(&script.versions, count, versions)
    })
}

unsafe extern "system" fn set_selected_version(
    _: D3D12DDI_HCOMPILERDDI,
    plugin: u64,
    usermode: u64,
) -> HRESULT {
    let detail = || format!("({plugin:#x}, {usermode:#x})");
    called("pfnSetSelectedVersion", detail).map_or_else(|result| result, |_| S_OK)
}

unsafe extern "system" fn fill_ddi_table(
    _: D3D12DDI_HCOMPILERDDI,
    table_type: D3D12DDI_COMPILER_TABLE_TYPE,
    table: *mut c_void,
    size: usize,
) -> HRESULT {
    if table_type == D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES {
        result("pfnFillDDITable(CAPABILITIES)", |_| {
            assert_eq!(size, size_of::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>());
            let filled = table!(D3D12DDI_COMPILER_CAPABILITIES_FUNCS {
                pfnGetCaps: get_caps,
                pfnEnumerateAdapterFamilies: enumerate_adapter_families,
                pfnGetAdapterFamilyABIVersions: get_adapter_family_abi_versions,
                pfnGetCompilerVersion: get_compiler_version,
                pfnGetApplicationProfileVersion: get_application_profile_version,
                pfnCheckFormatSupport: check_format_support,
                pfnCheckMultisampleQualityLevels: check_multisample_quality_levels,
            });
            // SAFETY: the table has that size.
            unsafe {
                table
                    .cast::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>()
                    .write(filled);
            }
            S_OK
        })
    } else {
        result("pfnFillDDITable(COMPILER)", |_| {
            assert_eq!(size, size_of::<D3D12DDI_COMPILER_FUNCS>());
            let filled = table!(D3D12DDI_COMPILER_FUNCS {
                pfnCalcPrivateCompilerSize: calc_private_compiler_size,
                pfnCreateCompiler: create_compiler,
                pfnDestroyCopiler: destroy_compiler,
                pfnCompilePipelineState: compile_pipeline_state,
                pfnCalcPrivateStateObjectSize: calc_private_state_object_size,
                pfnCompileCreateStateObject: compile_create_state_object,
                pfnCalcPrivateAddToStateObjectSize: calc_private_add_to_state_object_size,
                pfnCompileAddToStateObject: compile_add_to_state_object,
                pfnDestroyStateObject: destroy_state_object,
            });
            // SAFETY: the table has that size.
            unsafe { table.cast::<D3D12DDI_COMPILER_FUNCS>().write(filled) };
            S_OK
        })
    }
}

unsafe extern "system" fn set_callback_ddi_table(
    _: D3D12DDI_HCOMPILERDDI,
    table_type: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
    table: *const c_void,
    size: usize,
) -> HRESULT {
    result("pfnSetCallbackDDITable(CACHE)", |_| {
        assert_eq!(table_type, D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE);
        assert_eq!(size, size_of::<D3D12DDI_COMPILER_CACHE_CALLBACKS>());
        let table = table.cast::<D3D12DDI_COMPILER_CACHE_CALLBACKS>();
        // SAFETY: a table of this type, of that size.
        let copied = Some(unsafe { table.read() });
        STATE.with_borrow_mut(|state| {
            state.callbacks = Some(table);
            state.copied = copied;
        });
        *CALLBACKS.lock() = copied;
        S_OK
    })
}

/// # Safety
///
/// The pointers are the host's.
unsafe fn target_and_application(
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
) -> String {
    // SAFETY: the host's structures; strings are null or end with NUL.
    unsafe {
        let string = |string: PCWSTR| {
            (!string.is_null()).then(|| U16CString::from_ptr_str(string).to_string_lossy())
        };
        let (target, application) = (*target, *application);
        format!(
            "({}, {}, {:?}, {:?}, {:?}, {:?}, {:?})",
            target.AdapterFamilyIndex,
            target.ABIVersion,
            string(application.pExeFilename),
            string(application.pName),
            application.Version,
            string(application.pEngineName),
            application.EngineVersion,
        )
    }
}

unsafe extern "system" fn get_caps(
    _: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    caps: *const D3D12DDIARG_GETCAPS,
) -> HRESULT {
    // SAFETY: the host's structures; data as its type says, or `DataSize` bytes.
    unsafe {
        let caps = *caps;
        assert!(caps.pInfo.is_null());
        let call = format!("pfnGetCaps({:?})", caps.Type);
        let detail = || target_and_application(target, application);
        let script = match called(&call, detail) {
            Ok(script) => script,
            Err(result) => return result,
        };
        match caps.Type {
            D3D12DDICAPS_TYPE_0011_SHADER_MODELS => {
                let data = *caps.pData.cast::<D3D12DDI_D3D12_SHADER_MODELS_DATA_0011>();
                assert_eq!(caps.DataSize as usize, size_of_val(&data));
                let (count, models) = (data.pNumShaderModelsSupported, data.pShaderModelsSupported);
                return answer::<i32>(&script.shader_models, count, models.cast());
            }
            D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1 => {
                let data = caps.pData.cast::<D3D12DDI_3DPIPELINESUPPORT1_DATA_0081>();
                assert_eq!(caps.DataSize, 8);
                (*data).MaximumDriverSupportedFeatureLevel =
                    (*data).HighestRuntimeSupportedFeatureLevel;
            }
            // All but the last byte.
            _ => caps
                .pData
                .cast::<u8>()
                .write_bytes(7, caps.DataSize as usize - 1),
        }
        S_OK
    }
}

unsafe extern "system" fn enumerate_adapter_families(
    _: D3D12DDI_HCOMPILERDDI,
    index: u32,
    family: *mut D3D12DDI_COMPILER_ADAPTER_FAMILY,
) -> HRESULT {
    result("pfnEnumerateAdapterFamilies", |script| {
        match (script.family)(index) {
            Ok(name) => {
                // SAFETY: the host's structure.
                unsafe { (*family).szAdapterFamily = name };
                S_OK
            }
            Err(result) => result,
        }
    })
}

unsafe extern "system" fn get_adapter_family_abi_versions(
    _: D3D12DDI_HCOMPILERDDI,
    _: u32,
    count: *mut u32,
    versions: *mut u64,
) -> HRESULT {
    // SAFETY: the DDI: `count` is valid, and `versions` null or an array of as many entries.
    result("pfnGetAdapterFamilyABIVersions", |script| unsafe {
        answer(&script.abi_versions, count, versions)
    })
}

unsafe extern "system" fn get_compiler_version(
    _: D3D12DDI_HCOMPILERDDI,
    index: u32,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    result("pfnGetCompilerVersion", |script| {
        // SAFETY: the host's structure.
        unsafe { (*version).Version = (script.compiler_version)(index) };
        S_OK
    })
}

unsafe extern "system" fn get_application_profile_version(
    _: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    // SAFETY: the host's structures.
    let detail = || unsafe { target_and_application(target, application) };
    called("pfnGetApplicationProfileVersion", detail).map_or_else(
        |result| result,
        |script| {
            // SAFETY: the host's structure.
            unsafe { (*version).Version = script.profile_version };
            S_OK
        },
    )
}

unsafe extern "system" fn check_format_support(
    _: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    format: DXGI_FORMAT,
    support: *mut u32,
) -> HRESULT {
    result("pfnCheckFormatSupport", |script| {
        // SAFETY: the host's structures.
        unsafe { *support = (script.format_support)(format, (*target).AdapterFamilyIndex) };
        S_OK
    })
}

unsafe extern "system" fn check_multisample_quality_levels(
    _: D3D12DDI_HCOMPILERDDI,
    _: *const D3D12DDI_COMPILER_TARGET,
    format: DXGI_FORMAT,
    sample_count: u32,
    quality_level: u32,
) -> BOOL {
    // Any value but 0 is true.
    if (format, sample_count, quality_level) == (DXGI_FORMAT_R8G8B8A8_UNORM, 4, 1) {
        2
    } else {
        FALSE
    }
}

unsafe extern "system" fn calc_private_compiler_size(
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
) -> usize {
    // SAFETY: the host's structures.
    let detail = || unsafe { target_and_application(target, application) };
    called("pfnCalcPrivateCompilerSize", detail).unwrap().size
}

unsafe extern "system" fn create_compiler(
    _: *const D3D12DDI_COMPILER_TARGET,
    _: *const D3D12DDI_APPLICATION_DESC,
    compiler: D3D12DDI_HCOMPILER,
    runtime: D3D12DDI_HRTCOMPILER,
) -> HRESULT {
    result("pfnCreateCompiler", |script| {
        assert_ne!(runtime.handle, ptr::null_mut());
        (script.create)();
        count(|alive| alive.compilers += 1);
        // SAFETY: memory of that size.
        unsafe { place(compiler.pDrvPrivate, script.size) };
        S_OK
    })
}

/// Fills private memory with the number of the object.
///
/// # Safety
///
/// `memory` has `size` bytes.
unsafe fn place(memory: *mut c_void, size: usize) {
    assert!(!memory.is_null() && memory.addr().is_multiple_of(16));
    let number = STATE.with_borrow_mut(|state| {
        state.created = state.created.wrapping_add(1);
        state.created
    });
    // SAFETY: `memory` has `size` bytes (`# Safety`).
    unsafe { memory.cast::<u8>().write_bytes(number, size) };
}

/// The number of the object, read from all of its memory.
///
/// # Safety
///
/// `memory` is that of an object which was placed there.
unsafe fn number(memory: *mut c_void) -> u8 {
    let size = STATE.with_borrow_mut(|state| state.script().size);
    // SAFETY: `memory` is that of a placed object, which has the script's size (`# Safety`).
    let bytes = unsafe { std::slice::from_raw_parts(memory.cast::<u8>(), size) };
    let number = bytes.first().copied().unwrap_or_default();
    assert!(bytes.iter().all(|byte| *byte == number));
    number
}

unsafe extern "system" fn destroy_compiler(compiler: D3D12DDI_HCOMPILER) {
    // SAFETY: a live object.
    let number = unsafe { number(compiler.pDrvPrivate) };
    count(|alive| alive.compilers -= 1);
    let _ = called("pfnDestroyCopiler", || format!("({number})"));
}

fn compile(
    call: &'static str,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
) -> HRESULT {
    result(call, |script| {
        let of_thread = STATE.with_borrow(|state| state.copied);
        (script.compile)(&Compile {
            session,
            value_types,
            callbacks: of_thread.or(*CALLBACKS.lock()).unwrap(),
        })
    })
}

/// Compiles a state object into its memory.
fn create(
    call: &'static str,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    let result = compile(call, session, value_types);
    if result.is_ok() {
        count(|alive| alive.state_objects += 1);
        let size = STATE.with_borrow_mut(|state| state.script().size);
        // SAFETY: memory of that size.
        unsafe { place(object.pDrvPrivate, size) };
    }
    result
}

unsafe extern "system" fn compile_pipeline_state(
    _: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    _: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
) -> HRESULT {
    compile("pfnCompilePipelineState", session, value_types)
}

unsafe extern "system" fn calc_private_state_object_size(
    _: D3D12DDI_HCOMPILER,
    _: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
) -> usize {
    called("pfnCalcPrivateStateObjectSize", String::new)
        .unwrap()
        .size
}

unsafe extern "system" fn compile_create_state_object(
    _: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    _: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    create("pfnCompileCreateStateObject", session, value_types, object)
}

unsafe extern "system" fn calc_private_add_to_state_object_size(
    _: D3D12DDI_HCOMPILER,
    _: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    parent: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> usize {
    // SAFETY: a live object.
    let number = unsafe { number(parent.pDrvPrivate) };
    let call = "pfnCalcPrivateAddToStateObjectSize";
    called(call, || format!("({number})")).unwrap().size
}

unsafe extern "system" fn compile_add_to_state_object(
    _: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    _: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    parent: D3D12DDI_HCOMPILERSTATEOBJECT,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    assert_ne!(parent, object);
    create("pfnCompileAddToStateObject", session, value_types, object)
}

unsafe extern "system" fn destroy_state_object(
    compiler: D3D12DDI_HCOMPILER,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) {
    // SAFETY: live objects.
    let (compiler, object) = unsafe { (number(compiler.pDrvPrivate), number(object.pDrvPrivate)) };
    count(|alive| alive.state_objects -= 1);
    let _ = called("pfnDestroyStateObject", || {
        format!("({compiler}, {object})")
    });
}
