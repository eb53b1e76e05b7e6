//! Callbacks that call back, and several threads.

use std::ffi::c_void;
use std::sync::Barrier;
use std::{mem, thread};

use api_sys::*;
use runtime_test_support::api::Application;
use windows_core::Interface;

use crate::database::*;
use crate::pipelines::{embedded, external};
use crate::state_objects::{noise, raytracing};

#[test]
fn callbacks_may_call_every_method() {
    let (_folder, database) = temporary();
    assert_eq!(store_pipeline(&database, b"a", 1, &embedded().desc()), S_OK);
    assert_eq!(store_object(&database, b"o", 1, &raytracing(), b""), S_OK);

    // What is found is stored under another key, while it is found.
    let mut results = Vec::new();
    let found = find_pipeline(&database, b"a", |_, _, desc| {
        results.push(store_pipeline(&database, b"b", 2, desc));
        let mut nested = None;
        results.push(find_pipeline(&database, b"b", |_, version, desc| {
            nested = Some(store_pipeline(&database, b"d", version, desc));
        }));
        results.extend(nested);
        // Its own key gets another object; what the callback has stays valid.
        results.push(store_pipeline(&database, b"a", 2, &external().desc()));
        results.push(store_pipeline(&database, b"c", 3, desc));
    });
    assert_eq!(found, S_OK);
    assert_eq!(results, [S_OK; 5]);
    assert_eq!(version(&database, b"d"), Ok(2));
    let original = pipeline(&database, b"b").unwrap().1;
    for key in [b"c", b"d"] {
        assert_eq!(pipeline(&database, key).unwrap().1, original);
    }
    assert_ne!(pipeline(&database, b"a").unwrap().1, original);

    let mut results = Vec::new();
    let found = find_object(&database, b"o", |_, _, desc, _| {
        let (key, size) = raw(b"p");
        let (parent, parent_size) = raw(b"q");
        results.push(store_object(&database, b"q", 1, &noise("noise_a"), b""));
        // SAFETY: every pointer is null or to a value of its type that outlives the call.
        results.push(unsafe {
            database.StoreStateObjectDesc(key, size, 2, desc, parent, parent_size)
        });
    });
    assert_eq!(found, S_OK);
    assert_eq!(results, [S_OK; 2]);
    let (_, desc, _) = object(&database, b"o").unwrap();
    assert_eq!(object(&database, b"p"), Ok((2, desc, b"q".to_vec())));
}

unsafe extern "system" fn set_again(desc: *const D3D12_APPLICATION_DESC, context: *mut c_void) {
    // SAFETY: the context is the database; the description is readable until this returns.
    unsafe {
        let database = ID3D12StateObjectDatabase::from_raw_borrowed(&context).unwrap();
        assert_eq!(database.SetApplicationDesc(desc), S_OK);
    }
}

#[test]
fn the_application_may_be_set_where_it_is_got() {
    let (_folder, database) = temporary();
    let application = Application::default();
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe {
        let set = database.SetApplicationDesc(&application.desc());
        assert_eq!(set, S_OK);
        let got = database.GetApplicationDesc(Some(set_again), database.as_raw());
        assert_eq!(got, S_OK);
    }
}

#[test]
fn a_callback_may_release_the_last_reference() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let database = open(&path);
    assert_eq!(store_pipeline(&database, b"k", 1, &embedded().desc()), S_OK);
    // SAFETY: the reference that the variable below releases.
    let mut own = Some(unsafe { ID3D12StateObjectDatabase::from_raw(database.as_raw()) });
    let database = mem::ManuallyDrop::new(database);
    let mut size = 0;
    let result = find_pipeline(&database, b"k", |_, _, desc| {
        drop(own.take());
        size = desc.SizeInBytes;
    });
    assert_eq!(result, S_OK);
    assert_eq!(
        size,
        size_of::<PipelineStateSubobject<D3D12_SHADER_BYTECODE>>()
    );
    // It is closed: one file.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// An interface for other threads: the objects are free-threaded, which windows-core does not know.
struct Shared(ID3D12StateObjectDatabase);

// SAFETY: the objects are free-threaded.
unsafe impl Sync for Shared {}

#[test]
fn threads_store_and_find_in_one_database() {
    const THREADS: u8 = 6;
    const ROUNDS: u8 = 10;
    let (_folder, database) = temporary();
    assert_eq!(
        store_object(&database, b"root", 1, &noise("noise_a"), b""),
        S_OK
    );
    let shared = Shared(database);
    let shared = &shared;
    let barrier = &Barrier::new(THREADS.into());
    thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                let database = &shared.0;
                barrier.wait();
                for round in 0..ROUNDS {
                    let key = [thread, round];
                    let stored = store_pipeline(database, &key, round.into(), &embedded().desc());
                    assert_eq!(stored, S_OK);
                    // The same by all.
                    let key = [round];
                    let stored = store_object(database, &key, 1, &noise("noise_b"), b"root");
                    assert_eq!(stored, S_OK);
                    assert_eq!(object(database, &key).unwrap().2, b"root");
                    assert_eq!(version(database, &[thread, round]), Ok(round.into()));
                }
            });
        }
    });
    for thread in 0..THREADS {
        for round in 0..ROUNDS {
            let found = pipeline(&shared.0, &[thread, round]).unwrap();
            assert_eq!(found.0, u32::from(round));
        }
    }
}
