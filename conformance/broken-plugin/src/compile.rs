//! A compile in progress: what a defect has its callbacks do, and the callbacks.
//!
//! The base calls the layer, the layer calls the host.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::{mem, ptr, slice};

use bytemuck::Zeroable as _;
use ddi_sys::D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE as OBJECT_CODE;
use ddi_sys::*;
use defects::{Place, follow, given, given_array, given_room, rewrite};
use parking_lot::{Mutex, MutexGuard};

use crate::about::*;
use crate::compiler::{Compiler, known};
use crate::defect::as_in;
use crate::fields::{self, Deviation};
use crate::layer;
use crate::need;
use crate::places::*;
use crate::session::OfField;
use crate::state_object::has;

pub(crate) type Value = D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE;
pub(crate) type RawKey = D3D12DDI_COMPILER_CACHE_VALUE_KEY;
type Session = D3D12DDI_HRTCOMPILERCACHESESSION;

/// A compile in progress.
#[derive(Clone, Default)]
pub(crate) struct InProgress {
    /// The session, and the memory of the compiler, as addresses.
    pub(crate) session: usize,
    pub(crate) compiler: usize,
    /// The session of the compile before, as an address; 0 at first.
    pub(crate) previous: usize,
    pub(crate) about: About,
    /// The memory of what is added to, as an address; 0 if it is no addition.
    pub(crate) parent: usize,
    pub(crate) requested: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    /// Put behind each key, and behind object code.
    pub(crate) behind_keys: Vec<u8>,
    pub(crate) behind_code: Vec<u8>,
    /// What the keys are made of instead, and which keys of the base stand for which number.
    pub(crate) keys_of: Option<Vec<u8>>,
    keys_of_base: Vec<Vec<u8>>,
    /// The keys that it has stored.
    pub(crate) stored: Vec<Vec<u8>>,
    /// The keys that are left out of the value keys, and those that are named besides.
    pub(crate) unnamed: Vec<Vec<u8>>,
    pub(crate) named: Vec<Vec<u8>>,
    /// How many stores it has made, and whether one was answered DXGI_ERROR_ALREADY_EXISTS.
    pub(crate) stores: usize,
    pub(crate) lost_race: bool,
    /// Whether object code was found, and whether a find has found some of the types, but not all.
    pub(crate) found_code: bool,
    pub(crate) found_in_part: bool,
    /// What a defect has it return instead of success.
    pub(crate) result: Option<HRESULT>,
    /// What happened since it began.
    since: Vec<Event>,
}

/// What happens beside a compile.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    CompilerCreated,
    CompilerDestroyed,
    Opened,
    Closed,
    TableFilled,
    CallbacksSet,
    /// With the address of the memory of what it was added to; 0 if it was no addition.
    ObjectDestroyed(usize),
    /// Another compile, with its parent and whether it has a collection.
    Began(usize, bool),
}

impl InProgress {
    pub(crate) fn saw(&self, is: impl Fn(Event) -> bool) -> bool {
        self.since.iter().copied().any(is)
    }

    pub(crate) fn requests(&self, kind: D3D12DDI_COMPILER_CACHE_VALUE_TYPE) -> bool {
        self.requested.0 & (1 << kind.0) != 0
    }
}

/// The compiles in progress, the youngest last, which a base may use on any thread.
pub(crate) fn all_in_progress() -> MutexGuard<'static, Vec<InProgress>> {
    static IN_PROGRESS: Mutex<Vec<InProgress>> = Mutex::new(Vec::new());
    IN_PROGRESS.lock()
}

pub(crate) fn is_any_in_progress() -> bool {
    !all_in_progress().is_empty()
}

/// The compile in progress that a session is of.
pub(crate) fn in_progress<R>(
    session: Session,
    use_it: impl FnOnce(&mut InProgress) -> R,
) -> Option<R> {
    let address = session.handle.addr();
    let mut all = all_in_progress();
    let own = all.iter_mut().find(|compile| compile.session == address)?;
    Some(use_it(own))
}

