//! The CAPABILITIES table.

use bytemuck::{NoUninit, Zeroable, bytes_of};
use ddi_sys::{
    BOOL, D3D12DDI_3DPIPELINELEVEL_12_2, D3D12DDI_3DPIPELINESUPPORT1_DATA_0081,
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_ADAPTER_FAMILY,
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_TARGET,
    D3D12DDI_D3D12_OPTIONS_DATA_0089, D3D12DDI_D3D12_SHADER_MODELS_DATA_0011,
    D3D12DDI_EXECUTE_INDIRECT_TIER_1_0, D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET,
    D3D12DDI_FORMAT_SUPPORT_RENDERTARGET, D3D12DDI_FORMAT_SUPPORT_SHADER_SAMPLE,
    D3D12DDI_HCOMPILERDDI, D3D12DDI_MESH_SHADER_TIER_1, D3D12DDI_OPTIONS_DATA_0090,
    D3D12DDI_OPTIONS_DATA_0091, D3D12DDI_OPTIONS_DATA_0093, D3D12DDI_OPTIONS_DATA_0098,
    D3D12DDI_OPTIONS_DATA_0101, D3D12DDI_OPTIONS_DATA_0102, D3D12DDI_OPTIONS_DATA_0109,
    D3D12DDI_OPTIONS_DATA_0110, D3D12DDI_OPTIONS1_DATA_0103, D3D12DDI_RAYTRACING_TIER_1_1,
    D3D12DDI_RESOURCE_BINDING_TIER_3, D3D12DDI_RESOURCE_HEAP_TIER_1, D3D12DDI_SHADER_CAPS_0084,
    D3D12DDI_SHADER_MODEL, D3D12DDI_SHADER_MODEL_6_0_RELEASE_0011,
    D3D12DDI_SHADER_MODEL_6_1_RELEASE_0033, D3D12DDI_SHADER_MODEL_6_2_RELEASE_0042,
    D3D12DDI_SHADER_MODEL_6_3_RELEASE_0054, D3D12DDI_SHADER_MODEL_6_4_RELEASE_0062,
    D3D12DDI_SHADER_MODEL_6_5_RELEASE_0071, D3D12DDI_SHADER_MODEL_6_6_RELEASE_0082,
    D3D12DDI_SHADER_MODEL_6_7_RELEASE_0093, D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110,
    D3D12DDI_SHADER_MODEL_6_8_RELEASE_0108, D3D12DDI_VERSION_NUMBER, D3D12DDI_WORK_GRAPHS_TIER_1_0,
    D3D12DDIARG_GETCAPS, D3D12DDICAPS_TYPE_0011_SHADER_MODELS,
    D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1, D3D12DDICAPS_TYPE_D3D12_OPTIONS,
    D3D12DDICAPS_TYPE_OPTIONS_0090, D3D12DDICAPS_TYPE_OPTIONS_0091, D3D12DDICAPS_TYPE_OPTIONS_0093,
    D3D12DDICAPS_TYPE_OPTIONS_0098, D3D12DDICAPS_TYPE_OPTIONS_0101, D3D12DDICAPS_TYPE_OPTIONS_0102,
    D3D12DDICAPS_TYPE_OPTIONS_0109, D3D12DDICAPS_TYPE_OPTIONS_0110,
    D3D12DDICAPS_TYPE_OPTIONS1_0103, D3D12DDICAPS_TYPE_SHADER,
    D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110, DXGI_ERROR_MORE_DATA, DXGI_ERROR_NOT_FOUND,
    DXGI_ERROR_UNSUPPORTED, DXGI_FORMAT, DXGI_FORMAT_R8G8B8A8_UNORM, E_INVALIDARG, FALSE, HRESULT,
    S_OK, TRUE, UINT,
};

use crate::family::{self, Family};
use crate::open::is_open;

/// The table, which is the same for every open.
pub(crate) const FUNCS: D3D12DDI_COMPILER_CAPABILITIES_FUNCS =
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS {
        pfnGetCaps: Some(get_caps),
        pfnEnumerateAdapterFamilies: Some(enumerate_adapter_families),
        pfnGetAdapterFamilyABIVersions: Some(get_adapter_family_abi_versions),
        pfnGetCompilerVersion: Some(get_compiler_version),
        pfnGetApplicationProfileVersion: Some(get_application_profile_version),
        pfnCheckFormatSupport: Some(check_format_support),
        pfnCheckMultisampleQualityLevels: Some(check_multisample_quality_levels),
    };

