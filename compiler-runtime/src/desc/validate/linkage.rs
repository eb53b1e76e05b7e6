//! Checks that each stage outputs what the next one takes.

use dxil::{Signature, SignatureElement, SystemValue};

use super::{GraphicsState, semantic};
use crate::desc::shader::{Shader, Stage};
use crate::message::{MessageId, Messages};

pub(super) fn check(state: &GraphicsState<'_>, messages: &mut Messages) {
    let shaders = state.shaders;
    // A pixel shader takes the rasterized stream; without one, nothing reaches it.
    let rasterized = state
        .stream_output
        .map_or(0, |streams| streams.rasterized_stream);
    let vertex_path = [
        Stage::Vertex,
        Stage::Hull,
        Stage::Domain,
        Stage::Geometry,
        Stage::Pixel,
    ];
    let mesh_path = [Stage::Mesh, Stage::Pixel];
    let path = if shaders.has(Stage::Mesh) {
        &mesh_path[..]
    } else {
        &vertex_path
    };
    let present: Vec<_> = path
        .iter()
        .filter_map(|stage| shaders.get(*stage))
        .collect();
    for pair in present.windows(2) {
        let (before, after) = (pair[0], pair[1]);
        let stream = if after.stage == Stage::Pixel {
            rasterized
        } else {
            0
        };
        if stream == api_sys::D3D12_SO_NO_RASTERIZED_STREAM {
            break;
        }
        let given = [before.output, before.patch_constant_or_primitive];
        // A mesh shader's two outputs become one input, whose registers the pixel shader assigns.
        let count = if before.stage == Stage::Mesh { 2 } else { 1 };
        link(
            before,
            &given[..count],
            after,
            after.input,
            stream,
            messages,
        );
        if before.stage == Stage::Hull {
            let given = [before.patch_constant_or_primitive];
            link(
                before,
                &given,
                after,
                after.patch_constant_or_primitive,
                0,
                messages,
            );
        }
    }
}

fn link(
    before: &Shader<'_>,
    given: &[Option<Signature<'_>>],
    after: &Shader<'_>,
    taken: Option<Signature<'_>>,
    stream: u32,
    messages: &mut Messages,
) {
    let Some(taken) = taken else {
        return;
    };
    for input in taken.elements() {
        let outputs = || given.iter().flatten().flat_map(Signature::elements);
        let output = outputs().find(|output| {
            output.semantic_index() == input.semantic_index()
                && output.stream() == stream
                && output.name().eq_ignore_ascii_case(input.name())
        });
        match output {
            Some(output) => compare(before.stage, &output, after.stage, &input, messages),
            None if is_generated(before.stage, after.stage, &input) => {}
            None => {
                let text = format!(
                    "{} takes {}, which {} does not put out",
                    after.stage,
                    semantic(&input),
                    before.stage
                );
                let id =
                    MessageId::CREATEGRAPHICSPIPELINESTATE_SHADER_LINKAGE_SEMANTICNAME_NOT_FOUND;
                messages.error(id, text);
            }
        }
    }
}

/// Whether the pipeline itself generates an input that no shader outputs.
fn is_generated(before: Stage, after: Stage, input: &SignatureElement<'_>) -> bool {
    match input.system_value() {
        // After a geometry shader there is a primitive ID only if the shader writes it.
        SystemValue::PRIMITIVE_ID => before != Stage::Geometry,
        SystemValue::IS_FRONT_FACE
        | SystemValue::SAMPLE_INDEX
        | SystemValue::COVERAGE
        | SystemValue::INNER_COVERAGE
        | SystemValue::BARYCENTRICS
        | SystemValue::SHADINGRATE
        // The value is 0 if nothing writes it.
        | SystemValue::RENDER_TARGET_ARRAY_INDEX
        | SystemValue::VIEWPORT_ARRAY_INDEX => after == Stage::Pixel,
        _ => false,
    }
}

fn compare(
    before: Stage,
    output: &SignatureElement<'_>,
    after: Stage,
    input: &SignatureElement<'_>,
    messages: &mut Messages,
) {
    let faults = [
        (
            before != Stage::Mesh && output.register() != input.register(),
            MessageId::CREATEGRAPHICSPIPELINESTATE_SHADER_LINKAGE_REGISTERINDEX,
            "is in another register",
        ),
        (
            input.mask() & !output.mask() != 0 && before != Stage::Mesh,
            MessageId::CREATEGRAPHICSPIPELINESTATE_SHADER_LINKAGE_REGISTERMASK,
            "has components that are not put out",
        ),
        (
            output.component_type() != input.component_type(),
            MessageId::CREATEGRAPHICSPIPELINESTATE_SHADER_LINKAGE_COMPONENTTYPE,
            "has another component type",
        ),
        (
            output.system_value() != input.system_value(),
            MessageId::CREATEGRAPHICSPIPELINESTATE_SHADER_LINKAGE_SYSTEMVALUE,
            "has another system value",
        ),
        (
            output.min_precision() != input.min_precision(),
            MessageId::CREATEGRAPHICSPIPELINESTATE_SHADER_LINKAGE_MINPRECISION,
            "has another minimum precision",
        ),
    ];
    for (is_fault, id, what) in faults {
        if is_fault {
            let name = semantic(input);
            messages.error(id, format!("{after} takes {name} from {before}: it {what}"));
        }
    }
    // For an output these are the components that are never written, for an input those that are always read.
    if before != Stage::Mesh && output.rw_mask() & input.rw_mask() & input.mask() != 0 {
        let id = MessageId::CREATEGRAPHICSPIPELINESTATE_SHADER_LINKAGE_NEVERWRITTEN_ALWAYSREADS;
        let name = semantic(input);
        messages.warning(
            id,
            format!("{after} reads {name}, which {before} never writes"),
        );
    }
}
