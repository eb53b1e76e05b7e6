//! H: what the checking plugin sees of the runtime that drives it.
//!
//! A test drives the runtime, most through the same calls, which release everything in an order that
//! leaves children alone with their parents, and reads what the plugin recorded. What the plugin tries
//! for applications of certain names only has calls of its own.

use super::lifetime::Sent;
use crate::Rule;
use crate::fault::{Watch, watched};
use crate::host_record::{KEYS_TWICE, LATE, MISTAKES, TOGETHER};
use crate::inputs::{Application, Target};
use crate::runtime::{
    ALL_TYPES, Compiler, Factory, Pipeline, RawApplication, Record, Runtime, Session,
    StateObjectDesc, kept,
};
use crate::verdict::{Outcome, Stop, broken, failure};
use ddi_sys::S_OK;
use std::{ptr, thread};

/// Everything that reaches the plugin: both kinds of pipeline, state objects, additions, a collection,
/// and what fails on the way.
fn drive(runtime: &Runtime) -> Result<(), Stop> {
    let factory = runtime.own_factory()?;
    let mut families = 0;
    while families < 100 && factory.enumerate_adapter_families(families).0 == S_OK {
        latest(&factory, families)?;
        let _ = factory.compiler_version(families);
        families += 1;
    }
    if families == 0 {
        return Err(Stop::needs(Rule::R_ENUM_01));
    }
    let target = Target {
        adapter_family_index: 0,
        abi_version: latest(&factory, 0)?,
    };
    let zero = Target {
        abi_version: 0,
        ..target
    };
    let application = Some(&Application::USUAL);
    for target in [target, zero] {
        let _ = factory.profile_version(Some(target), application);
    }
    // Targets and types of value that a runtime has to keep from the plugin.
    for (number, (family, abi_version, types)) in [
        (1000, 1, ALL_TYPES),
        (0, u64::MAX, ALL_TYPES),
        (0, 0, 1 << 20),
    ]
    .into_iter()
    .enumerate()
    {
        let unknown = Target {
            adapter_family_index: family,
            abi_version,
        };
        let file = runtime.file(&format!("unknown-{number}.psdb"));
        let _ = factory.profile_version(Some(unknown), application);
        if let Ok(session) = factory.create_session(&[(types, &file)], Some(unknown), application)
            && let Ok(compiler) = factory.create_compiler(Some(&session))
        {
            let _ = compiler.compile_pipeline(b"group", 1, &Pipeline::compute());
        }
    }

    // Applications that it has to keep from the plugin, too.
    for (what, raw) in RawApplication::nameless() {
        let file = runtime.file(&format!("without {what}.psdb"));
        let _ = factory.profile_version_raw(Some(target), Some(&raw.desc));
        let session =
            factory.create_session_raw(&[(ALL_TYPES, &file)], Some(target), Some(&raw.desc));
        if let Ok(session) = session
            && let Ok(compiler) = factory.create_compiler(Some(&session))
        {
            let _ = compiler.compile_pipeline(b"group", 1, &Pipeline::compute());
        }
    }

    let session = factory.session_on(&runtime.file("driven.psdb"), zero)?;
    let compiler = |session| {
        let compiler = factory.create_compiler(Some(session));
        compiler.map_err(|_| Stop::needs(Rule::R_CMP_01))
    };
    let [first, second] = [compiler(&session)?, compiler(&session)?];
    let compiled = first.compile_pipeline(b"compute", 1, &Pipeline::compute());
    let _ = first.compile_pipeline(b"impossible", 1, &Pipeline::impossible());
    let again = second.compile_pipeline(b"graphics", 1, &Pipeline::graphics());
    if [compiled, again] != [S_OK; 2] {
        return Err(Stop::needs(Rule::R_CMP_04));
    }
    let object = |shader: &str| {
        // Gone when the call is over, with everything in it.
        let desc = StateObjectDesc::new(shader);
        let object = first.compile_state_object(shader.as_bytes(), 1, &desc);
        object.map_err(|_| Stop::needs(Rule::R_CMP_10))
    };
    let (parent, other) = (object("first")?, object("second")?);
    let add = |key: &[u8], shader, parent| {
        let desc = StateObjectDesc::new(shader);
        let object = first.compile_addition(key, 1, &desc, parent);
        object.map_err(|_| Stop::needs(Rule::R_CMP_11))
    };
    let child = add(b"child", "second", &parent)?;
    let grandchild = add(b"grandchild", "third", &child)?;
    // Descriptions with more in them; a runtime need not know all of it.
    let rich = [
        ("subobjects", StateObjectDesc::of_library()),
        ("work graph", StateObjectDesc::work_graph()),
    ]
    .map(|(key, desc)| first.compile_state_object(key.as_bytes(), 1, &desc));
    let collection = {
        let desc = StateObjectDesc::new("fourth").into_collection();
        first.compile_state_object(b"collection", 1, &desc)
    };
    let user = collection.as_ref().ok().map(|collection| {
        let desc = StateObjectDesc::new("fifth").with(Some(collection));
        let user = first.compile_state_object(b"user", 1, &desc);
        desc.release_collection();
        user
    });
    // Parents first.
    drop(collection);
    drop(factory);
    drop(parent);
    drop(second);
    drop(session);
    let branch = {
        let desc = StateObjectDesc::new("third");
        first.compile_addition(b"branch", 1, &desc, &child)
    };
    drop(first);
    drop(child);
    drop(other);
    drop(branch);
    drop(grandchild);
    drop(user);
    drop(rich);
    Ok(())
}

