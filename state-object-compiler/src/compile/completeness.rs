//! Checks which values the objects of an output have.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::PathBuf;

use shader_db::psdb::{self, Access, File, Lost, Psdb, ValueType, ValueTypes, lacks_object_code};
use shader_db::sodb::{Entry, Kind};

use super::report::Stored;
use crate::{Error, Result};

/// The keys of groups that name a value which one of the files has lost, or of all groups if the object code is gone; none if the
/// files have lost nothing.
pub fn lost(files: &[(ValueTypes, PathBuf)]) -> Result<Option<HashSet<Vec<u8>>>> {
    let mut opened = Vec::new();
    for (_, path) in files {
        opened.push(File::open(path)?);
    }
    let (mut is_lost, mut values) = (false, HashSet::new());
    for file in &opened {
        is_lost |= file.is_loose()?;
        values.extend(file.lost()?.into_iter().filter_map(|lost| match lost {
            Lost::Value { key, .. } => key,
            Lost::Group => None,
        }));
    }
    let has_no_code = lacks_object_code(&opened.iter().collect::<Vec<_>>())?;
    if !is_lost && !has_no_code {
        return Ok(None);
    }
    let mut groups = HashSet::new();
    for file in &opened {
        file.for_each_group(&mut |group, content| {
            // The keys of a damaged group are unknown, so it counts as not whole.
            let is_lost = |keys: &[&[u8]]| keys.iter().any(|key| values.contains(*key));
            if has_no_code || content.map_or(true, |(_, keys)| is_lost(keys)) {
                groups.insert(group.to_vec());
            }
            ControlFlow::Continue(())
        })?;
    }
    Ok(Some(groups))
}

/// Whether the group of an entry has what a compile call would have stored: a value under each key, unless that is in a file of
/// another run, and for a pipeline object code.
pub fn is_whole(database: &Psdb, entry: &Entry) -> Result<bool> {
    let mut has_code = false;
    let keys = value_keys(database, &entry.key, entry.version)?;
    for key in &keys {
        let mut has_one = false;
        for kind in database.types().kinds() {
            let has_value = database.value_size(key, kind)?.is_some();
            has_one |= has_value;
            has_code |= has_value && kind == ValueType::ObjectCode;
        }
        if !has_one && !database.is_elsewhere(key)? {
            return Ok(false);
        }
    }
    let needs_code =
        entry.kind == Kind::PipelineState && database.types().has(ValueType::ObjectCode);
    Ok(keys.is_empty() || has_code || !needs_code)
}

fn value_keys(database: &Psdb, group: &[u8], version: u32) -> Result<Vec<Vec<u8>>> {
    let keys = database.group_value_keys(group, version)?;
    Ok(keys.unwrap_or_default())
}

/// The types of value that must be there when the user asks for them. Metadata is optional for a compiler.
const ASKED_FOR: [ValueType; 3] = [
    ValueType::ObjectCode,
    ValueType::DebugPdb,
    ValueType::PerformanceData,
];

/// For each type that the user asks for, how many of the objects have no value of it.
pub fn without(
    files: &[(ValueTypes, PathBuf)],
    objects: &[Stored],
) -> Result<BTreeMap<ValueType, usize>> {
    let mut without = BTreeMap::new();
    if objects.is_empty() {
        return Ok(without);
    }
    let options = psdb::Options {
        access: Access::Read,
        ..psdb::Options::default()
    };
    let database = Psdb::open(files, &options)?;
    database.keep_snapshot(true);
    for (group, version) in objects {
        let keys = value_keys(&database, group, *version)?;
        for kind in ASKED_FOR {
            let mut has_one = !database.types().has(kind);
            for key in &keys {
                has_one = has_one || database.value_size(key, kind)?.is_some();
            }
            if !has_one {
                *without.entry(kind).or_default() += 1;
            }
        }
    }
    Ok(without)
}

/// The types of value that the output does not have at all, given how many of the `objects` lack each type.
pub fn never_stored(
    files: &[(ValueTypes, PathBuf)],
    objects: usize,
    without: &BTreeMap<ValueType, usize>,
) -> Result<Vec<ValueType>> {
    let mut never = Vec::new();
    for (kind, _) in without.iter().filter(|(_, without)| **without == objects) {
        // Objects of earlier runs can have some, while those of this run have none by their nature.
        let file = files.iter().find(|(types, _)| types.has(*kind));
        let is_there = |(_, path): &(ValueTypes, PathBuf)| {
            Ok::<_, Error>(File::open(path)?.counts()?.values[*kind as usize] != 0)
        };
        if !file.map_or(Ok(false), is_there)? {
            never.push(*kind);
        }
    }
    Ok(never)
}
