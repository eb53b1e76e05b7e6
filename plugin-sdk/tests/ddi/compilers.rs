//! Compiler objects in the host's memory.

use std::cell::RefCell;
use std::ptr;
use std::rc::Rc;
use std::sync::Barrier;

use ddi_sys::*;
use plugin_sdk::{Error, VersionNumber};

use crate::host::memory::Guarded;
use crate::host::pipeline::Pipeline;
use crate::host::plugin::{Script, alive};
use crate::host::session::Session;
use crate::host::{Application, Compiler, Host, NULL_COMPILER, TARGET, some};

fn handle(memory: &Guarded) -> D3D12DDI_HCOMPILER {
    D3D12DDI_HCOMPILER {
        pDrvPrivate: memory.at().cast(),
    }
}

fn create(host: &Host, memory: *mut u8) -> HRESULT {
    let application = Application::new();
    host.create_compiler_in(&raw const TARGET, application.desc, memory.cast())
}

fn size(host: &Host) -> usize {
    host.calc_compiler_size(&raw const TARGET, Application::new().desc)
}

#[test]
fn memory_at_any_alignment_is_enough_and_nothing_outside_is_written() {
    let host = Host::new();
    let (session, pipeline) = (Session::default(), Pipeline::graphics());
    for offset in some(0..=64) {
        let size = size(&host);
        let memory = Guarded::new(size, offset);
        assert_eq!(create(&host, memory.at()), S_OK);
        assert_eq!(alive(), 2);
        let hresult = host.compile_pipeline(handle(&memory), &session, 1, pipeline.raw);
        assert_eq!(hresult, S_OK, "at offset {offset}");
        host.destroy_compiler(handle(&memory));
        assert_eq!(alive(), 1);
        memory.check();
    }
}

#[test]
fn a_failed_creation_leaves_nothing() {
    let _script = Script {
        create: Box::new(|_, _| Err(Error::unsupported("not this one"))),
        ..Script::default()
    }
    .install();
    let host = Host::new();
    let memory = Guarded::new(size(&host), 0);
    assert_eq!(create(&host, memory.at()), DXGI_ERROR_UNSUPPORTED);
    assert!(memory.is_untouched());
    // Not a compiler: neither usable nor destroyable.
    let hresult = host.compile_pipeline(
        handle(&memory),
        &Session::default(),
        1,
        Pipeline::graphics().raw,
    );
    assert_eq!(hresult, E_INVALIDARG);
    host.destroy_compiler(handle(&memory));
    memory.check();
    assert!(memory.is_untouched());
    assert_eq!(alive(), 1);
}

#[test]
fn null_memory_is_refused_and_the_compiler_dropped() {
    let host = Host::new();
    assert_eq!(create(&host, ptr::null_mut()), E_INVALIDARG);
    assert_eq!(alive(), 1);
    host.destroy_compiler(NULL_COMPILER);
    let (session, pipeline) = (Session::default(), Pipeline::graphics());
    let hresult = host.compile_pipeline(NULL_COMPILER, &session, 1, pipeline.raw);
    assert_eq!(hresult, E_INVALIDARG);
    assert_eq!(host.calc_state_object_size(NULL_COMPILER), 0);
    assert_eq!(host.calc_add_size(NULL_COMPILER, ptr::null_mut()), 0);
}

#[test]
fn memory_without_a_live_compiler_is_refused() {
    let host = Host::new();
    let size = size(&host);
    let (session, pipeline) = (Session::default(), Pipeline::graphics());
    let compile =
        |memory: &Guarded| host.compile_pipeline(handle(memory), &session, 1, pipeline.raw);
    let memory = Guarded::new(size, 0);
    assert_eq!(compile(&memory), E_INVALIDARG, "never created");

    assert_eq!(create(&host, memory.at()), S_OK);
    host.destroy_compiler(handle(&memory));
    assert_eq!(compile(&memory), E_INVALIDARG, "destroyed");
    host.destroy_compiler(handle(&memory));
    assert_eq!(alive(), 1, "destroyed once");

    assert_eq!(create(&host, memory.at()), S_OK);
    let moved = Guarded::new(size, 0);
    // SAFETY: both blocks have that many bytes.
    unsafe { moved.at().copy_from_nonoverlapping(memory.at(), size) };
    assert_eq!(compile(&moved), E_INVALIDARG, "moved");
    host.destroy_compiler(handle(&moved));
    assert_eq!(alive(), 2);
    assert_eq!(compile(&memory), S_OK);
    host.destroy_compiler(handle(&memory));
    assert_eq!(alive(), 1);
}

