//! The state between `D3D12OpenCompilerDDI` and a negotiated plugin.

use std::ptr;
use std::sync::Arc;

use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE,
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_COMPILER_FUNCS,
    D3D12DDI_COMPILER_TABLE_TYPE, D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES,
    D3D12DDI_COMPILER_TABLE_TYPE_COMPILER, D3D12DDI_HCOMPILERDDI, D3D12DDI_HRTCOMPILERDDI,
    D3D12DDIARG_COMPILER_OPEN_DDI, DXGI_ERROR_MORE_DATA, HRESULT,
};

use crate::error::{check, made};
use crate::handle::{self, FreeThreaded};
use crate::session::OfOpen;
use crate::table::{CapabilitiesFuncs, CompilerFuncs, DdiFuncs, Table};
use crate::{CallError, CallFailure, DdiVersion, Library, MAX_ENTRIES, OpenError, Plugin};

/// One open of a plugin: its handle and first table. Dropping it calls `pfnDestroyCompilerDDI`.
///
/// To compile with a plugin, call [`Plugin::open`]. The `unsafe` methods are the steps of the negotiation one by one: select
/// a version, fill the tables, set the callbacks. A plugin may rely on that order and on the arguments, so each step is the
/// caller's promise.
#[derive(Debug)]
pub struct Open {
    handle: FreeThreaded<D3D12DDI_HCOMPILERDDI>,
    funcs: DdiFuncs,
    // The specification does not say that the plugin copies the callbacks, so the host keeps them.
    callbacks: Option<Arc<D3D12DDI_COMPILER_CACHE_CALLBACKS>>,
    _sessions: OfOpen,
    // Last: unload the code after everything that runs in it.
    library: Library,
}

impl Open {
    /// Calls `D3D12OpenCompilerDDI`.
    ///
    /// # Errors
    ///
    /// The call fails, or an entry of the table is null. In the second case this destroys the plugin before it returns,
    /// unless `pfnDestroyCompilerDDI` is the null entry.
    pub fn new(library: &Library) -> Result<Self, OpenError> {
        let mut table = D3D12DDI_COMPILER_DDI_FUNCS::default();
        let mut arg = D3D12DDIARG_COMPILER_OPEN_DDI {
            hRTCompilerDDI: D3D12DDI_HRTCOMPILERDDI {
                handle: handle::fresh(),
            },
            hCompilerDDI: D3D12DDI_HCOMPILERDDI {
                pDrvPrivate: ptr::null_mut(),
            },
            pDDIFuncs: &raw mut table,
        };
        // SAFETY: the entry point does what D3D12OpenCompilerDDI says (`Library::load`); the argument and its table are valid and
        // writable.
        let result = unsafe { (library.entry_point())(&raw mut arg) };
        made(library, "D3D12OpenCompilerDDI", result, || {
            // The specification marks pDDIFuncs as an output: a plugin may have set it to a table of
            // its own instead of filling the host's.
            let raw = if arg.pDDIFuncs.is_null() {
                table
            } else {
                // SAFETY: the host's table, or one that the plugin says is its table.
                unsafe { *arg.pDDIFuncs }
            };
            match DdiFuncs::check(library, raw) {
                Ok(funcs) => Ok(Self {
                    handle: FreeThreaded(arg.hCompilerDDI),
                    funcs,
                    callbacks: None,
                    _sessions: OfOpen::new(),
                    library: library.clone(),
                }),
                Err(error) => {
                    if let Some(destroy) = raw.pfnDestroyCompilerDDI {
                        // SAFETY: the open succeeded, so the handle is valid; this is its only use.
                        unsafe { destroy(arg.hCompilerDDI) };
                    }
                    Err(error)
                }
            }
        })?
    }

    /// The library of the plugin.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The first table.
    pub fn raw(&self) -> &D3D12DDI_COMPILER_DDI_FUNCS {
        &self.funcs.raw
    }

    /// The plugin's handle, valid as long as this object.
    pub fn handle(&self) -> D3D12DDI_HCOMPILERDDI {
        self.handle.0
    }

