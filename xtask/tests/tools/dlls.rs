//! The DLLs that Cargo makes of plugins are plugins that need nothing but Windows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::dll::Dll;
use xtask::toolchain::{TARGETS, Target};
use xtask::workspace;

/// The sample plugin's DLL.
fn sample_plugin(target: &Target) -> PathBuf {
    // CARGO_TARGET_TMPDIR is a folder of the target directory.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args([
            "build",
            "--quiet",
            "--release",
            "--package",
            "sample-plugin",
        ])
        .args(["--target", target.triple, "--target-dir"])
        .arg(folder)
        .current_dir(workspace())
        .status()
        .unwrap();
    assert!(status.success(), "{}", target.triple);
    folder.join(target.triple).join("release/sample_plugin.dll")
}

/// Whether programs can be linked for the target: by MinGW, or on Windows by Visual Studio.
fn links(target: &Target) -> bool {
    target.compilers_here().next().is_some()
        || (cfg!(target_env = "msvc") && target.triple.ends_with("msvc"))
}

#[test]
fn a_rust_plugin_exports_one_name_and_imports_from_windows_alone() {
    let targets = TARGETS.iter().filter(|target| target.is_windows);
    for target in targets.filter(|target| target.has_rust() && links(target)) {
        let dll = Dll::read(&fs::read(sample_plugin(target)).unwrap()).unwrap();
        assert_eq!(dll.exports, ["D3D12OpenCompilerDDI"], "{}", target.triple);
        assert_eq!(dll.faults(), [""; 0], "{}", target.triple);
        assert!(!dll.imports.is_empty(), "{}", target.triple);
    }
}