#[test]
fn the_size_is_the_same_for_every_target_and_call() {
    let host = Host::new();
    let other = D3D12DDI_COMPILER_TARGET {
        AdapterFamilyIndex: 1,
        ABIVersion: 7,
    };
    let first = size(&host);
    assert!(first > 0);
    assert_eq!(size(&host), first);
    assert_eq!(
        host.calc_compiler_size(&raw const other, Application::new().desc),
        first
    );
}

#[test]
fn target_and_application_arrive_as_the_host_gave_them() {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let sink = seen.clone();
    let _script = Script {
        create: Box::new(move |target, application| {
            let engine = application
                .engine
                .map(|(name, version)| (name.to_string_lossy(), version));
            sink.borrow_mut().push((
                target.family_index,
                target.family.name.to_string(),
                target.abi_version,
                application.exe_filename.to_string_lossy(),
                application.name.to_string_lossy(),
                application.version,
                engine,
            ));
            Ok(())
        }),
        ..Script::default()
    }
    .install();
    let host = Host::new();
    let target = D3D12DDI_COMPILER_TARGET {
        AdapterFamilyIndex: 1,
        ABIVersion: 7,
    };
    for engine in [true, false] {
        let application = Application::new();
        if !engine {
            // What an absent engine's version says must not matter.
            application.raw().pEngineName = ptr::null();
        }
        let memory = Guarded::new(size(&host), 0);
        let memory_at = memory.at().cast();
        assert_eq!(
            host.create_compiler_in(&raw const target, application.desc, memory_at),
            S_OK
        );
        host.destroy_compiler(handle(&memory));
        let engine = engine.then(|| ("Engine".to_owned(), VersionNumber::new(5, 0, 0, 0)));
        let expected = (
            1,
            "Second \u{1F3AE}".to_owned(),
            7,
            "Game.exe".to_owned(),
            "The Game".to_owned(),
            VersionNumber::new(1, 2, 3, 4),
            engine,
        );
        assert_eq!(seen.borrow_mut().pop(), Some(expected));
    }
}

#[test]
fn compilers_live_side_by_side_and_end_in_any_order() {
    let host = Host::new();
    let mut compilers: Vec<_> = (0..5).map(|_| host.create_compiler()).collect();
    let pipeline = Pipeline::graphics();
    let session = Session::default();
    for index in [2, 0, 1, 1, 0] {
        drop(compilers.remove(index));
        for compiler in &compilers {
            assert_eq!(compiler.compile(&session, pipeline.raw), S_OK);
        }
        assert_eq!(alive() - 1, isize::try_from(compilers.len()).unwrap());
    }
}

#[test]
fn one_compiler_compiles_on_many_threads_at_once() {
    struct Shared<'h>(Compiler<'h>, Pipeline);
    // SAFETY: what the DDI promises hosts, and this test is about: compile calls are free-threaded,
    // and nothing writes the description meanwhile.
    unsafe impl Sync for Shared<'_> {}
    impl Shared<'_> {
        fn compile(&self) -> Vec<Vec<u8>> {
            let session = Session::default();
            assert_eq!(self.0.compile(&session, self.1.raw), S_OK);
            session.object_keys().unwrap()
        }
    }

    let host = Host::new();
    let shared = Shared(host.create_compiler(), Pipeline::graphics());
    let expected = shared.compile();
    let barrier = Barrier::new(4);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                barrier.wait();
                for _ in 0..if cfg!(miri) { 1 } else { 20 } {
                    assert_eq!(shared.compile(), expected);
                }
            });
        }
    });
}
