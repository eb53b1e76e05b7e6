//! Compile calls, and the host's callbacks in them. H-09.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CACHE_CONST_VALUE,
    D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE, D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    D3D12DDI_COMPILER_CACHE_VALUE, D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE, D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    D3D12DDI_HRTCOMPILERCACHESESSION, DXGI_ERROR_ALREADY_EXISTS, DXGI_ERROR_MORE_DATA,
    DXGI_ERROR_NOT_FOUND, E_INVALIDARG, E_OUTOFMEMORY, E_UNEXPECTED, HRESULT,
    PFND3D12DDI_COMPILER_ALLOCATION, S_OK, UINT,
};

use crate::call;
use crate::opens::Open;
use crate::writer::{broken, records};

/// The callbacks that the base gets.
pub(crate) const CALLBACKS: D3D12DDI_COMPILER_CACHE_CALLBACKS = D3D12DDI_COMPILER_CACHE_CALLBACKS {
    pfnCompilerCacheFindValue: Some(find_value),
    pfnCompilerCacheStoreValue: Some(store_value),
    pfnCompilerCacheSetObjectValueKeys: Some(set_object_value_keys),
};

/// The sessions of the compiles in progress, as addresses, and whose callbacks they are.
static RUNNING: Mutex<Vec<(usize, D3D12DDI_COMPILER_CACHE_CALLBACKS)>> = Mutex::new(Vec::new());

fn running() -> MutexGuard<'static, Vec<(usize, D3D12DDI_COMPILER_CACHE_CALLBACKS)>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The host's callbacks for a session.
fn host(session: D3D12DDI_HRTCOMPILERCACHESESSION) -> D3D12DDI_COMPILER_CACHE_CALLBACKS {
    let running = running();
    let own = running
        .iter()
        .find(|(address, _)| *address == session.handle.addr());
    own.map_or_else(D3D12DDI_COMPILER_CACHE_CALLBACKS::default, |(_, host)| {
        *host
    })
}

/// Makes a compile call of the base, after the callbacks are tried.
pub(crate) fn compile(
    open: &Open,
    name: &str,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    compile: impl FnOnce() -> HRESULT,
) -> HRESULT {
    let address = session.handle.addr();
    let Some(host) = open.host else {
        return E_UNEXPECTED;
    };
    {
        let mut running = running();
        if running.iter().any(|(other, _)| *other == address) {
            let got = "one that another compile in progress has";
            broken("H-09", name, "a session handle of its own", got);
            return E_INVALIDARG;
        }
        running.push((address, host));
    }
    if records() {
        try_callbacks(&host, session, flags);
    }
    let result = compile();
    running().retain(|(other, _)| *other != address);
    result
}

/// What the plugin stores itself.
const VALUE: &[u8] = b"the checking plugin was here";

fn key_of(bytes: &[u8]) -> D3D12DDI_COMPILER_CACHE_VALUE_KEY {
    D3D12DDI_COMPILER_CACHE_VALUE_KEY {
        pKey: bytes.as_ptr().cast(),
        KeySize: UINT::try_from(bytes.len()).unwrap_or(UINT::MAX),
    }
}

/// What the allocation callback is given: a block, or none.
struct Block {
    asked: usize,
    memory: [u128; 4],
    fails: bool,
}

unsafe extern "system" fn allocate(size: usize, context: *mut c_void) -> *mut c_void {
    // SAFETY: the context of `try_callbacks`, which waits for the call.
    let block = unsafe { &mut *context.cast::<Block>() };
    block.asked = size;
    if block.fails || size > size_of_val(&block.memory) {
        return ptr::null_mut();
    }
    block.memory.as_mut_ptr().cast()
}

