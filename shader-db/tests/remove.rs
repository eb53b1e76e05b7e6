//! Groups that are taken out of a file.

mod common;

use std::fs;
use std::path::Path;

use shader_db::Error;
use shader_db::psdb::{
    File, Psdb, ValueType, remove_groups, remove_unnamed, rewrite, unnamed_keys,
};

use common::{create, sha256, value};

fn store(psdb: &Psdb, group: &[u8], version: u32, values: &[&[u8]]) {
    for key in values {
        let values = [
            (ValueType::ObjectCode, *key),
            (ValueType::Metadata, b"more"),
        ];
        match psdb.store_value(key, &values) {
            Ok(()) | Err(Error::AlreadyExists) => {}
            Err(error) => panic!("{error}"),
        }
    }
    psdb.store_group(group, version, values).unwrap();
}

#[test]
fn what_only_they_name_goes_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let [path, other] = ["a.psdb", "b.psdb"].map(|name| folder.path().join(name));
    let psdb = create(&path);
    store(&psdb, b"old", 1, &[b"shared", b"of old"]);
    store(&psdb, b"older", 1, &[b"of old", b"of older"]);
    store(&psdb, b"stays", 7, &[b"own", b"shared"]);
    psdb.close().unwrap();
    remove_groups(&[&path], &[&b"old"[..], b"older", b"absent"]).unwrap();
    let file = File::open(&path).unwrap();
    assert!(file.is_finished() && file.check_structure().unwrap().is_empty());
    drop(file);
    rewrite(&path).unwrap();

    let psdb = create(&other);
    store(&psdb, b"stays", 7, &[b"own", b"shared"]);
    psdb.close().unwrap();
    assert_eq!(sha256(&path), sha256(&other));

    // Under the key there can be another version now.
    let psdb = create(&path);
    store(&psdb, b"old", 2, &[b"of old"]);
    assert_eq!(psdb.find_group(b"old"), Ok(Some(2)));
    assert_eq!(
        psdb.group_value_keys(b"stays", 7),
        Ok(Some(vec![b"own".to_vec(), b"shared".to_vec()]))
    );
    assert_eq!(value(&psdb, b"of older", ValueType::ObjectCode), Ok(None));
    psdb.close().unwrap();
}

#[test]
fn what_no_group_names_goes_alone() {
    let folder = tempfile::tempdir().unwrap();
    let [path, other] = ["a.psdb", "b.psdb"].map(|name| folder.path().join(name));
    for (path, unnamed) in [
        (&path, &[&b"of none"[..], b"of none either"][..]),
        (&other, &[]),
    ] {
        let psdb = create(path);
        for key in unnamed {
            psdb.store_value(key, &[(ValueType::DebugPdb, b"pdb")])
                .unwrap();
        }
        store(&psdb, b"group", 1, &[b"own", b"shared"]);
        store(&psdb, b"other", 1, &[b"shared"]);
        psdb.close().unwrap();
    }
    let mut unnamed = unnamed_keys(&path).unwrap();
    unnamed.sort();
    assert_eq!(unnamed, [&b"of none"[..], b"of none either"]);
    assert_eq!(unnamed_keys(&other).unwrap(), Vec::<Vec<u8>>::new());
    let psdb = create(&path);
    psdb.transaction(|_| Ok::<_, Error>(())).unwrap();
    assert_eq!(
        remove_unnamed(&path, &unnamed),
        Err(Error::Busy { path: path.clone() })
    );
    psdb.close().unwrap();
    // A group may name one of them by now.
    unnamed.extend([b"shared".to_vec(), b"absent".to_vec()]);
    remove_unnamed(&path, &unnamed).unwrap();
    assert!(
        File::open(&path)
            .unwrap()
            .check_structure()
            .unwrap()
            .is_empty()
    );
    rewrite(&path).unwrap();
    assert_eq!(sha256(&path), sha256(&other));
}

#[test]
fn files_stay_as_they_are_if_one_of_them_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a.psdb", "b.psdb"].map(|name| folder.path().join(name));
    for in_use in &paths {
        let [psdb, other] = [&paths[0], &paths[1]].map(|path| create(path));
        for psdb in [&psdb, &other] {
            if psdb.find_group(b"group") == Ok(None) {
                store(psdb, b"group", 1, &[b"value"]);
            }
        }
        psdb.close().unwrap();
        other.close().unwrap();
        let psdb = create(in_use);
        psdb.transaction(|_| Ok::<_, Error>(())).unwrap();
        let removed = remove_groups(&paths, &[b"group"]);
        assert_eq!(
            removed,
            Err(Error::Busy {
                path: in_use.clone()
            })
        );
        psdb.close().unwrap();
        for path in &paths {
            assert_eq!(create(path).find_group(b"group"), Ok(Some(1)));
        }
    }
    remove_groups(&paths, &[b"group"]).unwrap();
    for path in &paths {
        assert_eq!(create(path).find_group(b"group"), Ok(None));
    }
}

#[test]
fn a_removal_that_stopped_half_way_is_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let [main, side] = ["a.psdb", "b.psdb"].map(|name| folder.path().join(name));
    for path in [&main, &side] {
        let psdb = create(path);
        store(&psdb, b"group", 1, &[b"value"]);
        psdb.close().unwrap();
    }
    // A page that cannot be read stands for a disk that is full.
    let page: u64 = {
        let connection = rusqlite::Connection::open(&main).unwrap();
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_vals_1'";
        connection.query_row(root, [], |row| row.get(0)).unwrap()
    };
    let page = usize::try_from((page - 1) * 65536).unwrap();
    let whole = fs::read(&main).unwrap();
    let mut damaged = whole.clone();
    damaged[page..page + 8].fill(0xff);
    fs::write(&main, damaged).unwrap();
    remove_groups(&[&main, &side], &[b"group"]).unwrap_err();
    let groups = |path: &Path| File::open(path).unwrap().counts().unwrap().groups;
    assert_eq!((groups(&side), groups(&main)), (0, 1));
    fs::write(&main, whole).unwrap();
    remove_groups(&[&main, &side], &[b"group"]).unwrap();
    assert_eq!((groups(&side), groups(&main)), (0, 0));
}
