//! The canonical form of a file: the same content gives the same bytes, whatever order it came in.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, params};

use super::{digest, read, schema};
use crate::{Error, Result, sqlite};

/// How long a session that closes waits for others that close.
const PATIENCE: Duration = Duration::from_millis(250);

/// Rewrites a PSDB in the canonical form, and gives digests to a file that has none.
///
/// A session does this itself when it closes a file that it created. It is for files that were added to later, or that
/// another tool has merged.
///
/// # Errors
///
/// [`Error::Busy`] if a session has the file open; [`Error::Corrupt`] if a digest does not match; those of opening and
/// writing a file. The file is then as before.
pub fn rewrite(path: &Path) -> Result<()> {
    // Says what is wrong with a file that is none of ours, and does not touch it.
    drop(schema::open(path, true)?);
    // The name of the file itself, so that a link to it stays a link.
    let path = fs::canonicalize(path).map_err(|error| Error::io(path, &error))?;
    let replaced = match exclusive(&path)? {
        Some(connection) => replace(connection, &path)?,
        None => false,
    };
    if replaced {
        Ok(())
    } else {
        Err(Error::Busy { path })
    }
}

/// Ends the writing of a file, which the caller has closed, if no other session has it open.
pub fn finish(path: &Path, canonical: bool) -> Result<()> {
    let Some(connection) = exclusive(path)? else {
        return Ok(());
    };
    if canonical && sqlite::header(&connection).is_wal() {
        replace(connection, path)?;
    } else {
        // Its rows stay where they are.
        make_one_piece(&connection, path)?;
    }
    Ok(())
}

/// Opens a file such that nobody else can read it or write it until the connection is dropped; none if somebody has it
/// open. Nothing is locked while this waits: of two sessions that close at once, one comes first.
fn exclusive(path: &Path) -> Result<Option<Connection>> {
    let sqlite = |error| Error::sqlite(path, &error);
    loop {
        let connection = sqlite::open_existing(path, true)?;
        connection.busy_timeout(PATIENCE).map_err(sqlite)?;
        let locked = connection
            .execute_batch("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
            .map_err(sqlite);
        match locked {
            Err(Error::Busy { .. }) => return Ok(None),
            locked => locked?,
        }
        if !sqlite::has_moved(&connection) {
            connection
                .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
                .map_err(sqlite)?;
            return Ok(Some(connection));
        }
    }
}

/// Folds the log and removes what is beside the file. The lock stays.
fn make_one_piece(connection: &Connection, path: &Path) -> Result<()> {
    if !sqlite::set_journal_mode(connection, "delete")
        .map_err(|error| Error::sqlite(path, &error))?
    {
        return Err(Error::Busy {
            path: path.to_owned(),
        });
    }
    // The index of the log, which a connection leaves behind if this one was waiting when it closed.
    let _ = fs::remove_file(schema::beside(path, "-shm"));
    Ok(())
}

/// Puts the canonical copy in the place of a file that nobody else has open; false if the system does not let it.
fn replace(connection: Connection, path: &Path) -> Result<bool> {
    let part = Part(schema::beside(path, ".part"));
    write_copy(&connection, path, &part.0)?;
    // The log must not be found beside the new file.
    make_one_piece(&connection, path)?;
    // Windows renames over no open file, so it is closed before. The moment between is without a lock; a session that
    // opens the file in it makes the rename fail, and what it has written shows in the header.
    if cfg!(windows) {
        let before = sqlite::header(&connection);
        drop(connection);
        let until = Instant::now() + 4 * PATIENCE;
        while fs::rename(&part.0, path).is_err() {
            // Virus scanners open what was just closed.
            thread::sleep(Duration::from_millis(5));
            let now =
                sqlite::open_existing(path, false).map(|connection| sqlite::header(&connection));
            if Instant::now() > until || !now.is_ok_and(|now| now == before) {
                return Ok(false);
            }
        }
    } else {
        fs::rename(&part.0, path).map_err(|error| Error::io(path, &error))?;
        drop(connection);
    }
    sqlite::sync_directory(path).map(|()| true)
}

/// Removes a file that has nothing in it, if no session has it open.
pub fn remove_unused(path: &Path) -> Result<()> {
    let Some(connection) = exclusive(path)? else {
        return Ok(());
    };
    let used = "SELECT EXISTS(SELECT 1 FROM keys) OR EXISTS(SELECT 1 FROM groupkeys)";
    let used: bool = connection
        .query_row(used, [], |row| row.get(0))
        .map_err(|error| Error::sqlite(path, &error))?;
    if used {
        return Ok(());
    }
    make_one_piece(&connection, path)?;
    // Windows removes no open file; it stays if somebody opens it in between.
    let open = (!cfg!(windows)).then_some(connection);
    let removed = fs::remove_file(path).map_err(|error| Error::io(path, &error));
    drop(open);
    removed
}

/// A file that is removed unless it was renamed.
pub struct Part(pub PathBuf);

impl Drop for Part {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn write_copy(from: &Connection, path: &Path, part: &Path) -> Result<()> {
    write_part(part, |to| copy(from, path, to, part))
}

/// Writes a new file, in place of what is there, in one transaction, and syncs it.
pub fn write_part(part: &Path, fill: impl FnOnce(&Connection) -> Result<()>) -> Result<()> {
    match fs::remove_file(part) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::io(part, &error));
        }
        _ => {}
    }
    let to = sqlite::create(part)?;
    let on_part = |error| Error::sqlite(part, &error);
    // Nothing is lost if this fails, so there is nothing to roll back.
    to.execute_batch(&format!(
        "PRAGMA page_size={}; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; \
         PRAGMA foreign_keys=OFF; PRAGMA cache_size=-16384; BEGIN",
        schema::PAGE_SIZE
    ))
    .map_err(on_part)?;
    fill(&to)?;
    to.execute_batch("COMMIT").map_err(on_part)?;
    to.close().map_err(|(_, error)| on_part(error))?;
    let file = fs::File::options().write(true).open(part);
    file.and_then(|file| file.sync_all())
        .map_err(|error| Error::io(part, &error))
}

