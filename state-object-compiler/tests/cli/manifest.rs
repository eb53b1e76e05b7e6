//! `compile --manifest`.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use shader_db::sodb::{Access, Sodb};

use crate::compile::{args, counts, example, make_many};
use crate::{Folder, Ran, unsteady_plugin};

const OBJECTS: usize = 3;

/// A folder with pipelines and a copy of the plugin.
fn folder() -> Folder {
    let folder = Folder::new();
    make_many(&folder.path("a.sodb"), u32::try_from(OBJECTS).unwrap());
    fs::copy(unsteady_plugin(), folder.path("plugin.dll")).unwrap();
    folder
}

/// A command that compiles, and logs that the plugin was opened.
fn command(folder: &Folder, manifest: &str, more: &[&str]) -> assert_cmd::Command {
    let args = [
        "compile",
        "a.sodb",
        "a.psdb",
        "--plugin",
        "./plugin.dll",
        "--manifest",
        manifest,
        "--in-process",
    ];
    let mut command = folder.command(&[&args, more].concat());
    command.env("UNSTEADY_LOG", folder.path("opens"));
    command
}

fn compile(folder: &Folder, more: &[&str]) -> Ran {
    Ran::from(&mut command(folder, "a.json", more))
}

/// How often the plugin was opened since the last question.
fn opens(folder: &Folder) -> usize {
    let log = fs::read_to_string(folder.path("opens")).unwrap_or_default();
    let _ = fs::remove_file(folder.path("opens"));
    log.lines().count()
}

#[track_caller]
fn assert_left_alone(folder: &Folder, more: &[&str]) {
    let ran = compile(folder, more);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(
        ran.stdout
            .starts_with("Nothing to do: nothing has changed since a.json\n"),
        "{}",
        ran.stdout
    );
    assert_eq!(counts(&ran), [0, OBJECTS, 0]);
    assert_eq!(opens(folder), 0);
}

#[track_caller]
fn assert_run(folder: &Folder, more: &[&str]) -> Ran {
    let ran = compile(folder, more);
    assert!(!ran.stdout.contains("Nothing to do"), "{}", ran.stdout);
    assert_eq!(opens(folder), 1, "{}", ran.stderr);
    ran
}

fn manifest(folder: &Folder) -> Value {
    serde_json::from_slice(&fs::read(folder.path("a.json")).unwrap()).unwrap()
}

#[test]
fn a_manifest_says_what_was_made_of_what() {
    let folder = folder();
    let ran = assert_run(
        &folder,
        &["--pdb", "pdb.psdb", "--shard", "0/1", "--engine", "E"],
    );
    assert_eq!(ran.code, 0);
    let mut manifest = manifest(&folder);
    let files = manifest["files"].take();
    insta::assert_snapshot!(serde_json::to_string_pretty(&manifest).unwrap());
    let names = [
        ("sodb", "a.sodb"),
        ("plugin", "plugin.dll"),
        ("output", "a.psdb"),
        ("pdb", "pdb.psdb"),
    ];
    let files = files.as_array().unwrap();
    assert_eq!(files.len(), names.len());
    for (file, (role, name)) in files.iter().zip(names) {
        assert_eq!(file["role"], role);
        let path = Path::new(file["path"].as_str().unwrap());
        assert!(path.is_absolute() && path.ends_with(name), "{file}");
        let bytes = fs::read(folder.path(name)).unwrap();
        assert_eq!(file["size"], bytes.len());
        assert_eq!(file["sha256"], hex::encode(Sha256::digest(bytes)));
    }
    assert_eq!(
        folder.files(),
        ["a.json", "a.psdb", "a.sodb", "pdb.psdb", "plugin.dll"]
    );
}

#[test]
fn what_is_complete_and_unchanged_is_left_alone() {
    let folder = folder();
    assert_eq!(assert_run(&folder, &[]).code, 0);
    let before = fs::read(folder.path("a.json")).unwrap();
    assert_left_alone(&folder, &[]);
    // What makes no other objects.
    assert_left_alone(&folder, &["--single-threaded", "--show-info-queue"]);
    // Another time with the same content.
    for name in ["a.sodb", "plugin.dll", "a.psdb"] {
        let file = fs::File::options()
            .write(true)
            .open(folder.path(name))
            .unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(100))
            .unwrap();
    }
    assert_left_alone(&folder, &[]);
    assert!(fs::read(folder.path("a.json")).unwrap() == before);
    let json = compile(&folder, &["--format", "json"]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&json["left_alone"], &json["up_to_date"]),
        (&true.into(), &OBJECTS.into())
    );
    // Other files by the same names.
    let other = folder.path("other");
    fs::create_dir(&other).unwrap();
    for name in ["a.sodb", "plugin.dll", "a.psdb"] {
        fs::copy(folder.path(name), other.join(name)).unwrap();
    }
    let ran = Ran::from(command(&folder, "../a.json", &[]).current_dir(other));
    assert_eq!((ran.code, ran.stdout.contains("Nothing to do")), (0, false));
}

