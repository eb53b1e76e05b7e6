//! The errors of every database.

use std::io;
use std::path::{Path, PathBuf};

use compatibility::Reason;
use rusqlite::ErrorCode;

use crate::Result;
use crate::psdb::Conflict;

/// Why a database call failed.
///
/// An absent key, group or value is no error: the find functions return `None` or `false` for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller's arguments contradict the rules, each other or what the file holds.
    #[error("{0}")]
    InvalidArgument(String),
    /// What a file has was made by a compiler, or for a profile of the application, that differs so much from what is to
    /// be stored that it has to be compiled again: nothing can be added to it.
    #[error(
        "{}: what it has must be compiled again, and nothing can be added to it: {reason}. Compile into a new file",
        path.display()
    )]
    Stale {
        /// The file.
        path: PathBuf,
        /// What differs.
        reason: Reason,
    },
    /// The group, one of the typed values, or another object of the same key and version, is stored already; nothing was
    /// stored.
    #[error("already stored")]
    AlreadyExists,
    /// The file, or the directory to create it in, does not exist.
    #[error("{}: no such file or directory", path.display())]
    NotFound {
        /// The file.
        path: PathBuf,
    },
    /// No file can have this path.
    #[error("{}: {reason}", path.display())]
    BadPath {
        /// The path.
        path: PathBuf,
        /// What the system, or SQLite, does not take in it.
        reason: &'static str,
    },
    /// A state object that another one is made from has no key in the database.
    #[error("{}: {reason}", path.display())]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// Which one.
        reason: String,
    },
    /// The file or its directory must not be read or written, or the session is read-only.
    #[error("{}: access denied: {reason}", path.display())]
    AccessDenied {
        /// The file.
        path: PathBuf,
        /// What was attempted.
        reason: String,
    },
    /// The file is of another kind, or of a version that this crate does not know. It was not touched.
    #[error("{}: not a database of this kind: {reason}", path.display())]
    BadFormat {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The file is damaged: SQLite or a digest says so. Nothing that was read is to be used.
    #[error("{}: damaged: {reason}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Another session held the file's lock for longer than the time-out.
    #[error("{}: locked by another session", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The call does not go with the transaction that is active, or needs one and none is.
    #[error("{0}")]
    TransactionState(&'static str),
    /// The disk or the file is full.
    #[error("{}: disk full", path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The operating system failed to read or write.
    #[error("{}: {reason}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Files that are to be merged contradict each other.
    #[error("the files contradict each other {count} times: {}", list(first))]
    Conflicts {
        /// The first ones.
        first: Vec<Conflict>,
        /// How many there are.
        count: u64,
    },
    /// A key or value exceeds the size limit of the database.
    #[error("a key or value of {size} bytes: {limit} bytes is the limit")]
    TooBig {
        /// Its size in bytes.
        size: usize,
        /// The most that can be stored.
        limit: usize,
    },
    /// SQLite could not allocate memory.
    #[error("{}: out of memory", path.display())]
    OutOfMemory {
        /// The file.
        path: PathBuf,
    },
}

/// Names the file of a failure.
pub(crate) trait At<T> {
    fn at(self, path: &Path) -> Result<T>;
}

impl<T> At<T> for rusqlite::Result<T> {
    fn at(self, path: &Path) -> Result<T> {
        self.map_err(|error| Error::sqlite(path, &error))
    }
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T> {
        self.map_err(|error| Error::io(path, &error))
    }
}

impl Error {
    pub(crate) fn busy(path: &Path) -> Self {
        let path = path.to_owned();
        Self::Busy { path }
    }

    pub(crate) fn bad_format(path: &Path, reason: impl Into<String>) -> Self {
        let (path, reason) = (path.to_owned(), reason.into());
        Self::BadFormat { path, reason }
    }

    pub(crate) fn corrupt(path: &Path, reason: impl Into<String>) -> Self {
        let (path, reason) = (path.to_owned(), reason.into());
        Self::Corrupt { path, reason }
    }

    pub(crate) fn sqlite(path: &Path, error: &rusqlite::Error) -> Self {
        let path = path.to_owned();
        let reason = text_of(error);
        let rusqlite::Error::SqliteFailure(failure, _) = error else {
            // A column of another type, a row that must exist: the file's content, not the caller.
            return Self::Corrupt { path, reason };
        };
        match failure.code {
            ErrorCode::NotADatabase => Self::BadFormat { path, reason },
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy { path },
            ErrorCode::DiskFull => Self::Full { path },
            ErrorCode::CannotOpen if let Some(reason) = fault_of(&path) => {
                Self::BadPath { path, reason }
            }
            ErrorCode::CannotOpen if has_no_folder(&path) => Self::NotFound { path },
            ErrorCode::CannotOpen if are_no_handles_left() => Self::Io {
                path,
                reason: format!("{reason}, as too many files are open"),
            },
            ErrorCode::PermissionDenied
            | ErrorCode::ReadOnly
            | ErrorCode::CannotOpen
            | ErrorCode::AuthorizationForStatementDenied => Self::AccessDenied { path, reason },
            ErrorCode::OutOfMemory => Self::OutOfMemory { path },
            ErrorCode::SystemIoFailure
                if failure.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ =>
            {
                Self::Corrupt { path, reason }
            }
            // Unknown: a statement that a sound file understands. Too big: values are checked before.
            ErrorCode::DatabaseCorrupt
            | ErrorCode::ConstraintViolation
            | ErrorCode::TooBig
            | ErrorCode::TypeMismatch
            | ErrorCode::Unknown => Self::Corrupt { path, reason },
            _ => Self::Io { path, reason },
        }
    }

    /// The error with another path in the place of one: that by which people know a file that has another name for a while.
    #[must_use]
    pub fn called(mut self, temporary: &Path, name: &Path) -> Self {
        if let Self::NotFound { path }
        | Self::BadPath { path, .. }
        | Self::UnknownKey { path, .. }
        | Self::AccessDenied { path, .. }
        | Self::BadFormat { path, .. }
        | Self::Corrupt { path, .. }
        | Self::Busy { path }
        | Self::Full { path }
        | Self::Io { path, .. }
        | Self::OutOfMemory { path } = &mut self
            && path == temporary
        {
            name.clone_into(path);
        }
        self
    }

    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        let path = path.to_owned();
        if let Some(reason) = fault_of_path(error) {
            return Self::BadPath { path, reason };
        }
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::AccessDenied {
                    path,
                    reason: error.to_string(),
                }
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path },
            _ => Self::Io {
                path,
                reason: error.to_string(),
            },
        }
    }
}

