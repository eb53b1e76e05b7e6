//! Checks that the shaders go together, and with the topology.

use ddi_sys::{
    D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_LINE,
    D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_PATCH, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_POINT,
    D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_UNDEFINED,
};
use dxil::psv0::StageInfo;

use super::GraphicsState;
use crate::desc::Invalid;
use crate::desc::shader::{Shaders, Stage};
use crate::message::{MessageId, Messages};

/// The kind of pipeline that the shaders form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipelineKind {
    /// A compute shader, and perhaps a pixel shader that has no effect.
    Compute,
    /// A vertex shader, and perhaps others after it.
    Vertex,
    /// A mesh shader, and perhaps an amplification shader before it and a pixel shader after it.
    Mesh,
}

/// The kind of pipeline that the shaders form.
///
/// # Errors
///
/// They form no pipeline.
pub fn pipeline_kind(shaders: &Shaders<'_>) -> Result<PipelineKind, Invalid> {
    let has = |stage| shaders.has(stage);
    let stages = || {
        let all = shaders.iter().map(|shader| shader.stage.abbreviation());
        all.collect::<Vec<_>>().join("+")
    };
    if has(Stage::Compute) {
        // The D3D12 runtime ignores a pixel shader.
        let mut others = shaders.iter().map(|shader| shader.stage);
        if others.any(|stage| !matches!(stage, Stage::Compute | Stage::Pixel)) {
            let text = format!("{}: a compute shader is alone in its pipeline", stages());
            return Err(Invalid::new(
                MessageId::CREATEPIPELINESTATE_CANNOT_DEDUCE_TYPE,
                text,
            ));
        }
        return Ok(PipelineKind::Compute);
    }
    if has(Stage::Mesh) {
        let others = [Stage::Vertex, Stage::Hull, Stage::Domain, Stage::Geometry];
        if others.into_iter().any(has) {
            let text = format!(
                "{}: a mesh shader takes the place of vertex, hull, domain and geometry shaders",
                stages()
            );
            let id = MessageId::CREATEGRAPHICSPIPELINESTATE_MS_PSO_DESC_MISMATCH;
            return Err(Invalid::new(id, text));
        }
        return Ok(PipelineKind::Mesh);
    }
    if has(Stage::Amplification) {
        let text = format!(
            "{}: an amplification shader without a mesh shader",
            stages()
        );
        return Err(Invalid::new(
            MessageId::CREATEPIPELINESTATE_MS_INCOMPLETE_TYPE,
            text,
        ));
    }
    if shaders.iter().next().is_none() {
        let id = MessageId::CREATEPIPELINESTATE_CANNOT_DEDUCE_TYPE;
        return Err(Invalid::new(id, "there is no shader"));
    }
    if !has(Stage::Vertex) {
        let text = format!("{}: there is neither a vertex nor a mesh shader", stages());
        let id = MessageId::CREATEGRAPHICSPIPELINESTATE_VERTEX_SHADER_NOT_SET;
        return Err(Invalid::new(id, text));
    }
    if has(Stage::Hull) != has(Stage::Domain) {
        let text = format!(
            "{}: hull and domain shaders come together or not at all",
            stages()
        );
        let id = MessageId::CREATEGRAPHICSPIPELINESTATE_HS_XOR_DS_MISMATCH;
        return Err(Invalid::new(id, text));
    }
    Ok(PipelineKind::Vertex)
}

/// The `D3D_PRIMITIVE` that a geometry shader takes.
mod primitive {
    pub(super) const POINT: u32 = 1;
    pub(super) const LINE: u32 = 2;
    pub(super) const TRIANGLE: u32 = 3;
    pub(super) const LINE_ADJ: u32 = 6;
    pub(super) const TRIANGLE_ADJ: u32 = 7;
    pub(super) const PATCHES: std::ops::RangeInclusive<u32> = 8..=39;
}

/// The only topology that fits the shaders; `None` if several fit.
pub(crate) fn implied_topology(shaders: &Shaders<'_>) -> Option<D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE> {
    if shaders.has(Stage::Hull) {
        return Some(D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_PATCH);
    }
    let geometry = shaders.get(Stage::Geometry)?;
    let StageInfo::Geometry {
        input_primitive, ..
    } = geometry.psv0?.stage_info?
    else {
        return None;
    };
    topology_of(input_primitive)
}

fn topology_of(input_primitive: u32) -> Option<D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE> {
    Some(match input_primitive {
        primitive::POINT => D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_POINT,
        primitive::LINE | primitive::LINE_ADJ => D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_LINE,
        primitive::TRIANGLE | primitive::TRIANGLE_ADJ => D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
        patch if primitive::PATCHES.contains(&patch) => D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_PATCH,
        _ => return None,
    })
}

pub(super) fn check(state: &GraphicsState<'_>, messages: &mut Messages) {
    check_mesh(state, messages);
    check_tessellation(state, messages);
    check_topology(state, messages);
}

fn stage_info(shaders: &Shaders<'_>, stage: Stage) -> Option<StageInfo> {
    shaders.get(stage)?.psv0?.stage_info
}

