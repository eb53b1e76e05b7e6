//! The runtime's shader cache of a device: it has what the compiler plugin stored, and notes what the driver looks up.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytemuck::Zeroable;
use conformance_catalogue::verdict::Stop;
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_TYPED_VALUE, D3D12DDI_COMPILER_CACHE_VALUE,
    D3D12DDI_COMPILER_CACHE_VALUE_KEY, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE, D3D12DDI_EXTENDED_FEATURES_FUNCS_0096,
    D3D12DDI_HANDLE_AND_TYPE, D3D12DDI_HRTDEVICE, D3D12DDI_HRTSTATEOBJECT_0054,
    D3D12DDI_SHADER_CACHE_VALUE, D3D12DDI_SHADERCACHE_CALLBACKS_0114,
    D3D12DDI_SHADERCACHE_CALLBACKS_0118, D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_STORED_VALUES_ONLY,
    D3D12DDI_SHADERCACHE_GET_VALUE_FLAGS, D3D12DDI_SHADERCACHE_UNUSED_VALUE_FLAGS,
    D3D12DDI_TABLE_TYPE_0021_SHADERCACHE_CALLBACKS, D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    DXGI_ERROR_NOT_FOUND, E_INVALIDARG, E_NOTIMPL, HRESULT, PFND3D12DDI_SHADERCACHEALLOCATIONFUNC,
    S_OK, SIZE_T,
};
use plugin_host::session::{self, MemoryCache, SessionScope};

use super::{DEVICE, Device, Host, lock};

#[derive(Default)]
pub(crate) struct ShaderCache {
    /// What it answers: here the plugin stores. What the driver stores is not added.
    pub(crate) values: Arc<MemoryCache>,
    looked_up: Mutex<BTreeSet<Vec<u8>>>,
    stored: AtomicUsize,
}

impl ShaderCache {
    /// Every key that the driver has looked up in databases.
    pub(crate) fn looked_up(&self) -> BTreeSet<Vec<u8>> {
        lock(&self.looked_up).clone()
    }

    /// How many times the driver has stored something.
    pub(crate) fn stored(&self) -> usize {
        self.stored.load(Ordering::Relaxed)
    }
}

/// Gives the driver the callbacks of version 2 or 3 of the feature, which is enabled; undecided where it refuses them.
pub(crate) fn set_callbacks(
    device: &Device,
    features: &D3D12DDI_EXTENDED_FEATURES_FUNCS_0096,
    version: u32,
) -> Result<(), Stop> {
    const V2: D3D12DDI_SHADERCACHE_CALLBACKS_0114 = D3D12DDI_SHADERCACHE_CALLBACKS_0114 {
        pfnShaderCacheGetValueCb: Some(get_value),
        pfnShaderCacheStoreValueCb: Some(store_value),
        pfnShaderCacheGetDescCb: Some(get_desc),
    };
    const V3: D3D12DDI_SHADERCACHE_CALLBACKS_0118 = D3D12DDI_SHADERCACHE_CALLBACKS_0118 {
        pfnShaderCacheGetValueCb: Some(get_value),
        pfnShaderCacheStoreValueCb: Some(store_value),
        pfnShaderCacheUnusedValueCb: Some(unused_value),
    };
    let (table, size): (*const c_void, usize) = if version == 2 {
        (ptr::from_ref(&V2).cast(), size_of_val(&V2))
    } else {
        (ptr::from_ref(&V3).cast(), size_of_val(&V3))
    };
    let Some(set) = features.pfnSetExtendedFeatureCallbacks else {
        let reason = "pfnSetExtendedFeatureCallbacks is null";
        return Err(Stop::Undecided(reason.into()));
    };
    let table_type = D3D12DDI_TABLE_TYPE_0021_SHADERCACHE_CALLBACKS;
    // SAFETY: the device's handle; the table is a constant, that of the enabled version.
    let result = unsafe { set(device.handle, table_type, table, size) };
    if result == S_OK {
        Ok(())
    } else {
        let reason = format!("pfnSetExtendedFeatureCallbacks returned {result}");
        Err(Stop::Undecided(reason))
    }
}

