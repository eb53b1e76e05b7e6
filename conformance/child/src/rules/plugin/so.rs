//! P-SO: state objects.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Failure, Outcome, Stop, broken, ensure, failure};
use conformance_protocol::{Answer, FaultPlan, On, Which};
use ddi_sys::E_OUTOFMEMORY;
use plugin_host::session::MemoryCache;
use region::Protection;

use super::Tests;
use super::pso::{compiles, generated_return};
use crate::inputs::generated::Varied as _;
use crate::plugin::compiler::{ABSURD_SIZE, Compiler, PRIVATE_ALIGN, Product, Rig, USUAL_TYPES};
use crate::plugin::object::{Case, Object};
use crate::plugin::recorder::{self, Recording};
use crate::plugin::state_object::{self, Description, Kind, leaked, made, reversed};
use crate::plugin::subject::Subject;
use crate::watch::fault::{Watch, watched};
use crate::watch::memory::{Guarded, Place};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::P_SO_01, p_so_01_stays_within_its_memory),
    (rules::P_SO_03, p_so_03_is_made_from_its_own),
    (rules::P_SO_04, p_so_04_lets_go_of_descriptions),
    (
        rules::P_SO_06,
        p_so_06_leaves_its_memory_alone_after_destroy,
    ),
    (rules::P_SO_07, p_so_07_compiles_every_state_object),
    (rules::P_SO_08, p_so_08_writes_no_input),
    (rules::P_SO_09, super::threads::p_so_09_compiles_in_threads),
];

