//! `D3D12OpenCompilerDDI`, and what several opens share.

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Once, OnceLock};

use base_plugin::open_behind;
use ddi_sys::*;
use defects::{Place, changed, given, rows, write};
use parking_lot::Mutex;

use crate::about::*;
use crate::compile::{self, Event};
use crate::defect::{selected, underneath};
use crate::layer::{self, OPENS};
use crate::places::*;
use crate::tables::versions_of;
use crate::{LIBRARY, need};

rows! {
    Hook, About;

    // Before there is a plugin to open: libraries of their own.
    "export-mangled" breaks P_OPEN_01: "the export has the mangled name of a C++ function";
    "no-library" breaks P_OPEN_01: "the file is not a library";

    // In `D3D12OpenCompilerDDI`.
    "open-fails" breaks P_OPEN_02: "a valid open returns E_FAIL",
        at OpenPlugin |call| changed(call.pass(), S_OK, E_FAIL);
    "open-s-false" breaks P_OPEN_02: "a valid open returns S_FALSE",
        at OpenPlugin |call| changed(call.pass(), S_OK, S_FALSE);
    "open-null-handle" breaks P_OPEN_02: "hCompilerDDI is left null",
        at OpenPlugin |call| call.opened(|argument| argument.hCompilerDDI.pDrvPrivate = ptr::null_mut());
    "open-needs-path" breaks P_OPEN_05: "the driver is searched for along PATH, and without one opening fails",
        at OpenPlugin |call| call.answer_if(std::env::var_os("PATH").is_none(), E_FAIL);
    "open-null-entry" breaks P_OPEN_03: "pfnSetCallbackDDITable is null",
        at OpenPlugin |call| call.opened(|argument| table(argument).pfnSetCallbackDDITable = None);
    "open-null-argument-accepted" breaks P_OPEN_04: "a null argument gets S_OK",
        at OpenPlugin |call| call.answer_if(call.argument.is_null(), S_OK);
    "open-null-argument-followed" breaks P_OPEN_04: "a null argument is read",
        at OpenPlugin |call| call.following(call.argument);
    "open-null-table-followed" breaks P_OPEN_04: "a null pDDIFuncs is read",
        at OpenPlugin |call| match given(call.argument) {
            Some(argument) => call.following(argument.pDDIFuncs),
            None => call.pass(),
        };
    "open-null-table-accepted" breaks P_OPEN_04: "a null pDDIFuncs gets S_OK, and stays null",
        at OpenPlugin |call| call.answer_if(given(call.argument).is_some_and(|it| it.pDDIFuncs.is_null()), S_OK);
    "open-writes-past-argument" breaks P_OPEN_09: "a byte behind the argument structure is written",
        at OpenPlugin |call| call.opened(|argument| write(ptr::from_ref(argument).wrapping_add(1), 0_u8));
    "open-writes-past-table" breaks P_OPEN_09: "a sixth entry is written behind the table",
        needs need::HOSTS_TABLE,
        at OpenPlugin |call| {
            let hosts = call.table();
            call.after(|call, result| if result.is_ok() && call.table() == hosts {
                hosts.into_iter().for_each(|hosts| write(hosts.wrapping_add(1), 0_usize));
            })
        };
    "open-own-table" notes P_OPEN_11 "a table of its own":
        "pDDIFuncs is set to a table of the plugin's own, and the host's is left alone",
        at OpenPlugin |call| into_own_table(call, |_, _| ());
    "open-null-table" breaks P_OPEN_02: "pDDIFuncs is set to null",
        at OpenPlugin |call| call.opened(|argument| argument.pDDIFuncs = ptr::null_mut());
    "open-own-and-host-table" notes P_OPEN_11 "fills the host's table, and sets":
        "pDDIFuncs is set to a table of the plugin's own after the host's was filled",
        at OpenPlugin |call| call.opened(own_table);
    "open-own-and-half-table" breaks P_OPEN_11:
        "pDDIFuncs is set to a table of the plugin's own, and the host's gets the first function only",
        needs need::HOSTS_TABLE,
        at OpenPlugin |call| into_own_table(call, |hosts, filled| hosts.pfnDestroyCompilerDDI = filled.pfnDestroyCompilerDDI);
    "open-zero-table" breaks P_OPEN_03: "the whole table is cleared",
        at OpenPlugin |call| call.opened(|argument| *table(argument) = D3D12DDI_COMPILER_DDI_FUNCS::default());
    "open-second-own-table" breaks P_OPEN_11:
        "the first open fills the host's table, a later one sets pDDIFuncs to the plugin's own",
        needs need::HOSTS_TABLE,
        at OpenPlugin |call| if OPENS.all().is_empty() { call.pass() } else { into_own_table(call, |_, _| ()) };
    "open-second-fails" breaks P_OPEN_06: "an open while another lives gets E_FAIL",
        at OpenPlugin |call| call.answer_if(!OPENS.all().is_empty(), E_FAIL);
    "open-replaces-runtime-handle" breaks P_OPEN_10: "hRTCompilerDDI is overwritten",
        at OpenPlugin |call| call.opened(|argument| {
            argument.hRTCompilerDDI = D3D12DDI_HRTCOMPILERDDI { handle: argument.hCompilerDDI.pDrvPrivate };
        });

    // In what several opens share, and in `pfnDestroyCompilerDDI`.
    "one-callback-table" breaks P_OPEN_06: "compiles of every open reach the callbacks that were set last",
        at SetCallbacks keep_callbacks,
        at Host |call| LAST_CALLBACKS.lock().unwrap_or_else(|| call.pass());
    "one-callback-table-at-creation" breaks P_OPEN_06:
        "a new compiler gets the callbacks that were set last, in whatever open",
        at SetCallbacks keep_callbacks,
        at Create |call| call.before(|call| if let Some(last) = *LAST_CALLBACKS.lock() {
            OPENS.update(call.slot, |open| open.host = last);
        });
    "one-version" breaks P_OPEN_06: "an open cannot fill its tables once another has selected another version",
        needs need::TWO_VERSIONS,
        at SetVersion |call| call.after(|call, result| if result.is_ok() {
            LAST_VERSION.store(call.version, Ordering::Relaxed);
        }),
        at FillTable |call| {
            let open = layer::of(call.handle);
            let is_another = open.version != LAST_VERSION.load(Ordering::Relaxed);
            call.answer_if(open.is_selected() && is_another, E_FAIL)
        };
    "destroy-ends-all" breaks P_OPEN_06: "destroying an open that has selected a version ends the others",
        at DestroyDdi |call| if layer::of(call.handle).is_selected() {
            OPENS.all().iter().for_each(|open| DestroyDdi { handle: open.handle() }.pass());
        } else {
            call.pass();
        };
    "destroy-leaks-memory" breaks P_OPEN_07: "each destroyed open leaves 256 bytes behind",
        at DestroyDdi |call| call.before(|_| layer::leave_memory(256));
    "versions-leak-memory" breaks P_OPEN_07: "each pfnGetSupportedVersions leaves 256 bytes behind",
        at GetVersions |call| call.before(|_| layer::leave_memory(256));
    "destroy-leaks-handle" breaks P_OPEN_07: "each destroyed open leaves a file open",
        at DestroyDdi |call| call.before(|_| layer::leave_handle());
    "destroy-leaves-thread" breaks P_OPEN_07: "destroying starts a thread that never ends",
        at DestroyDdi |call| call.before(|_| START.call_once(layer::leave_thread));
    "destroy-leaves-worker" breaks P_OPEN_07: "the first compiler starts a thread that outlives its open",
        at Create |call| call.before(|_| START.call_once(layer::leave_thread));
    "destroy-does-nothing" breaks P_OPEN_07: "a destroyed open lives on, until there is no place for another",
        at DestroyDdi |_| ();
    "early-destroy-follows-null" breaks P_OPEN_08:
        "destroying before a version is selected reads what the selection would have made",
        where UNSELECTED, at DestroyDdi |call| call.following(ptr::null::<u64>());
    "early-destroy-ends-opening" breaks P_OPEN_08: "after destroying before a version is selected every open fails",
        where UNSELECTED,
        at DestroyDdi early_destroy,
        at OpenPlugin |call| call.answer_if(NO_MORE.load(Ordering::Relaxed), E_FAIL);
    "early-destroy-ends-selection" breaks P_OPEN_08:
        "after destroying before a version is selected no open can select one",
        where UNSELECTED,
        at DestroyDdi early_destroy,
        at SetVersion |call| call.answer_if(NO_MORE.load(Ordering::Relaxed), E_FAIL);
}