/// The latest ABI version of a family.
fn latest(factory: &Factory, family: u32) -> Result<u64, Stop> {
    let mut count = 0;
    let asked = factory.enumerate_abi_versions(family, &raw mut count, ptr::null_mut());
    let mut versions = vec![0; count.min(4096) as usize];
    let listed = factory.enumerate_abi_versions(family, &raw mut count, versions.as_mut_ptr());
    match versions.into_iter().max() {
        Some(latest) if [asked, listed] == [S_OK; 2] => Ok(latest),
        Some(_) if asked == S_OK => Err(Stop::needs(Rule::R_ENUM_05)),
        _ => Err(Stop::needs(Rule::R_ENUM_04)),
    }
}

/// Drives the runtime and judges a rule, which shows in a call of this name.
fn judge(runtime: &Runtime, rule: Rule, call: &str) -> Outcome {
    let driven = drive(runtime);
    judge_driven(driven, rule, call)
}

/// Judges a rule, which shows in a call of this name, by what a runtime did when it was driven.
fn judge_driven(driven: Result<(), Stop>, rule: Rule, call: &str) -> Outcome {
    let record = Record::read()?;
    record.judge(rule)?;
    // A rule that is not broken may not have been reached.
    driven?;
    if record.calls(call).next().is_none() {
        return Err(Stop::NotApplicable(format!(
            "the runtime does not call {call}"
        )));
    }
    Ok(())
}

/// A session for an application of a name, and a compiler.
fn compiler_for(
    runtime: &Runtime,
    name: &'static str,
) -> Result<(Factory, Session, Compiler), Stop> {
    let (factory, target) = (runtime.factory()?, runtime.target()?);
    let application = Application {
        name,
        ..Application::USUAL
    };
    let file = runtime.file("tried.psdb");
    let session = factory.create_session(&[(ALL_TYPES, &file)], Some(target), Some(&application));
    let session = session.map_err(|_| Stop::needs(Rule::R_SES_01))?;
    kept(&session.0);
    let compiler = factory.compiler(&session)?;
    Ok((factory, session, compiler))
}

/// Two compile calls at the same time, as far as the runtime makes them so.
fn compile_together(runtime: &Runtime) -> Result<(), Stop> {
    let (factory, session, first) = compiler_for(runtime, TOGETHER)?;
    let compilers = [first, factory.compiler(&session)?].map(Sent);
    let both = thread::scope(|scope| {
        let calls = compilers.into_iter().zip([b"first", b"other"]);
        let calls = calls.map(|(compiler, key)| {
            scope.spawn(move || {
                // The whole of it, not the field, which is not Send.
                let compiler = compiler;
                compiler.0.compile_pipeline(key, 1, &Pipeline::compute())
            })
        });
        let calls: Vec<_> = calls.collect();
        let mut results = calls.into_iter().map(thread::ScopedJoinHandle::join);
        results.all(|returned| returned.expect("no panic") == S_OK)
    });
    if both {
        Ok(())
    } else {
        Err(Stop::needs(Rule::R_LIF_04))
    }
}

