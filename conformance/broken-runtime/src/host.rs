//! A host with a defect: the runtime gets this library as its plugin, which passes every call on to the
//! real plugin.
//!
//! Most defects are a wrong call that comes before the right one, so that the rest of the host still
//! works. One open at a time is known: the runtime has one for each plugin.

pub(crate) mod callbacks;
pub(crate) mod descriptions;
pub(crate) mod pipelines;

use std::ffi::c_void;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::{mem, ptr};

use base_plugin::{call, defects};
use bytemuck::Zeroable as _;
use ddi_sys::{
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_ADAPTER_FAMILY, D3D12DDI_COMPILER_CACHE_CALLBACKS,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS, D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_COMPILER_FUNCS,
    D3D12DDI_COMPILER_TABLE_TYPE, D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES,
    D3D12DDI_COMPILER_TABLE_TYPE_COMPILER, D3D12DDI_COMPILER_TARGET,
    D3D12DDI_COMPILER_VALUE_TYPE_FLAGS, D3D12DDI_HCOMPILER, D3D12DDI_HCOMPILERDDI,
    D3D12DDI_HCOMPILERSTATEOBJECT, D3D12DDI_HRTCOMPILER, D3D12DDI_HRTCOMPILERCACHESESSION,
    D3D12DDI_VERSION_NUMBER, D3D12DDIARG_COMPILER_OPEN_DDI, D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    D3D12DDIARG_CREATE_STATE_OBJECT_0054, E_FAIL, E_NOTIMPL, E_UNEXPECTED, HRESULT, S_OK, SIZE_T,
    UINT,
};
use libloading::Library;
use windows_core::PCWSTR;

use crate::defect::{SELECTED, has};
use crate::factory::NO_NAME;
use crate::{OWN, path_of};

/// The defects of this file.
#[macro_export]
macro_rules! host_defects {
    ($take:ident) => {
        $take! {
            /// In what the plugin is called with, and when.
            Host {
                CodeOnly = "compile-code-only" breaks R_CMP_05:
                    "the plugin is asked for object code only";
                ObjectCodeOnly = "compile-object-code-only" breaks R_CMP_05:
                    "for state objects the plugin is asked for object code only";
                AdditionCodeOnly = "compile-addition-code-only" breaks R_CMP_05:
                    "for additions the plugin is asked for object code only";
                SizeQuery = "host-size-query" breaks H_01:
                    "the size query has one entry";
                ShortArray = "host-short-array" breaks H_01:
                    "the array has room for one version less";
                FixedArrays = "host-fixed-arrays" leaves H_01 H_12:
                    "versions are asked for with arrays that are large enough, and their numbers never";
                OtherVersion = "host-other-version" breaks H_02:
                    "a version that is not reported is tried first";
                EarlyTable = "host-early-table" breaks H_02:
                    "a table is asked for before a version is selected";
                EarlyTableAgain = "host-early-table-again" breaks H_02:
                    "when the plugin is opened again a table is asked for before a version is selected";
                NullCallback = "host-null-callback" breaks H_03:
                    "a callback table with a null entry is set first";
                LateCallbacks = "host-late-callbacks" breaks H_03:
                    "the callback table is set when a compiler could not be created";
                LateCallbacksAgain = "host-late-callbacks-again" breaks H_03:
                    "when the plugin is opened again the callback table is set too late";
                DeadCompiler = "host-dead-compiler" breaks H_04:
                    "a compiler is used after it was destroyed";
                DestroysTwice = "host-destroys-twice" breaks H_04:
                    "a state object is destroyed twice";
                ForgetsCompilers = "host-forgets-compilers" breaks H_04:
                    "compilers are not destroyed";
                DestroysNothing = "host-destroys-nothing" undecided H_11:
                    "nothing is destroyed while the process runs";
                NoSize = "host-no-size" breaks H_05:
                    "a compiler is tried with memory of a size that was not calculated";
                UsesMemory = "host-uses-memory" breaks H_05:
                    "the last bytes of a compiler's memory are used for something else";
                AbiZero = "host-abi-zero" breaks H_06:
                    "a profile version is asked for ABI version 0";
                AbiZeroOfLater = "host-abi-zero-of-later" breaks H_06:
                    "a profile version of a later family is asked for ABI version 0";
                NullName = "host-null-name" breaks H_07:
                    "a profile version is asked for an application without a name";
                NameHandedDown = "host-name-handed-down" breaks H_07:
                    "an application's null name reaches the plugin";
                UnknownType = "host-unknown-type" breaks H_08:
                    "a compile is tried with a value type that does not exist";
                ParentFirst = "host-parent-first" breaks H_10:
                    "a parent is destroyed before its children";
                CollectionFirst = "host-collection-first" breaks H_10:
                    "a collection is destroyed before what it is in";
                NoWorkGraphs = "host-no-work-graphs" notes H_10 "work graph":
                    "work graphs are refused";
                LateCall = "host-late-call" breaks H_11:
                    "families are enumerated after DestroyCompilerDDI";
                KeepsOpen = "host-keeps-open" leaves H_11:
                    "the plugin is never closed";
                NullCount = "host-null-count" breaks H_12:
                    "a null array comes with a count of 1";
            }
        }
    };
}

