//! What a side file has, and its main file has not or has otherwise.

use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, OptionalExtension, Result, Row, params};

use super::item::Item;
use super::tables::{delete_group, delete_key, delete_values};

/// Removes from a side file what a session without the main file, or with another one, has stored: groups that differ from these,
/// and values of keys that are new in the main file, which decides.
pub fn remove_others(side: &Connection, items: &[(&Item, bool)]) -> Result<()> {
    for (item, is_new) in items {
        if let Some((version, digest)) = item.group {
            // Without a digest every group is another one.
            let other = "SELECT keyid FROM groupkeys LEFT JOIN group_digests ON groupkeyid = keyid \
                         WHERE key = ?1 AND (version <> ?2 OR ifnull(digest <> ?3, true))";
            let other = side.prepare_cached(other)?.query_row(
                params![item.key(), version, &digest.to_be_bytes()[..]],
                |row| row.get(0),
            );
            if let Some(group) = other.optional()? {
                delete_group(side, group)?;
            }
        } else if *is_new {
            let mut key = side.prepare_cached("SELECT keyid FROM keys WHERE key = ?1")?;
            let key = key.query_row([item.key()], |row| row.get(0));
            if let Some(key) = key.optional()? {
                delete_values(side, key)?;
            }
        }
    }
    Ok(())
}

/// Removes from a side file what the main file, which is in a transaction, does not name: a process committed it here, and was
/// killed before it committed to the main file. Returns how many groups and keys that were.
pub fn remove_unknown(side: &Connection, main: &Connection) -> Result<[usize; 2]> {
    // Where one has no digest, only the versions distinguish groups.
    let has_group = "SELECT 1 FROM groupkeys LEFT JOIN group_digests ON groupkeyid = keyid \
                     WHERE key = ?1 AND version = ?2 AND ifnull(digest = ?3, true)";
    let groups = "SELECT keyid, key, version, digest FROM groupkeys LEFT JOIN group_digests ON groupkeyid = keyid";
    let groups = ids(side, groups, |row| {
        let value = |column: usize| row.get_ref(column).map(ToSqlOutput::Borrowed);
        let group = params![value(1)?, value(2)?, value(3)?];
        Ok(!main.prepare_cached(has_group)?.exists(group)?)
    })?;
    let has_key = "SELECT 1 FROM keys WHERE key = ?1";
    let keys = ids(side, "SELECT keyid, key FROM keys", |row| {
        let key = row.get_ref(1)?.as_blob()?;
        Ok(!main.prepare_cached(has_key)?.exists([key])?)
    })?;
    if !groups.is_empty() || !keys.is_empty() {
        side.execute_batch("BEGIN IMMEDIATE")?;
        groups
            .iter()
            .try_for_each(|group| delete_group(side, *group))?;
        keys.iter().try_for_each(|key| delete_key(side, *key))?;
        side.execute_batch("COMMIT")?;
    }
    Ok([groups.len(), keys.len()])
}

/// The first column of those rows of a query that are wanted.
fn ids(
    connection: &Connection,
    select: &str,
    is_wanted: impl Fn(&Row) -> Result<bool>,
) -> Result<Vec<i64>> {
    let mut select = connection.prepare(select)?;
    let mut rows = select.query([])?;
    let mut ids = Vec::new();
    while let Some(row) = rows.next()? {
        if is_wanted(row)? {
            ids.push(row.get(0)?);
        }
    }
    Ok(ids)
}
