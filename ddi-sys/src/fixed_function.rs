//! Blend, rasterizer, depth-stencil and input layout.

use bytemuck::Zeroable;

use crate::base::{BOOL, FLOAT, UINT, UINT8};
use crate::dxgi::DXGI_FORMAT;
use crate::pipeline_state::D3D12DDI_LIBRARY_REFERENCE_0010;

/// Blend state.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_BLEND_DESC_0010 {
    /// x64 offset 0, x86 offset 0.
    pub AlphaToCoverageEnable: BOOL,
    /// x64 offset 4, x86 offset 4.
    pub IndependentBlendEnable: BOOL,
    /// x64 offset 8, x86 offset 8.
    pub RenderTarget: [D3D12DDI_RENDER_TARGET_BLEND_DESC; 8],
    /// x64 offset 328, x86 offset 328.
    pub LibraryReference: D3D12DDI_LIBRARY_REFERENCE_0010,
}

/// Blending of one render target.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RENDER_TARGET_BLEND_DESC {
    /// x64 offset 0, x86 offset 0.
    pub BlendEnable: BOOL,
    /// x64 offset 4, x86 offset 4.
    pub LogicOpEnable: BOOL,
    /// x64 offset 8, x86 offset 8.
    pub SrcBlend: D3D12DDI_BLEND,
    /// x64 offset 12, x86 offset 12.
    pub DestBlend: D3D12DDI_BLEND,
    /// x64 offset 16, x86 offset 16.
    pub BlendOp: D3D12DDI_BLEND_OP,
    /// x64 offset 20, x86 offset 20.
    pub SrcBlendAlpha: D3D12DDI_BLEND,
    /// x64 offset 24, x86 offset 24.
    pub DestBlendAlpha: D3D12DDI_BLEND,
    /// x64 offset 28, x86 offset 28.
    pub BlendOpAlpha: D3D12DDI_BLEND_OP,
    /// x64 offset 32, x86 offset 32.
    pub LogicOp: D3D12DDI_LOGIC_OP,
    /// Bits of [`D3D12DDI_COLOR_WRITE_ENABLE`]. x64 offset 36, x86 offset 36.
    pub RenderTargetWriteMask: UINT8,
}

/// Rasterizer state. `DepthBias` is a FLOAT since build 0099.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_RASTERIZER_DESC_0102 {
    /// x64 offset 0, x86 offset 0.
    pub FillMode: D3D12DDI_FILL_MODE,
    /// x64 offset 4, x86 offset 4.
    pub CullMode: D3D12DDI_CULL_MODE,
    /// x64 offset 8, x86 offset 8.
    pub FrontCounterClockwise: BOOL,
    /// x64 offset 12, x86 offset 12.
    pub DepthBias: FLOAT,
    /// x64 offset 16, x86 offset 16.
    pub DepthBiasClamp: FLOAT,
    /// x64 offset 20, x86 offset 20.
    pub SlopeScaledDepthBias: FLOAT,
    /// x64 offset 24, x86 offset 24.
    pub DepthClipEnable: BOOL,
    /// x64 offset 28, x86 offset 28.
    pub ScissorEnable: BOOL,
    /// x64 offset 32, x86 offset 32.
    pub LineRasterizationMode: D3D12DDI_LINE_RASTERIZATION_MODE,
    /// x64 offset 36, x86 offset 36.
    pub ForcedSampleCount: UINT,
    /// x64 offset 40, x86 offset 40.
    pub ConservativeRasterizationMode: D3D12DDI_CONSERVATIVE_RASTERIZATION_MODE,
    /// x64 offset 48, x86 offset 44.
    pub LibraryReference: D3D12DDI_LIBRARY_REFERENCE_0010,
}

