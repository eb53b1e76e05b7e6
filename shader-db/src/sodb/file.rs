//! Opening and closing the file.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::schema;
use crate::file_name::{self, Identity};
use crate::psdb::Access;
use crate::sqlite::BUSY_TIMEOUT;
use crate::temporary::{self, Folder};
use crate::{Error, Result, sqlite};

/// KiB of pages that the first connection of a session caches, and each later one.
const PAGES: [u32; 2] = [16384, 4096];

/// The most bytes of a row, and of a value that SQLite makes: the largest value fits in a row.
const MAX_ROW: usize = super::MAX_SIZE + 4096;

/// How many statements stay prepared: as many as one state object can need.
const STATEMENTS: usize = 128;

/// How changes reach a file: SQLite's journal mode. A file in WAL mode records that, and every session opens it in that mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalMode {
    /// Through a rollback journal, which each transaction creates and deletes.
    Delete,
    /// Through a WAL, which a checkpoint, or the last session to close, copies into the file.
    Wal,
}

impl JournalMode {
    /// SQLite's name of the mode.
    fn name(self) -> &'static str {
        match self {
            Self::Delete => "delete",
            Self::Wal => "wal",
        }
    }

    /// The `synchronous` setting that makes a change durable enough: with NORMAL a power failure can lose the last
    /// transactions of a WAL, but damage a file that has a rollback journal.
    fn synchronous(self) -> &'static str {
        match self {
            Self::Delete => "FULL",
            Self::Wal => "NORMAL",
        }
    }
}

/// How far a checkpoint goes, and for whom it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointMode {
    /// As far as it goes without waiting.
    Passive,
    /// To the end of the WAL.
    Full,
    /// To the end of the WAL, so that the next writer restarts it from its beginning.
    Restart,
    /// Like `Restart`, and truncates the WAL to no bytes.
    Truncate,
}

/// The options of opening a file, besides its [`Access`].
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenOptions {
    /// The journal mode for this session and later ones. `None` uses a WAL while this session writes, and none after it.
    pub journal: Option<JournalMode>,
    /// How long a call waits for another session; `None` is 5 s.
    pub busy_timeout: Option<Duration>,
}

/// An open file that is an SODB.
pub struct File {
    /// The path that the caller gave, for messages.
    pub name: PathBuf,
    connection: Option<Connection>,
    /// The way for more connections to read the file.
    again: Option<Again>,
    /// Whether this session has begun to write.
    writing: bool,
    access: Access,
    /// The journal mode that the caller asked for.
    journal: Option<JournalMode>,
    /// How long a call waits for another session.
    timeout: Duration,
    /// The folder of a copy, for a file that SQLite cannot read in its own place.
    #[expect(dead_code, reason = "it is removed when the file is closed")]
    copy: Option<Folder>,
}

impl File {
    pub fn open(path: &Path, access: Access, options: OpenOptions) -> Result<Self> {
        let name = path;
        // A change of the current directory must not matter.
        let absolute =
            std::path::absolute(path).map_err(|error| Error::InvalidArgument(error.to_string()))?;
        let path = absolute.as_path();
        let called = |error: Error| error.called(path, name);
        let size = fs::metadata(path).ok().map(|metadata| metadata.len());
        if access == Access::Create && matches!(size, None | Some(0)) {
            create(path).map_err(called)?;
        }
        let opened = match access {
            Access::Read => open_to_read(path),
            Access::Write | Access::Create => {
                sqlite::open_existing(path, true).map(|connection| (connection, Way::Alone, None))
            }
        };
        let (connection, way, copy) = opened.map_err(called)?;
        // SQLite counts milliseconds in 31 bits.
        let most = Duration::from_millis(i32::MAX.cast_unsigned().into());
        let timeout = options.busy_timeout.map_or(BUSY_TIMEOUT, |it| it.min(most));
        connection
            .busy_timeout(timeout)
            .map_err(|error| Error::sqlite(name, &error))?;
        let mut file = Self {
            again: Again::new(path, name, &connection, way, timeout),
            name: name.to_owned(),
            connection: Some(connection),
            writing: false,
            access,
            journal: None,
            timeout,
            copy,
        };
        file.check()?;
        if let Some(mode) = options.journal {
            file.set_journal(mode)?;
        }
        Ok(file)
    }

    fn check(&mut self) -> Result<()> {
        let failure = |error| Error::sqlite(&self.name, &error);
        let connection = self.connection();
        let prepare = || {
            configure(connection, PAGES[0])?;
            schema::fault(connection)
        };
        if let Some(reason) = prepare().map_err(failure)? {
            return Err(Error::BadFormat {
                path: self.name.clone(),
                reason,
            });
        }
        if self.access != Access::Read {
            // The file is an SODB, so closing it may checkpoint its WAL.
            let config = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
            connection.set_db_config(config, false).map_err(failure)?;
        }
        Ok(())
    }

    /// The way for more connections to read the file; some ways of reading allow no others.
    pub fn again(&self) -> Option<&Again> {
        self.again.as_ref()
    }

