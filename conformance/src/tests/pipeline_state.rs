//! P-PSO: compiling pipelines.

use crate::Rule;
use crate::arena::Surroundings;
use crate::compiler::{Compiler, Product, Rig, USUAL_TYPES, hex};
use crate::fault::{Watch, watched};
use crate::memory::{Guarded, Place};
use crate::pipeline::{COMPUTE, GRAPHICS, KINDS, Kind, Pipeline, Replaced, Stage};
use crate::recorder::{self, Callback, Recording};
use crate::shaders;
use crate::subject::Subject;
use crate::verdict::{Outcome, Stop, broken, ensure, failure};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS, E_INVALIDARG,
};
use plugin_host::session::MemoryCache;
use region::Protection;
use std::collections::BTreeSet;
use std::ptr;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Pipelines that show what is the same for all kinds.
const USUAL_KINDS: [&Kind; 2] = [&COMPUTE, &GRAPHICS];

/// Every value type.
const ALL_TYPES: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS =
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS::KNOWN;

/// A compiler for the first target.
fn compiler(subject: &Subject) -> Result<(Rig, Compiler), Stop> {
    let rig = subject.rig()?;
    let compiler = rig.compiler(rig.target()?)?;
    Ok((rig, compiler))
}

/// The kinds of pipelines that the rig's target can run.
fn kinds(rig: &Rig) -> Result<impl Iterator<Item = &'static Kind>, Stop> {
    let no_mesh = rig.capabilities.lacks_mesh_shaders(rig.target()?)?;
    Ok(KINDS
        .into_iter()
        .filter(move |kind| !(no_mesh && kind.has_mesh_shaders())))
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

pub(crate) fn sets_the_keys_once(subject: &Subject) -> Outcome {
    let (_, compiler) = compiler(subject)?;
    for kind in USUAL_KINDS {
        let name = kind.name;
        subject.at(format!("compiling {name}"));
        let recording = compiler.compiled(&Arc::default(), USUAL_TYPES, kind)?;
        let lists: Vec<_> = recording.key_lists().map(|(event, _)| event).collect();
        let count = lists.len();
        ensure!(
            count == 1,
            call: "pfnCompilePipelineState ({name}), which succeeded",
            expected: "one call of pfnCompilerCacheSetObjectValueKeys before it returned",
            got: "{count} calls",
        );
        ensure!(
            lists[0].own_session,
            call: "pfnCompilePipelineState ({name}), which succeeded",
            expected: "pfnCompilerCacheSetObjectValueKeys with the session of this compile",
            got: "another session's handle",
        );
    }
    Ok(())
}

pub(crate) fn every_key_has_a_value(subject: &Subject) -> Outcome {
    let (_, compiler) = compiler(subject)?;
    for kind in USUAL_KINDS {
        let name = kind.name;
        subject.at(format!("compiling {name}"));
        let recording = compiler.compiled(&Arc::default(), USUAL_TYPES, kind)?;
        let stored: BTreeSet<_> = recording
            .stores()
            .filter(|(event, ..)| event.result.is_ok())
            .filter_map(|(_, key, _)| key)
            .collect();
        let Some((_, keys)) = recording.key_lists().next() else {
            return Err(Stop::needs(Rule::P_PSO_01));
        };
        for (index, key) in keys.iter().enumerate() {
            let Some(key) = key else {
                broken!(
                    call: "pfnCompilePipelineState ({name})",
                    expected: "keys of at least one byte in pfnCompilerCacheSetObjectValueKeys",
                    got: "nothing at index {index}",
                );
            };
            let shown = hex(key);
            ensure!(
                stored.contains(key.as_slice()),
                call: "pfnCompilePipelineState ({name})",
                expected: "a value for every key of pfnCompilerCacheSetObjectValueKeys",
                got: "none for key {index}, {shown}",
            );
        }
    }
    Ok(())
}

pub(crate) fn stores_the_types_asked_for(subject: &Subject) -> Outcome {
    let (_, compiler) = compiler(subject)?;
    // That the pipeline compiles at all is another rule's business.
    compiler.compiled(&Arc::default(), USUAL_TYPES, &COMPUTE)?;
    for bits in 1..=ALL_TYPES.0 {
        let flags = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(bits);
        let expected = types_of(flags);
        subject.at(format!("compiling with ValueTypeFlags {bits:#x}"));
        let recording =
            compiler.compile_kind(&Arc::default(), flags, &COMPUTE, Surroundings::USUAL)?;
        let (result, stored) = (recording.result, recording.stored_types());
        ensure!(
            result.is_ok(),
            call: "pfnCompilePipelineState with ValueTypeFlags {bits:#x}",
            expected: "success, and values of {expected:?}",
            got: "returned {result}",
        );
        ensure!(
            stored == expected,
            call: "pfnCompilePipelineState with ValueTypeFlags {bits:#x}",
            expected: "values of {expected:?}",
            got: "values of {stored:?}",
        );
    }
    Ok(())
}

