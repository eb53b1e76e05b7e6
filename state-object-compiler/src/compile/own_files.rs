//! The files of an output that a run has open, which another program can remove or replace meanwhile.

use std::fs;
use std::path::PathBuf;

use crate::{Error, Result};

/// What SQLite puts beside a file while the run writes it.
const BESIDE: [&str; 2] = ["-wal", "-shm"];

/// The files as they were when the run began to write.
pub struct OwnFiles(Vec<Own>);

struct Own {
    path: PathBuf,
    identity: Option<Identity>,
    beside: Vec<(PathBuf, Option<Identity>)>,
}

/// The number of a file on its device, and that of the device.
type Identity = (u64, u64);

/// Without opening it: to close it again would end the locks that this process has on it.
#[cfg(unix)]
fn identity(path: &PathBuf) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Nobody removes a file that SQLite has open.
#[cfg(not(unix))]
fn identity(_: &PathBuf) -> Option<Identity> {
    None
}

impl OwnFiles {
    /// Notes the files that the run has begun to write.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let own = paths.into_iter().map(|path| {
            let beside = BESIDE.map(|suffix| {
                let mut name = fs::canonicalize(&path)
                    .unwrap_or_else(|_| path.clone())
                    .into_os_string();
                name.push(suffix);
                let name = PathBuf::from(name);
                let identity = identity(&name);
                (name, identity)
            });
            Own {
                identity: identity(&path),
                path,
                beside: beside.into(),
            }
        });
        Self(own.collect())
    }

    /// Checks that the files are still there. Otherwise this removes what the run has put beside a file, which SQLite would
    /// take for that of another file.
    ///
    /// # Errors
    ///
    /// [`Error::Replaced`].
    pub fn check(&self) -> Result<()> {
        let replaced = |own: &&Own| own.identity != identity(&own.path);
        let Some(own) = self.0.iter().find(replaced) else {
            return Ok(());
        };
        for own in self.0.iter().filter(replaced) {
            let still = own
                .beside
                .iter()
                .filter(|(path, was)| identity(path) == *was);
            for (path, _) in still {
                // What cannot be removed is removed by the next run.
                let _ = fs::remove_file(path);
            }
        }
        Err(Error::Replaced {
            path: own.path.clone(),
        })
    }
}
