//! `StorePipelineStateDesc`, `FindPipelineStateDesc` and `FindObjectVersion`.

use std::{ptr, slice};

use api_sys::*;
use runtime_test_support::corpus::{covering, serialized, shader};
use runtime_test_support::stream::StreamBuilder;
use shader_db::sodb::PipelineStateDesc;

use crate::database::*;
use crate::state_objects::raytracing;

/// With the root signature that is embedded in the shader.
pub fn embedded() -> StreamBuilder {
    StreamBuilder::new().cs(&shader("raw_copy_cs"))
}

/// With a root signature in the stream.
pub fn external() -> StreamBuilder {
    StreamBuilder::new()
        .root_signature(&serialized(&covering()))
        .cs(&shader("prefix_sum_cs"))
}

/// With state.
pub fn graphics() -> StreamBuilder {
    let vertex = shader("forward_plain_vs");
    StreamBuilder::new()
        .root_signature(&serialized(&covering()))
        .vs(&vertex)
        .ps(&shader("forward_plain_ps"))
        .fed(&vertex)
        .topology(D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE)
        .targets(&[DXGI_FORMAT_R8G8B8A8_UNORM])
        .record(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER2,
            D3D12_RASTERIZER_DESC2 {
                FillMode: D3D12_FILL_MODE_SOLID,
                CullMode: D3D12_CULL_MODE_BACK,
                DepthClipEnable: true.into(),
                ..Default::default()
            },
        )
}

fn copied(stream: &mut StreamBuilder) -> PipelineStateDesc {
    // SAFETY: the stream is readable, with all that it points at.
    unsafe { PipelineStateDesc::from_raw(&stream.desc()) }.unwrap()
}

#[test]
fn what_was_stored_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sodb");
    let database = open(&path);
    let mut all = [embedded(), external(), graphics()];
    // Keys are bytes; a NUL ends none.
    let keys: [&[u8]; 3] = [b"\0", b"\0\0", &[0xFF; 300]];
    for (key, stream) in keys.into_iter().zip(&mut all) {
        assert_eq!(version(&database, key), Err(DXGI_ERROR_NOT_FOUND));
        assert_eq!(pipeline(&database, key), Err(DXGI_ERROR_NOT_FOUND));
        assert_eq!(store_pipeline(&database, key, 7, &stream.desc()), S_OK);
    }
    drop(database);
    let database = open_to_read(&path);
    for (key, stream) in keys.into_iter().zip(&mut all) {
        assert_eq!(version(&database, key), Ok(7));
        assert_eq!(pipeline(&database, key), Ok((7, copied(stream))));
        assert_eq!(object(&database, key).err(), Some(DXGI_ERROR_NOT_FOUND));
    }
}

#[test]
fn the_found_stream_is_laid_out_as_c_has_it() {
    #[repr(C)]
    struct Stream {
        root_signature: PipelineStateSubobject<D3D12_SERIALIZED_ROOT_SIGNATURE_DESC>,
        shader: PipelineStateSubobject<D3D12_SHADER_BYTECODE>,
    }
    let (_folder, database) = temporary();
    let mut stream = external();
    assert_eq!(store_pipeline(&database, b"k", 1, &stream.desc()), S_OK);
    let mut found = Vec::new();
    let result = find_pipeline(&database, b"k", |_, _, desc| {
        if desc.SizeInBytes != size_of::<Stream>() {
            return;
        }
        // SAFETY: the description is alive and has that many bytes; what it has of shaders too.
        found.extend(unsafe {
            let Stream {
                root_signature,
                shader,
            } = desc.pPipelineStateSubobjectStream.cast::<Stream>().read();
            let (root_signature, shader) = (root_signature.Payload, shader.Payload);
            [
                (
                    root_signature.pSerializedBlob,
                    root_signature.SerializedBlobSizeInBytes,
                ),
                (shader.pShaderBytecode, shader.BytecodeLength),
            ]
            .map(|(first, size)| slice::from_raw_parts(first.cast::<u8>(), size).to_vec())
        });
    });
    assert_eq!(result, S_OK);
    let [root_signature, code] = <[_; 2]>::try_from(found).unwrap();
    assert_eq!(root_signature, serialized(&covering()).bytes());
    assert_eq!(code, shader("prefix_sum_cs").bytes());
}

