//! Translation: the API's descriptions become the DDI's.
//!
//! The input is a description of `api_desc`. [`shader`], [`root_signature`] and [`fixed_function`] each translate one part of
//! it into an [`Arena`](arena::Arena), and [`validate`] checks a pipeline's parts. [`pipeline_state`] and [`state_object`] put
//! the parts together. Nothing here stores anything, or calls the plugin except for the capabilities of its
//! [target](target::Capabilities).

pub use plugin_host::arena;
pub mod fixed_function;
mod known;
pub mod pipeline_state;
mod registers;
pub mod root_signature;
pub mod shader;
pub mod state_object;
pub mod target;
pub mod validate;

use std::fmt;

use api_desc::Reason;
use api_desc::caller::Refused;
use ddi_sys::{E_INVALIDARG, HRESULT};

use crate::message::{Message, MessageId, Messages, Severity};

/// The reason to refuse a description.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Invalid {
    /// The result of the API call.
    pub result: HRESULT,
    /// The number of the message.
    pub id: MessageId,
    /// The fault, and its place.
    pub text: String,
}

/// Forgets which contents are known to be valid.
pub(crate) fn forget() {
    shader::VERIFIED.forget();
    root_signature::VALID.forget();
    registers::WITHOUT_ARRAYS.forget();
}

impl Invalid {
    /// E_INVALIDARG, as for nearly all faults.
    pub fn new(id: MessageId, text: impl Into<String>) -> Self {
        Self {
            result: E_INVALIDARG,
            id,
            text: text.into(),
        }
    }

    /// As [`new`](Self::new), without a number.
    pub fn other(text: impl Into<String>) -> Self {
        Self::new(MessageId::UNKNOWN, text)
    }

    /// Adds the place: `place: text`.
    #[must_use]
    pub fn at(self, place: impl fmt::Display) -> Self {
        Self {
            text: format!("{place}: {}", self.text),
            ..self
        }
    }

    /// Sets this number if there is none yet.
    #[must_use]
    pub fn or_id(self, id: MessageId) -> Self {
        let id = if self.id == MessageId::UNKNOWN {
            id
        } else {
            self.id
        };
        Self { id, ..self }
    }
}

impl From<Refused> for Invalid {
    fn from(refused: Refused) -> Self {
        Self::other(refused.0)
    }
}

impl From<api_desc::Invalid> for Invalid {
    fn from(invalid: api_desc::Invalid) -> Self {
        let id = match invalid.reason {
            Reason::EmptyStream => MessageId::CREATEPIPELINESTATE_ZERO_SIZE_STREAM,
            Reason::Stream => MessageId::CREATEPIPELINESTATE_INVALID_STREAM,
            Reason::UnknownRecord => MessageId::CREATEPIPELINESTATE_UNKNOWN_SUBOBJECT,
            Reason::RepeatedRecord => MessageId::CREATEPIPELINESTATE_DUPLICATE_SUBOBJECT,
            Reason::InputElements => MessageId::CREATEINPUTLAYOUT_TOOMANYELEMENTS,
            Reason::InputSemantic => MessageId::CREATEINPUTLAYOUT_NULLSEMANTIC,
            Reason::StreamOutputEntries => {
                MessageId::CREATEGEOMETRYSHADERWITHSTREAMOUTPUT_INVALIDNUMENTRIES
            }
            Reason::StreamOutputStrides => {
                MessageId::CREATEGEOMETRYSHADERWITHSTREAMOUTPUT_INVALIDNUMSTRIDES
            }
            Reason::ViewInstances => MessageId::VIEW_INSTANCING_INVALIDARGS,
            _ => MessageId::UNKNOWN,
        };
        Self::new(id, invalid.text)
    }
}

impl Messages {
    /// Adds the reason to refuse the description, and returns it.
    pub fn refuse(&mut self, invalid: Invalid) -> Invalid {
        self.error(invalid.id, invalid.text.clone());
        invalid
    }

    /// Checks that there is no error from message number `first` on.
    ///
    /// # Errors
    ///
    /// The first such error.
    pub fn check_from(&self, first: usize) -> Result<(), Invalid> {
        let is_error = |message: &&Message| message.severity <= Severity::Error;
        match self.as_slice()[first..].iter().find(is_error) {
            Some(message) => Err(Invalid::new(message.id, message.text.clone())),
            None => Ok(()),
        }
    }
}

/// The length of an array in the DDI's type. No array here is longer: its count was a 32-bit number.
pub(crate) fn length<T>(array: &[T]) -> u32 {
    u32::try_from(array.len()).unwrap_or(u32::MAX)
}
