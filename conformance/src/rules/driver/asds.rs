//! U-ASDS: application-specific driver state.

use std::ptr;

use ddi_sys::{
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_IGNORED,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_NOT_SPECIFIED,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED,
    D3D12DDI_DRIVER_MATCHING_IDENTIFIER_COMPATIBLE_WITH_DEVICE,
    D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS,
    D3D12DDI_SERIALIZED_DATA_APPLICATION_SPECIFIC_DRIVER_STATE,
    D3D12DDI_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER_0054, HRESULT, S_OK, UINT,
};
use mock_umd::inspect::{
    ENABLE_DUMMY_APPLICATION_SPECIFIC_DRIVER_STATE_BLOB, GET_APPLICATION_SPECIFIC_DRIVER_STATE,
    GetDriverStateParameters,
};

use crate::driver::list::{Header, List};
use crate::driver::{Device, Driver, OLDEST, State, slot};
use crate::verdict::{Outcome, Stop, ensure};

/// The build that brought the functions.
const BUILD: u32 = 113;
/// D3D12_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER.
const IDENTIFIER: usize = size_of::<D3D12DDI_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER_0054>();

rules! {
    U_ASDS_01 {
        id: "U-ASDS-01",
        level: Must,
        section: "Application_Specific_Driver_State.md: Blob layout",
        reading: "The blob begins with a D3D12_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER and has as many bytes as the size function says.",
        why: "A tool stores the blob by that size, and asks by its first 32 bytes whether it still fits.",
        hint: "Write the identifier first; count it in the size.",
        test: Driver(u_asds_01_the_blob_has_its_layout),
    }

    U_ASDS_02 {
        id: "U-ASDS-02",
        level: Must,
        section: "Application_Specific_Driver_State.md: D3D12_SERIALIZED_DATA_TYPE",
        reading: "The driver finds the identifier of its own blob compatible, for data of the type of driver state.",
        why: "A replay tool refuses the capture otherwise, on the machine that made it.",
        hint: "Answer COMPATIBLE_WITH_DEVICE for D3D12_SERIALIZED_DATA_APPLICATION_SPECIFIC_DRIVER_STATE too.",
        test: Driver(u_asds_02_its_own_identifier_matches),
    }

    U_ASDS_03 {
        id: "U-ASDS-03",
        level: Must,
        section: "Application_Specific_Driver_State.md: D3D12_SERIALIZED_DATA_TYPE",
        reading: "The driver does not find an identifier compatible that is not its own.",
        why: "State of another driver would be applied to this one.",
        hint: "Compare the whole GUID and the version.",
        test: Driver(u_asds_03_a_foreign_identifier_does_not),
    }

    U_ASDS_04 {
        id: "U-ASDS-04",
        level: Must,
        section: "Application_Specific_Driver_State.md: Driver Conformance Tests",
        reading: "A blob that the driver gave, set for the adapter, is accessible at device creation, and the status is USED.",
        why: "A replay needs the workarounds of the captured application.",
        hint: "Ask for the blob by QueryAdapterInfoCb2 when the device is created, and apply it.",
        test: Driver(u_asds_04_its_own_blob_is_used),
    }

    U_ASDS_05 {
        id: "U-ASDS-05",
        level: Must,
        section: "Application_Specific_Driver_State.md: Driver Conformance Tests",
        reading: "A random blob leaves the device as it is, and the status is IGNORED.",
        why: "A capture of another machine must not change what the driver does.",
        hint: "Check the identifier before anything else of the blob.",
        test: Driver(u_asds_05_a_random_blob_is_ignored),
    }

    U_ASDS_06 {
        id: "U-ASDS-06",
        level: Must,
        section: "Application_Specific_Driver_State.md: Driver Conformance Tests",
        reading: "Without a blob for the adapter the status is NOT_SPECIFIED.",
        why: "Tools tell a blob that was ignored from one that was never set.",
        hint: "D3DDDIERR_NOTAVAILABLE means that there is none.",
        test: Driver(u_asds_06_no_blob_is_not_specified),
    }

    U_ASDS_07 {
        id: "U-ASDS-07",
        level: Must,
        section: "Application_Specific_Driver_State.md: D3DDDI_QUERYADAPTERTYPE",
        reading: "A runtime that answers the query with E_INVALIDARG, as older ones do, gets its device all the same.",
        why: "The driver runs under every runtime that there is.",
        hint: "A failed query is no failure of the device.",
        test: Driver(u_asds_07_an_old_runtime_gets_a_device),
    }

    U_ASDS_08 {
        id: "U-ASDS-08",
        level: Must,
        section: "Application_Specific_Driver_State.md: D3DDDI_QUERYADAPTERTYPE",
        reading: "A blob that is larger than the driver's first buffer is asked for again with the size that the runtime named.",
        why: "\"The driver is responsible for ensuring that the buffer is large enough\"; the state would be lost.",
        hint: "On E_NOT_SUFFICIENT_BUFFER allocate PrivateDriverDataSize bytes and ask once more.",
        test: Driver(u_asds_08_a_large_blob_is_asked_for_again),
    }

    U_ASDS_09 {
        id: "U-ASDS-09",
        level: Must,
        section: "Application_Specific_Driver_State.md: D3D12DDI_DEVICE_FUNCS_CORE_0113",
        reading: "`pfnGetApplicationSpecificDriverState` writes no byte behind the size that it is given.",
        why: "The memory behind the blob is the tool's.",
        hint: "Compare the size before you copy, and fail when it is too small.",
        test: Driver(u_asds_09_the_buffer_ends),
    }

    U_ASDS_10 {
        id: "U-ASDS-10",
        level: Must,
        section: "Application_Specific_Driver_State.md: Meta Command version",
        reading: "The meta command GetApplicationSpecificDriverState gives the blob of `pfnGetApplicationSpecificDriverState` while it is recorded, and only the size where the memory is too small.",
        why: "Tools read the state of applications on older versions of D3D12 in this way.",
        hint: "Call the device's function when the command is recorded; write the size to *pBlobSize.",
        test: Driver(u_asds_10_the_meta_command_gives_the_blob),
    }

    U_ASDS_11 {
        id: "U-ASDS-11",
        level: Must,
        section: "Application_Specific_Driver_State.md: Driver Conformance Tests",
        reading: "Once the meta command EnableDummyApplicationSpecificDriverStateBlob has enabled it, the driver has a blob that is not empty.",
        why: "Without an application that needs workarounds there is no other blob to test with.",
        hint: "Return the identifier and any bytes behind it.",
        test: Driver(u_asds_11_there_is_a_dummy_blob),
    }
}

