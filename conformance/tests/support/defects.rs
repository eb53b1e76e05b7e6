//! The defects of each library, from its tables.

use super::matrix::Defect;

/// Those of `broken-plugin`.
pub fn of_plugin() -> Vec<Defect> {
    broken_plugin::all_defects().map(Defect::from).collect()
}

/// Those of `broken-runtime` in its API.
pub fn of_api() -> Vec<Defect> {
    let all = broken_runtime::all_defects();
    let of_api = all.filter(|defect| !broken_runtime::is_of_host(defect));
    of_api.map(Defect::from).collect()
}

/// Those of `broken-runtime` as a host, between the runtime and the plugin.
pub fn of_host() -> Vec<Defect> {
    let all = broken_runtime::all_defects();
    let of_host = all.filter(|defect| broken_runtime::is_of_host(defect));
    of_host.map(Defect::from).collect()
}

/// Those of `broken-umd`.
pub fn of_driver() -> Vec<Defect> {
    broken_umd::all_defects().map(Defect::from).collect()
}
