//! What a vendor's code returns when it fails.

use std::borrow::Cow;
use std::collections::TryReserveError;
use std::fmt;

use ddi_sys::{
    DXGI_ERROR_ALREADY_EXISTS, DXGI_ERROR_NOT_FOUND, DXGI_ERROR_UNSUPPORTED, E_FAIL, E_INVALIDARG,
    E_OUTOFMEMORY, HRESULT,
};

/// A failure: the HRESULT that the host gets, and a message for the log.
#[derive(Clone, Debug)]
pub struct Error {
    hresult: HRESULT,
    message: Cow<'static, str>,
    /// Whether it tells the host something that it asks for, and nothing went wrong.
    is_answer: bool,
}

/// The result of vendor code.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A failure with this HRESULT; one that means success becomes E_FAIL.
    pub fn new(hresult: HRESULT, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            hresult: if hresult.is_ok() { E_FAIL } else { hresult },
            message: message.into(),
            is_answer: false,
        }
    }

    /// E_INVALIDARG: the host's input is wrong.
    pub fn invalid_argument(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(E_INVALIDARG, message)
    }

    /// DXGI_ERROR_UNSUPPORTED: the input is right, but the target cannot do it.
    pub fn unsupported(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(DXGI_ERROR_UNSUPPORTED, message)
    }

    /// E_FAIL: the plugin's own failure.
    pub fn failed(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(E_FAIL, message)
    }

    /// E_OUTOFMEMORY.
    pub fn out_of_memory() -> Self {
        Self::new(E_OUTOFMEMORY, "out of memory")
    }

    /// What the host gets.
    pub fn hresult(&self) -> HRESULT {
        self.hresult
    }

    /// Whether the host said DXGI_ERROR_ALREADY_EXISTS.
    pub fn is_already_exists(&self) -> bool {
        self.hresult == DXGI_ERROR_ALREADY_EXISTS
    }

    /// As an answer to a question of the host's: where a list ends, or how long it is.
    pub(crate) fn into_answer(self) -> Self {
        Self {
            is_answer: true,
            ..self
        }
    }

    pub(crate) fn is_answer(&self) -> bool {
        self.is_answer
    }

    pub(crate) fn not_found(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(DXGI_ERROR_NOT_FOUND, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.message, self.hresult)
    }
}

impl std::error::Error for Error {}

impl From<dxil::Error> for Error {
    fn from(error: dxil::Error) -> Self {
        Self::invalid_argument(error.to_string())
    }
}

impl From<TryReserveError> for Error {
    fn from(_: TryReserveError) -> Self {
        Self::out_of_memory()
    }
}
