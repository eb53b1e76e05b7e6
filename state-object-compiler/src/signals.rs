//! Signals that would end the program without a message.

use std::mem;
use std::ptr;

use libc::{SA_SIGINFO, SIG_DFL, SIG_IGN, SIGBUS, SIGXFSZ, c_int, c_void, siginfo_t};
use state_object_compiler::exit_code;

/// The message about a mapped file that lost pages; the handler does not know which file it is.
const CUT: &[u8] = b"error: a database was cut off by another program, perhaps the plugin, while this one had it open: what was \
stored before is good, and the same command goes on\n";

/// Makes a file that exceeds the size limit an error of the writer, and reports a file that is cut off while it is mapped.
pub fn prepare() {
    let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = on_bus_error;
    // SAFETY: the handler calls only what a handler may, and the structure is valid: zero is a value of every other field.
    unsafe {
        libc::signal(SIGXFSZ, SIG_IGN);
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = SA_SIGINFO;
        libc::sigaction(SIGBUS, &raw const action, ptr::null_mut());
    }
}

extern "C" fn on_bus_error(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: the system says what it is about; `write`, `_exit` and `signal` may be called in a handler.
    unsafe {
        // A page of a file that is gone.
        if (*info).si_code == libc::BUS_ADRERR {
            libc::write(2, CUT.as_ptr().cast(), CUT.len());
            libc::_exit(exit_code::TRY_AGAIN.into());
        }
        // The signal comes again, and ends the process.
        libc::signal(signal, SIG_DFL);
    }
}

/// The limit of a file's size, if the system has one.
pub fn most_of_a_file() -> Option<u64> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the structure is writable.
    let asked = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) };
    (asked == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}
