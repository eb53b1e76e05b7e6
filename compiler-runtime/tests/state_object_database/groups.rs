//! `StorePipelineStateDesc1` and `StoreStateObjectDesc1`: any number of groups, and what was made of what was stored.

use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::Arc;

use api_sys::*;
use runtime_test_support::state_object::{Description, RAYTRACING};
use windows_core::{HRESULT, IUnknown, Interface};

use crate::database::*;
use crate::pipelines::{embedded, external};
use crate::preview::*;
use crate::state_objects::{collection, noise};

/// The parent of what has this key, and its number of collections.
fn parent(database: &ID3D12StateObjectDatabase1, by: By<'_>) -> Result<Option<Parent>, HRESULT> {
    let mut found = None;
    let result = find_object1(database, by, Callbacks::default(), |_, _, _, parent| {
        found = Some(parent);
    });
    found.ok_or(result)
}

fn last_object(database: &ID3D12StateObjectDatabase1) -> Vec<u8> {
    objects(database).pop().unwrap().1
}

#[test]
fn a_pipeline_in_several_groups_and_in_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let database: ID3D12StateObjectDatabase1 = open(&path).cast().unwrap();
    let all: [(&[u8], u32); 3] = [(b"a", 1), (b"b", 7), (b"\0", 0)];
    // Again, and with one more, it is the same object.
    for groups in [&all[..2], &all[..2], &all] {
        assert_eq!(store_pipeline1(&database, groups, &embedded().desc()), S_OK);
    }
    assert_eq!(store_pipeline1(&database, &[], &external().desc()), S_OK);
    assert_eq!(store_pipeline1(&database, &[], &external().desc()), S_OK);
    assert_eq!(groups_of(pipelines(&database)), [named(&all), vec![]]);
    drop(database);
    // The interface that has one key for an object.
    let database = open_to_read(&path);
    for (key, is) in all {
        assert_eq!(pipeline(&database, key).unwrap().0, is);
        assert_eq!(version(&database, key), Ok(is));
    }
    drop(database);
    assert!(has_the_published_schema(&path));
    let sql = rusqlite::Connection::open(&path).unwrap();
    let count = |of: &str| -> u32 {
        let count = format!("SELECT count(*) FROM {of}");
        sql.query_row(&count, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(count("pipeline_states"), 2);
    assert_eq!(count("groups"), 3);
    assert_eq!(
        count("(SELECT DISTINCT PSOKey FROM groups WHERE SOKey IS NULL)"),
        1
    );
    // Stored with a group after all.
    drop(sql);
    let database: ID3D12StateObjectDatabase1 = open(&path).cast().unwrap();
    assert_eq!(store_pipeline(&database, b"z", 1, &external().desc()), S_OK);
    assert_eq!(
        groups_of(pipelines(&database)),
        [named(&all), named(&[(b"z", 1)])]
    );
}

#[test]
fn all_groups_or_none() {
    let (_folder, database) = temporary1();
    assert_eq!(store_pipeline(&database, b"k", 1, &embedded().desc()), S_OK);
    assert_eq!(
        store_object(&database, b"o", 1, &noise("noise_a"), b""),
        S_OK
    );
    for taken in [b"k", b"o"] {
        let groups: [(&[u8], u32); 2] = [(b"new", 1), (taken, 1)];
        let stored = store_pipeline1(&database, &groups, &external().desc());
        assert_eq!(stored, DXGI_ERROR_ALREADY_EXISTS);
        let stored = store_object1(&database, &groups, &noise("noise_b"), With::default());
        assert_eq!(stored, DXGI_ERROR_ALREADY_EXISTS);
    }
    assert_eq!(version(&database, b"new"), Err(DXGI_ERROR_NOT_FOUND));
    assert_eq!(
        (pipelines(&database).len(), objects(&database).len()),
        (1, 1)
    );
    // Of another version it takes the place.
    let groups: [(&[u8], u32); 2] = [(b"new", 1), (b"k", 2)];
    assert_eq!(
        store_pipeline1(&database, &groups, &external().desc()),
        S_OK
    );
    let expected = [vec![], named(&[(b"k", 2), (b"new", 1)])];
    assert_eq!(groups_of(pipelines(&database)), expected);
}

#[test]
fn arguments_that_are_refused() {
    let (_folder, database) = temporary1();
    let (key, version_) = (group(b"k"), 5);
    let two = [key, group(b"k")];
    let no_bytes = D3D12_DATABASE_GROUP_KEY {
        pKey: ptr::null(),
        KeySize: 1,
    };
    let no_size = D3D12_DATABASE_GROUP_KEY { KeySize: 0, ..key };
    let misaligned = ptr::from_ref(&key).wrapping_byte_add(1);
    let mut stream = embedded();
    let (pipeline_desc, object) = (stream.desc(), noise("noise_a"));
    let object_desc = object.desc();
    let versions = &raw const version_;
    let twice = [1, 1];
    let missing = ptr::null();
    for (keys, versions, count, pipeline_desc, object_desc) in [
        (
            ptr::null(),
            versions,
            1,
            &raw const pipeline_desc,
            &raw const object_desc,
        ),
        (
            misaligned,
            versions,
            1,
            &raw const pipeline_desc,
            &raw const object_desc,
        ),
        (
            &raw const key,
            ptr::without_provenance(1),
            1,
            &raw const pipeline_desc,
            &raw const object_desc,
        ),
        (
            &raw const key,
            versions,
            u32::MAX,
            &raw const pipeline_desc,
            &raw const object_desc,
        ),
        (
            &raw const no_bytes,
            versions,
            1,
            &raw const pipeline_desc,
            &raw const object_desc,
        ),
        (
            &raw const no_size,
            versions,
            1,
            &raw const pipeline_desc,
            &raw const object_desc,
        ),
        (
            two.as_ptr(),
            twice.as_ptr(),
            2,
            &raw const pipeline_desc,
            &raw const object_desc,
        ),
        (&raw const key, versions, 1, ptr::null(), ptr::null()),
        (ptr::null(), ptr::null(), 0, ptr::null(), ptr::null()),
    ] {
        // SAFETY: every pointer is null, misaligned, or to a value of its type that outlives the call.
        unsafe {
            let stored = database.StorePipelineStateDesc1(keys, versions, count, pipeline_desc);
            assert_eq!(stored, E_INVALIDARG);
            let stored = database.StoreStateObjectDesc1(
                keys,
                versions,
                count,
                object_desc,
                missing,
                None,
                None,
            );
            assert_eq!(stored, E_INVALIDARG);
        }
    }
    for parent in [&raw const no_bytes, &raw const no_size, misaligned] {
        // SAFETY: every pointer is null, misaligned, or to a value of its type that outlives the call.
        let stored = unsafe {
            database.StoreStateObjectDesc1(
                &raw const key,
                versions,
                1,
                &raw const object_desc,
                parent,
                None,
                None,
            )
        };
        assert_eq!(stored, E_INVALIDARG);
    }
    assert_eq!(version(&database, b"k"), Err(DXGI_ERROR_NOT_FOUND));
    // Versions are optional.
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    let stored = unsafe {
        database.StorePipelineStateDesc1(&raw const key, ptr::null(), 1, &raw const pipeline_desc)
    };
    assert_eq!((stored, version(&database, b"k")), (S_OK, Ok(0)));
}

#[test]
fn what_is_read_only_takes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    drop(open(&path));
    let database = open_with(&path, &READER);
    let stored = store_pipeline1(&database, &[], &embedded().desc());
    assert_eq!(stored, E_ACCESSDENIED);
    let stored = store_object1(&database, &[], &noise("noise_a"), With::default());
    assert_eq!(stored, E_ACCESSDENIED);
}

