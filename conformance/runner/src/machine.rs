//! Where the tests of a run are made.

use std::{env, fs, thread};

use conformance_protocol::{Request, Task};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::child;
use crate::options::Options;

/// A machine and its system, and the tool on it. It names neither the machine nor its user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The system, with its version.
    pub os: String,
    /// The version of the kernel; on Linux only, where the version of the system does not say it.
    pub kernel: Option<String>,
    /// The version of Wine, if that is the system.
    pub wine: Option<String>,
    /// The architecture that the tool is built for.
    pub arch: String,
    /// How many processors the tool may use.
    pub cpus: usize,
    /// The SHA-256 of the tool's executable, in hexadecimal; none where it cannot be read.
    pub tool_sha256: Option<String>,
}

impl Machine {
    /// This one, with the tool that the tests are made by.
    pub(crate) fn of(options: &Options) -> Self {
        Self {
            os: os_info::get().to_string(),
            kernel: kernel(),
            wine: wine(options),
            arch: env::consts::ARCH.into(),
            cpus: thread::available_parallelism().map_or(1, usize::from),
            tool_sha256: fs::read(&options.exe)
                .ok()
                .map(|exe| hex::encode(Sha256::digest(exe))),
        }
    }
}

#[cfg(target_os = "linux")]
fn kernel() -> Option<String> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").ok()?;
    Some(release.trim().to_owned())
}

#[cfg(not(target_os = "linux"))]
fn kernel() -> Option<String> {
    None
}

/// To ask takes a function of a library: a child does it.
fn wine(options: &Options) -> Option<String> {
    if !cfg!(windows) {
        return None;
    }
    let folder = child::folder().ok()?;
    let folder = folder.path().join("wine");
    let request = Request::new(Task::Wine);
    let (ended, account) = child::ask(options, &request, &folder, options.timeout).ok()?;
    account.answered(ended.how(options.timeout)).ok()?
}
