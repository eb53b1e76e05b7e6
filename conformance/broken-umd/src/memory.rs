//! Heaps and buffers at given GPU addresses.

use std::ffi::c_void;
use std::sync::Mutex;
use std::{ptr, slice};

use base_plugin::defects;
use ddi_sys::{
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_STATE_113, D3D12DDI_CLEAR_VALUES,
    D3D12DDI_DEVICE_FUNCS_CORE_0113, D3D12DDI_GPU_VIRTUAL_ADDRESS,
    D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE, D3D12DDI_HADAPTER, D3D12DDI_HDEVICE, D3D12DDI_HHEAP,
    D3D12DDI_HPROTECTEDRESOURCESESSION_0030, D3D12DDI_HRESOURCE, D3D12DDI_HRTRESOURCE,
    D3D12DDI_RT_BUFFER, D3D12DDIARG_CREATEDEVICE_0109, D3D12DDIARG_CREATEHEAP_0001,
    D3D12DDIARG_CREATERESOURCE_0111, D3D12DDIARG_GETCAPS, D3D12DDICAPS_TYPE_OPTIONS_0109,
    E_INVALIDARG, HANDLE, HRESULT,
};

use crate::defect::{Defect, has};
use crate::own;
use crate::state::State;

/// The defects of this file.
#[macro_export]
macro_rules! memory_defects {
    ($take:ident) => {
        $take! {
            /// In the creation of devices, heaps and resources.
            Memory {
                ZeroRefused = "address-zero-refused" breaks U_GPUVA_01:
                    "a buffer without a CreateAtVirtualAddress gets E_INVALIDARG";
                NoAddress = "address-unknown" breaks U_GPUVA_01:
                    "the address of every buffer is 0";
                Elsewhere = "recreate-elsewhere" breaks U_GPUVA_02:
                    "a buffer's CreateAtVirtualAddress is taken for 0";
                TakenElsewhere = "recreate-taken-elsewhere" breaks U_GPUVA_03:
                    "a buffer whose address is taken is created at another";
                TextureAccepted = "recreate-texture" breaks U_GPUVA_04:
                    "a texture's CreateAtVirtualAddress is ignored";
                UnalignedRefused = "ranges-unaligned-refused" breaks U_GPUVA_05:
                    "an unaligned range to reserve fails the device";
                EmptyRefused = "ranges-empty-refused" breaks U_GPUVA_05:
                    "an empty range to reserve fails the device";
                OverlapRefused = "ranges-overlap-refused" breaks U_GPUVA_05:
                    "two ranges that overlap fail the device";
                TierAtOldBuild = "recreate-at-ungated" breaks U_GPUVA_06:
                    "RecreateAtTier is 1 with build 109";
                NoTier = "recreate-no-tier" leaves U_GPUVA_02 U_GPUVA_03 U_GPUVA_04 U_GPUVA_05 U_GPUVA_07 U_GPUVA_08 U_GPUVA_09:
                    "RecreateAtTier is NOT_SUPPORTED with every build";
                Kernel = "memory-of-the-kernel" undecided:
                    "heaps are allocated by pfnAllocateCb, without which they are refused";
                OffsetIgnored = "placed-offset-ignored" breaks U_GPUVA_07:
                    "a placed buffer is at the beginning of the other one";
                PlacedElsewhere = "placed-address-ignored" breaks U_GPUVA_07:
                    "a placed buffer with a CreateAtVirtualAddress is at the beginning of the other one";
                NotLeftAlone = "ranges-not-left-alone" breaks U_GPUVA_08:
                    "a buffer without a CreateAtVirtualAddress takes the first reserved range, if it is free",
                    also U_GPUVA_05 because "the first of its ranges is one of these";
                OddForgotten = "ranges-odd-forgotten" breaks U_GPUVA_05:
                    "a device with an unaligned range to reserve reserves none";
                PlacedAnywhere = "placed-address-not-compared" breaks U_GPUVA_07:
                    "a placed buffer's CreateAtVirtualAddress is taken for 0";
                Never = "recreate-never" breaks U_GPUVA_09:
                    "every CreateAtVirtualAddress is refused";
                RangesRefused = "ranges-refused" breaks U_GPUVA_05:
                    "a device with ranges to reserve is refused",
                    also U_GPUVA_02 because "no device has the range",
                    also U_GPUVA_03 because "no device has the range",
                    also U_GPUVA_04 because "no device has the range",
                    also U_GPUVA_07 because "no device has the range",
                    also U_GPUVA_08 because "no device has the range",
                    also U_GPUVA_09 because "no device has the range";
            }
        }
    };
}

