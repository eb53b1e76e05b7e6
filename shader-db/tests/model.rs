//! Random calls, beside a model in memory.

mod common;

use std::collections::BTreeMap;

use proptest::prelude::*;
use shader_db::Error;
use shader_db::psdb::{Psdb, ValueType, rewrite};

use common::{create, sha256, value};

#[derive(Clone, Debug)]
enum Call {
    StoreValue(u8, Vec<(u8, u16)>),
    StoreGroup(u8, u32, Vec<u8>),
    Reopen,
}

fn call() -> impl Strategy<Value = Call> {
    let kinds = prop::collection::btree_map(0_u8..4, 1_u16..2000, 1..4);
    prop_oneof![
        6 => (0_u8..12, kinds).prop_map(|(key, kinds)| Call::StoreValue(key, kinds.into_iter().collect())),
        4 => (0_u8..12, 0_u32..3, prop::collection::vec(0_u8..20, 0..24))
            .prop_map(|(key, version, keys)| Call::StoreGroup(key, version, keys)),
        1 => Just(Call::Reopen),
    ]
}

#[derive(Default)]
struct Model {
    values: BTreeMap<(u8, u8), Vec<u8>>,
    groups: BTreeMap<u8, (u32, Vec<u8>)>,
}

fn check(psdb: &Psdb, model: &Model) {
    for key in 0..12 {
        for kind in ValueType::ALL {
            let expected = model.values.get(&(key, kind as u8));
            assert_eq!(value(psdb, &[key], kind).unwrap().as_ref(), expected);
            let size = expected.map(|value| u32::try_from(value.len()).unwrap());
            assert_eq!(psdb.value_size(&[key], kind).unwrap(), size);
        }
        let expected = model.groups.get(&key);
        assert_eq!(
            psdb.find_group(&[key]).unwrap(),
            expected.map(|group| group.0)
        );
        for version in 0..3 {
            let expected = expected.filter(|group| group.0 == version);
            let expected = expected.map(|group| group.1.iter().map(|key| vec![*key]).collect());
            assert_eq!(psdb.group_value_keys(&[key], version).unwrap(), expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_session_is_its_model(calls in prop::collection::vec(call(), 1..40)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.psdb");
        let mut psdb = create(&path);
        let mut model = Model::default();
        for call in calls {
            match call {
                Call::StoreValue(key, kinds) => {
                    let bytes: Vec<_> = kinds.iter().map(|(kind, size)| {
                        (ValueType::from_number((*kind).into()).unwrap(), vec![key ^ kind; usize::from(*size)])
                    }).collect();
                    let given: Vec<_> = bytes.iter().map(|(kind, value)| (*kind, &value[..])).collect();
                    let exists = kinds.iter().any(|(kind, _)| model.values.contains_key(&(key, *kind)));
                    let expected = if exists { Err(Error::AlreadyExists) } else { Ok(()) };
                    prop_assert_eq!(psdb.store_value(&[key], &given), expected);
                    if !exists {
                        for (kind, value) in bytes {
                            model.values.insert((key, kind as u8), value);
                        }
                    }
                }
                Call::StoreGroup(key, version, mut list) => {
                    let given: Vec<_> = list.iter().map(std::slice::from_ref).collect();
                    let exists = model.groups.contains_key(&key);
                    let expected = if exists { Err(Error::AlreadyExists) } else { Ok(()) };
                    prop_assert_eq!(psdb.store_group(&[key], version, &given), expected);
                    if !exists {
                        let mut seen = Vec::new();
                        list.retain(|key| !seen.contains(key) && { seen.push(*key); true });
                        model.groups.insert(key, (version, list));
                    }
                }
                Call::Reopen => {
                    psdb.close().unwrap();
                    psdb = create(&path);
                }
            }
            check(&psdb, &model);
        }
        psdb.close().unwrap();
        rewrite(&path).unwrap();
        check(&create(&path), &model);

        // The model's order is another one.
        let other = folder.path().join("b.psdb");
        let psdb = create(&other);
        for (key, (version, list)) in &model.groups {
            psdb.store_group(&[*key], *version, &list.iter().map(std::slice::from_ref).collect::<Vec<_>>()).unwrap();
        }
        for ((key, kind), value) in &model.values {
            psdb.store_value(&[*key], &[(ValueType::from_number((*kind).into()).unwrap(), value)]).unwrap();
        }
        psdb.close().unwrap();
        prop_assert_eq!(sha256(&path), sha256(&other));
    }
}
