//! The C API: `headers/ddi_conformance.h` says of each structure what Rust says, a client in C89 calls every function, and the
//! example of `headers/examples` runs rules under GoogleTest.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};
use std::ffi::{CStr, CString};
use std::fmt::Write as _;
use std::fs;
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr;
use std::thread;

use ddi_conformance_c::api::{
    ddi_conformance_last_error, ddi_conformance_options, ddi_conformance_outcome,
    ddi_conformance_result, ddi_conformance_result_free, ddi_conformance_rule,
    ddi_conformance_status, ddi_conformance_suite, ddi_conformance_suite_create,
    ddi_conformance_suite_free, ddi_conformance_suite_run, ddi_conformance_verdict,
};
use serde_json::Value;

const RUNNER: &str = env!("CARGO_BIN_EXE_ddi-conformance");

const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// Whether a compiler starts; prints that something is skipped when it does not.
fn is_here(compiler: &str) -> bool {
    let output = Command::new(compiler).arg("--version").output();
    let here = output.is_ok_and(|output| output.status.success());
    if !here {
        println!("skipped: no {compiler}");
    }
    here
}

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// A library that cargo builds with the tests.
fn library(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests.with_file_name(format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"))
}

/// Puts the library of the C API into a folder.
fn put_library(folder: &Path) {
    let library = library("ddi_conformance_c");
    let link = folder.join(library.file_name().unwrap());
    // Of an older build.
    let _ = fs::remove_file(&link);
    fs::hard_link(&library, link).unwrap();
}

/// Builds a program beside the library in `folder`, and links it to that.
fn built(command: &mut Command, name: &str, folder: &Path) -> PathBuf {
    let program = folder.join(format!("{name}{EXE_SUFFIX}"));
    command
        .args(WARNINGS)
        .arg("-I")
        .arg(in_repository("headers"))
        .arg("-L")
        .arg(folder)
        .args(["-lddi_conformance_c", "-o"])
        .arg(&program);
    if cfg!(unix) {
        command.arg("-Wl,-rpath,$ORIGIN");
    }
    let built = command.output().unwrap();
    let messages = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{command:?}\n{messages}");
    program
}

/// Runs such a program. Cargo's path to libraries would come before the folder of the program.
fn program(path: &Path) -> Command {
    let mut command = Command::new(path);
    command.env_remove("LD_LIBRARY_PATH");
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\r', "")
}

/// Assertions in C that a structure has the size and the offsets that it has in Rust.
macro_rules! layout {
    ($text:ident, $structure:ident { $($member:ident),* $(,)? }) => {
        let ddi_conformance_c::api::$structure { $($member: _),* };
        let size = size_of::<$structure>();
        writeln!($text, "CHECK({0}_size, sizeof({0}) == {size});", stringify!($structure)).unwrap();
        $(
            let (structure, member) = (stringify!($structure), stringify!($member));
            let offset = offset_of!($structure, $member);
            writeln!($text, "CHECK({structure}_{member}, offsetof({structure}, {member}) == {offset});").unwrap();
        )*
    };
}

#[test]
fn c_has_the_layout_of_rust() {
    let mut c = String::from(
        "#include \"ddi_conformance.h\"\n\
         #define CHECK(name, holds) typedef char name[(holds) ? 1 : -1]\n\
         CHECK(an_enumeration, sizeof(ddi_conformance_status) == 4);\n",
    );
    layout!(
        c,
        ddi_conformance_rule {
            struct_size,
            id,
            level,
            party,
            is_gate,
            section,
            reading,
            why,
            hint,
            tuid,
            untestable,
        }
    );
    layout!(
        c,
        ddi_conformance_options {
            struct_size,
            runner,
            library,
            plugin,
            corpus,
            journal,
            seed,
            timeout_seconds,
            tested,
            set,
            strict,
        }
    );
    layout!(
        c,
        ddi_conformance_result {
            struct_size,
            rule_id,
            outcome,
            verdict,
            verdict_name,
            summary,
            message,
            repeat,
            output,
            json,
            notes,
            note_count,
            milliseconds,
        }
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("layout.h");
    let compilers: &[(&str, &[&str])] = &[
        ("gcc", &["-std=c89", "-x", "c"]),
        ("g++", &["-std=c++98", "-x", "c++"]),
        ("clang", &["-std=c89", "-x", "c"]),
        ("x86_64-w64-mingw32-gcc", &["-std=c89", "-x", "c"]),
        // Clang has no headers of Visual C++, but those of its own.
        (
            "clang",
            &[
                "--target=x86_64-pc-windows-msvc",
                "-ffreestanding",
                "-std=c89",
                "-x",
                "c",
            ],
        ),
    ];
    for (compiler, arguments) in compilers {
        if cfg!(not(target_pointer_width = "64")) || !is_here(compiler) {
            continue;
        }
        let compile = |text: &str| {
            fs::write(&file, text).unwrap();
            let mut command = Command::new(compiler);
            command
                .args(WARNINGS)
                .args(*arguments)
                .args(["-fsyntax-only", "-I"]);
            command
                .arg(in_repository("headers"))
                .arg(&file)
                .output()
                .unwrap()
        };
        let output = compile(&c);
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{compiler} {arguments:?}\n{messages}"
        );
        let wrong = c.replace(
            "offsetof(ddi_conformance_result, json)",
            "4 + offsetof(ddi_conformance_result, json)",
        );
        let refused = compile(&wrong);
        let messages = String::from_utf8_lossy(&refused.stderr);
        assert!(
            !refused.status.success() && messages.contains("ddi_conformance_result_json"),
            "{messages}"
        );
    }
}

/// The client of `c_api`, beside the library in `folder`; `None` without a C compiler.
fn client(folder: &Path) -> Option<PathBuf> {
    is_here("gcc").then(|| {
        let mut command = Command::new("gcc");
        let source = in_repository("conformance/tests/c_api/client.c");
        built(command.args(["-std=c89"]).arg(source), "client", folder)
    })
}

#[test]
fn a_client_in_c_calls_every_function() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    put_library(folder.path());
    let Some(client) = client(folder.path()) else {
        return;
    };
    let journal = folder.path().join("run.jsonl");
    let run = |runner: &str| {
        let mut command = program(&client);
        command
            .arg(runner)
            .arg(library("sample_plugin"))
            .arg(&journal);
        command.output().unwrap()
    };
    let expected = "version 0.1.0\n\
                    P-ABI-05: pass, passed\n\
                    P-OPEN-11: pass, passed\n\
                    P-ABI-05: pass, passed\n\
                    P-OPEN-01: not-applicable, skipped\n\
                    every call answered as the header says\n";
    let ran = run(RUNNER);
    assert_eq!(text(&ran.stdout), expected, "{}", text(&ran.stderr));
    assert!(ran.status.success());

    // The journal is that of a run which came to two of its rules.
    let mut report = Command::new(RUNNER);
    let report = report
        .arg("report")
        .arg(&journal)
        .args(["--format", "json"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let rules: Vec<_> = report["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| &rule["id"])
        .collect();
    assert_eq!(rules, ["P-OPEN-11", "P-ABI-05"]);
    assert_eq!(report["result"], "interrupted");
    assert!(
        report["milliseconds"].as_u64() > Some(0),
        "the journal has its end"
    );

    // Without a runner that is named it is the one beside the library.
    fs::remove_file(&journal).unwrap();
    let without = run("-");
    let said = text(&without.stderr);
    assert_eq!(without.status.code(), Some(3), "{said}");
    let beside = folder.path().join(format!("ddi-conformance{EXE_SUFFIX}"));
    assert!(
        said.starts_with(&format!("{} does not exist", beside.display())),
        "{said}"
    );
    fs::hard_link(RUNNER, &beside).unwrap();
    let ran = run("-");
    assert_eq!(text(&ran.stdout), expected, "{}", text(&ran.stderr));
}

/// A suite for the linked-in plugin.
fn suite() -> *mut ddi_conformance_suite {
    let runner = CString::new(RUNNER).unwrap();
    let options = ddi_conformance_options {
        struct_size: size_of::<ddi_conformance_options>(),
        runner: runner.as_ptr(),
        library: ptr::null(),
        plugin: ptr::null(),
        corpus: ptr::null(),
        journal: ptr::null(),
        seed: 0,
        timeout_seconds: 0,
        tested: 0,
        set: 0,
        strict: 0,
    };
    let mut suite = ptr::null_mut();
    // SAFETY: the texts of the options end and live as long as the call.
    let status = unsafe { ddi_conformance_suite_create(&raw const options, &raw mut suite) };
    assert_eq!(status, ddi_conformance_status::Ok);
    suite
}

#[test]
fn threads_share_a_suite_and_not_their_errors() {
    let suite = suite();
    let address = suite.addr();
    let threads = ["P-ABI-05", "P-ABI-05", "P-ABI-06", "P-ABI-07"].map(|id| {
        thread::spawn(move || {
            let suite = ptr::with_exposed_provenance_mut::<ddi_conformance_suite>(address);
            let mut result = ptr::null_mut::<ddi_conformance_result>();
            let mut run = |id: &str| {
                let id = CString::new(id).unwrap();
                // SAFETY: the suite lives until every thread has ended.
                unsafe { ddi_conformance_suite_run(suite, id.as_ptr(), &raw mut result) }
            };
            assert_eq!(
                run(&format!("{id}-no")),
                ddi_conformance_status::UnknownRule
            );
            assert_eq!(run(id), ddi_conformance_status::Ok);
            // SAFETY: the call gave a result.
            let shown = unsafe { &*result };
            assert_eq!(shown.verdict, ddi_conformance_verdict::Pass);
            assert_eq!(shown.outcome, ddi_conformance_outcome::Passed);
            // SAFETY: it is of the call, and not used any more.
            unsafe { ddi_conformance_result_free(result) };
            // SAFETY: a text that ends, until this thread's next failure.
            let error = unsafe { CStr::from_ptr(ddi_conformance_last_error()) };
            assert!(error.to_str().unwrap().contains(&format!("{id}-no")));
        })
    });
    for thread in threads {
        thread.join().unwrap();
    }
    // SAFETY: the call gave the suite, and no thread uses it any more.
    unsafe { ddi_conformance_suite_free(suite) };
    // SAFETY: a text that ends.
    let own = unsafe { CStr::from_ptr(ddi_conformance_last_error()) };
    assert!(own.is_empty(), "this thread had no failure");
}

#[cfg(unix)]
mod googletest {
    use std::process::Output;
    use std::sync::LazyLock;

    use super::*;
    use crate::support::misbehaving::{MISBEHAVE, misbehaving};

    /// The example, beside the library; `None` without GoogleTest.
    fn example() -> Option<&'static Path> {
        static EXAMPLE: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c_api");
            fs::create_dir_all(&folder).unwrap();
            put_library(&folder);
            let probe = folder.join("probe.cpp");
            fs::write(&probe, "#include <gtest/gtest.h>\n").unwrap();
            let mut command = Command::new("g++");
            let output = command
                .args(["-std=c++17", "-fsyntax-only"])
                .arg(probe)
                .output();
            if !output.is_ok_and(|output| output.status.success()) {
                println!("skipped: no g++ or no GoogleTest: install libgtest-dev");
                return None;
            }
            let mut command = Command::new("g++");
            let source = in_repository("headers/examples/conformance_gtest.cpp");
            command.arg("-std=c++17").arg(source);
            command.args(["-lgtest", "-lpthread"]);
            Some(built(&mut command, "conformance_gtest", &folder))
        });
        EXAMPLE.as_deref()
    }

    /// The example on a plugin, with the rules of a filter.
    fn tested(example: &Path, plugin: &Path, filter: &str) -> Command {
        let mut command = program(example);
        command.arg(format!("--gtest_filter={filter}")).arg(plugin);
        command.env("DDI_RUNNER", RUNNER);
        command
    }

    /// The results that a command writes, by the tests' names, and what it prints.
    fn run(command: &mut Command) -> (Output, Vec<(String, Value)>) {
        let results = tempfile::NamedTempFile::new().unwrap();
        command.arg(format!("--gtest_output=json:{}", results.path().display()));
        let output = command.output().unwrap();
        let results: Value = serde_json::from_slice(&fs::read(results).unwrap()).unwrap();
        let suites = results["testsuites"].as_array().unwrap().iter();
        let tests = suites.flat_map(|suite| suite["testsuite"].as_array().unwrap());
        let tests = tests.filter(|test| test["status"] == "RUN");
        let named = tests.map(|test| {
            let name = test["name"].as_str().unwrap();
            (name.trim_start_matches("Keeps/").to_owned(), test.clone())
        });
        (output, named.collect())
    }

    fn failed(tests: &[(String, Value)]) -> Vec<&str> {
        let failed = tests
            .iter()
            .filter(|(_, test)| test.get("failures").is_some());
        failed.map(|(name, _)| name.as_str()).collect()
    }

    fn skipped(tests: &[(String, Value)]) -> usize {
        tests
            .iter()
            .filter(|(_, test)| test["result"] == "SKIPPED")
            .count()
    }

    #[test]
    fn each_rule_is_a_test() {
        let Some(example) = example() else {
            return;
        };
        let plugin = library("sample_plugin");
        let (output, tests) = run(&mut tested(example, &plugin, "*/P_ABI_*:*/P_OPEN_0?"));
        assert!(output.status.success(), "{}", text(&output.stdout));
        assert!(
            tests.len() > 15 && failed(&tests).is_empty() && skipped(&tests) == 0,
            "{tests:?}"
        );
        assert!(
            tests.iter().all(|(_, test)| test["verdict"] == "pass"),
            "{tests:?}"
        );

        let list = program(example).arg("--gtest_list_tests").output().unwrap();
        let list = text(&list.stdout);
        let listed: Vec<_> = list
            .lines()
            .filter_map(|line| line.trim().strip_prefix("Keeps/"))
            .map(|test| test.split(' ').next().unwrap())
            .collect();
        assert_eq!(
            listed[..4],
            ["P_OPEN_01", "P_OPEN_02", "P_PSO_18", "P_OPEN_03"]
        );
        let of_plugins = conformance_runner::rules::all()
            .filter(|rule| rule.id().starts_with("P-") && rule.untestable().is_none());
        assert_eq!(listed.len(), of_plugins.count());
    }

    #[test]
    fn a_broken_rule_is_the_only_failure_and_says_what_was_seen() {
        let Some(example) = example() else {
            return;
        };
        let mut command = tested(example, &library("sample_plugin"), "*/P_ABI_*");
        let (output, tests) = run(command.env("DDI_LAYER", "abi-short-fails"));
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(failed(&tests), ["P_ABI_05"]);
        let text = text(&output.stdout);
        for said in [
            "expected  DXGI_ERROR_MORE_DATA, as there are 3 versions",
            "got       returned E_FAIL (0x80004005)",
            "--filter =P-ABI-05",
            "where GetParam() = P-ABI-05",
        ] {
            assert!(text.contains(said), "{said}\n{text}");
        }
    }

    #[test]
    fn one_death_is_one_failure() {
        let (Some(example), Some(plugin)) = (example(), misbehaving()) else {
            return;
        };
        let mut command = tested(example, &plugin, "*");
        let (output, tests) = run(command.env(MISBEHAVE, "crash when loaded"));
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(failed(&tests), ["P_OPEN_01"]);
        assert_eq!(skipped(&tests), tests.len() - 1);
        assert!(tests.len() > 50, "{}", tests.len());
        let text = text(&output.stdout);
        assert!(
            text.contains("SIGABRT") && text.contains("undecided: needs P-OPEN-01"),
            "{text}"
        );
    }

    #[test]
    fn what_is_missing_is_said_once() {
        let Some(example) = example() else {
            return;
        };
        // GoogleTest 1.12 writes no valid JSON of such a run.
        let mut command = tested(example, Path::new("no such plugin"), "*/P_ABI_*");
        let output = command.output().unwrap();
        let text = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1));
        let said = "no such plugin: No such file or directory";
        assert_eq!(text.matches(said).count(), 1, "{text}");
        assert!(text.contains("[  PASSED  ] 0 tests."), "{text}");
    }
}