memory_defects!(defects);

/// The beginning of the first range that the last device has reserved; 0 if there is none.
static RESERVED: Mutex<u64> = Mutex::new(0);

/// Leaves out the ranges of a device that the driver forgets.
pub(crate) fn forget_ranges(arguments: &mut D3D12DDIARG_CREATEDEVICE_0109) {
    let is_odd =
        |range: &D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE| !range.StartAddress.is_multiple_of(0x1_0000);
    if has(Memory::OddForgotten) && ranges(arguments).iter().any(is_odd) {
        arguments.NumReserveRanges = 0;
    }
}

/// `pfnAllocateCb` of the last device.
static ALLOCATE: Mutex<Option<Allocate>> = Mutex::new(None);

type Allocate = unsafe extern "system" fn(HANDLE, *mut c_void) -> HRESULT;

/// Keeps the kernel-mode callbacks of a device.
pub(crate) fn keep_callbacks(arguments: &D3D12DDIARG_CREATEDEVICE_0109) {
    let first = arguments.pKTCallbacks.cast::<Option<Allocate>>();
    // SAFETY: null, or the host's table, whose first function is pfnAllocateCb.
    *ALLOCATE.lock().expect("nothing panics") = unsafe { first.as_ref() }.copied().flatten();
}

fn ranges(arguments: &D3D12DDIARG_CREATEDEVICE_0109) -> &[D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE] {
    match arguments.NumReserveRanges as usize {
        0 => &[],
        // SAFETY: the host's array has as many entries.
        count => unsafe { slice::from_raw_parts(arguments.pReserveRanges, count) },
    }
}

/// Whether a device is refused because of the ranges that it is to reserve.
pub(crate) fn refuses_ranges(arguments: &D3D12DDIARG_CREATEDEVICE_0109) -> bool {
    let ranges = ranges(arguments);
    *RESERVED.lock().expect("nothing panics") =
        ranges.first().map_or(0, |range| range.StartAddress);
    let is_unaligned =
        |range: &D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE| !range.StartAddress.is_multiple_of(0x1_0000);
    let overlap = ranges.iter().enumerate().any(|(index, one)| {
        ranges[index + 1..].iter().any(|other| {
            one.StartAddress < other.StartAddress + other.SizeInBytes
                && other.StartAddress < one.StartAddress + one.SizeInBytes
        })
    });
    (has(Memory::RangesRefused) && !ranges.is_empty())
        || (has(Memory::UnalignedRefused) && ranges.iter().any(is_unaligned))
        || (has(Memory::EmptyRefused) && ranges.iter().any(|range| range.SizeInBytes == 0))
        || (has(Memory::OverlapRefused) && overlap)
}

pub(crate) fn layer_core(core: &mut D3D12DDI_DEVICE_FUNCS_CORE_0113) {
    core.pfnCreateHeapAndResource = Some(create_heap_and_resource);
    core.pfnCheckResourceVirtualAddress = Some(check_address);
}

