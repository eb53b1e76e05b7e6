//! Pipeline states: D3D12DDIARG_CREATE_PIPELINE_STATE_0099 and what it holds by value.

use core::ffi::c_void;

use bytemuck::Zeroable;

use crate::base::UINT;
use crate::dxgi::{DXGI_FORMAT, DXGI_SAMPLE_DESC};

/// A usermode DDI handle. No call of the plugin DDI creates one: by our reading it points at
/// D3D12DDIARG_CREATE_SHADER_0026, for a geometry shader with stream output the larger structure
/// that begins with it.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
/// What it points to here is in docs/spec-notes.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HSHADER {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// A usermode DDI handle. No call of the plugin DDI creates one: by our reading it points at
/// D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
/// What it points to here is in docs/spec-notes.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HROOTSIGNATURE {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// A usermode DDI handle. No call of the plugin DDI creates one: by our reading it points at
/// D3D12DDI_BLEND_DESC_0010.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
/// What it points to here is in docs/spec-notes.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HBLENDSTATE {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// A usermode DDI handle. No call of the plugin DDI creates one: by our reading it points at
/// D3D12DDI_RASTERIZER_DESC_0102.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
/// What it points to here is in docs/spec-notes.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRASTERIZERSTATE {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// A usermode DDI handle. No call of the plugin DDI creates one: by our reading it points at
/// D3D12DDI_DEPTH_STENCIL_DESC_0095.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
/// What it points to here is in docs/spec-notes.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HDEPTHSTENCILSTATE {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// A usermode DDI handle. No call of the plugin DDI creates one: by our reading it points at
/// D3D12DDIARG_CREATEELEMENTLAYOUT_0010.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
/// What it points to here is in docs/spec-notes.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HELEMENTLAYOUT {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// A pipeline library; null in the plugin DDI.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
/// What it points to here is in docs/spec-notes.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HPIPELINELIBRARY {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// A graphics or compute pipeline. A stage that is absent has a null `pDrvPrivate`; what the
/// handles point to in the plugin DDI is in docs/spec-notes.md.
///
/// Source: VulkanOn12.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_CREATE_PIPELINE_STATE_0099 {
    /// x64 offset 0, x86 offset 0.
    pub hComputeShader: D3D12DDI_HSHADER,
    /// x64 offset 8, x86 offset 4.
    pub hVertexShader: D3D12DDI_HSHADER,
    /// x64 offset 16, x86 offset 8.
    pub hPixelShader: D3D12DDI_HSHADER,
    /// x64 offset 24, x86 offset 12.
    pub hDomainShader: D3D12DDI_HSHADER,
    /// x64 offset 32, x86 offset 16.
    pub hHullShader: D3D12DDI_HSHADER,
    /// x64 offset 40, x86 offset 20.
    pub hGeometryShader: D3D12DDI_HSHADER,
    /// x64 offset 48, x86 offset 24.
    pub hRootSignature: D3D12DDI_HROOTSIGNATURE,
    /// x64 offset 56, x86 offset 28.
    pub hBlendState: D3D12DDI_HBLENDSTATE,
    /// x64 offset 64, x86 offset 32.
    pub SampleMask: UINT,
    /// x64 offset 72, x86 offset 36.
    pub hRasterizerState: D3D12DDI_HRASTERIZERSTATE,
    /// x64 offset 80, x86 offset 40.
    pub hDepthStencilState: D3D12DDI_HDEPTHSTENCILSTATE,
    /// x64 offset 88, x86 offset 44.
    pub hElementLayout: D3D12DDI_HELEMENTLAYOUT,
    /// x64 offset 96, x86 offset 48.
    pub IBStripCutValue: D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE,
    /// x64 offset 100, x86 offset 52.
    pub PrimitiveTopologyType: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE,
    /// x64 offset 104, x86 offset 56.
    pub NumRenderTargets: UINT,
    /// x64 offset 108, x86 offset 60.
    pub RTVFormats: [DXGI_FORMAT; 8],
    /// x64 offset 140, x86 offset 92.
    pub DSVFormat: DXGI_FORMAT,
    /// x64 offset 144, x86 offset 96.
    pub SampleDesc: DXGI_SAMPLE_DESC,
    /// x64 offset 152, x86 offset 104.
    pub NodeMask: UINT,
    /// x64 offset 160, x86 offset 108.
    pub LibraryReference: D3D12DDI_LIBRARY_REFERENCE_0010,
    /// x64 offset 176, x86 offset 116.
    pub ViewInstancingDesc: D3D12DDI_VIEW_INSTANCING_DESC,
    /// x64 offset 200, x86 offset 128.
    pub hMeshShader: D3D12DDI_HSHADER,
    /// x64 offset 208, x86 offset 132.
    pub hAmplificationShader: D3D12DDI_HSHADER,
    /// x64 offset 216, x86 offset 136.
    pub Flags: D3D12DDI_PIPELINE_STATE_FLAGS,
}

