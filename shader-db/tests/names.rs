//! What a file's name may be, and what lies beside it.

mod common;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use shader_db::Error;
use shader_db::psdb::{self, Psdb, ValueType, ValueTypes};
use shader_db::sodb::{self, Sodb};
use shader_db::temporary::Temporary;

use common::{beside, create, options, read, value};

#[cfg(unix)]
#[test]
fn two_names_of_one_file_are_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let [path, hard, soft] = ["a", "hard", "soft"].map(|name| folder.path().join(name));
    create(&path).close().unwrap();
    fs::hard_link(&path, &hard).unwrap();
    std::os::unix::fs::symlink("a", &soft).unwrap();
    let [code, debug]: [ValueTypes; 2] =
        [ValueType::ObjectCode, ValueType::DebugPdb].map(Into::into);
    for other in [&path, &hard, &soft] {
        let opened = Psdb::open(&[(code, &path), (debug, other)], &options());
        assert!(
            matches!(opened, Err(Error::InvalidArgument(_))),
            "{opened:?}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_no_file_yet_is_followed() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let [path, link, other] =
        ["sub/a.psdb", "link", "sub/other"].map(|name| folder.path().join(name));
    fs::create_dir(folder.path().join("sub")).unwrap();
    symlink("sub/other", &link).unwrap();
    symlink("a.psdb", &other).unwrap();
    let psdb = create(&link);
    psdb.store_group(b"g", 1, &[]).unwrap();
    psdb.close().unwrap();
    assert!(fs::symlink_metadata(&path).unwrap().is_file());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(read(&link).find_group(b"g").unwrap(), Some(1));

    let ring = folder.path().join("ring");
    symlink("ring", &ring).unwrap();
    assert!(Psdb::open(&[(ValueTypes::ALL, &ring)], &options()).is_err());
}

#[test]
fn a_folder_must_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none/a.psdb");
    let opened = Psdb::open(&[(ValueTypes::ALL, &path)], &options());
    assert_eq!(opened.unwrap_err(), Error::NotFound { path });
}

/// Killed while it wrote a new file, whatever was to become of it.
#[test]
fn what_a_killed_process_has_begun_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let other = folder.path().join("b.psdb");
    let left = |name: &str, age: u64| {
        let path = folder.path().join(name);
        let modified = SystemTime::now() - Duration::from_secs(age);
        File::create(&path).unwrap().set_modified(modified).unwrap();
        path
    };
    let name_for = |path: &Path| {
        let made = Temporary::beside(path).unwrap();
        let name = made.path().file_name().unwrap();
        name.to_str().unwrap().to_owned()
    };
    let name = name_for(&path);
    let old = ["", "-wal", "-shm", "-journal"].map(|suffix| left(&(name.clone() + suffix), 100));
    let stay = [
        left(&name_for(&path), 10),
        left(&name_for(&other), 100),
        left(&(name_for(&path) + "-old"), 100),
        left("a.psdb.part", 100),
    ];
    // Also if its owner writes nothing for long.
    let locked = left(&name_for(&path), 100);
    let owner = Connection::open(&locked).unwrap();
    owner.execute_batch("BEGIN EXCLUSIVE").unwrap();
    drop(Temporary::beside(&path).unwrap());
    assert!(old.iter().all(|path| !path.exists()));
    assert!(stay.iter().chain([&locked]).all(|path| path.exists()));
    // A session that closes has the file to itself: nobody else is making one for it.
    create(&path).close().unwrap();
    assert!(!stay[0].exists() && locked.exists());
    assert!(stay[1..].iter().all(|path| path.exists()));
    drop(owner);
    drop(Temporary::beside(&path).unwrap());
    assert!(!locked.exists());
}

/// What takes another file's place has a name of its own, whoever had put one there.
#[test]
fn a_temporary_file_is_nobody_elses_and_its_name_fits() {
    let folder = tempfile::tempdir().unwrap();
    // The most that file systems have.
    let long = folder.path().join("l".repeat(255));
    let made = [(); 2].map(|()| Temporary::beside(&long).unwrap());
    assert_ne!(made[0].path(), made[1].path());
    let beside = |made: &Temporary| made.path().with_extension("part-journal");
    fs::write(beside(&made[0]), "").unwrap();
    assert!(made[0].place(&long).unwrap());
    assert!(!made[1].place(&long).unwrap());
    made[1].rename(&long).unwrap();
    drop(made);
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    let inputs = [folder.path().join("a"), folder.path().join("b")];
    for input in &inputs {
        create(input).close().unwrap();
    }
    fs::remove_file(&long).unwrap();
    psdb::merge(&inputs, &long, &mut |_| {}).unwrap();
    assert!(psdb::File::open(&long).unwrap().is_finished());
}

