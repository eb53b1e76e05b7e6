//! Libraries: loaded from anywhere, or not loadable, or no plugins.

use std::error::Error;
use std::path::{Component, Path, PathBuf};
use std::process::{self, Command};
use std::{env, fs, io};

use ddi_sys::DXGI_ERROR_NOT_FOUND;
use plugin_host::{CallError, CallFailure, Library, LoadError, Plugin};

fn load(path: &Path) -> LoadError {
    // SAFETY: none of these files has code that is called: they are not libraries, or the system's.
    unsafe { Library::load(path) }.unwrap_err()
}

#[test]
fn a_missing_file() {
    for path in ["/no/such/plugin.so", "no-such-plugin", ""] {
        let error = load(Path::new(path));
        assert!(matches!(error, LoadError::File { .. }), "{error}");
        // The system's reason is the cause: a chain of causes prints it once.
        let text = format!("{path}: no such file, or it cannot be read");
        assert_eq!(error.to_string(), text);
        assert!(error.source().unwrap().is::<io::Error>());
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
    let LoadError::NotLoadable { path, reason, code } = &error else {
        panic!("{error}");
    };
    assert!(
        path.is_absolute() && path.ends_with("Cargo.toml"),
        "{error}"
    );
    assert!(!reason.is_empty() && error.to_string().contains(reason));
    assert_eq!(code.is_some(), cfg!(windows));
}

#[test]
fn a_folder() {
    let error = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(matches!(error, LoadError::NotAFile { .. }), "{error}");
}

/// The loader would wait for who writes to it.
#[cfg(unix)]
#[test]
fn a_fifo() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    let error = load(&path);
    assert!(matches!(error, LoadError::NotAFile { .. }), "{error}");
}

#[cfg(target_os = "linux")]
fn system_library() -> PathBuf {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let paths = maps
        .lines()
        .filter_map(|line| line.split_whitespace().last());
    paths
        .map(Into::into)
        .find(|path: &PathBuf| path.ends_with("libc.so.6"))
        .unwrap()
}

#[cfg(windows)]
fn system_library() -> PathBuf {
    Path::new(&env::var_os("SystemRoot").unwrap())
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

/// Builds `minimal_plugin.c`; `None` when there is no C compiler.
fn minimal_plugin(folder: &Path) -> Option<PathBuf> {
    let compiler = if cfg!(windows) { "gcc" } else { "cc" };
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = folder.join("plugin.library");
    let mut command = Command::new(compiler);
    command
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-shared"])
        .arg("-I")
        .arg(crate_folder.join("../headers"))
        .arg(crate_folder.join("tests/host/minimal_plugin.c"))
        .arg("-o")
        .arg(&library);
    if cfg!(target_arch = "x86") {
        command.arg("-m32");
    }
    if cfg!(windows) {
        // The name as the specification has it, undecorated in a 32-bit library too.
        command.arg("-Wl,--kill-at");
    } else {
        command.arg("-fPIC");
    }
    match command.output() {
        Ok(output) => {
            let messages = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{command:?}\n{messages}");
            Some(library)
        }
        Err(error) => {
            println!("skipped: {command:?}: {error}");
            None
        }
    }
}

/// Out of the current folder, up to the root and down to `path`.
fn relative(path: &Path) -> PathBuf {
    let up = env::current_dir().unwrap();
    let up = up.ancestors().skip(1).map(|_| Component::ParentDir);
    let is_name = |component: &Component<'_>| matches!(component, Component::Normal(_));
    up.chain(path.components().filter(is_name)).collect()
}

#[test]
fn a_plugin_by_a_relative_path_through_a_folder_with_any_name() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("load-{}", process::id()));
    let any_name = folder.join("Größe \u{5927}\u{304d}\u{3055}");
    fs::create_dir_all(&any_name).unwrap();
    // Not every compiler takes such a name on its command line.
    if let Some(built) = minimal_plugin(&folder) {
        let path = any_name.join("plugin.library");
        fs::rename(built, &path).unwrap();
        loads(&relative(&path));
    }
    // On Windows this fails while the library is loaded.
    fs::remove_dir_all(&folder).unwrap();
}

fn loads(path: &Path) {
    assert!(path.is_relative(), "{}", path.display());
    // SAFETY: a plugin of this project.
    let library = unsafe { Library::load(path) }.unwrap();
    let absolute = library.path().unwrap().to_owned();
    assert!(absolute.is_absolute());
    let same = |path: &Path| path.canonicalize().unwrap();
    assert_eq!(same(&absolute), same(path));

    let plugin = Plugin::open(&library).unwrap();
    drop(library);
    assert_eq!(plugin.library().path(), Some(&*absolute));
    assert_eq!(plugin.adapter_families().unwrap(), ["Größe"]);
    assert_eq!(plugin.compiler_version(0), Ok(0x0001_0002_0003_0004));
    let error = plugin.compiler_version(1).unwrap_err();
    let expected = CallError {
        path: Some(absolute.clone().into()),
        call: "pfnGetCompilerVersion",
        failure: CallFailure::Result(DXGI_ERROR_NOT_FOUND),
    };
    assert_eq!(error, expected);
    // Among several plugins, the text says whose it is.
    let reason = "pfnGetCompilerVersion failed: DXGI_ERROR_NOT_FOUND (0x887A0002)";
    let text = format!("{}: {reason}", absolute.display());
    assert_eq!(error.to_string(), text);

    // The error does not keep the code.
    assert_loaded(true);
    drop(plugin);
    assert_loaded(false);
}

/// Elsewhere than on Linux and Windows nothing tells.
fn assert_loaded(loaded: bool) {
    if cfg!(target_os = "linux") {
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        assert_eq!(maps.contains("plugin.library"), loaded);
    }
}
