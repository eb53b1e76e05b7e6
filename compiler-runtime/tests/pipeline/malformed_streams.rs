//! Streams that are no streams, each with what it is refused for.

use std::ffi::c_void;

use api_sys::*;
use compiler_runtime::message::MessageId;
use ddi_sys::E_INVALIDARG;
use dxil::{Container, ContainerBuilder, FourCc, Signing};
use runtime_test_support::corpus::{Blob, covering, folder, serialized, shader};
use runtime_test_support::stream::{StreamBuilder, translate};

const VS: i32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS;
const PS: i32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS;
const CS: i32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS;

/// A broken container of the corpus, by its name.
fn malformed(name: &str) -> Blob {
    Blob::new(&std::fs::read(folder().join(format!("malformed/{name}.dxil"))).unwrap())
}

fn new() -> StreamBuilder {
    StreamBuilder::new()
}

fn compute() -> StreamBuilder {
    new().cs(&shader("raw_copy_cs"))
}

fn graphics() -> StreamBuilder {
    new()
        .vs(&shader("forward_plain_vs"))
        .root_signature(&serialized(&covering()))
}

/// The first error of a stream: number and text.
fn refusal(stream: StreamBuilder) -> (i32, String) {
    let first = stream.errors().swap_remove(0);
    (first.id.0, first.text)
}

#[test]
fn descriptions_that_have_no_stream() {
    let mut words = [0_usize; 8];
    let mut desc = |size, offset: usize| D3D12_PIPELINE_STATE_STREAM_DESC {
        SizeInBytes: size,
        pPipelineStateSubobjectStream: words
            .as_mut_ptr()
            .wrapping_byte_add(offset)
            .cast::<c_void>(),
    };
    let null = D3D12_PIPELINE_STATE_STREAM_DESC {
        SizeInBytes: 16,
        ..Default::default()
    };
    for (desc, id, text) in [
        (desc(0, 0), 1020, "the stream has no bytes"),
        (null, 1021, "pPipelineStateSubobjectStream is null"),
        (
            desc(16, 4),
            1021,
            "pPipelineStateSubobjectStream is not aligned to 8 bytes",
        ),
        (
            desc(usize::MAX, 0),
            1021,
            "a stream of 18446744073709551615 bytes cannot be",
        ),
        (
            desc(3, 0),
            1021,
            "record 0 at byte 0 (the type): it ends at byte 4, but the stream has 3 bytes",
        ),
        (
            desc(8, 0),
            1021,
            "record 0 at byte 0 (ROOT_SIGNATURE): it ends at byte 16, but the stream has 8 bytes",
        ),
    ] {
        // SAFETY: the pointers of `desc` are right, or wrong in a way that reading finds.
        let (result, messages) = unsafe { translate(&raw const desc) };
        let invalid = result.unwrap_err();
        assert_eq!((invalid.id.0, &invalid.text[..]), (id, text));
        assert_eq!(invalid.result, E_INVALIDARG);
        assert_eq!((messages.len(), &messages[0].text[..]), (1, text));
    }
    // SAFETY: null is found.
    let (result, _) = unsafe { translate(std::ptr::null()) };
    assert_eq!(result.unwrap_err().text, "the stream description is null");
    let odd = (&raw const null).wrapping_byte_add(4);
    // SAFETY: an odd address is found before it is read.
    let (result, _) = unsafe { translate(odd) };
    assert_eq!(
        result.unwrap_err().text,
        "the stream description is not aligned to 8 bytes"
    );
}

#[test]
fn unknown_and_repeated_records() {
    let types = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MAX_VALID;
    for kind in [23, types, types + 1, 57, -1, i32::MAX, i32::MIN] {
        let expected = format!("record 1 at byte 24: type {kind} is unknown");
        assert_eq!(refusal(compute().record(kind, 0_u32)), (1019, expected));
    }
    let zero = D3D12_SHADER_BYTECODE::default();
    let cases = [
        (
            compute().record(CS, zero),
            "record 1 at byte 24 (CS) repeats record 0 at byte 0 (CS)",
        ),
        (
            new()
                .record(
                    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER,
                    D3D12_RASTERIZER_DESC::default(),
                )
                .record(
                    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER2,
                    D3D12_RASTERIZER_DESC2::default(),
                ),
            "record 1 at byte 48 (RASTERIZER2) repeats record 0 at byte 0 (RASTERIZER)",
        ),
        (
            new()
                .record(
                    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER1,
                    D3D12_RASTERIZER_DESC1::default(),
                )
                .record(
                    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER,
                    D3D12_RASTERIZER_DESC::default(),
                ),
            "record 1 at byte 48 (RASTERIZER) repeats record 0 at byte 0 (RASTERIZER1)",
        ),
        (
            new()
                .record(
                    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2,
                    D3D12_DEPTH_STENCIL_DESC2::default(),
                )
                .record(
                    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL1,
                    D3D12_DEPTH_STENCIL_DESC1::default(),
                ),
            "record 1 at byte 64 (DEPTH_STENCIL1) repeats record 0 at byte 0 (DEPTH_STENCIL2)",
        ),
    ];
    for (stream, expected) in cases {
        assert_eq!(refusal(stream), (1018, expected.to_owned()));
    }
}

