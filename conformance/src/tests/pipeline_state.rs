//! P-PSO: compiling pipelines, and what holds for state objects alike.

use crate::arena::Surroundings;
use crate::compiler::{Compiler, Product, Rig, USUAL_TYPES, hex};
use crate::elsewhere::{CLOCK_IS_OURS, Surrounded};
use crate::fault::{Watch, watched};
use crate::malformed::{Malformed, Part, malformed};
use crate::memory::{Guarded, Place};
use crate::object::{Case, Object};
use crate::pipeline::{COMPUTE, Pipeline, Replaced};
use crate::recorder::{self, Callback, Recording};
use crate::state_object::{self, ADDITION, RAYTRACING};
use crate::subject::Subject;
use crate::verdict::{Outcome, Stop, broken, ensure, failure};
use crate::{Level, Rule, pipeline};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS, E_INVALIDARG,
};
use plugin_host::session::MemoryCache;
use region::Protection;
use std::collections::{BTreeMap, BTreeSet};
use std::ptr;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Every value type.
const ALL_TYPES: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS =
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS::KNOWN;

/// Everything that the plugin compiles ([`Rig::everything`]).
fn everything(subject: &Subject) -> Result<(Rig, Vec<Case>), Stop> {
    let rig = subject.rig()?;
    let (cases, _) = rig.everything()?;
    Ok((rig, cases))
}

/// Makes a test for each case. One that does not compile leaves the rule undecided only after all others
/// have kept it.
fn each(cases: &[Case], mut test: impl FnMut(Case) -> Outcome) -> Outcome {
    let mut undecided = None;
    for &case in cases {
        match test(case) {
            Err(stop @ Stop::Needs { rule, .. }) if rule == case.object.rule() => {
                undecided.get_or_insert(stop);
            }
            other => other?,
        }
    }
    undecided.map_or(Ok(()), Err)
}

/// The value types of a set.
fn types_of(
    flags: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
) -> BTreeSet<D3D12DDI_COMPILER_CACHE_VALUE_TYPE> {
    (0..i32::BITS.cast_signed())
        .filter(|bit| flags.0 & 1 << bit != 0)
        .map(D3D12DDI_COMPILER_CACHE_VALUE_TYPE)
        .collect()
}

/// The first compile finds nothing in the cache, the second one everything; what has to hold for it to
/// succeed, besides that it compiles at all.
const TIMES: [(&str, Option<Rule>); 2] = [("first", None), ("second", Some(Rule::P_PSO_06))];

/// Compiles each case twice over one cache, with all types of values, one object with every single type
/// too, and shows `test` what was compiled, when, and what is in the cache then.
fn each_twice(
    subject: &Subject,
    mut test: impl FnMut(&str, &Recording, &MemoryCache) -> Outcome,
) -> Outcome {
    each(&everything(subject)?.1, |case| {
        let single = (0..u32::BITS)
            .map(|bit| 1 << bit)
            .filter(|bit| ALL_TYPES.0 & bit != 0);
        let single = single.filter(|_| case.object == Object::Pipeline(&COMPUTE));
        for bits in [ALL_TYPES.0].into_iter().chain(single) {
            let types = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(bits);
            let cache: Arc<MemoryCache> = Arc::default();
            for (time, needed) in TIMES {
                let needed = needed.or((types != ALL_TYPES).then_some(Rule::P_PSO_03));
                let what = format!("{case} with ValueTypeFlags {bits:#x}, the {time} time");
                subject.at(what.as_str());
                let compiled = case.compiled(&cache, types);
                let recording = compiled.map_err(|stop| match (stop, needed) {
                    (Stop::Needs { got, .. }, Some(rule)) => Stop::Needs { rule, got },
                    (other, _) => other,
                })?;
                test(&what, &recording, &cache)?;
            }
        }
        Ok(())
    })
}

