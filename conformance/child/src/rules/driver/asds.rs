//! U-ASDS: application-specific driver state.

use std::ptr;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure};
use conformance_protocol::Task;
use ddi_sys::{
    BOOL, D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_IGNORED,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_NOT_SPECIFIED,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED, D3D12DDI_APPLICATION_SPECIFIC_DRIVER_STATE_113,
    D3D12DDI_DRIVER_MATCHING_IDENTIFIER_COMPATIBLE_WITH_DEVICE,
    D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS,
    D3D12DDI_SERIALIZED_DATA_APPLICATION_SPECIFIC_DRIVER_STATE,
    D3D12DDI_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER_0054, FALSE, HRESULT, S_OK, UINT,
};
use mock_umd::inspect::{
    ENABLE_DUMMY_APPLICATION_SPECIFIC_DRIVER_STATE_BLOB, GET_APPLICATION_SPECIFIC_DRIVER_STATE,
    GetDriverStateParameters,
};
use serde::{Deserialize, Serialize};

use super::Tests;
use crate::driver::list::List;
use crate::driver::objects::Header;
use crate::driver::{Device, Driver, OLDEST, State, slot};

/// The build that brought the functions.
const BUILD: u32 = 113;
/// D3D12_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER.
const IDENTIFIER: usize = size_of::<D3D12DDI_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER_0054>();

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::U_ASDS_01, u_asds_01_the_blob_has_its_layout),
    (rules::U_ASDS_02, u_asds_02_its_own_identifier_matches),
    (rules::U_ASDS_03, u_asds_03_a_foreign_identifier_does_not),
    (rules::U_ASDS_04, u_asds_04_its_own_blob_is_used),
    (rules::U_ASDS_05, u_asds_05_a_random_blob_is_ignored),
    (rules::U_ASDS_06, u_asds_06_no_blob_is_not_specified),
    (rules::U_ASDS_07, u_asds_07_an_old_runtime_gets_a_device),
    (rules::U_ASDS_08, u_asds_08_a_larger_blob_is_asked_for_again),
    (rules::U_ASDS_09, u_asds_09_the_buffer_ends),
    (rules::U_ASDS_10, u_asds_10_the_meta_command_gives_the_blob),
    (rules::U_ASDS_11, u_asds_11_there_is_a_dummy_blob),
    (rules::U_ASDS_12, u_asds_12_a_small_buffer_fails),
];

/// A device of a driver that has the feature.
fn device(driver: &Driver) -> Result<Device, Stop> {
    let device = driver.device(BUILD)?;
    let (result, supported) = device
        .adapter
        .caps::<BOOL>(D3D12DDI_APPLICATION_SPECIFIC_DRIVER_STATE_113)?;
    if result != S_OK || supported == FALSE {
        return Err(Stop::NotApplicable(
            "the driver reports no application-specific driver state".into(),
        ));
    }
    Ok(device)
}

/// What the first device of a process makes of a state that the runtime has for the driver.
#[derive(Serialize, Deserialize)]
pub(crate) struct StateOfDevice {
    /// The sizes of the buffers with which the driver asked for it.
    asked: Vec<u32>,
    /// The status, or what `pfnCreateDevice` returned.
    status: Result<i32, i32>,
}

/// Does it in this process.
pub(crate) fn state_of_device(driver: &Driver, state: Vec<u8>) -> Result<StateOfDevice, Stop> {
    let adapter = driver.open(State::Blob(state))?;
    let build = adapter.newest(BUILD)?;
    let device = driver.device_of(adapter, build, &[])?;
    driver.at("pfnGetApplicationSpecificDriverBlobStatus");
    let status = match device {
        Ok(device) => Ok(status(&device)?.0),
        Err(result) => Err(result.0),
    };
    Ok(StateOfDevice {
        asked: adapter.host.asked(),
        status,
    })
}

/// The driver's state, from a device of this process.
pub(crate) fn blob_of(driver: &Driver) -> Result<Vec<u8>, Stop> {
    blob(driver, &device(driver)?)
}

/// What a driver makes of a state, which must not keep a device from being created.
fn device_with(
    driver: &Driver,
    state: &[u8],
    what: &str,
) -> Result<(Vec<u32>, D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS), Stop> {
    let StateOfDevice { asked, status } = driver.ask(Task::DriverStatus(state.to_vec()))?;
    match status {
        Ok(status) => Ok((
            asked,
            D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS(status),
        )),
        Err(result) => {
            let result = HRESULT(result);
            broken!(
                call: "pfnCreateDevice on a runtime with {what}",
                expected: "S_OK, as without",
                got: "returned {result}",
            )
        }
    }
}

