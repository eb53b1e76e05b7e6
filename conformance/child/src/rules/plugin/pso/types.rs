//! What a compile makes of the types of values that it is asked for.

use std::collections::BTreeMap;
use std::sync::Arc;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure, failure};
use conformance_protocol::FaultPlan;
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_METADATA, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_NONE,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
};
use plugin_host::session::MemoryCache;

use super::{ALL_TYPES, each, key_list, proper, sample, settled, types_of};
use crate::inputs::pipeline::COMPUTE;
use crate::plugin::compiler::{Product, USUAL_TYPES};
use crate::plugin::object::{Case, Object};
use crate::plugin::recorder::SET_KEYS;
use crate::plugin::subject::Subject;
use crate::watch::fault::{Watch, watched};

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
                .compile(cache, Flags::from_bits_retain(types), &FaultPlan::NONE)
        };
        let compiled = |cache: &Arc<MemoryCache>, types: i32| {
            let recording = compile(cache, types)?;
            if !recording.result.is_ok() {
                return Err(Stop::needs(rules::P_PSO_03));
            }
            proper(&recording, cache, Flags::from_bits_retain(types))?;
            Ok(recording)
        };
        let mut fresh: BTreeMap<i32, (BTreeMap<_, _>, Product)> = BTreeMap::new();
        for (first, then) in pairs {
            subject.at(format!(
                "{case} with ValueTypeFlags {first:#x}, then {then:#x}"
            ));
            let both = first | then;
            let at_once = || {
                let cache: Arc<MemoryCache> = Arc::default();
                let product = Product::new(&compiled(&cache, both)?, &cache);
                Ok::<_, Stop>((types_there(&cache), product))
            };
            if let std::collections::btree_map::Entry::Vacant(entry) = fresh.entry(both) {
                entry.insert(at_once()?);
            }
            let cache: Arc<MemoryCache> = Arc::default();
            let keys = key_list(&compiled(&cache, first)?)?;
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
                there == fresh[&both].0,
                call: "{case} with ValueTypeFlags {first:#x}, then {then:#x}, in one session database",
                expected: "values of {wanted:?} in the end, as of one compile with all of them",
                got: "other keys, or other types of values for one of them",
            );
            if let Some(difference) = fresh[&both].1.difference(&Product::new(&recording, &cache)) {
                // Code that differs from time to time is another rule's business.
                if at_once()?.1 != fresh[&both].1 {
                    return Err(Stop::needs(rules::P_PSO_07));
                }
                broken!(
                    call: "{case} with ValueTypeFlags {both:#x} at once, then {first:#x} and {then:#x} in another session database",
                    expected: "the same object code",
                    got: "a difference: {difference}",
                );
            }
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
        let keys = key_list(&compiled(&cache, code)?)?;
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
        proper(
            &repeated.compile(&other, metadata, &FaultPlan::NONE)?,
            &other,
            metadata,
        )?;
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
            let recording = watched(vec![watch], || {
                repeated.compile(&cache, none, &FaultPlan::NONE)
            })?;
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
