//! A negotiated plugin and its capabilities.

use std::ptr;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use ddi_sys::{
    D3D12DDI_COMPILER_ADAPTER_FAMILY, D3D12DDI_COMPILER_CACHE_CALLBACKS,
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_FUNCS,
    D3D12DDI_D3D12_SHADER_MODELS_DATA_0011, D3D12DDI_HCOMPILERDDI, D3D12DDI_SHADER_MODEL,
    D3D12DDI_VERSION_NUMBER, D3D12DDIARG_GETCAPS, D3D12DDICAPS_TYPE,
    D3D12DDICAPS_TYPE_0011_SHADER_MODELS, DXGI_ERROR_NOT_FOUND, DXGI_FORMAT, FALSE, HRESULT,
};
use widestring::U16CStr;

use crate::error::check;
use crate::open::two_call;
use crate::table::{CapabilitiesFuncs, CompilerFuncs};
use crate::{
    ApplicationDesc, CallError, DdiVersion, Library, MAX_ENTRIES, Open, OpenError, Target,
};

/// A plugin that is open, negotiated and has its callbacks. Clones share it; it is destroyed when the
/// last clone and every object created from it are gone.
#[derive(Clone, Debug)]
pub struct Plugin(Arc<Negotiated>);

#[derive(Debug)]
struct Negotiated {
    open: Open,
    version: DdiVersion,
    capabilities: CapabilitiesFuncs,
    compiler: CompilerFuncs,
}

impl Plugin {
    /// Opens a plugin, selects the newest version that both sides know, fills both tables and sets
    /// the callbacks, usually [`session::callbacks`](crate::session::callbacks).
    ///
    /// The calls that make a compiler name no open, so a plugin may mix up two opens of itself: one
    /// open for each plugin of a process is best.
    ///
    /// # Errors
    ///
    /// A call fails, an entry of a table is null, or there is no common version; the plugin is
    /// destroyed before this returns.
    pub fn open(
        library: &Library,
        callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    ) -> Result<Self, OpenError> {
        let open = Open::new(library)?;
        let version = DdiVersion::newest_common(&open.supported_versions()?)?;
        open.negotiate(version, callbacks)
    }

    pub(crate) fn new(
        open: Open,
        version: DdiVersion,
        capabilities: CapabilitiesFuncs,
        compiler: CompilerFuncs,
    ) -> Self {
        Self(Arc::new(Negotiated {
            open,
            version,
            capabilities,
            compiler,
        }))
    }

    /// The version that was selected.
    pub fn version(&self) -> DdiVersion {
        self.0.version
    }

    /// The open: its handle and first table.
    pub fn as_open(&self) -> &Open {
        &self.0.open
    }

    /// The tables as the plugin filled them.
    pub fn tables(
        &self,
    ) -> (
        &D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
        &D3D12DDI_COMPILER_FUNCS,
    ) {
        (&self.0.capabilities.raw, &self.0.compiler.raw)
    }

    /// Calls `pfnEnumerateAdapterFamilies` from index 0 until DXGI_ERROR_NOT_FOUND.
    ///
    /// # Errors
    ///
    /// Another failure, a name without NUL or that is not UTF-16, or no end after [`MAX_ENTRIES`].
    pub fn adapter_families(&self) -> Result<Vec<String>, CallError> {
        let call = "pfnEnumerateAdapterFamilies";
        let mut families = Vec::new();
        for index in 0..=MAX_ENTRIES {
            let mut family = D3D12DDI_COMPILER_ADAPTER_FAMILY::zeroed();
            // SAFETY: the handle is valid, the structure is writable.
            let result = unsafe {
                (self.0.capabilities.pfnEnumerateAdapterFamilies)(
                    self.handle(),
                    index,
                    &raw mut family,
                )
            };
            if result == DXGI_ERROR_NOT_FOUND {
                return Ok(families);
            }
            check(call, result)?;
            let name = U16CStr::from_slice_truncate(&family.szAdapterFamily)
                .map_err(|_| CallError::Unterminated { index })?;
            families.push(
                name.to_string()
                    .map_err(|_| CallError::NotUtf16 { index })?,
            );
        }
        Err(CallError::TooMany { call })
    }

    /// Calls `pfnGetAdapterFamilyABIVersions`: the versions as the plugin reports them, newest first
    /// if it keeps the rule.
    ///
    /// # Errors
    ///
    /// The call fails, or its counts never agree.
    pub fn abi_versions(&self, adapter_family_index: u32) -> Result<Vec<u64>, CallError> {
        two_call("pfnGetAdapterFamilyABIVersions", |count, versions| {
            // SAFETY: the handle is valid; `two_call` lends a count and an array of that many.
            unsafe {
                (self.0.capabilities.pfnGetAdapterFamilyABIVersions)(
                    self.handle(),
                    adapter_family_index,
                    count,
                    versions,
                )
            }
        })
    }

