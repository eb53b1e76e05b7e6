//! The user-mode driver under test, step by step: load it, open an adapter, create a device.
//!
//! It is called through its tables alone. As with plugins, a step that a test takes on its way says which rule it needs, and
//! the test decides nothing where that does not hold. Nothing that the driver got is taken back: the process
//! ends with the test.

pub(crate) mod list;
pub(crate) mod objects;
pub(crate) mod shader_cache;

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{mem, ptr};

use bytemuck::Zeroable;
use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Stop, failure};
use conformance_protocol::journal::Journal;
use ddi_sys::{
    D3D12DDI_ADAPTERFUNCS, D3D12DDI_CORELAYER_DEVICECALLBACKS_0112,
    D3D12DDI_CREATE_DEVICE_FLAG_NONE, D3D12DDI_DEVICE_FUNCS_CORE_0109,
    D3D12DDI_DEVICE_FUNCS_CORE_0112, D3D12DDI_DEVICE_FUNCS_CORE_0113,
    D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE, D3D12DDI_HADAPTER, D3D12DDI_HDEVICE, D3D12DDI_HRTADAPTER,
    D3D12DDI_HRTCOMMANDLIST, D3D12DDI_HRTDEVICE, D3D12DDI_HRTTABLE, D3D12DDI_TABLE_TYPE,
    D3D12DDI_TABLE_TYPE_DEVICE_CORE, D3D12DDIARG_CALCPRIVATEDEVICESIZE,
    D3D12DDIARG_CREATEDEVICE_0109, D3D12DDIARG_CREATEDEVICE_0109_0, D3D12DDIARG_GETCAPS,
    D3D12DDIARG_OPENADAPTER, D3D12DDICAPS_TYPE, D3DDDI_ADAPTERCALLBACKS,
    D3DDDI_QUERYADAPTERTYPE_APPLICATIONSPECIFICDRIVERBLOB, D3DDDI_QUERYADAPTERTYPE_DRIVERPRIVATE,
    D3DDDI_QUERYADAPTERTYPE_QUERYREGISTRY, D3DDDICB_QUERYADAPTERINFO2, D3DDDIERR_NOTAVAILABLE,
    E_INVALIDARG, E_NOT_SUFFICIENT_BUFFER, E_NOTIMPL, HANDLE, HRESULT, S_OK,
};
use plugin_host::Plugin;
use shader_cache::ShaderCache;

use crate::plugin::capabilities::NO_END;
use crate::plugin::linked_in;
use crate::runtime::{absolute, load};

/// The type of `OpenAdapter12`.
pub(crate) type OpenAdapter = unsafe extern "system" fn(*mut D3D12DDIARG_OPENADAPTER) -> HRESULT;

/// The interface of release 8, to which all builds here belong.
const R8: u32 = 0x000C_0050;

/// The oldest build that has the functions here, and the newest that they are known of.
pub(crate) const OLDEST: u32 = 109;
pub(crate) const NEWEST: u32 = 115;

/// So much private memory for one object is no size.
const LARGEST_PRIVATE: usize = 1 << 30;

/// The driver under test, its compiler plugin, and the journal of the test.
pub(crate) struct Driver<'j> {
    library: Option<PathBuf>,
    plugin: Option<PathBuf>,
    journal: &'j Journal,
}

/// What the runtime answers when the driver asks for its application-specific state.
#[derive(Clone, Debug, Default)]
pub(crate) enum State {
    /// A runtime that is older than the question.
    Unknown,
    /// It has none for the adapter.
    #[default]
    None,
    /// It has this one.
    Blob(Vec<u8>),
}

