//! `ID3D12StateObjectDatabase1` and `ID3D12StateObjectDatabaseFactory1` with less to write.

use std::ffi::c_void;
use std::path::Path;
use std::sync::Arc;
use std::{ptr, slice};

use api_sys::*;
use runtime_test_support::api::{get, wide_path};
use runtime_test_support::state_object::Description;
use windows_core::{BOOL, HRESULT, IUnknown, Interface, PCWSTR, implement, interface};

use crate::database::*;

pub const ILLEGAL_STATE_CHANGE: HRESULT = HRESULT(0x8000_000D_u32.cast_signed());
pub const LOCK_VIOLATION: HRESULT = HRESULT(0x8007_0021_u32.cast_signed());

pub const WAL: D3D12_STATE_OBJECT_DATABASE_DESC = D3D12_STATE_OBJECT_DATABASE_DESC {
    Flags: D3D12_STATE_OBJECT_DATABASE_FLAG_NONE,
    JournalMode: D3D12_JOURNAL_MODE_WAL,
    BusyTimeoutMs: 1,
};
pub const READER: D3D12_STATE_OBJECT_DATABASE_DESC = D3D12_STATE_OBJECT_DATABASE_DESC {
    Flags: D3D12_STATE_OBJECT_DATABASE_FLAG_READ_ONLY,
    JournalMode: D3D12_JOURNAL_MODE_DEFAULT,
    BusyTimeoutMs: 1,
};

pub fn try_open_with(
    path: &Path,
    desc: &D3D12_STATE_OBJECT_DATABASE_DESC,
    queue: Option<&ID3D12InfoQueue>,
) -> Result<ID3D12StateObjectDatabase1, HRESULT> {
    let path = wide_path(path);
    let factory: ID3D12StateObjectDatabaseFactory1 = factory().cast().unwrap();
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    get(|riid, place| unsafe {
        let path = PCWSTR(path.as_ptr());
        factory.CreateStateObjectDatabaseFromFile1(path, desc, queue, riid, place)
    })
}

pub fn open_with(
    path: &Path,
    desc: &D3D12_STATE_OBJECT_DATABASE_DESC,
) -> ID3D12StateObjectDatabase1 {
    try_open_with(path, desc, None).unwrap()
}

/// A database in a folder that goes with the first of the two.
pub fn temporary1() -> (tempfile::TempDir, ID3D12StateObjectDatabase1) {
    let (folder, database) = temporary();
    (folder, database.cast().unwrap())
}

pub fn group(key: &[u8]) -> D3D12_DATABASE_GROUP_KEY {
    let (key, size) = raw(key);
    D3D12_DATABASE_GROUP_KEY {
        pKey: key,
        KeySize: size,
    }
}

/// # Safety
///
/// They are a key of the API.
unsafe fn copied(key: *const c_void, size: u32) -> Vec<u8> {
    if key.is_null() {
        assert_eq!(size, 0);
        return Vec::new();
    }
    // SAFETY: `key` was found not null, and a key of the API has `size` bytes (`# Safety`).
    unsafe { slice::from_raw_parts(key.cast(), size as usize) }.to_vec()
}

/// Keys of groups and their versions.
pub type Groups = Vec<(Vec<u8>, u32)>;

/// # Safety
///
/// They are what a callback has.
unsafe fn groups(
    keys: *const D3D12_DATABASE_GROUP_KEY,
    versions: *const u32,
    count: u32,
) -> Groups {
    if count == 0 {
        assert!(keys.is_null() && versions.is_null());
        return Vec::new();
    }
    // SAFETY: a callback's `keys` and `versions` have `count` elements, and each `pKey` has `KeySize` bytes (`# Safety`).
    unsafe {
        let keys = slice::from_raw_parts(keys, count as usize);
        let versions = slice::from_raw_parts(versions, count as usize);
        let group = |(key, version): (&D3D12_DATABASE_GROUP_KEY, &u32)| {
            (copied(key.pKey, key.KeySize), *version)
        };
        keys.iter().zip(versions).map(group).collect()
    }
}

