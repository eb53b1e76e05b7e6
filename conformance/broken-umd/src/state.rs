//! Application-specific driver state.

use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};

use bytemuck::Zeroable;
use ddi_sys::*;
use ddi_sys::{
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_IGNORED as IGNORED,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_NOT_SPECIFIED as NOT_SPECIFIED,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_UNKNOWN as UNKNOWN,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED as USED,
};
use defects::{Place as _, changed, rows, write};
use parking_lot::Mutex;

use crate::memory::answered;
use crate::places::*;

rows! {
    Hook, Device;

    "state-size-of-opaque" breaks U_ASDS_01: "the size function leaves the identifier out",
        at GetStateSize |call| call.pass().saturating_sub(32);
    "state-no-identifier" breaks U_ASDS_01: "the first 32 bytes of the blob are 0",
        at GetState no_identifier;
    "state-own-refused" breaks U_ASDS_02: "the type of driver state is unsupported",
        at CheckIdentifier |call| call.answer_if(
            call.kind == D3D12DDI_SERIALIZED_DATA_APPLICATION_SPECIFIC_DRIVER_STATE,
            D3D12DDI_DRIVER_MATCHING_IDENTIFIER_UNSUPPORTED_TYPE,
        );
    "state-foreign-accepted" breaks U_ASDS_03: "every identifier is compatible with the device",
        at CheckIdentifier |_| D3D12DDI_DRIVER_MATCHING_IDENTIFIER_COMPATIBLE_WITH_DEVICE;
    "state-half-compared" breaks U_ASDS_03: "the second half of the identifier's GUID is not compared",
        at CheckIdentifier half_compared;
    "state-own-ignored" breaks U_ASDS_04: "the status of the driver's own blob is IGNORED",
        at GetStateStatus |call| changed(call.pass(), USED, IGNORED);
    "state-random-used" breaks U_ASDS_05: "the status of a foreign blob is USED",
        at GetStateStatus |call| changed(call.pass(), IGNORED, USED);
    "state-foreign-fatal" breaks U_ASDS_05: "a foreign blob fails the device",
        also U_ASDS_08: "a larger blob is foreign too",
        at CreateDevice |call| fails_with(call, IGNORED);
    "state-own-fatal" breaks U_ASDS_04: "the driver's own blob fails the device",
        also U_ASDS_08: "the larger blob begins with the driver's own",
        at CreateDevice |call| fails_with(call, USED);
    "state-none-unknown" breaks U_ASDS_06: "the status without a blob is UNKNOWN",
        at GetStateStatus |call| changed(call.pass(), NOT_SPECIFIED, UNKNOWN);
    "state-old-runtime-fatal" breaks U_ASDS_07: "E_INVALIDARG for the blob fails the device",
        at Query keep_answer,
        at CreateDevice fails_after_refusal;
    "state-no-retry" breaks U_ASDS_08: "a buffer that is too small is not followed by a larger one",
        at Query no_retry;
    "state-overrun" breaks U_ASDS_09: "the whole blob is written into a buffer that is too small",
        at GetState overrun;
    "state-short-succeeds" breaks U_ASDS_12: "a buffer that is too small gets S_OK",
        at GetState |call| call.after(|_, result| *result = S_OK);
    "meta-overrun" breaks U_ASDS_10: "the meta command writes the whole blob into memory that is too small",
        at CreateMetaCommand known,
        at ExecuteMetaCommand |call| gets(call, |get, room, needed| {
            if room < needed && !get.blob.is_null() {
                // SAFETY: none: the host's memory ends before.
                unsafe { get.blob.write_bytes(0, needed as usize) };
            }
        });
    "meta-no-size" breaks U_ASDS_10: "the meta command leaves *pBlobSize as it was",
        at CreateMetaCommand known,
        at ExecuteMetaCommand |call| gets(call, |get, room, _| write(get.blob_size, room));
    "meta-other" breaks U_ASDS_10: "the meta command gives a blob with another last byte",
        at CreateMetaCommand known,
        at ExecuteMetaCommand |call| gets(call, |get, room, needed| {
            if room >= needed {
                // SAFETY: the blob has `room` bytes, of which the driver has written `needed`.
                unsafe { *get.blob.add(needed as usize - 1) ^= 1 };
            }
        });
    "state-not-supported" leaves U_ASDS_01 U_ASDS_02 U_ASDS_03 U_ASDS_04 U_ASDS_05 U_ASDS_06 U_ASDS_08 U_ASDS_09 U_ASDS_10 U_ASDS_11 U_ASDS_12:
        "driver state is not supported",
        at GetCaps |call| answered(call, D3D12DDI_APPLICATION_SPECIFIC_DRIVER_STATE_113, 0);
    "meta-no-dummy" breaks U_ASDS_11: "the dummy blob is not enabled",
        at CreateMetaCommand known,
        at ExecuteMetaCommand |call| call.answer_if(!is_get(call), ());
}

const IDENTIFIER: usize = size_of::<D3D12DDI_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER_0054>();