/// Depth and stencil state. The back-face masks come last, after `DepthBoundsTestEnable`.
///
/// Source: VulkanOn12.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_DEPTH_STENCIL_DESC_0095 {
    /// x64 offset 0, x86 offset 0.
    pub DepthEnable: BOOL,
    /// x64 offset 4, x86 offset 4.
    pub DepthWriteMask: D3D12DDI_DEPTH_WRITE_MASK,
    /// x64 offset 8, x86 offset 8.
    pub DepthFunc: D3D12DDI_COMPARISON_FUNC,
    /// x64 offset 12, x86 offset 12.
    pub StencilEnable: BOOL,
    /// x64 offset 16, x86 offset 16.
    pub FrontEnable: BOOL,
    /// x64 offset 20, x86 offset 20.
    pub BackEnable: BOOL,
    /// x64 offset 24, x86 offset 24.
    pub FrontFaceStencilReadMask: UINT8,
    /// x64 offset 25, x86 offset 25.
    pub FrontFaceStencilWriteMask: UINT8,
    /// x64 offset 28, x86 offset 28.
    pub FrontFace: D3D12DDI_DEPTH_STENCILOP_DESC,
    /// x64 offset 44, x86 offset 44.
    pub BackFace: D3D12DDI_DEPTH_STENCILOP_DESC,
    /// x64 offset 64, x86 offset 60.
    pub LibraryReference: D3D12DDI_LIBRARY_REFERENCE_0010,
    /// x64 offset 80, x86 offset 68.
    pub DepthBoundsTestEnable: BOOL,
    /// x64 offset 84, x86 offset 72.
    pub BackFaceStencilReadMask: UINT8,
    /// x64 offset 85, x86 offset 73.
    pub BackFaceStencilWriteMask: UINT8,
}

/// Stencil operations of one face.
///
/// Source: the WDK reference pages for names and order; C types from bindings generated from the
/// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_DEPTH_STENCILOP_DESC {
    /// x64 offset 0, x86 offset 0.
    pub StencilFailOp: D3D12DDI_STENCIL_OP,
    /// x64 offset 4, x86 offset 4.
    pub StencilDepthFailOp: D3D12DDI_STENCIL_OP,
    /// x64 offset 8, x86 offset 8.
    pub StencilPassOp: D3D12DDI_STENCIL_OP,
    /// x64 offset 12, x86 offset 12.
    pub StencilFunc: D3D12DDI_COMPARISON_FUNC,
}

/// The input layout.
///
/// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_CREATEELEMENTLAYOUT_0010 {
    /// x64 offset 0, x86 offset 0.
    pub pVertexElements: *const D3D12DDIARG_INPUT_ELEMENT_DESC,
    /// x64 offset 8, x86 offset 4.
    pub NumElements: UINT,
    /// x64 offset 16, x86 offset 8.
    pub LibraryReference: D3D12DDI_LIBRARY_REFERENCE_0010,
}

/// One vertex element; semantic and offset are resolved already.
///
/// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
/// 10.0.28000 header; no official public text prints it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_INPUT_ELEMENT_DESC {
    /// x64 offset 0, x86 offset 0.
    pub InputSlot: UINT,
    /// x64 offset 4, x86 offset 4.
    pub AlignedByteOffset: UINT,
    /// x64 offset 8, x86 offset 8.
    pub Format: DXGI_FORMAT,
    /// x64 offset 12, x86 offset 12.
    pub InputSlotClass: D3D12DDI_INPUT_CLASSIFICATION,
    /// x64 offset 16, x86 offset 16.
    pub InstanceDataStepRate: UINT,
    /// x64 offset 20, x86 offset 20.
    pub InputRegister: UINT,
}

ddi_enum! {
    /// Blend factor.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the
    /// WDK 10.0.28000 header; of public texts VulkanOn12.md alone prints two of them, the alpha
    /// factors.
    pub enum D3D12DDI_BLEND {
        /// Value 1.
        D3D12DDI_BLEND_ZERO = 1,
        /// Value 2.
        D3D12DDI_BLEND_ONE = 2,
        /// Value 3.
        D3D12DDI_BLEND_SRC_COLOR = 3,
        /// Value 4.
        D3D12DDI_BLEND_INV_SRC_COLOR = 4,
        /// Value 5.
        D3D12DDI_BLEND_SRC_ALPHA = 5,
        /// Value 6.
        D3D12DDI_BLEND_INV_SRC_ALPHA = 6,
        /// Value 7.
        D3D12DDI_BLEND_DEST_ALPHA = 7,
        /// Value 8.
        D3D12DDI_BLEND_INV_DEST_ALPHA = 8,
        /// Value 9.
        D3D12DDI_BLEND_DEST_COLOR = 9,
        /// Value 10.
        D3D12DDI_BLEND_INV_DEST_COLOR = 10,
        /// Value 11.
        D3D12DDI_BLEND_SRC_ALPHASAT = 11,
        /// Value 14.
        D3D12DDI_BLEND_BLEND_FACTOR = 14,
        /// Value 15.
        D3D12DDI_BLEND_INVBLEND_FACTOR = 15,
        /// Value 16.
        D3D12DDI_BLEND_SRC1_COLOR = 16,
        /// Value 17.
        D3D12DDI_BLEND_INV_SRC1_COLOR = 17,
        /// Value 18.
        D3D12DDI_BLEND_SRC1_ALPHA = 18,
        /// Value 19.
        D3D12DDI_BLEND_INV_SRC1_ALPHA = 19,
        /// Value 20.
        D3D12DDI_BLEND_ALPHA_FACTOR = 20,
        /// Value 21.
        D3D12DDI_BLEND_INV_ALPHA_FACTOR = 21,
    }
}

