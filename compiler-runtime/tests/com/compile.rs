//! `ID3D12Compiler1`: compile calls, and what a plugin does in them.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::ptr;
use std::rc::Rc;

use api_sys::*;
use ddi_sys as ddi;
use runtime_test_support::api::*;
use runtime_test_support::plugin::{self, Compile, on_compile};
use windows_core::{HRESULT, Interface};

const CODE: ddi::D3D12DDI_COMPILER_CACHE_VALUE_TYPE =
    ddi::D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE;

struct Fixture {
    folder: tempfile::TempDir,
    session: ID3D12CompilerCacheSession,
    compiler: ID3D12Compiler1,
}

fn new(factory: &ID3D12CompilerFactory) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let session = session(factory, &folder.path().join("a.psdb"));
    let compiler = compiler(factory, &session);
    Fixture {
        folder,
        session,
        compiler,
    }
}

impl Fixture {
    fn compile(&self, key: &[u8]) -> HRESULT {
        compile(&self.compiler, key, 1, &ComputePipeline::default())
    }

    fn group(&self, key: &[u8]) -> Result<u32, HRESULT> {
        group_version(&self.session, key)
    }
}

/// Runs a compile call in which the plugin does this; `None` if the plugin was not called.
fn with<T: 'static>(
    call: impl FnOnce() -> HRESULT,
    script: impl Fn(&Compile) -> (ddi::HRESULT, T) + 'static,
) -> (HRESULT, Option<T>) {
    let seen = Rc::new(Cell::new(None));
    let place = Rc::clone(&seen);
    on_compile(move |compile| {
        let (result, value) = script(compile);
        place.set(Some(value));
        result
    });
    (call(), seen.take())
}

#[test]
fn a_compile_stores_the_group_of_its_values() {
    let it = new(&scripted());
    let call = || compile(&it.compiler, b"group", 7, &ComputePipeline::default());
    let (result, types) = with(call, |compile| {
        assert_eq!(compile.store(b"a", &[(CODE, b"code a")]), ddi::S_OK);
        let both = [
            (CODE, &b"code b"[..]),
            (ddi::D3D12DDI_COMPILER_CACHE_VALUE_TYPE(1), b"meta"),
        ];
        assert_eq!(compile.store(b"b", &both), ddi::S_OK);
        (compile.set_keys(&[b"b", b"a"]), compile.value_types.0)
    });
    // Every type that the session has a file for.
    assert_eq!((result, types), (S_OK, Some(15)));
    assert_eq!(group_version(&it.session, b"group"), Ok(7));
    let keys = group_keys(&it.session, b"group", Some(7));
    assert_eq!(keys, Ok(vec![b"b".to_vec(), b"a".to_vec()]));
    assert_eq!(
        group_values(&it.session, b"group", None, ALL)
            .unwrap()
            .len(),
        3
    );

    // The union of the files' types.
    let factory = scripted();
    let files = [
        (4, it.folder.path().join("pdb")),
        (1, it.folder.path().join("code")),
    ];
    let session = try_session(
        &factory,
        &files,
        Some(TARGET),
        Some(&Application::default()),
    )
    .unwrap();
    let compiler = compiler(&factory, &session);
    let call = || compile(&compiler, b"group", 1, &ComputePipeline::default());
    let (result, types) = with(call, |compile| {
        let unwanted = [(ddi::D3D12DDI_COMPILER_CACHE_VALUE_TYPE(1), &b"meta"[..])];
        assert_eq!(compile.store(b"a", &unwanted), ddi::E_INVALIDARG);
        (compile.set_keys(&[]), compile.value_types.0)
    });
    assert_eq!((result, types), (S_OK, Some(5)));
}

#[test]
fn an_existing_group_keeps_the_plugin_from_being_called() {
    let it = new(&scripted());
    assert_eq!(store_group(&it.session, b"group", 1, &[]), S_OK);
    for version in [1, 2] {
        let call = || compile(&it.compiler, b"group", version, &ComputePipeline::default());
        let (result, called) = with(call, |compile| (compile.set_keys(&[]), ()));
        assert_eq!((result, called), (DXGI_ERROR_ALREADY_EXISTS, None));
    }
}

