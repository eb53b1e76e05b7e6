//! Devices: a driver's device, its tables, and the shader cache that the runtime gives it.

use std::ffi::c_void;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ThreadId};
use std::{fmt, ptr};

use api_sys::{D3D12_CREATE_STATE_OBJECT_STATISTICS, D3D12_STATE_OBJECT_STATISTICS};
use bytemuck::Zeroable;
use compatibility::Driver;
use ddi_sys::{
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS, D3D12DDI_COMMAND_LIST_FUNCS_3D_0114,
    D3D12DDI_CORELAYER_DEVICECALLBACKS_0112, D3D12DDI_DEVICE_FUNCS_CORE_0109,
    D3D12DDI_DEVICE_FUNCS_CORE_0113, D3D12DDI_EXTENDED_FEATURES_FUNCS_0096,
    D3D12DDI_FEATURE_0021_SHADERCACHING, D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE, D3D12DDI_HDEVICE,
    D3D12DDI_HRTDEVICE, D3D12DDI_HRTTABLE, D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0114,
    D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0118, D3D12DDI_SHADERCACHE_FUNCS_0114,
    D3D12DDI_TABLE_TYPE_0021_SHADERCACHE_CALLBACKS, D3D12DDI_TABLE_TYPE_0096_EXTENDED_FEATURES,
    D3D12DDI_TABLE_TYPE_0114_SHADERCACHE_FUNCS, D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D,
    D3D12DDI_TABLE_TYPE_DEVICE_CORE, D3D12DDIARG_CALCPRIVATEDEVICESIZE,
    D3D12DDIARG_CREATEDEVICE_0109, D3D12DDIARG_CREATEDEVICE_0109_0,
    D3D12DDIARG_SHADERCACHE_GETCAPS, D3D12DDICAPS_TYPE_SHADERCACHE_ABI_SUPPORT,
    DXGI_ERROR_UNSUPPORTED, HRESULT, UINT, VersionNumber,
};
use parking_lot::Mutex;

use crate::Error;
use crate::adapter::{OpenAdapter, call, check};
use crate::callbacks;
use crate::object::Object;
use crate::registry::Registered;
use crate::shader_cache::{Database, Outcome, ShaderCache};

/// The DDI builds that this runtime knows: interface R8, from the first one to the last one.
pub const BUILDS: std::ops::RangeInclusive<u16> = 109..=118;

/// The 64 bits of an R8 version by its build.
pub const fn version_of(build: u16) -> u64 {
    VersionNumber::new(12, 80, build, 0).bits()
}

/// The build of an R8 version; `None` for another interface.
pub const fn build_of(version: u64) -> Option<u16> {
    match VersionNumber::from_bits(version).parts() {
        [12, 80, build, _] => Some(build),
        _ => None,
    }
}

/// How a device is created.
#[derive(Clone, Debug, Default)]
pub struct DeviceOptions {
    /// The DDI build to negotiate; the newest that both sides know where there is none.
    pub build: Option<u16>,
    /// Ranges of GPU virtual addresses that the driver reserves (from start, bytes).
    pub reserved: Vec<(u64, u64)>,
    /// Precompiled shader databases, in the order in which they answer.
    pub caches: Vec<PathBuf>,
    /// The greatest version of the shader cache feature to enable: 1, 2 or 3 [default: the driver's].
    pub shader_cache_version: Option<u32>,
}

/// What a driver told the runtime of a device.
#[derive(Debug, Default)]
pub(crate) struct Events {
    errors: Mutex<Vec<(ThreadId, HRESULT)>>,
    faults: Mutex<Vec<String>>,
    asked_descs: AtomicU64,
}

impl Events {
    pub(crate) fn set_error(&self, result: HRESULT) {
        self.errors.lock().push((thread::current().id(), result));
    }

    pub(crate) fn add_fault(&self, fault: impl Into<String>) {
        self.faults.lock().push(fault.into());
    }

    pub(crate) fn add_asked_desc(&self) {
        self.asked_descs.fetch_add(1, Ordering::Relaxed);
    }

    /// Begins a call without a result of its own.
    fn count(&self) -> usize {
        self.errors.lock().len()
    }

    /// Whether the driver has reported an error on this thread since then.
    fn check_from(&self, call: &'static str, count: usize) -> Result<(), Error> {
        let own = thread::current().id();
        let errors = self.errors.lock();
        let error = errors[count..].iter().find(|(thread, _)| *thread == own);
        error.map_or(Ok(()), |(_, result)| {
            Err(Error::Driver {
                call,
                result: *result,
            })
        })
    }
}