#[test]
fn an_addition_to_a_group_or_to_an_object() {
    let (_folder, database) = temporary1();
    let count = Arc::new(());
    let [root, child, other] = [(); 3].map(|()| IUnknown::from(state_object(&count)));
    let store = |groups: &[(&[u8], u32)], desc: &Description, with| {
        store_object1(&database, groups, desc, with)
    };
    let made = |created| With {
        created: Some(created),
        ..With::default()
    };
    assert_eq!(store(&[(b"root", 1)], &noise("noise_a"), made(&root)), S_OK);
    let root_key = last_object(&database);
    let in_root = Some((root_key.clone(), Some(b"root".to_vec())));
    // By either, and by both. An object that nobody knows says nothing beside a key.
    for (key, parent_group, object) in [
        (b"1", &b"root"[..], None),
        (b"2", b"", Some(&root)),
        (b"3", b"root", Some(&root)),
        (b"4", b"root", Some(&other)),
    ] {
        let with = With {
            parent_group,
            parent: object,
            created: Some(&child),
        };
        assert_eq!(store(&[(key, 1)], &noise("noise_b"), with), S_OK);
        assert_eq!(parent(&database, by_group(key)), Ok(in_root.clone()));
        assert_eq!(object_parent(&database, key), b"root");
    }
    let grandchild = With {
        parent: Some(&child),
        ..With::default()
    };
    let of_child = noise("noise_c=noise_b");
    assert_eq!(store(&[], &of_child, grandchild), S_OK);
    let found = parent(&database, by_object(&last_object(&database)));
    assert_eq!(found.unwrap().unwrap().1, Some(b"1".to_vec()));
    // Two that differ; one that is not known; a key that is not; its own.
    for (parent_group, object, expected) in [
        (&b"root"[..], Some(&child), E_INVALIDARG),
        (b"", Some(&other), DXGI_ERROR_NOT_FOUND),
        (b"none", None, DXGI_ERROR_NOT_FOUND),
        (b"none", Some(&root), DXGI_ERROR_NOT_FOUND),
        (b"new", None, E_INVALIDARG),
    ] {
        let with = With {
            parent_group,
            parent: object,
            ..With::default()
        };
        assert_eq!(store(&[(b"new", 1)], &of_child, with), expected);
    }
    assert_eq!(version(&database, b"new"), Err(DXGI_ERROR_NOT_FOUND));
    // They are held until the database is released.
    assert_eq!(Arc::strong_count(&count), 4);
    drop([root, child, other]);
    assert_eq!(Arc::strong_count(&count), 3);
    drop(database);
    assert_eq!(Arc::strong_count(&count), 1);
}

