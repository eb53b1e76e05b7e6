//! The write-ahead log of one file, which a thread of its own folds into the file while the writer goes on.

use std::path::Path;
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use super::read::MAX_AGE;
use super::schema;
use crate::sqlite::BUSY_TIMEOUT;
use crate::{Error, Result, sqlite};

/// A log of so many bytes is folded: of a shorter one the pages of the indexes would be folded, and everything synced, more
/// often.
const FOLDED: u64 = 128 << 20;
/// Each time folds what has come during the time before. Stores can wait while the writer folds what is left.
const TIMES: usize = 3;
/// With so many bytes the writer waits for who folds,
const MOST_BESIDE: u64 = 512 << 20;
/// and with so many pages for the snapshots of other sessions.
const MOST_PAGES: i64 = (1 << 30) / schema::PAGE_SIZE as i64;

/// The log of a file that a session writes.
pub struct Log {
    /// With how many bytes it is folded.
    folded: u64,
    /// Bytes that were written to it since.
    size: u64,
    folding: Option<JoinHandle<Result<()>>>,
}

impl Log {
    pub fn new() -> Self {
        Self::folded_with(FOLDED)
    }

    fn folded_with(bytes: u64) -> Self {
        Self {
            folded: bytes,
            size: 0,
            folding: None,
        }
    }

    /// Folds the log if it is long. `next_epoch` has the session's readers take new snapshots. No transaction may be open.
    pub fn fold(
        &mut self,
        connection: &Connection,
        path: &Path,
        next_epoch: impl Fn(),
    ) -> Result<()> {
        let failure = |error| Error::sqlite(path, &error);
        self.size += sqlite::bytes_written(connection).map_err(failure)?;
        if self.size < self.folded {
            return Ok(());
        }
        match &self.folding {
            None => {
                // An older snapshot keeps the newest commits from being folded.
                next_epoch();
                let path = path.to_owned();
                let folding = thread::Builder::new().name("psdb log".into());
                self.folding = folding.spawn(move || fold_beside(&path)).ok();
                if self.folding.is_some() {
                    return Ok(());
                }
            }
            Some(folding) if !folding.is_finished() && self.size < MOST_BESIDE => return Ok(()),
            Some(_) => {}
        }
        self.join();
        self.size = 0;
        fold_rest(connection, next_epoch).map_err(failure)
    }

    /// Waits until nobody folds the log. A connection that does is one to the file.
    pub fn join(&mut self) {
        if let Some(Err(error)) = self.end() {
            tracing::debug!(%error, "the log is not yet folded");
        }
    }

    fn end(&mut self) -> Option<Result<()>> {
        self.folding.take()?.join().ok()
    }
}

/// No thread outlives its session, whose library can be unloaded.
impl Drop for Log {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// Folds while the writer goes on, and waits for nobody. What it does not fold is left to the writer.
fn fold_beside(path: &Path) -> Result<()> {
    let connection = sqlite::open_existing(path, true)?;
    let fold = || {
        // A connection that has read nothing knows of no log.
        connection.execute_batch("PRAGMA synchronous=NORMAL; SELECT 1 FROM compiler_id")?;
        (0..TIMES).try_for_each(|_| checkpoint(&connection, "PASSIVE").map(drop))
    };
    fold().map_err(|error| Error::sqlite(path, &error))
}

/// Folds what has come since, such that the next commit begins the log anew: all of it has to be folded, and no snapshot
/// that needs it may be left.
fn fold_rest(connection: &Connection, next_epoch: impl Fn()) -> rusqlite::Result<()> {
    next_epoch();
    let pages = checkpoint(connection, "PASSIVE")?;
    // One that is taken from now on does not need the log.
    next_epoch();
    if pages >= MOST_PAGES {
        connection.busy_timeout(4 * MAX_AGE)?;
        let restarted = checkpoint(connection, "RESTART");
        connection.busy_timeout(BUSY_TIMEOUT)?;
        restarted?;
    }
    Ok(())
}

/// Folds the log; gives how many pages it has, or -1 if another session is folding it.
fn checkpoint(connection: &Connection, how: &str) -> rusqlite::Result<i64> {
    let sql = format!("PRAGMA wal_checkpoint({how})");
    connection.query_row(&sql, [], |row| row.get(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::psdb::{Application, Target};
    use std::fs;

    #[test]
    fn a_log_that_was_folded_is_begun_anew_although_somebody_reads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.psdb");
        let target = Target {
            family: "GPU".into(),
            abi: 1,
            compiler_version: 7,
            profile_version: 0,
        };
        let application = Application {
            exe: "game.exe".into(),
            name: "Game".into(),
            version: 1,
            engine_name: None,
            engine_version: 0,
        };
        let mut created = schema::Created::default();
        created.create(&path, &target, &application).unwrap();
        created.keep();
        let writer = sqlite::open_existing(&path, true).unwrap();
        writer
            .execute_batch("PRAGMA wal_autocheckpoint=0; PRAGMA synchronous=NORMAL")
            .unwrap();
        let reader = sqlite::open_existing(&path, false).unwrap();
        let begin = "BEGIN; SELECT count(*) FROM keys;";
        reader.execute_batch(begin).unwrap();
        // A key is in the table and in its index.
        let store = |bytes: u64| {
            writer
                .execute("INSERT INTO keys(key) VALUES(randomblob(?1))", [bytes / 2])
                .unwrap();
        };
        let size = || fs::metadata(schema::beside(&path, "-wal")).unwrap().len();

        let mut log = Log::folded_with(2 << 20);
        store(1 << 20);
        log.fold(&writer, &path, || unreachable!()).unwrap();
        assert!(log.folding.is_none());
        let next_epoch = || reader.execute_batch(&format!("COMMIT; {begin}")).unwrap();
        store(2 << 20);
        log.fold(&writer, &path, next_epoch).unwrap();
        while !log.folding.as_ref().unwrap().is_finished() {
            thread::yield_now();
        }
        store(1 << 10);
        log.fold(&writer, &path, next_epoch).unwrap();
        assert_eq!(log.size, 0);
        let folded = size();
        assert!(folded >= 3 << 20);
        store(2 << 20);
        assert_eq!(size(), folded);

        reader.execute_batch("COMMIT").unwrap();
        let file = || fs::metadata(&path).unwrap().len();
        let before = file();
        fold_beside(&path).unwrap();
        assert!(file() >= before + (2 << 20));
    }
}
