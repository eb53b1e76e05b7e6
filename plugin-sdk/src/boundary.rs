//! The one way through which every slot of every table runs: no unwind leaves it, and what comes
//! back is always a value that the DDI allows.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use ddi_sys::{BOOL, DXGI_ERROR_DRIVER_INTERNAL_ERROR, FALSE, HRESULT, S_OK, SIZE_T, TRUE};

use crate::error::{Error, Result};

/// What a slot returns, and what it returns for a failure.
pub(crate) trait Outcome {
    type Raw;
    fn raw(result: Result<Self>) -> Self::Raw
    where
        Self: Sized;
}

impl Outcome for () {
    type Raw = HRESULT;
    fn raw(result: Result<()>) -> HRESULT {
        result.map_or_else(|error| error.hresult(), |()| S_OK)
    }
}

/// A size in bytes; 0 when there is nothing that could be created.
impl Outcome for SIZE_T {
    type Raw = SIZE_T;
    fn raw(result: Result<SIZE_T>) -> SIZE_T {
        result.unwrap_or(0)
    }
}

impl Outcome for bool {
    type Raw = BOOL;
    fn raw(result: Result<bool>) -> BOOL {
        if result.unwrap_or(false) { TRUE } else { FALSE }
    }
}

/// A slot that returns nothing.
pub(crate) struct Nothing;

impl Outcome for Nothing {
    type Raw = ();
    fn raw(_: Result<Self>) {}
}

/// Runs the body of the slot `name`: a failure is logged, as an error unless it is the answer to a
/// question of the host's; a panic becomes a failure.
pub(crate) fn slot<T: Outcome>(name: &'static str, body: impl FnOnce() -> Result<T>) -> T::Raw {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        let message = format!("panic in the plugin: {}", panic_message(&*payload));
        discard(payload);
        Err(Error::new(DXGI_ERROR_DRIVER_INTERNAL_ERROR, message))
    });
    if let Err(error) = &result {
        // A subscriber is foreign code too.
        let logged = catch_unwind(AssertUnwindSafe(|| {
            if error.is_answer() {
                tracing::debug!(slot = name, hresult = %error.hresult(), "{error}");
            } else {
                tracing::error!(slot = name, hresult = %error.hresult(), "{error}");
            }
        }));
        if let Err(payload) = logged {
            discard(payload);
        }
    }
    T::raw(result)
}

/// The text of a panic that was caught: what a plugin says of one on a thread of its own.
pub fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("payload is not text")
}

/// Drops a panic's payload, whose own drop may panic, and so on without end: the second is leaked.
fn discard(payload: Box<dyn Any + Send>) {
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
}

/// Set by a panic in vendor code: what the object holds may be half changed, so it refuses to go on.
#[derive(Default)]
pub(crate) struct Poison(AtomicBool);

impl Poison {
    /// Runs vendor code on the object that this guards.
    ///
    /// # Errors
    ///
    /// DXGI_ERROR_DRIVER_INTERNAL_ERROR after an earlier panic, else what `body` returns.
    pub(crate) fn guard<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        struct Bomb<'a>(&'a AtomicBool);
        impl Drop for Bomb<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Release);
            }
        }
        if self.0.load(Ordering::Acquire) {
            return Err(Error::new(
                DXGI_ERROR_DRIVER_INTERNAL_ERROR,
                "an earlier call panicked; destroy this object and create another",
            ));
        }
        let bomb = Bomb(&self.0);
        let result = body();
        std::mem::forget(bomb);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ddi_sys::E_INVALIDARG;

    struct PanicsWhenDropped;
    impl Drop for PanicsWhenDropped {
        fn drop(&mut self) {
            std::panic::panic_any(PanicsWhenDropped);
        }
    }

    #[test]
    fn failures_become_each_slots_own_value() {
        let fail = || Err(Error::invalid_argument("x"));
        assert_eq!(slot::<()>("s", fail), E_INVALIDARG);
        assert_eq!(slot::<usize>("s", || Err(Error::failed("x"))), 0);
        assert_eq!(slot::<bool>("s", || Err(Error::failed("x"))), FALSE);
        assert_eq!(slot::<bool>("s", || Ok(true)), TRUE);
        assert_eq!(slot::<()>("s", || Ok(())), S_OK);
    }

    #[test]
    fn a_panic_becomes_a_failure_even_when_its_payload_panics() {
        let hresult = slot::<()>("s", || std::panic::panic_any(PanicsWhenDropped));
        assert_eq!(hresult, DXGI_ERROR_DRIVER_INTERNAL_ERROR);
    }

    #[test]
    fn a_panic_poisons_and_a_failure_does_not() {
        let poison = Poison::default();
        let failed = poison.guard::<()>(|| Err(Error::failed("x")));
        assert!(failed.is_err() && poison.guard(|| Ok(1)).is_ok());
        assert_eq!(
            slot::<()>("s", || poison.guard(|| panic!("boom"))),
            DXGI_ERROR_DRIVER_INTERNAL_ERROR
        );
        assert_eq!(
            poison.guard(|| Ok(())).unwrap_err().hresult(),
            DXGI_ERROR_DRIVER_INTERNAL_ERROR
        );
    }
}
