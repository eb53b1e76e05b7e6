//! D3D12RuntimeBypass.md: each API of "Applicable APIs" records the same command by the application's
//! object as by the driver's handle.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use bytemuck::Zeroable;
use ddi_sys::*;
use mock_umd::inspect::Command;

use crate::host::{Block, Device};
use crate::lists::List;

/// An object of the application's, with the driver's memory behind it.
struct Api {
    header: Box<D3D12DDI_RUNTIME_BYPASS_HEADER>,
    driver: *mut c_void,
}

impl Api {
    fn of(driver: *mut c_void) -> Self {
        Self {
            header: Box::new(D3D12DDI_RUNTIME_BYPASS_HEADER {
                pInterfaceVtable: null(),
                pDriverObject: driver,
            }),
            driver,
        }
    }

    /// With memory of its own, which stays until after the device.
    fn new() -> Self {
        Self::of(std::mem::ManuallyDrop::new(Block::new()).address())
    }

    fn address(&self) -> *mut c_void {
        (&raw const *self.header).cast_mut().cast()
    }
}

/// What the calls are made with.
struct Objects {
    list: Api,
    pipeline: Api,
    state_object: Api,
    root_signature: Api,
}

/// Calls a slot of both tables with the same arguments, those that are objects as the driver's and as
/// the application's.
macro_rules! both {
    ($rows:ident: $($slot:ident($($argument:tt)*);)*) => {$(
        $rows.push((
            stringify!($slot),
            Box::new(|device: &Device, objects: &Objects| {
                let list = D3D12DDI_HCOMMANDLIST { pDrvPrivate: objects.list.driver };
                // SAFETY: the arguments live during the call, and handles are looked up.
                unsafe { call!(device.list.$slot, list, objects, driver, $($argument)*) }
            }) as Call,
            Box::new(|device: &Device, objects: &Objects| {
                let list = D3D12DDI_API_HCOMMANDLIST { pDrvPrivate: objects.list.address() };
                // SAFETY: the arguments live during the call, and the objects begin with headers.
                unsafe { call!(device.bypass.$slot, list, objects, application, $($argument)*) }
            }) as Call,
        ));
    )*};
}

macro_rules! call {
    ($slot:expr, $list:ident, $objects:ident, driver, object $field:ident $handle:ident $api:ident) => {
        $slot.unwrap()($list, $handle { pDrvPrivate: $objects.$field.driver })
    };
    ($slot:expr, $list:ident, $objects:ident, application, object $field:ident $handle:ident $api:ident) => {
        $slot.unwrap()($list, $api { pDrvPrivate: $objects.$field.address() })
    };
    ($slot:expr, $list:ident, $objects:ident, $side:ident, $($argument:expr),*) => {
        $slot.unwrap()($list $(, $argument)*)
    };
}

