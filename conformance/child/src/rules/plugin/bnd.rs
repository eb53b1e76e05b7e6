//! P-BND: what may not leave a call of the plugin, whatever happens inside.

use std::ptr;
use std::sync::Arc;

use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure, failure};
use conformance_catalogue::{Level, Rule, rules};
use conformance_protocol::{Answer, FaultPlan, On, Set, Settings, Task, Which};
use ddi_sys::{DXGI_FORMAT_R8G8B8A8_UNORM, E_OUTOFMEMORY};
use fastrand::Rng;

use super::Tests;
use super::pso::compile_malformed;
use crate::inputs::arena::Surroundings;
use crate::inputs::pipeline::{COMPUTE, GRAPHICS};
use crate::inputs::{Application, Inputs};
use crate::plugin::compiler::{ABSURD_SIZE, PRIVATE_ALIGN, Product, USUAL_TYPES};
use crate::plugin::malformed::malformed;
use crate::plugin::object::{Case, Object};
use crate::plugin::state_object::RAYTRACING;
use crate::plugin::subject::Subject;
use crate::watch::fault::{Watch, watched};
use crate::watch::heap::HEAP_IS_OURS;
use crate::watch::memory::{Guarded, Place};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::P_BND_01, p_bnd_01_returns_from_every_call),
    (rules::P_BND_02, p_bnd_02_survives_the_end_of_memory),
];

fn p_bnd_01_returns_from_every_call(subject: &Subject) -> Outcome {
    match subject.ask(Task::Provoke) {
        Err(Stop::CrashElsewhere(how)) => broken!(
            call: "calls that have to fail, in a process of their own",
            expected: "that each returns",
            got: "an exception or a panic left one, or ended the process: {how}",
        ),
        // That a call of a plugin that need not stand it does not return is known by that rule's warning.
        Err(Stop::FaultOf(rule)) if rule.level() != Level::Must => {
            subject.note(format!("as far as {rule} lets the calls come"));
            Ok(())
        }
        other => other,
    }
}

/// Makes calls that have to fail. What they return is the business of other rules, and so is a fault.
pub(crate) fn provoke(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let (caps, target) = (rig.capabilities, rig.target()?);
    let inputs = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
    let (no_target, no_application) = (ptr::null(), ptr::null());
    let make = |rule: Rule, what: String, call: &mut dyn FnMut() -> Outcome| {
        subject.at(what);
        watched(vec![Watch::needs(rule)], call)
    };
    let quietly = |rule: Rule, what: &str, call: &dyn Fn()| {
        make(rule, what.to_owned(), &mut || {
            call();
            Ok(())
        })
    };
    quietly(
        rules::P_FAM_06,
        "pfnEnumerateAdapterFamilies of null",
        &|| {
            let _ = caps.enumerate_adapter_families(0, None);
        },
    )?;
    quietly(
        rules::P_ABI_06,
        "pfnGetAdapterFamilyABIVersions of null",
        &|| {
            let _ = caps.get_adapter_family_abi_versions(0, None, None);
        },
    )?;
    quietly(rules::P_CAPS_20, "pfnGetCaps of null", &|| {
        let _ = caps.get_caps_raw(no_target, no_application, ptr::null());
    })?;
    quietly(rules::P_FMT_02, "pfnCheckFormatSupport of null", &|| {
        let format = DXGI_FORMAT_R8G8B8A8_UNORM;
        let _ = caps.check_format_support(inputs.target, format, None);
    })?;
    let objects = [&COMPUTE, &GRAPHICS].map(Object::Pipeline);
    let objects = [objects.as_slice(), &[Object::StateObject(&RAYTRACING)]].concat();
    let (cases, _) = rig.cases(&[target], &objects)?;
    // Before anything fails, which some plugins never forget.
    for case in &cases {
        case.compiled(&Arc::default(), USUAL_TYPES)?;
    }
    for case in cases {
        let of_case = malformed()?.into_iter();
        let of_case = of_case.filter(|one| one.is_of(case.object));
        for one in of_case {
            let what = format!("{case} of a malformed program: {}", one.what);
            make(rules::P_PSO_17, what, &mut || {
                let program = one.placed(Place::Roomy)?;
                compile_malformed(case, &one, &program)?;
                // The plugin may look at it again.
                std::mem::forget(program);
                Ok(())
            })?;
        }
        let repeated = case.repeated()?;
        for on in [On::Find, On::Store, On::Keys] {
            let plan = FaultPlan::of(on, Which::Number(0), Answer::Failure(E_OUTOFMEMORY));
            make(
                rules::P_PSO_14,
                format!("{case} under the fault plan \"{plan}\""),
                &mut || {
                    let compiled = repeated.compile(&Arc::default(), USUAL_TYPES, &plan);
                    compiled.map(|_| ())
                },
            )?;
        }
    }
    let memory = Guarded::new(
        rig.calc_private_compiler_size(inputs.target, inputs.application)
            .min(ABSURD_SIZE),
        PRIVATE_ALIGN,
        Place::Roomy,
        0,
    )?;
    for unknown in caps.unknown_targets()? {
        let inputs = Inputs::new(unknown, &Application::USUAL, Surroundings::USUAL)?;
        quietly(
            rules::P_CMP_05,
            &format!("pfnCreateCompiler ({unknown})"),
            &|| {
                let _ = rig.create_compiler(inputs.target, inputs.application, &memory);
            },
        )?;
    }
    let compiler = rig.compiler(target)?;
    quietly(rules::P_PSO_21, "pfnCompilePipelineState of null", &|| {
        compiler.compile(&Arc::default(), USUAL_TYPES, ptr::null());
    })
}

