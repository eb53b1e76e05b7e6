//! Calls at the same time: the tests of P-PSO-19, P-SO-09, P-CMP-09 and P-OPEN-12.

use std::collections::BTreeMap;
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::Arc;

use conformance_catalogue::verdict::{Outcome, Stop, broken, failure};
use conformance_catalogue::{Rule, rules};
use ddi_sys::D3D12DDIARG_CREATE_PIPELINE_STATE_0099;
use plugin_host::session::MemoryCache;

use super::pso::{faults, purity, settled};
use super::so::roomy;
use super::{cmp, open, so};
use crate::inputs::arena::Surroundings;
use crate::inputs::{Application, Inputs, Target, pipeline};
use crate::plugin::compiler::{ABSURD_SIZE, Compiler, PRIVATE_ALIGN, Product, Rig, USUAL_TYPES};
use crate::plugin::object::{Case, Object};
use crate::plugin::state_object::{self, Kind, leaked};
use crate::plugin::subject::Subject;
use crate::watch::fault::{Watch, watched};
use crate::watch::memory::{Guarded, Place};
use crate::watch::schedule::{self, Compared, Order, Script, Turn};

/// More threads than the smallest machine has processors, and not too many for it.
const THREADS: usize = 3;

/// What a thread compiles.
enum Work {
    Pipeline(*const D3D12DDIARG_CREATE_PIPELINE_STATE_0099),
    /// And what it is made from, which lives.
    StateObject(&'static Kind, Option<state_object::Object>),
}

/// Something to compile, and what comes out of it where nothing else is compiled.
struct Job {
    what: String,
    work: Work,
    alone: Product,
}

impl Job {
    /// What is compiled alone twice, and is the same. Needs the case's rule and P-PSO-07.
    fn new(case: Case) -> Result<Self, Stop> {
        let nobody = Turn::alone();
        let work = match case.object {
            // The description stays, as any thread may use it.
            Object::Pipeline(_) => Work::Pipeline(ManuallyDrop::new(case.repeated()?).arg()),
            Object::StateObject(kind) => {
                let mut from = None;
                for base in kind.base().map(Kind::line).unwrap_or_default() {
                    let work = Work::StateObject(base, from);
                    let made = work.compile(&nobody, case.compiler, &Arc::default());
                    from = made
                        .map_err(|got| Stop::needs_but_got(rules::P_SO_07, got))?
                        .1;
                }
                Work::StateObject(kind, from)
            }
        };
        let mut alone = Vec::new();
        for _ in 0..2 {
            let cache = Arc::default();
            let made = work.compile(&nobody, case.compiler, &cache);
            let (keys, object) =
                made.map_err(|got| Stop::needs_but_got(case.object.rule(), got))?;
            end(&nobody, case.compiler, object);
            alone.push(Product::of(keys, &cache));
        }
        match <[Product; 2]>::try_from(alone) {
            Ok([first, second]) if first == second => {
                let what = case.to_string();
                Ok(Self {
                    what,
                    work,
                    alone: first,
                })
            }
            _ => Err(Stop::needs(rules::P_PSO_07)),
        }
    }

