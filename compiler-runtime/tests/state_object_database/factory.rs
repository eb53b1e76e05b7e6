//! `D3D12GetInterface` and `ID3D12StateObjectDatabaseFactory`.

use std::fs;
use std::path::Path;
use std::ptr;

use api_sys::*;
use compiler_runtime::exports::{D3D12CompilerGetInterface, D3D12GetInterface};
use runtime_test_support::api::*;
use runtime_test_support::stream::StreamBuilder;
use windows_core::{GUID, IUnknown, Interface, PCWSTR};

use crate::database::*;

const READ_ONLY: u32 = D3D12_STATE_OBJECT_DATABASE_FLAG_READ_ONLY;

fn compute() -> StreamBuilder {
    StreamBuilder::new().cs(&runtime_test_support::corpus::shader("raw_copy_cs"))
}

/// The files of a folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

#[test]
fn the_class_under_both_names() {
    for function in [D3D12GetInterface, D3D12CompilerGetInterface] {
        let class = ptr::from_ref(&CLSID_D3D12StateObjectFactory);
        // SAFETY: every pointer is null or to a value of its type that outlives the call.
        unsafe {
            let factory =
                get::<ID3D12StateObjectDatabaseFactory>(|riid, place| function(class, riid, place));
            assert!(factory.unwrap().cast::<IUnknown>().is_ok());
            assert!(get::<IUnknown>(|riid, place| function(class, riid, place)).is_ok());
            let preview = get::<ID3D12StateObjectDatabaseFactory1>(|riid, place| {
                function(class, riid, place)
            });
            let shipped = preview.unwrap().cast::<ID3D12StateObjectDatabaseFactory>();
            assert!(shipped.is_ok());
            let other =
                get::<ID3D12StateObjectDatabase>(|riid, place| function(class, riid, place));
            assert_eq!(other.unwrap_err(), E_NOINTERFACE);
            let other = GUID::zeroed();
            for class in [
                &CLSID_D3D12StateObjectDatabaseCapture,
                &CLSID_D3D12ApplicationIdentity,
                &other,
            ] {
                let unknown = get::<IUnknown>(|riid, place| function(class, riid, place));
                assert_eq!(unknown.unwrap_err(), E_NOINTERFACE);
            }
            // Without a place: all checks, no factory.
            let (iid, none) = (&ID3D12StateObjectDatabaseFactory::IID, ptr::null_mut());
            assert_eq!(function(class, iid, none), S_FALSE);
            assert_eq!(function(class, &ID3D12Compiler::IID, none), E_NOINTERFACE);
            assert_eq!(function(&raw const other, iid, none), E_NOINTERFACE);
            for (class, iid) in [(ptr::null(), ptr::from_ref(iid)), (class, ptr::null())] {
                let mut place = ptr::dangling_mut();
                assert_eq!(function(class, iid, &raw mut place), E_POINTER);
                assert!(place.is_null());
            }
        }
    }
}

#[test]
fn only_the_interfaces_that_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = wide_path(&folder.path().join("a.sodb"));
    let path = PCWSTR(path.as_ptr());
    let factory = factory();
    assert!(factory.cast::<ID3D12StateObjectDatabaseFactory1>().is_ok());
    assert!(factory.cast::<ID3D12StateObjectDatabase>().is_err());
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe {
        let create = |riid, place| factory.CreateStateObjectDatabaseFromFile(path, 0, riid, place);
        let capture = get::<ID3D12StateObjectDatabaseCapture>(create);
        assert_eq!(capture.unwrap_err(), E_NOINTERFACE);
        let mut place = ptr::dangling_mut();
        assert_eq!(create(ptr::null(), &raw mut place), E_POINTER);
        assert!(place.is_null());
        assert_eq!(
            create(&ID3D12StateObjectDatabase::IID, ptr::null_mut()),
            E_POINTER
        );
        assert!(files(folder.path()).is_empty(), "no file before the checks");
        let database = get::<ID3D12StateObjectDatabase>(create).unwrap();
        let preview = database.cast::<ID3D12StateObjectDatabase1>().unwrap();
        assert_eq!(preview.cast::<ID3D12StateObjectDatabase>(), Ok(database));
        assert!(preview.cast::<ID3D12StateObjectDatabaseCapture>().is_err());
        assert!(get::<ID3D12StateObjectDatabase1>(create).is_ok());
        assert!(get::<IUnknown>(create).is_ok());
    }
    assert_eq!(files(folder.path()), ["a.sodb"]);
}

