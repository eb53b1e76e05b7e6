//! The tables, and what a file must be to be opened.

use std::fs;
use std::path::{Path, PathBuf};

use api_sys::compatibility::Origin;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::{Application, Target, digest, rewrite};
use crate::sqlite::BUSY_TIMEOUT;
use crate::temporary::Temporary;
use crate::{Error, Result, sodb, sqlite};

/// `PRAGMA application_id` of a PSDB: "PSDB" in ASCII.
pub const APPLICATION_ID: u32 = 0x5053_4442;

/// `PRAGMA user_version`: the version of this schema.
pub const USER_VERSION: u32 = 1;

/// Bytes of a page. docs/psdb.md has the measurements behind it.
pub const PAGE_SIZE: u32 = 65536;

/// The text of the tables, byte for byte as `sqlite_schema` has it, in the order of creation.
///
/// The text is part of the format: tools that merge databases of other makers demand the same text in every file.
pub const TABLES: [&str; 9] = [
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
    "CREATE TABLE batches(id INTEGER PRIMARY KEY, previous BLOB NOT NULL, batch BLOB NOT NULL, keys INTEGER NOT NULL, \
     vals INTEGER NOT NULL, groupkeys INTEGER NOT NULL, groups INTEGER NOT NULL)",
];

/// The columns that make a file of another maker readable.
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

/// An open file whose kind is known.
pub struct Opened {
    pub connection: Connection,
    pub metadata: Metadata,
    /// Whether the file was left in WAL mode: by a crash, or because a session is writing it.
    pub unfinished: bool,
}

/// What a file says about all of its content.
#[derive(Clone)]
pub struct Metadata {
    pub target: Target,
    pub application: Application,
    /// Whether the file has digests.
    pub verified: bool,
}

impl Metadata {
    pub fn origin(&self) -> Origin<'_> {
        self.target.origin(&self.application)
    }
}

/// Opens an existing PSDB; with `write` only one of this project's layout.
pub fn open(path: &Path, write: bool) -> Result<Opened> {
    if !write && beside(path, "-journal").exists() {
        // A crash while a finished file was put in WAL mode. Only who can write takes that back.
        let _ = open(path, true);
    }
    open_by(path, write, || sqlite::open_existing(path, write))
}

/// How a file is opened to be read.
pub type OpenToRead = fn(&Path) -> Result<Opened>;

/// Opens an existing PSDB to read it.
pub fn read(path: &Path) -> Result<Opened> {
    open(path, false)
}

/// Opens a PSDB that another session has open to write, so that nothing in this process can damage it.
pub fn watch(path: &Path) -> Result<Opened> {
    open_by(path, false, || sqlite::open_to_watch(path))
}

fn open_by(path: &Path, write: bool, connect: impl Fn() -> Result<Connection>) -> Result<Opened> {
    loop {
        let connection = connect()?;
        let header = sqlite::header(&connection);
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
        if foreign && write {
            return bad_format(format!(
                "its application_id is {:#010x}",
                header.application_id()
            ));
        }
        // Reading would leave files beside it; and another maker's log is not ours to judge.
        if foreign && beside(path, "-wal").exists() {
            return bad_format("another program's log is beside it".into());
        }
        if !foreign && header.user_version() != USER_VERSION {
            return bad_format(format!(
                "version {} of the schema is unknown",
                header.user_version()
            ));
        }
        // The first lock: from here on the file is what the path names, or it has been replaced in between.
        let begin = || {
            connection.execute_batch("BEGIN")?;
            let first = "SELECT count(*) FROM sqlite_schema";
            sqlite::patiently(BUSY_TIMEOUT, || connection.query_row(first, [], |_| Ok(())))
        };
        begin().map_err(|error| Error::sqlite(path, &error))?;
        check_tables(&connection, path, foreign)?;
        if sqlite::has_moved(&connection) {
            continue;
        }
        let metadata = metadata(&connection, path)?;
        let unfinished = sqlite::header(&connection).is_wal();
        // What is open to be written is ours, and its log is wanted in it.
        let closed = connection.execute_batch("COMMIT").and_then(|()| {
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !write)
        });
        closed.map_err(|error| Error::sqlite(path, &error))?;
        return Ok(Opened {
            connection,
            metadata,
            unfinished,
        });
    }
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
            // Then the queries find no digest.
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

