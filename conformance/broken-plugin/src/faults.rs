//! The callbacks of a host that fails, or whose values come and change meanwhile.

use std::ffi::c_void;
use std::hint::black_box;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use ddi_sys::*;
use defects::{Place, changed, follow, given, rows};

use crate::about::*;
use crate::compile::{Compile, InProgress, bytes_of, in_progress, is_failure, raw_key};
use crate::need;
use crate::places::*;
use crate::session::remembers;

rows! {
    Hook, About;

    "fault-null-after-growth" breaks P_PSO_12:
        "a value that has grown is asked for with its size and a null buffer",
        needs need::FOUND,
        at Find |call| reads(call, |find, value, _, result| if result == DXGI_ERROR_MORE_DATA {
            value.Value.pValue = ptr::null_mut();
            let _ = find(value);
        });
    "fault-race-of-second-store" breaks P_PSO_13:
        "DXGI_ERROR_ALREADY_EXISTS of the second store of a compile is passed on",
        needs need::SECOND_STORE, at Store |call| loses_race_if(call, |compile| compile.stores == 2);
    "fault-race-after-part" breaks P_PSO_13:
        "DXGI_ERROR_ALREADY_EXISTS is passed on where a find has found a part of the types",
        needs need::FOUND_IN_PART, at Store |call| loses_race_if(call, |compile| compile.found_in_part);
    "fault-race-of-family" breaks P_PSO_13: "for the second family DXGI_ERROR_ALREADY_EXISTS is passed on",
        where SECOND_FAMILY, at Store |call| loses_race_if(call, |_| true);
    "fault-race-renamed" breaks P_PSO_13:
        "a value that another thread has stored is stored again, under a new key",
        at Store |call| call.after(|call, result| if *result == DXGI_ERROR_ALREADY_EXISTS {
            let again = [&call.key_bytes()[..], b"again"].concat();
            let _ = call.store(&raw_key(&again), call.values());
            in_progress(call.session, |compile| compile.named.push(again));
        });
    "fault-second-store-ignored" breaks P_PSO_14: "the failure of the second store of a compile is taken for success",
        needs need::SECOND_STORE, at Store |call| ignored_if(call, |compile, _| compile.stores == 2);
    "fault-third-store-ignored" breaks P_PSO_14: "the failure of the third store of a compile is taken for success",
        needs need::THIRD_STORE, at Store |call| ignored_if(call, |compile, _| compile.stores == 3);
    "fault-fourth-store-ignored" breaks P_PSO_14: "the failure of the fourth store of a compile is taken for success",
        needs need::FOURTH_STORE, at Store |call| ignored_if(call, |compile, _| compile.stores == 4);
    "fault-store-ignored-of-addition" breaks P_PSO_14: "the failure of a store is taken for success in an addition",
        where ADDITION, at Store |call| ignored_if(call, |_, _| true);
    "fault-store-memory-ignored" breaks P_PSO_14: "E_OUTOFMEMORY of a store is taken for success",
        at Store |call| changed(call.pass(), E_OUTOFMEMORY, S_OK);
    "fault-store-refusal-ignored" breaks P_PSO_14: "E_INVALIDARG of a store is taken for success",
        at Store |call| changed(call.pass(), E_INVALIDARG, S_OK);
    "fault-store-ignored-after-race" breaks P_PSO_14:
        "the failure of a store is taken for success after one of DXGI_ERROR_ALREADY_EXISTS",
        needs need::SECOND_STORE, at Store |call| ignored_if(call, |compile, _| compile.lost_race);
    "fault-store-for-ever" breaks P_PSO_14: "a store that gets E_OUTOFMEMORY is tried again without an end",
        at Store |call| for_ever(call, |result| result == E_OUTOFMEMORY);
    "fault-store-unnamed" breaks P_PSO_14: "a value whose store fails is left out of the value keys",
        at Store |call| call.after(|call, result| if is_failure(*result) {
            in_progress(call.session, |compile| compile.unnamed.push(call.key_bytes()));
            *result = S_OK;
        });
    "fault-store-remembered" breaks P_PSO_14: "a value whose store got E_OUTOFMEMORY is not stored the next time",
        at Store |call| remembers(call, |result| result == E_OUTOFMEMORY);
    "fault-find-for-ever" breaks P_PSO_14: "a find that fails is tried again without an end",
        needs need::FIND, at Find |call| for_ever(call, is_failure);
    "fault-find-taken" breaks P_PSO_14: "a find that fails is taken for one that has found the value",
        needs need::FIND, at Find |call| taken_if(call, is_failure);
    "fault-find-taken-of-family" breaks P_PSO_14:
        "for the second family a find that gets E_OUTOFMEMORY is taken for one that has found the value",
        needs need::FIND, where SECOND_FAMILY, at Find |call| taken_if(call, |result| result == E_OUTOFMEMORY);
    "fault-short-taken" breaks P_PSO_14: "what a buffer holds that was too small is taken for the value",
        needs need::FOUND, at Find |call| nothing_if(call, DXGI_ERROR_MORE_DATA);
    "fault-short-followed" breaks P_PSO_14: "what a buffer holds that was too small is followed as a pointer",
        needs need::FOUND,
        at Find |call| reads(call, |_, _, buffer, result| if result == DXGI_ERROR_MORE_DATA {
            follow(ptr::with_exposed_provenance::<c_void>(buffer[0]));
        });
    "fault-gone-taken" breaks P_PSO_14: "what a buffer holds is taken for a value that is gone since the size check",
        needs need::FOUND, at Find |call| nothing_if(call, DXGI_ERROR_NOT_FOUND);
    "fault-keys-memory-ignored" breaks P_PSO_14: "E_OUTOFMEMORY of the value keys is taken for success",
        at SetKeys |call| changed(call.pass(), E_OUTOFMEMORY, S_OK);
    "fault-keys-ignored-without-pixels" breaks P_PSO_14:
        "of a pipeline without a pixel shader the failure of the value keys is taken for success",
        where NO_PIXELS,
        at SetKeys |call| call.after(|_, result| if is_failure(*result) {
            *result = S_OK;
        });
    "fault-keys-refusal-ignored-of-addition" breaks P_PSO_14:
        "of an addition E_INVALIDARG of the value keys is taken for success",
        where ADDITION, at SetKeys |call| changed(call.pass(), E_INVALIDARG, S_OK);
    "fault-keys-ignored-after-race" breaks P_PSO_14:
        "the failure of the value keys is taken for success after DXGI_ERROR_ALREADY_EXISTS",
        at SetKeys |call| call.after(|call, result| {
            let after_race = in_progress(call.session, |compile| compile.lost_race) == Some(true);
            if after_race && is_failure(*result) {
                *result = S_OK;
            }
        });
    "fault-keys-for-ever" breaks P_PSO_14: "value keys that the host refuses are set again without an end",
        at SetKeys |call| for_ever(call, is_failure);
    "fault-refuses-after-keys" breaks P_PSO_14: "after the value keys failed once every compile fails",
        sometimes P_SO_04: "it makes state objects after their value keys failed",
        at SetKeys keys_failed,
        at Compile |call| call.answer_if(KEYS_HAVE_FAILED.load(Ordering::Relaxed), E_FAIL);
    "fault-memory-reported" notes P_BND_02 "3 made the call fail":
        "of its own memory a compile makes three parts, and returns E_OUTOFMEMORY if it does not get one",
        at Compile |call| with_memory(call, |_| Some(E_OUTOFMEMORY));
    "fault-memory-ignored" breaks P_BND_02: "a compile that does not get its own memory returns S_OK and does nothing",
        at Compile |call| with_memory(call, |_| Some(S_OK));
    "fault-memory-missed" breaks P_BND_02: "after a compile that did not get its own memory every compile fails",
        at Compile memory_missed;
    "fault-memory-followed" breaks P_BND_02: "a compile uses its own memory whether it gets it or not",
        at Compile |call| with_memory(call, |part| {
            follow(part);
            None
        });
}

