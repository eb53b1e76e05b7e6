//! Readers: connections with a read transaction that stays open from one call to the next.
//!
//! Beginning a transaction for each call takes several times as long as the query. A snapshot is given up when the call
//! needs a later commit, when the writer wants the log back (a new epoch), and when it is older than [`MAX_AGE`]: that
//! bounds how long what another session stored stays unseen.
//!
//! Each file and each slot has a snapshot of its own. So that a group of another session is not found before its values,
//! a value that is absent is looked for again if the snapshot may be older than one in which a group was found.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rusqlite::{OptionalExtension, Row, params};

use super::pending::Kind;
use super::prepared::{Prepared, Query};
use super::{ValueType, digest, schema};
use crate::sqlite::BUSY_TIMEOUT;
use crate::{Error, Result, sqlite};

pub const MAX_AGE: Duration = Duration::from_millis(250);

/// Connections at most; more threads than that take turns.
const SLOTS: usize = 64;
/// A key of more bytes is looked for again rather than copied.
const LONG: usize = 256;

/// What the writer has done, for readers to compare their snapshots with.
#[derive(Default)]
pub struct Clock {
    /// The number of the last commit.
    pub committed: AtomicU64,
    /// Snapshots of an earlier epoch must not be used again.
    pub epoch: AtomicU64,
    /// Orders the beginnings of snapshots, of all files.
    ticks: AtomicU64,
    /// When the newest content was first seen in which a group was found, in ticks.
    groups: AtomicU64,
}

impl Clock {
    /// A group was found, so its values are there from now on.
    pub fn saw_group(&self, reader: &Reader) {
        self.groups.fetch_max(reader.seen, Ordering::SeqCst);
    }

    /// The least that [`Reader::begun`] must be for an absent value to be absent.
    pub fn groups(&self) -> u64 {
        self.groups.load(Ordering::SeqCst)
    }
}

/// An open PSDB for queries.
pub struct Reader {
    queries: Prepared,
    path: PathBuf,
    open: schema::OpenToRead,
    verified: bool,
    snapshot: Option<Snapshot>,
    /// `sqlite::data_version` of the last snapshot.
    content: Option<u32>,
    /// A tick after the beginning of the first snapshot with that content.
    seen: u64,
    /// A value key and a group key that the snapshot has not: what was looked for in vain is often stored next.
    absent: [Vec<u8>; 2],
}

struct Snapshot {
    commit: u64,
    epoch: u64,
    begun: Instant,
    /// What has this tick or an earlier one happened before the beginning.
    tick: u64,
}

impl Reader {
    pub fn new(opened: schema::Opened, path: &Path, open: schema::OpenToRead) -> Result<Self> {
        let schema::Opened {
            connection,
            metadata: schema::Metadata { verified, .. },
            ..
        } = opened;
        // Mapped pages are neither copied nor cached once for each reader. Those in the log are: the cache has room for the
        // indexes of about 200,000 objects, which a find of what is not there would else read anew, 64 KiB each time.
        connection
            .execute_batch("PRAGMA mmap_size=0x7fff0000; PRAGMA cache_size=-16384;")
            .map_err(|error| Error::sqlite(path, &error))?;
        Ok(Self {
            queries: Prepared::new(connection),
            path: path.to_owned(),
            open,
            verified,
            snapshot: None,
            content: None,
            seen: 0,
            absent: Default::default(),
        })
    }

    fn is_absent(&self, kind: Kind, key: &[u8]) -> bool {
        self.absent[kind as usize] == key
    }

    fn note_absent(&mut self, kind: Kind, key: &[u8]) {
        if key.len() > LONG {
            return;
        }
        let absent = &mut self.absent[kind as usize];
        absent.clear();
        absent.extend_from_slice(key);
    }