fn status(device: &Device) -> Result<D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS, Stop> {
    let status = slot!(device.core, pfnGetApplicationSpecificDriverBlobStatus);
    // SAFETY: the device's handle.
    Ok(unsafe { status(device.handle) })
}

fn size(device: &Device) -> Result<usize, Stop> {
    let size = slot!(device.core, pfnGetApplicationSpecificDriverStateBlobSize);
    // SAFETY: the device's handle.
    Ok(unsafe { size(device.handle) } as usize)
}

fn get(device: &Device, buffer: &mut [u8], size: usize) -> Result<HRESULT, Stop> {
    let get = slot!(device.core, pfnGetApplicationSpecificDriverState);
    let size = u32::try_from(size).expect("a small buffer");
    // SAFETY: the device's handle; the buffer has at least the size.
    Ok(unsafe { get(device.handle, buffer.as_mut_ptr().cast(), size) })
}

/// The size of the driver's state, if need be of the dummy that a meta command asks for. Not applicable without one.
fn size_of_state(driver: &Driver, device: &Device) -> Result<usize, Stop> {
    let own = size(device)?;
    if own != 0 {
        return Ok(own);
    }
    enable_dummy(driver, device)?;
    match size(device)? {
        0 => Err(Stop::needs_but_got(U_ASDS_11, "the size is 0".into())),
        size => Ok(size),
    }
}

/// Not applicable to a driver without the meta command.
fn enable_dummy(driver: &Driver, device: &Device) -> Result<(), Stop> {
    let list = List::new(driver, device, Header::Elsewhere)?;
    driver.at("the meta command EnableDummyApplicationSpecificDriverStateBlob");
    let mut enable = true;
    // SAFETY: the command takes one bool.
    let executed = unsafe {
        list.execute(
            ENABLE_DUMMY_APPLICATION_SPECIFIC_DRIVER_STATE_BLOB,
            &mut enable,
        )?
    };
    executed.ok_or_else(|| {
        Stop::NotApplicable(
            "the driver has no state for this application, and no meta command for a dummy by the GUID of mock-umd: the real \
             one is not public"
                .into(),
        )
    })
}

/// A driver's state, of at least an identifier. Not applicable without one; needs U-ASDS-01.
fn blob(driver: &Driver, device: &Device) -> Result<Vec<u8>, Stop> {
    let size = size_of_state(driver, device)?;
    let mut blob = vec![0; size];
    let result = get(device, &mut blob, size)?;
    if result != S_OK || size < IDENTIFIER {
        let got = format!("a blob of {size} bytes, with {result}");
        return Err(Stop::needs_but_got(U_ASDS_01, got));
    }
    Ok(blob)
}