/// The driver's whole blob.
fn own_blob(device: D3D12DDI_HDEVICE) -> Vec<u8> {
    let size = GetStateSize { device }.base();
    let mut blob = vec![0; size as usize];
    let place = blob.as_mut_ptr().cast();
    let _ = GetState {
        device,
        blob: place,
        size,
    }
    .base();
    blob
}

fn no_identifier(call: &mut GetState) -> HRESULT {
    let result = call.pass();
    if result.is_ok() && call.size as usize >= IDENTIFIER {
        // SAFETY: the DDI: the memory has the size.
        unsafe { call.blob.write_bytes(0, IDENTIFIER) };
    }
    result
}

fn overrun(call: &mut GetState) -> HRESULT {
    let result = call.pass();
    if !result.is_ok() {
        let own = own_blob(call.device);
        // SAFETY: none: the host's memory ends before.
        unsafe { call.blob.copy_from(own.as_ptr().cast(), own.len()) };
    }
    result
}

fn half_compared(call: &mut CheckIdentifier) -> D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS {
    // SAFETY: the host's structure.
    let mut given = unsafe { *call.identifier };
    // SAFETY: the structure has as many bytes.
    let bytes = unsafe { slice::from_raw_parts_mut((&raw mut given).cast::<u8>(), IDENTIFIER) };
    bytes[8..16].copy_from_slice(&own_blob(call.device)[8..16]);
    call.identifier = &raw const given;
    call.pass()
}

/// Creates a device, and refuses it if its blob has a status.
fn fails_with(
    call: &mut CreateDevice,
    status: D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS,
) -> HRESULT {
    let result = call.pass();
    let mut core = D3D12DDI_DEVICE_FUNCS_CORE_0113::zeroed();
    let _ = FillTable {
        adapter: call.adapter,
        kind: D3D12DDI_TABLE_TYPE_DEVICE_CORE,
        table: (&raw mut core).cast(),
        size: size_of_val(&core),
        number: 0,
        runtime: Zeroable::zeroed(),
    }
    .base();
    let get = core.pfnGetApplicationSpecificDriverBlobStatus;
    // SAFETY: the driver's function, if its build has it, with its device.
    let of_device = get.map(|get| unsafe { get(call.given().hDrvDevice) });
    if result.is_ok() && of_device == Some(status) {
        E_FAIL
    } else {
        result
    }
}

/// What the host answered last to a query for the blob.
static ANSWER: AtomicU32 = AtomicU32::new(0);

fn is_for_blob(call: &Query) -> bool {
    // SAFETY: the driver's own call: `arguments` points to its structure.
    let kind = unsafe { (*call.arguments).QueryType };
    kind == D3DDDI_QUERYADAPTERTYPE_APPLICATIONSPECIFICDRIVERBLOB
}

fn keep_answer(call: &mut Query) -> HRESULT {
    let result = call.pass();
    if is_for_blob(call) {
        ANSWER.store(result.0.cast_unsigned(), Ordering::Relaxed);
    }
    result
}

fn fails_after_refusal(call: &mut CreateDevice) -> HRESULT {
    let result = call.pass();
    let is_refused = ANSWER.load(Ordering::Relaxed) == E_INVALIDARG.0.cast_unsigned();
    if result.is_ok() && is_refused {
        E_FAIL
    } else {
        result
    }
}

fn no_retry(call: &mut Query) -> HRESULT {
    let result = call.pass();
    if is_for_blob(call) {
        changed(result, E_NOT_SUFFICIENT_BUFFER, D3DDDIERR_NOTAVAILABLE)
    } else {
        result
    }
}

/// The meta commands that were created.
static META_COMMANDS: Mutex<Vec<(usize, GUID)>> = Mutex::new(Vec::new());

/// GUID_MetaCommand_GetApplicationSpecificDriverState of `mock-umd` ends so, and that of the dummy blob with the next number.
const GET: u8 = 1;

fn known(call: &mut CreateMetaCommand) -> HRESULT {
    let command = call.command.pDrvPrivate.addr();
    META_COMMANDS.lock().push((command, call.id));
    call.pass()
}

/// Whether it is the meta command that gets the blob.
fn is_get(call: &ExecuteMetaCommand) -> bool {
    let command = call.command.pDrvPrivate.addr();
    let known = META_COMMANDS.lock();
    let created = known.iter().rfind(|(handle, _)| *handle == command);
    created.is_some_and(|(_, id)| id.Data4[7] == GET)
}

/// What the meta command takes.
#[repr(C)]
struct Get {
    blob_size: *mut UINT,
    blob: *mut u8,
}

/// Executes a meta command; `change` gets the room that the blob had, and what it needs.
fn gets(call: &mut ExecuteMetaCommand, change: fn(&Get, UINT, UINT)) {
    if !is_get(call) {
        return call.pass();
    }
    // SAFETY: the command's parameters.
    let get = unsafe { &*call.parameters.cast::<Get>() };
    // SAFETY: `blob_size` of the command's parameters points to a size.
    let size = || unsafe { get.blob_size.read() };
    let room = size();
    call.pass();
    change(get, room, size());
}
