//! State objects: their functions of the COMPILER table.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ddi_sys::{
    D3D12DDI_COMPILER_FUNCS, D3D12DDI_COMPILER_VALUE_TYPE_FLAGS, D3D12DDI_DXIL_LIBRARY_DESC_0054,
    D3D12DDI_HCOMPILER, D3D12DDI_HCOMPILERSTATEOBJECT, D3D12DDI_HRTCOMPILERCACHESESSION,
    D3D12DDI_STATE_OBJECT_TYPE_COLLECTION, D3D12DDI_STATE_SUBOBJECT_0054,
    D3D12DDI_STATE_SUBOBJECT_TYPE, D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
    D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM, D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH,
    D3D12DDIARG_CREATE_STATE_OBJECT_0054, DXGI_ERROR_UNSUPPORTED, E_FAIL, E_INVALIDARG,
    E_UNEXPECTED, HRESULT, PFND3D12DDI_COMPILER_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE,
    PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE,
    PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT,
    PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT, PFND3D12DDI_COMPILER_DESTROY_STATE_OBJECT,
    S_OK, SIZE_T,
};

use crate::compiler::{Compile, compiler_for_compile, family_of};
use crate::defect::{Defect, Session, selected};
use crate::layer;
use crate::need::{Need, met, met_if};
use crate::subobjects::{self, Deviation};
use crate::{memory, session, threads};
use base_plugin::{SLOTS, call, defects, follow, per_slot};

