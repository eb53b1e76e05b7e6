//! Opening the adapter: `OpenAdapter12`, and the functions of the adapter's table.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[allow(clippy::wildcard_imports)] // The functions are written in the DDI's own types.
use ddi_sys::*;
use parking_lot::Mutex;

use crate::boundary::{self, Error, Private, Result};
use crate::device::Device;
use crate::handles;
use crate::trace::Subject;
use crate::version::{self, Build};
use crate::{caps, switches, tables};

/// An open adapter.
pub(crate) struct Adapter {
    pub(crate) runtime: Runtime,
    /// Index of its family.
    pub(crate) family: u32,
    /// What the host has chosen for the device that it creates, or has created last.
    build: Mutex<Option<Build>>,
}

/// The host's side of the adapter.
pub(crate) struct Runtime {
    handle: HANDLE,
    query: PFND3DDDI_QUERYADAPTERINFOCB2,
}

// SAFETY: the handle is a value that the host alone reads; the DDI lets its callbacks be called from any thread.
unsafe impl Send for Runtime {}
// SAFETY: through `&Runtime` the handle is only read, as a value, and any thread may call the callback.
unsafe impl Sync for Runtime {}

impl Runtime {
    /// Asks the host for data of a type: the result, and the size that the host has set.
    pub(crate) fn query(
        &self,
        query_type: D3DDDI_QUERYADAPTERTYPE,
        buffer: &mut [u8],
    ) -> (HRESULT, usize) {
        // A host from before there were such queries.
        let Some(query) = self.query else {
            return (E_INVALIDARG, 0);
        };
        let Ok(size) = UINT::try_from(buffer.len()) else {
            return (E_INVALIDARG, 0);
        };
        let mut arguments = D3DDDICB_QUERYADAPTERINFO2 {
            QueryType: query_type,
            pPrivateDriverData: buffer.as_mut_ptr().cast(),
            PrivateDriverDataSize: size,
        };
        // SAFETY: the callback of this handle's host; it writes no more than the buffer has.
        let result = unsafe { query(self.handle, &raw mut arguments) };
        let size = usize::try_from(arguments.PrivateDriverDataSize).unwrap_or(usize::MAX);
        (result, size)
    }
}

/// Adapters have no private memory of the host's: their handles are numbers, which no memory of the
/// host's has as its address.
static NEXT_HANDLE: AtomicUsize = AtomicUsize::new(1);

static ADAPTERS: Mutex<BTreeMap<usize, Arc<Adapter>>> = Mutex::new(BTreeMap::new());

fn get(handle: D3D12DDI_HADAPTER) -> Result<Arc<Adapter>> {
    let address = handle.pDrvPrivate.addr();
    ADAPTERS
        .lock()
        .get(&address)
        .cloned()
        .ok_or_else(|| Error::invalid(format!("{address:#x} is no adapter")))
}

impl Adapter {
    fn build(&self) -> Result<Build> {
        self.build
            .lock()
            .ok_or_else(|| Error::invalid("no version was chosen by pfnCalcPrivateDeviceSize"))
    }

    fn choose(&self, interface: u32, version: u32) -> Result<Build> {
        let build = Build::chosen(interface, version)?;
        *self.build.lock() = Some(build);
        Ok(build)
    }
}

/// Opens the adapter: the entry point of the driver.
///
/// # Safety
///
/// `arguments` is null, or points to the structure, whose pointers are as the DDI says.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn OpenAdapter12(arguments: *mut D3D12DDIARG_OPENADAPTER) -> HRESULT {
    boundary::call(
        "OpenAdapter12",
        Subject::None,
        |_| {},
        || {
            if arguments.is_null() || !arguments.is_aligned() {
                return Err(Error::invalid("the arguments are null or not aligned"));
            }
            // SAFETY: `arguments` is not null and aligned, and so points to the structure (`# Safety`), which nothing else uses during the call.
            let arguments = unsafe { &mut *arguments };
            // SAFETY: the DDI: it points to the host's table.
            let callbacks =
                unsafe { boundary::input(arguments.pAdapterCallbacks, "pAdapterCallbacks") }?;
            if arguments.pAdapterFuncs.is_null() || !arguments.pAdapterFuncs.is_aligned() {
                return Err(Error::invalid("pAdapterFuncs is null or not aligned"));
            }
            // The DDI has no words for what is wrong.
            let settings = switches::settings()
                .inspect_err(|wrong| eprintln!("mock-umd: OpenAdapter12: {wrong}"))?;
            let adapter = Adapter {
                runtime: Runtime {
                    handle: arguments.hRTAdapter.handle,
                    query: callbacks.pfnQueryAdapterInfoCb2,
                },
                family: settings.adapter,
                build: Mutex::new(None),
            };
            let handle = NEXT_HANDLE.fetch_add(1, Ordering::Relaxed);
            ADAPTERS.lock().insert(handle, Arc::new(adapter));
            arguments.hAdapter = D3D12DDI_HADAPTER {
                pDrvPrivate: ptr::without_provenance_mut(handle),
            };
            // SAFETY: the DDI: it points to a table that the driver fills.
            unsafe { arguments.pAdapterFuncs.write(FUNCTIONS) };
            Ok(S_OK)
        },
    )
}

