//! Several threads in one session, several sessions on one file, in one process and in two.

mod common;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use shader_db::Error;
use shader_db::psdb::{File, Psdb, ValueType, ValueTypes};

use common::{beside, create, numbered, options, read, sha256, value};

/// Stores an object, and returns whether this call stored its group.
fn store(psdb: &Psdb, number: u64) -> bool {
    let (key, code) = numbered(number);
    match psdb.store_value(&key, &[(ValueType::ObjectCode, &code)]) {
        Ok(()) | Err(Error::AlreadyExists) => {}
        Err(error) => panic!("{error}"),
    }
    match psdb.store_group(&number.to_le_bytes(), 1, &[&key]) {
        Ok(()) => true,
        Err(Error::AlreadyExists) => false,
        Err(error) => panic!("{error}"),
    }
}

fn check(psdb: &Psdb, number: u64) {
    let (key, code) = numbered(number);
    assert_eq!(
        value(psdb, &key, ValueType::ObjectCode).unwrap(),
        Some(code),
        "{number}"
    );
    assert_eq!(
        psdb.group_value_keys(&number.to_le_bytes(), 1).unwrap(),
        Some(vec![key]),
        "{number}"
    );
}

fn check_file(path: &Path, count: u64) {
    assert_eq!(beside(path), [""; 0]);
    let file = File::open(path).unwrap();
    assert!(file.is_verified() && file.is_finished());
    assert_eq!(file.check_structure().unwrap(), [""; 0]);
    let counts = file.counts().unwrap();
    assert_eq!(
        (counts.keys, counts.values, counts.groups),
        (count, [count, 0, 0, 0], count)
    );
    let psdb = read(path);
    (0..count).for_each(|number| check(&psdb, number));
}

#[test]
fn each_object_is_stored_once_and_found_at_once_by_all_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let psdb = create(&path);
    let new = AtomicU64::new(0);
    let count = 480;
    thread::scope(|scope| {
        for thread in 0..8_u64 {
            let (psdb, new) = (&psdb, &new);
            scope.spawn(move || {
                // Two threads each go through the same numbers, in the same direction.
                for step in 0..count {
                    let number = (step + thread / 2 * count / 4) % count;
                    if store(psdb, number) {
                        new.fetch_add(1, Ordering::Relaxed);
                    }
                    check(psdb, number);
                }
            });
        }
    });
    assert_eq!(new.into_inner(), count);
    psdb.close().unwrap();
    check_file(&path, count);
}

#[test]
fn the_bytes_are_those_of_the_content() {
    let count = 1200;
    let digests = [1, 2, 8].map(|threads| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.psdb");
        // Interrupted in the middle, but for the first.
        for half in 0..threads.min(2) {
            let psdb = create(&path);
            thread::scope(|scope| {
                for thread in 0..threads {
                    let psdb = &psdb;
                    scope.spawn(move || {
                        for step in 0..count {
                            // Another order for each; 7, 11, 19 and count have no common divisor.
                            let number =
                                step * [7, 11, 19][usize::try_from(thread).unwrap() % 3] % count;
                            let in_half = threads == 1 || number % 2 == half;
                            if in_half && number % threads == thread {
                                store(psdb, number);
                            }
                        }
                    });
                }
            });
            psdb.close().unwrap();
        }
        // Added to a finished file: the order in the file is that of arrival.
        if threads > 1 {
            shader_db::psdb::rewrite(&path).unwrap();
        }
        check_file(&path, count);
        sha256(&path)
    });
    assert_eq!(digests[0], digests[1]);
    assert_eq!(digests[0], digests[2]);
    // On every system. Another version of SQLite writes its number into the header: then this changes.
    assert_eq!(
        digests[0],
        "6be96d3b136edea7c030a098a8e91f672a6356a8c2ecff50b799f8892cd3d946"
    );
}

#[test]
fn two_sessions_share_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let count = 420;
    for round in 1..=2 {
        // The second round adds to a finished file.
        let until = count * round;
        let sessions = [create(&path), create(&path)];
        thread::scope(|scope| {
            for (part, session) in sessions.iter().enumerate() {
                scope.spawn(move || {
                    // They overlap in the middle third.
                    let part = u64::try_from(part).unwrap();
                    for number in until - count + part * count / 3..until - (1 - part) * count / 3 {
                        store(session, number);
                        check(session, number);
                    }
                });
            }
        });
        let [first, second] = sessions;
        (until - count..until - count / 3).for_each(|number| check(&second, number));
        first.close().unwrap();
        check(&second, 0);
        second.close().unwrap();
        check_file(&path, until);
    }
}

#[test]
fn a_session_that_only_finds_finishes_what_another_added() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let psdb = create(&path);
    store(&psdb, 0);
    psdb.close().unwrap();
    let finds = create(&path);
    check(&finds, 0);
    let stores = create(&path);
    store(&stores, 1);
    check(&finds, 1);
    // The other one is in the way.
    stores.close().unwrap();
    assert!(!File::open(&path).unwrap().is_finished());
    check(&finds, 1);
    finds.close().unwrap();
    check_file(&path, 2);
}