/// The defects of this file.
#[macro_export]
macro_rules! state_object_defects {
    ($take:ident) => {
        $take! {
            /// In the size, creation and destruction of state objects.
            StateObjects {
                SizeVaries = "state-object-size-varies" breaks P_SO_01:
                    "the private size grows with each call";
                SizeNullFollowed = "state-object-size-null-followed" breaks P_PSO_21:
                    "the size of a state object is calculated from a null description",
                    where StateObject;
                SizeVariesOfAddition = "state-object-size-varies-of-addition" breaks P_SO_01:
                    "the private size of an addition depends on the address of its description",
                    where Addition;
                WritesPast = "state-object-writes-past" breaks P_SO_01:
                    "a byte behind the private memory is written";
                WritesPastOfAddition = "state-object-writes-past-of-addition" breaks P_SO_01:
                    "a byte behind the private memory of an addition is written",
                    where Addition;
                WritesPastOfCollection = "state-object-writes-past-of-collection" breaks P_SO_01:
                    "a byte behind the private memory of a collection is written",
                    where Collection;
                WritesPastOfGraph = "state-object-writes-past-of-graph" breaks P_SO_01:
                    "a byte behind the private memory of a work graph is written",
                    where Graph;
                WritesBeforeOfFamily = "state-object-writes-before-of-family" breaks P_SO_01:
                    "for the second family a byte in front of the private memory is written",
                    where SecondFamily;
                WritesPastParent = "state-object-writes-past-parent" breaks P_SO_01:
                    "an addition writes a byte behind the private memory of its parent",
                    where Addition;
                DestroyWritesPast = "state-object-destroy-writes-past" breaks P_SO_01:
                    "destroying a state object writes a byte behind its private memory";
                AssumesZeros = "state-object-assumes-zeros" breaks P_SO_01:
                    "private memory that is not zero is taken for a state object that lives already";
                AssumesZerosOfAddition = "state-object-assumes-zeros-of-addition" breaks P_SO_01:
                    "private memory of an addition that is not zero is taken for one that lives already",
                    where Addition;
                WritesDesc = "state-object-writes-desc" breaks P_SO_08:
                    "the description of a state object is written to";
                WritesDescOfAddition = "state-object-writes-desc-of-addition" breaks P_SO_08:
                    "the description of an addition is written to",
                    where Addition;
                WritesDescOfParent = "state-object-writes-desc-of-parent" breaks P_SO_08:
                    "an addition writes to the description of its parent",
                    where Addition;
                WritesSubobjectsOfFamily = "state-object-writes-subobjects-of-family" breaks P_SO_08:
                    "for the second family the array of subobjects is written to",
                    where SecondFamily;
                WritesProgramOfCollection = "state-object-writes-program-of-collection" breaks P_SO_08:
                    "the program of a collection's library is patched in place",
                    where Collection;
                WritesExports = "state-object-writes-exports" breaks P_SO_08:
                    "the exports of a library are written to";
                SizeWritesDesc = "state-object-size-writes-desc" breaks P_SO_08:
                    "the description is written to when the size of an addition is calculated",
                    where Addition;
                DestroyWritesDesc = "state-object-destroy-writes-desc" breaks P_SO_08:
                    "destroying a state object writes to its description";
                AcceptsMalformedAddition = "state-object-accepts-malformed-addition" breaks P_PSO_17:
                    "an addition with a library that is no program is stored as it is",
                    where Addition;
                AcceptsMalformedCollection = "state-object-accepts-malformed-collection" breaks P_PSO_17:
                    "a collection with a library that is no program is stored as it is",
                    where Collection;
                AcceptsMalformedGraph = "state-object-accepts-malformed-graph" breaks P_PSO_17:
                    "a work graph with a library that is no program is stored as it is",
                    where Graph;
                TrustsSizeOfAddition = "state-object-trusts-size-of-addition" breaks P_PSO_17:
                    "the bitcode of an addition's library is read as far as the program's header says",
                    where Addition;
                FirstAtAddress = "state-object-first-at-address" breaks P_SO_03:
                    "an addition is made to the first state object that had its parent's address";
                LatestParent = "state-object-latest-parent" breaks P_SO_03:
                    "an addition is made to the state object that was made last",
                    where Addition;
                LatestParentOfFamily = "state-object-latest-parent-of-family" breaks P_SO_03:
                    "for the second family an addition is made to the state object that was made last",
                    where SecondFamily, where Addition;
                OneAddition = "state-object-one-addition" breaks P_SO_03:
                    "a second addition to one state object is refused",
                    where Addition,
                    sometimes P_SO_09 because "it makes several additions, and is undecided where one is refused";
                SizeKeepsDesc = "state-object-size-keeps-desc" breaks P_SO_04:
                    "a compile reads the description that the last size was calculated of";
                KeepsDesc = "state-object-keeps-desc" breaks P_SO_04:
                    "the description of a destroyed state object is read by the next call";
                KeepsDescOfAddition = "state-object-keeps-desc-of-addition" breaks P_SO_04:
                    "the description of a destroyed addition is read by the next call",
                    where Addition;
                KeepsDescOfFamily = "state-object-keeps-desc-of-family" breaks P_SO_04:
                    "for the second family the description of a destroyed state object is read by the next call",
                    where SecondFamily;
                KeepsProgramOfCollection = "state-object-keeps-program-of-collection" breaks P_SO_04:
                    "the program of a destroyed collection is read by the next call",
                    where Collection;
                KeepsDescOfFailure = "state-object-keeps-desc-of-failure" breaks P_SO_04:
                    "the description of a compile that failed is read by the next call";
                WritesAfterDestroy = "state-object-writes-after-destroy" breaks P_SO_06:
                    "the memory of a destroyed state object is written to by the next call";
                WritesAfterDestroyOfAddition = "state-object-writes-after-destroy-of-addition" breaks P_SO_06:
                    "the memory of a destroyed addition is written to by the next call",
                    where Addition;
                ReadsAfterDestroyOfGraph = "state-object-reads-after-destroy-of-graph" breaks P_SO_06:
                    "the memory of a destroyed work graph is read by the next call",
                    where Graph;
                LeavesMemory = "state-object-leaves-memory" breaks P_CMP_08:
                    "each destroyed state object leaves 4 KiB behind",
                    where StateObject;
                DestroyEndsSiblings = "state-object-destroy-ends-siblings" breaks P_SO_06:
                    "destroying an addition has those to its siblings refused",
                    where Addition;
                DestroyEndsParent = "state-object-destroy-ends-parent" breaks P_SO_06:
                    "destroying one of two additions has more additions to their parent refused",
                    where Addition;
            }
        }
    };
}

