//! Descriptor heaps, and what was written into them. A descriptor's CPU handle is a number in a range that
//! the heap has for itself, not an address.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

#[allow(clippy::wildcard_imports)] // The functions are written in the DDI's own types.
use ddi_sys::*;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::boundary::{Error, Result, checked, device_slots, raw};
use crate::device::Device;
use crate::handles::{Object, ObjectId, PRIVATE_SIZE};
use crate::memory::Resource;
use crate::values::{Json, Recorded};

/// Bytes from one descriptor to the next.
const STRIDE: u32 = 32;
/// What a shader-visible descriptor's GPU handle is above its CPU handle.
const GPU_HANDLES: u64 = 1 << 40;

/// A descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The function that made it.
    pub made_by: &'static str,
    /// The resource, if there is one.
    pub resource: Option<ObjectId>,
    /// What it was made of: the structure's members, as in recordings.
    pub description: Value,
}

/// A descriptor heap.
pub(crate) struct DescriptorHeap {
    start: usize,
    shader_visible: bool,
    views: Mutex<Vec<Option<View>>>,
}

impl Object for DescriptorHeap {
    const KIND: &'static str = "descriptor heap";
}

/// The descriptor heaps of a device, by their first handle.
#[derive(Default)]
pub(crate) struct DescriptorHeaps(Mutex<Ranges>);

#[derive(Default)]
struct Ranges {
    heaps: BTreeMap<usize, Weak<DescriptorHeap>>,
    next: usize,
}

impl DescriptorHeaps {
    fn create(&self, desc: &D3D12DDIARG_CREATE_DESCRIPTOR_HEAP_0001) -> Result<DescriptorHeap> {
        if desc.NumDescriptors == 0 || !(0..4).contains(&desc.Type.0) {
            return Err(Error::invalid(format!("{desc:?}")));
        }
        let mut ranges = self.0.lock();
        // 0 is no handle.
        let start = ranges.next.max(1 << 16);
        let full = || Error::new(E_OUTOFMEMORY, "no descriptor handles are left");
        let count = usize::try_from(desc.NumDescriptors).map_err(|_| full())?;
        let size = count.checked_mul(STRIDE as usize).ok_or_else(full)?;
        ranges.next = start.checked_add(size).ok_or_else(full)?;
        let mut views = Vec::new();
        views.try_reserve_exact(count).map_err(|_| full())?;
        views.resize(count, None);
        Ok(DescriptorHeap {
            start,
            shader_visible: desc
                .Flags
                .contains(D3D12DDI_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE),
            views: Mutex::new(views),
        })
    }

    fn add(&self, heap: &Arc<DescriptorHeap>) {
        let mut ranges = self.0.lock();
        ranges.heaps.retain(|_, heap| heap.strong_count() > 0);
        ranges.heaps.insert(heap.start, Arc::downgrade(heap));
    }

    /// The heap of a handle, and the index there.
    fn find(&self, handle: D3D12DDI_CPU_DESCRIPTOR_HANDLE) -> Result<(Arc<DescriptorHeap>, usize)> {
        let ranges = self.0.lock();
        let heap = ranges.heaps.range(..=handle.ptr).next_back();
        let heap = heap.and_then(|(_, heap)| heap.upgrade());
        heap.and_then(|heap| {
            let offset = handle.ptr - heap.start;
            let index = offset / STRIDE as usize;
            let inside = offset.is_multiple_of(STRIDE as usize) && index < heap.views.lock().len();
            inside.then_some((heap, index))
        })
        .ok_or_else(|| Error::invalid(format!("{:#x} is no descriptor", handle.ptr)))
    }

    /// What is at a handle.
    pub(crate) fn view(&self, handle: D3D12DDI_CPU_DESCRIPTOR_HANDLE) -> Result<Option<View>> {
        let (heap, index) = self.find(handle)?;
        let view = heap.views.lock()[index].clone();
        Ok(view)
    }

    fn write(&self, handle: D3D12DDI_CPU_DESCRIPTOR_HANDLE, view: View) -> Result<()> {
        let (heap, index) = self.find(handle)?;
        heap.views.lock()[index] = Some(view);
        Ok(())
    }

