//! Keys and versions, what is shared, applications, merging, files.

use std::fs;

use arbitrary_descriptions::pipeline_state;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use sha2::{Digest, Sha256};
use shader_db::Error;
use shader_db::sodb::{
    APPLICATION_ID, Access, Application, Associated, Association, DxilAssociation, DxilLibrary,
    Entry, ExistingCollection, Export, GenericProgram, HitGroup, JournalMode, Kind, MAX_SIZE,
    Merged, NodeId, OpenOptions, OutputOverrides, PipelineStateDesc, ShaderNode, ShaderStage, Sodb,
    StateObjectDesc, USER_VERSION, WorkGraph, dependency_order, statements,
};

use crate::{Place, count};

fn compute(shader: &str) -> PipelineStateDesc {
    let mut desc = PipelineStateDesc::default();
    desc.shaders[ShaderStage::Compute] = Some(shader.as_bytes().into());
    desc
}

fn collection(library: &str) -> StateObjectDesc {
    StateObjectDesc {
        libraries: vec![DxilLibrary {
            bytecode: library.as_bytes().into(),
            exports: Vec::new(),
        }],
        ..StateObjectDesc::default()
    }
}

fn made_from(keys: &[&str]) -> StateObjectDesc {
    let collection = |key: &&str| ExistingCollection {
        collection: (*key).into(),
        exports: Vec::new(),
    };
    StateObjectDesc {
        kind: api_sys::D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
        collections: keys.iter().map(collection).collect(),
        ..StateObjectDesc::default()
    }
}

fn application() -> Application {
    Application {
        exe: "игра.exe".into(),
        name: "Game".into(),
        version: u64::MAX,
        engine_name: Some("Engine".into()),
        engine_version: 1 << 63,
    }
}

#[test]
fn a_new_file_has_the_published_schema_and_no_more() {
    let place = Place::new();
    place.create().close().unwrap();
    assert_eq!(place.files().len(), 1);
    let sql = place.sql();
    let mut texts = sql
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
        .unwrap();
    let texts: Vec<String> = texts
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(texts, statements());
    let digest = Sha256::digest(texts.join("\n").as_bytes());
    assert_eq!(
        digest[..4],
        [0x0d, 0x18, 0x65, 0x15],
        "StateObjectDatabase.md's own text"
    );
    let pragma = |name: &str| {
        sql.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, u32>(0))
            .unwrap()
    };
    assert_eq!(pragma("application_id"), APPLICATION_ID);
    assert_eq!(pragma("user_version"), USER_VERSION);
    let header = fs::read(place.path()).unwrap();
    assert_eq!(header[18..20], [1, 1], "no log is announced");
    assert_eq!(header[60..64], 2_u32.to_be_bytes());
    assert_eq!(header[68..72], [0x0d, 0x3d, 0x50, 0xdb]);
}

#[test]
fn a_key_has_one_object_of_one_version() {
    let place = Place::new();
    let sodb = place.create();
    sodb.store_pipeline_state(b"a", 1, &compute("one")).unwrap();
    sodb.store_pipeline_state(b"a", 1, &compute("one")).unwrap();
    let other = sodb.store_pipeline_state(b"a", 1, &compute("two"));
    assert_eq!(other, Err(Error::AlreadyExists));
    let other = sodb.store_state_object(b"a", 1, &collection("one"), None);
    assert_eq!(other, Err(Error::AlreadyExists));
    assert_eq!(
        sodb.find_pipeline_state(b"a").unwrap().unwrap().desc,
        compute("one")
    );
    assert_eq!(sodb.find_state_object(b"a").unwrap(), None);
    assert_eq!(sodb.object_version(b"a").unwrap(), Some(1));
    assert_eq!(sodb.object_version(b"b").unwrap(), None);
    // Up, down, and to another kind.
    sodb.store_pipeline_state(b"a", 5, &compute("two")).unwrap();
    assert_eq!(sodb.object_version(b"a").unwrap(), Some(5));
    sodb.store_pipeline_state(b"a", 2, &compute("one")).unwrap();
    assert_eq!(sodb.object_version(b"a").unwrap(), Some(2));
    sodb.store_state_object(b"a", 3, &collection("one"), None)
        .unwrap();
    assert_eq!(sodb.find_pipeline_state(b"a").unwrap(), None);
    let found = sodb.find_state_object(b"a").unwrap().unwrap();
    assert_eq!((found.version, found.desc), (3, collection("one")));
    for refused in [
        sodb.store_pipeline_state(b"", 1, &compute("one")),
        sodb.find_pipeline_state(b"").map(drop),
        sodb.object_version(b"").map(drop),
    ] {
        assert!(
            matches!(refused, Err(Error::InvalidArgument(_))),
            "{refused:?}"
        );
    }
}