/// The plugin's `D3D12OpenCompilerDDI`.
///
/// # Safety
///
/// PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid for reads and writes, and so is the
/// table that it points at.
pub unsafe extern "system" fn open_compiler_ddi(
    argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI,
) -> HRESULT {
    match LIBRARY.selected() {
        Ok(Some(row)) if row.hooks.is_empty() && selected().is_none() => {
            eprintln!("broken-plugin: this defect is a library of its own");
            E_INVALIDARG
        }
        Ok(_) => OpenPlugin { argument }.hooked(),
        Err(name) => {
            let names: Vec<_> = LIBRARY.defects().map(|defect| defect.name).collect();
            eprintln!(
                "broken-plugin: no defect has the name {name:?}, only {}",
                names.join(", ")
            );
            E_INVALIDARG
        }
    }
}

/// A call of the export.
pub(crate) struct OpenPlugin {
    argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI,
}

impl Place for OpenPlugin {
    type Answer = HRESULT;

    fn pass(&mut self) -> HRESULT {
        compile::happened(Event::Opened);
        let hosts = self.table();
        // SAFETY: PFND3D12DDI_COMPILER_OPEN_DDI: the argument of the host.
        let result = unsafe { open_behind(underneath(), layer_open, self.argument, layer::insert) };
        need::HOSTS_TABLE.met_if(result.is_ok() && self.table() == hosts);
        result
    }
}

