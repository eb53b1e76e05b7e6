//! Success only for complete output: what a plugin names and does not store, and what it was to store.

use std::fs;

use shader_db::psdb::{MAX_SIZE, Options, Psdb, ValueTypes};

use crate::compile::{OBJECTS, counts, make_many};
use crate::{Folder, Ran, unsteady_plugin};

/// The ways of compiling.
const PLACES: [&[&str]; 2] = [&[], &["--in-process"]];

fn folder() -> Folder {
    let folder = Folder::new();
    make_many(&folder.path("a.sodb"), 3);
    folder
}

/// Compiles three pipelines with a plugin that does what the mode says.
fn compile(folder: &Folder, mode: &str, more: &[&str]) -> Ran {
    let plugin = unsteady_plugin();
    let args = [
        "compile",
        "a.sodb",
        "a.psdb",
        "--plugin",
        plugin.to_str().unwrap(),
    ];
    let mut command = folder.command(&[&args, more].concat());
    Ran::from(command.env("UNSTEADY", mode))
}

/// The errors of a run, without the objects that they are of.
fn reasons(ran: &Ran) -> Vec<&str> {
    let reasons = ran.stderr.lines();
    reasons
        .map(|line| {
            line.split_once(": ")
                .and_then(|(_, text)| text.split_once(": "))
        })
        .map(|parts| parts.expect("an object's error").1)
        .collect()
}

#[test]
fn a_group_whose_key_has_no_value_is_not_stored() {
    for place in PLACES {
        let folder = folder();
        let ran = compile(&folder, "nowhere", place);
        assert_eq!((ran.code, counts(&ran)), (1, [0, 0, 3]), "{}", ran.stderr);
        for reason in reasons(&ran) {
            let rest = reason
                .strip_prefix("the plugin names the value key ")
                .unwrap();
            assert!(
                rest.ends_with(
                    " for the object, and has neither stored nor found a value under it"
                )
            );
        }
        // The next run does not take them for done.
        let ran = compile(&folder, "", place);
        assert_eq!((ran.code, counts(&ran)), (0, [3, 0, 0]), "{}", ran.stderr);
    }
}

#[test]
fn a_type_that_the_plugin_does_not_store_is_an_error() {
    for place in PLACES {
        let folder = folder();
        let ran = compile(
            &folder,
            "codeonly",
            &[&["--pdb", "pdb.psdb"], place].concat(),
        );
        assert_eq!((ran.code, counts(&ran)), (1, [3, 0, 0]));
        assert!(
            ran.stdout.contains("Without debug-pdb: 3\n"),
            "{}",
            ran.stdout
        );
        assert_eq!(
            ran.stderr,
            "error: the plugin has stored no debug-pdb values for any object: \
             if it makes none, do not ask for them\n"
        );
        let again = compile(
            &folder,
            "codeonly",
            &[&["--pdb", "pdb.psdb"], place].concat(),
        );
        assert_eq!((again.code, counts(&again)), (1, [0, 3, 0]));
        assert_eq!(again.stderr, ran.stderr);
    }
}

/// Whether the plugin makes a type shows in the whole output, not in the few objects that a run is for.
#[test]
fn an_object_may_have_nothing_of_a_type_that_others_have() {
    for place in PLACES {
        let folder = folder();
        let run = |mode, key: u32| {
            let key = format!("hex:{}", hex::encode(key.to_le_bytes()));
            let more = [&["--pdb", "pdb.psdb", "--key", &key], place].concat();
            compile(&folder, mode, &more)
        };
        let ran = run("", 0);
        assert_eq!((ran.code, counts(&ran)), (0, [1, 0, 0]), "{}", ran.stderr);
        let ran = run("codeonly", 1);
        assert_eq!((ran.code, counts(&ran)), (0, [1, 0, 0]), "{}", ran.stderr);
        assert!(ran.stdout.contains("Without debug-pdb: 1\n"));
    }
}

#[test]
fn a_value_that_is_too_large_is_refused_where_it_is_stored() {
    for place in PLACES {
        let folder = folder();
        let ran = compile(&folder, "huge", place);
        assert_eq!((ran.code, counts(&ran)), (1, [0, 0, 3]), "{}", ran.stderr);
        let reason = format!(
            "a key or value of {} bytes: {MAX_SIZE} bytes is the limit",
            MAX_SIZE + 1
        );
        assert_eq!(reasons(&ran), [reason.as_str(); 3]);
    }
}