#[test]
fn what_cannot_be_stored_changes_nothing() {
    let place = Place::new();
    let sodb = place.create();
    sodb.store_state_object(b"self", 1, &collection("x"), None)
        .unwrap();
    let before = sodb.counts().unwrap();
    let unknown = [
        sodb.store_state_object(b"b", 1, &collection("new"), Some(b"nobody")),
        sodb.store_state_object(b"b", 1, &made_from(&["nobody"]), None),
    ];
    for refused in unknown {
        assert!(
            matches!(refused, Err(Error::UnknownKey { .. })),
            "{refused:?}"
        );
    }
    let mut nul = collection("new");
    nul.dxil_associations.push(DxilAssociation {
        subobject: "a\0b".into(),
        exports: Vec::new(),
    });
    let mut not_there = collection("new");
    not_there.associations.push(Association {
        subobject: Associated::LocalRootSignature(0),
        exports: Vec::new(),
    });
    let mut nan = compute("new");
    nan.fixed_function.rasterizer = Some(api_sys::D3D12_RASTERIZER_DESC2 {
        DepthBias: f32::NAN,
        ..Default::default()
    });
    let mut strides = compute("new");
    strides.fixed_function.stream_output = Some(shader_db::sodb::StreamOutput {
        strides: vec![0; 5],
        ..Default::default()
    });
    let refused = [
        sodb.store_state_object(b"self", 2, &collection("y"), Some(b"self")),
        sodb.store_state_object(b"self", 2, &made_from(&["self"]), None),
        sodb.store_state_object(b"b", 1, &nul, None),
        sodb.store_state_object(b"b", 1, &not_there, None),
        sodb.store_state_object(b"b", 1, &collection(""), None),
        sodb.store_pipeline_state(b"b", 1, &nan),
        sodb.store_pipeline_state(b"b", 1, &strides),
        sodb.store_pipeline_state(b"b", 1, &compute("")),
    ];
    for refused in refused {
        assert!(
            matches!(refused, Err(Error::InvalidArgument(_))),
            "{refused:?}"
        );
    }
    let large = Err(Error::TooBig {
        size: MAX_SIZE + 1,
        limit: MAX_SIZE,
    });
    let name = String::from_utf8(vec![b'a'; MAX_SIZE + 1]).unwrap();
    let mut shader = compute("new");
    shader.shaders[ShaderStage::Compute] = Some(name.as_bytes().into());
    assert_eq!(sodb.store_pipeline_state(b"b", 1, &shader), large);
    drop(shader);
    let refused = sodb.store_pipeline_state(name.as_bytes(), 1, &compute("new"));
    assert_eq!(refused, large);
    nul.dxil_associations[0].subobject = name;
    assert_eq!(sodb.store_state_object(b"b", 1, &nul, None), large);
    assert_eq!(sodb.counts().unwrap(), before);
}

