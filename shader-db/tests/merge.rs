//! Merging files; what the tool says of it is tested with the tool.

mod common;

use shader_db::Error;
use shader_db::psdb::{Conflict, File, Psdb, ValueType, ValueTypes, merge, rewrite};

use common::{beside, create, options, read, sha256, value};

const OBJECTS: u64 = 300;

/// Values of up to three pages, some keys without one, and groups of up to five keys.
fn store(psdb: &Psdb, numbers: impl Iterator<Item = u64>) {
    for number in numbers {
        let key = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
        let size = usize::try_from(number * number % 190_000).unwrap() + 1;
        let value: Vec<u8> = key.iter().copied().cycle().take(size).collect();
        let all = [
            (ValueType::DebugPdb, &value[..]),
            (ValueType::Metadata, &value[..1]),
        ];
        let count = usize::try_from(number % 3).unwrap();
        if count != 0 {
            psdb.store_value(&key, &all[..count]).unwrap();
        }
        let keys: Vec<[u8; 8]> = (0..number % 6)
            .map(|place| {
                (number ^ place)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .to_be_bytes()
            })
            .collect();
        let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
        psdb.store_group(&key, 1, &keys).unwrap();
    }
}

#[test]
fn files_merge_to_the_bytes_of_the_whole_whatever_their_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let whole = create(&path("whole"));
    store(&whole, 0..OBJECTS);
    whole.close().unwrap();
    // A quarter is in all of them.
    let of = |shard| (0..OBJECTS).filter(move |number| number % 4 == 0 || number % 3 == shard);
    let finished = create(&path("finished"));
    store(&finished, of(0));
    finished.close().unwrap();
    let added_to = create(&path("added to"));
    store(&added_to, of(1).take(50));
    added_to.close().unwrap();
    let added_to = create(&path("added to"));
    store(&added_to, of(1).skip(50));
    added_to.close().unwrap();
    let open = create(&path("open"));
    store(&open, of(2));
    assert!(!File::open(&path("open")).unwrap().is_finished());
    let mut inputs = ["finished", "added to", "open"].map(path);
    for _ in 0..3 {
        inputs.rotate_left(1);
        let mut bytes = 0;
        let merged = merge(&inputs, &path("merged"), &mut |read| bytes += read).unwrap();
        assert_eq!(sha256(&path("merged")), sha256(&path("whole")));
        let shared = (0..OBJECTS)
            .step_by(4)
            .map(|number| number % 3)
            .sum::<u64>();
        assert_eq!(merged.repeated, 2 * shared);
        assert_eq!((merged.values, merged.groups), (OBJECTS, OBJECTS));
        assert!(bytes > merged.bytes);
        std::fs::remove_file(path("merged")).unwrap();
    }
    open.close().unwrap();
    rewrite(&path("added to")).unwrap();
    let merged = merge(&[path("whole")], &path("merged"), &mut |_| {}).unwrap();
    assert_eq!(merged.repeated, 0);
    assert_eq!(sha256(&path("merged")), sha256(&path("whole")));
}

#[test]
fn a_difference_in_the_last_byte_is_a_conflict() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut value = vec![7; 100_000];
    for name in ["a", "b"] {
        let psdb = create(&path(name));
        psdb.store_value(b"same", &[(ValueType::ObjectCode, b"same")])
            .unwrap();
        psdb.store_value(b"other", &[(ValueType::ObjectCode, &value)])
            .unwrap();
        psdb.close().unwrap();
        value[99_999] = 8;
    }
    let error = merge(&[path("a"), path("b")], &path("c"), &mut |_| {}).unwrap_err();
    let conflict = Conflict {
        kind: Some(ValueType::ObjectCode),
        key: b"other".to_vec(),
        files: ["a", "b"].map(path).to_vec(),
    };
    let expected = Error::Conflicts {
        first: vec![conflict],
        count: 1,
    };
    assert_eq!(error, expected);
    let [a, b] = [path("a"), path("b")].map(|path| path.display().to_string());
    for part in ["ObjectCode", "6f74686572", &a, &b] {
        let text = error.to_string();
        assert!(text.contains(part), "{text} says {part}");
    }
    let mut left = beside(&path("a"));
    left.sort();
    assert_eq!(left, ["b"]);
}

/// Two builds of a compiler that put their version where the specification puts it.
#[test]
fn what_goes_with_equal_code_is_that_of_the_newer_build() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let kinds = [
        ValueType::Metadata,
        ValueType::DebugPdb,
        ValueType::PerformanceData,
    ];
    let make = |name: &str, compiler_version: u64, text: &[u8]| {
        let mut options = options();
        options.target.as_mut().unwrap().compiler_version = compiler_version;
        let files = [(ValueTypes::ALL, path(name))];
        let psdb = Psdb::open(&files, &options).unwrap();
        let code = (ValueType::ObjectCode, &b"code"[..]);
        let values = kinds.map(|kind| (kind, text));
        let values: Vec<_> = [code].into_iter().chain(values).collect();
        psdb.store_value(b"key", &values).unwrap();
        psdb.store_group(b"group", 1, &[b"key"]).unwrap();
        psdb.close().unwrap();
    };
    // Builds, which keep a cache, and twice the same one.
    let of_build = |build: u64| 7 << 48 | build << 16;
    make("old", of_build(1), b"z of an old build");
    make("new", of_build(2), b"b of a new build");
    make("again", of_build(2), b"a of a new build");
    let mut names = ["old", "new", "again"];
    let mut digests = Vec::new();
    for _ in 0..names.len() {
        names.rotate_left(1);
        let merged = merge(&names.map(path), &path("merged"), &mut |_| {}).unwrap();
        assert_eq!((merged.older, merged.repeated), ([0, 2, 2, 2], 2));
        let psdb = read(&path("merged"));
        for kind in kinds {
            let found = value(&psdb, b"key", kind).unwrap();
            assert_eq!(found.as_deref(), Some(&b"a of a new build"[..]), "{kind:?}");
        }
        drop(psdb);
        digests.push(sha256(&path("merged")));
        std::fs::remove_file(path("merged")).unwrap();
    }
    assert!(digests.iter().all(|digest| *digest == digests[0]));
}