#[test]
fn a_state_object_database_is_called_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    drop(Sodb::open(&path, sodb::Access::Create).unwrap());
    let opened = Psdb::open(&[(ValueTypes::ALL, &path)], &options());
    let message = opened.unwrap_err().to_string();
    assert!(
        message.ends_with("it is a state object database (SODB)"),
        "{message}"
    );
}

/// A file that takes the place of another one has its mode.
#[cfg(unix)]
#[test]
fn modes_stay() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let [path, other] = ["a.psdb", "b.psdb"].map(|name| folder.path().join(name));
    let set = |path: &Path| {
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    };
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    // An empty file that somebody made to reserve the name.
    fs::write(&path, "").unwrap();
    set(&path);
    let store = |path: &Path, group: &[u8]| {
        let psdb = create(path);
        psdb.store_group(group, 1, &[]).unwrap();
        psdb.close().unwrap();
    };
    let ways: [&dyn Fn(); 5] = [
        &|| store(&path, b"new"),
        &|| store(&path, b"added"),
        &|| psdb::rewrite(&path).unwrap(),
        &|| {
            store(&other, b"new");
            psdb::take_place(&other, &path).unwrap();
        },
        &|| {
            fs::write(&path, "").unwrap();
            store(&other, b"new");
            psdb::merge(&[&other], &path, &mut |_| {}).unwrap();
        },
    ];
    for (number, way) in ways.iter().enumerate() {
        way();
        assert_eq!(mode(&path), 0o600, "{number}");
        assert!(create(&path).find_group(b"new").unwrap().is_some());
    }
}

/// Files in WAL mode: without a WAL, with one that a process left, and with its index too.
fn in_wal_mode(folder: &Path) -> [PathBuf; 3] {
    let live = tempfile::tempdir().unwrap();
    let open = create(&live.path().join("a.psdb"));
    open.store_value(b"key", &[(ValueType::ObjectCode, b"code")])
        .unwrap();
    open.store_group(b"group", 1, &[b"key"]).unwrap();
    let copy = |name: &str, suffixes: &[&str]| {
        for suffix in suffixes {
            let from = live.path().join(format!("a.psdb{suffix}"));
            fs::copy(from, folder.join(format!("{name}{suffix}"))).unwrap();
        }
        folder.join(name)
    };
    let killed = copy("killed", &["", "-wal", "-shm"]);
    let with_log = copy("log", &["", "-wal"]);
    open.close().unwrap();
    let alone = copy("alone", &[""]);
    let connection = Connection::open(&alone).unwrap();
    let mode: String = connection
        .query_row("PRAGMA journal_mode=wal", [], |row| row.get(0))
        .unwrap();
    assert_eq!(mode, "wal");
    [alone, with_log, killed]
}

fn check_can_be_read(path: &Path) {
    let counts = psdb::File::open(path).unwrap().counts().unwrap();
    assert_eq!(
        (counts.values[0], counts.groups),
        (1, 1),
        "{}",
        path.display()
    );
    let session = read(path);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let found = value(&session, b"key", ValueType::ObjectCode).unwrap();
                assert_eq!(found.as_deref(), Some(&b"code"[..]));
                assert_eq!(session.find_group(b"group"), Ok(Some(1)));
            });
        }
    });
    session.close().unwrap();
}

#[test]
fn a_reader_leaves_nothing_beside_a_file() {
    let folder = tempfile::tempdir().unwrap();
    for path in in_wal_mode(folder.path()) {
        check_can_be_read(&path);
    }
    let mut names = beside(&folder.path().join("alone"));
    names.sort();
    assert_eq!(names, ["killed", "log"]);
}

/// Not a test of its own: what `files_are_read_where_nothing_can_be_written` runs as another user.
#[cfg(unix)]
#[test]
fn reader() {
    if let Some(folder) = std::env::var_os("PSDB_READ_ONLY") {
        for name in ["alone", "log", "killed"] {
            check_can_be_read(&Path::new(&folder).join(name));
        }
    }
}

#[cfg(unix)]
#[test]
fn files_are_read_where_nothing_can_be_written() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;

    let folder = tempfile::tempdir().unwrap();
    let files = in_wal_mode(folder.path());
    // Another user cannot run a program in every folder.
    let program = folder.path().join("program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let set = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let mut before = beside(&files[0]);
    before.sort();
    for name in &before {
        set(&folder.path().join(name), 0o444);
    }
    set(&files[0], 0o444);
    set(&program, 0o555);
    set(folder.path(), 0o555);
    let mut reader = std::process::Command::new(&program);
    reader
        .args(["--exact", "reader"])
        .env("PSDB_READ_ONLY", folder.path());
    // SAFETY: the function takes no pointer.
    if unsafe { libc::geteuid() } == 0 {
        // Root can write everywhere.
        reader.uid(65534);
    }
    let status = reader.status().unwrap();
    set(folder.path(), 0o755);
    assert!(status.success());
    let mut after = beside(&files[0]);
    after.sort();
    assert_eq!(after, before);
}
