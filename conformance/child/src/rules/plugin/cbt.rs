//! P-CBT: the table of the host's callbacks.

use std::sync::Arc;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure, failure};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
    D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE as CACHE,
    D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_MAX,
};
use region::Protection;

use super::Tests;
use crate::inputs::arena::Surroundings;
use crate::inputs::pipeline::{COMPUTE, Pipeline};
use crate::inputs::{Application, Inputs, Target};
use crate::plugin::compiler::{ABSURD_SIZE, PRIVATE_ALIGN, Rig, USUAL_TYPES};
use crate::plugin::recorder::{Event, callbacks};
use crate::plugin::subject::{Open, Subject, callback_table};
use crate::watch::fault::{Watch, watched};
use crate::watch::memory::{Guarded, Place};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::P_CBT_01, p_cbt_01_accepts_the_exact_size),
    (rules::P_CBT_02, p_cbt_02_is_copied),
    (rules::P_CBT_03, p_cbt_03_refuses_what_is_wrong),
    (rules::P_CBT_04, p_cbt_04_compiler_without_one_fails),
    (rules::P_CBT_05, p_cbt_05_is_only_read),
    (rules::P_CBT_06, p_cbt_06_accepts_a_larger_size),
];

const SIZE: usize = size_of::<D3D12DDI_COMPILER_CACHE_CALLBACKS>();

/// An open with a selected version.
fn selected(subject: &Subject) -> Result<Open, Stop> {
    let open = subject.open()?;
    open.select()?;
    Ok(open)
}

/// A host may set the callbacks before it fills the tables, too.
fn p_cbt_01_accepts_the_exact_size(subject: &Subject) -> Outcome {
    let set = |open: Open, version: &str| {
        let table = callback_table(callbacks::<1>(), Place::Roomy)?;
        subject.at("pfnSetCallbackDDITable(CACHE)");
        let result = open.set_callback_ddi_table(CACHE, Some(&table), SIZE);
        // Whether the plugin copies the table is P-CBT-02's business.
        std::mem::forget(table);
        ensure!(
            result.is_ok(),
            call: "pfnSetCallbackDDITable(CACHE, size {SIZE}) with DDI version {version}",
            expected: "success",
            got: "returned {result}",
        );
        Ok(())
    };
    subject.for_each_version(set)?;
    compiles_otherwise(subject)?;
    subject.for_each_version(|open, version| {
        set(open, version)?;
        let order = format!("before pfnFillDDITable, with DDI version {version}");
        reaches(subject, open.selected_rig()?, &order)
    })
}

/// That compiles work where the callbacks are set in the usual way is other rules' business.
fn compiles_otherwise(subject: &Subject) -> Outcome {
    let rig = subject.rig_with(callbacks::<1>())?;
    let compiler = rig.compiler(rig.target()?)?;
    let recording = compiler.compiled(&Arc::default(), USUAL_TYPES, &COMPUTE)?;
    if recording.events.is_empty() {
        return Err(Stop::needs(rules::P_PSO_01));
    }
    Ok(())
}

/// A new compiler reaches the callbacks of table 1, which was set in the way that is named.
fn reaches(subject: &Subject, rig: Rig, how: &str) -> Outcome {
    let target = rig.target()?;
    subject.at(format!("compiling with callbacks that were set {how}"));
    let fault = Watch::anywhere(failure!(
        call: "pfnCreateCompiler and pfnCompilePipelineState with callbacks that were set {how}",
        expected: "what comes of callbacks that are set in the usual way",
        got: "a memory fault",
    ));
    let compiled = watched(vec![fault], || {
        rig.compiler(target)?
            .compiled(&Arc::default(), USUAL_TYPES, &COMPUTE)
    });
    let recording = match compiled {
        Err(Stop::Needs { rule, got }) => {
            let got = got.unwrap_or_default();
            broken!(
                call: "pfnCreateCompiler and pfnCompilePipelineState with callbacks that were set {how}",
                expected: "success, as with callbacks that are set in the usual way",
                got: "a failure: {rule} does not hold then: {got}",
            )
        }
        other => other?,
    };
    let own = |event: &&Event| event.own_session;
    ensure!(
        recording.events.iter().filter(own).all(|event| event.table == 1),
        call: "pfnCompilePipelineState with callbacks that were set {how}",
        expected: "callbacks through that table",
        got: "a callback of another table",
    );
    Ok(())
}

