//! The thread of a session that commits all waiting items in one transaction.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use api_sys::compatibility::compiler_of_both;

use super::ValueTypes;
use super::file_writer::{FileWriter, Share, Written};
use super::pending::{Batch, Item, Kind};
use super::read::{MAX_AGE, Readers, Seen};
use crate::{Error, Result, sqlite};

/// The thread commits the waiting items when they have this many bytes,
const BATCH: usize = 8 << 20;
/// or when the oldest of them has waited this long.
const DELAY: Duration = Duration::from_millis(200);
/// A store waits while this many bytes are not yet committed.
const LIMIT: usize = 16 << 20;
/// The thread checkpoints the WAL after this many bytes.
const WAL: usize = 64 << 20;
/// How long a checkpoint waits for snapshots to end; if they stay, the thread tries again after `WAL` more bytes.
const PATIENCE: Duration = Duration::from_millis(500);

/// One file of a session.
pub struct File {
    pub types: ValueTypes,
    pub readers: Readers,
}

/// The state that the session's threads share with the thread that commits.
pub struct Committer {
    pub files: Vec<File>,
    /// The index of the file that decides which groups exist.
    pub main: usize,
    pub seen: Seen,
    /// Whether every file is in WAL mode.
    begun: AtomicBool,
    state: Mutex<State>,
    /// Wakes the thread: it has something to do.
    wake: Condvar,
    /// Wakes those who wait for the thread: it has committed a batch, or failed.
    done: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Batch,
    committing: Option<Arc<Batch>>,
    /// How many batches have left `committing`.
    ended: u64,
    /// The thread commits `waiting` at once,
    hurry: bool,
    /// even if it is empty.
    begin: bool,
    closing: bool,
    /// The oldest version of the compiler that may have made the stored items.
    compiler: Option<u64>,
    /// The first failure; it stays.
    error: Option<Error>,
}

impl State {
    fn find(
        &self,
        kind: Kind,
        key: &[u8],
        is_wanted: impl Fn(&Item) -> bool,
    ) -> Option<&Arc<Item>> {
        let in_batch = |batch: &'_ Batch| batch.find(kind, key, &is_wanted).is_some();
        if in_batch(&self.waiting) {
            return self.waiting.find(kind, key, is_wanted);
        }
        self.committing.as_ref()?.find(kind, key, is_wanted)
    }

    fn size(&self) -> usize {
        let committing = self.committing.as_ref();
        self.waiting.size + committing.map_or(0, |batch| batch.size)
    }
}

