//! Pipelines and state objects: what one device stores in the runtime's shader cache, another finds.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use compiler_runtime::desc::state_object::{Collection, StateObject};
use ddi_sys::*;
use mock_umd::inspect::{self, LoadedValue, Statistics};
use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use runtime_test_support::corpus::{self, covering, serialized};
use runtime_test_support::state_object::{
    ADDITIONS, COLLECTION, Description, EXECUTABLE, RAYTRACING, global, local, root_signature,
};
use runtime_test_support::stream::StreamBuilder;

use crate::host::{Adapter, Device, Runtime};

/// Switches are the process's: who sets one is alone.
static SWITCHES: RwLock<()> = RwLock::new(());

fn as_is() -> RwLockReadGuard<'static, ()> {
    SWITCHES.read()
}

/// Sets switches until it is dropped.
struct Switched<'a>(
    &'a [(&'static str, &'static str)],
    #[allow(dead_code)] RwLockWriteGuard<'static, ()>,
);

impl<'a> Switched<'a> {
    fn new(switches: &'a [(&'static str, &'static str)]) -> Self {
        Self(switches, SWITCHES.write())
    }

    fn on(&self) {
        for (name, value) in self.0 {
            inspect::set(name, value).unwrap();
        }
    }

    fn off(&self) {
        for (name, _) in self.0 {
            inspect::set(name, "").unwrap();
        }
    }
}

impl Drop for Switched<'_> {
    fn drop(&mut self) {
        self.off();
    }
}

/// The caches of devices, by the runtime's handle of the device.
static CACHES: LazyLock<Mutex<HashMap<usize, Arc<Cache>>>> = LazyLock::new(Mutex::default);

/// The runtime's cache, and what it does wrong.
#[derive(Default)]
struct Cache {
    values: Mutex<HashMap<Vec<u8>, [Vec<u8>; 2]>>,
    fault: Mutex<Fault>,
    finds: AtomicU32,
    expected_misses: AtomicU32,
    descriptions: AtomicU32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fault {
    #[default]
    None,
    Find(HRESULT),
    Store(HRESULT),
    /// S_OK, and nothing written.
    FindNothing,
    /// A size without the memory for it.
    FindDangling,
    /// Memory that the driver did not allocate.
    FindForeign,
    /// As much memory as there is not.
    FindHuge,
    /// Memory of another size than is said.
    FindOtherSize,
    /// Object code alone.
    FindNoMetadata,
}

const FOREIGN: [u8; 64] = [0xEE; 64];

impl Cache {
    fn len(&self) -> usize {
        self.values.lock().len()
    }

    fn set(&self, fault: Fault) {
        *self.fault.lock() = fault;
    }

    /// Changes which value each key has, in the order of the keys.
    fn mix(&self, mix: impl Fn(&mut [[Vec<u8>; 2]])) {
        let mut values = self.values.lock();
        let mut sorted: Vec<_> = values.drain().collect();
        sorted.sort();
        let (keys, mut mixed): (Vec<_>, Vec<_>) = sorted.into_iter().unzip();
        mix(&mut mixed);
        values.extend(keys.into_iter().zip(mixed));
    }

