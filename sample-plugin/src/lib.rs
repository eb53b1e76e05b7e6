//! A believable compiler plugin of a vendor that does not exist.
#![forbid(unsafe_code)]

mod caps;
mod compiler;
mod families;
mod fixed_function;
mod formats;
mod link;
mod metadata;
pub mod object_code;
mod pdb;
mod performance;
mod profiles;
mod program;
mod root_layout;
mod state_object;
mod switches;
mod unit;

use plugin_sdk::ddi::DXGI_FORMAT;
use plugin_sdk::desc::ApplicationDesc;
use plugin_sdk::{
    AdapterFamily, Capabilities, CompilerPlugin, Result, Target, VersionNumber, export_plugin,
};

use families::{FAMILIES, Family};

pub use compiler::SampleCompiler;
pub use state_object::StateObject;

/// Fabrikam's plugin.
pub struct SamplePlugin;

export_plugin!(SamplePlugin);

impl CompilerPlugin for SamplePlugin {
    type Compiler = SampleCompiler;

    fn open() -> Result<Self> {
        Ok(Self)
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        FAMILIES.iter().map(Family::adapter_family).collect()
    }

    fn capabilities(&self, target: &Target<'_>, _: &ApplicationDesc<'_>) -> Capabilities {
        caps::capabilities(Family::of(target).generation)
    }

    fn format_support(&self, target: &Target<'_>, format: DXGI_FORMAT) -> u32 {
        formats::support(Family::of(target).generation, format)
    }

    fn multisample_quality_levels(
        &self,
        target: &Target<'_>,
        format: DXGI_FORMAT,
        sample_count: u32,
    ) -> u32 {
        formats::quality_levels(Family::of(target).generation, format, sample_count)
    }

    fn application_profile_version(
        &self,
        _: &Target<'_>,
        application: &ApplicationDesc<'_>,
    ) -> VersionNumber {
        profiles::find(application).0
    }

    fn create_compiler(
        &self,
        target: &Target<'_>,
        application: &ApplicationDesc<'_>,
    ) -> Result<SampleCompiler> {
        SampleCompiler::new(target, application)
    }
}
