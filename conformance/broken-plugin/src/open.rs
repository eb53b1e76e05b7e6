//! `D3D12OpenCompilerDDI` and the table that it fills.

use std::ffi::c_void;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};
use std::{ptr, thread};

use base_plugin::{call, defects, follow, open_behind, versions};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
    D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE, D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
    D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_COMPILER_FUNCS, D3D12DDI_COMPILER_TABLE_TYPE,
    D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES, D3D12DDI_COMPILER_TABLE_TYPE_COMPILER,
    D3D12DDI_HCOMPILERDDI, D3D12DDI_HRTCOMPILERDDI, D3D12DDIARG_COMPILER_OPEN_DDI, E_FAIL,
    E_INVALIDARG, E_UNEXPECTED, HRESULT, S_FALSE, S_OK, SIZE_T,
};

use crate::defect::{Defect, Session, defect_or_name, selected, underneath};
use crate::layer;
use crate::list::{self, Mistake};
use crate::memory::{self, Number};
use crate::need::{Need, met_if};
use crate::threads::{Event, Threads};
use crate::{capabilities, compiler, session, threads};

/// The defects of this file.
#[macro_export]
macro_rules! open_defects {
    ($take:ident) => {
        $take! {
            /// Before there is a plugin to open: libraries of their own.
            Export {
                Mangled = "export-mangled" breaks P_OPEN_01:
                    "the export has the mangled name of a C++ function";
                NoLibrary = "no-library" breaks P_OPEN_01:
                    "the file is not a library";
            }

            /// In `D3D12OpenCompilerDDI`.
            Open {
                Fails = "open-fails" breaks P_OPEN_02:
                    "a valid open returns E_FAIL";
                SFalse = "open-s-false" breaks P_OPEN_02:
                    "a valid open returns S_FALSE";
                NullHandle = "open-null-handle" breaks P_OPEN_02:
                    "hCompilerDDI is left null";
                NeedsPath = "open-needs-path" breaks P_OPEN_05:
                    "the driver is searched for along PATH, and without one opening fails";
                NullEntry = "open-null-entry" breaks P_OPEN_03:
                    "pfnSetCallbackDDITable is null";
                NullArgumentAccepted = "open-null-argument-accepted" breaks P_OPEN_04:
                    "a null argument gets S_OK";
                NullArgumentFollowed = "open-null-argument-followed" breaks P_OPEN_04:
                    "a null argument is read";
                NullTableFollowed = "open-null-table-followed" breaks P_OPEN_04:
                    "a null pDDIFuncs is read";
                NullTableAccepted = "open-null-table-accepted" breaks P_OPEN_04:
                    "a null pDDIFuncs gets S_OK, and stays null";
                WritesPastArgument = "open-writes-past-argument" breaks P_OPEN_09:
                    "a byte behind the argument structure is written";
                WritesPastTable = "open-writes-past-table" breaks P_OPEN_09:
                    "a sixth entry is written behind the table",
                    where HostsTable;
                OwnTable = "open-own-table" notes P_OPEN_11 "a table of its own":
                    "pDDIFuncs is set to a table of the plugin's own, and the host's is left alone";
                NullTable = "open-null-table" breaks P_OPEN_02:
                    "pDDIFuncs is set to null";
                OwnAndHostTable = "open-own-and-host-table" notes P_OPEN_11 "fills the host's table, and sets":
                    "pDDIFuncs is set to a table of the plugin's own after the host's was filled";
                OwnAndHalfTable = "open-own-and-half-table" breaks P_OPEN_11:
                    "pDDIFuncs is set to a table of the plugin's own, and the host's gets the first function only",
                    where HostsTable;
                ZeroTable = "open-zero-table" breaks P_OPEN_03:
                    "the whole table is cleared";
                SecondOwnTable = "open-second-own-table" breaks P_OPEN_11:
                    "the first open fills the host's table, a later one sets pDDIFuncs to the plugin's own",
                    where HostsTable;
                SecondFails = "open-second-fails" breaks P_OPEN_06:
                    "an open while another lives gets E_FAIL";
                ReplacesRuntimeHandle = "open-replaces-runtime-handle" breaks P_OPEN_10:
                    "hRTCompilerDDI is overwritten";
            }

            /// In what several opens share, and in `pfnDestroyCompilerDDI`.
            Opens {
                OneCallbackTable = "one-callback-table" breaks P_OPEN_06:
                    "compiles of every open reach the callbacks that were set last";
                OneCallbackTableAtCreation = "one-callback-table-at-creation" breaks P_OPEN_06:
                    "a new compiler gets the callbacks that were set last, in whatever open";
                OneVersion = "one-version" breaks P_OPEN_06:
                    "an open cannot fill its tables once another has selected another version",
                    where TwoVersions;
                DestroyEndsAll = "destroy-ends-all" breaks P_OPEN_06:
                    "destroying an open that has selected a version ends the others";
                LeaksMemory = "destroy-leaks-memory" breaks P_OPEN_07:
                    "each destroyed open leaves 256 bytes behind";
                AskingLeaksMemory = "versions-leak-memory" breaks P_OPEN_07:
                    "each pfnGetSupportedVersions leaves 256 bytes behind";
                LeaksHandle = "destroy-leaks-handle" breaks P_OPEN_07:
                    "each destroyed open leaves a file open";
                LeavesThread = "destroy-leaves-thread" breaks P_OPEN_07:
                    "destroying starts a thread that never ends";
                LeavesWorker = "destroy-leaves-worker" breaks P_OPEN_07:
                    "the first compiler starts a thread that outlives its open";
                LeavesOpen = "destroy-does-nothing" breaks P_OPEN_07:
                    "a destroyed open lives on, until there is no place for another";
                EarlyDestroyFollowsNull = "early-destroy-follows-null" breaks P_OPEN_08:
                    "destroying before a version is selected reads what the selection would have made";
                EarlyDestroyEndsOpening = "early-destroy-ends-opening" breaks P_OPEN_08:
                    "after destroying before a version is selected every open fails";
                EarlyDestroyEndsSelection = "early-destroy-ends-selection" breaks P_OPEN_08:
                    "after destroying before a version is selected no open can select one";
            }

            /// In `pfnGetSupportedVersions`.
            Versions {
                SizeQueryFails = "versions-size-query-fails" breaks P_VER_01:
                    "the size query returns DXGI_ERROR_MORE_DATA";
                None = "versions-none" breaks P_VER_01:
                    "the list is empty";
                ExactRefused = "versions-exact-refused" breaks P_VER_02:
                    "an array of the exact size gets DXGI_ERROR_MORE_DATA";
                LastUnwritten = "versions-last-unwritten" breaks P_VER_02:
                    "in an array of the exact size the last entry is left as it was";
                CountIsCapacity = "versions-count-is-capacity" breaks P_VER_03:
                    "the count of a larger array stays its capacity";
                TailCleared = "versions-tail-cleared" breaks P_VER_03:
                    "the entries of a larger array past the list are cleared";
                Overrun = "versions-overrun" breaks P_VER_04:
                    "one entry more is written than an array that is too small has";
                ShortSucceeds = "versions-short-succeeds" breaks P_VER_04:
                    "an array that is too small gets S_OK",
                    where TwoVersions;
                NullCountAccepted = "versions-null-count-accepted" breaks P_VER_05:
                    "a null count gets S_OK";
                NullCountFollowed = "versions-null-count-followed" breaks P_VER_05:
                    "a null count is read";
                Twice = "versions-twice" breaks P_VER_06:
                    "the newest version is listed twice";
                MajorZero = "versions-major-zero" breaks P_VER_06:
                    "a version has the form 0.12.0.1";
                PerOpen = "versions-per-open" breaks P_VER_06:
                    "every second open has the list in the opposite order",
                    where TwoVersions;
                AfterSelection = "versions-after-selection" breaks P_VER_06:
                    "a version that was selected is the only one of the list",
                    where TwoVersions;
                EmptyOverrun = "versions-empty-overrun" breaks P_VER_04:
                    "the first entry is written to an array of length 0";
                CountKeptWhenShort = "versions-count-kept-when-short" breaks P_VER_10:
                    "the count stays the capacity of an array that is too small";
                OnlyFuture = "versions-only-future" undecided:
                    "the one version is 12.0.3.0, which nobody else knows yet";
                FutureToo = "versions-future-too" notes P_VER_07 "12.0.3.0":
                    "12.0.3.0 is one of the versions";
            }

            /// In `pfnSetSelectedVersion`.
            Select {
                OlderRefused = "select-older-refused" breaks P_VER_07:
                    "only the newest of the reported versions can be selected",
                    where TwoVersions;
                AnyAccepted = "select-any-accepted" breaks P_VER_08:
                    "a version that was not reported is accepted";
                AnyOlderAccepted = "select-any-older-accepted" breaks P_VER_08:
                    "every version that is older than the newest is accepted";
                RefusedCounts = "select-refused-counts" breaks P_VER_09:
                    "a version that is refused is selected all the same";
            }

            /// In `pfnFillDDITable`.
            Fill {
                BeforeSelection = "fill-before-selection" breaks P_VER_09:
                    "tables are filled before a version is selected";
                CapabilitiesNullEntry = "capabilities-null-entry" breaks P_TBL_01:
                    "pfnCheckMultisampleQualityLevels is null";
                CapabilitiesExactRefused = "capabilities-exact-refused" breaks P_TBL_01:
                    "the CAPABILITIES table is refused at its exact size";
                CompilerNullEntry = "compiler-null-entry" breaks P_TBL_02:
                    "pfnCompileAddToStateObject is null";
                CompilerExactRefused = "compiler-exact-refused" breaks P_TBL_02:
                    "the COMPILER table is refused at its exact size";
                OldCapabilitiesRefused = "old-capabilities-refused" breaks P_TBL_01:
                    "the CAPABILITIES table of the oldest version is refused";
                OldCompilerNullEntry = "old-compiler-null-entry" breaks P_TBL_02:
                    "pfnCompileAddToStateObject of the oldest version is null";
                UnknownAccepted = "fill-unknown-accepted" breaks P_TBL_03:
                    "an unknown table type gets S_OK";
                UnknownWritten = "fill-unknown-written" breaks P_TBL_03:
                    "the memory for a table of unknown type is cleared before it is refused";
                Overrun = "fill-overrun" breaks P_TBL_04:
                    "the whole table is written whatever tableSize says";
                ShortAccepted = "fill-short-accepted" breaks P_TBL_04:
                    "a size that is too small is filled in part, with S_OK";
                OlderAccepted = "fill-older-accepted" breaks P_TBL_04:
                    "a size of five entries is filled so far, with S_OK";
                LargerRefused = "fill-larger-refused" breaks P_TBL_05:
                    "a size that is larger than the table is refused";
                LargerCleared = "fill-larger-cleared" breaks P_TBL_05:
                    "what is behind the table in a larger size is cleared";
                LongRefused = "fill-long-refused" breaks P_TBL_05:
                    "a size of more than 256 bytes is refused";
                NullAccepted = "fill-null-accepted" breaks P_TBL_06:
                    "a null pTable gets S_OK";
                NullOfNoSizeAccepted = "fill-null-of-no-size-accepted" breaks P_TBL_06:
                    "a null pTable gets S_OK if tableSize is 0";
                NullFollowed = "fill-null-followed" breaks P_TBL_06:
                    "a null pTable is read";
                Differs = "fill-differs" breaks P_TBL_07:
                    "every second table has another pfnGetCompilerVersion";
                DiffersLater = "fill-differs-after-callbacks" breaks P_TBL_07:
                    "once the callbacks are set, the CAPABILITIES table has another pfnGetCompilerVersion";
            }

            /// In `pfnSetCallbackDDITable`.
            Callbacks {
                ExactRefused = "callbacks-exact-refused" breaks P_CBT_01:
                    "the callback table is refused at its exact size";
                LostByFill = "callbacks-lost-by-fill" breaks P_CBT_01:
                    "the callbacks are forgotten when the COMPILER table is filled";
                Kept = "callbacks-kept" breaks P_CBT_02:
                    "pTable is kept, and read at each callback";
                UnknownAccepted = "callbacks-unknown-accepted" breaks P_CBT_03:
                    "an unknown callback table type gets S_OK";
                ShortAccepted = "callbacks-short-accepted" breaks P_CBT_03:
                    "a size that is too small gets S_OK";
                TwoAccepted = "callbacks-two-accepted" breaks P_CBT_03:
                    "a table of two callbacks gets S_OK";
                RefusedKept = "callbacks-refused-kept" breaks P_CBT_03:
                    "a table that is refused for its size takes the place of the one before";
                NullAccepted = "callbacks-null-accepted" breaks P_CBT_03:
                    "a null table gets S_OK";
                AbsentIgnored = "callbacks-absent-ignored" breaks P_CBT_04:
                    "without callbacks compiles store nothing and succeed";
                AbsentFollowed = "callbacks-absent-followed" breaks P_CBT_04:
                    "without callbacks compiles call through null";
                AbsentIgnoredLater = "callbacks-absent-second-family" breaks P_CBT_04:
                    "without callbacks compiles for the second family store nothing and succeed",
                    where SecondFamily;
                Written = "callbacks-written" breaks P_CBT_05:
                    "the callback table is written to";
                ReadPast = "callbacks-read-past" breaks P_CBT_05:
                    "a fourth callback is read behind the table";
                ShortReadPast = "callbacks-short-read-past" breaks P_CBT_05:
                    "a table that is too short is read as a whole before it is refused";
                LargerRefused = "callbacks-larger-refused" breaks P_CBT_06:
                    "a size that is larger than the table is refused";
                LargerFollowed = "callbacks-larger-followed" breaks P_CBT_06:
                    "what is behind the third callback of a larger table is called";
                LargerIgnored = "callbacks-larger-ignored" breaks P_CBT_06:
                    "a larger table gets S_OK, and its callbacks are not taken";
            }
        }
    };
}

