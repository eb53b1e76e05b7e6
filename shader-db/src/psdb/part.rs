//! A new file in the canonical form, which a thread of its own writes while the caller reads the content.

use std::fs;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, Scope, ScopedJoinHandle};

use rusqlite::Connection;
use rusqlite::types::ValueRef::{Blob, Integer};

use super::insert::{Insert, MEMBERS};
use super::metadata::Metadata;
use super::{ValueType, create, digest, schema};
use crate::temporary::Temporary;
use crate::{Error, Result, sqlite};

/// The caller hands rows to the writer in batches of about this many bytes,
const BATCH: usize = 512 << 10;
/// and this many batches wait for the writer.
const WAITING: usize = 2;
/// The writer has the disk sync each time it has written about this many bytes, and not only at the end.
const SYNC: usize = 8 << 20;

/// A file in the canonical form that takes another's place when it is complete.
pub struct Part<'a> {
    pub file: Temporary,
    /// The path of the other file.
    target: &'a Path,
}

impl<'a> Part<'a> {
    /// For a path without a file.
    pub fn of_new(target: &'a Path) -> Result<Self> {
        let file = Temporary::beside(target).map_err(|error| Error::io(target, &error))?;
        Ok(Self { file, target })
    }

    /// For a file that the caller has locked exclusively.
    pub fn of_locked(target: &'a Path) -> Result<Self> {
        let file = Temporary::beside_locked(target).map_err(|error| Error::io(target, &error))?;
        Ok(Self { file, target })
    }

    /// Writes the file in one transaction, with the rows that `fill` adds, and syncs it.
    pub fn write<T>(
        &self,
        metadata: &Metadata,
        fill: impl FnOnce(&mut Rows) -> Result<T>,
    ) -> Result<T> {
        let sqlite = |error| Error::sqlite(self.target, &error);
        let io = |error| Error::io(self.target, &error);
        let to = sqlite::create_as(self.file.path(), self.target)?;
        // A failure loses nothing, so nothing needs a rollback. SQLite fills pages one after the other, so a small cache
        // writes each of them once; lookups of keys read the mapped file.
        to.execute_batch(&format!(
            "PRAGMA page_size={}; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; \
             PRAGMA foreign_keys=OFF; PRAGMA cache_size=-8192; PRAGMA mmap_size=0x7fff0000; BEGIN",
            schema::PAGE_SIZE
        ))
        .and_then(|()| create::write(&to, &metadata.target, &metadata.application))
        .map_err(sqlite)?;
        let file = fs::File::options().write(true).open(self.file.path());
        let file = file.map_err(io)?;

        let (batches, filled) = sync_channel(WAITING);
        let (used, empty) = channel();
        let (sync, syncs) = sync_channel(1);
        let (filled, to) = thread::scope(|scope| {
            let writer = self.spawn(scope, move || {
                insert(&to, &filled, &used, &sync).map(|()| to)
            })?;
            let syncer = self.spawn(scope, || {
                syncs.into_iter().try_for_each(|()| file.sync_data())
            })?;
            let mut rows = Rows {
                batch: Batch::default(),
                batches,
                empty,
                target: self.target,
            };
            let filled = fill(&mut rows).and_then(|filled| rows.send().map(|()| filled));
            drop(rows);
            let to = join(writer).map_err(sqlite)?;
            join(syncer).map_err(io)?;
            Ok::<_, Error>((filled?, to))
        })?;
        to.execute_batch("COMMIT").map_err(sqlite)?;
        to.close().map_err(|(_, error)| sqlite(error))?;
        file.sync_all().map_err(io).map(|()| filled)
    }

    fn spawn<'scope, T: Send + 'scope>(
        &self,
        scope: &'scope Scope<'scope, '_>,
        run: impl FnOnce() -> T + Send + 'scope,
    ) -> Result<ScopedJoinHandle<'scope, T>> {
        let thread = thread::Builder::new().name("psdb part".into());
        thread
            .spawn_scoped(scope, run)
            .map_err(|error| Error::io(self.target, &error))
    }
}

fn join<T>(thread: ScopedJoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// The rows of the file: keys sorted by their bytes, each with its values by type; then groups sorted by their keys' bytes.
pub struct Rows<'a> {
    batch: Batch,
    batches: SyncSender<Batch>,
    empty: Receiver<Batch>,
    target: &'a Path,
}

/// Rows, and their bytes one after the other.
#[derive(Default)]
struct Batch {
    rows: Vec<Row>,
    bytes: Vec<u8>,
}

/// A row, with the sizes of its parts of the batch's bytes.
enum Row {
    Key {
        key: usize,
        accessed: i64,
    },
    /// A value of the last key.
    Value {
        kind: ValueType,
        value: usize,
        digest: [u8; 16],
    },
    Group {
        key: usize,
        version: u32,
        list: usize,
        digest: [u8; 16],
    },
}

