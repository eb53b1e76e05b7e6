//! Every field of a pipeline description that an application may set, at another value than the ordinary one.

use super::state::State;
use super::{Kind, Root, Stage};
use crate::inputs::generated::{self, Changes, Varied};
#[allow(
    clippy::wildcard_imports,
    reason = "the enumerators of every field, which have their prefixes"
)]
use ddi_sys::*;

/// One field of a pipeline at another value.
pub(crate) type Change = generated::Change<Kind>;

/// What a pipeline has for a change to mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// Any pipeline.
    All,
    /// A root signature that is not embedded in a shader.
    Root,
    /// A graphics pipeline.
    Graphics,
    /// A render target.
    Targets,
    /// A depth buffer.
    Depth,
    /// Two elements of an input layout.
    Layout,
    /// Triangles.
    Triangles,
}

impl Varied for Kind {
    type Of = Of;
    type State = State;

    const ALL: &'static [Change] = CHANGES;

    fn takes(&self, change: &Change) -> bool {
        let is_graphics = self.shader(Stage::Compute).is_none();
        match change.of {
            Of::All => true,
            Of::Root => matches!(self.root, Root::Covering),
            Of::Graphics => is_graphics,
            Of::Targets => !self.targets.is_empty(),
            Of::Depth => self.depth != DXGI_FORMAT_UNKNOWN,
            // The vertex shaders of these have two inputs at least, and draw no patches.
            Of::Layout => self.layout_may_change(),
            Of::Triangles => self.topology == D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
        }
    }

    fn parts(&mut self) -> (&mut &'static str, &mut Changes<Self>) {
        (&mut self.name, &mut self.changes)
    }
}

impl Kind {
    fn layout_may_change(&self) -> bool {
        let is_first =
            self.shader(Stage::Vertex).is_some() && self.shader(Stage::Geometry).is_none();
        is_first
            && self.topology == D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE
            && State::new(self).is_ok_and(|state| state.elements.len() > 1)
    }
}

macro_rules! changes {
    ($($of:ident $field:literal { $($code:literal => $apply:expr;)* })*) => {
        /// Every change, those of one field together. A combination that a device refuses may be refused by a plugin too.
        const CHANGES: &[Change] = &[$($(Change {
            code: $code,
            field: $field,
            of: Of::$of,
            apply: $apply,
        },)*)*];
    };
}

fn stencil(state: &mut State) -> &mut D3D12DDI_DEPTH_STENCIL_DESC_0095 {
    state.depth = DXGI_FORMAT_D24_UNORM_S8_UINT;
    let desc = &mut state.depth_stencil;
    (desc.StencilEnable, desc.FrontEnable, desc.BackEnable) = (TRUE, TRUE, TRUE);
    desc
}

fn blended(state: &mut State) -> &mut D3D12DDI_RENDER_TARGET_BLEND_DESC {
    for target in &mut state.blend.RenderTarget {
        target.BlendEnable = TRUE;
        target.SrcBlend = D3D12DDI_BLEND_SRC_ALPHA;
        target.DestBlend = D3D12DDI_BLEND_INV_SRC_ALPHA;
    }
    &mut state.blend.RenderTarget[0]
}

const SAMPLER: D3D12DDI_STATIC_SAMPLER_0100 = D3D12DDI_STATIC_SAMPLER_0100 {
    Filter: D3D12DDI_FILTER(0x15),
    AddressU: D3D12DDI_TEXTURE_ADDRESS_MODE(1),
    AddressV: D3D12DDI_TEXTURE_ADDRESS_MODE(1),
    AddressW: D3D12DDI_TEXTURE_ADDRESS_MODE(3),
    MipLODBias: 0.0,
    MaxAnisotropy: 1,
    ComparisonFunc: D3D12DDI_COMPARISON_FUNC_ALWAYS,
    BorderColor: D3D12DDI_STATIC_BORDER_COLOR(0),
    MinLOD: 0.0,
    MaxLOD: 16.0,
    ShaderRegister: 0,
    RegisterSpace: 9,
    ShaderVisibility: D3D12DDI_SHADER_VISIBILITY_ALL,
    Flags: D3D12DDI_SAMPLER_FLAGS_0096(0),
};

