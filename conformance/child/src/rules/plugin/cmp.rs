//! P-CMP: compiler objects.

use std::ptr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Failure, Outcome, Stop, broken, ensure, failure};
use ddi_sys::E_INVALIDARG;
use region::Protection;

use super::Tests;
use crate::inputs::arena::Surroundings;
use crate::inputs::pipeline::{COMPUTE, GRAPHICS, Kind, Pipeline};
use crate::inputs::{APPLICATIONS, Application, Inputs, Target};
use crate::plugin::compiler::{ABSURD_SIZE, Compiler, PRIVATE_ALIGN, Product, Rig, USUAL_TYPES};
use crate::plugin::object::Object;
use crate::plugin::state_object::{self, Description, leaked};
use crate::plugin::subject::Subject;
use crate::watch::fault::{Watch, watched, within};
use crate::watch::memory::{Guarded, Place};
use crate::watch::resources::leaves_nothing;

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::P_CMP_01, p_cmp_01_stays_within_its_memory),
    (rules::P_CMP_02, p_cmp_02_keeps_no_input),
    (rules::P_CMP_03, p_cmp_03_several_live_at_once),
    (
        rules::P_CMP_04,
        p_cmp_04_leaves_its_memory_alone_after_destroy,
    ),
    (rules::P_CMP_05, p_cmp_05_refuses_unknown_targets),
    (rules::P_CMP_06, p_cmp_06_writes_no_input),
    (rules::P_CMP_07, p_cmp_07_refuses_null),
    (rules::P_CMP_08, p_cmp_08_leaves_nothing),
    (rules::P_CMP_09, super::threads::p_cmp_09_come_and_go),
];

/// With each target for one application, and with one target for each application.
fn p_cmp_01_stays_within_its_memory(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let first = rig.target()?;
    for target in rig.capabilities.some_targets(subject.journal())? {
        let expected = || {
            KINDS
                .map(|kind| rig.expected(target, kind))
                .into_iter()
                .collect()
        };
        stays_within(subject, &rig, (target, &Application::USUAL), expected)?;
    }
    // What an application changes in what comes out is its profile's business.
    for application in &APPLICATIONS[1..] {
        stays_within(subject, &rig, (first, application), || Ok(Vec::new()))?;
    }
    Ok(())
}

fn stays_within(
    subject: &Subject,
    rig: &Rig,
    (target, application): (Target, &Application),
    expected: impl FnOnce() -> Result<Vec<Product>, Stop>,
) -> Outcome {
    let exe = application.exe;
    subject.at(format!("pfnCalcPrivateCompilerSize({target}, {exe})"));
    let mut sizes = Vec::new();
    for surroundings in [
        Surroundings::USUAL,
        Surroundings::OTHER,
        Surroundings::USUAL,
    ] {
        let inputs = Inputs::new(target, application, surroundings)?;
        sizes.push(rig.calc_private_compiler_size(inputs.target, inputs.application));
    }
    let size = sizes[0];
    ensure!(
        sizes.iter().all(|again| *again == size),
        call: "pfnCalcPrivateCompilerSize({target}, {exe}), with equal arguments at several addresses",
        expected: "the same size each time",
        got: "the sizes {sizes:?}",
    );
    ensure!(
        size <= ABSURD_SIZE,
        call: "pfnCalcPrivateCompilerSize({target}, {exe})",
        expected: "a size that a host can allocate",
        got: "{size} bytes",
    );
    let inputs = Inputs::new(target, application, Surroundings::USUAL)?;
    let memory = Guarded::new(size, PRIVATE_ALIGN, Place::Roomy, 0)?;
    subject.at(format!("pfnCreateCompiler({target}, {exe})"));
    let result = rig.create_compiler(inputs.target, inputs.application, &memory);
    ensure!(
        result.is_ok(),
        call: "pfnCreateCompiler({target}, {exe}) in {size} bytes of memory",
        expected: "success",
        got: "returned {result}",
    );
    // The compiler is not destroyed, so its memory stays.
    std::mem::forget(memory);
    let expected = expected()?;
    for fill in [0x00, 0xFF, 0xA5] {
        for place in [Place::Start, Place::End, Place::Odd] {
            let products = products_in(subject, rig, (target, application), size, fill, place)?;
            for (expected, product) in expected.iter().zip(&products) {
                if let Some(difference) = expected.difference(product) {
                    broken!(
                        call: "compiling with a compiler ({target}) in memory that held {fill:#04x} before",
                        expected: "what comes out of other compilers",
                        got: "a difference: {difference}",
                    );
                }
            }
        }
    }
    Ok(())
}

