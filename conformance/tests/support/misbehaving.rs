//! The library `misbehaving.c`, compiled once for each test program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Says what the library does.
pub const MISBEHAVE: &str = "DDI_MISBEHAVE";

/// The library; `None`, with a line on stderr, on a system without a C compiler.
pub fn misbehaving() -> Option<PathBuf> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/plugins/misbehaving.c");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME"));
        std::fs::create_dir_all(&folder).expect("a folder for a library");
        let library = folder.join("libmisbehaving.so");
        // Another process of these tests may have the library open.
        let new = folder.join(format!("{}.so", std::process::id()));
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let compiled = Command::new(compiler)
            .args(["-shared", "-fPIC", "-fvisibility=hidden", "-O1", "-o"])
            .arg(&new)
            .arg(source)
            .status();
        match compiled {
            Ok(status) => {
                assert!(status.success(), "{source} does not compile");
                std::fs::rename(new, &library).expect("a library can be renamed");
                Some(library)
            }
            Err(error) => {
                eprintln!("skipped: no C compiler ({error})");
                None
            }
        }
    });
    library.clone()
}
