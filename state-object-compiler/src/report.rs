//! The parts that several reports share.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use shader_db::psdb::{self, File, ValueType, incomplete_groups, lacks_object_code};
use shader_db::short_hex;

use crate::{Dotted, Result};

/// A file's path in a report, on one line. A replacement character stands for what is not UTF-8.
pub fn path_text(path: &Path) -> String {
    one_line(&path.display().to_string())
}

/// Text from a file or a plugin on one line: control characters could forge lines of the output, or change the terminal.
pub fn one_line(text: &str) -> String {
    let is_separator = |c| matches!(c, '\u{2028}' | '\u{2029}');
    text.replace(|c: char| c.is_control() || is_separator(c), "\u{fffd}")
}

/// Opens a PSDB that must be whole: no killed run has left a part of it beside it.
pub fn open_whole(path: &Path) -> Result<File> {
    Ok(File::open(path)?)
}

/// Opens a PSDB that must be sound: its structure is not damaged, and it has lost nothing.
pub fn open_sound(path: &Path) -> Result<File> {
    let file = open_whole(path)?;
    file.check_whole()?;
    Ok(file)
}

/// A line for each way in which the groups of these files of one session are incomplete.
pub fn incomplete(files: &[&File]) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    let groups = incomplete_groups(files)?;
    if let Some(first) = groups.first() {
        lines.push(format!(
            "{} groups name a value key that has no value, the first of them group {}: `compile` makes their objects again",
            groups.len(),
            short_hex(&first.group)
        ));
    }
    if lacks_object_code(files)? {
        lines.push("no group has object code: `compile` makes the pipelines again".into());
    }
    Ok(lines)
}

/// A line about the values and groups of a file that have no digest, if there are any.
pub fn unverified(file: &File) -> Result<Option<String>> {
    let [values, groups] = file.unverified()?;
    Ok((values + groups != 0).then(|| {
        format!(
            "{values} values and {groups} groups have no digest, because another program added them: their bytes were not checked. \
             `compile` and `merge-psdb` give them digests"
        )
    }))
}

/// The name of a type of value in reports, options and file names.
pub fn type_name(kind: ValueType) -> &'static str {
    match kind {
        ValueType::ObjectCode => "object-code",
        ValueType::Metadata => "metadata",
        ValueType::DebugPdb => "debug-pdb",
        ValueType::PerformanceData => "performance-data",
    }
}

/// The target of a PSDB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    pub adapter_family: String,
    pub abi_version: u64,
    pub compiler_version: Dotted,
    application_profile_version: Dotted,
}

impl From<&psdb::Target> for Target {
    fn from(target: &psdb::Target) -> Self {
        Self {
            adapter_family: one_line(&target.family),
            abi_version: target.abi,
            compiler_version: Dotted(target.compiler_version),
            application_profile_version: Dotted(target.profile_version),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Adapter Family: {}", self.adapter_family)?;
        writeln!(f, "ABI Version: {}", self.abi_version)?;
        writeln!(f, "Compiler Version: {}", self.compiler_version)?;
        writeln!(
            f,
            "Application Profile Version: {}",
            self.application_profile_version
        )
    }
}

/// The identity of an application, in the form of `get-identity`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Application {
    name: String,
    exe_filename: String,
    version: Dotted,
    engine_name: Option<String>,
    engine_version: Dotted,
}

impl From<&psdb::Application> for Application {
    fn from(application: &psdb::Application) -> Self {
        Self {
            name: one_line(&application.name),
            exe_filename: one_line(&application.exe),
            version: Dotted(application.version),
            engine_name: application.engine_name.as_deref().map(one_line),
            engine_version: Dotted(application.engine_version),
        }
    }
}

impl fmt::Display for Application {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Application Description:")?;
        writeln!(f, "        Name: {}", self.name)?;
        writeln!(f, "        Exe Filename: {}", self.exe_filename)?;
        writeln!(f, "        Version: {}", self.version)?;
        let engine = self.engine_name.as_deref().unwrap_or_default();
        writeln!(f, "        Engine Name: {engine}")?;
        writeln!(f, "        Engine Version: {}", self.engine_version)
    }
}
