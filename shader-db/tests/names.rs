//! What a file's name may be, and what lies beside it.

mod common;

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use shader_db::Error;
#[cfg(unix)]
use shader_db::psdb::ValueType;
use shader_db::psdb::{self, Psdb, ValueTypes};
use shader_db::sodb::{self, Sodb};
use shader_db::temporary::Temporary;

use common::{create, options};

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
    assert_eq!(common::read(&link).find_group(b"g").unwrap(), Some(1));

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
