//! Merging: what is taken, what is left out, and that it does not matter how objects are spread over files.

use arbitrary_descriptions::{pipeline_state, state_object};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use shader_db::Error;
use shader_db::sodb::{
    Access, ExistingCollection, FoundPipelineState, FoundStateObject, GroupKey, Merged, ObjectName,
    Origins, PipelineState, PipelineStateDesc, Sodb, StateObject, StateObjectDesc,
};

use crate::Place;
use crate::hostile::example;

fn merge(to: &Sodb, from: &Sodb) -> Merged {
    let merged = to.merge(&[from]).unwrap();
    let [merged] = <[_; 1]>::try_from(merged).unwrap();
    merged
}

/// The keys of a merge's sources that were left out, and why.
fn left_out(merged: &Merged) -> Vec<(String, String)> {
    let text = |key: &Vec<u8>| String::from_utf8_lossy(key).into_owned();
    let left_out = merged.left_out.iter();
    left_out
        .map(|it| {
            (
                it.key.as_ref().map_or("-".into(), text),
                it.reason.to_string(),
            )
        })
        .collect()
}

#[test]
fn a_bad_object_costs_itself_and_what_is_made_from_it() {
    for (statement, expected) in [
        (
            "DELETE FROM rt_hit_groups",
            &[
                ("rays", "so_to_hit_group_associations"),
                ("more rays", "the parent of object"),
            ][..],
        ),
        (
            "UPDATE shader_nodes SET NodeType = 1",
            &[("graph", "NodeType")],
        ),
        (
            "UPDATE state_objects SET Type = NULL WHERE Key = (SELECT SOKey FROM groups WHERE Key = CAST('functions' AS BLOB))",
            &[
                ("functions", "state_objects.Type"),
                ("rays", "the collection of object"),
                ("more rays", "the parent of object"),
            ],
        ),
        (
            "UPDATE groups SET Key = x'' WHERE Key = CAST('graph' AS BLOB)",
            &[("", "a key of no bytes")],
        ),
        (
            "UPDATE groups SET Version = 1 << 40 WHERE Key = CAST('graph' AS BLOB)",
            &[("graph", "its version is 1099511627776")],
        ),
        (
            "UPDATE groups SET SOKey = NULL WHERE Key = CAST('graph' AS BLOB)",
            &[("graph", "names no object")],
        ),
        (
            "UPDATE groups SET SOKey = x'00' WHERE Key = CAST('graph' AS BLOB)",
            &[("graph", "state_objects has no row 00")],
        ),
        (
            "UPDATE state_objects SET AddToStateObjectParent = Key WHERE AddToStateObjectParent IS NOT NULL",
            &[("more rays", "the parent of object")],
        ),
        (
            "DELETE FROM groups WHERE Key = CAST('graph' AS BLOB); UPDATE shader_nodes SET NodeType = 1",
            &[("-", "NodeType")],
        ),
    ] {
        let from = example();
        from.with(statement);
        let to = Place::new();
        let merged = merge(&to.create(), &from.read());
        let left_out = left_out(&merged);
        let is_expected = left_out.len() == expected.len()
            && left_out
                .iter()
                .zip(expected)
                .all(|((key, reason), (expected, text))| key == expected && reason.contains(text));
        assert!(is_expected, "{statement}: {left_out:?}");
        assert_eq!(merged.added.len(), 9 - expected.len(), "{statement}");
        for key in &merged.added {
            let [there, here] = [&from, &to].map(|place| {
                let found = place.read().find_objects(&[key]).unwrap();
                found.into_iter().next().unwrap().unwrap()
            });
            assert!(there.is_some() && there == here);
        }
    }
}

/// What a destination has is not left out for what a source lacks.
#[test]
fn what_is_there_is_no_stand_in_for_what_is_left_out() {
    let from = example();
    let to = example();
    from.with("UPDATE groups SET Version = 9; DELETE FROM rt_hit_groups");
    let before = to.read().find_state_object(b"more rays").unwrap();
    let sodb = Sodb::open(to.path(), Access::Write).unwrap();
    let merged = merge(&sodb, &from.read());
    assert_eq!(merged.replaced.len(), 7);
    let keys: Vec<_> = left_out(&merged).into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["rays", "more rays"]);
    assert_eq!(sodb.find_state_object(b"more rays").unwrap(), before);
}

#[test]
fn a_destination_that_cannot_be_written_is_no_fault_of_an_object() {
    let from = example();
    let to = Place::new();
    to.with("CREATE UNIQUE INDEX more ON groups (Version)");
    let refused = Sodb::open(to.path(), Access::Write)
        .unwrap()
        .merge(&[&from.read()]);
    assert!(matches!(refused, Err(Error::Corrupt { .. })), "{refused:?}");
    assert_eq!(to.read().counts().unwrap().pipeline_states, 0);
}

