//! Opening an adapter: its functions, tables and features.

use core::ffi::c_void;

use bytemuck::Zeroable;

use crate::*;

/// An argument: `D3D12DDIARG_OPENADAPTER`. HAdapter is written by the driver; pAdapterFuncs points to the runtime's
/// table to fill.
///
/// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from the
/// WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_OPENADAPTER {
    /// x64 offset 0, x86 offset 0.
    pub hRTAdapter: D3D12DDI_HRTADAPTER,
    /// x64 offset 8, x86 offset 4.
    pub hAdapter: D3D12DDI_HADAPTER,
    /// x64 offset 16, x86 offset 8.
    pub pAdapterCallbacks: *const D3DDDI_ADAPTERCALLBACKS,
    /// x64 offset 24, x86 offset 12.
    pub pAdapterFuncs: *mut D3D12DDI_ADAPTERFUNCS,
}

/// The structure of `pAdapterCallbacks` in [`D3D12DDIARG_OPENADAPTER`].
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3DDDI_ADAPTERCALLBACKS {
    /// x64 offset 0, x86 offset 0.
    pub pfnQueryAdapterInfoCb: PFND3DDDI_QUERYADAPTERINFOCB,
    /// x64 offset 8, x86 offset 4.
    pub pfnGetMultisampleMethodListCb: PFND3DDDI_GETMULTISAMPLEMETHODLISTCB,
    /// x64 offset 16, x86 offset 8.
    pub pfnQueryAdapterInfoCb2: PFND3DDDI_QUERYADAPTERINFOCB2,
}

/// An argument of a callback: `D3DDDICB_QUERYADAPTERINFO`.
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3DDDICB_QUERYADAPTERINFO {
    /// x64 offset 0, x86 offset 0.
    pub pPrivateDriverData: *mut c_void,
    /// x64 offset 8, x86 offset 4.
    pub PrivateDriverDataSize: UINT,
}

/// An argument of a callback: `D3DDDICB_QUERYADAPTERINFO2`. PrivateDriverDataSize is in/out for the driver-blob query.
///
/// Source: bindings generated from the SDK 10.0.26100 header and Application_Specific_Driver_State.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3DDDICB_QUERYADAPTERINFO2 {
    /// x64 offset 0, x86 offset 0.
    pub QueryType: D3DDDI_QUERYADAPTERTYPE,
    /// x64 offset 8, x86 offset 4.
    pub pPrivateDriverData: *mut c_void,
    /// x64 offset 16, x86 offset 8.
    pub PrivateDriverDataSize: UINT,
}

/// The structure of `pAdapterFuncs` in [`D3D12DDIARG_OPENADAPTER`]. RecreateAtGpuva.md and bindings generated from the
/// SDK 10.0.26100 header name the 0109 variant D3D12DDI_ADAPTERFUNCS_0109: same eight slots, pfnCreateDevice then has
/// type PFND3D12DDI_CREATEDEVICE_0109.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_ADAPTERFUNCS {
    /// x64 offset 0, x86 offset 0.
    pub pfnCalcPrivateDeviceSize: PFND3D12DDI_CALCPRIVATEDEVICESIZE,
    /// x64 offset 8, x86 offset 4.
    pub pfnCreateDevice: PFND3D12DDI_CREATEDEVICE_0003,
    /// x64 offset 16, x86 offset 8.
    pub pfnCloseAdapter: PFND3D12DDI_CLOSEADAPTER,
    /// x64 offset 24, x86 offset 12.
    pub pfnGetSupportedVersions: PFND3D12DDI_GETSUPPORTEDVERSIONS,
    /// x64 offset 32, x86 offset 16.
    pub pfnGetCaps: PFND3D12DDI_GETCAPS,
    /// x64 offset 40, x86 offset 20.
    pub pfnGetOptionalDDITables: PFND3D12DDI_GETOPTIONALDDITTABLES,
    /// x64 offset 48, x86 offset 24.
    pub pfnFillDDITable: PFND3D12DDI_FILLDDITTABLE,
    /// x64 offset 56, x86 offset 28.
    pub pfnDestroyDevice: PFND3D12DDI_DESTROYDEVICE,
}

/// The structure that [`PFND3D12DDI_GETOPTIONALDDITTABLES`] takes as `pTableRequest`.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_TABLE_REQUEST {
    /// x64 offset 0, x86 offset 0.
    pub tableType: D3D12DDI_TABLE_TYPE,
    /// x64 offset 4, x86 offset 4.
    pub numTables: UINT,
}