state_object_defects!(defects);

/// The functions of one slot.
struct Functions {
    calc_size: PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE,
    calc_addition_size: PFND3D12DDI_COMPILER_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE,
    create: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT,
    add: PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT,
    destroy: PFND3D12DDI_COMPILER_DESTROY_STATE_OBJECT,
}

const fn functions<const SLOT: usize>() -> Functions {
    Functions {
        calc_size: Some(calc_size::<SLOT>),
        calc_addition_size: Some(calc_addition_size::<SLOT>),
        create: Some(create::<SLOT>),
        add: Some(add::<SLOT>),
        destroy: Some(destroy::<SLOT>),
    }
}

static FUNCTIONS: [Functions; SLOTS] = per_slot!(functions);

/// The table of a slot, in front of the base's.
pub(crate) fn table(slot: usize, base: D3D12DDI_COMPILER_FUNCS) -> D3D12DDI_COMPILER_FUNCS {
    D3D12DDI_COMPILER_FUNCS {
        pfnCalcPrivateStateObjectSize: base
            .pfnCalcPrivateStateObjectSize
            .and(FUNCTIONS[slot].calc_size),
        pfnCalcPrivateAddToStateObjectSize: base
            .pfnCalcPrivateAddToStateObjectSize
            .and(FUNCTIONS[slot].calc_addition_size),
        pfnCompileCreateStateObject: base.pfnCompileCreateStateObject.and(FUNCTIONS[slot].create),
        pfnCompileAddToStateObject: base.pfnCompileAddToStateObject.and(FUNCTIONS[slot].add),
        pfnDestroyStateObject: base.pfnDestroyStateObject.and(FUNCTIONS[slot].destroy),
        ..base
    }
}

pub(crate) type Desc = *const D3D12DDIARG_CREATE_STATE_OBJECT_0054;

/// What is known of a state object, with addresses.
#[derive(Clone, Copy)]
struct StateObject {
    memory: usize,
    /// The size of its memory.
    size: usize,
    desc: usize,
    /// The memory of what it was added to; 0 if it is no addition.
    parent: usize,
    family: u32,
    is_collection: bool,
    is_graph: bool,
    /// How many additions to it there have been.
    additions: usize,
    /// Whether more of them are refused.
    refuses: bool,
}

/// The living state objects.
static OBJECTS: Mutex<Vec<StateObject>> = Mutex::new(Vec::new());

fn objects() -> MutexGuard<'static, Vec<StateObject>> {
    OBJECTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn known(object: D3D12DDI_HCOMPILERSTATEOBJECT) -> Option<StateObject> {
    let address = object.pDrvPrivate.addr();
    let objects = objects();
    let mut objects = objects.iter();
    objects.find(|object| object.memory == address).copied()
}

fn defect() -> Option<StateObjects> {
    match selected() {
        Some(Defect::StateObjects(defect)) => Some(defect),
        _ => None,
    }
}

/// The description, program or memory that the next call uses although it may not, as an address; see
/// [`use_what_is_gone`].
static GONE: AtomicUsize = AtomicUsize::new(0);

/// The description that the last size was calculated of, as an address.
static OF_SIZE: AtomicUsize = AtomicUsize::new(0);

/// For [`StateObjects::FirstAtAddress`]: addresses, and the bytes of the first state object there.
static FIRST: Mutex<Vec<(usize, Vec<u8>)>> = Mutex::new(Vec::new());