/// An object, what it is made from by number, and whether it has a key.
#[derive(Clone, Debug)]
struct Item {
    desc: Result<PipelineStateDesc, StateObjectDesc>,
    parent: Option<usize>,
    collections: Vec<usize>,
    has_key: bool,
}

/// Objects of which each is another one, made from some before it.
fn items() -> impl Strategy<Value = Vec<Item>> {
    let desc = prop_oneof![
        1 => pipeline_state().prop_map(Ok),
        2 => state_object(Vec::new()).prop_map(Err),
    ];
    let needs = (
        proptest::option::of(any::<Index>()),
        vec(any::<Index>(), 0..3),
    );
    let item = (desc.boxed(), needs, proptest::bool::weighted(0.7));
    vec(item, 1..8).prop_map(|all| {
        let mut items: Vec<Item> = Vec::new();
        for (number, (mut desc, (parent, collections), has_key)) in all.into_iter().enumerate() {
            let node_mask = Some(number.try_into().unwrap());
            let mut item = Item {
                parent: None,
                collections: Vec::new(),
                has_key,
                desc: match &mut desc {
                    Ok(desc) => {
                        desc.node_mask = node_mask;
                        Ok(std::mem::take(desc))
                    }
                    Err(desc) => {
                        desc.node_mask = node_mask;
                        Err(std::mem::take(desc))
                    }
                },
            };
            let before: Vec<usize> = (0..number).filter(|at| items[*at].desc.is_err()).collect();
            if !before.is_empty() && item.desc.is_err() {
                item.parent = parent.map(|at| *at.get(&before));
                item.collections = collections.iter().map(|at| *at.get(&before)).collect();
                item.collections.sort_unstable();
                item.collections.dedup();
            }
            items.push(item);
        }
        items
    })
}

/// Numbers, and those of what they are made from.
fn close(items: &[Item], of: &[Index]) -> Vec<usize> {
    let mut is_in = vec![false; items.len()];
    for at in of {
        is_in[at.index(items.len())] = true;
    }
    for number in (0..items.len()).rev() {
        if is_in[number] {
            let Item {
                parent,
                collections,
                ..
            } = &items[number];
            parent
                .iter()
                .chain(collections)
                .for_each(|need| is_in[*need] = true);
        }
    }
    (0..items.len()).filter(|number| is_in[*number]).collect()
}

fn key_of(number: usize) -> Vec<u8> {
    format!("key {number}").into_bytes()
}

/// Stores items; `version` gives the version of each, by which it differs.
fn store(sodb: &Sodb, items: &[Item], numbers: &[usize], version: impl Fn(usize) -> u32) {
    let mut rows: Vec<Option<Vec<u8>>> = vec![None; items.len()];
    for &number in numbers {
        let Item {
            desc,
            parent,
            collections,
            has_key,
        } = &items[number];
        let (key, version) = (key_of(number), version(number));
        let group = GroupKey { key: &key, version };
        let groups = if *has_key { &[group][..] } else { &[] };
        let row = match desc {
            Ok(desc) => {
                let mut desc = desc.clone();
                desc.fixed_function.sample_mask = Some(version);
                sodb.store_pipeline_state_in(groups, &desc)
            }
            Err(desc) => {
                let mut desc = desc.clone();
                desc.config = Some(version);
                let row = |at: &usize| rows[*at].clone();
                let origins = Origins {
                    collections: &collections.iter().map(row).collect::<Vec<_>>(),
                    parent_group: None,
                    parent_object: parent.as_ref().and_then(|at| rows[*at].as_deref()),
                };
                desc.collections = collections
                    .iter()
                    .map(|_| ExistingCollection::default())
                    .collect();
                sodb.store_state_object_in(groups, &desc, &origins)
            }
        };
        rows[number] = Some(row.unwrap());
    }
}

/// All objects with all of their keys.
fn content(sodb: &Sodb) -> (Vec<FoundPipelineState>, Vec<FoundStateObject>) {
    let pipelines = sodb.pipeline_states().unwrap().into_iter();
    let mut pipelines: Vec<_> = pipelines
        .map(|keys| {
            let name = ObjectName {
                group: None,
                object: Some(&keys.object),
            };
            sodb.find_pipeline_state_by(name, true).unwrap().unwrap()
        })
        .collect();
    let objects = sodb.state_objects().unwrap().into_iter();
    let mut objects: Vec<_> = objects
        .map(|keys| {
            let name = ObjectName {
                group: None,
                object: Some(&keys.object),
            };
            sodb.find_state_object_by(name, true).unwrap().unwrap()
        })
        .collect();
    pipelines.sort_by(|a, b| a.keys.object.cmp(&b.keys.object));
    objects.sort_by(|a, b| a.keys.object.cmp(&b.keys.object));
    (pipelines, objects)
}

