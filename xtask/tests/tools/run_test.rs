//! `scripts/windows/run-test`, with a program in Wine's place.
#![cfg(unix)]

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use xtask::workspace;

const PASSED: &str = "test result: ok. 2 passed; 0 failed";

/// What a program of tests prints when some fail: their names, and what each one said.
fn failing(tests: &[(&str, &str)]) -> String {
    let mut text = "running 3 tests\ntest good ... ok\n".to_owned();
    for (name, _) in tests {
        writeln!(text, "test {name} ... FAILED").unwrap();
    }
    text += "\nfailures:\n\n";
    for (name, said) in tests {
        writeln!(text, "---- {name} stdout ----\n{said}\n").unwrap();
    }
    text += "\nfailures:\n";
    for (name, _) in tests {
        writeln!(text, "    {name}").unwrap();
    }
    text + "\ntest result: FAILED. 1 passed; 2 failed\n"
}

/// Runs a program that prints the texts, one in each run, and fails while they say so; gives what is printed, whether
/// the runner succeeds, and the arguments of each run.
fn run(texts: &[&str]) -> (String, bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (number, text) in texts.iter().enumerate() {
        // Wine's programs end lines as Windows does.
        fs::write(at(&format!("text{number}")), text.replace('\n', "\r\n")).unwrap();
    }
    let wine = at("wine");
    fs::write(
        &wine,
        "#!/bin/sh\ncd \"$(dirname \"$0\")\"\necho \"$@\" >>arguments\n\
         cat \"text$(($(wc -l <arguments) - 1))\" >output\ncat output\n! grep -q FAILED output\n",
    )
    .unwrap();
    fs::set_permissions(&wine, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(workspace().join("scripts/windows/run-test"));
    command.arg("program.exe").env("DDI_WINE", &wine);
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = String::from_utf8(output.stdout).unwrap().replace('\r', "");
    let arguments = fs::read_to_string(at("arguments")).unwrap_or_default();
    (text, output.status.success(), arguments)
}

#[test]
fn what_passes_is_printed_once() {
    let passed = format!("test good ... ok\n{PASSED}\n");
    let (text, success, runs) = run(&[&passed]);
    assert_eq!((text, success), (passed, true));
    assert_eq!(runs, "program.exe\n");
}

#[test]
fn a_log_that_passed_in_the_end_does_not_say_failed() {
    let first = failing(&[
        ("a::one", "code: 1359, kind: Uncategorized"),
        ("b::two", "cannot start: os error 1359"),
    ]);
    let (text, success, runs) = run(&[&first, &format!("{PASSED}\n")]);
    assert!(success, "{text}");
    assert!(!text.contains("FAILED"), "{text}");
    assert!(text.contains("test a::one ... failed\n"), "{text}");
    assert!(text.ends_with(&format!("once more\n{PASSED}\n")), "{text}");
    let mut names: Vec<&str> = runs.lines().nth(1).unwrap().split(' ').collect();
    names.sort_unstable();
    assert_eq!(names, ["--exact", "a::one", "b::two", "program.exe"]);
}

#[test]
fn failures_are_told() {
    // The second try fails too.
    let unstarted = failing(&[("a::one", "code: 1359")]);
    let (text, success, _) = run(&[&unstarted, &unstarted]);
    assert!(!success && text.contains("test result: FAILED"), "{text}");
    // Another failure is beside it: there is no second try.
    let first = failing(&[("a::one", "code: 1359"), ("b::two", "left: 1\nright: 2")]);
    let (text, success, runs) = run(&[&first]);
    assert!(!success && text.contains("right: 2"), "{text}");
    assert!(text.contains("test result: FAILED"), "{text}");
    assert_eq!(runs, "program.exe\n");
}
