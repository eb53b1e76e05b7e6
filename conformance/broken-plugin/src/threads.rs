//! Defects that show only where something else happens during a compile.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use ddi_sys::{
    D3D12DDI_HRTCOMPILERCACHESESSION, D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION, D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    D3D12DDIARG_CREATE_STATE_OBJECT_0054, E_FAIL, HRESULT,
};

use crate::defect::{Defect, selected};
use crate::state_object::has;
use base_plugin::defects;

/// The defects of this file.
#[macro_export]
macro_rules! thread_defects {
    ($take:ident) => {
        $take! {
            /// Where calls meet.
            Threads {
                SessionInCompiler = "threads-session-in-compiler" breaks P_PSO_19:
                    "callbacks have the session of the compile that began last with the same compiler";
                SessionOfFamily = "threads-session-of-family" breaks P_PSO_19:
                    "for the second family callbacks have the session of the compile that began last",
                    where SecondFamily;
                KeysOfAll = "threads-keys-of-all" breaks P_PSO_19:
                    "the value keys are collected in one list for all compiles in progress";
                CurrentTarget = "threads-current-target" breaks P_PSO_19:
                    "object code is for the target of the compile that began last",
                    where TwoTargets;
                FoundByOther = "threads-found-by-other" breaks P_PSO_19:
                    "a find has the answer of another thread's that was made meanwhile, and found a value",
                    where FindSeveral;
                StoredByOther = "threads-stored-by-other" breaks P_PSO_19:
                    "a value that another thread is storing is taken for stored";
                KeyBuffer = "threads-key-buffer" breaks P_PSO_19:
                    "keys have the last byte of the key that any thread asked for last";
                BusyOfFamily = "threads-busy-of-family" breaks P_PSO_19:
                    "for the second family a compile during which another one began fails",
                    where SecondFamily;
                Geometry = "threads-geometry" breaks P_PSO_19:
                    "with a geometry shader keys depend on whether another compile is in progress";
                FirstAtAddress = "threads-first-at-address" breaks P_CMP_09:
                    "object code is for the target of the first compiler that had this one's address",
                    where TwoTargets,
                    also P_MEM_03 because "its compilers are in memory that held others";
                FirstAtAddressOfThread = "threads-first-at-address-of-thread" breaks P_CMP_09:
                    "object code is for the target of the first compiler with this one's address that compiled on this thread",
                    where TwoTargets,
                    also P_MEM_03 because "its compilers are in memory that held others";
                KeptByDestroy = "threads-kept-by-destroy" breaks P_CMP_09:
                    "a compiler that is destroyed during a compile leaves its target to the next one with its address",
                    where TwoTargets;
                CreatedDuring = "threads-created-during" breaks P_CMP_09:
                    "keys depend on whether a compiler was created during the compile";
                DestroyedDuring = "threads-destroyed-during" breaks P_CMP_09:
                    "a compile during which a compiler was destroyed fails";
                DestroyedDuringOfFamily = "threads-destroyed-during-of-family" breaks P_CMP_09:
                    "for the second family object code depends on whether a compiler was destroyed during the compile",
                    where SecondFamily;
                CreationRefused = "threads-creation-refused" breaks P_CMP_09:
                    "no compiler is created during a compile";
                OpenedDuring = "threads-opened-during" breaks P_OPEN_12:
                    "keys depend on whether the plugin was opened during the compile";
                ClosedDuring = "threads-closed-during" breaks P_OPEN_12:
                    "a compile during which an open was destroyed fails";
                ClosedDuringOfFamily = "threads-closed-during-of-family" breaks P_OPEN_12:
                    "for the second family object code depends on whether an open was destroyed during the compile",
                    where SecondFamily;
                FilledDuring = "threads-filled-during" breaks P_OPEN_12:
                    "a compile during which an open filled a table fails";
                CallbacksSetDuring = "threads-callbacks-set-during" breaks P_OPEN_12:
                    "keys depend on whether an open got its callbacks during the compile";
                OpenRefused = "threads-open-refused" breaks P_OPEN_12:
                    "the plugin does not open during a compile";
                SelectionRefused = "threads-selection-refused" breaks P_OPEN_12:
                    "no version is selected during a compile";
                AdditionsMeet = "threads-additions-meet" breaks P_SO_09:
                    "keys of an addition depend on whether another one to the same parent is in progress",
                    where Addition;
                AdditionBegan = "threads-addition-began" breaks P_SO_09:
                    "an addition during which another one began fails",
                    where Addition;
                SiblingDestroyed = "threads-sibling-destroyed" breaks P_SO_09:
                    "an addition during which another one to the same parent was destroyed fails",
                    where Addition;
                ParentEnds = "threads-parent-ends" breaks P_SO_09:
                    "destroying an addition while one to the same parent is made has more of them refused",
                    where Addition;
                ObjectDestroyed = "threads-object-destroyed" breaks P_SO_09:
                    "keys of a state object depend on whether another one was destroyed during the compile",
                    where StateObject;
                CollectionsMeet = "threads-collections-meet" breaks P_SO_09:
                    "a pipeline with a collection during which another one began fails",
                    where Collection;
                GraphsMeet = "threads-graphs-meet" breaks P_SO_09:
                    "object code of a work graph depends on whether another one is in progress",
                    where Graph;
                Serialised = "threads-serialised" passes:
                    "one compile is made at a time, and the others wait for a lock that is held in callbacks too";
            }
        }
    };
}

