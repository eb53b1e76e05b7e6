//! The canonical form of a file: the same content gives the same bytes, in whatever order it came.

use std::fs;
use std::path::Path;
use std::slice;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::open::{Opened, Way};
use super::{create, merge, metadata};
use crate::error::At as _;
use crate::sqlite::beside;
use crate::temporary::{self, Temporary};
use crate::{Error, Result, locked_file, sqlite};

/// How long a closing session waits for others that close.
const PATIENCE: Duration = Duration::from_millis(250);

/// Rewrites a PSDB in the canonical form, and gives digests to a file that has none.
///
/// A session does this itself when it closes a file that it created. Rewrite files to which later sessions added something,
/// or that another tool has merged.
///
/// # Errors
///
/// [`Error::Busy`] if a session has the file open; [`Error::Corrupt`] if a digest does not match; the errors of opening and
/// writing a file. The file is then as before.
pub fn rewrite(path: &Path) -> Result<()> {
    let connection = alone(path)?;
    // The path of the file itself, so that a link to it stays a link.
    let file = fs::canonicalize(path).at(path)?;
    changed(replace(connection, &file)?, path)
}

/// Opens a PSDB that no session has open.
pub fn alone(path: &Path) -> Result<Connection> {
    // Reports the fault of a file of another kind, and does not change it.
    drop(Opened::to_write(path)?);
    let connection = exclusive(path)?.ok_or_else(|| Error::busy(path))?;
    connection
        .execute_batch("PRAGMA foreign_keys=OFF")
        .at(path)?;
    Ok(connection)
}

fn changed(is_changed: bool, path: &Path) -> Result<()> {
    is_changed.then_some(()).ok_or_else(|| Error::busy(path))
}

/// Completes a file, which the caller has closed, if no other session has it open.
pub fn finish(path: &Path, canonical: bool) -> Result<()> {
    let Some(connection) = exclusive(path)? else {
        return Ok(());
    };
    if canonical && sqlite::header(&connection).is_wal() {
        replace(connection, path)?;
    } else {
        // Its rows stay in their places.
        make_one_piece(&connection, path)?;
    }
    Ok(())
}

