//! Compilers: their size, creation and destruction.

use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytemuck::Zeroable as _;
use ddi_sys::*;
use defects::{Place as _, given, rewrite, rows, write};
use parking_lot::{Mutex, MutexGuard};

use crate::about::*;
use crate::compile::{self, Compile, Event};
use crate::layer::{self, Open};
use crate::need;
use crate::places::*;
use crate::purity;
use crate::targets::{of_known_abi, of_known_abi_of_others, of_known_family};

rows! {
    Hook, About;

    // In whatever takes an application, where it has no engine.
    "caps-engine-followed" breaks P_PROF_03: "pfnGetCaps reads a null pEngineName",
        where NO_ENGINE, at GetCaps |call| call.following(ptr::null::<u16>());
    "caps-engine-required" breaks P_PROF_03: "pfnGetCaps of an application without an engine gets E_INVALIDARG",
        where NO_ENGINE, at GetCaps |_| E_INVALIDARG;
    "compiler-size-engine-followed" breaks P_PROF_03: "pfnCalcPrivateCompilerSize reads a null pEngineName",
        where NO_ENGINE, at CalcSize |call| call.following(ptr::null::<u16>());
    "compiler-engine-followed" breaks P_PROF_03: "pfnCreateCompiler reads a null pEngineName",
        where NO_ENGINE, at Create |call| call.following(ptr::null::<u16>());
    "compiler-engine-required" breaks P_PROF_03: "a compiler of the second family needs an engine",
        where NO_ENGINE, where SECOND_FAMILY, at Create |_| E_INVALIDARG;
    "compile-engine-followed" breaks P_PROF_03:
        "a compile reads what was a null pEngineName at the creation of its compiler",
        where NO_ENGINE, at Compile |call| call.following(ptr::null::<u16>());

    // In the size, creation and destruction of compilers.
    "compiler-size-varies" breaks P_CMP_01: "the private size grows with each call",
        at CalcSize |call| {
            static CALLS: AtomicUsize = AtomicUsize::new(0);
            call.pass() + CALLS.fetch_add(1, Ordering::Relaxed) * 8
        };
    "compiler-creation-fails" breaks P_CMP_01: "pfnCreateCompiler returns E_FAIL",
        at Create |_| E_FAIL;
    "compiler-writes-past" breaks P_CMP_01: "a byte behind the private memory is written",
        at Create writes_past;
    "compiler-writes-before" breaks P_CMP_01: "a byte in front of the private memory is written",
        at Create |call| call.before(|call| write(call.compiler.pDrvPrivate.wrapping_byte_sub(1), 0_u8));
    "compiler-assumes-zeros" breaks P_CMP_01:
        "private memory that is not zero is taken for a compiler that lives already",
        at CalcSize |call| call.pass() + size_of::<usize>(),
        at Create |call| {
            let end = call.compiler.pDrvPrivate.wrapping_byte_add(call.size()).cast::<usize>();
            // SAFETY: the memory has room for that.
            call.answer_if(unsafe { end.read_unaligned() } != 0, E_UNEXPECTED)
        };
    "compiler-graphics-writes-past" breaks P_CMP_01:
        "a byte behind the private memory is written by a compile for more than one stage",
        at Create |call| call.after(|call, _| {
            let size = call.size();
            change(call.compiler.pDrvPrivate.addr(), |own| own.kept = size);
        }),
        at Pipeline |call| call.before(|call| if given(call.desc).is_some_and(|desc| shaders(desc).count() > 1) {
            let size = known(call.compiler).map_or(0, |own| own.kept);
            write(call.compiler.pDrvPrivate.wrapping_byte_add(size), 0_u8);
        });
    "compiler-long-name-writes-past" breaks P_CMP_01:
        "a byte behind the private memory is written for a long pExeFilename",
        at Create |call| if given(call.application).is_some_and(has_long_name) { writes_past(call) } else { call.pass() };
    "compiler-needs-alignment" breaks P_CMP_01: "private memory that is not aligned to 64 bytes gets E_INVALIDARG",
        at CalcSize |call| call.pass().next_multiple_of(64),
        at Create |call| call.answer_if(!call.compiler.pDrvPrivate.addr().is_multiple_of(64), E_INVALIDARG);
    "compiler-keeps-target" breaks P_CMP_02: "pTarget is kept, and read at each compile",
        at Create keeps_target,
        at Compile reads_target;
    "compiler-keeps-application" breaks P_CMP_02: "pApplicationDesc is kept, and read at each compile",
        at Create |call| call.after(|call, _| {
            let kept = call.application.expose_provenance();
            change(call.compiler.pDrvPrivate.addr(), |own| own.kept = kept);
        }),
        at Compile |call| {
            let application = ptr::with_exposed_provenance::<D3D12DDI_APPLICATION_DESC>(call.own.kept);
            // SAFETY: none, as the call that it was for is over; that is the defect.
            let name = unsafe { application.read_volatile() }.pExeFilename;
            // SAFETY: none, as the call that it was for is over; that is the defect.
            call.answer_if(name.is_null() || unsafe { name.read_volatile() } == 0, E_INVALIDARG)
        };
    "compiler-second-family-keeps-target" breaks P_CMP_02:
        "pTarget is kept for the second family, and read at each compile",
        where SECOND_FAMILY,
        at Create keeps_target,
        at Compile reads_target;
    "compiler-only-last" breaks P_CMP_03: "every compile is made by the compiler that was created last",
        needs need::TWO_TARGETS,
        also P_PSO_07: "a new compiler makes what the one before it did not make",
        at Compile by_last;
    "compiler-graphics-only-last" breaks P_CMP_03:
        "pipelines of more than one stage are compiled by the compiler that was created last",
        needs need::TWO_TARGETS, where SEVERAL_STAGES,
        also P_PSO_07: "the compilers of several targets live when it compiles again",
        at Compile by_last;
    "compiler-destroy-ends-others" breaks P_CMP_03: "destroying a compiler ends the others",
        at Destroy |call| call.after(|call, ()| {
            compilers().iter_mut().filter(|other| other.slot == call.slot).for_each(|other| other.kept = 1);
        }),
        at Compile |call| call.answer_if(call.own.kept == 1, E_FAIL);
    "compiler-writes-after-destroy" breaks P_CMP_04: "the memory of a destroyed compiler is written to by the next call",
        also P_CMP_09 P_MEM_03: "the next compiler is in that memory then",
        at Destroy note_destroyed,
        at CompilerCall write_destroyed;
    "compiler-second-family-writes-after-destroy" breaks P_CMP_04:
        "the memory of a destroyed compiler of the second family is written to by the next call",
        where SECOND_FAMILY,
        also P_CMP_09 P_MEM_03: "the next compiler is in that memory then",
        at Destroy note_destroyed,
        at CompilerCall write_destroyed;
    "compiler-unknown-family" breaks P_CMP_05: "a compiler for an unknown family is created",
        at CalcSize |call| for_size(call, of_known_family),
        at Create |call| for_creation(call, of_known_family);
    "compiler-unknown-abi" breaks P_CMP_05: "a compiler for an unknown ABI version is created",
        at CalcSize |call| for_size(call, of_known_abi),
        at Create |call| for_creation(call, of_known_abi);
    "compiler-other-familys-abi" breaks P_CMP_05: "a compiler for an ABI version of another family is created",
        needs need::OTHER_FAMILYS_ABI,
        at CalcSize |call| for_size(call, of_known_abi_of_others),
        at Create |call| for_creation(call, of_known_abi_of_others);
    "compiler-writes-target" breaks P_CMP_06: "pTarget is written to",
        at Create |call| call.before(|call| rewrite(call.target));
    "compiler-writes-application" breaks P_CMP_06: "the case of the executable's name is folded in place",
        at Create |call| call.before(|call| given(call.application).into_iter().for_each(|application| rewrite(application.pExeFilename)));
    "compiler-null-target-accepted" breaks P_CMP_07: "a compiler is created for a null pTarget",
        at CalcSize |call| {
            let newest = of_known_abi(&layer::in_slot(call.slot), D3D12DDI_COMPILER_TARGET::zeroed());
            call.target = if call.target.is_null() { &raw const newest } else { call.target };
            call.pass()
        },
        at Create |call| {
            let newest = of_known_abi(&layer::in_slot(call.slot), D3D12DDI_COMPILER_TARGET::zeroed());
            call.target = if call.target.is_null() { &raw const newest } else { call.target };
            call.pass()
        };
    "compiler-null-application-followed" breaks P_CMP_07: "a null pApplicationDesc is read",
        at Create |call| call.following(call.application);
    "compiler-second-null-followed" breaks P_CMP_07: "a null pApplicationDesc is read for the second family",
        where SECOND_FAMILY, at Create |call| call.following(call.application);
    "compiler-size-null-followed" breaks P_CMP_07: "a null pTarget is read to calculate a size",
        at CalcSize |call| call.following(call.target);
    "compiler-leaves-memory" breaks P_CMP_08: "each destroyed compiler leaves 4 KiB behind",
        at Destroy |call| call.before(|_| layer::leave_memory(4096));
    "compiler-second-family-leaves-memory" breaks P_CMP_08:
        "each destroyed compiler of the second family leaves 4 KiB behind",
        where SECOND_FAMILY, at Destroy |call| call.before(|_| layer::leave_memory(4096));
    "compiler-leaves-handle" breaks P_CMP_08: "each destroyed compiler leaves a file open",
        at Destroy |call| call.before(|_| layer::leave_handle());
}

