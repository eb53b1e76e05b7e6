//! `merge-psdb`: merges the PSDBs of shards, or of types of values, into one.

use std::fmt;
use std::path::{Path, PathBuf};

use compatibility::{Verdict, verdict};
use serde::Serialize;
use shader_db::file_name;
use shader_db::psdb::{self, ValueType};

use crate::Result;
use crate::report::{incomplete, path_text, type_name, unverified};

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    output: String,
    inputs: usize,
    values: u64,
    /// Values that several inputs have, counted once for each but the first.
    repeated_values: u64,
    bytes: u64,
    groups: u64,
    /// What the output lacks: its groups name more than the inputs have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub incomplete: Vec<String>,
    /// Facts that the user may not expect.
    pub warnings: Vec<String>,
}

/// The reason why there is no merge: keys whose content differs between inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conflicts {
    /// The number of conflicts.
    conflicts: u64,
    /// The first ones.
    first_conflicts: Vec<Conflict>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Conflict {
    /// In hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    value_key: Option<String>,
    /// Of the value.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    /// In hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    /// The first input that has the key, and those that differ from it.
    files: Vec<String>,
    #[serde(skip)]
    text: String,
}

impl Conflicts {
    /// A line for each conflict in the report, and one for all.
    pub fn lines(&self) -> Vec<String> {
        let told = self
            .first_conflicts
            .iter()
            .map(|conflict| conflict.text.clone());
        let all = format!(
            "{} conflicts, and no output: the plugin does not make the same of the same, or the files are of different \
             versions of it",
            self.conflicts
        );
        told.chain([all]).collect()
    }
}

/// Empty: for people the conflicts are errors, [line by line](Conflicts::lines).
impl fmt::Display for Conflicts {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl From<psdb::Conflict> for Conflict {
    fn from(conflict: psdb::Conflict) -> Self {
        let key = hex::encode(&conflict.key);
        let (value_key, group) = match conflict.kind {
            Some(_) => (Some(key), None),
            None => (None, Some(key)),
        };
        Self {
            value_key,
            kind: conflict.kind.map(type_name),
            group,
            files: conflict.files.iter().map(|path| path_text(path)).collect(),
            text: conflict.to_string(),
        }
    }
}

/// Merges PSDBs into a new one, which is the same, byte for byte, as that of one run over everything, whatever the order.
/// `progress` gets the bytes of the values that the merge has read. If the inputs conflict, the inner error lists the
/// conflicts, and the merge makes no `output`.
///
/// # Errors
///
/// [`Error::Name`](crate::Error::Name): `output` has a name that SQLite gives.
/// [`Error::Database`](crate::Error::Database): `output` exists; the inputs are for different targets or applications; a file
/// cannot be read or written. Then the merge makes no `output`.
pub fn merge(
    output: &Path,
    inputs: &[PathBuf],
    progress: &mut dyn FnMut(u64),
) -> Result<Result<Report, Conflicts>> {
    file_name::check_beside(output)?;
    let mut warnings = builds(inputs, output)?;
    let merged = match psdb::merge(inputs, output, progress) {
        Err(shader_db::Error::Conflicts { first, count }) => {
            return Ok(Err(Conflicts {
                conflicts: count,
                first_conflicts: first.into_iter().map(Conflict::from).collect(),
            }));
        }
        merged => merged?,
    };
    for (kind, count) in ValueType::ALL.into_iter().zip(merged.older) {
        if count != 0 {
            warnings.push(format!(
                "{count} {} values differ from those of another input for the same value key: {} has those of the newest compiler",
                type_name(kind),
                output.display()
            ));
        }
    }
    Ok(Ok(Report {
        incomplete: incomplete(&[&psdb::File::open(output)?])?,
        output: path_text(output),
        inputs: inputs.len(),
        values: merged.values,
        repeated_values: merged.repeated,
        bytes: merged.bytes,
        groups: merged.groups,
        warnings,
    }))
}

/// Warnings about inputs with rows that another program added, and about those that it would be better to compile again beside
/// each other.
fn builds(inputs: &[PathBuf], output: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for path in inputs {
        files.push((path, psdb::File::open(path)?));
    }
    let Some(((first_path, first), others)) = files.split_first() else {
        return Ok(Vec::new());
    };
    let mut warnings = Vec::new();
    for (path, file) in &files {
        let line = unverified(file)?;
        warnings.extend(line.map(|line| format!("{}: {line}", path.display())));
    }
    let other = others.iter().find(|(_, other)| {
        let verdict = verdict(&first.origin(), &other.origin());
        matches!(verdict, Verdict::ShouldRecompile(_))
    });
    let warning = other.map(|(path, _)| {
        format!(
            "{} and {} were compiled by different builds of the compiler: {} says the oldest, and would be better compiled \
             again",
            path.display(),
            first_path.display(),
            output.display()
        )
    });
    warnings.extend(warning);
    Ok(warnings)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} values, {} bytes, {} groups from {} files; {} values were there already",
            self.output, self.values, self.bytes, self.groups, self.inputs, self.repeated_values
        )
    }
}
