//! A database of real shaders, stored from the API's structures and given back as them.

use std::ffi::c_void;
use std::fs;
use std::path::Path;
use std::ptr;

#[allow(clippy::wildcard_imports, reason = "the structures of descriptions")]
use api_sys::*;
use shader_db::sodb::{
    Access, ApiCollection, ApiObjects, Application, Associated, Kind, PipelineStateDesc,
    ShaderStage, Sodb, StateObjectDesc,
};
use windows_core::{BOOL, PCWSTR, s, w};

use crate::Place;

fn shader(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dxil/corpus/dxil");
    fs::read(folder.join(name).with_extension("dxil")).expect("a container of the corpus")
}

fn bytecode(bytes: &[u8]) -> D3D12_SHADER_BYTECODE {
    D3D12_SHADER_BYTECODE {
        pShaderBytecode: bytes.as_ptr().cast(),
        BytecodeLength: bytes.len(),
    }
}

fn stream<T>(stream: &mut T) -> D3D12_PIPELINE_STATE_STREAM_DESC {
    D3D12_PIPELINE_STATE_STREAM_DESC {
        SizeInBytes: size_of::<T>(),
        pPipelineStateSubobjectStream: ptr::from_mut(stream).cast::<c_void>(),
    }
}

fn subobject<T>(kind: D3D12_STATE_SUBOBJECT_TYPE, payload: &T) -> D3D12_STATE_SUBOBJECT {
    D3D12_STATE_SUBOBJECT {
        Type: kind,
        pDesc: ptr::from_ref(payload).cast(),
    }
}

fn state_object(
    kind: D3D12_STATE_OBJECT_TYPE,
    subobjects: &[D3D12_STATE_SUBOBJECT],
) -> StateObjectDesc {
    let desc = D3D12_STATE_OBJECT_DESC {
        Type: kind,
        NumSubobjects: subobjects.len().try_into().unwrap(),
        pSubobjects: subobjects.as_ptr(),
    };
    // SAFETY: the callers' structures are alive.
    unsafe { StateObjectDesc::from_raw(&raw const desc) }.expect("a description")
}

/// The records of a graphics pipeline, some of them in older versions.
#[repr(C)]
struct Graphics {
    vs: PipelineStateSubobject<D3D12_SHADER_BYTECODE>,
    ps: PipelineStateSubobject<D3D12_SHADER_BYTECODE>,
    layout: PipelineStateSubobject<D3D12_INPUT_LAYOUT_DESC>,
    rasterizer: PipelineStateSubobject<D3D12_RASTERIZER_DESC>,
    depth_stencil: PipelineStateSubobject<D3D12_DEPTH_STENCIL_DESC>,
    topology: PipelineStateSubobject<D3D12_PRIMITIVE_TOPOLOGY_TYPE>,
    formats: PipelineStateSubobject<D3D12_RT_FORMAT_ARRAY>,
    root_signature: PipelineStateSubobject<*const c_void>,
    cached: PipelineStateSubobject<D3D12_CACHED_PIPELINE_STATE>,
}

