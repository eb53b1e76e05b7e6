//! What can go wrong between host and plugin.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ddi_sys::HRESULT;
use thiserror::Error;

use crate::Library;
use crate::version::{DdiVersions, InvalidDdiVersions, dotted};

/// Most entries that a host takes from one list: versions, families, ABI versions, shader models.
pub const MAX_ENTRIES: u32 = 4096;

/// Why a library is not a plugin that can be opened.
#[derive(Debug, Error)]
pub enum LoadError {
    /// There is no such file, or it cannot be read.
    #[error("{}: no such file, or it cannot be read", path.display())]
    File {
        /// As it was given.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It is a folder, a FIFO, a device: to open one can wait for ever.
    #[error("{}: no regular file, and a plugin is a library", path.display())]
    NotAFile {
        /// As it was given.
        path: PathBuf,
    },
    /// The system refuses to load the file.
    #[error("{}: cannot be loaded: {reason}", path.display())]
    NotLoadable {
        /// The absolute path.
        path: PathBuf,
        /// The system's text.
        reason: String,
        /// The system's number: what `GetLastError` gives on Windows, nothing elsewhere.
        code: Option<i32>,
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

/// Why a plugin could not be opened. It is not left open, unless it is its `pfnDestroyCompilerDDI`
/// that is null: then nothing can end what `D3D12OpenCompilerDDI` began.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpenError {
    /// A call failed.
    #[error(transparent)]
    Call(#[from] CallError),
    /// An entry of a table is null; none is optional.
    #[error("{}: {entry} of its {table} is null: every entry must be filled", plugin(path.as_deref()))]
    NullEntry {
        /// The plugin's library; `None` for a plugin that is linked in.
        path: Option<Arc<Path>>,
        /// The table's type.
        table: &'static str,
        /// The entry's name.
        entry: &'static str,
    },
    /// What the user allows besides the versions that the host knows is not to be read.
    #[error("{variable}: {0}", variable = DdiVersions::VARIABLE)]
    DdiVersions(#[from] InvalidDdiVersions),
    /// The plugin offers no version that this host knows.
    #[error(
        "{}: pfnGetSupportedVersions offers {}, this host knows {}: one side must be updated. If the structures of \
         one that it offers are known to be the same, allow it together with its usermode DDI version: {}={}=\
         <usermode DDI>, or --ddi-versions of the tools",
        plugin(path.as_deref()),
        list("no version", offered.iter().copied().map(dotted)),
        list("no version", known.iter().copied().map(dotted)),
        DdiVersions::VARIABLE,
        offered.iter().max().map_or_else(|| "<plugin DDI>".into(), |newest| dotted(*newest))
    )]
    NoCommonVersion {
        /// The plugin's library; `None` for a plugin that is linked in.
        path: Option<Arc<Path>>,
        /// What the plugin offers.
        offered: Vec<u64>,
        /// What the host takes.
        known: Vec<u64>,
    },
}

/// A call to a plugin that did not work: which plugin, which call, why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: {call} {failure}", plugin(path.as_deref()))]
pub struct CallError {
    /// The plugin's library; `None` for a plugin that is linked in.
    pub path: Option<Arc<Path>>,
    /// The entry's name in its table.
    pub call: &'static str,
    /// Why.
    pub failure: CallFailure,
}

/// Why a call to a plugin did not work.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CallFailure {
    /// The plugin returned a failure.
    #[error("failed: {0}")]
    Result(HRESULT),
    /// A list is longer than [`MAX_ENTRIES`].
    #[error(
        "lists more than {MAX_ENTRIES} entries: a count is the length of the list, and an \
         enumeration ends with DXGI_ERROR_NOT_FOUND"
    )]
    TooMany,
    /// A list grows each time that it is asked for.
    #[error("reports a longer list at each call: the list must not change")]
    Growing,
    /// The name of an adapter family has no NUL.
    #[error("gives index {index} a name without a NUL within its 128 WCHARs")]
    Unterminated {
        /// The family's index.
        index: u32,
    },
    /// The name of an adapter family is ill-formed.
    #[error("gives index {index} a name that is not well-formed UTF-16")]
    NotUtf16 {
        /// The family's index.
        index: u32,
    },
    /// An ABI version is asked for that the plugin does not report for the family, or a reserved one:
    /// 0 or `u64::MAX`.
    #[error(
        "reports ABI versions {} for family {adapter_family_index}, not {abi_version}",
        list("none", reported.iter().map(u64::to_string))
    )]
    NoSuchAbiVersion {
        /// The family's index.
        adapter_family_index: u32,
        /// What was asked for.
        abi_version: u64,
        /// What the plugin reports.
        reported: Vec<u64>,
    },
    /// The target was checked by another open; the call was not made.
    #[error("was not called: the target is one of another open, each checks its own")]
    ForeignTarget,
    /// The plugin wants more memory for an object than there is.
    #[error("asks for {size} bytes of private memory, which cannot be allocated")]
    Memory {
        /// What it returned.
        size: usize,
    },
    /// A compile call succeeded without a list of keys, or with one that was refused.
    #[error(
        "succeeded, but the keys of the object's values are not set: \
         pfnCompilerCacheSetObjectValueKeys must be called once before the return"
    )]
    KeysNotSet,
}

impl CallError {
    /// Whether the name of an adapter family is wrong, which says nothing of the other families.
    pub fn is_of_name(&self) -> bool {
        matches!(
            self.failure,
            CallFailure::Unterminated { .. } | CallFailure::NotUtf16 { .. }
        )
    }

    pub(crate) fn new(library: &Library, call: &'static str, failure: CallFailure) -> Self {
        Self {
            path: library.shared_path(),
            call,
            failure,
        }
    }
}

/// How a message begins.
fn plugin(path: Option<&Path>) -> String {
    path.map_or_else(
        || "linked-in plugin".to_owned(),
        |path| path.display().to_string(),
    )
}

fn list(none: &str, items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        none.to_owned()
    } else {
        items.join(", ")
    }
}

/// Turns a call's failure into an error, and its success into what the call made. That exists, with
/// the `Drop` that undoes the call, before the log hears of the success: a subscriber may panic.
pub(crate) fn made<T>(
    library: &Library,
    call: &'static str,
    hresult: HRESULT,
    make: impl FnOnce() -> T,
) -> Result<T, CallError> {
    let made = hresult.is_ok().then(make);
    tracing::debug!(call, %hresult);
    made.ok_or_else(|| CallError::new(library, call, CallFailure::Result(hresult)))
}

/// As [`made`], for a call that makes nothing.
pub(crate) fn check(
    library: &Library,
    call: &'static str,
    hresult: HRESULT,
) -> Result<(), CallError> {
    made(library, call, hresult, || ())
}