/// Newest first; a family without features has the last ones.
const SHADER_MODELS: [D3D12DDI_SHADER_MODEL; 9] = [
    D3D12DDI_SHADER_MODEL_6_8_RELEASE_0108,
    D3D12DDI_SHADER_MODEL_6_7_RELEASE_0093,
    D3D12DDI_SHADER_MODEL_6_6_RELEASE_0082,
    D3D12DDI_SHADER_MODEL_6_5_RELEASE_0071,
    D3D12DDI_SHADER_MODEL_6_4_RELEASE_0062,
    D3D12DDI_SHADER_MODEL_6_3_RELEASE_0054,
    D3D12DDI_SHADER_MODEL_6_2_RELEASE_0042,
    D3D12DDI_SHADER_MODEL_6_1_RELEASE_0033,
    D3D12DDI_SHADER_MODEL_6_0_RELEASE_0011,
];

/// # Safety
///
/// PFND3D12DDI_COMPILER_GET_CAPS: the pointers are null or valid for the call, `pData` for DataSize bytes.
unsafe extern "system" fn get_caps(
    handle: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    caps: *const D3D12DDIARG_GETCAPS,
) -> HRESULT {
    // SAFETY: null or valid (`# Safety`).
    let Some(caps) = (unsafe { caps.as_ref() }) else {
        return E_INVALIDARG;
    };
    if !is_open(handle) || application.is_null() || caps.pData.is_null() {
        return E_INVALIDARG;
    }
    // SAFETY: null or valid (`# Safety`).
    match unsafe { family::target(target) } {
        // SAFETY: `pData` is not null, so valid for DataSize bytes (`# Safety`).
        Ok((family, _)) => unsafe { answer(family, caps) },
        Err(failure) => failure,
    }
}

/// # Safety
///
/// `pData` is valid for DataSize bytes.
unsafe fn answer(family: &Family, caps: &D3D12DDIARG_GETCAPS) -> HRESULT {
    let features = family.has_features;
    // SAFETY: `pData` is valid for DataSize bytes (`# Safety`).
    unsafe {
        match caps.Type {
            D3D12DDICAPS_TYPE_SHADER => put(caps, &shader_caps(features)),
            D3D12DDICAPS_TYPE_D3D12_OPTIONS => put(caps, &options(features)),
            D3D12DDICAPS_TYPE_OPTIONS_0090 => put(caps, &D3D12DDI_OPTIONS_DATA_0090::zeroed()),
            D3D12DDICAPS_TYPE_OPTIONS_0091 => put(caps, &D3D12DDI_OPTIONS_DATA_0091::zeroed()),
            D3D12DDICAPS_TYPE_OPTIONS_0093 => put(caps, &D3D12DDI_OPTIONS_DATA_0093::zeroed()),
            D3D12DDICAPS_TYPE_OPTIONS_0098 => put(caps, &D3D12DDI_OPTIONS_DATA_0098::zeroed()),
            D3D12DDICAPS_TYPE_OPTIONS_0101 => put(caps, &D3D12DDI_OPTIONS_DATA_0101::zeroed()),
            D3D12DDICAPS_TYPE_OPTIONS_0102 => put(caps, &D3D12DDI_OPTIONS_DATA_0102::zeroed()),
            D3D12DDICAPS_TYPE_OPTIONS1_0103 => {
                let mut options = D3D12DDI_OPTIONS1_DATA_0103::zeroed();
                if features {
                    options.WorkGraphsTier = D3D12DDI_WORK_GRAPHS_TIER_1_0;
                }
                put(caps, &options)
            }
            D3D12DDICAPS_TYPE_OPTIONS_0109 => put(caps, &D3D12DDI_OPTIONS_DATA_0109::zeroed()),
            D3D12DDICAPS_TYPE_OPTIONS_0110 => {
                let mut options = D3D12DDI_OPTIONS_DATA_0110::zeroed();
                options.ExecuteIndirectTier = D3D12DDI_EXECUTE_INDIRECT_TIER_1_0;
                put(caps, &options)
            }
            D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110 => {
                put(caps, &D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110::zeroed())
            }
            D3D12DDICAPS_TYPE_0011_SHADER_MODELS => shader_models(features, caps),
            D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1 => level(caps),
            _ => DXGI_ERROR_UNSUPPORTED,
        }
    }
}

