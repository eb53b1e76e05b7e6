//! The writing connection of one file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, params};

use super::metadata::{self, Metadata};
use super::pending::{Content, Item};
use super::tables::Tables;
use super::{ValueTypes, rewrite, schema};
use crate::{Error, Result, sqlite};

/// Rows that refer to others come before those others.
const DELETE_GROUP: [&str; 3] = [
    "DELETE FROM group_digests WHERE groupkeyid = ?1",
    "DELETE FROM groups WHERE groupkeyid = ?1",
    "DELETE FROM groupkeys WHERE keyid = ?1",
];
const DELETE_VALUES: [&str; 2] = [
    "DELETE FROM value_digests WHERE id BETWEEN ?1 * 4 AND ?1 * 4 + 3",
    "DELETE FROM vals WHERE keyid = ?1",
];
const DELETE_KEY: [&str; 1] = ["DELETE FROM keys WHERE keyid = ?1"];

/// The part of a batch that a file gets.
#[derive(Clone, Copy)]
pub struct Share {
    /// Values of these types, and all groups.
    pub types: ValueTypes,
    /// Whether the file also gets the keys of values that are in other files.
    pub is_main: bool,
    /// The version of the compiler that made the items, if that is known.
    pub compiler: Option<u64>,
}

/// The result of writing an item to a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// The file did not have its key.
    New,
    /// The file had its key.
    Known,
    /// The item is a group, and the file keeps another group under its key.
    Refused,
}

/// How long a connection tries to put a file in WAL mode before the session looks after its readers again.
const SWITCH_PATIENCE: Duration = Duration::from_millis(400);

pub struct FileWriter {
    pub path: PathBuf,
    connection: Connection,
    metadata: Metadata,
    /// Whether this session created the file, or a crash left it: the session rewrites it in canonical form when it closes.
    unfinished: bool,
    /// Whether the file is in WAL mode. A finished file stays as it is until the session stores something.
    pub wal: bool,
    /// The version of the compiler that the file names as the oldest of its content.
    compiler: Option<u64>,
}

impl FileWriter {
    pub fn new(opened: schema::Opened, path: &Path) -> Result<Self> {
        let schema::Opened {
            connection,
            metadata,
            unfinished,
        } = opened;
        // A connection that has no lock on its file must not wait in SQLite.
        let wait = if unfinished {
            sqlite::BUSY_TIMEOUT
        } else {
            Duration::ZERO
        };
        connection
            .busy_timeout(wait)
            .and_then(|()| {
                // Every written id refers to a row of the same transaction: checking it again would be a fifth of the work. A
                // batch is sorted by key, so its writes use few pages at a time.
                connection.execute_batch(
                "PRAGMA foreign_keys=OFF; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0; \
                 PRAGMA cache_size=-8192;",
            )
            })
            .map_err(|error| Error::sqlite(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            connection,
            metadata,
            unfinished,
            wal: unfinished,
            compiler: None,
        })
    }

    /// Runs statements and reports their failure as this file's.
    pub fn run<T>(&mut self, run: impl FnOnce(&mut Self) -> rusqlite::Result<T>) -> Result<T> {
        run(self).map_err(|error| Error::sqlite(&self.path, &error))
    }

    pub fn begin(&self) -> rusqlite::Result<()> {
        self.connection.execute_batch("BEGIN IMMEDIATE")
    }

    pub fn commit(&self) -> rusqlite::Result<()> {
        self.connection.execute_batch("COMMIT")
    }

    pub fn roll_back(&self) {
        // Fails if SQLite has already rolled it back.
        let _ = self.connection.execute_batch("ROLLBACK");
    }

    fn open_again(&mut self) -> Result<()> {
        let opened = schema::open_again(&self.path, true, &self.metadata)?;
        *self = Self::new(opened, &self.path)?;
        Ok(())
    }

    /// Begins a transaction in a file which, as it need not be in WAL mode, another one can have replaced.
    pub fn begin_anew(&mut self) -> Result<()> {
        loop {
            let (connection, patience) = (&self.connection, sqlite::BUSY_TIMEOUT);
            let begun = sqlite::patiently_present(connection, patience, || self.begin());
            let begun = begun.map_err(|error| Error::sqlite(&self.path, &error))?;
            if begun.is_some() {
                return Ok(());
            }
            self.open_again()?;
        }
    }

