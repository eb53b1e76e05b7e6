//! Why a caller's structures are not a valid description.

use std::fmt;

use crate::caller::Refused;

/// Why a caller's structures are not a valid description.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Invalid {
    /// The kind of fault.
    pub reason: Reason,
    /// What is wrong, and where.
    pub text: String,
}

/// The kinds of fault in a caller's structures: one for each that Direct3D 12 has a message number for, and one for the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// A pipeline state stream has no bytes.
    EmptyStream,
    /// A pipeline state stream is null, not aligned, absurdly large or cut off.
    Stream,
    /// A record is of an unknown type.
    UnknownRecord,
    /// A record repeats an earlier one.
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

    /// Adds the place of the fault.
    #[must_use]
    pub(crate) fn at(self, place: impl fmt::Display) -> Self {
        Self {
            text: format!("{place}: {}", self.text),
            ..self
        }
    }

    /// Sets the reason if it is still [`Reason::Other`].
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