pub(crate) fn stores_are_well_formed(subject: &Subject) -> Outcome {
    let (rig, compiler) = compiler(subject)?;
    for kind in kinds(&rig)? {
        let name = kind.name;
        subject.at(format!("compiling {name}"));
        let recording = compiler.compiled(&Arc::default(), ALL_TYPES, kind)?;
        for (number, (_, key, values)) in (1..).zip(recording.stores()) {
            ensure!(
                key.is_some(),
                call: "pfnCompilePipelineState ({name}), store {number}",
                expected: "a key of at least one byte",
                got: "a key that is null or empty",
            );
            if let Some(improper) = recorder::improper_values(values) {
                broken!(
                    call: "pfnCompilePipelineState ({name}), store {number}",
                    expected: "at least one value, each of another type and of at least one byte",
                    got: "a store with {improper}",
                );
            }
        }
    }
    Ok(())
}

pub(crate) fn calls_back_only_in_its_own_session(subject: &Subject) -> Outcome {
    /// So long do we wait for threads that call back too late.
    const PATIENCE: Duration = Duration::from_millis(250);
    let (_, compiler) = compiler(subject)?;
    let cache = Arc::default();
    for (time, kind) in (1..).zip([&COMPUTE, &GRAPHICS, &COMPUTE, &GRAPHICS]) {
        let name = kind.name;
        // The first two find nothing in the cache, the other two everything.
        subject.at(format!("compile {time}, {name}"));
        let recording =
            compiler
                .compiled(&cache, USUAL_TYPES, kind)
                .map_err(|stop| match stop {
                    Stop::Needs { .. } if time > 2 => Stop::needs(Rule::P_PSO_06),
                    other => other,
                })?;
        let foreign = recording
            .events
            .iter()
            .find(|event| !event.own_session && !matches!(event.callback, Callback::SetKeys(_)));
        if let Some(event) = foreign {
            let callback = event.callback.name();
            broken!(
                call: "pfnCompilePipelineState ({name}), compile {time} of this compiler",
                expected: "callbacks with the session of this compile",
                got: "{callback} with the handle of another",
            );
        }
    }
    thread::sleep(PATIENCE);
    if let Some(callback) = recorder::late().first() {
        broken!(
            call: "pfnCompilePipelineState",
            expected: "no callback after it returned",
            got: "{callback} afterwards",
        );
    }
    Ok(())
}

/// The first key list of a recording.
fn key_list(recording: &Recording) -> Result<Vec<Option<Vec<u8>>>, Stop> {
    let first = recording.key_lists().next().map(|(_, keys)| keys.to_vec());
    first.ok_or(Stop::needs(Rule::P_PSO_01))
}

pub(crate) fn compiles_again_over_its_values(subject: &Subject) -> Outcome {
    let (_, compiler) = compiler(subject)?;
    for kind in USUAL_KINDS {
        let name = kind.name;
        compiler.expected(kind)?;
        let cache: Arc<MemoryCache> = Arc::default();
        let keys = key_list(&compiler.compiled(&cache, USUAL_TYPES, kind)?)?;
        let values = cache.values();

        subject.at(format!("compiling {name} again over its values"));
        let again = compiler.compile_kind(&cache, USUAL_TYPES, kind, Surroundings::USUAL)?;
        let result = again.result;
        ensure!(
            result.is_ok(),
            call: "pfnCompilePipelineState ({name}), in a session that has its values",
            expected: "success",
            got: "returned {result}",
        );
        ensure!(
            again.key_lists().next().is_some_and(|(_, again)| again == keys),
            call: "pfnCompilePipelineState ({name}), in a session that has its values",
            expected: "the same keys in pfnCompilerCacheSetObjectValueKeys",
            got: "other keys, or none",
        );
        let (now, before) = (cache.values(), values.len());
        let count = now.len();
        ensure!(
            now == values,
            call: "pfnCompilePipelineState ({name}), in a session that has its values",
            expected: "nothing new in the session, which had values of {before} keys",
            got: "values of {count} keys, or other values",
        );
    }
    Ok(())
}

pub(crate) fn is_a_pure_function(subject: &Subject) -> Outcome {
    let (rig, compiler) = compiler(subject)?;
    let target = rig.target()?;
    let new_compiler = rig.compiler(target)?;
    let new_rig = subject.rig()?;
    let new_open = new_rig.compiler(target)?;
    let elsewhere = subject.products_elsewhere()?;
    for kind in kinds(&rig)? {
        let name = kind.name;
        subject.at(format!("compiling {name}"));
        compiler.compiled(&Arc::default(), USUAL_TYPES, kind)?;
        let Some(expected) = compiler.product(kind, Surroundings::USUAL)? else {
            return Err(Stop::needs(Rule::P_PSO_18));
        };
        let place = KINDS.iter().position(|other| ptr::eq(*other, kind));
        let other_process = place.and_then(|place| elsewhere[place].clone());
        let usual = Surroundings::USUAL;
        let others: [(&str, Option<Product>); 6] = [
            ("again", compiler.product(kind, usual)?),
            ("with a new compiler", new_compiler.product(kind, usual)?),
            ("with a new open", new_open.product(kind, usual)?),
            (
                "at other addresses",
                compiler.product(kind, Surroundings { gap: 4096, ..usual })?,
            ),
            (
                "with other bytes in the padding of the structures and between them",
                compiler.product(kind, Surroundings::OTHER)?,
            ),
            ("in a new process", other_process),
        ];
        for (how, product) in others {
            let difference = match &product {
                Some(product) => expected.difference(product),
                None => Some("the compile fails".into()),
            };
            if let Some(difference) = difference {
                broken!(
                    call: "pfnCompilePipelineState ({name}), once and then {how}",
                    expected: "the same keys and the same object code",
                    got: "a difference: {difference}",
                );
            }
        }
    }
    Ok(())
}

