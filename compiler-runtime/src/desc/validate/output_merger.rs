//! Checks render targets, depth-stencil buffer and samples against the shaders and the state.

use ddi_sys::{
    D3D12DDI_BLEND_INV_SRC1_ALPHA, D3D12DDI_BLEND_INV_SRC1_COLOR, D3D12DDI_BLEND_SRC1_ALPHA,
    D3D12DDI_BLEND_SRC1_COLOR, D3D12DDI_RENDER_TARGET_BLEND_DESC, DXGI_FORMAT, DXGI_FORMAT_UNKNOWN,
    DXGI_SAMPLE_DESC,
};
use dxil::{ComponentType, Signature, SystemValue};

use super::{GraphicsState, semantic};
use crate::desc::shader::Stage;
use crate::message::{MessageId, Messages};

/// `D3D12_SIMULTANEOUS_RENDER_TARGET_COUNT`.
const TARGETS: usize = 8;

/// `D3D12_MAX_MULTISAMPLE_SAMPLE_COUNT`.
const MOST_SAMPLES: u32 = 32;

pub(super) fn check(state: &GraphicsState<'_>, messages: &mut Messages) {
    check_targets(state, messages);
    check_dual_source(state, messages);
    check_position(state, messages);
    if state.sample_mask == 0 {
        let id = MessageId::GRAPHICS_PIPELINE_STATE_DESC_ZERO_SAMPLE_MASK;
        messages.warning(id, "SampleMask is 0: no sample is ever written");
    }
    let DXGI_SAMPLE_DESC { Count, Quality } = state.sample_desc;
    let id = MessageId::CREATEGRAPHICSPIPELINESTATE_INVALID_SAMPLE_DESC;
    if !(1..=MOST_SAMPLES).contains(&Count) {
        let text = format!("SampleDesc.Count {Count}: 1 to {MOST_SAMPLES} are possible");
        messages.error(id, text);
    } else if Count == 1 && Quality != 0 {
        messages.error(
            id,
            format!("SampleDesc.Quality {Quality} of one sample has to be 0"),
        );
    }
    if state.depth_stencil_format == Some(DXGI_FORMAT_UNKNOWN)
        && (state.depth_stencil.DepthEnable != 0 || state.depth_stencil.StencilEnable != 0)
    {
        let id = MessageId::CREATEGRAPHICSPIPELINESTATE_DEPTHSTENCILVIEW_NOT_SET;
        let text = "depth or stencil is enabled, but the depth-stencil format is UNKNOWN: the tests \
                    pass, and nothing is written";
        messages.warning(id, text);
    }
}

fn check_targets(state: &GraphicsState<'_>, messages: &mut Messages) {
    let Some(targets) = state.render_targets else {
        return;
    };
    let count = targets.NumRenderTargets as usize;
    if count > TARGETS {
        let id = MessageId::CREATEGRAPHICSPIPELINESTATE_INVALID_RENDER_TARGET_COUNT;
        messages.error(
            id,
            format!("NumRenderTargets {count}, {TARGETS} is the limit"),
        );
        return;
    }
    for (index, &format) in targets.RTFormats.iter().enumerate().skip(count) {
        if DXGI_FORMAT(format) != DXGI_FORMAT_UNKNOWN {
            let id = MessageId::CREATEGRAPHICSPIPELINESTATE_RTV_FORMAT_NOT_UNKNOWN;
            let text = format!(
                "RTFormats[{index}] is {:?} with {count} render targets: it has to be UNKNOWN",
                DXGI_FORMAT(format)
            );
            messages.error(id, text);
        }
    }
    let Some(pixel_shader) = state.shaders.get(Stage::Pixel) else {
        return;
    };
    let outputs = pixel_shader.output.iter().flat_map(Signature::elements);
    for output in outputs.filter(|output| output.system_value() == SystemValue::TARGET) {
        let target = output.semantic_index() as usize;
        let format = targets.RTFormats[..count].get(target);
        let format = format.map_or(DXGI_FORMAT_UNKNOWN, |&format| DXGI_FORMAT(format));
        if format == DXGI_FORMAT_UNKNOWN {
            let text = format!(
                "PS puts out {}, but there is no render target {target}: it is lost",
                semantic(&output)
            );
            let id = MessageId::CREATEGRAPHICSPIPELINESTATE_RENDERTARGETVIEW_NOT_SET;
            messages.warning(id, text);
        } else if component_type(format) != widened(output.component_type()) {
            let text = format!(
                "PS puts out {} as {:?}, but render target {target} is {format:?}",
                semantic(&output),
                output.component_type()
            );
            messages.error(
                MessageId::CREATEGRAPHICSPIPELINESTATE_PS_OUTPUT_TYPE_MISMATCH,
                text,
            );
        } else if component_type(format) != ComponentType::FLOAT32
            && blend_of(state, target).BlendEnable != 0
        {
            let text =
                format!("render target {target} is {format:?}, but integers are not blended");
            let id =
                MessageId::CREATEGRAPHICSPIPELINESTATE_OM_RENDER_TARGET_DOES_NOT_SUPPORT_BLENDING;
            messages.error(id, text);
        }
    }
}

fn blend_of<'a>(state: &GraphicsState<'a>, target: usize) -> &'a D3D12DDI_RENDER_TARGET_BLEND_DESC {
    let independent = state.blend.IndependentBlendEnable != 0;
    &state.blend.RenderTarget[if independent { target } else { 0 }]
}

