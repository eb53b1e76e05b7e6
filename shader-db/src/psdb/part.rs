//! A new file in the canonical form, which a thread of its own writes while the caller reads the content.

use std::fs;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, Scope, ScopedJoinHandle};

use super::item::Item;
use super::metadata::Metadata;
use super::tables::{Share, Tables};
use super::{ValueTypes, create, schema};
use crate::error::At as _;
use crate::{Error, Result, sqlite};

/// The caller hands items to the writer in batches of about this many bytes,
const BATCH: usize = 512 << 10;
/// and this many batches wait for the writer.
const WAITING: usize = 2;
/// The writer has the disk sync each time it has written about this many bytes, and not only at the end.
const SYNC: usize = 8 << 20;

/// The content of the file: keys with their values, sorted by key; then groups, sorted by key.
pub struct Items<'a> {
    next: Vec<Item>,
    bytes: usize,
    batches: SyncSender<Vec<Item>>,
    target: &'a Path,
}

impl Items<'_> {
    /// Adds a key, or a group all of whose keys were added.
    pub fn add(&mut self, item: Item) -> Result<()> {
        self.bytes += item.size();
        self.next.push(item);
        if self.bytes < BATCH {
            return Ok(());
        }
        self.send()
    }

    /// Fails if the writer has ended; the writer then has the error.
    fn send(&mut self) -> Result<()> {
        self.bytes = 0;
        let batch = std::mem::take(&mut self.next);
        self.batches.send(batch).map_err(|_| Error::Io {
            path: self.target.to_owned(),
            reason: "the writer has ended".into(),
        })
    }
}

/// Writes a file in one transaction, with the items that `fill` adds, and syncs it. Messages call it by the path whose place it is to
/// take.
pub fn write<T>(
    file: &Path,
    target: &Path,
    metadata: &Metadata,
    fill: impl FnOnce(&mut Items) -> Result<T>,
) -> Result<T> {
    let to = sqlite::create_as(file, target)?;
    // A failure loses nothing, so nothing needs a rollback. SQLite fills pages one after the other, so a small cache
    // writes each of them once; lookups of keys read the mapped file.
    let begin = format!(
        "PRAGMA page_size={}; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; \
         PRAGMA foreign_keys=OFF; PRAGMA cache_size=-8192; PRAGMA mmap_size=0x7fff0000; BEGIN",
        schema::PAGE_SIZE
    );
    to.execute_batch(&begin).at(target)?;
    create::write(&to, metadata).at(target)?;
    let file = fs::File::options().write(true).open(file).at(target)?;

    let (batches, filled) = sync_channel::<Vec<Item>>(WAITING);
    let (sync, syncs) = sync_channel(1);
    let (filled, to) = thread::scope(|scope| {
        let writer = spawn(scope, target, move || {
            let all = Share {
                types: ValueTypes::ALL,
                is_main: true,
            };
            let mut unsynced = 0;
            for batch in filled {
                let items: Vec<&Item> = batch.iter().collect();
                Tables::new(&to)?.add(&items, all, true)?;
                unsynced += items.iter().map(|item| item.size()).sum::<usize>();
                if unsynced >= SYNC {
                    unsynced = 0;
                    // One waiting request is enough.
                    let _ = sync.try_send(());
                }
            }
            Ok::<_, rusqlite::Error>(to)
        })?;
        let syncer = spawn(scope, target, || {
            syncs.into_iter().try_for_each(|()| file.sync_data())
        })?;
        let mut items = Items {
            next: Vec::new(),
            bytes: 0,
            batches,
            target,
        };
        let filled = fill(&mut items).and_then(|filled| items.send().map(|()| filled));
        drop(items);
        let to = join(writer).at(target)?;
        join(syncer).at(target)?;
        Ok::<_, Error>((filled?, to))
    })?;
    to.execute_batch("COMMIT").at(target)?;
    to.close().map_err(|(_, error)| error).at(target)?;
    file.sync_all().at(target)?;
    Ok(filled)
}

fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    target: &Path,
    run: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>> {
    let thread = thread::Builder::new().name("psdb part".into());
    thread.spawn_scoped(scope, run).at(target)
}

fn join<T>(thread: ScopedJoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
