//! What a compile makes of the host's answers, and what it asks.

use super::{
    ALL_TYPES, P_PSO_03, P_PSO_07, each, each_twice, key_list, proper, sample, settled, types_of,
};
use crate::compiler::{Product, USUAL_TYPES};
use crate::fault::{Watch, watched};
use crate::object::{Case, Object, Repeated};
use crate::pipeline::COMPUTE;
use crate::recorder::{FIND, Fault, Recording, SET_KEYS, STORE, Which};
use crate::subject::Subject;
use crate::verdict::{Outcome, Stop, broken, ensure, failure};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_METADATA, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_NONE,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
    DXGI_ERROR_NOT_FOUND, E_FAIL, E_OUTOFMEMORY, HRESULT,
};
use plugin_host::session::{MemoryCache, Misuse};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) fn p_pso_12_asks_as_specified(subject: &Subject) -> Outcome {
    each_twice(subject, |what, _, cache| {
        let misuses = cache.misuses();
        // A handle that is over is another rule's business.
        let of_find = |(call, misuse): &&(&str, Misuse)| {
            *call == FIND && !matches!(misuse, Misuse::StaleHandle)
        };
        if let Some((_, misuse)) = misuses.iter().find(of_find) {
            broken!(
                call: "{what}, a call of {FIND}",
                expected: "a key of at least one byte, at least one value, types that exist, and buffers as large as they say",
                got: "a call that the host has to refuse: {misuse}",
            );
        }
        Ok(())
    })
}

/// So many calls of a callback are answered otherwise, each on its own: the first ones, and the last.
const MOST: usize = 3;

/// A fault for each of the first calls of a callback, and for the last, with the answers by turns.
fn faults_of(recording: &Recording, callback: &'static str, answers: &[HRESULT]) -> Vec<Fault> {
    let calls = recording.events.iter();
    let count = calls
        .filter(|event| event.callback.name() == callback)
        .count();
    let numbers = (0..count).filter(|number| *number < MOST || number + 1 == count);
    let fault = |number| Fault {
        callback,
        which: Which::Number(number),
        answer: answers[number % answers.len()],
    };
    numbers.map(fault).collect()
}

/// Compiles with a fault of the host.
fn with_fault(
    subject: &Subject,
    repeated: &Repeated,
    cache: &Arc<MemoryCache>,
    fault: Fault,
) -> Result<Recording, Stop> {
    let case = repeated.case;
    subject.at(format!("{case}, {fault}"));
    let watch = Watch::anywhere(failure!(
        call: "{case}, with {fault}",
        expected: "a compile that returns",
        got: "a memory fault",
    ));
    watched(vec![watch], || {
        repeated.compile(cache, USUAL_TYPES, Some(fault))
    })
}

pub(in crate::rules) fn p_pso_13_loses_a_race(subject: &Subject) -> Outcome {
    let (rig, cases) = sample(subject)?;
    each(subject, &cases, |case| {
        let settled = settled(&rig, case, USUAL_TYPES)?;
        let (repeated, cache, keys) = (&settled.repeated, &settled.cache, &settled.keys);
        let values = cache.values();
        let mut faults = faults_of(&settled.times[1], FIND, &[DXGI_ERROR_NOT_FOUND]);
        faults.push(Fault {
            callback: FIND,
            which: Which::FirstOfEachKey,
            answer: DXGI_ERROR_NOT_FOUND,
        });
        for fault in faults {
            let recording = with_fault(subject, repeated, cache, fault)?;
            let result = recording.result;
            ensure!(
                result.is_ok(),
                call: "{case}, with {fault}, as if another thread had stored the values just then",
                expected: "success, as the values are there",
                got: "returned {result}",
            );
            ensure!(
                key_list(&recording)? == *keys,
                call: "{case}, with {fault}, as if another thread had stored the values just then",
                expected: "the same keys as before",
                got: "other keys",
            );
            ensure!(
                cache.values() == values,
                call: "{case}, with {fault}, as if another thread had stored the values just then",
                expected: "no other values in the session",
                got: "another value",
            );
        }
        Ok(())
    })
}

pub(super) fn p_pso_14_survives_failures(subject: &Subject) -> Outcome {
    let (rig, cases) = sample(subject)?;
    each(subject, &cases, |case| {
        let settled = settled(&rig, case, USUAL_TYPES)?;
        let expected = case.compiler.expected(case.object)?;
        for (recording, is_first) in settled.times.iter().zip([true, false]) {
            for callback in [FIND, STORE, SET_KEYS] {
                for fault in faults_of(recording, callback, &[E_FAIL, E_OUTOFMEMORY]) {
                    survives(subject, &settled.repeated, &expected, fault, is_first)?;
                }
            }
        }
        Ok(())
    })
}

