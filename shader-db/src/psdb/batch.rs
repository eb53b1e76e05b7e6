//! Values and groups that are stored together.

use std::collections::BTreeMap;

use super::item::Item;
use super::session::{check_key, check_size};
use super::{ValueType, ValueTypes};
use crate::{Error, Result};

/// The memory that an item costs in addition to its bytes.
const ITEM: usize = 256;

/// Values and groups in memory, for one [transaction](super::Transaction).
///
/// [`Psdb::batch`](super::Psdb::batch) makes one.
pub struct Batch {
    types: ValueTypes,
    values: BTreeMap<Vec<u8>, Item>,
    groups: BTreeMap<Vec<u8>, Item>,
    size: usize,
}

impl Batch {
    /// A batch for values of these types.
    pub fn new(types: ValueTypes) -> Self {
        Self {
            types,
            values: BTreeMap::new(),
            groups: BTreeMap::new(),
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
        self.push(Item::of_values(key, values));
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
            if types.has(*kind) {
                return invalid(format!("two values of type {kind:?}"));
            }
            if !self.types.has(*kind) {
                return invalid(format!("the session has no file for {kind:?} values"));
            }
            check_size(value)?;
            if self.value(key, *kind).is_some() {
                return Err(Error::AlreadyExists);
            }
            types |= (*kind).into();
        }
        Ok(())
    }

    /// Takes over what another batch has and this one lacks.
    pub fn append(&mut self, other: Self) {
        let items = other.values.into_values().chain(other.groups.into_values());
        items.for_each(|item| self.push(item));
    }

    /// Adds what the batch does not have of a key.
    fn push(&mut self, item: Item) {
        let items = match item.group {
            Some(_) => &mut self.groups,
            None => &mut self.values,
        };
        let item = match items.get(item.key()) {
            None => item,
            Some(before) if before.group.is_some() => return,
            Some(before) => {
                let new = item.values();
                let new = new.filter(|(kind, _)| before.value(*kind).is_none());
                let all: Vec<_> = before.values().chain(new).collect();
                Item::of_values(item.key(), &all)
            }
        };
        self.size += ITEM + item.size();
        if let Some(before) = items.insert(item.key().to_vec(), item) {
            self.size -= ITEM + before.size();
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
        self.push(Item::of_group(key, version, value_keys));
        Ok(())
    }

    /// The value of a key and a type.
    pub fn value(&self, key: &[u8], kind: ValueType) -> Option<&[u8]> {
        let (value, _) = self.values.get(key)?.value(kind)?;
        Some(value)
    }

    /// The version of the group of a key.
    pub fn group(&self, key: &[u8]) -> Option<u32> {
        let (version, _) = self.groups.get(key)?.group?;
        Some(version)
    }

    /// Each key with its values, sorted by key.
    pub fn values(&self) -> impl Iterator<Item = (&[u8], Vec<(ValueType, &[u8])>)> {
        let items = self.values.values();
        items.map(|item| (item.key(), item.values().collect()))
    }

    /// The bytes of keys, values and lists, with the memory that they cost in addition.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether it has no values and no groups.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.groups.is_empty()
    }

    /// The items: values, then groups, each sorted by key, so that SQLite writes neighbours of an index one after the other.
    pub(super) fn items(&self) -> Vec<&Item> {
        self.values.values().chain(self.groups.values()).collect()
    }
}
