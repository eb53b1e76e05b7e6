//! A process that is killed while it stores. `PSDB_CRASH_ROUNDS=50 cargo test -p d3d12-shader-db --test crash` kills more often.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use shader_db::Error;
use shader_db::psdb::{File, Psdb, ValueType, ValueTypes, merge, rewrite, take_place};

use common::{beside, create, numbered, options, sha256, value};

/// Objects that a round begins with anew.
const OBJECTS: u64 = 1_000;
/// What the child says before it closes, which it does if it is to be killed after that.
const CLOSING: &str = "closing\n";

fn files(folder: &Path) -> [(ValueTypes, PathBuf); 2] {
    let debug = ValueTypes::from(ValueType::DebugPdb);
    let rest = ValueTypes::from(ValueType::ObjectCode) | ValueType::Metadata.into();
    [
        (debug, folder.join("debug.psdb")),
        (rest, folder.join("code.psdb")),
    ]
}

/// Calls `stored` with the number of each object that was stored.
fn store_all(psdb: &Psdb, numbers: impl Iterator<Item = u64>, stored: &(dyn Fn(u64) + Sync)) {
    for number in numbers {
        let (key, code) = numbered(number);
        let shared = (number / 10).to_le_bytes();
        let values = [
            (ValueType::ObjectCode, &code[..]),
            (ValueType::DebugPdb, &key),
        ];
        let of_ten = [(ValueType::ObjectCode, &b"of ten objects"[..])];
        let results = [
            psdb.store_value(&key, &values),
            psdb.store_value(&shared, &of_ten),
            psdb.store_group(&number.to_le_bytes(), 1, &[&shared, &key]),
        ];
        for result in results {
            match result {
                Ok(()) | Err(Error::AlreadyExists) => {}
                Err(error) => panic!("{error}"),
            }
        }
        stored(number);
    }
}

/// Not a test of its own: what is killed. Goes on until then.
#[test]
fn child() {
    let Some(folder) = std::env::var_os("PSDB_CRASH_CHILD") else {
        return;
    };
    let first: u64 = std::env::var("PSDB_CRASH_FIRST").unwrap().parse().unwrap();
    // Around the test harness, which would keep it.
    let print = |line: String| std::io::stdout().write_all(line.as_bytes()).unwrap();
    print("\nopening\n".into());
    let psdb = Psdb::open(&files(folder.as_ref()), &options()).unwrap();
    let stored = |number: u64| print(format!("stored {number}\n"));
    if std::env::var("PSDB_CRASH_AFTER").unwrap() == CLOSING {
        store_all(&psdb, first..first + OBJECTS, &|_| {});
        print(CLOSING.into());
        psdb.close().unwrap();
        loop {
            thread::park();
        }
    }
    thread::scope(|scope| {
        scope.spawn(|| store_all(&psdb, (first..).step_by(2), &stored));
        store_all(&psdb, (first + 1..).step_by(2), &stored);
    });
}