fn graphics() -> PipelineStateDesc {
    let (vs, ps) = (shader("forward_lit_vs"), shader("forward_lit_ps"));
    let elements = [
        D3D12_INPUT_ELEMENT_DESC {
            SemanticName: s!("POSITION"),
            Format: DXGI_FORMAT_R32G32B32_FLOAT,
            AlignedByteOffset: D3D12_APPEND_ALIGNED_ELEMENT,
            ..Default::default()
        },
        D3D12_INPUT_ELEMENT_DESC {
            SemanticName: s!("NORMAL"),
            Format: DXGI_FORMAT_R32G32B32_FLOAT,
            AlignedByteOffset: D3D12_APPEND_ALIGNED_ELEMENT,
            ..Default::default()
        },
    ];
    let mut formats = D3D12_RT_FORMAT_ARRAY {
        NumRenderTargets: 1,
        ..Default::default()
    };
    formats.RTFormats[0] = DXGI_FORMAT_R8G8B8A8_UNORM;
    let mut records = Graphics {
        vs: PipelineStateSubobject::new(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS, bytecode(&vs)),
        ps: PipelineStateSubobject::new(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS, bytecode(&ps)),
        layout: PipelineStateSubobject::new(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT,
            D3D12_INPUT_LAYOUT_DESC {
                pInputElementDescs: elements.as_ptr(),
                NumElements: 2,
            },
        ),
        rasterizer: PipelineStateSubobject::new(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER,
            D3D12_RASTERIZER_DESC {
                DepthBias: -3,
                MultisampleEnable: BOOL(7),
                ..Default::default()
            },
        ),
        depth_stencil: PipelineStateSubobject::new(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL,
            D3D12_DEPTH_STENCIL_DESC {
                StencilReadMask: 1,
                StencilWriteMask: 2,
                ..Default::default()
            },
        ),
        topology: PipelineStateSubobject::new(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
            D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE,
        ),
        formats: PipelineStateSubobject::new(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
            formats,
        ),
        root_signature: PipelineStateSubobject::new(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE,
            ptr::null(),
        ),
        cached: PipelineStateSubobject::new(
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CACHED_PSO,
            D3D12_CACHED_PIPELINE_STATE::default(),
        ),
    };
    let desc = stream(&mut records);
    // SAFETY: everything is alive.
    let desc = unsafe { PipelineStateDesc::from_raw(&raw const desc) }.expect("a stream");
    let state = &desc.fixed_function;
    let layout = state.input_layout.as_ref().unwrap();
    assert_eq!(layout[1].semantic_name, "NORMAL");
    let rasterizer = state.rasterizer.unwrap();
    assert!((rasterizer.DepthBias + 3.0).abs() < f32::EPSILON);
    assert_eq!(
        rasterizer.LineRasterizationMode,
        D3D12_LINE_RASTERIZATION_MODE_QUADRILATERAL_WIDE
    );
    let depth_stencil = state.depth_stencil.unwrap();
    assert_eq!(depth_stencil.BackFace.StencilReadMask, 1);
    assert_eq!(depth_stencil.FrontFace.StencilWriteMask, 2);
    desc
}

fn of_shaders(shaders: &[(ShaderStage, &str)]) -> PipelineStateDesc {
    let mut desc = PipelineStateDesc::default();
    for (stage, name) in shaders {
        desc.shaders[*stage] = Some(shader(name).into());
    }
    desc
}

fn library(bytes: &[u8]) -> D3D12_DXIL_LIBRARY_DESC {
    D3D12_DXIL_LIBRARY_DESC {
        DXILLibrary: bytecode(bytes),
        ..Default::default()
    }
}

/// A pipeline of ray tracing that takes a collection; its association points at a subobject behind it.
fn raytracing(collection: &[u8]) -> StateObjectDesc {
    let code = shader("rt_pipeline_lib63");
    let library = library(&code);
    let root_signature = shader("rs_tables_1_1");
    let root_signature = D3D12_SERIALIZED_ROOT_SIGNATURE_DESC {
        pSerializedBlob: root_signature.as_ptr().cast(),
        SerializedBlobSizeInBytes: root_signature.len(),
    };
    let config = D3D12_STATE_OBJECT_CONFIG {
        Flags: D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS,
    };
    let shader_config = D3D12_RAYTRACING_SHADER_CONFIG {
        MaxPayloadSizeInBytes: 16,
        MaxAttributeSizeInBytes: 8,
    };
    let pipeline_config = D3D12_RAYTRACING_PIPELINE_CONFIG {
        MaxTraceRecursionDepth: 2,
    };
    let group = D3D12_HIT_GROUP_DESC {
        HitGroupExport: w!("Group"),
        ClosestHitShaderImport: w!("ClosestHit"),
        ..Default::default()
    };
    let export = D3D12_EXPORT_DESC {
        Name: w!("Miss2"),
        ExportToRename: w!("Miss"),
        Flags: 0,
    };
    let collection = D3D12_EXISTING_COLLECTION_BY_KEY_DESC {
        pKey: collection.as_ptr().cast(),
        KeySize: collection.len().try_into().unwrap(),
        NumExports: 1,
        pExports: &raw const export,
    };
    let mut names = [w!("Group"), w!("Miss2")];
    let mut subobjects = [
        D3D12_STATE_SUBOBJECT::default(),
        subobject(D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &library),
        subobject(D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, &config),
        subobject(
            D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE,
            &root_signature,
        ),
        subobject(
            D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
            &shader_config,
        ),
        subobject(
            D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
            &pipeline_config,
        ),
        subobject(D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP, &group),
        subobject(
            D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY,
            &collection,
        ),
    ];
    let association = D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
        pSubobjectToAssociate: subobjects[3..].as_ptr(),
        NumExports: 2,
        pExports: names.as_mut_ptr(),
    };
    subobjects[0] = subobject(
        D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
        &association,
    );
    let desc = state_object(D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE, &subobjects);
    assert_eq!(
        desc.associations[0].subobject,
        Associated::LocalRootSignature(0)
    );
    desc
}

