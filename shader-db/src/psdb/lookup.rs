//! Looking up what a file has under one key.

use rusqlite::{Connection, Row, params};

use super::content::{Cursor, Entry, Fault, GROUP, Kind};
use super::{ValueType, digest};

/// A value and its digest, in the row that has the digest's number: writers put values there if they can.
const VALUE: &str = "SELECT vals.value, value_digests.digest FROM keys \
    LEFT JOIN vals ON vals.rowid = keys.keyid * 4 + ?2 AND +vals.keyid = keys.keyid AND +vals.type = ?2 \
    LEFT JOIN value_digests ON value_digests.id = keys.keyid * 4 + ?2 WHERE keys.key = ?1";
/// A value and its digest by the index.
const VALUE_BY_INDEX: &str = "SELECT vals.value, value_digests.digest FROM keys \
    LEFT JOIN vals ON vals.keyid = keys.keyid AND vals.type = ?2 \
    LEFT JOIN value_digests ON value_digests.id = keys.keyid * 4 + ?2 WHERE keys.key = ?1";
const SIZE: &str = "SELECT length(vals.value) FROM keys \
    LEFT JOIN vals ON vals.rowid = keys.keyid * 4 + ?2 AND +vals.keyid = keys.keyid AND +vals.type = ?2 \
    WHERE keys.key = ?1";
const SIZE_BY_INDEX: &str = "SELECT length(vals.value) FROM keys \
    LEFT JOIN vals ON vals.keyid = keys.keyid AND vals.type = ?2 WHERE keys.key = ?1";

/// The content of a file, as its connection sees it.
pub struct Lookup<'a>(pub &'a Connection);

impl Lookup<'_> {
    /// What `read` makes of a value that matches its digest, if there is one.
    pub fn value<T>(
        &self,
        key: &[u8],
        kind: ValueType,
        read: &mut dyn FnMut(&[u8]) -> T,
    ) -> rusqlite::Result<Result<Option<T>, Fault>> {
        let found = self.find([VALUE, VALUE_BY_INDEX], key, kind, |row| {
            let Some(value) = row.get_ref(0)?.as_blob_or_null()? else {
                return Ok(None);
            };
            let stored = row.get_ref(1)?.as_blob_or_null()?;
            let matches = digest::matches(stored, digest::value(key, kind as u8, value));
            Ok(Some(matches.then(|| read(value))))
        })?;
        let read = |found: Option<T>| found.ok_or("a value does not match its digest");
        Ok(found.map(read).transpose())
    }

    /// The size of a value in bytes, without reading it.
    pub fn value_size(&self, key: &[u8], kind: ValueType) -> rusqlite::Result<Option<u32>> {
        self.find([SIZE, SIZE_BY_INDEX], key, kind, |row| row.get(0))
    }

    /// Looks for a value in the row where it mostly is, and otherwise by the index.
    fn find<T>(
        &self,
        [by_row, by_index]: [&str; 2],
        key: &[u8],
        kind: ValueType,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<Option<T>>,
    ) -> rusqlite::Result<Option<T>> {
        let mut find = |query: &str| {
            let mut find = self.0.prepare_cached(query)?;
            let mut rows = find.query(params![key, kind as u8])?;
            Ok::<_, rusqlite::Error>(match rows.next()? {
                None => (false, None),
                Some(row) => (true, read(row)?),
            })
        };
        match find(by_row)? {
            (true, None) => Ok(find(by_index)?.1),
            (_, value) => Ok(value),
        }
    }

    /// Whether there is one of these rows, given as the text behind FROM, for a key.
    pub fn has(&self, rows: &str, key: &[u8]) -> rusqlite::Result<bool> {
        let select = format!("SELECT 1 FROM {rows}");
        self.0.prepare_cached(&select)?.exists([key])
    }

    pub fn group(&self, key: &[u8]) -> rusqlite::Result<Option<Entry>> {
        let mut group = self.0.prepare_cached(GROUP)?;
        Cursor::new(Kind::Groups, group.query([key])?)?.next()
    }
}