/// The runtime's side of an adapter: what it answers, what it was asked, and the errors that it was told.
#[derive(Default)]
pub(crate) struct Host {
    state: State,
    asked: Mutex<Vec<u32>>,
    errors: Mutex<Vec<HRESULT>>,
    pub(crate) shader_cache: ShaderCache,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The host of each handle. A handle of the runtime's is a number, and never followed: `KIND + 16 * (index + 1)`.
static HANDLES: Mutex<Vec<&'static Host>> = Mutex::new(Vec::new());
const ADAPTER: usize = 0x1_0001;
const DEVICE: usize = 0x1_0002;
const LIST: usize = 0x1_0003;
const OBJECT: usize = 0x1_0004;

impl Host {
    /// The sizes of the buffers that the driver has asked for its state with.
    pub(crate) fn asked(&self) -> Vec<u32> {
        lock(&self.asked).clone()
    }

    /// The errors of the device and of its command lists since the last call of this function.
    pub(crate) fn take_errors(&self) -> Vec<HRESULT> {
        mem::take(&mut *lock(&self.errors))
    }

    /// The runtime's handle of a new command list.
    pub(crate) fn list_handle(&'static self) -> *mut c_void {
        self.handle(LIST)
    }

    /// Its handle of another new object.
    pub(crate) fn object_handle(&'static self) -> *mut c_void {
        self.handle(OBJECT)
    }

    /// A new handle of a kind.
    fn handle(&'static self, kind: usize) -> *mut c_void {
        let mut handles = lock(&HANDLES);
        handles.push(self);
        ptr::without_provenance_mut(kind + 16 * handles.len())
    }

    /// The host whose handle of this kind it is.
    fn of(handle: *mut c_void, kind: usize) -> Option<&'static Self> {
        let number = handle.addr().checked_sub(kind + 16)?;
        let handles = lock(&HANDLES);
        let host = handles.get(number / 16).copied();
        host.filter(|_| number.is_multiple_of(16))
    }
}

/// Whether the driver has called what only a kernel-mode driver can answer.
static KERNEL: AtomicBool = AtomicBool::new(false);

/// Stands for every callback that reaches the kernel. Where the caller takes the arguments from the stack again, which is
/// everywhere but on 32-bit Windows, it can be called with any of them.
extern "system" fn kernel() -> HRESULT {
    KERNEL.store(true, Ordering::Relaxed);
    E_NOTIMPL
}

/// A table of such callbacks, larger than any.
static KERNEL_CALLBACKS: [Option<extern "system" fn() -> HRESULT>; 256] =
    [if cfg!(target_pointer_width = "64") {
        Some(kernel)
    } else {
        None
    }; 256];

/// An open adapter.
#[derive(Clone, Copy)]
pub(crate) struct Adapter {
    pub(crate) handle: D3D12DDI_HADAPTER,
    pub(crate) funcs: D3D12DDI_ADAPTERFUNCS,
    pub(crate) host: &'static Host,
}

/// A device of a build.
pub(crate) struct Device {
    pub(crate) adapter: Adapter,
    pub(crate) handle: D3D12DDI_HDEVICE,
    pub(crate) build: u32,
    /// What the build's table does not have is null.
    pub(crate) core: D3D12DDI_DEVICE_FUNCS_CORE_0113,
}

/// A function of the adapter, of a device or of a list's table; it is there, as a rule says.
macro_rules! slot {
    (adapter.$name:ident of $table:expr) => {
        $crate::driver::slot!($table, $name, U_OPEN_01)
    };
    (core.$name:ident of $table:expr) => {
        $crate::driver::slot!($table, $name, U_OPEN_05)
    };
    (list.$name:ident of $table:expr) => {
        $crate::driver::slot!($table, $name, U_RTBP_01)
    };
    ($table:expr, $name:ident, $rule:ident) => {
        $table.$name.ok_or_else(|| {
            let got = concat!(stringify!($name), " is null").to_owned();
            conformance_catalogue::verdict::Stop::needs_but_got(
                conformance_catalogue::rules::$rule,
                got,
            )
        })?
    };
}

pub(crate) use slot;

