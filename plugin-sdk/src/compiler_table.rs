//! D3D12DDI_COMPILER_FUNCS.

use std::ffi::c_void;
use std::sync::Arc;

use ddi_sys::{
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_FUNCS, D3D12DDI_COMPILER_TARGET,
    D3D12DDI_COMPILER_VALUE_TYPE_FLAGS, D3D12DDI_HCOMPILER, D3D12DDI_HCOMPILERSTATEOBJECT,
    D3D12DDI_HRTCOMPILER, D3D12DDI_HRTCOMPILERCACHESESSION, D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    D3D12DDIARG_CREATE_STATE_OBJECT_0054, HRESULT, PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE,
    PFND3D12DDI_COMPILER_CREATE_COMPILER, SIZE_T,
};

use crate::boundary::{Nothing, Poison, slot};
use crate::desc::{ApplicationDesc, Collections, PipelineStateDesc, StateObjectDesc};
use crate::error::Result;
use crate::open::{Open, SLOTS};
use crate::plugin::{Compiler, CompilerPlugin};
use crate::private_memory::Block;
use crate::session::{Callbacks, ObjectValueKeys, Session};

/// A compiler object, in the host's memory.
struct CompilerObject<P: CompilerPlugin> {
    compiler: P::Compiler,
    callbacks: Callbacks,
    poison: Poison,
    /// A compiler that outlives its open is the host's mistake; it must not be ours too.
    _open: Arc<Open<P>>,
}

/// A state object, in the host's memory.
struct StateObject<S>(S);

type VendorState<P> = <<P as CompilerPlugin>::Compiler as Compiler>::StateObject;

/// The table of the open in a slot.
pub(crate) fn table<P: CompilerPlugin>(slot: usize) -> D3D12DDI_COMPILER_FUNCS {
    let (calc_private_compiler_size, create_compiler) = PerSlot::<P>::FUNCTIONS[slot];
    D3D12DDI_COMPILER_FUNCS {
        pfnCalcPrivateCompilerSize: calc_private_compiler_size,
        pfnCreateCompiler: create_compiler,
        pfnDestroyCopiler: Some(destroy_compiler::<P>),
        pfnCompilePipelineState: Some(compile_pipeline_state::<P>),
        pfnCalcPrivateStateObjectSize: Some(calc_private_state_object_size::<P>),
        pfnCompileCreateStateObject: Some(compile_create_state_object::<P>),
        pfnCalcPrivateAddToStateObjectSize: Some(calc_private_add_to_state_object_size::<P>),
        pfnCompileAddToStateObject: Some(compile_add_to_state_object::<P>),
        pfnDestroyStateObject: Some(destroy_state_object::<P>),
    }
}

/// The two functions that are told no handle, once for each slot.
struct PerSlot<P>(std::marker::PhantomData<P>);

type SlotFunctions = (
    PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE,
    PFND3D12DDI_COMPILER_CREATE_COMPILER,
);

impl<P: CompilerPlugin> PerSlot<P> {
    const FUNCTIONS: [SlotFunctions; SLOTS] = {
        macro_rules! functions {
            ($($slot:literal)*) => {
                [$((
                    Some(calc_private_compiler_size::<P, $slot>),
                    Some(create_compiler::<P, $slot>),
                )),*]
            };
        }
        functions!(
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
            32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60
            61 62 63
        )
    };
}

unsafe extern "system" fn calc_private_compiler_size<P: CompilerPlugin, const SLOT: usize>(
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
) -> SIZE_T {
    slot("pfnCalcPrivateCompilerSize", || {
        let open = Open::<P>::in_slot(SLOT)?;
        // SAFETY: the host's promise: its arguments are valid for the call.
        unsafe {
            open.target(target)?;
            ApplicationDesc::read(application)?;
        }
        Ok(Block::<CompilerObject<P>>::SIZE)
    })
}

unsafe extern "system" fn create_compiler<P: CompilerPlugin, const SLOT: usize>(
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    compiler: D3D12DDI_HCOMPILER,
    _: D3D12DDI_HRTCOMPILER,
) -> HRESULT {
    slot("pfnCreateCompiler", || {
        let open = Open::<P>::in_slot(SLOT)?;
        let callbacks = open.callbacks()?;
        // SAFETY: the host's promise: its arguments are valid for the call, and the memory has the
        // bytes that were calculated and is the object's until it is destroyed.
        unsafe {
            let target = open.target(target)?;
            let application = ApplicationDesc::read(application)?;
            let object = CompilerObject::<P> {
                compiler: open
                    .poison
                    .guard(|| open.plugin.create_compiler(&target, &application))?,
                callbacks,
                poison: Poison::default(),
                _open: open.clone(),
            };
            Block::place(compiler.pDrvPrivate, object)
        }
    })
}

unsafe extern "system" fn destroy_compiler<P: CompilerPlugin>(compiler: D3D12DDI_HCOMPILER) {
    slot::<Nothing>("pfnDestroyCopiler", || {
        // SAFETY: the host's promise: the handle is one that it created, and no call uses it.
        drop(unsafe { Block::<CompilerObject<P>>::end(compiler.pDrvPrivate)? });
        Ok(Nothing)
    });
}