#[test]
fn one_object_and_version_for_a_key() {
    let (_folder, database) = temporary();
    let store = |version, mut stream: StreamBuilder| {
        store_pipeline(&database, b"k", version, &stream.desc())
    };
    assert_eq!(store(2, embedded()), S_OK);
    assert_eq!(store(2, embedded()), S_OK);
    assert_eq!(store(2, external()), DXGI_ERROR_ALREADY_EXISTS);
    // Of another kind.
    let ray = raytracing();
    assert_eq!(
        store_object(&database, b"k", 2, &ray, b""),
        DXGI_ERROR_ALREADY_EXISTS
    );
    assert_eq!(
        pipeline(&database, b"k").unwrap().1,
        copied(&mut embedded())
    );
    for version_of_other in [3, 1] {
        assert_eq!(store(version_of_other, external()), S_OK);
        assert_eq!(version(&database, b"k"), Ok(version_of_other));
    }
    assert_eq!(pipeline(&database, b"k"), Ok((1, copied(&mut external()))));
    assert_eq!(store_object(&database, b"k", 4, &ray, b""), S_OK);
    assert_eq!(version(&database, b"k"), Ok(4));
    assert_eq!(pipeline(&database, b"k"), Err(DXGI_ERROR_NOT_FOUND));
}

#[test]
fn what_is_refused_stores_nothing() {
    let (_folder, database) = temporary();
    let root_signature = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE;
    for mut stream in [
        StreamBuilder::new(),
        embedded().record(root_signature, ptr::dangling::<u64>()),
        embedded().cs(&shader("raw_copy_cs")),
        embedded().record(23, 0_u32),
        embedded().record(30, 0_u32),
    ] {
        let result = store_pipeline(&database, b"k", 1, &stream.desc());
        assert_eq!(result, E_INVALIDARG);
    }
    let mut stream = embedded();
    let desc = stream.desc();
    let null_stream = D3D12_PIPELINE_STATE_STREAM_DESC {
        pPipelineStateSubobjectStream: ptr::null_mut(),
        ..desc
    };
    let key = b"k".as_ptr().cast();
    for (key, size, desc) in [
        (ptr::null(), 1, &raw const desc),
        (ptr::null(), 0, &raw const desc),
        (key, 0, &raw const desc),
        (key, 1, ptr::null()),
        (key, 1, &raw const null_stream),
    ] {
        // SAFETY: every pointer is null, misaligned, or to a value of its type that outlives the call.
        let result = unsafe { database.StorePipelineStateDesc(key, size, 1, desc) };
        assert_eq!(result, E_INVALIDARG);
    }
    assert_eq!(version(&database, b"k"), Err(DXGI_ERROR_NOT_FOUND));
}

#[test]
fn arguments_of_the_find_methods() {
    unsafe extern "system" fn pipeline(
        _: *const std::ffi::c_void,
        _: u32,
        _: u32,
        _: *const D3D12_PIPELINE_STATE_STREAM_DESC,
        _: *mut std::ffi::c_void,
    ) {
        std::process::abort();
    }
    unsafe extern "system" fn object(
        _: *const std::ffi::c_void,
        _: u32,
        _: u32,
        _: *const D3D12_STATE_OBJECT_DESC,
        _: *const std::ffi::c_void,
        _: u32,
        _: *mut std::ffi::c_void,
    ) {
        std::process::abort();
    }
    let (_folder, database) = temporary();
    assert_eq!(store_pipeline(&database, b"k", 1, &embedded().desc()), S_OK);
    let (none, mut version) = (ptr::null_mut(), 0);
    let key = b"k".as_ptr().cast();
    // SAFETY: every pointer is null, misaligned, or to a value of its type that outlives the call.
    unsafe {
        for (key, size) in [(ptr::null(), 0), (ptr::null(), 1), (key, 0)] {
            let find = database.FindPipelineStateDesc(key, size, Some(pipeline), none);
            assert_eq!(find, E_INVALIDARG);
            let find = database.FindStateObjectDesc(key, size, Some(object), none);
            assert_eq!(find, E_INVALIDARG);
            let find = database.FindObjectVersion(key, size, &raw mut version);
            assert_eq!(find, E_INVALIDARG);
        }
        for key in [key, b"l".as_ptr().cast()] {
            let find = database.FindPipelineStateDesc(key, 1, None, none);
            assert_eq!(find, E_INVALIDARG);
            assert_eq!(
                database.FindStateObjectDesc(key, 1, None, none),
                E_INVALIDARG
            );
            let find = database.FindObjectVersion(key, 1, ptr::null_mut());
            assert_eq!(find, E_INVALIDARG);
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
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .pragma_update(None, "foreign_keys", false)
        .unwrap();
    let deleted = connection.execute("DELETE FROM root_signatures", []);
    assert_eq!(deleted.unwrap(), 1);
    drop(connection);
    let database = open_to_read(&path);
    assert_eq!(pipeline(&database, b"b"), Err(FILE_CORRUPT));
    assert_eq!(pipeline(&database, b"a").unwrap().0, 1);
}
