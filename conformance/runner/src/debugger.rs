//! A test under a debugger.

use std::ffi::OsStr;
use std::io;
use std::process::Command;
use std::time::Instant;

use clap::ValueEnum;
use conformance_protocol::debugger::{HERE, VARIABLE, WAIT};

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
        let value = if self == Self::Attach { WAIT } else { HERE };
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
