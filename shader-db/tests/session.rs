//! Storing and finding in one session, and in the next.

mod common;

use shader_db::Error;
use shader_db::psdb::{
    Access, Application, MAX_SIZE, Options, Psdb, Target, ValueType, ValueTypes, rewrite,
};

use common::{application, beside, create, numbered, options, read, sha256, target, value};

/// What `GetTempFileName` leaves.
#[test]
fn a_file_without_a_byte_is_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let [new, empty] = ["new.psdb", "empty.psdb"].map(|name| folder.path().join(name));
    for path in [&new, &empty] {
        if path == &empty {
            std::fs::write(path, "").unwrap();
        }
        let psdb = create(path);
        let values: [(ValueType, &[u8]); 1] = [(ValueType::ObjectCode, b"code")];
        psdb.store_value(b"k", &values).unwrap();
        psdb.store_group(b"g", 1, &[b"k"]).unwrap();
        psdb.close().unwrap();
    }
    assert_eq!(beside(&empty), ["new.psdb"]);
    assert_eq!(sha256(&empty), sha256(&new));

    // Sessions at the same time, as for a file that is not there.
    let several = folder.path().join("several.psdb");
    std::fs::write(&several, "").unwrap();
    let barrier = std::sync::Barrier::new(8);
    std::thread::scope(|scope| {
        for number in 0..8_u8 {
            let (barrier, several) = (&barrier, &several);
            scope.spawn(move || {
                barrier.wait();
                let psdb = create(several);
                psdb.store_group(&[number], 1, &[b"k"]).unwrap();
            });
        }
    });
    let psdb = read(&several);
    assert!((0..8).all(|number| psdb.find_group(&[number]).unwrap() == Some(1)));
    // Windows cuts no file that is mapped.
    drop(psdb);

    // Only who may create takes it.
    std::fs::write(&several, "").unwrap();
    for access in [Access::Read, Access::Write] {
        let options = Options {
            access,
            ..Options::default()
        };
        let opened = Psdb::open(&[(ValueTypes::ALL, &several)], &options);
        assert!(matches!(opened, Err(Error::BadFormat { .. })), "{opened:?}");
    }
    // Without a target it cannot be made, and stays as it is.
    let without = Psdb::open(&[(ValueTypes::ALL, &several)], &Options::default());
    assert!(matches!(without, Err(Error::InvalidArgument(_))));
    assert_eq!(std::fs::metadata(&several).unwrap().len(), 0);
}

