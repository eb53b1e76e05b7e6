//! Structures of `ddi-sys/src/fixed_function.rs`.

use ddi_sys::*;

structures! {
    D3D12DDI_BLEND_DESC_0010 { AlphaToCoverageEnable, IndependentBlendEnable, RenderTarget, LibraryReference }
    D3D12DDI_RENDER_TARGET_BLEND_DESC {
        BlendEnable, LogicOpEnable, SrcBlend, DestBlend, BlendOp, SrcBlendAlpha, DestBlendAlpha, BlendOpAlpha, LogicOp,
        RenderTargetWriteMask,
    }
    D3D12DDI_RASTERIZER_DESC_0102 {
        FillMode, CullMode, FrontCounterClockwise, DepthBias, DepthBiasClamp, SlopeScaledDepthBias, DepthClipEnable,
        ScissorEnable, LineRasterizationMode, ForcedSampleCount, ConservativeRasterizationMode, LibraryReference,
    }
    D3D12DDI_DEPTH_STENCIL_DESC_0095 {
        DepthEnable, DepthWriteMask, DepthFunc, StencilEnable, FrontEnable, BackEnable, FrontFaceStencilReadMask,
        FrontFaceStencilWriteMask, FrontFace, BackFace, LibraryReference, DepthBoundsTestEnable,
        BackFaceStencilReadMask, BackFaceStencilWriteMask,
    }
    D3D12DDI_DEPTH_STENCILOP_DESC { StencilFailOp, StencilDepthFailOp, StencilPassOp, StencilFunc }
    D3D12DDIARG_CREATEELEMENTLAYOUT_0010 { pVertexElements: array(NumElements), NumElements, LibraryReference }
    D3D12DDIARG_INPUT_ELEMENT_DESC {
        InputSlot, AlignedByteOffset, Format, InputSlotClass, InstanceDataStepRate, InputRegister,
    }
}
