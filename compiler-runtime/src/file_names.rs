//! Names that no database can have, told from what is wrong with a file.

use std::io;
use std::path::Path;

use ddi_sys::HRESULT;

use crate::Error;
use crate::error::{FILENAME_EXCED_RANGE, INVALID_NAME};

/// The longest end of what SQLite puts beside a database.
pub const OF_SQLITE: &str = "-journal";

/// The longest end of what a session puts beside a PSDB.
pub const OF_PSDB: &str = "-pending-0";

/// The bytes of a path that SQLite takes, its own end included.
const LONGEST: usize = 512;

/// Checks that a database can have this name, and what is beside it its own: `end` is the longest one.
///
/// # Errors
///
/// [`Error::FileName`].
pub fn check(path: &Path, end: &str) -> Result<(), Error> {
    let refuse = |result, reason: &str| {
        Err(Error::FileName {
            path: path.to_owned(),
            reason: reason.to_owned(),
            result,
        })
    };
    for suffix in ["", end] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let Err(error) = std::fs::metadata(&name) else {
            continue;
        };
        match fault(&error, Path::new(&name)) {
            Some(INVALID_NAME) => {
                return refuse(
                    INVALID_NAME,
                    "the system takes no such characters in a name",
                );
            }
            Some(result) if suffix.is_empty() => {
                return refuse(result, "the name is too long for the system");
            }
            Some(result) => {
                let reason =
                    format!("the name leaves no room for {suffix}, which is put behind it");
                return refuse(result, &reason);
            }
            None => {}
        }
    }
    let length = std::path::absolute(path).map_or(0, |path| path.as_os_str().len());
    if cfg!(unix) && length + OF_SQLITE.len() > LONGEST {
        return refuse(
            FILENAME_EXCED_RANGE,
            "the path is longer than the 504 bytes that SQLite takes",
        );
    }
    Ok(())
}

/// What an error of the system says of the name.
#[cfg(unix)]
fn fault(error: &io::Error, _: &Path) -> Option<HRESULT> {
    (error.kind() == io::ErrorKind::InvalidFilename).then_some(FILENAME_EXCED_RANGE)
}

/// What an error of the system says of the name. Windows has one number for both where a part of the path is
/// longer than file systems can store.
#[cfg(windows)]
fn fault(error: &io::Error, path: &Path) -> Option<HRESULT> {
    use std::os::windows::ffi::OsStrExt as _;
    const MOST: usize = 255;
    let is_long = || path.iter().any(|part| part.encode_wide().count() > MOST);
    match error.kind() {
        io::ErrorKind::InvalidFilename if error.raw_os_error() == Some(206) || is_long() => {
            Some(FILENAME_EXCED_RANGE)
        }
        io::ErrorKind::InvalidFilename => Some(INVALID_NAME),
        // Wine says that there is no such file.
        _ if is_long() => Some(FILENAME_EXCED_RANGE),
        _ => None,
    }
}
