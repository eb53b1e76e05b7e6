//! Compilers and state objects: the plugin's objects in the host's memory.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::Arc;

use ddi_sys::{
    D3D12DDI_COMPILER_VALUE_TYPE_FLAGS, D3D12DDI_HCOMPILER, D3D12DDI_HCOMPILERSTATEOBJECT,
    D3D12DDI_HRTCOMPILER, D3D12DDI_HRTCOMPILERCACHESESSION, D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    D3D12DDIARG_CREATE_STATE_OBJECT_0054,
};

use crate::error::check;
use crate::handle::{self, FreeThreaded};
use crate::{ApplicationDesc, CallError, Plugin, Target};

/// A compiler for one target and application. Clones share it; it is destroyed when the last clone
/// and every state object created with it are gone. Any thread may compile, several at a time.
///
/// Specification: ShaderCompilerPlugin.md, "Compiling State Objects".
#[derive(Clone, Debug)]
pub struct Compiler(Arc<CreatedCompiler>);

#[derive(Debug)]
struct CreatedCompiler {
    handle: FreeThreaded<D3D12DDI_HCOMPILER>,
    _memory: PrivateMemory,
    plugin: Plugin,
}

impl Plugin {
    /// Calls `pfnCalcPrivateCompilerSize` and `pfnCreateCompiler`.
    ///
    /// # Errors
    ///
    /// The memory cannot be allocated, or the call fails; then there is nothing to destroy.
    pub fn create_compiler(
        &self,
        target: Target,
        application: &ApplicationDesc,
    ) -> Result<Compiler, CallError> {
        let (target, application) = (target.raw(), application.raw());
        let funcs = self.compiler_funcs();
        // SAFETY: the structures are valid for the call.
        let size = unsafe {
            (funcs.pfnCalcPrivateCompilerSize)(&raw const target, &raw const application)
        };
        let mut memory = PrivateMemory::new("pfnCalcPrivateCompilerSize", size)?;
        let handle = D3D12DDI_HCOMPILER {
            pDrvPrivate: memory.as_mut_ptr(),
        };
        let runtime = D3D12DDI_HRTCOMPILER {
            handle: handle::fresh(),
        };
        // SAFETY: as above; the memory has the size that the plugin asked for.
        let result = unsafe {
            (funcs.pfnCreateCompiler)(&raw const target, &raw const application, handle, runtime)
        };
        check("pfnCreateCompiler", result)?;
        Ok(Compiler(Arc::new(CreatedCompiler {
            handle: FreeThreaded(handle),
            _memory: memory,
            plugin: self.clone(),
        })))
    }
}

impl Compiler {
    /// The plugin's handle, valid as long as this object.
    pub fn handle(&self) -> D3D12DDI_HCOMPILER {
        self.0.handle.0
    }

    /// Calls `pfnCompilePipelineState`.
    ///
    /// # Errors
    ///
    /// The call fails.
    ///
    /// # Safety
    ///
    /// Every pointer and handle in `arg` is what the usermode DDI version of
    /// [`Plugin::version`] wants there, for the call.
    pub unsafe fn compile_pipeline_state(
        &self,
        session: D3D12DDI_HRTCOMPILERCACHESESSION,
        value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
        arg: &D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    ) -> Result<(), CallError> {
        let compile = self.0.plugin.compiler_funcs().pfnCompilePipelineState;
        // SAFETY: the handle is valid; the rest is the caller's contract.
        let result = unsafe { compile(self.handle(), session, value_types, arg) };
        check("pfnCompilePipelineState", result)
    }

