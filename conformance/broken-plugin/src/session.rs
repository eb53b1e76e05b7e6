//! Defects in the calls of the host's callbacks.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::mem::offset_of;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{process, ptr, slice, thread};

use ddi_sys::*;
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB as DEBUG_PDB,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA as METADATA,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE as OBJECT_CODE,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_PERFORMANCE_DATA as PERFORMANCE_DATA,
};
use defects::{Place as _, rows};
use parking_lot::Mutex;

use crate::about::*;
use crate::compile::{
    Compile, PREVIOUS, RawKey, Value, all_in_progress, call_back, find_anything, in_progress,
    is_any_in_progress, is_failure, raw_key, session_at, set_one, store_one, value,
};
use crate::compiler::{for_creation, for_size, shaders};
use crate::layer::{OPENS, Open};
use crate::need;
use crate::places::*;
use crate::targets::{exists, newest};

rows! {
    Hook, About;

    "session-keys-twice" breaks P_PSO_01: "the value keys are set twice",
        at SetKeys twice;
    "session-keys-twice-of-found" breaks P_PSO_01: "the value keys are set twice where every value was found",
        needs need::FOUND,
        at SetKeys |call| if state(call, |compile| compile.stored.is_empty()) { twice(call) } else { call.pass() };
    "session-keys-twice-of-addition" breaks P_PSO_01: "the value keys of an addition are set twice",
        where ADDITION, at SetKeys twice;
    "session-keys-never" breaks P_PSO_01: "the value keys are not set",
        at SetKeys |_| S_OK;
    "session-keys-previous" breaks P_PSO_01: "the value keys are set in the session of the compile before",
        at SetKeys |call| {
            let previous = in_progress(call.session, |compile| compile.previous).unwrap_or_default();
            call.session = if previous == 0 { call.session } else { session_at(previous) };
            call.pass()
        };
    "session-keys-never-without-code" breaks P_PSO_01: "the value keys are not set where object code is not requested",
        at SetKeys |call| {
            let without = state(call, |compile| !compile.requests(OBJECT_CODE));
            call.answer_if(without, S_OK)
        };
    "session-key-of-no-value" breaks P_PSO_02: "the value keys name one more that has no value",
        at SetKeys no_value;
    "session-key-of-no-value-of-family" breaks P_PSO_02:
        "for the second family the value keys name one more that has no value",
        where SECOND_FAMILY, at SetKeys no_value;
    "session-key-of-no-value-of-new-model" passes:
        "for compute shaders of model 6.6 and later the value keys name one more that has no value",
        where NEW_MODEL, at SetKeys no_value;
    "session-unrequested" breaks P_PSO_03: "performance data is stored whether it is requested or not",
        at Store |call| {
            let requests = in_progress(call.session, |compile| compile.requests(PERFORMANCE_DATA));
            with_values(call, |values| if requests == Some(false) {
                values.push(value(PERFORMANCE_DATA, b"fast"));
            })
        };
    "session-leaves-out" breaks P_PSO_03: "debug information is left out",
        at Store |call| {
            // The only one that is requested stays, or the key would have no value.
            let is_alone = in_progress(call.session, |compile| compile.requested.0 == 1 << DEBUG_PDB.0);
            with_values(call, |values| if is_alone == Some(false) {
                values.retain(|value| value.Type != DEBUG_PDB);
            })
        };
    "session-empty-value" breaks P_PSO_04: "a value of size 0 is stored",
        at Store |call| stored_too(call, |call, key, values| call.store(&key, &[value(values[0].Type, &[])]));
    "session-no-values" breaks P_PSO_04: "a store has no values",
        at Store |call| stored_too(call, |call, key, _| call.store(&key, &[]));
    "session-same-type" breaks P_PSO_04: "a store has two values of one type",
        at Store |call| with_values(call, |values| values.push(values[0]));
    "session-null-key" breaks P_PSO_04: "a store has a null key",
        at Store |call| stored_too(call, |call, key, values| call.store(&RawKey { pKey: ptr::null(), ..key }, values));
    "session-empty-key" breaks P_PSO_04: "a store has a key of size 0",
        at Store |call| stored_too(call, |call, key, values| call.store(&RawKey { KeySize: 0, ..key }, values));
    "session-after-return" breaks P_PSO_05: "a thread makes a callback after the compile has returned",
        at Compile |call| call.after(|call, _| {
            let (slot, session) = (call.slot, call.session.handle.addr());
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(20));
                // In a compile of another open it would break P-OPEN-06 instead.
                if OPENS.all().len() == 1 {
                    find_anything(slot, session);
                }
            });
        });
    "session-late-performance-data" breaks P_PSO_05:
        "a thread stores performance data, where it is requested, after the compile has returned",
        sometimes P_PSO_22: "on a busy machine the compile returns after the thread",
        at Compile |call| call.after(|call, _| if call.state.requests(PERFORMANCE_DATA) {
            let (slot, session) = (call.slot, call.session.handle.addr());
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(100));
                // In a compile of another open it would break P-OPEN-06 instead, and in another session it
                // would be a value of that one.
                if OPENS.all().len() == 1 && !is_any_in_progress() {
                    let _ = store_one(slot, session_at(session), b"late", value(PERFORMANCE_DATA, b"fast"));
                }
            });
        });
    "session-compiler-destroy-calls-back" breaks P_PSO_05: "destroying a compiler makes a callback",
        at Destroy |call| call.before(|call| call_back(call.slot));
    "session-state-object-destroy-calls-back" breaks P_PSO_05: "destroying a state object makes a callback",
        needs need::STATE_OBJECT, at DestroyObject |call| call.before(|call| call_back(call.slot));
    "session-destroy-calls-back" breaks P_PSO_05: "destroying the open makes a callback",
        at DestroyDdi |call| call.before(|call| OPENS.of(call.handle).into_iter().for_each(|(slot, _)| call_back(slot)));
    "session-previous" breaks P_PSO_05: "a callback has the session of the compile before",
        at Compile |call| {
            let previous = PREVIOUS.load(Ordering::Relaxed);
            if previous != 0 {
                find_anything(call.slot, previous);
            }
            call.pass()
        };
    "session-records-each" breaks P_PSO_06: "each compile stores a record of itself under a new key",
        also P_PSO_22: "the key of the record is not named",
        at Compile |call| call.after(|call, result| if result.is_ok() && call.state.requests(METADATA) {
            static NUMBER: AtomicUsize = AtomicUsize::new(0);
            let number = NUMBER.fetch_add(1, Ordering::Relaxed).to_le_bytes();
            *result = store_one(call.slot, call.session, &number, value(METADATA, b"compiled"));
        });
    "session-already-exists" breaks P_PSO_06: "DXGI_ERROR_ALREADY_EXISTS is passed on",
        sometimes P_SO_03 P_SO_04 P_SO_06: "an equal state object, which it makes again, does not compile",
        at Find |_| DXGI_ERROR_NOT_FOUND,
        at Compile race_lost;
    "session-keys-of-stored" breaks P_PSO_06: "the value keys name only what this compile stored",
        also P_SO_03: "the second of two equal state objects names no key",
        at SetKeys |call| {
            let stored = in_progress(call.session, |compile| compile.stored.clone()).unwrap_or_default();
            call.with_keys(|keys| keys.retain(|key| stored.contains(key)))
        };
    "session-key-from-address" breaks P_PSO_07: "keys depend on the address of the shader code",
        at Compile |call| {
            let about = call.state.about;
            let shaders = about.pipeline().into_iter().flat_map(shaders);
            call.keyed(shaders.flat_map(|(_, code)| code.addr().to_le_bytes()).collect::<Vec<_>>())
        };
    "session-key-from-padding" breaks P_PSO_07: "keys depend on the padding of the pipeline description",
        at Compile |call| call.keyed(call.state.about.pipeline().map(padding).unwrap_or_default());
    "session-key-from-compiler" breaks P_PSO_07: "keys depend on how many compilers there were before",
        at Compile |call| call.keyed(call.own.number.to_le_bytes());
    "session-key-from-open" breaks P_PSO_07: "keys depend on how many opens there were before",
        at Compile |call| call.keyed(call.own.about.open.number.to_le_bytes());
    "session-key-from-process" breaks P_PSO_07: "keys depend on the process",
        at Compile |call| call.keyed(process::id().to_le_bytes());
    "session-code-from-time" breaks P_PSO_07: "object code has the time in it",
        at Compile |call| call.coded(since_1970().as_nanos().to_le_bytes());
    "session-code-from-second" breaks P_PSO_07: "object code has the time in it, in seconds",
        sometimes P_CMP_01 P_CMP_02 P_CMP_03 P_CMP_04 P_MEM_03 P_MEM_04: "a second begins between two compiles",
        at Compile |call| call.coded(since_1970().as_secs().to_le_bytes());
    "session-code-from-day" breaks P_PSO_07: "object code has the date in it",
        at Compile |call| call.coded((since_1970().as_secs() / 86400).to_le_bytes());
    "session-code-from-second-of-oldest" breaks P_PSO_07:
        "for the oldest ABI version object code has the time in it, in seconds",
        where OLDEST_ABI,
        sometimes P_CMP_01 P_CMP_02 P_CMP_04 P_CMP_03 P_MEM_03: "a second begins between two compiles",
        at Compile |call| call.coded(since_1970().as_secs().to_le_bytes());
    "session-key-of-programs" breaks P_PSO_08: "of a pipeline nothing but the programs are in the keys",
        also P_PSO_09: "the key of a shader has all programs of its pipeline",
        at Compile key_of_programs;
    "session-key-without-family" breaks P_PSO_08: "keys are the same for all families, object code is not",
        needs need::TWO_TARGETS,
        at CalcSize |call| for_size(call, newest_of_first),
        at Create |call| for_creation(call, newest_of_first),
        at Compile |call| call.coded(call.target_and(0));
    "session-key-without-abi" breaks P_PSO_08: "keys are the same for all ABI versions, object code is not",
        needs need::TWO_TARGETS,
        at CalcSize |call| for_size(call, newest_of_family),
        at Create |call| for_creation(call, newest_of_family),
        at Compile |call| call.coded(call.target_and(0));
    "session-unnamed-of-geometry" breaks P_PSO_22:
        "with a geometry shader values are stored that the value keys do not name",
        where GEOMETRY, at Store unnamed;
    "session-unnamed-of-addition" breaks P_PSO_22: "of an addition values are stored that the value keys do not name",
        where ADDITION, at Store unnamed;
    "session-key-with-targets" breaks P_PSO_09:
        "every key depends on the format of the first render target, object code does not",
        at Compile |call| call.keyed(of_pipeline(call, |desc| desc.RTVFormats[0].0));
    "session-key-with-topology-of-family" breaks P_PSO_09:
        "for the second family every key depends on the topology, object code does not",
        where SECOND_FAMILY, at Compile |call| call.keyed(of_pipeline(call, |desc| desc.PrimitiveTopologyType.0));
    "session-key-has-program" breaks P_PSO_10: "keys have a pipeline's first program in them",
        at Compile |call| {
            let about = call.state.about;
            let first = about.pipeline().and_then(|desc| shaders(desc).next());
            let program = first.map(|(_, code)| words(code)).unwrap_or_default().iter();
            call.keyed(program.flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
        };
    "session-key-is-long" breaks P_PSO_10: "keys are followed by 64 KiB of zeros",
        at Compile |call| call.keyed(vec![0; 1 << 16]);
    "session-key-of-addition-is-long" breaks P_PSO_10: "keys of an addition are followed by 64 KiB of zeros",
        where ADDITION, at Compile |call| call.keyed(vec![0; 1 << 16]);
    "session-code-from-name" breaks P_PSO_11: "keys and object code depend on the application's name",
        needs need::NO_PROFILE, at Compile |call| call.keyed_and_coded(call.own.application.name.to_le_bytes());
    "session-code-from-version-of-family" breaks P_PSO_11:
        "for the second family keys and object code depend on the application's version",
        needs need::NO_PROFILE, where SECOND_FAMILY,
        at Compile |call| call.keyed_and_coded(call.own.application.version.to_le_bytes());
    "session-finds-no-key" breaks P_PSO_12: "a find has a null key",
        needs need::FIND,
        at Find |call| call.before(|call| {
            let (key, mut query) = (ptr::null(), size_query());
            let _ = Find { key, values: &raw mut query, count: 1, ..*call }.pass();
        });
    "session-finds-nothing" breaks P_PSO_12: "a find of an addition has no values",
        needs need::FIND, where ADDITION,
        at Find |call| call.before(|call| {
            let _ = Find { count: 0, ..*call }.pass();
        });
    "session-finds-into-null" breaks P_PSO_12: "a value that is there is read into a null buffer that has a size",
        needs need::FOUND,
        at Find |call| call.after(|call, result| if result.is_ok() {
            let mut query = size_query();
            query.Value.ValueSize = 16;
            let _ = Find { values: &raw mut query, count: 1, ..*call }.pass();
        });
    "session-race-lost" breaks P_PSO_13: "DXGI_ERROR_ALREADY_EXISTS of a value that was not found is passed on",
        at Compile race_lost;
    "session-race-lost-of-addition" breaks P_PSO_13: "of an addition DXGI_ERROR_ALREADY_EXISTS is passed on",
        where ADDITION, at Compile race_lost;
    "session-race-unnamed" breaks P_PSO_13: "a key whose values another thread stored is not named",
        at Store |call| call.after(|call, result| if *result == DXGI_ERROR_ALREADY_EXISTS {
            in_progress(call.session, |compile| compile.unnamed.push(call.key_bytes()));
        });
    "session-store-failure-ignored" breaks P_PSO_14: "a store that fails is taken for one that succeeded",
        at Store ignored;
    "session-store-failure-ignored-of-geometry" breaks P_PSO_14:
        "with a geometry shader a store that fails is taken for one that succeeded",
        where GEOMETRY, at Store ignored;
    "session-keys-failure-ignored" breaks P_PSO_14: "value keys that the host refuses are taken for set",
        at SetKeys |call| call.after(|_, result| *result = S_OK);
    "session-keys-of-failure" breaks P_PSO_14: "the key of a store that fails is set as the only one",
        at Store |call| call.after(|call, result| if is_failure(*result) {
            let _ = set_one(call.slot, call.session, &call.key_bytes());
        });
    "session-refuses-after-failure" breaks P_PSO_14: "after a callback failed every compile fails",
        sometimes P_SO_04: "it makes state objects after a callback failed",
        at Find |call| call.after(|_, result| note(*result)),
        at Store |call| call.after(|_, result| note(*result)),
        at SetKeys |call| call.after(|_, result| note(*result)),
        at Compile |call| call.answer_if(HAS_FAILED.load(Ordering::Relaxed), E_FAIL);
    "session-remembers-too-early" breaks P_PSO_14: "a value whose store failed is not stored the next time",
        at Store |call| remembers(call, is_failure);
    "session-later-skipped" breaks P_PSO_15: "where a key has values, no other types are added",
        needs need::FOUND_IN_PART, at Find later_skipped;
    "session-later-skipped-of-addition" breaks P_PSO_15:
        "where a key of an addition has values, no other types are added",
        needs need::FOUND_IN_PART, where ADDITION, at Find later_skipped;
    "session-key-from-types" breaks P_PSO_15: "keys depend on whether debug information is requested",
        at Compile |call| call.keyed([u8::from(call.state.requests(DEBUG_PDB))]);
    "session-no-types-stored" breaks P_PSO_16: "with no value types something is stored",
        at Compile |call| call.after(|call, result| if call.state.requested.0 == 0 {
            *result = call.store_anything();
        });
    "session-no-types-unnamed" breaks P_PSO_16: "with no value types a compile succeeds without value keys",
        at Compile |call| call.answer_if(call.state.requested.0 == 0, S_OK);
    "session-no-types-of-addition" breaks P_PSO_16: "with no value types an addition sets value keys and fails",
        where ADDITION,
        at Compile |call| call.after(|call, result| if call.state.requested.0 == 0 {
            let _ = set_one(call.slot, call.session, b"anything");
            *result = E_FAIL;
        });
    "session-latest" breaks P_PSO_19: "callbacks have the session of the compile that began last",
        at Handle |_| session_at(PREVIOUS.load(Ordering::Relaxed));
    "session-key-from-others" breaks P_PSO_19: "keys depend on whether another compile is in progress",
        at Compile |call| {
            let is_alone = !is_any_in_progress();
            call.keyed(if is_alone { b"".as_slice() } else { b"others" })
        };
    "session-one-for-compiler" breaks P_PSO_19: "a second compile with a compiler at the same time fails",
        at Compile |call| {
            let is_busy = all_in_progress().iter().any(|other| other.compiler == call.own.memory);
            call.answer_if(is_busy, E_FAIL)
        };
    "session-code-from-address" breaks P_PSO_07: "object code depends on the address of the pipeline description",
        at Compile |call| {
            let about = call.state.about;
            let address = about.pipeline().map(|desc| ptr::from_ref(desc).addr().to_le_bytes());
            call.coded(address.map(Vec::from).unwrap_or_default())
        };
}

