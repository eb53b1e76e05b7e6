//! A description that a state object database has stored means what the application's means.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use api_desc::{
    Association, Blob, CollectionOfCaller, DxilAssociation, DxilLibrary, ExistingCollection,
    Export, HitGroup, NodeId, Subobject, WorkGraph,
};
use api_sys::{
    D3D12_RAYTRACING_PIPELINE_CONFIG, D3D12_RAYTRACING_PIPELINE_CONFIG1,
    D3D12_RAYTRACING_SHADER_CONFIG, D3D12_STATE_OBJECT_TYPE_COLLECTION,
    D3D12_STATE_OBJECT_TYPE_EXECUTABLE, D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
};
use ddi_sys::D3D12DDI_HCOMPILERSTATEOBJECT;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use shader_db::Error;
use shader_db::sodb::{self, Access, Sodb, TransactionKind};

use super::association::{Associated, Kind, Target};
use super::object::{Collection, StateObject};
use super::record::{Record, What};
use crate::message::Messages;

macro_rules! corpus {
    ($name:literal) => {
        include_bytes!(concat!("../../../../dxil/corpus/dxil/", $name, ".dxil"))
    };
}

/// With two callable shaders, and without subobjects.
const RAYS: &[u8] = corpus!("rt_pipeline_lib63");
/// With subobjects of every kind.
const DECLARING: &[u8] = corpus!("rt_subobjects_lib63");
const NODES: &[u8] = corpus!("wg_nodes_lib68");
const GLOBAL: [&[u8]; 2] = [corpus!("rs_empty_1_1"), corpus!("rs_descriptors_1_1")];
const LOCAL: [&[u8]; 2] = [corpus!("rs_local_1_1"), corpus!("rs_local_1_0")];

/// A description whose collections have keys, as a database knows them.
type Keyed = api_desc::StateObjectDesc;

/// The collections, by key.
type Collections = BTreeMap<Vec<u8>, Collection>;

fn translate(desc: &super::Description<'_>) -> Option<StateObject> {
    // SAFETY: there is no plugin.
    unsafe { StateObject::new(desc, None, None, &mut Messages::default()) }.ok()
}

/// The content of associated subobjects, whichever of several equal ones.
fn contents(record: &Record, associated: &Associated) -> Vec<Option<Vec<u8>>> {
    let content = |kind| Some(record.subobjects[associated.get(kind)?].0.content.clone());
    Kind::ALL.map(content).to_vec()
}

/// What a state object is: everything that does not depend on the order of subobjects of different kinds.
fn meaning(object: &StateObject) -> String {
    let record = object.record();
    let mut lines = Vec::new();
    for export in &record.exports {
        let what = match &export.what {
            What::Function(function) => format!("{} {:?}", function.kind, export.internal_name),
            What::HitGroup { desc, shaders, .. } => {
                let shaders = shaders.map(|place| Some(&record.exports[place?].name));
                format!("{desc:?} of {shaders:?}")
            }
        };
        lines.push(format!(
            "{} {:?} hidden {} lacks {:?}: {what}: {:?}",
            export.name,
            export.mangled,
            export.is_hidden,
            export.lacks,
            contents(record, &export.associated)
        ));
    }
    for pending in &record.pending {
        let target = match &pending.target {
            Target::Subobject(place) => format!("{:?}", record.subobjects[*place].0.content),
            Target::Named(name) => name.clone(),
        };
        lines.push(format!("pending {target}: {:?}", pending.exports));
    }
    lines.sort();
    let mut text = format!(
        "{:?} {:#x} {:?}\n",
        record.kind, record.flags, object.programs
    );
    for line in lines {
        writeln!(text, "{line}").unwrap();
    }
    for graph in &object.graphs {
        writeln!(text, "{:?}", graph.graph).unwrap();
    }
    text
}

/// What an application's description means; `None` if it is refused.
fn meaning_of_api(desc: &Keyed, collections: &Collections) -> Option<String> {
    let raw = desc.to_raw();
    // SAFETY: `raw` is alive.
    let desc = unsafe { api_desc::StateObjectDesc::from_raw(raw.desc(), |_| None) }.unwrap();
    let desc = desc.with_collections(|_, collection| match collection {
        CollectionOfCaller::Key(key) => collections.get(&key).cloned().ok_or(()),
        _ => Err(()),
    });
    translate(&desc.unwrap()).map(|object| meaning(&object))
}

