//! Translates the fixed-function state of a pipeline from the API's structures, in their newest versions, to the DDI's, and
//! fills in the API's defaults for what a description leaves out.
//!
//! Enumerations have the same numbers on both sides, so this copies them unchecked; [`validate`](super::validate) checks them.

use api_desc::{InputElement, StreamOutput, StreamOutputEntry, ViewInstancing};
use api_sys::{
    D3D12_APPEND_ALIGNED_ELEMENT, D3D12_BLEND_DESC, D3D12_DEPTH_STENCIL_DESC2,
    D3D12_DEPTH_STENCILOP_DESC1, D3D12_RASTERIZER_DESC2, D3D12_RENDER_TARGET_BLEND_DESC,
};
use bytemuck::Zeroable;
use ddi_sys::{
    D3D12DDI_BLEND, D3D12DDI_BLEND_DESC_0010, D3D12DDI_BLEND_ONE, D3D12DDI_BLEND_OP,
    D3D12DDI_BLEND_OP_ADD, D3D12DDI_BLEND_ZERO, D3D12DDI_COLOR_WRITE_ENABLE_ALL,
    D3D12DDI_COMPARISON_FUNC, D3D12DDI_COMPARISON_FUNC_ALWAYS, D3D12DDI_COMPARISON_FUNC_LESS,
    D3D12DDI_CONSERVATIVE_RASTERIZATION_MODE, D3D12DDI_CULL_MODE, D3D12DDI_CULL_MODE_BACK,
    D3D12DDI_DEPTH_STENCIL_DESC_0095, D3D12DDI_DEPTH_STENCILOP_DESC, D3D12DDI_DEPTH_WRITE_MASK,
    D3D12DDI_DEPTH_WRITE_MASK_ALL, D3D12DDI_FILL_MODE, D3D12DDI_FILL_MODE_SOLID,
    D3D12DDI_INPUT_CLASSIFICATION, D3D12DDI_LINE_RASTERIZATION_MODE, D3D12DDI_LOGIC_OP,
    D3D12DDI_LOGIC_OP_NOOP, D3D12DDI_RASTERIZER_DESC_0102, D3D12DDI_RENDER_TARGET_BLEND_DESC,
    D3D12DDI_STENCIL_OP, D3D12DDI_STENCIL_OP_KEEP, D3D12DDI_VIEW_INSTANCE_LOCATION,
    D3D12DDI_VIEW_INSTANCING_DESC, D3D12DDI_VIEW_INSTANCING_FLAGS,
    D3D12DDIARG_CREATEELEMENTLAYOUT_0010, D3D12DDIARG_INPUT_ELEMENT_DESC,
    D3D12DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY, DXGI_FORMAT, DXGI_SAMPLE_DESC, TRUE, UINT,
};
use dxil::{ComponentType, Signature, SignatureElement};

use super::arena::Arena;
use super::{Invalid, length};
use crate::message::MessageId;

/// Translates blend state.
pub fn blend(from: &D3D12_BLEND_DESC) -> D3D12DDI_BLEND_DESC_0010 {
    D3D12DDI_BLEND_DESC_0010 {
        AlphaToCoverageEnable: from.AlphaToCoverageEnable.as_bool().into(),
        IndependentBlendEnable: from.IndependentBlendEnable.as_bool().into(),
        RenderTarget: from.RenderTarget.each_ref().map(render_target_blend),
        ..Zeroable::zeroed()
    }
}

fn render_target_blend(from: &D3D12_RENDER_TARGET_BLEND_DESC) -> D3D12DDI_RENDER_TARGET_BLEND_DESC {
    D3D12DDI_RENDER_TARGET_BLEND_DESC {
        BlendEnable: from.BlendEnable.as_bool().into(),
        LogicOpEnable: from.LogicOpEnable.as_bool().into(),
        SrcBlend: D3D12DDI_BLEND(from.SrcBlend),
        DestBlend: D3D12DDI_BLEND(from.DestBlend),
        BlendOp: D3D12DDI_BLEND_OP(from.BlendOp),
        SrcBlendAlpha: D3D12DDI_BLEND(from.SrcBlendAlpha),
        DestBlendAlpha: D3D12DDI_BLEND(from.DestBlendAlpha),
        BlendOpAlpha: D3D12DDI_BLEND_OP(from.BlendOpAlpha),
        LogicOp: D3D12DDI_LOGIC_OP(from.LogicOp),
        RenderTargetWriteMask: from.RenderTargetWriteMask,
    }
}

