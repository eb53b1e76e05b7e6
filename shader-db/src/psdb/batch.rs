//! Values and groups that are stored together.

use std::collections::HashSet;

use hashbrown::HashTable;
use twox_hash::XxHash3_64;

use super::session::{check_key, check_size};
use super::{ValueType, ValueTypes, digest};
use crate::{Error, Result};

/// The memory that an item costs in addition to its bytes.
const ITEM: usize = 256;

/// A value key with its values, or a group.
pub struct Item {
    /// The key, then the values or the group's list (`digest::push_key`).
    bytes: Vec<u8>,
    /// Where the key ends in `bytes`.
    key: usize,
    hash: u64,
    pub content: Content,
}

pub enum Content {
    /// For each type: where the value ends in `bytes`, and its digest.
    Values([Option<(usize, u128)>; ValueType::ALL.len()]),
    Group {
        version: u32,
        digest: u128,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Values,
    Group,
}

impl Item {
    /// An item of a value key, with one allocation and one copy. `values` has at most one value of each type.
    pub fn values(key: &[u8], values: &[(ValueType, &[u8])]) -> Self {
        let size = values.iter().map(|(_, value)| value.len()).sum::<usize>();
        let mut bytes = Vec::with_capacity(key.len() + size);
        bytes.extend_from_slice(key);
        let mut ends = [None; ValueType::ALL.len()];
        for kind in ValueType::ALL {
            if let Some((_, value)) = values.iter().find(|(of, _)| *of == kind) {
                bytes.extend_from_slice(value);
                ends[kind as usize] = Some((bytes.len(), digest::value(key, kind as u8, value)));
            }
        }
        Self {
            bytes,
            key: key.len(),
            hash: hash(Kind::Values, key),
            content: Content::Values(ends),
        }
    }

    /// An item of a group. Of equal keys in the list, only the first counts.
    pub fn group(key: &[u8], version: u32, keys: &[&[u8]]) -> Self {
        let size = keys.iter().map(|key| 4 + key.len()).sum::<usize>();
        let mut bytes = Vec::with_capacity(key.len() + size);
        bytes.extend_from_slice(key);
        let mut seen = HashSet::new();
        for (position, value) in keys.iter().enumerate() {
            // Groups of many keys are rare, so only those get a set.
            let first = if keys.len() > 16 {
                seen.insert(*value)
            } else {
                !keys[..position].contains(value)
            };
            if first {
                digest::push_key(&mut bytes, value);
            }
        }
        let digest = digest::group(key, version, &bytes[key.len()..]);
        Self {
            bytes,
            key: key.len(),
            hash: hash(Kind::Group, key),
            content: Content::Group { version, digest },
        }
    }

    pub fn key(&self) -> &[u8] {
        &self.bytes[..self.key]
    }

    fn kind(&self) -> Kind {
        match self.content {
            Content::Values(_) => Kind::Values,
            Content::Group { .. } => Kind::Group,
        }
    }

    /// The value of a type, with its digest.
    pub fn value(&self, kind: ValueType) -> Option<(&[u8], u128)> {
        let Content::Values(ends) = &self.content else {
            return None;
        };
        let (end, digest) = ends[kind as usize]?;
        let before = ends[..kind as usize].iter().rev().flatten().next();
        let start = before.map_or(self.key, |(end, _)| *end);
        Some((&self.bytes[start..end], digest))
    }

    /// The list of a group (`digest::push_key`).
    pub fn list(&self) -> &[u8] {
        &self.bytes[self.key..]
    }
}

/// A value key and a group key of the same bytes have different hashes.
fn hash(kind: Kind, key: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(kind as u64, key)
}

/// Values and groups in memory, for one [transaction](super::Transaction).
///
/// [`Psdb::batch`](super::Psdb::batch) makes one.
pub struct Batch {
    types: ValueTypes,
    items: HashTable<Item>,
    size: usize,
}

impl Batch {
    /// A batch for values of these types.
    pub fn new(types: ValueTypes) -> Self {
        Self {
            types,
            items: HashTable::new(),
            size: 0,
        }
    }

    /// Adds values under a key: all of them, or none.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyExists`] if the batch has a value of the key and of one of the types; [`Error::InvalidArgument`] for an
    /// empty key, no values, an empty value, a type twice, a type that is not one of the batch; [`Error::TooBig`].
    pub fn add_values(&mut self, key: &[u8], values: &[(ValueType, &[u8])]) -> Result<()> {
        self.check(key, values)?;
        self.push(Item::values(key, values));
        Ok(())
    }