open_defects!(defects);

/// The plugin's `D3D12OpenCompilerDDI`.
///
/// # Safety
///
/// PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid for reads and writes, and so is the
/// table that it points at.
pub unsafe extern "system" fn open_compiler_ddi(
    argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI,
) -> HRESULT {
    match defect_or_name() {
        // SAFETY: the arguments are as PFND3D12DDI_COMPILER_OPEN_DDI demands of a host.
        Ok(Some(Defect::Open(defect))) => unsafe { open_broken(*defect, argument) },
        Ok(Some(Defect::Export(_))) => {
            eprintln!("broken-plugin: this defect is a library of its own");
            E_INVALIDARG
        }
        // SAFETY: the arguments are as PFND3D12DDI_COMPILER_OPEN_DDI demands of a host.
        Ok(_) => unsafe { open(argument) },
        Err(name) => {
            let names: Vec<_> = Defect::all().map(|(name, _)| name).collect();
            eprintln!(
                "broken-plugin: no defect has the name {name:?}, only {}",
                names.join(", ")
            );
            E_INVALIDARG
        }
    }
}

/// Set by [`Opens::EarlyDestroyEndsOpening`].
static NO_MORE: AtomicBool = AtomicBool::new(false);

/// Set by [`Opens::EarlyDestroyEndsSelection`].
static NO_SELECTION: AtomicBool = AtomicBool::new(false);