fn status(device: &Device) -> Result<D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS, Stop> {
    let status = slot!(core.pfnGetApplicationSpecificDriverBlobStatus of device.core);
    // SAFETY: the device's handle.
    Ok(unsafe { status(device.handle) })
}

/// The size of the blob. Needs U-ASDS-01.
fn size(device: &Device) -> Result<usize, Stop> {
    const MOST: u32 = 16 << 20;
    let size = slot!(core.pfnGetApplicationSpecificDriverStateBlobSize of device.core);
    // SAFETY: the device's handle.
    let size = unsafe { size(device.handle) };
    if size > MOST {
        return Err(Stop::needs_but_got(
            rules::U_ASDS_01,
            format!("a size of {size} bytes"),
        ));
    }
    Ok(size as usize)
}

/// Calls `pfnGetApplicationSpecificDriverState` with the beginning of a buffer.
fn get(device: &Device, buffer: &mut [u8], size: usize) -> Result<HRESULT, Stop> {
    let get = slot!(core.pfnGetApplicationSpecificDriverState of device.core);
    let size = UINT::try_from(size).expect("a small buffer");
    // SAFETY: the device's handle; the buffer has at least the size.
    Ok(unsafe { get(device.handle, buffer.as_mut_ptr().cast(), size) })
}

/// The size of the driver's state, if need be of the dummy that a meta command asks for.
fn size_of_state(driver: &Driver, device: &Device) -> Result<usize, Stop> {
    let own = size(device)?;
    if own != 0 {
        return Ok(own);
    }
    enable_dummy(driver, device)?;
    match size(device)? {
        0 => Err(Stop::needs_but_got(
            rules::U_ASDS_11,
            "the size is 0".into(),
        )),
        size => Ok(size),
    }
}

/// A driver without the meta command is left undecided: the GUID is not public.
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
    executed.ok_or_else(|| unknown("EnableDummyApplicationSpecificDriverStateBlob"))
}

fn unknown(command: &str) -> Stop {
    Stop::Undecided(format!(
        "the driver has no state of its own and no {command} by the GUID of mock-umd; the real one is not public"
    ))
}

/// The bytes behind a buffer, which nobody may write.
const GUARD: usize = 64;

/// A driver's state, of at least an identifier. Needs U-ASDS-01.
fn blob(driver: &Driver, device: &Device) -> Result<Vec<u8>, Stop> {
    let size = size_of_state(driver, device)?;
    let mut blobs = [0xA5, 0x5A].map(|fill| vec![fill; size + GUARD]);
    for (blob, fill) in blobs.iter_mut().zip([0xA5, 0x5A]) {
        driver.at("pfnGetApplicationSpecificDriverState");
        let result = get(device, blob, size)?;
        let (content, behind) = blob.split_at(size);
        let has_identifier =
            size >= IDENTIFIER && content[..IDENTIFIER].iter().any(|byte| *byte != 0);
        if result != S_OK || !has_identifier || behind.iter().any(|byte| *byte != fill) {
            let got =
                format!("returned {result}; {size} bytes, with an identifier: {has_identifier}");
            return Err(Stop::needs_but_got(rules::U_ASDS_01, got));
        }
        blob.truncate(size);
    }
    let [first, second] = blobs;
    // What is not written has the first fill in one blob, and the second in the other.
    let unwritten = first
        .iter()
        .zip(&second)
        .rposition(|bytes| bytes == (&0xA5, &0x5A));
    if first[..IDENTIFIER] != second[..IDENTIFIER] || unwritten == Some(size - 1) {
        let got = "the second call gave another identifier, or left the last byte as it was".into();
        return Err(Stop::needs_but_got(rules::U_ASDS_01, got));
    }
    Ok(first)
}