pub(crate) fn sets_the_keys_once(subject: &Subject) -> Outcome {
    each_twice(subject, |what, recording, _| {
        let lists: Vec<_> = recording.key_lists().map(|(event, _)| event).collect();
        let count = lists.len();
        ensure!(
            count == 1,
            call: "{what}, which succeeded",
            expected: "one call of pfnCompilerCacheSetObjectValueKeys before it returned",
            got: "{count} calls",
        );
        ensure!(
            lists[0].own_session,
            call: "{what}, which succeeded",
            expected: "pfnCompilerCacheSetObjectValueKeys with the session of this compile",
            got: "another session's handle",
        );
        Ok(())
    })
}

pub(crate) fn every_key_has_a_value(subject: &Subject) -> Outcome {
    each_twice(subject, |what, recording, cache| {
        let (keys, stored) = (key_list(recording)?, cache.values());
        for (index, key) in keys.iter().enumerate() {
            let Some(key) = key else {
                broken!(
                    call: "{what}, its key list",
                    expected: "keys of at least one byte in pfnCompilerCacheSetObjectValueKeys",
                    got: "nothing at index {index}",
                );
            };
            let shown = hex(key);
            ensure!(
                stored.contains_key(key),
                call: "{what}, its key list",
                expected: "a value for every key of pfnCompilerCacheSetObjectValueKeys",
                got: "none for key {index}, {shown}",
            );
        }
        Ok(())
    })
}

pub(crate) fn every_value_has_a_key(subject: &Subject) -> Outcome {
    each_twice(subject, |what, recording, _| {
        let keys = key_list(recording)?;
        for (number, (event, key, _)) in (1..).zip(recording.stores()) {
            // A store without a key is another rule's business.
            let Some(key) = key else { continue };
            let named = keys.iter().any(|named| named.as_deref() == Some(key));
            let shown = hex(key);
            ensure!(
                named || !event.own_session || !event.result.is_ok(),
                call: "{what}, store {number}",
                expected: "a key that pfnCompilerCacheSetObjectValueKeys names",
                got: "{shown}, which it does not name",
            );
        }
        Ok(())
    })
}

pub(crate) fn stores_the_types_asked_for(subject: &Subject) -> Outcome {
    each(&everything(subject)?.1, |case| {
        // That it compiles at all is another rule's business.
        case.compiled(&Arc::default(), USUAL_TYPES)?;
        let is_compute = case.object == Object::Pipeline(&COMPUTE);
        let is_first_family = case.target.adapter_family_index == 0;
        for bits in 1..=ALL_TYPES.0 {
            let flags = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(bits);
            // Every set for one object, single types for what the first family compiles, all of them for
            // everything.
            let tried = is_compute || (is_first_family && bits.count_ones() == 1);
            if !tried && flags != ALL_TYPES {
                continue;
            }
            let expected = types_of(flags);
            subject.at(format!("{case} with ValueTypeFlags {bits:#x}"));
            let cache: Arc<MemoryCache> = Arc::default();
            let recording = case.compile(&cache, flags)?;
            let (result, stored) = (recording.result, recording.stored_types());
            ensure!(
                result.is_ok(),
                call: "{case} with ValueTypeFlags {bits:#x}",
                expected: "success, and values of {expected:?}",
                got: "returned {result}",
            );
            ensure!(
                stored.is_subset(&expected),
                call: "{case} with ValueTypeFlags {bits:#x}",
                expected: "values of {expected:?}",
                got: "values of {stored:?}",
            );
            // What an addition or a collection shares with what it is made from is there already.
            let (keys, values) = (key_list(&recording)?, cache.values());
            let named = keys.iter().flatten().filter_map(|key| values.get(key));
            let there: BTreeSet<_> = named
                .flat_map(|values| (0..).zip(values))
                .filter(|(_, value)| value.is_some())
                .map(|(kind, _)| D3D12DDI_COMPILER_CACHE_VALUE_TYPE(kind))
                .collect();
            ensure!(
                there == expected,
                call: "{case} with ValueTypeFlags {bits:#x}",
                expected: "values of {expected:?} under the keys that it names",
                got: "values of {there:?}",
            );
        }
        Ok(())
    })
}

