//! Application-specific driver state.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::{ptr, slice};

use base_plugin::defects;
use bytemuck::Zeroable;
use ddi_sys::{
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_IGNORED,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_NOT_SPECIFIED,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_UNKNOWN,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED, D3D12DDI_COMMAND_LIST_FUNCS_3D_0114,
    D3D12DDI_DEVICE_FUNCS_CORE_0113, D3D12DDI_DRIVER_MATCHING_IDENTIFIER_COMPATIBLE_WITH_DEVICE,
    D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS,
    D3D12DDI_DRIVER_MATCHING_IDENTIFIER_UNSUPPORTED_TYPE, D3D12DDI_HADAPTER, D3D12DDI_HCOMMANDLIST,
    D3D12DDI_HDEVICE, D3D12DDI_HMETACOMMAND_0052, D3D12DDI_HRTMETACOMMAND_0052,
    D3D12DDI_SERIALIZED_DATA_APPLICATION_SPECIFIC_DRIVER_STATE,
    D3D12DDI_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER_0054, D3D12DDI_SERIALIZED_DATA_TYPE,
    D3D12DDI_TABLE_TYPE_DEVICE_CORE, D3DDDI_ADAPTERCALLBACKS,
    D3DDDI_QUERYADAPTERTYPE_APPLICATIONSPECIFICDRIVERBLOB, D3DDDICB_QUERYADAPTERINFO2,
    D3DDDIERR_NOTAVAILABLE, E_INVALIDARG, E_NOT_SUFFICIENT_BUFFER, GUID, HANDLE, HRESULT,
    PFND3DDDI_QUERYADAPTERINFOCB2, S_OK, SIZE_T, UINT,
};

use crate::defect::has;
use crate::own;

/// The defects of this file.
#[macro_export]
macro_rules! state_defects {
    ($take:ident) => {
        $take! {
            /// In the functions of driver state.
            State {
                SizeOfOpaque = "state-size-of-opaque" breaks U_ASDS_01:
                    "the size function leaves the identifier out";
                NoIdentifier = "state-no-identifier" breaks U_ASDS_01:
                    "the first 32 bytes of the blob are 0";
                OwnRefused = "state-own-refused" breaks U_ASDS_02:
                    "the type of driver state is unsupported";
                ForeignAccepted = "state-foreign-accepted" breaks U_ASDS_03:
                    "every identifier is compatible with the device";
                HalfCompared = "state-half-compared" breaks U_ASDS_03:
                    "the second half of the identifier's GUID is not compared";
                OwnIgnored = "state-own-ignored" breaks U_ASDS_04:
                    "the status of the driver's own blob is IGNORED";
                RandomUsed = "state-random-used" breaks U_ASDS_05:
                    "the status of a foreign blob is USED";
                ForeignFatal = "state-foreign-fatal" breaks U_ASDS_05:
                    "a foreign blob fails the device",
                    also U_ASDS_08 because "a larger blob is foreign too";
                OwnFatal = "state-own-fatal" breaks U_ASDS_04:
                    "the driver's own blob fails the device",
                    also U_ASDS_08 because "the larger blob begins with the driver's own";
                NoneUnknown = "state-none-unknown" breaks U_ASDS_06:
                    "the status without a blob is UNKNOWN";
                OldRuntimeFatal = "state-old-runtime-fatal" breaks U_ASDS_07:
                    "E_INVALIDARG for the blob fails the device";
                NoRetry = "state-no-retry" breaks U_ASDS_08:
                    "a buffer that is too small is not followed by a larger one";
                Overrun = "state-overrun" breaks U_ASDS_09:
                    "the whole blob is written into a buffer that is too small";
                ShortSucceeds = "state-short-succeeds" breaks U_ASDS_12:
                    "a buffer that is too small gets S_OK";
                MetaOverrun = "meta-overrun" breaks U_ASDS_10:
                    "the meta command writes the whole blob into memory that is too small";
                MetaNoSize = "meta-no-size" breaks U_ASDS_10:
                    "the meta command leaves *pBlobSize as it was";
                MetaOther = "meta-other" breaks U_ASDS_10:
                    "the meta command gives a blob with another last byte";
                NotSupported = "state-not-supported" leaves U_ASDS_01 U_ASDS_02 U_ASDS_03 U_ASDS_04 U_ASDS_05 U_ASDS_06 U_ASDS_08 U_ASDS_09 U_ASDS_10 U_ASDS_11 U_ASDS_12:
                    "driver state is not supported";
                NoDummy = "meta-no-dummy" breaks U_ASDS_11:
                    "the dummy blob is not enabled";
            }
        }
    };
}

state_defects!(defects);

/// The host's query. A process of a test has one host.
static QUERY: OnceLock<PFND3DDDI_QUERYADAPTERINFOCB2> = OnceLock::new();
/// What the host answered last to a query for the blob.
static ANSWER: AtomicU32 = AtomicU32::new(0);
/// The identifier of the driver's own blob, once it was read.
static OWN: OnceLock<[u8; IDENTIFIER]> = OnceLock::new();
/// The meta commands that were created.
static META_COMMANDS: Mutex<Vec<(usize, GUID)>> = Mutex::new(Vec::new());

