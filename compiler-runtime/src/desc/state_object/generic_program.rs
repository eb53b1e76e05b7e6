//! Finds the shaders and the state of a generic program, and checks that they go together (WorkGraphs.md, "Generic programs").

use std::sync::Arc;

use api_desc::{FixedFunction, StreamOutput};
use api_sys::{
    D3D12_PIPELINE_STATE_FLAG_DISABLE_CACHED_BLOB, D3D12_PIPELINE_STATE_FLAG_TOOL_DEBUG,
    D3D12_RT_FORMAT_ARRAY,
};
use bytemuck::Zeroable;
use ddi_sys::{
    D3D12DDI_BLEND_DESC_0010, D3D12DDI_DEPTH_STENCIL_DESC_0095,
    D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE, D3D12DDI_PIPELINE_STATE_FLAG_DYNAMIC_DEPTH_BIAS,
    D3D12DDI_PIPELINE_STATE_FLAG_DYNAMIC_INDEX_BUFFER_STRIP_CUT, D3D12DDI_PIPELINE_STATE_FLAGS,
    D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_UNDEFINED,
    D3D12DDI_RASTERIZER_DESC_0102, D3D12DDI_VIEW_INSTANCING_DESC, DXGI_FORMAT, DXGI_FORMAT_UNKNOWN,
    DXGI_SAMPLE_DESC, UINT,
};
use dxil::ShaderKind;

use super::function::Function;
use crate::desc::Invalid;
use crate::desc::arena::Arena;
use crate::desc::fixed_function::{self, VertexElement};
use crate::desc::root_signature::{self, Scope};
use crate::desc::shader::{Shader, Shaders, Stage};
use crate::desc::target::Capabilities;
use crate::desc::validate::{self, GraphicsState, PipelineKind};
use crate::message::Messages;

/// An export that a program names.
pub(super) struct Named<'a> {
    pub(super) name: &'a str,
    pub(super) function: &'a Arc<Function>,
    /// Its associated root signatures.
    pub(super) global: Option<&'a [u8]>,
    pub(super) local: Option<&'a [u8]>,
}

/// The shaders of a program, which form a pipeline.
pub(super) struct Program<'a> {
    pub(super) shaders: Shaders<'a>,
    kind: PipelineKind,
    /// `None` if the shaders have a local root signature too, which the checks of pipelines do not know.
    root_signature: Option<&'a [u8]>,
}

fn refuse<T>(text: String) -> Result<T, Invalid> {
    Err(Invalid::other(text))
}

impl<'a> Program<'a> {
    pub(super) fn new(exports: &[Named<'a>]) -> Result<Self, Invalid> {
        let mut shaders = Shaders::default();
        for export in exports {
            let Named { name, function, .. } = export;
            let Some(container) = &function.container else {
                return refuse(format!(
                    "export {name} is of a library; generic programs take shaders that were compiled for \
                     their stage, such as vs_6_0"
                ));
            };
            let stage = Stage::of(function.kind).filter(|stage| *stage != Stage::Compute);
            let Some(stage) = stage else {
                return refuse(format!(
                    "export {name} is a {} shader, which generic programs do not have",
                    function.kind
                ));
            };
            if shaders.has(stage) {
                return refuse(format!(
                    "export {name} is a second {} shader",
                    function.kind
                ));
            }
            let shader = Shader::new(stage, container);
            shaders.insert(shader.map_err(|error| error.at(format_args!("export {name}")))?);
        }
        if !shaders.has(Stage::Vertex) && !shaders.has(Stage::Mesh) {
            return refuse(format!(
                "there is neither a {} nor a {} shader among the exports",
                ShaderKind::Vertex,
                ShaderKind::Mesh
            ));
        }
        let kind = validate::pipeline_kind(&shaders)?;
        let global = same("global", exports, |export| export.global)?;
        let local = same("local", exports, |export| export.local)?;
        Ok(Self {
            shaders,
            kind,
            root_signature: global.filter(|_| local.is_none()),
        })
    }

    /// Checks the program with its state.
    pub(super) fn check(
        &self,
        state: &ProgramState<'_>,
        target: Option<&Capabilities>,
        messages: &mut Messages,
    ) -> Result<(), Invalid> {
        let read = |bytes| root_signature::read(bytes, Scope::Global);
        let root_signature = self.root_signature.map(read).transpose()?;
        let first = messages.as_slice().len();
        let is_mesh = self.kind == PipelineKind::Mesh;
        let topology = state
            .topology
            .unwrap_or(D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_UNDEFINED);
        if !is_mesh && topology == D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_UNDEFINED {
            return refuse(
                "a program with a vertex shader needs a PRIMITIVE_TOPOLOGY subobject".to_owned(),
            );
        }
        let (render_targets, depth_stencil_format) = validate::usable_formats(
            Some(state.render_targets),
            Some(state.depth_stencil_format),
            target,
            messages,
        );
        let state = GraphicsState {
            shaders: &self.shaders,
            root_signature: root_signature.as_ref(),
            blend: &state.blend,
            sample_mask: state.sample_mask,
            rasterizer: &state.rasterizer,
            depth_stencil: &state.depth_stencil,
            input_layout: (!is_mesh).then_some(&state.input_layout[..]),
            stream_output: state.stream_output,
            strip_cut: state.strip_cut,
            topology: state.topology,
            render_targets: render_targets.as_ref(),
            depth_stencil_format,
            sample_desc: state.sample_desc,
            view_instancing: state.view_instancing,
            target,
        };
        validate::graphics(&state, messages);
        messages.check_from(first)
    }
}

/// The root signature that all exports share that have one.
fn same<'a>(
    which: &str,
    exports: &[Named<'a>],
    of: impl Fn(&Named<'a>) -> Option<&'a [u8]>,
) -> Result<Option<&'a [u8]>, Invalid> {
    let mut found: Option<(&str, &[u8])> = None;
    for export in exports {
        match (of(export), found) {
            (Some(content), None) => found = Some((export.name, content)),
            (Some(content), Some((first, other))) if content != other => {
                return refuse(format!(
                    "exports {first} and {} have different {which} root signatures",
                    export.name
                ));
            }
            _ => {}
        }
    }
    Ok(found.map(|(_, content)| content))
}

/// The state of a program: what it lists, and defaults for the rest.
pub(super) struct ProgramState<'a> {
    pub(super) input_layout: Vec<VertexElement<'a>>,
    pub(super) stream_output: Option<&'a StreamOutput>,
    blend: D3D12DDI_BLEND_DESC_0010,
    sample_mask: UINT,
    rasterizer: D3D12DDI_RASTERIZER_DESC_0102,
    depth_stencil: D3D12DDI_DEPTH_STENCIL_DESC_0095,
    strip_cut: D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE,
    topology: Option<D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE>,
    render_targets: D3D12_RT_FORMAT_ARRAY,
    depth_stencil_format: DXGI_FORMAT,
    sample_desc: DXGI_SAMPLE_DESC,
    view_instancing: D3D12DDI_VIEW_INSTANCING_DESC,
}