    /// Checks values as [`add_values`](Self::add_values) does.
    ///
    /// # Errors
    ///
    /// Those of [`add_values`](Self::add_values).
    pub fn check(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> Result<()> {
        let invalid = |reason: String| Err(Error::InvalidArgument(reason));
        check_key(key)?;
        if values.is_empty() {
            return invalid("no values are given".into());
        }
        let mut types = ValueTypes::NONE;
        for (kind, value) in values {
            if value.is_empty() {
                return invalid("a value of no bytes".into());
            }
            if types.contains(*kind) {
                return invalid(format!("two values of type {kind:?}"));
            }
            if !self.types.contains(*kind) {
                return invalid(format!("the session has no file for {kind:?} values"));
            }
            check_size(value)?;
            if self.value(key, *kind).is_some() {
                return Err(Error::AlreadyExists);
            }
            types = types | (*kind).into();
        }
        Ok(())
    }

    /// Takes over what another batch has and this one lacks.
    pub fn append(&mut self, other: Self) {
        for item in other.items {
            let key = item.key();
            if item.kind() == Kind::Group {
                if self.group(key).is_none() {
                    self.push(item);
                }
                continue;
            }
            let values = ValueType::ALL.into_iter();
            let values = values.filter_map(|kind| Some((kind, item.value(kind)?.0)));
            let (there, new): (Vec<_>, Vec<_>) =
                values.partition(|(kind, _)| self.value(key, *kind).is_some());
            if there.is_empty() {
                self.push(item);
            } else if !new.is_empty() {
                self.push(Item::values(key, &new));
            }
        }
    }

    /// Adds a group: its version, and its value keys in this order, only the first of equal ones.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyExists`] if the batch has a group of this key; [`Error::InvalidArgument`] for an empty key;
    /// [`Error::TooBig`].
    pub fn add_group(&mut self, key: &[u8], version: u32, value_keys: &[&[u8]]) -> Result<()> {
        check_key(key)?;
        value_keys.iter().try_for_each(|key| check_key(key))?;
        if self.group(key).is_some() {
            return Err(Error::AlreadyExists);
        }
        self.push(Item::group(key, version, value_keys));
        Ok(())
    }

    fn push(&mut self, item: Item) {
        self.size += item.bytes.len() + ITEM;
        self.items.insert_unique(item.hash, item, |item| item.hash);
    }

    fn find_item(
        &self,
        kind: Kind,
        key: &[u8],
        is_wanted: impl Fn(&Item) -> bool,
    ) -> Option<&Item> {
        if self.items.is_empty() {
            return None;
        }
        self.items.find(hash(kind, key), |item| {
            item.kind() == kind && item.key() == key && is_wanted(item)
        })
    }

    /// The value of a key and a type.
    pub fn value(&self, key: &[u8], kind: ValueType) -> Option<&[u8]> {
        // A key can have several items, with values of other types.
        let item = self.find_item(Kind::Values, key, |item| item.value(kind).is_some())?;
        item.value(kind).map(|(value, _)| value)
    }

    /// The version of the group of a key.
    pub fn group(&self, key: &[u8]) -> Option<u32> {
        match self.find_item(Kind::Group, key, |_| true)?.content {
            Content::Group { version, .. } => Some(version),
            Content::Values(_) => None,
        }
    }

    /// Each key with its values, sorted by key. A key can come more than once, with other types.
    pub fn values(&self) -> impl Iterator<Item = (&[u8], Vec<(ValueType, &[u8])>)> {
        let items = self.sorted().into_iter();
        let items = items.filter(|item| item.kind() == Kind::Values);
        items.map(|item| {
            let typed = ValueType::ALL.into_iter();
            let typed = typed.filter_map(|kind| Some((kind, item.value(kind)?.0)));
            (item.key(), typed.collect())
        })
    }

    /// The bytes of keys, values and lists, with the memory that they cost in addition.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether it has no values and no groups.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items sorted by key, so that SQLite writes neighbours of an index one after the other.
    pub(super) fn sorted(&self) -> Vec<&Item> {
        let mut items: Vec<&Item> = self.items.iter().collect();
        items.sort_unstable_by_key(|item| item.key());
        items
    }
}
