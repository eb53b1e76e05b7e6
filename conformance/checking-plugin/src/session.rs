//! Compile calls and their session handles, and the host's callbacks for the base. H-09, H-16 and H-19.

use std::ffi::c_void;
use std::slice;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base_plugin::call;
use conformance_catalogue::rules::{H_09, H_19};
use conformance_protocol::record::{KEYS_TWICE, LATE, MISTAKES, TOGETHER};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    D3D12DDI_COMPILER_CACHE_TYPED_VALUE, D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    D3D12DDI_COMPILER_VALUE_TYPE_FLAGS, D3D12DDI_HRTCOMPILERCACHESESSION, E_UNEXPECTED, HRESULT,
    PFND3D12DDI_COMPILER_ALLOCATION, UINT,
};

use crate::description::bytes;
use crate::opens::Open;
use crate::trials;
use crate::writer::{broken, records};

/// The callbacks that the base gets.
pub(crate) const CALLBACKS: D3D12DDI_COMPILER_CACHE_CALLBACKS = D3D12DDI_COMPILER_CACHE_CALLBACKS {
    pfnCompilerCacheFindValue: Some(find_value),
    pfnCompilerCacheStoreValue: Some(store_value),
    pfnCompilerCacheSetObjectValueKeys: Some(set_object_value_keys),
};

/// A compile call in progress.
#[derive(Clone, Copy, Default)]
struct Running {
    /// The address of its session.
    session: usize,
    /// Whose callbacks the session has.
    host: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    /// The call's types, if the value keys are to be set twice.
    keys_twice: Option<D3D12DDI_COMPILER_VALUE_TYPE_FLAGS>,
}

static RUNNING: Mutex<Vec<Running>> = Mutex::new(Vec::new());

fn running() -> MutexGuard<'static, Vec<Running>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The compile call of a session.
fn of(session: D3D12DDI_HRTCOMPILERCACHESESSION) -> Running {
    let running = running();
    let own = running
        .iter()
        .find(|call| call.session == session.handle.addr());
    own.copied().unwrap_or_default()
}

/// Waits until a second compile call is in progress, or so long that the host seems to make one at a
/// time.
fn meet() {
    static CAME: Mutex<usize> = Mutex::new(0);
    static ANOTHER: Condvar = Condvar::new();
    let mut came = CAME.lock().unwrap_or_else(PoisonError::into_inner);
    *came += 1;
    ANOTHER.notify_all();
    // Whether it came in time or not, the call goes on.
    let _ = ANOTHER.wait_timeout_while(came, Duration::from_secs(10), |came| *came < 2);
}

/// Makes a compile call of the base for an application of a name, after the callbacks are tried.
pub(crate) fn compile(
    open: &Open,
    name: &str,
    application: &str,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    compile: impl FnOnce() -> HRESULT,
) -> HRESULT {
    let address = session.handle.addr();
    let Some(host) = open.host else {
        return E_UNEXPECTED;
    };
    if session.handle.is_null() {
        broken(H_09, name, "a session handle", "null");
    }
    {
        let mut running = running();
        if running.iter().any(|other| other.session == address) {
            let got = "one that another compile in progress has";
            broken(H_09, name, "a session handle of its own", got);
        }
        running.push(Running {
            session: address,
            host,
            keys_twice: (records() && application == KEYS_TWICE).then_some(flags),
        });
    }
    if records() {
        if application == TOGETHER {
            meet();
        }
        trials::usual(&host, session, flags);
        if application == LATE {
            trials::other_handles(&host, session, flags);
        }
        if application == MISTAKES {
            trials::mistakes(&host, session, flags);
        }
    }
    let result = compile();
    let mut running = running();
    if let Some(index) = running.iter().position(|other| other.session == address) {
        running.swap_remove(index);
    }
    result
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB, called by the base.
unsafe extern "system" fn find_value(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    count: UINT,
    allocate: PFND3D12DDI_COMPILER_ALLOCATION,
    context: *mut c_void,
) -> HRESULT {
    let Running { host, .. } = of(session);
    call!(host.pfnCompilerCacheFindValue(session, key, values, count, allocate, context)
        else E_UNEXPECTED)
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CACHE_STORE_VALUE_CB, called by the base.
unsafe extern "system" fn store_value(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    count: UINT,
) -> HRESULT {
    let Running { host, .. } = of(session);
    // SAFETY: PFND3D12DDI_COMPILER_CACHE_STORE_VALUE_CB: the base lends the key and the values.
    unsafe {
        unchanged(
            key,
            values,
            count,
            || call!(host.pfnCompilerCacheStoreValue(session, key, values, count) else E_UNEXPECTED),
        )
    }
}

/// Makes a store, and looks whether the host leaves the key and the values as they are. H-19.
///
/// # Safety
///
/// The key and the values are there, as large as they say, and nothing but the host writes to them.
pub(crate) unsafe fn unchanged(
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    count: UINT,
    store: impl FnOnce() -> HRESULT,
) -> HRESULT {
    let contents = || {
        // SAFETY: they are there, as this function demands.
        let (key, values) = unsafe { (&*key, slice::from_raw_parts(values, count as usize)) };
        let mut pieces = vec![("the key", key.pKey, key.KeySize as usize)];
        for value in values {
            pieces.push(("a value", value.Value.pValue, value.Value.ValueSize));
        }
        pieces
            .into_iter()
            .map(|(what, first, size)| {
                // SAFETY: each is as large as it says, as this function demands.
                (what, unsafe { bytes(first.expose_provenance(), size) })
            })
            .collect::<Vec<_>>()
    };
    let before = contents();
    let result = store();
    let after = contents();
    if let Some(((what, was), (_, is))) = before.iter().zip(&after).find(|(was, is)| was != is) {
        let at = was.iter().zip(is).position(|(was, is)| was != is);
        broken(
            H_19,
            "pfnCompilerCacheStoreValue",
            "the key and the values as they were",
            format!("{what} differs at byte {}", at.unwrap_or(0)),
        );
    }
    result
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB, called by the base.
unsafe extern "system" fn set_object_value_keys(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    count: UINT,
) -> HRESULT {
    let Running {
        host, keys_twice, ..
    } = of(session);
    let result = call!(host.pfnCompilerCacheSetObjectValueKeys(session, keys, count)
        else E_UNEXPECTED);
    if let Some(flags) = keys_twice
        && result.is_ok()
    {
        trials::other_keys(&host, session, flags);
    }
    result
}