/// The adapter's table. The type of `pfnCreateDevice` names the older argument, of which that of 0109
/// is a continuation: [`create_device`] reads the newer one, because every version that the driver shows
/// has it.
const FUNCTIONS: D3D12DDI_ADAPTERFUNCS = D3D12DDI_ADAPTERFUNCS {
    pfnCalcPrivateDeviceSize: Some(calc_private_device_size),
    pfnCreateDevice: Some(create_device),
    pfnCloseAdapter: Some(close_adapter),
    pfnGetSupportedVersions: Some(get_supported_versions),
    pfnGetCaps: Some(get_caps),
    pfnGetOptionalDDITables: Some(get_optional_ddi_tables),
    pfnFillDDITable: Some(fill_ddi_table),
    pfnDestroyDevice: Some(destroy_device),
};

fn on_adapter<R: boundary::Answer>(
    slot: &'static str,
    handle: D3D12DDI_HADAPTER,
    body: impl FnOnce(&Arc<Adapter>) -> Result<R>,
) -> R {
    let adapter = get(handle);
    let subject = match adapter {
        Ok(_) => Subject::Adapter(handle.pDrvPrivate.addr()),
        Err(_) => Subject::None,
    };
    boundary::call(slot, subject, |_| {}, || body(&adapter?))
}

unsafe extern "system" fn calc_private_device_size(
    adapter: D3D12DDI_HADAPTER,
    arguments: *const D3D12DDIARG_CALCPRIVATEDEVICESIZE,
) -> SIZE_T {
    on_adapter("pfnCalcPrivateDeviceSize", adapter, |adapter| {
        // SAFETY: the DDI: it points to its structure during the call.
        let arguments = unsafe { boundary::input(arguments, "the argument") }?;
        adapter.choose(arguments.Interface, arguments.Version)?;
        Ok(handles::PRIVATE_SIZE)
    })
}

unsafe extern "system" fn create_device(
    adapter: D3D12DDI_HADAPTER,
    arguments: *const D3D12DDIARG_CREATEDEVICE_0003,
) -> HRESULT {
    on_adapter("pfnCreateDevice", adapter, |adapter| {
        // SAFETY: the DDI: it points to its structure during the call.
        let old = unsafe { boundary::input(arguments, "the argument") }?;
        let build = adapter.choose(old.Interface, old.Version)?;
        // SAFETY: the DDI: it points to its structure during the call; of these builds that is the structure of 0109.
        let arguments: &D3D12DDIARG_CREATEDEVICE_0109 =
            unsafe { boundary::input(arguments.cast(), "the argument") }?;
        // SAFETY: the DDI: a pointer and its count.
        let ranges = unsafe {
            let pointer = arguments.pReserveRanges.cast_const();
            boundary::array(pointer, arguments.NumReserveRanges, "pReserveRanges")
        }?;
        // SAFETY: the host allocates as much for a device as the driver asks for.
        let private = unsafe { Private::new(arguments.hDrvDevice.pDrvPrivate) };
        Device::create(adapter, build, arguments, ranges, private)?;
        Ok(S_OK)
    })
}

unsafe extern "system" fn destroy_device(device: D3D12DDI_HDEVICE) {
    boundary::call(
        "pfnDestroyDevice",
        Subject::None,
        |_| {},
        || {
            let device = handles::remove::<Device>(device.pDrvPrivate)?;
            device.destroyed();
            Ok(())
        },
    );
}

