//! A process that is killed while it stores. `PSDB_CRASH_ROUNDS=50 cargo test -p shader-db --test crash` kills more often.

mod common;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use common::{beside, keys, numbered, options, sha256, value};
use shader_db::Error;
use shader_db::psdb::{File, Psdb, ValueType, ValueTypes};

const OBJECTS: u64 = 8_000;

fn files(folder: &Path) -> [(ValueTypes, PathBuf); 2] {
    let debug = ValueTypes::from(ValueType::DebugPdb);
    let rest = ValueTypes::from(ValueType::ObjectCode) | ValueType::Metadata.into();
    [
        (debug, folder.join("debug.psdb")),
        (rest, folder.join("code.psdb")),
    ]
}

fn store_all(psdb: &Psdb, numbers: impl Iterator<Item = u64>) {
    for number in numbers {
        let (key, code) = numbered(number);
        let shared = (number / 10).to_le_bytes();
        let results = [
            psdb.store_value(
                &key,
                &[(ValueType::ObjectCode, &code), (ValueType::DebugPdb, &key)],
            ),
            psdb.store_value(&shared, &[(ValueType::ObjectCode, b"of ten objects")]),
            psdb.store_group(&number.to_le_bytes(), 1, &[&shared, &key]),
        ];
        assert!(
            results
                .iter()
                .all(|result| matches!(result, Ok(()) | Err(Error::AlreadyExists))),
            "{results:?}"
        );
    }
}

/// Not a test of its own: what is killed.
#[test]
fn child() {
    let Some(folder) = std::env::var_os("PSDB_CRASH_CHILD") else {
        return;
    };
    let psdb = Psdb::open(&files(folder.as_ref()), &options()).unwrap();
    std::fs::write(std::env::var_os("PSDB_CRASH_STARTED").unwrap(), b"").unwrap();
    thread::scope(|scope| {
        scope.spawn(|| store_all(&psdb, (0..OBJECTS).step_by(2)));
        store_all(&psdb, (1..OBJECTS).step_by(2));
    });
    psdb.close().unwrap();
}

#[test]
fn a_killed_process_leaves_whole_groups() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let rounds: u64 =
        std::env::var("PSDB_CRASH_ROUNDS").map_or(8, |rounds| rounds.parse().unwrap());
    let signals = tempfile::tempdir().unwrap();
    let mut before = 0;
    let mut grown = 0;
    for round in 0..rounds {
        let started = signals.path().join(round.to_string());
        let mut child = Command::new(std::env::current_exe().unwrap());
        child
            .args(["--exact", "child"])
            .env("PSDB_CRASH_CHILD", folder.path());
        let mut child = child.env("PSDB_CRASH_STARTED", &started).spawn().unwrap();
        while !started.exists() {
            assert_eq!(
                child.try_wait().unwrap(),
                None,
                "ended before it was killed"
            );
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(20 + round * 0x9e37_79b9 % 331));
        child.kill().unwrap();
        child.wait().unwrap();

        for (_, path) in files.iter().filter(|(_, path)| path.exists()) {
            let file = File::open(path).unwrap();
            assert!(file.is_verified());
            assert_eq!(file.check_structure().unwrap(), [""; 0]);
            let all = file.for_each_value(&mut |_, _, value| {
                assert!(value.is_ok(), "{value:?}");
                ControlFlow::Continue(())
            });
            all.unwrap();
        }
        let groups = check(&files);
        assert!(groups >= before, "{groups} groups were {before}");
        grown += u64::from(groups > before);
        before = groups;
    }
    assert!(grown > 0, "every round was too short to store something");

    // What a crash interrupted, the next session ends: the files are those of a session without interruptions.
    let psdb = Psdb::open(&files, &options()).unwrap();
    store_all(&psdb, 0..OBJECTS);
    psdb.close().unwrap();
    assert_eq!(check(&files), OBJECTS);
    assert_eq!(beside(&files[0].1), ["code.psdb"]);
    let other = tempfile::tempdir().unwrap();
    let others = self::files(other.path());
    let psdb = Psdb::open(&others, &options()).unwrap();
    store_all(&psdb, (0..OBJECTS).rev());
    psdb.close().unwrap();
    for ((_, path), (_, other)) in files.iter().zip(&others) {
        assert_eq!(sha256(path), sha256(other));
    }
}

/// Each group that can be seen has its values, in both files; how many there are.
fn check(files: &[(ValueTypes, PathBuf); 2]) -> u64 {
    if !files[1].1.exists() {
        return 0;
    }
    let file = File::open(&files[1].1).unwrap();
    let side = File::open(&files[0].1).unwrap();
    let mut found = std::collections::HashMap::new();
    for (file, kind) in [(&file, ValueType::ObjectCode), (&side, ValueType::DebugPdb)] {
        let all = file.for_each_value(&mut |key, of, value| {
            assert_eq!(of, kind);
            found.insert((key.to_vec(), kind), value.unwrap().to_vec());
            ControlFlow::Continue(())
        });
        all.unwrap();
    }
    let mut groups = 0;
    let all = file.for_each_group(&mut |key, group| {
        let number = u64::from_le_bytes(key.try_into().unwrap());
        let (value_key, code) = numbered(number);
        let shared = (number / 10).to_le_bytes();
        assert_eq!(group.unwrap(), (1, &[&shared[..], &value_key][..]));
        assert_eq!(found[&(value_key.clone(), ValueType::ObjectCode)], code);
        assert_eq!(found[&(value_key.clone(), ValueType::DebugPdb)], value_key);
        assert_eq!(
            found[&(shared.to_vec(), ValueType::ObjectCode)],
            b"of ten objects"
        );
        groups += 1;
        ControlFlow::Continue(())
    });
    all.unwrap();
    groups
}

#[test]
fn a_log_that_was_left_is_found_and_folded() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let psdb = Psdb::open(&files, &options()).unwrap();
    store_all(&psdb, 0..100);
    psdb.flush().unwrap();
    let left = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        if !entry.file_name().to_string_lossy().ends_with("-shm") {
            std::fs::copy(entry.path(), left.path().join(entry.file_name())).unwrap();
        }
    }
    drop(psdb);
    let copies = self::files(left.path());
    assert!(left.path().join("code.psdb-wal").metadata().unwrap().len() > 0);
    assert!(!File::open(&copies[1].1).unwrap().is_finished());
    let psdb = Psdb::open(&copies, &options()).unwrap();
    assert!(keys(&psdb, &0_u64.to_le_bytes(), 1).unwrap().is_some());
    let (key, code) = numbered(99);
    assert_eq!(
        value(&psdb, &key, ValueType::ObjectCode).unwrap(),
        Some(code)
    );
    drop(psdb);
    for ((_, path), (_, copy)) in files.iter().zip(&copies) {
        assert_eq!(sha256(path), sha256(copy));
    }
}
