//! A negotiated plugin and its capabilities.

use std::sync::Arc;

use bytemuck::Zeroable;
use ddi_sys::{
    D3D12DDI_COMPILER_ADAPTER_FAMILY, D3D12DDI_COMPILER_CACHE_CALLBACKS,
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_FUNCS, D3D12DDI_HCOMPILERDDI,
    D3D12DDI_VERSION_NUMBER, DXGI_ERROR_NOT_FOUND, DXGI_FORMAT, FALSE, HRESULT,
};
use parking_lot::{Mutex, MutexGuard};
use widestring::U16CStr;

use crate::open::two_call;
use crate::table::{CapabilitiesFuncs, CompilerFuncs};
use crate::target::OpenId;
use crate::{
    ApplicationDesc, CallError, CallFailure, DdiVersion, DdiVersions, Library, MAX_ENTRIES, Open,
    OpenError, Target, error, session,
};

/// An open and negotiated plugin with its callbacks. Clones share it; the host destroys it when the last clone and every
/// object created from it are gone.
#[derive(Clone, Debug)]
pub struct Plugin(Arc<Negotiated>);

#[derive(Debug)]
struct Negotiated {
    open: Open,
    id: OpenId,
    version: DdiVersion,
    capabilities: CapabilitiesFuncs,
    compiler: CompilerFuncs,
    /// Locked while a thread creates a compiler.
    creating: Mutex<()>,
}

impl Plugin {
    /// Opens a plugin, selects the newest version that both sides know, fills both tables and sets
    /// the callbacks of [`session`].
    ///
    /// The calls that create a compiler name no open, so a plugin may mix up two opens of itself: it is best to have one open
    /// for each plugin of a process.
    ///
    /// # Errors
    ///
    /// A call fails, an entry of a table is null, or there is no common version. This destroys the plugin before it returns,
    /// unless `pfnDestroyCompilerDDI` is the null entry.
    pub fn open(library: &Library) -> Result<Self, OpenError> {
        // SAFETY: these callbacks do what the specification says, in any process and for ever.
        unsafe { Self::open_with_callbacks(library, session::callbacks()) }
    }

    /// As [`open`](Self::open), with callbacks of the caller's own: for tests. They get the session
    /// handles of the compile calls whose names end in `raw`.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    ///
    /// # Safety
    ///
    /// No entry of `callbacks` is null, and every function does what the specification's "Cache
    /// Session Callbacks" say, on any thread, as long as the plugin lives.
    pub unsafe fn open_with_callbacks(
        library: &Library,
        callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    ) -> Result<Self, OpenError> {
        let versions = DdiVersions::of_process()?;
        let open = Open::new(library)?;
        let offered = open.supported_versions()?;
        let version =
            versions
                .newest_common(&offered)
                .ok_or_else(|| OpenError::NoCommonVersion {
                    path: library.shared_path(),
                    offered,
                    known: versions.plugin(),
                })?;
        // SAFETY: the plugin reports the version, and it is a known one; the callbacks do what the plugin may expect (`# Safety`).
        unsafe { open.negotiate(version, callbacks) }
    }

    pub(crate) fn new(
        open: Open,
        version: DdiVersion,
        capabilities: CapabilitiesFuncs,
        compiler: CompilerFuncs,
    ) -> Self {
        Self(Arc::new(Negotiated {
            open,
            id: OpenId::fresh(),
            version,
            capabilities,
            compiler,
            creating: Mutex::new(()),
        }))
    }

    /// The selected version.
    pub fn version(&self) -> DdiVersion {
        self.0.version
    }

