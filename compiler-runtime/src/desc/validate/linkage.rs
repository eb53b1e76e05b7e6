//! Checks that each stage outputs what the next one takes.

use dxil::{Signature, SignatureElement, SystemValue};

use super::{GraphicsState, semantic};
use crate::desc::shader::{Shader, Shaders, Stage};
use crate::message::{MessageId, Messages};

/// How the inputs of a stage are matched with the outputs of the stage before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// An input has the register of the output and some of its components. Outputs may be left over.
    Registers,
    /// The two signatures are the same.
    Same,
    /// An input has as many components as the output. Outputs may be left over. Behind a mesh shader, whose two signatures have
    /// registers of their own.
    Names,
}

/// Two signatures that meet.
struct Link<'a> {
    rule: Rule,
    before: Stage,
    /// What the stage before outputs.
    given: Vec<SignatureElement<'a>>,
    after: Stage,
    /// What the stage after takes.
    taken: Vec<SignatureElement<'a>>,
}

pub(super) fn check(state: &GraphicsState<'_>, messages: &mut Messages) {
    let streams = state.stream_output;
    let is_rasterized = streams
        .is_none_or(|streams| streams.rasterized_stream != api_sys::D3D12_SO_NO_RASTERIZED_STREAM);
    for link in links(state.shaders, is_rasterized) {
        check_link(&link, messages);
    }
}

fn links<'a>(shaders: &'a Shaders<'a>, is_rasterized: bool) -> Vec<Link<'a>> {
    let path = [
        Stage::Mesh,
        Stage::Vertex,
        Stage::Hull,
        Stage::Domain,
        Stage::Geometry,
        Stage::Pixel,
    ];
    let shaders = path.iter().filter_map(|stage| shaders.get(*stage));
    let shaders: Vec<_> = shaders
        .filter(|shader| is_rasterized || shader.stage != Stage::Pixel)
        .collect();
    let mut links = Vec::new();
    for pair in shaders.windows(2) {
        let (before, after) = (pair[0], pair[1]);
        let link = |rule, given: &[Option<Signature<'a>>], taken: Option<Signature<'a>>| {
            // The next stage takes stream 0 of a geometry shader, also if another one is rasterized.
            let given = elements(given).filter(|output| output.stream() == 0);
            Link {
                rule,
                before: before.stage,
                given: given.collect(),
                after: after.stage,
                taken: elements(&[taken]).collect(),
            }
        };
        let (vertices, others) = (before.output, before.patch_constant_or_primitive);
        match before.stage {
            Stage::Hull => {
                links.push(link(Rule::Same, &[vertices], after.input));
                if has_patch_constants(after) {
                    let constants = after.patch_constant_or_primitive;
                    links.push(link(Rule::Same, &[others], constants));
                }
            }
            Stage::Mesh => links.push(link(Rule::Names, &[vertices, others], after.input)),
            _ => links.push(link(Rule::Registers, &[vertices], after.input)),
        }
    }
    links
}

/// Whether the patch constants of a domain shader are known. The part is missing if there are none, and if the container has no
/// signatures at all.
fn has_patch_constants(domain: &Shader<'_>) -> bool {
    domain.patch_constant_or_primitive.is_some() || domain.input.is_some()
}

fn elements<'a>(
    signatures: &[Option<Signature<'a>>],
) -> impl Iterator<Item = SignatureElement<'a>> {
    signatures
        .iter()
        .flatten()
        .flat_map(|signature| signature.elements().collect::<Vec<_>>())
}

fn check_link(link: &Link<'_>, messages: &mut Messages) {
    let (before, after) = (link.before, link.after);
    let same = |a: &SignatureElement<'_>, b: &SignatureElement<'_>| {
        a.semantic_index() == b.semantic_index() && a.name().eq_ignore_ascii_case(b.name())
    };
    for input in &link.taken {
        match link.given.iter().find(|output| same(output, input)) {
            Some(output) => compare(link, output, input, messages),
            None if is_generated(before, after, input) => {}
            None => {
                let name = semantic(input);
                let text = format!("{after} takes {name}, which {before} does not put out");
                messages.error(not_found(link.rule), text);
            }
        }
    }
    if link.rule != Rule::Same {
        return;
    }
    for output in &link.given {
        if !link.taken.iter().any(|input| same(output, input)) {
            let name = semantic(output);
            let text = format!(
                "{after} does not take {name}, which {before} puts out: the two have to declare the same"
            );
            messages.error(not_found(link.rule), text);
        }
    }
}

fn not_found(rule: Rule) -> MessageId {
    match rule {
        Rule::Same => {
            MessageId::CREATEGRAPHICSPIPELINESTATE_SHADER_LINKAGE_HS_DS_SIGNATURE_MISMATCH
        }
        _ => MessageId::CREATEGRAPHICSPIPELINESTATE_SHADER_LINKAGE_SEMANTICNAME_NOT_FOUND,
    }
}

/// Whether the pipeline itself generates an input that no shader outputs.
fn is_generated(before: Stage, after: Stage, input: &SignatureElement<'_>) -> bool {
    match input.system_value() {
        // After a geometry or a mesh shader there is a primitive ID only if the shader writes it.
        SystemValue::PRIMITIVE_ID => !matches!(before, Stage::Geometry | Stage::Mesh),
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
    link: &Link<'_>,
    output: &SignatureElement<'_>,
    input: &SignatureElement<'_>,
    messages: &mut Messages,
) {
    let (given, taken) = (output.mask(), input.mask());
    let (wrong_mask, what) = match link.rule {
        Rule::Registers => (taken & !given != 0, "has components that are not put out"),
        Rule::Same => (taken != given, "has other components"),
        Rule::Names => (
            taken.count_ones() != given.count_ones(),
            "has another number of components",
        ),
    };
    let has_registers = link.rule != Rule::Names;
    let faults = [
        (
            has_registers && output.register() != input.register(),
            MessageId::CREATEGRAPHICSPIPELINESTATE_SHADER_LINKAGE_REGISTERINDEX,
            "is in another register",
        ),
        (
            wrong_mask,
            MessageId::CREATEGRAPHICSPIPELINESTATE_SHADER_LINKAGE_REGISTERMASK,
            what,
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
        // For an output these are the components that are never written, for an input those that are always read.
        (
            has_registers && output.rw_mask() & input.rw_mask() & taken != 0,
            MessageId::CREATEGRAPHICSPIPELINESTATE_SHADER_LINKAGE_NEVERWRITTEN_ALWAYSREADS,
            "has components that are read but never written",
        ),
    ];
    let (before, after, name) = (link.before, link.after, semantic(input));
    for (is_fault, id, what) in faults {
        if is_fault {
            messages.error(id, format!("{after} takes {name} from {before}: it {what}"));
        }
    }
}
