//! The plugin that is linked in: the sample plugin.

use plugin_host::EntryPoint;
use plugin_sdk::PluginEntry;
use sample_plugin::SamplePlugin;

/// Its `D3D12OpenCompilerDDI`.
pub(crate) fn entry_point() -> EntryPoint {
    SamplePlugin::entry_point()
}