#[test]
fn what_has_changed_is_run_again() {
    let folder = folder();
    assert_run(&folder, &[]);
    for settings in [
        &["--adapter-family", "0"][..],
        &["--abi", "2"],
        &["--no-psos"],
        &["--no-state-objects"],
        &["--no-add-to-state-objects"],
        &["--shard", "0/1"],
        &["--key", "hex:00000000"],
    ] {
        let ran = assert_run(&folder, settings);
        assert_eq!(ran.code, 0, "{settings:?}: {}", ran.stderr);
        assert!(compile(&folder, settings).stdout.contains("Nothing to do"));
    }
    assert_run(&folder, &[]);
    assert_left_alone(&folder, &[]);

    // One that is gone.
    fs::remove_file(folder.path("a.psdb")).unwrap();
    assert_eq!(counts(&assert_run(&folder, &[])), [OBJECTS, 0, 0]);
    // Changes that are in the log still.
    assert_left_alone(&folder, &[]);
    let sodb = Sodb::open(folder.path("a.sodb"), Access::Write).unwrap();
    let desc = sodb.find_pipeline_state(&[0; 4]).unwrap().unwrap().desc;
    for more in 0..2 {
        sodb.store_pipeline_state(&[more], 1, &desc).unwrap();
        let ran = assert_run(&folder, &[]);
        assert_eq!(counts(&ran), [1, OBJECTS + usize::from(more), 0]);
        assert!(compile(&folder, &[]).stdout.contains("Nothing to do"));
    }
    sodb.close().unwrap();
}

/// Another content, at the time of the one before.
fn rewrite(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let modified = fs::metadata(path).unwrap().modified().unwrap();
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(modified).unwrap();
}

#[test]
fn a_file_of_the_same_time_and_size_is_not_unchanged_for_that() {
    let folder = folder();
    let more = ["--pdb", "pdb.psdb", "--perf", "perf.psdb"];
    // A transaction that stays in the WAL.
    let sodb = Sodb::open(folder.path("a.sodb"), Access::Write).unwrap();
    let desc = sodb.find_pipeline_state(&[0; 4]).unwrap().unwrap().desc;
    sodb.store_pipeline_state(&[0; 4], 2, &desc).unwrap();
    assert_run(&folder, &more);
    let roles: Vec<String> = manifest(&folder)["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["role"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        roles,
        ["sodb", "sodb-wal", "plugin", "output", "pdb", "perf"]
    );
    for (place, role) in roles.iter().enumerate() {
        let path = manifest(&folder)["files"][place]["path"].clone();
        let path = Path::new(path.as_str().unwrap());
        let before = fs::read(path).unwrap();
        // In places that no reader of these files minds.
        for change in [
            |bytes: &mut Vec<u8>| bytes.push(0),
            |bytes: &mut Vec<u8>| *bytes.last_mut().unwrap() ^= 1,
        ] {
            assert_left_alone(&folder, &more);
            rewrite(path, change);
            let ran = compile(&folder, &more);
            assert!(!ran.stdout.contains("Nothing to do"), "{role}");
            rewrite(path, |bytes| bytes.clone_from(&before));
            // A run that finds an output damaged ends without a manifest.
            compile(&folder, &more);
            opens(&folder);
        }
    }
    sodb.close().unwrap();
}

