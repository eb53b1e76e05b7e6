//! The locks in the index of a log (`-shm`) that all connections of a process take through one handle.
//!
//! From 3.51 on SQLite does so on Windows for files on a network share. 3.51 takes each path that begins with `\\` for one,
//! also that of a local disk as `std::fs::canonicalize` gives it (`\\?\C:\`); later versions take others, so a test asks for
//! a look when the version changes. It looks whether another connection has the lock, and asks the system for it, in two
//! steps: a thread between them leaves a lock that nobody releases, which ends in SQLITE_PROTOCOL for whoever begins to
//! read, or a reader without one.

use std::ffi::c_int;
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

use rusqlite::{Connection, ffi};

use super::with_file;

/// The methods of such files, which SQLite has for all of them in one place: its own, and those with our lock.
struct Methods {
    address: usize,
    own: ffi::sqlite3_io_methods,
    ours: ffi::sqlite3_io_methods,
}

static METHODS: OnceLock<Methods> = OnceLock::new();

/// Has the threads of this process take the locks of such files one after the other.
pub fn take_one_by_one(connection: &Connection) {
    if !connection
        .path()
        .is_some_and(|path| path.starts_with(r"\\"))
    {
        return;
    }
    with_file(connection, |file, methods| {
        let address = ptr::from_ref(methods).addr();
        let known = METHODS.get_or_init(|| Methods {
            address,
            own: *methods,
            ours: ffi::sqlite3_io_methods {
                xShmLock: Some(lock),
                ..*methods
            },
        });
        // Another VFS, which the program has made the default one, does what it does.
        if address == known.address {
            // SAFETY: `with_file`; SQLite finds the methods by this pointer alone, and they live as long as the program.
            unsafe { (*file).pMethods = &raw const known.ours };
        }
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
    let Some(own) = METHODS.get().and_then(|methods| methods.own.xShmLock) else {
        return ffi::SQLITE_IOERR_SHMLOCK;
    };
    // It waits for nobody's lock, since SQLITE_ENABLE_SETLK_TIMEOUT is not set; for a server at most.
    let _one = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: SQLite called this with the same.
    unsafe { own(file, first, count, flags) }
}

#[cfg(test)]
mod tests {
    use std::{fs, thread};

    use super::super::{create, open_existing};

    #[test]
    fn the_version_takes_these_paths_for_those_of_a_share() {
        let version = rusqlite::version_number();
        assert_eq!(version / 1000, 3051, "look at winIsUNCPath");
    }

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
