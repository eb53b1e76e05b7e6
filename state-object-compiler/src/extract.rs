//! `extract`: writes values of a PSDB to files.

use std::collections::HashSet;
use std::fmt;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use shader_db::psdb::{File, ValueTypes, incomplete_groups, lacks_object_code};
use shader_db::{file_name, short_hex};

use crate::key::{FoundKey, KeyText, short};
use crate::report::{one_line, open_sound, path_text, type_name};
use crate::{Error, Result};

/// The longest value key that becomes a file's name, in bytes.
const LONGEST_NAME: usize = 64;

/// The result of an extraction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    directory: String,
    values: Vec<Written>,
    /// Values that the command did not write, and the reasons.
    failures: Vec<Failure>,
    /// Damaged groups, and their faults. The command writes their values all the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    damaged_groups: Vec<DamagedGroup>,
    /// The key of the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<FoundKey>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Written {
    file: String,
    value_key: String,
    #[serde(rename = "type")]
    name: &'static str,
    bytes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Failure {
    value_key: String,
    #[serde(rename = "type")]
    name: &'static str,
    problem: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct DamagedGroup {
    group: String,
    problem: String,
}

impl Report {
    /// Whether the command wrote everything, and the groups of the PSDB are whole.
    pub fn is_complete(&self) -> bool {
        self.failures.is_empty() && self.damaged_groups.is_empty()
    }
}

/// Writes values into a directory, which it creates if the parent exists. A file's name is the value key in hexadecimal
/// digits, or, where that would be too long, `sha256-` and the SHA-256 of the value key; then the type. Only values of these
/// types and, with a group, only its own. This overwrites no file. Without a group, the report lists the damaged groups.
///
/// # Errors
///
/// [`Error::Usage`]: there is no such group. [`Error::Database`], before the first file, also if the PSDB's structure is
/// damaged, it has lost a value, or the group is damaged. [`Error::Name`]; [`Error::File`].
pub fn extract(
    path: &Path,
    directory: &Path,
    types: ValueTypes,
    group: Option<&KeyText>,
) -> Result<Report> {
    // A folder of such a name would keep everybody from the database that it is beside.
    file_name::check_companion(directory)?;
    let file = open_sound(path)?;
    let mut report = Report {
        directory: path_text(directory),
        values: Vec::new(),
        failures: Vec::new(),
        damaged_groups: Vec::new(),
        key: None,
    };
    let members = match group {
        None => {
            file.for_each_group(&mut |group, content| {
                report
                    .damaged_groups
                    .extend(content.err().map(|error| DamagedGroup {
                        group: hex::encode(group),
                        problem: error.to_string(),
                    }));
                ControlFlow::Continue(())
            })?;
            let incomplete = incomplete_groups(&[&file])?.into_iter();
            report
                .damaged_groups
                .extend(incomplete.map(|incomplete| DamagedGroup {
                    group: hex::encode(&incomplete.group),
                    problem: no_value(&incomplete.value_key),
                }));
            if lacks_object_code(&[&file])? {
                let problem = "it has no object code, as no group of the file has any";
                file.for_each_group(&mut |group, _| {
                    report.damaged_groups.push(DamagedGroup {
                        group: hex::encode(group),
                        problem: problem.into(),
                    });
                    ControlFlow::Continue(())
                })?;
            }
            None
        }
        Some(key) => {
            let (found, members) = members(&file, key)?;
            let incomplete = incomplete_groups(&[&file])?;
            let incomplete = incomplete
                .into_iter()
                .find(|incomplete| members.contains(&incomplete.value_key));
            report
                .damaged_groups
                .extend(incomplete.map(|incomplete| DamagedGroup {
                    group: found.to_string(),
                    problem: no_value(&incomplete.value_key),
                }));
            report.key = Some(found);
            Some(members)
        }
    };
    match std::fs::create_dir(directory) {
        Err(error) if !directory.is_dir() => return Err(Error::file(directory, error)),
        _ => {}
    }
    let mut result = Ok(());
    file.for_each_value(&mut |key, kind, value| {
        if !types.has(kind) || members.as_ref().is_some_and(|keys| !keys.contains(key)) {
            return ControlFlow::Continue(());
        }
        let (value_key, name) = (hex::encode(key), type_name(kind));
        let value = match value {
            Ok(value) => value,
            Err(error) => {
                report.failures.push(Failure {
                    value_key,
                    name,
                    problem: error.to_string(),
                });
                return ControlFlow::Continue(());
            }
        };
        let stem = if key.len() <= LONGEST_NAME {
            value_key.clone()
        } else {
            format!("sha256-{}", hex::encode(Sha256::digest(key)))
        };
        let file = format!("{stem}.{name}");
        let target = directory.join(&file);
        let written = std::fs::File::create_new(&target).and_then(|mut to| to.write_all(value));
        if let Err(error) = written {
            result = Err(Error::file(&target, error));
            return ControlFlow::Break(());
        }
        report.values.push(Written {
            file,
            value_key,
            name,
            bytes: value.len(),
        });
        ControlFlow::Continue(())
    })?;
    result.map(|()| report)
}

fn no_value(key: &[u8]) -> String {
    format!("its value key {} has no value", short_hex(key))
}

/// The value keys of a group.
fn members(file: &File, key: &KeyText) -> Result<(FoundKey, HashSet<Vec<u8>>)> {
    let mut members = HashSet::new();
    let found = key.find(|candidate| {
        let mut found = Ok(false);
        file.for_each_group(&mut |group, content| {
            if group != candidate {
                return ControlFlow::Continue(());
            }
            found = content.map(|(_, keys)| {
                members.extend(keys.iter().map(|key| key.to_vec()));
                true
            });
            ControlFlow::Break(())
        })?;
        Ok(found?)
    })?;
    Ok((found.into(), members))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for value in &self.values {
            writeln!(f, "{}  {} bytes", value.file, value.bytes)?;
        }
        for failure in &self.failures {
            let Failure {
                value_key,
                name,
                problem,
            } = failure;
            let (problem, value_key) = (one_line(problem), short(value_key));
            writeln!(f, "not written: value key {value_key}, {name}: {problem}")?;
        }
        for DamagedGroup { group, problem } in &self.damaged_groups {
            let (problem, group) = (one_line(problem), short(group));
            writeln!(f, "damaged: group {group}: {problem}")?;
        }
        if let Some(key) = &self.key {
            writeln!(f, "Key: {key}")?;
        }
        let count = self.values.len();
        writeln!(f, "{}: {count} values written", self.directory)
    }
}
