//! The device: what it holds, and its functions but for memory, descriptors and command lists.

use std::ffi::c_void;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

#[allow(clippy::wildcard_imports)] // The functions are written in the DDI's own types.
use ddi_sys::*;
use parking_lot::{Mutex, MutexGuard};

use crate::adapter::Adapter;
use crate::address_space::AddressSpace;
use crate::boundary::{self, Error, Private, Result, checked, device_slots, plain_objects, raw};
use crate::cache::{self, ShaderCache};
use crate::descriptors::DescriptorHeaps;
use crate::driver_state::{self, BlobStatus, DriverState};
use crate::features::ShaderCacheFeature;
use crate::handles::{self, DeviceId, First, Numbers, Object, Owner, PRIVATE_SIZE};
use crate::objects::RootSignature;
use crate::pipeline::PipelineState;
use crate::version::Build;
use crate::{sample, switches};

/// D3DDDI_QUERYADAPTERTYPE_APPLICATIONSPECIFICDRIVERBLOB.
const DRIVER_BLOB: D3DDDI_QUERYADAPTERTYPE = D3DDDI_QUERYADAPTERTYPE_APPLICATIONSPECIFICDRIVERBLOB;

/// A device.
pub(crate) struct Device {
    pub(crate) numbers: Numbers,
    pub(crate) adapter: Arc<Adapter>,
    pub(crate) build: Build,
    pub(crate) runtime: DeviceRuntime,
    pub(crate) addresses: Mutex<AddressSpace>,
    pub(crate) descriptors: DescriptorHeaps,
    workarounds: Mutex<Workarounds>,
    /// What became of the blob that the host has for it.
    pub(crate) blob_status: BlobStatus,
    /// Calls of ExecuteCommandLists.
    executions: AtomicU32,
    removed: Mutex<Option<HRESULT>>,
    shader_cache: Mutex<ShaderCacheFeature>,
    /// Compilers, and what they looked up and compiled.
    pub(crate) compiled: ShaderCache,
}

impl Object for Device {
    const KIND: &'static str = "device";
}

impl First for Device {}

/// What the driver does for the application.
#[derive(Clone, Copy)]
pub(crate) struct Workarounds {
    /// The blob is asked for though it says nothing: conformance tests pass it around.
    pub(crate) dummy: bool,
    /// One a bit.
    bits: u32,
}

/// The host's side of the device.
pub(crate) struct DeviceRuntime {
    pub(crate) handle: D3D12DDI_HRTDEVICE,
    set_error: PFND3D12DDI_SETERROR_CB,
    set_list_error: PFND3D12DDI_SETCOMMANDLISTERROR_CB,
}

// SAFETY: the handle is a value that the host alone reads; the DDI lets its callbacks be called from
// any thread that calls the driver.
unsafe impl Send for DeviceRuntime {}
// SAFETY: through `&DeviceRuntime` the handle is only read, as a value, and any thread that calls the driver may call the callbacks.
unsafe impl Sync for DeviceRuntime {}

/// The host's handle of a command list.
#[derive(Clone, Copy)]
pub(crate) struct ListRuntime(pub(crate) D3D12DDI_HRTCOMMANDLIST);

// SAFETY: a value that the host alone reads.
unsafe impl Send for ListRuntime {}
// SAFETY: through `&ListRuntime` the handle is only read, as a value.
unsafe impl Sync for ListRuntime {}

