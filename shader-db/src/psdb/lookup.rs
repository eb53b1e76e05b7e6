//! Looking up values and groups through a connection.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::schema::ELSEWHERE;
use super::{ValueType, ValueTypes, digest};

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
const TYPES: &str =
    "SELECT vals.type FROM keys JOIN vals ON vals.keyid = keys.keyid WHERE keys.key = ?1";
const GROUP: &str = "SELECT groupkeys.groupkeyid, version, digest FROM (SELECT keyid AS groupkeyid, version \
    FROM groupkeys WHERE key = ?1) AS groupkeys LEFT JOIN group_digests USING (groupkeyid)";
const LIST: &str = "SELECT keys.key FROM groups LEFT JOIN keys ON keys.keyid = groups.valuekeyid \
    WHERE groups.groupkeyid = ?1 ORDER BY groups.rowid";

/// What is damaged.
pub type Fault = &'static str;

/// The version and the list (`digest::push_key`) of a group.
pub type FoundGroup = (u32, Vec<u8>);

/// The content of a file, as its connection sees it.
pub struct Lookup<'a>(pub &'a Connection);

impl Lookup<'_> {
    /// Hands the verified value to `sink`; false if there is none.
    pub fn value(
        &self,
        key: &[u8],
        kind: ValueType,
        sink: &mut dyn FnMut(&[u8]),
    ) -> rusqlite::Result<Result<bool, Fault>> {
        let found = self.find([VALUE, VALUE_BY_INDEX], key, kind, |row| {
            let Some(value) = row.get_ref(0)?.as_blob_or_null()? else {
                return Ok(None);
            };
            let stored = row.get_ref(1)?.as_blob_or_null()?;
            let checked = check(
                stored,
                || digest::value(key, kind as u8, value),
                "a value does not match its digest",
            );
            Ok(Some(checked.map(|()| sink(value))))
        })?;
        Ok(found.transpose().map(|found| found.is_some()))
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

    /// The types of the values of a key.
    pub fn types_of(&self, key: &[u8]) -> rusqlite::Result<ValueTypes> {
        let mut find = self.0.prepare_cached(TYPES)?;
        let types = find.query_map([key], |row| {
            // A damaged file can have other numbers.
            Ok(ValueType::from_number(row.get(0)?))
        })?;
        let types: Vec<Option<ValueType>> = types.collect::<Result<_, _>>()?;
        Ok(types.into_iter().flatten().collect())
    }

    pub fn has_group(&self, key: &[u8]) -> rusqlite::Result<bool> {
        self.exists("SELECT 1 FROM groupkeys WHERE key = ?1", key)
    }

    /// Whether there is a value key, which need have no values.
    pub fn has_key(&self, key: &[u8]) -> rusqlite::Result<bool> {
        self.exists("SELECT 1 FROM keys WHERE key = ?1", key)
    }

    /// Whether all values of a key are in files that a session had beside this one.
    pub fn is_elsewhere(&self, key: &[u8]) -> rusqlite::Result<bool> {
        let select = format!("SELECT 1 FROM keys WHERE key = ?1 AND last_accessed = {ELSEWHERE}");
        self.exists(&select, key)
    }

    fn exists(&self, select: &str, key: &[u8]) -> rusqlite::Result<bool> {
        self.0.prepare_cached(select)?.exists([key])
    }

    /// A group. The caller has begun a transaction: this takes several statements.
    pub fn group(&self, key: &[u8]) -> rusqlite::Result<Result<Option<FoundGroup>, Fault>> {
        type Found = (i64, i64, Option<Vec<u8>>);
        let mut group = self.0.prepare_cached(GROUP)?;
        let found: Option<Found> = group
            .query_row([key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let Some((id, version, stored)) = found else {
            return Ok(Ok(None));
        };
        let mut members = self.0.prepare_cached(LIST)?;
        let mut rows = members.query([id])?;
        let mut list = Vec::new();
        while let Some(row) = rows.next()? {
            digest::push_key(&mut list, row.get_ref(0)?.as_blob()?);
        }
        let Some(version) = version_of(version) else {
            return Ok(Err("a group's version is out of range"));
        };
        let checked = check(
            stored.as_deref(),
            || digest::group(key, version, &list),
            "a group does not match its digest",
        );
        Ok(checked.map(|()| Some((version, list))))
    }
}

/// Compares a digest with the stored one. A row without one came from another program: it is used as it is.
fn check(
    stored: Option<&[u8]>,
    computed: impl FnOnce() -> u128,
    mismatch: Fault,
) -> Result<(), Fault> {
    match stored {
        Some(stored) if *stored != computed().to_be_bytes() => Err(mismatch),
        _ => Ok(()),
    }
}

/// A version as the column has it; other writers may have extended its sign.
pub fn version_of(stored: i64) -> Option<u32> {
    u32::try_from(stored)
        .ok()
        .or_else(|| Some(i32::try_from(stored).ok()?.cast_unsigned()))
}