impl Device {
    /// Destroys the device, of which no object may be left.
    pub(crate) fn destroy(self) -> Result<(), Stop> {
        let destroy = slot!(adapter.pfnDestroyDevice of self.adapter.funcs);
        // SAFETY: a device of the driver's, which nobody uses again.
        unsafe { destroy(self.handle) };
        Ok(())
    }
}

impl<'j> Driver<'j> {
    pub(crate) fn new(
        library: Option<PathBuf>,
        plugin: Option<PathBuf>,
        journal: &'j Journal,
    ) -> Self {
        Self {
            library,
            plugin,
            journal,
        }
    }

    /// The journal of the test, in a folder for its files.
    pub(crate) fn journal(&self) -> &Journal {
        self.journal
    }

    /// Its path; none for the one that is linked in.
    pub(crate) fn library(&self) -> Option<&Path> {
        self.library.as_deref()
    }

    /// The path of its compiler plugin, where the command line has one.
    pub(crate) fn plugin_path(&self) -> Option<&Path> {
        self.plugin.as_deref()
    }

    /// Notes in the journal what comes next.
    pub(crate) fn at(&self, what: impl Into<String>) {
        self.journal.at(what);
    }

    /// Adds to what the report says of a rule that holds.
    pub(crate) fn note(&self, what: impl Into<String>) {
        self.journal.note(what);
    }

    /// Loads the library and looks its export up; why not, where it cannot be.
    pub(crate) fn load(&self) -> Result<OpenAdapter, String> {
        let Some(path) = &self.library else {
            return Ok(mock_umd::OpenAdapter12);
        };
        self.at("loading the library");
        // SAFETY: what the library does when it is loaded is tested too, in a process that exists for this test.
        let library = unsafe { load(&absolute(path)) }.map_err(|error| error.to_string())?;
        // SAFETY: in a user-mode driver the export of this name has this type.
        let export = unsafe { library.get::<OpenAdapter>(b"OpenAdapter12") }.map(|symbol| *symbol);
        mem::forget(library);
        export.map_err(|error| format!("does not export OpenAdapter12: {error}"))
    }