    /// Calls `pfnCalcPrivateStateObjectSize` and `pfnCompileCreateStateObject`.
    ///
    /// # Errors
    ///
    /// The memory cannot be allocated, or the call fails; then there is nothing to destroy.
    ///
    /// # Safety
    ///
    /// `arg` and all that it points at is what the usermode DDI version of [`Plugin::version`] wants
    /// there, and stays valid, unmoved and unchanged until the state object, every state object
    /// added to it and all their clones are dropped.
    pub unsafe fn create_state_object(
        &self,
        session: D3D12DDI_HRTCOMPILERCACHESESSION,
        value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
        arg: &D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    ) -> Result<StateObject, CallError> {
        let funcs = self.0.plugin.compiler_funcs();
        // SAFETY: the handle is valid; the rest is the caller's contract.
        let size = unsafe { (funcs.pfnCalcPrivateStateObjectSize)(self.handle(), arg) };
        let mut memory = PrivateMemory::new("pfnCalcPrivateStateObjectSize", size)?;
        let handle = D3D12DDI_HCOMPILERSTATEOBJECT {
            pDrvPrivate: memory.as_mut_ptr(),
        };
        // SAFETY: as above; the memory has the size that the plugin asked for.
        let result = unsafe {
            (funcs.pfnCompileCreateStateObject)(self.handle(), session, value_types, arg, handle)
        };
        check("pfnCompileCreateStateObject", result)?;
        Ok(StateObject::new(self, None, handle, memory))
    }
}

impl Drop for CreatedCompiler {
    fn drop(&mut self) {
        tracing::debug!(call = "pfnDestroyCopiler");
        // SAFETY: the handle is valid until now; every state object of the compiler holds this one,
        // so none is left.
        unsafe { (self.plugin.compiler_funcs().pfnDestroyCopiler)(self.handle.0) };
    }
}

/// A compiled state object. Clones share it; it is destroyed when the last clone and every state
/// object added to it are gone.
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

    /// The plugin's handle, valid as long as this object; also what an existing collection's
    /// subobject names.
    pub fn handle(&self) -> D3D12DDI_HCOMPILERSTATEOBJECT {
        self.0.handle.0
    }

    /// Calls `pfnCalcPrivateAddToStateObjectSize` and `pfnCompileAddToStateObject` with this object
    /// as the one to grow from.
    ///
    /// # Errors
    ///
    /// The memory cannot be allocated, or the call fails; then there is nothing to destroy.
    ///
    /// # Safety
    ///
    /// As for [`Compiler::create_state_object`].
    pub unsafe fn add_to(
        &self,
        session: D3D12DDI_HRTCOMPILERCACHESESSION,
        value_types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
        arg: &D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    ) -> Result<Self, CallError> {
        let compiler = &self.0.compiler;
        let funcs = compiler.0.plugin.compiler_funcs();
        // SAFETY: both handles are valid; the rest is the caller's contract.
        let size = unsafe {
            (funcs.pfnCalcPrivateAddToStateObjectSize)(compiler.handle(), arg, self.handle())
        };
        let mut memory = PrivateMemory::new("pfnCalcPrivateAddToStateObjectSize", size)?;
        let handle = D3D12DDI_HCOMPILERSTATEOBJECT {
            pDrvPrivate: memory.as_mut_ptr(),
        };
        // SAFETY: as above; the memory has the size that the plugin asked for.
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
        check("pfnCompileAddToStateObject", result)?;
        Ok(Self::new(compiler, Some(self), handle, memory))
    }
}

impl Drop for CreatedStateObject {
    fn drop(&mut self) {
        tracing::debug!(call = "pfnDestroyStateObject");
        let funcs = self.compiler.0.plugin.compiler_funcs();
        // SAFETY: both handles are valid until now; every addition to this object holds it, so none
        // is left.
        unsafe { (funcs.pfnDestroyStateObject)(self.compiler.handle(), self.handle.0) };
        // Ancestors that nothing else holds end here, one after the other: left to the fields, a long
        // chain of additions would recurse once for each.
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
    /// Allocates the `size` bytes that `call` asked for. Even for 0 there is a pointer to give.
    fn new(call: &'static str, size: usize) -> Result<Self, CallError> {
        let mut chunks = Vec::new();
        chunks
            .try_reserve_exact(size.div_ceil(size_of::<Chunk>()).max(1))
            .map_err(|_| CallError::Memory { call, size })?;
        Ok(Self(chunks))
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
            let memory = PrivateMemory::new("pfnCalcPrivateCompilerSize", size).unwrap();
            assert!(memory.0.capacity() * size_of::<Chunk>() >= size.max(1));
        }
    }
}
