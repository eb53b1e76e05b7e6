//! `EnumeratePipelineStates`, `EnumerateStateObjects` and the counts.

use std::ptr;

use api_sys::*;
use windows_core::Interface;

use crate::database::*;
use crate::pipelines::{embedded, external, graphics};
use crate::preview::*;
use crate::state_objects::{collection, noise};

/// A file of the shipped interface, and what it is read with.
#[test]
fn what_the_shipped_interface_stored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let database = open(&path);
    assert_eq!(store_pipeline(&database, b"b", 1, &embedded().desc()), S_OK);
    assert_eq!(
        store_object(&database, b"root", 2, &noise("noise_a"), b""),
        S_OK
    );
    assert_eq!(store_pipeline(&database, b"a", 3, &external().desc()), S_OK);
    // The same object under another key.
    assert_eq!(store_pipeline(&database, b"c", 4, &embedded().desc()), S_OK);
    assert_eq!(
        store_object(&database, b"child", 5, &noise("noise_b"), b"root"),
        S_OK
    );
    drop(database);
    let before = std::fs::read(&path).unwrap();
    let database = open_with(&path, &READER);
    let [(first, first_key), (second, second_key)] =
        <[_; 2]>::try_from(pipelines(&database)).unwrap();
    assert_eq!(first, named(&[(b"b", 1), (b"c", 4)]));
    assert_eq!(second, named(&[(b"a", 3)]));
    assert_eq!((first_key.len(), second_key.len()), (16, 16));
    assert_ne!(first_key, second_key);
    let all = groups_of(objects(&database));
    assert_eq!(all, [named(&[(b"root", 2)]), named(&[(b"child", 5)])]);
    // The keys are those that the file has.
    let sql = rusqlite::Connection::open(&path).unwrap();
    let key: Vec<u8> = sql
        .query_row("SELECT PSOKey FROM groups WHERE Key = x'61'", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(second_key, key);
    drop((database, sql));
    assert!(std::fs::read(&path).unwrap() == before);
}

#[test]
fn state_objects_come_behind_what_they_are_made_from() {
    let (_folder, database) = temporary1();
    let over = with_key(noise("noise_a"), b"collection", &[]);
    let vertex = |export: &str| collection("fullscreen_vs", export);
    assert_eq!(
        store_object(&database, b"collection", 1, &vertex("a=*"), b""),
        S_OK
    );
    assert_eq!(store_object(&database, b"pipeline", 1, &over, b""), S_OK);
    // From now on it is made from this, which comes later.
    assert_eq!(
        store_object(&database, b"collection", 2, &vertex("b=*"), b""),
        S_OK
    );
    let all = groups_of(objects(&database));
    // The first one is there, and has no name any more.
    let expected = [
        vec![],
        named(&[(b"collection", 2)]),
        named(&[(b"pipeline", 1)]),
    ];
    assert_eq!(all, expected);
}

#[test]
fn a_callback_ends_it_and_may_call_every_method() {
    let (_folder, database) = temporary1();
    assert_eq!(pipelines(&database), []);
    assert_eq!(objects(&database), []);
    for (key, mut stream) in [(b"a", embedded()), (b"b", external())] {
        assert_eq!(store_pipeline(&database, key, 1, &stream.desc()), S_OK);
        assert_eq!(
            store_object(&database, &[key[0], 0], 1, &noise("noise_a"), b""),
            S_OK
        );
    }
    for enumerate in [enumerate_pipelines_once, enumerate_objects_once] {
        assert_eq!(enumerate(&database), (S_OK, 1));
    }
    // What is stored meanwhile is not part of it.
    let mut found = Vec::new();
    let result = enumerate_pipelines(&database, |groups, key| {
        let no_groups = By {
            flags: D3D12_FIND_PIPELINE_STATE_DESC_FLAG_NO_GROUPS,
            ..by_object(&key)
        };
        let mut stored = None;
        let result = find_pipeline1(&database, no_groups, Callbacks::default(), |_, _, _| {
            stored = Some(store_pipeline(&database, b"c", 1, &graphics().desc()));
        });
        found.push((groups, result, stored));
        true
    });
    assert_eq!(result, S_OK);
    let expected = [
        (named(&[(b"a", 1)]), S_OK, Some(S_OK)),
        (named(&[(b"b", 1)]), S_OK, Some(S_OK)),
    ];
    assert_eq!(found, expected);
    assert_eq!(pipelines(&database).len(), 3);
}