/// Makes a test for each kind of state object, of those that `concerned` has, that the newest target of each
/// family can run.
fn each(
    subject: &Subject,
    concerned: fn(&Kind) -> bool,
    mut test: impl FnMut(&Rig, Case, &'static Kind) -> Outcome,
) -> Outcome {
    let rig = subject.rig()?;
    let kinds = state_object::KINDS.into_iter();
    let kinds = kinds.filter(|kind| concerned(kind));
    let objects: Vec<_> = kinds.map(Object::StateObject).collect();
    let (mut cases, left_out) = rig.cases(&rig.newest_targets()?, &objects)?;
    if cases.is_empty() {
        return Err(Stop::NotApplicable(left_out.join("; ")));
    }
    let mut generated = rig.generated(subject.settings(), 1)?;
    generated.retain(|case| matches!(case.object, Object::StateObject(kind) if concerned(kind)));
    cases.extend(generated);
    super::pso::each(subject, &cases, |case| match case.object {
        Object::StateObject(kind) => test(&rig, case, kind),
        Object::Pipeline(_) => Ok(()),
    })
}

/// That a compile makes what other compiles of the same make.
fn same_product(case: Case, how: &str, expected: &Product, made: &Product) -> Outcome {
    match expected.difference(made) {
        None => Ok(()),
        // What differs from time to time is another rule's business.
        Some(_) if case.compiler.expected(case.object)? != *expected => {
            Err(Stop::needs(rules::P_PSO_07))
        }
        Some(difference) => broken!(
            call: "the keys and the object code of {case}, {how}",
            expected: "what comes out of compiling it otherwise",
            got: "a difference: {difference}",
        ),
    }
}

fn p_so_01_stays_within_its_memory(subject: &Subject) -> Outcome {
    each(
        subject,
        |_| true,
        |rig, case, kind| {
            let expected = rig.expected(case.target, kind)?;
            for (fill, place) in [(0x00, Place::Start), (0xFF, Place::End), (0xA5, Place::Odd)] {
                line_in(subject, case, kind, &expected, fill, place)?;
            }
            Ok(())
        },
    )
}

/// Makes and destroys an object, and what it is made from, between guard pages.
fn line_in(
    subject: &Subject,
    case: Case,
    kind: &'static Kind,
    expected: &Product,
    fill: u8,
    place: Place,
) -> Outcome {
    let compiler = case.compiler;
    let cache: Arc<MemoryCache> = Arc::default();
    let outside = |call: &str| {
        failure!(
            call: "{case}, in {call}",
            expected: "nothing touched outside of the bytes of each state object that were calculated",
            got: "memory beside them was touched",
        )
    };
    let within = |memories: &[&'static Guarded], call: &str| -> Outcome {
        let failure = outside(call);
        let mut memories = memories.iter();
        memories.try_for_each(|memory| memory.untouched("a state object", &failure))
    };
    let watches = |memories: &[&'static Guarded], call: &str| -> Vec<Watch> {
        let watch = |memory: &&'static Guarded| Watch::of(memory, "a state object", outside(call));
        memories.iter().map(watch).collect()
    };
    let mut memories = Vec::new();
    let mut object: Option<state_object::Object> = None;
    for one in kind.line() {
        let call = format!("{} ({})", one.function(), one.name);
        subject.at(format!("{case}: the size for {call}"));
        let parent = one.parent(object.as_ref());
        let mut sizes = Vec::new();
        for _ in 0..2 {
            let desc = one.described(object.as_ref())?;
            let size = || compiler.private_state_object_size(desc.arg(), parent);
            for _ in 0..2 {
                sizes.push(watched(watches(&memories, "the size"), size));
            }
        }
        let size = sizes[0];
        ensure!(
            sizes.iter().all(|again| *again == size),
            call: "{case}: the size for {call}, with equal arguments at several addresses",
            expected: "the same size each time",
            got: "the sizes {sizes:?}",
        );
        ensure!(
            size <= ABSURD_SIZE,
            call: "{case}: the size for {call}",
            expected: "a size that a host can allocate",
            got: "{size} bytes",
        );
        let mut with_new = memories.clone();
        subject.at(format!(
            "{case}: {call} in {size} bytes of memory that holds {fill:#04x}"
        ));
        let memory = leaked(Guarded::new(size, PRIVATE_ALIGN, place, fill)?);
        with_new.push(memory);
        let (recording, new) = watched(watches(&with_new, &call), || {
            let desc = one.described(object.as_ref())?;
            compiler.make_state_object(&cache, one, (desc, object.as_ref()), |_| Ok(memory))
        })?;
        memories = with_new;
        within(&memories, &call)?;
        let result = recording.result;
        let Some(new) = new else {
            broken!(
                call: "{case}: {call} in {size} bytes of memory, aligned to {PRIVATE_ALIGN}, that held {fill:#04x} before",
                expected: "success, as in other memory",
                got: "returned {result}",
            );
        };
        if one == kind {
            let made = Product::new(&recording, &cache);
            same_product(
                case,
                &format!("in memory that held {fill:#04x} before"),
                expected,
                &made,
            )?;
        }
        object = Some(new);
    }
    for object in object.iter().flat_map(state_object::Object::line) {
        subject.at(format!("{case}, then pfnDestroyStateObject"));
        watched(watches(&memories, "pfnDestroyStateObject"), || {
            compiler.end_state_object(object);
        });
        within(&memories, "pfnDestroyStateObject")?;
    }
    Ok(())
}

fn p_so_07_compiles_every_state_object(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let cases = rig.cases(&rig.newest_targets()?, &Object::state_objects())?;
    let of_order = cases.0.clone();
    compiles(subject, cases)?;
    observe_order(subject, &of_order)?;
    generated_return(subject, &rig, |object| {
        matches!(object, Object::StateObject(_))
    })
}

/// Notes whose keys depend on the order of subobjects. The specification says nothing of it; but a database does not keep the
/// order.
fn observe_order(subject: &Subject, cases: &[Case]) -> Outcome {
    let mut depend = BTreeSet::new();
    for case in cases {
        let Object::StateObject(kind) = case.object else {
            continue;
        };
        subject.at(format!("{case}, with its subobjects the other way round"));
        let keys = |reverse: bool| {
            let cache = Arc::default();
            let change = |arg| if reverse { reversed(arg) } else { arg };
            let (recording, object) =
                case.compiler
                    .compile_changed_state_object(&cache, USUAL_TYPES, kind, change)?;
            if let Some(object) = object {
                case.compiler.destroy_state_object(&object);
            }
            let keys = Product::new(&recording, &cache).keys.into_iter();
            Ok::<BTreeSet<_>, Stop>(keys.collect())
        };
        if keys(false)? != keys(true)? {
            depend.insert(kind.name);
        }
    }
    if !depend.is_empty() {
        let kinds = depend.into_iter().collect::<Vec<_>>().join(", ");
        subject.note(format!(
            "the keys depend on the order of subobjects: {kinds}. A state object database does not keep the order, so that a \
             driver may not find what was compiled from one"
        ));
    }
    Ok(())
}

/// Memory for a test that is not about what lies beside it.
pub(super) fn roomy(size: usize) -> Result<&'static Guarded, Stop> {
    Guarded::new(size, PRIVATE_ALIGN, Place::Roomy, 0).map(leaked)
}

