//! The cache callbacks, branch by branch, as a plugin calls them.

use std::cell::Cell;
use std::ffi::c_void;
use std::panic::panic_any;
use std::sync::{Arc, Barrier, Mutex};
use std::{mem, ptr, thread};

use ddi_sys::*;
use plugin_host::session::{
    CacheSession, Found, MemoryCache, Misuse, SessionScope, VALUE_TYPES, Want, callbacks,
};

use crate::scripted::{self, Script};

const CODE: D3D12DDI_COMPILER_CACHE_VALUE_TYPE = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE;
const META: D3D12DDI_COMPILER_CACHE_VALUE_TYPE = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA;
const PDB: D3D12DDI_COMPILER_CACHE_VALUE_TYPE = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB;
const PERF: D3D12DDI_COMPILER_CACHE_VALUE_TYPE =
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_PERFORMANCE_DATA;
const UNKNOWN: D3D12DDI_COMPILER_CACHE_VALUE_TYPE = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID;

const FIND: &str = "pfnCompilerCacheFindValue";
const STORE: &str = "pfnCompilerCacheStoreValue";
const SET_KEYS: &str = "pfnCompilerCacheSetObjectValueKeys";

type Handle = D3D12DDI_HRTCOMPILERCACHESESSION;
type Key = D3D12DDI_COMPILER_CACHE_VALUE_KEY;
type Value = D3D12DDI_COMPILER_CACHE_TYPED_VALUE;
type ConstValue = D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE;

pub fn key(bytes: &[u8]) -> Key {
    Key {
        pKey: bytes.as_ptr().cast(),
        KeySize: u32::try_from(bytes.len()).unwrap(),
    }
}

pub fn value(value_type: D3D12DDI_COMPILER_CACHE_VALUE_TYPE, buffer: &mut [u8]) -> Value {
    raw_value(value_type, buffer.as_mut_ptr().cast(), buffer.len())
}

pub fn raw_value(
    value_type: D3D12DDI_COMPILER_CACHE_VALUE_TYPE,
    buffer: *mut c_void,
    size: usize,
) -> Value {
    Value {
        Type: value_type,
        Value: D3D12DDI_COMPILER_CACHE_VALUE {
            pValue: buffer,
            ValueSize: size,
        },
    }
}

pub fn size_query(value_type: D3D12DDI_COMPILER_CACHE_VALUE_TYPE) -> Value {
    raw_value(value_type, ptr::null_mut(), 0)
}

fn const_value(value_type: D3D12DDI_COMPILER_CACHE_VALUE_TYPE, bytes: &[u8]) -> ConstValue {
    ConstValue {
        Type: value_type,
        Value: D3D12DDI_COMPILER_CACHE_CONST_VALUE {
            pValue: bytes.as_ptr().cast(),
            ValueSize: bytes.len(),
        },
    }
}

/// The plugin's allocator: hands out the next of these buffers, null when there is none.
pub struct Allocator {
    pub buffers: Vec<Vec<u8>>,
    pub asked: Vec<usize>,
}

pub unsafe extern "system" fn allocate(size: usize, context: *mut c_void) -> *mut c_void {
    // SAFETY: the tests pass an `Allocator` that is alive.
    let allocator = unsafe { &mut *context.cast::<Allocator>() };
    allocator.asked.push(size);
    match allocator.buffers.get_mut(allocator.asked.len() - 1) {
        Some(buffer) => {
            buffer.resize(size, 0);
            buffer.as_mut_ptr().cast()
        }
        None => ptr::null_mut(),
    }
}

pub fn find(
    session: Handle,
    key: &[u8],
    values: &mut [Value],
    allocator: Option<&mut Allocator>,
) -> HRESULT {
    let key = self::key(key);
    let function: PFND3D12DDI_COMPILER_ALLOCATION = allocator.is_some().then_some(allocate as _);
    let context = allocator.map_or(ptr::null_mut(), |allocator| ptr::from_mut(allocator).cast());
    let count = u32::try_from(values.len()).unwrap();
    // SAFETY: keys, values and the allocator are as the specification says.
    unsafe {
        callbacks().pfnCompilerCacheFindValue.unwrap()(
            session,
            &raw const key,
            values.as_mut_ptr(),
            count,
            function,
            context,
        )
    }
}