/// Groups as a test writes them.
pub fn named(groups: &[(&[u8], u32)]) -> Groups {
    let group = |(key, version): &(&[u8], u32)| (key.to_vec(), *version);
    groups.iter().map(group).collect()
}

/// Takes groups and the object's key; says whether to go on.
type Each<'c> = &'c mut dyn FnMut(Groups, Vec<u8>) -> bool;

unsafe extern "system" fn each_pipeline(
    keys: *const D3D12_DATABASE_GROUP_KEY,
    versions: *const u32,
    count: u32,
    key: *const D3D12_DATABASE_PIPELINE_STATE_KEY,
    context: *mut c_void,
) -> BOOL {
    // SAFETY: the context is that of `enumerate_pipelines`; what the database passes is readable until this returns.
    unsafe {
        let key = copied((*key).pKey, (*key).KeySize);
        (*context.cast::<Each<'_>>())(groups(keys, versions, count), key).into()
    }
}

pub fn enumerate_pipelines(
    database: &ID3D12StateObjectDatabase1,
    mut each: impl FnMut(Groups, Vec<u8>) -> bool,
) -> HRESULT {
    let mut each: Each<'_> = &mut each;
    // SAFETY: every pointer is null or to a value of its type that outlives the call, as the context does.
    unsafe { database.EnumeratePipelineStates(Some(each_pipeline), (&raw mut each).cast()) }
}

unsafe extern "system" fn each_object(
    keys: *const D3D12_DATABASE_GROUP_KEY,
    versions: *const u32,
    count: u32,
    key: *const D3D12_DATABASE_STATE_OBJECT_KEY,
    context: *mut c_void,
) -> BOOL {
    // SAFETY: the context is that of `enumerate_objects`; what the database passes is readable until this returns.
    unsafe {
        let key = copied((*key).pKey, (*key).KeySize);
        (*context.cast::<Each<'_>>())(groups(keys, versions, count), key).into()
    }
}

pub fn enumerate_objects(
    database: &ID3D12StateObjectDatabase1,
    mut each: impl FnMut(Groups, Vec<u8>) -> bool,
) -> HRESULT {
    let mut each: Each<'_> = &mut each;
    // SAFETY: every pointer is null or to a value of its type that outlives the call, as the context does.
    unsafe { database.EnumerateStateObjects(Some(each_object), (&raw mut each).cast()) }
}

/// All pipelines: their groups and keys.
pub fn pipelines(database: &ID3D12StateObjectDatabase1) -> Vec<(Groups, Vec<u8>)> {
    let mut all = Vec::new();
    let result = enumerate_pipelines(database, |groups, key| {
        all.push((groups, key));
        true
    });
    assert_eq!(result, S_OK);
    let mut count = 0;
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    let counted = unsafe { database.GetPipelineStateDescCount(&raw mut count) };
    assert_eq!((counted, count as usize), (S_OK, all.len()));
    all
}

/// All state objects: their groups and keys.
pub fn objects(database: &ID3D12StateObjectDatabase1) -> Vec<(Groups, Vec<u8>)> {
    let mut all = Vec::new();
    let result = enumerate_objects(database, |groups, key| {
        all.push((groups, key));
        true
    });
    assert_eq!(result, S_OK);
    let mut count = 0;
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    let counted = unsafe { database.GetStateObjectDescCount(&raw mut count) };
    assert_eq!((counted, count as usize), (S_OK, all.len()));
    all
}

/// The groups of all, without the objects' keys.
pub fn groups_of(all: Vec<(Groups, Vec<u8>)>) -> Vec<Groups> {
    all.into_iter().map(|(groups, _)| groups).collect()
}

/// What a callback gives: an object, or null.
pub type Given<T> = Result<Option<T>, HRESULT>;

/// A callback for the object of an object's key and of a second argument.
pub type Callback<'c, T> = Box<dyn FnMut(&[u8], &[u8]) -> Given<T> + 'c>;

/// The callbacks of a search; those that are there are given.
#[derive(Default)]
pub struct Callbacks<'c> {
    /// By object key and group key.
    pub lookup_object: Option<Callback<'c, IUnknown>>,
    /// By key and serialized form.
    pub create: Option<Callback<'c, ID3D12RootSignature>>,
    /// By key.
    pub lookup: Option<Callback<'c, ID3D12RootSignature>>,
}

struct Context<'c, 'f> {
    callbacks: Callbacks<'c>,
    pipeline: &'f mut dyn FnMut(Groups, Vec<u8>, &D3D12_PIPELINE_STATE_STREAM_DESC),
    object: &'f mut EachObject<'f>,
}

/// Takes groups and key, description, and the parent's keys.
type EachObject<'f> = dyn FnMut(Groups, Vec<u8>, &D3D12_STATE_OBJECT_DESC, Option<Parent>) + 'f;

/// Keys of a parent: of the object, and of its group.
pub type Parent = (Vec<u8>, Option<Vec<u8>>);

/// Puts what is given; on failure what nobody must touch.
///
/// # Safety
///
/// The place is for an object.
unsafe fn put<T>(place: *mut Option<T>, given: Given<T>) -> HRESULT {
    // SAFETY: `place` is for an object (`# Safety`), which the runtime set to null; a number fits where a pointer does.
    unsafe {
        assert!((*place).is_none());
        match given {
            Ok(object) => {
                place.write(object);
                S_OK
            }
            Err(result) => {
                place.cast::<usize>().write(0xDEAD_BEE0);
                result
            }
        }
    }
}

unsafe extern "system" fn lookup_object(
    key: *const D3D12_DATABASE_STATE_OBJECT_KEY,
    group: *const D3D12_DATABASE_GROUP_KEY,
    place: *mut Option<IUnknown>,
    context: *mut c_void,
) -> HRESULT {
    // SAFETY: the context is that of a search; what the database passes is readable until this returns.
    unsafe {
        let context = &mut *context.cast::<Context<'_, '_>>();
        let lookup = context.callbacks.lookup_object.as_mut().unwrap();
        let key = copied((*key).pKey, (*key).KeySize);
        let group = copied((*group).pKey, (*group).KeySize);
        put(place, lookup(&key, &group))
    }
}

unsafe extern "system" fn create(
    key: *const D3D12_DATABASE_ROOT_SIGNATURE_KEY,
    bytes: *const c_void,
    size: usize,
    place: *mut Option<ID3D12RootSignature>,
    context: *mut c_void,
) -> HRESULT {
    // SAFETY: the context is that of a search; what the database passes is readable until this returns.
    unsafe {
        let context = &mut *context.cast::<Context<'_, '_>>();
        let create = context.callbacks.create.as_mut().unwrap();
        let key = copied((*key).pKey, (*key).KeySize);
        let bytes = slice::from_raw_parts(bytes.cast(), size);
        put(place, create(&key, bytes))
    }
}

unsafe extern "system" fn lookup(
    key: *const D3D12_DATABASE_ROOT_SIGNATURE_KEY,
    place: *mut Option<ID3D12RootSignature>,
    context: *mut c_void,
) -> HRESULT {
    // SAFETY: the context is that of a search; what the database passes is readable until this returns.
    unsafe {
        let context = &mut *context.cast::<Context<'_, '_>>();
        let lookup = context.callbacks.lookup.as_mut().unwrap();
        let key = copied((*key).pKey, (*key).KeySize);
        put(place, lookup(&key, b""))
    }
}

unsafe extern "system" fn found_pipeline(
    keys: *const D3D12_DATABASE_GROUP_KEY,
    versions: *const u32,
    count: u32,
    key: *const D3D12_DATABASE_PIPELINE_STATE_KEY,
    desc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    context: *mut c_void,
) {
    // SAFETY: the context is that of a search; what the database passes is readable until this returns.
    unsafe {
        let key = copied((*key).pKey, (*key).KeySize);
        let context = &mut *context.cast::<Context<'_, '_>>();
        (context.pipeline)(groups(keys, versions, count), key, &*desc);
    }
}

unsafe extern "system" fn found_object(
    keys: *const D3D12_DATABASE_GROUP_KEY,
    versions: *const u32,
    count: u32,
    key: *const D3D12_DATABASE_STATE_OBJECT_KEY,
    desc: *const D3D12_STATE_OBJECT_DESC,
    parent: *const D3D12_DATABASE_STATE_OBJECT_KEY,
    parent_group: *const D3D12_DATABASE_GROUP_KEY,
    context: *mut c_void,
) {
    // SAFETY: the context is that of a search; what the database passes is readable until this returns.
    unsafe {
        let key = copied((*key).pKey, (*key).KeySize);
        let parent_group = parent_group.as_ref();
        let parent_group = parent_group.map(|group| copied(group.pKey, group.KeySize));
        let parent = parent.as_ref();
        let parent = parent.map(|parent| (copied(parent.pKey, parent.KeySize), parent_group));
        let context = &mut *context.cast::<Context<'_, '_>>();
        (context.object)(groups(keys, versions, count), key, &*desc, parent);
    }
}

/// What to find an object by. A key of no bytes is a null argument.
#[derive(Clone, Copy, Default)]
pub struct By<'k> {
    pub group: &'k [u8],
    pub object: &'k [u8],
    pub flags: u32,
}