impl<'a> ProgramState<'a> {
    pub(super) fn new(listed: &'a FixedFunction, arena: &mut Arena) -> Result<Self, Invalid> {
        let stream_output = listed.stream_output.as_ref();
        let stream_output = stream_output
            .map(fixed_function::stream_output)
            .transpose()?;
        let views = listed.view_instancing.as_ref();
        let views = views.map(|views| fixed_function::view_instancing(views, arena));
        Ok(Self {
            input_layout: listed
                .input_layout
                .as_deref()
                .map(fixed_function::vertex_elements)
                .unwrap_or_default(),
            stream_output: stream_output.flatten(),
            blend: listed
                .blend
                .as_ref()
                .map_or_else(fixed_function::default_blend, fixed_function::blend),
            sample_mask: listed.sample_mask.unwrap_or(UINT::MAX),
            rasterizer: listed.rasterizer.map_or_else(
                fixed_function::default_rasterizer,
                fixed_function::rasterizer,
            ),
            depth_stencil: listed.depth_stencil.map_or_else(
                || fixed_function::default_depth_stencil(true),
                fixed_function::depth_stencil,
            ),
            strip_cut: D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE(
                listed.ib_strip_cut_value.unwrap_or(0),
            ),
            topology: listed
                .primitive_topology
                .map(D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE),
            render_targets: listed.render_target_formats.unwrap_or_default(),
            depth_stencil_format: listed
                .depth_stencil_format
                .map_or(DXGI_FORMAT_UNKNOWN, DXGI_FORMAT),
            sample_desc: fixed_function::sample_desc(listed.sample_desc),
            view_instancing: views.transpose()?.unwrap_or_else(Zeroable::zeroed),
        })
    }
}

/// The DDI's pipeline flags.
pub(super) fn pipeline_flags(flags: u32) -> Result<D3D12DDI_PIPELINE_STATE_FLAGS, Invalid> {
    if flags & D3D12_PIPELINE_STATE_FLAG_TOOL_DEBUG != 0 {
        return refuse("TOOL_DEBUG is for WARP devices only".to_owned());
    }
    // The runtime alone decides about the blob.
    let flags = flags & !D3D12_PIPELINE_STATE_FLAG_DISABLE_CACHED_BLOB;
    let known = D3D12DDI_PIPELINE_STATE_FLAG_DYNAMIC_DEPTH_BIAS
        | D3D12DDI_PIPELINE_STATE_FLAG_DYNAMIC_INDEX_BUFFER_STRIP_CUT;
    let translated = D3D12DDI_PIPELINE_STATE_FLAGS(flags.cast_signed());
    if !known.contains(translated) {
        return refuse(format!(
            "flags {:#x} do not exist",
            flags & !known.0.cast_unsigned()
        ));
    }
    Ok(translated)
}