const IDENTIFIER: usize = size_of::<D3D12DDI_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER_0054>();

/// GUID_MetaCommand_GetApplicationSpecificDriverState of `mock-umd` ends so, and that of the dummy blob with the next number.
const GET: u8 = 1;

/// The host's callbacks with this library's query in the place of the host's.
pub(crate) fn layer(callbacks: &D3DDDI_ADAPTERCALLBACKS) -> &'static D3DDDI_ADAPTERCALLBACKS {
    let _ = QUERY.set(callbacks.pfnQueryAdapterInfoCb2);
    Box::leak(Box::new(D3DDDI_ADAPTERCALLBACKS {
        pfnQueryAdapterInfoCb2: Some(query),
        ..*callbacks
    }))
}

unsafe extern "system" fn query(
    handle: HANDLE,
    arguments: *mut D3DDDICB_QUERYADAPTERINFO2,
) -> HRESULT {
    let Some(&Some(query)) = QUERY.get() else {
        return E_INVALIDARG;
    };
    // SAFETY: the driver's own call.
    let result = unsafe { query(handle, arguments) };
    // SAFETY: the driver's own call: `arguments` points to its structure.
    if unsafe { (*arguments).QueryType } == D3DDDI_QUERYADAPTERTYPE_APPLICATIONSPECIFICDRIVERBLOB {
        ANSWER.store(result.0.cast_unsigned(), Ordering::Relaxed);
        if result == E_NOT_SUFFICIENT_BUFFER && has(State::NoRetry) {
            return D3DDDIERR_NOTAVAILABLE;
        }
    }
    result
}

/// Whether a device that the driver has created is refused.
pub(crate) fn refuses_device(adapter: D3D12DDI_HADAPTER, device: D3D12DDI_HDEVICE) -> bool {
    if has(State::OldRuntimeFatal) {
        return ANSWER.load(Ordering::Relaxed) == E_INVALIDARG.0.cast_unsigned();
    }
    if !has(State::OwnFatal) && !has(State::ForeignFatal) {
        return false;
    }
    let mut core = D3D12DDI_DEVICE_FUNCS_CORE_0113::zeroed();
    let (kind, size) = (D3D12DDI_TABLE_TYPE_DEVICE_CORE, size_of_val(&core));
    let table = (&raw mut core).cast();
    let _ = own!(FUNCS.pfnFillDDITable(adapter, kind, table, size, 0, Zeroable::zeroed()));
    let status = |wanted| {
        // SAFETY: the driver's function, if its build has it, with its device.
        let call = |status: unsafe extern "system" fn(_) -> _| unsafe { status(device) };
        let status = core.pfnGetApplicationSpecificDriverBlobStatus;
        status.map(call) == Some(wanted)
    };
    (has(State::OwnFatal) && status(D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED))
        || (has(State::ForeignFatal) && status(D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_IGNORED))
}

pub(crate) fn layer_core(core: &mut D3D12DDI_DEVICE_FUNCS_CORE_0113) {
    core.pfnGetApplicationSpecificDriverStateBlobSize = Some(blob_size);
    core.pfnGetApplicationSpecificDriverState = Some(get_state);
    core.pfnGetApplicationSpecificDriverBlobStatus = Some(blob_status);
    core.pfnCheckDriverMatchingIdentifier = Some(check_identifier);
    core.pfnCreateMetaCommand = Some(create_meta_command);
}

pub(crate) fn layer_list(list: &mut D3D12DDI_COMMAND_LIST_FUNCS_3D_0114) {
    list.pfnExecuteMetaCommand = Some(execute_meta_command);
}

/// The driver's whole blob.
fn own_blob(device: D3D12DDI_HDEVICE) -> Vec<u8> {
    let size = own!(CORE.pfnGetApplicationSpecificDriverStateBlobSize(device));
    let mut blob = vec![0; size as usize];
    let _ = own!(CORE.pfnGetApplicationSpecificDriverState(device, blob.as_mut_ptr().cast(), size));
    if let Some(identifier) = blob.first_chunk() {
        let _ = OWN.set(*identifier);
    }
    blob
}

unsafe extern "system" fn blob_size(device: D3D12DDI_HDEVICE) -> UINT {
    let size = own!(CORE.pfnGetApplicationSpecificDriverStateBlobSize(device));
    if has(State::SizeOfOpaque) {
        return size.saturating_sub(32);
    }
    size
}

