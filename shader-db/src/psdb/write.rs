//! The writer: one thread for each session, which commits what is stored in batches.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, params};

use super::batches::Begin;
use super::journal::{self, Journal, Orphan, Owner};
use super::log::Log;
use super::pending::{Buffers, Content, Item, Pending};
use super::read::{Clock, MAX_AGE, Readers};
use super::tables::Tables;
use super::{ValueTypes, batches, rewrite, schema};
use crate::{Error, Result, sqlite};

/// A batch is committed when it has this many bytes,
const BATCH: usize = 8 << 20;
/// or this many items, and this share of the rows that the file has: the pages of the indexes that it changes are written
/// again, which are the more the larger the file is,
const ITEMS: u64 = 1024;
const SHARE: u64 = 16;
/// or when its first item has waited this long.
const DELAY: Duration = Duration::from_millis(200);
/// Stores wait while this many bytes are not yet committed: what is queued has room in the journal.
const LIMIT: usize = journal::SEGMENT;
/// What an item costs beside its bytes.
const ITEM: usize = 256;
const _: () = assert!(journal::HEAD <= ITEM);
/// The most hashes that are remembered as recent.
const RECENT: usize = 200_000;

/// One file of a session.
pub struct File {
    pub types: ValueTypes,
    pub readers: Readers,
}

/// What the session's threads and its writer share.
pub struct Shared {
    pub files: Vec<File>,
    /// The file that decides which groups exist.
    pub main: usize,
    pub pending: Pending,
    pub buffers: Buffers,
    pub clock: Clock,
    owner: Owner,
    /// Whether every file is in WAL mode.
    begun: AtomicBool,
    queue: Mutex<Queue>,
    /// Something for the writer to do.
    wake: Condvar,
    /// Something was committed, or failed.
    done: Condvar,
}

#[derive(Default)]
struct Queue {
    items: Vec<Arc<Item>>,
    /// Bytes of `items`.
    size: usize,
    /// When the first of `items` came.
    since: Option<Instant>,
    /// Bytes that are promised, queued or being committed.
    reserved: usize,
    /// Items ever queued, and ever committed or lost.
    queued: u64,
    written: u64,
    hurry: bool,
    /// A batch is wanted, even if it is empty.
    begin: bool,
    closing: bool,
    /// Those who wait to store what needs all the room: the others let them.
    large: usize,
    /// Rows of the main file when a batch was last committed, or when it was opened.
    rows: u64,
    /// Has every item that is not yet committed, but for one that is too large. Created by the first store.
    journal: Option<Journal>,
    /// The first failure; it stays.
    error: Option<Error>,
}

impl Queue {
    /// Whether the items are a batch without waiting longer.
    fn is_batch(&self) -> bool {
        self.size >= BATCH || self.items.len() as u64 >= ITEMS.max(self.rows / SHARE)
    }
}

