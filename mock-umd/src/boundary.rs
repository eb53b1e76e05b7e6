//! The one way through which every slot of every table runs: arguments are checked, no unwind leaves
//! it, and a failure has a defined answer.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::sleep;

use bytemuck::Zeroable;
use ddi_sys::{
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS,
    D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_UNKNOWN, D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS, D3D12DDI_DRIVER_MATCHING_IDENTIFIER_UNRECOGNIZED,
    D3D12DDI_GPU_DESCRIPTOR_HANDLE, D3D12DDI_HDEVICE, D3D12DDI_HEAP_AND_RESOURCE_SIZES,
    D3D12DDI_PROGRAM_IDENTIFIER_0108, E_FAIL, E_INVALIDARG, HRESULT, S_OK,
};
use plugin_sdk::panic_message;

use crate::device::Device;
use crate::handles::{self, HandleError, Numbers, Object};
use crate::switches;
use crate::switches::InvalidSwitch;
use crate::trace::{self, Subject};

/// Why a call fails: its result, and what is wrong for the trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}: {result}")]
pub(crate) struct Error {
    pub(crate) result: HRESULT,
    pub(crate) message: String,
}

/// What a checked call gives.
pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(result: HRESULT, message: impl Into<String>) -> Self {
        Self {
            result,
            message: message.into(),
        }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(E_INVALIDARG, message)
    }
}

impl From<HandleError> for Error {
    fn from(error: HandleError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<InvalidSwitch> for Error {
    fn from(error: InvalidSwitch) -> Self {
        Self::invalid(error.to_string())
    }
}

/// What a slot returns.
pub(crate) trait Answer {
    /// The value for a failed call.
    fn failed(result: HRESULT) -> Self;
    /// The result that the value is, if it is one; a call whose answer has none reports its failure by a callback.
    fn result(&self) -> Option<HRESULT> {
        None
    }
}

impl Answer for HRESULT {
    fn failed(result: HRESULT) -> Self {
        result
    }
    fn result(&self) -> Option<HRESULT> {
        Some(*self)
    }
}

impl Answer for D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS {
    fn failed(_: HRESULT) -> Self {
        D3D12DDI_DRIVER_MATCHING_IDENTIFIER_UNRECOGNIZED
    }
}

impl Answer for D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS {
    fn failed(_: HRESULT) -> Self {
        D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_UNKNOWN
    }
}

impl Answer for *mut c_void {
    fn failed(_: HRESULT) -> Self {
        std::ptr::null_mut()
    }
}

macro_rules! zero_when_failed {
    ($($answer:ty),* $(,)?) => {$(
        impl Answer for $answer {
            fn failed(_: HRESULT) -> Self {
                Zeroable::zeroed()
            }
        }
    )*};
}

zero_when_failed!(
    (),
    u32,
    u64,
    D3D12DDI_PROGRAM_IDENTIFIER_0108,
    usize,
    D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    D3D12DDI_GPU_DESCRIPTOR_HANDLE,
    D3D12DDI_HEAP_AND_RESOURCE_SIZES,
);

/// Runs a slot's body. A failure whose answer cannot tell it is reported by `report`.
pub(crate) fn call<R: Answer>(
    slot: &'static str,
    subject: Subject,
    report: impl FnOnce(HRESULT),
    body: impl FnOnce() -> Result<R>,
) -> R {
    let result = run(slot, body);
    let error = result.as_ref().err();
    let hresult = match &result {
        Ok(answer) => answer.result().unwrap_or(S_OK),
        Err(error) => error.result,
    };
    trace::call(slot, subject, hresult, error.map(|error| &*error.message));
    result.unwrap_or_else(|error| {
        let answer = R::failed(error.result);
        if answer.result().is_none() {
            report(error.result);
        }
        answer
    })
}

/// Runs a body: an injected failure and a panic are failures.
#[inline]
pub(crate) fn run<R>(slot: &'static str, body: impl FnOnce() -> Result<R>) -> Result<R> {
    if let Some(result) = switches::failure_of(slot) {
        return Err(Error::new(result, "as MOCK_UMD_FAIL says"));
    }
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        let message = format!("panic in the driver: {}", panic_message(&*payload));
        // The drop of a payload may panic, and so on: it is leaked.
        std::mem::forget(payload);
        Err(Error::new(E_FAIL, message))
    })
}

