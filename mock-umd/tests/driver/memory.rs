//! Heaps, resources, and their addresses (RecreateAtGpuva-public.md).

use std::env;
use std::process::Command;
use std::ptr::{null, null_mut};

use bytemuck::Zeroable;
use ddi_sys::*;

use crate::host::{Adapter, Block, Device, Runtime};

const PAGE: u64 = 64 * 1024;

pub fn heap_desc(size: u64) -> D3D12DDIARG_CREATEHEAP_0001 {
    D3D12DDIARG_CREATEHEAP_0001 {
        ByteSize: size,
        Alignment: PAGE,
        MemoryPool: D3D12DDI_MEMORY_POOL_L1,
        CPUPageProperty: D3D12DDI_CPU_PAGE_PROPERTY_NOT_AVAILABLE,
        Flags: D3D12DDI_HEAP_FLAG_BUFFERS,
        CreationNodeMask: 1,
        VisibleNodeMask: 1,
    }
}

/// A buffer, as builds from 0111 on describe it; those before read the part that they know.
pub fn buffer_desc(size: u64, at: u64) -> D3D12DDIARG_CREATERESOURCE_0111 {
    D3D12DDIARG_CREATERESOURCE_0111 {
        ResourceType: D3D12DDI_RT_BUFFER,
        Width: size,
        Height: 1,
        DepthOrArraySize: 1,
        MipLevels: 1,
        SampleDesc: DXGI_SAMPLE_DESC {
            Count: 1,
            Quality: 0,
        },
        Layout: D3D12DDI_TL_ROW_MAJOR,
        CreateAtVirtualAddress: at,
        ..Zeroable::zeroed()
    }
}

fn texture_desc(at: u64) -> D3D12DDIARG_CREATERESOURCE_0111 {
    D3D12DDIARG_CREATERESOURCE_0111 {
        ResourceType: D3D12DDI_RT_TEXTURE2D,
        Height: 64,
        Layout: D3D12DDI_TL_UNDEFINED,
        ..buffer_desc(64, at)
    }
}

/// A heap, a resource, or both.
pub struct Memory<'a> {
    device: &'a Device,
    pub heap: D3D12DDI_HHEAP,
    pub resource: D3D12DDI_HRESOURCE,
    _blocks: [Block; 2],
}

impl<'a> Memory<'a> {
    pub fn new(
        device: &'a Device,
        heap: Option<&D3D12DDIARG_CREATEHEAP_0001>,
        resource: Option<&D3D12DDIARG_CREATERESOURCE_0111>,
    ) -> Result<Self, HRESULT> {
        let blocks = [Block::new(), Block::new()];
        let address = |used: bool, block: &Block| if used { block.address() } else { null_mut() };
        let memory = Self {
            device,
            heap: D3D12DDI_HHEAP {
                pDrvPrivate: address(heap.is_some(), &blocks[0]),
            },
            resource: D3D12DDI_HRESOURCE {
                pDrvPrivate: address(resource.is_some(), &blocks[1]),
            },
            _blocks: blocks,
        };
        let heap = heap.map_or(null(), |heap| &raw const *heap);
        let resource = resource.map_or(null(), |resource| &raw const *resource);
        let session = D3D12DDI_HPROTECTEDRESOURCESESSION_0030 {
            pDrvPrivate: null_mut(),
        };
        let runtime = D3D12DDI_HRTRESOURCE { handle: null_mut() };
        // SAFETY: the structures live during the calls; the blocks are larger than the driver asks for.
        let result = unsafe {
            device.core.pfnCreateHeapAndResource.unwrap()(
                device.handle,
                heap,
                memory.heap,
                runtime,
                resource,
                null(),
                session,
                memory.resource,
            )
        };
        if result == S_OK {
            return Ok(memory);
        }
        std::mem::forget(memory);
        Err(result)
    }

    /// A buffer with a heap of its own.
    pub fn committed(device: &'a Device, size: u64, at: u64) -> Result<Self, HRESULT> {
        let heap = heap_desc(size);
        Self::new(device, Some(&heap), Some(&buffer_desc(size, at)))
    }

    /// A buffer in another.
    pub fn placed(base: &Memory<'a>, offset: u64, size: u64, at: u64) -> Result<Self, HRESULT> {
        let mut desc = buffer_desc(size, at);
        desc.ReuseBufferGPUVA.BaseAddress.UMD = D3D12DDIARG_HRESOURCE_PLACEMENT {
            hResource: base.resource,
            Offset: offset,
        };
        Self::new(base.device, None, Some(&desc))
    }

