//! The runtime's callbacks with a defect, and the session handles that the plugin gets.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::{ptr, slice};

use ddi_sys::*;
use defects::{Place, changed, follow, given, given_array, given_room, rows, write};
use parking_lot::Mutex;

use super::{Asked, descriptions};
use crate::places::*;

rows! {
    Hook, Asked;

    "host-stores-again" breaks H_09: "storing a value again gets S_OK",
        at Store |call| changed(call.pass(), DXGI_ERROR_ALREADY_EXISTS, S_OK);
    "host-short-buffer" breaks H_09: "finding into a buffer that is too small gets S_OK",
        at Find |call| changed(call.pass(), DXGI_ERROR_MORE_DATA, S_OK);
    "host-shared-session" breaks H_09: "compile calls at the same time have one session handle",
        at GiveSession |call| session_at(OTHERS + call.begun);
    "host-null-session" breaks H_09: "the first compile call has a null session handle",
        at GiveSession |call| call.answer_if(call.begun == 1, session_at(0));
    "host-size-more-data" breaks H_09: "the size check of one value gets DXGI_ERROR_MORE_DATA",
        at Find |call| found(call, |it| if it.is_check_of_one() {
            it.result = DXGI_ERROR_MORE_DATA;
        });
    "host-size-kept" breaks H_09: "the size check of one value leaves ValueSize at 0",
        at Find |call| found(call, |it| if it.is_check_of_one() {
            it.after[0].Value.ValueSize = 0;
        });
    "host-size-sets-pointer" breaks H_09: "the size check sets pValue",
        at Find |call| found(call, |it| if it.is_check_of_one() {
            it.after[0].Value.pValue = ptr::dangling_mut();
        });
    "host-short-size-kept" breaks H_09: "a buffer that is too small keeps its ValueSize",
        at Find |call| found(call, |it| if it.result == DXGI_ERROR_MORE_DATA {
            it.after.copy_from_slice(&it.before);
        });
    "host-short-overrun" breaks H_09: "one byte is written behind a buffer that is too small",
        at Find |call| found(call, |it| if it.result == DXGI_ERROR_MORE_DATA {
            for (before, _) in it.before.iter().zip(&*it.after).filter(|(before, after)| is_short(before, after)) {
                write(before.Value.pValue.wrapping_byte_add(before.Value.ValueSize), 0_u8);
            }
        });
    "host-buffer-cleared" breaks H_09: "the rest of a larger buffer is cleared",
        at Find |call| found(call, |it| it.each_larger(|before, value| {
            let (capacity, size) = (before.Value.ValueSize, value.Value.ValueSize);
            // SAFETY: the plugin's buffer has `capacity` bytes.
            unsafe { before.Value.pValue.byte_add(size).write_bytes(0, capacity - size) };
        }));
    "host-size-is-capacity" breaks H_09: "the ValueSize of a larger buffer stays its capacity",
        at Find |call| found(call, |it| it.each_larger(|before, value| if is_buffer(value) {
            value.Value.ValueSize = before.Value.ValueSize;
        }));
    "host-absent-found" breaks H_09: "the size check of a key that is not cached gets S_OK",
        at Find |call| found(call, |it| if it.is_absent() && it.is_size_check {
            it.find_nothing();
        });
    "host-absent-fails" breaks H_09: "finding a key that is not cached into a buffer gets E_FAIL",
        at Find |call| found(call, |it| if it.is_absent() && it.before.iter().any(is_buffer) {
            it.result = E_FAIL;
        });
    "host-absent-allocated" breaks H_09: "the allocation callback is called for a key that is not cached",
        at Find |call| found(call, |it| if it.is_absent() {
            it.allocate();
        });
    "host-not-allocated" breaks H_09: "the allocation callback is not called",
        at Find |call| {
            call.allocate = None;
            call.pass()
        };
    "host-allocation-size" breaks H_09: "the allocation callback is asked for one byte more",
        at Find allocation_size;
    "host-allocation-kept" breaks H_09: "pValue does not become what the allocation callback returned",
        at Find |call| found(call, |it| if it.result == S_OK {
            let pairs = it.before.iter().zip(&mut *it.after);
            pairs.filter(|(before, _)| !is_buffer(before)).for_each(|(before, value)| value.Value.pValue = before.Value.pValue);
        });
    "host-allocation-fails" breaks H_09: "an allocation callback that returns null makes the find fail with E_FAIL",
        at Find |call| changed(call.pass(), E_OUTOFMEMORY, E_FAIL);
    "host-allocation-ignored" breaks H_09: "an allocation callback that returns null makes the find return S_OK",
        at Find |call| changed(call.pass(), E_OUTOFMEMORY, S_OK);
    "host-allocation-forgotten" breaks H_09: "when the allocation callback returns null, every pValue is null",
        at Find |call| found(call, |it| if it.result == E_OUTOFMEMORY {
            it.after.iter_mut().for_each(|value| value.Value.pValue = ptr::null_mut());
        });
    "host-buffer-allocated" breaks H_09: "where there is an allocation callback, buffers are not used",
        at Find |call| {
            if call.allocate.is_some() {
                call.given().iter_mut().for_each(|value| value.Value.ValueSize = 0);
            }
            call.pass()
        };
    "host-first-only" breaks H_09: "of several buffers the first is filled",
        at Find first_only;
    "host-short-stops" breaks H_09: "nothing is copied where one of several buffers is too small",
        at Find short_stops;
    "host-stores-nothing" breaks H_09: "storing no values gets S_OK",
        at Store |call| call.answer_if(call.count == 0, S_OK);
    "host-stores-null" breaks H_09: "storing null gets S_OK",
        at Store |call| call.answer_if(call.values.is_null(), S_OK);
    "host-stores-empty" breaks H_09: "values of size 0 are passed over",
        at Store |call| kept(call, |values| values.retain(|value| value.Value.ValueSize != 0));
    "host-stores-twice" breaks H_09: "of two values of one type the first is stored",
        at Store |call| kept(call, |values| {
            let mut types = Vec::new();
            values.retain(|value| {
                let is_new = !types.contains(&value.Type);
                types.push(value.Type);
                is_new
            });
        });
    "host-again-fails" breaks H_09: "storing a value again gets E_FAIL",
        at Store |call| changed(call.pass(), DXGI_ERROR_ALREADY_EXISTS, E_FAIL);
    "host-pdb-again" breaks H_09: "storing debug information again gets S_OK",
        at Store |call| call.after(|call, result| {
            let is_pdb = call.given().first().is_some_and(|first| first.Type.0 == 2);
            if *result == DXGI_ERROR_ALREADY_EXISTS && is_pdb {
                *result = S_OK;
            }
        });
    "host-replaces" breaks H_09: "storing another value gets DXGI_ERROR_ALREADY_EXISTS and replaces the first",
        at Store replace,
        at Find |call| found(call, replaced);
    "host-lacking-found" notes H_13 "S_OK": "finding a type that the key lacks gets S_OK, as the key has another",
        at Find |call| found(call, |it| if it.is_lacking() {
            it.find_nothing();
        });
    "host-lacking-found-in-part" breaks H_13: "only the size check of a type that the key lacks gets S_OK",
        at Find |call| found(call, |it| if it.is_lacking() && it.is_size_check {
            it.find_nothing();
        });
    "host-lacking-allocated" breaks H_13: "the allocation callback is called for a type that the key lacks",
        at Find |call| found(call, |it| if it.is_lacking() {
            it.allocate();
        });
    "host-absent-beside" breaks H_14: "one type that is not cached makes a find DXGI_ERROR_NOT_FOUND",
        at Find |call| found(call, |it| if it.result == S_OK && !it.after.iter().all(is_buffer) {
            it.result = DXGI_ERROR_NOT_FOUND;
        });
    "host-absent-capacity" breaks H_14: "the ValueSize of a type that is not cached stays the capacity of its buffer",
        at Find |call| found(call, |it| it.each_larger(|before, value| if !is_buffer(value) {
            value.Value.ValueSize = before.Value.ValueSize;
        }));
    "host-late-session" breaks H_15: "the callbacks return S_OK for the session handle of an earlier call",
        at Find |call| call.answer_if(is_late(call.session), S_OK),
        at Store |call| call.answer_if(is_late(call.session), S_OK),
        at SetKeys |call| call.answer_if(is_late(call.session), S_OK);
    "host-session-followed" breaks H_15: "the callbacks follow the session handle of an earlier call",
        at Find |call| follow_late(call.session, || call.pass()),
        at Store |call| follow_late(call.session, || call.pass()),
        at SetKeys |call| follow_late(call.session, || call.pass());
    "host-session-again" notes H_15 "again": "one compile call after the other has the same session handle",
        at GiveSession |call| call.answer_if(call.is_alone, session_at(OTHERS));
    "host-keys-twice" breaks H_16: "a second list of value keys gets S_OK",
        at SetKeys |call| {
            let is_second = keep_keys(call);
            let result = call.pass();
            if is_second { S_OK } else { result }
        };
    "host-keys-last" breaks H_16: "of two lists of value keys the second is refused and taken",
        at SetKeys |call| match keys_of(call) {
            None => call.pass(),
            Some(_) => if keep_keys(call) { E_INVALIDARG } else { S_OK },
        },
        at Pipeline |call| with_last_keys(call.session, || call.pass()),
        at Object |call| with_last_keys(call.session, || call.pass()),
        at Addition |call| with_last_keys(call.session, || call.pass());
    "host-null-key-followed" breaks H_17: "finding reads a null key",
        at Find |call| call.following(call.key);
    "host-empty-key" breaks H_17: "storing with a key of size 0 gets S_OK",
        at Store |call| call.answer_if(given(call.key).is_some_and(|key| key.KeySize == 0), S_OK);
    "host-null-buffer" breaks H_17: "finding into a null buffer is the size check",
        at Find |call| {
            let null = call.given().iter_mut().filter(|value| value.Value.pValue.is_null());
            null.for_each(|value| value.Value.ValueSize = 0);
            call.pass()
        };
    "host-unknown-type-lost" breaks H_17: "values of types that do not exist are passed over",
        at Store |call| kept(call, |values| values.retain(exists));
    "host-refused-in-part" breaks H_17: "the values before one of a type that does not exist are stored",
        at Store |call| {
            let values = call.given();
            if let Some(unknown) = values.iter().position(|value| !exists(value)) {
                let _ = call.store(&values[..unknown]);
            }
            call.store(values)
        };
    "host-null-value" breaks H_17: "null values that have a size are passed over",
        at Store |call| kept(call, |values| values.retain(|value| !value.Value.pValue.is_null()));
    "host-finds-nothing" breaks H_17: "finding no values gets S_OK",
        at Find |call| call.answer_if(call.count == 0, S_OK);
    "host-null-keys" breaks H_17: "a null list of value keys gets S_OK",
        at SetKeys |call| call.answer_if(call.keys.is_null(), S_OK);
    "host-null-not-allocated" breaks H_18: "for a null pValue the allocation callback is not called",
        at Find |call| {
            let is_null = |value: &Value| value.Value.pValue.is_null();
            call.allocate = call.allocate.filter(|_| !call.given().iter().all(is_null));
            call.pass()
        };
    "host-value-cleared" breaks H_19: "the first byte of a value is cleared after it was stored",
        at Store |call| call.after(|call, result| if let (S_OK, [first, ..]) = (*result, call.given()) {
            write(first.Value.pValue, 0_u8);
        });
    "host-refused-cleared" breaks H_19: "the first byte of a value that is cached already is cleared",
        at Store |call| call.after(|call, result| if let (DXGI_ERROR_ALREADY_EXISTS, [first, ..]) = (*result, call.given()) {
            write(first.Value.pValue, 0_u8);
        });
    "host-key-cleared" breaks H_19: "the first byte of a key that has the value already is cleared",
        at Store |call| call.after(|call, result| if *result == DXGI_ERROR_ALREADY_EXISTS && let Some(key) = given(call.key) {
            write(key.pKey, 0_u8);
        });
}