/// Stores a value under a key of its own, and finds it in each way.
fn try_callbacks(
    host: &D3D12DDI_COMPILER_CACHE_CALLBACKS,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
) {
    static COMPILES: AtomicUsize = AtomicUsize::new(0);
    if flags.0 == 0 {
        return;
    }
    let kind = D3D12DDI_COMPILER_CACHE_VALUE_TYPE(flags.0.trailing_zeros().cast_signed());
    let number = COMPILES.fetch_add(1, Ordering::Relaxed);
    // A database may have those of other processes.
    let (process, now) = (std::process::id(), std::time::SystemTime::now());
    let bytes = format!("checking-plugin {process} {number} {now:?}").into_bytes();
    let key = key_of(&bytes);

    let expect = |call: &str, got: HRESULT, expected: HRESULT, right: bool, what: &str| {
        if got != expected || !right {
            let got = if got == expected {
                format!("returned {got}, and not {what}")
            } else {
                format!("returned {got}")
            };
            broken("H-09", call, &format!("{expected}{what}"), got);
        }
    };
    let store = |values: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE, count| {
        call!(host.pfnCompilerCacheStoreValue(session, &raw const key, values, count)
            else E_UNEXPECTED)
    };
    let find = |capacity: usize, memory: *mut u8, block: Option<&mut Block>| {
        let mut value = D3D12DDI_COMPILER_CACHE_TYPED_VALUE {
            Type: kind,
            Value: D3D12DDI_COMPILER_CACHE_VALUE {
                pValue: memory.cast(),
                ValueSize: capacity,
            },
        };
        let function: PFND3D12DDI_COMPILER_ALLOCATION = match block {
            Some(_) => Some(allocate),
            None => None,
        };
        let context = block.map_or(ptr::null_mut(), |block| ptr::from_mut(block).cast());
        let value_pointer = &raw mut value;
        let result = call!(host.pfnCompilerCacheFindValue(
            session,
            &raw const key,
            value_pointer,
            1,
            function,
            context,
        ) else E_UNEXPECTED);
        (result, value.Value)
    };
    let null = ptr::null_mut();
    let (size, mut memory) = (VALUE.len(), [0xA5_u8; 64]);
    let typed = |bytes: &[u8]| D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE {
        Type: kind,
        Value: D3D12DDI_COMPILER_CACHE_CONST_VALUE {
            pValue: bytes.as_ptr().cast(),
            ValueSize: bytes.len(),
        },
    };
    let value = typed(VALUE);

    let (absent, _) = find(0, null, None);
    expect(
        "FindValue(a key that is not cached)",
        absent,
        DXGI_ERROR_NOT_FOUND,
        true,
        "",
    );
    expect(
        "StoreValue(null)",
        store(ptr::null(), 1),
        E_INVALIDARG,
        true,
        "",
    );
    expect(
        "StoreValue(no values)",
        store(&raw const value, 0),
        E_INVALIDARG,
        true,
        "",
    );
    expect(
        "StoreValue(a value)",
        store(&raw const value, 1),
        S_OK,
        true,
        "",
    );
    let again = store(&raw const value, 1);
    expect(
        "StoreValue(the same value)",
        again,
        DXGI_ERROR_ALREADY_EXISTS,
        true,
        "",
    );

    let (checked, found) = find(0, null, None);
    let right = found.ValueSize == size;
    expect(
        "FindValue(the size check)",
        checked,
        S_OK,
        right,
        " and the size",
    );
    let (short, found) = find(size - 1, memory.as_mut_ptr(), None);
    let right = found.ValueSize == size && memory[size - 1] == 0xA5;
    let call = "FindValue(a buffer that is too small)";
    expect(
        call,
        short,
        DXGI_ERROR_MORE_DATA,
        right,
        " and the size, with nothing behind the buffer",
    );
    let (whole, found) = find(memory.len(), memory.as_mut_ptr(), None);
    let right = found.ValueSize == size && memory.starts_with(VALUE) && memory[size] == 0xA5;
    let call = "FindValue(a buffer that is large enough)";
    expect(
        call,
        whole,
        S_OK,
        right,
        " and the value, with nothing behind it",
    );

    let mut block = Block {
        asked: 0,
        memory: [0; 4],
        fails: false,
    };
    let (allocated, found) = find(0, null, Some(&mut block));
    let bytes: Vec<u8> = block
        .memory
        .iter()
        .flat_map(|word| word.to_ne_bytes())
        .collect();
    let right = block.asked == size
        && found.ValueSize == size
        && found.pValue.cast_const().cast() == block.memory.as_ptr()
        && bytes.starts_with(VALUE);
    expect(
        "FindValue(an allocation)",
        allocated,
        S_OK,
        right,
        " and the value in the allocation",
    );
    block.fails = true;
    let (failed, _) = find(0, null, Some(&mut block));
    expect(
        "FindValue(an allocation that fails)",
        failed,
        E_OUTOFMEMORY,
        true,
        "",
    );
}

/// # Safety
/// PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB, called by the base.
unsafe extern "system" fn find_value(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    count: UINT,
    allocate: PFND3D12DDI_COMPILER_ALLOCATION,
    context: *mut c_void,
) -> HRESULT {
    let host = host(session);
    call!(host.pfnCompilerCacheFindValue(session, key, values, count, allocate, context)
        else E_UNEXPECTED)
}

/// # Safety
/// PFND3D12DDI_COMPILER_CACHE_STORE_VALUE_CB, called by the base.
unsafe extern "system" fn store_value(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    count: UINT,
) -> HRESULT {
    let host = host(session);
    call!(host.pfnCompilerCacheStoreValue(session, key, values, count) else E_UNEXPECTED)
}

/// # Safety
/// PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB, called by the base.
unsafe extern "system" fn set_object_value_keys(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    count: UINT,
) -> HRESULT {
    let host = host(session);
    call!(host.pfnCompilerCacheSetObjectValueKeys(session, keys, count) else E_UNEXPECTED)
}
