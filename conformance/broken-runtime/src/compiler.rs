//! `ID3D12Compiler1` and `ID3D12CompilerStateObject`.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use std::{mem, ptr, slice, thread};

use api_sys::{
    D3D12_COMPILER_CACHE_GROUP_KEY, D3D12_PIPELINE_STATE_STREAM_DESC, D3D12_SHADER_BYTECODE,
    D3D12_STATE_OBJECT_DESC, D3D12_STATE_OBJECT_TYPE, D3D12_STATE_OBJECT_TYPE_COLLECTION,
    D3D12_STATE_SUBOBJECT, D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
    D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY, DXGI_ERROR_INVALID_CALL, E_FAIL,
    E_INVALIDARG, E_NOINTERFACE, E_NOTIMPL, E_POINTER, ID3D12Compiler_Vtbl, ID3D12Compiler1,
    ID3D12Compiler1_Vtbl, ID3D12CompilerCacheSession, ID3D12CompilerStateObject,
    ID3D12CompilerStateObject_Vtbl, PipelineStateSubobject, S_OK,
};
use base_plugin::{defects, follow};
use windows_core::{GUID, HRESULT, IUnknown, Interface, Ref};

use crate::defect::has;
use crate::hook::release;
use crate::session;

/// The defects of this file.
#[macro_export]
macro_rules! compiler_defects {
    ($take:ident) => {
        $take! {
            /// In the methods of compilers and state objects.
            Compilers {
                NoGroup = "compile-no-group" breaks R_CMP_04:
                    "a compiled pipeline's group has another key";
                NoGraphics = "compile-no-graphics" breaks R_CMP_04:
                    "graphics pipelines get E_NOTIMPL";
                FirstValueOnly = "compile-first-value-only" breaks R_CMP_05:
                    "of several values of a pipeline one has object code";
                PresentAccepted = "compile-present-accepted" breaks R_CMP_06:
                    "a group that is present makes CompilePipelineState return S_OK";
                CompiledAccepted = "compile-compiled-accepted" breaks R_CMP_06:
                    "a group that was compiled before makes CompilePipelineState return S_OK";
                PresentFails = "compile-present-fails" breaks R_CMP_07:
                    "a group that is present makes CompilePipelineState return E_FAIL";
                GroupOfFailure = "compile-group-of-failure" breaks R_CMP_08:
                    "a failed compile stores an empty group";
                GroupOfAddition = "compile-group-of-addition" breaks R_CMP_08:
                    "an addition that fails stores an empty group";
                NullDescPointer = "compile-null-desc-pointer" breaks R_CMP_09:
                    "a null description gets E_POINTER";
                NullGroupKeyFollowed = "compile-null-key-followed" breaks R_CMP_09:
                    "a null group key is read";
                AdditionNullDesc = "compile-addition-null-desc" breaks R_CMP_09:
                    "a null description of an addition gets E_POINTER";
                NoStateObjects = "compile-no-state-objects" breaks R_CMP_10:
                    "CompileStateObject returns E_NOTIMPL";
                NoObjectGroup = "compile-no-object-group" breaks R_CMP_10:
                    "a state object's group has another key";
                NoGrandchildren = "compile-no-grandchildren" breaks R_CMP_11:
                    "nothing grows from a state object that was grown";
                OneChild = "compile-one-child" breaks R_CMP_11:
                    "a state object grows once";
                NoCollections = "compile-no-collections" breaks R_CMP_12:
                    "collections get E_NOTIMPL";
                CollectionUnknown = "compile-collection-unknown" breaks R_CMP_12:
                    "a state object with an existing collection gets E_INVALIDARG";
                CollectionFollowed = "compile-null-collection-followed" breaks R_CMP_13:
                    "an existing collection that is null is called";
                CollectionPassedOver = "compile-collection-passed-over" breaks R_CMP_13:
                    "a collection that is given by its key is passed over";
                FirstGroupOnly = "compile-first-group-only" breaks R_CMP_14:
                    "of several groups the first is stored";
                OneVersion = "compile-one-version" breaks R_CMP_14:
                    "several groups are stored under the version of the first";
                NewGroupsStored = "compile-new-groups-stored" breaks R_CMP_15:
                    "where a group is present the others are stored";
                RefusedAccepted = "compile-refused-accepted" breaks R_CMP_16:
                    "a pipeline that is refused gets S_OK, and nothing is compiled";
                EndIgnored = "compile-end-ignored" breaks R_CMP_16:
                    "the end of a stream that is refused is passed over where the rest is a pipeline";
                RefusedLate = "compile-refused-late" breaks R_CMP_16:
                    "the rest of a stream that is refused is compiled, and then the failure is returned";
                NoCompiler1 = "compiler-of-one-interface" leaves R_CMP_14 R_CMP_15:
                    "the compiler has no ID3D12Compiler1";
                AdditionIidIgnored = "addition-iid-ignored" breaks R_LIF_01:
                    "an unknown IID gets a grown state object";
                NoCompiler = "no-compiler" breaks R_LIF_02:
                    "GetCompiler returns E_NOTIMPL";
                NoCompilerOfGrown = "no-compiler-of-grown" breaks R_LIF_02:
                    "GetCompiler of a grown state object returns E_NOTIMPL";
                LastCacheSession = "last-cache-session" breaks R_LIF_02:
                    "GetCacheSession gives the session that was created last";
                OneAtATime = "compile-one-at-a-time" breaks R_LIF_04:
                    "a compile while another runs is refused";
                OneObjectAtATime = "compile-one-object-at-a-time" breaks R_LIF_04:
                    "a state object while another is compiled is refused";
            }
        }
    };
}

