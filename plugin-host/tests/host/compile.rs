//! Compilers and state objects: their memory, their lifetimes, their sessions.

use std::ptr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytemuck::Zeroable;
use ddi_sys::*;
use plugin_host::session::{MemoryCache, SessionScope, callbacks};
use plugin_host::{
    CallError, CallFailure, Compiler, Library, Open, Plugin, SUPPORTED, StateObject, Target,
};

use crate::scripted::{self, Compile, Script, application, error, failed, take_log};
use crate::session::{key, size_query};

const TYPES: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS =
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE;

fn compiler(script: Script) -> Compiler {
    let compiler = try_compiler(&scripted::plugin(script)).unwrap();
    take_log();
    compiler
}

fn try_compiler(plugin: &Plugin) -> Result<Compiler, CallError> {
    plugin.create_compiler(scripted::target(plugin), &application())
}

fn scope() -> SessionScope {
    SessionScope::new(Arc::new(MemoryCache::default()))
}

fn create(compiler: &Compiler) -> Result<StateObject, CallError> {
    let arg = Zeroable::zeroed();
    // SAFETY: no subobjects, and the scripted plugin does not keep the argument.
    unsafe { compiler.create_state_object(scope(), TYPES, &arg) }.map(|(object, _)| object)
}

fn add(parent: &StateObject) -> Result<StateObject, CallError> {
    let arg = Zeroable::zeroed();
    // SAFETY: `parent` lives; `arg` has no subobjects, and the scripted plugin does not keep it.
    unsafe { parent.add_to(scope(), TYPES, &arg) }.map(|(object, _)| object)
}

fn compile(compiler: &Compiler, scope: SessionScope) -> Result<Vec<Vec<u8>>, CallError> {
    let arg = Zeroable::zeroed();
    // SAFETY: the scripted plugin does not read the argument.
    unsafe { compiler.compile_pipeline_state(scope, TYPES, &arg) }
}

#[test]
fn everything_may_be_used_from_any_thread() {
    fn any_thread<T: Send + Sync>() {}
    any_thread::<Library>();
    any_thread::<Open>();
    any_thread::<Plugin>();
    any_thread::<Compiler>();
    any_thread::<StateObject>();
    any_thread::<SessionScope>();
    any_thread::<Target>();
}

