//! The places where a defect can have a hook: functions in the tables that hosts get, and callbacks of the host.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use ddi_sys::*;
use defects::{Place, Where, given_array, places};

use crate::OpenAdapter;

/// What a call is about: a device of this build.
pub(crate) struct Device {
    build: u32,
}

pub(crate) const BUILD_109: Where<Device> = Where::new(|device| device.build == 109);
pub(crate) const BUILD_115: Where<Device> = Where::new(|device| device.build == 115);

/// The tables of the driver and the host, which are the same for every adapter and device.
static FUNCS: OnceLock<D3D12DDI_ADAPTERFUNCS> = OnceLock::new();
static QUERIES: OnceLock<D3DDDI_ADAPTERCALLBACKS> = OnceLock::new();
static CORE: OnceLock<D3D12DDI_DEVICE_FUNCS_CORE_0113> = OnceLock::new();
static LIST: OnceLock<D3D12DDI_COMMAND_LIST_FUNCS_3D_0114> = OnceLock::new();
static SHADER_CACHE: OnceLock<D3D12DDI_SHADERCACHE_FUNCS_0118> = OnceLock::new();
static FEATURES: OnceLock<D3D12DDI_EXTENDED_FEATURES_FUNCS_0096> = OnceLock::new();
static CALLBACKS: OnceLock<D3D12DDI_SHADERCACHE_CALLBACKS_0118> = OnceLock::new();

/// Calls a function of one of these tables.
macro_rules! own {
    ($table:ident.$function:ident($($argument:expr),* $(,)?)) => {{
        let table = $table.get().expect("the host has the table");
        let function = table.$function.expect("the driver has the function");
        // SAFETY: the function of the driver or the host, with the arguments of its caller.
        unsafe { function($($argument),*) }
    }};
}

