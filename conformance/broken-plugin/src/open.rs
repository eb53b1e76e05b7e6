//! `D3D12OpenCompilerDDI` and the table that it fills.

use std::ffi::c_void;
use std::fs::File;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};
use std::{mem, ptr, thread};

use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
    D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE, D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
    D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_COMPILER_FUNCS, D3D12DDI_COMPILER_TABLE_TYPE,
    D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES, D3D12DDI_COMPILER_TABLE_TYPE_COMPILER,
    D3D12DDI_HCOMPILERDDI, D3D12DDI_HRTCOMPILERDDI, D3D12DDIARG_COMPILER_OPEN_DDI, E_FAIL,
    E_INVALIDARG, E_OUTOFMEMORY, E_UNEXPECTED, HRESULT, S_FALSE, S_OK, SIZE_T,
};
use plugin_sdk::PluginEntry as _;

use crate::defect::{
    Callbacks, DEFECTS, Defect, Fill, Open, Opens, Select, Session, VARIABLE, Versions,
};
use crate::layer::{self, SELECTED, follow, selected};
use crate::list::{self, Mistake};
use crate::{capabilities, compiler, session};
use base_plugin::{Base, call, versions};

/// The plugin's one export.
///
/// # Safety
/// PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid for reads and writes, and so is the
/// table that it points at.
// SAFETY: the DDI's own name, which nothing else in a plugin library has.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the DDI's name")]
pub unsafe extern "system" fn D3D12OpenCompilerDDI(
    argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI,
) -> HRESULT {
    match &*SELECTED {
        // SAFETY: the host's promise is passed on.
        Ok(Some(Defect::Open(defect))) => unsafe { open_broken(*defect, argument) },
        Ok(Some(Defect::Export(_))) => {
            eprintln!("broken-plugin: this defect of {VARIABLE} is a library of its own");
            E_INVALIDARG
        }
        // SAFETY: the host's promise is passed on.
        Ok(_) => unsafe { open(argument) },
        Err(name) => {
            let names: Vec<_> = DEFECTS.iter().map(|entry| entry.name).collect();
            eprintln!(
                "broken-plugin: {VARIABLE} is {name:?}, not one of {}",
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
/// As [`D3D12OpenCompilerDDI`].
unsafe fn open(argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI) -> HRESULT {
    if NO_MORE.load(Ordering::Relaxed) {
        return E_FAIL;
    }
    // SAFETY: the host's promise is passed on.
    let result = unsafe { Base::entry_point()(argument) };
    if !result.is_ok() {
        return result;
    }
    // SAFETY: the base succeeded, so the argument is there.
    let argument = unsafe { &mut *argument };
    // SAFETY: the base succeeded, so the table is there.
    let table = unsafe { &mut *argument.pDDIFuncs };
    if layer::insert(argument.hCompilerDDI, *table).is_none() {
        call!(table.pfnDestroyCompilerDDI(argument.hCompilerDDI) else ());
        return E_OUTOFMEMORY;
    }
    *table = D3D12DDI_COMPILER_DDI_FUNCS {
        pfnDestroyCompilerDDI: Some(destroy_compiler_ddi),
        pfnGetSupportedVersions: Some(get_supported_versions),
        pfnSetSelectedVersion: Some(set_selected_version),
        pfnFillDDITable: Some(fill_ddi_table),
        pfnSetCallbackDDITable: Some(set_callback_ddi_table),
    };
    S_OK
}

/// # Safety
/// As [`D3D12OpenCompilerDDI`].
unsafe fn open_broken(defect: Open, argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI) -> HRESULT {
    // SAFETY: the host's promise is passed on.
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
        Open::SecondFails if !layer::all().is_empty() => E_FAIL,
        Open::NullEntry => opened(|argument| {
            // SAFETY: the open succeeded, so the table is there.
            unsafe { (*argument.pDDIFuncs).pfnSetCallbackDDITable = None };
        }),
        Open::NullArgumentAccepted if argument.is_null() => S_OK,
        Open::SecondOwnTable if layer::all().is_empty() => open(),
        Open::NeedsPath | Open::NullArgumentAccepted | Open::SecondFails => open(),
        Open::NullArgumentFollowed => {
            follow(argument);
            open()
        }
        Open::NullTableFollowed => {
            // SAFETY: the host's promise for an argument that is not null.
            if let Some(argument) = unsafe { argument.as_ref() } {
                follow(argument.pDDIFuncs);
            }
            open()
        }
        Open::WritesPastArgument => opened(|argument| {
            // SAFETY: none; that is the defect.
            unsafe { ptr::from_mut(argument).add(1).cast::<u8>().write(0) };
        }),
        Open::WritesPastTable => opened(|argument| {
            // SAFETY: none; that is the defect.
            unsafe { argument.pDDIFuncs.add(1).cast::<usize>().write(0) };
        }),
        Open::ZeroTable => opened(|argument| {
            // SAFETY: the open succeeded, so the table is there.
            unsafe { *argument.pDDIFuncs = D3D12DDI_COMPILER_DDI_FUNCS::default() };
        }),
        Open::OwnTable | Open::SecondOwnTable | Open::OwnAndHalfTable => {
            // SAFETY: the host's promise for pointers that are not null.
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
/// PFND3D12DDI_COMPILER_DESTROY_DDI: the handle is one of this plugin's.
unsafe extern "system" fn destroy_compiler_ddi(handle: D3D12DDI_HCOMPILERDDI) {
    let Some((slot, open)) = layer::of(handle) else {
        return;
    };
    if let Some(Defect::Opens(defect)) = selected() {
        match defect {
            Opens::DestroyEndsAll if open.is_selected() => {
                for (slot, open) in layer::all() {
                    layer::remove(slot);
                    call!(open.base.pfnDestroyCompilerDDI(open.handle()) else ());
                }
                return;
            }
            // An optimizer removes an allocation that nobody can see.
            Opens::LeaksMemory => mem::forget(black_box(vec![1_u8; 256])),
            Opens::LeaksHandle => {
                let file = std::env::current_exe().and_then(File::open);
                mem::forget(file);
            }
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
    layer::remove(slot);
    call!(open.base.pfnDestroyCompilerDDI(handle) else ());
}

/// Plugin DDI 12.0.3.0, which nobody knows yet.
const FUTURE: u64 = 0x000C_0000_0003_0000;

/// # Safety
/// PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS: `count` is null or valid for reads and writes,
/// `array` null or as long as it says.
unsafe extern "system" fn get_supported_versions(
    handle: D3D12DDI_HCOMPILERDDI,
    count: *mut u32,
    array: *mut u64,
) -> HRESULT {
    let Some((_, open)) = layer::of(handle) else {
        return E_INVALIDARG;
    };
    if selected() == Some(Defect::Opens(Opens::AskingLeaksMemory)) {
        mem::forget(black_box(vec![1_u8; 256]));
    }
    let Some(Defect::Versions(defect)) = selected() else {
        return call!(open.base.pfnGetSupportedVersions(handle, count, array) else E_UNEXPECTED);
    };
    let mut list = versions(&open.base, handle);
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
            list.insert(0, list[0]);
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
    // SAFETY: the host's promise is passed on.
    unsafe { list::answer(&list, mistake, count, array) }
}

/// # Safety
/// PFND3D12DDI_COMPILER_SET_SELECTED_VERSION: the handle is one of this plugin's.
unsafe extern "system" fn set_selected_version(
    handle: D3D12DDI_HCOMPILERDDI,
    plugin: u64,
    usermode: u64,
) -> HRESULT {
    let Some((slot, open)) = layer::of(handle) else {
        return E_INVALIDARG;
    };
    let newest = || versions(&open.base, handle).into_iter().max();
    if NO_SELECTION.load(Ordering::Relaxed) {
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
        layer::update(slot, |open| open.version = plugin);
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
/// PFND3D12DDI_COMPILER_FILL_DDI_TABLE: `table` is null or valid for writes of `size` bytes.
unsafe extern "system" fn fill_ddi_table(
    handle: D3D12DDI_HCOMPILERDDI,
    kind: D3D12DDI_COMPILER_TABLE_TYPE,
    table: *mut c_void,
    size: SIZE_T,
) -> HRESULT {
    let Some((slot, open)) = layer::of(handle) else {
        return E_INVALIDARG;
    };
    // SAFETY: the host's promise is passed on.
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
            layer::update(slot, |open| {
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
            // SAFETY: the host's promise for its size; more than that is a defect's.
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
                        || defect == Fill::OldCompilerNullEntry && open.is_oldest())
                {
                    let table = table.cast::<D3D12DDI_COMPILER_FUNCS>();
                    (&raw mut (*table).pfnCompileAddToStateObject).write_unaligned(None);
                }
            }
            result
        }
        Fill::CapabilitiesExactRefused if capabilities && size == exact => E_INVALIDARG,
        Fill::CompilerExactRefused if compiler && size == exact => E_INVALIDARG,
        Fill::OldCapabilitiesRefused if capabilities && open.is_oldest() => E_INVALIDARG,
        Fill::UnknownAccepted if !known => S_OK,
        Fill::UnknownWritten if !known && !table.is_null() => {
            // SAFETY: the host's promise.
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
                // SAFETY: the host's promise.
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
    if !result.is_ok() {
        return result;
    }
    // SAFETY: the base filled it, so as many bytes are there.
    unsafe {
        if kind == D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES {
            let table = table.cast::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>();
            let base = table.read_unaligned();
            layer::update(slot, |open| open.capabilities = base);
            table.write_unaligned(capabilities::table(base));
        } else {
            let table = table.cast::<D3D12DDI_COMPILER_FUNCS>();
            let base = table.read_unaligned();
            layer::update(slot, |open| open.compiler = base);
            table.write_unaligned(compiler::table(slot, base));
        }
    }
    result
}

/// # Safety
/// PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE: `table` is null or valid for reads of `size` bytes.
unsafe extern "system" fn set_callback_ddi_table(
    handle: D3D12DDI_HCOMPILERDDI,
    kind: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
    table: *const c_void,
    size: SIZE_T,
) -> HRESULT {
    let Some((slot, open)) = layer::of(handle) else {
        return E_INVALIDARG;
    };
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
            // SAFETY: the host's promise for its size, which is less than that of the copy.
            unsafe { (&raw mut kept).cast::<u8>().copy_from(table.cast(), size) };
            layer::update(slot, |open| open.host = kept);
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
            // SAFETY: the host's promise for a size that is larger by a pointer. That it is a
            // function is the defect.
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
    // SAFETY: the host's promise for a size that is large enough.
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
    layer::update(slot, |open| {
        open.host = callbacks;
        open.host_table = host.expose_provenance();
    });
    session::set_last(callbacks);
    let ours = session::callbacks(slot);
    // The base sees the size that the host gave, and reads no more than the table.
    let result = set((&raw const ours).cast());
    if defect == Some(Callbacks::Written) {
        // SAFETY: none, as the table is const; that is the defect.
        unsafe { host.cast_mut().write_volatile(callbacks) };
    }
    result
}
