//! `CreateStateObjectDatabaseFromFile1` and `Checkpoint`.

use std::fs;
use std::path::Path;
use std::ptr;

use api_sys::*;
use runtime_test_support::api::*;
use windows_core::{HRESULT, IUnknown, Interface, PCWSTR};

use crate::database::*;
use crate::pipelines::{embedded, external};
use crate::preview::*;

const DEFAULT: i32 = D3D12_JOURNAL_MODE_DEFAULT;
const DELETE: i32 = D3D12_JOURNAL_MODE_DELETE;
const LOG: i32 = D3D12_JOURNAL_MODE_WAL;
const TRUNCATE: i32 = D3D12_CHECKPOINT_MODE_TRUNCATE;
const READ_ONLY: u32 = D3D12_STATE_OBJECT_DATABASE_FLAG_READ_ONLY;

fn with_journal(mode: i32) -> D3D12_STATE_OBJECT_DATABASE_DESC {
    D3D12_STATE_OBJECT_DATABASE_DESC {
        JournalMode: mode,
        ..Default::default()
    }
}

/// The journal before.
fn checkpoint(
    database: &ID3D12StateObjectDatabase1,
    mode: i32,
    journal: i32,
) -> Result<i32, HRESULT> {
    let mut before = -1;
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    match unsafe { database.Checkpoint(mode, journal, &raw mut before) } {
        S_OK => Ok(before),
        result => {
            assert_eq!(before, -1);
            Err(result)
        }
    }
}

fn store(database: &ID3D12StateObjectDatabase, key: &[u8]) -> HRESULT {
    store_pipeline(database, key, 1, &embedded().desc())
}

/// Whether the file says that it has a log.
fn is_logged(path: &Path) -> bool {
    let header = fs::read(path).unwrap();
    assert_eq!(header[18], header[19]);
    header[18] == 2
}

/// Bytes of the log beside the file; `None` if there is none.
fn log(path: &Path) -> Option<u64> {
    let metadata = fs::metadata(path.with_extension("sodb-wal")).ok()?;
    Some(metadata.len())
}

#[test]
fn how_changes_reach_the_file() {
    // What is asked for; what there is while it is open and has been written; what the file says afterwards.
    for (mode, while_open, afterwards) in [
        (DEFAULT, true, false),
        (DELETE, false, false),
        (LOG, true, true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sodb");
        let database = open_with(&path, &with_journal(mode));
        assert_eq!(store(&database, b"k"), S_OK);
        assert_eq!(log(&path).is_some(), while_open);
        drop(database);
        // The log is folded in any case.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(is_logged(&path), afterwards, "mode {mode}");
        assert!(has_the_published_schema(&path));
        assert_eq!(version(&open_to_read(&path), b"k"), Ok(1));
        // With nothing said it is as the other method has it.
        let database = open_with(&path, &with_journal(DEFAULT));
        assert_eq!(store(&database, b"l"), S_OK);
        drop(database);
        assert!(!is_logged(&path));
    }
}

#[test]
fn a_log_is_folded_into_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let database = open_with(&path, &with_journal(LOG));
    for (mode, key) in [
        (D3D12_CHECKPOINT_MODE_PASSIVE, b"a"),
        (D3D12_CHECKPOINT_MODE_FULL, b"b"),
        (D3D12_CHECKPOINT_MODE_RESTART, b"c"),
        (TRUNCATE, b"d"),
    ] {
        assert_eq!(store(&database, key), S_OK);
        assert_ne!(log(&path), Some(0));
        assert_eq!(checkpoint(&database, mode, DEFAULT), Ok(LOG));
        assert_eq!(log(&path) == Some(0), mode == TRUNCATE);
        // It is in the file itself by now.
        let copy = folder.path().join("copy.sodb");
        fs::copy(&path, &copy).unwrap();
        assert_eq!(version(&open_to_read(&copy), key), Ok(1));
        fs::remove_file(copy).unwrap();
    }
    assert_eq!(checkpoint(&database, TRUNCATE, DELETE), Ok(LOG));
    assert!(!is_logged(&path) && log(&path).is_none());
    assert_eq!(checkpoint(&database, TRUNCATE, DELETE), Ok(DELETE));
    // From now on there is none.
    assert_eq!(store(&database, b"e"), S_OK);
    assert!(!is_logged(&path) && log(&path).is_none());
    assert_eq!(
        checkpoint(&database, D3D12_CHECKPOINT_MODE_PASSIVE, LOG),
        Ok(DELETE)
    );
    assert_eq!(store(&database, b"f"), S_OK);
    assert!(is_logged(&path) && log(&path).is_some());
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    let result = unsafe { database.Checkpoint(TRUNCATE, DELETE, ptr::null_mut()) };
    assert_eq!(result, S_OK);
    drop(database);
    assert!(!is_logged(&path));
    assert!(has_the_published_schema(&path));
    assert_eq!(pipelines(&open_with(&path, &READER)).len(), 1);
}