#[test]
fn what_is_lost_is_compiled_again() {
    let with_pdb: &[&str] = &["--pdb", "pdb.psdb"];
    let names = ["a.psdb", "pdb.psdb"];
    let any_code = "keyid IN (SELECT min(keyid) FROM vals WHERE type = 0)";
    let any_pdb = "keyid IN (SELECT min(keyid) FROM vals WHERE type = 2)";
    for (file, sql, more) in [
        (
            names[0],
            format!("DELETE FROM vals WHERE type = 0 AND {any_code}"),
            with_pdb,
        ),
        (
            names[0],
            format!("DELETE FROM vals WHERE {any_code}"),
            with_pdb,
        ),
        (
            names[1],
            format!("DELETE FROM vals WHERE {any_pdb}"),
            with_pdb,
        ),
        (
            names[0],
            "DELETE FROM groups WHERE groupkeyid = 2".into(),
            with_pdb,
        ),
        (
            names[0],
            format!("PRAGMA foreign_keys=OFF; DELETE FROM keys WHERE {any_code}"),
            with_pdb,
        ),
        // Without a trace but for the groups that name them.
        (
            names[0],
            "DELETE FROM vals; DELETE FROM value_digests WHERE id <> 0".into(),
            &[],
        ),
    ] {
        let folder = crate::compile::example();
        let files = &names[..=more.len() / 2];
        let compile = || folder.run(&crate::compile::args("a.psdb", "0", more));
        assert_eq!(compile().code, 0);
        let read = || -> Vec<Vec<u8>> {
            let read = |name: &&str| fs::read(folder.path(name)).unwrap();
            files.iter().map(read).collect()
        };
        let before = read();
        let connection = rusqlite::Connection::open(folder.path(file)).unwrap();
        connection.execute_batch(&sql).unwrap();
        drop(connection);
        let ran = compile();
        let [compiled, up_to_date, failed] = counts(&ran);
        assert_eq!((ran.code, compiled + up_to_date, failed), (0, OBJECTS, 0));
        assert_eq!(
            ran.stderr,
            format!(
                "warning: {compiled} objects had lost values in a.psdb: they are removed, and compiled again if they are \
                 selected\n"
            )
        );
        assert!(compiled != 0);
        assert!(read() == before, "{sql}");
        assert_eq!(folder.run(&[&["verify"], files].concat()).code, 0);
    }
}

#[test]
fn a_run_ends_with_the_truth_while_another_has_its_output() {
    for place in PLACES {
        let folder = crate::compile::example();
        let args = crate::compile::args("a.psdb", "Fabrikam Cirrus", place);
        let args = [&args[..], &["--abi", "1"]].concat();
        let first = folder.run(&args);
        assert_eq!((first.code, counts(&first)), (1, [OBJECTS - 4, 0, 4]));
        let finished = fs::read(folder.path("a.psdb")).unwrap();
        let files = [(ValueTypes::ALL, folder.path("a.psdb"))];
        let other = Psdb::open(&files, &Options::default()).unwrap();
        other
            .transaction(|_| Ok::<_, shader_db::Error>(()))
            .unwrap();
        let second = folder.run(&args);
        assert_eq!((second.code, counts(&second)), (1, [0, OBJECTS - 4, 4]));
        assert_eq!(
            second.stderr,
            format!(
                "warning: a.psdb is complete, but another run or program has it open: the last one to close it gives it its canonical form\n{}",
                first.stderr
            )
        );
        other.close().unwrap();
        let third = folder.run(&args);
        assert_eq!((third.code, third.stderr), (1, first.stderr));
        assert!(fs::read(folder.path("a.psdb")).unwrap() == finished);
    }
}

/// The files of one run.
const FILES: [&str; 3] = ["a.psdb", "a.pdb", "a.perf"];

