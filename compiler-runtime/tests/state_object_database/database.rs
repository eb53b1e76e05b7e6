//! The interfaces with less to write.

use std::ffi::c_void;
use std::path::Path;
use std::{ptr, slice};

use api_sys::*;
use compiler_runtime::exports::D3D12GetInterface;
use runtime_test_support::api::{get, wide_path};
use runtime_test_support::state_object::Description;
use shader_db::sodb;
use windows_core::{HRESULT, PCWSTR};

pub const FILE_CORRUPT: HRESULT = HRESULT(0x8007_0570_u32.cast_signed());

pub fn factory() -> ID3D12StateObjectDatabaseFactory {
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    get(|riid, place| unsafe { D3D12GetInterface(&CLSID_D3D12StateObjectFactory, riid, place) })
        .unwrap()
}

pub fn try_open(path: &Path, flags: u32) -> Result<ID3D12StateObjectDatabase, HRESULT> {
    let path = wide_path(path);
    let factory = factory();
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    get(|riid, place| unsafe {
        let path = PCWSTR(path.as_ptr());
        factory.CreateStateObjectDatabaseFromFile(path, flags, riid, place)
    })
}

pub fn open(path: &Path) -> ID3D12StateObjectDatabase {
    try_open(path, D3D12_STATE_OBJECT_DATABASE_FLAG_NONE).unwrap()
}

pub fn open_to_read(path: &Path) -> ID3D12StateObjectDatabase {
    try_open(path, D3D12_STATE_OBJECT_DATABASE_FLAG_READ_ONLY).unwrap()
}

/// A database in a folder that goes with the first of the two.
pub fn temporary() -> (tempfile::TempDir, ID3D12StateObjectDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let database = open(&folder.path().join("a.sodb"));
    (folder, database)
}

/// A key as two arguments; without bytes null.
pub fn raw(key: &[u8]) -> (*const c_void, u32) {
    match key {
        [] => (ptr::null(), 0),
        _ => (key.as_ptr().cast(), u32::try_from(key.len()).unwrap()),
    }
}

/// # Safety
///
/// They are a key of the API, valid for `'a`.
unsafe fn bytes<'a>(key: *const c_void, size: u32) -> &'a [u8] {
    if key.is_null() {
        assert_eq!(size, 0);
        return &[];
    }
    // SAFETY: `key` was found not null, and a key of the API has `size` bytes, here valid for `'a` (`# Safety`).
    unsafe { slice::from_raw_parts(key.cast(), size as usize) }
}

pub fn store_pipeline(
    database: &ID3D12StateObjectDatabase,
    key: &[u8],
    version: u32,
    desc: &D3D12_PIPELINE_STATE_STREAM_DESC,
) -> HRESULT {
    let (key, size) = raw(key);
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe { database.StorePipelineStateDesc(key, size, version, desc) }
}

/// No bytes of `parent` are no parent.
pub fn store_object(
    database: &ID3D12StateObjectDatabase,
    key: &[u8],
    version: u32,
    desc: &Description,
    parent: &[u8],
) -> HRESULT {
    let ((key, size), (parent, parent_size)) = (raw(key), raw(parent));
    let desc = desc.desc();
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe {
        database.StoreStateObjectDesc(key, size, version, &raw const desc, parent, parent_size)
    }
}

/// Takes key, version and description.
type EachPipeline<'c> = &'c mut dyn FnMut(&[u8], u32, &D3D12_PIPELINE_STATE_STREAM_DESC);

