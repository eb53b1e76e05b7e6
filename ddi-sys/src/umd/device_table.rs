//! The device core tables.

use core::ffi::c_void;

use bytemuck::Zeroable;

use crate::*;

/// The function `pfnCheckFormatSupport` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CHECKFORMATSUPPORT = Option<
    unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, Format: DXGI_FORMAT, pUint: *mut UINT),
>;

/// The function `pfnCheckMultisampleQualityLevels` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CHECKMULTISAMPLEQUALITYLEVELS = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        Format: DXGI_FORMAT,
        SampleCount: UINT,
        Flags: D3D12DDI_MULTISAMPLE_QUALITY_LEVEL_FLAGS,
        pNumQualityLevels: *mut UINT,
    ),
>;

/// The function `pfnGetMipPacking` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_GETMIPPACKING = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hTiledResource: D3D12DDI_HRESOURCE,
        pNumPackedMips: *mut UINT,
        pNumTilesForPackedMips: *mut UINT,
    ),
>;

/// The function `pfnCalcPrivateElementLayoutSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CALCPRIVATEELEMENTLAYOUTSIZE_0010 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateelementlayout: *const D3D12DDIARG_CREATEELEMENTLAYOUT_0010,
    ) -> SIZE_T,
>;

/// The function `pfnCreateElementLayout` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CREATEELEMENTLAYOUT_0010 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateelementlayout: *const D3D12DDIARG_CREATEELEMENTLAYOUT_0010,
        hElementlayout: D3D12DDI_HELEMENTLAYOUT,
    ),
>;

/// The function `pfnDestroyElementLayout` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROYELEMENTLAYOUT = Option<
    unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, hElementlayout: D3D12DDI_HELEMENTLAYOUT),
>;

/// The function `pfnCalcPrivateBlendStateSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CALCPRIVATEBLENDSTATESIZE_0010 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pBlendDesc: *const D3D12DDI_BLEND_DESC_0010,
    ) -> SIZE_T,
>;

/// The function `pfnCreateBlendState` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CREATEBLENDSTATE_0010 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pBlendDesc: *const D3D12DDI_BLEND_DESC_0010,
        hBlendstate: D3D12DDI_HBLENDSTATE,
    ),
>;

/// The function `pfnDestroyBlendState` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROYBLENDSTATE =
    Option<unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, hBlendstate: D3D12DDI_HBLENDSTATE)>;

/// The function `pfnCalcPrivateDepthStencilStateSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: VulkanOn12.md.
pub type PFND3D12DDI_CALCPRIVATEDEPTHSTENCILSTATESIZE_0095 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pDepthStencilDesc: *const D3D12DDI_DEPTH_STENCIL_DESC_0095,
    ) -> SIZE_T,
>;

/// The function `pfnCreateDepthStencilState` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: VulkanOn12.md.
pub type PFND3D12DDI_CREATEDEPTHSTENCILSTATE_0095 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pDepthStencilDesc: *const D3D12DDI_DEPTH_STENCIL_DESC_0095,
        hDepthstencilstate: D3D12DDI_HDEPTHSTENCILSTATE,
    ),
>;

/// The function `pfnDestroyDepthStencilState` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROYDEPTHSTENCILSTATE = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hDepthstencilstate: D3D12DDI_HDEPTHSTENCILSTATE,
    ),
>;

/// The function `pfnCalcPrivateRasterizerStateSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: bindings generated from the WDK 10.0.28000 header and VulkanOn12.md.
pub type PFND3D12DDI_CALCPRIVATERASTERIZERSTATESIZE_0102 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pRasterizerDesc: *const D3D12DDI_RASTERIZER_DESC_0102,
    ) -> SIZE_T,
>;

/// The function `pfnCreateRasterizerState` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: bindings generated from the WDK 10.0.28000 header and VulkanOn12.md.
pub type PFND3D12DDI_CREATERASTERIZERSTATE_0102 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pRasterizerDesc: *const D3D12DDI_RASTERIZER_DESC_0102,
        hRasterizerstate: D3D12DDI_HRASTERIZERSTATE,
    ),
>;

/// The function `pfnDestroyRasterizerState` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROYRASTERIZERSTATE = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hRasterizerstate: D3D12DDI_HRASTERIZERSTATE,
    ),
>;

/// The function `pfnCalcPrivateShaderSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], and of 8 more members.
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CALC_PRIVATE_SHADER_SIZE_0026 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateShader: *const D3D12DDIARG_CREATE_SHADER_0026,
    ) -> SIZE_T,
>;

/// The function `pfnCreateVertexShader` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], and of 23 more members. Shared by all
/// eight shader stages.
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATE_SHADER_0026 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateShader: *const D3D12DDIARG_CREATE_SHADER_0026,
        hShader: D3D12DDI_HSHADER,
    ),
>;

/// The function `pfnCalcPrivateGeometryShaderWithStreamOutput` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CALC_PRIVATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026 = Option<unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, pCreateGeometryShaderWithStreamOutput: *const D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026) -> SIZE_T>;

/// The function `pfnCreateGeometryShaderWithStreamOutput` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026 = Option<unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, pCreateGeometryShaderWithStreamOutput: *const D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026, hShader: D3D12DDI_HSHADER)>;

/// The function `pfnDestroyShader` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROYSHADER =
    Option<unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, hShader: D3D12DDI_HSHADER)>;

/// The function `pfnCalcPrivateCommandQueueSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CALCPRIVATECOMMANDQUEUESIZE_0050 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreatecommandqueue: *const D3D12DDIARG_CREATECOMMANDQUEUE_0050,
    ) -> SIZE_T,
>;

/// The function `pfnCreateCommandQueue` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CREATECOMMANDQUEUE_0050 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreatecommandqueue: *const D3D12DDIARG_CREATECOMMANDQUEUE_0050,
        hCommandqueue: D3D12DDI_HCOMMANDQUEUE,
        hRTCommandqueue: D3D12DDI_HRTCOMMANDQUEUE,
    ) -> HRESULT,
>;

/// The function `pfnDestroyCommandQueue` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROYCOMMANDQUEUE = Option<
    unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, hCommandqueue: D3D12DDI_HCOMMANDQUEUE),
>;

/// The function `pfnCalcPrivateCommandPoolSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CALC_PRIVATE_COMMAND_POOL_SIZE_0040 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateCommandPool: *const D3D12DDIARG_CREATE_COMMAND_POOL_0040,
    ) -> SIZE_T,
>;

/// The function `pfnCreateCommandPool` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CREATE_COMMAND_POOL_0040 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateCommandPool: *const D3D12DDIARG_CREATE_COMMAND_POOL_0040,
        hCommandpool: D3D12DDI_HCOMMANDPOOL_0040,
    ) -> HRESULT,
>;

/// The function `pfnDestroyCommandPool` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_DESTROY_COMMAND_POOL_0040 = Option<
    unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, hCommandpool: D3D12DDI_HCOMMANDPOOL_0040),
>;

/// The function `pfnResetCommandPool` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_RESET_COMMAND_POOL_0040 = Option<
    unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, hCommandpool: D3D12DDI_HCOMMANDPOOL_0040),
>;

/// The function `pfnCalcPrivatePipelineStateSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: VulkanOn12.md.
pub type PFND3D12DDI_CALC_PRIVATE_PIPELINE_STATE_SIZE_0099 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreatePipelineState: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    ) -> SIZE_T,
>;

/// The function `pfnCreatePipelineState` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: VulkanOn12.md.
pub type PFND3D12DDI_CREATE_PIPELINE_STATE_0099 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreatePipelineState: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
        hPipelinestate: D3D12DDI_HPIPELINESTATE,
        hRTPipelinestate: D3D12DDI_HRTPIPELINESTATE,
    ) -> HRESULT,
>;

/// The function `pfnDestroyPipelineState` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROY_PIPELINE_STATE = Option<
    unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, hPipelinestate: D3D12DDI_HPIPELINESTATE),
>;

/// The function `pfnCalcPrivateCommandListSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CALC_PRIVATE_COMMAND_LIST_SIZE_0040 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateCommandList: *const D3D12DDIARG_CREATE_COMMAND_LIST_0040,
    ) -> SIZE_T,
>;

/// The function `pfnCreateCommandList` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CREATE_COMMAND_LIST_0040 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateCommandList: *const D3D12DDIARG_CREATE_COMMAND_LIST_0040,
        hCommandlist: D3D12DDI_HCOMMANDLIST,
        hRTCommandlist: D3D12DDI_HRTCOMMANDLIST,
    ) -> HRESULT,
>;

/// The function `pfnDestroyCommandList` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROYCOMMANDLIST = Option<
    unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, hCommandlist: D3D12DDI_HCOMMANDLIST),
>;

/// The function `pfnCalcPrivateFenceSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CALCPRIVATEFENCESIZE = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateFence: *const D3D12DDIARG_CREATE_FENCE,
    ) -> SIZE_T,
>;

/// The function `pfnCreateFence` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`]. Handle comes before the argument structure.
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATEFENCE = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hFence: D3D12DDI_HFENCE,
        pCreateFence: *const D3D12DDIARG_CREATE_FENCE,
    ) -> HRESULT,
>;

/// The function `pfnCalcPrivateFenceSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. No public text prints its parameters; docs/spec-notes.md.
///
/// Source: bindings generated from the WDK 10.0.28000 header, for the name.
pub type PFND3D12DDI_CALCPRIVATEFENCESIZE_0112 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateFence: *const D3D12DDIARG_CREATE_FENCE_0112,
    ) -> SIZE_T,
>;

/// The function `pfnCreateFence` of [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. No
/// public text prints its parameters; docs/spec-notes.md.
///
/// Source: bindings generated from the WDK 10.0.28000 header, for the name.
pub type PFND3D12DDI_CREATEFENCE_0112 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hFence: D3D12DDI_HFENCE,
        pCreateFence: *const D3D12DDIARG_CREATE_FENCE_0112,
    ) -> HRESULT,
>;

/// The function `pfnDestroyFence` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROYFENCE =
    Option<unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, hFence: D3D12DDI_HFENCE)>;

/// The function `pfnCalcPrivateDescriptorHeapSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages, ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CALC_PRIVATE_DESCRIPTOR_HEAP_SIZE_0001 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateDescriptorHeap: *const D3D12DDIARG_CREATE_DESCRIPTOR_HEAP_0001,
    ) -> SIZE_T,
>;

/// The function `pfnCreateDescriptorHeap` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages, ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATE_DESCRIPTOR_HEAP_0001 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateDescriptorHeap: *const D3D12DDIARG_CREATE_DESCRIPTOR_HEAP_0001,
        hDescriptorheap: D3D12DDI_HDESCRIPTORHEAP,
    ) -> HRESULT,
>;

/// The function `pfnDestroyDescriptorHeap` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages, ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROY_DESCRIPTOR_HEAP = Option<
    unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, hDescriptorheap: D3D12DDI_HDESCRIPTORHEAP),
>;

/// The function `pfnGetDescriptorSizeInBytes` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages, ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_GET_DESCRIPTOR_SIZE_IN_BYTES = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        DescriptorHeapType: D3D12DDI_DESCRIPTOR_HEAP_TYPE,
    ) -> UINT,
>;

/// The function `pfnGetCPUDescriptorHandleForHeapStart` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. Returns a structure by value.
///
/// Source: the WDK reference pages, ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_GET_CPU_DESCRIPTOR_HANDLE_FOR_HEAP_START = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hDescriptorheap: D3D12DDI_HDESCRIPTORHEAP,
    ) -> D3D12DDI_CPU_DESCRIPTOR_HANDLE,
>;

/// The function `pfnGetGPUDescriptorHandleForHeapStart` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. Returns a structure by value.
///
/// Source: the WDK reference pages, ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_GET_GPU_DESCRIPTOR_HANDLE_FOR_HEAP_START = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hDescriptorheap: D3D12DDI_HDESCRIPTORHEAP,
    ) -> D3D12DDI_GPU_DESCRIPTOR_HANDLE,
>;

/// The function `pfnCreateShaderResourceView` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages, ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATE_SHADER_RESOURCE_VIEW_0002 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateShaderResourceView: *const D3D12DDIARG_CREATE_SHADER_RESOURCE_VIEW_0002,
        DestDescriptor: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    ),
>;

/// The function `pfnCreateConstantBufferView` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATE_CONSTANT_BUFFER_VIEW = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pConstantBufferViewDesc: *const D3D12DDI_CONSTANT_BUFFER_VIEW_DESC,
        DestDescriptor: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    ),
>;

/// The function `pfnCreateSampler` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: ResourceBinding.md.
pub type PFND3D12DDI_CREATE_SAMPLER_0096 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateSampler: *const D3D12DDIARG_CREATE_SAMPLER_0096,
        DestDescriptor: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    ),
>;

/// The function `pfnCreateUnorderedAccessView` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages, ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATE_UNORDERED_ACCESS_VIEW_0002 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateUnorderedAccessView: *const D3D12DDIARG_CREATE_UNORDERED_ACCESS_VIEW_0002,
        DestDescriptor: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    ),
>;

/// The function `pfnCreateRenderTargetView` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages, ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATE_RENDER_TARGET_VIEW_0002 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateRenderTargetView: *const D3D12DDIARG_CREATE_RENDER_TARGET_VIEW_0002,
        DestDescriptor: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    ),
>;

/// The function `pfnCreateDepthStencilView` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages, ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATE_DEPTH_STENCIL_VIEW = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateDepthStencilView: *const D3D12DDIARG_CREATE_DEPTH_STENCIL_VIEW,
        DestDescriptor: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    ),
>;