host_defects!(defects);

/// `D3D12OpenCompilerDDI`.
pub type OpenPlugin = unsafe extern "system" fn(*mut D3D12DDIARG_COMPILER_OPEN_DDI) -> HRESULT;

/// Whether the defect is one of a host.
fn is_host() -> bool {
    matches!(&*SELECTED, Ok(Some(selected)) if selected.is_of_host())
}

/// What is known of the plugin.
#[derive(Clone, Copy)]
struct Plugin {
    open: Option<OpenPlugin>,
    base: D3D12DDI_COMPILER_DDI_FUNCS,
    capabilities: D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
    compiler: D3D12DDI_COMPILER_FUNCS,
    /// The runtime's.
    callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    /// The address in the open's handle.
    handle: usize,
    /// How often it was opened.
    opens: usize,
}

const NO_DDI: D3D12DDI_COMPILER_DDI_FUNCS = D3D12DDI_COMPILER_DDI_FUNCS {
    pfnDestroyCompilerDDI: None,
    pfnGetSupportedVersions: None,
    pfnSetSelectedVersion: None,
    pfnFillDDITable: None,
    pfnSetCallbackDDITable: None,
};

static PLUGIN: LazyLock<Mutex<Plugin>> = LazyLock::new(|| {
    Mutex::new(Plugin {
        open: None,
        base: NO_DDI,
        capabilities: D3D12DDI_COMPILER_CAPABILITIES_FUNCS::default(),
        compiler: D3D12DDI_COMPILER_FUNCS::default(),
        callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS::default(),
        handle: 0,
        opens: 0,
    })
});

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn plugin() -> Plugin {
    *lock(&PLUGIN)
}

/// The plugin that the runtime is to load instead of that of a path: this library, if the defect is
/// one of a host and the path is that of a plugin.
///
/// # Safety
///
/// `path` is null or NUL-terminated.
pub(crate) unsafe fn plugin_for(path: PCWSTR, own: OpenPlugin) -> Option<Vec<u16>> {
    if path.is_null() || !is_host() {
        return None;
    }
    // SAFETY: `path` is null or NUL-terminated, as this function demands.
    let plugin = unsafe { path_of(path) };
    let Some(library) = std::env::var_os(OWN) else {
        eprintln!("broken-runtime: {OWN} does not name this library, which this defect needs");
        return None;
    };
    // SAFETY: the library is a plugin, or one of the tests' that does nothing when it is loaded.
    let open = unsafe { load(&plugin) }?;
    if open as *const () == own as *const () {
        return None;
    }
    lock(&PLUGIN).open = Some(open);
    Some(
        library
            .to_string_lossy()
            .encode_utf16()
            .chain([0])
            .collect(),
    )
}

/// # Safety
///
/// What the library does when it is loaded is sound.
unsafe fn load(path: &Path) -> Option<OpenPlugin> {
    // SAFETY: loading it is sound, as this function demands; in a plugin the export of this name
    // has this type.
    unsafe {
        let library = Library::new(path).ok()?;
        let open = *library.get::<OpenPlugin>(b"D3D12OpenCompilerDDI\0").ok()?;
        // It stays loaded.
        mem::forget(library);
        Some(open)
    }
}

