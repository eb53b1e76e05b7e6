//! Compilers and state objects: the plugin's objects in the host's memory.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::Arc;

use ddi_sys::{
    D3D12DDI_COMPILER_VALUE_TYPE_FLAGS, D3D12DDI_HCOMPILER, D3D12DDI_HCOMPILERSTATEOBJECT,
    D3D12DDI_HRTCOMPILER, D3D12DDI_HRTCOMPILERCACHESESSION, D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    D3D12DDIARG_CREATE_STATE_OBJECT_0054,
};

use crate::error::made;
use crate::handle::{self, FreeThreaded};
use crate::session::SessionScope;
use crate::{ApplicationDesc, CallError, CallFailure, Plugin, Target};

/// A compiler for one target and application. Clones share it; the host destroys it when the last clone and every state
/// object created with it are gone. Any thread may compile, several at a time.
///
/// A compile call takes the session for it, ends it when it returns, and returns the keys of the values that make up the
/// compiled object. Its twin, whose name ends in `raw`, takes a handle and does not look at keys: for tests, and for
/// [`Plugin::open_with_callbacks`].
///
/// Specification: ShaderCompilerPlugin.md, "Compiling State Objects".
#[derive(Clone, Debug)]
pub struct Compiler(Arc<CreatedCompiler>);

#[derive(Debug)]
struct CreatedCompiler {
    handle: FreeThreaded<D3D12DDI_HCOMPILER>,
    _memory: PrivateMemory,
    target: Target,
    plugin: Plugin,
}

impl Plugin {
    /// Calls `pfnCalcPrivateCompilerSize` and `pfnCreateCompiler`, on one thread at a time: vendors often write the
    /// initialisation of the first compiler for one thread.
    ///
    /// # Errors
    ///
    /// The memory cannot be allocated, the call fails, or the target belongs to another open; then there is nothing to
    /// destroy.
    pub fn create_compiler(
        &self,
        target: Target,
        application: &ApplicationDesc,
    ) -> Result<Compiler, CallError> {
        let call = "pfnCreateCompiler";
        let (raw_target, application) = (self.own(call, target)?, application.raw());
        let funcs = self.compiler_funcs();
        let _creating = self.creating();
        // SAFETY: the structures are valid for the call.
        let size = unsafe {
            (funcs.pfnCalcPrivateCompilerSize)(&raw const raw_target, &raw const application)
        };
        let mut memory = self.private_memory("pfnCalcPrivateCompilerSize", size)?;
        let handle = D3D12DDI_HCOMPILER {
            pDrvPrivate: memory.as_mut_ptr(),
        };
        let runtime = D3D12DDI_HRTCOMPILER {
            handle: handle::fresh(),
        };
        // SAFETY: PFND3D12DDI_COMPILER_CREATE_COMPILER: both structures outlive the call, and `memory` has the size that the
        // plugin asked for.
        let result = unsafe {
            let application = &raw const application;
            (funcs.pfnCreateCompiler)(&raw const raw_target, application, handle, runtime)
        };
        made(self.library(), call, result, || {
            Compiler(Arc::new(CreatedCompiler {
                handle: FreeThreaded(handle),
                _memory: memory,
                target,
                plugin: self.clone(),
            }))
        })
    }

    /// The `size` bytes that `call` asked for.
    fn private_memory(&self, call: &'static str, size: usize) -> Result<PrivateMemory, CallError> {
        PrivateMemory::new(size).ok_or_else(|| self.error(call, CallFailure::Memory { size }))
    }
}

impl Compiler {
    /// The plugin's handle, valid as long as this object.
    pub fn handle(&self) -> D3D12DDI_HCOMPILER {
        self.0.handle.0
    }

    /// The plugin of the compiler.
    pub fn plugin(&self) -> &Plugin {
        &self.0.plugin
    }

    /// The target that it compiles for.
    pub fn target(&self) -> Target {
        self.0.target
    }

    /// Calls `pfnCompilePipelineState`; returns the keys of the object's values, in the plugin's order.
    ///
    /// # Errors
    ///
    /// The call fails, or it succeeds without having set the keys ([`CallFailure::KeysNotSet`]).
    ///
    /// # Safety
    ///
    /// Every pointer and handle in `arg` is what the usermode DDI version of
    /// [`Plugin::version`] wants there, for the call.
    pub unsafe fn compile_pipeline_state(
        &self,
        session: SessionScope,
        value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
        arg: &D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    ) -> Result<Vec<Vec<u8>>, CallError> {
        // SAFETY: `arg` is what the DDI version wants, for the call (`# Safety`), and the session is one of this crate.
        unsafe { self.compile_pipeline_state_raw(session.handle(), value_types, arg) }?;
        self.keys("pfnCompilePipelineState", session)
    }

