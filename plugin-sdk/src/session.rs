//! The cache session of one compile call: finding and storing values (ShaderCompilerPlugin.md, "Cache
//! Session Callbacks").

use std::alloc::Layout;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;

use bitflags::bitflags;
use bytemuck::Zeroable as _;
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CACHE_CONST_VALUE,
    D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE, D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    D3D12DDI_COMPILER_CACHE_VALUE_KEY, D3D12DDI_COMPILER_CACHE_VALUE_TYPE,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_PERFORMANCE_DATA, D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    D3D12DDI_HRTCOMPILERCACHESESSION, DXGI_ERROR_MORE_DATA, DXGI_ERROR_NOT_FOUND, E_INVALIDARG,
    E_UNEXPECTED, HRESULT, PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB,
    PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB, PFND3D12DDI_COMPILER_CACHE_STORE_VALUE_CB,
};

use crate::error::{Error, Result};
use crate::key::Key;

/// Type of one value: D3D12DDI_COMPILER_CACHE_VALUE_TYPE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ValueType {
    /// The code that runs on the GPU. Two compilers that compile the same must give the same bytes:
    /// no compiler version, no application, no time.
    ObjectCode,
    /// What the compiler notes about the compile, such as its version.
    Metadata,
    /// Debug information.
    DebugPdb,
    /// Statistics of the compile or its output.
    PerformanceData,
}

impl ValueType {
    /// Every type, in the DDI's order.
    pub const ALL: [Self; 4] = [
        Self::ObjectCode,
        Self::Metadata,
        Self::DebugPdb,
        Self::PerformanceData,
    ];

    const fn raw(self) -> D3D12DDI_COMPILER_CACHE_VALUE_TYPE {
        match self {
            Self::ObjectCode => D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE,
            Self::Metadata => D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA,
            Self::DebugPdb => D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB,
            Self::PerformanceData => D3D12DDI_COMPILER_CACHE_VALUE_TYPE_PERFORMANCE_DATA,
        }
    }
}

bitflags! {
    /// A set of value types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS.
    ///
    /// ```
    /// use plugin_sdk::{ValueType, ValueTypes};
    ///
    /// let types = ValueTypes::OBJECT_CODE | ValueTypes::METADATA;
    /// assert!(types.contains(ValueTypes::METADATA));
    /// assert!(types.types().eq([ValueType::ObjectCode, ValueType::Metadata]));
    /// ```
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct ValueTypes: i32 {
        /// [`ValueType::ObjectCode`].
        const OBJECT_CODE = 1 << ValueType::ObjectCode as i32;
        /// [`ValueType::Metadata`].
        const METADATA = 1 << ValueType::Metadata as i32;
        /// [`ValueType::DebugPdb`].
        const DEBUG_PDB = 1 << ValueType::DebugPdb as i32;
        /// [`ValueType::PerformanceData`].
        const PERFORMANCE_DATA = 1 << ValueType::PerformanceData as i32;
    }
}

impl ValueTypes {
    /// The types of the set, in the DDI's order.
    pub fn types(self) -> impl Iterator<Item = ValueType> {
        ValueType::ALL
            .into_iter()
            .filter(move |&kind| self.contains(kind.into()))
    }
}

impl From<ValueType> for ValueTypes {
    fn from(kind: ValueType) -> Self {
        Self::from_bits_retain(1 << kind as i32)
    }
}

/// The values of one key, at most one of each type. Pairs of a type and its value can be collected into it.
///
/// ```
/// use plugin_sdk::{ValueType, ValueTypes, Values};
///
/// let values = Values::new()
///     .with(ValueType::ObjectCode, vec![1, 2, 3])
///     .with(ValueType::Metadata, &b"version 7"[..]);
/// assert!(values.get(ValueType::DebugPdb).is_none());
///
/// let missing = ValueTypes::OBJECT_CODE | ValueTypes::DEBUG_PDB;
/// let values: Values = missing.types().map(|kind| (kind, &b"code"[..])).collect();
/// assert_eq!(values.get(ValueType::DebugPdb), Some(&b"code"[..]));
/// ```
#[must_use]
#[derive(Clone, Debug, Default)]
pub struct Values<'v>([Option<Cow<'v, [u8]>>; 4]);