/// A device. Clones share it.
#[derive(Clone, Debug)]
pub struct Device(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) handle: D3D12DDI_HDEVICE,
    /// Of a build before 0113, the functions that it has.
    pub(crate) core: D3D12DDI_DEVICE_FUNCS_CORE_0113,
    /// The functions of command lists: of a driver from build 0114 on they take the API's handles.
    pub(crate) list: Box<D3D12DDI_COMMAND_LIST_FUNCS_3D_0114>,
    build: u16,
    support: Option<Driver>,
    cache: Arc<ShaderCache>,
    statistics: Mutex<D3D12_STATE_OBJECT_STATISTICS>,
    pub(crate) events: Arc<Events>,
    _registered: Registered<Events>,
    _callbacks: Box<D3D12DDI_CORELAYER_DEVICECALLBACKS_0112>,
    _object: Object,
    adapter: OpenAdapter,
}

// SAFETY: a device's functions are free-threaded; what is here is plain data or synchronized.
unsafe impl Send for Shared {}
// SAFETY: several threads may call a device's functions at once; what is here is plain data or synchronized.
unsafe impl Sync for Shared {}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("build", &self.build)
            .field("support", &self.support)
            .finish_non_exhaustive()
    }
}

impl Device {
    /// Creates a device on an adapter.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] where the driver has no version to negotiate; [`Error::Driver`], [`Error::Contract`];
    /// [`Error::Database`] for a cache that cannot be read.
    pub fn new(adapter: &OpenAdapter, options: &DeviceOptions) -> Result<Self, Error> {
        let build = negotiate(&adapter.supported_versions()?, options.build)?;
        let functions = adapter.functions();
        let (interface, version) = (0x000C_0050, UINT::from(build) << 16);
        let calculate = call(
            "pfnCalcPrivateDeviceSize",
            functions.pfnCalcPrivateDeviceSize,
        )?;
        let size = D3D12DDIARG_CALCPRIVATEDEVICESIZE {
            Interface: interface,
            Version: version,
            ..Zeroable::zeroed()
        };
        // SAFETY: the adapter is open, and the argument complete.
        let size = unsafe { calculate(adapter.handle(), &raw const size) };
        let object = Object::new("pfnCalcPrivateDeviceSize", size)?;
        let events = Arc::new(Events::default());
        let registered = Registered::new(Arc::clone(&events));
        let callbacks = Box::new(callbacks::core_layer());
        let mut ranges: Vec<_> = options
            .reserved
            .iter()
            .map(|(start, bytes)| D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE {
                StartAddress: *start,
                SizeInBytes: *bytes,
            })
            .collect();
        let handle = D3D12DDI_HDEVICE {
            pDrvPrivate: object.driver(),
        };
        let argument = D3D12DDIARG_CREATEDEVICE_0109 {
            hRTDevice: D3D12DDI_HRTDEVICE {
                handle: registered.handle(),
            },
            Interface: interface,
            Version: version,
            hDrvDevice: handle,
            pReserveRanges: if ranges.is_empty() {
                ptr::null_mut()
            } else {
                ranges.as_mut_ptr()
            },
            NumReserveRanges: UINT::try_from(ranges.len()).unwrap_or(UINT::MAX),
            Anonymous: D3D12DDIARG_CREATEDEVICE_0109_0 {
                // Builds before 112 have the same but for the last one.
                p12UMCallbacks_0062: (&raw const *callbacks).cast(),
            },
            ..Zeroable::zeroed()
        };
        let create = call("pfnCreateDevice", functions.pfnCreateDevice)?;
        // SAFETY: the build, from 0109 on, says that the structure is the later one; the private memory and the callbacks live as long as the device, and the ranges as
        // long as the call.
        check("pfnCreateDevice", unsafe {
            create(adapter.handle(), (&raw const argument).cast())
        })?;
        let mut shared = Shared {
            handle,
            core: D3D12DDI_DEVICE_FUNCS_CORE_0113::zeroed(),
            list: Box::new(Zeroable::zeroed()),
            build,
            support: None,
            cache: Arc::default(),
            statistics: Mutex::default(),
            events,
            _registered: registered,
            _callbacks: callbacks,
            _object: object,
            adapter: adapter.clone(),
        };
        // From here on dropping it destroys the device.
        shared.fill_tables(options)?;
        shared.cache = Arc::new(ShaderCache::open(&options.caches, shared.support.as_ref())?);
        let is_registered = shared.cache.databases().iter().any(Database::is_used);
        shared.statistics.lock().DefaultPSDBRegistered = is_registered.into();
        Ok(Self(Arc::new(shared)))
    }