pub(crate) fn stores_are_well_formed(subject: &Subject) -> Outcome {
    each_twice(subject, |what, recording, _| {
        for (number, (_, key, values)) in (1..).zip(recording.stores()) {
            ensure!(
                key.is_some(),
                call: "{what}, store {number}",
                expected: "a key of at least one byte",
                got: "a key that is null or empty",
            );
            if let Some(improper) = recorder::improper_values(values) {
                broken!(
                    call: "{what}, store {number}",
                    expected: "at least one value, each of another type and of at least one byte",
                    got: "a store with {improper}",
                );
            }
        }
        Ok(())
    })
}

pub(crate) fn calls_back_only_in_its_own_session(subject: &Subject) -> Outcome {
    /// So long do we wait for threads that call back too late.
    const PATIENCE: Duration = Duration::from_millis(250);
    let no_callback = |when: &str| -> Outcome {
        match recorder::late().first() {
            Some(callback) => broken!(
                call: "a callback {when}",
                expected: "none, as no compile was in progress",
                got: "a call of {callback}",
            ),
            None => Ok(()),
        }
    };
    let (rig, cases) = everything(subject)?;
    let mut objects = Vec::new();
    no_callback("before any compile")?;
    each(&cases, |case| {
        let cache = Arc::default();
        for (time, needed) in TIMES {
            subject.at(format!("{case}, the {time} time"));
            let watch = vec![Watch::needs(case.object.rule())];
            let recording = watched(watch, || match case.object {
                Object::Pipeline(_) => case.compile(&cache, ALL_TYPES),
                Object::StateObject(kind) => {
                    let compiler = case.compiler;
                    let (recording, object) =
                        compiler.compile_state_object(&cache, ALL_TYPES, kind)?;
                    objects.extend(object.map(|object| (case, object)));
                    Ok(recording)
                }
            })?;
            let result = recording.result;
            if !result.is_ok() {
                let got = format!("{case}, the {time} time, returned {result}");
                return Err(Stop::needs_but_got(
                    needed.unwrap_or(case.object.rule()),
                    got,
                ));
            }
            let foreign = recording.events.iter().find(|event| {
                !event.own_session && !matches!(event.callback, Callback::SetKeys(_))
            });
            if let Some(event) = foreign {
                let callback = event.callback.name();
                broken!(
                    call: "{case}, the {time} time",
                    expected: "callbacks with the session of this compile",
                    got: "{callback} with the handle of another",
                );
            }
            no_callback(&format!("after {case} returned"))?;
        }
        Ok(())
    })?;
    subject.at("waiting for callbacks that come too late");
    thread::sleep(PATIENCE);
    no_callback("after every compile had returned")?;
    for (case, object) in &objects {
        subject.at(format!("pfnDestroyStateObject of {case}"));
        case.compiler.destroy_state_object(object);
        no_callback(&format!("in pfnDestroyStateObject after {case}"))?;
    }
    let mut compilers: Vec<_> = cases.iter().map(|case| case.compiler).collect();
    compilers.dedup_by_key(|compiler| compiler.memory.ptr::<u8>());
    for compiler in compilers {
        subject.at("pfnDestroyCopiler");
        compiler.destroy();
        no_callback("in pfnDestroyCopiler")?;
    }
    subject.at("pfnDestroyCompilerDDI");
    rig.open.destroy();
    thread::sleep(PATIENCE / 5);
    no_callback("in or after pfnDestroyCompilerDDI")
}

/// The first key list of a recording.
fn key_list(recording: &Recording) -> Result<Vec<Option<Vec<u8>>>, Stop> {
    let first = recording.key_lists().next().map(|(_, keys)| keys.to_vec());
    first.ok_or(Stop::needs(Rule::P_PSO_01))
}