    /// Changes every value.
    fn change(&self, change: impl Fn(&mut [Vec<u8>; 2])) {
        self.values.lock().values_mut().for_each(change);
    }
}

/// The cache of a device, by the runtime's handle.
fn of(device: D3D12DDI_HRTDEVICE) -> Arc<Cache> {
    CACHES.lock()[&device.handle.addr()].clone()
}

unsafe fn bytes(at: *const c_void, len: usize) -> Vec<u8> {
    // SAFETY: the driver passes as many bytes.
    unsafe { std::slice::from_raw_parts(at.cast(), len) }.to_vec()
}

unsafe extern "system" fn get(
    device: D3D12DDI_HRTDEVICE,
    object: D3D12DDI_HANDLE_AND_TYPE,
    key: *const c_void,
    key_len: usize,
    flags: D3D12DDI_SHADERCACHE_GET_VALUE_FLAGS,
    code: *mut D3D12DDI_SHADER_CACHE_VALUE,
    metadata: *mut D3D12DDI_SHADER_CACHE_VALUE,
    allocate: PFND3D12DDI_SHADERCACHEALLOCATIONFUNC,
    context: *mut c_void,
) -> HRESULT {
    // SAFETY: the arguments are the driver's.
    unsafe {
        let cache = of(device);
        assert!([D3D12DDI_HT_PIPELINE_STATE, D3D12DDI_HT_0054_STATE_OBJECT].contains(&object.Type));
        cache.finds.fetch_add(1, Ordering::Relaxed);
        if flags == D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_0118_PSDB_MISS_EXPECTED {
            cache.expected_misses.fetch_add(1, Ordering::Relaxed);
        }
        let fault = *cache.fault.lock();
        if let Fault::Find(result) = fault {
            return result;
        }
        let found = cache.values.lock().get(&bytes(key, key_len)).cloned();
        let Some([found_code, found_metadata]) = found else {
            return DXGI_ERROR_NOT_FOUND;
        };
        for (place, value) in [(code, found_code), (metadata, found_metadata)] {
            let size = match fault {
                Fault::FindNothing => return S_OK,
                Fault::FindHuge => usize::MAX / 2,
                Fault::FindNoMetadata if ptr::eq(place, metadata) => {
                    (*place).ValueSize = 0;
                    continue;
                }
                _ => value.len(),
            };
            let buffer = allocate.unwrap()(size, context);
            (*place).pValue = match fault {
                Fault::FindDangling => ptr::null_mut(),
                Fault::FindForeign => FOREIGN.as_ptr().cast_mut().cast(),
                _ => buffer,
            };
            (*place).ValueSize = size;
            if buffer.is_null() {
                return E_OUTOFMEMORY;
            }
            ptr::copy_nonoverlapping(value.as_ptr(), buffer.cast(), value.len());
            if fault == Fault::FindOtherSize {
                (*place).ValueSize = size + 1;
            }
        }
        S_OK
    }
}

unsafe extern "system" fn store(
    device: D3D12DDI_HRTDEVICE,
    _: D3D12DDI_HANDLE_AND_TYPE,
    key: *const c_void,
    key_len: usize,
    code: *const D3D12DDI_SHADER_CACHE_VALUE,
    metadata: *const D3D12DDI_SHADER_CACHE_VALUE,
) -> HRESULT {
    // SAFETY: the arguments are the driver's.
    unsafe {
        let cache = of(device);
        if let Fault::Store(result) = *cache.fault.lock() {
            return result;
        }
        let values = [*code, *metadata].map(|value| bytes(value.pValue, value.ValueSize));
        let mut stored = cache.values.lock();
        if stored.insert(bytes(key, key_len), values).is_some() {
            return DXGI_ERROR_ALREADY_EXISTS;
        }
        S_OK
    }
}

unsafe extern "system" fn get_desc(
    device: D3D12DDI_HRTDEVICE,
    _: D3D12DDI_HRTSTATEOBJECT_0054,
    _: *mut D3D12DDIARG_CREATE_STATE_OBJECT_0054,
) -> HRESULT {
    of(device).descriptions.fetch_add(1, Ordering::Relaxed);
    E_FAIL
}

unsafe extern "system" fn unused(
    _: D3D12DDI_HRTDEVICE,
    _: D3D12DDI_HANDLE_AND_TYPE,
    _: *const c_void,
    _: usize,
    _: D3D12DDI_SHADERCACHE_UNUSED_VALUE_FLAGS,
) -> HRESULT {
    S_OK
}

unsafe extern "system" fn get_0021(
    device: D3D12DDI_HRTDEVICE,
    _: D3D12DDI_HRTPIPELINESTATE,
    _: *const D3D12DDI_SHADERCACHE_HASH,
    key: *const c_void,
    key_len: usize,
    value: *mut c_void,
    size: *mut usize,
) -> HRESULT {
    // SAFETY: the arguments are the driver's.
    unsafe {
        let cache = of(device);
        cache.finds.fetch_add(1, Ordering::Relaxed);
        if let Fault::Find(result) = *cache.fault.lock() {
            return result;
        }
        let values = cache.values.lock();
        let Some([found, _]) = values.get(&bytes(key, key_len)) else {
            return DXGI_ERROR_NOT_FOUND;
        };
        if *size < found.len() {
            *size = found.len();
            return if value.is_null() {
                S_OK
            } else {
                DXGI_ERROR_MORE_DATA
            };
        }
        ptr::copy_nonoverlapping(found.as_ptr(), value.cast(), found.len());
        *size = found.len();
        S_OK
    }
}

unsafe extern "system" fn store_0021(
    device: D3D12DDI_HRTDEVICE,
    _: D3D12DDI_HRTPIPELINESTATE,
    _: *const D3D12DDI_SHADERCACHE_HASH,
    key: *const c_void,
    key_len: usize,
    value: *const c_void,
    size: usize,
) -> HRESULT {
    // SAFETY: the arguments are the driver's.
    unsafe {
        let cache = of(device);
        let mut values = cache.values.lock();
        values.insert(bytes(key, key_len), [bytes(value, size), Vec::new()]);
    }
    S_OK
}

/// A device whose runtime has a shader cache, of a version of the feature.
fn device(cache: &Arc<Cache>, version: u32) -> Device {
    with_cache(Device::new(115), cache, version)
}

/// Gives a device a shader cache.
fn with_cache(device: Device, cache: &Arc<Cache>, version: u32) -> Device {
    let runtime = (&raw const *device.adapter.runtime).addr();
    CACHES.lock().insert(runtime, cache.clone());
    let v0021 = D3D12DDI_SHADERCACHE_CALLBACKS_0021 {
        pfnShaderCacheGetValueCb: Some(get_0021),
        pfnShaderCacheStoreValueCb: Some(store_0021),
    };
    let v0114 = D3D12DDI_SHADERCACHE_CALLBACKS_0114 {
        pfnShaderCacheGetValueCb: Some(get),
        pfnShaderCacheStoreValueCb: Some(store),
        pfnShaderCacheGetDescCb: Some(get_desc),
    };
    let v0118 = D3D12DDI_SHADERCACHE_CALLBACKS_0118 {
        pfnShaderCacheGetValueCb: Some(get),
        pfnShaderCacheStoreValueCb: Some(store),
        pfnShaderCacheUnusedValueCb: Some(unused),
    };
    let (table, size): (*const c_void, usize) = match version {
        1 => (ptr::from_ref(&v0021).cast(), size_of_val(&v0021)),
        2 => (ptr::from_ref(&v0114).cast(), size_of_val(&v0114)),
        _ => (ptr::from_ref(&v0118).cast(), size_of_val(&v0118)),
    };
    let funcs: D3D12DDI_EXTENDED_FEATURES_FUNCS_0096 =
        table_of(&device, D3D12DDI_TABLE_TYPE_0096_EXTENDED_FEATURES);
    // SAFETY: the device is alive, and the table that of the version.
    unsafe {
        let feature = D3D12DDI_FEATURE_0021_SHADERCACHING;
        assert_eq!(
            funcs.pfnEnableExtendedFeature.unwrap()(device.handle, feature, version),
            S_OK
        );
        let kind = D3D12DDI_TABLE_TYPE_0021_SHADERCACHE_CALLBACKS;
        let set = funcs.pfnSetExtendedFeatureCallbacks.unwrap();
        assert_eq!(set(device.handle, kind, table, size), S_OK);
    }
    device
}

/// A table of the driver.
fn table_of<T: Copy>(device: &Device, table_type: D3D12DDI_TABLE_TYPE) -> T {
    let mut table = std::mem::MaybeUninit::<T>::zeroed();
    let adapter = &device.adapter;
    // SAFETY: the table has the size, and is function pointers, which may be null.
    unsafe {
        let result = adapter.funcs.pfnFillDDITable.unwrap()(
            adapter.handle,
            table_type,
            table.as_mut_ptr().cast(),
            size_of::<T>(),
            0,
            D3D12DDI_HRTTABLE {
                handle: ptr::null_mut(),
            },
        );
        assert_eq!(result, S_OK);
        table.assume_init()
    }
}

/// What threads share of a device.
#[derive(Clone, Copy)]
struct Slots {
    device: D3D12DDI_HDEVICE,
    core: D3D12DDI_DEVICE_FUNCS_CORE_0113,
}

// SAFETY: the DDI lets any thread call the driver.
unsafe impl Send for Slots {}
// SAFETY: through a shared reference the pointers are only copied.
unsafe impl Sync for Slots {}

fn slots(device: &Device) -> Slots {
    Slots {
        device: device.handle,
        core: device.core,
    }
}

fn statistics(device: &Device) -> Statistics {
    inspect::shader_cache(device.handle.pDrvPrivate).unwrap()
}

/// Private memory, which stays: handles are never used again for another object.
fn private() -> *mut c_void {
    ptr::from_mut(Box::leak(Box::new([0_u64; 8]))).cast()
}

/// Writes over what a runtime has freed.
///
/// # Safety
///
/// `at` is to a `T` that nothing uses any more.
unsafe fn overwrite<T>(at: *mut c_void) {
    // SAFETY: `at` is to a `T` that nothing uses any more (`# Safety`).
    unsafe { ptr::write_bytes(at.cast::<u8>(), 0xDD, size_of::<T>()) };
}

/// Creates the driver's objects of a translated pipeline, and gives the runtime's arguments: with the driver's
/// handles. What the handles stood for is overwritten.
fn realize(
    slots: &Slots,
    of_plugin: &D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
) -> D3D12DDIARG_CREATE_PIPELINE_STATE_0099 {
    let (device, core) = (slots.device, &slots.core);
    let mut arguments = *of_plugin;
    // SAFETY: in the plugin DDI's form, the handles point at create arguments; the driver's private memory is large enough.
    unsafe {
        let root = arguments.hRootSignature.pDrvPrivate;
        let handle = D3D12DDI_HROOTSIGNATURE {
            pDrvPrivate: private(),
        };
        assert_eq!(
            core.pfnCreateRootSignature.unwrap()(device, root.cast(), handle),
            S_OK
        );
        arguments.hRootSignature = handle;
        for (create, handle) in [
            (core.pfnCreateComputeShader, &mut arguments.hComputeShader),
            (core.pfnCreateVertexShader, &mut arguments.hVertexShader),
            (core.pfnCreatePixelShader, &mut arguments.hPixelShader),
            (core.pfnCreateDomainShader, &mut arguments.hDomainShader),
            (core.pfnCreateHullShader, &mut arguments.hHullShader),
            (core.pfnCreateMeshShader, &mut arguments.hMeshShader),
            (
                core.pfnCreateAmplificationShader,
                &mut arguments.hAmplificationShader,
            ),
        ] {
            let original = handle.pDrvPrivate;
            if original.is_null() {
                continue;
            }
            let shader: *mut D3D12DDIARG_CREATE_SHADER_0026 = original.cast();
            (*shader).hRootSignature = arguments.hRootSignature;
            handle.pDrvPrivate = private();
            create.unwrap()(device, shader, *handle);
            overwrite::<D3D12DDIARG_CREATE_SHADER_0026>(original);
        }
        let original = arguments.hGeometryShader.pDrvPrivate;
        if !original.is_null() {
            let shader: *mut D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026 =
                original.cast();
            (*shader).CreateShader.hRootSignature = arguments.hRootSignature;
            arguments.hGeometryShader.pDrvPrivate = private();
            let create = core.pfnCreateGeometryShaderWithStreamOutput.unwrap();
            create(device, shader, arguments.hGeometryShader);
            overwrite::<D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026>(original);
        }
        overwrite::<D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100>(root);
        macro_rules! states {
            ($($member:ident: $create:ident($arguments:ident),)*) => {$(
                let original = arguments.$member.pDrvPrivate;
                if !original.is_null() {
                    arguments.$member.pDrvPrivate = private();
                    core.$create.unwrap()(device, original.cast(), arguments.$member);
                    overwrite::<$arguments>(original);
                }
            )*};
        }
        states! {
            hBlendState: pfnCreateBlendState(D3D12DDI_BLEND_DESC_0010),
            hRasterizerState: pfnCreateRasterizerState(D3D12DDI_RASTERIZER_DESC_0102),
            hDepthStencilState: pfnCreateDepthStencilState(D3D12DDI_DEPTH_STENCIL_DESC_0095),
            hElementLayout: pfnCreateElementLayout(D3D12DDIARG_CREATEELEMENTLAYOUT_0010),
        }
    }
    arguments
}

/// Shaders of one pipeline each.
const PIPELINES: &[&[&str]] = &[
    &["forward_plain_vs"],
    &["forward_lit_tex_vs", "forward_lit_tex_ps"],
    &["multiview_vs"],
    &["tess_tri_vs", "layers_gs"],
    &["tess_tri_vs", "tess_tri_hs", "tess_tri_ds"],
    &["spec_vertex_vs"],
    &["spec_stages_vs", "spec_stages_ps"],
    &[
        "spec_stages_vs",
        "spec_stages_hs",
        "spec_stages_ds",
        "spec_stages_gs",
    ],
    &["spec_stages_as", "spec_stages_ms"],
    &["meshlet_as", "meshlet_ms", "meshlet_ps"],
];

fn stage_of(name: &str) -> i32 {
    use api_sys as api;
    match name.rsplit('_').next() {
        Some("as") => api::D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_AS,
        Some("ms") => api::D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MS,
        Some("vs") => api::D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS,
        Some("hs") => api::D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_HS,
        Some("ds") => api::D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DS,
        Some("gs") => api::D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_GS,
        Some("ps") => api::D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS,
        _ => api::D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS,
    }
}

fn stream(names: &[&str]) -> StreamBuilder {
    let stream = names.iter().fold(StreamBuilder::new(), |stream, name| {
        stream.shader(stage_of(name), &corpus::shader(name))
    });
    stream.root_signature(&serialized(&covering()))
}

const RUNTIME_PIPELINE: D3D12DDI_HRTPIPELINESTATE = D3D12DDI_HRTPIPELINESTATE {
    handle: ptr::without_provenance_mut(0x1234),
};

/// Creates a pipeline; gives its values.
fn create_with(slots: &Slots, names: &[&str]) -> Vec<LoadedValue> {
    let mut stream = stream(names);
    let (state, messages) = stream.translate();
    let state = state.unwrap_or_else(|error| panic!("{error}: {messages:#?}"));
    let arguments = realize(slots, state.arg());
    drop(state);
    let handle = D3D12DDI_HPIPELINESTATE {
        pDrvPrivate: private(),
    };
    // SAFETY: the arguments are those of a runtime.
    unsafe {
        let create = slots.core.pfnCreatePipelineState.unwrap();
        let result = create(slots.device, &raw const arguments, handle, RUNTIME_PIPELINE);
        assert_eq!(result, S_OK, "{:?}", inspect::last_failure());
        let values = inspect::values(handle.pDrvPrivate).unwrap();
        slots.core.pfnDestroyPipelineState.unwrap()(slots.device, handle);
        values
    }
}

fn create(device: &Device, names: &[&str]) -> Vec<LoadedValue> {
    create_with(&slots(device), names)
}

fn owned() -> Vec<Vec<String>> {
    let computes = corpus::names("compute", &["valid"]).into_iter().take(6);
    let graphics = PIPELINES.iter();
    let graphics = graphics.map(|names| names.iter().map(ToString::to_string).collect());
    graphics.chain(computes.map(|name| vec![name])).collect()
}

fn names(owned: &[String]) -> Vec<&str> {
    owned.iter().map(|name| &**name).collect()
}

/// The keys and code of the values that the plugin makes when it is called directly.
fn compile_directly(shaders: &[&str]) -> Vec<(Vec<u8>, Vec<u8>)> {
    use plugin_host::session::{MemoryCache, SessionScope};
    let compiler = runtime_test_support::linked_in::compiler::<sample_plugin::SamplePlugin>();
    let cache = Arc::new(MemoryCache::default());
    let mut stream = stream(shaders);
    let (state, _) = stream.translate();
    let state = state.unwrap();
    let scope = SessionScope::new(cache.clone());
    let types = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE;
    // SAFETY: the arguments are in the plugin DDI's form.
    let keys = unsafe { compiler.compile_pipeline_state(scope, types, state.arg()) }.unwrap();
    let values = cache.values();
    let code = |key: &Vec<u8>| values[key][0].as_deref().unwrap().to_vec();
    keys.into_iter()
        .map(|key| (key.clone(), code(&key)))
        .collect()
}

/// The driver's copies are compiled, with the runtime's structures overwritten.
#[test]
fn copies_have_the_keys_and_code_of_the_originals() {
    let _as_is = as_is();
    let device = device(&Arc::default(), 2);
    for shaders in owned() {
        let shaders = names(&shaders);
        let direct = compile_directly(&shaders);
        let values = create(&device, &shaders);
        let values: Vec<_> = values
            .into_iter()
            .map(|v| (v.key, v.code.to_vec()))
            .collect();
        assert!(values == direct, "{shaders:?}");
    }
}

/// Of each version of the feature: everything is a miss, is stored, and is a hit on the next device.
#[test]
fn what_one_device_stores_another_finds() {
    let _as_is = as_is();
    for version in [1, 2, 3] {
        let cache = Arc::default();
        let cold = device(&cache, version);
        let shaders = ["spec_stages_vs", "spec_stages_ps"];
        let made = create(&cold, &shaders);
        let values = cache.len() as u64;
        assert!(values >= 4, "{values}");
        let counts = statistics(&cold);
        assert_eq!(
            (counts.pipeline_states.all, counts.pipeline_states.missed),
            (1, 1)
        );
        assert_eq!(
            (counts.hits, counts.compiled, counts.stored),
            (0, values, values)
        );

        let warm = device(&cache, version);
        cache.finds.store(0, Ordering::Relaxed);
        assert_eq!(create(&warm, &shaders), made);
        let counts = statistics(&warm);
        assert_eq!(
            (counts.pipeline_states.all, counts.pipeline_states.missed),
            (1, 0)
        );
        assert_eq!(
            (counts.hits, counts.compiled, counts.stored),
            (values, 0, 0)
        );
        // Each key is asked for once; of build 0021 its size first.
        let asked = u64::from(cache.finds.load(Ordering::Relaxed));
        assert_eq!(asked, if version == 1 { 2 * values } else { values });
        assert_eq!(cache.descriptions.load(Ordering::Relaxed), 0);
        // Another pipeline with the same vertex shader finds a part: that is a miss.
        create(&warm, &["spec_stages_vs"]);
        let counts = statistics(&warm);
        assert_eq!(counts.pipeline_states.missed, 1);
        assert!(counts.hits > values && counts.compiled > 0, "{counts:?}");
    }
}

#[test]
fn values_of_an_older_abi_version_are_used_and_nothing_is_compiled() {
    for (abi, number) in [("1", 1), ("2", 2)] {
        let switches = [("MOCK_UMD_ABI", abi)];
        let switched = Switched::new(&switches);
        let cache: Arc<Cache> = Arc::default();
        switched.on();
        create(&device(&cache, 3), &["forward_plain_vs"]);
        switched.off();
        cache.expected_misses.store(0, Ordering::Relaxed);
        let driver = device(&cache, 3);
        let values = create(&driver, &["forward_plain_vs"]);
        let code = sample_plugin::object_code::ObjectCode::parse(&values[0].code).unwrap();
        assert_eq!(code.abi_version, number);
        // Every look-up says that a miss is no loss, since nothing was compiled.
        let told = cache.expected_misses.load(Ordering::Relaxed);
        let newer = 3 - u32::try_from(number).unwrap();
        assert_eq!(told as usize, newer as usize + values.len());
        let counts = statistics(&driver);
        assert_eq!((counts.compiled, counts.pipeline_states.missed), (0, 0));
    }
}

/// The outcomes of a cache update: what a driver of other versions does with the values of this one.
#[test]
fn a_driver_of_another_version_uses_what_it_may() {
    for (what, switch, is_used) in [
        ("revision", ("MOCK_UMD_COMPILER", "4.2.118.1"), true),
        ("build", ("MOCK_UMD_COMPILER", "4.2.119.0"), true),
        ("minor", ("MOCK_UMD_COMPILER", "4.3.0.0"), false),
        ("major", ("MOCK_UMD_COMPILER", "5.0.0.0"), false),
        ("older compiler", ("MOCK_UMD_COMPILER", "4.1.0.0"), true),
        ("profile", ("MOCK_UMD_PROFILE", "1.0.0.0"), false),
        ("ABI", ("MOCK_UMD_ABI", "4"), false),
        ("family", ("MOCK_UMD_FAMILY", "Other"), false),
    ] {
        let switches = [switch];
        let switched = Switched::new(&switches);
        let cache = Arc::default();
        create(&device(&cache, 3), &["forward_plain_vs"]);
        let values = cache.len() as u64;
        switched.on();
        let first = device(&cache, 3);
        create(&first, &["forward_plain_vs"]);
        let counts = statistics(&first);
        assert_eq!(counts.pipeline_states.missed, u64::from(!is_used), "{what}");
        assert_eq!(counts.compiled, if is_used { 0 } else { values }, "{what}");
        assert_eq!(counts.refused, if is_used { 0 } else { values }, "{what}");
        // What it has compiled itself is of its versions.
        let second = device(&cache, 3);
        create(&second, &["forward_plain_vs"]);
        assert_eq!(statistics(&second).compiled, 0, "{what}");
    }
}

/// What the driver says of its compiler.
fn abi_support(device: &Device) -> D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0118 {
    let table: D3D12DDI_SHADERCACHE_FUNCS_0114 =
        table_of(device, D3D12DDI_TABLE_TYPE_0114_SHADERCACHE_FUNCS);
    let mut data = std::mem::MaybeUninit::<D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0118>::zeroed();
    let arguments = D3D12DDIARG_SHADERCACHE_GETCAPS {
        Type: D3D12DDICAPS_TYPE_SHADERCACHE_ABI_SUPPORT,
        pInfo: ptr::null_mut(),
        pData: data.as_mut_ptr().cast(),
        DataSize: u32::try_from(size_of_val(&data)).unwrap(),
    };
    // SAFETY: the data has the size, and is numbers.
    unsafe {
        let get = table.pfnShaderCacheGetCaps.unwrap();
        assert_eq!(get(device.handle, &raw const arguments), S_OK);
        data.assume_init()
    }
}

fn profile(device: &Device) -> u64 {
    abi_support(device).ApplicationProfileVersion.bits()
}

fn set_application(device: &Device, executable: &str, name: &str) {
    let table: D3D12DDI_SHADERCACHE_FUNCS_0114 =
        table_of(device, D3D12DDI_TABLE_TYPE_0114_SHADERCACHE_FUNCS);
    let text = |text: &str| -> Vec<u16> { text.encode_utf16().chain([0]).collect() };
    let (executable, name) = (text(executable), text(name));
    let application = D3D12DDI_APPLICATION_DESC {
        pExeFilename: executable.as_ptr(),
        pName: name.as_ptr(),
        Version: D3D12DDI_VERSION_NUMBER::from_bits(7),
        pEngineName: ptr::null(),
        EngineVersion: D3D12DDI_VERSION_NUMBER::from_bits(0),
    };
    // SAFETY: the strings live during the call.
    unsafe {
        table.pfnShaderCacheSetApplicationInfo.unwrap()(device.handle, &raw const application)
    };
    assert_eq!(device.errors(), []);
}

fn blob(device: &Device) -> Vec<u8> {
    let (size, get) = (
        device
            .core
            .pfnGetApplicationSpecificDriverStateBlobSize
            .unwrap(),
        device.core.pfnGetApplicationSpecificDriverState.unwrap(),
    );
    // SAFETY: the blob has the size.
    unsafe {
        let mut blob = vec![0_u8; size(device.handle) as usize];
        let size = u32::try_from(blob.len()).unwrap();
        assert_eq!(get(device.handle, blob.as_mut_ptr().cast(), size), S_OK);
        blob
    }
}

/// A device of another process: a tool that replays what was captured.
fn replay(blob: Vec<u8>, cache: &Arc<Cache>) -> Device {
    let runtime = Runtime {
        blob: Some(blob),
        ..Runtime::default()
    };
    let device = with_cache(Adapter::open(runtime).device(115, &[]).unwrap(), cache, 3);
    let status = device
        .core
        .pfnGetApplicationSpecificDriverBlobStatus
        .unwrap();
    // SAFETY: a handle is looked up.
    let status = unsafe { status(device.handle) };
    assert_eq!(status, D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED);
    device
}

#[test]
fn a_replay_has_the_profile_and_the_values_of_the_application_that_was_captured() {
    let _as_is = as_is();
    let shaders = ["forward_plain_vs"];
    // The second one's profile changes nothing of a vertex shader.
    for (executable, name, version, changed) in [
        (
            "ContosoRally.exe",
            "Contoso Rally",
            0x0001_0003_0000_0000,
            1,
        ),
        (
            "Game-Win64-Shipping.exe",
            "Tailspin Skies",
            0x0002_0000_0001_0000,
            0,
        ),
    ] {
        let cache = Arc::default();
        let captured = device(&cache, 3);
        assert_eq!((profile(&captured), blob(&captured).len()), (0, 0));
        set_application(&captured, executable, name);
        assert_eq!(profile(&captured), version);
        let made = create(&captured, &shaders);
        let blob_of_capture = blob(&captured);

        let replayed = replay(blob_of_capture.clone(), &cache);
        assert_eq!(profile(&replayed), version);
        // The tool describes itself, and stays the application that it replays.
        set_application(&replayed, "tool.exe", "Tool");
        assert_eq!(profile(&replayed), version);
        assert_eq!(create(&replayed, &shaders), made);
        let counts = statistics(&replayed);
        assert_eq!((counts.compiled, counts.hits), (0, made.len() as u64));
        assert_eq!(blob(&replayed), blob_of_capture);
        // Without the blob it is another application.
        let other = device(&cache, 3);
        set_application(&other, "tool.exe", "Tool");
        create(&other, &shaders);
        let missed = statistics(&other).pipeline_states.missed;
        assert_eq!((profile(&other), missed), (0, changed));
    }
}

#[test]
fn a_replay_has_the_profile_version_of_the_driver_that_captured() {
    let switches = [("MOCK_UMD_PROFILE", "9.8.7.6")];
    let switched = Switched::new(&switches);
    let cache = Arc::default();
    switched.on();
    let captured = device(&cache, 3);
    let made = create(&captured, &["forward_plain_vs"]);
    let blob = blob(&captured);
    switched.off();
    let replayed = replay(blob, &cache);
    assert_eq!(profile(&replayed), 0x0009_0008_0007_0006);
    assert_eq!(create(&replayed, &["forward_plain_vs"]), made);
    assert_eq!(statistics(&replayed).compiled, 0);
}

#[test]
fn a_damaged_value_is_refused_and_compiled_again() {
    type Damage = fn(&mut [Vec<u8>; 2]);
    let damages: [(&str, Damage); 7] = [
        ("no object code", |value| value[0] = b"garbage".to_vec()),
        ("cut object code", |value| value[0].truncate(40)),
        ("longer object code", |value| value[0].push(0)),
        ("other ABI", |value| value[0][16] = 77),
        ("no metadata", |value| value[1].clear()),
        ("other metadata", |value| {
            value[1] = b"format: fabrikam 9\n".to_vec();
        }),
        ("other compiler", |value| {
            let text = String::from_utf8(value[1].clone()).unwrap();
            value[1] = text.replace("compiler: 4.2", "compiler: 3.9").into_bytes();
        }),
    ];
    let _as_is = as_is();
    for (what, damage) in damages {
        let cache = Arc::default();
        let shaders = ["forward_plain_vs"];
        let made = create(&device(&cache, 2), &shaders);
        cache.change(damage);
        let driver = device(&cache, 2);
        assert_eq!(create(&driver, &shaders), made, "{what}");
        let counts = statistics(&driver);
        assert_eq!(
            (counts.hits, counts.compiled),
            (0, cache.len() as u64),
            "{what}"
        );
        // The runtime has the good ones now.
        let next = device(&cache, 2);
        create(&next, &shaders);
        assert_eq!(statistics(&next).compiled, 0, "{what}");
    }
}

/// A runtime that mixes values up: each is good, but of another key.
#[test]
fn a_value_of_another_key_is_refused_and_compiled_again() {
    type Mix = fn(&mut [[Vec<u8>; 2]]);
    let mixes: [(&str, Mix); 3] = [
        ("values", |values| values.rotate_left(1)),
        ("object code", |values| {
            let first = values[0][0].clone();
            for index in 1..values.len() {
                values[index - 1][0] = values[index][0].clone();
            }
            values.last_mut().unwrap()[0] = first;
        }),
        ("metadata", |values| {
            let first = values[0][1].clone();
            for index in 1..values.len() {
                values[index - 1][1] = values[index][1].clone();
            }
            values.last_mut().unwrap()[1] = first;
        }),
    ];
    let _as_is = as_is();
    for (what, mix) in mixes {
        for shaders in [
            &["spec_stages_vs", "spec_stages_ps"][..],
            &["forward_plain_vs"],
        ] {
            let cache: Arc<Cache> = Arc::default();
            let made = create(&device(&cache, 3), shaders);
            cache.mix(mix);
            let driver = device(&cache, 3);
            assert_eq!(create(&driver, shaders), made, "{what}");
            let (counts, values) = (statistics(&driver), cache.len() as u64);
            assert_eq!((counts.hits, counts.compiled), (0, values), "{what}");
            assert_eq!(counts.refused, values, "{what}");
            // The runtime has the good ones now.
            let next = device(&cache, 3);
            create(&next, shaders);
            assert_eq!(statistics(&next).compiled, 0, "{what}");
        }
    }
    // A host of build 0021 has both values in one.
    let cache: Arc<Cache> = Arc::default();
    let made = create(&device(&cache, 1), &["forward_plain_vs"]);
    cache.mix(|values| values.rotate_left(1));
    let driver = device(&cache, 1);
    assert_eq!(create(&driver, &["forward_plain_vs"]), made);
    assert_eq!(statistics(&driver).hits, 0);
}

#[test]
fn callbacks_that_fail_cost_a_compile_and_no_more() {
    let _as_is = as_is();
    for fault in [
        Fault::Find(E_FAIL),
        Fault::Find(E_OUTOFMEMORY),
        Fault::Find(E_INVALIDARG),
        Fault::Find(DXGI_ERROR_NOT_FOUND),
        Fault::Find(DXGI_ERROR_MORE_DATA),
        Fault::Find(DXGI_ERROR_DEVICE_REMOVED),
        Fault::Find(S_FALSE),
        Fault::Store(E_FAIL),
        Fault::Store(DXGI_ERROR_CACHE_FULL),
        Fault::FindNothing,
        Fault::FindDangling,
        Fault::FindForeign,
        Fault::FindHuge,
        Fault::FindOtherSize,
        Fault::FindNoMetadata,
    ] {
        for version in [2, 3] {
            let shaders = ["forward_plain_vs"];
            let is_store = matches!(fault, Fault::Store(_));
            let (filled, cache) = (Arc::default(), Arc::default());
            let made = create(&device(&filled, version), &shaders);
            // What cannot be stored is not there yet.
            let cache = if is_store { cache } else { filled };
            cache.set(fault);
            let driver = device(&cache, version);
            assert_eq!(create(&driver, &shaders), made, "{fault:?}");
            let counts = statistics(&driver);
            assert_eq!(
                (counts.hits, counts.pipeline_states.missed),
                (0, 1),
                "{fault:?}"
            );
            assert_eq!(counts.compiled, made.len() as u64, "{fault:?}");
            assert_eq!(
                counts.stored,
                if is_store { 0 } else { counts.compiled },
                "{fault:?}"
            );
        }
    }
}

#[test]
fn without_a_cache_everything_is_compiled_and_nothing_is_known() {
    let _as_is = as_is();
    let device = Device::new(115);
    create(&device, &["forward_plain_vs"]);
    let counts = statistics(&device);
    assert_eq!(
        (counts.pipeline_states.all, counts.pipeline_states.unknown),
        (1, 1)
    );
    assert_eq!(
        (counts.pipeline_states.missed, counts.hits, counts.stored),
        (0, 0, 0)
    );
    assert!(counts.compiled > 0);
}

#[test]
fn threads_create_at_the_same_time() {
    let _as_is = as_is();
    let cache = Arc::default();
    let all = owned();
    for is_warm in [false, true] {
        let driver = device(&cache, 2);
        let slots = slots(&driver);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for shaders in &all {
                        create_with(&slots, &names(shaders));
                    }
                });
            }
        });
        let counts = statistics(&driver);
        assert_eq!(counts.pipeline_states.all, 8 * all.len() as u64);
        assert_eq!(counts.refused, 0);
        if is_warm {
            assert_eq!((counts.compiled, counts.pipeline_states.missed), (0, 0));
        } else {
            assert!(counts.compiled >= cache.len() as u64);
        }
    }
}