/// Opens a file such that nobody else can read or write it until the connection is dropped; none if somebody has it open.
/// This holds no lock while it waits for one: of two sessions that close at once, one comes first.
pub fn exclusive(path: &Path) -> Result<Option<Connection>> {
    let until = Instant::now() + PATIENCE;
    loop {
        let connection = match sqlite::open_existing(path, true) {
            Err(Error::Busy { .. }) => return Ok(None),
            opened => opened?,
        };
        let lock = || {
            // Without the reader's lock, which Windows does not need for this, a file could get into WAL mode meanwhile.
            if cfg!(windows) || sqlite::header(&connection).is_wal() {
                // In this mode SQLite needs no WAL index.
                connection.execute_batch("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE")?;
            } else {
                // A writer's lock keeps new readers out while it waits for the present ones. Who does not get it gives up
                // its reader's lock too, so that of two callers one goes on.
                sqlite::wait_with_lock(&connection)?;
                connection.execute_batch("BEGIN EXCLUSIVE; PRAGMA locking_mode=EXCLUSIVE")?;
                connection.busy_timeout(Duration::ZERO)?;
            }
            // A commit would correct a wrong page count in the header, of a file that is damaged in other places too.
            connection.execute_batch("ROLLBACK")
        };
        let locked = sqlite::though_unshared(|| {
            connection.busy_timeout(Duration::ZERO)?;
            sqlite::while_present(&connection, lock)
        });
        match locked.at(path) {
            Ok(Some(())) => {
                sqlite::checkpoint_on_close(&connection, true).at(path)?;
                return Ok(Some(connection));
            }
            // Another file has taken its place.
            Ok(None) => {}
            Err(Error::Busy { .. }) if Instant::now() < until => {
                drop(connection);
                thread::sleep(Duration::from_millis(5));
            }
            Err(Error::Busy { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
}

/// Takes a file out of WAL mode and removes the files beside it. The lock stays.
fn make_one_piece(connection: &Connection, path: &Path) -> Result<()> {
    let is_out = sqlite::set_journal_mode(connection, "delete").at(path)?;
    changed(is_out, path)?;
    // With a lock that stays SQLite keeps the journal of that change, and removes it by its name when it closes: it could then be
    // that of the file which has taken this one's place. "memory" makes it close the journal.
    sqlite::set_journal_mode(connection, "memory").at(path)?;
    let _ = fs::remove_file(beside(path, "-journal"));
    // The WAL index, which a connection leaves behind if this one was waiting when it closed.
    let _ = fs::remove_file(beside(path, "-shm"));
    Ok(())
}

/// Puts the canonical copy in the place of a file that nobody else has open; false if the system does not allow it.
///
/// Until the copy is written the file stays in WAL mode, so that after a crash the next session does this.
fn replace(connection: Connection, path: &Path) -> Result<bool> {
    // SQLite can map pages of the file, but not those of the WAL.
    let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
    connection.query_row(checkpoint, [], |_| Ok(())).at(path)?;
    let source = Opened {
        path: path.to_owned(),
        metadata: metadata::read(&connection, path)?,
        connection,
        unfinished: true,
        way: Way::Write,
        copy: None,
    };
    let source = source.map(merge::CACHE)?;
    let new = Temporary::beside_locked(path).at(path)?;
    let (sources, metadata) = (slice::from_ref(&source), &source.metadata);
    merge::write(sources, metadata, new.path(), path, &mut |_| {})?;
    put(new.path(), path, source.connection)
}

/// Moves a file to the path of another one, which the connection has locked; false if the system does not allow it.
fn put(new: &Path, path: &Path, connection: Connection) -> Result<bool> {
    temporary::keep_mode(new, path).at(path)?;
    // The WAL and the WAL index of the old file would else lie beside the new one.
    make_one_piece(&connection, path)?;
    let is_put = locked_file::replace(path, connection, || fs::rename(new, path))?;
    sqlite::sync_directory(path).map(|()| is_put)
}

/// Puts a [finished](super::File::is_finished) file in the place of another one, if there is one, in one step. All that the
/// other one had is gone.
///
/// # Errors
///
/// [`Error::Busy`] if a session has one of them open; the errors of opening and renaming a file. Both are then as before.
pub fn take_place(new: &Path, path: &Path) -> Result<()> {
    let locked = |path: &Path| exclusive(path)?.ok_or_else(|| Error::busy(path));
    make_one_piece(&locked(new)?, new)?;
    // The path of the file itself, so that a link to it stays a link.
    let path = &create::path_of_file(path);
    if !create::exists(path) && create::place_file(new, path)? {
        // Where it had to be linked it still has its old name.
        let _ = fs::remove_file(new);
        return sqlite::sync_directory(path);
    }
    changed(put(new, path, locked(path)?)?, path)
}

/// Removes a file with all its content.
///
/// # Errors
///
/// [`Error::Busy`] if a session has it open; the errors of opening a PSDB and of removing a file.
pub fn discard(path: &Path) -> Result<()> {
    let connection = alone(path)?;
    let file = fs::canonicalize(path).at(path)?;
    changed(remove_file(connection, &file)?, path)
}

/// Removes a file without values and groups, if no session has it open.
pub fn remove_unused(path: &Path) -> Result<()> {
    if let Some(connection) = exclusive(path)? {
        let used = "SELECT EXISTS(SELECT 1 FROM keys) OR EXISTS(SELECT 1 FROM groupkeys)";
        let used: bool = connection.query_row(used, [], |row| row.get(0)).at(path)?;
        if !used {
            remove_file(connection, path)?;
        }
    }
    Ok(())
}

fn remove_file(connection: Connection, path: &Path) -> Result<bool> {
    make_one_piece(&connection, path)?;
    locked_file::replace(path, connection, || fs::remove_file(path))
}

#[cfg(all(test, unix))]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn who_waited_for_the_old_file_uses_nothing_that_is_beside_the_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = create::example::file(folder.path());
        // They have opened the file, and get their first lock when another file has replaced it.
        let waiters = [true, false].map(|write| sqlite::open_existing(&path, write).unwrap());
        finish(&path, true).unwrap();
        let session = Opened::to_write(&path).unwrap().connection;
        sqlite::set_journal_mode(&session, "wal").unwrap();
        let store = "INSERT INTO keys(key) VALUES (x'01')";
        session.execute(store, []).unwrap();
        let sizes =
            || ["-wal", "-shm"].map(|name| fs::metadata(beside(&path, name)).unwrap().len());
        let before = sizes();
        for waiter in waiters {
            assert_eq!(sqlite::lock_present(&waiter), Ok(false));
        }
        // A connection that opens a WAL index which no other process uses cuts it off.
        assert_eq!(sizes(), before);
        let keys = "SELECT count(*) FROM keys";
        assert_eq!(session.query_row(keys, [], |row| row.get(0)), Ok(1));
    }

    #[test]
    fn readers_that_never_end_at_once_do_not_keep_a_finished_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = &create::example::finished(folder.path());
        let stop = &AtomicBool::new(false);
        let read = || {
            let reader = sqlite::open_existing(path, false).unwrap();
            while !stop.load(Ordering::Relaxed) {
                let keys = "BEGIN; SELECT count(*) FROM keys";
                let _ = reader.execute_batch(keys);
                thread::sleep(Duration::from_millis(50));
                let _ = reader.execute_batch("ROLLBACK");
            }
        };
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(read);
                thread::sleep(Duration::from_millis(17));
            }
            let locked = exclusive(path);
            stop.store(true, Ordering::Relaxed);
            assert!(locked.unwrap().is_some());
        });
    }

    #[test]
    fn a_file_in_one_piece_has_no_journal_while_its_lock_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = create::example::file(folder.path());
        let connection = exclusive(&path).unwrap().unwrap();
        make_one_piece(&connection, &path).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(exclusive(&path).unwrap().is_none());
        // The file that takes its place has a journal of this name, which stays when the connection closes.
        let journal = beside(&path, "-journal");
        fs::write(&journal, "another file's").unwrap();
        drop(connection);
        assert!(journal.exists());
    }
}