pub(crate) fn compiles_again_over_its_values(subject: &Subject) -> Outcome {
    let (rig, cases) = everything(subject)?;
    each(&cases, |case| {
        rig.expected(case.target, case.object)?;
        let cache: Arc<MemoryCache> = Arc::default();
        let keys = key_list(&case.compiled(&cache, ALL_TYPES)?)?;
        let values = cache.values();
        let new = Case {
            compiler: rig.compiler(case.target)?,
            ..case
        };
        for (whose, case) in [("the same", case), ("a new", new)] {
            subject.at(format!(
                "{case} again over its values, with {whose} compiler"
            ));
            let again = case.compile(&cache, ALL_TYPES)?;
            let result = again.result;
            ensure!(
                result.is_ok(),
                call: "{case}, in a session that has its values, with {whose} compiler",
                expected: "success",
                got: "returned {result}",
            );
            ensure!(
                again.key_lists().next().is_some_and(|(_, again)| again == keys),
                call: "{case}, in a session that has its values, with {whose} compiler",
                expected: "the same keys in pfnCompilerCacheSetObjectValueKeys",
                got: "other keys, or none",
            );
            let (now, before) = (cache.values(), values.len());
            let count = now.len();
            ensure!(
                now == values,
                call: "{case}, in a session that has its values, with {whose} compiler",
                expected: "nothing new in the session, which had values of {before} keys",
                got: "values of {count} keys, or other values",
            );
        }
        Ok(())
    })
}

pub(crate) fn is_a_pure_function(subject: &Subject) -> Outcome {
    let (rig, cases) = everything(subject)?;
    let mut compiled = Vec::new();
    let all = each(&cases, |case| {
        subject.at(case.to_string());
        case.compiled(&Arc::default(), USUAL_TYPES)?;
        let product = case.compiler.product(case.object, Surroundings::USUAL)?;
        let product = product.ok_or(Stop::needs(case.object.rule()))?;
        compiled.push((case, product));
        Ok(())
    });
    if !CLOCK_IS_OURS {
        subject.note("the clock cannot be set here: it moved by 2 seconds");
    }
    let elsewhere = subject.products_elsewhere(Surrounded::Alike)?;
    let at_another_time = subject.products_elsewhere(Surrounded::OtherTime)?;
    let same = |(case, expected): &(Case, Product), how: &str, product: Option<Product>| {
        let difference = match &product {
            Some(product) => expected.difference(product),
            None => Some("the compile fails".into()),
        };
        match difference {
            Some(difference) => broken!(
                call: "{case}, once and then {how}",
                expected: "the same keys and the same object code",
                got: "a difference: {difference}",
            ),
            None => Ok(()),
        }
    };
    let usual = Surroundings::USUAL;
    for compiled in &compiled {
        let case = compiled.0;
        subject.at(case.to_string());
        let of = |compiler: Compiler, surroundings| compiler.product(case.object, surroundings);
        same(compiled, "in a new process", elsewhere.of(&case))?;
        let how = "in a new process, at another time";
        same(compiled, how, at_another_time.of(&case))?;
        same(compiled, "again", of(case.compiler, usual)?)?;
        let new = rig.compiler(case.target)?;
        same(compiled, "with a new compiler", of(new, usual)?)?;
        if let Object::Pipeline(_) = case.object {
            let gap = Surroundings { gap: 4096, ..usual };
            same(compiled, "at other addresses", of(case.compiler, gap)?)?;
            let how = "with other bytes in the padding of the structures and between them";
            same(compiled, how, of(case.compiler, Surroundings::OTHER)?)?;
        }
    }
    let new_rig = subject.rig()?;
    for compiled in &compiled {
        let case = compiled.0;
        subject.at(case.to_string());
        let product = new_rig.compiler(case.target)?.product(case.object, usual)?;
        same(compiled, "with a new open", product)?;
    }
    all
}

