//! The COMPILER table.

use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;

use bytemuck::Zeroable as _;
use ddi_sys::{
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE,
    D3D12DDI_COMPILER_FUNCS, D3D12DDI_COMPILER_TARGET, D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    D3D12DDI_HCOMPILER, D3D12DDI_HRTCOMPILER, D3D12DDI_HRTCOMPILERCACHESESSION, D3D12DDI_HSHADER,
    D3D12DDIARG_CREATE_PIPELINE_STATE_0099, D3D12DDIARG_CREATE_SHADER_0026, DXGI_ERROR_UNSUPPORTED,
    E_FAIL, E_INVALIDARG, E_UNEXPECTED, HRESULT, PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE,
    PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE, PFND3D12DDI_COMPILER_CREATE_COMPILER,
    PFND3D12DDI_COMPILER_DESTROY_COMPILER, S_OK, SIZE_T,
};

use crate::capabilities::{exists, lacks_engine, nearest, nearest_of_others, newest};
use crate::defect::{Callbacks, Defect, Opens, Purity, Session, selected};
use crate::fields::{self, Deviation};
use crate::layer::{self, Open};
use crate::memory::{self, Of};
use crate::need::{Need, met_if};
use crate::threads::{Event, Threads};
use crate::{boundary, purity, session, state_object, threads};
use base_plugin::{SLOTS, call, defects, follow, per_slot};

