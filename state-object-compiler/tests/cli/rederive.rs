//! `verify` with an SODB and a plugin.

use std::fs;
use std::ops::ControlFlow;

use shader_db::psdb::{File, Target, ValueType};
use shader_db::sodb::{Access, Sodb};

use crate::compile::{OBJECTS, example, make_many};
use crate::{Folder, Ran, make_psdb_for, unsteady_plugin};

/// A folder with pipelines and what the plugin makes of them.
fn folder() -> Folder {
    let folder = Folder::new();
    make_many(&folder.path("a.sodb"), 3);
    assert_eq!(compile(&folder, &[]).code, 0);
    folder
}

fn compile(folder: &Folder, more: &[&str]) -> Ran {
    let plugin = unsteady_plugin();
    let args = [
        "compile",
        "a.sodb",
        "a.psdb",
        "--plugin",
        plugin.to_str().unwrap(),
    ];
    folder.run(&[&args, more].concat())
}

fn verify(folder: &Folder, psdb: &str, mode: &str) -> Ran {
    let plugin = unsteady_plugin();
    let plugin = plugin.to_str().unwrap();
    let mut command = folder.command(&["verify", psdb, "--sodb", "a.sodb", "--plugin", plugin]);
    Ran::from(command.env("UNSTEADY", mode))
}

#[test]
fn what_is_made_again_is_the_same() {
    let folder = example();
    let temporary = folder.path("tmp");
    fs::create_dir(&temporary).unwrap();
    let files = ["a.psdb", "pdb.psdb", "perf.psdb"];
    let plugin = ["--plugin", "sample"];
    for (family, failed) in [("Fabrikam Aurora", 0), ("Fabrikam Cirrus", 4)] {
        let args = [
            &["compile", "пример.sodb", "a.psdb", "--pdb", "pdb.psdb"][..],
            &[
                "--perf",
                "perf.psdb",
                "--adapter-family",
                family,
                "--abi",
                "1",
            ],
            &["--app-version", "7", "--engine", "E"],
            &plugin,
        ];
        assert_eq!(folder.run(&args.concat()).code, i32::from(failed != 0));
        let args = [&["verify"], &files[..], &["--sodb", "пример.sodb"], &plugin];
        let mut command = folder.command(&args.concat());
        for name in ["TMPDIR", "TMP", "TEMP"] {
            command.env(name, &temporary);
        }
        let ran = Ran::from(&mut command);
        assert_eq!(ran.code, 0, "{ran:?}");
        let end = format!(
            "\n{} objects compiled again and compared\nsound\n",
            OBJECTS - failed
        );
        assert!(ran.stdout.ends_with(&end), "{}", ran.stdout);
        let warning = format!("{failed} objects of пример.sodb cannot be compiled");
        assert_eq!(ran.stderr.contains(&warning), failed != 0, "{}", ran.stderr);
        assert!(
            !ran.stderr.contains("is of another application"),
            "{}",
            ran.stderr
        );
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
        for file in files {
            fs::remove_file(folder.path(file)).unwrap();
        }
    }
}

#[test]
fn the_files_say_what_is_asked_for() {
    let folder = Folder::new();
    make_many(&folder.path("a.sodb"), 3);
    assert_eq!(compile(&folder, &["--pdb", "pdb.psdb"]).code, 0);
    let plugin = unsteady_plugin();
    let args = [
        "verify",
        "a.psdb",
        "pdb.psdb",
        "--sodb",
        "a.sodb",
        "--plugin",
        plugin.to_str().unwrap(),
    ];
    folder.output(&args);
    // Each group is in both files, and fails once for each.
    let ran = Ran::from(folder.command(&args).env("UNSTEADY", "fails"));
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert!(ran.stdout.ends_with("\n6 problems\n"), "{}", ran.stdout);
}

#[test]
fn a_plugin_that_makes_something_else_is_found_out() {
    let folder = folder();
    let steady = verify(&folder, "a.psdb", "");
    assert_eq!((steady.code, steady.stderr.as_str()), (0, ""), "{steady:?}");
    for (mode, problem) in [
        ("code", "object-code: different bytes are made again"),
        (
            "keys",
            "different value keys: 1 in the file and 1 made again, 0 of them equal",
        ),
        ("fails", "it is not compiled again: "),
    ] {
        let ran = verify(&folder, "a.psdb", mode);
        assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{mode}");
        for key in ["00000000", "01000000", "02000000"] {
            let line = format!("a.psdb: group {key}: ");
            let mut lines = ran.stdout.lines().filter(|text| text.starts_with(&line));
            let line = lines.next().unwrap();
            assert!(
                line.contains(problem) && lines.next().is_none(),
                "{}",
                ran.stdout
            );
        }
        assert!(ran.stdout.ends_with("\n3 problems\n"), "{}", ran.stdout);
    }
    assert_eq!(folder.files(), ["a.psdb", "a.sodb"]);
}

