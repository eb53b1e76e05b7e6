//! The callbacks: the base calls the layer, the layer calls the host.

use std::ffi::c_void;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::mem::offset_of;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{process, ptr, slice, thread};

use bytemuck::Zeroable as _;
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CACHE_CONST_VALUE,
    D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE, D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    D3D12DDI_COMPILER_CACHE_VALUE_KEY, D3D12DDI_COMPILER_CACHE_VALUE_TYPE,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_PERFORMANCE_DATA, D3D12DDI_COMPILER_TARGET,
    D3D12DDI_COMPILER_VALUE_TYPE_FLAGS, D3D12DDI_HCOMPILER, D3D12DDI_HRTCOMPILERCACHESESSION,
    D3D12DDIARG_CREATE_PIPELINE_STATE_0099, DXGI_ERROR_ALREADY_EXISTS, DXGI_ERROR_NOT_FOUND,
    E_FAIL, HRESULT, PFND3D12DDI_COMPILER_ALLOCATION, S_OK, UINT,
};

use crate::capabilities::is_oldest;
use crate::compiler::shaders;
use crate::defect::{Callbacks, Defect, Opens, selected};
use crate::faults;
use crate::layer::{self, Open};
use crate::need::{Need, met, met_if};
use crate::purity::{self, Purity};
use crate::threads;
use base_plugin::{SLOTS, call, defects, follow, per_slot};