/// The defects of this file.
#[macro_export]
macro_rules! compiler_defects {
    ($take:ident) => {
        $take! {
            /// In whatever takes an application, where it has no engine.
            Engine {
                CapsFollow = "caps-engine-followed" breaks P_PROF_03:
                    "pfnGetCaps reads a null pEngineName";
                CapsRequire = "caps-engine-required" breaks P_PROF_03:
                    "pfnGetCaps of an application without an engine gets E_INVALIDARG";
                SizeFollows = "compiler-size-engine-followed" breaks P_PROF_03:
                    "pfnCalcPrivateCompilerSize reads a null pEngineName";
                CreationFollows = "compiler-engine-followed" breaks P_PROF_03:
                    "pfnCreateCompiler reads a null pEngineName";
                CreationRequires = "compiler-engine-required" breaks P_PROF_03:
                    "a compiler of the second family needs an engine",
                    where SecondFamily;
                CompileFollows = "compile-engine-followed" breaks P_PROF_03:
                    "a compile reads what was a null pEngineName at the creation of its compiler";
            }

            /// In the size, creation and destruction of compilers.
            Compilers {
                SizeVaries = "compiler-size-varies" breaks P_CMP_01:
                    "the private size grows with each call";
                CreationFails = "compiler-creation-fails" breaks P_CMP_01:
                    "pfnCreateCompiler returns E_FAIL";
                WritesPast = "compiler-writes-past" breaks P_CMP_01:
                    "a byte behind the private memory is written";
                WritesBefore = "compiler-writes-before" breaks P_CMP_01:
                    "a byte in front of the private memory is written";
                AssumesZeros = "compiler-assumes-zeros" breaks P_CMP_01:
                    "private memory that is not zero is taken for a compiler that lives already";
                WritesPastForGraphics = "compiler-graphics-writes-past" breaks P_CMP_01:
                    "a byte behind the private memory is written by a compile for more than one stage";
                WritesPastForName = "compiler-long-name-writes-past" breaks P_CMP_01:
                    "a byte behind the private memory is written for a long pExeFilename";
                NeedsAlignment = "compiler-needs-alignment" breaks P_CMP_01:
                    "private memory that is not aligned to 64 bytes gets E_INVALIDARG";
                KeepsTarget = "compiler-keeps-target" breaks P_CMP_02:
                    "pTarget is kept, and read at each compile";
                KeepsApplication = "compiler-keeps-application" breaks P_CMP_02:
                    "pApplicationDesc is kept, and read at each compile";
                SecondKeepsTarget = "compiler-second-family-keeps-target" breaks P_CMP_02:
                    "pTarget is kept for the second family, and read at each compile",
                    where SecondFamily;
                OnlyLast = "compiler-only-last" breaks P_CMP_03:
                    "every compile is made by the compiler that was created last",
                    where TwoTargets,
                    also P_PSO_07 because "a new compiler makes what the one before it did not make";
                OnlyLastForGraphics = "compiler-graphics-only-last" breaks P_CMP_03:
                    "pipelines of more than one stage are compiled by the compiler that was created last",
                    where TwoTargets,
                    also P_PSO_07 because "the compilers of several targets live when it compiles again";
                DestroyEndsOthers = "compiler-destroy-ends-others" breaks P_CMP_03:
                    "destroying a compiler ends the others";
                WritesAfterDestroy = "compiler-writes-after-destroy" breaks P_CMP_04:
                    "the memory of a destroyed compiler is written to by the next call",
                    also P_CMP_09 because "the next compiler is in that memory then",
                    also P_MEM_03 because "the next compiler is in that memory then";
                SecondWritesAfterDestroy = "compiler-second-family-writes-after-destroy" breaks P_CMP_04:
                    "the memory of a destroyed compiler of the second family is written to by the next call",
                    where SecondFamily,
                    also P_CMP_09 because "the next compiler is in that memory then",
                    also P_MEM_03 because "the next compiler is in that memory then";
                UnknownFamily = "compiler-unknown-family" breaks P_CMP_05:
                    "a compiler for an unknown family is created";
                UnknownAbi = "compiler-unknown-abi" breaks P_CMP_05:
                    "a compiler for an unknown ABI version is created";
                OtherFamilysAbi = "compiler-other-familys-abi" breaks P_CMP_05:
                    "a compiler for an ABI version of another family is created",
                    where OtherFamilysAbi;
                WritesTarget = "compiler-writes-target" breaks P_CMP_06:
                    "pTarget is written to";
                WritesApplication = "compiler-writes-application" breaks P_CMP_06:
                    "the case of the executable's name is folded in place";
                NullTargetAccepted = "compiler-null-target-accepted" breaks P_CMP_07:
                    "a compiler is created for a null pTarget";
                NullApplicationFollowed = "compiler-null-application-followed" breaks P_CMP_07:
                    "a null pApplicationDesc is read";
                SecondNullFollowed = "compiler-second-null-followed" breaks P_CMP_07:
                    "a null pApplicationDesc is read for the second family",
                    where SecondFamily;
                SizeNullFollowed = "compiler-size-null-followed" breaks P_CMP_07:
                    "a null pTarget is read to calculate a size";
                LeavesMemory = "compiler-leaves-memory" breaks P_CMP_08:
                    "each destroyed compiler leaves 4 KiB behind";
                LeavesMemoryOfFamily = "compiler-second-family-leaves-memory" breaks P_CMP_08:
                    "each destroyed compiler of the second family leaves 4 KiB behind",
                    where SecondFamily;
                LeavesHandle = "compiler-leaves-handle" breaks P_CMP_08:
                    "each destroyed compiler leaves a file open";
            }

            /// In `pfnCompilePipelineState`.
            Compile {
                AcceptsOtherStage = "compile-accepts-other-stage" breaks P_PSO_17:
                    "a program of another stage is stored as it is";
                AcceptsOtherMagic = "compile-accepts-other-magic" breaks P_PSO_17:
                    "a program without its magic is stored as it is";
                AcceptsAnySize = "compile-accepts-any-size" breaks P_PSO_17:
                    "a program whose size is less than its header is stored as it is";
                AcceptsOtherBitcode = "compile-accepts-other-bitcode" passes:
                    "a program whose bitcode is none, or has a size that is no multiple of 4, is stored as it is";
                AcceptsOtherMagicOfLibrary = "compile-accepts-malformed-library" breaks P_PSO_17:
                    "a state object with a library that is no program is stored as it is",
                    where StateObject,
                    also P_PSO_14 because "whatever a compile fails for is stored as it is";
                KeysForMalformed = "compile-keys-for-malformed" notes P_PSO_24 "calls that failed set value keys":
                    "the value keys are set for a program that is refused as it lacks its magic";
                KeysTwiceForMalformed = "compile-keys-twice-for-malformed" breaks P_PSO_24:
                    "the value keys are set twice for a program that is refused as it lacks its magic";
                TrustsBitcodeSize = "compile-trusts-bitcode-size" breaks P_PSO_17:
                    "bitcode is read as far as the program's header says";
                PixelRequired = "compile-pixel-required" breaks P_PSO_18:
                    "graphics pipelines without a pixel shader are refused";
                NoTessellation = "compile-no-tessellation" breaks P_PSO_18:
                    "pipelines with a hull shader are refused";
                NoTessellationOfFamily = "compile-no-tessellation-of-family" breaks P_PSO_18:
                    "the second family refuses pipelines with a hull shader, which its caps offer",
                    where SecondFamily;
                NoneOfOldest = "compile-none-of-oldest" breaks P_PSO_18:
                    "pipelines are refused for the oldest ABI version",
                    where TwoAbiVersions;
                NoAdditions = "compile-no-additions" breaks P_SO_07:
                    "additions are refused, which the caps offer",
                    where Addition;
                NoGenericPrograms = "compile-no-generic-programs" breaks P_SO_07:
                    "generic programs are refused, which shader model 6.8 brings",
                    where GenericProgram;
                NoMesh = "compile-no-mesh" breaks P_PSO_18:
                    "pipelines with a mesh shader are refused",
                    where Mesh;
                VertexRequired = "compile-vertex-required" breaks P_PSO_18:
                    "the vertex shader of a mesh pipeline is read",
                    where Mesh;
                LeavesMemory = "compile-leaves-memory" breaks P_CMP_08:
                    "each compile of a pipeline leaves 4 KiB behind";
                WritesDesc = "compile-writes-desc" breaks P_PSO_20:
                    "the pipeline description is written to";
                WritesCode = "compile-writes-code" breaks P_PSO_20:
                    "shader code is patched in place";
                NullAccepted = "compile-null-accepted" breaks P_PSO_21:
                    "a null pPipelineStateArg gets S_OK";
                NullAdditionAccepted = "compile-null-addition-accepted" breaks P_PSO_21:
                    "an addition with a null description gets S_OK",
                    where Addition;
                NullFollowed = "compile-null-followed" breaks P_PSO_21:
                    "a null pPipelineStateArg is read";
            }
        }
    };
}

