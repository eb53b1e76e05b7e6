//! R-CMP: compilers.

use crate::Rule;
use crate::fault::{Watch, watched};
use crate::host_record;
use crate::inputs::{Application, Target};
use crate::runtime::{
    ALL_TYPES, Compiler, Kind, Pipeline, Record, Runtime, Session, StateObjectDesc, group_key,
    kept, made, result, returned,
};
use crate::verdict::{Outcome, Stop, broken, ensure, failure};
use ddi_sys::{DXGI_ERROR_ALREADY_EXISTS, E_INVALIDARG, HRESULT, S_OK};
use std::ptr;

pub(crate) fn makes_compilers(runtime: &Runtime) -> Outcome {
    let (factory, session) = runtime.session()?;
    for which in ["first", "second"] {
        let compiler = factory.create_compiler(Some(&session));
        let got = made(&compiler);
        kept(&compiler);
        ensure!(
            compiler.is_ok(),
            call: "CreateCompiler(a session), the {which} for this session",
            expected: "S_OK and a compiler",
            got: "returned {got}",
        );
    }
    Ok(())
}

pub(crate) fn refuses_a_null_session(runtime: &Runtime) -> Outcome {
    let factory = runtime.factory()?;
    let follows = failure!(
        call: "CreateCompiler(null)",
        expected: "E_INVALIDARG",
        got: "a memory fault: null is read",
    );
    let compiler = watched(vec![Watch::null(follows)], || factory.create_compiler(None));
    let got = made(&compiler);
    ensure!(
        compiler.is_err_and(|failure| failure == E_INVALIDARG),
        call: "CreateCompiler(null)",
        expected: "E_INVALIDARG",
        got: "returned {got}",
    );
    Ok(())
}

pub(crate) fn is_for_the_session(runtime: &Runtime) -> Outcome {
    let families = runtime.families()?;
    let factory = runtime.factory()?;
    let expected = host_record::Application {
        exe: Application::USUAL.exe.into(),
        name: Application::USUAL.name.into(),
        version: Application::USUAL.version,
        engine: Application::USUAL
            .engine
            .map(|(name, version)| (name.into(), version)),
    };
    for family in families {
        let index = family.index;
        let (Some(latest), Some(oldest)) =
            (family.abi_versions.first(), family.abi_versions.last())
        else {
            continue;
        };
        for (given, abi_version) in [(*oldest, *oldest), (0, *latest)] {
            let target = Target {
                adapter_family_index: index,
                abi_version: given,
            };
            let session = factory.session_on(&runtime.file(&format!("{index}-{given}")), target)?;
            kept(&session.0);
            factory.compiler(&session)?;
            let record = Record::read()?;
            let call = record.calls("pfnCreateCompiler").last();
            let (target, application) = call.map_or((None, None), |call| {
                (call.target, call.application.as_ref())
            });
            ensure!(
                target == Some((index, abi_version)),
                call: "CreateCompiler for a session of family {index} and ABIVersion {given}",
                expected: "the plugin's compiler for ABI version {abi_version} of this family",
                got: "one for {target:?}",
            );
            ensure!(
                application == Some(&expected),
                call: "CreateCompiler for a session",
                expected: "the plugin's compiler for its application, {expected:?}",
                got: "one for {application:?}",
            );
        }
    }
    Ok(())
}

pub(crate) fn stores_pipelines(runtime: &Runtime) -> Outcome {
    let (_, session, compiler) = runtime.compiler()?;
    for (version, what, pipeline) in [
        (1, "compute", Pipeline::compute()),
        (9, "graphics", Pipeline::graphics()),
    ] {
        let returned = compiler.compile_pipeline(what.as_bytes(), version, &pipeline);
        ensure!(
            returned == S_OK,
            call: "CompilePipelineState(a {what} pipeline)",
            expected: "S_OK",
            got: "returned {returned}",
        );
        if let Some(got) = session.incomplete(what.as_bytes(), version)? {
            broken!(
                call: "the session after CompilePipelineState(a {what} pipeline, version {version})",
                expected: "the group, of this version, and the values of its keys",
                got: "found {got}",
            );
        }
    }
    Ok(())
}

