//! Cache sessions: the host's side of the plugin's three callbacks.
//!
//! A host implements the trait [`CacheSession`] for its cache and gives each compile call a [`SessionScope`] of its own. The
//! functions of [`callbacks`] find the session by its handle, check every argument, follow the protocol of the specification
//! and ask the cache only for its data. The keys of the object's values stay in the session until the compile call has
//! succeeded, and are its result.
//!
//! Where the specification is silent, docs/spec-notes.md has this crate's reading; these are its choices.
//! - `pfnCompilerCacheFindValue`: it finds a key that has one of the wanted types; a type
//!   that the key lacks gets ValueSize 0. If there is an allocation callback, an entry with
//!   ValueSize 0 gets a buffer from it, whatever its pValue. All sizes are set even when a buffer is
//!   too small or the allocation fails; the function still fills the other buffers, but allocates
//!   nothing after a failure. pValue changes only to what the callback returned.
//! - Every refused call gets E_INVALIDARG and changes nothing. The function reports it to
//!   [`CacheSession::misuse`], except when the owner of the handle is unknown: the host never gave the handle
//!   out, its owner is gone, or it ended hundreds of sessions ago.
//!
//! ```
//! use std::sync::Arc;
//! use ddi_sys::{D3D12DDI_COMPILER_CACHE_TYPED_VALUE, D3D12DDI_COMPILER_CACHE_VALUE_KEY};
//! use ddi_sys::{DXGI_ERROR_NOT_FOUND, E_INVALIDARG};
//! use plugin_host::session::{MemoryCache, SessionScope, callbacks};
//!
//! let scope = SessionScope::new(Arc::new(MemoryCache::default()));
//! let find = callbacks().pfnCompilerCacheFindValue.unwrap();
//! let key = D3D12DDI_COMPILER_CACHE_VALUE_KEY { pKey: b"key".as_ptr().cast(), KeySize: 3 };
//! let mut size_query: D3D12DDI_COMPILER_CACHE_TYPED_VALUE = bytemuck::Zeroable::zeroed();
//! let mut find = |session| unsafe {
//!     find(session, &key, &mut size_query, 1, None, std::ptr::null_mut())
//! };
//!
//! let handle = scope.handle();
//! assert_eq!(find(handle), DXGI_ERROR_NOT_FOUND);
//! drop(scope);
//! assert_eq!(find(handle), E_INVALIDARG);
//! ```

mod memory;
mod protocol;
mod registry;

use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CACHE_VALUE_TYPE,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID, HRESULT,
};
use thiserror::Error;

pub use memory::{MemoryCache, Values};
pub(crate) use registry::OfOpen;
pub use registry::SessionScope;

/// Number of value types; a type's number is its index in an array of this length.
pub const VALUE_TYPES: usize = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID.0 as usize;

/// A host's cache for compile calls. A plugin may call from several threads at a time.
///
/// Arguments are valid: keys and values have at least one byte, types have a name. The plugin gets an error unchanged; a
/// panic becomes E_FAIL.
pub trait CacheSession: Send + Sync {
    /// Looks for a key's values: calls `found` with the wanted part of each type, if that value exists, in the order of the
    /// types. The cache may hold a lock during the call: `found` copies the value and does nothing else.
    ///
    /// # Errors
    ///
    /// The cache cannot be read.
    fn find(
        &self,
        key: &[u8],
        wants: [Want; VALUE_TYPES],
        found: &mut dyn FnMut(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, Found<'_>),
    ) -> Result<(), HRESULT>;

    /// Stores at least one value, each of another type: all, or none on failure.
    ///
    /// # Errors
    ///
    /// DXGI_ERROR_ALREADY_EXISTS when one of them already exists, or the cache cannot be written.
    fn store(
        &self,
        key: &[u8],
        values: &[(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, &[u8])],
    ) -> Result<(), HRESULT>;

    /// Gets the plugin's fault in `call`, on the plugin's thread; the plugin gets E_INVALIDARG.
    fn misuse(&self, call: &'static str, misuse: &Misuse);
}

/// The wanted part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Want {
    /// The cache need not give anything.
    Nothing,
    /// Its size.
    Size,
    /// All of it.
    Value,
}

impl Want {
    /// Hands over the wanted part of a value. Nothing of it is wanted from then on.
    pub fn answer(&mut self, value: &[u8], found: &mut dyn FnMut(Found<'_>)) {
        match std::mem::replace(self, Self::Nothing) {
            Self::Nothing => {}
            Self::Size => found(Found::Size(value.len())),
            Self::Value => found(Found::Value(value)),
        }
    }
}

/// The part of a value that the cache found.
#[derive(Clone, Copy, Debug)]
pub enum Found<'a> {
    /// Its size in bytes.
    Size(usize),
    /// All of it.
    Value(&'a [u8]),
}

impl Found<'_> {
    /// The size in bytes.
    pub fn size(&self) -> usize {
        match self {
            Self::Size(size) => *size,
            Self::Value(value) => value.len(),
        }
    }
}

/// How a plugin misused a callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Misuse {
    /// The compile call of the handle has returned. The host detects this while the owner lives, the session is one of the
    /// last few hundred, and a plugin is open.
    #[error("a session handle was used after its call")]
    StaleHandle,
    /// A key is null or has size 0 (or, in a 32-bit process, a size that no memory has).
    #[error("a key is null or has size 0")]
    NoKey,
    /// The array of values, or of keys, is null or has no entries.
    #[error("the array is null or has no entries")]
    NoEntries,
    /// The array of values, or of keys, would be larger than memory can be (in a 32-bit process).
    #[error("an array of {0} entries is larger than memory can be")]
    TooManyEntries(u32),
    /// A number that is not a value type.
    #[error("{0:?} is not a value type")]
    UnknownType(D3D12DDI_COMPILER_CACHE_VALUE_TYPE),
    /// A type occurs twice in a store.
    #[error("{0:?} occurs more than once")]
    DuplicateType(D3D12DDI_COMPILER_CACHE_VALUE_TYPE),
    /// A value to store is null or has size 0 (or, in a 32-bit process, a size that no memory has).
    #[error("a value is null or has size 0")]
    NoValue,
    /// A value to store is larger than the API's 32-bit sizes.
    #[error("a value has {0} bytes; its size must fit in 32 bits")]
    ValueTooLarge(usize),
    /// A buffer for a value is null and has a size.
    #[error("a null buffer has a ValueSize of {0}")]
    NullBuffer(usize),
    /// A second list of keys in one compile call.
    #[error("the object's value keys were given before in this compile call")]
    KeysSetBefore,
}

/// The table to set in a plugin. It serves every plugin and session of the process.
pub const fn callbacks() -> D3D12DDI_COMPILER_CACHE_CALLBACKS {
    D3D12DDI_COMPILER_CACHE_CALLBACKS {
        pfnCompilerCacheFindValue: Some(protocol::find_value),
        pfnCompilerCacheStoreValue: Some(protocol::store_value),
        pfnCompilerCacheSetObjectValueKeys: Some(protocol::set_object_value_keys),
    }
}

/// A type's index; `None` for a number that is not a value type.
fn index(value_type: D3D12DDI_COMPILER_CACHE_VALUE_TYPE) -> Option<usize> {
    let index = usize::try_from(value_type.0).ok();
    index.filter(|&index| index < VALUE_TYPES)
}
