//! What it costs to record a call straight into the driver, through a layer such as the runtime's, and by a bare indirect
//! call of the same function of the driver (D3D12RuntimeBypass.md). docs/driver-speed.md has the results.
//!
//!     cargo bench -p mock-umd --bench bypass
//!
//! With a number it runs so many turns, with a word only the rows whose name has it. So `valgrind --tool=callgrind
//! --collect-atstart=no --toggle-collect='*Driver*bare*' … 3 Draw`, less the same of 1 turn, counts the instructions of
//! one way of calling; the others are `direct` and `layered`.
#![allow(clippy::wildcard_imports, reason = "the names are the DDI's")]

use std::ffi::c_void;
use std::hint::black_box;

use bench_support::{in_turns, median, timed};
use ddi_sys::*;

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/driver/host.rs"]
mod host;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/driver/lists.rs"]
mod lists;
#[path = "../tests/driver/pipelines.rs"]
mod pipelines;

use host::{Block, Device};
use lists::List;

/// Calls of a run: "well over 100,000 in some cases".
const CALLS: u32 = 100_000;
const TURNS: usize = 51;

/// What an application calls: the part of ID3D12GraphicsCommandList's table that is measured.
#[repr(C)]
struct Table {
    draw: PFND3D12DDI_DRAWINSTANCED_0114,
    set_pipeline: PFND3D12DDI_SET_PIPELINE_STATE_0114,
    set_constants: PFND3D12DDI_SET_ROOT_32BIT_CONSTANTS_0114,
}

/// An object of the application's: the header, and what the runtime keeps behind it.
#[repr(C)]
struct ApiObject {
    table: *const Table,
    driver: *mut c_void,
    ddi: *const D3D12DDI_COMMAND_LIST_FUNCS_3D_0108,
}

unsafe extern "system" fn forward_draw(
    list: D3D12DDI_API_HCOMMANDLIST,
    vertices: UINT,
    instances: UINT,
    first_vertex: UINT,
    first_instance: UINT,
) {
    // SAFETY: the list is an object of this benchmark's.
    unsafe {
        let object = &*list.pDrvPrivate.cast::<ApiObject>();
        let list = D3D12DDI_HCOMMANDLIST {
            pDrvPrivate: object.driver,
        };
        let draw = (*object.ddi).pfnDrawInstanced.unwrap_unchecked();
        draw(list, vertices, instances, first_vertex, first_instance);
    }
}

unsafe extern "system" fn forward_set_pipeline(
    list: D3D12DDI_API_HCOMMANDLIST,
    pipeline: D3D12DDI_API_HPIPELINESTATE,
) {
    // SAFETY: both are objects of this benchmark's.
    unsafe {
        let object = &*list.pDrvPrivate.cast::<ApiObject>();
        let list = D3D12DDI_HCOMMANDLIST {
            pDrvPrivate: object.driver,
        };
        let pipeline = D3D12DDI_HPIPELINESTATE {
            pDrvPrivate: (*pipeline.pDrvPrivate.cast::<ApiObject>()).driver,
        };
        (*object.ddi).pfnSetPipelineState.unwrap_unchecked()(list, pipeline);
    }
}

unsafe extern "system" fn forward_set_constants(
    list: D3D12DDI_API_HCOMMANDLIST,
    parameter: UINT,
    count: UINT,
    data: *const c_void,
    offset: UINT,
) {
    // SAFETY: the list is an object of this benchmark's.
    unsafe {
        let object = &*list.pDrvPrivate.cast::<ApiObject>();
        let list = D3D12DDI_HCOMMANDLIST {
            pDrvPrivate: object.driver,
        };
        let set = (*object.ddi)
            .pfnSetGraphicsRoot32BitConstants
            .unwrap_unchecked();
        set(list, parameter, count, data, offset);
    }
}

static FORWARDING: Table = Table {
    draw: Some(forward_draw),
    set_pipeline: Some(forward_set_pipeline),
    set_constants: Some(forward_set_constants),
};

/// What is called in a run.
#[derive(Clone, Copy, PartialEq)]
enum Calls {
    Draw,
    SetPipeline,
    SetConstants,
    /// One pipeline, then three times constants and three draws.
    Frame,
}

static CONSTANTS: [u32; 4] = [1, 2, 3, 4];

/// Calls the slots of a run, by how each is called.
fn record(
    calls: Calls,
    mut draw: impl FnMut(),
    mut set_pipeline: impl FnMut(),
    mut set_constants: impl FnMut(),
) {
    for call in 0..CALLS {
        match calls {
            Calls::Draw => draw(),
            Calls::SetPipeline => set_pipeline(),
            Calls::SetConstants => set_constants(),
            Calls::Frame => match call % 7 {
                0 => set_pipeline(),
                1 | 3 | 5 => set_constants(),
                _ => draw(),
            },
        }
    }
}

/// A device of a build, a list, and a pipeline to set.
struct Driver<'a> {
    list: List<'a>,
    pipeline: *mut c_void,
}