/// Private memory with a new state object of a translated description; with a parent, by an addition to it.
fn create_state_object(
    slots: &Slots,
    object: &StateObject,
    parent: Option<*mut c_void>,
) -> *mut c_void {
    let own = D3D12DDI_HSTATEOBJECT_0054 {
        pDrvPrivate: private(),
    };
    let runtime = D3D12DDI_HRTSTATEOBJECT_0054 {
        handle: ptr::without_provenance_mut(0x5678),
    };
    let desc = object.arg();
    // SAFETY: the description is a runtime's.
    let result = unsafe {
        match parent {
            None => slots.core.pfnCreateStateObject.unwrap()(slots.device, desc, own, runtime),
            Some(parent) => {
                let desc = D3D12DDIARG_ADD_TO_STATE_OBJECT_0072 {
                    Type: desc.Type,
                    NumSubobjects: desc.NumSubobjects,
                    pSubobjects: desc.pSubobjects,
                    StateObjectToGrowFrom: D3D12DDI_HSTATEOBJECT_0054 {
                        pDrvPrivate: parent,
                    },
                };
                let add = slots.core.pfnAddToStateObject.unwrap();
                add(slots.device, &raw const desc, own, runtime)
            }
        }
    };
    assert_eq!(result, S_OK, "{:?}", inspect::last_failure());
    own.pDrvPrivate
}

