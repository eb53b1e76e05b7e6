//! Files that are not ours, not whole, or not what was written.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use shader_db::psdb::{
    self, APPLICATION_ID, Access, File, Lost, Options, PAGE_SIZE, Psdb, TABLES, USER_VERSION,
    ValueType, ValueTypes, rewrite,
};
use shader_db::{Error, Result};

use common::{application, create, numbered, options, read, target, value};

fn fill(path: &Path, numbers: std::ops::Range<u64>) {
    let psdb = create(path);
    for number in numbers {
        let (key, code) = numbered(number);
        psdb.store_value(
            &key,
            &[(ValueType::ObjectCode, &code), (ValueType::Metadata, &key)],
        )
        .unwrap();
        psdb.store_group(&number.to_le_bytes(), 1, &[&key, b"shared", b"absent"])
            .unwrap();
    }
    psdb.close().unwrap();
}

fn bytes(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.is_file())
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect()
}

/// Opens a file in every way; all must fail alike and change nothing.
fn refused(path: &Path, expected: impl Fn(&Error) -> bool) {
    let before = bytes(path.parent().unwrap());
    // What has no byte is made a PSDB by who may create one.
    let is_without_bytes = fs::metadata(path).unwrap().len() == 0;
    let ways = [Access::Read, Access::Write, Access::Create];
    let mut results: Vec<Result<()>> = ways
        .into_iter()
        .filter(|access| *access != Access::Create || !is_without_bytes)
        .map(|access| {
            Psdb::open(
                &[(ValueTypes::ALL, path)],
                &Options {
                    access,
                    ..options()
                },
            )
            .map(drop)
        })
        .collect();
    results.push(File::open(path).map(drop));
    results.push(rewrite(path));
    for result in results {
        let error = result.unwrap_err();
        assert!(expected(&error), "{}: {error:?}", path.display());
        assert!(
            error
                .to_string()
                .contains(&*path.file_name().unwrap().to_string_lossy()),
            "{error}"
        );
    }
    assert!(
        bytes(path.parent().unwrap()) == before,
        "{}: changed",
        path.display()
    );
}

fn is_bad_format(error: &Error) -> bool {
    matches!(error, Error::BadFormat { .. })
}

#[test]
fn other_files_are_refused_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    refused(&file("empty", b""), is_bad_format);
    refused(&file("text", b"SQLite is what this is not"), is_bad_format);
    refused(
        &file("long text", &b"not a database\n".repeat(5000)),
        is_bad_format,
    );
    let is_either =
        |error: &Error| matches!(error, Error::Corrupt { .. } | Error::BadFormat { .. });
    refused(&file("magic", b"SQLite format 3\0"), is_either);
    let directory = folder.path().join("directory");
    fs::create_dir(&directory).unwrap();
    refused(&directory, |error| {
        matches!(error, Error::InvalidArgument(_))
    });

    let ours = folder.path().join("ours");
    fill(&ours, 0..20);
    let whole = fs::read(&ours).unwrap();
    refused(&file("short", &whole[..60]), is_either);
    refused(&file("half", &whole[..whole.len() / 2]), |error| {
        matches!(error, Error::Corrupt { .. })
    });
    refused(&file("header", &whole[..100]), is_either);

    let changed = |name: &str, sql: &str| {
        let path = file(name, &whole);
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(&format!("PRAGMA foreign_keys=OFF; {sql}"))
            .unwrap();
        path
    };
    for (position, table) in TABLES.iter().enumerate() {
        let name = table.split([' ', '(']).nth(2).unwrap();
        refused(
            &changed(&format!("without {name}"), &format!("DROP TABLE {name}")),
            is_bad_format,
        );
        let view = format!("ALTER TABLE {name} RENAME TO t; CREATE VIEW {name} AS SELECT * FROM t");
        refused(&changed(&format!("view {name}"), &view), is_bad_format);
        let column = format!("ALTER TABLE {name} ADD COLUMN more{position}");
        refused(&changed(&format!("column {name}"), &column), is_bad_format);
    }
    refused(&changed("newer", "PRAGMA user_version=2"), is_bad_format);
    let trigger = "CREATE TRIGGER t AFTER INSERT ON vals BEGIN DELETE FROM vals; END";
    refused(&changed("trigger", trigger), is_bad_format);
    refused(
        &changed("other id", "PRAGMA application_id=222122203"),
        is_bad_format,
    );
    refused(&changed("no metadata", "DELETE FROM app_id"), |error| {
        matches!(error, Error::Corrupt { .. })
    });
    let other_family = changed("other metadata", "UPDATE compiler_id SET family = 'other'");
    refused(&other_family, |error| {
        matches!(error, Error::Corrupt { .. })
    });
    // What others may add.
    drop(read(&changed(
        "more",
        "CREATE TABLE more(a); CREATE INDEX more_index ON keys(last_accessed)",
    )));

    // Another database with a log that was left.
    let path = folder.path().join("source");
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1);")
        .unwrap();
    let log = fs::read(folder.path().join("source-wal")).unwrap();
    let main = fs::read(&path).unwrap();
    drop(connection);
    assert!(!log.is_empty());
    file("logged-wal", &log);
    refused(&file("logged", &main), is_bad_format);
}