    /// Calls `pfnGetCompilerVersion`. The version has four 16-bit parts, major first.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub fn compiler_version(&self, adapter_family_index: u32) -> Result<u64, CallError> {
        let mut version = D3D12DDI_VERSION_NUMBER::zeroed();
        // SAFETY: the handle is valid, the version is writable.
        let result = unsafe {
            (self.0.capabilities.pfnGetCompilerVersion)(
                self.handle(),
                adapter_family_index,
                &raw mut version,
            )
        };
        check("pfnGetCompilerVersion", result)?;
        Ok(version.bits())
    }

    /// Calls `pfnGetApplicationProfileVersion`. The version has four 16-bit parts, major first.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub fn application_profile_version(
        &self,
        target: Target,
        application: &ApplicationDesc,
    ) -> Result<u64, CallError> {
        let (target, application) = (target.raw(), application.raw());
        let mut version = D3D12DDI_VERSION_NUMBER::zeroed();
        // SAFETY: the handle is valid; the structures are, for the call.
        let result = unsafe {
            (self.0.capabilities.pfnGetApplicationProfileVersion)(
                self.handle(),
                &raw const target,
                &raw const application,
                &raw mut version,
            )
        };
        check("pfnGetApplicationProfileVersion", result)?;
        Ok(version.bits())
    }

    /// Calls `pfnGetCaps` for a capability whose data holds no pointer, such as
    /// D3D12DDI_SHADER_CAPS_0084. Members of `data` that are inputs are read, the rest written.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub fn get_caps<T: Pod>(
        &self,
        target: Target,
        application: &ApplicationDesc,
        caps_type: D3D12DDICAPS_TYPE,
        data: &mut T,
    ) -> Result<(), CallError> {
        let data = ptr::from_mut(data);
        // SAFETY: `data` is writable for its size, and any bytes are a value of it.
        let result = unsafe { self.get_caps_raw(target, application, caps_type, data) };
        check("pfnGetCaps", result)
    }

    /// Calls `pfnGetCaps` for D3D12DDICAPS_TYPE_0011_SHADER_MODELS, count first, then the array.
    ///
    /// # Errors
    ///
    /// The call fails, or its counts never agree.
    pub fn shader_models(
        &self,
        target: Target,
        application: &ApplicationDesc,
    ) -> Result<Vec<D3D12DDI_SHADER_MODEL>, CallError> {
        two_call("pfnGetCaps(0011_SHADER_MODELS)", |count, models| {
            let mut data = D3D12DDI_D3D12_SHADER_MODELS_DATA_0011 {
                pNumShaderModelsSupported: count,
                pShaderModelsSupported: models,
            };
            let caps_type = D3D12DDICAPS_TYPE_0011_SHADER_MODELS;
            // SAFETY: `data` is writable for its size; `two_call` lends a count and an array of that
            // many.
            unsafe { self.get_caps_raw(target, application, caps_type, &raw mut data) }
        })
    }

    /// # Safety
    ///
    /// `data`, and what it points at, is what the capability wants.
    unsafe fn get_caps_raw<T>(
        &self,
        target: Target,
        application: &ApplicationDesc,
        caps_type: D3D12DDICAPS_TYPE,
        data: *mut T,
    ) -> HRESULT {
        const { assert!(size_of::<T>() <= u32::MAX as usize) };
        let (target, application) = (target.raw(), application.raw());
        let caps = D3D12DDIARG_GETCAPS {
            Type: caps_type,
            pInfo: ptr::null_mut(),
            pData: data.cast(),
            #[allow(clippy::cast_possible_truncation, reason = "asserted above")]
            DataSize: size_of::<T>() as u32,
        };
        // SAFETY: the handle is valid; the structures are, for the call; `data` by the contract.
        unsafe {
            (self.0.capabilities.pfnGetCaps)(
                self.handle(),
                &raw const target,
                &raw const application,
                &raw const caps,
            )
        }
    }

    /// Calls `pfnCheckFormatSupport`: the D3D12DDI_FORMAT_SUPPORT bits of a format.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub fn check_format_support(
        &self,
        target: Target,
        format: DXGI_FORMAT,
    ) -> Result<u32, CallError> {
        let target = target.raw();
        let mut support = 0;
        // SAFETY: the handle is valid; the structures are, for the call.
        let result = unsafe {
            (self.0.capabilities.pfnCheckFormatSupport)(
                self.handle(),
                &raw const target,
                format,
                &raw mut support,
            )
        };
        check("pfnCheckFormatSupport", result)?;
        Ok(support)
    }

    /// Calls `pfnCheckMultisampleQualityLevels`: whether a format supports a sample count at a
    /// quality level.
    pub fn check_multisample_quality_levels(
        &self,
        target: Target,
        format: DXGI_FORMAT,
        sample_count: u32,
        quality_level: u32,
    ) -> bool {
        let target = target.raw();
        // SAFETY: the handle is valid; the target is, for the call.
        let supported = unsafe {
            (self.0.capabilities.pfnCheckMultisampleQualityLevels)(
                self.handle(),
                &raw const target,
                format,
                sample_count,
                quality_level,
            )
        };
        supported != FALSE
    }

    pub(crate) fn compiler_funcs(&self) -> &CompilerFuncs {
        &self.0.compiler
    }

    fn handle(&self) -> D3D12DDI_HCOMPILERDDI {
        self.0.open.handle()
    }
}
