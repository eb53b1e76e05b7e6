//! D3D12DDI_COMPILER_FUNCS.

use std::ffi::c_void;
use std::sync::Arc;

use ddi_sys::{
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_FUNCS, D3D12DDI_COMPILER_TARGET,
    D3D12DDI_COMPILER_VALUE_TYPE_FLAGS, D3D12DDI_HCOMPILER, D3D12DDI_HCOMPILERSTATEOBJECT,
    D3D12DDI_HRTCOMPILERCACHESESSION, D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    D3D12DDIARG_CREATE_STATE_OBJECT_0054, HRESULT, SIZE_T,
};

use crate::boundary::{Nothing, Poison, slot};
use crate::desc::{ApplicationDesc, Collections, PipelineStateDesc, StateObjectDesc};
use crate::error::Result;
use crate::open::{AnyOpen, Open};
use crate::plugin::{Compiler, CompilerPlugin};
use crate::private_memory::Block;
use crate::session::{Callbacks, ObjectValueKeys, Session};
use crate::slots;

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
    let (calc_private_compiler_size, create_compiler) = slots::functions(slot);
    D3D12DDI_COMPILER_FUNCS {
        pfnCalcPrivateCompilerSize: Some(calc_private_compiler_size),
        pfnCreateCompiler: Some(create_compiler),
        pfnDestroyCopiler: Some(destroy_compiler::<P>),
        pfnCompilePipelineState: Some(compile_pipeline_state::<P>),
        pfnCalcPrivateStateObjectSize: Some(calc_private_state_object_size::<P>),
        pfnCompileCreateStateObject: Some(compile_create_state_object::<P>),
        pfnCalcPrivateAddToStateObjectSize: Some(calc_private_add_to_state_object_size::<P>),
        pfnCompileAddToStateObject: Some(compile_add_to_state_object::<P>),
        pfnDestroyStateObject: Some(destroy_state_object::<P>),
    }
}

impl<P: CompilerPlugin> AnyOpen for Open<P> {
    unsafe fn calc_private_compiler_size(
        &self,
        target: *const D3D12DDI_COMPILER_TARGET,
        application: *const D3D12DDI_APPLICATION_DESC,
    ) -> Result<SIZE_T> {
        // SAFETY: PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE: both pointers are _In_, and the views of them end here.
        unsafe {
            self.target(target)?;
            ApplicationDesc::read(application)?;
        }
        Ok(Block::<CompilerObject<P>>::SIZE)
    }

    unsafe fn create_compiler(
        self: Arc<Self>,
        target: *const D3D12DDI_COMPILER_TARGET,
        application: *const D3D12DDI_APPLICATION_DESC,
        compiler: D3D12DDI_HCOMPILER,
    ) -> Result<()> {
        let callbacks = self.callbacks()?;
        // SAFETY: PFND3D12DDI_COMPILER_CREATE_COMPILER: pTarget and pApplicationDesc are _In_; hCompiler is memory that the
        // caller allocated, of the calculated size, for the object to have until it is destroyed.
        unsafe {
            let target = self.target(target)?;
            let application = ApplicationDesc::read(application)?;
            let object = CompilerObject::<P> {
                compiler: self
                    .poison
                    .guard(|| self.plugin.create_compiler(&target, &application))?,
                callbacks,
                poison: Poison::default(),
                _open: self.clone(),
            };
            Block::place(compiler.pDrvPrivate, object)
        }
    }
}

unsafe extern "system" fn destroy_compiler<P: CompilerPlugin>(compiler: D3D12DDI_HCOMPILER) {
    slot::<Nothing>("pfnDestroyCopiler", || {
        // SAFETY: PFND3D12DDI_COMPILER_DESTROY_COMPILER: hCompiler is one that the host created, and no other call uses it
        // (docs/spec-notes.md, "Threads"), so no reference to the object is alive.
        drop(unsafe { Block::<CompilerObject<P>>::end(compiler.pDrvPrivate)? });
        Ok(Nothing)
    });
}

/// # Safety
///
/// The handle is one of the host's compilers, which lives for `'a`.
unsafe fn object<'a, P: CompilerPlugin>(
    compiler: D3D12DDI_HCOMPILER,
) -> Result<&'a CompilerObject<P>> {
    // SAFETY: `pDrvPrivate` is the memory of a compiler that lives for `'a` (`# Safety`), of the size that was calculated.
    unsafe { Block::get(compiler.pDrvPrivate) }
}

/// Opens a session for one compile call, runs the vendor's code in it, and sets the object's keys if
/// it succeeds.
///
/// # Safety
///
/// `session` is the session of a call that lasts at least for this one.
unsafe fn compile<P: CompilerPlugin, T>(
    object: &CompilerObject<P>,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    vendor: impl for<'call> FnOnce(&P::Compiler, Session<'call>) -> Result<(ObjectValueKeys<'call>, T)>,
) -> Result<T> {
    // SAFETY: `session` is of a call that outlasts this one (`# Safety`); the callbacks are those of the compiler's open.
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
        // SAFETY: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE: hCompiler lives; the session has the lifetime of this call, and
        // so have pPipelineStateArg and all that it points at.
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

impl<S: 'static> Collections<S> for OwnCollections {
    unsafe fn get<'a>(&self, collection: *mut c_void) -> Option<&'a S> {
        // SAFETY: `collection` is null or a state object of the host's that lives for `'a` (`# Safety` of the trait).
        unsafe { Block::<StateObject<S>>::get(collection) }
            .ok()
            .map(|object| &object.0)
    }
}

/// # Safety
///
/// `desc` is null or valid and unchanged for `'a` with all that it points at, handles and collections included.
unsafe fn state_object_desc<'a, P: CompilerPlugin>(
    desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
) -> Result<StateObjectDesc<'a, VendorState<P>>> {
    // SAFETY: `desc` is null or valid and unchanged for `'a`, handles and collections included (`# Safety`).
    Ok(unsafe { StateObjectDesc::read(desc, &OwnCollections)? })
}

unsafe extern "system" fn calc_private_state_object_size<P: CompilerPlugin>(
    compiler: D3D12DDI_HCOMPILER,
    _: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
) -> SIZE_T {
    slot("pfnCalcPrivateStateObjectSize", || {
        // SAFETY: PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE: hCompiler is a compiler that lives.
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
        // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: hCompiler lives, the session has the lifetime of this call,
        // pCreateStateObject that of hStateObject, which is pre-allocated space of the calculated size.
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
        // SAFETY: PFND3D12DDI_COMPILER_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE: hCompiler is a compiler that lives.
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
        // SAFETY: PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT: hCompiler lives, the session has the lifetime of this call,
        // pCreateStateObject and StateObjectToGrowFrom that of hStateObject, pre-allocated space of the calculated size.
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
        // SAFETY: PFND3D12DDI_COMPILER_DESTROY_STATE_OBJECT: hStateObject is one that the host created, and no other call uses
        // it (docs/spec-notes.md, "Threads"), so no reference to the object is alive.
        drop(unsafe { Block::<StateObject<VendorState<P>>>::end(state_object.pDrvPrivate)? });
        Ok(Nothing)
    });
}