fn object_parent(database: &ID3D12StateObjectDatabase, key: &[u8]) -> Vec<u8> {
    object(database, key).unwrap().2
}

/// As a program stores what it creates, without keys of its own.
#[test]
fn objects_without_groups() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let database: ID3D12StateObjectDatabase1 = open(&path).cast().unwrap();
    let count = Arc::new(());
    let [vertex, pixel, root] = [(); 3].map(|()| state_object(&count));
    let store = |desc: &Description, created: Option<&ID3D12StateObject>, parent| {
        let created = created.map(|it| IUnknown::from(it.clone()));
        let with = With {
            created: created.as_ref(),
            parent,
            ..With::default()
        };
        store_object1(&database, &[], desc, with)
    };
    assert_eq!(
        store(&collection("fullscreen_vs", "vs=*"), Some(&vertex), None),
        S_OK
    );
    assert_eq!(
        store(&collection("fullscreen_ps", "ps=*"), Some(&pixel), None),
        S_OK
    );
    let over = |collections: &[&ID3D12StateObject]| {
        let mut desc = Description::new(RAYTRACING)
            .config(4)
            .library("rt_pipeline_lib63", &["noise_a"])
            .configs();
        for collection in collections {
            let collection = ManuallyDrop::new(Some(ID3D12StateObject::clone(collection)));
            let payload = D3D12_EXISTING_COLLECTION_DESC {
                pExistingCollection: collection,
                NumExports: 0,
                pExports: ptr::null(),
            };
            let payload = Box::leak(Box::new(payload));
            desc = desc.raw(
                D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
                ptr::from_ref(payload).cast(),
            );
        }
        desc
    };
    let unknown = state_object(&Arc::new(()));
    assert_eq!(
        store(&over(&[&vertex, &unknown]), None, None),
        DXGI_ERROR_NOT_FOUND
    );
    assert_eq!(store(&over(&[&vertex, &pixel]), Some(&root), None), S_OK);
    let parent_object = IUnknown::from(root);
    assert_eq!(store(&noise("noise_b"), None, Some(&parent_object)), S_OK);
    let all = objects(&database);
    let keys: Vec<_> = all
        .iter()
        .map(|(groups, key)| (groups.len(), key.clone()))
        .collect();
    let [
        (0, vertex_key),
        (0, pixel_key),
        (0, root_key),
        (0, child_key),
    ] = <[_; 4]>::try_from(keys).unwrap()
    else {
        panic!("{all:?}");
    };
    assert_eq!(
        parent(&database, by_object(&child_key)),
        Ok(Some((root_key.clone(), None)))
    );
    // Their collections have no key of a group; they can be looked up.
    assert_eq!(
        parent(&database, by_object(&root_key)),
        Err(DXGI_ERROR_NOT_FOUND)
    );
    let mut asked = Vec::new();
    let callbacks = Callbacks {
        lookup_object: Some(Box::new(|key, group| {
            asked.push((key.to_vec(), group.len()));
            Ok(Some(vertex.clone().into()))
        })),
        ..Callbacks::default()
    };
    let mut found = 0;
    let result = find_object1(&database, by_object(&root_key), callbacks, |_, _, _, _| {
        found += 1;
    });
    assert_eq!((result, found), (S_OK, 1));
    assert_eq!(asked, [(vertex_key, 0), (pixel_key, 0)]);
    // The other methods refuse an object in a description.
    let refused = store_object(&database, b"k", 1, &over(&[&vertex]), b"");
    assert_eq!(refused, E_INVALIDARG);
    drop(database);
    assert!(has_the_published_schema(&path));
    let sql = rusqlite::Connection::open(&path).unwrap();
    let groups: u32 = sql
        .query_row("SELECT count(*) FROM groups", [], |row| row.get(0))
        .unwrap();
    assert_eq!(groups, 0);
}

