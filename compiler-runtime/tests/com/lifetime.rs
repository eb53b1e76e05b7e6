//! Reference counts: objects in any order, and what holds what.

use api_sys::*;
use runtime_test_support::api::*;
use runtime_test_support::plugin::{alive, on_compile};
use windows_core::{IUnknown, Interface};

use crate::compile::{compile_object, raytracing};

fn objects(folder: &tempfile::TempDir) -> Vec<IUnknown> {
    let factory = scripted();
    let session = session(&factory, &folder.path().join("a.psdb"));
    let compiler = compiler(&factory, &session);
    on_compile(|compile| compile.set_keys(&[]));
    let object = compile_object(&compiler, b"object", &raytracing(0)).unwrap();
    vec![
        factory.cast().unwrap(),
        session.cast().unwrap(),
        compiler.cast().unwrap(),
        object.cast().unwrap(),
    ]
}

/// Every order of the numbers below `count`.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![vec![]];
    }
    let insert = |order: Vec<usize>| {
        (0..count).map(move |place| {
            let mut order = order.clone();
            order.insert(place, count - 1);
            order
        })
    };
    orders(count - 1).into_iter().flat_map(insert).collect()
}

#[test]
fn objects_are_released_in_any_order() {
    let orders = orders(4);
    assert_eq!(orders.len(), 24);
    for order in orders {
        let folder = tempfile::tempdir().unwrap();
        let before = alive();
        let mut objects: Vec<_> = objects(&folder).into_iter().map(Some).collect();
        for index in &order {
            assert_eq!(alive().opens, before.opens + 1, "{order:?}");
            objects[*index] = None;
        }
        // Nothing is left: not in the plugin, not on the disk.
        assert_eq!(alive(), before, "{order:?}");
        let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(files.len(), 1, "{order:?}");
    }
}

#[test]
fn the_last_child_can_still_do_all() {
    let folder = tempfile::tempdir().unwrap();
    let object = objects(&folder).pop().unwrap();
    let object: ID3D12CompilerStateObject = object.cast().unwrap();
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe {
        let compiler: ID3D12Compiler1 = get(|riid, place| object.GetCompiler(riid, place)).unwrap();
        drop(object);
        on_compile(|compile| compile.store_object(b"late", b"code"));
        assert_eq!(
            compile(&compiler, b"late", 1, &ComputePipeline::default()),
            S_OK
        );
        let session: ID3D12CompilerCacheSession =
            get(|riid, place| compiler.GetCacheSession(riid, place)).unwrap();
        drop(compiler);
        assert_eq!(find_one(&session, b"late", OBJECT_CODE).unwrap(), b"code");
        let desc = *session.GetApplicationDesc();
        assert_eq!(text(desc.pExeFilename), "Game.exe");
        let factory: ID3D12CompilerFactory =
            get(|riid, place| session.GetFactory(riid, place)).unwrap();
        drop(session);
        let mut family = D3D12_ADAPTER_FAMILY::default();
        assert_eq!(factory.EnumerateAdapterFamilies(0, &raw mut family), S_OK);
    }
}

#[test]
fn reference_counts_count() {
    let folder = tempfile::tempdir().unwrap();
    for object in objects(&folder) {
        let raw = object.as_raw();
        let table = object.vtable();
        // SAFETY: the object is alive; every AddRef has its Release.
        unsafe {
            let count = (table.AddRef)(raw);
            assert_eq!((table.AddRef)(raw), count + 1);
            assert_eq!((table.Release)(raw), count);
            assert_eq!((table.Release)(raw), count - 1);
        }
    }
}