fn raw_find(session: Handle, key: *const Key, values: *mut Value, count: u32) -> HRESULT {
    let find = callbacks().pfnCompilerCacheFindValue.unwrap();
    // SAFETY: pointers are null or as the specification says.
    unsafe { find(session, key, values, count, None, ptr::null_mut()) }
}

fn store(session: Handle, key: &[u8], values: &[ConstValue]) -> HRESULT {
    let count = u32::try_from(values.len()).unwrap();
    raw_store(session, &self::key(key), values.as_ptr(), count)
}

fn raw_store(session: Handle, key: *const Key, values: *const ConstValue, count: u32) -> HRESULT {
    let store = callbacks().pfnCompilerCacheStoreValue.unwrap();
    // SAFETY: pointers are null or as the specification says.
    unsafe { store(session, key, values, count) }
}

fn set_keys(session: Handle, keys: *const Key, count: u32) -> HRESULT {
    let set_keys = callbacks().pfnCompilerCacheSetObjectValueKeys.unwrap();
    // SAFETY: pointers are null or as the specification says.
    unsafe { set_keys(session, keys, count) }
}

/// A cache with code and metadata under "key", and a session of it.
fn session() -> (Arc<MemoryCache>, SessionScope) {
    let cache = Arc::new(MemoryCache::default());
    cache
        .store(b"key", &[(CODE, b"code!"), (META, b"m")])
        .unwrap();
    let scope = SessionScope::new(cache.clone());
    (cache, scope)
}

fn sizes(values: &[Value]) -> Vec<usize> {
    values.iter().map(|value| value.Value.ValueSize).collect()
}

#[test]
fn find_answers_size_queries() {
    let (_, scope) = session();
    let mut values = [
        size_query(PDB),
        size_query(CODE),
        size_query(META),
        size_query(CODE),
    ];
    assert_eq!(find(scope.handle(), b"key", &mut values, None), S_OK);
    assert_eq!(sizes(&values), [0, 5, 1, 5]);
    // With a pointer, too: without an allocation callback a size of 0 can only be a query.
    let mut byte = [7];
    let mut values = [raw_value(CODE, byte.as_mut_ptr().cast(), 0)];
    assert_eq!(find(scope.handle(), b"key", &mut values, None), S_OK);
    assert_eq!((sizes(&values), byte), (vec![5], [7]));
}

#[test]
fn find_copies_into_buffers_that_are_large_enough() {
    for size in 0..8 {
        let (_, scope) = session();
        let mut buffer = vec![0xEE; size];
        let mut values = [value(CODE, &mut buffer)];
        let result = find(scope.handle(), b"key", &mut values, None);
        assert_eq!(sizes(&values), [5]);
        if size == 0 {
            assert_eq!(result, S_OK);
        } else if size < 5 {
            assert_eq!(result, DXGI_ERROR_MORE_DATA);
            assert_eq!(buffer, vec![0xEE; size]);
        } else {
            assert_eq!(result, S_OK);
            assert_eq!(&buffer[..5], b"code!");
            assert!(buffer[5..].iter().all(|byte| *byte == 0xEE));
        }
    }
}

#[test]
fn find_fills_the_other_buffers_when_one_is_too_small() {
    let (_, scope) = session();
    let (mut small, mut right, mut missing) = ([0; 4], [0; 1], [9; 1]);
    let mut values = [
        value(CODE, &mut small),
        value(META, &mut right),
        value(PDB, &mut missing),
    ];
    assert_eq!(
        find(scope.handle(), b"key", &mut values, None),
        DXGI_ERROR_MORE_DATA
    );
    assert_eq!(sizes(&values), [5, 1, 0]);
    assert_eq!((small, right, missing), ([0; 4], *b"m", [9]));
}

