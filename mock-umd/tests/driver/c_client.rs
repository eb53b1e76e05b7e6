//! The C program of `headers/examples` that drives the library and reads what it has recorded.

use std::process::Command;

use runtime_test_support::native::{C_COMPILERS, build, is_here, library};

/// Its second reading of the statistics fails if the first one, or the question for the size, is in them.
#[test]
fn a_program_in_c_drives_the_driver_and_reads_its_recording() {
    for compiler in C_COMPILERS.iter().filter(|compiler| is_here(compiler)) {
        let folder = tempfile::tempdir().unwrap();
        let client = build(compiler, folder.path(), "mock_umd.c");
        let ran = Command::new(&client).arg(library("mock_umd")).output();
        let ran = ran.unwrap();
        let messages = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{messages}");
        let text = String::from_utf8(ran.stdout).unwrap().replace('\r', "");
        let expected = "1 command: {\"commands\":[{\"arguments\":{\"instance_count\":1,\"start_instance\":0,\"start_vertex\":0,\
                        \"vertex_count\":3},\"call\":\"pfnDrawInstanced\"}],\"error\":null,\"open\":false}\n\
                        commands of a list that is gone: 0\n";
        assert_eq!(text, expected);
    }
}