    /// Calls `pfnGetSupportedVersions`: all versions that the plugin reports, in its order.
    ///
    /// # Errors
    ///
    /// The call fails, or its counts never agree.
    pub fn supported_versions(&self) -> Result<Vec<u64>, CallError> {
        two_call(
            &self.library,
            "pfnGetSupportedVersions",
            |count, versions| {
                // SAFETY: the handle is valid; `two_call` lends a count and an array of that many.
                unsafe { (self.funcs.pfnGetSupportedVersions)(self.handle.0, count, versions) }
            },
        )
    }

    /// Calls `pfnSetSelectedVersion`.
    ///
    /// # Errors
    ///
    /// The call fails.
    ///
    /// # Safety
    ///
    /// `version.plugin` is one of [`supported_versions`](Self::supported_versions), and
    /// `version.usermode` the usermode DDI version assigned to it; or the plugin refuses others.
    pub unsafe fn set_selected_version(&mut self, version: DdiVersion) -> Result<(), CallError> {
        let DdiVersion { plugin, usermode } = version;
        // SAFETY: the handle is valid; the plugin reports the version or refuses it (`# Safety`).
        let result = unsafe { (self.funcs.pfnSetSelectedVersion)(self.handle.0, plugin, usermode) };
        check(&self.library, "pfnSetSelectedVersion", result)
    }

    /// Calls `pfnFillDDITable` for D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES.
    ///
    /// # Errors
    ///
    /// The call fails, or an entry of the table is null.
    ///
    /// # Safety
    ///
    /// A version that has this table is selected; or the plugin refuses the call.
    pub unsafe fn fill_capabilities_table(
        &mut self,
    ) -> Result<D3D12DDI_COMPILER_CAPABILITIES_FUNCS, OpenError> {
        // SAFETY: a version that has the table is selected, or the plugin refuses the call (`# Safety`).
        unsafe { self.capabilities_funcs() }.map(|table| table.raw)
    }

    /// Calls `pfnFillDDITable` for D3D12DDI_COMPILER_TABLE_TYPE_COMPILER.
    ///
    /// # Errors
    ///
    /// The call fails, or an entry of the table is null.
    ///
    /// # Safety
    ///
    /// As for [`fill_capabilities_table`](Self::fill_capabilities_table).
    pub unsafe fn fill_compiler_table(&mut self) -> Result<D3D12DDI_COMPILER_FUNCS, OpenError> {
        // SAFETY: a version that has the table is selected, or the plugin refuses the call (`# Safety`).
        unsafe { self.compiler_funcs() }.map(|table| table.raw)
    }

    /// Calls `pfnSetCallbackDDITable`. The plugin's pointer stays valid as long as this object, or until the caller sets
    /// another table.
    ///
    /// # Errors
    ///
    /// The call fails.
    ///
    /// # Safety
    ///
    /// A version that has this table is selected, and no compiler exists. No entry of the table is
    /// null, and every function does what the specification's "Cache Session Callbacks" say, on any
    /// thread, as long as the plugin may call it. Or the plugin refuses the call.
    pub unsafe fn set_cache_callbacks(
        &mut self,
        callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    ) -> Result<(), CallError> {
        let callbacks = Arc::new(callbacks);
        // SAFETY: the handle is valid and the table readable for its size; no compiler exists, and the functions may be called as
        // long as the plugin may call them (`# Safety`).
        let result = unsafe {
            (self.funcs.pfnSetCallbackDDITable)(
                self.handle.0,
                D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE,
                Arc::as_ptr(&callbacks).cast(),
                size_of_val(&*callbacks),
            )
        };
        let call = "pfnSetCallbackDDITable(CACHE)";
        made(&self.library, call, result, || {
            self.callbacks = Some(callbacks);
        })
    }

