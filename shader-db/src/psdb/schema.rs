//! The tables, and the checks that a file must pass to be opened.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OptionalExtension};

use super::metadata::{self, Metadata};
use crate::sqlite::{BUSY_TIMEOUT, ROLLBACK_PATIENCE};
use crate::temporary::{self, Folder};
use crate::{Error, Result, sodb, sqlite};

/// `PRAGMA application_id` of a PSDB: "PSDB" in ASCII.
pub const APPLICATION_ID: u32 = 0x5053_4442;

/// `PRAGMA user_version`: the version of this schema.
pub const USER_VERSION: u32 = 1;

/// Bytes of a page of a finished file. docs/psdb-speed.md has the measurements that led to it.
pub const PAGE_SIZE: u32 = 65536;

/// Bytes of a page of a new file, until the session that made it closes it. A commit writes each page that it touches, some ten
/// of them for one object.
pub const SESSION_PAGE_SIZE: u32 = 4096;

/// `last_accessed` of a key whose values are all in other files of the session: without those files it is not incomplete.
pub const ELSEWHERE: i64 = 1;

/// The text of the tables, byte for byte as `sqlite_schema` has it, in the order of creation.
///
/// The text is part of the format: tools that merge databases of other makers demand the same text in every file.
pub const TABLES: [&str; 8] = [
    "CREATE TABLE keys(keyid INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, last_accessed INTEGER NOT NULL DEFAULT 0)",
    "CREATE TABLE vals(keyid INTEGER NOT NULL REFERENCES keys(keyid), \
     type INTEGER NOT NULL CHECK(type BETWEEN 0 AND 3), value BLOB NOT NULL, UNIQUE(keyid, type))",
    "CREATE TABLE groupkeys(keyid INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, version INTEGER NOT NULL)",
    "CREATE TABLE groups(groupkeyid INTEGER NOT NULL REFERENCES groupkeys(keyid), \
     valuekeyid INTEGER NOT NULL REFERENCES keys(keyid), UNIQUE(groupkeyid, valuekeyid))",
    "CREATE TABLE compiler_id(id INTEGER PRIMARY KEY, abi INTEGER NOT NULL, version INTEGER NOT NULL, \
     family TEXT NOT NULL)",
    "CREATE TABLE app_id(id INTEGER PRIMARY KEY, exe_path TEXT NOT NULL, app_name TEXT NOT NULL, engine_name TEXT, \
     app_version INTEGER NOT NULL, engine_version INTEGER NOT NULL, app_profile_version INTEGER NOT NULL)",
    "CREATE TABLE value_digests(id INTEGER PRIMARY KEY, digest BLOB NOT NULL)",
    "CREATE TABLE group_digests(groupkeyid INTEGER PRIMARY KEY, digest BLOB NOT NULL)",
];

/// The columns with which a file of another maker is readable.
const COLUMNS: [(&str, &[&str]); 6] = [
    ("keys", &["keyid", "key", "last_accessed"]),
    ("vals", &["keyid", "type", "value"]),
    ("groupkeys", &["keyid", "key", "version"]),
    ("groups", &["groupkeyid", "valuekeyid"]),
    ("compiler_id", &["id", "abi", "version", "family"]),
    (
        "app_id",
        &[
            "id",
            "exe_path",
            "app_name",
            "engine_name",
            "app_version",
            "engine_version",
            "app_profile_version",
        ],
    ),
];

/// The name in a `CREATE TABLE` text.
fn name_of(table: &str) -> &str {
    table["CREATE TABLE ".len()..]
        .split('(')
        .next()
        .expect("a name before the columns")
}

/// An open file of a known kind.
pub struct Opened {
    pub connection: Connection,
    pub metadata: Metadata,
    /// Whether the file was left in WAL mode: by a crash, or because a session is writing it.
    pub unfinished: bool,
    /// Whether the connection takes the file for one that nobody writes.
    pub is_immutable: bool,
    /// Whether the connection cannot remove what SQLite puts beside the file.
    pub is_read_only: bool,
    /// The folder of a copy, for a file that SQLite cannot read in its own place.
    pub copy: Option<Folder>,
}