/// The version that any open selected last; see [`Opens::OneVersion`].
static LAST_VERSION: AtomicU64 = AtomicU64::new(0);

/// # Safety
///
/// As [`open_compiler_ddi`].
unsafe fn open(argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI) -> HRESULT {
    if NO_MORE.load(Ordering::Relaxed) || threads::refuses(Threads::OpenRefused) {
        return E_FAIL;
    }
    threads::happened(Event::Opened);
    let functions = D3D12DDI_COMPILER_DDI_FUNCS {
        pfnDestroyCompilerDDI: Some(destroy_compiler_ddi),
        pfnGetSupportedVersions: Some(get_supported_versions),
        pfnSetSelectedVersion: Some(set_selected_version),
        pfnFillDDITable: Some(fill_ddi_table),
        pfnSetCallbackDDITable: Some(set_callback_ddi_table),
    };
    // SAFETY: `argument` is what D3D12OpenCompilerDDI takes (`# Safety`).
    let table = || unsafe { table_of(argument) };
    let hosts = table();
    // SAFETY: `argument` is what D3D12OpenCompilerDDI takes (`# Safety`).
    let result = unsafe { open_behind(underneath(), functions, argument, layer::insert) };
    met_if(result.is_ok() && table() == hosts, Need::HostsTable);
    result
}

