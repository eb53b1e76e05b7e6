//! Why a caller's structures are no description.

use std::fmt;

use api_sys::caller::Refused;

/// Why a caller's structures are no description.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Invalid {
    /// What kind of fault it is.
    pub reason: Reason,
    /// What is wrong, and where.
    pub text: String,
}

/// What is wrong with a caller's structures: what Direct3D 12 has numbers of messages for, and the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// A pipeline state stream has no bytes.
    EmptyStream,
    /// A pipeline state stream is null, not aligned, absurdly large or cut off.
    Stream,
    /// A record is of an unknown type.
    UnknownRecord,
    /// A record says again what one before says.
    RepeatedRecord,
    /// The array of an input layout.
    InputElements,
    /// The name of an input element.
    InputSemantic,
    /// The entries of a stream output.
    StreamOutputEntries,
    /// The strides of a stream output.
    StreamOutputStrides,
    /// The views of a pipeline.
    ViewInstances,
    /// Anything else.
    Other,
}

impl Invalid {
    pub(crate) fn new(reason: Reason, text: impl Into<String>) -> Self {
        Self {
            reason,
            text: text.into(),
        }
    }

    /// Says where it is.
    #[must_use]
    pub(crate) fn at(self, place: impl fmt::Display) -> Self {
        Self {
            text: format!("{place}: {}", self.text),
            ..self
        }
    }

    /// For this reason where none is known yet.
    #[must_use]
    pub(crate) fn or(self, reason: Reason) -> Self {
        let reason = match self.reason {
            Reason::Other => reason,
            known => known,
        };
        Self { reason, ..self }
    }
}

impl From<Refused> for Invalid {
    fn from(refused: Refused) -> Self {
        Self::new(Reason::Other, refused.0)
    }
}
