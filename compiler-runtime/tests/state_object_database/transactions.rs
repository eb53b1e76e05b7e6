//! `BeginTransaction`, `CommitTransaction`, `RollbackTransaction`, `IsTransactionActive`.

use std::thread;

use api_sys::*;
use runtime_test_support::api::Application;
use windows_core::{HRESULT, Interface};

use crate::database::*;
use crate::pipelines::{embedded, external};
use crate::preview::*;
use crate::state_objects::noise;

const DEFERRED: i32 = D3D12_TRANSACTION_TYPE_DEFERRED;
const IMMEDIATE: i32 = D3D12_TRANSACTION_TYPE_IMMEDIATE;
const EXCLUSIVE: i32 = D3D12_TRANSACTION_TYPE_EXCLUSIVE;
const SAVEPOINT: i32 = D3D12_TRANSACTION_TYPE_SAVEPOINT;

fn begin(database: &ID3D12StateObjectDatabase1, kind: i32) -> HRESULT {
    // SAFETY: no pointers.
    unsafe { database.BeginTransaction(kind) }
}

fn commit(database: &ID3D12StateObjectDatabase1) -> HRESULT {
    // SAFETY: no pointers.
    unsafe { database.CommitTransaction() }
}

fn roll_back(database: &ID3D12StateObjectDatabase1) -> HRESULT {
    // SAFETY: no pointers.
    unsafe { database.RollbackTransaction() }
}

fn is_active(database: &ID3D12StateObjectDatabase1) -> bool {
    // SAFETY: no pointers.
    unsafe { database.IsTransactionActive() }.as_bool()
}

fn store(database: &ID3D12StateObjectDatabase, key: &[u8]) -> HRESULT {
    store_pipeline(database, key, 1, &embedded().desc())
}

/// The keys of these that are found.
fn there<'k>(database: &ID3D12StateObjectDatabase, keys: &[&'k str]) -> Vec<&'k str> {
    let is_there = |key: &&&str| version(database, key.as_bytes()).is_ok();
    keys.iter().filter(is_there).copied().collect()
}

#[test]
fn others_see_what_is_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    for (kind, key) in [DEFERRED, IMMEDIATE, EXCLUSIVE, SAVEPOINT]
        .into_iter()
        .zip(["a", "b", "c", "d"])
    {
        let database = open_with(&path, &WAL);
        let other = open_with(&path, &READER);
        assert!(!is_active(&database));
        assert_eq!(begin(&database, kind), S_OK);
        assert!(is_active(&database) && !is_active(&other));
        assert_eq!(store(&database, key.as_bytes()), S_OK);
        assert_eq!(version(&database, key.as_bytes()), Ok(1));
        assert_eq!(version(&other, key.as_bytes()), Err(DXGI_ERROR_NOT_FOUND));
        assert_eq!(commit(&database), S_OK);
        assert!(!is_active(&database));
        assert_eq!(version(&other, key.as_bytes()), Ok(1));
    }
    assert!(has_the_published_schema(&path));
}

#[test]
fn what_is_rolled_back_is_forgotten() {
    let (_folder, database) = temporary1();
    let application = Application::default();
    let family = |first: &str, second: &str| {
        assert_eq!(
            store_object(&database, first.as_bytes(), 1, &noise("noise_a"), b""),
            S_OK
        );
        let child = store_object(
            &database,
            second.as_bytes(),
            1,
            &noise("noise_b"),
            first.as_bytes(),
        );
        assert_eq!(child, S_OK);
        // By now it is known which rows of the groups name what.
        assert_eq!(
            object(&database, second.as_bytes()).unwrap().2,
            first.as_bytes()
        );
        let by = by_group(first.as_bytes());
        let mut groups = Vec::new();
        let found = find_object1(&database, by, Callbacks::default(), |found, _, _, _| {
            groups = found;
        });
        assert_eq!((found, groups), (S_OK, named(&[(first.as_bytes(), 1)])));
    };
    assert_eq!(begin(&database, IMMEDIATE), S_OK);
    family("root", "child");
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    let set = unsafe { database.SetApplicationDesc(&application.desc()) };
    assert_eq!(set, S_OK);
    assert_eq!(roll_back(&database), S_OK);
    assert!(!is_active(&database));
    assert_eq!(there(&database, &["root", "child"]), [""; 0]);
    assert_eq!(objects(&database), []);
    // SAFETY: every pointer is null or to a value of its type that outlives the call; the callback is not called.
    let got = unsafe { database.GetApplicationDesc(Some(no_application), std::ptr::null_mut()) };
    assert_eq!(got, DXGI_ERROR_NOT_FOUND);
    // The rows get the places that those had, with other content.
    assert_eq!(store(&database, b"first"), S_OK);
    family("root", "child");
    assert_eq!(
        store_object(&database, b"root", 2, &noise("noise_c=noise_b"), b""),
        S_OK
    );
    assert_eq!(object(&database, b"child").unwrap().2, b"root");
}