unsafe extern "system" fn close_adapter(adapter: D3D12DDI_HADAPTER) -> HRESULT {
    on_adapter("pfnCloseAdapter", adapter, |_| {
        let mut adapters = ADAPTERS.lock();
        adapters.remove(&adapter.pDrvPrivate.addr());
        Ok(S_OK)
    })
}

/// The two-call protocol: the count, then as many entries as there is room for.
///
/// # Safety
///
/// `entries` is null or may be written; `array` is null or has room for as many as it says.
pub(crate) unsafe fn two_call<T: Copy>(
    items: &[T],
    entries: *mut UINT32,
    array: *mut T,
) -> Result<HRESULT> {
    if entries.is_null() || !entries.is_aligned() {
        return Err(Error::invalid("puEntries is null or not aligned"));
    }
    let count = UINT32::try_from(items.len()).unwrap_or(UINT32::MAX);
    // SAFETY: `entries` is not null and aligned, and may be written (`# Safety`).
    let room = unsafe { entries.replace(count) };
    if array.is_null() {
        return Ok(S_OK);
    }
    if !array.is_aligned() {
        return Err(Error::invalid("the array is not aligned"));
    }
    if room < count {
        return Err(Error::new(
            E_NOT_SUFFICIENT_BUFFER,
            format!("room for {room} of {count} entries"),
        ));
    }
    // SAFETY: `array` has room for the `room` entries that `entries` said (`# Safety`), as many as `items` has or more.
    unsafe { ptr::copy_nonoverlapping(items.as_ptr(), array, items.len()) };
    Ok(S_OK)
}

unsafe extern "system" fn get_supported_versions(
    adapter: D3D12DDI_HADAPTER,
    entries: *mut UINT32,
    versions: *mut UINT64,
) -> HRESULT {
    on_adapter("pfnGetSupportedVersions", adapter, |_| {
        let shown: Vec<_> = version::shown()?.map(Build::version).collect();
        // SAFETY: the DDI: the count is that of the array.
        unsafe { two_call(&shown, entries, versions) }
    })
}

unsafe extern "system" fn get_caps(
    adapter: D3D12DDI_HADAPTER,
    arguments: *const D3D12DDIARG_GETCAPS,
) -> HRESULT {
    on_adapter("pfnGetCaps", adapter, |adapter| {
        // SAFETY: the DDI: it points to its structure during the call.
        let arguments = unsafe { boundary::input(arguments, "the argument") }?;
        // Before the host has chosen a build, what it can choose at most.
        let build = match adapter.build() {
            Ok(build) => build,
            Err(_) => version::newest()?,
        };
        // SAFETY: the DDI: the structure says how large its buffer is.
        unsafe { caps::get(adapter.family, build, arguments) }
    })
}

unsafe extern "system" fn get_optional_ddi_tables(
    adapter: D3D12DDI_HADAPTER,
    entries: *mut UINT32,
    requests: *mut D3D12DDI_TABLE_REQUEST,
) -> HRESULT {
    on_adapter("pfnGetOptionalDDITables", adapter, |adapter| {
        let optional = tables::optional(adapter.build()?);
        // SAFETY: the DDI: the count is that of the array.
        unsafe { two_call(&optional, entries, requests) }
    })
}

unsafe extern "system" fn fill_ddi_table(
    adapter: D3D12DDI_HADAPTER,
    table_type: D3D12DDI_TABLE_TYPE,
    table: *mut c_void,
    size: SIZE_T,
    _number: UINT,
    _runtime: D3D12DDI_HRTTABLE,
) -> HRESULT {
    on_adapter("pfnFillDDITable", adapter, |adapter| {
        let build = adapter.build()?;
        let source = tables::table(table_type, build).ok_or_else(|| {
            Error::invalid(format!("build {} has no table {table_type:?}", build.0))
        })?;
        if table.is_null() || !table.cast::<usize>().is_aligned() {
            return Err(Error::invalid("the table is null or not aligned"));
        }
        if size == 0 || !size.is_multiple_of(size_of::<usize>()) {
            return Err(Error::invalid(format!("no table has {size} bytes")));
        }
        let slots = source.len().min(size / size_of::<usize>());
        // SAFETY: the DDI: the table has `size` bytes; it holds pointers.
        unsafe { ptr::copy_nonoverlapping(source.as_ptr(), table.cast(), slots) };
        Ok(S_OK)
    })
}