    /// Puts a finished file in WAL mode; [`Error::Busy`] if others prevent that for longer than a moment.
    pub fn use_wal(&mut self) -> Result<()> {
        let connection = &self.connection;
        let fold = |fold: bool| {
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !fold)
        };
        let switch = || {
            let switched = sqlite::set_journal_mode(connection, "wal")?;
            if !sqlite::lock_present(connection)? {
                return Ok(None);
            }
            // From the first read on, this connection's lock keeps others from replacing the file.
            connection.query_row("SELECT 1 FROM compiler_id", [], |_| Ok(()))?;
            // In WAL mode the lock stays. Another session that closed between the two statements has undone the switch.
            Ok(Some(switched && sqlite::is_locked_by(connection)))
        };
        let run = || {
            fold(false)?;
            sqlite::wait_with_lock(connection)?;
            let switched = sqlite::patiently_present(connection, SWITCH_PATIENCE, switch)?;
            fold(true)?;
            Ok(switched.flatten())
        };
        match run().map_err(|error| Error::sqlite(&self.path, &error))? {
            Some(switched) => self.wal = switched,
            // Another file has taken its place.
            None => self.open_again()?,
        }
        if self.wal {
            return self.run(|writer| writer.connection.busy_timeout(sqlite::BUSY_TIMEOUT));
        }
        Err(Error::Busy {
            path: self.path.clone(),
        })
    }

    /// Removes from this side file what a session without the main file, or with another one, has stored: groups that differ,
    /// and values of keys that the main file, which decides, did not have.
    pub fn remove_others(&self, items: &[(&Item, Written)]) -> rusqlite::Result<()> {
        for (item, written) in items {
            if let Some(group) = self.other_group(item, true)? {
                self.delete(&DELETE_GROUP, group)?;
            }
            if *written == Written::New
                && matches!(item.content, Content::Values(_))
                && let Some(key) = self.key_id(item.key())?
            {
                self.delete(&DELETE_VALUES, key)?;
            }
        }
        Ok(())
    }

    fn key_id(&self, key: &[u8]) -> rusqlite::Result<Option<i64>> {
        self.connection
            .prepare_cached("SELECT keyid FROM keys WHERE key = ?1")?
            .query_row([key], |row| row.get(0))
            .optional()
    }

    fn delete(&self, statements: &[&str], id: i64) -> rusqlite::Result<()> {
        for statement in statements {
            self.connection.prepare_cached(statement)?.execute([id])?;
        }
        Ok(())
    }

    pub fn write(&mut self, items: &[&Item], share: Share) -> rusqlite::Result<Vec<Written>> {
        if let Some(compiler) = share.compiler
            && self.compiler != share.compiler
        {
            metadata::lower_compiler_version(&self.connection, compiler)?;
            self.compiler = share.compiler;
        }
        let are_new = Tables::new(&self.connection)?.add(items, share, self.metadata.verified)?;
        let written = |(&item, is_new): (&&Item, bool)| {
            if is_new {
                return Ok(Written::New);
            }
            if self.other_group(item, false)?.is_none() {
                return Ok(Written::Known);
            }
            tracing::warn!(
                "another session has stored another group under the same key; that one stays"
            );
            Ok(Written::Refused)
        };
        items.iter().zip(are_new).map(written).collect()
    }

    /// The id of the file's group under the key of an item, if that is another group. Without digests this compares only the
    /// versions: a group of the same version is another one if `unless_known`.
    fn other_group(&self, item: &Item, unless_known: bool) -> rusqlite::Result<Option<i64>> {
        let Content::Group { version, digest } = item.content else {
            return Ok(None);
        };
        let digest = self.metadata.verified.then_some(digest.to_be_bytes());
        let digest = digest.as_ref().map(|bytes| &bytes[..]);
        self.connection
            .prepare_cached(
                "SELECT keyid FROM groupkeys LEFT JOIN group_digests ON groupkeyid = keyid \
                 WHERE key = ?1 AND (version <> ?2 OR ifnull(digest <> ?3, ?4))",
            )?
            .query_row(params![item.key(), version, digest, unless_known], |row| {
                row.get(0)
            })
            .optional()
    }

    /// Removes from this side file what the main file does not name: a process committed it here, and was killed before it
    /// committed to the main file. `main` is in a transaction.
    pub fn remove_unknown_to(&self, main: &Self) -> rusqlite::Result<()> {
        // Without digests only the versions distinguish groups.
        let digest = if self.metadata.verified && main.metadata.verified {
            "AND digest IS ?3"
        } else {
            "AND ?3 IS ?3"
        };
        let has_group = format!(
            "SELECT 1 FROM groupkeys LEFT JOIN group_digests ON groupkeyid = keyid \
             WHERE key = ?1 AND version = ?2 {digest}"
        );
        let (of_side, of_main) = (&self.connection, &main.connection);
        let groups = self.ids(
            "SELECT keyid, key, version, digest FROM groupkeys LEFT JOIN group_digests ON groupkeyid = keyid",
            |row| {
                let (key, version, digest): (Vec<u8>, i64, Option<Vec<u8>>) =
                    (row.get(1)?, row.get(2)?, row.get(3)?);
                let mut has = of_main.prepare_cached(&has_group)?;
                Ok(!has.exists(params![key, version, digest])?)
            },
        )?;
        let keys = self.ids("SELECT keyid, key FROM keys", |row| {
            let mut has = of_main.prepare_cached("SELECT 1 FROM keys WHERE key = ?1")?;
            Ok(!has.exists([row.get_ref(1)?.as_blob()?])?)
        })?;
        if groups.is_empty() && keys.is_empty() {
            return Ok(());
        }
        tracing::info!(
            path = %self.path.display(), groups = groups.len(), keys = keys.len(),
            "what the main file does not have is removed: a process was killed while it stored it"
        );
        of_side.execute_batch("BEGIN IMMEDIATE")?;
        for group in groups {
            self.delete(&DELETE_GROUP, group)?;
        }
        for key in keys {
            self.delete(&DELETE_VALUES, key)?;
            self.delete(&DELETE_KEY, key)?;
        }
        self.commit()
    }

    /// The first column of the rows that the query selects.
    fn ids(
        &self,
        select: &str,
        is_wanted: impl Fn(&rusqlite::Row) -> rusqlite::Result<bool>,
    ) -> rusqlite::Result<Vec<i64>> {
        let mut select = self.connection.prepare(select)?;
        let mut rows = select.query([])?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next()? {
            if is_wanted(row)? {
                ids.push(row.get(0)?);
            }
        }
        Ok(ids)
    }

    /// Checkpoints the whole WAL, so that the next commit starts it anew; false if a snapshot needs it.
    pub fn checkpoint(&self) -> rusqlite::Result<bool> {
        self.connection.busy_timeout(Duration::from_millis(20))?;
        let checkpoint = "PRAGMA wal_checkpoint(RESTART)";
        let is_busy = self.connection.query_row(checkpoint, [], |row| row.get(0));
        self.connection.busy_timeout(sqlite::BUSY_TIMEOUT)?;
        is_busy.map(|is_busy: bool| !is_busy)
    }

    /// Closes the file, in one piece if no other session has it open.
    pub fn finish(self, sound: bool) -> Result<()> {
        // Another session may have put the file in WAL mode, and could not undo that because of this session.
        let wal = self.wal || sqlite::header(&self.connection).is_wal();
        drop(self.connection);
        if sound && wal {
            rewrite::finish(&self.path, self.unfinished)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::create::example;
    use super::*;

    #[test]
    fn a_failed_checkpoint_shortens_no_later_wait() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.psdb");
        example::file(&path);
        let writer = FileWriter::new(schema::open(&path, true).unwrap(), &path).unwrap();
        writer.begin().unwrap();
        // The connection's own transaction prevents a checkpoint.
        writer.checkpoint().unwrap_err();
        let wait = "PRAGMA busy_timeout";
        let wait: Result<u32, _> = writer.connection.query_row(wait, [], |row| row.get(0));
        assert_eq!(wait, Ok(5000));
    }

    #[test]
    fn a_switch_that_another_session_has_undone_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.psdb");
        example::file(&path);
        rewrite::finish(&path, true).unwrap();
        let connection = schema::open(&path, true).unwrap().connection;
        assert_eq!(sqlite::set_journal_mode(&connection, "wal"), Ok(true));
        assert!(!sqlite::is_locked_by(&connection));
        rewrite::finish(&path, false).unwrap();
        assert_eq!(sqlite::lock_present(&connection), Ok(true));
        let first = "SELECT 1 FROM compiler_id";
        connection.query_row(first, [], |_| Ok(())).unwrap();
        assert!(!sqlite::is_locked_by(&connection));
        // Nobody undoes this one.
        let mut writer = FileWriter::new(schema::open(&path, true).unwrap(), &path).unwrap();
        writer.use_wal().unwrap();
        assert!(sqlite::is_locked_by(&writer.connection));
    }
}
