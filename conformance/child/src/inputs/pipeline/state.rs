//! What of a pipeline description is no shader: the fixed functions, the formats, the root signature.

use bytemuck::Zeroable;
use conformance_catalogue::verdict::Stop;
use ddi_sys::{
    D3D10_SB_NAME_UNDEFINED, D3D10_SB_REGISTER_COMPONENT_SINT32,
    D3D10_SB_REGISTER_COMPONENT_UINT32, D3D12DDI_BLEND_DESC_0010, D3D12DDI_BLEND_ONE,
    D3D12DDI_BLEND_OP_ADD, D3D12DDI_BLEND_ZERO, D3D12DDI_COMPARISON_FUNC_ALWAYS,
    D3D12DDI_COMPARISON_FUNC_LESS, D3D12DDI_CONSERVATIVE_RASTERIZATION_MODE_OFF,
    D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER_NOT_SUPPORTED, D3D12DDI_CULL_MODE_BACK,
    D3D12DDI_D3D12_OPTIONS_DATA_0089, D3D12DDI_DEPTH_STENCIL_DESC_0095,
    D3D12DDI_DEPTH_STENCILOP_DESC, D3D12DDI_DEPTH_WRITE_MASK_ALL, D3D12DDI_FILL_MODE_SOLID,
    D3D12DDI_HBLENDSTATE, D3D12DDI_HDEPTHSTENCILSTATE, D3D12DDI_HELEMENTLAYOUT,
    D3D12DDI_HRASTERIZERSTATE, D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE, D3D12DDI_LOGIC_OP_NOOP,
    D3D12DDI_PIPELINE_STATE_FLAGS, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE, D3D12DDI_RASTERIZER_DESC_0102,
    D3D12DDI_RENDER_TARGET_BLEND_DESC, D3D12DDI_STENCIL_OP_KEEP, D3D12DDI_VIEW_INSTANCE_LOCATION,
    D3D12DDI_VIEW_INSTANCING_DESC, D3D12DDI_VIEW_INSTANCING_FLAGS,
    D3D12DDI_VIEW_INSTANCING_TIER_NOT_SUPPORTED, D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    D3D12DDIARG_CREATEELEMENTLAYOUT_0010, D3D12DDIARG_INPUT_ELEMENT_DESC, DXGI_FORMAT,
    DXGI_FORMAT_R32_FLOAT, DXGI_FORMAT_R32_SINT, DXGI_FORMAT_R32_UINT, DXGI_FORMAT_R32G32_FLOAT,
    DXGI_FORMAT_R32G32_SINT, DXGI_FORMAT_R32G32_UINT, DXGI_FORMAT_R32G32B32_FLOAT,
    DXGI_FORMAT_R32G32B32_SINT, DXGI_FORMAT_R32G32B32_UINT, DXGI_FORMAT_R32G32B32A32_FLOAT,
    DXGI_FORMAT_R32G32B32A32_SINT, DXGI_FORMAT_R32G32B32A32_UINT, DXGI_FORMAT_UNKNOWN,
    DXGI_SAMPLE_DESC, FALSE, TRUE,
};
use dxil::FourCc;

use super::{Kind, Stage};
use crate::inputs::arena::Arena;
use crate::inputs::shaders::Shader;
use crate::inputs::signatures::{self, Covering, length};

/// Everything that an application sets besides the shaders.
pub(crate) struct State {
    pub(super) root: Covering,
    pub(super) blend: D3D12DDI_BLEND_DESC_0010,
    pub(super) rasterizer: D3D12DDI_RASTERIZER_DESC_0102,
    pub(super) depth_stencil: D3D12DDI_DEPTH_STENCIL_DESC_0095,
    pub(super) elements: Vec<D3D12DDIARG_INPUT_ELEMENT_DESC>,
    pub(super) sample_mask: u32,
    pub(super) strip_cut: D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE,
    pub(super) topology: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE,
    pub(super) targets: Vec<DXGI_FORMAT>,
    pub(super) depth: DXGI_FORMAT,
    pub(super) samples: DXGI_SAMPLE_DESC,
    pub(super) node_mask: u32,
    pub(super) views: Vec<D3D12DDI_VIEW_INSTANCE_LOCATION>,
    pub(super) view_flags: D3D12DDI_VIEW_INSTANCING_FLAGS,
    pub(super) flags: D3D12DDI_PIPELINE_STATE_FLAGS,
}