#[test]
fn what_is_stored_is_found_pending_written_and_reopened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let check = |psdb: &Psdb| {
        assert_eq!(
            value(psdb, b"k", ValueType::ObjectCode).unwrap().as_deref(),
            Some(&b"code"[..])
        );
        assert_eq!(
            value(psdb, b"k", ValueType::DebugPdb).unwrap().as_deref(),
            Some(&b"debug"[..])
        );
        assert_eq!(value(psdb, b"k", ValueType::Metadata).unwrap(), None);
        assert_eq!(value(psdb, b"other", ValueType::ObjectCode).unwrap(), None);
        assert_eq!(psdb.value_size(b"k", ValueType::DebugPdb).unwrap(), Some(5));
        assert_eq!(
            psdb.value_size(b"k", ValueType::PerformanceData).unwrap(),
            None
        );
        assert_eq!(
            psdb.find_group(b"k").unwrap(),
            None,
            "a value key is no group key"
        );
        assert_eq!(psdb.find_group(b"g").unwrap(), Some(u32::MAX));
        assert_eq!(
            psdb.group_value_keys(b"g", 7).unwrap(),
            None,
            "another version"
        );
        let expected: [&[u8]; 3] = [b"z", b"k", b"missing"];
        assert_eq!(
            psdb.group_value_keys(b"g", u32::MAX).unwrap().unwrap(),
            expected,
            "stored order, without repetitions"
        );
        assert_eq!(
            psdb.group_value_keys(b"empty", 0).unwrap().unwrap(),
            Vec::<Vec<u8>>::new()
        );
        assert_eq!(*psdb.target(), target());
        assert_eq!(*psdb.application(), application());
    };
    let psdb = create(&path);
    psdb.store_value(
        b"k",
        &[
            (ValueType::DebugPdb, b"debug"),
            (ValueType::ObjectCode, b"code"),
        ],
    )
    .unwrap();
    psdb.store_group(b"g", u32::MAX, &[b"z", b"k", b"z", b"missing"])
        .unwrap();
    psdb.store_group(b"empty", 0, &[]).unwrap();
    let refused = |psdb: &Psdb| {
        let both: [(ValueType, &[u8]); 2] = [
            (ValueType::Metadata, b"m"),
            (ValueType::ObjectCode, b"code"),
        ];
        assert_eq!(psdb.store_value(b"k", &both), Err(Error::AlreadyExists));
        assert_eq!(
            value(psdb, b"k", ValueType::Metadata).unwrap(),
            None,
            "all or none"
        );
        assert_eq!(psdb.store_group(b"g", 1, &[]), Err(Error::AlreadyExists));
    };
    check(&psdb);
    refused(&psdb);
    check(&psdb);
    refused(&psdb);
    psdb.close().unwrap();
    assert_eq!(beside(&path), [""; 0]);

    let finished = sha256(&path);
    let psdb = create(&path);
    check(&psdb);
    refused(&psdb);
    drop(psdb);
    check(&read(&path));
    assert_eq!(
        sha256(&path),
        finished,
        "a session that stores nothing changes nothing"
    );
    assert_eq!(beside(&path), [""; 0]);

    let psdb = create(&path);
    psdb.store_value(b"k", &[(ValueType::Metadata, b"m")])
        .unwrap();
    psdb.store_group(b"k", 1, &[b"k"]).unwrap();
    psdb.close().unwrap();
    assert_eq!(beside(&path), [""; 0]);
    let psdb = read(&path);
    assert_eq!(
        value(&psdb, b"k", ValueType::Metadata).unwrap().as_deref(),
        Some(&b"m"[..])
    );
    assert_eq!(psdb.find_group(b"k").unwrap(), Some(1));
    drop(psdb);

    // What was added afterwards and what was there from the start are one and the same after a rewrite.
    rewrite(&path).unwrap();
    let other = folder.path().join("b.psdb");
    let psdb = create(&other);
    psdb.store_group(b"k", 1, &[b"k"]).unwrap();
    psdb.store_value(
        b"k",
        &[(ValueType::Metadata, b"m"), (ValueType::DebugPdb, b"debug")],
    )
    .unwrap();
    psdb.store_group(b"empty", 0, &[]).unwrap();
    psdb.store_group(b"g", u32::MAX, &[b"z", b"k", b"missing"])
        .unwrap();
    psdb.store_value(b"k", &[(ValueType::ObjectCode, b"code")])
        .unwrap();
    psdb.close().unwrap();
    assert_eq!(sha256(&path), sha256(&other));
}