impl<'v> Values<'v> {
    /// No values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the value of a type, or replaces it.
    pub fn with(mut self, kind: ValueType, value: impl Into<Cow<'v, [u8]>>) -> Self {
        self.0[kind as usize] = Some(value.into());
        self
    }

    /// The value of a type.
    pub fn get(&self, kind: ValueType) -> Option<&[u8]> {
        self.0[kind as usize].as_deref()
    }
}

impl<'v, V: Into<Cow<'v, [u8]>>> FromIterator<(ValueType, V)> for Values<'v> {
    fn from_iter<I: IntoIterator<Item = (ValueType, V)>>(pairs: I) -> Self {
        let add = |values: Self, (kind, value)| values.with(kind, value);
        pairs.into_iter().fold(Self::new(), add)
    }
}

/// Proof that the values which a compile call asks for are in its session under one key: only
/// [`Session`] makes it, and only for its own call.
#[must_use = "name the value among the object's keys: Session::finish"]
pub struct Receipt<'call> {
    key: Key,
    /// Whether the session holds a value of any type under the key.
    stored: bool,
    call: Call<'call>,
}

impl Receipt<'_> {
    /// The value's key.
    pub fn key(&self) -> &Key {
        &self.key
    }
}

/// Invariant in `'call`, so that nothing of one call passes for another's.
type Call<'call> = PhantomData<fn(&'call ()) -> &'call ()>;

/// The keys of every value of a compiled object, what a compile call returns. The SDK hands them to
/// the host, once, when the call succeeds.
#[must_use = "return it from the compile call"]
pub struct ObjectValueKeys<'call> {
    receipts: Vec<Receipt<'call>>,
}

/// The host's cache session, alive for a single compile call.
///
/// Its lifetime binds it to the call: it cannot be kept for later. Inside the call any thread may use it, several at a time
/// (docs/spec-notes.md, "Threads"), such as those of [`std::thread::scope`].
pub struct Session<'call> {
    handle: D3D12DDI_HRTCOMPILERCACHESESSION,
    callbacks: Callbacks,
    requested: ValueTypes,
    call: Call<'call>,
}

// SAFETY: a host's callbacks take a session's handle on any thread until the compile call returns, several at a time
// (docs/spec-notes.md, "Threads"); the call outlasts `'call` (`Session::new`).
unsafe impl Send for Session<'_> {}
// SAFETY: as above.
unsafe impl Sync for Session<'_> {}

/// D3D12DDI_COMPILER_CACHE_CALLBACKS without its nulls.
#[derive(Clone, Copy)]
pub(crate) struct Callbacks {
    find: Unwrapped<PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB>,
    store: Unwrapped<PFND3D12DDI_COMPILER_CACHE_STORE_VALUE_CB>,
    set_keys: Unwrapped<PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB>,
}

type Unwrapped<T> = <T as IntoIterator>::Item;

impl Callbacks {
    /// The host's functions; `None` when one of them is null.
    pub(crate) fn new(table: &D3D12DDI_COMPILER_CACHE_CALLBACKS) -> Option<Self> {
        Some(Self {
            find: table.pfnCompilerCacheFindValue?,
            store: table.pfnCompilerCacheStoreValue?,
            set_keys: table.pfnCompilerCacheSetObjectValueKeys?,
        })
    }
}

impl<'call> Session<'call> {
    /// The session of one compile call.
    ///
    /// # Safety
    ///
    /// `handle` is the session of a compile call that lasts for all of `'call`, and `callbacks` are
    /// the functions that its host set.
    pub(crate) unsafe fn new(
        handle: D3D12DDI_HRTCOMPILERCACHESESSION,
        callbacks: Callbacks,
        flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    ) -> Self {
        Self {
            handle,
            callbacks,
            // Bits that the DDI does not define are ignored.
            requested: ValueTypes::from_bits_truncate(flags.0),
            call: PhantomData,
        }
    }

