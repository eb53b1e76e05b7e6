//! The generated files are as committed, and C and C++ compilers take them.

mod api;
mod conformance;
mod ddi;
mod mock_umd;
mod orders;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::facts::Facts;
use xtask::input::Input;
use xtask::source::Declarations;
use xtask::toolchain::{TARGETS, Target};
use xtask::{layout, workspace};

const WARNINGS: [&str; 5] = ["-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Werror"];

const MICROSOFTS: &str = "#include <windows.h>\n#include <d3d12.h>\n";

/// Compiles `text` by a standard with the headers in `headers`; the compiler's messages when it refuses.
fn compile(
    (compiler, standard): (&str, &str),
    headers: &Path,
    text: &str,
    arguments: &[&str],
) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let language = if standard.contains("++") { "cpp" } else { "c" };
    let source = folder.path().join(format!("test.{language}"));
    fs::write(&source, text).unwrap();
    let output = Command::new(compiler)
        .env("LC_ALL", "C")
        .arg(format!("-std={standard}"))
        .args(WARNINGS)
        .args(arguments)
        .arg("-I")
        .arg(headers)
        .arg(source)
        .output()
        .unwrap();
    if output.status.success() {
        return Ok(());
    }
    let messages = String::from_utf8_lossy(&output.stderr);
    Err(format!("{compiler} -std={standard}:\n{messages}"))
}

/// Compiles `text` with the committed headers, without writing anything.
fn check(compiler: (&str, &str), text: &str, arguments: &[&str]) -> Result<(), String> {
    let arguments = [&["-fsyntax-only"], arguments].concat();
    compile(compiler, &headers(), text, &arguments)
}

/// Calls `test` with each compiler that is here and the standard it is asked to follow.
fn for_each_compiler(test: impl Fn(&Target, (&str, &str))) {
    for target in &TARGETS {
        for compiler in target.compilers_here() {
            test(target, (compiler.c, "c11"));
            test(target, (compiler.cpp, "c++17"));
        }
    }
}

fn headers() -> PathBuf {
    workspace().join("headers")
}

/// The text of a committed file.
fn generated(file: &str) -> String {
    let text = fs::read_to_string(headers().join(file)).unwrap();
    text.replace("\r\n", "\n")
}

#[test]
fn the_committed_files_are_the_generated_ones() {
    for command in ["headers", "api"] {
        let mut check = Command::new(env!("CARGO_BIN_EXE_xtask"));
        let check = check.args([command, "--check"]).output().unwrap();
        let messages = String::from_utf8_lossy(&check.stderr);
        assert!(check.status.success(), "{messages}");
    }
}

#[test]
fn documentation_names_nothing_of_rust() {
    for input in [Input::Plugin, Input::Usermode, Input::Api] {
        let header = generated(input.header());
        let paths = header.lines().filter(|line| line.contains("crate::"));
        let paths: Vec<&str> = paths.collect();
        assert!(paths.is_empty(), "{}: {paths:?}", input.header());
    }
}

#[test]
fn a_fault_in_the_tables_is_named() {
    let api = Declarations::read(&Input::Api.source(), Input::Api).unwrap();
    let undeclared = "is in the tables, but not declared in the source: declare it";
    for (file, line, message) in [
        (
            "fields.tsv",
            "D3D12_BLEND_DESC\tFourth\tBOOL\t4\t4",
            format!("api-sys/facts: D3D12_BLEND_DESC.Fourth {undeclared}"),
        ),
        (
            "constants.tsv",
            "D3D12_FOURTH\tUINT\t4\td3d12\t4\t-",
            format!("api-sys/facts: D3D12_FOURTH {undeclared}"),
        ),
        (
            "methods.tsv",
            "IFourth\t3\tMethod\tvoid\t",
            "methods.tsv:82: no other table has IFourth, which this line belongs to".into(),
        ),
        (
            "methods.tsv",
            "ID3D12Compiler\t3\tMethod\tvoid",
            "methods.tsv:82: not a valid line of this table: ID3D12Compiler\t3\tMethod\tvoid"
                .into(),
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(Input::Api.tables()).unwrap() {
            let entry = entry.unwrap();
            let mut text = fs::read_to_string(entry.path()).unwrap();
            if entry.file_name() == file {
                text += line;
            }
            fs::write(folder.path().join(entry.file_name()), text).unwrap();
        }
        let facts = Facts::read(folder.path(), Input::Api);
        let error = facts.and_then(|facts| layout::generate(&api, &facts));
        let error = error.unwrap_err().to_string();
        assert!(error.ends_with(&message), "{error}");
    }
}
