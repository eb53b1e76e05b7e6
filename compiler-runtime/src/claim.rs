//! Which copy of the library has a file open.
//!
//! The locks of POSIX are a process's, and all that it has on a file are gone when it closes any
//! descriptor of the file. So two copies of the library in one process, each with a SQLite of its own,
//! must not have a database open at a time: neither would know of the other's locks. On Linux a copy
//! claims a file by a name that a process can have once, that of a socket in no folder, which ends
//! with the process at the latest. On Windows locks are those of handles, and nothing is needed; on
//! other systems nobody looks.

#[cfg(target_os = "linux")]
pub use linux::Claims;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::Claims;

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;
    use std::io;
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixDatagram};
    use std::path::{Path, PathBuf};
    use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
    use std::thread;
    use std::time::{Duration, Instant};

    use shader_db::psdb::path_of_file;
    use twox_hash::XxHash3_128;

    use crate::Error;

    /// Files: for how many sessions, and the name.
    type Claimed = HashMap<PathBuf, (usize, Option<UnixDatagram>)>;

    /// Those that this copy has claimed.
    static CLAIMED: LazyLock<Mutex<Claimed>> = LazyLock::new(Mutex::default);

    /// How long a name may seem to be taken: by a process that was just forked and is about to become
    /// another program.
    const PATIENCE: Duration = Duration::from_millis(250);

    /// The claims of a session.
    #[derive(Debug, Default)]
    pub struct Claims(Vec<PathBuf>);

    impl Claims {
        /// Claims files for a session of this copy.
        ///
        /// # Errors
        ///
        /// [`Error::OtherCopy`].
        pub fn new<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<Self, Error> {
            let mut claims = Self::default();
            for path in paths {
                let file = path_of_file(path);
                let mut claimed = claimed();
                if let Some((sessions, _)) = claimed.get_mut(&file) {
                    *sessions += 1;
                } else {
                    let name = name(&file).map_err(|_| Error::OtherCopy(path.to_owned()))?;
                    claimed.insert(file.clone(), (1, name));
                }
                claims.0.push(file);
            }
            Ok(claims)
        }
    }

    impl Drop for Claims {
        fn drop(&mut self) {
            let mut claimed = claimed();
            for path in &self.0 {
                if let Some((sessions, _)) = claimed.get_mut(path) {
                    *sessions -= 1;
                    if *sessions == 0 {
                        claimed.remove(path);
                    }
                }
            }
        }
    }

    fn claimed() -> MutexGuard<'static, Claimed> {
        CLAIMED.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the name of a file in this process; `None` on a system that has no such names.
    fn name(file: &Path) -> Result<Option<UnixDatagram>, io::Error> {
        // Processes of several containers can have one number, and one space of names.
        let processes = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        let (process, processes) = (std::process::id(), processes.display());
        let file = XxHash3_128::oneshot(file.as_os_str().as_encoded_bytes());
        let name = format!("psdb {file:032x} of process {process} in {processes}");
        let Ok(address) = SocketAddr::from_abstract_name(name) else {
            return Ok(None);
        };
        let until = Instant::now() + PATIENCE;
        loop {
            match UnixDatagram::bind_addr(&address) {
                Ok(socket) => return Ok(Some(socket)),
                Err(error) if error.kind() != io::ErrorKind::AddrInUse => return Ok(None),
                Err(error) if Instant::now() > until => return Err(error),
                Err(_) => thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_copy_has_a_file_for_all_its_sessions() {
            let folder = tempfile::tempdir().unwrap();
            let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
            let claim = |paths: &[&Path]| Claims::new(paths.iter().copied());
            let both = claim(&[&one, &other]).unwrap();
            let again = claim(&[&folder.path().join("./one")]).unwrap();
            // As another copy asks, which knows nothing of ours.
            let is_free = |path: &Path| name(&path_of_file(path)).is_ok();
            assert!(!is_free(&one) && !is_free(&other));
            drop(both);
            assert!(!is_free(&one) && is_free(&other));
            drop(again);
            assert!(is_free(&one));
            // What another copy has: nothing of the session is claimed.
            let taken = name(&path_of_file(&one)).unwrap();
            let refused = claim(&[&other, &one]).unwrap_err();
            assert!(matches!(refused, Error::OtherCopy(path) if path == one));
            assert!(is_free(&other));
            drop(taken);
            assert!(claim(&[&other, &one]).is_ok());
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::path::Path;

    use crate::Error;

    /// Nothing.
    #[derive(Debug)]
    pub struct Claims;

    impl Claims {
        /// Claims nothing.
        #[expect(clippy::unnecessary_wraps, reason = "on Linux there is a failure")]
        pub fn new<'a>(_: impl Iterator<Item = &'a Path>) -> Result<Self, Error> {
            Ok(Self)
        }
    }
}