/// What the tests compile: one stage, and several.
const KINDS: [&Kind; 2] = [&COMPUTE, &GRAPHICS];

/// Creates a compiler between guard pages, and compiles with it.
fn products_in(
    subject: &Subject,
    rig: &Rig,
    (target, application): (Target, &Application),
    size: usize,
    fill: u8,
    place: Place,
) -> Result<Vec<Product>, Stop> {
    let exe = application.exe;
    let memory = Guarded::new(size, PRIVATE_ALIGN, place, fill)?;
    let outside = failure!(
        call: "pfnCreateCompiler({target}, {exe}), then pfnCompilePipelineState",
        expected: "nothing written outside of the {size} bytes that pfnCalcPrivateCompilerSize gave",
        got: "memory beside them was touched",
    );
    let inputs = Inputs::new(target, application, Surroundings::USUAL)?;
    subject.at(format!(
        "pfnCreateCompiler({target}, {exe}) in memory that holds {fill:#04x}"
    ));
    let result = within(&memory, "the compiler", &outside, || {
        rig.create_compiler(inputs.target, inputs.application, &memory)
    })?;
    ensure!(
        result.is_ok(),
        call: "pfnCreateCompiler({target}, {exe}) in {size} bytes of memory, aligned to {PRIVATE_ALIGN}, that held {fill:#04x} before",
        expected: "success",
        got: "returned {result}",
    );
    let compiler = rig.created(memory);
    let mut products = Vec::new();
    for kind in KINDS {
        let product = within(compiler.memory, "the compiler", &outside, || {
            compiler.product(kind, Surroundings::USUAL)
        })??;
        let Some(product) = product else {
            broken!(
                call: "compiling with a compiler ({target}, {exe}) in memory that held {fill:#04x} before",
                expected: "success, as with other compilers",
                got: "a failure",
            );
        };
        products.push(product);
    }
    Ok(products)
}

fn p_cmp_02_keeps_no_input(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let mut targets = rig
        .capabilities
        .some_targets(subject.journal())?
        .into_iter();
    targets.try_for_each(|target| keeps_none(subject, &rig, target))
}

fn keeps_none(subject: &Subject, rig: &Rig, target: Target) -> Outcome {
    let expected = rig.expected(target, &GRAPHICS)?;

    let inputs = Inputs::new(
        target,
        &Application::USUAL,
        Surroundings::guarded(Place::Roomy),
    )?;
    let size = rig
        .calc_private_compiler_size(inputs.target, inputs.application)
        .min(ABSURD_SIZE);
    let memory = Guarded::new(size, PRIVATE_ALIGN, Place::Roomy, 0)?;
    if !rig
        .create_compiler(inputs.target, inputs.application, &memory)
        .is_ok()
    {
        return Err(Stop::needs(rules::P_CMP_01));
    }
    let compiler = rig.created(memory);
    inputs.arena().protect(Protection::NONE)?;
    subject.at("compiling after the inputs of pfnCreateCompiler are gone");
    let kept = inputs.arena().watches(&failure!(
        call: "pfnCompilePipelineState ({target}), after the target, the application description and its strings are gone",
        expected: "that they are not used any more",
        got: "an access to one of them",
    ));
    let product = watched(kept, || compiler.product(&GRAPHICS, Surroundings::USUAL))?;
    let Some(product) = product else {
        broken!(
            call: "pfnCompilePipelineState ({target}), after the target, the application description and its strings are gone",
            expected: "success, as while they were there",
            got: "a failure",
        );
    };
    if let Some(difference) = expected.difference(&product) {
        broken!(
            call: "pfnCompilePipelineState ({target}), after the target, the application description and its strings are gone",
            expected: "what came out while they were there",
            got: "a difference: {difference}",
        );
    }
    // Whether one call keeps them until another is P-MEM-02's business.
    inputs.arena().protect(Protection::READ)?;
    Ok(())
}

/// A compiler, and what it makes of a pipeline.
struct Living {
    target: Target,
    compiler: Compiler,
    products: Vec<Product>,
}