/// A program whose shaders are in a collection.
fn programs(collection: &[u8]) -> StateObjectDesc {
    let collection = D3D12_EXISTING_COLLECTION_BY_KEY_DESC {
        pKey: collection.as_ptr().cast(),
        KeySize: collection.len().try_into().unwrap(),
        ..Default::default()
    };
    let topology = D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE;
    let mask = 0x55_u32;
    let unlisted = 0xAA_u32;
    let mut subobjects = vec![
        subobject(
            D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY,
            &collection,
        ),
        subobject(D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY, &topology),
        subobject(D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, &unlisted),
        subobject(D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_MASK, &mask),
        D3D12_STATE_SUBOBJECT::default(),
    ];
    let listed = [subobjects[3..].as_ptr(), subobjects[1..].as_ptr()];
    let mut names = [w!("VSMain"), w!("PSMain")];
    let program = D3D12_GENERIC_PROGRAM_DESC {
        ProgramName: w!("Program"),
        NumExports: 2,
        pExports: names.as_mut_ptr(),
        NumSubobjects: 2,
        ppSubobjects: listed.as_ptr(),
    };
    subobjects[4] = subobject(D3D12_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM, &program);
    let desc = state_object(D3D12_STATE_OBJECT_TYPE_EXECUTABLE, &subobjects);
    assert_eq!(desc.generic_programs[0].state.sample_mask, Some(mask));
    desc
}

fn collection_of(code: &[u8], name: PCWSTR) -> StateObjectDesc {
    let export = D3D12_EXPORT_DESC {
        Name: name,
        ExportToRename: w!("*"),
        Flags: 0,
    };
    let mut library = library(code);
    library.NumExports = 1;
    library.pExports = &raw const export;
    state_object(
        D3D12_STATE_OBJECT_TYPE_COLLECTION,
        &[subobject(D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &library)],
    )
}

fn graph() -> StateObjectDesc {
    let code = shader("wg_nodes_lib68");
    let library = library(&code);
    let (new_name, nothing) = (
        D3D12_NODE_ID {
            Name: w!("Renamed"),
            ArrayIndex: 3,
        },
        D3D12_NODE_ID::default(),
    );
    let (index, entry, grid) = (4_u32, BOOL(1), [1_u32, 2, 3]);
    let output = D3D12_NODE_OUTPUT_OVERRIDES {
        OutputIndex: 1,
        pMaxRecords: &raw const index,
        ..Default::default()
    };
    let overrides = D3D12_BROADCASTING_LAUNCH_OVERRIDES {
        pLocalRootArgumentsTableIndex: &raw const index,
        pProgramEntry: &raw const entry,
        pNewName: &raw const new_name,
        pShareInputOf: &raw const nothing,
        pDispatchGrid: grid.as_ptr(),
        NumOutputOverrides: 1,
        pOutputOverrides: &raw const output,
        ..Default::default()
    };
    let node = D3D12_NODE {
        NodeType: D3D12_NODE_TYPE_SHADER,
        Anonymous: D3D12_NODE_0 {
            Shader: D3D12_SHADER_NODE {
                Shader: w!("Root"),
                OverridesType: D3D12_NODE_OVERRIDES_TYPE_BROADCASTING_LAUNCH,
                Anonymous: D3D12_SHADER_NODE_0 {
                    pBroadcastingLaunchOverrides: &raw const overrides,
                },
            },
        },
    };
    let graph = D3D12_WORK_GRAPH_DESC {
        ProgramName: w!("Graph"),
        Flags: D3D12_WORK_GRAPH_FLAG_INCLUDE_ALL_AVAILABLE_NODES,
        NumEntrypoints: 1,
        pEntrypoints: &raw const new_name,
        NumExplicitlyDefinedNodes: 1,
        pExplicitlyDefinedNodes: &raw const node,
    };
    let desc = state_object(
        D3D12_STATE_OBJECT_TYPE_EXECUTABLE,
        &[
            subobject(D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &library),
            subobject(D3D12_STATE_SUBOBJECT_TYPE_WORK_GRAPH, &graph),
        ],
    );
    let node = &desc.work_graphs[0].nodes[0];
    assert_eq!(node.share_input_of.as_ref().unwrap().name, "");
    assert_eq!(node.dispatch_grid, Some(grid));
    desc
}

