//! Translation: the API's descriptions become the DDI's.
//!
//! What goes in are the safe descriptions of `api_desc`. Of a pipeline state, the parts are translated one
//! at a time by [`shader`], [`root_signature`] and [`fixed_function`], into an [`Arena`](arena::Arena),
//! and judged by [`validate`]; [`pipeline_state`] and [`state_object`] put them together. No plugin is
//! called but for what its [target](target::Capabilities) can do; nothing is stored.

pub mod arena;
pub mod fixed_function;
mod known;
pub mod pipeline_state;
pub mod root_signature;
pub mod shader;
pub mod state_object;
pub mod target;
pub mod validate;

use std::fmt;

use api_desc::Reason;
use api_sys::caller::Refused;
use ddi_sys::{E_INVALIDARG, HRESULT};

use crate::message::{Message, MessageId, Messages, Severity};

/// Why a description is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Invalid {
    /// What the API call returns.
    pub result: HRESULT,
    /// The number of the message.
    pub id: MessageId,
    /// What is wrong, and where.
    pub text: String,
}

/// Forgets which contents were found right.
pub(crate) fn forget() {
    shader::VERIFIED.forget();
    root_signature::VALID.forget();
}

impl Invalid {
    /// E_INVALIDARG, as nearly all of them.
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

    /// Says where it is: `place: text`.
    #[must_use]
    pub fn at(self, place: impl fmt::Display) -> Self {
        Self {
            text: format!("{place}: {}", self.text),
            ..self
        }
    }

    /// With this number where it has none yet.
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
    /// Adds why the description is refused, and hands it back.
    pub fn refuse(&mut self, invalid: Invalid) -> Invalid {
        self.error(invalid.id, invalid.text.clone());
        invalid
    }

    /// The first error from message number `first` on.
    ///
    /// # Errors
    ///
    /// There is one.
    pub fn check_from(&self, first: usize) -> Result<(), Invalid> {
        let is_error = |message: &&Message| message.severity <= Severity::Error;
        match self.as_slice()[first..].iter().find(is_error) {
            Some(message) => Err(Invalid::new(message.id, message.text.clone())),
            None => Ok(()),
        }
    }
}

/// The length of an array as the DDI counts. No array here is longer: counts come in 32 bits.
pub(crate) fn length<T>(array: &[T]) -> u32 {
    u32::try_from(array.len()).unwrap_or(u32::MAX)
}
