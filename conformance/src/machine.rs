//! Where the tests of a run are made.

use std::sync::LazyLock;
use std::{env, fs, thread};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

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
    /// This one.
    pub fn this() -> &'static Self {
        static THIS: LazyLock<Machine> = LazyLock::new(|| Machine {
            os: os_info::get().to_string(),
            kernel: kernel(),
            wine: wine(),
            arch: env::consts::ARCH.into(),
            cpus: thread::available_parallelism().map_or(1, usize::from),
            tool_sha256: env::current_exe()
                .and_then(fs::read)
                .ok()
                .map(|exe| hex::encode(Sha256::digest(exe))),
        });
        &THIS
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

#[cfg(windows)]
fn wine() -> Option<String> {
    use std::ffi::{CStr, c_char};

    use libloading::os::windows::Library;

    let library = Library::open_already_loaded("ntdll.dll").ok()?;
    // SAFETY: where ntdll.dll has this function it is Wine's, which takes nothing and returns a constant text.
    unsafe {
        let version = library.get::<unsafe extern "C" fn() -> *const c_char>(b"wine_get_version\0");
        let version = CStr::from_ptr(version.ok()?());
        Some(version.to_string_lossy().into_owned())
    }
}

#[cfg(not(windows))]
fn wine() -> Option<String> {
    None
}