impl Committer {
    pub fn new(files: Vec<File>, main: usize, compiler: Option<u64>) -> Self {
        Self {
            files,
            main,
            seen: Seen::default(),
            begun: AtomicBool::new(false),
            state: Mutex::new(State {
                compiler,
                ..State::default()
            }),
            wake: Condvar::new(),
            done: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_until_done<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.wake.notify_one();
        self.done
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub fn main_path(&self) -> &Path {
        self.files[self.main].readers.path()
    }

    /// The item of a key that is stored and not yet committed. Any other item is in the files, or nowhere.
    pub fn find(
        &self,
        kind: Kind,
        key: &[u8],
        is_wanted: impl Fn(&Item) -> bool,
    ) -> Option<Arc<Item>> {
        self.state().find(kind, key, is_wanted).cloned()
    }

    /// Stores an item, unless the key has a wanted item here or, as `is_in_file` tells, in the files.
    pub fn store(
        &self,
        (kind, key): (Kind, &[u8]),
        is_wanted: impl Fn(&Item) -> bool,
        is_in_file: impl Fn() -> Result<bool>,
        make: impl FnOnce() -> Item,
    ) -> Result<()> {
        let is_there = |state: &State| state.find(kind, key, &is_wanted).is_some();
        let state = self.state();
        let (there, mut ended) = (is_there(&state), state.ended);
        drop(state);
        if there || is_in_file()? {
            return Err(Error::AlreadyExists);
        }
        let item = make();
        let mut state = self.state();
        loop {
            if let Some(error) = &state.error {
                return Err(error.clone());
            }
            if is_there(&state) {
                return Err(Error::AlreadyExists);
            }
            if state.ended != ended {
                // Another thread may have stored the item, and this one committed it, since the call of `is_in_file`.
                ended = state.ended;
                drop(state);
                if is_in_file()? {
                    return Err(Error::AlreadyExists);
                }
                state = self.state();
            } else if state.size() >= LIMIT {
                state.hurry |= state.waiting.since.is_some();
                state = self.wait_until_done(state);
            } else {
                break;
            }
        }
        let was_due = state.waiting.size >= BATCH;
        let first = state.waiting.since.is_none();
        state.waiting.push(item);
        if first || !was_due && state.waiting.size >= BATCH {
            self.wake.notify_one();
        }
        Ok(())
    }

    /// Waits until the thread has committed all items that are stored so far.
    pub fn flush(&self) -> Result<()> {
        let mut state = self.state();
        let is_waiting = state.waiting.since.is_some();
        let until = state.ended + u64::from(state.committing.is_some()) + u64::from(is_waiting);
        state.hurry |= is_waiting;
        while state.error.is_none() && state.ended < until {
            state = self.wait_until_done(state);
        }
        state.error.clone().map_or(Ok(()), Err)
    }

    /// Whether every file is in WAL mode.
    pub fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }

    /// Has the thread put every file in WAL mode, and waits for that.
    pub fn begin(&self) -> Result<()> {
        let mut state = self.state();
        while state.error.is_none() && !self.has_begun() {
            state.begin = true;
            state = self.wait_until_done(state);
        }
        state.error.clone().map_or(Ok(()), Err)
    }

    /// A compiler of this version may have made the items that are stored from here on.
    pub fn add_compiler(&self, version: u64) {
        let compiler = &mut self.state().compiler;
        *compiler = Some(compiler.map_or(version, |other| compiler_of_both(other, version)));
    }

    /// Drops all items that are not yet committed and lets the thread commit nothing more: stores and waiting callers get the
    /// error.
    pub fn fail(&self, error: Error) -> Error {
        let mut state = self.state();
        state.waiting = Batch::default();
        state.committing = None;
        state.begin = false;
        let error = state.error.get_or_insert(error).clone();
        drop(state);
        self.done.notify_all();
        error
    }

    pub fn close(&self) {
        self.state().closing = true;
        self.wake.notify_one();
    }

    /// Waits for a batch to commit; none when the session closes.
    fn next_batch(&self) -> Option<Arc<Batch>> {
        let mut state = self.state();
        loop {
            let waited = state.waiting.since.map(|since| since.elapsed());
            let is_due = |waited| {
                state.hurry || state.closing || state.waiting.size >= BATCH || waited >= DELAY
            };
            if state.begin || waited.is_some_and(is_due) {
                state.hurry = false;
                state.begin = false;
                let batch = Arc::new(std::mem::take(&mut state.waiting));
                state.committing = Some(Arc::clone(&batch));
                return Some(batch);
            }
            if state.closing {
                return None;
            }
            let timeout = waited.map_or(MAX_AGE, |waited| DELAY.saturating_sub(waited));
            let timed_out;
            (state, timed_out) = self
                .wake
                .wait_timeout(state, timeout)
                .unwrap_or_else(PoisonError::into_inner);
            if timed_out.timed_out() {
                drop(state);
                // A program that wants to change or replace a file would wait for idle readers.
                self.end_idle(MAX_AGE);
                state = self.state();
            }
        }
    }

    fn end_idle(&self, age: Duration) {
        for file in &self.files {
            file.readers.end_idle(age);
        }
    }

    pub fn run(&self, mut writers: Vec<FileWriter>) -> Result<()> {
        let mut in_wal = 0;
        while let Some(batch) = self.next_batch() {
            let committed = self.commit(&mut writers, &batch);
            // Before the batch leaves `committing`: a thread that does not find an item there looks in a new snapshot.
            self.seen.advance();
            if let Err(error) = committed {
                tracing::error!(%error, "what was stored is lost");
                self.fail(error);
                continue;
            }
            let mut state = self.state();
            state.committing = None;
            state.ended += 1;
            drop(state);
            self.done.notify_all();
            in_wal += batch.size;
            if in_wal >= WAL {
                in_wal = 0;
                self.checkpoint(&mut writers);
            }
        }
        for file in &self.files {
            file.readers.close();
        }
        let error = self.state().error.clone();
        let finished = writers
            .into_iter()
            .map(|writer| writer.finish(error.is_none()));
        // Close every file, even if another one fails.
        let finished: Vec<Result<()>> = finished.collect();
        error
            .map_or(Ok(()), Err)
            .and_then(|()| finished.into_iter().collect())
    }

    fn commit(&self, writers: &mut [FileWriter], batch: &Batch) -> Result<()> {
        self.use_wal(writers)?;
        self.begun.store(true, Ordering::Release);
        let items = batch.sorted();
        if items.is_empty() {
            return Ok(());
        }
        let written = self.write(writers, &items);
        if written.is_err() {
            writers.iter().for_each(FileWriter::roll_back);
            // If this fails, the next opening of the files does it.
            let _ = put_back(writers, self.main);
        }
        written
    }

    fn use_wal(&self, writers: &mut [FileWriter]) -> Result<()> {
        for (file, writer) in self.files.iter().zip(writers) {
            let until = Instant::now() + sqlite::BUSY_TIMEOUT;
            while !writer.wal {
                // The lock of every reader, of this session and of others, prevents the switch.
                file.readers.no_idle_snapshots(true);
                let switched = writer.use_wal();
                file.readers.no_idle_snapshots(false);
                match switched {
                    Err(Error::Busy { .. }) if Instant::now() < until => {}
                    switched => switched?,
                }
            }
        }
        Ok(())
    }

    /// Writes items to every file. The main file decides, so it is locked first and committed last: no file has a group
    /// before its values, and one of several sessions is first.
    fn write(&self, writers: &mut [FileWriter], items: &[&Item]) -> Result<()> {
        let compiler = self.state().compiler;
        let share = |file: usize| Share {
            types: self.files[file].types,
            is_main: file == self.main,
            compiler,
        };
        let written = writers[self.main].run(|main| {
            main.begin()?;
            main.write(items, share(self.main))
        })?;
        let written = items.iter().copied().zip(written);
        let written: Vec<(&Item, Written)> = written
            .filter(|(_, written)| *written != Written::Refused)
            .collect();
        let items: Vec<&Item> = written.iter().map(|(item, _)| *item).collect();
        for (file, writer) in writers.iter_mut().enumerate() {
            if file == self.main {
                continue;
            }
            writer.run(|side| {
                side.begin()?;
                side.remove_others(&written)?;
                side.write(&items, share(file))?;
                side.commit()
            })?;
        }
        writers[self.main].run(|main| main.commit())
    }

    fn checkpoint(&self, writers: &mut [FileWriter]) {
        for writer in writers {
            let until = Instant::now() + PATIENCE;
            loop {
                self.end_idle(Duration::ZERO);
                match writer.run(|writer| writer.checkpoint()) {
                    Ok(false) if Instant::now() < until => {}
                    Ok(_) => break,
                    Err(error) => {
                        tracing::warn!(%error, "the WAL stays as long as it is");
                        break;
                    }
                }
            }
        }
    }
}

/// Removes from the side files what a killed process committed to them and not to the main file.
pub fn put_back(writers: &mut [FileWriter], main: usize) -> Result<()> {
    let is_left = |(file, writer): (usize, &FileWriter)| file != main && writer.wal;
    if !writers.iter().enumerate().any(is_left) {
        return Ok(());
    }
    // The lock keeps every session from committing to any of the files meanwhile.
    writers[main].begin_anew()?;
    let put_back = (0..writers.len())
        .filter(|file| is_left((*file, &writers[*file])))
        .try_for_each(|file| {
            let (side, main) = (&writers[file], &writers[main]);
            side.remove_unknown_to(main)
                .map_err(|error| Error::sqlite(&side.path, &error))
        });
    writers[main].roll_back();
    put_back
}