    pub fn address(&self) -> u64 {
        // SAFETY: a handle is looked up.
        unsafe {
            let check = self.device.core.pfnCheckResourceVirtualAddress.unwrap();
            check(self.device.handle, self.resource)
        }
    }

    /// What is to be reserved for it.
    pub fn size(&self) -> u64 {
        let mut info: D3D12DDI_RESOURCE_ALLOCATION_INFO_0022 = Zeroable::zeroed();
        let check = self.device.core.pfnCheckExistingResourceAllocationInfo;
        // SAFETY: the answer has room.
        unsafe { check.unwrap()(self.device.handle, self.resource, &raw mut info) };
        info.ResourceDataSize
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        let destroy = self.device.core.pfnDestroyHeapAndResource.unwrap();
        // SAFETY: handles are looked up.
        unsafe { destroy(self.device.handle, self.heap, self.resource) };
    }
}

fn range(start: u64, size: u64) -> D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE {
    D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE {
        StartAddress: start,
        SizeInBytes: size,
    }
}

fn device_with(build: u32, ranges: &[D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE]) -> Device {
    Adapter::open(Runtime::default())
        .device(build, ranges)
        .unwrap()
}

/// The sizes that are recorded and replayed.
const SIZES: [u64; 9] = [
    2048,
    1,
    PAGE,
    PAGE + 1,
    3 * PAGE,
    100,
    17 * PAGE,
    5 * PAGE - 1,
    65_535,
];

#[test]
fn every_address_is_the_same_in_another_process_in_any_order() {
    let device = Device::new(113);
    let all: Vec<_> = SIZES
        .iter()
        .map(|size| Memory::committed(&device, *size, 0).unwrap())
        .collect();
    let recorded: Vec<_> = all
        .iter()
        .zip(SIZES)
        .map(|(memory, width)| format!("{}:{}:{width}", memory.address(), memory.size()))
        .collect();
    for order in 0..6 {
        let output = Command::new(env::current_exe().unwrap())
            .args(["--exact", "memory::replay", "--ignored", "--nocapture"])
            .env("RECORDED", recorded.join(","))
            .env("ORDER", order.to_string())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}");
        assert!(text.contains("1 passed"), "{text}");
    }
}

/// The other process.
#[test]
#[ignore = "run by every_address_is_the_same_in_another_process_in_any_order"]
fn replay() {
    let recorded = env::var("RECORDED").unwrap();
    let order: usize = env::var("ORDER").unwrap().parse().unwrap();
    let mut all: Vec<[u64; 3]> = recorded
        .split(',')
        .map(|one| {
            let numbers: Vec<u64> = one.split(':').map(|n| n.parse().unwrap()).collect();
            numbers.try_into().unwrap()
        })
        .collect();
    let mut ranges: Vec<_> = all.iter().map(|[at, size, _]| range(*at, *size)).collect();
    // As a runtime may pass them: in any order, twice, with others that mean nothing.
    ranges.rotate_left(order);
    ranges.push(ranges[0]);
    ranges.push(range(0, 0));
    ranges.push(range(all[2][0] + 1, 1));
    let device = device_with(113, &ranges);
    all.rotate_left(order);
    if order % 2 == 1 {
        all.reverse();
    }
    let mut live = Vec::new();
    for [at, size, width] in all {
        // Others come between, and get none of the addresses.
        live.push(Memory::committed(&device, 9 * PAGE, 0).unwrap());
        let memory = Memory::committed(&device, width, at).unwrap();
        assert_eq!((memory.address(), memory.size()), (at, size));
        live.push(memory);
    }
    let mut ranges: Vec<_> = live.iter().map(|m| (m.address(), m.size())).collect();
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{pair:?}");
    }
}

/// Addresses that the device gives out.
fn free_address() -> u64 {
    let device = Device::new(113);
    let memory = Memory::committed(&device, PAGE, 0).unwrap();
    memory.address() + (1 << 32)
}

