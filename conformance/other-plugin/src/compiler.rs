//! The COMPILER table. Private memory is one byte, whose address is the name of what lives there.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ddi_sys::{
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_FUNCS,
    D3D12DDI_COMPILER_TARGET, D3D12DDI_COMPILER_VALUE_TYPE_FLAGS, D3D12DDI_HCOMPILER,
    D3D12DDI_HCOMPILERSTATEOBJECT, D3D12DDI_HRTCOMPILER, D3D12DDI_HRTCOMPILERCACHESESSION,
    D3D12DDIARG_CREATE_PIPELINE_STATE_0099, D3D12DDIARG_CREATE_STATE_OBJECT_0054, E_FAIL,
    E_INVALIDARG, E_UNEXPECTED, HRESULT, S_FALSE, SIZE_T,
};

use crate::family;
use crate::object::{self, Compiler, Part, StateObject};
use crate::open::{self, SLOTS};
use crate::session::Session;

/// A compiler before its first compile: what it is for.
struct Created {
    slot: usize,
    target: D3D12DDI_COMPILER_TARGET,
    profile: u64,
    /// What the first compile makes.
    made: Option<Arc<Made>>,
}

/// A compiler after it, with the callbacks that were set then.
struct Made {
    compiler: Compiler,
    callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS,
}

/// What lives at the addresses of private memory.
type Living<T> = Mutex<BTreeMap<usize, T>>;

static COMPILERS: Living<Created> = Mutex::new(BTreeMap::new());
static STATE_OBJECTS: Living<StateObject> = Mutex::new(BTreeMap::new());

