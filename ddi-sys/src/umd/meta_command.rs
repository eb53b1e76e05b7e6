//! Meta commands.

use core::ffi::c_void;

use bytemuck::Zeroable;

use crate::*;

/// An argument: `D3D12DDIARG_META_COMMAND_DESC`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_META_COMMAND_DESC {
    /// x64 offset 0, x86 offset 0.
    pub Id: GUID,
    /// x64 offset 16, x86 offset 16.
    pub Name: LPCWSTR,
    /// x64 offset 24, x86 offset 20.
    pub InitializationDirtyState: D3D12DDI_GRAPHICS_STATES,
    /// x64 offset 28, x86 offset 24.
    pub ExecutionDirtyState: D3D12DDI_GRAPHICS_STATES,
}

/// An argument: `D3D12DDIARG_META_COMMAND_PARAMETER_DESC`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_META_COMMAND_PARAMETER_DESC {
    /// x64 offset 0, x86 offset 0.
    pub Name: LPCWSTR,
    /// x64 offset 8, x86 offset 4.
    pub Type: D3D12DDI_META_COMMAND_PARAMETER_TYPE,
    /// x64 offset 12, x86 offset 8.
    pub Flags: D3D12DDI_META_COMMAND_PARAMETER_FLAGS,
    /// x64 offset 16, x86 offset 12.
    pub RequiredResourceState: D3D12DDI_RESOURCE_STATES,
}

/// An argument: `D3D12DDIARG_META_COMMAND_REQUIRED_PARAMETER_INFO`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_META_COMMAND_REQUIRED_PARAMETER_INFO {
    /// x64 offset 0, x86 offset 0.
    pub ResourceSize: UINT64,
}

/// The structure `D3D12DDICAPS_QUERY_META_COMMAND_CAPS_0061`.
///
/// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDICAPS_QUERY_META_COMMAND_CAPS_0061 {
    /// x64 offset 0, x86 offset 0.
    pub CommandId: GUID,
    /// x64 offset 16, x86 offset 16.
    pub pQueryInputData: *const c_void,
    /// x64 offset 24, x86 offset 20.
    pub QueryInputDataSizeInBytes: SIZE_T,
    /// x64 offset 32, x86 offset 24.
    pub pQueryOutputData: *mut c_void,
    /// x64 offset 40, x86 offset 28.
    pub QueryOutputDataSizeInBytes: SIZE_T,
}

ddi_enum! {
    /// The enumeration of `Type` in [`D3D12DDIARG_META_COMMAND_PARAMETER_DESC`].
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_META_COMMAND_PARAMETER_TYPE {
        /// Value 0.
        D3D12DDI_META_COMMAND_PARAMETER_TYPE_FLOAT = 0,
        /// Value 1.
        D3D12DDI_META_COMMAND_PARAMETER_TYPE_UINT64 = 1,
        /// Value 2.
        D3D12DDI_META_COMMAND_PARAMETER_TYPE_GPU_VIRTUAL_ADDRESS = 2,
        /// Value 3.
        D3D12DDI_META_COMMAND_PARAMETER_TYPE_CPU_DESCRIPTOR_HANDLE_HEAP_TYPE_CBV_SRV_UAV = 3,
        /// Value 4.
        D3D12DDI_META_COMMAND_PARAMETER_TYPE_GPU_DESCRIPTOR_HANDLE_HEAP_TYPE_CBV_SRV_UAV = 4,
    }
}

ddi_flags! {
    /// The enumeration of `Flags` in [`D3D12DDIARG_META_COMMAND_PARAMETER_DESC`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_META_COMMAND_PARAMETER_FLAGS {
        /// Value 1.
        D3D12DDI_META_COMMAND_PARAMETER_FLAG_INPUT = 1,
        /// Value 2.
        D3D12DDI_META_COMMAND_PARAMETER_FLAG_OUTPUT = 2,
    }
}

ddi_enum! {
    /// The enumeration that [`PFND3D12DDI_ENUMERATE_META_COMMAND_PARAMETERS_0052`] and
    /// [`PFND3D12DDI_GET_META_COMMAND_REQUIRED_PARAMETER_INFO_0052`] take as `Stage`.
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_META_COMMAND_PARAMETER_STAGE {
        /// Value 0.
        D3D12DDI_META_COMMAND_PARAMETER_STAGE_CREATION = 0,
        /// Value 1.
        D3D12DDI_META_COMMAND_PARAMETER_STAGE_INITIALIZATION = 1,
        /// Value 2.
        D3D12DDI_META_COMMAND_PARAMETER_STAGE_EXECUTION = 2,
    }
}

ddi_flags! {
    /// The enumeration of `InitializationDirtyState` and `ExecutionDirtyState` in [`D3D12DDIARG_META_COMMAND_DESC`].
    ///
    /// Source: the WDK reference pages and bindings generated from the SDK 10.0.26100 header.
    pub enum D3D12DDI_GRAPHICS_STATES {
        /// Value 0.
        D3D12DDI_GRAPHICS_STATE_NONE = 0,
        /// Value 1.
        D3D12DDI_GRAPHICS_STATE_IA_VERTEX_BUFFERS = 1,
        /// Value 2.
        D3D12DDI_GRAPHICS_STATE_IA_INDEX_BUFFER = 2,
        /// Value 4.
        D3D12DDI_GRAPHICS_STATE_IA_PRIMITIVE_TOPOLOGY = 4,
        /// Value 8.
        D3D12DDI_GRAPHICS_STATE_DESCRIPTOR_HEAP = 8,
        /// Value 16.
        D3D12DDI_GRAPHICS_STATE_GRAPHICS_ROOT_SIGNATURE = 16,
        /// Value 32.
        D3D12DDI_GRAPHICS_STATE_COMPUTE_ROOT_SIGNATURE = 32,
        /// Value 64.
        D3D12DDI_GRAPHICS_STATE_RS_VIEWPORTS = 64,
        /// Value 128.
        D3D12DDI_GRAPHICS_STATE_RS_SCISSOR_RECTS = 128,
        /// Value 256.
        D3D12DDI_GRAPHICS_STATE_PREDICATION = 256,
        /// Value 512.
        D3D12DDI_GRAPHICS_STATE_OM_RENDER_TARGETS = 512,
        /// Value 1024.
        D3D12DDI_GRAPHICS_STATE_OM_STENCIL_REF = 1024,
        /// Value 2048.
        D3D12DDI_GRAPHICS_STATE_OM_BLEND_FACTOR = 2048,
        /// Value 4096.
        D3D12DDI_GRAPHICS_STATE_PIPELINE_STATE = 4096,
        /// Value 8192.
        D3D12DDI_GRAPHICS_STATE_SO_TARGETS = 8192,
        /// Value 16384.
        D3D12DDI_GRAPHICS_STATE_OM_DEPTH_BOUNDS = 16384,
        /// Value 32768.
        D3D12DDI_GRAPHICS_STATE_SAMPLE_POSITIONS = 32768,
        /// Value 65536.
        D3D12DDI_GRAPHICS_STATE_VIEW_INSTANCE_MASK = 0x0001_0000,
    }
}