impl OpenPlugin {
    /// The table of an open: the host's, or after the open one of the plugin's own.
    fn table(&self) -> Option<*mut D3D12DDI_COMPILER_DDI_FUNCS> {
        given(self.argument).map(|argument| argument.pDDIFuncs)
    }

    fn opened(&mut self, change: fn(&mut D3D12DDIARG_COMPILER_OPEN_DDI)) -> HRESULT {
        self.after(|call, result| {
            if result.is_ok() {
                // SAFETY: the open succeeded, so the argument is there.
                change(unsafe { &mut *call.argument });
            }
        })
    }
}

/// The table of an open that succeeded.
fn table(argument: &mut D3D12DDIARG_COMPILER_OPEN_DDI) -> &mut D3D12DDI_COMPILER_DDI_FUNCS {
    // SAFETY: the open succeeded, so the table is there.
    unsafe { &mut *argument.pDDIFuncs }
}

/// Has `pDDIFuncs` point to a table of the plugin's own.
fn own_table(argument: &mut D3D12DDIARG_COMPILER_OPEN_DDI) {
    static OWN: OnceLock<D3D12DDI_COMPILER_DDI_FUNCS> = OnceLock::new();
    let own = OWN.get_or_init(|| *table(argument));
    argument.pDDIFuncs = ptr::from_ref(own).cast_mut();
}

/// The same, with the host's table as it was, but for what `change` takes over from the filled one.
fn into_own_table(
    call: &mut OpenPlugin,
    change: fn(&mut D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_COMPILER_DDI_FUNCS),
) -> HRESULT {
    let hosts = call.table().filter(|hosts| !hosts.is_null());
    // SAFETY: PFND3D12DDI_COMPILER_OPEN_DDI: a table that is not null is valid.
    let before = hosts.map(|hosts| unsafe { *hosts });
    let result = call.opened(own_table);
    if let Some((hosts, before)) = hosts.zip(before) {
        // SAFETY: PFND3D12DDI_COMPILER_OPEN_DDI: a table that is not null is valid.
        let hosts = unsafe { &mut *hosts };
        let filled = std::mem::replace(hosts, before);
        change(hosts, filled);
    }
    result
}

/// The callbacks that any host set last.
static LAST_CALLBACKS: Mutex<Option<D3D12DDI_COMPILER_CACHE_CALLBACKS>> = Mutex::new(None);

fn keep_callbacks(call: &mut SetCallbacks) -> HRESULT {
    call.after(|call, result| {
        if result.is_ok() {
            *LAST_CALLBACKS.lock() = Some(layer::of(call.handle).host);
        }
    })
}

/// The version that any open selected last.
static LAST_VERSION: AtomicU64 = AtomicU64::new(0);

static START: Once = Once::new();

/// Set when an open was destroyed before it selected a version.
static NO_MORE: AtomicBool = AtomicBool::new(false);

fn early_destroy(call: &mut DestroyDdi) {
    NO_MORE.store(true, Ordering::Relaxed);
    call.pass();
}

pub(crate) fn destroy(call: &mut DestroyDdi) {
    compile::happened(Event::Closed);
    let open = layer::of(call.handle);
    OPENS.remove(call.handle);
    // The base's function, of an open that is known no more.
    base_plugin::call!(open.base.pfnDestroyCompilerDDI(call.handle) else ());
}

pub(crate) fn set_version(call: &mut SetVersion) -> HRESULT {
    let result = call.base();
    if result.is_ok() {
        let versions = LIBRARY
            .row()
            .map_or_else(Vec::new, |_| versions_of(call.handle));
        need::TWO_VERSIONS.met_if(versions.len() > 1);
        layer::update(call.handle, |open| {
            open.version = call.version;
            open.is_oldest = versions.iter().min() == Some(&call.version);
        });
    }
    result
}
