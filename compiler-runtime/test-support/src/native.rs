//! Building the programs of `headers/examples`, in C and C++.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Command;

/// For C, and the system that the tests run on.
pub const C_COMPILERS: &[&str] = if cfg!(windows) {
    &["gcc"]
} else {
    &["cc", "clang"]
};

/// For C++, and the system that the tests run on.
pub const COMPILERS: &[&str] = if cfg!(windows) {
    &["g++"]
} else {
    &["c++", "clang++"]
};

/// For C++, and Windows.
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

/// Builds an example, a file, as `headers/README.md` says, but with no warnings allowed.
pub fn build(compiler: &str, folder: &Path, example: &str) -> PathBuf {
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../headers");
    let source = headers.join("examples").join(example);
    let name = source.file_stem().unwrap().to_str().unwrap();
    let program = folder.join(format!("{name}{EXE_SUFFIX}"));
    let is_c = source.extension().is_some_and(|extension| extension == "c");
    let system: &[_] = match cfg!(windows) || MINGW.contains(&compiler) {
        false => &["-ldl"],
        true if is_c => &["-static"],
        true => &["-municode", "-static"],
    };
    let output = Command::new(compiler)
        .arg(if is_c { "-std=c11" } else { "-std=c++17" })
        .args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"])
        .arg(&headers)
        .arg(source)
        .arg("-o")
        .arg(&program)
        .args(system)
        .output()
        .unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{compiler}: {messages}");
    program
}