compiler_defects!(defects);

/// The functions of one slot.
struct Functions {
    calc_private_compiler_size: PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE,
    create_compiler: PFND3D12DDI_COMPILER_CREATE_COMPILER,
    destroy_compiler: PFND3D12DDI_COMPILER_DESTROY_COMPILER,
    compile_pipeline_state: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE,
}

const fn functions<const SLOT: usize>() -> Functions {
    Functions {
        calc_private_compiler_size: Some(calc_private_compiler_size::<SLOT>),
        create_compiler: Some(create_compiler::<SLOT>),
        destroy_compiler: Some(destroy_compiler::<SLOT>),
        compile_pipeline_state: Some(compile_pipeline_state::<SLOT>),
    }
}

static FUNCTIONS: [Functions; SLOTS] = per_slot!(functions);

/// The table of a slot, in front of the base's.
pub(crate) fn table(slot: usize, base: D3D12DDI_COMPILER_FUNCS) -> D3D12DDI_COMPILER_FUNCS {
    D3D12DDI_COMPILER_FUNCS {
        pfnCalcPrivateCompilerSize: base
            .pfnCalcPrivateCompilerSize
            .and(FUNCTIONS[slot].calc_private_compiler_size),
        pfnCreateCompiler: base
            .pfnCreateCompiler
            .and(boundary::creation(slot, FUNCTIONS[slot].create_compiler)),
        pfnDestroyCopiler: base.pfnDestroyCopiler.and(FUNCTIONS[slot].destroy_compiler),
        pfnCompilePipelineState: base
            .pfnCompilePipelineState
            .and(FUNCTIONS[slot].compile_pipeline_state),
        ..state_object::table(slot, base)
    }
}

/// A living compiler of the base, as addresses.
#[derive(Clone, Copy)]
struct Compiler {
    slot: usize,
    memory: usize,
    target: usize,
    application: usize,
    /// The size of its memory.
    size: usize,
    /// Whether its application has no engine.
    lacks_engine: bool,
    /// How many there were before it.
    number: usize,
    /// The target that it was created for.
    family: u32,
    abi: u64,
    /// What is known of the application that it was created for.
    known_application: session::Application,
    /// By [`Compilers::DestroyEndsOthers`].
    ended: bool,
    /// By [`Memory::CompilerByAddress`](crate::defect::Memory::CompilerByAddress).
    is_another: bool,
}

/// The living compilers, the youngest last.
static COMPILERS: Mutex<Vec<Compiler>> = Mutex::new(Vec::new());

/// How many compilers there have been.
static CREATED: AtomicUsize = AtomicUsize::new(0);

/// Where the compiler was that was destroyed last.
static DESTROYED: AtomicUsize = AtomicUsize::new(0);

fn compilers() -> MutexGuard<'static, Vec<Compiler>> {
    COMPILERS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn defect() -> Option<Compilers> {
    match selected() {
        Some(Defect::Compilers(defect)) => Some(defect),
        _ => None,
    }
}

/// [`Compilers::WritesAfterDestroy`], in whatever call comes next.
fn write_after_destroy() {
    let address = DESTROYED.load(Ordering::Relaxed);
    let writes = matches!(
        defect(),
        Some(Compilers::WritesAfterDestroy | Compilers::SecondWritesAfterDestroy)
    );
    if address != 0 && writes {
        // SAFETY: none; that is the defect.
        unsafe { ptr::with_exposed_provenance_mut::<u8>(address).write_volatile(0) };
    }
}

