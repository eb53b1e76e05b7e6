//! A host: what a runtime does with a driver, through its tables alone.

use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

use bytemuck::Zeroable;
use ddi_sys::*;

/// The version of a build.
pub const fn version(build: u32) -> u64 {
    0x000C_0050 << 32 | (build as u64) << 16
}

/// Memory for the private data of an object, which does not move.
pub struct Block(Box<[u64; 8]>);

impl Block {
    pub fn new() -> Self {
        Self(Box::new([0; 8]))
    }

    pub fn address(&self) -> *mut c_void {
        self.0.as_ptr().cast_mut().cast()
    }
}

/// What the host answers to queries of the driver's, and what the driver has told it.
#[derive(Default)]
pub struct Runtime {
    /// The blob for the adapter, if any.
    pub blob: Option<Vec<u8>>,
    /// The answer to each query, instead of what a runtime answers.
    pub answer: Option<HRESULT>,
    /// The sizes of the buffers that the driver has asked with.
    pub asked: Vec<u32>,
    /// What `pfnSetErrorCb` got.
    pub errors: Vec<HRESULT>,
    /// What `pfnSetCommandListErrorCb` got.
    pub list_errors: Vec<HRESULT>,
}

/// A runtime that a handle points to.
pub type Shared = Box<RefCell<Runtime>>;

/// # Safety
///
/// The handle is that of a [`Shared`].
unsafe fn runtime<'a>(handle: HANDLE) -> &'a RefCell<Runtime> {
    // SAFETY: the handle is that of a `Shared` (`# Safety`).
    unsafe { &*handle.cast::<RefCell<Runtime>>() }
}

unsafe extern "system" fn query_adapter_info2(
    handle: HANDLE,
    query: *mut D3DDDICB_QUERYADAPTERINFO2,
) -> HRESULT {
    // SAFETY: the host's own handle, and the driver's structure.
    let (runtime, query) = unsafe { (runtime(handle), &mut *query) };
    if query.QueryType != D3DDDI_QUERYADAPTERTYPE_APPLICATIONSPECIFICDRIVERBLOB {
        return E_INVALIDARG;
    }
    let mut runtime = runtime.borrow_mut();
    runtime.asked.push(query.PrivateDriverDataSize);
    if let Some(answer) = runtime.answer {
        return answer;
    }
    let Some(blob) = &runtime.blob else {
        return D3DDDIERR_NOTAVAILABLE;
    };
    let size = u32::try_from(blob.len()).unwrap();
    let room = std::mem::replace(&mut query.PrivateDriverDataSize, size);
    if room < size {
        return E_NOT_SUFFICIENT_BUFFER;
    }
    // SAFETY: the driver's buffer has room.
    unsafe {
        std::ptr::copy_nonoverlapping(blob.as_ptr(), query.pPrivateDriverData.cast(), blob.len());
    };
    S_OK
}

unsafe extern "system" fn set_error(device: D3D12DDI_HRTDEVICE, result: HRESULT) {
    // SAFETY: the host's own handle.
    unsafe { runtime(device.handle) }
        .borrow_mut()
        .errors
        .push(result);
}

unsafe extern "system" fn set_list_error(list: D3D12DDI_HRTCOMMANDLIST, result: HRESULT) {
    // SAFETY: the host's own handle.
    unsafe { runtime(list.handle) }
        .borrow_mut()
        .list_errors
        .push(result);
}

/// An open adapter.
pub struct Adapter {
    pub handle: D3D12DDI_HADAPTER,
    pub funcs: D3D12DDI_ADAPTERFUNCS,
    pub runtime: Shared,
}

impl Adapter {
    pub fn open(state: Runtime) -> Self {
        let runtime = Shared::new(RefCell::new(state));
        let callbacks = D3DDDI_ADAPTERCALLBACKS {
            pfnQueryAdapterInfoCb2: Some(query_adapter_info2),
            ..Zeroable::zeroed()
        };
        let mut funcs: D3D12DDI_ADAPTERFUNCS = Zeroable::zeroed();
        let mut arguments = D3D12DDIARG_OPENADAPTER {
            hRTAdapter: D3D12DDI_HRTADAPTER {
                handle: (&raw const *runtime).cast_mut().cast(),
            },
            hAdapter: D3D12DDI_HADAPTER {
                pDrvPrivate: null_mut(),
            },
            pAdapterCallbacks: &raw const callbacks,
            pAdapterFuncs: &raw mut funcs,
        };
        // SAFETY: the arguments are as the DDI says.
        let result = unsafe { mock_umd::OpenAdapter12(&raw mut arguments) };
        assert_eq!(result, S_OK);
        Self {
            handle: arguments.hAdapter,
            funcs,
            runtime,
        }
    }

    pub fn versions(&self) -> Vec<u64> {
        let get = self.funcs.pfnGetSupportedVersions.unwrap();
        let mut count = 0;
        // SAFETY: a null array asks for the count.
        let result = unsafe { get(self.handle, &raw mut count, null_mut()) };
        assert_eq!(result, S_OK);
        let mut versions = vec![0; count as usize];
        // SAFETY: the array has as many entries.
        let result = unsafe { get(self.handle, &raw mut count, versions.as_mut_ptr()) };
        assert_eq!(result, S_OK);
        versions
    }