/// `D3D12OpenCompilerDDI` of the plugin that the runtime loads.
///
/// # Safety
///
/// PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid for reads and writes, and so is the
/// table that it points at.
pub unsafe fn open_compiler_ddi(argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI) -> HRESULT {
    let Some(open) = plugin().open else {
        return E_FAIL;
    };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_OPEN_DDI demands of a host.
    let result = unsafe { open(argument) };
    if result != S_OK {
        return result;
    }
    // SAFETY: the plugin succeeded, so the argument is there.
    let argument = unsafe { &mut *argument };
    // SAFETY: PFND3D12DDI_COMPILER_OPEN_DDI: the table is there, too.
    let table = unsafe { &mut *argument.pDDIFuncs };
    let mut plugin = lock(&PLUGIN);
    plugin.opens += 1;
    plugin.base = *table;
    plugin.handle = argument.hCompilerDDI.pDrvPrivate.expose_provenance();
    *table = D3D12DDI_COMPILER_DDI_FUNCS {
        pfnDestroyCompilerDDI: Some(destroy_compiler_ddi),
        pfnGetSupportedVersions: Some(get_supported_versions),
        pfnSetSelectedVersion: Some(set_selected_version),
        pfnFillDDITable: Some(fill_ddi_table),
        pfnSetCallbackDDITable: Some(set_callback_ddi_table),
    };
    result
}

// In every function below the arguments are those of the runtime, as the DDI says.

unsafe extern "system" fn destroy_compiler_ddi(handle: D3D12DDI_HCOMPILERDDI) {
    let plugin = plugin();
    if has(Host::KeepsOpen) || has(Host::DestroysNothing) {
        return;
    }
    call!(plugin.base.pfnDestroyCompilerDDI(handle) else ());
    if has(Host::LateCall) {
        let mut family = D3D12DDI_COMPILER_ADAPTER_FAMILY::zeroed();
        let _ = call!(plugin.capabilities.pfnEnumerateAdapterFamilies(handle, 0, &raw mut family)
            else E_UNEXPECTED);
    }
}

unsafe extern "system" fn get_supported_versions(
    handle: D3D12DDI_HCOMPILERDDI,
    count: *mut u32,
    array: *mut u64,
) -> HRESULT {
    let plugin = plugin();
    if array.is_null() && has(Host::FixedArrays) {
        let mut versions = [0; 16];
        // SAFETY: the runtime's count.
        unsafe { count.write(16) };
        return call!(plugin.base.pfnGetSupportedVersions(handle, count, versions.as_mut_ptr())
            else E_UNEXPECTED);
    }
    if array.is_null() && has(Host::SizeQuery) {
        // SAFETY: the runtime's count.
        unsafe { count.write(1) };
    }
    if !array.is_null() && has(Host::ShortArray) {
        // SAFETY: the runtime's count.
        let mut short = unsafe { count.read() } - 1;
        let mut versions = vec![0; short as usize + 1];
        let versions = versions.as_mut_ptr();
        let _ = call!(plugin.base.pfnGetSupportedVersions(handle, &raw mut short, versions)
            else E_UNEXPECTED);
    }
    call!(plugin.base.pfnGetSupportedVersions(handle, count, array) else E_UNEXPECTED)
}

unsafe extern "system" fn set_selected_version(
    handle: D3D12DDI_HCOMPILERDDI,
    version: u64,
    usermode: u64,
) -> HRESULT {
    let plugin = plugin();
    if has(Host::OtherVersion) {
        let _ = call!(plugin.base.pfnSetSelectedVersion(handle, version + 1, usermode)
            else E_UNEXPECTED);
    }
    let again = plugin.opens > 1 && has(Host::EarlyTableAgain);
    if again || has(Host::EarlyTable) {
        let mut table = D3D12DDI_COMPILER_FUNCS::default();
        let _ = call!(plugin.base.pfnFillDDITable(
            handle,
            D3D12DDI_COMPILER_TABLE_TYPE_COMPILER,
            (&raw mut table).cast(),
            size_of_val(&table),
        ) else E_UNEXPECTED);
    }
    call!(plugin.base.pfnSetSelectedVersion(handle, version, usermode) else E_UNEXPECTED)
}

