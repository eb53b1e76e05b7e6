//! Files of one version of a compiler, or of an application's profile, opened and merged for another.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use compatibility::Verdict;
use ddi_sys::VersionNumber;
use shader_db::Error;
use shader_db::psdb::{Access, File, Options, Psdb, Target, ValueType, ValueTypes, merge};

use common::{application, options, target};

const fn version(major: u16, minor: u16, build: u16, revision: u16) -> u64 {
    VersionNumber::new(major, minor, build, revision).bits()
}

const STORED: u64 = version(1, 2, 3, 4);

fn of(compiler_version: u64) -> Options {
    Options {
        target: Some(Target {
            compiler_version,
            ..target()
        }),
        ..options()
    }
}

/// A file that has a group named after its version.
fn make(folder: &Path, name: &str, compiler: u64) -> PathBuf {
    let path = folder.join(name);
    let psdb = Psdb::open(&[(ValueTypes::ALL, &path)], &of(compiler)).unwrap();
    psdb.store_value(b"v", &[(ValueType::ObjectCode, b"code")])
        .unwrap();
    psdb.store_group(name.as_bytes(), 1, &[b"v"]).unwrap();
    psdb.close().unwrap();
    path
}

fn version_of(path: &Path) -> u64 {
    File::open(path).unwrap().target().compiler_version
}

fn kind(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Usable => "usable",
        Verdict::ShouldRecompile(_) => "should",
        Verdict::MustRecompile(_) => "must",
    }
}

#[test]
fn a_file_says_the_oldest_version_that_was_added() {
    let folder = tempfile::tempdir().unwrap();
    let path = &make(folder.path(), "a.psdb", STORED);
    let files = [(ValueTypes::ALL, path)];
    let cases = [
        (version(1, 2, 3, 4), "usable", version(1, 2, 3, 4)),
        (version(1, 2, 3, 5), "usable", version(1, 2, 3, 4)),
        (version(1, 2, 4, 0), "should", version(1, 2, 3, 4)),
        (version(1, 2, 3, 3), "usable", version(1, 2, 3, 3)),
        (version(1, 2, 2, 9), "should", version(1, 2, 2, 9)),
        (version(1, 2, 3, 4), "should", version(1, 2, 2, 9)),
    ];
    for (now, expected, says) in cases {
        let to_read = Options {
            access: Access::Read,
            ..of(now)
        };
        // Who only reads changes nothing.
        let before = fs::read(path).unwrap();
        let psdb = Psdb::open(&files, &to_read).unwrap();
        assert_eq!(kind(psdb.verdict()), expected, "{now:x}");
        psdb.close().unwrap();
        assert!(fs::read(path).unwrap() == before, "{now:x}");
        let psdb = Psdb::open(&files, &of(now)).unwrap();
        psdb.store_group(&now.to_be_bytes(), 1, &[b"v"])
            .or_else(|error| match error {
                Error::AlreadyExists => Ok(()),
                error => Err(error),
            })
            .unwrap();
        psdb.close().unwrap();
        assert_eq!(version_of(path), says, "{now:x}");
    }
    let psdb = Psdb::open(&files, &Options::default()).unwrap();
    assert!(psdb.find_group(b"a.psdb").unwrap().is_some());
}

#[test]
fn what_must_be_compiled_again_is_not_added_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = &make(folder.path(), "a.psdb", STORED);
    let before = fs::read(path).unwrap();
    let profile = Options {
        target: Some(Target {
            compiler_version: STORED,
            profile_version: 4,
            ..target()
        }),
        ..options()
    };
    let cases = [
        (
            of(version(1, 3, 0, 0)),
            "compiler version is 1.2.3.4, not 1.3.0.0",
        ),
        (
            of(version(1, 1, 9, 9)),
            "compiler version is 1.2.3.4, not 1.1.9.9",
        ),
        (
            of(version(2, 2, 3, 4)),
            "compiler version is 1.2.3.4, not 2.2.3.4",
        ),
        (
            profile,
            "application profile version is 0.0.0.3, not 0.0.0.4",
        ),
    ];
    for (options, reason) in cases {
        let stale = |result: Result<_, Error>| match result {
            Err(error @ Error::Stale { .. }) => {
                assert!(error.to_string().contains(reason), "{error}");
            }
            Err(error) => panic!("{error}"),
            Ok(()) => panic!("{reason}"),
        };
        stale(Psdb::open(&[(ValueTypes::ALL, path)], &options).map(drop));
    }
    assert!(fs::read(path).unwrap() == before);
}

#[test]
fn what_an_older_compiler_has_only_opened_says_nothing_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = &make(folder.path(), "a.psdb", STORED);
    let before = fs::read(path).unwrap();
    let files = [(ValueTypes::ALL, path)];
    let older = of(version(1, 2, 3, 0));
    Psdb::open(&files, &older).unwrap().close().unwrap();
    assert!(fs::read(path).unwrap() == before);

    let open = Psdb::open(&files, &of(STORED)).unwrap();
    open.store_group(b"one", 1, &[b"v"]).unwrap();
    assert_eq!(version_of(path), STORED);
    let other = Psdb::open(&files, &older).unwrap();
    assert_eq!(version_of(path), STORED);
    other.store_group(b"two", 1, &[b"v"]).unwrap();
    assert_eq!(version_of(path), version(1, 2, 3, 0));
    open.store_group(b"three", 1, &[b"v"]).unwrap();
    open.close().unwrap();
    other.close().unwrap();
    assert_eq!(version_of(path), version(1, 2, 3, 0));
}