#[test]
fn every_record_that_is_cut_off() {
    let mut stream = compute()
        .root_signature(&serialized(&covering()))
        .record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_NODE_MASK, 1_u32);
    let whole = stream.desc();
    for size in 1..whole.SizeInBytes {
        let desc = D3D12_PIPELINE_STATE_STREAM_DESC {
            SizeInBytes: size,
            ..whole
        };
        // 24 and 48: behind a record. The shader alone brings its root signature.
        let expected =
            (size != 24 && size != 48).then_some(MessageId::CREATEPIPELINESTATE_INVALID_STREAM);
        // SAFETY: the pointers of `desc` are right, or wrong in a way that reading finds.
        let (result, _) = unsafe { translate(&raw const desc) };
        assert_eq!(
            result.err().map(|invalid| invalid.id),
            expected,
            "{size} bytes"
        );
    }
}

#[test]
fn shaders_that_are_none() {
    let place = "record 0 at byte 0 (CS): ";
    let bytecode = |pointer: *const c_void, length| D3D12_SHADER_BYTECODE {
        pShaderBytecode: pointer,
        BytecodeLength: length,
    };
    let some = shader("raw_copy_cs");
    let of = |desc| new().record(CS, desc);
    assert_eq!(
        refusal(of(bytecode(std::ptr::null(), 7))).1,
        format!("{place}pShaderBytecode is null")
    );
    assert_eq!(
        refusal(of(bytecode(some.bytes().as_ptr().cast(), 0))).1,
        format!("{place}pShaderBytecode is not null, but has no bytes")
    );
    assert_eq!(
        refusal(of(bytecode(some.bytes().as_ptr().cast(), usize::MAX))).1,
        format!(
            "{place}pShaderBytecode has 18446744073709551615 elements, 2147483648 is the limit"
        )
    );
    for (container, id, text) in [
        (shader("hash_zero_cs"), 322, "not signed"),
        (shader("hash_preview_cs"), 322, "preview shader models"),
        (malformed("hash_stale"), 322, "hash"),
        (
            malformed("prog_kind_lies"),
            881,
            "the program is of kind vertex, but the stage is CS",
        ),
        (shader("rs_tables_1_1"), 322, "DXIL"),
        (
            shader("rt_pipeline_lib63"),
            881,
            "the program is of kind library, but the stage is CS",
        ),
        (
            shader("forward_plain_ps"),
            881,
            "the program is of kind pixel, but the stage is CS",
        ),
    ] {
        let (found, message) = refusal(new().cs(&container));
        assert_eq!(found, id, "{message}");
        assert!(
            message.starts_with(place) && message.contains(text),
            "{message}"
        );
    }
}

#[test]
fn a_part_psv0_of_another_stage() {
    let (compute, pixel) = (shader("raw_copy_cs"), shader("forward_plain_ps"));
    let pixel = Container::parse(pixel.bytes()).unwrap();
    let mut builder = ContainerBuilder::from(&Container::parse(compute.bytes()).unwrap());
    let part = pixel.part(FourCc::PSV0).unwrap().bytes();
    builder.set(FourCc::PSV0, part.to_vec());
    builder.sign(Signing::Hash);
    let (id, message) = refusal(new().cs(&Blob::new(&builder.build().unwrap())));
    assert_eq!(id, 881);
    let expected = "record 0 at byte 0 (CS): the part PSV0 is of kind pixel, but the stage is CS";
    assert_eq!(message, expected);
}