/// The default blend state: no blending, and all components are written.
pub fn default_blend() -> D3D12DDI_BLEND_DESC_0010 {
    let target = D3D12DDI_RENDER_TARGET_BLEND_DESC {
        SrcBlend: D3D12DDI_BLEND_ONE,
        DestBlend: D3D12DDI_BLEND_ZERO,
        BlendOp: D3D12DDI_BLEND_OP_ADD,
        SrcBlendAlpha: D3D12DDI_BLEND_ONE,
        DestBlendAlpha: D3D12DDI_BLEND_ZERO,
        BlendOpAlpha: D3D12DDI_BLEND_OP_ADD,
        LogicOp: D3D12DDI_LOGIC_OP_NOOP,
        RenderTargetWriteMask: D3D12DDI_COLOR_WRITE_ENABLE_ALL.0.to_le_bytes()[0],
        ..Zeroable::zeroed()
    };
    D3D12DDI_BLEND_DESC_0010 {
        RenderTarget: [target; 8],
        ..Zeroable::zeroed()
    }
}

/// Translates rasterizer state.
pub fn rasterizer(from: D3D12_RASTERIZER_DESC2) -> D3D12DDI_RASTERIZER_DESC_0102 {
    D3D12DDI_RASTERIZER_DESC_0102 {
        FillMode: D3D12DDI_FILL_MODE(from.FillMode),
        CullMode: D3D12DDI_CULL_MODE(from.CullMode),
        FrontCounterClockwise: from.FrontCounterClockwise.as_bool().into(),
        DepthBias: from.DepthBias,
        DepthBiasClamp: from.DepthBiasClamp,
        SlopeScaledDepthBias: from.SlopeScaledDepthBias,
        DepthClipEnable: from.DepthClipEnable.as_bool().into(),
        // D3D12 always has this on, and its API has no switch for it.
        ScissorEnable: TRUE,
        LineRasterizationMode: D3D12DDI_LINE_RASTERIZATION_MODE(from.LineRasterizationMode),
        ForcedSampleCount: from.ForcedSampleCount,
        ConservativeRasterizationMode: D3D12DDI_CONSERVATIVE_RASTERIZATION_MODE(
            from.ConservativeRaster,
        ),
        ..Zeroable::zeroed()
    }
}

/// The default rasterizer state: solid, back faces culled, depth clipped.
pub fn default_rasterizer() -> D3D12DDI_RASTERIZER_DESC_0102 {
    D3D12DDI_RASTERIZER_DESC_0102 {
        FillMode: D3D12DDI_FILL_MODE_SOLID,
        CullMode: D3D12DDI_CULL_MODE_BACK,
        DepthClipEnable: TRUE,
        ScissorEnable: TRUE,
        ..Zeroable::zeroed()
    }
}

/// Translates depth and stencil state.
pub fn depth_stencil(from: D3D12_DEPTH_STENCIL_DESC2) -> D3D12DDI_DEPTH_STENCIL_DESC_0095 {
    let face = |face: &D3D12_DEPTH_STENCILOP_DESC1| D3D12DDI_DEPTH_STENCILOP_DESC {
        StencilFailOp: D3D12DDI_STENCIL_OP(face.StencilFailOp),
        StencilDepthFailOp: D3D12DDI_STENCIL_OP(face.StencilDepthFailOp),
        StencilPassOp: D3D12DDI_STENCIL_OP(face.StencilPassOp),
        StencilFunc: D3D12DDI_COMPARISON_FUNC(face.StencilFunc),
    };
    let stencil = from.StencilEnable.as_bool();
    D3D12DDI_DEPTH_STENCIL_DESC_0095 {
        DepthEnable: from.DepthEnable.as_bool().into(),
        DepthWriteMask: D3D12DDI_DEPTH_WRITE_MASK(from.DepthWriteMask),
        DepthFunc: D3D12DDI_COMPARISON_FUNC(from.DepthFunc),
        StencilEnable: stencil.into(),
        // The API has one switch, the DDI one for each face.
        FrontEnable: stencil.into(),
        BackEnable: stencil.into(),
        FrontFaceStencilReadMask: from.FrontFace.StencilReadMask,
        FrontFaceStencilWriteMask: from.FrontFace.StencilWriteMask,
        FrontFace: face(&from.FrontFace),
        BackFace: face(&from.BackFace),
        DepthBoundsTestEnable: from.DepthBoundsTestEnable.as_bool().into(),
        BackFaceStencilReadMask: from.BackFace.StencilReadMask,
        BackFaceStencilWriteMask: from.BackFace.StencilWriteMask,
        ..Zeroable::zeroed()
    }
}

