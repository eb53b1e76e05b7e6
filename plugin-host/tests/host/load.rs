//! Libraries that cannot be loaded, or are no plugins.

use std::path::Path;

use plugin_host::{Library, LoadError};

fn load(path: &Path) -> LoadError {
    // SAFETY: none of these files has code that is called: they are not libraries, or the system's.
    unsafe { Library::load(path) }.unwrap_err()
}

#[test]
fn a_missing_file() {
    for path in ["/no/such/plugin.so", "no-such-plugin", ""] {
        let error = load(Path::new(path));
        assert!(matches!(error, LoadError::File { .. }), "{error}");
        assert!(
            error.to_string().starts_with(&format!("{path}: ")),
            "{error}"
        );
    }
}

#[test]
fn the_search_path_is_not_consulted() {
    let name = if cfg!(windows) {
        "kernel32.dll"
    } else {
        "libc.so.6"
    };
    let error = load(Path::new(name));
    assert!(matches!(error, LoadError::File { .. }), "{error}");
}

#[test]
fn a_file_that_is_no_library() {
    // Tests run in the folder of the crate.
    let error = load(Path::new("Cargo.toml"));
    let LoadError::NotLoadable { path, reason } = &error else {
        panic!("{error}");
    };
    assert!(
        path.is_absolute() && path.ends_with("Cargo.toml"),
        "{error}"
    );
    assert!(!reason.is_empty() && error.to_string().contains(reason));
}

#[test]
fn a_folder() {
    let error = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(matches!(error, LoadError::NotLoadable { .. }), "{error}");
}

#[cfg(target_os = "linux")]
fn system_library() -> std::path::PathBuf {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let paths = maps
        .lines()
        .filter_map(|line| line.split_whitespace().last());
    paths
        .map(Into::into)
        .find(|path: &std::path::PathBuf| path.ends_with("libc.so.6"))
        .unwrap()
}

#[cfg(windows)]
fn system_library() -> std::path::PathBuf {
    Path::new(&std::env::var_os("SystemRoot").unwrap())
        .join("System32")
        .join("version.dll")
}

#[cfg(any(target_os = "linux", windows))]
#[test]
fn a_library_without_the_export() {
    let library = system_library();
    let error = load(&library);
    let LoadError::NoEntryPoint { path, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(*path, library);
    let text = error.to_string();
    assert!(text.contains("no export D3D12OpenCompilerDDI"), "{text}");
}
