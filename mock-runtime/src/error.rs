//! Why the runtime did not do what it was asked for.

use std::io;
use std::path::{Path, PathBuf};

use ddi_sys::HRESULT;

/// The error of a call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or directory cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// An entry of the directory of adapters is wrong.
    #[error("{}: {text}", path.display())]
    Adapter {
        /// The entry.
        path: PathBuf,
        /// The fault.
        text: String,
    },
    /// No adapter has the name or the index.
    #[error("there is no adapter {wanted:?}; there are: {}", names.join(", "))]
    NoAdapter {
        /// The name.
        wanted: String,
        /// The names that there are.
        names: Vec<String>,
    },
    /// The driver's library cannot be loaded, or exports no `OpenAdapter12`.
    #[error("{}: {text}", path.display())]
    Load {
        /// The library.
        path: PathBuf,
        /// The loader's text.
        text: String,
    },
    /// A call of the driver failed.
    #[error("{call} failed: {result}")]
    Driver {
        /// The function.
        call: &'static str,
        /// Its result.
        result: HRESULT,
    },
    /// The driver broke the contract of a call.
    #[error("{call}: {text}")]
    Contract {
        /// The function.
        call: &'static str,
        /// What is wrong.
        text: String,
    },
    /// The request makes no sense, or not for this driver.
    #[error("{0}")]
    Argument(String),
    /// The description of an object is not valid.
    #[error(transparent)]
    Description(#[from] compiler_runtime::desc::Invalid),
    /// A database cannot be read or written.
    #[error(transparent)]
    Database(#[from] shader_db::Error),
}

impl Error {
    pub(crate) fn file(path: &Path, source: io::Error) -> Self {
        Self::File {
            path: path.to_owned(),
            source,
        }
    }

    /// The result that a call of the API would have.
    pub fn result(&self) -> HRESULT {
        match self {
            Self::Driver { result, .. } => *result,
            Self::Description(invalid) => invalid.result,
            Self::Contract { .. } => ddi_sys::DXGI_ERROR_DRIVER_INTERNAL_ERROR,
            Self::Database(_) | Self::File { .. } | Self::Load { .. } => ddi_sys::E_FAIL,
            Self::Adapter { .. } | Self::NoAdapter { .. } | Self::Argument(_) => {
                ddi_sys::E_INVALIDARG
            }
        }
    }
}
