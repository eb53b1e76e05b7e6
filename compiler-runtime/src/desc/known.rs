//! Remembers which contents passed a check, because many pipelines have the same shaders and root signatures.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use parking_lot::RwLock;
use twox_hash::XxHash3_128;

/// The contents that passed a check, each by a 128-bit hash, which costs much less than the check.
///
/// Whoever knows the secret of XXH3 can easily make contents with equal hashes, and the default secret is public. So each set
/// has a random secret.
#[derive(Debug, Default)]
pub(super) struct CheckedBytes(RwLock<Option<Set>>);

#[derive(Debug)]
struct Set {
    secret: [u8; SECRET],
    names: HashSet<u128>,
}

/// The size in bytes of a secret of XXH3.
const SECRET: usize = 192;

/// The most hashes of a set. A full set is emptied.
const MOST: usize = 1 << 16;

impl CheckedBytes {
    pub(super) const fn new() -> Self {
        Self(RwLock::new(None))
    }

    /// Checks `bytes` unless they have passed the check before.
    pub(super) fn check<E>(
        &self,
        bytes: &[u8],
        check: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        // A panic cannot leave the set half changed.
        let known = self.0.read();
        if known.as_ref().is_some_and(|known| known.has(bytes)) {
            return Ok(());
        }
        drop(known);
        check()?;
        let mut known = self.0.write();
        known.get_or_insert_with(Set::new).insert(bytes);
        Ok(())
    }

    /// Forgets all, and frees the memory.
    pub(super) fn forget(&self) {
        *self.0.write() = None;
    }
}

impl Set {
    fn new() -> Self {
        let random = RandomState::new();
        let mut secret = [0; SECRET];
        for (place, word) in secret.as_chunks_mut().0.iter_mut().enumerate() {
            *word = random.hash_one(place).to_le_bytes();
        }
        Self {
            secret,
            names: HashSet::new(),
        }
    }

    fn name(&self, bytes: &[u8]) -> Option<u128> {
        // Only a secret that is too short is refused.
        XxHash3_128::oneshot_with_secret(&self.secret, bytes).ok()
    }

    fn has(&self, bytes: &[u8]) -> bool {
        self.name(bytes)
            .is_some_and(|name| self.names.contains(&name))
    }

    fn insert(&mut self, bytes: &[u8]) {
        if self.names.len() >= MOST {
            self.names.clear();
        }
        self.names.extend(self.name(bytes));
    }
}

#[cfg(test)]
mod tests {
    use twox_hash::XxHash3_128;

    use super::{CheckedBytes, MOST};

    #[test]
    fn only_what_was_right_is_not_checked_again() {
        let known = CheckedBytes::new();
        assert_eq!(known.check(b"a", || Err("wrong")), Err("wrong"));
        assert_eq!(known.check(b"a", || Ok::<_, &str>(())), Ok(()));
        assert_eq!(known.check(b"a", || Err("not asked")), Ok(()));
        assert_eq!(known.check(b"b", || Err("wrong")), Err("wrong"));
    }

    #[test]
    fn it_does_not_grow_without_limit() {
        let known = CheckedBytes::new();
        for number in 0..=MOST {
            known
                .check(&number.to_le_bytes(), || Ok::<_, ()>(()))
                .unwrap();
        }
        let len = || known.0.read().as_ref().map(|set| set.names.len());
        assert_eq!(len(), Some(1));
        known.forget();
        assert_eq!(len(), None);
        assert_eq!(known.check(&[0; 8], || Err("wrong")), Err("wrong"));
    }

    /// Two contents with the same XXH3 hash under the public secret. Where the low half of a word equals that of the secret's
    /// word, XXH3 only adds the word; so what one word has more, another has less.
    #[test]
    fn contents_that_were_made_to_be_mistaken_are_not() {
        let content = |high: [u32; 2]| {
            let mut content = [0; 256];
            for (stripe, (low, high)) in [0x396C_FEB8_u32, 0x2C81_017C].iter().zip(high).enumerate()
            {
                let word = u64::from(high) << 32 | u64::from(*low);
                content[64 * stripe..][..8].copy_from_slice(&word.to_le_bytes());
            }
            content
        };
        let (right, wrong) = (content([5, 9]), content([6, 8]));
        assert_eq!(XxHash3_128::oneshot(&right), XxHash3_128::oneshot(&wrong));
        let known = CheckedBytes::new();
        assert_eq!(known.check(&right, || Ok::<_, &str>(())), Ok(()));
        assert_eq!(known.check(&right, || Err("not asked")), Ok(()));
        assert_eq!(known.check(&wrong, || Err("wrong")), Err("wrong"));
    }
}