    /// Compiles it, over a cache of its own where no cache is given, and compares what comes out of it.
    fn make(
        &self,
        turn: &Turn,
        compiler: Compiler,
        shared: Option<&Arc<MemoryCache>>,
    ) -> Result<Option<state_object::Object>, String> {
        let cache = shared.cloned().unwrap_or_default();
        let made = self.work.compile(turn, compiler, &cache);
        let (keys, object) = made.map_err(|got| format!("{} {got}", self.what))?;
        let mut made = Product::of(keys, &cache);
        if shared.is_some() {
            // What else is there others have stored; its own is there by now, whoever stored it.
            let is_own = |key: &Vec<u8>| self.alone.code.iter().any(|(own, _)| own == key);
            made.code.retain(|(key, _)| is_own(key));
        }
        match self.alone.difference(&made) {
            None => Ok(object),
            Some(difference) => Err(format!("{} gives another result: {difference}", self.what)),
        }
    }
}

impl Work {
    /// The keys, and the object that was made; or what it returned, in words.
    fn compile(
        &self,
        turn: &Turn,
        compiler: Compiler,
        cache: &Arc<MemoryCache>,
    ) -> Result<(Vec<Vec<u8>>, Option<state_object::Object>), String> {
        let unable = |_| "cannot be described".to_owned();
        let (result, keys, object) = match self {
            Self::Pipeline(arg) => {
                let call = |session| compiler.call_pipeline(session, USUAL_TYPES, *arg);
                let (result, keys) = turn.compile(cache, call);
                (result, keys, None)
            }
            Self::StateObject(kind, from) => {
                let from = from.as_ref();
                let (desc, parent) = (kind.described(from).map_err(unable)?, kind.parent(from));
                turn.wait();
                let size = compiler.private_state_object_size(desc.arg(), parent);
                if size > ABSURD_SIZE {
                    return Err(format!("gets a size of {size} bytes"));
                }
                let memory = roomy(size).map_err(unable)?;
                let arg = desc.arg();
                let (result, keys) = turn.compile(cache, |session| {
                    compiler.call_state_object(session, USUAL_TYPES, arg, parent, memory)
                });
                (
                    result,
                    keys,
                    Some(state_object::Object::new(desc, memory, from)),
                )
            }
        };
        if result.is_ok() {
            Ok((keys, object))
        } else {
            Err(format!("returned {result}"))
        }
    }
}

/// Destroys a state object, if there is one.
fn end(turn: &Turn, compiler: Compiler, object: Option<state_object::Object>) {
    if let Some(object) = object {
        turn.wait();
        compiler.end_state_object(&object);
    }
}

/// Jobs for a target, with a compiler that lives.
struct Bench {
    target: Target,
    compiler: Compiler,
    jobs: Vec<Job>,
}

impl Bench {
    fn new(rig: &Rig, target: Target, objects: &[Object]) -> Result<Self, Stop> {
        let (cases, _) = rig.cases(&[target], objects)?;
        let compiler = rig.compiler(target)?;
        let jobs = cases
            .into_iter()
            .map(|case| Job::new(Case { compiler, ..case }));
        let jobs = jobs.collect::<Result<_, Stop>>()?;
        Ok(Self {
            target,
            compiler,
            jobs,
        })
    }

    /// Compiles everything twice with the compiler that lives, from a job on.
    fn work(&self, turn: &Turn, first: usize, shared: Option<&Arc<MemoryCache>>) -> Compared {
        let mut before = None;
        let twice = self
            .jobs
            .iter()
            .cycle()
            .skip(first)
            .take(2 * self.jobs.len());
        for job in twice {
            let object = job.make(turn, self.compiler, shared)?;
            end(turn, self.compiler, before);
            before = object;
        }
        end(turn, self.compiler, before);
        Ok(())
    }
}

/// An open for calls at the same time, and the targets, for which everything compiles as it should where one call is made
/// at a time: what is wrong then is another rule's business.
fn rig(subject: &Subject, objects: &[Object]) -> Result<(Rig, Vec<Target>), Stop> {
    let recorded = subject.rig()?;
    let targets = recorded.newest_targets()?;
    for case in recorded.cases(&targets, objects)?.0 {
        subject.at(case.to_string());
        settled(&recorded, case, USUAL_TYPES)?;
    }
    // Not the recorder's table, which has one compile call at a time.
    Ok((subject.rig_with(schedule::callbacks())?, targets))
}

/// What the threads have in common.
#[derive(Clone, Copy)]
struct Common {
    one_compiler: bool,
    one_database: bool,
}

/// Each in turn for one order after the other.
const COMMON: [Common; 4] = [
    Common {
        one_compiler: false,
        one_database: false,
    },
    Common {
        one_compiler: true,
        one_database: true,
    },
    Common {
        one_compiler: true,
        one_database: false,
    },
    Common {
        one_compiler: false,
        one_database: true,
    },
];

impl fmt::Display for Common {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |one| {
            if one {
                "all with one"
            } else {
                "each with its own"
            }
        };
        write!(
            f,
            "compilers: {}, databases: {}",
            of(self.one_compiler),
            of(self.one_database)
        )
    }
}

