//! Compilers and state objects: their memory, their lifetimes, their sessions.

use std::rc::Rc;
use std::sync::Arc;

use bytemuck::Zeroable;
use ddi_sys::*;
use plugin_host::session::{MemoryCache, SessionScope};
use plugin_host::{CallError, Compiler, Library, Open, Plugin, StateObject};

use crate::scripted::{self, Script, TARGET, application, take_log};

const TYPES: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS =
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE;

fn compiler(script: Script) -> Compiler {
    let compiler = scripted::plugin(script)
        .create_compiler(TARGET, &application())
        .unwrap();
    take_log();
    compiler
}

fn scope() -> SessionScope {
    SessionScope::new(Arc::new(MemoryCache::default()))
}

fn create(compiler: &Compiler) -> Result<StateObject, CallError> {
    let arg = Zeroable::zeroed();
    // SAFETY: no subobjects, and the scripted plugin does not keep the argument.
    unsafe { compiler.create_state_object(scope().handle(), TYPES, &arg) }
}

fn add(parent: &StateObject) -> Result<StateObject, CallError> {
    let arg = Zeroable::zeroed();
    // SAFETY: as above.
    unsafe { parent.add_to(scope().handle(), TYPES, &arg) }
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
}

#[test]
fn a_compiler_keeps_its_plugin() {
    let plugin = scripted::plugin(Script::default());
    let compiler = plugin.create_compiler(TARGET, &application()).unwrap();
    drop(plugin);
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
        let call = "pfnCalcPrivateCompilerSize";
        let error = plugin.create_compiler(TARGET, &application()).unwrap_err();
        assert_eq!(error, CallError::Memory { call, size });
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
        let all = || add(&create(&plugin.create_compiler(TARGET, &application())?)?);
        assert_eq!(all().unwrap_err(), CallError::Failed { call, hresult });
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
            let key = D3D12DDI_COMPILER_CACHE_VALUE_KEY {
                pKey: b"key".as_ptr().cast(),
                KeySize: 3,
            };
            let value = D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE {
                Type: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE,
                Value: D3D12DDI_COMPILER_CACHE_CONST_VALUE {
                    pValue: CODE.as_ptr().cast(),
                    ValueSize: CODE.len(),
                },
            };
            let store = compile.callbacks.pfnCompilerCacheStoreValue.unwrap();
            let set_keys = compile
                .callbacks
                .pfnCompilerCacheSetObjectValueKeys
                .unwrap();
            // SAFETY: keys and values are as the specification says.
            unsafe {
                match store(compile.session, &raw const key, &raw const value, 1) {
                    S_OK => set_keys(compile.session, &raw const key, 1),
                    failure => failure,
                }
            }
        }),
        ..Script::default()
    });
    // The plugin kept the table by pointer: were it freed, these zeros would take its place.
    let zeros: Vec<Vec<u8>> = (0..256).map(|i| [0; 80][..16 + i % 64].to_vec()).collect();
    let cache = Arc::new(MemoryCache::default());
    let scope = SessionScope::new(cache.clone());
    let arg = Zeroable::zeroed();
    // SAFETY: the scripted plugin does not read the argument.
    unsafe { compiler.compile_pipeline_state(scope.handle(), TYPES, &arg) }.unwrap();
    drop(zeros);
    assert_eq!(scope.set_object_value_keys_calls(), 1);
    assert_eq!(cache.objects(), [[b"key"]]);
    assert_eq!(cache.values()[&b"key"[..]][0].as_deref(), Some(CODE));

    // Again: now the value is there.
    // SAFETY: as above.
    let result = unsafe { compiler.compile_pipeline_state(scope.handle(), TYPES, &arg) };
    let call = "pfnCompilePipelineState";
    let hresult = DXGI_ERROR_ALREADY_EXISTS;
    assert_eq!(result, Err(CallError::Failed { call, hresult }));
}

#[test]
fn a_failing_compile_is_named() {
    let call = "pfnCompilePipelineState";
    let hresult = DXGI_ERROR_DRIVER_INTERNAL_ERROR;
    let compiler = compiler(Script {
        fail: Some((call, hresult)),
        ..Script::default()
    });
    let arg = Zeroable::zeroed();
    // SAFETY: the scripted plugin does not read the argument.
    let result = unsafe { compiler.compile_pipeline_state(scope().handle(), TYPES, &arg) };
    assert_eq!(result, Err(CallError::Failed { call, hresult }));
}
