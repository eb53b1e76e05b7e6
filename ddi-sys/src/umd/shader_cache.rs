//! The shader cache feature: callbacks of the runtime, functions of the driver.

use core::ffi::c_void;

use bytemuck::Zeroable;

use crate::*;

/// The structure `D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0114`. Older shape, no versions.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0114 {
    /// x64 offset 0, x86 offset 0.
    pub szAdapterFamily: [WCHAR; 128],
    /// x64 offset 256, x86 offset 256.
    pub MinimumABISupportVersion: UINT32,
    /// x64 offset 260, x86 offset 260.
    pub MaximumABISupportVersion: UINT32,
}

/// The structure `D3D12DDI_SHADERCACHE_CALLBACKS_0021`.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_SHADERCACHE_CALLBACKS_0021 {
    /// x64 offset 0, x86 offset 0.
    pub pfnShaderCacheGetValueCb: PFND3D12DDI_SHADERCACHEGETVALUE_CB_0021,
    /// x64 offset 8, x86 offset 4.
    pub pfnShaderCacheStoreValueCb: PFND3D12DDI_SHADERCACHESTOREVALUE_CB_0021,
}

/// The structure `D3D12DDI_SHADERCACHE_CALLBACKS_0114`.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_SHADERCACHE_CALLBACKS_0114 {
    /// x64 offset 0, x86 offset 0.
    pub pfnShaderCacheGetValueCb: PFND3D12DDI_SHADERCACHE_GETVALUE_CB_0114,
    /// x64 offset 8, x86 offset 4.
    pub pfnShaderCacheStoreValueCb: PFND3D12DDI_SHADERCACHE_STOREVALUE_CB_0114,
    /// x64 offset 16, x86 offset 8.
    pub pfnShaderCacheGetDescCb: PFND3D12DDI_SHADERCACHE_GETDESC_CB_0114,
}

/// The structure `D3D12DDI_SHADERCACHE_CALLBACKS_0118`.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_SHADERCACHE_CALLBACKS_0118 {
    /// x64 offset 0, x86 offset 0.
    pub pfnShaderCacheGetValueCb: PFND3D12DDI_SHADERCACHE_GETVALUE_CB_0114,
    /// x64 offset 8, x86 offset 4.
    pub pfnShaderCacheStoreValueCb: PFND3D12DDI_SHADERCACHE_STOREVALUE_CB_0114,
    /// x64 offset 16, x86 offset 8.
    pub pfnShaderCacheUnusedValueCb: PFND3D12DDI_SHADERCACHE_UNUSEDVALUE_CB,
}

/// The structure `D3D12DDI_SHADERCACHE_FUNCS_0114`.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_SHADERCACHE_FUNCS_0114 {
    /// x64 offset 0, x86 offset 0.
    pub pfnShaderCacheGetCaps: PFND3D12DDI_SHADERCACHE_GETCAPS,
    /// x64 offset 8, x86 offset 4.
    pub pfnShaderCacheAllocationFunc: PFND3D12DDI_SHADERCACHEALLOCATIONFUNC,
    /// x64 offset 16, x86 offset 8.
    pub pfnShaderCacheSetApplicationInfo: PFND3D12DDI_SHADERCACHE_SETAPPLICATIONINFO,
}

/// The structure `D3D12DDI_SHADERCACHE_FUNCS_0118`.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_SHADERCACHE_FUNCS_0118 {
    /// x64 offset 0, x86 offset 0.
    pub pfnShaderCacheGetCaps: PFND3D12DDI_SHADERCACHE_GETCAPS,
}

/// The structure that [`PFND3D12DDI_SHADERCACHE_GETVALUE_CB_0114`] and [`PFND3D12DDI_SHADERCACHE_STOREVALUE_CB_0114`]
/// take.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_SHADER_CACHE_VALUE {
    /// x64 offset 0, x86 offset 0.
    pub pValue: *mut c_void,
    /// x64 offset 8, x86 offset 4.
    pub ValueSize: SIZE_T,
}

/// The function `pfnShaderCacheGetValueCb` of [`D3D12DDI_SHADERCACHE_CALLBACKS_0021`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SHADERCACHEGETVALUE_CB_0021 = Option<
    unsafe extern "system" fn(
        hRTDevice: D3D12DDI_HRTDEVICE,
        hRTPSO: D3D12DDI_HRTPIPELINESTATE,
        pPrecomputedHash: *const D3D12DDI_SHADERCACHE_HASH,
        pKey: *const c_void,
        KeyLen: SIZE_T,
        pValue: *mut c_void,
        pValueLen: *mut SIZE_T,
    ) -> HRESULT,
>;

/// The function `pfnShaderCacheStoreValueCb` of [`D3D12DDI_SHADERCACHE_CALLBACKS_0021`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SHADERCACHESTOREVALUE_CB_0021 = Option<
    unsafe extern "system" fn(
        hRTDevice: D3D12DDI_HRTDEVICE,
        hRTPSO: D3D12DDI_HRTPIPELINESTATE,
        pPrecomputedHash: *const D3D12DDI_SHADERCACHE_HASH,
        pKey: *const c_void,
        KeyLen: SIZE_T,
        pValue: *const c_void,
        ValueLen: SIZE_T,
    ) -> HRESULT,
>;