/// Uses what a call before left for the next one.
fn use_what_is_gone() {
    let address = GONE.swap(0, Ordering::Relaxed);
    if address == 0 {
        return;
    }
    let byte = std::ptr::with_exposed_provenance_mut::<u8>(address);
    // SAFETY: none; that is the defect.
    unsafe {
        match defect() {
            Some(StateObjects::WritesAfterDestroy | StateObjects::WritesAfterDestroyOfAddition) => {
                byte.write_volatile(0);
            }
            _ => {
                byte.read_volatile();
            }
        }
    }
}

/// What the next call uses of an object that is destroyed now; 0 for nothing.
fn left_of(ended: &StateObject) -> usize {
    let is_addition = ended.parent != 0;
    match defect() {
        Some(StateObjects::KeepsDesc) => ended.desc,
        Some(StateObjects::KeepsDescOfAddition) if is_addition => ended.desc,
        Some(StateObjects::KeepsDescOfFamily) if ended.family == 1 => ended.desc,
        Some(StateObjects::KeepsProgramOfCollection) if ended.is_collection => {
            // SAFETY: PFND3D12DDI_COMPILER_DESTROY_STATE_OBJECT: until the object is destroyed.
            let library = unsafe { library(std::ptr::with_exposed_provenance(ended.desc)) };
            library.map_or(0, |library| library.pDXILLibrary.expose_provenance())
        }
        Some(StateObjects::WritesAfterDestroy) => ended.memory,
        Some(StateObjects::WritesAfterDestroyOfAddition) if is_addition => ended.memory,
        Some(StateObjects::ReadsAfterDestroyOfGraph) if ended.is_graph => ended.memory,
        _ => 0,
    }
}

/// What the base adds to: the host's parent, or what a defect takes for it.
fn parent_for_base(
    parent: D3D12DDI_HCOMPILERSTATEOBJECT,
    family: u32,
) -> D3D12DDI_HCOMPILERSTATEOBJECT {
    let other = match defect() {
        Some(StateObjects::LatestParent) => objects().last().map(|last| last.memory),
        Some(StateObjects::LatestParentOfFamily) if family == 1 => {
            objects().last().map(|last| last.memory)
        }
        _ => None,
    };
    match other {
        Some(other) => D3D12DDI_HCOMPILERSTATEOBJECT {
            pDrvPrivate: std::ptr::with_exposed_provenance_mut(other),
        },
        None => parent,
    }
}

/// For [`StateObjects::FirstAtAddress`]: exchanges the bytes of a state object and of the first one there.
fn exchange_first(object: D3D12DDI_HCOMPILERSTATEOBJECT) {
    let address = object.pDrvPrivate.addr();
    let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, bytes)) = first.iter_mut().find(|(at, _)| *at == address) {
        let object = object.pDrvPrivate.cast::<u8>();
        // SAFETY: the living object has as many bytes, as all of the base's have.
        unsafe { std::ptr::swap_nonoverlapping(object, bytes.as_mut_ptr(), bytes.len()) };
    }
}

/// What the base needs of an object's memory, where a defect has to know. A base need not stand the question
/// with a null description.
fn size_for_defect(desc: Desc, ask: impl FnOnce() -> SIZE_T) -> SIZE_T {
    if defect().is_some() && !desc.is_null() {
        ask()
    } else {
        0
    }
}