/// The protocol is that of a compiler's cache session, whose structures differ in the names.
unsafe extern "system" fn get_value(
    device: D3D12DDI_HRTDEVICE,
    _object: D3D12DDI_HANDLE_AND_TYPE,
    key: *const c_void,
    key_len: SIZE_T,
    flags: D3D12DDI_SHADERCACHE_GET_VALUE_FLAGS,
    object_code: *mut D3D12DDI_SHADER_CACHE_VALUE,
    metadata: *mut D3D12DDI_SHADER_CACHE_VALUE,
    allocate: PFND3D12DDI_SHADERCACHEALLOCATIONFUNC,
    context: *mut c_void,
) -> HRESULT {
    let (Some(host), Ok(key_size)) = (Host::of(device.handle, DEVICE), u32::try_from(key_len))
    else {
        return E_INVALIDARG;
    };
    if key.is_null() {
        return E_INVALIDARG;
    }
    // No database answers then.
    if flags.contains(D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_STORED_VALUES_ONLY) {
        return DXGI_ERROR_NOT_FOUND;
    }
    // SAFETY: a key of the driver's, of this length.
    let bytes = unsafe { std::slice::from_raw_parts(key.cast::<u8>(), key_len) };
    lock(&host.shader_cache.looked_up).insert(bytes.to_vec());
    let key = D3D12DDI_COMPILER_CACHE_VALUE_KEY {
        pKey: key,
        KeySize: key_size,
    };
    let mut entries = <[D3D12DDI_COMPILER_CACHE_TYPED_VALUE; 2]>::zeroed();
    let mut wanted = Vec::new();
    let types = [
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE,
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA,
    ];
    for (value_type, value) in types.into_iter().zip([object_code, metadata]) {
        // SAFETY: null where the driver does not want it, or its structure, which is no other's.
        if let Some(value) = unsafe { value.as_mut() } {
            entries[wanted.len()] = D3D12DDI_COMPILER_CACHE_TYPED_VALUE {
                Type: value_type,
                Value: D3D12DDI_COMPILER_CACHE_VALUE {
                    pValue: value.pValue,
                    ValueSize: value.ValueSize,
                },
            };
            wanted.push(value);
        }
    }
    let session = SessionScope::new(Arc::<MemoryCache>::clone(&host.shader_cache.values));
    let find = session::callbacks().pfnCompilerCacheFindValue;
    let find = find.expect("the table is whole");
    let count = u32::try_from(wanted.len()).expect("two at most");
    let place = entries.as_mut_ptr();
    // SAFETY: the session lives; key, buffers and the allocation function are the driver's, and the entries are here.
    let result = unsafe {
        find(
            session.handle(),
            &raw const key,
            place,
            count,
            allocate,
            context,
        )
    };
    for (value, entry) in wanted.into_iter().zip(entries) {
        value.pValue = entry.Value.pValue;
        value.ValueSize = entry.Value.ValueSize;
    }
    result
}

unsafe extern "system" fn store_value(
    device: D3D12DDI_HRTDEVICE,
    _object: D3D12DDI_HANDLE_AND_TYPE,
    _key: *const c_void,
    _key_len: SIZE_T,
    _object_code: *const D3D12DDI_SHADER_CACHE_VALUE,
    _metadata: *const D3D12DDI_SHADER_CACHE_VALUE,
) -> HRESULT {
    let Some(host) = Host::of(device.handle, DEVICE) else {
        return E_INVALIDARG;
    };
    host.shader_cache.stored.fetch_add(1, Ordering::Relaxed);
    S_OK
}

/// The creation functions bring the whole description.
unsafe extern "system" fn get_desc(
    _: D3D12DDI_HRTDEVICE,
    _: D3D12DDI_HRTSTATEOBJECT_0054,
    _: *mut D3D12DDIARG_CREATE_STATE_OBJECT_0054,
) -> HRESULT {
    E_NOTIMPL
}

unsafe extern "system" fn unused_value(
    _: D3D12DDI_HRTDEVICE,
    _: D3D12DDI_HANDLE_AND_TYPE,
    _: *const c_void,
    _: SIZE_T,
    _: D3D12DDI_SHADERCACHE_UNUSED_VALUE_FLAGS,
) -> HRESULT {
    S_OK
}
