//! `package` and `package verify`: what is in a package, and what is noticed of one that somebody changed.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use clap::ValueEnum as _;
use conformance::defects::counts;
use conformance_runner::package::{self, Outcome, Verification};
use conformance_runner::{Format, exit_code, rules};
use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::support::defects::{of_api, of_driver, of_host, of_plugin};
use crate::support::libraries::library;
use crate::support::matrix::Expected;

/// What the tool says of a package.
fn verify(bytes: &[u8], tested: Option<&[u8]>) -> Verification {
    package::verify(bytes, tested, &counts())
}

/// Of the two rules the layer breaks the first.
const BROKEN: (&str, &str) = ("DDI_LAYER", "abi-short-fails");
const RULES: &str = "=P-ABI-05,=P-CVER-01,P-FAM";

const WAIVERS: &str = "\
[[waiver]]
rule = \"P-ABI-05\"
reason = \"comes with \\u001b[31mbranch 32\"
link = \"bug 1\"
expires = 2999-12-31
";

type Files = BTreeMap<String, Vec<u8>>;

fn conformance(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ddi-conformance"));
    command.args(args).current_dir(folder);
    command
}

#[track_caller]
fn exits(command: &mut Command, code: u8) -> Output {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(code.into()), "{output:?}");
    output
}

/// What is written to stderr.
#[track_caller]
fn refused(folder: &Path, args: &[&str], code: u8) -> String {
    String::from_utf8(exits(&mut conformance(folder, args), code).stderr).unwrap()
}

/// A folder with the journal of a quick run of the sample plugin that is linked in.
fn sample() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let args = ["run", "--filter", "P-FAM", "--journal", "run.jsonl"];
    exits(&mut conformance(folder.path(), &args), 0);
    folder
}

fn verified(folder: &Path, args: &[&str], code: u8) -> Value {
    let args = [&["package", "verify", "--format", "json"], args].concat();
    serde_json::from_slice(&exits(&mut conformance(folder, &args), code).stdout).unwrap()
}

fn files_of(package: &[u8]) -> Files {
    let mut archive = ZipArchive::new(Cursor::new(package)).unwrap();
    (0..archive.len())
        .map(|index| {
            let mut file = archive.by_index(index).unwrap();
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            (file.name().unwrap().into_owned(), bytes)
        })
        .collect()
}

fn zipped(files: &Files) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = SimpleFileOptions::default();
        zip.start_file(name.as_str(), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Two journals of a plugin that breaks a waived rule, with a self-test: a package that has everything.
struct Full {
    folder: TempDir,
    plugin: PathBuf,
    package: Vec<u8>,
}

fn full() -> &'static Full {
    static FULL: OnceLock<Full> = OnceLock::new();
    FULL.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let plugin = path.join(library("sample-plugin").file_name().unwrap());
        fs::copy(library("sample-plugin"), &plugin).unwrap();
        let name = plugin.file_name().unwrap().to_str().unwrap();
        fs::write(path.join("waivers.toml"), WAIVERS).unwrap();
        for (shard, journal) in [("1/2", "one.jsonl"), ("2/2", "two.jsonl")] {
            let args = ["run", name, "--filter", RULES, "--shard", shard];
            let more = ["--journal", journal, "--waivers", "waivers.toml"];
            let mut command = conformance(path, &args);
            exits(command.args(more).env(BROKEN.0, BROKEN.1), 0);
        }
        let args = ["selftest", "--on", name, "--filter", "=P-FAM-01"];
        let selftest = exits(conformance(path, &args).args(["--format", "json"]), 0);
        fs::write(path.join("selftest.json"), selftest.stdout).unwrap();
        let args = ["package", "two.jsonl", "one.jsonl", "--output", "full.zip"];
        let more = ["--waivers", "waivers.toml", "--selftest", "selftest.json"];
        exits(conformance(path, &args).args(more), 0);
        Full {
            package: fs::read(path.join("full.zip")).unwrap(),
            folder,
            plugin,
        }
    })
}