fn destroy_state_object(slots: &Slots, object: *mut c_void) {
    let object = D3D12DDI_HSTATEOBJECT_0054 {
        pDrvPrivate: object,
    };
    // SAFETY: a handle is looked up.
    unsafe { slots.core.pfnDestroyStateObject.unwrap()(slots.device, object) };
}

fn raytracing() -> Description {
    Description::new(RAYTRACING)
        .library("rt_pipeline_lib63", &[])
        .global(&global())
        .local(&local())
        .with(&["triangles"])
        .configs()
        .hit_group("triangles", [Some("cutout"), Some("shade_triangle"), None])
        .hit_group("spheres", [None, Some("shade_sphere"), Some("hit_sphere")])
}

fn declared() -> Description {
    Description::new(RAYTRACING).library("rt_subobjects_lib63", &[])
}

fn work_graph() -> Description {
    let bins = root_signature(
        &[
            (dxil::DescriptorRangeType::UAV, 0, 2, 0),
            (dxil::DescriptorRangeType::SRV, 0, 1, 0),
            (dxil::DescriptorRangeType::CBV, 0, 1, 0),
        ],
        false,
    );
    Description::new(EXECUTABLE)
        .library("wg_nodes_lib68", &[])
        .global(&bins)
        .work_graph("graph", &[], true)
}