/// The default depth and stencil state: LESS, depth writes, no stencil.
pub fn default_depth_stencil(depth_enable: bool) -> D3D12DDI_DEPTH_STENCIL_DESC_0095 {
    let keep = D3D12DDI_DEPTH_STENCILOP_DESC {
        StencilFailOp: D3D12DDI_STENCIL_OP_KEEP,
        StencilDepthFailOp: D3D12DDI_STENCIL_OP_KEEP,
        StencilPassOp: D3D12DDI_STENCIL_OP_KEEP,
        StencilFunc: D3D12DDI_COMPARISON_FUNC_ALWAYS,
    };
    D3D12DDI_DEPTH_STENCIL_DESC_0095 {
        DepthEnable: depth_enable.into(),
        DepthWriteMask: D3D12DDI_DEPTH_WRITE_MASK_ALL,
        DepthFunc: D3D12DDI_COMPARISON_FUNC_LESS,
        FrontFaceStencilReadMask: 0xFF,
        FrontFaceStencilWriteMask: 0xFF,
        FrontFace: keep,
        BackFace: keep,
        BackFaceStencilReadMask: 0xFF,
        BackFaceStencilWriteMask: 0xFF,
        ..Zeroable::zeroed()
    }
}

/// One element of an input layout, with its offset.
#[derive(Clone, Copy, Debug)]
pub struct VertexElement<'a> {
    /// The element.
    pub desc: &'a InputElement,
    /// The offset in the vertex, in bytes.
    pub offset: UINT,
    /// The size of its format in bytes and the component type that the shader gets; `None` for a format that an input layout
    /// cannot have.
    pub format: Option<(UINT, ComponentType)>,
}

impl VertexElement<'_> {
    /// The semantic name.
    pub fn name(&self) -> &[u8] {
        self.desc.semantic_name.as_bytes()
    }

    /// Whether this element feeds `input` of a vertex shader.
    pub fn feeds(&self, input: &SignatureElement<'_>) -> bool {
        self.desc.semantic_index == input.semantic_index()
            && self.name().eq_ignore_ascii_case(input.name())
    }
}

/// Resolves the offsets of an input layout.
pub fn vertex_elements(descs: &[InputElement]) -> Vec<VertexElement<'_>> {
    let mut elements: Vec<VertexElement<'_>> = Vec::with_capacity(descs.len());
    for desc in descs {
        let format = vertex_format(DXGI_FORMAT(desc.format));
        let (size, _) = format.unwrap_or_default();
        let offset = if desc.aligned_byte_offset == D3D12_APPEND_ALIGNED_ELEMENT {
            let before = elements
                .iter()
                .rfind(|e| e.desc.input_slot == desc.input_slot);
            let end = before.map_or(0, |e| {
                e.offset.saturating_add(e.format.unwrap_or_default().0)
            });
            end.checked_next_multiple_of(size.clamp(1, 4))
                .unwrap_or(UINT::MAX)
        } else {
            desc.aligned_byte_offset
        };
        elements.push(VertexElement {
            desc,
            offset,
            format,
        });
    }
    elements
}

