//! Inserting rows many at a time. SQLite begins and ends a statement in twice the time that a short row takes.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection};

/// How many rows a statement takes.
const SIZES: [usize; 3] = [64, 8, 1];

/// So many members of groups are gathered: a list can have millions.
pub const MEMBERS: usize = 4096;

/// Statements that insert rows of `N` columns into one table.
pub struct Insert<'a, const N: usize>([CachedStatement<'a>; SIZES.len()]);

impl<'a, const N: usize> Insert<'a, N> {
    /// `into` is what stands before VALUES, such as `INSERT OR IGNORE INTO keys(key)`. Where there is a transaction to take
    /// back if one fails, `OR IGNORE` spares SQLite the copies of pages with which it takes back a statement alone.
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
                // What a huge value took is given back.
                statement.clear_bindings();
                rows = later;
            }
        }
        Ok(inserted)
    }
}
