//! `example.sodb`: real shaders of the corpus as pipeline states, and as state objects of each kind.

pub mod many;

use std::path::Path;

use api_sys::{
    D3D12_APPEND_ALIGNED_ELEMENT, D3D12_INPUT_CLASSIFICATION_PER_VERTEX_DATA,
    D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE, D3D12_RAYTRACING_PIPELINE_CONFIG1,
    D3D12_RAYTRACING_SHADER_CONFIG, D3D12_RT_FORMAT_ARRAY,
    D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS, D3D12_STATE_OBJECT_TYPE_COLLECTION,
    D3D12_STATE_OBJECT_TYPE_EXECUTABLE, D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
    D3D12_WORK_GRAPH_FLAG_INCLUDE_ALL_AVAILABLE_NODES, DXGI_FORMAT, DXGI_FORMAT_R8G8B8A8_UNORM,
    DXGI_FORMAT_R32G32_FLOAT, DXGI_FORMAT_R32G32B32_FLOAT, DXGI_FORMAT_R32G32B32A32_FLOAT,
};
use dxil::{
    DescriptorRange, DescriptorRangeType, RootParameterDesc, RootParameterKindDesc,
    RootSignatureDesc, RootSignatureFlags, ShaderVisibility, Version,
};
use shader_db::sodb::{
    Application, Associated, Association, Blob, DxilLibrary, ExistingCollection, Export,
    GenericProgram, HitGroup, InputElement, PipelineStateDesc, ShaderStage, Sodb, StateObjectDesc,
    WorkGraph,
};

/// Stores the application and the objects.
///
/// # Errors
///
/// A shader cannot be read, or the database not written.
pub fn fill(sodb: &Sodb) -> Result<(), Box<dyn std::error::Error>> {
    sodb.set_application(&Application {
        exe: "Example.exe".into(),
        name: "Example".into(),
        version: 1 << 48,
        engine_name: None,
        engine_version: 0,
    })?;
    for pass in ["plain", "tex", "lit", "lit_tex", "full"] {
        let key = format!("forward {pass}");
        sodb.store_pipeline_state(key.as_bytes(), 1, &forward(pass)?)?;
    }
    let pipelines = [
        // Its shaders have a root signature.
        pipeline(
            &[
                (ShaderStage::Vertex, "fullscreen_vs"),
                (ShaderStage::Pixel, "fullscreen_ps"),
            ],
            None,
        )?,
        pipeline(
            &[
                (ShaderStage::Amplification, "meshlet_as"),
                (ShaderStage::Mesh, "meshlet_ms"),
                (ShaderStage::Pixel, "meshlet_ps"),
            ],
            Some(root_signature(false)?),
        )?,
    ];
    for (key, mut desc) in ["fullscreen", "meshlets"].into_iter().zip(pipelines) {
        desc.fixed_function.render_target_formats = Some(render_target());
        sodb.store_pipeline_state(key.as_bytes(), 1, &desc)?;
    }
    for name in [
        "blur_h2_cs",
        "blur_h4_cs",
        "blur_v2_cs",
        "blur_v4_cs",
        "histogram_cs",
    ] {
        let desc = pipeline(
            &[(ShaderStage::Compute, name)],
            Some(root_signature(false)?),
        )?;
        sodb.store_pipeline_state(name.as_bytes(), 1, &desc)?;
    }
    let desc = pipeline(&[(ShaderStage::Compute, "heap_cs")], None)?;
    sodb.store_pipeline_state(b"heap_cs", 1, &desc)?;

    sodb.store_state_object(b"rays: noise", 1, &noise()?, None)?;
    sodb.store_state_object(b"rays", 1, &rays(b"rays: noise")?, None)?;
    sodb.store_state_object(b"rays: more noise", 1, &more_noise()?, Some(b"rays"))?;
    sodb.store_state_object(b"programs", 1, &programs()?, None)?;
    sodb.store_state_object(b"work graph", 1, &work_graph()?, None)?;
    Ok(())
}

fn shader(name: &str) -> std::io::Result<Blob> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dxil/corpus/dxil");
    Ok(std::fs::read(folder.join(name).with_extension("dxil"))?.into())
}