/// The defects of this file.
#[macro_export]
macro_rules! session_defects {
    ($take:ident) => {
        $take! {
            /// In the calls of the host's callbacks.
            Session {
                KeysTwice = "session-keys-twice" breaks P_PSO_01:
                    "the value keys are set twice";
                KeysTwiceOfFound = "session-keys-twice-of-found" breaks P_PSO_01:
                    "the value keys are set twice where every value was found",
                    where Found;
                KeysTwiceOfAddition = "session-keys-twice-of-addition" breaks P_PSO_01:
                    "the value keys of an addition are set twice",
                    where Addition;
                KeysNever = "session-keys-never" breaks P_PSO_01:
                    "the value keys are not set";
                KeysPrevious = "session-keys-previous" breaks P_PSO_01:
                    "the value keys are set in the session of the compile before";
                KeysNeverWithoutCode = "session-keys-never-without-code" breaks P_PSO_01:
                    "the value keys are not set where object code is not requested";
                KeyOfNoValue = "session-key-of-no-value" breaks P_PSO_02:
                    "the value keys name one more that has no value";
                KeyOfNoValueOfFamily = "session-key-of-no-value-of-family" breaks P_PSO_02:
                    "for the second family the value keys name one more that has no value",
                    where SecondFamily;
                KeyOfNoValueOfNewModel = "session-key-of-no-value-of-new-model" passes:
                    "for compute shaders of model 6.6 and later the value keys name one more that has no value";
                Unrequested = "session-unrequested" breaks P_PSO_03:
                    "performance data is stored whether it is requested or not";
                LeavesOut = "session-leaves-out" breaks P_PSO_03:
                    "debug information is left out";
                EmptyValue = "session-empty-value" breaks P_PSO_04:
                    "a value of size 0 is stored";
                NoValues = "session-no-values" breaks P_PSO_04:
                    "a store has no values";
                SameType = "session-same-type" breaks P_PSO_04:
                    "a store has two values of one type";
                NullKey = "session-null-key" breaks P_PSO_04:
                    "a store has a null key";
                EmptyKey = "session-empty-key" breaks P_PSO_04:
                    "a store has a key of size 0";
                AfterReturn = "session-after-return" breaks P_PSO_05:
                    "a thread makes a callback after the compile has returned";
                LatePerformanceData = "session-late-performance-data" breaks P_PSO_05:
                    "a thread stores performance data, where it is requested, after the compile has returned",
                    sometimes P_PSO_22 because "on a busy machine the compile returns after the thread";
                CompilerDestroyCallsBack = "session-compiler-destroy-calls-back" breaks P_PSO_05:
                    "destroying a compiler makes a callback";
                StateObjectDestroyCallsBack = "session-state-object-destroy-calls-back" breaks P_PSO_05:
                    "destroying a state object makes a callback",
                    where StateObject;
                DestroyCallsBack = "session-destroy-calls-back" breaks P_PSO_05:
                    "destroying the open makes a callback";
                Previous = "session-previous" breaks P_PSO_05:
                    "a callback has the session of the compile before";
                RecordsEach = "session-records-each" breaks P_PSO_06:
                    "each compile stores a record of itself under a new key",
                    also P_PSO_22 because "the key of the record is not named";
                AlreadyExists = "session-already-exists" breaks P_PSO_06:
                    "DXGI_ERROR_ALREADY_EXISTS is passed on",
                    sometimes P_SO_03 because "an equal state object, which it makes again, does not compile",
                    sometimes P_SO_04 because "an equal state object, which it makes again, does not compile",
                    sometimes P_SO_06 because "an equal state object, which it makes again, does not compile";
                KeysOfStored = "session-keys-of-stored" breaks P_PSO_06:
                    "the value keys name only what this compile stored",
                    also P_SO_03 because "the second of two equal state objects names no key";
                KeyFromAddress = "session-key-from-address" breaks P_PSO_07:
                    "keys depend on the address of the shader code";
                KeyFromPadding = "session-key-from-padding" breaks P_PSO_07:
                    "keys depend on the padding of the pipeline description";
                KeyFromCompiler = "session-key-from-compiler" breaks P_PSO_07:
                    "keys depend on how many compilers there were before";
                KeyFromOpen = "session-key-from-open" breaks P_PSO_07:
                    "keys depend on how many opens there were before";
                KeyFromProcess = "session-key-from-process" breaks P_PSO_07:
                    "keys depend on the process";
                CodeFromTime = "session-code-from-time" breaks P_PSO_07:
                    "object code has the time in it";
                CodeFromSecond = "session-code-from-second" breaks P_PSO_07:
                    "object code has the time in it, in seconds",
                    sometimes P_CMP_01 because "a second begins between two compiles",
                    sometimes P_CMP_02 because "a second begins between two compiles",
                    sometimes P_CMP_03 because "a second begins between two compiles",
                    sometimes P_CMP_04 because "a second begins between two compiles",
                    sometimes P_MEM_03 because "a second begins between two compiles",
                    sometimes P_MEM_04 because "a second begins between two compiles";
                CodeFromDay = "session-code-from-day" breaks P_PSO_07:
                    "object code has the date in it";
                CodeFromSecondOfOldest = "session-code-from-second-of-oldest" breaks P_PSO_07:
                    "for the oldest ABI version object code has the time in it, in seconds",
                    sometimes P_CMP_01 because "a second begins between two compiles",
                    sometimes P_CMP_02 because "a second begins between two compiles",
                    sometimes P_CMP_04 because "a second begins between two compiles",
                    sometimes P_CMP_03 because "a second begins between two compiles",
                    sometimes P_MEM_03 because "a second begins between two compiles";
                KeyOfPrograms = "session-key-of-programs" breaks P_PSO_08:
                    "of a pipeline nothing but the programs are in the keys",
                    also P_PSO_09 because "the key of a shader has all programs of its pipeline";
                KeyWithoutFamily = "session-key-without-family" breaks P_PSO_08:
                    "keys are the same for all families, object code is not",
                    where TwoTargets;
                KeyWithoutAbi = "session-key-without-abi" breaks P_PSO_08:
                    "keys are the same for all ABI versions, object code is not",
                    where TwoTargets;
                UnnamedOfGeometry = "session-unnamed-of-geometry" breaks P_PSO_22:
                    "with a geometry shader values are stored that the value keys do not name";
                UnnamedOfAddition = "session-unnamed-of-addition" breaks P_PSO_22:
                    "of an addition values are stored that the value keys do not name",
                    where Addition;
                KeyWithTargets = "session-key-with-targets" breaks P_PSO_09:
                    "every key depends on the format of the first render target, object code does not";
                KeyWithTopologyOfFamily = "session-key-with-topology-of-family" breaks P_PSO_09:
                    "for the second family every key depends on the topology, object code does not",
                    where SecondFamily;
                KeyHasProgram = "session-key-has-program" breaks P_PSO_10:
                    "keys have a pipeline's first program in them";
                KeyIsLong = "session-key-is-long" breaks P_PSO_10:
                    "keys are followed by 64 KiB of zeros";
                KeyOfAdditionIsLong = "session-key-of-addition-is-long" breaks P_PSO_10:
                    "keys of an addition are followed by 64 KiB of zeros",
                    where Addition;
                CodeFromName = "session-code-from-name" breaks P_PSO_11:
                    "keys and object code depend on the application's name",
                    where NoProfile;
                CodeFromVersionOfFamily = "session-code-from-version-of-family" breaks P_PSO_11:
                    "for the second family keys and object code depend on the application's version",
                    where NoProfile, where SecondFamily;
                FindsNoKey = "session-finds-no-key" breaks P_PSO_12:
                    "a find has a null key",
                    where Find;
                FindsNothing = "session-finds-nothing" breaks P_PSO_12:
                    "a find of an addition has no values",
                    where Find;
                FindsIntoNull = "session-finds-into-null" breaks P_PSO_12:
                    "a value that is there is read into a null buffer that has a size",
                    where Found;
                RaceLost = "session-race-lost" breaks P_PSO_13:
                    "DXGI_ERROR_ALREADY_EXISTS of a value that was not found is passed on";
                RaceLostOfAddition = "session-race-lost-of-addition" breaks P_PSO_13:
                    "of an addition DXGI_ERROR_ALREADY_EXISTS is passed on",
                    where Addition;
                RaceUnnamed = "session-race-unnamed" breaks P_PSO_13:
                    "a key whose values another thread stored is not named";
                StoreFailureIgnored = "session-store-failure-ignored" breaks P_PSO_14:
                    "a store that fails is taken for one that succeeded";
                StoreFailureIgnoredOfGeometry = "session-store-failure-ignored-of-geometry" breaks P_PSO_14:
                    "with a geometry shader a store that fails is taken for one that succeeded";
                KeysFailureIgnored = "session-keys-failure-ignored" breaks P_PSO_14:
                    "value keys that the host refuses are taken for set";
                KeysOfFailure = "session-keys-of-failure" breaks P_PSO_14:
                    "the key of a store that fails is set as the only one";
                RefusesAfterFailure = "session-refuses-after-failure" breaks P_PSO_14:
                    "after a callback failed every compile fails",
                    sometimes P_SO_04 because "it makes state objects after a callback failed";
                RemembersTooEarly = "session-remembers-too-early" breaks P_PSO_14:
                    "a value whose store failed is not stored the next time";
                LaterSkipped = "session-later-skipped" breaks P_PSO_15:
                    "where a key has values, no other types are added",
                    where FoundInPart;
                LaterSkippedOfAddition = "session-later-skipped-of-addition" breaks P_PSO_15:
                    "where a key of an addition has values, no other types are added",
                    where FoundInPart;
                KeyFromTypes = "session-key-from-types" breaks P_PSO_15:
                    "keys depend on whether debug information is requested";
                NoTypesStored = "session-no-types-stored" breaks P_PSO_16:
                    "with no value types something is stored";
                NoTypesUnnamed = "session-no-types-unnamed" breaks P_PSO_16:
                    "with no value types a compile succeeds without value keys";
                NoTypesOfAddition = "session-no-types-of-addition" breaks P_PSO_16:
                    "with no value types an addition sets value keys and fails",
                    where Addition;
                Latest = "session-latest" breaks P_PSO_19:
                    "callbacks have the session of the compile that began last";
                KeyFromOthers = "session-key-from-others" breaks P_PSO_19:
                    "keys depend on whether another compile is in progress";
                OneForCompiler = "session-one-for-compiler" breaks P_PSO_19:
                    "a second compile with a compiler at the same time fails";
                CodeFromAddress = "session-code-from-address" breaks P_PSO_07:
                    "object code depends on the address of the pipeline description";
            }
        }
    };
}