fn lock<T>(living: &'static Living<T>) -> MutexGuard<'static, BTreeMap<usize, T>> {
    living.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The table of an open.
pub(crate) fn funcs(slot: usize) -> D3D12DDI_COMPILER_FUNCS {
    D3D12DDI_COMPILER_FUNCS {
        pfnCalcPrivateCompilerSize: Some(calc_private_compiler_size),
        pfnCreateCompiler: Some(CREATE[slot]),
        pfnDestroyCopiler: Some(destroy_compiler),
        pfnCompilePipelineState: Some(compile_pipeline_state),
        pfnCalcPrivateStateObjectSize: Some(calc_private_state_object_size),
        pfnCompileCreateStateObject: Some(compile_create_state_object),
        pfnCalcPrivateAddToStateObjectSize: Some(calc_private_addition_size),
        pfnCompileAddToStateObject: Some(compile_add_to_state_object),
        pfnDestroyStateObject: Some(destroy_state_object),
    }
}

type Create = unsafe extern "system" fn(
    *const D3D12DDI_COMPILER_TARGET,
    *const D3D12DDI_APPLICATION_DESC,
    D3D12DDI_HCOMPILER,
    D3D12DDI_HRTCOMPILER,
) -> HRESULT;

/// `pfnCreateCompiler` of each slot.
static CREATE: [Create; SLOTS] = {
    macro_rules! of_each {
        ($($slot:literal)*) => { [$(create_compiler::<$slot>),*] };
    }
    of_each!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
        32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63)
};

/// # Safety
///
/// PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE.
unsafe extern "system" fn calc_private_compiler_size(
    _: *const D3D12DDI_COMPILER_TARGET,
    _: *const D3D12DDI_APPLICATION_DESC,
) -> SIZE_T {
    1
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CREATE_COMPILER: the pointers are null or valid for the call.
unsafe extern "system" fn create_compiler<const SLOT: usize>(
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    compiler: D3D12DDI_HCOMPILER,
    _: D3D12DDI_HRTCOMPILER,
) -> HRESULT {
    // SAFETY: null or valid for the call (`# Safety`).
    let (target, profile) = unsafe { (family::target(target), family::profile(application)) };
    match (target, profile) {
        (Ok((_, target)), Ok(profile)) => {
            let created = Created {
                slot: SLOT,
                target,
                profile,
                made: None,
            };
            lock(&COMPILERS).insert(compiler.pDrvPrivate.addr(), created);
            S_FALSE
        }
        (Err(failure), _) | (_, Err(failure)) => failure,
    }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_DESTROY_COMPILER.
unsafe extern "system" fn destroy_compiler(compiler: D3D12DDI_HCOMPILER) {
    lock(&COMPILERS).remove(&compiler.pDrvPrivate.addr());
}

/// The compiler, made if this is its first compile.
fn made(compiler: D3D12DDI_HCOMPILER) -> Result<Arc<Made>, HRESULT> {
    let mut compilers = lock(&COMPILERS);
    let created = compilers
        .get_mut(&compiler.pDrvPrivate.addr())
        .ok_or(E_FAIL)?;
    if let Some(made) = &created.made {
        return Ok(Arc::clone(made));
    }
    let D3D12DDI_COMPILER_TARGET {
        AdapterFamilyIndex,
        ABIVersion,
    } = created.target;
    let family = family::family(AdapterFamilyIndex).ok_or(E_UNEXPECTED)?;
    let made = Arc::new(Made {
        compiler: Compiler::new((family, AdapterFamilyIndex), ABIVersion, created.profile),
        callbacks: open::callbacks(created.slot).ok_or(E_UNEXPECTED)?,
    });
    created.made = Some(Arc::clone(&made));
    Ok(made)
}

/// One compile: divides what there is to compile, completes the session, and lets `keep` note the rest.
fn compile<T>(
    compiler: D3D12DDI_HCOMPILER,
    (handle, types): (
        D3D12DDI_HRTCOMPILERCACHESESSION,
        D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    ),
    divide: impl FnOnce(&Compiler) -> Result<(Vec<Part>, T), HRESULT>,
    keep: impl FnOnce(T),
) -> HRESULT {
    let all = || {
        let made = made(compiler)?;
        let (parts, rest) = divide(&made.compiler)?;
        let (callbacks, cache) = (made.callbacks, made.compiler.family.cache);
        Session {
            callbacks,
            handle,
            types,
            cache,
        }
        .finish(parts)?;
        keep(rest);
        Ok(S_FALSE)
    };
    all().unwrap_or_else(|failure| failure)
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE: the description is null or valid for the call.
unsafe extern "system" fn compile_pipeline_state(
    compiler: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
) -> HRESULT {
    // SAFETY: null or valid for the call (`# Safety`).
    let Some(desc) = (unsafe { desc.as_ref() }) else {
        return E_INVALIDARG;
    };
    let divide = |compiler: &Compiler| {
        // SAFETY: so is what the description points at (`# Safety`).
        unsafe { object::pipeline(compiler, desc) }.map(|parts| (parts, ()))
    };
    compile(compiler, (session, types), divide, |()| {})
}

/// Compiles a state object, as an addition to `parent` if there is one.
///
/// # Safety
///
/// The description is null or valid for the call.
unsafe fn compile_state_object(
    compiler: D3D12DDI_HCOMPILER,
    session: (
        D3D12DDI_HRTCOMPILERCACHESESSION,
        D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    ),
    desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    parent: Option<D3D12DDI_HCOMPILERSTATEOBJECT>,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    // SAFETY: null or valid for the call (`# Safety`).
    let Some(desc) = (unsafe { desc.as_ref() }) else {
        return E_INVALIDARG;
    };
    let known = |address| lock(&STATE_OBJECTS).get(&address).copied();
    let divide = |compiler: &Compiler| {
        let parent = parent.map(|parent| known(parent.pDrvPrivate.addr()).ok_or(E_FAIL));
        // SAFETY: so is what the description points at (`# Safety`).
        unsafe { object::state_object(compiler, desc, parent.transpose()?, known) }
    };
    let keep = |new| {
        lock(&STATE_OBJECTS).insert(object.pDrvPrivate.addr(), new);
    };
    compile(compiler, session, divide, keep)
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE.
unsafe extern "system" fn calc_private_state_object_size(
    _: D3D12DDI_HCOMPILER,
    _: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
) -> SIZE_T {
    1
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the description is null or valid.
unsafe extern "system" fn compile_create_state_object(
    compiler: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    // SAFETY: null or valid (`# Safety`).
    unsafe { compile_state_object(compiler, (session, types), desc, None, object) }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE.
unsafe extern "system" fn calc_private_addition_size(
    _: D3D12DDI_HCOMPILER,
    _: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    _: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> SIZE_T {
    1
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT: the description is null or valid.
unsafe extern "system" fn compile_add_to_state_object(
    compiler: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    parent: D3D12DDI_HCOMPILERSTATEOBJECT,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    // SAFETY: null or valid (`# Safety`).
    unsafe { compile_state_object(compiler, (session, types), desc, Some(parent), object) }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_DESTROY_STATE_OBJECT.
unsafe extern "system" fn destroy_state_object(
    _: D3D12DDI_HCOMPILER,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) {
    lock(&STATE_OBJECTS).remove(&object.pDrvPrivate.addr());
}
