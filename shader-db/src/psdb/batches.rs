//! A batch that goes to several files is in all of them or in none, also after a crash.
//!
//! SQLite commits to one file at a time. So the main file, which is committed last, decides: each file has the id of its
//! last batch; a side file also has the id that the main file had before, and how far its own tables went. A side file
//! that is one batch ahead of the main file is put back. The main file is locked from the first commit to the last, so
//! that another session sees no batch in between. It is written first: the side files get the groups that it has then.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::{Connection, OptionalExtension, params};

use super::write::Writer;
use crate::{Error, Result};

/// Notes how far a file's tables go.
pub type Begin<'a> = dyn Fn(&Connection) -> rusqlite::Result<()> + 'a;

/// Writes and commits a batch to all files, of which the main file is written first. `write` gets a file and its place, and
/// a function to call before it adds the first row: what is changed before that is not put back.
pub fn commit(
    writers: &mut [Writer],
    main: usize,
    mut write: impl FnMut(&mut Writer, usize, &Begin) -> rusqlite::Result<()>,
) -> Result<()> {
    let several = writers.len() > 1;
    let mut previous = Vec::new();
    let batch = new_id();
    let sides = (0..writers.len()).filter(|position| *position != main);
    let begin = |writer: &Writer| writer.connection.execute_batch("BEGIN IMMEDIATE");
    on(&writers[main], |writer| {
        begin(writer)?;
        previous = last(&writer.connection)?;
        Ok(())
    })?;
    let note = |connection: &Connection, of_main: &[u8]| {
        if several {
            connection.execute(
                "INSERT OR REPLACE INTO batches(id, previous, batch, keys, vals, groupkeys, groups) \
                 SELECT 0, ?1, ?2, ifnull((SELECT max(rowid) FROM keys), 0), \
                 ifnull((SELECT max(rowid) FROM vals), 0), ifnull((SELECT max(rowid) FROM groupkeys), 0), \
                 ifnull((SELECT max(rowid) FROM groups), 0)",
                params![of_main, batch],
            )?;
        } else if !previous.is_empty() {
            // Of a session over several files, which cannot be put back any more.
            connection.execute("DELETE FROM batches", [])?;
        }
        Ok(())
    };
    for position in [main].into_iter().chain(sides) {
        let writer = &mut writers[position];
        let mut run = || {
            if position == main {
                // To a session of which it is a side file, it is ahead of nothing.
                return write(writer, position, &|connection| note(connection, &batch));
            }
            begin(writer)?;
            write(writer, position, &|connection| note(connection, &previous))?;
            writer.connection.execute_batch("COMMIT")
        };
        run().map_err(|error| Error::sqlite(&writer.path, &error))?;
    }
    on(&writers[main], |main| {
        main.connection.execute_batch("COMMIT")
    })
}

/// Puts back the side files that are a batch ahead of the main file. No transaction may be open.
pub fn undo(writers: &[Writer], main: usize) -> Result<()> {
    if writers.len() == 1 || !writers[main].wal {
        return Ok(());
    }
    let main = &writers[main];
    let mut batch = Vec::new();
    on(main, |main| {
        main.connection.execute_batch("BEGIN IMMEDIATE")?;
        batch = last(&main.connection)?;
        Ok(())
    })?;
    for side in writers
        .iter()
        .filter(|writer| writer.path != main.path && writer.wal)
    {
        on(side, |side| {
            side.connection.execute_batch("BEGIN IMMEDIATE")?;
            if let Some(rows) = ahead(&side.connection, &batch)? {
                // Owners before what they refer to.
                let deletes = [
                    (
                        "DELETE FROM value_digests WHERE id IN (SELECT keyid * 4 + type FROM vals WHERE rowid > ?1)",
                        1,
                    ),
                    ("DELETE FROM vals WHERE rowid > ?1", 1),
                    ("DELETE FROM group_digests WHERE groupkeyid > ?1", 2),
                    ("DELETE FROM groups WHERE rowid > ?1", 3),
                    ("DELETE FROM groupkeys WHERE keyid > ?1", 2),
                    ("DELETE FROM keys WHERE keyid > ?1", 0),
                ];
                for (delete, table) in deletes {
                    side.connection.execute(delete, [rows[table]])?;
                }
                side.connection.execute("DELETE FROM batches", [])?;
            }
            side.connection.execute_batch("COMMIT")
        })?;
    }
    on(main, |main| main.connection.execute_batch("COMMIT"))
}

fn on(writer: &Writer, run: impl FnOnce(&Writer) -> rusqlite::Result<()>) -> Result<()> {
    run(writer).map_err(|error| Error::sqlite(&writer.path, &error))
}

/// The id of the last batch; empty if there is none.
pub fn last(connection: &Connection) -> rusqlite::Result<Vec<u8>> {
    let mut find = connection.prepare_cached("SELECT batch FROM batches WHERE id = 0")?;
    Ok(find
        .query_row([], |row| row.get(0))
        .optional()?
        .unwrap_or_default())
}

/// How far the tables of a side file went before its last batch, if that is a batch ahead of `last`, the main file's last.
pub fn ahead(connection: &Connection, last: &[u8]) -> rusqlite::Result<Option<[i64; 4]>> {
    let rows =
        "SELECT keys, vals, groupkeys, groups FROM batches WHERE previous = ?1 AND batch <> ?1";
    connection
        .query_row(rows, [last], |row| {
            Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?])
        })
        .optional()
}

/// No two batches have the same: the state is random for each thread.
pub fn new_id() -> [u8; 16] {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let state = RandomState::new();
    let parts = [0, 1].map(|half| state.hash_one((half, NEXT.fetch_add(1, Ordering::Relaxed))));
    let mut id = [0; 16];
    id[..8].copy_from_slice(&parts[0].to_ne_bytes());
    id[8..].copy_from_slice(&parts[1].to_ne_bytes());
    id
}