#[test]
fn copies_of_state_objects_have_the_keys_and_values_of_the_originals() {
    use plugin_host::session::{MemoryCache, SessionScope};
    let _as_is = as_is();
    let compiler = runtime_test_support::linked_in::compiler::<sample_plugin::SamplePlugin>();
    for describe in [raytracing, declared, work_graph] {
        let original = describe().translate();
        let direct = Arc::new(MemoryCache::default());
        let scope = SessionScope::new(direct.clone());
        let types = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE;
        // SAFETY: the arguments are in the plugin DDI's form, and live as long as the object.
        let made = unsafe { compiler.create_state_object(scope, types, original.arg()) };
        let (_object, keys) = made.unwrap();
        let device = device(&Arc::default(), 2);
        let object = create_state_object(&slots(&device), &original, None);
        let values = inspect::values(object).unwrap();
        let found: Vec<&[u8]> = values.iter().map(|value| &*value.key).collect();
        assert_eq!(found, keys);
        let direct = direct.values();
        for value in &values {
            assert_eq!(Some(&*value.code), direct[&value.key][0].as_deref());
        }
        assert_eq!(values.len(), direct.len());
    }
}

/// The runtime lets go of each description, and of a collection and a parent, before what is made of them.
#[test]
fn collections_and_additions_are_found_again() {
    let _as_is = as_is();
    let cache: Arc<Cache> = Arc::default();
    let create_all = |device: &Device| {
        let slots = &slots(device);
        let library = Description::new(COLLECTION).library("rt_subobjects_lib63", &[]);
        let library = Arc::new(library.translate());
        let collection = create_state_object(slots, &library, None);
        let of_runtime = Collection {
            desc: library,
            handle: D3D12DDI_HCOMPILERSTATEOBJECT {
                pDrvPrivate: collection,
            },
            keep_alive: Arc::new(()),
        };
        let including = Description::new(RAYTRACING)
            .collection(0x1000, &[])
            .translate_with(None, &[(0x1000, of_runtime)])
            .unwrap();
        let pipeline = create_state_object(slots, &including, None);
        destroy_state_object(slots, collection);
        drop(including);
        let noise = |export: &str| {
            Description::new(RAYTRACING)
                .config(ADDITIONS)
                .library("rt_pipeline_lib63", &[export])
                .configs()
        };
        let parent = Arc::new(noise("noise_a").translate());
        let addition = noise("noise_b").translate_with(Some(&parent), &[]).unwrap();
        let first = create_state_object(slots, &parent, None);
        let second = create_state_object(slots, &addition, Some(first));
        destroy_state_object(slots, first);
        drop((addition, parent));
        [pipeline, second].map(|object| {
            let values = inspect::values(object).unwrap();
            destroy_state_object(slots, object);
            values
        })
    };
    let cold = device(&cache, 3);
    let made = create_all(&cold);
    let counts = statistics(&cold).state_objects;
    assert_eq!((counts.all, counts.missed), (4, 4));
    let warm = device(&cache, 3);
    assert_eq!(create_all(&warm), made);
    let counts = statistics(&warm);
    assert_eq!(
        (counts.state_objects.all, counts.state_objects.missed),
        (4, 0)
    );
    assert_eq!((counts.compiled, counts.refused), (0, 0));
    assert_eq!(cache.descriptions.load(Ordering::Relaxed), 0);
}