/// What is wrong, without the words of the library.
fn text_of(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::InvalidColumnType(_, column, kind) => {
            format!("column {column} has a value of type {kind}")
        }
        rusqlite::Error::IntegralValueOutOfRange(_, value) => {
            format!("{value} is out of the range of its column")
        }
        rusqlite::Error::FromSqlConversionFailure(_, kind, _) => {
            format!("a value of type {kind} cannot be what it is to be")
        }
        rusqlite::Error::QueryReturnedNoRows => "a row is missing".into(),
        rusqlite::Error::Utf8Error(..) => "a text is no UTF-8".into(),
        rusqlite::Error::SqliteFailure(failure, _)
            if failure.code == ErrorCode::SystemIoFailure =>
        {
            format!("{error} (SQLite's code {})", failure.extended_code)
        }
        error => error.to_string(),
    }
}

/// What is wrong with a path, if that is what an error of the system says: no retry helps.
pub fn fault_of_path(error: &io::Error) -> Option<&'static str> {
    const CIRCLE: i32 = if cfg!(target_os = "linux") { 40 } else { 62 };
    match error.kind() {
        io::ErrorKind::InvalidFilename => {
            Some("the name is too long, or has characters that the system does not take")
        }
        io::ErrorKind::NotADirectory => {
            Some("a part of the path in front of the name is no folder")
        }
        _ if cfg!(unix) && error.raw_os_error() == Some(CIRCLE) => {
            Some("its symbolic links lead in a circle")
        }
        _ => None,
    }
}

/// What is wrong with a path that SQLite cannot open.
fn fault_of(path: &Path) -> Option<&'static str> {
    // SQLite's own limits, for the path and for the log beside the file.
    const PATH: usize = 512;
    const LOG: &str = "-wal";
    let fault = |path: &Path| fault_of_path(&std::fs::metadata(path).err()?);
    let length = std::path::absolute(path).map_or(0, |path| path.as_os_str().len());
    fault(path)
        .or_else(|| {
            let log = fault(&crate::sqlite::beside(path, LOG));
            log.map(
                |_| "the name is too long: there is no room for the names of the files beside it",
            )
        })
        .or_else(|| {
            let is_long = cfg!(unix) && length + LOG.len() + 4 >= PATH;
            is_long.then_some("the path is longer than the 512 bytes that SQLite takes")
        })
}

/// Whether a file cannot be there because its folder is not. One that may not be looked at is there.
fn has_no_folder(path: &Path) -> bool {
    match std::fs::metadata(crate::sqlite::folder_of(path)) {
        Ok(folder) => !folder.is_dir(),
        Err(error) => matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        ),
    }
}

fn list(conflicts: &[Conflict]) -> String {
    let texts: Vec<String> = conflicts.iter().map(Conflict::to_string).collect();
    texts.join("; ")
}

/// Whether no more files can be opened, which SQLite does not say: it is tried with one that is always there. To open the
/// database itself and close it again would end the locks that this process has on it.
fn are_no_handles_left() -> bool {
    let nothing = if cfg!(windows) { "NUL" } else { "/dev/null" };
    std::fs::File::open(nothing).is_err_and(|error| {
        // EMFILE and ENFILE; ERROR_TOO_MANY_OPEN_FILES.
        let codes: &[i32] = if cfg!(windows) { &[4] } else { &[24, 23] };
        error
            .raw_os_error()
            .is_some_and(|code| codes.contains(&code))
    })
}
