//! Paths that no code page has: of the plugin, of the executable, of the folder for temporary files.

use std::env::consts::{DLL_SUFFIX, EXE_SUFFIX};
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::support::libraries::broken;

#[test]
fn nothing_depends_on_a_code_page() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("плагин 插件 🂡");
    fs::create_dir(&folder).unwrap();
    let plugin = folder.join(format!("плагин{DLL_SUFFIX}"));
    fs::copy(broken("broken-plugin"), &plugin).unwrap();
    let exe = folder.join(format!("испытание{EXE_SUFFIX}"));
    fs::copy(env!("CARGO_BIN_EXE_ddi-conformance"), &exe).unwrap();

    // P-OPEN-05 and P-FAM-05 start processes of their own; one of them in another folder.
    let output = Command::new(exe)
        .arg("run")
        .arg(&plugin)
        .args(["--filter", "=P-OPEN-01,=P-OPEN-05,=P-FAM-05"])
        .args(["--format", "json"])
        .env("TMP", &folder)
        .env("TMPDIR", &folder)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["totals"]["pass"], 3, "{report:#}");
    assert_eq!(report["plugin"]["path"], plugin.to_str().unwrap());
}