/// The component type that a shader must write to a render target of a format.
fn component_type(format: DXGI_FORMAT) -> ComponentType {
    #[allow(clippy::wildcard_imports, reason = "a table of formats")]
    use ddi_sys::*;
    match format {
        DXGI_FORMAT_R32G32B32A32_UINT
        | DXGI_FORMAT_R32G32B32_UINT
        | DXGI_FORMAT_R16G16B16A16_UINT
        | DXGI_FORMAT_R32G32_UINT
        | DXGI_FORMAT_R10G10B10A2_UINT
        | DXGI_FORMAT_R8G8B8A8_UINT
        | DXGI_FORMAT_R16G16_UINT
        | DXGI_FORMAT_R32_UINT
        | DXGI_FORMAT_R8G8_UINT
        | DXGI_FORMAT_R16_UINT
        | DXGI_FORMAT_R8_UINT => ComponentType::UINT32,
        DXGI_FORMAT_R32G32B32A32_SINT
        | DXGI_FORMAT_R32G32B32_SINT
        | DXGI_FORMAT_R16G16B16A16_SINT
        | DXGI_FORMAT_R32G32_SINT
        | DXGI_FORMAT_R8G8B8A8_SINT
        | DXGI_FORMAT_R16G16_SINT
        | DXGI_FORMAT_R32_SINT
        | DXGI_FORMAT_R8G8_SINT
        | DXGI_FORMAT_R16_SINT
        | DXGI_FORMAT_R8_SINT => ComponentType::SINT32,
        _ => ComponentType::FLOAT32,
    }
}

/// The 32-bit type for a 16-bit one.
fn widened(component: ComponentType) -> ComponentType {
    match component {
        ComponentType::UINT16 => ComponentType::UINT32,
        ComponentType::SINT16 => ComponentType::SINT32,
        ComponentType::FLOAT16 => ComponentType::FLOAT32,
        other => other,
    }
}

fn check_dual_source(state: &GraphicsState<'_>, messages: &mut Messages) {
    let second = [
        D3D12DDI_BLEND_SRC1_COLOR,
        D3D12DDI_BLEND_INV_SRC1_COLOR,
        D3D12DDI_BLEND_SRC1_ALPHA,
        D3D12DDI_BLEND_INV_SRC1_ALPHA,
    ];
    let is_dual = |target: &D3D12DDI_RENDER_TARGET_BLEND_DESC| {
        let factors = [
            target.SrcBlend,
            target.DestBlend,
            target.SrcBlendAlpha,
            target.DestBlendAlpha,
        ];
        target.BlendEnable != 0 && factors.iter().any(|factor| second.contains(factor))
    };
    if !(0..TARGETS).any(|target| is_dual(blend_of(state, target))) {
        return;
    }
    let independent = state.blend.IndependentBlendEnable != 0;
    let mut others = state.blend.RenderTarget[1..].iter();
    let blends_more = independent && others.any(|target| target.BlendEnable != 0);
    // The second source is an output of the pixel shader too, which then has no target.
    let outputs = state
        .shaders
        .get(Stage::Pixel)
        .and_then(|shader| shader.output);
    let mut outputs = outputs.iter().flat_map(Signature::elements);
    let has_target = |index: u32| {
        state.render_targets.is_some_and(|targets| {
            index < targets.NumRenderTargets
                && targets.RTFormats.get(index as usize) != Some(&DXGI_FORMAT_UNKNOWN.0)
        })
    };
    let writes_more = outputs.any(|output| {
        let index = output.semantic_index();
        output.system_value() == SystemValue::TARGET && index > 0 && has_target(index)
    });
    if blends_more || writes_more {
        let id =
            MessageId::CREATEGRAPHICSPIPELINESTATE_OM_DUAL_SOURCE_BLENDING_CAN_ONLY_HAVE_RENDER_TARGET_0;
        let text = "blending with a second source has render target 0 alone";
        messages.error(id, text);
    }
}

fn check_position(state: &GraphicsState<'_>, messages: &mut Messages) {
    let rasterizes = state.shaders.has(Stage::Pixel)
        || state.depth_stencil.DepthEnable != 0
        || state.depth_stencil.StencilEnable != 0;
    let stream = match state.stream_output.map(|streams| streams.rasterized_stream) {
        Some(api_sys::D3D12_SO_NO_RASTERIZED_STREAM) => return,
        Some(stream) => stream,
        None => 0,
    };
    let Some(last) = state.shaders.last_before_rasterizer() else {
        return;
    };
    // A geometry shader may rasterize nothing, and do its work through UAVs.
    let is_empty = |output: Signature<'_>| output.elements().len() == 0;
    if last.stage == Stage::Geometry && last.output.is_some_and(is_empty) {
        return;
    }
    let mut outputs = last.output.iter().flat_map(Signature::elements);
    let is_position = |output: dxil::SignatureElement<'_>| {
        output.system_value() == SystemValue::POSITION && output.stream() == stream
    };
    if rasterizes && last.output.is_some() && !outputs.any(is_position) {
        let text = format!(
            "{} is rasterized, but does not put out SV_Position",
            last.stage
        );
        messages.error(
            MessageId::CREATEGRAPHICSPIPELINESTATE_POSITION_NOT_PRESENT,
            text,
        );
    }
}
