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
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::{mem, ptr};

use bytemuck::Zeroable as _;
use ddi_sys::*;
use defects::{Place as _, Where, rows, write};
use libloading::Library;
use parking_lot::Mutex;
use windows_core::PCWSTR;

use crate::LIBRARY;
use crate::export::path_of;
use crate::factory::{NO_NAME, for_application};
use crate::places::*;

rows! {
    Hook, Asked;

    "compile-code-only" breaks R_CMP_05: "the plugin is asked for object code only",
        at Pipeline |call| {
            call.flags = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(1);
            call.pass()
        };
    "compile-object-code-only" breaks R_CMP_05: "for state objects the plugin is asked for object code only",
        at Object |call| {
            call.flags = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(1);
            call.pass()
        };
    "compile-addition-code-only" breaks R_CMP_05: "for additions the plugin is asked for object code only",
        at Addition |call| {
            call.flags = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(1);
            call.pass()
        };
    "host-size-query" breaks H_01: "the size query has one entry",
        at GetVersions |call| {
            if call.versions.is_null() {
                write(call.count, 1_u32);
            }
            call.pass()
        };
    "host-short-array" breaks H_01: "the array has room for one version less",
        at GetVersions short_array;
    "host-fixed-arrays" leaves H_01 H_12:
        "versions are asked for with arrays that are large enough, and their numbers never",
        at GetVersions |call| {
            let mut versions = [0; 16];
            if call.versions.is_null() {
                write(call.count, 16_u32);
                call.versions = versions.as_mut_ptr();
            }
            call.pass()
        },
        at GetAbiVersions |call| {
            let mut versions = [0; 16];
            if call.versions.is_null() {
                write(call.count, 16_u32);
                call.versions = versions.as_mut_ptr();
            }
            call.pass()
        };
    "host-other-version" breaks H_02: "a version that is not reported is tried first",
        at SetVersion |call| {
            let SetVersion { handle, version, usermode } = *call;
            let _ = SetVersion { handle, version: version + 1, usermode }.base();
            call.pass()
        };
    "host-early-table" breaks H_02: "a table is asked for before a version is selected",
        at SetVersion early_table;
    "host-early-table-again" breaks H_02:
        "when the plugin is opened again a table is asked for before a version is selected",
        where AGAIN, at SetVersion early_table;
    "host-null-callback" breaks H_03: "a callback table with a null entry is set first",
        at SetCallbacks null_callback;
    "host-late-callbacks" breaks H_03: "the callback table is set when a compiler could not be created",
        at SetCallbacks keep_callbacks,
        at Create set_late;
    "host-late-callbacks-again" breaks H_03: "when the plugin is opened again the callback table is set too late",
        where AGAIN,
        at SetCallbacks keep_callbacks,
        at Create set_late;
    "host-dead-compiler" breaks H_04: "a compiler is used after it was destroyed",
        at Destroy |call| call.after(|call, ()| {
            let desc = D3D12DDIARG_CREATE_STATE_OBJECT_0054::zeroed();
            let _ = CalcObjectSize { compiler: call.compiler, desc: &raw const desc }.base();
        });
    "host-destroys-twice" breaks H_04: "a state object is destroyed twice",
        at DestroyObject |call| call.after(|call, ()| call.base());
    "host-forgets-compilers" breaks H_04: "compilers are not destroyed",
        at Destroy |_| ();
    "host-destroys-nothing" undecided H_11: "nothing is destroyed while the process runs",
        at Destroy |_| (),
        at DestroyObject |_| (),
        at DestroyDdi |_| ();
    "host-no-size" breaks H_05: "a compiler is tried with memory of a size that was not calculated",
        at CalcSize no_size;
    "host-uses-memory" breaks H_05: "the last bytes of a compiler's memory are used for something else",
        at CalcSize |call| call.after(|_, size| SIZE.store(*size, Ordering::Relaxed)),
        at Create |call| call.after(|call, result| if *result == S_OK {
            write(call.compiler.pDrvPrivate.wrapping_byte_add(SIZE.load(Ordering::Relaxed) - 8), [0xEE_u8; 8]);
        });
    "host-abi-zero" breaks H_06: "a profile version is asked for ABI version 0",
        at AskProfileVersion abi_zero;
    "host-abi-zero-of-later" breaks H_06: "a profile version of a later family is asked for ABI version 0",
        where LATER_FAMILY, at AskProfileVersion abi_zero;
    "host-null-name" breaks H_07: "a profile version is asked for an application without a name",
        at AskProfileVersion |call| {
            let named = call.application;
            // SAFETY: the runtime's application.
            let mut nameless = unsafe { *named };
            nameless.pName = ptr::null();
            call.application = &raw const nameless;
            let _ = call.base();
            call.application = named;
            call.pass()
        };
    "host-name-handed-down" breaks H_07: "an application's null name reaches the plugin",
        at GetProfileVersion |call| for_application(call, |it| if it.pName.is_null() {
            it.pName = PCWSTR(NO_NAME.as_ptr());
        }),
        at AskProfileVersion |call| {
            // SAFETY: the runtime's application, whose name is a string.
            let mut application = unsafe { *call.application };
            // SAFETY: the same.
            if unsafe { *application.pName } == NO_NAME[0] {
                application.pName = ptr::null();
            }
            call.application = &raw const application;
            call.pass()
        };
    "host-unknown-type" breaks H_08: "a compile is tried with a value type that does not exist",
        at Pipeline |call| {
            let flags = call.flags;
            call.flags.0 |= 0x100;
            let _ = call.pass();
            call.flags = flags;
            call.pass()
        };
    "host-parent-first" breaks H_10: "a parent is destroyed before its children",
        at Addition |call| call.after(|call, result| if *result == S_OK {
            let parent = call.parent.pDrvPrivate.expose_provenance();
            USERS.lock().push((call.object.pDrvPrivate.addr(), parent));
        }),
        at DestroyObject destroy_used_first;
    "host-collection-first" breaks H_10: "a collection is destroyed before what it is in",
        at Object |call| call.after(|call, result| if *result == S_OK {
            let user = call.object.pDrvPrivate.addr();
            let collections = descriptions::collections(call.desc).into_iter();
            USERS.lock().extend(collections.map(|collection| (user, collection)));
        }),
        at DestroyObject destroy_used_first;
    "host-no-work-graphs" notes H_10 "work graph": "work graphs are refused",
        at Object |call| call.answer_if(descriptions::has_work_graph(call.desc), E_NOTIMPL);
    "host-late-call" breaks H_11: "families are enumerated after DestroyCompilerDDI",
        at DestroyDdi |call| call.after(|call, ()| {
            let mut family = D3D12DDI_COMPILER_ADAPTER_FAMILY::zeroed();
            let enumerate = plugin().capabilities.pfnEnumerateAdapterFamilies;
            // SAFETY: none, as the handle is none any more; that is the defect.
            let _ = enumerate.map(|enumerate| unsafe { enumerate(call.handle, 0, &raw mut family) });
        });
    "host-keeps-open" leaves H_11: "the plugin is never closed",
        at DestroyDdi |_| ();
    "host-null-count" breaks H_12: "a null array comes with a count of 1",
        at GetAbiVersions |call| {
            if call.versions.is_null() {
                write(call.count, 1_u32);
            }
            call.pass()
        };
}

