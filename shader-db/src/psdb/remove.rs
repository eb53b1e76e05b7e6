//! Taking groups out of a file, as when their objects have another version now.

use std::path::Path;

use rusqlite::Connection;

use super::rewrite::exclusive;
use super::{journal, schema};
use crate::{Error, Result};

/// Owners before what they refer to.
const DELETE: &str = "
    CREATE TEMP TABLE lost AS
        SELECT valuekeyid AS keyid FROM groups WHERE groupkeyid IN (SELECT keyid FROM gone)
        EXCEPT SELECT valuekeyid FROM groups WHERE groupkeyid NOT IN (SELECT keyid FROM gone);
    DELETE FROM value_digests WHERE id > 0 AND id / 4 IN (SELECT keyid FROM lost);
    DELETE FROM vals WHERE keyid IN (SELECT keyid FROM lost);
    DELETE FROM group_digests WHERE groupkeyid IN (SELECT keyid FROM gone);
    DELETE FROM groups WHERE groupkeyid IN (SELECT keyid FROM gone);
    DELETE FROM groupkeys WHERE keyid IN (SELECT keyid FROM gone);
    DELETE FROM keys WHERE keyid IN (SELECT keyid FROM lost);
    DROP TABLE lost; DROP TABLE gone";

/// Removes the groups of these keys from a file, and the values that no other group names: all of it, or nothing. A key
/// without a group is no error. The room is given back by [`rewrite`](super::rewrite()).
///
/// # Errors
///
/// [`Error::Busy`] if a session has the file open; those of opening and writing a file. The file is then as before.
pub fn remove_groups<K: AsRef<[u8]>>(path: &Path, keys: &[K]) -> Result<()> {
    // Says what is wrong with a file that is none of ours, and does not touch it.
    drop(schema::open(path, true)?);
    // Its groups may name what is removed here.
    journal::check_recovered(path)?;
    let mut connection = exclusive(path)?.ok_or_else(|| Error::Busy {
        path: path.to_owned(),
    })?;
    remove(&mut connection, keys).map_err(|error| Error::sqlite(path, &error))
}

fn remove<K: AsRef<[u8]>>(connection: &mut Connection, keys: &[K]) -> rusqlite::Result<()> {
    connection.execute_batch("PRAGMA temp_store=MEMORY")?;
    let transaction = connection.transaction()?;
    transaction.execute_batch("CREATE TEMP TABLE gone(keyid INTEGER PRIMARY KEY)")?;
    {
        let find = "INSERT OR IGNORE INTO gone SELECT keyid FROM groupkeys WHERE key = ?1";
        let mut find = transaction.prepare(find)?;
        for key in keys {
            find.execute([key.as_ref()])?;
        }
    }
    transaction.execute_batch(DELETE)?;
    transaction.commit()
}