compiler_defects!(defects);

static ORIGINAL: OnceLock<ID3D12Compiler1_Vtbl> = OnceLock::new();
static ORIGINAL_OBJECT: OnceLock<ID3D12CompilerStateObject_Vtbl> = OnceLock::new();

fn original1() -> &'static ID3D12Compiler1_Vtbl {
    ORIGINAL.get().expect("set before a method is replaced")
}

fn original() -> &'static ID3D12Compiler_Vtbl {
    &original1().base__
}

/// Replaces the methods of a compiler.
///
/// # Safety
///
/// `compiler` is an `ID3D12Compiler` that the program has not got yet, and as in our runtime the begin
/// of an `ID3D12Compiler1`.
pub(crate) unsafe fn hook(compiler: *mut c_void) {
    // SAFETY: `compiler` is the begin of an `ID3D12Compiler1` that nobody calls yet.
    unsafe {
        crate::hook::hook(compiler, &ORIGINAL, |table| {
            table.base__.base__.base__.QueryInterface = query_interface;
            table.base__.GetCacheSession = get_cache_session;
            table.base__.CompilePipelineState = compile_pipeline_state;
            table.base__.CompileStateObject = compile_state_object;
            table.base__.CompileAddToStateObject = compile_add_to_state_object;
            table.CompilePipelineState1 = compile_pipeline_state1;
            table.CompileStateObject1 = compile_state_object1;
            table.CompileAddToStateObject1 = compile_add_to_state_object1;
        });
    }
}

/// Does something with the session of a compiler.
fn with_session<R>(this: *mut c_void, use_it: impl FnOnce(*mut c_void) -> R) -> Option<R> {
    let mut session = ptr::null_mut();
    let iid = &ID3D12CompilerCacheSession::IID;
    // SAFETY: `this` is a compiler, and the IID is that of the place.
    let result = unsafe { (original().GetCacheSession)(this, iid, &raw mut session) };
    if result != S_OK {
        return None;
    }
    // SAFETY: the call gave a session.
    let session = unsafe { ID3D12CompilerCacheSession::from_raw(session) };
    Some(use_it(session.as_raw()))
}

/// Whether the session of a compiler has a group.
fn is_present(this: *mut c_void, key: *const D3D12_COMPILER_CACHE_GROUP_KEY) -> bool {
    // SAFETY: a session, and the caller's key.
    let find = |session| unsafe { session::version(session, key) }.is_some();
    with_session(this, find).unwrap_or(false)
}

/// Another key, made of a key.
struct OtherKey(Vec<u8>);

