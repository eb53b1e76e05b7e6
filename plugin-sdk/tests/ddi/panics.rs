//! Panics in vendor code: they end at the boundary, poison what panicked, and nothing else.

use std::panic::panic_any;
use std::ptr;

use ddi_sys::*;
use plugin_sdk::{Error, Key, PluginEntry};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::host::log::capture;
use crate::host::memory::Guarded;
use crate::host::pipeline::Pipeline;
use crate::host::plugin::{Method, Script, TestPlugin, alive, made};
use crate::host::session::Session;
use crate::host::state_object::StateObject;
use crate::host::{Application, Compiler, Host, Open, TARGET};

const PANIC: HRESULT = DXGI_ERROR_DRIVER_INTERNAL_ERROR;

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic_any(PanicsWhenDropped);
    }
}

/// Ways to panic, and what the log says of each.
const PANICS: [(fn(), &str); 4] = [
    (|| panic!("plain text"), "plain text"),
    (|| panic!("formatted {}", 7), "formatted 7"),
    (|| panic_any(7), "payload is not text"),
    (|| panic_any(PanicsWhenDropped), "payload is not text"),
];

fn script(panic_in: Option<(Method, fn())>) -> Script {
    Script {
        panic_in,
        quality_levels: 1,
        format_support: D3D12DDI_FORMAT_SUPPORT_RENDERTARGET,
        ..Script::default()
    }
}

/// What the open's own methods answer now; the values that they wrote are checked to be untouched by
/// a failure.
fn answers(host: &Host) -> [HRESULT; 5] {
    let application = Application::new();
    let mut options = D3D12DDI_OPTIONS_DATA_0090::default();
    let query = D3D12DDIARG_GETCAPS {
        Type: D3D12DDICAPS_TYPE_OPTIONS_0090,
        pInfo: ptr::null_mut(),
        pData: (&raw mut options).cast(),
        DataSize: 4,
    };
    let (mut support, mut version) = (7, D3D12DDI_VERSION_NUMBER::from_bits(7));
    let (open, target, r8) = (host.open.handle, &raw const TARGET, DXGI_FORMAT_R8_UNORM);
    let caps = host.get_caps(open, target, application.desc, &raw const query);
    let profile = host.profile_version(open, target, application.desc, &raw mut version);
    let format = host.format_support(open, target, r8, &raw mut support);
    let levels = host.quality_level(open, target, r8, 4, 0);
    assert_eq!(support == 7, format != S_OK);
    assert_eq!(version.bits() == 7, profile != S_OK);
    let memory = Guarded::new(host.calc_compiler_size(target, application.desc), 0);
    let create = host.create_compiler_in(target, application.desc, memory.at().cast());
    if create == S_OK {
        host.destroy_compiler(D3D12DDI_HCOMPILER {
            pDrvPrivate: memory.at().cast(),
        });
    } else {
        assert!(memory.is_untouched());
    }
    let levels = if levels == TRUE { S_OK } else { PANIC };
    [caps, profile, format, levels, create]
}

#[test]
fn a_panic_while_opening_fails_the_open() {
    for method in [Method::Open, Method::AdapterFamilies] {
        for (panic, message) in PANICS {
            let _script = script(Some((method, panic))).install();
            let (open, lines) = capture(|| Open::new(TestPlugin::entry_point()));
            assert_eq!(open.err(), Some(PANIC));
            assert_eq!(alive(), 0);
            assert!(lines.last().unwrap().text.contains(message), "{lines:?}");
        }
    }
    // A plugin whose families are refused, and whose drop then panics.
    let _script = Script {
        families: vec![],
        panic_in: Some((Method::DropPlugin, || panic!("in drop"))),
        ..Script::default()
    }
    .install();
    let open = Open::new(TestPlugin::entry_point());
    assert_eq!(open.err(), Some(PANIC));
    assert_eq!(alive(), 0);
}

#[test]
fn a_panic_in_a_method_of_the_plugin_poisons_its_open_and_no_other() {
    let methods = [
        Method::Capabilities,
        Method::ProfileVersion,
        Method::FormatSupport,
        Method::QualityLevels,
        Method::CreateCompiler,
    ];
    for (index, method) in methods.into_iter().enumerate() {
        for (panic, message) in PANICS {
            let calm = script(None).install();
            let (host, bystander) = (Host::new(), Host::new());
            let (compiler, session) = (host.create_compiler(), Session::default());
            assert_eq!(answers(&host), [S_OK; 5]);
            drop(calm);

            let panicking = script(Some((method, panic))).install();
            let (results, lines) = capture(|| answers(&host));
            let mut expected = [PANIC; 5];
            expected[..index].fill(S_OK);
            assert_eq!(
                results, expected,
                "{method:?} panics, and from then on all are refused"
            );
            assert!(lines[0].text.contains(message), "{lines:?}");
            assert!(
                lines
                    .iter()
                    .skip(1)
                    .all(|line| line.text.contains("an earlier call panicked"))
            );
            drop(panicking);

            let _calm = script(None).install();
            assert_eq!(answers(&host), [PANIC; 5]);
            assert_eq!(answers(&bystander), [S_OK; 5]);
            assert_eq!(answers(&Host::new()), [S_OK; 5]);
            // What needs no vendor code goes on, and so do the compilers that there are.
            let mut count = 0;
            assert_eq!(
                host.open
                    .supported_versions(&raw mut count, ptr::null_mut()),
                S_OK
            );
            assert_eq!(compiler.compile(&session, Pipeline::graphics().raw), S_OK);
            drop(compiler);
            drop((host, bystander));
            assert_eq!(alive(), 0);
        }
    }
}