/// A living compiler of the base.
#[derive(Clone, Copy)]
pub(crate) struct Compiler {
    pub(crate) slot: usize,
    /// Its memory, as an address.
    pub(crate) memory: usize,
    /// How many there were before it.
    pub(crate) number: usize,
    /// The open, the target and the application that it is for.
    pub(crate) about: About,
    pub(crate) application: purity::Application,
    /// What a defect keeps of it.
    pub(crate) kept: usize,
}

impl Compiler {
    /// One that the layer has not seen.
    pub(crate) fn unknown(slot: usize, compiler: D3D12DDI_HCOMPILER) -> Self {
        Self {
            slot,
            memory: compiler.pDrvPrivate.expose_provenance(),
            number: 0,
            about: About::default(),
            application: purity::Application::default(),
            kept: 0,
        }
    }

    pub(crate) fn handle(&self) -> D3D12DDI_HCOMPILER {
        let memory = ptr::with_exposed_provenance_mut(self.memory);
        D3D12DDI_HCOMPILER {
            pDrvPrivate: memory,
        }
    }
}

/// The living compilers, the youngest last.
fn compilers() -> MutexGuard<'static, Vec<Compiler>> {
    static COMPILERS: Mutex<Vec<Compiler>> = Mutex::new(Vec::new());
    COMPILERS.lock()
}

