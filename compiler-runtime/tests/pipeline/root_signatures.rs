//! Where a pipeline's root signature comes from, and what the plugin gets of it.

use api_sys::*;
use dxil::*;
use runtime_test_support::corpus::{
    Blob, compiled, covering, damaged, range, serialized, shader, table,
};
use runtime_test_support::stream::StreamBuilder;

use crate::plugins::{self, value};

fn compute() -> StreamBuilder {
    StreamBuilder::new().cs(&shader("raw_copy_cs"))
}

fn refusal(stream: StreamBuilder) -> (i32, String) {
    let first = stream.errors().swap_remove(0);
    (first.id.0, first.text)
}

fn recorded(mut stream: StreamBuilder) -> plugins::Recorded {
    let (state, messages) = stream.translate();
    plugins::record(&state.unwrap_or_else(|error| panic!("{error}\n{messages:#?}")))
}

#[test]
fn an_object_of_a_device_is_refused() {
    let root_signature = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE;
    let object = std::ptr::dangling::<u64>();
    let (id, text) = refusal(compute().record(root_signature, object));
    assert_eq!(id, 0);
    assert!(
        text.starts_with("record 1 at byte 24 (ROOT_SIGNATURE): "),
        "{text}"
    );
    let both = compute()
        .record(root_signature, object)
        .root_signature(&serialized(&covering()));
    let (id, text) = refusal(both);
    assert_eq!(id, 1435);
    assert_eq!(
        text,
        "record 1 at byte 24 (ROOT_SIGNATURE) and record 2 at byte 40 (SERIALIZED_ROOT_SIGNATURE) \
         exclude each other"
    );
    // Null is none.
    let null = compute().record(root_signature, std::ptr::null::<u64>());
    assert_eq!(recorded(null), recorded(compute()));
}

#[test]
fn the_one_in_the_stream_wins_over_those_in_shaders() {
    let embedded = recorded(compute());
    assert_eq!(value(&embedded, "hRootSignature.pRootParameters"), "3");
    assert_eq!(value(&embedded, "hRootSignature.Version"), "3");
    let given = recorded(compute().root_signature(&serialized(&covering())));
    assert_eq!(value(&given, "hRootSignature.pRootParameters"), "16");
    assert_eq!(
        value(&given, "hComputeShader.hRootSignature.pRootParameters"),
        "16"
    );
    let empty = D3D12_SERIALIZED_ROOT_SIGNATURE_DESC::default();
    let serialized = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE;
    assert_eq!(recorded(compute().record(serialized, empty)), embedded);
}

#[test]
fn all_embedded_ones_are_the_same() {
    let fullscreen = |ps: &str| {
        let stream = StreamBuilder::new().vs(&shader("fullscreen_vs"));
        stream.ps(&shader(ps))
    };
    recorded(fullscreen("fullscreen_ps"));
    // One of two is enough.
    recorded(fullscreen("fullscreen_ps_norts"));
    let (id, text) = refusal(fullscreen("fullscreen_ps_rs10"));
    assert_eq!(
        (id, &text[..]),
        (1435, "the root signatures embedded in VS and PS differ")
    );
}

#[test]
fn a_pipeline_has_one() {
    let text = "there is no root signature: neither in a record SERIALIZED_ROOT_SIGNATURE nor \
                embedded in a shader";
    let compute = StreamBuilder::new().cs(&shader("prefix_sum_cs"));
    assert_eq!(refusal(compute), (883, text.to_owned()));
    let graphics = StreamBuilder::new().vs(&shader("forward_plain_vs"));
    assert_eq!(refusal(graphics), (691, text.to_owned()));
}

#[test]
fn a_container_a_shader_or_the_bare_part() {
    let desc = covering();
    let container = serialized(&desc);
    let bare = Blob::new(&desc.serialize().unwrap());
    let a = recorded(compute().root_signature(&container));
    let b = recorded(compute().root_signature(&bare));
    assert_eq!(a, b);
    let c = recorded(compute().root_signature(&shader("raw_copy_cs")));
    assert_eq!(c, recorded(compute()));
}

#[test]
fn blobs_that_hold_none() {
    let place = "record 1 at byte 24 (SERIALIZED_ROOT_SIGNATURE): ";
    let mut two_tables = covering();
    two_tables.parameters.push(two_tables.parameters[0].clone());
    // Nothing else writes what is not valid.
    let mut overlapping = covering().serialize().unwrap();
    let (first, second) = (overlapping[24..36].to_vec(), 36..48);
    overlapping[second].copy_from_slice(&first);
    for (blob, id, text) in [
        (
            Blob::new(b"not a root signature, not at all"),
            697,
            "no serialized root signature: ",
        ),
        (Blob::new(&[2]), 697, "no serialized root signature: "),
        (
            shader("prefix_sum_cs"),
            696,
            "the container has no root signature (no part RTS0)",
        ),
        (
            shader("rs_local_1_1"),
            698,
            "a local root signature in the place of a global one",
        ),
        (Blob::new(&overlapping), 698, "is already taken by"),
    ] {
        let (found, message) = refusal(compute().root_signature(&blob));
        assert_eq!(found, id, "{message}");
        assert!(
            message.starts_with(place) && message.contains(text),
            "{message}"
        );
    }
    two_tables.validate().unwrap_err();
}