    /// Calls `pfnCompilePipelineState` with a handle.
    ///
    /// # Errors
    ///
    /// The call fails.
    ///
    /// # Safety
    ///
    /// As for [`compile_pipeline_state`](Self::compile_pipeline_state); and `session` is what the
    /// plugin's callbacks want.
    pub unsafe fn compile_pipeline_state_raw(
        &self,
        session: D3D12DDI_HRTCOMPILERCACHESESSION,
        value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
        arg: &D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    ) -> Result<(), CallError> {
        let compile = self.plugin().compiler_funcs().pfnCompilePipelineState;
        // SAFETY: the handle is valid; `arg` is what the DDI version wants, and `session` what the callbacks want (`# Safety`).
        let result = unsafe { compile(self.handle(), session, value_types, arg) };
        self.plugin().check("pfnCompilePipelineState", result)
    }

    /// Calls `pfnCalcPrivateStateObjectSize` and `pfnCompileCreateStateObject`; also returns the keys of the object's values,
    /// in the plugin's order.
    ///
    /// # Errors
    ///
    /// The memory cannot be allocated, or the call fails; then there is nothing to destroy. Or it succeeds without having set
    /// the keys ([`CallFailure::KeysNotSet`]); then the host destroys the object.
    ///
    /// # Safety
    ///
    /// `arg` and all that it points at is what the usermode DDI version of [`Plugin::version`] wants
    /// there, and stays valid, unmoved and unchanged until the state object, every state object
    /// added to it and all their clones are dropped. So long, too, live the state objects whose
    /// handles it names, such as existing collections; they are this plugin's.
    pub unsafe fn create_state_object(
        &self,
        session: SessionScope,
        value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
        arg: &D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    ) -> Result<(StateObject, Vec<Vec<u8>>), CallError> {
        // SAFETY: `arg` is what the DDI version wants, and outlives the object (`# Safety`); the session is one of this crate.
        let object = unsafe { self.create_state_object_raw(session.handle(), value_types, arg) }?;
        let keys = self.keys("pfnCompileCreateStateObject", session)?;
        Ok((object, keys))
    }

    /// Calls `pfnCalcPrivateStateObjectSize` and `pfnCompileCreateStateObject` with a handle.
    ///
    /// # Errors
    ///
    /// The memory cannot be allocated, or the call fails; then there is nothing to destroy.
    ///
    /// # Safety
    ///
    /// As for [`create_state_object`](Self::create_state_object); and `session` is what the plugin's
    /// callbacks want.
    pub unsafe fn create_state_object_raw(
        &self,
        session: D3D12DDI_HRTCOMPILERCACHESESSION,
        value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
        arg: &D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    ) -> Result<StateObject, CallError> {
        let plugin = self.plugin();
        let funcs = plugin.compiler_funcs();
        // SAFETY: the handle is valid; `arg` is what the DDI version wants (`# Safety`).
        let size = unsafe { (funcs.pfnCalcPrivateStateObjectSize)(self.handle(), arg) };
        let mut memory = plugin.private_memory("pfnCalcPrivateStateObjectSize", size)?;
        let handle = D3D12DDI_HCOMPILERSTATEOBJECT {
            pDrvPrivate: memory.as_mut_ptr(),
        };
        // SAFETY: compiler, `session` and `arg` are as the DDI wants them (`# Safety`), and `memory` has the size that the
        // plugin asked for.
        let result = unsafe {
            (funcs.pfnCompileCreateStateObject)(self.handle(), session, value_types, arg, handle)
        };
        made(
            plugin.library(),
            "pfnCompileCreateStateObject",
            result,
            || StateObject::new(self, None, handle, memory),
        )
    }

    /// Ends the session of a call that has succeeded.
    fn keys(&self, call: &'static str, session: SessionScope) -> Result<Vec<Vec<u8>>, CallError> {
        let keys = session.end();
        keys.ok_or_else(|| self.plugin().error(call, CallFailure::KeysNotSet))
    }
}

impl Drop for CreatedCompiler {
    fn drop(&mut self) {
        // SAFETY: the handle is valid until now; every state object of the compiler holds this one,
        // so none is left.
        unsafe { (self.plugin.compiler_funcs().pfnDestroyCopiler)(self.handle.0) };
        tracing::debug!(call = "pfnDestroyCopiler");
    }
}

/// A compiled state object. Clones share it; the host destroys it when the last clone and every state object added to it are
/// gone.
///
/// Specification: ShaderCompilerPlugin.md, "Handle: D3D12DDI_HCOMPILERSTATEOBJECT".
#[derive(Clone, Debug)]
pub struct StateObject(Arc<CreatedStateObject>);

#[derive(Debug)]
struct CreatedStateObject {
    handle: FreeThreaded<D3D12DDI_HCOMPILERSTATEOBJECT>,
    _memory: PrivateMemory,
    // The specification guarantees the parent until this object is destroyed.
    parent: Option<StateObject>,
    compiler: Compiler,
}