/// The function `pfnCalcPrivateRootSignatureSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: VulkanOn12.md.
pub type PFND3D12DDI_CALC_PRIVATE_ROOT_SIGNATURE_SIZE_0100 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateRootSignature: *const D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
    ) -> SIZE_T,
>;

/// The function `pfnCreateRootSignature` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: VulkanOn12.md.
pub type PFND3D12DDI_CREATE_ROOT_SIGNATURE_0100 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateRootSignature: *const D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
        hRootsignature: D3D12DDI_HROOTSIGNATURE,
    ) -> HRESULT,
>;

/// The function `pfnDestroyRootSignature` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages, ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROY_ROOT_SIGNATURE = Option<
    unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, hRootsignature: D3D12DDI_HROOTSIGNATURE),
>;

/// The function `pfnMapHeap` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_MAPHEAP = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hHeap: D3D12DDI_HHEAP,
        pVoid: *mut *mut c_void,
    ) -> HRESULT,
>;

/// The function `pfnUnmapHeap` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_UNMAPHEAP =
    Option<unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, hHeap: D3D12DDI_HHEAP)>;

/// The function `pfnCalcPrivateHeapAndResourceSizes` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`]. Returns a structure by
/// value; seed 003 and the header differ in the suffix only.
///
/// Source: RecreateAtGpuva.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CALCPRIVATEHEAPANDRESOURCESIZES_0109 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateheap: *const D3D12DDIARG_CREATEHEAP_0001,
        pCreateresource: *const D3D12DDIARG_CREATERESOURCE_0109,
        hProtectedresourcesession: D3D12DDI_HPROTECTEDRESOURCESESSION_0030,
    ) -> D3D12DDI_HEAP_AND_RESOURCE_SIZES,
>;

/// The function `pfnCreateHeapAndResource` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`]. Either create-args pointer may be
/// null: heap only, resource only, or both.
///
/// Source: RecreateAtGpuva.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATEHEAPANDRESOURCE_0109 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateheap: *const D3D12DDIARG_CREATEHEAP_0001,
        hHeap: D3D12DDI_HHEAP,
        hRTResource: D3D12DDI_HRTRESOURCE,
        pCreateresource: *const D3D12DDIARG_CREATERESOURCE_0109,
        pClearValues: *const D3D12DDI_CLEAR_VALUES,
        hProtectedresourcesession: D3D12DDI_HPROTECTEDRESOURCESESSION_0030,
        hResource: D3D12DDI_HRESOURCE,
    ) -> HRESULT,
>;

/// The function `pfnDestroyHeapAndResource` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROYHEAPANDRESOURCE = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hHeap: D3D12DDI_HHEAP,
        hResource: D3D12DDI_HRESOURCE,
    ),
>;

/// The function `pfnMakeResident` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_MAKERESIDENT_0001 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pMakeresident: *mut D3D12DDIARG_MAKERESIDENT_0001,
    ) -> HRESULT,
>;

/// The function `pfnEvict` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_EVICT2 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pEvict: *const D3D12DDIARG_EVICT,
    ) -> HRESULT,
>;

/// The function `pfnCalcPrivateOpenedHeapAndResourceSizes` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. Returns a structure by value.
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CALCPRIVATEOPENEDHEAPANDRESOURCESIZES_0043 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pOpenheap: *const D3D12DDIARG_OPENHEAP_0003,
        hProtectedresourcesession: D3D12DDI_HPROTECTEDRESOURCESESSION_0030,
    ) -> D3D12DDI_HEAP_AND_RESOURCE_SIZES,
>;

/// The function `pfnOpenHeapAndResource` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_OPENHEAPANDRESOURCE_0043 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pOpenheap: *const D3D12DDIARG_OPENHEAP_0003,
        hHeap: D3D12DDI_HHEAP,
        hRTResource: D3D12DDI_HRTRESOURCE,
        hProtectedresourcesession: D3D12DDI_HPROTECTEDRESOURCESESSION_0030,
        hResource: D3D12DDI_HRESOURCE,
    ) -> HRESULT,
>;

/// The function `pfnCopyDescriptors` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. A null size array means every range has length 1.
///
/// Source: the WDK reference pages, ResourceBinding.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_COPY_DESCRIPTORS_0003 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        NumDestDescriptorRanges: UINT,
        pDestDescriptorRangeStarts: *const D3D12DDI_CPU_DESCRIPTOR_HANDLE,
        pDestDescriptorRangeSizes: *const UINT,
        NumSrcDescriptorRanges: UINT,
        pSrcDescriptorRangeStarts: *const D3D12DDI_CPU_DESCRIPTOR_HANDLE,
        pSrcDescriptorRangeSizes: *const UINT,
        DescriptorHeapsType: D3D12DDI_DESCRIPTOR_HEAP_TYPE,
    ),
>;

/// The function `pfnCopyDescriptorsSimple` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. ResourceBinding.md lists the count after the two handles: the header order
/// is the one given here.
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_COPY_DESCRIPTORS_SIMPLE_0003 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        NumDescriptors: UINT,
        DestDescriptorRangeStart: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
        SrcDescriptorRangeStart: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
        DescriptorHeapsType: D3D12DDI_DESCRIPTOR_HEAP_TYPE,
    ),
>;

/// The function `pfnCalcPrivateQueryHeapSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CALC_PRIVATE_QUERY_HEAP_SIZE_0001 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateQueryHeap: *const D3D12DDIARG_CREATE_QUERY_HEAP_0001,
    ) -> SIZE_T,
>;

/// The function `pfnCreateQueryHeap` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATE_QUERY_HEAP_0001 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateQueryHeap: *const D3D12DDIARG_CREATE_QUERY_HEAP_0001,
        hQueryheap: D3D12DDI_HQUERYHEAP,
    ) -> HRESULT,
>;

/// The function `pfnDestroyQueryHeap` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROY_QUERY_HEAP =
    Option<unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, hQueryheap: D3D12DDI_HQUERYHEAP)>;

/// The function `pfnCalcPrivateCommandSignatureSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CALC_PRIVATE_COMMAND_SIGNATURE_SIZE_0001 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateCommandSignature: *const D3D12DDIARG_CREATE_COMMAND_SIGNATURE_0001,
    ) -> SIZE_T,
>;

/// The function `pfnCreateCommandSignature` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATE_COMMAND_SIGNATURE_0001 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateCommandSignature: *const D3D12DDIARG_CREATE_COMMAND_SIGNATURE_0001,
        hCommandsignature: D3D12DDI_HCOMMANDSIGNATURE,
    ) -> HRESULT,
>;

/// The function `pfnDestroyCommandSignature` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROY_COMMAND_SIGNATURE = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hCommandsignature: D3D12DDI_HCOMMANDSIGNATURE,
    ),
>;

/// The function `pfnCheckResourceVirtualAddress` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. Plain UINT64 result.
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CHECKRESOURCEVIRTUALADDRESS = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hResource: D3D12DDI_HRESOURCE,
    ) -> D3D12DDI_GPU_VIRTUAL_ADDRESS,
>;

/// The function `pfnCheckResourceAllocationInfo` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`].
///
/// Source: RecreateAtGpuva.md, the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CHECKRESOURCEALLOCATIONINFO_0109 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateresource: *const D3D12DDIARG_CREATERESOURCE_0109,
        ResourceOptimizationFlags: D3D12DDI_RESOURCE_OPTIMIZATION_FLAGS,
        AlignmentRestriction: UINT32,
        VisibleNodeMask: UINT,
        pResourceAllocationInfo: *mut D3D12DDI_RESOURCE_ALLOCATION_INFO_0022,
    ),
>;

/// The function `pfnCheckSubresourceInfo` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CHECKSUBRESOURCEINFO = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hResource: D3D12DDI_HRESOURCE,
        Subresource: UINT,
        pSubresourceInfo: *mut D3D12DDI_SUBRESOURCE_INFO,
    ),
>;

/// The function `pfnCheckExistingResourceAllocationInfo` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. The header spells EXISITING.
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CHECKEXISITINGRESOURCEALLOCATIONINFO_0022 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hResource: D3D12DDI_HRESOURCE,
        pResourceAllocationInfo: *mut D3D12DDI_RESOURCE_ALLOCATION_INFO_0022,
    ),
>;

/// The function `pfnOfferResources` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_OFFERRESOURCES = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pOfferresources: *const D3D12DDIARG_OFFERRESOURCES,
    ) -> HRESULT,
>;

/// The function `pfnReclaimResources` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_RECLAIMRESOURCES_0001 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pReclaimresources: *mut D3D12DDIARG_RECLAIMRESOURCES_0001,
    ) -> HRESULT,
>;

/// The function `pfnGetImplicitPhysicalAdapterMask` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_GETIMPLICITPHYSICALADAPTERMASK =
    Option<unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE) -> UINT>;

/// The function `pfnGetPresentPrivateDriverDataSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_GET_PRESENT_PRIVATE_DRIVER_DATA_SIZE = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pPresent: *const D3D12DDIARG_PRESENT_0001,
    ) -> UINT,
>;

/// The function `pfnQueryNodeMap` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_QUERY_NODE_MAP = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        NumPhysicalAdapters: UINT,
        pMap: *mut UINT,
    ),
>;

/// The function `pfnRetrieveShaderComment` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_RETRIEVE_SHADER_COMMENT_0003 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hPipelinestate: D3D12DDI_HPIPELINESTATE,
        pBuffer: *mut WCHAR,
        CharacterCountIncludingNullTerminator: *mut SIZE_T,
    ) -> HRESULT,
>;

/// The function `pfnCheckResourceAllocationHandle` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. 32-bit result.
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CHECKRESOURCEALLOCATIONHANDLE = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hResource: D3D12DDI_HRESOURCE,
    ) -> D3DKMT_HANDLE,
>;

/// The function `pfnCalcPrivatePipelineLibrarySize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CALC_PRIVATE_PIPELINE_LIBRARY_SIZE_0010 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreatePipelineLibrary: *const D3D12DDIARG_CREATE_PIPELINE_LIBRARY_0010,
    ) -> SIZE_T,
>;

/// The function `pfnCreatePipelineLibrary` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CREATE_PIPELINE_LIBRARY_0010 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreatePipelineLibrary: *const D3D12DDIARG_CREATE_PIPELINE_LIBRARY_0010,
        hPipelinelibrary: D3D12DDI_HPIPELINELIBRARY,
    ) -> HRESULT,
>;

/// The function `pfnDestroyPipelineLibrary` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_DESTROY_PIPELINE_LIBRARY_0010 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hPipelinelibrary: D3D12DDI_HPIPELINELIBRARY,
    ),
>;

/// The function `pfnAddPipelineStateToLibrary` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_ADD_PIPELINE_STATE_TO_LIBRARY_0010 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hPipelinelibrary: D3D12DDI_HPIPELINELIBRARY,
        hPipelinestate: D3D12DDI_HPIPELINESTATE,
        PipelineIndex: UINT,
    ) -> HRESULT,
>;

/// The function `pfnCalcSerializedLibrarySize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CALC_SERIALIZED_LIBRARY_SIZE_0010 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hPipelinelibrary: D3D12DDI_HPIPELINELIBRARY,
    ) -> SIZE_T,
>;

/// The function `pfnSerializeLibrary` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_SERIALIZE_LIBRARY_0010 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hPipelinelibrary: D3D12DDI_HPIPELINELIBRARY,
        pBlob: *mut c_void,
    ) -> HRESULT,
>;

/// The function `pfnGetDebugAllocationInfo` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. HANDLE_AND_TYPE by value: by hidden reference on x64.
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_GET_DEBUG_ALLOCATION_INFO_0014 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        Object: D3D12DDI_HANDLE_AND_TYPE,
        pNumVirtualAddressInfos: *mut UINT,
        pVirtualAddressInfos: *mut D3D12DDI_DEBUG_VIRTUAL_ADDRESS_ALLOCATION_INFO_0012,
        pNumKMTInfos: *mut UINT,
        pKMTInfos: *mut D3D12DDI_DEBUG_KMT_ALLOCATION_INFO_0014,
    ),
>;

/// The function `pfnCalcPrivateCommandRecorderSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CALC_PRIVATE_COMMAND_RECORDER_SIZE_0040 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateCommandRecorder: *const D3D12DDIARG_CREATE_COMMAND_RECORDER_0040,
    ) -> SIZE_T,
>;

/// The function `pfnCreateCommandRecorder` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CREATE_COMMAND_RECORDER_0040 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateCommandRecorder: *const D3D12DDIARG_CREATE_COMMAND_RECORDER_0040,
        hCommandrecorder: D3D12DDI_HCOMMANDRECORDER_0040,
    ) -> HRESULT,
>;

/// The function `pfnDestroyCommandRecorder` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_DESTROY_COMMAND_RECORDER_0040 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hCommandrecorder: D3D12DDI_HCOMMANDRECORDER_0040,
    ),
>;

/// The function `pfnCommandRecorderSetCommandPoolAsTarget` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_COMMAND_RECORDER_SET_COMMAND_POOL_AS_TARGET_0040 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hCommandrecorder: D3D12DDI_HCOMMANDRECORDER_0040,
        hCommandpool: D3D12DDI_HCOMMANDPOOL_0040,
    ),
>;

/// The function `pfnCalcPrivateSchedulingGroupSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CALCPRIVATESCHEDULINGGROUPSIZE_0050 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateschedulinggroup: *const D3D12DDIARG_CREATESCHEDULINGGROUP_0050,
    ) -> SIZE_T,
>;

/// The function `pfnCreateSchedulingGroup` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CREATESCHEDULINGGROUP_0050 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateschedulinggroup: *const D3D12DDIARG_CREATESCHEDULINGGROUP_0050,
        hSchedulinggroup: D3D12DDI_HSCHEDULINGGROUP_0050,
        hRTSchedulinggroup: D3D12DDI_HRTSCHEDULINGGROUP_0050,
    ) -> HRESULT,
