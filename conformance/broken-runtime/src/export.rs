//! `D3D12CompilerCreateFactory`.

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};

use api_sys::*;
use defects::{Place, VARIABLE, changed, rows};
use libloading::Library;
use windows_core::{GUID, HRESULT, Interface, PCWSTR};

use crate::LIBRARY;
use crate::hook::{hook, release};
use crate::host::{Asked, OpenPlugin, plugin_for};
use crate::places::*;

rows! {
    Hook, Asked;

    "create-fails" breaks R_FAC_01: "a factory is refused with E_FAIL",
        at CreateFactory |call| given_up_if(call, |_| true, E_FAIL);
    "create-gives-null" breaks R_FAC_01: "S_OK comes without a factory",
        at CreateFactory |call| given_up_if(call, |_| true, S_OK);
    "create-iid-invalid" breaks R_FAC_02: "an unknown IID gets E_INVALIDARG",
        at CreateFactory |call| changed(call.pass(), E_NOINTERFACE, E_INVALIDARG);
    "create-iid-ignored" breaks R_FAC_02: "an unknown IID gets a factory",
        at CreateFactory |call| call.after(|call, result| if *result == E_NOINTERFACE {
            *result = call.create(&ID3D12CompilerFactory::IID);
        });
    "create-missing-file-otherwise" breaks R_FAC_03: "a missing file gets the loader's ERROR_MOD_NOT_FOUND",
        at CreateFactory |call| changed(call.pass(), FILE_NOT_FOUND, MODULE_NOT_FOUND);
    "create-missing-folder-otherwise" breaks R_FAC_03: "a path into a missing folder gets the system's ERROR_PATH_NOT_FOUND",
        at CreateFactory |call| {
            // SAFETY: D3D12CompilerCreateFactory: the path is null or NUL-terminated.
            let file = unsafe { path_of(call.path) };
            let is_missing = !file.parent().is_some_and(Path::is_dir);
            changed(call.pass(), FILE_NOT_FOUND, if is_missing { PATH_NOT_FOUND } else { FILE_NOT_FOUND })
        };
    "create-null-path-pointer" breaks R_FAC_04: "a null path gets E_POINTER",
        at CreateFactory |call| call.answer_if(call.path.is_null(), E_POINTER);
    "create-null-path-followed" breaks R_FAC_04: "a null path is read",
        at CreateFactory |call| call.following(call.path.0);
    "create-no-plugin-accepted" breaks R_FAC_05: "a file that is no plugin gets S_FALSE",
        at CreateFactory |call| call.after(|call, result| if call.has_no_plugin(*result) {
            *result = S_FALSE;
        });
    "create-no-plugin-place" breaks R_FAC_05: "a file that is no plugin leaves *ppFactory as it was",
        at CreateFactory |call| call.after(|call, result| if call.has_no_plugin(*result) && !call.place.is_null() {
            // SAFETY: D3D12CompilerCreateFactory: the place is null or valid for a pointer.
            unsafe { call.place.write(ptr::dangling_mut()) };
        });
    "create-only-one" breaks R_FAC_06: "a second factory while one lives is refused",
        at CreateFactory |call| given_up_if(call, |before| before > 0, E_FAIL),
        at ReleaseFactory ended;
    "create-not-again" breaks R_FAC_06: "after the last factory is released no more can be made",
        at CreateFactory |call| given_up_if(call, |before| before == 0 && HAS_ENDED.load(Ordering::Relaxed), E_FAIL),
        at ReleaseFactory ended;
}

/// Names the library of the runtime that has no defect.
pub const RUNTIME: &str = "DDI_RUNTIME";

/// HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND).
const FILE_NOT_FOUND: HRESULT = HRESULT(0x8007_0002_u32.cast_signed());
/// HRESULT_FROM_WIN32(ERROR_PATH_NOT_FOUND).
const PATH_NOT_FOUND: HRESULT = HRESULT(0x8007_0003_u32.cast_signed());
/// HRESULT_FROM_WIN32(ERROR_MOD_NOT_FOUND).
const MODULE_NOT_FOUND: HRESULT = HRESULT(0x8007_007E_u32.cast_signed());

type Export = unsafe extern "system" fn(PCWSTR, *const GUID, *mut *mut c_void) -> HRESULT;