#[test]
fn equal_parts_are_one_row() {
    let place = Place::new();
    let sodb = place.create();
    let mut desc = pipeline_state()
        .prop_filter("all of it", |desc| {
            let state = &desc.fixed_function;
            desc.root_signature.is_some()
                && state.blend.is_some()
                && state.rasterizer.is_some()
                && state.depth_stencil.is_some()
                && state
                    .input_layout
                    .as_ref()
                    .is_some_and(|layout| layout.len() > 1)
                && state.stream_output.is_some()
                && state.render_target_formats.is_some()
                && state.view_instancing.is_some()
        })
        .new_tree(&mut TestRunner::deterministic())
        .unwrap()
        .current();
    for stage in ShaderStage::ALL {
        desc.shaders[stage] = Some((*b"the same everywhere").into());
    }
    for mask in 0..20 {
        desc.node_mask = Some(mask);
        sodb.store_pipeline_state(&[mask.try_into().unwrap()], 1, &desc)
            .unwrap();
        sodb.store_pipeline_state(b"the same object under another key", 1, &desc)
            .or_else(|error| match error {
                Error::AlreadyExists => Ok(()),
                error => Err(error),
            })
            .unwrap();
    }
    let mut library = collection("the same everywhere");
    library.global_root_signatures = vec![desc.root_signature.clone().unwrap()];
    sodb.store_state_object(b"state object", 1, &library, None)
        .unwrap();
    let counts = sodb.counts().unwrap();
    assert_eq!(
        (counts.keys, counts.pipeline_states, counts.unnamed),
        (22, 20, 0)
    );
    assert_eq!((counts.shaders, counts.shader_bytes), (1, 19));
    sodb.close().unwrap();
    let sql = place.sql();
    for table in [
        "shader_bytecode",
        "root_signatures",
        "blend_descs",
        "rasterizer_descs",
        "depth_stencil_descs",
        "stream_out_descs",
        "render_target_formats",
        "view_instancing_descs",
    ] {
        assert_eq!(count(&sql, table), 1, "{table}");
    }
    let elements = desc.fixed_function.input_layout.unwrap().len();
    assert_eq!(
        count(&sql, "input_layout_to_input_element_associations"),
        u32::try_from(elements).unwrap()
    );
}

type Change<'c> = dyn Fn(&mut StateObjectDesc) + 'c;