fn survives(
    subject: &Subject,
    repeated: &Repeated,
    expected: &Product,
    fault: Fault,
    is_first: bool,
) -> Outcome {
    let case = repeated.case;
    let cache: Arc<MemoryCache> = Arc::default();
    if !is_first {
        repeated.compile(&cache, USUAL_TYPES, None)?;
    }
    let recording = with_fault(subject, repeated, &cache, fault)?;
    let (result, values) = (recording.result, cache.values());
    let lists = recording.key_lists();
    let taken: Vec<_> = lists.filter(|(event, _)| event.result.is_ok()).collect();
    let missing = taken
        .iter()
        .flat_map(|(_, keys)| keys.iter().flatten())
        .any(|key| !values.contains_key(key));
    ensure!(
        !missing,
        call: "{case}, with {fault}",
        expected: "no value keys set for a value that is not there",
        got: "a key without a value, and {result}",
    );
    // A plugin may do without what it does not find, and try again what fails.
    let is_whole = taken.len() == 1 && Product::new(&recording, &cache) == *expected;
    if result.is_ok() && !is_whole {
        still(case, expected)?;
        broken!(
            call: "{case}, with {fault}",
            expected: "a failure, or all keys and values all the same",
            got: "returned {result} without them",
        );
    }
    subject.at(format!("{case} again, after {fault}"));
    let again = repeated.compile(&cache, USUAL_TYPES, None)?;
    let (result, product) = (again.result, Product::new(&again, &cache));
    ensure!(
        result.is_ok(),
        call: "{case} again, after {fault}",
        expected: "success, as the host has no failure any more",
        got: "returned {result}",
    );
    if let Some(difference) = expected.difference(&product) {
        still(case, expected)?;
        broken!(
            call: "{case} again, after {fault}",
            expected: "the keys and the object code of any other compile",
            got: "a difference: {difference}",
        );
    }
    Ok(())
}

/// Whether a compile gives now what it gave before. Needs P-PSO-07.
fn still(case: Case, expected: &Product) -> Outcome {
    if case.compiler.expected(case.object)? == *expected {
        Ok(())
    } else {
        Err(Stop::needs(P_PSO_07))
    }
}

type Flags = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS;

/// Of each key, which types of values there are.
fn types_there(cache: &MemoryCache) -> BTreeMap<Vec<u8>, Vec<bool>> {
    let values = cache.values().into_iter();
    values
        .map(|(key, values)| (key, values.iter().map(Option::is_some).collect()))
        .collect()
}