fn several_fault() -> Vec<Watch> {
    vec![Watch::anywhere(failure!(
        call: "using several compilers at once",
        expected: "that they are independent",
        got: "a memory fault",
    ))]
}

pub(super) fn p_cmp_03_several_live_at_once(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    // Each target twice: compilers of one target are different objects too.
    let targets = rig.capabilities.some_targets(subject.journal())?;
    let mut living = Vec::new();
    for target in targets.iter().chain(&targets) {
        let compiler = rig.compiler(*target)?;
        let products = KINDS.map(|kind| compiler.expected(kind));
        living.push(Living {
            target: *target,
            compiler,
            products: products.into_iter().collect::<Result<_, _>>()?,
        });
    }
    all_still_compile(subject, &living, "while all of them live")?;
    // From the middle, then the first, then the last: neither the order of creation nor its reverse.
    let mut step = 0_usize;
    while !living.is_empty() {
        let ended = living.remove(match step % 3 {
            0 => living.len() / 2,
            1 => 0,
            _ => living.len() - 1,
        });
        step += 1;
        let target = ended.target;
        subject.at(format!("pfnDestroyCopiler of the compiler for {target}"));
        watched(several_fault(), || ended.compiler.destroy());
        all_still_compile(subject, &living, "after others were destroyed")?;
    }
    Ok(())
}

fn all_still_compile(subject: &Subject, living: &[Living], when: &str) -> Outcome {
    for living in living {
        for (kind, product) in KINDS.into_iter().zip(&living.products) {
            still_compiles(subject, living, kind, product, when)?;
        }
    }
    Ok(())
}

fn still_compiles(
    subject: &Subject,
    living: &Living,
    kind: &'static Kind,
    product: &Product,
    when: &str,
) -> Outcome {
    let (target, name) = (living.target, kind.name);
    subject.at(format!("compiling ({name}) for {target} {when}"));
    let again = watched(several_fault(), || {
        living.compiler.product(kind, Surroundings::USUAL)
    })?;
    let Some(again) = again else {
        broken!(
            call: "pfnCompilePipelineState ({name}) for {target} {when}",
            expected: "success, as before",
            got: "a failure",
        );
    };
    if let Some(difference) = product.difference(&again) {
        broken!(
            call: "pfnCompilePipelineState ({name}) for {target} {when}",
            expected: "what came out before",
            got: "a difference: {difference}",
        );
    }
    Ok(())
}

fn p_cmp_04_leaves_its_memory_alone_after_destroy(subject: &Subject) -> Outcome {
    const PATTERN: u8 = 0x6B;
    let rig = subject.rig()?;
    let targets = rig.capabilities.some_targets(subject.journal())?;
    let mut compilers = Vec::new();
    for target in &targets {
        let compiler = rig.compiler(*target)?;
        compiler.compiled(&Arc::default(), USUAL_TYPES, &COMPUTE)?;
        compilers.push(compiler);
    }
    let mut memories = Vec::new();
    for compiler in compilers {
        subject.at("pfnDestroyCopiler");
        let touched = |memory: &&Guarded| {
            Watch::of(
                memory,
                "the compiler",
                used_after_destroy("an access to it"),
            )
        };
        watched(memories.iter().map(touched).collect(), || {
            compiler.destroy();
        });
        let memory: &Guarded = compiler.memory;
        memory.fill(PATTERN);
        memory.protect(Protection::NONE)?;
        memories.push(memory);
    }
    for (protection, access) in [
        (Protection::READ, "a write to it"),
        (Protection::NONE, "an access to it"),
    ] {
        for memory in &memories {
            memory.protect(protection)?;
        }
        subject.at("other calls after pfnDestroyCopiler");
        let touched = || {
            let watch =
                |memory: &&Guarded| Watch::of(memory, "the compiler", used_after_destroy(access));
            memories.iter().map(watch).collect()
        };
        let other = watched(touched(), || {
            thread::sleep(Duration::from_millis(100));
            let other = rig.compiler(targets[0])?;
            other.product(&COMPUTE, Surroundings::USUAL)?;
            Ok(other)
        })?;
        watched(touched(), || other.destroy());
    }
    Ok(())
}