/// Starts the child, kills it some time after a line of it, and returns what it has said until then.
fn kill(folder: &Path, first: u64, after: &str, time: Duration) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child"])
        .env("PSDB_CRASH_CHILD", folder)
        .env("PSDB_CRASH_FIRST", first.to_string())
        .env("PSDB_CRASH_AFTER", after)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    let (started, is_started) = mpsc::channel();
    let after = after.to_owned();
    let reader = thread::spawn(move || {
        let mut lines = Vec::new();
        let mut line = String::new();
        // A line that was cut off has not been said.
        while said.read_line(&mut line).unwrap() > 0 && line.ends_with('\n') {
            if line.starts_with(&after) {
                let _ = started.send(());
            }
            lines.push(std::mem::take(&mut line));
        }
        lines
    });
    is_started.recv().expect("the child stores");
    thread::sleep(time);
    assert_eq!(
        child.try_wait().unwrap(),
        None,
        "it stores until it is killed"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

fn rounds() -> u64 {
    std::env::var("PSDB_CRASH_ROUNDS").map_or(8, |rounds| rounds.parse().unwrap())
}

#[test]
fn a_killed_process_loses_nothing_that_was_stored() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let mut stored = Vec::new();
    for round in 0..rounds() {
        let first = round * OBJECTS;
        let random = round * 0x9e37_79b9;
        let said = if round % 4 == 2 {
            // While it opens what two others have left.
            let time = Duration::from_micros(random % 15_000);
            kill(folder.path(), first, "opening", time)
        } else {
            kill(
                folder.path(),
                first,
                "stored",
                Duration::from_millis(random % 231),
            )
        };
        let numbers = said.iter();
        let numbers =
            numbers.filter_map(|line| line.strip_prefix("stored ")?.trim_end().parse().ok());
        stored.extend::<Vec<u64>>(numbers.collect());
        if files.iter().all(|(_, path)| path.exists()) {
            for (_, path) in &files {
                check_file(path);
            }
            check(&files);
        }
        if round % 4 == 1 && round + 1 < rounds() {
            continue;
        }

        let psdb = Psdb::open(&files, &options()).unwrap();
        for &number in &stored {
            check_stored(&psdb, number);
        }
        psdb.close().unwrap();
        for (_, path) in &files {
            check_file(path);
        }
        assert_eq!(beside(&files[1].1), ["debug.psdb"]);
    }
    assert!(!stored.is_empty());

    // In the end nobody can tell that there were interruptions: each thread was at most one object further.
    let count = stored.iter().max().unwrap() + 4;
    let psdb = Psdb::open(&files, &options()).unwrap();
    store_all(&psdb, 0..count, &|_| {});
    psdb.close().unwrap();
    assert_eq!(check(&files), count);
    let other = tempfile::tempdir().unwrap();
    let others = self::files(other.path());
    let psdb = Psdb::open(&others, &options()).unwrap();
    store_all(&psdb, (0..count).rev(), &|_| {});
    psdb.close().unwrap();
    for ((_, path), (_, other)) in files.iter().zip(&others) {
        rewrite(path).unwrap();
        assert_eq!(sha256(path), sha256(other));
    }
}

fn check_stored(psdb: &Psdb, number: u64) {
    let (key, code) = numbered(number);
    let shared = (number / 10).to_le_bytes();
    let kinds = [ValueType::ObjectCode, ValueType::DebugPdb];
    let found = kinds.map(|kind| value(psdb, &key, kind).unwrap());
    assert_eq!(found, [Some(code), Some(key.clone())], "{number}");
    let found = value(psdb, &shared, ValueType::ObjectCode).unwrap();
    assert_eq!(found.as_deref(), Some(&b"of ten objects"[..]), "{number}");
    let found = psdb.group_value_keys(&number.to_le_bytes(), 1).unwrap();
    assert_eq!(found, Some(vec![shared.to_vec(), key]), "{number}");
}

fn check_file(path: &Path) {
    let file = File::open(path).unwrap();
    assert!(file.is_verified());
    assert_eq!(file.check_structure().unwrap(), [""; 0]);
    let all = file.for_each_value(&mut |_, _, value| {
        assert!(value.is_ok(), "{value:?}");
        ControlFlow::Continue(())
    });
    all.unwrap();
}

/// Each group that can be seen has its values, in both files; how many there are.
fn check(files: &[(ValueTypes, PathBuf); 2]) -> u64 {
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
fn a_killed_close_leaves_sound_files() {
    let whole = tempfile::tempdir().unwrap();
    let whole = files(whole.path());
    let psdb = Psdb::open(&whole, &options()).unwrap();
    store_all(&psdb, 0..OBJECTS, &|_| {});
    psdb.close().unwrap();
    for round in 0..rounds() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let time = Duration::from_millis(round * 0x9e37_79b9 % 67);
        kill(folder.path(), 0, CLOSING, time);
        let psdb = Psdb::open(&files, &options()).unwrap();
        store_all(&psdb, 0..OBJECTS, &|_| {});
        psdb.close().unwrap();
        for ((_, path), (_, whole)) in files.iter().zip(&whole) {
            check_file(path);
            // It is in its canonical form already, unless it was killed just before it got it.
            rewrite(path).unwrap();
            assert_eq!(sha256(path), sha256(whole));
        }
        assert_eq!(beside(&files[0].1), ["code.psdb"]);
    }
}

