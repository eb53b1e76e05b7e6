//! Inserting many rows at a time. To begin and end a statement takes SQLite twice the time of a short row.

use rusqlite::Connection;
use rusqlite::types::{ToSqlOutput, ValueRef};

/// How many rows a statement takes.
const SIZES: [usize; 3] = [64, 8, 1];

/// How many members of groups are gathered: a list can have millions.
pub const MEMBERS: usize = 4096;

/// Inserts rows of `N` columns into one table.
pub struct Insert<'a, const N: usize> {
    connection: &'a Connection,
    into: String,
}

impl<'a, const N: usize> Insert<'a, N> {
    /// `into` is the part before VALUES, such as `INSERT OR IGNORE INTO keys(key)`. In a transaction that the caller rolls
    /// back on failure, `OR IGNORE` spares SQLite the page copies with which it undoes a single statement.
    pub fn new(connection: &'a Connection, into: impl Into<String>) -> Self {
        let into = into.into();
        Self { connection, into }
    }

    /// Inserts rows in their order; returns how many.
    pub fn insert(&self, mut rows: &[[ValueRef; N]]) -> rusqlite::Result<usize> {
        let mut inserted = 0;
        for size in SIZES {
            // Most transactions have one row for each table.
            if rows.len() < size {
                continue;
            }
            let row = format!("({})", ["?"; N].join(","));
            let values = vec![&row[..]; size].join(",");
            let sql = format!("{} VALUES{values}", self.into);
            let mut statement = self.connection.prepare_cached(&sql)?;
            while let Some((now, later)) = rows.split_at_checked(size) {
                for (place, &column) in now.iter().flatten().enumerate() {
                    statement.raw_bind_parameter(place + 1, ToSqlOutput::Borrowed(column))?;
                }
                inserted += statement.raw_execute()?;
                // Free the memory of a huge value.
                statement.clear_bindings();
                rows = later;
            }
        }
        Ok(inserted)
    }
}