session_defects!(defects);

const fn functions<const SLOT: usize>() -> D3D12DDI_COMPILER_CACHE_CALLBACKS {
    D3D12DDI_COMPILER_CACHE_CALLBACKS {
        pfnCompilerCacheFindValue: Some(find_value::<SLOT>),
        pfnCompilerCacheStoreValue: Some(store_value::<SLOT>),
        pfnCompilerCacheSetObjectValueKeys: Some(set_object_value_keys::<SLOT>),
    }
}

static FUNCTIONS: [D3D12DDI_COMPILER_CACHE_CALLBACKS; SLOTS] = per_slot!(functions);

/// The callbacks that the base gets.
pub(crate) fn callbacks(slot: usize) -> D3D12DDI_COMPILER_CACHE_CALLBACKS {
    FUNCTIONS[slot]
}

/// The callbacks that any host set last; see [`Opens::OneCallbackTable`] and
/// [`Opens::OneCallbackTableAtCreation`].
static LAST: Mutex<Option<D3D12DDI_COMPILER_CACHE_CALLBACKS>> = Mutex::new(None);

/// Notes the callbacks of a host.
pub(crate) fn set_last(callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS) {
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(callbacks);
}

/// The callbacks that any host set last.
pub(crate) fn last() -> Option<D3D12DDI_COMPILER_CACHE_CALLBACKS> {
    *LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The host's callbacks.
fn host(slot: usize) -> D3D12DDI_COMPILER_CACHE_CALLBACKS {
    let Some(open) = layer::OPENS.in_slot(slot) else {
        return D3D12DDI_COMPILER_CACHE_CALLBACKS::default();
    };
    match selected() {
        Some(Defect::Callbacks(Callbacks::Kept)) => {
            let table = ptr::with_exposed_provenance(open.host_table);
            // SAFETY: none, as the call that it was for is over; that is the defect.
            unsafe { ptr::read_volatile::<D3D12DDI_COMPILER_CACHE_CALLBACKS>(table) }
        }
        Some(Defect::Opens(Opens::OneCallbackTable)) => last().unwrap_or(open.host),
        _ => open.host,
    }
}

/// What a callback of the host gives that is not there: only with [`Callbacks::AbsentIgnored`] and
/// [`Callbacks::AbsentFollowed`].
fn absent(result: HRESULT) -> HRESULT {
    if selected() == Some(Defect::Callbacks(Callbacks::AbsentFollowed)) {
        follow(ptr::null::<c_void>());
    }
    result
}

fn defect() -> Option<Session> {
    match selected() {
        Some(Defect::Session(defect)) => Some(defect),
        _ => None,
    }
}

/// What a compile is of.
#[derive(Clone, Copy)]
pub(crate) enum What {
    /// Its description, and what the defect of a field does.
    Pipeline(
        *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
        Option<OfField>,
    ),
    StateObject(Option<OfField>),
    Addition(Option<OfField>),
}

/// What the defect of a field does where the field is off its default.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OfField {
    /// The callbacks have this defect, which others have for any object.
    Defect(Session),
    /// The keys are those of the field at its default, but the object code is not.
    Forgets,
    /// The keys are made of this number, which does not have the field.
    KeysOf(u64),
}

impl What {
    /// The description of a pipeline.
    ///
    /// # Safety
    /// The description of a pipeline is null or valid.
    unsafe fn pipeline<'a>(self) -> Option<&'a D3D12DDIARG_CREATE_PIPELINE_STATE_0099> {
        match self {
            // SAFETY: the description of a pipeline is null or valid, as this function demands.
            Self::Pipeline(desc, _) => unsafe { desc.as_ref() },
            Self::StateObject(_) | Self::Addition(_) => None,
        }
    }
}

/// A compiler of the base.
#[derive(Clone, Copy)]
pub(crate) struct Compiler {
    pub(crate) handle: D3D12DDI_HCOMPILER,
    /// How many there were before it.
    pub(crate) number: usize,
    /// The target that it compiles for.
    pub(crate) family: u32,
    pub(crate) abi: u64,
    /// What is known of the application.
    pub(crate) application: Application,
}

impl Compiler {
    pub(crate) fn target(&self) -> D3D12DDI_COMPILER_TARGET {
        D3D12DDI_COMPILER_TARGET {
            AdapterFamilyIndex: self.family,
            ABIVersion: self.abi,
        }
    }

    /// A compile of it, as `threads` knows it.
    pub(crate) fn beside_others(
        &self,
        kind: threads::Kind,
        session: D3D12DDI_HRTCOMPILERCACHESESSION,
    ) -> threads::Compile {
        threads::Compile {
            kind,
            session: session.handle.addr(),
            compiler: self.handle.pDrvPrivate.addr(),
            family: self.family,
            abi: self.abi,
        }
    }
}

/// What is known of the application of a compiler.
#[derive(Clone, Copy, Default)]
pub(crate) struct Application {
    /// The sum of the units of its name.
    pub(crate) name: u64,
    pub(crate) version: u64,
    pub(crate) names: purity::Application,
}

/// A compile in progress.
struct Compile {
    requested: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    /// Put behind each key.
    key_suffix: Vec<u8>,
    /// The defect, if it is one of those that it is about.
    concerned: Option<Session>,
    /// Put behind object code.
    code_suffix: Vec<u8>,
    /// The keys that were stored.
    stored: Vec<Vec<u8>>,
    /// The keys that are not named.
    unnamed: Vec<Vec<u8>>,
    /// For [`Session::KeyOfPrograms`] and [`OfField::KeysOf`]: what the keys are made of, and the base's keys.
    programs: Option<Vec<u8>>,
    keys_of_base: Vec<Vec<u8>>,
    already_exists: bool,
    /// Whether object code was found.
    found: bool,
    /// The session of the compile before, as an address; 0 at first.
    previous: usize,
}