#[test]
fn find_allocates_for_entries_of_size_0_whatever_their_pointer() {
    let (_, scope) = session();
    let mut dummy = [3_u8];
    let dummy_pointer: *mut c_void = dummy.as_mut_ptr().cast();
    let mut buffer = [0; 5];
    let mut allocator = Allocator {
        buffers: vec![Vec::new(), Vec::new()],
        asked: Vec::new(),
    };
    let mut values = [
        size_query(CODE),
        raw_value(META, dummy_pointer, 0),
        raw_value(PDB, dummy_pointer, 0),
        value(CODE, &mut buffer),
    ];
    assert_eq!(
        find(scope.handle(), b"key", &mut values, Some(&mut allocator)),
        S_OK
    );
    assert_eq!(sizes(&values), [5, 1, 0, 5]);
    assert_eq!(allocator.asked, [5, 1]);
    assert_eq!(allocator.buffers, [b"code!".to_vec(), b"m".to_vec()]);
    assert_eq!(
        values[0].Value.pValue,
        allocator.buffers[0].as_mut_ptr().cast()
    );
    assert_eq!(
        values[1].Value.pValue,
        allocator.buffers[1].as_mut_ptr().cast()
    );
    // A type that is not there is not allocated; a buffer is used rather than the callback.
    assert_eq!(values[2].Value.pValue, dummy_pointer);
    assert_eq!((dummy, &buffer), ([3], b"code!"));
}

#[test]
fn find_stops_allocating_when_the_callback_gives_null() {
    let (cache, scope) = session();
    cache.store(b"key", &[(PDB, b"pdb")]).unwrap();
    let mut dummy = [3_u8];
    let dummy_pointer: *mut c_void = dummy.as_mut_ptr().cast();
    let (mut small, mut buffer) = ([0; 4], [0; 1]);
    let mut allocator = Allocator {
        buffers: vec![Vec::new()],
        asked: Vec::new(),
    };
    let mut values = [
        value(CODE, &mut small),
        size_query(CODE),
        raw_value(META, dummy_pointer, 0),
        raw_value(PDB, dummy_pointer, 0),
        value(META, &mut buffer),
        value(CODE, &mut small),
    ];
    let result = find(scope.handle(), b"key", &mut values, Some(&mut allocator));
    // Out of memory outranks the buffers that are too small.
    assert_eq!(result, E_OUTOFMEMORY);
    assert_eq!(sizes(&values), [5, 5, 1, 3, 1, 5]);
    assert_eq!(allocator.asked, [5, 1]);
    assert_eq!(allocator.buffers, [b"code!".to_vec()]);
    assert!(values[2].Value.pValue.is_null());
    assert_eq!(values[3].Value.pValue, dummy_pointer);
    assert_eq!((&buffer, dummy), (b"m", [3]));
}

#[test]
fn find_leaves_the_entries_alone_when_the_key_has_none_of_the_types() {
    let (_, scope) = session();
    let mut buffer = [9; 3];
    let mut allocator = Allocator {
        buffers: vec![Vec::new()],
        asked: Vec::new(),
    };
    let mut values = [value(CODE, &mut buffer), size_query(META)];
    let result = find(scope.handle(), b"other", &mut values, Some(&mut allocator));
    assert_eq!(result, DXGI_ERROR_NOT_FOUND);
    assert_eq!(
        (sizes(&values), buffer, allocator.asked),
        (vec![3, 0], [9; 3], vec![])
    );
    // The key has other types.
    let mut values = [value(PDB, &mut buffer), size_query(PERF)];
    let result = find(scope.handle(), b"key", &mut values, None);
    assert_eq!(result, DXGI_ERROR_NOT_FOUND);
    assert_eq!((sizes(&values), buffer), (vec![3, 0], [9; 3]));
}

#[test]
fn find_refuses_what_the_specification_forbids() {
    let (cache, scope) = session();
    let session = scope.handle();
    let good = key(b"key");
    let null_key = Key {
        pKey: ptr::null(),
        KeySize: 3,
    };
    let empty_key = Key { KeySize: 0, ..good };
    let mut entry = [size_query(CODE)];
    let mut cases: Vec<(*const Key, Value, Misuse)> = vec![
        (ptr::null(), entry[0], Misuse::NoKey),
        (&raw const null_key, entry[0], Misuse::NoKey),
        (&raw const empty_key, entry[0], Misuse::NoKey),
        (
            &raw const good,
            size_query(UNKNOWN),
            Misuse::UnknownType(UNKNOWN),
        ),
        (
            &raw const good,
            raw_value(CODE, ptr::null_mut(), 5),
            Misuse::NullBuffer(5),
        ),
    ];
    let negative = D3D12DDI_COMPILER_CACHE_VALUE_TYPE(-1);
    cases.push((
        &raw const good,
        size_query(negative),
        Misuse::UnknownType(negative),
    ));
    let mut expected = Vec::new();
    for (key, value, misuse) in cases {
        // The bad entry comes last: those before it are not answered either.
        let mut values = [size_query(CODE), value];
        assert_eq!(
            raw_find(session, key, values.as_mut_ptr(), 2),
            E_INVALIDARG,
            "{misuse}"
        );
        assert_eq!(sizes(&values)[0], 0, "{misuse}");
        expected.push((FIND, misuse));
    }
    for (values, count) in [(ptr::null_mut(), 1), (entry.as_mut_ptr(), 0)] {
        assert_eq!(
            raw_find(session, &raw const good, values, count),
            E_INVALIDARG
        );
        expected.push((FIND, Misuse::NoEntries));
    }
    assert_eq!(cache.misuses(), expected);
}

