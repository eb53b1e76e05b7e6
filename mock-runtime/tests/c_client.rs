//! The C client of `headers/examples`, built and run with the library's exports, and with the driver as a library.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Command;

const COMPILERS: &[&str] = if cfg!(windows) {
    &["gcc"]
} else {
    &["cc", "clang"]
};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// A library that cargo builds with the tests.
fn library(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests.with_file_name(format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"))
}

fn is_here(compiler: &str) -> bool {
    let output = Command::new(compiler).arg("--version").output();
    let here = output.is_ok_and(|output| output.status.success());
    if !here {
        println!("skipped: no {compiler}");
    }
    here
}

#[test]
fn a_program_in_c_drives_the_driver() {
    for compiler in COMPILERS.iter().filter(|compiler| is_here(compiler)) {
        let folder = tempfile::tempdir().unwrap();
        let client = folder.path().join(format!("client{EXE_SUFFIX}"));
        let headers = repository().join("headers");
        let system: &[&str] = if cfg!(windows) {
            &["-static"]
        } else {
            &["-ldl"]
        };
        let built = Command::new(compiler)
            .args([
                "-std=c11",
                "-Wall",
                "-Wextra",
                "-Wpedantic",
                "-Werror",
                "-I",
            ])
            .arg(&headers)
            .arg(headers.join("examples/mock_runtime.c"))
            .arg("-o")
            .arg(&client)
            .args(system)
            .output()
            .unwrap();
        let messages = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{compiler}: {messages}");

        let shader = |name: &str| repository().join("dxil/corpus/dxil").join(name);
        for driver in [None, Some(library("mock_umd"))] {
            let ran = Command::new(&client)
                .arg(library("mock_runtime"))
                .args([shader("fullscreen_vs.dxil"), shader("fullscreen_ps.dxil")])
                .args(&driver)
                .output()
                .unwrap();
            let messages = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success(), "{driver:?}: {messages}");
            let text = String::from_utf8(ran.stdout).unwrap();
            let expected = "from database 0, from driver 0, missed 4, stored 4\n\
                            pipelines 1, missed the database 1\n\
                            again: 0x80070057\n\
                            driver's objects: there\n\
                            released twice: 0x80070057\n";
            assert_eq!(text.replace('\r', ""), expected, "{driver:?}");
        }
    }
}