/// Stores one object of each kind.
pub fn fill(sodb: &Sodb) {
    sodb.set_application(&Application {
        exe: "example.exe".into(),
        name: "Example".into(),
        version: 1 << 48,
        engine_name: None,
        engine_version: 0,
    })
    .unwrap();
    let pipelines = [
        graphics(),
        of_shaders(&[(ShaderStage::Compute, "histogram_cs")]),
        of_shaders(&[
            (ShaderStage::Amplification, "meshlet_as"),
            (ShaderStage::Mesh, "meshlet_ms"),
            (ShaderStage::Pixel, "meshlet_ps"),
        ]),
    ];
    for (index, desc) in pipelines.iter().enumerate() {
        sodb.store_pipeline_state(format!("pipeline {index}").as_bytes(), 1, desc)
            .unwrap();
    }
    let code = shader("functions_lib66");
    let functions = collection_of(&code, w!("Functions"));
    sodb.store_state_object(b"functions", 1, &functions, None)
        .unwrap();
    sodb.store_state_object(b"rays", 2, &raytracing(b"functions"), None)
        .unwrap();
    let addition = shader("rt_subobjects_lib63");
    let mut addition = collection_of(&addition, w!("Added"));
    addition.kind = D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE;
    sodb.store_state_object(b"more rays", 3, &addition, Some(b"rays"))
        .unwrap();
    let vs = shader("forward_lit_vs");
    sodb.store_state_object(b"vs", 1, &collection_of(&vs, w!("VSMain")), None)
        .unwrap();
    sodb.store_state_object(b"program", 4, &programs(b"vs"), None)
        .unwrap();
    sodb.store_state_object(b"graph", 5, &graph(), None)
        .unwrap();
}

#[test]
fn an_example_of_each_kind() {
    let place = Place::new();
    let sodb = place.create();
    fill(&sodb);
    sodb.close().unwrap();
    let sodb = place.read();
    assert_eq!(
        sodb.find_pipeline_state(b"pipeline 0")
            .unwrap()
            .unwrap()
            .desc,
        graphics()
    );
    for (key, desc) in [
        (&b"rays"[..], raytracing(b"functions")),
        (b"program", programs(b"vs")),
        (b"graph", graph()),
    ] {
        let found = sodb.find_state_object(key).unwrap().unwrap();
        assert_eq!(found.desc, desc);
        let raw = found.desc.to_raw();
        // SAFETY: it was just made and is alive.
        let read = unsafe { StateObjectDesc::from_raw(raw.desc()) };
        assert_eq!(read.unwrap(), desc);
    }
    let addition = sodb.find_state_object(b"more rays").unwrap().unwrap();
    assert_eq!(addition.parent.as_deref(), Some(&b"rays"[..]));
    let entries = sodb.entries().unwrap();
    assert_eq!(entries.len(), 9);
    assert_eq!(entries[4].collections, [b"functions"]);
    assert_eq!(entries[4].kind, Kind::StateObject(Some(3)));
    // The vertex shader of the pipeline and of the collection are one.
    assert_eq!(sodb.counts().unwrap().shaders, 10);
}