impl OtherKey {
    /// For a group that is not present.
    ///
    /// # Safety
    ///
    /// `key` is null or a key.
    unsafe fn new(this: *mut c_void, key: *const D3D12_COMPILER_CACHE_GROUP_KEY) -> Option<Self> {
        if is_present(this, key) {
            return None;
        }
        // SAFETY: `key` is null or a key, as this function demands.
        let key = unsafe { key.as_ref() }.filter(|key| !key.pKey.is_null())?;
        // SAFETY: `key` is null or a key, as this function demands.
        let bytes = unsafe { slice::from_raw_parts(key.pKey.cast::<u8>(), key.KeySize as usize) };
        Some(Self([b"other ", bytes].concat()))
    }

    fn raw(&self) -> D3D12_COMPILER_CACHE_GROUP_KEY {
        D3D12_COMPILER_CACHE_GROUP_KEY {
            pKey: self.0.as_ptr().cast(),
            KeySize: u32::try_from(self.0.len()).unwrap_or(0),
        }
    }
}

// In every function below the pointers are null or to what the API says.

unsafe extern "system" fn query_interface(
    this: *mut c_void,
    iid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    // SAFETY: null or the caller's.
    if unsafe { iid.as_ref() } == Some(&ID3D12Compiler1::IID) && has(Compilers::NoCompiler1) {
        // SAFETY: the caller's place.
        unsafe { place.write(ptr::null_mut()) };
        return E_NOINTERFACE;
    }
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    unsafe { (original().base__.base__.QueryInterface)(this, iid, place) }
}

unsafe extern "system" fn get_cache_session(
    this: *mut c_void,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    if let Some((last, _)) = session::last()
        && has(Compilers::LastCacheSession)
    {
        // SAFETY: a session that the tests keep.
        let last = unsafe { IUnknown::from_raw_borrowed(&last) };
        // SAFETY: the caller's IID and place.
        return last.map_or(E_FAIL, |last| unsafe { last.query(riid, place) });
    }
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    unsafe { (original().GetCacheSession)(this, riid, place) }
}

unsafe extern "system" fn compile_pipeline_state(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    version: u32,
    desc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
) -> HRESULT {
    static BUSY: AtomicBool = AtomicBool::new(false);
    if key.is_null() && has(Compilers::NullGroupKeyFollowed) {
        follow(key);
    }
    if desc.is_null() && has(Compilers::NullDescPointer) {
        return E_POINTER;
    }
    if has(Compilers::PresentAccepted) && is_present(this, key) {
        return S_OK;
    }
    if has(Compilers::PresentFails) && is_present(this, key) {
        return E_FAIL;
    }
    if has(Compilers::CompiledAccepted)
        && is_present(this, key)
        // SAFETY: null or the caller's.
        && unsafe { key.as_ref() }.is_some_and(was_compiled)
    {
        return S_OK;
    }
    // SAFETY: null or the caller's.
    if let Some(desc) = unsafe { desc.as_ref() }
        && desc.SizeInBytes > size_of::<PipelineStateSubobject<D3D12_SHADER_BYTECODE>>()
        && has(Compilers::NoGraphics)
    {
        return E_NOTIMPL;
    }
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    let compile = |key| unsafe { (original().CompilePipelineState)(this, key, version, desc) };
    if has(Compilers::NoGroup) {
        // SAFETY: `this` is a compiler, and `key` null or the caller's.
        let other = unsafe { OtherKey::new(this, key) };
        if let Some(other) = other {
            let raw = other.raw();
            return compile(&raw const raw);
        }
    }
    if has(Compilers::OneAtATime) {
        if BUSY.swap(true, Ordering::Relaxed) {
            return DXGI_ERROR_INVALID_CALL;
        }
        thread::sleep(Duration::from_millis(30));
        let result = compile(key);
        BUSY.store(false, Ordering::Relaxed);
        return result;
    }
    let result = compile(key);
    // SAFETY: null or the caller's.
    if let (Some(desc), E_INVALIDARG) = (unsafe { desc.as_ref() }, result)
        && !key.is_null()
        && desc.SizeInBytes > size_of::<PipelineStateSubobject<D3D12_SHADER_BYTECODE>>()
    {
        let sizes = (0..desc.SizeInBytes).step_by(size_of::<usize>()).rev();
        let mut begins = sizes.map(|size| {
            let begin = D3D12_PIPELINE_STATE_STREAM_DESC {
                SizeInBytes: size,
                ..*desc
            };
            // SAFETY: this method was in the vtable of `this`, and the begin of a stream is one, too.
            unsafe { (original().CompilePipelineState)(this, key, version, &raw const begin) }
        });
        if has(Compilers::RefusedAccepted) {
            return S_OK;
        }
        if has(Compilers::EndIgnored) {
            return begins.find(|result| *result == S_OK).unwrap_or(result);
        }
        if has(Compilers::RefusedLate) {
            let _ = begins.any(|result| result == S_OK);
            return result;
        }
    }
    if result.is_err() && !key.is_null() && !desc.is_null() && has(Compilers::GroupOfFailure) {
        // SAFETY: a session and the caller's key.
        with_session(this, |session| unsafe {
            session::store_empty_group(session, key, version);
        });
    }
    if result == S_OK && has(Compilers::FirstValueOnly) {
        // SAFETY: a session and the caller's key.
        with_session(this, |session| unsafe { session::lose_code(session, key) });
    }
    if result == S_OK {
        // SAFETY: the runtime has stored the group.
        compiled().push(unsafe { bytes_of(&*key) });
    }
    result
}