impl Rows<'_> {
    pub fn key(&mut self, key: &[u8], accessed: i64) -> Result<()> {
        let row = Row::Key {
            key: key.len(),
            accessed,
        };
        self.add(row, &[key])
    }

    /// Adds a value to the last key.
    pub fn value(&mut self, kind: ValueType, value: &[u8], digest: u128) -> Result<()> {
        let row = Row::Value {
            kind,
            value: value.len(),
            digest: digest.to_be_bytes(),
        };
        self.add(row, &[value])
    }

    /// Adds a group; [`digest::push_key`] made `list`, and the caller has added every key in it.
    pub fn group(&mut self, key: &[u8], version: u32, list: &[u8], digest: u128) -> Result<()> {
        let row = Row::Group {
            key: key.len(),
            version,
            list: list.len(),
            digest: digest.to_be_bytes(),
        };
        self.add(row, &[key, list])
    }

    fn add(&mut self, row: Row, bytes: &[&[u8]]) -> Result<()> {
        self.batch.rows.push(row);
        for bytes in bytes {
            self.batch.bytes.extend_from_slice(bytes);
        }
        if self.batch.bytes.len() >= BATCH {
            self.send()?;
        }
        Ok(())
    }

    /// Fails if the writer has ended; the writer then has the error.
    fn send(&mut self) -> Result<()> {
        let next = self.empty.try_recv().unwrap_or_default();
        let batch = std::mem::replace(&mut self.batch, next);
        self.batches.send(batch).map_err(|_| Error::Io {
            path: self.target.to_owned(),
            reason: "the writer has ended".into(),
        })
    }
}

fn insert(
    to: &Connection,
    batches: &Receiver<Batch>,
    used: &Sender<Batch>,
    sync: &SyncSender<()>,
) -> rusqlite::Result<()> {
    let add_keys = Insert::new(to, "INSERT INTO keys(keyid, key, last_accessed)");
    // At the rows where readers look first.
    let add_values = Insert::new(to, "INSERT INTO vals(rowid, keyid, type, value)");
    let add_value_digests = Insert::new(to, "INSERT INTO value_digests(id, digest)");
    let add_groups = Insert::new(to, "INSERT INTO groupkeys(keyid, key, version)");
    let mut find_key = to.prepare("SELECT keyid FROM keys WHERE key = ?1")?;
    let add_members = Insert::new(to, "INSERT INTO groups(groupkeyid, valuekeyid)");
    let add_group_digests = Insert::new(to, "INSERT INTO group_digests(groupkeyid, digest)");
    let (mut key_id, mut group_id) = (0_i64, 0_i64);
    let mut unsynced = 0;
    for mut batch in batches {
        let (mut keys, mut values, mut value_digests) = (Vec::new(), Vec::new(), Vec::new());
        let (mut groups, mut lists, mut group_digests) = (Vec::new(), Vec::new(), Vec::new());
        let mut rest = &batch.bytes[..];
        let mut take = |size| {
            let taken;
            (taken, rest) = rest.split_at(size);
            taken
        };
        for row in &batch.rows {
            match row {
                Row::Key { key, accessed } => {
                    key_id += 1;
                    keys.push([Integer(key_id), Blob(take(*key)), Integer(*accessed)]);
                }
                Row::Value {
                    kind,
                    value,
                    digest,
                } => {
                    let (kind, value) = (*kind as i64, Blob(take(*value)));
                    let id = key_id * 4 + kind;
                    values.push([Integer(id), Integer(key_id), Integer(kind), value]);
                    value_digests.push([Integer(id), Blob(digest)]);
                }
                Row::Group {
                    key,
                    version,
                    list,
                    digest,
                } => {
                    group_id += 1;
                    let version = Integer((*version).into());
                    groups.push([Integer(group_id), Blob(take(*key)), version]);
                    lists.push((group_id, take(*list)));
                    group_digests.push([Integer(group_id), Blob(digest)]);
                }
            }
        }
        add_keys.insert(&keys)?;
        add_values.insert(&values)?;
        add_value_digests.insert(&value_digests)?;
        add_groups.insert(&groups)?;
        let mut members = Vec::new();
        for (group, list) in lists {
            for member in digest::keys_of(list) {
                let id = find_key.query_row([member], |row| row.get(0))?;
                members.push([Integer(group), Integer(id)]);
                if members.len() >= MEMBERS {
                    add_members.insert(&members)?;
                    members.clear();
                }
            }
        }
        add_members.insert(&members)?;
        add_group_digests.insert(&group_digests)?;
        unsynced += batch.bytes.len();
        if unsynced >= SYNC {
            unsynced = 0;
            // One waiting request is enough.
            let _ = sync.try_send(());
        }
        // Free the memory of a huge value.
        if batch.bytes.capacity() <= 4 * BATCH {
            batch.rows.clear();
            batch.bytes.clear();
            // Fails if the caller has sent its last batch.
            let _ = used.send(batch);
        }
    }
    Ok(())
}