/// The test of a rule.
type Test = fn(&Subject) -> Outcome;

/// What shows one call at a time: with several compilers, in another open, in several families, in a race with the host.
const ALONE: [(Rule, Test); 4] = [
    (rules::P_CMP_03, cmp::p_cmp_03_several_live_at_once),
    (rules::P_PSO_07, purity::p_pso_07_is_a_pure_function),
    (rules::P_PSO_08, purity::p_pso_08_keys_tell_code_apart),
    (rules::P_PSO_13, faults::p_pso_13_loses_a_race),
];

/// Runs the scripts that `scripts` makes, which compile the jobs of `benches`, one after the other and then in every order.
/// Where they differ, [`ALONE`] and the rules of `needed` are tried first, with the tests that are theirs.
fn together<'a>(
    subject: &Subject,
    needed: &[(Rule, Test)],
    benches: &[Bench],
    scripts: impl Fn(Order, Common, Option<Arc<MemoryCache>>) -> Vec<Script<'a>>,
) -> Outcome {
    let alone = [COMMON[0], COMMON[1]].map(|common| (Order::Alone, common));
    let orders = Order::all(subject.settings());
    let at_once = orders.into_iter().zip(COMMON.into_iter().cycle());
    for (order, common) in alone.into_iter().chain(at_once) {
        subject.at(format!("{THREADS} threads, {order}, {common}"));
        let fault = Watch::anywhere(failure!(
            call: "calls of {THREADS} threads, {order}, {common}",
            expected: "what comes of each call alone",
            got: "a memory fault",
        ));
        let shared: Option<Arc<MemoryCache>> = common.one_database.then(Arc::default);
        let result = watched(vec![fault], || {
            schedule::run(order, &scripts(order, common, shared.clone()))?;
            shared.map_or(Ok(()), |shared| has_their_code(&shared, benches))
        });
        if let Err(got) = result {
            for (rule, test) in ALONE.iter().chain(needed) {
                if let Err(Stop::Broken(_) | Stop::Needs { .. }) = test(subject) {
                    return Err(Stop::needs(*rule));
                }
            }
            broken!(
                call: "calls of {THREADS} threads, {order}, {common}",
                expected: "what comes of each call alone",
                got: "a difference: {got}",
            );
        }
    }
    Ok(())
}

/// That a database has the code that the jobs give alone, and no other.
fn has_their_code(database: &MemoryCache, benches: &[Bench]) -> Compared {
    let found = Product::of(Vec::new(), database);
    let jobs = benches.iter().flat_map(|bench| &bench.jobs);
    let code: BTreeMap<_, _> = jobs.flat_map(|job| job.alone.code.clone()).collect();
    let expected = Product {
        keys: Vec::new(),
        code: code.into_iter().collect(),
    };
    match expected.difference(&found) {
        None => Ok(()),
        Some(difference) => Err(format!("in the database that all had: {difference}")),
    }
}

