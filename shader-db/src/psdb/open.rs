//! Opening a file, with the checks that it must pass.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode};

use super::metadata::{self, Metadata};
use super::schema::{self, APPLICATION_ID, USER_VERSION};
use crate::error::At as _;
use crate::sqlite::{BUSY_TIMEOUT, ROLLBACK_PATIENCE};
use crate::temporary::{self, Folder};
use crate::{Error, Result, sodb, sqlite};

/// How a connection opens a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Write,
    /// Read-only.
    Read,
    /// To read a file in WAL mode: only a connection that may write removes the files that SQLite puts beside it.
    ReadAndClean,
    /// As a file that nobody writes: SQLite needs no file beside it.
    Immutable,
}

/// An open file.
pub struct Opened {
    pub path: PathBuf,
    pub connection: Connection,
    pub metadata: Metadata,
    /// Whether the file was left in WAL mode: by a crash, or because a session is writing it.
    pub unfinished: bool,
    pub way: Way,
    /// The folder of a copy, for a file that SQLite cannot read in its own place.
    pub copy: Option<Folder>,
}

impl Opened {
    /// Opens a file of this project's layout.
    pub fn to_write(path: &Path) -> Result<Self> {
        Self::open(path, Way::Write)?.commit()
    }

    /// Opens a file such that nothing stays beside it.
    pub fn to_read(path: &Path) -> Result<Self> {
        Self::snapshot(path)?.commit()
    }

    /// Opens a file of a session again. It can be another file meanwhile, which must fit what the session stores, too.
    pub fn again(path: &Path, way: Way, known: &Metadata) -> Result<Self> {
        let opened = match way {
            Way::Write => Self::to_write(path),
            _ => Self::to_read(path),
        }?;
        metadata::check_beside(path, &opened.metadata, known)?;
        Ok(opened)
    }

    /// As [`to_read`](Self::to_read), in a transaction that sees the present state: what other sessions add stays unseen.
    pub fn snapshot(path: &Path) -> Result<Self> {
        let header = sqlite::header(&sqlite::open_existing(path, false)?);
        if !header.is_wal() {
            return Self::open(path, Way::Read);
        }
        if header.application_id() != APPLICATION_ID {
            // This code cannot judge another maker's WAL.
            return Self::open(path, Way::Immutable);
        }
        match Self::open(path, Way::ReadAndClean) {
            Err(Error::AccessDenied { .. }) => {}
            opened => return opened,
        }
        if sqlite::has_beside(path, "-shm") {
            // A session that may write has it open, or was killed.
            match Self::open(path, Way::Read) {
                Err(Error::AccessDenied { .. } | Error::Io { .. }) => {}
                opened => return opened,
            }
        }
        let log = fs::metadata(sqlite::beside(path, "-wal"));
        if log.map_or(0, |log| log.len()) == 0 {
            return Self::open(path, Way::Immutable);
        }
        let (folder, copy) = temporary::copy_with_log(path)?;
        let opened = Self::open(&copy, Way::ReadAndClean);
        let mut opened = opened.map_err(|error| error.called(&copy, path))?;
        path.clone_into(&mut opened.path);
        opened.copy = Some(folder);
        Ok(opened)
    }

    /// Opens a file in a transaction.
    fn open(path: &Path, way: Way) -> Result<Self> {
        loop {
            let connection = match way {
                Way::Immutable => sqlite::open_immutable(path),
                _ => sqlite::open_existing(path, way != Way::Read),
            }?;
            let foreign = check_header(&sqlite::header(&connection), path, way)?;
            if !lock(&connection, path, way)? {
                continue;
            }
            if let Some(reason) = schema::fault(&connection, foreign).at(path)? {
                return Err(Error::bad_format(path, reason));
            }
            let metadata = metadata::read(&connection, path)?;
            // The WAL of a file of this project's layout belongs into it.
            let folds = matches!(way, Way::Write | Way::ReadAndClean);
            sqlite::checkpoint_on_close(&connection, folds).at(path)?;
            return Ok(Self {
                path: path.to_owned(),
                unfinished: sqlite::header(&connection).is_wal(),
                connection,
                metadata,
                way,
                copy: None,
            });
        }
    }

