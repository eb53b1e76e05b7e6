//! How many threads or worker processes there can be with the files that this process may have open.

/// A worker has three pipes. A thread reads up to three PSDBs, each with its log, and a worker has two, of which one reads the
/// main file only.
const EACH: u64 = 12;

/// What else is open.
const BESIDES: u64 = 64;

/// As many as are wanted, or as there can be, but one at least. The limit of open files, which Unix has, is raised as far as
/// needed, if it may be.
pub fn affordable(wanted: usize) -> usize {
    let wanted_files = EACH.saturating_mul(u64::try_from(wanted).unwrap_or(u64::MAX));
    let needed = wanted_files.saturating_add(BESIDES);
    let most = (raise(needed).saturating_sub(BESIDES) / EACH).max(1);
    wanted.min(usize::try_from(most).unwrap_or(usize::MAX))
}

/// Gives back how many files may be open then.
#[cfg(unix)]
fn raise(needed: u64) -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the structure is valid and writable.
    if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } != 0 {
        return needed;
    }
    if limit.rlim_cur < needed {
        let raised = libc::rlimit {
            rlim_cur: needed.min(limit.rlim_max),
            ..limit
        };
        // SAFETY: the structure is valid.
        if unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const raised) } == 0 {
            limit = raised;
        }
    }
    limit.rlim_cur
}

#[cfg(not(unix))]
fn raise(needed: u64) -> u64 {
    needed
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_raised_as_far_as_needed() {
        let set = |limit: &libc::rlimit| {
            // SAFETY: the structure is valid.
            assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, limit) }, 0);
        };
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: the structure is writable.
        let asked = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
        assert_eq!(asked, 0);
        let low = libc::rlimit {
            rlim_cur: 256,
            ..limit
        };
        set(&low);
        assert_eq!(affordable(10), 10);
        assert_eq!(raise(0), 256);
        let more = usize::try_from((limit.rlim_max.min(1024) - BESIDES) / EACH).unwrap();
        assert_eq!(affordable(more), more);
        assert!(affordable(usize::MAX) >= more);
        set(&limit);
    }
}