    /// The value types that this call must store.
    pub fn requested(&self) -> ValueTypes {
        self.requested
    }

    /// The size in bytes of a stored value; `None` when there is none. Nothing is copied.
    ///
    /// # Errors
    ///
    /// What the host answers, DXGI_ERROR_NOT_FOUND aside.
    pub fn find_size(&self, key: &Key, kind: ValueType) -> Result<Option<usize>> {
        let mut value = [query(kind)];
        Ok(self
            .query_sizes(key, &mut value)?
            .then_some(value[0].Value.ValueSize)
            .filter(|&s| s > 0))
    }

    /// Copies a stored value to the front of `buffer` and returns its size; `None` when there is none.
    /// A size above the buffer's means that nothing was copied.
    ///
    /// # Errors
    ///
    /// What the host answers, DXGI_ERROR_NOT_FOUND and DXGI_ERROR_MORE_DATA aside.
    pub fn find_into(
        &self,
        key: &Key,
        kind: ValueType,
        buffer: &mut [u8],
    ) -> Result<Option<usize>> {
        // A buffer of size 0 would turn the call into another question.
        if buffer.is_empty() {
            return self.find_size(key, kind);
        }
        let mut value = [query(kind)];
        value[0].Value.pValue = buffer.as_mut_ptr().cast();
        value[0].Value.ValueSize = buffer.len();
        // SAFETY: the value's buffer and size are those of `buffer`.
        let hresult = unsafe { self.find_values(key, &mut value, None, std::ptr::null_mut()) };
        let size = value[0].Value.ValueSize;
        match hresult {
            DXGI_ERROR_NOT_FOUND => Ok(None),
            DXGI_ERROR_MORE_DATA if size > buffer.len() => Ok(Some(size)),
            _ if !hresult.is_ok() => Err(host_error("pfnCompilerCacheFindValue", hresult)),
            _ if size > buffer.len() => Err(host_lied("copied more than the buffer holds")),
            _ => Ok(Some(size).filter(|&s| s > 0)),
        }
    }

    /// A stored value in memory of its own, by the host's allocation callback; `None` when there is
    /// none.
    ///
    /// # Errors
    ///
    /// What the host answers, DXGI_ERROR_NOT_FOUND aside; E_OUTOFMEMORY when memory runs out.
    pub fn find(&self, key: &Key, kind: ValueType) -> Result<Option<ValueBuffer>> {
        let mut allocations: Vec<ValueBuffer> = Vec::new();
        let mut value = [query(kind)];
        // The specification lets the host allocate only where the pointer is not null.
        value[0].Value.pValue = NonNull::<u8>::dangling().as_ptr().cast();
        // SAFETY: with a size of 0 the host must not touch the pointer; the context is what
        // `allocate` expects and lives through the call.
        let hresult = unsafe {
            self.find_values(
                key,
                &mut value,
                Some(allocate),
                (&raw mut allocations).cast(),
            )
        };
        if hresult == DXGI_ERROR_NOT_FOUND {
            return Ok(None);
        }
        if !hresult.is_ok() {
            return Err(host_error("pfnCompilerCacheFindValue", hresult));
        }
        let found = value[0].Value;
        if found.ValueSize == 0 {
            return Ok(None);
        }
        allocations
            .into_iter()
            .find(|a| a.memory.as_ptr().cast() == found.pValue && a.len() == found.ValueSize)
            .map(Some)
            .ok_or_else(|| host_lied("returned a value that is not in the memory it was given"))
    }