/// The keys of the groups of pipelines that were compiled.
fn compiled() -> MutexGuard<'static, Vec<Vec<u8>>> {
    static COMPILED: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());
    COMPILED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn was_compiled(key: &D3D12_COMPILER_CACHE_GROUP_KEY) -> bool {
    // SAFETY: the caller's key.
    !key.pKey.is_null() && compiled().contains(&unsafe { bytes_of(key) })
}

/// # Safety
///
/// It is a key.
unsafe fn bytes_of(key: &D3D12_COMPILER_CACHE_GROUP_KEY) -> Vec<u8> {
    // SAFETY: it is a key, as this function demands.
    unsafe { slice::from_raw_parts(key.pKey.cast::<u8>(), key.KeySize as usize) }.to_vec()
}

/// What both calls that make a state object do after it is made.
///
/// # Safety
///
/// The place has a state object that the program has not got yet.
unsafe fn made(riid: *const GUID, place: *mut *mut c_void) {
    // SAFETY: the call succeeded, so the IID and the place are there.
    unsafe {
        if *riid == ID3D12CompilerStateObject::IID {
            crate::hook::hook(*place, &ORIGINAL_OBJECT, |table| {
                table.GetCompiler = get_compiler;
            });
        }
    }
}

unsafe extern "system" fn compile_state_object(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    version: u32,
    desc: *const D3D12_STATE_OBJECT_DESC,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    static BUSY: AtomicBool = AtomicBool::new(false);
    // SAFETY: null or the caller's.
    let collections = unsafe { desc.as_ref() }.map(Collections::new);
    let collections = collections.as_ref();
    if has(Compilers::NoCollections) && collections.is_some_and(|it| it.is_collection) {
        return E_NOTIMPL;
    }
    if has(Compilers::CollectionUnknown) && collections.is_some_and(|it| !it.existing.is_empty()) {
        return E_INVALIDARG;
    }
    if has(Compilers::CollectionFollowed) {
        for existing in collections.iter().flat_map(|it| &it.existing) {
            follow(*existing);
        }
    }
    let others = collections.map(Collections::others);
    let desc = match &others {
        Some(others) if has(Compilers::CollectionPassedOver) => &raw const *others,
        _ => desc,
    };
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    let compile =
        |key| unsafe { (original().CompileStateObject)(this, key, version, desc, riid, place) };
    if has(Compilers::OneObjectAtATime) {
        if BUSY.swap(true, Ordering::Relaxed) {
            return DXGI_ERROR_INVALID_CALL;
        }
        thread::sleep(Duration::from_millis(30));
        let result = compile(key);
        BUSY.store(false, Ordering::Relaxed);
        return result;
    }
    let mut result = None;
    if has(Compilers::NoObjectGroup) {
        // SAFETY: `this` is a compiler, and `key` null or the caller's.
        let other = unsafe { OtherKey::new(this, key) };
        result = other.map(|other| {
            let raw = other.raw();
            compile(&raw const raw)
        });
    }
    let result = result.unwrap_or_else(|| compile(key));
    if result != S_OK {
        return result;
    }
    if has(Compilers::NoStateObjects) {
        // SAFETY: the place has a state object.
        unsafe { release(place) };
        return E_NOTIMPL;
    }
    // SAFETY: the place has a state object, which nobody else has yet.
    unsafe { made(riid, place) };
    result
}

