//! Work that is done several pieces at a time.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Does `work` for each of `items`, so many at a time, until it says `None`. `each` is told of every result as it comes; all come
/// back in the order of the items.
pub fn in_parallel<I: Sync, R: Send>(
    jobs: NonZeroUsize,
    items: &[I],
    work: impl Fn(&I) -> Option<R> + Sync,
    mut each: impl FnMut(&R),
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let mut done = thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..jobs.get().min(items.len()) {
            let sender = sender.clone();
            let (next, work) = (&next, &work);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else {
                        break;
                    };
                    let Some(result) = work(item) else {
                        break;
                    };
                    // The receiver lives as long as this scope.
                    let _ = sender.send((number, result));
                }
            });
        }
        drop(sender);
        let results = results.into_iter();
        results
            .inspect(|(_, result)| each(result))
            .collect::<Vec<_>>()
    });
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}