    pub fn connection(&self) -> &Connection {
        self.connection.as_ref().expect("open until it is closed")
    }

    pub fn is_to_store(&self) -> bool {
        self.access != Access::Read
    }

    pub fn check_writable(&self) -> Result<()> {
        if self.is_to_store() {
            return Ok(());
        }
        Err(Error::AccessDenied {
            path: self.name.clone(),
            reason: "it was opened to be read".into(),
        })
    }

    /// Prepares the first store. Unless the caller asked for another journal mode, the session writes to a WAL, which is
    /// cheaper than a transaction with a rollback journal.
    pub fn begin_write(&mut self) -> Result<()> {
        self.check_writable()?;
        if !self.writing && self.journal != Some(JournalMode::Delete) {
            // Of two sessions that begin at once, SQLite refuses one without waiting.
            let switch = || sqlite::set_journal_mode(self.connection(), JournalMode::Wal.name());
            let switched = sqlite::patiently(self.timeout, switch);
            // Without a WAL the session is slower, but as correct.
            switched.map_err(|error| Error::sqlite(&self.name, &error))?;
        }
        self.writing = true;
        Ok(())
    }

    /// How changes presently reach the file. A session that reads asks the file itself: SQLite does not know the mode where
    /// it takes the file for one that nobody writes.
    fn journal(&self) -> Result<JournalMode> {
        let connection = self.connection();
        let is_wal = if self.is_to_store() {
            let mode = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0));
            let mode: String = mode.map_err(|error| Error::sqlite(&self.name, &error))?;
            mode.eq_ignore_ascii_case(JournalMode::Wal.name())
        } else {
            sqlite::header(connection).is_wal()
        };
        Ok(if is_wal {
            JournalMode::Wal
        } else {
            JournalMode::Delete
        })
    }

    /// Sets how changes reach the file.
    fn set_journal(&mut self, mode: JournalMode) -> Result<()> {
        if self.journal()? != mode {
            self.check_writable()?;
            let connection = self.connection();
            let switch = || sqlite::set_journal_mode(connection, mode.name());
            let set = sqlite::patiently(self.timeout, switch).and_then(|set| {
                // Creates the WAL index: a session that finds none takes the file for one that nobody writes.
                connection.query_row("SELECT count(*) FROM app_id", [], |_| Ok(()))?;
                Ok(set)
            });
            if !set.map_err(|error| Error::sqlite(&self.name, &error))? {
                return Err(self.busy());
            }
        }
        self.connection()
            .pragma_update(None, "synchronous", mode.synchronous())
            .map_err(|error| Error::sqlite(&self.name, &error))?;
        self.journal = Some(mode);
        Ok(())
    }

    /// Checkpoints the WAL, if there is one, and sets the journal mode, if one is given. Returns the journal mode that the
    /// file had. No transaction may be active.
    pub fn checkpoint(
        &mut self,
        mode: CheckpointMode,
        journal: Option<JournalMode>,
    ) -> Result<JournalMode> {
        self.check_writable()?;
        let before = self.journal()?;
        if before == JournalMode::Wal {
            let pragma = match mode {
                CheckpointMode::Passive => "PRAGMA wal_checkpoint(PASSIVE)",
                CheckpointMode::Full => "PRAGMA wal_checkpoint(FULL)",
                CheckpointMode::Restart => "PRAGMA wal_checkpoint(RESTART)",
                CheckpointMode::Truncate => "PRAGMA wal_checkpoint(TRUNCATE)",
            };
            let busy = self.connection().query_row(pragma, [], |row| row.get(0));
            if busy.map_err(|error| Error::sqlite(&self.name, &error))? {
                return Err(self.busy());
            }
        }
        if let Some(journal) = journal {
            self.set_journal(journal)?;
        }
        Ok(before)
    }

    fn busy(&self) -> Error {
        Error::Busy {
            path: self.name.clone(),
        }
    }

    /// Checkpoints the WAL and leaves WAL mode; false if another session has the file open, so that the WAL stays.
    pub fn fold(&mut self) -> Result<bool> {
        let connection = self.connection();
        let fold = || {
            let busy: bool =
                connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            Ok(!busy && sqlite::set_journal_mode(connection, "delete")?)
        };
        match fold() {
            Ok(folded) => {
                self.writing = false;
                Ok(folded)
            }
            Err(rusqlite::Error::SqliteFailure(failure, _))
                if failure.code == rusqlite::ErrorCode::DatabaseBusy
                    || failure.code == rusqlite::ErrorCode::DatabaseLocked =>
            {
                Ok(false)
            }
            Err(error) => Err(Error::sqlite(&self.name, &error)),
        }
    }

    pub fn close(&mut self) -> Result<()> {
        if let Some(connection) = &self.connection
            && !connection.is_autocommit()
        {
            // Roll back a transaction that nobody committed.
            let _ = connection.execute_batch("ROLLBACK");
        }
        let folded = match self.connection {
            Some(_) if self.writing && self.journal.is_none() => self.fold().map(|_| ()),
            _ => Ok(()),
        };
        let closed = match self.connection.take() {
            Some(connection) => connection
                .close()
                .map_err(|(_, error)| Error::sqlite(&self.name, &error)),
            None => Ok(()),
        };
        folded.and(closed)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = self.close();
    }
}