/// The target for the base that a defect takes instead of the host's.
///
/// # Safety
/// `target` is null or valid.
unsafe fn target_for_base(
    open: &Open,
    target: *const D3D12DDI_COMPILER_TARGET,
) -> Option<D3D12DDI_COMPILER_TARGET> {
    // SAFETY: `target` is null or valid, as this function demands.
    let target = unsafe { target.as_ref() }.copied();
    let nearest = |target, families| Some(nearest(open, target, families));
    match (defect(), target) {
        (Some(Compilers::UnknownFamily), Some(target)) => nearest(target, true),
        (Some(Compilers::UnknownAbi), Some(target)) => nearest(target, false),
        (Some(Compilers::OtherFamilysAbi), Some(target)) => Some(nearest_of_others(open, target)),
        (Some(Compilers::NullTargetAccepted), None) => {
            nearest(D3D12DDI_COMPILER_TARGET::zeroed(), false)
        }
        (_, Some(target)) if exists(open, target) => match selected() {
            Some(Defect::Session(Session::KeyWithoutFamily)) => Some(newest(open, 0)),
            Some(
                Defect::Session(Session::KeyWithoutAbi)
                | Defect::Purity(Purity::KeyWithoutAbiOfStateObjects | Purity::KeyWithoutAbiOfPixel),
            ) => Some(newest(open, target.AdapterFamilyIndex)),
            _ => None,
        },
        _ => None,
    }
}

/// # Safety
/// PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE: the pointers are null or valid for the call.
unsafe extern "system" fn calc_private_compiler_size<const SLOT: usize>(
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
) -> SIZE_T {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    write_after_destroy();
    let Some(open) = layer::OPENS.in_slot(SLOT) else {
        return 0;
    };
    // SAFETY: PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE: the pointers are null or valid for the call.
    unsafe { memory::inputs(Of::Size, target, application) };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE demands of a
    // host.
    let lacks_engine = unsafe { lacks_engine(application) };
    if lacks_engine && selected() == Some(Defect::Engine(Engine::SizeFollows)) {
        follow(ptr::null::<u16>());
    }
    if target.is_null() && defect() == Some(Compilers::SizeNullFollowed) {
        follow(target);
    }
    // SAFETY: the target is null or valid for the call, too.
    let other = unsafe { target_for_base(&open, target) };
    let target = other.as_ref().map_or(target, ptr::from_ref);
    let size = call!(open.compiler.pfnCalcPrivateCompilerSize(target, application) else 0);
    match defect() {
        Some(Compilers::SizeVaries) => size + CALLS.fetch_add(1, Ordering::Relaxed) * 8,
        Some(Compilers::AssumesZeros) => size + size_of::<usize>(),
        Some(Compilers::NeedsAlignment) => size.next_multiple_of(NEEDED_ALIGNMENT),
        _ => size,
    }
}

/// What [`Compilers::NeedsAlignment`] needs.
const NEEDED_ALIGNMENT: usize = 64;

/// A name that is longer than this is long.
const LONG_NAME: usize = 64;

/// Whether the executable of an application has a long name.
///
/// # Safety
/// The application's strings end with a NUL.
unsafe fn has_long_name(application: &D3D12DDI_APPLICATION_DESC) -> bool {
    let name = application.pExeFilename;
    // SAFETY: the string ends with a NUL, and nothing behind it is read.
    !name.is_null() && (0..=LONG_NAME).all(|at| unsafe { name.add(at).read() } != 0)
}

/// What is known of an application.
///
/// # Safety
/// It is null or valid, and its strings end with a NUL.
unsafe fn known_application(application: *const D3D12DDI_APPLICATION_DESC) -> session::Application {
    // SAFETY: null or valid, as this function demands.
    let Some(known) = (unsafe { application.as_ref() }) else {
        return session::Application::default();
    };
    // SAFETY: the string ends with a NUL, and nothing behind it is read.
    let unit = |at| unsafe { known.pName.add(at).read() };
    let units = (0..).map(unit).take_while(|unit| *unit != 0);
    session::Application {
        name: units.map(u64::from).sum(),
        // SAFETY: any bits of the union are a number.
        version: unsafe { known.Version.Version },
        // SAFETY: its strings end with a NUL.
        names: unsafe { purity::Application::new(known) },
    }
}

