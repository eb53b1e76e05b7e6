//! Blend, rasterizer, depth-stencil, input layout, stream output.

use ddi_sys::{
    D3D12DDI_BLEND_DESC_0010, D3D12DDI_DEPTH_STENCIL_DESC_0095, D3D12DDI_DEPTH_STENCILOP_DESC,
    D3D12DDI_RASTERIZER_DESC_0102, D3D12DDI_RENDER_TARGET_BLEND_DESC,
    D3D12DDI_VIEW_INSTANCE_LOCATION, D3D12DDIARG_CREATEELEMENTLAYOUT_0010,
    D3D12DDIARG_INPUT_ELEMENT_DESC, D3D12DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY, DXGI_SAMPLE_DESC,
};

use super::fields::{Describe, Field, Fields, each, fields};
use super::reading::{self, DescError};

impl Describe for D3D12DDI_BLEND_DESC_0010 {
    fn describe(&self, to: &mut dyn Fields) {
        fields!(to, self, AlphaToCoverageEnable, IndependentBlendEnable);
        each(to, "RenderTarget", &self.RenderTarget);
    }
}

impl Describe for D3D12DDI_RENDER_TARGET_BLEND_DESC {
    fn describe(&self, to: &mut dyn Fields) {
        fields!(
            to,
            self,
            BlendEnable,
            LogicOpEnable,
            SrcBlend,
            DestBlend,
            BlendOp,
            SrcBlendAlpha,
            DestBlendAlpha,
            BlendOpAlpha,
            LogicOp,
            RenderTargetWriteMask,
        );
    }
}

impl Describe for D3D12DDI_RASTERIZER_DESC_0102 {
    fn describe(&self, to: &mut dyn Fields) {
        fields!(
            to,
            self,
            FillMode,
            CullMode,
            FrontCounterClockwise,
            DepthBias,
            DepthBiasClamp,
            SlopeScaledDepthBias,
            DepthClipEnable,
            ScissorEnable,
            LineRasterizationMode,
            ForcedSampleCount,
            ConservativeRasterizationMode,
        );
    }
}

impl Describe for D3D12DDI_DEPTH_STENCIL_DESC_0095 {
    fn describe(&self, to: &mut dyn Fields) {
        fields!(
            to,
            self,
            DepthEnable,
            DepthWriteMask,
            DepthFunc,
            StencilEnable,
            FrontEnable,
            BackEnable,
            FrontFaceStencilReadMask,
            FrontFaceStencilWriteMask,
            DepthBoundsTestEnable,
            BackFaceStencilReadMask,
            BackFaceStencilWriteMask,
        );
        to.group("FrontFace", None, &self.FrontFace);
        to.group("BackFace", None, &self.BackFace);
    }
}

impl Describe for D3D12DDI_DEPTH_STENCILOP_DESC {
    fn describe(&self, to: &mut dyn Fields) {
        fields!(
            to,
            self,
            StencilFailOp,
            StencilDepthFailOp,
            StencilPassOp,
            StencilFunc
        );
    }
}

impl Describe for D3D12DDIARG_INPUT_ELEMENT_DESC {
    fn describe(&self, to: &mut dyn Fields) {
        fields!(
            to,
            self,
            InputSlot,
            AlignedByteOffset,
            Format,
            InputSlotClass,
            InstanceDataStepRate,
            InputRegister,
        );
    }
}

impl Describe for DXGI_SAMPLE_DESC {
    fn describe(&self, to: &mut dyn Fields) {
        fields!(to, self, Count, Quality);
    }
}

impl Describe for D3D12DDI_VIEW_INSTANCE_LOCATION {
    fn describe(&self, to: &mut dyn Fields) {
        fields!(to, self, ViewportArrayIndex, RenderTargetArrayIndex);
    }
}

impl Describe for D3D12DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY {
    fn describe(&self, to: &mut dyn Fields) {
        fields!(to, self, Stream, OutputSlot, RegisterIndex, RegisterMask);
    }
}

/// D3D12DDIARG_CREATEELEMENTLAYOUT_0010: the vertex elements.
#[derive(Clone, Copy, Debug)]
pub struct InputLayout<'a> {
    /// The elements; semantics and offsets are resolved.
    pub elements: &'a [D3D12DDIARG_INPUT_ELEMENT_DESC],
}

impl InputLayout<'_> {
    /// # Safety
    ///
    /// The elements are valid and unchanged for as long as the view lives.
    pub(super) unsafe fn new(
        layout: &D3D12DDIARG_CREATEELEMENTLAYOUT_0010,
    ) -> Result<Self, DescError> {
        // SAFETY: `pVertexElements` has `NumElements` elements, valid and unchanged for as long as the view lives (`# Safety`).
        let elements = unsafe {
            reading::array(
                "pVertexElements",
                layout.pVertexElements,
                layout.NumElements,
            )
        }?;
        Ok(Self { elements })
    }
}

impl Describe for InputLayout<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        each(to, "pVertexElements", self.elements);
    }
}

/// Stream output: of a geometry shader, or of a generic program.
#[derive(Clone, Copy, Debug)]
pub struct StreamOutput<'a> {
    /// What goes where.
    pub entries: &'a [D3D12DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY],
    /// Bytes from one vertex to the next, for each buffer.
    pub strides: &'a [u32],
    /// The stream that is rasterized.
    pub rasterized_stream: u32,
}

impl StreamOutput<'_> {
    /// # Safety
    ///
    /// Both arrays are valid and unchanged for as long as the view lives.
    pub(super) unsafe fn new(
        (entries, entry_count): (*const D3D12DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY, u32),
        (strides, stride_count): (*const u32, u32),
        rasterized_stream: u32,
    ) -> Result<Self, DescError> {
        // SAFETY: both arrays have as many elements as is said, valid for as long as the view lives (`# Safety`).
        unsafe {
            Ok(Self {
                entries: reading::array("pOutputStreamDecl", entries, entry_count)?,
                strides: reading::array("BufferStridesInBytes", strides, stride_count)?,
                rasterized_stream,
            })
        }
    }
}

impl Describe for StreamOutput<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        each(to, "pOutputStreamDecl", self.entries);
        for &stride in self.strides {
            to.field("BufferStridesInBytes", Field::Unsigned(stride.into()));
        }
        to.field(
            "RasterizedStream",
            Field::Unsigned(self.rasterized_stream.into()),
        );
    }
}