/// What the defect of a field does where the field is off its default.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OfField {
    /// The callbacks have this defect, which others have for any object.
    Defect(crate::defect::Session),
    /// The keys are those of the field at its default, but the object code is not.
    Forgets,
    /// The keys are made of this number, which does not have the field.
    KeysOf(u64),
}

fn twice(call: &mut SetKeys) -> HRESULT {
    call.after(|call, _| {
        let _ = call.pass();
    })
}

/// Whether the compile in progress is so.
fn state(call: &SetKeys, is_so: fn(&crate::compile::InProgress) -> bool) -> bool {
    in_progress(call.session, |compile| is_so(compile)) == Some(true)
}

fn no_value(call: &mut SetKeys) -> HRESULT {
    call.with_keys(|keys| keys.push(b"no value".to_vec()))
}

/// Stores what `change` makes of the values, if any are left.
fn with_values(call: &mut Store, change: impl FnOnce(&mut Vec<Value>)) -> HRESULT {
    let mut values = call.values().to_vec();
    change(&mut values);
    match defects::given(call.key) {
        Some(_) if values.is_empty() => S_OK,
        Some(key) => call.store(key, &values),
        None => call.pass(),
    }
}

/// Stores, and makes a store more.
fn stored_too(call: &mut Store, more: fn(&mut Store, RawKey, &[Value]) -> HRESULT) -> HRESULT {
    call.after(|call, _| {
        if let (Some(key), true) = (defects::given(call.key), call.count > 0) {
            let _ = more(call, *key, call.values());
        }
    })
}

