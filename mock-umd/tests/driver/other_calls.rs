//! Calls that no application can make around the runtime.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use bytemuck::Zeroable;
use ddi_sys::*;
use mock_umd::inspect;
use serde_json::json;

use crate::host::{Block, Device};
use crate::lists::List;
use crate::memory::Memory;

#[test]
fn every_call_is_recorded() {
    let device = Device::new(115);
    let buffer = Memory::committed(&device, 4096, 0).unwrap();
    let list = List::new(&device);
    let bundle = List::new(&device);
    let table = &device.bypass;
    let handle = list.handle;
    let resource = buffer.resource;
    let place = D3D12DDIARG_BUFFER_PLACEMENT {
        BaseAddress: D3D12DDIARG_BUFFER_PLACEMENT_BaseAddress {
            UMD: D3D12DDIARG_HRESOURCE_PLACEMENT {
                hResource: resource,
                Offset: 16,
            },
        },
    };
    let placed: D3D12DDIARG_PLACED_RESOURCE = Zeroable::zeroed();
    let view = D3D12DDI_CPU_DESCRIPTOR_HANDLE { ptr: 64 };
    let gpu_view = D3D12DDI_GPU_DESCRIPTOR_HANDLE { ptr: 64 };
    let (ints, floats) = ([1_u32; 4], [1.0_f32; 4]);
    let (ints, floats) = (ints.as_ptr().cast(), floats.as_ptr().cast());
    let rect = D3D12DDI_RECT::zeroed();
    let rect = &raw const rect;
    let session = D3D12DDI_HPROTECTEDRESOURCESESSION_0030 {
        pDrvPrivate: null_mut(),
    };
    let barrier: D3D12DDIARG_BARRIER_0094 = Zeroable::zeroed();
    let old_barrier: D3D12DDIARG_RESOURCE_BARRIER_0022 = Zeroable::zeroed();
    let build: D3D12DDIARG_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0054 = Zeroable::zeroed();
    let emit: D3D12DDIARG_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0054 =
        Zeroable::zeroed();
    let copy: D3D12DDIARG_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0054 = Zeroable::zeroed();
    let write: D3D12DDI_WRITEBUFFERIMMEDIATE_PARAMETER_0032 = Zeroable::zeroed();
    let mut count = 0;
    macro_rules! calls {
        ($($slot:ident($($argument:expr),*);)*) => {$(
            // SAFETY: the arguments live during the call, and handles are looked up.
            unsafe { table.$slot.unwrap()(handle $(, $argument)*) };
            assert_eq!(device.list_errors(), [], "{}", stringify!($slot));
            count += 1;
            let recording = inspect::recording(list.address()).unwrap();
            assert_eq!(recording.commands.len(), count, "{}", stringify!($slot));
            assert_eq!(recording.commands[count - 1].slot(), stringify!($slot));
        )*};
    }
    calls! {
        pfnClearUnorderedAccessViewUint(gpu_view, view, resource, ints, 1, rect);
        pfnClearUnorderedAccessViewFloat(gpu_view, view, resource, floats, 1, rect);
        pfnClearRenderTargetView(view, floats, 0, null());
        pfnClearDepthStencilView(view, 3, 1.0, 0, 1, rect);
        pfnDiscardResource(resource, null());
        pfnCopyTextureRegion(&raw const place, placed, 0, 0, 0, null(), placed, null());
        pfnResourceCopy(resource, resource);
        pfnCopyTiles(resource, null(), null(), resource, 0, D3D12DDI_TILE_COPY_FLAG_NONE);
        pfnCopyBufferRegion(place, place, 8);
        pfnResourceResolveSubresource(resource, 0, resource, 1, DXGI_FORMAT(28));
        pfnExecuteBundle(bundle.handle);
        pfnResourceBarrier(1, &raw const old_barrier);
        pfnSetPredication(resource, 0, D3D12DDI_PREDICATION_OP_EQUAL_ZERO);
        pfnSetMarker(7);
        pfnClearRootArguments();
        pfnAtomicCopyBufferRegion(place, place, 8);
        pfnSetProtectedResourceSession(session);
        pfnWriteBufferImmediate(1, &raw const write, null());
        pfnBuildRaytracingAccelerationStructure(&raw const build);
        pfnEmitRaytracingAccelerationStructurePostbuildInfo(&raw const emit);
        pfnCopyRaytracingAccelerationStructure(&raw const copy);
        pfnRSSetShadingRateImage(resource);
        pfnBarrier(1, &raw const barrier);
    }
    let json = inspect::recording(list.address()).unwrap().json();
    assert_eq!(json["commands"].as_array().unwrap().len(), count);
    let copied = &json["commands"][8];
    assert_eq!(copied["call"], "pfnCopyBufferRegion");
    assert_eq!(copied["arguments"]["bytes"], 8);
}