    /// The result of `OpenAdapter12`, and the adapter.
    pub(crate) fn try_open(&self, export: OpenAdapter, state: State) -> (HRESULT, Adapter) {
        let host: &'static Host = Box::leak(Box::new(Host {
            state,
            ..Host::default()
        }));
        let callbacks: &D3DDDI_ADAPTERCALLBACKS = Box::leak(Box::new(D3DDDI_ADAPTERCALLBACKS {
            pfnQueryAdapterInfoCb2: Some(query_adapter_info2),
            // SAFETY: each member is a function pointer, or null.
            ..unsafe { mem::transmute_copy(&KERNEL_CALLBACKS) }
        }));
        let funcs = Box::leak(Box::new(D3D12DDI_ADAPTERFUNCS::zeroed()));
        let mut arguments = D3D12DDIARG_OPENADAPTER {
            hRTAdapter: D3D12DDI_HRTADAPTER {
                handle: host.handle(ADAPTER),
            },
            hAdapter: D3D12DDI_HADAPTER {
                pDrvPrivate: ptr::null_mut(),
            },
            pAdapterCallbacks: callbacks,
            pAdapterFuncs: &raw mut *funcs,
        };
        self.at("OpenAdapter12");
        // SAFETY: the arguments are as the DDI says.
        let result = unsafe { export(&raw mut arguments) };
        let adapter = Adapter {
            handle: arguments.hAdapter,
            funcs: *funcs,
            host,
        };
        (result, adapter)
    }

    /// An adapter. Needs U-OPEN-01.
    pub(crate) fn open(&self, state: State) -> Result<Adapter, Stop> {
        let needs = |got| Stop::needs_but_got(rules::U_OPEN_01, got);
        let export = self.load().map_err(needs)?;
        let (result, adapter) = self.try_open(export, state);
        if result != S_OK || adapter.handle.pDrvPrivate.is_null() {
            let handle = adapter.handle.pDrvPrivate;
            return Err(needs(format!(
                "OpenAdapter12 returned {result}, with the handle {handle:p}"
            )));
        }
        Ok(adapter)
    }

    /// A device of the newest build that both sides know, on a new adapter; not applicable if that is older than `from`.
    /// Needs U-OPEN-03.
    pub(crate) fn device(&self, from: u32) -> Result<Device, Stop> {
        let adapter = self.open(State::None)?;
        let build = adapter.newest(from)?;
        self.device_of(adapter, build, &[])?.map_err(|result| {
            let got = format!("pfnCreateDevice returned {result} for build {build}");
            Stop::needs_but_got(rules::U_OPEN_03, got)
        })
    }

    /// The same with ranges to reserve; the driver must not refuse it because of them.
    pub(crate) fn device_with(
        &self,
        from: u32,
        ranges: &[D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE],
        what: &str,
    ) -> Result<Device, Stop> {
        self.device(from)?.destroy()?;
        let adapter = self.open(State::None)?;
        let build = adapter.newest(from)?;
        self.device_of(adapter, build, ranges)?.map_err(|result| {
            Stop::Broken(failure!(
                call: "pfnCreateDevice on a runtime with {what}",
                expected: "S_OK, as without",
                got: "returned {result}",
            ))
        })
    }

    /// A device of an adapter, or what `pfnCreateDevice` returned.
    pub(crate) fn device_of(
        &self,
        adapter: Adapter,
        build: u32,
        ranges: &[D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE],
    ) -> Result<Result<Device, HRESULT>, Stop> {
        match self.create_device(adapter, build, ranges)? {
            Ok(handle) => self.fill(adapter, handle, build).map(Ok),
            Err(result) => Ok(Err(result)),
        }
    }

    /// What the test says, unless the driver wanted what only a kernel-mode driver can do.
    pub(crate) fn verdict<T>(outcome: Result<T, Stop>) -> Result<T, Stop> {
        match outcome {
            Err(Stop::Broken(_) | Stop::Needs { .. } | Stop::NotApplicable(_))
                if KERNEL.load(Ordering::Relaxed) =>
            {
                let reason =
                    "the driver calls its kernel-mode driver, which this host does not have";
                Err(Stop::Undecided(reason.into()))
            }
            outcome => outcome,
        }
    }

    fn create_device(
        &self,
        adapter: Adapter,
        build: u32,
        ranges: &[D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE],
    ) -> Result<Result<D3D12DDI_HDEVICE, HRESULT>, Stop> {
        let calc = slot!(adapter.pfnCalcPrivateDeviceSize of adapter.funcs);
        let create = slot!(adapter.pfnCreateDevice of adapter.funcs);
        let (interface, version) = (R8, build << 16);
        let size = D3D12DDIARG_CALCPRIVATEDEVICESIZE {
            Interface: interface,
            Version: version,
            Flags: D3D12DDI_CREATE_DEVICE_FLAG_NONE,
        };
        self.at("pfnCalcPrivateDeviceSize");
        // SAFETY: the structure lives during the call.
        let size = unsafe { calc(adapter.handle, &raw const size) };
        // Builds before 112 have the same but for the last one.
        let callbacks: &D3D12DDI_CORELAYER_DEVICECALLBACKS_0112 =
            Box::leak(Box::new(D3D12DDI_CORELAYER_DEVICECALLBACKS_0112 {
                pfnSetErrorCb: Some(set_error),
                pfnSetCommandListErrorCb: Some(set_list_error),
                pfnSetCommandListDDITableCb: Some(set_list_table),
                // SAFETY: each member is a function pointer, or null.
                ..unsafe { mem::transmute_copy(&KERNEL_CALLBACKS) }
            }));
        let handle = D3D12DDI_HDEVICE {
            pDrvPrivate: private(size)?,
        };
        let arguments = D3D12DDIARG_CREATEDEVICE_0109 {
            hRTDevice: D3D12DDI_HRTDEVICE {
                handle: adapter.host.handle(DEVICE),
            },
            Interface: interface,
            Version: version,
            pKTCallbacks: ptr::from_ref(&KERNEL_CALLBACKS).cast(),
            hDrvDevice: handle,
            Anonymous: D3D12DDIARG_CREATEDEVICE_0109_0 {
                p12UMCallbacks_0062: ptr::from_ref(callbacks).cast(),
            },
            Flags: D3D12DDI_CREATE_DEVICE_FLAG_NONE,
            pReserveRanges: ranges.as_ptr().cast_mut(),
            NumReserveRanges: u32::try_from(ranges.len()).expect("a few ranges"),
        };
        self.at("pfnCreateDevice");
        // SAFETY: of these builds the structure is that of 0109, which begins with that of 0003.
        let result = unsafe { create(adapter.handle, (&raw const arguments).cast()) };
        Ok(if result == S_OK {
            Ok(handle)
        } else {
            Err(result)
        })
    }

    fn fill(&self, adapter: Adapter, handle: D3D12DDI_HDEVICE, build: u32) -> Result<Device, Stop> {
        self.at("pfnFillDDITable(DEVICE_CORE)");
        let (result, core) = adapter.table(D3D12DDI_TABLE_TYPE_DEVICE_CORE, core_size(build))?;
        if result != S_OK {
            let got = format!("pfnFillDDITable(DEVICE_CORE) returned {result}");
            return Err(Stop::needs_but_got(rules::U_OPEN_03, got));
        }
        self.at("the device's functions");
        Ok(Device {
            adapter,
            handle,
            build,
            core,
        })
    }

    /// The driver's compiler plugin: that of the command line, or of the mock driver the sample plugin.
    pub(crate) fn plugin(&self) -> Result<Plugin, Stop> {
        let unable = |error: String| Stop::Tool(format!("the plugin: {error}"));
        // SAFETY: the plugin is no subject of the test; it keeps the DDI.
        let library = unsafe {
            match (&self.plugin, &self.library) {
                (Some(path), _) => plugin_host::Library::load(path),
                (None, None) => Ok(plugin_host::Library::from_entry(linked_in::entry_point())),
                (None, Some(_)) => {
                    let reason = "the driver's compiler plugin is not known; name it with --plugin";
                    return Err(Stop::Undecided(reason.into()));
                }
            }
        };
        let library = library.map_err(|error| unable(error.to_string()))?;
        Plugin::open(&library).map_err(|error| unable(error.to_string()))
    }
}