fn p_so_08_writes_no_input(subject: &Subject) -> Outcome {
    each(
        subject,
        |_| true,
        |rig, case, kind| {
            let expected = rig.expected(case.target, kind)?;
            let written = failure!(
                call: "{case}, with read-only descriptions of it and of what it is made from",
                expected: "descriptions that are only read",
                got: "a write to one of them",
            );
            let (compiler, cache) = (case.compiler, Arc::<MemoryCache>::default());
            let mut read_only = Vec::new();
            let mut from: Option<state_object::Object> = None;
            for one in kind.line() {
                subject.at(format!("{case}: {} from read-only memory", one.name));
                let desc = one.described(from.as_ref())?;
                desc.protect(Protection::READ)?;
                let addresses = desc.addresses().into_iter();
                read_only.extend(addresses.map(|of| Watch::new(of, written.clone())));
                let (recording, object) = watched(read_only.clone(), || {
                    compiler.make_state_object(&cache, one, (desc, from.as_ref()), roomy)
                })?;
                let (function, result) = (one.function(), recording.result);
                let Some(object) = object else {
                    broken!(
                        call: "{case}, with read-only descriptions of it and of what it is made from",
                        expected: "success, as with writable ones",
                        got: "{function} returned {result}",
                    );
                };
                if one == kind {
                    let made = Product::new(&recording, &cache);
                    same_product(case, "with read-only descriptions", &expected, &made)?;
                }
                from = Some(object);
            }
            subject.at(format!(
                "{case} from read-only memory, then pfnDestroyStateObject"
            ));
            watched(read_only, || {
                if let Some(object) = &from {
                    compiler.destroy_state_object(object);
                }
            });
            Ok(())
        },
    )
}

/// Makes a state object from what is there already. Needs P-SO-07.
fn made_from(
    compiler: Compiler,
    cache: &Arc<MemoryCache>,
    kind: &'static Kind,
    from: Option<&state_object::Object>,
    memory: impl FnOnce(usize) -> Result<&'static Guarded, Stop>,
) -> Result<state_object::Object, Stop> {
    let desc = kind.described(from)?;
    let (recording, object) = compiler.make_state_object(cache, kind, (desc, from), memory)?;
    made(kind, &recording, object)
}

/// Makes what `kind` is made from, and what that is made from. Needs P-SO-07.
pub(super) fn made_base(
    compiler: Compiler,
    cache: &Arc<MemoryCache>,
    kind: &'static Kind,
) -> Result<Option<state_object::Object>, Stop> {
    let mut base = None;
    for one in kind.base().map(Kind::line).unwrap_or_default() {
        base = Some(made_from(compiler, cache, one, base.as_ref(), roomy)?);
    }
    Ok(base)
}

/// The kinds that a case's target can run.
fn offered(rig: &Rig, case: Case) -> Result<Vec<&'static Kind>, Stop> {
    let mut kinds = Vec::new();
    for kind in state_object::KINDS {
        if Object::StateObject(kind).lacks(rig, case.target)?.is_none() {
            kinds.push(kind);
        }
    }
    Ok(kinds)
}

pub(super) fn p_so_03_is_made_from_its_own(subject: &Subject) -> Outcome {
    let is_made_from_others = |kind: &Kind| kind.base().is_some() && !kind.is_generated();
    each(subject, is_made_from_others, |rig, case, kind| {
        let Some(base) = kind.base() else {
            return Ok(());
        };
        let (mut others, compiler) = (offered(rig, case)?, case.compiler);
        let mut largest = 0;
        for one in &others {
            let from = made_base(compiler, &Arc::default(), one)?;
            let (desc, parent) = (one.described(from.as_ref())?, one.parent(from.as_ref()));
            largest = largest.max(compiler.private_state_object_size(desc.arg(), parent));
        }
        if largest > ABSURD_SIZE {
            return Err(Stop::needs(rules::P_SO_01));
        }
        let place = roomy(largest)?;
        let expected = rig.expected(case.target, kind)?;
        others.retain(|other| *other != base);
        others.into_iter().try_for_each(|other| {
            makes_its_own(subject, case, (kind, base), other, place, &expected)
        })
    })
}

