//! What the driver looks up in the runtime's shader cache.

use std::cell::Cell;
use std::ffi::c_void;
use std::slice;

use base_plugin::defects;
use ddi_sys::{
    D3D12DDI_DEVICE_FUNCS_CORE_0113, D3D12DDI_EXTENDED_FEATURES_FUNCS_0096,
    D3D12DDI_HANDLE_AND_TYPE, D3D12DDI_HDEVICE, D3D12DDI_HPIPELINESTATE, D3D12DDI_HRTDEVICE,
    D3D12DDI_HRTPIPELINESTATE, D3D12DDI_HT_0054_STATE_OBJECT, D3D12DDI_SHADER_CACHE_VALUE,
    D3D12DDI_SHADERCACHE_CALLBACKS_0118,
    D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_0118_PSDB_MISS_EXPECTED,
    D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_STORED_VALUES_ONLY, D3D12DDI_SHADERCACHE_GET_VALUE_FLAGS,
    D3D12DDI_TABLE_TYPE, D3D12DDIARG_CREATE_PIPELINE_STATE_0099, DXGI_ERROR_NOT_FOUND, HRESULT,
    PFND3D12DDI_SHADERCACHEALLOCATIONFUNC, SIZE_T, UINT,
};

use crate::defect::has;
use crate::own;

/// The defects of this file.
#[macro_export]
macro_rules! keys_defects {
    ($take:ident) => {
        $take! {
            /// In the calls of `pfnShaderCacheGetValueCb`.
            Keys {
                OfHandle = "keys-of-handle" breaks U_ABI_05:
                    "keys depend on the runtime's handle of the object";
                Short = "keys-short" breaks U_ABI_05:
                    "the last byte of each key is left out";
                NoSampleMask = "keys-no-sample-mask" breaks U_ABI_05:
                    "keys do not depend on the sample mask";
                FirstOnly = "keys-first-only" breaks U_ABI_05:
                    "only the first value of each object is looked up";
                NoGeometry = "keys-no-geometry" breaks U_ABI_05:
                    "nothing is looked up for pipelines with a geometry shader";
                NoStateObjects = "keys-no-state-objects" breaks U_ABI_05:
                    "nothing is looked up for state objects";
                NewestOnly = "keys-newest-only" breaks U_ABI_05:
                    "only the keys of the newest ABI version are looked up";
                OlderOnly = "keys-older-only" breaks U_ABI_05:
                    "the keys of the newest ABI version are not looked up";
                OwnOnly = "keys-own-only" breaks U_ABI_05:
                    "values are looked up among those that the driver has stored only";
            }
        }
    };
}

keys_defects!(defects);

thread_local! {
    /// Whether the pipeline that is being created has a geometry shader.
    static HAS_GEOMETRY: Cell<bool> = const { Cell::new(false) };
    /// The object that is looked up.
    static CURRENT: Cell<LookedUp> = const { Cell::new(LookedUp::NOTHING) };
}

/// What has been looked up for an object.
#[derive(Clone, Copy)]
struct LookedUp {
    /// The runtime's handle.
    object: usize,
    /// With this one.
    calls: usize,
    has_missed: bool,
}

impl LookedUp {
    const NOTHING: Self = Self {
        object: 0,
        calls: 0,
        has_missed: false,
    };

    /// Whether a driver with the defect leaves this call out. The driver underneath expects a miss while it tries its ABI
    /// versions, the newest first, and no longer when it compiles for that one.
    fn is_left_out(self, is_state_object: bool, expects_miss: bool) -> bool {
        (has(Keys::FirstOnly) && self.calls > 1)
            || (has(Keys::NoGeometry) && HAS_GEOMETRY.get())
            || (has(Keys::NoStateObjects) && is_state_object)
            || (has(Keys::NewestOnly) && self.has_missed && expects_miss)
            || (has(Keys::OlderOnly) && (self.calls == 1 || !expects_miss))
    }
}

