//! The COMPILER table: compilers, state objects and the memory that they live in.

use std::sync::{Mutex, MutexGuard, PoisonError};

use base_plugin::call;
use base_plugin::{SLOTS, per_slot};
use conformance_catalogue::rules::{H_03, H_04, H_05, H_08, H_10};
use conformance_protocol::record::{Application, Call};
use ddi_sys::{
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_FUNCS, D3D12DDI_COMPILER_TARGET,
    D3D12DDI_COMPILER_VALUE_TYPE_FLAGS, D3D12DDI_HCOMPILER, D3D12DDI_HCOMPILERSTATEOBJECT,
    D3D12DDI_HRTCOMPILER, D3D12DDI_HRTCOMPILERCACHESESSION, D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    D3D12DDIARG_CREATE_STATE_OBJECT_0054, E_INVALIDARG, E_UNEXPECTED, HRESULT,
    PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE, PFND3D12DDI_COMPILER_CREATE_COMPILER, SIZE_T,
};

use crate::capabilities::{application, target};
use crate::description::Description;
use crate::fields;
use crate::opens::{self, Open};
use crate::session;
use crate::writer::{self, broken, called};

type SlotFunctions = (
    PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE,
    PFND3D12DDI_COMPILER_CREATE_COMPILER,
);

/// The two functions that are told no handle, once for each slot.
static PER_SLOT: [SlotFunctions; SLOTS] = per_slot!(functions);

const fn functions<const SLOT: usize>() -> SlotFunctions {
    (
        Some(calc_private_compiler_size::<SLOT>),
        Some(create_compiler::<SLOT>),
    )
}

/// The table of a slot.
pub(crate) fn table(slot: usize) -> D3D12DDI_COMPILER_FUNCS {
    let (calc_private_compiler_size, create_compiler) = PER_SLOT[slot];
    D3D12DDI_COMPILER_FUNCS {
        pfnCalcPrivateCompilerSize: calc_private_compiler_size,
        pfnCreateCompiler: create_compiler,
        pfnDestroyCopiler: Some(destroy_compiler),
        pfnCompilePipelineState: Some(compile_pipeline_state),
        pfnCalcPrivateStateObjectSize: Some(calc_private_state_object_size),
        pfnCompileCreateStateObject: Some(compile_create_state_object),
        pfnCalcPrivateAddToStateObjectSize: Some(calc_private_add_to_state_object_size),
        pfnCompileAddToStateObject: Some(compile_add_to_state_object),
        pfnDestroyStateObject: Some(destroy_state_object),
    }
}

/// So many bytes more than the base needs are asked for. What is in them changes only if the
/// host uses the memory that it lent, or lent less.
const TAIL: usize = 32;

/// What an object is made of, as far as its size may depend on it.
#[derive(Clone, PartialEq)]
enum Made {
    Compiler {
        slot: usize,
        target: (u32, u64),
        application: Application,
    },
    StateObject {
        compiler: usize,
        description: Description,
        parent: Option<usize>,
    },
}

/// A compiler or state object.
struct Object {
    /// The address in its handle.
    memory: usize,
    made: Made,
    /// Without the tail.
    size: usize,
    alive: bool,
    /// The address of a state object's description.
    description: usize,
}

#[derive(Default)]
struct Objects {
    /// By age, those that are destroyed too.
    objects: Vec<Object>,
    /// The sizes that were calculated, without the tail.
    sizes: Vec<(Made, usize)>,
}

static OBJECTS: Mutex<Objects> = Mutex::new(Objects {
    objects: Vec::new(),
    sizes: Vec::new(),
});

fn objects() -> MutexGuard<'static, Objects> {
    OBJECTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the tail of an object's memory holds.
fn tail(memory: usize) -> [u8; TAIL] {
    let word = (memory as u64) ^ 0xD3D1_2DD1_C43C_CED5;
    let mut tail = [0; TAIL];
    for (place, byte) in tail.iter_mut().zip(word.to_le_bytes().into_iter().cycle()) {
        *place = byte;
    }
    tail
}

impl Objects {
    /// The place in `objects` of a living object. H-04 and H-05.
    fn living(&self, memory: usize, call: &str, compiler: bool) -> Option<usize> {
        let is = |object: &Object| {
            object.memory == memory && matches!(object.made, Made::Compiler { .. }) == compiler
        };
        let what = if compiler { "compiler" } else { "state object" };
        match self.objects.iter().rposition(is) {
            Some(index) if self.objects[index].alive => {
                self.check_memory(index, call);
                Some(index)
            }
            other => {
                let got = match other {
                    Some(_) => format!("that of a {what} that is destroyed"),
                    None => format!("{memory:#x}, which is no {what}"),
                };
                broken(H_04, call, &format!("the handle of a living {what}"), got);
                None
            }
        }
    }

