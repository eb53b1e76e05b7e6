//! U-RTBP: command lists that an application calls without the runtime.

use std::ptr;

use bytemuck::Zeroable;
use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure};
use ddi_sys::{
    D3D12DDI_API_HCOMMANDLIST, D3D12DDI_COMMAND_LIST_FUNCS_3D_0114, D3D12DDI_INDEX_BUFFER_VIEW,
    D3D12DDI_PRIMITIVE_TOPOLOGY_3_CONTROL_POINT_PATCHLIST,
    D3D12DDI_PRIMITIVE_TOPOLOGY_TRIANGLELIST, D3D12DDI_RECT, D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D,
    D3D12DDI_VERTEX_BUFFER_VIEW, D3D12DDI_VIEWPORT, FALSE, S_OK,
};

use super::Tests;
use crate::driver::list::List;
use crate::driver::objects::{Header, PipelineState};
use crate::driver::{Device, Driver, slot};
use crate::inputs::pipeline::{self, Kind, Stage};

/// The build that brought the header.
const BUILD: u32 = 114;

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::U_RTBP_01, u_rtbp_01_the_table_is_whole),
    (rules::U_RTBP_02, u_rtbp_02_lists_are_found_by_their_header),
    (
        rules::U_RTBP_03,
        u_rtbp_03_objects_are_found_by_their_header,
    ),
];

type Table = D3D12DDI_COMMAND_LIST_FUNCS_3D_0114;
type Call = (
    &'static str,
    fn(&Table, D3D12DDI_API_HCOMMANDLIST) -> Result<(), Stop>,
);

macro_rules! calls {
    ($($slot:ident($($argument:expr),*);)*) => {
        [$((stringify!($slot), |table: &Table, list| {
            let call = slot!(list.$slot of table);
            // SAFETY: an object of the application's that begins with the header; pointers live during the call.
            unsafe { call(list $(, $argument)*) };
            Ok(())
        })),*]
    };
}

fn zeroed<T: Zeroable + 'static>() -> &'static T {
    Box::leak(Box::new(T::zeroed()))
}

static FOUR: [f32; 4] = [0.5, 1.0, 1.5, 2.0];

