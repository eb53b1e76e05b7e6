//! The COM objects. They wrap [`Factory`](crate::Factory), [`CacheSession`](crate::CacheSession),
//! [`Compiler`](crate::Compiler), [`StateObject`](crate::StateObject) and [`Sodb`](shader_db::sodb::Sodb).
//!
//! Every call checks pointers as far as it can, sets results that are interfaces to null on failure, turns a panic into
//! E_FAIL, and calls a caller's callback without a lock.
//!
//! Where the specification is silent, a call returns E_POINTER for a null `riid` or a null place for an interface, as
//! QueryInterface does. It returns E_NOINTERFACE for an interface that the object does not have, before it creates, compiles or
//! stores anything, and E_INVALIDARG for every other null that the specification does not allow.
#![allow(non_snake_case, reason = "methods and parameters have their C names")]
#![allow(
    clippy::inline_always,
    clippy::ref_as_ptr,
    reason = "`implement` writes it"
)]

mod arguments;
mod blob;
mod cache_session;
mod compiler;
mod created_objects;
mod factory;
mod info_queue;
mod looked_up;
mod state_object_database;
mod state_object_database_preview;

use std::any::Any;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{mem, ptr};

use api_sys::{E_FAIL, E_NOINTERFACE, E_POINTER};
use windows_core::{
    ComObject, ComObjectInner, GUID, HRESULT, IUnknown, IUnknownImpl, Interface, interface,
};

use crate::Error;
use crate::message::{Messages, Severity};

pub(crate) use arguments::path;
pub(crate) use blob::Blob;
pub(crate) use factory::ComFactory;
pub(crate) use state_object_database::ComStateObjectDatabaseFactory;

/// The reason why a call does not succeed.
pub(crate) enum Failure {
    /// A result that needs no message in the log.
    Result(HRESULT),
    Error(Error),
}

impl From<HRESULT> for Failure {
    fn from(result: HRESULT) -> Self {
        Self::Result(result)
    }
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

/// The result of a call.
pub(crate) type Outcome = Result<HRESULT, Failure>;

/// Runs the body of a call. Catches a panic, and logs a failure.
pub(crate) fn call(name: &'static str, body: impl FnOnce() -> Outcome) -> HRESULT {
    let body = || match body() {
        Ok(result) | Err(Failure::Result(result)) => result,
        Err(Failure::Error(error)) => {
            let result = error.result();
            tracing::error!(call = name, %result, %error);
            HRESULT(result.0)
        }
    };
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        // The payload's Drop may panic too, and here nothing would catch that.
        mem::forget(payload);
        E_FAIL
    })
}

/// Logs the messages, except the error that the call ends with, which [`call`] logs.
fn log<T>(name: &'static str, messages: &Messages, result: &Result<T, Error>) {
    let error = match result {
        Err(Error::Description(invalid)) => Some(&invalid.text),
        _ => None,
    };
    for message in messages
        .as_slice()
        .iter()
        .filter(|message| Some(&message.text) != error)
    {
        match message.severity {
            Severity::Corruption | Severity::Error => tracing::error!(call = name, %message),
            Severity::Warning => tracing::warn!(call = name, %message),
            Severity::Info | Severity::Message => tracing::info!(call = name, %message),
        }
    }
}

/// Writes the object that `make` returns to `place` as `riid`, which must be one of `iids`. Until then, `place` is null.
///
/// # Safety
///
/// `riid` is null or to a GUID, `place` null or to a pointer.
pub(crate) unsafe fn give<T: Into<IUnknown>>(
    riid: *const GUID,
    place: *mut *mut c_void,
    iids: &[GUID],
    make: impl FnOnce() -> Result<T, Failure>,
) -> Outcome {
    if place.is_null() {
        return Err(E_POINTER.into());
    }
    // SAFETY: `place` is not null, and so to a pointer (`# Safety`).
    unsafe { place.write_unaligned(ptr::null_mut()) };
    // SAFETY: `riid` is null or to a GUID (`# Safety`).
    let iid = unsafe { check_interface(riid, iids) }?;
    let object: IUnknown = make()?.into();
    let mut interface = ptr::null_mut();
    // SAFETY: QueryInterface takes a GUID, `iid`, and a place for a pointer, `interface`; `place` is to a pointer (`# Safety`).
    unsafe {
        let result = object.query(&raw const iid, &raw mut interface);
        place.write_unaligned(interface);
        Ok(result)
    }
}

