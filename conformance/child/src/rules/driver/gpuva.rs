//! U-GPUVA: heaps and buffers at given GPU addresses.

use std::ptr;

use bytemuck::Zeroable;
use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure};
use ddi_sys::{
    D3D12DDI_BARRIER_LAYOUT_UNDEFINED, D3D12DDI_CPU_PAGE_PROPERTY_NOT_AVAILABLE,
    D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE, D3D12DDI_HEAP_FLAG_BUFFERS,
    D3D12DDI_HEAP_FLAG_NON_RT_DS_TEXTURES, D3D12DDI_HEAP_FLAGS, D3D12DDI_HHEAP,
    D3D12DDI_HPROTECTEDRESOURCESESSION_0030, D3D12DDI_HRESOURCE, D3D12DDI_HRTRESOURCE,
    D3D12DDI_MEMORY_ARCHITECTURE_CAPS_0041, D3D12DDI_MEMORY_POOL_L0, D3D12DDI_MEMORY_POOL_L1,
    D3D12DDI_OPTIONS_DATA_0109, D3D12DDI_RECREATE_AT_TIER_NOT_SUPPORTED,
    D3D12DDI_RESOURCE_ALLOCATION_INFO_0022, D3D12DDI_RESOURCE_OPTIMIZATION_FLAG_NONE,
    D3D12DDI_RT_BUFFER, D3D12DDI_RT_TEXTURE2D, D3D12DDI_TL_ROW_MAJOR, D3D12DDI_TL_UNDEFINED,
    D3D12DDIARG_CREATEHEAP_0001, D3D12DDIARG_CREATERESOURCE_0111, D3D12DDIARG_HRESOURCE_PLACEMENT,
    D3D12DDICAPS_TYPE_MEMORY_ARCHITECTURE, D3D12DDICAPS_TYPE_OPTIONS_0109,
    DXGI_FORMAT_R8G8B8A8_UNORM, DXGI_SAMPLE_DESC, FALSE, HRESULT, S_OK,
};

use super::Tests;
use crate::driver::{Device, Driver, OLDEST, State, private, slot};

/// The build that the function is gated by.
const BUILD: u32 = 111;
/// Of buffers.
const SIZE: u64 = 256 * 1024;
/// Where buffers may be placed in another.
const ALIGNMENT: u64 = 64 * 1024;

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::U_GPUVA_01, u_gpuva_01_zero_is_no_wish),
    (
        rules::U_GPUVA_02,
        u_gpuva_02_an_address_is_honoured_or_refused,
    ),
    (rules::U_GPUVA_03, u_gpuva_03_an_address_is_taken_once),
    (rules::U_GPUVA_04, u_gpuva_04_a_texture_is_refused),
    (rules::U_GPUVA_05, u_gpuva_05_odd_ranges_do_no_harm),
    (rules::U_GPUVA_06, u_gpuva_06_an_older_build_has_no_tier),
    (
        rules::U_GPUVA_07,
        u_gpuva_07_placed_buffers_are_at_their_offset,
    ),
    (rules::U_GPUVA_08, u_gpuva_08_reserved_ranges_are_left_alone),
    (rules::U_GPUVA_09, u_gpuva_09_a_recorded_address_is_honoured),
];

/// A resource of a device, and its heap.
struct Resource {
    handle: D3D12DDI_HRESOURCE,
    heap: D3D12DDI_HHEAP,
}

/// A device of a driver that recreates resources.
fn device(driver: &Driver) -> Result<Device, Stop> {
    let device = driver.device(BUILD)?;
    let (result, options) = device
        .adapter
        .caps::<D3D12DDI_OPTIONS_DATA_0109>(D3D12DDICAPS_TYPE_OPTIONS_0109)?;
    if result != S_OK || options.RecreateAtTier == D3D12DDI_RECREATE_AT_TIER_NOT_SUPPORTED {
        return Err(Stop::NotApplicable(
            "the driver reports that RecreateAtTier is NOT_SUPPORTED".into(),
        ));
    }
    Ok(device)
}