#[test]
fn structures_with_faults_are_refused_by_place() {
    // SAFETY: null and what is in this function; nothing else is pointed at.
    let refused = |desc: D3D12_STATE_OBJECT_DESC| unsafe {
        StateObjectDesc::from_raw(&raw const desc)
            .expect_err("a fault")
            .to_string()
    };
    let of = |subobjects: &[D3D12_STATE_SUBOBJECT]| D3D12_STATE_OBJECT_DESC {
        Type: 0,
        NumSubobjects: subobjects.len().try_into().unwrap(),
        pSubobjects: subobjects.as_ptr(),
    };
    let object = D3D12_STATE_SUBOBJECT {
        Type: D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE,
        pDesc: ptr::null(),
    };
    assert!(refused(of(&[object])).contains("SERIALIZED"));
    let null = D3D12_STATE_SUBOBJECT {
        Type: D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
        pDesc: ptr::null(),
    };
    assert!(refused(of(&[null])).contains("pSubobjects[0] (DXIL_LIBRARY): pDesc is null"));
    let unknown = D3D12_STATE_SUBOBJECT { Type: 38, ..null };
    assert!(refused(of(&[unknown])).contains("pSubobjects[0] (OUTPUT_LINKAGE_SIGNATURE)"));
    let flags = [1_u32, 2];
    let differ = [
        subobject(D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, &flags[0]),
        subobject(D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, &flags[1]),
    ];
    assert!(refused(of(&differ)).contains("a place for one"));
    // Of two equal ones a default, which the schema cannot tell from the one that is associated with an export.
    let name = ['x' as u16, 0];
    let names = [PCWSTR(name.as_ptr())];
    for kind in [
        D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
        D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK,
    ] {
        for count in [0, 1] {
            let mut both = [subobject(kind, &flags[0]); 3];
            let association = D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
                pSubobjectToAssociate: &raw const both[1],
                NumExports: count,
                pExports: names.as_ptr().cast_mut(),
            };
            both[2] = subobject(
                D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
                &association,
            );
            let desc = of(&both);
            // SAFETY: the description and what it points at are alive.
            let read = unsafe { StateObjectDesc::from_raw(&raw const desc) };
            match count {
                0 => assert!(read.is_ok()),
                _ => assert!(read.unwrap_err().to_string().contains("it is a default")),
            }
        }
    }
    let outside = D3D12_STATE_SUBOBJECT::default();
    let association = D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
        pSubobjectToAssociate: &raw const outside,
        ..Default::default()
    };
    let association = subobject(
        D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
        &association,
    );
    assert!(refused(of(&[association])).contains("no element"));
    let surrogate = [0xD800_u16, 0];
    let name = D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
        SubobjectToAssociate: PCWSTR(surrogate.as_ptr()),
        ..Default::default()
    };
    let name = subobject(
        D3D12_STATE_SUBOBJECT_TYPE_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
        &name,
    );
    assert!(refused(of(&[name])).contains("surrogate"));
    let absurd = D3D12_STATE_OBJECT_DESC {
        Type: 0,
        NumSubobjects: u32::MAX,
        pSubobjects: ptr::dangling(),
    };
    assert!(refused(absurd).contains("limit"));
}

#[test]
fn streams_with_faults_are_refused_by_place() {
    // SAFETY: null and what is in this function; nothing else is pointed at.
    let refused = |words: &mut [u64], size: usize| unsafe {
        let desc = D3D12_PIPELINE_STATE_STREAM_DESC {
            SizeInBytes: size,
            pPipelineStateSubobjectStream: words.as_mut_ptr().cast(),
        };
        PipelineStateDesc::from_raw(&raw const desc)
            .expect_err("a fault")
            .to_string()
    };
    assert!(refused(&mut [0; 1], 0).contains("no bytes"));
    assert!(refused(&mut [23, 0], 16).contains("type 23 is unknown"));
    // NODE_MASK twice.
    assert!(
        refused(&mut [18, 18], 16)
            .contains("record 1 at byte 8 (NODE_MASK) repeats record 0 at byte 0")
    );
    assert!(
        refused(&mut [18, 18], 10).contains("record 1 at byte 8 (the type): it ends at byte 12")
    );
    // RASTERIZER1 and RASTERIZER2.
    let mut twice = [0_u64; 12];
    (twice[0], twice[6]) = (27, 28);
    assert!(refused(&mut twice, 96).contains("record 1 at byte 48 (RASTERIZER2) repeats"));
    if size_of::<usize>() == 8 {
        // A shader of bytes that are nowhere, and one without any.
        assert!(refused(&mut [1, 0, 9], 24).contains("(VS): pShaderBytecode is null"));
        assert!(refused(&mut [1, 8, 0], 24).contains("has no bytes"));
    }
    let misaligned = D3D12_PIPELINE_STATE_STREAM_DESC {
        SizeInBytes: 8,
        pPipelineStateSubobjectStream: ptr::without_provenance_mut(3),
    };
    // SAFETY: `misaligned` is alive, and its stream is refused before it is read.
    let refused = unsafe { PipelineStateDesc::from_raw(&raw const misaligned) };
    assert!(refused.unwrap_err().to_string().contains("not aligned"));
    // SAFETY: null is refused.
    assert!(unsafe { PipelineStateDesc::from_raw(ptr::null()) }.is_err());
}

