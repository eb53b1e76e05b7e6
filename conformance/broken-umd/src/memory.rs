//! Heaps and buffers at given GPU addresses.

use std::ffi::c_void;
use std::ptr;

use ddi_sys::*;
use defects::{Place as _, rows};
use parking_lot::Mutex;

use crate::places::*;

rows! {
    Hook, Device;

    "address-zero-refused" breaks U_GPUVA_01: "a buffer without a CreateAtVirtualAddress gets E_INVALIDARG",
        at CreateHeapAndResource |call| call.answer_if(resource(call).is_some_and(|it| it.is_own() && it.at() == 0), E_INVALIDARG);
    "address-unknown" breaks U_GPUVA_01: "the address of every buffer is 0",
        at CheckAddress |_| 0;
    "recreate-elsewhere" breaks U_GPUVA_02: "a buffer's CreateAtVirtualAddress is taken for 0",
        at CreateHeapAndResource |call| anywhere_if(call, Resource::is_own);
    "recreate-taken-elsewhere" breaks U_GPUVA_03: "a buffer whose address is taken is created at another",
        at CreateHeapAndResource taken_elsewhere;
    "recreate-texture" breaks U_GPUVA_04: "a texture's CreateAtVirtualAddress is ignored",
        at CreateHeapAndResource |call| anywhere_if(call, |it| !it.is_buffer());
    "ranges-unaligned-refused" breaks U_GPUVA_05: "an unaligned range to reserve fails the device",
        at CreateDevice |call| call.answer_if(call.ranges().iter().any(is_odd), E_INVALIDARG);
    "ranges-empty-refused" breaks U_GPUVA_05: "an empty range to reserve fails the device",
        at CreateDevice |call| call.answer_if(call.ranges().iter().any(|range| range.SizeInBytes == 0), E_INVALIDARG);
    "ranges-overlap-refused" breaks U_GPUVA_05: "two ranges that overlap fail the device",
        at CreateDevice |call| call.answer_if(overlap(call.ranges()), E_INVALIDARG);
    "recreate-at-ungated" breaks U_GPUVA_06: "RecreateAtTier is 1 with build 109",
        at GetCaps |call| answered(call, D3D12DDICAPS_TYPE_OPTIONS_0109, 1);
    "recreate-no-tier" leaves U_GPUVA_02 U_GPUVA_03 U_GPUVA_04 U_GPUVA_05 U_GPUVA_07 U_GPUVA_08 U_GPUVA_09:
        "RecreateAtTier is NOT_SUPPORTED with every build",
        at GetCaps |call| answered(call, D3D12DDICAPS_TYPE_OPTIONS_0109, 0);
    "memory-of-the-kernel" undecided: "heaps are allocated by pfnAllocateCb, without which they are refused",
        at CreateDevice keep_allocate,
        at CreateHeapAndResource of_the_kernel;
    "placed-offset-ignored" breaks U_GPUVA_07: "a placed buffer is at the beginning of the other one",
        at CreateHeapAndResource |call| at_beginning_if(call, |it| it.is_placed);
    "placed-address-ignored" breaks U_GPUVA_07:
        "a placed buffer with a CreateAtVirtualAddress is at the beginning of the other one",
        at CreateHeapAndResource |call| at_beginning_if(call, |it| it.is_placed && it.at() != 0);
    "ranges-not-left-alone" breaks U_GPUVA_08:
        "a buffer without a CreateAtVirtualAddress takes the first reserved range, if it is free",
        also U_GPUVA_05: "the first of its ranges is one of these",
        at CreateDevice keep_reserved,
        at CreateHeapAndResource not_left_alone;
    "ranges-odd-forgotten" breaks U_GPUVA_05: "a device with an unaligned range to reserve reserves none",
        at CreateDevice odd_forgotten;
    "placed-address-not-compared" breaks U_GPUVA_07: "a placed buffer's CreateAtVirtualAddress is taken for 0",
        at CreateHeapAndResource |call| anywhere_if(call, |it| it.is_placed);
    "recreate-never" breaks U_GPUVA_09: "every CreateAtVirtualAddress is refused",
        at CreateHeapAndResource |call| call.answer_if(resource(call).is_some_and(|it| it.is_buffer() && it.at() != 0), E_INVALIDARG);
    "ranges-refused" breaks U_GPUVA_05: "a device with ranges to reserve is refused",
        also U_GPUVA_02 U_GPUVA_03 U_GPUVA_04 U_GPUVA_07 U_GPUVA_08 U_GPUVA_09: "no device has the range",
        at CreateDevice |call| call.answer_if(!call.ranges().is_empty(), E_INVALIDARG);
}

/// Gives a cap of one number.
pub(crate) fn answered(call: &mut GetCaps, kind: D3D12DDICAPS_TYPE, answer: u32) -> HRESULT {
    let result = call.pass();
    // SAFETY: the host's structure.
    let arguments = unsafe { &*call.arguments };
    if result.is_ok() && arguments.Type == kind {
        // SAFETY: the driver has accepted the size, which is that of the structure: one number.
        unsafe { arguments.pData.cast::<u32>().write(answer) };
    }
    result
}

