//! What a database gives, fed to a compiler.

use std::collections::HashMap;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr;

use api_sys::*;
use runtime_test_support::api::*;
use runtime_test_support::state_object::*;
use windows_core::{HRESULT, Interface};

use crate::database::*;
use crate::pipelines::{embedded, external, graphics};
use crate::preview::*;
use crate::state_objects::{collection, noise, program_of, raytracing};

struct Fixture {
    _folder: tempfile::TempDir,
    database: ID3D12StateObjectDatabase,
    session: ID3D12CompilerCacheSession,
    compiler: ID3D12Compiler1,
}

fn new() -> Fixture {
    let (folder, database) = temporary();
    let factory = sample();
    let session = session(&factory, &folder.path().join("a.psdb"));
    let compiler = compiler(&factory, &session);
    Fixture {
        _folder: folder,
        database,
        session,
        compiler,
    }
}

impl Fixture {
    #[track_caller]
    fn store(&self, key: &[u8], desc: &Description, parent: &[u8]) {
        assert_eq!(store_object(&self.database, key, 1, desc, parent), S_OK);
    }

    /// Compiles a state object as it is found, under the same key.
    fn compile(
        &self,
        key: &[u8],
        parent: Option<&ID3D12CompilerStateObject>,
    ) -> Result<ID3D12CompilerStateObject, HRESULT> {
        let mut compiled = None;
        let found = find_object(&self.database, key, |key, version, desc, _| {
            compiled = Some(self.compile_desc(key, version, desc, parent));
        });
        assert_eq!(found, S_OK);
        compiled.unwrap()
    }

    fn compile_desc(
        &self,
        key: &[u8],
        version: u32,
        desc: &D3D12_STATE_OBJECT_DESC,
        parent: Option<&ID3D12CompilerStateObject>,
    ) -> Result<ID3D12CompilerStateObject, HRESULT> {
        let (key, compiler) = (group_key(key), &self.compiler);
        let key = &raw const key;
        // SAFETY: every pointer is null or to a value of its type that outlives the call.
        get(|riid, place| unsafe {
            match parent {
                Some(parent) => {
                    compiler.CompileAddToStateObject(key, version, desc, parent, riid, place)
                }
                None => compiler.CompileStateObject(key, version, desc, riid, place),
            }
        })
    }

    #[track_caller]
    fn is_compiled(&self, key: &[u8]) {
        assert_eq!(group_version(&self.session, key), Ok(1));
        assert!(!group_keys(&self.session, key, Some(1)).unwrap().is_empty());
    }
}

#[test]
fn pipelines_are_compiled_as_they_are_found() {
    let it = new();
    for (key, mut stream) in [
        (b"embedded", embedded()),
        (b"external", external()),
        (b"graphics", graphics()),
    ] {
        assert_eq!(store_pipeline(&it.database, key, 1, &stream.desc()), S_OK);
        let mut compiled = None;
        let found = find_pipeline(&it.database, key, |key, version, desc| {
            // SAFETY: every pointer is null or to a value of its type that outlives the call.
            compiled = Some(unsafe {
                let key = group_key(key);
                it.compiler
                    .CompilePipelineState(&raw const key, version, desc)
            });
        });
        assert_eq!((found, compiled), (S_OK, Some(S_OK)));
        it.is_compiled(key);
        // As the application's own description is.
        let own = [&key[..], b" own"].concat();
        // SAFETY: every pointer is null or to a value of its type that outlives the call.
        let compiled = unsafe {
            let key = group_key(&own);
            it.compiler
                .CompilePipelineState(&raw const key, 1, &stream.desc())
        };
        assert_eq!(compiled, S_OK);
        assert_eq!(
            group_keys(&it.session, &own, None),
            group_keys(&it.session, key, None)
        );
    }
}

#[test]
fn state_objects_are_compiled_as_they_are_found() {
    let it = new();
    let program = || {
        program_of(
            Description::new(EXECUTABLE)
                .library("fullscreen_vs", &["vs=*"])
                .library("fullscreen_ps", &["ps=*"]),
        )
    };
    it.store(b"raytracing", &raytracing(), b"");
    it.store(b"program", &program(), b"");
    for key in [&b"raytracing"[..], b"program"] {
        it.compile(key, None).unwrap();
        it.is_compiled(key);
    }
}