impl Adapter {
    /// The newest build that both sides know; not applicable if that is older than `from`.
    pub(crate) fn newest(self, from: u32) -> Result<u32, Stop> {
        self.known(from)?.into_iter().max().ok_or_else(|| {
            Stop::NotApplicable(format!(
                "the driver offers no DDI build from {from} to {NEWEST}"
            ))
        })
    }

    /// The builds from `from` on that both sides know.
    pub(crate) fn known(self, from: u32) -> Result<Vec<u32>, Stop> {
        let builds = self.builds()?.into_iter();
        Ok(builds
            .filter(|build| (from..=NEWEST).contains(build))
            .collect())
    }

    /// The builds of release 8 that the driver lists. Needs U-OPEN-02.
    pub(crate) fn builds(self) -> Result<Vec<u32>, Stop> {
        let needs = |got| Stop::needs_but_got(rules::U_OPEN_02, got);
        let (result, versions) = self.versions()?;
        if result != S_OK {
            return Err(needs(format!("pfnGetSupportedVersions returned {result}")));
        }
        let of_release = versions
            .iter()
            .filter(|version| *version >> 32 == u64::from(R8));
        Ok(of_release
            .filter_map(|version| u32::try_from(version >> 16 & 0xFFFF).ok())
            .collect())
    }