#[test]
fn a_package_has_all_that_is_known_of_a_run() {
    let folder = sample();
    let path = folder.path();
    let args = ["package", "run.jsonl", "--output"];
    let output = exits(conformance(path, &args).arg("a.zip"), 0);
    exits(conformance(path, &args).arg("b.zip"), 0);
    let package = fs::read(path.join("a.zip")).unwrap();
    assert_eq!(package, fs::read(path.join("b.zip")).unwrap());
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains(&hex::encode(Sha256::digest(&package))),
        "{said}"
    );

    let files = files_of(&package);
    assert_eq!(
        files["journals/001.jsonl"],
        fs::read(path.join("run.jsonl")).unwrap()
    );
    for format in Format::value_variants() {
        let name = format.to_possible_value().unwrap();
        let args = ["report", "run.jsonl", "--format", name.get_name()];
        let report = exits(&mut conformance(path, &args), 0).stdout;
        let same = files.values().filter(|bytes| **bytes == report);
        assert_eq!(same.count(), 1, "{format:?}");
    }
    assert_eq!(files.len(), Format::value_variants().len() + 2);

    let result = verified(path, &["a.zip"], 0);
    assert_eq!(result["result"], "verified");
    let manifest = &result["package"];
    assert_eq!(
        *manifest,
        serde_json::from_slice::<Value>(&files["package.json"]).unwrap()
    );
    assert_eq!(manifest["tool"]["rule_set"], rules::digest());
    assert_eq!(manifest["run"]["result"], "selected rules hold");
    assert_eq!(manifest["run"]["totals"]["pass"], 6);
    assert_eq!(manifest["run"]["planned"], 6);
    assert_eq!(manifest["libraries"], json!([]));
    assert_eq!(manifest["selftest"], Value::Null);
    let machine = &manifest["run"]["machines"][0];
    let exe = fs::read(env!("CARGO_BIN_EXE_ddi-conformance")).unwrap();
    assert_eq!(machine["tool_sha256"], hex::encode(Sha256::digest(exe)));
    assert_eq!(machine["arch"], std::env::consts::ARCH);
    assert!(machine["cpus"].as_u64().unwrap() > 0);
    // It is part of the tool, not of this file.
    fs::write(path.join("plugin"), "").unwrap();
    verified(
        path,
        &["a.zip", "--plugin", "plugin"],
        exit_code::NOT_CONFORMANT,
    );
}

