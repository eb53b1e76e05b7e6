//! The two meta commands of Application_Specific_Driver_State.md. Their GUIDs are not public; these are
//! our own.

use std::ffi::c_void;

#[allow(clippy::wildcard_imports)] // The functions are written in the DDI's own types.
use ddi_sys::*;
use serde_json::{Value, json};

use crate::adapter::two_call;
use crate::boundary::{self, Error, Result, checked, device_slots, raw};
use crate::device::Device;
use crate::handles::{self, First, Object, PRIVATE_SIZE};

/// `GUID_MetaCommand_GetApplicationSpecificDriverState`; our own value.
pub const GET_APPLICATION_SPECIFIC_DRIVER_STATE: GUID = GUID {
    Data1: 0x5ac1_8a0e,
    Data2: 0x7f2b,
    Data3: 0x4c66,
    Data4: [0x8d, 0x3a, 0x21, 0x90, 0x6e, 0x55, 0xb4, 0x01],
};

/// `GUID_MetaCommand_EnableDummyApplicationSpecificDriverStateBlob`; our own value.
pub const ENABLE_DUMMY_APPLICATION_SPECIFIC_DRIVER_STATE_BLOB: GUID = GUID {
    Data1: 0x5ac1_8a0e,
    Data2: 0x7f2b,
    Data3: 0x4c66,
    Data4: [0x8d, 0x3a, 0x21, 0x90, 0x6e, 0x55, 0xb4, 0x02],
};

/// What executing [`GET_APPLICATION_SPECIFIC_DRIVER_STATE`] takes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct GetDriverStateParameters {
    /// The size of the memory; afterwards that of the blob.
    pub blob_size: *mut UINT,
    /// Where the blob is written.
    pub blob: *mut c_void,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Get,
    EnableDummy,
}

/// A meta command.
pub(crate) struct MetaCommand {
    which: Which,
}

impl Object for MetaCommand {
    const KIND: &'static str = "meta command";
}

impl First for MetaCommand {}

static KNOWN: &[(GUID, Which, &[u16])] = &[
    (
        GET_APPLICATION_SPECIFIC_DRIVER_STATE,
        Which::Get,
        widestring::u16cstr!("GetApplicationSpecificDriverState").as_slice_with_nul(),
    ),
    (
        ENABLE_DUMMY_APPLICATION_SPECIFIC_DRIVER_STATE_BLOB,
        Which::EnableDummy,
        widestring::u16cstr!("EnableDummyApplicationSpecificDriverStateBlob").as_slice_with_nul(),
    ),
];

fn find(id: GUID) -> Result<Which> {
    KNOWN
        .iter()
        .find(|(known, ..)| *known == id)
        .map(|(_, which, _)| *which)
        .ok_or_else(|| Error::new(DXGI_ERROR_NOT_FOUND, format!("no meta command {id:?}")))
}

/// What executing a command does, while it is recorded; the parameters, as recordings have them.
///
/// # Errors
///
/// The parameters are not the command's, or the memory is too small: its size is then the one that is
/// needed.
///
/// # Safety
///
/// `parameters` is null or has `size` bytes, which are the command's parameters.
pub(crate) unsafe fn execute(
    device: &Device,
    command: &MetaCommand,
    parameters: *const c_void,
    size: usize,
) -> Result<Value> {
    let needed = match command.which {
        Which::Get => size_of::<GetDriverStateParameters>(),
        Which::EnableDummy => 1,
    };
    if parameters.is_null() || size < needed {
        return Err(Error::invalid(format!(
            "the parameters have {size} bytes; {:?} has {needed}",
            command.which
        )));
    }
    match command.which {
        Which::EnableDummy => {
            // SAFETY: there is a byte.
            let enable = unsafe { parameters.cast::<u8>().read() } != 0;
            device.workarounds().dummy = enable;
            Ok(json!({ "enable": enable }))
        }
        Which::Get => {
            // SAFETY: there are as many bytes.
            let parameters: GetDriverStateParameters = unsafe {
                parameters
                    .cast::<GetDriverStateParameters>()
                    .read_unaligned()
            };
            if parameters.blob_size.is_null() || !parameters.blob_size.is_aligned() {
                return Err(Error::invalid("pBlobSize is null or not aligned"));
            }
            // SAFETY: `pBlobSize` of the command's parameters is not null and aligned, and so points to a size (`# Safety`).
            let room = unsafe { parameters.blob_size.read() };
            let blob = device.blob().unwrap_or_default();
            let size = UINT::try_from(blob.len()).unwrap_or(UINT::MAX);
            // SAFETY: `pBlobSize` points to a size, and is an output too.
            unsafe { parameters.blob_size.write(size) };
            // Less room is no failure: the host asks again.
            if size != 0 && room >= size {
                if parameters.blob.is_null() {
                    return Err(Error::invalid(
                        "pApplicationSpecificDriverStateBlob is null",
                    ));
                }
                // SAFETY: the blob of the command's parameters has `room` bytes (`# Safety`), as many as `blob` or more.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        blob.as_ptr(),
                        parameters.blob.cast(),
                        blob.len(),
                    );
                };
            }
            Ok(json!({ "room": room, "size": size }))
        }
    }
}

