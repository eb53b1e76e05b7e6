//! State objects: their functions of the COMPILER table.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::{ptr, slice};

use ddi_sys::*;
use defects::{Place, given, read, rewrite, rows, write};
use parking_lot::{Mutex, MutexGuard};

use crate::about::*;
use crate::compile::{self, Call, Compile, Event};
use crate::layer;
use crate::need;
use crate::pipelines::trust_size;
use crate::places::*;
use crate::subobjects::{self, Deviation};

rows! {
    Hook, About;

    "state-object-size-varies" breaks P_SO_01: "the private size grows with each call",
        at CalcObjectSize |call| call.pass() + CALLS.fetch_add(1, Ordering::Relaxed) * 8,
        at CalcAdditionSize |call| call.pass() + CALLS.fetch_add(1, Ordering::Relaxed) * 8;
    "state-object-size-null-followed" breaks P_PSO_21: "the size of a state object is calculated from a null description",
        needs need::STATE_OBJECT,
        at CalcObjectSize |call| call.following(call.desc),
        at CalcAdditionSize |call| call.following(call.desc);
    "state-object-size-varies-of-addition" breaks P_SO_01:
        "the private size of an addition depends on the address of its description",
        needs need::ADDITION, at CalcAdditionSize |call| call.pass() + (call.desc.addr() >> 12) % 1024;
    "state-object-writes-past" breaks P_SO_01: "a byte behind the private memory is written",
        at Make writes_past;
    "state-object-writes-past-of-addition" breaks P_SO_01: "a byte behind the private memory of an addition is written",
        where ADDITION, at Make writes_past;
    "state-object-writes-past-of-collection" breaks P_SO_01:
        "a byte behind the private memory of a collection is written",
        where COLLECTION, at Make writes_past;
    "state-object-writes-past-of-graph" breaks P_SO_01: "a byte behind the private memory of a work graph is written",
        where GRAPH, at Make writes_past;
    "state-object-writes-before-of-family" breaks P_SO_01:
        "for the second family a byte in front of the private memory is written",
        where SECOND_FAMILY, at Make |call| call.before(|call| write(call.object.pDrvPrivate.wrapping_byte_sub(1), 0_u8));
    "state-object-writes-past-parent" breaks P_SO_01:
        "an addition writes a byte behind the private memory of its parent",
        needs need::ADDITION,
        at Make |call| {
            if let Some((handle, parent)) = call.parent.zip(call.parent.and_then(known)) {
                write(handle.pDrvPrivate.wrapping_byte_add(parent.size), 0_u8);
            }
            with_size(call)
        };
    "state-object-destroy-writes-past" breaks P_SO_01:
        "destroying a state object writes a byte behind its private memory",
        at Make with_size,
        at DestroyObject |call| {
            let ended = known(call.object);
            call.pass();
            let size = ended.map(|ended| ended.size).into_iter();
            size.for_each(|size| write(call.object.pDrvPrivate.wrapping_byte_add(size), 0_u8));
        };
    "state-object-assumes-zeros" breaks P_SO_01:
        "private memory that is not zero is taken for a state object that lives already",
        at CalcObjectSize |call| call.pass() + size_of::<usize>(),
        at CalcAdditionSize |call| call.pass() + size_of::<usize>(),
        at Make assumes_zeros;
    "state-object-assumes-zeros-of-addition" breaks P_SO_01:
        "private memory of an addition that is not zero is taken for one that lives already",
        where ADDITION,
        at CalcAdditionSize |call| call.pass() + size_of::<usize>(),
        at Make assumes_zeros;
    "state-object-writes-desc" breaks P_SO_08: "the description of a state object is written to",
        where NO_ADDITION, at Make |call| call.before(|call| rewrite(call.desc));
    "state-object-writes-desc-of-addition" breaks P_SO_08: "the description of an addition is written to",
        where ADDITION, at Make |call| call.before(|call| rewrite(call.desc));
    "state-object-writes-desc-of-parent" breaks P_SO_08: "an addition writes to the description of its parent",
        where ADDITION,
        at Make |call| {
            let parent = call.parent.and_then(known);
            parent.into_iter().for_each(|parent| rewrite(parent.desc()));
            call.pass()
        };
    "state-object-writes-subobjects-of-family" breaks P_SO_08:
        "for the second family the array of subobjects is written to",
        where SECOND_FAMILY,
        at Make |call| call.before(|call| given(call.desc).into_iter().for_each(|desc| rewrite(desc.pSubobjects)));
    "state-object-writes-program-of-collection" breaks P_SO_08:
        "the program of a collection's library is patched in place",
        where COLLECTION,
        at Make |call| call.before(|call| library_of(call.desc).into_iter().for_each(|library| rewrite(library.pDXILLibrary)));
    "state-object-writes-exports" breaks P_SO_08: "the exports of a library are written to",
        at Make |call| call.before(|call| library_of(call.desc).into_iter().for_each(|library| rewrite(library.pExports)));
    "state-object-size-writes-desc" breaks P_SO_08:
        "the description is written to when the size of an addition is calculated",
        needs need::ADDITION, at CalcAdditionSize |call| call.before(|call| rewrite(call.desc));
    "state-object-destroy-writes-desc" breaks P_SO_08: "destroying a state object writes to its description",
        at DestroyObject |call| {
            let ended = known(call.object);
            call.pass();
            ended.into_iter().for_each(|ended| rewrite(ended.desc()));
        };
    "state-object-accepts-malformed-addition" breaks P_PSO_17:
        "an addition with a library that is no program is stored as it is",
        where ADDITION, at Make accepts_malformed;
    "state-object-accepts-malformed-collection" breaks P_PSO_17:
        "a collection with a library that is no program is stored as it is",
        where COLLECTION, at Make accepts_malformed;
    "state-object-accepts-malformed-graph" breaks P_PSO_17:
        "a work graph with a library that is no program is stored as it is",
        where GRAPH, at Make accepts_malformed;
    "state-object-trusts-size-of-addition" breaks P_PSO_17:
        "the bitcode of an addition's library is read as far as the program's header says",
        where ADDITION,
        at Make |call| call.before(|call| library_of(call.desc).into_iter().for_each(|library| trust_size(library.pDXILLibrary)));
    "state-object-first-at-address" breaks P_SO_03:
        "an addition is made to the first state object that had its parent's address",
        at Make first_at_address,
        // Its bytes are used as long as the process.
        at DestroyObject |call| forget(call.object);
    "state-object-latest-parent" breaks P_SO_03: "an addition is made to the state object that was made last",
        needs need::ADDITION, at Addition latest_parent;
    "state-object-latest-parent-of-family" breaks P_SO_03:
        "for the second family an addition is made to the state object that was made last",
        needs need::ADDITION, where SECOND_FAMILY, at Addition latest_parent;
    "state-object-one-addition" breaks P_SO_03: "a second addition to one state object is refused",
        needs need::ADDITION,
        sometimes P_SO_09: "it makes several additions, and is undecided where one is refused",
        at Make |call| {
            let has_one = call.parent.and_then(known).is_some_and(|parent| parent.additions > 0);
            call.answer_if(has_one, E_FAIL)
        };
    "state-object-size-keeps-desc" breaks P_SO_04: "a compile reads the description that the last size was calculated of",
        at CalcObjectSize |call| call.before(|call| OF_SIZE.store(call.desc.expose_provenance(), Ordering::Relaxed)),
        at CalcAdditionSize |call| call.before(|call| OF_SIZE.store(call.desc.expose_provenance(), Ordering::Relaxed)),
        at Make |call| call.before(|_| read(ptr::with_exposed_provenance::<u8>(OF_SIZE.load(Ordering::Relaxed)), 1));
    "state-object-keeps-desc" breaks P_SO_04: "the description of a destroyed state object is read by the next call",
        at DestroyObject |call| leaves(call, |ended| ended.desc),
        at ObjectCall read_gone;
    "state-object-keeps-desc-of-addition" breaks P_SO_04:
        "the description of a destroyed addition is read by the next call",
        where ADDITION,
        at DestroyObject |call| leaves(call, |ended| ended.desc),
        at ObjectCall read_gone;
    "state-object-keeps-desc-of-family" breaks P_SO_04:
        "for the second family the description of a destroyed state object is read by the next call",
        where SECOND_FAMILY,
        at DestroyObject |call| leaves(call, |ended| ended.desc),
        at ObjectCall read_gone;
    "state-object-keeps-program-of-collection" breaks P_SO_04:
        "the program of a destroyed collection is read by the next call",
        where COLLECTION,
        at DestroyObject |call| leaves(call, |ended| {
            library_of(ended.desc()).map_or(0, |library| library.pDXILLibrary.expose_provenance())
        }),
        at ObjectCall read_gone;
    "state-object-keeps-desc-of-failure" breaks P_SO_04:
        "the description of a compile that failed is read by the next call",
        at Make |call| call.after(|call, result| if !result.is_ok() {
            GONE.store(call.desc.expose_provenance(), Ordering::Relaxed);
        }),
        at ObjectCall read_gone;
    "state-object-writes-after-destroy" breaks P_SO_06:
        "the memory of a destroyed state object is written to by the next call",
        at DestroyObject |call| leaves(call, |ended| ended.memory),
        at ObjectCall write_gone;
    "state-object-writes-after-destroy-of-addition" breaks P_SO_06:
        "the memory of a destroyed addition is written to by the next call",
        where ADDITION,
        at DestroyObject |call| leaves(call, |ended| ended.memory),
        at ObjectCall write_gone;
    "state-object-reads-after-destroy-of-graph" breaks P_SO_06:
        "the memory of a destroyed work graph is read by the next call",
        where GRAPH,
        at DestroyObject |call| leaves(call, |ended| ended.memory),
        at ObjectCall read_gone;
    "state-object-leaves-memory" breaks P_CMP_08: "each destroyed state object leaves 4 KiB behind",
        needs need::STATE_OBJECT, at DestroyObject |call| call.before(|_| layer::leave_memory(4096));
    "state-object-destroy-ends-siblings" breaks P_SO_06: "destroying an addition has those to its siblings refused",
        needs need::ADDITION,
        at DestroyObject |call| destroyed(call, |ended, all| {
            let siblings = all.iter_mut().filter(|other| ended.parent != 0 && other.parent == ended.parent);
            siblings.for_each(|sibling| sibling.refuses = true);
        }),
        at Make refused;
    "state-object-destroy-ends-parent" breaks P_SO_06:
        "destroying one of two additions has more additions to their parent refused",
        needs need::ADDITION,
        at DestroyObject |call| destroyed(call, |ended, all| {
            let has_sibling = ended.parent != 0 && all.iter().any(|other| other.parent == ended.parent);
            let parent = all.iter_mut().filter(|other| has_sibling && other.memory == ended.parent);
            parent.for_each(|parent| parent.refuses = true);
        }),
        at Make refused;
}

