//! A game passes its own description, in its own order: what the tool made of the database is found all the same.

use std::collections::{BTreeSet, HashMap};

use api_desc::{Export, State, StateObjectDesc, Subobject};
use compiler_runtime::message::Messages;
use mock_runtime::Error;
use mock_runtime::adapter::{DriverState, OpenAdapter};
use mock_runtime::device::{Device, DeviceOptions};
use mock_runtime::objects::{Made, Objects};
use mock_runtime::realize::StateObject;
use mock_runtime::umd::Umd;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use shader_db::sodb::{self, Access, Sodb};

use crate::compile::example;

type Desc<'a> = StateObjectDesc<Vec<u8>, &'a [u8]>;

/// All orders that a run needs, from one seed.
struct Orders(u64);

impl Orders {
    fn number(&mut self, below: usize) -> usize {
        // The constants of a full period.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.number(end + 1));
        }
    }
}

/// What a library or a collection exports.
fn exports_of<'s>(subobject: &'s mut Subobject<Vec<u8>, &[u8]>) -> Option<&'s mut Vec<Export>> {
    match subobject {
        Subobject::Library(library) => Some(&mut library.exports),
        Subobject::Collection(collection) => Some(&mut collection.exports),
        _ => None,
    }
}

/// The same object, as another program would describe it.
fn described_otherwise<'a>(desc: &Desc<'a>, orders: &mut Orders) -> Desc<'a> {
    // Where each subobject came from.
    let mut subobjects: Vec<_> = desc.subobjects.iter().cloned().enumerate().collect();
    let split = subobjects.iter_mut().filter_map(|(place, subobject)| {
        let mut other = subobject.clone();
        let (one, two) = (exports_of(subobject)?, exports_of(&mut other)?);
        orders.shuffle(one);
        if one.len() < 2 {
            return None;
        }
        *two = one.split_off(1);
        Some((*place, other))
    });
    let split: Vec<_> = split.collect();
    subobjects.extend(split);
    // No program lists it.
    subobjects.push((usize::MAX, Subobject::State(State::SampleMask(7))));
    orders.shuffle(&mut subobjects);
    let moved = |place: usize| {
        subobjects
            .iter()
            .position(|(from, _)| *from == place)
            .unwrap()
    };
    let places: Vec<usize> = (0..desc.subobjects.len()).map(moved).collect();
    let subobjects = subobjects.into_iter().map(|(_, mut subobject)| {
        match &mut subobject {
            Subobject::Association(association) => {
                association.subobject = places[association.subobject];
                orders.shuffle(&mut association.exports);
            }
            Subobject::DxilAssociation(association) => orders.shuffle(&mut association.exports),
            Subobject::GenericProgram(program) => {
                program
                    .state
                    .iter_mut()
                    .for_each(|place| *place = places[*place]);
                orders.shuffle(&mut program.state);
                orders.shuffle(&mut program.exports);
            }
            _ => {}
        }
        subobject
    });
    StateObjectDesc {
        kind: desc.kind,
        subobjects: subobjects.collect(),
    }
}

#[test]
fn a_game_finds_what_the_tool_made_whatever_the_order() {
    let folder = example();
    let compile = ["compile", "пример.sodb", "a.psdb", "--plugin", "sample"];
    let ran = folder.run(&[&compile[..], &["--adapter-family", "0", "--in-process"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let sodb = Sodb::open(folder.path("пример.sodb"), Access::Read).unwrap();
    let keys: Vec<_> = sodb
        .entries()
        .unwrap()
        .into_iter()
        .map(|entry| entry.key)
        .collect();
    let found = sodb.find_objects(&keys).unwrap();
    let objects: Vec<_> = found
        .into_iter()
        .map(|found| found.unwrap().unwrap())
        .collect();
    let adapter = OpenAdapter::open(&Umd::mock(), DriverState::default(), None).unwrap();
    let config = Config {
        cases: 24,
        failure_persistence: None,
        ..Config::default()
    };
    let run = |seed| {
        let mut orders = Orders(seed);
        let options = DeviceOptions {
            caches: vec![folder.path("a.psdb")],
            ..DeviceOptions::default()
        };
        let device = Device::new(&adapter, &options).unwrap();
        let pipelines = Objects::new(device.clone());
        let mut made = HashMap::<Vec<u8>, StateObject>::new();
        let mut kinds = BTreeSet::new();
        for (key, object) in keys.iter().zip(&objects) {
            let mut messages = Messages::default();
            let (outcome, desc) = match object {
                sodb::Object::PipelineState(_) => {
                    let Made::PipelineState(pipeline) =
                        pipelines.create(key, object, &mut messages).unwrap()
                    else {
                        unreachable!("a pipeline was asked for")
                    };
                    (pipeline.outcome(), None)
                }
                sodb::Object::StateObject(object) => {
                    let desc = described_otherwise(&object.desc.to_api(), &mut orders);
                    kinds.extend(desc.subobjects.iter().map(Subobject::subobject_type));
                    let text = format!("{desc:?}");
                    let collection = |_, key| Ok::<StateObject, Error>(made[&key].clone());
                    let desc = desc.with_collections(collection);
                    let parent = object.parent.as_ref().map(|key| &made[key]);
                    let own = device
                        .create_state_object(desc.unwrap(), parent, &mut messages)
                        .unwrap();
                    let outcome = own.outcome();
                    made.insert(key.clone(), own);
                    (outcome, Some(text))
                }
            };
            prop_assert!(outcome.is_hit(), "{outcome:?} {messages:?} {desc:?}");
        }
        for kind in [
            api_sys::D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP,
            api_sys::D3D12_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM,
            api_sys::D3D12_STATE_SUBOBJECT_TYPE_WORK_GRAPH,
            api_sys::D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY,
            api_sys::D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION,
        ] {
            assert!(kinds.contains(&kind), "the example has none of type {kind}");
        }
        Ok(())
    };
    TestRunner::new(config).run(&any::<u64>(), run).unwrap();
}