/// The element layout of a vertex shader: the elements that it reads, by their registers.
pub fn element_layout(
    elements: &[VertexElement<'_>],
    input: Option<&Signature<'_>>,
    arena: &mut Arena,
) -> D3D12DDIARG_CREATEELEMENTLAYOUT_0010 {
    let fed = elements.iter().filter_map(|element| {
        let mut inputs = input?.elements();
        let register = inputs.find(|input| element.feeds(input))?.register()?;
        Some(D3D12DDIARG_INPUT_ELEMENT_DESC {
            InputSlot: element.desc.input_slot,
            AlignedByteOffset: element.offset,
            Format: DXGI_FORMAT(element.desc.format),
            InputSlotClass: D3D12DDI_INPUT_CLASSIFICATION(element.desc.input_slot_class),
            InstanceDataStepRate: element.desc.instance_data_step_rate,
            InputRegister: register,
        })
    });
    let fed: Vec<_> = fed.collect();
    D3D12DDIARG_CREATEELEMENTLAYOUT_0010 {
        pVertexElements: arena.array(&fed),
        NumElements: length(&fed),
        ..Zeroable::zeroed()
    }
}

/// The size of a format in bytes, and the component type that a vertex shader gets: the formats that every device supports in a
/// vertex buffer.
fn vertex_format(format: DXGI_FORMAT) -> Option<(UINT, ComponentType)> {
    #[allow(clippy::wildcard_imports, reason = "a table of formats")]
    use ddi_sys::*;
    const FLOAT: ComponentType = ComponentType::FLOAT32;
    const UNSIGNED: ComponentType = ComponentType::UINT32;
    const SIGNED: ComponentType = ComponentType::SINT32;
    Some(match format {
        DXGI_FORMAT_R32G32B32A32_FLOAT => (16, FLOAT),
        DXGI_FORMAT_R32G32B32A32_UINT => (16, UNSIGNED),
        DXGI_FORMAT_R32G32B32A32_SINT => (16, SIGNED),
        DXGI_FORMAT_R32G32B32_FLOAT => (12, FLOAT),
        DXGI_FORMAT_R32G32B32_UINT => (12, UNSIGNED),
        DXGI_FORMAT_R32G32B32_SINT => (12, SIGNED),
        DXGI_FORMAT_R16G16B16A16_FLOAT
        | DXGI_FORMAT_R16G16B16A16_UNORM
        | DXGI_FORMAT_R16G16B16A16_SNORM
        | DXGI_FORMAT_R32G32_FLOAT => (8, FLOAT),
        DXGI_FORMAT_R16G16B16A16_UINT | DXGI_FORMAT_R32G32_UINT => (8, UNSIGNED),
        DXGI_FORMAT_R16G16B16A16_SINT | DXGI_FORMAT_R32G32_SINT => (8, SIGNED),
        DXGI_FORMAT_R10G10B10A2_UNORM
        | DXGI_FORMAT_R11G11B10_FLOAT
        | DXGI_FORMAT_R8G8B8A8_UNORM
        | DXGI_FORMAT_R8G8B8A8_SNORM
        | DXGI_FORMAT_B8G8R8A8_UNORM
        | DXGI_FORMAT_B8G8R8X8_UNORM
        | DXGI_FORMAT_R16G16_FLOAT
        | DXGI_FORMAT_R16G16_UNORM
        | DXGI_FORMAT_R16G16_SNORM
        | DXGI_FORMAT_R32_FLOAT => (4, FLOAT),
        DXGI_FORMAT_R10G10B10A2_UINT
        | DXGI_FORMAT_R8G8B8A8_UINT
        | DXGI_FORMAT_R16G16_UINT
        | DXGI_FORMAT_R32_UINT => (4, UNSIGNED),
        DXGI_FORMAT_R8G8B8A8_SINT | DXGI_FORMAT_R16G16_SINT | DXGI_FORMAT_R32_SINT => (4, SIGNED),
        DXGI_FORMAT_R8G8_UNORM
        | DXGI_FORMAT_R8G8_SNORM
        | DXGI_FORMAT_R16_FLOAT
        | DXGI_FORMAT_R16_UNORM
        | DXGI_FORMAT_R16_SNORM => (2, FLOAT),
        DXGI_FORMAT_R8G8_UINT | DXGI_FORMAT_R16_UINT => (2, UNSIGNED),
        DXGI_FORMAT_R8G8_SINT | DXGI_FORMAT_R16_SINT => (2, SIGNED),
        DXGI_FORMAT_R8_UNORM | DXGI_FORMAT_R8_SNORM => (1, FLOAT),
        DXGI_FORMAT_R8_UINT => (1, UNSIGNED),
        DXGI_FORMAT_R8_SINT => (1, SIGNED),
        _ => return None,
    })
}

/// Whether `entry` takes the element `output` of a signature.
pub fn takes(entry: &StreamOutputEntry, output: &SignatureElement<'_>) -> bool {
    entry.semantic_name.as_ref().is_some_and(|name| {
        entry.semantic_index == output.semantic_index()
            && entry.stream == output.stream()
            && name.as_bytes().eq_ignore_ascii_case(output.name())
    })
}

/// A stream output; `None` if it has no entries.
///
/// # Errors
///
/// It has strides, but no entries.
pub fn stream_output(desc: &StreamOutput) -> Result<Option<&StreamOutput>, Invalid> {
    if !desc.entries.is_empty() {
        return Ok(Some(desc));
    }
    if desc.strides.is_empty() {
        return Ok(None);
    }
    let id = MessageId::CREATEGEOMETRYSHADERWITHSTREAMOUTPUT_UNEXPECTEDSTRIDES;
    Err(Invalid::new(
        id,
        "stream output has strides, but no entries",
    ))
}

/// The DDI's entries for a stream output, which name registers of the output signature. A gap has no register, and neither has
/// an entry that matches no element.
pub fn stream_output_entries(
    stream_output: &StreamOutput,
    output: Option<&Signature<'_>>,
    arena: &mut Arena,
) -> *mut D3D12DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY {
    arena.array_of(stream_output.entries.iter().map(|entry| {
        let found = output.and_then(|output| output.elements().find(|e| takes(entry, e)));
        let first = found.map_or(0, |element| element.mask().trailing_zeros());
        let components = (1_u32 << entry.component_count.min(4)) - 1;
        let mask = components << (u32::from(entry.start_component.min(3)) + first.min(3));
        D3D12DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY {
            Stream: entry.stream,
            OutputSlot: entry.output_slot.into(),
            RegisterIndex: found.and_then(|e| e.register()).unwrap_or(UINT::MAX),
            RegisterMask: mask.to_le_bytes()[0] & 0xF,
        }
    }))
}

/// The samples; one if the description says nothing.
pub fn sample_desc(from: Option<api_sys::DXGI_SAMPLE_DESC>) -> DXGI_SAMPLE_DESC {
    let (count, quality) = from.map_or((1, 0), |from| (from.Count, from.Quality));
    DXGI_SAMPLE_DESC {
        Count: count,
        Quality: quality,
    }
}

/// The most views of a pipeline (`D3D12_MAX_VIEW_INSTANCE_COUNT`).
const MOST_VIEW_INSTANCES: usize = 4;

/// Translates view instancing; copies the locations into `arena`.
///
/// # Errors
///
/// There are more than 4 view instances.
pub fn view_instancing(
    desc: &ViewInstancing,
    arena: &mut Arena,
) -> Result<D3D12DDI_VIEW_INSTANCING_DESC, Invalid> {
    let count = desc.locations.len();
    if count > MOST_VIEW_INSTANCES {
        let id = MessageId::VIEW_INSTANCING_INVALIDARGS;
        let text = format!("{count} view instances, {MOST_VIEW_INSTANCES} is the limit");
        return Err(Invalid::new(id, text));
    }
    let locations = desc
        .locations
        .iter()
        .map(|from| D3D12DDI_VIEW_INSTANCE_LOCATION {
            ViewportArrayIndex: from.ViewportArrayIndex,
            RenderTargetArrayIndex: from.RenderTargetArrayIndex,
        });
    Ok(D3D12DDI_VIEW_INSTANCING_DESC {
        ViewInstanceCount: length(&desc.locations),
        pViewInstanceLocations: arena.array_of(locations),
        Flags: D3D12DDI_VIEW_INSTANCING_FLAGS(desc.flags.cast_signed()),
    })
}
