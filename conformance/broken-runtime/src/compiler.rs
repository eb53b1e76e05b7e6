//! `ID3D12Compiler1` and `ID3D12CompilerStateObject`.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{ptr, slice, thread};

use api_sys::*;
use defects::{Place, follow, given, given_array, rows};
use parking_lot::Mutex;
use windows_core::{GUID, HRESULT, IUnknown, Interface};

use crate::hook::{hook, release};
use crate::host::Asked;
use crate::places::*;
use crate::session::{self, group_bytes, group_keys, has_every_type, value_bytes, version};

rows! {
    Hook, Asked;

    "compile-no-group" breaks R_CMP_04: "a compiled pipeline's group has another key",
        at CompilePipelineState |call| {
            let other = OtherKey::new(call.this, call.key);
            call.key = other.as_ref().map_or(call.key, |other| &raw const other.key);
            call.pass()
        };
    "compile-no-graphics" breaks R_CMP_04: "graphics pipelines get E_NOTIMPL",
        at CompilePipelineState |call| call.answer_if(given(call.desc).is_some_and(is_long), E_NOTIMPL);
    "compile-first-value-only" breaks R_CMP_05: "of several values of a pipeline one has object code",
        at CompilePipelineState lose_code,
        at FindValue lost;
    "compile-present-accepted" breaks R_CMP_06: "a group that is present makes CompilePipelineState return S_OK",
        at CompilePipelineState |call| call.answer_if(is_present(call.this, call.key), S_OK);
    "compile-compiled-accepted" breaks R_CMP_06: "a group that was compiled before makes CompilePipelineState return S_OK",
        at CompilePipelineState compiled_accepted;
    "compile-present-fails" breaks R_CMP_07: "a group that is present makes CompilePipelineState return E_FAIL",
        at CompilePipelineState |call| call.answer_if(is_present(call.this, call.key), E_FAIL);
    "compile-group-of-failure" breaks R_CMP_08: "a failed compile stores an empty group",
        at CompilePipelineState |call| call.after(|call, result| if result.is_err() && !call.key.is_null() && !call.desc.is_null() {
            store_empty_group(call.this, call.key, call.version);
        });
    "compile-group-of-addition" breaks R_CMP_08: "an addition that fails stores an empty group",
        at CompileAddition |call| call.after(|call, result| if result.is_err() && !call.key.is_null() && !call.addition.is_null() {
            store_empty_group(call.this, call.key, call.version);
        });
    "compile-null-desc-pointer" breaks R_CMP_09: "a null description gets E_POINTER",
        at CompilePipelineState |call| call.answer_if(call.desc.is_null(), E_POINTER);
    "compile-null-key-followed" breaks R_CMP_09: "a null group key is read",
        at CompilePipelineState |call| call.following(call.key);
    "compile-addition-null-desc" breaks R_CMP_09: "a null description of an addition gets E_POINTER",
        at CompileAddition |call| call.answer_if(call.addition.is_null(), E_POINTER);
    "compile-no-state-objects" breaks R_CMP_10: "CompileStateObject returns E_NOTIMPL",
        at CompileStateObject |call| call.after(|call, result| if *result == S_OK {
            release(call.place);
            *result = E_NOTIMPL;
        });
    "compile-no-object-group" breaks R_CMP_10: "a state object's group has another key",
        at CompileStateObject |call| {
            let other = OtherKey::new(call.this, call.key);
            call.key = other.as_ref().map_or(call.key, |other| &raw const other.key);
            call.pass()
        };
    "compile-no-grandchildren" breaks R_CMP_11: "nothing grows from a state object that was grown",
        at CompileAddition |call| {
            let is_grown = GROWN.lock().contains(&call.parent.addr());
            call.answer_if(is_grown, E_INVALIDARG)
        };
    "compile-one-child" breaks R_CMP_11: "a state object grows once",
        at CompileAddition one_child;
    "compile-no-collections" breaks R_CMP_12: "collections get E_NOTIMPL",
        at CompileStateObject |call| call.answer_if(
            given(call.desc).is_some_and(|desc| desc.Type == D3D12_STATE_OBJECT_TYPE_COLLECTION), E_NOTIMPL
        );
    "compile-collection-unknown" breaks R_CMP_12: "a state object with an existing collection gets E_INVALIDARG",
        at CompileStateObject |call| call.answer_if(!existing_collections(call).is_empty(), E_INVALIDARG);
    "compile-null-collection-followed" breaks R_CMP_13: "an existing collection that is null is called",
        at CompileStateObject |call| {
            existing_collections(call).into_iter().for_each(follow);
            call.pass()
        };
    "compile-collection-passed-over" breaks R_CMP_13: "a collection that is given by its key is passed over",
        at CompileStateObject passed_over;
    "compile-first-group-only" breaks R_CMP_14: "of several groups the first is stored",
        at CompilePipelineState1 first_only,
        at CompileStateObject1 first_only,
        at CompileAddition1 first_only;
    "compile-one-version" breaks R_CMP_14: "several groups are stored under the version of the first",
        at CompilePipelineState1 one_version,
        at CompileStateObject1 one_version,
        at CompileAddition1 one_version;
    "compile-new-groups-stored" breaks R_CMP_15: "where a group is present the others are stored",
        at CompilePipelineState1 new_stored,
        at CompileStateObject1 new_stored,
        at CompileAddition1 new_stored;
    "compile-refused-accepted" breaks R_CMP_16: "a pipeline that is refused gets S_OK, and nothing is compiled",
        at CompilePipelineState |call| call.after(|call, result| if is_refused_in_part(call, *result) {
            *result = S_OK;
        });
    "compile-end-ignored" breaks R_CMP_16:
        "the end of a stream that is refused is passed over where the rest is a pipeline",
        at CompilePipelineState |call| call.after(|call, result| if is_refused_in_part(call, *result) && compile_begin(call) {
            *result = S_OK;
        });
    "compile-refused-late" breaks R_CMP_16:
        "the rest of a stream that is refused is compiled, and then the failure is returned",
        at CompilePipelineState |call| call.after(|call, result| if is_refused_in_part(call, *result) {
            compile_begin(call);
        });
    "compiler-of-one-interface" leaves R_CMP_14 R_CMP_15: "the compiler has no ID3D12Compiler1",
        at QueryCompiler |call| {
            if given(call.iid) != Some(&ID3D12Compiler1::IID) {
                return call.pass();
            }
            // SAFETY: the caller's place.
            unsafe { call.place.write(ptr::null_mut()) };
            E_NOINTERFACE
        };
    "addition-iid-ignored" breaks R_LIF_01: "an unknown IID gets a grown state object",
        at CompileAddition |call| call.after(|call, result| if *result == E_NOINTERFACE {
            call.riid = &ID3D12CompilerStateObject::IID;
            *result = call.pass();
        });
    "no-compiler" breaks R_LIF_02: "GetCompiler returns E_NOTIMPL",
        at GetCompiler |_| E_NOTIMPL;
    "no-compiler-of-grown" breaks R_LIF_02: "GetCompiler of a grown state object returns E_NOTIMPL",
        at GetCompiler |call| {
            let is_grown = GROWN.lock().contains(&call.this.addr());
            call.answer_if(is_grown, E_NOTIMPL)
        };
    "last-cache-session" breaks R_LIF_02: "GetCacheSession gives the session that was created last",
        at GetCacheSession last_session;
    "compile-one-at-a-time" breaks R_LIF_04: "a compile while another runs is refused",
        at CompilePipelineState alone;
    "compile-one-object-at-a-time" breaks R_LIF_04: "a state object while another is compiled is refused",
        at CompileStateObject alone;
}

