//! Descriptor heaps and views.

use std::ptr::{null, null_mut};

use bytemuck::Zeroable;
use ddi_sys::*;
use mock_umd::inspect::{self, View};

use crate::host::{Block, Device};
use crate::memory::Memory;

struct Heap<'a> {
    device: &'a Device,
    handle: D3D12DDI_HDESCRIPTORHEAP,
    _block: Block,
}

impl<'a> Heap<'a> {
    fn new(
        device: &'a Device,
        count: u32,
        flags: D3D12DDI_DESCRIPTOR_HEAP_FLAGS,
    ) -> Result<Self, HRESULT> {
        let block = Block::new();
        let handle = D3D12DDI_HDESCRIPTORHEAP {
            pDrvPrivate: block.address(),
        };
        let desc = D3D12DDIARG_CREATE_DESCRIPTOR_HEAP_0001 {
            Type: D3D12DDI_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV,
            NumDescriptors: count,
            Flags: flags,
            NodeMask: 1,
        };
        let create = device.core.pfnCreateDescriptorHeap.unwrap();
        // SAFETY: the structure lives during the call, and the block is large enough.
        let result = unsafe { create(device.handle, &raw const desc, handle) };
        if result != S_OK {
            return Err(result);
        }
        Ok(Self {
            device,
            handle,
            _block: block,
        })
    }

    /// The CPU handle of a descriptor.
    fn at(&self, index: usize) -> D3D12DDI_CPU_DESCRIPTOR_HANDLE {
        let core = &self.device.core;
        // SAFETY: a handle is looked up.
        unsafe {
            let start = core.pfnGetCPUDescriptorHandleForHeapStart.unwrap();
            let size = core.pfnGetDescriptorSizeInBytes.unwrap();
            let heap_type = D3D12DDI_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV;
            let size = size(self.device.handle, heap_type) as usize;
            D3D12DDI_CPU_DESCRIPTOR_HANDLE {
                ptr: start(self.device.handle, self.handle).ptr + index * size,
            }
        }
    }

    fn gpu_start(&self) -> u64 {
        let start = self.device.core.pfnGetGPUDescriptorHandleForHeapStart;
        // SAFETY: a handle is looked up.
        unsafe { start.unwrap()(self.device.handle, self.handle) }.ptr
    }

    fn view(&self, index: usize) -> Option<View> {
        inspect::view(self.device.handle.pDrvPrivate, self.at(index))
    }

    fn write(&self, index: usize, size: u32) {
        let desc = D3D12DDI_CONSTANT_BUFFER_VIEW_DESC {
            BufferLocation: 0x1_0000,
            SizeInBytes: size,
            Padding: 0,
        };
        let create = self.device.core.pfnCreateConstantBufferView.unwrap();
        // SAFETY: the structure lives during the call.
        unsafe { create(self.device.handle, &raw const desc, self.at(index)) };
    }
}

impl Drop for Heap<'_> {
    fn drop(&mut self) {
        let destroy = self.device.core.pfnDestroyDescriptorHeap.unwrap();
        // SAFETY: a handle is looked up.
        unsafe { destroy(self.device.handle, self.handle) };
    }
}

const HIDDEN: D3D12DDI_DESCRIPTOR_HEAP_FLAGS = D3D12DDI_DESCRIPTOR_HEAP_FLAG_CPU_VISIBLE;
const VISIBLE: D3D12DDI_DESCRIPTOR_HEAP_FLAGS = D3D12DDI_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE;

#[test]
fn heaps_have_handles_of_their_own() {
    let device = Device::new(113);
    let a = Heap::new(&device, 4, HIDDEN).unwrap();
    let b = Heap::new(&device, 1, VISIBLE).unwrap();
    assert!(a.at(4).ptr <= b.at(0).ptr);
    assert_eq!(a.gpu_start(), 0);
    assert_ne!(b.gpu_start(), 0);
    assert_eq!(Heap::new(&device, 0, HIDDEN).err(), Some(E_INVALIDARG));
}