#[test]
fn a_panic_in_a_compile_poisons_that_compiler_and_no_other() {
    let (pipeline, state_object) = (Pipeline::graphics(), StateObject::raytracing());
    for method in [
        Method::CompilePipeline,
        Method::CompileStateObject,
        Method::CompileAddition,
    ] {
        for (panic, message) in PANICS {
            let host = Host::new();
            let (compiler, bystander) = (host.create_compiler(), host.create_compiler());
            let session = Session::default();
            let size = host.calc_state_object_size(compiler.handle());
            let (parent, child) = (Guarded::new(size, 0), Guarded::new(size, 0));
            let create = |compiler: &Compiler<'_>, memory: &Guarded| {
                let memory = memory.at().cast();
                host.create_state_object_in(compiler.handle(), &session, state_object.raw, memory)
            };
            let add = |compiler: &Compiler<'_>| {
                let (parent, child) = (parent.at().cast(), child.at().cast());
                let compiler = compiler.handle();
                host.add_to_state_object_in(compiler, &session, state_object.raw, parent, child)
            };
            let compile = |compiler: &Compiler<'_>| match method {
                Method::CompilePipeline => compiler.compile(&session, pipeline.raw),
                Method::CompileStateObject => create(compiler, &child),
                _ => add(compiler),
            };
            assert_eq!(create(&compiler, &parent), S_OK);
            session.calls();

            let script = script(Some((method, panic))).install();
            let (hresult, lines) = capture(|| compile(&compiler));
            assert_eq!(hresult, PANIC);
            assert!(lines[0].text.contains(message), "{lines:?}");
            assert_eq!(session.calls(), [], "no keys for a compile that panicked");
            assert!(child.is_untouched());
            drop(script);

            assert_eq!(compiler.compile(&session, pipeline.raw), PANIC);
            assert_eq!(create(&compiler, &child), PANIC);
            assert_eq!(add(&compiler), PANIC);
            assert!(child.is_untouched() && session.calls().is_empty());

            // The parent is none the worse for it.
            assert_eq!(add(&bystander), S_OK);
            assert_eq!(bystander.compile(&session, pipeline.raw), S_OK);
            for memory in [&child, &parent] {
                host.destroy_state_object(compiler.handle(), memory.at().cast());
                memory.check();
            }
            drop((compiler, bystander));
            drop(host);
            assert_eq!(alive(), 0);
        }
    }
}

#[test]
fn a_panic_while_making_a_value_keeps_what_was_stored_before() {
    let _script = Script::compiling(|_, session| {
        let key = |name: &[u8]| Key::from_bytes(name).unwrap();
        let first = session.find_or_store(key(b"first"), |missing| Ok(made(missing)))?;
        let second = session.find_or_store(key(b"second"), |_| panic!("in make"))?;
        Ok(session.finish([first, second]))
    });
    let host = Host::new();
    let (compiler, session) = (host.create_compiler(), Session::default());
    assert_eq!(compiler.compile(&session, Pipeline::zeroed().raw), PANIC);
    assert_eq!(session.call_names(), ["find", "store", "find"]);
}

#[test]
fn a_panic_in_a_drop_ends_the_object_all_the_same() {
    for (panic, _) in PANICS {
        let host = Host::new();
        let (compiler, session) = (host.create_compiler(), Session::default());
        let size = host.calc_state_object_size(compiler.handle());
        let memory = Guarded::new(size, 0);
        let state_object = StateObject::raytracing();
        let (handle, at) = (compiler.handle(), memory.at().cast());
        assert_eq!(
            host.create_state_object_in(handle, &session, state_object.raw, at),
            S_OK
        );
        assert_eq!(alive(), 3);

        let script = script(Some((Method::DropStateObject, panic))).install();
        host.destroy_state_object(handle, at);
        assert_eq!(alive(), 2);
        host.destroy_state_object(handle, at);
        memory.check();
        drop(script);

        let script = crate::panics::script(Some((Method::DropCompiler, panic))).install();
        drop(compiler);
        assert_eq!(alive(), 1);
        drop(script);

        let _script = crate::panics::script(Some((Method::DropPlugin, panic))).install();
        drop(host);
        assert_eq!(alive(), 0);
    }
}

/// A log that panics is no better than vendor code that does.
#[test]
fn a_panic_in_the_log_does_not_get_out() {
    struct Panics;
    impl Subscriber for Panics {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {
            panic_any(PanicsWhenDropped);
        }
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    let _script = Script::compiling(|_, _| Err(Error::unsupported("and say so")));
    let host = Host::new();
    let (compiler, session) = (host.create_compiler(), Session::default());
    let pipeline = Pipeline::zeroed();
    let hresult =
        tracing::subscriber::with_default(Panics, || compiler.compile(&session, pipeline.raw));
    assert_eq!(hresult, DXGI_ERROR_UNSUPPORTED);
}