/// Replaces the methods of a compiler, which as in our runtime is an `ID3D12Compiler1`.
pub(crate) fn created(place: *mut *mut c_void) {
    // SAFETY: the call succeeded, so the place has a compiler, which nobody else has yet.
    unsafe { hook(*place, &COMPILER, layer) };
}

fn layer(methods: &mut ID3D12Compiler1_Vtbl) {
    layer_compiler(methods);
    methods.base__.CompileAddToStateObject = compile_addition;
    methods.CompileAddToStateObject1 = compile_addition1;
}

/// Replaces the methods of a state object that a call has made.
pub(crate) fn made(result: HRESULT, riid: *const GUID, place: *mut *mut c_void) {
    if result == S_OK && given(riid) == Some(&ID3D12CompilerStateObject::IID) {
        // SAFETY: the call succeeded, so the place has a state object, which nobody else has yet.
        unsafe { hook(*place, &OBJECT, layer_object) };
    }
}

pub(crate) fn compile_state_object(call: &mut CompileStateObject) -> HRESULT {
    let result = call.base();
    made(result, call.riid, call.place);
    result
}

/// The state objects that were grown, as addresses.
static GROWN: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// Notes what a call has grown.
pub(crate) fn grown(result: HRESULT, place: *mut *mut c_void) {
    if result == S_OK {
        // SAFETY: the call succeeded, so the place has a state object.
        GROWN.lock().push(unsafe { *place }.addr());
    }
}

