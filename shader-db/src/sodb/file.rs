//! Opening and closing the file.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::schema;
use crate::psdb::Access;
use crate::{Error, Result, sqlite};

/// Statements that are kept prepared: those that one state object can need.
const STATEMENTS: usize = 128;

/// An open file that is an SODB.
pub struct File {
    /// Absolute, so that a change of the current directory does not matter.
    pub path: PathBuf,
    connection: Option<Connection>,
    /// What reading had to make beside the file and nobody else uses.
    made: Vec<PathBuf>,
    /// Whether this session has begun to write.
    writing: bool,
    access: Access,
}

impl File {
    pub fn open(path: &Path, access: Access) -> Result<Self> {
        let absolute =
            std::path::absolute(path).map_err(|error| Error::InvalidArgument(error.to_string()))?;
        let path = absolute.as_path();
        let size = fs::metadata(path).ok().map(|metadata| metadata.len());
        if access == Access::Create && matches!(size, None | Some(0)) {
            create(path)?;
        }
        let mut made = Vec::new();
        let connection = match access {
            Access::Read => open_to_read(path, &mut made)?,
            Access::Write | Access::Create => sqlite::open_existing(path, true)?,
        };
        let mut file = Self {
            path: absolute,
            connection: Some(connection),
            made,
            writing: false,
            access,
        };
        file.check()?;
        Ok(file)
    }

    fn check(&mut self) -> Result<()> {
        let failure = |error| Error::sqlite(&self.path, &error);
        let connection = self.connection();
        let prepare = || {
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
            connection.execute_batch(
                "PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL; \
                 PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 16384;",
            )?;
            schema::fault(connection)
        };
        if let Some(reason) = prepare().map_err(failure)? {
            return Err(Error::BadFormat {
                path: self.path.clone(),
                reason,
            });
        }
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        if self.access != Access::Read {
            // It is an SODB: its log is wanted in it.
            let config = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
            connection.set_db_config(config, false).map_err(failure)?;
        }
        Ok(())
    }

    pub fn connection(&self) -> &Connection {
        self.connection.as_ref().expect("open until it is closed")
    }

    /// Before the first store. Writing goes to a log, which is cheaper than a transaction in the file itself.
    pub fn begin_write(&mut self) -> Result<()> {
        if self.access == Access::Read {
            return Err(Error::AccessDenied {
                path: self.path.clone(),
                reason: "it was opened to be read".into(),
            });
        }
        if !self.writing {
            // Without the log it is slower and no less right.
            sqlite::set_journal_mode(self.connection(), "wal")
                .map_err(|error| Error::sqlite(&self.path, &error))?;
            self.writing = true;
        }
        Ok(())
    }

    /// Folds the log into the file; it stays if another session has the file open.
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
            Err(error) => Err(Error::sqlite(&self.path, &error)),
        }
    }

    pub fn close(&mut self) -> Result<()> {
        let folded = match self.connection {
            Some(_) if self.writing => self.fold().map(|_| ()),
            _ => Ok(()),
        };
        let closed = match self.connection.take() {
            Some(connection) => connection
                .close()
                .map_err(|(_, error)| Error::sqlite(&self.path, &error)),
            None => Ok(()),
        };
        for made in self.made.drain(..) {
            let _ = fs::remove_file(made);
        }
        folded.and(closed)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = self.close();
    }
}

/// Makes the tables in a file that is absent or empty.
fn create(path: &Path) -> Result<()> {
    let connection = sqlite::create(path)?;
    let make = || {
        let transaction = Transaction::new_unchecked(&connection, TransactionBehavior::Immediate)?;
        // Another process may have been faster.
        let is_empty = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
        if transaction.query_row(is_empty, [], |row| row.get(0))? {
            schema::write(&transaction)?;
        }
        transaction.commit()
    };
    make().map_err(|error| Error::sqlite(path, &error))?;
    sqlite::sync_directory(path)
}

/// Opens a file so that nothing is changed and nothing stays beside it.
fn open_to_read(path: &Path, made: &mut Vec<PathBuf>) -> Result<Connection> {
    let connection = sqlite::open_existing(path, false)?;
    if !sqlite::header(&connection).is_wal() {
        return Ok(connection);
    }
    // SQLite makes both files, and a connection that only reads does not remove them again.
    let [log, index] = ["-wal", "-shm"].map(|suffix| {
        let mut name = OsString::from(path);
        name.push(suffix);
        PathBuf::from(name)
    });
    let log_size = fs::metadata(&log).map_or(0, |metadata| metadata.len());
    if index.exists() {
        if !log.exists() {
            made.push(log);
        }
        return Ok(connection);
    }
    drop(connection);
    if log_size == 0 {
        return sqlite::open_immutable(path, &uri(path));
    }
    // A log that was left behind. With the file for itself, a connection keeps the index in memory.
    match sqlite::open_existing(path, true) {
        Ok(connection) => {
            connection
                .execute_batch("PRAGMA query_only = ON; PRAGMA locking_mode = EXCLUSIVE;")
                .map_err(|error| Error::sqlite(path, &error))?;
            Ok(connection)
        }
        Err(Error::AccessDenied { .. }) => {
            made.push(index);
            sqlite::open_existing(path, false)
        }
        Err(error) => Err(error),
    }
}

/// A path as SQLite takes it with parameters.
fn uri(path: &Path) -> String {
    let name = path.as_os_str().as_encoded_bytes();
    let name = name.strip_prefix(br"\\?\").unwrap_or(name);
    let mut uri = String::from("file://");
    if !name.starts_with(b"/") && !name.starts_with(br"\") {
        uri.push('/');
    }
    for &byte in name {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(byte.into());
            }
            b'\\' if cfg!(windows) => uri.push('/'),
            b':' if cfg!(windows) => uri.push(':'),
            _ => write!(uri, "%{byte:02X}").expect("a string takes everything"),
        }
    }
    uri + "?immutable=1"
}