#[test]
fn what_cannot_be_written_is_refused_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    fill(&path, 0..5);
    let set = |path: &Path, read_only: bool| {
        let mut permissions = fs::metadata(path).unwrap().permissions();
        permissions.set_readonly(read_only);
        fs::set_permissions(path, permissions).unwrap();
    };
    set(&path, true);
    if fs::OpenOptions::new().write(true).open(&path).is_ok() {
        eprintln!("skipped: the administrator may write every file");
    } else {
        let before = bytes(folder.path());
        for access in [Access::Write, Access::Create] {
            let result = Psdb::open(
                &[(ValueTypes::ALL, &path)],
                &Options {
                    access,
                    ..options()
                },
            );
            assert!(
                matches!(result, Err(Error::AccessDenied { .. })),
                "{result:?}"
            );
        }
        assert!(bytes(folder.path()) == before);
    }
    assert_eq!(
        read(&path).find_group(&0_u64.to_le_bytes()).unwrap(),
        Some(1)
    );
    set(&path, false);

    set(folder.path(), true);
    if fs::write(folder.path().join("probe"), b"").is_ok() {
        eprintln!("skipped: files can be created in every directory here");
    } else {
        let new = folder.path().join("new.psdb");
        let result = Psdb::open(&[(ValueTypes::ALL, &new)], &options());
        assert!(
            matches!(result, Err(Error::AccessDenied { .. })),
            "{result:?}"
        );
        let psdb = create(&path);
        let result = psdb.store_group(b"g", 1, &[]);
        assert!(
            matches!(result, Err(Error::AccessDenied { .. })),
            "{result:?}"
        );
        psdb.close().unwrap();
    }
    set(folder.path(), false);
    assert_eq!(
        read(&path).find_group(&0_u64.to_le_bytes()).unwrap(),
        Some(1)
    );
}

/// What a store that cannot be written does to the session.
#[test]
fn a_failed_batch_is_reported_and_not_seen() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["code", "debug"].map(|name| folder.path().join(name));
    let files = [
        (ValueTypes::from(ValueType::ObjectCode), &paths[0]),
        (
            ValueTypes::from(ValueType::DebugPdb) | ValueType::Metadata.into(),
            &paths[1],
        ),
    ];
    Psdb::open(&files, &options()).unwrap().close().unwrap();
    let psdb = Psdb::open(&files, &options()).unwrap();
    psdb.store_value(
        b"before",
        &[
            (ValueType::ObjectCode, b"code"),
            (ValueType::DebugPdb, b"debug"),
        ],
    )
    .unwrap();
    psdb.store_group(b"before", 1, &[b"before"]).unwrap();
    let main = Connection::open(&paths[0]).unwrap();
    main.execute_batch(
        "CREATE TRIGGER t BEFORE INSERT ON groupkeys BEGIN SELECT RAISE(ABORT, 'no more'); END",
    )
    .unwrap();
    let mut batch = psdb.batch();
    let both = [
        (ValueType::ObjectCode, &b"code"[..]),
        (ValueType::DebugPdb, b"debug"),
    ];
    batch.add_values(b"after", &both).unwrap();
    batch.add_group(b"after", 1, &[b"after"]).unwrap();
    let added = psdb.transaction(|transaction| transaction.add(&batch).map(drop));
    let error = added.unwrap_err();
    assert!(error.to_string().contains("no more"), "{error}");
    assert_eq!(psdb.find_group(b"before").unwrap(), Some(1));
    assert_eq!(
        value(&psdb, b"before", ValueType::DebugPdb)
            .unwrap()
            .as_deref(),
        Some(&b"debug"[..])
    );
    assert_eq!(psdb.find_group(b"after").unwrap(), None);
    for kind in ValueType::ALL {
        assert_eq!(value(&psdb, b"after", kind).unwrap(), None, "{kind:?}");
    }
    main.execute_batch("DROP TRIGGER t").unwrap();
    drop(main);
    // A failure is that of one transaction.
    psdb.store_group(b"next", 1, &[]).unwrap();
    psdb.close().unwrap();
    let psdb = Psdb::open(&files, &options()).unwrap();
    assert_eq!(psdb.group_value_keys(b"after", 1), Ok(None));
    for kind in [ValueType::ObjectCode, ValueType::DebugPdb] {
        psdb.store_value(b"after", &[(kind, b"again")]).unwrap();
    }
    psdb.close().unwrap();
}

