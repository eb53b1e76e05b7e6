//! A fault for a sanitizer to find, which `scripts/sanitizers` tries first: one that finds nothing here shows nothing elsewhere.

use std::cell::UnsafeCell;
use std::hint::black_box;
use std::sync::Barrier;
use std::thread;

/// A number that threads share without order.
struct Unordered(UnsafeCell<u64>);

// SAFETY: none: that is the fault.
unsafe impl Sync for Unordered {}

static COUNT: Unordered = Unordered(UnsafeCell::new(0));

fn count(begin: &Barrier) {
    begin.wait();
    for _ in 0..1000 {
        // SAFETY: none: another thread counts too.
        unsafe { *COUNT.0.get() += 1 };
    }
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("address") => {
            let value = Box::new(1);
            let pointer: *const i32 = &raw const *value;
            drop(value);
            // SAFETY: none: the value is gone.
            black_box(unsafe { pointer.read() });
        }
        Some("thread") => {
            // A thread that has ended before the other begins is not seen to race with it.
            let begin = Barrier::new(2);
            thread::scope(|scope| {
                scope.spawn(|| count(&begin));
                scope.spawn(|| count(&begin));
            });
        }
        _ => panic!("usage: fault address|thread"),
    }
}
