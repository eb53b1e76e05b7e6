//! What the driver looks up in the runtime's shader cache, by `pfnShaderCacheGetValueCb`.

use std::cell::Cell;
use std::slice;

use ddi_sys::*;
use defects::{Place as _, rows};

use crate::places::*;

rows! {
    Hook, Device;

    "keys-of-handle" breaks U_ABI_05: "keys depend on the runtime's handle of the object",
        at GetValue |call| with_key(call, |key, handle| {
            key.iter_mut().zip(handle.to_le_bytes()).for_each(|(byte, of_handle)| *byte ^= of_handle);
        });
    "keys-short" breaks U_ABI_05: "the last byte of each key is left out",
        at GetValue |call| with_key(call, |key, _| {
            key.pop();
        });
    "keys-no-sample-mask" breaks U_ABI_05: "keys do not depend on the sample mask",
        at CreatePipelineState no_sample_mask;
    "keys-first-only" breaks U_ABI_05: "only the first value of each object is looked up",
        at GetValue |call| left_out_if(call, |looked_up, _| looked_up.calls > 1);
    "keys-no-geometry" breaks U_ABI_05: "nothing is looked up for pipelines with a geometry shader",
        at CreatePipelineState note_geometry,
        at GetValue |call| call.answer_if(HAS_GEOMETRY.get(), DXGI_ERROR_NOT_FOUND);
    "keys-no-state-objects" breaks U_ABI_05: "nothing is looked up for state objects",
        at GetValue |call| call.answer_if(call.object.Type == D3D12DDI_HT_0054_STATE_OBJECT, DXGI_ERROR_NOT_FOUND);
    "keys-newest-only" breaks U_ABI_05: "only the keys of the newest ABI version are looked up",
        at GetValue |call| left_out_if(call, |looked_up, expects_miss| looked_up.has_missed && expects_miss);
    "keys-older-only" breaks U_ABI_05: "the keys of the newest ABI version are not looked up",
        at GetValue |call| left_out_if(call, |looked_up, expects_miss| looked_up.calls == 1 || !expects_miss);
    "keys-own-only" breaks U_ABI_05: "values are looked up among those that the driver has stored only",
        at GetValue |call| {
            call.flags |= D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_STORED_VALUES_ONLY;
            call.pass()
        };
}

fn no_sample_mask(call: &mut CreatePipelineState) -> HRESULT {
    // SAFETY: the host's structure.
    let mut desc = unsafe { *call.desc };
    desc.SampleMask = UINT::MAX;
    call.desc = &raw const desc;
    call.pass()
}

thread_local! {
    /// Whether the pipeline that is being created has a geometry shader.
    static HAS_GEOMETRY: Cell<bool> = const { Cell::new(false) };
    /// The object that is looked up.
    static CURRENT: Cell<LookedUp> = const { Cell::new(LookedUp::NOTHING) };
}

fn note_geometry(call: &mut CreatePipelineState) -> HRESULT {
    // SAFETY: the host's structure.
    let geometry = unsafe { *call.desc }.hGeometryShader.pDrvPrivate;
    HAS_GEOMETRY.set(!geometry.is_null());
    let result = call.pass();
    HAS_GEOMETRY.set(false);
    result
}

/// What has been looked up for an object.
#[derive(Clone, Copy)]
struct LookedUp {
    /// The runtime's handle.
    object: usize,
    /// With this one.
    calls: usize,
    has_missed: bool,
}

impl LookedUp {
    const NOTHING: Self = Self {
        object: 0,
        calls: 0,
        has_missed: false,
    };
}

fn with_key(call: &mut GetValue, change: fn(&mut Vec<u8>, usize)) -> HRESULT {
    // SAFETY: a key of the driver's, of this length.
    let mut key = unsafe { slice::from_raw_parts(call.key.cast::<u8>(), call.key_len) }.to_vec();
    change(&mut key, call.object.Handle.addr());
    (call.key, call.key_len) = (key.as_ptr().cast(), key.len());
    call.pass()
}

/// Leaves a call out, by what was looked up for the object so far, and by whether the driver expects a miss. The driver underneath
/// does so while it tries its ABI versions, the newest first, and no longer when it compiles for that one.
fn left_out_if(call: &mut GetValue, is_left_out: fn(LookedUp, bool) -> bool) -> HRESULT {
    let expects_miss = call.flags == D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_0118_PSDB_MISS_EXPECTED;
    let (object, mut looked_up) = (call.object.Handle.addr(), CURRENT.get());
    if looked_up.object != object {
        looked_up = LookedUp {
            object,
            ..LookedUp::NOTHING
        };
    }
    looked_up.calls += 1;
    let result = call.answer_if(is_left_out(looked_up, expects_miss), DXGI_ERROR_NOT_FOUND);
    looked_up.has_missed |= !result.is_ok();
    CURRENT.set(looked_up);
    result
}