fn check_mesh(state: &GraphicsState<'_>, messages: &mut Messages) {
    let shaders = state.shaders;
    if !shaders.has(Stage::Mesh) {
        return;
    }
    let id = MessageId::CREATEGRAPHICSPIPELINESTATE_MS_PSO_DESC_MISMATCH;
    if state.input_layout.is_some_and(|layout| !layout.is_empty()) {
        messages.error(id, "a pipeline with a mesh shader has no input layout");
    }
    if state.stream_output.is_some() {
        messages.error(id, "a pipeline with a mesh shader has no stream output");
    }
    if let (
        Some(StageInfo::Amplification {
            payload_size_in_bytes: sent,
        }),
        Some(StageInfo::Mesh {
            payload_size_in_bytes: taken,
            ..
        }),
    ) = (
        stage_info(shaders, Stage::Amplification),
        stage_info(shaders, Stage::Mesh),
    ) && sent != taken
    {
        let text = format!("AS gives a payload of {sent} bytes, MS takes one of {taken}");
        messages.error(MessageId::CREATEMESHSHADER_MISMATCHEDASMSPAYLOADSIZE, text);
    }
}

fn check_tessellation(state: &GraphicsState<'_>, messages: &mut Messages) {
    let (
        Some(StageInfo::Hull {
            output_control_point_count: given,
            tessellator_domain: hull_domain,
            ..
        }),
        Some(StageInfo::Domain {
            input_control_point_count: taken,
            tessellator_domain: domain,
            ..
        }),
    ) = (
        stage_info(state.shaders, Stage::Hull),
        stage_info(state.shaders, Stage::Domain),
    )
    else {
        return;
    };
    if given != taken {
        let text = format!("HS gives patches of {given} control points, DS takes {taken}");
        let id = MessageId::CREATEGRAPHICSPIPELINESTATE_HS_DS_CONTROL_POINT_COUNT_MISMATCH;
        messages.error(id, text);
    }
    if hull_domain != domain {
        let text = format!("HS is for tessellator domain {hull_domain}, DS for {domain}");
        let id = MessageId::CREATEGRAPHICSPIPELINESTATE_HS_DS_TESSELLATOR_DOMAIN_MISMATCH;
        messages.error(id, text);
    }
}

fn check_topology(state: &GraphicsState<'_>, messages: &mut Messages) {
    let shaders = state.shaders;
    if let (
        Some(StageInfo::Hull {
            tessellator_output_primitive: given,
            ..
        }),
        Some(StageInfo::Geometry {
            input_primitive: taken,
            ..
        }),
    ) = (
        stage_info(shaders, Stage::Hull),
        stage_info(shaders, Stage::Geometry),
    ) {
        // D3D_TESSELLATOR_OUTPUT_PRIMITIVE: 3 and 4 are the two orders of a triangle.
        let made = given.min(primitive::TRIANGLE);
        if made != taken {
            let text = format!("HS makes primitives of type {made}, GS takes {taken}");
            let id = MessageId::CREATEGRAPHICSPIPELINESTATE_GS_INPUT_PRIMITIVE_MISMATCH;
            messages.error(id, text);
        }
    }
    let Some(topology) = state.topology else {
        return;
    };
    let invalid = MessageId::CREATEGRAPHICSPIPELINESTATE_INVALID_PRIMITIVETOPOLOGY;
    if topology.name().is_none() {
        messages.error(
            invalid,
            format!("PrimitiveTopologyType {} does not exist", topology.0),
        );
        return;
    }
    if let Some(StageInfo::Mesh {
        output_topology, ..
    }) = stage_info(shaders, Stage::Mesh)
    {
        let made = match output_topology {
            1 => D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_LINE,
            2 => D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
            _ => return,
        };
        if ![made, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_UNDEFINED].contains(&topology) {
            let text = format!("MS makes {made:?}, but the topology is {topology:?}");
            messages.warning(MessageId::CREATEMESHSHADER_TOPOLOGY_MISMATCH, text);
        }
        return;
    }
    if shaders.has(Stage::Mesh) {
        return;
    }
    if topology == D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_UNDEFINED {
        let text = "PrimitiveTopologyType is UNDEFINED, which is for mesh shaders only";
        messages.error(invalid, text);
        return;
    }
    if shaders.has(Stage::Hull) != (topology == D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_PATCH)
        && (shaders.has(Stage::Hull) || !shaders.has(Stage::Geometry))
    {
        let text = format!(
            "{topology:?} {} a hull shader",
            if shaders.has(Stage::Hull) {
                "with"
            } else {
                "without"
            }
        );
        let id = MessageId::CREATEGRAPHICSPIPELINESTATE_HULL_SHADER_INPUT_TOPOLOGY_MISMATCH;
        messages.error(id, text);
    }
    if !shaders.has(Stage::Hull)
        && let Some(StageInfo::Geometry {
            input_primitive, ..
        }) = stage_info(shaders, Stage::Geometry)
        && topology_of(input_primitive).is_some_and(|taken| taken != topology)
    {
        let text = format!("GS takes primitives of type {input_primitive}, not {topology:?}");
        let id = MessageId::CREATEGRAPHICSPIPELINESTATE_GS_INPUT_PRIMITIVE_MISMATCH;
        messages.error(id, text);
    }
}
