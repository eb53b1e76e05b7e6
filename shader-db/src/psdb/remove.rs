//! Removing groups from a file, for example when their objects get another version, and values that no group names.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use super::inspect::LOOSE;
use super::open::Opened;
use super::rewrite::alone;
use super::tables::{delete_group, delete_key};
use crate::Result;
use crate::error::At as _;

/// Removes the groups of these keys from the files of a session, its main file first, and the values that no other group
/// names. A key without a group is no error. [`rewrite`](super::rewrite()) frees the space.
///
/// A session that only finds, in finished files, does not prevent this: what it has found may be gone when it stores. A
/// session that has run a [transaction](super::Psdb::transaction) prevents it.
///
/// # Errors
///
/// [`Error::Busy`](crate::Error::Busy) if a session has a file open to store, and has begun, or is reading; the errors of opening
/// a file. All files are then as before. The errors of writing a file: that file is then as before. The main file, which decides
/// what there is, is the last to change: after an interruption the caller does the same again.
pub fn remove_groups<P: AsRef<Path>, K: AsRef<[u8]>>(files: &[P], keys: &[K]) -> Result<()> {
    let open = |path: &P| Ok((path.as_ref().to_owned(), alone(path.as_ref())?));
    let open = files.iter().map(open).collect::<Result<Vec<_>>>()?;
    for (path, connection) in open.iter().skip(1).chain(open.first()) {
        change(connection, path, |connection| {
            let mut values = BTreeSet::new();
            let members = "SELECT valuekeyid FROM groups WHERE groupkeyid = ?1";
            let mut members = connection.prepare(members)?;
            for group in ids(connection, "groupkeys", keys)? {
                for member in members.query_map([group], |row| row.get(0))? {
                    values.insert(member?);
                }
                delete_group(connection, group)?;
            }
            delete_unnamed(connection, values)
        })?;
    }
    Ok(())
}

/// Changes a file in one transaction.
fn change(
    connection: &Connection,
    path: &Path,
    change: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> Result<()> {
    let changed = || {
        let transaction = connection.unchecked_transaction()?;
        change(&transaction)?;
        transaction.commit()
    };
    changed().at(path)
}

/// The numbers of those keys that a table has.
fn ids<K: AsRef<[u8]>>(
    connection: &Connection,
    table: &str,
    keys: &[K],
) -> rusqlite::Result<BTreeSet<i64>> {
    let mut find = connection.prepare(&format!("SELECT keyid FROM {table} WHERE key = ?1"))?;
    let ids = keys.iter();
    let ids = ids.map(|key| find.query_row([key.as_ref()], |row| row.get(0)).optional());
    ids.filter_map(Result::transpose).collect()
}

/// The numbers of the value keys that groups name.
fn named(connection: &Connection) -> rusqlite::Result<HashSet<i64>> {
    let mut select = connection.prepare("SELECT valuekeyid FROM groups")?;
    select.query_map([], |row| row.get(0))?.collect()
}

fn delete_unnamed(connection: &Connection, keys: BTreeSet<i64>) -> rusqlite::Result<()> {
    let named = named(connection)?;
    let mut unnamed = keys.into_iter().filter(|key| !named.contains(key));
    unnamed.try_for_each(|key| delete_key(connection, key))
}

/// The value keys of a file that no group in it names, in no order.
///
/// # Errors
///
/// The errors of opening and reading a file.
pub fn unnamed_keys(path: &Path) -> Result<Vec<Vec<u8>>> {
    // Both queries read one state.
    Opened::snapshot(path)?.run(|connection| {
        let named = named(connection)?;
        let mut keys = connection.prepare("SELECT keyid, key FROM keys")?;
        let mut rows = keys.query([])?;
        let mut unnamed = Vec::new();
        while let Some(row) = rows.next()? {
            if !named.contains(&row.get(0)?) {
                unnamed.push(row.get(1)?);
            }
        }
        Ok(unnamed)
    })
}

/// Removes the values of these keys from a file, except those that a group in it names. A key that the file does not have is
/// no error. [`rewrite`](super::rewrite()) frees the space.
///
/// # Errors
///
/// As for [`remove_groups`], for one file.
pub fn remove_unnamed<K: AsRef<[u8]>>(path: &Path, keys: &[K]) -> Result<()> {
    change(&alone(path)?, path, |connection| {
        delete_unnamed(connection, ids(connection, "keys", keys)?)
    })
}

/// Removes the rows of a file that lack others ([`File::is_loose`](super::File::is_loose)), so that it can be
/// [rewritten](super::rewrite()). The caller [removes](remove_groups()) groups that name a value of such a key first: afterwards
/// nothing shows that they had more.
///
/// # Errors
///
/// As for [`remove_groups`], for one file.
pub fn remove_loose(path: &Path) -> Result<()> {
    change(&alone(path)?, path, |connection| {
        let delete = |rows| connection.execute(&format!("DELETE FROM {rows}"), []);
        LOOSE
            .into_iter()
            .try_for_each(|rows| delete(rows).map(drop))
    })
}