    /// The DDI build that was negotiated.
    pub fn build(&self) -> u16 {
        self.0.build
    }

    /// What the driver reports as its ABI support; `None` for a driver that reports none.
    pub fn support(&self) -> Option<&Driver> {
        self.0.support.as_ref()
    }

    /// The shader cache.
    pub fn cache(&self) -> &Arc<ShaderCache> {
        &self.0.cache
    }

    /// The driver's handle.
    pub fn driver_handle(&self) -> D3D12DDI_HDEVICE {
        self.0.handle
    }

    /// The adapter.
    pub fn adapter(&self) -> &OpenAdapter {
        &self.0.adapter
    }

    /// The counts of `ID3D12DeviceStatistics`. "The component `default` is registered" means here: a database is used.
    pub fn statistics(&self) -> D3D12_STATE_OBJECT_STATISTICS {
        *self.0.statistics.lock()
    }

    /// The driver's application specific state: `ID3D12DeviceTools::GetApplicationSpecificDriverState`.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] with DXGI_ERROR_UNSUPPORTED for a driver before build 0113.
    pub fn driver_state(&self) -> Result<Vec<u8>, Error> {
        const CALL: &str = "pfnGetApplicationSpecificDriverState";
        const MOST: u32 = 1 << 28;
        let (device, core) = (self.0.handle, &self.0.core);
        let (Some(size), Some(get)) = (
            core.pfnGetApplicationSpecificDriverStateBlobSize,
            core.pfnGetApplicationSpecificDriverState,
        ) else {
            return Err(unsupported(CALL));
        };
        // SAFETY: the device is the driver's.
        let size = unsafe { size(device) };
        if size > MOST {
            let text = format!("a state of {size} bytes");
            return Err(Error::Contract { call: CALL, text });
        }
        let mut blob = vec![0_u8; size as usize];
        // SAFETY: the buffer has so many bytes.
        check(CALL, unsafe { get(device, blob.as_mut_ptr().cast(), size) })?;
        Ok(blob)
    }

    /// What became of the state that the driver was given: `GetApplicationSpecificDriverBlobStatus`.
    ///
    /// # Errors
    ///
    /// As for [`driver_state`](Self::driver_state).
    pub fn driver_state_status(
        &self,
    ) -> Result<D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS, Error> {
        const CALL: &str = "pfnGetApplicationSpecificDriverBlobStatus";
        let get = self.0.core.pfnGetApplicationSpecificDriverBlobStatus;
        let get = get.ok_or_else(|| unsupported(CALL))?;
        // SAFETY: the device is the driver's.
        Ok(unsafe { get(self.0.handle) })
    }

    /// The errors that the driver reported by `pfnSetErrorCb`.
    pub fn errors(&self) -> Vec<HRESULT> {
        self.0
            .events
            .errors
            .lock()
            .iter()
            .map(|(_, result)| *result)
            .collect()
    }

    /// What the driver did wrong in its calls of the runtime.
    pub fn faults(&self) -> Vec<String> {
        let faults = self.0.events.faults.lock();
        let mut faults = faults.clone();
        faults.extend(self.0.cache.faults());
        faults
    }

    /// How often the driver asked for the description of an object (`pfnShaderCacheGetDescCb`).
    pub fn asked_descs(&self) -> u64 {
        self.0.events.asked_descs.load(Ordering::Relaxed)
    }
}

/// Whose counts an object belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    PipelineState,
    StateObject,
}

impl Shared {
    fn fill_tables(&mut self, options: &DeviceOptions) -> Result<(), Error> {
        let adapter = self.adapter.clone();
        let own = D3D12DDI_HRTTABLE::zeroed();
        self.core = adapter.fill_table(
            D3D12DDI_TABLE_TYPE_DEVICE_CORE,
            core_table_size(self.build),
            0,
            own,
        )?;
        *self.list = adapter.fill_table(
            D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D,
            size_of::<D3D12DDI_COMMAND_LIST_FUNCS_3D_0114>(),
            0,
            own,
        )?;
        self.enable_shader_cache(options)
    }