/// Functions that are legal on a list without a pipeline, and need no optional capability.
static STATE: &[Call] = &calls! {
    pfnIaSetTopology(D3D12DDI_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
    pfnRsSetViewports(1, zeroed::<D3D12DDI_VIEWPORT>());
    pfnRsSetScissorRects(1, zeroed::<D3D12DDI_RECT>());
    pfnOmSetBlendFactor(FOUR.as_ptr().cast());
    pfnOmSetStencilRef(9);
    pfnIASetIndexBuffer(zeroed::<D3D12DDI_INDEX_BUFFER_VIEW>());
    pfnIASetVertexBuffers(0, 1, zeroed::<D3D12DDI_VERTEX_BUFFER_VIEW>());
    pfnSOSetTargets(0, 0, ptr::null());
    pfnOMSetRenderTargets(0, ptr::null(), FALSE, ptr::null());
};

/// With a graphics pipeline.
static DRAWS: &[Call] = &calls! {
    pfnDrawInstanced(3, 1, 0, 0);
    pfnDrawIndexedInstanced(3, 1, 0, 0, 0);
};

/// With one of a mesh shader.
static MESHES: &[Call] = &calls! { pfnDispatchMesh(1, 1, 1); };

/// With a compute pipeline.
static DISPATCHES: &[Call] = &calls! { pfnDispatch(1, 1, 1); };

fn u_rtbp_01_the_table_is_whole(driver: &Driver) -> Outcome {
    let device = driver.device(BUILD)?;
    let size = size_of::<Table>();
    driver.at("pfnFillDDITable(COMMAND_LIST_3D)");
    let kind = D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D;
    let (result, table) = device.adapter.slots(kind, size, 0)?;
    let table = &table[..size / size_of::<usize>()];
    let null = table.iter().position(|function| *function == 0);
    ensure!(
        result == S_OK && null.is_none(),
        call: "pfnFillDDITable(COMMAND_LIST_3D) for build {BUILD} or later",
        expected: "S_OK and no null function",
        got: "returned {result}; the first null slot is {null:?}",
    );
    Ok(())
}

/// Makes the calls on the list: a fault ends the process, and an error is reported.
fn make(driver: &Driver, list: &List<'_>, calls: &[Call], place: Header) -> Outcome {
    for (name, call) in calls {
        driver.at(format!("{name}, with the header {place:?}"));
        call(list.table(), list.api())?;
        if let Some(error) = list.take_errors().first() {
            broken!(
                call: "{name} by the application's object, with the header {place:?}",
                expected: "no error",
                got: "it reported {error}",
            );
        }
        if let Some(offset) = list.stray_write() {
            broken!(
                call: "{name} by the application's object, with the header {place:?}",
                expected: "no write to the runtime's part of the object",
                got: "it wrote {offset} bytes behind the header's beginning",
            );
        }
    }
    Ok(())
}

fn close(driver: &Driver, list: &List<'_>, place: Header) -> Outcome {
    driver.at("pfnCloseCommandList");
    list.close()?;
    if let Some(error) = list.take_errors().first() {
        broken!(
            call: "pfnCloseCommandList after calls by the application's object, with the header {place:?}",
            expected: "no error",
            got: "it reported {error}",
        );
    }
    Ok(())
}

fn u_rtbp_02_lists_are_found_by_their_header(driver: &Driver) -> Outcome {
    let device = driver.device(BUILD)?;
    for place in Header::ALL {
        let list = List::new(driver, &device, place)?;
        make(driver, &list, STATE, place)?;
        close(driver, &list, place)?;
    }
    Ok(())
}

fn has(kind: &Kind, stage: Stage) -> bool {
    kind.shaders.iter().any(|(other, _)| *other == stage)
}

/// Draws with a pipeline, whose objects are given by their headers.
fn draw(
    driver: &Driver,
    device: &Device,
    kind: &Kind,
    drawn: &PipelineState,
    place: Header,
) -> Outcome {
    let draws = if has(kind, Stage::Compute) {
        DISPATCHES
    } else if kind.has_mesh_shaders() {
        MESHES
    } else {
        DRAWS
    };
    let list = List::new(driver, device, place)?;
    let (table, this) = (list.table(), list.api());
    let set = if has(kind, Stage::Compute) {
        slot!(list.pfnSetComputeRootSignature of table)
    } else {
        slot!(list.pfnSetGraphicsRootSignature of table)
    };
    let set_pipeline = slot!(list.pfnSetPipelineState of table);
    driver.at(format!(
        "setting a root signature and a pipeline, with the headers {place:?}"
    ));
    // SAFETY: objects of the application's that begin with the header.
    unsafe {
        set(this, drawn.root_signature());
        set_pipeline(this, drawn.pipeline());
    }
    if let Some(error) = list.take_errors().first() {
        let kind = kind.name;
        broken!(
            call: "the root signature and pfnSetPipelineState of {kind} by the application's objects, with the headers {place:?}",
            expected: "no error",
            got: "it reported {error}",
        );
    }
    if !has(kind, Stage::Compute) && !kind.has_mesh_shaders() {
        let topology = if has(kind, Stage::Hull) {
            D3D12DDI_PRIMITIVE_TOPOLOGY_3_CONTROL_POINT_PATCHLIST
        } else {
            D3D12DDI_PRIMITIVE_TOPOLOGY_TRIANGLELIST
        };
        // SAFETY: objects of the application's that begin with the header.
        unsafe { slot!(list.pfnIaSetTopology of table)(this, topology) };
    }
    make(driver, &list, draws, place)?;
    close(driver, &list, place)
}

fn u_rtbp_03_objects_are_found_by_their_header(driver: &Driver) -> Outcome {
    let device = driver.device(BUILD)?;
    let mut refused = Vec::new();
    let mut drawn = 0;
    for kind in pipeline::KINDS {
        for place in Header::ALL {
            match PipelineState::new(driver, &device, kind, place) {
                Ok(objects) => draw(driver, &device, kind, &objects, place)?,
                // What a driver need not support, such as mesh shaders.
                Err(Stop::Undecided(reason)) => {
                    refused.push(format!("{}: {reason}", kind.name));
                    break;
                }
                Err(stop) => return Err(stop),
            }
            drawn += 1;
        }
    }
    let refused = refused.join("; ");
    if drawn == 0 {
        return Err(Stop::Undecided(refused));
    }
    if !refused.is_empty() {
        driver.note(format!("without what the driver refuses: {refused}"));
    }
    Ok(())
}