/// What is made from a group follows it; what is made from the object that the group had does not.
#[test]
fn an_addition_to_what_a_group_had() {
    let (_folder, database) = temporary1();
    let root = IUnknown::from(state_object(&Arc::new(())));
    let made = With {
        created: Some(&root),
        ..With::default()
    };
    let of_root = With {
        parent: Some(&root),
        ..With::default()
    };
    let store = |key: &[u8], version, desc: &Description, with| {
        store_object1(&database, &[(key, version)], desc, with)
    };
    let child = noise("noise_b");
    assert_eq!(store(b"root", 1, &noise("noise_a"), made), S_OK);
    let root_key = last_object(&database);
    assert_eq!(store(b"child", 1, &child, of_root), S_OK);
    let next = noise("noise_c=noise_b");
    assert_eq!(store(b"root", 2, &next, With::default()), S_OK);
    // The same description and the same parent as that of the child, which has another by now.
    let with_root = Some((root_key, None));
    for _ in 0..2 {
        assert_eq!(store(b"other", 1, &child, of_root), S_OK);
        assert_eq!(parent(&database, by_group(b"other")), Ok(with_root.clone()));
        assert_eq!(object_parent(&database, b"child"), b"root");
        assert_eq!(objects(&database).len(), 4);
    }
    let again = store(b"child", 1, &child, of_root);
    assert_eq!(again, DXGI_ERROR_ALREADY_EXISTS);
    assert_eq!(store_object(&database, b"child", 1, &child, b"root"), S_OK);
}

#[test]
fn what_was_made_of_what_is_rolled_back_is_not_known() {
    let (_folder, database) = temporary1();
    let root = IUnknown::from(state_object(&Arc::new(())));
    let made = || With {
        created: Some(&root),
        ..With::default()
    };
    let of_root = || With {
        parent: Some(&root),
        ..With::default()
    };
    // SAFETY: no pointers.
    unsafe {
        assert_eq!(
            database.BeginTransaction(D3D12_TRANSACTION_TYPE_IMMEDIATE),
            S_OK
        );
        assert_eq!(
            store_object1(&database, &[], &noise("noise_a"), made()),
            S_OK
        );
        assert_eq!(database.RollbackTransaction(), S_OK);
    }
    let stored = store_object1(&database, &[], &noise("noise_b"), of_root());
    assert_eq!(stored, DXGI_ERROR_NOT_FOUND);
    assert_eq!(
        store_object1(&database, &[], &noise("noise_a"), made()),
        S_OK
    );
    assert_eq!(
        store_object1(&database, &[], &noise("noise_b"), of_root()),
        S_OK
    );
    // The object of an object's own group in another version: it is its parent, and stays it.
    let key = b"versions";
    assert_eq!(
        store_object1(&database, &[(key, 1)], &noise("noise_a"), made()),
        S_OK
    );
    let next = noise("noise_c=noise_b");
    assert_eq!(
        store_object1(&database, &[(key, 2)], &next, of_root()),
        S_OK
    );
    let of_next = parent(&database, by_group(key)).unwrap().unwrap();
    assert_eq!(of_next.1, None);
    assert_ne!(of_next.0, last_object(&database));
}
