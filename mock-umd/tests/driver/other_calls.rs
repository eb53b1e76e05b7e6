//! Calls that no application can make around the runtime.

use std::ffi::c_void;

use bytemuck::Zeroable;
use ddi_sys::*;
use mock_umd::inspect;

use crate::host::Device;
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
        pDrvPrivate: std::ptr::null_mut(),
    };
    let barrier: D3D12DDIARG_BARRIER_0094 = Zeroable::zeroed();
    let old_barrier: D3D12DDIARG_RESOURCE_BARRIER_0022 = Zeroable::zeroed();
    let build: D3D12DDIARG_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0054 = Zeroable::zeroed();
    let emit: D3D12DDIARG_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0054 =
        Zeroable::zeroed();
    let copy: D3D12DDIARG_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0054 = Zeroable::zeroed();
    let write: D3D12DDI_WRITEBUFFERIMMEDIATE_PARAMETER_0032 = Zeroable::zeroed();
    let null = std::ptr::null::<c_void>();
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
        pfnClearRenderTargetView(view, floats, 0, null.cast());
        pfnClearDepthStencilView(view, 3, 1.0, 0, 1, rect);
        pfnDiscardResource(resource, null.cast());
        pfnCopyTextureRegion(&raw const place, placed, 0, 0, 0, null.cast(), placed, null.cast());
        pfnResourceCopy(resource, resource);
        pfnCopyTiles(resource, null.cast(), null.cast(), resource, 0, D3D12DDI_TILE_COPY_FLAG_NONE);
        pfnCopyBufferRegion(place, place, 8);
        pfnResourceResolveSubresource(resource, 0, resource, 1, DXGI_FORMAT(28));
        pfnExecuteBundle(bundle.handle);
        pfnResourceBarrier(1, &raw const old_barrier);
        pfnSetPredication(resource, 0, D3D12DDI_PREDICATION_OP_EQUAL_ZERO);
        pfnSetMarker(7);
        pfnClearRootArguments();
        pfnAtomicCopyBufferRegion(place, place, 8);
        pfnSetProtectedResourceSession(session);
        pfnWriteBufferImmediate(1, &raw const write, null.cast());
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
    assert_eq!(copied["arguments"]["bytes"], "8");
}
