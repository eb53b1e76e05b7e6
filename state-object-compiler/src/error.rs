//! The errors of commands, and their exit codes.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The exit codes of the program.
pub mod exit_code {
    /// The program did everything.
    pub const COMPLETE: u8 = 0;
    /// The program did everything except the listed objects. Trying again does not help.
    pub const LISTED: u8 = 1;
    /// The command line, the configuration or a file is wrong. Trying again does not help.
    pub const USAGE: u8 = 2;
    /// The infrastructure failed: disk full, file locked, no memory, input or output error. Trying again may help.
    pub const TRY_AGAIN: u8 = 75;
}

/// The error that kept a command from doing its work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A database cannot be read or written.
    #[error(transparent)]
    Database(#[from] shader_db::Error),
    /// The plugin cannot be loaded, or one of its calls failed.
    #[error(transparent)]
    Plugin(#[from] compiler_runtime::Error),
    /// An adapter, its driver or its device.
    #[error(transparent)]
    Runtime(#[from] mock_runtime::Error),
    /// Another file cannot be read or written.
    #[error("{}: {}", path.display(), said(source))]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A name that the command would give to a file is not valid for a database.
    #[error(transparent)]
    Name(#[from] shader_db::file_name::BadName),
    /// Another run is compiling everything in an output again.
    #[error(
        "{}: another run is compiling everything in it again: run the same command when that run has ended",
        path.display()
    )]
    Renewed {
        /// The output.
        path: PathBuf,
    },
    /// A worker process cannot do its work.
    #[error("worker process: {text}")]
    Worker {
        /// The worker's message, or how it ended.
        text: String,
        /// The exit code of the program for it.
        exit_code: u8,
    },
    /// Another program has removed an output that the run has open, or put another file in its place.
    #[error(
        "{}: it was removed, or another file was put in its place, during the run: run the same command again",
        path.display()
    )]
    Replaced {
        /// The output.
        path: PathBuf,
    },
    /// The system refuses something that every run needs, such as a thread.
    #[error("{what}: {source}")]
    System {
        /// What the program cannot do.
        what: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The user has asked for the end.
    #[error("interrupted")]
    Interrupted,
    /// The output of the command cannot be written.
    #[error("standard output: {0}")]
    Output(io::Error),
}

/// The system's message on a file, or a clearer one where that says little.
fn said(error: &io::Error) -> String {
    shader_db::fault_of_path(error).map_or_else(|| error.to_string(), str::to_owned)
}

impl Error {
    pub(crate) fn file(path: &Path, source: io::Error) -> Self {
        Self::File {
            path: path.to_owned(),
            source,
        }
    }

    /// The error that a worker process reports.
    pub(crate) fn of_worker(is_worth_a_retry: bool, text: String) -> Self {
        let exit_code = if is_worth_a_retry {
            exit_code::TRY_AGAIN
        } else {
            exit_code::USAGE
        };
        Self::Worker { text, exit_code }
    }

    /// The error with the path that the user gave in place of another path of the same file.
    #[must_use]
    pub fn as_given(mut self, given: impl IntoIterator<Item = PathBuf>) -> Self {
        if let Self::Database(error) | Self::Plugin(compiler_runtime::Error::Database(error)) =
            &mut self
        {
            for given in given {
                let others = [std::path::absolute(&given), fs::canonicalize(&given)];
                for other in others.into_iter().flatten() {
                    *error = error.clone().called(&other, &given);
                }
            }
        }
        self
    }

    pub(crate) fn is_worth_a_retry(&self) -> bool {
        self.exit_code() == exit_code::TRY_AGAIN
    }

    /// The exit code of the program: [`exit_code::USAGE`] or [`exit_code::TRY_AGAIN`].
    pub fn exit_code(&self) -> u8 {
        use shader_db::Error as Database;
        match self {
            Self::Database(error)
            | Self::Plugin(compiler_runtime::Error::Database(error))
            | Self::Runtime(mock_runtime::Error::Database(error)) => match error {
                Database::Busy { .. }
                | Database::Full { .. }
                | Database::Io { .. }
                | Database::OutOfMemory { .. } => exit_code::TRY_AGAIN,
                _ => exit_code::USAGE,
            },
            Self::Plugin(compiler_runtime::Error::Removed)
            | Self::Interrupted
            | Self::Renewed { .. }
            | Self::Replaced { .. }
            | Self::System { .. }
            | Self::Output(_) => exit_code::TRY_AGAIN,
            Self::Usage(_) | Self::Name(_) | Self::Plugin(_) | Self::Runtime(_) => exit_code::USAGE,
            Self::File { source, .. } => match source.kind() {
                _ if shader_db::fault_of_path(source).is_some() => exit_code::USAGE,
                io::ErrorKind::NotFound
                | io::ErrorKind::PermissionDenied
                | io::ErrorKind::AlreadyExists
                | io::ErrorKind::IsADirectory
                | io::ErrorKind::ReadOnlyFilesystem => exit_code::USAGE,
                _ => exit_code::TRY_AGAIN,
            },
            Self::Worker { exit_code, .. } => *exit_code,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_path_is_not_tried_again() {
        let kinds = [
            io::ErrorKind::InvalidFilename,
            io::ErrorKind::NotADirectory,
            io::ErrorKind::NotFound,
        ];
        let codes = kinds.map(|kind| Error::file(Path::new("a"), kind.into()).exit_code());
        assert_eq!(codes, [exit_code::USAGE; 3]);
        let full = Error::file(Path::new("a"), io::ErrorKind::StorageFull.into());
        assert_eq!(full.exit_code(), exit_code::TRY_AGAIN);
    }

    #[test]
    fn files_are_called_as_they_were_given() {
        let path = std::path::absolute("a.psdb").unwrap();
        let error = Error::Database(shader_db::Error::Busy { path });
        let given = ["b.psdb", "a.psdb"].map(PathBuf::from);
        let text = error.as_given(given).to_string();
        assert_eq!(text, "a.psdb: locked by another session");
    }
}
