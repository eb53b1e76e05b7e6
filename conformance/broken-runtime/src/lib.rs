//! A compiler runtime with one defect, to prove that the rules about runtimes bite.
//!
//! The environment variable `DDI_DEFECT`, read at the first use, names the defect: one of
//! [`defect::DEFECTS`]. Without it the runtime is the one whose library the variable [`RUNTIME`]
//! names, which is loaded and passed on, whatever else it exports.
//!
//! - Towards the program a defect is a method that is replaced in the vtable of the runtime's objects:
//!   identity, references and everything else stay the runtime's (`factory.rs`, `session.rs`,
//!   `compiler.rs`).
//! - Towards the plugin a defect is a layer between the two. The runtime is given this library as the
//!   plugin, which passes every call on to the real one and changes exactly one thing (`host.rs`).

mod compiler;
pub mod defect;
mod factory;
mod hook;
mod host;
mod session;

use std::ffi::c_void;
use std::path::PathBuf;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
use std::sync::{LazyLock, OnceLock};

use api_sys::{E_FAIL, E_INVALIDARG, E_NOINTERFACE, ID3D12CompilerFactory, S_FALSE, S_OK};
use libloading::Library;
use windows_core::{GUID, HRESULT, Interface, PCWSTR};

use defect::{DEFECTS, Defect, NONE, VARIABLE};
use hook::{follow, release};

pub use host::D3D12OpenCompilerDDI;

/// Names the library of the runtime that has no defect, beside which this one lies.
pub const RUNTIME: &str = "DDI_RUNTIME";

type CreateFactory = unsafe extern "system" fn(PCWSTR, *const GUID, *mut *mut c_void) -> HRESULT;

/// The defect of this process, or what is wrong with its name.
static SELECTED: LazyLock<Result<Option<Defect>, String>> = LazyLock::new(|| {
    let Some(name) = std::env::var_os(VARIABLE).filter(|name| name != NONE) else {
        return Ok(None);
    };
    let entry = DEFECTS.iter().find(|entry| *name == *entry.name);
    let entry = entry.ok_or_else(|| name.to_string_lossy().into_owned())?;
    Ok(Some(entry.defect))
});

/// Whether this process has a defect.
fn has(defect: Defect) -> bool {
    matches!(&*SELECTED, Ok(Some(selected)) if *selected == defect)
}

/// The path of the runtime's library.
fn runtime_path() -> Option<PathBuf> {
    std::env::var_os(RUNTIME).map(PathBuf::from)
}

/// The runtime's export.
fn runtime() -> Option<CreateFactory> {
    static LIBRARY: OnceLock<Option<(Library, CreateFactory)>> = OnceLock::new();
    let load = || {
        // SAFETY: the library is a compiler runtime, whose export has this type.
        unsafe {
            let library = Library::new(runtime_path()?).ok()?;
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

/// Gives a factory of the runtime, or does what the defect is.
///
/// # Safety
/// D3D12CompilerCreateFactory: the pointers are null or to what the API says.
// SAFETY: the API's own name, which nothing else in this library has.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the API's name")]
pub unsafe extern "system" fn D3D12CompilerCreateFactory(
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
        if has(Defect::NullPathPointer) {
            return api_sys::E_POINTER;
        }
        if has(Defect::NullPathFollowed) {
            follow(path.0);
        }
    }
    // SAFETY: the caller's promise.
    let own = unsafe { host::plugin_for(path) };
    let path = own.as_ref().map_or(path, |own| PCWSTR(own.as_ptr()));
    // SAFETY: the caller's promise.
    let asked = unsafe { riid.as_ref() }.copied();
    // SAFETY: the caller's promise is passed on.
    let result = unsafe { create(path, riid, place) };
    // SAFETY: the runtime checked the place; an object in it is its own.
    let give_up = |failure: HRESULT| unsafe {
        release(place);
        failure
    };
    if result == S_OK && asked == Some(ID3D12CompilerFactory::IID) && !place.is_null() {
        let alive = FACTORIES.load(Ordering::Relaxed);
        if has(Defect::CreateFails) {
            return give_up(E_FAIL);
        }
        if has(Defect::CreateGivesNull) {
            return give_up(S_OK);
        }
        if (has(Defect::CreateOnlyOne) && alive > 0)
            || (has(Defect::CreateNotAgain) && NO_MORE.load(Ordering::Relaxed))
        {
            return give_up(E_FAIL);
        }
        FACTORIES.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the place has a factory.
        unsafe { factory::hook(*place) };
        return result;
    }
    match result {
        E_NOINTERFACE if has(Defect::CreateIidInvalid) => E_INVALIDARG,
        E_NOINTERFACE if has(Defect::CreateIidIgnored) => {
            // SAFETY: as before, with an IID that the runtime has.
            unsafe { create(path, &ID3D12CompilerFactory::IID, place) }
        }
        FILE_NOT_FOUND if has(Defect::MissingFileOtherwise) => MODULE_NOT_FOUND,
        FILE_NOT_FOUND if has(Defect::MissingFolderOtherwise) => {
            // SAFETY: the caller's promise.
            let file = unsafe { path_of(path) };
            if file.parent().is_some_and(std::path::Path::is_dir) {
                FILE_NOT_FOUND
            } else {
                PATH_NOT_FOUND
            }
        }
        failure if is_no_plugin(failure) && !path.is_null() && has(Defect::NoPluginPlace) => {
            // SAFETY: the caller's place.
            unsafe { place.write(ptr::dangling_mut()) };
            failure
        }
        failure if is_no_plugin(failure) && !path.is_null() && has(Defect::NoPluginAccepted) => {
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
/// `path` is null or NUL-terminated.
unsafe fn path_of(path: PCWSTR) -> PathBuf {
    let mut units = Vec::new();
    let mut next = path.0;
    // SAFETY: the caller's promise; nothing behind the NUL is read.
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
