//! A compiler runtime with one defect, to prove that the rules about runtimes bite.
//!
//! The environment variable `DDI_DEFECT`, read at the first use, names the defect: its row is
//! in the file that deviates. Without it the runtime is the one whose library the variable [`RUNTIME`] names,
//! which is loaded and passed on, whatever else it exports.
//!
//! - Towards the program a defect is a method that is replaced in the vtable of the runtime's objects:
//!   identity, references and everything else stay the runtime's (`factory.rs`, `session.rs`,
//!   `compiler.rs`).
//! - Towards the plugin a defect is a layer between the two. The runtime is given this library as the
//!   plugin, which passes every call on to the real one and changes exactly one thing (`host.rs`).
//!
//! The library that programs load is the example `broken-runtime`, which has the exports: the tests of the
//! suite, which read the rows of the defects here, have another runtime linked in.

mod compiler;
mod defect;
mod factory;
mod hook;
mod host;
mod session;

use std::ffi::c_void;
use std::path::PathBuf;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};

use api_sys::{E_FAIL, E_INVALIDARG, E_NOINTERFACE, ID3D12CompilerFactory, S_FALSE, S_OK};
use base_plugin::{VARIABLE, defects, follow};
use libloading::Library;
use windows_core::{GUID, HRESULT, Interface, PCWSTR};

use defect::{SELECTED, has};
use hook::release;

pub use host::{OpenPlugin, open_compiler_ddi};

/// The defects of this file.
#[macro_export]
macro_rules! export_defects {
    ($take:ident) => {
        $take! {
            /// In `D3D12CompilerCreateFactory`.
            Export {
                CreateFails = "create-fails" breaks R_FAC_01:
                    "a factory is refused with E_FAIL";
                CreateGivesNull = "create-gives-null" breaks R_FAC_01:
                    "S_OK comes without a factory";
                CreateIidInvalid = "create-iid-invalid" breaks R_FAC_02:
                    "an unknown IID gets E_INVALIDARG";
                CreateIidIgnored = "create-iid-ignored" breaks R_FAC_02:
                    "an unknown IID gets a factory";
                MissingFileOtherwise = "create-missing-file-otherwise" breaks R_FAC_03:
                    "a missing file gets the loader's ERROR_MOD_NOT_FOUND";
                MissingFolderOtherwise = "create-missing-folder-otherwise" breaks R_FAC_03:
                    "a path into a missing folder gets the system's ERROR_PATH_NOT_FOUND";
                NullPathPointer = "create-null-path-pointer" breaks R_FAC_04:
                    "a null path gets E_POINTER";
                NullPathFollowed = "create-null-path-followed" breaks R_FAC_04:
                    "a null path is read";
                NoPluginAccepted = "create-no-plugin-accepted" breaks R_FAC_05:
                    "a file that is no plugin gets S_FALSE";
                NoPluginPlace = "create-no-plugin-place" breaks R_FAC_05:
                    "a file that is no plugin leaves *ppFactory as it was";
                CreateOnlyOne = "create-only-one" breaks R_FAC_06:
                    "a second factory while one lives is refused";
                CreateNotAgain = "create-not-again" breaks R_FAC_06:
                    "after the last factory is released no more can be made";
            }
        }
    };
}

export_defects!(defects);

/// Names the library of the runtime that has no defect.
pub const RUNTIME: &str = "DDI_RUNTIME";

/// Names the library that exports what is here.
pub const OWN: &str = "DDI_BROKEN_RUNTIME";

type CreateFactory = unsafe extern "system" fn(PCWSTR, *const GUID, *mut *mut c_void) -> HRESULT;

/// The runtime's export.
fn runtime() -> Option<CreateFactory> {
    static LIBRARY: OnceLock<Option<(Library, CreateFactory)>> = OnceLock::new();
    let load = || {
        // SAFETY: the library is a compiler runtime, whose export has this type.
        unsafe {
            let library = Library::new(std::env::var_os(RUNTIME)?).ok()?;
            let export = library.get::<CreateFactory>(b"D3D12CompilerCreateFactory\0");
            let export = *export.ok()?;
            Some((library, export))
        }
    };
    LIBRARY
        .get_or_init(load)
        .as_ref()
        .map(|(_, export)| *export)
}

/// The factories that the program holds.
static FACTORIES: AtomicIsize = AtomicIsize::new(0);

/// Set when the last of them is gone.
static NO_MORE: AtomicBool = AtomicBool::new(false);

/// HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND).
const FILE_NOT_FOUND: HRESULT = HRESULT(0x8007_0002_u32.cast_signed());
/// HRESULT_FROM_WIN32(ERROR_PATH_NOT_FOUND).
const PATH_NOT_FOUND: HRESULT = HRESULT(0x8007_0003_u32.cast_signed());
/// HRESULT_FROM_WIN32(ERROR_MOD_NOT_FOUND).
const MODULE_NOT_FOUND: HRESULT = HRESULT(0x8007_007E_u32.cast_signed());

