//! Heaps and resources, and where they are in the GPU's address space.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[allow(clippy::wildcard_imports)] // The functions are written in the DDI's own types.
use ddi_sys::*;
use parking_lot::Mutex;

use crate::address_space::{AddressError, PAGE};
use crate::boundary::{Error, Private, Result, checked, device_slots, raw};
use crate::command_list::{CommandList, CommandPool, CommandQueue, CommandRecorder};
use crate::descriptors::DescriptorHeap;
use crate::device::{CommandSignature, Device, Fence, PipelineLibrary, QueryHeap, SchedulingGroup};
use crate::handles::{Object, Owner, PRIVATE_SIZE};
use crate::meta_command::MetaCommand;
use crate::pipeline::{PipelineState, StateObject};
use crate::switches;
use crate::version;

/// Bytes of all heaps of the process: `MOCK_UMD_MEMORY` limits them.
static ALLOCATED: AtomicU64 = AtomicU64::new(0);

/// Addresses of a device, given back when this is dropped.
struct Range {
    device: Arc<Device>,
    start: u64,
    size: u64,
}

impl Range {
    /// Addresses of the device: these, or any that are free when `at` is 0.
    fn new(device: &Arc<Device>, size: u64, alignment: u64, at: u64) -> Result<Self> {
        let mut addresses = device.addresses.lock();
        let start = if at == 0 {
            addresses.allocate(size, alignment)?
        } else {
            addresses.allocate_at(at, size, alignment)?;
            at
        };
        drop(addresses);
        Ok(Self {
            device: Arc::clone(device),
            start,
            size,
        })
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        self.device.addresses.lock().free_at(self.start);
    }
}

impl From<AddressError> for Error {
    fn from(error: AddressError) -> Self {
        let result = match error {
            AddressError::Taken { .. } | AddressError::Full { .. } => E_OUTOFMEMORY,
            _ => E_INVALIDARG,
        };
        Self::new(result, error.to_string())
    }
}

/// Bytes that count towards `MOCK_UMD_MEMORY`.
struct Budget(u64);

impl Budget {
    fn new(size: u64) -> Result<Self> {
        let limit = switches::settings()?.memory.unwrap_or(u64::MAX);
        let fits = |used: u64| used.checked_add(size).filter(|total| *total <= limit);
        ALLOCATED
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits)
            .map_err(|used| {
                let message = format!("{size} bytes, of {limit} of which {used} are in use");
                Error::new(E_OUTOFMEMORY, message)
            })?;
        Ok(Self(size))
    }
}

impl Drop for Budget {
    fn drop(&mut self) {
        ALLOCATED.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// Memory that the CPU sees, from the first time that it is mapped on.
struct Mapping {
    start: *mut u8,
    layout: Layout,
}

// SAFETY: the memory is the host's to use; this only frees it.
unsafe impl Send for Mapping {}

impl Mapping {
    fn new(size: u64) -> Result<Self> {
        let full = || Error::new(E_OUTOFMEMORY, format!("{size} bytes cannot be mapped"));
        let size = usize::try_from(size).map_err(|_| full())?;
        let layout = Layout::from_size_align(size.max(1), 4096).map_err(|_| full())?;
        // SAFETY: the size is not 0.
        let start = unsafe { alloc_zeroed(layout) };
        if start.is_null() {
            return Err(full());
        }
        Ok(Self { start, layout })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.start, self.layout) };
    }
}

/// A heap.
pub(crate) struct Heap {
    size: u64,
    range: Range,
    cpu_visible: bool,
    mapping: Mutex<Option<Mapping>>,
    _budget: Budget,
}

impl Object for Heap {
    const KIND: &'static str = "heap";
}

/// A resource.
pub(crate) struct Resource {
    /// The virtual address of a buffer; 0 for a texture.
    address: u64,
    /// Bytes from there on.
    size: u64,
    desc: Desc,
    /// What the address is in; a reserved buffer has a range of its own.
    memory: Memory,
}