fn is_odd(range: &D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE) -> bool {
    !range.StartAddress.is_multiple_of(0x1_0000)
}

fn overlap(ranges: &[D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE]) -> bool {
    ranges.iter().enumerate().any(|(index, one)| {
        ranges[index + 1..].iter().any(|other| {
            one.StartAddress < other.StartAddress + other.SizeInBytes
                && other.StartAddress < one.StartAddress + one.SizeInBytes
        })
    })
}

fn odd_forgotten(call: &mut CreateDevice) -> HRESULT {
    let given = call.given();
    let none = D3D12DDIARG_CREATEDEVICE_0109 {
        NumReserveRanges: 0,
        ..given
    };
    if call.ranges().iter().any(is_odd) {
        call.arguments = (&raw const none).cast();
    }
    call.pass()
}

/// `pfnAllocateCb` of the last device.
static ALLOCATE: Mutex<Option<Allocate>> = Mutex::new(None);

type Allocate = unsafe extern "system" fn(HANDLE, *mut c_void) -> HRESULT;

fn keep_allocate(call: &mut CreateDevice) -> HRESULT {
    let first = call.given().pKTCallbacks.cast::<Option<Allocate>>();
    // SAFETY: null, or the host's table, whose first function is pfnAllocateCb.
    *ALLOCATE.lock() = unsafe { first.as_ref() }.copied().flatten();
    call.pass()
}

fn of_the_kernel(call: &mut CreateHeapAndResource) -> HRESULT {
    let allocate = *ALLOCATE.lock();
    if let Some(allocate) = allocate.filter(|_| !call.heap.is_null()) {
        let mut arguments = [0_usize; 16];
        // SAFETY: the callback takes the runtime's device and a structure, which this room stands for.
        let result = unsafe { allocate(ptr::null_mut(), arguments.as_mut_ptr().cast()) };
        if !result.is_ok() {
            return result;
        }
    }
    call.pass()
}

/// A resource that is to be created.
#[derive(Clone, Copy)]
struct Resource {
    given: D3D12DDIARG_CREATERESOURCE_0111,
    is_placed: bool,
}

fn resource(call: &CreateHeapAndResource) -> Option<Resource> {
    // SAFETY: null, or the host's structure.
    let given = *unsafe { call.resource.as_ref() }?;
    let is_placed = call.heap.is_null();
    Some(Resource { given, is_placed })
}

impl Resource {
    fn is_buffer(self) -> bool {
        self.given.ResourceType == D3D12DDI_RT_BUFFER
    }

    /// Whether it is a buffer with a heap of its own.
    fn is_own(self) -> bool {
        self.is_buffer() && !self.is_placed
    }

    fn at(self) -> u64 {
        self.given.CreateAtVirtualAddress
    }

    fn create_at(mut self, call: &mut CreateHeapAndResource, address: u64) -> HRESULT {
        self.given.CreateAtVirtualAddress = address;
        let given = call.resource;
        call.resource = &raw const self.given;
        let result = call.pass();
        call.resource = given;
        result
    }
}

fn anywhere_if(call: &mut CreateHeapAndResource, is_so: fn(Resource) -> bool) -> HRESULT {
    match resource(call).filter(|it| is_so(*it)) {
        Some(it) => it.create_at(call, 0),
        None => call.pass(),
    }
}

fn at_beginning_if(call: &mut CreateHeapAndResource, is_so: fn(Resource) -> bool) -> HRESULT {
    match resource(call).filter(|it| is_so(*it)) {
        Some(mut it) => {
            it.given.ReuseBufferGPUVA.BaseAddress.UMD.Offset = 0;
            it.create_at(call, 0)
        }
        None => call.pass(),
    }
}

fn taken_elsewhere(call: &mut CreateHeapAndResource) -> HRESULT {
    let result = call.pass();
    match resource(call).filter(|it| !result.is_ok() && it.is_own() && it.at() != 0) {
        Some(it) => it.create_at(call, 0),
        None => result,
    }
}

/// The beginning of the first range that the last device has reserved; 0 if there is none.
static RESERVED: Mutex<u64> = Mutex::new(0);

fn keep_reserved(call: &mut CreateDevice) -> HRESULT {
    let first = call.ranges().first();
    *RESERVED.lock() = first.map_or(0, |range| range.StartAddress);
    call.pass()
}

fn not_left_alone(call: &mut CreateHeapAndResource) -> HRESULT {
    let reserved = *RESERVED.lock();
    if let Some(it) = resource(call).filter(|it| it.is_own() && it.at() == 0 && reserved != 0) {
        let result = it.create_at(call, reserved);
        if result.is_ok() {
            return result;
        }
    }
    call.pass()
}