thread_defects!(defects);

fn defect() -> Option<Threads> {
    match selected() {
        Some(Defect::Threads(defect)) => Some(defect),
        _ => None,
    }
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
    ObjectDestroyed {
        /// The address of the memory of what it was added to; 0 if it was no addition.
        parent: usize,
    },
}

/// What is compiled, as far as a defect is about it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Pipeline {
        has_geometry: bool,
    },
    StateObject {
        has_collection: bool,
        is_graph: bool,
    },
    Addition {
        parent: usize,
    },
}

impl Kind {
    pub(crate) fn of_pipeline(desc: Option<&D3D12DDIARG_CREATE_PIPELINE_STATE_0099>) -> Self {
        let has_geometry = desc.is_some_and(|desc| !desc.hGeometryShader.pDrvPrivate.is_null());
        Self::Pipeline { has_geometry }
    }

    /// # Safety
    /// The description is null or valid.
    pub(crate) unsafe fn of_state_object(
        desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    ) -> Self {
        let has_collection = has(desc, D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION);
        // SAFETY: null or valid (`# Safety`).
        let desc = unsafe { desc.as_ref() };
        let is_graph = desc.is_some_and(|desc| desc.Type == D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE);
        Self::StateObject {
            has_collection,
            is_graph,
        }
    }
}

/// A compile that is in progress.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Compile {
    pub(crate) kind: Kind,
    /// The session, and the memory of the compiler, as addresses.
    pub(crate) session: usize,
    pub(crate) compiler: usize,
    pub(crate) family: u32,
    pub(crate) abi: u64,
}

#[derive(Default)]
struct State {
    /// The compiles in progress, the youngest last, each with what happened since it began.
    compiles: Vec<(Compile, Vec<Happened>)>,
    /// For [`Threads::KeysOfAll`].
    keys: Vec<Vec<u8>>,
    /// For [`Threads::FoundByOther`]: who got an answer since anybody asked, and whether a value was found.
    answer: Option<(ThreadId, bool)>,
    /// For [`Threads::StoredByOther`].
    storing: Vec<Vec<u8>>,
    /// For [`Threads::KeyBuffer`].
    last_byte: Option<u8>,
    /// For [`Threads::FirstAtAddress`] and [`Threads::KeptByDestroy`]: the targets at addresses.
    at_address: BTreeMap<usize, (u32, u64)>,
    /// For [`Threads::ParentEnds`]: the parents that have ended.
    ended: Vec<usize>,
}

/// What happened since a compile began.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Happened {
    Event(Event),
    Began(Compile),
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

fn with<R>(use_it: impl FnOnce(&mut State) -> R) -> R {
    let mut state: MutexGuard<'_, Option<State>> =
        STATE.lock().unwrap_or_else(PoisonError::into_inner);
    use_it(state.get_or_insert_with(State::default))
}

thread_local! {
    /// The compile in progress on this thread.
    static OWN: Cell<Option<Compile>> = const { Cell::new(None) };
    /// For [`Threads::FirstAtAddressOfThread`].
    static AT_ADDRESS: RefCell<BTreeMap<usize, (u32, u64)>> = const { RefCell::new(BTreeMap::new()) };
}

/// Notes what happened, for the compiles in progress.
pub(crate) fn happened(event: Event) {
    if defect().is_none() {
        return;
    }
    with(|state| {
        for (_, since) in &mut state.compiles {
            since.push(Happened::Event(event));
        }
        if let Event::ObjectDestroyed { parent } = event {
            let adds = |(compile, _): &(Compile, _)| compile.kind == Kind::Addition { parent };
            if parent != 0 && state.compiles.iter().any(adds) {
                state.ended.push(parent);
            }
        }
    });
}