/// Does something with the session of a compiler.
fn with_session<R>(this: *mut c_void, use_it: impl FnOnce(*mut c_void) -> R) -> Option<R> {
    let mut session = ptr::null_mut();
    let mut call = GetCacheSession {
        this,
        riid: &ID3D12CompilerCacheSession::IID,
        place: &raw mut session,
    };
    if call.base() != S_OK {
        return None;
    }
    // SAFETY: the call gave a session.
    let session = unsafe { ID3D12CompilerCacheSession::from_raw(session) };
    Some(use_it(session.as_raw()))
}

/// Whether the session of a compiler has a group.
fn is_present(this: *mut c_void, key: *const D3D12_COMPILER_CACHE_GROUP_KEY) -> bool {
    with_session(this, |session| version(session, key).is_some()) == Some(true)
}

/// Stores a group without value keys.
fn store_empty_group(this: *mut c_void, key: *const D3D12_COMPILER_CACHE_GROUP_KEY, version: u32) {
    with_session(this, |this| {
        let keys = ptr::null();
        let _ = StoreGroup {
            this,
            key,
            version,
            keys,
            count: 0,
        }
        .base();
    });
}

/// Another key, made of that of a group that is not present.
struct OtherKey {
    key: D3D12_COMPILER_CACHE_GROUP_KEY,
    _bytes: Vec<u8>,
}

impl OtherKey {
    fn new(this: *mut c_void, key: *const D3D12_COMPILER_CACHE_GROUP_KEY) -> Option<Self> {
        let is_key = given(key).is_some_and(|key| !key.pKey.is_null());
        if !is_key || is_present(this, key) {
            return None;
        }
        let bytes = [b"other ", &group_bytes(key)[..]].concat();
        let key = D3D12_COMPILER_CACHE_GROUP_KEY {
            pKey: bytes.as_ptr().cast(),
            KeySize: u32::try_from(bytes.len()).unwrap_or(0),
        };
        Some(Self { key, _bytes: bytes })
    }
}

/// Whether a stream has more than a compute shader.
fn is_long(desc: &D3D12_PIPELINE_STATE_STREAM_DESC) -> bool {
    desc.SizeInBytes > size_of::<PipelineStateSubobject<D3D12_SHADER_BYTECODE>>()
}

/// Values whose object code is not found.
static LOST: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// Loses the object code of all values of a group but the first, in a session of every type: in another a key without any value
/// would be noticed before.
fn lose_code(call: &mut CompilePipelineState) -> HRESULT {
    call.after(|call, result| {
        let keys = |session| {
            if has_every_type(session) {
                group_keys(session, call.key, ptr::null())
            } else {
                Vec::new()
            }
        };
        if *result == S_OK {
            let keys = with_session(call.this, keys).unwrap_or_default();
            LOST.lock().extend(keys.into_iter().skip(1));
        }
    })
}

fn lost(call: &mut FindValue) -> HRESULT {
    let is_code = given(call.values).is_some_and(|first| first.Type == 0);
    let is_lost = is_code && !call.key.is_null() && LOST.lock().contains(&value_bytes(call.key));
    call.answer_if(is_lost, DXGI_ERROR_NOT_FOUND)
}

fn compiled_accepted(call: &mut CompilePipelineState) -> HRESULT {
    /// The keys of the groups that were compiled.
    static COMPILED: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());
    if is_present(call.this, call.key) && COMPILED.lock().contains(&group_bytes(call.key)) {
        return S_OK;
    }
    call.after(|call, result| {
        if *result == S_OK {
            COMPILED.lock().push(group_bytes(call.key));
        }
    })
}

fn is_refused_in_part(call: &CompilePipelineState, result: HRESULT) -> bool {
    result == E_INVALIDARG && !call.key.is_null() && given(call.desc).is_some_and(is_long)
}

/// Compiles the longest begin of a stream that is a pipeline.
fn compile_begin(call: &mut CompilePipelineState) -> bool {
    let desc = *given(call.desc).expect("it was refused in part");
    let sizes = (0..desc.SizeInBytes).step_by(size_of::<usize>());
    sizes.rev().any(|size| {
        let begin = D3D12_PIPELINE_STATE_STREAM_DESC {
            SizeInBytes: size,
            ..desc
        };
        call.desc = &raw const begin;
        call.pass() == S_OK
    })
}

fn one_child(call: &mut CompileAddition) -> HRESULT {
    /// The state objects that something has grown from, as addresses.
    static PARENTS: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let parent = call.parent.addr();
    if PARENTS.lock().contains(&parent) {
        return E_INVALIDARG;
    }
    call.after(|_, result| {
        if *result == S_OK {
            PARENTS.lock().push(parent);
        }
    })
}

