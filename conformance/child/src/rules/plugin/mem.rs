//! P-MEM: the memory of arguments, whatever the call.

use std::sync::Arc;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Failure, Outcome, Stop, broken, ensure, failure};
use conformance_protocol::Task;
use ddi_sys::{DXGI_FORMAT, DXGI_FORMAT_R8G8B8A8_UNORM, HRESULT};
use plugin_host::session::MemoryCache;
use region::Protection;

use super::Tests;
use super::so::{Gone, made_base, roomy};
use crate::inputs::arena::{Arena, Surroundings};
use crate::inputs::pipeline::{self, COMPUTE, GRAPHICS, Pipeline};
use crate::inputs::{APPLICATIONS, Application, Inputs, Target};
use crate::plugin::capabilities::Capabilities;
use crate::plugin::caps::{Cap, OPTIONS, SHADER};
use crate::plugin::compiler::{ABSURD_SIZE, PRIVATE_ALIGN, Product, Rig, USUAL_TYPES};
use crate::plugin::object::{Case, Object};
use crate::plugin::state_object::{self, leaked};
use crate::plugin::subject::Subject;
use crate::watch::fault::{Watch, watched, within};
use crate::watch::memory::{Array, Guarded, Place};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::P_MEM_01, p_mem_01_reads_nothing_beside_arguments),
    (rules::P_MEM_02, p_mem_02_keeps_no_pointer),
    (rules::P_MEM_03, p_mem_03_knows_nothing_by_address),
    (rules::P_MEM_04, p_mem_04_copes_with_any_alignment),
    (rules::P_MEM_05, p_mem_05_writes_its_answer_only),
];

/// A call that takes a target, and an application or not: the memory that it answers into. What it answers is other
/// rules' business.
type Call = fn(&Rig, &Inputs) -> Result<Option<Guarded>, Stop>;

const FORMAT: DXGI_FORMAT = DXGI_FORMAT_R8G8B8A8_UNORM;

const CALLS: [(&str, Call); 6] = [
    ("pfnGetApplicationProfileVersion", |rig, inputs| {
        let (caps, version) = (rig.capabilities, Array::one(0_u64, Place::Roomy)?);
        let (target, application) = (inputs.target, inputs.application);
        let _ = caps.get_application_profile_version(target, application, Some(&version));
        Ok(Some(version.into_memory()))
    }),
    ("pfnGetCaps (SHADER)", |rig, inputs| {
        caps(rig, inputs, &SHADER)
    }),
    ("pfnGetCaps (D3D12_OPTIONS)", |rig, inputs| {
        caps(rig, inputs, &OPTIONS)
    }),
    ("pfnCheckFormatSupport", |rig, inputs| {
        let support = Array::one(0_u32, Place::Roomy)?;
        let _ = rig
            .capabilities
            .check_format_support(inputs.target, FORMAT, Some(&support));
        Ok(Some(support.into_memory()))
    }),
    ("pfnCheckMultisampleQualityLevels", |rig, inputs| {
        let caps = rig.capabilities;
        let _ = caps.check_multisample_quality_levels(inputs.target, FORMAT, 1, 0);
        Ok(None)
    }),
    ("pfnCalcPrivateCompilerSize", |rig, inputs| {
        let _ = rig.calc_private_compiler_size(inputs.target, inputs.application);
        Ok(None)
    }),
];

fn caps(rig: &Rig, inputs: &Inputs, cap: &Cap) -> Result<Option<Guarded>, Stop> {
    let data = Guarded::new(cap.size, align_of::<u64>(), Place::Roomy, 0)?;
    let _ = rig.capabilities.get_caps_into(inputs, cap.ty, &data);
    Ok(Some(data))
}

fn p_mem_01_reads_nothing_beside_arguments(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let targets = rig.newest_targets()?;
    for place in Place::TIGHT {
        for (target, application) in targets.iter().flat_map(|t| APPLICATIONS.map(|a| (*t, a))) {
            beside_inputs(subject, &rig, (target, &application), place)?;
        }
        let (cases, _) = rig.everything(subject.settings(), 1)?;
        super::pso::each(subject, &cases, |case| beside(subject, case, place))?;
    }
    Ok(())
}

/// In words, where the guard page of each argument is.
fn next_to(place: Place) -> &'static str {
    match place {
        Place::Start => "begins behind a guard page",
        _ => "ends at a guard page",
    }
}