#[test]
#[allow(clippy::too_many_lines)] // One call after the other.
fn what_a_call_leads_to_is_in_its_place() {
    let block = Block::new();
    let device = Device::new(115);
    let buffer = Memory::committed(&device, 4096, 0).unwrap();
    let list = List::new(&device);
    let queue = D3D12DDI_HCOMMANDQUEUE {
        pDrvPrivate: block.address(),
    };
    let desc = D3D12DDIARG_CREATECOMMANDQUEUE_0050::zeroed();
    let runtime = D3D12DDI_HRTCOMMANDQUEUE { handle: null_mut() };
    let create = device.core.pfnCreateCommandQueue.unwrap();
    // SAFETY: the structure lives during the call; the block is larger than the driver asks for.
    let created = unsafe { create(device.handle, &raw const desc, queue, runtime) };
    assert_eq!(created, S_OK);
    let (handle, table) = (list.handle, &device.bypass);
    let resource = buffer.resource;
    // In the order of their creation: the heap, the buffer, what a list needs, the list, the queue.
    let (buffer, queue_number) = (2, 6);
    let rects = [
        D3D12DDI_RECT {
            left: 1,
            top: 2,
            right: 3,
            bottom: 4,
        },
        D3D12DDI_RECT {
            left: 5,
            top: 6,
            right: 7,
            bottom: 8,
        },
    ];
    let recorded_rects = json!([
        { "left": 1, "top": 2, "right": 3, "bottom": 4 },
        { "left": 5, "top": 6, "right": 7, "bottom": 8 },
    ]);
    let place = D3D12DDIARG_BUFFER_PLACEMENT {
        BaseAddress: D3D12DDIARG_BUFFER_PLACEMENT_BaseAddress {
            UMD: D3D12DDIARG_HRESOURCE_PLACEMENT {
                hResource: resource,
                Offset: 16,
            },
        },
    };
    let recorded_place = json!({ "resource": buffer, "offset": 16 });
    let pitched = D3D12DDIARG_PHYSICAL_SUBRESOURCE_PITCHED_LAYOUT {
        Format: DXGI_FORMAT(28),
        PhysicalWidth: 1,
        PhysicalHeight: 2,
        PhysicalDepth: 3,
        Pitch: 4,
        SlicePitch: 5,
    };
    let virtual_pitched = D3D12DDIARG_VIRTUAL_SUBRESOURCE_PITCHED_LAYOUT {
        VirtualWidth: 9,
        ..Zeroable::zeroed()
    };
    let subresource: UINT = 7;
    let placed = |layout, pointer: *const c_void| D3D12DDIARG_PLACED_RESOURCE {
        Layout: layout,
        pLayout: pointer,
    };
    let by_pitch = placed(
        D3D12DDI_RL_PLACED_PHYSICAL_SUBRESOURCE_PITCHED,
        (&raw const pitched).cast(),
    );
    let by_virtual = placed(
        D3D12DDI_RL_PLACED_VIRTUAL_SUBRESOURCE_PITCHED,
        (&raw const virtual_pitched).cast(),
    );
    let by_number = placed(
        D3D12DDI_RL_SELECT_SUBRESOURCE,
        (&raw const subresource).cast(),
    );
    let recorded_pitch = json!({ "Layout": 1, "pLayout": {
        "Format": 28, "PhysicalWidth": 1, "PhysicalHeight": 2, "PhysicalDepth": 3, "Pitch": 4, "SlicePitch": 5,
    } });
    let texel_box = D3D12DDI_BOX {
        Left: 1,
        Top: 2,
        Front: 3,
        Right: 4,
        Bottom: 5,
        Back: 6,
    };
    let discard = D3D12DDIARG_DISCARD_RESOURCE_0003 {
        NumRects: 2,
        pRects: rects.as_ptr(),
        FirstSubresource: 3,
        NumSubresources: 4,
    };
    let start = D3D12DDI_TILED_RESOURCE_COORDINATE {
        X: 1,
        Y: 2,
        Z: 3,
        Subresource: 4,
    };
    let size = D3D12DDI_TILE_REGION_SIZE {
        NumTiles: 1,
        UseBox: TRUE,
        Width: 2,
        Height: 3,
        Depth: 4,
    };
    let write = D3D12DDI_WRITEBUFFERIMMEDIATE_PARAMETER_0032 { Dst: 1, Value: 2 };
    let mode = D3D12DDI_WRITEBUFFERIMMEDIATE_MODE_0032(1);
    let old_barriers = [
        D3D12DDIARG_RESOURCE_BARRIER_0022 {
            Type: D3D12DDI_RESOURCE_BARRIER_TYPE_TRANSITION,
            Flags: D3D12DDI_RESOURCE_BARRIER_FLAG_BEGIN_ONLY,
            Anonymous: D3D12DDIARG_RESOURCE_BARRIER_0022_0 {
                Transition: D3D12DDI_RESOURCE_TRANSITION_BARRIER_0003 {
                    hResource: resource,
                    Subresource: 1,
                    StateBefore: D3D12DDI_RESOURCE_STATES(2),
                    StateAfter: D3D12DDI_RESOURCE_STATES(4),
                },
            },
        },
        D3D12DDIARG_RESOURCE_BARRIER_0022 {
            Type: D3D12DDI_RESOURCE_BARRIER_TYPE_0022_RANGED,
            Flags: D3D12DDI_RESOURCE_BARRIER_FLAG_NONE,
            Anonymous: D3D12DDIARG_RESOURCE_BARRIER_0022_0 {
                Ranged: D3D12DDI_RESOURCE_RANGED_BARRIER_0022 {
                    hResource: resource,
                    Subresource: 1,
                    Range: D3D12DDI_RANGE { Begin: 2, End: 3 },
                },
            },
        },
        // Of everything.
        D3D12DDIARG_RESOURCE_BARRIER_0022 {
            Type: D3D12DDI_RESOURCE_BARRIER_TYPE_UAV,
            ..Zeroable::zeroed()
        },
    ];
    let mut texture = D3D12DDI_TEXTURE_BARRIER_0088::zeroed();
    texture.LayoutAfter = D3D12DDI_BARRIER_LAYOUT(3);
    texture.hResource = resource;
    texture.Subresources.NumMipLevels = 5;
    let barriers = [
        D3D12DDIARG_BARRIER_0094 {
            Type: D3D12DDI_BARRIER_TYPE_GLOBAL,
            ..Zeroable::zeroed()
        },
        D3D12DDIARG_BARRIER_0094 {
            Type: D3D12DDI_BARRIER_TYPE_TEXTURE,
            Anonymous: D3D12DDIARG_BARRIER_0094_0 {
                TextureBarrier: texture,
            },
        },
    ];
    let mut blt = D3D12DDIARG_BLT::zeroed();
    (blt.hDstResource, blt.hSrcResource, blt.SrcRight) = (resource, resource, 9);
    let surface = D3D12DDI_ARG_PRESENTSURFACE {
        hSurface: resource,
        SubResourceIndex: 1,
    };
    let mut private = [1_u8, 2, 3];
    let present = D3D12DDIARG_PRESENT_0001 {
        phSurfacesToPresent: &raw const surface,
        SurfacesToPresent: 1,
        pDirtyRects: rects.as_ptr(),
        DirtyRects: 1,
        PrivateDriverDataSize: 3,
        pPrivateDriverData: private.as_mut_ptr().cast(),
        ..Zeroable::zeroed()
    };
    let mut expected = Vec::new();
    macro_rules! calls {
        ($($slot:ident($($argument:expr),*) => $recorded:tt;)*) => {$(
            // SAFETY: the arguments live during the call, and handles are looked up.
            unsafe { table.$slot.unwrap()(handle $(, $argument)*) };
            assert_eq!(device.list_errors(), [], "{}", stringify!($slot));
            expected.push(json!({ "call": stringify!($slot), "arguments": $recorded }));
        )*};
    }
    calls! {
        pfnDiscardResource(resource, &raw const discard) => { "resource": buffer, "region": {
            "NumRects": 2, "pRects": recorded_rects, "FirstSubresource": 3, "NumSubresources": 4,
        } };
        pfnCopyTextureRegion(&raw const place, by_pitch, 1, 2, 3, null(), by_number, &raw const texel_box) => {
            "destination_buffer": recorded_place, "destination": recorded_pitch, "x": 1, "y": 2, "z": 3, "source_buffer": null,
            "source": { "Layout": 64, "pLayout": 7 },
            "source_box": { "Left": 1, "Top": 2, "Front": 3, "Right": 4, "Bottom": 5, "Back": 6 },
        };
        pfnCopyTextureRegion(null(), by_virtual, 0, 0, 0, null(), placed(D3D12DDI_RL_UNDEFINED, null()), null()) => {
            "destination_buffer": null, "destination": { "Layout": 2, "pLayout": {
                "Format": 0, "VirtualWidth": 9, "VirtualHeight": 0, "VirtualDepth": 0, "PhysicalWidth": 0, "PhysicalHeight": 0,
                "PhysicalDepth": 0, "Pitch": 0, "SlicePitch": 0,
            } },
            "x": 0, "y": 0, "z": 0, "source_buffer": null, "source": { "Layout": 0, "pLayout": null }, "source_box": null,
        };
        pfnCopyTiles(resource, &raw const start, &raw const size, resource, 5, D3D12DDI_TILE_COPY_FLAG_NONE) => {
            "resource": buffer, "start": { "X": 1, "Y": 2, "Z": 3, "Subresource": 4 },
            "size": { "NumTiles": 1, "UseBox": 1, "Width": 2, "Height": 3, "Depth": 4 }, "buffer": buffer, "offset": 5,
            "flags": 0,
        };
        pfnWriteBufferImmediate(1, &raw const write, &raw const mode) =>
            { "count": 1, "parameters": [{ "Dst": 1, "Value": 2 }], "modes": [1] };
        pfnResourceBarrier(3, old_barriers.as_ptr()) => { "count": 3, "barriers": [
            { "Type": 0, "Flags": 1, "Transition": {
                "hResource": buffer, "Subresource": 1, "StateBefore": 2, "StateAfter": 4,
            } },
            { "Type": 3, "Flags": 0, "Ranged": {
                "hResource": buffer, "Subresource": 1, "Range": { "Begin": 2, "End": 3 },
            } },
            { "Type": 2, "Flags": 0, "UAV": { "hResource": null } },
        ] };
        pfnBarrier(2, barriers.as_ptr()) => { "count": 2, "barriers": [
            { "Type": 0, "GlobalBarrier": { "SyncBefore": 0, "SyncAfter": 0, "AccessBefore": 0, "AccessAfter": 0 } },
            { "Type": 1, "TextureBarrier": {
                "SyncBefore": 0, "SyncAfter": 0, "AccessBefore": 0, "AccessAfter": 0, "LayoutBefore": 0, "LayoutAfter": 3,
                "hResource": buffer, "Flags": 0, "Subresources": {
                    "IndexOrFirstMipLevel": 0, "NumMipLevels": 5, "FirstArraySlice": 0, "NumArraySlices": 0, "FirstPlane": 0,
                    "NumPlanes": 0,
                },
            } },
        ] };
        pfnBlt(&raw const blt) => { "arguments": {
            "hDstResource": buffer, "DstSubresource": 0, "DstLeft": 0, "DstTop": 0, "DstRight": 0, "DstBottom": 0,
            "hSrcResource": buffer, "SrcSubresource": 0, "SrcLeft": 0, "SrcTop": 0, "SrcRight": 9, "SrcBottom": 0,
            "Flags": { "Value": 0 }, "Rotate": 0,
        } };
        pfnPresent(queue, &raw const present, null_mut(), null_mut(), null_mut()) => {
            "queue": queue_number, "arguments": {
                "phSurfacesToPresent": [{ "hSurface": buffer, "SubResourceIndex": 1 }], "SurfacesToPresent": 1,
                "hDstResource": null, "DstSubResourceIndex": 0, "Flags": { "Value": 0 }, "FlipInterval": 0,
                "VidPnSourceID": 0, "pDirtyRects": [{ "left": 1, "top": 2, "right": 3, "bottom": 4 }], "DirtyRects": 1,
                "PrivateDriverDataSize": 3, "pPrivateDriverData": [1, 2, 3], "OptimizeForComposition": 0,
            },
        };
    }
    let json = inspect::recording(list.address()).unwrap().json();
    for (recorded, expected) in json["commands"].as_array().unwrap().iter().zip(&expected) {
        assert_eq!(recorded, expected);
    }
    assert_eq!(json["commands"].as_array().unwrap().len(), expected.len());
}