#[test]
fn an_address_is_honoured_exactly_or_refused() {
    let at = free_address();
    let device = device_with(113, &[range(at, 4 * PAGE)]);
    let refused = |at, size| Memory::committed(&device, size, at).err();
    assert_eq!(refused(at + 1, PAGE), Some(E_INVALIDARG), "not aligned");
    assert_eq!(
        refused(at + 4 * PAGE, 1),
        Some(E_INVALIDARG),
        "not reserved"
    );
    assert_eq!(
        refused(at + 3 * PAGE, 2 * PAGE),
        Some(E_INVALIDARG),
        "in part"
    );
    assert_eq!(
        refused(u64::MAX - PAGE + 1, PAGE),
        Some(E_INVALIDARG),
        "outside"
    );
    let first = Memory::committed(&device, PAGE, at).unwrap();
    assert_eq!(first.address(), at);
    assert_eq!(refused(at, PAGE), Some(E_OUTOFMEMORY), "taken");
    drop(first);
    let again = Memory::committed(&device, 4 * PAGE, at).unwrap();
    assert_eq!(again.address(), at);
    // The device goes on.
    assert_ne!(Memory::committed(&device, PAGE, 0).unwrap().address(), 0);
    assert_eq!(device.errors(), []);
}

#[test]
fn reserved_ranges_are_not_given_out() {
    let first = {
        let device = Device::new(109);
        Memory::committed(&device, PAGE, 0).unwrap().address()
    };
    let device = device_with(109, &[range(first, 0), range(first + 5, 10 * PAGE)]);
    let address = Memory::committed(&device, PAGE, 0).unwrap().address();
    assert_eq!(address, first + 11 * PAGE);
}

#[test]
fn addresses_are_of_build_111() {
    let at = free_address();
    for build in [109, 110] {
        let device = device_with(build, &[range(at, PAGE)]);
        assert_eq!(
            Memory::committed(&device, PAGE, at).err(),
            Some(E_INVALIDARG)
        );
        // 0 means what it has meant before.
        Memory::committed(&device, PAGE, 0).unwrap();
    }
    for build in 111..=115 {
        let device = device_with(build, &[range(at, PAGE)]);
        assert_eq!(Memory::committed(&device, PAGE, at).unwrap().address(), at);
    }
}

#[test]
fn the_tier_is_reported_from_build_111_on() {
    for (build, tier) in [(109, 0), (110, 0), (111, 1), (115, 1)] {
        let device = Device::new(build);
        let mut data = D3D12DDI_OPTIONS_DATA_0109::default();
        let arguments = D3D12DDIARG_GETCAPS {
            Type: D3D12DDICAPS_TYPE_OPTIONS_0109,
            pInfo: null_mut(),
            pData: (&raw mut data).cast(),
            DataSize: 4,
        };
        let adapter = &device.adapter;
        // SAFETY: the data has the size.
        let result =
            unsafe { adapter.funcs.pfnGetCaps.unwrap()(adapter.handle, &raw const arguments) };
        assert_eq!((result, data.RecreateAtTier.0), (S_OK, tier), "{build}");
    }
}

#[test]
fn a_texture_has_no_address() {
    let at = free_address();
    let device = device_with(113, &[range(at, 64 * PAGE)]);
    let heap = heap_desc(16 * PAGE);
    let create = |at| Memory::new(&device, Some(&heap), Some(&texture_desc(at)));
    assert_eq!(create(at).err(), Some(E_INVALIDARG));
    assert_eq!(create(0).unwrap().address(), 0);
}

#[test]
fn a_placed_buffer_is_at_heap_and_offset() {
    let at = free_address();
    let device = device_with(113, &[range(at, 8 * PAGE)]);
    let heap = Memory::committed(&device, 8 * PAGE, at).unwrap();
    let placed = |offset, size, at| Memory::placed(&heap, offset, size, at);
    assert_eq!(placed(PAGE, PAGE, 0).unwrap().address(), at + PAGE);
    assert_eq!(
        placed(3 * PAGE, PAGE, at + 3 * PAGE).unwrap().address(),
        at + 3 * PAGE
    );
    assert_eq!(
        placed(PAGE, PAGE, at).err(),
        Some(E_INVALIDARG),
        "elsewhere"
    );
    assert_eq!(
        placed(7 * PAGE, 2 * PAGE, 0).err(),
        Some(E_INVALIDARG),
        "beyond"
    );
    assert_eq!(placed(u64::MAX, 1, 0).err(), Some(E_INVALIDARG), "around");
}