/// The structure `D3D12DDI_EXTENDED_FEATURES_FUNCS_0096`. Filled for table type 27 (and, as _0021, for type 8). The
/// first member's type is PFND3D12DDI_GET_SUPPORTED_EXTENDED_FEATURES_0096, whose parameters are unread: assume those
/// of _0020.
///
/// Source: bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_EXTENDED_FEATURES_FUNCS_0096 {
    /// x64 offset 0, x86 offset 0.
    pub pfnGetSupportedExtendedFeatures: PFND3D12DDI_UNKNOWN,
    /// x64 offset 8, x86 offset 4.
    pub pfnGetSupportedExtendedFeatureVersions:
        PFND3D12DDI_GET_SUPPORTED_EXTENDED_FEATURE_VERSIONS_0020,
    /// x64 offset 16, x86 offset 8.
    pub pfnEnableExtendedFeature: PFND3D12DDI_ENABLE_EXTENDED_FEATURE_0020,
    /// x64 offset 24, x86 offset 12.
    pub pfnSetExtendedFeatureCallbacks: PFND3D12DDI_SET_EXTENDED_FEATURE_CALLBACKS_0021,
}

/// The function type `PFND3D12DDI_OPENADAPTER`. Library export name `OpenAdapter12`.
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_OPENADAPTER =
    Option<unsafe extern "system" fn(pOpenadapter: *mut D3D12DDIARG_OPENADAPTER) -> HRESULT>;

/// The function `pfnCalcPrivateDeviceSize` of [`D3D12DDI_ADAPTERFUNCS`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CALCPRIVATEDEVICESIZE = Option<
    unsafe extern "system" fn(
        hAdapter: D3D12DDI_HADAPTER,
        pCalcprivatedevicesize: *const D3D12DDIARG_CALCPRIVATEDEVICESIZE,
    ) -> SIZE_T,
>;

/// The function `pfnCreateDevice` of [`D3D12DDI_ADAPTERFUNCS`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATEDEVICE_0003 = Option<
    unsafe extern "system" fn(
        hAdapter: D3D12DDI_HADAPTER,
        pCreatedevice: *const D3D12DDIARG_CREATEDEVICE_0003,
    ) -> HRESULT,
>;

/// The function type `PFND3D12DDI_CREATEDEVICE_0109`. Same slot; the negotiated version decides which structure is
/// passed.
///
/// Source: RecreateAtGpuva.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATEDEVICE_0109 = Option<
    unsafe extern "system" fn(
        hAdapter: D3D12DDI_HADAPTER,
        pCreatedevice: *const D3D12DDIARG_CREATEDEVICE_0109,
    ) -> HRESULT,
>;

/// The function `pfnCloseAdapter` of [`D3D12DDI_ADAPTERFUNCS`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CLOSEADAPTER =
    Option<unsafe extern "system" fn(hAdapter: D3D12DDI_HADAPTER) -> HRESULT>;

/// The function `pfnGetSupportedVersions` of [`D3D12DDI_ADAPTERFUNCS`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_GETSUPPORTEDVERSIONS = Option<
    unsafe extern "system" fn(
        hAdapter: D3D12DDI_HADAPTER,
        puEntries: *mut UINT32,
        pSupportedDDIInterfaceVersions: *mut UINT64,
    ) -> HRESULT,
>;

/// The function `pfnGetCaps` of [`D3D12DDI_ADAPTERFUNCS`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_GETCAPS = Option<
    unsafe extern "system" fn(
        hAdapter: D3D12DDI_HADAPTER,
        pGetcaps: *const D3D12DDIARG_GETCAPS,
    ) -> HRESULT,
>;

/// The function `pfnDestroyDevice` of [`D3D12DDI_ADAPTERFUNCS`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROYDEVICE = Option<unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE)>;

/// The function type `PFND3D12DDI_GET_SUPPORTED_EXTENDED_FEATURES_0020`. Count in/out, array may be null.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_GET_SUPPORTED_EXTENDED_FEATURES_0020 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        puFeatures: *mut UINT32,
        pFeatures: *mut D3D12DDI_FEATURE_0020,
    ) -> HRESULT,
>;

/// The function `pfnGetSupportedExtendedFeatureVersions` of [`D3D12DDI_EXTENDED_FEATURES_FUNCS_0096`]. Versions are
/// UINT32 here, not UINT64.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_GET_SUPPORTED_EXTENDED_FEATURE_VERSIONS_0020 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        Feature: D3D12DDI_FEATURE_0020,
        puFeatureVersions: *mut UINT32,
        pFeatureVersions: *mut UINT32,
    ) -> HRESULT,
>;

/// The function `pfnEnableExtendedFeature` of [`D3D12DDI_EXTENDED_FEATURES_FUNCS_0096`].
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_ENABLE_EXTENDED_FEATURE_0020 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        Feature: D3D12DDI_FEATURE_0020,
        FeatureVersion: UINT32,
    ) -> HRESULT,
