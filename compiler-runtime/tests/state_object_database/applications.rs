//! `SetApplicationDesc` and `GetApplicationDesc`.

use std::ffi::c_void;
use std::ptr;

use api_sys::*;
use runtime_test_support::api::*;
use windows_core::{HRESULT, PCWSTR};

use crate::database::*;

/// The members of an application.
type Found = (String, String, u64, String, u64);

unsafe extern "system" fn take(desc: *const D3D12_APPLICATION_DESC, context: *mut c_void) {
    // SAFETY: the context is that of `application`; the description is readable until this returns.
    unsafe {
        let desc = &*desc;
        (*context.cast::<Vec<Found>>()).push((
            text(desc.pExeFilename),
            text(desc.pName),
            desc.Version.bits(),
            text(desc.pEngineName),
            desc.EngineVersion.bits(),
        ));
    }
}

fn application(database: &ID3D12StateObjectDatabase) -> Result<Found, HRESULT> {
    let mut found: Vec<Found> = Vec::new();
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    let result = unsafe { database.GetApplicationDesc(Some(take), (&raw mut found).cast()) };
    if result != S_OK {
        assert!(found.is_empty());
        return Err(result);
    }
    let [found] = <[_; 1]>::try_from(found).unwrap();
    Ok(found)
}

fn set(database: &ID3D12StateObjectDatabase, desc: &D3D12_APPLICATION_DESC) -> HRESULT {
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe { database.SetApplicationDesc(desc) }
}

#[test]
fn the_application_is_kept_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let database = open(&path);
    assert_eq!(application(&database), Err(DXGI_ERROR_NOT_FOUND));
    let first = Application::default();
    assert_eq!(set(&database, &first.desc()), S_OK);
    let name = "Das Spiel ✨".to_owned();
    let expected = (
        "Game.exe".to_owned(),
        name.clone(),
        0x0001_005D_0001_0000,
        "Godot".to_owned(),
        0x0004_0003_0000_0000,
    );
    assert_eq!(application(&database), Ok(expected.clone()));
    drop(database);
    assert_eq!(application(&open_to_read(&path)), Ok(expected));

    let second = Application {
        engine: None,
        version: D3D12_VERSION_NUMBER::from_bits(u64::MAX),
        ..first
    };
    let database = open(&path);
    assert_eq!(set(&database, &second.desc()), S_OK);
    let expected = ("Game.exe".to_owned(), name, u64::MAX, "-".to_owned(), 0);
    assert_eq!(application(&database), Ok(expected));
}

#[test]
fn what_is_no_application_changes_nothing() {
    let (_folder, database) = temporary();
    let application_of_file = Application::default();
    let good = application_of_file.desc();
    assert_eq!(set(&database, &good), S_OK);
    let (empty, ill_formed) = ([0], [0xDC00, 0]);
    let wrong = |change: &dyn Fn(&mut D3D12_APPLICATION_DESC)| {
        let mut desc = good;
        change(&mut desc);
        assert_eq!(set(&database, &desc), E_INVALIDARG);
    };
    for text in [ptr::null(), empty.as_ptr(), ill_formed.as_ptr()] {
        wrong(&|desc| desc.pExeFilename = PCWSTR(text));
        wrong(&|desc| desc.pName = PCWSTR(text));
    }
    wrong(&|desc| desc.pEngineName = PCWSTR(ill_formed.as_ptr()));
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe {
        assert_eq!(database.SetApplicationDesc(ptr::null()), E_INVALIDARG);
        assert_eq!(
            database.GetApplicationDesc(None, ptr::null_mut()),
            E_INVALIDARG
        );
    }
    assert_eq!(application(&database).unwrap().0, "Game.exe");
}

#[test]
fn an_application_that_no_caller_can_have() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let database = open(&path);
    assert_eq!(set(&database, &Application::default().desc()), S_OK);
    drop(database);
    let connection = rusqlite::Connection::open(&path).unwrap();
    let nul = connection.execute("UPDATE app_id SET app_name = 'a' || char(0) || 'b'", []);
    assert_eq!(nul.unwrap(), 1);
    drop(connection);
    assert_eq!(application(&open_to_read(&path)), Err(FILE_CORRUPT));
}
