//! Building the C++ programs of `headers/examples`.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Command;

/// For the system that the tests run on.
pub const COMPILERS: &[&str] = if cfg!(windows) {
    &["g++"]
} else {
    &["c++", "clang++"]
};

/// For Windows.
pub const MINGW: [&str; 2] = ["x86_64-w64-mingw32-g++", "i686-w64-mingw32-g++"];

/// A library that cargo builds with the tests.
pub fn library(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests.with_file_name(format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"))
}

/// Whether the machine has a compiler.
pub fn is_here(compiler: &str) -> bool {
    let output = Command::new(compiler).arg("--version").output();
    let here = output.is_ok_and(|output| output.status.success());
    if !here {
        println!("skipped: no {compiler}");
    }
    here
}

/// Builds an example as `headers/README.md` says, but with no warnings allowed.
pub fn build(compiler: &str, folder: &Path, example: &str) -> PathBuf {
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../headers");
    let program = folder.join(format!("{example}{EXE_SUFFIX}"));
    let windows = cfg!(windows) || MINGW.contains(&compiler);
    let system: &[_] = if windows {
        &["-municode", "-static"]
    } else {
        &["-ldl"]
    };
    let output = Command::new(compiler)
        .args(["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .arg("-I")
        .arg(&headers)
        .arg(headers.join("examples").join(example).with_extension("cpp"))
        .arg("-o")
        .arg(&program)
        .args(system)
        .output()
        .unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{compiler}: {messages}");
    program
}
