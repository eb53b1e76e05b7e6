//! Application-specific driver state, by the test plan of Application_Specific_Driver_State.md.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ddi_sys::*;
use mock_umd::inspect::{
    ENABLE_DUMMY_APPLICATION_SPECIFIC_DRIVER_STATE_BLOB, GET_APPLICATION_SPECIFIC_DRIVER_STATE,
    GetDriverStateParameters,
};

use crate::host::{Adapter, Block, Device, Runtime};
use crate::lists::List;

fn device_with(runtime: Runtime) -> Device {
    Adapter::open(runtime).device(113, &[]).unwrap()
}

fn status(device: &Device) -> D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS {
    let status = device.core.pfnGetApplicationSpecificDriverBlobStatus;
    // SAFETY: a handle is looked up.
    unsafe { status.unwrap()(device.handle) }
}

fn size(device: &Device) -> u32 {
    let size = device.core.pfnGetApplicationSpecificDriverStateBlobSize;
    // SAFETY: a handle is looked up.
    unsafe { size.unwrap()(device.handle) }
}

fn get(device: &Device, buffer: &mut [u8]) -> HRESULT {
    let get = device.core.pfnGetApplicationSpecificDriverState.unwrap();
    let size = u32::try_from(buffer.len()).unwrap();
    // SAFETY: the buffer has the size.
    unsafe { get(device.handle, buffer.as_mut_ptr().cast(), size) }
}

fn blob(device: &Device) -> Vec<u8> {
    let mut blob = vec![0; size(device) as usize];
    assert_eq!(get(device, &mut blob), S_OK);
    blob
}

fn check(
    device: &Device,
    data_type: i32,
    blob: &[u8],
) -> D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS {
    let check = device.core.pfnCheckDriverMatchingIdentifier.unwrap();
    let mut identifier: D3D12DDI_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER_0054 =
        bytemuck::Zeroable::zeroed();
    // SAFETY: the structure is 32 bytes without pointers.
    unsafe {
        (&raw mut identifier)
            .cast::<u8>()
            .copy_from_nonoverlapping(blob.as_ptr(), 32);
        check(
            device.handle,
            D3D12DDI_SERIALIZED_DATA_TYPE(data_type),
            &raw const identifier,
        )
    }
}

/// A meta command of a list's device.
struct Meta<'a> {
    list: &'a List<'a>,
    handle: D3D12DDI_HMETACOMMAND_0052,
    _block: Block,
}

impl<'a> Meta<'a> {
    fn new(list: &'a List<'a>, id: GUID) -> Result<Self, HRESULT> {
        let block = Block::new();
        let handle = D3D12DDI_HMETACOMMAND_0052 {
            pDrvPrivate: block.address(),
        };
        let runtime = D3D12DDI_HRTMETACOMMAND_0052 { handle: null_mut() };
        let device = list.device;
        let create = device.core.pfnCreateMetaCommand.unwrap();
        // SAFETY: the block is larger than the driver asks for.
        let result = unsafe { create(device.handle, id, 1, null(), 0, handle, runtime) };
        if result != S_OK {
            return Err(result);
        }
        Ok(Self {
            list,
            handle,
            _block: block,
        })
    }

    fn execute(&self, parameters: *const c_void, size: usize) {
        let execute = self.list.device.list.pfnExecuteMetaCommand.unwrap();
        // SAFETY: the parameters have the size.
        unsafe { execute(self.list.handle, self.handle, parameters, size) };
    }
}

impl Drop for Meta<'_> {
    fn drop(&mut self) {
        let device = self.list.device;
        // SAFETY: a handle is looked up.
        unsafe { device.core.pfnDestroyMetaCommand.unwrap()(device.handle, self.handle) };
    }
}

fn enable_dummy(device: &Device, enable: bool) {
    let list = List::new(device);
    let meta = Meta::new(&list, ENABLE_DUMMY_APPLICATION_SPECIFIC_DRIVER_STATE_BLOB).unwrap();
    meta.execute((&raw const enable).cast(), 1);
    assert_eq!(device.list_errors(), []);
}

fn dummy_blob() -> Vec<u8> {
    let device = device_with(Runtime::default());
    enable_dummy(&device, true);
    blob(&device)
}

#[test]
fn there_is_no_state_unless_there_is_something_to_say() {
    let device = device_with(Runtime::default());
    assert_eq!(size(&device), 0);
    assert_eq!(get(&device, &mut []), S_OK);
}

#[test]
fn the_dummy_blob_has_the_layout_and_the_driver_accepts_its_identifier() {
    let device = device_with(Runtime::default());
    enable_dummy(&device, true);
    let blob = blob(&device);
    assert!(blob.len() > 32);
    let compatible = D3D12DDI_DRIVER_MATCHING_IDENTIFIER_COMPATIBLE_WITH_DEVICE;
    assert_eq!(check(&device, 1, &blob), compatible);
    assert_ne!(check(&device, 0, &blob), compatible);
    let foreign = D3D12DDI_DRIVER_MATCHING_IDENTIFIER_UNRECOGNIZED;
    assert_eq!(check(&device, 1, &[7; 32]), foreign);
    let unsupported = D3D12DDI_DRIVER_MATCHING_IDENTIFIER_UNSUPPORTED_TYPE;
    assert_eq!(check(&device, 2, &blob), unsupported);
    // A buffer that is too small is left alone.
    let mut small = vec![0xEE; blob.len() - 1];
    assert_eq!(get(&device, &mut small), E_NOT_SUFFICIENT_BUFFER);
    assert!(small.iter().all(|byte| *byte == 0xEE));
    enable_dummy(&device, false);
    assert_eq!(size(&device), 0);
}

