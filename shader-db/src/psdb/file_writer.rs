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

/// Owners before what they refer to.
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

/// What a file gets of a batch.
#[derive(Clone, Copy)]
pub struct Share {
    /// Values of these types, and all groups.
    pub types: ValueTypes,
    /// Whether it also gets the keys of values that are in other files.
    pub is_main: bool,
    /// The version of the compiler that has made it, if that is known.
    pub compiler: Option<u64>,
}

/// What became of an item that a file got.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// The file did not have its key.
    New,
    /// The file had its key.
    Known,
    /// It is a group, and the file has another one under its key, which stays.
    Refused,
}

pub struct FileWriter {
    pub path: PathBuf,
    connection: Connection,
    metadata: Metadata,
    /// Created by this session, or left by a crash: rewritten in the canonical order when the session closes.
    unfinished: bool,
    /// In WAL mode. A finished file stays as it is until something is stored.
    pub wal: bool,
    /// Of which version of the compiler the file says that it has something.
    compiler: Option<u64>,
}

impl FileWriter {
    pub fn new(opened: schema::Opened, path: &Path) -> Result<Self> {
        let schema::Opened {
            connection,
            metadata,
            unfinished,
        } = opened;
        // Every id that is written is of a row of the same transaction: to look it up once more is a fifth of the work.
        // A batch is written in the order of the keys, so few pages are in use at a time.
        connection
            .execute_batch(
                "PRAGMA foreign_keys=OFF; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0; \
                 PRAGMA cache_size=-8192;",
            )
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

    /// Runs statements, whose failure is this file's.
    pub fn run<T>(&mut self, run: impl FnOnce(&mut Self) -> rusqlite::Result<T>) -> Result<T> {
        run(self).map_err(|error| Error::sqlite(&self.path, &error))
    }

    pub fn begin(&self) -> rusqlite::Result<()> {
        self.connection.execute_batch("BEGIN IMMEDIATE")
    }

    pub fn commit(&self) -> rusqlite::Result<()> {
        self.connection.execute_batch("COMMIT")
    }

    /// Ends a transaction that failed.
    pub fn roll_back(&self) {
        // Fails if SQLite has done it already.
        let _ = self.connection.execute_batch("ROLLBACK");
    }

    /// Puts a finished file in WAL mode; [`Error::Busy`] if a reader is in the way for longer than a moment.
    pub fn use_wal(&mut self) -> Result<()> {
        let prepare = |connection: &Connection, wait: Duration, fold: bool| {
            connection.busy_timeout(wait)?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !fold)
        };
        let run = || {
            prepare(&self.connection, Duration::from_millis(20), false)?;
            let switched = sqlite::set_journal_mode(&self.connection, "wal")?;
            // From the first read on, the connection's lock keeps others from replacing the file.
            self.connection
                .query_row("SELECT 1 FROM compiler_id", [], |_| Ok(()))?;
            prepare(&self.connection, sqlite::BUSY_TIMEOUT, true)?;
            Ok(switched)
        };
        let switched = run();
        if sqlite::has_moved(&self.connection) {
            let opened = schema::open_again(&self.path, true, &self.metadata)?;
            *self = Self::new(opened, &self.path)?;
        } else {
            self.wal = switched.map_err(|error| Error::sqlite(&self.path, &error))?;
        }
        if self.wal {
            return Ok(());
        }
        Err(Error::Busy {
            path: self.path.clone(),
        })
    }

    /// Removes from this file, a side file, what a session without the main file has stored, or one with another main file:
    /// groups that are others, and values of keys that the main file, which decides, did not have.
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

    /// Adds items.
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

    /// The id of the file's group under the key of an item, if it is another one. Without digests only the versions are
    /// compared: groups of the same version are others if `unless_known`.
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

    /// Removes what this file, a side file, has and the main file does not name: it was committed here, and the process was
    /// killed before it was committed there. `main` is in a transaction.
    pub fn remove_unknown_to(&self, main: &Self) -> rusqlite::Result<()> {
        // Without digests only the versions tell groups apart.
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

    /// The first column of the rows that are wanted.
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

    /// Moves all of the WAL into the file, so that the next commit begins it anew; false if a snapshot needs it.
    pub fn checkpoint(&self) -> rusqlite::Result<bool> {
        self.connection.busy_timeout(Duration::from_millis(20))?;
        let checkpoint = "PRAGMA wal_checkpoint(RESTART)";
        let is_busy = self.connection.query_row(checkpoint, [], |row| row.get(0));
        self.connection.busy_timeout(sqlite::BUSY_TIMEOUT)?;
        is_busy.map(|is_busy: bool| !is_busy)
    }

    /// Closes the file, in one piece if no other session has it open.
    pub fn finish(self, sound: bool) -> Result<()> {
        // Another session may have put the file in WAL mode, and left it so because of this one.
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
        // Its own transaction is in the way.
        writer.checkpoint().unwrap_err();
        let wait = "PRAGMA busy_timeout";
        let wait: Result<u32, _> = writer.connection.query_row(wait, [], |row| row.get(0));
        assert_eq!(wait, Ok(5000));
    }
}