fn used_after_destroy(access: &str) -> Failure {
    failure!(
        call: "other calls, after pfnDestroyCopiler",
        expected: "that the compiler's memory is not used any more",
        got: "there was {access}",
    )
}

fn p_cmp_05_refuses_unknown_targets(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let good = rig.target()?;
    // That a compiler can be created at all is another rule's business.
    rig.compiler(good)?;
    let good_inputs = Inputs::new(good, &Application::USUAL, Surroundings::USUAL)?;
    let enough = rig.calc_private_compiler_size(good_inputs.target, good_inputs.application);
    for target in rig.capabilities.unknown_targets()? {
        let inputs = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
        subject.at(format!("pfnCalcPrivateCompilerSize({target})"));
        let size = rig.calc_private_compiler_size(inputs.target, inputs.application);
        let size = size.max(enough).min(ABSURD_SIZE);
        let memory = Guarded::new(size, PRIVATE_ALIGN, Place::Roomy, 0)?;
        subject.at(format!("pfnCreateCompiler({target})"));
        let result = rig.create_compiler(inputs.target, inputs.application, &memory);
        ensure!(
            !result.is_ok(),
            call: "pfnCreateCompiler({target}), which the plugin does not report",
            expected: "a failure",
            got: "returned {result}",
        );
        // The same memory for a compiler that can be created.
        let result = rig.create_compiler(good_inputs.target, good_inputs.application, &memory);
        ensure!(
            result.is_ok(),
            call: "pfnCreateCompiler({good}) in the memory of one that failed",
            expected: "success, as there was nothing to destroy",
            got: "returned {result}",
        );
        rig.created(memory)
            .compiled(&Arc::default(), USUAL_TYPES, &COMPUTE)?;
    }
    Ok(())
}

fn p_cmp_06_writes_no_input(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    for target in rig.capabilities.some_targets(subject.journal())? {
        let inputs = Inputs::read_only(target)?;
        let watches = || {
            inputs.arena().watches(&failure!(
                call: "pfnCalcPrivateCompilerSize and pfnCreateCompiler({target}), with read-only inputs",
                expected: "inputs that are only read",
                got: "a write to one of them",
            ))
        };
        subject.at(format!("pfnCreateCompiler({target}) with read-only inputs"));
        let size = watched(watches(), || {
            rig.calc_private_compiler_size(inputs.target, inputs.application)
        });
        let memory = Guarded::new(size.min(ABSURD_SIZE), PRIVATE_ALIGN, Place::Roomy, 0)?;
        let result = watched(watches(), || {
            rig.create_compiler(inputs.target, inputs.application, &memory)
        });
        if !result.is_ok() {
            return Err(Stop::needs(rules::P_CMP_01));
        }
        // The compiler is not destroyed, so its memory stays.
        std::mem::forget(memory);
    }
    Ok(())
}

fn p_cmp_07_refuses_null(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let mut targets = rig
        .capabilities
        .some_targets(subject.journal())?
        .into_iter();
    targets.try_for_each(|target| null(subject, &rig, target))
}

fn null(subject: &Subject, rig: &Rig, target: Target) -> Outcome {
    // That a compiler can be created at all is another rule's business.
    rig.compiler(target)?;
    let inputs = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
    let size = rig
        .calc_private_compiler_size(inputs.target, inputs.application)
        .min(ABSURD_SIZE);
    let memory = Guarded::new(size, PRIVATE_ALIGN, Place::Roomy, 0)?;
    let cases = [
        ("pTarget", ptr::null(), inputs.application),
        ("pApplicationDesc", inputs.target, ptr::null()),
    ];
    let of = target;
    for (null, target, application) in cases {
        subject.at(format!("pfnCalcPrivateCompilerSize with a null {null}"));
        let fault = Watch::null(failure!(
            call: "pfnCalcPrivateCompilerSize ({of}) with a null {null}",
            expected: "any size",
            got: "the null pointer was used",
        ));
        watched(vec![fault], || {
            rig.calc_private_compiler_size(target, application)
        });
        subject.at(format!("pfnCreateCompiler with a null {null}"));
        let fault = Watch::null(failure!(
            call: "pfnCreateCompiler ({of}) with a null {null}",
            expected: "E_INVALIDARG",
            got: "the null pointer was used",
        ));
        let result = watched(vec![fault], || {
            rig.create_compiler(target, application, &memory)
        });
        ensure!(
            result == E_INVALIDARG,
            call: "pfnCreateCompiler ({of}) with a null {null}",
            expected: "E_INVALIDARG",
            got: "returned {result}",
        );
    }
    Ok(())
}

