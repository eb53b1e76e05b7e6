//! What a caller writes is read as it is, and becomes the same structures again.

use std::ffi::c_void;
use std::ptr;

use api_desc::{
    Association, Blob, CollectionOfCaller, DxilAssociation, DxilLibrary, ExistingCollection,
    Export, GenericProgram, HitGroup, NodeId, PipelineStateDesc, Reason, RecordPlaces, ShaderNode,
    ShaderStage, State, StateObjectDesc, StreamOutput, StreamOutputEntry, Subobject, WorkGraph,
};
#[allow(clippy::wildcard_imports, reason = "the structures of descriptions")]
use api_sys::*;

/// A subobject of each kind, in an order that is not that of their types, with one that two programs list and one that
/// none does.
fn description() -> StateObjectDesc {
    let bytes = |text: &str| Blob::from(text.as_bytes());
    let program = |name: &str, state: &[usize]| {
        Subobject::GenericProgram(GenericProgram {
            name: Some(name.into()),
            exports: vec!["vertex".into()],
            state: state.to_vec(),
        })
    };
    StateObjectDesc {
        kind: D3D12_STATE_OBJECT_TYPE_EXECUTABLE,
        subobjects: vec![
            program("first", &[3, 2]),
            program("second", &[3]),
            Subobject::State(State::DepthStencil1(D3D12_DEPTH_STENCIL_DESC1::default())),
            Subobject::State(State::Blend(Box::default())),
            Subobject::State(State::StreamOutput(StreamOutput {
                entries: vec![
                    StreamOutputEntry {
                        stream: 1,
                        semantic_name: Some("COLOR".into()),
                        semantic_index: 2,
                        start_component: 0,
                        component_count: 4,
                        output_slot: 3,
                    },
                    StreamOutputEntry {
                        stream: 0,
                        semantic_name: None,
                        semantic_index: 0,
                        start_component: 0,
                        component_count: 1,
                        output_slot: 0,
                    },
                ],
                strides: vec![16],
                rasterized_stream: 0,
            })),
            Subobject::Association(Association {
                subobject: 8,
                exports: vec!["vertex".into()],
            }),
            Subobject::PipelineConfig1(D3D12_RAYTRACING_PIPELINE_CONFIG1::default()),
            Subobject::PipelineConfig(D3D12_RAYTRACING_PIPELINE_CONFIG::default()),
            Subobject::LocalRootSignature(bytes("local")),
            Subobject::GlobalRootSignature(bytes("global")),
            Subobject::Library(DxilLibrary {
                bytecode: bytes("library"),
                exports: vec![Export {
                    name: "vertex".into(),
                    export_to_rename: Some("main".into()),
                    flags: 0,
                }],
            }),
            Subobject::Collection(ExistingCollection {
                collection: b"key".to_vec(),
                exports: Vec::new(),
            }),
            Subobject::DxilAssociation(DxilAssociation {
                subobject: "config".into(),
                exports: Vec::new(),
            }),
            Subobject::HitGroup(HitGroup {
                export: "group".into(),
                any_hit: Some(String::new()),
                ..HitGroup::default()
            }),
            Subobject::WorkGraph(WorkGraph {
                name: "graph".into(),
                nodes: vec![ShaderNode {
                    shader: "node".into(),
                    overrides_type: D3D12_NODE_OVERRIDES_TYPE_BROADCASTING_LAUNCH,
                    share_input_of: Some(NodeId::default()),
                    dispatch_grid: Some([1, 2, 3]),
                    ..ShaderNode::default()
                }],
                ..WorkGraph::default()
            }),
            Subobject::ShaderConfig(D3D12_RAYTRACING_SHADER_CONFIG::default()),
            Subobject::Config(4),
            Subobject::NodeMask(1),
            Subobject::NodeMask(2),
        ],
    }
}

/// Reads a description, with collections by their keys.
fn read(desc: &D3D12_STATE_OBJECT_DESC) -> StateObjectDesc<Vec<u8>, &[u8]> {
    // SAFETY: the tests' structures are alive.
    let read = unsafe { StateObjectDesc::from_raw(desc, |_| None) }.unwrap();
    let keys = read.with_collections(|_, name| match name {
        CollectionOfCaller::Key(key) => Ok(key),
        other => Err(other),
    });
    keys.unwrap()
}

#[test]
fn state_objects() {
    let desc = description();
    let raw = desc.to_raw();
    let read = read(raw.desc());
    assert_eq!(read.kind, desc.kind);
    for (read, written) in read.placed().zip(desc.placed()) {
        assert_eq!(read.0, written.0);
        // They differ in what holds blobs.
        assert_eq!(format!("{:?}", read.1), format!("{:?}", written.1));
    }
    assert_eq!(read.subobjects.len(), desc.subobjects.len());
}

#[test]
fn what_a_caller_refuses_is_not_read() {
    for kind in [
        D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
        D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE,
    ] {
        let subobject = D3D12_STATE_SUBOBJECT {
            Type: kind,
            pDesc: ptr::dangling::<c_void>(),
        };
        let desc = D3D12_STATE_OBJECT_DESC {
            Type: 0,
            NumSubobjects: 1,
            pSubobjects: &raw const subobject,
        };
        let refused = |asked| (asked == kind).then_some("no");
        // SAFETY: nobody follows the pointer of a subobject that is refused.
        let read = unsafe { StateObjectDesc::from_raw(&raw const desc, refused) };
        let text = read.unwrap_err().text;
        assert!(text.ends_with("): no"), "{text}");
    }
}

#[test]
fn places_of_records() {
    let mut desc = PipelineStateDesc {
        node_mask: Some(1),
        ..PipelineStateDesc::default()
    };
    desc.shaders[ShaderStage::Compute] = Some(Blob::from(&b"shader"[..]));
    let raw = desc.to_raw();
    // SAFETY: the description is alive.
    let (read, places) = unsafe { PipelineStateDesc::borrow_raw(raw.desc()) }.unwrap();
    assert_eq!(read.to_shared(), desc);
    assert_eq!(read, desc.borrowed());
    let mask = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_NODE_MASK;
    let offset = size_of::<PipelineStateSubobject<D3D12_SHADER_BYTECODE>>();
    let place = format!("record 1 at byte {offset} (NODE_MASK)");
    assert_eq!(places.of(mask).to_string(), place);
    // What did not come in a stream has no place there.
    assert_eq!(RecordPlaces::default().of(mask).to_string(), "NODE_MASK");
}

#[test]
fn a_semantic_of_no_utf_8() {
    let element = D3D12_INPUT_ELEMENT_DESC {
        SemanticName: windows_core::PCSTR(c"\xff".as_ptr().cast()),
        ..D3D12_INPUT_ELEMENT_DESC::default()
    };
    let mut record = PipelineStateSubobject::new(
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT,
        D3D12_INPUT_LAYOUT_DESC {
            pInputElementDescs: &raw const element,
            NumElements: 1,
        },
    );
    let desc = D3D12_PIPELINE_STATE_STREAM_DESC {
        SizeInBytes: size_of_val(&record),
        pPipelineStateSubobjectStream: (&raw mut record).cast(),
    };
    // SAFETY: the stream is alive.
    let invalid = unsafe { PipelineStateDesc::from_raw(&raw const desc) }.unwrap_err();
    assert_eq!(invalid.reason, Reason::InputSemantic);
    let text = "record 0 at byte 0 (INPUT_LAYOUT): input element 0: SemanticName is no UTF-8";
    assert_eq!(invalid.text, text);
}
