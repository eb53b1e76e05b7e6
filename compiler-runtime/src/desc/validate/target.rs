//! Checks formats, samples and shader models against the target.

use ddi_sys::{
    DXGI_FORMAT, DXGI_FORMAT_D16_UNORM, DXGI_FORMAT_D24_UNORM_S8_UINT, DXGI_FORMAT_D32_FLOAT,
    DXGI_FORMAT_D32_FLOAT_S8X24_UINT, DXGI_FORMAT_UNKNOWN, DXGI_SAMPLE_DESC, UINT,
};
use dxil::Version;

use super::GraphicsState;
use crate::desc::Invalid;
use crate::desc::shader::Shaders;
use crate::desc::target::Capabilities;
use crate::message::{MessageId, Messages};

/// `D3D12_STANDARD_MULTISAMPLE_PATTERN` and `D3D12_CENTER_MULTISAMPLE_PATTERN`: no quality levels.
const PATTERNS: [UINT; 2] = [0xFFFF_FFFF, 0xFFFF_FFFE];

/// Checks the shader models of a pipeline.
pub fn check_shader_models(shaders: &Shaders<'_>, target: &Capabilities, messages: &mut Messages) {
    for shader in shaders.iter() {
        if let Err(invalid) = check_shader_model(shader.program.shader_model(), target) {
            let (id, stage) = (shader.stage.invalid_bytecode(), shader.stage);
            messages.error(id, format!("{stage}: {}", invalid.text));
        }
    }
}

/// Checks the shader model of a program.
///
/// # Errors
///
/// It is above the target's highest.
pub fn check_shader_model(model: Version, target: &Capabilities) -> Result<(), Invalid> {
    match target.shader_model() {
        Some(highest) if highest < model => Err(Invalid::other(format!(
            "the program is of shader model {model}, the adapter family has {highest} at most"
        ))),
        _ => Ok(()),
    }
}

pub(super) fn check(state: &GraphicsState<'_>, target: &Capabilities, messages: &mut Messages) {
    check_shader_models(state.shaders, target, messages);
    for (index, element) in state.input_layout.into_iter().flatten().enumerate() {
        let format = DXGI_FORMAT(element.desc.format);
        // Other counts are refused already.
        if element.format.is_some() && !target.fetches(format) {
            let name = element.name().escape_ascii();
            let text = format!(
                "input element {index} ({name}{}): the adapter family has no vertex buffers of \
                 {format:?}",
                element.desc.semantic_index
            );
            messages.error(MessageId::CREATEINPUTLAYOUT_INVALIDFORMAT, text);
        }
    }

    let targets = state.render_targets.into_iter();
    let targets = targets.flat_map(|targets| {
        let count = targets.NumRenderTargets as usize;
        targets.RTFormats.iter().take(count)
    });
    let targets = targets.map(|&format| DXGI_FORMAT(format)).enumerate();
    let targets = targets.filter(|(_, format)| *format != DXGI_FORMAT_UNKNOWN);
    for (index, format) in targets {
        if target.renders_to(format) {
            check_samples(state, target, format, messages);
        } else {
            let text = format!(
                "render target {index} is {format:?}, which the adapter family cannot render to"
            );
            messages.error(MessageId::CREATERENDERTARGETVIEW_UNSUPPORTEDFORMAT, text);
        }
    }
    match state.depth_stencil_format {
        None | Some(DXGI_FORMAT_UNKNOWN) => {}
        Some(
            format @ (DXGI_FORMAT_D16_UNORM
            | DXGI_FORMAT_D24_UNORM_S8_UINT
            | DXGI_FORMAT_D32_FLOAT
            | DXGI_FORMAT_D32_FLOAT_S8X24_UINT),
        ) => check_samples(state, target, format, messages),
        Some(format) => {
            let text = format!(
                "the depth-stencil format is {format:?}, which is none: D16_UNORM, \
                 D24_UNORM_S8_UINT, D32_FLOAT, D32_FLOAT_S8X24_UINT and UNKNOWN are"
            );
            messages.error(MessageId::CREATEDEPTHSTENCILVIEW_INVALIDFORMAT, text);
        }
    }
}

fn check_samples(
    state: &GraphicsState<'_>,
    target: &Capabilities,
    format: DXGI_FORMAT,
    messages: &mut Messages,
) {
    let DXGI_SAMPLE_DESC { Count, Quality } = state.sample_desc;
    let level = if PATTERNS.contains(&Quality) {
        0
    } else {
        Quality
    };
    // A single sample needs no check against the target.
    if Count > 1 && !target.has_samples(format, Count, level) {
        let text = format!(
            "SampleDesc of {Count} samples at quality {Quality}: the adapter family has none such \
             of {format:?}"
        );
        let id = MessageId::CREATEGRAPHICSPIPELINESTATE_INVALID_SAMPLE_DESC;
        messages.error(id, text);
    }
}
