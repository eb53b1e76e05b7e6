//! Every description is found again as it was stored, and passes through the API's structures unchanged.

use arbitrary_descriptions::{Equivalent, distinct, keys, pipeline_state, repeated, state_object};
use proptest::prelude::*;
use shader_db::sodb::{
    Application, Associated, Blob, FixedFunction, PipelineStateDesc, ShaderStage, StateObjectDesc,
};

use crate::{Place, count};

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 4 } else { 300 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pipeline_states_become_structures_and_back(desc in pipeline_state()) {
        let raw = desc.to_raw();
        // SAFETY: the description was just made and is alive.
        let read = unsafe { PipelineStateDesc::from_raw(raw.desc()) };
        if desc == PipelineStateDesc::default() {
            // The API has no empty stream.
            prop_assert!(read.is_err());
        } else {
            prop_assert_eq!(read.unwrap(), desc);
        }
    }

    #[test]
    fn state_objects_become_structures_and_back(desc in state_object(keys())) {
        let raw = desc.to_raw();
        // SAFETY: the description was just made and is alive.
        prop_assert_eq!(unsafe { StateObjectDesc::from_raw(raw.desc()) }.unwrap(), desc);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pipeline_states_are_found_again(descs in prop::collection::vec(pipeline_state(), 1..12)) {
        let place = Place::new();
        let sodb = place.create();
        for (index, desc) in descs.iter().enumerate() {
            let key = index.to_le_bytes();
            sodb.store_pipeline_state(&key, 7, desc).unwrap();
            // Again, which changes nothing.
            sodb.store_pipeline_state(&key, 7, desc).unwrap();
        }
        sodb.close().unwrap();
        let sodb = place.read();
        for (index, desc) in descs.iter().enumerate() {
            let found = sodb.find_pipeline_state(&index.to_le_bytes()).unwrap().unwrap();
            prop_assert_eq!(found.version, 7);
            prop_assert_eq!(&found.desc, &desc.clone().equivalent());
        }
    }

    #[test]
    fn state_objects_are_found_again(descs in prop::collection::vec(state_object(keys()), 1..6), first in state_object(Vec::new())) {
        let place = Place::new();
        let sodb = place.create();
        for key in keys() {
            let mut collection = first.clone();
            // Each is another one.
            collection.node_mask = Some(key.len().try_into().unwrap());
            sodb.store_state_object(&key, 1, &collection, None).unwrap();
        }
        let mut parent: Option<Vec<u8>> = None;
        let mut stored = Vec::new();
        for (index, desc) in descs.into_iter().enumerate() {
            let key = format!("key {index}").into_bytes();
            for _ in 0..2 {
                sodb.store_state_object(&key, u32::MAX, &desc, parent.as_deref()).unwrap();
            }
            stored.push((key.clone(), desc, parent.replace(key)));
        }
        sodb.close().unwrap();
        let sodb = place.read();
        for (key, desc, parent) in stored {
            let found = sodb.find_state_object(&key).unwrap().unwrap();
            prop_assert_eq!(found.version, u32::MAX);
            prop_assert_eq!(found.desc, desc.equivalent());
            prop_assert_eq!(found.parent, parent);
        }
    }
}

prop_compose! {
    fn application()(
        (exe, name) in ("[^\\x00]{1,20}", "[^\\x00]{1,20}"),
        version in any::<u64>(),
        engine in prop::option::of(("[^\\x00]{0,20}", any::<u64>())),
    ) -> Application {
        let (engine_name, engine_version) = engine.unzip();
        Application { exe, name, version, engine_name, engine_version: engine_version.unwrap_or(0) }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// The last one that was set, and no other.
    #[test]
    fn applications_are_found_again(applications in prop::collection::vec(application(), 1..4)) {
        let place = Place::new();
        let sodb = place.create();
        for application in &applications {
            sodb.set_application(application).unwrap();
            let found = sodb.application().unwrap();
            prop_assert_eq!(found.as_ref(), Some(application));
        }
        sodb.close().unwrap();
        let found = place.read().application().unwrap();
        prop_assert_eq!(found.as_ref(), applications.last());
        prop_assert_eq!(count(&place.sql(), "app_id"), 1);
    }
}

/// Each item, and how many equal ones come before it in its list.
fn numbered<T: PartialEq>(items: &[T]) -> Vec<(&T, usize)> {
    let number = |(at, item)| {
        let before = items[..at].iter().filter(|before| *before == item);
        (item, before.count())
    };
    items.iter().enumerate().map(number).collect()
}

/// The associations of `desc`, each with what is associated as a value.
fn associations(desc: &StateObjectDesc) -> Vec<(String, &[String])> {
    let associated = |subobject| match subobject {
        Associated::Config => format!("config {:?}", desc.config),
        Associated::NodeMask => format!("mask {:?}", desc.node_mask),
        Associated::GlobalRootSignature(at) => {
            format!("global {:?}", numbered(&desc.global_root_signatures)[at])
        }
        Associated::LocalRootSignature(at) => {
            format!("local {:?}", numbered(&desc.local_root_signatures)[at])
        }
        Associated::ShaderConfig(at) => {
            format!("shader {:?}", numbered(&desc.shader_configs)[at])
        }
        Associated::PipelineConfig(at) => {
            format!("pipeline {:?}", numbered(&desc.pipeline_configs)[at])
        }
    };
    let associations = desc.associations.iter();
    associations
        .map(|of| (associated(of.subobject), &of.exports[..]))
        .collect()
}

/// The libraries of `desc`: a row can be linked with exports and without any.
fn libraries(desc: &StateObjectDesc) -> impl Iterator<Item = (Blob, usize)> {
    let of = |is_whole| {
        let libraries = desc.libraries.iter();
        let libraries = libraries.filter(move |library| library.exports.is_empty() == is_whole);
        let blobs: Vec<Blob> = libraries.map(|library| library.bytecode.clone()).collect();
        let numbered = numbered(&blobs).into_iter();
        numbered
            .map(|(blob, number)| (blob.clone(), number))
            .collect::<Vec<_>>()
    };
    [of(true), of(false)].into_iter().flatten()
}

/// How many of all that was given differ.
fn differ<T: PartialEq>(items: impl IntoIterator<Item = T>) -> u32 {
    distinct(items.into_iter().collect())
        .len()
        .try_into()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the objects are, and of whatever kind: what they have in common is there once, and as often as one list has it.
    #[test]
    fn equal_parts_of_any_objects_are_one_row(
        pipelines in repeated(pipeline_state()),
        objects in repeated(state_object(Vec::new())),
    ) {
        let place = Place::new();
        let sodb = place.create();
        for (index, desc) in pipelines.iter().enumerate() {
            sodb.store_pipeline_state(format!("pipeline {index}").as_bytes(), 1, desc).unwrap();
        }
        for (index, desc) in objects.iter().enumerate() {
            sodb.store_state_object(format!("object {index}").as_bytes(), 1, desc, None).unwrap();
        }
        sodb.close().unwrap();
        let objects: Vec<StateObjectDesc> = objects.into_iter().map(Equivalent::equivalent).collect();
        let programs = || objects.iter().flat_map(|desc| &desc.generic_programs);
        let graphs = || objects.iter().flat_map(|desc| &desc.work_graphs);
        let nodes = || graphs().flat_map(|graph| &graph.nodes);
        let outputs = || nodes().flat_map(|node| &node.outputs);
        let states: Vec<FixedFunction> = pipelines
            .iter()
            .map(|desc| &desc.fixed_function)
            .chain(programs().map(|program| &program.state))
            .map(|state| state.clone().equivalent())
            .collect();
        let depth_stencils = || states.iter().filter_map(|state| state.depth_stencil);
        let layouts = || states.iter().filter_map(|state| state.input_layout.as_ref());
        let root_signatures = pipelines
            .iter()
            .filter_map(|desc| desc.root_signature.as_ref().map(|blob| (blob, 0)))
            .chain(objects.iter().flat_map(|desc| numbered(&desc.global_root_signatures)))
            .chain(objects.iter().flat_map(|desc| numbered(&desc.local_root_signatures)));
        let shaders = pipelines
            .iter()
            .flat_map(|desc| ShaderStage::ALL.map(|stage| desc.shaders[stage].clone()))
            .flatten()
            .map(|blob| (blob, 0))
            .chain(objects.iter().flat_map(libraries));
        let exports = objects.iter().flat_map(|desc| &desc.libraries);
        let exports = exports.flat_map(|library| numbered(&library.exports));
        let outputs_of_streams = || states.iter().filter_map(|state| state.stream_output.as_ref());
        let targets = states.iter().filter_map(|state| state.blend).flat_map(|blend| {
            let used = if blend.IndependentBlendEnable.as_bool() { 8 } else { 1 };
            blend.RenderTarget.into_iter().take(used)
        });
        let associations: Vec<_> = objects.iter().map(associations).collect();
        let node_ids = graphs()
            .flat_map(|graph| numbered(&graph.entry_points))
            .chain(nodes().flat_map(|node| node.new_name.iter().chain(&node.share_input_of)).map(|id| (id, 0)))
            .chain(outputs().filter_map(|output| output.new_name.as_ref()).map(|id| (id, 0)));
        let sql = place.sql();
        for (table, expected) in [
            ("pipeline_states", differ(pipelines.iter().map(|desc| desc.clone().equivalent()))),
            ("state_objects", differ(&objects)),
            ("root_signatures", differ(root_signatures)),
            ("shader_bytecode", differ(shaders)),
            ("blend_descs", differ(states.iter().filter_map(|state| state.blend))),
            ("rasterizer_descs", differ(states.iter().filter_map(|state| state.rasterizer))),
            ("depth_stencil_descs", differ(depth_stencils())),
            ("depth_stencil_op_descs", differ(depth_stencils().flat_map(|desc| [desc.FrontFace, desc.BackFace]))),
            ("render_target_formats", differ(states.iter().filter_map(|state| state.render_target_formats))),
            ("view_instancing_descs", differ(states.iter().filter_map(|state| state.view_instancing.as_ref()))),
            ("render_target_blend_descs", differ(targets)),
            ("stream_out_descs", differ(outputs_of_streams())),
            ("so_declarations", differ(outputs_of_streams().flat_map(|output| numbered(&output.entries)))),
            ("generic_programs", differ(objects.iter().flat_map(|desc| numbered(&desc.generic_programs)))),
            ("subobject_to_exports_associations", differ(associations.iter().flat_map(|of| numbered(of)))),
            ("input_element_descs", differ(layouts().flatten())),
            (
                "(SELECT DISTINCT InputLayoutKey FROM input_layout_to_input_element_associations)",
                differ(layouts().filter(|layout| !layout.is_empty())),
            ),
            ("exports", differ(exports)),
            ("rt_hit_groups", differ(objects.iter().flat_map(|desc| numbered(&desc.hit_groups)))),
            ("rt_shader_config", differ(objects.iter().flat_map(|desc| numbered(&desc.shader_configs)))),
            ("rt_pipeline_config", differ(objects.iter().flat_map(|desc| numbered(&desc.pipeline_configs)))),
            ("work_graphs", differ(objects.iter().flat_map(|desc| numbered(&desc.work_graphs)))),
            ("shader_nodes", differ(graphs().flat_map(|graph| numbered(&graph.nodes)))),
            ("node_ids", differ(node_ids)),
            ("node_output_overrides", differ(nodes().flat_map(|node| numbered(&node.outputs)))),
            (
                "dxil_subobject_to_exports_associations",
                differ(objects.iter().flat_map(|desc| numbered(&desc.dxil_associations))),
            ),
        ] {
            prop_assert_eq!(count(&sql, table), expected, "{}", table);
        }
    }

    /// Rows that link are the only order that there is: turned round, every list is.
    #[test]
    fn the_order_of_every_list_is_that_of_its_rows(pipeline in pipeline_state(), object in state_object(keys())) {
        let place = Place::new();
        let sodb = place.create();
        let (pipeline, object) = (pipeline.equivalent(), object.equivalent());
        sodb.store_pipeline_state(b"pipeline", 1, &pipeline).unwrap();
        for key in keys() {
            let node_mask = Some(key.len().try_into().unwrap());
            let collection = StateObjectDesc { node_mask, ..StateObjectDesc::default() };
            sodb.store_state_object(&key, 1, &collection, None).unwrap();
        }
        sodb.store_state_object(b"object", 1, &object, None).unwrap();
        sodb.close().unwrap();
        let sql = place.sql();
        let mut links = sql
            .prepare(
                "SELECT name FROM sqlite_schema t WHERE type = 'table' \
                 AND NOT EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE pk)",
            )
            .unwrap();
        let links: Vec<String> = links.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        prop_assert_eq!(links.len(), 17);
        for link in links {
            sql.execute_batch(&format!(
                "CREATE TEMP TABLE turned AS SELECT * FROM {link} ORDER BY rowid DESC; DELETE FROM {link}; \
                 INSERT INTO {link} SELECT * FROM turned ORDER BY rowid; DROP TABLE turned;"
            ))
            .unwrap();
        }
        let sodb = place.read();
        prop_assert_eq!(sodb.find_pipeline_state(b"pipeline").unwrap().unwrap().desc, turned_pipeline(pipeline));
        prop_assert_eq!(sodb.find_state_object(b"object").unwrap().unwrap().desc, turned(object));
    }
}

fn turn(state: &mut FixedFunction) {
    state
        .input_layout
        .iter_mut()
        .for_each(|layout| layout.reverse());
    let outputs = state.stream_output.iter_mut();
    outputs.for_each(|output| output.entries.reverse());
}

fn turned_pipeline(mut desc: PipelineStateDesc) -> PipelineStateDesc {
    turn(&mut desc.fixed_function);
    desc
}

/// All lists the other way round.
fn turned(mut desc: StateObjectDesc) -> StateObjectDesc {
    let lens = [
        desc.global_root_signatures.len(),
        desc.local_root_signatures.len(),
        desc.shader_configs.len(),
        desc.pipeline_configs.len(),
    ];
    for association in &mut desc.associations {
        match &mut association.subobject {
            Associated::Config | Associated::NodeMask => {}
            Associated::GlobalRootSignature(place) => *place = lens[0] - 1 - *place,
            Associated::LocalRootSignature(place) => *place = lens[1] - 1 - *place,
            Associated::ShaderConfig(place) => *place = lens[2] - 1 - *place,
            Associated::PipelineConfig(place) => *place = lens[3] - 1 - *place,
        }
        association.exports.reverse();
    }
    desc.associations.reverse();
    for association in &mut desc.dxil_associations {
        association.exports.reverse();
    }
    desc.dxil_associations.reverse();
    desc.global_root_signatures.reverse();
    desc.local_root_signatures.reverse();
    for library in &mut desc.libraries {
        library.exports.reverse();
    }
    desc.libraries.reverse();
    for collection in &mut desc.collections {
        collection.exports.reverse();
    }
    desc.collections.reverse();
    desc.hit_groups.reverse();
    desc.shader_configs.reverse();
    desc.pipeline_configs.reverse();
    for program in &mut desc.generic_programs {
        program.exports.reverse();
        turn(&mut program.state);
    }
    desc.generic_programs.reverse();
    for graph in &mut desc.work_graphs {
        graph.entry_points.reverse();
        for node in &mut graph.nodes {
            node.outputs.reverse();
        }
        graph.nodes.reverse();
    }
    desc.work_graphs.reverse();
    desc
}