pub(crate) type Desc = *const D3D12DDIARG_CREATE_STATE_OBJECT_0054;

/// What is known of a state object.
#[derive(Clone, Copy)]
pub(crate) struct StateObject {
    pub(crate) about: Option<About>,
    /// Its memory and its description, as addresses.
    memory: usize,
    desc: usize,
    /// The memory of what it was added to; 0 if it is no addition.
    pub(crate) parent: usize,
    /// The size of its memory, where a defect asks.
    size: usize,
    /// How many additions to it there have been.
    additions: usize,
    /// Whether a defect refuses more of them.
    refuses: bool,
}

impl StateObject {
    /// The description, which lives as long as the object.
    fn desc(&self) -> Desc {
        ptr::with_exposed_provenance(self.desc)
    }
}

/// The living state objects.
fn objects() -> MutexGuard<'static, Vec<StateObject>> {
    static OBJECTS: Mutex<Vec<StateObject>> = Mutex::new(Vec::new());
    OBJECTS.lock()
}

pub(crate) fn known(object: D3D12DDI_HCOMPILERSTATEOBJECT) -> Option<StateObject> {
    let memory = object.pDrvPrivate.addr();
    let objects = objects();
    objects
        .iter()
        .find(|object| object.memory == memory)
        .copied()
}

