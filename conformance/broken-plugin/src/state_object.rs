//! State objects: their functions of the COMPILER table.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ddi_sys::{
    D3D12DDI_COMPILER_FUNCS, D3D12DDI_COMPILER_VALUE_TYPE_FLAGS, D3D12DDI_DXIL_LIBRARY_DESC_0054,
    D3D12DDI_HCOMPILER, D3D12DDI_HCOMPILERSTATEOBJECT, D3D12DDI_HRTCOMPILERCACHESESSION,
    D3D12DDI_STATE_OBJECT_TYPE_COLLECTION, D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    DXGI_ERROR_UNSUPPORTED, E_INVALIDARG, E_UNEXPECTED, HRESULT,
    PFND3D12DDI_COMPILER_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE,
    PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE,
    PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT,
    PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT, PFND3D12DDI_COMPILER_DESTROY_STATE_OBJECT,
    S_OK, SIZE_T,
};

use crate::compiler::{Compile, compiler_for_compile, family_of};
use crate::defect::{Defect, Session, selected};
use crate::layer;
use crate::session;
use base_plugin::{SLOTS, call, defects, per_slot};

/// The defects of this file.
#[macro_export]
macro_rules! state_object_defects {
    ($take:ident) => {
        $take! {
            /// In the size, creation and destruction of state objects.
            StateObjects {
                SizeVaries = "state-object-size-varies" breaks P_SO_01:
                    "the private size grows with each call";
                SizeVariesOfAddition = "state-object-size-varies-of-addition" breaks P_SO_01:
                    "the private size of an addition depends on the address of its description";
                WritesPast = "state-object-writes-past" breaks P_SO_01:
                    "a byte behind the private memory is written";
                WritesPastOfAddition = "state-object-writes-past-of-addition" breaks P_SO_01:
                    "a byte behind the private memory of an addition is written";
                WritesPastOfCollection = "state-object-writes-past-of-collection" breaks P_SO_01:
                    "a byte behind the private memory of a collection is written";
                WritesPastOfGraph = "state-object-writes-past-of-graph" breaks P_SO_01:
                    "a byte behind the private memory of a work graph is written";
                WritesBeforeOfFamily = "state-object-writes-before-of-family" breaks P_SO_01:
                    "for the second family a byte in front of the private memory is written";
                WritesPastParent = "state-object-writes-past-parent" breaks P_SO_01:
                    "an addition writes a byte behind the private memory of its parent";
                DestroyWritesPast = "state-object-destroy-writes-past" breaks P_SO_01:
                    "destroying a state object writes a byte behind its private memory";
                AssumesZeros = "state-object-assumes-zeros" breaks P_SO_01:
                    "private memory that is not zero is taken for a state object that lives already";
                AssumesZerosOfAddition = "state-object-assumes-zeros-of-addition" breaks P_SO_01:
                    "private memory of an addition that is not zero is taken for one that lives already";
                WritesDesc = "state-object-writes-desc" breaks P_SO_08:
                    "the description of a state object is written to";
                WritesDescOfAddition = "state-object-writes-desc-of-addition" breaks P_SO_08:
                    "the description of an addition is written to";
                WritesDescOfParent = "state-object-writes-desc-of-parent" breaks P_SO_08:
                    "an addition writes to the description of its parent";
                WritesSubobjectsOfFamily = "state-object-writes-subobjects-of-family" breaks P_SO_08:
                    "for the second family the array of subobjects is written to";
                WritesProgramOfCollection = "state-object-writes-program-of-collection" breaks P_SO_08:
                    "the program of a collection's library is patched in place";
                WritesExports = "state-object-writes-exports" breaks P_SO_08:
                    "the exports of a library are written to";
                SizeWritesDesc = "state-object-size-writes-desc" breaks P_SO_08:
                    "the description is written to when the size of an addition is calculated";
                DestroyWritesDesc = "state-object-destroy-writes-desc" breaks P_SO_08:
                    "destroying a state object writes to its description";
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
        pfnCalcPrivateStateObjectSize: FUNCTIONS[slot].calc_size,
        pfnCalcPrivateAddToStateObjectSize: FUNCTIONS[slot].calc_addition_size,
        pfnCompileCreateStateObject: FUNCTIONS[slot].create,
        pfnCompileAddToStateObject: FUNCTIONS[slot].add,
        pfnDestroyStateObject: FUNCTIONS[slot].destroy,
        ..base
    }
}

type Desc = *const D3D12DDIARG_CREATE_STATE_OBJECT_0054;

/// What is known of a state object, with addresses.
#[derive(Clone, Copy)]
struct StateObject {
    memory: usize,
    /// The size of its memory.
    size: usize,
    desc: usize,
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

/// The size of a state object, by the base's.
fn size_of_object(size: SIZE_T, desc: Desc, is_addition: bool) -> SIZE_T {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    match defect() {
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
unsafe fn library(desc: Desc) -> Option<D3D12DDI_DXIL_LIBRARY_DESC_0054> {
    // SAFETY: null or valid, as this function demands.
    let desc = unsafe { desc.as_ref() }?;
    (0..desc.NumSubobjects as usize).find_map(|at| {
        // SAFETY: there are as many subobjects as it says, each with the description of its type.
        unsafe {
            let subobject = desc.pSubobjects.add(at).read();
            (subobject.Type == D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY).then(|| {
                subobject
                    .pDesc
                    .cast::<D3D12DDI_DXIL_LIBRARY_DESC_0054>()
                    .read()
            })
        }
    })
}

/// A compile of a state object, as the base is about to make it.
struct Creation {
    desc: Desc,
    parent: Option<D3D12DDI_HCOMPILERSTATEOBJECT>,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
    /// What the base needs of the object's memory.
    size: usize,
    family: u32,
}

impl Creation {
    /// What a defect does before the base's compile, and the failure that it gives instead.
    ///
    /// # Safety
    /// PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT or PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT.
    unsafe fn begin(&self) -> Result<(), HRESULT> {
        let Some(defect) = defect() else {
            return Ok(());
        };
        // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the description is null or valid.
        let Some(desc) = (unsafe { self.desc.as_ref() }) else {
            return Ok(());
        };
        let is_addition = self.parent.is_some();
        let is_collection = desc.Type == D3D12DDI_STATE_OBJECT_TYPE_COLLECTION;
        let is_graph = desc.Type == D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE;
        let parent = self.parent.and_then(known);
        let memory = self.object.pDrvPrivate.cast::<u8>();
        // SAFETY: none where a defect writes what it may not; else what this function demands.
        unsafe {
            match defect {
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

    /// Notes what became of it.
    fn end(&self, result: HRESULT) {
        if !result.is_ok() {
            return;
        }
        let memory = self.object.pDrvPrivate.expose_provenance();
        let mut objects = objects();
        // A host may reuse the memory of a state object that it never destroyed.
        objects.retain(|object| object.memory != memory);
        objects.push(StateObject {
            memory,
            size: self.size,
            desc: self.desc.expose_provenance(),
        });
    }
}

/// # Safety
/// PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE: the compiler lives, the description is valid for the call.
unsafe extern "system" fn calc_size<const SLOT: usize>(
    compiler: D3D12DDI_HCOMPILER,
    desc: Desc,
) -> SIZE_T {
    let Some(open) = layer::in_slot(SLOT) else {
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
    let Some(open) = layer::in_slot(SLOT) else {
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
    let Some(open) = layer::in_slot(SLOT) else {
        return E_INVALIDARG;
    };
    let creation = Creation {
        desc,
        parent: None,
        object,
        size: call!(open.compiler.pfnCalcPrivateStateObjectSize(compiler, desc) else 0),
        family: family_of(compiler),
    };
    let compiler = match compiler_for_compile(&open, compiler, 0) {
        Ok(compiler) => compiler,
        Err(failure) => return failure,
    };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT demands of a
    // host.
    if let Err(failure) = unsafe { creation.begin() } {
        return failure;
    }
    let base = |compiler| {
        call!(open.compiler.pfnCompileCreateStateObject(compiler, session, flags, desc, object)
            else E_UNEXPECTED)
    };
    let what = session::What::StateObject;
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT demands of a
    // host.
    let result = unsafe { session::compile(SLOT, &open, compiler, session, flags, what, base) };
    creation.end(result);
    let accepts = selected() == Some(Defect::Compile(Compile::AcceptsOtherMagicOfLibrary));
    if accepts && !result.is_ok() && !desc.is_null() {
        return session::store_anything(SLOT, session);
    }
    result
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
    let Some(open) = layer::in_slot(SLOT) else {
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
        size: call!(open.compiler.pfnCalcPrivateAddToStateObjectSize(compiler, desc, parent) else 0),
        family: family_of(compiler),
    };
    let compiler = match compiler_for_compile(&open, compiler, 0) {
        Ok(compiler) => compiler,
        Err(failure) => return failure,
    };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT demands of a
    // host.
    if let Err(failure) = unsafe { creation.begin() } {
        return failure;
    }
    let base = |compiler| {
        call!(open.compiler.pfnCompileAddToStateObject(
            compiler, session, flags, desc, parent, object
        ) else E_UNEXPECTED)
    };
    let what = session::What::Addition;
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT demands of a
    // host.
    let result = unsafe { session::compile(SLOT, &open, compiler, session, flags, what, base) };
    creation.end(result);
    result
}

/// # Safety
/// PFND3D12DDI_COMPILER_DESTROY_STATE_OBJECT: both live, and no call uses the object.
unsafe extern "system" fn destroy<const SLOT: usize>(
    compiler: D3D12DDI_HCOMPILER,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) {
    let Some(open) = layer::in_slot(SLOT) else {
        return;
    };
    if selected() == Some(Defect::Session(Session::StateObjectDestroyCallsBack)) {
        session::call_back(SLOT);
    }
    call!(open.compiler.pfnDestroyStateObject(compiler, object) else ());
    let Some(ended) = known(object) else {
        return;
    };
    objects().retain(|object| object.memory != ended.memory);
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