#[test]
fn a_placed_buffer_ends_where_its_heap_ends() {
    let device = Device::new(113);
    // A base buffer that is smaller than its heap.
    let (heap, base) = (heap_desc(16 * PAGE), buffer_desc(0x1000, 0));
    let base = Memory::new(&device, Some(&heap), Some(&base)).unwrap();
    let placed = |base, offset, size| Memory::placed(base, offset, size, 0);
    let inner = placed(&base, PAGE, 2 * PAGE).unwrap();
    assert_eq!(inner.address(), base.address() + PAGE);
    placed(&base, 0, 16 * PAGE).unwrap();
    placed(&base, 15 * PAGE, PAGE).unwrap();
    assert_eq!(placed(&base, 15 * PAGE, PAGE + 1).err(), Some(E_INVALIDARG));
    assert_eq!(placed(&base, 16 * PAGE, 1).err(), Some(E_INVALIDARG));
    // A base that is placed itself: its offsets count from its own address, and the end is the heap's.
    assert_eq!(
        placed(&inner, PAGE, PAGE).unwrap().address(),
        base.address() + 2 * PAGE
    );
    placed(&inner, 14 * PAGE, PAGE).unwrap();
    assert_eq!(placed(&inner, 15 * PAGE, PAGE).err(), Some(E_INVALIDARG));
    // A reserved buffer has no heap: it ends itself.
    let reserved = Memory::new(&device, None, Some(&buffer_desc(PAGE, 0))).unwrap();
    placed(&reserved, 0, PAGE).unwrap();
    assert_eq!(placed(&reserved, PAGE, 1).err(), Some(E_INVALIDARG));
}

#[test]
fn a_placed_buffer_keeps_the_addresses_of_its_heap() {
    let at = free_address();
    let device = device_with(113, &[range(at, 2 * PAGE)]);
    let heap = Memory::committed(&device, 2 * PAGE, at).unwrap();
    let placed = Memory::placed(&heap, PAGE, PAGE, 0).unwrap();
    drop(heap);
    let again = || Memory::committed(&device, 2 * PAGE, at);
    assert_eq!(again().err(), Some(E_OUTOFMEMORY));
    drop(placed);
    assert_eq!(again().unwrap().address(), at);
}

#[test]
fn what_is_no_resource_is_refused() {
    let device = Device::new(113);
    let heap = heap_desc(PAGE);
    let create = |desc: &_| Memory::new(&device, Some(&heap), Some(desc)).err();
    let refused = Some(E_INVALIDARG);
    assert_eq!(create(&buffer_desc(0, 0)), refused);
    assert_eq!(create(&buffer_desc(u64::MAX, 0)), refused);
    assert_eq!(
        create(&buffer_desc(2 * PAGE, 0)),
        refused,
        "larger than its heap"
    );
    let mut odd = buffer_desc(1, 0);
    odd.ResourceType = D3D12DDI_RESOURCE_TYPE(9);
    assert_eq!(create(&odd), refused);
    assert_eq!(Memory::new(&device, None, None).err(), refused);
    assert_eq!(
        Memory::new(&device, Some(&heap_desc(0)), None).err(),
        refused
    );
}

#[test]
fn a_heap_that_the_cpu_sees_can_be_mapped() {
    let device = Device::new(113);
    let mut desc = heap_desc(PAGE);
    desc.CPUPageProperty = D3D12DDI_CPU_PAGE_PROPERTY_WRITE_BACK;
    let visible = Memory::new(&device, Some(&desc), None).unwrap();
    let hidden = Memory::new(&device, Some(&heap_desc(PAGE)), None).unwrap();
    let map = device.core.pfnMapHeap.unwrap();
    let mut data = null_mut();
    // SAFETY: the answer has room; the memory is as large as the heap.
    unsafe {
        assert_eq!(map(device.handle, hidden.heap, &raw mut data), E_INVALIDARG);
        assert_eq!(map(device.handle, visible.heap, &raw mut data), S_OK);
        data.cast::<u8>().add(65_535).write(7);
        device.core.pfnUnmapHeap.unwrap()(device.handle, visible.heap);
        let first = data;
        assert_eq!(map(device.handle, visible.heap, &raw mut data), S_OK);
        assert_eq!(data, first);
        assert_eq!(data.cast::<u8>().add(65_535).read(), 7);
    }
}