#[test]
fn files_of_one_session_may_differ_in_what_keeps_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let main = &make(folder.path(), "a.psdb", version(1, 0, 0, 7));
    let near = &make(folder.path(), "near.psdb", version(1, 0, 0, 5));
    let far = &make(folder.path(), "far.psdb", version(2, 0, 0, 0));
    let code = ValueType::ObjectCode.into();
    let debug = ValueType::DebugPdb.into();
    let read = Options {
        access: Access::Read,
        ..Options::default()
    };
    let psdb = Psdb::open(&[(code, main), (debug, near)], &read).unwrap();
    assert_eq!(psdb.target().compiler_version, version(1, 0, 0, 5));
    let apart = Psdb::open(&[(code, main), (debug, far)], &read);
    assert!(matches!(apart, Err(Error::Stale { .. })), "{apart:?}");
}

#[test]
fn a_merge_goes_by_the_same_table() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let inputs = [
        make(folder, "a.psdb", version(1, 0, 1, 2)),
        make(folder, "b.psdb", version(1, 0, 0, 9)),
        make(folder, "c.psdb", version(1, 0, 1, 3)),
    ];
    for (place, order) in [[0, 1, 2], [2, 1, 0], [1, 0, 2]].into_iter().enumerate() {
        let output = folder.join(format!("out{place}.psdb"));
        let merged = merge(&order.map(|at| &inputs[at]), &output, &mut |_| {}).unwrap();
        assert_eq!(merged.groups, 3);
        assert_eq!(version_of(&output), version(1, 0, 0, 9));
        assert_eq!(*File::open(&output).unwrap().application(), application());
        assert!(fs::read(&output).unwrap() == fs::read(folder.join("out0.psdb")).unwrap());
    }
    let minor = make(folder, "minor.psdb", version(1, 1, 0, 0));
    let output = folder.join("none.psdb");
    let refused = merge(&[&inputs[0], &minor], &output, &mut |_| {}).unwrap_err();
    assert!(
        refused
            .to_string()
            .ends_with("cannot be merged: the compiler version differs"),
        "{refused}"
    );
    assert!(!output.exists());
}

/// Windows lets nobody remove a file that is open.
#[cfg(unix)]
#[test]
fn a_file_that_took_the_place_of_another_is_checked_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = make(folder.path(), "a", STORED);
    let store = |family: &str, value: &[u8]| {
        let mut options = of(STORED);
        options.target.as_mut().unwrap().family = family.into();
        let psdb = Psdb::open(&[(ValueTypes::ALL, &path)], &options).unwrap();
        psdb.store_value(b"key", &[(ValueType::ObjectCode, value)])
            .unwrap();
        psdb.close().unwrap();
    };
    let read_only = Options {
        access: Access::Read,
        ..of(STORED)
    };
    let [finds, stores] = [read_only, of(STORED)]
        .map(|options| Psdb::open(&[(ValueTypes::ALL, &path)], &options).unwrap());
    assert_eq!(finds.find_group(b"none"), Ok(None));
    // Another tool has moved a file here.
    fs::remove_file(&path).unwrap();
    store("another family", b"for another family");
    let is_refused =
        |error: &Error| matches!(error, Error::InvalidArgument(text) if text.contains("family"));
    for psdb in [&finds, &stores] {
        let error = common::value(psdb, b"key", ValueType::ObjectCode).unwrap_err();
        assert!(is_refused(&error), "{error}");
    }
    stores
        .store_value(b"other", &[(ValueType::ObjectCode, b"x")])
        .unwrap_err();
    let stored = stores.store_group(b"other", 1, &[]).unwrap_err();
    assert!(is_refused(&stored));
    stores.close().unwrap();
    finds.close().unwrap();
}

#[test]
fn of_two_that_create_a_file_for_different_targets_one_is_refused() {
    for round in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        if round % 2 == 0 {
            fs::write(&path, "").unwrap();
        }
        let start = std::sync::Barrier::new(2);
        let open = &|family: &str| {
            let mut options = of(STORED);
            options.target.as_mut().unwrap().family = family.into();
            start.wait();
            Psdb::open(&[(ValueTypes::ALL, &path)], &options)
        };
        let opened = thread::scope(|scope| {
            ["one", "another"]
                .map(|family| scope.spawn(move || open(family)))
                .map(|thread| thread.join().unwrap())
        });
        let refused = opened.iter().filter_map(|opened| opened.as_ref().err());
        let refused: Vec<&Error> = refused.collect();
        assert!(
            matches!(refused[..], [Error::InvalidArgument(_)]),
            "{round}: {opened:?}"
        );
    }
}