pub(crate) fn asks_for_the_types_of_the_session(runtime: &Runtime) -> Outcome {
    let (target, factory) = (runtime.target()?, runtime.factory()?);
    for types in [
        Kind::ObjectCode.flag(),
        Kind::ObjectCode.flag() | Kind::DebugPdb.flag(),
        ALL_TYPES,
    ] {
        let file = runtime.file(&format!("{types}.psdb"));
        let application = Some(&Application::USUAL);
        let session = factory.create_session(&[(types, &file)], Some(target), application);
        let session = session.map_err(|_| Stop::needs(Rule::R_SES_01))?;
        kept(&session.0);
        let compiler = factory.compiler(&session)?;
        if compiler.compile_pipeline(b"group", 1, &Pipeline::compute()) != S_OK {
            return Err(Stop::needs(Rule::R_CMP_04));
        }
        if session.incomplete(b"group", 1)?.is_some() {
            return Err(Stop::needs(Rule::R_CMP_04));
        }
        let record = Record::read()?;
        let call = record.calls("pfnCompilePipelineState").last();
        let asked = call.and_then(|call| call.value_types).unwrap_or_default();
        ensure!(
            asked == types,
            call: "CompilePipelineState in a session with Types {types:#x}",
            expected: "the plugin is asked for these types",
            got: "it is asked for {asked:#x}",
        );
        let mut found = 0;
        for key in session.group_keys(b"group")? {
            for kind in Kind::ALL
                .into_iter()
                .filter(|kind| types & kind.flag() != 0)
            {
                if session.read(&key, kind)?.is_some() {
                    found |= kind.flag();
                }
            }
        }
        // The checking plugin makes every type that it is asked for.
        ensure!(
            found == types,
            call: "the session with Types {types:#x} after CompilePipelineState",
            expected: "values of every type",
            got: "values of {found:#x}",
        );
    }
    Ok(())
}

/// Compiles `group`, which is there, by each of the three calls.
fn over_a_group(
    runtime: &Runtime,
    check: impl Fn(&Session, &[Vec<u8>], &str, HRESULT) -> Outcome,
) -> Outcome {
    let (_, session, compiler) = runtime.compiler()?;
    let parent = compiler.state_object(b"parent", &StateObjectDesc::new("first"))?;
    session.put_group(b"group", 5, &[b"a key"])?;
    let keys = session.group_keys(b"group")?;
    let calls: [(&str, &dyn Fn(u32) -> HRESULT); 3] = [
        ("CompilePipelineState", &|version| {
            compiler.compile_pipeline(b"group", version, &Pipeline::compute())
        }),
        ("CompileStateObject", &|version| {
            let desc = StateObjectDesc::new("second");
            let object = compiler.compile_state_object(b"group", version, &desc);
            kept(&object);
            returned(&object)
        }),
        ("CompileAddToStateObject", &|version| {
            let desc = StateObjectDesc::new("third");
            let object = compiler.compile_addition(b"group", version, &desc, &parent);
            kept(&object);
            returned(&object)
        }),
    ];
    for (name, call) in calls {
        for version in [5, 6] {
            check(
                &session,
                &keys,
                &format!("{name}(version {version})"),
                call(version),
            )?;
        }
    }
    Ok(())
}

pub(crate) fn refuses_groups_that_are_present(runtime: &Runtime) -> Outcome {
    over_a_group(runtime, |session, before, call, returned| {
        ensure!(
            !returned.is_ok(),
            call: "{call} with the key of a group of version 5",
            expected: "a failure",
            got: "returned {returned}",
        );
        let (version, keys) = (
            session.group_version(b"group")?,
            session.group_keys(b"group")?,
        );
        ensure!(
            version == Some(5) && keys == before,
            call: "the group of version 5 after {call}",
            expected: "the group as it was",
            got: "version {version:?}, with {keys:?}",
        );
        Ok(())
    })
}