/// Makes two objects of a kind from one that has the place of a former object of another kind, while a second
/// object of that kind lives.
fn makes_its_own(
    subject: &Subject,
    case: Case,
    (kind, base): (&'static Kind, &'static Kind),
    other: &'static Kind,
    place: &'static Guarded,
    expected: &Product,
) -> Outcome {
    let (compiler, name) = (case.compiler, other.name);
    let in_place = |size| {
        let fits = size <= place.len();
        fits.then_some(place).ok_or(Stop::needs(rules::P_SO_01))
    };
    subject.at(format!("{case}, from an object where a {name} was"));
    let before: Arc<MemoryCache> = Arc::default();
    let of_other = made_base(compiler, &before, other)?;
    let former = made_from(compiler, &before, other, of_other.as_ref(), in_place)?;
    compiler.end_state_object(&former);
    let cache: Arc<MemoryCache> = Arc::default();
    let of_base = made_base(compiler, &cache, base)?;
    let from = made_from(compiler, &cache, base, of_base.as_ref(), in_place)?;
    let besides = made_from(compiler, &before, other, of_other.as_ref(), roomy)?;
    let mut two = Vec::new();
    let place = format!("the address of a former {name}, another of which lives");
    for number in ["first", "second"] {
        let fault = Watch::anywhere(failure!(
            call: "{case}, the {number} from an object that has {place}",
            expected: "success",
            got: "a memory fault",
        ));
        let desc = kind.described(Some(&from))?;
        let (recording, object) = watched(vec![fault], || {
            compiler.make_state_object(&cache, kind, (desc, Some(&from)), roomy)
        })?;
        let result = recording.result;
        let Some(object) = object else {
            broken!(
                call: "{case}, the {number} from an object that has {place}",
                expected: "success",
                got: "returned {result}",
            );
        };
        let how = format!("the {number} from an object that has {place}");
        same_product(case, &how, expected, &Product::new(&recording, &cache))?;
        two.push(object);
    }
    for object in &two {
        compiler.end_state_object(object);
    }
    compiler.destroy_state_object(&from);
    compiler.destroy_state_object(&besides);
    Ok(())
}

/// Watches of what a plugin may not use any more.
#[derive(Default)]
pub(super) struct Gone(pub(super) Vec<Watch>);

impl Gone {
    fn description(&mut self, desc: &Description, failure: &Failure) -> Outcome {
        desc.protect(Protection::NONE)?;
        let addresses = desc.addresses().into_iter();
        let watch = |addresses| Watch::new(addresses, failure.clone());
        self.0.extend(addresses.map(watch));
        Ok(())
    }

    fn memory(&mut self, memory: &Guarded, failure: &Failure) -> Outcome {
        memory.fill(0x6B);
        memory.protect(Protection::NONE)?;
        self.0
            .push(Watch::of(memory, "a state object", failure.clone()));
        Ok(())
    }

    pub(super) fn watched<R>(&self, call: impl FnOnce() -> R) -> R {
        watched(self.0.clone(), call)
    }

    /// Compiles something else, after a time in which threads of the plugin may do what they may not.
    pub(super) fn goes_on(&self, case: Case) -> Outcome {
        self.watched(|| {
            thread::sleep(Duration::from_millis(5));
            case.compiled(&Arc::default(), USUAL_TYPES).map(|_| ())
        })
    }
}

fn p_so_04_lets_go_of_descriptions(subject: &Subject) -> Outcome {
    let mut gone = Gone::default();
    each(
        subject,
        |kind| !kind.is_generated(),
        |_, case, kind| {
            case.compiled(&Arc::default(), USUAL_TYPES)?;
            let (compiler, cache) = (case.compiler, Arc::<MemoryCache>::default());
            let after = |what: &str| {
                failure!(
                    call: "{case}, and other calls after {what}",
                    expected: "that its description is not used any more",
                    got: "an access to it",
                )
            };
            subject.at(format!(
                "{case}, with descriptions that end as early as they may"
            ));
            let from = gone.watched(|| made_base(compiler, &cache, kind))?;
            let from = from.as_ref();
            // A compile that fails, as the host fails, then one that does not.
            for is_to_fail in [true, false] {
                let of_size = kind.described(from)?;
                let size = gone.watched(|| {
                    compiler.private_state_object_size(of_size.arg(), kind.parent(from))
                });
                gone.description(&of_size, &after("the calculation of the size"))?;
                if size > ABSURD_SIZE {
                    return Err(Stop::needs(rules::P_SO_01));
                }
                let (desc, memory) = (kind.described(from)?, roomy(size)?);
                if is_to_fail {
                    let answer = Answer::Failure(E_OUTOFMEMORY);
                    recorder::arm(&FaultPlan::of(On::Keys, Which::Number(0), answer));
                }
                let (recording, object) = gone.watched(|| {
                    compiler.make_state_object_in(&cache, kind, (desc.clone(), from), memory)
                });
                recorder::arm(&FaultPlan::NONE);
                match object {
                    None if is_to_fail => gone.description(&desc, &after("the failure"))?,
                    object => {
                        let object = made(kind, &recording, object)?;
                        gone.watched(|| compiler.end_state_object(&object));
                        gone.description(&desc, &after("pfnDestroyStateObject"))?;
                    }
                }
            }
            for object in from.into_iter().flat_map(state_object::Object::line) {
                gone.watched(|| compiler.end_state_object(object));
                let failure = after("pfnDestroyStateObject of what it was made from");
                gone.description(object.description(), &failure)?;
            }
            gone.goes_on(case)
        },
    )
}