fn enumerate_pipelines_once(database: &ID3D12StateObjectDatabase1) -> (windows_core::HRESULT, u32) {
    let mut calls = 0;
    let result = enumerate_pipelines(database, |_, _| {
        calls += 1;
        false
    });
    (result, calls)
}

fn enumerate_objects_once(database: &ID3D12StateObjectDatabase1) -> (windows_core::HRESULT, u32) {
    let mut calls = 0;
    let result = enumerate_objects(database, |_, _| {
        calls += 1;
        false
    });
    (result, calls)
}

#[test]
fn a_callback_may_release_the_last_reference() {
    let (_folder, database) = temporary1();
    for (key, mut stream) in [(b"a", embedded()), (b"b", external())] {
        assert_eq!(store_pipeline(&database, key, 1, &stream.desc()), S_OK);
    }
    // SAFETY: the reference that the variable below releases.
    let mut own = Some(unsafe { ID3D12StateObjectDatabase1::from_raw(database.as_raw()) });
    let database = std::mem::ManuallyDrop::new(database);
    let mut calls = 0;
    let result = enumerate_pipelines(&database, |_, _| {
        drop(own.take());
        calls += 1;
        true
    });
    assert_eq!((result, calls), (S_OK, 2));
}

#[test]
fn arguments_that_are_refused() {
    let (_folder, database) = temporary1();
    // SAFETY: every pointer is null, misaligned, or to a value of its type that outlives the call.
    unsafe {
        let none = ptr::null_mut();
        assert_eq!(database.EnumeratePipelineStates(None, none), E_INVALIDARG);
        assert_eq!(database.EnumerateStateObjects(None, none), E_INVALIDARG);
        for place in [ptr::null_mut(), ptr::without_provenance_mut(2)] {
            assert_eq!(database.GetPipelineStateDescCount(place), E_INVALIDARG);
            assert_eq!(database.GetStateObjectDescCount(place), E_INVALIDARG);
        }
    }
}

/// Of other writers: objects without groups, keys of other lengths, objects that nobody can ask for, and circles.
#[test]
fn what_other_writers_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    drop(open(&path));
    let sql = rusqlite::Connection::open(&path).unwrap();
    sql.execute_batch(
        "PRAGMA foreign_keys = OFF; \
         INSERT INTO pipeline_states (Key) VALUES (x'01'), ('text'), (x''), (x'0203'); \
         INSERT INTO state_objects (Key, Type, AddToStateObjectParent) \
         VALUES (x'0A', 3, x'0B'), (x'0B', 3, x'0A'), (x'0C', 3, x'FF'); \
         INSERT INTO groups VALUES \
         (x'61', 1, x'0203', NULL), (x'62', -1, x'0203', x'0A'), (x'63', 1, x'FF', NULL), \
         (x'64', 5000000000, x'01', NULL), (x'', 1, x'01', NULL), (x'65', 2, NULL, x'0C');",
    )
    .unwrap();
    drop(sql);
    let database = open_with(&path, &READER);
    let expected = [
        (vec![], vec![1]),
        (named(&[(b"a", 1), (b"b", u32::MAX)]), vec![2, 3]),
    ];
    assert_eq!(pipelines(&database), expected);
    let mut all = objects(&database);
    all.sort();
    let expected = [
        (vec![], vec![0x0A]),
        (vec![], vec![0x0B]),
        (named(&[(b"e", 2)]), vec![0x0C]),
    ];
    assert_eq!(all, expected);
}