    fn refresh(&mut self, clock: &Clock) -> Result<()> {
        self.end();
        let snapshot = Snapshot {
            commit: clock.committed.load(Ordering::Acquire),
            epoch: clock.epoch.load(Ordering::Acquire),
            begun: Instant::now(),
            tick: clock.ticks.load(Ordering::SeqCst),
        };
        loop {
            let begun = self.queries.run(Query::Begin, |begin| begin.execute([]));
            // The lock is taken by the first read.
            let first = begun.and_then(|_| {
                self.queries.run(Query::First, |first| {
                    sqlite::patiently(BUSY_TIMEOUT, || first.exists([]))
                })
            });
            first.map_err(|error| self.failure(&error))?;
            if !sqlite::has_moved(self.queries.connection()) {
                break;
            }
            *self = Self::new((self.open)(&self.path)?, &self.path, self.open)?;
        }
        let content = sqlite::data_version(self.queries.connection());
        if content.is_none() || content != self.content {
            self.seen = 1 + clock.ticks.fetch_add(1, Ordering::SeqCst);
            self.content = content;
        }
        self.snapshot = Some(snapshot);
        Ok(())
    }

    /// When the snapshot was begun, in ticks.
    pub fn begun(&self) -> u64 {
        self.snapshot.as_ref().map_or(0, |snapshot| snapshot.tick)
    }