unsafe extern "system" fn compile_add_to_state_object(
    this: *mut c_void,
    key: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    version: u32,
    addition: *const D3D12_STATE_OBJECT_DESC,
    parent: Ref<ID3D12CompilerStateObject>,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    /// The state objects that were grown, as addresses.
    static GROWN: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    /// Those that something has grown from.
    static PARENTS: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let grown = || GROWN.lock().unwrap_or_else(PoisonError::into_inner);
    let parents = || PARENTS.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: a Ref is the pointer.
    let pointer: *mut c_void = unsafe { mem::transmute_copy(&parent) };
    if has(Compilers::NoGrandchildren) && grown().contains(&pointer.addr()) {
        return E_INVALIDARG;
    }
    if has(Compilers::OneChild) && parents().contains(&pointer.addr()) {
        return E_INVALIDARG;
    }
    if addition.is_null() && has(Compilers::AdditionNullDesc) {
        return E_POINTER;
    }
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call. A Ref is the pointer.
    let add = |iid| unsafe {
        let parent = mem::transmute_copy(&parent);
        (original().CompileAddToStateObject)(this, key, version, addition, parent, iid, place)
    };
    let result = match add(riid) {
        E_NOINTERFACE if has(Compilers::AdditionIidIgnored) => add(&ID3D12CompilerStateObject::IID),
        result => result,
    };
    if result == S_OK {
        // SAFETY: the place has a state object.
        unsafe {
            grown().push((*place).addr());
            made(riid, place);
        }
        parents().push(pointer.addr());
        // SAFETY: the call succeeded, so the IID is there.
        if has(Compilers::NoCompilerOfGrown) && unsafe { *riid } == ID3D12CompilerStateObject::IID {
            // SAFETY: the place has a state object, which nobody else has yet.
            unsafe {
                crate::hook::hook(*place, &ORIGINAL_OBJECT, |table| {
                    table.GetCompiler = no_compiler;
                });
            }
        }
    }
    if result.is_err() && !addition.is_null() && !key.is_null() && has(Compilers::GroupOfAddition) {
        // SAFETY: a session and the caller's key.
        with_session(this, |session| unsafe {
            session::store_empty_group(session, key, version);
        });
    }
    result
}

unsafe extern "system" fn no_compiler(
    _: *mut c_void,
    _: *const GUID,
    _: *mut *mut c_void,
) -> HRESULT {
    E_NOTIMPL
}

/// Keys and versions of groups, as a defect has them.
struct Groups {
    keys: Vec<D3D12_COMPILER_CACHE_GROUP_KEY>,
    versions: Vec<u32>,
}

/// Makes a call with several groups, as the defect has it.
///
/// # Safety
///
/// The arrays are null or have `count` elements.
unsafe fn with_groups(
    this: *mut c_void,
    keys: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    versions: *const u32,
    count: u32,
    call: impl Fn(*const D3D12_COMPILER_CACHE_GROUP_KEY, *const u32, u32) -> HRESULT,
) -> HRESULT {
    if keys.is_null() || versions.is_null() || count < 2 {
        return call(keys, versions, count);
    }
    // SAFETY: the arrays are null or have `count` elements, as this function demands.
    let groups = unsafe {
        let (keys, versions) = (
            slice::from_raw_parts(keys, count as usize),
            slice::from_raw_parts(versions, count as usize),
        );
        keys.iter().copied().zip(versions.iter().copied())
    };
    let made = |groups: Groups| {
        let count = u32::try_from(groups.keys.len()).unwrap_or(0);
        call(groups.keys.as_ptr(), groups.versions.as_ptr(), count)
    };
    let first = groups.clone().map(|(_, version)| version).next();
    let of = |groups: &mut dyn Iterator<Item = (D3D12_COMPILER_CACHE_GROUP_KEY, u32)>| {
        let (keys, versions) = groups.unzip();
        Groups { keys, versions }
    };
    if has(Compilers::FirstGroupOnly) {
        return made(of(&mut groups.take(1)));
    }
    if has(Compilers::OneVersion) {
        return made(of(
            &mut groups.map(|(key, version)| (key, first.unwrap_or(version)))
        ));
    }
    let result = call(keys, versions, count);
    if result.is_err() && has(Compilers::NewGroupsStored) {
        let mut new = groups.filter(|(key, _)| !is_present(this, key));
        // The result of the call stays that of all.
        let _ = made(of(&mut new));
    }
    result
}