impl Object for Resource {
    const KIND: &'static str = "resource";
}

#[derive(Clone)]
enum Memory {
    Heap(Arc<Heap>),
    Reserved(#[allow(dead_code, reason = "held for its drop")] Arc<Range>),
    /// A reserved texture.
    None,
}

/// What both forms of the argument have.
#[derive(Clone, Copy, Debug)]
struct Desc {
    resource_type: D3D12DDI_RESOURCE_TYPE,
    width: u64,
    height: u32,
    depth: u16,
    mips: u16,
    samples: u32,
    layout: D3D12DDI_TEXTURE_LAYOUT,
    /// The buffer that this one is placed in.
    base: D3D12DDI_HRESOURCE,
    offset: u64,
    at: u64,
}

// SAFETY: the handle is a value that is only looked up.
unsafe impl Send for Desc {}
// SAFETY: through `&Desc` the handle is only read, as a value.
unsafe impl Sync for Desc {}

macro_rules! descs {
    ($($raw:ident),*) => {$(
        impl From<&$raw> for Desc {
            fn from(raw: &$raw) -> Self {
                // SAFETY: the union has one arm.
                let placement = unsafe { raw.ReuseBufferGPUVA.BaseAddress.UMD };
                Self {
                    resource_type: raw.ResourceType,
                    width: raw.Width,
                    height: raw.Height,
                    depth: raw.DepthOrArraySize,
                    mips: raw.MipLevels,
                    samples: raw.SampleDesc.Count,
                    layout: raw.Layout,
                    base: placement.hResource,
                    offset: placement.Offset,
                    at: raw.CreateAtVirtualAddress,
                }
            }
        }
    )*};
}

descs!(
    D3D12DDIARG_CREATERESOURCE_0109,
    D3D12DDIARG_CREATERESOURCE_0111
);

/// Bytes of the largest texel; every texture is as if it had these.
const TEXEL: u64 = 16;

impl Desc {
    fn is_buffer(&self) -> bool {
        self.resource_type == D3D12DDI_RT_BUFFER
    }

    /// # Errors
    ///
    /// No resource is so.
    fn check(&self) -> Result<()> {
        let invalid = |what: &str| Err(Error::invalid(format!("{what}: {self:?}")));
        match self.resource_type {
            D3D12DDI_RT_BUFFER
            | D3D12DDI_RT_TEXTURE1D
            | D3D12DDI_RT_TEXTURE2D
            | D3D12DDI_RT_TEXTURE3D => {}
            _ => return invalid("no type of resource"),
        }
        if self.width == 0 {
            return invalid("a width of 0");
        }
        if !self.is_buffer() && self.at != 0 {
            return invalid("a texture cannot be created at an address");
        }
        self.size().map(|_| ())
    }

    /// Bytes that the resource needs: whole pages.
    fn size(&self) -> Result<u64> {
        let bytes = if self.is_buffer() {
            Some(self.width)
        } else {
            let depth = u64::from(self.depth.max(1));
            let texel = TEXEL * u64::from(self.samples.max(1));
            // All mips together are less than twice the first.
            let mips = if self.mips == 1 { 1 } else { 2 };
            self.width
                .checked_mul(u64::from(self.height.max(1)))
                .and_then(|texels| texels.checked_mul(depth))
                .and_then(|texels| texels.checked_mul(texel * mips))
        };
        bytes
            .and_then(|bytes| bytes.checked_next_multiple_of(PAGE))
            .ok_or_else(|| Error::invalid(format!("the size overflows: {self:?}")))
    }