type Session = D3D12DDI_HRTCOMPILERCACHESESSION;
type Value = D3D12DDI_COMPILER_CACHE_TYPED_VALUE;
type ConstValue = D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE;
type Key = D3D12DDI_COMPILER_CACHE_VALUE_KEY;

/// Far from the runtime's own handles, which are small numbers or addresses.
const OTHERS: usize = 0x5E55_0000;

fn session_at(address: usize) -> Session {
    let handle = ptr::without_provenance_mut(address);
    Session { handle }
}

/// The compile calls in progress.
struct Calls {
    /// The runtime's sessions, as addresses.
    sessions: Vec<usize>,
    /// How often there was none in progress when one began.
    begun: usize,
}

static CALLS: Mutex<Calls> = Mutex::new(Calls {
    sessions: Vec::new(),
    begun: 0,
});

thread_local! {
    /// The handle that the plugin has in the compile call of this thread, and the runtime's.
    static CURRENT: Cell<Option<(usize, Session)>> = const { Cell::new(None) };
    /// The value keys that were set in it.
    static KEYS: RefCell<Option<Vec<Vec<u8>>>> = const { RefCell::new(None) };
}

/// The choice of the session handle that the plugin gets for a compile call.
pub(crate) struct GiveSession {
    session: Session,
    /// How often there was no call in progress when one began.
    begun: usize,
    /// Whether no other call is in progress.
    is_alone: bool,
}

