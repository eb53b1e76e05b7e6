//! The cache session of one compile call.

use std::ffi::c_void;
use std::{ptr, thread};

use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CACHE_CONST_VALUE,
    D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE, D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    D3D12DDI_COMPILER_CACHE_VALUE, D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE, D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    D3D12DDI_HRTCOMPILERCACHESESSION, DXGI_ERROR_ALREADY_EXISTS, DXGI_ERROR_NOT_FOUND, E_ABORT,
    E_UNEXPECTED, HRESULT, SIZE_T, UINT,
};

use crate::family::Cache;
use crate::object::Part;

type Type = D3D12DDI_COMPILER_CACHE_VALUE_TYPE;

/// The session of a compile call, and how the call uses it.
pub(crate) struct Session {
    pub(crate) callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    pub(crate) handle: D3D12DDI_HRTCOMPILERCACHESESSION,
    pub(crate) types: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    pub(crate) cache: Cache,
}

// SAFETY: the handle is a value that goes back to the host, whose callbacks any thread may call while the compile
// call is in progress.
unsafe impl Sync for Session {}

impl Session {
    /// Stores what the host asks for and is missing, each part in a thread of its own, and sets the keys.
    pub(crate) fn finish(&self, mut parts: Vec<Part>) -> Result<(), HRESULT> {
        let types: Vec<Type> = (0..D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID.0)
            .filter(|bit| self.types.0 & 1 << bit != 0)
            .map(D3D12DDI_COMPILER_CACHE_VALUE_TYPE)
            .collect();
        if types.is_empty() {
            return Err(E_ABORT);
        }
        // Two libraries may be the same.
        parts.sort();
        parts.dedup();
        thread::scope(|scope| {
            let start = |part| {
                let types = &types;
                let work = move || self.complete(part, types);
                // Where there is no thread, this one does it.
                thread::Builder::new()
                    .spawn_scoped(scope, work)
                    .map_err(|_| part)
            };
            let threads: Vec<_> = parts.iter().map(start).collect();
            let results = threads.into_iter().map(|thread| match thread {
                Ok(thread) => thread.join().unwrap_or(Err(E_UNEXPECTED)),
                Err(part) => self.complete(part, &types),
            });
            // All have ended before the first failure is returned.
            results
                .collect::<Vec<_>>()
                .into_iter()
                .collect::<Result<(), HRESULT>>()
        })?;
        let keys: Vec<_> = parts.iter().map(raw_key).collect();
        let call = self
            .callbacks
            .pfnCompilerCacheSetObjectValueKeys
            .ok_or(E_UNEXPECTED)?;
        // SAFETY: the host's function, its session, and an array of as many keys.
        succeeded(unsafe { call(self.handle, keys.as_ptr(), count(&keys)) })
    }