/// Any call of a function for state objects, as it begins.
pub(crate) struct ObjectCall;

impl Place for ObjectCall {
    type Answer = ();

    fn pass(&mut self) {}
}

pub(crate) fn calc_size(call: &mut CalcObjectSize) -> SIZE_T {
    ObjectCall.hooked();
    call.base()
}

pub(crate) fn calc_addition_size(call: &mut CalcAdditionSize) -> SIZE_T {
    ObjectCall.hooked();
    call.base()
}

/// The making of a state object or an addition.
pub(crate) struct Make {
    call: Call,
    pub(crate) desc: Desc,
    parent: Option<D3D12DDI_HCOMPILERSTATEOBJECT>,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
    about: Option<About>,
}

pub(crate) fn create(call: &mut Object) -> HRESULT {
    ObjectCall.hooked();
    need::STATE_OBJECT.met_if(true);
    let Object { desc, object, .. } = *call;
    Make {
        call: Call::Object(*call),
        desc,
        parent: None,
        object,
        about: call.about(),
    }
    .of_call()
}

pub(crate) fn add(call: &mut Addition) -> HRESULT {
    ObjectCall.hooked();
    need::ADDITION.met_if(true);
    let Addition {
        desc,
        parent,
        object,
        ..
    } = *call;
    Make {
        call: Call::Addition(*call),
        desc,
        parent: Some(parent),
        object,
        about: call.about(),
    }
    .of_call()
}