fn check(device: &Device, blob: &[u8]) -> Result<D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS, Stop> {
    let check = slot!(device.core, pfnCheckDriverMatchingIdentifier);
    let data_type = D3D12DDI_SERIALIZED_DATA_APPLICATION_SPECIFIC_DRIVER_STATE;
    // SAFETY: the structure is numbers, and the blob has its bytes.
    let identifier = unsafe {
        blob[..IDENTIFIER]
            .as_ptr()
            .cast::<D3D12DDI_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER_0054>()
            .read_unaligned()
    };
    // SAFETY: the device's handle, and a structure that lives during the call.
    Ok(unsafe { check(device.handle, data_type, &raw const identifier) })
}

fn u_asds_01_the_blob_has_its_layout(driver: &Driver) -> Outcome {
    let device = driver.device(BUILD, State::None, &[])?;
    driver.at("pfnGetApplicationSpecificDriverStateBlobSize");
    let size = size_of_state(driver, &device)?;
    let mut blob = vec![0; size];
    driver.at("pfnGetApplicationSpecificDriverState");
    let result = get(&device, &mut blob, size)?;
    ensure!(
        result == S_OK && size >= IDENTIFIER,
        call: "pfnGetApplicationSpecificDriverState with as many bytes as the size function says",
        expected: "S_OK and at least the {IDENTIFIER} bytes of the identifier",
        got: "returned {result} for {size} bytes",
    );
    ensure!(
        blob[..IDENTIFIER].iter().any(|byte| *byte != 0),
        call: "pfnGetApplicationSpecificDriverState with as many bytes as the size function says",
        expected: "the driver's matching identifier in the first {IDENTIFIER} bytes",
        got: "all of them are 0",
    );
    driver.note(format!("a blob of {size} bytes"));
    Ok(())
}

fn u_asds_02_its_own_identifier_matches(driver: &Driver) -> Outcome {
    let device = driver.device(BUILD, State::None, &[])?;
    let blob = blob(driver, &device)?;
    driver.at("pfnCheckDriverMatchingIdentifier");
    let status = check(&device, &blob)?;
    ensure!(
        status == D3D12DDI_DRIVER_MATCHING_IDENTIFIER_COMPATIBLE_WITH_DEVICE,
        call: "pfnCheckDriverMatchingIdentifier(APPLICATION_SPECIFIC_DRIVER_STATE, the blob's identifier)",
        expected: "COMPATIBLE_WITH_DEVICE",
        got: "returned {status:?}",
    );
    Ok(())
}

fn u_asds_03_a_foreign_identifier_does_not(driver: &Driver) -> Outcome {
    let device = driver.device(BUILD, State::None, &[])?;
    for byte in [0, 7, 15] {
        let mut foreign = [0x5E; IDENTIFIER];
        if let Ok(own) = blob(driver, &device) {
            foreign.copy_from_slice(&own[..IDENTIFIER]);
            foreign[byte] ^= 0xFF;
        }
        driver.at("pfnCheckDriverMatchingIdentifier");
        let status = check(&device, &foreign)?;
        ensure!(
            status != D3D12DDI_DRIVER_MATCHING_IDENTIFIER_COMPATIBLE_WITH_DEVICE,
            call: "pfnCheckDriverMatchingIdentifier(APPLICATION_SPECIFIC_DRIVER_STATE, an identifier whose GUID differs in byte {byte})",
            expected: "another status than COMPATIBLE_WITH_DEVICE",
            got: "returned {status:?}",
        );
    }
    Ok(())
}

fn u_asds_04_its_own_blob_is_used(driver: &Driver) -> Outcome {
    let blob = blob(driver, &driver.device(BUILD, State::None, &[])?)?;
    let device = driver.device(BUILD, State::Blob(blob), &[])?;
    driver.at("pfnGetApplicationSpecificDriverBlobStatus");
    let (asked, status) = (device.adapter.host.asked(), status(&device)?);
    ensure!(
        !asked.is_empty() && status == D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED,
        call: "pfnCreateDevice on a runtime that has the driver's own blob, and the status",
        expected: "that it asks for the blob, and USED",
        got: "asked {asked:?}, and returned {status:?}",
    );
    Ok(())
}

fn u_asds_05_a_random_blob_is_ignored(driver: &Driver) -> Outcome {
    let random: Vec<u8> = (0..100_u8)
        .map(|index| index.wrapping_mul(37) ^ 0xA5)
        .collect();
    let size = random.len();
    let device = driver.device(BUILD, State::Blob(random), &[])?;
    let asked = device.adapter.host.asked();
    if asked.iter().all(|room| (*room as usize) < size) {
        let got = format!("asked with buffers of {asked:?} bytes");
        return Err(Stop::needs_but_got(U_ASDS_08, got));
    }
    driver.at("pfnGetApplicationSpecificDriverBlobStatus");
    let status = status(&device)?;
    ensure!(
        status == D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_IGNORED,
        call: "pfnCreateDevice on a runtime that has a random blob, and the status",
        expected: "IGNORED",
        got: "returned {status:?}",
    );
    Ok(())
}