#[test]
fn a_rewrite_in_between_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let psdb = create(&path);
    store(&psdb, 0);
    psdb.close().unwrap();
    let psdb = create(&path);
    check(&psdb, 0);
    match shader_db::psdb::rewrite(&path) {
        // A file that is open is not replaced.
        Err(Error::Busy { .. }) if cfg!(windows) => {}
        rewritten => rewritten.unwrap(),
    }
    store(&psdb, 1);
    check(&psdb, 0);
    check(&psdb, 1);
    psdb.close().unwrap();
    check_file(&path, 2);
}

#[test]
fn a_session_is_for_all_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Psdb>();
}

/// Not a test of its own: what `two_processes_share_a_file` starts.
#[test]
fn child() {
    let Some(path) = std::env::var_os("PSDB_CHILD") else {
        return;
    };
    let first: u64 = std::env::var("PSDB_CHILD_FIRST").unwrap().parse().unwrap();
    let psdb = Psdb::open(&[(ValueTypes::ALL, path)], &options()).unwrap();
    let mut new = 0;
    for number in first..first + 200 {
        new += u32::from(store(&psdb, number));
        check(&psdb, number);
    }
    psdb.close().unwrap();
    // Around the test harness, which would keep it.
    let new = format!("\nnew {new}\n");
    std::io::stdout().write_all(new.as_bytes()).unwrap();
}

#[test]
fn two_processes_share_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    for new in [300, 0] {
        let children = [0, 100].map(|first| {
            let mut child = Command::new(std::env::current_exe().unwrap());
            child
                .args(["--exact", "child"])
                .env("PSDB_CHILD", &path)
                .env("PSDB_CHILD_FIRST", first.to_string());
            child.stdout(Stdio::piped()).spawn().unwrap()
        });
        let stored = children.map(|child| {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success());
            let said = String::from_utf8(output.stdout).unwrap();
            let new = said.lines().find_map(|line| line.strip_prefix("new "));
            new.unwrap().parse::<u32>().unwrap()
        });
        assert_eq!(stored.iter().sum::<u32>(), new, "each is stored once");
        check_file(&path, 300);
    }
}

#[test]
fn a_snapshot_has_what_was_committed_when_it_began() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let open = || Psdb::open(&[(ValueTypes::ALL, &path)], &options()).unwrap();
    let (reader, writer) = (open(), open());
    let store = |key: &[u8]| writer.store_value(key, &[(ValueType::ObjectCode, b"code")]);
    let has = |key: &[u8]| reader.value_size(key, ValueType::ObjectCode).unwrap() == Some(4);
    store(b"first").unwrap();
    reader.keep_snapshot(true);
    assert!(has(b"first"));
    store(b"second").unwrap();
    assert!(!has(b"second"), "it came after the snapshot");
    // The session's own transaction sees everything.
    let values = [(ValueType::ObjectCode, &b"code"[..])];
    assert_eq!(
        reader.store_value(b"second", &values),
        Err(Error::AlreadyExists)
    );
    reader.keep_snapshot(true);
    assert!(has(b"second"), "it came before the next snapshot");
    store(b"third").unwrap();
    reader.keep_snapshot(false);
    assert!(has(b"third"));
    store(b"fourth").unwrap();
    assert!(has(b"fourth"), "without a snapshot each find sees the file");
}

#[test]
fn another_session_finds_at_once_what_was_stored() {
    let folder = tempfile::tempdir().unwrap();
    let [code, debug] = ["code", "debug"].map(|name| folder.path().join(name));
    let files = [
        (ValueTypes::from(ValueType::ObjectCode), &code),
        (ValueType::DebugPdb.into(), &debug),
    ];
    let writer = Psdb::open(&files, &options()).unwrap();
    let reader = Psdb::open(&files, &options()).unwrap();
    let kinds = [ValueType::ObjectCode, ValueType::DebugPdb];
    let look = |key: &[u8], kinds: &[ValueType], expected: Option<&[u8]>| {
        for kind in kinds {
            let size = expected.map(|value| u32::try_from(value.len()).unwrap());
            assert_eq!(reader.value_size(key, *kind), Ok(size), "{kind:?}");
            let found = value(&reader, key, *kind).unwrap();
            assert_eq!(found.as_deref(), expected, "{kind:?}");
        }
    };
    for number in 0..6_u8 {
        let key = [number];
        look(&key, &kinds, None);
        let values = kinds.map(|kind| (kind, &b"value"[..]));
        writer.store_value(&key, &values).unwrap();
        look(&key, &kinds, Some(b"value"));
        writer.store_group(&key, 1, &[&key]).unwrap();
        assert_eq!(reader.find_group(&key), Ok(Some(1)));
    }
}