/// Whatever is wrong with a container, its shader is refused or good.
#[test]
fn no_broken_container_gets_through_unnoticed() {
    let manifest = std::fs::read(folder().join("malformed/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    let root = serialized(&covering());
    let mut refused = 0;
    for file in manifest["files"].as_array().unwrap() {
        let (name, expect) = (
            file["name"].as_str().unwrap(),
            file["expect"].as_str().unwrap(),
        );
        let container = malformed(name);
        for kind in [CS, PS] {
            let stream = new().root_signature(&root).shader(kind, &container);
            let mut stream = if kind == PS {
                stream.vs(&shader("forward_lit_tex_vs"))
            } else {
                stream
            };
            let (result, messages) = stream.translate();
            match result {
                Err(invalid) => {
                    refused += 1;
                    assert_eq!(invalid.text, messages.last().unwrap().text, "{name}");
                }
                // Faults of the bitcode are the plugin's to find, and some of parts that are not read.
                Ok(state) => {
                    assert_ne!(expect, "reject-hash", "{name}");
                    assert_ne!(expect, "unsupported", "{name}");
                    let _ = crate::plugins::compile(&state);
                }
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn tokenized_shaders_say_what_to_do() {
    let mut builder = ContainerBuilder::new();
    builder.set(FourCc::SHEX, vec![0x50, 0, 5, 0, 2, 0, 0, 0]);
    builder.sign(Signing::Hash);
    let container = Blob::new(&builder.build().unwrap());
    let (id, text) = refusal(new().shader(VS, &container));
    assert_eq!(id, 67);
    assert!(
        text.contains("compile it with DXC for shader model 6"),
        "{text}"
    );
}

#[test]
fn flags_and_cached_blobs() {
    let flags = |flags: u32| compute().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_FLAGS, flags);
    assert_eq!(
        refusal(flags(1)),
        (
            922,
            "record 1 at byte 24 (FLAGS): TOOL_DEBUG is for WARP devices only".into()
        )
    );
    assert_eq!(
        refusal(flags(0x62)),
        (
            922,
            "record 1 at byte 24 (FLAGS): flags 0x62 do not exist".into()
        )
    );
    let blob = D3D12_CACHED_PIPELINE_STATE {
        pCachedBlob: (&raw const *"blob").cast(),
        CachedBlobSizeInBytes: 4,
    };
    let mut stream = compute().record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CACHED_PSO, blob);
    let (result, messages) = stream.translate();
    let plain = compute().translate().0.map(|_| ());
    assert_eq!(result.map(|_| ()), plain);
    assert_eq!(
        messages[0].id,
        MessageId::CREATEPIPELINESTATE_CACHEDBLOBIGNORED
    );
}

#[test]
fn arrays_and_names_of_fixed_function_records() {
    let null_layout = D3D12_INPUT_LAYOUT_DESC {
        NumElements: 1,
        ..Default::default()
    };
    let elements = [D3D12_INPUT_ELEMENT_DESC::default()];
    let layout = |count| D3D12_INPUT_LAYOUT_DESC {
        pInputElementDescs: elements.as_ptr(),
        NumElements: count,
    };
    let input_layout = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT;
    let views = |count| D3D12_VIEW_INSTANCING_DESC {
        ViewInstanceCount: count,
        ..Default::default()
    };
    let view_instancing = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING;
    let streams = |entries, strides| D3D12_STREAM_OUTPUT_DESC {
        NumEntries: entries,
        NumStrides: strides,
        ..Default::default()
    };
    let stream_output = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT;
    let place = |name| format!("record 2 at byte 48 ({name}): ");
    for (stream, id, name, text) in [
        (
            graphics().record(input_layout, null_layout),
            53,
            "INPUT_LAYOUT",
            "pInputElementDescs is null",
        ),
        (
            graphics().record(input_layout, layout(u32::MAX)),
            53,
            "INPUT_LAYOUT",
            "pInputElementDescs has 4294967295 elements, 1024 is the limit",
        ),
        (
            graphics().record(input_layout, layout(1)),
            64,
            "INPUT_LAYOUT",
            "input element 0: SemanticName is null",
        ),
        (
            graphics().record(view_instancing, views(5)),
            1096,
            "VIEW_INSTANCING",
            "pViewInstanceLocations has 5 elements, 4 is the limit",
        ),
        (
            graphics().record(view_instancing, views(1)),
            1096,
            "VIEW_INSTANCING",
            "pViewInstanceLocations is null",
        ),
        (
            graphics().record(stream_output, streams(1, 0)),
            75,
            "STREAM_OUTPUT",
            "pSODeclaration is null",
        ),
        (
            graphics().record(stream_output, streams(u32::MAX, 0)),
            75,
            "STREAM_OUTPUT",
            "pSODeclaration has 4294967295 elements, 512 is the limit",
        ),
        (
            graphics().record(stream_output, streams(0, 1)),
            287,
            "STREAM_OUTPUT",
            "pBufferStrides is null",
        ),
    ] {
        assert_eq!(refusal(stream), (id, place(name) + text));
    }
}
