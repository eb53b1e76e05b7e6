//! A system that opens no more files. The only test of its process, as all of it is short of them.
#![cfg(unix)]

mod common;

use std::fs::File;

use shader_db::Error;
use shader_db::psdb;
use shader_db::sodb::{Access, Sodb};

use common::create;

#[test]
fn that_too_many_files_are_open_is_no_refusal() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    create(&path("a.psdb")).close().unwrap();
    let sodb = Sodb::open(path("a.sodb"), Access::Create);
    sodb.unwrap().close().unwrap();
    // It has a log, which is another file to open.
    let _written = create(&path("written.psdb"));
    let few = libc::rlimit {
        rlim_cur: 64,
        rlim_max: 64,
    };
    // SAFETY: the structure is valid.
    let set = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const few) };
    assert_eq!(set, 0);
    let mut open: Vec<File> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
    assert!((1..64).contains(&open.len()));
    // One after the other is there again, and each time something else cannot be opened.
    while open.pop().is_some() {
        let tried = [
            psdb::File::open(&path("a.psdb")).map(drop),
            psdb::File::open(&path("written.psdb")).map(drop),
            psdb::merge(&[path("a.psdb")], &path("merged.psdb"), &mut |_| {}).map(drop),
            Sodb::open(path("a.sodb"), Access::Read).map(drop),
            Sodb::open(path("a.sodb"), Access::Write).map(drop),
            Sodb::open(path("new.sodb"), Access::Create).map(drop),
        ];
        for name in ["merged.psdb", "new.sodb"] {
            let _ = std::fs::remove_file(path(name));
        }
        let failures: Vec<Error> = tried.into_iter().filter_map(Result::err).collect();
        for error in &failures {
            assert!(
                matches!(error, Error::Io { .. }),
                "{}: {error:?}",
                open.len()
            );
        }
        if failures.is_empty() {
            return;
        }
    }
    panic!("they cannot be opened");
}
