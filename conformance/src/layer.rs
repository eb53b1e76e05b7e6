//! The layer with a defect that `selftest` puts between the tests and the plugin: that of `broken-plugin`.

use std::env;

use plugin_host::EntryPoint;

/// The environment variable that names the defect of the layer; unset, there is no layer.
pub(crate) const VARIABLE: &str = "DDI_LAYER";

/// The entry point of the layer in front of the plugin under test; without a layer that of the plugin.
pub(crate) fn in_front_of(plugin: EntryPoint) -> EntryPoint {
    match env::var_os(VARIABLE) {
        Some(defect) => broken_plugin::in_front_of(plugin, &defect),
        None => plugin,
    }
}

/// What the layer's defect needs of the plugin, and has not met so far.
pub(crate) fn unmet() -> Option<&'static str> {
    env::var_os(VARIABLE).and_then(|_| broken_plugin::unmet())
}