/// # Safety
/// The handle is one of the host's compilers, which lives for `'a`.
unsafe fn object<'a, P: CompilerPlugin>(
    compiler: D3D12DDI_HCOMPILER,
) -> Result<&'a CompilerObject<P>> {
    // SAFETY: the caller's promise.
    unsafe { Block::get(compiler.pDrvPrivate) }
}

/// Opens a session for one compile call, runs the vendor's code in it, and sets the object's keys if
/// it succeeds.
///
/// # Safety
/// `session` is the session of a call that lasts at least for this one.
unsafe fn compile<P: CompilerPlugin, T>(
    object: &CompilerObject<P>,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    vendor: impl for<'call> FnOnce(&P::Compiler, Session<'call>) -> Result<(ObjectValueKeys<'call>, T)>,
) -> Result<T> {
    // SAFETY: the caller's promise; the callbacks are those of the compiler's open.
    let session = unsafe { Session::new(session, object.callbacks, flags) };
    let setter = session.key_setter();
    let (keys, made) = object.poison.guard(|| vendor(&object.compiler, session))?;
    setter.set(&keys)?;
    Ok(made)
}

unsafe extern "system" fn compile_pipeline_state<P: CompilerPlugin>(
    compiler: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
) -> HRESULT {
    slot("pfnCompilePipelineState", || {
        // SAFETY: the host's promise: the compiler lives, session and description are valid for the
        // call with all that they point at.
        unsafe {
            let object = object::<P>(compiler)?;
            let desc = PipelineStateDesc::read(desc)?;
            compile(object, session, flags, |compiler, session| {
                Ok((compiler.compile_pipeline_state(&desc, session)?, ()))
            })
        }
    })
}

/// Finds the vendor's object behind a collection's handle.
struct OwnCollections;

impl<S> Collections<S> for OwnCollections {
    unsafe fn get<'a>(&self, collection: *mut c_void) -> Option<&'a S> {
        // SAFETY: the caller's promise is what `get` needs.
        unsafe { Block::<StateObject<S>>::get(collection) }
            .ok()
            .map(|object| &object.0)
    }
}

/// # Safety
/// The host's promise for a description of a state object.
unsafe fn state_object_desc<'a, P: CompilerPlugin>(
    desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
) -> Result<StateObjectDesc<'a, VendorState<P>>> {
    // SAFETY: the caller's promise.
    Ok(unsafe { StateObjectDesc::read(desc, &OwnCollections)? })
}

unsafe extern "system" fn calc_private_state_object_size<P: CompilerPlugin>(
    compiler: D3D12DDI_HCOMPILER,
    _: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
) -> SIZE_T {
    slot("pfnCalcPrivateStateObjectSize", || {
        // SAFETY: the host's promise: the compiler lives.
        unsafe { object::<P>(compiler)? };
        Ok(Block::<StateObject<VendorState<P>>>::SIZE)
    })
}

unsafe extern "system" fn compile_create_state_object<P: CompilerPlugin>(
    compiler: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    state_object: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    slot("pfnCompileCreateStateObject", || {
        // SAFETY: the host's promise: the compiler lives, session and description are valid for the
        // call, the memory has the bytes that were calculated and is the object's until its end.
        unsafe {
            let object = object::<P>(compiler)?;
            // Before the compile: once the keys are set, nothing may fail.
            Block::<StateObject<VendorState<P>>>::check(state_object.pDrvPrivate)?;
            let desc = state_object_desc::<P>(desc)?;
            let state = compile(object, session, flags, |compiler, session| {
                compiler.compile_state_object(&desc, session)
            })?;
            Block::place(state_object.pDrvPrivate, StateObject(state))
        }
    })
}

unsafe extern "system" fn calc_private_add_to_state_object_size<P: CompilerPlugin>(
    compiler: D3D12DDI_HCOMPILER,
    _: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    _: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> SIZE_T {
    slot("pfnCalcPrivateAddToStateObjectSize", || {
        // SAFETY: the host's promise: the compiler lives.
        unsafe { object::<P>(compiler)? };
        Ok(Block::<StateObject<VendorState<P>>>::SIZE)
    })
}

unsafe extern "system" fn compile_add_to_state_object<P: CompilerPlugin>(
    compiler: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    parent: D3D12DDI_HCOMPILERSTATEOBJECT,
    state_object: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    slot("pfnCompileAddToStateObject", || {
        // SAFETY: as for creation; the parent lives until all its additions are destroyed.
        unsafe {
            let object = object::<P>(compiler)?;
            Block::<StateObject<VendorState<P>>>::check(state_object.pDrvPrivate)?;
            let parent = Block::<StateObject<VendorState<P>>>::get(parent.pDrvPrivate)?;
            let addition = state_object_desc::<P>(desc)?;
            let state = compile(object, session, flags, |compiler, session| {
                compiler.compile_add_to_state_object(&parent.0, &addition, session)
            })?;
            Block::place(state_object.pDrvPrivate, StateObject(state))
        }
    })
}

unsafe extern "system" fn destroy_state_object<P: CompilerPlugin>(
    _: D3D12DDI_HCOMPILER,
    state_object: D3D12DDI_HCOMPILERSTATEOBJECT,
) {
    slot::<Nothing>("pfnDestroyStateObject", || {
        // SAFETY: the host's promise: the handle is one that it created, and no call uses it.
        drop(unsafe { Block::<StateObject<VendorState<P>>>::end(state_object.pDrvPrivate)? });
        Ok(Nothing)
    });
}
