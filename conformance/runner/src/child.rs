//! Starting a child with a request, and what it leaves in its folder.

use std::io;
use std::path::Path;
use std::time::Duration;

use conformance_protocol::Request;
use conformance_protocol::journal::Account;
use tempfile::TempDir;

use crate::error::RunError;
use crate::options::Options;
use crate::process::{self, Ended};

/// Has a child do what it is asked, in a new folder, until it ends, `timeout` is over or the run is interrupted.
///
/// # Errors
///
/// It cannot be started.
pub fn ask(
    options: &Options,
    request: &Request,
    folder: &Path,
    timeout: Duration,
) -> io::Result<(Ended, Account)> {
    std::fs::create_dir(folder)?;
    let mut command = request.command(&options.exe, folder)?;
    command.envs(options.env.iter().cloned());
    let ended = process::run(&mut command, timeout, &options.interrupt)?;
    Ok((ended, Account::read(folder)))
}

/// A folder for the folders of children, by its absolute path: what is tested may change the folder of its process.
///
/// # Errors
///
/// The system has none.
pub fn folder() -> Result<TempDir, RunError> {
    let folder = std::path::absolute(std::env::temp_dir()).and_then(|parent| {
        let mut builder = tempfile::Builder::new();
        builder.prefix("ddi-conformance-").tempdir_in(parent)
    });
    folder.map_err(RunError::Folder)
}