/// `D3D12CompilerCreateFactory`: gives a factory of the runtime, or does what the defect is. `own` is the other
/// export of this library, [`open_compiler_ddi`].
///
/// # Safety
///
/// D3D12CompilerCreateFactory: the pointers are null or to what the API says.
pub unsafe fn create_factory(
    own: OpenPlugin,
    path: PCWSTR,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    if let Err(name) = &*SELECTED {
        eprintln!("broken-runtime: {VARIABLE} is {name:?}, which is no defect");
        return E_INVALIDARG;
    }
    let Some(create) = runtime() else {
        eprintln!("broken-runtime: {RUNTIME} names no compiler runtime");
        return E_FAIL;
    };
    if path.is_null() {
        if has(Export::NullPathPointer) {
            return api_sys::E_POINTER;
        }
        if has(Export::NullPathFollowed) {
            follow(path.0);
        }
    }
    // SAFETY: D3D12CompilerCreateFactory: the path is null or NUL-terminated, `riid` null or to a GUID, the place null or to a pointer.
    let own = unsafe { host::plugin_for(path, own) };
    let path = own.as_ref().map_or(path, |own| PCWSTR(own.as_ptr()));
    // SAFETY: D3D12CompilerCreateFactory: the path is null or NUL-terminated, `riid` null or to a GUID, the place null or to a pointer.
    let asked = unsafe { riid.as_ref() }.copied();
    // SAFETY: D3D12CompilerCreateFactory: the path is null or NUL-terminated, `riid` null or to a GUID, the place null or to a pointer.
    let result = unsafe { create(path, riid, place) };
    // SAFETY: the runtime has answered for `place`; it is null, or what it holds is null or an object of this call's own.
    let give_up = |failure: HRESULT| unsafe {
        release(place);
        failure
    };
    if result == S_OK && asked == Some(ID3D12CompilerFactory::IID) && !place.is_null() {
        let alive = FACTORIES.load(Ordering::Relaxed);
        if has(Export::CreateFails) {
            return give_up(E_FAIL);
        }
        if has(Export::CreateGivesNull) {
            return give_up(S_OK);
        }
        if (has(Export::CreateOnlyOne) && alive > 0)
            || (has(Export::CreateNotAgain) && NO_MORE.load(Ordering::Relaxed))
        {
            return give_up(E_FAIL);
        }
        FACTORIES.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the runtime returned S_OK for this IID, so `place` holds a factory.
        unsafe { factory::hook(*place) };
        return result;
    }
    match result {
        E_NOINTERFACE if has(Export::CreateIidInvalid) => E_INVALIDARG,
        E_NOINTERFACE if has(Export::CreateIidIgnored) => {
            // SAFETY: the pointers are those of the first call, with an IID that the runtime has.
            unsafe { create(path, &ID3D12CompilerFactory::IID, place) }
        }
        FILE_NOT_FOUND if has(Export::MissingFileOtherwise) => MODULE_NOT_FOUND,
        FILE_NOT_FOUND if has(Export::MissingFolderOtherwise) => {
            // SAFETY: D3D12CompilerCreateFactory: `path` is null or NUL-terminated.
            let file = unsafe { path_of(path) };
            if file.parent().is_some_and(std::path::Path::is_dir) {
                FILE_NOT_FOUND
            } else {
                PATH_NOT_FOUND
            }
        }
        failure
            if is_no_plugin(failure)
                && !path.is_null()
                && !place.is_null()
                && has(Export::NoPluginPlace) =>
        {
            // SAFETY: `place` is not null, so valid for a pointer, as D3D12CompilerCreateFactory demands.
            unsafe { place.write(ptr::dangling_mut()) };
            failure
        }
        failure if is_no_plugin(failure) && !path.is_null() && has(Export::NoPluginAccepted) => {
            S_FALSE
        }
        _ => result,
    }
}

/// Whether a factory was refused for what its file is.
fn is_no_plugin(failure: HRESULT) -> bool {
    failure.is_err() && failure != FILE_NOT_FOUND && failure != E_NOINTERFACE
}

/// Notes that the program took (1) or released (-1) a reference to a factory; whether any is left.
fn count_factory(change: isize) -> bool {
    static REFERENCES: AtomicIsize = AtomicIsize::new(0);
    REFERENCES.fetch_add(change, Ordering::Relaxed) + change > 0
}

/// Set when one of them is gone.
static ANY_GONE: AtomicBool = AtomicBool::new(false);

fn any_gone() -> bool {
    ANY_GONE.load(Ordering::Relaxed)
}

/// Notes that a factory is gone.
fn factory_ended() {
    ANY_GONE.store(true, Ordering::Relaxed);
    if FACTORIES.fetch_sub(1, Ordering::Relaxed) == 1 {
        NO_MORE.store(true, Ordering::Relaxed);
    }
}

/// A path of the caller's; empty for null.
///
/// # Safety
///
/// `path` is null or NUL-terminated.
unsafe fn path_of(path: PCWSTR) -> PathBuf {
    let mut units = Vec::new();
    let mut next = path.0;
    // SAFETY: `path` ends with a NUL, and nothing behind it is read.
    unsafe {
        while !next.is_null() && *next != 0 {
            units.push(*next);
            next = next.add(1);
        }
    }
    String::from_utf16_lossy(&units).into()
}

/// Null, or the value.
fn or_null<T>(value: Option<&T>) -> *const T {
    value.map_or(ptr::null(), ptr::from_ref)
}