/// Notes what happened, for the compiles in progress.
pub(crate) fn happened(event: Event) {
    let mut all = all_in_progress();
    all.iter_mut().for_each(|compile| compile.since.push(event));
}

/// The session of the last compile, as an address.
pub(crate) static PREVIOUS: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn session_at(address: usize) -> Session {
    let handle = ptr::without_provenance_mut(address);
    Session { handle }
}

/// A call that compiles.
#[derive(Clone, Copy)]
pub(crate) enum Call {
    Pipeline(Pipeline),
    Object(Object),
    Addition(Addition),
}

/// A compile of any object.
pub(crate) struct Compile {
    call: Call,
    pub(crate) slot: usize,
    pub(crate) session: Session,
    /// The compiler that makes it.
    pub(crate) own: Compiler,
    /// What its callbacks do; after it what has become of that.
    pub(crate) state: InProgress,
}

impl Compile {
    pub(crate) fn new(call: Call) -> Self {
        let (slot, compiler, session, requested, what, parent) = match call {
            Call::Pipeline(it) => (
                it.slot,
                it.compiler,
                it.session,
                it.flags,
                What::Pipeline(it.desc),
                0,
            ),
            Call::Object(it) => (
                it.slot,
                it.compiler,
                it.session,
                it.flags,
                What::StateObject(it.desc),
                0,
            ),
            Call::Addition(it) => {
                let parent = it.parent.pDrvPrivate.addr();
                (
                    it.slot,
                    it.compiler,
                    it.session,
                    it.flags,
                    What::Addition(it.desc),
                    parent,
                )
            }
        };
        let own = known(compiler).unwrap_or_else(|| Compiler::unknown(slot, compiler));
        let state = InProgress {
            session: session.handle.addr(),
            compiler: own.memory,
            about: About { what, ..own.about },
            parent,
            requested,
            ..InProgress::default()
        };
        Self {
            call,
            slot,
            session,
            own,
            state,
        }
    }

    pub(crate) fn about(&self) -> Option<About> {
        Some(self.state.about)
    }

    /// Compiles as the defect of a field has it.
    pub(crate) fn of_field(mut self, of_field: Option<OfField>) -> HRESULT {
        match of_field {
            Some(OfField::Forgets) => self.coded(*b"forgotten"),
            Some(OfField::KeysOf(number)) => {
                self.state.keys_of = Some(self.target_and(number));
                self.pass()
            }
            Some(OfField::Defect(other)) => as_in(other, || self.hooked()),
            None => self.hooked(),
        }
    }

    /// The target, and a number.
    pub(crate) fn target_and(&self, number: u64) -> Vec<u8> {
        let (family, abi) = self.own.about.family_and_abi();
        [family.into(), abi, number].map(u64::to_le_bytes).concat()
    }

    /// Compiles with something behind each key.
    pub(crate) fn keyed(&mut self, behind: impl Into<Vec<u8>>) -> HRESULT {
        self.state.behind_keys = behind.into();
        self.pass()
    }

    /// Compiles with something behind object code.
    pub(crate) fn coded(&mut self, behind: impl Into<Vec<u8>>) -> HRESULT {
        self.state.behind_code = behind.into();
        self.pass()
    }

    /// Compiles with something behind both.
    pub(crate) fn keyed_and_coded(&mut self, behind: impl Into<Vec<u8>>) -> HRESULT {
        self.state.behind_keys = behind.into();
        self.coded(self.state.behind_keys.clone())
    }

    /// Stores a value that has nothing to do with the object, and names it as the only one.
    pub(crate) fn store_anything(&self) -> HRESULT {
        store_anything(self.slot, self.session)
    }
}

impl Place for Compile {
    type Answer = HRESULT;