#[test]
fn a_checkpoint_that_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let database = open_with(&path, &WAL);
    assert_eq!(store(&database, b"k"), S_OK);
    for (mode, journal) in [(-1, DEFAULT), (4, DEFAULT), (TRUNCATE, -1), (TRUNCATE, 3)] {
        assert_eq!(checkpoint(&database, mode, journal), Err(E_INVALIDARG));
    }
    // SAFETY: every pointer is null, misaligned, or to a value of its type that outlives the call.
    let result = unsafe { database.Checkpoint(TRUNCATE, DEFAULT, ptr::without_provenance_mut(2)) };
    assert_eq!(result, E_INVALIDARG);
    // SAFETY: no pointers.
    unsafe {
        assert_eq!(
            database.BeginTransaction(D3D12_TRANSACTION_TYPE_DEFERRED),
            S_OK
        );
        assert_eq!(
            checkpoint(&database, TRUNCATE, DEFAULT),
            Err(ILLEGAL_STATE_CHANGE)
        );
        assert_eq!(database.RollbackTransaction(), S_OK);
    }
    let reader = open_with(&path, &READER);
    assert_eq!(checkpoint(&reader, TRUNCATE, DEFAULT), Err(E_ACCESSDENIED));
    // SAFETY: no pointers.
    let begun = unsafe { reader.BeginTransaction(D3D12_TRANSACTION_TYPE_DEFERRED) };
    assert_eq!(begun, S_OK);
    assert_eq!(version(&reader, b"k"), Ok(1));
    assert_eq!(store_pipeline(&database, b"k", 2, &external().desc()), S_OK);
    // What is read has to stay.
    for mode in [
        D3D12_CHECKPOINT_MODE_FULL,
        D3D12_CHECKPOINT_MODE_RESTART,
        TRUNCATE,
    ] {
        assert_eq!(checkpoint(&database, mode, DEFAULT), Err(LOCK_VIOLATION));
    }
    assert_eq!(
        checkpoint(&database, D3D12_CHECKPOINT_MODE_PASSIVE, DEFAULT),
        Ok(LOG)
    );
    drop(reader);
    // As long as another session has the file open there is a log.
    let other = open_with(&path, &WAL);
    assert_eq!(version(&other, b"k"), Ok(2));
    assert_eq!(checkpoint(&database, TRUNCATE, DELETE), Err(LOCK_VIOLATION));
    assert!(is_logged(&path));
    drop(other);
    assert_eq!(checkpoint(&database, TRUNCATE, DELETE), Ok(LOG));
}

#[test]
fn arguments_that_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    for desc in [
        with_journal(-1),
        with_journal(3),
        D3D12_STATE_OBJECT_DATABASE_DESC {
            Flags: 2,
            ..Default::default()
        },
    ] {
        assert_eq!(try_open_with(&path, &desc, None).unwrap_err(), E_INVALIDARG);
    }
    let good = wide_path(&path);
    let desc = D3D12_STATE_OBJECT_DATABASE_DESC::default();
    let factory: ID3D12StateObjectDatabaseFactory1 = factory().cast().unwrap();
    for (path, desc) in [
        (ptr::null(), &raw const desc),
        ([0].as_ptr(), &raw const desc),
        (good.as_ptr(), ptr::null()),
        (good.as_ptr(), ptr::without_provenance(2)),
    ] {
        // SAFETY: every pointer is null, misaligned, or to a value of its type that outlives the call.
        let result = get::<IUnknown>(|riid, place| unsafe {
            factory.CreateStateObjectDatabaseFromFile1(PCWSTR(path), desc, None, riid, place)
        });
        assert_eq!(result.unwrap_err(), E_INVALIDARG);
    }
    // SAFETY: every pointer is null, misaligned, or to a value of its type that outlives the call.
    let result = get::<ID3D12Compiler>(|riid, place| unsafe {
        factory.CreateStateObjectDatabaseFromFile1(
            PCWSTR(good.as_ptr()),
            &raw const desc,
            None,
            riid,
            place,
        )
    });
    assert_eq!(result.unwrap_err(), E_NOINTERFACE);
    assert_eq!(
        try_open_with(&path, &READER, None).unwrap_err(),
        FILE_NOT_FOUND
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn who_reads_changes_no_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    for (is, other) in [(LOG, DELETE), (DELETE, LOG)] {
        let database = open_with(&path, &with_journal(is));
        assert_eq!(store(&database, b"k"), S_OK);
        drop(database);
        let reading = |mode| D3D12_STATE_OBJECT_DATABASE_DESC {
            Flags: READ_ONLY,
            ..with_journal(mode)
        };
        for mode in [DEFAULT, is] {
            assert_eq!(version(&open_with(&path, &reading(mode)), b"k"), Ok(1));
        }
        let opened = try_open_with(&path, &reading(other), None);
        assert_eq!(opened.unwrap_err(), E_ACCESSDENIED);
        assert_eq!(is_logged(&path), is == LOG);
    }
}