places! {
    crate::LIBRARY;

    inner {
        Open -> HRESULT;
    }

    fn layer_funcs(D3D12DDI_ADAPTERFUNCS) by own(FUNCS) {
        GetSupportedVersions: pfnGetSupportedVersions(adapter: D3D12DDI_HADAPTER, count: *mut UINT, versions: *mut UINT64) -> HRESULT;
        CreateDevice: pfnCreateDevice(adapter: D3D12DDI_HADAPTER, arguments: *const D3D12DDIARG_CREATEDEVICE_0003) -> HRESULT,
            via create_device, of device_to_create;
        FillTable: pfnFillDDITable(
            adapter: D3D12DDI_HADAPTER, kind: D3D12DDI_TABLE_TYPE, table: *mut c_void, size: SIZE_T, number: UINT,
            runtime: D3D12DDI_HRTTABLE
        ) -> HRESULT, via fill_table, of last_device;
        GetCaps: pfnGetCaps(adapter: D3D12DDI_HADAPTER, arguments: *const D3D12DDIARG_GETCAPS) -> HRESULT;
    }

    fn layer_queries(D3DDDI_ADAPTERCALLBACKS) by own(QUERIES) {
        Query: pfnQueryAdapterInfoCb2(adapter: HANDLE, arguments: *mut D3DDDICB_QUERYADAPTERINFO2) -> HRESULT;
    }

    fn layer_core(D3D12DDI_DEVICE_FUNCS_CORE_0113) by own(CORE) {
        CreatePipelineState: pfnCreatePipelineState(
            device: D3D12DDI_HDEVICE, desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099, pipeline: D3D12DDI_HPIPELINESTATE,
            runtime: D3D12DDI_HRTPIPELINESTATE
        ) -> HRESULT;
        CreateHeapAndResource: pfnCreateHeapAndResource(
            device: D3D12DDI_HDEVICE, heap: *const D3D12DDIARG_CREATEHEAP_0001, heap_handle: D3D12DDI_HHEAP,
            runtime: D3D12DDI_HRTRESOURCE, resource: *const D3D12DDIARG_CREATERESOURCE_0111, clear: *const D3D12DDI_CLEAR_VALUES,
            session: D3D12DDI_HPROTECTEDRESOURCESESSION_0030, handle: D3D12DDI_HRESOURCE
        ) -> HRESULT;
        CheckAddress: pfnCheckResourceVirtualAddress(device: D3D12DDI_HDEVICE, resource: D3D12DDI_HRESOURCE)
            -> D3D12DDI_GPU_VIRTUAL_ADDRESS;
        GetStateSize: pfnGetApplicationSpecificDriverStateBlobSize(device: D3D12DDI_HDEVICE) -> UINT;
        GetState: pfnGetApplicationSpecificDriverState(device: D3D12DDI_HDEVICE, blob: *mut c_void, size: UINT) -> HRESULT;
        GetStateStatus: pfnGetApplicationSpecificDriverBlobStatus(device: D3D12DDI_HDEVICE)
            -> D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS;
        CheckIdentifier: pfnCheckDriverMatchingIdentifier(
            device: D3D12DDI_HDEVICE, kind: D3D12DDI_SERIALIZED_DATA_TYPE,
            identifier: *const D3D12DDI_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER_0054
        ) -> D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS;
        CreateMetaCommand: pfnCreateMetaCommand(
            device: D3D12DDI_HDEVICE, id: GUID, node_mask: UINT, parameters: *const c_void, size: SIZE_T,
            command: D3D12DDI_HMETACOMMAND_0052, runtime: D3D12DDI_HRTMETACOMMAND_0052
        ) -> HRESULT;
    }

    fn layer_list(D3D12DDI_COMMAND_LIST_FUNCS_3D_0114) by own(LIST) {
        ExecuteMetaCommand: pfnExecuteMetaCommand(
            list: D3D12DDI_HCOMMANDLIST, command: D3D12DDI_HMETACOMMAND_0052, parameters: *const c_void, size: SIZE_T
        );
    }

    fn layer_bypass(D3D12DDI_COMMAND_LIST_FUNCS_3D_0114) by own(LIST) {
        SetStencilRef: pfnOmSetStencilRef(list: D3D12DDI_API_HCOMMANDLIST, value: UINT);
        SetBlendFactor: pfnOmSetBlendFactor(list: D3D12DDI_API_HCOMMANDLIST, factor: *const FLOAT);
        DrawInstanced: pfnDrawInstanced(
            list: D3D12DDI_API_HCOMMANDLIST, vertices: UINT, instances: UINT, first_vertex: UINT, first_instance: UINT
        );
        SetPipelineState: pfnSetPipelineState(list: D3D12DDI_API_HCOMMANDLIST, pipeline: D3D12DDI_API_HPIPELINESTATE);
        SetComputeRoot: pfnSetComputeRootSignature(list: D3D12DDI_API_HCOMMANDLIST, signature: D3D12DDI_API_HROOTSIGNATURE);
        SetGraphicsRoot: pfnSetGraphicsRootSignature(list: D3D12DDI_API_HCOMMANDLIST, signature: D3D12DDI_API_HROOTSIGNATURE);
    }

    fn layer_shader_cache(D3D12DDI_SHADERCACHE_FUNCS_0118) by own(SHADER_CACHE) {
        GetShaderCacheCaps: pfnShaderCacheGetCaps(device: D3D12DDI_HDEVICE, arguments: *const D3D12DDIARG_SHADERCACHE_GETCAPS)
            -> HRESULT;
    }

    fn layer_features(D3D12DDI_EXTENDED_FEATURES_FUNCS_0096) by own(FEATURES) {
        SetCallbacks: pfnSetExtendedFeatureCallbacks(
            device: D3D12DDI_HDEVICE, kind: D3D12DDI_TABLE_TYPE, table: *const c_void, size: SIZE_T
        ) -> HRESULT, via set_callbacks;
    }

    fn layer_callbacks(D3D12DDI_SHADERCACHE_CALLBACKS_0118) by own(CALLBACKS) {
        GetValue: pfnShaderCacheGetValueCb(
            device: D3D12DDI_HRTDEVICE, object: D3D12DDI_HANDLE_AND_TYPE, key: *const c_void, key_len: SIZE_T,
            flags: D3D12DDI_SHADERCACHE_GET_VALUE_FLAGS, code: *mut D3D12DDI_SHADER_CACHE_VALUE,
            metadata: *mut D3D12DDI_SHADER_CACHE_VALUE, allocate: PFND3D12DDI_SHADERCACHEALLOCATIONFUNC, context: *mut c_void
        ) -> HRESULT;
    }
}

/// A call of `OpenAdapter12`.
pub(crate) struct Open {
    pub(crate) base: OpenAdapter,
    pub(crate) arguments: &'static mut D3D12DDIARG_OPENADAPTER,
}