/// # Safety
/// PFND3D12DDI_COMPILER_CREATE_COMPILER: the pointers are null or valid for the call, the memory has
/// the bytes that were calculated.
pub(crate) unsafe extern "system" fn create_compiler<const SLOT: usize>(
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    compiler: D3D12DDI_HCOMPILER,
    runtime: D3D12DDI_HRTCOMPILER,
) -> HRESULT {
    write_after_destroy();
    if threads::refuses(Threads::CreationRefused) {
        return E_FAIL;
    }
    threads::happened(Event::CompilerCreated);
    if let (Some(Defect::Opens(Opens::OneCallbackTableAtCreation)), Some(last)) =
        (selected(), session::last())
    {
        layer::OPENS.update(SLOT, |open| open.host = last);
    }
    let Some(open) = layer::OPENS.in_slot(SLOT) else {
        return E_INVALIDARG;
    };
    let memory = compiler.pDrvPrivate.cast::<u8>();
    // SAFETY: PFND3D12DDI_COMPILER_CREATE_COMPILER: the pointers are null or valid for the call.
    unsafe { memory::inputs(Of::Creation, target, application) };
    let size_of_base =
        || call!(open.compiler.pfnCalcPrivateCompilerSize(target, application) else 0);
    if let Some(refusal) = memory::refused(memory, size_of_base) {
        return refusal;
    }
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_CREATE_COMPILER demands of a host.
    let other = unsafe { target_for_base(&open, target) };
    let for_base = other.as_ref().map_or(target, ptr::from_ref);
    // Only a defect needs the size, and a base need not stand this call with null pointers.
    let size = if defect().is_none() || for_base.is_null() || application.is_null() {
        0
    } else {
        call!(open.compiler.pfnCalcPrivateCompilerSize(for_base, application) else 0)
    };
    // SAFETY: PFND3D12DDI_COMPILER_CREATE_COMPILER: a pointer that is not null is valid for the
    // call.
    let family = unsafe { target.as_ref() }.map_or(0, |target| target.AdapterFamilyIndex);
    // SAFETY: none where a defect writes what it may not; else
    // PFND3D12DDI_COMPILER_CREATE_COMPILER.
    unsafe {
        match defect() {
            Some(Compilers::CreationFails) => return E_FAIL,
            Some(Compilers::WritesPast) => memory.add(size).write(0),
            Some(Compilers::WritesBefore) => memory.sub(1).write(0),
            Some(Compilers::AssumesZeros)
                if memory.add(size).cast::<usize>().read_unaligned() != 0 =>
            {
                return E_UNEXPECTED;
            }
            Some(Compilers::WritesTarget) if !target.is_null() => {
                let version = &raw const (*target).ABIVersion;
                version.cast_mut().write_volatile(version.read());
            }
            Some(Compilers::WritesApplication) if !application.is_null() => {
                let first = (*application).pExeFilename.cast_mut();
                first.write_volatile(first.read());
            }
            Some(Compilers::NullApplicationFollowed) => follow(application),
            Some(Compilers::SecondNullFollowed) if family == 1 => follow(application),
            Some(Compilers::WritesPastForName)
                if application.as_ref().is_some_and(|a| has_long_name(a)) =>
            {
                memory.add(size).write(0);
            }
            Some(Compilers::NeedsAlignment) if memory.addr() % NEEDED_ALIGNMENT != 0 => {
                return E_INVALIDARG;
            }
            _ => {}
        }
    }
    // SAFETY: PFND3D12DDI_COMPILER_CREATE_COMPILER: a pointer that is not null is valid for the
    // call.
    let lacks_engine = unsafe { lacks_engine(application) };
    match selected() {
        Some(Defect::Engine(Engine::CreationFollows)) if lacks_engine => {
            follow(ptr::null::<u16>());
        }
        Some(Defect::Engine(Engine::CreationRequires)) if lacks_engine && family == 1 => {
            return E_INVALIDARG;
        }
        Some(Defect::Opens(Opens::LeavesWorker)) => {
            static START: Once = Once::new();
            START.call_once(|| {
                thread::spawn(|| {
                    loop {
                        thread::park();
                    }
                });
            });
        }
        _ => {}
    }
    let no_callbacks = open.host.pfnCompilerCacheStoreValue.is_none();
    if no_callbacks && selected() == Some(Defect::Callbacks(Callbacks::LostByFill)) {
        return E_UNEXPECTED;
    }
    let goes_on = match selected() {
        Some(Defect::Callbacks(Callbacks::AbsentIgnored | Callbacks::AbsentFollowed)) => true,
        Some(Defect::Callbacks(Callbacks::AbsentIgnoredLater)) => family == 1,
        _ => false,
    };
    if no_callbacks && goes_on {
        // The base wants callbacks, so it gets the layer's, which have no host behind them.
        let callbacks = session::callbacks(SLOT);
        let _ = call!(open.base.pfnSetCallbackDDITable(
            open.handle(),
            D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE,
            (&raw const callbacks).cast(),
            size_of_val(&callbacks),
        ) else E_UNEXPECTED);
    }
    let result = call!(open.compiler.pfnCreateCompiler(for_base, application, compiler, runtime)
        else E_UNEXPECTED);
    if result.is_ok() {
        let mut compilers = compilers();
        // A host may reuse the memory of a compiler that it never destroyed.
        compilers.retain(|compiler| compiler.memory != memory.addr());
        // SAFETY: PFND3D12DDI_COMPILER_CREATE_COMPILER: a pointer that is not null is valid for the call.
        let abi = unsafe { target.as_ref() }.map_or(0, |target| target.ABIVersion);
        let differs = |other: &Compiler| (other.family, other.abi) != (family, abi);
        met_if(compilers.iter().any(differs), Need::TwoTargets);
        compilers.push(Compiler {
            slot: SLOT,
            memory: memory.expose_provenance(),
            target: target.expose_provenance(),
            application: application.expose_provenance(),
            size,
            lacks_engine,
            number: CREATED.fetch_add(1, Ordering::Relaxed),
            family,
            abi,
            // SAFETY: the application is null or valid for the call, its strings end with a NUL.
            known_application: unsafe { known_application(application) },
            ended: false,
            is_another: memory::is_another_compiler(memory.addr(), family, abi),
        });
    }
    result
}