fn desc(at: u64) -> D3D12DDIARG_CREATERESOURCE_0111 {
    D3D12DDIARG_CREATERESOURCE_0111 {
        ResourceType: D3D12DDI_RT_BUFFER,
        Width: SIZE,
        Height: 1,
        DepthOrArraySize: 1,
        MipLevels: 1,
        SampleDesc: DXGI_SAMPLE_DESC {
            Count: 1,
            Quality: 0,
        },
        Layout: D3D12DDI_TL_ROW_MAJOR,
        InitialBarrierLayout: D3D12DDI_BARRIER_LAYOUT_UNDEFINED,
        CreateAtVirtualAddress: at,
        ..Zeroable::zeroed()
    }
}

/// Creates a resource with a heap of its own.
fn create(
    device: &Device,
    flags: D3D12DDI_HEAP_FLAGS,
    desc: &D3D12DDIARG_CREATERESOURCE_0111,
) -> Result<Result<Resource, HRESULT>, Stop> {
    let (result, memory) = device
        .adapter
        .caps::<D3D12DDI_MEMORY_ARCHITECTURE_CAPS_0041>(D3D12DDICAPS_TYPE_MEMORY_ARCHITECTURE)?;
    let is_one = result == S_OK && memory.UMA != FALSE;
    let check = slot!(core.pfnCheckResourceAllocationInfo of device.core);
    let mut info = D3D12DDI_RESOURCE_ALLOCATION_INFO_0022::zeroed();
    // SAFETY: the description lives during the call, and there is room for the answer.
    unsafe {
        check(
            device.handle,
            ptr::from_ref(desc),
            D3D12DDI_RESOURCE_OPTIMIZATION_FLAG_NONE,
            0,
            1,
            &raw mut info,
        );
    }
    let heap = D3D12DDIARG_CREATEHEAP_0001 {
        ByteSize: info.ResourceDataSize.max(SIZE),
        Alignment: ALIGNMENT.max(info.ResourceDataAlignment.into()),
        MemoryPool: if is_one {
            D3D12DDI_MEMORY_POOL_L0
        } else {
            D3D12DDI_MEMORY_POOL_L1
        },
        CPUPageProperty: D3D12DDI_CPU_PAGE_PROPERTY_NOT_AVAILABLE,
        Flags: flags,
        CreationNodeMask: 1,
        VisibleNodeMask: 1,
    };
    create_in(device, Ok(&heap), desc)
}

fn buffer(device: &Device, at: u64) -> Result<Result<Resource, HRESULT>, Stop> {
    create(device, D3D12DDI_HEAP_FLAG_BUFFERS, &desc(at))
}

/// A buffer in another, at an offset and at an address.
fn placed(
    device: &Device,
    base: &Resource,
    offset: u64,
    at: u64,
) -> Result<Result<Resource, HRESULT>, Stop> {
    let mut desc = D3D12DDIARG_CREATERESOURCE_0111 {
        Width: ALIGNMENT,
        ..desc(at)
    };
    desc.ReuseBufferGPUVA.BaseAddress.UMD = D3D12DDIARG_HRESOURCE_PLACEMENT {
        hResource: base.handle,
        Offset: offset,
    };
    create_in(device, Err(base.heap), &desc)
}

/// Creates a resource with a new heap, or in one that there is.
fn create_in(
    device: &Device,
    heap: Result<&D3D12DDIARG_CREATEHEAP_0001, D3D12DDI_HHEAP>,
    desc: &D3D12DDIARG_CREATERESOURCE_0111,
) -> Result<Result<Resource, HRESULT>, Stop> {
    let calc = slot!(core.pfnCalcPrivateHeapAndResourceSizes of device.core);
    let create = slot!(core.pfnCreateHeapAndResource of device.core);
    let heap_desc = heap.map_or(ptr::null(), ptr::from_ref);
    let session = D3D12DDI_HPROTECTEDRESOURCESESSION_0030 {
        pDrvPrivate: ptr::null_mut(),
    };
    // SAFETY: the structures live during the call. The description of 0111 begins with that of 0109.
    let sizes = unsafe { calc(device.handle, heap_desc, ptr::from_ref(desc), session) };
    let heap = match heap {
        Ok(_) => D3D12DDI_HHEAP {
            pDrvPrivate: private(sizes.Heap)?,
        },
        Err(heap) => heap,
    };
    let handle = D3D12DDI_HRESOURCE {
        pDrvPrivate: private(sizes.Resource)?,
    };
    let runtime = D3D12DDI_HRTRESOURCE {
        handle: device.adapter.host.object_handle(),
    };
    // SAFETY: the structures live during the call; the private memory has the sizes, and a heap that there is, is the driver's.
    let result = unsafe {
        create(
            device.handle,
            heap_desc,
            heap,
            runtime,
            ptr::from_ref(desc),
            ptr::null(),
            session,
            handle,
        )
    };
    Ok(if result == S_OK {
        Ok(Resource { handle, heap })
    } else {
        Err(result)
    })
}

