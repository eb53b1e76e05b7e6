//! P-CBT: the table of the host's callbacks.

use crate::Rule;
use crate::arena::Surroundings;
use crate::compiler::{ABSURD_SIZE, PRIVATE_ALIGN, USUAL_TYPES};
use crate::fault::{Watch, watched};
use crate::inputs::{Application, Inputs};
use crate::memory::{Guarded, Place};
use crate::pipeline::{COMPUTE, Pipeline};
use crate::recorder::callbacks;
use crate::subject::{Open, Subject, callback_table};
use crate::verdict::{Outcome, Stop, broken, ensure, failure};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
    D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE as CACHE,
    D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_MAX,
};
use region::Protection;
use std::sync::Arc;

const SIZE: usize = size_of::<D3D12DDI_COMPILER_CACHE_CALLBACKS>();

/// An open with a selected version.
fn selected(subject: &Subject) -> Result<Open, Stop> {
    let open = subject.open()?;
    open.select()?;
    Ok(open)
}

pub(crate) fn accepts_the_exact_size(subject: &Subject) -> Outcome {
    let open = selected(subject)?;
    let table = callback_table(callbacks::<0>(), Place::Roomy)?;
    subject.at("pfnSetCallbackDDITable(CACHE)");
    let result = open.set_callback_ddi_table(CACHE, Some(&table), SIZE);
    ensure!(
        result.is_ok(),
        call: "pfnSetCallbackDDITable(CACHE, size {SIZE})",
        expected: "success",
        got: "returned {result}",
    );
    Ok(())
}

/// The buffer gets another valid table as soon as the call is over, so that a plugin that kept the
/// pointer is seen in the act.
pub(crate) fn is_copied(subject: &Subject) -> Outcome {
    let rig = subject.rig_without_callbacks()?;
    let table = callback_table(callbacks::<1>(), Place::Roomy)?;
    if !rig
        .open
        .set_callback_ddi_table(CACHE, Some(&table), SIZE)
        .is_ok()
    {
        return Err(Stop::needs(Rule::P_CBT_01));
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
        return Err(Stop::needs(Rule::P_PSO_01));
    }
    Ok(())
}

pub(crate) fn refuses_what_is_wrong(subject: &Subject) -> Outcome {
    let open = selected(subject)?;
    let table = callback_table(callbacks::<0>(), Place::Roomy)?;
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
    for size in [0, size_of::<usize>(), SIZE - 1] {
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
    Ok(())
}

pub(crate) fn compiler_without_one_fails(subject: &Subject) -> Outcome {
    // That the target and the pipeline are good is shown with a callback table first.
    let rig = subject.rig()?;
    let target = rig.target()?;
    rig.compiler(target)?
        .compiled(&Arc::default(), USUAL_TYPES, &COMPUTE)?;

    let rig = subject.rig_without_callbacks()?;
    let inputs = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
    let fault = || {
        Watch::anywhere(failure!(
            call: "pfnCreateCompiler and pfnCompilePipelineState without pfnSetCallbackDDITable",
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
        call: "pfnCreateCompiler and pfnCompilePipelineState without pfnSetCallbackDDITable",
        expected: "a failure of one of them",
        got: "both succeeded",
    );
    Ok(())
}

pub(crate) fn is_only_read(subject: &Subject) -> Outcome {
    for place in Place::TIGHT {
        let open = selected(subject)?;
        let table = callback_table(callbacks::<0>(), place)?;
        table.protect(Protection::READ)?;
        let inside = Watch::new(
            table.addresses(),
            failure!(
                call: "pfnSetCallbackDDITable(CACHE, size {SIZE}), in read-only memory",
                expected: "a table that is only read",
                got: "a write to it",
            ),
        );
        let outside = Watch::new(
            table.all_addresses(),
            failure!(
                call: "pfnSetCallbackDDITable(CACHE, size {SIZE})",
                expected: "access to the {SIZE} bytes of the table only",
                got: "access to memory beside them",
            ),
        );
        subject.at("pfnSetCallbackDDITable(CACHE), in read-only memory");
        let result = watched(vec![inside, outside], || {
            open.set_callback_ddi_table(CACHE, Some(&table), SIZE)
        });
        if !result.is_ok() {
            return Err(Stop::needs(Rule::P_CBT_01));
        }
    }
    Ok(())
}