/// The size of a state object, by the base's.
fn size_of_object(size: SIZE_T, desc: Desc, is_addition: bool) -> SIZE_T {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    OF_SIZE.store(desc.expose_provenance(), Ordering::Relaxed);
    match defect() {
        Some(StateObjects::SizeNullFollowed) if desc.is_null() => {
            follow(desc);
            size
        }
        Some(StateObjects::SizeVaries) => size + CALLS.fetch_add(1, Ordering::Relaxed) * 8,
        Some(StateObjects::SizeVariesOfAddition) if is_addition => {
            size + (desc.addr() >> 12) % 1024
        }
        Some(StateObjects::AssumesZeros) => size + size_of::<usize>(),
        Some(StateObjects::AssumesZerosOfAddition) if is_addition => size + size_of::<usize>(),
        Some(StateObjects::SizeWritesDesc) if is_addition => {
            // SAFETY: none, as it is const; that is the defect.
            unsafe { rewrite(desc) };
            size
        }
        _ => size,
    }
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
                std::slice::from_raw_parts(desc.pSubobjects, desc.NumSubobjects as usize)
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

/// Writes what is there already.
///
/// # Safety
/// The pointer is null or valid for reads and writes.
unsafe fn rewrite<T: Copy>(at: *const T) {
    if !at.is_null() {
        let byte = at.cast::<u8>().cast_mut();
        // SAFETY: valid for reads and writes, as this function demands.
        unsafe { byte.write_volatile(byte.read_volatile()) };
    }
}

/// The first library of a description.
///
/// # Safety
/// The description is null or valid.
pub(crate) unsafe fn library(desc: Desc) -> Option<D3D12DDI_DXIL_LIBRARY_DESC_0054> {
    // SAFETY: as this function demands; that is the content of a library.
    unsafe { content(desc, D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY) }
}

/// A compile of a state object, as the base is about to make it.
struct Creation {
    desc: Desc,
    parent: Option<D3D12DDI_HCOMPILERSTATEOBJECT>,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
    /// What the base needs of the object's memory; only a defect of a state object knows it.
    size: usize,
    family: u32,
}

impl Creation {
    /// What a defect does before the base's compile, and the failure that it gives instead.
    ///
    /// # Safety
    /// PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT or PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT.
    unsafe fn begin(&self) -> Result<(), HRESULT> {
        // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the description is null or valid.
        let Some(desc) = (unsafe { self.desc.as_ref() }) else {
            return Ok(());
        };
        let is_addition = self.parent.is_some();
        let is_collection = desc.Type == D3D12DDI_STATE_OBJECT_TYPE_COLLECTION;
        let is_graph = has(self.desc, D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH);
        met(Need::StateObject);
        met_if(is_addition, Need::Addition);
        met_if(is_collection, Need::Collection);
        met_if(is_graph, Need::Graph);
        let Some(defect) = defect() else {
            return Ok(());
        };
        let parent = self.parent.and_then(known);
        let memory = self.object.pDrvPrivate.cast::<u8>();
        // SAFETY: none where a defect writes what it may not; else what this function demands.
        unsafe {
            match defect {
                StateObjects::SizeKeepsDesc => {
                    let of_size = OF_SIZE.load(Ordering::Relaxed);
                    std::ptr::with_exposed_provenance::<u8>(of_size).read_volatile();
                }
                StateObjects::OneAddition if parent.is_some_and(|parent| parent.additions > 0) => {
                    return Err(E_FAIL);
                }
                StateObjects::DestroyEndsSiblings | StateObjects::DestroyEndsParent
                    if parent.is_some_and(|parent| parent.refuses) =>
                {
                    return Err(E_FAIL);
                }
                StateObjects::TrustsSizeOfAddition if is_addition => {
                    if let Some(library) = library(self.desc) {
                        let code = library.pDXILLibrary;
                        let size = code.add(5).read() as usize;
                        code.cast::<u8>()
                            .wrapping_add(24 + size - 1)
                            .read_volatile();
                    }
                }
                StateObjects::WritesPast => memory.add(self.size).write(0),
                StateObjects::WritesPastOfAddition if is_addition => memory.add(self.size).write(0),
                StateObjects::WritesPastOfCollection if is_collection => {
                    memory.add(self.size).write(0);
                }
                StateObjects::WritesPastOfGraph if is_graph => memory.add(self.size).write(0),
                StateObjects::WritesBeforeOfFamily if self.family == 1 => memory.sub(1).write(0),
                StateObjects::WritesPastParent => {
                    if let (Some(handle), Some(parent)) = (self.parent, parent) {
                        handle.pDrvPrivate.cast::<u8>().add(parent.size).write(0);
                    }
                }
                StateObjects::AssumesZeros | StateObjects::AssumesZerosOfAddition
                    if (is_addition || defect == StateObjects::AssumesZeros)
                        && memory.add(self.size).cast::<usize>().read_unaligned() != 0 =>
                {
                    return Err(E_UNEXPECTED);
                }
                StateObjects::WritesDesc if !is_addition => rewrite(self.desc),
                StateObjects::WritesDescOfAddition if is_addition => rewrite(self.desc),
                StateObjects::WritesDescOfParent => {
                    if let Some(parent) = parent {
                        rewrite(std::ptr::with_exposed_provenance::<u8>(parent.desc));
                    }
                }
                StateObjects::WritesSubobjectsOfFamily if self.family == 1 => {
                    rewrite(desc.pSubobjects);
                }
                StateObjects::WritesProgramOfCollection if is_collection => {
                    if let Some(library) = library(self.desc) {
                        rewrite(library.pDXILLibrary);
                    }
                }
                StateObjects::WritesExports => {
                    if let Some(library) = library(self.desc) {
                        rewrite(library.pExports);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Compiles it with `base`, and before, after or instead of that does what a defect does.
    ///
    /// # Safety
    /// As [`begin`](Self::begin), with this compiler, session and flags.
    unsafe fn make(
        &self,
        slot: usize,
        open: &layer::Open,
        compiler: D3D12DDI_HCOMPILER,
        (session, flags): (
            D3D12DDI_HRTCOMPILERCACHESESSION,
            D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
        ),
        base: impl FnOnce(D3D12DDI_HCOMPILER) -> HRESULT,
    ) -> HRESULT {
        let compiler = match compiler_for_compile(open, compiler, 0) {
            Ok(compiler) => compiler,
            Err(failure) => return failure,
        };
        // SAFETY: what `begin` demands, this function demands too.
        if let Err(failure) = unsafe { self.begin() } {
            return failure;
        }
        // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the description is null or valid.
        let deviation = unsafe { subobjects::deviation(self.desc) };
        match deviation {
            // SAFETY: none, as it is const; that is the defect.
            Some(Deviation::Writes(exports)) => unsafe { rewrite(exports) },
            Some(Deviation::Refuses) => return E_INVALIDARG,
            Some(Deviation::Session(_) | Deviation::KeysOf(_)) | None => {}
        }
        let of_field = deviation.as_ref().and_then(Deviation::in_callbacks);
        let what = match self.parent {
            None => session::What::StateObject(of_field),
            Some(_) => session::What::Addition(of_field),
        };
        let kind = match self.parent {
            // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the description is null or valid.
            None => unsafe { threads::Kind::of_state_object(self.desc) },
            Some(parent) => threads::Kind::Addition {
                parent: parent.pDrvPrivate.addr(),
            },
        };
        let result = threads::compiling(compiler.beside_others(kind, session), || {
            // SAFETY: the arguments are those of PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT or
            // PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT, as this function demands.
            unsafe { session::compile(slot, open, compiler, session, flags, what, base) }
        });
        self.end(result);
        // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the description is null or valid.
        unsafe { memory::after_state_object(self.desc, self.parent.is_some(), result) };
        // SAFETY: what `accepts` demands, this function demands too.
        if unsafe { self.accepts(result) } {
            return session::store_anything(slot, session);
        }
        result
    }

    /// Whether a defect stores what the base refuses with `result`.
    ///
    /// # Safety
    /// As [`begin`](Self::begin).
    unsafe fn accepts(&self, result: HRESULT) -> bool {
        // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the description is null or valid.
        let Some(desc) = (unsafe { self.desc.as_ref() }) else {
            return false;
        };
        if selected() == Some(Defect::Compile(Compile::AcceptsOtherMagicOfLibrary)) {
            return self.parent.is_none() && !result.is_ok();
        }
        if result != E_INVALIDARG {
            return false;
        }
        match defect() {
            Some(StateObjects::AcceptsMalformedAddition) => self.parent.is_some(),
            Some(StateObjects::AcceptsMalformedCollection) => {
                desc.Type == D3D12DDI_STATE_OBJECT_TYPE_COLLECTION
            }
            Some(StateObjects::AcceptsMalformedGraph) => {
                has(desc, D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH)
            }
            _ => false,
        }
    }

    /// Notes what became of it.
    fn end(&self, result: HRESULT) {
        if !result.is_ok() {
            if defect() == Some(StateObjects::KeepsDescOfFailure) {
                GONE.store(self.desc.expose_provenance(), Ordering::Relaxed);
            }
            return;
        }
        let memory = self.object.pDrvPrivate.expose_provenance();
        let parent = self.parent.map_or(0, |parent| parent.pDrvPrivate.addr());
        // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the description is null or valid.
        let kind = unsafe { self.desc.as_ref() }.map(|desc| desc.Type);
        let mut objects = objects();
        // A host may reuse the memory of a state object that it never destroyed.
        objects.retain(|object| object.memory != memory);
        if let Some(parent) = objects.iter_mut().find(|object| object.memory == parent) {
            parent.additions += 1;
        }
        objects.push(StateObject {
            memory,
            size: self.size,
            desc: self.desc.expose_provenance(),
            parent,
            family: self.family,
            is_collection: kind == Some(D3D12DDI_STATE_OBJECT_TYPE_COLLECTION),
            is_graph: has(self.desc, D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH),
            additions: 0,
            refuses: false,
        });
        if defect() == Some(StateObjects::FirstAtAddress) {
            let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
            if first.iter().all(|(at, _)| *at != memory) {
                let object = self.object.pDrvPrivate.cast::<u8>();
                // SAFETY: the object has as many bytes, which its host initialised.
                let bytes = unsafe { std::slice::from_raw_parts(object, self.size) }.to_vec();
                first.push((memory, bytes));
            }
        }
    }
}

/// # Safety
/// PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE: the compiler lives, the description is valid for the call.
unsafe extern "system" fn calc_size<const SLOT: usize>(
    compiler: D3D12DDI_HCOMPILER,
    desc: Desc,
) -> SIZE_T {
    use_what_is_gone();
    let Some(open) = layer::OPENS.in_slot(SLOT) else {
        return 0;
    };
    let size = call!(open.compiler.pfnCalcPrivateStateObjectSize(compiler, desc) else 0);
    size_of_object(size, desc, false)
}

/// # Safety
/// PFND3D12DDI_COMPILER_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE: as [`calc_size`], and the parent lives.
unsafe extern "system" fn calc_addition_size<const SLOT: usize>(
    compiler: D3D12DDI_HCOMPILER,
    desc: Desc,
    parent: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> SIZE_T {
    use_what_is_gone();
    let Some(open) = layer::OPENS.in_slot(SLOT) else {
        return 0;
    };
    let size =
        call!(open.compiler.pfnCalcPrivateAddToStateObjectSize(compiler, desc, parent) else 0);
    size_of_object(size, desc, true)
}

/// # Safety
/// PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the compiler lives, the session is valid for the
/// call, the description as long as the object, whose memory has the bytes that were calculated.
unsafe extern "system" fn create<const SLOT: usize>(
    compiler: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    desc: Desc,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    use_what_is_gone();
    let Some(open) = layer::OPENS.in_slot(SLOT) else {
        return E_INVALIDARG;
    };
    if has(desc, D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM)
        && selected() == Some(Defect::Compile(Compile::NoGenericPrograms))
    {
        met(Need::GenericProgram);
        return DXGI_ERROR_UNSUPPORTED;
    }
    let creation = Creation {
        desc,
        parent: None,
        object,
        size: size_for_defect(
            desc,
            || call!(open.compiler.pfnCalcPrivateStateObjectSize(compiler, desc) else 0),
        ),
        family: family_of(compiler),
    };
    let base = |compiler| {
        call!(open.compiler.pfnCompileCreateStateObject(compiler, session, flags, desc, object)
            else E_UNEXPECTED)
    };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT demands of a
    // host.
    unsafe { creation.make(SLOT, &open, compiler, (session, flags), base) }
}

/// # Safety
/// PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT: as [`create`], and the parent lives.
unsafe extern "system" fn add<const SLOT: usize>(
    compiler: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    desc: Desc,
    parent: D3D12DDI_HCOMPILERSTATEOBJECT,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    use_what_is_gone();
    let Some(open) = layer::OPENS.in_slot(SLOT) else {
        return E_INVALIDARG;
    };
    match selected() {
        Some(Defect::Compile(Compile::NoAdditions)) => return DXGI_ERROR_UNSUPPORTED,
        Some(Defect::Compile(Compile::NullAdditionAccepted)) if desc.is_null() => return S_OK,
        _ => {}
    }
    let creation = Creation {
        desc,
        parent: Some(parent),
        object,
        size: size_for_defect(
            desc,
            || call!(open.compiler.pfnCalcPrivateAddToStateObjectSize(compiler, desc, parent) else 0),
        ),
        family: family_of(compiler),
    };
    let for_base = parent_for_base(parent, creation.family);
    let base = |compiler| {
        exchange_first(parent);
        let result = call!(open.compiler.pfnCompileAddToStateObject(
            compiler, session, flags, desc, for_base, object
        ) else E_UNEXPECTED);
        exchange_first(parent);
        result
    };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT demands of a
    // host.
    unsafe { creation.make(SLOT, &open, compiler, (session, flags), base) }
}

/// # Safety
/// PFND3D12DDI_COMPILER_DESTROY_STATE_OBJECT: both live, and no call uses the object.
unsafe extern "system" fn destroy<const SLOT: usize>(
    compiler: D3D12DDI_HCOMPILER,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) {
    use_what_is_gone();
    let Some(open) = layer::OPENS.in_slot(SLOT) else {
        return;
    };
    if selected() == Some(Defect::Session(Session::StateObjectDestroyCallsBack)) {
        session::call_back(SLOT);
    }
    let ended = known(object);
    threads::happened(threads::Event::ObjectDestroyed {
        parent: ended.as_ref().map_or(0, |ended| ended.parent),
    });
    GONE.store(ended.as_ref().map_or(0, left_of), Ordering::Relaxed);
    // Its bytes are used as long as the process.
    if defect() != Some(StateObjects::FirstAtAddress) {
        call!(open.compiler.pfnDestroyStateObject(compiler, object) else ());
    }
    let Some(ended) = ended else {
        return;
    };
    let mut objects = objects();
    objects.retain(|object| object.memory != ended.memory);
    let (parent, of_parent) = (ended.parent, |object: &&mut StateObject| {
        object.parent == ended.parent
    });
    match defect() {
        Some(StateObjects::LeavesMemory) => layer::leave_memory(4096),
        Some(StateObjects::DestroyEndsSiblings) if parent != 0 => {
            objects
                .iter_mut()
                .filter(of_parent)
                .for_each(|sibling| sibling.refuses = true);
        }
        Some(StateObjects::DestroyEndsParent)
            if parent != 0 && objects.iter().any(|object| object.parent == parent) =>
        {
            let of_it = objects.iter_mut().filter(|object| object.memory == parent);
            of_it.for_each(|parent| parent.refuses = true);
        }
        _ => {}
    }
    drop(objects);
    // SAFETY: none where a defect writes what it may not.
    unsafe {
        match defect() {
            Some(StateObjects::DestroyWritesPast) => {
                object.pDrvPrivate.cast::<u8>().add(ended.size).write(0);
            }
            Some(StateObjects::DestroyWritesDesc) => {
                rewrite(std::ptr::with_exposed_provenance::<u8>(ended.desc));
            }
            _ => {}
        }
    }
}
