//! Reading many objects: what is kept in memory, and several threads, while others write.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use arbitrary_descriptions::pipeline_state;
use proptest::prelude::*;
use shader_db::Error;
use shader_db::sodb::{Access, Blob, Object, PipelineStateDesc, ShaderStage, Sodb};

use crate::{Place, corpus};

fn pipeline(shader: &[u8], mask: u32) -> PipelineStateDesc {
    let mut desc = PipelineStateDesc {
        root_signature: Some((*b"root signature").into()),
        node_mask: Some(mask),
        ..PipelineStateDesc::default()
    };
    desc.shaders[ShaderStage::Compute] = Some(shader.into());
    desc
}

fn shader(sodb: &Sodb, key: &[u8]) -> Blob {
    let found = sodb.find_pipeline_state(key).unwrap().unwrap();
    found.desc.shaders[ShaderStage::Compute].clone().unwrap()
}

#[test]
fn objects_share_the_bytes_of_their_shaders() {
    let place = Place::new();
    let sodb = place.create();
    for key in 0..3 {
        let desc = pipeline(b"shader", key.into());
        sodb.store_pipeline_state(&[key], 1, &desc).unwrap();
    }
    sodb.close().unwrap();
    let sodb = place.read();
    let [first, second] = [0, 1].map(|key| shader(&sodb, &[key]));
    assert!(Arc::ptr_eq(&first, &second));
    // One that is much of what may be kept is not.
    let large = vec![7; 20 << 20];
    let sodb = Sodb::open(place.path(), Access::Write).unwrap();
    sodb.store_pipeline_state(b"large", 1, &pipeline(&large, 0))
        .unwrap();
    let [first, second] = [0, 1].map(|_| shader(&sodb, b"large"));
    assert!(first[..] == large && second[..] == large && !Arc::ptr_eq(&first, &second));
}

/// Rows that change under their keys, which no program should do: not even those are read from memory.
#[test]
fn what_others_write_is_read() {
    for mode in ["delete", "wal"] {
        let place = Place::new();
        let sodb = place.create();
        sodb.store_pipeline_state(b"a", 1, &pipeline(b"one", 0))
            .unwrap();
        sodb.close().unwrap();
        let other = place.sql();
        let set: String = other
            .query_row(&format!("PRAGMA journal_mode = {mode}"), [], |row| {
                row.get(0)
            })
            .unwrap();
        assert_eq!(set, mode);
        // Until then there is no log that a reader would see.
        other
            .execute_batch("UPDATE shader_bytecode SET Bytecode = x'01'")
            .unwrap();
        for access in [Access::Read, Access::Write] {
            let sodb = Sodb::open(place.path(), access).unwrap();
            for text in ["two", "three", "four"] {
                let _ = shader(&sodb, b"a");
                other
                    .execute(
                        "UPDATE shader_bytecode SET Bytecode = CAST(?1 AS BLOB)",
                        [text],
                    )
                    .unwrap();
                assert_eq!(shader(&sodb, b"a")[..], *text.as_bytes(), "{mode}");
                let found = sodb.find_objects(&[b"a"]).unwrap().remove(0).unwrap();
                let Some(Object::PipelineState(found)) = found else {
                    panic!("{found:?}");
                };
                let shader = found.desc.shaders[ShaderStage::Compute].as_deref();
                assert_eq!(shader, Some(text.as_bytes()));
            }
            let [first, second] = [0, 1].map(|_| shader(&sodb, b"a"));
            assert!(Arc::ptr_eq(&first, &second), "nobody wrote in between");
        }
    }
}

