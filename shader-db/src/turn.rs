//! Turns, on Windows, at what SQLite's locks do not cover there.
//!
//! SQLite 3.51 changes a lock on Windows in two steps. A connection that goes from SHARED straight to EXCLUSIVE, as to roll back a
//! hot journal, does not take PENDING. It can get EXCLUSIVE while a connection with RESERVED has given up SHARED on its own way to
//! EXCLUSIVE, and then rolls back a transaction that is in progress. And a file that is to be replaced must be closed first, and
//! has no lock then.

use std::fs;
use std::marker::PhantomData;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::path::Path;
use std::ptr;

use twox_hash::XxHash3_64;
use windows_sys::Win32::Foundation::{WAIT_ABANDONED, WAIT_OBJECT_0};
use windows_sys::Win32::System::Threading::{CreateMutexW, ReleaseMutex, WaitForSingleObject};

/// How long this waits for one turn of another thread, which can have SQLite wait for locks meanwhile.
const MILLISECONDS: u32 = 1000;

/// A mutex of the whole machine for each file. Whoever begins a transaction of a PSDB that may not be in WAL mode holds it, and so
/// does whoever replaces or removes one that is closed. Other machines, other programs, and processes that may not open the mutex,
/// as those of another user, do not take part.
pub struct Turn {
    /// None where the system refuses the mutex.
    mutex: Option<OwnedHandle>,
    /// A mutex belongs to the thread that waited for it, which can wait for it again.
    _of_thread: PhantomData<*const ()>,
}

impl Turn {
    /// Waits for the mutex of a file; none if somebody else holds it for long.
    pub fn take(path: &Path) -> Option<Self> {
        let mutex = mutex_of(path);
        if let Some(mutex) = &mutex {
            // SAFETY: the handle is that of a mutex, and open.
            let waited = unsafe { WaitForSingleObject(mutex.as_raw_handle(), MILLISECONDS) };
            // Abandoned: who held it was killed, and SQLite rolls back what it had begun.
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
    let hash = XxHash3_64::oneshot(file.as_bytes());
    let name = format!(r"Global\shader-db-{hash:016x}");
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

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

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