unsafe extern "system" fn get_state(
    device: D3D12DDI_HDEVICE,
    blob: *mut c_void,
    size: UINT,
) -> HRESULT {
    let result = own!(CORE.pfnGetApplicationSpecificDriverState(device, blob, size));
    let own = own_blob(device);
    if !result.is_ok() && has(State::Overrun) {
        // SAFETY: none: the host's memory ends before.
        unsafe { ptr::copy_nonoverlapping(own.as_ptr(), blob.cast(), own.len()) };
    }
    if !result.is_ok() && has(State::ShortSucceeds) {
        return S_OK;
    }
    if result.is_ok() && size as usize >= IDENTIFIER && has(State::NoIdentifier) {
        // SAFETY: the DDI: the memory has the size.
        unsafe { blob.write_bytes(0, IDENTIFIER) };
    }
    result
}

unsafe extern "system" fn blob_status(
    device: D3D12DDI_HDEVICE,
) -> D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS {
    let changes = [
        (
            State::OwnIgnored,
            D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED,
            D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_IGNORED,
        ),
        (
            State::RandomUsed,
            D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_IGNORED,
            D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED,
        ),
        (
            State::NoneUnknown,
            D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_NOT_SPECIFIED,
            D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_UNKNOWN,
        ),
    ];
    let status = own!(CORE.pfnGetApplicationSpecificDriverBlobStatus(device));
    let changed = changes
        .iter()
        .find(|(defect, from, _)| has(*defect) && *from == status);
    changed.map_or(status, |(_, _, to)| *to)
}

unsafe extern "system" fn check_identifier(
    device: D3D12DDI_HDEVICE,
    data_type: D3D12DDI_SERIALIZED_DATA_TYPE,
    identifier: *const D3D12DDI_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER_0054,
) -> D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS {
    if has(State::ForeignAccepted) {
        return D3D12DDI_DRIVER_MATCHING_IDENTIFIER_COMPATIBLE_WITH_DEVICE;
    }
    if has(State::OwnRefused)
        && data_type == D3D12DDI_SERIALIZED_DATA_APPLICATION_SPECIFIC_DRIVER_STATE
    {
        return D3D12DDI_DRIVER_MATCHING_IDENTIFIER_UNSUPPORTED_TYPE;
    }
    // SAFETY: the host's structure.
    let mut given = unsafe { *identifier };
    if has(State::HalfCompared)
        && let Some(own) = OWN.get()
    {
        // SAFETY: the structure has as many bytes.
        let bytes = unsafe { slice::from_raw_parts_mut((&raw mut given).cast::<u8>(), IDENTIFIER) };
        bytes[8..16].copy_from_slice(&own[8..16]);
    }
    own!(CORE.pfnCheckDriverMatchingIdentifier(device, data_type, &raw const given))
}

unsafe extern "system" fn create_meta_command(
    device: D3D12DDI_HDEVICE,
    id: GUID,
    node_mask: UINT,
    parameters: *const c_void,
    size: SIZE_T,
    command: D3D12DDI_HMETACOMMAND_0052,
    runtime: D3D12DDI_HRTMETACOMMAND_0052,
) -> HRESULT {
    let mut known = META_COMMANDS.lock().unwrap_or_else(PoisonError::into_inner);
    known.push((command.pDrvPrivate.addr(), id));
    own!(CORE.pfnCreateMetaCommand(device, id, node_mask, parameters, size, command, runtime))
}

/// What the meta command takes.
#[repr(C)]
struct GetState {
    blob_size: *mut UINT,
    blob: *mut u8,
}

unsafe extern "system" fn execute_meta_command(
    list: D3D12DDI_HCOMMANDLIST,
    command: D3D12DDI_HMETACOMMAND_0052,
    parameters: *const c_void,
    size: SIZE_T,
) {
    let known = META_COMMANDS.lock().unwrap_or_else(PoisonError::into_inner);
    let created = known.iter().rev();
    let mut created = created.filter(|(handle, _)| *handle == command.pDrvPrivate.addr());
    let is_get = created.next().is_some_and(|(_, id)| id.Data4[7] == GET);
    drop(known);
    if !is_get {
        if !has(State::NoDummy) {
            own!(LIST.pfnExecuteMetaCommand(list, command, parameters, size));
        }
        return;
    }
    // SAFETY: the command's parameters.
    let get = unsafe { &*parameters.cast::<GetState>() };
    // SAFETY: `blob_size` of the command's parameters points to a size.
    let room = unsafe { get.blob_size.read() };
    own!(LIST.pfnExecuteMetaCommand(list, command, parameters, size));
    // SAFETY: `blob_size` of the command's parameters points to a size.
    let needed = unsafe { get.blob_size.read() };
    if has(State::MetaNoSize) {
        // SAFETY: `blob_size` of the command's parameters points to a size, an output too.
        unsafe { get.blob_size.write(room) };
    }
    if has(State::MetaOther) && room >= needed {
        // SAFETY: the blob of the command's parameters has `room` bytes, of which the driver has written `needed`.
        unsafe { *get.blob.add(needed as usize - 1) ^= 1 };
    }
    if has(State::MetaOverrun) && room < needed && !get.blob.is_null() {
        // SAFETY: none: the host's memory ends before.
        unsafe { get.blob.write_bytes(0, needed as usize) };
    }
}
