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

/// The connections of one file. Each serves one call at a time. Unless they keep a snapshot, they keep no transaction open between
/// calls: a call sees what any process has committed before it.
pub struct Readers {
    pub path: PathBuf,
    /// The metadata of the session.
    metadata: Metadata,
    idle: Mutex<Idle>,
}

/// The connections that no call uses.
#[derive(Default)]
struct Idle {
    readers: Vec<Reader>,
    /// The number of the snapshot to keep.
    snapshot: Option<u64>,
    /// How often that changed.
    changes: u64,
}

struct Reader {
    opened: Opened,
    /// The number of the snapshot that its open transaction sees.
    snapshot: Option<u64>,
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
        let reader = Reader::new(opened)?;
        self.idle.lock().readers.push(reader);
        Ok(())
    }

    /// Keeps a snapshot of what is committed now, or none.
    pub fn keep_snapshot(&self, keep: bool) {
        let mut idle = self.idle.lock();
        idle.changes += 1;
        idle.snapshot = keep.then_some(idle.changes);
        idle.readers.iter_mut().for_each(Reader::end);
    }

    /// Runs a query of one statement.
    pub fn read<T>(&self, mut query: impl FnMut(&Lookup) -> rusqlite::Result<T>) -> Result<T> {
        let (idle, snapshot) = {
            let mut idle = self.idle.lock();
            (idle.readers.pop(), idle.snapshot)
        };
        let mut reader = idle.map_or_else(|| self.open(), Ok)?;
        loop {
            let connection = &reader.opened.connection;
            let mut query = || query(&Lookup(connection));
            let found = if reader.snapshot.is_some() {
                query().map(Some)
            } else {
                sqlite::patiently_present(connection, BUSY_TIMEOUT, || {
                    if snapshot.is_some() {
                        connection.execute_batch("BEGIN")?;
                    }
                    query().inspect_err(|_| reader.end_transaction())
                })
            };
            // After a failure the state of the connection is unknown.
            match found.at(&self.path)? {
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
        if reader.snapshot != idle.snapshot {
            reader.end();
        }
        // Another process may begin to write a file that this one takes for immutable.
        if reader.opened.way != Way::Immutable {
            idle.readers.push(reader);
        }
    }

    fn open(&self) -> Result<Reader> {
        Reader::new(Opened::again(&self.path, Way::Read, &self.metadata)?)
    }

    /// Closes the connections that no call uses.
    pub fn close(&self) {
        let idle = std::mem::take(&mut self.idle.lock().readers);
        // Another session put the file in WAL mode, and could not undo that because of these, which may not do it.
        let opened = idle.iter().map(|reader| &reader.opened);
        let is_left = { opened }
            .any(|opened| opened.way == Way::Read && sqlite::header(&opened.connection).is_wal());
        drop(idle);
        if is_left {
            let _ = Opened::to_read(&self.path);
        }
    }
}

impl Reader {
    fn new(opened: Opened) -> Result<Self> {
        let opened = opened.map(CACHE)?;
        Ok(Self {
            opened,
            snapshot: None,
        })
    }

    fn end(&mut self) {
        if self.snapshot.take().is_some() {
            self.end_transaction();
        }
    }

    fn end_transaction(&self) {
        // Nothing is left to end where SQLite has rolled it back.
        let _ = self.opened.connection.execute_batch("COMMIT");
    }
}