/// What is read is what was stored, or an error, or nothing; how many of each.
fn look(path: &Path, count: u64) -> [u64; 3] {
    let mut seen = [0; 3];
    let options = Options {
        access: Access::Read,
        ..Options::default()
    };
    let Ok(psdb) = Psdb::open(&[(ValueTypes::ALL, path)], &options) else {
        return [0, 1, 0];
    };
    for number in 0..count {
        let (key, code) = numbered(number);
        for (kind, expected) in [(ValueType::ObjectCode, &code), (ValueType::Metadata, &key)] {
            let result = value(&psdb, &key, kind);
            seen[usize::from(result.is_err()) + 2 * usize::from(result == Ok(None))] += 1;
            if let Ok(Some(found)) = result {
                assert!(found == *expected, "wrong bytes for {number}");
            }
        }
        for kind in [ValueType::DebugPdb, ValueType::PerformanceData] {
            assert!(
                !matches!(value(&psdb, &key, kind), Ok(Some(_))),
                "a value that nobody stored"
            );
        }
        let group = number.to_le_bytes();
        let result = psdb.group_value_keys(&group, 1);
        seen[usize::from(result.is_err()) + 2 * usize::from(result == Ok(None))] += 1;
        if let Ok(Some(found)) = result {
            assert_eq!(found, [&key[..], b"shared", b"absent"]);
        }
        assert!(matches!(
            psdb.find_group(&group),
            Ok(Some(1) | None) | Err(_)
        ));
    }
    seen
}

#[test]
fn flipped_bits_are_never_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let count = 40;
    fill(&path, 0..count);
    let whole = fs::read(&path).unwrap();
    assert_eq!(look(&path, count), [3 * count, 0, 0]);
    let mut state = 7_u64;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    // Pages are mostly empty in so small a file, so the bits are chosen among the bytes in use.
    let used: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] != 0).collect();
    let mut noticed = 0;
    let mut seen = [0; 3];
    for _ in 0..200 {
        let mut bytes = whole.clone();
        bytes[used[next(used.len())]] ^= 1 << next(8);
        fs::write(&path, &bytes).unwrap();
        let looked = look(&path, count);
        noticed += u64::from(looked[1] + looked[2] > 0);
        for (seen, looked) in seen.iter_mut().zip(looked) {
            *seen += looked;
        }
    }
    let [right, errors, absent] = seen;
    println!(
        "200 flipped bits: {noticed} were noticed; of {} reads {right} gave what was stored, {errors} an \
         error, {absent} nothing, none anything else",
        seen.iter().sum::<u64>()
    );
    assert!(noticed > 150, "{noticed} of 200 were noticed");
    // All at once, in several files.
    for _ in 0..20 {
        let mut bytes = whole.clone();
        for _ in 0..200 {
            bytes[used[next(used.len())]] ^= 1 << next(8);
        }
        fs::write(&path, &bytes).unwrap();
        assert!(look(&path, count)[1] > 0);
    }
    // A flipped bit does not get into the canonical form with a new digest.
    let mut bytes = whole;
    let (_, code) = numbered(3);
    let at = bytes
        .windows(code.len())
        .position(|window| window == code)
        .unwrap();
    bytes[at] ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert!(matches!(rewrite(&path), Err(Error::Corrupt { .. })));
    assert!(fs::read(&path).unwrap() == bytes);
}

