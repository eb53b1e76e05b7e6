//! What was found right before, so that it is not looked into again: the same shaders and root
//! signatures are in many pipelines.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

use twox_hash::XxHash3_128;

/// A set of contents, each by a hash of 128 bits that is made much faster than what it stands for.
/// Whoever makes two contents with the same hash gets the second through unseen; nothing here relies
/// on the checks for memory safety.
#[derive(Debug, Default)]
pub(super) struct Known(RwLock<Option<HashSet<u128>>>);

/// The set is emptied where it would become larger.
const MOST: usize = 1 << 16;

impl Known {
    pub(super) const fn new() -> Self {
        Self(RwLock::new(None))
    }

    /// Checks `bytes` unless they were found right before.
    pub(super) fn check<E>(
        &self,
        bytes: &[u8],
        check: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let name = XxHash3_128::oneshot(bytes);
        // Nothing can panic half-way in what the lock protects.
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_some_and(|known| known.contains(&name)) {
            return Ok(());
        }
        drop(known);
        check()?;
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_or_insert_default();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(name);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Known, MOST};

    #[test]
    fn only_what_was_right_is_not_checked_again() {
        let known = Known::new();
        assert_eq!(known.check(b"a", || Err("wrong")), Err("wrong"));
        assert_eq!(known.check(b"a", || Ok::<_, &str>(())), Ok(()));
        assert_eq!(known.check(b"a", || Err("not asked")), Ok(()));
        assert_eq!(known.check(b"b", || Err("wrong")), Err("wrong"));
    }

    #[test]
    fn it_does_not_grow_without_limit() {
        let known = Known::new();
        for number in 0..=MOST {
            known
                .check(&number.to_le_bytes(), || Ok::<_, ()>(()))
                .unwrap();
        }
        let len = known.0.read().unwrap().as_ref().unwrap().len();
        assert_eq!(len, 1);
    }
}