    /// Takes all steps from `pfnSetSelectedVersion` on.
    ///
    /// # Errors
    ///
    /// A step fails; this destroys the plugin before it returns.
    ///
    /// # Safety
    ///
    /// `version` is one of [`DdiVersions`](crate::DdiVersions) that the plugin reports; `callbacks` are
    /// what [`set_cache_callbacks`](Self::set_cache_callbacks) wants.
    pub unsafe fn negotiate(
        mut self,
        version: DdiVersion,
        callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    ) -> Result<Plugin, OpenError> {
        // SAFETY: the plugin reports the version, and the callbacks do what it may expect of them (`# Safety`); the order is that of
        // the specification.
        let (capabilities, compiler) = unsafe {
            self.set_selected_version(version)?;
            let tables = (self.capabilities_funcs()?, self.compiler_funcs()?);
            self.set_cache_callbacks(callbacks)?;
            tables
        };
        tracing::debug!(%version, "negotiated");
        Ok(Plugin::new(self, version, capabilities, compiler))
    }

    /// # Safety
    ///
    /// As for [`fill_capabilities_table`](Self::fill_capabilities_table).
    unsafe fn capabilities_funcs(&mut self) -> Result<CapabilitiesFuncs, OpenError> {
        let call = "pfnFillDDITable(CAPABILITIES)";
        // SAFETY: the table of this type; a version that has it is selected, or the plugin refuses the call (`# Safety`).
        unsafe { self.fill(call, D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES) }
    }

    /// # Safety
    ///
    /// As for [`fill_capabilities_table`](Self::fill_capabilities_table).
    unsafe fn compiler_funcs(&mut self) -> Result<CompilerFuncs, OpenError> {
        let call = "pfnFillDDITable(COMPILER)";
        // SAFETY: the table of this type; a version that has it is selected, or the plugin refuses the call (`# Safety`).
        unsafe { self.fill(call, D3D12DDI_COMPILER_TABLE_TYPE_COMPILER) }
    }

    /// # Safety
    ///
    /// `T` is the table of `table_type`; a version that has it is selected, or the plugin refuses the
    /// call.
    unsafe fn fill<T: Table>(
        &mut self,
        call: &'static str,
        table_type: D3D12DDI_COMPILER_TABLE_TYPE,
    ) -> Result<T, OpenError> {
        let mut table = T::Raw::default();
        // SAFETY: the handle is valid; the table is that of `table_type` (`# Safety`) and writable for its size.
        let result = unsafe {
            (self.funcs.pfnFillDDITable)(
                self.handle.0,
                table_type,
                (&raw mut table).cast(),
                size_of::<T::Raw>(),
            )
        };
        check(&self.library, call, result)?;
        T::check(&self.library, table)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: the handle is valid until now; every object of the plugin holds this one, so none
        // is left.
        unsafe { (self.funcs.pfnDestroyCompilerDDI)(self.handle.0) };
        // After the call, here and in every Drop: a subscriber may panic.
        tracing::debug!(call = "pfnDestroyCompilerDDI");
    }
}

/// A list by the DDI's two calls: one with a null array and a count of 0 for the length, then one to fill an array of that
/// length. Repeats them when the list has grown in between.
pub(crate) fn two_call<T: Clone + Default>(
    library: &Library,
    call: &'static str,
    mut query: impl FnMut(*mut u32, *mut T) -> HRESULT,
) -> Result<Vec<T>, CallError> {
    const ATTEMPTS: u32 = 4;
    let mut count = 0;
    check(library, call, query(&raw mut count, ptr::null_mut()))?;
    for _ in 0..ATTEMPTS {
        if count == 0 {
            return Ok(Vec::new());
        }
        if count > MAX_ENTRIES {
            return Err(CallError::new(library, call, CallFailure::TooMany));
        }
        let capacity = count;
        let mut entries = vec![T::default(); capacity as usize];
        let result = query(&raw mut count, entries.as_mut_ptr());
        if result == DXGI_ERROR_MORE_DATA && count > capacity {
            continue;
        }
        check(library, call, result)?;
        if count <= capacity {
            entries.truncate(count as usize);
            return Ok(entries);
        }
    }
    Err(CallError::new(library, call, CallFailure::Growing))
}
