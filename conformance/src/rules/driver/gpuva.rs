//! U-GPUVA: heaps and buffers at given GPU addresses.

use std::ptr;

use bytemuck::Zeroable;
use ddi_sys::{
    D3D12DDI_CPU_PAGE_PROPERTY_NOT_AVAILABLE, D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE,
    D3D12DDI_HEAP_FLAG_BUFFERS, D3D12DDI_HHEAP, D3D12DDI_HPROTECTEDRESOURCESESSION_0030,
    D3D12DDI_HRESOURCE, D3D12DDI_HRTRESOURCE, D3D12DDI_MEMORY_POOL_L1, D3D12DDI_OPTIONS_DATA_0109,
    D3D12DDI_RESOURCE_ALLOCATION_INFO_0022, D3D12DDI_RT_BUFFER, D3D12DDI_RT_TEXTURE2D,
    D3D12DDI_TL_ROW_MAJOR, D3D12DDI_TL_UNDEFINED, D3D12DDIARG_CREATEHEAP_0001,
    D3D12DDIARG_CREATERESOURCE_0111, D3D12DDIARG_GETCAPS, D3D12DDIARG_HRESOURCE_PLACEMENT,
    D3D12DDICAPS_TYPE_OPTIONS_0109, DXGI_SAMPLE_DESC, HRESULT, S_OK,
};

use crate::driver::{Device, Driver, OLDEST, State, private, slot};
use crate::rules::U_OPEN_03;
use crate::verdict::{Outcome, Stop, ensure};

/// The build that the function is gated by.
const BUILD: u32 = 111;
/// Of buffers.
const SIZE: u64 = 256 * 1024;
const ALIGNMENT: u64 = 64 * 1024;

rules! {
    U_GPUVA_01 {
        id: "U-GPUVA-01",
        level: Must,
        section: "RecreateAtGpuva-public.md: D3D12DDIARG_CREATERESOURCE_0109",
        reading: "With a CreateAtVirtualAddress of 0 a buffer is created at an address that the driver chooses, which is not 0.",
        why: "Every application that recreates nothing depends on it.",
        hint: "Choose an address where the description has 0.",
        test: Driver(u_gpuva_01_zero_is_no_wish),
    }

    U_GPUVA_02 {
        id: "U-GPUVA-02",
        level: Must,
        section: "RecreateAtGpuva-public.md: D3D12DDIARG_CREATERESOURCE_0109",
        reading: "A buffer with a CreateAtVirtualAddress in a range that was reserved at device creation is at that address, or its creation fails.",
        why: "A replayed command list has the address in its data.",
        hint: "Reserve the ranges before anything of the driver's own; never fall back to another address.",
        test: Driver(u_gpuva_02_an_address_is_honoured_or_refused),
    }

    U_GPUVA_03 {
        id: "U-GPUVA-03",
        level: Should,
        section: "RecreateAtGpuva-public.md: D3D12DDIARG_CREATERESOURCE_0109",
        reading: "A second buffer at an address that is taken gets a failure.",
        why: "Two resources at one address corrupt each other.",
        hint: "Keep the address until the resource is destroyed.",
        test: Driver(u_gpuva_03_an_address_is_taken_once),
    }

    U_GPUVA_04 {
        id: "U-GPUVA-04",
        level: Should,
        section: "RecreateAtGpuva-public.md: D3D12DDIARG_CREATERESOURCE_0109",
        reading: "A texture with a CreateAtVirtualAddress gets a failure.",
        why: "\"A non-zero value for CreateAtVirtualAddress is only valid only for heaps and buffer resources\".",
        hint: "Check the resource type before the address.",
        test: Driver(u_gpuva_04_a_texture_is_refused),
    }

    U_GPUVA_05 {
        id: "U-GPUVA-05",
        level: Must,
        section: "RecreateAtGpuva-public.md: ID3D12Tools1::ReserveGPUVARangesAtCreate",
        reading: "Ranges that are unaligned, that overlap, or that are empty do not keep a device from being created.",
        why: "Ranges \"are not processed in any way\" before the driver gets them.",
        hint: "Round each range outwards to pages, and join what overlaps.",
        test: Driver(u_gpuva_05_odd_ranges_do_no_harm),
    }

    U_GPUVA_06 {
        id: "U-GPUVA-06",
        level: Must,
        section: "RecreateAtGpuva-public.md",
        reading: "With a build before 111 RecreateAtTier is NOT_SUPPORTED.",
        why: "\"While the DDI rev is on 109, RecreateAt functionality is gated behind DDI 0111\".",
        hint: "Answer OPTIONS_0109 by the version that the device was created with.",
        test: Driver(u_gpuva_06_an_older_build_has_no_tier),
    }

    U_GPUVA_07 {
        id: "U-GPUVA-07",
        level: Must,
        section: "RecreateAtGpuva-public.md: D3D12DDIARG_CREATERESOURCE_0109",
        reading: "A buffer that is placed in another at an offset is at that address plus the offset, also when both are recreated.",
        why: "A replay places its buffers with the recorded offsets.",
        hint: "Compute the address from the heap's; with a CreateAtVirtualAddress compare the two.",
        test: Driver(u_gpuva_07_placed_buffers_are_at_their_offset),
    }

    U_GPUVA_08 {
        id: "U-GPUVA-08",
        level: Must,
        section: "RecreateAtGpuva-public.md: ID3D12Tools1::ReserveGPUVARangesAtCreate",
        reading: "No buffer that names no address is created in a range that was reserved at device creation.",
        why: "The driver \"must immediately reserve them\": what lands there first takes the place of a recreated resource.",
        hint: "Take the ranges out of the allocator before the driver allocates anything.",
        test: Driver(u_gpuva_08_reserved_ranges_are_left_alone),
    }
}