    fn copy(
        &self,
        to: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
        from: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
        count: u32,
    ) -> Result<()> {
        for index in 0..count as usize {
            let at = |handle: D3D12DDI_CPU_DESCRIPTOR_HANDLE| D3D12DDI_CPU_DESCRIPTOR_HANDLE {
                ptr: handle.ptr.wrapping_add(index * STRIDE as usize),
            };
            let view = self.view(at(from))?;
            let (heap, index) = self.find(at(to))?;
            heap.views.lock()[index] = view;
        }
        Ok(())
    }
}

impl DescriptorHeap {}

/// Writes a view, of a resource unless that is null.
fn view(
    device: &Device,
    made_by: &'static str,
    resource: D3D12DDI_HRESOURCE,
    desc: &impl Recorded,
    at: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
) -> Result<()> {
    let owner = device.owner();
    let view = View {
        made_by,
        resource: owner.optional_id_of::<Resource>(resource.pDrvPrivate)?,
        // SAFETY: the DDI: the structure has the arm of its dimension.
        description: unsafe { desc.recorded(&owner) }?,
    };
    device.descriptors.write(at, view)
}

/// No resource.
const NONE: D3D12DDI_HRESOURCE = D3D12DDI_HRESOURCE {
    pDrvPrivate: std::ptr::null_mut(),
};

