//! The libraries that the tests load, besides the plugin that is linked in.

use std::env::consts::{DLL_EXTENSION, DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A folder that has them, for a system on which the tests run but no compiler does, and where they are built anyway. There those
/// of C++ files may be missing from it.
const BUILT: &str = "DDI_TEST_LIBRARIES";

fn built(name: &str) -> Option<PathBuf> {
    let name = name.replace('-', "_");
    let file = format!("{DLL_PREFIX}{name}{DLL_SUFFIX}");
    std::env::var_os(BUILT).map(|folder| Path::new(&folder).join(file))
}

/// An example of the packages `broken-plugin`, `broken-runtime` and `broken-umd`, built with cargo in the profile of the
/// tests.
pub fn broken(name: &str) -> PathBuf {
    static MESSAGES: OnceLock<String> = OnceLock::new();
    let build = || {
        cargo_build(
            &["broken-plugin", "broken-runtime", "broken-umd"],
            "--examples",
        )
    };
    built(name).unwrap_or_else(|| named(MESSAGES.get_or_init(build), name))
}

/// The packages of what the tests of good plugins, runtimes and drivers load besides.
const LIBRARIES: [&str; 10] = [
    "checking-plugin",
    "conformance-c",
    "d3d12-compiler-runtime",
    "dying-plugin",
    "mock-runtime",
    "mock-umd",
    "other-plugin",
    "parallel-plugin",
    "sample-plugin",
    "trace-plugin",
];

/// A library of these packages, built as those of [`broken`].
pub fn library(name: &str) -> PathBuf {
    static MESSAGES: OnceLock<String> = OnceLock::new();
    let build = || cargo_build(&LIBRARIES, "--lib");
    built(name).unwrap_or_else(|| named(MESSAGES.get_or_init(build), name))
}

fn named(messages: &str, name: &str) -> PathBuf {
    let file = messages.lines().find_map(|message| artifact(message, name));
    file.unwrap_or_else(|| panic!("cargo names no library {name}"))
}

/// The library `faulting.cpp`; `None`, with a line on stderr, on a system without GCC or Clang.
pub fn faulting_plugin() -> Option<PathBuf> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    LIBRARY
        .get_or_init(|| compiled("tests/plugins/faulting.cpp"))
        .clone()
}

/// The C++ example plugin, as [`faulting_plugin`].
pub fn minimal_plugin() -> Option<PathBuf> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    LIBRARY
        .get_or_init(|| compiled("../headers/examples/minimal_plugin.cpp"))
        .clone()
}

/// The example of the SDK for C++, as [`faulting_plugin`].
pub fn cpp_sdk_plugin() -> Option<PathBuf> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    LIBRARY
        .get_or_init(|| compiled("../headers/examples/sdk_plugin.cpp"))
        .clone()
}

/// The example of the SDK for C++, in which each first text is replaced by the second, as [`faulting_plugin`].
pub fn changed_cpp_sdk_plugin(name: &str, changes: &[(&str, &str)]) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../headers/examples/sdk_plugin.cpp");
    let mut text = std::fs::read_to_string(source).expect("it can be read");
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let changed = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.cpp"));
    std::fs::write(&changed, text).expect("it can be written");
    compile(&changed, name)
}

/// The library of a C++ file of this package.
fn compiled(source: &str) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let name = source.file_stem().expect("a file").to_string_lossy();
    let built = built(&name).filter(|library| cfg!(windows) || library.exists());
    built.or_else(|| compile(&source, &name))
}

fn compile(source: &Path, name: &str) -> Option<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let headers = package.join("../headers");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME"));
    std::fs::create_dir_all(&folder).expect("a folder for a library");
    let library = folder.join(format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"));
    // Another process of these tests may have the library open.
    let new = folder.join(format!("{name}-{}{DLL_SUFFIX}", std::process::id()));
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let mut command = Command::new(compiler);
    command
        .args(["-std=c++17", "-O1", "-shared", "-o"])
        .arg(&new)
        .arg(source)
        .arg("-I")
        .arg(&headers);
    if cfg!(windows) {
        command
            .arg(headers.join("examples/minimal_plugin.def"))
            .args(["-static", "-Wl,--enable-stdcall-fixup"]);
    } else {
        command.args(["-fPIC", "-fvisibility=hidden"]);
    }
    match command.status() {
        Ok(status) => {
            assert!(status.success(), "{} does not compile", source.display());
            std::fs::rename(new, &library).expect("a library can be renamed");
            Some(library)
        }
        Err(error) => {
            eprintln!("skipped: no C++ compiler ({error})");
            None
        }
    }
}

fn cargo_build(packages: &[&str], targets: &str) -> String {
    let exe = Path::new(env!("CARGO_BIN_EXE_ddi-conformance"));
    let target = exe.ancestors().nth(2).expect("<target>/<profile>/<exe>");
    // Not the tests' own: a library that is both rlib and cdylib has one file name whatever its
    // dependencies' features, so this build would replace what the documentation's tests are linked with.
    let target = target.join("libraries");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .arg("build")
        .args(packages.iter().flat_map(|package| ["--package", package]))
        .arg(targets)
        .args(["--message-format", "json-render-diagnostics"])
        .arg("--target-dir")
        .arg(target);
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit());
    let output = command.output().expect("cargo can be started");
    assert!(output.status.success(), "cargo cannot build {packages:?}");
    String::from_utf8(output.stdout).expect("cargo writes UTF-8")
}

/// The library that one of cargo's messages is about, if it is the target `name`.
fn artifact(message: &str, name: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    // Cargo shows a library under its crate's name.
    if message["target"]["name"].as_str()?.replace('_', "-") != name {
        return None;
    }
    let files = message["filenames"].as_array()?.iter();
    let mut files = files.filter_map(|file| file.as_str()).map(PathBuf::from);
    files.find(|file| file.extension().is_some_and(|e| e == DLL_EXTENSION))
}