    /// Stores values under a key. Prefer [`Self::find_or_store`], which stores nothing twice.
    ///
    /// # Errors
    ///
    /// E_INVALIDARG, before the host is asked, for no value, an empty one, or one of a type that was
    /// not requested; else what the host answers, DXGI_ERROR_ALREADY_EXISTS included.
    pub fn store(&self, key: Key, values: &Values<'_>) -> Result<Receipt<'call>> {
        let types: ValueTypes = ValueType::ALL
            .into_iter()
            .filter(|&kind| values.get(kind).is_some())
            .map(ValueTypes::from)
            .collect();
        if types.is_empty() || !(types - self.requested).is_empty() {
            return Err(Error::new(
                E_INVALIDARG,
                format!(
                    "store: values {types:?} where {:?} are requested",
                    self.requested
                ),
            ));
        }
        self.store_types(&key, values, types)?;
        Ok(self.receipt(key, true))
    }

    /// Makes sure that every requested value is stored under `key`: asks the session for them, has
    /// `make` make those that are missing, and stores these. `make` is not called when none is.
    ///
    /// That another thread or process was faster is success.
    ///
    /// # Errors
    ///
    /// What `make` returns; E_FAIL when it leaves out a missing type; what the host answers.
    pub fn find_or_store<'v>(
        &self,
        key: Key,
        make: impl FnOnce(ValueTypes) -> Result<Values<'v>>,
    ) -> Result<Receipt<'call>> {
        self.find_or_store_only(key, ValueTypes::all(), make)
    }

    /// As [`Self::find_or_store`], for a value that exists in some types only: a type outside `types`
    /// is neither asked for nor stored.
    ///
    /// # Errors
    ///
    /// As [`Self::find_or_store`].
    pub fn find_or_store_only<'v>(
        &self,
        key: Key,
        types: ValueTypes,
        make: impl FnOnce(ValueTypes) -> Result<Values<'v>>,
    ) -> Result<Receipt<'call>> {
        let wanted = types & self.requested;
        if wanted.is_empty() {
            // Where something else is requested, a key without any value must not be named.
            let stored = self.requested.is_empty()
                || self.missing(&key, ValueTypes::all())? != ValueTypes::all();
            return Ok(self.receipt(key, stored));
        }
        let missing = self.missing(&key, wanted)?;
        if missing.is_empty() {
            return Ok(self.receipt(key, true));
        }
        let values = make(missing)?;
        match self.store_types(&key, &values, missing) {
            // Somebody was faster with one of them; nothing was stored, the others may be missing.
            Err(error) if error.is_already_exists() => {
                for kind in missing.types() {
                    match self.store_types(&key, &values, kind.into()) {
                        Err(error) if error.is_already_exists() => {}
                        stored => stored?,
                    }
                }
            }
            stored => stored?,
        }
        Ok(self.receipt(key, true))
    }

    /// Ends the work on the object: these are the keys of all its values, in this order. A key that
    /// comes twice counts once; one that holds nothing, since its value has none of the requested
    /// types, is left out as long as another remains.
    pub fn finish(
        self,
        receipts: impl IntoIterator<Item = Receipt<'call>>,
    ) -> ObjectValueKeys<'call> {
        let mut receipts = distinct(receipts);
        if receipts.iter().any(|receipt| receipt.stored) {
            receipts.retain(|receipt| receipt.stored);
        }
        ObjectValueKeys { receipts }
    }

    fn receipt(&self, key: Key, stored: bool) -> Receipt<'call> {
        Receipt {
            key,
            stored,
            call: self.call,
        }
    }

    /// Which of `types` the session does not hold under `key`.
    fn missing(&self, key: &Key, types: ValueTypes) -> Result<ValueTypes> {
        if types.is_empty() {
            return Ok(types);
        }
        let mut values = ValueType::ALL.map(query);
        let mut count = 0;
        for kind in types.types() {
            values[count] = query(kind);
            count += 1;
        }
        if !self.query_sizes(key, &mut values[..count])? {
            return Ok(types);
        }
        let found = types
            .types()
            .zip(&values)
            .filter(|(_, value)| value.Value.ValueSize > 0);
        Ok(found.fold(types, |missing, (kind, _)| missing - kind.into()))
    }

    /// Asks for sizes; whether the key was found.
    fn query_sizes(
        &self,
        key: &Key,
        values: &mut [D3D12DDI_COMPILER_CACHE_TYPED_VALUE],
    ) -> Result<bool> {
        // SAFETY: null buffers of size 0 and no callback: the host has nothing to write but sizes.
        match unsafe { self.find_values(key, values, None, std::ptr::null_mut()) } {
            DXGI_ERROR_NOT_FOUND => Ok(false),
            hresult if hresult.is_ok() => Ok(true),
            hresult => Err(host_error("pfnCompilerCacheFindValue", hresult)),
        }
    }

    /// # Safety
    ///
    /// Each value's buffer is null or as large as its size says, and `context` is what `callback`
    /// expects.
    unsafe fn find_values(
        &self,
        key: &Key,
        values: &mut [D3D12DDI_COMPILER_CACHE_TYPED_VALUE],
        callback: ddi_sys::PFND3D12DDI_COMPILER_ALLOCATION,
        context: *mut c_void,
    ) -> HRESULT {
        // SAFETY: the session's compile call lasts for `'call` (`new`); key and array are valid for the call, each buffer is null or
        // has the size that it says, and `callback` takes `context` (`# Safety`).
        unsafe {
            (self.callbacks.find)(
                self.handle,
                &raw_key(key),
                values.as_mut_ptr(),
                count(values),
                callback,
                context,
            )
        }
    }

    fn store_types(&self, key: &Key, values: &Values<'_>, types: ValueTypes) -> Result<()> {
        let mut raw = [const {
            D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE {
                Type: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE,
                Value: D3D12DDI_COMPILER_CACHE_CONST_VALUE {
                    pValue: std::ptr::null(),
                    ValueSize: 0,
                },
            }
        }; 4];
        let mut used = 0;
        for kind in types.types() {
            let value = values.get(kind).filter(|v| !v.is_empty()).ok_or_else(|| {
                Error::failed(format!(
                    "the value {kind:?} was asked for and not made, or is empty"
                ))
            })?;
            raw[used].Type = kind.raw();
            raw[used].Value.pValue = value.as_ptr().cast();
            raw[used].Value.ValueSize = value.len();
            used += 1;
        }
        let raw = &raw[..used];
        // SAFETY: the session's compile call lasts for `'call` (`new`); key and values are valid for the call.
        let hresult =
            unsafe { (self.callbacks.store)(self.handle, &raw_key(key), raw.as_ptr(), count(raw)) };
        if hresult.is_ok() {
            return Ok(());
        }
        Err(host_error("pfnCompilerCacheStoreValue", hresult))
    }
}

