//! R-LIF: COM's rules, and threads.

use std::ffi::c_void;
use std::thread;

use api_sys::{
    D3D12_COMPILER_DATABASE_PATH, ID3D12Compiler, ID3D12CompilerCacheSession, ID3D12CompilerFactory,
};
use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, ensure, failure};
use ddi_sys::{E_NOINTERFACE, HRESULT, S_OK};
use windows_core::{IUnknown, Interface, PCWSTR};

use super::Tests;
use super::cmp::compile;
use crate::inputs::Application;
use crate::runtime::{
    ALL_TYPES, Compiler, NO_IID, RawApplication, Runtime, Session, StateObjectDesc, count, get,
    give, group_key, kept, or_null, raw_target, wide,
};
use crate::watch::fault::{Watch, watched};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::R_LIF_01, r_lif_01_refuses_unknown_iids),
    (rules::R_LIF_02, r_lif_02_gives_parents),
    (rules::R_LIF_03, r_lif_03_keeps_parents),
    (rules::R_LIF_04, r_lif_04_compiles_on_threads),
];

fn r_lif_01_refuses_unknown_iids(runtime: &Runtime) -> Outcome {
    let target = raw_target(runtime.target()?);
    let (factory, session, compiler) = runtime.compiler()?;
    let file = wide(&runtime.file("unused.psdb").to_string_lossy());
    let paths = [D3D12_COMPILER_DATABASE_PATH {
        Types: ALL_TYPES,
        pPath: PCWSTR(file.as_ptr()),
    }];
    let application = RawApplication::new(&Application::USUAL);
    let parent = compiler.state_object(b"parent", &StateObjectDesc::new("second"))?;
    let (key, object) = (group_key(b"group"), StateObjectDesc::new("first"));
    let desc = object.desc();
    let calls: [(&str, (HRESULT, *mut c_void)); 4] = [
        (
            "CreateCompilerCacheSession",
            // SAFETY: good arguments, but for an IID that nothing has; here and below.
            give(&NO_IID, |iid, place| unsafe {
                let (paths, count) = (paths.as_ptr(), count(&paths));
                let (target, desc) = (or_null(Some(&target)), &raw const application.desc);
                factory
                    .0
                    .CreateCompilerCacheSession(paths, count, target, desc, iid, place)
            }),
        ),
        (
            "CreateCompiler",
            // SAFETY: the session lives; the IID and the place are ours.
            give(&NO_IID, |iid, place| unsafe {
                factory.0.CreateCompiler(&session.0, iid, place)
            }),
        ),
        (
            "CompileStateObject",
            // SAFETY: the key and the description are ours and valid for the call.
            give(&NO_IID, |iid, place| unsafe {
                compiler
                    .0
                    .CompileStateObject(&raw const key, 1, &raw const desc, iid, place)
            }),
        ),
        (
            "CompileAddToStateObject",
            give(&NO_IID, |iid, place| {
                let (key, desc) = (&raw const key, &raw const desc);
                // SAFETY: the key and the description are ours and valid for the call; the parent
                // lives.
                unsafe {
                    compiler
                        .0
                        .CompileAddToStateObject(key, 1, desc, &parent, iid, place)
                }
            }),
        ),
    ];
    for (name, (returned, place)) in calls {
        ensure!(
            returned == E_NOINTERFACE && place.is_null(),
            call: "{name}(an IID that nothing has)",
            expected: "E_NOINTERFACE, and the result null",
            got: "returned {returned}, with {place:p}",
        );
    }
    Ok(())
}

/// Whether two interfaces are of one object.
fn same(a: &impl Interface, b: &impl Interface) -> bool {
    let identity = |object: Result<IUnknown, _>| object.ok().map(|object| object.as_raw());
    let (a, b) = (identity(a.cast()), identity(b.cast()));
    a.is_some() && a == b
}

fn r_lif_02_gives_parents(runtime: &Runtime) -> Outcome {
    let (factory, session, compiler) = runtime.compiler()?;
    let object = compiler.state_object(b"object", &StateObjectDesc::new("first"))?;
    let grown = compiler.compile_addition(b"grown", 1, &StateObjectDesc::new("second"), &object);
    let grown = grown.map_err(|_| Stop::needs(rules::R_CMP_11))?;
    kept(&grown);
    // None of these is a parent.
    let other = factory.session_on(&runtime.file("other.psdb"), runtime.target()?)?;
    kept(&other.0);
    for session in [&session, &other] {
        factory.compiler(session)?;
    }
    let (factory, session, compiler) = (factory.0, session.0, compiler.0);
    let is = |parent: Result<bool, HRESULT>| match parent {
        Ok(true) => "the object".to_owned(),
        Ok(false) => "another object".to_owned(),
        Err(failure) => format!("returned {failure}"),
    };
    // SAFETY: each has an IID and a place for it.
    let calls = unsafe {
        [
            (
                "ID3D12CompilerCacheSession::GetFactory",
                get::<ID3D12CompilerFactory>(|iid, place| session.GetFactory(iid, place))
                    .map(|parent| same(&parent, &factory)),
            ),
            (
                "ID3D12Compiler::GetFactory",
                get::<ID3D12CompilerFactory>(|iid, place| compiler.GetFactory(iid, place))
                    .map(|parent| same(&parent, &factory)),
            ),
            (
                "ID3D12Compiler::GetCacheSession",
                get::<ID3D12CompilerCacheSession>(|iid, place| {
                    compiler.GetCacheSession(iid, place)
                })
                .map(|parent| same(&parent, &session)),
            ),
            (
                "ID3D12CompilerStateObject::GetCompiler",
                get::<ID3D12Compiler>(|iid, place| object.GetCompiler(iid, place))
                    .map(|parent| same(&parent, &compiler)),
            ),
            (
                "ID3D12CompilerStateObject::GetCompiler of a grown object",
                get::<ID3D12Compiler>(|iid, place| grown.GetCompiler(iid, place))
                    .map(|parent| same(&parent, &compiler)),
            ),
        ]
    };
    for (name, parent) in calls {
        let got = is(parent);
        ensure!(
            parent == Ok(true),
            call: "the method {name}",
            expected: "the object that it was made with",
            got: "it gives {got}",
        );
    }
    Ok(())
}