pub(crate) fn layer_core(core: &mut D3D12DDI_DEVICE_FUNCS_CORE_0113) {
    core.pfnCreatePipelineState = Some(create_pipeline_state);
}

pub(crate) fn layer_features(features: &mut D3D12DDI_EXTENDED_FEATURES_FUNCS_0096) {
    features.pfnSetExtendedFeatureCallbacks = Some(set_callbacks);
}

unsafe extern "system" fn create_pipeline_state(
    device: D3D12DDI_HDEVICE,
    desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    pipeline: D3D12DDI_HPIPELINESTATE,
    runtime: D3D12DDI_HRTPIPELINESTATE,
) -> HRESULT {
    // SAFETY: the host's structure.
    let mut desc = unsafe { *desc };
    HAS_GEOMETRY.set(!desc.hGeometryShader.pDrvPrivate.is_null());
    if has(Keys::NoSampleMask) {
        desc.SampleMask = UINT::MAX;
    }
    let result = own!(CORE.pfnCreatePipelineState(device, &raw const desc, pipeline, runtime));
    HAS_GEOMETRY.set(false);
    result
}

unsafe extern "system" fn set_callbacks(
    device: D3D12DDI_HDEVICE,
    table_type: D3D12DDI_TABLE_TYPE,
    table: *const c_void,
    size: SIZE_T,
) -> HRESULT {
    // SAFETY: the table is that of the enabled version, which is the newest, as the suite enables no other.
    let given = unsafe { *table.cast::<D3D12DDI_SHADERCACHE_CALLBACKS_0118>() };
    let _ = crate::CALLBACKS.set(given);
    let callbacks = D3D12DDI_SHADERCACHE_CALLBACKS_0118 {
        pfnShaderCacheGetValueCb: Some(get_value),
        ..given
    };
    own!(FEATURES.pfnSetExtendedFeatureCallbacks(
        device,
        table_type,
        (&raw const callbacks).cast(),
        size
    ))
}

unsafe extern "system" fn get_value(
    device: D3D12DDI_HRTDEVICE,
    object: D3D12DDI_HANDLE_AND_TYPE,
    key: *const c_void,
    key_len: SIZE_T,
    mut flags: D3D12DDI_SHADERCACHE_GET_VALUE_FLAGS,
    code: *mut D3D12DDI_SHADER_CACHE_VALUE,
    metadata: *mut D3D12DDI_SHADER_CACHE_VALUE,
    allocate: PFND3D12DDI_SHADERCACHEALLOCATIONFUNC,
    context: *mut c_void,
) -> HRESULT {
    let expects_miss = flags == D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_0118_PSDB_MISS_EXPECTED;
    let is_state_object = object.Type == D3D12DDI_HT_0054_STATE_OBJECT;
    let handle = object.Handle.addr();
    let before = CURRENT.get();
    let mut current = if before.object == handle {
        before
    } else {
        LookedUp {
            object: handle,
            ..LookedUp::NOTHING
        }
    };
    current.calls += 1;
    // SAFETY: a key of the driver's, of this length.
    let mut key = unsafe { slice::from_raw_parts(key.cast::<u8>(), key_len) }.to_vec();
    if has(Keys::OfHandle) {
        for (byte, of_handle) in key.iter_mut().zip(handle.to_le_bytes()) {
            *byte ^= of_handle;
        }
    }
    if has(Keys::Short) {
        key.pop();
    }
    if has(Keys::OwnOnly) {
        flags |= D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_STORED_VALUES_ONLY;
    }
    let result = if current.is_left_out(is_state_object, expects_miss) {
        DXGI_ERROR_NOT_FOUND
    } else {
        let key_place = key.as_ptr().cast();
        own!(CALLBACKS.pfnShaderCacheGetValueCb(
            device,
            object,
            key_place,
            key.len(),
            flags,
            code,
            metadata,
            allocate,
            context
        ))
    };
    current.has_missed |= !result.is_ok();
    CURRENT.set(current);
    result
}