    fn pass(&mut self) -> HRESULT {
        let session = self.session.handle.addr();
        self.state.previous = PREVIOUS.swap(session, Ordering::Relaxed);
        happened(Event::Began(
            self.state.parent,
            has_collection(&self.state.about),
        ));
        all_in_progress().push(self.state.clone());
        let compiler = self.own.handle();
        let result = match self.call {
            Call::Pipeline(call) => Pipeline { compiler, ..call }.base(),
            Call::Object(call) => Object { compiler, ..call }.base(),
            Call::Addition(call) => Addition { compiler, ..call }.base(),
        };
        let mut all = all_in_progress();
        if let Some(own) = all.iter().rposition(|compile| compile.session == session) {
            self.state = all.remove(own);
        }
        self.state.result.unwrap_or(result)
    }
}

fn has_collection(about: &About) -> bool {
    has(
        about.state_object(),
        D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
    )
}

pub(crate) fn pipeline(call: &mut Pipeline) -> HRESULT {
    CompilerCall.hooked();
    // SAFETY: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE: the description is null or valid for the call.
    let mut deviation = unsafe { fields::deviation(call.desc) };
    match &mut deviation {
        Some(Deviation::Faults) => follow(ptr::null::<u8>()),
        Some(Deviation::Writes) => rewrite(call.desc),
        Some(Deviation::Refuses) => return E_INVALIDARG,
        Some(Deviation::Forgets(copied)) => call.desc = copied.arg(),
        Some(Deviation::Session(_)) | None => {}
    }
    let compile = Compile::new(Call::Pipeline(*call));
    compile.of_field(deviation.as_ref().and_then(Deviation::in_callbacks))
}

/// The session handle that a callback is made with.
pub(crate) struct Handle {
    pub(crate) session: Session,
}

impl Place for Handle {
    type Answer = Session;

    fn pass(&mut self) -> Session {
        self.session
    }
}

/// The callbacks of the host of an open.
pub(crate) struct Host {
    pub(crate) slot: usize,
}

impl Place for Host {
    type Answer = D3D12DDI_COMPILER_CACHE_CALLBACKS;

    fn pass(&mut self) -> D3D12DDI_COMPILER_CACHE_CALLBACKS {
        layer::in_slot(self.slot).host
    }
}

/// A key of the base's on its way to the host.
pub(crate) struct Key {
    pub(crate) session: Session,
    pub(crate) bytes: Vec<u8>,
}

impl Key {
    /// The key as the host gets it.
    fn of_base(session: Session, bytes: Vec<u8>) -> Vec<u8> {
        let mut key = Key { session, bytes };
        key.hooked();
        key.bytes
    }
}

/// A key as the host gets it, with its bytes, where that is another one than the base's.
fn encoded(session: Session, key: *const RawKey) -> Option<(Vec<u8>, RawKey)> {
    let bytes = bytes_of(given(key).filter(|key| !key.pKey.is_null())?);
    let encoded = Key::of_base(session, bytes.clone());
    let raw = raw_key(&encoded);
    (encoded != bytes).then_some((encoded, raw))
}

impl Place for Key {
    type Answer = ();

    fn pass(&mut self) {
        let bytes = &mut self.bytes;
        in_progress(self.session, |compile| {
            bytes.extend(&compile.behind_keys);
            if let Some(parts) = &compile.keys_of {
                let mut known = compile.keys_of_base.iter();
                let number = known.position(|key| key == bytes).unwrap_or_else(|| {
                    compile.keys_of_base.push(bytes.clone());
                    compile.keys_of_base.len() - 1
                });
                bytes.clone_from(parts);
                bytes.extend(number.to_le_bytes());
            }
        });
    }
}

/// The bytes of a key of the base's.
pub(crate) fn bytes_of(key: &RawKey) -> Vec<u8> {
    given_array(key.pKey.cast(), key.KeySize).to_vec()
}

pub(crate) fn raw_key(bytes: &[u8]) -> RawKey {
    RawKey {
        pKey: bytes.as_ptr().cast(),
        KeySize: count(bytes),
    }
}