    fn check_memory(&self, index: usize, call: &str) {
        let Object { memory, size, .. } = self.objects[index];
        let place = std::ptr::with_exposed_provenance::<[u8; TAIL]>(memory + size);
        // SAFETY: PFND3D12DDI_COMPILER_CREATE_COMPILER: the memory is as large as was calculated,
        // and the object's.
        if unsafe { place.read_unaligned() } != tail(memory) {
            let expected = format!(
                "the {} bytes of the object's memory as they were",
                size + TAIL
            );
            broken(H_05, call, &expected, "the end of them is written");
        }
    }

    /// Whether the description is as it was. H-10.
    fn check_description(&self, index: usize, call: &str) {
        let Object {
            made, description, ..
        } = &self.objects[index];
        let Made::StateObject {
            description: before,
            parent,
            ..
        } = made
        else {
            return;
        };
        // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the description lives as long
        // as the state object.
        if let Some(what) = unsafe { before.changed(*description) } {
            let expected = format!("the description of a state object as it was, {what} too");
            broken(H_10, call, &expected, "it is another");
        }
        if let Some(parent) = parent {
            self.check_description(*parent, call);
        }
    }

    /// Whether an object's memory was calculated. H-05.
    fn size(&self, made: &Made, call: &str) -> Option<usize> {
        let size = self.sizes.iter().find(|(other, _)| other == made);
        if size.is_none() {
            broken(
                H_05,
                call,
                "a size that was calculated for these arguments",
                "there is none",
            );
        }
        size.map(|(_, size)| *size)
    }

    fn calculated(&mut self, made: Made, size: usize) {
        match self.sizes.iter_mut().find(|(other, _)| *other == made) {
            Some((_, known)) => *known = size,
            None => self.sizes.push((made, size)),
        }
    }

    fn add(&mut self, memory: usize, made: Made, size: usize, description: usize) {
        self.objects.push(Object {
            memory,
            made,
            size,
            alive: true,
            description,
        });
    }
}

/// Writes the tail of the memory of a new object.
fn write_tail(memory: *mut u8, size: usize) {
    // SAFETY: PFND3D12DDI_COMPILER_CREATE_COMPILER: the memory is as large as was calculated, tail
    // included.
    unsafe {
        memory
            .add(size)
            .cast::<[u8; TAIL]>()
            .write_unaligned(tail(memory.expose_provenance()));
    };
}

/// Destroying the open of a slot. H-04.
pub(crate) fn open_ends(slot: usize) {
    let of_slot = |object: &&Object| {
        object.alive && matches!(object.made, Made::Compiler { slot: of, .. } if of == slot)
    };
    let living = objects().objects.iter().filter(of_slot).count();
    if living > 0 {
        let got = format!("{living} compilers are alive");
        broken(
            H_04,
            "pfnDestroyCompilerDDI",
            "no compiler of the open",
            got,
        );
    }
}

