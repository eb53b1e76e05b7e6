//! What went wrong, for the thread that made the call.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use conformance_runner::RunError;

use crate::api::ddi_conformance_status::{self, FileError, InvalidArgument, NotTested, ToolError};
use crate::text::c_string;

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Why a call fails.
pub(crate) struct Error {
    status: ddi_conformance_status,
    what: String,
}

impl Error {
    pub(crate) fn new(status: ddi_conformance_status, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { status, what }
    }

    pub(crate) fn invalid(what: impl Into<String>) -> Self {
        Self::new(InvalidArgument, what)
    }
}

impl From<RunError> for Error {
    fn from(error: RunError) -> Self {
        let status = match error {
            RunError::File { .. }
            | RunError::CheckingPlugin { .. }
            | RunError::Corpus { .. }
            | RunError::Journal(_) => FileError,
            RunError::NotPlanned(_) => NotTested,
            _ => ToolError,
        };
        Self::new(status, error.to_string())
    }
}

/// Runs an export: no unwind leaves it.
pub(crate) fn call(body: impl FnOnce() -> Result<(), Error>) -> ddi_conformance_status {
    let error = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return ddi_conformance_status::Ok,
        Ok(Err(error)) => error,
        Err(_) => Error::new(ToolError, "the library panicked; it has printed where"),
    };
    // A thread that ends has nobody who could ask.
    let _ = LAST_ERROR.try_with(|last| *last.borrow_mut() = c_string(&error.what));
    error.status
}

/// The text of the thread's last failure.
pub(crate) fn last_error() -> *const c_char {
    let last = LAST_ERROR.try_with(|last| last.borrow().as_ptr());
    last.unwrap_or(c"".as_ptr())
}