unsafe extern "system" fn create_heap_and_resource(
    device: D3D12DDI_HDEVICE,
    heap: *const D3D12DDIARG_CREATEHEAP_0001,
    heap_handle: D3D12DDI_HHEAP,
    runtime: D3D12DDI_HRTRESOURCE,
    resource: *const D3D12DDIARG_CREATERESOURCE_0111,
    clear: *const D3D12DDI_CLEAR_VALUES,
    session: D3D12DDI_HPROTECTEDRESOURCESESSION_0030,
    handle: D3D12DDI_HRESOURCE,
) -> HRESULT {
    let create = |resource| {
        own!(CORE.pfnCreateHeapAndResource(
            device,
            heap,
            heap_handle,
            runtime,
            resource,
            clear,
            session,
            handle
        ))
    };
    let allocate = *ALLOCATE.lock().expect("nothing panics");
    if has(Memory::Kernel)
        && !heap.is_null()
        && let Some(allocate) = allocate
    {
        let mut arguments = [0_usize; 16];
        // SAFETY: the callback takes the runtime's device and a structure, which this room stands for.
        let result = unsafe { allocate(ptr::null_mut(), arguments.as_mut_ptr().cast()) };
        if !result.is_ok() {
            return result;
        }
    }
    // SAFETY: null, or the host's structure.
    let Some(&given) = (unsafe { resource.as_ref() }) else {
        return create(resource);
    };
    let is_buffer = given.ResourceType == D3D12DDI_RT_BUFFER;
    let (is_placed, at) = (heap.is_null(), given.CreateAtVirtualAddress);
    let chosen = D3D12DDIARG_CREATERESOURCE_0111 {
        CreateAtVirtualAddress: 0,
        ..given
    };
    if (is_buffer && !is_placed && at == 0 && has(Memory::ZeroRefused))
        || (is_buffer && at != 0 && has(Memory::Never))
    {
        return E_INVALIDARG;
    }
    if (is_buffer && !is_placed && has(Memory::Elsewhere))
        || (!is_buffer && has(Memory::TextureAccepted))
    {
        return create(&raw const chosen);
    }
    if is_placed && has(Memory::PlacedAnywhere) {
        return create(&raw const chosen);
    }
    if is_placed && (has(Memory::OffsetIgnored) || (at != 0 && has(Memory::PlacedElsewhere))) {
        let mut first = chosen;
        first.ReuseBufferGPUVA.BaseAddress.UMD.Offset = 0;
        return create(&raw const first);
    }
    let reserved = *RESERVED.lock().expect("nothing panics");
    if is_buffer && !is_placed && at == 0 && reserved != 0 && has(Memory::NotLeftAlone) {
        let there = D3D12DDIARG_CREATERESOURCE_0111 {
            CreateAtVirtualAddress: reserved,
            ..given
        };
        let result = create(&raw const there);
        if result.is_ok() {
            return result;
        }
    }
    let result = create(ptr::from_ref(&given));
    if !result.is_ok() && is_buffer && !is_placed && at != 0 && has(Memory::TakenElsewhere) {
        return create(&raw const chosen);
    }
    result
}

unsafe extern "system" fn check_address(
    device: D3D12DDI_HDEVICE,
    resource: D3D12DDI_HRESOURCE,
) -> D3D12DDI_GPU_VIRTUAL_ADDRESS {
    if has(Memory::NoAddress) {
        return 0;
    }
    own!(CORE.pfnCheckResourceVirtualAddress(device, resource))
}

pub(crate) unsafe extern "system" fn get_caps(
    adapter: D3D12DDI_HADAPTER,
    arguments: *const D3D12DDIARG_GETCAPS,
) -> HRESULT {
    let result = own!(FUNCS.pfnGetCaps(adapter, arguments));
    // SAFETY: the host's structure.
    let arguments = unsafe { &*arguments };
    let changes = [
        (
            Memory::TierAtOldBuild.into(),
            D3D12DDICAPS_TYPE_OPTIONS_0109,
            1,
        ),
        (Memory::NoTier.into(), D3D12DDICAPS_TYPE_OPTIONS_0109, 0),
        (
            Defect::from(State::NotSupported),
            D3D12DDI_APPLICATION_SPECIFIC_DRIVER_STATE_113,
            0,
        ),
    ];
    for (defect, caps, answer) in changes {
        if has(defect) && result.is_ok() && arguments.Type == caps {
            // SAFETY: the driver has accepted the size, which is that of the structure: one number.
            unsafe { arguments.pData.cast::<u32>().write(answer) };
        }
    }
    result
}