    /// The library of the plugin.
    pub fn library(&self) -> &Library {
        self.0.open.library()
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
    /// As for one family, or the list does not end after [`MAX_ENTRIES`].
    pub fn adapter_families(&self) -> Result<Vec<String>, CallError> {
        let families = (0..).map_while(|index| self.adapter_family(index).transpose());
        families.collect()
    }

    /// Calls `pfnEnumerateAdapterFamilies` for one index; `None` is DXGI_ERROR_NOT_FOUND.
    ///
    /// # Errors
    ///
    /// Another failure, a name without NUL or that is not UTF-16, or a family beyond [`MAX_ENTRIES`].
    pub fn adapter_family(&self, index: u32) -> Result<Option<String>, CallError> {
        let call = "pfnEnumerateAdapterFamilies";
        let mut family = D3D12DDI_COMPILER_ADAPTER_FAMILY::zeroed();
        // SAFETY: the handle is valid, the structure is writable.
        let result = unsafe {
            (self.capabilities_funcs().pfnEnumerateAdapterFamilies)(
                self.handle(),
                index,
                &raw mut family,
            )
        };
        if result == DXGI_ERROR_NOT_FOUND {
            return Ok(None);
        }
        self.check(call, result)?;
        if index >= MAX_ENTRIES {
            return Err(self.error(call, CallFailure::TooMany));
        }
        let name = U16CStr::from_slice_truncate(&family.szAdapterFamily)
            .map_err(|_| self.error(call, CallFailure::Unterminated { index }))?;
        if name.is_empty() {
            return Err(self.error(call, CallFailure::Unnamed { index }));
        }
        let name = name.to_string();
        name.map(Some)
            .map_err(|_| self.error(call, CallFailure::NotUtf16 { index }))
    }

    /// Calls `pfnGetAdapterFamilyABIVersions`: the versions as the plugin reports them, newest first
    /// if it keeps the rule.
    ///
    /// # Errors
    ///
    /// The call fails, or its counts never agree.
    pub fn abi_versions(&self, adapter_family_index: u32) -> Result<Vec<u64>, CallError> {
        let call = "pfnGetAdapterFamilyABIVersions";
        two_call(self.library(), call, |count, versions| {
            // SAFETY: the handle is valid; `two_call` lends a count and an array of that many.
            unsafe {
                (self.capabilities_funcs().pfnGetAdapterFamilyABIVersions)(
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
            (self.capabilities_funcs().pfnGetCompilerVersion)(
                self.handle(),
                adapter_family_index,
                &raw mut version,
            )
        };
        self.check("pfnGetCompilerVersion", result)?;
        Ok(version.bits())
    }

    /// Calls `pfnGetApplicationProfileVersion`. The version has four 16-bit parts, major first.
    ///
    /// # Errors
    ///
    /// The call fails, or the target belongs to another open.
    pub fn application_profile_version(
        &self,
        target: Target,
        application: &ApplicationDesc,
    ) -> Result<u64, CallError> {
        let call = "pfnGetApplicationProfileVersion";
        let (target, application) = (self.own(call, target)?, application.raw());
        let mut version = D3D12DDI_VERSION_NUMBER::zeroed();
        // SAFETY: the handle is valid; the structures are, for the call.
        let result = unsafe {
            (self.capabilities_funcs().pfnGetApplicationProfileVersion)(
                self.handle(),
                &raw const target,
                &raw const application,
                &raw mut version,
            )
        };
        self.check(call, result)?;
        Ok(version.bits())
    }

    /// Calls `pfnCheckFormatSupport`: the D3D12DDI_FORMAT_SUPPORT bits of a format.
    ///
    /// # Errors
    ///
    /// The call fails, or the target belongs to another open.
    pub fn check_format_support(
        &self,
        target: Target,
        format: DXGI_FORMAT,
    ) -> Result<u32, CallError> {
        let call = "pfnCheckFormatSupport";
        let target = self.own(call, target)?;
        let mut support = 0;
        // SAFETY: the handle is valid; the structures are, for the call.
        let result = unsafe {
            (self.capabilities_funcs().pfnCheckFormatSupport)(
                self.handle(),
                &raw const target,
                format,
                &raw mut support,
            )
        };
        self.check(call, result)?;
        Ok(support)
    }

    /// Calls `pfnCheckMultisampleQualityLevels`: whether a format supports a sample count at a
    /// quality level.
    ///
    /// # Errors
    ///
    /// The target belongs to another open; the call itself cannot fail.
    pub fn check_multisample_quality_levels(
        &self,
        target: Target,
        format: DXGI_FORMAT,
        sample_count: u32,
        quality_level: u32,
    ) -> Result<bool, CallError> {
        let target = self.own("pfnCheckMultisampleQualityLevels", target)?;
        // SAFETY: the handle is valid; the target is, for the call.
        let supported = unsafe {
            (self.capabilities_funcs().pfnCheckMultisampleQualityLevels)(
                self.handle(),
                &raw const target,
                format,
                sample_count,
                quality_level,
            )
        };
        Ok(supported != FALSE)
    }

    pub(crate) fn compiler_funcs(&self) -> &CompilerFuncs {
        &self.0.compiler
    }

    /// Keeps other threads from creating a compiler.
    pub(crate) fn creating(&self) -> MutexGuard<'_, ()> {
        self.0.creating.lock()
    }

    pub(crate) fn capabilities_funcs(&self) -> &CapabilitiesFuncs {
        &self.0.capabilities
    }

    pub(crate) fn handle(&self) -> D3D12DDI_HCOMPILERDDI {
        self.0.open.handle()
    }

    pub(crate) fn id(&self) -> OpenId {
        self.0.id
    }

    pub(crate) fn error(&self, call: &'static str, failure: CallFailure) -> CallError {
        CallError::new(self.library(), call, failure)
    }

    pub(crate) fn check(&self, call: &'static str, hresult: HRESULT) -> Result<(), CallError> {
        error::check(self.library(), call, hresult)
    }
}
