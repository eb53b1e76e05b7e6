//! Renaming over, and removing, a database that a connection has locked.

use std::io;
use std::path::Path;

use rusqlite::Connection;

use crate::{Error, Result};

/// Runs what renames another file over the one that the connection has to itself, or removes it, and closes the connection;
/// false if, on Windows, another process prevents that or has written the file. All is then as before.
pub fn replace(
    path: &Path,
    connection: Connection,
    change: impl Fn() -> io::Result<()>,
) -> Result<bool> {
    #[cfg(windows)]
    let changed = closed::replace(path, connection, change);
    #[cfg(not(windows))]
    let changed = {
        let changed = change();
        drop(connection);
        changed.map(|()| true)
    };
    changed.map_err(|error| Error::io(path, &error))
}

#[cfg(windows)]
pub use closed::Turn;

/// Windows renames over no open file, and removes none. So the connection is closed first, and its lock ends. Who has the file
/// open then makes the change fail; who had it open, and has written it, is seen before; and nobody can open it in between.
///
/// SQLite 3.51 for Windows has a gap too: who goes from a reader's lock straight to that of a whole file, as to roll back what a
/// crash left, does not take PENDING first. It can get the lock while another one that has RESERVED changes a reader's lock for
/// the same, and then rolls back a transaction that is in progress. So whoever could do either takes turns.
#[cfg(windows)]
mod closed {
    use std::fs::{self, File};
    use std::io::{self, Read as _};
    use std::marker::PhantomData;
    use std::os::windows::fs::OpenOptionsExt as _;
    use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
    use std::path::Path;
    use std::time::{Duration, Instant};
    use std::{ptr, thread};

    use rusqlite::Connection;
    use twox_hash::XxHash3_64;
    use windows_sys::Win32::Foundation::{WAIT_ABANDONED, WAIT_OBJECT_0};
    use windows_sys::Win32::System::Threading::{CreateMutexW, ReleaseMutex, WaitForSingleObject};

    use crate::sqlite::has_beside;

    /// How long this waits for others, such as virus scanners, which open a file that was just closed.
    const PATIENCE: Duration = Duration::from_secs(1);

    pub fn replace(
        path: &Path,
        connection: Connection,
        change: impl Fn() -> io::Result<()>,
    ) -> io::Result<bool> {
        let before = Looks::of(&File::open(path)?)?;
        drop(connection);
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            let turn = Turn::take(path);
            let alone = File::options().read(true).share_mode(0).open(path);
            if let (Some(_), Ok(file)) = (&turn, alone) {
                let is_same = Looks::of(&file).is_ok_and(|now| now == before);
                if !is_same || has_beside(path, "-wal") {
                    return Ok(false);
                }
                drop(file);
                if change().is_ok() {
                    return Ok(true);
                }
            }
            drop(turn);
            thread::sleep(Duration::from_millis(5));
        }
        Ok(false)
    }

    /// What changes when somebody writes a database, or puts another file in its place.
    #[derive(PartialEq)]
    struct Looks {
        header: Vec<u8>,
        index: u64,
        created: Option<u64>,
    }

    impl Looks {
        fn of(mut file: &File) -> io::Result<Self> {
            let mut header = Vec::new();
            file.by_ref().take(100).read_to_end(&mut header)?;
            let information = winapi_util::file::information(file)?;
            Ok(Self {
                header,
                index: information.file_index(),
                created: information.creation_time(),
            })
        }
    }

    /// A mutex of the whole machine for each file, which processes on other machines and other programs do not know. Whoever opens
    /// a database or begins a transaction that may not be in WAL mode holds it meanwhile, and so does whoever changes a file that
    /// is closed.
    pub struct Turn {
        /// None where the system refuses the mutex.
        mutex: Option<OwnedHandle>,
        /// A mutex belongs to the thread that waited for it.
        _of_thread: PhantomData<*const ()>,
    }

    impl Turn {
        /// Waits for the mutex of a file; none if somebody else holds it for long.
        pub fn take(path: &Path) -> Option<Self> {
            let mutex = mutex_of(path);
            if let Some(mutex) = &mutex {
                let patience = PATIENCE.as_millis().try_into().expect("a second fits");
                // SAFETY: the handle is that of a mutex, and open.
                let waited = unsafe { WaitForSingleObject(mutex.as_raw_handle(), patience) };
                // Abandoned: who held it was killed. SQLite's transactions and a rename leave the file whole.
                if waited != WAIT_OBJECT_0 && waited != WAIT_ABANDONED {
                    return None;
                }
            }
            Some(Self {
                mutex,
                _of_thread: PhantomData,
            })
        }
    }

    fn mutex_of(path: &Path) -> Option<OwnedHandle> {
        let file = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let file = file.to_string_lossy().to_lowercase();
        let name = format!(
            r"Global\shader-db-{:016x}",
            XxHash3_64::oneshot(file.as_bytes())
        );
        let name: Vec<_> = name.encode_utf16().chain([0]).collect();
        // SAFETY: the name ends with 0; a null pointer stands for the default security descriptor.
        let handle = unsafe { CreateMutexW(ptr::null(), 0, name.as_ptr()) };
        // SAFETY: the handle is new, and nobody else closes it.
        (!handle.is_null()).then(|| unsafe { OwnedHandle::from_raw_handle(handle) })
    }

    impl Drop for Turn {
        fn drop(&mut self) {
            if let Some(mutex) = &self.mutex {
                // SAFETY: the handle is that of a mutex, and open; this thread holds it, because `Turn` is not `Send`.
                unsafe { ReleaseMutex(mutex.as_raw_handle()) };
            }
        }
    }
}

