//! The errors between host and plugin.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ddi_sys::{HRESULT, VersionNumber};
use thiserror::Error;

use crate::Library;
use crate::version::{DdiVersions, InvalidDdiVersions};

/// The most entries that a host takes from one list: versions, families, ABI versions, shader models.
pub const MAX_ENTRIES: u32 = 4096;

/// The reason why a library is not a plugin that the host can open.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no such file, or it cannot be read.
    #[error("{}: no such file, or it cannot be read", path.display())]
    File {
        /// The path that the caller gave.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It is a folder, a FIFO, a device: opening one can wait for ever.
    #[error("{}: not a regular file, so it cannot be a plugin", path.display())]
    NotAFile {
        /// The path that the caller gave.
        path: PathBuf,
    },
    /// The system refuses to load the file.
    #[error("{}: cannot be loaded: {reason}", path.display())]
    NotLoadable {
        /// The absolute path.
        path: PathBuf,
        /// The system's text.
        reason: String,
        /// The system's number: that of `GetLastError` on Windows, none elsewhere.
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

/// The reason why the host could not open a plugin. Then the plugin is not open, unless its
/// `pfnDestroyCompilerDDI` is null: then nothing can end what `D3D12OpenCompilerDDI` began.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A call failed.
    #[error(transparent)]
    Call(#[from] CallError),
    /// An entry of a table is null; none is optional.
    #[error("{}: {entry} of its {table} is null: every entry must be filled", plugin(path.as_deref()))]
    NullEntry {
        /// The plugin's library; `None` for a linked-in plugin.
        path: Option<Arc<Path>>,
        /// The table's type.
        table: &'static str,
        /// The entry's name.
        entry: &'static str,
    },
    /// The versions that the user allows besides those that the host knows are unreadable.
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
        /// The plugin's library; `None` for a linked-in plugin.
        path: Option<Arc<Path>>,
        /// The versions that the plugin offers.
        offered: Vec<u64>,
        /// The versions that the host takes.
        known: Vec<u64>,
    },
}

/// A failed call to a plugin: the plugin, the call, the reason.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: {call} {failure}", plugin(path.as_deref()))]
pub struct CallError {
    /// The plugin's library; `None` for a linked-in plugin.
    pub path: Option<Arc<Path>>,
    /// The entry's name in its table.
    pub call: &'static str,
    /// The reason.
    pub failure: CallFailure,
}

/// The reason why a call to a plugin failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
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
    /// A list grows at every call.
    #[error("reports a longer list at each call: the list must not change")]
    Growing,
    /// The name of an adapter family has no NUL.
    #[error("gives index {index} a name without a NUL within its 128 WCHARs")]
    Unterminated {
        /// The family's index.
        index: u32,
    },
    /// The name of an adapter family has no characters.
    #[error("gives index {index} an empty name")]
    Unnamed {
        /// The family's index.
        index: u32,
    },
    /// The name of an adapter family is ill-formed.
    #[error("gives index {index} a name that is not well-formed UTF-16")]
    NotUtf16 {
        /// The family's index.
        index: u32,
    },
    /// The caller wants an ABI version that the plugin does not report for the family, or a reserved one: 0 or `u64::MAX`.
    #[error(
        "reports ABI versions {} for family {adapter_family_index}, not {abi_version}",
        list("none", reported.iter().map(u64::to_string))
    )]
    NoSuchAbiVersion {
        /// The family's index.
        adapter_family_index: u32,
        /// The version that the caller wants.
        abi_version: u64,
        /// The versions that the plugin reports.
        reported: Vec<u64>,
    },
    /// Another open checked the target; the host did not make the call.
    #[error("was not called: the target is one of another open, each checks its own")]
    ForeignTarget,
    /// The plugin wants more memory for an object than the host can allocate.
    #[error("asks for {size} bytes of private memory, which cannot be allocated")]
    Memory {
        /// The size that the plugin returned.
        size: usize,
    },
    /// A compile call succeeded without a list of keys, or with one that the host refused.
    #[error(
        "succeeded, but the keys of the object's values are not set: \
         pfnCompilerCacheSetObjectValueKeys must be called once before the return"
    )]
    KeysNotSet,
}

impl CallError {
    /// Whether the fault is the name of one adapter family, which does not affect the other families.
    pub fn is_of_name(&self) -> bool {
        matches!(
            self.failure,
            CallFailure::Unterminated { .. }
                | CallFailure::Unnamed { .. }
                | CallFailure::NotUtf16 { .. }
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

/// The beginning of a message.
fn plugin(path: Option<&Path>) -> String {
    path.map_or_else(
        || "linked-in plugin".to_owned(),
        |path| path.display().to_string(),
    )
}

fn dotted(version: u64) -> String {
    VersionNumber::from_bits(version).to_string()
}

fn list(none: &str, items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        none.to_owned()
    } else {
        items.join(", ")
    }
}

/// Turns a call's failure into an error, and its success into what the call made. Its `Drop`, which undoes the call, is in
/// force before the log gets the success: a subscriber may panic.
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