impl Place for GiveSession {
    type Answer = Session;

    fn pass(&mut self) -> Session {
        self.session
    }
}

/// Makes a compile call with the session handle that the plugin gets.
fn in_session(session: Session, compile: impl FnOnce(Session) -> HRESULT) -> HRESULT {
    let mut choice = {
        let mut calls = CALLS.lock();
        calls.begun += usize::from(calls.sessions.is_empty());
        calls.sessions.push(session.handle.addr());
        GiveSession {
            session,
            begun: calls.begun,
            is_alone: calls.sessions.len() == 1,
        }
    };
    let given = choice.hooked();
    CURRENT.set(Some((given.handle.addr(), session)));
    KEYS.take();
    let result = compile(given);
    CURRENT.set(None);
    let address = session.handle.addr();
    CALLS.lock().sessions.retain(|other| *other != address);
    result
}

pub(crate) fn compile_pipeline(call: &mut Pipeline) -> HRESULT {
    let own = call.session;
    let result = in_session(own, |session| {
        call.session = session;
        call.base()
    });
    call.session = own;
    result
}

pub(crate) fn compile_object(call: &mut Object) -> HRESULT {
    let (own, desc) = (call.session, call.desc);
    let result = in_session(own, |session| {
        (call.session, call.desc) = (session, descriptions::copy(desc));
        call.base()
    });
    (call.session, call.desc) = (own, desc);
    descriptions::clear(desc);
    result
}