/// The buffer gets another valid table as soon as the call is over, so that a plugin that kept the
/// pointer is seen in the act.
fn p_cbt_02_is_copied(subject: &Subject) -> Outcome {
    let rig = subject.rig_without_callbacks()?;
    let table = callback_table(callbacks::<1>(), Place::Roomy)?;
    if !rig
        .open
        .set_callback_ddi_table(CACHE, Some(&table), SIZE)
        .is_ok()
    {
        return Err(Stop::needs(rules::P_CBT_01));
    }
    table.put(callbacks::<2>());
    let compiler = rig.compiler(rig.target()?)?;
    subject.at("compiling after the callback table's buffer was used again");
    let recording = compiler.compiled(&Arc::default(), USUAL_TYPES, &COMPUTE)?;
    if let Some(event) = recording
        .events
        .iter()
        .find(|event| event.own_session && event.table != 1)
    {
        let name = event.callback.name();
        broken!(
            call: "pfnCompilePipelineState, after the host wrote another table to the buffer of pfnSetCallbackDDITable",
            expected: "callbacks through the table as it was during pfnSetCallbackDDITable",
            got: "{name} of the table that was written later",
        );
    }
    if recording.events.is_empty() {
        return Err(Stop::needs(rules::P_PSO_01));
    }
    Ok(())
}

/// With a right table that was set before and that counts afterwards.
fn p_cbt_03_refuses_what_is_wrong(subject: &Subject) -> Outcome {
    compiles_otherwise(subject)?;
    let rig = subject.rig_with(callbacks::<1>())?;
    let open = rig.open;
    let table = callback_table(callbacks::<2>(), Place::Roomy)?;
    for number in [D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_MAX.0, 2, i32::MAX, -1] {
        subject.at(format!("pfnSetCallbackDDITable({number})"));
        let unknown = D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE(number);
        let result = open.set_callback_ddi_table(unknown, Some(&table), SIZE);
        ensure!(
            !result.is_ok(),
            call: "pfnSetCallbackDDITable(callback table type {number}, size {SIZE})",
            expected: "a failure, as there is no such table",
            got: "returned {result}",
        );
    }
    for size in 0..SIZE {
        subject.at(format!("pfnSetCallbackDDITable(CACHE, size {size})"));
        let result = open.set_callback_ddi_table(CACHE, Some(&table), size);
        ensure!(
            !result.is_ok(),
            call: "pfnSetCallbackDDITable(CACHE, size {size}) of a table of {SIZE} bytes",
            expected: "a failure, as the table is not complete",
            got: "returned {result}",
        );
    }
    subject.at("pfnSetCallbackDDITable(CACHE, null)");
    let fault = Watch::null(failure!(
        call: "pfnSetCallbackDDITable(CACHE, null, size {SIZE})",
        expected: "a failure",
        got: "the null pointer was used",
    ));
    let result = watched(vec![fault], || {
        open.set_callback_ddi_table(CACHE, None, SIZE)
    });
    ensure!(
        !result.is_ok(),
        call: "pfnSetCallbackDDITable(CACHE, null, size {SIZE})",
        expected: "a failure",
        got: "returned {result}",
    );
    reaches(subject, rig, "before others were refused")
}

fn p_cbt_04_compiler_without_one_fails(subject: &Subject) -> Outcome {
    // That the targets and the pipeline are good is shown with a callback table first.
    let rig = subject.rig()?;
    let targets = rig.capabilities.some_targets(subject.journal())?;
    for target in &targets {
        rig.compiler(*target)?
            .compiled(&Arc::default(), USUAL_TYPES, &COMPUTE)?;
    }
    let rig = subject.rig_without_callbacks()?;
    targets
        .into_iter()
        .try_for_each(|target| fails_without(subject, &rig, target))
}