/// Has each thread compile everything, from another job on; a state object lives until the next one is made. First for one
/// target after the other, then for different ones.
fn compile_in_threads(subject: &Subject, objects: &[Object], needed: &[(Rule, Test)]) -> Outcome {
    let (rig, mut targets) = rig(subject, objects)?;
    let (cases, left_out) = rig.cases(&targets, objects)?;
    targets.retain(|target| cases.iter().any(|case| case.target == *target));
    if targets.is_empty() {
        return Err(Stop::NotApplicable(left_out.join("; ")));
    }
    let of_one = targets.iter().map(|target| [*target; THREADS]);
    let of_all: [Target; THREADS] = std::array::from_fn(|number| targets[number % targets.len()]);
    for targets in of_one.chain((targets.len() > 1).then_some(of_all)) {
        let benches = targets.map(|target| Bench::new(&rig, target, objects));
        let benches: Vec<_> = benches.into_iter().collect::<Result<_, Stop>>()?;
        let is_for_one = targets.iter().all(|target| *target == targets[0]);
        together(subject, needed, &benches, |order, common, shared| {
            // Now all begin with the same, now each with something else.
            let is_apart = match order {
                Order::Seeded { number, .. } => number / COMMON.len() as u64 % 2 == 1,
                Order::Free | Order::Alone => true,
            };
            let script = |number: usize| {
                let of = if common.one_compiler && is_for_one {
                    0
                } else {
                    number
                };
                let (bench, shared) = (&benches[of], shared.clone());
                let first = if is_apart {
                    number * bench.jobs.len() / THREADS
                } else {
                    0
                };
                // SAFETY: nothing of the jobs and compilers changes.
                unsafe { Script::new(move |turn| bench.work(turn, first, shared.as_ref())) }
            };
            (0..THREADS).map(script).collect()
        })?;
    }
    Ok(())
}

/// What the other rules build on.
const IN_THREADS: (Rule, fn(&Subject) -> Outcome) = (rules::P_PSO_19, p_pso_19_compiles_in_threads);

pub(super) fn p_pso_19_compiles_in_threads(subject: &Subject) -> Outcome {
    compile_in_threads(subject, &Object::pipelines(), &[])
}

pub(super) fn p_so_09_compiles_in_threads(subject: &Subject) -> Outcome {
    let needed = [
        IN_THREADS,
        (rules::P_SO_03, so::p_so_03_is_made_from_its_own as Test),
        (
            rules::P_SO_06,
            so::p_so_06_leaves_its_memory_alone_after_destroy,
        ),
    ];
    compile_in_threads(subject, &Object::state_objects(), &needed)
}

/// What is compiled where compilers and opens are the subject.
const FEW: [Object; 2] = [
    Object::Pipeline(&pipeline::COMPUTE),
    Object::Pipeline(&pipeline::GRAPHICS),
];

/// A place for one compiler after the other.
struct Desk<'a> {
    benches: &'a [Bench],
    inputs: Vec<Inputs>,
    place: &'static Guarded,
}

impl<'a> Desk<'a> {
    fn new(rig: &Rig, benches: &'a [Bench]) -> Result<Self, Stop> {
        let inputs =
            |bench: &Bench| Inputs::new(bench.target, &Application::USUAL, Surroundings::USUAL);
        let inputs: Vec<_> = benches.iter().map(inputs).collect::<Result<_, Stop>>()?;
        let size =
            |inputs: &Inputs| rig.calc_private_compiler_size(inputs.target, inputs.application);
        let largest = inputs.iter().map(size).max().unwrap_or(0);
        if largest > ABSURD_SIZE {
            return Err(Stop::needs(rules::P_CMP_01));
        }
        let place = leaked(Guarded::new(largest, PRIVATE_ALIGN, Place::Roomy, 0)?);
        Ok(Self {
            benches,
            inputs,
            place,
        })
    }

    /// Creates a compiler, compiles the jobs of its target and destroys it, for so many targets from one on.
    fn work(
        &self,
        turn: &Turn,
        rig: &Rig,
        (first, count): (usize, usize),
        shared: Option<&Arc<MemoryCache>>,
    ) -> Compared {
        let all = self.benches.iter().zip(&self.inputs);
        for (bench, inputs) in all.cycle().skip(first).take(count) {
            turn.wait();
            let result = rig.create_compiler(inputs.target, inputs.application, self.place);
            if !result.is_ok() {
                return Err(format!(
                    "pfnCreateCompiler for {} returned {result}",
                    bench.target
                ));
            }
            let compiler = rig.created_in(self.place);
            for job in &bench.jobs {
                job.make(turn, compiler, shared)?;
            }
            turn.wait();
            compiler.destroy();
        }
        Ok(())
    }
}

