//! D3D12RuntimeBypass.md: each API of "Applicable APIs" records the same values by the application's object as by
//! the driver's handle: those of everything that its arguments lead to.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ddi_sys::*;
use mock_umd::inspect::{self, Command};
use serde_json::{Value, json};

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
    /// One that is null, for the driver and for the application.
    none: Api,
}

/// Calls a slot of both tables with the same arguments, those that are objects as the driver's and as
/// the application's; and what is recorded.
macro_rules! both {
    ($rows:ident: $($slot:ident($($argument:tt)*) => $recorded:tt;)*) => {$(
        $rows.push(Row {
            slot: stringify!($slot),
            by_driver: Box::new(|device: &Device, objects: &Objects| {
                let list = D3D12DDI_HCOMMANDLIST { pDrvPrivate: objects.list.driver };
                // SAFETY: the arguments live during the call, and handles are looked up.
                unsafe { call!(device.list.$slot, list, objects, driver, $($argument)*) }
            }),
            by_application: Box::new(|device: &Device, objects: &Objects| {
                let list = D3D12DDI_API_HCOMMANDLIST { pDrvPrivate: objects.list.address() };
                // SAFETY: the arguments live during the call, and the objects begin with headers.
                unsafe { call!(device.bypass.$slot, list, objects, application, $($argument)*) }
            }),
            recorded: json!($recorded),
        });
    )*};
}