pub(crate) fn compile_addition(call: &mut Addition) -> HRESULT {
    let (own, desc) = (call.session, call.desc);
    let result = in_session(own, |session| {
        (call.session, call.desc) = (session, descriptions::copy(desc));
        call.base()
    });
    (call.session, call.desc) = (own, desc);
    descriptions::clear(desc);
    result
}

/// The runtime's session for the handle that the plugin used.
fn runtimes(session: Session) -> Session {
    match CURRENT.get() {
        Some((given, own)) if given == session.handle.addr() => own,
        _ => session,
    }
}

/// Whether a handle that the plugin used is that of no call in progress.
fn is_late(session: Session) -> bool {
    !CALLS
        .lock()
        .sessions
        .contains(&runtimes(session).handle.addr())
}

fn follow_late(session: Session, call: impl FnOnce() -> HRESULT) -> HRESULT {
    if is_late(session) {
        follow::<u8>(ptr::null());
    }
    call()
}

pub(crate) fn find(call: &mut Find) -> HRESULT {
    call.session = runtimes(call.session);
    call.base()
}

pub(crate) fn store(call: &mut Store) -> HRESULT {
    call.session = runtimes(call.session);
    call.base()
}

pub(crate) fn set_keys(call: &mut SetKeys) -> HRESULT {
    call.session = runtimes(call.session);
    call.base()
}

fn raw_key(key: &[u8]) -> Key {
    Key {
        pKey: key.as_ptr().cast(),
        KeySize: UINT::try_from(key.len()).unwrap_or(0),
    }
}

/// The bytes of a key that the runtime has read.
fn bytes_of(key: *const Key) -> Vec<u8> {
    given(key)
        .map_or(&[][..], |key| given_array(key.pKey.cast(), key.KeySize))
        .to_vec()
}

fn is_buffer(value: &Value) -> bool {
    value.Value.ValueSize != 0
}

