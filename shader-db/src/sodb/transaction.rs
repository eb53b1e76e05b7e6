//! Transactions that a caller begins around several calls.
//!
//! They are of the session, not of a thread: until the last one ends, the calls of all threads are part of them. A store
//! that fails in one is undone, and the transaction goes on.

use super::database::Database;
use super::{CheckpointMode, JournalMode, Sodb};
use crate::{Error, Result};

/// When a transaction takes its locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionKind {
    /// Where it first reads and where it first stores.
    Deferred,
    /// To store, when it begins.
    Immediate,
    /// All, when it begins: without a WAL, other sessions cannot read.
    Exclusive,
    /// Those of the transaction that it is part of; as a deferred one if there is none.
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
    /// [`Error::TransactionState`]: one is active, and the new one is to be no part of it. [`Error::AccessDenied`]: a lock
    /// to store for a session that reads. [`Error::Busy`], and what else writing can give.
    pub fn begin(&self, kind: TransactionKind) -> Result<()> {
        self.0.keep_one();
        self.lock().begin(kind)
    }

    /// Keeps what was stored in the innermost transaction, and ends it.
    ///
    /// # Errors
    ///
    /// [`Error::TransactionState`]: none is active, perhaps because SQLite undid it after a failure. What writing can give;
    /// the transaction stays active then.
    pub fn commit(&self) -> Result<()> {
        self.lock().commit()
    }

    /// Undoes what was stored in the innermost transaction, and ends it.
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
    /// [`Error::TransactionState`]: a transaction is active. [`Error::Busy`]: other sessions keep it from what was asked
    /// for. [`Error::AccessDenied`] if it was opened to be read, and what else writing can give.
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
    /// Whether a transaction is active that a caller began.
    pub fn is_in_transaction(&mut self) -> bool {
        if self.file.connection().is_autocommit() {
            // SQLite ends one itself after some failures.
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
