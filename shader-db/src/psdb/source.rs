//! A file for reading as a whole.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::metadata::Metadata;
use super::schema;
use crate::sqlite::BUSY_TIMEOUT;
use crate::temporary::Folder;
use crate::{Error, Result, sqlite};

/// An open file, and its metadata.
pub struct Source {
    pub path: PathBuf,
    pub connection: Connection,
    pub metadata: Metadata,
    /// Whether a session left it in WAL mode, or is writing it.
    pub unfinished: bool,
    /// The folder of a copy, removed when the connection is closed.
    #[expect(dead_code, reason = "it is removed when the connection is closed")]
    pub copy: Option<Folder>,
}

impl Source {
    /// Opens a file in its present state: what other sessions add stays unseen.
    pub fn open(path: &Path) -> Result<Self> {
        loop {
            let schema::Opened {
                connection,
                metadata,
                unfinished,
                copy,
                ..
            } = schema::open(path, false)?;
            let source = Self {
                path: path.to_owned(),
                connection,
                metadata,
                unfinished,
                copy,
            };
            source.map()?;
            let begin = || {
                source.connection.execute_batch("BEGIN")?;
                let mut first = source.connection.prepare("SELECT 1 FROM compiler_id")?;
                sqlite::patiently_present(&source.connection, BUSY_TIMEOUT, || first.exists([]))
            };
            if begin().map_err(|error| source.failure(&error))? == Some(true) {
                return Ok(source);
            }
        }
    }

    /// Maps the pages: a merge reads most of them once, and SQLite's cache would only copy them.
    pub fn map(&self) -> Result<()> {
        let mapped = self
            .connection
            .execute_batch("PRAGMA mmap_size=0x7fff0000; PRAGMA cache_size=-2048");
        mapped.map_err(|error| self.failure(&error))
    }

    pub fn failure(&self, error: &rusqlite::Error) -> Error {
        Error::sqlite(&self.path, error)
    }

    pub fn corrupt(&self, reason: &str) -> Error {
        Error::Corrupt {
            path: self.path.clone(),
            reason: reason.into(),
        }
    }
}
