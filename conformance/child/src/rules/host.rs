//! H: what the checking plugin sees of the runtime that drives it.
//!
//! A test drives the runtime, most through the same calls, which release everything in an order that
//! leaves children alone with their parents, and reads what the plugin recorded. What the plugin tries
//! for applications of certain names only has calls of its own.

use std::{ptr, thread};

use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure, failure};
use conformance_catalogue::{Rule, rules};
use conformance_protocol::record::{
    ABI_SIZE_QUERY, EARLIER_HANDLE, KEYS_TWICE, LACKING_EMPTY, LACKING_NOT_FOUND, LATE, MISTAKES,
    NULL_ALLOCATION, NULL_HANDLE, OWN_KEY, SECOND_KEYS, TOGETHER, TWO_TYPES, VERSIONS_SIZE_QUERY,
    WRONG_ARGUMENTS,
};
use ddi_sys::S_OK;

mod described;

use self::described::{
    h_20_describes_pipelines, h_21_describes_state_objects, h_22_tells_programs_apart,
};
use super::runtime::Tests;
use super::runtime::lif::Sent;
use crate::inputs::{Application, Target};
use crate::runtime::{
    ALL_TYPES, Compiler, Factory, Pipeline, RawApplication, Record, Runtime, Session,
    StateObjectDesc, kept,
};
use crate::watch::fault::{Watch, watched};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::H_01, h_01_asks_for_versions),
    (rules::H_02, h_02_selects_a_version),
    (rules::H_03, h_03_sets_callbacks),
    (rules::H_04, h_04_uses_living_handles),
    (rules::H_05, h_05_lends_memory),
    (rules::H_06, h_06_names_targets),
    (rules::H_07, h_07_describes_applications),
    (rules::H_08, h_08_knows_value_types),
    (rules::H_09, h_09_answers_callbacks),
    (rules::H_10, h_10_keeps_descriptions),
    (rules::H_11, h_11_forgets_tables),
    (rules::H_12, h_12_counts_from_0),
    (rules::H_13, h_13_tells_of_lacking_types),
    (rules::H_14, h_14_finds_beside_lacking_types),
    (rules::H_15, h_15_refuses_other_handles),
    (rules::H_16, h_16_takes_value_keys_once),
    (rules::H_17, h_17_refuses_mistakes),
    (rules::H_18, h_18_allocates_for_null),
    (rules::H_19, h_19_leaves_values),
    (rules::H_20, h_20_describes_pipelines),
    (rules::H_21, h_21_describes_state_objects),
    (rules::H_22, h_22_tells_programs_apart),
];

/// Everything that reaches the plugin: both kinds of pipeline, state objects, additions, a collection,
/// and what fails on the way. Gives the kinds of description that the runtime refuses: it need not know
/// all of them.
fn drive(runtime: &Runtime) -> Result<Vec<&'static str>, Stop> {
    let mut refused = Vec::new();
    let factory = runtime.own_factory()?;
    let application = Some(&Application::USUAL);
    let mut targets = Vec::new();
    for family in 0..100 {
        if factory.enumerate_adapter_families(family).0 != S_OK {
            break;
        }
        let target = Target {
            adapter_family_index: family,
            abi_version: latest(&factory, family)?,
        };
        let zero = Target {
            abi_version: 0,
            ..target
        };
        for target in [target, zero] {
            let _ = factory.profile_version(Some(target), application);
        }
        let _ = factory.compiler_version(family);
        targets.push((target, zero));
    }
    let (Some((target, zero)), Some((_, last))) = (targets.first(), targets.last()) else {
        return Err(Stop::needs(rules::R_ENUM_01));
    };
    let (target, zero, last) = (*target, *zero, *last);
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
        compiler.map_err(|_| Stop::needs(rules::R_CMP_01))
    };
    let [first, second] = [compiler(&session)?, compiler(&session)?];
    let compiled = first.compile_pipeline(b"compute", 1, &Pipeline::compute());
    let _ = first.compile_pipeline(b"impossible", 1, &Pipeline::impossible());
    let again = second.compile_pipeline(b"graphics", 1, &Pipeline::graphics());
    if [compiled, again] != [S_OK; 2] {
        return Err(Stop::needs(rules::R_CMP_04));
    }
    let object = |shader: &str| {
        // Gone when the call is over, with everything in it.
        let desc = StateObjectDesc::new(shader);
        let object = first.compile_state_object(shader.as_bytes(), 1, &desc);
        object.map_err(|_| Stop::needs(rules::R_CMP_10))
    };
    let (parent, other) = (object("first")?, object("second")?);
    let add = |key: &[u8], shader, parent| {
        let desc = StateObjectDesc::new(shader);
        let object = first.compile_addition(key, 1, &desc, parent);
        object.map_err(|_| Stop::needs(rules::R_CMP_11))
    };
    let child = add(b"child", "second", &parent)?;
    let grandchild = add(b"grandchild", "third", &child)?;
    // Descriptions with more in them.
    let rich = [
        ("library with subobjects", StateObjectDesc::of_library()),
        ("work graph", StateObjectDesc::work_graph()),
    ]
    .map(|(key, desc)| {
        let object = first.compile_state_object(key.as_bytes(), 1, &desc);
        object.inspect_err(|_| refused.push(key))
    });
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
    if !matches!(user, Some(Ok(_))) {
        refused.push("existing collection");
    }
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

    // The plugin again, now that all of the first time is gone, for the last of its families.
    let factory = runtime.own_factory()?;
    let session = factory.session_on(&runtime.file("again.psdb"), last)?;
    let compiler = factory.create_compiler(Some(&session));
    let compiler = compiler.map_err(|_| Stop::needs(rules::R_CMP_01))?;
    if compiler.compile_pipeline(b"again", 1, &Pipeline::compute()) != S_OK {
        return Err(Stop::needs(rules::R_CMP_04));
    }
    // A family need not have raytracing.
    let object = compiler.compile_state_object(b"object", 1, &StateObjectDesc::new("first"));
    if object.is_err() {
        refused.push("raytracing pipeline of the last family");
    }
    Ok(refused)
}