/// Up to so many keys are compared with each other.
const FEW: usize = 16;

/// Receipts of one key become one, in the place of the first.
fn distinct<'call>(receipts: impl IntoIterator<Item = Receipt<'call>>) -> Vec<Receipt<'call>> {
    let mut distinct: Vec<Receipt<'_>> = Vec::new();
    // Most objects have few values: a map would take such a call longer than the rest of the SDK.
    let mut places: HashMap<Key, usize> = HashMap::new();
    for receipt in receipts {
        let place = if distinct.len() < FEW {
            distinct.iter().position(|named| named.key == receipt.key)
        } else {
            if places.is_empty() {
                places.extend(distinct.iter().map(|named| named.key.clone()).zip(0..));
            }
            places.get(&receipt.key).copied()
        };
        if let Some(place) = place {
            distinct[place].stored |= receipt.stored;
            continue;
        }
        if !places.is_empty() {
            places.insert(receipt.key.clone(), distinct.len());
        }
        distinct.push(receipt);
    }
    distinct
}

/// What the SDK needs, once a compile call succeeded, to tell the host its keys.
pub(crate) struct KeySetter {
    handle: D3D12DDI_HRTCOMPILERCACHESESSION,
    callbacks: Callbacks,
}

impl Session<'_> {
    pub(crate) fn key_setter(&self) -> KeySetter {
        KeySetter {
            handle: self.handle,
            callbacks: self.callbacks,
        }
    }
}