pub(super) fn p_pso_15_adds_types_later(subject: &Subject) -> Outcome {
    let (rig, cases) = sample(subject)?;
    let first_target = rig.target()?;
    each(subject, &cases, |case| {
        // Every pair of sets for one object, and of the others what hosts do: debug information for code
        // that is there, the rest for one type, one type for the rest.
        let code = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE.0;
        let metadata = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_METADATA.0;
        let all = ALL_TYPES.0;
        let is_first = case.target == first_target && case.object == Object::Pipeline(&COMPUTE);
        let pairs: Vec<(i32, i32)> = if is_first {
            (1..=all)
                .flat_map(|first| (1..=all).map(move |then| (first, then)))
                .collect()
        } else {
            vec![
                (code, all & !code),
                (code, all),
                (metadata, code),
                (all & !code, code),
            ]
        };
        let settled = settled(&rig, case, ALL_TYPES)?;
        let compile = |cache: &Arc<MemoryCache>, types: i32| {
            settled
                .repeated
                .compile(cache, Flags::from_bits_retain(types), None)
        };
        let compiled = |cache: &Arc<MemoryCache>, types: i32| {
            let recording = compile(cache, types)?;
            if !recording.result.is_ok() {
                return Err(Stop::needs(P_PSO_03));
            }
            proper(&recording, cache, Flags::from_bits_retain(types))?;
            key_list(&recording)
        };
        let mut fresh: BTreeMap<i32, BTreeMap<_, _>> = BTreeMap::new();
        for (first, then) in pairs {
            subject.at(format!(
                "{case} with ValueTypeFlags {first:#x}, then {then:#x}"
            ));
            let both = first | then;
            if let std::collections::btree_map::Entry::Vacant(entry) = fresh.entry(both) {
                let cache: Arc<MemoryCache> = Arc::default();
                compiled(&cache, both)?;
                entry.insert(types_there(&cache));
            }
            let cache: Arc<MemoryCache> = Arc::default();
            let keys = compiled(&cache, first)?;
            let before = cache.values();
            let recording = compile(&cache, then)?;
            let result = recording.result;
            ensure!(
                result.is_ok(),
                call: "{case} with ValueTypeFlags {first:#x}, then {then:#x}, in one session database",
                expected: "success both times",
                got: "returned {result} the second time",
            );
            ensure!(
                key_list(&recording)? == keys,
                call: "{case} with ValueTypeFlags {first:#x}, then {then:#x}, in one session database",
                expected: "the same keys both times",
                got: "other keys the second time",
            );
            let (wanted, there) = (types_of(Flags::from_bits_retain(both)), types_there(&cache));
            ensure!(
                there == fresh[&both],
                call: "{case} with ValueTypeFlags {first:#x}, then {then:#x}, in one session database",
                expected: "values of {wanted:?} in the end, as of one compile with all of them",
                got: "other keys, or other types of values for one of them",
            );
            let after = cache.values();
            let kept = before.iter().all(|(key, values)| {
                let pairs = values.iter().zip(&after[key]);
                pairs
                    .into_iter()
                    .all(|(old, new)| old.is_none() || old == new)
            });
            ensure!(
                kept,
                call: "{case} with ValueTypeFlags {first:#x}, then {then:#x}, in one session database",
                expected: "the values of the first time left as they were",
                got: "another value",
            );
        }
        // A compiler of another process has to find them, too.
        let new = Case {
            compiler: rig.compiler(case.target)?,
            ..case
        };
        let cache: Arc<MemoryCache> = Arc::default();
        let keys = compiled(&cache, code)?;
        let later = new.compile(&cache, ALL_TYPES)?;
        ensure!(
            later.result.is_ok() && key_list(&later)? == keys,
            call: "{case} with ValueTypeFlags {code:#x}, then {all:#x} with a new compiler",
            expected: "success, and the same keys",
            got: "a failure, or other keys",
        );
        Ok(())
    })
}

pub(super) fn p_pso_16_stores_nothing_for_no_types(subject: &Subject) -> Outcome {
    let (rig, cases) = sample(subject)?;
    let (mut succeeded, mut failed) = (0, 0);
    each(subject, &cases, |case| {
        let settled = settled(&rig, case, USUAL_TYPES)?;
        let (repeated, filled, usual) = (&settled.repeated, settled.cache, &settled.keys);
        // That the keys are set whatever is asked for is another rule's business.
        let other: Arc<MemoryCache> = Arc::default();
        let metadata = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_METADATA;
        proper(&repeated.compile(&other, metadata, None)?, &other, metadata)?;
        for (when, cache) in [
            ("an empty session", Arc::default()),
            ("a filled session", filled),
        ] {
            subject.at(format!("{case} with ValueTypeFlags 0, in {when}"));
            let watch = Watch::anywhere(failure!(
                call: "{case} with ValueTypeFlags 0, in {when}",
                expected: "success or a failure",
                got: "a memory fault",
            ));
            let none = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_NONE;
            let recording = watched(vec![watch], || repeated.compile(&cache, none, None))?;
            let (result, stored) = (recording.result, recording.stored_types());
            ensure!(
                stored.is_empty(),
                call: "{case} with ValueTypeFlags 0, in {when}",
                expected: "no value stored, as none is asked for",
                got: "values of {stored:?}",
            );
            let lists: Vec<_> = recording.key_lists().map(|(_, keys)| keys).collect();
            let count = lists.len();
            ensure!(
                result.is_ok() || count == 0,
                call: "{case} with ValueTypeFlags 0, in {when}",
                expected: "the value keys and success, or neither",
                got: "returned {result}, with {count} calls of {SET_KEYS}",
            );
            ensure!(
                !result.is_ok() || (count == 1 && lists[0] == usual.as_slice()),
                call: "{case} with ValueTypeFlags 0, in {when}",
                expected: "the value keys that the object has with other flags",
                got: "returned {result}, with other keys or {count} lists",
            );
            *if result.is_ok() {
                &mut succeeded
            } else {
                &mut failed
            } += 1;
        }
        Ok(())
    })?;
    subject.note(match (succeeded, failed) {
        (_, 0) => "a compile call with ValueTypeFlags 0 succeeds".to_owned(),
        (0, _) => "a compile call with ValueTypeFlags 0 fails".to_owned(),
        _ => format!(
            "with ValueTypeFlags 0 {succeeded} compile calls succeeded, and {failed} failed"
        ),
    });
    Ok(())
}