#[test]
fn missing_digests_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    fill(&path, 0..3);
    let whole = fs::read(&path).unwrap();
    for (sql, some) in [
        ("DELETE FROM value_digests WHERE id = 0", false),
        ("DELETE FROM value_digests", false),
        ("UPDATE value_digests SET digest = x'00'", false),
        ("UPDATE group_digests SET digest = 'text'", true),
    ] {
        fs::write(&path, &whole).unwrap();
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        if some {
            let psdb = read(&path);
            let result = psdb.group_value_keys(&0_u64.to_le_bytes(), 1);
            assert!(
                matches!(result, Err(Error::Corrupt { .. })),
                "{sql}: {result:?}"
            );
        } else {
            refused(&path, |error| matches!(error, Error::Corrupt { .. }));
        }
    }
}

/// As where another program has appended rows by their columns.
#[test]
fn rows_without_digests_are_used_reported_and_get_them() {
    let folder = tempfile::tempdir().unwrap();
    let [path, merged] = ["a.psdb", "b.psdb"].map(|name| folder.path().join(name));
    fill(&path, 0..3);
    let whole = fs::read(&path).unwrap();
    let values = File::open(&path).unwrap().counts().unwrap().values;
    for (sql, unverified) in [
        (
            "DELETE FROM value_digests WHERE id > 0",
            [values.iter().sum(), 0],
        ),
        ("DELETE FROM group_digests WHERE groupkeyid = 2", [0, 1]),
        (
            "DELETE FROM value_digests WHERE id = (SELECT max(id) FROM value_digests); DELETE FROM group_digests",
            [1, 3],
        ),
    ] {
        fs::write(&path, &whole).unwrap();
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let file = File::open(&path).unwrap();
        assert_eq!(file.unverified(), Ok(unverified), "{sql}");
        assert_eq!((file.is_loose(), file.lost()), (Ok(false), Ok(vec![])));
        drop(file);
        assert_eq!(look(&path, 3), [9, 0, 0], "{sql}");
        psdb::merge(&[&path], &merged, &mut |_| {}).unwrap();
        rewrite(&path).unwrap();
        for path in [&path, &merged] {
            assert!(fs::read(path).unwrap() == whole, "{sql}");
        }
        fs::remove_file(&merged).unwrap();
    }
}

#[test]
fn rows_that_miss_others_are_found_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    fill(&path, 0..3);
    let whole = fs::read(&path).unwrap();
    assert_eq!(File::open(&path).unwrap().is_loose(), Ok(false));
    // And how many values with their keys are lost.
    for (sql, affected) in [
        ("DELETE FROM keys WHERE keyid = 2", 0),
        (
            "DELETE FROM vals WHERE keyid = (SELECT max(keyid) FROM vals)",
            2,
        ),
        ("DELETE FROM groupkeys WHERE keyid = 2", 0),
        ("DELETE FROM groupkeys; DELETE FROM group_digests", 0),
    ] {
        fs::write(&path, &whole).unwrap();
        let connection = Connection::open(&path).unwrap();
        let sql = format!("PRAGMA foreign_keys=OFF; {sql}");
        connection.execute_batch(&sql).unwrap();
        drop(connection);
        let file = File::open(&path).unwrap();
        assert_eq!(file.is_loose(), Ok(true), "{sql}");
        let lost = file.lost().unwrap().into_iter();
        let lost = lost.filter(|lost| matches!(lost, Lost::Value { key: Some(_), .. }));
        assert_eq!(lost.count(), affected, "{sql}");
        drop(file);
        psdb::remove_loose(&path).unwrap();
        let file = File::open(&path).unwrap();
        assert_eq!(file.is_loose(), Ok(false), "{sql}");
        file.check_whole().unwrap();
        drop(file);
        rewrite(&path).unwrap();
    }
}

