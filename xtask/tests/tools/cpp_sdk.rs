//! The C++ SDK, headers/d3d12_compiler_plugin.hpp, with every compiler that is here: what must compile, what must not
//! and what the compiler then says, and what calls answer when the vendor's code throws.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;

use xtask::toolchain::{TARGETS, Target};
use xtask::workspace;

const WARNINGS: [&str; 7] = [
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wsign-conversion",
    "-Wshadow",
    "-Werror",
];

/// A later C++, whose optimizer warns too; without exceptions and RTTI; and, for Clang, what Visual C++ reads, in the way in which it
/// reads templates. Plain C++17 is what calls.cpp is built with.
const DIALECTS: [&[&str]; 4] = [
    &["-std=c++20", "-O2"],
    &["-std=c++17", "-fno-exceptions", "-fno-rtti"],
    &[
        "-std=c++17",
        "-fms-extensions",
        "-fdelayed-template-parsing",
        // Its branches of the header; the pragma for its linker means nothing here.
        "-D_MSC_VER=1929",
        "-Wno-ignored-pragmas",
    ],
    &[
        "-std=c++17",
        "-fms-extensions",
        "-D_MSC_VER=1929",
        "-D_M_IX86=600",
        "-Wno-ignored-pragmas",
    ],
];

/// The macros of faults.cpp whose fault the header itself notices, and what it has the compiler say.
const FAULTS: [(&str, &str); 12] = [
    (
        "KEY_WITHOUT_RECEIPT",
        "a key alone does not prove that its value is stored",
    ),
    (
        "RECEIPT_KEPT",
        "a receipt ends with its call and cannot be kept",
    ),
    (
        "SESSION_KEPT",
        "a session ends with its call and cannot be kept",
    ),
    ("HRESULT_RETURNED", "an HRESULT is no result here"),
    (
        "MAKES_NO_VALUES",
        "takes a function that makes the missing values",
    ),
    ("NO_COMPILE", "must override compilePipelineState"),
    (
        "NO_FAMILIES",
        "must override adapterFamilies and createCompiler",
    ),
    ("NO_OPEN", "must have a public static Result<itself> open()"),
    (
        "NOT_A_PLUGIN",
        "must derive publicly from d3d12_compiler::Plugin",
    ),
    (
        "NOT_A_COMPILER",
        "must derive publicly from d3d12_compiler::Compiler",
    ),
    ("DESTRUCTOR_THAT_THROWS", "must not throw"),
    (
        "STATE_THAT_CANNOT_BE_MOVED",
        "need a noexcept move constructor",
    ),
];

/// Those of which the compiler has words of its own.
const REFUSED: [(&str, &str); 4] = [
    ("RECEIPT_MADE", "private"),
    ("RECEIPT_COPIED", "deleted"),
    ("KEYS_MADE", "private"),
    ("DESCRIPTION_COPIED", "deleted"),
];

fn source(name: &str) -> PathBuf {
    workspace().join("xtask/tests/cpp_sdk").join(name)
}

fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn compiler(program: &str) -> Command {
    let mut command = Command::new(program);
    command.arg("-I").arg(workspace().join("headers"));
    command
}

fn succeed(command: &mut Command) {
    let output = run(command);
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{messages}");
}

/// Every C++ compiler that is here, with its target.
fn compilers() -> impl Iterator<Item = (&'static Target, &'static str)> {
    TARGETS
        .iter()
        .flat_map(|target| target.compilers_here().map(move |c| (target, c.cpp)))
}

#[test]
fn the_example_has_at_most_60_lines_and_no_warning() {
    let example = workspace().join("headers/examples/sdk_plugin.cpp");
    let text = std::fs::read_to_string(&example).unwrap();
    assert!(text.lines().count() <= 60);
    let compile = |program: &str| {
        for dialect in DIALECTS {
            if dialect.contains(&"-fms-extensions") && !program.contains("clang") {
                continue;
            }
            succeed(
                compiler(program)
                    .args(WARNINGS)
                    .args(dialect)
                    .args(["-c", "-o"])
                    .arg(tempfile::NamedTempFile::new().unwrap().path())
                    .arg(&example),
            );
        }
    };
    thread::scope(|scope| {
        for (_, program) in compilers() {
            scope.spawn(move || compile(program));
        }
    });
}

#[test]
fn a_fault_does_not_compile_and_the_compiler_says_why() {
    // Compilers for another system read C++ as these do.
    for (_, program) in compilers().filter(|(target, _)| target.is_windows == cfg!(windows)) {
        let check = |define: &[&str]| {
            run(compiler(program)
                .args(["-std=c++17", "-fsyntax-only"])
                .args(define)
                .arg(source("faults.cpp")))
        };
        let without = check(&[]);
        let messages = String::from_utf8_lossy(&without.stderr);
        assert!(without.status.success(), "{program}\n{messages}");
        let of_header = FAULTS.map(|(fault, said)| (fault, "static", said));
        let refused = REFUSED.map(|(fault, said)| (fault, "error", said));
        for (fault, kind, said) in of_header.into_iter().chain(refused) {
            let output = check(&["-D", fault]);
            let messages = String::from_utf8_lossy(&output.stderr);
            let is_said = messages
                .lines()
                .any(|line| line.contains(kind) && line.contains(said));
            assert!(
                !output.status.success() && is_said,
                "{program} {fault}\n{messages}"
            );
        }
    }
}

#[test]
fn exceptions_end_at_the_boundary_and_poison_what_they_left() {
    runs("calls.cpp", &[], "every call was answered");
}

#[test]
fn a_state_object_has_the_same_key_in_every_order() {
    let library = workspace().join("dxil/corpus/dxil/rt_pipeline_lib63.dxil");
    runs("keys.cpp", &[&library], "every order has the same key");
}

/// Builds a program with each compiler, and runs it, where that can be, to its last words.
fn runs(program: &str, arguments: &[&Path], last: &str) {
    let folder = tempfile::tempdir().unwrap();
    for (target, cpp) in compilers() {
        let exe = folder.path().join(format!("{cpp}.exe"));
        let mut command = compiler(cpp);
        command.args(WARNINGS).args(["-std=c++17", "-O1", "-o"]);
        command.arg(&exe).arg(source(program));
        if target.is_windows {
            command.arg("-static");
        }
        succeed(&mut command);
        if target.is_windows != cfg!(windows) {
            println!("not run here, but by scripts/windows-test: {cpp}");
            continue;
        }
        let output = run(Command::new(&exe).args(arguments));
        let messages = String::from_utf8_lossy(&output.stderr);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains(last),
            "{cpp}: {messages}"
        );
    }
}
