//! The groups that name an object. `groups` has no index for that, and a scan for all objects takes as long as one for one.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, params};
use twox_hash::XxHash3_128;

/// A column of `groups` that names an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// `PSOKey`.
    PipelineState,
    /// `SOKey`.
    StateObject,
}

/// The groups that a connection knows.
#[derive(Default)]
pub struct Names {
    /// For each column, the rows of the groups, after a hash of the key in the column.
    rows: [Option<BTreeSet<(u128, i64)>>; 2],
    /// `PRAGMA data_version` of that state: another process may write.
    data_version: i64,
}

impl Names {
    pub fn forget(&mut self) {
        self.rows = [None, None];
    }

    pub fn add(&mut self, column: Column, row: &[u8], group: i64) {
        if let Some(rows) = &mut self.rows[column as usize] {
            rows.insert((XxHash3_128::oneshot(row), group));
        }
    }

    /// The rows of the groups that may name an object, in their order.
    pub fn groups_of(
        &mut self,
        connection: &Connection,
        column: Column,
        row: &[u8],
    ) -> rusqlite::Result<impl Iterator<Item = i64>> {
        let data_version = connection
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        if self.data_version != data_version {
            self.forget();
            self.data_version = data_version;
        }
        let rows = &mut self.rows[column as usize];
        if rows.is_none() {
            let all = match column {
                Column::PipelineState => {
                    "SELECT rowid, PSOKey FROM groups \
                     WHERE PSOKey IS NOT NULL AND typeof(Key) = 'blob' AND length(Key) > 0"
                }
                Column::StateObject => {
                    "SELECT rowid, SOKey FROM groups \
                     WHERE SOKey IS NOT NULL AND typeof(Key) = 'blob' AND length(Key) > 0"
                }
            };
            let mut all = connection.prepare(all)?;
            let mut all = all.query([])?;
            let mut found = Vec::new();
            while let Some(row) = all.next()? {
                if let Ok(key) = row.get_ref(1)?.as_blob() {
                    found.push((XxHash3_128::oneshot(key), row.get(0)?));
                }
            }
            *rows = Some(found.into_iter().collect());
        }
        let hash = XxHash3_128::oneshot(row);
        let range = (hash, i64::MIN)..=(hash, i64::MAX);
        let found = rows.iter().flat_map(move |rows| rows.range(range.clone()));
        Ok(found.map(|(_, group)| *group))
    }

    /// The key of the first group of a state object's row.
    pub fn name_of(
        &mut self,
        connection: &Connection,
        row: &[u8],
    ) -> rusqlite::Result<Option<Vec<u8>>> {
        let Some(group) = self.groups_of(connection, Column::StateObject, row)?.next() else {
            return Ok(None);
        };
        connection
            .prepare_cached("SELECT Key FROM groups WHERE rowid = ?1 AND SOKey = ?2")?
            .query_row(params![group, row], |row| row.get(0))
            .optional()
    }
}