impl Make {
    /// No defect is about what has no description.
    fn of_call(&mut self) -> HRESULT {
        if self.desc.is_null() {
            self.pass()
        } else {
            self.hooked()
        }
    }

    pub(crate) fn about(&self) -> Option<About> {
        self.about
    }

    /// The compile of it.
    pub(crate) fn compile(&self) -> Compile {
        Compile::new(self.call)
    }

    /// What the base needs of the memory.
    fn size(&self) -> usize {
        let Compile { slot, own, .. } = self.compile();
        let (compiler, desc) = (own.handle(), self.desc);
        let parent = |parent| {
            CalcAdditionSize {
                slot,
                compiler,
                desc,
                parent,
            }
            .base()
        };
        self.parent.map_or_else(
            || {
                CalcObjectSize {
                    slot,
                    compiler,
                    desc,
                }
                .base()
            },
            parent,
        )
    }
}

impl Place for Make {
    type Answer = HRESULT;

    fn pass(&mut self) -> HRESULT {
        // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the description is null or valid.
        let deviation = unsafe { subobjects::deviation(self.desc) };
        match deviation {
            Some(Deviation::Writes(exports)) => rewrite(exports),
            Some(Deviation::Refuses) => return E_INVALIDARG,
            Some(Deviation::Session(_) | Deviation::KeysOf(_)) | None => {}
        }
        let of_field = deviation.as_ref().and_then(Deviation::in_callbacks);
        let result = self.compile().of_field(of_field);
        if result.is_ok() {
            self.note();
        }
        result
    }
}

impl Make {
    /// Notes what was made.
    fn note(&self) {
        let memory = self.object.pDrvPrivate.expose_provenance();
        let parent = self.parent.map_or(0, |parent| parent.pDrvPrivate.addr());
        let mut objects = objects();
        // A host may reuse the memory of a state object that it never destroyed.
        objects.retain(|object| object.memory != memory);
        let parents = objects.iter_mut().filter(|object| object.memory == parent);
        parents.for_each(|parent| parent.additions += 1);
        objects.push(StateObject {
            about: self.about,
            memory,
            desc: self.desc.expose_provenance(),
            parent,
            size: 0,
            additions: 0,
            refuses: false,
        });
    }
}

pub(crate) fn destroy(call: &mut DestroyObject) {
    ObjectCall.hooked();
    compile::happened(Event::ObjectDestroyed(
        known(call.object).map_or(0, |ended| ended.parent),
    ));
    call.base();
    forget(call.object);
}

fn forget(object: D3D12DDI_HCOMPILERSTATEOBJECT) {
    let memory = object.pDrvPrivate.addr();
    objects().retain(|object| object.memory != memory);
}

/// Destroys an object, and changes what is known of the others.
fn destroyed(call: &mut DestroyObject, change: fn(&StateObject, &mut Vec<StateObject>)) {
    let ended = known(call.object);
    call.pass();
    if let Some(ended) = ended {
        change(&ended, &mut objects());
    }
}

fn refused(call: &mut Make) -> HRESULT {
    let is_refused = call
        .parent
        .and_then(known)
        .is_some_and(|parent| parent.refuses);
    call.answer_if(is_refused, E_FAIL)
}

static CALLS: AtomicUsize = AtomicUsize::new(0);

/// The description that the last size was calculated of, as an address.
static OF_SIZE: AtomicUsize = AtomicUsize::new(0);

/// The description, program or memory that the next call uses although it may not, as an address.
static GONE: AtomicUsize = AtomicUsize::new(0);

/// Destroys an object, and leaves something of it to the next call.
fn leaves(call: &mut DestroyObject, what: fn(&StateObject) -> usize) {
    let left = known(call.object).map_or(0, |ended| what(&ended));
    call.pass();
    GONE.store(left, Ordering::Relaxed);
}

fn read_gone(_: &mut ObjectCall) {
    let address = GONE.swap(0, Ordering::Relaxed);
    if address != 0 {
        read(ptr::with_exposed_provenance::<u8>(address), 1);
    }
}

fn write_gone(_: &mut ObjectCall) {
    let address = GONE.swap(0, Ordering::Relaxed);
    if address != 0 {
        write(ptr::with_exposed_provenance::<u8>(address), 0_u8);
    }
}

fn writes_past(call: &mut Make) -> HRESULT {
    write(call.object.pDrvPrivate.wrapping_byte_add(call.size()), 0_u8);
    call.pass()
}