/// A buffer of a device.
struct Buffer {
    handle: D3D12DDI_HRESOURCE,
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
        CreateAtVirtualAddress: at,
        ..Zeroable::zeroed()
    }
}

/// Creates a resource with a heap of its own.
fn create(
    device: &Device,
    desc: &D3D12DDIARG_CREATERESOURCE_0111,
) -> Result<Result<Buffer, HRESULT>, Stop> {
    let heap = D3D12DDIARG_CREATEHEAP_0001 {
        ByteSize: SIZE,
        Alignment: ALIGNMENT,
        MemoryPool: D3D12DDI_MEMORY_POOL_L1,
        CPUPageProperty: D3D12DDI_CPU_PAGE_PROPERTY_NOT_AVAILABLE,
        Flags: D3D12DDI_HEAP_FLAG_BUFFERS,
        CreationNodeMask: 1,
        VisibleNodeMask: 1,
    };
    create_in(device, Some(&heap), desc)
}

/// A buffer in another, at an offset and at an address.
fn placed(
    device: &Device,
    base: &Buffer,
    offset: u64,
    at: u64,
) -> Result<Result<Buffer, HRESULT>, Stop> {
    let mut desc = D3D12DDIARG_CREATERESOURCE_0111 {
        Width: ALIGNMENT,
        ..desc(at)
    };
    desc.ReuseBufferGPUVA.BaseAddress.UMD = D3D12DDIARG_HRESOURCE_PLACEMENT {
        hResource: base.handle,
        Offset: offset,
    };
    create_in(device, None, &desc)
}

fn create_in(
    device: &Device,
    heap: Option<&D3D12DDIARG_CREATEHEAP_0001>,
    desc: &D3D12DDIARG_CREATERESOURCE_0111,
) -> Result<Result<Buffer, HRESULT>, Stop> {
    let calc = slot!(device.core, pfnCalcPrivateHeapAndResourceSizes);
    let create = slot!(device.core, pfnCreateHeapAndResource);
    let heap = heap.map_or(ptr::null(), ptr::from_ref);
    let session = D3D12DDI_HPROTECTEDRESOURCESESSION_0030 {
        pDrvPrivate: ptr::null_mut(),
    };
    // SAFETY: the structures live during the call. The description of 0111 begins with that of 0109.
    let sizes = unsafe { calc(device.handle, heap, ptr::from_ref(desc), session) };
    let heap_handle = D3D12DDI_HHEAP {
        pDrvPrivate: private(sizes.Heap)?,
    };
    let handle = D3D12DDI_HRESOURCE {
        pDrvPrivate: private(sizes.Resource)?,
    };
    let runtime = D3D12DDI_HRTRESOURCE {
        handle: ptr::null_mut(),
    };
    // SAFETY: as above; the private memory has the sizes.
    let result = unsafe {
        create(
            device.handle,
            heap,
            heap_handle,
            runtime,
            ptr::from_ref(desc),
            ptr::null(),
            session,
            handle,
        )
    };
    Ok(if result == S_OK {
        Ok(Buffer { handle })
    } else {
        Err(result)
    })
}