/// A list may have an item twice: it can mean something else the second time.
#[test]
fn what_a_list_has_twice_it_has_twice_again() {
    let export = |name: &str| Export {
        name: name.into(),
        export_to_rename: None,
        flags: 0,
    };
    let library = |exports: &[&str]| DxilLibrary {
        bytecode: (*b"library").into(),
        exports: exports.iter().map(|name| export(name)).collect(),
    };
    let association = |subobject, exports: &[&str]| Association {
        subobject,
        exports: exports.iter().map(|&name| name.to_owned()).collect(),
    };
    let shader_config = api_sys::D3D12_RAYTRACING_SHADER_CONFIG {
        MaxPayloadSizeInBytes: 8,
        MaxAttributeSizeInBytes: 8,
    };
    let pipeline_config = api_sys::D3D12_RAYTRACING_PIPELINE_CONFIG1 {
        MaxTraceRecursionDepth: 1,
        Flags: 0,
    };
    let node = ShaderNode {
        shader: "n".into(),
        overrides_type: api_sys::D3D12_NODE_OVERRIDES_TYPE_COMMON_COMPUTE,
        outputs: vec![OutputOverrides::default(); 2],
        ..ShaderNode::default()
    };
    let graph = WorkGraph {
        name: "g".into(),
        flags: 0,
        entry_points: Vec::new(),
        nodes: vec![node; 2],
    };
    let dxil_association = DxilAssociation {
        subobject: "a".into(),
        exports: vec!["b".into(), "c".into()],
    };
    let changes: [(&str, &Change<'_>); 12] = [
        ("the first of two global root signatures", &|desc| {
            desc.associations = vec![association(Associated::GlobalRootSignature(0), &["x"])];
        }),
        ("the second of two local root signatures", &|desc| {
            desc.associations = vec![association(Associated::LocalRootSignature(1), &["x"])];
        }),
        ("both shader configs", &|desc| {
            desc.associations = vec![
                association(Associated::ShaderConfig(0), &["x"]),
                association(Associated::ShaderConfig(1), &[]),
            ];
        }),
        ("a pipeline config of three", &|desc| {
            desc.pipeline_configs.push(pipeline_config);
            desc.associations = vec![association(Associated::PipelineConfig(2), &["x"])];
        }),
        ("a library, each time with other exports", &|desc| {
            desc.libraries = vec![library(&["a"]), library(&["b"]), library(&["b", "b"])];
        }),
        ("a library, whole and in part", &|desc| {
            desc.libraries = vec![library(&[]), library(&["a"]), library(&[]), library(&["a"])];
        }),
        ("hit groups", &|desc| {
            desc.hit_groups = vec![HitGroup::default(); 2];
        }),
        ("generic programs", &|desc| {
            desc.generic_programs = vec![GenericProgram::default(); 2];
        }),
        ("work graphs, nodes and overrides of outputs", &|desc| {
            desc.work_graphs = vec![graph.clone(); 2];
        }),
        ("entry points", &|desc| {
            let id = NodeId {
                name: "n".into(),
                array_index: 1,
            };
            desc.work_graphs = vec![WorkGraph {
                entry_points: vec![id; 2],
                ..graph.clone()
            }];
        }),
        ("associations", &|desc| {
            desc.associations = vec![association(Associated::ShaderConfig(0), &["x"]); 2];
        }),
        ("associations with what libraries declare", &|desc| {
            desc.dxil_associations = vec![dxil_association.clone(); 2];
        }),
    ];
    let place = Place::new();
    let sodb = place.create();
    let merged = Place::new();
    let mut stored = Vec::new();
    for (what, change) in changes {
        let mut desc = StateObjectDesc {
            global_root_signatures: vec![(*b"root").into(); 2],
            local_root_signatures: vec![(*b"root").into(); 2],
            shader_configs: vec![shader_config; 2],
            pipeline_configs: vec![pipeline_config; 2],
            ..StateObjectDesc::default()
        };
        change(&mut desc);
        for _ in 0..2 {
            sodb.store_state_object(what.as_bytes(), 1, &desc, None)
                .unwrap();
        }
        stored.push((what, desc));
    }
    let objects = sodb.counts().unwrap().state_objects;
    let copy = merged.create();
    copy.merge(&[&sodb]).unwrap();
    for (what, desc) in stored {
        for sodb in [&sodb, &copy] {
            let found = sodb.find_state_object(what.as_bytes()).unwrap().unwrap();
            assert_eq!(found.desc, desc, "{what}");
            // It is the same object.
            sodb.store_state_object(what.as_bytes(), 1, &found.desc, None)
                .unwrap();
        }
    }
    assert_eq!(sodb.counts().unwrap().state_objects, objects);
    assert_eq!(copy.counts().unwrap().state_objects, objects);
}

/// Names in an association say no more the second time.
#[test]
fn names_of_an_association_are_there_once() {
    let mut desc = collection("x");
    desc.dxil_associations = vec![DxilAssociation {
        subobject: "a".into(),
        exports: vec!["b".into(), "c".into(), "b".into()],
    }];
    let place = Place::new();
    let sodb = place.create();
    sodb.store_state_object(b"k", 1, &desc, None).unwrap();
    let found = sodb.find_state_object(b"k").unwrap().unwrap().desc;
    assert_eq!(found.dxil_associations[0].exports, ["b", "c"]);
    sodb.store_state_object(b"other", 1, &found, None).unwrap();
    sodb.store_state_object(b"other", 1, &desc, None).unwrap();
    assert_eq!(sodb.counts().unwrap().state_objects, 1);
}

/// The schema cannot hold these lists.
#[test]
fn what_a_list_cannot_have_twice_is_refused() {
    let place = Place::new();
    let sodb = place.create();
    sodb.store_state_object(b"c", 1, &collection("x"), None)
        .unwrap();
    // The same object with another key.
    sodb.store_state_object(b"d", 1, &collection("x"), None)
        .unwrap();
    let with = |lists: &[(&str, &[&str])]| {
        let mut desc = made_from(&lists.iter().map(|(key, _)| *key).collect::<Vec<_>>());
        for (collection, (_, exports)) in desc.collections.iter_mut().zip(lists) {
            let export = |name: &&str| Export {
                name: (*name).into(),
                export_to_rename: None,
                flags: 0,
            };
            collection.exports = exports.iter().map(export).collect();
        }
        desc
    };
    sodb.store_state_object(b"k", 1, &with(&[("c", &["x"]), ("c", &[])]), None)
        .unwrap();
    for lists in [
        [("c", &["x"][..]), ("c", &["y"])],
        [("c", &["x"]), ("d", &["y"])],
        [("c", &[]), ("c", &[])],
    ] {
        let error = sodb
            .store_state_object(b"l", 1, &with(&lists), None)
            .unwrap_err();
        let Error::InvalidArgument(text) = error else {
            panic!("{error}")
        };
        assert!(text.contains("is listed twice"), "{text}");
    }
    let desc = StateObjectDesc {
        generic_programs: vec![GenericProgram {
            exports: vec!["vs".into(), "ps".into(), "vs".into()],
            ..GenericProgram::default()
        }],
        ..StateObjectDesc::default()
    };
    assert_eq!(
        sodb.store_state_object(b"l", 1, &desc, None),
        Err(Error::InvalidArgument(
            "a generic program lists export vs twice".into()
        ))
    );
}

#[test]
fn keys_do_not_depend_on_the_machine() {
    let place = Place::new();
    let sodb = place.create();
    sodb.store_pipeline_state(b"a", 1, &compute("one")).unwrap();
    sodb.close().unwrap();
    let key: Vec<u8> = place
        .sql()
        .query_row("SELECT PSOKey FROM groups", [], |row| row.get(0))
        .unwrap();
    // The table's name, then the columns: absent ones, the key of the shader, absent ones.
    let part = |tag: u8, bytes: &[u8]| {
        let mut part = vec![tag];
        part.extend((bytes.len() as u64).to_le_bytes());
        part.extend(bytes);
        part
    };
    let shader = [part(b'T', b"shader_bytecode"), part(b'B', b"one")].concat();
    let shader = &Sha256::digest(&shader)[..16];
    let mut row = part(b'T', b"pipeline_states");
    (0..9).for_each(|_| row.extend(part(b'N', b"")));
    row.extend(part(b'B', shader));
    (0..14).for_each(|_| row.extend(part(b'N', b"")));
    assert_eq!(key, Sha256::digest(&row)[..16]);
}

#[test]
fn who_is_made_from_a_key_follows_it_to_its_new_version() {
    let place = Place::new();
    let sodb = place.create();
    sodb.store_state_object(b"c", 1, &collection("old"), None)
        .unwrap();
    sodb.store_state_object(b"d", 1, &collection("d"), None)
        .unwrap();
    sodb.store_state_object(b"user", 1, &made_from(&["c", "d"]), Some(b"c"))
        .unwrap();
    sodb.store_state_object(b"c", 2, &collection("new"), None)
        .unwrap();
    let found = sodb.find_state_object(b"user").unwrap().unwrap();
    assert_eq!(found.parent.as_deref(), Some(&b"c"[..]));
    let mut keys: Vec<_> = found
        .desc
        .collections
        .iter()
        .map(|c| &c.collection[..])
        .collect();
    keys.sort_unstable();
    assert_eq!(keys, [b"c", b"d"]);
    // It is still the same object.
    sodb.store_state_object(b"user", 1, &found.desc, Some(b"c"))
        .unwrap();
    // Where another key names the old object, that one stays what it is made from.
    sodb.store_state_object(b"e", 1, &collection("new"), None)
        .unwrap();
    sodb.store_state_object(b"c", 3, &collection("newest"), None)
        .unwrap();
    let found = sodb.find_state_object(b"user").unwrap().unwrap();
    assert_eq!(found.parent.as_deref(), Some(&b"e"[..]));
    // A pipeline state is not what a state object is made from.
    sodb.store_pipeline_state(b"d", 2, &compute("d")).unwrap();
    let found = sodb.find_state_object(b"user");
    assert!(matches!(found, Err(Error::UnknownKey { .. })), "{found:?}");
}

/// The row of what followed has the key of what it was made from before.
#[test]
fn what_followed_is_not_taken_for_what_it_was() {
    let place = Place::new();
    let sodb = place.create();
    let user = collection("user");
    sodb.store_state_object(b"p", 1, &collection("old"), None)
        .unwrap();
    sodb.store_state_object(b"user", 1, &user, Some(b"p"))
        .unwrap();
    sodb.store_state_object(b"p", 2, &collection("new"), None)
        .unwrap();
    sodb.store_state_object(b"q", 1, &collection("old"), None)
        .unwrap();
    sodb.store_state_object(b"other", 1, &user, Some(b"q"))
        .unwrap();
    let parent = |key: &[u8]| {
        sodb.find_state_object(key)
            .unwrap()
            .unwrap()
            .parent
            .unwrap()
    };
    assert_eq!([parent(b"user"), parent(b"other")], [b"p", b"q"]);
    let other = sodb.store_state_object(b"user", 1, &user, Some(b"q"));
    assert_eq!(other, Err(Error::AlreadyExists));
    for (key, parent) in [(b"user".as_slice(), b"p"), (b"other", b"q")] {
        sodb.store_state_object(key, 1, &user, Some(parent))
            .unwrap();
    }
    assert_eq!(sodb.counts().unwrap().unnamed, 0);
}

#[test]
fn entries_say_what_is_there_in_order() {
    let place = Place::new();
    let sodb = place.create();
    sodb.store_pipeline_state(b"z", 1, &compute("one")).unwrap();
    sodb.store_state_object(b"c", 2, &collection("c"), None)
        .unwrap();
    sodb.store_state_object(b"b", 3, &collection("b"), None)
        .unwrap();
    sodb.store_state_object(b"a", 4, &made_from(&["b", "c"]), Some(b"c"))
        .unwrap();
    let entry = |key: &str, version, kind, parent: Option<&str>, collections: &[&str]| Entry {
        key: key.into(),
        version,
        kind,
        parent: parent.map(Into::into),
        collections: collections.iter().map(|key| (*key).into()).collect(),
        is_incomplete: false,
    };
    let expected = [
        entry("z", 1, Kind::PipelineState, None, &[]),
        entry("c", 2, Kind::StateObject(Some(0)), None, &[]),
        entry("b", 3, Kind::StateObject(Some(0)), None, &[]),
        entry("a", 4, Kind::StateObject(Some(3)), Some("c"), &["b", "c"]),
    ];
    assert_eq!(sodb.entries().unwrap(), expected);
    let reversed: Vec<Entry> = expected.into_iter().rev().collect();
    assert_eq!(dependency_order(&reversed).unwrap(), [2, 1, 0, 3]);
}

#[test]
fn bytecode_is_measured_once_for_each_object_that_has_it() {
    let place = Place::new();
    let sodb = place.create();
    let mut desc = compute("four");
    sodb.store_pipeline_state(b"a", 1, &desc).unwrap();
    desc.shaders[ShaderStage::Vertex] = Some(b"four"[..].into());
    desc.shaders[ShaderStage::Pixel] = Some(b"sixsix"[..].into());
    sodb.store_pipeline_state(b"b", 1, &desc).unwrap();
    sodb.store_pipeline_state(b"none", 1, &PipelineStateDesc::default())
        .unwrap();
    let mut desc = collection("library");
    let export = |name: &str| Export {
        name: name.into(),
        export_to_rename: None,
        flags: 0,
    };
    desc.libraries[0].exports = vec![export("x"), export("y")];
    sodb.store_state_object(b"c", 1, &desc, None).unwrap();
    sodb.store_state_object(b"d", 1, &made_from(&["c"]), None)
        .unwrap();
    let expected = [("a", 4), ("b", 10), ("none", 0), ("c", 7), ("d", 0)];
    let expected = expected.map(|(key, size)| (key.into(), size));
    assert_eq!(sodb.bytecode_sizes().unwrap(), expected.into());
    // As text it has no less bytes, which SQLite knows without reading it once for each object.
    sodb.close().unwrap();
    place.with("UPDATE shader_bytecode SET Bytecode = 'ÄÖ' || char(0) || 'ÜÄÖÜ' WHERE Bytecode = x'666f7572'");
    let sodb = place.read();
    assert_eq!(sodb.bytecode_sizes().unwrap()[&b"a"[..]], 13);
    assert_eq!(sodb.counts().unwrap().shader_bytes, 13 + 6 + 7);
}

#[test]
fn the_order_of_a_long_chain_and_of_a_cycle() {
    let entry = |key: u32, parent: Option<u32>| Entry {
        key: key.to_le_bytes().to_vec(),
        version: 0,
        kind: Kind::StateObject(Some(0)),
        parent: parent.map(|parent| parent.to_le_bytes().to_vec()),
        collections: Vec::new(),
        is_incomplete: false,
    };
    let chain: Vec<Entry> = (0..100_000).map(|key| entry(key, Some(key + 1))).collect();
    let order = dependency_order(&chain).unwrap();
    assert!(order.iter().rev().copied().eq(0..100_000));
    let cycle = [entry(0, Some(1)), entry(1, Some(2)), entry(2, Some(0))];
    let Err(Error::InvalidArgument(text)) = dependency_order(&cycle) else {
        panic!("a cycle has no order");
    };
    assert!(text.contains("is made from itself"), "{text}");
    assert!(dependency_order(&[entry(0, Some(0))]).is_err());
}

#[test]
fn the_application() {
    let place = Place::new();
    let sodb = place.create();
    assert_eq!(sodb.application().unwrap(), None);
    sodb.set_application(&application()).unwrap();
    let other = Application {
        engine_name: None,
        engine_version: 0,
        ..application()
    };
    sodb.set_application(&other).unwrap();
    assert_eq!(sodb.application().unwrap(), Some(other));
    sodb.set_application(&application()).unwrap();
    let refused = [
        Application {
            exe: String::new(),
            ..application()
        },
        Application {
            name: "a\0".into(),
            ..application()
        },
        Application {
            engine_name: None,
            ..application()
        },
    ];
    for refused in refused {
        let refused = sodb.set_application(&refused);
        assert!(
            matches!(refused, Err(Error::InvalidArgument(_))),
            "{refused:?}"
        );
    }
    sodb.close().unwrap();
    assert_eq!(place.read().application().unwrap(), Some(application()));
    let sql = place.sql();
    assert_eq!(count(&sql, "app_id WHERE id = 0"), 1);
    assert_eq!(count(&sql, "app_id"), 1);
}

#[test]
fn merging_takes_all_or_nothing() {
    let [to, from] = [Place::new(), Place::new()];
    let a = to.create();
    a.set_application(&application()).unwrap();
    a.store_pipeline_state(b"same", 1, &compute("same"))
        .unwrap();
    a.store_pipeline_state(b"older", 1, &compute("a")).unwrap();
    a.store_pipeline_state(b"newer", 9, &compute("a")).unwrap();
    let b = from.create();
    b.store_pipeline_state(b"same", 1, &compute("same"))
        .unwrap();
    b.store_pipeline_state(b"older", 2, &compute("b")).unwrap();
    b.store_pipeline_state(b"newer", 8, &compute("b")).unwrap();
    // The addition comes first, so that what it is made from has to be found.
    b.store_state_object(b"p", 1, &collection("x"), None)
        .unwrap();
    b.store_state_object(b"user", 1, &made_from(&["p"]), Some(b"p"))
        .unwrap();
    b.store_state_object(b"c", 1, &collection("c"), None)
        .unwrap();
    b.store_state_object(b"user", 2, &made_from(&["c"]), Some(b"p"))
        .unwrap();
    let merged = a.merge(&[&b]).unwrap();
    let keys = |keys: &[&str]| keys.iter().map(|key| (*key).into()).collect();
    let expected = Merged {
        added: keys(&["p", "c", "user"]),
        replaced: keys(&["older"]),
        kept: keys(&["newer"]),
        same: 1,
        // What `user` was.
        without_key: 1,
        left_out: Vec::new(),
    };
    assert_eq!(merged, [expected]);
    assert_eq!(a.counts().unwrap().unnamed, 1);
    assert_eq!(a.application().unwrap(), Some(application()));
    for key in [&b"user"[..], b"p", b"c"] {
        assert_eq!(
            a.find_state_object(key).unwrap(),
            b.find_state_object(key).unwrap()
        );
    }
    assert_eq!(
        a.find_pipeline_state(b"newer").unwrap().unwrap().desc,
        compute("a")
    );
    assert_eq!(a.merge(&[&b]).unwrap()[0].same, 5);
    assert_eq!(a.counts().unwrap().unnamed, 1);

    b.store_pipeline_state(b"first", 1, &compute("first"))
        .unwrap();
    b.store_pipeline_state(b"same", 3, &compute("b")).unwrap();
    a.store_pipeline_state(b"same", 3, &compute("a")).unwrap();
    let good = Place::new();
    let c = good.create();
    c.store_pipeline_state(b"good", 1, &compute("good"))
        .unwrap();
    for from in [&[&b][..], &[&c, &b]] {
        let Err(Error::InvalidArgument(text)) = a.merge(from) else {
            panic!("the same version differs");
        };
        assert!(text.contains("73616d65"), "{text}");
        for key in [&b"first"[..], b"good"] {
            assert_eq!(a.object_version(key).unwrap(), None);
        }
    }
    let itself = a.merge(&[&c, &a]);
    assert!(
        matches!(itself, Err(Error::InvalidArgument(_))),
        "{itself:?}"
    );
}

#[test]
fn a_session_that_reads_changes_nothing() {
    let place = Place::new();
    let sodb = place.create();
    sodb.store_pipeline_state(b"a", 1, &compute("one")).unwrap();
    sodb.close().unwrap();
    let before = place.files();
    let sodb = place.read();
    for refused in [
        sodb.store_pipeline_state(b"b", 1, &compute("one")),
        sodb.set_application(&application()),
        sodb.merge(&[&place.read()]).map(drop),
    ] {
        assert!(
            matches!(refused, Err(Error::AccessDenied { .. })),
            "{refused:?}"
        );
    }
    assert_eq!(sodb.entries().unwrap().len(), 1);
    drop(sodb);
    // Nor does one that could write, but does not.
    let sodb = Sodb::open(place.path(), Access::Write).unwrap();
    assert!(sodb.find_pipeline_state(b"a").unwrap().is_some());
    sodb.close().unwrap();
    assert_eq!(place.files(), before);
}

#[test]
fn files_that_are_missing_or_empty() {
    let place = Place::new();
    for access in [Access::Read, Access::Write] {
        let opened = Sodb::open(place.path(), access);
        assert!(matches!(opened, Err(Error::NotFound { .. })), "{opened:?}");
    }
    fs::write(place.path(), b"").unwrap();
    for access in [Access::Read, Access::Write] {
        let opened = Sodb::open(place.path(), access);
        assert!(matches!(opened, Err(Error::BadFormat { .. })), "{opened:?}");
        assert_eq!(fs::read(place.path()).unwrap(), b"");
    }
    // As a function for temporary names leaves it.
    place.create().close().unwrap();
    assert_eq!(place.read().counts().unwrap().keys, 0);
    let opened = Sodb::open(place.folder.path(), Access::Read);
    assert!(opened.is_err(), "{opened:?}");
    let nowhere = place.folder.path().join("nowhere").join("a.sodb");
    let opened = Sodb::open(nowhere, Access::Create);
    assert!(matches!(opened, Err(Error::NotFound { .. })), "{opened:?}");
}

#[test]
fn threads_and_sessions_share_a_file() {
    let place = Place::new();
    let sodb = place.create();
    let other = Sodb::open(place.path(), Access::Write).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let sodb = if thread == 3 { &other } else { &sodb };
            scope.spawn(move || {
                for number in 0..50_u8 {
                    let key = [thread, number];
                    let desc = compute(&format!("{number}"));
                    sodb.store_pipeline_state(&key, 1, &desc).unwrap();
                    assert_eq!(sodb.find_pipeline_state(&key).unwrap().unwrap().desc, desc);
                }
            });
        }
    });
    assert_eq!(other.counts().unwrap().keys, 200);
    assert_eq!(other.counts().unwrap().shaders, 50);
    other.close().unwrap();
    sodb.close().unwrap();
    assert_eq!(place.files().len(), 1);
    assert_eq!(place.read().entries().unwrap().len(), 200);
}