unsafe extern "system" fn fill_ddi_table(
    handle: D3D12DDI_HCOMPILERDDI,
    kind: D3D12DDI_COMPILER_TABLE_TYPE,
    table: *mut c_void,
    size: SIZE_T,
) -> HRESULT {
    let plugin = plugin();
    let result = call!(plugin.base.pfnFillDDITable(handle, kind, table, size) else E_UNEXPECTED);
    if result != S_OK {
        return result;
    }
    if kind == D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES {
        // SAFETY: the plugin has filled it.
        let table = unsafe { &mut *table.cast::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>() };
        lock(&PLUGIN).capabilities = *table;
        table.pfnGetAdapterFamilyABIVersions = Some(get_adapter_family_abi_versions);
        table.pfnGetApplicationProfileVersion = Some(get_application_profile_version);
    } else if kind == D3D12DDI_COMPILER_TABLE_TYPE_COMPILER {
        // SAFETY: the plugin has filled the runtime's table, which has this type.
        let table = unsafe { &mut *table.cast::<D3D12DDI_COMPILER_FUNCS>() };
        lock(&PLUGIN).compiler = *table;
        table.pfnCalcPrivateCompilerSize = Some(calc_private_compiler_size);
        table.pfnCreateCompiler = Some(create_compiler);
        table.pfnDestroyCopiler = Some(destroy_compiler);
        table.pfnCompilePipelineState = Some(compile_pipeline_state);
        table.pfnCalcPrivateStateObjectSize = Some(calc_private_state_object_size);
        table.pfnCalcPrivateAddToStateObjectSize = Some(calc_private_add_to_state_object_size);
        table.pfnCompileCreateStateObject = Some(compile_create_state_object);
        table.pfnCompileAddToStateObject = Some(compile_add_to_state_object);
        table.pfnDestroyStateObject = Some(destroy_state_object);
    }
    result
}

/// The table that is set late; see [`Host::LateCallbacks`].
static LATE: Mutex<
    Option<(
        D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
        D3D12DDI_COMPILER_CACHE_CALLBACKS,
    )>,
> = Mutex::new(None);

unsafe extern "system" fn set_callback_ddi_table(
    handle: D3D12DDI_HCOMPILERDDI,
    kind: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
    table: *const c_void,
    size: SIZE_T,
) -> HRESULT {
    let plugin = plugin();
    // SAFETY: the runtime's table, of the only type.
    let callbacks = unsafe { table.cast::<D3D12DDI_COMPILER_CACHE_CALLBACKS>().read() };
    lock(&PLUGIN).callbacks = callbacks;
    let set = |callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS| {
        call!(plugin.base.pfnSetCallbackDDITable(
            handle,
            kind,
            (&raw const callbacks).cast(),
            size,
        ) else E_UNEXPECTED)
    };
    let again = plugin.opens > 1 && has(Host::LateCallbacksAgain);
    if again || has(Host::LateCallbacks) {
        *lock(&LATE) = Some((kind, callbacks));
        return S_OK;
    }
    if has(Host::NullCallback) {
        let _ = set(D3D12DDI_COMPILER_CACHE_CALLBACKS {
            pfnCompilerCacheStoreValue: None,
            ..callbacks
        });
    }
    set(callbacks::TABLE)
}

unsafe extern "system" fn get_adapter_family_abi_versions(
    handle: D3D12DDI_HCOMPILERDDI,
    family: UINT,
    count: *mut UINT,
    versions: *mut u64,
) -> HRESULT {
    let plugin = plugin();
    if versions.is_null() && has(Host::FixedArrays) {
        let mut versions = [0; 16];
        // SAFETY: the runtime's count.
        unsafe { count.write(16) };
        let versions = versions.as_mut_ptr();
        return call!(plugin.capabilities.pfnGetAdapterFamilyABIVersions(
            handle, family, count, versions
        ) else E_UNEXPECTED);
    }
    if versions.is_null() && has(Host::NullCount) {
        // SAFETY: the runtime's count.
        unsafe { count.write(1) };
    }
    call!(plugin.capabilities.pfnGetAdapterFamilyABIVersions(handle, family, count, versions)
        else E_UNEXPECTED)
}