/// What the shaders here bind: space 0 for all, or the record of a hit group.
fn root_signature(local: bool) -> Result<Blob, Box<dyn std::error::Error>> {
    use DescriptorRangeType as Kind;
    let (flags, tables): (_, &[_]) = if local {
        let flags = RootSignatureFlags::LOCAL_ROOT_SIGNATURE;
        (flags, &[(Kind::CBV, 1, 1)])
    } else {
        (
            RootSignatureFlags::ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT,
            &[
                (Kind::CBV, 2, 0),
                (Kind::SRV, 4, 0),
                (Kind::SRV, 4, 1),
                (Kind::UAV, 4, 0),
                (Kind::SAMPLER, 1, 0),
            ],
        )
    };
    let table =
        |&(range_type, num_descriptors, register_space): &(Kind, u32, u32)| RootParameterDesc {
            shader_visibility: ShaderVisibility::ALL,
            kind: RootParameterKindDesc::DescriptorTable(vec![DescriptorRange {
                range_type,
                num_descriptors,
                base_shader_register: 0,
                register_space,
                flags: None,
                offset_in_descriptors_from_table_start: 0,
            }]),
        };
    let desc = RootSignatureDesc {
        version: Version { major: 1, minor: 0 },
        parameters: tables.iter().map(table).collect(),
        static_samplers: Vec::new(),
        flags,
    };
    Ok(desc.serialize()?.into())
}

fn render_target() -> D3D12_RT_FORMAT_ARRAY {
    let mut formats = D3D12_RT_FORMAT_ARRAY {
        NumRenderTargets: 1,
        ..Default::default()
    };
    formats.RTFormats[0] = DXGI_FORMAT_R8G8B8A8_UNORM;
    formats
}

fn pipeline(
    shaders: &[(ShaderStage, &str)],
    root_signature: Option<Blob>,
) -> std::io::Result<PipelineStateDesc> {
    let mut desc = PipelineStateDesc {
        root_signature,
        ..Default::default()
    };
    for (stage, name) in shaders {
        desc.shaders[*stage] = Some(shader(name)?);
    }
    if desc.shaders[ShaderStage::Vertex].is_some() {
        let triangles = D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE;
        desc.fixed_function.primitive_topology = Some(triangles);
    }
    Ok(desc)
}

fn input(elements: &[(&str, DXGI_FORMAT)]) -> Vec<InputElement> {
    let element = |(name, format): &(&str, DXGI_FORMAT)| InputElement {
        semantic_name: (*name).into(),
        format: *format,
        semantic_index: 0,
        input_slot: 0,
        aligned_byte_offset: D3D12_APPEND_ALIGNED_ELEMENT,
        input_slot_class: D3D12_INPUT_CLASSIFICATION_PER_VERTEX_DATA,
        instance_data_step_rate: 0,
    };
    elements.iter().map(element).collect()
}

/// A permutation of the forward pass.
///
/// # Errors
///
/// A shader cannot be read.
pub fn forward(pass: &str) -> Result<PipelineStateDesc, Box<dyn std::error::Error>> {
    let (vs, ps) = (format!("forward_{pass}_vs"), format!("forward_{pass}_ps"));
    let shaders = [(ShaderStage::Vertex, &*vs), (ShaderStage::Pixel, &*ps)];
    let mut desc = pipeline(&shaders, Some(root_signature(false)?))?;
    desc.fixed_function.render_target_formats = Some(render_target());
    desc.fixed_function.input_layout = Some(input(&[
        ("POSITION", DXGI_FORMAT_R32G32B32_FLOAT),
        ("NORMAL", DXGI_FORMAT_R32G32_FLOAT),
        ("TEXCOORD", DXGI_FORMAT_R32G32_FLOAT),
        ("COLOR", DXGI_FORMAT_R32G32B32A32_FLOAT),
    ]));
    Ok(desc)
}