fn check(device: &Device, blob: &[u8]) -> Result<D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS, Stop> {
    let check = slot!(core.pfnCheckDriverMatchingIdentifier of device.core);
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

/// Identifiers that are not the driver's: of its own, if it has one, each end of the GUID is changed.
fn foreign(driver: &Driver, device: &Device) -> Vec<Vec<u8>> {
    let own = blob(driver, device).unwrap_or_else(|_| vec![0x5E; IDENTIFIER]);
    let changed = |byte: usize| {
        let mut blob = own.clone();
        blob[byte] ^= 0xFF;
        blob
    };
    [0, 7, 8, 15].map(changed).into()
}

fn u_asds_01_the_blob_has_its_layout(driver: &Driver) -> Outcome {
    let blob = blob(driver, &device(driver)?)?;
    let size = blob.len();
    driver.note(format!("a blob of {size} bytes"));
    Ok(())
}

fn u_asds_02_its_own_identifier_matches(driver: &Driver) -> Outcome {
    let device = device(driver)?;
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
    let device = device(driver)?;
    for identifier in foreign(driver, &device) {
        driver.at("pfnCheckDriverMatchingIdentifier");
        let status = check(&device, &identifier)?;
        let guid = &identifier[..16];
        ensure!(
            status != D3D12DDI_DRIVER_MATCHING_IDENTIFIER_COMPATIBLE_WITH_DEVICE,
            call: "pfnCheckDriverMatchingIdentifier(APPLICATION_SPECIFIC_DRIVER_STATE, an identifier with the GUID {guid:x?}), which is not the driver's",
            expected: "another status than COMPATIBLE_WITH_DEVICE",
            got: "returned {status:?}",
        );
    }
    Ok(())
}

fn u_asds_04_its_own_blob_is_used(driver: &Driver) -> Outcome {
    let blob = driver.ask::<Vec<u8>>(Task::DriverBlob)?;
    let (asked, status) = device_with(driver, &blob, "the driver's own blob")?;
    ensure!(
        !asked.is_empty() && status == D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED,
        call: "pfnCreateDevice on a runtime that has the driver's own blob, and the status",
        expected: "that it asks for the blob, and USED",
        got: "asked {asked:?}, and returned {status:?}",
    );
    Ok(())
}

fn u_asds_05_a_random_blob_is_ignored(driver: &Driver) -> Outcome {
    let random = |size: u8| {
        (0..size)
            .map(|index| index.wrapping_mul(37) ^ 0xA5)
            .collect()
    };
    let mut blobs: Vec<Vec<u8>> = vec![random(1), random(31), random(32), random(100)];
    blobs.extend(foreign(driver, &device(driver)?));
    for blob in blobs {
        let size = blob.len();
        let (asked, status) = device_with(driver, &blob, "a blob that is not the driver's")?;
        let is_ignored = status == D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_IGNORED;
        if !is_ignored && asked.iter().all(|room| (*room as usize) < size) {
            let got = format!("asked for a blob of {size} bytes with buffers of {asked:?}");
            return Err(Stop::needs_but_got(rules::U_ASDS_08, got));
        }
        ensure!(
            is_ignored,
            call: "pfnCreateDevice on a runtime that has a blob of {size} bytes which is not the driver's, and the status",
            expected: "IGNORED",
            got: "returned {status:?}",
        );
    }
    Ok(())
}

fn u_asds_06_no_blob_is_not_specified(driver: &Driver) -> Outcome {
    let device = device(driver)?;
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
    let adapter = driver.open(State::Unknown)?;
    let builds = adapter.known(OLDEST)?;
    let older = builds.iter().filter(|build| **build < BUILD).max();
    // A runtime that knows a build from 113 on knows the question too.
    let Some(build) = older.or(builds.iter().min()) else {
        return Err(Stop::needs(rules::U_OPEN_02));
    };
    if let Err(result) = driver.device_of(adapter, *build, &[])? {
        broken!(
            call: "pfnCreateDevice for build {build} on a runtime that answers E_INVALIDARG to each query",
            expected: "S_OK",
            got: "returned {result}",
        );
    }
    Ok(())
}

fn u_asds_08_a_larger_blob_is_asked_for_again(driver: &Driver) -> Outcome {
    /// So large is no buffer of a driver that asks for its size first.
    const MOST: usize = 16 << 20;
    let own = driver.ask::<Vec<u8>>(Task::DriverBlob)?;
    let (asked, _) = device_with(driver, &own, "the driver's own blob")?;
    let Some(first) = asked.first().map(|room| *room as usize) else {
        return Err(Stop::needs_but_got(
            rules::U_ASDS_04,
            "asked for no blob".into(),
        ));
    };
    if first > MOST {
        let reason = format!("the driver asks with a buffer of {first} bytes");
        return Err(Stop::NotApplicable(reason));
    }
    let size = own.len().max(first + 1);
    let mut larger = own;
    larger.resize(size, 0x5E);
    let (asked, _) = device_with(driver, &larger, "a blob larger than the driver's buffer")?;
    ensure!(
        asked.iter().any(|room| *room as usize >= size),
        call: "pfnCreateDevice on a runtime that has a blob of {size} bytes, for which the driver asks with {first} bytes first",
        expected: "a query with a buffer of that size",
        got: "asked with buffers of {asked:?} bytes",
    );
    Ok(())
}

/// What was asked for with less memory than the blob has.
struct Short {
    given: usize,
    size: usize,
    result: HRESULT,
    /// Where it was written behind the memory.
    written: Option<usize>,
}

/// Asks for the blob with less memory than it has, each time over two fills.
fn asked_with_less(driver: &Driver) -> Result<Vec<Short>, Stop> {
    let device = device(driver)?;
    let size = blob(driver, &device)?.len();
    let mut all = Vec::new();
    let sizes = [0, 1, IDENTIFIER, size - 1].into_iter();
    for given in sizes.filter(|given| *given < size) {
        for fill in [0xA5, 0x5A] {
            let mut buffer = vec![fill; size + GUARD];
            driver.at("pfnGetApplicationSpecificDriverState");
            let result = get(&device, &mut buffer, given)?;
            let written = buffer[given..].iter().position(|byte| *byte != fill);
            all.push(Short {
                given,
                size,
                result,
                written,
            });
        }
    }
    Ok(all)
}

fn u_asds_09_the_buffer_ends(driver: &Driver) -> Outcome {
    for asked in asked_with_less(driver)? {
        let Short {
            given,
            size,
            result,
            written,
        } = asked;
        ensure!(
            written.is_none(),
            call: "pfnGetApplicationSpecificDriverState with {given} bytes for a blob of {size}",
            expected: "no write behind the memory",
            got: "returned {result}, and wrote behind it at {written:?}",
        );
    }
    Ok(())
}

fn u_asds_12_a_small_buffer_fails(driver: &Driver) -> Outcome {
    for asked in asked_with_less(driver)? {
        let Short {
            given,
            size,
            result,
            ..
        } = asked;
        ensure!(
            !result.is_ok(),
            call: "pfnGetApplicationSpecificDriverState with {given} bytes for a blob of {size}",
            expected: "a failure",
            got: "returned {result}",
        );
    }
    Ok(())
}

fn u_asds_10_the_meta_command_gives_the_blob(driver: &Driver) -> Outcome {
    let device = device(driver)?;
    let expected = blob(driver, &device)?;
    let list = List::new(driver, &device, Header::Elsewhere)?;
    let size = UINT::try_from(expected.len()).expect("a small blob");
    for room in [size, size + 1, size - 1, 0] {
        let mut got = vec![0xA5; expected.len() + GUARD];
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
            return Err(unknown("GetApplicationSpecificDriverState"));
        }
        let is_whole = room < size || got.starts_with(&expected);
        let end = room as usize;
        let stray = got[end..].iter().position(|byte| *byte != 0xA5);
        let is_size_right = written == size || room >= size;
        ensure!(
            is_size_right && is_whole && stray.is_none(),
            call: "GetApplicationSpecificDriverState with {room} bytes for a blob of {size}",
            expected: "the device's blob where there is room for it, nothing behind the memory, and the size {size} where there is not",
            got: "the size {written}; the blob is whole: {is_whole}; written behind it: {stray:?}",
        );
    }
    Ok(())
}

fn u_asds_11_there_is_a_dummy_blob(driver: &Driver) -> Outcome {
    let device = device(driver)?;
    enable_dummy(driver, &device)?;
    driver.at("pfnGetApplicationSpecificDriverStateBlobSize");
    let size = size(&device)?;
    if size >= IDENTIFIER {
        // Its layout is that of every blob.
        blob(driver, &device)?;
    }
    ensure!(
        size >= IDENTIFIER,
        call: "EnableDummyApplicationSpecificDriverStateBlob(true), and the size of the blob",
        expected: "at least the {IDENTIFIER} bytes of the identifier",
        got: "the size is {size}",
    );
    Ok(())
}