fn u_asds_06_no_blob_is_not_specified(driver: &Driver) -> Outcome {
    let device = driver.device(BUILD, State::None, &[])?;
    driver.at("pfnGetApplicationSpecificDriverBlobStatus");
    let status = status(&device)?;
    ensure!(
        status == D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_NOT_SPECIFIED,
        call: "pfnCreateDevice on a runtime that has no blob, and the status",
        expected: "NOT_SPECIFIED",
        got: "returned {status:?}",
    );
    Ok(())
}

fn u_asds_07_an_old_runtime_gets_a_device(driver: &Driver) -> Outcome {
    // Whether there is a device at all is another rule's question.
    driver.device(OLDEST, State::None, &[])?;
    let adapter = driver.open(State::Unknown)?;
    let build = adapter.newest(OLDEST)?;
    let result = match driver.device_of(adapter, build, &[]) {
        Ok(device) => device.map(|_| S_OK)?,
        Err(result) => result,
    };
    ensure!(
        result == S_OK,
        call: "pfnCreateDevice on a runtime that answers each query with E_INVALIDARG",
        expected: "S_OK",
        got: "returned {result}",
    );
    Ok(())
}

fn u_asds_08_a_large_blob_is_asked_for_again(driver: &Driver) -> Outcome {
    let mut large = blob(driver, &driver.device(BUILD, State::None, &[])?)?;
    large.resize(64 * 1024, 0x5E);
    let device = driver.device(BUILD, State::Blob(large), &[])?;
    let asked = device.adapter.host.asked();
    let largest = asked.iter().max().copied().unwrap_or_default();
    ensure!(
        largest >= 64 * 1024,
        call: "pfnCreateDevice on a runtime that has a blob of 65536 bytes",
        expected: "a query with a buffer of that size",
        got: "asked with buffers of {asked:?} bytes",
    );
    Ok(())
}

fn u_asds_09_the_buffer_ends(driver: &Driver) -> Outcome {
    let device = driver.device(BUILD, State::None, &[])?;
    let size = blob(driver, &device)?.len();
    for given in [0, 1, IDENTIFIER, size - 1] {
        let mut buffer = vec![0xA5; size + 64];
        driver.at("pfnGetApplicationSpecificDriverState");
        let result = get(&device, &mut buffer, given)?;
        let written = buffer[given..].iter().position(|byte| *byte != 0xA5);
        ensure!(
            written.is_none() && !result.is_ok(),
            call: "pfnGetApplicationSpecificDriverState with {given} bytes for a blob of {size}",
            expected: "a failure, and nothing behind the buffer",
            got: "returned {result}, and wrote behind it at {written:?}",
        );
    }
    Ok(())
}

fn u_asds_10_the_meta_command_gives_the_blob(driver: &Driver) -> Outcome {
    let device = driver.device(BUILD, State::None, &[])?;
    let expected = blob(driver, &device)?;
    let list = List::new(driver, &device, Header::Elsewhere)?;
    let size = UINT::try_from(expected.len()).expect("a small blob");
    for room in [size, size - 1, 0] {
        let mut got = vec![0xA5; expected.len()];
        let mut written = room;
        let mut parameters = GetDriverStateParameters {
            blob_size: &raw mut written,
            blob: if room == 0 {
                ptr::null_mut()
            } else {
                got.as_mut_ptr().cast()
            },
        };
        driver.at("the meta command GetApplicationSpecificDriverState");
        // SAFETY: the command's parameters, which live during the call.
        let executed =
            unsafe { list.execute(GET_APPLICATION_SPECIFIC_DRIVER_STATE, &mut parameters)? };
        if executed.is_none() {
            return Err(Stop::NotApplicable(
                "the driver has no such meta command by the GUID of mock-umd: the real one is not public".into(),
            ));
        }
        let end = room as usize;
        let is_right = if room == size {
            got == expected
        } else {
            got[end..].iter().all(|byte| *byte == 0xA5)
        };
        ensure!(
            written == size && is_right,
            call: "GetApplicationSpecificDriverState with {room} bytes for a blob of {size}",
            expected: "the device's blob where there is room for it, nothing behind the memory, and the size {size}",
            got: "the size {written}; the bytes are as expected: {is_right}",
        );
    }
    Ok(())
}

fn u_asds_11_there_is_a_dummy_blob(driver: &Driver) -> Outcome {
    let device = driver.device(BUILD, State::None, &[])?;
    enable_dummy(driver, &device)?;
    driver.at("pfnGetApplicationSpecificDriverStateBlobSize");
    let size = size(&device)?;
    ensure!(
        size > 0,
        call: "EnableDummyApplicationSpecificDriverStateBlob(true), and the size of the blob",
        expected: "a blob that is not empty",
        got: "the size is 0",
    );
    Ok(())
}
