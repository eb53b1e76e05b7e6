//! Names that no database can have, told before anything is done.

use std::io;
use std::path::{Path, PathBuf};

use crate::{sqlite, temporary};

/// The longest end of what is put beside a database.
const BESIDE: &str = "-journal";

/// The bytes of a path that SQLite takes on Unix, with room for the journal beside it.
const SQLITE_PATH: usize = 512 - "-journal".len();

/// Why no database can have a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct BadName {
    /// The path.
    pub path: PathBuf,
    /// What is wrong.
    pub reason: String,
    /// Whether it, or its folder's, is too long; otherwise it has characters that the system does not take.
    pub is_too_long: bool,
}

/// Checks that a database that is written in its place can have this name, and what is beside it its own.
///
/// # Errors
///
/// Why it cannot.
pub fn check(path: &Path) -> Result<(), BadName> {
    let refuse = |is_too_long, reason: String| {
        Err(BadName {
            path: path.to_owned(),
            reason,
            is_too_long,
        })
    };
    for suffix in ["", BESIDE] {
        let name = sqlite::beside(path, suffix);
        let Err(error) = std::fs::metadata(&name) else {
            continue;
        };
        match is_too_long(&error, &name) {
            Some(false) => {
                return refuse(
                    false,
                    "the system takes no such characters in a name".into(),
                );
            }
            Some(true) if suffix.is_empty() => {
                return refuse(true, "the name is too long for the system".into());
            }
            Some(true) => {
                let reason = format!(
                    "the name is too long: it leaves no room for {BESIDE}, which is put behind it, so that names have \
                     {} bytes less than the system allows",
                    BESIDE.len()
                );
                return refuse(true, reason);
            }
            None => {}
        }
    }
    if cfg!(unix)
        && let Ok(whole) = std::path::absolute(path)
    {
        let most = SQLITE_PATH;
        if whole.as_os_str().len() > most {
            let reason = format!("the path is longer than the {most} bytes that SQLite takes");
            return refuse(true, reason);
        }
        let most = most - temporary::NAME - 1;
        if sqlite::folder_of(&whole).as_os_str().len() > most {
            let reason = format!(
                "the path of its folder is longer than {most} bytes, which leaves no room for the names of temporary files"
            );
            return refuse(true, reason);
        }
    }
    Ok(())
}

/// Whether an error of the system says that a name is too long, or that it has wrong characters; `None` if it is about
/// something else.
#[cfg(unix)]
fn is_too_long(error: &io::Error, _: &Path) -> Option<bool> {
    (error.kind() == io::ErrorKind::InvalidFilename).then_some(true)
}

/// As for Unix. Windows has one number for both where a part of the path is longer than file systems can store.
#[cfg(windows)]
fn is_too_long(error: &io::Error, path: &Path) -> Option<bool> {
    use std::os::windows::ffi::OsStrExt as _;
    const MOST: usize = 255;
    let is_long = || path.iter().any(|part| part.encode_wide().count() > MOST);
    match error.kind() {
        io::ErrorKind::InvalidFilename => Some(error.raw_os_error() == Some(206) || is_long()),
        // Wine says that there is no such file.
        _ => is_long().then_some(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_with_what_is_put_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let name = |length| folder.path().join("n".repeat(length));
        assert_eq!(check(&name(255 - BESIDE.len())), Ok(()));
        for length in [256 - BESIDE.len(), 255, 256] {
            assert!(check(&name(length)).unwrap_err().is_too_long, "{length}");
        }
        assert_eq!(check(&folder.path().join("none").join("a")), Ok(()));
    }

    /// What is created where the check says that it can be.
    #[cfg(unix)]
    #[test]
    fn a_folder_can_be_so_deep_that_a_temporary_file_fits() {
        let place = tempfile::tempdir().unwrap();
        let deep = |length: usize| {
            let mut folder = place.path().to_owned();
            while folder.as_os_str().len() + 1 < length {
                let left = length - folder.as_os_str().len() - 1;
                let part = if left > 200 { left.min(200) - 2 } else { left };
                folder.push("d".repeat(part));
            }
            assert_eq!(folder.as_os_str().len(), length);
            std::fs::create_dir_all(&folder).unwrap();
            folder
        };
        let most = SQLITE_PATH - temporary::NAME - 1;
        let open = |path: &Path| {
            let options = crate::psdb::Options {
                target: Some(target()),
                application: Some(application()),
                ..crate::psdb::Options::default()
            };
            crate::psdb::Psdb::open(&[(crate::psdb::ValueTypes::ALL, path)], &options)
        };
        let path = deep(most).join("a.psdb");
        assert_eq!(check(&path), Ok(()));
        open(&path).unwrap().close().unwrap();
        let path = deep(most + 1).join("a.psdb");
        assert!(check(&path).unwrap_err().is_too_long);
        open(&path).unwrap_err();
    }

    #[cfg(unix)]
    fn target() -> crate::psdb::Target {
        crate::psdb::Target {
            family: "family".into(),
            abi: 1,
            compiler_version: 1,
            profile_version: 0,
        }
    }

    #[cfg(unix)]
    fn application() -> crate::psdb::Application {
        crate::psdb::Application {
            exe: "a.exe".into(),
            name: "a".into(),
            version: 0,
            engine_name: None,
            engine_version: 0,
        }
    }
}