pub fn by_object(object: &[u8]) -> By<'_> {
    By {
        object,
        ..By::default()
    }
}

pub fn by_group(group: &[u8]) -> By<'_> {
    By {
        group,
        ..By::default()
    }
}

pub fn find_pipeline1(
    database: &ID3D12StateObjectDatabase1,
    by: By<'_>,
    callbacks: Callbacks<'_>,
    mut each: impl FnMut(Groups, Vec<u8>, &D3D12_PIPELINE_STATE_STREAM_DESC),
) -> HRESULT {
    let (object, size) = raw(by.object);
    let object = D3D12_DATABASE_PIPELINE_STATE_KEY {
        pKey: object,
        KeySize: size,
    };
    let group = group(by.group);
    let [with_create, with_lookup] = [callbacks.create.is_some(), callbacks.lookup.is_some()];
    let mut context = Context {
        callbacks,
        pipeline: &mut each,
        object: &mut |_, _, _, _| unreachable!(),
    };
    // SAFETY: every pointer is null or to a value of its type that outlives the call, as the context does.
    unsafe {
        database.FindPipelineStateDesc1(
            if by.group.is_empty() {
                ptr::null()
            } else {
                &raw const group
            },
            if by.object.is_empty() {
                ptr::null()
            } else {
                &raw const object
            },
            by.flags,
            Some(found_pipeline),
            if with_create { Some(create) } else { None },
            if with_lookup { Some(lookup) } else { None },
            (&raw mut context).cast(),
        )
    }
}