/// Whether the compile in progress of a store is so.
fn state(call: &Store, is_so: impl FnOnce(&InProgress) -> bool) -> bool {
    in_progress(call.session, |compile| is_so(compile)) == Some(true)
}

/// Has the compile return DXGI_ERROR_ALREADY_EXISTS of a store.
fn loses_race_if(call: &mut Store, is_so: fn(&InProgress) -> bool) -> HRESULT {
    call.after(|call, result| {
        if *result == DXGI_ERROR_ALREADY_EXISTS && state(call, is_so) {
            in_progress(call.session, |compile| compile.result = Some(*result));
        }
    })
}

fn ignored_if(call: &mut Store, is_so: fn(&InProgress, HRESULT) -> bool) -> HRESULT {
    call.after(|call, result| {
        if is_failure(*result) && state(call, |compile| is_so(compile, *result)) {
            *result = S_OK;
        }
    })
}

fn for_ever(call: &mut impl Place<Answer = HRESULT>, again: fn(HRESULT) -> bool) -> HRESULT {
    loop {
        let result = call.pass();
        if !again(result) {
            return result;
        }
    }
}

fn taken_if(call: &mut Find, is_so: fn(HRESULT) -> bool) -> HRESULT {
    call.after(|call, result| {
        if is_so(*result) {
            call.values()
                .iter_mut()
                .for_each(|value| value.Value.ValueSize = 1);
            *result = S_OK;
        }
    })
}