changes! {
    All "NodeMask" {
        "NodeMask: 0" => |s| s.node_mask = 0;
        "NodeMask: 3" => |s| s.node_mask = 3;
    }
    Root "RootSignature.Flags" {
        "RootSignature.Flags: ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT | DENY_HULL_SHADER_ROOT_ACCESS" => |s| {
            s.root.flags = D3D12DDI_ROOT_SIGNATURE_FLAGS(s.root.flags.0 | 4);
        };
    }
    Root "RootSignature.Ranges" {
        "RootSignature.pRootParameters[..].pDescriptorRanges[0].Flags: DESCRIPTORS_VOLATILE" => |s| {
            s.root.range_flags = D3D12DDI_DESCRIPTOR_RANGE_FLAGS(1);
        };
    }
    Root "RootSignature.Constants" {
        "RootSignature.pRootParameters[4]: 1 constant" => |s| s.root.constants = 1;
        "RootSignature.pRootParameters[4]: 9 constants" => |s| s.root.constants = 9;
    }
    Root "RootSignature.Descriptor" {
        "RootSignature.pRootParameters: CBV too, SHADER_VISIBILITY_ALL" => |s| {
            s.root.descriptor = Some(D3D12DDI_SHADER_VISIBILITY_ALL);
        };
        "RootSignature.pRootParameters: CBV too, SHADER_VISIBILITY_PIXEL" => |s| {
            s.root.descriptor = Some(D3D12DDI_SHADER_VISIBILITY(5));
        };
    }
    Root "RootSignature.StaticSamplers" {
        "RootSignature.NumStaticSamplers: 1" => |s| s.root.sampler = Some(SAMPLER);
        "RootSignature.pStaticSamplers[0].MipLODBias: 0.5" => |s| {
            s.root.sampler = Some(D3D12DDI_STATIC_SAMPLER_0100 { MipLODBias: 0.5, ..SAMPLER });
        };
        "RootSignature.pStaticSamplers[0].BorderColor: OPAQUE_WHITE" => |s| {
            s.root.sampler = Some(D3D12DDI_STATIC_SAMPLER_0100 {
                BorderColor: D3D12DDI_STATIC_BORDER_COLOR(2),
                AddressU: D3D12DDI_TEXTURE_ADDRESS_MODE(4),
                ..SAMPLER
            });
        };
        "RootSignature.pStaticSamplers[0].MaxLOD: 3.0" => |s| {
            s.root.sampler = Some(D3D12DDI_STATIC_SAMPLER_0100 { MaxLOD: 3.0, ..SAMPLER });
        };
    }
    Targets "BlendState.AlphaToCoverageEnable" {
        "BlendState.AlphaToCoverageEnable: TRUE" => |s| s.blend.AlphaToCoverageEnable = TRUE;
    }
    Targets "BlendState.IndependentBlendEnable" {
        "BlendState.IndependentBlendEnable: TRUE" => |s| s.blend.IndependentBlendEnable = TRUE;
    }
    Targets "BlendState.RenderTarget" {
        "BlendState.RenderTarget[..]: { BlendEnable: TRUE, SRC_ALPHA, INV_SRC_ALPHA }" => |s| { blended(s); };
        "BlendState.RenderTarget[0]: { BlendEnable: TRUE, BlendOp: SUBTRACT }" => |s| {
            blended(s).BlendOp = D3D12DDI_BLEND_OP_SUBTRACT;
        };
        "BlendState.RenderTarget[0]: { BlendEnable: TRUE, BlendOpAlpha: MAX }" => |s| {
            blended(s).BlendOpAlpha = D3D12DDI_BLEND_OP_MAX;
        };
        "BlendState.RenderTarget[0]: { BlendEnable: TRUE, SrcBlendAlpha: ZERO }" => |s| {
            blended(s).SrcBlendAlpha = D3D12DDI_BLEND_ZERO;
        };
        "BlendState.RenderTarget[0]: { BlendEnable: TRUE, DestBlendAlpha: ONE }" => |s| {
            blended(s).DestBlendAlpha = D3D12DDI_BLEND_ONE;
        };
        "BlendState.RenderTarget[0]: { BlendEnable: TRUE, SrcBlend: BLEND_FACTOR }" => |s| {
            blended(s).SrcBlend = D3D12DDI_BLEND_BLEND_FACTOR;
        };
        "BlendState.RenderTarget[..]: { LogicOpEnable: TRUE, LogicOp: XOR }" => |s| {
            for target in &mut s.blend.RenderTarget {
                (target.LogicOpEnable, target.LogicOp) = (TRUE, D3D12DDI_LOGIC_OP_XOR);
            }
        };
    }
    Targets "BlendState.RenderTargetWriteMask" {
        "BlendState.RenderTarget[0].RenderTargetWriteMask: 0" => |s| {
            s.blend.RenderTarget[0].RenderTargetWriteMask = 0;
        };
        "BlendState.RenderTarget[0].RenderTargetWriteMask: 0x7" => |s| {
            s.blend.RenderTarget[0].RenderTargetWriteMask = 7;
        };
        "BlendState.RenderTarget[7].RenderTargetWriteMask: 0x1" => |s| {
            s.blend.RenderTarget[7].RenderTargetWriteMask = 1;
        };
    }
    Graphics "SampleMask" {
        "SampleMask: 1" => |s| s.sample_mask = 1;
        "SampleMask: 0" => |s| s.sample_mask = 0;
    }
    Triangles "RasterizerState.FillMode" {
        "RasterizerState.FillMode: WIREFRAME" => |s| s.rasterizer.FillMode = D3D12DDI_FILL_MODE_WIREFRAME;
    }
    Triangles "RasterizerState.CullMode" {
        "RasterizerState.CullMode: NONE" => |s| s.rasterizer.CullMode = D3D12DDI_CULL_MODE_NONE;
        "RasterizerState.CullMode: FRONT" => |s| s.rasterizer.CullMode = D3D12DDI_CULL_MODE_FRONT;
    }
    Triangles "RasterizerState.FrontCounterClockwise" {
        "RasterizerState.FrontCounterClockwise: TRUE" => |s| s.rasterizer.FrontCounterClockwise = TRUE;
    }
    Depth "RasterizerState.DepthBias" {
        "RasterizerState.DepthBias: 4.0" => |s| s.rasterizer.DepthBias = 4.0;
        "RasterizerState.DepthBias: -1.5" => |s| s.rasterizer.DepthBias = -1.5;
    }
    Depth "RasterizerState.DepthBiasClamp" {
        "RasterizerState.DepthBiasClamp: 0.01" => |s| s.rasterizer.DepthBiasClamp = 0.01;
    }
    Depth "RasterizerState.SlopeScaledDepthBias" {
        "RasterizerState.SlopeScaledDepthBias: 2.0" => |s| s.rasterizer.SlopeScaledDepthBias = 2.0;
    }
    Graphics "RasterizerState.DepthClipEnable" {
        "RasterizerState.DepthClipEnable: FALSE" => |s| s.rasterizer.DepthClipEnable = FALSE;
    }
    Graphics "RasterizerState.LineRasterizationMode" {
        "RasterizerState.LineRasterizationMode: ALPHA_ANTIALIASED" => |s| {
            s.rasterizer.LineRasterizationMode = D3D12DDI_LINE_RASTERIZATION_MODE_ALPHA_ANTIALIASED;
        };
        "RasterizerState.LineRasterizationMode: QUADRILATERAL_WIDE" => |s| {
            s.rasterizer.LineRasterizationMode = D3D12DDI_LINE_RASTERIZATION_MODE_QUADRILATERAL_WIDE;
        };
        "RasterizerState.LineRasterizationMode: QUADRILATERAL_NARROW" => |s| {
            s.rasterizer.LineRasterizationMode = D3D12DDI_LINE_RASTERIZATION_MODE_QUADRILATERAL_NARROW;
        };
    }
    Graphics "RasterizerState.ForcedSampleCount" {
        "RasterizerState.ForcedSampleCount: 4, DepthStencilState.DepthEnable: FALSE" => |s| {
            s.rasterizer.ForcedSampleCount = 4;
            s.depth = DXGI_FORMAT_UNKNOWN;
            s.depth_stencil.DepthEnable = FALSE;
        };
    }
    Graphics "RasterizerState.ConservativeRasterizationMode" {
        "RasterizerState.ConservativeRasterizationMode: ON" => |s| {
            s.rasterizer.ConservativeRasterizationMode = D3D12DDI_CONSERVATIVE_RASTERIZATION_MODE_ON;
        };
    }
    Depth "DepthStencilState" {
        "DepthStencilState.DepthEnable: FALSE" => |s| s.depth_stencil.DepthEnable = FALSE;
        "DepthStencilState.DepthWriteMask: ZERO" => |s| {
            s.depth_stencil.DepthWriteMask = D3D12DDI_DEPTH_WRITE_MASK_ZERO;
        };
        "DepthStencilState.DepthFunc: GREATER_EQUAL" => |s| {
            s.depth_stencil.DepthFunc = D3D12DDI_COMPARISON_FUNC_GREATER_EQUAL;
        };
        "DepthStencilState.DepthFunc: NEVER" => |s| {
            s.depth_stencil.DepthFunc = D3D12DDI_COMPARISON_FUNC_NEVER;
        };
        "DepthStencilState.DepthBoundsTestEnable: TRUE" => |s| s.depth_stencil.DepthBoundsTestEnable = TRUE;
        "DepthStencilState.StencilEnable: TRUE" => |s| { stencil(s); };
        "DepthStencilState: { StencilEnable: TRUE, FrontFaceStencilReadMask: 0x0F }" => |s| {
            stencil(s).FrontFaceStencilReadMask = 0x0F;
        };
        "DepthStencilState: { StencilEnable: TRUE, FrontFaceStencilWriteMask: 0xF0 }" => |s| {
            stencil(s).FrontFaceStencilWriteMask = 0xF0;
        };
        "DepthStencilState: { StencilEnable: TRUE, BackFaceStencilReadMask: 0x01 }" => |s| {
            stencil(s).BackFaceStencilReadMask = 1;
        };
        "DepthStencilState: { StencilEnable: TRUE, BackFaceStencilWriteMask: 0x80 }" => |s| {
            stencil(s).BackFaceStencilWriteMask = 0x80;
        };
        "DepthStencilState: { StencilEnable: TRUE, FrontFace.StencilFailOp: ZERO }" => |s| {
            stencil(s).FrontFace.StencilFailOp = D3D12DDI_STENCIL_OP_ZERO;
        };
        "DepthStencilState: { StencilEnable: TRUE, FrontFace.StencilDepthFailOp: INVERT }" => |s| {
            stencil(s).FrontFace.StencilDepthFailOp = D3D12DDI_STENCIL_OP_INVERT;
        };
        "DepthStencilState: { StencilEnable: TRUE, BackFace.StencilPassOp: REPLACE }" => |s| {
            stencil(s).BackFace.StencilPassOp = D3D12DDI_STENCIL_OP_REPLACE;
        };
        "DepthStencilState: { StencilEnable: TRUE, BackFace.StencilFunc: EQUAL }" => |s| {
            stencil(s).BackFace.StencilFunc = D3D12DDI_COMPARISON_FUNC_EQUAL;
        };
        "DSVFormat: D16_UNORM" => |s| s.depth = DXGI_FORMAT_D16_UNORM;
        "DSVFormat: UNKNOWN, DepthStencilState.DepthEnable: FALSE" => |s| {
            s.depth = DXGI_FORMAT_UNKNOWN;
            s.depth_stencil.DepthEnable = FALSE;
        };
    }
    Layout "InputLayout.InputSlot" {
        "InputLayout.pVertexElements[1]: { InputSlot: 1, AlignedByteOffset: 0 }" => |s| {
            (s.elements[1].InputSlot, s.elements[1].AlignedByteOffset) = (1, 0);
        };
        "InputLayout.pVertexElements[1]: { InputSlot: 15, AlignedByteOffset: 16 }" => |s| {
            (s.elements[1].InputSlot, s.elements[1].AlignedByteOffset) = (15, 16);
        };
    }
    Layout "InputLayout.InputSlotClass" {
        "InputLayout.pVertexElements[..]: { PER_INSTANCE_DATA, InstanceDataStepRate: 1 }" => |s| {
            for element in &mut s.elements {
                element.InputSlotClass = D3D12DDI_INPUT_CLASSIFICIATION_PER_INSTANCE_DATA;
                element.InstanceDataStepRate = 1;
            }
        };
        "InputLayout.pVertexElements[..]: { PER_INSTANCE_DATA, InstanceDataStepRate: 3 }" => |s| {
            for element in &mut s.elements {
                element.InputSlotClass = D3D12DDI_INPUT_CLASSIFICIATION_PER_INSTANCE_DATA;
                element.InstanceDataStepRate = 3;
            }
        };
    }
    Layout "InputLayout.Format" {
        "InputLayout.pVertexElements[0].Format: R16G16B16A16_FLOAT" => |s| {
            s.elements[0].Format = DXGI_FORMAT_R16G16B16A16_FLOAT;
        };
        "InputLayout.pVertexElements[0].Format: R8G8B8A8_UNORM" => |s| {
            s.elements[0].Format = DXGI_FORMAT_R8G8B8A8_UNORM;
        };
    }
    Layout "InputLayout.Order" {
        "InputLayout.pVertexElements: in reverse" => |s| s.elements.reverse();
    }
    Layout "IBStripCutValue" {
        "IBStripCutValue: 0xFFFF" => |s| s.strip_cut = D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE_0xFFFF;
        "IBStripCutValue: 0xFFFFFFFF" => |s| s.strip_cut = D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE_0xFFFFFFFF;
    }
    Targets "RTVFormats" {
        "RTVFormats[0]: R16G16B16A16_FLOAT" => |s| s.targets[0] = DXGI_FORMAT_R16G16B16A16_FLOAT;
        "RTVFormats[0]: B8G8R8A8_UNORM_SRGB" => |s| s.targets[0] = DXGI_FORMAT_B8G8R8A8_UNORM_SRGB;
        "RTVFormats[0]: R10G10B10A2_UNORM" => |s| s.targets[0] = DXGI_FORMAT_R10G10B10A2_UNORM;
        "NumRenderTargets: 0" => |s| s.targets.clear();
        "NumRenderTargets: 2" => |s| s.targets.push(DXGI_FORMAT_R16G16_FLOAT);
        "NumRenderTargets: 3, RTVFormats[1]: UNKNOWN" => |s| {
            s.targets.extend([DXGI_FORMAT_UNKNOWN, DXGI_FORMAT_R8G8B8A8_UNORM]);
        };
        "NumRenderTargets: 8" => |s| s.targets.resize(8, DXGI_FORMAT_R8G8B8A8_UNORM);
    }
    Graphics "SampleDesc" {
        "SampleDesc.Count: 2" => |s| s.samples.Count = 2;
        "SampleDesc.Count: 4" => |s| s.samples.Count = 4;
        "SampleDesc.Count: 8" => |s| s.samples.Count = 8;
        "SampleDesc: { Count: 4, Quality: 1 }" => |s| (s.samples.Count, s.samples.Quality) = (4, 1);
    }
    Layout "PrimitiveTopologyType" {
        "PrimitiveTopologyType: POINT" => |s| s.topology = D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_POINT;
        "PrimitiveTopologyType: LINE" => |s| s.topology = D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_LINE;
    }
    Graphics "ViewInstancingDesc" {
        "ViewInstancingDesc.ViewInstanceCount: 1" => |s| s.views = views(1);
        "ViewInstancingDesc.ViewInstanceCount: 4" => |s| s.views = views(4);
        "ViewInstancingDesc: { ViewInstanceCount: 2, ENABLE_VIEW_INSTANCE_MASKING }" => |s| {
            s.views = views(2);
            s.view_flags = D3D12DDI_VIEW_INSTANCING_FLAG_ENABLE_VIEW_INSTANCE_MASKING;
        };
    }
    Graphics "Flags" {
        "Flags: DYNAMIC_DEPTH_BIAS" => |s| s.flags = D3D12DDI_PIPELINE_STATE_FLAG_DYNAMIC_DEPTH_BIAS;
        "Flags: DYNAMIC_INDEX_BUFFER_STRIP_CUT" => |s| {
            s.flags = D3D12DDI_PIPELINE_STATE_FLAG_DYNAMIC_INDEX_BUFFER_STRIP_CUT;
        };
    }
}

