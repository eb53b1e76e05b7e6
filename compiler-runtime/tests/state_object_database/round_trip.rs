//! Any description, stored and found.

use api_sys::*;
use arbitrary_descriptions::{Equivalent, keys, pipeline_state, state_object};
use proptest::prelude::*;
use shader_db::sodb::{PipelineStateDesc, StateObjectDesc};
use windows_core::HRESULT;

use crate::database::*;

fn store(
    database: &ID3D12StateObjectDatabase,
    key: &[u8],
    version: u32,
    desc: &StateObjectDesc,
    parent: &[u8],
) -> HRESULT {
    let ((key, size), (parent, parent_size)) = (raw(key), raw(parent));
    let desc = desc.to_raw();
    // SAFETY: every pointer is null or to a value of its type that outlives the call.
    unsafe { database.StoreStateObjectDesc(key, size, version, desc.desc(), parent, parent_size) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pipelines(desc in pipeline_state(), version in any::<u32>()) {
        // The API has no empty stream.
        prop_assume!(desc != PipelineStateDesc::default());
        let (_folder, database) = temporary();
        prop_assert_eq!(store_pipeline(&database, b"key", version, desc.to_raw().desc()), S_OK);
        prop_assert_eq!(pipeline(&database, b"key"), Ok((version, desc.equivalent())));
    }

    #[test]
    fn objects(
        desc in state_object(keys()),
        version in any::<u32>(),
        parent in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (_folder, database) = temporary();
        for key in keys() {
            // Each is another one.
            let node_mask = Some(key.len().try_into().unwrap());
            let collection = StateObjectDesc { node_mask, ..StateObjectDesc::default() };
            prop_assert_eq!(store(&database, &key, 1, &collection, b""), S_OK);
        }
        let keys = keys();
        let parent = parent.map_or(&[][..], |parent| &parent.get(&keys)[..]);
        prop_assert_eq!(store(&database, b"key", version, &desc, parent), S_OK);
        prop_assert_eq!(object(&database, b"key"), Ok((version, desc.equivalent(), parent.to_vec())));
    }
}