impl<'a> Driver<'a> {
    fn new(device: &'a Device, blocks: &[Block; 3]) -> Self {
        let [pipeline, state_object, root_signature] = blocks.each_ref().map(Block::address);
        pipelines::create(device, pipeline, state_object, root_signature);
        Self {
            list: List::new(device),
            pipeline,
        }
    }

    fn restart(&self) {
        self.list.close();
        self.list.reset();
    }

    /// By the driver's handles, each slot in a variable.
    #[inline(never)]
    fn bare(&self, calls: Calls) {
        let table = &self.list.device.list;
        let draw = black_box(table.pfnDrawInstanced.unwrap());
        let set_pipeline = black_box(table.pfnSetPipelineState.unwrap());
        let set_constants = black_box(table.pfnSetGraphicsRoot32BitConstants.unwrap());
        let list = self.list.handle;
        let pipeline = D3D12DDI_HPIPELINESTATE {
            pDrvPrivate: self.pipeline,
        };
        // SAFETY: handles are looked up, and the constants have the size.
        record(
            calls,
            || unsafe { draw(list, 60, 1, 0, 0) },
            || unsafe { set_pipeline(list, pipeline) },
            || unsafe { set_constants(list, 0, 4, CONSTANTS.as_ptr().cast(), 0) },
        );
    }

    /// As an application calls: by the table of the object.
    #[inline(never)]
    fn direct(&self, calls: Calls, table: &Table) {
        self.by_object(calls, table);
    }

    /// As `direct`, but the table is that of a layer.
    #[inline(never)]
    fn layered(&self, calls: Calls) {
        self.by_object(calls, &FORWARDING);
    }

    #[inline]
    fn by_object(&self, calls: Calls, table: &Table) {
        let ddi = &raw const self.list.device.list;
        let object = |driver| ApiObject {
            table: &raw const *table,
            driver,
            ddi,
        };
        let list = black_box(object(self.list.address()));
        let pipeline = black_box(object(self.pipeline));
        let this = black_box(D3D12DDI_API_HCOMMANDLIST {
            pDrvPrivate: (&raw const list).cast_mut().cast(),
        });
        let pipeline = D3D12DDI_API_HPIPELINESTATE {
            pDrvPrivate: (&raw const pipeline).cast_mut().cast(),
        };
        // SAFETY: the object begins with the address of its table.
        let table = || unsafe { &**black_box(this.pDrvPrivate).cast::<*const Table>() };
        // SAFETY: the objects begin with headers, and the constants have the size.
        record(
            calls,
            || unsafe { table().draw.unwrap_unchecked()(this, 60, 1, 0, 0) },
            || unsafe { table().set_pipeline.unwrap_unchecked()(this, pipeline) },
            || unsafe {
                table().set_constants.unwrap_unchecked()(this, 0, 4, CONSTANTS.as_ptr().cast(), 0);
            },
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let turns = arguments.iter().find_map(|argument| argument.parse().ok());
    let turns: usize = turns.unwrap_or(TURNS);
    let is_word = |argument: &&String| argument.starts_with(char::is_alphabetic);
    let word = arguments.iter().find(is_word).cloned().unwrap_or_default();
    let blocks = [(); 2].map(|()| [(); 3].map(|()| Block::new()));
    let (old, new) = (Device::new(113), Device::new(114));
    let (old, new) = (Driver::new(&old, &blocks[0]), Driver::new(&new, &blocks[1]));
    let direct = Table {
        draw: new.list.device.bypass.pfnDrawInstanced,
        set_pipeline: new.list.device.bypass.pfnSetPipelineState,
        set_constants: new.list.device.bypass.pfnSetGraphicsRoot32BitConstants,
    };
    println!("| calls | bare | direct | through a layer | direct / bare | direct / layer |");
    println!("|---|---|---|---|---|---|");
    for (name, calls) in [
        ("DrawInstanced", Calls::Draw),
        ("SetPipelineState", Calls::SetPipeline),
        ("SetGraphicsRoot32BitConstants, 4", Calls::SetConstants),
        ("a frame of all three", Calls::Frame),
    ] {
        if !name.contains(&word) {
            continue;
        }
        let mut rows: [Box<dyn FnMut() -> f64>; 3] = [
            Box::new(|| {
                old.restart();
                timed(|| old.bare(calls)).clock
            }),
            Box::new(|| {
                new.restart();
                timed(|| new.direct(calls, &direct)).clock
            }),
            Box::new(|| {
                old.restart();
                timed(|| old.layered(calls)).clock
            }),
        ];
        let times = in_turns(turns, &mut rows);
        let each = |row: usize| 1e9 * median(times[row].iter().copied()) / f64::from(CALLS);
        let ratio = |a: usize, b: usize| median(times[a].iter().zip(&times[b]).map(|(a, b)| a / b));
        println!(
            "| {name} | {:.1} ns | {:.1} ns | {:.1} ns | {:.2} | {:.2} |",
            each(0),
            each(1),
            each(2),
            ratio(1, 0),
            ratio(1, 2)
        );
    }
    for driver in [&old, &new] {
        assert_eq!(driver.list.device.list_errors(), []);
    }
}