impl Shared {
    pub fn new(files: Vec<File>, main: usize, owner: Owner) -> Self {
        Self {
            files,
            main,
            pending: Pending::default(),
            buffers: Buffers::default(),
            clock: Clock::default(),
            owner,
            begun: AtomicBool::new(false),
            queue: Mutex::default(),
            wake: Condvar::new(),
            done: Condvar::new(),
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub fn with_journal<T>(&self, run: impl FnOnce(&mut Journal) -> T) -> T {
        run(self.queue().journal.as_mut().expect("something is stored"))
    }

    fn main_path(&self) -> &Path {
        self.files[self.main].readers.path()
    }

    /// Waits until there is room for an item of this size.
    pub fn reserve(&self, size: usize) -> Result<()> {
        let size = size + ITEM;
        let is_large = size > LIMIT;
        let mut queue = self.queue();
        queue.large += usize::from(is_large);
        loop {
            if let Some(error) = queue.error.clone() {
                queue.large -= usize::from(is_large);
                return Err(error);
            }
            let has_room = queue.large == 0 && queue.reserved + size <= LIMIT;
            if has_room || queue.reserved == 0 && (is_large || queue.large == 0) {
                queue.large -= usize::from(is_large);
                queue.reserved += size;
                return Ok(());
            }
            queue.hurry |= !queue.items.is_empty();
            self.wake.notify_one();
            queue = self
                .done
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Gives back what `reserve` promised for an item that is not queued.
    pub fn release(&self, size: usize) {
        self.queue().reserved -= size + ITEM;
        self.done.notify_all();
    }

    /// Queues an item for which `promised` bytes were reserved. From here on a killed process does not lose it, unless it
    /// is [large](Self::is_large), or `hold`: then that holds when something else was queued, or [`settle`](Self::settle)
    /// has returned.
    pub fn push(&self, mut item: Item, promised: usize, hold: bool) -> Result<Arc<Item>> {
        let mut queue = self.queue();
        if let Some(error) = &queue.error {
            return Err(error.clone());
        }
        if !Self::is_large(item.size()) {
            let rows = queue.rows;
            let journal = match &mut queue.journal {
                Some(journal) => journal,
                none => none.insert(Journal::create(self.main_path(), self.owner)?),
            };
            journal.append(&mut item, rows, hold)?;
        }
        let item = Arc::new(item);
        queue.reserved -= promised - item.size();
        let first = queue.items.is_empty();
        let was_batch = queue.is_batch();
        queue.size += item.size() + ITEM;
        queue.items.push(Arc::clone(&item));
        queue.queued += 1;
        if first {
            queue.since = Some(Instant::now());
        }
        if first || !was_batch && queue.is_batch() {
            self.wake.notify_one();
        }
        Ok(item)
    }

    /// Writes the items that are held back to the journal.
    pub fn settle(&self) -> Result<()> {
        let mut queue = self.queue();
        queue.journal.as_mut().map_or(Ok(()), Journal::write_held)
    }

    /// Whether an item of this size is not in the journal: who stores it waits for its commit. Nothing that could name it
    /// is stored meanwhile, because then no other item is not yet committed.
    pub fn is_large(size: usize) -> bool {
        size + ITEM > LIMIT
    }

    /// Waits until all that is stored so far is committed.
    pub fn flush(&self) -> Result<()> {
        let mut queue = self.queue();
        let until = queue.queued;
        while queue.error.is_none() && queue.written < until {
            queue.hurry = true;
            self.wake.notify_one();
            queue = self
                .done
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
        queue.error.clone().map_or(Ok(()), Err)
    }

    /// Whether every file is in WAL mode.
    pub fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }

    /// Has the writer write a batch, and waits for it, unless it has written one.
    pub fn begin(&self) -> Result<()> {
        if self.has_begun() {
            return Ok(());
        }
        let mut queue = self.queue();
        queue.begin = true;
        self.wake.notify_one();
        while queue.error.is_none() && queue.begin {
            queue = self
                .done
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
        queue.error.clone().map_or(Ok(()), Err)
    }

    /// Nothing more is written: who stores, and who waits, is told.
    pub fn fail(&self, error: Error) -> Error {
        let error = self.queue().error.get_or_insert(error).clone();
        self.done.notify_all();
        error
    }

    pub fn close(&self) {
        self.queue().closing = true;
        self.wake.notify_one();
    }

    /// A reader has begun a transaction, which the writer is to end when it has become idle.
    pub fn reader_began(&self) {
        drop(self.queue());
        self.wake.notify_one();
    }

    /// Waits for a batch; none when the session closes.
    fn next_batch(&self) -> Option<Vec<Arc<Item>>> {
        let mut queue = self.queue();
        loop {
            if queue.begin && queue.items.is_empty() {
                return Some(Vec::new());
            }
            let waited = queue.since.map(|since| since.elapsed());
            if let Some(waited) = waited
                && (queue.begin
                    || queue.is_batch()
                    || queue.hurry
                    || queue.closing
                    || waited >= DELAY)
            {
                queue.hurry = false;
                queue.since = None;
                queue.size = 0;
                if let Some(journal) = &mut queue.journal {
                    journal.turn();
                }
                return Some(std::mem::take(&mut queue.items));
            }
            if queue.closing {
                return None;
            }
            let reading = self
                .files
                .iter()
                .any(|file| file.readers.open.load(Ordering::SeqCst) != 0);
            let timeout = match waited {
                Some(waited) => DELAY.saturating_sub(waited),
                None if reading => MAX_AGE,
                None => Duration::MAX,
            };
            let timed_out;
            (queue, timed_out) = if timeout == Duration::MAX {
                (
                    self.wake
                        .wait(queue)
                        .unwrap_or_else(PoisonError::into_inner),
                    false,
                )
            } else {
                let (queue, result) = self
                    .wake
                    .wait_timeout(queue, timeout)
                    .unwrap_or_else(PoisonError::into_inner);
                (queue, result.timed_out())
            };
            if timed_out && reading {
                drop(queue);
                self.end_idle(MAX_AGE);
                queue = self.queue();
            }
        }
    }

    fn end_idle(&self, age: Duration) {
        for file in &self.files {
            file.readers.end_idle(age);
        }
    }

    /// Makes all readers take a new snapshot before their next query.
    fn next_epoch(&self) {
        self.clock.epoch.fetch_add(1, Ordering::AcqRel);
        self.pending
            .forget_recent(self.clock.committed.load(Ordering::Acquire));
        self.end_idle(Duration::ZERO);
    }

    /// Commits what killed sessions have left in their journals, before this one begins. What cannot be committed now is
    /// left to the next one. Some of it may be in the files already; that changes nothing.
    /// If this one has created the main file, they are those of one that is gone.
    pub fn recover(&self, writers: &mut [Writer], is_new: bool) -> Result<()> {
        for orphan in journal::orphans(self.main_path()) {
            let path = orphan.path().to_owned();
            if is_new {
                tracing::warn!(path = %path.display(), "what a killed session had stored went to a file that is gone");
                orphan.remove();
            } else if let Err(error) = self.commit_orphan(writers, orphan) {
                tracing::warn!(
                    path = %path.display(), %error, "what a killed session had stored is not yet in the files"
                );
            }
        }
        // Nobody takes anything out of a file in WAL mode. Of another one it is not yet said, so 0 stands.
        if writers[self.main].wal {
            self.queue().rows = rows(&writers[self.main])?;
        }
        Ok(())
    }

    fn commit_orphan(&self, writers: &mut [Writer], orphan: Orphan) -> Result<()> {
        let rows = rows(&writers[self.main])?;
        let items = orphan.items(self.owner, rows, &self.buffers);
        let items = items.map_err(|error| Error::io(orphan.path(), &error))?;
        let Some(items) = items else {
            return Ok(());
        };
        if !items.is_empty() {
            let items: Vec<Arc<Item>> = items.into_iter().map(Arc::new).collect();
            self.commit(writers, &items)?;
            for writer in &mut *writers {
                writer.unfinished = true;
            }
            tracing::info!(
                path = %orphan.path().display(), items = items.len(), "what a killed session had stored is in the files"
            );
            self.fold_logs(writers);
        }
        orphan.remove();
        Ok(())
    }

    /// The writer thread.
    pub fn run(&self, mut writers: Vec<Writer>) -> Result<()> {
        let mut error = None;
        while let Some(batch) = self.next_batch() {
            if error.is_none() {
                error = self.commit(&mut writers, &batch).err();
            }
            let commit = error
                .is_none()
                .then(|| self.clock.committed.fetch_add(1, Ordering::AcqRel) + 1);
            for item in &batch {
                self.pending.remove(item, commit);
            }
            let rows = commit.and_then(|_| rows(&writers[self.main]).ok());
            let mut queue = self.queue();
            queue.rows = rows.unwrap_or(queue.rows);
            queue.reserved -= batch.iter().map(|item| item.size() + ITEM).sum::<usize>();
            queue.written += batch.len() as u64;
            queue.begin = false;
            if let Some(error) = &error
                && queue.error.is_none()
            {
                tracing::error!(%error, items = batch.len(), "a batch is lost");
                queue.error = Some(error.clone());
            }
            drop(queue);
            for item in batch {
                self.buffers.give(item);
            }
            self.done.notify_all();
            if error.is_none() {
                self.fold_logs(&mut writers);
            }
        }
        for file in &self.files {
            file.readers.close();
        }
        // Everything is in the files; a finished one must not be changed by storing it once more.
        if error.is_none()
            && let Some(journal) = self.queue().journal.take()
        {
            journal.remove();
        }
        let finished = writers
            .into_iter()
            .map(|writer| writer.finish(error.is_none()));
        // Every file is closed, whatever became of another.
        let finished: Vec<Result<()>> = finished.collect();
        error
            .map_or(Ok(()), Err)
            .and_then(|()| finished.into_iter().collect())
    }

    fn commit(&self, writers: &mut [Writer], batch: &[Arc<Item>]) -> Result<()> {
        for writer in &mut *writers {
            let until = Instant::now() + sqlite::BUSY_TIMEOUT;
            while !writer.wal {
                // The lock of every reader is in the way, of this session and of others. So while this waits, its own
                // readers must not keep theirs: another session may wait for the same.
                self.next_epoch();
                match writer.use_log() {
                    Err(Error::Busy { .. }) if Instant::now() < until => {}
                    switched => switched?,
                }
            }
        }
        if !self.has_begun() {
            self.queue().rows = rows(&writers[self.main])?;
            self.begun.store(true, Ordering::Release);
        }
        // Items that are neighbours in an index are written one after the other. Of one key the first stays first.
        let mut items: Vec<&Item> = batch.iter().map(|item| &**item).collect();
        items.sort_by_key(|item| item.key());
        let result = batches::commit(writers, self.main, |writer, position, begin| {
            if position != self.main {
                writer.remove_others(&items)?;
            }
            let is_there = writer.write(&items, self.files[position].types, begin)?;
            if position == self.main {
                let mut is_there = is_there.into_iter();
                items.retain(|_| is_there.next() == Some(true));
            }
            Ok(())
        });
        if result.is_err() {
            for writer in &*writers {
                // Fails if SQLite has done it already.
                let _ = writer.connection.execute_batch("ROLLBACK");
            }
            // What fails here is done when the files are opened again.
            let _ = batches::undo(writers, self.main);
        }
        result
    }

    fn fold_logs(&self, writers: &mut [Writer]) {
        if self.pending.count() > RECENT {
            self.next_epoch();
        }
        for writer in writers {
            let (connection, path) = (&writer.connection, &writer.path);
            if let Err(error) = writer.log.fold(connection, path, || self.next_epoch()) {
                tracing::warn!(path = %path.display(), %error, "the log is not folded");
            }
        }
    }
}

/// How many keys and groups a file has. It grows only, and a rewrite leaves it as it is: less than there were once means
/// that the system has crashed and lost commits.
fn rows(writer: &Writer) -> Result<u64> {
    let count = || {
        let mut count = writer.connection.prepare_cached(
            "SELECT ifnull((SELECT max(rowid) FROM keys), 0), ifnull((SELECT max(rowid) FROM groupkeys), 0), \
             ifnull((SELECT max(rowid) FROM groups), 0)",
        )?;
        count.query_row([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))
    };
    let counts: [i64; 3] = count().map_err(|error| Error::sqlite(&writer.path, &error))?;
    let counts = counts.into_iter().map(i64::unsigned_abs);
    Ok(counts.fold(0, u64::saturating_add))
}

/// The writing connection of one file.
pub struct Writer {
    pub path: PathBuf,
    pub connection: Connection,
    verified: bool,
    /// Created by this session, or left by a crash, the file or what was to come into it: rewritten in the canonical order
    /// when the session closes.
    unfinished: bool,
    /// In WAL mode. A finished file stays as it is until something is stored.
    pub wal: bool,
    log: Log,
}

impl Writer {
    pub fn new(opened: schema::Opened, path: &Path) -> Result<Self> {
        let schema::Opened {
            connection,
            metadata: schema::Metadata { verified, .. },
            unfinished,
        } = opened;
        // Every id that is written is of a row of the same transaction: to look it up once more is a fifth of the work.
        // A batch is written in the order of the keys, so few pages are in use at a time.
        connection
            .execute_batch(
                "PRAGMA foreign_keys=OFF; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0; \
                 PRAGMA cache_size=-8192;",
            )
            .map_err(|error| Error::sqlite(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            connection,
            verified,
            unfinished,
            wal: unfinished,
            log: Log::new(),
        })
    }

    /// Puts a finished file in WAL mode, if no reader is in the way for longer than a moment.
    fn use_log(&mut self) -> Result<()> {
        let prepare = |connection: &Connection, wait: Duration, fold: bool| {
            connection.busy_timeout(wait)?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !fold)
        };
        let run = || {
            prepare(&self.connection, Duration::from_millis(20), false)?;
            let switched = sqlite::set_journal_mode(&self.connection, "wal")?;
            // From the first read on, the connection's lock keeps others from replacing the file.
            self.connection
                .query_row("SELECT 1 FROM compiler_id", [], |_| Ok(()))?;
            prepare(&self.connection, sqlite::BUSY_TIMEOUT, true)?;
            Ok(switched)
        };
        let switched = run();
        if sqlite::has_moved(&self.connection) {
            *self = Self::new(schema::open(&self.path, true)?, &self.path)?;
            return Ok(());
        }
        self.wal = switched.map_err(|error| Error::sqlite(&self.path, &error))?;
        Ok(())
    }

    /// Removes from a side file the groups that are others in the main file, which decides: a session without that one has
    /// stored them, or one with a main file that is gone.
    fn remove_others(&self, items: &[&Item]) -> rusqlite::Result<()> {
        for item in items {
            let Some(group) = other_group(&self.connection, item, self.verified, true)? else {
                continue;
            };
            // Owners before what they refer to.
            for delete in [
                "DELETE FROM group_digests WHERE groupkeyid = ?1",
                "DELETE FROM groups WHERE groupkeyid = ?1",
                "DELETE FROM groupkeys WHERE keyid = ?1",
            ] {
                self.connection.execute(delete, [group])?;
            }
        }
        Ok(())
    }

    /// Writes items. Returns for each whether the file has it now: of a group whose key has another one, that one stays.
    fn write(
        &mut self,
        items: &[&Item],
        types: ValueTypes,
        begin: &Begin,
    ) -> rusqlite::Result<Vec<bool>> {
        begin(&self.connection)?;
        if items.is_empty() {
            return Ok(Vec::new());
        }
        let are_new = Tables::new(&self.connection)?.add(items, types, self.verified)?;
        let is_there = |(&item, is_new): (&&Item, bool)| {
            let is_other =
                !is_new && other_group(&self.connection, item, self.verified, false)?.is_some();
            if is_other {
                tracing::warn!(
                    "another session has stored another group under the same key; that one stays"
                );
            }
            Ok(!is_other)
        };
        items.iter().zip(are_new).map(is_there).collect()
    }

    /// Closes the file, in one piece if no other session has it open.
    fn finish(mut self, sound: bool) -> Result<()> {
        // Another session may have put the file in WAL mode, and left it so because of this one.
        let wal = self.wal || sqlite::header(&self.connection).is_wal();
        self.log.join();
        // Another connection would have to read the log to its end before it could fold it. If another session is in the
        // way, that one's turn will come.
        let fold = "PRAGMA busy_timeout=0; PRAGMA wal_checkpoint(TRUNCATE)";
        if let Err(error) = self.connection.execute_batch(fold) {
            tracing::debug!(path = %self.path.display(), %error, "the log is not yet folded");
        }
        drop(self.connection);
        if sound && wal {
            rewrite::finish(&self.path, self.unfinished)
        } else {
            Ok(())
        }
    }
}

/// The id of the file's group under the key of an item, if it is another one. Without digests only the versions are
/// compared: groups of the same version are others if `unless_known`.
fn other_group(
    connection: &Connection,
    item: &Item,
    verified: bool,
    unless_known: bool,
) -> rusqlite::Result<Option<i64>> {
    let Content::Group { version, digest } = item.content else {
        return Ok(None);
    };
    let digest = verified.then_some(digest.to_be_bytes());
    let digest = digest.as_ref().map(|bytes| &bytes[..]);
    connection
        .prepare_cached(
            "SELECT keyid FROM groupkeys LEFT JOIN group_digests ON groupkeyid = keyid \
             WHERE key = ?1 AND (version <> ?2 OR ifnull(digest <> ?3, ?4))",
        )?
        .query_row(params![item.key(), version, digest, unless_known], |row| {
            row.get(0)
        })
        .optional()
}
