//! The keeper of a process: its parent, and the subreaper of its orphaned descendants, whatever they do to their session, their
//! group or their environment. When the process ends, or a signal tells the keeper to end it, the keeper kills all of them and
//! ends as the process did.

use std::time::Duration;
use std::{fs, mem, process, ptr, thread};

use libc::{SIGCHLD, SIGKILL, SIGTERM, c_int, pid_t};

/// How often the keeper tries to kill what is left, which may be starting more.
const TRIES: u32 = 200;
const PAUSE: Duration = Duration::from_millis(5);

/// Forks: this process becomes the keeper, and the function returns in the child. If the system cannot fork, it returns in this
/// process, which then has no keeper.
pub fn begin() {
    // SAFETY: takes numbers, and structures that live on this stack.
    unsafe {
        // This process may have inherited an ignored SIGCHLD.
        libc::signal(SIGCHLD, libc::SIG_DFL);
        let mut heeded: libc::sigset_t = mem::zeroed();
        let mut before: libc::sigset_t = mem::zeroed();
        libc::sigemptyset(&raw mut heeded);
        libc::sigaddset(&raw mut heeded, SIGTERM);
        libc::sigaddset(&raw mut heeded, SIGCHLD);
        libc::sigprocmask(libc::SIG_BLOCK, &raw const heeded, &raw mut before);
        let keeper = libc::getpid();
        // Before the child can leave one of its own behind; a child does not inherit it.
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        // SAFETY: the process has one thread, which the caller sees to; so nothing is half done in the child.
        let child = libc::fork();
        if child < 0 {
            libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 0);
        }
        if child > 0 {
            libc::prctl(libc::PR_SET_PDEATHSIG, SIGTERM);
            keep(child, &heeded);
        }
        libc::prctl(libc::PR_SET_PDEATHSIG, SIGKILL);
        if child == 0 {
            libc::setpgid(0, 0);
            if libc::getppid() != keeper {
                libc::_exit(1);
            }
        }
        libc::sigprocmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut());
    }
}

/// Waits for the end of the child, or the order to end it, and ends this process as the child has ended.
fn keep(child: pid_t, heeded: &libc::sigset_t) -> ! {
    close_all();
    let mut children = Children {
        child,
        status: None,
    };
    // SAFETY: the set is valid, and nothing is asked for.
    while children.reap() && children.status.is_none() {
        // SAFETY: the set is valid, and nothing is asked for.
        if unsafe { libc::sigwaitinfo(heeded, ptr::null_mut()) } == SIGTERM {
            // SAFETY: it is a child that has not been waited for.
            unsafe { libc::kill(child, SIGKILL) };
            break;
        }
    }
    for _ in 0..TRIES {
        if !children.reap() {
            break;
        }
        kill_children();
        thread::sleep(PAUSE);
    }
    let status = children.status.unwrap_or_default();
    if libc::WIFSIGNALED(status) {
        let signal = libc::WTERMSIG(status);
        // SAFETY: takes numbers, and a set that lives on this stack.
        unsafe {
            let mut its: libc::sigset_t = mem::zeroed();
            libc::sigemptyset(&raw mut its);
            libc::sigaddset(&raw mut its, signal);
            libc::signal(signal, libc::SIG_DFL);
            libc::sigprocmask(libc::SIG_UNBLOCK, &raw const its, ptr::null_mut());
            libc::raise(signal);
        }
    }
    // SAFETY: ends the process.
    unsafe { libc::_exit(libc::WEXITSTATUS(status)) }
}

/// Closes every descriptor: nothing in this process uses one any more, and whoever waits for the end of a pipe must not wait
/// for it.
fn close_all() {
    // SAFETY: takes numbers; nothing uses the descriptors that it closes.
    let closed = unsafe { libc::syscall(libc::SYS_close_range, 0, u32::MAX, 0) };
    if closed != 0 {
        // Linux before 5.9 has no such call, and sandboxes may not know it.
        for descriptor in descriptors() {
            // SAFETY: takes a number; nothing uses the descriptor that it closes.
            unsafe { libc::close(descriptor) };
        }
    }
}

/// The open ones, and the one that they were read with.
fn descriptors() -> Vec<c_int> {
    let entries = fs::read_dir("/proc/self/fd")
        .into_iter()
        .flatten()
        .flatten();
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    entries.filter_map(number).collect()
}

struct Children {
    child: pid_t,
    /// How it has ended.
    status: Option<c_int>,
}

impl Children {
    /// Takes note of those that have ended; whether there are others.
    fn reap(&mut self) -> bool {
        loop {
            let mut status = 0;
            // SAFETY: the status is writable.
            let ended = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
            if ended <= 0 {
                return ended == 0;
            }
            if ended == self.child {
                self.status = Some(status);
            }
        }
    }
}

/// What these leave behind falls to this process, for the next time.
fn kill_children() {
    let own = process::id();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    for process in processes {
        let Some(id) = process
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let stat = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        // Behind the name, which is in brackets and can have any: the state, and the number of the parent.
        let fields = stat.rsplit(')').next().unwrap_or_default();
        let parent = fields.split_whitespace().nth(1);
        if parent.and_then(|parent| parent.parse().ok()) == Some(own) {
            // SAFETY: it is a child that has not been waited for.
            unsafe { libc::kill(id, SIGKILL) };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd as _;

    use super::*;

    #[test]
    fn every_descriptor_is_found() {
        let file = fs::File::open("/dev/null").unwrap();
        // Above what a loop over small numbers would find.
        // SAFETY: takes numbers; the copy is closed below.
        let high = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD, 700) };
        assert!(high >= 700);
        let found = descriptors();
        for descriptor in [0, 1, 2, file.as_raw_fd(), high] {
            assert!(found.contains(&descriptor), "{descriptor}: {found:?}");
        }
        // SAFETY: it was made here.
        unsafe { libc::close(high) };
        assert!(!descriptors().contains(&high));
    }
}