#[test]
fn unaligned_arguments_are_served() {
    #[repr(C, packed)]
    struct Packed<T>(u8, T);
    let (cache, scope) = session();
    let key = Packed(0, key(b"key"));
    let mut found = Packed(0, size_query(CODE));
    let stored = Packed(0, const_value(PDB, b"pdb"));
    let (key, values) = (&raw const key.1, &raw mut found.1);
    assert_eq!(raw_find(scope.handle(), key, values, 1), S_OK);
    let Packed(_, found) = found;
    assert_eq!(found.Value.ValueSize, 5);
    assert_eq!(raw_store(scope.handle(), key, &raw const stored.1, 1), S_OK);
    assert_eq!(set_keys(scope.handle(), key, 1), S_OK);
    assert_eq!(scope.end().unwrap(), [b"key"]);
    assert_eq!(cache.misuses(), []);
}

#[test]
fn store_stores_all_or_nothing() {
    let (cache, scope) = session();
    let session = scope.handle();
    let all = [CODE, META, PDB, PERF].map(|value_type| const_value(value_type, b"v"));
    assert_eq!(store(session, b"new", &all), S_OK);
    assert_eq!(cache.sizes(b"new"), [1; VALUE_TYPES]);
    // One type is there already.
    let values = [const_value(PDB, b"pdb"), const_value(CODE, b"other")];
    assert_eq!(store(session, b"key", &values), DXGI_ERROR_ALREADY_EXISTS);
    assert_eq!(cache.sizes(b"key"), [5, 1, 0, 0]);
    assert_eq!(
        cache.values()[&b"key"[..]][0].as_deref(),
        Some(&b"code!"[..])
    );
    // Types that are missing are added under the same key.
    assert_eq!(store(session, b"key", &values[..1]), S_OK);
    assert_eq!(cache.sizes(b"key"), [5, 1, 3, 0]);
    assert_eq!(cache.misuses(), []);
}

#[test]
fn store_refuses_what_the_specification_forbids() {
    let (cache, scope) = session();
    let session = scope.handle();
    let good = key(b"new");
    let null_key = Key {
        pKey: ptr::null(),
        KeySize: 3,
    };
    let empty_key = Key { KeySize: 0, ..good };
    let code = const_value(CODE, b"code");
    let null_value = ConstValue {
        Value: D3D12DDI_COMPILER_CACHE_CONST_VALUE {
            pValue: ptr::null(),
            ..code.Value
        },
        ..code
    };
    let mut cases: Vec<(*const Key, [ConstValue; 2], Misuse)> = vec![
        (ptr::null(), [code; 2], Misuse::NoKey),
        (&raw const null_key, [code; 2], Misuse::NoKey),
        (&raw const empty_key, [code; 2], Misuse::NoKey),
        (&raw const good, [code; 2], Misuse::DuplicateType(CODE)),
        (
            &raw const good,
            [code, const_value(UNKNOWN, b"x")],
            Misuse::UnknownType(UNKNOWN),
        ),
        (
            &raw const good,
            [const_value(META, b""), code],
            Misuse::NoValue,
        ),
        (
            &raw const good,
            [
                code,
                ConstValue {
                    Type: META,
                    ..null_value
                },
            ],
            Misuse::NoValue,
        ),
    ];
    if let Ok(size) = usize::try_from(1_u64 << 32) {
        let mut large = const_value(META, b"m");
        large.Value.ValueSize = size;
        let misuse = Misuse::ValueTooLarge(size);
        cases.push((&raw const good, [code, large], misuse));
    }
    let mut expected = Vec::new();
    for (key, values, misuse) in cases {
        assert_eq!(
            raw_store(session, key, values.as_ptr(), 2),
            E_INVALIDARG,
            "{misuse}"
        );
        expected.push((STORE, misuse));
    }
    for (values, count) in [(ptr::null(), 1), (&raw const code, 0)] {
        assert_eq!(
            raw_store(session, &raw const good, values, count),
            E_INVALIDARG
        );
        expected.push((STORE, Misuse::NoEntries));
    }
    assert_eq!(cache.misuses(), expected);
    assert_eq!(cache.sizes(b"new"), [0; VALUE_TYPES]);
}

