//! A plugin that panics in every compile, where the SDK is around it; or already in its export, where
//! nothing is, if the environment variable `DDI_MISBEHAVE` says "panic in the export".

use ddi_sys::{D3D12DDIARG_COMPILER_OPEN_DDI, HRESULT};
use plugin_sdk::desc::{ApplicationDesc, PipelineStateDesc};
use plugin_sdk::{
    AdapterFamily, Compiler, CompilerPlugin, ObjectValueKeys, PluginEntry, Result, Session, Target,
    VersionNumber, plugin_entry,
};

struct Panicking;

struct PanickingCompiler;

plugin_entry!(Panicking);

impl CompilerPlugin for Panicking {
    type Compiler = PanickingCompiler;

    fn open() -> Result<Self> {
        Ok(Self)
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        vec![AdapterFamily::new(
            "Panicking",
            vec![1],
            VersionNumber::new(1, 0, 0, 0),
        )]
    }

    fn create_compiler(
        &self,
        _: &Target<'_>,
        _: &ApplicationDesc<'_>,
    ) -> Result<PanickingCompiler> {
        Ok(PanickingCompiler)
    }
}

impl Compiler for PanickingCompiler {
    type StateObject = ();

    fn compile_pipeline_state<'call>(
        &self,
        _: &PipelineStateDesc<'call>,
        _: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>> {
        panic!("the SDK is around this")
    }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid for reads and writes, and so is the
/// table that it points at.
///
/// # Panics
///
/// When it is told to, which is what it is for.
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn D3D12OpenCompilerDDI(
    argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI,
) -> HRESULT {
    assert!(
        std::env::var_os("DDI_MISBEHAVE").is_none_or(|what| what != "panic in the export"),
        "nothing is around this"
    );
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_OPEN_DDI demands of a host.
    unsafe { Panicking::entry_point()(argument) }
}