pub fn metadata(connection: &Connection, path: &Path) -> Result<Metadata> {
    let read = read_metadata(connection).map_err(|error| Error::sqlite(path, &error))?;
    let (target, application) = read.ok_or_else(|| Error::Corrupt {
        path: path.to_owned(),
        reason: "no target or application".into(),
    })?;
    let verified = check_seal(connection, path, &target, &application)?;
    Ok(Metadata {
        target,
        application,
        verified,
    })
}

#[expect(
    clippy::cast_sign_loss,
    reason = "the columns hold unsigned numbers bit by bit"
)]
fn read_metadata(connection: &Connection) -> rusqlite::Result<Option<(Target, Application)>> {
    let target = connection
        .query_row(
            "SELECT abi, version, family FROM compiler_id ORDER BY id LIMIT 1",
            [],
            |row| {
                Ok(Target {
                    abi: row.get::<_, i64>(0)? as u64,
                    compiler_version: row.get::<_, i64>(1)? as u64,
                    family: row.get(2)?,
                    profile_version: 0,
                })
            },
        )
        .optional()?;
    let application = connection
        .query_row(
            "SELECT exe_path, app_name, engine_name, app_version, engine_version, app_profile_version \
             FROM app_id ORDER BY id LIMIT 1",
            [],
            |row| {
                let application = Application {
                    exe: row.get(0)?,
                    name: row.get(1)?,
                    engine_name: row.get(2)?,
                    version: row.get::<_, i64>(3)? as u64,
                    engine_version: row.get::<_, i64>(4)? as u64,
                };
                Ok((application, row.get::<_, i64>(5)? as u64))
            },
        )
        .optional()?;
    Ok(target
        .zip(application)
        .map(|(mut target, (application, profile_version))| {
            target.profile_version = profile_version;
            (target, application)
        }))
}

/// Whether the file has digests. Row 0 of `value_digests` is the one of the metadata, so that no file with digests has
/// an empty table, and a table without this row is either empty or damaged.
fn check_seal(
    connection: &Connection,
    path: &Path,
    target: &Target,
    application: &Application,
) -> Result<bool> {
    let sqlite = |error| Error::sqlite(path, &error);
    let corrupt = |reason: &str| {
        Err(Error::Corrupt {
            path: path.to_owned(),
            reason: reason.into(),
        })
    };
    let seal = "SELECT digest FROM value_digests WHERE id = 0";
    let seal: Option<Vec<u8>> = connection
        .query_row(seal, [], |row| row.get(0))
        .optional()
        .map_err(sqlite)?;
    match seal {
        Some(stored) if stored == digest::metadata(target, application).to_be_bytes() => Ok(true),
        Some(_) => corrupt("the target or the application does not match its digest"),
        None => {
            let rest =
                "SELECT EXISTS(SELECT 1 FROM value_digests) OR EXISTS(SELECT 1 FROM group_digests)";
            if connection
                .query_row(rest, [], |row| row.get(0))
                .map_err(sqlite)?
            {
                return corrupt("digests are missing");
            }
            Ok(false)
        }
    }
}

/// Makes the tables and the metadata in an empty database.
#[expect(
    clippy::cast_possible_wrap,
    reason = "the columns hold unsigned numbers bit by bit"
)]
pub fn write(
    connection: &Connection,
    target: &Target,
    application: &Application,
) -> rusqlite::Result<()> {
    for table in TABLES {
        connection.execute_batch(table)?;
    }
    connection.execute_batch(&format!(
        "PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={USER_VERSION};"
    ))?;
    connection.execute(
        "INSERT INTO compiler_id(id, abi, version, family) VALUES(0, ?1, ?2, ?3)",
        params![
            target.abi as i64,
            target.compiler_version as i64,
            target.family
        ],
    )?;
    connection.execute(
        "INSERT INTO app_id(id, exe_path, app_name, engine_name, app_version, engine_version, app_profile_version) \
         VALUES(0, ?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            application.exe,
            application.name,
            application.engine_name,
            application.version as i64,
            application.engine_version as i64,
            target.profile_version as i64
        ],
    )?;
    let seal = digest::metadata(target, application).to_be_bytes();
    connection.execute(
        "INSERT INTO value_digests(id, digest) VALUES(0, ?1)",
        [&seal[..]],
    )?;
    Ok(())
}

