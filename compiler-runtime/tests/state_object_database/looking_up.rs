//! The callbacks of `FindPipelineStateDesc1` and `FindStateObjectDesc1` that give objects.

use std::ffi::c_void;
use std::sync::Arc;

use api_sys::*;
use runtime_test_support::corpus::{covering, serialized};
use shader_db::sodb::PipelineStateDesc;
use windows_core::{HRESULT, IUnknown, Interface};

use crate::database::*;
use crate::pipelines::{embedded, external};
use crate::preview::*;
use crate::state_objects::{collection, noise, raytracing};

const DEVICE_REMOVED: HRESULT = HRESULT(0x887A_0005_u32.cast_signed());

/// Type and payload of the first record of a stream, if that is a pointer.
fn first_record(desc: &D3D12_PIPELINE_STATE_STREAM_DESC) -> (i32, *mut c_void) {
    let record = desc
        .pPipelineStateSubobjectStream
        .cast::<PipelineStateSubobject<*mut c_void>>();
    assert!(desc.SizeInBytes >= size_of::<PipelineStateSubobject<*mut c_void>>());
    // SAFETY: the stream is alive and has as many bytes; the record is written as a whole.
    let record = unsafe { record.read() };
    (record.Type, record.Payload)
}

/// The first record that is found with these callbacks.
fn find(
    database: &ID3D12StateObjectDatabase1,
    callbacks: Callbacks<'_>,
) -> Result<(i32, *mut c_void), HRESULT> {
    let mut found = None;
    let result = find_pipeline1(database, by_group(b"k"), callbacks, |_, _, desc| {
        found = Some(first_record(desc));
    });
    match found {
        Some(found) => {
            assert_eq!(result, S_OK);
            Ok(found)
        }
        None => Err(result),
    }
}

fn creating<'c>(given: Given<ID3D12RootSignature>) -> Callbacks<'c> {
    Callbacks {
        create: Some(Box::new(move |_, _| given.clone())),
        ..Callbacks::default()
    }
}

fn looking_up<'c>(given: Given<ID3D12RootSignature>) -> Callbacks<'c> {
    Callbacks {
        lookup: Some(Box::new(move |_, _| given.clone())),
        ..Callbacks::default()
    }
}

#[test]
fn a_root_signature_is_looked_up_or_created() {
    let (_folder, database) = temporary1();
    assert_eq!(store_pipeline(&database, b"k", 1, &external().desc()), S_OK);
    let count = Arc::new(());
    let object = root_signature(&count);
    let with_object = Ok((
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE,
        object.as_raw(),
    ));
    let of_bytes = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE;
    let mut asked = Vec::new();
    let callbacks = Callbacks {
        lookup: Some(Box::new(|_, _| Err(DXGI_ERROR_NOT_FOUND))),
        create: Some(Box::new(|key, bytes| {
            asked.push((key.to_vec(), bytes.to_vec()));
            Ok(Some(object.clone()))
        })),
        ..Callbacks::default()
    };
    assert_eq!(find(&database, callbacks), with_object);
    let [(key, bytes)] = <[_; 1]>::try_from(asked).unwrap();
    assert_eq!(bytes, serialized(&covering()).bytes());
    let looked_up = Callbacks {
        create: Some(Box::new(|_, _| unreachable!())),
        lookup: Some(Box::new(|asked, _| {
            assert_eq!(asked, key);
            Ok(Some(object.clone()))
        })),
        ..Callbacks::default()
    };
    assert_eq!(find(&database, looked_up), with_object);
    assert_eq!(
        find(&database, creating(Ok(Some(object.clone())))),
        with_object
    );
    // Nobody has one, or wants one: it stays what it is.
    let found = find(&database, looking_up(Err(DXGI_ERROR_NOT_FOUND)));
    assert_eq!(found.map(|(kind, _)| kind), Ok(of_bytes));
    let found = find(&database, Callbacks::default());
    assert_eq!(found.map(|(kind, _)| kind), Ok(of_bytes));
    // What callbacks gave was released.
    assert_eq!(Arc::strong_count(&count), 2);
    drop(object);
    assert_eq!(Arc::strong_count(&count), 1);
}

