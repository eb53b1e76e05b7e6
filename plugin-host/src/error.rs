//! What can go wrong between host and plugin.

use std::io;
use std::path::PathBuf;

use ddi_sys::HRESULT;
use thiserror::Error;

use crate::version::{SUPPORTED, dotted};

/// Most entries that a host takes from one list: versions, families, ABI versions, shader models.
pub const MAX_ENTRIES: u32 = 4096;

/// Why a library is not a plugin that can be opened.
#[derive(Debug, Error)]
pub enum LoadError {
    /// There is no such file, or it cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// As it was given.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The system refuses to load the file.
    #[error("{}: cannot be loaded: {reason}", path.display())]
    NotLoadable {
        /// The absolute path.
        path: PathBuf,
        /// The system's text.
        reason: String,
    },
    /// The library does not export the entry point.
    #[error(
        "{}: no export D3D12OpenCompilerDDI ({reason}); a plugin exports this name undecorated",
        path.display()
    )]
    NoEntryPoint {
        /// The absolute path.
        path: PathBuf,
        /// The system's text.
        reason: String,
    },
}

/// Why one call to the plugin failed. `call` is the entry's name in its table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CallError {
    /// The plugin returned a failure.
    #[error("{call} failed: {hresult}")]
    Failed {
        /// The call.
        call: &'static str,
        /// Its result.
        hresult: HRESULT,
    },
    /// A list is longer than [`MAX_ENTRIES`].
    #[error(
        "{call} lists more than {MAX_ENTRIES} entries: a count is the length of the list, and an \
         enumeration ends with DXGI_ERROR_NOT_FOUND"
    )]
    TooMany {
        /// The call.
        call: &'static str,
    },
    /// A list grows each time that it is asked for.
    #[error("{call} reports a longer list at each call: the list must not change")]
    Growing {
        /// The call.
        call: &'static str,
    },
    /// The name of an adapter family has no NUL.
    #[error("pfnEnumerateAdapterFamilies, index {index}: no NUL within the 128 WCHARs of the name")]
    Unterminated {
        /// The family's index.
        index: u32,
    },
    /// The name of an adapter family is ill-formed.
    #[error("pfnEnumerateAdapterFamilies, index {index}: the name is not well-formed UTF-16")]
    NotUtf16 {
        /// The family's index.
        index: u32,
    },
    /// The plugin wants more memory for an object than there is.
    #[error("{call} asks for {size} bytes of private memory, which cannot be allocated")]
    Memory {
        /// The call.
        call: &'static str,
        /// What it returned.
        size: usize,
    },
}

/// Why a plugin could not be opened. Nothing is left open.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpenError {
    /// A call failed.
    #[error(transparent)]
    Call(#[from] CallError),
    /// An entry of a table is null; none is optional.
    #[error("{entry} of the plugin's {table} is null: every entry must be filled")]
    NullEntry {
        /// The table's type.
        table: &'static str,
        /// The entry's name.
        entry: &'static str,
    },
    /// The plugin offers no version of [`SUPPORTED`].
    #[error(
        "pfnGetSupportedVersions offers {}, this host knows {}: one side must be updated",
        list(offered.iter().copied()),
        list(SUPPORTED.iter().map(|version| version.plugin))
    )]
    NoCommonVersion {
        /// What the plugin offers.
        offered: Vec<u64>,
    },
}

fn list(versions: impl Iterator<Item = u64>) -> String {
    let versions: Vec<String> = versions.map(dotted).collect();
    if versions.is_empty() {
        "no version".to_owned()
    } else {
        versions.join(", ")
    }
}

/// Turns a call's failure into an error.
pub(crate) fn check(call: &'static str, hresult: HRESULT) -> Result<(), CallError> {
    tracing::debug!(call, %hresult);
    if hresult.is_ok() {
        Ok(())
    } else {
        Err(CallError::Failed { call, hresult })
    }
}
