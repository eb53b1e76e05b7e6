//! What a defect needs of the library underneath to show, where that need not have it.
//!
//! The layer notes it when it meets it, so that nobody takes a defect for unnoticed that never came to act.

use std::sync::atomic::{AtomicBool, Ordering};

/// One of these things.
#[derive(Debug)]
pub struct Need {
    words: &'static str,
    met: AtomicBool,
}

impl Need {
    /// With the words that say what it is, after "needs".
    pub const fn new(words: &'static str) -> Self {
        Self {
            words,
            met: AtomicBool::new(false),
        }
    }

    /// Notes that the library has it, if it is so.
    pub fn met_if(&self, is_so: bool) {
        if is_so {
            self.met.store(true, Ordering::Relaxed);
        }
    }

    /// Its words, where it has not been met so far.
    pub(crate) fn unmet(&self) -> Option<&'static str> {
        (!self.met.load(Ordering::Relaxed)).then_some(self.words)
    }
}