/// The shader and the root signature are written together: who reads sees both of one writing, and never goes back.
#[test]
fn threads_read_what_is_there_at_one_moment() {
    let set = |sql: &rusqlite::Connection, number: u32| {
        sql.execute_batch(&format!(
            "BEGIN IMMEDIATE; UPDATE shader_bytecode SET Bytecode = x'{number:08x}'; \
             UPDATE root_signatures SET value = x'{number:08x}'; COMMIT;"
        ))
        .unwrap();
    };
    for mode in ["delete", "wal"] {
        let place = Place::new();
        let sodb = place.create();
        for key in 0..10 {
            let desc = pipeline(b"shader", key.into());
            sodb.store_pipeline_state(&[key], 1, &desc).unwrap();
        }
        sodb.close().unwrap();
        let sql = place.sql();
        sql.execute_batch(&format!(
            "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = {mode};"
        ))
        .unwrap();
        set(&sql, 0);
        let sodb = place.read();
        let is_over = AtomicBool::new(false);
        let read = || {
            let mut last = 0;
            let mut reads = 0;
            let keys: Vec<[u8; 1]> = (0..10).map(|key| [key]).collect();
            while !is_over.load(Ordering::Relaxed) || reads == 0 {
                let found = sodb.find_objects(&keys).unwrap();
                assert_eq!(found.len(), 10);
                let mut numbers = Vec::new();
                for object in found {
                    let Some(Object::PipelineState(found)) = object.unwrap() else {
                        panic!("it is a pipeline state");
                    };
                    let shader = found.desc.shaders[ShaderStage::Compute].clone();
                    for bytes in [shader, found.desc.root_signature] {
                        let bytes = bytes.unwrap()[..].try_into().unwrap();
                        numbers.push(u32::from_be_bytes(bytes));
                    }
                }
                assert!(
                    numbers.iter().all(|number| *number == numbers[0]),
                    "{mode}: {numbers:?}"
                );
                assert!(numbers[0] >= last, "{mode}: {} after {last}", numbers[0]);
                last = numbers[0];
                reads += 1;
            }
        };
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(read);
            }
            let of_this_thread: Vec<(u32, Blob)> = (1..60)
                .map(|number| {
                    set(&sql, number);
                    (number, shader(&sodb, &[0]))
                })
                .collect();
            is_over.store(true, Ordering::Relaxed);
            for (number, bytes) in of_this_thread {
                assert_eq!(bytes[..], number.to_be_bytes(), "{mode}");
            }
        });
    }
}

#[test]
fn many_objects_are_found_at_once() {
    let place = Place::new();
    let sodb = place.create();
    corpus::fill(&sodb);
    sodb.close().unwrap();
    place.with(
        "UPDATE pipeline_states SET RootSignature = x'00' WHERE Key = \
         (SELECT PSOKey FROM groups WHERE Key = CAST('pipeline 1' AS BLOB));",
    );
    let sodb = place.read();
    let entries = sodb.entries().unwrap();
    let mut keys: Vec<&[u8]> = entries.iter().map(|entry| &entry.key[..]).collect();
    keys.extend([&b"nobody"[..], b""]);
    let found = sodb.find_objects(&keys).unwrap();
    assert_eq!(found.len(), keys.len());
    for (key, found) in keys.iter().zip(found) {
        match (*key, found) {
            (b"pipeline 1", found) => assert!(matches!(found, Err(Error::Corrupt { .. }))),
            (b"nobody", found) => assert_eq!(found.unwrap(), None),
            (b"", found) => assert!(matches!(found, Err(Error::InvalidArgument(_)))),
            (_, Ok(Some(Object::PipelineState(found)))) => {
                assert_eq!(sodb.find_pipeline_state(key).unwrap(), Some(found));
                assert_eq!(sodb.find_state_object(key).unwrap(), None);
            }
            (_, Ok(Some(Object::StateObject(found)))) => {
                assert_eq!(sodb.find_state_object(key).unwrap(), Some(found));
                assert_eq!(sodb.find_pipeline_state(key).unwrap(), None);
            }
            (_, found) => panic!("{found:?}"),
        }
    }
    assert_eq!(sodb.find_objects::<&[u8]>(&[]).unwrap(), []);
}

#[test]
fn large_objects_are_found_a_few_at_once() {
    let place = Place::new();
    let sodb = place.create();
    let shader = vec![1; 30 << 20];
    for key in 0..4 {
        let desc = pipeline(&shader, key.into());
        sodb.store_pipeline_state(&[key], 1, &desc).unwrap();
    }
    let keys = [[0], [1], [2], [3]];
    assert_eq!(sodb.find_objects(&keys).unwrap().len(), 3);
    assert_eq!(sodb.find_objects(&keys[3..]).unwrap().len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// What is found with the help of memory is what is found without.
    #[test]
    fn memory_changes_nothing(descs in prop::collection::vec(pipeline_state(), 1..8), order in prop::collection::vec(any::<prop::sample::Index>(), 1..30)) {
        let place = Place::new();
        let sodb = place.create();
        for (key, desc) in descs.iter().enumerate() {
            sodb.store_pipeline_state(&key.to_le_bytes(), 1, desc).unwrap();
        }
        sodb.close().unwrap();
        let sodb = place.read();
        for index in order {
            let key = index.index(descs.len()).to_le_bytes();
            let found = sodb.find_pipeline_state(&key).unwrap();
            prop_assert_eq!(found, place.read().find_pipeline_state(&key).unwrap());
        }
    }
}