type Call = Box<dyn Fn(&Device, &Objects)>;
type Row = (&'static str, Call, Call);

static FOUR: [f32; 4] = [0.5, 1.0, 1.5, 2.0];
static WORDS: [u32; 3] = [7, 8, 9];
static HANDLES: [D3D12DDI_CPU_DESCRIPTOR_HANDLE; 2] = [
    D3D12DDI_CPU_DESCRIPTOR_HANDLE { ptr: 64 },
    D3D12DDI_CPU_DESCRIPTOR_HANDLE { ptr: 96 },
];

fn zeroed<T: Zeroable + 'static>() -> &'static T {
    Box::leak(Box::new(T::zeroed()))
}

fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    both! { rows:
        pfnDrawInstanced(3, 1, 0, 2);
        pfnDrawIndexedInstanced(6, 2, 1, -4, 3);
        pfnDispatch(1, 2, 3);
        pfnIaSetTopology(D3D12DDI_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
        pfnRsSetViewports(1, zeroed::<D3D12DDI_VIEWPORT>());
        pfnRsSetScissorRects(1, zeroed::<D3D12DDI_RECT>());
        pfnOmSetBlendFactor(FOUR.as_ptr().cast());
        pfnOmSetStencilRef(9);
        pfnSetPipelineState(object pipeline D3D12DDI_HPIPELINESTATE D3D12DDI_API_HPIPELINESTATE);
        pfnSetComputeRootSignature(object root_signature D3D12DDI_HROOTSIGNATURE D3D12DDI_API_HROOTSIGNATURE);
        pfnSetGraphicsRootSignature(object root_signature D3D12DDI_HROOTSIGNATURE D3D12DDI_API_HROOTSIGNATURE);
        pfnSetComputeRootDescriptorTable(1, D3D12DDI_GPU_DESCRIPTOR_HANDLE { ptr: 5 });
        pfnSetGraphicsRootDescriptorTable(1, D3D12DDI_GPU_DESCRIPTOR_HANDLE { ptr: 5 });
        pfnSetComputeRoot32BitConstant(1, 2, 3);
        pfnSetGraphicsRoot32BitConstant(1, 2, 3);
        pfnSetComputeRoot32BitConstants(1, 3, WORDS.as_ptr().cast(), 4);
        pfnSetGraphicsRoot32BitConstants(1, 3, WORDS.as_ptr().cast(), 4);
        pfnSetComputeRootConstantBufferView(1, 0x1_0000);
        pfnSetGraphicsRootConstantBufferView(1, 0x1_0000);
        pfnSetComputeRootShaderResourceView(1, 0x1_0000);
        pfnSetGraphicsRootShaderResourceView(1, 0x1_0000);
        pfnSetComputeRootUnorderedAccessView(1, 0x1_0000);
        pfnSetGraphicsRootUnorderedAccessView(1, 0x1_0000);
        pfnIASetIndexBuffer(zeroed::<D3D12DDI_INDEX_BUFFER_VIEW>());
        pfnIASetVertexBuffers(0, 1, zeroed::<D3D12DDI_VERTEX_BUFFER_VIEW>());
        pfnSOSetTargets(0, 1, zeroed::<D3D12DDI_STREAM_OUTPUT_BUFFER_VIEW>());
        pfnOMSetRenderTargets(2, HANDLES.as_ptr(), FALSE, null());
        pfnOMSetDepthBounds(0.25, 0.75);
        pfnSetSamplePositions(1, 1, std::ptr::from_ref(zeroed::<D3D12DDI_SAMPLE_POSITION>()).cast_mut());
        pfnSetViewInstanceMask(3);
        pfnSetPipelineState1(object state_object D3D12DDI_HSTATEOBJECT_0054 D3D12DDI_API_HSTATEOBJECT);
        pfnDispatchRays(zeroed::<D3D12DDIARG_DISPATCH_RAYS_0054>());
        pfnRSSetShadingRate(D3D12DDI_SHADING_RATE_0062(1), null());
        pfnDispatchMesh(1, 2, 3);
        pfnOmSetFrontAndBackStencilRef(1, 2);
        pfnRSSetDepthBias(1.0, 2.0, 3.0);
        pfnIASetIndexBufferStripCutValue(D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE(1));
        pfnSetProgram(zeroed::<D3D12DDI_SET_PROGRAM_DESC_0108>());
        pfnDispatchGraph(zeroed::<D3D12DDI_DISPATCH_GRAPH_DESC_0108>());
    }
    rows
}

/// "Applicable APIs", by the slots. The calls that build, emit and copy acceleration structures are in
/// the list, but the table of 0114 keeps their driver handles.
const ELIGIBLE: usize = 42;
const KEPT: [&str; 3] = [
    "pfnBuildRaytracingAccelerationStructure",
    "pfnEmitRaytracingAccelerationStructurePostbuildInfo",
    "pfnCopyRaytracingAccelerationStructure",
];

/// Objects that can be set.
fn objects(device: &Device, list: &List<'_>) -> Objects {
    let objects = Objects {
        list: Api::of(list.address()),
        pipeline: Api::new(),
        state_object: Api::new(),
        root_signature: Api::new(),
    };
    crate::pipelines::create(
        device,
        objects.pipeline.driver,
        objects.state_object.driver,
        objects.root_signature.driver,
    );
    objects
}

#[test]
fn every_eligible_api_records_the_same_by_both_entries() {
    // Below build 114 the table takes the driver's handles, from there on the application's.
    let (normal, bypass) = (Device::new(113), Device::new(114));
    let rows = rows();
    let names: Vec<_> = rows.iter().map(|row| row.0).collect();
    let entries: Vec<_> = Command::BYPASS
        .iter()
        .copied()
        .filter(|slot| !slot.is_empty())
        .collect();
    assert_eq!(names, entries);
    assert_eq!(names.len() + KEPT.len(), ELIGIBLE);
    let (normal_list, bypass_list) = (List::new(&normal), List::new(&bypass));
    let normal_objects = objects(&normal, &normal_list);
    let bypass_objects = objects(&bypass, &bypass_list);
    for (slot, by_driver, by_application) in &rows {
        normal_list.close();
        normal_list.reset();
        bypass_list.close();
        bypass_list.reset();
        by_driver(&normal, &normal_objects);
        by_application(&bypass, &bypass_objects);
        let without_numbers = |list: &List<'_>| {
            let text = list.commands().join("; ");
            // The two devices' objects have other numbers.
            text.split("ObjectId(").next().unwrap().to_owned()
        };
        let recorded = without_numbers(&normal_list);
        assert!(!recorded.is_empty(), "{slot}");
        assert_eq!(recorded, without_numbers(&bypass_list), "{slot}");
        assert_eq!(normal.list_errors(), [], "{slot}");
        assert_eq!(bypass.list_errors(), [], "{slot}");
    }
}

#[test]
fn a_null_object_of_the_application_is_refused() {
    let device = Device::new(114);
    let list = List::new(&device);
    let api = Api::of(list.address());
    let list_handle = D3D12DDI_API_HCOMMANDLIST {
        pDrvPrivate: api.address(),
    };
    let empty = Api::of(null_mut());
    let set = device.bypass.pfnSetPipelineState.unwrap();
    for pipeline in [null_mut(), empty.address()] {
        let pipeline = D3D12DDI_API_HPIPELINESTATE {
            pDrvPrivate: pipeline,
        };
        // SAFETY: null is refused, and the other object begins with a header.
        unsafe { set(list_handle, pipeline) };
        assert_eq!(device.list_errors(), [E_INVALIDARG]);
    }
    assert!(list.commands().is_empty());
}