pub(crate) fn value(kind: D3D12DDI_COMPILER_CACHE_VALUE_TYPE, bytes: &[u8]) -> Value {
    Value {
        Type: kind,
        Value: D3D12DDI_COMPILER_CACHE_CONST_VALUE {
            pValue: bytes.as_ptr().cast(),
            ValueSize: bytes.len(),
        },
    }
}

pub(crate) fn count<T>(items: &[T]) -> UINT {
    UINT::try_from(items.len()).unwrap_or(UINT::MAX)
}

/// Whether it is a failure that a plugin has to pass on.
pub(crate) fn is_failure(result: HRESULT) -> bool {
    let answers = [
        DXGI_ERROR_NOT_FOUND,
        DXGI_ERROR_ALREADY_EXISTS,
        DXGI_ERROR_MORE_DATA,
    ];
    !result.is_ok() && !answers.contains(&result)
}

impl Find {
    /// The values that are asked for.
    pub(crate) fn values(&self) -> &'static mut [D3D12DDI_COMPILER_CACHE_TYPED_VALUE] {
        given_room(self.values, self.count)
    }
}

pub(crate) fn find(call: &mut Find) -> HRESULT {
    let encoded = encoded(call.session, call.key);
    let session = Handle {
        session: call.session,
    }
    .hooked();
    let key = encoded.as_ref().map_or(call.key, |(_, key)| key);
    let result = Find {
        session,
        key,
        ..*call
    }
    .base();
    let found = call
        .values()
        .iter()
        .filter(|value| value.Value.ValueSize > 0);
    let (number, mut found) = (found.clone().count(), found.filter(|_| result.is_ok()));
    let in_part = result.is_ok() && number > 0 && number < call.values().len();
    let found_code = found.any(|value| value.Type == OBJECT_CODE);
    need::FIND.met_if(true);
    need::FOUND.met_if(result.is_ok());
    need::FIND_SEVERAL.met_if(call.count > 1);
    need::FOUND_IN_PART.met_if(in_part);
    in_progress(call.session, |compile| {
        compile.found_code |= found_code;
        compile.found_in_part |= in_part;
    });
    result
}

impl Store {
    /// The values that are stored.
    pub(crate) fn values(&self) -> &'static [Value] {
        given_array(self.values, self.count)
    }

    /// The key of the base's.
    pub(crate) fn key_bytes(&self) -> Vec<u8> {
        given(self.key).map(bytes_of).unwrap_or_default()
    }

    /// Stores other values, or under another key.
    pub(crate) fn store(&self, key: &RawKey, values: &[Value]) -> HRESULT {
        let (number, values) = (count(values), values.as_ptr());
        Self {
            key,
            values,
            count: number,
            ..*self
        }
        .pass()
    }

    /// Stores with something behind object code.
    pub(crate) fn coded(&mut self, behind: impl Into<Vec<u8>>) -> HRESULT {
        in_progress(self.session, |compile| compile.behind_code = behind.into());
        self.pass()
    }
}

pub(crate) fn store(call: &mut Store) -> HRESULT {
    let encoded = encoded(call.session, call.key);
    let behind = in_progress(call.session, |compile| compile.behind_code.clone());
    let behind = behind.filter(|behind| !behind.is_empty());
    let mut coded = call.values().to_vec();
    let mut code = Vec::new();
    let own = coded.iter_mut().find(|value| value.Type == OBJECT_CODE);
    if let Some((value, behind)) = own.zip(behind.as_deref()) {
        let (first, size) = (value.Value.pValue.cast::<u8>(), value.Value.ValueSize);
        // SAFETY: the base's value has as many bytes as it says.
        code = [unsafe { slice::from_raw_parts(first, size) }, behind].concat();
        *value = self::value(OBJECT_CODE, &code);
    }
    let session = Handle {
        session: call.session,
    }
    .hooked();
    let key = encoded.as_ref().map_or(call.key, |(_, key)| key);
    let values = if code.is_empty() {
        call.values
    } else {
        coded.as_ptr()
    };
    let result = Store {
        session,
        key,
        values,
        ..*call
    }
    .base();
    let number = in_progress(call.session, |compile| {
        need::FOUND_AND_STORED.met_if(compile.found_code);
        compile.stores += 1;
        compile.lost_race |= result == DXGI_ERROR_ALREADY_EXISTS;
        compile.stored.push(call.key_bytes());
        compile.stores
    });
    let number = number.unwrap_or_default();
    need::SECOND_STORE.met_if(number >= 2);
    need::THIRD_STORE.met_if(number >= 3);
    need::FOURTH_STORE.met_if(number >= 4);
    result
}