fn unnamed(call: &mut Store) -> HRESULT {
    stored_too(call, |call, _, values| {
        let key = [&call.key_bytes()[..], b"unnamed"].concat();
        call.store(&raw_key(&key), values)
    })
}

fn ignored(call: &mut Store) -> HRESULT {
    call.after(|_, result| {
        if is_failure(*result) {
            *result = S_OK;
        }
    })
}

/// Does not store a value again whose store had a result that `counts`.
pub(crate) fn remembers(call: &mut Store, counts: fn(HRESULT) -> bool) -> HRESULT {
    /// The keys whose stores failed.
    static FAILED: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());
    let key = call.key_bytes();
    let mut failed = FAILED.lock();
    if let Some(at) = failed.iter().position(|failed| *failed == key) {
        failed.swap_remove(at);
        return S_OK;
    }
    drop(failed);
    call.after(|_, result| {
        if counts(*result) {
            FAILED.lock().push(key);
        }
    })
}

fn race_lost(call: &mut Compile) -> HRESULT {
    call.after(|call, result| {
        if call.state.lost_race {
            *result = DXGI_ERROR_ALREADY_EXISTS;
        }
    })
}

/// Whether a callback has failed in this process.
static HAS_FAILED: AtomicBool = AtomicBool::new(false);