/// Changes the compiler version that a file says.
#[expect(
    clippy::cast_possible_wrap,
    reason = "the columns hold unsigned numbers bit by bit"
)]
pub fn set_compiler_version(
    connection: &mut Connection,
    metadata: &Metadata,
    version: u64,
) -> rusqlite::Result<()> {
    let target = Target {
        compiler_version: version,
        ..metadata.target.clone()
    };
    let seal = digest::metadata(&target, &metadata.application).to_be_bytes();
    let transaction = connection.transaction()?;
    transaction.execute("UPDATE compiler_id SET version = ?1", [version as i64])?;
    transaction.execute(
        "UPDATE value_digests SET digest = ?1 WHERE id = 0",
        [&seal[..]],
    )?;
    transaction.commit()
}

pub use sqlite::beside;

/// Files that a session creates. They are removed again, if nobody uses them, unless it keeps them.
#[derive(Default)]
pub struct Created(Vec<PathBuf>);

impl Created {
    /// Creates an empty PSDB, in WAL mode, unless there is a file with something in it.
    pub fn create(
        &mut self,
        path: &Path,
        target: &Target,
        application: &Application,
    ) -> Result<()> {
        let path = target_of(path);
        if fill(&path, target, application)? || create(&path, target, application)? {
            self.0.push(path.clone());
        }
        sqlite::sync_directory(&path)
    }

    pub fn keep(&mut self) {
        self.0.clear();
    }
}

impl Drop for Created {
    fn drop(&mut self) {
        for path in &self.0 {
            // What cannot be removed is as good as what nobody wanted removed.
            let _ = rewrite::remove_unused(path);
        }
    }
}

/// What a path names: of a link whose file does not exist yet that file.
fn target_of(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // Links can form a ring; what is still one then cannot be opened.
    for _ in 0..40 {
        let Ok(link) = fs::read_link(&path) else {
            break;
        };
        path = sqlite::folder_of(&path).join(link);
    }
    path
}

/// Whether there is something at a path. A file without a byte is as good as none: programs make such a one to have a name of
/// their own, as `GetTempFileName` does.
pub fn exists(path: &Path) -> bool {
    path.exists() && !is_without_bytes(path)
}

/// Whether a file is there, without a byte.
pub fn is_without_bytes(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0)
}

/// Makes a file without a byte an empty PSDB, in WAL mode; false if it is none. Of two that do this at a time one waits for
/// the other, and then finds a PSDB. A crash leaves the file without a byte, or whole.
fn fill(path: &Path, target: &Target, application: &Application) -> Result<bool> {
    if !is_without_bytes(path) {
        return Ok(false);
    }
    let connection = sqlite::open_empty(path)?;
    let make = || {
        connection.execute_batch(&format!("PRAGMA page_size={PAGE_SIZE}"))?;
        let transaction = Transaction::new_unchecked(&connection, TransactionBehavior::Exclusive)?;
        let is_empty = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
        let is_empty = transaction.query_row(is_empty, [], |row| row.get(0))?;
        if is_empty {
            write(&transaction, target, application)?;
            transaction.commit()?;
            sqlite::set_journal_mode(&connection, "wal")?;
        }
        Ok(is_empty)
    };
    make().map_err(|error| Error::sqlite(path, &error))
}

/// The path of the file itself, which need not exist yet: absolute, without links.
pub fn path_of_file(path: &Path) -> PathBuf {
    let path = target_of(path);
    let of_folder = || {
        let path = std::path::absolute(&path).ok()?;
        Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
    };
    let of_file = path.canonicalize().ok().or_else(of_folder);
    of_file.unwrap_or(path)
}

/// Creates an empty PSDB, in WAL mode; false if there is a file. Nobody sees a half-made one.
fn create(path: &Path, target: &Target, application: &Application) -> Result<bool> {
    if sqlite::has_no_folder(path) {
        return Err(Error::NotFound {
            path: path.to_owned(),
        });
    }
    let io = |error| Error::io(path, &error);
    let new = Temporary::beside(path).map_err(io)?;
    let made = sqlite::create_as(new.path(), path).and_then(|connection| {
        connection
            .execute_batch(&format!(
                "PRAGMA page_size={PAGE_SIZE}; PRAGMA journal_mode=MEMORY; BEGIN"
            ))
            .and_then(|()| write(&connection, target, application))
            .and_then(|()| connection.execute_batch("COMMIT"))
            .and_then(|()| sqlite::set_journal_mode(&connection, "wal"))
            .and_then(|_| connection.close().map_err(|(_, error)| error))
            .map_err(|error| Error::sqlite(path, &error))
    });
    made.and_then(|()| new.place(path).map_err(io))
}