/// The table of an open: the host's, or after the open one of the plugin's own.
///
/// # Safety
///
/// `argument` is null or valid.
unsafe fn table_of(
    argument: *const D3D12DDIARG_COMPILER_OPEN_DDI,
) -> Option<*mut D3D12DDI_COMPILER_DDI_FUNCS> {
    // SAFETY: null or valid, as this function demands.
    unsafe { argument.as_ref() }.map(|argument| argument.pDDIFuncs)
}

/// # Safety
///
/// As [`open_compiler_ddi`].
unsafe fn open_broken(defect: Open, argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI) -> HRESULT {
    // SAFETY: `argument` is what D3D12OpenCompilerDDI takes (`# Safety`).
    let open = || unsafe { open(argument) };
    let opened = |change: fn(&mut D3D12DDIARG_COMPILER_OPEN_DDI)| {
        let result = open();
        if result.is_ok() {
            // SAFETY: the open succeeded, so the argument is there.
            change(unsafe { &mut *argument });
        }
        result
    };
    match defect {
        Open::Fails => match open() {
            S_OK => E_FAIL,
            failure => failure,
        },
        Open::SFalse => match open() {
            S_OK => S_FALSE,
            failure => failure,
        },
        Open::NullHandle => opened(|argument| argument.hCompilerDDI.pDrvPrivate = ptr::null_mut()),
        Open::NeedsPath if std::env::var_os("PATH").is_none() => E_FAIL,
        Open::SecondFails if !layer::OPENS.all().is_empty() => E_FAIL,
        Open::NullEntry => opened(|argument| {
            // SAFETY: the open succeeded, so the table is there.
            unsafe { (*argument.pDDIFuncs).pfnSetCallbackDDITable = None };
        }),
        Open::NullArgumentAccepted if argument.is_null() => S_OK,
        Open::SecondOwnTable if layer::OPENS.all().is_empty() => open(),
        Open::NullTableAccepted => {
            // SAFETY: PFND3D12DDI_COMPILER_OPEN_DDI: an argument that is not null is valid.
            let given = unsafe { argument.as_ref() };
            let has_no_table = given.is_some_and(|argument| argument.pDDIFuncs.is_null());
            if has_no_table { S_OK } else { open() }
        }
        Open::NeedsPath | Open::NullArgumentAccepted | Open::SecondFails => open(),
        Open::NullArgumentFollowed => {
            follow(argument);
            open()
        }
        Open::NullTableFollowed => {
            // SAFETY: PFND3D12DDI_COMPILER_OPEN_DDI: an argument that is not null is valid.
            if let Some(argument) = unsafe { argument.as_ref() } {
                follow(argument.pDDIFuncs);
            }
            open()
        }
        Open::WritesPastArgument => opened(|argument| {
            // SAFETY: none; that is the defect.
            unsafe { ptr::from_mut(argument).add(1).cast::<u8>().write(0) };
        }),
        Open::WritesPastTable => {
            // SAFETY: `argument` is what D3D12OpenCompilerDDI takes (`# Safety`).
            let table = || unsafe { table_of(argument) };
            let hosts = table();
            let result = open();
            if let Some(hosts) = hosts.filter(|hosts| result.is_ok() && table() == Some(*hosts)) {
                // SAFETY: none; that is the defect.
                unsafe { hosts.add(1).cast::<usize>().write(0) };
            }
            result
        }
        Open::ZeroTable => opened(|argument| {
            // SAFETY: the open succeeded, so the table is there.
            unsafe { *argument.pDDIFuncs = D3D12DDI_COMPILER_DDI_FUNCS::default() };
        }),
        Open::OwnTable | Open::SecondOwnTable | Open::OwnAndHalfTable => {
            // SAFETY: PFND3D12DDI_COMPILER_OPEN_DDI: pointers that are not null are valid.
            let host = unsafe { argument.as_ref().and_then(|a| a.pDDIFuncs.as_mut()) };
            let before = host.as_deref().copied();
            let result = opened(own_table);
            if let (Some(host), Some(before)) = (host, before) {
                let first = host.pfnDestroyCompilerDDI;
                *host = before;
                if defect == Open::OwnAndHalfTable {
                    host.pfnDestroyCompilerDDI = first;
                }
            }
            result
        }
        Open::OwnAndHostTable => opened(own_table),
        Open::NullTable => opened(|argument| argument.pDDIFuncs = ptr::null_mut()),
        Open::ReplacesRuntimeHandle => opened(|argument| {
            argument.hRTCompilerDDI = D3D12DDI_HRTCOMPILERDDI {
                handle: argument.hCompilerDDI.pDrvPrivate,
            };
        }),
    }
}

