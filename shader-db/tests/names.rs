//! What a file's name may be, and what lies beside it.

mod common;

#[cfg(unix)]
use std::fs;
use std::fs::File;
use std::time::{Duration, SystemTime};

use common::{create, options};
use shader_db::Error;
#[cfg(unix)]
use shader_db::psdb::ValueType;
use shader_db::psdb::{Psdb, ValueTypes};
use shader_db::sodb::{self, Sodb};

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

/// Killed while it created the file.
#[test]
fn what_a_killed_process_has_not_created_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let left = |name: &str, age: u64| {
        let path = folder.path().join(name);
        let modified = SystemTime::now() - Duration::from_secs(age);
        File::create(&path).unwrap().set_modified(modified).unwrap();
        path
    };
    let old = ["", "-wal", "-shm", "-journal"]
        .map(|suffix| left(&format!("a.psdb.new-17-7f005a005a005a5a-0{suffix}"), 100));
    let stay = [
        left("a.psdb.new-18-7f005a005a005a5a-0", 10),
        left("b.psdb.new-17-7f005a005a005a5a-0", 100),
        left("a.psdb.newer", 100),
        left("a.psdb.new-", 100),
        left("a.psdb.new-backup", 100),
        left("a.psdb.new-2026-11-23", 100),
        left("a.psdb.new-17-7f005a005a005a5a", 100),
        left("a.psdb.new-17-7f005a005a005a5a-0-old", 100),
    ];
    let path = folder.path().join("a.psdb");
    let psdb = create(&path);
    assert!(old.iter().all(|path| !path.exists()));
    let old = left("a.psdb.new-17-7f005a005a005a5a-0", 100);
    psdb.close().unwrap();
    assert!(!old.exists());
    assert!(stay.iter().all(|path| path.exists()));
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