/// Runs a slot of the device table.
pub(crate) fn on_device<R: Answer>(
    slot: &'static str,
    device: D3D12DDI_HDEVICE,
    body: impl FnOnce(&Arc<Device>) -> Result<R>,
) -> R {
    let device = handles::get::<Device>(device.pDrvPrivate);
    let known = device.as_ref().ok().cloned();
    call(
        slot,
        known
            .as_ref()
            .map_or(Subject::None, |device| Subject::Device(device.id())),
        |result| {
            if let Some(device) = known.as_ref() {
                device.report(result);
            }
        },
        || body(&device?),
    )
}

/// A required structure of the host's.
///
/// # Safety
///
/// Unless it is null or misaligned, `pointer` points to a `T` until the call returns.
pub(crate) unsafe fn input<'a, T>(pointer: *const T, name: &str) -> Result<&'a T> {
    // SAFETY: unless it is null or misaligned, `pointer` points to a `T` until the call returns (`# Safety`).
    unsafe { optional(pointer, name) }?.ok_or_else(|| Error::invalid(format!("{name} is null")))
}

/// A structure of the host's that may be missing.
///
/// # Safety
///
/// As [`input`].
pub(crate) unsafe fn optional<'a, T>(pointer: *const T, name: &str) -> Result<Option<&'a T>> {
    if pointer.is_null() {
        return Ok(None);
    }
    if !pointer.is_aligned() {
        return Err(Error::invalid(format!("{name} is not aligned")));
    }
    // SAFETY: `pointer` is not null and aligned, and so points to a `T` until the call returns (`# Safety`).
    Ok(Some(unsafe { &*pointer }))
}

/// Where the host wants an answer.
///
/// # Safety
///
/// Unless it is null or misaligned, `pointer` points to memory for a `T` that only this call writes.
pub(crate) unsafe fn output<'a, T: Zeroable>(pointer: *mut T, name: &str) -> Result<&'a mut T> {
    if pointer.is_null() || !pointer.is_aligned() {
        return Err(Error::invalid(format!("{name} is null or not aligned")));
    }
    // SAFETY: `pointer` is not null and aligned, and so points to memory that only this call writes (`# Safety`); zero is a valid `T`.
    unsafe {
        pointer.write(T::zeroed());
        Ok(&mut *pointer)
    }
}

/// An array of the host's. Null is an empty one if there are no elements.
///
/// # Safety
///
/// Unless it is null or misaligned, `pointer` points to `count` elements until the call returns.
pub(crate) unsafe fn array<'a, T>(
    pointer: *const T,
    count: impl TryInto<usize>,
    name: &str,
) -> Result<&'a [T]> {
    let count = count.try_into().unwrap_or(usize::MAX);
    if count == 0 {
        return Ok(&[]);
    }
    // SAFETY: unless it is null or misaligned, `pointer` points to `count` elements until the call returns (`# Safety`).
    unsafe { optional_array(pointer, count, name) }?
        .ok_or_else(|| Error::invalid(format!("{name} is null and has {count} elements")))
}

/// An array of the host's that may be missing.
///
/// # Safety
///
/// As [`array`].
pub(crate) unsafe fn optional_array<'a, T>(
    pointer: *const T,
    count: impl TryInto<usize>,
    name: &str,
) -> Result<Option<&'a [T]>> {
    let count = count.try_into().unwrap_or(usize::MAX);
    if pointer.is_null() {
        return Ok(None);
    }
    if !pointer.is_aligned() {
        return Err(Error::invalid(format!("{name} is not aligned")));
    }
    let bytes = count.checked_mul(size_of::<T>());
    if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        let message = format!("{name}: {count} elements are more than memory can have");
        return Err(Error::invalid(message));
    }
    // SAFETY: `pointer` is not null and aligned, and so points to `count` elements until the call returns (`# Safety`), no more than memory
    // can have.
    Ok(Some(unsafe { std::slice::from_raw_parts(pointer, count) }))
}

/// Private memory for a new object.
#[derive(Clone, Copy)]
pub(crate) struct Private(*mut c_void);

impl Private {
    /// # Safety
    ///
    /// Unless it is null or misaligned, `address` is of the size that the driver answered for the object.
    pub(crate) unsafe fn new(address: *mut c_void) -> Self {
        Self(address)
    }

