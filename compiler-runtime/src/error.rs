//! The errors of the runtime's calls, and their HRESULTs.

use api_desc::caller::Refused;
use ddi_sys::{
    DXGI_ERROR_ALREADY_EXISTS, DXGI_ERROR_NOT_FOUND, DXGI_ERROR_UNSUPPORTED, E_ACCESSDENIED,
    E_FAIL, E_INVALIDARG, E_OUTOFMEMORY, HRESULT,
};
use plugin_host::{CallError, CallFailure, LoadError, OpenError};
use shader_db::file_name::BadName;

use crate::desc::Invalid;

/// HRESULT_FROM_WIN32 of an error that `winerror.h` has.
const fn from_win32(error: u16) -> HRESULT {
    HRESULT(0x8007_0000_u32.cast_signed() | error as i32)
}

/// HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND).
pub const FILE_NOT_FOUND: HRESULT = from_win32(2);
/// HRESULT_FROM_WIN32(ERROR_BAD_FORMAT).
pub const BAD_FORMAT: HRESULT = from_win32(11);
/// E_ILLEGAL_STATE_CHANGE, which `d3dx12_state_object_database.h` has for transactions too.
const ILLEGAL_STATE_CHANGE: HRESULT = HRESULT(0x8000_000D_u32.cast_signed());
/// HRESULT_FROM_WIN32(ERROR_IO_DEVICE).
const IO_DEVICE: HRESULT = from_win32(1117);
/// HRESULT_FROM_WIN32(ERROR_LOCK_VIOLATION).
const LOCK_VIOLATION: HRESULT = from_win32(33);
/// HRESULT_FROM_WIN32(ERROR_DISK_FULL).
const DISK_FULL: HRESULT = from_win32(112);
/// HRESULT_FROM_WIN32(ERROR_PROC_NOT_FOUND).
const PROC_NOT_FOUND: HRESULT = from_win32(127);
/// HRESULT_FROM_WIN32(ERROR_INVALID_NAME).
const INVALID_NAME: HRESULT = from_win32(123);
/// HRESULT_FROM_WIN32(ERROR_FILENAME_EXCED_RANGE).
const FILENAME_EXCED_RANGE: HRESULT = from_win32(206);
/// HRESULT_FROM_WIN32(ERROR_FILE_CORRUPT).
const FILE_CORRUPT: HRESULT = from_win32(1392);
/// D3D12_ERROR_DRIVER_VERSION_MISMATCH: another version made the cached content.
const DRIVER_VERSION_MISMATCH: HRESULT = HRESULT(0x887E_0002_u32.cast_signed());

/// The reason why a call fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The library is no plugin that can be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The plugin could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A call to the plugin failed.
    #[error(transparent)]
    Plugin(#[from] CallError),
    /// A database call failed.
    #[error(transparent)]
    Database(#[from] shader_db::Error),
    /// The runtime refuses a description.
    #[error(transparent)]
    Description(#[from] Invalid),
    /// A name is not valid for a database.
    #[error(transparent)]
    Name(#[from] BadName),
    /// The caller's callback gave no object.
    #[error("{callback} gave no object for key {key}: {reason}")]
    Callback {
        /// The parameter with the callback.
        callback: &'static str,
        /// The key in hexadecimal digits.
        key: String,
        /// The reason.
        reason: String,
        /// The result of the API call.
        result: HRESULT,
    },
    /// A group names values that the plugin found in the files, and another process has removed them since.
    #[error("what the plugin found was removed from the files meanwhile: compile the object again")]
    Removed,
    /// The plugin names a value for an object that it has neither stored nor found.
    #[error(
        "the plugin names the value key {} for the object, and has neither stored nor found a value under it",
        shader_db::short_hex(key)
    )]
    NoValue {
        /// The key.
        key: Vec<u8>,
    },
    /// No value that the plugin names for a pipeline has object code.
    #[error(
        "the plugin was to store object code, and none of the value keys that it names for the pipeline has any"
    )]
    NoObjectCode,
    /// The runtime refuses another argument.
    #[error("{0}")]
    Argument(String),
    /// The plugin has no adapter family of that index.
    #[error("the plugin has no adapter family with index {index}")]
    NoSuchFamily {
        /// The index.
        index: u32,
    },
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Invalid::from(refused).into()
    }
}

impl Error {
    /// A refused argument, and the reason.
    pub(crate) fn argument(text: impl Into<String>) -> Self {
        Self::Argument(text.into())
    }

    /// The result of the API call. A plugin's failure passes through, unless the files have failed the plugin.
    pub fn result(&self) -> HRESULT {
        use shader_db::Error as Database;
        match self {
            Self::Load(LoadError::File { source, .. }) => match source.kind() {
                std::io::ErrorKind::PermissionDenied => E_ACCESSDENIED,
                _ => FILE_NOT_FOUND,
            },
            Self::Load(LoadError::NotAFile { .. }) => FILE_NOT_FOUND,
            Self::Load(LoadError::NotLoadable { code, .. }) => code
                .and_then(|code| u16::try_from(code).ok())
                .map_or(BAD_FORMAT, from_win32),
            Self::Load(LoadError::NoEntryPoint { .. }) => PROC_NOT_FOUND,
            Self::Open(OpenError::Call(error)) | Self::Plugin(error) => of_call(error),
            Self::Open(OpenError::NoCommonVersion { .. }) => DXGI_ERROR_UNSUPPORTED,
            Self::Database(error) => match error {
                Database::InvalidArgument(_) | Database::TooBig { .. } => E_INVALIDARG,
                Database::Stale { .. } => DRIVER_VERSION_MISMATCH,
                Database::AlreadyExists => DXGI_ERROR_ALREADY_EXISTS,
                Database::NotFound { .. } | Database::BadPath { .. } => FILE_NOT_FOUND,
                Database::UnknownKey { .. } => DXGI_ERROR_NOT_FOUND,
                Database::AccessDenied { .. } => E_ACCESSDENIED,
                Database::BadFormat { .. } => BAD_FORMAT,
                Database::Corrupt { .. } => FILE_CORRUPT,
                Database::Busy { .. } => LOCK_VIOLATION,
                Database::TransactionState(_) => ILLEGAL_STATE_CHANGE,
                Database::Full { .. } => DISK_FULL,
                Database::Io { .. } => IO_DEVICE,
                Database::OutOfMemory { .. } => E_OUTOFMEMORY,
                _ => E_FAIL,
            },
            Self::Removed => LOCK_VIOLATION,
            Self::Description(invalid) => invalid.result,
            Self::Name(name) if name.is_too_long => FILENAME_EXCED_RANGE,
            Self::Name(_) => INVALID_NAME,
            Self::Callback { result, .. } => *result,
            Self::Argument(_) | Self::Open(OpenError::DdiVersions(_)) => E_INVALIDARG,
            Self::NoSuchFamily { .. } => DXGI_ERROR_NOT_FOUND,
            Self::NoValue { .. } | Self::NoObjectCode | Self::Load(_) | Self::Open(_) => E_FAIL,
        }
    }
}

fn of_call(error: &CallError) -> HRESULT {
    match error.failure {
        CallFailure::Result(result) => result,
        CallFailure::Memory { .. } => E_OUTOFMEMORY,
        CallFailure::NoSuchAbiVersion { .. } | CallFailure::ForeignTarget => E_INVALIDARG,
        _ => E_FAIL,
    }
}