fn library(name: &str, exports: &[&str]) -> std::io::Result<DxilLibrary> {
    let export = |name: &&str| Export {
        name: (*name).into(),
        ..Default::default()
    };
    Ok(DxilLibrary {
        bytecode: shader(name)?,
        exports: exports.iter().map(export).collect(),
    })
}

/// A state object of raytracing shaders, with the configurations that all parts of a pipeline have in common.
fn raytracing(exports: &[&str]) -> std::io::Result<StateObjectDesc> {
    Ok(StateObjectDesc {
        kind: D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
        config: Some(D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS),
        libraries: vec![library("rt_pipeline_lib63", exports)?],
        shader_configs: vec![D3D12_RAYTRACING_SHADER_CONFIG {
            MaxPayloadSizeInBytes: 32,
            MaxAttributeSizeInBytes: 32,
        }],
        pipeline_configs: vec![D3D12_RAYTRACING_PIPELINE_CONFIG1 {
            MaxTraceRecursionDepth: 2,
            Flags: 0,
        }],
        ..Default::default()
    })
}

/// A collection of a callable shader.
///
/// # Errors
///
/// A shader cannot be read.
pub fn noise() -> std::io::Result<StateObjectDesc> {
    Ok(StateObjectDesc {
        kind: D3D12_STATE_OBJECT_TYPE_COLLECTION,
        ..raytracing(&["noise_a"])?
    })
}

/// A pipeline with the collection and a hit group of its own.
///
/// # Errors
///
/// A shader cannot be read.
pub fn rays(collection: &[u8]) -> Result<StateObjectDesc, Box<dyn std::error::Error>> {
    let exports = ["camera_rays", "sky_miss", "shade_triangle"];
    Ok(StateObjectDesc {
        global_root_signatures: vec![root_signature(false)?],
        local_root_signatures: vec![root_signature(true)?],
        collections: vec![ExistingCollection {
            collection: collection.into(),
            exports: Vec::new(),
        }],
        hit_groups: vec![HitGroup {
            export: "triangles".into(),
            closest_hit: Some("shade_triangle".into()),
            ..Default::default()
        }],
        associations: vec![Association {
            subobject: Associated::LocalRootSignature(0),
            exports: vec!["triangles".into()],
        }],
        ..raytracing(&exports)?
    })
}

/// An addition to the pipeline.
///
/// # Errors
///
/// A shader cannot be read.
pub fn more_noise() -> std::io::Result<StateObjectDesc> {
    raytracing(&["noise_b"])
}

/// A generic program, of shaders that were compiled for their stages.
fn programs() -> Result<StateObjectDesc, Box<dyn std::error::Error>> {
    let mut program = GenericProgram {
        name: Some("lit".into()),
        exports: vec!["vs".into(), "ps".into()],
        ..Default::default()
    };
    program.state.primitive_topology = Some(D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE);
    program.state.render_target_formats = Some(render_target());
    program.state.input_layout = forward("lit")?.fixed_function.input_layout;
    let whole = |name: &str, export: &str| {
        Ok::<_, std::io::Error>(DxilLibrary {
            bytecode: shader(name)?,
            exports: vec![Export {
                name: export.into(),
                export_to_rename: Some("*".into()),
                flags: 0,
            }],
        })
    };
    Ok(StateObjectDesc {
        kind: D3D12_STATE_OBJECT_TYPE_EXECUTABLE,
        global_root_signatures: vec![root_signature(false)?],
        libraries: vec![
            whole("forward_lit_vs", "vs")?,
            whole("forward_lit_ps", "ps")?,
        ],
        generic_programs: vec![program],
        ..Default::default()
    })
}

fn work_graph() -> Result<StateObjectDesc, Box<dyn std::error::Error>> {
    Ok(StateObjectDesc {
        kind: D3D12_STATE_OBJECT_TYPE_EXECUTABLE,
        global_root_signatures: vec![root_signature(false)?],
        libraries: vec![library("wg_nodes_lib68", &[])?],
        work_graphs: vec![WorkGraph {
            name: "bins".into(),
            flags: D3D12_WORK_GRAPH_FLAG_INCLUDE_ALL_AVAILABLE_NODES,
            ..Default::default()
        }],
        ..Default::default()
    })
}