unsafe extern "system" fn no_application(
    _: *const D3D12_APPLICATION_DESC,
    _: *mut std::ffi::c_void,
) {
    std::process::abort();
}

#[test]
fn savepoints_are_nested() {
    let (_folder, database) = temporary1();
    assert_eq!(begin(&database, DEFERRED), S_OK);
    assert_eq!(store(&database, b"a"), S_OK);
    assert_eq!(begin(&database, SAVEPOINT), S_OK);
    assert_eq!(store(&database, b"b"), S_OK);
    assert_eq!(begin(&database, SAVEPOINT), S_OK);
    assert_eq!(store(&database, b"c"), S_OK);
    let keys = ["a", "b", "c", "d"];
    assert_eq!(there(&database, &keys), ["a", "b", "c"]);
    assert_eq!(roll_back(&database), S_OK);
    assert_eq!(there(&database, &keys), ["a", "b"]);
    assert_eq!(begin(&database, SAVEPOINT), S_OK);
    assert_eq!(store(&database, b"d"), S_OK);
    assert_eq!(commit(&database), S_OK);
    assert_eq!(there(&database, &keys), ["a", "b", "d"]);
    // With it goes what was committed into it.
    assert_eq!(roll_back(&database), S_OK);
    assert_eq!(there(&database, &keys), ["a"]);
    assert!(is_active(&database));
    assert_eq!(commit(&database), S_OK);
    assert!(!is_active(&database));
    assert_eq!(there(&database, &keys), ["a"]);
    assert_eq!(pipelines(&database).len(), 1);
}

#[test]
fn calls_that_do_not_go_with_the_transaction() {
    let (_folder, database) = temporary1();
    for kind in [-1, 4] {
        assert_eq!(begin(&database, kind), E_INVALIDARG);
    }
    for end in [commit, roll_back] {
        assert_eq!(end(&database), ILLEGAL_STATE_CHANGE);
        assert_eq!(begin(&database, SAVEPOINT), S_OK);
        assert_eq!(store(&database, b"k"), S_OK);
        for kind in [DEFERRED, IMMEDIATE, EXCLUSIVE] {
            assert_eq!(begin(&database, kind), ILLEGAL_STATE_CHANGE);
        }
        assert!(is_active(&database));
        assert_eq!(version(&database, b"k"), Ok(1));
        assert_eq!(end(&database), S_OK);
        assert!(!is_active(&database));
        assert_eq!(end(&database), ILLEGAL_STATE_CHANGE);
    }
}

#[test]
fn a_store_that_fails_leaves_the_others_of_the_transaction() {
    let (_folder, database) = temporary1();
    assert_eq!(begin(&database, IMMEDIATE), S_OK);
    assert_eq!(store(&database, b"a"), S_OK);
    let groups: [(&[u8], u32); 2] = [(b"b", 1), (b"a", 1)];
    let stored = store_pipeline1(&database, &groups, &external().desc());
    assert_eq!(stored, DXGI_ERROR_ALREADY_EXISTS);
    let orphan = store_object(&database, b"o", 1, &noise("noise_a"), b"nobody");
    assert_eq!(orphan, DXGI_ERROR_NOT_FOUND);
    assert!(is_active(&database));
    assert_eq!(store(&database, b"c"), S_OK);
    assert_eq!(commit(&database), S_OK);
    assert_eq!(there(&database, &["a", "b", "c", "o"]), ["a", "c"]);
    assert_eq!(pipelines(&database).len(), 1);
}