/// The compiles in progress by the addresses of their sessions, which a base may use on any thread.
static COMPILES: Mutex<Vec<(usize, Compile)>> = Mutex::new(Vec::new());

fn compiles() -> MutexGuard<'static, Vec<(usize, Compile)>> {
    COMPILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many compiles are in progress, on all threads.
static IN_PROGRESS: AtomicUsize = AtomicUsize::new(0);

/// The session of the last compile, as an address.
static PREVIOUS: AtomicUsize = AtomicUsize::new(0);

/// The compile in progress that a session is of.
fn compile_in_progress<R>(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    use_it: impl FnOnce(&mut Compile) -> R,
) -> Option<R> {
    let mut compiles = compiles();
    let mut compiles = compiles.iter_mut();
    let (_, compile) = compiles.find(|(of, _)| *of == session.handle.addr())?;
    Some(use_it(compile))
}

/// The defect, if it is about the compile in progress that a session is of.
fn concerned(session: D3D12DDI_HRTCOMPILERCACHESESSION) -> Option<Session> {
    compile_in_progress(session, |compile| compile.concerned)?
}

/// Has the base compile an object, by `base`.
///
/// # Safety
/// PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE and its like for state objects: the compiler lives, the
/// session and the description are valid for the call.
pub(crate) unsafe fn compile(
    slot: usize,
    open: &Open,
    compiler: Compiler,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
    what: What,
    base: impl FnOnce(D3D12DDI_HCOMPILER) -> HRESULT,
) -> HRESULT {
    // SAFETY: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE: a pointer that is not null is valid for
    // the call.
    let known = unsafe { what.pipeline() };
    let of_field = match what {
        What::Pipeline(_, of_field) | What::StateObject(of_field) | What::Addition(of_field) => {
            of_field
        }
    };
    let defect = match of_field {
        Some(OfField::Defect(defect)) => Some(defect),
        Some(OfField::Forgets | OfField::KeysOf(_)) => None,
        None => defect(),
    };
    let desc = known.map_or(ptr::null(), ptr::from_ref);
    let since_1970 = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let has_geometry = known.is_some_and(|desc| !desc.hGeometryShader.pDrvPrivate.is_null());
    let address = |address: usize| address.to_le_bytes().to_vec();
    let of_application = match defect {
        Some(Session::CodeFromName) => Some(compiler.application.name),
        Some(Session::CodeFromVersionOfFamily) if compiler.family == 1 => {
            Some(compiler.application.version)
        }
        _ => None,
    };
    let of_application = of_application.map(|number| number.to_le_bytes().to_vec());
    // SAFETY: the description is null or valid for the call.
    let purity = unsafe { purity::suffixes(&compiler, what, known, flags) };
    let compile = Compile {
        requested: flags,
        key_suffix: match (defect, known) {
            (Some(Session::KeyFromAddress), Some(desc)) => shaders(desc)
                .flat_map(|(_, code)| address(code.addr()))
                .collect(),
            (Some(Session::KeyFromPadding), Some(_)) => padding(desc),
            (Some(Session::KeyFromCompiler), _) => address(compiler.number),
            (Some(Session::KeyFromOpen), _) => address(open.number),
            (Some(Session::KeyFromProcess), _) => process::id().to_le_bytes().to_vec(),
            (Some(Session::KeyWithTargets), Some(desc)) => {
                desc.RTVFormats[0].0.to_le_bytes().to_vec()
            }
            (Some(Session::KeyWithTopologyOfFamily), Some(desc)) if compiler.family == 1 => {
                desc.PrimitiveTopologyType.0.to_le_bytes().to_vec()
            }
            (Some(Session::KeyHasProgram), Some(desc)) => {
                // SAFETY: the host's programs are as long as their headers say.
                let words = shaders(desc).next().map(|(_, code)| unsafe { words(code) });
                let words = words.unwrap_or_default().iter();
                words.flat_map(|word| word.to_le_bytes()).collect()
            }
            (Some(Session::KeyIsLong), _) => vec![0; LONG_KEY],
            (Some(Session::KeyOfAdditionIsLong), _) if matches!(what, What::Addition(_)) => {
                vec![0; LONG_KEY]
            }
            (Some(Session::KeyFromTypes), _) => {
                let debug = 1 << D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB.0;
                (flags.0 & debug).to_le_bytes().to_vec()
            }
            (Some(Session::KeyFromOthers), _) if IN_PROGRESS.load(Ordering::Relaxed) > 0 => {
                b"others".to_vec()
            }
            _ => of_application.clone().unwrap_or(purity.key),
        },
        code_suffix: match defect {
            Some(Session::CodeFromTime) => since_1970.as_nanos().to_le_bytes().to_vec(),
            Some(Session::CodeFromSecondOfOldest) if is_oldest(open, compiler.target()) => {
                since_1970.as_secs().to_le_bytes().to_vec()
            }
            Some(Session::CodeFromSecond) => since_1970.as_secs().to_le_bytes().to_vec(),
            Some(Session::CodeFromDay) => (since_1970.as_secs() / 86400).to_le_bytes().to_vec(),
            Some(Session::KeyWithoutFamily | Session::KeyWithoutAbi) => {
                [compiler.family.into(), compiler.abi]
                    .map(u64::to_le_bytes)
                    .concat()
            }
            _ if of_field == Some(OfField::Forgets) => b"forgotten".to_vec(),
            Some(Session::CodeFromAddress) if known.is_some() => address(desc.addr()),
            _ => of_application.unwrap_or(purity.code),
        },
        concerned: defect.filter(|defect| match defect {
            // Of a field, or of a shader.
            Session::UnnamedOfGeometry => of_field.is_some() || has_geometry,
            Session::StoreFailureIgnoredOfGeometry => has_geometry,
            Session::UnnamedOfAddition
            | Session::KeysTwiceOfAddition
            | Session::FindsNothing
            | Session::RaceLostOfAddition
            | Session::LaterSkippedOfAddition
            | Session::NoTypesOfAddition => matches!(what, What::Addition(_)),
            Session::KeyOfNoValueOfFamily => compiler.family == 1,
            Session::KeyOfNoValueOfNewModel => known.is_some_and(|desc| {
                // The first word of a program has the shader model in its lowest byte.
                // SAFETY: a program has its first word, even a malformed one.
                shaders(desc).any(|(kind, code)| kind == 5 && unsafe { code.read() } & 0xFF >= 0x66)
            }),
            _ => true,
        }),
        stored: Vec::new(),
        unnamed: Vec::new(),
        programs: match (of_field, known) {
            (Some(OfField::KeysOf(number)), _) => {
                let parts = [compiler.family.into(), compiler.abi, number];
                Some(parts.map(u64::to_le_bytes).concat())
            }
            (_, Some(desc)) if defect == Some(Session::KeyOfPrograms) => {
                let target = [compiler.family.into(), compiler.abi].map(u64::to_le_bytes);
                // SAFETY: the host's programs are as long as their headers say.
                let programs = shaders(desc).map(|(_, code)| unsafe { hash(code) }.to_le_bytes());
                Some(target.into_iter().chain(programs).flatten().collect())
            }
            _ => None,
        },
        keys_of_base: Vec::new(),
        already_exists: false,
        found: false,
        previous: PREVIOUS.swap(session.handle.addr(), Ordering::Relaxed),
    };
    if defect == Some(Session::Previous) && compile.previous != 0 {
        find_anything(slot, compile.previous);
    }
    let busy_with = compiler.handle.pDrvPrivate.addr();
    match defect {
        Some(Session::RefusesAfterFailure) if HAS_FAILED.load(Ordering::Relaxed) => return E_FAIL,
        Some(Session::NoTypesUnnamed) if flags.0 == 0 => return S_OK,
        Some(Session::OneForCompiler) => {
            let mut busy = busy();
            if busy.contains(&busy_with) {
                return E_FAIL;
            }
            busy.push(busy_with);
        }
        _ => {}
    }
    compiles().push((session.handle.addr(), compile));
    IN_PROGRESS.fetch_add(1, Ordering::Relaxed);
    LATEST.store(session.handle.addr(), Ordering::Relaxed);
    let has_pixels = known.is_some_and(|desc| !desc.hPixelShader.pDrvPrivate.is_null());
    let result = faults::compiled(session, what, has_pixels, compiler.family, || {
        base(compiler.handle)
    });
    IN_PROGRESS.fetch_sub(1, Ordering::Relaxed);
    let (concerned, already_exists) = {
        let mut compiles = compiles();
        let own = compiles
            .iter()
            .rposition(|(of, _)| *of == session.handle.addr());
        let own = own.map(|own| compiles.swap_remove(own).1);
        own.map_or((None, false), |own| (own.concerned, own.already_exists))
    };
    busy().retain(|other| *other != busy_with);
    match defect {
        Some(Session::AfterReturn) => {
            let session = session.handle.addr();
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(20));
                // In a compile of another open it would break P-OPEN-06 instead.
                if layer::OPENS.all().len() == 1 {
                    find_anything(slot, session);
                }
            });
            result
        }
        Some(Session::LatePerformanceData) if flags.0 & (1 << PERFORMANCE_DATA.0) != 0 => {
            let session = session.handle.addr();
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(100));
                // In a compile of another open it would break P-OPEN-06 instead, and in another session it
                // would be a value of that one.
                if layer::OPENS.all().len() == 1 && IN_PROGRESS.load(Ordering::Relaxed) == 0 {
                    store_late(slot, session);
                }
            });
            result
        }
        Some(Session::AlreadyExists | Session::RaceLost) if already_exists => {
            DXGI_ERROR_ALREADY_EXISTS
        }
        Some(Session::RaceLostOfAddition) if concerned.is_some() && already_exists => {
            DXGI_ERROR_ALREADY_EXISTS
        }
        Some(Session::NoTypesStored) if flags.0 == 0 => store_anything(slot, session),
        Some(Session::NoTypesOfAddition) if concerned.is_some() && flags.0 == 0 => {
            let _ = store_keys(slot, session);
            E_FAIL
        }
        Some(Session::RecordsEach) if result.is_ok() => record(slot, session, flags),
        _ => result,
    }
}

