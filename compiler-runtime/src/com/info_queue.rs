//! The info queue that a caller gives a database for its messages.

use std::ffi::CString;

use api_sys::ID3D12InfoQueue;
use windows_core::{HRESULT, PCSTR};

use super::{Failure, Outcome, call};
use crate::Error;
use crate::message::{MessageId, Severity};

/// `D3D12_MESSAGE_CATEGORY_STATE_OBJECT_DATABASE` of the preview 1.721.1 of d3d12sdklayers.h.
const CATEGORY: i32 = 11;
/// `D3D12_MESSAGE_ID_SODB_STATE_OBJECT_LOOKUP_FAILED` of the same header.
const STATE_OBJECT_LOOKUP_FAILED: MessageId = MessageId(1476);

/// A caller's queue.
#[derive(Clone)]
pub(super) struct InfoQueue(ID3D12InfoQueue);

// SAFETY: `ID3D12InfoQueue` is free-threaded: any thread may use and release it.
unsafe impl Send for InfoQueue {}
// SAFETY: `ID3D12InfoQueue` is free-threaded: several threads may be in its methods at the same time.
unsafe impl Sync for InfoQueue {}

impl InfoQueue {
    pub(super) fn new(queue: &ID3D12InfoQueue) -> Self {
        Self(queue.clone())
    }

    fn report(&self, name: &str, error: &Error) {
        let id = match error {
            Error::Callback {
                callback: "pfnLookupStateObject",
                ..
            }
            | Error::Database(shader_db::Error::UnknownKey { .. }) => STATE_OBJECT_LOOKUP_FAILED,
            _ => MessageId::UNKNOWN,
        };
        let text = format!("{name}: {error}").replace('\0', "");
        let text = CString::new(text).unwrap_or_default();
        // SAFETY: the reference keeps the queue alive, and `AddMessage` copies `text`, which ends with NUL. The caller may choose a
        // queue that refuses the message.
        let _ = unsafe {
            self.0.AddMessage(
                CATEGORY,
                Severity::Error as i32,
                id.0,
                PCSTR(text.as_ptr().cast()),
            )
        };
    }
}

/// As [`call`], and reports failures to the queue.
pub(super) fn call_with(
    queue: Option<&InfoQueue>,
    name: &'static str,
    body: impl FnOnce() -> Outcome,
) -> HRESULT {
    call(name, || {
        let done = body();
        if let (Some(queue), Err(Failure::Error(error))) = (queue, &done) {
            queue.report(name, error);
        }
        done
    })
}