#[test]
fn callbacks_that_fail_end_the_search() {
    let (_folder, database) = temporary1();
    assert_eq!(store_pipeline(&database, b"k", 1, &external().desc()), S_OK);
    for (callbacks, expected) in [
        (creating(Err(DEVICE_REMOVED)), DEVICE_REMOVED),
        // Of who creates, this is a failure as any other.
        (creating(Err(DXGI_ERROR_NOT_FOUND)), DXGI_ERROR_NOT_FOUND),
        (creating(Ok(None)), E_FAIL),
        (looking_up(Err(DEVICE_REMOVED)), DEVICE_REMOVED),
        (looking_up(Ok(None)), E_FAIL),
    ] {
        assert_eq!(find(&database, callbacks), Err(expected));
    }
    // A pipeline without one needs none.
    assert_eq!(store_pipeline(&database, b"k", 2, &embedded().desc()), S_OK);
    let (kind, _) = find(&database, creating(Err(DEVICE_REMOVED))).unwrap();
    assert_eq!(kind, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS);
}

/// Type and, where the payload begins with one, pointer of each subobject.
fn pointers(desc: &D3D12_STATE_OBJECT_DESC) -> Vec<(i32, *mut c_void)> {
    let pointer = |subobject: &D3D12_STATE_SUBOBJECT| {
        let pointer = match subobject.Type {
            D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE
            | D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE
            | D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION
            | D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION => {
                // SAFETY: the type says that the payload begins with a pointer.
                unsafe { subobject.pDesc.cast::<*mut c_void>().read() }
            }
            _ => std::ptr::null_mut(),
        };
        (subobject.Type, pointer)
    };
    subobjects(desc).iter().map(pointer).collect()
}

#[test]
fn root_signatures_of_a_state_object() {
    let (_folder, database) = temporary1();
    assert_eq!(store_object(&database, b"k", 1, &raytracing(), b""), S_OK);
    let count = Arc::new(());
    let mut made = Vec::new();
    let callbacks = Callbacks {
        create: Some(Box::new(|key, _| {
            let object = root_signature(&count);
            made.push((key.to_vec(), object.as_raw()));
            Ok(Some(object))
        })),
        ..Callbacks::default()
    };
    let mut found = Vec::new();
    let mut associated = 0;
    let result = find_object1(&database, by_group(b"k"), callbacks, |_, _, desc, _| {
        found = pointers(desc);
        let all = subobjects(desc);
        for subobject in all {
            if subobject.Type == D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
                // SAFETY: the type says what it is.
                let of = unsafe {
                    let association = subobject.pDesc;
                    &*association.cast::<D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION>()
                };
                associated += u32::from(std::ptr::eq(of.pSubobjectToAssociate, &raw const all[1]));
            }
        }
    });
    assert_eq!(result, S_OK);
    let [global, local] = <[_; 2]>::try_from(made).unwrap();
    assert_ne!(global.0, local.0);
    assert_eq!(
        found[..2],
        [
            (D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE, global.1),
            (D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE, local.1),
        ]
    );
    assert_eq!(associated, 1, "the local one, as before");
    assert_eq!(Arc::strong_count(&count), 1);
    // The second one fails: the first is released.
    let mut first = true;
    let callbacks = Callbacks {
        create: Some(Box::new(|_, _| {
            if std::mem::take(&mut first) {
                Ok(Some(root_signature(&count)))
            } else {
                Err(DEVICE_REMOVED)
            }
        })),
        ..Callbacks::default()
    };
    let result = find_object1(
        &database,
        by_group(b"k"),
        callbacks,
        |_, _, _, _| unreachable!(),
    );
    assert_eq!(result, DEVICE_REMOVED);
    assert_eq!(Arc::strong_count(&count), 1);
}

