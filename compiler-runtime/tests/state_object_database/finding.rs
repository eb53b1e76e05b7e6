//! `FindPipelineStateDesc1` and `FindStateObjectDesc1`: keys, flags and arguments.

use std::ffi::c_void;
use std::ptr;

use api_sys::*;
use shader_db::sodb::{PipelineStateDesc, StateObjectDesc};

use crate::database::*;
use crate::pipelines::{embedded, external};
use crate::preview::*;
use crate::state_objects::{collection, noise};

const NO_GROUPS: u32 = D3D12_FIND_PIPELINE_STATE_DESC_FLAG_NO_GROUPS;
const _: () = assert!(NO_GROUPS == D3D12_FIND_STATE_OBJECT_DESC_FLAG_NO_GROUPS);

/// Groups, key and description of a pipeline.
type Found = Result<(Groups, Vec<u8>, PipelineStateDesc), windows_core::HRESULT>;

fn pipeline1(database: &ID3D12StateObjectDatabase1, by: By<'_>) -> Found {
    let mut found = Vec::new();
    let result = find_pipeline1(database, by, Callbacks::default(), |groups, key, desc| {
        // SAFETY: a found description is readable, with all that it points at, until the callback returns.
        let desc = unsafe { PipelineStateDesc::from_raw(desc) };
        found.push((groups, key, desc.unwrap()));
    });
    if result != S_OK {
        assert_eq!(found, []);
        return Err(result);
    }
    let [found] = <[_; 1]>::try_from(found).unwrap();
    Ok(found)
}

/// Groups, key, description and parent of a state object.
type FoundObject =
    Result<(Groups, Vec<u8>, StateObjectDesc, Option<Parent>), windows_core::HRESULT>;

fn object1(database: &ID3D12StateObjectDatabase1, by: By<'_>) -> FoundObject {
    let mut found = Vec::new();
    let each = |groups, key, desc: &_, parent| {
        // SAFETY: a found description is readable, with all that it points at, until the callback returns.
        let desc = unsafe { StateObjectDesc::from_raw(desc) };
        found.push((groups, key, desc.unwrap(), parent));
    };
    let result = find_object1(database, by, Callbacks::default(), each);
    if result != S_OK {
        assert_eq!(found, []);
        return Err(result);
    }
    let [found] = <[_; 1]>::try_from(found).unwrap();
    Ok(found)
}

#[test]
fn a_pipeline_by_either_key() {
    let (_folder, database) = temporary1();
    assert_eq!(store_pipeline(&database, b"a", 1, &embedded().desc()), S_OK);
    assert_eq!(store_pipeline(&database, b"b", 2, &embedded().desc()), S_OK);
    assert_eq!(store_pipeline(&database, b"c", 3, &external().desc()), S_OK);
    assert_eq!(
        store_object(&database, b"o", 3, &noise("noise_a"), b""),
        S_OK
    );
    let [(_, key), (_, other)] = <[_; 2]>::try_from(pipelines(&database)).unwrap();
    let groups = named(&[(b"a", 1), (b"b", 2)]);
    let desc = pipeline(&database, b"a").unwrap().1;
    let both = By {
        object: &key,
        ..by_group(b"b")
    };
    for by in [by_group(b"a"), by_group(b"b"), by_object(&key), both] {
        let expected = (groups.clone(), key.clone(), desc.clone());
        assert_eq!(pipeline1(&database, by), Ok(expected));
        let without = By {
            flags: NO_GROUPS,
            ..by
        };
        let expected = (vec![], key.clone(), desc.clone());
        assert_eq!(pipeline1(&database, without), Ok(expected));
    }
    let of_others = By {
        object: &other,
        ..by_group(b"a")
    };
    let object_key = objects(&database).remove(0).1;
    for by in [
        by_group(b"d"),
        by_group(b"o"),
        by_object(&object_key),
        by_object(&key[1..]),
        of_others,
    ] {
        assert_eq!(pipeline1(&database, by), Err(DXGI_ERROR_NOT_FOUND));
    }
    // A group that is stored after groups were searched for.
    assert_eq!(store_pipeline(&database, b"d", 4, &external().desc()), S_OK);
    let found = pipeline1(&database, by_object(&other)).unwrap();
    assert_eq!(found.0, named(&[(b"c", 3), (b"d", 4)]));
    assert_eq!(store_pipeline(&database, b"a", 9, &external().desc()), S_OK);
    let found = pipeline1(&database, by_object(&other)).unwrap();
    assert_eq!(found.0, named(&[(b"a", 9), (b"c", 3), (b"d", 4)]));
}

