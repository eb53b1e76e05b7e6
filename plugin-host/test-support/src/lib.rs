//! A linked-in plugin that does what the test's script says, and logs every call.
//!
//! Script and log belong to the test's thread: two calls of the DDI name no open, so there is no
//! other way to tell whose call it is.
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

use ddi_sys::*;
use plugin_host::{
    ApplicationDesc, CallError, CallFailure, Engine, Library, Plugin, Target, U16CString,
};

/// What a list call answers: the count and the result, for a capacity and the array's slice.
pub type List = Rc<dyn Fn(&mut [u64]) -> (u32, HRESULT)>;

#[derive(Clone)]
pub struct Script {
    /// This call returns this result and does nothing.
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
    /// Sizes of private memory.
    pub size: usize,
    /// What a compile does with its session and value types.
    pub compile: Rc<dyn Fn(&Compile) -> HRESULT>,
}

#[derive(Clone, Copy)]
pub enum OpenTable {
    Hosts,
    Plugins,
    Nulled,
}

/// A compile call and the callbacks that the plugin kept by pointer.
pub struct Compile {
    pub session: D3D12DDI_HRTCOMPILERCACHESESSION,
    pub value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    pub callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS,
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
            size: 40,
            compile: Rc::new(|compile| set_keys(compile, &[b"key"])),
        }
    }
}

/// Calls `pfnCompilerCacheSetObjectValueKeys`, as every successful compile does.
pub fn set_keys(compile: &Compile, keys: &[&[u8]]) -> HRESULT {
    let key = |bytes: &&[u8]| D3D12DDI_COMPILER_CACHE_VALUE_KEY {
        pKey: bytes.as_ptr().cast(),
        KeySize: u32::try_from(bytes.len()).unwrap(),
    };
    let keys: Vec<_> = keys.iter().map(key).collect();
    let function = compile.callbacks.pfnCompilerCacheSetObjectValueKeys;
    let count = u32::try_from(keys.len()).unwrap();
    // SAFETY: keys as the specification says.
    unsafe { function.unwrap()(compile.session, keys.as_ptr(), count) }
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

struct State {
    script: Script,
    log: Vec<String>,
    opens: usize,
    created: u8,
    callbacks: *const D3D12DDI_COMPILER_CACHE_CALLBACKS,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State {
        script: Script::default(),
        log: Vec::new(),
        opens: 0,
        created: 0,
        callbacks: ptr::null(),
    });
}

/// A library that follows `script` on this thread.
pub fn library(script: Script) -> Library {
    STATE.with_borrow_mut(|state| state.script = script);
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

/// The callbacks, from where the plugin keeps them: the host's table.
///
/// # Safety
///
/// The open that set them is alive.
pub unsafe fn callbacks() -> D3D12DDI_COMPILER_CACHE_CALLBACKS {
    let callbacks = STATE.with_borrow(|state| state.callbacks);
    // SAFETY: the host keeps the table that it set.
    unsafe { *callbacks }
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
fn called(call: &str, detail: &str) -> Result<Script, HRESULT> {
    STATE.with_borrow_mut(|state| {
        state.log.push(format!("{call}{detail}"));
        match state.script.fail {
            Some((failing, result)) if failing == call => Err(result),
            _ => Ok(state.script.clone()),
        }
    })
}

fn result(call: &str, body: impl FnOnce(Script) -> HRESULT) -> HRESULT {
    called(call, "").map_or_else(|result| result, body)
}

macro_rules! table {
    ($table:ident { $($entry:ident: $function:ident,)* }) => {{
        let mut table = $table { $($entry: Some($function),)* };
        STATE.with_borrow(|state| {
            $(if state.script.null == Some(stringify!($entry)) {
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
    let _ = called(
        "pfnDestroyCompilerDDI",
        &format!("({})", ddi.pDrvPrivate.addr()),
    );
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
    let detail = format!("({plugin:#x}, {usermode:#x})");
    called("pfnSetSelectedVersion", &detail).map_or_else(|result| result, |_| S_OK)
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
        STATE.with_borrow_mut(|state| state.callbacks = table.cast());
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
        let script = match called(&call, &target_and_application(target, application)) {
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
    result("pfnGetCompilerVersion", |_| {
        // SAFETY: the host's structure.
        unsafe { (*version).Version = 100 + u64::from(index) };
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
    let detail = unsafe { target_and_application(target, application) };
    called("pfnGetApplicationProfileVersion", &detail).map_or_else(
        |result| result,
        |_| {
            // SAFETY: the host's structure.
            unsafe { (*version).Version = 7 };
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
    result("pfnCheckFormatSupport", |_| {
        // SAFETY: the host's structures.
        unsafe { *support = format.0.cast_unsigned() + (*target).AdapterFamilyIndex };
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
    let detail = unsafe { target_and_application(target, application) };
    called("pfnCalcPrivateCompilerSize", &detail).unwrap().size
}

unsafe extern "system" fn create_compiler(
    _: *const D3D12DDI_COMPILER_TARGET,
    _: *const D3D12DDI_APPLICATION_DESC,
    compiler: D3D12DDI_HCOMPILER,
    runtime: D3D12DDI_HRTCOMPILER,
) -> HRESULT {
    result("pfnCreateCompiler", |script| {
        assert_ne!(runtime.handle, ptr::null_mut());
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
    let size = STATE.with_borrow(|state| state.script.size);
    // SAFETY: `memory` is that of a placed object, which has the script's size (`# Safety`).
    let bytes = unsafe { std::slice::from_raw_parts(memory.cast::<u8>(), size) };
    let number = bytes.first().copied().unwrap_or_default();
    assert!(bytes.iter().all(|byte| *byte == number));
    number
}

unsafe extern "system" fn destroy_compiler(compiler: D3D12DDI_HCOMPILER) {
    // SAFETY: a live object.
    let number = unsafe { number(compiler.pDrvPrivate) };
    let _ = called("pfnDestroyCopiler", &format!("({number})"));
}

fn compile(
    call: &'static str,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
) -> HRESULT {
    result(call, |script| {
        (script.compile)(&Compile {
            session,
            value_types,
            // SAFETY: an open compiles.
            callbacks: unsafe { callbacks() },
        })
    })
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
    called("pfnCalcPrivateStateObjectSize", "").unwrap().size
}

unsafe extern "system" fn compile_create_state_object(
    _: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    _: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    let result = compile("pfnCompileCreateStateObject", session, value_types);
    if result.is_ok() {
        // SAFETY: memory of that size.
        unsafe {
            place(
                object.pDrvPrivate,
                STATE.with_borrow(|state| state.script.size),
            );
        }
    }
    result
}

unsafe extern "system" fn calc_private_add_to_state_object_size(
    _: D3D12DDI_HCOMPILER,
    _: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    parent: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> usize {
    // SAFETY: a live object.
    let number = unsafe { number(parent.pDrvPrivate) };
    let call = "pfnCalcPrivateAddToStateObjectSize";
    called(call, &format!("({number})")).unwrap().size
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
    let result = compile("pfnCompileAddToStateObject", session, value_types);
    if result.is_ok() {
        // SAFETY: memory of that size.
        unsafe {
            place(
                object.pDrvPrivate,
                STATE.with_borrow(|state| state.script.size),
            );
        }
    }
    result
}

unsafe extern "system" fn destroy_state_object(
    compiler: D3D12DDI_HCOMPILER,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) {
    // SAFETY: live objects.
    let (compiler, object) = unsafe { (number(compiler.pDrvPrivate), number(object.pDrvPrivate)) };
    let _ = called("pfnDestroyStateObject", &format!("({compiler}, {object})"));
}