pub(crate) fn refuses_malformed_programs(subject: &Subject) -> Outcome {
    let (_, compiler) = compiler(subject)?;
    for kind in USUAL_KINDS {
        compiler.compiled(&Arc::default(), USUAL_TYPES, kind)?;
    }
    for malformed in shaders::malformed()? {
        let what = malformed.what;
        let program = Guarded::new(malformed.bytes.len(), 8, Place::End, 0)?;
        program.write(&malformed.bytes);
        let kind = if malformed.stage == Stage::Compute {
            &COMPUTE
        } else {
            &GRAPHICS
        };
        let replaced = Replaced {
            stage: malformed.stage,
            program: program.ptr(),
        };
        let pipeline = Pipeline::with(kind, Surroundings::USUAL, Some(replaced))?;
        let fault = |got: &str| {
            failure!(
                call: "pfnCompilePipelineState of a malformed program: {what}",
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
        subject.at(format!("compiling a malformed program: {what}"));
        let recording = watched(watches, || {
            compiler.compile(&Arc::default(), USUAL_TYPES, pipeline.arg)
        });
        let (result, lists) = (recording.result, recording.key_lists().count());
        ensure!(
            !result.is_ok() || !malformed.obvious,
            call: "pfnCompilePipelineState of a malformed program: {what}",
            expected: "a failure",
            got: "returned {result}",
        );
        ensure!(
            result.is_ok() || lists == 0,
            call: "pfnCompilePipelineState of a malformed program: {what}",
            expected: "no call of pfnCompilerCacheSetObjectValueKeys by a compile that fails",
            got: "returned {result}, with {lists} of these calls",
        );
        std::mem::forget((pipeline, program));
    }
    Ok(())
}

pub(crate) fn compiles_every_kind(subject: &Subject) -> Outcome {
    let (rig, compiler) = compiler(subject)?;
    for kind in kinds(&rig)? {
        let name = kind.name;
        subject.at(format!("compiling {name}"));
        let fault = Watch::anywhere(failure!(
            call: "pfnCompilePipelineState ({name})",
            expected: "success",
            got: "a memory fault",
        ));
        let cache = Arc::default();
        let recording = watched(vec![fault], || {
            compiler.compile_kind(&cache, USUAL_TYPES, kind, Surroundings::USUAL)
        })?;
        let result = recording.result;
        ensure!(
            result.is_ok(),
            call: "pfnCompilePipelineState ({name})",
            expected: "success",
            got: "returned {result}",
        );
    }
    Ok(())
}

pub(crate) fn writes_no_input(subject: &Subject) -> Outcome {
    let (rig, compiler) = compiler(subject)?;
    for kind in kinds(&rig)? {
        let name = kind.name;
        compiler.compiled(&Arc::default(), USUAL_TYPES, kind)?;
        let pipeline = Pipeline::new(kind, Surroundings::USUAL)?;
        let memory = pipeline.arena.memory();
        memory.protect(Protection::READ)?;
        let written = Watch::new(
            memory.addresses(),
            failure!(
                call: "pfnCompilePipelineState ({name}), with a read-only description",
                expected: "a description that is only read",
                got: "a write to it",
            ),
        );
        subject.at(format!("compiling {name} from read-only memory"));
        let result = watched(vec![written], || {
            compiler
                .compile(&Arc::default(), USUAL_TYPES, pipeline.arg)
                .result
        });
        ensure!(
            result.is_ok(),
            call: "pfnCompilePipelineState ({name}), with a read-only description",
            expected: "success, as with a writable one",
            got: "returned {result}",
        );
        std::mem::forget(pipeline);
    }
    Ok(())
}

pub(crate) fn refuses_null(subject: &Subject) -> Outcome {
    let (_, compiler) = compiler(subject)?;
    subject.at("pfnCompilePipelineState(null)");
    let fault = Watch::null(failure!(
        call: "pfnCompilePipelineState with a null pPipelineStateArg",
        expected: "E_INVALIDARG",
        got: "the null pointer was used",
    ));
    let recording = watched(vec![fault], || {
        compiler.compile(&Arc::default(), USUAL_TYPES, ptr::null())
    });
    let (result, lists) = (recording.result, recording.key_lists().count());
    ensure!(
        result == E_INVALIDARG && lists == 0,
        call: "pfnCompilePipelineState with a null pPipelineStateArg",
        expected: "E_INVALIDARG, and no call of pfnCompilerCacheSetObjectValueKeys",
        got: "returned {result}, with {lists} of these calls",
    );
    Ok(())
}
