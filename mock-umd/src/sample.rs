//! The compiler: the sample plugin, linked in. Its tables are the driver's.

use std::sync::OnceLock;

use ddi_sys::E_FAIL;
use plugin_host::{ApplicationDesc, Library, Plugin, Target};
use plugin_sdk::PluginEntry;
use sample_plugin::SamplePlugin;
use widestring::U16CString;

use crate::boundary::{Error, Result};

/// The plugin, opened once for the process.
pub(crate) fn plugin() -> &'static Plugin {
    static PLUGIN: OnceLock<Plugin> = OnceLock::new();
    PLUGIN.get_or_init(|| {
        // SAFETY: the entry point of a plugin that `plugin-sdk` makes.
        let library = unsafe { Library::from_entry(SamplePlugin::entry_point()) };
        Plugin::open(&library).expect("the sample plugin can be opened")
    })
}

/// A family with its newest ABI version.
pub(crate) fn target(family: u32) -> Result<Target> {
    let failed = |error: plugin_host::CallError| Error::new(E_FAIL, error.to_string());
    let newest = plugin().abi_versions(family).map_err(failed)?[0];
    plugin().target(family, newest).map_err(failed)
}

/// An application that no profile knows: capabilities do not depend on it.
pub(crate) fn any_application() -> ApplicationDesc {
    ApplicationDesc {
        exe_filename: U16CString::new(),
        name: U16CString::new(),
        version: 0,
        engine: None,
    }
}