/// So long is a round of compilers, and longer until there were [`LEAST`], unless they are slow.
const ROUND: Duration = Duration::from_millis(150);
const LEAST: u32 = 64;
const SLOW: Duration = Duration::from_secs(1);
/// For so many families at most.
const MOST_FAMILIES: usize = 4;
/// Less memory than this for each compiler is no leak.
const NOISE_EACH: u64 = 64;
/// So many compilers show whether each leaves a handle open.
const FEW: u32 = 16;

fn p_cmp_08_leaves_nothing(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let mut targets = rig.newest_targets()?;
    if targets.len() > MOST_FAMILIES {
        subject.note(format!("for {MOST_FAMILIES} of {} families", targets.len()));
        targets.truncate(MOST_FAMILIES);
    }
    for target in targets {
        let life = Life::new(&rig, target)?;
        let round = |most: u32| -> Result<u32, Stop> {
            let start = Instant::now();
            let mut done = 0;
            while done < most {
                life.once()?;
                done += 1;
                if start.elapsed() > if done < LEAST { SLOW } else { ROUND } {
                    break;
                }
            }
            Ok(done)
        };
        let what = format!("creating, using and destroying compilers ({target})");
        subject.at(&what);
        // What a plugin makes once, it makes now.
        round(FEW)?;
        leaves_nothing(&what, (FEW, u32::MAX), NOISE_EACH, round)?;
    }
    Ok(())
}

/// What a compiler is made with and what it compiles, again and again in the same memory.
struct Life<'r> {
    rig: &'r Rig,
    inputs: Inputs,
    memory: &'static Guarded,
    pipeline: Pipeline,
    /// A state object that the target can run, its description and its memory.
    object: Option<(&'static state_object::Kind, Description, &'static Guarded)>,
}

impl<'r> Life<'r> {
    fn new(rig: &'r Rig, target: Target) -> Result<Self, Stop> {
        let memory = |size: usize| {
            Guarded::new(size.min(ABSURD_SIZE), PRIVATE_ALIGN, Place::Roomy, 0).map(leaked)
        };
        // That compiles work at all is another rule's business.
        rig.compiler(target)?
            .compiled(&Arc::default(), USUAL_TYPES, &COMPUTE)?;
        let inputs = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
        let size = rig.calc_private_compiler_size(inputs.target, inputs.application);
        let (cases, _) = rig.cases(&[target], &Object::state_objects())?;
        let kind = cases.iter().find_map(|case| match case.object {
            Object::StateObject(kind) => kind.base().is_none().then_some((case.compiler, kind)),
            Object::Pipeline(_) => None,
        });
        let object = kind.map(|(compiler, kind)| {
            compiler.compiled(&Arc::default(), USUAL_TYPES, kind)?;
            let desc = kind.described(None)?;
            let size = compiler.private_state_object_size(desc.arg(), None);
            Ok((kind, desc, memory(size)?))
        });
        Ok(Self {
            rig,
            inputs,
            memory: memory(size)?,
            pipeline: Pipeline::new(&COMPUTE, Surroundings::USUAL)?,
            object: object.transpose()?,
        })
    }

    /// The life of one compiler. Its memory was another one's, which must not use it any more.
    fn once(&self) -> Outcome {
        let (target, application) = (self.inputs.target, self.inputs.application);
        let created = self.rig.create_compiler(target, application, self.memory);
        if !created.is_ok() {
            return Err(Stop::needs(rules::P_CMP_04));
        }
        let compiler = self.rig.created_in(self.memory);
        let cache = Arc::default();
        let compiled = compiler
            .compile(&cache, USUAL_TYPES, self.pipeline.arg)
            .result;
        if !compiled.is_ok() {
            return Err(Stop::needs(rules::P_CMP_04));
        }
        if let Some((kind, desc, memory)) = &self.object {
            let made = (desc.clone(), None);
            let (_, object) = compiler.make_state_object_in(&cache, kind, made, memory);
            compiler.end_state_object(&object.ok_or_else(|| Stop::needs(rules::P_SO_06))?);
        }
        compiler.destroy();
        Ok(())
    }
}