    /// Runs statements, and reports their failure as this file's.
    pub fn run<T>(&self, run: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        run(&self.connection).at(&self.path)
    }

    fn commit(self) -> Result<Self> {
        self.run(|connection| connection.execute_batch("COMMIT"))?;
        Ok(self)
    }

    /// Maps the pages, which SQLite then neither copies nor caches, but for those in the WAL: the cache is for these.
    pub fn map(self, cache_kib: u32) -> Result<Self> {
        let map = format!("PRAGMA mmap_size=0x7fff0000; PRAGMA cache_size=-{cache_kib}");
        self.run(|connection| connection.execute_batch(&map))?;
        Ok(self)
    }

    /// Counts the rows behind FROM.
    pub fn count(&self, rows: &str) -> Result<u64> {
        let count = format!("SELECT count(*) FROM {rows}");
        self.run(|connection| connection.query_row(&count, [], |row| row.get(0)))
    }

    pub fn corrupt(&self, reason: impl Into<String>) -> Error {
        Error::corrupt(&self.path, reason)
    }
}

/// Whether the file is one of another maker, which can only be read.
fn check_header(header: &sqlite::Header, path: &Path, way: Way) -> Result<bool> {
    let application = header.application_id();
    let foreign = application != APPLICATION_ID;
    let reason = if !header.is_sqlite() {
        "not a SQLite database".into()
    } else if application == sodb::APPLICATION_ID {
        "it is a state object database (SODB)".into()
    } else if foreign && way == Way::Write {
        format!("its application_id is {application:#010x}")
    } else if foreign && sqlite::has_beside(path, "-wal") {
        "another program's log is beside it".into()
    } else if !foreign && header.user_version() != USER_VERSION {
        format!("version {} of the schema is unknown", header.user_version())
    } else {
        return Ok(foreign);
    };
    Err(Error::bad_format(path, reason))
}

/// Begins a transaction with a reader's lock, which keeps others from replacing the file; false if another file has taken its place.
fn lock(connection: &Connection, path: &Path, way: Way) -> Result<bool> {
    let begin = match way {
        Way::ReadAndClean => "PRAGMA query_only=ON; BEGIN",
        _ => "BEGIN",
    };
    connection.busy_timeout(Duration::ZERO).at(path)?;
    connection.execute_batch(begin).at(path)?;
    let lock = |patience| {
        // To prepare a statement that needs the schema would read that in a transaction of its own, whose end gives the lock up.
        let first = || connection.query_row("PRAGMA user_version", [], |_| Ok(()));
        sqlite::patiently_present(connection, patience, first)
    };
    if way != Way::Read {
        return Ok(lock(BUSY_TIMEOUT).at(path)?.is_some());
    }
    let locked = match lock(ROLLBACK_PATIENCE) {
        Err(error)
            if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                || sqlite::roll_back_journal(connection, path)? =>
        {
            lock(BUSY_TIMEOUT)
        }
        locked => locked,
    };
    Ok(locked.at(path)?.is_some())
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::create;
    use super::*;

    #[test]
    fn the_lock_of_the_first_read_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = create::example::finished(folder.path());
        let locked_after = |first: &str| {
            let connection = sqlite::open_existing(&path, true).unwrap();
            connection.execute_batch("BEGIN").unwrap();
            assert_eq!(sqlite::lock_present(&connection), Ok(true));
            let first = connection.prepare(first).unwrap();
            let is_locked = sqlite::is_locked_by(&connection);
            drop(first);
            is_locked
        };
        assert!(locked_after("PRAGMA user_version"));
        // What `lock` must not begin with.
        assert!(!locked_after("SELECT count(*) FROM sqlite_schema"));
    }
}
