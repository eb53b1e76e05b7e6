//! Signatures of stages that meet.

use api_sys::*;
use compiler_runtime::message::{MessageId, Severity};
use dxil::{Container, ContainerBuilder, FourCc, Signing};
use runtime_test_support::corpus::{Blob, compiled, covering, serialized};
use runtime_test_support::stream::StreamBuilder;

fn record(name: &str) -> i32 {
    match name.split('_').next() {
        Some("vs") => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS,
        Some("hs") => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_HS,
        Some("ds") => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DS,
        Some("gs") => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_GS,
        Some("ps") => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS,
        Some("as") => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_AS,
        Some("ms") => D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MS,
        other => panic!("{other:?}"),
    }
}

/// A pipeline of the shaders with these names; `change` changes the one that it names.
fn pipeline(shaders: &str, change: Option<(&str, &Blob)>) -> StreamBuilder {
    let stream = StreamBuilder::new().root_signature(&serialized(&covering()));
    shaders.split(' ').fold(stream, |stream, name| {
        let unchanged = compiled(&format!("link_{name}"));
        let container = match change {
            Some((changed, container)) if changed == name => container,
            _ => &unchanged,
        };
        stream.shader(record(name), container)
    })
}

/// The numbers of the errors.
fn errors(mut stream: StreamBuilder) -> Vec<i32> {
    let (result, messages) = stream.translate();
    let errors = messages.iter().filter(|it| it.severity == Severity::Error);
    let errors: Vec<_> = errors.map(|it| it.id.0).collect();
    assert_eq!(result.is_err(), !errors.is_empty());
    errors
}

/// What the D3D12 runtime of Windows makes of shaders with these signatures, as `test_shader_io_mismatch` of vkd3d-proton records.
const RECORDED: &[(&str, bool)] = &[
    ("vs ps", true),
    ("vs ps_1", true),
    ("vs ps_2", false),
    ("vs ps_3", false),
    ("vs ps_4", false),
    ("vs ps_5", false),
    ("vs ps_6", false),
    ("vs ps_7", true),
    ("vs ps_8", false),
    ("vs ps_9", true),
    ("vs ps_10", true),
    ("ms ps", true),
    ("ms ps_1", false),
    ("ms ps_2", false),
    ("ms ps_3", true),
    ("ms ps_4", false),
    ("ms ps_5", false),
    ("ms ps_6", false),
    ("ms ps_7", true),
    ("ms ps_8", false),
    ("ms ps_9", false),
    ("ms ps_10", true),
    ("vs hs ds ps", true),
    ("vs hs_1 ds_1 ps", true),
    ("vs hs_1 ds ps", false),
    ("vs hs ds_1 ps", false),
    ("vs hs ds_2 ps", false),
    ("vs hs_1 ds_3 ps", false),
    ("vs hs ds_4 ps", false),
    ("vs hs_1 ds_5 ps", false),
    ("vs hs ds_6 ps", false),
    ("vs hs_2 ds ps", true),
    ("vs hs_3 ds ps", true),
    ("vs hs_4 ds ps", false),
    ("vs hs_5 ds ps", false),
    ("vs hs ds ps_1", true),
    ("vs hs ds ps_2", false),
    ("vs hs ds ps_3", false),
    ("vs hs ds ps_4", false),
    ("vs hs ds ps_5", false),
    ("vs hs ds ps_6", false),
    ("vs hs ds ps_7", true),
    ("vs hs ds ps_8", false),
    ("vs hs ds ps_9", true),
    ("vs hs ds ps_10", true),
    ("vs gs ps", true),
    ("vs gs ps_1", true),
    ("vs gs ps_2", false),
    ("vs gs ps_3", false),
    ("vs gs ps_4", false),
    ("vs gs ps_5", false),
    ("vs gs ps_6", false),
    ("vs gs ps_7", true),
    ("vs gs ps_8", false),
    ("vs gs ps_9", true),
    ("vs gs ps_10", true),
    ("vs gs_1 ps", false),
    ("vs gs_2 ps", false),
    ("vs gs_3 ps", false),
    ("vs gs_4 ps", false),
    ("vs gs_5 ps", true),
    ("vs hs ds gs ps", true),
    ("vs hs ds gs_1 ps", false),
    ("vs hs ds gs_2 ps", false),
    ("vs hs ds gs_3 ps", false),
    ("vs hs ds gs_4 ps", false),
    ("vs hs ds gs_5 ps", true),
    ("vs ps_sv_1", true),
    ("vs ps_sv_2", false),
    ("ms ps_sv_1", true),
    ("ms ps_sv_2", true),
    ("vs ps_sv_3", true),
    ("vs ps_sv_4", true),
    ("vs ps_sv_5", false),
    ("vs ps_sv_6", true),
    ("vs gs_primitive ps_sv_3", true),
    ("vs gs_primitive ps_sv_4", false),
    ("vs gs_primitive ps_sv_5", true),
    ("vs gs_primitive ps_sv_6", false),
    ("ms_primitive ps_sv_3", true),
    ("ms_primitive ps_sv_4", true),
    ("ms_primitive ps_sv_5", true),
    ("ms_primitive ps_sv_6", true),
    ("vs gs ps_sv_3", false),
    ("vs gs ps_sv_4", false),
    ("ms ps_sv_3", false),
    ("ms ps_sv_4", false),
    ("vs_half ps_half", true),
    ("vs_half ps", false),
    ("vs ps_half", false),
    ("ms_half ps_half", true),
    ("ms_half ps", false),
    ("ms ps_half", false),
];