/// What is known of a living compiler.
pub(crate) fn known(compiler: D3D12DDI_HCOMPILER) -> Option<Compiler> {
    let memory = compiler.pDrvPrivate.addr();
    let compilers = compilers();
    compilers.iter().find(|own| own.memory == memory).copied()
}

/// Changes what is known of the compiler in a memory.
pub(crate) fn change(memory: usize, change: impl FnOnce(&mut Compiler)) {
    let mut compilers = compilers();
    if let Some(own) = compilers.iter_mut().find(|own| own.memory == memory) {
        change(own);
    }
}

pub(crate) fn calc_size(call: &mut CalcSize) -> SIZE_T {
    CompilerCall.hooked();
    call.base()
}

impl Create {
    /// What the base needs of the memory.
    pub(crate) fn size(&self) -> usize {
        let (slot, target, application) = (self.slot, self.target, self.application);
        CalcSize {
            slot,
            target,
            application,
        }
        .base()
    }
}

pub(crate) fn create(call: &mut Create) -> HRESULT {
    static CREATED: AtomicUsize = AtomicUsize::new(0);
    CompilerCall.hooked();
    compile::happened(Event::CompilerCreated);
    let result = call.base();
    if result.is_ok() {
        let memory = call.compiler.pDrvPrivate.expose_provenance();
        let about = call.about().unwrap_or_default();
        let mut compilers = compilers();
        // A host may reuse the memory of a compiler that it never destroyed.
        compilers.retain(|compiler| compiler.memory != memory);
        let target = about.family_and_abi();
        let differs = |other: &Compiler| other.about.family_and_abi() != target;
        need::TWO_TARGETS.met_if(compilers.iter().any(differs));
        compilers.push(Compiler {
            slot: call.slot,
            memory,
            number: CREATED.fetch_add(1, Ordering::Relaxed),
            about,
            application: purity::Application::new(call.application),
            kept: 0,
        });
    }
    result
}

pub(crate) fn destroy(call: &mut Destroy) {
    CompilerCall.hooked();
    compile::happened(Event::CompilerDestroyed);
    call.base();
    let memory = call.compiler.pDrvPrivate.addr();
    compilers().retain(|compiler| compiler.memory != memory);
}