#[test]
fn subobjects_that_cannot_be_read_are_refused() {
    let _as_is = as_is();
    let device = device(&Arc::default(), 2);
    let core = &device.core;
    let mut subobject = D3D12DDI_STATE_SUBOBJECT_0054 {
        Type: D3D12DDI_STATE_SUBOBJECT_TYPE(0x7777),
        pDesc: ptr::null(),
    };
    let own = D3D12DDI_HSTATEOBJECT_0054 {
        pDrvPrivate: private(),
    };
    let runtime = D3D12DDI_HRTSTATEOBJECT_0054 {
        handle: ptr::null_mut(),
    };
    let types = D3D12DDI_STATE_SUBOBJECT_TYPE::ENUMERATORS;
    for kind in types.iter().map(|(kind, _)| *kind).chain([subobject.Type]) {
        subobject.Type = kind;
        let desc = D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
            Type: D3D12DDI_STATE_OBJECT_TYPE_COLLECTION,
            NumSubobjects: 1,
            pSubobjects: &raw const subobject,
        };
        // SAFETY: the null pointer is what the driver is to refuse.
        let result = unsafe {
            core.pfnCreateStateObject.unwrap()(device.handle, &raw const desc, own, runtime)
        };
        assert_eq!(result, E_INVALIDARG, "{kind:?}");
    }
    let desc = D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
        Type: D3D12DDI_STATE_OBJECT_TYPE_COLLECTION,
        NumSubobjects: u32::MAX,
        pSubobjects: &raw const subobject,
    };
    // SAFETY: the count is refused before the array is read.
    let result =
        unsafe { core.pfnCreateStateObject.unwrap()(device.handle, &raw const desc, own, runtime) };
    assert_eq!(result, E_INVALIDARG);
}
