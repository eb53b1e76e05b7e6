//! The three callbacks as functions of the DDI.
//!
//! Specification: ShaderCompilerPlugin.md, "Cache Session Callbacks".

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{mem, ptr, slice};

use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE, D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    D3D12DDI_COMPILER_CACHE_VALUE_KEY, D3D12DDI_COMPILER_CACHE_VALUE_TYPE,
    D3D12DDI_HRTCOMPILERCACHESESSION, DXGI_ERROR_MORE_DATA, DXGI_ERROR_NOT_FOUND, E_FAIL,
    E_INVALIDARG, E_OUTOFMEMORY, HRESULT, PFND3D12DDI_COMPILER_ALLOCATION, S_OK, UINT,
};

use crate::session::registry::{self, Held, Session};
use crate::session::{CacheSession, Found, Misuse, VALUE_TYPES, Want, index};

/// Why a callback does not return S_OK.
enum Refusal {
    Misuse(Misuse),
    Result(HRESULT),
}

impl From<Misuse> for Refusal {
    fn from(misuse: Misuse) -> Self {
        Self::Misuse(misuse)
    }
}

impl From<HRESULT> for Refusal {
    fn from(result: HRESULT) -> Self {
        Self::Result(result)
    }
}

pub(super) unsafe extern "system" fn find_value(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    count: UINT,
    allocate: PFND3D12DDI_COMPILER_ALLOCATION,
    context: *mut c_void,
) -> HRESULT {
    answer("pfnCompilerCacheFindValue", session, |session| {
        // SAFETY: the plugin passes what `pfnCompilerCacheFindValue` of the DDI takes.
        unsafe { find(session, key, values, count, allocate, context) }
    })
}

pub(super) unsafe extern "system" fn store_value(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    count: UINT,
) -> HRESULT {
    answer("pfnCompilerCacheStoreValue", session, |session| {
        // SAFETY: the plugin passes what `pfnCompilerCacheStoreValue` of the DDI takes.
        unsafe { store(session, key, values, count) }
    })
}

pub(super) unsafe extern "system" fn set_object_value_keys(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    count: UINT,
) -> HRESULT {
    answer("pfnCompilerCacheSetObjectValueKeys", session, |session| {
        // SAFETY: the plugin passes what `pfnCompilerCacheSetObjectValueKeys` of the DDI takes.
        unsafe { set_keys(session, keys, count) }
    })
}

/// Finds the session, runs `body`, reports misuse, stops panics.
fn answer(
    call: &'static str,
    handle: D3D12DDI_HRTCOMPILERCACHESESSION,
    body: impl FnOnce(&Session) -> Result<(), Refusal>,
) -> HRESULT {
    let refuse = |owner: &dyn CacheSession, misuse: Misuse| {
        tracing::debug!(call, %misuse);
        owner.misuse(call, &misuse);
        E_INVALIDARG
    };
    let answer = || {
        let result = match registry::find(handle) {
            Held::Live(session) => match body(&session) {
                Ok(()) => S_OK,
                Err(Refusal::Result(result)) => result,
                Err(Refusal::Misuse(misuse)) => refuse(&*session.cache, misuse),
            },
            Held::Ended(owner) => refuse(&*owner, Misuse::StaleHandle),
            Held::Unknown => E_INVALIDARG,
        };
        tracing::debug!(call, session = ?handle.handle, %result);
        result
    };
    catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|payload| {
        // The payload's Drop may panic too, and nothing would catch that here.
        mem::forget(payload);
        E_FAIL
    })
}

/// One entry of a find, as the plugin passed it.
struct Wanted {
    index: usize,
    buffer: *mut c_void,
    capacity: usize,
    entry: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
}

