//! The debugger that the process of a test has.

use conformance_protocol::debugger::{VARIABLE, WAIT};

/// Whether the process of a test has a debugger, which must see the process that loads the library: no other.
pub(crate) fn is_there() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

/// Waits for a debugger, where the process was told to.
pub(crate) fn wait() {
    if std::env::var_os(VARIABLE).is_none_or(|value| value != WAIT) {
        return;
    }
    // SAFETY: takes numbers. Some systems let nobody else attach.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY)
    };
    eprintln!(
        "process {} waits for a debugger to be attached",
        std::process::id()
    );
    while !is_attached() {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

#[cfg(windows)]
fn is_attached() -> bool {
    // SAFETY: asks the system.
    unsafe { windows_sys::Win32::System::Diagnostics::Debug::IsDebuggerPresent() != 0 }
}

#[cfg(not(windows))]
fn is_attached() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let tracer = lines.find_map(|line| line.strip_prefix("TracerPid:"));
    // Where nothing says it, nothing is waited for.
    tracer.is_none_or(|tracer| tracer.trim() != "0")
}
