//! Inserting many rows at a time. To begin and end a statement takes SQLite twice the time of a short row.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection};

/// How many rows a statement takes.
const SIZES: [usize; 3] = [64, 8, 1];

/// How many members of groups are gathered: a list can have millions.
pub const MEMBERS: usize = 4096;

/// Statements that insert rows of `N` columns into one table.
pub struct Insert<'a, const N: usize>([CachedStatement<'a>; SIZES.len()]);

impl<'a, const N: usize> Insert<'a, N> {
    /// `into` is the part before VALUES, such as `INSERT OR IGNORE INTO keys(key)`. In a transaction that the caller rolls
    /// back on failure, `OR IGNORE` spares SQLite the page copies with which it undoes a single statement.
    pub fn new(connection: &'a Connection, into: &str) -> rusqlite::Result<Self> {
        let row = format!("({})", ["?"; N].join(","));
        let prepare = |size: usize| {
            let rows = vec![&row[..]; size].join(",");
            connection.prepare_cached(&format!("{into} VALUES{rows}"))
        };
        let [many, some, one] = SIZES;
        Ok(Self([prepare(many)?, prepare(some)?, prepare(one)?]))
    }

    /// Inserts rows in their order; returns how many.
    pub fn insert(&mut self, mut rows: &[[ValueRef; N]]) -> rusqlite::Result<usize> {
        let mut inserted = 0;
        for (size, statement) in SIZES.into_iter().zip(&mut self.0) {
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