#[test]
fn a_log_that_was_left_is_found_and_folded() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let psdb = Psdb::open(&files, &options()).unwrap();
    store_all(&psdb, 0..100, &|_| {});
    let left = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        // Not what only a running process has: the index of the WAL.
        if !name.ends_with("-shm") {
            std::fs::copy(entry.path(), left.path().join(entry.file_name())).unwrap();
        }
    }
    drop(psdb);
    let copies = self::files(left.path());
    assert!(left.path().join("code.psdb-wal").metadata().unwrap().len() > 0);
    assert!(!File::open(&copies[1].1).unwrap().is_finished());
    let psdb = Psdb::open(&copies, &options()).unwrap();
    assert!(
        psdb.group_value_keys(&0_u64.to_le_bytes(), 1)
            .unwrap()
            .is_some()
    );
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

#[test]
fn what_only_a_side_file_got_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let left = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let copy = |name: &str| {
        let names = [name.to_owned(), format!("{name}-wal")];
        for name in names {
            std::fs::copy(folder.path().join(&name), left.path().join(&name)).unwrap();
        }
    };
    let both =
        |value: &'static [u8]| [(ValueType::ObjectCode, value), (ValueType::DebugPdb, value)];
    let psdb = Psdb::open(&files, &options()).unwrap();
    psdb.store_value(b"1", &both(b"one")).unwrap();
    psdb.store_value(b"alone", &both(b"one")[1..]).unwrap();
    psdb.store_group(b"a", 1, &[b"1"]).unwrap();
    copy("code.psdb");
    psdb.store_value(b"2", &both(b"two")).unwrap();
    psdb.store_group(b"b", 1, &[b"2"]).unwrap();
    // As if the process was killed between the commits of the two files.
    copy("debug.psdb");
    psdb.close().unwrap();
    let copies = self::files(left.path());
    let counts = |path: &Path| {
        let counts = File::open(path).unwrap().counts().unwrap();
        (counts.keys, counts.values, counts.groups)
    };
    assert_eq!(counts(&copies[0].1), (3, [0, 0, 3, 0], 2));

    let psdb = Psdb::open(&copies, &options()).unwrap();
    assert_eq!(psdb.find_group(b"b"), Ok(None));
    assert_eq!(value(&psdb, b"2", ValueType::DebugPdb), Ok(None));
    let found = value(&psdb, b"alone", ValueType::DebugPdb).unwrap();
    assert_eq!(found.as_deref(), Some(&b"one"[..]));
    psdb.close().unwrap();
    assert_eq!(counts(&copies[0].1), (2, [0, 0, 2, 0], 1));
    // What is compiled again is stored as if nothing had been.
    let psdb = Psdb::open(&copies, &options()).unwrap();
    psdb.store_value(b"2", &both(b"two")).unwrap();
    psdb.store_group(b"b", 1, &[b"2"]).unwrap();
    psdb.close().unwrap();
    for ((_, path), (_, copy)) in files.iter().zip(&copies) {
        rewrite(copy).unwrap();
        check_file(copy);
        assert_eq!(sha256(path), sha256(copy));
    }
}

#[test]
fn a_group_that_is_another_in_the_main_file_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    // The main file is made anew, while the side file has groups of the one before.
    let psdb = Psdb::open(&files[..1], &options()).unwrap();
    psdb.store_group(b"a", 1, &[b"1", b"2"]).unwrap();
    psdb.close().unwrap();
    let psdb = Psdb::open(&files, &options()).unwrap();
    psdb.store_group(b"a", 2, &[b"2"]).unwrap();
    psdb.close().unwrap();
    for (types, path) in files {
        let psdb = Psdb::open(&[(types, &path)], &options()).unwrap();
        assert_eq!(
            psdb.group_value_keys(b"a", 2),
            Ok(Some(vec![b"2".to_vec()]))
        );
        drop(psdb);
        check_file(&path);
    }
}

