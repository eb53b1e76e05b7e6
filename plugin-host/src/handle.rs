//! Handles: the host's own, and the plugin's on other threads.

use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use ddi_sys::HANDLE;

/// A handle that this process has not had before: never null, and a number rather than a pointer,
/// so that a plugin reaches nothing through it. (32-bit processes start anew after 2^32 handles.)
pub(crate) fn fresh() -> HANDLE {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    ptr::without_provenance_mut(NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A handle of the plugin, for any thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeThreaded<T>(pub(crate) T);

// SAFETY: a plugin's objects are free-threaded (crate documentation, "Threads"), which is part of
// what the caller that made the `Library` promised; the handle itself is plain data.
unsafe impl<T: Copy> Send for FreeThreaded<T> {}
// SAFETY: as above.
unsafe impl<T: Copy> Sync for FreeThreaded<T> {}