pub(crate) fn says_that_groups_are_present(runtime: &Runtime) -> Outcome {
    over_a_group(runtime, |_, _, call, returned| {
        if returned.is_ok() {
            return Err(Stop::needs(Rule::R_CMP_06));
        }
        ensure!(
            returned == DXGI_ERROR_ALREADY_EXISTS,
            call: "{call} with the key of a group of version 5",
            expected: "DXGI_ERROR_ALREADY_EXISTS",
            got: "returned {returned}",
        );
        Ok(())
    })
}

pub(crate) fn stores_no_group_of_a_failure(runtime: &Runtime) -> Outcome {
    let (_, session, compiler) = runtime.compiler()?;
    let returned = compiler.compile_pipeline(b"group", 1, &Pipeline::impossible());
    ensure!(
        !returned.is_ok(),
        call: "CompilePipelineState(a compute shader as the vertex shader)",
        expected: "a failure",
        got: "returned {returned}",
    );
    let version = session.group_version(b"group")?;
    ensure!(
        version.is_none(),
        call: "FindGroup after CompilePipelineState failed",
        expected: "no group",
        got: "one of version {version:?}",
    );
    if compiler.compile_pipeline(b"other", 1, &Pipeline::compute()) != S_OK {
        return Err(Stop::needs(Rule::R_CMP_04));
    }
    let returned = compiler.compile_pipeline(b"group", 1, &Pipeline::compute());
    ensure!(
        returned == S_OK,
        call: "CompilePipelineState with the key of one that failed",
        expected: "S_OK",
        got: "returned {returned}",
    );
    Ok(())
}

pub(crate) fn refuses_null(runtime: &Runtime) -> Outcome {
    let (_, _, compiler) = runtime.compiler()?;
    let (key, pipeline) = (group_key(b"group"), Pipeline::compute());
    let (object, desc) = (StateObjectDesc::new("first"), pipeline.desc());
    let object = object.desc();
    let compile = |key, desc| {
        // SAFETY: the nulls are what is tested.
        result(unsafe { compiler.0.CompilePipelineState(key, 1, desc) })
    };
    let compile_object = |key, desc| {
        let made = crate::runtime::get::<api_sys::ID3D12CompilerStateObject>(|iid, place| {
            // SAFETY: as above.
            unsafe { compiler.0.CompileStateObject(key, 1, desc, iid, place) }
        });
        kept(&made);
        returned(&made)
    };
    let (key, desc, object) = (&raw const key, &raw const desc, &raw const object);
    let calls: [(&str, &dyn Fn() -> HRESULT); 4] = [
        ("CompilePipelineState(null key)", &|| {
            compile(ptr::null(), desc)
        }),
        ("CompilePipelineState(null desc)", &|| {
            compile(key, ptr::null())
        }),
        ("CompileStateObject(null key)", &|| {
            compile_object(ptr::null(), object)
        }),
        ("CompileStateObject(null desc)", &|| {
            compile_object(key, ptr::null())
        }),
    ];
    for (name, call) in calls {
        let follows = failure!(
            call: "ID3D12Compiler::{name}",
            expected: "E_INVALIDARG",
            got: "a memory fault: null is read",
        );
        let returned = watched(vec![Watch::null(follows)], call);
        ensure!(
            returned == E_INVALIDARG,
            call: "ID3D12Compiler::{name}",
            expected: "E_INVALIDARG",
            got: "returned {returned}",
        );
    }
    Ok(())
}

/// What is wrong with a state object that was compiled, or with its group.
fn check_object<T: Clone>(
    session: &Session,
    name: &str,
    key: &[u8],
    version: u32,
    object: &Result<T, HRESULT>,
) -> Outcome {
    let got = made(object);
    kept(object);
    ensure!(
        object.is_ok(),
        call: "ID3D12Compiler::{name}",
        expected: "S_OK and a state object",
        got: "returned {got}",
    );
    if let Some(got) = session.incomplete(key, version)? {
        broken!(
            call: "the session after {name}",
            expected: "the group, of version {version}, and the values of its keys",
            got: "found {got}",
        );
    }
    Ok(())
}