/// # Safety
///
/// `pData` is valid for DataSize bytes.
unsafe fn put<T: NoUninit>(caps: &D3D12DDIARG_GETCAPS, data: &T) -> HRESULT {
    if caps.DataSize as usize != size_of::<T>() {
        return DXGI_ERROR_MORE_DATA;
    }
    let bytes = bytes_of(data);
    let data = caps.pData.cast::<u8>();
    // SAFETY: as many bytes (`# Safety`).
    unsafe { data.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    S_OK
}

fn shader_caps(features: bool) -> D3D12DDI_SHADER_CAPS_0084 {
    let mut caps = D3D12DDI_SHADER_CAPS_0084::zeroed();
    if features {
        caps.WaveOps = TRUE;
        caps.WaveLaneCountMin = 4;
        caps.WaveLaneCountMax = 128;
        caps.TotalLaneCount = 1 << 16;
    }
    caps
}

fn options(features: bool) -> D3D12DDI_D3D12_OPTIONS_DATA_0089 {
    let mut options = D3D12DDI_D3D12_OPTIONS_DATA_0089::zeroed();
    options.ResourceBindingTier = D3D12DDI_RESOURCE_BINDING_TIER_3;
    options.ResourceHeapTier = D3D12DDI_RESOURCE_HEAP_TIER_1;
    if features {
        options.MeshShaderTier = D3D12DDI_MESH_SHADER_TIER_1;
        options.RaytracingTier = D3D12DDI_RAYTRACING_TIER_1_1;
    }
    options
}

/// # Safety
///
/// `pData` is valid for DataSize bytes, and what it has pointers to as the type says.
unsafe fn shader_models(features: bool, caps: &D3D12DDIARG_GETCAPS) -> HRESULT {
    if caps.DataSize as usize != size_of::<D3D12DDI_D3D12_SHADER_MODELS_DATA_0011>() {
        return DXGI_ERROR_MORE_DATA;
    }
    let models = &SHADER_MODELS[if features { 0 } else { 3 }..];
    let data = caps.pData.cast::<D3D12DDI_D3D12_SHADER_MODELS_DATA_0011>();
    // SAFETY: a structure of this type, with a count that is null or valid and an array that is null or as long as it
    // says (`# Safety`).
    unsafe {
        let data = data.read_unaligned();
        list(
            models,
            data.pNumShaderModelsSupported,
            data.pShaderModelsSupported,
        )
    }
}

/// # Safety
///
/// `pData` is valid for DataSize bytes.
unsafe fn level(caps: &D3D12DDIARG_GETCAPS) -> HRESULT {
    type Data = D3D12DDI_3DPIPELINESUPPORT1_DATA_0081;
    if caps.DataSize as usize != size_of::<Data>() {
        return DXGI_ERROR_MORE_DATA;
    }
    // SAFETY: as large as that (`# Safety`).
    let mut data = unsafe { caps.pData.cast::<Data>().read_unaligned() };
    // It has one level only.
    if data.HighestRuntimeSupportedFeatureLevel < D3D12DDI_3DPIPELINELEVEL_12_2 {
        return DXGI_ERROR_UNSUPPORTED;
    }
    data.MaximumDriverSupportedFeatureLevel = D3D12DDI_3DPIPELINELEVEL_12_2;
    // SAFETY: as large as that (`# Safety`).
    unsafe { put(caps, &data) }
}

/// Answers with a list. The count is written before anything else.
///
/// # Safety
///
/// The count is null or valid for reads and writes, the array null or as long as it says.
unsafe fn list<T: Copy>(list: &[T], count: *mut UINT, array: *mut T) -> HRESULT {
    // SAFETY: null or valid (`# Safety`).
    let Some(count) = (unsafe { count.as_mut() }) else {
        return E_INVALIDARG;
    };
    let capacity = *count as usize;
    *count = UINT::try_from(list.len()).unwrap_or(UINT::MAX);
    if array.is_null() {
        return S_OK;
    }
    // SAFETY: as long as the count said (`# Safety`).
    unsafe { array.copy_from_nonoverlapping(list.as_ptr(), list.len().min(capacity)) };
    if capacity < list.len() {
        DXGI_ERROR_MORE_DATA
    } else {
        S_OK
    }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES: the pointer is null or valid for writes.
unsafe extern "system" fn enumerate_adapter_families(
    handle: D3D12DDI_HCOMPILERDDI,
    index: UINT,
    to: *mut D3D12DDI_COMPILER_ADAPTER_FAMILY,
) -> HRESULT {
    // SAFETY: null or valid (`# Safety`).
    match (unsafe { to.as_mut() }, family::family(index)) {
        (Some(to), Some(family)) if is_open(handle) => {
            to.szAdapterFamily = family.name();
            S_OK
        }
        (Some(_), None) => DXGI_ERROR_NOT_FOUND,
        _ => E_INVALIDARG,
    }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS: the count is null or valid for reads and writes, the array
/// null or as long as it says.
unsafe extern "system" fn get_adapter_family_abi_versions(
    _: D3D12DDI_HCOMPILERDDI,
    index: UINT,
    count: *mut UINT,
    array: *mut u64,
) -> HRESULT {
    if let Some(family) = family::family(index) {
        // SAFETY: null, valid, or as long as the count says (`# Safety`).
        return unsafe { list(family.abi_versions, count, array) };
    }
    // SAFETY: null or valid (`# Safety`).
    if let Some(count) = unsafe { count.as_mut() } {
        *count = 0;
    }
    // Also where the count is null, of which the specification says both.
    DXGI_ERROR_NOT_FOUND
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_GET_COMPILER_VERSION: the pointer is null or valid for writes.
unsafe extern "system" fn get_compiler_version(
    _: D3D12DDI_HCOMPILERDDI,
    index: UINT,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    // SAFETY: null or valid (`# Safety`).
    match (unsafe { version.as_mut() }, family::family(index)) {
        (Some(version), Some(family)) => {
            *version = D3D12DDI_VERSION_NUMBER::from_bits(family.compiler_version);
            S_OK
        }
        (Some(_), None) => DXGI_ERROR_NOT_FOUND,
        (None, _) => E_INVALIDARG,
    }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION: the pointers are null or valid for the call.
unsafe extern "system" fn get_application_profile_version(
    _: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    // SAFETY: null or valid (`# Safety`).
    let (target, profile, version) = unsafe {
        (
            family::target(target),
            family::profile(application),
            version.as_mut(),
        )
    };
    match (target, profile, version) {
        (Ok(_), Ok(profile), Some(version)) => {
            *version = D3D12DDI_VERSION_NUMBER::from_bits(profile);
            S_OK
        }
        (Err(failure), ..) | (_, Err(failure), _) => failure,
        _ => E_INVALIDARG,
    }
}

/// Every format that there is can be sampled, one can be drawn to.
fn format_support(format: DXGI_FORMAT) -> UINT {
    match format {
        DXGI_FORMAT_R8G8B8A8_UNORM => {
            D3D12DDI_FORMAT_SUPPORT_RENDERTARGET | D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET
        }
        _ if format.name().is_some() => D3D12DDI_FORMAT_SUPPORT_SHADER_SAMPLE,
        _ => 0,
    }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT: the pointers are null or valid for the call.
unsafe extern "system" fn check_format_support(
    _: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    format: DXGI_FORMAT,
    support: *mut UINT,
) -> HRESULT {
    // SAFETY: null or valid (`# Safety`).
    match unsafe { (family::target(target), support.as_mut()) } {
        (Ok(_), Some(support)) => {
            *support = format_support(format);
            S_OK
        }
        (Err(failure), _) => failure,
        (_, None) => E_INVALIDARG,
    }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS: the target is null or valid for the call.
unsafe extern "system" fn check_multisample_quality_levels(
    _: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    format: DXGI_FORMAT,
    samples: UINT,
    level: UINT,
) -> BOOL {
    // SAFETY: null or valid (`# Safety`).
    let exists = unsafe { family::target(target) }.is_ok();
    let levels = match samples {
        1 => 1,
        16 => 33,
        _ => 0,
    };
    if exists && format == DXGI_FORMAT_R8G8B8A8_UNORM && level < levels {
        TRUE
    } else {
        FALSE
    }
}