/// A compiler of an open without a callback table fails.
fn fails_without(subject: &Subject, rig: &Rig, target: Target) -> Outcome {
    let inputs = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
    let fault = || {
        Watch::anywhere(failure!(
            call: "pfnCreateCompiler and pfnCompilePipelineState ({target}) without pfnSetCallbackDDITable",
            expected: "a failure of one of them",
            got: "a memory fault",
        ))
    };
    subject.at("pfnCreateCompiler without a callback table");
    let size = watched(vec![fault()], || {
        rig.calc_private_compiler_size(inputs.target, inputs.application)
    });
    let memory = Guarded::new(size.min(ABSURD_SIZE), PRIVATE_ALIGN, Place::Roomy, 0)?;
    let created = watched(vec![fault()], || {
        rig.create_compiler(inputs.target, inputs.application, &memory)
    });
    if !created.is_ok() {
        return Ok(());
    }
    let compiler = rig.created(memory);
    let pipeline = Pipeline::new(&COMPUTE, Surroundings::USUAL)?;
    subject.at("pfnCompilePipelineState without a callback table");
    let compiled = watched(vec![fault()], || {
        compiler
            .compile(&Arc::default(), USUAL_TYPES, pipeline.arg)
            .result
    });
    ensure!(
        !compiled.is_ok(),
        call: "pfnCreateCompiler and pfnCompilePipelineState ({target}) without pfnSetCallbackDDITable",
        expected: "a failure of one of them",
        got: "both succeeded",
    );
    Ok(())
}

/// Also a table that is too short, which is refused.
fn p_cbt_05_is_only_read(subject: &Subject) -> Outcome {
    for (size, place) in (1..=SIZE).rev().flat_map(|s| Place::TIGHT.map(|p| (s, p))) {
        let open = selected(subject)?;
        let whole = callback_table(callbacks::<0>(), Place::Roomy)?;
        let table = Guarded::new(size, 1, place, 0)?;
        table.write(&whole.bytes()[..size]);
        table.protect(Protection::READ)?;
        let inside = Watch::new(
            table.addresses(),
            failure!(
                call: "pfnSetCallbackDDITable(CACHE, size {size}), in read-only memory",
                expected: "a table that is only read",
                got: "a write to it",
            ),
        );
        let outside = Watch::new(
            table.all_addresses(),
            failure!(
                call: "pfnSetCallbackDDITable(CACHE, size {size})",
                expected: "access to the {size} bytes of the table only",
                got: "access to memory beside them",
            ),
        );
        subject.at("pfnSetCallbackDDITable(CACHE), in read-only memory");
        let result = watched(vec![inside, outside], || {
            open.set_callback_ddi_table(CACHE, Some(&table), size)
        });
        if size == SIZE && !result.is_ok() {
            return Err(Stop::needs(rules::P_CBT_01));
        }
    }
    Ok(())
}

/// What a newer host has behind the callbacks that are known: nothing, and something that is none of
/// them.
fn p_cbt_06_accepts_a_larger_size(subject: &Subject) -> Outcome {
    compiles_otherwise(subject)?;
    for more in [1, 2, 8] {
        for fill in [0x00, 0x5A] {
            let rig = subject.rig_without_callbacks()?;
            let size = SIZE + more * size_of::<usize>();
            let table = Guarded::new(size, align_of::<usize>(), Place::Roomy, fill)?;
            table.put(callbacks::<1>());
            let fault = Watch::anywhere(failure!(
                call: "pfnSetCallbackDDITable(CACHE, size {size}) of a table of {SIZE} bytes, with {fill:#04x} in every byte behind them",
                expected: "success",
                got: "a memory fault",
            ));
            subject.at(format!("pfnSetCallbackDDITable(CACHE, size {size})"));
            let result = watched(vec![fault], || {
                rig.open.set_callback_ddi_table(CACHE, Some(&table), size)
            });
            ensure!(
                result.is_ok(),
                call: "pfnSetCallbackDDITable(CACHE, size {size}) of a table of {SIZE} bytes, with {fill:#04x} in every byte behind them",
                expected: "success",
                got: "returned {result}",
            );
            std::mem::forget(table);
            reaches(subject, rig, "in a larger table")?;
        }
    }
    Ok(())
}