#[test]
fn a_compiler_keeps_its_plugin() {
    let plugin = scripted::plugin(Script::default());
    let target = scripted::target(&plugin);
    let compiler = plugin.create_compiler(target, &application()).unwrap();
    assert_eq!(compiler.target(), target);
    drop(plugin);
    assert_eq!(compiler.plugin().version(), SUPPORTED[1]);
    assert!(!compiler.handle().pDrvPrivate.is_null());
    drop(compiler);
    let log = take_log();
    assert!(log[0].starts_with(r#"pfnCalcPrivateCompilerSize(1, 3, Some("Code.exe")"#));
    assert_eq!(
        log[1..],
        [
            "pfnCreateCompiler",
            "pfnDestroyCopiler(1)",
            "pfnDestroyCompilerDDI(1)"
        ]
    );
}

/// The plugin fills all the bytes it asked for, checks their alignment and finds them again at the
/// end.
#[test]
fn private_memory_of_any_size() {
    for size in [0, 1, 15, 16, 17, 4096, 1 << 20] {
        let compiler = compiler(Script {
            size,
            ..Script::default()
        });
        let object = create(&compiler).unwrap();
        add(&object).unwrap();
    }
}

#[test]
fn absurd_sizes_are_an_error_and_nothing_is_created() {
    for size in [usize::MAX, isize::MAX.cast_unsigned()] {
        let plugin = scripted::plugin(Script {
            size,
            ..Script::default()
        });
        let expected = error("pfnCalcPrivateCompilerSize", CallFailure::Memory { size });
        assert_eq!(try_compiler(&plugin).unwrap_err(), expected);
        drop(plugin);
        let log = take_log();
        assert!(
            log.len() == 2 && log[1].starts_with("pfnDestroyCompilerDDI"),
            "{log:?}"
        );
    }
}

#[test]
fn what_was_not_created_is_not_destroyed() {
    let hresult = E_OUTOFMEMORY;
    for call in [
        "pfnCreateCompiler",
        "pfnCompileCreateStateObject",
        "pfnCompileAddToStateObject",
    ] {
        let plugin = scripted::plugin(Script {
            fail: Some((call, hresult)),
            ..Script::default()
        });
        let all = || add(&create(&try_compiler(&plugin)?)?);
        assert_eq!(all().unwrap_err(), failed(call, hresult));
        drop(plugin);
        let log = take_log();
        let count = |prefix: &str| log.iter().filter(|call| call.starts_with(prefix)).count();
        assert_eq!(
            count("pfnCreateCompiler") - usize::from(call == "pfnCreateCompiler"),
            count("pfnDestroyCopiler"),
        );
        let objects = usize::from(call == "pfnCompileAddToStateObject");
        assert_eq!(count("pfnDestroyStateObject"), objects);
        assert!(log.last().unwrap().starts_with("pfnDestroyCompilerDDI"));
    }
}

#[test]
fn children_end_before_their_parents_and_those_before_the_compiler() {
    let compiler = compiler(Script::default());
    let parent = create(&compiler).unwrap();
    let child = add(&parent).unwrap();
    let (first, second) = (add(&child).unwrap(), add(&child).unwrap());
    drop((compiler, parent, child));
    take_log();
    drop(second);
    assert_eq!(take_log(), ["pfnDestroyStateObject(1, 5)"]);
    drop(first);
    assert_eq!(
        take_log(),
        [
            "pfnDestroyStateObject(1, 4)",
            "pfnDestroyStateObject(1, 3)",
            "pfnDestroyStateObject(1, 2)",
            "pfnDestroyCopiler(1)",
            "pfnDestroyCompilerDDI(1)",
        ]
    );
}

#[test]
fn a_long_chain_of_additions_needs_no_deep_stack() {
    let compiler = compiler(Script {
        size: 1,
        ..Script::default()
    });
    let mut last = create(&compiler).unwrap();
    for _ in 0..50_000 {
        last = add(&last).unwrap();
    }
    take_log();
    drop(last);
    assert_eq!(take_log().len(), 50_001);
}

#[test]
fn a_compile_reaches_its_session_through_the_table_that_was_set() {
    const CODE: &[u8] = b"code";
    let compiler = compiler(Script {
        compile: Rc::new(|compile| {
            assert_eq!(compile.value_types, TYPES);
            let through_the_hosts_table = Compile {
                // SAFETY: the open is alive.
                callbacks: unsafe { scripted::callbacks() },
                ..*compile
            };
            through_the_hosts_table.store_object(b"key", CODE)
        }),
        ..Script::default()
    });
    // The plugin kept the table by pointer: were it freed, these zeros would take its place.
    let zeros: Vec<Vec<u8>> = (0..256).map(|i| [0; 80][..16 + i % 64].to_vec()).collect();
    let cache = Arc::new(MemoryCache::default());
    let keys = compile(&compiler, SessionScope::new(cache.clone())).unwrap();
    drop(zeros);
    assert_eq!(keys, [b"key"]);
    assert_eq!(cache.values()[&b"key"[..]][0].as_deref(), Some(CODE));

    // Again: now the value is there.
    let result = compile(&compiler, SessionScope::new(cache));
    let expected = failed("pfnCompilePipelineState", DXGI_ERROR_ALREADY_EXISTS);
    assert_eq!(result, Err(expected));
}

#[test]
fn every_compile_gives_its_keys_in_the_plugins_order() {
    let compiler = compiler(Script {
        compile: Rc::new(|compile| compile.set_keys(&[b"b", b"a", b"b"])),
        ..Script::default()
    });
    let expected = [b"b", b"a", b"b"];
    let arg = Zeroable::zeroed();
    assert_eq!(compile(&compiler, scope()).unwrap(), expected);
    // SAFETY: no subobjects, and the scripted plugin does not keep the argument.
    let (object, keys) = unsafe { compiler.create_state_object(scope(), TYPES, &arg) }.unwrap();
    assert_eq!(keys, expected);
    // SAFETY: `object` lives; `arg` has no subobjects, and the scripted plugin does not keep it.
    let (_, keys) = unsafe { object.add_to(scope(), TYPES, &arg) }.unwrap();
    assert_eq!(keys, expected);
}

#[test]
fn a_success_without_keys_is_an_error_and_the_object_is_destroyed() {
    let not_set = |call| error(call, CallFailure::KeysNotSet);
    let refused = |compile: &Compile| {
        assert_eq!(compile.set_keys(&[b"good", b""]), E_INVALIDARG);
        S_OK
    };
    let calls = || {
        let name = |call: String| call.split('(').next().unwrap().to_owned();
        take_log().into_iter().map(name).collect::<Vec<_>>()
    };
    let without_keys = Script {
        compile: Rc::new(|_| S_OK),
        ..Script::default()
    };
    let refused_keys = Script {
        compile: Rc::new(refused),
        ..Script::default()
    };
    for script in [without_keys, refused_keys] {
        let compiler = compiler(Script::default());
        let parent = create(&compiler).unwrap();
        scripted::library(script);
        take_log();
        let call = "pfnCompilePipelineState";
        assert_eq!(compile(&compiler, scope()), Err(not_set(call)));
        assert_eq!(calls(), [call]);
        let call = "pfnCompileCreateStateObject";
        assert_eq!(create(&compiler).unwrap_err(), not_set(call));
        let size = "pfnCalcPrivateStateObjectSize";
        assert_eq!(calls(), [size, call, "pfnDestroyStateObject"]);
        let call = "pfnCompileAddToStateObject";
        assert_eq!(add(&parent).unwrap_err(), not_set(call));
        let size = "pfnCalcPrivateAddToStateObjectSize";
        assert_eq!(calls(), [size, call, "pfnDestroyStateObject"]);
    }
    assert_eq!(
        not_set("pfnCompilePipelineState").to_string(),
        "linked-in plugin: pfnCompilePipelineState succeeded, but the keys of the object's values \
         are not set: pfnCompilerCacheSetObjectValueKeys must be called once before the return"
    );
}

#[test]
fn an_empty_list_of_keys_is_a_list() {
    let compiler = compiler(Script {
        compile: Rc::new(|compile| compile.set_keys(&[])),
        ..Script::default()
    });
    assert_eq!(compile(&compiler, scope()), Ok(vec![]));
}

#[test]
fn a_session_ends_with_its_compile_call() {
    let cache = Arc::new(MemoryCache::default());
    for (script, succeeds) in [
        (Script::default(), true),
        (
            Script {
                compile: Rc::new(|_| E_FAIL),
                ..Script::default()
            },
            false,
        ),
    ] {
        let compiler = compiler(script);
        let scope = SessionScope::new(cache.clone());
        let handle = scope.handle();
        assert_eq!(compile(&compiler, scope).is_ok(), succeeds);
        let find = callbacks().pfnCompilerCacheFindValue.unwrap();
        let mut value = size_query(D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE);
        // SAFETY: key and value are as the specification says; the handle is stale.
        let late = unsafe { find(handle, &key(b"k"), &raw mut value, 1, None, ptr::null_mut()) };
        assert_eq!(late, E_INVALIDARG);
    }
    assert_eq!(cache.misuses().len(), 2);
}

/// The session handle that the plugin passed on.
static PASSED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "system" fn note_session(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    _: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    _: u32,
) -> HRESULT {
    PASSED.store(session.handle.addr(), Ordering::Relaxed);
    S_OK
}

#[test]
fn a_test_may_have_callbacks_and_handles_of_its_own() {
    let own = D3D12DDI_COMPILER_CACHE_CALLBACKS {
        pfnCompilerCacheSetObjectValueKeys: Some(note_session),
        ..callbacks()
    };
    let library = scripted::library(Script::default());
    // SAFETY: two functions are the host's, the third does not touch its arguments.
    let plugin = unsafe { Plugin::open_with_callbacks(&library, own) }.unwrap();
    let compiler = try_compiler(&plugin).unwrap();
    let session = |number| D3D12DDI_HRTCOMPILERCACHESESSION {
        handle: ptr::without_provenance_mut(number),
    };
    let passed = || PASSED.load(Ordering::Relaxed);
    let (pipeline, object) = (Zeroable::zeroed(), Zeroable::zeroed());
    // SAFETY: no subobjects, and the scripted plugin neither reads nor keeps the arguments.
    unsafe {
        compiler
            .compile_pipeline_state_raw(session(7), TYPES, &pipeline)
            .unwrap();
        assert_eq!(passed(), 7);
        let parent = compiler
            .create_state_object_raw(session(8), TYPES, &object)
            .unwrap();
        assert_eq!(passed(), 8);
        parent.add_to_raw(session(9), TYPES, &object).unwrap();
        assert_eq!(passed(), 9);
    }
}

#[test]
fn a_failing_compile_is_named() {
    let call = "pfnCompilePipelineState";
    let hresult = DXGI_ERROR_DRIVER_INTERNAL_ERROR;
    let compiler = compiler(Script {
        fail: Some((call, hresult)),
        ..Script::default()
    });
    assert_eq!(compile(&compiler, scope()), Err(failed(call, hresult)));
}