fn note(result: HRESULT) {
    if is_failure(result) {
        HAS_FAILED.store(true, Ordering::Relaxed);
    }
}

fn later_skipped(call: &mut Find) -> HRESULT {
    call.after(|call, result| {
        if result.is_ok() {
            take_for_found(call);
        }
    })
}

/// Has values that were asked for their size have one.
pub(crate) fn take_for_found(call: &Find) {
    let asked = call
        .values()
        .iter_mut()
        .filter(|value| value.Value.pValue.is_null());
    for value in asked {
        value.Value.ValueSize = value.Value.ValueSize.max(1);
    }
}

fn size_query() -> D3D12DDI_COMPILER_CACHE_TYPED_VALUE {
    bytemuck::Zeroable::zeroed()
}

fn since_1970() -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default()
}

/// A number of a pipeline; nothing for other objects.
fn of_pipeline(
    call: &Compile,
    number: fn(&D3D12DDIARG_CREATE_PIPELINE_STATE_0099) -> i32,
) -> Vec<u8> {
    let number = call.state.about.pipeline().map(number);
    number
        .map(|number| number.to_le_bytes().to_vec())
        .unwrap_or_default()
}

/// The padding behind SampleMask; there is none in 32-bit processes.
fn padding(desc: &D3D12DDIARG_CREATE_PIPELINE_STATE_0099) -> Vec<u8> {
    let mask = offset_of!(D3D12DDIARG_CREATE_PIPELINE_STATE_0099, SampleMask);
    let next = offset_of!(D3D12DDIARG_CREATE_PIPELINE_STATE_0099, hRasterizerState);
    let first = ptr::from_ref(desc).cast::<u8>();
    // SAFETY: inside the host's structure, which it initialised as bytes.
    let byte = |at| unsafe { first.add(at).read_volatile() };
    (mask + size_of::<UINT>()..next).map(byte).collect()
}

