//! Every description is found again as it was stored, and passes through the API's structures unchanged.

use proptest::prelude::*;
use shader_db::sodb::{PipelineStateDesc, StateObjectDesc};

use crate::Place;
use crate::generate::{Equivalent, pipeline_state, state_object};

fn keys() -> Vec<Vec<u8>> {
    vec![b"first".to_vec(), vec![0, 255, 0], vec![7; 300]]
}

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