pub fn find_object1(
    database: &ID3D12StateObjectDatabase1,
    by: By<'_>,
    callbacks: Callbacks<'_>,
    mut each: impl FnMut(Groups, Vec<u8>, &D3D12_STATE_OBJECT_DESC, Option<Parent>),
) -> HRESULT {
    let (object, size) = raw(by.object);
    let object = D3D12_DATABASE_STATE_OBJECT_KEY {
        pKey: object,
        KeySize: size,
    };
    let group = group(by.group);
    let [with_create, with_lookup] = [callbacks.create.is_some(), callbacks.lookup.is_some()];
    let with_objects = callbacks.lookup_object.is_some();
    let mut context = Context {
        callbacks,
        pipeline: &mut |_, _, _| unreachable!(),
        object: &mut each,
    };
    // SAFETY: every pointer is null or to a value of its type that outlives the call, as the context does.
    unsafe {
        database.FindStateObjectDesc1(
            if by.group.is_empty() {
                ptr::null()
            } else {
                &raw const group
            },
            if by.object.is_empty() {
                ptr::null()
            } else {
                &raw const object
            },
            by.flags,
            Some(found_object),
            if with_objects {
                Some(lookup_object)
            } else {
                None
            },
            if with_create { Some(create) } else { None },
            if with_lookup { Some(lookup) } else { None },
            (&raw mut context).cast(),
        )
    }
}