#[test]
fn an_object_of_a_device_is_not_stored() {
    let mut words = [0_usize, 8];
    let desc = D3D12_PIPELINE_STATE_STREAM_DESC {
        SizeInBytes: size_of_val(&words),
        pPipelineStateSubobjectStream: words.as_mut_ptr().cast(),
    };
    // SAFETY: the stream is alive; nobody follows the pointer to the root signature.
    let desc = unsafe { PipelineStateDesc::from_raw(&raw const desc) }.unwrap();
    let place = Place::new();
    let refused = place.create().store_pipeline_state(b"key", 1, &desc);
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("ID3D12RootSignature"), "{text}");
}

#[test]
fn an_example_is_merged() {
    let [from, to] = [Place::new(), Place::new()];
    let sodb = from.create();
    fill(&sodb);
    let merged = to.create();
    assert_eq!(merged.merge(&[&sodb]).unwrap()[0].added.len(), 9);
    assert_eq!(merged.entries().unwrap(), sodb.entries().unwrap());
    drop(merged);
    let merged = Sodb::open(to.path(), Access::Read).unwrap();
    for entry in sodb.entries().unwrap() {
        assert_eq!(
            merged.find_pipeline_state(&entry.key).unwrap(),
            sodb.find_pipeline_state(&entry.key).unwrap()
        );
        assert_eq!(
            merged.find_state_object(&entry.key).unwrap(),
            sodb.find_state_object(&entry.key).unwrap()
        );
    }
}

mod compiled {
    #![allow(
        clippy::inline_always,
        clippy::ref_as_ptr,
        reason = "windows_core::implement writes it"
    )]

    use std::ffi::c_void;
    use std::sync::Arc;

    use api_sys::{E_NOTIMPL, ID3D12CompilerStateObject, ID3D12CompilerStateObject_Impl};
    use windows_core::{GUID, HRESULT, implement};

    /// What a compiler made of a collection.
    #[implement(ID3D12CompilerStateObject)]
    pub struct Collection {
        pub alive: Arc<()>,
    }

    impl ID3D12CompilerStateObject_Impl for Collection_Impl {
        unsafe fn GetCompiler(&self, _: *const GUID, _: *mut *mut c_void) -> HRESULT {
            let _ = &self.alive;
            E_NOTIMPL
        }
    }
}

#[test]
fn a_compiler_takes_objects_in_place_of_keys() {
    let alive = std::sync::Arc::new(());
    let object: ID3D12CompilerStateObject = compiled::Collection {
        alive: alive.clone(),
    }
    .into();
    let desc = raytracing(b"functions");
    let objects = ApiObjects {
        collections: vec![Some(ApiCollection::Compiled(object.clone()))],
        ..ApiObjects::default()
    };
    let raw = desc.to_raw_with(&objects);
    drop(objects);
    // SAFETY: the description is alive.
    let subobjects = unsafe {
        std::slice::from_raw_parts(raw.desc().pSubobjects, raw.desc().NumSubobjects as usize)
    };
    let taken: Vec<_> = subobjects
        .iter()
        .filter(|subobject| {
            subobject.Type == D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION
        })
        .collect();
    assert_eq!(taken.len(), 1);
    // SAFETY: the type says what it is.
    let taken = unsafe {
        &*taken[0]
            .pDesc
            .cast::<D3D12_COMPILER_EXISTING_COLLECTION_DESC>()
    };
    assert_eq!(taken.pExistingCollection.as_ref(), Some(&object));
    assert_eq!(taken.NumExports, 1);
    // The description has a reference of its own, and gives it back.
    drop(object);
    assert_eq!(std::sync::Arc::strong_count(&alive), 2);
    drop(raw);
    assert_eq!(std::sync::Arc::strong_count(&alive), 1);
}
