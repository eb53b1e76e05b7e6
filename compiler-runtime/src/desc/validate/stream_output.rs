//! Checks the stream output by itself, and against the outputs of the shader that feeds it.

use std::collections::HashSet;

use api_desc::{StreamOutput, StreamOutputEntry};
use dxil::{RootSignatureFlags, Signature};

use super::GraphicsState;
use crate::desc::fixed_function::takes;
use crate::desc::shader::Stage;
use crate::message::{MessageId, Messages};

/// `D3D12_SO_STREAM_COUNT`, `D3D12_SO_BUFFER_SLOT_COUNT`, `D3D12_SO_BUFFER_MAX_STRIDE_IN_BYTES`.
const STREAMS: u32 = 4;
const SLOTS: usize = 4;
const LARGEST_STRIDE: u32 = 2048;

pub(super) fn check(state: &GraphicsState<'_>, messages: &mut Messages) {
    let (Some(stream_output), false) = (state.stream_output, state.shaders.has(Stage::Mesh)) else {
        return;
    };
    let allowed = RootSignatureFlags::ALLOW_STREAM_OUTPUT;
    if state
        .root_signature
        .is_some_and(|root| !root.flags().contains(allowed))
    {
        let id = MessageId::CREATEGRAPHICSPIPELINESTATE_MISSING_ROOT_SIGNATURE_FLAGS;
        let text = "there is stream output, but the root signature lacks ALLOW_STREAM_OUTPUT";
        messages.error(id, text);
    }
    check_strides(stream_output, messages);
    let last = state.shaders.last_before_rasterizer();
    let output = last.and_then(|shader| shader.output);
    let mut taken = HashSet::new();
    for (index, entry) in stream_output.entries.iter().enumerate() {
        check_entry(
            index,
            entry,
            stream_output,
            output.as_ref(),
            &mut taken,
            messages,
        );
    }
    if stream_output
        .entries
        .iter()
        .all(|entry| entry.semantic_name.is_none())
    {
        let id = MessageId::CREATEGEOMETRYSHADERWITHSTREAMOUTPUT_CANTHAVEONLYGAPS;
        messages.error(id, "stream output has gaps only");
    }
    let rasterized = stream_output.rasterized_stream;
    if rasterized >= STREAMS && rasterized != api_sys::D3D12_SO_NO_RASTERIZED_STREAM {
        let id = MessageId::CREATEGEOMETRYSHADERWITHSTREAMOUTPUT_INVALIDSTREAMTORASTERIZER;
        messages.error(
            id,
            format!("RasterizedStream {rasterized}, streams are 0 to 3"),
        );
    }
}

fn check_strides(stream_output: &StreamOutput, messages: &mut Messages) {
    let strides = &stream_output.strides;
    if strides.len() > SLOTS {
        let id = MessageId::CREATEGEOMETRYSHADERWITHSTREAMOUTPUT_INVALIDNUMSTRIDES;
        messages.error(
            id,
            format!("{} strides, there are 4 buffers", strides.len()),
        );
    }
    let wrong = |stride: u32| !stride.is_multiple_of(4) || stride > LARGEST_STRIDE;
    if let Some(stride) = strides.iter().copied().find(|&stride| wrong(stride)) {
        let id = MessageId::CREATEGEOMETRYSHADERWITHSTREAMOUTPUT_INVALIDOUTPUTSTREAMSTRIDE;
        let text = format!("a stride of {stride} bytes: it has to be a multiple of 4 up to 2048");
        messages.error(id, text);
    }
}

fn check_entry(
    index: usize,
    entry: &StreamOutputEntry,
    stream_output: &StreamOutput,
    output: Option<&Signature<'_>>,
    taken: &mut HashSet<(u32, Vec<u8>, u32, u8)>,
    messages: &mut Messages,
) {
    use MessageId as Id;
    let mut wrong = |id, what: String| {
        messages.error(id, format!("stream output entry {index}: {what}"));
    };
    if entry.stream >= STREAMS {
        let what = format!("Stream {}, streams are 0 to 3", entry.stream);
        wrong(Id::CREATEGEOMETRYSHADERWITHSTREAMOUTPUT_INVALIDSTREAM, what);
    }
    let slot = usize::from(entry.output_slot);
    if slot >= SLOTS || (!stream_output.strides.is_empty() && slot >= stream_output.strides.len()) {
        let what = format!("OutputSlot {slot} has no buffer");
        wrong(
            Id::CREATEGEOMETRYSHADERWITHSTREAMOUTPUT_INVALIDOUTPUTSLOT,
            what,
        );
    }
    let (start, count) = (entry.start_component, entry.component_count);
    let Some(name) = entry.semantic_name.as_deref().map(str::as_bytes) else {
        if start != 0 || entry.semantic_index != 0 || count == 0 {
            let what = "a gap has SemanticIndex 0, StartComponent 0 and at least 1 component";
            let id = Id::CREATEGEOMETRYSHADERWITHSTREAMOUTPUT_INVALIDGAPDEFINITION;
            wrong(id, what.into());
        }
        return;
    };
    if name.last().is_some_and(u8::is_ascii_digit) {
        let what = "SemanticName ends with a digit, which belongs into SemanticIndex";
        let id = Id::CREATEGEOMETRYSHADERWITHSTREAMOUTPUT_TRAILING_DIGIT_IN_SEMANTIC;
        wrong(id, what.into());
    }
    if !(1..=4).contains(&count) {
        let what = format!("{count} components, 1 to 4 are possible");
        wrong(
            Id::CREATEGEOMETRYSHADERWITHSTREAMOUTPUT_INVALIDCOMPONENTCOUNT,
            what,
        );
        return;
    }
    if u32::from(start) + u32::from(count) > 4 {
        let what = format!("{count} components from {start} on are more than a register has");
        let id = Id::CREATEGEOMETRYSHADERWITHSTREAMOUTPUT_INVALIDSTARTCOMPONENTANDCOMPONENTCOUNT;
        wrong(id, what);
        return;
    }
    let semantic = format!("{}{}", name.escape_ascii(), entry.semantic_index);
    let found = output.and_then(|output| output.elements().find(|e| takes(entry, e)));
    match found {
        None => {
            let what = format!("no shader puts out {semantic} in stream {}", entry.stream);
            wrong(
                Id::CREATEGEOMETRYSHADERWITHSTREAMOUTPUT_MISSINGSEMANTIC,
                what,
            );
        }
        Some(element) if u32::from(start) + u32::from(count) > element.mask().count_ones() => {
            let what = format!("{semantic} has {} components", element.mask().count_ones());
            wrong(Id::CREATEGEOMETRYSHADERWITHSTREAMOUTPUT_MASKMISMATCH, what);
        }
        Some(_) => {}
    }
    let lower = name.to_ascii_lowercase();
    for component in start..start + count {
        let key = (entry.stream, lower.clone(), entry.semantic_index, component);
        if !taken.insert(key) {
            let what = format!("component {component} of {semantic} is put out twice");
            wrong(
                Id::CREATEGEOMETRYSHADERWITHSTREAMOUTPUT_REPEATEDOUTPUT,
                what,
            );
            break;
        }
    }
}