/// Something that a device may lack, in words, and whether the caps offer it.
pub(crate) type Optional = (&'static str, fn(&D3D12DDI_D3D12_OPTIONS_DATA_0089) -> bool);

impl State {
    /// What a kind has.
    pub(crate) fn of(kind: &Kind) -> Result<Self, Stop> {
        let mut state = Self::new(kind)?;
        for change in kind.changes {
            (change.apply)(&mut state);
        }
        Ok(state)
    }

    /// What of it a device may lack.
    pub(crate) fn options(&self) -> impl Iterator<Item = Optional> {
        let has_logic_op = self.blend.RenderTarget[0].LogicOpEnable != FALSE;
        let is_conservative = self.rasterizer.ConservativeRasterizationMode
            != D3D12DDI_CONSERVATIVE_RASTERIZATION_MODE_OFF;
        let has_bounds = self.depth_stencil.DepthBoundsTestEnable != FALSE;
        let all: [(bool, Optional); 4] = [
            (
                has_logic_op,
                ("logic operations", |caps| caps.OutputMergerLogicOp != FALSE),
            ),
            (
                is_conservative,
                ("conservative rasterization", |caps| {
                    caps.ConservativeRasterizationTier
                        != D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER_NOT_SUPPORTED
                }),
            ),
            (
                has_bounds,
                ("depth bounds test", |caps| {
                    caps.DepthBoundsTestSupported != FALSE
                }),
            ),
            (
                !self.views.is_empty(),
                ("view instancing", |caps| {
                    caps.ViewInstancingTier != D3D12DDI_VIEW_INSTANCING_TIER_NOT_SUPPORTED
                }),
            ),
        ];
        let used = all.into_iter().filter(|(is_used, _)| *is_used);
        used.map(|(_, option)| option)
    }

    /// What a kind has before its changes.
    pub(super) fn new(kind: &Kind) -> Result<Self, Stop> {
        let opaque = D3D12DDI_RENDER_TARGET_BLEND_DESC {
            SrcBlend: D3D12DDI_BLEND_ONE,
            DestBlend: D3D12DDI_BLEND_ZERO,
            BlendOp: D3D12DDI_BLEND_OP_ADD,
            SrcBlendAlpha: D3D12DDI_BLEND_ONE,
            DestBlendAlpha: D3D12DDI_BLEND_ZERO,
            BlendOpAlpha: D3D12DDI_BLEND_OP_ADD,
            LogicOp: D3D12DDI_LOGIC_OP_NOOP,
            RenderTargetWriteMask: 0xF,
            ..Zeroable::zeroed()
        };
        let keep = D3D12DDI_DEPTH_STENCILOP_DESC {
            StencilFailOp: D3D12DDI_STENCIL_OP_KEEP,
            StencilDepthFailOp: D3D12DDI_STENCIL_OP_KEEP,
            StencilPassOp: D3D12DDI_STENCIL_OP_KEEP,
            StencilFunc: D3D12DDI_COMPARISON_FUNC_ALWAYS,
        };
        Ok(Self {
            root: Covering::USUAL,
            blend: D3D12DDI_BLEND_DESC_0010 {
                RenderTarget: [opaque; 8],
                ..Zeroable::zeroed()
            },
            rasterizer: D3D12DDI_RASTERIZER_DESC_0102 {
                FillMode: D3D12DDI_FILL_MODE_SOLID,
                CullMode: D3D12DDI_CULL_MODE_BACK,
                DepthClipEnable: TRUE,
                ScissorEnable: TRUE,
                ..Zeroable::zeroed()
            },
            depth_stencil: D3D12DDI_DEPTH_STENCIL_DESC_0095 {
                DepthEnable: (kind.depth != DXGI_FORMAT_UNKNOWN).into(),
                DepthWriteMask: D3D12DDI_DEPTH_WRITE_MASK_ALL,
                DepthFunc: D3D12DDI_COMPARISON_FUNC_LESS,
                FrontFaceStencilReadMask: 0xFF,
                FrontFaceStencilWriteMask: 0xFF,
                FrontFace: keep,
                BackFace: keep,
                BackFaceStencilReadMask: 0xFF,
                BackFaceStencilWriteMask: 0xFF,
                ..Zeroable::zeroed()
            },
            elements: match kind.shader(Stage::Vertex) {
                Some(shader) => input_elements(shader)?,
                None => Vec::new(),
            },
            sample_mask: u32::MAX,
            strip_cut: Zeroable::zeroed(),
            topology: kind.topology,
            targets: kind.targets.to_vec(),
            depth: kind.depth,
            samples: DXGI_SAMPLE_DESC {
                Count: 1,
                Quality: 0,
            },
            node_mask: 1,
            views: Vec::new(),
            view_flags: Zeroable::zeroed(),
            flags: Zeroable::zeroed(),
        })
    }

    /// Puts into the argument what a pipeline of this kind has of it.
    pub(super) fn place(
        &self,
        kind: &Kind,
        arg: &mut D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
        arena: &Arena,
    ) {
        arg.NodeMask = self.node_mask;
        arg.Flags = self.flags;
        if kind.shader(Stage::Compute).is_some() {
            return;
        }
        arg.hBlendState = D3D12DDI_HBLENDSTATE {
            pDrvPrivate: arena.put(self.blend).cast(),
        };
        arg.SampleMask = self.sample_mask;
        arg.hRasterizerState = D3D12DDI_HRASTERIZERSTATE {
            pDrvPrivate: arena.put(self.rasterizer).cast(),
        };
        arg.hDepthStencilState = D3D12DDI_HDEPTHSTENCILSTATE {
            pDrvPrivate: arena.put(self.depth_stencil).cast(),
        };
        if kind.shader(Stage::Vertex).is_some() {
            let layout = D3D12DDIARG_CREATEELEMENTLAYOUT_0010 {
                pVertexElements: arena.array(&self.elements),
                NumElements: length(&self.elements),
                ..Zeroable::zeroed()
            };
            arg.hElementLayout = D3D12DDI_HELEMENTLAYOUT {
                pDrvPrivate: arena.put(layout).cast(),
            };
        }
        arg.IBStripCutValue = self.strip_cut;
        arg.PrimitiveTopologyType = self.topology;
        arg.NumRenderTargets = length(&self.targets);
        arg.RTVFormats[..self.targets.len()].copy_from_slice(&self.targets);
        arg.DSVFormat = self.depth;
        arg.SampleDesc = self.samples;
        arg.ViewInstancingDesc = D3D12DDI_VIEW_INSTANCING_DESC {
            ViewInstanceCount: length(&self.views),
            pViewInstanceLocations: arena.array(&self.views),
            Flags: self.view_flags,
        };
    }
}

/// An input layout that feeds every input which is no system value, from one buffer.
fn input_elements(shader: &Shader) -> Result<Vec<D3D12DDIARG_INPUT_ELEMENT_DESC>, Stop> {
    let mut offset = 0;
    let inputs = signatures::entries(shader, FourCc::ISG1)?;
    let fed = inputs
        .into_iter()
        .filter(|input| input.SystemValue == D3D10_SB_NAME_UNDEFINED);
    let elements = fed.map(|input| {
        let components = input.Mask.count_ones();
        let formats = match input.RegisterComponentType {
            D3D10_SB_REGISTER_COMPONENT_UINT32 => [
                DXGI_FORMAT_R32_UINT,
                DXGI_FORMAT_R32G32_UINT,
                DXGI_FORMAT_R32G32B32_UINT,
                DXGI_FORMAT_R32G32B32A32_UINT,
            ],
            D3D10_SB_REGISTER_COMPONENT_SINT32 => [
                DXGI_FORMAT_R32_SINT,
                DXGI_FORMAT_R32G32_SINT,
                DXGI_FORMAT_R32G32B32_SINT,
                DXGI_FORMAT_R32G32B32A32_SINT,
            ],
            _ => [
                DXGI_FORMAT_R32_FLOAT,
                DXGI_FORMAT_R32G32_FLOAT,
                DXGI_FORMAT_R32G32B32_FLOAT,
                DXGI_FORMAT_R32G32B32A32_FLOAT,
            ],
        };
        let element = D3D12DDIARG_INPUT_ELEMENT_DESC {
            AlignedByteOffset: offset,
            Format: formats[components.clamp(1, 4) as usize - 1],
            InputRegister: input.Register,
            ..Zeroable::zeroed()
        };
        offset += 4 * components;
        element
    });
    Ok(elements.collect())
}