/// # Safety
///
/// `key` is null or to a key, whose `pKey` is null or readable for `KeySize` bytes. `values` is null or has `count` entries
/// that are readable and writable. `pValue` of each is null or writable for its ValueSize. `allocate` takes `context`, and
/// returns null or memory that is writable for the size.
unsafe fn find(
    session: &Session,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    count: UINT,
    mut allocate: PFND3D12DDI_COMPILER_ALLOCATION,
    context: *mut c_void,
) -> Result<(), Refusal> {
    // SAFETY: `key` is null or to a key, whose bytes are readable (`# Safety`).
    let key = unsafe { key_bytes(key) }?;
    // This reads the entries once and asks the cache before it writes any entry: the allocation callback is the plugin's code
    // and may change them. For the same reason it reaches them by pointer.
    let wanted: Vec<Wanted> = entries(values, count)?
        .map(|entry| {
            // SAFETY: one of the `count` entries.
            let D3D12DDI_COMPILER_CACHE_TYPED_VALUE { Type, Value } =
                unsafe { entry.read_unaligned() };
            if Value.pValue.is_null() && Value.ValueSize != 0 {
                return Err(Misuse::NullBuffer(Value.ValueSize));
            }
            Ok(Wanted {
                index: index(Type).ok_or(Misuse::UnknownType(Type))?,
                buffer: Value.pValue,
                capacity: Value.ValueSize,
                entry,
            })
        })
        .collect::<Result<_, _>>()?;

    let mut wants = [Want::Nothing; VALUE_TYPES];
    for Wanted {
        index, capacity, ..
    } in &wanted
    {
        let copies = *capacity != 0 || allocate.is_some();
        let want = if copies { Want::Value } else { Want::Size };
        wants[*index] = wants[*index].max(want);
    }
    let mut sizes = [0; VALUE_TYPES];
    // Copies of the values that the plugin's callback allocates memory for. It calls the callback later, when the cache holds
    // no lock.
    let mut copies: [Vec<u8>; VALUE_TYPES] = Default::default();
    let mut out_of_memory = false;
    session.cache.find(key, wants, &mut |value_type, found| {
        let Some(found_index) = index(value_type) else {
            return;
        };
        sizes[found_index] = found.size();
        let Found::Value(value) = found else { return };
        for wanted in wanted.iter().filter(|wanted| wanted.index == found_index) {
            if wanted.capacity == 0 && copies[found_index].is_empty() {
                let copy = &mut copies[found_index];
                match copy.try_reserve_exact(value.len()) {
                    Ok(()) => copy.extend_from_slice(value),
                    Err(_) => out_of_memory = true,
                }
            } else if value.len() <= wanted.capacity {
                // SAFETY: the buffer is not null and takes `capacity` bytes; the value is the cache's
                // own memory.
                unsafe {
                    ptr::copy_nonoverlapping(value.as_ptr(), wanted.buffer.cast(), value.len());
                }
            }
        }
    })?;
    if out_of_memory {
        return Err(E_OUTOFMEMORY.into());
    }
    if wanted.iter().all(|wanted| sizes[wanted.index] == 0) {
        return Err(DXGI_ERROR_NOT_FOUND.into());
    }

    let mut result = S_OK;
    for wanted in &wanted {
        let size = sizes[wanted.index];
        // SAFETY: one of the `count` entries.
        unsafe { (&raw mut (*wanted.entry).Value.ValueSize).write_unaligned(size) };
        if wanted.capacity != 0 {
            if wanted.capacity < size && result == S_OK {
                result = DXGI_ERROR_MORE_DATA;
            }
            continue;
        }
        let copy = &copies[wanted.index];
        let Some(function) = allocate.filter(|_| !copy.is_empty()) else {
            continue;
        };
        // SAFETY: the plugin's callback, with its own context; no lock is held.
        let buffer = unsafe { function(copy.len(), context) };
        // SAFETY: one of the `count` entries.
        unsafe { (&raw mut (*wanted.entry).Value.pValue).write_unaligned(buffer) };
        if buffer.is_null() {
            result = E_OUTOFMEMORY;
            allocate = None;
            continue;
        }
        // SAFETY: what the callback returned is not null and takes as many bytes as were asked for.
        unsafe { ptr::copy_nonoverlapping(copy.as_ptr(), buffer.cast(), copy.len()) };
    }
    if result == S_OK {
        Ok(())
    } else {
        Err(result.into())
    }
}