/// Makes an object, and notes the size of its memory.
fn with_size(call: &mut Make) -> HRESULT {
    call.after(|call, _| {
        let (memory, size) = (call.object.pDrvPrivate.addr(), call.size());
        let mut objects = objects();
        let own = objects.iter_mut().filter(|own| own.memory == memory);
        own.for_each(|own| own.size = size);
    })
}

fn assumes_zeros(call: &mut Make) -> HRESULT {
    let end = call.object.pDrvPrivate.wrapping_byte_add(call.size());
    // SAFETY: the memory has room for that behind what the base needs.
    let lives = unsafe { end.cast::<usize>().read_unaligned() } != 0;
    call.answer_if(lives, E_UNEXPECTED)
}

fn accepts_malformed(call: &mut Make) -> HRESULT {
    call.after(|call, result| {
        if *result == E_INVALIDARG {
            *result = call.compile().store_anything();
        }
    })
}

fn latest_parent(call: &mut Addition) -> HRESULT {
    if let Some(last) = objects().last() {
        call.parent.pDrvPrivate = ptr::with_exposed_provenance_mut(last.memory);
    }
    call.pass()
}

fn first_at_address(call: &mut Make) -> HRESULT {
    /// Addresses, and the bytes of the first state object there.
    static FIRST: Mutex<Vec<(usize, Vec<u8>)>> = Mutex::new(Vec::new());
    let exchange = |object: D3D12DDI_HCOMPILERSTATEOBJECT| {
        let memory = object.pDrvPrivate.cast::<u8>();
        let mut first = FIRST.lock();
        if let Some((_, bytes)) = first.iter_mut().find(|(at, _)| *at == memory.addr()) {
            // SAFETY: the living object has as many bytes, as all of the base's have.
            unsafe { ptr::swap_nonoverlapping(memory, bytes.as_mut_ptr(), bytes.len()) };
        }
    };
    call.parent.into_iter().for_each(exchange);
    let result = call.pass();
    call.parent.into_iter().for_each(exchange);
    let memory = call.object.pDrvPrivate.cast::<u8>();
    let mut first = FIRST.lock();
    if result.is_ok() && first.iter().all(|(at, _)| *at != memory.addr()) {
        // SAFETY: the object has as many bytes, which its host initialised.
        let bytes = unsafe { slice::from_raw_parts(memory, call.size()) };
        first.push((memory.addr(), bytes.to_vec()));
    }
    result
}

/// The subobjects of a description.
///
/// # Safety
/// The description is null, or valid with as many subobjects as it says.
pub(crate) unsafe fn subobjects<'a>(desc: Desc) -> &'a [D3D12DDI_STATE_SUBOBJECT_0054] {
    // SAFETY: as this function demands.
    unsafe {
        match desc.as_ref() {
            Some(desc) if desc.NumSubobjects > 0 => {
                slice::from_raw_parts(desc.pSubobjects, desc.NumSubobjects as usize)
            }
            _ => &[],
        }
    }
}

/// Whether the description has a subobject of a type.
pub(crate) fn has(desc: Desc, ty: D3D12DDI_STATE_SUBOBJECT_TYPE) -> bool {
    // SAFETY: a host's description is null, or valid with as many subobjects as it says.
    let mut subobjects = unsafe { subobjects(desc) }.iter();
    subobjects.any(|subobject| subobject.Type == ty)
}

/// The content of the first subobject of a type.
///
/// # Safety
/// The description is null or valid, and the content of that type is a `T`.
pub(crate) unsafe fn content<T: Copy>(desc: Desc, ty: D3D12DDI_STATE_SUBOBJECT_TYPE) -> Option<T> {
    // SAFETY: as this function demands.
    let mut subobjects = unsafe { subobjects(desc) }.iter();
    let subobject = subobjects.find(|subobject| subobject.Type == ty)?;
    // SAFETY: a subobject has the content of its type.
    Some(unsafe { subobject.pDesc.cast::<T>().read() })
}

/// The first library of a description.
///
/// # Safety
/// The description is null or valid.
pub(crate) unsafe fn library(desc: Desc) -> Option<D3D12DDI_DXIL_LIBRARY_DESC_0054> {
    // SAFETY: as this function demands; that is the content of a library.
    unsafe { content(desc, D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY) }
}

/// The first library of the description of a living object, or of a call.
pub(crate) fn library_of(desc: Desc) -> Option<D3D12DDI_DXIL_LIBRARY_DESC_0054> {
    // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the description is null or valid.
    unsafe { library(desc) }
}