/// The runtime's export.
fn runtime() -> Option<Export> {
    static LIBRARY: OnceLock<Option<(Library, Export)>> = OnceLock::new();
    let load = || {
        // SAFETY: the library is a compiler runtime, whose export has this type.
        unsafe {
            let library = Library::new(std::env::var_os(RUNTIME)?).ok()?;
            let export = library.get::<Export>(b"D3D12CompilerCreateFactory\0");
            let export = *export.ok()?;
            Some((library, export))
        }
    };
    LIBRARY
        .get_or_init(load)
        .as_ref()
        .map(|(_, export)| *export)
}

/// `D3D12CompilerCreateFactory`: gives a factory of the runtime, or does what the defect is. `own` is the other
/// export of this library, [`open_compiler_ddi`](crate::open_compiler_ddi).
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
    if let Err(name) = LIBRARY.selected() {
        eprintln!("broken-runtime: {VARIABLE} is {name:?}, which is no defect");
        return E_INVALIDARG;
    }
    let Some(export) = runtime() else {
        eprintln!("broken-runtime: {RUNTIME} names no compiler runtime");
        return E_FAIL;
    };
    CreateFactory {
        export,
        own,
        path,
        riid,
        place,
    }
    .hooked()
}

/// A call of the export.
pub(crate) struct CreateFactory {
    export: Export,
    own: OpenPlugin,
    path: PCWSTR,
    riid: *const GUID,
    place: *mut *mut c_void,
}

impl Place for CreateFactory {
    type Answer = HRESULT;

    fn pass(&mut self) -> HRESULT {
        let result = self.create(self.riid);
        if self.is_factory(result) {
            // SAFETY: the place has a factory, which nobody else has yet.
            unsafe { hook(*self.place, &FACTORY, layer) };
        }
        result
    }
}

fn layer(methods: &mut ID3D12CompilerFactory_Vtbl) {
    layer_factory(methods);
    methods.CreateCompiler = create_compiler;
}

impl CreateFactory {
    fn create(&self, riid: *const GUID) -> HRESULT {
        // SAFETY: D3D12CompilerCreateFactory: the path is null or NUL-terminated, `riid` null or to a GUID, the place null or to
        // a pointer.
        unsafe {
            let own = plugin_for(self.path, self.own);
            let path = own.as_ref().map_or(self.path, |own| PCWSTR(own.as_ptr()));
            (self.export)(path, riid, self.place)
        }
    }

    /// Whether the call has made a factory.
    pub(crate) fn is_factory(&self, result: HRESULT) -> bool {
        // SAFETY: D3D12CompilerCreateFactory: `riid` is null or to a GUID.
        let asked = unsafe { self.riid.as_ref() };
        result == S_OK && asked == Some(&ID3D12CompilerFactory::IID) && !self.place.is_null()
    }

    /// Whether a factory was refused for what its file is.
    fn has_no_plugin(&self, result: HRESULT) -> bool {
        !self.path.is_null()
            && result.is_err()
            && ![FILE_NOT_FOUND, E_NOINTERFACE].contains(&result)
    }
}

/// The factories that the program holds.
static FACTORIES: AtomicIsize = AtomicIsize::new(0);

/// Set when one of them is gone.
static HAS_ENDED: AtomicBool = AtomicBool::new(false);

/// Whether a factory is gone.
pub(crate) fn has_ended() -> bool {
    HAS_ENDED.load(Ordering::Relaxed)
}

/// Notes that a factory is gone.
pub(crate) fn ended(call: &mut ReleaseFactory) -> u32 {
    call.after(|_, left| {
        if *left == 0 {
            FACTORIES.fetch_sub(1, Ordering::Relaxed);
            HAS_ENDED.store(true, Ordering::Relaxed);
        }
    })
}

/// Makes a factory, and gives it up, where there were so many before.
fn given_up_if(call: &mut CreateFactory, is_so: fn(isize) -> bool, answer: HRESULT) -> HRESULT {
    call.after(|call, result| {
        if call.is_factory(*result) && is_so(FACTORIES.fetch_add(1, Ordering::Relaxed)) {
            release(call.place);
            *result = answer;
        }
    })
}

/// A path of the caller's; empty for null.
///
/// # Safety
///
/// `path` is null or NUL-terminated.
pub(crate) unsafe fn path_of(path: PCWSTR) -> PathBuf {
    // PCWSTR::as_wide takes the 32-bit characters of Linux's wcslen.
    // SAFETY: as this function demands; nothing behind the NUL is read.
    let unit = |at| unsafe { path.0.add(at).read() };
    let units = (0..).map(unit).take_while(|unit| *unit != 0);
    let units: Vec<u16> = (!path.is_null())
        .then_some(units)
        .into_iter()
        .flatten()
        .collect();
    String::from_utf16_lossy(&units).into()
}