#[test]
fn as_recorded() {
    let wrong: Vec<_> = RECORDED
        .iter()
        .filter(|(shaders, is_linked)| errors(pipeline(shaders, None)).is_empty() != *is_linked)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// As [`RECORDED`], with stream output and a rasterized stream.
#[test]
fn a_pixel_shader_takes_stream_0_whichever_is_rasterized() {
    const NONE: u32 = D3D12_SO_NO_RASTERIZED_STREAM;
    let position = |stream| D3D12_SO_DECLARATION_ENTRY {
        ComponentCount: 4,
        OutputSlot: u8::try_from(stream).unwrap(),
        Stream: stream,
        ..Default::default()
    };
    for (shaders, rasterized, is_linked) in [
        ("vs gs", NONE, true),
        ("vs gs ps", NONE, true),
        ("vs gs ps", 0, true),
        ("vs gs ps_3", NONE, true),
        ("vs gs ps_3", 0, false),
        ("vs gs_streams_1 ps", NONE, true),
        ("vs gs_streams_1 ps", 0, false),
        ("vs gs_streams_1 ps", 1, false),
        ("vs gs_streams_1 ps_3", 0, true),
        ("vs gs_streams_1 ps_3", 1, true),
        ("vs gs_streams_1 ps_stream", 0, false),
        ("vs gs_streams_1 ps_stream", 1, false),
        ("vs gs_streams_2 ps_streams", 0, false),
    ] {
        let stream = pipeline(shaders, None);
        let entries = [(Some("SV_Position"), position(0))];
        let stream = stream.stream_output(&entries, &[64, 64], rasterized);
        let errors = errors(stream);
        assert_eq!(
            errors.is_empty(),
            is_linked,
            "{shaders}, {rasterized}: {errors:?}"
        );
    }
}

/// What else shaders can do to each other.
#[test]
fn more_of_each_kind() {
    for (shaders, expected) in [
        // A domain shader takes all tessellation factors, all patch constants and all control points.
        ("vs hs ds_no_inside ps", &[659][..]),
        ("vs hs ds_no_constants ps", &[659; 4]),
        ("vs hs ds_no_points ps", &[669, 659, 659, 659, 659]),
        ("vs hs ds_int ps", &[661]),
        ("vs hs ds_index ps", &[659, 659]),
        ("vs hs ds_half ps", &[661, 665]),
        ("vs hs ds_lower ps", &[]),
        ("vs hs_1 ds_1_int ps", &[661]),
        ("vs hs_1 ds_1_index ps", &[659, 659]),
        ("vs hs_1 ds ps", &[659, 659, 659, 659, 659, 659]),
        ("vs ps_lower", &[]),
        ("vs ps_index", &[666]),
        ("vs ps_int", &[661]),
        // Behind a mesh shader the number of components counts, not which they are.
        ("ms_packed ps", &[]),
        ("ms ps_lower", &[]),
        ("ms ps_index", &[666]),
        ("ms ps_int", &[661]),
        // A geometry shader may output nothing; a pixel shader then takes nothing.
        ("vs gs_empty ps_empty", &[]),
        ("vs gs_empty ps", &[666, 666, 666, 666]),
        // Payloads.
        ("as_2 ms_payload ps", &[]),
        ("as_1 ms_payload ps", &[1276]),
        ("as_1 ms ps", &[1276]),
        ("ms_payload ps", &[]),
    ] {
        assert_eq!(errors(pipeline(shaders, None)), expected, "{shaders}");
    }
}

/// A container whose signature is changed: the words of the header, then for each element its stream, the offset of its name, its
/// index, system value, component type, register, masks and precision; then names.
fn with_signature(
    container: &Blob,
    part: FourCc,
    change: impl FnOnce(&mut [u32], &mut [u8]),
) -> Blob {
    let container = Container::parse(container.bytes()).unwrap();
    let payload = container.part(part).unwrap().bytes();
    let count = u32::from_le_bytes(payload[..4].try_into().unwrap()) as usize;
    let (words, names) = payload.split_at(8 + 32 * count);
    let words = words.as_chunks().0.iter();
    let mut words: Vec<u32> = words.map(|&word| u32::from_le_bytes(word)).collect();
    let mut names = names.to_vec();
    change(&mut words, &mut names);
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    bytes.extend(names);
    let mut builder = ContainerBuilder::from(&container);
    builder.set(part, bytes);
    builder.sign(Signing::Hash);
    Blob::new(&builder.build().unwrap())
}

/// The columns of the table in docs/runtime-validation.md.
#[derive(Clone, Copy)]
enum Rule {
    Registers,
    Same,
    Names,
}

type Change = fn(&mut [u32]);

/// Every property of an element, changed, between every two stages that meet.
#[test]
fn every_property_between_every_two_stages() {
    const INPUT: FourCc = FourCc::ISG1;
    const OUTPUT: FourCc = FourCc::OSG1;
    const OTHERS: FourCc = FourCc::PSG1;
    let pairs = [
        ("vs", OUTPUT, "ps", INPUT, "vs ps", Rule::Registers),
        ("vs", OUTPUT, "hs", INPUT, "vs hs ds ps", Rule::Registers),
        (
            "vs",
            OUTPUT,
            "gs_primitive",
            INPUT,
            "vs gs_primitive",
            Rule::Registers,
        ),
        ("hs", OUTPUT, "ds", INPUT, "vs hs ds ps", Rule::Same),
        (
            "hs_1",
            OTHERS,
            "ds_1",
            OTHERS,
            "vs hs_1 ds_1 ps",
            Rule::Same,
        ),
        ("ds", OUTPUT, "ps", INPUT, "vs hs ds ps", Rule::Registers),
        (
            "ds",
            OUTPUT,
            "gs_primitive",
            INPUT,
            "vs hs ds gs_primitive",
            Rule::Registers,
        ),
        ("gs", OUTPUT, "ps", INPUT, "vs gs ps", Rule::Registers),
        ("ms", OUTPUT, "ps", INPUT, "ms ps", Rule::Names),
        ("ms", OTHERS, "ps", INPUT, "ms ps", Rule::Names),
    ];
    // The number of the message for each rule; 0 for none.
    let changes: [(&str, Change, [i32; 3]); 9] = [
        ("another index", |e| e[2] += 7, [666, 659, 666]),
        ("another register", |e| e[5] += 9, [660, 660, 0]),
        ("more components", |e| e[6] = e[6] << 1 | 1, [662, 662, 662]),
        ("fewer components", |e| e[6] = 1, [0, 662, 662]),
        ("other components", |e| e[6] <<= 1, [662, 662, 0]),
        (
            "another component type",
            |e| e[4] = if e[4] == 2 { 3 } else { 2 },
            [661, 661, 661],
        ),
        ("a system value", |e| e[3] = 2, [663, 663, 663]),
        ("another precision", |e| e[7] = 1, [665, 665, 665]),
        ("nothing", |_| {}, [0, 0, 0]),
    ];
    for (before, given, after, taken, shaders, rule) in pairs {
        let place = format!("{before} to {after} of {shaders}");
        let expect = |what: &str, errors: &[i32], expected: i32| {
            let found = match expected {
                0 => errors.is_empty(),
                _ => errors.contains(&expected),
            };
            assert!(found, "{place}: {what}: {errors:?} without {expected}");
            assert!(errors.iter().all(|id| MessageId(*id).name().is_some()));
        };
        let upstream = compiled(&format!("link_{before}"));
        let downstream = compiled(&format!("link_{after}"));
        let index_of = |blob: &Blob, part, name: &str| {
            let container = Container::parse(blob.bytes()).unwrap();
            let signature = container.signature(part).unwrap().unwrap();
            let mut elements = signature.elements();
            elements.position(|element| element.name() == name.as_bytes())
        };
        // In the primitives of a mesh shader there is nothing else.
        let lean = index_of(&downstream, taken, "LEAN").unwrap();
        let tint = index_of(&downstream, taken, "TINT").unwrap();
        let (name, element) = match index_of(&upstream, given, "LEAN") {
            Some(_) => ("LEAN", lean),
            None => ("TINT", tint),
        };
        for (what, change, expected) in changes {
            let changed = with_signature(&downstream, taken, |words, _| {
                change(&mut words[2 + 8 * element..][..8]);
            });
            let errors = errors(pipeline(shaders, Some((after, &changed))));
            expect(what, &errors, expected[rule as usize]);
        }
        let lower = with_signature(&downstream, taken, |_, names| names.make_ascii_lowercase());
        expect(
            "lower case",
            &errors(pipeline(shaders, Some((after, &lower)))),
            0,
        );

        // One element less, of either.
        let fewer_taken = with_signature(&downstream, taken, |words, _| words[0] -= 1);
        let unknown = if matches!(rule, Rule::Same) { 659 } else { 666 };
        let left_over = if matches!(rule, Rule::Same) { 659 } else { 0 };
        let found = errors(pipeline(shaders, Some((after, &fewer_taken))));
        expect("an output is left over", &found, left_over);
        let fewer_given = with_signature(&upstream, given, |words, _| words[0] -= 1);
        let found = errors(pipeline(shaders, Some((before, &fewer_given))));
        expect("an output is missing", &found, unknown);

        // What an input always reads the output never writes.
        let read = with_signature(&downstream, taken, |words, _| {
            let masks = &mut words[2 + 8 * element + 6];
            *masks |= (*masks & 0xf) << 8;
        });
        let at = index_of(&upstream, given, name).unwrap();
        let unwritten = with_signature(&upstream, given, |words, _| {
            let masks = &mut words[2 + 8 * at + 6];
            *masks |= (*masks & 0xf) << 8;
        });
        let mut both = StreamBuilder::new().root_signature(&serialized(&covering()));
        for shader in shaders.split(' ') {
            let other = compiled(&format!("link_{shader}"));
            let container = match shader {
                _ if shader == before => &unwritten,
                _ if shader == after => &read,
                _ => &other,
            };
            both = both.shader(record(shader), container);
        }
        let never_written = if matches!(rule, Rule::Names) { 0 } else { 664 };
        expect("never written", &errors(both), never_written);
        expect(
            "only read",
            &errors(pipeline(shaders, Some((after, &read)))),
            0,
        );
        expect(
            "only unwritten",
            &errors(pipeline(shaders, Some((before, &unwritten)))),
            0,
        );
    }
}