#[test]
fn arguments_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let psdb = create(&path);
    let invalid = |result: Result<(), Error>| {
        assert!(
            matches!(result, Err(Error::InvalidArgument(_))),
            "{result:?}"
        );
    };
    invalid(psdb.store_value(b"", &[(ValueType::ObjectCode, b"x")]));
    invalid(psdb.store_value(b"k", &[]));
    invalid(psdb.store_value(b"k", &[(ValueType::ObjectCode, b"")]));
    invalid(psdb.store_value(
        b"k",
        &[(ValueType::ObjectCode, b"x"), (ValueType::ObjectCode, b"x")],
    ));
    invalid(psdb.store_group(b"", 1, &[]));
    invalid(psdb.store_group(b"g", 1, &[b""]));
    invalid(psdb.find_group(b"").map(drop));
    invalid(
        psdb.find_value(b"", ValueType::ObjectCode, <[u8]>::len)
            .map(drop),
    );
    invalid(psdb.value_size(b"", ValueType::ObjectCode).map(drop));
    // Zeroed memory is not touched, so this costs none.
    let big = vec![0; MAX_SIZE + 1];
    let too_big = Error::TooBig {
        size: MAX_SIZE + 1,
        limit: MAX_SIZE,
    };
    assert_eq!(
        psdb.store_value(b"k", &[(ValueType::ObjectCode, &big)]),
        Err(too_big.clone())
    );
    assert_eq!(psdb.store_group(&big, 1, &[]), Err(too_big.clone()));
    assert_eq!(psdb.store_group(b"g", 1, &[&big]), Err(too_big));
    psdb.close().unwrap();

    let psdb = read(&path);
    for result in [
        psdb.store_value(b"k", &[(ValueType::ObjectCode, b"x")]),
        psdb.store_group(b"g", 1, &[]),
    ] {
        assert!(
            matches!(result, Err(Error::AccessDenied { .. })),
            "{result:?}"
        );
    }
}

#[test]
fn sessions_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = &folder.path().join("a.psdb");
    let other = &folder.path().join("b.psdb");
    let code: ValueTypes = ValueType::ObjectCode.into();
    let debug: ValueTypes = ValueType::DebugPdb.into();
    let invalid = |files: &[(ValueTypes, &std::path::PathBuf)], options: &Options| {
        let result = Psdb::open(files, options);
        assert!(
            matches!(result, Err(Error::InvalidArgument(_))),
            "{result:?}"
        );
    };
    invalid(&[], &options());
    invalid(&[(ValueTypes::NONE, path)], &options());
    invalid(&[(code | debug, path), (debug, other)], &options());
    invalid(
        &[(code, path)],
        &Options {
            target: None,
            ..options()
        },
    );
    invalid(
        &[(code, path)],
        &Options {
            application: None,
            ..options()
        },
    );
    invalid(
        &[(code, path)],
        &Options {
            target: Some(Target { abi: 0, ..target() }),
            ..options()
        },
    );
    assert!(!path.exists() && !other.exists());
    let result = Psdb::open(
        &[(code, path)],
        &Options {
            access: Access::Write,
            ..options()
        },
    );
    assert_eq!(result.unwrap_err(), Error::NotFound { path: path.clone() });
    let nowhere = folder.path().join("no folder").join("a.psdb");
    let result = Psdb::open(&[(code, &nowhere)], &options());
    assert!(matches!(result, Err(Error::NotFound { .. })), "{result:?}");
    // What a call has created before it fails is gone again.
    let result = Psdb::open(&[(code, path), (debug, &nowhere)], &options());
    assert!(matches!(result, Err(Error::NotFound { .. })), "{result:?}");
    invalid(&[(code, path), (debug, path)], &options());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    drop(Psdb::open(&[(code, path)], &options()).unwrap());
    let result = Psdb::open(&[(code, path), (debug, &nowhere)], &options());
    assert!(matches!(result, Err(Error::NotFound { .. })), "{result:?}");
    assert!(path.exists());
    invalid(&[(code, path), (debug, path)], &options());

    let with_target = |target| Options {
        target: Some(target),
        ..options()
    };
    invalid(
        &[(code, path)],
        &with_target(Target {
            family: "фамилия 1".into(),
            ..target()
        }),
    );
    invalid(&[(code, path)], &with_target(Target { abi: 1, ..target() }));
    let with_application = |application| Options {
        application: Some(application),
        ..options()
    };
    invalid(
        &[(code, path)],
        &with_application(Application {
            exe: String::new(),
            ..application()
        }),
    );
    invalid(
        &[(code, path)],
        &with_application(Application {
            name: String::new(),
            ..application()
        }),
    );
    invalid(
        &[(code, path)],
        &with_application(Application {
            version: 6,
            ..application()
        }),
    );
    invalid(
        &[(code, path)],
        &with_application(Application {
            engine_name: None,
            ..application()
        }),
    );
    invalid(
        &[(code, path)],
        &with_application(Application {
            engine_version: 0,
            ..application()
        }),
    );
    // No file has ABI version 0, and no caller is to say it of one.
    invalid(&[(code, path)], &with_target(Target { abi: 0, ..target() }));
    // A new side file takes what the existing one says.
    let psdb = Psdb::open(&[(code, path), (debug, other)], &Options::default()).unwrap();
    psdb.store_group(b"g", 1, &[]).unwrap();
    drop(psdb);
    let psdb = Psdb::open(&[(debug, other)], &Options::default()).unwrap();
    assert_eq!(
        (psdb.target(), psdb.application()),
        (&target(), &application())
    );
    assert_eq!(psdb.find_group(b"g").unwrap(), Some(1));
    let result = psdb.store_value(b"k", &[(ValueType::ObjectCode, b"x")]);
    assert!(
        matches!(result, Err(Error::InvalidArgument(_))),
        "{result:?}"
    );
    assert_eq!(value(&psdb, b"k", ValueType::ObjectCode).unwrap(), None);
}