#[test]
fn an_addition_is_compiled_on_its_parent() {
    let it = new();
    it.store(b"root", &noise("noise_a"), b"");
    it.store(b"child", &noise("noise_b"), b"root");
    let mut parent_key = Vec::new();
    let found = find_object(&it.database, b"child", |_, _, _, parent| {
        parent_key = parent.to_vec();
    });
    assert_eq!(found, S_OK);
    let parent = it.compile(&parent_key, None).unwrap();
    it.compile(b"child", Some(&parent)).unwrap();
    it.is_compiled(b"root");
    it.is_compiled(b"child");
}

#[test]
fn collections_by_key_are_refused_by_the_compiler() {
    let it = new();
    it.store(b"vertex", &collection("fullscreen_vs", "vs=*"), b"");
    it.store(b"pixel", &collection("fullscreen_ps", "ps=*"), b"");
    let shaders = with_key(Description::new(EXECUTABLE), b"vertex", &[]);
    let program = program_of(with_key(shaders, b"pixel", &[]));
    it.store(b"program", &program, b"");
    assert_eq!(it.compile(b"program", None).unwrap_err(), E_INVALIDARG);
    let group = group_version(&it.session, b"program");
    assert_eq!(group, Err(DXGI_ERROR_NOT_FOUND));
}

/// What a program does to compile what has collections: it compiles those, and puts what it got in
/// the place of their keys.
#[test]
fn collections_by_key_are_replaced_by_what_was_compiled() {
    let it = new();
    let whole = Description::new(COLLECTION).library("rt_subobjects_lib63", &[]);
    it.store(b"collection", &whole, b"");
    let over = with_key(Description::new(RAYTRACING), b"collection", &[]);
    it.store(b"pipeline", &over, b"");
    assert_eq!(it.compile(b"pipeline", None).unwrap_err(), E_INVALIDARG);

    let compiled = it.compile(b"collection", None).unwrap();
    let existing = D3D12_COMPILER_EXISTING_COLLECTION_DESC {
        pExistingCollection: ManuallyDrop::new(Some(compiled)),
        NumExports: 0,
        pExports: ptr::null(),
    };
    let mut result = None;
    let found = find_object(&it.database, b"pipeline", |key, version, desc, _| {
        let mut replaced = subobjects(desc).to_vec();
        for subobject in &mut replaced {
            if subobject.Type == D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY {
                *subobject = D3D12_STATE_SUBOBJECT {
                    Type: D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
                    pDesc: (&raw const existing).cast::<c_void>(),
                };
            }
        }
        let desc = D3D12_STATE_OBJECT_DESC {
            pSubobjects: replaced.as_ptr(),
            ..*desc
        };
        result = Some(it.compile_desc(key, version, &desc, None).is_ok());
    });
    assert_eq!((found, result), (S_OK, Some(true)));
    it.is_compiled(b"pipeline");
    drop(ManuallyDrop::into_inner(existing.pExistingCollection));
}

/// What the preview is for: everything in an order in which it can be made, collections as what was compiled of them.
#[test]
fn all_that_is_enumerated_is_compiled() {
    let it = new();
    let whole = Description::new(COLLECTION).library("rt_subobjects_lib63", &[]);
    it.store(b"collection", &whole, b"");
    let over = with_key(Description::new(RAYTRACING), b"collection", &[]);
    it.store(b"pipeline", &over, b"");
    it.store(b"root", &noise("noise_a"), b"");
    it.store(b"child", &noise("noise_b"), b"root");
    let database: ID3D12StateObjectDatabase1 = it.database.cast().unwrap();
    let mut made: HashMap<Vec<u8>, ID3D12CompilerStateObject> = HashMap::new();
    let mut order = Vec::new();
    let enumerated = enumerate_objects(&database, |groups, key| {
        let callbacks = Callbacks {
            lookup_object: Some(Box::new(|key, _| {
                Ok(made.get(key).map(|object| object.clone().into()))
            })),
            ..Callbacks::default()
        };
        let by = By {
            flags: D3D12_FIND_STATE_OBJECT_DESC_FLAG_NO_GROUPS,
            ..by_object(&key)
        };
        let mut compiled = None;
        let found = find_object1(&database, by, callbacks, |_, _, desc, parent| {
            let parent = parent.map(|(parent, _)| made[&parent].clone());
            let (name, version) = &groups[0];
            compiled = Some(it.compile_desc(name, *version, desc, parent.as_ref()));
        });
        assert_eq!(found, S_OK);
        made.insert(key, compiled.unwrap().unwrap());
        order.push(groups[0].0.clone());
        true
    });
    assert_eq!(enumerated, S_OK);
    let expected: [&[u8]; 4] = [b"collection", b"pipeline", b"root", b"child"];
    assert_eq!(order, expected);
    for key in expected {
        it.is_compiled(key);
    }
}