type Query = D3D12DDI_COMPILER_CACHE_TYPED_VALUE;

/// Reads each value whose size was asked for, and makes a mistake with it: `mistake` gets a find, the value, the buffer and the
/// result. A failure to read is one of the find.
fn reads(
    call: &mut Find,
    mut mistake: impl FnMut(&mut dyn FnMut(&mut Query) -> HRESULT, &mut Query, &[usize], HRESULT),
) -> HRESULT {
    call.after(|call, result| {
        if !result.is_ok() {
            return;
        }
        let Find {
            slot, session, key, ..
        } = *call;
        let mut find = |value: &mut Query| {
            let values = ptr::from_mut(value);
            Find {
                slot,
                session,
                key,
                values,
                count: 1,
                allocate: None,
                context: ptr::null_mut(),
            }
            .pass()
        };
        let is_size =
            |value: &&mut Query| value.Value.ValueSize != 0 && value.Value.pValue.is_null();
        for size in call.values().iter_mut().filter(is_size) {
            let mut buffer = vec![0_usize; size.Value.ValueSize.div_ceil(size_of::<usize>())];
            let mut value = Query {
                Value: D3D12DDI_COMPILER_CACHE_VALUE {
                    pValue: buffer.as_mut_ptr().cast(),
                    ..size.Value
                },
                ..*size
            };
            let read = find(&mut value);
            mistake(&mut find, &mut value, &buffer, read);
            if is_failure(read) {
                *result = read;
                return;
            }
        }
    })
}

/// Leaves out a key of which a value was read with this result: an object whose code is all zeros is nothing.
fn nothing_if(call: &mut Find, nothing: HRESULT) -> HRESULT {
    let mut is_nothing = false;
    let result = reads(call, |_, _, _, read| is_nothing |= read == nothing);
    if is_nothing {
        let key = given(call.key).map(bytes_of).unwrap_or_default();
        in_progress(call.session, |compile| compile.unnamed.push(key));
    }
    result
}

/// Whether value keys have failed in this process.
static KEYS_HAVE_FAILED: AtomicBool = AtomicBool::new(false);

fn keys_failed(call: &mut SetKeys) -> HRESULT {
    call.after(|_, result| {
        if is_failure(*result) {
            KEYS_HAVE_FAILED.store(true, Ordering::Relaxed);
        }
    })
}

/// Compiles with three parts of memory of its own. `lacking` says what it returns where it does not get one.
fn with_memory(call: &mut Compile, lacking: fn(*const u8) -> Option<HRESULT>) -> HRESULT {
    for _ in 0..3 {
        let mut part: Vec<u8> = Vec::new();
        if part.try_reserve_exact(4096).is_ok() {
            // An optimizer removes an allocation that nobody can see.
            black_box(part);
        } else if let Some(result) = lacking(ptr::null()) {
            return result;
        }
    }
    call.pass()
}

fn memory_missed(call: &mut Compile) -> HRESULT {
    /// Whether a compile in this process did not get its own memory.
    static MISSED: AtomicBool = AtomicBool::new(false);
    if MISSED.load(Ordering::Relaxed) {
        return E_FAIL;
    }
    with_memory(call, |_| {
        MISSED.store(true, Ordering::Relaxed);
        Some(E_OUTOFMEMORY)
    })
}
