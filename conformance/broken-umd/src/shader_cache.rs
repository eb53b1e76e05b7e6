//! What the driver says of its compiler.

use base_plugin::defects;
use ddi_sys::{
    D3D12DDI_HDEVICE, D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0118, D3D12DDI_SHADERCACHE_FUNCS_0118,
    D3D12DDI_VERSION_NUMBER, D3D12DDIARG_SHADERCACHE_GETCAPS, HRESULT,
};

use crate::defect::has;
use crate::own;

/// The defects of this file.
#[macro_export]
macro_rules! shader_cache_defects {
    ($take:ident) => {
        $take! {
            /// In `pfnShaderCacheGetCaps`.
            ShaderCache {
                FamilyEmpty = "abi-family-empty" breaks U_ABI_01:
                    "the name of the adapter family is empty";
                FamilyUnknown = "abi-family-unknown" breaks U_ABI_01:
                    "the name of the adapter family has another first letter than that of the plugin";
                RangeReversed = "abi-range-reversed" breaks U_ABI_02:
                    "the minimum ABI version is above the maximum";
                NewestUnknown = "abi-newest-unknown" breaks U_ABI_02:
                    "the maximum ABI version is one more than the plugin's newest";
                CompilerOlder = "abi-compiler-older" breaks U_ABI_03:
                    "the revision of the compiler is one less than the plugin's";
                ProfileAlways = "abi-profile-always" breaks U_ABI_04:
                    "a profile is applied without an application";
            }
        }
    };
}

shader_cache_defects!(defects);

pub(crate) fn layer(funcs: &mut D3D12DDI_SHADERCACHE_FUNCS_0118) {
    funcs.pfnShaderCacheGetCaps = Some(get_caps);
}

unsafe extern "system" fn get_caps(
    device: D3D12DDI_HDEVICE,
    arguments: *const D3D12DDIARG_SHADERCACHE_GETCAPS,
) -> HRESULT {
    let result = own!(SHADER_CACHE.pfnShaderCacheGetCaps(device, arguments));
    // SAFETY: the host's structure.
    let arguments = unsafe { &*arguments };
    let size = size_of::<D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0118>();
    if !result.is_ok() || arguments.DataSize as usize != size {
        return result;
    }
    // SAFETY: the data has the size, and the driver has filled it.
    let data = unsafe {
        &mut *arguments
            .pData
            .cast::<D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0118>()
    };
    if has(ShaderCache::FamilyEmpty) {
        data.szAdapterFamily[0] = 0;
    }
    if has(ShaderCache::FamilyUnknown) {
        data.szAdapterFamily[0] += 1;
    }
    if has(ShaderCache::RangeReversed) {
        data.MinimumABISupportVersion = data.MaximumABISupportVersion + 1;
    }
    if has(ShaderCache::NewestUnknown) {
        data.MaximumABISupportVersion += 1;
    }
    if has(ShaderCache::CompilerOlder) {
        data.CompilerVersion =
            D3D12DDI_VERSION_NUMBER::from_bits(data.CompilerVersion.bits() - (1 << 16));
    }
    if has(ShaderCache::ProfileAlways) {
        data.ApplicationProfileVersion = D3D12DDI_VERSION_NUMBER::from_bits(1 << 48);
    }
    result
}