/// # Safety
/// PFND3D12DDI_COMPILER_DESTROY_COMPILER: the compiler lives, and no call uses it.
unsafe extern "system" fn destroy_compiler<const SLOT: usize>(compiler: D3D12DDI_HCOMPILER) {
    write_after_destroy();
    let Some(open) = layer::OPENS.in_slot(SLOT) else {
        return;
    };
    let address = compiler.pDrvPrivate.expose_provenance();
    threads::compiler_destroyed(address);
    if selected() == Some(Defect::Session(Session::CompilerDestroyCallsBack)) {
        session::call_back(SLOT);
    }
    call!(open.compiler.pfnDestroyCopiler(compiler) else ());
    let mut compilers = compilers();
    let family = compilers.iter().find(|compiler| compiler.memory == address);
    let family = family.map_or(0, |compiler| compiler.family);
    if defect() != Some(Compilers::SecondWritesAfterDestroy) || family == 1 {
        DESTROYED.store(address, Ordering::Relaxed);
    }
    compilers.retain(|compiler| compiler.memory != address);
    match defect() {
        Some(Compilers::LeavesMemory) => layer::leave_memory(4096),
        Some(Compilers::LeavesMemoryOfFamily) if family == 1 => layer::leave_memory(4096),
        Some(Compilers::LeavesHandle) => layer::leave_handle(),
        _ => {}
    }
    if defect() == Some(Compilers::DestroyEndsOthers) {
        let others = compilers.iter_mut().filter(|other| other.slot == SLOT);
        others.for_each(|other| other.ended = true);
    }
}

/// The family that a compiler is for.
pub(crate) fn family_of(compiler: D3D12DDI_HCOMPILER) -> u32 {
    let memory = compiler.pDrvPrivate.addr();
    let compilers = compilers();
    let own = compilers.iter().find(|own| own.memory == memory);
    own.map_or(0, |own| own.family)
}

/// The compiler that makes a compile, or the failure that comes instead.
pub(crate) fn compiler_for_compile(
    open: &Open,
    compiler: D3D12DDI_HCOMPILER,
    stages: usize,
) -> Result<session::Compiler, HRESULT> {
    let compilers = compilers();
    let memory = compiler.pDrvPrivate.addr();
    let Some(own) = compilers.iter().find(|own| own.memory == memory) else {
        return Ok(session::Compiler {
            handle: compiler,
            number: 0,
            family: 0,
            abi: 0,
            application: session::Application::default(),
        });
    };
    if own.lacks_engine && selected() == Some(Defect::Engine(Engine::CompileFollows)) {
        follow(ptr::null::<u16>());
    }
    let keeps_target = match defect() {
        Some(Compilers::KeepsTarget) => true,
        Some(Compilers::SecondKeepsTarget) => own.family == 1,
        _ => false,
    };
    let only_last = match defect() {
        Some(Compilers::OnlyLast) => true,
        Some(Compilers::OnlyLastForGraphics) => stages > 1,
        _ => false,
    };
    match defect() {
        _ if keeps_target => {
            let target = ptr::with_exposed_provenance::<D3D12DDI_COMPILER_TARGET>(own.target);
            // SAFETY: none, as the call that it was for is over; that is the defect.
            let target = unsafe { target.read_volatile() };
            if !exists(open, target) {
                return Err(E_INVALIDARG);
            }
        }
        Some(Compilers::KeepsApplication) => {
            let application =
                ptr::with_exposed_provenance::<D3D12DDI_APPLICATION_DESC>(own.application);
            // SAFETY: none, as the call that it was for is over; that is the defect.
            let name = unsafe { application.read_volatile() }.pExeFilename;
            // SAFETY: none, as the call that it was for is over; that is the defect.
            if name.is_null() || unsafe { name.read_volatile() } == 0 {
                return Err(E_INVALIDARG);
            }
        }
        _ if only_last => {
            let last = compilers
                .iter()
                .rfind(|last| last.slot == own.slot)
                .unwrap_or(own);
            let last_compiler = D3D12DDI_HCOMPILER {
                pDrvPrivate: ptr::with_exposed_provenance_mut(last.memory),
            };
            return Ok(session::Compiler {
                handle: last_compiler,
                number: last.number,
                family: last.family,
                abi: last.abi,
                application: last.known_application,
            });
        }
        Some(Compilers::DestroyEndsOthers) if own.ended => return Err(E_FAIL),
        _ => {}
    }
    Ok(session::Compiler {
        handle: compiler,
        number: own.number,
        family: own.family,
        abi: own.abi,
        application: own.known_application,
    })
}