fn address(device: &Device, buffer: &Resource) -> Result<u64, Stop> {
    let check = slot!(core.pfnCheckResourceVirtualAddress of device.core);
    // SAFETY: handles of the driver's.
    Ok(unsafe { check(device.handle, buffer.handle) })
}

fn range(start: u64, size: u64) -> D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE {
    D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE {
        StartAddress: start,
        SizeInBytes: size,
    }
}

/// The address of the second buffer and the size that is to be reserved for it, from a device that chose them and is no more.
/// Needs U-GPUVA-01.
fn recorded(driver: &Driver) -> Result<(u64, u64), Stop> {
    let device = device(driver)?;
    // A device that only repeats what another one did begins with this one's address.
    let first = created(buffer(&device, 0)?)?;
    let buffer = created(buffer(&device, 0)?)?;
    let info = slot!(core.pfnCheckExistingResourceAllocationInfo of device.core);
    let mut answer = D3D12DDI_RESOURCE_ALLOCATION_INFO_0022::zeroed();
    driver.at("pfnCheckExistingResourceAllocationInfo");
    // SAFETY: handles of the driver's, and room for the answer.
    unsafe { info(device.handle, buffer.handle, &raw mut answer) };
    let (at, size) = (address(&device, &buffer)?, answer.ResourceDataSize);
    if at == 0 {
        return Err(Stop::needs_but_got(
            rules::U_GPUVA_01,
            "the address is 0".into(),
        ));
    }
    if size < SIZE
        || at
            .checked_add(size)
            .and_then(|end| end.checked_add(SIZE))
            .is_none()
    {
        return Err(Stop::Undecided(format!(
            "pfnCheckExistingResourceAllocationInfo says that a buffer of {SIZE} bytes at {at:#x} has {size}"
        )));
    }
    driver.at("pfnDestroyHeapAndResource, pfnDestroyDevice");
    let destroy = slot!(core.pfnDestroyHeapAndResource of device.core);
    // SAFETY: both are this device's, and nobody uses them again.
    unsafe {
        destroy(device.handle, buffer.heap, buffer.handle);
        destroy(device.handle, first.heap, first.handle);
    }
    device.destroy()?;
    Ok((at, size))
}

/// A buffer at this address, or what the driver refuses it with. Needs U-GPUVA-02.
fn recreated(device: &Device, at: u64) -> Result<Result<Resource, HRESULT>, Stop> {
    let buffer = match buffer(device, at)? {
        Ok(buffer) => buffer,
        refused => return Ok(refused),
    };
    let got = address(device, &buffer)?;
    if got != at {
        let got = format!("the address is {got:#x}");
        return Err(Stop::needs_but_got(rules::U_GPUVA_02, got));
    }
    Ok(Ok(buffer))
}

/// Creates what has to be there; needs U-GPUVA-01.
fn created(buffer: Result<Resource, HRESULT>) -> Result<Resource, Stop> {
    buffer.map_err(|result| Stop::needs_but_got(rules::U_GPUVA_01, format!("returned {result}")))
}