#[test]
fn object_value_keys_are_set_once() {
    let (cache, scope) = session();
    let session = scope.handle();
    let bad = [
        key(b"a"),
        Key {
            KeySize: 0,
            ..key(b"b")
        },
    ];
    assert_eq!(set_keys(session, bad.as_ptr(), 2), E_INVALIDARG);
    assert_eq!(set_keys(session, ptr::null(), 1), E_INVALIDARG);
    // Neither was a list; of two lists the first counts.
    let keys = [key(b"b"), key(b"a"), key(b"b")];
    assert_eq!(set_keys(session, keys.as_ptr(), 3), S_OK);
    assert_eq!(set_keys(session, keys.as_ptr(), 1), E_INVALIDARG);
    assert_eq!(scope.end().unwrap(), [b"b", b"a", b"b"]);
    assert_eq!(
        cache.misuses(),
        [
            (SET_KEYS, Misuse::NoKey),
            (SET_KEYS, Misuse::NoEntries),
            (SET_KEYS, Misuse::KeysSetBefore)
        ]
    );
    // The next compile call has its own list; an object may have no values, but not no list.
    let scope = SessionScope::new(cache.clone());
    assert_eq!(set_keys(scope.handle(), ptr::null(), 0), S_OK);
    assert_eq!(scope.end(), Some(vec![]));
    assert_eq!(SessionScope::new(cache).end(), None);
}

#[test]
fn a_handle_is_good_for_one_call_only() {
    // Late uses are heard of while a plugin is open.
    let _plugin = scripted::plugin(Script::default());
    let (cache, scope) = session();
    let stale = scope.handle();
    assert_ne!(stale, SessionScope::new(cache.clone()).handle());
    drop(scope);
    assert_eq!(
        find(stale, b"key", &mut [size_query(CODE)], None),
        E_INVALIDARG
    );
    assert_eq!(
        store(stale, b"new", &[const_value(CODE, b"c")]),
        E_INVALIDARG
    );
    assert_eq!(set_keys(stale, &key(b"k"), 1), E_INVALIDARG);
    let late = Misuse::StaleHandle;
    assert_eq!(
        cache.misuses(),
        [(FIND, late), (STORE, late), (SET_KEYS, late)]
    );
    assert_eq!(late.to_string(), "a session handle was used after its call");
    assert_eq!(cache.sizes(b"new"), [0; VALUE_TYPES]);

    // Handles that nobody gave out.
    for number in [0, 1 << 30, usize::MAX] {
        let handle = Handle {
            handle: ptr::without_provenance_mut(number),
        };
        assert_eq!(
            find(handle, b"key", &mut [size_query(CODE)], None),
            E_INVALIDARG
        );
    }
    // One whose owner is gone, and one that ended long ago.
    let scope = SessionScope::new(Arc::new(MemoryCache::default()));
    let orphan = scope.handle();
    drop(scope);
    assert_eq!(
        find(orphan, b"key", &mut [size_query(CODE)], None),
        E_INVALIDARG
    );
    for _ in 0..5000 {
        drop(SessionScope::new(cache.clone()));
    }
    assert_eq!(
        find(stale, b"key", &mut [size_query(CODE)], None),
        E_INVALIDARG
    );
    assert_eq!(cache.misuses().len(), 3);
}

/// A cache whose every function does what the test says.
struct Scripted<F>(F);