impl KeySetter {
    /// Makes the one call of SetObjectValueKeys.
    pub(crate) fn set(self, keys: &ObjectValueKeys<'_>) -> Result<()> {
        if keys.receipts.is_empty() {
            return Err(Error::failed(
                "the object has no value; finish takes one receipt or more",
            ));
        }
        let raw: Vec<_> = keys.receipts.iter().map(|r| raw_key(&r.key)).collect();
        // SAFETY: the keys carry the brand of this call, so its session is alive; the array is valid
        // for the call.
        let hresult = unsafe { (self.callbacks.set_keys)(self.handle, raw.as_ptr(), count(&raw)) };
        if hresult.is_ok() {
            return Ok(());
        }
        Err(host_error("pfnCompilerCacheSetObjectValueKeys", hresult))
    }
}

/// A found value in memory of its own, aligned for any type.
pub struct ValueBuffer {
    memory: NonNull<u8>,
    layout: Layout,
}

// SAFETY: it owns its memory and shares nothing.
unsafe impl Send for ValueBuffer {}
// SAFETY: shared access only reads.
unsafe impl Sync for ValueBuffer {}

impl ValueBuffer {
    /// "Suitably aligned for any object", as the API says of its twin of the callback.
    const ALIGNMENT: usize = 16;

    fn new(size: usize) -> Option<Self> {
        let layout = Layout::from_size_align(size, Self::ALIGNMENT).ok()?;
        if size == 0 {
            return None;
        }
        // SAFETY: the size is not 0.
        let memory = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })?;
        Some(Self { memory, layout })
    }
}

impl Deref for ValueBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: as many initialised bytes as the layout says are ours.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr(), self.layout.size()) }
    }
}

impl Drop for ValueBuffer {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout in `new`.
        unsafe { std::alloc::dealloc(self.memory.as_ptr(), self.layout) };
    }
}

/// The allocation callback; its context is a `Vec<ValueBuffer>`. It cannot panic: growing the list
/// and allocating both report failure by null.
unsafe extern "system" fn allocate(size: usize, context: *mut c_void) -> *mut c_void {
    // SAFETY: the host passes the context that `find` gave it, during that call.
    let Some(allocations) = (unsafe { context.cast::<Vec<ValueBuffer>>().as_mut() }) else {
        return std::ptr::null_mut();
    };
    let Some(buffer) = ValueBuffer::new(size) else {
        return std::ptr::null_mut();
    };
    if allocations.try_reserve(1).is_err() {
        return std::ptr::null_mut();
    }
    let memory = buffer.memory.as_ptr();
    allocations.push(buffer);
    memory.cast()
}

fn query(kind: ValueType) -> D3D12DDI_COMPILER_CACHE_TYPED_VALUE {
    D3D12DDI_COMPILER_CACHE_TYPED_VALUE {
        Type: kind.raw(),
        ..D3D12DDI_COMPILER_CACHE_TYPED_VALUE::zeroed()
    }
}

fn raw_key(key: &Key) -> D3D12DDI_COMPILER_CACHE_VALUE_KEY {
    D3D12DDI_COMPILER_CACHE_VALUE_KEY {
        pKey: key.as_bytes().as_ptr().cast(),
        KeySize: count(key.as_bytes()),
    }
}

/// A length that the DDI says in 32 bits; ours are short, and a key's is checked when it is made.
fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
}

fn host_error(call: &str, hresult: HRESULT) -> Error {
    Error::new(hresult, format!("the host's {call} failed"))
}

fn host_lied(what: &str) -> Error {
    Error::new(E_UNEXPECTED, format!("the host {what}"))
}