unsafe extern "system" fn compile_pipeline_state1(
    this: *mut c_void,
    keys: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    versions: *const u32,
    count: u32,
    desc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
) -> HRESULT {
    let method = original1().CompilePipelineState1;
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    unsafe {
        with_groups(this, keys, versions, count, |keys, versions, count| {
            method(this, keys, versions, count, desc)
        })
    }
}

unsafe extern "system" fn compile_state_object1(
    this: *mut c_void,
    keys: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    versions: *const u32,
    count: u32,
    desc: *const D3D12_STATE_OBJECT_DESC,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    let method = original1().CompileStateObject1;
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    unsafe {
        with_groups(this, keys, versions, count, |keys, versions, count| {
            method(this, keys, versions, count, desc, riid, place)
        })
    }
}

unsafe extern "system" fn compile_add_to_state_object1(
    this: *mut c_void,
    keys: *const D3D12_COMPILER_CACHE_GROUP_KEY,
    versions: *const u32,
    count: u32,
    addition: *const D3D12_STATE_OBJECT_DESC,
    parent: Ref<ID3D12CompilerStateObject>,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    let method = original1().CompileAddToStateObject1;
    // SAFETY: a Ref is the pointer, which is not released.
    let parent = || unsafe { mem::transmute_copy(&parent) };
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    unsafe {
        with_groups(this, keys, versions, count, |keys, versions, count| {
            method(this, keys, versions, count, addition, parent(), riid, place)
        })
    }
}

/// What a description says of collections.
struct Collections {
    is_collection: bool,
    /// The existing ones.
    existing: Vec<*const c_void>,
    /// Every subobject but those that give a collection by its key.
    others: Vec<D3D12_STATE_SUBOBJECT>,
    kind: D3D12_STATE_OBJECT_TYPE,
}

impl Collections {
    fn new(desc: &D3D12_STATE_OBJECT_DESC) -> Self {
        let all = if desc.pSubobjects.is_null() {
            &[]
        } else {
            // SAFETY: the caller's description.
            unsafe { slice::from_raw_parts(desc.pSubobjects, desc.NumSubobjects as usize) }
        };
        let existing = all.iter().filter(|subobject| {
            subobject.Type == D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION
        });
        let existing = existing.map(|subobject| {
            // SAFETY: the type says what it is; it begins with the pointer.
            unsafe { subobject.pDesc.cast::<*const c_void>().read_unaligned() }
        });
        let others = all.iter().filter(|subobject| {
            subobject.Type != D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY
        });
        Self {
            is_collection: desc.Type == D3D12_STATE_OBJECT_TYPE_COLLECTION,
            existing: existing.collect(),
            others: others.copied().collect(),
            kind: desc.Type,
        }
    }

    /// The description without the collections that are given by their keys.
    fn others(&self) -> D3D12_STATE_OBJECT_DESC {
        D3D12_STATE_OBJECT_DESC {
            Type: self.kind,
            NumSubobjects: u32::try_from(self.others.len()).unwrap_or(0),
            pSubobjects: self.others.as_ptr(),
        }
    }
}

unsafe extern "system" fn get_compiler(
    this: *mut c_void,
    riid: *const GUID,
    place: *mut *mut c_void,
) -> HRESULT {
    if has(Compilers::NoCompiler) {
        return E_NOTIMPL;
    }
    let original = ORIGINAL_OBJECT
        .get()
        .expect("set before a method is replaced");
    // SAFETY: this method was in the vtable of `this`, and the arguments are those of the call.
    unsafe { (original.GetCompiler)(this, riid, place) }
}