#[test]
fn types_can_be_asked_for_later() {
    let folder = crate::compile::example();
    let compile = |output, more: &[&str]| folder.run(&crate::compile::args(output, "0", more));
    let read = |names: [&str; 3]| names.map(|name| fs::read(folder.path(name)).unwrap());
    let whole = ["whole.psdb", "whole.pdb", "whole.perf"];
    let with = |files: [&'static str; 3]| ["--pdb", files[1], "--perf", files[2]];
    assert_eq!(compile(whole[0], &with(whole)).code, 0);
    let whole = read(whole);
    for place in PLACES {
        for (first, more) in [
            // Types that no object has yet, also after another one was asked for.
            (&[][..], &[][..]),
            (&[], &["--pdb", FILES[1]]),
            // Objects that have none yet, beside new ones.
            (&["--key", "rays"], &[]),
            (
                &["--key", "rays", "--pdb", FILES[1], "--perf", FILES[2]],
                &["--no-psos"],
            ),
        ] {
            assert_eq!(compile(FILES[0], first).code, 0);
            if !more.is_empty() {
                assert_eq!(compile(FILES[0], more).code, 0);
            }
            let before = fs::read(folder.path(FILES[0])).unwrap();
            let ran = compile(FILES[0], &[&with(FILES)[..], place].concat());
            assert_eq!(
                (ran.code, ran.stderr.as_str()),
                (0, ""),
                "{first:?} {more:?}"
            );
            let [compiled, up_to_date, failed] = counts(&ran);
            assert_eq!((compiled + up_to_date, failed), (OBJECTS, 0));
            assert!(!ran.stdout.contains("Without"), "{}", ran.stdout);
            if first.is_empty() {
                assert!(fs::read(folder.path(FILES[0])).unwrap() == before);
                assert_eq!(compiled, OBJECTS);
            }
            assert!(read(FILES) == whole, "{first:?} {more:?}");
            let again = compile(FILES[0], &[&with(FILES)[..], place].concat());
            assert_eq!((again.code, counts(&again)), (0, [0, OBJECTS, 0]));
            assert!(read(FILES) == whole);
            for name in FILES {
                fs::remove_file(folder.path(name)).unwrap();
            }
        }
    }
}

#[test]
fn a_plugin_that_makes_other_code_for_types_asked_for_later_is_found_out() {
    for place in PLACES {
        for (mode, text) in [
            ("code", "it has different object code under the value key "),
            ("keys", " object code "),
        ] {
            let folder = folder();
            let with_pdb = [&["--pdb", "a.pdb"], place].concat();
            assert_eq!(compile(&folder, "", place).code, 0);
            let before = fs::read(folder.path("a.psdb")).unwrap();
            let ran = compile(&folder, mode, &with_pdb);
            assert_eq!((ran.code, counts(&ran)), (1, [0, 0, 3]), "{}", ran.stderr);
            for reason in reasons(&ran) {
                assert!(
                    reason.starts_with("the plugin is not deterministic: "),
                    "{reason}"
                );
                assert!(reason.contains(text), "{reason}");
            }
            assert!(fs::read(folder.path("a.psdb")).unwrap() == before);
            // One that is deterministic completes the files. Its PDBs have keys of their own, which the groups name now.
            let ran = compile(&folder, "", &with_pdb);
            assert_eq!((ran.code, counts(&ran)), (0, [3, 0, 0]), "{}", ran.stderr);
            assert_eq!(folder.run(&["verify", "a.psdb", "a.pdb"]).code, 0);
            let read = || ["a.psdb", "a.pdb"].map(|name| fs::read(folder.path(name)).unwrap());
            let completed = read();
            for name in ["a.psdb", "a.pdb"] {
                fs::remove_file(folder.path(name)).unwrap();
            }
            assert_eq!(compile(&folder, "", &with_pdb).code, 0);
            assert!(read() == completed);
        }
    }
}

/// A value of an object, and its digest with it.
#[test]
fn every_command_notices_a_value_that_left_no_trace() {
    let folder = crate::compile::example();
    let compile = || folder.run(&crate::compile::args("a.psdb", "0", &[]));
    assert_eq!(compile().code, 0);
    let path = folder.path("a.psdb");
    let whole = fs::read(&path).unwrap();
    let keys: i64 = rusqlite::Connection::open(&path)
        .unwrap()
        .query_row("SELECT max(keyid) FROM keys", [], |row| row.get(0))
        .unwrap();
    let of_key = |key| {
        format!(
            "DELETE FROM vals WHERE keyid = {key}; DELETE FROM value_digests WHERE id >> 2 = {key} AND id > 0"
        )
    };
    for sql in [
        of_key(1),
        of_key(keys / 2),
        of_key(keys),
        "DELETE FROM vals WHERE type = 0; DELETE FROM value_digests WHERE id > 0 AND id & 3 = 0"
            .into(),
    ] {
        fs::write(&path, &whole).unwrap();
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch(&sql).unwrap();
        drop(connection);
        let stats = folder.run(&["stats", "a.psdb"]);
        assert!(stats.stderr.contains("`compile` makes"), "{}", stats.stderr);
        for (args, code) in [
            (&["verify", "a.psdb"][..], 1),
            (&["check", "a.psdb", "--plugin", "sample"], 3),
            (&["extract", "a.psdb", "values"], 1),
            (&["merge-psdb", "a.psdb", "--output", "merged.psdb"], 1),
        ] {
            let ran = folder.run(args);
            assert_eq!(ran.code, code, "{args:?}: {}{}", ran.stdout, ran.stderr);
        }
        fs::remove_dir_all(folder.path("values")).unwrap();
        fs::remove_file(folder.path("merged.psdb")).unwrap();
        let ran = compile();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(counts(&ran)[0] != 0, "{}", ran.stdout);
        assert!(fs::read(&path).unwrap() == whole, "{sql}");
    }
}

/// As another program's rows are, which knows the six tables and not the digests.
#[test]
fn rows_without_digests_are_kept_and_get_them() {
    let folder = crate::compile::example();
    let compile = || folder.run(&crate::compile::args("a.psdb", "0", &[]));
    assert_eq!(compile().code, 0);
    let path = folder.path("a.psdb");
    let whole = fs::read(&path).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .execute_batch("DELETE FROM value_digests WHERE id > 20; DELETE FROM group_digests WHERE groupkeyid > 3")
        .unwrap();
    drop(connection);
    for command in ["stats", "verify"] {
        let ran = folder.run(&[command, "a.psdb"]);
        assert_eq!(ran.code, 0, "{}", ran.stdout);
        assert!(ran.stderr.contains("have no digest"), "{}", ran.stderr);
    }
    let ran = compile();
    assert_eq!((ran.code, counts(&ran)), (0, [0, OBJECTS, 0]));
    assert!(ran.stderr.contains("have no digest"), "{}", ran.stderr);
    assert!(fs::read(&path).unwrap() == whole);
}
