//! A C++ program over the headers, built and run.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Command;

/// For the system that the tests run on.
const COMPILERS: &[&str] = if cfg!(windows) {
    &["g++"]
} else {
    &["c++", "clang++"]
};

fn is_here(compiler: &str) -> bool {
    let output = Command::new(compiler).arg("--version").output();
    let here = output.is_ok_and(|output| output.status.success());
    if !here {
        println!("skipped: no {compiler}");
    }
    here
}

/// Builds the client, with no warnings allowed.
fn build(compiler: &str, folder: &Path) -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = folder.join(format!("client{EXE_SUFFIX}"));
    let system: &[_] = if cfg!(windows) {
        &["-municode", "-static"]
    } else {
        &["-ldl"]
    };
    let output = Command::new(compiler)
        .args(["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .arg("-I")
        .arg(crate_folder.join("../headers"))
        .arg(crate_folder.join("tests/state_object_database/client.cpp"))
        .arg("-o")
        .arg(&program)
        .args(system)
        .output()
        .unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{compiler}: {messages}");
    program
}

#[test]
fn a_program_stores_and_finds() {
    let tests = std::env::current_exe().unwrap();
    let runtime = tests.with_file_name(format!("{DLL_PREFIX}compiler_runtime{DLL_SUFFIX}"));
    let code = crate::corpus::folder().join("dxil/rt_pipeline_lib63.dxil");
    for compiler in COMPILERS.iter().filter(|compiler| is_here(compiler)) {
        let folder = tempfile::tempdir().unwrap();
        let client = build(compiler, folder.path());
        let database = folder.path().join("дані 資料.sodb");
        let arguments = [&runtime, &database, &code];
        let output = Command::new(client).args(arguments).output().unwrap();
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{compiler}: {messages}");
    }
}
