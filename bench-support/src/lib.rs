//! What the benchmarks of this workspace share.
//!
//! A benchmark compares rows with a baseline row. [`in_turns`] runs all rows once in each turn, so that whatever else the
//! machine does slows all of them alike; the figure that counts is the median of the ratios within a turn, not a time.

use std::fs;
use std::path::Path;
#[cfg(unix)]
use std::time::Duration;
use std::time::Instant;

/// What a run took, in seconds.
#[derive(Clone, Copy, Default)]
pub struct Cost {
    /// Wall-clock time.
    pub clock: f64,
    /// Processor time of the thread that called [`timed`]; 0 where the system does not tell.
    pub thread: f64,
    /// Processor time of all threads of this process; 0 where the system does not tell.
    pub processor: f64,
}

/// Runs a function once and measures it.
pub fn timed(run: impl FnOnce()) -> Cost {
    let ([thread, processor], start) = (processor_times(), Instant::now());
    run();
    let clock = start.elapsed().as_secs_f64();
    let after = processor_times();
    Cost {
        clock,
        thread: after[0] - thread,
        processor: after[1] - processor,
    }
}

/// Processor time so far of this thread, and of all threads of this process, in seconds; 0 where the system does not tell.
#[cfg(unix)]
pub fn processor_times() -> [f64; 2] {
    [
        libc::CLOCK_THREAD_CPUTIME_ID,
        libc::CLOCK_PROCESS_CPUTIME_ID,
    ]
    .map(|clock| {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: `time` is valid for writing a timespec, which is all that clock_gettime asks of its second argument.
        unsafe { libc::clock_gettime(clock, &raw mut time) };
        let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
        let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or(0);
        Duration::new(seconds, nanoseconds).as_secs_f64()
    })
}

/// Processor time so far of this thread, and of all threads of this process, in seconds; 0 where the system does not tell.
#[cfg(not(unix))]
pub fn processor_times() -> [f64; 2] {
    [0.0; 2]
}

/// Runs all rows once in each turn; returns what each row gave, turn by turn.
pub fn in_turns<T>(turns: usize, rows: &mut [impl FnMut() -> T]) -> Vec<Vec<T>> {
    let mut results: Vec<Vec<T>> = rows.iter().map(|_| Vec::with_capacity(turns)).collect();
    for _ in 0..turns {
        for (run, results) in rows.iter_mut().zip(&mut results) {
            results.push(run());
        }
    }
    results
}

/// The median.
///
/// # Panics
///
/// There is no value.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A number of `/proc/self/status` in KiB, as `VmHWM`; 0 where there is none.
pub fn memory(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines().filter_map(|line| line.strip_prefix(name));
    let number = lines.find_map(|line| {
        line.strip_prefix(':')?
            .split_whitespace()
            .next()?
            .parse()
            .ok()
    });
    number.unwrap_or(0)
}

/// Deletes a SQLite database with its WAL and WAL index.
pub fn remove_database(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let _ = fs::remove_file(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_runs_once_in_each_turn() {
        let order = std::cell::RefCell::new(Vec::new());
        let mut number = 0;
        let rows: &mut [&mut dyn FnMut() -> u32] = &mut [
            &mut || {
                order.borrow_mut().push('a');
                1
            },
            &mut || {
                order.borrow_mut().push('b');
                number += 2;
                number
            },
        ];
        let results = in_turns(2, rows);
        assert_eq!(results, [[1, 1], [2, 4]]);
        assert_eq!(order.into_inner(), ['a', 'b', 'a', 'b']);
    }

    #[test]
    fn a_median_is_the_middle_value() {
        assert!((median([3.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
    }
}