/// A file whose groups cannot have the same version, so that the second name of an object fails.
#[test]
fn a_store_that_fails_half_way_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    drop(open(&path));
    let sql = rusqlite::Connection::open(&path).unwrap();
    sql.execute_batch("CREATE UNIQUE INDEX of_somebody ON groups (Version)")
        .unwrap();
    drop(sql);
    let database: ID3D12StateObjectDatabase1 = open(&path).cast().unwrap();
    let groups: [(&[u8], u32); 2] = [(b"b", 2), (b"c", 1)];
    for is_in_transaction in [false, true] {
        assert_eq!(is_active(&database), is_in_transaction);
        let first = store_pipeline1(&database, &[(b"a", 1)], &embedded().desc());
        assert_eq!(first, S_OK);
        let stored = store_pipeline1(&database, &groups, &external().desc());
        assert_eq!(stored, FILE_CORRUPT);
        assert_eq!(is_active(&database), is_in_transaction);
        assert_eq!(there(&database, &["a", "b", "c"]), ["a"]);
        assert_eq!(groups_of(pipelines(&database)), [named(&[(b"a", 1)])]);
        if !is_in_transaction {
            assert_eq!(begin(&database, DEFERRED), S_OK);
        }
    }
    assert_eq!(commit(&database), S_OK);
    assert_eq!(there(&database, &["a", "b", "c"]), ["a"]);
}

#[test]
fn one_session_writes_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let (first, second) = (open_with(&path, &WAL), open_with(&path, &WAL));
    for kind in [IMMEDIATE, EXCLUSIVE] {
        assert_eq!(begin(&first, kind), S_OK);
        assert_eq!(begin(&second, IMMEDIATE), LOCK_VIOLATION);
        assert!(!is_active(&second));
        assert_eq!(store(&second, b"b"), LOCK_VIOLATION);
        assert_eq!(commit(&first), S_OK);
    }
    // What was read is not what is there any more: nothing can be stored upon it.
    assert_eq!(begin(&second, DEFERRED), S_OK);
    assert_eq!(there(&second, &["a"]), [""; 0]);
    assert_eq!(store(&first, b"a"), S_OK);
    assert_eq!(there(&second, &["a"]), [""; 0]);
    assert_eq!(store(&second, b"b"), LOCK_VIOLATION);
    assert!(is_active(&second));
    assert_eq!(roll_back(&second), S_OK);
    assert_eq!(store(&second, b"b"), S_OK);
    assert_eq!(there(&first, &["a", "b"]), ["a", "b"]);
}

#[test]
fn who_reads_keeps_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let writer = open_with(&path, &WAL);
    assert_eq!(store(&writer, b"a"), S_OK);
    let reader = open_with(&path, &READER);
    for kind in [IMMEDIATE, EXCLUSIVE] {
        assert_eq!(begin(&reader, kind), E_ACCESSDENIED);
        assert!(!is_active(&reader));
    }
    for (kind, new) in [(DEFERRED, "b"), (SAVEPOINT, "c")] {
        assert_eq!(begin(&reader, kind), S_OK);
        let before = pipelines(&reader).len();
        assert_eq!(
            store_pipeline(&writer, new.as_bytes(), 1, &external().desc()),
            S_OK
        );
        assert_eq!(store(&reader, b"x"), E_ACCESSDENIED);
        assert!(is_active(&reader));
        // On any thread.
        let shared = Shared(reader.clone());
        let shared = &shared;
        let seen = thread::scope(|scope| {
            let threads = [(); 3].map(|()| {
                scope.spawn(move || (pipelines(&shared.0).len(), there(&shared.0, &[new])))
            });
            threads.map(|thread| thread.join().unwrap())
        });
        assert_eq!(seen, [(); 3].map(|()| (before, vec![])));
        assert_eq!(commit(&reader), S_OK);
        assert_eq!(there(&reader, &[new]), [new]);
    }
}

/// An interface for other threads: the objects are free-threaded, which windows-core does not know.
struct Shared(ID3D12StateObjectDatabase1);

// SAFETY: the objects are free-threaded.
unsafe impl Sync for Shared {}

#[test]
fn what_is_not_committed_ends_with_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let database: ID3D12StateObjectDatabase1 = open(&path).cast().unwrap();
    assert_eq!(store(&database, b"a"), S_OK);
    assert_eq!(begin(&database, EXCLUSIVE), S_OK);
    assert_eq!(begin(&database, SAVEPOINT), S_OK);
    assert_eq!(store(&database, b"b"), S_OK);
    drop(database);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(has_the_published_schema(&path));
    let database = open_with(&path, &READER);
    assert_eq!(there(&database, &["a", "b"]), ["a"]);
}
