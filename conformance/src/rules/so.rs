//! P-SO: state objects.

use std::ops::Range;
use std::sync::Arc;

use plugin_host::session::MemoryCache;
use region::Protection;

use super::pso::compiles;
use crate::compiler::{ABSURD_SIZE, PRIVATE_ALIGN, Product, Rig};
use crate::fault::{Watch, watched};
use crate::memory::{Guarded, Place};
use crate::object::{Case, Object};
use crate::state_object::{self, Kind, leaked};
use crate::subject::Subject;
use crate::verdict::{Failure, Outcome, Stop, broken, ensure, failure};

rules! {
    P_SO_01 {
        id: "P-SO-01",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE",
        reading: "CalcPrivateStateObjectSize and CalcPrivateAddToStateObjectSize give the same size for the same input, and from its creation to its destruction only that many bytes of a state object are written, whatever they held before.",
        why: "The host allocates exactly that much and clears nothing; what lies beside it is another state object.",
        hint: "Calculate the size of what you construct, for additions too, and construct the object instead of assuming zeros.",
        test: Plugin(p_so_01_stays_within_its_memory),
    }

    P_SO_07 {
        id: "P-SO-07",
        level: Should,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT",
        reading: "Every kind of state object compiles that the caps offer: raytracing pipelines, collections, pipelines with collections, additions to pipelines and to additions, work graphs.",
        why: "An application uses them all; a kind that fails is compiled on the player's machine.",
        hint: "Where a feature is missing, say so in the caps: RaytracingTier and WorkGraphsTier.",
        test: Plugin(p_so_07_compiles_every_state_object),
    }

    P_SO_08 {
        id: "P-SO-08",
        level: Must,
        section: "Function: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT",
        reading: "The description of a state object or an addition, everything that it points to, and the descriptions of what it is made from are never written.",
        why: "They are const, the descriptions of several objects, and the host reads them again for each addition.",
        hint: "Work on copies, for instance when you sort exports or patch bitcode.",
        test: Plugin(p_so_08_writes_no_input),
    }
}

/// Makes a test for each kind of state object, of those that `concerned` has, that the newest target of each
/// family can run.
fn each(
    subject: &Subject,
    concerned: fn(&Kind) -> bool,
    mut test: impl FnMut(&Rig, Case, &'static Kind) -> Outcome,
) -> Outcome {
    let rig = subject.rig()?;
    let kinds = state_object::KINDS
        .into_iter()
        .filter(|kind| concerned(kind));
    let objects: Vec<_> = kinds.map(Object::StateObject).collect();
    let (cases, left_out) = rig.cases(&rig.newest_targets()?, &objects)?;
    if cases.is_empty() {
        return Err(Stop::NotApplicable(left_out.join("; ")));
    }
    super::pso::each(&cases, |case| match case.object {
        Object::StateObject(kind) => test(&rig, case, kind),
        Object::Pipeline(_) => Ok(()),
    })
}

/// That a compile makes what other compiles of the same make.
fn same_product(case: Case, how: &str, expected: &Product, made: &Product) -> Outcome {
    match expected.difference(made) {
        None => Ok(()),
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
        if memories.iter().any(|memory| memory.stray().is_some()) {
            return Err(Stop::Broken(outside(call)));
        }
        Ok(())
    };
    let watches = |memories: &[&'static Guarded], call: &str| -> Vec<Watch> {
        let watch = |memory: &&'static Guarded| Watch::new(memory.all_addresses(), outside(call));
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
    compiles(subject, &Object::state_objects())
}

/// Memory for a test that is not about what lies beside it.
fn roomy(size: usize) -> Result<&'static Guarded, Stop> {
    Guarded::new(size, PRIVATE_ALIGN, Place::Roomy, 0).map(leaked)
}

/// Watches of all addresses, each for a reason of its own.
fn watch_all(watched: &[(Range<usize>, Failure)]) -> Vec<Watch> {
    let watch = |(addresses, failure): &(Range<usize>, Failure)| {
        Watch::new(addresses.clone(), failure.clone())
    };
    watched.iter().map(watch).collect()
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
                read_only.extend(addresses.map(|addresses| (addresses, written.clone())));
                let (recording, object) = watched(watch_all(&read_only), || {
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
            watched(watch_all(&read_only), || {
                if let Some(object) = &from {
                    compiler.destroy_state_object(object);
                }
            });
            Ok(())
        },
    )
}