#[test]
fn a_failed_compile_stores_nothing() {
    let it = new(&scripted());
    let compile = || it.compile(b"group");
    // The plugin's failure, unchanged.
    for failure in [
        ddi::E_OUTOFMEMORY,
        ddi::DXGI_ERROR_UNSUPPORTED,
        ddi::HRESULT(-123),
    ] {
        let key = failure.0.to_le_bytes();
        let (result, _) = with(compile, move |compile| {
            assert_eq!(compile.store_object(&key, b"code"), ddi::S_OK);
            (failure, ())
        });
        assert_eq!(result, HRESULT(failure.0));
        let found = find_one(&it.session, &key, OBJECT_CODE);
        assert_eq!(found, None);
    }
    // A success without keys, and with keys that were refused.
    assert_eq!(with(compile, |_| (ddi::S_OK, ())).0, E_FAIL);
    let (result, _) = with(compile, |compile| {
        assert_eq!(compile.set_keys(&[b""]), ddi::E_INVALIDARG);
        (ddi::S_OK, ())
    });
    assert_eq!(result, E_FAIL);
    assert_eq!(it.group(b"group"), Err(DXGI_ERROR_NOT_FOUND));
    // The key is free still.
    let (result, _) = with(compile, |compile| (compile.store_object(b"x", b"code"), ()));
    assert_eq!((result, it.group(b"group")), (S_OK, Ok(1)));
}

#[test]
fn what_is_no_description_or_key_is_refused_before_the_plugin_is_called() {
    let it = new(&scripted());
    on_compile(|_| panic!("called"));
    let pipeline = ComputePipeline::default();
    let desc = pipeline.desc();
    let none = D3D12_PIPELINE_STATE_STREAM_DESC {
        SizeInBytes: 0,
        pPipelineStateSubobjectStream: ptr::null_mut(),
    };
    let null = D3D12_COMPILER_CACHE_GROUP_KEY {
        pKey: ptr::null(),
        KeySize: 1,
    };
    let (group, empty) = (group_key(b"group"), group_key(b""));
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe {
        let call = |key: *const _, desc: *const _| it.compiler.CompilePipelineState(key, 1, desc);
        assert_eq!(call(&raw const group, ptr::null()), E_INVALIDARG);
        assert_eq!(call(&raw const group, &raw const none), E_INVALIDARG);
        assert_eq!(call(ptr::null(), &raw const desc), E_INVALIDARG);
        assert_eq!(call(&raw const empty, &raw const desc), E_INVALIDARG);
        assert_eq!(call(&raw const null, &raw const desc), E_INVALIDARG);
    }
    assert_eq!(it.group(b"group"), Err(DXGI_ERROR_NOT_FOUND));
}

#[test]
fn the_session_handle_is_good_for_one_call() {
    let it = new(&scripted());
    let (result, handle) = with(
        || it.compile(b"first"),
        |compile| (compile.set_keys(&[]), compile.session),
    );
    assert_eq!(result, S_OK);
    let stale = handle.unwrap();
    let (result, _) = with(
        || it.compile(b"second"),
        move |compile| {
            let (mut values, null) = ([raw_query()], ptr::null_mut());
            // SAFETY: a size query.
            let find =
                |late: &Compile, values: &mut [_]| unsafe { late.find(b"key", values, None, null) };
            let late = Compile {
                session: stale,
                ..*compile
            };
            assert_ne!(late.session, compile.session);
            assert_eq!(find(&late, &mut values), ddi::E_INVALIDARG);
            assert_eq!(late.store(b"key", &[(CODE, b"code")]), ddi::E_INVALIDARG);
            assert_eq!(late.set_keys(&[b"key"]), ddi::E_INVALIDARG);
            assert_eq!(find(compile, &mut values), ddi::DXGI_ERROR_NOT_FOUND);
            assert_eq!(compile.set_keys(&[]), ddi::S_OK);
            (compile.set_keys(&[]), ())
        },
    );
    // The second list of keys is refused, the first one counts; the result is the plugin's.
    assert_eq!(result, E_INVALIDARG);
    assert_eq!(find_one(&it.session, b"key", OBJECT_CODE), None);
}