pub(crate) fn keys_tell_code_apart(subject: &Subject) -> Outcome {
    let (rig, mut cases) = everything(subject)?;
    let variants = pipeline::VARIANTS.map(Object::Pipeline);
    cases.extend(rig.cases(&rig.newest_targets()?, &variants)?.0);
    let mut known: BTreeMap<Vec<u8>, (Vec<u8>, Case)> = BTreeMap::new();
    each(&cases, |case| {
        subject.at(case.to_string());
        case.compiled(&Arc::default(), USUAL_TYPES)?;
        let product = case.compiler.product(case.object, Surroundings::USUAL)?;
        let product = product.ok_or(Stop::needs(case.object.rule()))?;
        for (key, code) in product.code {
            let shown = hex(&key);
            let (first, of) = known.entry(key).or_insert_with(|| (code.clone(), case));
            if *first == code {
                continue;
            }
            // Code that differs from time to time is another rule's business.
            let again = of.compiler.product(of.object, Surroundings::USUAL)?;
            if !again.is_some_and(|again| again.code.iter().any(|(_, code)| code == first)) {
                return Err(Stop::needs(Rule::P_PSO_07));
            }
            broken!(
                call: "{of}, then {case}",
                expected: "keys that tell different object code apart",
                got: "different object code under one key, {shown}",
            );
        }
        Ok(())
    })
}

/// A pipeline or state object with a program that is none.
fn compile_malformed(
    compiler: Compiler,
    malformed: &Malformed,
    program: &Guarded,
) -> Result<Recording, Stop> {
    match malformed.part {
        Part::Stage(kind, stage) => {
            let replaced = Replaced {
                stage,
                program: program.ptr(),
                bytes: &malformed.bytes,
            };
            let pipeline = Pipeline::with(kind, Surroundings::USUAL, Some(replaced))?;
            let recording = compiler.compile(&Arc::default(), USUAL_TYPES, pipeline.arg);
            std::mem::forget(pipeline);
            Ok(recording)
        }
        Part::Library => {
            let change = |arg| state_object::with_library(arg, program.ptr());
            let cache = Arc::default();
            let compiled =
                compiler.compile_changed_state_object(&cache, USUAL_TYPES, &RAYTRACING, change);
            Ok(compiled?.0)
        }
    }
}

pub(crate) fn refuses_malformed_programs(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let malformed = malformed()?;
    let (cases, _) = rig.cases(&rig.newest_targets()?, &Object::all())?;
    each(&cases, |case| {
        // Of other families than the first only one pipeline and the library.
        let object = case.object;
        let of_each_family = [Object::Pipeline(&COMPUTE), Object::StateObject(&RAYTRACING)];
        if case.target.adapter_family_index != 0 && !of_each_family.contains(&object) {
            return Ok(());
        }
        // That it compiles with programs that are good is another rule's business.
        case.compiled(&Arc::default(), USUAL_TYPES)?;
        let of_object = malformed.iter().filter(|malformed| match malformed.part {
            Part::Stage(kind, _) => object == Object::Pipeline(kind),
            Part::Library => object == Object::StateObject(&RAYTRACING),
        });
        for malformed in of_object {
            refuses_malformed(subject, case, malformed)?;
        }
        Ok(())
    })
}

fn refuses_malformed(subject: &Subject, case: Case, malformed: &Malformed) -> Outcome {
    let what = &malformed.what;
    let program = Guarded::new(malformed.bytes.len(), align_of::<u32>(), Place::End, 0)?;
    program.write(&malformed.bytes);
    let fault = |got: &str| {
        failure!(
            call: "{case} of a malformed program: {what}",
            expected: "a failure",
            got: "there was {got}",
        )
    };
    let watches = vec![
        Watch::new(
            program.all_addresses(),
            fault("a read past the end of the program"),
        ),
        Watch::anywhere(fault("a memory fault")),
    ];
    subject.at(format!("{case} of a malformed program: {what}"));
    let compile = || compile_malformed(case.compiler, malformed, &program);
    let recording = watched(watches, compile)?;
    std::mem::forget(program);
    let (result, lists) = (recording.result, recording.key_lists().count());
    ensure!(
        !result.is_ok() || !malformed.obvious,
        call: "{case} of a malformed program: {what}",
        expected: "a failure",
        got: "returned {result}",
    );
    ensure!(
        result.is_ok() || lists == 0,
        call: "{case} of a malformed program: {what}",
        expected: "no call of pfnCompilerCacheSetObjectValueKeys by a compile that fails",
        got: "returned {result}, with {lists} of these calls",
    );
    Ok(())
}

