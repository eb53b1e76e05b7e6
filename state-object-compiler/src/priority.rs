//! `--priority`: how far this process gives way to others.

/// A priority, of this process and of those that it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// Runs when nothing else does. Unix: niceness 19. Windows: `IDLE_PRIORITY_CLASS`.
    Idle,
    /// Gives way. Unix: niceness 10. Windows: `BELOW_NORMAL_PRIORITY_CLASS`.
    BelowNormal,
}

/// Lowers the priority of this process, and keeps a lower one. Call it before starting threads: on Linux each thread has a
/// priority, which the threads that it starts inherit.
///
/// A refusal of the system is no reason not to work, so this does not report it.
pub fn lower(priority: Priority) {
    #[cfg(unix)]
    {
        let wanted = match priority {
            Priority::Idle => 19,
            Priority::BelowNormal => 10,
        };
        // SAFETY: both take numbers only; 0 is the calling process.
        unsafe {
            if libc::getpriority(libc::PRIO_PROCESS, 0) < wanted {
                libc::setpriority(libc::PRIO_PROCESS, 0, wanted);
            }
        }
    }
    #[cfg(windows)]
    {
        use windows_sys::Win32::System::Threading::{
            BELOW_NORMAL_PRIORITY_CLASS, GetCurrentProcess, GetPriorityClass, IDLE_PRIORITY_CLASS,
            SetPriorityClass,
        };
        let wanted = match priority {
            Priority::Idle => IDLE_PRIORITY_CLASS,
            Priority::BelowNormal => BELOW_NORMAL_PRIORITY_CLASS,
        };
        // SAFETY: the handle is the process's own, which is always valid and not to be closed.
        unsafe {
            if GetPriorityClass(GetCurrentProcess()) != IDLE_PRIORITY_CLASS {
                SetPriorityClass(GetCurrentProcess(), wanted);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    fn current() -> i32 {
        // SAFETY: it takes numbers only.
        unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) }
    }

    #[cfg(windows)]
    fn current() -> u32 {
        use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetPriorityClass};
        // SAFETY: the handle is the process's own.
        unsafe { GetPriorityClass(GetCurrentProcess()) }
    }

    #[test]
    fn a_priority_is_lowered_and_never_raised() {
        let mut seen = vec![current()];
        for priority in [Priority::BelowNormal, Priority::Idle, Priority::BelowNormal] {
            lower(priority);
            seen.push(current());
        }
        #[cfg(unix)]
        let expected = [seen[0].max(10), 19, 19];
        #[cfg(windows)]
        let expected = {
            use windows_sys::Win32::System::Threading as numbers;
            let idle = numbers::IDLE_PRIORITY_CLASS;
            [numbers::BELOW_NORMAL_PRIORITY_CLASS, idle, idle]
        };
        assert_eq!(seen[1..], expected);
    }
}