>;

/// The function `pfnSetExtendedFeatureCallbacks` of [`D3D12DDI_EXTENDED_FEATURES_FUNCS_0096`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_SET_EXTENDED_FEATURE_CALLBACKS_0021 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        Table: D3D12DDI_TABLE_TYPE,
        pTable: *const c_void,
        TableSize: SIZE_T,
    ) -> HRESULT,
>;

/// The function `pfnGetOptionalDDITables` of [`D3D12DDI_ADAPTERFUNCS`]. Header spelling of the type:
/// PFND3D12DDI_GETOPTIONALDDITTABLES (double T).
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_GETOPTIONALDDITTABLES = Option<
    unsafe extern "system" fn(
        hAdapter: D3D12DDI_HADAPTER,
        puEntries: *mut UINT32,
        pTableRequest: *mut D3D12DDI_TABLE_REQUEST,
    ) -> HRESULT,
>;

/// The function `pfnFillDDITable` of [`D3D12DDI_ADAPTERFUNCS`]. Header spelling of the type: PFND3D12DDI_FILLDDITTABLE
/// (double T).
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_FILLDDITTABLE = Option<
    unsafe extern "system" fn(
        hAdapter: D3D12DDI_HADAPTER,
        TableType: D3D12DDI_TABLE_TYPE,
        pTable: *mut c_void,
        tableSize: SIZE_T,
        tableNum: UINT,
        hRTTable: D3D12DDI_HRTTABLE,
    ) -> HRESULT,
>;

/// The function `pfnQueryAdapterInfoCb` of [`D3DDDI_ADAPTERCALLBACKS`].
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
pub type PFND3DDDI_QUERYADAPTERINFOCB = Option<
    unsafe extern "system" fn(
        hAdapter: HANDLE,
        pD3dddicbQueryadapterinfo: *const D3DDDICB_QUERYADAPTERINFO,
    ) -> HRESULT,
>;

/// The function `pfnQueryAdapterInfoCb2` of [`D3DDDI_ADAPTERCALLBACKS`]. PrivateDriverDataSize of its argument is
/// written for the driver-blob query.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
pub type PFND3DDDI_QUERYADAPTERINFOCB2 = Option<
    unsafe extern "system" fn(
        hAdapter: HANDLE,
        pD3dddicbQueryadapterinfo2: *mut D3DDDICB_QUERYADAPTERINFO2,
    ) -> HRESULT,
>;

/// The function `pfnGetMultisampleMethodListCb` of [`D3DDDI_ADAPTERCALLBACKS`]. Its argument has no public layout.
///
/// Source: bindings generated from the SDK 10.0.26100 header.
pub type PFND3DDDI_GETMULTISAMPLEMETHODLISTCB =
    Option<unsafe extern "system" fn(hAdapter: HANDLE, pVoid: *mut c_void) -> HRESULT>;

ddi_enum! {
    /// The enumeration of `QueryType` in [`D3DDDICB_QUERYADAPTERINFO2`]. ShaderCompilerPlugin.md also uses
    /// D3DDDI_QUERYADAPTERTYPE_APPLICATIONDESC: value UNKNOWN, recommended 3 (next free); pPrivateDriverData then
    /// points to a D3D12DDI_APPLICATION_DESC.
    ///
    /// Source: Application_Specific_Driver_State.md and bindings generated from the SDK 10.0.26100 header.
    pub enum D3DDDI_QUERYADAPTERTYPE {
        /// Value 0.
        D3DDDI_QUERYADAPTERTYPE_DRIVERPRIVATE = 0,
        /// Value 1.
        D3DDDI_QUERYADAPTERTYPE_QUERYREGISTRY = 1,
        /// Value 2.
        D3DDDI_QUERYADAPTERTYPE_APPLICATIONSPECIFICDRIVERBLOB = 2,
    }
}

