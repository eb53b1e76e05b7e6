//! Streams without sense: they are translated, or refused with a message; what is translated compiles
//! or is refused by the plugin.

use std::sync::LazyLock;

use api_sys::*;
use compiler_runtime::message::Severity;
use proptest::prelude::*;
use runtime_test_support::corpus::{Blob, covering, serialized, shader};
use runtime_test_support::stream::{StreamBuilder, translate};

use crate::plugins;

static SHADERS: LazyLock<Vec<Blob>> = LazyLock::new(|| {
    let names = [
        "forward_plain_vs",
        "forward_plain_ps",
        "tess_tri_vs",
        "tess_tri_hs",
        "tess_tri_ds",
        "layers_gs",
        "streams_gs",
        "meshlet_as",
        "meshlet_ms",
        "meshlet_ps",
        "mesh_lines_ms",
        "raw_copy_cs",
        "fullscreen_vs",
        "fullscreen_ps",
        "rt_pipeline_lib63",
        "rs_tables_1_1",
        "hash_zero_cs",
    ];
    names.map(shader).into()
});

static ROOT: LazyLock<Blob> = LazyLock::new(|| serialized(&covering()));

/// A record: its type, and what its payload is made of.
#[derive(Clone, Debug)]
struct Record {
    kind: i32,
    shader: usize,
    words: [u32; 96],
}

/// Small numbers are those that mean something.
fn word() -> impl Strategy<Value = u32> {
    prop_oneof![
        8 => 0..10_u32,
        1 => prop_oneof![Just(u32::MAX), Just(0x3F80_0000), Just(0x7FC0_0000)],
        1 => any::<u32>(),
    ]
}

fn record() -> impl Strategy<Value = Record> {
    let kind = prop_oneof![20 => 0..30_i32, 1 => any::<i32>()];
    (
        kind,
        any::<usize>(),
        prop::array::uniform32(word()),
        0..3_usize,
    )
        .prop_map(|(kind, shader, some, turn)| {
            let words = std::array::from_fn(|index| some[(index * (turn + 1)) % 32]);
            Record {
                kind,
                shader,
                words,
            }
        })
}

