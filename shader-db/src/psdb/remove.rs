//! Removing groups from a file, for example when their objects get another version, and values that no group names.

use std::path::Path;

use rusqlite::Connection;

use super::inspect::LOOSE;
use super::rewrite::exclusive;
use super::schema;
use super::source::Source;
use crate::{Error, Result};

/// Rows that refer to others come before those others.
const DELETE: &str = "
    CREATE TEMP TABLE lost AS
        SELECT valuekeyid AS keyid FROM groups WHERE groupkeyid IN (SELECT keyid FROM gone)
        EXCEPT SELECT valuekeyid FROM groups WHERE groupkeyid NOT IN (SELECT keyid FROM gone);
    DELETE FROM group_digests WHERE groupkeyid IN (SELECT keyid FROM gone);
    DELETE FROM groups WHERE groupkeyid IN (SELECT keyid FROM gone);
    DELETE FROM groupkeys WHERE keyid IN (SELECT keyid FROM gone);
    DROP TABLE gone";

/// For the keys in `lost`: rows that refer to others come before those others.
const DELETE_LOST: &str = "
    DELETE FROM value_digests WHERE id > 0 AND id / 4 IN (SELECT keyid FROM lost);
    DELETE FROM vals WHERE keyid IN (SELECT keyid FROM lost);
    DELETE FROM keys WHERE keyid IN (SELECT keyid FROM lost);
    DROP TABLE lost";

/// Removes the groups of these keys from the files of a session, its main file first, and the values that no other group
/// names. A key without a group is no error. [`rewrite`](super::rewrite()) frees the space.
///
/// A session that only finds, in finished files, does not prevent this: what it has found may be gone when it stores. A
/// session that has run a [transaction](super::Psdb::transaction) prevents it.
///
/// # Errors
///
/// [`Error::Busy`] if a session has a file open to store, and has begun, or is reading; the errors of opening a file. All
/// files are then as before. The errors of writing a file: that file is then as before. The main file, which decides what
/// there is, is the last to change: after an interruption the caller does the same again.
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
/// The errors of opening and reading a file.
pub fn unnamed_keys(path: &Path) -> Result<Vec<Vec<u8>>> {
    // Both queries read one state.
    let connection = Source::open(path)?.connection;
    let read = || {
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

/// Removes the values of these keys from a file, except those that a group in it names. A key that the file does not have is
/// no error. [`rewrite`](super::rewrite()) frees the space.
///
/// # Errors
///
/// As for [`remove_groups`], for one file.
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

/// Removes the rows of a file that lack others ([`File::loose_keys`](super::File::loose_keys)), so that it can be [rewritten](super::rewrite()). The
/// caller [removes](remove_groups()) groups that name a value of such a key first: afterwards nothing shows that they had
/// more.
///
/// # Errors
///
/// As for [`remove_groups`], for one file.
pub fn remove_loose(path: &Path) -> Result<()> {
    let mut connection = open_alone(path)?;
    let mut remove = || {
        // The references of such rows are broken anyway.
        connection.execute_batch("PRAGMA foreign_keys=OFF")?;
        let transaction = connection.transaction()?;
        for rows in LOOSE {
            transaction.execute(&format!("DELETE FROM {rows}"), [])?;
        }
        transaction.commit()
    };
    remove().map_err(|error| Error::sqlite(path, &error))
}

/// Opens a file that no session has open.
fn open_alone(path: &Path) -> Result<Connection> {
    // Reports the fault of a file of another kind, and does not change it.
    drop(schema::open(path, true)?);
    exclusive(path)?.ok_or_else(|| Error::Busy {
        path: path.to_owned(),
    })
}
