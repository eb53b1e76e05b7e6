//! Why a command failed.

use std::io::{self, Write};
use std::path::PathBuf;

use dxil::patch::PatchError;

use crate::text::{BAD, printable};

/// The exit codes of every command.
pub mod exit_code {
    pub const DONE: u8 = 0;
    pub const NO: u8 = 1;
    pub const TROUBLE: u8 = 2;
}

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("cannot read {}: {error}", file.display())]
    Read { file: PathBuf, error: io::Error },
    #[error("cannot write {}: {error}", file.display())]
    Write { file: PathBuf, error: io::Error },
    #[error("standard input can be read only once")]
    StdinTwice,
    #[error("cannot write: {0}")]
    Print(#[from] io::Error),
    #[error("{}: {error}", file.display())]
    Damaged { file: PathBuf, error: dxil::Error },
    /// The same, for a command to which that exit code means something else.
    #[error("{}: {error}", file.display())]
    NotComparable { file: PathBuf, error: dxil::Error },
    #[error("{}: the result would be invalid: {error}", file.display())]
    Remains { file: PathBuf, error: dxil::Error },
    #[error("{}: {error}", file.display())]
    Patch { file: PathBuf, error: PatchError },
    #[error("{}: {what}; `constants --save` writes a table", file.display())]
    Table { file: PathBuf, what: String },
    #[error("{}: {what}", file.display())]
    Value { file: PathBuf, what: String },
}

impl Failure {
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Damaged { .. }
            | Self::Remains { .. }
            | Self::Patch { .. }
            | Self::Table { .. }
            | Self::Value { .. } => exit_code::NO,
            Self::Read { .. }
            | Self::Write { .. }
            | Self::StdinTwice
            | Self::Print(_)
            | Self::NotComparable { .. } => exit_code::TROUBLE,
        }
    }

    /// Prints it to standard error.
    pub fn report(&self) {
        let text = printable(&self.to_string());
        // There is no place left to report a failure to.
        let _ = writeln!(anstream::stderr(), "dxil-tool: {BAD}error{BAD:#}: {text}");
    }
}
