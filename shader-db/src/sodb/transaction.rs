//! Transactions that a caller begins around several calls.
//!
//! They belong to the session, not to a thread: until the last one ends, the calls of all threads are part of them. SQLite
//! rolls back a store that fails in one, and the transaction goes on.

use super::database::Database;
use super::{CheckpointMode, JournalMode, Sodb};
use crate::{Error, Result};

/// When a transaction takes its locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionKind {
    /// The lock to read at the first read, the lock to store at the first store.
    Deferred,
    /// The lock to store at the begin.
    Immediate,
    /// All locks at the begin: without a WAL, other sessions cannot read.
    Exclusive,
    /// The locks of the enclosing transaction; those of a deferred one if there is none.
    Savepoint,
}

impl Sodb {
    /// Begins a transaction. This session finds what the transaction stores; other sessions find it after the outermost
    /// transaction commits. Closing the session rolls back what it did not commit.
    ///
    /// A read-only session can begin a transaction that takes no lock to store: what it reads stays the same until the end.
    /// From then on its threads wait for each other.
    ///
    /// # Errors
    ///
    /// [`Error::TransactionState`]: one is active, and the new one may not be part of it. [`Error::AccessDenied`]: a lock to
    /// store in a session that reads. [`Error::Busy`], and the other errors of writing.
    pub fn begin(&self, kind: TransactionKind) -> Result<()> {
        self.0.keep_one();
        self.lock().begin(kind)
    }

    /// Commits the innermost transaction.
    ///
    /// # Errors
    ///
    /// [`Error::TransactionState`]: none is active, perhaps because SQLite rolled it back after a failure. The errors of
    /// writing; after one the transaction stays active.
    pub fn commit(&self) -> Result<()> {
        self.lock().commit()
    }

    /// Rolls back the innermost transaction.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit).
    pub fn roll_back(&self) -> Result<()> {
        self.lock().roll_back()
    }

    /// Whether a transaction is active.
    pub fn is_in_transaction(&self) -> bool {
        self.lock().is_in_transaction()
    }

    /// Checkpoints the WAL, if there is one, and sets the journal mode, if one is given, for this session and later ones.
    /// Returns the journal mode that the file had.
    ///
    /// # Errors
    ///
    /// [`Error::TransactionState`]: a transaction is active. [`Error::Busy`]: other sessions prevent the checkpoint or the
    /// mode. [`Error::AccessDenied`] if the session is opened to read, and the other errors of writing.
    pub fn checkpoint_with(
        &self,
        mode: CheckpointMode,
        journal: Option<JournalMode>,
    ) -> Result<JournalMode> {
        let mut database = self.lock();
        if database.is_in_transaction() {
            return Err(Error::TransactionState("a transaction is active"));
        }
        database.file.checkpoint(mode, journal)
    }
}

impl Database {
    /// Whether a transaction of a caller is active.
    pub fn is_in_transaction(&mut self) -> bool {
        if self.file.connection().is_autocommit() {
            // After some failures, SQLite rolls back a transaction itself.
            self.depth = 0;
        }
        self.depth > 0
    }

    fn begin(&mut self, kind: TransactionKind) -> Result<()> {
        let statement = if !self.is_in_transaction() {
            if self.file.is_to_store() {
                self.file.begin_write()?;
            }
            match kind {
                TransactionKind::Deferred | TransactionKind::Savepoint => "BEGIN",
                _ if !self.file.is_to_store() => return self.file.check_writable(),
                TransactionKind::Immediate => "BEGIN IMMEDIATE",
                TransactionKind::Exclusive => "BEGIN EXCLUSIVE",
            }
        } else if kind == TransactionKind::Savepoint {
            "SAVEPOINT inner"
        } else {
            return Err(Error::TransactionState(
                "a transaction is active, and only a savepoint can be part of it",
            ));
        };
        self.run(statement)?;
        self.depth += 1;
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        self.check_active()?;
        let end = if self.depth > 1 {
            "RELEASE inner"
        } else {
            "COMMIT"
        };
        let ended = self.run(end);
        if ended.is_ok() {
            self.depth -= 1;
        } else {
            self.forget();
        }
        ended
    }

    fn roll_back(&mut self) -> Result<()> {
        self.check_active()?;
        self.forget();
        let undo = if self.depth > 1 {
            "ROLLBACK TO inner; RELEASE inner"
        } else {
            "ROLLBACK"
        };
        let connection = self.file.connection();
        let undone = connection.execute_batch(undo);
        undone.map_err(|error| self.failure(&error))?;
        self.depth -= 1;
        Ok(())
    }

    fn check_active(&mut self) -> Result<()> {
        if self.is_in_transaction() {
            return Ok(());
        }
        Err(Error::TransactionState("no transaction is active"))
    }
}