/// Value types that exist. H-08.
fn value_types(call: &str, flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS) -> bool {
    let known = flags.0 & !0xF == 0;
    if !known {
        broken(
            H_08,
            call,
            "bits of value types, 0xf",
            format!("{:#x}", flags.0),
        );
    }
    known
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE: the pointers are null or valid for the call.
unsafe extern "system" fn calc_private_compiler_size<const SLOT: usize>(
    pointer: *const D3D12DDI_COMPILER_TARGET,
    application_pointer: *const D3D12DDI_APPLICATION_DESC,
) -> SIZE_T {
    const NAME: &str = "pfnCalcPrivateCompilerSize";
    called(NAME);
    let Some(open) = opens::in_slot(SLOT, NAME) else {
        return 0;
    };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE demands of a
    // host.
    let known = unsafe {
        (
            target(&open, NAME, pointer),
            application(NAME, application_pointer),
        )
    };
    let (Some(target), Some(application)) = known else {
        return 0;
    };
    let size = call!(open.compiler.pfnCalcPrivateCompilerSize(pointer, application_pointer) else 0);
    let made = Made::Compiler {
        slot: SLOT,
        target,
        application,
    };
    objects().calculated(made, size);
    size + TAIL
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CREATE_COMPILER: the pointers are null or valid for the call, the memory has
/// the bytes that were calculated.
unsafe extern "system" fn create_compiler<const SLOT: usize>(
    pointer: *const D3D12DDI_COMPILER_TARGET,
    application_pointer: *const D3D12DDI_APPLICATION_DESC,
    compiler: D3D12DDI_HCOMPILER,
    runtime: D3D12DDI_HRTCOMPILER,
) -> HRESULT {
    const NAME: &str = "pfnCreateCompiler";
    let Some(open) = opens::in_slot(SLOT, NAME) else {
        return E_INVALIDARG;
    };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_CREATE_COMPILER demands of a host.
    let known = unsafe {
        (
            target(&open, NAME, pointer),
            application(NAME, application_pointer),
        )
    };
    writer::call(Call {
        name: NAME.into(),
        target: known.0,
        application: known.1.clone(),
        value_types: None,
    });
    if open.host.is_none() {
        broken(
            H_03,
            NAME,
            "the CACHE callback table, set before",
            "there is none",
        );
        return E_INVALIDARG;
    }
    let (Some(target), Some(application)) = known else {
        return E_INVALIDARG;
    };
    let made = Made::Compiler {
        slot: SLOT,
        target,
        application,
    };
    let Some(size) = objects().size(&made, NAME) else {
        return E_INVALIDARG;
    };
    let result = call!(open.compiler.pfnCreateCompiler(
        pointer,
        application_pointer,
        compiler,
        runtime
    ) else E_UNEXPECTED);
    if result.is_ok() {
        write_tail(compiler.pDrvPrivate.cast(), size);
        objects().add(compiler.pDrvPrivate.addr(), made, size, 0);
    }
    result
}

/// A living compiler, its place, and its open. H-04, H-05 and H-11.
fn compiler_of(handle: D3D12DDI_HCOMPILER, call: &str) -> Option<(usize, Open)> {
    let objects = objects();
    let index = objects.living(handle.pDrvPrivate.addr(), call, true)?;
    let Made::Compiler { slot, .. } = objects.objects[index].made else {
        return None;
    };
    Some((index, opens::in_slot(slot, call)?))
}

/// The name of the application of a compiler.
fn application_of(index: usize) -> String {
    match &objects().objects[index].made {
        Made::Compiler { application, .. } => application.name.clone(),
        Made::StateObject { .. } => String::new(),
    }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_DESTROY_COMPILER: the compiler lives, and no call uses it.
unsafe extern "system" fn destroy_compiler(compiler: D3D12DDI_HCOMPILER) {
    const NAME: &str = "pfnDestroyCopiler";
    called(NAME);
    let Some((index, open)) = compiler_of(compiler, NAME) else {
        return;
    };
    let mut objects = objects();
    let of_this = |object: &&Object| {
        object.alive
            && matches!(object.made, Made::StateObject { compiler, .. } if compiler == index)
    };
    let living = objects.objects.iter().filter(of_this).count();
    if living > 0 {
        let got = format!("{living} state objects are alive");
        broken(H_04, NAME, "no state object of the compiler", got);
    }
    objects.objects[index].alive = false;
    drop(objects);
    call!(open.compiler.pfnDestroyCopiler(compiler) else ());
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE: the compiler lives, the session and the description
/// are valid for the call.
unsafe extern "system" fn compile_pipeline_state(
    compiler: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
) -> HRESULT {
    const NAME: &str = "pfnCompilePipelineState";
    compile_called(NAME, flags);
    let Some((index, open)) = compiler_of(compiler, NAME) else {
        return E_INVALIDARG;
    };
    if !value_types(NAME, flags) {
        return E_INVALIDARG;
    }
    // SAFETY: the description is as PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE demands of a host.
    unsafe { fields::pipeline(desc) };
    let application = application_of(index);
    session::compile(&open, NAME, &application, session, flags, || {
        call!(open.compiler.pfnCompilePipelineState(compiler, session, flags, desc)
            else E_UNEXPECTED)
    })
}

fn compile_called(name: &str, flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS) {
    writer::call(Call {
        name: name.into(),
        value_types: Some(flags.0.cast_unsigned()),
        ..Call::default()
    });
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE: the compiler lives, the description is valid.
unsafe extern "system" fn calc_private_state_object_size(
    compiler: D3D12DDI_HCOMPILER,
    desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
) -> SIZE_T {
    const NAME: &str = "pfnCalcPrivateStateObjectSize";
    called(NAME);
    let Some((index, open)) = compiler_of(compiler, NAME) else {
        return 0;
    };
    let size = call!(open.compiler.pfnCalcPrivateStateObjectSize(compiler, desc) else 0);
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE demands of a
    // host.
    let description = unsafe { Description::read(desc) };
    let made = Made::StateObject {
        compiler: index,
        description,
        parent: None,
    };
    objects().calculated(made, size);
    size + TAIL
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the compiler lives, the session is valid for the
/// call, the description as long as the state object, whose memory has the bytes that were calculated.
unsafe extern "system" fn compile_create_state_object(
    compiler: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    const NAME: &str = "pfnCompileCreateStateObject";
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT demands of a
    // host.
    unsafe { compile_state_object(NAME, compiler, session, flags, desc, None, object) }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE: compiler and parent live, the
/// description is valid.
unsafe extern "system" fn calc_private_add_to_state_object_size(
    compiler: D3D12DDI_HCOMPILER,
    desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    parent: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> SIZE_T {
    const NAME: &str = "pfnCalcPrivateAddToStateObjectSize";
    called(NAME);
    let Some((index, open)) = compiler_of(compiler, NAME) else {
        return 0;
    };
    let Some(of_parent) = objects().living(parent.pDrvPrivate.addr(), NAME, false) else {
        return 0;
    };
    let size =
        call!(open.compiler.pfnCalcPrivateAddToStateObjectSize(compiler, desc, parent) else 0);
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE
    // demands of a host.
    let description = unsafe { Description::read(desc) };
    let made = Made::StateObject {
        compiler: index,
        description,
        parent: Some(of_parent),
    };
    objects().calculated(made, size);
    size + TAIL
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT: compiler and parent live, the session is valid
/// for the call, the description as long as the state object, whose memory has the bytes that were
/// calculated.
unsafe extern "system" fn compile_add_to_state_object(
    compiler: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    parent: D3D12DDI_HCOMPILERSTATEOBJECT,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    const NAME: &str = "pfnCompileAddToStateObject";
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT demands of a
    // host.
    unsafe { compile_state_object(NAME, compiler, session, flags, desc, Some(parent), object) }
}

/// # Safety
///
/// As for [`compile_create_state_object`] and, with a parent, [`compile_add_to_state_object`].
unsafe fn compile_state_object(
    name: &'static str,
    compiler: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    parent: Option<D3D12DDI_HCOMPILERSTATEOBJECT>,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) -> HRESULT {
    compile_called(name, flags);
    let Some((index, open)) = compiler_of(compiler, name) else {
        return E_INVALIDARG;
    };
    let of_parent = match parent {
        None => None,
        Some(parent) => {
            let objects = objects();
            let Some(index) = objects.living(parent.pDrvPrivate.addr(), name, false) else {
                return E_INVALIDARG;
            };
            objects.check_description(index, name);
            Some(index)
        }
    };
    if !value_types(name, flags) {
        return E_INVALIDARG;
    }
    // SAFETY: the arguments are as the DDI function of the caller demands of a host.
    let description = unsafe { Description::read(desc) };
    let made = Made::StateObject {
        compiler: index,
        description,
        parent: of_parent,
    };
    let Some(size) = objects().size(&made, name) else {
        return E_INVALIDARG;
    };
    let application = application_of(index);
    let result = session::compile(&open, name, &application, session, flags, || match parent {
        None => call!(open.compiler.pfnCompileCreateStateObject(
            compiler, session, flags, desc, object
        ) else E_UNEXPECTED),
        Some(parent) => call!(open.compiler.pfnCompileAddToStateObject(
            compiler, session, flags, desc, parent, object
        ) else E_UNEXPECTED),
    });
    if result.is_ok() {
        write_tail(object.pDrvPrivate.cast(), size);
        let description = desc.expose_provenance();
        objects().add(object.pDrvPrivate.addr(), made, size, description);
    }
    result
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_DESTROY_STATE_OBJECT: compiler and state object live, and no call uses it.
unsafe extern "system" fn destroy_state_object(
    compiler: D3D12DDI_HCOMPILER,
    object: D3D12DDI_HCOMPILERSTATEOBJECT,
) {
    const NAME: &str = "pfnDestroyStateObject";
    called(NAME);
    let Some((_, open)) = compiler_of(compiler, NAME) else {
        return;
    };
    let mut objects = objects();
    let Some(index) = objects.living(object.pDrvPrivate.addr(), NAME, false) else {
        return;
    };
    objects.check_description(index, NAME);
    let child = |object: &Object| {
        object.alive
            && matches!(object.made, Made::StateObject { parent: Some(p), .. } if p == index)
    };
    let user = |other: &Object| {
        other.alive
            && matches!(&other.made, Made::StateObject { description, .. }
                if description.collections.contains(&object.pDrvPrivate.addr()))
    };
    let living = |is: &dyn Fn(&Object) -> bool| objects.objects.iter().any(is);
    for (there_is, expected) in [
        (
            living(&child),
            "no living state object that grew from this one",
        ),
        (
            living(&user),
            "no living state object that has this one as a collection",
        ),
    ] {
        if there_is {
            broken(H_10, NAME, expected, "there is one");
        }
    }
    objects.objects[index].alive = false;
    drop(objects);
    call!(open.compiler.pfnDestroyStateObject(compiler, object) else ());
}
