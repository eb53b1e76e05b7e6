//! Writes what the fuzz targets start from, into the folder `corpus` of this crate: small databases with something in every
//! table, in small pages, so that what the fuzzer changes means something.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use shader_db::psdb::{self, Psdb, Target, ValueType, ValueTypes};
use shader_db::sodb::{
    Access, Application, Associated, Association, DxilAssociation, DxilLibrary, ExistingCollection,
    Export, FixedFunction, GenericProgram, HitGroup, InputElement, NodeId, OutputOverrides,
    PipelineStateDesc, ShaderNode, ShaderStage, Sodb, StateObjectDesc, StreamOutput,
    StreamOutputEntry, ViewInstancing, WorkGraph,
};

type Done<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Done {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for (target, fill) in [
        ("sodb_open", fill_sodb as fn(&Path) -> Done),
        ("psdb_open", fill_psdb),
    ] {
        let folder = corpus.join(target);
        fs::create_dir_all(&folder)?;
        for pages in [512, 4096] {
            let path = folder.join(format!("{pages}"));
            if path.exists() {
                fs::remove_file(&path)?;
            }
            fill(&path)?;
            Connection::open(&path)?
                .execute_batch(&format!("PRAGMA page_size = {pages}; VACUUM;"))?;
            println!("{}: {} bytes", path.display(), fs::metadata(&path)?.len());
        }
    }
    Ok(())
}

fn application() -> Application {
    Application {
        exe: "game.exe".into(),
        name: "Game".into(),
        version: 1,
        engine_name: Some("Engine".into()),
        engine_version: 2,
    }
}

fn state() -> FixedFunction {
    let element = |name: &str| InputElement {
        semantic_name: name.into(),
        semantic_index: 0,
        format: 6,
        input_slot: 0,
        aligned_byte_offset: u32::MAX,
        input_slot_class: 0,
        instance_data_step_rate: 0,
    };
    let entry = |semantic: Option<&str>| StreamOutputEntry {
        stream: 0,
        semantic_name: semantic.map(str::to_owned),
        semantic_index: 0,
        start_component: 0,
        component_count: 4,
        output_slot: 0,
    };
    FixedFunction {
        stream_output: Some(StreamOutput {
            entries: vec![entry(Some("POSITION")), entry(None)],
            strides: vec![16],
            rasterized_stream: 0,
        }),
        blend: Some(Default::default()),
        sample_mask: Some(u32::MAX),
        rasterizer: Some(Default::default()),
        depth_stencil: Some(Default::default()),
        input_layout: Some(vec![element("POSITION"), element("NORMAL")]),
        ib_strip_cut_value: Some(0),
        primitive_topology: Some(3),
        render_target_formats: Some(Default::default()),
        depth_stencil_format: Some(40),
        sample_desc: Some(Default::default()),
        view_instancing: Some(ViewInstancing {
            locations: vec![Default::default(); 2],
            flags: 0,
        }),
        flags: Some(0),
    }
}

fn fill_sodb(path: &Path) -> Done {
    let sodb = Sodb::open(path, Access::Create)?;
    sodb.set_application(&application())?;
    let mut pipeline = PipelineStateDesc {
        root_signature: Some([1].into()),
        fixed_function: state(),
        node_mask: Some(1),
        ..Default::default()
    };
    for (number, stage) in ShaderStage::ALL.into_iter().enumerate() {
        pipeline.shaders[stage] = Some([number as u8].into());
    }
    sodb.store_pipeline_state(b"pipeline", 1, &pipeline)?;
    pipeline.fixed_function = Default::default();
    sodb.store_pipeline_state(b"plain", 2, &pipeline)?;

    let export = |name: &str| Export {
        name: name.into(),
        export_to_rename: Some("*".into()),
        flags: 0,
    };
    let library = |exports| DxilLibrary {
        bytecode: [9].into(),
        exports,
    };
    let collection = StateObjectDesc {
        libraries: vec![library(Vec::new())],
        ..Default::default()
    };
    sodb.store_state_object(b"collection", 1, &collection, None)?;
    let node = |name: &str| NodeId {
        name: name.into(),
        array_index: 1,
    };
    let all = StateObjectDesc {
        kind: 3,
        config: Some(4),
        node_mask: Some(1),
        global_root_signatures: vec![[1].into()],
        local_root_signatures: vec![[2].into()],
        libraries: vec![library(vec![export("a"), export("b")])],
        collections: vec![ExistingCollection {
            collection: b"collection".into(),
            exports: vec![export("c")],
        }],
        hit_groups: vec![HitGroup {
            export: "hit".into(),
            kind: 0,
            any_hit: Some("a".into()),
            closest_hit: None,
            intersection: Some("b".into()),
        }],
        shader_configs: vec![Default::default()],
        pipeline_configs: vec![Default::default()],
        generic_programs: vec![GenericProgram {
            name: Some("program".into()),
            exports: vec!["a".into(), "b".into()],
            state: state(),
        }],
        work_graphs: vec![WorkGraph {
            name: "graph".into(),
            flags: 1,
            entry_points: vec![node("entry")],
            nodes: vec![ShaderNode {
                shader: "a".into(),
                overrides_type: 1,
                local_root_arguments_table_index: Some(1),
                program_entry: Some(true),
                new_name: Some(node("new")),
                share_input_of: Some(node("other")),
                dispatch_grid: Some([1, 2, 3]),
                max_dispatch_grid: Some([4, 5, 6]),
                outputs: vec![OutputOverrides {
                    output_index: 0,
                    new_name: Some(node("output")),
                    allow_sparse_nodes: Some(true),
                    max_records: Some(1),
                    max_records_shared_with_output_index: Some(0),
                }],
            }],
        }],
        associations: vec![
            Association {
                subobject: Associated::LocalRootSignature(0),
                exports: vec!["hit".into()],
            },
            Association {
                subobject: Associated::Config,
                exports: Vec::new(),
            },
        ],
        dxil_associations: vec![DxilAssociation {
            subobject: "subobject".into(),
            exports: vec!["a".into()],
        }],
    };
    sodb.store_state_object(b"all", 1, &all, None)?;
    sodb.store_state_object(b"addition", 1, &collection, Some(b"all"))?;
    Ok(sodb.close()?)
}

fn fill_psdb(path: &Path) -> Done {
    let options = psdb::Options {
        application: Some(application()),
        target: Some(Target {
            family: "Family".into(),
            abi: 1,
            compiler_version: 2,
            profile_version: 3,
        }),
        access: Access::Create,
        ..psdb::Options::default()
    };
    let psdb = Psdb::open(&[(ValueTypes::ALL, path)], &options)?;
    let keys: [&[u8]; 3] = [b"a", b"b", b"c"];
    for key in keys {
        for kind in ValueType::ALL {
            psdb.store_value(key, &[(kind, &[kind as u8; 20])])?;
        }
    }
    psdb.store_group(b"two", 1, &keys[..2])?;
    psdb.store_group(b"three", 2, &keys)?;
    Ok(psdb.close()?)
}