    /// Stores what is missing of a part.
    fn complete(&self, part: &Part, types: &[Type]) -> Result<(), HRESULT> {
        match self.cache {
            Cache::Stores => self.store_each(part, types.iter().copied()),
            Cache::Fetches => {
                let missing = self.fetch(part, types)?;
                if missing.is_empty() {
                    return Ok(());
                }
                match self.store(part, &missing) {
                    // Another compile was faster with some of them, so none was stored.
                    Err(DXGI_ERROR_ALREADY_EXISTS) => self.store_each(part, missing.into_iter()),
                    result => result,
                }
            }
            Cache::Asks => {
                for &kind in types.iter().rev() {
                    let mut value = [size_query(kind)];
                    if !self.find(part, &mut value, None, ptr::null_mut())?
                        || value[0].Value.ValueSize == 0
                    {
                        self.store_each(part, [kind].into_iter())?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Gets the values that are there, and tells which are not.
    fn fetch(&self, part: &Part, types: &[Type]) -> Result<Vec<Type>, HRESULT> {
        // In units that suit any object.
        let mut buffers: Vec<Vec<u128>> = Vec::new();
        let mut values: Vec<_> = types.iter().map(|kind| size_query(*kind)).collect();
        for value in &mut values {
            // As one may read the specification, only what has a pValue is allocated.
            value.Value.pValue = ptr::dangling_mut::<u128>().cast();
        }
        let context = ptr::from_mut(&mut buffers).cast();
        let is_there = self.find(part, &mut values, Some(allocate), context)?;
        let missing = values
            .iter()
            .filter(|value| !is_there || value.Value.ValueSize == 0);
        Ok(missing.map(|value| value.Type).collect())
    }

    /// Whether the cache has the key.
    fn find(
        &self,
        part: &Part,
        values: &mut [D3D12DDI_COMPILER_CACHE_TYPED_VALUE],
        allocate: ddi_sys::PFND3D12DDI_COMPILER_ALLOCATION,
        context: *mut c_void,
    ) -> Result<bool, HRESULT> {
        let (key, number) = (raw_key(part), count(values));
        let call = self
            .callbacks
            .pfnCompilerCacheFindValue
            .ok_or(E_UNEXPECTED)?;
        let values = values.as_mut_ptr();
        // SAFETY: the host's function, its session, a key and an array of as many values; the context is the one
        // that `allocate` takes.
        match unsafe {
            call(
                self.handle,
                &raw const key,
                values,
                number,
                allocate,
                context,
            )
        } {
            DXGI_ERROR_NOT_FOUND => Ok(false),
            result => succeeded(result).map(|()| true),
        }
    }

    /// Stores each in a call of its own; one that is there already is as good.
    fn store_each(&self, part: &Part, types: impl Iterator<Item = Type>) -> Result<(), HRESULT> {
        for kind in types {
            match self.store(part, &[kind]) {
                Ok(()) | Err(DXGI_ERROR_ALREADY_EXISTS) => {}
                failure => return failure,
            }
        }
        Ok(())
    }

    fn store(&self, part: &Part, types: &[Type]) -> Result<(), HRESULT> {
        let bytes: Vec<Vec<u8>> = types.iter().map(|kind| value(part, *kind)).collect();
        let values: Vec<_> = types
            .iter()
            .zip(&bytes)
            .map(|(kind, bytes)| D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE {
                Type: *kind,
                Value: D3D12DDI_COMPILER_CACHE_CONST_VALUE {
                    pValue: bytes.as_ptr().cast(),
                    ValueSize: bytes.len(),
                },
            })
            .collect();
        let key = raw_key(part);
        let call = self
            .callbacks
            .pfnCompilerCacheStoreValue
            .ok_or(E_UNEXPECTED)?;
        // SAFETY: the host's function, its session, a key and an array of as many values, with their bytes.
        succeeded(unsafe { call(self.handle, &raw const key, values.as_ptr(), count(&values)) })
    }
}

/// What is stored of a part.
fn value(part: &Part, kind: Type) -> Vec<u8> {
    match kind {
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE => part.code.clone(),
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA => vec![0],
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB => [b"PDB of ", &part.code[..]].concat(),
        _ => part.code.len().to_string().into_bytes(),
    }
}

/// The allocation callback of [`Session::fetch`], whose context is its buffers.
///
/// # Safety
///
/// The context is what [`Session::find`] was given with this function, during its call.
unsafe extern "system" fn allocate(size: SIZE_T, context: *mut c_void) -> *mut c_void {
    // SAFETY: the buffers of the find that is in progress (`# Safety`).
    let buffers = unsafe { &mut *context.cast::<Vec<Vec<u128>>>() };
    let mut buffer = vec![0_u128; size.div_ceil(size_of::<u128>())];
    let address = buffer.as_mut_ptr().cast();
    buffers.push(buffer);
    address
}

fn size_query(kind: Type) -> D3D12DDI_COMPILER_CACHE_TYPED_VALUE {
    let value = D3D12DDI_COMPILER_CACHE_VALUE {
        pValue: ptr::null_mut(),
        ValueSize: 0,
    };
    D3D12DDI_COMPILER_CACHE_TYPED_VALUE {
        Type: kind,
        Value: value,
    }
}

fn raw_key(part: &Part) -> D3D12DDI_COMPILER_CACHE_VALUE_KEY {
    D3D12DDI_COMPILER_CACHE_VALUE_KEY {
        pKey: part.key.as_ptr().cast(),
        KeySize: count(&part.key),
    }
}

fn count<T>(items: &[T]) -> UINT {
    UINT::try_from(items.len()).unwrap_or(UINT::MAX)
}

fn succeeded(result: HRESULT) -> Result<(), HRESULT> {
    if result.is_ok() { Ok(()) } else { Err(result) }
}