    /// What `pfnGetSupportedVersions` returns for an array of the size that it asks for, and the array.
    pub(crate) fn versions(self) -> Result<(HRESULT, Vec<u64>), Stop> {
        let get = slot!(adapter.pfnGetSupportedVersions of self.funcs);
        // SAFETY: the adapter's handle; the array is null, or has the entries.
        let (result, versions) = listed(|count, array| unsafe { get(self.handle, count, array) });
        let versions = versions.map_err(|got| Stop::needs_but_got(rules::U_OPEN_02, got))?;
        Ok((result, versions))
    }

    /// Has the driver fill a table of this size, and copies it: what it has no room for is not copied, what is missing is null.
    pub(crate) fn table<T: Zeroable>(
        self,
        table_type: D3D12DDI_TABLE_TYPE,
        size: usize,
    ) -> Result<(HRESULT, T), Stop> {
        let (result, slots) = self.slots(table_type, size, 0)?;
        let mut table = T::zeroed();
        let count = size.min(size_of::<T>()) / size_of::<usize>();
        // SAFETY: tables are functions alone, which can be null; both have so many.
        unsafe { ptr::copy_nonoverlapping(slots.as_ptr(), (&raw mut table).cast(), count) };
        Ok((result, table))
    }

    /// What `pfnFillDDITable` returns for a table of this size, and the table with what lies behind it, which is `before`.
    pub(crate) fn slots(
        self,
        table_type: D3D12DDI_TABLE_TYPE,
        size: usize,
        before: usize,
    ) -> Result<(HRESULT, Box<[usize; SLOTS]>), Stop> {
        let fill = slot!(adapter.pfnFillDDITable of self.funcs);
        let no_table = D3D12DDI_HRTTABLE {
            handle: ptr::null_mut(),
        };
        let mut table = Box::new([before; SLOTS]);
        let address = table.as_mut_ptr().cast();
        // SAFETY: there is more room than the size says.
        let result = unsafe { fill(self.handle, table_type, address, size, 0, no_table) };
        Ok((result, table))
    }

    /// Asks for a capability: what it is zeroed and not a success where the driver does not know it.
    pub(crate) fn caps<T: Zeroable>(self, caps: D3D12DDICAPS_TYPE) -> Result<(HRESULT, T), Stop> {
        let get = slot!(adapter.pfnGetCaps of self.funcs);
        // What an answer that is too long would overwrite is the host's.
        let mut data = Padded::<T>::new();
        let arguments = D3D12DDIARG_GETCAPS {
            Type: caps,
            pInfo: ptr::null_mut(),
            pData: (&raw mut *data).cast(),
            DataSize: u32::try_from(size_of::<T>()).expect("a small structure"),
        };
        // SAFETY: the data has the size, and any bytes are a value of it.
        let result = unsafe { get(self.handle, &raw const arguments) };
        Ok((result, data.value))
    }
}

/// What a function with a count and an array returns, asked for the count and then for as many entries, and these; in words what
/// is wrong with the second answer.
pub(crate) fn listed<T: Copy>(
    call: impl Fn(*mut u32, *mut T) -> HRESULT,
) -> (HRESULT, Result<Vec<T>, String>) {
    const BEHIND: usize = 16;
    const { assert!(align_of::<T>() <= align_of::<u64>()) };
    let mut count = 0;
    let result = call(&raw mut count, ptr::null_mut());
    if result != S_OK || count > NO_END {
        return (result, Ok(Vec::new()));
    }
    let asked = count as usize;
    // With room behind the entries, for a driver that writes too many.
    let bytes = (asked + BEHIND) * size_of::<T>();
    let mut memory = vec![0_u64; bytes.div_ceil(size_of::<u64>())];
    let result = call(&raw mut count, memory.as_mut_ptr().cast());
    let behind = &bytemuck::cast_slice::<u64, u8>(&memory)[asked * size_of::<T>()..];
    if count as usize > asked || behind.iter().any(|byte| *byte != 0) {
        let got = format!("of {asked} entries it says {count}, or writes behind them");
        return (result, Err(got));
    }
    // SAFETY: the entries that the driver has written, at most those asked for.
    let entry = |at| unsafe { memory.as_ptr().cast::<T>().add(at).read() };
    (result, Ok((0..count as usize).map(entry).collect()))
}

