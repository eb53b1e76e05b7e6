//! What several of the tests use.

#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "each test is a program of its own, and uses a part"
)]

use std::sync::{Mutex, MutexGuard, PoisonError};

use conformance_child::HEAP_IS_OURS;
use conformance_runner::{Rule, rules};

pub mod defects;
pub mod libraries;
pub mod matrix;
pub mod misbehaving;

/// Whether a rule can be tested on this system; elsewhere it does not apply.
pub fn is_tested_here(rule: Rule) -> bool {
    HEAP_IS_OURS || rule != rules::P_BND_02
}

/// Waits until no other test of this program holds a turn. Runs of the whole suite keep every processor busy, and the tests in
/// them have limits of time.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