#[test]
fn a_state_object_with_its_parent_and_collections() {
    let (_folder, database) = temporary1();
    let vertex = collection("fullscreen_vs", "vs=*");
    assert_eq!(
        store_object(&database, b"collection", 1, &vertex, b""),
        S_OK
    );
    assert_eq!(
        store_object(&database, b"root", 2, &noise("noise_a"), b""),
        S_OK
    );
    let child = with_key(noise("noise_b"), b"collection", &["vs"]);
    assert_eq!(store_object(&database, b"child", 3, &child, b"root"), S_OK);
    let keys: Vec<_> = objects(&database).into_iter().map(|(_, key)| key).collect();
    let expected = (
        named(&[(b"child", 3)]),
        keys[2].clone(),
        object(&database, b"child").unwrap().1,
        Some((keys[1].clone(), Some(b"root".to_vec()))),
    );
    for by in [by_group(b"child"), by_object(&keys[2])] {
        assert_eq!(object1(&database, by), Ok(expected.clone()));
    }
    let without = By {
        flags: NO_GROUPS,
        ..by_object(&keys[2])
    };
    let expected = (vec![], expected.1, expected.2, expected.3);
    assert_eq!(object1(&database, without), Ok(expected));
    let root = object1(&database, by_group(b"root")).unwrap();
    assert_eq!((root.1, root.3), (keys[1].clone(), None));
    assert_eq!(
        object1(&database, by_group(b"none")),
        Err(DXGI_ERROR_NOT_FOUND)
    );

    // The root's key names another kind of object: what was its object stays the parent.
    assert_eq!(
        store_pipeline(&database, b"root", 4, &embedded().desc()),
        S_OK
    );
    let child = object1(&database, by_group(b"child")).unwrap();
    assert_eq!(child.3, Some((keys[1].clone(), None)));
    assert_eq!(object1(&database, by_object(&keys[1])).unwrap().0, []);
    assert_eq!(
        object(&database, b"child").unwrap_err(),
        DXGI_ERROR_NOT_FOUND
    );
    // So does the collection's, and there is no key to put in its place.
    assert_eq!(
        store_pipeline(&database, b"collection", 4, &embedded().desc()),
        S_OK
    );
    let child = object1(&database, by_group(b"child"));
    assert_eq!(child, Err(DXGI_ERROR_NOT_FOUND));
}

unsafe extern "system" fn no_pipeline(
    _: *const D3D12_DATABASE_GROUP_KEY,
    _: *const u32,
    _: u32,
    _: *const D3D12_DATABASE_PIPELINE_STATE_KEY,
    _: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    _: *mut c_void,
) {
    std::process::abort();
}

unsafe extern "system" fn no_object(
    _: *const D3D12_DATABASE_GROUP_KEY,
    _: *const u32,
    _: u32,
    _: *const D3D12_DATABASE_STATE_OBJECT_KEY,
    _: *const D3D12_STATE_OBJECT_DESC,
    _: *const D3D12_DATABASE_STATE_OBJECT_KEY,
    _: *const D3D12_DATABASE_GROUP_KEY,
    _: *mut c_void,
) {
    std::process::abort();
}

#[test]
fn arguments_that_are_refused() {
    let (_folder, database) = temporary1();
    assert_eq!(store_pipeline(&database, b"k", 1, &embedded().desc()), S_OK);
    assert_eq!(
        store_object(&database, b"o", 1, &noise("noise_a"), b""),
        S_OK
    );
    let good = group(b"k");
    let no_size = D3D12_DATABASE_GROUP_KEY { KeySize: 0, ..good };
    let no_bytes = D3D12_DATABASE_GROUP_KEY {
        pKey: ptr::null(),
        ..good
    };
    let misaligned = ptr::from_ref(&good).wrapping_byte_add(1);
    let none = ptr::null();
    // Keys of a group and of an object, which have the same form; flags; whether there is a callback.
    for (group, object, flags, called) in [
        (none, none, 0, true),
        (none, none, NO_GROUPS, true),
        (&raw const no_size, none, 0, true),
        (&raw const no_bytes, none, 0, true),
        (misaligned, none, 0, true),
        (none, &raw const no_size, 0, true),
        (none, &raw const no_bytes, 0, true),
        (none, misaligned, 0, true),
        (&raw const good, &raw const no_size, 0, true),
        (&raw const good, none, 2, true),
        (&raw const good, none, NO_GROUPS | 1 << 31, true),
        (&raw const good, none, 0, false),
    ] {
        // SAFETY: every pointer is null, misaligned, or to a value of its type that outlives the call.
        unsafe {
            let context = ptr::null_mut();
            let callback: D3D12PipelineStateFunc1 = if called { Some(no_pipeline) } else { None };
            let found = database.FindPipelineStateDesc1(
                group,
                object.cast(),
                flags,
                callback,
                None,
                None,
                context,
            );
            assert_eq!(found, E_INVALIDARG);
            let callback: D3D12StateObjectFunc1 = if called { Some(no_object) } else { None };
            let found = database.FindStateObjectDesc1(
                group,
                object.cast(),
                flags,
                callback,
                None,
                None,
                None,
                context,
            );
            assert_eq!(found, E_INVALIDARG);
        }
    }
}

#[test]
fn a_damaged_object_leaves_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let database = open(&path);
    assert_eq!(store_pipeline(&database, b"a", 1, &embedded().desc()), S_OK);
    assert_eq!(store_pipeline(&database, b"b", 1, &external().desc()), S_OK);
    drop(database);
    let sql = rusqlite::Connection::open(&path).unwrap();
    sql.execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM root_signatures")
        .unwrap();
    drop(sql);
    let database = open_with(&path, &READER);
    let [(_, a), (_, b)] = <[_; 2]>::try_from(pipelines(&database)).unwrap();
    for by in [by_object(&b), by_group(b"b")] {
        assert_eq!(pipeline1(&database, by), Err(FILE_CORRUPT));
    }
    assert_eq!(pipeline1(&database, by_object(&a)).unwrap().1, a);
}
