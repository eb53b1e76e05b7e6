//! The C client of `headers/examples`, built and run with the library's exports, and with the driver as a library.

use std::path::Path;
use std::process::Command;

use runtime_test_support::native::{C_COMPILERS, build, is_here, library};

#[test]
fn a_program_in_c_drives_the_driver() {
    for compiler in C_COMPILERS.iter().filter(|compiler| is_here(compiler)) {
        let folder = tempfile::tempdir().unwrap();
        let client = build(compiler, folder.path(), "mock_runtime.c");
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dxil/corpus/dxil");
        let shader = |name| corpus.join(name);
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