ddi_enum! {
    /// Blend operation.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
    /// 10.0.28000 header; no official public text prints it.
    pub enum D3D12DDI_BLEND_OP {
        /// Value 1.
        D3D12DDI_BLEND_OP_ADD = 1,
        /// Value 2.
        D3D12DDI_BLEND_OP_SUBTRACT = 2,
        /// Value 3.
        D3D12DDI_BLEND_OP_REV_SUBTRACT = 3,
        /// Value 4.
        D3D12DDI_BLEND_OP_MIN = 4,
        /// Value 5.
        D3D12DDI_BLEND_OP_MAX = 5,
    }
}

ddi_enum! {
    /// Logic operation.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
    /// 10.0.28000 header; no official public text prints it.
    pub enum D3D12DDI_LOGIC_OP {
        /// Value 0.
        D3D12DDI_LOGIC_OP_CLEAR = 0,
        /// Value 1.
        D3D12DDI_LOGIC_OP_SET = 1,
        /// Value 2.
        D3D12DDI_LOGIC_OP_COPY = 2,
        /// Value 3.
        D3D12DDI_LOGIC_OP_COPY_INVERTED = 3,
        /// Value 4.
        D3D12DDI_LOGIC_OP_NOOP = 4,
        /// Value 5.
        D3D12DDI_LOGIC_OP_INVERT = 5,
        /// Value 6.
        D3D12DDI_LOGIC_OP_AND = 6,
        /// Value 7.
        D3D12DDI_LOGIC_OP_NAND = 7,
        /// Value 8.
        D3D12DDI_LOGIC_OP_OR = 8,
        /// Value 9.
        D3D12DDI_LOGIC_OP_NOR = 9,
        /// Value 10.
        D3D12DDI_LOGIC_OP_XOR = 10,
        /// Value 11.
        D3D12DDI_LOGIC_OP_EQUIV = 11,
        /// Value 12.
        D3D12DDI_LOGIC_OP_AND_REVERSE = 12,
        /// Value 13.
        D3D12DDI_LOGIC_OP_AND_INVERTED = 13,
        /// Value 14.
        D3D12DDI_LOGIC_OP_OR_REVERSE = 14,
        /// Value 15.
        D3D12DDI_LOGIC_OP_OR_INVERTED = 15,
    }
}

ddi_flags! {
    /// Components of a render target that are written.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
    /// 10.0.28000 header; no official public text prints it.
    pub enum D3D12DDI_COLOR_WRITE_ENABLE {
        /// Value 1.
        D3D12DDI_COLOR_WRITE_ENABLE_RED = 1,
        /// Value 2.
        D3D12DDI_COLOR_WRITE_ENABLE_GREEN = 2,
        /// Value 4.
        D3D12DDI_COLOR_WRITE_ENABLE_BLUE = 4,
        /// Value 8.
        D3D12DDI_COLOR_WRITE_ENABLE_ALPHA = 8,
        /// Value 15.
        D3D12DDI_COLOR_WRITE_ENABLE_ALL = 0xF,
    }
}

ddi_enum! {
    /// Solid or wireframe.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
    /// 10.0.28000 header; no official public text prints it.
    pub enum D3D12DDI_FILL_MODE {
        /// Value 2.
        D3D12DDI_FILL_MODE_WIREFRAME = 2,
        /// Value 3.
        D3D12DDI_FILL_MODE_SOLID = 3,
    }
}

ddi_enum! {
    /// Which faces are culled.
    ///
    /// Source: the WDK reference pages for names and order; values from bindings generated from the
    /// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_CULL_MODE {
        /// Value 1.
        D3D12DDI_CULL_MODE_NONE = 1,
        /// Value 2.
        D3D12DDI_CULL_MODE_FRONT = 2,
        /// Value 3.
        D3D12DDI_CULL_MODE_BACK = 3,
    }
}