/// What comes of a compile in which memory ends.
#[derive(Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Ended {
    Failure,
    Success,
}

/// The pipeline that is compiled: of two stages, for the first target.
fn case(subject: &Subject) -> Result<Case, Stop> {
    let rig = subject.rig()?;
    let (cases, _) = rig.cases(&[rig.target()?], &[Object::Pipeline(&GRAPHICS)])?;
    let case = cases.first().copied();
    case.ok_or_else(|| Stop::needs(Object::Pipeline(&GRAPHICS).rule()))
}

fn p_bnd_02_survives_the_end_of_memory(subject: &Subject) -> Outcome {
    if !HEAP_IS_OURS {
        return Err(Stop::NotApplicable(
            "allocations can be made to fail on 64-bit Linux with glibc only".into(),
        ));
    }
    let case = case(subject)?;
    case.compiler.expected(case.object)?;
    let made = case.compiled(&Arc::default(), USUAL_TYPES)?.allocations;
    if made == 0 {
        return Err(Stop::NotApplicable(format!(
            "{case} does not allocate with the functions of the C library"
        )));
    }
    let plans = match &subject.settings().fault_plan {
        Some(plan) => vec![plan.clone()],
        None => plans(made, subject.settings()),
    };
    let (mut failed, mut succeeded, mut died) = (0, 0, 0);
    for plan in &plans {
        subject.under(Some(plan));
        match subject.ask(Task::OutOfMemory(plan.clone())) {
            Ok(Ended::Failure) => failed += 1,
            Ok(Ended::Success) => succeeded += 1,
            Err(Stop::CrashElsewhere(_)) => died += 1,
            Err(other) => return Err(other),
        }
    }
    let tried = plans.len();
    subject.note(format!(
        "of {tried} of the {made} allocations of a compile call that failed, {failed} made the call fail, {died} ended the process, and {succeeded} changed nothing"
    ));
    Ok(())
}

/// A plan for each of the first allocations, and for some of the others by chance.
fn plans(made: usize, settings: &Settings) -> Vec<FaultPlan> {
    let (first, others) = match settings.set {
        Set::Smoke => (2, 2),
        Set::Full => (8, 8),
        Set::Soak => (64, 192),
    };
    let mut random = Rng::with_seed(settings.seed);
    let mut numbers: Vec<_> = (0..made).collect();
    let mut rest = numbers.split_off(made.min(first));
    random.shuffle(&mut rest);
    numbers.extend(rest.into_iter().take(others));
    let numbers = numbers.into_iter().map(Which::Number);
    numbers
        .map(|number| FaultPlan::of(On::Alloc, number, Answer::Null))
        .collect()
}

/// Compiles under a plan, in a process that exists for it.
pub(crate) fn out_of_memory(subject: &Subject, plan: &FaultPlan) -> Result<Ended, Stop> {
    let case = case(subject)?;
    let expected = case.compiler.expected(case.object)?;
    let repeated = case.repeated()?;
    let cache = Arc::default();
    let watch = Watch::anywhere(failure!(
        call: "{case} under the fault plan \"{plan}\"",
        expected: "a failure, or the end of the process",
        got: "a memory fault",
    ));
    let recording = watched(vec![watch], || repeated.compile(&cache, USUAL_TYPES, plan))?;
    let result = recording.result;
    ensure!(
        !result.is_ok() || Product::new(&recording, &cache) == expected,
        call: "{case} under the fault plan \"{plan}\"",
        expected: "a failure, or all keys and values all the same",
        got: "returned {result} without them",
    );
    let watch = Watch::anywhere(failure!(
        call: "{case} after one under the fault plan \"{plan}\"",
        expected: "success, as there is memory again",
        got: "a memory fault",
    ));
    let again = watched(vec![watch], || {
        repeated.compile(&cache, USUAL_TYPES, &FaultPlan::NONE)
    })?;
    let again_result = again.result;
    ensure!(
        again_result.is_ok() && Product::new(&again, &cache) == expected,
        call: "{case} after one under the fault plan \"{plan}\"",
        expected: "success with the usual keys and object code, as there is memory again",
        got: "returned {again_result}, or other keys or code",
    );
    Ok(if result.is_ok() {
        Ended::Success
    } else {
        Ended::Failure
    })
}