    fn allocation_info(&self, info: &mut D3D12DDI_RESOURCE_ALLOCATION_INFO_0022) -> Result<()> {
        info.ResourceDataSize = self.size()?;
        info.ResourceDataAlignment = ALIGNMENT;
        info.Layout = if self.is_buffer() {
            D3D12DDI_TL_ROW_MAJOR
        } else {
            self.layout
        };
        Ok(())
    }
}

/// Alignment of every resource.
#[allow(clippy::cast_possible_truncation)] // A small constant.
const ALIGNMENT: UINT = PAGE as UINT;

fn sizes(heap: bool, resource: bool) -> D3D12DDI_HEAP_AND_RESOURCE_SIZES {
    D3D12DDI_HEAP_AND_RESOURCE_SIZES {
        Heap: if heap { PRIVATE_SIZE } else { 0 },
        Resource: if resource { PRIVATE_SIZE } else { 0 },
    }
}

/// What is to be created, and where its host's memory is.
struct Creation {
    heap: Private,
    heap_handle: D3D12DDI_HHEAP,
    resource: Private,
}

/// Creates a heap, a resource, or both: a committed resource, or a heap with the buffer that is all of it.
/// Without a heap to create, the resource is in the heap of `heap_handle`, in the buffer that its placement
/// names, or reserved.
fn create(
    device: &Arc<Device>,
    heap: Option<&D3D12DDIARG_CREATEHEAP_0001>,
    resource: Option<Desc>,
    creation: &Creation,
) -> Result<()> {
    if let Some(desc) = &resource {
        desc.check()?;
        if desc.at != 0 && device.build < version::RECREATE_AT {
            return Err(Error::invalid(format!(
                "CreateAtVirtualAddress is of build {}; this device has {}",
                version::RECREATE_AT.0,
                device.build.0
            )));
        }
    }
    match (heap, resource) {
        (None, None) => Err(Error::invalid("neither a heap nor a resource")),
        (Some(heap), None) => {
            create_heap(device, heap, 0, creation.heap)?;
            Ok(())
        }
        (Some(heap), Some(desc)) => {
            let size = desc.size()?;
            if size > heap.ByteSize.checked_next_multiple_of(PAGE).unwrap_or(0) {
                return Err(Error::invalid(format!(
                    "the resource has {size} bytes, its heap {}",
                    heap.ByteSize
                )));
            }
            let heap = create_heap(device, heap, desc.at, creation.heap)?;
            let address = heap.range.start;
            let created = creation.resource.create(device, || {
                Ok(Resource {
                    address: if desc.is_buffer() { address } else { 0 },
                    size,
                    desc,
                    memory: Memory::Heap(Arc::clone(&heap)),
                })
            });
            if created.is_err() {
                // Both or none.
                _ = device
                    .owner()
                    .remove::<Heap>(creation.heap_handle.pDrvPrivate);
            }
            created.map(|_| ())
        }
        (None, Some(desc)) => {
            let placed = place(device, &desc, creation.heap_handle)?;
            creation.resource.create(device, || Ok(placed))?;
            Ok(())
        }
    }
}

fn create_heap(
    device: &Arc<Device>,
    desc: &D3D12DDIARG_CREATEHEAP_0001,
    at: u64,
    private: Private,
) -> Result<Arc<Heap>> {
    private.create(device, || {
        Ok(Heap {
            size: desc.ByteSize,
            range: Range::new(device, desc.ByteSize, desc.Alignment, at)?,
            cpu_visible: desc.CPUPageProperty != D3D12DDI_CPU_PAGE_PROPERTY_NOT_AVAILABLE,
            mapping: Mutex::new(None),
            _budget: Budget::new(desc.ByteSize)?,
        })
    })
}

/// A resource in what there is already, or in nothing.
fn place(device: &Arc<Device>, desc: &Desc, heap: D3D12DDI_HHEAP) -> Result<Resource> {
    let size = desc.size()?;
    let placed = |memory: Memory, start: u64, room: u64| {
        let offset = desc.offset;
        if offset
            .checked_add(desc.width)
            .is_none_or(|end| desc.is_buffer() && end > room)
        {
            return Err(Error::invalid(format!(
                "{} bytes at {offset} of {room}",
                desc.width
            )));
        }
        let address = if desc.is_buffer() { start + offset } else { 0 };
        if desc.at != 0 && desc.at != address {
            return Err(Error::invalid(format!(
                "CreateAtVirtualAddress is {:#x}; the heap and the offset give {address:#x}",
                desc.at
            )));
        }
        Ok(Resource {
            address,
            size,
            desc: *desc,
            memory,
        })
    };
    let owner = device.owner();
    if let Some(base) = owner.optional::<Resource>(desc.base.pDrvPrivate)? {
        // The base is where the heap begins, or part of it: what is behind it is the heap's too.
        let end = match &base.memory {
            Memory::Heap(heap) => heap.range.start + heap.range.size,
            _ => base.address + base.size,
        };
        return placed(base.memory.clone(), base.address, end - base.address);
    }
    if let Some(heap) = owner.optional::<Heap>(heap.pDrvPrivate)? {
        let (start, room) = (heap.range.start, heap.range.size);
        return placed(Memory::Heap(heap), start, room);
    }
    if !desc.is_buffer() {
        return Ok(Resource {
            address: 0,
            size,
            desc: *desc,
            memory: Memory::None,
        });
    }
    let range = Range::new(device, size, 0, desc.at)?;
    Ok(Resource {
        address: range.start,
        size,
        desc: *desc,
        memory: Memory::Reserved(Arc::new(range)),
    })
}

/// Checks an object that is named by its type. An object of another type than these is none of this driver's.
macro_rules! checked_objects {
    ($($handle_type:ident: $object:ty;)*) => {
        fn check_object(owner: &Owner, object: &D3D12DDI_HANDLE_AND_TYPE) -> Result<()> {
            match object.Type {
                $($handle_type => owner.id_of::<$object>(object.Handle)?,)*
                other => {
                    return Err(Error::invalid(format!("the driver has no objects of {other:?}")));
                }
            };
            Ok(())
        }
    };
}

checked_objects! {
    D3D12DDI_HT_COMMAND_QUEUE: CommandQueue;
    D3D12DDI_HT_PIPELINE_STATE: PipelineState;
    D3D12DDI_HT_COMMAND_LIST: CommandList;
    D3D12DDI_HT_FENCE: Fence;
    D3D12DDI_HT_DESCRIPTOR_HEAP: DescriptorHeap;
    D3D12DDI_HT_HEAP: Heap;
    D3D12DDI_HT_QUERY_HEAP: QueryHeap;
    D3D12DDI_HT_COMMAND_SIGNATURE: CommandSignature;
    D3D12DDI_HT_0010_PIPELINE_LIBRARY: PipelineLibrary;
    D3D12DDI_HT_0012_RESOURCE: Resource;
    D3D12DDI_HT_0040_COMMAND_POOL: CommandPool;
    D3D12DDI_HT_0040_COMMAND_RECORDER: CommandRecorder;
    D3D12DDI_HT_0054_STATE_OBJECT: StateObject;
    D3D12DDI_HT_METACOMMAND: MetaCommand;
    D3D12DDI_HT_0050_SCHEDULINGGROUP: SchedulingGroup;
}

fn check_objects(device: &Device, objects: &[D3D12DDI_HANDLE_AND_TYPE]) -> Result<()> {
    let owner = device.owner();
    objects
        .iter()
        .try_for_each(|object| check_object(&owner, object))
}

/// # Errors
///
/// There is a session: this driver creates none.
pub(crate) fn no_session(session: D3D12DDI_HPROTECTEDRESOURCESESSION_0030) -> Result<()> {
    if session.pDrvPrivate.is_null() {
        return Ok(());
    }
    Err(Error::invalid(
        "the driver has no protected resource sessions",
    ))
}

device_slots! {
    calc_private_heap_and_resource_sizes_0109 = "pfnCalcPrivateHeapAndResourceSizes"(
        _device,
        value heap: *const D3D12DDIARG_CREATEHEAP_0001,
        value resource: *const D3D12DDIARG_CREATERESOURCE_0109,
        value _session: D3D12DDI_HPROTECTEDRESOURCESESSION_0030,
    ) -> D3D12DDI_HEAP_AND_RESOURCE_SIZES {
        sizes(!heap.is_null(), !resource.is_null())
    }

    calc_private_heap_and_resource_sizes_0111 = "pfnCalcPrivateHeapAndResourceSizes"(
        _device,
        value heap: *const D3D12DDIARG_CREATEHEAP_0001,
        value resource: *const D3D12DDIARG_CREATERESOURCE_0111,
        value _session: D3D12DDI_HPROTECTEDRESOURCESESSION_0030,
    ) -> D3D12DDI_HEAP_AND_RESOURCE_SIZES {
        sizes(!heap.is_null(), !resource.is_null())
    }

    create_heap_and_resource_0109 = "pfnCreateHeapAndResource"(
        device,
        optional heap: D3D12DDIARG_CREATEHEAP_0001,
        value heap_handle: D3D12DDI_HHEAP,
        value _runtime: D3D12DDI_HRTRESOURCE,
        optional resource: D3D12DDIARG_CREATERESOURCE_0109,
        value _clear: *const D3D12DDI_CLEAR_VALUES,
        value session: D3D12DDI_HPROTECTEDRESOURCESESSION_0030,
        value resource_handle: D3D12DDI_HRESOURCE,
    ) -> HRESULT {
        no_session(session)?;
        // SAFETY: the host allocates as much for both as the driver asks for.
        let creation = unsafe { Creation::new(heap_handle, resource_handle) };
        create(device, heap, resource.map(Desc::from), &creation)?;
        S_OK
    }

    create_heap_and_resource_0111 = "pfnCreateHeapAndResource"(
        device,
        optional heap: D3D12DDIARG_CREATEHEAP_0001,
        value heap_handle: D3D12DDI_HHEAP,
        value _runtime: D3D12DDI_HRTRESOURCE,
        optional resource: D3D12DDIARG_CREATERESOURCE_0111,
        value _clear: *const D3D12DDI_CLEAR_VALUES,
        value session: D3D12DDI_HPROTECTEDRESOURCESESSION_0030,
        value resource_handle: D3D12DDI_HRESOURCE,
    ) -> HRESULT {
        no_session(session)?;
        // SAFETY: the host allocates as much for both as the driver asks for.
        let creation = unsafe { Creation::new(heap_handle, resource_handle) };
        create(device, heap, resource.map(Desc::from), &creation)?;
        S_OK
    }

    destroy_heap_and_resource = "pfnDestroyHeapAndResource"(
        device, value heap: D3D12DDI_HHEAP, value resource: D3D12DDI_HRESOURCE,
    ) {
        if heap.pDrvPrivate.is_null() && resource.pDrvPrivate.is_null() {
            return Err(Error::invalid("neither a heap nor a resource"));
        }
        // Both or none. A heap's memory outlives it while a resource is in it.
        let owner = device.owner();
        let resource_goes = owner.optional::<Resource>(resource.pDrvPrivate)?.is_some();
        if owner.optional::<Heap>(heap.pDrvPrivate)?.is_some() {
            owner.remove::<Heap>(heap.pDrvPrivate)?;
        }
        if resource_goes {
            owner.remove::<Resource>(resource.pDrvPrivate)?;
        }
    }

    calc_private_opened_heap_and_resource_sizes = "pfnCalcPrivateOpenedHeapAndResourceSizes"(
        _device,
        value _desc: *const D3D12DDIARG_OPENHEAP_0003,
        value _session: D3D12DDI_HPROTECTEDRESOURCESESSION_0030,
    ) -> D3D12DDI_HEAP_AND_RESOURCE_SIZES {
        sizes(true, true)
    }

    // Not simulated: nothing is shared with another process.
    open_heap_and_resource = "pfnOpenHeapAndResource"(
        _device,
        value _desc: *const D3D12DDIARG_OPENHEAP_0003,
        value _heap: D3D12DDI_HHEAP,
        value _runtime: D3D12DDI_HRTRESOURCE,
        value _session: D3D12DDI_HPROTECTEDRESOURCESESSION_0030,
        value _resource: D3D12DDI_HRESOURCE,
    ) -> HRESULT {
        Err::<HRESULT, _>(Error::new(E_NOTIMPL, "the driver opens no shared heaps"))?
    }

    map_heap = "pfnMapHeap"(device, value heap: D3D12DDI_HHEAP, pointer data: *mut c_void) -> HRESULT {
        let heap = device.owner().get::<Heap>(heap.pDrvPrivate)?;
        if !heap.cpu_visible {
            return Err(Error::invalid("the heap has no CPU page property"));
        }
        if data.is_null() || !data.is_aligned() {
            return Err(Error::invalid("the pointer for the address is null or not aligned"));
        }
        let mut mapping = heap.mapping.lock();
        if mapping.is_none() {
            *mapping = Some(Mapping::new(heap.size)?);
        }
        let start = mapping.as_ref().map_or(std::ptr::null_mut(), |mapping| mapping.start.cast());
        // SAFETY: the DDI: it points to the answer.
        unsafe { data.write(start) };
        S_OK
    }

    // The memory stays mapped: its content is the heap's.
    unmap_heap = "pfnUnmapHeap"(device, value heap: D3D12DDI_HHEAP) {
        device.owner().get::<Heap>(heap.pDrvPrivate)?;
    }

    make_resident = "pfnMakeResident"(device, input_mut arguments: D3D12DDIARG_MAKERESIDENT_0001) -> HRESULT {
        let (objects, count) = (arguments.pObjects, arguments.NumObjects);
        checked!(array objects count);
        check_objects(device, objects)?;
        zero_fences(arguments.pPagingFenceValue, arguments.NumAdapters);
        S_OK
    }

    evict = "pfnEvict"(device, input arguments: D3D12DDIARG_EVICT) -> HRESULT {
        let (objects, count) = (arguments.pObjects, arguments.NumObjects);
        checked!(array objects count);
        check_objects(device, objects)?;
        S_OK
    }

    offer_resources = "pfnOfferResources"(device, input arguments: D3D12DDIARG_OFFERRESOURCES) -> HRESULT {
        let (objects, count) = (arguments.pObjects, arguments.NumObjects);
        checked!(array objects count);
        check_objects(device, objects)?;
        S_OK
    }

    reclaim_resources = "pfnReclaimResources"(device, input_mut arguments: D3D12DDIARG_RECLAIMRESOURCES_0001) -> HRESULT {
        let (objects, count) = (arguments.pObjects, arguments.NumObjects);
        checked!(array objects count);
        check_objects(device, objects)?;
        if !arguments.pDiscarded.is_null() && arguments.pDiscarded.is_aligned() {
            for index in 0..objects.len() {
                // SAFETY: the DDI: one answer for each object.
                unsafe { arguments.pDiscarded.add(index).write(FALSE) };
            }
        }
        zero_fences(arguments.pPagingFenceValue, arguments.NumAdapters);
        S_OK
    }

    check_resource_virtual_address = "pfnCheckResourceVirtualAddress"(
        device, value resource: D3D12DDI_HRESOURCE,
    ) -> D3D12DDI_GPU_VIRTUAL_ADDRESS {
        device.owner().get::<Resource>(resource.pDrvPrivate)?.address
    }

    check_resource_allocation_info_0109 = "pfnCheckResourceAllocationInfo"(
        _device,
        input desc: D3D12DDIARG_CREATERESOURCE_0109,
        value _flags: D3D12DDI_RESOURCE_OPTIMIZATION_FLAGS,
        value _alignment: UINT32,
        value _nodes: UINT,
        output info: D3D12DDI_RESOURCE_ALLOCATION_INFO_0022,
    ) {
        let desc = Desc::from(desc);
        desc.check()?;
        desc.allocation_info(info)?;
    }

    check_resource_allocation_info_0111 = "pfnCheckResourceAllocationInfo"(
        _device,
        input desc: D3D12DDIARG_CREATERESOURCE_0111,
        value _flags: D3D12DDI_RESOURCE_OPTIMIZATION_FLAGS,
        value _alignment: UINT32,
        value _nodes: UINT,
        output info: D3D12DDI_RESOURCE_ALLOCATION_INFO_0022,
    ) {
        let desc = Desc::from(desc);
        desc.check()?;
        desc.allocation_info(info)?;
    }

    check_existing_resource_allocation_info = "pfnCheckExistingResourceAllocationInfo"(
        device, value resource: D3D12DDI_HRESOURCE, output info: D3D12DDI_RESOURCE_ALLOCATION_INFO_0022,
    ) {
        let resource = device.owner().get::<Resource>(resource.pDrvPrivate)?;
        resource.desc.allocation_info(info)?;
        // What is to be reserved, so that it can be created there again: a committed resource needs all
        // of its heap.
        if let Memory::Heap(heap) = &resource.memory
            && resource.address == heap.range.start
        {
            info.ResourceDataSize = heap.range.size.max(resource.size);
        }
    }

    check_subresource_info = "pfnCheckSubresourceInfo"(
        device,
        value resource: D3D12DDI_HRESOURCE,
        value _subresource: UINT,
        output info: D3D12DDI_SUBRESOURCE_INFO,
    ) {
        let resource = device.owner().get::<Resource>(resource.pDrvPrivate)?;
        info.RowStride = resource.desc.width;
        info.DepthStride = resource.size;
    }

    check_resource_allocation_handle = "pfnCheckResourceAllocationHandle"(
        device, value resource: D3D12DDI_HRESOURCE,
    ) -> D3DKMT_HANDLE {
        // There is no kernel: any number that is not 0 is as good.
        device.owner().get::<Resource>(resource.pDrvPrivate)?;
        1
    }

    get_mip_packing = "pfnGetMipPacking"(
        device, value resource: D3D12DDI_HRESOURCE, output packed: UINT, output tiles: UINT,
    ) {
        device.owner().get::<Resource>(resource.pDrvPrivate)?;
        (*packed, *tiles) = (0, 0);
    }

    // Not simulated: the driver has nothing to say about its allocations.
    get_debug_allocation_info = "pfnGetDebugAllocationInfo"(
        device,
        value object: D3D12DDI_HANDLE_AND_TYPE,
        output addresses: UINT,
        pointer _address_infos: D3D12DDI_DEBUG_VIRTUAL_ADDRESS_ALLOCATION_INFO_0012,
        output allocations: UINT,
        pointer _allocation_infos: D3D12DDI_DEBUG_KMT_ALLOCATION_INFO_0014,
    ) {
        check_object(&device.owner(), &object)?;
        (*addresses, *allocations) = (0, 0);
    }
}

impl Creation {
    /// # Safety
    ///
    /// As for [`Private::new`], of each handle whose object is created.
    unsafe fn new(heap: D3D12DDI_HHEAP, resource: D3D12DDI_HRESOURCE) -> Self {
        // SAFETY: each handle whose object is created is as `Private::new` wants it (`# Safety`).
        let (heap_memory, resource_memory) = unsafe {
            (
                Private::new(heap.pDrvPrivate),
                Private::new(resource.pDrvPrivate),
            )
        };
        Self {
            heap: heap_memory,
            heap_handle: heap,
            resource: resource_memory,
        }
    }
}

/// Everything is always resident: no fence is to be waited for.
fn zero_fences(values: *mut UINT64, count: UINT) {
    if values.is_null() || !values.is_aligned() {
        return;
    }
    for index in 0..count as usize {
        // SAFETY: the DDI: one value for each adapter.
        unsafe { values.add(index).write(0) };
    }
}