fn raw_query() -> ddi::D3D12DDI_COMPILER_CACHE_TYPED_VALUE {
    ddi::D3D12DDI_COMPILER_CACHE_TYPED_VALUE {
        Type: CODE,
        Value: ddi::D3D12DDI_COMPILER_CACHE_VALUE {
            pValue: ptr::null_mut(),
            ValueSize: 0,
        },
    }
}

#[test]
fn a_plugin_finds_what_the_session_has() {
    let it = new(&scripted());
    assert_eq!(
        store(&it.session, b"key", &[const_value(OBJECT_CODE, b"code")]),
        S_OK
    );
    let (result, _) = with(
        || it.compile(b"group"),
        |compile| {
            let null = ptr::null_mut();
            let mut buffer = [0xEE_u8; 5];
            let find = |entry: &mut ddi::D3D12DDI_COMPILER_CACHE_TYPED_VALUE, allocate, context| {
                // SAFETY: the entry's buffer has as many bytes as it says.
                unsafe { compile.find(b"key", std::slice::from_mut(entry), allocate, context) }
            };
            let mut entry = raw_query();
            assert_eq!(find(&mut entry, None, null), ddi::S_OK);
            assert_eq!(entry.Value.ValueSize, 4);
            entry.Value.pValue = buffer.as_mut_ptr().cast();
            entry.Value.ValueSize = 3;
            assert_eq!(find(&mut entry, None, null), ddi::DXGI_ERROR_MORE_DATA);
            assert_eq!((entry.Value.ValueSize, buffer), (4, [0xEE; 5]));
            assert_eq!(find(&mut entry, None, null), ddi::S_OK);
            assert_eq!(&buffer, b"code\xEE");
            let mut allocator = Allocator::default();
            let mut entry = raw_query();
            let found = find(&mut entry, Some(allocate), (&raw mut allocator).cast());
            assert_eq!((found, &allocator.memory[0][..]), (ddi::S_OK, &b"code"[..]));
            // The key has no value of this type, which is what the API says of it as well.
            let mut entry = raw_query();
            entry.Type = ddi::D3D12DDI_COMPILER_CACHE_VALUE_TYPE(1);
            assert_eq!(find(&mut entry, None, null), ddi::DXGI_ERROR_NOT_FOUND);
            // What it stores it finds at once; what is there it cannot store.
            let stored = compile.store(b"key", &[(CODE, b"other")]);
            assert_eq!(stored, ddi::DXGI_ERROR_ALREADY_EXISTS);
            (compile.set_keys(&[b"key"]), ())
        },
    );
    assert_eq!(result, S_OK);
    assert_eq!(find_one(&it.session, b"key", OBJECT_CODE).unwrap(), b"code");
    let checked = find(&it.session, b"key", &mut [size_query(METADATA)], None);
    assert_eq!(checked, DXGI_ERROR_NOT_FOUND);
}

const CONTENT: &[u8] = b"what the GPU runs";

/// A file with a value under "key" and the group "old" of it, which nobody has open.
fn finished() -> (tempfile::TempDir, PathBuf) {
    let it = new(&scripted());
    let value = const_value(OBJECT_CODE, CONTENT);
    assert_eq!(store(&it.session, b"key", &[value]), S_OK);
    assert_eq!(store_group(&it.session, b"old", 1, &[b"key"]), S_OK);
    let path = it.folder.path().join("a.psdb");
    (it.folder, path)
}

type Ask = fn(&Compile) -> ddi::HRESULT;

/// The ways in which a plugin learns that the value is there, and what it hears.
const ASKS: [(Ask, ddi::HRESULT); 2] = [
    (
        |compile| {
            let mut entry = [raw_query()];
            // SAFETY: the entry has no buffer.
            unsafe { compile.find(b"key", &mut entry, None, ptr::null_mut()) }
        },
        ddi::S_OK,
    ),
    (
        |compile| compile.store(b"key", &[(CODE, CONTENT)]),
        ddi::DXGI_ERROR_ALREADY_EXISTS,
    ),
];