>;

/// The function `pfnDestroySchedulingGroup` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_DESTROYSCHEDULINGGROUP_0050 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hSchedulinggroup: D3D12DDI_HSCHEDULINGGROUP_0050,
    ),
>;

/// The function `pfnEnumerateMetaCommands` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_ENUMERATE_META_COMMANDS_0052 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pNumMetaCommands: *mut UINT,
        pDescs: *mut D3D12DDIARG_META_COMMAND_DESC,
    ) -> HRESULT,
>;

/// The function `pfnEnumerateMetaCommandParameters` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. GUID by value: by hidden reference on
/// x64, 16 stack bytes on x86.
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_ENUMERATE_META_COMMAND_PARAMETERS_0052 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        CommandId: GUID,
        Stage: D3D12DDI_META_COMMAND_PARAMETER_STAGE,
        pParameterCount: *mut UINT,
        pParameterDescs: *mut D3D12DDIARG_META_COMMAND_PARAMETER_DESC,
    ) -> HRESULT,
>;

/// The function `pfnCalcPrivateMetaCommandSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CALC_PRIVATE_META_COMMAND_SIZE_0052 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        CommandId: GUID,
        NodeMask: UINT,
        pCreationParameters: *const c_void,
        CreationParametersDataSizeInBytes: SIZE_T,
    ) -> SIZE_T,
>;

/// The function `pfnCreateMetaCommand` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CREATE_META_COMMAND_0052 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        CommandId: GUID,
        NodeMask: UINT,
        pCreationParameters: *const c_void,
        CreationParametersDataSizeInBytes: SIZE_T,
        hMetacommand: D3D12DDI_HMETACOMMAND_0052,
        hRTMetacommand: D3D12DDI_HRTMETACOMMAND_0052,
    ) -> HRESULT,
>;

/// The function `pfnDestroyMetaCommand` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_DESTROY_META_COMMAND_0052 = Option<
    unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, hMetacommand: D3D12DDI_HMETACOMMAND_0052),
>;

/// The function `pfnGetMetaCommandRequiredParameterInfo` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. The first parameter's type is not in
/// the public prototype text; the meta command handle is the plausible reading, a device handle the alternative.
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_GET_META_COMMAND_REQUIRED_PARAMETER_INFO_0052 = Option<
    unsafe extern "system" fn(
        hMetacommand: D3D12DDI_HMETACOMMAND_0052,
        Stage: D3D12DDI_META_COMMAND_PARAMETER_STAGE,
        ParameterIndex: UINT,
        pMetaCommandRequiredParameterInfo: *mut D3D12DDIARG_META_COMMAND_REQUIRED_PARAMETER_INFO,
    ),
>;

/// The function `pfnCalcPrivateStateObjectSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CALC_PRIVATE_STATE_OBJECT_SIZE_0054 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateStateObject: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    ) -> SIZE_T,
>;

/// The function `pfnCreateStateObject` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CREATE_STATE_OBJECT_0054 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateStateObject: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
        hStateobject: D3D12DDI_HSTATEOBJECT_0054,
        hRTStateobject: D3D12DDI_HRTSTATEOBJECT_0054,
    ) -> HRESULT,
>;

/// The function `pfnDestroyStateObject` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_DESTROY_STATE_OBJECT_0054 = Option<
    unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, hStateobject: D3D12DDI_HSTATEOBJECT_0054),
>;

/// The function `pfnGetRaytracingAccelerationStructurePrebuildInfo` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_GET_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO_0054 = Option<unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, pBuildRaytracingAccelerationStructureInputs: *const D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054, pRaytracingAccelerationStructurePrebuildInfo: *mut D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO_0054)>;

/// The function `pfnCheckDriverMatchingIdentifier` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_CHECK_DRIVER_MATCHING_IDENTIFIER_0054 = Option<unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE, SerializedDataType: D3D12DDI_SERIALIZED_DATA_TYPE, pSerializedDataDriverMatchingIdentifier: *const D3D12DDI_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER_0054) -> D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS>;

/// The function `pfnGetShaderIdentifier` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. No device handle.
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_GET_SHADER_IDENTIFIER_0054 = Option<
    unsafe extern "system" fn(
        hStateobject: D3D12DDI_HSTATEOBJECT_0054,
        pExportName: LPCWSTR,
    ) -> *mut c_void,
>;

/// The function `pfnGetShaderStackSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. The API method returns UINT64.
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_GET_SHADER_STACK_SIZE_0054 = Option<
    unsafe extern "system" fn(
        hStateobject: D3D12DDI_HSTATEOBJECT_0054,
        pExportName: LPCWSTR,
    ) -> UINT,
>;

/// The function `pfnGetPipelineStackSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_GET_PIPELINE_STACK_SIZE_0054 =
    Option<unsafe extern "system" fn(hStateobject: D3D12DDI_HSTATEOBJECT_0054) -> UINT>;

/// The function `pfnSetPipelineStackSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_SET_PIPELINE_STACK_SIZE_0054 =
    Option<unsafe extern "system" fn(hStateobject: D3D12DDI_HSTATEOBJECT_0054, Value: UINT)>;

/// The function `pfnSetBackgroundProcessingMode` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_SET_BACKGROUND_PROCESSING_MODE_0063 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        Mode: D3D12DDI_BACKGROUND_PROCESSING_MODE_0062,
        MeasurementsAction: D3D12DDI_MEASUREMENTS_ACTION_0062,
        pbFurtherMeasurementsDesired: *mut BOOL,
    ),
>;

/// The function `pfnCalcPrivateAddToStateObjectSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. The WDK page shows an unrelated video
/// structure here: page error.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE_0072 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pAddToStateObject: *const D3D12DDIARG_ADD_TO_STATE_OBJECT_0072,
    ) -> SIZE_T,
>;

/// The function `pfnAddToStateObject` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages.
pub type PFND3D12DDI_ADD_TO_STATE_OBJECT_0072 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pAddToStateObject: *const D3D12DDIARG_ADD_TO_STATE_OBJECT_0072,
        hStateobject: D3D12DDI_HSTATEOBJECT_0054,
        hRTStateobject: D3D12DDI_HRTSTATEOBJECT_0054,
    ) -> HRESULT,
>;

/// The function `pfnCreateSamplerFeedbackUnorderedAccessView` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: the WDK reference pages and SamplerFeedback.md.
pub type PFND3D12DDI_CREATE_SAMPLER_FEEDBACK_UNORDERED_ACCESS_VIEW_0075 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hDrvTargetedResource: D3D12DDI_HRESOURCE,
        hDrvFeedbackResource: D3D12DDI_HRESOURCE,
        DestDescriptor: D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    ),
>;

/// The function `pfnImplicitShaderCacheControl` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: ShaderCache.md and the WDK reference pages.
pub type PFND3D12DDI_IMPLICITSHADERCACHECONTROL_0080 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        ImplicitShaderCacheControlFlags: D3D12DDI_IMPLICIT_SHADER_CACHE_CONTROL_FLAGS_0080,
    ) -> HRESULT,
>;

/// The function `pfnGetProgramIdentifier` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`], [`D3D12DDI_DEVICE_FUNCS_CORE_0112`]
/// and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. Returns a 32-byte structure by value.
///
/// Source: WorkGraphs.md.
pub type PFND3D12DDI_GET_PROGRAM_IDENTIFIER_0108 = Option<
    unsafe extern "system" fn(
        hStateobject: D3D12DDI_HSTATEOBJECT_0054,
        pProgramName: LPCWSTR,
    ) -> D3D12DDI_PROGRAM_IDENTIFIER_0108,
>;

/// The function `pfnGetWorkGraphMemoryRequirements` of [`D3D12DDI_DEVICE_FUNCS_CORE_0109`],
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: WorkGraphs.md.
pub type PFND3D12DDI_GET_WORK_GRAPH_MEMORY_REQUIREMENTS_0108 = Option<
    unsafe extern "system" fn(
        hStateobject: D3D12DDI_HSTATEOBJECT_0054,
        pProgramName: LPCWSTR,
        pWorkGraphMemoryRequirements: *mut D3D12DDI_WORK_GRAPH_MEMORY_REQUIREMENTS_0108,
    ),
>;

/// The function type `PFND3D12DDI_GET_TEXTURE_LAYOUTS_0118`. The table slot of 0112/0113 carries the 0111/0112 form of
/// this function.
///
/// Source: D3D12GUIDTextureLayout.md.
pub type PFND3D12DDI_GET_TEXTURE_LAYOUTS_0118 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateresource: *const D3D12DDIARG_CREATERESOURCE_0111,
        RequiredSupport1: D3D12DDI_LAYOUT_SUPPORT1,
        RequiredSupport2: D3D12DDI_LAYOUT_SUPPORT2,
        pNumGuids: *mut UINT,
        pGuids: *mut GUID,
    ),
>;

/// The function `pfnGetApplicationSpecificDriverStateBlobSize` of [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: Application_Specific_Driver_State.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_GET_APPLICATION_SPECIFIC_DRIVER_STATE_BLOB_SIZE_0113 =
    Option<unsafe extern "system" fn(hDevice: D3D12DDI_HDEVICE) -> UINT>;

/// The function `pfnGetApplicationSpecificDriverState` of [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: Application_Specific_Driver_State.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_GET_APPLICATION_SPECIFIC_DRIVER_STATE_0113 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pApplicationSpecificDriverStateBlob: *mut c_void,
        ApplicationSpecificDriverBlobSizeInBytes: UINT,
    ) -> HRESULT,
>;

/// The function `pfnGetApplicationSpecificDriverBlobStatus` of [`D3D12DDI_DEVICE_FUNCS_CORE_0113`].
///
/// Source: Application_Specific_Driver_State.md and bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_GET_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS_0113 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
    ) -> D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS,
>;

/// The function type `PFND3D12DDI_CREATEFENCE_0116`.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATEFENCE_0116 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        hFence: D3D12DDI_HFENCE,
        hRTFence: D3D12DDI_HRTFENCE,
        pCreateFence: *const D3D12DDIARG_CREATE_FENCE_0116,
    ) -> HRESULT,
>;

/// The function `pfnCalcPrivateHeapAndResourceSizes` of [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. As the 0109 form, with the 0111 description.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CALCPRIVATEHEAPANDRESOURCESIZES_0111 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateheap: *const D3D12DDIARG_CREATEHEAP_0001,
        pCreateresource: *const D3D12DDIARG_CREATERESOURCE_0111,
        hProtectedresourcesession: D3D12DDI_HPROTECTEDRESOURCESESSION_0030,
    ) -> D3D12DDI_HEAP_AND_RESOURCE_SIZES,
>;

/// The function `pfnCreateHeapAndResource` of [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. As the 0109 form, with the 0111 description.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CREATEHEAPANDRESOURCE_0111 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateheap: *const D3D12DDIARG_CREATEHEAP_0001,
        hHeap: D3D12DDI_HHEAP,
        hRTResource: D3D12DDI_HRTRESOURCE,
        pCreateresource: *const D3D12DDIARG_CREATERESOURCE_0111,
        pClearValues: *const D3D12DDI_CLEAR_VALUES,
        hProtectedresourcesession: D3D12DDI_HPROTECTEDRESOURCESESSION_0030,
        hResource: D3D12DDI_HRESOURCE,
    ) -> HRESULT,
>;

/// The function `pfnCheckResourceAllocationInfo` of [`D3D12DDI_DEVICE_FUNCS_CORE_0112`] and
/// [`D3D12DDI_DEVICE_FUNCS_CORE_0113`]. As the 0109 form, with the 0111 description.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
pub type PFND3D12DDI_CHECKRESOURCEALLOCATIONINFO_0111 = Option<
    unsafe extern "system" fn(
        hDevice: D3D12DDI_HDEVICE,
        pCreateresource: *const D3D12DDIARG_CREATERESOURCE_0111,
        ResourceOptimizationFlags: D3D12DDI_RESOURCE_OPTIMIZATION_FLAGS,
        AlignmentRestriction: UINT32,
        VisibleNodeMask: UINT,
        pResourceAllocationInfo: *mut D3D12DDI_RESOURCE_ALLOCATION_INFO_0022,
    ),
>;

