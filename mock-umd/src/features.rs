//! Extended features: the shader cache, whose callbacks come through them.

use std::ffi::c_void;

#[allow(clippy::wildcard_imports)] // The functions are written in the DDI's own types.
use ddi_sys::*;

use crate::adapter::two_call;
use crate::boundary::{self, Error, Result, checked, device_slots, raw};
use crate::cache;
use crate::device::Device;
use crate::version::BYPASS;

/// The shader-cache callbacks that the host has given, in the shape of the feature version that it has enabled.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "pipelines, which use them, follow")]
pub(crate) enum ShaderCacheCallbacks {
    V0021(D3D12DDI_SHADERCACHE_CALLBACKS_0021),
    V0114(D3D12DDI_SHADERCACHE_CALLBACKS_0114),
    V0118(D3D12DDI_SHADERCACHE_CALLBACKS_0118),
}

/// What the host has enabled and set.
#[derive(Clone, Copy, Default)]
pub(crate) struct ShaderCacheFeature {
    /// 1 is 0021, 2 is 0114, 3 is 0118.
    pub(crate) version: Option<UINT32>,
    pub(crate) callbacks: Option<ShaderCacheCallbacks>,
}

/// The versions of the shader cache feature. The driver functions of version 2 and 3 are those of a table that
/// build 114 has brought.
fn versions(device: &Device, feature: D3D12DDI_FEATURE_0020) -> &'static [UINT32] {
    match feature {
        D3D12DDI_FEATURE_0021_SHADERCACHING if device.build < BYPASS => &[1],
        D3D12DDI_FEATURE_0021_SHADERCACHING => &[1, 2, 3],
        _ => &[],
    }
}

device_slots! {
    get_supported_extended_features = "pfnGetSupportedExtendedFeatures"(
        _device, pointer count: UINT32, pointer features: D3D12DDI_FEATURE_0020,
    ) -> HRESULT {
        // SAFETY: the DDI: the count is that of the array.
        unsafe { two_call(&[D3D12DDI_FEATURE_0021_SHADERCACHING], count, features) }?
    }

    get_supported_extended_feature_versions = "pfnGetSupportedExtendedFeatureVersions"(
        device, value feature: D3D12DDI_FEATURE_0020, pointer count: UINT32, pointer all: UINT32,
    ) -> HRESULT {
        // SAFETY: the DDI: the count is that of the array.
        unsafe { two_call(versions(device, feature), count, all) }?
    }

    enable_extended_feature = "pfnEnableExtendedFeature"(
        device, value feature: D3D12DDI_FEATURE_0020, value version: UINT32,
    ) -> HRESULT {
        if !versions(device, feature).contains(&version) {
            return Err(Error::invalid(format!("no version {version} of {feature:?}")));
        }
        *device.shader_cache() = ShaderCacheFeature {
            version: Some(version),
            callbacks: None,
        };
        S_OK
    }

    set_extended_feature_callbacks = "pfnSetExtendedFeatureCallbacks"(
        device, value table_type: D3D12DDI_TABLE_TYPE, value table: *const c_void, value size: SIZE_T,
    ) -> HRESULT {
        if table_type != D3D12DDI_TABLE_TYPE_0021_SHADERCACHE_CALLBACKS {
            return Err(Error::invalid(format!("no callbacks of {table_type:?}")));
        }
        let mut feature = device.shader_cache();
        // SAFETY: the DDI: the table has the size, and is that of the enabled version.
        let callbacks = unsafe {
            match feature.version {
                Some(1) => read(table, size).map(ShaderCacheCallbacks::V0021),
                Some(2) => read(table, size).map(ShaderCacheCallbacks::V0114),
                Some(3) => read(table, size).map(ShaderCacheCallbacks::V0118),
                _ => Err(Error::invalid("the shader cache feature is not enabled")),
            }
        }?;
        feature.callbacks = Some(callbacks);
        S_OK
    }
}

/// # Safety
///
/// Unless it is null or misaligned, `table` has `size` bytes, which are a `T` if that is its size.
unsafe fn read<T: Copy>(table: *const c_void, size: usize) -> Result<T> {
    if size != size_of::<T>() {
        let message = format!("the table has {size} bytes, not {}", size_of::<T>());
        return Err(Error::invalid(message));
    }
    // SAFETY: unless it is null or misaligned, `table` points to a `T`, which has `size` bytes (`# Safety`).
    unsafe { boundary::input(table.cast::<T>(), "pTable") }.copied()
}

/// Memory for a value of the host's: none, because the driver passes an allocation function of its own with
/// each call.
pub(crate) unsafe extern "system" fn shader_cache_allocation(
    _size: SIZE_T,
    _context: *mut c_void,
) -> *mut c_void {
    std::ptr::null_mut()
}

/// The application that the host says the device is for.
pub(crate) unsafe extern "system" fn shader_cache_set_application_info(
    device: D3D12DDI_HDEVICE,
    application: *const D3D12DDI_APPLICATION_DESC,
) -> *mut c_void {
    boundary::on_device("pfnShaderCacheSetApplicationInfo", device, |device| {
        // SAFETY: the DDI: the argument and its strings live during the call.
        let application = unsafe {
            let application = boundary::input(application, "pApplicationDesc")?;
            cache::application(application)?
        };
        device.compiled.set_application(application);
        Ok(std::ptr::null_mut())
    })
}