#[test]
fn sessions_that_begin_to_store_at_once_wait_for_each_other() {
    let modes = [None, Some(JournalMode::Wal), Some(JournalMode::Delete)];
    for (round, journal) in modes.into_iter().cycle().take(60).enumerate() {
        let place = Place::new();
        place.create().close().unwrap();
        let together = std::sync::Barrier::new(4);
        let options = OpenOptions {
            journal,
            ..OpenOptions::default()
        };
        std::thread::scope(|scope| {
            for thread in 0..4_u8 {
                let (place, together) = (&place, &together);
                scope.spawn(move || {
                    together.wait();
                    let sodb = Sodb::open_with(place.path(), Access::Write, options).unwrap();
                    let stored = sodb.store_pipeline_state(&[thread], 1, &compute("one"));
                    stored.unwrap_or_else(|error| panic!("round {round}: {error}"));
                });
            }
        });
        assert_eq!(place.read().counts().unwrap().keys, 4);
    }
}

#[test]
fn a_log_of_another_session_is_found_through_names_too() {
    let place = Place::new();
    let sodb = place.create();
    sodb.store_state_object(b"p", 1, &collection("p"), None)
        .unwrap();
    sodb.store_state_object(b"a", 1, &collection("a"), Some(b"p"))
        .unwrap();
    // Makes this session know who names what.
    assert!(sodb.find_state_object(b"a").unwrap().is_some());
    let other = Sodb::open(place.path(), Access::Write).unwrap();
    other
        .store_state_object(b"q", 1, &collection("q"), None)
        .unwrap();
    other
        .store_state_object(b"b", 1, &collection("b"), Some(b"q"))
        .unwrap();
    let found = sodb.find_state_object(b"b").unwrap().unwrap();
    assert_eq!(found.parent.as_deref(), Some(&b"q"[..]));
}
