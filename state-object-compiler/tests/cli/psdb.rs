//! The commands on PSDBs.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use shader_db::psdb::ValueType::{DebugPdb, Metadata, ObjectCode};
use shader_db::psdb::{Options, Psdb, ValueType, ValueTypes};
use state_object_compiler::merge_psdb;

use crate::{Folder, damage, make_psdb, make_psdb_for, target};

const NAME: &str = "игра ゲーム 🎮.psdb";
const CODE: &[u8] = b"object code that two groups share";

/// Two groups that share a value; a value of no group.
fn make(path: &Path) {
    make_psdb(
        path,
        &[
            (b"shared", ObjectCode, CODE),
            (b"shared", Metadata, b"its metadata"),
            (b"own", ObjectCode, b"object code of one"),
            (b"unused", DebugPdb, b"of no group"),
        ],
        &[
            (b"first", 1, &[b"own", b"shared"]),
            (b"second", 2, &[b"shared"]),
        ],
    );
}

#[test]
fn stats_of_a_file() {
    let folder = Folder::new();
    make(&folder.path(NAME));
    insta::assert_snapshot!(folder.output(&["stats", NAME]));
    insta::assert_snapshot!(folder.output(&["stats", NAME, "--format", "json", "--top", "1"]));
}

#[test]
fn stats_of_an_empty_file() {
    let folder = Folder::new();
    make_psdb(&folder.path("a.psdb"), &[], &[]);
    insta::assert_snapshot!(folder.output(&["stats", "a.psdb"]));
}

#[test]
fn stats_count_what_is_not_damaged() {
    let folder = Folder::new();
    make(&folder.path("a.psdb"));
    damage(&folder.path("a.psdb"), CODE);
    let ran = folder.run(&["stats", "a.psdb"]);
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.stderr,
        "warning: a.psdb: 1 damaged values or groups are not counted; verify lists them\n"
    );
    assert!(
        ran.stdout
            .contains("object-code                                1              18\n")
    );
}

#[test]
fn a_sound_file_verifies() {
    let folder = Folder::new();
    make(&folder.path(NAME));
    assert_eq!(
        folder.output(&["verify", NAME]),
        format!("{NAME}: 4 values and 2 groups checked\nsound\n")
    );
    assert_eq!(folder.files(), [NAME]);
}

