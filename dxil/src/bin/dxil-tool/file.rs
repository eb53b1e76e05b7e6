//! Reads input, and writes output that is either complete or absent.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use dxil::{Error, pdb_container};
use tempfile::Builder;

use crate::failure::Failure;

/// Standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = if is_standard(path) {
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    read.map_err(|error| Failure::Read {
        file: path.to_owned(),
        error,
    })
}

/// Several inputs, of which one can be standard input.
pub fn check_standard_input<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<(), Failure> {
    let standard = paths.into_iter().filter(|path| is_standard(path));
    if standard.count() > 1 {
        return Err(Failure::StdinTwice);
    }
    Ok(())
}

/// The container of a PDB; `None` of any other file.
pub fn in_pdb(bytes: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let is_pdb = bytes.starts_with(b"Microsoft C/C++ MSF 7.00");
    is_pdb.then(|| pdb_container(bytes)).transpose()
}

pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if is_standard(path) {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        return Ok(out.flush()?);
    }
    replace(path, bytes).map_err(|error| Failure::Write {
        file: path.to_owned(),
        error,
    })
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let existing = fs::metadata(path).ok();
    if existing.as_ref().is_some_and(|it| !it.is_file()) {
        // Writes to a device or a pipe instead of replacing it; to open a folder fails with the right error.
        return File::options().write(true).open(path)?.write_all(bytes);
    }
    // Follows a link, so that the link itself stays.
    let target = match existing {
        Some(_) => fs::canonicalize(path)?,
        None => path.to_owned(),
    };
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = Builder::new();
    builder.prefix(".dxil-tool-");
    #[cfg(unix)]
    builder.permissions(match &existing {
        Some(existing) => existing.permissions(),
        None => std::os::unix::fs::PermissionsExt::from_mode(0o666),
    });
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.persist(&target)?;
    Ok(())
}