/// The device core table of DDI 0109 to 0111.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_DEVICE_FUNCS_CORE_0109 {
    /// Slot 0. x64 offset 0, x86 offset 0.
    pub pfnCheckFormatSupport: PFND3D12DDI_CHECKFORMATSUPPORT,
    /// Slot 1. x64 offset 8, x86 offset 4.
    pub pfnCheckMultisampleQualityLevels: PFND3D12DDI_CHECKMULTISAMPLEQUALITYLEVELS,
    /// Slot 2. x64 offset 16, x86 offset 8.
    pub pfnGetMipPacking: PFND3D12DDI_GETMIPPACKING,
    /// Slot 3. x64 offset 24, x86 offset 12.
    pub pfnCalcPrivateElementLayoutSize: PFND3D12DDI_CALCPRIVATEELEMENTLAYOUTSIZE_0010,
    /// Slot 4. x64 offset 32, x86 offset 16.
    pub pfnCreateElementLayout: PFND3D12DDI_CREATEELEMENTLAYOUT_0010,
    /// Slot 5. x64 offset 40, x86 offset 20.
    pub pfnDestroyElementLayout: PFND3D12DDI_DESTROYELEMENTLAYOUT,
    /// Slot 6. x64 offset 48, x86 offset 24.
    pub pfnCalcPrivateBlendStateSize: PFND3D12DDI_CALCPRIVATEBLENDSTATESIZE_0010,
    /// Slot 7. x64 offset 56, x86 offset 28.
    pub pfnCreateBlendState: PFND3D12DDI_CREATEBLENDSTATE_0010,
    /// Slot 8. x64 offset 64, x86 offset 32.
    pub pfnDestroyBlendState: PFND3D12DDI_DESTROYBLENDSTATE,
    /// Slot 9. x64 offset 72, x86 offset 36.
    pub pfnCalcPrivateDepthStencilStateSize: PFND3D12DDI_CALCPRIVATEDEPTHSTENCILSTATESIZE_0095,
    /// Slot 10. x64 offset 80, x86 offset 40.
    pub pfnCreateDepthStencilState: PFND3D12DDI_CREATEDEPTHSTENCILSTATE_0095,
    /// Slot 11. x64 offset 88, x86 offset 44.
    pub pfnDestroyDepthStencilState: PFND3D12DDI_DESTROYDEPTHSTENCILSTATE,
    /// Slot 12. x64 offset 96, x86 offset 48.
    pub pfnCalcPrivateRasterizerStateSize: PFND3D12DDI_CALCPRIVATERASTERIZERSTATESIZE_0102,
    /// Slot 13. x64 offset 104, x86 offset 52.
    pub pfnCreateRasterizerState: PFND3D12DDI_CREATERASTERIZERSTATE_0102,
    /// Slot 14. x64 offset 112, x86 offset 56.
    pub pfnDestroyRasterizerState: PFND3D12DDI_DESTROYRASTERIZERSTATE,
    /// Slot 15. x64 offset 120, x86 offset 60.
    pub pfnCalcPrivateShaderSize: PFND3D12DDI_CALC_PRIVATE_SHADER_SIZE_0026,
    /// Slot 16. x64 offset 128, x86 offset 64.
    pub pfnCreateVertexShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 17. x64 offset 136, x86 offset 68.
    pub pfnCreatePixelShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 18. x64 offset 144, x86 offset 72.
    pub pfnCreateGeometryShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 19. x64 offset 152, x86 offset 76.
    pub pfnCreateComputeShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 20. x64 offset 160, x86 offset 80.
    pub pfnCalcPrivateGeometryShaderWithStreamOutput:
        PFND3D12DDI_CALC_PRIVATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026,
    /// Slot 21. x64 offset 168, x86 offset 84.
    pub pfnCreateGeometryShaderWithStreamOutput:
        PFND3D12DDI_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026,
    /// Slot 22. x64 offset 176, x86 offset 88.
    pub pfnCalcPrivateTessellationShaderSize: PFND3D12DDI_CALC_PRIVATE_SHADER_SIZE_0026,
    /// Slot 23. x64 offset 184, x86 offset 92.
    pub pfnCreateHullShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 24. x64 offset 192, x86 offset 96.
    pub pfnCreateDomainShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 25. x64 offset 200, x86 offset 100.
    pub pfnDestroyShader: PFND3D12DDI_DESTROYSHADER,
    /// Slot 26. x64 offset 208, x86 offset 104.
    pub pfnCalcPrivateCommandQueueSize: PFND3D12DDI_CALCPRIVATECOMMANDQUEUESIZE_0050,
    /// Slot 27. x64 offset 216, x86 offset 108.
    pub pfnCreateCommandQueue: PFND3D12DDI_CREATECOMMANDQUEUE_0050,
    /// Slot 28. x64 offset 224, x86 offset 112.
    pub pfnDestroyCommandQueue: PFND3D12DDI_DESTROYCOMMANDQUEUE,
    /// Slot 29. x64 offset 232, x86 offset 116.
    pub pfnCalcPrivateCommandPoolSize: PFND3D12DDI_CALC_PRIVATE_COMMAND_POOL_SIZE_0040,
    /// Slot 30. x64 offset 240, x86 offset 120.
    pub pfnCreateCommandPool: PFND3D12DDI_CREATE_COMMAND_POOL_0040,
    /// Slot 31. x64 offset 248, x86 offset 124.
    pub pfnDestroyCommandPool: PFND3D12DDI_DESTROY_COMMAND_POOL_0040,
    /// Slot 32. x64 offset 256, x86 offset 128.
    pub pfnResetCommandPool: PFND3D12DDI_RESET_COMMAND_POOL_0040,
    /// Slot 33. x64 offset 264, x86 offset 132.
    pub pfnCalcPrivatePipelineStateSize: PFND3D12DDI_CALC_PRIVATE_PIPELINE_STATE_SIZE_0099,
    /// Slot 34. x64 offset 272, x86 offset 136.
    pub pfnCreatePipelineState: PFND3D12DDI_CREATE_PIPELINE_STATE_0099,
    /// Slot 35. x64 offset 280, x86 offset 140.
    pub pfnDestroyPipelineState: PFND3D12DDI_DESTROY_PIPELINE_STATE,
    /// Slot 36. x64 offset 288, x86 offset 144.
    pub pfnCalcPrivateCommandListSize: PFND3D12DDI_CALC_PRIVATE_COMMAND_LIST_SIZE_0040,
    /// Slot 37. x64 offset 296, x86 offset 148.
    pub pfnCreateCommandList: PFND3D12DDI_CREATE_COMMAND_LIST_0040,
    /// Slot 38. x64 offset 304, x86 offset 152.
    pub pfnDestroyCommandList: PFND3D12DDI_DESTROYCOMMANDLIST,
    /// Slot 39. x64 offset 312, x86 offset 156.
    pub pfnCalcPrivateFenceSize: PFND3D12DDI_CALCPRIVATEFENCESIZE,
    /// Slot 40. x64 offset 320, x86 offset 160.
    pub pfnCreateFence: PFND3D12DDI_CREATEFENCE,
    /// Slot 41. x64 offset 328, x86 offset 164.
    pub pfnDestroyFence: PFND3D12DDI_DESTROYFENCE,
    /// Slot 42. x64 offset 336, x86 offset 168.
    pub pfnCalcPrivateDescriptorHeapSize: PFND3D12DDI_CALC_PRIVATE_DESCRIPTOR_HEAP_SIZE_0001,
    /// Slot 43. x64 offset 344, x86 offset 172.
    pub pfnCreateDescriptorHeap: PFND3D12DDI_CREATE_DESCRIPTOR_HEAP_0001,
    /// Slot 44. x64 offset 352, x86 offset 176.
    pub pfnDestroyDescriptorHeap: PFND3D12DDI_DESTROY_DESCRIPTOR_HEAP,
    /// Slot 45. x64 offset 360, x86 offset 180.
    pub pfnGetDescriptorSizeInBytes: PFND3D12DDI_GET_DESCRIPTOR_SIZE_IN_BYTES,
    /// Slot 46. x64 offset 368, x86 offset 184.
    pub pfnGetCPUDescriptorHandleForHeapStart: PFND3D12DDI_GET_CPU_DESCRIPTOR_HANDLE_FOR_HEAP_START,
    /// Slot 47. x64 offset 376, x86 offset 188.
    pub pfnGetGPUDescriptorHandleForHeapStart: PFND3D12DDI_GET_GPU_DESCRIPTOR_HANDLE_FOR_HEAP_START,
    /// Slot 48. x64 offset 384, x86 offset 192.
    pub pfnCreateShaderResourceView: PFND3D12DDI_CREATE_SHADER_RESOURCE_VIEW_0002,
    /// Slot 49. x64 offset 392, x86 offset 196.
    pub pfnCreateConstantBufferView: PFND3D12DDI_CREATE_CONSTANT_BUFFER_VIEW,
    /// Slot 50. x64 offset 400, x86 offset 200.
    pub pfnCreateSampler: PFND3D12DDI_CREATE_SAMPLER_0096,
    /// Slot 51. x64 offset 408, x86 offset 204.
    pub pfnCreateUnorderedAccessView: PFND3D12DDI_CREATE_UNORDERED_ACCESS_VIEW_0002,
    /// Slot 52. x64 offset 416, x86 offset 208.
    pub pfnCreateRenderTargetView: PFND3D12DDI_CREATE_RENDER_TARGET_VIEW_0002,
    /// Slot 53. x64 offset 424, x86 offset 212.
    pub pfnCreateDepthStencilView: PFND3D12DDI_CREATE_DEPTH_STENCIL_VIEW,
    /// Slot 54. x64 offset 432, x86 offset 216.
    pub pfnCalcPrivateRootSignatureSize: PFND3D12DDI_CALC_PRIVATE_ROOT_SIGNATURE_SIZE_0100,
    /// Slot 55. x64 offset 440, x86 offset 220.
    pub pfnCreateRootSignature: PFND3D12DDI_CREATE_ROOT_SIGNATURE_0100,
    /// Slot 56. x64 offset 448, x86 offset 224.
    pub pfnDestroyRootSignature: PFND3D12DDI_DESTROY_ROOT_SIGNATURE,
    /// Slot 57. x64 offset 456, x86 offset 228.
    pub pfnMapHeap: PFND3D12DDI_MAPHEAP,
    /// Slot 58. x64 offset 464, x86 offset 232.
    pub pfnUnmapHeap: PFND3D12DDI_UNMAPHEAP,
    /// Slot 59. x64 offset 472, x86 offset 236.
    pub pfnCalcPrivateHeapAndResourceSizes: PFND3D12DDI_CALCPRIVATEHEAPANDRESOURCESIZES_0109,
    /// Slot 60. x64 offset 480, x86 offset 240.
    pub pfnCreateHeapAndResource: PFND3D12DDI_CREATEHEAPANDRESOURCE_0109,
    /// Slot 61. x64 offset 488, x86 offset 244.
    pub pfnDestroyHeapAndResource: PFND3D12DDI_DESTROYHEAPANDRESOURCE,
    /// Slot 62. x64 offset 496, x86 offset 248.
    pub pfnMakeResident: PFND3D12DDI_MAKERESIDENT_0001,
    /// Slot 63. x64 offset 504, x86 offset 252.
    pub pfnEvict: PFND3D12DDI_EVICT2,
    /// Slot 64. x64 offset 512, x86 offset 256.
    pub pfnCalcPrivateOpenedHeapAndResourceSizes:
        PFND3D12DDI_CALCPRIVATEOPENEDHEAPANDRESOURCESIZES_0043,
    /// Slot 65. x64 offset 520, x86 offset 260.
    pub pfnOpenHeapAndResource: PFND3D12DDI_OPENHEAPANDRESOURCE_0043,
    /// Slot 66. x64 offset 528, x86 offset 264.
    pub pfnCopyDescriptors: PFND3D12DDI_COPY_DESCRIPTORS_0003,
    /// Slot 67. x64 offset 536, x86 offset 268.
    pub pfnCopyDescriptorsSimple: PFND3D12DDI_COPY_DESCRIPTORS_SIMPLE_0003,
    /// Slot 68. x64 offset 544, x86 offset 272.
    pub pfnCalcPrivateQueryHeapSize: PFND3D12DDI_CALC_PRIVATE_QUERY_HEAP_SIZE_0001,
    /// Slot 69. x64 offset 552, x86 offset 276.
    pub pfnCreateQueryHeap: PFND3D12DDI_CREATE_QUERY_HEAP_0001,
    /// Slot 70. x64 offset 560, x86 offset 280.
    pub pfnDestroyQueryHeap: PFND3D12DDI_DESTROY_QUERY_HEAP,
    /// Slot 71. x64 offset 568, x86 offset 284.
    pub pfnCalcPrivateCommandSignatureSize: PFND3D12DDI_CALC_PRIVATE_COMMAND_SIGNATURE_SIZE_0001,
    /// Slot 72. x64 offset 576, x86 offset 288.
    pub pfnCreateCommandSignature: PFND3D12DDI_CREATE_COMMAND_SIGNATURE_0001,
    /// Slot 73. x64 offset 584, x86 offset 292.
    pub pfnDestroyCommandSignature: PFND3D12DDI_DESTROY_COMMAND_SIGNATURE,
    /// Slot 74. x64 offset 592, x86 offset 296.
    pub pfnCheckResourceVirtualAddress: PFND3D12DDI_CHECKRESOURCEVIRTUALADDRESS,
    /// Slot 75. x64 offset 600, x86 offset 300.
    pub pfnCheckResourceAllocationInfo: PFND3D12DDI_CHECKRESOURCEALLOCATIONINFO_0109,
    /// Slot 76. x64 offset 608, x86 offset 304.
    pub pfnCheckSubresourceInfo: PFND3D12DDI_CHECKSUBRESOURCEINFO,
    /// Slot 77. x64 offset 616, x86 offset 308.
    pub pfnCheckExistingResourceAllocationInfo:
        PFND3D12DDI_CHECKEXISITINGRESOURCEALLOCATIONINFO_0022,
    /// Slot 78. x64 offset 624, x86 offset 312.
    pub pfnOfferResources: PFND3D12DDI_OFFERRESOURCES,
    /// Slot 79. x64 offset 632, x86 offset 316.
    pub pfnReclaimResources: PFND3D12DDI_RECLAIMRESOURCES_0001,
    /// Slot 80. x64 offset 640, x86 offset 320.
    pub pfnGetImplicitPhysicalAdapterMask: PFND3D12DDI_GETIMPLICITPHYSICALADAPTERMASK,
    /// Slot 81. x64 offset 648, x86 offset 324.
    pub pfnGetPresentPrivateDriverDataSize: PFND3D12DDI_GET_PRESENT_PRIVATE_DRIVER_DATA_SIZE,
    /// Slot 82. x64 offset 656, x86 offset 328.
    pub pfnQueryNodeMap: PFND3D12DDI_QUERY_NODE_MAP,
    /// Slot 83. x64 offset 664, x86 offset 332.
    pub pfnRetrieveShaderComment: PFND3D12DDI_RETRIEVE_SHADER_COMMENT_0003,
    /// Slot 84. x64 offset 672, x86 offset 336.
    pub pfnCheckResourceAllocationHandle: PFND3D12DDI_CHECKRESOURCEALLOCATIONHANDLE,
    /// Slot 85. x64 offset 680, x86 offset 340.
    pub pfnCalcPrivatePipelineLibrarySize: PFND3D12DDI_CALC_PRIVATE_PIPELINE_LIBRARY_SIZE_0010,
    /// Slot 86. x64 offset 688, x86 offset 344.
    pub pfnCreatePipelineLibrary: PFND3D12DDI_CREATE_PIPELINE_LIBRARY_0010,
    /// Slot 87. x64 offset 696, x86 offset 348.
    pub pfnDestroyPipelineLibrary: PFND3D12DDI_DESTROY_PIPELINE_LIBRARY_0010,
    /// Slot 88. x64 offset 704, x86 offset 352.
    pub pfnAddPipelineStateToLibrary: PFND3D12DDI_ADD_PIPELINE_STATE_TO_LIBRARY_0010,
    /// Slot 89. x64 offset 712, x86 offset 356.
    pub pfnCalcSerializedLibrarySize: PFND3D12DDI_CALC_SERIALIZED_LIBRARY_SIZE_0010,
    /// Slot 90. x64 offset 720, x86 offset 360.
    pub pfnSerializeLibrary: PFND3D12DDI_SERIALIZE_LIBRARY_0010,
    /// Slot 91. x64 offset 728, x86 offset 364.
    pub pfnGetDebugAllocationInfo: PFND3D12DDI_GET_DEBUG_ALLOCATION_INFO_0014,
    /// Slot 92. x64 offset 736, x86 offset 368.
    pub pfnCalcPrivateCommandRecorderSize: PFND3D12DDI_CALC_PRIVATE_COMMAND_RECORDER_SIZE_0040,
    /// Slot 93. x64 offset 744, x86 offset 372.
    pub pfnCreateCommandRecorder: PFND3D12DDI_CREATE_COMMAND_RECORDER_0040,
    /// Slot 94. x64 offset 752, x86 offset 376.
    pub pfnDestroyCommandRecorder: PFND3D12DDI_DESTROY_COMMAND_RECORDER_0040,
    /// Slot 95. x64 offset 760, x86 offset 380.
    pub pfnCommandRecorderSetCommandPoolAsTarget:
        PFND3D12DDI_COMMAND_RECORDER_SET_COMMAND_POOL_AS_TARGET_0040,
    /// Slot 96. x64 offset 768, x86 offset 384.
    pub pfnCalcPrivateSchedulingGroupSize: PFND3D12DDI_CALCPRIVATESCHEDULINGGROUPSIZE_0050,
    /// Slot 97. x64 offset 776, x86 offset 388.
    pub pfnCreateSchedulingGroup: PFND3D12DDI_CREATESCHEDULINGGROUP_0050,
    /// Slot 98. x64 offset 784, x86 offset 392.
    pub pfnDestroySchedulingGroup: PFND3D12DDI_DESTROYSCHEDULINGGROUP_0050,
    /// Slot 99. x64 offset 792, x86 offset 396.
    pub pfnEnumerateMetaCommands: PFND3D12DDI_ENUMERATE_META_COMMANDS_0052,
    /// Slot 100. x64 offset 800, x86 offset 400.
    pub pfnEnumerateMetaCommandParameters: PFND3D12DDI_ENUMERATE_META_COMMAND_PARAMETERS_0052,
    /// Slot 101. x64 offset 808, x86 offset 404.
    pub pfnCalcPrivateMetaCommandSize: PFND3D12DDI_CALC_PRIVATE_META_COMMAND_SIZE_0052,
    /// Slot 102. x64 offset 816, x86 offset 408.
    pub pfnCreateMetaCommand: PFND3D12DDI_CREATE_META_COMMAND_0052,
    /// Slot 103. x64 offset 824, x86 offset 412.
    pub pfnDestroyMetaCommand: PFND3D12DDI_DESTROY_META_COMMAND_0052,
    /// Slot 104. x64 offset 832, x86 offset 416.
    pub pfnGetMetaCommandRequiredParameterInfo:
        PFND3D12DDI_GET_META_COMMAND_REQUIRED_PARAMETER_INFO_0052,
    /// Slot 105. x64 offset 840, x86 offset 420.
    pub pfnCalcPrivateStateObjectSize: PFND3D12DDI_CALC_PRIVATE_STATE_OBJECT_SIZE_0054,
    /// Slot 106. x64 offset 848, x86 offset 424.
    pub pfnCreateStateObject: PFND3D12DDI_CREATE_STATE_OBJECT_0054,
    /// Slot 107. x64 offset 856, x86 offset 428.
    pub pfnDestroyStateObject: PFND3D12DDI_DESTROY_STATE_OBJECT_0054,
    /// Slot 108. x64 offset 864, x86 offset 432.
    pub pfnGetRaytracingAccelerationStructurePrebuildInfo:
        PFND3D12DDI_GET_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO_0054,
    /// Slot 109. x64 offset 872, x86 offset 436.
    pub pfnCheckDriverMatchingIdentifier: PFND3D12DDI_CHECK_DRIVER_MATCHING_IDENTIFIER_0054,
    /// Slot 110. x64 offset 880, x86 offset 440.
    pub pfnGetShaderIdentifier: PFND3D12DDI_GET_SHADER_IDENTIFIER_0054,
    /// Slot 111. x64 offset 888, x86 offset 444.
    pub pfnGetShaderStackSize: PFND3D12DDI_GET_SHADER_STACK_SIZE_0054,
    /// Slot 112. x64 offset 896, x86 offset 448.
    pub pfnGetPipelineStackSize: PFND3D12DDI_GET_PIPELINE_STACK_SIZE_0054,
    /// Slot 113. x64 offset 904, x86 offset 452.
    pub pfnSetPipelineStackSize: PFND3D12DDI_SET_PIPELINE_STACK_SIZE_0054,
    /// Slot 114. x64 offset 912, x86 offset 456.
    pub pfnSetBackgroundProcessingMode: PFND3D12DDI_SET_BACKGROUND_PROCESSING_MODE_0063,
    /// Slot 115. x64 offset 920, x86 offset 460.
    pub pfnCalcPrivateAddToStateObjectSize: PFND3D12DDI_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE_0072,
    /// Slot 116. x64 offset 928, x86 offset 464.
    pub pfnAddToStateObject: PFND3D12DDI_ADD_TO_STATE_OBJECT_0072,
    /// Slot 117. x64 offset 936, x86 offset 468.
    pub pfnCreateSamplerFeedbackUnorderedAccessView:
        PFND3D12DDI_CREATE_SAMPLER_FEEDBACK_UNORDERED_ACCESS_VIEW_0075,
    /// Slot 118. x64 offset 944, x86 offset 472.
    pub pfnCreateAmplificationShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 119. x64 offset 952, x86 offset 476.
    pub pfnCreateMeshShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 120. x64 offset 960, x86 offset 480.
    pub pfnCalcPrivateMeshShaderSize: PFND3D12DDI_CALC_PRIVATE_SHADER_SIZE_0026,
    /// Slot 121. x64 offset 968, x86 offset 484.
    pub pfnImplicitShaderCacheControl: PFND3D12DDI_IMPLICITSHADERCACHECONTROL_0080,
    /// Slot 122. x64 offset 976, x86 offset 488.
    pub pfnGetProgramIdentifier: PFND3D12DDI_GET_PROGRAM_IDENTIFIER_0108,
    /// Slot 123. x64 offset 984, x86 offset 492.
    pub pfnGetWorkGraphMemoryRequirements: PFND3D12DDI_GET_WORK_GRAPH_MEMORY_REQUIREMENTS_0108,
}