/// Keys as two arrays.
fn arrays(groups: &[(&[u8], u32)]) -> (Vec<D3D12_DATABASE_GROUP_KEY>, Vec<u32>) {
    groups
        .iter()
        .map(|(key, version)| (group(key), *version))
        .unzip()
}

pub fn store_pipeline1(
    database: &ID3D12StateObjectDatabase1,
    groups: &[(&[u8], u32)],
    desc: &D3D12_PIPELINE_STATE_STREAM_DESC,
) -> HRESULT {
    let (keys, versions) = arrays(groups);
    let count = u32::try_from(keys.len()).unwrap();
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe { database.StorePipelineStateDesc1(keys.as_ptr(), versions.as_ptr(), count, desc) }
}

/// What a state object is stored with, beside groups and description.
#[derive(Clone, Copy, Default)]
pub struct With<'o> {
    pub created: Option<&'o IUnknown>,
    /// Without bytes, none.
    pub parent_group: &'o [u8],
    pub parent: Option<&'o IUnknown>,
}

pub fn store_object1(
    database: &ID3D12StateObjectDatabase1,
    groups: &[(&[u8], u32)],
    desc: &Description,
    with: With<'_>,
) -> HRESULT {
    let (keys, versions) = arrays(groups);
    let count = u32::try_from(keys.len()).unwrap();
    let desc = desc.desc();
    let parent_group = group(with.parent_group);
    let parent_group = if with.parent_group.is_empty() {
        ptr::null()
    } else {
        &raw const parent_group
    };
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe {
        database.StoreStateObjectDesc1(
            keys.as_ptr(),
            versions.as_ptr(),
            count,
            &raw const desc,
            parent_group,
            with.created,
            with.parent,
        )
    }
}

#[interface("c54a6b66-72df-4ee8-8be5-a946a1429214")]
unsafe trait IRootSignature: IUnknown {}

#[interface("47016943-fca8-4594-93ea-af258b55346d")]
unsafe trait IStateObject: IUnknown {}

/// Something that has the IID of a root signature, alive as long as the `Arc`'s copy.
#[implement(IRootSignature)]
struct RootSignature(#[allow(dead_code, reason = "it counts")] Arc<()>);

impl IRootSignature_Impl for RootSignature_Impl {}

/// Something that has the IID of a state object.
#[implement(IStateObject)]
struct StateObject(#[allow(dead_code, reason = "it counts")] Arc<()>);

impl IStateObject_Impl for StateObject_Impl {}

pub fn root_signature(count: &Arc<()>) -> ID3D12RootSignature {
    let object: IRootSignature = RootSignature(count.clone()).into();
    object.cast().unwrap()
}

pub fn state_object(count: &Arc<()>) -> ID3D12StateObject {
    let object: IStateObject = StateObject(count.clone()).into();
    object.cast().unwrap()
}

/// Whether a file has the published schema and no more.
pub fn has_the_published_schema(path: &Path) -> bool {
    let sql = rusqlite::Connection::open(path).unwrap();
    let mut texts = sql
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
        .unwrap();
    let texts: Vec<String> = texts
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let check: String = sql
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    let mut broken = sql.prepare("PRAGMA foreign_key_check").unwrap();
    texts == shader_db::sodb::statements() && check == "ok" && !broken.exists([]).unwrap()
}
