//! `merge-sodb` and `checkpoint-db`: completing SODBs that captures left.

use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use serde::Serialize;
use shader_db::sodb::{Access, Merged, Sodb};
use shader_db::temporary::Temporary;
use shader_db::{file_name, psdb, short_hex};

use crate::key::short;
use crate::report::path_text;
use crate::{Error, Result};

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    output: String,
    /// Keys in the output.
    keys: u64,
    inputs: Vec<Input>,
    /// Objects that the merge left out.
    pub failures: Vec<Failure>,
    /// Facts that the user may not expect.
    pub warnings: Vec<String>,
}

/// An object, or a key, that the merge left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    file: String,
    /// In hexadecimal digits; `None` for an object without a key.
    key: Option<String>,
    reason: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key {
            Some(key) => {
                let key = short(key);
                write!(f, "object {key} of {}: {}", self.file, self.reason)
            }
            None => write!(
                f,
                "an object of {} without a key: {}",
                self.file, self.reason
            ),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Input {
    file: String,
    added: usize,
    replaced: usize,
    kept: usize,
    same: u64,
    /// Objects without a key.
    without_key: u64,
    left_out: usize,
}

/// Merges SODBs into `output`, which keeps its identity and, of two versions of an object, the higher one. The merge creates
/// an output that does not exist, with the identity of the first input. The inputs stay as they are.
///
/// # Errors
///
/// [`Error::Usage`]: no inputs, or a file given twice. [`Error::Name`]: SQLite gives such a name. [`Error::Database`]: a file cannot be read or written; a key has
/// different objects of one version. Then an existing output stays as it is, and the merge creates no new one.
pub fn merge(output: &Path, inputs: &[PathBuf]) -> Result<Report> {
    if inputs.is_empty() {
        return Err(Error::Usage("nothing to merge: no input is given".into()));
    }
    file_name::check_beside(output)?;
    let mut identities = Vec::new();
    for path in inputs.iter().map(PathBuf::as_path).chain([output]) {
        // Opening the file reports that it does not exist.
        let identity = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if identities.contains(&identity) {
            return Err(Error::Usage(format!("{} is given twice", path.display())));
        }
        identities.push(identity);
    }
    let failure = |source| Error::file(output, source);
    // An empty file counts as none.
    match fs::metadata(output) {
        Ok(found) if found.is_file() && found.len() == 0 => {}
        Ok(_) => return merge_into(output, Access::Write, output, inputs),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failure(error)),
        Err(_) => {}
    }
    // The target of a link, so that the link stays.
    let target = psdb::path_of_file(output);
    let part = Temporary::beside(&target).map_err(failure)?;
    let report = merge_into(part.path(), Access::Create, output, inputs)?;
    if !psdb::place(&part, output)? {
        let output = output.display();
        return Err(Error::Usage(format!(
            "{output}: another program has created it in the meantime; merge again to add to it"
        )));
    }
    Ok(report)
}

fn merge_into(path: &Path, access: Access, output: &Path, inputs: &[PathBuf]) -> Result<Report> {
    let mut report = Report {
        output: path_text(output),
        keys: 0,
        inputs: Vec::new(),
        failures: Vec::new(),
        warnings: Vec::new(),
    };
    // Open all of them before creating or changing a file.
    let sources: Vec<(&PathBuf, Sodb)> = inputs
        .iter()
        .map(|path| Ok((path, Sodb::open(path, Access::Read)?)))
        .collect::<Result<_>>()?;
    // People know the file by its final name.
    let called = |error: shader_db::Error| error.called(path, output);
    let merged = Sodb::open(path, access).map_err(called)?;
    if access == Access::Create
        && let Some(application) = sources[0].1.application()?
    {
        merged.set_application(&application).map_err(called)?;
    }
    let application = merged.application().map_err(called)?;
    let from: Vec<&Sodb> = sources.iter().map(|(_, source)| source).collect();
    let each = merged.merge(&from).map_err(called)?;
    for ((path, source), each) in sources.iter().zip(each) {
        let path = path.display();
        if source.application()? != application {
            report.warnings.push(format!(
                "{path}: its application identity differs from that of {}, which the output keeps",
                output.display()
            ));
        }
        let Merged {
            added,
            replaced,
            kept,
            same,
            without_key,
            left_out,
        } = each;
        for key in &replaced {
            let key = short_hex(key);
            let text = format!("key {key}: the version in {path} is higher and was taken");
            report.warnings.push(text);
        }
        for key in &kept {
            let key = short_hex(key);
            let text = format!("key {key}: the version in {path} is lower and was not taken");
            report.warnings.push(text);
        }
        report.inputs.push(Input {
            file: path.to_string(),
            added: added.len(),
            replaced: replaced.len(),
            kept: kept.len(),
            same,
            without_key,
            left_out: left_out.len(),
        });
        let failures = left_out.into_iter().map(|object| Failure {
            file: path.to_string(),
            key: object.key.as_deref().map(hex::encode),
            reason: object.reason.to_string(),
        });
        report.failures.extend(failures);
    }
    report.keys = merged.counts().map_err(called)?.keys;
    merged.close().map_err(called)?;
    Ok(report)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for input in &self.inputs {
            let Input {
                file,
                added,
                replaced,
                kept,
                same,
                without_key,
                left_out,
            } = input;
            writeln!(
                f,
                "{file}: {added} added, {replaced} replaced, {kept} kept, {same} the same, {without_key} without a key, \
                 {left_out} left out"
            )?;
        }
        writeln!(f, "{}: {} keys", self.output, self.keys)
    }
}

/// Checkpoints the WAL of an SODB, so that the file contains everything.
///
/// # Errors
///
/// [`Error::Name`]; [`Error::Database`]; busy if another program has the file open.
pub fn checkpoint(path: &Path) -> Result<()> {
    file_name::check_companion(path)?;
    Ok(Sodb::checkpoint(path)?)
}