impl StateObject {
    fn new(
        compiler: &Compiler,
        parent: Option<&StateObject>,
        handle: D3D12DDI_HCOMPILERSTATEOBJECT,
        memory: PrivateMemory,
    ) -> Self {
        Self(Arc::new(CreatedStateObject {
            handle: FreeThreaded(handle),
            _memory: memory,
            parent: parent.cloned(),
            compiler: compiler.clone(),
        }))
    }

    /// The plugin's handle, valid as long as this object; the subobject of an existing collection also names it.
    pub fn handle(&self) -> D3D12DDI_HCOMPILERSTATEOBJECT {
        self.0.handle.0
    }

    /// Calls `pfnCalcPrivateAddToStateObjectSize` and `pfnCompileAddToStateObject` with this object as the parent; also
    /// returns the keys of the new object's values.
    ///
    /// # Errors
    ///
    /// As for [`Compiler::create_state_object`].
    ///
    /// # Safety
    ///
    /// As for [`Compiler::create_state_object`].
    pub unsafe fn add_to(
        &self,
        session: SessionScope,
        value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
        arg: &D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    ) -> Result<(Self, Vec<Vec<u8>>), CallError> {
        // SAFETY: `arg` is what the DDI version wants, and outlives the object (`# Safety`); the session is one of this crate.
        let object = unsafe { self.add_to_raw(session.handle(), value_types, arg) }?;
        let keys = self
            .0
            .compiler
            .keys("pfnCompileAddToStateObject", session)?;
        Ok((object, keys))
    }

    /// Calls `pfnCalcPrivateAddToStateObjectSize` and `pfnCompileAddToStateObject` with this object as the parent, and with a
    /// handle.
    ///
    /// # Errors
    ///
    /// As for [`Compiler::create_state_object_raw`].
    ///
    /// # Safety
    ///
    /// As for [`Compiler::create_state_object_raw`].
    pub unsafe fn add_to_raw(
        &self,
        session: D3D12DDI_HRTCOMPILERCACHESESSION,
        value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
        arg: &D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    ) -> Result<Self, CallError> {
        let compiler = &self.0.compiler;
        let plugin = compiler.plugin();
        let funcs = plugin.compiler_funcs();
        // SAFETY: both handles are valid; `arg` is what the DDI version wants (`# Safety`).
        let size = unsafe {
            (funcs.pfnCalcPrivateAddToStateObjectSize)(compiler.handle(), arg, self.handle())
        };
        let mut memory = plugin.private_memory("pfnCalcPrivateAddToStateObjectSize", size)?;
        let handle = D3D12DDI_HCOMPILERSTATEOBJECT {
            pDrvPrivate: memory.as_mut_ptr(),
        };
        // SAFETY: compiler and parent are alive, `session` and `arg` as the DDI wants them (`# Safety`), and `memory` has the
        // size that the plugin asked for.
        let result = unsafe {
            (funcs.pfnCompileAddToStateObject)(
                compiler.handle(),
                session,
                value_types,
                arg,
                self.handle(),
                handle,
            )
        };
        made(
            plugin.library(),
            "pfnCompileAddToStateObject",
            result,
            || Self::new(compiler, Some(self), handle, memory),
        )
    }
}

impl Drop for CreatedStateObject {
    fn drop(&mut self) {
        let funcs = self.compiler.plugin().compiler_funcs();
        // SAFETY: both handles are valid until now; every addition to this object holds it, so none
        // is left.
        unsafe { (funcs.pfnDestroyStateObject)(self.compiler.handle(), self.handle.0) };
        tracing::debug!(call = "pfnDestroyStateObject");
        // This drops ancestors that nothing else holds one after the other: as fields, a long chain of additions would
        // recurse once for each.
        let mut ancestor = self.parent.take();
        while let Some(mut last) = ancestor.and_then(|parent| Arc::into_inner(parent.0)) {
            ancestor = last.parent.take();
        }
    }
}

/// Memory for one object of the plugin, uninitialised, aligned to 16 bytes, never moved.
#[derive(Debug)]
struct PrivateMemory(Vec<Chunk>);

#[derive(Debug)]
#[repr(align(16))]
struct Chunk(#[expect(dead_code, reason = "only the plugin uses it")] MaybeUninit<[u8; 16]>);

impl PrivateMemory {
    /// Allocates at least `size` bytes; none on failure. Even a size of 0 gets a pointer.
    fn new(size: usize) -> Option<Self> {
        let mut chunks = Vec::new();
        let count = size.div_ceil(size_of::<Chunk>()).max(1);
        chunks.try_reserve_exact(count).ok()?;
        Some(Self(chunks))
    }

    fn as_mut_ptr(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_memory_is_large_enough_and_aligned() {
        assert_eq!(align_of::<Chunk>(), 16);
        for size in 0..100 {
            let memory = PrivateMemory::new(size).unwrap();
            assert!(memory.0.capacity() * size_of::<Chunk>() >= size.max(1));
        }
    }
}