/// The device core table of DDI 0112. The types of its fence functions and of pfnGetTextureLayouts in this form are in
/// no public text; the fence functions have the same parameters before and after it.
///
/// Source: bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_DEVICE_FUNCS_CORE_0112 {
    /// Slot 0. x64 offset 0, x86 offset 0.
    pub pfnCheckFormatSupport: PFND3D12DDI_CHECKFORMATSUPPORT,
    /// Slot 1. x64 offset 8, x86 offset 4.
    pub pfnCheckMultisampleQualityLevels: PFND3D12DDI_CHECKMULTISAMPLEQUALITYLEVELS,
    /// Slot 2. x64 offset 16, x86 offset 8.
    pub pfnGetMipPacking: PFND3D12DDI_GETMIPPACKING,
    /// Slot 3. x64 offset 24, x86 offset 12.
    pub pfnCalcPrivateElementLayoutSize: PFND3D12DDI_CALCPRIVATEELEMENTLAYOUTSIZE_0010,
    /// Slot 4. x64 offset 32, x86 offset 16.
    pub pfnCreateElementLayout: PFND3D12DDI_CREATEELEMENTLAYOUT_0010,
    /// Slot 5. x64 offset 40, x86 offset 20.
    pub pfnDestroyElementLayout: PFND3D12DDI_DESTROYELEMENTLAYOUT,
    /// Slot 6. x64 offset 48, x86 offset 24.
    pub pfnCalcPrivateBlendStateSize: PFND3D12DDI_CALCPRIVATEBLENDSTATESIZE_0010,
    /// Slot 7. x64 offset 56, x86 offset 28.
    pub pfnCreateBlendState: PFND3D12DDI_CREATEBLENDSTATE_0010,
    /// Slot 8. x64 offset 64, x86 offset 32.
    pub pfnDestroyBlendState: PFND3D12DDI_DESTROYBLENDSTATE,
    /// Slot 9. x64 offset 72, x86 offset 36.
    pub pfnCalcPrivateDepthStencilStateSize: PFND3D12DDI_CALCPRIVATEDEPTHSTENCILSTATESIZE_0095,
    /// Slot 10. x64 offset 80, x86 offset 40.
    pub pfnCreateDepthStencilState: PFND3D12DDI_CREATEDEPTHSTENCILSTATE_0095,
    /// Slot 11. x64 offset 88, x86 offset 44.
    pub pfnDestroyDepthStencilState: PFND3D12DDI_DESTROYDEPTHSTENCILSTATE,
    /// Slot 12. x64 offset 96, x86 offset 48.
    pub pfnCalcPrivateRasterizerStateSize: PFND3D12DDI_CALCPRIVATERASTERIZERSTATESIZE_0102,
    /// Slot 13. x64 offset 104, x86 offset 52.
    pub pfnCreateRasterizerState: PFND3D12DDI_CREATERASTERIZERSTATE_0102,
    /// Slot 14. x64 offset 112, x86 offset 56.
    pub pfnDestroyRasterizerState: PFND3D12DDI_DESTROYRASTERIZERSTATE,
    /// Slot 15. x64 offset 120, x86 offset 60.
    pub pfnCalcPrivateShaderSize: PFND3D12DDI_CALC_PRIVATE_SHADER_SIZE_0026,
    /// Slot 16. x64 offset 128, x86 offset 64.
    pub pfnCreateVertexShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 17. x64 offset 136, x86 offset 68.
    pub pfnCreatePixelShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 18. x64 offset 144, x86 offset 72.
    pub pfnCreateGeometryShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 19. x64 offset 152, x86 offset 76.
    pub pfnCreateComputeShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 20. x64 offset 160, x86 offset 80.
    pub pfnCalcPrivateGeometryShaderWithStreamOutput:
        PFND3D12DDI_CALC_PRIVATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026,
    /// Slot 21. x64 offset 168, x86 offset 84.
    pub pfnCreateGeometryShaderWithStreamOutput:
        PFND3D12DDI_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026,
    /// Slot 22. x64 offset 176, x86 offset 88.
    pub pfnCalcPrivateTessellationShaderSize: PFND3D12DDI_CALC_PRIVATE_SHADER_SIZE_0026,
    /// Slot 23. x64 offset 184, x86 offset 92.
    pub pfnCreateHullShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 24. x64 offset 192, x86 offset 96.
    pub pfnCreateDomainShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 25. x64 offset 200, x86 offset 100.
    pub pfnDestroyShader: PFND3D12DDI_DESTROYSHADER,
    /// Slot 26. x64 offset 208, x86 offset 104.
    pub pfnCalcPrivateCommandQueueSize: PFND3D12DDI_CALCPRIVATECOMMANDQUEUESIZE_0050,
    /// Slot 27. x64 offset 216, x86 offset 108.
    pub pfnCreateCommandQueue: PFND3D12DDI_CREATECOMMANDQUEUE_0050,
    /// Slot 28. x64 offset 224, x86 offset 112.
    pub pfnDestroyCommandQueue: PFND3D12DDI_DESTROYCOMMANDQUEUE,
    /// Slot 29. x64 offset 232, x86 offset 116.
    pub pfnCalcPrivateCommandPoolSize: PFND3D12DDI_CALC_PRIVATE_COMMAND_POOL_SIZE_0040,
    /// Slot 30. x64 offset 240, x86 offset 120.
    pub pfnCreateCommandPool: PFND3D12DDI_CREATE_COMMAND_POOL_0040,
    /// Slot 31. x64 offset 248, x86 offset 124.
    pub pfnDestroyCommandPool: PFND3D12DDI_DESTROY_COMMAND_POOL_0040,
    /// Slot 32. x64 offset 256, x86 offset 128.
    pub pfnResetCommandPool: PFND3D12DDI_RESET_COMMAND_POOL_0040,
    /// Slot 33. x64 offset 264, x86 offset 132.
    pub pfnCalcPrivatePipelineStateSize: PFND3D12DDI_CALC_PRIVATE_PIPELINE_STATE_SIZE_0099,
    /// Slot 34. x64 offset 272, x86 offset 136.
    pub pfnCreatePipelineState: PFND3D12DDI_CREATE_PIPELINE_STATE_0099,
    /// Slot 35. x64 offset 280, x86 offset 140.
    pub pfnDestroyPipelineState: PFND3D12DDI_DESTROY_PIPELINE_STATE,
    /// Slot 36. x64 offset 288, x86 offset 144.
    pub pfnCalcPrivateCommandListSize: PFND3D12DDI_CALC_PRIVATE_COMMAND_LIST_SIZE_0040,
    /// Slot 37. x64 offset 296, x86 offset 148.
    pub pfnCreateCommandList: PFND3D12DDI_CREATE_COMMAND_LIST_0040,
    /// Slot 38. x64 offset 304, x86 offset 152.
    pub pfnDestroyCommandList: PFND3D12DDI_DESTROYCOMMANDLIST,
    /// Slot 39. x64 offset 312, x86 offset 156.
    pub pfnCalcPrivateFenceSize: PFND3D12DDI_CALCPRIVATEFENCESIZE_0112,
    /// Slot 40. x64 offset 320, x86 offset 160.
    pub pfnCreateFence: PFND3D12DDI_CREATEFENCE_0112,
    /// Slot 41. x64 offset 328, x86 offset 164.
    pub pfnDestroyFence: PFND3D12DDI_DESTROYFENCE,
    /// Slot 42. x64 offset 336, x86 offset 168.
    pub pfnCalcPrivateDescriptorHeapSize: PFND3D12DDI_CALC_PRIVATE_DESCRIPTOR_HEAP_SIZE_0001,
    /// Slot 43. x64 offset 344, x86 offset 172.
    pub pfnCreateDescriptorHeap: PFND3D12DDI_CREATE_DESCRIPTOR_HEAP_0001,
    /// Slot 44. x64 offset 352, x86 offset 176.
    pub pfnDestroyDescriptorHeap: PFND3D12DDI_DESTROY_DESCRIPTOR_HEAP,
    /// Slot 45. x64 offset 360, x86 offset 180.
    pub pfnGetDescriptorSizeInBytes: PFND3D12DDI_GET_DESCRIPTOR_SIZE_IN_BYTES,
    /// Slot 46. x64 offset 368, x86 offset 184.
    pub pfnGetCPUDescriptorHandleForHeapStart: PFND3D12DDI_GET_CPU_DESCRIPTOR_HANDLE_FOR_HEAP_START,
    /// Slot 47. x64 offset 376, x86 offset 188.
    pub pfnGetGPUDescriptorHandleForHeapStart: PFND3D12DDI_GET_GPU_DESCRIPTOR_HANDLE_FOR_HEAP_START,
    /// Slot 48. x64 offset 384, x86 offset 192.
    pub pfnCreateShaderResourceView: PFND3D12DDI_CREATE_SHADER_RESOURCE_VIEW_0002,
    /// Slot 49. x64 offset 392, x86 offset 196.
    pub pfnCreateConstantBufferView: PFND3D12DDI_CREATE_CONSTANT_BUFFER_VIEW,
    /// Slot 50. x64 offset 400, x86 offset 200.
    pub pfnCreateSampler: PFND3D12DDI_CREATE_SAMPLER_0096,
    /// Slot 51. x64 offset 408, x86 offset 204.
    pub pfnCreateUnorderedAccessView: PFND3D12DDI_CREATE_UNORDERED_ACCESS_VIEW_0002,
    /// Slot 52. x64 offset 416, x86 offset 208.
    pub pfnCreateRenderTargetView: PFND3D12DDI_CREATE_RENDER_TARGET_VIEW_0002,
    /// Slot 53. x64 offset 424, x86 offset 212.
    pub pfnCreateDepthStencilView: PFND3D12DDI_CREATE_DEPTH_STENCIL_VIEW,
    /// Slot 54. x64 offset 432, x86 offset 216.
    pub pfnCalcPrivateRootSignatureSize: PFND3D12DDI_CALC_PRIVATE_ROOT_SIGNATURE_SIZE_0100,
    /// Slot 55. x64 offset 440, x86 offset 220.
    pub pfnCreateRootSignature: PFND3D12DDI_CREATE_ROOT_SIGNATURE_0100,
    /// Slot 56. x64 offset 448, x86 offset 224.
    pub pfnDestroyRootSignature: PFND3D12DDI_DESTROY_ROOT_SIGNATURE,
    /// Slot 57. x64 offset 456, x86 offset 228.
    pub pfnMapHeap: PFND3D12DDI_MAPHEAP,
    /// Slot 58. x64 offset 464, x86 offset 232.
    pub pfnUnmapHeap: PFND3D12DDI_UNMAPHEAP,
    /// Slot 59. x64 offset 472, x86 offset 236.
    pub pfnCalcPrivateHeapAndResourceSizes: PFND3D12DDI_CALCPRIVATEHEAPANDRESOURCESIZES_0111,
    /// Slot 60. x64 offset 480, x86 offset 240.
    pub pfnCreateHeapAndResource: PFND3D12DDI_CREATEHEAPANDRESOURCE_0111,
    /// Slot 61. x64 offset 488, x86 offset 244.
    pub pfnDestroyHeapAndResource: PFND3D12DDI_DESTROYHEAPANDRESOURCE,
    /// Slot 62. x64 offset 496, x86 offset 248.
    pub pfnMakeResident: PFND3D12DDI_MAKERESIDENT_0001,
    /// Slot 63. x64 offset 504, x86 offset 252.
    pub pfnEvict: PFND3D12DDI_EVICT2,
    /// Slot 64. x64 offset 512, x86 offset 256.
    pub pfnCalcPrivateOpenedHeapAndResourceSizes:
        PFND3D12DDI_CALCPRIVATEOPENEDHEAPANDRESOURCESIZES_0043,
    /// Slot 65. x64 offset 520, x86 offset 260.
    pub pfnOpenHeapAndResource: PFND3D12DDI_OPENHEAPANDRESOURCE_0043,
    /// Slot 66. x64 offset 528, x86 offset 264.
    pub pfnCopyDescriptors: PFND3D12DDI_COPY_DESCRIPTORS_0003,
    /// Slot 67. x64 offset 536, x86 offset 268.
    pub pfnCopyDescriptorsSimple: PFND3D12DDI_COPY_DESCRIPTORS_SIMPLE_0003,
    /// Slot 68. x64 offset 544, x86 offset 272.
    pub pfnCalcPrivateQueryHeapSize: PFND3D12DDI_CALC_PRIVATE_QUERY_HEAP_SIZE_0001,
    /// Slot 69. x64 offset 552, x86 offset 276.
    pub pfnCreateQueryHeap: PFND3D12DDI_CREATE_QUERY_HEAP_0001,
    /// Slot 70. x64 offset 560, x86 offset 280.
    pub pfnDestroyQueryHeap: PFND3D12DDI_DESTROY_QUERY_HEAP,
    /// Slot 71. x64 offset 568, x86 offset 284.
    pub pfnCalcPrivateCommandSignatureSize: PFND3D12DDI_CALC_PRIVATE_COMMAND_SIGNATURE_SIZE_0001,
    /// Slot 72. x64 offset 576, x86 offset 288.
    pub pfnCreateCommandSignature: PFND3D12DDI_CREATE_COMMAND_SIGNATURE_0001,
    /// Slot 73. x64 offset 584, x86 offset 292.
    pub pfnDestroyCommandSignature: PFND3D12DDI_DESTROY_COMMAND_SIGNATURE,
    /// Slot 74. x64 offset 592, x86 offset 296.
    pub pfnCheckResourceVirtualAddress: PFND3D12DDI_CHECKRESOURCEVIRTUALADDRESS,
    /// Slot 75. x64 offset 600, x86 offset 300.
    pub pfnCheckResourceAllocationInfo: PFND3D12DDI_CHECKRESOURCEALLOCATIONINFO_0111,
    /// Slot 76. x64 offset 608, x86 offset 304.
    pub pfnCheckSubresourceInfo: PFND3D12DDI_CHECKSUBRESOURCEINFO,
    /// Slot 77. x64 offset 616, x86 offset 308.
    pub pfnCheckExistingResourceAllocationInfo:
        PFND3D12DDI_CHECKEXISITINGRESOURCEALLOCATIONINFO_0022,
    /// Slot 78. x64 offset 624, x86 offset 312.
    pub pfnOfferResources: PFND3D12DDI_OFFERRESOURCES,
    /// Slot 79. x64 offset 632, x86 offset 316.
    pub pfnReclaimResources: PFND3D12DDI_RECLAIMRESOURCES_0001,
    /// Slot 80. x64 offset 640, x86 offset 320.
    pub pfnGetImplicitPhysicalAdapterMask: PFND3D12DDI_GETIMPLICITPHYSICALADAPTERMASK,
    /// Slot 81. x64 offset 648, x86 offset 324.
    pub pfnGetPresentPrivateDriverDataSize: PFND3D12DDI_GET_PRESENT_PRIVATE_DRIVER_DATA_SIZE,
    /// Slot 82. x64 offset 656, x86 offset 328.
    pub pfnQueryNodeMap: PFND3D12DDI_QUERY_NODE_MAP,
    /// Slot 83. x64 offset 664, x86 offset 332.
    pub pfnRetrieveShaderComment: PFND3D12DDI_RETRIEVE_SHADER_COMMENT_0003,
    /// Slot 84. x64 offset 672, x86 offset 336.
    pub pfnCheckResourceAllocationHandle: PFND3D12DDI_CHECKRESOURCEALLOCATIONHANDLE,
    /// Slot 85. x64 offset 680, x86 offset 340.
    pub pfnCalcPrivatePipelineLibrarySize: PFND3D12DDI_CALC_PRIVATE_PIPELINE_LIBRARY_SIZE_0010,
    /// Slot 86. x64 offset 688, x86 offset 344.
    pub pfnCreatePipelineLibrary: PFND3D12DDI_CREATE_PIPELINE_LIBRARY_0010,
    /// Slot 87. x64 offset 696, x86 offset 348.
    pub pfnDestroyPipelineLibrary: PFND3D12DDI_DESTROY_PIPELINE_LIBRARY_0010,
    /// Slot 88. x64 offset 704, x86 offset 352.
    pub pfnAddPipelineStateToLibrary: PFND3D12DDI_ADD_PIPELINE_STATE_TO_LIBRARY_0010,
    /// Slot 89. x64 offset 712, x86 offset 356.
    pub pfnCalcSerializedLibrarySize: PFND3D12DDI_CALC_SERIALIZED_LIBRARY_SIZE_0010,
    /// Slot 90. x64 offset 720, x86 offset 360.
    pub pfnSerializeLibrary: PFND3D12DDI_SERIALIZE_LIBRARY_0010,
    /// Slot 91. x64 offset 728, x86 offset 364.
    pub pfnGetDebugAllocationInfo: PFND3D12DDI_GET_DEBUG_ALLOCATION_INFO_0014,
    /// Slot 92. x64 offset 736, x86 offset 368.
    pub pfnCalcPrivateCommandRecorderSize: PFND3D12DDI_CALC_PRIVATE_COMMAND_RECORDER_SIZE_0040,
    /// Slot 93. x64 offset 744, x86 offset 372.
    pub pfnCreateCommandRecorder: PFND3D12DDI_CREATE_COMMAND_RECORDER_0040,
    /// Slot 94. x64 offset 752, x86 offset 376.
    pub pfnDestroyCommandRecorder: PFND3D12DDI_DESTROY_COMMAND_RECORDER_0040,
    /// Slot 95. x64 offset 760, x86 offset 380.
    pub pfnCommandRecorderSetCommandPoolAsTarget:
        PFND3D12DDI_COMMAND_RECORDER_SET_COMMAND_POOL_AS_TARGET_0040,
    /// Slot 96. x64 offset 768, x86 offset 384.
    pub pfnCalcPrivateSchedulingGroupSize: PFND3D12DDI_CALCPRIVATESCHEDULINGGROUPSIZE_0050,
    /// Slot 97. x64 offset 776, x86 offset 388.
    pub pfnCreateSchedulingGroup: PFND3D12DDI_CREATESCHEDULINGGROUP_0050,
    /// Slot 98. x64 offset 784, x86 offset 392.
    pub pfnDestroySchedulingGroup: PFND3D12DDI_DESTROYSCHEDULINGGROUP_0050,
    /// Slot 99. x64 offset 792, x86 offset 396.
    pub pfnEnumerateMetaCommands: PFND3D12DDI_ENUMERATE_META_COMMANDS_0052,
    /// Slot 100. x64 offset 800, x86 offset 400.
    pub pfnEnumerateMetaCommandParameters: PFND3D12DDI_ENUMERATE_META_COMMAND_PARAMETERS_0052,
    /// Slot 101. x64 offset 808, x86 offset 404.
    pub pfnCalcPrivateMetaCommandSize: PFND3D12DDI_CALC_PRIVATE_META_COMMAND_SIZE_0052,
    /// Slot 102. x64 offset 816, x86 offset 408.
    pub pfnCreateMetaCommand: PFND3D12DDI_CREATE_META_COMMAND_0052,
    /// Slot 103. x64 offset 824, x86 offset 412.
    pub pfnDestroyMetaCommand: PFND3D12DDI_DESTROY_META_COMMAND_0052,
    /// Slot 104. x64 offset 832, x86 offset 416.
    pub pfnGetMetaCommandRequiredParameterInfo:
        PFND3D12DDI_GET_META_COMMAND_REQUIRED_PARAMETER_INFO_0052,
    /// Slot 105. x64 offset 840, x86 offset 420.
    pub pfnCalcPrivateStateObjectSize: PFND3D12DDI_CALC_PRIVATE_STATE_OBJECT_SIZE_0054,
    /// Slot 106. x64 offset 848, x86 offset 424.
    pub pfnCreateStateObject: PFND3D12DDI_CREATE_STATE_OBJECT_0054,
    /// Slot 107. x64 offset 856, x86 offset 428.
    pub pfnDestroyStateObject: PFND3D12DDI_DESTROY_STATE_OBJECT_0054,
    /// Slot 108. x64 offset 864, x86 offset 432.
    pub pfnGetRaytracingAccelerationStructurePrebuildInfo:
        PFND3D12DDI_GET_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO_0054,
    /// Slot 109. x64 offset 872, x86 offset 436.
    pub pfnCheckDriverMatchingIdentifier: PFND3D12DDI_CHECK_DRIVER_MATCHING_IDENTIFIER_0054,
    /// Slot 110. x64 offset 880, x86 offset 440.
    pub pfnGetShaderIdentifier: PFND3D12DDI_GET_SHADER_IDENTIFIER_0054,
    /// Slot 111. x64 offset 888, x86 offset 444.
    pub pfnGetShaderStackSize: PFND3D12DDI_GET_SHADER_STACK_SIZE_0054,
    /// Slot 112. x64 offset 896, x86 offset 448.
    pub pfnGetPipelineStackSize: PFND3D12DDI_GET_PIPELINE_STACK_SIZE_0054,
    /// Slot 113. x64 offset 904, x86 offset 452.
    pub pfnSetPipelineStackSize: PFND3D12DDI_SET_PIPELINE_STACK_SIZE_0054,
    /// Slot 114. x64 offset 912, x86 offset 456.
    pub pfnSetBackgroundProcessingMode: PFND3D12DDI_SET_BACKGROUND_PROCESSING_MODE_0063,
    /// Slot 115. x64 offset 920, x86 offset 460.
    pub pfnCalcPrivateAddToStateObjectSize: PFND3D12DDI_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE_0072,
    /// Slot 116. x64 offset 928, x86 offset 464.
    pub pfnAddToStateObject: PFND3D12DDI_ADD_TO_STATE_OBJECT_0072,
    /// Slot 117. x64 offset 936, x86 offset 468.
    pub pfnCreateSamplerFeedbackUnorderedAccessView:
        PFND3D12DDI_CREATE_SAMPLER_FEEDBACK_UNORDERED_ACCESS_VIEW_0075,
    /// Slot 118. x64 offset 944, x86 offset 472.
    pub pfnCreateAmplificationShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 119. x64 offset 952, x86 offset 476.
    pub pfnCreateMeshShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 120. x64 offset 960, x86 offset 480.
    pub pfnCalcPrivateMeshShaderSize: PFND3D12DDI_CALC_PRIVATE_SHADER_SIZE_0026,
    /// Slot 121. x64 offset 968, x86 offset 484.
    pub pfnImplicitShaderCacheControl: PFND3D12DDI_IMPLICITSHADERCACHECONTROL_0080,
    /// Slot 122. x64 offset 976, x86 offset 488.
    pub pfnGetProgramIdentifier: PFND3D12DDI_GET_PROGRAM_IDENTIFIER_0108,
    /// Slot 123. x64 offset 984, x86 offset 492.
    pub pfnGetWorkGraphMemoryRequirements: PFND3D12DDI_GET_WORK_GRAPH_MEMORY_REQUIREMENTS_0108,
    /// Slot 124. x64 offset 992, x86 offset 496.
    pub pfnGetTextureLayouts: PFND3D12DDI_UNKNOWN,
}