ddi_enum! {
    /// The enumeration that [`PFND3D12DDI_SET_EXTENDED_FEATURE_CALLBACKS_0021`] and [`PFND3D12DDI_FILLDDITTABLE`] take.
    /// Gaps (5, 6, 18, 28, 29) are reserved; 26 is named 0110_STATE_OBJECTS_EXPERIMENT in the 28000 header, where 9 is
    /// gone.
    ///
    /// Source: the WDK reference pages, bindings generated from the SDK 10.0.26100 header and bindings generated from
    /// the WDK 10.0.28000 header.
    pub enum D3D12DDI_TABLE_TYPE {
        /// Value 0.
        D3D12DDI_TABLE_TYPE_DEVICE_CORE = 0,
        /// Value 1.
        D3D12DDI_TABLE_TYPE_COMMAND_LIST_3D = 1,
        /// Value 2.
        D3D12DDI_TABLE_TYPE_COMMAND_QUEUE_3D = 2,
        /// Value 3.
        D3D12DDI_TABLE_TYPE_DXGI = 3,
        /// Value 4.
        D3D12DDI_TABLE_TYPE_0020_DEVICE_VIDEO = 4,
        /// Value 7.
        D3D12DDI_TABLE_TYPE_0020_DEVICE_CORE_VIDEO = 7,
        /// Value 8.
        D3D12DDI_TABLE_TYPE_0020_EXTENDED_FEATURES = 8,
        /// Value 9.
        D3D12DDI_TABLE_TYPE_0020_PASS_EXPERIMENT = 9,
        /// Value 10.
        D3D12DDI_TABLE_TYPE_0021_SHADERCACHE_CALLBACKS = 10,
        /// Value 11.
        D3D12DDI_TABLE_TYPE_0022_COMMAND_QUEUE_VIDEO_DECODE = 11,
        /// Value 12.
        D3D12DDI_TABLE_TYPE_0022_COMMAND_LIST_VIDEO_DECODE = 12,
        /// Value 13.
        D3D12DDI_TABLE_TYPE_0022_COMMAND_QUEUE_VIDEO_PROCESS = 13,
        /// Value 14.
        D3D12DDI_TABLE_TYPE_0022_COMMAND_LIST_VIDEO_PROCESS = 14,
        /// Value 15.
        D3D12DDI_TABLE_TYPE_0030_DEVICE_CONTENT_PROTECTION_RESOURCES = 15,
        /// Value 16.
        D3D12DDI_TABLE_TYPE_0030_CONTENT_PROTECTION_CALLBACKS = 16,
        /// Value 17.
        D3D12DDI_TABLE_TYPE_0030_DEVICE_CONTENT_PROTECTION_STREAMING = 17,
        /// Value 19.
        D3D12DDI_TABLE_TYPE_0033_METACOMMAND = 19,
        /// Value 20.
        D3D12DDI_TABLE_TYPE_0043_RENDER_PASS = 20,
        /// Value 21.
        D3D12DDI_TABLE_TYPE_0053_COMMAND_LIST_VIDEO_ENCODE = 21,
        /// Value 22.
        D3D12DDI_TABLE_TYPE_0053_COMMAND_QUEUE_VIDEO_ENCODE = 22,
        /// Value 23.
        D3D12DDI_TABLE_TYPE_0054_DOWNLEVEL_SUPPORT_CALLBACKS = 23,
        /// Value 24.
        D3D12DDI_TABLE_TYPE_0054_DEVICE_DOWNLEVEL_SUPPORT = 24,
        /// Value 25.
        D3D12DDI_TABLE_TYPE_0076_PIN_RESOURCES_CALLBACKS = 25,
        /// Value 26.
        D3D12DDI_TABLE_TYPE_0084_STATE_OBJECTS_EXPERIMENT = 26,
        /// Value 27.
        D3D12DDI_TABLE_TYPE_0096_EXTENDED_FEATURES = 27,
        /// Value 30. 28000 header; DDI 0114.
        D3D12DDI_TABLE_TYPE_0114_SHADERCACHE_FUNCS = 30,
    }
}

ddi_enum! {
    /// The enumeration that [`PFND3D12DDI_GET_SUPPORTED_EXTENDED_FEATURES_0020`],
    /// [`PFND3D12DDI_GET_SUPPORTED_EXTENDED_FEATURE_VERSIONS_0020`] and [`PFND3D12DDI_ENABLE_EXTENDED_FEATURE_0020`]
    /// take. The 28000 header drops 3 and 13.
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_FEATURE_0020 {
        /// Value 2.
        D3D12DDI_FEATURE_0020_VIDEO = 2,
        /// Value 3.
        D3D12DDI_FEATURE_0020_PASS_EXPERIMENT = 3,
        /// Value 4.
        D3D12DDI_FEATURE_0021_SHADERCACHING = 4,
        /// Value 5.
        D3D12DDI_FEATURE_0030_CONTENT_PROTECTION_RESOURCES = 5,
        /// Value 6.
        D3D12DDI_FEATURE_0030_CONTENT_PROTECTION_STREAMING = 6,
        /// Value 9.
        D3D12DDI_FEATURE_0033_METACOMMAND = 9,
        /// Value 10.
        D3D12DDI_FEATURE_0043_RENDER_PASS = 10,
        /// Value 11.
        D3D12DDI_FEATURE_0054_DOWNLEVEL_SUPPORT = 11,
        /// Value 12.
        D3D12DDI_FEATURE_0076_PIN_RESOURCES = 12,
        /// Value 13.
        D3D12DDI_FEATURE_0084_STATE_OBJECTS_EXPERIMENT = 13,
    }
}
