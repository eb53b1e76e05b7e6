//! Handles: the host's own, and the plugin's on other threads.

use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use ddi_sys::HANDLE;

static NEXT: AtomicUsize = AtomicUsize::new(1);

/// A handle that is new in this process: never null, and a number rather than a pointer, so that a plugin reaches nothing
/// through it. (32-bit processes start anew after 2^32 handles.)
pub(crate) fn fresh() -> HANDLE {
    ptr::without_provenance_mut(next(&NEXT))
}

fn next(counter: &AtomicUsize) -> usize {
    loop {
        let number = counter.fetch_add(1, Ordering::Relaxed);
        if number != 0 {
            return number;
        }
    }
}

/// A handle of the plugin, for any thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeThreaded<T>(pub(crate) T);

// SAFETY: a plugin's objects are free-threaded (crate documentation, "Threads"), which is part of
// what the caller that made the `Library` promised; the handle itself is plain data.
unsafe impl<T: Copy> Send for FreeThreaded<T> {}
// SAFETY: a plugin's objects take calls of several threads at a time (crate documentation, "Threads"); what is shared is plain
// data.
unsafe impl<T: Copy> Sync for FreeThreaded<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_handle_is_null_when_the_numbers_start_anew() {
        let counter = AtomicUsize::new(usize::MAX);
        assert_eq!([next(&counter), next(&counter)], [usize::MAX, 1]);
    }
}