#[cfg(all(test, windows))]
mod tests {
    use std::time::Duration;
    use std::{fs, thread};

    use super::*;
    use crate::sqlite;

    /// A database, and a connection that has it to itself.
    fn locked(path: &Path) -> Connection {
        let connection = sqlite::create(path).unwrap();
        connection
            .execute_batch("PRAGMA locking_mode=EXCLUSIVE; CREATE TABLE a (a)")
            .unwrap();
        connection
    }

    #[test]
    fn who_had_the_file_open_and_wrote_it_keeps_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let connection = locked(&path);
        let other = sqlite::open_existing(&path, true).unwrap();
        let replaced = thread::scope(|scope| {
            scope.spawn(move || {
                let store = "INSERT INTO a VALUES (1)";
                sqlite::patiently(sqlite::BUSY_TIMEOUT, || other.execute(store, [])).unwrap();
            });
            replace(&path, connection, || fs::remove_file(&path))
        });
        assert_eq!(replaced, Ok(false));
        let rows = sqlite::open_existing(&path, true).unwrap().query_row(
            "SELECT count(*) FROM a",
            [],
            |row| row.get(0),
        );
        assert_eq!(rows, Ok(1));
    }

    #[test]
    fn a_file_that_nobody_else_has_open_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (path, new) = (folder.path().join("a"), folder.path().join("b"));
        let connection = locked(&path);
        fs::write(&new, "b").unwrap();
        assert_eq!(
            replace(&path, connection, || fs::rename(&new, &path)),
            Ok(true)
        );
        assert_eq!(fs::read(&path).unwrap(), b"b");
    }

    #[test]
    fn a_turn_ends_before_the_next_one_begins() {
        let folder = tempfile::tempdir().unwrap();
        let path = &folder.path().join("a");
        fs::write(path, "").unwrap();
        let first = Turn::take(path).unwrap();
        // The same thread's.
        drop(Turn::take(path).unwrap());
        thread::scope(|scope| {
            let next = scope.spawn(|| drop(Turn::take(path).unwrap()));
            thread::sleep(Duration::from_millis(100));
            assert!(!next.is_finished());
            drop(first);
        });
    }
}