unsafe extern "system" fn get_application_profile_version(
    handle: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    let plugin = plugin();
    let ask = |target, application| {
        call!(plugin.capabilities.pfnGetApplicationProfileVersion(
            handle,
            target,
            application,
            version,
        ) else E_UNEXPECTED)
    };
    // SAFETY: the runtime's target.
    let mut zero = unsafe { *target };
    let of_later = zero.AdapterFamilyIndex > 0 && has(Host::AbiZeroOfLater);
    if of_later || has(Host::AbiZero) {
        zero.ABIVersion = 0;
        let _ = ask(&raw const zero, application);
    }
    if has(Host::NullName) {
        // SAFETY: the runtime's application.
        let mut nameless = unsafe { *application };
        nameless.pName = ptr::null();
        let _ = ask(target, &raw const nameless);
    }
    // SAFETY: the runtime's application, whose name is a string.
    let mut desc = unsafe { *application };
    // SAFETY: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION: the name is a string.
    if has(Host::NameHandedDown) && unsafe { *desc.pName } == NO_NAME[0] {
        desc.pName = ptr::null();
        return ask(target, &raw const desc);
    }
    ask(target, application)
}

/// The size that was calculated last.
static SIZE: AtomicUsize = AtomicUsize::new(0);

unsafe extern "system" fn calc_private_compiler_size(
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
) -> SIZE_T {
    static TRIED: AtomicBool = AtomicBool::new(false);
    let plugin = plugin();
    if has(Host::NoSize) && !TRIED.swap(true, Ordering::Relaxed) {
        let memory = Box::leak(vec![0_u128; 4096].into_boxed_slice());
        let compiler = D3D12DDI_HCOMPILER {
            pDrvPrivate: memory.as_mut_ptr().cast(),
        };
        let runtime = D3D12DDI_HRTCOMPILER {
            handle: ptr::null_mut(),
        };
        let _ = call!(plugin.compiler.pfnCreateCompiler(target, application, compiler, runtime)
            else E_UNEXPECTED);
    }
    let size = call!(plugin.compiler.pfnCalcPrivateCompilerSize(target, application) else 0);
    SIZE.store(size, Ordering::Relaxed);
    size
}

unsafe extern "system" fn create_compiler(
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    compiler: D3D12DDI_HCOMPILER,
    runtime: D3D12DDI_HRTCOMPILER,
) -> HRESULT {
    let plugin = plugin();
    let create = || {
        call!(plugin.compiler.pfnCreateCompiler(target, application, compiler, runtime)
            else E_UNEXPECTED)
    };
    let mut result = create();
    if result != S_OK
        && let Some((kind, callbacks)) = lock(&LATE).take()
    {
        let handle = D3D12DDI_HCOMPILERDDI {
            pDrvPrivate: ptr::with_exposed_provenance_mut(plugin.handle),
        };
        let table = (&raw const callbacks).cast();
        let _ = call!(plugin.base.pfnSetCallbackDDITable(
            handle,
            kind,
            table,
            size_of_val(&callbacks)
        ) else E_UNEXPECTED);
        result = create();
    }
    if result == S_OK && has(Host::UsesMemory) {
        let end = compiler.pDrvPrivate.cast::<u8>();
        // SAFETY: none, as the memory is lent; that is the defect.
        unsafe {
            end.add(SIZE.load(Ordering::Relaxed) - 8)
                .write_bytes(0xEE, 8);
        };
    }
    result
}

unsafe extern "system" fn destroy_compiler(compiler: D3D12DDI_HCOMPILER) {
    let plugin = plugin();
    if has(Host::ForgetsCompilers) || has(Host::DestroysNothing) {
        return;
    }
    call!(plugin.compiler.pfnDestroyCopiler(compiler) else ());
    if has(Host::DeadCompiler) {
        let desc = D3D12DDIARG_CREATE_STATE_OBJECT_0054::zeroed();
        let _ = call!(plugin.compiler.pfnCalcPrivateStateObjectSize(compiler, &raw const desc)
            else 0);
    }
}

unsafe extern "system" fn compile_pipeline_state(
    compiler: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
) -> HRESULT {
    let plugin = plugin();
    // SAFETY: the runtime's description.
    let desc = unsafe { pipelines::changed(desc) };
    let compile = |flags| {
        let flags = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(flags);
        callbacks::in_session(session, |session| {
            call!(plugin.compiler.pfnCompilePipelineState(compiler, session, flags, desc)
                else E_UNEXPECTED)
        })
    };
    if has(Host::UnknownType) {
        let _ = compile(flags.0 | 0x100);
    }
    compile(if has(Host::CodeOnly) { 1 } else { flags.0 })
}