/// View instances, each in a slice of its own.
fn views(count: u32) -> Vec<D3D12DDI_VIEW_INSTANCE_LOCATION> {
    let view = |index| D3D12DDI_VIEW_INSTANCE_LOCATION {
        ViewportArrayIndex: index,
        RenderTargetArrayIndex: index,
    };
    (0..count).map(view).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{GRAPHICS, KINDS, Pipeline};
    use super::CHANGES;
    use crate::inputs::arena::Surroundings;
    use crate::inputs::generated::{random, walk};
    use std::collections::BTreeSet;

    /// The bytes of a description with other padding are not compared: a change shows in what it sets.
    #[test]
    fn each_change_changes_the_description() {
        let described = |kind| {
            let pipeline = Pipeline::new(kind, Surroundings::USUAL).unwrap();
            pipeline.arena.memory.bytes()
        };
        let mut seen = BTreeSet::from([described(&GRAPHICS)]);
        let mut walked = BTreeSet::new();
        for kind in walk(&GRAPHICS) {
            assert!(seen.insert(described(kind)), "{}", kind.name);
            walked.insert(kind.changes[0].code);
        }
        for change in CHANGES {
            assert!(walked.contains(change.code), "{change:?} is of no pipeline");
        }
    }

    #[test]
    fn descriptions_with_several_changes_can_be_built() {
        for kind in random(&KINDS, 0).take(200) {
            Pipeline::new(kind, Surroundings::OTHER).unwrap();
        }
    }
}