ddi_enum! {
    /// How lines are drawn.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header; no official public text prints it.
    pub enum D3D12DDI_LINE_RASTERIZATION_MODE {
        /// Value 0.
        D3D12DDI_LINE_RASTERIZATION_MODE_ALIASED = 0,
        /// Value 1.
        D3D12DDI_LINE_RASTERIZATION_MODE_ALPHA_ANTIALIASED = 1,
        /// Value 2.
        D3D12DDI_LINE_RASTERIZATION_MODE_QUADRILATERAL_WIDE = 2,
        /// Value 3.
        D3D12DDI_LINE_RASTERIZATION_MODE_QUADRILATERAL_NARROW = 3,
    }
}

ddi_enum! {
    /// Conservative rasterization on or off.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
    /// 10.0.28000 header; no official public text prints it.
    pub enum D3D12DDI_CONSERVATIVE_RASTERIZATION_MODE {
        /// Value 0.
        D3D12DDI_CONSERVATIVE_RASTERIZATION_MODE_OFF = 0,
        /// Value 1.
        D3D12DDI_CONSERVATIVE_RASTERIZATION_MODE_ON = 1,
    }
}

ddi_enum! {
    /// Comparison.
    ///
    /// Source: the WDK reference pages for names and order; values from bindings generated from the
    /// SDK 10.0.26100 header.
    pub enum D3D12DDI_COMPARISON_FUNC {
        /// Value 1.
        D3D12DDI_COMPARISON_FUNC_NEVER = 1,
        /// Value 2.
        D3D12DDI_COMPARISON_FUNC_LESS = 2,
        /// Value 3.
        D3D12DDI_COMPARISON_FUNC_EQUAL = 3,
        /// Value 4.
        D3D12DDI_COMPARISON_FUNC_LESS_EQUAL = 4,
        /// Value 5.
        D3D12DDI_COMPARISON_FUNC_GREATER = 5,
        /// Value 6.
        D3D12DDI_COMPARISON_FUNC_NOT_EQUAL = 6,
        /// Value 7.
        D3D12DDI_COMPARISON_FUNC_GREATER_EQUAL = 7,
        /// Value 8.
        D3D12DDI_COMPARISON_FUNC_ALWAYS = 8,
    }
}

ddi_enum! {
    /// Whether depth is written.
    ///
    /// Source: the WDK reference pages for names and order; values from bindings generated from the
    /// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_DEPTH_WRITE_MASK {
        /// Value 0.
        D3D12DDI_DEPTH_WRITE_MASK_ZERO = 0,
        /// Value 1.
        D3D12DDI_DEPTH_WRITE_MASK_ALL = 1,
    }
}

ddi_enum! {
    /// Stencil operation.
    ///
    /// Source: the WDK reference pages for names and order; values from bindings generated from the
    /// SDK 10.0.26100 header and bindings generated from the WDK 10.0.28000 header.
    pub enum D3D12DDI_STENCIL_OP {
        /// Value 1.
        D3D12DDI_STENCIL_OP_KEEP = 1,
        /// Value 2.
        D3D12DDI_STENCIL_OP_ZERO = 2,
        /// Value 3.
        D3D12DDI_STENCIL_OP_REPLACE = 3,
        /// Value 4.
        D3D12DDI_STENCIL_OP_INCR_SAT = 4,
        /// Value 5.
        D3D12DDI_STENCIL_OP_DECR_SAT = 5,
        /// Value 6.
        D3D12DDI_STENCIL_OP_INVERT = 6,
        /// Value 7.
        D3D12DDI_STENCIL_OP_INCR = 7,
        /// Value 8.
        D3D12DDI_STENCIL_OP_DECR = 8,
    }
}

ddi_enum! {
    /// Per vertex or per instance.
    ///
    /// The enumerators are spelt CLASSIFICIATION in the header.
    ///
    /// Source: bindings generated from the SDK 10.0.26100 header and bindings generated from the WDK
    /// 10.0.28000 header; no official public text prints it.
    pub enum D3D12DDI_INPUT_CLASSIFICATION {
        /// Value 0.
        D3D12DDI_INPUT_CLASSIFICIATION_PER_VERTEX_DATA = 0,
        /// Value 1.
        D3D12DDI_INPUT_CLASSIFICIATION_PER_INSTANCE_DATA = 1,
    }
}