/// A program.
///
/// # Safety
/// It is as long as its header says.
unsafe fn words<'a>(program: *const u32) -> &'a [u32] {
    // SAFETY: as long as its header says, whose second word counts all words.
    unsafe { slice::from_raw_parts(program, program.add(1).read() as usize) }
}

/// A hash of a program.
///
/// # Safety
/// It is as long as its header says.
unsafe fn hash(program: *const u32) -> u64 {
    let mut hasher = DefaultHasher::new();
    // SAFETY: as long as its header says, as this function demands.
    unsafe { words(program) }.hash(&mut hasher);
    hasher.finish()
}

/// How long a long key is.
const LONG_KEY: usize = 1 << 16;

/// The session of the compile that began last, as an address.
static LATEST: AtomicUsize = AtomicUsize::new(0);

/// The compilers that are compiling, as addresses.
static BUSY: Mutex<Vec<usize>> = Mutex::new(Vec::new());

fn busy() -> MutexGuard<'static, Vec<usize>> {
    BUSY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The session that a callback is made with.
fn session_of(session: D3D12DDI_HRTCOMPILERCACHESESSION) -> D3D12DDI_HRTCOMPILERCACHESESSION {
    match defect() {
        Some(Session::Latest) => session_handle(LATEST.load(Ordering::Relaxed)),
        _ => threads::session_of(session),
    }
}

/// Whether a callback has failed in this process.
static HAS_FAILED: AtomicBool = AtomicBool::new(false);

