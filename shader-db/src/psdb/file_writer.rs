//! Writing one file.

use std::time::Duration;

use super::item::Item;
use super::lookup::Lookup;
use super::open::{Opened, Way};
use super::tables::{Added, Share, Tables};
use super::{metadata, rewrite};
use crate::sqlite::BUSY_TIMEOUT;
use crate::{Result, sqlite};

/// A commit checkpoints the WAL when it has this many bytes.
const WAL: u32 = 64 << 20;

/// A file that a session writes.
pub struct FileWriter {
    pub file: Opened,
    /// Whether the file is in WAL mode. A finished file stays as it is until the session stores something.
    pub wal: bool,
    /// The version of the compiler that the file names as the oldest of its content.
    compiler: Option<u64>,
}

impl FileWriter {
    pub fn new(file: Opened) -> Result<Self> {
        let wal = file.unfinished;
        // A connection that has no lock on its file must not wait in SQLite.
        let wait = if wal { BUSY_TIMEOUT } else { Duration::ZERO };
        file.run(|connection| {
            connection.busy_timeout(wait)?;
            let page: u32 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
            // Every written id refers to a row of the same transaction: checking it again would be a fifth of the work. A batch is
            // sorted by key, so its writes use few pages at a time.
            connection.execute_batch(&format!(
                "PRAGMA foreign_keys=OFF; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint={}; \
                 PRAGMA cache_size=-8192;",
                WAL / page
            ))
        })?;
        Ok(Self {
            file,
            wal,
            compiler: None,
        })
    }

    /// The content of the file with that of the transaction.
    pub fn look<T>(&self, look: impl FnOnce(&Lookup) -> rusqlite::Result<T>) -> Result<T> {
        self.file.run(|connection| look(&Lookup(connection)))
    }

    /// Begins a transaction; one that is to store something begins in WAL mode. There its lock keeps sessions from replacing the
    /// file, but not other programs.
    pub fn begin(&mut self, stores: bool) -> Result<()> {
        loop {
            if stores {
                self.use_wal()?;
            }
            let begun = self.file.run(|connection| {
                let begin = || connection.execute_batch("BEGIN IMMEDIATE");
                if self.wal {
                    begin().map(|()| !sqlite::has_moved(connection))
                } else {
                    let begun = sqlite::patiently_present(connection, BUSY_TIMEOUT, begin);
                    Ok(begun?.is_some())
                }
            })?;
            if begun {
                return Ok(());
            }
            self.roll_back();
            self.open_again()?;
        }
    }

    pub fn commit(&self) -> Result<()> {
        self.file
            .run(|connection| connection.execute_batch("COMMIT"))
    }

    pub fn roll_back(&mut self) {
        self.compiler = None;
        // Fails if SQLite has already rolled it back.
        let _ = self.file.connection.execute_batch("ROLLBACK");
    }

    fn open_again(&mut self) -> Result<()> {
        let Opened { path, metadata, .. } = &self.file;
        *self = Self::new(Opened::again(path, Way::Write, metadata)?)?;
        Ok(())
    }

    /// Puts a finished file in WAL mode.
    pub fn use_wal(&mut self) -> Result<()> {
        while !self.wal {
            let switched = self.file.run(|connection| {
                let switch = || {
                    let switched = sqlite::set_journal_mode(connection, "wal")?;
                    if !sqlite::lock_present(connection)? {
                        return Ok(None);
                    }
                    // From the first read on, this connection's lock keeps others from replacing the file.
                    connection.query_row("SELECT 1 FROM compiler_id", [], |_| Ok(()))?;
                    if switched && sqlite::is_locked_by(connection) {
                        return Ok(Some(()));
                    }
                    // Another session reads, or one that closed between the two statements has undone the switch.
                    Err(sqlite::busy())
                };
                sqlite::checkpoint_on_close(connection, false)?;
                sqlite::wait_with_lock(connection)?;
                let switched = sqlite::patiently_present(connection, BUSY_TIMEOUT, switch)?;
                sqlite::checkpoint_on_close(connection, true)?;
                Ok(switched.flatten())
            })?;
            match switched {
                Some(()) => {
                    self.wal = true;
                    self.file.run(sqlite::wait_for_writers)?;
                }
                // Another file has taken its place.
                None => self.open_again()?,
            }
        }
        Ok(())
    }

    /// Adds items that a version of the compiler has made, if that is known.
    pub fn add(&mut self, items: &[&Item], share: Share, compiler: Option<u64>) -> Result<Added> {
        if let Some(version) = compiler
            && self.compiler != compiler
        {
            self.file
                .run(|connection| metadata::lower_compiler_version(connection, version))?;
            self.compiler = compiler;
        }
        self.file.run(|connection| {
            Tables::new(connection)?.add(items, share, self.file.metadata.verified)
        })
    }

    /// Closes the file, in one piece if no other session has it open.
    pub fn finish(self) -> Result<()> {
        // Another session may have put the file in WAL mode, and could not undo that because of this session.
        let file = self.file;
        let wal = self.wal || sqlite::header(&file.connection).is_wal();
        let has_moved = sqlite::has_moved(&file.connection);
        drop(file.connection);
        if wal && !has_moved {
            rewrite::finish(&file.path, file.unfinished)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::create::example;
    use super::*;

    #[test]
    fn a_switch_that_another_session_has_undone_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = example::finished(folder.path());
        let connection = Opened::to_write(&path).unwrap().connection;
        assert_eq!(sqlite::set_journal_mode(&connection, "wal"), Ok(true));
        assert!(!sqlite::is_locked_by(&connection));
        rewrite::finish(&path, false).unwrap();
        assert_eq!(sqlite::lock_present(&connection), Ok(true));
        let first = "SELECT 1 FROM compiler_id";
        connection.query_row(first, [], |_| Ok(())).unwrap();
        assert!(!sqlite::is_locked_by(&connection));
        // Nobody undoes this one.
        let mut writer = FileWriter::new(Opened::to_write(&path).unwrap()).unwrap();
        writer.use_wal().unwrap();
        assert!(sqlite::is_locked_by(&writer.file.connection));
    }
}