#[test]
fn each_type_goes_to_its_file_and_each_file_stands_alone() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["code", "debug", "rest"].map(|name| folder.path().join(name));
    let types: [ValueTypes; 3] = [
        ValueType::ObjectCode.into(),
        ValueType::DebugPdb.into(),
        [ValueType::Metadata, ValueType::PerformanceData]
            .into_iter()
            .collect(),
    ];
    let files: Vec<_> = types.into_iter().zip(&paths).rev().collect();
    let psdb = Psdb::open(&files, &options()).unwrap();
    for number in 0..50 {
        let (key, code) = numbered(number);
        psdb.store_value(
            &key,
            &[(ValueType::ObjectCode, &code), (ValueType::DebugPdb, &key)],
        )
        .unwrap();
        psdb.store_value(&key, &[(ValueType::PerformanceData, b"perf")])
            .unwrap();
        psdb.store_group(&number.to_le_bytes(), 1, &[&key]).unwrap();
        let again: [(ValueType, &[u8]); 2] =
            [(ValueType::Metadata, b"m"), (ValueType::DebugPdb, b"d")];
        assert_eq!(
            psdb.store_value(&key, &again),
            Err(Error::AlreadyExists),
            "one is in another file"
        );
        assert_eq!(psdb.value_size(&key, ValueType::Metadata).unwrap(), None);
    }
    psdb.close().unwrap();
    for (types, path) in types.into_iter().zip(&paths) {
        let psdb = read(path);
        for number in 0..50 {
            let (key, code) = numbered(number);
            let expected = [Some(code), None, Some(key.clone()), Some(b"perf".to_vec())];
            for kind in ValueType::ALL {
                let expected = expected[kind as usize].clone().filter(|_| types.has(kind));
                assert_eq!(
                    value(&psdb, &key, kind).unwrap(),
                    expected,
                    "{kind:?} in {path:?}"
                );
            }
            assert_eq!(
                psdb.group_value_keys(&number.to_le_bytes(), 1).unwrap(),
                Some(vec![key])
            );
        }
    }
}

#[test]
fn any_path_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let name = if cfg!(windows) {
        "файл 日本語 %20#.psdb"
    } else {
        "файл 日本語 %20?mode=memory#.psdb"
    };
    let path = folder.path().join(name);
    create(&path).close().unwrap();
    assert!(path.is_file());
    drop(read(&path));

    // The directory is the whole process's; no other test of this program uses a relative path.
    std::env::set_current_dir(folder.path()).unwrap();
    let names: &[&str] = if cfg!(windows) {
        &["plain"]
    } else {
        &["plain", ":memory:", "file:a?mode=memory", "file:b"]
    };
    for name in names {
        let psdb = create(name.as_ref());
        psdb.store_group(b"g", 1, &[]).unwrap();
        psdb.close().unwrap();
        assert!(folder.path().join(name).is_file(), "{name}");
        assert_eq!(
            read(name.as_ref()).find_group(b"g").unwrap(),
            Some(1),
            "{name}"
        );
    }
    std::env::set_current_dir(std::env::temp_dir()).unwrap();
}