    /// Enables the shader cache, if the driver has the feature.
    fn enable_shader_cache(&mut self, options: &DeviceOptions) -> Result<(), Error> {
        let features = self.adapter.fill_table(
            D3D12DDI_TABLE_TYPE_0096_EXTENDED_FEATURES,
            size_of::<D3D12DDI_EXTENDED_FEATURES_FUNCS_0096>(),
            0,
            D3D12DDI_HRTTABLE::zeroed(),
        );
        let features: D3D12DDI_EXTENDED_FEATURES_FUNCS_0096 = match features {
            Ok(features) => features,
            // A driver without features of this kind.
            Err(Error::Driver { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        let feature = D3D12DDI_FEATURE_0021_SHADERCACHING;
        let most = options.shader_cache_version.unwrap_or(3);
        let Some(version) = self
            .feature_versions(&features)?
            .into_iter()
            .filter(|version| (1..=most.min(3)).contains(version))
            .max()
        else {
            return Ok(());
        };
        let enable = call(
            "pfnEnableExtendedFeature",
            features.pfnEnableExtendedFeature,
        )?;
        // SAFETY: the device is the driver's, and has the feature.
        check("pfnEnableExtendedFeature", unsafe {
            enable(self.handle, feature, version)
        })?;
        let (table, size): (*const c_void, usize) = match version {
            1 => of(&callbacks::SHADER_CACHE_0021),
            2 => of(&callbacks::SHADER_CACHE_0114),
            _ => of(&callbacks::SHADER_CACHE_0118),
        };
        let set = call(
            "pfnSetExtendedFeatureCallbacks",
            features.pfnSetExtendedFeatureCallbacks,
        )?;
        // SAFETY: the table is a constant, of the feature's version.
        check("pfnSetExtendedFeatureCallbacks", unsafe {
            set(
                self.handle,
                D3D12DDI_TABLE_TYPE_0021_SHADERCACHE_CALLBACKS,
                table,
                size,
            )
        })?;
        if version >= 2 {
            match self.ask_support(version) {
                Ok(support) => self.support = Some(support),
                // It has the feature, and does not say what for: nothing precompiled is for it.
                Err(error) => self.events.add_fault(error.to_string()),
            }
        }
        Ok(())
    }

    fn feature_versions(
        &self,
        features: &D3D12DDI_EXTENDED_FEATURES_FUNCS_0096,
    ) -> Result<Vec<u32>, Error> {
        const MOST: u32 = 256;
        const CALL: &str = "pfnGetSupportedExtendedFeatureVersions";
        let feature = D3D12DDI_FEATURE_0021_SHADERCACHING;
        let versions = call(CALL, features.pfnGetSupportedExtendedFeatureVersions)?;
        let mut count = 0;
        // SAFETY: a question for the count, as the DDI has it.
        let result = unsafe { versions(self.handle, feature, &raw mut count, ptr::null_mut()) };
        if !result.is_ok() {
            return Ok(Vec::new());
        }
        if count > MOST {
            let text = format!("a feature has {count} versions");
            return Err(Error::Contract { call: CALL, text });
        }
        let mut array = vec![0; count as usize];
        let mut written = count;
        // SAFETY: there is room for `written` versions.
        check(CALL, unsafe {
            versions(self.handle, feature, &raw mut written, array.as_mut_ptr())
        })?;
        array.truncate(written.min(count) as usize);
        Ok(array)
    }

    /// Asks for the ABI support (ShaderCompilerPlugin.md, "Struct: D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA"); in version 2 of
    /// the feature it has no versions.
    fn ask_support(&self, version: u32) -> Result<Driver, Error> {
        const CALL: &str = "pfnShaderCacheGetCaps";
        let size = if version == 2 {
            size_of::<D3D12DDI_SHADERCACHE_FUNCS_0114>()
        } else {
            size_of::<ddi_sys::D3D12DDI_SHADERCACHE_FUNCS_0118>()
        };
        let functions: D3D12DDI_SHADERCACHE_FUNCS_0114 = self.adapter.fill_table(
            D3D12DDI_TABLE_TYPE_0114_SHADERCACHE_FUNCS,
            size,
            0,
            D3D12DDI_HRTTABLE::zeroed(),
        )?;
        if version == 2
            && let Some(application) = self.adapter.application()
            && let Some(set) = functions.pfnShaderCacheSetApplicationInfo
        {
            let desc = application.raw();
            // SAFETY: the description lives through the call.
            let _ = unsafe { set(self.handle, &raw const desc) };
        }
        let get = call(CALL, functions.pfnShaderCacheGetCaps)?;
        let ask = |data: *mut c_void, size: usize| {
            let argument = D3D12DDIARG_SHADERCACHE_GETCAPS {
                Type: D3D12DDICAPS_TYPE_SHADERCACHE_ABI_SUPPORT,
                pData: data,
                DataSize: UINT::try_from(size).unwrap_or(UINT::MAX),
                ..Zeroable::zeroed()
            };
            // SAFETY: the data is writable for its size.
            check(CALL, unsafe { get(self.handle, &raw const argument) })
        };
        let driver = if version == 2 {
            let mut data = D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0114::zeroed();
            ask((&raw mut data).cast(), size_of_val(&data))?;
            Driver {
                family: name(&data.szAdapterFamily),
                abi: data.MinimumABISupportVersion.into()..=data.MaximumABISupportVersion.into(),
                compiler: 0,
                profile: 0,
            }
        } else {
            let mut data = D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0118::zeroed();
            ask((&raw mut data).cast(), size_of_val(&data))?;
            Driver {
                family: name(&data.szAdapterFamily),
                abi: data.MinimumABISupportVersion..=data.MaximumABISupportVersion,
                compiler: data.CompilerVersion.bits(),
                profile: data.ApplicationProfileVersion.bits(),
            }
        };
        Ok(driver)
    }

    /// Makes a call whose result is an error that the driver reports.
    pub(crate) fn reported<T>(
        &self,
        call: &'static str,
        make: impl FnOnce() -> T,
    ) -> Result<T, Error> {
        let count = self.events.count();
        let made = make();
        self.events.check_from(call, count).map(|()| made)
    }

    /// Counts an object that was created.
    pub(crate) fn add(&self, kind: Kind, outcome: &Outcome) {
        let mut statistics = self.statistics.lock();
        let counts: &mut D3D12_CREATE_STATE_OBJECT_STATISTICS = match kind {
            Kind::PipelineState => &mut statistics.PipelineStateObjectStatistics,
            Kind::StateObject => &mut statistics.StateObjectStatistics,
        };
        counts.NumCreated += 1;
        counts.NumPSDBCacheMissed += u32::from(outcome.has_missed_database());
        counts.NumTotalCacheMissed += u32::from(outcome.has_missed());
        counts.NumCacheUnknown += u32::from(outcome.is_unknown());
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(destroy) = self.adapter.functions().pfnDestroyDevice {
            // SAFETY: nothing uses the device any more.
            unsafe { destroy(self.handle) };
        }
    }
}

/// The driver's build does not have a function.
fn unsupported(call: &'static str) -> Error {
    Error::Driver {
        call,
        result: DXGI_ERROR_UNSUPPORTED,
    }
}

/// A table's place and size.
fn of<T>(table: &'static T) -> (*const c_void, usize) {
    ((&raw const *table).cast(), size_of::<T>())
}

/// A name that ends with a NUL, or with the array.
fn name(units: &[u16]) -> String {
    let end = units.iter().position(|unit| *unit == 0);
    String::from_utf16_lossy(&units[..end.unwrap_or(units.len())])
}

/// The bytes of the device's table in a build.
fn core_table_size(build: u16) -> usize {
    match build {
        ..=111 => size_of::<D3D12DDI_DEVICE_FUNCS_CORE_0109>(),
        // Build 0112 adds one function.
        112 => size_of::<D3D12DDI_DEVICE_FUNCS_CORE_0109>() + size_of::<usize>(),
        113.. => size_of::<D3D12DDI_DEVICE_FUNCS_CORE_0113>(),
    }
}

/// The build to use: the wanted one, or the newest of both sides.
fn negotiate(versions: &[u64], wanted: Option<u16>) -> Result<u16, Error> {
    let builds = versions.iter().filter_map(|version| build_of(*version));
    let known = builds.filter(|build| BUILDS.contains(build));
    let newest = known
        .filter(|build| wanted.is_none_or(|wanted| wanted == *build))
        .max();
    newest.ok_or_else(|| {
        Error::Argument(match wanted {
            Some(build) => {
                format!("the driver, or this runtime, does not have DDI build {build:04}")
            }
            None => "the driver has no DDI version that this runtime has".into(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_common_build_is_chosen() {
        let versions = [version_of(109), version_of(114), version_of(200), 1 << 48];
        assert_eq!(negotiate(&versions, None).unwrap(), 114);
        assert_eq!(negotiate(&versions, Some(109)).unwrap(), 109);
        assert!(negotiate(&versions, Some(113)).is_err());
        assert!(negotiate(&versions, Some(200)).is_err());
        assert!(negotiate(&[], None).is_err());
        assert_eq!(version_of(109), 0x000C_0050_006D_0000);
    }
}
