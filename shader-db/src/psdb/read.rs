//! The connections that a session reads through.

use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use super::lookup::Lookup;
use super::metadata::Metadata;
use super::open::{Opened, Way};
use crate::error::At as _;
use crate::sqlite::BUSY_TIMEOUT;
use crate::{Result, sqlite};

/// KiB of pages of the WAL that a connection caches: the indexes of about 200,000 objects.
const CACHE: u32 = 16384;

/// The connections of one file. Each serves one call at a time, and keeps no transaction open between calls: a call sees what
/// any process has committed before it.
pub struct Readers {
    pub path: PathBuf,
    /// The metadata of the session.
    metadata: Metadata,
    idle: Mutex<Vec<Opened>>,
}

impl Readers {
    pub fn new(path: &Path, metadata: Metadata) -> Self {
        Self {
            path: path.to_owned(),
            metadata,
            idle: Mutex::default(),
        }
    }

    /// Adds a connection for the first call.
    pub fn give(&self, opened: Opened) -> Result<()> {
        self.idle.lock().push(opened.map(CACHE)?);
        Ok(())
    }

    /// Runs a query of one statement.
    pub fn read<T>(&self, mut query: impl FnMut(&Lookup) -> rusqlite::Result<T>) -> Result<T> {
        let idle = self.idle.lock().pop();
        let mut reader = idle.map_or_else(|| self.open(), Ok)?;
        loop {
            let mut query = || query(&Lookup(&reader.connection));
            let found = sqlite::patiently_present(&reader.connection, BUSY_TIMEOUT, &mut query);
            // After a failure the state of the connection is unknown.
            match found.at(&self.path)? {
                Some(found) => {
                    // Another process may begin to write a file that this one takes for immutable.
                    if reader.way != Way::Immutable {
                        self.idle.lock().push(reader);
                    }
                    return Ok(found);
                }
                // Another file has taken its place.
                None => reader = self.open()?,
            }
        }
    }

    fn open(&self) -> Result<Opened> {
        Opened::again(&self.path, Way::Read, &self.metadata)?.map(CACHE)
    }

    /// Closes the connections that no call uses.
    pub fn close(&self) {
        let idle = std::mem::take(&mut *self.idle.lock());
        // Another session put the file in WAL mode, and could not undo that because of these, which may not do it.
        let is_left = idle
            .iter()
            .any(|reader| reader.way == Way::Read && sqlite::header(&reader.connection).is_wal());
        drop(idle);
        if is_left {
            let _ = Opened::to_read(&self.path);
        }
    }
}