device_slots! {
    enumerate_meta_commands = "pfnEnumerateMetaCommands"(
        _device, pointer count: UINT, pointer descs: D3D12DDIARG_META_COMMAND_DESC,
    ) -> HRESULT {
        let all: Vec<_> = KNOWN
            .iter()
            .map(|(id, _, name)| D3D12DDIARG_META_COMMAND_DESC {
                Id: *id,
                Name: name.as_ptr(),
                InitializationDirtyState: D3D12DDI_GRAPHICS_STATE_NONE,
                ExecutionDirtyState: D3D12DDI_GRAPHICS_STATE_NONE,
            })
            .collect();
        // SAFETY: the DDI: the count is that of the array.
        unsafe { two_call(&all, count, descs) }?
    }

    // Neither command has parameters that could be named: theirs are CPU pointers.
    enumerate_meta_command_parameters = "pfnEnumerateMetaCommandParameters"(
        _device,
        value id: GUID,
        value _stage: D3D12DDI_META_COMMAND_PARAMETER_STAGE,
        output count: UINT,
        pointer _descs: D3D12DDIARG_META_COMMAND_PARAMETER_DESC,
    ) -> HRESULT {
        find(id)?;
        *count = 0;
        S_OK
    }

    calc_private_meta_command_size = "pfnCalcPrivateMetaCommandSize"(
        _device,
        value _id: GUID,
        value _node_mask: UINT,
        value _parameters: *const c_void,
        value _size: SIZE_T,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_meta_command = "pfnCreateMetaCommand"(
        device,
        value id: GUID,
        value _node_mask: UINT,
        value _parameters: *const c_void,
        value size: SIZE_T,
        private command: D3D12DDI_HMETACOMMAND_0052,
        value _runtime: D3D12DDI_HRTMETACOMMAND_0052,
    ) -> HRESULT {
        let which = find(id)?;
        if size != 0 {
            return Err(Error::invalid("the command takes no parameters at creation"));
        }
        command.create(device, || Ok(MetaCommand { which }))?;
        S_OK
    }

    destroy_meta_command = "pfnDestroyMetaCommand"(device, value command: D3D12DDI_HMETACOMMAND_0052) {
        device.owner().remove::<MetaCommand>(command.pDrvPrivate)?;
    }
}

/// `pfnGetMetaCommandRequiredParameterInfo`: no parameter is a resource.
pub(crate) unsafe extern "system" fn get_meta_command_required_parameter_info(
    command: D3D12DDI_HMETACOMMAND_0052,
    _stage: D3D12DDI_META_COMMAND_PARAMETER_STAGE,
    _index: UINT,
    info: *mut D3D12DDIARG_META_COMMAND_REQUIRED_PARAMETER_INFO,
) {
    let command = command.pDrvPrivate;
    boundary::call(
        "pfnGetMetaCommandRequiredParameterInfo",
        handles::subject::<MetaCommand>(command),
        |_| {},
        || {
            handles::id_of::<MetaCommand>(command)?;
            checked!(output info);
            info.ResourceSize = 0;
            Ok(())
        },
    );
}
