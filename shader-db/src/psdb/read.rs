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

/// The connections of one file. Each serves one call at a time. Unless they keep snapshots, they keep no transaction open between
/// calls: a call sees what any process has committed before it.
pub struct Readers {
    path: PathBuf,
    /// The metadata of the session.
    metadata: Metadata,
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    readers: Vec<Reader>,
    /// The number of the snapshot to keep.
    snapshot: Option<u64>,
    /// How many snapshots there were.
    snapshots: u64,
}

struct Reader {
    connection: Connection,
    /// The number of the snapshot that its open transaction sees.
    snapshot: Option<u64>,
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
        self.idle.lock().readers.push(reader);
        Ok(())
    }

    /// Keeps a snapshot of what is committed now, or none.
    pub fn keep_snapshot(&self, keep: bool) {
        let mut idle = self.idle.lock();
        idle.snapshots += 1;
        idle.snapshot = keep.then_some(idle.snapshots);
        idle.readers.iter_mut().for_each(Reader::end);
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
            snapshot: None,
            is_immutable: opened.is_immutable,
            is_read_only: opened.is_read_only,
            copy: opened.copy,
        })
    }

    /// Runs a query of one statement.
    pub fn read<T>(&self, query: impl FnMut(&Lookup) -> rusqlite::Result<T>) -> Result<T> {
        self.run(false, query)
    }

    /// Runs a query of several statements, which see the same content.
    pub fn read_all<T>(&self, query: impl FnMut(&Lookup) -> rusqlite::Result<T>) -> Result<T> {
        self.run(true, query)
    }

    fn run<T>(
        &self,
        in_transaction: bool,
        mut query: impl FnMut(&Lookup) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let (idle, snapshot) = {
            let mut idle = self.idle.lock();
            (idle.readers.pop(), idle.snapshot)
        };
        let mut reader = match idle {
            Some(reader) => reader,
            None => self.open()?,
        };
        loop {
            let connection = &reader.connection;
            let found = if reader.snapshot.is_some() {
                query(&Lookup(connection)).map(Some)
            } else {
                sqlite::patiently_present(connection, BUSY_TIMEOUT, || {
                    if in_transaction || snapshot.is_some() {
                        connection.execute_batch("BEGIN")?;
                    }
                    query(&Lookup(connection)).inspect_err(|_| reader.end_transaction())
                })
            };
            // After a failure the state of the connection is unknown.
            match found.map_err(|error| Error::sqlite(&self.path, &error))? {
                Some(found) => {
                    reader.snapshot = snapshot;
                    self.put_back(reader);
                    return Ok(found);
                }
                // Another file has taken its place.
                None => reader = self.open()?,
            }
        }
    }

    fn put_back(&self, mut reader: Reader) {
        let mut idle = self.idle.lock();
        if reader.snapshot.is_none() || reader.snapshot != idle.snapshot {
            reader.end();
        }
        // Another process may begin to write a file that this one takes for immutable.
        if !reader.is_immutable {
            idle.readers.push(reader);
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
        let idle = std::mem::take(&mut self.idle.lock().readers);
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

impl Reader {
    fn end(&mut self) {
        self.snapshot = None;
        self.end_transaction();
    }

    fn end_transaction(&self) {
        if !self.connection.is_autocommit() {
            // SQLite ends a transaction that only read in any case.
            let _ = self.connection.execute_batch("COMMIT");
        }
    }
}