/// # Safety
///
/// `riid` is null or to a GUID.
pub(crate) unsafe fn check_interface(riid: *const GUID, iids: &[GUID]) -> Result<GUID, HRESULT> {
    if riid.is_null() {
        return Err(E_POINTER);
    }
    // SAFETY: `riid` is not null, and so to a GUID (`# Safety`).
    let iid = unsafe { riid.read_unaligned() };
    if iids.contains(&iid) {
        Ok(iid)
    } else {
        Err(E_NOINTERFACE)
    }
}

/// Tells this library's objects from those of another copy of the library. Rust types cannot: those of another build have the
/// same names, and may have another layout.
#[interface("ca0ec602-6192-4641-9706-ce76c1afdaac")]
unsafe trait IOfLibrary: IUnknown {
    /// An address in the copy of the library that made the object.
    unsafe fn Library(&self) -> usize;
}

/// The address of this copy.
fn library() -> usize {
    static LIBRARY: u8 = 0;
    (&raw const LIBRARY).addr()
}

/// The object behind an interface; `None` if it is not a `T` that this copy of the library made.
fn own<T>(interface: &impl Interface) -> Option<ComObject<T>>
where
    T: ComObjectInner,
    T::Outer: Any + IUnknownImpl<Impl = T>,
{
    let of: IOfLibrary = interface.cast().ok()?;
    // SAFETY: no build has ever changed what is behind the IID.
    if unsafe { of.Library() } != library() {
        return None;
    }
    interface.cast_object().ok()
}

/// The content of a COM object. The last `Release` drops it, and a panic must not leave that call either.
pub(crate) struct Owned<T>(ManuallyDrop<T>);

impl<T> Owned<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(ManuallyDrop::new(value))
    }
}

impl<T> Deref for Owned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: `self.0` is dropped once: nothing uses it after this `Drop`.
        let drop = || unsafe { ManuallyDrop::drop(&mut self.0) };
        if let Err(payload) = catch_unwind(AssertUnwindSafe(drop)) {
            mem::forget(payload);
        }
    }
}

const _: () = {
    const fn free_threaded<T: Send + Sync>() {}
    free_threaded::<ComFactory>();
    free_threaded::<cache_session::ComCacheSession>();
    free_threaded::<compiler::ComCompiler>();
    free_threaded::<compiler::ComStateObject>();
    free_threaded::<ComStateObjectDatabaseFactory>();
    free_threaded::<state_object_database::ComStateObjectDatabase>();
    free_threaded::<Blob>();
};

#[cfg(test)]
mod tests {
    use api_sys::{E_NOTIMPL, ID3D12CompilerStateObject, ID3D12CompilerStateObject_Impl};
    use windows_core::implement;

    use super::*;

    /// An object that names its library.
    #[implement(ID3D12CompilerStateObject, IOfLibrary)]
    struct Made(usize);

    impl ID3D12CompilerStateObject_Impl for Made_Impl {
        unsafe fn GetCompiler(&self, _: *const GUID, _: *mut *mut c_void) -> HRESULT {
            E_NOTIMPL
        }
    }

    impl IOfLibrary_Impl for Made_Impl {
        unsafe fn Library(&self) -> usize {
            self.0
        }
    }

    /// An object that does not.
    #[implement(ID3D12CompilerStateObject)]
    struct Foreign;

    impl ID3D12CompilerStateObject_Impl for Foreign_Impl {
        unsafe fn GetCompiler(&self, _: *const GUID, _: *mut *mut c_void) -> HRESULT {
            E_NOTIMPL
        }
    }

    #[test]
    fn objects_of_another_library_are_not_own_whatever_their_types() {
        let made = |library| ID3D12CompilerStateObject::from(Made(library));
        assert!(own::<Made>(&made(library())).is_some());
        assert!(own::<Made>(&made(library() + 1)).is_none());
        assert!(own::<Foreign>(&made(library())).is_none());
        assert!(own::<Foreign>(&ID3D12CompilerStateObject::from(Foreign)).is_none());
    }
}
