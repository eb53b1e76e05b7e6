//! `ID3D12Compiler` and `ID3D12CompilerStateObject`.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use std::{mem, ptr, slice, thread};

use api_sys::{
    D3D12_COMPILER_CACHE_GROUP_KEY, D3D12_PIPELINE_STATE_STREAM_DESC, D3D12_SHADER_BYTECODE,
    D3D12_STATE_OBJECT_DESC, DXGI_ERROR_INVALID_CALL, E_FAIL, E_INVALIDARG, E_NOTIMPL, E_POINTER,
    ID3D12Compiler_Vtbl, ID3D12CompilerCacheSession, ID3D12CompilerStateObject,
    ID3D12CompilerStateObject_Vtbl, PipelineStateSubobject, S_OK,
};
use windows_core::{GUID, HRESULT, Interface, Ref};

use crate::defect::Defect;
use crate::hook::{follow, release};
use crate::{has, session};

static ORIGINAL: OnceLock<ID3D12Compiler_Vtbl> = OnceLock::new();
static ORIGINAL_OBJECT: OnceLock<ID3D12CompilerStateObject_Vtbl> = OnceLock::new();

fn original() -> &'static ID3D12Compiler_Vtbl {
    ORIGINAL.get().expect("set before a method is replaced")
}

/// Replaces the methods of a compiler.
///
/// # Safety
/// `compiler` is an `ID3D12Compiler` that the program has not got yet.
pub(crate) unsafe fn hook(compiler: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe {
        crate::hook::hook(compiler, &ORIGINAL, |table| {
            table.CompilePipelineState = compile_pipeline_state;
            table.CompileStateObject = compile_state_object;
            table.CompileAddToStateObject = compile_add_to_state_object;
        });
    }
}

/// Does something with the session of a compiler.
fn with_session<R>(this: *mut c_void, use_it: impl FnOnce(*mut c_void) -> R) -> Option<R> {
    let mut session = ptr::null_mut();
    let iid = &ID3D12CompilerCacheSession::IID;
    // SAFETY: `this` is a compiler, and the IID is that of the place.
    let result = unsafe { (original().GetCacheSession)(this, iid, &raw mut session) };
    if result != S_OK {
        return None;
    }
    // SAFETY: the call gave a session.
    let session = unsafe { ID3D12CompilerCacheSession::from_raw(session) };
    Some(use_it(session.as_raw()))
}

/// Whether the session of a compiler has a group.
fn is_present(this: *mut c_void, key: *const D3D12_COMPILER_CACHE_GROUP_KEY) -> bool {
    // SAFETY: a session, and the caller's key.
    let find = |session| unsafe { session::version(session, key) }.is_some();
    with_session(this, find).unwrap_or(false)
}

/// Another key, made of a key.
struct OtherKey(Vec<u8>);

impl OtherKey {
    /// For a group that is not present.
    ///
    /// # Safety
    /// `key` is null or a key.
    unsafe fn new(this: *mut c_void, key: *const D3D12_COMPILER_CACHE_GROUP_KEY) -> Option<Self> {
        if is_present(this, key) {
            return None;
        }
        // SAFETY: the caller's promise.
        let key = unsafe { key.as_ref() }.filter(|key| !key.pKey.is_null())?;
        // SAFETY: the caller's promise.
        let bytes = unsafe { slice::from_raw_parts(key.pKey.cast::<u8>(), key.KeySize as usize) };
        Some(Self([b"other ", bytes].concat()))
    }

    fn raw(&self) -> D3D12_COMPILER_CACHE_GROUP_KEY {
        D3D12_COMPILER_CACHE_GROUP_KEY {
            pKey: self.0.as_ptr().cast(),
            KeySize: u32::try_from(self.0.len()).unwrap_or(0),
        }
    }
}

// In every function below the pointers are null or to what the API says.

