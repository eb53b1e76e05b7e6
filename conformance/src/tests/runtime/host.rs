//! H: what the checking plugin sees of the runtime that drives it.
//!
//! Each test drives the runtime through the same calls, releases everything in an order that leaves
//! children alone with their parents, and reads what the plugin recorded.

use crate::Rule;
use crate::inputs::{Application, Target};
use crate::runtime::{ALL_TYPES, Factory, Pipeline, Record, Runtime, StateObjectDesc};
use crate::verdict::{Outcome, Stop};
use ddi_sys::S_OK;
use std::ptr;

/// Everything that reaches the plugin: both kinds of pipeline, state objects, an addition, and what
/// fails on the way.
fn drive(runtime: &Runtime) -> Result<(), Stop> {
    let factory = runtime.own_factory()?;
    let mut families = 0;
    while families < 100 && factory.enumerate_adapter_families(families).0 == S_OK {
        latest(&factory, families)?;
        let _ = factory.compiler_version(families);
        families += 1;
    }
    if families == 0 {
        return Err(Stop::Needs(Rule::R_ENUM_01));
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

    let session = factory.session_on(&runtime.file("driven.psdb"), zero)?;
    let compiler = |session| {
        let compiler = factory.create_compiler(Some(session));
        compiler.map_err(|_| Stop::Needs(Rule::R_CMP_01))
    };
    let [first, second] = [compiler(&session)?, compiler(&session)?];
    let compiled = first.compile_pipeline(b"compute", 1, &Pipeline::compute());
    let _ = first.compile_pipeline(b"impossible", 1, &Pipeline::impossible());
    let again = second.compile_pipeline(b"graphics", 1, &Pipeline::graphics());
    if [compiled, again] != [S_OK; 2] {
        return Err(Stop::Needs(Rule::R_CMP_04));
    }
    let object = |shader: &str| {
        // Gone when the call is over, with everything in it.
        let desc = StateObjectDesc::new(shader);
        let object = first.compile_state_object(shader.as_bytes(), 1, &desc);
        object.map_err(|_| Stop::Needs(Rule::R_CMP_10))
    };
    let (parent, other) = (object("first")?, object("second")?);
    let add = |key: &[u8], shader, parent| {
        let desc = StateObjectDesc::new(shader);
        let object = first.compile_addition(key, 1, &desc, parent);
        object.map_err(|_| Stop::Needs(Rule::R_CMP_11))
    };
    let child = add(b"child", "second", &parent)?;
    let grandchild = add(b"grandchild", "third", &child)?;
    // Parents first.
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
        Some(_) if asked == S_OK => Err(Stop::Needs(Rule::R_ENUM_05)),
        _ => Err(Stop::Needs(Rule::R_ENUM_04)),
    }
}

/// Drives the runtime and judges a rule, which shows in a call of this name.
fn judge(runtime: &Runtime, rule: Rule, call: &str) -> Outcome {
    let driven = drive(runtime);
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

macro_rules! tests {
    ($($name:ident: $rule:ident, $call:literal;)*) => {$(
        pub(super) fn $name(runtime: &Runtime) -> Outcome {
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
    answers_callbacks: H_09, "pfnCompilePipelineState";
    keeps_descriptions: H_10, "pfnDestroyStateObject";
    forgets_tables: H_11, "pfnDestroyCompilerDDI";
    counts_from_0: H_12, "pfnGetAdapterFamilyABIVersions";
}
