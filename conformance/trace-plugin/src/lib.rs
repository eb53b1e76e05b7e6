//! A plugin that passes every call on to another one and records it, under any host.
//!
//! A host loads this library in the plugin's place. The environment variable [`PLUGIN`] names the plugin's library, [`TRACE`] the
//! file of the trace, which several processes may share: each appends. Where one of them is missing, or the plugin cannot be
//! loaded, opening fails with E_FAIL, and a line on stderr says why.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ddi_sys::{D3D12DDIARG_COMPILER_OPEN_DDI, E_FAIL, HRESULT};
use plugin_host::{EntryPoint, Library};

/// The environment variable that names the plugin's library.
pub const PLUGIN: &str = "DDI_TRACED_PLUGIN";

/// The environment variable that names the file of the trace.
pub const TRACE: &str = "DDI_TRACED_TO";

/// The plugin's one export.
///
/// # Safety
///
/// PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid for reads and writes, and so is the table that it points at.
// SAFETY: the DDI's own name, which nothing else in a plugin library has.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the DDI's name")]
pub unsafe extern "system" fn D3D12OpenCompilerDDI(
    argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI,
) -> HRESULT {
    static ENTRY_POINT: LazyLock<Option<EntryPoint>> = LazyLock::new(|| {
        entry_point()
            .inspect_err(|error| eprintln!("trace-plugin: {error}"))
            .ok()
    });
    match *ENTRY_POINT {
        // SAFETY: the host's argument.
        Some(entry) => unsafe { entry(argument) },
        None => E_FAIL,
    }
}

/// The layer before the plugin.
fn entry_point() -> Result<EntryPoint, String> {
    let path = |name: &str| {
        let path = std::env::var_os(name).filter(|path| !path.is_empty());
        path.map(PathBuf::from)
            .ok_or_else(|| format!("the environment variable {name} is not set"))
    };
    let (plugin, trace) = (path(PLUGIN)?, path(TRACE)?);
    let cannot =
        |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    // SAFETY: who sets the variable has this process load the plugin, and run what it does when it is loaded.
    let library = unsafe { Library::load(&plugin) }.map_err(|error| cannot(&plugin, &error))?;
    let entry = library.entry_point();
    // It stays as long as this plugin.
    std::mem::forget(library);
    ddi_trace::in_front_of(entry, &trace, Some(&plugin), None, None)
        .map_err(|error| cannot(&trace, &error))
}