#[test]
fn values_of_a_main_file_that_is_gone_do_not_stand_for_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let both =
        |value: &'static [u8]| [(ValueType::ObjectCode, value), (ValueType::DebugPdb, value)];
    let psdb = Psdb::open(&files, &options()).unwrap();
    psdb.store_value(b"1", &both(b"one")).unwrap();
    psdb.store_group(b"a", 1, &[b"1"]).unwrap();
    psdb.close().unwrap();
    std::fs::remove_file(&files[1].1).unwrap();

    let psdb = Psdb::open(&files, &options()).unwrap();
    assert_eq!(value(&psdb, b"1", ValueType::ObjectCode), Ok(None));
    psdb.store_value(b"1", &both(b"another")).unwrap();
    psdb.store_group(b"a", 1, &[b"1"]).unwrap();
    assert_eq!(
        psdb.store_value(b"1", &both(b"another")),
        Err(Error::AlreadyExists)
    );
    for kind in [ValueType::ObjectCode, ValueType::DebugPdb] {
        let found = value(&psdb, b"1", kind).unwrap();
        assert_eq!(found.as_deref(), Some(&b"another"[..]), "{kind:?}");
    }
    psdb.close().unwrap();
    for (_, path) in &files {
        check_file(path);
        assert_eq!(File::open(path).unwrap().is_loose(), Ok(false));
    }
}

#[test]
fn a_log_whose_file_was_removed_is_not_that_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let log = folder.path().join("a.psdb-wal");
    let psdb = create(&path);
    store_all(&psdb, 0..100, &|_| {});
    let left = std::fs::read(&log).unwrap();
    assert!(!left.is_empty());
    psdb.close().unwrap();
    let other = folder.path().join("b.psdb");
    let psdb = create(&other);
    store_all(&psdb, 200..210, &|_| {});
    psdb.close().unwrap();

    let session = |path: &Path| {
        let psdb = create(path);
        store_all(&psdb, 200..210, &|_| {});
        psdb.close().unwrap();
    };
    let merged = |path: &Path| {
        merge(&[&other], path, &mut |_| {}).unwrap();
    };
    let taken = |path: &Path| {
        let new = folder.path().join("c.psdb");
        std::fs::copy(&other, &new).unwrap();
        take_place(&new, path).unwrap();
    };
    let ways: [&dyn Fn(&Path); 3] = [&session, &merged, &taken];
    for (number, make) in ways.into_iter().enumerate() {
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&log, &left).unwrap();
        make(&path);
        assert_eq!(beside(&path), ["b.psdb"], "{number}");
        assert_eq!(sha256(&path), sha256(&other), "{number}");
    }
}

/// A file system of its own in memory, as large as is said; none if the system does not let it.
#[cfg(target_os = "linux")]
struct Disk(tempfile::TempDir);

#[cfg(target_os = "linux")]
impl Disk {
    fn new(size: &str) -> Option<Self> {
        let disk = Self(tempfile::tempdir().unwrap());
        disk.mount(&format!("size={size}")).then_some(disk)
    }

    fn mount(&self, options: &str) -> bool {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]);
        let mount = mount.arg(self.0.path()).stderr(Stdio::null()).status();
        mount.is_ok_and(|status| status.success())
    }
}

#[cfg(target_os = "linux")]
impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_nothing_that_was_stored() {
    // From where there is hardly room for the tables to where the log, or the file, is what does not fit.
    for size in ["1200k", "1500k", "2m", "3m", "5m", "9m"] {
        let Some(disk) = Disk::new(size) else {
            eprintln!("skipped: nothing can be mounted");
            return;
        };
        let files = files(disk.0.path());
        let files = &files[1..];
        let Ok(psdb) = Psdb::open(files, &options()) else {
            continue;
        };
        let key = |number: u32| number.to_le_bytes();
        let mut stored = 0;
        let error = loop {
            let values = [(ValueType::ObjectCode, &[7; 9000][..])];
            if let Err(error) = psdb.store_value(&key(stored), &values) {
                break error;
            }
            stored += 1;
            assert!(stored < 10_000, "there is no room for that");
        };
        assert!(matches!(error, Error::Full { .. }), "{size}: {error:?}");
        assert_eq!(
            psdb.value_size(&key(stored), ValueType::ObjectCode),
            Ok(None)
        );
        drop(psdb);
        assert!(disk.mount("remount,size=64m"));
        let psdb = Psdb::open(files, &options()).unwrap();
        for number in 0..stored {
            let size = psdb.value_size(&key(number), ValueType::ObjectCode);
            assert_eq!(size, Ok(Some(9000)), "{size:?}: {number} of {stored}");
        }
        psdb.close().unwrap();
        assert_eq!(beside(&files[0].1), [""; 0]);
    }
}
