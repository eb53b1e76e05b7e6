//! `verify`: whether a PSDB is whole.

use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;

use compatibility::differences;
use serde::Serialize;
use shader_db::psdb::{File, Lost, incomplete_groups, lacks_object_code};
use twox_hash::XxHash3_128;

use crate::key::{FoundKey, short};
use crate::rederive::{self, Source, Steps};
use crate::report::{one_line, open_whole, path_text, type_name, unverified};
use crate::{Error, Result};

/// The result of a verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    files: Vec<Checked>,
    /// How many objects the verification compiled again and compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    compiled_again: Option<u64>,
    /// The only one of them, if the user gave its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<FoundKey>,
    /// The faults, one line each.
    problems: Vec<Finding>,
    /// The checks that were not possible.
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Checked {
    file: String,
    values: u64,
    groups: u64,
    /// Whether the file has digests.
    digests: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    pub(crate) file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) group: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value_key: Option<String>,
    pub(crate) problem: String,
}

impl Report {
    /// Whether the verification found no fault.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Checks the files of one session: the structure of each, the digest of each value and group, that each value key of each
/// group has a value in one of them, and that they have the same groups. With an SODB and a plugin, also that the plugin
/// makes the same again: groups, versions, value keys, object code. `progress` gets the number of values and groups done, and
/// of all; then that of the objects.
///
/// # Errors
///
/// [`Error::Usage`]: the files are compiled for different targets or applications. [`Error::Database`]: one is no PSDB, or
/// too damaged to be read to its end. The errors of [`compile`](crate::compile::compile); [`Error::Interrupted`].
pub fn verify(
    paths: &[PathBuf],
    source: Option<&Source>,
    progress: &mut Steps<'_>,
) -> Result<Report> {
    let mut report = Report {
        files: Vec::new(),
        compiled_again: None,
        key: None,
        problems: Vec::new(),
        warnings: Vec::new(),
    };
    let files: Vec<(String, File)> = paths
        .iter()
        .map(|path| Ok((path_text(path), open_whole(path)?)))
        .collect::<Result<_>>()?;
    let mut total = 0;
    let mut rows = Vec::new();
    for (name, file) in &files {
        let (first_name, first) = &files[0];
        if !differences(&first.origin(), &file.origin()).is_empty() {
            return Err(Error::Usage(format!(
                "{first_name} and {name} are compiled for different targets or applications: \
                 not the files of one session"
            )));
        }
        if !file.is_verified() {
            report.warnings.push(format!(
                "{name}: it has no digests, so the bytes of its values were not checked"
            ));
        }
        let unverified = unverified(file)?;
        report
            .warnings
            .extend(unverified.map(|line| format!("{name}: {line}")));
        if !file.is_finished() {
            report.warnings.push(format!(
                "{name}: it is not complete: a program is writing it, or was stopped before it had written all"
            ));
        }
        let structure = file.check_structure()?;
        report
            .problems
            .extend(structure.into_iter().map(|problem| Finding {
                file: name.clone(),
                group: None,
                value_key: None,
                problem,
            }));
        report
            .problems
            .extend(file.lost()?.into_iter().map(|lost| lost_from(name, lost)));
        let counts = file.counts()?;
        let values: u64 = counts.values.iter().sum();
        total += values + counts.groups;
        rows.push([values, counts.groups]);
    }

    let mut done = 0;
    for (name, file) in &files {
        let before = done;
        file.for_each_value(&mut |key, kind, value| {
            done += 1;
            progress(done, total);
            if let Err(error) = value {
                report.problems.push(Finding {
                    file: name.clone(),
                    group: None,
                    value_key: Some(hex::encode(key)),
                    problem: format!("{}: {}", type_name(kind), reason(&error)),
                });
            }
            ControlFlow::Continue(())
        })?;
        report.files.push(Checked {
            file: name.clone(),
            values: done - before,
            groups: 0,
            digests: file.is_verified(),
        });
    }
    // Each file of a session has all groups. For the first file: versions and value keys, and whether this one has them too.
    let mut of_first: HashMap<Vec<u8>, (Option<Content>, bool)> = HashMap::new();
    for (place, ((name, file), checked)) in files.iter().zip(&mut report.files).enumerate() {
        file.for_each_group(&mut |group, content| {
            done += 1;
            progress(done, total);
            checked.groups += 1;
            let mut problem = |value_key, problem| {
                report.problems.push(Finding {
                    file: name.clone(),
                    group: Some(hex::encode(group)),
                    value_key,
                    problem,
                });
            };
            let of_this = match &content {
                Ok((version, keys)) => Some(Content::of(*version, keys)),
                Err(_) => None,
            };
            match of_first.get_mut(group) {
                _ if files.len() == 1 => {}
                _ if place == 0 => {
                    of_first.insert(group.to_vec(), (of_this, false));
                }
                Some((first, is_there)) => {
                    *is_there = true;
                    // Another problem reports a damaged group.
                    if first.is_some() && of_this.is_some() && *first != of_this {
                        problem(
                            None,
                            format!("the group differs from the one in {}", files[0].0),
                        );
                    }
                }
                None => problem(None, format!("is not in {}", files[0].0)),
            }
            if let Err(error) = content {
                problem(None, reason(&error));
            }
            ControlFlow::Continue(())
        })?;
        let mut missing = Vec::new();
        for (group, (_, is_there)) in &mut of_first {
            if place > 0 && !std::mem::take(is_there) {
                missing.push(hex::encode(group));
            }
        }
        missing.sort_unstable();
        report
            .problems
            .extend(missing.into_iter().map(|group| Finding {
                file: name.clone(),
                group: Some(group),
                value_key: None,
                problem: format!("is missing; {} has it", files[0].0),
            }));
    }
    let opened: Vec<&File> = files.iter().map(|(_, file)| file).collect();
    let of_all = |group, value_key, problem| Finding {
        file: files[0].0.clone(),
        group,
        value_key,
        problem,
    };
    let incomplete = incomplete_groups(&opened)?.into_iter();
    report.problems.extend(incomplete.map(|incomplete| {
        of_all(
            Some(hex::encode(&incomplete.group)),
            Some(hex::encode(&incomplete.value_key)),
            "incomplete: a value key has no value".into(),
        )
    }));
    if lacks_object_code(&opened)? {
        let problem = "incomplete: no group has object code".into();
        report.problems.push(of_all(None, None, problem));
    }
    for (checked, [values, groups]) in report.files.iter().zip(rows) {
        for (what, found, count) in [
            ("values", checked.values, values),
            ("groups", checked.groups, groups),
        ] {
            if found != count {
                report.problems.push(Finding {
                    file: checked.file.clone(),
                    group: None,
                    value_key: None,
                    problem: format!("{found} of {count} {what} can be found by their keys"),
                });
            }
        }
    }
    if let Some(source) = source {
        let Report {
            problems, warnings, ..
        } = &mut report;
        let again = rederive::compare(&files, source, progress, problems, warnings)?;
        report.compiled_again = Some(again.objects);
        report.key = again.key;
    }
    Ok(report)
}

/// The report of a value or group of which only the digest is left.
fn lost_from(file: &str, lost: Lost) -> Finding {
    let (value_key, problem) = match lost {
        Lost::Value { key, kind } => {
            let kind = type_name(kind);
            (
                key.map(|key| hex::encode(&key)),
                format!("{kind}: lost: the file has the digest, but not the value"),
            )
        }
        Lost::Group => (
            None,
            "a group is lost: the file has the digest, but not the group".into(),
        ),
    };
    Finding {
        file: file.into(),
        group: None,
        value_key,
        problem,
    }
}

/// The content by which two groups of one key are compared.
#[derive(PartialEq, Eq)]
struct Content {
    version: u32,
    keys: u128,
}

impl Content {
    fn of(version: u32, keys: &[&[u8]]) -> Self {
        let mut hasher = XxHash3_128::new();
        for key in keys {
            hasher.write(&(key.len() as u64).to_le_bytes());
            hasher.write(key);
        }
        let keys = hasher.finish_128();
        Self { version, keys }
    }
}

/// The error's reason without the file, which the problem names.
fn reason(error: &shader_db::Error) -> String {
    match error {
        shader_db::Error::Corrupt { reason, .. } => reason.clone(),
        error => error.to_string(),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.problems {
            write!(f, "{}: ", problem.file)?;
            if let Some(group) = &problem.group {
                write!(f, "group {}: ", short(group))?;
            }
            if let Some(key) = &problem.value_key {
                write!(f, "value key {}: ", short(key))?;
            }
            writeln!(f, "{}", one_line(&problem.problem))?;
        }
        for file in &self.files {
            let how = if file.digests {
                ""
            } else {
                ", without digests"
            };
            writeln!(
                f,
                "{}: {} values and {} groups checked{how}",
                file.file, file.values, file.groups
            )?;
        }
        if let Some(key) = &self.key {
            writeln!(f, "Key: {key}")?;
        }
        if let Some(objects) = self.compiled_again {
            writeln!(f, "{objects} objects compiled again and compared")?;
        }
        match self.problems.len() {
            0 => writeln!(f, "sound"),
            1 => writeln!(f, "1 problem"),
            count => writeln!(f, "{count} problems"),
        }
    }
}
