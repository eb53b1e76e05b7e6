//! Items that are stored and not yet committed: every thread of the session finds them here.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use hashbrown::HashTable;
use twox_hash::XxHash3_64;

use super::{ValueType, digest};

/// The memory that an item costs in addition to its bytes.
const ITEM: usize = 256;

/// A stored value key with its values, or a stored group.
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
pub enum Kind {
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

/// The items of one transaction.
#[derive(Default)]
pub struct Batch {
    items: HashTable<Arc<Item>>,
    /// Bytes of all items, with the memory that they cost in addition.
    pub size: usize,
    /// When the first item came.
    pub since: Option<Instant>,
}

impl Batch {
    /// The wanted item of a key: a key can have several, with values of other types.
    pub fn find(
        &self,
        kind: Kind,
        key: &[u8],
        is_wanted: impl Fn(&Item) -> bool,
    ) -> Option<&Arc<Item>> {
        if self.items.is_empty() {
            return None;
        }
        self.items.find(hash(kind, key), |item| {
            item.kind() == kind && item.key() == key && is_wanted(item)
        })
    }

    pub fn push(&mut self, item: Item) {
        self.size += item.bytes.len() + ITEM;
        self.since.get_or_insert_with(Instant::now);
        self.items
            .insert_unique(item.hash, Arc::new(item), |item| item.hash);
    }

    /// The items sorted by key, so that SQLite writes neighbours of an index one after the other.
    pub fn sorted(&self) -> Vec<&Item> {
        let mut items: Vec<&Item> = self.items.iter().map(|item| &**item).collect();
        items.sort_unstable_by_key(|item| item.key());
        items
    }
}
