//! Taking groups out of a file, as when their objects have another version now, and values that no group names.

use std::path::Path;

use rusqlite::Connection;

use super::File;
use super::inspect::LOOSE;
use super::rewrite::exclusive;
use super::schema;
use crate::{Error, Result};

/// Owners before what they refer to.
const DELETE: &str = "
    CREATE TEMP TABLE lost AS
        SELECT valuekeyid AS keyid FROM groups WHERE groupkeyid IN (SELECT keyid FROM gone)
        EXCEPT SELECT valuekeyid FROM groups WHERE groupkeyid NOT IN (SELECT keyid FROM gone);
    DELETE FROM group_digests WHERE groupkeyid IN (SELECT keyid FROM gone);
    DELETE FROM groups WHERE groupkeyid IN (SELECT keyid FROM gone);
    DELETE FROM groupkeys WHERE keyid IN (SELECT keyid FROM gone);
    DROP TABLE gone";

/// Of the keys whose values are lost: owners before what they refer to.
const DELETE_LOST: &str = "
    DELETE FROM value_digests WHERE id > 0 AND id / 4 IN (SELECT keyid FROM lost);
    DELETE FROM vals WHERE keyid IN (SELECT keyid FROM lost);
    DELETE FROM keys WHERE keyid IN (SELECT keyid FROM lost);
    DROP TABLE lost";

/// Removes the groups of these keys from the files of a session, its main file first, and the values that no other group
/// names. A key without a group is no error. The room is given back by [`rewrite`](super::rewrite()).
///
/// A session that only finds, in files that were finished, is not in the way: what it has found may be gone when it stores.
/// One that is to build on it calls [`begin`](super::Psdb::begin) first.
///
/// # Errors
///
/// [`Error::Busy`] if a session has a file open to store, and has begun, or is reading; those of opening a file. All files are
/// then as before. Those of writing a file: it is as before. The main file, which decides what there is, is written last: who
/// was interrupted does the same again.
pub fn remove_groups<P: AsRef<Path>, K: AsRef<[u8]>>(files: &[P], keys: &[K]) -> Result<()> {
    let mut open = Vec::new();
    for path in files {
        let path = path.as_ref();
        open.push((path, open_alone(path)?));
    }
    let Some((main, sides)) = open.split_first_mut() else {
        return Ok(());
    };
    for (path, connection) in sides.iter_mut().chain([main]) {
        remove(connection, keys).map_err(|error| Error::sqlite(path, &error))?;
    }
    Ok(())
}

fn remove<K: AsRef<[u8]>>(connection: &mut Connection, keys: &[K]) -> rusqlite::Result<()> {
    connection.execute_batch("PRAGMA temp_store=MEMORY")?;
    let transaction = connection.transaction()?;
    transaction.execute_batch("CREATE TEMP TABLE gone(keyid INTEGER PRIMARY KEY)")?;
    let find = "INSERT OR IGNORE INTO gone SELECT keyid FROM groupkeys WHERE key = ?1";
    execute_for_each(&transaction, find, keys)?;
    transaction.execute_batch(DELETE)?;
    transaction.execute_batch(DELETE_LOST)?;
    transaction.commit()
}

fn execute_for_each<K: AsRef<[u8]>>(
    connection: &Connection,
    statement: &str,
    keys: &[K],
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(statement)?;
    for key in keys {
        statement.execute([key.as_ref()])?;
    }
    Ok(())
}

/// The value keys of a file that no group in it names, in no order.
///
/// # Errors
///
/// Those of opening and reading a file.
pub fn unnamed_keys(path: &Path) -> Result<Vec<Vec<u8>>> {
    let connection = schema::open(path, false)?.connection;
    let read = || {
        // Of one state.
        connection.execute_batch("BEGIN")?;
        let mut select = connection.prepare("SELECT valuekeyid FROM groups")?;
        let mut named = select
            .query_map([], |row| row.get(0))?
            .collect::<Result<Vec<i64>, _>>()?;
        named.sort_unstable();
        let mut select = connection.prepare("SELECT keyid, key FROM keys")?;
        let mut rows = select.query([])?;
        let mut unnamed = Vec::new();
        while let Some(row) = rows.next()? {
            if named.binary_search(&row.get(0)?).is_err() {
                unnamed.push(row.get(1)?);
            }
        }
        Ok(unnamed)
    };
    read().map_err(|error| Error::sqlite(path, &error))
}

/// Removes the values of these keys from a file, but for those that a group in it names. A key that is not there is no error.
/// The room is given back by [`rewrite`](super::rewrite()).
///
/// # Errors
///
/// As for [`remove_groups`], of one file.
pub fn remove_unnamed<K: AsRef<[u8]>>(path: &Path, keys: &[K]) -> Result<()> {
    let mut connection = open_alone(path)?;
    let mut remove = || {
        connection.execute_batch("PRAGMA temp_store=MEMORY")?;
        let transaction = connection.transaction()?;
        transaction.execute_batch("CREATE TEMP TABLE lost(keyid INTEGER PRIMARY KEY)")?;
        let find = "INSERT OR IGNORE INTO lost SELECT keyid FROM keys WHERE key = ?1";
        execute_for_each(&transaction, find, keys)?;
        transaction
            .execute_batch("DELETE FROM lost WHERE keyid IN (SELECT valuekeyid FROM groups)")?;
        transaction.execute_batch(DELETE_LOST)?;
        transaction.commit()
    };
    remove().map_err(|error| Error::sqlite(path, &error))
}

/// Removes the rows of a file that miss others ([`File::loose_keys`]), so that it can be [rewritten](super::rewrite()). Groups
/// that name a value of such a key are to be [removed](remove_groups()) before: afterwards nothing shows that they had more.
///
/// # Errors
///
/// As for [`remove_groups`], of one file.
pub fn remove_loose(path: &Path) -> Result<()> {
    let is_verified = File::open(path)?.is_verified();
    let mut connection = open_alone(path)?;
    let mut remove = || {
        // Those of such rows are broken as it is.
        connection.execute_batch("PRAGMA foreign_keys=OFF")?;
        let transaction = connection.transaction()?;
        for (rows, of_digests) in LOOSE {
            if is_verified || !of_digests {
                transaction.execute(&format!("DELETE FROM {rows}"), [])?;
            }
        }
        transaction.commit()
    };
    remove().map_err(|error| Error::sqlite(path, &error))
}

/// Opens a file that no session has open.
fn open_alone(path: &Path) -> Result<Connection> {
    // Says what is wrong with a file that is none of ours, and does not touch it.
    drop(schema::open(path, true)?);
    exclusive(path)?.ok_or_else(|| Error::Busy {
        path: path.to_owned(),
    })
}
