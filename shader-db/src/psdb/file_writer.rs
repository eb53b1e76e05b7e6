//! Writing one file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, params};

use super::batch::{Content, Item};
use super::lookup::Lookup;
use super::metadata::{self, Metadata};
use super::tables::{Added, Tables};
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

/// A commit checkpoints the WAL when it has this many bytes.
const WAL: u32 = 64 << 20;

/// The connection through which a session writes a file.
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
            ..
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
                let page: u32 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
                connection.execute_batch(&format!(
                    "PRAGMA foreign_keys=OFF; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint={}; \
                     PRAGMA cache_size=-8192;",
                    WAL / page
                ))
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

    fn begin(&self) -> rusqlite::Result<()> {
        self.connection.execute_batch("BEGIN IMMEDIATE")
    }

    /// Begins a transaction in a file in WAL mode. Its lock keeps sessions from replacing it, but not other programs.
    pub fn begin_present(&mut self) -> Result<()> {
        loop {
            self.run(|writer| writer.begin())?;
            if !sqlite::has_moved(&self.connection) {
                return Ok(());
            }
            self.roll_back();
            self.open_again()?;
            self.use_wal()?;
        }
    }

    pub fn commit(&self) -> rusqlite::Result<()> {
        self.connection.execute_batch("COMMIT")
    }

    pub fn roll_back(&mut self) {
        self.compiler = None;
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

    /// Puts a finished file in WAL mode.
    pub fn use_wal(&mut self) -> Result<()> {
        while !self.wal {
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
                if switched && sqlite::is_locked_by(connection) {
                    return Ok(Some(()));
                }
                // Another session reads, or one that closed between the two statements has undone the switch.
                Err(sqlite::busy())
            };
            let run = || {
                fold(false)?;
                sqlite::wait_with_lock(connection)?;
                let switched = sqlite::patiently_present(connection, sqlite::BUSY_TIMEOUT, switch)?;
                fold(true)?;
                Ok(switched.flatten())
            };
            match run().map_err(|error| Error::sqlite(&self.path, &error))? {
                Some(()) => {
                    self.wal = true;
                    self.run(|writer| sqlite::wait_for_writers(&writer.connection))?;
                }
                // Another file has taken its place.
                None => self.open_again()?,
            }
        }
        Ok(())
    }

    /// The content of the file with that of the transaction.
    pub fn lookup(&self) -> Lookup<'_> {
        Lookup(&self.connection)
    }

    /// Removes from this side file what a session without the main file, or with another one, has stored: groups that differ,
    /// and values of keys that are new in the main file, which decides.
    pub fn remove_others(&self, items: &[(&Item, bool)]) -> rusqlite::Result<()> {
        for (item, is_new) in items {
            if let Some(group) = self.other_group(item)? {
                self.delete(&DELETE_GROUP, group)?;
            }
            if *is_new
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

    pub fn add(&mut self, items: &[&Item], share: Share) -> rusqlite::Result<Added> {
        if let Some(compiler) = share.compiler
            && self.compiler != share.compiler
        {
            metadata::lower_compiler_version(&self.connection, compiler)?;
            self.compiler = share.compiler;
        }
        Tables::new(&self.connection)?.add(items, share, self.metadata.verified)
    }

    /// The id of the file's group under the key of an item, if that is another group. Without digests every group is another
    /// one.
    fn other_group(&self, item: &Item) -> rusqlite::Result<Option<i64>> {
        let Content::Group { version, digest } = item.content else {
            return Ok(None);
        };
        let digest = self.metadata.verified.then_some(digest.to_be_bytes());
        let digest = digest.as_ref().map(|bytes| &bytes[..]);
        self.connection
            .prepare_cached(
                "SELECT keyid FROM groupkeys LEFT JOIN group_digests ON groupkeyid = keyid \
                 WHERE key = ?1 AND (version <> ?2 OR ifnull(digest <> ?3, true))",
            )?
            .query_row(params![item.key(), version, digest], |row| row.get(0))
            .optional()
    }

    /// Removes from this side file what the main file does not name: a process committed it here, and was killed before it
    /// committed to the main file. `main` is in a transaction.
    pub fn remove_unknown_to(&self, main: &Self) -> rusqlite::Result<()> {
        // Without digests only the versions distinguish groups.
        let digest = if self.metadata.verified && main.metadata.verified {
            "AND ifnull(digest = ?3, true)"
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

    /// Closes the file, in one piece if no other session has it open.
    pub fn finish(self) -> Result<()> {
        // Another session may have put the file in WAL mode, and could not undo that because of this session.
        let wal = self.wal || sqlite::header(&self.connection).is_wal();
        let has_moved = sqlite::has_moved(&self.connection);
        drop(self.connection);
        if wal && !has_moved {
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