/// What a call to the plugin is about.
pub(crate) struct Asked {
    /// How often the plugin was opened.
    opens: usize,
    family: u32,
}

const AGAIN: Where<Asked> = Where::new(|asked| asked.opens > 1);
const LATER_FAMILY: Where<Asked> = Where::new(|asked| asked.family > 0);

#[expect(clippy::unnecessary_wraps, reason = "other places are about nothing")]
pub(crate) fn asked<P>(_: &P) -> Option<Asked> {
    let opens = plugin().opens;
    Some(Asked { opens, family: 0 })
}

#[expect(clippy::unnecessary_wraps, reason = "other places are about nothing")]
pub(crate) fn asked_for_target(call: &AskProfileVersion) -> Option<Asked> {
    let opens = plugin().opens;
    // SAFETY: the runtime's target.
    let family = unsafe { *call.target }.AdapterFamilyIndex;
    Some(Asked { opens, family })
}

/// `D3D12OpenCompilerDDI`.
pub type OpenPlugin = unsafe extern "system" fn(*mut D3D12DDIARG_COMPILER_OPEN_DDI) -> HRESULT;

/// Names the library that exports what is here.
pub const OWN: &str = "DDI_BROKEN_RUNTIME";

/// What is known of the plugin.
#[derive(Clone, Copy, Default)]
pub(crate) struct Plugin {
    open: Option<OpenPlugin>,
    pub(crate) base: D3D12DDI_COMPILER_DDI_FUNCS,
    pub(crate) capabilities: D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
    pub(crate) compiler: D3D12DDI_COMPILER_FUNCS,
    /// The runtime's.
    pub(crate) callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    /// The address in the open's handle.
    handle: usize,
    /// How often it was opened.
    opens: usize,
}