#[test]
fn a_view_is_where_it_was_written_and_copied() {
    let device = Device::new(113);
    let (a, b) = (
        Heap::new(&device, 4, HIDDEN).unwrap(),
        Heap::new(&device, 4, VISIBLE).unwrap(),
    );
    assert_eq!(a.view(0), None);
    for index in 0..4 {
        a.write(index, 256 * (1 + u32::try_from(index).unwrap()));
    }
    let description = a.view(2).unwrap().description;
    assert_eq!(description["SizeInBytes"], 768, "{description}");
    let heap_type = D3D12DDI_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV;
    let core = &device.core;
    // SAFETY: the arrays live during the call.
    unsafe {
        let simple = core.pfnCopyDescriptorsSimple.unwrap();
        simple(device.handle, 2, b.at(0), a.at(1), heap_type);
        // One range of two becomes two of one: a missing array of sizes means ones.
        let (to, from, sizes) = ([b.at(3), b.at(2)], [a.at(0)], [2]);
        let copy = core.pfnCopyDescriptors.unwrap();
        copy(
            device.handle,
            2,
            to.as_ptr(),
            null(),
            1,
            from.as_ptr(),
            sizes.as_ptr(),
            heap_type,
        );
    }
    assert_eq!(device.errors(), []);
    let copied = [0, 1, 2, 3].map(|index| b.view(index));
    let expected = [1, 2, 1, 0].map(|index| a.view(index));
    assert_eq!(copied, expected);
}

#[test]
fn a_view_names_its_resource() {
    let device = Device::new(113);
    let heap = Heap::new(&device, 1, HIDDEN).unwrap();
    let buffer = Memory::committed(&device, 4096, 0).unwrap();
    let mut desc = D3D12DDIARG_CREATE_SHADER_RESOURCE_VIEW_0002::zeroed();
    let create = device.core.pfnCreateShaderResourceView.unwrap();
    // SAFETY: the structure lives during the call.
    unsafe { create(device.handle, &raw const desc, heap.at(0)) };
    assert_eq!(heap.view(0).unwrap().resource, None);
    desc.hDrvResource = buffer.resource;
    // SAFETY: the structure lives during the call.
    unsafe { create(device.handle, &raw const desc, heap.at(0)) };
    assert!(heap.view(0).unwrap().resource.is_some());
    assert_eq!(device.errors(), []);
}

#[test]
fn what_is_no_descriptor_is_refused() {
    let device = Device::new(113);
    let heap = Heap::new(&device, 2, HIDDEN).unwrap();
    let stale = {
        let gone = Heap::new(&device, 2, HIDDEN).unwrap();
        gone.at(0)
    };
    heap.write(2, 256);
    assert_eq!(device.errors(), [E_INVALIDARG], "behind the last");
    let between = D3D12DDI_CPU_DESCRIPTOR_HANDLE {
        ptr: heap.at(0).ptr + 1,
    };
    let simple = device.core.pfnCopyDescriptorsSimple.unwrap();
    let heap_type = D3D12DDI_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV;
    for bad in [stale, between, D3D12DDI_CPU_DESCRIPTOR_HANDLE { ptr: 0 }] {
        // SAFETY: a descriptor's handle is looked up.
        unsafe { simple(device.handle, 1, heap.at(0), bad, heap_type) };
        assert_eq!(device.errors(), [E_INVALIDARG]);
    }
    let copy = device.core.pfnCopyDescriptors.unwrap();
    let (to, from, sizes) = ([heap.at(0)], [heap.at(0)], [2]);
    // SAFETY: the arrays live during the call.
    unsafe {
        copy(
            device.handle,
            1,
            to.as_ptr(),
            null(),
            1,
            from.as_ptr(),
            sizes.as_ptr(),
            heap_type,
        );
    }
    assert_eq!(device.errors(), [E_INVALIDARG], "more read than written");
}

#[test]
fn a_heap_that_is_set_is_recorded() {
    let device = Device::new(113);
    let heap = Heap::new(&device, 2, VISIBLE).unwrap();
    let list = crate::lists::List::new(&device);
    let mut heaps = [heap.handle];
    let set = device.list.pfnSetDescriptorHeaps.unwrap();
    // SAFETY: the array lives during the call.
    unsafe { set(list.handle, 1, heaps.as_mut_ptr()) };
    assert_eq!(device.list_errors(), []);
    heaps[0].pDrvPrivate = null_mut();
    // SAFETY: the array lives during the call.
    unsafe { set(list.handle, 1, heaps.as_mut_ptr()) };
    assert_eq!(device.list_errors(), [E_INVALIDARG]);
    assert_eq!(list.commands().len(), 1);
}
