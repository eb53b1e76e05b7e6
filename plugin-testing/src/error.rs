//! Why a test gets no compiled object.

use std::fmt;

use compiler_runtime::desc::Invalid;
use ddi_sys::HRESULT;
use plugin_host::{CallError, CallFailure, OpenError};

/// The reason why a plugin was not opened, or an object not compiled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The plugin did not open.
    #[error("{error}{}", Log(log))]
    Open {
        /// The step, and its reason.
        error: OpenError,
        /// What the SDK logged; see [`Error::Call`].
        log: String,
    },
    /// The plugin does not have the family.
    #[error("there is no adapter family {family}: the plugin has {count}, counted from 0")]
    NoFamily {
        /// The family that the test wants.
        family: u32,
        /// How many there are.
        count: usize,
    },
    /// A call to the plugin failed.
    #[error("{error}{}", Log(log))]
    Call {
        /// The call, and its reason.
        error: CallError,
        /// What the SDK logged on this thread: the message of the plugin's own [`plugin_sdk::Error`], or of a panic. Empty if
        /// the test has a `tracing` subscriber, which then gets it.
        log: String,
    },
    /// The code is not DXIL, or not of the right kind; it did not reach the plugin.
    #[error("{0}")]
    Shader(String),
    /// A runtime would refuse the description; it did not reach the plugin.
    #[error("the runtime refuses the description: {0}")]
    Description(#[from] Invalid),
}

impl Error {
    /// What the plugin returned; `None` if it did not return a failure.
    pub fn hresult(&self) -> Option<HRESULT> {
        match self {
            Self::Open {
                error: OpenError::Call(error),
                ..
            }
            | Self::Call { error, .. } => match error.failure {
                CallFailure::Result(hresult) => Some(hresult),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The log behind a message, if there is one.
struct Log<'a>(&'a str);

impl fmt::Display for Log<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.lines().try_for_each(|line| write!(f, "\n  {line}"))
    }
}
