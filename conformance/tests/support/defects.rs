//! The defects of each library, from its tables.

use super::matrix::{Defect, rows};

/// Those of `broken-plugin`.
pub fn of_plugin() -> Vec<Defect> {
    broken_plugin::all_defects!(rows).concat()
}

/// Those of `broken-runtime` in its API.
pub fn of_api() -> Vec<Defect> {
    [
        broken_runtime::export_defects!(rows),
        broken_runtime::factory_defects!(rows),
        broken_runtime::session_defects!(rows),
        broken_runtime::compiler_defects!(rows),
    ]
    .concat()
}

/// Those of `broken-runtime` as a host, between the runtime and the plugin.
pub fn of_host() -> Vec<Defect> {
    [
        broken_runtime::host_defects!(rows),
        broken_runtime::callback_defects!(rows),
        broken_runtime::description_defects!(rows),
        broken_runtime::pipeline_defects!(rows),
    ]
    .concat()
}

/// Those of `broken-umd`.
pub fn of_driver() -> Vec<Defect> {
    [
        broken_umd::adapter_defects!(rows),
        broken_umd::state_defects!(rows),
        broken_umd::memory_defects!(rows),
        broken_umd::bypass_defects!(rows),
        broken_umd::shader_cache_defects!(rows),
        broken_umd::keys_defects!(rows),
    ]
    .concat()
}