pub(crate) fn answers_callbacks(runtime: &Runtime) -> Outcome {
    let driven = drive(runtime).and_then(|()| compile_together(runtime));
    judge_driven(driven, Rule::H_09, "pfnCompilePipelineState")
}

pub(crate) fn refuses_other_handles(runtime: &Runtime) -> Outcome {
    let (_, _, compiler) = compiler_for(runtime, LATE)?;
    let follows = failure!(
        call: "a callback with a session handle that is not the compile call's",
        expected: "E_INVALIDARG",
        got: "a memory fault: the handle is followed",
    );
    let driven = watched(vec![Watch::anywhere(follows)], || {
        compile_all(&compiler, &[b"first", b"second"])
    });
    let call = "the session handle of an earlier call";
    let record = Record::read()?;
    record.judge(Rule::H_15)?;
    driven?;
    if record.calls(call).next().is_none() {
        return Err(Stop::NotApplicable(
            "the runtime gives a later compile call the handle of an earlier one, as it may".into(),
        ));
    }
    Ok(())
}

/// Compiles a group for each key.
fn compile_all(compiler: &Compiler, keys: &[&[u8]]) -> Result<(), Stop> {
    for key in keys {
        if compiler.compile_pipeline(key, 1, &Pipeline::compute()) != S_OK {
            return Err(Stop::needs(Rule::R_CMP_04));
        }
    }
    Ok(())
}

pub(crate) fn takes_value_keys_once(runtime: &Runtime) -> Outcome {
    let (_, session, compiler) = compiler_for(runtime, KEYS_TWICE)?;
    let driven = compile_all(&compiler, &[b"group"]);
    let call = "SetObjectValueKeys(a second list in one compile call)";
    judge_driven(driven, Rule::H_16, call)?;
    if let Some(got) = session.incomplete(b"group", 1)? {
        broken!(
            call: "SetObjectValueKeys(a second list in one compile call)",
            expected: "a group of the keys of the first list",
            got: "the call stored {got}",
        );
    }
    Ok(())
}

pub(crate) fn refuses_mistakes(runtime: &Runtime) -> Outcome {
    let (_, _, compiler) = compiler_for(runtime, MISTAKES)?;
    let follows = failure!(
        call: "a callback with a null pointer",
        expected: "E_INVALIDARG",
        got: "a memory fault: null is followed",
    );
    let driven = watched(vec![Watch::null(follows)], || {
        compile_all(&compiler, &[b"group"])
    });
    judge_driven(driven, Rule::H_17, "wrong arguments")
}

macro_rules! tests {
    ($($name:ident: $rule:ident, $call:literal;)*) => {$(
        pub(crate) fn $name(runtime: &Runtime) -> Outcome {
            judge(runtime, Rule::$rule, $call)
        }
    )*};
}

tests! {
    asks_for_versions: H_01, "pfnGetSupportedVersions";
    selects_a_version: H_02, "pfnFillDDITable";
    sets_callbacks: H_03, "pfnCreateCompiler";
    uses_living_handles: H_04, "pfnDestroyCopiler";
    lends_memory: H_05, "pfnCreateCompiler";
    names_targets: H_06, "pfnCreateCompiler";
    describes_applications: H_07, "pfnCreateCompiler";
    knows_value_types: H_08, "pfnCompilePipelineState";
    keeps_descriptions: H_10, "pfnDestroyStateObject";
    forgets_tables: H_11, "pfnDestroyCompilerDDI";
    counts_from_0: H_12, "pfnGetAdapterFamilyABIVersions";
    finds_no_lacking_type: H_13, "pfnCompilePipelineState";
    finds_beside_lacking_types: H_14, "pfnCompilePipelineState";
    allocates_for_null: H_18, "pfnCompilePipelineState";
}