fn address(device: &Device, buffer: &Buffer) -> Result<u64, Stop> {
    let check = slot!(device.core, pfnCheckResourceVirtualAddress);
    // SAFETY: handles of the driver's.
    Ok(unsafe { check(device.handle, buffer.handle) })
}

fn range(start: u64, size: u64) -> D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE {
    D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE {
        StartAddress: start,
        SizeInBytes: size,
    }
}

/// A buffer's address and the size that is to be reserved for it, from a device that chose them. Needs U-GPUVA-01.
fn recorded(driver: &Driver) -> Result<(u64, u64), Stop> {
    let device = driver.device(BUILD, State::None, &[])?;
    let needs = |got| Stop::needs_but_got(U_GPUVA_01, got);
    let buffer =
        create(&device, &desc(0))?.map_err(|result| needs(format!("returned {result}")))?;
    let info = slot!(device.core, pfnCheckExistingResourceAllocationInfo);
    let mut answer = D3D12DDI_RESOURCE_ALLOCATION_INFO_0022::zeroed();
    // SAFETY: handles of the driver's, and room for the answer.
    unsafe { info(device.handle, buffer.handle, &raw mut answer) };
    let at = address(&device, &buffer)?;
    if at == 0 {
        return Err(needs("the address is 0".into()));
    }
    Ok((at, answer.ResourceDataSize.max(SIZE)))
}

/// A buffer at this address; not applicable where the driver refuses it. Needs U-GPUVA-02.
fn recreated(device: &Device, at: u64) -> Result<Buffer, Stop> {
    let Ok(buffer) = create(device, &desc(at))? else {
        return Err(Stop::NotApplicable("the driver refuses the address".into()));
    };
    let got = address(device, &buffer)?;
    if got != at {
        let got = format!("the address is {got:#x}");
        return Err(Stop::needs_but_got(U_GPUVA_02, got));
    }
    Ok(buffer)
}

