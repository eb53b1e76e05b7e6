//! What is put between the tests and the plugin: for `selftest` a layer with a defect, that of `broken-plugin`; for `--trace`
//! before it one that records.

use std::env;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use conformance_catalogue::verdict::Stop;
use ddi_trace::Apart;
use plugin_host::EntryPoint;

use conformance_protocol::layer::{TRACE, TRACED_RULE, VARIABLE};

use crate::watch::heap;

/// Set where this process records nothing: its calls cannot be made again.
pub(crate) static IS_UNTRACED: AtomicBool = AtomicBool::new(false);

/// The entry point of the layers in front of the plugin under test; without any that of the plugin.
pub(crate) fn in_front_of(plugin: EntryPoint, library: Option<&Path>) -> Result<EntryPoint, Stop> {
    let plugin = match env::var_os(VARIABLE) {
        Some(defect) => broken_plugin::in_front_of(plugin, &defect),
        None => plugin,
    };
    traced(plugin, library)
}

fn traced(plugin: EntryPoint, library: Option<&Path>) -> Result<EntryPoint, Stop> {
    static RECORDING: OnceLock<Result<EntryPoint, String>> = OnceLock::new();
    let Some(file) = env::var_os(TRACE).filter(|_| !IS_UNTRACED.load(Ordering::Relaxed)) else {
        return Ok(plugin);
    };
    let begin = || {
        let (file, rule) = (Path::new(&file), env::var(TRACED_RULE).ok());
        let apart = Some(Apart {
            begin: heap::pause,
            end: heap::go_on,
        });
        ddi_trace::in_front_of(plugin, file, library, rule.as_deref(), apart)
            .map_err(|error| format!("{}: {error}", file.display()))
    };
    RECORDING.get_or_init(begin).clone().map_err(Stop::Tool)
}

/// What the layer's defect needs of the plugin, and has not met so far.
pub(crate) fn unmet() -> Option<&'static str> {
    env::var_os(VARIABLE).and_then(|_| broken_plugin::unmet())
}