/// The latest ABI version of a family.
fn latest(factory: &Factory, family: u32) -> Result<u64, Stop> {
    let mut count = 0;
    let asked = factory.enumerate_abi_versions(family, &raw mut count, ptr::null_mut());
    let mut versions = vec![0; count.min(4096) as usize];
    let listed = factory.enumerate_abi_versions(family, &raw mut count, versions.as_mut_ptr());
    match versions.into_iter().max() {
        Some(latest) if [asked, listed] == [S_OK; 2] => Ok(latest),
        Some(_) if asked == S_OK => Err(Stop::needs(rules::R_ENUM_05)),
        _ => Err(Stop::needs(rules::R_ENUM_04)),
    }
}

/// Judges a rule, which shows in what the plugin notes as a call of this name, by what a runtime did
/// when it was driven; `unseen` is what it means that the runtime never did.
fn judge<T>(driven: Result<T, Stop>, rule: Rule, call: &str, unseen: Stop) -> Result<Record, Stop> {
    let record = Record::read()?;
    record.judge(rule)?;
    // A rule that is not broken may not have been reached.
    driven?;
    if record.calls(call).next().is_none() {
        return Err(unseen);
    }
    Ok(record)
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
    let session = session.map_err(|_| Stop::needs(rules::R_SES_01))?;
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
        Err(Stop::needs(rules::R_LIF_04))
    }
}

fn h_09_answers_callbacks(runtime: &Runtime) -> Outcome {
    let driven = drive(runtime).and_then(|_| compile_together(runtime));
    judge(driven, rules::H_09, TWO_TYPES, Stop::needs(rules::R_CMP_05)).map(drop)
}

fn h_13_tells_of_lacking_types(runtime: &Runtime) -> Outcome {
    let unseen = || Stop::needs(rules::R_CMP_05);
    let record = judge(drive(runtime), rules::H_13, TWO_TYPES, unseen())?;
    let said = |call| record.calls(call).next().is_some();
    match (said(LACKING_NOT_FOUND), said(LACKING_EMPTY)) {
        (true, false) => runtime.note("a type that the key lacks gets DXGI_ERROR_NOT_FOUND"),
        (false, true) => runtime.note("a type that the key lacks gets S_OK, with a ValueSize of 0"),
        (true, true) => broken!(
            call: "FindValue(a type that the key lacks), of several types",
            expected: "DXGI_ERROR_NOT_FOUND for each, or S_OK with a ValueSize of 0 for each",
            got: "both",
        ),
        (false, false) => return Err(unseen()),
    }
    Ok(())
}

fn h_15_refuses_other_handles(runtime: &Runtime) -> Outcome {
    let (_, _, compiler) = compiler_for(runtime, LATE)?;
    let follows = failure!(
        call: "a callback with a session handle that is not the compile call's",
        expected: "E_INVALIDARG",
        got: "a memory fault: the handle is followed",
    );
    let driven = watched(vec![Watch::anywhere(follows)], || {
        compile_all(&compiler, &[b"first", b"second"])
    });
    let unseen = Stop::needs(rules::R_CMP_05);
    let record = judge(driven, rules::H_15, NULL_HANDLE, unseen)?;
    if record.calls(EARLIER_HANDLE).next().is_none() {
        runtime.note(
            "null only: a later compile call has the handle of an earlier one again, as it may",
        );
    }
    Ok(())
}