fn touched(call: &str, place: Place) -> Failure {
    let guard = next_to(place);
    failure!(
        call: "{call}, with arguments each of which {guard}",
        expected: "nothing read beside them",
        got: "memory beside one of them was touched",
    )
}

fn beside_inputs(
    subject: &Subject,
    rig: &Rig,
    (target, application): (Target, &Application),
    place: Place,
) -> Outcome {
    let exe = application.exe;
    // That a compiler can be created is another rule's business.
    rig.compiler_for(target, application)?;
    let inputs = Inputs::new(target, application, Surroundings::guarded(place))?;
    let watches = |call: &str| {
        let call = format!("{call} ({target}, {exe})");
        subject.at(&call);
        inputs.arena().watches(&touched(&call, place))
    };
    for (name, call) in CALLS {
        watched(watches(name), || call(rig, &inputs))?;
    }
    let size = rig.calc_private_compiler_size(inputs.target, inputs.application);
    let memory = leaked(Guarded::new(
        size.min(ABSURD_SIZE),
        PRIVATE_ALIGN,
        Place::Roomy,
        0,
    )?);
    let _ = watched(watches("pfnCreateCompiler"), || {
        rig.create_compiler(inputs.target, inputs.application, memory)
    });
    Ok(())
}

fn beside(subject: &Subject, case: Case, place: Place) -> Outcome {
    let compiler = case.compiler;
    case.compiled(&Arc::default(), USUAL_TYPES)?;
    let failure = touched(&case.to_string(), place);
    let guard = next_to(place);
    subject.at(format!("{case}, each argument of which {guard}"));
    let recording = match case.object {
        Object::Pipeline(kind) => {
            let pipeline = Pipeline::new(kind, Surroundings::guarded(place))?;
            let watches = pipeline.arena.watches(&failure);
            let compile = || compiler.compile(&Arc::default(), USUAL_TYPES, pipeline.arg);
            let recording = watched(watches, compile);
            pipeline.keep(kind);
            recording
        }
        Object::StateObject(kind) => {
            let cache = Arc::default();
            let from = made_base(compiler, &cache, kind)?;
            let desc = kind.described(from.as_ref())?;
            let desc = desc.set_apart(place)?;
            let (recording, _) = watched(desc.watches(&failure), || {
                compiler.make_state_object(&cache, kind, (desc, from.as_ref()), roomy)
            })?;
            recording
        }
    };
    let result = recording.result;
    ensure!(
        result.is_ok(),
        call: "{case}, with arguments each of which {guard}",
        expected: "success, as elsewhere",
        got: "returned {result}",
    );
    Ok(())
}

/// Takes away what was passed to a call that is over.
fn take_away(gone: &mut Gone, call: &str, arguments: &Arena, answer: Option<Guarded>) -> Outcome {
    let failure = failure!(
        call: "other calls, after {call} returned",
        expected: "that its arguments are not used any more",
        got: "an access to one of them",
    );
    arguments.protect(Protection::NONE)?;
    gone.0.extend(arguments.watches(&failure));
    if let Some(answer) = answer {
        answer.protect(Protection::NONE)?;
        gone.0.push(Watch::of(&answer, "the answer", failure));
        std::mem::forget(answer);
    }
    Ok(())
}

fn p_mem_02_keeps_no_pointer(subject: &Subject) -> Outcome {
    const SURROUNDINGS: Surroundings = Surroundings::guarded(Place::Roomy);
    let rig = subject.rig()?;
    let (targets, mut gone) = (rig.newest_targets()?, Gone::default());
    for &target in &targets {
        // Twice, so that each call comes after every other.
        for (name, call) in CALLS.iter().chain(&CALLS) {
            let what = format!("{name} ({target})");
            subject.at(format!("{what}, whose arguments end with it"));
            let inputs = Inputs::new(target, &Application::USUAL, SURROUNDINGS)?;
            let answer = gone.watched(|| call(&rig, &inputs))?;
            take_away(&mut gone, &what, inputs.arena(), answer)?;
        }
    }
    let cases = gone
        .watched(|| rig.cases(&targets, &Object::pipelines()))?
        .0;
    super::pso::each(subject, &cases, |case| {
        let (Object::Pipeline(kind), compiler) = (case.object, case.compiler) else {
            return Ok(());
        };
        gone.watched(|| case.compiled(&Arc::default(), USUAL_TYPES))?;
        let what = case.to_string();
        subject.at(format!("{what}, whose description ends with it"));
        let pipeline = Pipeline::new(kind, SURROUNDINGS)?;
        gone.watched(|| compiler.compile(&Arc::default(), USUAL_TYPES, pipeline.arg));
        take_away(&mut gone, &what, &pipeline.arena, None)?;
        pipeline.keep(kind);
        gone.goes_on(case)
    })
}