pub(crate) fn stores_state_objects(runtime: &Runtime) -> Outcome {
    let (_, session, compiler) = runtime.compiler()?;
    for (version, shader) in [(1, "first"), (9, "second")] {
        let (key, desc) = (shader.as_bytes(), StateObjectDesc::new(shader));
        let object = compiler.compile_state_object(key, version, &desc);
        check_object(
            &session,
            "CompileStateObject(a raytracing pipeline)",
            key,
            version,
            &object,
        )?;
    }
    Ok(())
}

pub(crate) fn stores_additions(runtime: &Runtime) -> Outcome {
    let (_, session, compiler) = runtime.compiler()?;
    let mut parent = compiler.state_object(b"parent", &StateObjectDesc::new("first"))?;
    for (version, shader, name) in [
        (1, "second", "CompileAddToStateObject(to a compiled object)"),
        (2, "third", "CompileAddToStateObject(to a grown object)"),
    ] {
        let key = shader.as_bytes();
        let desc = StateObjectDesc::new(shader);
        let object = compiler.compile_addition(key, version, &desc, &parent);
        check_object(&session, name, key, version, &object)?;
        parent = object.expect("it was checked");
    }
    Ok(())
}

/// A session and a compiler that R-CMP-10 holds of, as far as it can be seen from one object.
pub(crate) fn of_state_objects(runtime: &Runtime) -> Result<(Session, Compiler), Stop> {
    let (_, session, compiler) = runtime.compiler()?;
    compiler.state_object(b"plain", &StateObjectDesc::new("first"))?;
    if session.incomplete(b"plain", 1)?.is_some() {
        return Err(Stop::needs(Rule::R_CMP_10));
    }
    Ok((session, compiler))
}

pub(crate) fn takes_existing_collections(runtime: &Runtime) -> Outcome {
    let (session, compiler) = of_state_objects(runtime)?;
    let desc = StateObjectDesc::new("second").into_collection();
    let collection = compiler.compile_state_object(b"collection", 3, &desc);
    check_object(
        &session,
        "CompileStateObject(a collection)",
        b"collection",
        3,
        &collection,
    )?;
    let desc = StateObjectDesc::new("third").with(collection.as_ref().ok());
    let whole = compiler.compile_state_object(b"whole", 4, &desc);
    check_object(
        &session,
        "CompileStateObject(a raytracing pipeline with an existing collection)",
        b"whole",
        4,
        &whole,
    )
}

pub(crate) fn refuses_other_collections(runtime: &Runtime) -> Outcome {
    let (_, compiler) = of_state_objects(runtime)?;
    let collection = StateObjectDesc::new("second").into_collection();
    let collection = compiler.compile_state_object(b"collection", 1, &collection);
    kept(&collection);
    if collection.is_err() {
        return Err(Stop::needs(Rule::R_CMP_12));
    }
    for (what, desc) in [
        (
            "an existing collection that is null",
            StateObjectDesc::new("third").with(None),
        ),
        (
            "an existing collection by its key",
            StateObjectDesc::new("third").with_key(b"collection"),
        ),
    ] {
        let follows = failure!(
            call: "CompileStateObject({what})",
            expected: "E_INVALIDARG",
            got: "a memory fault: null is followed",
        );
        let object = watched(vec![Watch::null(follows)], || {
            compiler.compile_state_object(what.as_bytes(), 1, &desc)
        });
        let got = made(&object);
        kept(&object);
        ensure!(
            object.is_err_and(|failure| failure == E_INVALIDARG),
            call: "CompileStateObject({what})",
            expected: "E_INVALIDARG",
            got: "returned {got}",
        );
    }
    Ok(())
}

/// For a compile on the way to something else.
pub(crate) fn compile(compiler: &Compiler, key: &[u8]) -> HRESULT {
    compiler.compile_pipeline(key, 1, &Pipeline::compute())
}
