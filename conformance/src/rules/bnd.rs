//! P-BND: what may not leave a call of the plugin, whatever happens inside.

use std::sync::Arc;

use fastrand::Rng;

use crate::compiler::{Product, USUAL_TYPES};
use crate::fault::{Watch, watched};
use crate::fault_plan::FaultPlan;
use crate::heap::HEAP_IS_OURS;
use crate::object::{Case, Object};
use crate::pipeline::GRAPHICS;
use crate::subject::Subject;
use crate::verdict::{Outcome, Stop, ensure, failure};
use crate::{Set, Settings};

rules! {
    P_BND_01 {
        id: "P-BND-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "No C++ exception and no panic leaves a call of the DDI.",
        why: "The host is another library, maybe in another language: nothing there can catch it, and the process ends.",
        hint: "Catch everything in each function that the host calls, and return a failure, such as E_OUTOFMEMORY for std::bad_alloc.",
        test: Untestable("one that leaves a call ends the process, so that the rule whose test made the call has the verdict crash"),
    }

    P_BND_02 {
        id: "P-BND-02",
        level: Ambiguous,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE",
        reading: "When the plugin gets no memory for itself, a compile call fails and the next one works, or makes do without, or the process ends at once.",
        why: "A compile that claims to have succeeded leaves a hole in a database; whether a service outlives the end of its memory is not stated, and in some languages no plugin can see to it.",
        hint: "Check what malloc returns, and return E_OUTOFMEMORY where nothing can be done without.",
        test: Plugin(p_bnd_02_survives_the_end_of_memory),
    }
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
        match subject.out_of_memory_elsewhere(plan) {
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
    numbers.into_iter().map(FaultPlan::of_allocation).collect()
}

/// Compiles under the plan of the settings, in a process that exists for it.
pub(crate) fn out_of_memory(subject: &Subject) -> Result<Ended, Stop> {
    let plan = subject.settings().fault_plan.clone().unwrap_or_default();
    let case = case(subject)?;
    let expected = case.compiler.expected(case.object)?;
    let repeated = case.repeated()?;
    let cache = Arc::default();
    let watch = Watch::anywhere(failure!(
        call: "{case} under the fault plan \"{plan}\"",
        expected: "a failure, or the end of the process",
        got: "a memory fault",
    ));
    let recording = watched(vec![watch], || repeated.compile(&cache, USUAL_TYPES, &plan))?;
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
