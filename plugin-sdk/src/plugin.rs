//! What a vendor implements.

use ddi_sys::{D3D12DDIARG_COMPILER_OPEN_DDI, DXGI_FORMAT, HRESULT, VersionNumber};

use crate::capabilities::Capabilities;
use crate::desc::{ApplicationDesc, PipelineStateDesc, StateObjectDesc};
use crate::error::{Error, Result};
use crate::family::AdapterFamily;
use crate::session::{ObjectValueKeys, Session};

/// The plugin of one open: its families, what they can do, and their compilers.
///
/// The host may call it from several threads. It needs no adapter and no driver
/// (ShaderCompilerPlugin.md, "Driver Independent Plugin").
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a compiler plugin",
    label = "implement `plugin_sdk::CompilerPlugin` for `{Self}`"
)]
pub trait CompilerPlugin: PluginEntry + Send + Sync + 'static {
    /// The vendor's compiler.
    type Compiler: Compiler;

    /// Makes the plugin of one open.
    ///
    /// # Errors
    ///
    /// Whatever keeps the plugin from working; the host's open fails with it.
    fn open() -> Result<Self>
    where
        Self: Sized;

    /// The adapter families, asked for once at open; see [`check_families`](crate::check_families)
    /// for what a list must keep. A target names one by its index here.
    fn adapter_families(&self) -> Vec<AdapterFamily>;

    /// What the target can do; the least that a target can, unless the vendor says more. The application is here for
    /// vendors that must answer differently for one of them; that should be rare.
    fn capabilities(&self, target: &Target<'_>, application: &ApplicationDesc<'_>) -> Capabilities {
        let _ = (target, application);
        Capabilities::default()
    }

    /// D3D12DDI_FORMAT_SUPPORT bits of a format; none, unless the vendor says more. Bits that the DDI
    /// does not define are dropped.
    fn format_support(&self, target: &Target<'_>, format: DXGI_FORMAT) -> u32 {
        let _ = (target, format);
        0
    }

    /// How many quality levels a format has at a sample count above 1; 0, unless the vendor says more.
    fn multisample_quality_levels(
        &self,
        target: &Target<'_>,
        format: DXGI_FORMAT,
        sample_count: u32,
    ) -> u32 {
        let _ = (target, format, sample_count);
        0
    }

    /// The version of the profile that the target has for an application; zero when it has none.
    fn application_profile_version(
        &self,
        target: &Target<'_>,
        application: &ApplicationDesc<'_>,
    ) -> VersionNumber {
        let _ = (target, application);
        VersionNumber::ZERO
    }

    /// Makes a compiler for a target and an application.
    ///
    /// # Errors
    ///
    /// Whatever keeps the compiler from working.
    fn create_compiler(
        &self,
        target: &Target<'_>,
        application: &ApplicationDesc<'_>,
    ) -> Result<Self::Compiler>;
}

/// A compiler for one target and application.
///
/// The host may compile on several threads at once. After a panic in it, the host's calls on it fail
/// until it is destroyed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a compiler",
    label = "implement `plugin_sdk::Compiler` for `{Self}`"
)]
pub trait Compiler: Send + Sync + 'static {
    /// What the vendor keeps of a compiled state object, for additions to it; `()` for nothing. It
    /// lives in the host's memory.
    type StateObject: Send + Sync + 'static;

    /// Compiles a pipeline and stores what comes out.
    ///
    /// # Errors
    ///
    /// E_INVALIDARG for a description or shader that is wrong, DXGI_ERROR_UNSUPPORTED for one that
    /// the target cannot run, and what the session returned.
    fn compile_pipeline_state<'call>(
        &self,
        desc: &PipelineStateDesc<'call>,
        session: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>>;

    /// Compiles a state object and stores what comes out; DXGI_ERROR_UNSUPPORTED, unless the vendor
    /// implements it.
    ///
    /// # Errors
    ///
    /// As [`Self::compile_pipeline_state`].
    fn compile_state_object<'call>(
        &self,
        desc: &StateObjectDesc<'call, Self::StateObject>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, Self::StateObject)> {
        let _ = (desc, session);
        Err(Error::unsupported("this compiler has no state objects"))
    }

    /// Compiles an addition to a state object; DXGI_ERROR_UNSUPPORTED, unless the vendor implements
    /// it. The parent is unchanged, and may get other additions.
    ///
    /// # Errors
    ///
    /// As [`Self::compile_pipeline_state`].
    fn compile_add_to_state_object<'call>(
        &self,
        parent: &Self::StateObject,
        addition: &StateObjectDesc<'call, Self::StateObject>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, Self::StateObject)> {
        let _ = (parent, addition, session);
        Err(Error::unsupported(
            "this compiler has no additions to state objects",
        ))
    }
}

/// The C entry point of a plugin. [`export_plugin!`](crate::export_plugin) and
/// [`plugin_entry!`](crate::plugin_entry) implement it.
#[diagnostic::on_unimplemented(
    message = "the plugin `{Self}` has no entry point",
    label = "no entry point",
    note = "write `plugin_sdk::export_plugin!({Self});` in the crate of the DLL, once",
    note = "for a test or a host that links the plugin in, write `plugin_sdk::plugin_entry!({Self});`"
)]
pub trait PluginEntry: Sized {
    /// D3D12OpenCompilerDDI for this plugin.
    fn entry_point() -> EntryPoint
    where
        Self: CompilerPlugin,
    {
        crate::open::open_compiler_ddi::<Self>
    }
}

/// PFND3D12DDI_COMPILER_OPEN_DDI, not null.
pub type EntryPoint = unsafe extern "system" fn(*mut D3D12DDIARG_COMPILER_OPEN_DDI) -> HRESULT;

/// What to compile for; the family and the ABI version are of the plugin's own lists.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Target<'a> {
    /// Index into the plugin's families.
    pub family_index: usize,
    /// The family.
    pub family: &'a AdapterFamily,
    /// One of the family's ABI versions.
    pub abi_version: u64,
}