/// # Safety
/// PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE: the compiler lives, the session and the description
/// are valid for the call.
unsafe extern "system" fn compile_pipeline_state<const SLOT: usize>(
    compiler: D3D12DDI_HCOMPILER,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
) -> HRESULT {
    write_after_destroy();
    let Some(open) = layer::OPENS.in_slot(SLOT) else {
        return E_INVALIDARG;
    };
    // SAFETY: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE: a pointer that is not null is valid for
    // the call.
    let stages = unsafe { desc.as_ref() }.map_or(0, |desc| shaders(desc).count());
    if stages > 1 && defect() == Some(Compilers::WritesPastForGraphics) {
        let size = compilers()
            .iter()
            .find(|own| own.memory == compiler.pDrvPrivate.addr())
            .map_or(0, |own| own.size);
        // SAFETY: none; that is the defect.
        unsafe { compiler.pDrvPrivate.cast::<u8>().add(size).write(0) };
    }
    let address = compiler.pDrvPrivate.addr();
    let compiler = match compiler_for_compile(&open, compiler, stages) {
        Ok(compiler) => compiler,
        Err(failure) => return failure,
    };
    // SAFETY: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE: a pointer that is not null is valid for
    // the call.
    let mut deviation = unsafe { fields::deviation(desc) };
    let of_base = match &mut deviation {
        Some(Deviation::Faults) => {
            follow(ptr::null::<u8>());
            desc
        }
        Some(Deviation::Writes) => {
            let desc = desc.cast_mut();
            // SAFETY: none, as it is const; that is the defect.
            unsafe { (&raw mut (*desc).SampleMask).write_volatile((*desc).SampleMask) };
            desc.cast_const()
        }
        Some(Deviation::Refuses) => return E_INVALIDARG,
        Some(Deviation::Forgets(copied)) => copied.arg(),
        Some(Deviation::Session(_)) | None => desc,
    };
    let base = |compiler| {
        call!(open.compiler.pfnCompilePipelineState(compiler, session, flags, of_base)
            else E_UNEXPECTED)
    };
    let of_field = deviation.as_ref().and_then(Deviation::in_callbacks);
    let what = session::What::Pipeline(desc, of_field);
    // SAFETY: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE: a pointer that is not null is valid for
    // the call.
    let kind = threads::Kind::of_pipeline(unsafe { desc.as_ref() });
    let compile = || {
        threads::compiling(compiler.beside_others(kind, session), || {
            // SAFETY: the arguments are as PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE demands of a host.
            unsafe { session::compile(SLOT, &open, compiler, session, flags, what, base) }
        })
    };
    // SAFETY: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE: the description is null or valid for the call.
    let is_another = unsafe { memory::is_another_pipeline(desc) };
    if is_another
        || compilers()
            .iter()
            .any(|own| own.memory == address && own.is_another)
    {
        return session::store_anything(SLOT, session);
    }
    let Some(Defect::Compile(defect)) = selected() else {
        let result = compile();
        // SAFETY: the same.
        unsafe {
            memory::after_pipeline(desc, result);
            boundary::after_pipeline(desc, result);
        }
        return result;
    };
    // SAFETY: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE: a pointer that is not null is valid for
    // the call.
    let known = unsafe { desc.as_ref() };
    let has = |handle: fn(&D3D12DDIARG_CREATE_PIPELINE_STATE_0099) -> D3D12DDI_HSHADER| {
        known.is_some_and(|desc| !handle(desc).pDrvPrivate.is_null())
    };
    met_if(has(|desc| desc.hMeshShader), Need::Mesh);
    // Whether the first words of a shader's code are as `wrong` says.
    let is_wrong = |wrong: fn(u32, &[u32; 7]) -> bool| {
        let mut shaders = known.into_iter().flat_map(shaders);
        // SAFETY: the host's code is as long as its header says, which is longer than this.
        shaders.any(|(stage, code)| wrong(stage, unsafe { &*code.cast() }))
    };
    // Lets what the base refuses pass.
    let accept = |wrong| {
        let result = compile();
        if result.is_ok() || !is_wrong(wrong) {
            return result;
        }
        session::store_anything(SLOT, session)
    };
    match defect {
        Compile::AcceptsOtherStage => accept(|stage, header| header[0] >> 16 != stage),
        Compile::AcceptsOtherMagic => accept(|_, header| header[2] != MAGIC),
        Compile::AcceptsAnySize => accept(|_, header| header[1] < 6),
        Compile::AcceptsOtherBitcode => accept(|_, header| {
            header[5] % 4 != 0 || (header[4] == 16 && header[6] != BITCODE_MAGIC)
        }),
        Compile::KeysForMalformed | Compile::KeysTwiceForMalformed => {
            let result = compile();
            if !result.is_ok() && is_wrong(|_, header| header[2] != MAGIC) {
                let twice = defect == Compile::KeysTwiceForMalformed;
                for _ in 0..=usize::from(twice) {
                    let _ = session::store_anything(SLOT, session);
                }
            }
            result
        }
        Compile::TrustsBitcodeSize => {
            for (_, code) in known.into_iter().flat_map(shaders) {
                // SAFETY: a header of 24 bytes; that its last word is trusted is the defect.
                unsafe {
                    let size = code.add(5).read() as usize;
                    let last = code.cast::<u8>().wrapping_add(24 + size - 1);
                    last.read_volatile();
                }
            }
            compile()
        }
        Compile::PixelRequired
            if !has(|desc| desc.hPixelShader) && !has(|desc| desc.hComputeShader) =>
        {
            E_INVALIDARG
        }
        Compile::NoTessellationOfFamily
            if has(|desc| desc.hHullShader) && compiler.family == 1 =>
        {
            DXGI_ERROR_UNSUPPORTED
        }
        Compile::NoneOfOldest if crate::capabilities::is_oldest(&open, compiler.target()) => {
            DXGI_ERROR_UNSUPPORTED
        }
        Compile::NoTessellation if has(|desc| desc.hHullShader) => DXGI_ERROR_UNSUPPORTED,
        Compile::NoMesh if has(|desc| desc.hMeshShader) => DXGI_ERROR_UNSUPPORTED,
        Compile::VertexRequired => {
            if let Some(desc) = known.filter(|_| has(|desc| desc.hMeshShader)) {
                follow(desc.hVertexShader.pDrvPrivate);
            }
            compile()
        }
        Compile::LeavesMemory => {
            layer::leave_memory(4096);
            compile()
        }
        Compile::WritesDesc => {
            if let Some(desc) = known {
                let mask = (&raw const desc.SampleMask).cast_mut();
                // SAFETY: none, as it is const; that is the defect.
                unsafe { mask.write_volatile(mask.read()) };
            }
            compile()
        }
        Compile::WritesCode => {
            for (_, code) in known.into_iter().flat_map(shaders) {
                // SAFETY: none, as it is const; that is the defect.
                unsafe { code.cast_mut().write_volatile(code.read()) };
            }
            compile()
        }
        Compile::NullAccepted if known.is_none() => S_OK,
        Compile::NullFollowed => {
            follow(desc);
            compile()
        }
        Compile::PixelRequired
        | Compile::NoTessellation
        | Compile::NoTessellationOfFamily
        | Compile::NoneOfOldest
        // In state objects.
        | Compile::NoAdditions
        | Compile::NoGenericPrograms
        | Compile::NullAdditionAccepted
        | Compile::AcceptsOtherMagicOfLibrary
        | Compile::NoMesh
        | Compile::NullAccepted => compile(),
    }
}

/// The magic of a program, `DXIL`.
pub(crate) const MAGIC: u32 = u32::from_le_bytes(*b"DXIL");

/// The magic of the bitcode in it.
const BITCODE_MAGIC: u32 = u32::from_le_bytes([b'B', b'C', 0xC0, 0xDE]);

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
        let shader: *const D3D12DDIARG_CREATE_SHADER_0026 = handle.pDrvPrivate.cast();
        // SAFETY: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE: a handle is null or points at
        // create-arguments.
        unsafe { shader.as_ref() }.map(|shader| (kind, shader.pShaderCode))
    })
}