/// Copies the rows: keys by their bytes, each with its values by type; then groups by their keys' bytes, each in its own
/// order.
fn copy(from: &Connection, path: &Path, to: &Connection, part: &Path) -> Result<()> {
    let read = |error| Error::sqlite(path, &error);
    let written = |error| Error::sqlite(part, &error);
    let corrupt = |reason: &str| Error::Corrupt {
        path: path.to_owned(),
        reason: reason.into(),
    };

    let meta = schema::metadata(from, path)?;
    schema::write(to, &meta.target, &meta.application).map_err(written)?;
    let check = |stored: Option<&[u8]>, computed: u128| match stored {
        _ if !meta.verified => Ok(()),
        Some(stored) if *stored == computed.to_be_bytes() => Ok(()),
        Some(_) => Err(corrupt("a digest does not match")),
        None => Err(corrupt("a digest is missing")),
    };

    // Pages are read once each at random; SQLite's cache would only copy them.
    from.execute_batch("PRAGMA mmap_size=0x7fff0000; PRAGMA cache_size=-8192;")
        .map_err(read)?;
    let mut ids: HashMap<i64, i64> = HashMap::new();
    let mut keys = from
        .prepare("SELECT keyid, key, last_accessed FROM keys ORDER BY key")
        .map_err(read)?;
    let mut values = from
        .prepare(
            "SELECT type, value, digest FROM vals \
             LEFT JOIN value_digests ON value_digests.id = vals.keyid * 4 + vals.type \
             WHERE keyid = ?1 ORDER BY type",
        )
        .map_err(read)?;
    let mut add_key = to
        .prepare("INSERT INTO keys(keyid, key, last_accessed) VALUES(?1, ?2, ?3)")
        .map_err(written)?;
    let mut add_value = to
        .prepare("INSERT INTO vals(keyid, type, value) VALUES(?1, ?2, ?3)")
        .map_err(written)?;
    let mut add_digest = to
        .prepare("INSERT INTO value_digests(id, digest) VALUES(?1, ?2)")
        .map_err(written)?;
    let mut rows = keys.query([]).map_err(read)?;
    let mut next = 0_i64;
    while let Some(row) = rows.next().map_err(read)? {
        next += 1;
        let old: i64 = row.get(0).map_err(read)?;
        let key = row
            .get_ref(1)
            .and_then(|key| Ok(key.as_blob()?))
            .map_err(read)?;
        let accessed: i64 = row.get(2).map_err(read)?;
        ids.insert(old, next);
        add_key
            .execute(params![next, key, accessed])
            .map_err(written)?;
        let mut rows = values.query([old]).map_err(read)?;
        while let Some(row) = rows.next().map_err(read)? {
            let kind: u8 = row.get(0).map_err(read)?;
            let value = row
                .get_ref(1)
                .and_then(|value| Ok(value.as_blob()?))
                .map_err(read)?;
            let stored = row
                .get_ref(2)
                .and_then(|stored| Ok(stored.as_blob_or_null()?))
                .map_err(read)?;
            let digest = digest::value(key, kind, value);
            check(stored, digest)?;
            add_value
                .execute(params![next, kind, value])
                .map_err(written)?;
            let id = next * 4 + i64::from(kind);
            add_digest
                .execute(params![id, &digest.to_be_bytes()[..]])
                .map_err(written)?;
        }
    }

    let mut groups = from
        .prepare(
            "SELECT keyid, key, version, digest FROM groupkeys \
             LEFT JOIN group_digests ON group_digests.groupkeyid = groupkeys.keyid ORDER BY key",
        )
        .map_err(read)?;
    let mut members = from
        .prepare(
            "SELECT groups.valuekeyid, keys.key FROM groups LEFT JOIN keys ON keys.keyid = groups.valuekeyid \
             WHERE groups.groupkeyid = ?1 ORDER BY groups.rowid",
        )
        .map_err(read)?;
    let mut add_group = to
        .prepare("INSERT INTO groupkeys(keyid, key, version) VALUES(?1, ?2, ?3)")
        .map_err(written)?;
    let mut add_member = to
        .prepare("INSERT INTO groups(groupkeyid, valuekeyid) VALUES(?1, ?2)")
        .map_err(written)?;
    let mut add_digest = to
        .prepare("INSERT INTO group_digests(groupkeyid, digest) VALUES(?1, ?2)")
        .map_err(written)?;
    let mut rows = groups.query([]).map_err(read)?;
    let mut next = 0_i64;
    let mut list = Vec::new();
    while let Some(row) = rows.next().map_err(read)? {
        next += 1;
        let old: i64 = row.get(0).map_err(read)?;
        let key = row
            .get_ref(1)
            .and_then(|key| Ok(key.as_blob()?))
            .map_err(read)?;
        let version = read::version_of(row.get(2).map_err(read)?);
        let version = version.ok_or_else(|| corrupt("a group's version is out of range"))?;
        add_group
            .execute(params![next, key, version])
            .map_err(written)?;
        list.clear();
        let mut rows = members.query([old]).map_err(read)?;
        while let Some(member) = rows.next().map_err(read)? {
            let id: i64 = member.get(0).map_err(read)?;
            digest::push_key(
                &mut list,
                member
                    .get_ref(1)
                    .and_then(|key| Ok(key.as_blob()?))
                    .map_err(read)?,
            );
            let id = ids
                .get(&id)
                .ok_or_else(|| corrupt("a group names a key that is missing"))?;
            add_member.execute(params![next, id]).map_err(written)?;
        }
        let stored = row
            .get_ref(3)
            .and_then(|stored| Ok(stored.as_blob_or_null()?))
            .map_err(read)?;
        let digest = digest::group(key, version, &list);
        check(stored, digest)?;
        add_digest
            .execute(params![next, &digest.to_be_bytes()[..]])
            .map_err(written)?;
    }
    Ok(())
}