/// A structure that a driver writes, with room behind it for one that writes too much.
#[repr(C)]
pub(crate) struct Padded<T> {
    pub(crate) value: T,
    behind: [u64; 64],
}

impl<T: Zeroable> Padded<T> {
    pub(crate) fn new() -> Box<Self> {
        Box::new(Self {
            value: T::zeroed(),
            behind: [0; 64],
        })
    }
}

/// More functions than any table has.
pub(crate) const SLOTS: usize = 512;

/// The size of the core table of a build.
pub(crate) const fn core_size(build: u32) -> usize {
    match build {
        ..=111 => size_of::<D3D12DDI_DEVICE_FUNCS_CORE_0109>(),
        112 => size_of::<D3D12DDI_DEVICE_FUNCS_CORE_0112>(),
        _ => size_of::<D3D12DDI_DEVICE_FUNCS_CORE_0113>(),
    }
}

/// Private memory of this size, which a size function has answered, for as long as the process lives.
pub(crate) fn private(size: usize) -> Result<*mut c_void, Stop> {
    if size > LARGEST_PRIVATE {
        let got = format!("a size function answered {size}");
        return Err(Stop::needs_but_got(rules::U_OPEN_03, got));
    }
    // 16 bytes a unit: drivers may count on that alignment.
    let memory = vec![0_u128; size.div_ceil(16).max(1)].leak();
    Ok(memory.as_mut_ptr().cast())
}

unsafe extern "system" fn query_adapter_info2(
    handle: HANDLE,
    query: *mut D3DDDICB_QUERYADAPTERINFO2,
) -> HRESULT {
    // SAFETY: null, or the driver's structure.
    let (Some(host), Some(query)) = (Host::of(handle, ADAPTER), unsafe { query.as_mut() }) else {
        return E_INVALIDARG;
    };
    match query.QueryType {
        D3DDDI_QUERYADAPTERTYPE_APPLICATIONSPECIFICDRIVERBLOB => {}
        D3DDDI_QUERYADAPTERTYPE_DRIVERPRIVATE | D3DDDI_QUERYADAPTERTYPE_QUERYREGISTRY => {
            return kernel();
        }
        _ => return E_INVALIDARG,
    }
    lock(&host.asked).push(query.PrivateDriverDataSize);
    match &host.state {
        State::Unknown => E_INVALIDARG,
        State::None => D3DDDIERR_NOTAVAILABLE,
        State::Blob(blob) => {
            let size = u32::try_from(blob.len()).expect("a small blob");
            let room = mem::replace(&mut query.PrivateDriverDataSize, size);
            if room < size || query.pPrivateDriverData.is_null() {
                return E_NOT_SUFFICIENT_BUFFER;
            }
            // SAFETY: the driver's buffer has as many bytes as it says.
            unsafe {
                ptr::copy_nonoverlapping(
                    blob.as_ptr(),
                    query.pPrivateDriverData.cast(),
                    blob.len(),
                );
            }
            S_OK
        }
    }
}

unsafe extern "system" fn set_error(device: D3D12DDI_HRTDEVICE, error: HRESULT) {
    if let Some(host) = Host::of(device.handle, DEVICE) {
        lock(&host.errors).push(error);
    }
}

unsafe extern "system" fn set_list_error(list: D3D12DDI_HRTCOMMANDLIST, error: HRESULT) {
    if let Some(host) = Host::of(list.handle, LIST) {
        lock(&host.errors).push(error);
    }
}

/// The host asks for one table only.
unsafe extern "system" fn set_list_table(_: D3D12DDI_HRTCOMMANDLIST, _: D3D12DDI_HRTTABLE) {}
