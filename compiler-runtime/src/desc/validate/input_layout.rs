//! Checks the input layout by itself, and against the vertex shader's inputs.

use ddi_sys::{
    D3D12DDI_INPUT_CLASSIFICATION, D3D12DDI_INPUT_CLASSIFICIATION_PER_INSTANCE_DATA,
    D3D12DDI_INPUT_CLASSIFICIATION_PER_VERTEX_DATA,
};
use dxil::{RootSignatureFlags, SystemValue};

use super::{GraphicsState, semantic};
use crate::desc::fixed_function::VertexElement;
use crate::desc::shader::Stage;
use crate::message::{MessageId, Messages};

/// The most elements of a layout (`D3D12_IA_VERTEX_INPUT_STRUCTURE_ELEMENT_COUNT`), and the number of input slots.
const MOST_ELEMENTS: usize = 32;
const SLOTS: u32 = 32;

/// The largest end of an element (`D3D12_REQ_MULTI_ELEMENT_STRUCTURE_SIZE_IN_BYTES`).
const LARGEST_VERTEX: u32 = 2048;

pub(super) fn check(state: &GraphicsState<'_>, messages: &mut Messages) {
    let Some(vertex_shader) = state.shaders.get(Stage::Vertex) else {
        return;
    };
    let inputs = vertex_shader
        .input
        .iter()
        .flat_map(dxil::Signature::elements);
    // The input assembler generates these.
    let generated = [SystemValue::VERTEX_ID, SystemValue::INSTANCE_ID];
    let mut inputs = inputs.filter(|input| !generated.contains(&input.system_value()));
    let Some(elements) = state.input_layout else {
        if let Some(input) = inputs.next() {
            let text = format!(
                "VS takes {}, but no input layout is given: it is compiled without one",
                semantic(&input)
            );
            let id = MessageId::CREATEGRAPHICSPIPELINESTATE_INPUTLAYOUT_NOT_SET;
            messages.warning(id, text);
        }
        return;
    };
    check_elements(elements, messages);
    for input in inputs {
        let Some(element) = elements.iter().find(|element| element.feeds(&input)) else {
            let text = format!(
                "VS takes {}, which the input layout lacks",
                semantic(&input)
            );
            messages.error(MessageId::CREATEINPUTLAYOUT_MISSINGELEMENT, text);
            continue;
        };
        if element
            .format
            .is_some_and(|(_, given)| given != input.component_type())
        {
            let text = format!(
                "VS takes {} as {:?}, its format in the input layout is another type",
                semantic(&input),
                input.component_type()
            );
            messages.warning(MessageId::CREATEINPUTLAYOUT_TYPE_MISMATCH, text);
        }
    }
    let allowed = RootSignatureFlags::ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT;
    if !elements.is_empty()
        && state
            .root_signature
            .is_some_and(|root| !root.flags().contains(allowed))
    {
        let text = "there is an input layout, but the root signature lacks \
                    ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT";
        let id = MessageId::CREATEGRAPHICSPIPELINESTATE_MISSING_ROOT_SIGNATURE_FLAGS;
        messages.error(id, text);
    }
}

fn check_elements(elements: &[VertexElement<'_>], messages: &mut Messages) {
    if elements.len() > MOST_ELEMENTS {
        let text = format!(
            "an input layout of {} elements, 32 is the limit",
            elements.len()
        );
        messages.error(MessageId::CREATEINPUTLAYOUT_TOOMANYELEMENTS, text);
        return;
    }
    for (index, element) in elements.iter().enumerate() {
        let mut wrong = |id, what: String| {
            let name = element.name().escape_ascii();
            let number = element.desc.semantic_index;
            messages.error(
                id,
                format!("input element {index} ({name}{number}): {what}"),
            );
        };
        let desc = element.desc;
        if element.name().is_empty() {
            wrong(
                MessageId::CREATEINPUTLAYOUT_NULLSEMANTIC,
                "SemanticName is empty".into(),
            );
        }
        if element.name().last().is_some_and(u8::is_ascii_digit) {
            wrong(
                MessageId::CREATEINPUTLAYOUT_TRAILING_DIGIT_IN_SEMANTIC,
                "SemanticName ends with a digit, which belongs into SemanticIndex".into(),
            );
        }
        if desc.input_slot >= SLOTS {
            let what = format!("InputSlot {}, slots are 0 to 31", desc.input_slot);
            wrong(MessageId::CREATEINPUTLAYOUT_INVALIDSLOT, what);
        }
        let class = D3D12DDI_INPUT_CLASSIFICATION(desc.input_slot_class);
        match class {
            D3D12DDI_INPUT_CLASSIFICIATION_PER_VERTEX_DATA if desc.instance_data_step_rate != 0 => {
                let rate = desc.instance_data_step_rate;
                let what = format!("InstanceDataStepRate {rate} of data for each vertex");
                wrong(MessageId::CREATEINPUTLAYOUT_STEPRATESLOTCLASSMISMATCH, what);
            }
            D3D12DDI_INPUT_CLASSIFICIATION_PER_VERTEX_DATA
            | D3D12DDI_INPUT_CLASSIFICIATION_PER_INSTANCE_DATA => {}
            unknown => {
                let what = format!("InputSlotClass {} does not exist", unknown.0);
                wrong(MessageId::CREATEINPUTLAYOUT_INVALIDINPUTSLOTCLASS, what);
            }
        }
        match element.format {
            None => {
                let format = desc.format;
                let what = format!("DXGI_FORMAT {format} is no format of a vertex buffer");
                wrong(MessageId::CREATEINPUTLAYOUT_INVALIDFORMAT, what);
            }
            Some((size, _)) => {
                let offset = element.offset;
                let end = offset
                    .checked_add(size)
                    .filter(|&end| end <= LARGEST_VERTEX);
                if !offset.is_multiple_of(size.clamp(1, 4)) || end.is_none() {
                    let what = format!(
                        "AlignedByteOffset {offset} for {size} bytes: it has to be a multiple of {}, \
                         and the vertex at most {LARGEST_VERTEX} bytes",
                        size.clamp(1, 4)
                    );
                    wrong(MessageId::CREATEINPUTLAYOUT_INVALIDALIGNMENT, what);
                }
            }
        }
        for (other_index, other) in elements[..index].iter().enumerate() {
            if other.name().eq_ignore_ascii_case(element.name())
                && other.desc.semantic_index == desc.semantic_index
            {
                let what = format!("the semantic is that of element {other_index} too");
                wrong(MessageId::CREATEINPUTLAYOUT_DUPLICATESEMANTIC, what);
            }
        }
        let same_slot = |other: &&VertexElement<'_>| other.desc.input_slot == desc.input_slot;
        if let Some(other) = elements[..index].iter().rfind(same_slot) {
            if other.desc.input_slot_class != desc.input_slot_class {
                let what = format!("InputSlotClass changes within slot {}", desc.input_slot);
                wrong(MessageId::CREATEINPUTLAYOUT_INVALIDSLOTCLASSCHANGE, what);
            } else if other.desc.instance_data_step_rate != desc.instance_data_step_rate {
                let what = format!(
                    "InstanceDataStepRate changes within slot {}",
                    desc.input_slot
                );
                wrong(MessageId::CREATEINPUTLAYOUT_INVALIDSTEPRATECHANGE, what);
            }
        }
    }
}