#[test]
fn arguments_that_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let factory = factory();
    let good = wide_path(&folder.path().join("a.sodb"));
    let ill_formed = [u16::from(b'a'), 0xDC00, 0];
    for (path, flags) in [
        (ptr::null(), 0),
        ([0].as_ptr(), 0),
        (ill_formed.as_ptr(), 0),
        (good.as_ptr(), 2),
        (good.as_ptr(), READ_ONLY | 1 << 31),
    ] {
        // SAFETY: every pointer is null, misaligned, or to a value of its type that outlives the call.
        let result = get::<IUnknown>(|riid, place| unsafe {
            factory.CreateStateObjectDatabaseFromFile(PCWSTR(path), flags, riid, place)
        });
        assert_eq!(result.unwrap_err(), E_INVALIDARG);
    }
    assert!(files(folder.path()).is_empty());
}

#[test]
fn files_that_are_missing_or_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("a.sodb");
    assert_eq!(try_open(&missing, READ_ONLY).unwrap_err(), FILE_NOT_FOUND);
    // ERROR_FILENAME_EXCED_RANGE, also where there is no room for what SQLite has beside the file.
    let too_long = windows_core::HRESULT(0x8007_00CE_u32.cast_signed());
    for length in [252, 256] {
        let long = missing.with_file_name("n".repeat(length));
        for flags in [0, READ_ONLY] {
            assert_eq!(try_open(&long, flags).unwrap_err(), too_long);
        }
    }
    let nowhere = folder.path().join("none").join("a.sodb");
    for flags in [0, READ_ONLY] {
        assert_eq!(try_open(&nowhere, flags).unwrap_err(), FILE_NOT_FOUND);
        assert_eq!(
            try_open(folder.path(), flags).unwrap_err(),
            E_INVALIDARG,
            "a folder"
        );
    }
    assert!(files(folder.path()).is_empty());

    let text = folder.path().join("text");
    fs::write(&text, "not a database ".repeat(1000)).unwrap();
    let psdb = folder.path().join("a.psdb");
    drop(session(&sample(), &psdb));
    let newer = folder.path().join("newer.sodb");
    drop(open(&newer));
    let connection = rusqlite::Connection::open(&newer).unwrap();
    connection.pragma_update(None, "user_version", 3).unwrap();
    drop(connection);
    for path in [text, psdb, newer] {
        let before = fs::read(&path).unwrap();
        for flags in [0, READ_ONLY] {
            assert_eq!(try_open(&path, flags).unwrap_err(), BAD_FORMAT);
        }
        assert!(fs::read(&path).unwrap() == before, "{}", path.display());
    }
    // An empty file becomes a database, but not when it is only read.
    let empty = folder.path().join("empty.sodb");
    fs::write(&empty, "").unwrap();
    assert_eq!(try_open(&empty, READ_ONLY).unwrap_err(), BAD_FORMAT);
    assert_eq!(version(&open(&empty), b"k"), Err(DXGI_ERROR_NOT_FOUND));
}

#[test]
fn what_is_read_only_takes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let database = open(&path);
    assert_eq!(store_pipeline(&database, b"k", 1, &compute().desc()), S_OK);
    drop(database);

    let before = fs::read(&path).unwrap();
    let database = open_to_read(&path);
    for key in [b"k", b"l"] {
        let stored = store_pipeline(&database, key, 2, &compute().desc());
        assert_eq!(stored, E_ACCESSDENIED);
    }
    let object = crate::state_objects::raytracing();
    assert_eq!(
        store_object(&database, b"o", 1, &object, b""),
        E_ACCESSDENIED
    );
    let application = Application::default();
    let desc = application.desc();
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    let set = unsafe { database.SetApplicationDesc(&raw const desc) };
    assert_eq!(set, E_ACCESSDENIED);
    assert_eq!(version(&database, b"k"), Ok(1));
    assert_eq!(pipeline(&database, b"k").unwrap().0, 1);
    drop(database);
    assert!(fs::read(&path).unwrap() == before);
    assert_eq!(files(folder.path()), ["a.sodb"]);
}

#[test]
fn a_path_in_many_scripts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Игра 遊戲 jeu_été 🎮.sodb");
    let database = open(&path);
    assert_eq!(store_pipeline(&database, b"k", 1, &compute().desc()), S_OK);
    drop(database);
    assert_eq!(files(folder.path()), ["Игра 遊戲 jeu_été 🎮.sodb"]);
    assert_eq!(version(&open_to_read(&path), b"k"), Ok(1));
}

#[test]
fn several_databases_on_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let (first, second) = (open(&path), open(&path));
    let reader = open_to_read(&path);
    assert_eq!(store_pipeline(&first, b"a", 1, &compute().desc()), S_OK);
    assert_eq!(store_pipeline(&second, b"b", 2, &compute().desc()), S_OK);
    for database in [&first, &second, &reader] {
        assert_eq!(version(database, b"a"), Ok(1));
        assert_eq!(version(database, b"b"), Ok(2));
    }
    // Whoever wrote and is the last to close it folds the log.
    drop(reader);
    drop((first, second));
    assert_eq!(files(folder.path()), ["a.sodb"]);
}
