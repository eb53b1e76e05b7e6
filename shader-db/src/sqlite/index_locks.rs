//! The locks in the index of a log (`-shm`) that all connections of a process take through one handle.
//!
//! From 3.51 on SQLite does so on Windows for files on a network share, for which it takes each path that begins with `\\`;
//! before 3.54 also one of a local disk as `std::fs::canonicalize` gives it (`\\?\C:\`). It looks whether another
//! connection has the lock, and asks the system for it, in two steps: a thread between them leaves a lock that nobody
//! releases, which ends in SQLITE_PROTOCOL for whoever begins to read, or a reader without one.

use std::ffi::c_int;
use std::sync::{Mutex, OnceLock, PoisonError};

use rusqlite::{Connection, ffi};

use super::with_file;

/// The methods of such files: SQLite's own, and those with our lock. All files of its VFS for Windows have the same.
static METHODS: OnceLock<[ffi::sqlite3_io_methods; 2]> = OnceLock::new();

/// Has the threads of this process take the locks of a file one after the other.
pub fn take_one_by_one(connection: &Connection) {
    if !connection
        .path()
        .is_some_and(|path| path.starts_with(r"\\"))
    {
        return;
    }
    with_file(connection, |file, methods| {
        let [_, ours] = METHODS.get_or_init(|| {
            let ours = ffi::sqlite3_io_methods {
                xShmLock: Some(lock),
                ..*methods
            };
            [*methods, ours]
        });
        // SAFETY: `with_file`; SQLite finds the methods by this pointer alone, and they live as long as the program.
        unsafe { (*file).pMethods = ours };
    });
}

/// # Safety
///
/// As SQLite calls xShmLock of a file whose methods are ours.
unsafe extern "C" fn lock(
    file: *mut ffi::sqlite3_file,
    first: c_int,
    count: c_int,
    flags: c_int,
) -> c_int {
    static ONE_BY_ONE: Mutex<()> = Mutex::new(());
    let Some(own) = METHODS.get().and_then(|[own, _]| own.xShmLock) else {
        return ffi::SQLITE_IOERR_SHMLOCK;
    };
    // It waits for nobody: SQLITE_ENABLE_SETLK_TIMEOUT is not set.
    let _one = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: SQLite called this with the same.
    unsafe { own(file, first, count, flags) }
}

#[cfg(test)]
mod tests {
    use std::{fs, thread};

    use super::super::{create, open_existing};

    #[test]
    fn threads_leave_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(folder.path()).unwrap().join("a");
        let create = create(&path).unwrap();
        assert!(create.path().unwrap().starts_with(r"\\"));
        create
            .execute_batch("PRAGMA journal_mode=WAL; CREATE TABLE a (a)")
            .unwrap();
        let store = "INSERT INTO a VALUES(1)";
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let reader = open_existing(&path, true).unwrap();
                    for _ in 0..1000 {
                        reader
                            .query_row("SELECT count(*) FROM a", [], |_| Ok(()))
                            .unwrap();
                    }
                });
            }
            for _ in 0..200 {
                create.execute_batch(store).unwrap();
            }
        });
        // Begins the log anew, which takes the locks of all who could read.
        let truncate = "PRAGMA wal_checkpoint(TRUNCATE)";
        let busy = create.query_row(truncate, [], |row| row.get(0));
        assert_eq!(busy, Ok(0));
    }
}