fn is_short(before: &Value, after: &Value) -> bool {
    before.Value.ValueSize < after.Value.ValueSize
}

impl Find {
    fn given(&self) -> &'static mut [Value] {
        given_room(self.values, self.count)
    }

    /// The sizes of types, 0 for one that is not there.
    fn sizes(&self, types: impl Iterator<Item = D3D12DDI_COMPILER_CACHE_VALUE_TYPE>) -> Vec<usize> {
        let check = |kind| Value {
            Type: kind,
            Value: D3D12DDI_COMPILER_CACHE_VALUE {
                pValue: ptr::null_mut(),
                ValueSize: 0,
            },
        };
        let mut values: Vec<_> = types.map(check).collect();
        let _ = Find {
            session: self.session,
            key: self.key,
            values: values.as_mut_ptr(),
            count: UINT::try_from(values.len()).unwrap_or(0),
            allocate: None,
            context: ptr::null_mut(),
        }
        .pass();
        values.iter().map(|value| value.Value.ValueSize).collect()
    }
}

/// An answer to a find.
struct Found<'c> {
    call: &'c mut Find,
    /// What the plugin gave, and what it gets.
    before: Vec<Value>,
    after: &'static mut [Value],
    is_size_check: bool,
    result: HRESULT,
}

fn found(call: &mut Find, change: fn(&mut Found)) -> HRESULT {
    let before = call.given().to_vec();
    let is_empty = |value: &Value| value.Value.pValue.is_null() && !is_buffer(value);
    let is_size_check = call.allocate.is_none() && before.iter().all(is_empty);
    let result = call.pass();
    if before.is_empty() {
        return result;
    }
    let after = call.given();
    let mut found = Found {
        call,
        before,
        after,
        is_size_check,
        result,
    };
    change(&mut found);
    found.result
}

impl Found<'_> {
    fn is_check_of_one(&self) -> bool {
        self.result == S_OK && self.is_size_check && self.before.len() == 1
    }

    /// Whether the key has a value of any type.
    fn has_value(&self) -> bool {
        let all = 0..D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID.0;
        let sizes = self.call.sizes(all.map(D3D12DDI_COMPILER_CACHE_VALUE_TYPE));
        sizes.iter().any(|size| *size != 0)
    }

    /// Whether the key has no values.
    fn is_absent(&self) -> bool {
        self.result == DXGI_ERROR_NOT_FOUND && !self.has_value()
    }

    /// Whether the key has values, but of other types.
    fn is_lacking(&self) -> bool {
        self.result == DXGI_ERROR_NOT_FOUND && self.has_value()
    }

    fn find_nothing(&mut self) {
        self.after
            .iter_mut()
            .for_each(|value| value.Value.ValueSize = 0);
        self.result = S_OK;
    }

    fn allocate(&self) {
        if let Some(allocate) = self.call.allocate {
            // SAFETY: the plugin's callback and context.
            let _ = unsafe { allocate(1, self.call.context) };
        }
    }

    /// Changes what was found for buffers that are larger.
    fn each_larger(&mut self, change: fn(&Value, &mut Value)) {
        let pairs = self.before.iter().zip(&mut *self.after);
        for (before, after) in pairs.filter(|_| self.result == S_OK) {
            if is_short(after, before) {
                change(before, after);
            }
        }
    }
}

/// The plugin's allocation callback and its context, behind one that asks for more.
struct Larger(PFND3D12DDI_COMPILER_ALLOCATION, *mut c_void);

fn allocation_size(call: &mut Find) -> HRESULT {
    unsafe extern "system" fn larger(size: usize, context: *mut c_void) -> *mut c_void {
        // SAFETY: the context below, with the plugin's callback and context.
        unsafe {
            let Larger(function, context) = &*context.cast::<Larger>();
            function.map_or(ptr::null_mut(), |function| function(size + 1, *context))
        }
    }
    let mut more = Larger(call.allocate, call.context);
    if call.allocate.is_some() {
        call.allocate = Some(larger);
        call.context = (&raw mut more).cast();
    }
    call.pass()
}

fn first_only(call: &mut Find) -> HRESULT {
    let given = call.given();
    let all_are_there = || {
        !call
            .sizes(given.iter().map(|value| value.Type))
            .contains(&0)
    };
    if !given.is_empty() && given.iter().all(is_buffer) && all_are_there() {
        call.count = 1;
    }
    call.pass()
}