fn u_gpuva_01_zero_is_no_wish(driver: &Driver) -> Outcome {
    let device = driver.device(BUILD, State::None, &[])?;
    driver.at("pfnCreateHeapAndResource");
    let (result, at) = match create(&device, &desc(0))? {
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

fn u_gpuva_02_an_address_is_honoured_or_refused(driver: &Driver) -> Outcome {
    let (at, size) = recorded(driver)?;
    let device = driver.device(BUILD, State::None, &[range(at, size)])?;
    driver.at("pfnCreateHeapAndResource");
    match create(&device, &desc(at))? {
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

fn u_gpuva_03_an_address_is_taken_once(driver: &Driver) -> Outcome {
    let (at, size) = recorded(driver)?;
    let device = driver.device(BUILD, State::None, &[range(at, size)])?;
    recreated(&device, at)?;
    driver.at("pfnCreateHeapAndResource");
    let second = create(&device, &desc(at))?;
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
    let device = driver.device(BUILD, State::None, &[range(at, size)])?;
    let texture = D3D12DDIARG_CREATERESOURCE_0111 {
        ResourceType: D3D12DDI_RT_TEXTURE2D,
        Width: 64,
        Height: 64,
        Layout: D3D12DDI_TL_UNDEFINED,
        ..desc(at)
    };
    driver.at("pfnCreateHeapAndResource");
    let is_refused = create(&device, &texture)?.is_err();
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
    let adapter = driver.open(State::None)?;
    let build = adapter.newest(BUILD)?;
    let result = match driver.device_of(adapter, build, &odd) {
        Ok(device) => device.map(|_| S_OK)?,
        Err(result) => result,
    };
    ensure!(
        result == S_OK,
        call: "pfnCreateDevice with ranges that are unaligned, overlap, or are empty",
        expected: "S_OK",
        got: "returned {result}",
    );
    Ok(())
}

fn u_gpuva_06_an_older_build_has_no_tier(driver: &Driver) -> Outcome {
    let adapter = driver.open(State::None)?;
    let older = adapter.known(OLDEST)?;
    let Some(build) = older.into_iter().filter(|build| *build < BUILD).max() else {
        return Err(Stop::NotApplicable(format!(
            "the driver offers no DDI build from {OLDEST} to {BUILD}"
        )));
    };
    if driver.device_of(adapter, build, &[]).is_err() {
        return Err(Stop::needs(U_OPEN_03));
    }
    let mut data = D3D12DDI_OPTIONS_DATA_0109::default();
    let arguments = D3D12DDIARG_GETCAPS {
        Type: D3D12DDICAPS_TYPE_OPTIONS_0109,
        pInfo: ptr::null_mut(),
        pData: (&raw mut data).cast(),
        DataSize: u32::try_from(size_of_val(&data)).expect("a small structure"),
    };
    driver.at("pfnGetCaps(OPTIONS_0109)");
    let get = slot!(adapter.funcs, pfnGetCaps);
    // SAFETY: the data has the size.
    let result = unsafe { get(adapter.handle, &raw const arguments) };
    ensure!(
        !result.is_ok() || data == D3D12DDI_OPTIONS_DATA_0109::default(),
        call: "pfnGetCaps(OPTIONS_0109) with a device of build {build}",
        expected: "RecreateAtTier NOT_SUPPORTED, or a failure",
        got: "it wrote {data:?}",
    );
    Ok(())
}

/// Creates what has to be there; needs U-GPUVA-01.
fn created(buffer: Result<Buffer, HRESULT>) -> Result<Buffer, Stop> {
    buffer.map_err(|result| Stop::needs_but_got(U_GPUVA_01, format!("returned {result}")))
}

fn u_gpuva_07_placed_buffers_are_at_their_offset(driver: &Driver) -> Outcome {
    const OFFSET: u64 = 2 * ALIGNMENT;
    let (at, size) = recorded(driver)?;
    let device = driver.device(BUILD, State::None, &[range(at, size)])?;
    let recreated = recreated(&device, at)?;
    let chosen = created(create(&device, &desc(0))?)?;
    for (base, at) in [(&chosen, 0), (&recreated, 0), (&recreated, at + OFFSET)] {
        driver.at("pfnCreateHeapAndResource(a placed buffer)");
        let expected = address(&device, base)? + OFFSET;
        let (result, got) = match placed(&device, base, OFFSET, at)? {
            Ok(buffer) => (S_OK, address(&device, &buffer)?),
            Err(result) => (result, 0),
        };
        ensure!(
            result == S_OK && got == expected,
            call: "pfnCreateHeapAndResource(a buffer placed at offset {OFFSET:#x}, CreateAtVirtualAddress {at:#x}) and its address",
            expected: "S_OK and {expected:#x}",
            got: "returned {result}, at {got:#x}",
        );
    }
    Ok(())
}

fn u_gpuva_08_reserved_ranges_are_left_alone(driver: &Driver) -> Outcome {
    let (at, size) = recorded(driver)?;
    let end = at + size;
    let device = driver.device(BUILD, State::None, &[range(at, size)])?;
    for count in 1..=16 {
        driver.at("pfnCreateHeapAndResource");
        let buffer = created(create(&device, &desc(0))?)?;
        let got = address(&device, &buffer)?;
        ensure!(
            got + SIZE <= at || end <= got,
            call: "pfnCreateHeapAndResource(buffer {count}, CreateAtVirtualAddress 0) with {at:#x} to {end:#x} reserved",
            expected: "an address outside of the range",
            got: "it is at {got:#x}",
        );
    }
    Ok(())
}