/// As VACUUM, or another writer, may put them.
#[test]
fn values_are_found_in_whatever_row_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let psdb = create(&path);
    for number in 0..20 {
        let (key, code) = numbered(number);
        psdb.store_value(&key, &[(ValueType::ObjectCode, &code)])
            .unwrap();
    }
    psdb.close().unwrap();
    let file = rusqlite::Connection::open(&path).unwrap();
    let renumbered = "CREATE TEMP TABLE old AS SELECT * FROM vals; DELETE FROM vals; \
                      INSERT INTO vals SELECT * FROM old ORDER BY keyid DESC";
    file.execute_batch(renumbered).unwrap();
    file.close().unwrap();

    let psdb = Psdb::open(&[(ValueTypes::ALL, path)], &options()).unwrap();
    // Behind the last row, which is below some that these keys would have.
    let added = [30, 31].map(numbered);
    for (key, code) in &added {
        psdb.store_value(key, &[(ValueType::ObjectCode, code)])
            .unwrap();
    }
    for (key, code) in (0..20).map(numbered).chain(added) {
        let found = value(&psdb, &key, ValueType::ObjectCode).unwrap();
        assert_eq!(found.as_deref(), Some(&code[..]));
        let size = psdb.value_size(&key, ValueType::ObjectCode).unwrap();
        assert_eq!(size.map(|size| size as usize), Some(code.len()));
        assert_eq!(value(&psdb, &key, ValueType::DebugPdb).unwrap(), None);
    }
}

#[test]
fn what_is_stored_again_with_other_bytes_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    for is_in_file in [false, true] {
        let psdb = create(&path);
        let both = [
            (ValueType::ObjectCode, &b"code"[..]),
            (ValueType::Metadata, b"more"),
        ];
        if is_in_file {
            assert_eq!(psdb.store_value(b"k", &both), Err(Error::AlreadyExists));
        } else {
            psdb.store_value(b"k", &both).unwrap();
            assert_eq!(psdb.store_value(b"k", &both), Err(Error::AlreadyExists));
        }
        assert_eq!(psdb.differing_values(), []);
        let other = [
            (ValueType::ObjectCode, &b"code"[..]),
            (ValueType::Metadata, b"else"),
            (ValueType::DebugPdb, b"pdb"),
        ];
        for _ in 0..2 {
            assert_eq!(psdb.store_value(b"k", &other), Err(Error::AlreadyExists));
        }
        assert_eq!(
            psdb.differing_values(),
            [(b"k".to_vec(), ValueType::Metadata)]
        );
        psdb.close().unwrap();
    }
}

/// A session that ends puts a rewritten file in the place of the one that others have just opened.
#[test]
fn sessions_that_begin_while_others_end_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..10 {
        let path = folder.path().join(format!("{round}.psdb"));
        let is_there = round % 2 == 0;
        if is_there {
            std::fs::write(&path, "").unwrap();
        }
        let barrier = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for number in 0..8_u8 {
                let (barrier, path) = (&barrier, &path);
                scope.spawn(move || {
                    barrier.wait();
                    for again in 0..3_u8 {
                        let psdb = create(path);
                        psdb.store_group(&[number, again], 1, &[b"k"]).unwrap();
                        psdb.close().unwrap();
                    }
                });
            }
        });
        let psdb = read(&path);
        for number in 0..8 {
            for again in 0..3 {
                assert_eq!(
                    psdb.find_group(&[number, again]),
                    Ok(Some(1)),
                    "round {round}"
                );
            }
        }
    }
}
