//! Two builds of the C++ example, one of which was changed: `upgrade-check` says what their versions do not tell.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::libraries::{broken, changed_cpp_sdk_plugin, cpp_sdk_plugin};
use conformance_runner::exit_code;
use serde_json::Value;

const VERSION: &str = "makeVersion(1, 0, 0, 0)";

fn command(old: &Path, new: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ddi-conformance"));
    command.arg("upgrade-check").args([old, new]).args(more);
    command
}

fn upgrade_check(old: &Path, new: &Path, more: &[&str]) -> (Option<i32>, String) {
    result(&mut command(old, new, more))
}

/// The exit code, and what is printed.
fn result(command: &mut Command) -> (Option<i32>, String) {
    let output = command.output().expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8(text).expect("it is UTF-8"),
    )
}

fn plugins() -> Option<(PathBuf, PathBuf, PathBuf)> {
    let code = ("values.set(type, key.bytes())", "values.set(type, {1})");
    Some((
        cpp_sdk_plugin()?,
        changed_cpp_sdk_plugin("other_code", &[code])?,
        changed_cpp_sdk_plugin("newer", &[code, (VERSION, "makeVersion(1, 1, 0, 0)")])?,
    ))
}

#[test]
fn other_code_needs_another_version() {
    let Some((old, silent, newer)) = plugins() else {
        return;
    };
    let (code, text) = upgrade_check(&old, &silent, &[]);
    assert_eq!(code, Some(exit_code::NOT_CONFORMANT.into()), "{text}");
    assert!(
        text.contains("other object code under the same keys"),
        "{text}"
    );
    let (code, text) = upgrade_check(&old, &newer, &["--strict"]);
    assert_eq!(code, Some(exit_code::CONFORMANT.into()), "{text}");
    assert!(text.ends_with("the versions tell what changed\n"), "{text}");

    let (_, json) = upgrade_check(&old, &silent, &["--format", "json", "--set", "smoke"]);
    let json: Value = serde_json::from_str(&json).expect("it is JSON");
    let first = &json["comparisons"][0];
    assert_eq!(first["cache"], "usable");
    assert_eq!(
        (&first["same"], &first["other_keys"]),
        (&0.into(), &0.into())
    );
    assert_eq!(first["other_code"], first["old"]["objects"]);
    assert_eq!(json["findings"][0]["severity"], "failure");
}

#[test]
fn the_same_build_has_nothing_to_tell() {
    let Some(old) = cpp_sdk_plugin() else {
        return;
    };
    let (code, text) = upgrade_check(&old, &old, &["--strict"]);
    assert_eq!(code, Some(exit_code::CONFORMANT.into()), "{text}");
    assert!(!text.contains("expected"), "{text}");
}

#[test]
fn a_build_that_dies_is_named() {
    let Some(old) = cpp_sdk_plugin() else {
        return;
    };
    let mut command = command(&old, &broken("panicking"), &[]);
    let (code, text) = result(command.env("DDI_MISBEHAVE", "panic in the export"));
    assert_eq!(code, Some(exit_code::NOT_CONFORMANT.into()), "{text}");
    assert!(
        text.contains("panicking") && text.contains("cannot be compared: "),
        "{text}"
    );
    let (code, _) = upgrade_check(&old, Path::new("no.such.plugin"), &[]);
    assert_eq!(code, Some(exit_code::PLUGIN_FILE.into()));
    let (code, _) = upgrade_check(&old, &old, &["--fault-plan", "find#0=E_FAIL"]);
    assert_eq!(code, Some(exit_code::USAGE.into()));
}