/// What it means after a database has stored it and found it again, or why the database refuses it.
fn meaning_of_database(
    desc: &Keyed,
    collections: &Collections,
    sodb: &Sodb,
) -> Result<Option<String>, Error> {
    let raw = desc.to_raw();
    // SAFETY: `raw` is alive.
    let desc = unsafe { sodb::StateObjectDesc::from_raw(raw.desc()) }?;
    let key = sodb.counts()?.keys.to_le_bytes();
    sodb.store_state_object(&key, 1, &desc, None)?;
    let found = sodb.find_state_object(&key)?.unwrap().desc;
    let desc = found
        .to_api()
        .with_collections(|_, key| collections.get(&key).cloned().ok_or(()));
    Ok(translate(&desc.unwrap()).map(|object| meaning(&object)))
}

fn exports(names: &[&str]) -> Vec<Export> {
    let export = |text: &&str| match text.split_once('=') {
        None => Export {
            name: (*text).to_owned(),
            export_to_rename: None,
            flags: 0,
        },
        Some((new, old)) => Export {
            name: new.to_owned(),
            export_to_rename: Some(old.to_owned()),
            flags: 0,
        },
    };
    names.iter().map(export).collect()
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn library(bytecode: &[u8], names: &[&str]) -> Subobject {
    Subobject::Library(DxilLibrary {
        bytecode: Blob::from(bytecode),
        exports: exports(names),
    })
}

fn shader_config(payload: u32) -> Subobject {
    Subobject::ShaderConfig(D3D12_RAYTRACING_SHADER_CONFIG {
        MaxPayloadSizeInBytes: payload,
        MaxAttributeSizeInBytes: 32,
    })
}

fn pipeline_config(depth: u32) -> Subobject {
    Subobject::PipelineConfig(D3D12_RAYTRACING_PIPELINE_CONFIG {
        MaxTraceRecursionDepth: depth,
    })
}

/// What makes a random object of ray tracing valid.
fn base() -> [Subobject; 3] {
    [
        library(RAYS, &["noise_a"]),
        shader_config(32),
        pipeline_config(1),
    ]
}

/// Few values of each kind, so that equal ones are frequent.
fn subobject() -> BoxedStrategy<Subobject> {
    let rays = select(vec![
        &["noise_a"][..],
        &["noise_b"],
        &["a=noise_a"],
        &["noise_b", "noise_b"],
        &["noise_a", "noise_b"],
        &[],
    ]);
    let declaring = select(vec![
        &["any"][..],
        &["any", "local_rs"],
        &["b=any", "tiny_rs"],
        &["shader_config", "pipeline_config"],
        &["local_rs"],
        &["object_config", "tiny_rs"],
        &["miss", "tiny_rs", "tiny_link"],
    ]);
    let of_collection = select(vec![
        &[][..],
        &["noise_a"],
        &["a=noise_a"],
        &["any"],
        &["any", "noise_b"],
    ]);
    let keys = select(vec!["open", "whole"]);
    let entry_points = vec(select(vec!["split", "clear_bins", "done"]), 0..3);
    prop_oneof![
        1 => select(vec![0, 1, 2, 4]).prop_map(Subobject::Config),
        1 => (1..3_u32).prop_map(Subobject::NodeMask),
        3 => select(vec![32, 32, 40]).prop_map(shader_config),
        2 => select(vec![1, 1, 2]).prop_map(pipeline_config),
        1 => select(vec![1, 2]).prop_map(|depth| {
            Subobject::PipelineConfig1(D3D12_RAYTRACING_PIPELINE_CONFIG1 { MaxTraceRecursionDepth: depth, Flags: 0 })
        }),
        3 => select(&GLOBAL[..]).prop_map(|bytes| Subobject::GlobalRootSignature(Blob::from(bytes))),
        3 => select(&LOCAL[..]).prop_map(|bytes| Subobject::LocalRootSignature(Blob::from(bytes))),
        2 => rays.prop_map(|names| library(RAYS, names)),
        2 => declaring.prop_map(|names| library(DECLARING, names)),
        1 => Just(library(NODES, &[])),
        2 => (keys, of_collection).prop_map(|(key, names)| {
            Subobject::Collection(ExistingCollection { collection: key.into(), exports: exports(names) })
        }),
        1 => (select(vec!["g", "h"]), select(vec!["any", "b"])).prop_map(|(name, shader)| {
            Subobject::HitGroup(HitGroup { export: name.into(), any_hit: Some(shader.into()), ..HitGroup::default() })
        }),
        1 => (select(vec!["local_rs", "tiny_rs", "shader_config", "object_config"]), names()).prop_map(|(name, exports)| {
            Subobject::DxilAssociation(DxilAssociation { subobject: name.into(), exports })
        }),
        1 => entry_points.prop_map(|names| {
            let id = |name: &&str| NodeId { name: (*name).into(), array_index: 0 };
            let entry_points = names.iter().map(id).collect();
            Subobject::WorkGraph(WorkGraph { name: "graph".into(), flags: 0, entry_points, nodes: Vec::new() })
        }),
    ]
    .boxed()
}

fn names() -> impl Strategy<Value = Vec<String>> {
    let name = select(vec!["noise_a", "noise_b", "any", "a", "g", "miss"]);
    vec(name, 0..3).prop_map(|names| strings(&names))
}

fn description() -> impl Strategy<Value = Keyed> {
    let kind = select(vec![
        D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
        D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
        D3D12_STATE_OBJECT_TYPE_COLLECTION,
        D3D12_STATE_OBJECT_TYPE_EXECUTABLE,
    ]);
    let associations = vec((any::<prop::sample::Index>(), names()), 0..4);
    (kind, any::<bool>(), vec(subobject(), 1..7), associations).prop_map(
        |(kind, has_base, mut subobjects, associations)| {
            if has_base && kind != D3D12_STATE_OBJECT_TYPE_EXECUTABLE {
                subobjects.extend(base());
            }
            let is_associable = |subobject: &Subobject| {
                matches!(
                    subobject,
                    Subobject::Config(_)
                        | Subobject::NodeMask(_)
                        | Subobject::ShaderConfig(_)
                        | Subobject::PipelineConfig(_)
                        | Subobject::PipelineConfig1(_)
                        | Subobject::GlobalRootSignature(_)
                        | Subobject::LocalRootSignature(_)
                )
            };
            let targets: Vec<_> = (0..subobjects.len())
                .filter(|&place| is_associable(&subobjects[place]))
                .collect();
            if !targets.is_empty() {
                subobjects.extend(associations.into_iter().map(|(index, exports)| {
                    Subobject::Association(Association {
                        subobject: *index.get(&targets),
                        exports,
                    })
                }));
            }
            Keyed { kind, subobjects }
        },
    )
}

/// Two collections that others may use, of which one lacks its configs.
fn collections(sodb: &Sodb) -> Collections {
    let mut collections = Collections::new();
    for (key, flags, has_configs) in [("whole", 2, true), ("open", 3, false)] {
        let mut subobjects = vec![
            Subobject::Config(flags),
            library(RAYS, &["noise_a", "noise_b"]),
            library(DECLARING, &["any"]),
        ];
        if has_configs {
            subobjects.extend([shader_config(32), pipeline_config(1)]);
        }
        let desc = Keyed {
            kind: D3D12_STATE_OBJECT_TYPE_COLLECTION,
            subobjects,
        };
        let raw = desc.to_raw();
        // SAFETY: `raw` is alive.
        let stored = unsafe { sodb::StateObjectDesc::from_raw(raw.desc()) }.unwrap();
        sodb.store_state_object(key.as_bytes(), 1, &stored, None)
            .unwrap();
        // SAFETY: `raw` is alive.
        let desc = unsafe { api_desc::StateObjectDesc::from_raw(raw.desc(), |_| None) }.unwrap();
        let none = |_, _| Err(());
        let desc = translate(&desc.with_collections(none).unwrap()).unwrap();
        collections.insert(
            key.into(),
            Collection {
                desc: Arc::new(desc),
                handle: D3D12DDI_HCOMPILERSTATEOBJECT {
                    pDrvPrivate: std::ptr::null_mut(),
                },
                keep_alive: Arc::new(()),
            },
        );
    }
    collections
}

/// Whatever the database takes: the compiler refuses what is found again exactly if it refuses the application's description,
/// and otherwise the exports are the same, with the same subobjects.
#[test]
fn what_a_database_stores_keeps_its_meaning() {
    let folder = tempfile::tempdir().unwrap();
    let sodb = Sodb::open(folder.path().join("a.sodb"), Access::Create).unwrap();
    let collections = collections(&sodb);
    let mut runner = TestRunner::deterministic();
    let (mut valid, mut refused) = (0, 0);
    // One transaction for all, which takes less time.
    sodb.begin(TransactionKind::Deferred).unwrap();
    for _ in 0..1_000 {
        let desc = description().new_tree(&mut runner).unwrap().current();
        let api = meaning_of_api(&desc, &collections);
        match meaning_of_database(&desc, &collections, &sodb) {
            Ok(database) => {
                assert_eq!(database, api, "{:#?}", desc.subobjects);
                valid += u32::from(api.is_some());
            }
            Err(Error::InvalidArgument(_)) => refused += 1,
            Err(error) => panic!("{error}: {:#?}", desc.subobjects),
        }
    }
    sodb.commit().unwrap();
    assert!(valid > 100, "{valid} were valid");
    assert!(refused < 100, "{refused} could not be stored");
}