pub(crate) fn compiles_every_kind(subject: &Subject) -> Outcome {
    compiles(subject, &Object::pipelines())
}

pub(crate) fn compiles_every_state_object(subject: &Subject) -> Outcome {
    compiles(subject, &Object::state_objects())
}

fn compiles(subject: &Subject, objects: &[Object]) -> Outcome {
    let rig = subject.rig()?;
    let (cases, left_out) = rig.cases(&rig.newest_targets()?, objects)?;
    if cases.is_empty() {
        return Err(Stop::NotApplicable(left_out.join("; ")));
    }
    for left_out in left_out {
        subject.note(left_out);
    }
    for case in cases {
        let made_of = case.object.programs()?;
        subject.at(case.to_string());
        let fault = Watch::anywhere(failure!(
            call: "{case}, of {made_of}",
            expected: "success",
            got: "a memory fault",
        ));
        // A fault is more than a warning.
        let is_must = case.object.rule().level() == Level::Must;
        let watches = is_must.then_some(fault).into_iter().collect();
        let cache = Arc::default();
        let recording = watched(watches, || case.compile(&cache, USUAL_TYPES))?;
        let result = recording.result;
        ensure!(
            result.is_ok(),
            call: "{case}, of {made_of}",
            expected: "success",
            got: "returned {result}",
        );
    }
    Ok(())
}

pub(crate) fn writes_no_input(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let targets = rig.newest_targets()?;
    for case in rig.cases(&targets, &Object::pipelines())?.0 {
        let (Object::Pipeline(kind), compiler) = (case.object, case.compiler) else {
            continue;
        };
        case.compiled(&Arc::default(), USUAL_TYPES)?;
        let pipeline = Pipeline::new(kind, Surroundings::USUAL)?;
        let memory = pipeline.arena.memory();
        memory.protect(Protection::READ)?;
        let written = Watch::new(
            memory.addresses(),
            failure!(
                call: "{case}, with a read-only description",
                expected: "a description that is only read",
                got: "a write to it",
            ),
        );
        subject.at(format!("{case} from read-only memory"));
        let result = watched(vec![written], || {
            compiler
                .compile(&Arc::default(), USUAL_TYPES, pipeline.arg)
                .result
        });
        ensure!(
            result.is_ok(),
            call: "{case}, with a read-only description",
            expected: "success, as with a writable one",
            got: "returned {result}",
        );
        std::mem::forget(pipeline);
    }
    Ok(())
}

pub(crate) fn refuses_null(subject: &Subject) -> Outcome {
    let rig = subject.rig()?;
    let objects = [
        Object::Pipeline(&COMPUTE),
        Object::StateObject(&RAYTRACING),
        Object::StateObject(&ADDITION),
    ];
    for case in rig.cases(&[rig.target()?], &objects)?.0 {
        let (object, compiler) = (case.object, case.compiler);
        case.compiled(&Arc::default(), USUAL_TYPES)?;
        subject.at(format!("{object} with a null description"));
        let fault = Watch::null(failure!(
            call: "{object} with a null description",
            expected: "E_INVALIDARG",
            got: "the null pointer was used",
        ));
        let cache = Arc::default();
        let recording = watched(vec![fault], || match object {
            Object::Pipeline(_) => Ok(compiler.compile(&cache, USUAL_TYPES, ptr::null())),
            Object::StateObject(kind) => compiler
                .compile_changed_state_object(&cache, USUAL_TYPES, kind, |_| ptr::null())
                .map(|(recording, _)| recording),
        })?;
        let (result, lists) = (recording.result, recording.key_lists().count());
        ensure!(
            result == E_INVALIDARG && lists == 0,
            call: "{object} with a null description",
            expected: "E_INVALIDARG, and no call of pfnCompilerCacheSetObjectValueKeys",
            got: "returned {result}, with {lists} of these calls",
        );
    }
    Ok(())
}