/// Has `pDDIFuncs` point to a table of the plugin's own.
fn own_table(argument: &mut D3D12DDIARG_COMPILER_OPEN_DDI) {
    static OWN: OnceLock<D3D12DDI_COMPILER_DDI_FUNCS> = OnceLock::new();
    // SAFETY: the open succeeded, so the table is there.
    let own = OWN.get_or_init(|| unsafe { *argument.pDDIFuncs });
    argument.pDDIFuncs = ptr::from_ref(own).cast_mut();
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_DESTROY_DDI: the handle is one of this plugin's.
unsafe extern "system" fn destroy_compiler_ddi(handle: D3D12DDI_HCOMPILERDDI) {
    let Some((slot, open)) = layer::OPENS.of(handle) else {
        return;
    };
    if let Some(Defect::Opens(defect)) = selected() {
        match defect {
            Opens::DestroyEndsAll if open.is_selected() => {
                for open in layer::OPENS.all() {
                    layer::OPENS.remove(open.handle());
                    call!(open.base.pfnDestroyCompilerDDI(open.handle()) else ());
                }
                return;
            }
            Opens::LeaksMemory => layer::leave_memory(256),
            Opens::LeaksHandle => layer::leave_handle(),
            Opens::LeavesThread => {
                static START: Once = Once::new();
                START.call_once(|| {
                    thread::spawn(|| {
                        loop {
                            thread::park();
                        }
                    });
                });
            }
            Opens::LeavesOpen => return,
            Opens::EarlyDestroyFollowsNull if !open.is_selected() => follow(ptr::null::<u64>()),
            Opens::EarlyDestroyEndsOpening if !open.is_selected() => {
                NO_MORE.store(true, Ordering::Relaxed);
            }
            Opens::EarlyDestroyEndsSelection if !open.is_selected() => {
                NO_SELECTION.store(true, Ordering::Relaxed);
            }
            // These are elsewhere.
            Opens::OneCallbackTable
            | Opens::OneCallbackTableAtCreation
            | Opens::OneVersion
            | Opens::AskingLeaksMemory
            | Opens::LeavesWorker
            | Opens::EarlyDestroyEndsSelection
            | Opens::DestroyEndsAll
            | Opens::EarlyDestroyFollowsNull
            | Opens::EarlyDestroyEndsOpening => {}
        }
    }
    if selected() == Some(Defect::Session(Session::DestroyCallsBack)) {
        session::call_back(slot);
    }
    threads::happened(Event::Closed);
    layer::OPENS.remove(handle);
    call!(open.base.pfnDestroyCompilerDDI(handle) else ());
}

/// Plugin DDI 12.0.3.0, which nobody knows yet.
const FUTURE: u64 = 0x000C_0000_0003_0000;

/// # Safety
///
/// PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS: `count` is null or valid for reads and writes,
/// `array` null or as long as it says.
unsafe extern "system" fn get_supported_versions(
    handle: D3D12DDI_HCOMPILERDDI,
    count: *mut u32,
    array: *mut u64,
) -> HRESULT {
    let Some((_, open)) = layer::OPENS.of(handle) else {
        return E_INVALIDARG;
    };
    if selected() == Some(Defect::Opens(Opens::AskingLeaksMemory)) {
        layer::leave_memory(256);
    }
    // SAFETY: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS: the count is null or valid for the call.
    unsafe { memory::number(Number::Versions, count) };
    let Some(Defect::Versions(defect)) = selected() else {
        return call!(open.base.pfnGetSupportedVersions(handle, count, array) else E_UNEXPECTED);
    };
    let mut list = versions(&open.base, handle);
    met_if(list.len() > 1, Need::TwoVersions);
    let mistake = match defect {
        Versions::SizeQueryFails => Some(Mistake::SizeQueryFails),
        Versions::None => {
            list.clear();
            None
        }
        Versions::ExactRefused => Some(Mistake::ExactRefused),
        Versions::LastUnwritten => Some(Mistake::LastUnwritten),
        Versions::CountIsCapacity => Some(Mistake::CountIsCapacity),
        Versions::TailCleared => Some(Mistake::TailCleared),
        Versions::Overrun => Some(Mistake::Overrun),
        Versions::ShortSucceeds => Some(Mistake::ShortSucceeds),
        Versions::NullCountAccepted => Some(Mistake::NullCountAccepted),
        Versions::NullCountFollowed => Some(Mistake::NullCountFollowed),
        Versions::Twice => {
            list::repeat_first(&mut list);
            None
        }
        Versions::MajorZero => {
            list.push(0x0000_000C_0000_0001);
            None
        }
        Versions::PerOpen => {
            if open.number % 2 == 1 {
                list.reverse();
            }
            None
        }
        Versions::AfterSelection => {
            list.retain(|version| !open.is_selected() || *version == open.version);
            None
        }
        Versions::EmptyOverrun => Some(Mistake::EmptyOverrun),
        Versions::FutureToo => {
            list.insert(0, FUTURE);
            None
        }
        Versions::CountKeptWhenShort => Some(Mistake::CountKeptWhenShort),
        Versions::OnlyFuture => {
            list = vec![FUTURE];
            None
        }
    };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS demands of a host.
    unsafe { list::answer(&list, mistake, count, array) }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_SET_SELECTED_VERSION: the handle is one of this plugin's.
unsafe extern "system" fn set_selected_version(
    handle: D3D12DDI_HCOMPILERDDI,
    plugin: u64,
    usermode: u64,
) -> HRESULT {
    let Some((slot, open)) = layer::OPENS.of(handle) else {
        return E_INVALIDARG;
    };
    let newest = || versions(&open.base, handle).into_iter().max();
    if NO_SELECTION.load(Ordering::Relaxed) || threads::refuses(Threads::SelectionRefused) {
        return E_FAIL;
    }
    if selected() == Some(Defect::Versions(Versions::OnlyFuture)) && plugin != FUTURE {
        return E_INVALIDARG;
    }
    if let Some(Defect::Select(Select::OlderRefused)) = selected()
        && newest().is_some_and(|newest| plugin < newest)
    {
        return E_INVALIDARG;
    }
    let result = call!(open.base.pfnSetSelectedVersion(handle, plugin, usermode) else E_UNEXPECTED);
    if result.is_ok() {
        LAST_VERSION.store(plugin, Ordering::Relaxed);
        let versions = selected().map_or_else(Vec::new, |_| versions(&open.base, handle));
        met_if(versions.len() > 1, Need::TwoVersions);
        layer::OPENS.update(slot, |open| {
            open.version = plugin;
            open.is_oldest = versions.iter().min() == Some(&plugin);
        });
        return result;
    }
    match selected() {
        Some(Defect::Select(Select::AnyAccepted)) => S_OK,
        Some(Defect::Select(Select::AnyOlderAccepted))
            if plugin >> 48 != 0 && newest().is_some_and(|newest| plugin <= newest) =>
        {
            S_OK
        }
        Some(Defect::Select(Select::RefusedCounts)) => {
            if let Some(newest) = newest() {
                let _ = call!(open.base.pfnSetSelectedVersion(handle, newest, USERMODE_DDI_VERSION)
                    else E_UNEXPECTED);
            }
            result
        }
        _ => result,
    }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_FILL_DDI_TABLE: `table` is null or valid for writes of `size` bytes.
unsafe extern "system" fn fill_ddi_table(
    handle: D3D12DDI_HCOMPILERDDI,
    kind: D3D12DDI_COMPILER_TABLE_TYPE,
    table: *mut c_void,
    size: SIZE_T,
) -> HRESULT {
    let Some((slot, open)) = layer::OPENS.of(handle) else {
        return E_INVALIDARG;
    };
    threads::happened(Event::TableFilled);
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_FILL_DDI_TABLE demands of a host.
    let fill = || unsafe { fill(handle, slot, &open, kind, table, size) };
    let defect = match selected() {
        Some(Defect::Fill(defect)) => defect,
        Some(Defect::Opens(Opens::OneVersion))
            if open.is_selected() && open.version != LAST_VERSION.load(Ordering::Relaxed) =>
        {
            return E_FAIL;
        }
        Some(Defect::Callbacks(Callbacks::LostByFill))
            if kind == D3D12DDI_COMPILER_TABLE_TYPE_COMPILER =>
        {
            layer::OPENS.update(slot, |open| {
                open.host = D3D12DDI_COMPILER_CACHE_CALLBACKS::default();
            });
            return fill();
        }
        _ => return fill(),
    };
    let capabilities = kind == D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES;
    let compiler = kind == D3D12DDI_COMPILER_TABLE_TYPE_COMPILER;
    let exact = if capabilities {
        size_of::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>()
    } else {
        size_of::<D3D12DDI_COMPILER_FUNCS>()
    };
    let known = capabilities || compiler;
    // A table of its own, to copy from.
    let content = || {
        let mut content = [0_usize; size_of::<D3D12DDI_COMPILER_FUNCS>() / size_of::<usize>()];
        let table = content.as_mut_ptr().cast();
        // SAFETY: as large as the larger of the two tables.
        unsafe { self::fill(handle, slot, &open, kind, table, exact) }
            .is_ok()
            .then_some(content)
    };
    let copy = |length: usize| match content() {
        Some(content) => {
            // SAFETY: PFND3D12DDI_COMPILER_FILL_DDI_TABLE: as many bytes as the size are there;
            // more than that is a defect.
            unsafe { table.copy_from_nonoverlapping(content.as_ptr().cast(), length) };
            S_OK
        }
        None => E_INVALIDARG,
    };
    match defect {
        Fill::BeforeSelection => {
            if !open.is_selected() {
                let newest = versions(&open.base, handle)
                    .into_iter()
                    .max()
                    .unwrap_or_default();
                let _ = call!(open.base.pfnSetSelectedVersion(handle, newest, USERMODE_DDI_VERSION)
                    else E_UNEXPECTED);
            }
            fill()
        }
        Fill::CapabilitiesNullEntry | Fill::CompilerNullEntry | Fill::OldCompilerNullEntry => {
            let result = fill();
            // SAFETY: filled, so the table is there.
            unsafe {
                if result.is_ok() && capabilities && defect == Fill::CapabilitiesNullEntry {
                    let table = table.cast::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>();
                    (&raw mut (*table).pfnCheckMultisampleQualityLevels).write_unaligned(None);
                }
                if result.is_ok()
                    && compiler
                    && (defect == Fill::CompilerNullEntry
                        || defect == Fill::OldCompilerNullEntry && open.is_oldest)
                {
                    let table = table.cast::<D3D12DDI_COMPILER_FUNCS>();
                    (&raw mut (*table).pfnCompileAddToStateObject).write_unaligned(None);
                }
            }
            result
        }
        Fill::CapabilitiesExactRefused if capabilities && size == exact => E_INVALIDARG,
        Fill::CompilerExactRefused if compiler && size == exact => E_INVALIDARG,
        Fill::OldCapabilitiesRefused if capabilities && open.is_oldest => E_INVALIDARG,
        Fill::UnknownAccepted if !known => S_OK,
        Fill::UnknownWritten if !known && !table.is_null() => {
            // SAFETY: PFND3D12DDI_COMPILER_FILL_DDI_TABLE: as many bytes as the size are there.
            unsafe { table.cast::<u8>().write_bytes(0, size) };
            E_INVALIDARG
        }
        Fill::Overrun if known && size < exact && !table.is_null() => copy(exact),
        Fill::ShortAccepted if known && size < exact && !table.is_null() => copy(size),
        Fill::OlderAccepted if known && size == FIVE_ENTRIES && !table.is_null() => copy(size),
        Fill::LargerRefused if known && size > exact => E_INVALIDARG,
        Fill::LongRefused if known && size > 256 => E_INVALIDARG,
        Fill::LargerCleared => {
            let result = fill();
            if result.is_ok() {
                // SAFETY: PFND3D12DDI_COMPILER_FILL_DDI_TABLE: as many bytes as the size are there.
                unsafe { table.cast::<u8>().add(exact).write_bytes(0, size - exact) };
            }
            result
        }
        Fill::NullAccepted if known && table.is_null() => S_OK,
        Fill::NullOfNoSizeAccepted if known && table.is_null() && size == 0 => S_OK,
        Fill::NullFollowed => {
            follow(table);
            fill()
        }
        Fill::Differs | Fill::DiffersLater => {
            static FILLS: AtomicUsize = AtomicUsize::new(0);
            let result = fill();
            let differs = match defect {
                Fill::Differs => FILLS.fetch_add(1, Ordering::Relaxed) % 2 == 1,
                _ => open.host.pfnCompilerCacheStoreValue.is_some(),
            };
            if result.is_ok() && capabilities && differs {
                let table = table.cast::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>();
                let other = capabilities::get_compiler_version_again;
                // SAFETY: filled, so the table is there.
                unsafe { (&raw mut (*table).pfnGetCompilerVersion).write_unaligned(Some(other)) };
            }
            result
        }
        Fill::CapabilitiesExactRefused
        | Fill::CompilerExactRefused
        | Fill::OldCapabilitiesRefused
        | Fill::UnknownAccepted
        | Fill::UnknownWritten
        | Fill::Overrun
        | Fill::ShortAccepted
        | Fill::OlderAccepted
        | Fill::LargerRefused
        | Fill::LongRefused
        | Fill::NullAccepted
        | Fill::NullOfNoSizeAccepted => fill(),
    }
}

/// The size of a table of five functions, as the first one is.
const FIVE_ENTRIES: usize = size_of::<D3D12DDI_COMPILER_DDI_FUNCS>();

/// The usermode DDI version of the base's plugin DDI versions.
const USERMODE_DDI_VERSION: u64 = 0x000C_0050_0073_0000;

/// Has the base fill a table, and puts the layer's functions in front of the base's.
///
/// # Safety
///
/// As [`fill_ddi_table`].
unsafe fn fill(
    handle: D3D12DDI_HCOMPILERDDI,
    slot: usize,
    open: &layer::Open,
    kind: D3D12DDI_COMPILER_TABLE_TYPE,
    table: *mut c_void,
    size: SIZE_T,
) -> HRESULT {
    let result = call!(open.base.pfnFillDDITable(handle, kind, table, size) else E_UNEXPECTED);
    if !result.is_ok() || table.is_null() {
        return result;
    }
    // SAFETY: the base filled it, so as many bytes are there.
    unsafe {
        if kind == D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES
            && size >= size_of::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>()
        {
            let table = table.cast::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>();
            let base = table.read_unaligned();
            layer::OPENS.update(slot, |open| open.capabilities = base);
            table.write_unaligned(capabilities::table(base));
        } else if kind == D3D12DDI_COMPILER_TABLE_TYPE_COMPILER
            && size >= size_of::<D3D12DDI_COMPILER_FUNCS>()
        {
            let table = table.cast::<D3D12DDI_COMPILER_FUNCS>();
            let base = table.read_unaligned();
            layer::OPENS.update(slot, |open| open.compiler = base);
            table.write_unaligned(compiler::table(slot, base));
        }
    }
    result
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE: `table` is null or valid for reads of `size` bytes.
unsafe extern "system" fn set_callback_ddi_table(
    handle: D3D12DDI_HCOMPILERDDI,
    kind: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
    table: *const c_void,
    size: SIZE_T,
) -> HRESULT {
    let Some((slot, open)) = layer::OPENS.of(handle) else {
        return E_INVALIDARG;
    };
    threads::happened(Event::CallbacksSet);
    let exact = size_of::<D3D12DDI_COMPILER_CACHE_CALLBACKS>();
    let cache = kind == D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE;
    let defect = match selected() {
        Some(Defect::Callbacks(defect)) => Some(defect),
        _ => None,
    };
    match defect {
        Some(Callbacks::ExactRefused) if size == exact => return E_INVALIDARG,
        Some(Callbacks::UnknownAccepted) if !cache => return S_OK,
        Some(Callbacks::ShortAccepted) if cache && size < exact => return S_OK,
        Some(Callbacks::NullAccepted) if cache && table.is_null() => return S_OK,
        Some(Callbacks::TwoAccepted) if cache && size == exact / 3 * 2 => return S_OK,
        Some(Callbacks::LargerRefused) if cache && size > exact => return E_INVALIDARG,
        Some(Callbacks::LargerIgnored) if cache && size > exact => return S_OK,
        Some(Callbacks::RefusedKept) if cache && size < exact && !table.is_null() => {
            let mut kept = open.host;
            // SAFETY: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE: as many bytes as the size are
            // there, which are fewer than the copy has.
            unsafe { (&raw mut kept).cast::<u8>().copy_from(table.cast(), size) };
            layer::OPENS.update(slot, |open| open.host = kept);
        }
        Some(Callbacks::ShortReadPast) if cache && size < exact && !table.is_null() => {
            // SAFETY: none, as the table is shorter; that is the defect.
            unsafe {
                black_box(
                    table
                        .cast::<[u8; size_of::<D3D12DDI_COMPILER_CACHE_CALLBACKS>()]>()
                        .read_volatile(),
                );
            }
        }
        Some(Callbacks::LargerFollowed) if cache && size > exact && !table.is_null() => {
            // SAFETY: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE: the size is larger by a pointer,
            // which is there. That it is a function is the defect.
            unsafe {
                let next = table.cast::<Option<unsafe extern "system" fn()>>().add(3);
                if let Some(next) = next.read_unaligned() {
                    next();
                }
            }
        }
        _ => {}
    }
    let set = |table: *const c_void| call!(open.base.pfnSetCallbackDDITable(handle, kind, table, size) else E_UNEXPECTED);
    if !cache || table.is_null() || size < exact {
        return set(table);
    }
    let host = table.cast::<D3D12DDI_COMPILER_CACHE_CALLBACKS>();
    // SAFETY: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE: as many bytes as the size are there,
    // which are enough.
    let callbacks = unsafe { host.read_unaligned() };
    if defect == Some(Callbacks::ReadPast) {
        // SAFETY: none, as the table ends here; that is the defect.
        unsafe { host.add(1).cast::<usize>().read_volatile() };
    }
    let absent = callbacks.pfnCompilerCacheFindValue.is_none()
        || callbacks.pfnCompilerCacheStoreValue.is_none()
        || callbacks.pfnCompilerCacheSetObjectValueKeys.is_none();
    if absent {
        return set(table);
    }
    layer::OPENS.update(slot, |open| {
        open.host = callbacks;
        open.host_table = host.expose_provenance();
    });
    session::set_last(callbacks);
    // The base gets what is behind the three callbacks too.
    let mut ours = vec![0_usize; size.div_ceil(size_of::<usize>())];
    let copy = ours.as_mut_ptr();
    // SAFETY: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE: as many bytes as the size are there, and the copy
    // has as many.
    unsafe {
        copy.cast::<u8>().copy_from(table.cast(), size);
        copy.cast::<D3D12DDI_COMPILER_CACHE_CALLBACKS>()
            .write(session::callbacks(slot));
    }
    let result = set(copy.cast_const().cast());
    if !result.is_ok() {
        layer::OPENS.update(slot, |now| {
            now.host = open.host;
            now.host_table = open.host_table;
        });
    }
    if defect == Some(Callbacks::Written) {
        // SAFETY: none, as the table is const; that is the defect.
        unsafe { host.cast_mut().write_volatile(callbacks) };
    }
    result
}