/// A program of the host's.
pub(crate) fn words<'a>(program: *const u32) -> &'a [u32] {
    // SAFETY: as long as its header says, whose second word counts all words.
    unsafe { slice::from_raw_parts(program, program.add(1).read() as usize) }
}

fn key_of_programs(call: &mut Compile) -> HRESULT {
    let about = call.state.about;
    let hash = |(_, code): (u32, *const u32)| {
        let mut hasher = DefaultHasher::new();
        words(code).hash(&mut hasher);
        hasher.finish().to_le_bytes()
    };
    if let Some(desc) = about.pipeline() {
        let programs = shaders(desc).flat_map(hash);
        call.state.keys_of = Some(call.target_and(0).into_iter().chain(programs).collect());
    }
    call.pass()
}

/// Of a target that is there the newest of the first family.
fn newest_of_first(open: &Open, target: D3D12DDI_COMPILER_TARGET) -> D3D12DDI_COMPILER_TARGET {
    if exists(open, target) {
        newest(open, 0)
    } else {
        target
    }
}

/// Of a target that is there the newest of its family.
pub(crate) fn newest_of_family(
    open: &Open,
    target: D3D12DDI_COMPILER_TARGET,
) -> D3D12DDI_COMPILER_TARGET {
    if exists(open, target) {
        newest(open, target.AdapterFamilyIndex)
    } else {
        target
    }
}