#[test]
fn damaged_values_are_listed() {
    let folder = Folder::new();
    make(&folder.path("a.psdb"));
    damage(&folder.path("a.psdb"), CODE);
    damage(&folder.path("a.psdb"), b"of no group");
    let ran = folder.run(&["verify", "a.psdb"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert_eq!(
        ran.stdout,
        "a.psdb: value key 736861726564: object-code: a value does not match its digest\n\
         a.psdb: value key 756e75736564: debug-pdb: a value does not match its digest\n\
         a.psdb: 4 values and 2 groups checked\n\
         2 problems\n"
    );
    let json = folder.run(&["verify", "a.psdb", "--format", "json"]);
    assert_eq!(json.code, 1);
    insta::assert_snapshot!(json.stdout);
}

/// Runs SQL on a file, around the program, as damage does.
fn change(path: &Path, sql: &str) {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.execute_batch(sql).unwrap();
}

#[test]
fn what_is_lost_is_found_out_by_every_command() {
    let code = "DELETE FROM vals WHERE type = 0 AND keyid IN (SELECT keyid FROM keys WHERE key = x'736861726564')";
    let group = "DELETE FROM groups WHERE groupkeyid = 1; DELETE FROM groupkeys WHERE keyid = 1";
    for (sql, problem) in [
        (
            code,
            "value key 736861726564: object-code: lost: the file has the digest, but not the value",
        ),
        (
            group,
            "a group is lost: the file has the digest, but not the group",
        ),
    ] {
        let folder = Folder::new();
        make(&folder.path("a.psdb"));
        change(&folder.path("a.psdb"), sql);
        let ran = folder.run(&["verify", "a.psdb"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
        let lines: Vec<&str> = ran.stdout.lines().collect();
        assert_eq!(lines[0], format!("a.psdb: {problem}"));
        assert_eq!(lines[2], "1 problem");
        let reason = "a.psdb: damaged: 1 values or groups are lost\n";
        fs::create_dir(folder.path("out")).unwrap();
        for args in [
            &["extract", "a.psdb", "out"][..],
            &["diff-psdb", "a.psdb", "a.psdb"],
        ] {
            assert_eq!(folder.failure(args, 2), format!("error: {reason}"));
        }
        assert_eq!(fs::read_dir(folder.path("out")).unwrap().count(), 0);
        // A copy would have lost the digest too.
        let merged = folder.failure(&["merge-psdb", "a.psdb", "--output", "b.psdb"], 2);
        assert!(merged.contains("of them are found"), "{merged}");
    }
}

#[test]
fn a_damaged_index_is_an_error_of_every_command() {
    let folder = Folder::new();
    make(&folder.path("a.psdb"));
    // The index of the keys has no row of one of them.
    let path = folder.path("a.psdb");
    let connection = rusqlite::Connection::open(&path).unwrap();
    let root: u32 = connection
        .query_row(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_vals_1'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    drop(connection);
    let mut bytes = fs::read(&path).unwrap();
    let page = (root as usize - 1) << 16;
    // The number of its cells.
    assert_eq!(bytes[page + 3..page + 5], [0, 4]);
    bytes[page + 4] = 2;
    fs::write(&path, bytes).unwrap();
    let ran = folder.run(&["verify", "a.psdb"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout
            .contains("a.psdb: 2 of 4 values can be found by their keys\n"),
        "{}",
        ran.stdout
    );
    fs::create_dir(folder.path("out")).unwrap();
    for args in [
        &["extract", "a.psdb", "out"][..],
        &["diff-psdb", "a.psdb", "a.psdb"],
    ] {
        let message = folder.failure(args, 2);
        assert!(message.starts_with("error: a.psdb: damaged: "), "{message}");
    }
    assert_eq!(fs::read_dir(folder.path("out")).unwrap().count(), 0);
}

#[test]
fn incomplete_groups_are_listed() {
    let folder = Folder::new();
    make_psdb(
        &folder.path("a.psdb"),
        &[(b"there", ObjectCode, b"code")],
        &[(b"group", 1, &[b"there", b"absent"])],
    );
    let ran = folder.run(&["verify", "a.psdb"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.stdout,
        "a.psdb: group 67726f7570: value key 616273656e74: incomplete: a value key has no value\n\
         a.psdb: 1 values and 1 groups checked\n\
         1 problem\n"
    );
}

#[test]
fn files_of_a_session_are_verified_together() {
    let folder = Folder::new();
    let files = [
        (ValueTypes::from(ObjectCode), folder.path("code.psdb")),
        (ValueTypes::from(DebugPdb), folder.path("pdb.psdb")),
    ];
    let options = Options {
        application: Some(crate::application()),
        target: Some(target()),
        ..Options::default()
    };
    let psdb = Psdb::open(&files, &options).unwrap();
    psdb.store_value(b"code", &[(ObjectCode, b"code")]).unwrap();
    psdb.store_value(b"pdb", &[(DebugPdb, b"pdb")]).unwrap();
    psdb.store_group(b"group", 1, &[b"code", b"pdb"]).unwrap();
    psdb.close().unwrap();
    let both = ["verify", "code.psdb", "pdb.psdb"];
    // Alone, each is silent about what the other one has.
    folder.output(&both[..2]);
    folder.output(&["verify", "pdb.psdb"]);
    folder.output(&both);
    for file in &both[1..] {
        let copy = fs::read(folder.path(file)).unwrap();
        let all = "DELETE FROM vals; DELETE FROM value_digests WHERE id <> 0";
        change(&folder.path(file), all);
        assert_eq!(folder.run(&both).code, 1, "{file}");
        fs::write(folder.path(file), copy).unwrap();
    }

    let mut other = target();
    other.abi = 9;
    make_psdb_for(&folder.path("other.psdb"), other, &[], &[]);
    assert_eq!(
        folder.failure(&["verify", "code.psdb", "other.psdb"], 2),
        "error: code.psdb and other.psdb are compiled for different targets or applications: \
         not the files of one session\n"
    );
}

#[test]
fn any_damage_is_found_or_refused() {
    let folder = Folder::new();
    let path = folder.path("a.psdb");
    make(&path);
    let sound = fs::read(&path).unwrap();
    // Only bytes that mean something: most of the pages are empty.
    let meant: Vec<usize> = (0..sound.len()).filter(|at| sound[*at] != 0).collect();
    for at in meant.iter().step_by(meant.len() / 40) {
        let mut bytes = sound.clone();
        bytes[*at] ^= 0x55;
        fs::write(&path, &bytes).unwrap();
        let ran = folder.run(&["verify", "a.psdb"]);
        assert!((0..=2).contains(&ran.code), "byte {at}: {ran:?}");
        // What is not found must not change what is read.
        if ran.code == 0 {
            fs::write(folder.path("sound.psdb"), &sound).unwrap();
            folder.output(&["diff-psdb", "a.psdb", "sound.psdb"]);
        }
    }
    for size in [1, 100, 65535, 65536, sound.len() / 2] {
        fs::write(&path, &sound[..size]).unwrap();
        let ran = folder.run(&["verify", "a.psdb"]);
        assert!([1, 2].contains(&ran.code), "{size} bytes: {ran:?}");
    }
}

#[test]
fn values_are_extracted() {
    let folder = Folder::new();
    let long = [0xab_u8; 65];
    make_psdb(
        &folder.path(NAME),
        &[
            (&long[..64], ObjectCode, b"1"),
            (&long, ObjectCode, b"22"),
            (b"a", Metadata, b"333"),
        ],
        &[(b"group\0", 1, &[b"a"])],
    );
    let output = folder.output(&["extract", NAME, "каталог"]);
    let name = "ab".repeat(64);
    let digest = hex::encode(Sha256::digest(long));
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines[0], "61.metadata  3 bytes");
    assert_eq!(lines[1], format!("{name}.object-code  1 bytes"));
    assert_eq!(lines[2], format!("sha256-{digest}.object-code  2 bytes"));
    assert_eq!(lines[3], "каталог: 3 values written");
    let read = |name: &str| fs::read(folder.path("каталог").join(name)).unwrap();
    assert_eq!(read("61.metadata"), b"333");
    assert_eq!(read(&format!("{name}.object-code")), b"1");
    assert_eq!(read(&format!("sha256-{digest}.object-code")), b"22");

    // Nothing is overwritten.
    let message = folder.failure(&["extract", NAME, "каталог"], 2);
    assert!(message.contains("61.metadata"), "{message}");
    assert_eq!(read("61.metadata"), b"333");
}

#[test]
fn values_of_a_group_or_a_type_are_extracted() {
    let folder = Folder::new();
    make(&folder.path("a.psdb"));
    let output = folder.output(&["extract", "a.psdb", "second", "--key", "second"]);
    assert_eq!(
        output,
        "736861726564.object-code  33 bytes\n736861726564.metadata  12 bytes\n\
         Key: 7365636f6e64, given as text\nsecond: 2 values written\n"
    );
    let args = [
        "extract",
        "a.psdb",
        "codes",
        "--type",
        "object-code",
        "--type",
        "debug-pdb",
    ];
    assert_eq!(
        folder.output(&args),
        "6f776e.object-code  18 bytes\n\
         736861726564.object-code  33 bytes\n\
         756e75736564.debug-pdb  11 bytes\n\
         codes: 3 values written\n"
    );
    let ran = folder.run(&["extract", "a.psdb", "hex", "--key", "hex:7365636f6e64"]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.stdout
            .ends_with("\nKey: 7365636f6e64, given as hexadecimal digits\nhex: 2 values written\n"),
        "{ran:?}"
    );
    assert_eq!(
        folder.failure(&["extract", "a.psdb", "none", "--key", "none"], 2),
        "error: there is no key `none`, taken as text or as text with a terminating NUL\n"
    );
    assert!(!folder.path("none").exists());
    let message = folder.failure(&["extract", "a.psdb", "no/such"], 2);
    assert!(message.starts_with("error: no"), "{message}");
}

#[test]
fn damaged_values_are_not_extracted() {
    let folder = Folder::new();
    make(&folder.path("a.psdb"));
    damage(&folder.path("a.psdb"), CODE);
    let ran = folder.run(&["extract", "a.psdb", "out", "--format", "json"]);
    assert_eq!(ran.code, 1);
    insta::assert_snapshot!(ran.stdout);
    assert!(!folder.path("out/736861726564.object-code").exists());
    assert!(folder.path("out/736861726564.metadata").exists());
}

/// What is extracted is then not known to be all that the file was to have.
#[test]
fn extracting_from_damaged_groups_is_no_success() {
    for (sql, problem, is_read) in [
        (
            "DELETE FROM vals WHERE keyid = (SELECT keyid FROM keys WHERE key = CAST('own' AS BLOB)); \
             DELETE FROM value_digests WHERE id >> 2 = (SELECT keyid FROM keys WHERE key = CAST('own' AS BLOB))",
            "its value key 6f776e has no value",
            true,
        ),
        (
            "UPDATE groupkeys SET version = 7 WHERE keyid = 1",
            "a.psdb: damaged: a group does not match its digest",
            false,
        ),
    ] {
        let folder = Folder::new();
        make(&folder.path("a.psdb"));
        change(&folder.path("a.psdb"), sql);
        let ran = folder.run(&["extract", "a.psdb", "out"]);
        assert_eq!(ran.code, 1, "{}", ran.stdout);
        let line = format!("damaged: group 6669727374: {problem}\n");
        assert!(ran.stdout.contains(&line), "{}", ran.stdout);
        assert!(folder.path("out/736861726564.object-code").exists());
        let of_group = folder.run(&["extract", "a.psdb", "out2", "--key", "first"]);
        assert_eq!(of_group.code, if is_read { 1 } else { 2 });
    }
}

#[test]
fn files_with_the_same_code_do_not_differ() {
    let folder = Folder::new();
    make(&folder.path("a.psdb"));
    // Another version, other keys, other metadata, another order.
    let mut newer = target();
    newer.compiler_version += 1;
    make_psdb_for(
        &folder.path(NAME),
        newer,
        &[
            (b"v2 shared", ObjectCode, CODE),
            (b"v2 shared", Metadata, b"compiled by version 2"),
            (b"v2 own", ObjectCode, b"object code of one"),
        ],
        &[
            (b"first", 1, &[b"v2 shared", b"v2 own"]),
            (b"second", 2, &[b"v2 shared"]),
        ],
    );
    assert_eq!(
        folder.output(&["diff-psdb", "a.psdb", NAME]),
        format!(
            "a.psdb: 2 groups, compiler 32.0.22995.2005\n\
             {NAME}: 2 groups, compiler 32.0.22995.2006\n\
             2 the same, 0 not\n"
        )
    );
}

#[test]
fn differences_are_listed() {
    let folder = Folder::new();
    let values: &[(&[u8], ValueType, &[u8])] = &[
        (b"a", ObjectCode, b"code a"),
        (b"b", ObjectCode, b"code b"),
        (b"c", ObjectCode, b"code c"),
    ];
    make_psdb(
        &folder.path("a.psdb"),
        values,
        &[
            (b"1", 1, &[b"a", b"b"]),
            (b"2", 1, &[b"c"]),
            (b"3", 1, &[b"a"]),
            (b"4", 1, &[b"a"]),
        ],
    );
    let mut other = target();
    other.family = "ANOTHER".into();
    make_psdb_for(
        &folder.path("b.psdb"),
        other,
        values,
        &[
            (b"1", 1, &[b"a", b"c", b"b"]),
            (b"3", 2, &[b"a"]),
            (b"4", 1, &[b"a"]),
            (b"5", 1, &[]),
        ],
    );
    let ran = folder.run(&["diff-psdb", "a.psdb", "b.psdb"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.stderr,
        "warning: the files are for different adapter families, ABI versions or applications\n"
    );
    assert_eq!(
        ran.stdout,
        "group 31: object code differs: 2 and 3 values, 2 of them equal\n\
         group 32: only in a.psdb\n\
         group 33: version 1 and version 2\n\
         group 35: only in b.psdb\n\
         a.psdb: 4 groups, compiler 32.0.22995.2005\n\
         b.psdb: 4 groups, compiler 32.0.22995.2005\n\
         1 the same, 4 not\n"
    );
    let json = folder.run(&["diff-psdb", "a.psdb", "b.psdb", "--format", "json"]);
    assert_eq!(json.code, 1);
    insta::assert_snapshot!(json.stdout);
}

#[test]
fn a_damaged_file_cannot_be_compared() {
    let folder = Folder::new();
    make(&folder.path("a.psdb"));
    fs::copy(folder.path("a.psdb"), folder.path("b.psdb")).unwrap();
    damage(&folder.path("b.psdb"), CODE);
    assert_eq!(
        folder.failure(&["diff-psdb", "a.psdb", "b.psdb"], 2),
        "error: b.psdb: damaged: a value does not match its digest\n"
    );
}

/// Shards of one run, each with what its objects need, and the file of the run without shards.
fn shards(folder: &Folder, count: usize) -> (Vec<PathBuf>, PathBuf) {
    const OBJECTS: usize = 60;
    let value = |of: usize| vec![u8::try_from(of).unwrap(); 1 + of * 400];
    let store = |path: &Path, objects: &[usize]| {
        let options = Options {
            application: Some(crate::application()),
            target: Some(target()),
            ..Options::default()
        };
        let psdb = Psdb::open(&[(ValueTypes::ALL, path)], &options).unwrap();
        for object in objects {
            // Neighbours share values; some keys have none.
            let keys = [*object, (object * 7) % 20 + 100, object / 4];
            let names = keys.map(|key| format!("value {key}"));
            for (name, key) in names.iter().zip(keys) {
                let values = [
                    (ObjectCode, value(key)),
                    (Metadata, name.clone().into_bytes()),
                ];
                let values: Vec<_> = values.iter().map(|(kind, v)| (*kind, &v[..])).collect();
                let wanted = &values[..key % 3];
                if !wanted.is_empty() {
                    match psdb.store_value(name.as_bytes(), wanted) {
                        Ok(()) | Err(shader_db::Error::AlreadyExists) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            }
            let names = names.each_ref().map(String::as_bytes);
            let group = format!("group {object}");
            psdb.store_group(group.as_bytes(), 3, &names).unwrap();
        }
        psdb.close().unwrap();
    };
    let whole = folder.path("whole.psdb");
    store(&whole, &(0..OBJECTS).rev().collect::<Vec<_>>());
    let paths: Vec<PathBuf> = (0..count)
        .map(|shard| {
            let path = folder.path(&format!("часть {shard}.psdb"));
            // A quarter of the objects is in two shards.
            let objects: Vec<usize> = (0..OBJECTS)
                .filter(|object| {
                    object % count == shard || object % 4 == 0 && (object + 1) % count == shard
                })
                .collect();
            store(&path, &objects);
            path
        })
        .collect();
    (paths, whole)
}

#[test]
fn shards_merge_to_the_bytes_of_the_whole() {
    let folder = Folder::new();
    let (mut paths, whole) = shards(&folder, 5);
    let whole = fs::read(whole).unwrap();
    let out = folder.path("out.psdb");
    for _ in 0..paths.len() {
        paths.rotate_left(1);
        paths.swap(0, 3);
        let mut bytes = 0;
        let done = merge_psdb::merge(&out, &paths, &mut |read| bytes += read).unwrap();
        assert!(done.is_ok(), "{done:?}");
        assert!(bytes > 0);
        assert!(
            fs::read(&out).unwrap() == whole,
            "other bytes for {paths:?}"
        );
        fs::remove_file(&out).unwrap();
    }
    // In steps.
    let (some, others) = paths.split_at(2);
    let half = folder.path("half.psdb");
    let merge = |to: &Path, from: &[PathBuf]| {
        let done = merge_psdb::merge(to, from, &mut |_| {}).unwrap();
        assert!(done.is_ok(), "{done:?}");
    };
    merge(&half, some);
    let rest: Vec<PathBuf> = others.iter().cloned().chain([half.clone(), half]).collect();
    merge(&out, &rest);
    assert!(fs::read(&out).unwrap() == whole);
}

#[test]
fn a_merge_says_what_it_did() {
    let folder = Folder::new();
    make_psdb(
        &folder.path(NAME),
        &[(b"a", ObjectCode, b"12345"), (b"b", ObjectCode, b"1")],
        &[(b"1", 1, &[b"a", b"b"])],
    );
    make_psdb(
        &folder.path("b.psdb"),
        &[(b"a", ObjectCode, b"12345"), (b"a", DebugPdb, b"pdb")],
        &[(b"2", 1, &[b"a"])],
    );
    assert_eq!(
        folder.output(&["merge-psdb", NAME, "b.psdb", "--output", "выход.psdb"]),
        "выход.psdb: 3 values, 9 bytes, 2 groups from 2 files; 1 values were there already\n"
    );
    insta::assert_snapshot!(
        folder.output(&["merge-psdb", NAME, "b.psdb", "--output", "c.psdb", "--format", "json"]),
        @r#"
    {
      "output": "c.psdb",
      "inputs": 2,
      "values": 3,
      "repeated_values": 1,
      "bytes": 9,
      "groups": 2,
      "warnings": []
    }
    "#
    );
    folder.output(&["verify", "c.psdb"]);
    assert_eq!(folder.files(), ["b.psdb", "c.psdb", "выход.psdb", NAME]);
}

#[test]
fn a_merge_refuses_contradictions() {
    let folder = Folder::new();
    let code: &[(&[u8], ValueType, &[u8])] =
        &[(b"a", ObjectCode, b"code"), (b"b", ObjectCode, b"more")];
    let keys: &[&[u8]] = &[b"a", b"b"];
    make_psdb(&folder.path("a.psdb"), code, &[(b"key", 1, keys)]);
    make_psdb(
        &folder.path("value.psdb"),
        &[(b"a", ObjectCode, b"other")],
        &[],
    );
    make_psdb(&folder.path("version.psdb"), code, &[(b"key", 2, keys)]);
    make_psdb(&folder.path("keys.psdb"), code, &[(b"key", 1, &[b"a"])]);
    let mut newer = target();
    newer.compiler_version += 1 << 32;
    make_psdb_for(&folder.path("newer.psdb"), newer, &[], &[]);
    for (other, what) in [
        ("value.psdb", "the ObjectCode values of key 61 differ"),
        (
            "version.psdb",
            "the versions or value keys of group 6b6579 differ",
        ),
        (
            "keys.psdb",
            "the versions or value keys of group 6b6579 differ",
        ),
        (
            "newer.psdb",
            "cannot be merged: the compiler version differs",
        ),
    ] {
        for [first, second] in [["a.psdb", other], [other, "a.psdb"]] {
            let args = ["merge-psdb", first, second, "--output", "out.psdb"];
            let message = folder.failure(&args, 2);
            for part in [what, "a.psdb", other] {
                assert!(message.contains(part), "{message}");
            }
        }
    }
    assert_eq!(
        folder.files(),
        [
            "a.psdb",
            "keys.psdb",
            "newer.psdb",
            "value.psdb",
            "version.psdb"
        ]
    );
}

#[test]
fn a_merge_tells_all_contradictions() {
    const KEYS: usize = 30;
    let folder = Folder::new();
    for (file, name) in ["a.psdb", "b.psdb", "c.psdb"].into_iter().enumerate() {
        let values: Vec<(Vec<u8>, Vec<u8>)> = (0..KEYS)
            .map(|number| {
                // All of b's are others, and of c's every third.
                let is_other = file == 1 || file == 2 && number % 3 == 0;
                (
                    format!("{number:02}").into(),
                    format!("{number} {is_other}").into(),
                )
            })
            .collect();
        let values: Vec<crate::Value> = values
            .iter()
            .map(|(key, value)| (&**key, ObjectCode, &**value))
            .collect();
        let version = if file == 2 { 2 } else { 1 };
        make_psdb(
            &folder.path(name),
            &values,
            &[(b"group", version, &[b"00"])],
        );
    }
    let args = [
        "merge-psdb",
        "a.psdb",
        "b.psdb",
        "c.psdb",
        "--output",
        "d.psdb",
    ];
    let message = folder.failure(&args, 2);
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines.len(), 21, "{message}");
    assert_eq!(
        lines[..2],
        [
            "error: the ObjectCode values of key 3030 differ in a.psdb and b.psdb and c.psdb",
            "error: the ObjectCode values of key 3031 differ in a.psdb and b.psdb"
        ]
    );
    assert_eq!(
        lines[20],
        "error: 31 conflicts, and no output: the plugin does not make the same of the same, or the files are of \
         different versions of it"
    );
    let json = folder.run(&[&args[..], &["--format", "json"]].concat());
    assert_eq!((json.code, json.stderr), (2, message));
    let report: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(report["conflicts"], KEYS + 1);
    let first = report["first_conflicts"].as_array().unwrap();
    assert_eq!(first.len(), 20);
    assert_eq!(
        first[3],
        serde_json::json!({
            "value_key": "3033",
            "type": "object-code",
            "files": ["a.psdb", "b.psdb", "c.psdb"]
        })
    );
    let args = [
        "merge-psdb",
        "a.psdb",
        "c.psdb",
        "--output",
        "d.psdb",
        "--format",
        "json",
    ];
    let report: serde_json::Value = serde_json::from_str(&folder.run(&args).stdout).unwrap();
    assert_eq!(
        report["first_conflicts"][10],
        serde_json::json!({ "group": "67726f7570", "files": ["a.psdb", "c.psdb"] })
    );
    assert_eq!(folder.files(), ["a.psdb", "b.psdb", "c.psdb"]);
}

#[test]
fn groups_whose_lists_differ_in_order_are_one() {
    let folder = Folder::new();
    let code: &[(&[u8], ValueType, &[u8])] =
        &[(b"a", ObjectCode, b"code"), (b"b", ObjectCode, b"more")];
    make_psdb(&folder.path("a.psdb"), code, &[(b"key", 1, &[b"a", b"b"])]);
    make_psdb(&folder.path("b.psdb"), code, &[(b"key", 1, &[b"b", b"a"])]);
    folder.output(&["merge-psdb", "a.psdb", "b.psdb", "--output", "ab.psdb"]);
    folder.output(&["merge-psdb", "b.psdb", "a.psdb", "--output", "ba.psdb"]);
    let read = |name| fs::read(folder.path(name)).unwrap();
    assert!(read("ab.psdb") == read("ba.psdb"));
    assert!(read("ab.psdb") == read("a.psdb"));
}

#[test]
fn a_merge_overwrites_nothing_and_takes_no_damage() {
    let folder = Folder::new();
    make(&folder.path("a.psdb"));
    fs::write(folder.path("out.psdb"), "mine").unwrap();
    assert_eq!(
        folder.failure(&["merge-psdb", "a.psdb", "--output", "out.psdb"], 2),
        "error: out.psdb: exists already; a merge makes a new file\n"
    );
    assert_eq!(fs::read(folder.path("out.psdb")).unwrap(), b"mine");
    damage(&folder.path("a.psdb"), CODE);
    assert_eq!(
        folder.failure(&["merge-psdb", "a.psdb", "--output", "new.psdb"], 2),
        "error: a.psdb: damaged: a value does not match its digest\n"
    );
    assert_eq!(folder.files(), ["a.psdb", "out.psdb"]);
    // The damage is known for what it is also beside a sound copy.
    make(&folder.path("b.psdb"));
    for [first, second] in [["a.psdb", "b.psdb"], ["b.psdb", "a.psdb"]] {
        let args = ["merge-psdb", first, second, "--output", "new.psdb"];
        let message = folder.failure(&args, 2);
        assert_eq!(
            message,
            "error: a.psdb: damaged: a value does not match its digest\n"
        );
    }
}