pub(super) fn p_so_06_leaves_its_memory_alone_after_destroy(subject: &Subject) -> Outcome {
    let mut gone = Gone::default();
    each(
        subject,
        |kind| !kind.is_generated(),
        |rig, case, kind| {
            // It, and what is made from it.
            let mut expected = Vec::new();
            for one in offered(rig, case)? {
                if one == kind || one.base() == Some(kind) {
                    expected.push((one, gone.watched(|| rig.expected(case.target, one))?));
                }
            }
            [0, 1]
                .into_iter()
                .try_for_each(|first| destroys(subject, (case, kind), &expected, first, &mut gone))
        },
    )
}

/// Destroys one of two objects that are made from the same, and uses the other.
fn destroys(
    subject: &Subject,
    (case, kind): (Case, &'static Kind),
    expected: &[(&'static Kind, Product)],
    first: usize,
    gone: &mut Gone,
) -> Outcome {
    let (compiler, cache) = (case.compiler, Arc::<MemoryCache>::default());
    let used = failure!(
        call: "other calls, after pfnDestroyStateObject of what {case} made",
        expected: "that its memory is not used any more",
        got: "an access to it",
    );
    subject.at(format!(
        "{case}, two of which number {first} is destroyed first"
    ));
    let from = gone.watched(|| made_base(compiler, &cache, kind))?;
    let from = from.as_ref();
    let mut two = vec![gone.watched(|| made_from(compiler, &cache, kind, from, roomy))?];
    let desc = kind.described(from)?;
    let (recording, second) =
        gone.watched(|| compiler.make_state_object(&cache, kind, (desc, from), roomy))?;
    let is_as_expected = |one: &Kind, recording: &Recording| {
        let made = Product::new(recording, &cache);
        expected
            .iter()
            .any(|(of, expected)| *of == one && expected.keys == made.keys)
    };
    // That a second can be made, and is the same, is another rule's business.
    let second = second.filter(|_| is_as_expected(kind, &recording));
    two.push(second.ok_or(Stop::needs(rules::P_SO_03))?);
    let end = |gone: &mut Gone, object: &state_object::Object| {
        gone.watched(|| compiler.end_state_object(object));
        gone.memory(object.memory, &used)
    };
    let destroyed = two.remove(first);
    let living = two.remove(0);
    let children = expected
        .iter()
        .map(|(one, _)| *one)
        .filter(|one| *one != kind);
    let others = children.map(|child| (child, Some(&living)));
    let others: Vec<_> = others.chain([(kind, from)]).collect();
    // Of each a first and a second, while nothing is destroyed.
    let mut made = Vec::new();
    for is_destroyed in [false, false, true] {
        if is_destroyed {
            end(gone, &destroyed)?;
        }
        for &(one, from) in &others {
            let what = one.name;
            subject.at(format!("{what}, after pfnDestroyStateObject of {case}"));
            let desc = one.described(from)?;
            let (recording, object) =
                gone.watched(|| compiler.make_state_object(&cache, one, (desc, from), roomy))?;
            let result = recording.result;
            let object = match object.filter(|_| is_as_expected(one, &recording)) {
                Some(object) => object,
                // What is wrong before is another rule's business.
                None if !is_destroyed => return Err(Stop::needs(rules::P_SO_03)),
                None => broken!(
                    call: "another compile ({what}), after pfnDestroyStateObject of one of two that {case} made",
                    expected: "success with the keys that it has otherwise",
                    got: "returned {result}, or other keys",
                ),
            };
            made.push(object);
        }
    }
    for object in made.iter().chain([&living]) {
        end(gone, object)?;
    }
    for object in from.into_iter().flat_map(state_object::Object::line) {
        end(gone, object)?;
    }
    gone.goes_on(case)
}
