//! The checks that the D3D12 runtime makes before it calls a driver, as far as they need no device. Where the runtime would ask
//! a device, this asks the plugin.
//!
//! docs/runtime-validation.md lists every rule with its message, and what this does not validate. It reports all faults, not
//! only the first. An [error](Messages::error) makes the call fail.

mod bindings;
mod fixed_function;
mod input_layout;
mod linkage;
mod output_merger;
mod stages;
mod stream_output;
mod target;

use api_desc::StreamOutput;
use api_sys::D3D12_RT_FORMAT_ARRAY;
use ddi_sys::{
    D3D12DDI_BLEND_DESC_0010, D3D12DDI_DEPTH_STENCIL_DESC_0095,
    D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE,
    D3D12DDI_RASTERIZER_DESC_0102, D3D12DDI_VIEW_INSTANCING_DESC, DXGI_FORMAT, DXGI_SAMPLE_DESC,
    UINT,
};
use dxil::{RootSignature, SignatureElement};

use super::fixed_function::VertexElement;
use super::shader::Shaders;
use super::target::Capabilities;
use crate::message::Messages;

pub use bindings::check as check_bindings;
pub(crate) use stages::implied_topology;
pub use stages::{PipelineKind, pipeline_kind};
pub use target::{check_shader_model, check_shader_models, usable_formats};

/// The shaders and the state of a graphics pipeline or a generic program.
#[derive(Clone, Copy)]
#[allow(
    missing_docs,
    reason = "named as in D3D12DDIARG_CREATE_PIPELINE_STATE_0099"
)]
pub struct GraphicsState<'a> {
    pub shaders: &'a Shaders<'a>,
    pub root_signature: Option<&'a RootSignature<'a>>,
    pub blend: &'a D3D12DDI_BLEND_DESC_0010,
    pub sample_mask: UINT,
    pub rasterizer: &'a D3D12DDI_RASTERIZER_DESC_0102,
    pub depth_stencil: &'a D3D12DDI_DEPTH_STENCIL_DESC_0095,
    /// `None` if the description does not say; then this does not check what a shader needs of it.
    pub input_layout: Option<&'a [VertexElement<'a>]>,
    pub stream_output: Option<&'a StreamOutput>,
    pub strip_cut: D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE,
    /// As `input_layout`.
    pub topology: Option<D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE>,
    /// As `input_layout`.
    pub render_targets: Option<&'a D3D12_RT_FORMAT_ARRAY>,
    /// As `input_layout`.
    pub depth_stencil_format: Option<DXGI_FORMAT>,
    pub sample_desc: DXGI_SAMPLE_DESC,
    pub view_instancing: D3D12DDI_VIEW_INSTANCING_DESC,
    /// The target; without one, this skips the checks that depend on it.
    pub target: Option<&'a Capabilities>,
}

/// Checks a graphics pipeline whose [`pipeline_kind`] is known.
pub fn graphics(state: &GraphicsState<'_>, messages: &mut Messages) {
    stages::check(state, messages);
    linkage::check(state, messages);
    if let Some(root_signature) = state.root_signature {
        bindings::check(state.shaders, root_signature, messages);
    }
    input_layout::check(state, messages);
    stream_output::check(state, messages);
    fixed_function::check(state, messages);
    output_merger::check(state, messages);
    if let Some(target) = state.target {
        target::check(state, target, messages);
    }
}

/// The name and index of an element of a signature, as HLSL writes them.
fn semantic(element: &SignatureElement<'_>) -> String {
    format!(
        "{}{}",
        element.name().escape_ascii(),
        element.semantic_index()
    )
}