impl Device {
    /// Creates a device: its ranges are reserved before anything else.
    pub(crate) fn create(
        adapter: &Arc<Adapter>,
        build: Build,
        arguments: &D3D12DDIARG_CREATEDEVICE_0109,
        ranges: &[D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE],
        private: Private,
    ) -> Result<Arc<Self>> {
        let mut addresses = AddressSpace::default();
        for range in ranges {
            addresses.reserve(range.StartAddress, range.SizeInBytes);
        }
        // SAFETY: every arm of the union is a pointer to a table that begins with that of 0003.
        let callbacks = unsafe { arguments.Anonymous.p12UMCallbacks };
        // SAFETY: the DDI: it points to the host's table during the call.
        let callbacks = unsafe { boundary::input(callbacks, "p12UMCallbacks") }?;
        let settings = switches::settings()?;
        let fetched = driver_state::fetch(|buffer| adapter.runtime.query(DRIVER_BLOB, buffer));
        let (state, blob_status) = fetched.apply();
        let application = cache::application_of_host(adapter);
        let compiled = match &state {
            // The application that was captured, whichever process replays it.
            Some(state) => ShaderCache::of_state(state.application.clone(), state.profile),
            None => ShaderCache::new(application),
        };
        let own = Workarounds {
            dummy: false,
            bits: settings.workarounds,
        };
        let workarounds = state.map_or(own, |state| Workarounds {
            dummy: state.dummy,
            bits: state.workarounds,
        });
        private.create_device(|numbers| Self {
            numbers,
            adapter: Arc::clone(adapter),
            build,
            runtime: DeviceRuntime {
                handle: arguments.hRTDevice,
                set_error: callbacks.pfnSetErrorCb,
                set_list_error: callbacks.pfnSetCommandListErrorCb,
            },
            addresses: Mutex::new(addresses),
            descriptors: DescriptorHeaps::default(),
            workarounds: Mutex::new(workarounds),
            blob_status,
            executions: AtomicU32::new(0),
            removed: Mutex::new(None),
            shader_cache: Mutex::default(),
            compiled,
        })
    }

    pub(crate) fn id(&self) -> DeviceId {
        self.numbers.device
    }

    /// Looks up the objects of a call that begins with this device, or with an object of it.
    pub(crate) fn owner(&self) -> Owner {
        Owner::of(self.id())
    }

    /// Takes the handles of all objects that the host has not destroyed.
    pub(crate) fn destroyed(&self) {
        handles::remove_of_device(self.id());
    }

    /// Tells the host that a call without a result has failed.
    pub(crate) fn report(&self, result: HRESULT) {
        if let Some(set_error) = self.runtime.set_error {
            // SAFETY: the callback of this handle's host.
            unsafe { set_error(self.runtime.handle, result) };
        }
    }

    /// Tells the host that a command list cannot be used.
    pub(crate) fn report_list(&self, list: ListRuntime, result: HRESULT) {
        if let Some(set_error) = self.runtime.set_list_error {
            // SAFETY: the callback of this handle's host.
            unsafe { set_error(list.0, result) };
        }
    }

    /// # Errors
    ///
    /// The device is removed.
    pub(crate) fn check_removed(&self) -> Result<()> {
        let removed = *self.removed.lock();
        removed.map_or(Ok(()), |result| {
            Err(Error::new(result, "the device is removed"))
        })
    }

    /// Counts a call of ExecuteCommandLists, which `MOCK_UMD_REMOVED` may have said to remove the device.
    ///
    /// # Errors
    ///
    /// The device is removed.
    pub(crate) fn execute(&self) -> Result<()> {
        let number = self.executions.fetch_add(1, Ordering::Relaxed) + 1;
        if switches::settings()?.removed.map(NonZeroU32::get) == Some(number) {
            *self.removed.lock() = Some(DXGI_ERROR_DEVICE_REMOVED);
        }
        self.check_removed()
    }

    /// The shader cache feature, as the host has set it.
    pub(crate) fn shader_cache(&self) -> MutexGuard<'_, ShaderCacheFeature> {
        self.shader_cache.lock()
    }

    pub(crate) fn workarounds(&self) -> MutexGuard<'_, Workarounds> {
        self.workarounds.lock()
    }

    /// The application-specific state, if there is something to say.
    pub(crate) fn blob(&self) -> Option<Vec<u8>> {
        let workarounds = *self.workarounds();
        let state = DriverState {
            dummy: workarounds.dummy,
            workarounds: workarounds.bits,
            profile: self.compiled.support(self.adapter.family).ok()?.profile,
            application: self.compiled.application(),
        };
        state.blob()
    }
}