/// What each key names. The same collections in another order are not told apart: a new version moves behind the others.
fn by_keys(sodb: &Sodb) -> Vec<(Vec<u8>, Option<PipelineState>, Option<StateObject>)> {
    let mut keys: Vec<_> = sodb
        .entries()
        .unwrap()
        .into_iter()
        .map(|entry| entry.key)
        .collect();
    keys.sort();
    keys.into_iter()
        .map(|key| {
            let pipeline = sodb.find_pipeline_state(&key).unwrap();
            let mut object = sodb.find_state_object(&key).unwrap();
            if let Some(object) = &mut object {
                object
                    .desc
                    .collections
                    .sort_by(|a, b| a.collection.cmp(&b.collection));
            }
            (key, pipeline, object)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever part of the objects each file has, and in whatever order the files are merged: all of them are what one
    /// file would have that all were stored in.
    #[test]
    fn files_are_merged_to_what_one_file_would_have(
        items in items(),
        parts in vec(vec(any::<Index>(), 0..5), 1..4),
        first in any::<Index>(),
        at_once in any::<bool>(),
    ) {
        let parts: Vec<Vec<usize>> = parts.iter().map(|part| close(&items, part)).collect();
        let [whole, to] = [Place::new(), Place::new()];
        let expected = whole.create();
        let all = (0..items.len()).filter(|number| parts.iter().any(|part| part.contains(number)));
        store(&expected, &items, &all.collect::<Vec<_>>(), |_| 1);
        let mut places: Vec<Place> = Vec::new();
        for part in &parts {
            let place = Place::new();
            let sodb = place.create();
            store(&sodb, &items, part, |_| 1);
            sodb.close().unwrap();
            places.push(place);
        }
        let mut sources: Vec<Sodb> = places.iter().map(Place::read).collect();
        let first = first.index(sources.len());
        sources.rotate_left(first);
        let sources: Vec<&Sodb> = sources.iter().collect();
        let sodb = to.create();
        // The second time nothing is new.
        for time in 0..2 {
            let merged = if at_once {
                sodb.merge(&sources).unwrap()
            } else {
                sources.iter().map(|source| merge(&sodb, source)).collect()
            };
            for (merged, source) in merged.iter().zip(&sources) {
                let counts = source.counts().unwrap();
                prop_assert_eq!(merged.added.len() as u64 + merged.same, counts.keys);
                prop_assert_eq!(merged.without_key, counts.unnamed);
                prop_assert!(merged.replaced.is_empty() && merged.kept.is_empty() && merged.left_out.is_empty());
                prop_assert!(time == 0 || merged.added.is_empty());
            }
            prop_assert_eq!(content(&sodb), content(&expected));
        }
    }

    /// Of several versions the highest is there, whichever file came first; what is made from it follows it.
    #[test]
    fn the_highest_versions_are_merged(
        items in items(),
        parts in vec((vec(any::<Index>(), 0..5), vec(1..4_u32, 8)), 1..4),
        first in any::<Index>(),
    ) {
        let mut items = items;
        for item in &mut items {
            item.has_key = true;
        }
        let parts: Vec<(Vec<usize>, Vec<u32>)> =
            parts.into_iter().map(|(part, versions)| (close(&items, &part), versions)).collect();
        let highest = |number: usize| {
            let of = parts.iter().filter(|(part, _)| part.contains(&number));
            of.map(|(_, versions)| versions[number]).max()
        };
        let [whole, to] = [Place::new(), Place::new()];
        let expected = whole.create();
        let all: Vec<usize> = (0..items.len()).filter(|number| highest(*number).is_some()).collect();
        store(&expected, &items, &all, |number| highest(number).unwrap());
        let mut places: Vec<Place> = Vec::new();
        for (part, versions) in &parts {
            let place = Place::new();
            let sodb = place.create();
            store(&sodb, &items, part, |number| versions[number]);
            sodb.close().unwrap();
            places.push(place);
        }
        let mut sources: Vec<Sodb> = places.iter().map(Place::read).collect();
        let first = first.index(sources.len());
        sources.rotate_left(first);
        let sources: Vec<&Sodb> = sources.iter().collect();
        let sodb = to.create();
        for time in 0..2 {
            for merged in sodb.merge(&sources).unwrap() {
                prop_assert_eq!(&merged.left_out, &[]);
                prop_assert!(time == 0 || merged.added.is_empty() && merged.replaced.is_empty());
            }
            prop_assert_eq!(by_keys(&sodb), by_keys(&expected));
        }
    }
}