/// Notes the answer of a callback.
fn note(result: HRESULT) -> HRESULT {
    if !result.is_ok() && ![DXGI_ERROR_NOT_FOUND, DXGI_ERROR_ALREADY_EXISTS].contains(&result) {
        HAS_FAILED.store(true, Ordering::Relaxed);
    }
    result
}

/// The keys whose stores failed; see [`Session::RemembersTooEarly`].
static FAILED: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// The padding behind SampleMask; there is none in 32-bit processes.
fn padding(desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099) -> Vec<u8> {
    let mask = offset_of!(D3D12DDIARG_CREATE_PIPELINE_STATE_0099, SampleMask);
    let next = offset_of!(D3D12DDIARG_CREATE_PIPELINE_STATE_0099, hRasterizerState);
    // SAFETY: inside the host's structure, which it initialised as bytes.
    let byte = |at| unsafe { desc.cast::<u8>().add(at).read_volatile() };
    (mask + size_of::<UINT>()..next).map(byte).collect()
}

fn session_handle(address: usize) -> D3D12DDI_HRTCOMPILERCACHESESSION {
    D3D12DDI_HRTCOMPILERCACHESESSION {
        handle: ptr::without_provenance_mut(address),
    }
}

/// Asks a session for the size of a value.
fn find_anything(slot: usize, session: usize) {
    let session = session_handle(session);
    let mut value = D3D12DDI_COMPILER_CACHE_TYPED_VALUE::zeroed();
    let (host, key) = (host(slot), raw_key(b"anything"));
    let _ = call!(host.pfnCompilerCacheFindValue(
        session,
        &raw const key,
        &raw mut value,
        1,
        None,
        ptr::null_mut(),
    ) else absent(S_OK));
}

/// Stores performance data of a compile that is over.
fn store_late(slot: usize, session: usize) {
    let session = session_handle(session);
    let (host, key) = (host(slot), raw_key(b"late"));
    let value = value(PERFORMANCE_DATA, b"fast");
    let _ = call!(host.pfnCompilerCacheStoreValue(session, &raw const key, &raw const value, 1)
        else absent(S_OK));
}

/// Asks the session of the last compile, in a call that is none.
pub(crate) fn call_back(slot: usize) {
    find_anything(slot, PREVIOUS.load(Ordering::Relaxed));
}

/// Stores a value that has nothing to do with the pipeline, and names it as the only one.
pub(crate) fn store_anything(slot: usize, session: D3D12DDI_HRTCOMPILERCACHESESSION) -> HRESULT {
    let host = host(slot);
    let (key, value) = (raw_key(b"anything"), value(OBJECT_CODE, b"anything"));
    let _ = call!(host.pfnCompilerCacheStoreValue(session, &raw const key, &raw const value, 1)
        else absent(S_OK));
    call!(host.pfnCompilerCacheSetObjectValueKeys(session, &raw const key, 1) else absent(S_OK))
}

/// Sets value keys that have nothing to do with the object.
fn store_keys(slot: usize, session: D3D12DDI_HRTCOMPILERCACHESESSION) -> HRESULT {
    let (host, key) = (host(slot), raw_key(b"anything"));
    call!(host.pfnCompilerCacheSetObjectValueKeys(session, &raw const key, 1) else absent(S_OK))
}

/// Stores metadata, if it is requested, under a key that no other compile has.
fn record(
    slot: usize,
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    requested: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
) -> HRESULT {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    const KIND: D3D12DDI_COMPILER_CACHE_VALUE_TYPE = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA;
    if requested.0 & (1 << KIND.0) == 0 {
        return S_OK;
    }
    let number = NUMBER.fetch_add(1, Ordering::Relaxed).to_le_bytes();
    let (host, key, value) = (host(slot), raw_key(&number), value(KIND, b"compiled"));
    call!(host.pfnCompilerCacheStoreValue(session, &raw const key, &raw const value, 1)
        else absent(S_OK))
}

pub(crate) fn raw_key(bytes: &[u8]) -> D3D12DDI_COMPILER_CACHE_VALUE_KEY {
    D3D12DDI_COMPILER_CACHE_VALUE_KEY {
        pKey: bytes.as_ptr().cast(),
        KeySize: count(bytes),
    }
}

fn value(
    kind: D3D12DDI_COMPILER_CACHE_VALUE_TYPE,
    bytes: &[u8],
) -> D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE {
    D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE {
        Type: kind,
        Value: D3D12DDI_COMPILER_CACHE_CONST_VALUE {
            pValue: bytes.as_ptr().cast(),
            ValueSize: bytes.len(),
        },
    }
}

fn count<T>(items: &[T]) -> UINT {
    UINT::try_from(items.len()).unwrap_or(UINT::MAX)
}

const OBJECT_CODE: D3D12DDI_COMPILER_CACHE_VALUE_TYPE =
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE;
const PERFORMANCE_DATA: D3D12DDI_COMPILER_CACHE_VALUE_TYPE =
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_PERFORMANCE_DATA;

/// Whether a callback is passed on as it is: no defect is about it, or there is no key or no value to work on.
///
/// # Safety
/// `keys` is null or leads to a key.
unsafe fn passes_on(
    keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    no_values: bool,
    count: UINT,
) -> bool {
    // SAFETY: null or a key, as this function demands.
    let no_key = || unsafe { keys.as_ref() }.is_none_or(|key| key.pKey.is_null());
    let is_about_one = matches!(
        selected(),
        Some(
            Defect::Session(_)
                | Defect::Purity(_)
                | Defect::Fields(_)
                | Defect::Subobjects(_)
                | Defect::Threads(_)
        )
    );
    !is_about_one || no_values || count == 0 || no_key()
}

/// The bytes of a key of the base's.
///
/// # Safety
/// The key is one of the base's.
pub(crate) unsafe fn bytes_of_base(key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY) -> Vec<u8> {
    // SAFETY: the base's keys are valid and not empty.
    unsafe {
        let key = key.read();
        slice::from_raw_parts(key.pKey.cast::<u8>(), key.KeySize as usize).to_vec()
    }
}