/// Compiles a group for each key.
fn compile_all(compiler: &Compiler, keys: &[&[u8]]) -> Result<(), Stop> {
    for key in keys {
        if compiler.compile_pipeline(key, 1, &Pipeline::compute()) != S_OK {
            return Err(Stop::needs(rules::R_CMP_04));
        }
    }
    Ok(())
}

fn h_16_takes_value_keys_once(runtime: &Runtime) -> Outcome {
    let (_, session, compiler) = compiler_for(runtime, KEYS_TWICE)?;
    let driven = compile_all(&compiler, &[b"group"]);
    judge(
        driven,
        rules::H_16,
        SECOND_KEYS,
        Stop::needs(rules::R_CMP_04),
    )?;
    let keys = session.group_keys(b"group")?;
    let second = |key: &Vec<u8>| key.starts_with(OWN_KEY.as_bytes());
    ensure!(
        !keys.is_empty() && !keys.iter().any(second),
        call: "SetObjectValueKeys(a second list in one compile call)",
        expected: "a group of the keys of the first list",
        got: "the group has {keys:?}",
    );
    Ok(())
}

fn h_17_refuses_mistakes(runtime: &Runtime) -> Outcome {
    let (_, _, compiler) = compiler_for(runtime, MISTAKES)?;
    let follows = failure!(
        call: "a callback with a null pointer",
        expected: "E_INVALIDARG",
        got: "a memory fault: null is followed",
    );
    let driven = watched(vec![Watch::null(follows)], || {
        compile_all(&compiler, &[b"group"])
    });
    let unseen = Stop::needs(rules::R_CMP_05);
    judge(driven, rules::H_17, WRONG_ARGUMENTS, unseen).map(drop)
}

fn h_10_keeps_descriptions(runtime: &Runtime) -> Outcome {
    let driven = drive(runtime);
    let refused = driven.clone().unwrap_or_default();
    let unseen = undestroyed("state objects");
    judge(driven, rules::H_10, "pfnDestroyStateObject", unseen)?;
    if !refused.is_empty() {
        let refused = refused.join(", ");
        runtime.note(format!(
            "without what the runtime refuses to compile: {refused}"
        ));
    }
    Ok(())
}

macro_rules! tests {
    ($($name:ident: $rule:ident, $call:expr, else $unseen:expr;)*) => {$(
        fn $name(runtime: &Runtime) -> Outcome {
            judge(drive(runtime), rules::$rule, $call, $unseen).map(drop)
        }
    )*};
}

/// The rule does not apply to a runtime of which this is a fact.
fn not_applicable(fact: &str) -> Stop {
    Stop::NotApplicable(fact.into())
}

tests! {
    h_01_asks_for_versions: H_01, VERSIONS_SIZE_QUERY,
        else not_applicable("the runtime does not ask how many versions there are");
    h_02_selects_a_version: H_02, "pfnFillDDITable", else Stop::needs(rules::R_CMP_03);
    h_03_sets_callbacks: H_03, "pfnCreateCompiler", else Stop::needs(rules::R_CMP_03);
    h_04_uses_living_handles: H_04, "pfnDestroyCopiler", else undestroyed("compilers");
    h_05_lends_memory: H_05, "pfnCreateCompiler", else Stop::needs(rules::R_CMP_03);
    h_06_names_targets: H_06, "pfnCreateCompiler", else Stop::needs(rules::R_CMP_03);
    h_07_describes_applications: H_07, "pfnCreateCompiler", else Stop::needs(rules::R_CMP_03);
    h_08_knows_value_types: H_08, "pfnCompilePipelineState", else Stop::needs(rules::R_CMP_05);
    h_11_forgets_tables: H_11, "pfnDestroyCompilerDDI",
        else not_applicable("the runtime never closes the plugin");
    h_12_counts_from_0: H_12, ABI_SIZE_QUERY,
        else not_applicable("the runtime passes no null array");
    h_14_finds_beside_lacking_types: H_14, TWO_TYPES, else Stop::needs(rules::R_CMP_05);
    h_18_allocates_for_null: H_18, NULL_ALLOCATION, else Stop::needs(rules::H_09);
    h_19_leaves_values: H_19, TWO_TYPES, else Stop::needs(rules::R_CMP_05);
}

/// A runtime may keep what it has made, but then nobody sees in which order it would end.
fn undestroyed(what: &str) -> Stop {
    Stop::Undecided(format!(
        "the runtime destroys no {what}, though the program has released all of its objects"
    ))
}