#[test]
fn what_a_plugin_finds_is_there_when_its_group_is_stored() {
    for (ask, expected) in ASKS {
        for is_removed in [false, true] {
            let (_folder, path) = finished();
            let factory = scripted();
            let session = session(&factory, &path);
            let compiler = compiler(&factory, &session);
            let call = || compile(&compiler, b"group", 1, &ComputePipeline::default());
            let remove = move || shader_db::psdb::remove_groups(&[&path], &[b"old"]);
            let remove_meanwhile = remove.clone();
            let (result, asked) = with(call, move |compile| {
                let asked = ask(compile);
                if is_removed {
                    // Each attempt takes about as long as a reader keeps its lock.
                    assert!((0..40).any(|_| remove_meanwhile().is_ok()));
                }
                (compile.set_keys(&[b"key"]), asked)
            });
            assert_eq!(asked, Some(expected));
            if !is_removed {
                assert_eq!(result, S_OK);
                let removed = remove();
                assert!(matches!(removed, Err(shader_db::Error::Busy { .. })));
                continue;
            }
            // ERROR_LOCK_VIOLATION.
            assert_eq!(result.0.cast_unsigned(), 0x8007_0021);
            let group = group_version(&session, b"group");
            assert_eq!(group, Err(DXGI_ERROR_NOT_FOUND));
            let (again, _) = with(call, |compile| (compile.store_object(b"key", CONTENT), ()));
            assert_eq!(again, S_OK);
            assert_eq!(group_version(&session, b"group"), Ok(1));
        }
    }
}