fn add(stream: StreamBuilder, record: &Record) -> StreamBuilder {
    const NAMES: [&str; 5] = ["POSITION", "NORMAL", "TEXCOORD", "SV_Position", "X9"];
    let words = &record.words;
    let kind = record.kind;
    let container = &SHADERS[record.shader % SHADERS.len()];
    match kind {
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE => {
            let object = std::ptr::without_provenance::<()>(words[0] as usize / 9);
            stream.record(kind, object)
        }
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS
        | D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS
        | D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DS
        | D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_HS
        | D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_GS
        | D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS
        | D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_AS
        | D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MS => {
            // Mostly one of the right stage.
            let right: &[&Blob] = match kind {
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS => &[&SHADERS[0], &SHADERS[2], &SHADERS[12]],
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS => &[&SHADERS[1], &SHADERS[9], &SHADERS[13]],
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_HS => &[&SHADERS[3]],
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DS => &[&SHADERS[4]],
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_GS => &[&SHADERS[5], &SHADERS[6]],
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_AS => &[&SHADERS[7]],
                D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MS => &[&SHADERS[8], &SHADERS[10]],
                _ => &[&SHADERS[11]],
            };
            let is_any = words[0] == 9;
            let container = if is_any {
                container
            } else {
                right[record.shader % right.len()]
            };
            stream.shader(kind, container)
        }
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE => {
            stream.root_signature(if words[0] == 9 { container } else { &ROOT })
        }
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT => {
            let elements: Vec<_> = words
                .chunks_exact(7)
                .take(words[1] as usize % 12)
                .map(|w| {
                    let element = D3D12_INPUT_ELEMENT_DESC {
                        SemanticIndex: w[1] / 8,
                        Format: i32::from_ne_bytes(w[2].to_ne_bytes()),
                        InputSlot: w[3],
                        AlignedByteOffset: if w[4] < 5 { u32::MAX } else { w[4] },
                        InputSlotClass: i32::from_ne_bytes((w[5] / 8).to_ne_bytes()),
                        InstanceDataStepRate: w[6] / 8,
                        ..Default::default()
                    };
                    (NAMES[w[0] as usize % 5], element)
                })
                .collect();
            stream.input_layout(&elements)
        }
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT => {
            let entries: Vec<_> = words
                .chunks_exact(6)
                .take(words[1] as usize % 6)
                .map(|w| {
                    let byte = |word: u32| word.to_le_bytes()[0];
                    let entry = D3D12_SO_DECLARATION_ENTRY {
                        Stream: w[1] / 8,
                        SemanticIndex: w[2] / 8,
                        StartComponent: byte(w[3]),
                        ComponentCount: byte(w[4]),
                        OutputSlot: byte(w[5] / 2),
                        ..Default::default()
                    };
                    ((w[0] != 7).then_some(NAMES[w[0] as usize % 5]), entry)
                })
                .collect();
            stream.stream_output(&entries, &words[2..2 + words[3] as usize % 6], words[4])
        }
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING => {
            // The pointer is right or null, the count as it comes.
            static LOCATIONS: [D3D12_VIEW_INSTANCE_LOCATION; 4] = [D3D12_VIEW_INSTANCE_LOCATION {
                ViewportArrayIndex: 1,
                RenderTargetArrayIndex: 2,
            }; 4];
            let views = D3D12_VIEW_INSTANCING_DESC {
                ViewInstanceCount: words[0],
                pViewInstanceLocations: if words[1] == 0 {
                    std::ptr::null()
                } else {
                    LOCATIONS.as_ptr()
                },
                Flags: words[2] / 4,
            };
            stream.record(kind, views)
        }
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CACHED_PSO => {
            let blob = D3D12_CACHED_PIPELINE_STATE {
                pCachedBlob: words.as_ptr().cast(),
                CachedBlobSizeInBytes: words[0] as usize,
            };
            stream.record(kind, blob)
        }
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_BLEND => {
            let blend: [u32; 82] = std::array::from_fn(|index| words[index]);
            stream.record(kind, blend)
        }
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS => {
            let targets: [u32; 9] = std::array::from_fn(|index| words[index]);
            stream.record(kind, targets)
        }
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER
        | D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER1 => {
            let desc: [u32; 11] = std::array::from_fn(|index| words[index]);
            stream.record(kind, desc)
        }
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER2 => {
            let desc: [u32; 10] = std::array::from_fn(|index| words[index]);
            stream.record(kind, desc)
        }
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL => {
            let desc: [u32; 13] = std::array::from_fn(|index| words[index]);
            stream.record(kind, desc)
        }
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL1 => {
            let desc: [u32; 14] = std::array::from_fn(|index| words[index]);
            stream.record(kind, desc)
        }
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2 => {
            let desc: [u32; 15] = std::array::from_fn(|index| words[index]);
            stream.record(kind, desc)
        }
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SAMPLE_DESC => {
            stream.record(kind, [words[0], words[1]])
        }
        // Single words, and types that are not there.
        _ => stream.record(kind, words[0]),
    }
}

fn check(mut stream: StreamBuilder) {
    let (result, messages) = stream.translate();
    let errors = messages
        .iter()
        .filter(|message| message.severity == Severity::Error)
        .count();
    match result {
        Ok(state) => {
            assert_eq!(errors, 0, "{messages:#?}");
            plugins::record(&state);
            // It may be more than the target can do.
            let _ = plugins::compile(&state);
        }
        Err(invalid) => {
            assert!(errors > 0 && !invalid.text.is_empty(), "{invalid:?}");
            assert!(!invalid.result.is_ok());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_records_in_any_order(records in prop::collection::vec(record(), 0..12)) {
        check(records.iter().fold(StreamBuilder::new(), add));
    }

    /// Around a pipeline that is right, so that the rest is looked at.
    #[test]
    fn any_state_of_a_pipeline(records in prop::collection::vec(record(), 0..8)) {
        let stream = StreamBuilder::new()
            .vs(&SHADERS[0])
            .ps(&SHADERS[1])
            .root_signature(&ROOT);
        let once = |record: &&Record| ![1, 2, 29].contains(&record.kind);
        check(records.iter().filter(once).fold(stream, add));
    }

    #[test]
    fn any_bytes(words in prop::collection::vec(prop_oneof![0..31_u32, any::<u32>()], 1..80)) {
        // Types whose payload is a pointer would be followed: they are what the contract forbids.
        let pointers = [1, 2, 3, 4, 5, 6, 7, 12, 22, 24, 25, 29];
        let words: Vec<u64> = words
            .iter()
            .map(|&word| if pointers.contains(&word) { 9 } else { word.into() })
            .collect();
        let desc = D3D12_PIPELINE_STATE_STREAM_DESC {
            SizeInBytes: words.len() * 8,
            pPipelineStateSubobjectStream: words.as_ptr().cast_mut().cast(),
        };
        // SAFETY: the pointers of `desc` are right, or wrong in a way that reading finds.
        let (result, messages) = unsafe { translate(&raw const desc) };
        // There is no shader.
        prop_assert!(result.is_err() && !messages.is_empty());
    }
}