impl Open {
    /// The adapter's table, of an adapter that was opened.
    pub(crate) fn funcs(&mut self) -> &mut D3D12DDI_ADAPTERFUNCS {
        // SAFETY: `pAdapterFuncs` points to the host's table, which lives for the call.
        unsafe { &mut *self.arguments.pAdapterFuncs }
    }
}

impl Place for Open {
    type Answer = HRESULT;

    fn pass(&mut self) -> HRESULT {
        let given = self.arguments.pAdapterCallbacks;
        // SAFETY: `pAdapterCallbacks` points to the host's table, which lives for the call.
        let mut callbacks = unsafe { *given };
        let _ = QUERIES.set(callbacks);
        layer_queries(&mut callbacks);
        self.arguments.pAdapterCallbacks = Box::leak(Box::new(callbacks));
        // SAFETY: the arguments are the caller's, but for the callbacks, which live as long as the process.
        let result = unsafe { (self.base)(self.arguments) };
        self.arguments.pAdapterCallbacks = given;
        if result.is_ok() {
            let _ = FUNCS.set(*self.funcs());
            layer_funcs(self.funcs());
        }
        result
    }
}

/// The build of the device that was created last.
static BUILD: AtomicU32 = AtomicU32::new(0);

fn create_device(call: &mut CreateDevice) -> HRESULT {
    BUILD.store(call.given().Version >> 16, Ordering::Relaxed);
    call.base()
}

#[expect(clippy::unnecessary_wraps, reason = "other places are about nothing")]
fn device_to_create(call: &CreateDevice) -> Option<Device> {
    let build = call.given().Version >> 16;
    Some(Device { build })
}

#[expect(clippy::unnecessary_wraps, reason = "other places are about nothing")]
fn last_device(_: &FillTable) -> Option<Device> {
    let build = BUILD.load(Ordering::Relaxed);
    Some(Device { build })
}

impl CreateDevice {
    /// The arguments, which for the builds of the suite are those of 0109.
    pub(crate) fn given(&self) -> D3D12DDIARG_CREATEDEVICE_0109 {
        // SAFETY: the host's structure.
        unsafe { *self.arguments.cast() }
    }

    /// The ranges to reserve.
    pub(crate) fn ranges(&self) -> &[D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE] {
        let given = self.given();
        given_array(given.pReserveRanges, given.NumReserveRanges)
    }
}

/// The oldest build whose tables get functions of this library.
const LAYERED: u32 = 113;

impl FillTable {
    /// The table, if it is one of this kind whose functions can be replaced.
    pub(crate) fn filled<T>(&mut self, kind: D3D12DDI_TABLE_TYPE) -> Option<&mut T> {
        let build = BUILD.load(Ordering::Relaxed);
        let is_it = self.kind == kind && build >= LAYERED && self.size >= size_of::<T>();
        // SAFETY: the host's table of this kind and build, which the driver has filled.
        is_it.then(|| unsafe { &mut *self.table.cast::<T>() })
    }
}

fn fill_table(call: &mut FillTable) -> HRESULT {
    let result = call.base();
    if !result.is_ok() {
        return result;
    }
    if let Some(core) = call.filled(D3D12DDI_TABLE_TYPE_DEVICE_CORE) {
        let _ = CORE.set(*core);
        layer_core(core);
    }
    if let Some(list) = call.filled(D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D) {
        let _ = LIST.set(*list);
        layer_list(list);
        if BUILD.load(Ordering::Relaxed) >= 114 {
            layer_bypass(list);
        }
    }
    if let Some(funcs) = call.filled(D3D12DDI_TABLE_TYPE_0114_SHADERCACHE_FUNCS) {
        let _ = SHADER_CACHE.set(*funcs);
        layer_shader_cache(funcs);
    }
    if let Some(features) = call.filled(D3D12DDI_TABLE_TYPE_0096_EXTENDED_FEATURES) {
        let _ = FEATURES.set(*features);
        layer_features(features);
    }
    result
}

fn set_callbacks(call: &mut SetCallbacks) -> HRESULT {
    // SAFETY: the table is that of the enabled version, which is the newest, as the suite enables no other.
    let mut callbacks = unsafe { *call.table.cast::<D3D12DDI_SHADERCACHE_CALLBACKS_0118>() };
    let _ = CALLBACKS.set(callbacks);
    layer_callbacks(&mut callbacks);
    call.table = (&raw const callbacks).cast();
    call.base()
}