    /// Registers a new device.
    pub(crate) fn create_device(
        self,
        device: impl FnOnce(Numbers) -> Device,
    ) -> Result<Arc<Device>> {
        let device = Arc::new(device(Numbers::new()));
        // SAFETY: by `new`; no private size is below PRIVATE_SIZE.
        unsafe { handles::insert(self.0, None, Arc::clone(&device)) }?;
        Ok(device)
    }

    /// Registers the new object of a device.
    pub(crate) fn create<T: Object>(
        self,
        device: &Device,
        object: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        device.check_removed()?;
        sleep(switches::settings()?.slow);
        let object = Arc::new(object()?);
        // SAFETY: by `new`; no private size is below PRIVATE_SIZE.
        unsafe { handles::insert(self.0, Some(&device.numbers), Arc::clone(&object)) }?;
        Ok(object)
    }
}

/// The type that a parameter has in the table.
macro_rules! raw {
    (value $t:ty) => { $t };
    (private $t:ty) => { $t };
    (input $t:ty) => { *const $t };
    (input_mut $t:ty) => { *mut $t };
    (optional $t:ty) => { *const $t };
    (array $t:ty) => { *const $t };
    (array_mut $t:ty) => { *mut $t };
    (optional_array $t:ty) => { *const $t };
    (output $t:ty) => { *mut $t };
    (pointer $t:ty) => { *mut $t };
}

/// Checks a parameter, and puts the checked value in its place. `?` leaves the body.
macro_rules! checked {
    (value $name:ident) => {};
    (pointer $name:ident) => {};
    (private $name:ident) => {
        // SAFETY: the host allocates as much for an object as the driver asks for.
        let $name = unsafe { $crate::boundary::Private::new($name.pDrvPrivate) };
    };
    (input $name:ident) => {
        // SAFETY: the DDI: the argument points to its structure during the call.
        let $name = unsafe { $crate::boundary::input($name, stringify!($name)) }?;
    };
    (input_mut $name:ident) => {
        // SAFETY: the DDI: the argument points to its structure, which lives during the call.
        let $name = unsafe { $crate::boundary::input($name.cast_const(), stringify!($name)) }?;
    };
    (optional $name:ident) => {
        // SAFETY: the DDI: the argument points to its structure, which lives during the call.
        let $name = unsafe { $crate::boundary::optional($name, stringify!($name)) }?;
    };
    (array $name:ident $count:ident) => {
        // SAFETY: the DDI: the argument points to as many elements as the other one says.
        let $name = unsafe { $crate::boundary::array($name, $count, stringify!($name)) }?;
    };
    (array_mut $name:ident $count:ident) => {
        let $name =
            // SAFETY: the DDI: the argument points to as many elements as the other one says.
            unsafe { $crate::boundary::array($name.cast_const(), $count, stringify!($name)) }?;
    };
    (optional_array $name:ident $count:ident) => {
        // SAFETY: the DDI: the argument points to as many elements as the other one says.
        let $name = unsafe { $crate::boundary::optional_array($name, $count, stringify!($name)) }?;
    };
    (output $name:ident) => {
        // SAFETY: the DDI: the argument points to memory for the answer.
        let $name = unsafe { $crate::boundary::output($name, stringify!($name)) }?;
    };
}

/// Functions of the device table: what the C type of each parameter is, and a body that gets the
/// checked ones.
macro_rules! device_slots {
    ($($name:ident = $slot:literal(
        $device:ident $(, $kind:ident $arg:ident: $ty:ty $([$count:ident])?)* $(,)?
    ) $(-> $ret:ty)? $body:block)*) => {$(
        pub(crate) unsafe extern "system" fn $name(
            device: ddi_sys::D3D12DDI_HDEVICE $(, $arg: raw!($kind $ty))*
        ) $(-> $ret)? {
            $crate::boundary::on_device($slot, device, |$device| {
                $(checked!($kind $arg $($count)?);)*
                Ok($body)
            })
        }
    )*};
}

/// An object that holds nothing but what it was made of: those that have no behaviour of their own.
macro_rules! plain_objects {
    ($($name:ident = $kind:literal;)*) => {$(
        pub(crate) struct $name;
        impl $crate::handles::Object for $name {
            const KIND: &'static str = $kind;
        }
    )*};
}

pub(crate) use {checked, device_slots, plain_objects, raw};