fn short_stops(call: &mut Find) -> HRESULT {
    let given = call.given();
    let sizes = call.sizes(given.iter().map(|value| value.Type));
    let is_short =
        |(value, size): (&Value, &usize)| is_buffer(value) && value.Value.ValueSize < *size;
    if !given.iter().zip(&sizes).any(is_short) {
        return call.pass();
    }
    for (value, size) in given.iter_mut().zip(sizes) {
        value.Value.ValueSize = size;
    }
    DXGI_ERROR_MORE_DATA
}

fn exists(value: &ConstValue) -> bool {
    (0..D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID.0).contains(&value.Type.0)
}

impl Store {
    fn given(&self) -> &'static [ConstValue] {
        given_array(self.values, self.count)
    }

    fn store(&mut self, values: &[ConstValue]) -> HRESULT {
        if !self.given().is_empty() {
            self.values = values.as_ptr();
            self.count = UINT::try_from(values.len()).unwrap_or(0);
        }
        self.pass()
    }
}

/// Stores what is kept of the values.
fn kept(call: &mut Store, keep: fn(&mut Vec<ConstValue>)) -> HRESULT {
    let mut values = call.given().to_vec();
    let were_none = values.is_empty();
    keep(&mut values);
    if values.is_empty() && !were_none {
        return S_OK;
    }
    call.store(&values)
}

/// Keys, and what the defect has replaced their values with; the last counts.
static REPLACED: Mutex<Vec<(Vec<u8>, Vec<u8>)>> = Mutex::new(Vec::new());

fn replace(call: &mut Store) -> HRESULT {
    call.after(|call, result| {
        if *result != DXGI_ERROR_ALREADY_EXISTS {
            return;
        }
        let D3D12DDI_COMPILER_CACHE_CONST_VALUE { pValue, ValueSize } = call.given()[0].Value;
        // SAFETY: the plugin's value.
        let value = unsafe { slice::from_raw_parts(pValue.cast::<u8>(), ValueSize) };
        REPLACED.lock().push((bytes_of(call.key), value.to_vec()));
    })
}

fn replaced(found: &mut Found) {
    if found.result != S_OK {
        return;
    }
    let (key, replaced) = (bytes_of(found.call.key), REPLACED.lock());
    let Some((_, value)) = replaced.iter().rfind(|(of, _)| *of == key) else {
        return;
    };
    for before in &found.before {
        let length = value.len().min(before.Value.ValueSize);
        // SAFETY: the plugin's buffer has so many bytes.
        unsafe { before.Value.pValue.copy_from(value.as_ptr().cast(), length) };
    }
}

/// The value keys of a list that the runtime may take, of the compile call in progress.
fn keys_of(call: &SetKeys) -> Option<Vec<Vec<u8>>> {
    let own = runtimes(call.session);
    let is_current = CURRENT.get().is_some_and(|(_, current)| current == own);
    if !is_current || call.keys.is_null() || call.count == 0 {
        return None;
    }
    // SAFETY: `count` is that of the array.
    let keys = unsafe { slice::from_raw_parts(call.keys, call.count as usize) };
    let mut keys = keys.iter();
    let is_none = |key: &Key| key.pKey.is_null() || key.KeySize == 0;
    let bytes = |key: &Key| (!is_none(key)).then(|| bytes_of(key));
    keys.try_fold(Vec::new(), |mut all, key| {
        all.push(bytes(key)?);
        Some(all)
    })
}

/// Keeps a list of value keys; whether there was one before.
fn keep_keys(call: &SetKeys) -> bool {
    match keys_of(call) {
        Some(keys) => KEYS.replace(Some(keys)).is_some(),
        None => false,
    }
}

/// Makes a compile call, and sets the last list of value keys.
fn with_last_keys(session: Session, compile: impl FnOnce() -> HRESULT) -> HRESULT {
    let result = compile();
    if let Some(keys) = KEYS.take() {
        let keys: Vec<Key> = keys.iter().map(|key| raw_key(key)).collect();
        let _ = SetKeys {
            session,
            keys: keys.as_ptr(),
            count: UINT::try_from(keys.len()).unwrap_or(0),
        }
        .base();
    }
    result
}
