//! Keys of cached values.

use sha2::{Digest, Sha256};

use crate::desc::{Describe, Field, Fields, ShaderCode};
use crate::error::{Error, Result};

/// The key of a cached value: at least one byte, at most `u32::MAX`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Box<[u8]>);

impl Key {
    /// A key of the vendor's own making.
    ///
    /// # Errors
    ///
    /// E_INVALIDARG for an empty key or one that is longer than the DDI can say.
    pub fn from_bytes(bytes: impl Into<Box<[u8]>>) -> Result<Self> {
        let bytes = bytes.into();
        if bytes.is_empty() || u32::try_from(bytes.len()).is_err() {
            return Err(Error::invalid_argument(
                "a value key must have 1 to 2^32 - 1 bytes",
            ));
        }
        Ok(Self(bytes))
    }

    /// The key's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The bytes in hexadecimal.
impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Builds a [`Key`] from everything that a compiled value depends on ("the IHV plugin is responsible
/// for generating value keys from the inputs that contribute to the compiled output").
///
/// SHA-256 over labelled, length-prefixed fields: two different lists of fields never give the same
/// bytes to hash. Structures enter field by field, never as memory, so padding and addresses cannot
/// get in; shader code enters as a hash of its program, so keys stay small.
///
/// ```
/// use plugin_sdk::KeyBuilder;
///
/// let key = |abi: u64| KeyBuilder::new("example.vs").u64("abi", abi).finish();
/// assert_eq!(key(3), key(3));
/// assert_ne!(key(3), key(4));
/// assert_eq!(key(3).as_bytes().len(), 32);
/// ```
#[must_use]
#[derive(Clone)]
pub struct KeyBuilder(Sha256);

/// What kind of field follows; part of what is hashed.
#[derive(Clone, Copy)]
enum Tag {
    Domain,
    Bytes,
    Unsigned,
    Float,
    Bool,
    Enumeration,
    Flags,
    Text,
    Bytecode,
    Absent,
    Begin,
    End,
}

impl KeyBuilder {
    /// Starts a key of the given domain, such as `"vendor.stage"`: keys of different domains differ
    /// whatever their fields are.
    pub fn new(domain: &str) -> Self {
        Self(Sha256::new()).put(Tag::Domain, "", domain.as_bytes())
    }

    fn put(mut self, tag: Tag, label: &str, content: &[u8]) -> Self {
        self.add(tag, label, content);
        self
    }

    fn add(&mut self, tag: Tag, label: &str, content: &[u8]) {
        self.0.update([tag as u8]);
        self.0.update((label.len() as u64).to_le_bytes());
        self.0.update(label);
        self.0.update((content.len() as u64).to_le_bytes());
        self.0.update(content);
    }

    /// Adds a number.
    pub fn u64(self, label: &str, value: u64) -> Self {
        self.put(Tag::Unsigned, label, &value.to_le_bytes())
    }

    /// Adds bytes.
    pub fn bytes(self, label: &str, value: &[u8]) -> Self {
        self.put(Tag::Bytes, label, value)
    }

    /// Adds text.
    pub fn text(self, label: &str, value: &str) -> Self {
        self.put(Tag::Text, label, value.as_bytes())
    }

    /// Adds shader code, as the SHA-256 of its program.
    pub fn bytecode(self, label: &str, code: ShaderCode<'_>) -> Self {
        self.put(Tag::Bytecode, label, &code.program_hash())
    }

    /// Adds the key of another value that this one refers to.
    pub fn key(self, label: &str, key: &Key) -> Self {
        self.put(Tag::Bytes, label, key.as_bytes())
    }

    /// Adds every field of a description.
    pub fn describe(mut self, label: &'static str, description: &dyn Describe) -> Self {
        self.group(label, None, description);
        self
    }

    /// The key: 32 bytes.
    pub fn finish(self) -> Key {
        Key(Box::from(self.0.finalize().as_slice()))
    }
}

impl Fields for KeyBuilder {
    fn field(&mut self, name: &'static str, value: Field<'_>) {
        match value {
            Field::Unsigned(value) => self.add(Tag::Unsigned, name, &value.to_le_bytes()),
            Field::Float(value) => self.add(Tag::Float, name, &value.to_bits().to_le_bytes()),
            Field::Bool(value) => self.add(Tag::Bool, name, &[value.into()]),
            Field::Enumeration { value, .. } => {
                self.add(Tag::Enumeration, name, &value.to_le_bytes());
            }
            Field::Flags { bits, .. } => self.add(Tag::Flags, name, &bits.to_le_bytes()),
            Field::Text(text) => {
                let units: Vec<u8> = text
                    .as_slice()
                    .iter()
                    .flat_map(|u| u.to_le_bytes())
                    .collect();
                self.add(Tag::Text, name, &units);
            }
            Field::Bytecode(code) => self.add(Tag::Bytecode, name, &code.program_hash()),
            Field::Absent => self.add(Tag::Absent, name, &[]),
        }
    }

    fn group(&mut self, name: &'static str, index: Option<usize>, content: &dyn Describe) {
        let index = index.map_or([0xFF; 8], |i| (i as u64).to_le_bytes());
        self.add(Tag::Begin, name, &index);
        content.describe(self);
        self.add(Tag::End, name, &[]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Entry = (String, Vec<u8>);

    fn key(domain: &str, fields: &[Entry]) -> Key {
        fields
            .iter()
            .fold(KeyBuilder::new(domain), |k, (l, b)| k.bytes(l, b))
            .finish()
    }

    fn fields() -> impl Strategy<Value = Vec<Entry>> {
        prop::collection::vec(("[ab]{0,2}", prop::collection::vec(0u8..2, 0..3)), 0..4)
    }

    proptest! {
        #[test]
        fn different_fields_never_share_a_key(a in fields(), b in fields()) {
            prop_assert_eq!(key("d", &a) == key("d", &b), a == b);
        }
    }

    #[test]
    fn domain_type_and_grouping_count() {
        let base = KeyBuilder::new("d").u64("x", 0).finish();
        assert_ne!(base, KeyBuilder::new("e").u64("x", 0).finish());
        assert_ne!(base, KeyBuilder::new("d").bytes("x", &[0; 8]).finish());
        assert_ne!(
            base,
            KeyBuilder::new("d").text("x", "\0\0\0\0\0\0\0\0").finish()
        );
    }

    #[test]
    fn empty_keys_are_refused() {
        assert!(Key::from_bytes([]).is_err());
        assert_eq!(Key::from_bytes([1]).unwrap().as_bytes(), [1]);
    }
}