unsafe extern "system" fn compile_pipeline_state(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    version: u32,
    desc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
) -> HRESULT {
    static BUSY: AtomicBool = AtomicBool::new(false);
    if key.is_null() && has(Defect::NullGroupKeyFollowed) {
        follow(key);
    }
    if desc.is_null() && has(Defect::NullDescPointer) {
        return E_POINTER;
    }
    if has(Defect::PresentAccepted) && is_present(this, key) {
        return S_OK;
    }
    if has(Defect::PresentFails) && is_present(this, key) {
        return E_FAIL;
    }
    // SAFETY: null or the caller's.
    if let Some(desc) = unsafe { desc.as_ref() }
        && desc.SizeInBytes > size_of::<PipelineStateSubobject<D3D12_SHADER_BYTECODE>>()
        && has(Defect::NoGraphics)
    {
        return E_NOTIMPL;
    }
    // SAFETY: the caller's promise is passed on; here and below.
    let compile = |key| unsafe { (original().CompilePipelineState)(this, key, version, desc) };
    if has(Defect::NoGroup) {
        // SAFETY: see above.
        let other = unsafe { OtherKey::new(this, key) };
        if let Some(other) = other {
            let raw = other.raw();
            return compile(&raw const raw);
        }
    }
    if has(Defect::OneAtATime) {
        if BUSY.swap(true, Ordering::Relaxed) {
            return DXGI_ERROR_INVALID_CALL;
        }
        thread::sleep(Duration::from_millis(30));
        let result = compile(key);
        BUSY.store(false, Ordering::Relaxed);
        return result;
    }
    let result = compile(key);
    if result.is_err() && !key.is_null() && !desc.is_null() && has(Defect::GroupOfFailure) {
        // SAFETY: a session and the caller's key.
        with_session(this, |session| unsafe {
            session::store_empty_group(session, key, version);
        });
    }
    result
}

/// What both calls that make a state object do after it is made.
///
/// # Safety
/// The place has a state object that the program has not got yet.
unsafe fn made(riid: *const GUID, place: *mut *mut c_void) {
    // SAFETY: the call succeeded, so the IID and the place are there.
    unsafe {
        if *riid == ID3D12CompilerStateObject::IID {
            crate::hook::hook(*place, &ORIGINAL_OBJECT, |table| {
                table.GetCompiler = get_compiler;
            });
        }
    }
}

unsafe extern "system" fn compile_state_object(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    version: u32,
    desc: *const D3D12_STATE_OBJECT_DESC,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    // SAFETY: see above.
    let compile =
        |key| unsafe { (original().CompileStateObject)(this, key, version, desc, riid, place) };
    let mut result = None;
    if has(Defect::NoObjectGroup) {
        // SAFETY: see above.
        let other = unsafe { OtherKey::new(this, key) };
        result = other.map(|other| {
            let raw = other.raw();
            compile(&raw const raw)
        });
    }
    let result = result.unwrap_or_else(|| compile(key));
    if result != S_OK {
        return result;
    }
    if has(Defect::NoStateObjects) {
        // SAFETY: the place has a state object.
        unsafe { release(place) };
        return E_NOTIMPL;
    }
    // SAFETY: as before.
    unsafe { made(riid, place) };
    result
}

unsafe extern "system" fn compile_add_to_state_object(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    version: u32,
    addition: *const D3D12_STATE_OBJECT_DESC,
    parent: Ref<ID3D12CompilerStateObject>,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    /// The state objects that were grown, as addresses.
    static GROWN: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let grown = || GROWN.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: a Ref is the pointer.
    let pointer: *mut c_void = unsafe { mem::transmute_copy(&parent) };
    if has(Defect::NoGrandchildren) && grown().contains(&pointer.addr()) {
        return E_INVALIDARG;
    }
    // SAFETY: see above.
    let result = unsafe {
        (original().CompileAddToStateObject)(this, key, version, addition, parent, riid, place)
    };
    if result == S_OK {
        // SAFETY: the place has a state object.
        unsafe {
            grown().push((*place).addr());
            made(riid, place);
        }
    }
    result
}

unsafe extern "system" fn get_compiler(
    this: *mut c_void,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    if has(Defect::NoCompiler) {
        return E_NOTIMPL;
    }
    let original = ORIGINAL_OBJECT
        .get()
        .expect("set before a method is replaced");
    // SAFETY: see above.
    unsafe { (original.GetCompiler)(this, riid, place) }
}
