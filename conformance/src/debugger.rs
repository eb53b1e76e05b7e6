//! A test under a debugger.

use std::ffi::OsStr;
use std::io;
use std::process::Command;
use std::time::Instant;

use clap::ValueEnum;

use crate::process::Ended;

/// What starts the process of a test, for somebody who looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Debugger {
    /// `gdb --args`
    Gdb,
    /// `lldb --`
    Lldb,
    /// `WinDbg`, from the PATH
    Windbg,
    /// None: the process says its number and waits for one to be attached
    Attach,
}

/// Tells the process of a test that there is a debugger, and whether to wait for it.
const VARIABLE: &str = "DDI_DEBUGGER";
const WAIT: &str = "wait";

impl Debugger {
    /// Runs the command under the debugger, which has this terminal and all the time that it takes.
    pub(crate) fn run(self, command: &Command) -> io::Result<Ended> {
        let before: &[&str] = match self {
            Self::Gdb => &["gdb", "-q", "--args"],
            Self::Lldb => &["lldb", "--"],
            Self::Windbg => &["windbg"],
            Self::Attach => &[],
        };
        let own = std::iter::once(command.get_program()).chain(command.get_args());
        let mut words = before.iter().map(OsStr::new).chain(own);
        let mut started = Command::new(words.next().unwrap_or_default());
        started.args(words);
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => started.env(name, value),
                None => started.env_remove(name),
            };
        }
        let value = if self == Self::Attach { WAIT } else { "here" };
        started.env(VARIABLE, value);
        let start = Instant::now();
        let status = started.status()?;
        Ok(Ended {
            status: Some(status),
            output: String::new(),
            elapsed: start.elapsed(),
        })
    }
}

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