unsafe extern "system" fn take_pipeline(
    key: *const c_void,
    size: u32,
    version: u32,
    desc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    context: *mut c_void,
) {
    // SAFETY: the context is that of `find_pipeline`; what the database passes is readable until this returns.
    unsafe { (*context.cast::<EachPipeline<'_>>())(bytes(key, size), version, &*desc) };
}

/// Finds a pipeline and calls back with it.
pub fn find_pipeline(
    database: &ID3D12StateObjectDatabase,
    key: &[u8],
    mut each: impl FnMut(&[u8], u32, &D3D12_PIPELINE_STATE_STREAM_DESC),
) -> HRESULT {
    let (key, size) = raw(key);
    let mut each: EachPipeline<'_> = &mut each;
    let context = (&raw mut each).cast();
    // SAFETY: every pointer is null or to a value of its type that outlives the call, as the context does.
    unsafe { database.FindPipelineStateDesc(key, size, Some(take_pipeline), context) }
}

/// Takes key, version, description and the key of the parent, which has no bytes if there is none.
type EachObject<'c> = &'c mut dyn FnMut(&[u8], u32, &D3D12_STATE_OBJECT_DESC, &[u8]);

unsafe extern "system" fn take_object(
    key: *const c_void,
    size: u32,
    version: u32,
    desc: *const D3D12_STATE_OBJECT_DESC,
    parent: *const c_void,
    parent_size: u32,
    context: *mut c_void,
) {
    // SAFETY: the context is that of `find_object`; what the database passes is readable until this returns.
    unsafe {
        let (key, parent) = (bytes(key, size), bytes(parent, parent_size));
        (*context.cast::<EachObject<'_>>())(key, version, &*desc, parent);
    }
}

/// Finds a state object and calls back with it.
pub fn find_object(
    database: &ID3D12StateObjectDatabase,
    key: &[u8],
    mut each: impl FnMut(&[u8], u32, &D3D12_STATE_OBJECT_DESC, &[u8]),
) -> HRESULT {
    let (key, size) = raw(key);
    let mut each: EachObject<'_> = &mut each;
    let context = (&raw mut each).cast();
    // SAFETY: every pointer is null or to a value of its type that outlives the call, as the context does.
    unsafe { database.FindStateObjectDesc(key, size, Some(take_object), context) }
}

/// What is found of a pipeline, copied; the callback must have been called once, with the key.
pub fn pipeline(
    database: &ID3D12StateObjectDatabase,
    key: &[u8],
) -> Result<(u32, sodb::PipelineStateDesc), HRESULT> {
    let mut found = Vec::new();
    let result = find_pipeline(database, key, |found_key, version, desc| {
        // SAFETY: a found description is readable, with all that it points at, until the callback returns.
        let desc = unsafe { sodb::PipelineStateDesc::from_raw(desc) };
        found.push((found_key.to_vec(), version, desc));
    });
    if result != S_OK {
        assert!(found.is_empty());
        return Err(result);
    }
    let [(found_key, version, desc)] = <[_; 1]>::try_from(found).unwrap();
    assert_eq!(found_key, key);
    Ok((version, desc.unwrap()))
}

/// What is found of a state object, copied; the callback must have been called once, with the key.
pub fn object(
    database: &ID3D12StateObjectDatabase,
    key: &[u8],
) -> Result<(u32, sodb::StateObjectDesc, Vec<u8>), HRESULT> {
    let mut found = Vec::new();
    let result = find_object(database, key, |found_key, version, desc, parent| {
        // SAFETY: a found description is readable, with all that it points at, until the callback returns.
        let desc = unsafe { sodb::StateObjectDesc::from_raw(desc) };
        found.push((found_key.to_vec(), version, desc, parent.to_vec()));
    });
    if result != S_OK {
        assert!(found.is_empty());
        return Err(result);
    }
    let [(found_key, version, desc, parent)] = <[_; 1]>::try_from(found).unwrap();
    assert_eq!(found_key, key);
    Ok((version, desc.unwrap(), parent))
}

/// The version of an object of any kind.
pub fn version(database: &ID3D12StateObjectDatabase, key: &[u8]) -> Result<u32, HRESULT> {
    let (key, size) = raw(key);
    let mut version = 0xDEAD_BEEF;
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    match unsafe { database.FindObjectVersion(key, size, &raw mut version) } {
        S_OK => Ok(version),
        result => {
            assert_eq!(version, 0xDEAD_BEEF);
            Err(result)
        }
    }
}

/// Adds a collection by its key.
pub fn with_key(mut desc: Description, key: &[u8], exports: &[&str]) -> Description {
    let export = |export: &&str| D3D12_EXPORT_DESC {
        Name: desc.string(export),
        ..D3D12_EXPORT_DESC::default()
    };
    let exports: Vec<_> = exports.iter().map(export).collect();
    let by_key = D3D12_EXISTING_COLLECTION_BY_KEY_DESC {
        pKey: desc.arena().array(key).cast_const().cast(),
        KeySize: u32::try_from(key.len()).unwrap(),
        NumExports: u32::try_from(exports.len()).unwrap(),
        pExports: desc.arena().array(&exports),
    };
    desc.put(
        D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY,
        by_key,
    )
}

/// The subobjects of a description.
pub fn subobjects(desc: &D3D12_STATE_OBJECT_DESC) -> &[D3D12_STATE_SUBOBJECT] {
    // SAFETY: the description is one of a callback, or of `Description`.
    unsafe { slice::from_raw_parts(desc.pSubobjects, desc.NumSubobjects as usize) }
}
