//! How many threads or worker processes the limit of open files allows this process.

/// A worker needs three pipes. A thread reads up to three PSDBs, each with its WAL, and a worker two, of which one is for the
/// main file only.
const EACH: u64 = 12;

/// Files that are open besides.
const BESIDES: u64 = 64;

/// The wanted number, or as many as the limit allows, but at least one. On Unix, this raises the limit of open files as far
/// as needed and allowed.
pub fn affordable(wanted: usize) -> usize {
    let wanted_files = EACH.saturating_mul(u64::try_from(wanted).unwrap_or(u64::MAX));
    let needed = wanted_files.saturating_add(BESIDES);
    let most = (raise(needed).saturating_sub(BESIDES) / EACH).max(1);
    wanted.min(usize::try_from(most).unwrap_or(usize::MAX))
}

/// Raises the limit, and returns how many files may then be open.
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
