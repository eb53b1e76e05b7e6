//! Arrays against root signatures: unbounded arrays over ranges of fixed size, and arrays in root constants.

use api_sys::*;
use dxil::{DescriptorRange, DescriptorRangeType, RootSignatureFlags};
use runtime_test_support::bindless::{cases, constants};
use runtime_test_support::corpus::{compiled, range, serialized, table};
use runtime_test_support::stream::StreamBuilder;

const VS: i32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS;
const HS: i32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_HS;
const DS: i32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DS;
const GS: i32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_GS;
const PS: i32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS;
const AS: i32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_AS;
const MS: i32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MS;
const CS: i32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS;

#[test]
fn only_the_first_register_has_to_be_defined() {
    // The shader with the arrays, and those without that it needs.
    let pipelines: [&[(i32, &str)]; 8] = [
        &[(VS, "vs")],
        &[(HS, "hs"), (VS, "plain_vs"), (DS, "plain_ds")],
        &[(DS, "ds"), (VS, "plain_vs"), (HS, "plain_hs")],
        &[(GS, "gs"), (VS, "plain_vs")],
        &[(PS, "ps"), (VS, "plain_vs")],
        &[(AS, "as"), (MS, "plain_ms")],
        &[(MS, "ms")],
        &[(CS, "cs")],
    ];
    let pipelines = pipelines.map(|shaders| {
        let add = |stream: StreamBuilder, (kind, name): &(i32, &str)| {
            stream.shader(*kind, &compiled(&format!("bindless_{name}")))
        };
        let stream = shaders.iter().fold(StreamBuilder::new(), add);
        (shaders[0].1, stream)
    });
    for case in cases(RootSignatureFlags::NONE) {
        let root_signature = serialized(&case.root_signature);
        for (stage, stream) in &pipelines {
            let mut stream = stream.clone().root_signature(&root_signature);
            let error = stream.translate().0.err().map(|error| error.text);
            case.check(stage, error.as_deref());
        }
    }
}

#[test]
fn one_range_has_an_array_of_fixed_size() {
    // b1 to b3.
    let shader = compiled("constants_buffers");
    for (ranges, is_bound) in [
        (&[(1, 3)][..], true),
        (&[(0, 8)], true),
        (&[(1, 2)], false),
        (&[(2, 2)], false),
        (&[(1, 2), (3, 1)], false),
    ] {
        let mut root_signature = constants(RootSignatureFlags::NONE)[2].1.clone();
        let ranges = ranges.iter().map(|&(first, count)| DescriptorRange {
            base_shader_register: first,
            ..range(DescriptorRangeType::CBV, count, 0)
        });
        root_signature.parameters[0] = table(ranges.collect());
        let mut stream = StreamBuilder::new()
            .cs(&shader)
            .root_signature(&serialized(&root_signature));
        let error = stream.translate().0.err().map(|error| error.text);
        let expected =
            "CS binds b1 to b3 in space 0 (CBV), which no root signature of the shader defines";
        assert_eq!(error.as_deref(), (!is_bound).then_some(expected));
    }
}

#[test]
fn root_constants_hold_no_array() {
    for (name, has_array) in [
        ("plain", false),
        ("matrix", false),
        ("buffers", false),
        ("array", true),
        ("scalars", true),
        ("nested", true),
        ("structures", true),
        ("matrices", true),
        // The shader does not read it.
        ("unread", true),
    ] {
        let shader = compiled(&format!("constants_{name}"));
        for (how, root_signature) in constants(RootSignatureFlags::NONE) {
            let mut stream = StreamBuilder::new()
                .cs(&shader)
                .root_signature(&serialized(&root_signature));
            let error = stream
                .translate()
                .0
                .err()
                .map(|error| (error.id.0, error.text));
            // An array of constant buffers takes a table.
            let expected = match how {
                "root constants" | "root descriptor" if name == "buffers" => {
                    Some("no root signature of the shader defines")
                }
                "root constants" if has_array => {
                    Some("CS binds b1 in space 0 (CBV), which contains an array")
                }
                _ => None,
            };
            match (expected, &error) {
                (None, None) => {}
                (Some(text), Some((882, error))) => assert!(error.contains(text), "{error}"),
                _ => panic!("{name} in {how}: {error:?}"),
            }
        }
    }
}