/// The function `pfnShaderCacheGetCaps` of [`D3D12DDI_SHADERCACHE_FUNCS_0114`] and [`D3D12DDI_SHADERCACHE_FUNCS_0118`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SHADERCACHE_GETCAPS = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pShadercacheGetcaps: *const D3D12DDIARG_SHADERCACHE_GETCAPS,
    ) -> HRESULT,
>;

/// The function `pfnShaderCacheAllocationFunc` of [`D3D12DDI_SHADERCACHE_FUNCS_0114`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SHADERCACHEALLOCATIONFUNC =
    Option<unsafe extern "system" fn(SizeInBytes: SIZE_T, pContext: *mut c_void) -> *mut c_void>;

/// The function `pfnShaderCacheSetApplicationInfo` of [`D3D12DDI_SHADERCACHE_FUNCS_0114`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SHADERCACHE_SETAPPLICATIONINFO = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pApplicationDesc: *const D3D12DDI_APPLICATION_DESC,
    ) -> *mut c_void,
>;

/// The function `pfnShaderCacheGetValueCb` of [`D3D12DDI_SHADERCACHE_CALLBACKS_0114`] and
/// [`D3D12DDI_SHADERCACHE_CALLBACKS_0118`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SHADERCACHE_GETVALUE_CB_0114 = Option<
    unsafe extern "system" fn(
        hRTDevice: D3D12DDI_HRTDEVICE,
        hRTObject: D3D12DDI_HANDLE_AND_TYPE,
        pKey: *const c_void,
        KeyLen: SIZE_T,
        ShadercacheGetValueFlags: D3D12DDI_SHADERCACHE_GET_VALUE_FLAGS,
        pObjectCode: *mut D3D12DDI_SHADER_CACHE_VALUE,
        pCompilerMetadata: *mut D3D12DDI_SHADER_CACHE_VALUE,
        PFND3D12DDI_SHADERCACHEALLOCATIONFUNC: PFND3D12DDI_SHADERCACHEALLOCATIONFUNC,
        pContext: *mut c_void,
    ) -> HRESULT,
>;

/// The function `pfnShaderCacheStoreValueCb` of [`D3D12DDI_SHADERCACHE_CALLBACKS_0114`] and
/// [`D3D12DDI_SHADERCACHE_CALLBACKS_0118`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SHADERCACHE_STOREVALUE_CB_0114 = Option<
    unsafe extern "system" fn(
        hRTDevice: D3D12DDI_HRTDEVICE,
        hRTObject: D3D12DDI_HANDLE_AND_TYPE,
        pKey: *const c_void,
        KeyLen: SIZE_T,
        pObjectCode: *const D3D12DDI_SHADER_CACHE_VALUE,
        pCompilerMetadata: *const D3D12DDI_SHADER_CACHE_VALUE,
    ) -> HRESULT,
>;

/// The function `pfnShaderCacheGetDescCb` of [`D3D12DDI_SHADERCACHE_CALLBACKS_0114`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SHADERCACHE_GETDESC_CB_0114 = Option<
    unsafe extern "system" fn(
        hRTDevice: D3D12DDI_HRTDEVICE,
        hRTStateobject: D3D12DDI_HRTSTATEOBJECT_0054,
        pCreateStateObject: *mut D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    ) -> HRESULT,
>;

/// The function `pfnShaderCacheUnusedValueCb` of [`D3D12DDI_SHADERCACHE_CALLBACKS_0118`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SHADERCACHE_UNUSEDVALUE_CB = Option<
    unsafe extern "system" fn(
        hRTDevice: D3D12DDI_HRTDEVICE,
        hRTObject: D3D12DDI_HANDLE_AND_TYPE,
        pKey: *const c_void,
        KeyLen: SIZE_T,
        ShadercacheUnusedValueFlags: D3D12DDI_SHADERCACHE_UNUSED_VALUE_FLAGS,
    ) -> HRESULT,
>;

ddi_flags! {
    /// The enumeration that [`PFND3D12DDI_SHADERCACHE_GETVALUE_CB_0114`] takes as `ShadercacheGetValueFlags`.
    /// Enumerator names abbreviated.
    ///
    /// Source: bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_SHADERCACHE_GET_VALUE_FLAGS {
        /// Value 0.
        D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_STORED_VALUES_ONLY = 1,
        /// Value 2.
        D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_0118_PSDB_MISS_EXPECTED = 2,
    }
}

ddi_flags! {
    /// The enumeration that [`PFND3D12DDI_SHADERCACHE_UNUSEDVALUE_CB`] takes as `ShadercacheUnusedValueFlags`.
    /// Enumerator names abbreviated.
    ///
    /// Source: bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_SHADERCACHE_UNUSED_VALUE_FLAGS {
        /// Value 0.
        D3D12DDI_SHADERCACHE_UNUSED_VALUE_FLAG_NONE = 0,
    }
}

ddi_flags! {
    /// The enumeration that [`PFND3D12DDI_IMPLICITSHADERCACHECONTROL_0080`] takes as `ImplicitShaderCacheControlFlags`.
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_IMPLICIT_SHADER_CACHE_CONTROL_FLAGS_0080 {
        /// Value 1.
        D3D12DDI_IMPLICIT_SHADER_CACHE_CONTROL_FLAG_0080_DISABLE = 1,
        /// Value 2.
        D3D12DDI_IMPLICIT_SHADER_CACHE_CONTROL_FLAG_0080_ENABLE = 2,
        /// Value 4.
        D3D12DDI_IMPLICIT_SHADER_CACHE_CONTROL_FLAG_0080_CLEAR = 4,
    }
}