#[test]
fn a_compile_that_stores_nothing_changes_no_byte() {
    let (folder, path) = finished();
    let before = fs::read(&path).unwrap();
    for (ask, expected) in ASKS {
        let factory = scripted();
        let session = session(&factory, &path);
        let compiler = compiler(&factory, &session);
        let call = || compile(&compiler, b"group", 1, &ComputePipeline::default());
        let (result, asked) = with(call, move |compile| (ddi::E_OUTOFMEMORY, ask(compile)));
        assert_eq!((result, asked), (E_OUTOFMEMORY, Some(expected)));
        drop((compiler, session));
        assert!(fs::read(&path).unwrap() == before);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_damaged_value_is_not_named_by_another_group() {
    let (_folder, path) = finished();
    let mut bytes = fs::read(&path).unwrap();
    let place = bytes
        .windows(CONTENT.len())
        .position(|part| part == CONTENT);
    bytes[place.unwrap()] ^= 1;
    fs::write(&path, bytes).unwrap();
    for (ask, _) in ASKS {
        let factory = scripted();
        let session = session(&factory, &path);
        let compiler = compiler(&factory, &session);
        let call = || compile(&compiler, b"group", 1, &ComputePipeline::default());
        let (result, _) = with(call, move |compile| match ask(compile) {
            ddi::S_OK | ddi::DXGI_ERROR_ALREADY_EXISTS => (compile.set_keys(&[b"key"]), ()),
            // Whatever the plugin makes of it.
            _ => (ddi::E_FAIL, ()),
        });
        // ERROR_FILE_CORRUPT.
        assert_eq!(result.0.cast_unsigned(), 0x8007_0570);
        let group = group_version(&session, b"group");
        assert_eq!(group, Err(DXGI_ERROR_NOT_FOUND));
    }
}

#[test]
fn one_compile_for_several_groups() {
    let it = new(&scripted());
    let pipeline = ComputePipeline::default();
    let call = |keys: &[&[u8]], versions: &[u32]| {
        let keys: Vec<_> = keys.iter().map(|key| group_key(key)).collect();
        let count = u32::try_from(keys.len()).unwrap();
        let (keys, versions) = (keys.as_ptr(), versions.as_ptr());
        // SAFETY: every pointer is null or to a value of its type that outlives the call.
        unsafe {
            it.compiler
                .CompilePipelineState1(keys, versions, count, &pipeline.desc())
        }
    };
    on_compile(|compile| compile.store_object(b"value", b"code"));
    assert_eq!(call(&[b"a", b"b"], &[1, 2]), S_OK);
    assert_eq!([it.group(b"a"), it.group(b"b")], [Ok(1), Ok(2)]);
    assert_eq!(
        group_keys(&it.session, b"b", None),
        Ok(vec![b"value".to_vec()])
    );
    // One that exists, or one twice, and there is no group at all.
    on_compile(|_| panic!("called"));
    assert_eq!(call(&[b"c", b"a"], &[1, 1]), DXGI_ERROR_ALREADY_EXISTS);
    assert_eq!(call(&[b"c", b"c"], &[1, 2]), E_INVALIDARG);
    assert_eq!(it.group(b"c"), Err(DXGI_ERROR_NOT_FOUND));
    // None: the values alone.
    on_compile(|compile| compile.store_object(b"alone", b"code"));
    assert_eq!(call(&[], &[]), S_OK);
    assert_eq!(
        find_one(&it.session, b"alone", OBJECT_CODE).unwrap(),
        b"code"
    );
    // SAFETY: nulls are what is tested.
    unsafe {
        let (key, desc) = (group_key(b"d"), pipeline.desc());
        let (keys, versions, desc) = (&raw const key, &1_u32, &raw const desc);
        let call = |keys, versions| it.compiler.CompilePipelineState1(keys, versions, 1, desc);
        assert_eq!(call(ptr::null(), versions), E_INVALIDARG);
        assert_eq!(call(keys, ptr::null()), E_INVALIDARG);
    }
}

#[test]
fn the_sample_plugin_compiles_and_shares() {
    let it = new(&sample());
    let compile = |key: &[u8], name| compile(&it.compiler, key, 1, &ComputePipeline::new(name));
    assert_eq!(compile(b"copy", "raw_copy_cs.dxil"), S_OK);
    assert_eq!(compile(b"again", "raw_copy_cs.dxil"), S_OK);
    assert_eq!(compile(b"other", "indirect_args_cs.dxil"), S_OK);
    let keys = |key| group_keys(&it.session, key, Some(1)).unwrap();
    assert_eq!(keys(b"copy"), keys(b"again"));
    assert_ne!(keys(b"copy"), keys(b"other"));
    let values = group_values(&it.session, b"copy", None, ALL).unwrap();
    assert!(values.iter().any(|(_, kind, _)| *kind == OBJECT_CODE));
    for key in keys(b"copy") {
        assert!((0..4).any(|kind| find_one(&it.session, &key, kind).is_some()));
    }
    // The values alone, in another file, for object code that is finished.
    let files = [(4, it.folder.path().join("pdb.psdb"))];
    let factory = sample();
    let pdb = try_session(
        &factory,
        &files,
        Some(TARGET),
        Some(&Application::default()),
    )
    .unwrap();
    let compiler = compiler(&factory, &pdb);
    let pipeline = ComputePipeline::new("raw_copy_cs.dxil");
    assert_eq!(
        runtime_test_support::api::compile(&compiler, b"copy", 1, &pipeline),
        S_OK
    );
    for (_, kind, _) in group_values(&pdb, b"copy", None, ALL).unwrap() {
        assert_eq!(kind, DEBUG_PDB);
    }
}

/// A state object of one library, and maybe a collection.
pub struct LibraryObject {
    subobjects: Vec<D3D12_STATE_SUBOBJECT>,
    kind: D3D12_STATE_OBJECT_TYPE,
    _library: Box<D3D12_DXIL_LIBRARY_DESC>,
    _config: Box<D3D12_STATE_OBJECT_CONFIG>,
    _code: Vec<u32>,
    collection: Option<Box<D3D12_COMPILER_EXISTING_COLLECTION_DESC>>,
}

impl LibraryObject {
    /// With these flags.
    pub fn new(name: &str, kind: D3D12_STATE_OBJECT_TYPE, flags: u32) -> Self {
        let code = corpus(name);
        let library = Box::new(D3D12_DXIL_LIBRARY_DESC {
            DXILLibrary: D3D12_SHADER_BYTECODE {
                pShaderBytecode: code.as_ptr().cast(),
                BytecodeLength: size_of_val(&code[..]),
            },
            NumExports: 0,
            pExports: ptr::null_mut(),
        });
        let config = Box::new(D3D12_STATE_OBJECT_CONFIG { Flags: flags });
        let subobjects = vec![
            D3D12_STATE_SUBOBJECT {
                Type: D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
                pDesc: ptr::from_ref(&*config).cast(),
            },
            D3D12_STATE_SUBOBJECT {
                Type: D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
                pDesc: ptr::from_ref(&*library).cast(),
            },
        ];
        Self {
            subobjects,
            kind,
            _library: library,
            _config: config,
            _code: code,
            collection: None,
        }
    }

    /// With a collection, which must live as long.
    pub fn with(mut self, collection: &ID3D12CompilerStateObject) -> Self {
        // SAFETY: the description does not release what it is given.
        let collection = unsafe { ID3D12CompilerStateObject::from_raw(collection.as_raw()) };
        let desc = Box::new(D3D12_COMPILER_EXISTING_COLLECTION_DESC {
            pExistingCollection: std::mem::ManuallyDrop::new(Some(collection)),
            NumExports: 0,
            pExports: ptr::null(),
        });
        self.subobjects.push(D3D12_STATE_SUBOBJECT {
            Type: D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
            pDesc: ptr::from_ref(&*desc).cast(),
        });
        self.collection = Some(desc);
        self
    }

    pub fn desc(&self) -> D3D12_STATE_OBJECT_DESC {
        D3D12_STATE_OBJECT_DESC {
            Type: self.kind,
            NumSubobjects: u32::try_from(self.subobjects.len()).unwrap(),
            pSubobjects: self.subobjects.as_ptr(),
        }
    }
}

/// A raytracing pipeline whose library has all that it needs.
pub fn raytracing(flags: u32) -> LibraryObject {
    let kind = D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE;
    LibraryObject::new("rt_subobjects_lib65.dxil", kind, flags)
}

/// Functions for others, which need nothing.
fn functions(kind: D3D12_STATE_OBJECT_TYPE, flags: u32) -> LibraryObject {
    LibraryObject::new("functions_lib63.dxil", kind, flags)
}

pub fn compile_object(
    compiler: &ID3D12Compiler1,
    key: &[u8],
    object: &LibraryObject,
) -> Result<ID3D12CompilerStateObject, HRESULT> {
    let (key, desc) = (group_key(key), object.desc());
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    get(|riid, place| unsafe {
        compiler.CompileStateObject(&raw const key, 1, &raw const desc, riid, place)
    })
}

pub fn compile_addition(
    compiler: &ID3D12Compiler1,
    key: &[u8],
    object: &LibraryObject,
    parent: &ID3D12CompilerStateObject,
) -> Result<ID3D12CompilerStateObject, HRESULT> {
    let (key, desc) = (group_key(key), object.desc());
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    get(|riid, place| unsafe {
        let (key, desc) = (&raw const key, &raw const desc);
        compiler.CompileAddToStateObject(key, 1, desc, parent, riid, place)
    })
}

#[test]
fn state_objects_are_compiled_and_know_their_compiler() {
    let it = new(&sample());
    let object = compile_object(&it.compiler, b"object", &raytracing(0)).unwrap();
    assert!(
        !group_keys(&it.session, b"object", Some(1))
            .unwrap()
            .is_empty()
    );
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe {
        let compiler = get::<ID3D12Compiler>(|riid, place| object.GetCompiler(riid, place));
        assert_eq!(compiler.unwrap(), it.compiler.cast().unwrap());
        let wrong = get::<ID3D12CompilerFactory>(|riid, place| object.GetCompiler(riid, place));
        assert_eq!(wrong.unwrap_err(), E_NOINTERFACE);
        let iid = &ID3D12Compiler::IID;
        assert_eq!(object.GetCompiler(iid, ptr::null_mut()), E_POINTER);
    }
    let again = compile_object(&it.compiler, b"object", &raytracing(0));
    assert_eq!(again.unwrap_err(), DXGI_ERROR_ALREADY_EXISTS);
}

#[test]
fn no_state_object_no_group_and_no_call() {
    let it = new(&scripted());
    let object = raytracing(0);
    let (key, desc) = (group_key(b"object"), object.desc());
    on_compile(|_| panic!("called"));
    let call = |key: *const _, desc: *const _, riid, place| {
        // SAFETY: every pointer is null or to a value of its type that outlives the call.
        unsafe { it.compiler.CompileStateObject(key, 1, desc, riid, place) }
    };
    let wrong =
        get::<ID3D12Compiler>(|riid, place| call(&raw const key, &raw const desc, riid, place));
    assert_eq!(wrong.unwrap_err(), E_NOINTERFACE);
    let null = call(
        &raw const key,
        &raw const desc,
        &ID3D12CompilerStateObject::IID,
        ptr::null_mut(),
    );
    assert_eq!(null, E_POINTER);
    let mut place = ptr::dangling_mut();
    let null = call(&raw const key, &raw const desc, ptr::null(), &raw mut place);
    assert_eq!((null, place), (E_POINTER, ptr::null_mut()));
    let get = |key: *const _, desc: *const _| {
        get::<ID3D12CompilerStateObject>(|riid, place| call(key, desc, riid, place)).unwrap_err()
    };
    assert_eq!(get(ptr::null(), &raw const desc), E_INVALIDARG);
    assert_eq!(get(&raw const key, ptr::null()), E_INVALIDARG);

    let alive = plugin::alive().state_objects;
    on_compile(|_| ddi::E_ABORT);
    let aborted = HRESULT(ddi::E_ABORT.0);
    assert_eq!(
        compile_object(&it.compiler, b"object", &object).unwrap_err(),
        aborted
    );
    on_compile(|_| ddi::S_OK);
    assert_eq!(
        compile_object(&it.compiler, b"object", &object).unwrap_err(),
        E_FAIL
    );
    assert_eq!(it.group(b"object"), Err(DXGI_ERROR_NOT_FOUND));
    // A success without keys is undone.
    assert_eq!(plugin::alive().state_objects, alive);
}

const ADDITIONS: u32 = D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS;

#[test]
fn additions_grow_from_objects_of_the_same_plugin() {
    let it = new(&sample());
    let parent = compile_object(&it.compiler, b"parent", &raytracing(ADDITIONS)).unwrap();
    let child = compile_addition(
        &it.compiler,
        b"grown",
        &functions(D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE, ADDITIONS),
        &parent,
    );
    // The group of an addition names the values of its parent too.
    drop(child.unwrap());
    let keys = |group| group_keys(&it.session, group, Some(1)).unwrap();
    assert!(
        keys(b"parent")
            .iter()
            .any(|key| keys(b"grown").contains(key))
    );
    // The same entry points again.
    let same = compile_addition(&it.compiler, b"same", &raytracing(ADDITIONS), &parent);
    assert_eq!(same.unwrap_err(), E_INVALIDARG);
    assert_eq!(it.group(b"same"), Err(DXGI_ERROR_NOT_FOUND));

    let addition = functions(D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE, ADDITIONS);
    let other = new(&sample());
    let foreign = compile_addition(&other.compiler, b"child", &addition, &parent);
    assert_eq!(foreign.unwrap_err(), E_INVALIDARG);
    let key = group_key(b"child");
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    let null = get::<ID3D12CompilerStateObject>(|riid, place| unsafe {
        let desc = addition.desc();
        let (key, desc) = (&raw const key, &raw const desc);
        it.compiler
            .CompileAddToStateObject(key, 1, desc, None, riid, place)
    });
    assert_eq!(null.unwrap_err(), E_INVALIDARG);
}

#[test]
fn additions_are_for_the_application_of_the_parent() {
    let folder = tempfile::tempdir().unwrap();
    let factory = sample();
    let compiler_for = |application: &Application, name| {
        let files = [(ALL, folder.path().join(name))];
        let session = try_session(&factory, &files, Some(TARGET), Some(application));
        compiler(&factory, &session.unwrap())
    };
    let own = Application::default();
    let another = Application {
        exe: wide("Another.exe"),
        ..own.clone()
    };
    let [first, second, other] = [(&own, "a"), (&own, "b"), (&another, "c")]
        .map(|(application, name)| compiler_for(application, name));
    let parent = compile_object(&first, b"parent", &raytracing(ADDITIONS)).unwrap();
    let addition = functions(D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE, ADDITIONS);
    assert!(compile_addition(&second, b"child", &addition, &parent).is_ok());
    let foreign = compile_addition(&other, b"child", &addition, &parent);
    assert_eq!(foreign.unwrap_err(), E_INVALIDARG);
}

#[test]
fn of_a_lineage_the_youngest_keeps_all() {
    let it = new(&scripted());
    on_compile(|compile| compile.set_keys(&[]));
    let alive = || plugin::alive().state_objects;
    let before = alive();
    let mut youngest = compile_object(&it.compiler, b"parent", &raytracing(ADDITIONS)).unwrap();
    let addition = functions(D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE, ADDITIONS);
    for generation in 1..=100_u32 {
        let key = generation.to_le_bytes();
        youngest = compile_addition(&it.compiler, &key, &addition, &youngest).unwrap();
        assert_eq!(alive(), before + 1 + isize::try_from(generation).unwrap());
    }
    drop(youngest);
    assert_eq!(alive(), before);
}

#[test]
fn collections_are_found_by_their_pointers() {
    let it = new(&sample());
    let kind = D3D12_STATE_OBJECT_TYPE_COLLECTION;
    let collection = compile_object(&it.compiler, b"functions", &functions(kind, 0)).unwrap();
    let whole = compile_object(&it.compiler, b"whole", &raytracing(0).with(&collection)).unwrap();
    drop(collection);
    let keys = group_keys(&it.session, b"whole", None).unwrap();
    for key in group_keys(&it.session, b"functions", None).unwrap() {
        assert!(
            keys.contains(&key),
            "a state object names the values of its collections"
        );
    }
    // It is a collection to one compiler's plugin only, and a pipeline is none.
    let other = new(&sample());
    let foreign = compile_object(&other.compiler, b"x", &raytracing(0).with(&whole));
    assert_eq!(foreign.unwrap_err(), E_INVALIDARG);
    let no_collection = compile_object(&it.compiler, b"x", &raytracing(0).with(&whole));
    assert_eq!(no_collection.unwrap_err(), E_INVALIDARG);
}

#[test]
fn a_group_is_not_stored_if_a_key_of_it_has_no_value() {
    let it = new(&scripted());
    // E_FAIL is not what the plugin has returned.
    let (result, _) = with(
        || it.compile(b"group"),
        |compile| {
            assert_eq!(compile.store(b"there", &[(CODE, b"code")]), ddi::S_OK);
            (compile.set_keys(&[b"there", b"nowhere"]), ())
        },
    );
    assert_eq!(result, E_FAIL);
    assert_eq!(it.group(b"group"), Err(DXGI_ERROR_NOT_FOUND));
    on_compile(|compile| compile.set_keys(&[b"nowhere"]));
    let object = compile_object(&it.compiler, b"object", &raytracing(0));
    assert_eq!(object.unwrap_err(), E_FAIL);
    assert_eq!(it.group(b"object"), Err(DXGI_ERROR_NOT_FOUND));
    // A call that failed has stored nothing; what an earlier one has stored is there.
    on_compile(|compile| compile.set_keys(&[b"there"]));
    assert_eq!(it.compile(b"group"), E_FAIL);
    on_compile(|compile| compile.store_object(b"there", b"code"));
    assert_eq!(it.compile(b"group"), S_OK);
    on_compile(|compile| compile.set_keys(&[b"there"]));
    assert_eq!(it.compile(b"other group"), S_OK);
}

#[test]
fn a_pipeline_without_object_code_is_not_stored() {
    let it = new(&scripted());
    let metadata = ddi::D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA;
    on_compile(move |compile| {
        let stored = compile.store(b"only metadata", &[(metadata, b"metadata")]);
        assert!([ddi::S_OK, ddi::DXGI_ERROR_ALREADY_EXISTS].contains(&stored));
        compile.set_keys(&[b"only metadata"])
    });
    assert_eq!(it.compile(b"group"), E_FAIL);
    assert_eq!(it.group(b"group"), Err(DXGI_ERROR_NOT_FOUND));
    // A state object may have none: the code of a collection can be made with what it becomes part of.
    assert!(compile_object(&it.compiler, b"object", &raytracing(0)).is_ok());
    // Nor has a session for it that has no file for object code.
    let factory = scripted();
    let files = [(2, it.folder.path().join("metadata"))];
    let session = try_session(
        &factory,
        &files,
        Some(TARGET),
        Some(&Application::default()),
    );
    let compiler = compiler(&factory, &session.unwrap());
    let pipeline = ComputePipeline::default();
    assert_eq!(compile(&compiler, b"group", 1, &pipeline), S_OK);
}