impl<F: Fn(&str) -> Result<usize, HRESULT> + Send + Sync> CacheSession for Scripted<F> {
    /// Gives every value the size that the script says, and finds types that nobody asked for.
    fn find(
        &self,
        _: &[u8],
        wants: [Want; VALUE_TYPES],
        found: &mut dyn FnMut(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, Found<'_>),
    ) -> Result<(), HRESULT> {
        let size = (self.0)("find")?;
        for (number, want) in (0..).zip(wants) {
            let value = vec![1; size];
            let value = if want == Want::Size {
                Found::Size(size)
            } else {
                Found::Value(&value)
            };
            found(D3D12DDI_COMPILER_CACHE_VALUE_TYPE(number), value);
        }
        found(D3D12DDI_COMPILER_CACHE_VALUE_TYPE(-1), Found::Size(size));
        Ok(())
    }

    fn store(
        &self,
        _: &[u8],
        _: &[(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, &[u8])],
    ) -> Result<(), HRESULT> {
        (self.0)("store").map(drop)
    }

    fn misuse(&self, _: &'static str, _: &Misuse) {
        let _ = (self.0)("misuse");
    }
}

#[test]
fn a_failure_of_the_cache_reaches_the_plugin_and_nothing_is_written() {
    for (failing, expected) in [
        ("find", [DXGI_ERROR_CACHE_CORRUPT, S_OK]),
        ("store", [S_OK, DXGI_ERROR_CACHE_CORRUPT]),
    ] {
        let cache = Scripted(move |call: &str| match call {
            call if call == failing => Err(DXGI_ERROR_CACHE_CORRUPT),
            _ => Ok(2),
        });
        let scope = SessionScope::new(Arc::new(cache));
        let session = scope.handle();
        let mut buffer = [9; 2];
        let mut values = [size_query(META), value(CODE, &mut buffer)];
        let found = find(session, b"key", &mut values, None);
        let stored = store(session, b"key", &[const_value(CODE, b"c")]);
        assert_eq!([found, stored], expected, "{failing}");
        if found == S_OK {
            assert_eq!((sizes(&values), buffer), (vec![2, 2], [1; 2]));
        } else {
            assert_eq!((sizes(&values), buffer), (vec![0, 2], [9; 2]));
        }
    }
}

#[test]
fn no_more_is_copied_than_a_buffer_takes() {
    let scope = SessionScope::new(Arc::new(Scripted(|_: &str| Ok(3))));
    let mut buffer = [9; 2];
    let mut values = [value(CODE, &mut buffer)];
    let result = find(scope.handle(), b"key", &mut values, None);
    assert_eq!(
        (result, sizes(&values), buffer),
        (DXGI_ERROR_MORE_DATA, vec![3], [9; 2])
    );
}

#[test]
fn no_panic_crosses_the_callbacks() {
    struct PanicsInDrop;
    impl Drop for PanicsInDrop {
        fn drop(&mut self) {
            panic!("in Drop");
        }
    }
    let scope = SessionScope::new(Arc::new(Scripted(|_: &str| panic_any(PanicsInDrop))));
    let session = scope.handle();
    assert_eq!(find(session, b"key", &mut [size_query(CODE)], None), E_FAIL);
    assert_eq!(store(session, b"key", &[const_value(CODE, b"c")]), E_FAIL);
    // Nor out of `misuse`.
    assert_eq!(set_keys(session, ptr::null(), 1), E_FAIL);
    drop(scope);
    assert_eq!(set_keys(session, ptr::null(), 1), E_INVALIDARG);
}

/// What an allocation callback may do: use the session, and change its own entries.
struct Reentrant {
    session: Handle,
    entries: Cell<*mut Value>,
    found: Cell<HRESULT>,
}

unsafe extern "system" fn reenter(size: usize, context: *mut c_void) -> *mut c_void {
    static BUFFERS: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());
    // SAFETY: the test passes a `Reentrant` that is alive, with two entries.
    let context = unsafe { &*context.cast::<Reentrant>() };
    context
        .found
        .set(find(context.session, b"key", &mut [size_query(CODE)], None));
    let _ = store(
        context.session,
        b"from the allocator",
        &[const_value(CODE, b"c")],
    );
    // SAFETY: `entries` is to the test's two entries, which are alive; the host holds no reference to them.
    unsafe { *context.entries.get().add(1) = raw_value(UNKNOWN, ptr::null_mut(), usize::MAX) };
    let mut buffers = BUFFERS.lock().unwrap();
    buffers.push(vec![0; size]);
    buffers.last_mut().unwrap().as_mut_ptr().cast()
}