fn p_mem_03_knows_nothing_by_address(subject: &Subject) -> Outcome {
    /// After so many others a pipeline is compiled at their addresses.
    const BEFORE: usize = 5;
    let rig = subject.rig()?;
    targets_at_one_address(subject, &rig)?;
    compilers_at_one_address(subject, &rig)?;
    let (cases, _) = rig.cases(&rig.newest_targets()?, &Object::pipelines())?;
    super::pso::each(subject, &cases, |case| {
        let Object::Pipeline(kind) = case.object else {
            return Ok(());
        };
        case.compiled(&Arc::default(), USUAL_TYPES)?;
        let expected = rig.expected(case.target, kind)?;
        let others = pipeline::VARIANTS.into_iter().chain(pipeline::KINDS);
        let mut others = others
            .filter(|other| *other != kind && other.shares_a_stage_with(kind))
            .take(BEFORE);
        others.try_for_each(|other| at_the_place_of(subject, case, kind, other, &expected))
    })
}

/// Compiles a pipeline whose description, programs and states have the addresses that those of another had.
fn at_the_place_of(
    subject: &Subject,
    case: Case,
    kind: &'static pipeline::Kind,
    other: &'static pipeline::Kind,
    expected: &Product,
) -> Outcome {
    let (compiler, was) = (case.compiler, other.name);
    subject.at(format!("{case}, where the description of {was} was"));
    let first = Pipeline::new(other, Surroundings::USUAL)?;
    // Whether it compiles is another rule's business.
    let _ = compiler.compile(&Arc::default(), USUAL_TYPES, first.arg);
    let second = Pipeline::new(kind, Surroundings::USUAL)?;
    let fault = Watch::anywhere(failure!(
        call: "{case}, at the addresses that {was} had",
        expected: "success, as at other addresses",
        got: "a memory fault",
    ));
    second.move_to(&first);
    let cache = Arc::default();
    let recording = watched(vec![fault], || {
        compiler.compile(&cache, USUAL_TYPES, first.arg)
    });
    let result = recording.result;
    ensure!(
        result.is_ok(),
        call: "{case}, at the addresses that {was} had",
        expected: "success, as at other addresses",
        got: "returned {result}",
    );
    if let Some(difference) = expected.difference(&Product::new(&recording, &cache)) {
        broken!(
            call: "{case}, at the addresses that {was} had",
            expected: "what comes out at other addresses",
            got: "a difference: {difference}",
        );
    }
    first.keep(other);
    second.keep(kind);
    Ok(())
}