/// A few targets, of all families, with a compiler each that lives.
fn benches(rig: &Rig, targets: &[Target]) -> Result<Vec<Bench>, Stop> {
    targets
        .iter()
        .map(|target| Bench::new(rig, *target, &FEW))
        .collect()
}

pub(super) fn p_cmp_09_come_and_go(subject: &Subject) -> Outcome {
    let (rig, _) = rig(subject, &FEW)?;
    let benches = benches(&rig, &rig.capabilities.some_targets(subject.journal())?)?;
    let desks: [Desk; 2] = [Desk::new(&rig, &benches)?, Desk::new(&rig, &benches)?];
    together(subject, &[IN_THREADS], &benches, |_, _, shared| {
        let come_and_go = |number: usize| {
            let (rig, desk, shared) = (&rig, &desks[number], shared.clone());
            let targets = (number, 2 * benches.len());
            // SAFETY: the desk is its own, and nothing of the rest changes.
            unsafe { Script::new(move |turn| desk.work(turn, rig, targets, shared.as_ref())) }
        };
        vec![
            stay(&benches, shared.clone()),
            come_and_go(0),
            come_and_go(1),
        ]
    })
}

/// Compiles everything with compilers that live.
fn stay(benches: &[Bench], shared: Option<Arc<MemoryCache>>) -> Script<'_> {
    // SAFETY: nothing of the jobs and compilers changes.
    unsafe {
        Script::new(move |turn| {
            let mut benches = benches.iter();
            benches.try_for_each(|bench| bench.work(turn, 0, shared.as_ref()))
        })
    }
}

/// An open from its beginning to its end, which compiles for one target.
fn open_and_work(
    turn: &Turn,
    subject: &Subject,
    (benches, number): (&[Bench], usize),
    shared: Option<&Arc<MemoryCache>>,
) -> Compared {
    let said = |stop: Stop| match stop {
        Stop::Needs { rule, got } => {
            format!("an open does not keep {rule}: {}", got.unwrap_or_default())
        }
        other => format!("an open fails: {other:?}"),
    };
    turn.wait();
    let open = subject.open().map_err(said)?;
    turn.wait();
    open.select().map_err(said)?;
    turn.wait();
    let rig = open.selected_rig().map_err(said)?;
    turn.wait();
    open.set_callbacks(schedule::callbacks()).map_err(said)?;
    let desk = Desk::new(&rig, benches).map_err(said)?;
    desk.work(turn, &rig, (number, 1), shared)?;
    turn.wait();
    open.destroy();
    Ok(())
}

pub(super) fn p_open_12_come_and_go(subject: &Subject) -> Outcome {
    let (rig, targets) = rig(subject, &FEW)?;
    let other = subject.rig_with(schedule::callbacks())?;
    let benches = benches(&rig, &targets)?;
    let desk = Desk::new(&other, &benches)?;
    let needed = [
        IN_THREADS,
        (rules::P_CMP_09, p_cmp_09_come_and_go as Test),
        (rules::P_OPEN_06, open::p_open_06_opens_are_independent),
    ];
    together(subject, &needed, &benches, |_, _, shared| {
        let (benches, desk, other, count) = (&benches, &desk, &other, 2 * benches.len());
        let (of_first, of_last) = (shared.clone(), shared.clone());
        // SAFETY: the subject and the desk have one script each, and nothing of the rest changes.
        unsafe {
            vec![
                Script::new(move |turn| {
                    (0..count).try_for_each(|number| {
                        open_and_work(turn, subject, (benches, number), of_first.as_ref())
                    })
                }),
                stay(benches, shared),
                Script::new(move |turn| desk.work(turn, other, (1, count), of_last.as_ref())),
            ]
        }
    })
}