#[test]
fn rows_that_an_index_has_lost_are_not_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    fill(&path, 0..3);
    let whole = fs::read(&path).unwrap();
    for table in ["keys", "vals", "groupkeys", "groups"] {
        fs::write(&path, &whole).unwrap();
        let find = "SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1";
        let connection = Connection::open(&path).unwrap();
        let page: usize = connection
            .query_row(find, [table], |row| row.get(0))
            .unwrap();
        drop(connection);
        // The number of cells of a leaf: none is left.
        let at = (page - 1) * usize::try_from(PAGE_SIZE).unwrap();
        let mut bytes = whole.clone();
        assert_eq!((bytes[at], bytes[at + 3]), (10, 0), "a leaf of few cells");
        bytes[at + 4] = 0;
        fs::write(&path, &bytes).unwrap();
        let merged = psdb::merge(
            std::slice::from_ref(&path),
            &folder.path().join("merged"),
            &mut |_| {},
        );
        for result in [rewrite(&path), merged.map(drop)] {
            assert!(
                matches!(result, Err(Error::Corrupt { .. })),
                "{table}: {result:?}"
            );
        }
        assert!(fs::read(&path).unwrap() == bytes, "{table}");
    }
}

#[test]
fn a_number_beyond_those_of_digests_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    for last in [1_i64 << 61, 1 << 62, i64::MAX - 1] {
        let path = folder.path().join(last.to_string());
        fill(&path, 0..3);
        let connection = Connection::open(&path).unwrap();
        let insert = "INSERT INTO keys(keyid, key) VALUES(?1, x'00')";
        connection.execute(insert, [last]).unwrap();
        drop(connection);
        let psdb = create(&path);
        let stored = psdb.store_value(b"key", &[(ValueType::ObjectCode, b"code")]);
        assert!(matches!(stored, Err(Error::Corrupt { .. })), "{stored:?}");
        psdb.close().unwrap();
        // What it had is still there.
        let (key, code) = numbered(2);
        let found = value(&read(&path), &key, ValueType::ObjectCode);
        assert_eq!(found, Ok(Some(code)));
    }
}

/// Merges as a third party does that knows the six tables: schema and metadata of the first file, rows by content.
fn merge(sources: &[PathBuf], to: &Path) {
    let connection = Connection::open(to).unwrap();
    for (position, source) in sources.iter().enumerate() {
        connection
            .execute("ATTACH ?1 AS source", [source.to_str().unwrap()])
            .unwrap();
        if position == 0 {
            let sql = "SELECT sql FROM source.sqlite_schema WHERE sql NOT NULL AND type IN ('table', 'index')";
            let mut tables = connection.prepare(sql).unwrap();
            let tables: Vec<String> = tables
                .query_map([], |row| row.get(0))
                .unwrap()
                .map(rusqlite::Result::unwrap)
                .collect();
            for table in tables {
                connection.execute_batch(&table).unwrap();
            }
            connection
                .execute_batch(&format!(
                    "PRAGMA main.application_id={APPLICATION_ID}; PRAGMA main.user_version={USER_VERSION}; \
                     INSERT INTO compiler_id(id, abi, version, family) \
                     SELECT id, abi, version, family FROM source.compiler_id; \
                     INSERT INTO app_id(id, exe_path, app_name, engine_name, app_version, engine_version, \
                     app_profile_version) SELECT id, exe_path, app_name, engine_name, app_version, engine_version, \
                     app_profile_version FROM source.app_id;"
                ))
                .unwrap();
        }
        connection
            .execute_batch(
                "INSERT OR IGNORE INTO main.keys(key, last_accessed) SELECT key, last_accessed FROM source.keys; \
                 INSERT OR IGNORE INTO main.vals(keyid, type, value) SELECT m.keyid, v.type, v.value \
                 FROM source.vals v JOIN source.keys s USING (keyid) JOIN main.keys m ON m.key = s.key; \
                 INSERT OR IGNORE INTO main.groupkeys(key, version) SELECT key, version FROM source.groupkeys; \
                 INSERT OR IGNORE INTO main.groups(groupkeyid, valuekeyid) SELECT mg.keyid, mk.keyid \
                 FROM source.groups g JOIN source.groupkeys sg ON sg.keyid = g.groupkeyid \
                 JOIN main.groupkeys mg ON mg.key = sg.key JOIN source.keys sk ON sk.keyid = g.valuekeyid \
                 JOIN main.keys mk ON mk.key = sk.key; DETACH source;",
            )
            .unwrap();
    }
}