fn r_lif_03_keeps_parents(runtime: &Runtime) -> Outcome {
    let target = runtime.target()?;
    let factory = runtime.own_factory()?;
    let session = factory.session_on(&runtime.file("kept.psdb"), target)?;
    let needed =
        |object: Result<Compiler, HRESULT>| object.map_err(|_| Stop::needs(rules::R_CMP_01));
    let [first, second] = [
        needed(factory.create_compiler(Some(&session)))?,
        needed(factory.create_compiler(Some(&session)))?,
    ];
    if compile(&first, b"before") != S_OK {
        return Err(Stop::needs(rules::R_CMP_04));
    }
    let find = |session: &Session| session.find_group(b"absent").err().unwrap_or(S_OK);
    let before = find(&session);
    let object = second.compile_state_object(b"object", 1, &StateObjectDesc::new("first"));
    let object = object.map_err(|_| Stop::needs(rules::R_CMP_10))?;

    let faults = |what: &str| {
        vec![Watch::anywhere(failure!(
            call: "the methods of {what}",
            expected: "what they return before",
            got: "a memory fault",
        ))]
    };
    let returned = watched(faults("a session whose factory is released"), || {
        drop(factory);
        find(&session)
    });
    ensure!(
        returned == before,
        call: "FindGroup of a session whose factory is released",
        expected: "{before}, as before",
        got: "returned {returned}",
    );
    let returned = watched(faults("a compiler whose session is released"), || {
        drop(session);
        compile(&first, b"after")
    });
    ensure!(
        returned == S_OK,
        call: "CompilePipelineState of a compiler whose session is released",
        expected: "S_OK",
        got: "returned {returned}",
    );
    let returned = watched(faults("a state object whose compiler is released"), || {
        drop(second);
        let desc = StateObjectDesc::new("second");
        let grown = first.compile_addition(b"grown", 1, &desc, &object);
        crate::runtime::returned(&grown)
    });
    ensure!(
        returned == S_OK,
        call: "CompileAddToStateObject to a state object whose compiler is released",
        expected: "S_OK",
        got: "returned {returned}",
    );
    watched(faults("the last objects that are released"), || {
        drop(first);
        drop(object);
    });
    Ok(())
}

/// A compiler that another thread uses.
pub(in crate::rules) struct Sent(pub(in crate::rules) Compiler);

// SAFETY: whether an object can be used on another thread is what is tested.
unsafe impl Send for Sent {}

fn r_lif_04_compiles_on_threads(runtime: &Runtime) -> Outcome {
    const THREADS: usize = 4;
    const EACH: usize = 3;
    let (factory, session) = runtime.session()?;
    let key = |thread, number| format!("group {number} of thread {thread}");
    let mut compilers = Vec::new();
    for _ in 0..THREADS {
        compilers.push(Sent(factory.compiler(&session)?));
    }
    if compile(&compilers[0].0, b"before") != S_OK || session.group_version(b"before")?.is_none() {
        return Err(Stop::needs(rules::R_CMP_04));
    }
    let object = |compiler: &Compiler, key: &[u8]| {
        let desc = StateObjectDesc::new("first");
        crate::runtime::returned(&compiler.compile_state_object(key, 1, &desc))
    };
    if object(&compilers[0].0, b"object before") != S_OK
        || session.group_version(b"object before")?.is_none()
    {
        return Err(Stop::needs(rules::R_CMP_10));
    }
    let results: Vec<HRESULT> = thread::scope(|scope| {
        let threads: Vec<_> = compilers
            .into_iter()
            .enumerate()
            .map(|(thread, compiler)| {
                scope.spawn(move || {
                    // The whole of it, not the field, which is not Send.
                    let compiler = compiler;
                    let each = |number: usize| {
                        let key = key(thread, number);
                        // Of both kinds, and each beside both.
                        if (thread + number).is_multiple_of(2) {
                            compile(&compiler.0, key.as_bytes())
                        } else {
                            object(&compiler.0, key.as_bytes())
                        }
                    };
                    (0..EACH).map(each).collect::<Vec<_>>()
                })
            })
            .collect();
        let results = threads.into_iter().map(thread::ScopedJoinHandle::join);
        results
            .flat_map(|results| results.expect("no panic"))
            .collect()
    });
    let failed = results.iter().find(|returned| **returned != S_OK).copied();
    ensure!(
        failed.is_none(),
        call: "CompilePipelineState and CompileStateObject on {THREADS} threads, each with a compiler of its own",
        expected: "S_OK from every call",
        got: "{failed:?} from one",
    );
    for thread in 0..THREADS {
        for number in 0..EACH {
            let key = key(thread, number);
            let version = session.group_version(key.as_bytes())?;
            ensure!(
                version == Some(1),
                call: "FindGroup({key}) after compile calls on {THREADS} threads",
                expected: "the group",
                got: "a version of {version:?}",
            );
        }
    }
    Ok(())
}