#[test]
fn what_failed_is_run_again() {
    let folder = folder();
    let failing = || Ran::from(command(&folder, "a.json", &[]).env("UNSTEADY", "fails"));
    for _ in 0..2 {
        assert_eq!(failing().code, 1);
        assert_eq!(opens(&folder), 1);
        let manifest = manifest(&folder);
        assert_eq!(
            (&manifest["complete"], &manifest["exit_code"]),
            (&false.into(), &1.into())
        );
        assert_eq!(manifest["counts"]["failed"], OBJECTS);
        let failures = manifest["failures"].as_array().unwrap();
        assert_eq!(failures.len(), OBJECTS);
        assert_eq!(failures[1]["key"], "01000000");
        assert!(
            failures[1]["reason"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        );
    }
    assert_eq!(counts(&assert_run(&folder, &[])), [OBJECTS, 0, 0]);
    assert_left_alone(&folder, &[]);
}

#[test]
fn a_damaged_manifest_is_a_warning() {
    let folder = folder();
    assert_run(&folder, &[]);
    let good = fs::read_to_string(folder.path("a.json")).unwrap();
    for bad in [
        "",
        &good[..good.len() / 2],
        &good.replace("\"format_version\": 1", "\"format_version\": 2"),
        &good.replace("\"complete\": true", "\"complete\": 1"),
    ] {
        assert_ne!(bad, good);
        fs::write(folder.path("a.json"), bad).unwrap();
        let ran = assert_run(&folder, &[]);
        assert_eq!(
            (ran.code, ran.stderr.lines().count()),
            (0, 1),
            "{}",
            ran.stderr
        );
        assert!(
            ran.stderr
                .starts_with("warning: a.json is not a complete manifest of this program"),
            "{}",
            ran.stderr
        );
        assert_eq!(manifest(&folder)["complete"], true);
    }
    // Of another version of the program it is a manifest, but of another run.
    let other = good.replace("\"program_version\": \"", "\"program_version\": \"9");
    fs::write(folder.path("a.json"), other).unwrap();
    assert_eq!(assert_run(&folder, &[]).stderr, "");
}

/// A name that was not meant.
#[test]
fn another_file_is_not_replaced() {
    let folder = folder();
    assert_run(&folder, &[]);
    let good = fs::read_to_string(folder.path("a.json")).unwrap();
    let database = fs::read(folder.path("a.psdb")).unwrap();
    for other in [
        &b"{}"[..],
        b"null",
        b"text",
        &good.as_bytes()[..20],
        good.replace("StateObjectCompiler manifest", "thing")
            .as_bytes(),
        &database,
    ] {
        fs::write(folder.path("a.json"), other).unwrap();
        let ran = compile(&folder, &[]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(
            ran.stderr
                .contains("a.json cannot be the manifest: it is another file"),
            "{}",
            ran.stderr
        );
        assert_eq!(fs::read(folder.path("a.json")).unwrap(), other);
    }
}

#[test]
fn a_manifest_is_a_file_of_its_own() {
    let folder = example();
    let before = fs::read(folder.path("пример.sodb")).unwrap();
    let path = folder.path("пример.sodb");
    for manifest in [
        "пример.sodb",
        "./a.psdb",
        "no/a.json",
        ".",
        path.to_str().unwrap(),
    ] {
        let message = folder.failure(
            &[
                "compile",
                "пример.sodb",
                "a.psdb",
                "--plugin",
                "sample",
                "--adapter-family",
                "0",
                "--manifest",
                manifest,
            ],
            2,
        );
        assert!(message.starts_with("error: "), "{message}");
    }
    assert_eq!(folder.files(), ["пример.sodb"]);
    assert!(fs::read(path).unwrap() == before);
}

/// Before the plugin is loaded.
#[cfg(target_os = "linux")]
#[test]
fn a_manifest_that_cannot_be_written_is_refused_at_the_beginning() {
    let folder = folder();
    let pipe = std::process::Command::new("mkfifo")
        .arg(folder.path("pipe"))
        .status();
    assert!(pipe.unwrap().success());
    for (manifest, problem) in [
        ("pipe", "pipe cannot be the manifest: it is not a file"),
        // Not even by root.
        ("/proc/manifest.json", "/proc/manifest.json: "),
    ] {
        let ran = Ran::from(&mut command(&folder, manifest, &[]));
        assert_eq!((ran.code, opens(&folder)), (2, 0), "{ran:?}");
        assert!(
            ran.stderr.starts_with(&format!("error: {problem}")),
            "{ran:?}"
        );
    }
    assert_eq!(folder.files(), ["a.sodb", "pipe", "plugin.dll"]);
}

#[test]
fn the_plugin_that_is_linked_in_is_the_program() {
    let folder = example();
    let args = args("a.psdb", "0", &["--manifest", "a.json", "--in-process"]);
    folder.output(&args);
    assert!(folder.output(&args).starts_with("Nothing to do: "));
    let plugin = manifest(&folder)["files"][1]["path"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(plugin.contains("D3D12StateObjectCompiler"), "{plugin}");
}

#[cfg(unix)]
#[test]
fn a_large_file_that_is_no_manifest_is_not_read_to_its_end() {
    let folder = folder();
    let file = fs::File::create(folder.path("a.json")).unwrap();
    // Of which the file system has no block.
    file.set_len(1 << 36).unwrap();
    let ran = compile(&folder, &[]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("it is another file"), "{}", ran.stderr);
}