/// Where a pipeline library holds this object; absent when `hLibrary` is null.
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_LIBRARY_REFERENCE_0010 {
    /// x64 offset 0, x86 offset 0.
    pub hLibrary: D3D12DDI_HPIPELINELIBRARY,
    /// x64 offset 8, x86 offset 4.
    pub PipelineIndex: UINT,
}

/// View instancing.
///
/// Source: ViewInstancing.md and the WDK reference pages.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_VIEW_INSTANCING_DESC {
    /// x64 offset 0, x86 offset 0.
    pub ViewInstanceCount: UINT,
    /// x64 offset 8, x86 offset 4.
    pub pViewInstanceLocations: *const D3D12DDI_VIEW_INSTANCE_LOCATION,
    /// x64 offset 16, x86 offset 8.
    pub Flags: D3D12DDI_VIEW_INSTANCING_FLAGS,
}

/// Where one view instance renders.
///
/// Source: ViewInstancing.md and the WDK reference pages.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_VIEW_INSTANCE_LOCATION {
    /// x64 offset 0, x86 offset 0.
    pub ViewportArrayIndex: UINT,
    /// x64 offset 4, x86 offset 4.
    pub RenderTargetArrayIndex: UINT,
}

ddi_enum! {
    /// Index that cuts a strip.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
    /// 10.0.28000 header; no official public text prints it.
    pub enum D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE {
        /// Value 0.
        D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE_DISABLED = 0,
        /// Value 1.
        D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE_0xFFFF = 1,
        /// Value 2.
        D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE_0xFFFFFFFF = 2,
    }
}

ddi_enum! {
    /// Primitive topology type.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
    /// 10.0.28000 header; no official public text prints it.
    pub enum D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE {
        /// Value 0.
        D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_UNDEFINED = 0,
        /// Value 1.
        D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_POINT = 1,
        /// Value 2.
        D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_LINE = 2,
        /// Value 3.
        D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE = 3,
        /// Value 4.
        D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_PATCH = 4,
    }
}

ddi_flags! {
    /// Flags of a pipeline state.
    ///
    /// Source: VulkanOn12.md and D3D12DebugBreak.md.
    pub enum D3D12DDI_PIPELINE_STATE_FLAGS {
        /// Value 0.
        D3D12DDI_PIPELINE_STATE_FLAG_NONE = 0,
        /// Value 4.
        D3D12DDI_PIPELINE_STATE_FLAG_DYNAMIC_DEPTH_BIAS = 4,
        /// Value 8.
        D3D12DDI_PIPELINE_STATE_FLAG_DYNAMIC_INDEX_BUFFER_STRIP_CUT = 8,
        /// D3D12DebugBreak.md only.
        D3D12DDI_PIPELINE_STATE_FLAG_DEBUG_BREAK_ALWAYS_HALT = 0x20,
        /// D3D12DebugBreak.md only.
        D3D12DDI_PIPELINE_STATE_FLAG_DEBUG_BREAK_FORCE_NOP = 0x40,
    }
}

ddi_flags! {
    /// Flags of view instancing.
    ///
    /// Source: ViewInstancing.md and the WDK reference pages.
    pub enum D3D12DDI_VIEW_INSTANCING_FLAGS {
        /// Value 0.
        D3D12DDI_VIEW_INSTANCING_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_VIEW_INSTANCING_FLAG_ENABLE_VIEW_INSTANCE_MASKING = 1,
    }
}
