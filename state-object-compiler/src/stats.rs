//! `stats`: the content of a PSDB, and what sharing saves.

use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

use serde::Serialize;
use shader_db::psdb::ValueType;

use crate::Result;
use crate::key::short;
use crate::report::{
    Application, Target, incomplete, open_whole, path_text, type_name, unverified,
};

/// The statistics of a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    file: String,
    target: Target,
    application: Application,
    groups: u64,
    value_keys: u64,
    /// Value keys that groups name, counted once for each group.
    members: u64,
    /// Bytes of all values.
    bytes: u64,
    /// Bytes if each group had its own copy of its values, and the file kept values of no group.
    bytes_unshared: u64,
    /// `bytes_unshared` by `bytes`; 1 for a file without values.
    dedup_ratio: f64,
    types: Vec<Type>,
    /// Value keys by the number of groups that share them, the lowest number first.
    shared_by: Vec<SharedBy>,
    largest: Vec<Large>,
    most_shared: Vec<Shared>,
    /// Limits of these statistics.
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Type {
    #[serde(rename = "type")]
    name: &'static str,
    values: u64,
    bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct SharedBy {
    groups: u64,
    value_keys: u64,
    bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Large {
    value_key: String,
    #[serde(rename = "type")]
    name: &'static str,
    bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Shared {
    value_key: String,
    groups: u64,
    /// The bytes of one copy.
    bytes: u64,
}

#[derive(Default)]
struct Usage {
    groups: u64,
    bytes: u64,
}

/// Reads a PSDB; the report lists at most `top` of the largest and of the most shared values.
///
/// # Errors
///
/// [`Error::Database`](crate::Error::Database). The report leaves out a value or group that does not match its digest, with a
/// warning.
pub fn stats(path: &Path, top: usize) -> Result<Report> {
    let file = open_whole(path)?;
    let mut warnings = Vec::new();
    let mut usage: HashMap<Vec<u8>, Usage> = HashMap::new();
    let mut types = ValueType::ALL.map(|kind| Type {
        name: type_name(kind),
        values: 0,
        bytes: 0,
    });
    let mut largest: Vec<(u64, Vec<u8>, ValueType)> = Vec::new();
    let keys = file.keys()?.into_iter();
    usage.extend(keys.map(|key| (key, Usage::default())));
    let mut damaged = 0_u64;
    file.for_each_value(&mut |key, kind, value| {
        let Ok(value) = value else {
            damaged += 1;
            return ControlFlow::Continue(());
        };
        let bytes = value.len() as u64;
        usage.entry(key.to_vec()).or_default().bytes += bytes;
        types[kind as usize].values += 1;
        types[kind as usize].bytes += bytes;
        // Values of equal size stay in the order of their keys.
        let place = largest.partition_point(|(other, ..)| *other >= bytes);
        if place < top {
            largest.insert(place, (bytes, key.to_vec(), kind));
            largest.truncate(top);
        }
        ControlFlow::Continue(())
    })?;
    let (mut groups, mut members, mut bytes_unshared) = (0_u64, 0_u64, 0_u64);
    file.for_each_group(&mut |_, group| {
        let Ok((_, keys)) = group else {
            damaged += 1;
            return ControlFlow::Continue(());
        };
        groups += 1;
        members += keys.len() as u64;
        for key in keys {
            if let Some(usage) = usage.get_mut(*key) {
                usage.groups += 1;
                bytes_unshared += usage.bytes;
            }
        }
        ControlFlow::Continue(())
    })?;
    if damaged != 0 {
        warnings.push(format!(
            "{}: {damaged} damaged values or groups are not counted; verify lists them",
            path.display()
        ));
    }

    let path_of = |line: String| format!("{}: {line}", path.display());
    warnings.extend(incomplete(&[&file])?.into_iter().map(path_of));
    warnings.extend(unverified(&file)?.map(path_of));

    let mut shared_by: Vec<SharedBy> = Vec::new();
    for Usage { groups, bytes } in usage.values() {
        let place = shared_by.binary_search_by_key(groups, |entry| entry.groups);
        let place = place.unwrap_or_else(|place| {
            let entry = SharedBy {
                groups: *groups,
                value_keys: 0,
                bytes: 0,
            };
            shared_by.insert(place, entry);
            place
        });
        shared_by[place].value_keys += 1;
        shared_by[place].bytes += bytes;
    }
    let bytes: u64 = types.iter().map(|entry| entry.bytes).sum();
    bytes_unshared += shared_by
        .first()
        .filter(|entry| entry.groups == 0)
        .map_or(0, |entry| entry.bytes);
    let value_keys = usage.len() as u64;
    let mut most_shared: Vec<(Vec<u8>, Usage)> = usage
        .into_iter()
        .filter(|(_, usage)| usage.groups > 1)
        .collect();
    most_shared.sort_unstable_by(|(a_key, a), (b_key, b)| {
        (b.groups, b.bytes, a_key).cmp(&(a.groups, a.bytes, b_key))
    });
    most_shared.truncate(top);

    Ok(Report {
        file: path_text(path),
        target: file.target().into(),
        application: file.application().into(),
        groups,
        value_keys,
        members,
        bytes,
        bytes_unshared,
        dedup_ratio: ratio(bytes_unshared, bytes),
        types: types.into(),
        shared_by,
        largest: largest
            .into_iter()
            .map(|(bytes, key, kind)| Large {
                value_key: hex::encode(&key),
                name: type_name(kind),
                bytes,
            })
            .collect(),
        most_shared: most_shared
            .into_iter()
            .map(|(key, usage)| Shared {
                value_key: hex::encode(&key),
                groups: usage.groups,
                bytes: usage.bytes,
            })
            .collect(),
        warnings,
    })
}

/// Value keys and bytes by the number of groups that share them, for people: 0, 1, 2, 3 to 4, 5 to 8, and so on.
fn buckets(shared_by: &[SharedBy]) -> Vec<(String, u64, u64)> {
    let most = |groups: u64| groups.checked_next_power_of_two().unwrap_or(u64::MAX);
    let last = |entry: &SharedBy| {
        if entry.groups == 0 {
            0
        } else {
            most(entry.groups)
        }
    };
    shared_by
        .chunk_by(|a, b| last(a) == last(b))
        .map(|bucket| {
            let name = match last(&bucket[0]) {
                last @ 0..=2 => last.to_string(),
                last => format!("{} to {last}", last / 2 + 1),
            };
            let sum = |of: fn(&SharedBy) -> u64| bucket.iter().map(of).sum();
            (
                name,
                sum(|entry| entry.value_keys),
                sum(|entry| entry.bytes),
            )
        })
        .collect()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a ratio for people; no file has 2^53 bytes"
)]
fn ratio(unshared: u64, stored: u64) -> f64 {
    if stored == 0 {
        1.0
    } else {
        unshared as f64 / stored as f64
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.file)?;
        write!(f, "{}{}", self.target, self.application)?;
        writeln!(f)?;
        writeln!(f, "{:<28}{:>16}", "Groups", self.groups)?;
        writeln!(f, "{:<28}{:>16}", "Value keys", self.value_keys)?;
        writeln!(f, "{:<28}{:>16}", "Value keys of all groups", self.members)?;
        writeln!(f, "{:<28}{:>16}", "Bytes", self.bytes)?;
        writeln!(
            f,
            "{:<28}{:>16}",
            "Bytes without sharing", self.bytes_unshared
        )?;
        writeln!(f, "{:<28}{:>16.2}", "Dedup ratio", self.dedup_ratio)?;
        writeln!(f, "\n{:<28}{:>16}{:>16}", "Type", "values", "bytes")?;
        for entry in &self.types {
            let Type {
                name,
                values,
                bytes,
            } = entry;
            writeln!(f, "{name:<28}{values:>16}{bytes:>16}")?;
        }
        writeln!(
            f,
            "\n{:<28}{:>16}{:>16}",
            "Shared by groups", "value keys", "bytes"
        )?;
        for (groups, value_keys, bytes) in buckets(&self.shared_by) {
            writeln!(f, "{groups:<28}{value_keys:>16}{bytes:>16}")?;
        }
        if !self.largest.is_empty() {
            writeln!(f, "\n{:<28}{:>16}  value key", "Largest", "bytes")?;
        }
        for entry in &self.largest {
            let Large {
                value_key,
                name,
                bytes,
            } = entry;
            writeln!(f, "{name:<28}{bytes:>16}  {}", short(value_key))?;
        }
        if !self.most_shared.is_empty() {
            writeln!(
                f,
                "\n{:<28}{:>16}  value key",
                "Most shared: groups", "bytes"
            )?;
        }
        for entry in &self.most_shared {
            let Shared {
                value_key,
                groups,
                bytes,
            } = entry;
            writeln!(f, "{groups:<28}{bytes:>16}  {}", short(value_key))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_counts_are_put_together() {
        let shared_by = [0, 1, 2, 3, 4, 5, 8, 9, 1000].map(|groups| SharedBy {
            groups,
            value_keys: 1,
            bytes: groups,
        });
        let row = |name: &str, value_keys, bytes| (name.to_owned(), value_keys, bytes);
        assert_eq!(
            buckets(&shared_by),
            [
                row("0", 1, 0),
                row("1", 1, 1),
                row("2", 1, 2),
                row("3 to 4", 2, 7),
                row("5 to 8", 2, 13),
                row("9 to 16", 1, 9),
                row("513 to 1024", 1, 1000),
            ]
        );
    }
}