impl SetKeys {
    /// The base's keys.
    fn keys(&self) -> Vec<Vec<u8>> {
        let keys = given_array(self.keys, self.count).iter();
        keys.map(bytes_of).collect()
    }

    /// Sets other keys.
    pub(crate) fn with_keys(&mut self, change: impl FnOnce(&mut Vec<Vec<u8>>)) -> HRESULT {
        let mut keys = self.keys();
        change(&mut keys);
        let raw: Vec<_> = keys.iter().map(|key| raw_key(key)).collect();
        let keys = raw.as_ptr();
        Self {
            keys,
            count: count(&raw),
            ..*self
        }
        .pass()
    }
}

pub(crate) fn set_keys(call: &mut SetKeys) -> HRESULT {
    let (of_base, session) = (call.keys(), call.session);
    let of_compile =
        |compile: &mut InProgress| (compile.unnamed.clone(), mem::take(&mut compile.named));
    let (unnamed, named) = in_progress(session, of_compile).unwrap_or_default();
    let keys = of_base.iter().filter(|key| !unnamed.contains(key));
    let keys = keys.map(|key| Key::of_base(session, key.clone()));
    let keys: Vec<_> = keys.chain(named).collect();
    let raw: Vec<_> = keys.iter().map(|key| raw_key(key)).collect();
    let session = Handle { session }.hooked();
    if keys == of_base {
        return SetKeys { session, ..*call }.base();
    }
    let keys = raw.as_ptr();
    SetKeys {
        session,
        keys,
        count: count(&raw),
        ..*call
    }
    .base()
}

/// Asks a session for the size of a value.
pub(crate) fn find_anything(slot: usize, session: usize) {
    let mut value = D3D12DDI_COMPILER_CACHE_TYPED_VALUE::zeroed();
    let key = raw_key(b"anything");
    let _ = Find {
        slot,
        session: session_at(session),
        key: &raw const key,
        values: &raw mut value,
        count: 1,
        allocate: None,
        context: ptr::null_mut(),
    }
    .base();
}

/// Asks the session of the last compile, in a call that is none.
pub(crate) fn call_back(slot: usize) {
    find_anything(slot, PREVIOUS.load(Ordering::Relaxed));
}

/// Stores one value in a session.
pub(crate) fn store_one(slot: usize, session: Session, key: &[u8], value: Value) -> HRESULT {
    let key = raw_key(key);
    Store {
        slot,
        session,
        key: &raw const key,
        values: &raw const value,
        count: 1,
    }
    .base()
}

/// Sets one value key in a session.
pub(crate) fn set_one(slot: usize, session: Session, key: &[u8]) -> HRESULT {
    let key = raw_key(key);
    SetKeys {
        slot,
        session,
        keys: &raw const key,
        count: 1,
    }
    .base()
}

/// Stores a value that has nothing to do with the object, and names it as the only one.
pub(crate) fn store_anything(slot: usize, session: Session) -> HRESULT {
    let _ = store_one(slot, session, b"anything", value(OBJECT_CODE, b"anything"));
    set_one(slot, session, b"anything")
}