#[test]
fn objects_of_one_side_only_are_listed() {
    let folder = folder();
    let sodb = Sodb::open(folder.path("a.sodb"), Access::Write).unwrap();
    let desc = sodb.find_pipeline_state(&[0; 4]).unwrap().unwrap().desc;
    sodb.store_pipeline_state(b"new", 9, &desc).unwrap();
    sodb.store_pipeline_state(&[0; 4], 2, &desc).unwrap();
    sodb.close().unwrap();
    let ran = verify(&folder, "a.psdb", "");
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.starts_with(
            "a.psdb: group 00000000: it has version 1, and the SODB version 2\n\
             a.psdb: group 6e6577: missing: the SODB has this object, in version 9\n\
             a.psdb: 6 values and 3 groups checked\n"
        ),
        "{}",
        ran.stdout
    );
    fs::remove_file(folder.path("a.sodb")).unwrap();
    make_many(&folder.path("a.sodb"), 2);
    let ran = verify(&folder, "a.psdb", "");
    assert_eq!(ran.code, 1);
    let line = "a.psdb: group 02000000: the SODB has no such object\n";
    assert!(ran.stdout.starts_with(line), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("\n1 problem\n"), "{}", ran.stdout);
}

#[test]
fn code_of_one_side_only_is_listed() {
    let folder = folder();
    let file = File::open(&folder.path("a.psdb")).unwrap();
    let mut values: Vec<(Vec<u8>, ValueType, Vec<u8>)> = Vec::new();
    file.for_each_value(&mut |key, kind, value| {
        values.push((key.to_vec(), kind, value.unwrap().to_vec()));
        ControlFlow::Continue(())
    })
    .unwrap();
    let mut groups = Vec::new();
    file.for_each_group(&mut |key, content| {
        let (version, keys) = content.unwrap();
        let keys: Vec<Vec<u8>> = keys.iter().map(|key| key.to_vec()).collect();
        groups.push((key.to_vec(), version, keys));
        ControlFlow::Continue(())
    })
    .unwrap();
    let without = values
        .iter()
        .position(|(_, kind, _)| *kind == ValueType::ObjectCode);
    let (key, _, _) = values.remove(without.unwrap());
    let values: Vec<crate::Value> = values
        .iter()
        .map(|(key, kind, value)| (&**key, *kind, &**value))
        .collect();
    let lists: Vec<Vec<&[u8]>> = groups
        .iter()
        .map(|(_, _, keys)| keys.iter().map(|key| &**key).collect())
        .collect();
    let groups: Vec<crate::Group> = groups
        .iter()
        .zip(&lists)
        .map(|((key, version, _), list)| (&**key, *version, &**list))
        .collect();
    let target = Target {
        compiler_version: file.target().compiler_version + 1,
        ..file.target().clone()
    };
    make_psdb_for(&folder.path("b.psdb"), target, &values, &groups);
    let ran = verify(&folder, "b.psdb", "");
    assert_eq!(ran.code, 1);
    let problem = format!(
        "value key {}: object-code: missing: it is made again\n",
        hex::encode(&key)
    );
    assert!(ran.stdout.contains(&problem), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("\n1 problem\n"), "{}", ran.stdout);
    assert_eq!(
        ran.stderr,
        "warning: b.psdb: its compiler version is 1.0.0.1, not 1.0.0.0, which it was compared with: the differences may \
         have that cause\n"
    );
}

#[test]
fn what_cannot_be_compiled_again_exits_with_2() {
    let folder = folder();
    for (args, text) in [
        (&["--sodb", "a.sodb"][..], "--plugin"),
        (&["--plugin", "sample"], "--sodb"),
        (&["--sodb", "none.sodb", "--plugin", "sample"], "none.sodb"),
        (&["--sodb", "a.sodb", "--plugin", "none.dll"], "none.dll"),
        (
            &["--sodb", "a.sodb", "--plugin", "sample"],
            "no adapter family \"Unsteady\"",
        ),
    ] {
        let message = folder.failure(&[&["verify", "a.psdb"], args].concat(), 2);
        assert!(message.contains(text), "{args:?}: {message}");
    }
}