fn u_gpuva_01_zero_is_no_wish(driver: &Driver) -> Outcome {
    let device = driver.device(BUILD)?;
    driver.at("pfnCreateHeapAndResource");
    let (result, at) = match buffer(&device, 0)? {
        Ok(buffer) => (S_OK, address(&device, &buffer)?),
        Err(result) => (result, 0),
    };
    ensure!(
        result == S_OK && at != 0,
        call: "pfnCreateHeapAndResource(a buffer, CreateAtVirtualAddress 0) and its address",
        expected: "S_OK, and an address",
        got: "returned {result}, with the address {at:#x}",
    );
    Ok(())
}

/// A device that has this range reserved.
fn reserving(driver: &Driver, at: u64, size: u64) -> Result<Device, Stop> {
    let device = driver.device_with(BUILD, &[range(at, size)], "a range to reserve")?;
    driver.at("pfnCreateHeapAndResource");
    Ok(device)
}

fn u_gpuva_02_an_address_is_honoured_or_refused(driver: &Driver) -> Outcome {
    let (at, size) = recorded(driver)?;
    let device = reserving(driver, at, size)?;
    match buffer(&device, at)? {
        Ok(buffer) => {
            let got = address(&device, &buffer)?;
            ensure!(
                got == at,
                call: "pfnCreateHeapAndResource(a buffer, CreateAtVirtualAddress {at:#x}) and its address",
                expected: "that address, or a failure",
                got: "the address is {got:#x}",
            );
            driver.note("the address was honoured");
        }
        Err(result) => driver.note(format!("refused: {result}")),
    }
    Ok(())
}

fn u_gpuva_09_a_recorded_address_is_honoured(driver: &Driver) -> Outcome {
    let (at, size) = recorded(driver)?;
    let device = reserving(driver, at, size)?;
    if let Err(result) = recreated(&device, at)? {
        broken!(
            call: "pfnCreateHeapAndResource(a buffer, CreateAtVirtualAddress {at:#x}), an address that is reserved",
            expected: "S_OK",
            got: "returned {result}",
        );
    }
    Ok(())
}

fn u_gpuva_03_an_address_is_taken_once(driver: &Driver) -> Outcome {
    let (at, size) = recorded(driver)?;
    let device = reserving(driver, at, size)?;
    if let Err(result) = recreated(&device, at)? {
        let got = format!("the first buffer gets {result}");
        return Err(Stop::needs_but_got(rules::U_GPUVA_09, got));
    }
    let second = buffer(&device, at)?;
    let got = match &second {
        Ok(buffer) => format!("S_OK, at {:#x}", address(&device, buffer)?),
        Err(result) => result.to_string(),
    };
    ensure!(
        second.is_err(),
        call: "pfnCreateHeapAndResource(a second buffer, CreateAtVirtualAddress {at:#x})",
        expected: "a failure",
        got: "returned {got}",
    );
    Ok(())
}

fn u_gpuva_04_a_texture_is_refused(driver: &Driver) -> Outcome {
    let (at, size) = recorded(driver)?;
    let device = reserving(driver, at, size)?;
    let texture = |at| {
        let desc = D3D12DDIARG_CREATERESOURCE_0111 {
            ResourceType: D3D12DDI_RT_TEXTURE2D,
            Width: 64,
            Height: 64,
            Format: DXGI_FORMAT_R8G8B8A8_UNORM,
            Layout: D3D12DDI_TL_UNDEFINED,
            ..desc(at)
        };
        create(&device, D3D12DDI_HEAP_FLAG_NON_RT_DS_TEXTURES, &desc)
    };
    if let Err(result) = texture(0)? {
        let reason = format!("the driver creates no texture without an address: {result}");
        return Err(Stop::Undecided(reason));
    }
    let is_refused = texture(at)?.is_err();
    ensure!(
        is_refused,
        call: "pfnCreateHeapAndResource(a texture, CreateAtVirtualAddress {at:#x})",
        expected: "a failure",
        got: "returned S_OK",
    );
    Ok(())
}

fn u_gpuva_05_odd_ranges_do_no_harm(driver: &Driver) -> Outcome {
    let (at, size) = recorded(driver)?;
    let odd = [
        range(at, size),
        range(at + 1, size),
        range(at + size / 2, 3),
        range(at, 0),
        range(0, 0),
        range(at, size),
    ];
    let what = "ranges that are unaligned, overlap, or are empty";
    let device = driver.device_with(BUILD, &odd, what)?;
    leaves_alone(driver, &device, at, size)
}