fn subobjects(call: &CompileStateObject) -> &[D3D12_STATE_SUBOBJECT] {
    given(call.desc).map_or(&[], |desc| {
        given_array(desc.pSubobjects, desc.NumSubobjects)
    })
}

fn existing_collections(call: &CompileStateObject) -> Vec<*const c_void> {
    let existing = subobjects(call).iter().filter(|subobject| {
        subobject.Type == D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION
    });
    // SAFETY: the type says what it is; it begins with the pointer.
    let pointer =
        |it: &D3D12_STATE_SUBOBJECT| unsafe { it.pDesc.cast::<*const c_void>().read_unaligned() };
    existing.map(pointer).collect()
}

fn passed_over(call: &mut CompileStateObject) -> HRESULT {
    let Some(desc) = given(call.desc) else {
        return call.pass();
    };
    let mut others = subobjects(call).to_vec();
    others.retain(|it| it.Type != D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY);
    let others = D3D12_STATE_OBJECT_DESC {
        Type: desc.Type,
        NumSubobjects: u32::try_from(others.len()).unwrap_or(0),
        pSubobjects: others.as_ptr(),
    };
    call.desc = &raw const others;
    call.pass()
}

/// A call with several groups.
trait OfGroups: Place<Answer = HRESULT> {
    fn this(&self) -> *mut c_void;

    /// The keys, the versions, and their number.
    fn groups(
        &mut self,
    ) -> (
        &mut *const D3D12_COMPILER_CACHE_GROUP_KEY,
        &mut *const u32,
        &mut u32,
    );

    /// Makes the call with the groups that `change` leaves, if there are several.
    fn with(&mut self, change: impl FnOnce(*mut c_void, &mut Vec<Group>)) -> HRESULT {
        let this = self.this();
        let (keys, versions, count) = self.groups();
        if keys.is_null() || versions.is_null() || *count < 2 {
            return self.pass();
        }
        // SAFETY: the arrays have `count` elements.
        let (own_keys, own_versions) = unsafe {
            (
                slice::from_raw_parts(*keys, *count as usize),
                slice::from_raw_parts(*versions, *count as usize),
            )
        };
        let mut groups: Vec<Group> = own_keys
            .iter()
            .copied()
            .zip(own_versions.iter().copied())
            .collect();
        change(this, &mut groups);
        let (new_keys, new_versions): (Vec<_>, Vec<_>) = groups.into_iter().unzip();
        *count = u32::try_from(new_keys.len()).unwrap_or(0);
        (*keys, *versions) = (new_keys.as_ptr(), new_versions.as_ptr());
        self.pass()
    }
}

type Group = (D3D12_COMPILER_CACHE_GROUP_KEY, u32);

macro_rules! of_groups {
    ($($place:ident)*) => {
        $(impl OfGroups for $place {
            fn this(&self) -> *mut c_void {
                self.this
            }

            fn groups(
                &mut self,
            ) -> (
                &mut *const D3D12_COMPILER_CACHE_GROUP_KEY,
                &mut *const u32,
                &mut u32,
            ) {
                (&mut self.keys, &mut self.versions, &mut self.count)
            }
        })*
    };
}

of_groups!(CompilePipelineState1 CompileStateObject1 CompileAddition1);

fn first_only(call: &mut impl OfGroups) -> HRESULT {
    call.with(|_, groups| groups.truncate(1))
}

fn one_version(call: &mut impl OfGroups) -> HRESULT {
    call.with(|_, groups| {
        let (_, first) = groups[0];
        for (_, version) in groups {
            *version = first;
        }
    })
}

fn new_stored(call: &mut impl OfGroups) -> HRESULT {
    call.after(|call, result| {
        if result.is_err() {
            // The result of the call stays that of all.
            let _ = call.with(|this, groups| groups.retain(|(key, _)| !is_present(this, key)));
        }
    })
}

fn last_session(call: &mut GetCacheSession) -> HRESULT {
    let Some((last, _)) = session::last() else {
        return call.pass();
    };
    // SAFETY: a session that the tests keep.
    let last = unsafe { IUnknown::from_raw_borrowed(&last) };
    // SAFETY: the caller's IID and place.
    last.map_or(E_FAIL, |last| unsafe { last.query(call.riid, call.place) })
}

/// Makes a call, slowly, and refuses those that come meanwhile.
fn alone(call: &mut impl Place<Answer = HRESULT>) -> HRESULT {
    static BUSY: AtomicBool = AtomicBool::new(false);
    if BUSY.swap(true, Ordering::Relaxed) {
        return DXGI_ERROR_INVALID_CALL;
    }
    thread::sleep(Duration::from_millis(30));
    let result = call.pass();
    BUSY.store(false, Ordering::Relaxed);
    result
}