/// The device core table of DDI 0113 to 0115. The order of the last three is the header's; docs/spec-notes.md.
///
/// Source: bindings generated from the WDK 10.0.28000 header and Application_Specific_Driver_State.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_DEVICE_FUNCS_CORE_0113 {
    /// Slot 0. x64 offset 0, x86 offset 0.
    pub pfnCheckFormatSupport: PFND3D12DDI_CHECKFORMATSUPPORT,
    /// Slot 1. x64 offset 8, x86 offset 4.
    pub pfnCheckMultisampleQualityLevels: PFND3D12DDI_CHECKMULTISAMPLEQUALITYLEVELS,
    /// Slot 2. x64 offset 16, x86 offset 8.
    pub pfnGetMipPacking: PFND3D12DDI_GETMIPPACKING,
    /// Slot 3. x64 offset 24, x86 offset 12.
    pub pfnCalcPrivateElementLayoutSize: PFND3D12DDI_CALCPRIVATEELEMENTLAYOUTSIZE_0010,
    /// Slot 4. x64 offset 32, x86 offset 16.
    pub pfnCreateElementLayout: PFND3D12DDI_CREATEELEMENTLAYOUT_0010,
    /// Slot 5. x64 offset 40, x86 offset 20.
    pub pfnDestroyElementLayout: PFND3D12DDI_DESTROYELEMENTLAYOUT,
    /// Slot 6. x64 offset 48, x86 offset 24.
    pub pfnCalcPrivateBlendStateSize: PFND3D12DDI_CALCPRIVATEBLENDSTATESIZE_0010,
    /// Slot 7. x64 offset 56, x86 offset 28.
    pub pfnCreateBlendState: PFND3D12DDI_CREATEBLENDSTATE_0010,
    /// Slot 8. x64 offset 64, x86 offset 32.
    pub pfnDestroyBlendState: PFND3D12DDI_DESTROYBLENDSTATE,
    /// Slot 9. x64 offset 72, x86 offset 36.
    pub pfnCalcPrivateDepthStencilStateSize: PFND3D12DDI_CALCPRIVATEDEPTHSTENCILSTATESIZE_0095,
    /// Slot 10. x64 offset 80, x86 offset 40.
    pub pfnCreateDepthStencilState: PFND3D12DDI_CREATEDEPTHSTENCILSTATE_0095,
    /// Slot 11. x64 offset 88, x86 offset 44.
    pub pfnDestroyDepthStencilState: PFND3D12DDI_DESTROYDEPTHSTENCILSTATE,
    /// Slot 12. x64 offset 96, x86 offset 48.
    pub pfnCalcPrivateRasterizerStateSize: PFND3D12DDI_CALCPRIVATERASTERIZERSTATESIZE_0102,
    /// Slot 13. x64 offset 104, x86 offset 52.
    pub pfnCreateRasterizerState: PFND3D12DDI_CREATERASTERIZERSTATE_0102,
    /// Slot 14. x64 offset 112, x86 offset 56.
    pub pfnDestroyRasterizerState: PFND3D12DDI_DESTROYRASTERIZERSTATE,
    /// Slot 15. x64 offset 120, x86 offset 60.
    pub pfnCalcPrivateShaderSize: PFND3D12DDI_CALC_PRIVATE_SHADER_SIZE_0026,
    /// Slot 16. x64 offset 128, x86 offset 64.
    pub pfnCreateVertexShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 17. x64 offset 136, x86 offset 68.
    pub pfnCreatePixelShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 18. x64 offset 144, x86 offset 72.
    pub pfnCreateGeometryShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 19. x64 offset 152, x86 offset 76.
    pub pfnCreateComputeShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 20. x64 offset 160, x86 offset 80.
    pub pfnCalcPrivateGeometryShaderWithStreamOutput:
        PFND3D12DDI_CALC_PRIVATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026,
    /// Slot 21. x64 offset 168, x86 offset 84.
    pub pfnCreateGeometryShaderWithStreamOutput:
        PFND3D12DDI_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026,
    /// Slot 22. x64 offset 176, x86 offset 88.
    pub pfnCalcPrivateTessellationShaderSize: PFND3D12DDI_CALC_PRIVATE_SHADER_SIZE_0026,
    /// Slot 23. x64 offset 184, x86 offset 92.
    pub pfnCreateHullShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 24. x64 offset 192, x86 offset 96.
    pub pfnCreateDomainShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 25. x64 offset 200, x86 offset 100.
    pub pfnDestroyShader: PFND3D12DDI_DESTROYSHADER,
    /// Slot 26. x64 offset 208, x86 offset 104.
    pub pfnCalcPrivateCommandQueueSize: PFND3D12DDI_CALCPRIVATECOMMANDQUEUESIZE_0050,
    /// Slot 27. x64 offset 216, x86 offset 108.
    pub pfnCreateCommandQueue: PFND3D12DDI_CREATECOMMANDQUEUE_0050,
    /// Slot 28. x64 offset 224, x86 offset 112.
    pub pfnDestroyCommandQueue: PFND3D12DDI_DESTROYCOMMANDQUEUE,
    /// Slot 29. x64 offset 232, x86 offset 116.
    pub pfnCalcPrivateCommandPoolSize: PFND3D12DDI_CALC_PRIVATE_COMMAND_POOL_SIZE_0040,
    /// Slot 30. x64 offset 240, x86 offset 120.
    pub pfnCreateCommandPool: PFND3D12DDI_CREATE_COMMAND_POOL_0040,
    /// Slot 31. x64 offset 248, x86 offset 124.
    pub pfnDestroyCommandPool: PFND3D12DDI_DESTROY_COMMAND_POOL_0040,
    /// Slot 32. x64 offset 256, x86 offset 128.
    pub pfnResetCommandPool: PFND3D12DDI_RESET_COMMAND_POOL_0040,
    /// Slot 33. x64 offset 264, x86 offset 132.
    pub pfnCalcPrivatePipelineStateSize: PFND3D12DDI_CALC_PRIVATE_PIPELINE_STATE_SIZE_0099,
    /// Slot 34. x64 offset 272, x86 offset 136.
    pub pfnCreatePipelineState: PFND3D12DDI_CREATE_PIPELINE_STATE_0099,
    /// Slot 35. x64 offset 280, x86 offset 140.
    pub pfnDestroyPipelineState: PFND3D12DDI_DESTROY_PIPELINE_STATE,
    /// Slot 36. x64 offset 288, x86 offset 144.
    pub pfnCalcPrivateCommandListSize: PFND3D12DDI_CALC_PRIVATE_COMMAND_LIST_SIZE_0040,
    /// Slot 37. x64 offset 296, x86 offset 148.
    pub pfnCreateCommandList: PFND3D12DDI_CREATE_COMMAND_LIST_0040,
    /// Slot 38. x64 offset 304, x86 offset 152.
    pub pfnDestroyCommandList: PFND3D12DDI_DESTROYCOMMANDLIST,
    /// Slot 39. x64 offset 312, x86 offset 156.
    pub pfnCalcPrivateFenceSize: PFND3D12DDI_CALCPRIVATEFENCESIZE_0112,
    /// Slot 40. x64 offset 320, x86 offset 160.
    pub pfnCreateFence: PFND3D12DDI_CREATEFENCE_0112,
    /// Slot 41. x64 offset 328, x86 offset 164.
    pub pfnDestroyFence: PFND3D12DDI_DESTROYFENCE,
    /// Slot 42. x64 offset 336, x86 offset 168.
    pub pfnCalcPrivateDescriptorHeapSize: PFND3D12DDI_CALC_PRIVATE_DESCRIPTOR_HEAP_SIZE_0001,
    /// Slot 43. x64 offset 344, x86 offset 172.
    pub pfnCreateDescriptorHeap: PFND3D12DDI_CREATE_DESCRIPTOR_HEAP_0001,
    /// Slot 44. x64 offset 352, x86 offset 176.
    pub pfnDestroyDescriptorHeap: PFND3D12DDI_DESTROY_DESCRIPTOR_HEAP,
    /// Slot 45. x64 offset 360, x86 offset 180.
    pub pfnGetDescriptorSizeInBytes: PFND3D12DDI_GET_DESCRIPTOR_SIZE_IN_BYTES,
    /// Slot 46. x64 offset 368, x86 offset 184.
    pub pfnGetCPUDescriptorHandleForHeapStart: PFND3D12DDI_GET_CPU_DESCRIPTOR_HANDLE_FOR_HEAP_START,
    /// Slot 47. x64 offset 376, x86 offset 188.
    pub pfnGetGPUDescriptorHandleForHeapStart: PFND3D12DDI_GET_GPU_DESCRIPTOR_HANDLE_FOR_HEAP_START,
    /// Slot 48. x64 offset 384, x86 offset 192.
    pub pfnCreateShaderResourceView: PFND3D12DDI_CREATE_SHADER_RESOURCE_VIEW_0002,
    /// Slot 49. x64 offset 392, x86 offset 196.
    pub pfnCreateConstantBufferView: PFND3D12DDI_CREATE_CONSTANT_BUFFER_VIEW,
    /// Slot 50. x64 offset 400, x86 offset 200.
    pub pfnCreateSampler: PFND3D12DDI_CREATE_SAMPLER_0096,
    /// Slot 51. x64 offset 408, x86 offset 204.
    pub pfnCreateUnorderedAccessView: PFND3D12DDI_CREATE_UNORDERED_ACCESS_VIEW_0002,
    /// Slot 52. x64 offset 416, x86 offset 208.
    pub pfnCreateRenderTargetView: PFND3D12DDI_CREATE_RENDER_TARGET_VIEW_0002,
    /// Slot 53. x64 offset 424, x86 offset 212.
    pub pfnCreateDepthStencilView: PFND3D12DDI_CREATE_DEPTH_STENCIL_VIEW,
    /// Slot 54. x64 offset 432, x86 offset 216.
    pub pfnCalcPrivateRootSignatureSize: PFND3D12DDI_CALC_PRIVATE_ROOT_SIGNATURE_SIZE_0100,
    /// Slot 55. x64 offset 440, x86 offset 220.
    pub pfnCreateRootSignature: PFND3D12DDI_CREATE_ROOT_SIGNATURE_0100,
    /// Slot 56. x64 offset 448, x86 offset 224.
    pub pfnDestroyRootSignature: PFND3D12DDI_DESTROY_ROOT_SIGNATURE,
    /// Slot 57. x64 offset 456, x86 offset 228.
    pub pfnMapHeap: PFND3D12DDI_MAPHEAP,
    /// Slot 58. x64 offset 464, x86 offset 232.
    pub pfnUnmapHeap: PFND3D12DDI_UNMAPHEAP,
    /// Slot 59. x64 offset 472, x86 offset 236.
    pub pfnCalcPrivateHeapAndResourceSizes: PFND3D12DDI_CALCPRIVATEHEAPANDRESOURCESIZES_0111,
    /// Slot 60. x64 offset 480, x86 offset 240.
    pub pfnCreateHeapAndResource: PFND3D12DDI_CREATEHEAPANDRESOURCE_0111,
    /// Slot 61. x64 offset 488, x86 offset 244.
    pub pfnDestroyHeapAndResource: PFND3D12DDI_DESTROYHEAPANDRESOURCE,
    /// Slot 62. x64 offset 496, x86 offset 248.
    pub pfnMakeResident: PFND3D12DDI_MAKERESIDENT_0001,
    /// Slot 63. x64 offset 504, x86 offset 252.
    pub pfnEvict: PFND3D12DDI_EVICT2,
    /// Slot 64. x64 offset 512, x86 offset 256.
    pub pfnCalcPrivateOpenedHeapAndResourceSizes:
        PFND3D12DDI_CALCPRIVATEOPENEDHEAPANDRESOURCESIZES_0043,
    /// Slot 65. x64 offset 520, x86 offset 260.
    pub pfnOpenHeapAndResource: PFND3D12DDI_OPENHEAPANDRESOURCE_0043,
    /// Slot 66. x64 offset 528, x86 offset 264.
    pub pfnCopyDescriptors: PFND3D12DDI_COPY_DESCRIPTORS_0003,
    /// Slot 67. x64 offset 536, x86 offset 268.
    pub pfnCopyDescriptorsSimple: PFND3D12DDI_COPY_DESCRIPTORS_SIMPLE_0003,
    /// Slot 68. x64 offset 544, x86 offset 272.
    pub pfnCalcPrivateQueryHeapSize: PFND3D12DDI_CALC_PRIVATE_QUERY_HEAP_SIZE_0001,
    /// Slot 69. x64 offset 552, x86 offset 276.
    pub pfnCreateQueryHeap: PFND3D12DDI_CREATE_QUERY_HEAP_0001,
    /// Slot 70. x64 offset 560, x86 offset 280.
    pub pfnDestroyQueryHeap: PFND3D12DDI_DESTROY_QUERY_HEAP,
    /// Slot 71. x64 offset 568, x86 offset 284.
    pub pfnCalcPrivateCommandSignatureSize: PFND3D12DDI_CALC_PRIVATE_COMMAND_SIGNATURE_SIZE_0001,
    /// Slot 72. x64 offset 576, x86 offset 288.
    pub pfnCreateCommandSignature: PFND3D12DDI_CREATE_COMMAND_SIGNATURE_0001,
    /// Slot 73. x64 offset 584, x86 offset 292.
    pub pfnDestroyCommandSignature: PFND3D12DDI_DESTROY_COMMAND_SIGNATURE,
    /// Slot 74. x64 offset 592, x86 offset 296.
    pub pfnCheckResourceVirtualAddress: PFND3D12DDI_CHECKRESOURCEVIRTUALADDRESS,
    /// Slot 75. x64 offset 600, x86 offset 300.
    pub pfnCheckResourceAllocationInfo: PFND3D12DDI_CHECKRESOURCEALLOCATIONINFO_0111,
    /// Slot 76. x64 offset 608, x86 offset 304.
    pub pfnCheckSubresourceInfo: PFND3D12DDI_CHECKSUBRESOURCEINFO,
    /// Slot 77. x64 offset 616, x86 offset 308.
    pub pfnCheckExistingResourceAllocationInfo:
        PFND3D12DDI_CHECKEXISITINGRESOURCEALLOCATIONINFO_0022,
    /// Slot 78. x64 offset 624, x86 offset 312.
    pub pfnOfferResources: PFND3D12DDI_OFFERRESOURCES,
    /// Slot 79. x64 offset 632, x86 offset 316.
    pub pfnReclaimResources: PFND3D12DDI_RECLAIMRESOURCES_0001,
    /// Slot 80. x64 offset 640, x86 offset 320.
    pub pfnGetImplicitPhysicalAdapterMask: PFND3D12DDI_GETIMPLICITPHYSICALADAPTERMASK,
    /// Slot 81. x64 offset 648, x86 offset 324.
    pub pfnGetPresentPrivateDriverDataSize: PFND3D12DDI_GET_PRESENT_PRIVATE_DRIVER_DATA_SIZE,
    /// Slot 82. x64 offset 656, x86 offset 328.
    pub pfnQueryNodeMap: PFND3D12DDI_QUERY_NODE_MAP,
    /// Slot 83. x64 offset 664, x86 offset 332.
    pub pfnRetrieveShaderComment: PFND3D12DDI_RETRIEVE_SHADER_COMMENT_0003,
    /// Slot 84. x64 offset 672, x86 offset 336.
    pub pfnCheckResourceAllocationHandle: PFND3D12DDI_CHECKRESOURCEALLOCATIONHANDLE,
    /// Slot 85. x64 offset 680, x86 offset 340.
    pub pfnCalcPrivatePipelineLibrarySize: PFND3D12DDI_CALC_PRIVATE_PIPELINE_LIBRARY_SIZE_0010,
    /// Slot 86. x64 offset 688, x86 offset 344.
    pub pfnCreatePipelineLibrary: PFND3D12DDI_CREATE_PIPELINE_LIBRARY_0010,
    /// Slot 87. x64 offset 696, x86 offset 348.
    pub pfnDestroyPipelineLibrary: PFND3D12DDI_DESTROY_PIPELINE_LIBRARY_0010,
    /// Slot 88. x64 offset 704, x86 offset 352.
    pub pfnAddPipelineStateToLibrary: PFND3D12DDI_ADD_PIPELINE_STATE_TO_LIBRARY_0010,
    /// Slot 89. x64 offset 712, x86 offset 356.
    pub pfnCalcSerializedLibrarySize: PFND3D12DDI_CALC_SERIALIZED_LIBRARY_SIZE_0010,
    /// Slot 90. x64 offset 720, x86 offset 360.
    pub pfnSerializeLibrary: PFND3D12DDI_SERIALIZE_LIBRARY_0010,
    /// Slot 91. x64 offset 728, x86 offset 364.
    pub pfnGetDebugAllocationInfo: PFND3D12DDI_GET_DEBUG_ALLOCATION_INFO_0014,
    /// Slot 92. x64 offset 736, x86 offset 368.
    pub pfnCalcPrivateCommandRecorderSize: PFND3D12DDI_CALC_PRIVATE_COMMAND_RECORDER_SIZE_0040,
    /// Slot 93. x64 offset 744, x86 offset 372.
    pub pfnCreateCommandRecorder: PFND3D12DDI_CREATE_COMMAND_RECORDER_0040,
    /// Slot 94. x64 offset 752, x86 offset 376.
    pub pfnDestroyCommandRecorder: PFND3D12DDI_DESTROY_COMMAND_RECORDER_0040,
    /// Slot 95. x64 offset 760, x86 offset 380.
    pub pfnCommandRecorderSetCommandPoolAsTarget:
        PFND3D12DDI_COMMAND_RECORDER_SET_COMMAND_POOL_AS_TARGET_0040,
    /// Slot 96. x64 offset 768, x86 offset 384.
    pub pfnCalcPrivateSchedulingGroupSize: PFND3D12DDI_CALCPRIVATESCHEDULINGGROUPSIZE_0050,
    /// Slot 97. x64 offset 776, x86 offset 388.
    pub pfnCreateSchedulingGroup: PFND3D12DDI_CREATESCHEDULINGGROUP_0050,
    /// Slot 98. x64 offset 784, x86 offset 392.
    pub pfnDestroySchedulingGroup: PFND3D12DDI_DESTROYSCHEDULINGGROUP_0050,
    /// Slot 99. x64 offset 792, x86 offset 396.
    pub pfnEnumerateMetaCommands: PFND3D12DDI_ENUMERATE_META_COMMANDS_0052,
    /// Slot 100. x64 offset 800, x86 offset 400.
    pub pfnEnumerateMetaCommandParameters: PFND3D12DDI_ENUMERATE_META_COMMAND_PARAMETERS_0052,
    /// Slot 101. x64 offset 808, x86 offset 404.
    pub pfnCalcPrivateMetaCommandSize: PFND3D12DDI_CALC_PRIVATE_META_COMMAND_SIZE_0052,
    /// Slot 102. x64 offset 816, x86 offset 408.
    pub pfnCreateMetaCommand: PFND3D12DDI_CREATE_META_COMMAND_0052,
    /// Slot 103. x64 offset 824, x86 offset 412.
    pub pfnDestroyMetaCommand: PFND3D12DDI_DESTROY_META_COMMAND_0052,
    /// Slot 104. x64 offset 832, x86 offset 416.
    pub pfnGetMetaCommandRequiredParameterInfo:
        PFND3D12DDI_GET_META_COMMAND_REQUIRED_PARAMETER_INFO_0052,
    /// Slot 105. x64 offset 840, x86 offset 420.
    pub pfnCalcPrivateStateObjectSize: PFND3D12DDI_CALC_PRIVATE_STATE_OBJECT_SIZE_0054,
    /// Slot 106. x64 offset 848, x86 offset 424.
    pub pfnCreateStateObject: PFND3D12DDI_CREATE_STATE_OBJECT_0054,
    /// Slot 107. x64 offset 856, x86 offset 428.
    pub pfnDestroyStateObject: PFND3D12DDI_DESTROY_STATE_OBJECT_0054,
    /// Slot 108. x64 offset 864, x86 offset 432.
    pub pfnGetRaytracingAccelerationStructurePrebuildInfo:
        PFND3D12DDI_GET_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO_0054,
    /// Slot 109. x64 offset 872, x86 offset 436.
    pub pfnCheckDriverMatchingIdentifier: PFND3D12DDI_CHECK_DRIVER_MATCHING_IDENTIFIER_0054,
    /// Slot 110. x64 offset 880, x86 offset 440.
    pub pfnGetShaderIdentifier: PFND3D12DDI_GET_SHADER_IDENTIFIER_0054,
    /// Slot 111. x64 offset 888, x86 offset 444.
    pub pfnGetShaderStackSize: PFND3D12DDI_GET_SHADER_STACK_SIZE_0054,
    /// Slot 112. x64 offset 896, x86 offset 448.
    pub pfnGetPipelineStackSize: PFND3D12DDI_GET_PIPELINE_STACK_SIZE_0054,
    /// Slot 113. x64 offset 904, x86 offset 452.
    pub pfnSetPipelineStackSize: PFND3D12DDI_SET_PIPELINE_STACK_SIZE_0054,
    /// Slot 114. x64 offset 912, x86 offset 456.
    pub pfnSetBackgroundProcessingMode: PFND3D12DDI_SET_BACKGROUND_PROCESSING_MODE_0063,
    /// Slot 115. x64 offset 920, x86 offset 460.
    pub pfnCalcPrivateAddToStateObjectSize: PFND3D12DDI_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE_0072,
    /// Slot 116. x64 offset 928, x86 offset 464.
    pub pfnAddToStateObject: PFND3D12DDI_ADD_TO_STATE_OBJECT_0072,
    /// Slot 117. x64 offset 936, x86 offset 468.
    pub pfnCreateSamplerFeedbackUnorderedAccessView:
        PFND3D12DDI_CREATE_SAMPLER_FEEDBACK_UNORDERED_ACCESS_VIEW_0075,
    /// Slot 118. x64 offset 944, x86 offset 472.
    pub pfnCreateAmplificationShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 119. x64 offset 952, x86 offset 476.
    pub pfnCreateMeshShader: PFND3D12DDI_CREATE_SHADER_0026,
    /// Slot 120. x64 offset 960, x86 offset 480.
    pub pfnCalcPrivateMeshShaderSize: PFND3D12DDI_CALC_PRIVATE_SHADER_SIZE_0026,
    /// Slot 121. x64 offset 968, x86 offset 484.
    pub pfnImplicitShaderCacheControl: PFND3D12DDI_IMPLICITSHADERCACHECONTROL_0080,
    /// Slot 122. x64 offset 976, x86 offset 488.
    pub pfnGetProgramIdentifier: PFND3D12DDI_GET_PROGRAM_IDENTIFIER_0108,
    /// Slot 123. x64 offset 984, x86 offset 492.
    pub pfnGetWorkGraphMemoryRequirements: PFND3D12DDI_GET_WORK_GRAPH_MEMORY_REQUIREMENTS_0108,
    /// Slot 124. x64 offset 992, x86 offset 496.
    pub pfnGetTextureLayouts: PFND3D12DDI_UNKNOWN,
    /// Slot 125. x64 offset 1000, x86 offset 500.
    pub pfnGetApplicationSpecificDriverState:
        PFND3D12DDI_GET_APPLICATION_SPECIFIC_DRIVER_STATE_0113,
    /// Slot 126. x64 offset 1008, x86 offset 504.
    pub pfnGetApplicationSpecificDriverBlobStatus:
        PFND3D12DDI_GET_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS_0113,
    /// Slot 127. x64 offset 1016, x86 offset 508.
    pub pfnGetApplicationSpecificDriverStateBlobSize:
        PFND3D12DDI_GET_APPLICATION_SPECIFIC_DRIVER_STATE_BLOB_SIZE_0113,
}