device_slots! {
    calc_private_descriptor_heap_size = "pfnCalcPrivateDescriptorHeapSize"(
        _device, value _desc: *const D3D12DDIARG_CREATE_DESCRIPTOR_HEAP_0001,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_descriptor_heap = "pfnCreateDescriptorHeap"(
        device,
        input desc: D3D12DDIARG_CREATE_DESCRIPTOR_HEAP_0001,
        private heap: D3D12DDI_HDESCRIPTORHEAP,
    ) -> HRESULT {
        let heap = heap.create(device, || device.descriptors.create(desc))?;
        device.descriptors.add(&heap);
        S_OK
    }

    destroy_descriptor_heap = "pfnDestroyDescriptorHeap"(device, value heap: D3D12DDI_HDESCRIPTORHEAP) {
        device.owner().remove::<DescriptorHeap>(heap.pDrvPrivate)?;
    }

    get_descriptor_size_in_bytes = "pfnGetDescriptorSizeInBytes"(
        _device, value _heap_type: D3D12DDI_DESCRIPTOR_HEAP_TYPE,
    ) -> UINT {
        STRIDE
    }

    get_cpu_descriptor_handle_for_heap_start = "pfnGetCPUDescriptorHandleForHeapStart"(
        device, value heap: D3D12DDI_HDESCRIPTORHEAP,
    ) -> D3D12DDI_CPU_DESCRIPTOR_HANDLE {
        let heap = device.owner().get::<DescriptorHeap>(heap.pDrvPrivate)?;
        D3D12DDI_CPU_DESCRIPTOR_HANDLE { ptr: heap.start }
    }

    // 0 for a heap that no shader sees.
    get_gpu_descriptor_handle_for_heap_start = "pfnGetGPUDescriptorHandleForHeapStart"(
        device, value heap: D3D12DDI_HDESCRIPTORHEAP,
    ) -> D3D12DDI_GPU_DESCRIPTOR_HANDLE {
        let heap = device.owner().get::<DescriptorHeap>(heap.pDrvPrivate)?;
        let start = GPU_HANDLES + heap.start as u64;
        D3D12DDI_GPU_DESCRIPTOR_HANDLE { ptr: if heap.shader_visible { start } else { 0 } }
    }

    create_shader_resource_view = "pfnCreateShaderResourceView"(
        device,
        input desc: D3D12DDIARG_CREATE_SHADER_RESOURCE_VIEW_0002,
        value at: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    ) {
        view(device, "pfnCreateShaderResourceView", desc.hDrvResource, desc, at)?;
    }

    create_constant_buffer_view = "pfnCreateConstantBufferView"(
        device,
        input desc: D3D12DDI_CONSTANT_BUFFER_VIEW_DESC,
        value at: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    ) {
        view(device, "pfnCreateConstantBufferView", NONE, desc, at)?;
    }

    create_sampler = "pfnCreateSampler"(
        device,
        input desc: D3D12DDIARG_CREATE_SAMPLER_0096,
        value at: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    ) {
        let desc = desc.pSamplerDesc;
        checked!(input desc);
        view(device, "pfnCreateSampler", NONE, desc, at)?;
    }

    create_unordered_access_view = "pfnCreateUnorderedAccessView"(
        device,
        input desc: D3D12DDIARG_CREATE_UNORDERED_ACCESS_VIEW_0002,
        value at: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    ) {
        view(device, "pfnCreateUnorderedAccessView", desc.hDrvResource, desc, at)?;
    }

    create_render_target_view = "pfnCreateRenderTargetView"(
        device,
        input desc: D3D12DDIARG_CREATE_RENDER_TARGET_VIEW_0002,
        value at: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    ) {
        view(device, "pfnCreateRenderTargetView", desc.hDrvResource, desc, at)?;
    }

    create_depth_stencil_view = "pfnCreateDepthStencilView"(
        device,
        input desc: D3D12DDIARG_CREATE_DEPTH_STENCIL_VIEW,
        value at: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    ) {
        view(device, "pfnCreateDepthStencilView", desc.hDrvResource, desc, at)?;
    }

    create_sampler_feedback_unordered_access_view = "pfnCreateSamplerFeedbackUnorderedAccessView"(
        device,
        value targeted: D3D12DDI_HRESOURCE,
        value feedback: D3D12DDI_HRESOURCE,
        value at: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    ) {
        let targeted = device.owner().optional_id_of::<Resource>(targeted.pDrvPrivate)?;
        let desc = json!({ "targeted": targeted.json() });
        view(device, "pfnCreateSamplerFeedbackUnorderedAccessView", feedback, &desc, at)?;
    }

    copy_descriptors = "pfnCopyDescriptors"(
        device,
        value to_count: UINT,
        array to: D3D12DDI_CPU_DESCRIPTOR_HANDLE[to_count],
        optional_array to_sizes: UINT[to_count],
        value from_count: UINT,
        array from: D3D12DDI_CPU_DESCRIPTOR_HANDLE[from_count],
        optional_array from_sizes: UINT[from_count],
        value _heap_type: D3D12DDI_DESCRIPTOR_HEAP_TYPE,
    ) {
        // A missing array of sizes means ranges of one.
        let size = |sizes: Option<&[UINT]>, index: usize| sizes.map_or(1, |sizes| sizes[index]);
        let total = |starts: usize, sizes| (0..starts).map(|i| u64::from(size(sizes, i))).sum::<u64>();
        if total(to.len(), to_sizes) != total(from.len(), from_sizes) {
            return Err(Error::invalid("not as many descriptors are read as written"));
        }
        let all = |starts: &[D3D12DDI_CPU_DESCRIPTOR_HANDLE], sizes| -> Vec<(usize, UINT)> {
            starts.iter().enumerate().map(|(i, start)| (start.ptr, size(sizes, i))).collect()
        };
        let single = |ranges: Vec<(usize, UINT)>| {
            ranges.into_iter().flat_map(|(start, size)| {
                (0..size as usize).map(move |index| D3D12DDI_CPU_DESCRIPTOR_HANDLE {
                    ptr: start.wrapping_add(index.wrapping_mul(STRIDE as usize)),
                })
            })
        };
        for (to, from) in single(all(to, to_sizes)).zip(single(all(from, from_sizes))) {
            device.descriptors.copy(to, from, 1)?;
        }
    }

    copy_descriptors_simple = "pfnCopyDescriptorsSimple"(
        device,
        value count: UINT,
        value to: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
        value from: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
        value _heap_type: D3D12DDI_DESCRIPTOR_HEAP_TYPE,
    ) {
        device.descriptors.copy(to, from, count)?;
    }
}