/// How a connection opens a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Write,
    /// Read-only.
    Read,
    /// To read a file in WAL mode: only a connection that may write removes the files that SQLite puts beside it.
    ReadAndClean,
    /// As a file that nobody writes: SQLite needs no file beside it.
    Immutable,
}

/// Opens an existing PSDB; with `write` only one of this project's layout. A connection that reads leaves no file beside it.
pub fn open(path: &Path, write: bool) -> Result<Opened> {
    if write {
        return open_as(path, Way::Write);
    }
    let header = sqlite::header(&sqlite::open_existing(path, false)?);
    if !header.is_wal() {
        return open_as(path, Way::Read);
    }
    if header.application_id() != APPLICATION_ID {
        // This code cannot judge another maker's WAL.
        return open_as(path, Way::Immutable);
    }
    match open_as(path, Way::ReadAndClean) {
        Err(Error::AccessDenied { .. }) => {}
        opened => return opened,
    }
    if sqlite::has_beside(path, "-shm") {
        // A session that may write has it open, or was killed.
        match open_as(path, Way::Read) {
            Err(Error::AccessDenied { .. } | Error::Io { .. }) => {}
            opened => return opened,
        }
    }
    let log = fs::metadata(sqlite::beside(path, "-wal"));
    if log.map_or(0, |log| log.len()) == 0 {
        return open_as(path, Way::Immutable);
    }
    let (folder, copy) = temporary::copy_with_log(path)?;
    let opened = open_as(&copy, Way::ReadAndClean).map_err(|error| error.called(&copy, path))?;
    Ok(Opened {
        copy: Some(folder),
        ..opened
    })
}

fn open_as(path: &Path, way: Way) -> Result<Opened> {
    loop {
        let connection = match way {
            Way::Write | Way::ReadAndClean => sqlite::open_existing(path, true),
            Way::Read => sqlite::open_existing(path, false),
            Way::Immutable => sqlite::open_immutable(path),
        }?;
        let header = sqlite::header(&connection);
        let foreign = check_header(&header, path, way)?;
        let sqlite = |error| Error::sqlite(path, &error);
        connection.busy_timeout(Duration::ZERO).map_err(sqlite)?;
        if way == Way::ReadAndClean {
            connection
                .execute_batch("PRAGMA query_only=ON")
                .map_err(sqlite)?;
        }
        // From the first read on, its lock keeps others from replacing the file. Preparing a statement that needs the schema would
        // read that in a transaction of its own, whose end gives the lock up.
        let lock = |patience| {
            let first = || connection.query_row("PRAGMA user_version", [], |_| Ok(()));
            sqlite::patiently_present(&connection, patience, first)
        };
        let patience = match way {
            // A rollback journal that stays longer was left.
            Way::Read => ROLLBACK_PATIENCE,
            _ => BUSY_TIMEOUT,
        };
        let mut locked = connection
            .execute_batch("BEGIN")
            .and_then(|()| lock(patience));
        if way == Way::Read
            && let Err(error) = &locked
        {
            if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) {
                locked = lock(BUSY_TIMEOUT);
            } else if sqlite::has_beside(path, "-journal") {
                sqlite::roll_back_journal(&connection, path)?;
                locked = lock(BUSY_TIMEOUT);
            }
        }
        if locked.map_err(sqlite)?.is_none() {
            continue;
        }
        check_tables(&connection, path, foreign)?;
        let metadata = metadata::read(&connection, path)?;
        let unfinished = sqlite::header(&connection).is_wal();
        // The WAL of a file of this project's layout belongs into it.
        let folds = matches!(way, Way::Write | Way::ReadAndClean);
        let closed = connection.execute_batch("COMMIT").and_then(|()| {
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !folds)
        });
        closed.map_err(sqlite)?;
        return Ok(Opened {
            connection,
            metadata,
            unfinished,
            is_immutable: way == Way::Immutable,
            is_read_only: way == Way::Read,
            copy: None,
        });
    }
}