static PLUGIN: LazyLock<Mutex<Plugin>> = LazyLock::new(Mutex::default);

pub(crate) fn plugin() -> Plugin {
    *PLUGIN.lock()
}

/// The plugin that the runtime is to load instead of that of a path: this library, if the defect is
/// one of a host and the path is that of a plugin.
///
/// # Safety
///
/// `path` is null or NUL-terminated.
pub(crate) unsafe fn plugin_for(path: PCWSTR, own: OpenPlugin) -> Option<Vec<u16>> {
    let row = LIBRARY.row()?;
    if path.is_null() || !crate::is_of_host(&row.defect) {
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
    PLUGIN.lock().open = Some(open);
    let library = library.to_string_lossy();
    Some(library.encode_utf16().chain([0]).collect())
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
    let mut plugin = PLUGIN.lock();
    plugin.opens += 1;
    plugin.base = *table;
    plugin.handle = argument.hCompilerDDI.pDrvPrivate.expose_provenance();
    layer_ddi(table);
    result
}

pub(crate) fn fill_table(call: &mut FillTable) -> HRESULT {
    let result = call.base();
    if result != S_OK {
        return result;
    }
    if call.kind == D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES {
        // SAFETY: the plugin has filled it.
        let table = unsafe { &mut *call.table.cast::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>() };
        PLUGIN.lock().capabilities = *table;
        layer_capabilities(table);
    } else if call.kind == D3D12DDI_COMPILER_TABLE_TYPE_COMPILER {
        // SAFETY: the plugin has filled the runtime's table, which has this type.
        let table = unsafe { &mut *call.table.cast::<D3D12DDI_COMPILER_FUNCS>() };
        PLUGIN.lock().compiler = *table;
        layer_functions(table);
    }
    result
}

/// The runtime's callbacks.
fn callbacks_of(call: &SetCallbacks) -> D3D12DDI_COMPILER_CACHE_CALLBACKS {
    // SAFETY: the runtime's table, of the only type.
    unsafe { *call.table.cast() }
}

pub(crate) fn set_callbacks(call: &mut SetCallbacks) -> HRESULT {
    let mut callbacks = callbacks_of(call);
    PLUGIN.lock().callbacks = callbacks;
    layer_callbacks(&mut callbacks);
    call.table = (&raw const callbacks).cast();
    call.base()
}

pub(crate) fn calc_object_size(call: &mut CalcObjectSize) -> SIZE_T {
    call.desc = descriptions::copied(call.desc);
    call.base()
}

pub(crate) fn calc_addition_size(call: &mut CalcAdditionSize) -> SIZE_T {
    call.desc = descriptions::copied(call.desc);
    call.base()
}

fn short_array(call: &mut GetVersions) -> HRESULT {
    let GetVersions {
        handle,
        count,
        versions,
    } = *call;
    if !versions.is_null() {
        // SAFETY: the runtime's count.
        let mut short = unsafe { *count } - 1;
        let mut versions = vec![0; short as usize + 1];
        let (count, versions) = (&raw mut short, versions.as_mut_ptr());
        let _ = GetVersions {
            handle,
            count,
            versions,
        }
        .base();
    }
    call.pass()
}

fn early_table(call: &mut SetVersion) -> HRESULT {
    let mut table = D3D12DDI_COMPILER_FUNCS::default();
    let _ = FillTable {
        handle: call.handle,
        kind: D3D12DDI_COMPILER_TABLE_TYPE_COMPILER,
        table: (&raw mut table).cast(),
        size: size_of_val(&table),
    }
    .base();
    call.pass()
}

fn null_callback(call: &mut SetCallbacks) -> HRESULT {
    let given = call.table;
    let without = D3D12DDI_COMPILER_CACHE_CALLBACKS {
        pfnCompilerCacheStoreValue: None,
        ..callbacks_of(call)
    };
    call.table = (&raw const without).cast();
    let _ = call.base();
    call.table = given;
    call.pass()
}

/// The table that is set late.
static LATE: Mutex<
    Option<(
        D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
        D3D12DDI_COMPILER_CACHE_CALLBACKS,
    )>,
> = Mutex::new(None);

fn keep_callbacks(call: &mut SetCallbacks) -> HRESULT {
    let callbacks = callbacks_of(call);
    PLUGIN.lock().callbacks = callbacks;
    *LATE.lock() = Some((call.kind, callbacks));
    S_OK
}

fn set_late(call: &mut Create) -> HRESULT {
    let result = call.pass();
    let Some((kind, callbacks)) = LATE.lock().take_if(|_| result != S_OK) else {
        return result;
    };
    let handle = D3D12DDI_HCOMPILERDDI {
        pDrvPrivate: ptr::with_exposed_provenance_mut(plugin().handle),
    };
    let table = (&raw const callbacks).cast::<c_void>();
    let size = size_of_val(&callbacks);
    let _ = SetCallbacks {
        handle,
        kind,
        table,
        size,
    }
    .base();
    call.pass()
}

/// The size that was calculated last.
static SIZE: AtomicUsize = AtomicUsize::new(0);

fn no_size(call: &mut CalcSize) -> SIZE_T {
    static TRIED: AtomicBool = AtomicBool::new(false);
    if !TRIED.swap(true, Ordering::Relaxed) {
        let memory = Box::leak(vec![0_u128; 4096].into_boxed_slice());
        let _ = Create {
            target: call.target,
            application: call.application,
            compiler: D3D12DDI_HCOMPILER {
                pDrvPrivate: memory.as_mut_ptr().cast(),
            },
            runtime: D3D12DDI_HRTCOMPILER {
                handle: ptr::null_mut(),
            },
        }
        .base();
    }
    call.pass()
}

fn abi_zero(call: &mut AskProfileVersion) -> HRESULT {
    let target = call.target;
    // SAFETY: the runtime's target.
    let mut zero = unsafe { *target };
    zero.ABIVersion = 0;
    call.target = &raw const zero;
    let _ = call.base();
    call.target = target;
    call.pass()
}

/// Children and their parents, or the users of collections and these, as addresses.
static USERS: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

fn destroy_used_first(call: &mut DestroyObject) {
    /// What is destroyed already.
    static EARLY: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let user = call.object.pDrvPrivate.addr();
    let mut early = EARLY.lock();
    if let Some(index) = early.iter().position(|early| *early == user) {
        early.swap_remove(index);
        return;
    }
    let mut users = USERS.lock();
    let used = users
        .iter()
        .find(|(of, _)| *of == user)
        .map(|(_, used)| *used);
    // Another object may get its memory.
    users.retain(|(of, _)| *of != user);
    drop(users);
    if let Some(used) = used.filter(|used| !early.contains(used)) {
        early.push(used);
        drop(early);
        let object = D3D12DDI_HCOMPILERSTATEOBJECT {
            pDrvPrivate: ptr::with_exposed_provenance_mut(used),
        };
        DestroyObject {
            compiler: call.compiler,
            object,
        }
        .base();
    } else {
        drop(early);
    }
    call.pass();
}