#[test]
fn the_hash_of_the_container_is_right() {
    // The shader has its own hash; that of its root signature counts.
    for (container, shader) in [
        (serialized(&covering()), shader("prefix_sum_cs")),
        (shader("raw_copy_cs"), shader("raw_copy_cs")),
        (compiled("roots_global_lib"), shader("spec_dot4_cs")),
    ] {
        for (name, blob, refused) in damaged(&container) {
            let stream = StreamBuilder::new().cs(&shader).root_signature(&blob);
            let error = stream.clone().translate().0.err();
            match (refused, error) {
                (Some(text), Some(error)) => {
                    assert_eq!(error.id.0, 697, "{name}: {error}");
                    assert!(error.text.contains(text), "{name}: {error}");
                }
                // What else is wrong with the pair is no matter here.
                (None, error) => assert!(error.is_none_or(|error| error.id.0 == 882), "{name}"),
                (Some(_), None) => panic!("{name} is not refused"),
            }
        }
    }
}

#[test]
fn a_library_that_declares_one() {
    let root = serialized(&RootSignatureDesc {
        version: Version { major: 1, minor: 1 },
        parameters: [4, 5]
            .map(|register| RootParameterDesc {
                shader_visibility: ShaderVisibility::ALL,
                kind: RootParameterKindDesc::Uav(RootDescriptor {
                    shader_register: register,
                    register_space: 0,
                    flags: Some(RootDescriptorFlags::NONE),
                }),
            })
            .into(),
        static_samplers: Vec::new(),
        flags: RootSignatureFlags::NONE,
    });
    let vs = shader("fullscreen_vs");
    let stream = |root: &Blob| StreamBuilder::new().vs(&vs).root_signature(root);
    for name in ["roots_global_lib", "roots_both_lib"] {
        assert_eq!(recorded(stream(&compiled(name))), recorded(stream(&root)));
    }
    for (name, id, text) in [
        (
            "roots_none_lib",
            696,
            "the library declares no global root signature",
        ),
        (
            "roots_local_lib",
            696,
            "the library declares no global root signature",
        ),
        (
            "roots_globals_lib",
            697,
            "the library declares 2 global root signatures, such as first and second",
        ),
    ] {
        let (found, message) = refusal(stream(&compiled(name)));
        assert_eq!(found, id, "{message}");
        assert!(message.contains(text), "{message}");
    }
}

/// Every root signature of the corpus, of three versions, comes out with what it says.
#[test]
fn every_version_is_translated() {
    // It binds nothing.
    let vs = shader("fullscreen_vs");
    let mut versions = std::collections::BTreeSet::new();
    for name in runtime_test_support::corpus::names("rootsig", &["valid"]) {
        let blob = shader(&name);
        let container = Container::parse(blob.bytes()).unwrap();
        let from = container.root_signature().unwrap().unwrap();
        let mut stream = StreamBuilder::new().vs(&vs).root_signature(&blob);
        let (result, _) = stream.translate();
        let local = RootSignatureFlags::LOCAL_ROOT_SIGNATURE;
        assert_eq!(result.is_err(), from.flags().contains(local), "{name}");
        let Ok(state) = result else {
            continue;
        };
        versions.insert(from.version().minor);
        let to = plugins::record(&state);
        let count = |what: &str| value(&to, &format!("hRootSignature.{what}")).parse::<usize>();
        assert_eq!(
            count("pRootParameters"),
            Ok(from.parameters().len()),
            "{name}"
        );
        assert_eq!(
            count("pStaticSamplers"),
            Ok(from.static_samplers().len()),
            "{name}"
        );
        let flags = from.flags().0.to_string();
        assert_eq!(value(&to, "hRootSignature.Flags"), flags, "{name}");
        for (index, sampler) in from.static_samplers().enumerate() {
            let field = |name: &str| {
                let path = format!("hRootSignature.pStaticSamplers[{index}].{name}");
                value(&to, &path).to_owned()
            };
            assert_eq!(field("Filter"), sampler.filter.to_string(), "{name}");
            assert_eq!(field("MaxLOD"), format!("{:?}", sampler.max_lod), "{name}");
            let flags = sampler.flags.map_or(0, |flags| flags.0);
            assert_eq!(field("Flags"), flags.to_string(), "{name}");
        }
    }
    assert_eq!(versions.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
}

/// What version 1.0 does not promise is volatile; samplers have no data.
#[test]
fn version_1_0_promises_nothing() {
    let mut desc = covering();
    desc.version = Version { major: 1, minor: 0 };
    let mut sampler = range(DescriptorRangeType::SAMPLER, 1, 4);
    let mut srv = range(DescriptorRangeType::SRV, 1, 4);
    (sampler.flags, srv.flags) = (None, None);
    for parameter in &mut desc.parameters {
        if let RootParameterKindDesc::DescriptorTable(ranges) = &mut parameter.kind {
            ranges[0].flags = None;
        }
    }
    desc.parameters
        .splice(0..0, [table(vec![srv]), table(vec![sampler])]);
    desc.parameters.push(RootParameterDesc {
        shader_visibility: ShaderVisibility::ALL,
        kind: RootParameterKindDesc::Cbv(RootDescriptor {
            shader_register: 0,
            register_space: 9,
            flags: None,
        }),
    });
    let to = recorded(compute().root_signature(&serialized(&desc)));
    let flags = |parameter: usize, rest: &str| {
        let path = format!("hRootSignature.pRootParameters[{parameter}].{rest}Flags");
        value(&to, &path).to_owned()
    };
    assert_eq!(flags(0, "pDescriptorRanges[0]."), "3");
    assert_eq!(flags(1, "pDescriptorRanges[0]."), "1");
    assert_eq!(flags(18, ""), "2");
    assert_eq!(value(&to, "hRootSignature.Version"), "3");
}