/// Where there are no callbacks, the base gets the layer's, which have no host behind them.
pub(crate) fn without_callbacks(call: &mut Create) -> HRESULT {
    let open = layer::in_slot(call.slot);
    if open.host.pfnCompilerCacheStoreValue.is_none() {
        let callbacks = callbacks(call.slot);
        let _ = SetCallbacks {
            handle: open.handle(),
            kind: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE,
            table: (&raw const callbacks).cast(),
            size: size_of_val(&callbacks),
        }
        .base();
    }
    call.pass()
}

fn writes_past(call: &mut Create) -> HRESULT {
    write(
        call.compiler.pDrvPrivate.wrapping_byte_add(call.size()),
        0_u8,
    );
    call.pass()
}

/// Whether the executable of an application has a name of more than 64 characters.
fn has_long_name(application: &D3D12DDI_APPLICATION_DESC) -> bool {
    let name = application.pExeFilename;
    // SAFETY: the string ends with a NUL, and nothing behind it is read.
    !name.is_null() && (0..=64).all(|at| unsafe { name.add(at).read() } != 0)
}

fn keeps_target(call: &mut Create) -> HRESULT {
    call.after(|call, _| {
        let kept = call.target.expose_provenance();
        change(call.compiler.pDrvPrivate.addr(), |own| own.kept = kept);
    })
}

fn reads_target(call: &mut Compile) -> HRESULT {
    let target = ptr::with_exposed_provenance::<D3D12DDI_COMPILER_TARGET>(call.own.kept);
    // SAFETY: none, as the call that it was for is over; that is the defect.
    let target = unsafe { target.read_volatile() };
    let is_there = crate::targets::exists(&call.own.about.open, target);
    call.answer_if(!is_there, E_INVALIDARG)
}

fn by_last(call: &mut Compile) -> HRESULT {
    let last = compilers()
        .iter()
        .rfind(|last| last.slot == call.own.slot)
        .copied();
    if let Some(last) = last {
        call.own = last;
    }
    call.pass()
}

/// Where the compiler was that was destroyed last.
static DESTROYED: AtomicUsize = AtomicUsize::new(0);

fn note_destroyed(call: &mut Destroy) {
    call.pass();
    DESTROYED.store(
        call.compiler.pDrvPrivate.expose_provenance(),
        Ordering::Relaxed,
    );
}

fn write_destroyed(_: &mut CompilerCall) {
    let address = DESTROYED.load(Ordering::Relaxed);
    if address != 0 {
        write(ptr::with_exposed_provenance::<u8>(address), 0_u8);
    }
}

type Other = fn(&Open, D3D12DDI_COMPILER_TARGET) -> D3D12DDI_COMPILER_TARGET;

pub(crate) fn for_size(call: &mut CalcSize, other: Other) -> SIZE_T {
    let open = layer::in_slot(call.slot);
    let target = given(call.target).map(|target| other(&open, *target));
    call.target = target.as_ref().map_or(call.target, ptr::from_ref);
    call.pass()
}

/// Has the base create a compiler for another target than the one that it is known to be for.
pub(crate) fn for_creation(call: &mut Create, other: Other) -> HRESULT {
    let (open, own) = (layer::in_slot(call.slot), given(call.target).copied());
    let target = own.map(|target| other(&open, target));
    call.target = target.as_ref().map_or(call.target, ptr::from_ref);
    let result = call.pass();
    change(call.compiler.pDrvPrivate.addr(), |compiler| {
        compiler.about.target = own;
    });
    result
}

/// The shaders of a pipeline: which kind of program the stage wants, in the numbering of the program
/// header, and the code.
pub(crate) fn shaders(
    desc: &D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
) -> impl Iterator<Item = (u32, *const u32)> {
    let handles = [
        (5, desc.hComputeShader),
        (1, desc.hVertexShader),
        (0, desc.hPixelShader),
        (4, desc.hDomainShader),
        (3, desc.hHullShader),
        (2, desc.hGeometryShader),
        (13, desc.hMeshShader),
        (14, desc.hAmplificationShader),
    ];
    handles.into_iter().filter_map(|(kind, handle)| {
        let shader = given::<D3D12DDIARG_CREATE_SHADER_0026>(handle.pDrvPrivate.cast());
        shader.map(|shader| (kind, shader.pShaderCode))
    })
}
