//! What a compile call made.

use std::collections::BTreeMap;
use std::fmt;

use plugin_host::session::Values;
use plugin_sdk::ValueType;

use crate::cache::Seen;

/// A compiled object: the keys that the plugin named, and their values.
#[derive(Clone)]
pub struct Compiled {
    keys: Vec<(Vec<u8>, Values)>,
    found: usize,
    stored: usize,
}

impl Compiled {
    pub(crate) fn new(keys: Vec<Vec<u8>>, cache: &BTreeMap<Vec<u8>, Values>, seen: &Seen) -> Self {
        let with_values = |key: Vec<u8>| {
            let values = cache.get(&key).cloned().unwrap_or_default();
            (key, values)
        };
        Self {
            keys: keys.into_iter().map(with_values).collect(),
            found: seen.found.len(),
            stored: seen.stored.len(),
        }
    }

    /// The keys of the object's values, in the plugin's order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.keys.iter().map(|(key, _)| key.as_slice())
    }

    /// The value of one of the object's keys; `None` if the key has no value of this type, or is not one of the object's.
    pub fn value(&self, key: &[u8], kind: ValueType) -> Option<&[u8]> {
        let (_, values) = self.keys.iter().find(|(own, _)| own == key)?;
        of(values, kind)
    }

    /// The object's values of a type, in the order of the keys. A key without such a value is left out.
    pub fn values(&self, kind: ValueType) -> impl Iterator<Item = &[u8]> {
        self.keys
            .iter()
            .filter_map(move |(_, values)| of(values, kind))
    }

    /// The object's code: [`values`](Self::values) of [`ValueType::ObjectCode`].
    pub fn object_code(&self) -> impl Iterator<Item = &[u8]> {
        self.values(ValueType::ObjectCode)
    }

    /// How many values the plugin found in the cache. A key has a value for each type.
    pub fn found(&self) -> usize {
        self.found
    }

    /// How many values the plugin stored.
    pub fn stored(&self) -> usize {
        self.stored
    }
}

fn of(values: &Values, kind: ValueType) -> Option<&[u8]> {
    let place = ValueType::ALL.iter().position(|of_all| *of_all == kind)?;
    values.get(place)?.as_deref()
}

/// Keys in hexadecimal, and the sizes of the values: what the message of a failed assertion has room for.
impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = |values: &Values| {
            let of_type = |kind| Some((kind, of(values, kind)?.len()));
            ValueType::ALL
                .into_iter()
                .filter_map(of_type)
                .collect::<BTreeMap<_, _>>()
        };
        let keys = self.keys.iter();
        let keys: Vec<_> = keys.map(|(key, v)| (hex::encode(key), sizes(v))).collect();
        f.debug_struct("Compiled")
            .field("keys", &keys)
            .field("found", &self.found)
            .field("stored", &self.stored)
            .finish()
    }
}