plain_objects! {
    Fence = "fence";
    QueryHeap = "query heap";
    CommandSignature = "command signature";
    PipelineLibrary = "pipeline library";
    SchedulingGroup = "scheduling group";
}

device_slots! {
    check_format_support = "pfnCheckFormatSupport"(device, value format: DXGI_FORMAT, output support: UINT) {
        let target = sample::target(device.adapter.family)?;
        *support = sample::plugin()
            .check_format_support(target, format)
            .map_err(|error| Error::invalid(error.to_string()))?;
    }

    check_multisample_quality_levels = "pfnCheckMultisampleQualityLevels"(
        device,
        value format: DXGI_FORMAT,
        value sample_count: UINT,
        value _flags: D3D12DDI_MULTISAMPLE_QUALITY_LEVEL_FLAGS,
        output levels: UINT,
    ) {
        let target = sample::target(device.adapter.family)?;
        // The plugin is asked for each level; the driver answers how many there are.
        let supported = |level| {
            sample::plugin()
                .check_multisample_quality_levels(target, format, sample_count, level)
                .unwrap_or(false)
        };
        *levels = (0..32).find(|level| !supported(*level)).unwrap_or(32);
    }

    calc_private_fence_size = "pfnCalcPrivateFenceSize"(_device, value _desc: *const D3D12DDIARG_CREATE_FENCE) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_fence = "pfnCreateFence"(
        device, private fence: D3D12DDI_HFENCE, value desc: *const D3D12DDIARG_CREATE_FENCE,
    ) -> HRESULT {
        if desc.is_null() {
            return Err(Error::invalid("the argument is null"));
        }
        fence.create(device, || Ok(Fence))?;
        S_OK
    }

    calc_private_fence_size_0112 = "pfnCalcPrivateFenceSize"(
        _device, value _desc: *const D3D12DDIARG_CREATE_FENCE_0112,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_fence_0112 = "pfnCreateFence"(
        device, private fence: D3D12DDI_HFENCE, input desc: D3D12DDIARG_CREATE_FENCE_0112,
    ) -> HRESULT {
        if desc.FenceType != D3D12DDI_FENCE_TYPE_MONITORED {
            return Err(Error::invalid(format!("{:?} is not supported", desc.FenceType)));
        }
        fence.create(device, || Ok(Fence))?;
        S_OK
    }

    destroy_fence = "pfnDestroyFence"(device, value fence: D3D12DDI_HFENCE) {
        device.owner().remove::<Fence>(fence.pDrvPrivate)?;
    }

    calc_private_query_heap_size = "pfnCalcPrivateQueryHeapSize"(
        _device, value _desc: *const D3D12DDIARG_CREATE_QUERY_HEAP_0001,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_query_heap = "pfnCreateQueryHeap"(
        device, input desc: D3D12DDIARG_CREATE_QUERY_HEAP_0001, private heap: D3D12DDI_HQUERYHEAP,
    ) -> HRESULT {
        if desc.Count == 0 {
            return Err(Error::invalid("a query heap of 0 queries"));
        }
        heap.create(device, || Ok(QueryHeap))?;
        S_OK
    }

    destroy_query_heap = "pfnDestroyQueryHeap"(device, value heap: D3D12DDI_HQUERYHEAP) {
        device.owner().remove::<QueryHeap>(heap.pDrvPrivate)?;
    }

    calc_private_command_signature_size = "pfnCalcPrivateCommandSignatureSize"(
        _device, value _desc: *const D3D12DDIARG_CREATE_COMMAND_SIGNATURE_0001,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_command_signature = "pfnCreateCommandSignature"(
        device,
        input desc: D3D12DDIARG_CREATE_COMMAND_SIGNATURE_0001,
        private signature: D3D12DDI_HCOMMANDSIGNATURE,
    ) -> HRESULT {
        if desc.NumArgumentDescs == 0 || desc.pArgumentDescs.is_null() {
            return Err(Error::invalid("a command signature without arguments"));
        }
        device.owner().optional::<RootSignature>(desc.hRootSignature.pDrvPrivate)?;
        signature.create(device, || Ok(CommandSignature))?;
        S_OK
    }

    destroy_command_signature = "pfnDestroyCommandSignature"(device, value signature: D3D12DDI_HCOMMANDSIGNATURE) {
        device.owner().remove::<CommandSignature>(signature.pDrvPrivate)?;
    }

    calc_private_scheduling_group_size = "pfnCalcPrivateSchedulingGroupSize"(
        _device, value _desc: *const D3D12DDIARG_CREATESCHEDULINGGROUP_0050,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    create_scheduling_group = "pfnCreateSchedulingGroup"(
        device,
        input _desc: D3D12DDIARG_CREATESCHEDULINGGROUP_0050,
        private group: D3D12DDI_HSCHEDULINGGROUP_0050,
        value _runtime: D3D12DDI_HRTSCHEDULINGGROUP_0050,
    ) -> HRESULT {
        group.create(device, || Ok(SchedulingGroup))?;
        S_OK
    }

    destroy_scheduling_group = "pfnDestroySchedulingGroup"(device, value group: D3D12DDI_HSCHEDULINGGROUP_0050) {
        device.owner().remove::<SchedulingGroup>(group.pDrvPrivate)?;
    }

    calc_private_pipeline_library_size = "pfnCalcPrivatePipelineLibrarySize"(
        _device, value _desc: *const D3D12DDIARG_CREATE_PIPELINE_LIBRARY_0010,
    ) -> SIZE_T {
        PRIVATE_SIZE
    }

    // Not simulated: a library is always empty, because the PSDB is where pipelines are kept.
    create_pipeline_library = "pfnCreatePipelineLibrary"(
        device,
        input desc: D3D12DDIARG_CREATE_PIPELINE_LIBRARY_0010,
        private library: D3D12DDI_HPIPELINELIBRARY,
    ) -> HRESULT {
        if desc.InitialDataSize != 0 {
            return Err(Error::invalid("no driver of this vendor serialized a library"));
        }
        library.create(device, || Ok(PipelineLibrary))?;
        S_OK
    }

    destroy_pipeline_library = "pfnDestroyPipelineLibrary"(device, value library: D3D12DDI_HPIPELINELIBRARY) {
        device.owner().remove::<PipelineLibrary>(library.pDrvPrivate)?;
    }

    add_pipeline_state_to_library = "pfnAddPipelineStateToLibrary"(
        device,
        value library: D3D12DDI_HPIPELINELIBRARY,
        value pipeline: D3D12DDI_HPIPELINESTATE,
        value _index: UINT,
    ) -> HRESULT {
        device.owner().get::<PipelineLibrary>(library.pDrvPrivate)?;
        device.owner().get::<PipelineState>(pipeline.pDrvPrivate)?;
        S_OK
    }

    calc_serialized_library_size = "pfnCalcSerializedLibrarySize"(device, value library: D3D12DDI_HPIPELINELIBRARY) -> SIZE_T {
        device.owner().get::<PipelineLibrary>(library.pDrvPrivate)?;
        0
    }

    serialize_library = "pfnSerializeLibrary"(
        device, value library: D3D12DDI_HPIPELINELIBRARY, pointer _blob: c_void,
    ) -> HRESULT {
        device.owner().get::<PipelineLibrary>(library.pDrvPrivate)?;
        S_OK
    }

    get_implicit_physical_adapter_mask = "pfnGetImplicitPhysicalAdapterMask"(_device) -> UINT {
        1
    }

    get_present_private_driver_data_size = "pfnGetPresentPrivateDriverDataSize"(
        _device, value _desc: *const D3D12DDIARG_PRESENT_0001,
    ) -> UINT {
        0
    }

    query_node_map = "pfnQueryNodeMap"(_device, value count: UINT, pointer map: UINT) {
        // One node: every adapter is it.
        // SAFETY: the DDI: the map has as many entries as the host says.
        let checked = unsafe { boundary::array(map.cast_const(), count, "pMap") }?;
        for index in 0..checked.len() {
            // SAFETY: `index` is below the number of entries that the map has.
            unsafe { map.add(index).write(0) };
        }
    }

    set_background_processing_mode = "pfnSetBackgroundProcessingMode"(
        _device,
        value _mode: D3D12DDI_BACKGROUND_PROCESSING_MODE_0062,
        value _action: D3D12DDI_MEASUREMENTS_ACTION_0062,
        pointer further: BOOL,
    ) {
        if !further.is_null() && further.is_aligned() {
            // SAFETY: the DDI: it points to the answer, unless it is null.
            unsafe { further.write(FALSE) };
        }
    }

    implicit_shader_cache_control = "pfnImplicitShaderCacheControl"(
        _device, value flags: D3D12DDI_IMPLICIT_SHADER_CACHE_CONTROL_FLAGS_0080,
    ) -> HRESULT {
        // The driver has no cache beside the host's.
        if flags.0 & !7 != 0 {
            return Err(Error::invalid(format!("{flags:?}")));
        }
        S_OK
    }

    check_driver_matching_identifier = "pfnCheckDriverMatchingIdentifier"(
        _device,
        value data_type: D3D12DDI_SERIALIZED_DATA_TYPE,
        input identifier: D3D12DDI_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER_0054,
    ) -> D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS {
        let mut bytes = [0; driver_state::IDENTIFIER_SIZE];
        let guid = identifier.DriverOpaqueGUID;
        bytes[..4].copy_from_slice(&guid.Data1.to_le_bytes());
        bytes[4..6].copy_from_slice(&guid.Data2.to_le_bytes());
        bytes[6..8].copy_from_slice(&guid.Data3.to_le_bytes());
        bytes[8..16].copy_from_slice(&guid.Data4);
        bytes[16..].copy_from_slice(&identifier.DriverOpaqueVersioningData);
        D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS(driver_state::check(data_type.0, &bytes) as i32)
    }

    get_application_specific_driver_state_blob_size = "pfnGetApplicationSpecificDriverStateBlobSize"(device) -> UINT {
        let blob = device.blob().unwrap_or_default();
        UINT::try_from(blob.len()).unwrap_or(UINT::MAX)
    }

    get_application_specific_driver_state = "pfnGetApplicationSpecificDriverState"(
        device, pointer blob: c_void, value size: UINT,
    ) -> HRESULT {
        let bytes = device.blob().unwrap_or_default();
        if usize::try_from(size).is_ok_and(|size| size < bytes.len()) {
            let message = format!("the blob has {} bytes; there is room for {size}", bytes.len());
            return Err(Error::new(E_NOT_SUFFICIENT_BUFFER, message));
        }
        if bytes.is_empty() {
            return Ok(S_OK);
        }
        if blob.is_null() {
            return Err(Error::invalid("pApplicationSpecificDriverBlob is null"));
        }
        // SAFETY: the DDI: the blob has the size that the host says.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), blob.cast(), bytes.len()) };
        S_OK
    }

    get_application_specific_driver_blob_status = "pfnGetApplicationSpecificDriverBlobStatus"(
        device,
    ) -> D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS {
        D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS(device.blob_status as i32)
    }

    get_raytracing_prebuild_info = "pfnGetRaytracingAccelerationStructurePrebuildInfo"(
        _device,
        input _inputs: D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054,
        output info: D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO_0054,
    ) {
        // Not simulated: nothing is ever built; these are sizes that a host can allocate.
        info.ResultDataMaxSizeInBytes = 64 * 1024;
        info.ScratchDataSizeInBytes = 64 * 1024;
        info.UpdateScratchDataSizeInBytes = 64 * 1024;
    }
}
