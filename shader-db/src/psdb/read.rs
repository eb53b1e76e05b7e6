//! Readers: connections with a read transaction that stays open from one call to the next.
//!
//! To begin a transaction for each call takes several times as long as the query. A reader begins another one when a thread
//! of the session has seen a newer state of a file, or has committed one, and when its own is [`MAX_AGE`] old: that bounds
//! how long the reader misses what another session has stored. So no thread misses a value whose group another thread has
//! found.

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::metadata::Metadata;
use super::{ValueType, digest, schema};
use crate::sqlite::BUSY_TIMEOUT;
use crate::{Error, Result, sqlite};

pub const MAX_AGE: Duration = Duration::from_millis(250);

/// Counts the states of files that a session has seen: over all its files, and a state once for each reader that sees it.
#[derive(Default)]
pub struct Seen(AtomicU64);

impl Seen {
    /// Counts a newer state: no reader uses an older snapshot for another query.
    pub fn advance(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    fn now(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// An open PSDB for queries.
pub struct Reader {
    connection: Connection,
    path: PathBuf,
    metadata: Metadata,
    snapshot: Option<Snapshot>,
    /// `sqlite::data_version` of the last snapshot.
    state: Option<u32>,
}

struct Snapshot {
    /// The count of [`Seen`] when the snapshot began.
    seen: u64,
    begun: Instant,
}

/// A value and its digest, in the row that has the digest's number: writers put values there if they can.
const VALUE: &str = "SELECT vals.value, value_digests.digest FROM keys \
    LEFT JOIN vals ON vals.rowid = keys.keyid * 4 + ?2 AND +vals.keyid = keys.keyid AND +vals.type = ?2 \
    LEFT JOIN value_digests ON value_digests.id = keys.keyid * 4 + ?2 WHERE keys.key = ?1";
/// A value and its digest by the index.
const VALUE_BY_INDEX: &str = "SELECT vals.value, value_digests.digest FROM keys \
    LEFT JOIN vals ON vals.keyid = keys.keyid AND vals.type = ?2 \
    LEFT JOIN value_digests ON value_digests.id = keys.keyid * 4 + ?2 WHERE keys.key = ?1";
const SIZE: &str = "SELECT length(vals.value) FROM keys \
    LEFT JOIN vals ON vals.rowid = keys.keyid * 4 + ?2 AND +vals.keyid = keys.keyid AND +vals.type = ?2 \
    WHERE keys.key = ?1";
const SIZE_BY_INDEX: &str = "SELECT length(vals.value) FROM keys \
    LEFT JOIN vals ON vals.keyid = keys.keyid AND vals.type = ?2 WHERE keys.key = ?1";
const TYPES: &str =
    "SELECT vals.type FROM keys JOIN vals ON vals.keyid = keys.keyid WHERE keys.key = ?1";
const GROUP: &str = "SELECT groupkeys.groupkeyid, version, digest FROM (SELECT keyid AS groupkeyid, version \
    FROM groupkeys WHERE key = ?1) AS groupkeys LEFT JOIN group_digests USING (groupkeyid)";
const LIST: &str = "SELECT keys.key FROM groups LEFT JOIN keys ON keys.keyid = groups.valuekeyid \
    WHERE groups.groupkeyid = ?1 ORDER BY groups.rowid";

impl Reader {
    pub fn new(opened: schema::Opened, path: &Path) -> Result<Self> {
        let schema::Opened {
            connection,
            metadata,
            ..
        } = opened;
        // SQLite neither copies mapped pages nor caches them once for each reader. It does so with pages in the WAL: the
        // cache has room for the indexes of about 200,000 objects, of which a lookup that finds nothing would else read 64
        // KiB each time.
        connection
            .execute_batch("PRAGMA mmap_size=0x7fff0000; PRAGMA cache_size=-16384;")
            .map_err(|error| Error::sqlite(path, &error))?;
        Ok(Self {
            connection,
            path: path.to_owned(),
            metadata,
            snapshot: None,
            state: None,
        })
    }

    fn is_fresh(&self, seen: &Seen) -> bool {
        self.snapshot.as_ref().is_some_and(|snapshot| {
            snapshot.seen == seen.now() && snapshot.begun.elapsed() < MAX_AGE
        })
    }

    fn refresh(&mut self, seen: &Seen) -> Result<()> {
        self.end();
        let mut snapshot = Snapshot {
            seen: seen.now(),
            begun: Instant::now(),
        };
        loop {
            let begin = || {
                self.connection.prepare_cached("BEGIN")?.execute([])?;
                let mut first = self
                    .connection
                    .prepare_cached("SELECT 1 FROM compiler_id")?;
                sqlite::patiently_present(&self.connection, BUSY_TIMEOUT, || first.exists([]))
            };
            if begin().map_err(|error| self.failure(&error))? == Some(true) {
                break;
            }
            let opened = schema::open_again(&self.path, false, &self.metadata)?;
            *self = Self::new(opened, &self.path)?;
        }
        let state = sqlite::data_version(&self.connection);
        if state.is_none() || state != self.state {
            // If another reader has seen a still newer state meanwhile, this snapshot is good for this query only.
            seen.advance();
            snapshot.seen += 1;
            self.state = state;
        }
        self.snapshot = Some(snapshot);
        Ok(())
    }

    fn end(&mut self) {
        if self.snapshot.take().is_some() {
            // This ends the snapshot even if it fails: then no transaction is open.
            let _ = self
                .connection
                .prepare_cached("COMMIT")
                .and_then(|mut commit| commit.execute([]));
        }
    }

    fn failure(&self, error: &rusqlite::Error) -> Error {
        Error::sqlite(&self.path, error)
    }

    fn corrupt(&self, reason: &str) -> Error {
        Error::Corrupt {
            path: self.path.clone(),
            reason: reason.into(),
        }
    }

    /// Hands the verified value to `sink`; false if there is none.
    pub fn value(&self, key: &[u8], kind: ValueType, sink: &mut dyn FnMut(&[u8])) -> Result<bool> {
        let found = self.find([VALUE, VALUE_BY_INDEX], key, kind, |row| {
            let Some(value) = row.get_ref(0)?.as_blob_or_null()? else {
                return Ok(None);
            };
            let stored = row.get_ref(1)?.as_blob_or_null()?;
            let checked = check(
                self.metadata.verified,
                stored,
                || digest::value(key, kind as u8, value),
                "a value does not match its digest",
            );
            Ok(Some(checked.map(|()| sink(value))))
        })?;
        let found = found.transpose().map_err(|reason| self.corrupt(reason))?;
        Ok(found.is_some())
    }

    /// The size of a value in bytes, without reading it.
    pub fn value_size(&self, key: &[u8], kind: ValueType) -> Result<Option<u32>> {
        self.find([SIZE, SIZE_BY_INDEX], key, kind, |row| row.get(0))
    }

    /// Looks for a value in the row where it mostly is, and otherwise by the index.
    fn find<T>(
        &self,
        [by_row, by_index]: [&str; 2],
        key: &[u8],
        kind: ValueType,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<Option<T>>,
    ) -> Result<Option<T>> {
        let mut find = |query: &str| {
            let mut find = self.connection.prepare_cached(query)?;
            let mut rows = find.query(params![key, kind as u8])?;
            match rows.next()? {
                None => Ok((false, None)),
                Some(row) => Ok((true, read(row)?)),
            }
        };
        let found = find(by_row).and_then(|found| match found {
            (true, None) => find(by_index),
            found => Ok(found),
        });
        let (_, value) = found.map_err(|error| self.failure(&error))?;
        Ok(value)
    }

    /// Whether the key has a value of one of the types.
    pub fn has_any(&self, key: &[u8], is_one: impl Fn(u8) -> bool) -> Result<bool> {
        let has_any = || {
            let mut find = self.connection.prepare_cached(TYPES)?;
            let mut rows = find.query([key])?;
            while let Some(row) = rows.next()? {
                if is_one(row.get(0)?) {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        has_any().map_err(|error| self.failure(&error))
    }

    pub fn has_group(&self, key: &[u8]) -> Result<bool> {
        self.exists("SELECT 1 FROM groupkeys WHERE key = ?1", key)
    }

    /// Whether there is a value key, which need have no values.
    pub fn has_key(&self, key: &[u8]) -> Result<bool> {
        self.exists("SELECT 1 FROM keys WHERE key = ?1", key)
    }

    fn exists(&self, select: &str, key: &[u8]) -> Result<bool> {
        let find = self.connection.prepare_cached(select);
        find.and_then(|mut find| find.exists([key]))
            .map_err(|error| self.failure(&error))
    }

    /// The version and the list (`digest::push_key`) of a group.
    pub fn group(&self, key: &[u8]) -> Result<Option<(u32, Vec<u8>)>> {
        type Found = (i64, i64, Option<Vec<u8>>);
        let find = || -> rusqlite::Result<Option<(Found, Vec<u8>)>> {
            let mut group = self.connection.prepare_cached(GROUP)?;
            let found = group
                .query_row([key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?;
            let Some(found) = found else {
                return Ok(None);
            };
            let (id, ..) = found;
            let mut members = self.connection.prepare_cached(LIST)?;
            let mut rows = members.query([id])?;
            let mut list = Vec::new();
            while let Some(row) = rows.next()? {
                digest::push_key(&mut list, row.get_ref(0)?.as_blob()?);
            }
            Ok(Some((found, list)))
        };
        let found = find().map_err(|error| self.failure(&error))?;
        let Some(((_, version, stored), list)) = found else {
            return Ok(None);
        };
        let version =
            version_of(version).ok_or_else(|| self.corrupt("a group's version is out of range"))?;
        check(
            self.metadata.verified,
            stored.as_deref(),
            || digest::group(key, version, &list),
            "a group does not match its digest",
        )
        .map_err(|reason| self.corrupt(reason))?;
        Ok(Some((version, list)))
    }
}

/// Compares a digest with the stored one, if the file has digests; the error names the fault.
fn check(
    verified: bool,
    stored: Option<&[u8]>,
    computed: impl FnOnce() -> u128,
    mismatch: &'static str,
) -> Result<(), &'static str> {
    match stored {
        _ if !verified => Ok(()),
        Some(stored) if *stored == computed().to_be_bytes() => Ok(()),
        Some(_) => Err(mismatch),
        None => Err("a digest is missing"),
    }
}

/// A version as the column has it; other writers may have extended its sign.
pub fn version_of(stored: i64) -> Option<u32> {
    u32::try_from(stored)
        .ok()
        .or_else(|| Some(i32::try_from(stored).ok()?.cast_unsigned()))
}

/// The readers of one file; each serves one call at a time.
pub struct Readers {
    path: PathBuf,
    /// The metadata of the session.
    metadata: Metadata,
    idle: Mutex<Vec<Reader>>,
    /// Whether no idle reader may have a snapshot: its lock would keep the session from putting the file in WAL mode.
    no_idle_snapshots: AtomicBool,
}

impl Readers {
    pub fn new(path: &Path, metadata: Metadata) -> Self {
        Self {
            path: path.to_owned(),
            metadata,
            idle: Mutex::default(),
            no_idle_snapshots: AtomicBool::new(false),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a reader for the first call.
    pub fn give(&self, reader: Reader) {
        self.idle().push(reader);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Reader>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a query in a snapshot that is not older than any that the session has seen.
    pub fn read<T>(&self, seen: &Seen, query: impl FnOnce(&Reader) -> Result<T>) -> Result<T> {
        let idle = self.idle().pop();
        let reader = if let Some(reader) = idle {
            reader
        } else {
            let opened = schema::open_again(&self.path, false, &self.metadata)?;
            Reader::new(opened, &self.path)?
        };
        let mut reader = InUse {
            reader: Some(reader),
            readers: self,
        };
        if !reader.is_fresh(seen)
            && let Err(error) = reader.refresh(seen)
        {
            // The state of its connection is unknown.
            reader.reader = None;
            return Err(error);
        }
        let result = query(&reader);
        if result.is_err() {
            // SQLite may have ended its transaction.
            reader.end();
        }
        result
    }

    /// Ends the transactions of all idle readers, and while `no` is true that of each reader when its query ends.
    pub fn no_idle_snapshots(&self, no: bool) {
        self.no_idle_snapshots.store(no, Ordering::SeqCst);
        if no {
            self.end_idle(Duration::ZERO);
        }
    }

    /// Ends the transactions of idle readers that are at least this old.
    pub fn end_idle(&self, age: Duration) {
        for reader in &mut *self.idle() {
            let snapshot = reader.snapshot.as_ref();
            if snapshot.is_some_and(|snapshot| snapshot.begun.elapsed() >= age) {
                reader.end();
                let _ = reader.connection.release_memory();
            }
        }
    }

    /// Closes the connections of all idle readers.
    pub fn close(&self) {
        self.idle().clear();
    }
}

/// A reader that returns to the idle ones on drop.
struct InUse<'a> {
    reader: Option<Reader>,
    readers: &'a Readers,
}

impl Deref for InUse<'_> {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        self.reader
            .as_ref()
            .expect("it goes back when it is dropped")
    }
}

impl DerefMut for InUse<'_> {
    fn deref_mut(&mut self) -> &mut Reader {
        self.reader
            .as_mut()
            .expect("it goes back when it is dropped")
    }
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        if let Some(mut reader) = self.reader.take() {
            if self.readers.no_idle_snapshots.load(Ordering::SeqCst) {
                reader.end();
            }
            self.readers.give(reader);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::create::example;
    use super::*;

    /// SQLite ends a transaction in which it runs out of memory or cannot read the file.
    #[test]
    fn after_a_failed_query_another_snapshot_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.psdb");
        example::file(&path);
        let metadata = schema::open(&path, false).unwrap().metadata;
        let (seen, readers) = (Seen::default(), Readers::new(&path, metadata));
        let failed: Result<()> = readers.read(&seen, |reader| {
            reader.connection.execute_batch("ROLLBACK").unwrap();
            Err(reader.corrupt("as the test wants it"))
        });
        failed.unwrap_err();
        let has_ended = readers.read(&seen, |reader| Ok(reader.connection.is_autocommit()));
        assert_eq!(has_ended, Ok(false));
    }
}
