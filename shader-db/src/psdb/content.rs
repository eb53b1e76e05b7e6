//! Reading what a file has, key by key.

use std::path::Path;

use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator as _;
use rusqlite::types::ValueRef;
use rusqlite::{Error, Result, Row, Rows};

use super::item::Item;
use super::schema::ELSEWHERE;
use super::{ValueType, ValueTypes, digest};

/// A key without values has one row.
const VALUES: &str = "SELECT keys.key, vals.type, vals.value, value_digests.digest, keys.last_accessed FROM keys \
    LEFT JOIN vals ON vals.keyid = keys.keyid \
    LEFT JOIN value_digests ON value_digests.id = vals.keyid * 4 + vals.type ORDER BY keys.key, vals.type";

/// The value keys of a group come in no order. A group without any has one row.
macro_rules! groups {
    ($which:literal) => {
        concat!(
            "SELECT groupkeys.key, groups.rowid, keys.key, group_digests.digest, groupkeys.version FROM groupkeys ",
            "LEFT JOIN group_digests ON group_digests.groupkeyid = groupkeys.keyid ",
            "LEFT JOIN groups ON groups.groupkeyid = groupkeys.keyid ",
            "LEFT JOIN keys ON keys.keyid = groups.valuekeyid ",
            $which
        )
    };
}

/// The statement for the group of a key.
pub const GROUP: &str = groups!("WHERE groupkeys.key = ?1");

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Values,
    Groups,
}

impl Kind {
    /// The statement for all keys with their values, or all groups, sorted by key.
    pub fn select(self) -> &'static str {
        match self {
            Self::Values => VALUES,
            Self::Groups => groups!("ORDER BY groupkeys.key"),
        }
    }
}

/// What is damaged.
pub type Fault = &'static str;

/// A value key with its values, or a group.
pub struct Entry {
    pub item: Item,
    /// The values that do not match their digests.
    pub damaged: ValueTypes,
    pub fault: Option<Fault>,
}

impl Entry {
    /// What a file has, if nothing of it is damaged.
    pub fn sound(self, path: &Path) -> crate::Result<Item> {
        match self.fault {
            Some(fault) => Err(crate::Error::corrupt(path, fault)),
            None => Ok(self.item),
        }
    }
}

/// The rows of a statement.
pub struct Cursor<'a> {
    kind: Kind,
    rows: Rows<'a>,
    /// How many keys it has found, how many of their values or members, and how many digests of values or groups.
    pub found: [u64; 3],
}

impl<'a> Cursor<'a> {
    pub fn new(kind: Kind, mut rows: Rows<'a>) -> Result<Self> {
        rows.advance()?;
        let found = [0; 3];
        Ok(Self { kind, rows, found })
    }

    pub fn next(&mut self) -> Result<Option<Entry>> {
        let Some(row) = self.rows.get() else {
            return Ok(None);
        };
        let key = row.get(0)?;
        self.found[0] += 1;
        let entry = match self.kind {
            Kind::Values => self.values(key),
            Kind::Groups => self.group(&key),
        };
        entry.map(Some)
    }

    fn values(&mut self, key: Vec<u8>) -> Result<Entry> {
        let mut item = Item::of_key(key);
        let mut damaged = ValueTypes::NONE;
        while let Some(row) = row_of(&self.rows, item.key())? {
            item.has_values |= row.get_ref(4)? == ValueRef::Integer(ELSEWHERE);
            if let Some(number) = row.get::<_, Option<u32>>(1)? {
                let unknown = Error::IntegralValueOutOfRange(1, number.into());
                let kind = ValueType::from_number(number).ok_or(unknown)?;
                let value = row.get_ref(2)?.as_blob()?;
                let stored = row.get_ref(3)?.as_blob_or_null()?;
                self.found[1] += 1;
                self.found[2] += u64::from(stored.is_some());
                let is_there = item.values().any(|(other, _)| other >= kind);
                if is_there || !digest::matches(stored, item.push(kind, value)) {
                    damaged |= kind.into();
                }
            }
            self.rows.advance()?;
        }
        let fault = (!damaged.is_empty()).then_some("a value does not match its digest");
        Ok(Entry {
            item,
            damaged,
            fault,
        })
    }

    fn group(&mut self, key: &[u8]) -> Result<Entry> {
        let (mut stored, mut version) = (None::<Vec<u8>>, None);
        let mut members: Vec<(i64, Option<Vec<u8>>)> = Vec::new();
        while let Some(row) = row_of(&self.rows, key)? {
            (stored, version) = (row.get(3)?, version_of(row.get(4)?));
            if let Some(place) = row.get(1)? {
                members.push((place, row.get(2)?));
            }
            self.rows.advance()?;
        }
        self.found[1] += members.len() as u64;
        self.found[2] += u64::from(stored.is_some());
        members.sort_unstable();
        let keys = members.iter().filter_map(|(_, key)| key.as_deref());
        let keys: Vec<&[u8]> = keys.collect();
        let item = Item::of_group(key, version.unwrap_or_default(), &keys);
        let matches = |(_, digest)| digest::matches(stored.as_deref(), digest);
        let fault = if version.is_none() {
            Some("a group's version is out of range")
        } else if keys.len() < members.len() {
            Some("a group names a key that is missing")
        } else if !item.group.is_some_and(matches) {
            Some("a group does not match its digest")
        } else {
            None
        };
        let damaged = ValueTypes::NONE;
        Ok(Entry {
            item,
            damaged,
            fault,
        })
    }
}

/// The present row, if it is one of this key.
fn row_of<'r, 'a>(rows: &'r Rows<'a>, key: &[u8]) -> Result<Option<&'r Row<'a>>> {
    let Some(row) = rows.get() else {
        return Ok(None);
    };
    Ok((row.get_ref(0)?.as_blob()? == key).then_some(row))
}

/// A version as the column has it; other writers may have extended its sign.
pub fn version_of(stored: i64) -> Option<u32> {
    let signed = || Some(i32::try_from(stored).ok()?.cast_unsigned());
    u32::try_from(stored).ok().or_else(signed)
}