/// The bytes of one of the base's keys, with what a defect puts behind them.
///
/// # Safety
/// The key is one of the base's.
unsafe fn key_bytes(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
) -> Vec<u8> {
    // SAFETY: the key is one of the base's, as this function demands.
    let mut bytes = unsafe { bytes_of_base(key) };
    compile_in_progress(session, |compile| {
        bytes.extend(&compile.key_suffix);
        bytes.extend(threads::key_suffix());
        if let Some(programs) = &compile.programs {
            let mut known = compile.keys_of_base.iter();
            let number = known.position(|key| *key == bytes).unwrap_or_else(|| {
                compile.keys_of_base.push(bytes.clone());
                compile.keys_of_base.len() - 1
            });
            bytes.clone_from(programs);
            bytes.extend(number.to_le_bytes());
        }
    });
    bytes
}

/// Has values that were asked for their size have one.
fn take_for_found(values: &mut [D3D12DDI_COMPILER_CACHE_TYPED_VALUE]) {
    let asked = values
        .iter_mut()
        .filter(|value| value.Value.pValue.is_null());
    for value in asked {
        met_if(value.Value.ValueSize == 0, Need::FoundInPart);
        value.Value.ValueSize = value.Value.ValueSize.max(1);
    }
}

/// # Safety
/// PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB, called by the base.
unsafe extern "system" fn find_value<const SLOT: usize>(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    count: UINT,
    allocate: PFND3D12DDI_COMPILER_ALLOCATION,
    context: *mut c_void,
) -> HRESULT {
    let host = host(SLOT);
    if let Some(defect) = faults::defect() {
        let allocate = (allocate, context);
        // SAFETY: the base's arguments as they came.
        return unsafe { faults::find_value(defect, host, session, key, values, count, allocate) };
    }
    // SAFETY: the base's key.
    if unsafe { passes_on(key, values.is_null(), count) } {
        return call!(host.pfnCompilerCacheFindValue(session, key, values, count, allocate, context)
            else absent(DXGI_ERROR_NOT_FOUND));
    }
    if defect() == Some(Session::AlreadyExists) {
        return DXGI_ERROR_NOT_FOUND;
    }
    // SAFETY: the base's key.
    let bytes = unsafe { key_bytes(session, key) };
    threads::before_find(&bytes);
    let (key, session) = (raw_key(&bytes), session_of(session));
    let find = |key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
                values: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
                count: UINT| {
        call!(host.pfnCompilerCacheFindValue(session, key, values, count, allocate, context)
            else absent(DXGI_ERROR_NOT_FOUND))
    };
    let mut query = D3D12DDI_COMPILER_CACHE_TYPED_VALUE::zeroed();
    met_if(concerned(session).is_some(), Need::Find);
    let _ = match concerned(session) {
        Some(Session::FindsNoKey) => find(ptr::null(), &raw mut query, 1),
        Some(Session::FindsNothing) => find(&raw const key, &raw mut query, 0),
        _ => S_OK,
    };
    let result = note(find(&raw const key, values, count));
    met_if(result.is_ok(), Need::Found);
    met_if(count > 1, Need::FindSeveral);
    if result.is_ok() {
        // SAFETY: the base's values.
        let values = unsafe { slice::from_raw_parts(values, count as usize) };
        let is_code = |value: &D3D12DDI_COMPILER_CACHE_TYPED_VALUE| {
            value.Type == OBJECT_CODE && value.Value.ValueSize > 0
        };
        let found = values.iter().any(is_code);
        compile_in_progress(session, |compile| compile.found |= found);
    }
    let is_taken_for_found = threads::after_find(result.is_ok());
    match concerned(session) {
        Some(Session::FindsIntoNull) if result.is_ok() => {
            query.Value.ValueSize = 16;
            let _ = find(&raw const key, &raw mut query, 1);
        }
        Some(Session::LaterSkipped | Session::LaterSkippedOfAddition) if result.is_ok() => {
            // SAFETY: the base's values.
            take_for_found(unsafe { slice::from_raw_parts_mut(values, count as usize) });
        }
        _ if is_taken_for_found => {
            // SAFETY: the base's values.
            take_for_found(unsafe { slice::from_raw_parts_mut(values, count as usize) });
            return S_OK;
        }
        _ => {}
    }
    result
}