/// Notes that the compiler at an address is destroyed.
pub(crate) fn compiler_destroyed(address: usize) {
    happened(Event::CompilerDestroyed);
    if defect() == Some(Threads::KeptByDestroy) {
        with(|state| {
            if state.compiles.is_empty() {
                state.at_address.remove(&address);
            }
        });
    }
}

/// Whether a call that is not a compile is refused now.
pub(crate) fn refuses(call: Threads) -> bool {
    defect() == Some(call) && with(|state| !state.compiles.is_empty())
}

/// Makes a compile, and has it fail where a defect does.
pub(crate) fn compiling(compile: Compile, make: impl FnOnce() -> HRESULT) -> HRESULT {
    static ONE: Mutex<()> = Mutex::new(());
    if defect().is_none() {
        return make();
    }
    let one = || ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let _one = (defect() == Some(Threads::Serialised)).then(one);
    let is_refused = with(|state| {
        for (_, since) in &mut state.compiles {
            since.push(Happened::Began(compile));
        }
        if state.compiles.is_empty() {
            state.keys.clear();
        }
        state.compiles.push((compile, Vec::new()));
        let refuses = |parent: &usize| compile.kind == Kind::Addition { parent: *parent };
        defect() == Some(Threads::ParentEnds) && state.ended.iter().any(refuses)
    });
    OWN.set(Some(compile));
    let result = if is_refused { E_FAIL } else { make() };
    let fails = matches!(
        defect(),
        Some(
            Threads::BusyOfFamily
                | Threads::DestroyedDuring
                | Threads::ClosedDuring
                | Threads::FilledDuring
                | Threads::AdditionBegan
                | Threads::SiblingDestroyed
                | Threads::CollectionsMeet
        )
    ) && is_met();
    OWN.set(None);
    with(|state| state.compiles.retain(|(other, _)| *other != compile));
    if fails { E_FAIL } else { result }
}

/// Whether the compile on this thread has met what the defect is about.
fn is_met() -> bool {
    let (Some(defect), Some(own)) = (defect(), OWN.get()) else {
        return false;
    };
    let Kinds {
        has_geometry,
        has_collection,
        is_graph,
        parent,
    } = Kinds::of(own.kind);
    with(|state| {
        let since = state.compiles.iter().find(|(compile, _)| *compile == own);
        let since = since.map(|(_, since)| since.as_slice()).unwrap_or_default();
        let event = |event| since.contains(&Happened::Event(event));
        let began = |is: fn(Kinds) -> bool| {
            since.iter().any(|happened| match happened {
                Happened::Began(other) => is(Kinds::of(other.kind)),
                Happened::Event(_) => false,
            })
        };
        let meets = |is: &dyn Fn(Kinds) -> bool| {
            let mut others = state.compiles.iter().filter(|(compile, _)| *compile != own);
            others.any(|(compile, _)| is(Kinds::of(compile.kind)))
        };
        match defect {
            Threads::BusyOfFamily => own.family == 1 && began(|_| true),
            Threads::Geometry => has_geometry && meets(&|_| true),
            Threads::CreatedDuring => event(Event::CompilerCreated),
            Threads::DestroyedDuring => event(Event::CompilerDestroyed),
            Threads::DestroyedDuringOfFamily => own.family == 1 && event(Event::CompilerDestroyed),
            Threads::OpenedDuring => event(Event::Opened),
            Threads::ClosedDuring => event(Event::Closed),
            Threads::ClosedDuringOfFamily => own.family == 1 && event(Event::Closed),
            Threads::FilledDuring => event(Event::TableFilled),
            Threads::CallbacksSetDuring => event(Event::CallbacksSet),
            Threads::AdditionsMeet => parent != 0 && meets(&|other| other.parent == parent),
            Threads::AdditionBegan => parent != 0 && began(|other| other.parent != 0),
            Threads::SiblingDestroyed => parent != 0 && event(Event::ObjectDestroyed { parent }),
            Threads::ObjectDestroyed => since
                .iter()
                .any(|happened| matches!(happened, Happened::Event(Event::ObjectDestroyed { .. }))),
            Threads::CollectionsMeet => has_collection && began(|other| other.has_collection),
            Threads::GraphsMeet => is_graph && meets(&|other| other.is_graph),
            _ => false,
        }
    })
}

/// The same as [`Kind`], with nothing for what it has not.
#[derive(Clone, Copy, Default)]
struct Kinds {
    has_geometry: bool,
    has_collection: bool,
    is_graph: bool,
    parent: usize,
}

