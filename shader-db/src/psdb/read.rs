//! The connections that a session reads through.

use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use rusqlite::Connection;

use super::lookup::{Fault, Lookup};
use super::metadata::Metadata;
use super::schema;
use crate::sqlite::BUSY_TIMEOUT;
use crate::temporary::Folder;
use crate::{Error, Result, sqlite};

/// The connections of one file. Each serves one call at a time, and keeps no transaction open between calls: a call sees what
/// any process has committed before it.
pub struct Readers {
    path: PathBuf,
    /// The metadata of the session.
    metadata: Metadata,
    idle: Mutex<Vec<Reader>>,
}

struct Reader {
    connection: Connection,
    is_immutable: bool,
    is_read_only: bool,
    #[expect(dead_code, reason = "it is removed when the connection is closed")]
    copy: Option<Folder>,
}

impl Readers {
    pub fn new(path: &Path, metadata: Metadata) -> Self {
        Self {
            path: path.to_owned(),
            metadata,
            idle: Mutex::default(),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a connection for the first call.
    pub fn give(&self, opened: schema::Opened) -> Result<()> {
        let reader = self.reader(opened)?;
        self.idle.lock().push(reader);
        Ok(())
    }

    fn reader(&self, opened: schema::Opened) -> Result<Reader> {
        // SQLite neither copies mapped pages nor caches them once for each reader. It does so with pages in the WAL: the
        // cache has room for the indexes of about 200,000 objects.
        opened
            .connection
            .execute_batch("PRAGMA mmap_size=0x7fff0000; PRAGMA cache_size=-16384;")
            .map_err(|error| Error::sqlite(&self.path, &error))?;
        Ok(Reader {
            connection: opened.connection,
            is_immutable: opened.is_immutable,
            is_read_only: opened.is_read_only,
            copy: opened.copy,
        })
    }

    /// Runs a query of one statement.
    pub fn read<T>(&self, mut query: impl FnMut(&Lookup) -> rusqlite::Result<T>) -> Result<T> {
        self.run(|reader| query(&Lookup(&reader.connection)))
    }

    /// Runs a query of several statements, which see the same content.
    pub fn read_all<T>(&self, mut query: impl FnMut(&Lookup) -> rusqlite::Result<T>) -> Result<T> {
        self.run(|reader| {
            let transaction = reader.connection.unchecked_transaction()?;
            let found = query(&Lookup(&transaction))?;
            transaction.commit()?;
            Ok(found)
        })
    }

    fn run<T>(&self, mut run: impl FnMut(&Reader) -> rusqlite::Result<T>) -> Result<T> {
        let idle = self.idle.lock().pop();
        let mut reader = match idle {
            Some(reader) => reader,
            None => self.open()?,
        };
        loop {
            let found =
                sqlite::patiently_present(&reader.connection, BUSY_TIMEOUT, || run(&reader));
            // After a failure the state of the connection is unknown.
            match found.map_err(|error| Error::sqlite(&self.path, &error))? {
                Some(found) => {
                    // Another process may begin to write a file that this one takes for immutable.
                    if !reader.is_immutable {
                        self.idle.lock().push(reader);
                    }
                    return Ok(found);
                }
                // Another file has taken its place.
                None => reader = self.open()?,
            }
        }
    }

    fn open(&self) -> Result<Reader> {
        self.reader(schema::open_again(&self.path, false, &self.metadata)?)
    }

    /// The error of a damaged file.
    pub fn corrupt(&self, reason: Fault) -> Error {
        Error::Corrupt {
            path: self.path.clone(),
            reason: reason.into(),
        }
    }

    /// Closes the connections that no call uses.
    pub fn close(&self) {
        let idle = std::mem::take(&mut *self.idle.lock());
        // Another session put the file in WAL mode, and could not undo that because of these, which may not do it.
        let is_left = idle
            .iter()
            .any(|reader| reader.is_read_only && sqlite::header(&reader.connection).is_wal());
        drop(idle);
        if is_left {
            let _ = schema::open(&self.path, false);
        }
    }
}