unsafe extern "system" fn calc_private_state_object_size(
    compiler: D3D12DDI_HCOMPILER,
    desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
) -> SIZE_T {
    let plugin = plugin();
    // SAFETY: the runtime's description.
    let desc = unsafe { descriptions::copied(desc) };
    call!(plugin.compiler.pfnCalcPrivateStateObjectSize(compiler, desc) else 0)
}

/// The types of a compile call, or of object code only if that is the defect.
fn code_only(
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    defect: Host,
) -> D3D12DDI_COMPILER_VALUE_TYPE_FLAGS {
    if has(defect) {
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(1)
    } else {
        flags
    }
}

unsafe extern "system" fn compile_create_state_object(
    compiler: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    let plugin = plugin();
    // SAFETY: the runtime's description.
    if has(Host::NoWorkGraphs) && unsafe { descriptions::has_work_graph(desc) } {
        return E_NOTIMPL;
    }
    let copy = descriptions::copy(desc);
    let flags = code_only(flags, Host::ObjectCodeOnly);
    let result = callbacks::in_session(session, |session| {
        call!(plugin.compiler.pfnCompileCreateStateObject(
            compiler, session, flags, copy.desc, object,
        ) else E_UNEXPECTED)
    });
    copy.clear();
    if result == S_OK && has(Host::CollectionFirst) {
        // SAFETY: the runtime's description.
        let collections = unsafe { descriptions::collections(desc) };
        let pairs = collections
            .into_iter()
            .map(|collection| (object.pDrvPrivate.addr(), collection));
        lock(&GROWN).pairs.extend(pairs);
    }
    result
}

/// State objects that need others, as addresses.
struct Grown {
    /// Children and their parents, or the users of collections and these.
    pairs: Vec<(usize, usize)>,
    /// The parents that are destroyed already.
    early: Vec<usize>,
}

static GROWN: Mutex<Grown> = Mutex::new(Grown {
    pairs: Vec::new(),
    early: Vec::new(),
});

unsafe extern "system" fn calc_private_add_to_state_object_size(
    compiler: D3D12DDI_HCOMPILER,
    desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    parent: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> SIZE_T {
    let plugin = plugin();
    // SAFETY: the runtime's description.
    let desc = unsafe { descriptions::copied(desc) };
    call!(plugin.compiler.pfnCalcPrivateAddToStateObjectSize(compiler, desc, parent) else 0)
}

unsafe extern "system" fn compile_add_to_state_object(
    compiler: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    parent: D3D12DDI_HCOMPILERSTATEOBJECT,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    let plugin = plugin();
    let copy = descriptions::copy(desc);
    let flags = code_only(flags, Host::AdditionCodeOnly);
    let result = callbacks::in_session(session, |session| {
        call!(plugin.compiler.pfnCompileAddToStateObject(
            compiler, session, flags, copy.desc, parent, object
        ) else E_UNEXPECTED)
    });
    copy.clear();
    if result == S_OK && has(Host::ParentFirst) {
        let pair = (
            object.pDrvPrivate.addr(),
            parent.pDrvPrivate.expose_provenance(),
        );
        lock(&GROWN).pairs.push(pair);
    }
    result
}

unsafe extern "system" fn destroy_state_object(
    compiler: D3D12DDI_HCOMPILER,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) {
    let plugin = plugin();
    if has(Host::DestroysNothing) {
        return;
    }
    let destroy = |object| call!(plugin.compiler.pfnDestroyStateObject(compiler, object) else ());
    if has(Host::ParentFirst) || has(Host::CollectionFirst) {
        let address = object.pDrvPrivate.addr();
        let mut grown = lock(&GROWN);
        if let Some(index) = grown.early.iter().position(|early| *early == address) {
            grown.early.swap_remove(index);
            return;
        }
        let parent = grown
            .pairs
            .iter()
            .find(|(child, _)| *child == address)
            .map(|(_, parent)| *parent);
        // Another object may get its memory.
        grown.pairs.retain(|(child, _)| *child != address);
        if let Some(parent) = parent.filter(|parent| !grown.early.contains(parent)) {
            grown.early.push(parent);
            drop(grown);
            destroy(D3D12DDI_HCOMPILERSTATEOBJECT {
                pDrvPrivate: ptr::with_exposed_provenance_mut(parent),
            });
        }
    }
    destroy(object);
    if has(Host::DestroysTwice) {
        destroy(object);
    }
}
