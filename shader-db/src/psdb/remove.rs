//! Taking groups out of a file, as when their objects have another version now.

use std::path::Path;

use rusqlite::Connection;

use super::rewrite::exclusive;
use super::{journal, schema};
use crate::{Error, Result, sqlite};

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

/// Removes the groups of these keys from the files of a session, its main file first, and the values that no other group
/// names. A key without a group is no error. The room is given back by [`rewrite`](super::rewrite()).
///
/// A session that only finds, in files that were finished, is not in the way: what it has found may be gone when it stores.
/// One that is to build on it calls [`begin`](super::Psdb::begin) first.
///
/// # Errors
///
/// [`Error::Busy`] if a session has a file open to store, and has begun, or is reading; [`Error::InvalidArgument`] if a killed
/// session has left a journal for one ([`check_recovered`](super::check_recovered)); those of opening a file. All files are
/// then as before. Those of writing a file: it is as before. The main file, which decides what there is, is written last;
/// until then it is one that is not [finished](super::File::is_finished).
pub fn remove_groups<P: AsRef<Path>, K: AsRef<[u8]>>(files: &[P], keys: &[K]) -> Result<()> {
    let mut open = Vec::new();
    for path in files {
        let path = path.as_ref();
        // Says what is wrong with a file that is none of ours, and does not touch it.
        drop(schema::open(path, true)?);
        // Its groups may name what is removed here.
        journal::check_recovered(path)?;
        let connection = exclusive(path)?.ok_or_else(|| Error::Busy {
            path: path.to_owned(),
        })?;
        open.push((path, connection));
    }
    let Some((main, sides)) = open.split_first_mut() else {
        return Ok(());
    };
    let failure = |path| move |error| Error::sqlite(path, &error);
    // Until it is done in all of them, the main file is one that was not finished, so that who finds fewer groups in a side
    // file knows why.
    let mark = !sides.is_empty() && !sqlite::header(&main.1).is_wal();
    if mark {
        sqlite::set_journal_mode(&main.1, "wal").map_err(failure(main.0))?;
    }
    for (path, connection) in sides {
        remove(connection, keys).map_err(failure(path))?;
    }
    remove(&mut main.1, keys).map_err(failure(main.0))?;
    if mark {
        sqlite::set_journal_mode(&main.1, "delete").map_err(failure(main.0))?;
    }
    Ok(())
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