#[test]
fn what_cannot_be_is_refused_and_not_recorded() {
    let device = Device::new(115);
    let list = List::new(&device);
    let table = &device.bypass;
    let session = D3D12DDI_HPROTECTEDRESOURCESESSION_0030 {
        pDrvPrivate: list.address(),
    };
    let by_number = D3D12DDIARG_PLACED_RESOURCE {
        Layout: D3D12DDI_RL_SELECT_SUBRESOURCE,
        pLayout: null(),
    };
    let none = D3D12DDIARG_PLACED_RESOURCE::zeroed();
    let api = D3D12DDI_RUNTIME_BYPASS_HEADER {
        pInterfaceVtable: null(),
        pDriverObject: list.address(),
    };
    let api = D3D12DDI_API_HCOMMANDLIST {
        pDrvPrivate: (&raw const api).cast_mut().cast(),
    };
    let inputs = D3D12DDI_DISPATCH_GRAPH_DESC_0108 {
        Mode: D3D12DDI_DISPATCH_MODE_MULTI_NODE_CPU_INPUT_0108,
        Anonymous: D3D12DDI_DISPATCH_GRAPH_DESC_0108_0 {
            MultiNodeCPUInput: D3D12DDI_MULTI_NODE_CPU_INPUT_0108 {
                NumNodeInputs: u32::MAX,
                pNodeInputs: null(),
                NodeInputStrideInBytes: 0,
            },
        },
    };
    // SAFETY: the arguments live during the calls, and handles are looked up.
    unsafe {
        table.pfnSetProtectedResourceSession.unwrap()(list.handle, session);
        table.pfnCopyTextureRegion.unwrap()(
            list.handle,
            null(),
            by_number,
            0,
            0,
            0,
            null(),
            none,
            null(),
        );
        table.pfnDispatchGraph.unwrap()(api, &raw const inputs);
        table.pfnSetProgram.unwrap()(api, null());
        table.pfnBuildRaytracingAccelerationStructure.unwrap()(list.handle, null());
    }
    assert_eq!(device.list_errors(), [E_INVALIDARG; 5]);
    assert!(list.commands().is_empty());
}