fn u_gpuva_06_an_older_build_has_no_tier(driver: &Driver) -> Outcome {
    let adapter = driver.open(State::None)?;
    let older = adapter.known(OLDEST)?;
    let Some(build) = older.into_iter().filter(|build| *build < BUILD).max() else {
        return Err(Stop::NotApplicable(format!(
            "the driver offers no DDI build from {OLDEST} to {BUILD}"
        )));
    };
    if let Err(result) = driver.device_of(adapter, build, &[])? {
        let got = format!("pfnCreateDevice returned {result} for build {build}");
        return Err(Stop::needs_but_got(rules::U_OPEN_03, got));
    }
    driver.at("pfnGetCaps(OPTIONS_0109)");
    let (result, data) =
        adapter.caps::<D3D12DDI_OPTIONS_DATA_0109>(D3D12DDICAPS_TYPE_OPTIONS_0109)?;
    ensure!(
        !result.is_ok() || data.RecreateAtTier == D3D12DDI_RECREATE_AT_TIER_NOT_SUPPORTED,
        call: "pfnGetCaps(OPTIONS_0109) with a device of build {build}",
        expected: "RecreateAtTier NOT_SUPPORTED, or a failure",
        got: "it wrote {data:?}",
    );
    Ok(())
}

fn u_gpuva_07_placed_buffers_are_at_their_offset(driver: &Driver) -> Outcome {
    const OFFSET: u64 = 2 * ALIGNMENT;
    let (at, size) = recorded(driver)?;
    let device = reserving(driver, at, size)?;
    let recreated = recreated(&device, at)?;
    let chosen = created(buffer(&device, 0)?)?;
    let mut placements = vec![(&chosen, 0)];
    match &recreated {
        Ok(recreated) => placements.extend([
            (recreated, 0),
            (recreated, at + OFFSET),
            // Where the offset does not lead.
            (recreated, at + ALIGNMENT),
        ]),
        Err(result) => driver.note(format!("the address was refused: {result}")),
    }
    for (base, at) in placements {
        driver.at("pfnCreateHeapAndResource(a placed buffer)");
        let base_at = address(&device, base)?;
        let Some(expected) = base_at.checked_add(OFFSET) else {
            let reason = format!("the other buffer is at {base_at:#x}");
            return Err(Stop::Undecided(reason));
        };
        let (result, got) = match placed(&device, base, OFFSET, at)? {
            Ok(buffer) => (S_OK, address(&device, &buffer)?),
            Err(result) => (result, 0),
        };
        ensure!(
            (got == expected && [0, got].contains(&at)) || (result != S_OK && at != 0),
            call: "pfnCreateHeapAndResource(a buffer placed at offset {OFFSET:#x}, CreateAtVirtualAddress {at:#x}) and its address",
            expected: "{expected:#x}, or a failure where that is not the address asked for",
            got: "returned {result}, at {got:#x}",
        );
    }
    Ok(())
}

fn u_gpuva_08_reserved_ranges_are_left_alone(driver: &Driver) -> Outcome {
    let (at, size) = recorded(driver)?;
    let device = reserving(driver, at, size)?;
    leaves_alone(driver, &device, at, size)
}

/// Creates buffers, none of which may be in the range.
fn leaves_alone(driver: &Driver, device: &Device, at: u64, size: u64) -> Outcome {
    let end = at + size;
    for count in 1..=16 {
        driver.at("pfnCreateHeapAndResource");
        let buffer = created(buffer(device, 0)?)?;
        let got = address(device, &buffer)?;
        ensure!(
            end <= got || got.saturating_add(SIZE) <= at,
            call: "pfnCreateHeapAndResource(buffer {count}, CreateAtVirtualAddress 0) with {at:#x} to {end:#x} reserved",
            expected: "an address outside of the range",
            got: "it is at {got:#x}",
        );
    }
    Ok(())
}