/// # Safety
///
/// `key` is null or to a key, whose `pKey` is null or readable for `KeySize` bytes. `values` is null or has `count` readable
/// entries; `pValue` of each is null or readable for its ValueSize.
unsafe fn store(
    session: &Session,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    count: UINT,
) -> Result<(), Refusal> {
    // SAFETY: `key` is null or to a key, whose bytes are readable (`# Safety`).
    let key = unsafe { key_bytes(key) }?;
    let mut checked: Vec<(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, &[u8])> = Vec::new();
    for entry in entries(values.cast_mut(), count)? {
        // SAFETY: one of the `count` entries.
        let D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE { Type, Value } =
            unsafe { entry.read_unaligned() };
        index(Type).ok_or(Misuse::UnknownType(Type))?;
        if checked.iter().any(|(earlier, _)| *earlier == Type) {
            return Err(Misuse::DuplicateType(Type).into());
        }
        let size = Value.ValueSize;
        if u32::try_from(size).is_err() {
            return Err(Misuse::ValueTooLarge(size).into());
        }
        // SAFETY: `pValue` is null or readable for `ValueSize` bytes (`# Safety`).
        let bytes = unsafe { bytes(Value.pValue, size) }.ok_or(Misuse::NoValue)?;
        checked.push((Type, bytes));
    }
    Ok(session.cache.store(key, &checked)?)
}

/// # Safety
///
/// `keys` is null or has `count` readable keys; `pKey` of each is null or readable for `KeySize` bytes.
unsafe fn set_keys(
    session: &Session,
    keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    count: UINT,
) -> Result<(), Refusal> {
    // An object may consist of no value at all.
    let keys: Vec<Vec<u8>> = if count == 0 {
        Vec::new()
    } else {
        entries(keys.cast_mut(), count)?
            // SAFETY: one of the `count` keys, which are what the specification says.
            .map(|key| unsafe { key_bytes(key) }.map(<[u8]>::to_vec))
            .collect::<Result<_, _>>()?
    };
    let set = session.object_value_keys.set(keys);
    Ok(set.map_err(|_| Misuse::KeysSetBefore)?)
}

/// Pointers to the entries of an array; they may be unaligned.
fn entries<T>(first: *mut T, count: UINT) -> Result<impl Iterator<Item = *mut T>, Misuse> {
    if first.is_null() || count == 0 {
        return Err(Misuse::NoEntries);
    }
    let size = size_of::<T>().checked_mul(count as usize);
    if size.is_none_or(|size| isize::try_from(size).is_err()) {
        return Err(Misuse::TooManyEntries(count));
    }
    Ok((0..count as usize).map(move |index| first.wrapping_add(index)))
}

/// # Safety
///
/// `key` is null or to a key, whose `pKey` is null or readable for `KeySize` bytes.
unsafe fn key_bytes<'a>(key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY) -> Result<&'a [u8], Misuse> {
    if key.is_null() {
        return Err(Misuse::NoKey);
    }
    // SAFETY: `key` is not null, and so to a key (`# Safety`).
    let key = unsafe { key.read_unaligned() };
    // SAFETY: `pKey` is null or readable for `KeySize` bytes (`# Safety`).
    unsafe { bytes(key.pKey, key.KeySize as usize) }.ok_or(Misuse::NoKey)
}

/// Borrows bytes; `None` if there are none, or more than memory can hold.
///
/// # Safety
///
/// `first` is null or readable for `size` bytes.
unsafe fn bytes<'a>(first: *const c_void, size: usize) -> Option<&'a [u8]> {
    if first.is_null() || size == 0 || isize::try_from(size).is_err() {
        return None;
    }
    // SAFETY: `first` is not null, and readable for `size` bytes (`# Safety`), no more than memory can have.
    Some(unsafe { slice::from_raw_parts(first.cast(), size) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_array_is_larger_than_memory_can_be() {
        // So large that 2^32 of them fit in no address space, 32-bit or 64-bit.
        type Entry = [u8; 1 << (usize::BITS - 24)];
        let first = ptr::dangling_mut::<Entry>();
        let counted = |count| entries(first, count).map(Iterator::count);
        assert_eq!(counted(100), Ok(100));
        let largest = isize::MAX.cast_unsigned() / size_of::<Entry>();
        let largest = u32::try_from(largest).unwrap();
        assert!(entries(first, largest).is_ok());
        for count in [largest + 1, u32::MAX] {
            assert_eq!(counted(count), Err(Misuse::TooManyEntries(count)));
        }
    }
}