#[test]
fn the_allocation_callback_may_use_the_session_and_its_entries() {
    let (cache, scope) = session();
    let mut buffer = [0; 1];
    let mut values = [size_query(CODE), value(META, &mut buffer)];
    let context = Reentrant {
        session: scope.handle(),
        entries: Cell::new(values.as_mut_ptr()),
        found: Cell::new(E_FAIL),
    };
    let key = key(b"key");
    // SAFETY: as the specification says; only the callback's pointer is used for the entries.
    let result = unsafe {
        callbacks().pfnCompilerCacheFindValue.unwrap()(
            scope.handle(),
            &raw const key,
            context.entries.get(),
            2,
            Some(reenter),
            (&raw const context).cast_mut().cast(),
        )
    };
    assert_eq!((result, context.found.get()), (S_OK, S_OK));
    // SAFETY: filled by the find, with the size of the value.
    let code = unsafe { std::slice::from_raw_parts(values[0].Value.pValue.cast::<u8>(), 5) };
    assert_eq!((code, &buffer), (&b"code!"[..], b"m"));
    assert_eq!(cache.sizes(b"from the allocator"), [1, 0, 0, 0]);
}

#[test]
fn a_session_that_is_in_use_when_it_ends_stays_alive() {
    let entered = Arc::new(Barrier::new(2));
    let ended = Arc::new(Barrier::new(2));
    let cache = {
        let (entered, ended) = (entered.clone(), ended.clone());
        Scripted(move |call: &str| {
            if call == "find" {
                entered.wait();
                ended.wait();
            }
            Ok(4)
        })
    };
    let scope = SessionScope::new(Arc::new(cache));
    let handle = scope.handle().handle.addr();
    let plugin = thread::spawn(move || {
        let session = Handle {
            handle: ptr::without_provenance_mut(handle),
        };
        let mut buffer = [0; 4];
        let during = find(session, b"key", &mut [value(CODE, &mut buffer)], None);
        let after = find(session, b"key", &mut [size_query(CODE)], None);
        (during, buffer, after)
    });
    entered.wait();
    drop(scope);
    ended.wait();
    assert_eq!(plugin.join().unwrap(), (S_OK, [1; 4], E_INVALIDARG));
}

#[test]
fn a_session_that_is_never_dropped_does_no_harm() {
    let (_, scope) = session();
    let handle = scope.handle();
    mem::forget(scope);
    assert_eq!(find(handle, b"key", &mut [size_query(CODE)], None), S_OK);
}

#[test]
fn two_threads_share_one_cache() {
    const KEYS: u32 = 2000;
    let cache = Arc::new(MemoryCache::default());
    let start = Barrier::new(2);
    let compile = |thread: u8| {
        start.wait();
        let (code, meta) = ([thread; 64], [thread; 3]);
        let mut stored = 0;
        for number in 0..KEYS {
            let scope = SessionScope::new(cache.clone());
            let key_bytes = number.to_le_bytes();
            let values = [const_value(CODE, &code), const_value(META, &meta)];
            match store(scope.handle(), &key_bytes, &values) {
                S_OK => stored += 1,
                result => assert_eq!(result, DXGI_ERROR_ALREADY_EXISTS),
            }
            let (mut code, mut meta) = ([9; 64], [9; 3]);
            let mut values = [value(CODE, &mut code), value(META, &mut meta)];
            assert_eq!(find(scope.handle(), &key_bytes, &mut values, None), S_OK);
            // Both values come from the same store.
            assert!(code == [code[0]; 64] && meta == [code[0]; 3] && code[0] < 2);
            assert_eq!(set_keys(scope.handle(), &key(&key_bytes), 1), S_OK);
            assert_eq!(scope.end().unwrap(), [key_bytes]);
        }
        stored
    };
    let stored: u32 = thread::scope(|threads| {
        let compile = &compile;
        let threads = [0, 1].map(|thread| threads.spawn(move || compile(thread)));
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    assert_eq!(stored, KEYS);
    assert_eq!(cache.values().len(), KEYS as usize);
    assert_eq!(cache.misuses(), []);
}