#[test]
fn what_became_of_the_runtimes_blob_is_reported() {
    let with = |runtime| status(&device_with(runtime));
    let blob = |blob: Vec<u8>| Runtime {
        blob: Some(blob),
        ..Runtime::default()
    };
    let answer = |result| Runtime {
        answer: Some(result),
        ..Runtime::default()
    };
    let used = D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED;
    let ignored = D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_IGNORED;
    let none = D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_NOT_SPECIFIED;
    assert_eq!(with(blob(dummy_blob())), used);
    assert_eq!(with(blob(vec![1, 2, 3])), ignored);
    assert_eq!(with(blob(vec![9; 48])), ignored);
    assert_eq!(with(Runtime::default()), none);
    assert_eq!(with(answer(E_INVALIDARG)), none, "an old runtime");
    assert_eq!(with(answer(D3DDDIERR_NOTAVAILABLE)), none);
    let unknown = D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_UNKNOWN;
    assert_eq!(with(answer(E_FAIL)), unknown);
}

#[test]
fn a_buffer_that_is_too_small_is_followed_by_one_that_is_not() {
    let device = device_with(Runtime {
        blob: Some(vec![5; 1000]),
        ..Runtime::default()
    });
    let asked = device.adapter.runtime.borrow().asked.clone();
    assert_eq!(asked, [256, 1000]);
    assert_eq!(
        status(&device),
        D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_IGNORED
    );
}

#[test]
fn a_blob_that_is_used_is_the_state() {
    let captured = dummy_blob();
    let device = device_with(Runtime {
        blob: Some(captured.clone()),
        ..Runtime::default()
    });
    assert_eq!(blob(&device), captured);
}

#[test]
fn the_meta_command_gives_the_same_blob_while_it_is_recorded() {
    let device = device_with(Runtime::default());
    enable_dummy(&device, true);
    let list = List::new(&device);
    let meta = Meta::new(&list, GET_APPLICATION_SPECIFIC_DRIVER_STATE).unwrap();
    let mut buffer = [0xEE_u8; 100];
    let mut room = 10;
    let parameters = GetDriverStateParameters {
        blob_size: &raw mut room,
        blob: buffer.as_mut_ptr().cast(),
    };
    let execute = || meta.execute((&raw const parameters).cast(), size_of_val(&parameters));
    execute();
    // SAFETY: the parameters point to it.
    let get_size = || unsafe { parameters.blob_size.read() };
    let needed = size(&device);
    assert_eq!(get_size(), needed, "the size that is needed");
    // SAFETY: the parameters point to it.
    assert!(unsafe { parameters.blob.cast::<[u8; 100]>().read() } == [0xEE; 100]);
    execute();
    assert_eq!(get_size(), needed);
    // SAFETY: the parameters point to it.
    let written = unsafe { parameters.blob.cast::<[u8; 100]>().read() };
    assert_eq!(written[..needed as usize], blob(&device));
    assert_eq!(device.list_errors(), []);
    assert_eq!(list.commands().len(), 2);
}

#[test]
fn parameters_that_are_too_short_are_refused() {
    let device = device_with(Runtime::default());
    let list = List::new(&device);
    let get = Meta::new(&list, GET_APPLICATION_SPECIFIC_DRIVER_STATE).unwrap();
    let dummy = Meta::new(&list, ENABLE_DUMMY_APPLICATION_SPECIFIC_DRIVER_STATE_BLOB).unwrap();
    let parameters = [0_usize; 2];
    let parameters = (&raw const parameters).cast();
    get.execute(null(), 16);
    get.execute(parameters, size_of::<[usize; 2]>() - 1);
    get.execute(parameters, size_of::<[usize; 2]>());
    dummy.execute(parameters, 0);
    assert_eq!(device.list_errors(), [E_INVALIDARG; 4]);
    assert!(list.commands().is_empty());
}

#[test]
fn unknown_meta_commands_are_not_found() {
    let device = device_with(Runtime::default());
    let list = List::new(&device);
    let other = GUID {
        Data1: 1,
        ..GET_APPLICATION_SPECIFIC_DRIVER_STATE
    };
    assert_eq!(Meta::new(&list, other).err(), Some(DXGI_ERROR_NOT_FOUND));
    let enumerate = device.core.pfnEnumerateMetaCommands.unwrap();
    let mut count = 0;
    // SAFETY: a null array asks for the count.
    let result = unsafe { enumerate(device.handle, &raw mut count, null_mut()) };
    assert_eq!((result, count), (S_OK, 2));
}

#[test]
fn the_cap_is_of_build_113() {
    for (build, result) in [(112, E_INVALIDARG), (113, S_OK)] {
        let device = Device::new(build);
        let mut supported: BOOL = 0;
        let arguments = D3D12DDIARG_GETCAPS {
            Type: D3D12DDI_APPLICATION_SPECIFIC_DRIVER_STATE_113,
            pInfo: null_mut(),
            pData: (&raw mut supported).cast(),
            DataSize: 4,
        };
        let adapter = &device.adapter;
        // SAFETY: the data has the size.
        let got =
            unsafe { adapter.funcs.pfnGetCaps.unwrap()(adapter.handle, &raw const arguments) };
        assert_eq!((got, supported), (result, i32::from(result == S_OK)));
    }
}
