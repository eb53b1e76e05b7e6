//! `merge-psdb`: PSDBs of shards, or of types of values, into one.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use shader_db::psdb;

use crate::Result;
use crate::report::path_text;

/// What a merge did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    output: String,
    inputs: usize,
    values: u64,
    /// Values that several inputs have, counted once for each but the first.
    repeated_values: u64,
    bytes: u64,
    groups: u64,
}

/// Merges PSDBs into a new one, which is the same, byte for byte, as that of one run over everything, whatever the
/// order. `progress` gets the bytes of values read.
///
/// # Errors
///
/// [`Error::Database`](crate::Error::Database): `output` exists; the inputs are compiled for different targets or
/// applications; a key has different bytes, or a group other value keys or another version, in two of them; a file
/// cannot be read or written. `output` is not made then.
pub fn merge(output: &Path, inputs: &[PathBuf], progress: &mut dyn FnMut(u64)) -> Result<Report> {
    let merged = psdb::merge(inputs, output, progress)?;
    Ok(Report {
        output: path_text(output),
        inputs: inputs.len(),
        values: merged.values,
        repeated_values: merged.repeated,
        bytes: merged.bytes,
        groups: merged.groups,
    })
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
