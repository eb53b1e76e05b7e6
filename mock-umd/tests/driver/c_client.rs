//! The C program of `headers/examples` that drives the library and reads what it has recorded.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};
use std::path::Path;
use std::process::Command;

const COMPILERS: &[&str] = if cfg!(windows) {
    &["gcc"]
} else {
    &["cc", "clang"]
};

fn is_here(compiler: &str) -> bool {
    let output = Command::new(compiler).arg("--version").output();
    let here = output.is_ok_and(|output| output.status.success());
    if !here {
        println!("skipped: no {compiler}");
    }
    here
}

/// Its second reading of the statistics fails if the first one, or the question for the size, is in them.
#[test]
fn a_program_in_c_drives_the_driver_and_reads_its_recording() {
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../headers");
    let tests = std::env::current_exe().unwrap();
    let library = tests.with_file_name(format!("{DLL_PREFIX}mock_umd{DLL_SUFFIX}"));
    for compiler in COMPILERS.iter().filter(|compiler| is_here(compiler)) {
        let name = format!("mock-umd-{compiler}-{}{EXE_SUFFIX}", std::process::id());
        let client = std::env::temp_dir().join(name);
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
            .arg(headers.join("examples/mock_umd.c"))
            .arg("-o")
            .arg(&client)
            .arg(if cfg!(windows) { "-static" } else { "-ldl" })
            .output()
            .unwrap();
        let messages = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{compiler}: {messages}");
        let ran = Command::new(&client).arg(&library).output().unwrap();
        std::fs::remove_file(&client).unwrap();
        let messages = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{messages}");
        let text = String::from_utf8(ran.stdout).unwrap().replace('\r', "");
        let expected = "1 command: {\"commands\":[{\"arguments\":{\"instance_count\":1,\"start_instance\":0,\"start_vertex\":0,\
                        \"vertex_count\":3},\"call\":\"pfnDrawInstanced\"}],\"error\":null,\"open\":false}\n\
                        commands of a list that is gone: 0\n";
        assert_eq!(text, expected);
    }
}