impl Kinds {
    fn of(kind: Kind) -> Self {
        let none = Self::default();
        match kind {
            Kind::Pipeline { has_geometry } => Self {
                has_geometry,
                ..none
            },
            Kind::StateObject {
                has_collection,
                is_graph,
            } => Self {
                has_collection,
                is_graph,
                ..none
            },
            Kind::Addition { parent } => Self { parent, ..none },
        }
    }
}

/// The session that a callback is made with.
pub(crate) fn session_of(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
) -> D3D12DDI_HRTCOMPILERCACHESESSION {
    let Some(own) = OWN.get() else {
        return session;
    };
    let takes = |other: &Compile| match defect() {
        Some(Threads::SessionInCompiler) => other.compiler == own.compiler,
        Some(Threads::SessionOfFamily) => own.family == 1 && other.family == 1,
        _ => *other == own,
    };
    let address = with(|state| {
        let mut compiles = state.compiles.iter().map(|(compile, _)| compile);
        compiles
            .rfind(|other| takes(other))
            .map_or(own.session, |other| other.session)
    });
    D3D12DDI_HRTCOMPILERCACHESESSION {
        handle: std::ptr::without_provenance_mut(address),
    }
}

/// What is put behind a key.
pub(crate) fn key_suffix() -> &'static [u8] {
    let is_of_keys = matches!(
        defect(),
        Some(
            Threads::Geometry
                | Threads::CreatedDuring
                | Threads::OpenedDuring
                | Threads::CallbacksSetDuring
                | Threads::AdditionsMeet
                | Threads::ObjectDestroyed
        )
    );
    if is_of_keys && is_met() { b"met" } else { b"" }
}

/// What is put behind object code.
pub(crate) fn code_suffix() -> Vec<u8> {
    let Some(own) = OWN.get() else {
        return Vec::new();
    };
    let target = (own.family, own.abi);
    let other = match defect() {
        Some(Threads::CurrentTarget) => with(|state| {
            let last = state.compiles.last();
            last.map_or(target, |(last, _)| (last.family, last.abi))
        }),
        Some(Threads::FirstAtAddress | Threads::KeptByDestroy) => {
            with(|state| *state.at_address.entry(own.compiler).or_insert(target))
        }
        Some(Threads::FirstAtAddressOfThread) => {
            AT_ADDRESS.with_borrow_mut(|known| *known.entry(own.compiler).or_insert(target))
        }
        Some(
            Threads::DestroyedDuringOfFamily | Threads::ClosedDuringOfFamily | Threads::GraphsMeet,
        ) if is_met() => (u32::MAX, 0),
        _ => target,
    };
    if other == target {
        Vec::new()
    } else {
        [u64::from(other.0), other.1].map(u64::to_le_bytes).concat()
    }
}

/// Notes a key before the host is asked for it.
pub(crate) fn before_find(key: &[u8]) {
    match defect() {
        Some(Threads::KeyBuffer) => with(|state| state.last_byte = key.last().copied()),
        Some(Threads::FoundByOther) => with(|state| state.answer = None),
        _ => {}
    }
}

/// Notes whether the host had it; whether it is taken for there in any case.
pub(crate) fn after_find(is_found: bool) -> bool {
    let me = thread::current().id();
    defect() == Some(Threads::FoundByOther)
        && with(|state| {
            let answer = state.answer.replace((me, is_found));
            answer.is_some_and(|(who, is_found)| who != me && is_found)
        })
}

/// Changes a key before its values are stored; whether they are stored at all.
pub(crate) fn before_store(key: &mut [u8]) -> bool {
    with(|state| match defect() {
        Some(Threads::StoredByOther) => {
            let is_storing = state.storing.iter().any(|other| other == key);
            if !is_storing {
                state.storing.push(key.to_vec());
            }
            !is_storing
        }
        Some(Threads::KeyBuffer) => {
            if let (Some(last), Some(other)) = (key.last_mut(), state.last_byte) {
                *last = other;
            }
            true
        }
        Some(Threads::KeysOfAll) => {
            state.keys.push(key.to_vec());
            true
        }
        _ => true,
    })
}

/// Notes that its values are stored.
pub(crate) fn after_store(key: &[u8]) {
    if defect() == Some(Threads::StoredByOther) {
        with(|state| {
            if let Some(at) = state.storing.iter().position(|other| other == key) {
                state.storing.swap_remove(at);
            }
        });
    }
}

/// Changes the value keys before they are set.
pub(crate) fn before_keys(keys: &mut Vec<Vec<u8>>) {
    if defect() == Some(Threads::KeysOfAll) {
        with(|state| {
            for key in &state.keys {
                if !keys.contains(key) {
                    keys.push(key.clone());
                }
            }
        });
    }
}