/// What the calls say of a target: which they are, what they return, and what they answer.
type Answers = Vec<(&'static str, HRESULT, Vec<u8>)>;

fn answers(caps: Capabilities, inputs: &Inputs) -> Result<Answers, Stop> {
    let (version, support) = (
        Array::one(0_u64, Place::Roomy)?,
        Array::one(0_u32, Place::Roomy)?,
    );
    let data = Guarded::new(SHADER.size, align_of::<u64>(), Place::Roomy, 0)?;
    let (target, application) = (inputs.target, inputs.application);
    Ok(vec![
        (
            "pfnGetApplicationProfileVersion",
            caps.get_application_profile_version(target, application, Some(&version)),
            version.memory().bytes(),
        ),
        (
            "pfnGetCaps (SHADER)",
            caps.get_caps_into(inputs, SHADER.ty, &data),
            data.bytes(),
        ),
        (
            "pfnCheckFormatSupport",
            caps.check_format_support(target, FORMAT, Some(&support)),
            support.memory().bytes(),
        ),
    ])
}

/// Every target, and some that the plugin does not report, one after another at one address.
fn targets_at_one_address(subject: &Subject, rig: &Rig) -> Outcome {
    let (caps, good) = (rig.capabilities, rig.target()?);
    let all = [caps.targets()?, caps.unknown_targets()?].concat();
    let usual = |target| Inputs::new(target, &Application::USUAL, Surroundings::USUAL);
    // They stay, so that each has an address that none had before.
    let elsewhere = all.iter().map(|target| usual(*target));
    let elsewhere = elsewhere.collect::<Result<Vec<_>, Stop>>()?;
    let here = usual(good)?;
    for (target, elsewhere) in all.iter().zip(&elsewhere) {
        let expected = answers(caps, elsewhere)?;
        subject.at(format!("the capabilities of {target}, where {good} was"));
        here.set_target(good);
        let _ = answers(caps, &here)?;
        here.set_target(*target);
        for ((call, before, bytes), (_, now, others)) in expected.iter().zip(answers(caps, &here)?)
        {
            ensure!(
                *before == now && (!now.is_ok() || *bytes == others),
                call: "{call} ({target}), where {good} was before",
                expected: "the answer that it has at another address, {before}",
                got: "another one, {now}",
            );
        }
    }
    Ok(())
}

/// Compilers for several targets, one after another in the same memory, from inputs at the same addresses.
fn compilers_at_one_address(subject: &Subject, rig: &Rig) -> Outcome {
    let targets = rig.capabilities.some_targets(subject.journal())?;
    let mut expected = Vec::new();
    for &target in &targets {
        expected.push((target, rig.expected(target, &COMPUTE)?));
    }
    let inputs = Inputs::new(targets[0], &Application::USUAL, Surroundings::USUAL)?;
    let sizes = targets.iter().map(|target| {
        inputs.set_target(*target);
        rig.calc_private_compiler_size(inputs.target, inputs.application)
    });
    let largest = sizes.max().unwrap_or_default().min(ABSURD_SIZE);
    let memory = leaked(Guarded::new(largest, PRIVATE_ALIGN, Place::Roomy, 0)?);
    for (target, expected) in &expected {
        inputs.set_target(*target);
        subject.at(format!("a compiler ({target}) where another was"));
        let result = rig.create_compiler(inputs.target, inputs.application, memory);
        ensure!(
            result.is_ok(),
            call: "pfnCreateCompiler ({target}) in the memory of a compiler that was destroyed",
            expected: "success, as elsewhere",
            got: "returned {result}",
        );
        let compiler = rig.created_in(memory);
        let product = compiler.product(&COMPUTE, Surroundings::USUAL)?;
        let difference = match &product {
            Some(product) => expected.difference(product),
            None => Some("the compile fails".into()),
        };
        if let Some(difference) = difference {
            broken!(
                call: "pfnCompilePipelineState with a compiler ({target}) in the memory of one that was destroyed",
                expected: "what comes out with a compiler elsewhere",
                got: "a difference: {difference}",
            );
        }
        compiler.destroy();
    }
    Ok(())
}

/// The alignments that a host may think are enough; 1 is an odd address.
const ALIGNMENTS: [usize; 2] = [8, 1];

/// In a process of its own each, as it may end there.
fn p_mem_04_copes_with_any_alignment(subject: &Subject) -> Outcome {
    // That compilers and state objects can be made at all is another rule's business.
    works_at(subject, PRIVATE_ALIGN)?;
    for align in ALIGNMENTS {
        match subject.ask::<Option<String>>(Task::Align(align)) {
            Ok(None) => subject.note(format!("private memory aligned to {align} is enough")),
            Ok(Some(refusal)) => subject.note(format!(
                "private memory aligned to {align} is refused: {refusal}"
            )),
            Err(Stop::CrashElsewhere(how)) => subject.note(format!(
                "private memory aligned to {align} is not enough, a host has to align it to {PRIVATE_ALIGN}: {how}"
            )),
            Err(other) => return Err(other),
        }
    }
    Ok(())
}

/// Makes a compiler and a state object in private memory that has no more than this alignment, and compiles: the
/// refusal, if there is one.
pub(crate) fn works_at(subject: &Subject, align: usize) -> Result<Option<String>, Stop> {
    let rig = subject.rig()?;
    let target = rig.target()?;
    let raytracing = Object::StateObject(&state_object::RAYTRACING);
    let mut objects = vec![Object::Pipeline(&GRAPHICS)];
    if raytracing.lacks(&rig, target)?.is_none() {
        objects.push(raytracing);
    }
    let expected = objects.iter().map(|object| rig.expected(target, *object));
    let expected = expected.collect::<Result<Vec<_>, Stop>>()?;
    let inputs = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
    let place = |size: usize| Guarded::new(size.min(ABSURD_SIZE), align, Place::Odd, 0).map(leaked);
    let outside = failure!(
        call: "a compiler or state object in private memory aligned to {align}",
        expected: "nothing written beside it",
        got: "memory beside it was touched",
    );
    let within = |memory: &Guarded, what, rule| match memory.untouched(what, &outside) {
        Err(Stop::Broken(_)) if align == PRIVATE_ALIGN => Err(Stop::needs(rule)),
        other => other,
    };
    let size = rig.calc_private_compiler_size(inputs.target, inputs.application);
    let memory = place(size)?;
    subject.at("pfnCreateCompiler");
    let result = rig.create_compiler(inputs.target, inputs.application, memory);
    within(memory, "the compiler", rules::P_CMP_01)?;
    if !result.is_ok() {
        return Ok(Some(format!("pfnCreateCompiler returned {result}")));
    }
    let compiler = rig.created_in(memory);
    for (object, expected) in objects.into_iter().zip(expected) {
        let cache = Arc::<MemoryCache>::default();
        subject.at(object.to_string());
        let recording = match object {
            Object::Pipeline(_) => {
                compiler.compile_object(&cache, USUAL_TYPES, object, Surroundings::USUAL)?
            }
            Object::StateObject(kind) => {
                let mut memory = None;
                let (recording, _) = compiler.make_state_object(
                    &cache,
                    kind,
                    (kind.described(None)?, None),
                    |size| place(size).inspect(|at| memory = Some(*at)),
                )?;
                if let Some(memory) = memory {
                    within(memory, "the state object", rules::P_SO_01)?;
                }
                recording
            }
        };
        within(memory, "the compiler", rules::P_CMP_01)?;
        let result = recording.result;
        if !result.is_ok() {
            return Ok(Some(format!("{object} returned {result}")));
        }
        if let Some(difference) = expected.difference(&Product::new(&recording, &cache)) {
            broken!(
                call: "{object} with private memory aligned to {align}",
                expected: "what comes out with other memory",
                got: "a difference: {difference}",
            );
        }
    }
    Ok(None)
}

/// What the other rules of answers and of const structures leave out.
fn p_mem_05_writes_its_answer_only(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let (caps, target) = (rig.capabilities, rig.target()?);
    let inputs = Inputs::read_only(target)?;
    let written = |call: &str| {
        inputs.arena().watches(&failure!(
            call: "{call}, with read-only inputs",
            expected: "inputs that are only read",
            got: "a write to one of them",
        ))
    };
    let beside = |call: &str, what: &str| {
        subject.at(call);
        failure!(
            call: "a call of {call}",
            expected: "nothing written but {what}",
            got: "memory beside it was touched",
        )
    };
    for place in Place::TIGHT {
        let (count, version) = (Array::one(0_u32, place)?, Array::one(0_u64, place)?);
        let call = "pfnGetSupportedVersions";
        let failure = beside(call, "the UINT at puEntries");
        let _ = within(count.memory(), "the count", &failure, || {
            rig.open.get_supported_versions(Some(&count), None)
        })?;
        count.set(0, 0);
        let call = "pfnGetAdapterFamilyABIVersions";
        let failure = beside(call, "the UINT at pNumABIVersions");
        let _ = within(count.memory(), "the count", &failure, || {
            caps.get_adapter_family_abi_versions(0, Some(&count), None)
        })?;
        let failure = beside("pfnGetCompilerVersion", "the version");
        let _ = within(version.memory(), "the version", &failure, || {
            caps.get_compiler_version(0, Some(&version))
        })?;
        let call = "pfnGetApplicationProfileVersion";
        let failure = beside(call, "the version");
        let _ = within(version.memory(), "the version", &failure, || {
            let (target, application) = (inputs.target, inputs.application);
            watched(written(call), || {
                caps.get_application_profile_version(target, application, Some(&version))
            })
        })?;
    }
    let call = "pfnCheckMultisampleQualityLevels";
    subject.at(call);
    let _ = watched(written(call), || {
        caps.check_multisample_quality_levels(inputs.target, FORMAT, 1, 0)
    });
    Ok(())
}
