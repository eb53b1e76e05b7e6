//! The plugin behind the checks.

use std::ffi::OsStr;
use std::mem;
use std::sync::LazyLock;

use base_plugin::{Base, EntryPoint, PluginEntry as _};
use conformance_protocol::record::PLUGIN;
use libloading::Library;

/// The entry point of the plugin that the environment names, or of the small one; `None` where a named one cannot be
/// loaded.
pub(crate) fn entry_point() -> Option<EntryPoint> {
    *ENTRY_POINT
}

static ENTRY_POINT: LazyLock<Option<EntryPoint>> = LazyLock::new(|| {
    let Some(path) = std::env::var_os(PLUGIN).filter(|path| !path.is_empty()) else {
        return Some(Base::entry_point());
    };
    load(&path)
        .inspect_err(|error| eprintln!("checking-plugin: {}: {error}", path.display()))
        .ok()
});

fn load(path: &OsStr) -> Result<EntryPoint, libloading::Error> {
    // SAFETY: who sets the variable has this process load the plugin, and run what it does when it is loaded.
    let library = unsafe { Library::new(path) }?;
    // SAFETY: in a plugin the export of this name has this type.
    let entry = *unsafe { library.get::<EntryPoint>(b"D3D12OpenCompilerDDI\0") }?;
    // It stays as long as this plugin.
    mem::forget(library);
    Ok(entry)
}