/// Creates the tables in a file that is absent or empty.
fn create(path: &Path) -> Result<()> {
    let connection = sqlite::create(path)?;
    let make = || {
        let transaction = Transaction::new_unchecked(&connection, TransactionBehavior::Immediate)?;
        // Another process may have created them first.
        let is_empty = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
        if transaction.query_row(is_empty, [], |row| row.get(0))? {
            schema::write(&transaction)?;
        }
        transaction.commit()
    };
    make().map_err(|error| Error::sqlite(path, &error))?;
    sqlite::sync_directory(path)
}

/// Sets up any connection to an SODB.
fn configure(connection: &Connection, pages: u32) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    let most = i32::try_from(MAX_ROW).expect("SQLite counts in 31 bits");
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, most)?;
    connection.execute_batch(&format!(
        "PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL; \
         PRAGMA cache_size = -{pages}; PRAGMA wal_autocheckpoint = 16384;"
    ))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

/// How a session opened a file to read.
#[derive(Clone, Copy)]
enum Way {
    /// As it is, with its WAL if it has one.
    Shared,
    /// As a file that nobody writes.
    Immutable,
    /// With an exclusive lock, or to write.
    Alone,
}

/// Opens a file again that is open for reading.
#[derive(Clone)]
pub struct Again {
    path: PathBuf,
    name: PathBuf,
    is_immutable: bool,
    timeout: Duration,
    /// The identity of the file: another file can get its path.
    identity: Option<Identity>,
}

impl Again {
    fn new(
        path: &Path,
        name: &Path,
        connection: &Connection,
        way: Way,
        timeout: Duration,
    ) -> Option<Self> {
        let is_immutable = match way {
            Way::Shared => false,
            Way::Immutable => true,
            Way::Alone => return None,
        };
        let again = Self {
            path: path.to_owned(),
            name: name.to_owned(),
            is_immutable,
            timeout,
            identity: file_name::identity(path),
        };
        again.is_of(connection).then_some(again)
    }

    /// Whether a connection is to this file.
    fn is_of(&self, connection: &Connection) -> bool {
        file_name::identity(&self.path) == self.identity && !sqlite::has_moved(connection)
    }

    /// None if the path no longer names the file, or there can be no more connections.
    pub fn open(&self) -> Option<File> {
        let connection = if self.is_immutable {
            sqlite::open_immutable(&self.path)
        } else {
            sqlite::open_existing(&self.path, false)
        };
        let connection = connection.ok().filter(|new| self.is_of(new))?;
        connection.busy_timeout(self.timeout).ok()?;
        configure(&connection, PAGES[1]).ok()?;
        Some(File {
            name: self.name.clone(),
            connection: Some(connection),
            again: None,
            writing: false,
            access: Access::Read,
            journal: None,
            timeout: self.timeout,
            copy: None,
        })
    }
}

/// Opens a file without changing it or leaving new files beside it, if that is possible without removing files that somebody
/// may have begun to use meanwhile.
fn open_to_read(path: &Path) -> Result<(Connection, Way, Option<Folder>)> {
    let connection = sqlite::open_existing(path, false)?;
    if !sqlite::header(&connection).is_wal() {
        sqlite::roll_back_journal(&connection, path)?;
        return Ok((connection, Way::Shared, None));
    }
    // SQLite creates both files, and a connection that only reads does not remove them.
    if sqlite::beside(path, "-shm").exists() {
        return Ok((connection, Way::Shared, None));
    }
    drop(connection);
    let log = fs::metadata(sqlite::beside(path, "-wal"));
    if log.map_or(0, |metadata| metadata.len()) == 0 {
        let connection = sqlite::open_immutable(path)?;
        return Ok((connection, Way::Immutable, None));
    }
    // A session left its WAL. A connection with an exclusive lock keeps the WAL index in memory.
    let alone = |connection: Connection| {
        connection
            .execute_batch("PRAGMA query_only = ON; PRAGMA locking_mode = EXCLUSIVE;")
            .map(|()| connection)
            .map_err(|error| Error::sqlite(path, &error))
    };
    match sqlite::open_existing(path, true) {
        Ok(connection) => Ok((alone(connection)?, Way::Alone, None)),
        Err(Error::Busy { .. }) => Ok((sqlite::open_existing(path, false)?, Way::Shared, None)),
        Err(Error::AccessDenied { .. }) => {
            let (folder, copy) = temporary::copy_with_log(path)?;
            let connection =
                sqlite::open_existing(&copy, true).map_err(|error| error.called(&copy, path))?;
            Ok((alone(connection)?, Way::Alone, Some(folder)))
        }
        Err(error) => Err(error),
    }
}