/// The three calls that take the driver's handle in both tables.
macro_rules! by_driver {
    ($rows:ident: $($slot:ident($argument:expr) => $recorded:tt;)*) => {$(
        $rows.push(Row {
            slot: stringify!($slot),
            by_driver: Box::new(|device: &Device, objects: &Objects| {
                let list = D3D12DDI_HCOMMANDLIST { pDrvPrivate: objects.list.driver };
                // SAFETY: the argument lives during the call, and handles are looked up.
                unsafe { device.list.$slot.unwrap()(list, $argument) }
            }),
            by_application: Box::new(|device: &Device, objects: &Objects| {
                let list = D3D12DDI_HCOMMANDLIST { pDrvPrivate: objects.list.driver };
                // SAFETY: the argument lives during the call, and handles are looked up.
                unsafe { device.bypass.$slot.unwrap()(list, $argument) }
            }),
            recorded: json!($recorded),
        });
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

struct Row {
    slot: &'static str,
    by_driver: Call,
    by_application: Call,
    /// The arguments in the recording.
    recorded: Value,
}

static FOUR: [f32; 4] = [0.5, 1.0, 1.5, 2.0];
static WORDS: [u32; 3] = [7, 8, 9];
static HANDLES: [D3D12DDI_CPU_DESCRIPTOR_HANDLE; 2] = [
    D3D12DDI_CPU_DESCRIPTOR_HANDLE { ptr: 64 },
    D3D12DDI_CPU_DESCRIPTOR_HANDLE { ptr: 96 },
];

/// A structure that lives as long as the process.
fn leaked<T>(structure: T) -> *const T {
    Box::leak(Box::new(structure))
}

const IDENTIFIER: D3D12DDI_PROGRAM_IDENTIFIER_0108 = D3D12DDI_PROGRAM_IDENTIFIER_0108 {
    OpaqueData: [1, 2, 3, u64::MAX],
};

const fn range(start: u64) -> D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE {
    D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE {
        StartAddress: start,
        SizeInBytes: 2,
    }
}

const fn table(start: u64) -> D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE {
    D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE {
        StartAddress: start,
        SizeInBytes: 2,
        StrideInBytes: 3,
    }
}

fn program(
    kind: D3D12DDI_PROGRAM_TYPE_0108,
    arm: D3D12DDI_SET_PROGRAM_DESC_0108_0,
) -> *const D3D12DDI_SET_PROGRAM_DESC_0108 {
    leaked(D3D12DDI_SET_PROGRAM_DESC_0108 {
        Type: kind,
        Anonymous: arm,
    })
}

fn graph(
    mode: D3D12DDI_DISPATCH_MODE_0108,
    arm: D3D12DDI_DISPATCH_GRAPH_DESC_0108_0,
) -> *const D3D12DDI_DISPATCH_GRAPH_DESC_0108 {
    leaked(D3D12DDI_DISPATCH_GRAPH_DESC_0108 {
        Mode: mode,
        Anonymous: arm,
    })
}

/// Records of two bytes.
fn node_input(entry: u32, records: &'static [[u8; 2]]) -> D3D12DDI_NODE_CPU_INPUT_0108 {
    D3D12DDI_NODE_CPU_INPUT_0108 {
        EntrypointIndex: entry,
        NumRecords: u32::try_from(records.len()).unwrap(),
        pRecords: records.as_ptr().cast(),
        RecordStrideInBytes: 2,
    }
}

/// An input in the middle of something larger.
#[repr(C)]
struct Strided {
    input: D3D12DDI_NODE_CPU_INPUT_0108,
    other: [u64; 3],
}

fn node_inputs() -> D3D12DDI_MULTI_NODE_CPU_INPUT_0108 {
    static RECORDS: [[u8; 2]; 3] = [[5, 6], [7, 8], [9, 10]];
    let inputs = [(1, &RECORDS[..1]), (2, &RECORDS[1..])].map(|(entry, records)| Strided {
        input: node_input(entry, records),
        other: [u64::MAX; 3],
    });
    D3D12DDI_MULTI_NODE_CPU_INPUT_0108 {
        NumNodeInputs: 2,
        pNodeInputs: leaked(inputs).cast(),
        NodeInputStrideInBytes: size_of::<Strided>() as u64,
    }
}

fn inputs(
    kind: D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_TYPE,
    layout: D3D12DDI_ELEMENTS_LAYOUT,
    arm: D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054_0,
) -> *const D3D12DDIARG_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0054 {
    leaked(D3D12DDIARG_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0054 {
        DestAccelerationStructureData: 0x100,
        Inputs: D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054 {
            Type: kind,
            Flags: D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_COMPACTION,
            NumDescs: 2,
            DescsLayout: layout,
            Anonymous: arm,
        },
        SourceAccelerationStructureData: 0,
        ScratchAccelerationStructureData: 0x200,
        NumPostbuildInfoDescs: 1,
        pPostbuildInfoDescs: leaked(postbuild()),
    })
}

fn postbuild() -> D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC_0054 {
    D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC_0054 {
        DestBuffer: 0x300,
        InfoType: D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE(1),
    }
}

fn geometries() -> &'static [D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054; 2] {
    let triangles = D3D12DDI_RAYTRACING_GEOMETRY_TRIANGLES_DESC_0054 {
        ColumnMajorTransform3x4: 1,
        IndexFormat: DXGI_FORMAT(57),
        VertexFormat: DXGI_FORMAT(6),
        IndexCount: 2,
        VertexCount: 3,
        IndexBuffer: 4,
        VertexBuffer: D3D12DDI_GPU_VIRTUAL_ADDRESS_AND_STRIDE {
            StartAddress: 5,
            StrideInBytes: 6,
        },
    };
    let boxes = D3D12DDI_RAYTRACING_GEOMETRY_AABBS_DESC_0054 {
        AABBCount: 7,
        AABBs: D3D12DDI_GPU_VIRTUAL_ADDRESS_AND_STRIDE {
            StartAddress: 8,
            StrideInBytes: 9,
        },
    };
    Box::leak(Box::new([
        D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054 {
            Type: D3D12DDI_RAYTRACING_GEOMETRY_TYPE_TRIANGLES,
            Flags: D3D12DDI_RAYTRACING_GEOMETRY_FLAG_OPAQUE,
            Anonymous: D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054_0 {
                Triangles: triangles,
            },
        },
        D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054 {
            Type: D3D12DDI_RAYTRACING_GEOMETRY_TYPE_PROCEDURAL_PRIMITIVE_AABBS,
            Flags: D3D12DDI_RAYTRACING_GEOMETRY_FLAG_NONE,
            Anonymous: D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054_0 { AABBs: boxes },
        },
    ]))
}

/// A build of these inputs, with what both geometries have where they are.
fn built(kind: i32, layout: i32, member: &str, descs: &Value) -> Value {
    json!({ "arguments": {
        "DestAccelerationStructureData": 0x100,
        "Inputs": { "Type": kind, "Flags": 2, "NumDescs": 2, "DescsLayout": layout, member: descs },
        "SourceAccelerationStructureData": 0,
        "ScratchAccelerationStructureData": 0x200,
        "NumPostbuildInfoDescs": 1,
        "pPostbuildInfoDescs": [{ "DestBuffer": 0x300, "InfoType": 1 }],
    } })
}

fn recorded_geometries() -> Value {
    json!([
        { "Type": 0, "Flags": 1, "Triangles": {
            "ColumnMajorTransform3x4": 1, "IndexFormat": 57, "VertexFormat": 6, "IndexCount": 2, "VertexCount": 3,
            "IndexBuffer": 4, "VertexBuffer": { "StartAddress": 5, "StrideInBytes": 6 },
        } },
        { "Type": 1, "Flags": 0, "AABBs": {
            "AABBCount": 7, "AABBs": { "StartAddress": 8, "StrideInBytes": 9 },
        } },
    ])
}

#[allow(clippy::too_many_lines)] // One call after the other.
fn rows() -> Vec<Row> {
    static RECORDS: [[u8; 2]; 2] = [[1, 2], [3, 4]];
    let mut rows: Vec<Row> = Vec::new();
    both! { rows:
        pfnDrawInstanced(3, 1, 0, 2) =>
            { "vertex_count": 3, "instance_count": 1, "start_vertex": 0, "start_instance": 2 };
        pfnDrawIndexedInstanced(6, 2, 1, -4, 3) =>
            { "index_count": 6, "instance_count": 2, "start_index": 1, "base_vertex": -4, "start_instance": 3 };
        pfnDispatch(1, 2, 3) => { "x": 1, "y": 2, "z": 3 };
        pfnIaSetTopology(D3D12DDI_PRIMITIVE_TOPOLOGY_TRIANGLELIST) => { "topology": 4 };
        pfnRsSetViewports(1, leaked(D3D12DDI_VIEWPORT {
            TopLeftX: 0.5, TopLeftY: 1.0, Width: 2.0, Height: 3.0, MinDepth: 0.0, MaxDepth: 1.0,
        })) => { "count": 1, "viewports": [{
            "TopLeftX": 0.5, "TopLeftY": 1.0, "Width": 2.0, "Height": 3.0, "MinDepth": 0.0, "MaxDepth": 1.0,
        }] };
        pfnRsSetScissorRects(1, leaked(D3D12DDI_RECT { left: -1, top: 2, right: 3, bottom: 4 })) =>
            { "count": 1, "rects": [{ "left": -1, "top": 2, "right": 3, "bottom": 4 }] };
        pfnOmSetBlendFactor(FOUR.as_ptr().cast()) => { "factor": [0.5, 1.0, 1.5, 2.0] };
        pfnOmSetBlendFactor(null()) => { "factor": [1.0, 1.0, 1.0, 1.0] };
        pfnOmSetStencilRef(9) => { "reference": 9 };
        pfnSetPipelineState(object pipeline D3D12DDI_HPIPELINESTATE D3D12DDI_API_HPIPELINESTATE) => { "pipeline": 6 };
        pfnSetComputeRootSignature(object root_signature D3D12DDI_HROOTSIGNATURE D3D12DDI_API_HROOTSIGNATURE) =>
            { "signature": 4 };
        pfnSetGraphicsRootSignature(object root_signature D3D12DDI_HROOTSIGNATURE D3D12DDI_API_HROOTSIGNATURE) =>
            { "signature": 4 };
        pfnSetGraphicsRootSignature(object none D3D12DDI_HROOTSIGNATURE D3D12DDI_API_HROOTSIGNATURE) => { "signature": null };
        pfnSetComputeRootDescriptorTable(1, D3D12DDI_GPU_DESCRIPTOR_HANDLE { ptr: 5 }) =>
            { "parameter": 1, "base": { "ptr": 5 } };
        pfnSetGraphicsRootDescriptorTable(1, D3D12DDI_GPU_DESCRIPTOR_HANDLE { ptr: 5 }) =>
            { "parameter": 1, "base": { "ptr": 5 } };
        pfnSetComputeRoot32BitConstant(1, 2, 3) => { "parameter": 1, "data": 2, "offset": 3 };
        pfnSetGraphicsRoot32BitConstant(1, 2, 3) => { "parameter": 1, "data": 2, "offset": 3 };
        pfnSetComputeRoot32BitConstants(1, 3, WORDS.as_ptr().cast(), 4) =>
            { "parameter": 1, "count": 3, "data": [7, 8, 9], "offset": 4 };
        pfnSetGraphicsRoot32BitConstants(1, 3, WORDS.as_ptr().cast(), 4) =>
            { "parameter": 1, "count": 3, "data": [7, 8, 9], "offset": 4 };
        pfnSetComputeRootConstantBufferView(1, 0x1_0000) => { "parameter": 1, "location": 0x1_0000 };
        pfnSetGraphicsRootConstantBufferView(1, 0x1_0000) => { "parameter": 1, "location": 0x1_0000 };
        pfnSetComputeRootShaderResourceView(1, 0x1_0000) => { "parameter": 1, "location": 0x1_0000 };
        pfnSetGraphicsRootShaderResourceView(1, 0x1_0000) => { "parameter": 1, "location": 0x1_0000 };
        pfnSetComputeRootUnorderedAccessView(1, 0x1_0000) => { "parameter": 1, "location": 0x1_0000 };
        pfnSetGraphicsRootUnorderedAccessView(1, 0x1_0000) => { "parameter": 1, "location": 0x1_0000 };
        pfnIASetIndexBuffer(leaked(D3D12DDI_INDEX_BUFFER_VIEW {
            BufferLocation: 1, SizeInBytes: 2, Format: DXGI_FORMAT(57),
        })) => { "view": { "BufferLocation": 1, "SizeInBytes": 2, "Format": 57 } };
        pfnIASetIndexBuffer(null()) => { "view": null };
        pfnIASetVertexBuffers(0, 1, leaked(D3D12DDI_VERTEX_BUFFER_VIEW {
            BufferLocation: 1, SizeInBytes: 2, StrideInBytes: 3,
        })) => { "start_slot": 0, "count": 1, "views": [{ "BufferLocation": 1, "SizeInBytes": 2, "StrideInBytes": 3 }] };
        pfnIASetVertexBuffers(2, 1, null()) => { "start_slot": 2, "count": 1, "views": null };
        pfnSOSetTargets(0, 1, leaked(D3D12DDI_STREAM_OUTPUT_BUFFER_VIEW {
            BufferLocation: 1, SizeInBytes: 2, BufferFilledSizeLocation: 3,
        })) => { "start_slot": 0, "count": 1, "views": [
            { "BufferLocation": 1, "SizeInBytes": 2, "BufferFilledSizeLocation": 3 },
        ] };
        pfnSOSetTargets(2, 1, null()) => { "start_slot": 2, "count": 1, "views": null };
        pfnOMSetRenderTargets(2, HANDLES.as_ptr(), FALSE, &raw const HANDLES[1]) =>
            { "count": 2, "targets": [{ "ptr": 64 }, { "ptr": 96 }], "single": 0, "depth_stencil": { "ptr": 96 } };
        pfnOMSetRenderTargets(2, HANDLES.as_ptr(), TRUE, null()) =>
            { "count": 2, "targets": [{ "ptr": 64 }], "single": 1, "depth_stencil": null };
        pfnOMSetDepthBounds(0.25, f32::INFINITY) => { "min": 0.25, "max": "inf" };
        pfnSetSamplePositions(1, 1, leaked(D3D12DDI_SAMPLE_POSITION { X: -8, Y: 7 }).cast_mut()) =>
            { "samples": 1, "pixels": 1, "positions": [{ "X": -8, "Y": 7 }] };
        pfnSetSamplePositions(0, 0, null_mut()) => { "samples": 0, "pixels": 0, "positions": [] };
        pfnSetViewInstanceMask(3) => { "mask": 3 };
    }
    by_driver! { rows:
        pfnBuildRaytracingAccelerationStructure(inputs(
            D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL,
            D3D12DDI_ELEMENTS_LAYOUT_ARRAY,
            D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054_0 { InstanceDescs: 0x400 },
        )) => (built(0, 0, "InstanceDescs", &json!(0x400)));
        pfnBuildRaytracingAccelerationStructure(inputs(
            D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL,
            D3D12DDI_ELEMENTS_LAYOUT_ARRAY,
            D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054_0 { pGeometryDescs: geometries().as_ptr() },
        )) => (built(1, 0, "pGeometryDescs", &recorded_geometries()));
        pfnBuildRaytracingAccelerationStructure(inputs(
            D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL,
            D3D12DDI_ELEMENTS_LAYOUT_ARRAY_OF_POINTERS,
            D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054_0 {
                ppGeometryDescs: leaked(geometries().each_ref().map(std::ptr::from_ref)).cast(),
            },
        )) => (built(1, 1, "ppGeometryDescs", &recorded_geometries()));
        pfnEmitRaytracingAccelerationStructurePostbuildInfo(
            leaked(D3D12DDIARG_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0054 {
                Desc: postbuild(),
                NumSourceAccelerationStructures: 2,
                pSourceAccelerationStructureData: leaked([0x500_u64, 0x600]).cast(),
            })
        ) => { "arguments": {
            "Desc": { "DestBuffer": 0x300, "InfoType": 1 },
            "NumSourceAccelerationStructures": 2,
            "pSourceAccelerationStructureData": [0x500, 0x600],
        } };
        pfnCopyRaytracingAccelerationStructure(leaked(D3D12DDIARG_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0054 {
            DestAccelerationStructureData: 1,
            SourceAccelerationStructureData: 2,
            Mode: D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE(1),
        })) => { "arguments": {
            "DestAccelerationStructureData": 1, "SourceAccelerationStructureData": 2, "Mode": 1,
        } };
    }
    both! { rows:
        pfnSetPipelineState1(object state_object D3D12DDI_HSTATEOBJECT_0054 D3D12DDI_API_HSTATEOBJECT) =>
            { "state_object": 7 };
        pfnDispatchRays(leaked(D3D12DDIARG_DISPATCH_RAYS_0054 {
            RayGenerationShaderRecord: range(10),
            MissShaderTable: table(20),
            HitGroupTable: table(30),
            CallableShaderTable: table(40),
            Width: 4, Height: 5, Depth: 6,
        })) => { "arguments": {
            "RayGenerationShaderRecord": { "StartAddress": 10, "SizeInBytes": 2 },
            "MissShaderTable": { "StartAddress": 20, "SizeInBytes": 2, "StrideInBytes": 3 },
            "HitGroupTable": { "StartAddress": 30, "SizeInBytes": 2, "StrideInBytes": 3 },
            "CallableShaderTable": { "StartAddress": 40, "SizeInBytes": 2, "StrideInBytes": 3 },
            "Width": 4, "Height": 5, "Depth": 6,
        } };
        pfnRSSetShadingRate(
            D3D12DDI_SHADING_RATE_0062(1),
            leaked([D3D12DDI_SHADING_RATE_COMBINER_0062(1), D3D12DDI_SHADING_RATE_COMBINER_0062(2)]).cast()
        ) => { "rate": 1, "combiners": [1, 2] };
        pfnRSSetShadingRate(D3D12DDI_SHADING_RATE_0062(1), null()) => { "rate": 1, "combiners": null };
        pfnDispatchMesh(1, 2, 3) => { "x": 1, "y": 2, "z": 3 };
        pfnOmSetFrontAndBackStencilRef(1, 2) => { "front": 1, "back": 2 };
        pfnRSSetDepthBias(1.0, 2.0, 3.0) => { "bias": 1.0, "clamp": 2.0, "slope_scaled": 3.0 };
        pfnIASetIndexBufferStripCutValue(D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE(1)) => { "cut_value": 1 };
        pfnSetProgram(program(D3D12DDI_PROGRAM_TYPE_GENERIC_PIPELINE_0108, D3D12DDI_SET_PROGRAM_DESC_0108_0 {
            GenericPipeline: D3D12DDI_SET_GENERIC_PIPELINE_DESC_0108 { ProgramIdentifier: IDENTIFIER },
        })) => { "desc": {
            "Type": 1, "GenericPipeline": { "ProgramIdentifier": { "OpaqueData": [1, 2, 3, 0xFFFF_FFFF_FFFF_FFFF_u64] } },
        } };
        pfnSetProgram(program(D3D12DDI_PROGRAM_TYPE_RAYTRACING_PIPELINE_0108, D3D12DDI_SET_PROGRAM_DESC_0108_0 {
            RaytracingPipeline: D3D12DDI_SET_RAYTRACING_PIPELINE_DESC_0108 { ProgramIdentifier: IDENTIFIER },
        })) => { "desc": {
            "Type": 4, "RaytracingPipeline": { "ProgramIdentifier": { "OpaqueData": [1, 2, 3, 0xFFFF_FFFF_FFFF_FFFF_u64] } },
        } };
        pfnSetProgram(program(D3D12DDI_PROGRAM_TYPE_WORK_GRAPH_0108, D3D12DDI_SET_PROGRAM_DESC_0108_0 {
            WorkGraph: D3D12DDI_SET_WORK_GRAPH_DESC_0108 {
                ProgramIdentifier: IDENTIFIER,
                Flags: D3D12DDI_SET_WORK_GRAPH_FLAG_INITIALIZE_0108,
                BackingMemory: range(10),
                NodeLocalRootArgumentsTable: table(20),
            },
        })) => { "desc": { "Type": 5, "WorkGraph": {
            "ProgramIdentifier": { "OpaqueData": [1, 2, 3, 0xFFFF_FFFF_FFFF_FFFF_u64] },
            "Flags": 1,
            "BackingMemory": { "StartAddress": 10, "SizeInBytes": 2 },
            "NodeLocalRootArgumentsTable": { "StartAddress": 20, "SizeInBytes": 2, "StrideInBytes": 3 },
        } } };
        pfnDispatchGraph(graph(D3D12DDI_DISPATCH_MODE_NODE_CPU_INPUT_0108, D3D12DDI_DISPATCH_GRAPH_DESC_0108_0 {
            NodeCPUInput: node_input(3, &RECORDS),
        })) => { "desc": { "Mode": 0, "NodeCPUInput": {
            "EntrypointIndex": 3, "NumRecords": 2, "pRecords": [[1, 2], [3, 4]], "RecordStrideInBytes": 2,
        } } };
        pfnDispatchGraph(graph(D3D12DDI_DISPATCH_MODE_NODE_GPU_INPUT_0108, D3D12DDI_DISPATCH_GRAPH_DESC_0108_0 {
            NodeGPUInput: 0x700,
        })) => { "desc": { "Mode": 1, "NodeGPUInput": 0x700 } };
        pfnDispatchGraph(graph(D3D12DDI_DISPATCH_MODE_MULTI_NODE_CPU_INPUT_0108, D3D12DDI_DISPATCH_GRAPH_DESC_0108_0 {
            MultiNodeCPUInput: node_inputs(),
        })) => { "desc": { "Mode": 2, "MultiNodeCPUInput": {
            "NumNodeInputs": 2,
            "pNodeInputs": [
                { "EntrypointIndex": 1, "NumRecords": 1, "pRecords": [[5, 6]], "RecordStrideInBytes": 2 },
                { "EntrypointIndex": 2, "NumRecords": 2, "pRecords": [[7, 8], [9, 10]], "RecordStrideInBytes": 2 },
            ],
            "NodeInputStrideInBytes": (size_of::<Strided>()),
        } } };
        pfnDispatchGraph(graph(D3D12DDI_DISPATCH_MODE_MULTI_NODE_GPU_INPUT_0108, D3D12DDI_DISPATCH_GRAPH_DESC_0108_0 {
            MultiNodeGPUInput: 0x800,
        })) => { "desc": { "Mode": 3, "MultiNodeGPUInput": 0x800 } };
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
        none: Api::of(null_mut()),
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
fn every_eligible_api_records_the_same_values_by_both_entries() {
    // Below build 114 the table takes the driver's handles, from there on the application's.
    let (normal, bypass) = (Device::new(113), Device::new(114));
    let rows = rows();
    let mut names: Vec<_> = rows.iter().map(|row| row.slot).collect();
    names.dedup();
    assert_eq!(names.len(), ELIGIBLE);
    names.retain(|name| !KEPT.contains(name));
    let entries: Vec<_> = Command::BYPASS
        .iter()
        .copied()
        .filter(|slot| !slot.is_empty())
        .collect();
    assert_eq!(names, entries);
    let (normal_list, bypass_list) = (List::new(&normal), List::new(&bypass));
    let normal_objects = objects(&normal, &normal_list);
    let bypass_objects = objects(&bypass, &bypass_list);
    for row in &rows {
        let slot = row.slot;
        (row.by_driver)(&normal, &normal_objects);
        (row.by_application)(&bypass, &bypass_objects);
        assert_eq!(normal.list_errors(), [], "{slot}");
        assert_eq!(bypass.list_errors(), [], "{slot}");
        let recorded = json(&normal_list)["commands"]
            .as_array()
            .unwrap()
            .last()
            .cloned();
        let expected = json!({ "call": slot, "arguments": row.recorded });
        assert_eq!(recorded, Some(expected));
    }
    // Numbers of objects too: both devices have created the same.
    assert_eq!(
        json(&normal_list).to_string(),
        json(&bypass_list).to_string()
    );
}

fn json(list: &List<'_>) -> Value {
    inspect::recording(list.address()).unwrap().json()
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