    fn end(&mut self) {
        self.absent.iter_mut().for_each(Vec::clear);
        if self.snapshot.take().is_some() {
            // Ends also if it fails: then there is nothing to end.
            let _ = self.queries.run(Query::Commit, |commit| commit.execute([]));
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

    /// Hands over the verified value; false if there is none.
    pub fn value(
        &mut self,
        key: &[u8],
        kind: ValueType,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<bool> {
        let verified = self.verified;
        let queries = [Query::Value, Query::ValueByIndex];
        let found = self.find(queries, key, kind, |row| {
            let Some(value) = row.get_ref(0)?.as_blob_or_null()? else {
                return Ok(None);
            };
            let stored = row.get_ref(1)?.as_blob_or_null()?;
            let checked = check(
                verified,
                stored,
                || digest::value(key, kind as u8, value),
                "a value does not match its digest",
            );
            Ok(Some(checked.map(|()| sink(value))))
        })?;
        let found = found.transpose().map_err(|reason| self.corrupt(reason))?;
        Ok(found.is_some())
    }

    /// The size of a value in bytes; the value is not read.
    pub fn value_size(&mut self, key: &[u8], kind: ValueType) -> Result<Option<u32>> {
        let queries = [Query::ValueSize, Query::ValueSizeByIndex];
        self.find(queries, key, kind, |row| row.get(0))
    }

    /// Looks for a value in the row where it mostly is, and if it is not there by the index.
    fn find<T>(
        &mut self,
        [by_row, by_index]: [Query; 2],
        key: &[u8],
        kind: ValueType,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<Option<T>>,
    ) -> Result<Option<T>> {
        let mut find = |query| {
            self.queries.run(query, |find| {
                let mut rows = find.query(params![key, kind as u8])?;
                match rows.next()? {
                    None => Ok((false, None)),
                    Some(row) => Ok((true, read(row)?)),
                }
            })
        };
        let found = find(by_row).and_then(|found| match found {
            (true, None) => find(by_index),
            found => Ok(found),
        });
        let (has_key, value) = found.map_err(|error| self.failure(&error))?;
        if !has_key {
            self.note_absent(Kind::Values, key);
        }
        Ok(value)
    }

    /// Whether the key has a value of one of the types.
    pub fn has_any(&mut self, key: &[u8], kinds: impl Fn(u8) -> bool) -> Result<bool> {
        if self.is_absent(Kind::Values, key) {
            return Ok(false);
        }
        let has_any = self.queries.run(Query::Types, |find| {
            let mut rows = find.query([key])?;
            while let Some(row) = rows.next()? {
                if kinds(row.get(0)?) {
                    return Ok(true);
                }
            }
            Ok(false)
        });
        has_any.map_err(|error| self.failure(&error))
    }

    pub fn has_group(&mut self, key: &[u8]) -> Result<bool> {
        if self.is_absent(Kind::Group, key) {
            return Ok(false);
        }
        let has = self.queries.run(Query::HasGroup, |find| find.exists([key]));
        has.map_err(|error| self.failure(&error))
    }

    /// The version and the list (`digest::push_key`) of a group.
    pub fn group(&mut self, key: &[u8]) -> Result<Option<(u32, Vec<u8>)>> {
        type Found = (i64, i64, Option<Vec<u8>>);
        let found = self.queries.run(Query::Group, |find| {
            find.query_row([key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()
        });
        let found: Option<Found> = found.map_err(|error| self.failure(&error))?;
        let Some((id, version, stored)) = found else {
            self.note_absent(Kind::Group, key);
            return Ok(None);
        };
        let list = self.queries.run(Query::List, |find| {
            let mut rows = find.query([id])?;
            let mut list = Vec::new();
            while let Some(row) = rows.next()? {
                digest::push_key(&mut list, row.get_ref(0)?.as_blob()?);
            }
            Ok(list)
        });
        let list = list.map_err(|error| self.failure(&error))?;
        let version =
            version_of(version).ok_or_else(|| self.corrupt("a group's version is out of range"))?;
        check(
            self.verified,
            stored.as_deref(),
            || digest::group(key, version, &list),
            "a group does not match its digest",
        )
        .map_err(|reason| self.corrupt(reason))?;
        Ok(Some((version, list)))
    }
}

/// Compares a digest with the stored one, if the file has digests; the error says what is wrong.
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

/// The readers of one file.
pub struct Readers {
    path: PathBuf,
    open_to_read: schema::OpenToRead,
    slots: Box<[Mutex<Option<Reader>>]>,
    /// Transactions that are open.
    pub open: AtomicUsize,
}

impl Readers {
    pub fn new(path: &Path, open_to_read: schema::OpenToRead) -> Self {
        Self {
            path: path.to_owned(),
            open_to_read,
            slots: std::iter::repeat_with(Mutex::default).take(SLOTS).collect(),
            open: AtomicUsize::new(0),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes a reader for the first call.
    pub fn give(&self, reader: Reader) {
        *self.slot() = Some(reader);
    }

    /// A thread comes back to its own slot, so no two threads wait for each other.
    fn slot(&self) -> MutexGuard<'_, Option<Reader>> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        thread_local!(static HOME: usize = NEXT.fetch_add(1, Ordering::Relaxed));
        let home = HOME.with(|home| *home);
        loop {
            for step in 0..SLOTS {
                match self.slots[(home + step) % SLOTS].try_lock() {
                    Ok(slot) => return slot,
                    Err(TryLockError::Poisoned(slot)) => return slot.into_inner(),
                    Err(TryLockError::WouldBlock) => {}
                }
            }
            std::thread::yield_now();
        }
    }

    /// Runs a query in a snapshot that has the given commit and was not begun before the given tick; `begun` is called
    /// when a transaction was begun.
    pub fn read<T>(
        &self,
        clock: &Clock,
        (commit, tick): (u64, u64),
        begun: impl FnOnce(),
        query: impl FnOnce(&mut Reader) -> Result<T>,
    ) -> Result<T> {
        let mut slot = self.slot();
        let reader = match &mut *slot {
            Some(reader) => reader,
            empty => {
                let opened = (self.open_to_read)(&self.path)?;
                empty.insert(Reader::new(opened, &self.path, self.open_to_read)?)
            }
        };
        let is_fresh = reader.snapshot.as_ref().is_some_and(|snapshot| {
            snapshot.commit >= commit
                && snapshot.tick >= tick
                && snapshot.epoch == clock.epoch.load(Ordering::Acquire)
                && snapshot.begun.elapsed() < MAX_AGE
        });
        if !is_fresh {
            if reader.snapshot.is_none() {
                self.open.fetch_add(1, Ordering::SeqCst);
                begun();
            }
            if let Err(error) = reader.refresh(clock) {
                // The connection is in no known state: the next call opens another.
                *slot = None;
                self.open.fetch_sub(1, Ordering::SeqCst);
                return Err(error);
            }
        }
        query(reader)
    }

    /// Ends the transactions of idle readers that are older than `age`.
    pub fn end_idle(&self, age: Duration) {
        if self.open.load(Ordering::SeqCst) == 0 {
            return;
        }
        for slot in &self.slots {
            if let Ok(mut slot) = slot.try_lock()
                && let Some(reader) = &mut *slot
                && reader
                    .snapshot
                    .as_ref()
                    .is_some_and(|snapshot| snapshot.begun.elapsed() >= age)
            {
                reader.end();
                // Its thread may not come back.
                let _ = reader.queries.connection().release_memory();
                self.open.fetch_sub(1, Ordering::SeqCst);
            }
        }
    }

    /// Closes all connections. No call may be under way.
    pub fn close(&self) {
        for slot in &self.slots {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        self.open.store(0, Ordering::SeqCst);
    }
}