#[test]
fn merged_files_are_read_added_to_and_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    let sources = ["a.psdb", "b.psdb"].map(|name| folder.path().join(name));
    fill(&sources[0], 0..30);
    fill(&sources[1], 20..50);
    let path = folder.path().join("merged.psdb");
    merge(&sources, &path);
    assert!(!File::open(&path).unwrap().is_verified());
    let check = |count| {
        let psdb = read(&path);
        assert_eq!(
            (psdb.target(), psdb.application()),
            (&target(), &application())
        );
        for number in 0..count {
            let (key, code) = numbered(number);
            assert_eq!(
                value(&psdb, &key, ValueType::ObjectCode).unwrap(),
                Some(code)
            );
            let mut found = psdb
                .group_value_keys(&number.to_le_bytes(), 1)
                .unwrap()
                .unwrap();
            found.sort();
            let mut expected = [key, b"shared".to_vec(), b"absent".to_vec()];
            expected.sort();
            assert_eq!(found, expected);
        }
    };
    check(50);
    fill(&path, 50..60);
    assert!(!File::open(&path).unwrap().is_verified());
    check(60);
    rewrite(&path).unwrap();
    assert!(File::open(&path).unwrap().is_verified());
    check(60);
}

#[test]
fn files_of_another_maker_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "PRAGMA application_id=1; PRAGMA user_version=7; \
             CREATE TABLE keys(keyid INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB UNIQUE, last_accessed); \
             CREATE TABLE vals(keyid, type, value); CREATE TABLE groups(groupkeyid, valuekeyid); \
             CREATE TABLE groupkeys(keyid INTEGER PRIMARY KEY, key BLOB UNIQUE, version); \
             CREATE TABLE compiler_id(id, abi, version, family); \
             CREATE TABLE app_id(id, exe_path, app_name, engine_name, app_version, engine_version, \
             app_profile_version); \
             INSERT INTO keys VALUES(9, x'01', 0); INSERT INTO vals VALUES(9, 0, x'0203'); \
             INSERT INTO groupkeys VALUES(4, x'05', -1); INSERT INTO groups VALUES(4, 9); \
             INSERT INTO compiler_id VALUES(1, 2, 3, 'family'); INSERT INTO app_id VALUES(1, 'e', 'n', NULL, 1, 2, 3);",
        )
        .unwrap();
    drop(connection);
    let before = bytes(folder.path());
    let psdb = read(&path);
    assert_eq!(psdb.target().family, "family");
    assert_eq!(
        value(&psdb, &[1], ValueType::ObjectCode).unwrap(),
        Some(vec![2, 3])
    );
    assert_eq!(psdb.find_group(&[5]).unwrap(), Some(u32::MAX));
    assert_eq!(
        psdb.group_value_keys(&[5], u32::MAX).unwrap(),
        Some(vec![vec![1]])
    );
    drop(psdb);
    assert!(!File::open(&path).unwrap().is_verified());
    let result = Psdb::open(
        &[(ValueTypes::ALL, &path)],
        &Options {
            access: Access::Write,
            ..Options::default()
        },
    );
    assert!(matches!(result, Err(Error::BadFormat { .. })), "{result:?}");
    assert!(matches!(rewrite(&path), Err(Error::BadFormat { .. })));
    assert!(bytes(folder.path()) == before);
    Connection::open(&path)
        .unwrap()
        .execute_batch("ALTER TABLE app_id RENAME COLUMN exe_path TO exe")
        .unwrap();
    refused(&path, is_bad_format);
}

#[test]
fn a_wrong_number_of_pages_is_left_as_it_is_where_a_value_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    fill(&path, 0..3);
    let mut damaged = fs::read(&path).unwrap();
    let (_, code) = numbered(1);
    let mut parts = damaged.windows(code.len());
    let place = parts.position(|part| part == code).unwrap();
    damaged[place] ^= 1;
    // The number, and for what change of the file it holds.
    damaged[28..32].copy_from_slice(&270_u32.to_be_bytes());
    damaged[95] ^= 1;
    fs::write(&path, &damaged).unwrap();
    assert!(matches!(rewrite(&path), Err(Error::Corrupt { .. })));
    assert!(bytes(folder.path()) == BTreeMap::from([(path, damaged)]));
}