#[test]
fn a_package_of_a_library_has_what_its_file_says() {
    let Full {
        folder,
        plugin,
        package,
    } = full();
    let name = plugin.file_name().unwrap().to_str().unwrap();
    let result = verified(folder.path(), &["full.zip", "--plugin", name], 0);
    let manifest = &result["package"];
    let library = &manifest["libraries"][0];
    let bytes = fs::read(plugin).unwrap();
    assert_eq!(library["role"], "plugin");
    assert_eq!(library["path"], name);
    assert_eq!(library["sha256"], hex::encode(Sha256::digest(&bytes)));
    assert_eq!(library["size"], bytes.len());
    let image = &library["image"];
    let format = if cfg!(windows) { "pe" } else { "elf" };
    assert_eq!(
        (&image["format"], &image["kind"]),
        (&json!(format), &json!("dynamic"))
    );
    let has = |list: &str, name: &str| {
        image[list]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one == name)
    };
    assert!(has("exports", "D3D12OpenCompilerDDI"), "{image}");
    assert!(!image["needs"].as_array().unwrap().is_empty(), "{image}");
    let names = image["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|section| &section["name"]);
    assert!(names.into_iter().any(|name| name == ".text"), "{image}");
    assert_eq!(image["timestamp"].is_null(), !cfg!(windows));

    assert_eq!(
        manifest["run"]["result"],
        "rules hold but for what is waived"
    );
    assert_eq!(manifest["run"]["totals"]["waived"], 1);
    assert_eq!(manifest["waivers"]["waivers"][0]["link"], "bug 1");
    assert_eq!(manifest["run"]["machines"].as_array().unwrap().len(), 2);
    assert_eq!(manifest["selftest"]["result"], "all noticed");
    assert!(manifest["selftest"]["score"]["noticed"].as_u64().unwrap() > 0);
    let files = files_of(package);
    assert!(files.contains_key("journals/002.jsonl"));
    assert_eq!(files["waivers.toml"], WAIVERS.as_bytes());

    // For people, and their terminal.
    let args = ["package", "verify", "full.zip"];
    let text = exits(&mut conformance(folder.path(), &args), 0).stdout;
    let text = String::from_utf8(text).unwrap();
    for part in [
        "P-ABI-05 until 2999-12-31",
        "bug 1",
        "1 waived",
        "\nverified\n",
        "all noticed",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn the_defects_are_those_of_the_suites_own_tests() {
    let rows = [of_plugin(), of_api(), of_host(), of_driver()].concat();
    let manifest: Value =
        serde_json::from_slice(&files_of(&full().package)["package.json"]).unwrap();
    let counts = manifest["defects"].as_object().unwrap();
    assert_eq!(counts.len(), 8);
    for (id, count) in counts {
        let breaks = |row: &&crate::support::matrix::Defect| matches!(row.expected, Expected::Breaks(rule) if rule.id() == id);
        assert_eq!(*count, rows.iter().filter(breaks).count(), "{id}");
        assert!(*count != 0, "{id}");
    }
}

#[test]
fn what_does_not_go_together_makes_no_package() {
    let folder = sample();
    let path = folder.path();
    let code = exit_code::PLUGIN_FILE;
    let journal = fs::read_to_string(path.join("run.jsonl")).unwrap();
    let make = |journal: &str, more: &[&str]| {
        let args = [&["package", journal, "--output", "no.zip"], more].concat();
        let error = refused(path, &args, code);
        assert!(!path.join("no.zip").exists(), "{error}");
        error
    };
    let selftest = |sha256: Value, tool: Value| {
        let document = json!({
            "tool": tool, "plugin": sha256, "result": "all noticed", "defects": [],
            "score": {"defects": 0, "noticed": 0, "not-noticed": 0, "not-applicable": 0, "left-out": 0, "tool-error": 0},
        });
        fs::write(path.join("selftest.json"), document.to_string()).unwrap();
        make("run.jsonl", &["--selftest", "selftest.json"])
    };
    let this = json!({"version": env!("CARGO_PKG_VERSION"), "rule_set": rules::digest()});
    let cut = journal.split_inclusive('\n').take(4).collect();
    let other_version = journal.replacen("\"version\":\"", "\"version\":\"9.", 1);
    let other_rules = journal.replacen(&rules::digest(), "of another day", 1);
    for (name, text) in [
        ("cut", cut),
        ("version", other_version),
        ("rules", other_rules),
    ] {
        fs::write(path.join(name), text).unwrap();
    }
    for (error, expected) in [
        (make("nothing", &[]), "nothing: "),
        (make("run.jsonl", &["--waivers", "nothing"]), "nothing: "),
        (
            make("run.jsonl", &["--selftest", "run.jsonl"]),
            "no result of `selftest --format json`",
        ),
        (
            selftest(json!({"sha256": "12"}), this.clone()),
            "it is of another plugin: the one with SHA-256 12",
        ),
        (
            selftest(Value::Null, json!({"version": "9", "rule_set": "1"})),
            "made by ddi-conformance 9",
        ),
        (
            selftest(Value::Null, this),
            "its score says \"nothing applies\"",
        ),
        (
            make("cut", &[]),
            "the run is not finished: of 6 rules 4 have no verdict",
        ),
        (make("version", &[]), "made by ddi-conformance 9."),
        (make("rules", &[]), "of another day"),
    ] {
        assert!(error.contains(expected), "{expected}: {error}");
    }
    fs::write(path.join("there.zip"), "mine").unwrap();
    let error = refused(
        path,
        &["package", "run.jsonl", "--output", "there.zip"],
        code,
    );
    assert!(error.contains("there.zip: "), "{error}");
    assert_eq!(fs::read(path.join("there.zip")).unwrap(), b"mine");
    refused(path, &["package", "run.jsonl"], exit_code::USAGE);
    refused(path, &["package", "verify"], exit_code::USAGE);
    refused(path, &["package", "verify", "nothing"], code);
}

#[test]
fn a_library_that_was_replaced_makes_no_package() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::copy(library("sample-plugin"), path.join("plugin.dll")).unwrap();
    let args = [
        "run",
        "plugin.dll",
        "--filter",
        "=P-FAM-01",
        "--journal",
        "run.jsonl",
    ];
    exits(&mut conformance(path, &args), 0);
    let args = ["package", "run.jsonl", "--output", "a.zip"];
    fs::copy(library("other-plugin"), path.join("plugin.dll")).unwrap();
    let error = refused(path, &args, exit_code::PLUGIN_FILE);
    assert!(
        error.contains("plugin.dll was replaced since the run"),
        "{error}"
    );
    fs::copy(library("sample-plugin"), path.join("plugin.dll")).unwrap();
    exits(&mut conformance(path, &args), 0);
    fs::copy(library("other-plugin"), path.join("plugin.dll")).unwrap();
    let args = ["a.zip", "--plugin", "plugin.dll"];
    let result = verified(path, &args, exit_code::NOT_CONFORMANT);
    assert_eq!(wrong(&result), [("tested".to_owned(), "failed".to_owned())]);
}

/// The checks that did not come out well.
fn wrong(result: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let checks = result["checks"].as_array().unwrap().iter();
    checks
        .map(|check| (text(&check["name"]), text(&check["result"])))
        .filter(|(_, result)| result != "ok")
        .collect()
}

/// Makes the list of files in the manifest that of the files.
fn listed_again(files: &mut Files) {
    let listed = files.iter().filter(|(name, _)| *name != "package.json");
    let listed: Value = listed
        .map(|(name, bytes)| {
            let facts = json!({"size": bytes.len(), "sha256": hex::encode(Sha256::digest(bytes))});
            (name.clone(), facts)
        })
        .collect::<serde_json::Map<_, _>>()
        .into();
    with_manifest(files, |manifest| manifest["files"] = listed);
}

fn with_manifest(files: &mut Files, change: impl FnOnce(&mut Value)) {
    let mut manifest = serde_json::from_slice(&files["package.json"]).unwrap();
    change(&mut manifest);
    files.insert("package.json".into(), manifest.to_string().into_bytes());
}

/// The failed checks of a package, each with what is wrong.
fn failed(result: &Verification) -> Vec<(&'static str, String)> {
    let failed = result.checks.iter();
    let failed = failed.filter(|check| check.result == Outcome::Failed);
    failed
        .map(|check| (check.name, check.what.join("\n")))
        .collect()
}

#[track_caller]
fn fails(files: &Files, check: &str, expected: &str) {
    let result = verify(&zipped(files), None);
    assert_eq!(result.exit_code(), exit_code::NOT_CONFORMANT);
    let failed = failed(&result);
    assert!(
        failed
            .iter()
            .any(|(name, what)| *name == check && what.contains(expected)),
        "{check}: {expected}: {failed:?}"
    );
}

#[test]
fn a_file_that_was_changed_is_noticed() {
    let files = files_of(&full().package);
    assert!(verify(&zipped(&files), None).holds());
    let others = files.keys().filter(|name| *name != "package.json");
    for name in others {
        for at in [0, files[name].len() / 2, files[name].len() - 1] {
            let mut changed = files.clone();
            changed.get_mut(name).unwrap()[at] ^= 1;
            fails(&changed, "files", &format!("{name} was changed"));
        }
        let mut less = files.clone();
        less.remove(name);
        fails(&less, "files", &format!("{name} is missing"));
        // A list that says so does not help.
        listed_again(&mut less);
        assert!(!verify(&zipped(&less), None).holds(), "{name}");
    }
    let mut less = files.clone();
    less.remove("package.json");
    fails(&less, "manifest", "there is no package.json");
    let mut more = files.clone();
    more.insert("reports/more.html".into(), Vec::new());
    fails(&more, "files", "reports/more.html is not listed");
    listed_again(&mut more);
    fails(&more, "files", "reports/more.html is no file of a package");
}

#[test]
fn what_follows_from_the_journals_cannot_be_changed_alone() {
    let files = files_of(&full().package);
    let edits: &[(&str, &str, &str, &str, &str)] = &[
        // A verdict, so that the plugin looks better.
        (
            "journals/",
            "\"verdict\":\"fail\"",
            "\"verdict\":\"pass\"",
            "run",
            "the journals say",
        ),
        (
            "journals/",
            "\"verdict\":\"fail\"",
            "\"verdict\":\"pass\"",
            "reports",
            "report.html is not what",
        ),
        // What only a report shows.
        (
            "journals/",
            "\"notes\":[]",
            "\"notes\":[\"good\"]",
            "reports",
            "report.json is not what",
        ),
        (
            "journals/",
            "{\"rule\":{\"id\":\"P-FAM-01\"",
            "{\"rule\":{\"id\":\"P-FAM-02\"",
            "run",
            "have no verdict: P-FAM-01",
        ),
        (
            "journals/",
            "{\"rule\":{\"id\":\"P-FAM-01\"",
            "{\"rule\":{\"id\":\"P-SO-01\"",
            "run",
            "P-SO-01 has a verdict",
        ),
        (
            "journals/",
            "\"plan\":[",
            "\"plan\":[\"R-VAL-01\",",
            "run",
            "R-VAL-01 is in the plan, and is no rule",
        ),
        (
            "journals/",
            "\"rules_in_all\":1",
            "\"rules_in_all\":",
            "run",
            "it says that there are",
        ),
        (
            "journals/",
            "\"seed\":0",
            "\"seed\":1",
            "run",
            "other libraries or settings",
        ),
        (
            "journals/",
            "\"version\":\"",
            "\"version\":\"9.",
            "run",
            "was made by ddi-conformance 9.",
        ),
        (
            "journals/",
            "\"cpus\":",
            "\"cpus\":9",
            "run",
            "\"machines\"",
        ),
        ("journals/", "{\"run\"", "{\"ran\"", "run", "line 1"),
        (
            "reports/report.html",
            "waived",
            "waifed",
            "reports",
            "report.html is not what",
        ),
        (
            "reports/report.wtl",
            "P\0a\0s\0s",
            "F\0a\0i\0l",
            "reports",
            "report.wtl is not what",
        ),
        (
            "waivers.toml",
            "bug 1",
            "bug 2",
            "waivers",
            "says otherwise of the waivers",
        ),
        (
            "waivers.toml",
            "reason",
            "reasons",
            "waivers",
            "waivers.toml:3",
        ),
        (
            "selftest.json",
            "\"result\": \"noticed\"",
            "\"result\": \"left-out\"",
            "selftest",
            "not the sum of its defects",
        ),
        (
            "selftest.json",
            "\"sha256\": \"",
            "\"sha256\": \"0",
            "selftest",
            "it is of another plugin",
        ),
        (
            "selftest.json",
            "all noticed",
            "some not noticed",
            "selftest",
            "its score says \"all noticed\"",
        ),
    ];
    for (prefix, from, to, check, expected) in edits {
        let mut changed = files.clone();
        let of_them = |(name, bytes): &(&String, &mut Vec<u8>)| {
            name.starts_with(prefix) && String::from_utf8_lossy(bytes).contains(from)
        };
        let (_, bytes) = changed
            .iter_mut()
            .find(of_them)
            .unwrap_or_else(|| panic!("{from}"));
        // Not all of them are UTF-8.
        let at = bytes
            .windows(from.len())
            .position(|part| part == from.as_bytes());
        let at = at.unwrap();
        bytes.splice(at..at + from.len(), to.bytes());
        listed_again(&mut changed);
        fails(&changed, check, expected);
    }
}

#[test]
fn a_manifest_that_says_otherwise_is_noticed() {
    let files = files_of(&full().package);
    for (pointer, value, check, expected) in [
        (
            "/run/result",
            json!("conformant"),
            "run",
            "\"result\": \"conformant\", the journals say",
        ),
        (
            "/run/conformant",
            json!(true),
            "run",
            "\"conformant\": true",
        ),
        ("/run/totals/waived", json!(0), "run", "\"totals\""),
        ("/run/strict", json!(true), "reports", "is not what"),
        ("/run/env", json!([["A", "b"]]), "run", "\"env\""),
        (
            "/run/machines/0/os",
            json!("another"),
            "run",
            "\"machines\"",
        ),
        ("/run/tested/plugin/sha256", json!("0"), "run", "\"tested\""),
        ("/libraries/0/sha256", json!("0"), "run", "other libraries"),
        ("/libraries", json!([]), "run", "other libraries"),
        (
            "/defects/P-FAM-01",
            json!(1000),
            "defects",
            "the defects of each rule",
        ),
        (
            "/selftest/score/noticed",
            json!(1000),
            "selftest",
            "of the self-test",
        ),
        (
            "/selftest",
            Value::Null,
            "files",
            "selftest.json is no file",
        ),
        ("/waivers", Value::Null, "files", "waivers.toml is no file"),
        ("/day", json!("3000-01-01"), "reports", "is not what"),
        (
            "/format",
            json!(2),
            "manifest",
            "is of format 2, and this tool reads format 1",
        ),
        ("/format", json!("1"), "manifest", "does not say its format"),
        ("/run/more", json!(1), "manifest", "unknown field"),
    ] {
        let mut changed = files.clone();
        with_manifest(&mut changed, |manifest| {
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            let parent = manifest.pointer_mut(parent).unwrap();
            match parent.as_array_mut() {
                Some(list) => list[name.parse::<usize>().unwrap()] = value,
                None => parent[name] = value,
            }
        });
        fails(&changed, check, expected);
    }
    let mut changed = files;
    // What a file says of itself shows only beside the file.
    with_manifest(&mut changed, |manifest| {
        manifest["libraries"][0]["size"] = json!(1);
    });
    let bytes = fs::read(&full().plugin).unwrap();
    let result = failed(&verify(&zipped(&changed), Some(&bytes)));
    assert!(
        matches!(&result[..], [("tested", what)] if what.contains("says otherwise")),
        "{result:?}"
    );
}

#[test]
fn of_another_tool_only_the_files_are_verified() {
    let mut files = files_of(&full().package);
    with_manifest(&mut files, |manifest| {
        manifest["tool"]["version"] = json!("9.0.0");
    });
    let result = verify(&zipped(&files), None);
    assert_eq!(result.exit_code(), exit_code::INCOMPLETE);
    assert_eq!(result.result(), "only its files are verified");
    let skipped = result
        .checks
        .iter()
        .filter(|check| check.result == Outcome::Skipped);
    assert!(
        skipped
            .clone()
            .all(|check| check.what[0].contains("ddi-conformance 9.0.0"))
    );
    assert_eq!(skipped.count(), 5);
    files.get_mut("waivers.toml").unwrap()[0] ^= 1;
    fails(&files, "files", "waivers.toml was changed");
}

/// Times whose sum no number of the tool can hold.
#[test]
fn times_without_end_end_no_verification() {
    let mut files = files_of(&full().package);
    for journal in ["journals/001.jsonl", "journals/002.jsonl"] {
        let bytes = files.get_mut(journal).unwrap();
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let lines = lines.map(|line| {
            let mut line: Value = serde_json::from_slice(line).unwrap();
            for kind in ["rule", "end"] {
                if let Some(time) = line.pointer_mut(&format!("/{kind}/milliseconds")) {
                    *time = json!(u64::MAX);
                }
            }
            format!("{line}\n").into_bytes()
        });
        *bytes = lines.collect::<Vec<_>>().concat();
    }
    listed_again(&mut files);
    fails(&files, "reports", "report.wtl is not what");
}

#[test]
fn a_package_that_is_cut_is_noticed() {
    let package = &full().package;
    for len in (0..package.len())
        .step_by(97)
        .chain(package.len() - 30..package.len())
    {
        let result = verify(&package[..len], None);
        let failed = failed(&result);
        assert!(
            matches!(&failed[..], [("archive", what)] if what.contains("no whole ZIP archive") || what.contains("cannot be read") || what.contains("more than files")),
            "{len}: {failed:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// Bytes of the archive: where it still holds, its files are the same.
    #[test]
    fn no_byte_of_an_archive_makes_another_package(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = full().package.clone();
        for (at, byte) in &changes {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        if verify(&bytes, None).holds() {
            prop_assert_eq!(files_of(&bytes), files_of(&full().package));
        }
    }

    /// Bytes of a file that the tool reads, listed again: whatever the text is, it ends with a result.
    #[test]
    fn no_text_of_a_file_ends_the_tool(
        name in prop::sample::select(vec!["journals/001.jsonl", "package.json", "selftest.json", "waivers.toml"]),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), prop::sample::select(vec!["9", "18446744073709551615", "-", "\"", "{", "[", "\\u0000", "null", "\n", ""])),
            1..4,
        ),
    ) {
        let mut files = files_of(&full().package);
        for (at, text) in &changes {
            let bytes = files.get_mut(name).unwrap();
            // In place of a digit the text is likely read.
            let digits: Vec<_> = (0..bytes.len()).filter(|at| bytes[*at].is_ascii_digit()).collect();
            let at = digits[at.index(digits.len())];
            bytes.splice(at..=at, text.bytes());
        }
        if name != "package.json" {
            listed_again(&mut files);
        }
        let result = verify(&zipped(&files), None);
        let mut text = Vec::new();
        result.write_text(&mut text).unwrap();
        prop_assert_eq!(&result.to_json()["exit_code"], result.exit_code());
    }
}
