//! What a file has under one key.

use std::collections::HashSet;

use super::{ValueType, digest};

/// A value key with its values, or a group.
pub struct Item {
    /// The key, then the values or the group's list (`digest::push_key`).
    bytes: Vec<u8>,
    /// Where the key ends in `bytes`.
    key: usize,
    /// For each type: where the value ends in `bytes`, and its digest.
    values: [Option<(usize, u128)>; ValueType::ALL.len()],
    /// Whether the key has values, be it in other files. One that only groups name has none.
    pub has_values: bool,
    /// The version and the digest of a group.
    pub group: Option<(u32, u128)>,
}

impl Item {
    /// A value key, so far without values.
    pub fn of_key(bytes: Vec<u8>) -> Self {
        Self {
            key: bytes.len(),
            bytes,
            values: [None; ValueType::ALL.len()],
            has_values: false,
            group: None,
        }
    }

    /// Adds a value, and returns its digest. The types come in their order.
    pub fn push(&mut self, kind: ValueType, value: &[u8]) -> u128 {
        self.bytes.extend_from_slice(value);
        let digest = digest::value(self.key(), kind as u8, value);
        self.values[kind as usize] = Some((self.bytes.len(), digest));
        self.has_values = true;
        digest
    }

    /// A value key with values, at most one of each type.
    pub fn of_values(key: &[u8], values: &[(ValueType, &[u8])]) -> Self {
        let size = values.iter().map(|(_, value)| value.len()).sum::<usize>();
        let mut bytes = Vec::with_capacity(key.len() + size);
        bytes.extend_from_slice(key);
        let mut item = Self::of_key(bytes);
        for kind in ValueType::ALL {
            if let Some((_, value)) = values.iter().find(|(of, _)| *of == kind) {
                item.push(kind, value);
            }
        }
        item
    }

    /// A group. Of equal keys in the list, only the first counts.
    pub fn of_group(key: &[u8], version: u32, keys: &[&[u8]]) -> Self {
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
        let mut item = Self::of_key(bytes);
        item.key = key.len();
        item.group = Some((version, digest));
        item
    }

    pub fn key(&self) -> &[u8] {
        &self.bytes[..self.key]
    }

    /// The bytes of key, values and list.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The value of a type, with its digest.
    pub fn value(&self, kind: ValueType) -> Option<(&[u8], u128)> {
        let (end, digest) = self.values[kind as usize]?;
        let before = self.values[..kind as usize].iter().rev().flatten().next();
        let start = before.map_or(self.key, |(end, _)| *end);
        Some((&self.bytes[start..end], digest))
    }

    /// The values, in the order of their types.
    pub fn values(&self) -> impl Iterator<Item = (ValueType, &[u8])> {
        let values = ValueType::ALL.into_iter();
        values.filter_map(|kind| Some((kind, self.value(kind)?.0)))
    }

    /// The list of a group (`digest::push_key`).
    pub fn list(&self) -> &[u8] {
        &self.bytes[self.key..]
    }
}