#[test]
fn collections_are_looked_up() {
    let (_folder, database) = temporary1();
    let vertex = collection("fullscreen_vs", "vs=*");
    let pixel = collection("fullscreen_ps", "ps=*");
    assert_eq!(store_object(&database, b"vertex", 1, &vertex, b""), S_OK);
    assert_eq!(store_object(&database, b"pixel", 1, &pixel, b""), S_OK);
    let over = with_key(
        with_key(noise("noise_a"), b"vertex", &[]),
        b"pixel",
        &["ps"],
    );
    assert_eq!(store_object(&database, b"over", 1, &over, b""), S_OK);
    let keys: Vec<_> = objects(&database).into_iter().map(|(_, key)| key).collect();
    // What nobody names has no group's key to be looked up by.
    assert_eq!(
        store_pipeline(&database, b"pixel", 2, &embedded().desc()),
        S_OK
    );

    let count = Arc::new(());
    let made = [state_object(&count), state_object(&count)];
    let mut asked = Vec::new();
    let mut given = made.iter().cloned();
    let callbacks = Callbacks {
        lookup_object: Some(Box::new(|key, group| {
            asked.push((key.to_vec(), group.to_vec()));
            Ok(given.next().map(IUnknown::from))
        })),
        ..Callbacks::default()
    };
    let mut found = Vec::new();
    let mut exports = Vec::new();
    let result = find_object1(&database, by_group(b"over"), callbacks, |_, _, desc, _| {
        found = pointers(desc);
        for subobject in subobjects(desc) {
            if subobject.Type == D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION {
                // SAFETY: the type says what it is.
                let desc = unsafe { &*subobject.pDesc.cast::<D3D12_EXISTING_COLLECTION_DESC>() };
                exports.push(desc.NumExports);
            }
        }
    });
    assert_eq!(result, S_OK);
    let expected = [
        (keys[0].clone(), b"vertex".to_vec()),
        (keys[1].clone(), Vec::new()),
    ];
    assert_eq!(asked, expected);
    found.retain(|(_, pointer)| !pointer.is_null());
    let kind = D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION;
    assert_eq!(found, made.each_ref().map(|made| (kind, made.as_raw())));
    assert_eq!(exports, [0, 1]);
    drop(made);
    assert_eq!(Arc::strong_count(&count), 1);

    // An object that is no collection; failures; null. One that is not found is a failure too: there is nothing else that
    // a device or a compiler takes.
    let other: IUnknown = root_signature(&count).into();
    for (given, expected) in [
        (Ok(Some(other)), E_NOINTERFACE),
        (Ok(None), E_FAIL),
        (Err(DXGI_ERROR_NOT_FOUND), DXGI_ERROR_NOT_FOUND),
        (Err(DEVICE_REMOVED), DEVICE_REMOVED),
    ] {
        let callbacks = Callbacks {
            lookup_object: Some(Box::new(|_, _| given.clone())),
            ..Callbacks::default()
        };
        let result = find_object1(
            &database,
            by_group(b"over"),
            callbacks,
            |_, _, _, _| unreachable!(),
        );
        assert_eq!(result, expected);
    }
    assert_eq!(Arc::strong_count(&count), 1);
}

#[test]
fn callbacks_may_call_every_method() {
    let (_folder, database) = temporary1();
    assert_eq!(store_pipeline(&database, b"k", 1, &external().desc()), S_OK);
    let mut stored = None;
    let callbacks = Callbacks {
        create: Some(Box::new(|_, _| {
            let found = find_pipeline1(
                &database,
                by_group(b"k"),
                Callbacks::default(),
                |_, _, desc| stored = Some(store_pipeline(&database, b"copy", 1, desc)),
            );
            assert_eq!(found, S_OK);
            Ok(Some(root_signature(&Arc::new(()))))
        })),
        ..Callbacks::default()
    };
    assert!(find(&database, callbacks).is_ok());
    assert_eq!(stored, Some(S_OK));
    let desc: PipelineStateDesc = pipeline(&database, b"k").unwrap().1;
    assert_eq!(pipeline(&database, b"copy"), Ok((1, desc)));
}