/// Whether the file is one of another maker, which can only be read.
fn check_header(header: &sqlite::Header, path: &Path, way: Way) -> Result<bool> {
    let bad_format = |reason: String| {
        Err(Error::BadFormat {
            path: path.to_owned(),
            reason,
        })
    };
    if !header.is_sqlite() {
        return bad_format("not a SQLite database".into());
    }
    if header.application_id() == sodb::APPLICATION_ID {
        return bad_format("it is a state object database (SODB)".into());
    }
    let foreign = header.application_id() != APPLICATION_ID;
    if foreign && way == Way::Write {
        return bad_format(format!(
            "its application_id is {:#010x}",
            header.application_id()
        ));
    }
    if foreign && sqlite::has_beside(path, "-wal") {
        return bad_format("another program's log is beside it".into());
    }
    if !foreign && header.user_version() != USER_VERSION {
        return bad_format(format!(
            "version {} of the schema is unknown",
            header.user_version()
        ));
    }
    Ok(foreign)
}

/// Opens a file of a session again. It can be another file meanwhile, which must fit what the session stores, too.
pub fn open_again(path: &Path, write: bool, known: &Metadata) -> Result<Opened> {
    let opened = open(path, write)?;
    metadata::check_beside(path, &opened.metadata, known)?;
    Ok(opened)
}

fn check_tables(connection: &Connection, path: &Path, foreign: bool) -> Result<()> {
    let sqlite = |error| Error::sqlite(path, &error);
    let bad_format = |reason: String| {
        Err(Error::BadFormat {
            path: path.to_owned(),
            reason,
        })
    };
    let find = "SELECT type, sql FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view')";
    for (position, table) in TABLES.iter().enumerate() {
        let name = name_of(table);
        if foreign && position >= COLUMNS.len() {
            if connection.table_exists(None, name).map_err(sqlite)? {
                return bad_format("its application_id is not that of its tables".into());
            }
            // The queries find no digest in this empty table.
            connection
                .execute_batch(&table.replacen("TABLE", "TEMP TABLE", 1))
                .map_err(sqlite)?;
            continue;
        }
        let found: Option<(String, String)> = connection
            .query_row(find, [name], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
            .map_err(sqlite)?;
        match found {
            None => return bad_format(format!("table {name} is missing")),
            Some((kind, _)) if kind != "table" => {
                return bad_format(format!("{name} is a {kind}, not a table"));
            }
            Some((_, sql)) if !foreign && sql != *table => {
                return bad_format(format!("table {name} has other columns"));
            }
            Some(_) => {}
        }
        if foreign {
            let mut columns = connection
                .prepare("SELECT name FROM pragma_table_info(?1)")
                .map_err(sqlite)?;
            let columns: Vec<String> = columns
                .query_map([name], |row| row.get(0))
                .and_then(Iterator::collect)
                .map_err(sqlite)?;
            if let Some(missing) = COLUMNS[position]
                .1
                .iter()
                .find(|column| !columns.iter().any(|c| c == *column))
            {
                return bad_format(format!("table {name} has no column {missing}"));
            }
        }
    }
    let triggers = "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'";
    let triggers: u32 = connection
        .query_row(triggers, [], |row| row.get(0))
        .map_err(sqlite)?;
    if triggers != 0 && !foreign {
        return bad_format("it has triggers".into());
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::{create, rewrite};
    use super::*;

    #[test]
    fn the_lock_of_the_first_read_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.psdb");
        create::example::file(&path);
        rewrite::finish(&path, true).unwrap();
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
        // What `open` must not begin with.
        assert!(!locked_after("SELECT count(*) FROM sqlite_schema"));
    }
}