/// # Safety
/// PFND3D12DDI_COMPILER_CACHE_STORE_VALUE_CB, called by the base.
unsafe extern "system" fn store_value<const SLOT: usize>(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    number: UINT,
) -> HRESULT {
    let host = host(SLOT);
    if let Some(defect) = faults::defect() {
        // SAFETY: the base's arguments as they came.
        return unsafe { faults::store_value(defect, host, session, key, values, number) };
    }
    // SAFETY: the base's key.
    if unsafe { passes_on(key, values.is_null(), number) } {
        return call!(host.pfnCompilerCacheStoreValue(session, key, values, number)
            else absent(S_OK));
    }
    let session = session_of(session);
    // SAFETY: the base's key.
    let mut bytes = unsafe { key_bytes(session, key) };
    if !threads::before_store(&mut bytes) {
        return S_OK;
    }
    if defect() == Some(Session::RemembersTooEarly) {
        let mut failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = failed.iter().position(|key| *key == bytes) {
            failed.swap_remove(at);
            return S_OK;
        }
    }
    // SAFETY: the base's values.
    let mut values = unsafe { slice::from_raw_parts(values, number as usize) }.to_vec();
    let (key, first) = (raw_key(&bytes), values[0]);
    let store = |key: D3D12DDI_COMPILER_CACHE_VALUE_KEY,
                 values: &[D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE]| {
        call!(host.pfnCompilerCacheStoreValue(
            session,
            &raw const key,
            values.as_ptr(),
            count(values),
        ) else absent(S_OK))
    };
    let mut suffix =
        compile_in_progress(session, |compile| compile.code_suffix.clone()).unwrap_or_default();
    if compile_in_progress(session, |compile| compile.found) == Some(true) {
        met(Need::FoundAndStored);
        if purity::defect() == Some(Purity::CodeFromFound) {
            suffix.extend(b"found");
        }
    }
    let requested = compile_in_progress(session, |compile| compile.requested).unwrap_or_default();
    let requests = |kind: D3D12DDI_COMPILER_CACHE_VALUE_TYPE| requested.0 & (1 << kind.0) != 0;
    let mut code = Vec::new();
    for value in values.iter_mut().filter(|value| value.Type == OBJECT_CODE) {
        // SAFETY: the base's value.
        code.extend(unsafe {
            slice::from_raw_parts(value.Value.pValue.cast::<u8>(), value.Value.ValueSize)
        });
        code.extend(&suffix);
        code.extend(threads::code_suffix());
        *value = self::value(OBJECT_CODE, &code);
    }
    match concerned(session) {
        Some(Session::Unrequested) if !requests(PERFORMANCE_DATA) => {
            values.push(value(PERFORMANCE_DATA, b"fast"));
        }
        Some(Session::LeavesOut) => {
            const KIND: D3D12DDI_COMPILER_CACHE_VALUE_TYPE =
                D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB;
            // The only one that is requested stays, or the key would have no value.
            if requested.0 != 1 << KIND.0 {
                values.retain(|value| value.Type != KIND);
            }
            if values.is_empty() {
                return S_OK;
            }
        }
        Some(Session::SameType) => values.push(values[0]),
        _ => {}
    }
    let result = note(store(key, &values));
    threads::after_store(&bytes);
    compile_in_progress(session, |compile| {
        compile.already_exists |= result == DXGI_ERROR_ALREADY_EXISTS;
        if defect() == Some(Session::RaceUnnamed) && result == DXGI_ERROR_ALREADY_EXISTS {
            compile.unnamed.push(bytes.clone());
        }
        compile.stored.push(bytes.clone());
    });
    let has_failed = !result.is_ok() && result != DXGI_ERROR_ALREADY_EXISTS;
    match concerned(session) {
        Some(Session::StoreFailureIgnored | Session::StoreFailureIgnoredOfGeometry)
            if has_failed =>
        {
            return S_OK;
        }
        Some(Session::KeysOfFailure) if has_failed => {
            let _ = call!(host.pfnCompilerCacheSetObjectValueKeys(session, &raw const key, 1)
                else absent(S_OK));
        }
        Some(Session::RemembersTooEarly) if has_failed => {
            let mut failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner);
            failed.push(bytes.clone());
        }
        _ => {}
    }
    if let Some(Session::UnnamedOfGeometry | Session::UnnamedOfAddition) = concerned(session) {
        let unnamed = [&bytes[..], b"unnamed"].concat();
        let _ = store(raw_key(&unnamed), &values);
    }
    let empty = value(first.Type, &[]);
    let _ = match concerned(session) {
        Some(Session::EmptyValue) => store(key, &[empty]),
        Some(Session::NoValues) => store(key, &[]),
        Some(Session::NullKey) => store(
            D3D12DDI_COMPILER_CACHE_VALUE_KEY {
                pKey: ptr::null(),
                ..key
            },
            &values,
        ),
        Some(Session::EmptyKey) => store(raw_key(&[]), &values),
        _ => S_OK,
    };
    result
}

/// # Safety
/// PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB, called by the base.
unsafe extern "system" fn set_object_value_keys<const SLOT: usize>(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    number: UINT,
) -> HRESULT {
    let host = host(SLOT);
    if let Some(defect) = faults::defect() {
        // SAFETY: the base's arguments as they came.
        return unsafe { faults::set_object_value_keys(defect, host, session, keys, number) };
    }
    // SAFETY: the base's keys.
    if unsafe { passes_on(keys, false, number) } {
        return call!(host.pfnCompilerCacheSetObjectValueKeys(session, keys, number)
            else absent(S_OK));
    }
    // SAFETY: the base's keys.
    let keys = unsafe { slice::from_raw_parts(keys, number as usize) };
    // SAFETY: each one of the base's.
    let mut keys: Vec<_> = keys
        .iter()
        .map(|key| unsafe { key_bytes(session, key) })
        .collect();
    match concerned(session) {
        Some(Session::KeysNever) => return S_OK,
        Some(Session::KeysNeverWithoutCode) => {
            let requested =
                compile_in_progress(session, |compile| compile.requested).unwrap_or_default();
            if requested.0 & (1 << OBJECT_CODE.0) == 0 {
                return S_OK;
            }
        }
        Some(Session::KeysOfStored) => {
            compile_in_progress(session, |compile| {
                keys.retain(|key| compile.stored.contains(key));
            });
        }
        _ => {}
    }
    compile_in_progress(session, |compile| {
        keys.retain(|key| !compile.unnamed.contains(key));
    });
    threads::before_keys(&mut keys);
    if let Some(
        Session::KeyOfNoValue | Session::KeyOfNoValueOfFamily | Session::KeyOfNoValueOfNewModel,
    ) = concerned(session)
    {
        keys.push(b"no value".to_vec());
    }
    let keys: Vec<_> = keys.iter().map(|key| raw_key(key)).collect();
    let previous = compile_in_progress(session, |compile| compile.previous).unwrap_or_default();
    let session = match defect() {
        Some(Session::KeysPrevious) if previous != 0 => session_handle(previous),
        _ => session_of(session),
    };
    let set = || {
        call!(host.pfnCompilerCacheSetObjectValueKeys(session, keys.as_ptr(), count(&keys))
            else absent(S_OK))
    };
    let result = note(set());
    if defect() == Some(Session::KeysFailureIgnored) {
        return S_OK;
    }
    let stored = compile_in_progress(session, |compile| !compile.stored.is_empty()) == Some(true);
    let twice = match concerned(session) {
        Some(Session::KeysTwice | Session::KeysTwiceOfAddition) => true,
        Some(Session::KeysTwiceOfFound) => !stored,
        _ => false,
    };
    if twice {
        let _ = set();
    }
    result
}