    /// Creates a device with reserved ranges.
    pub fn device(
        self,
        build: u32,
        ranges: &[D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE],
    ) -> Result<Device, HRESULT> {
        let (interface, lower) = (0x000C_0050, build << 16);
        let size = D3D12DDIARG_CALCPRIVATEDEVICESIZE {
            Interface: interface,
            Version: lower,
            Flags: D3D12DDI_CREATE_DEVICE_FLAG_NONE,
        };
        // SAFETY: the structure lives during the call.
        let size =
            unsafe { self.funcs.pfnCalcPrivateDeviceSize.unwrap()(self.handle, &raw const size) };
        assert!(size <= size_of::<[u64; 8]>());
        let block = Block::new();
        let callbacks = D3D12DDI_CORELAYER_DEVICECALLBACKS_0003 {
            pfnSetErrorCb: Some(set_error),
            pfnSetCommandListErrorCb: Some(set_list_error),
            ..Zeroable::zeroed()
        };
        let arguments = D3D12DDIARG_CREATEDEVICE_0109 {
            hRTDevice: D3D12DDI_HRTDEVICE {
                handle: (&raw const *self.runtime).cast_mut().cast(),
            },
            Interface: interface,
            Version: lower,
            pKTCallbacks: null(),
            hDrvDevice: D3D12DDI_HDEVICE {
                pDrvPrivate: block.address(),
            },
            Anonymous: D3D12DDIARG_CREATEDEVICE_0109_0 {
                p12UMCallbacks: &raw const callbacks,
            },
            Flags: D3D12DDI_CREATE_DEVICE_FLAG_NONE,
            pReserveRanges: ranges.as_ptr().cast_mut(),
            NumReserveRanges: u32::try_from(ranges.len()).unwrap(),
        };
        let create = self.funcs.pfnCreateDevice.unwrap();
        // SAFETY: of these builds the structure is that of 0109, which begins with that of 0003.
        let result = unsafe { create(self.handle, (&raw const arguments).cast()) };
        if result != S_OK {
            return Err(result);
        }
        let table = |table_type| {
            let mut slots: [Slot; 200] = [None; 200];
            let size = size_of_val(&slots);
            // SAFETY: the table has the size.
            let result = unsafe {
                self.funcs.pfnFillDDITable.unwrap()(
                    self.handle,
                    table_type,
                    slots.as_mut_ptr().cast(),
                    size,
                    0,
                    D3D12DDI_HRTTABLE { handle: null_mut() },
                )
            };
            assert_eq!(result, S_OK);
            slots
        };
        let core = table(D3D12DDI_TABLE_TYPE_DEVICE_CORE);
        let list = table(D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D);
        let queue = table(D3D12DDI_TABLE_TYPE_COMMAND_QUEUE_3D);
        // SAFETY: a table is slots; missing ones are null, which is a value of them.
        unsafe {
            Ok(Device {
                handle: arguments.hDrvDevice,
                core: core
                    .as_ptr()
                    .cast::<D3D12DDI_DEVICE_FUNCS_CORE_0113>()
                    .read(),
                list: list
                    .as_ptr()
                    .cast::<D3D12DDI_COMMAND_LIST_FUNCS_3D_0108>()
                    .read(),
                bypass: list
                    .as_ptr()
                    .cast::<D3D12DDI_COMMAND_LIST_FUNCS_3D_0114>()
                    .read(),
                queue: queue
                    .as_ptr()
                    .cast::<D3D12DDI_COMMAND_QUEUE_FUNCS_CORE_0001>()
                    .read(),
                adapter: self,
                _block: block,
            })
        }
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        // SAFETY: the adapter is open.
        let result = unsafe { self.funcs.pfnCloseAdapter.unwrap()(self.handle) };
        assert_eq!(result, S_OK);
    }
}

/// A slot, whatever its parameters.
pub type Slot = Option<unsafe extern "system" fn()>;

/// A device and its tables.
pub struct Device {
    pub handle: D3D12DDI_HDEVICE,
    pub core: D3D12DDI_DEVICE_FUNCS_CORE_0113,
    /// As a host below build 114 reads the command list table.
    pub list: D3D12DDI_COMMAND_LIST_FUNCS_3D_0108,
    /// As a host from build 114 on reads it.
    pub bypass: D3D12DDI_COMMAND_LIST_FUNCS_3D_0114,
    pub queue: D3D12DDI_COMMAND_QUEUE_FUNCS_CORE_0001,
    pub adapter: Adapter,
    _block: Block,
}

impl Device {
    pub fn new(build: u32) -> Self {
        Adapter::open(Runtime::default())
            .device(build, &[])
            .unwrap()
    }

    /// The errors that the driver has reported since the last time.
    pub fn errors(&self) -> Vec<HRESULT> {
        std::mem::take(&mut self.adapter.runtime.borrow_mut().errors)
    }

    /// The errors of command lists that the driver has reported since the last time.
    pub fn list_errors(&self) -> Vec<HRESULT> {
        std::mem::take(&mut self.adapter.runtime.borrow_mut().list_errors)
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: the device is alive.
        unsafe { self.adapter.funcs.pfnDestroyDevice.unwrap()(self.handle) };
    }
}
