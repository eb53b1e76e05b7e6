//! Checks formats, samples and shader models against the target.

use api_sys::D3D12_RT_FORMAT_ARRAY;
use ddi_sys::{DXGI_FORMAT, DXGI_FORMAT_UNKNOWN, DXGI_SAMPLE_DESC, UINT};
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

    let targets = state.render_targets.map(used).into_iter().flatten();
    let formats = targets.map(|&format| DXGI_FORMAT(format));
    for format in formats.chain(state.depth_stencil_format) {
        if format != DXGI_FORMAT_UNKNOWN {
            check_samples(state, target, format, messages);
        }
    }
}

/// The formats of the render targets, UNKNOWN included; the count is checked elsewhere.
fn used(formats: &D3D12_RT_FORMAT_ARRAY) -> impl Iterator<Item = &i32> {
    let count = formats.NumRenderTargets as usize;
    formats.RTFormats.iter().take(count)
}

/// The formats of a pipeline with UNKNOWN for those that the target cannot use, which the D3D12 runtime takes as if there were no
/// view.
pub fn usable_formats(
    render_targets: Option<D3D12_RT_FORMAT_ARRAY>,
    depth_stencil: Option<DXGI_FORMAT>,
    target: Option<&Capabilities>,
    messages: &mut Messages,
) -> (Option<D3D12_RT_FORMAT_ARRAY>, Option<DXGI_FORMAT>) {
    let Some(target) = target else {
        return (render_targets, depth_stencil);
    };
    let mut judge = |format: DXGI_FORMAT, usable: DXGI_FORMAT, id, place: String| {
        if format == usable {
            return;
        }
        match format.name() {
            None => messages.error(id, format!("{place} is {format:?}, which does not exist")),
            Some(_) => messages.warning(
                id,
                format!("{place} is {format:?}, which cannot be one: it is taken as UNKNOWN"),
            ),
        }
    };
    let render_targets = render_targets.map(|mut formats| {
        let count = formats.NumRenderTargets as usize;
        for (index, format) in formats.RTFormats.iter_mut().take(count).enumerate() {
            let usable = target.usable_render_target(DXGI_FORMAT(*format));
            let id = MessageId::CREATERENDERTARGETVIEW_UNSUPPORTEDFORMAT;
            let place = format!("the format of render target {index}");
            if DXGI_FORMAT(*format) != DXGI_FORMAT_UNKNOWN {
                judge(DXGI_FORMAT(*format), usable, id, place);
            }
            *format = usable.0;
        }
        formats
    });
    let depth_stencil = depth_stencil.map(|format| {
        let usable = Capabilities::usable_depth_stencil(format);
        let id = MessageId::CREATEDEPTHSTENCILVIEW_INVALIDFORMAT;
        judge(
            format,
            usable,
            id,
            "the format of the depth-stencil buffer".into(),
        );
        usable
    });
    (render_targets, depth_stencil)
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
