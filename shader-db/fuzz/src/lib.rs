//! What the fuzz targets do with their input, which is the bytes of a file.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use shader_db::psdb::{self, File, Psdb, ValueType, ValueTypes};
use shader_db::sodb::{self, Access, Object, ObjectName, Sodb};
use shader_db::{Error, Result};
use tempfile::TempDir;

/// A folder with the bytes in a file. Not on a disk, where there is another place.
fn place(bytes: &[u8]) -> (TempDir, PathBuf) {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    };
    let folder = folder.expect("a folder");
    let path = folder.path().join("input");
    fs::write(&path, bytes).expect("a file");
    (folder, path)
}

/// What was only read is as it was, with nothing beside it.
fn check_unchanged(folder: &TempDir, path: &Path, bytes: &[u8]) {
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    assert!(fs::read(path).expect("a file") == bytes);
}

/// Errors are for people.
fn said<T>(result: Result<T>) -> Option<T> {
    result
        .map_err(|error: Error| assert!(!error.to_string().is_empty()))
        .ok()
}

/// Opens an SODB, reads all of it in each way, and merges it into a new one.
pub fn sodb(bytes: &[u8]) {
    let (folder, path) = place(bytes);
    {
        let Some(from) = said(Sodb::open(&path, Access::Read)) else {
            return check_unchanged(&folder, &path, bytes);
        };
        read_sodb(&from);
        let other = tempfile::tempdir_in(folder.path()).expect("a folder");
        let to = Sodb::open(other.path().join("to"), Access::Create).expect("a new database");
        if let Some(merged) = said(to.merge(&[&from])) {
            // All of it is there now but for what is listed, and found as it was.
            let again = to.merge(&[&from]).expect("the same once more");
            assert!(again[0].added.is_empty());
            assert_eq!(again[0].left_out, merged[0].left_out);
            read_sodb(&to);
        } else {
            assert_eq!(to.counts().expect("a new database").keys, 0);
        }
    }
    check_unchanged(&folder, &path, bytes);
}

fn read_sodb(sodb: &Sodb) {
    said(sodb.application());
    said(sodb.counts());
    let Some(entries) = said(sodb.entries()) else {
        return;
    };
    said(sodb::dependency_order(&entries));
    let mut keys: Vec<&[u8]> = entries.iter().map(|entry| &entry.key[..]).collect();
    while !keys.is_empty() {
        let Some(found) = said(sodb.find_objects(&keys)) else {
            return;
        };
        assert!(!found.is_empty());
        let rest = keys.split_off(found.len());
        for (key, object) in keys.iter().zip(found) {
            let pipeline_state = said(sodb.find_pipeline_state(key)).flatten();
            let state_object = said(sodb.find_state_object(key)).flatten();
            match said(object).flatten() {
                Some(Object::PipelineState(object)) => {
                    let _ = object.desc.to_raw();
                    assert_eq!((pipeline_state, state_object), (Some(object), None));
                }
                Some(Object::StateObject(object)) => {
                    let _ = object.desc.to_raw();
                    assert_eq!((pipeline_state, state_object), (None, Some(object)));
                }
                None => assert_eq!((pipeline_state, state_object), (None, None)),
            }
        }
        keys = rest;
    }
    read_by_object(sodb);
}

/// Everything once more, by the keys of its rows.
fn read_by_object(sodb: &Sodb) {
    fn name(object: &[u8]) -> ObjectName<'_> {
        ObjectName {
            object: Some(object),
            ..ObjectName::default()
        }
    }
    for keys in said(sodb.pipeline_states()).unwrap_or_default() {
        // With an index that is damaged it is not there.
        if let Some(found) = said(sodb.find_pipeline_state_by(name(&keys.object), true)).flatten() {
            let _ = found.desc.to_raw();
        }
    }
    for keys in said(sodb.state_objects()).unwrap_or_default() {
        if let Some(found) = said(sodb.find_state_object_by(name(&keys.object), true)).flatten() {
            let _ = found.desc.to_raw();
        }
    }
}

/// Opens a PSDB, reads and verifies all of it, and rewrites a copy.
pub fn psdb(bytes: &[u8]) {
    let (folder, path) = place(bytes);
    read_psdb(&path);
    check_unchanged(&folder, &path, bytes);
    let before = said(File::open(&path)).and_then(|file| said(file.counts()));
    if said(psdb::rewrite(&path)).is_some() {
        let file = File::open(&path).expect("it was just written");
        assert!(file.is_finished() && file.is_verified());
        let counts = file.counts().expect("it was just written");
        if let Some(before) = before {
            assert_eq!(
                (counts.values, counts.groups),
                (before.values, before.groups)
            );
        }
        drop(file);
        read_psdb(&path);
        let once = fs::read(&path).expect("a file");
        psdb::rewrite(&path).expect("it was just written");
        assert!(fs::read(&path).expect("a file") == once, "it is canonical");
    } else {
        assert!(fs::read(&path).expect("a file") == bytes);
    }
}

fn read_psdb(path: &Path) {
    let mut keys = Vec::new();
    let mut groups = Vec::new();
    if let Some(file) = said(File::open(path)) {
        said(file.counts());
        said(file.check_structure());
        keys.extend(said(file.keys()).into_iter().flatten());
        said(file.for_each_value(&mut |_, _, value| {
            said(value);
            ControlFlow::Continue(())
        }));
        said(file.for_each_group(&mut |key, group| {
            groups.extend(said(group).map(|(version, _)| (key.to_vec(), version)));
            ControlFlow::Continue(())
        }));
    }
    let options = psdb::Options {
        access: Access::Read,
        ..psdb::Options::default()
    };
    if let Some(psdb) = said(Psdb::open(&[(ValueTypes::ALL, path)], &options)) {
        for key in &keys {
            for kind in ValueType::ALL {
                said(psdb.value_size(key, kind));
                said(psdb.find_value(key, kind, <[u8]>::len));
            }
        }
        for (key, version) in &groups {
            said(psdb.find_group(key));
            said(psdb.group_value_keys(key, *version));
        }
        said(psdb.close());
    }
}
