//! The connections of a session: one to write, several to read, so that threads do not wait for each other.

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::cache::MOST_BYTES;
use super::database::Database;
use super::file::{Again, File};
use crate::Result;

/// The most connections: more threads seldom read at the same moment.
const MOST: usize = 8;

pub struct Pool {
    state: Mutex<State>,
    returned: Condvar,
    again: Option<Again>,
    /// Bytes of rows that each connection caches.
    cached: usize,
}

struct State {
    /// The unused connections; the last one was used last and has the fullest cache.
    free: Vec<Database>,
    /// How many connections are used, or being opened.
    used: usize,
    /// How many more connections the pool may open.
    more: usize,
    /// Whether the pool may have only one connection.
    alone: bool,
}

impl State {
    /// How many connections there are.
    fn count(&self) -> usize {
        self.free.len() + self.used
    }
}

/// A connection for one thread at a time.
pub struct Lease<'p> {
    pool: &'p Pool,
    database: Option<Database>,
}

impl Pool {
    pub fn new(file: File) -> Self {
        let again = file.again().cloned();
        let most = match again {
            Some(_) => thread::available_parallelism().map_or(1, |threads| threads.get().min(MOST)),
            None => 1,
        };
        let cached = MOST_BYTES / most;
        Self {
            state: Mutex::new(State {
                free: vec![Database::new(file, cached)],
                used: 0,
                more: most - 1,
                alone: false,
            }),
            returned: Condvar::new(),
            again,
            cached,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection, or opens one, or waits for one.
    pub fn take(&self) -> Lease<'_> {
        let mut state = self.state();
        loop {
            let mut database = state.free.pop();
            if database.is_none()
                && state.more > 0
                && let Some(again) = &self.again
            {
                state.more -= 1;
                state.used += 1;
                drop(state);
                let file = again.open();
                database = file.map(|file| Database::new(file, self.cached));
                state = self.state();
                state.used -= 1;
                if database.is_none() {
                    state.more = 0;
                    self.tell(&state);
                    // A connection may have come back.
                    continue;
                }
            }
            if database.is_some() {
                state.used += 1;
                return Lease {
                    pool: self,
                    database,
                };
            }
            let waited = self.returned.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Wakes waiting threads: a connection came back, or none comes.
    fn tell(&self, state: &State) {
        if state.alone {
            // The threads wait for different things.
            self.returned.notify_all();
        } else {
            self.returned.notify_one();
        }
    }

    /// Limits the pool to one connection from here on, and waits until the other used ones come back: a transaction belongs
    /// to one connection.
    pub fn keep_one(&self) {
        let mut state = self.state();
        state.alone = true;
        state.more = 0;
        let one = state.free.len().saturating_sub(1);
        state.free.drain(..one);
        while state.count() > 1 {
            let waited = self.returned.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Closes all connections; returns the first error.
    pub fn close(&mut self) -> Result<()> {
        let mut free = std::mem::take(&mut self.state().free);
        let closed = free.iter_mut().map(|database| database.file.close());
        closed.fold(Ok(()), Result::and)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let _ = self.close();
    }
}

impl Deref for Lease<'_> {
    type Target = Database;

    fn deref(&self) -> &Database {
        self.database.as_ref().expect("there until it is dropped")
    }
}

impl DerefMut for Lease<'_> {
    fn deref_mut(&mut self) -> &mut Database {
        self.database.as_mut().expect("there until it is dropped")
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        if let Some(mut database) = self.database.take() {
            if thread::panicking() {
                database.abandon();
            }
            let mut state = self.pool.state();
            state.used -= 1;
            if !state.alone || state.count() == 0 {
                state.free.push(database);
            }
            self.pool.tell(&state);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::psdb::Access;
    use crate::sodb::{OpenOptions, Sodb};

    fn open(path: &std::path::Path, access: Access) -> Pool {
        Pool::new(File::open(path, access, OpenOptions::default()).unwrap())
    }

    /// Takes connections until another one would have to wait; returns their number.
    fn count(pool: &Pool) -> usize {
        let mut leases = vec![pool.take()];
        while leases.len() <= MOST {
            let (sender, receiver) = mpsc::channel();
            let waits = thread::scope(|scope| {
                scope.spawn(move || sender.send(Box::new(pool.take())).ok());
                if let Ok(lease) = receiver.recv_timeout(Duration::from_millis(300)) {
                    leases.push(*lease);
                    return false;
                }
                // The thread gets this connection, and gives it back.
                leases.pop();
                drop(receiver.recv());
                true
            });
            if waits {
                return leases.len() + 1;
            }
        }
        leases.len()
    }

    #[test]
    fn who_reads_does_not_wait_and_who_writes_is_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sodb");
        drop(Sodb::open(&path, Access::Create).unwrap());
        let threads = thread::available_parallelism().map_or(1, usize::from);
        for (access, expected) in [(Access::Read, threads.min(MOST)), (Access::Write, 1)] {
            let pool = open(&path, access);
            assert_eq!(count(&pool), expected);
            assert_eq!(count(&pool), expected, "they were given back");
        }
    }

    #[test]
    fn a_transaction_is_the_one_connection() {
        use crate::sodb::TransactionKind;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sodb");
        drop(Sodb::open(&path, Access::Create).unwrap());
        let sodb = Sodb::open(&path, Access::Read).unwrap();
        // Threads use some connections when it begins.
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let used: Vec<_> = (0..threads.min(MOST)).map(|_| sodb.0.take()).collect();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(100));
                drop(used);
            });
            sodb.begin(TransactionKind::Deferred).unwrap();
        });
        assert!(sodb.is_in_transaction());
        assert_eq!(count(&sodb.0), 1);
        assert!(sodb.is_in_transaction());
        sodb.commit().unwrap();
        assert_eq!(count(&sodb.0), 1, "it stays so");
    }

    /// No thread reads another file under the same name.
    #[cfg(unix)]
    #[test]
    fn a_file_that_was_replaced_is_not_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["a.sodb", "b.sodb"].map(|name| folder.path().join(name));
        for path in [&path, &other] {
            drop(Sodb::open(path, Access::Create).unwrap());
        }
        let pool = open(&path, Access::Read);
        std::fs::rename(&other, &path).unwrap();
        assert_eq!(count(&pool), 1);
    }
}
