//! Defects that show only where something else happens during a compile.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::thread::{self, ThreadId};

use ddi_sys::*;
use defects::{Place as _, Where, given, rows};
use parking_lot::Mutex;

use crate::about::*;
use crate::compile::{
    Compile, Event, Handle, InProgress, Key, all_in_progress, in_progress, is_any_in_progress,
    raw_key, session_at,
};
use crate::need;
use crate::places::*;
use crate::session::take_for_found;
use crate::state_object::{self, has};

rows! {
    Hook, About;

    "threads-session-in-compiler" breaks P_PSO_19:
        "callbacks have the session of the compile that began last with the same compiler",
        at Handle |call| of_youngest(call, |own, other| own.compiler == other.compiler);
    "threads-session-of-family" breaks P_PSO_19:
        "for the second family callbacks have the session of the compile that began last",
        where SECOND_FAMILY, at Handle |call| of_youngest(call, |own, other| own.about.family() == other.about.family());
    "threads-keys-of-all" breaks P_PSO_19:
        "the value keys are collected in one list for all compiles in progress",
        at Compile |call| call.before(|_| if !is_any_in_progress() {
            KEYS.lock().clear();
        }),
        at Store |call| call.before(|call| KEYS.lock().push(call.key_bytes())),
        at SetKeys keys_of_all;
    "threads-current-target" breaks P_PSO_19: "object code is for the target of the compile that began last",
        needs need::TWO_TARGETS,
        at Store |call| {
            let last = all_in_progress().last().map(|last| last.about.family_and_abi());
            for_target(call, last)
        };
    "threads-found-by-other" breaks P_PSO_19:
        "a find has the answer of another thread's that was made meanwhile, and found a value",
        needs need::FIND_SEVERAL, at Find found_by_other;
    "threads-stored-by-other" breaks P_PSO_19: "a value that another thread is storing is taken for stored",
        at Store stored_by_other;
    "threads-key-buffer" breaks P_PSO_19: "keys have the last byte of the key that any thread asked for last",
        at Find |call| {
            let key = given(call.key).map(crate::compile::bytes_of);
            *LAST_BYTE.lock() = key.and_then(|key| key.last().copied());
            call.pass()
        },
        at Store key_buffer;
    "threads-busy-of-family" breaks P_PSO_19:
        "for the second family a compile during which another one began fails",
        where SECOND_FAMILY, at Compile |call| fails_if(call, |own| own.saw(|event| matches!(event, Event::Began(..))));
    "threads-geometry" breaks P_PSO_19:
        "with a geometry shader keys depend on whether another compile is in progress",
        where GEOMETRY, at Key |key| ends_if(key, meets(key, |_, _| true));
    "threads-first-at-address" breaks P_CMP_09:
        "object code is for the target of the first compiler that had this one's address",
        needs need::TWO_TARGETS,
        also P_MEM_03: "its compilers are in memory that held others",
        at Store first_at_address;
    "threads-first-at-address-of-thread" breaks P_CMP_09:
        "object code is for the target of the first compiler with this one's address that compiled on this thread",
        needs need::TWO_TARGETS,
        also P_MEM_03: "its compilers are in memory that held others",
        at Store first_at_address_of_thread;
    "threads-kept-by-destroy" breaks P_CMP_09:
        "a compiler that is destroyed during a compile leaves its target to the next one with its address",
        needs need::TWO_TARGETS,
        at Destroy |call| call.before(|call| if !is_any_in_progress() {
            AT_ADDRESS.lock().remove(&call.compiler.pDrvPrivate.addr());
        }),
        at Store first_at_address;
    "threads-created-during" breaks P_CMP_09:
        "keys depend on whether a compiler was created during the compile",
        at Key |key| ends_if(key, saw(key, |event| event == Event::CompilerCreated));
    "threads-destroyed-during" breaks P_CMP_09: "a compile during which a compiler was destroyed fails",
        at Compile |call| fails_if(call, |own| own.saw(|event| event == Event::CompilerDestroyed));
    "threads-destroyed-during-of-family" breaks P_CMP_09:
        "for the second family object code depends on whether a compiler was destroyed during the compile",
        where SECOND_FAMILY, at Store |call| coded_if(call, |own| own.saw(|event| event == Event::CompilerDestroyed));
    "threads-creation-refused" breaks P_CMP_09: "no compiler is created during a compile",
        at Create |call| call.answer_if(is_any_in_progress(), E_FAIL);
    "threads-opened-during" breaks P_OPEN_12: "keys depend on whether the plugin was opened during the compile",
        at Key |key| ends_if(key, saw(key, |event| event == Event::Opened));
    "threads-closed-during" breaks P_OPEN_12: "a compile during which an open was destroyed fails",
        at Compile |call| fails_if(call, |own| own.saw(|event| event == Event::Closed));
    "threads-closed-during-of-family" breaks P_OPEN_12:
        "for the second family object code depends on whether an open was destroyed during the compile",
        where SECOND_FAMILY, at Store |call| coded_if(call, |own| own.saw(|event| event == Event::Closed));
    "threads-filled-during" breaks P_OPEN_12: "a compile during which an open filled a table fails",
        at Compile |call| fails_if(call, |own| own.saw(|event| event == Event::TableFilled));
    "threads-callbacks-set-during" breaks P_OPEN_12:
        "keys depend on whether an open got its callbacks during the compile",
        at Key |key| ends_if(key, saw(key, |event| event == Event::CallbacksSet));
    "threads-open-refused" breaks P_OPEN_12: "the plugin does not open during a compile",
        at OpenPlugin |call| call.answer_if(is_any_in_progress(), E_FAIL);
    "threads-selection-refused" breaks P_OPEN_12: "no version is selected during a compile",
        at SetVersion |call| call.answer_if(is_any_in_progress(), E_FAIL);
    "threads-additions-meet" breaks P_SO_09:
        "keys of an addition depend on whether another one to the same parent is in progress",
        where ADDITION, at Key |key| ends_if(key, meets(key, |own, other| own.parent == other.parent));
    "threads-addition-began" breaks P_SO_09: "an addition during which another one began fails",
        where ADDITION, at Compile |call| fails_if(call, |own| own.saw(|event| matches!(event, Event::Began(1.., _))));
    "threads-sibling-destroyed" breaks P_SO_09:
        "an addition during which another one to the same parent was destroyed fails",
        where ADDITION, at Compile |call| fails_if(call, |own| own.saw(|event| event == Event::ObjectDestroyed(own.parent)));
    "threads-parent-ends" breaks P_SO_09:
        "destroying an addition while one to the same parent is made has more of them refused",
        needs need::ADDITION,
        at DestroyObject parent_ends,
        at Compile |call| {
            let has_ended = ENDED.lock().contains(&call.state.parent);
            call.answer_if(has_ended, E_FAIL)
        };
    "threads-object-destroyed" breaks P_SO_09:
        "keys of a state object depend on whether another one was destroyed during the compile",
        needs need::STATE_OBJECT, at Key |key| ends_if(key, saw(key, |event| matches!(event, Event::ObjectDestroyed(_))));
    "threads-collections-meet" breaks P_SO_09:
        "a pipeline with a collection during which another one began fails",
        needs need::COLLECTION, where WITH_COLLECTION,
        at Compile |call| fails_if(call, |own| own.saw(|event| matches!(event, Event::Began(_, true))));
    "threads-graphs-meet" breaks P_SO_09:
        "object code of a work graph depends on whether another one is in progress",
        needs need::GRAPH, where EXECUTABLE,
        at Store |call| {
            let meets = meets_at(call.session, |_, other| is_executable(&other.about));
            call.coded(if meets { [0xFF; 8].as_slice() } else { &[] })
        };
    "threads-serialised" passes:
        "one compile is made at a time, and the others wait for a lock that is held in callbacks too",
        at Compile |call| {
            static ONE: Mutex<()> = Mutex::new(());
            let _one = ONE.lock();
            call.pass()
        };
}

/// A state object with an existing collection.
const WITH_COLLECTION: Where<About> = Where::new(|about| {
    has(
        about.state_object(),
        D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
    )
});

/// What work graphs are.
const EXECUTABLE: Where<About> = Where::new(is_executable);

fn is_executable(about: &About) -> bool {
    let desc = given(about.state_object());
    desc.is_some_and(|desc| desc.Type == D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE)
}

type Session = D3D12DDI_HRTCOMPILERCACHESESSION;

/// A family and an ABI version.
type Target = (u32, u64);

/// Whether another compile in progress is so, beside that of a session.
fn meets_at(session: Session, is: fn(&InProgress, &InProgress) -> bool) -> bool {
    let address = session.handle.addr();
    let all = all_in_progress();
    let own = all.iter().find(|compile| compile.session == address);
    own.is_some_and(|own| {
        all.iter()
            .any(|other| other.session != address && is(own, other))
    })
}

fn meets(key: &Key, is: fn(&InProgress, &InProgress) -> bool) -> bool {
    meets_at(key.session, is)
}

/// Whether something happened since the compile of a key began.
fn saw(key: &Key, is: fn(Event) -> bool) -> bool {
    in_progress(key.session, |compile| compile.saw(is)) == Some(true)
}

fn ends_if(key: &mut Key, is_so: bool) {
    key.pass();
    if is_so {
        key.bytes.extend(b"met");
    }
}

fn coded_if(call: &mut Store, is_so: fn(&InProgress) -> bool) -> HRESULT {
    let is_so = in_progress(call.session, |compile| is_so(compile)) == Some(true);
    call.coded(if is_so { [0xFF; 8].as_slice() } else { &[] })
}

fn fails_if(call: &mut Compile, is_so: fn(&InProgress) -> bool) -> HRESULT {
    call.after(|call, result| {
        if is_so(&call.state) {
            *result = E_FAIL;
        }
    })
}

fn of_youngest(call: &mut Handle, is: fn(&InProgress, &InProgress) -> bool) -> Session {
    let address = call.session.handle.addr();
    let all = all_in_progress();
    let own = all.iter().find(|compile| compile.session == address);
    let youngest = own.and_then(|own| all.iter().rfind(|other| is(own, other)));
    youngest.map_or(call.session, |youngest| session_at(youngest.session))
}

static KEYS: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

fn keys_of_all(call: &mut SetKeys) -> HRESULT {
    call.with_keys(|keys| {
        for key in &*KEYS.lock() {
            if !keys.contains(key) {
                keys.push(key.clone());
            }
        }
    })
}

/// Stores object code that is for another target, if it is another.
fn for_target(call: &mut Store, other: Option<Target>) -> HRESULT {
    let own = in_progress(call.session, |compile| compile.about.family_and_abi());
    let other = other.filter(|other| own != Some(*other));
    let other = other.map(|(family, abi)| [family.into(), abi].map(u64::to_le_bytes).concat());
    call.coded(other.unwrap_or_default())
}

/// The targets of the compilers at addresses.
static AT_ADDRESS: Mutex<BTreeMap<usize, Target>> = Mutex::new(BTreeMap::new());

/// The compiler of the compile in progress, as an address, and its target.
fn compiler_of(call: &Store) -> (usize, Target) {
    let of_compile = |compile: &mut InProgress| (compile.compiler, compile.about.family_and_abi());
    in_progress(call.session, of_compile).unwrap_or_default()
}

fn first_at_address(call: &mut Store) -> HRESULT {
    let (compiler, target) = compiler_of(call);
    let first = *AT_ADDRESS.lock().entry(compiler).or_insert(target);
    for_target(call, Some(first))
}

fn first_at_address_of_thread(call: &mut Store) -> HRESULT {
    thread_local! {
        static AT_ADDRESS: RefCell<BTreeMap<usize, Target>> = const { RefCell::new(BTreeMap::new()) };
    }
    let (compiler, target) = compiler_of(call);
    let first = AT_ADDRESS.with_borrow_mut(|known| *known.entry(compiler).or_insert(target));
    for_target(call, Some(first))
}

fn found_by_other(call: &mut Find) -> HRESULT {
    /// Who got an answer since anybody asked, and whether a value was found.
    static ANSWER: Mutex<Option<(ThreadId, bool)>> = Mutex::new(None);
    *ANSWER.lock() = None;
    let result = call.pass();
    let me = thread::current().id();
    let answer = ANSWER.lock().replace((me, result.is_ok()));
    if answer.is_some_and(|(who, is_found)| who != me && is_found) {
        take_for_found(call);
        return S_OK;
    }
    result
}

fn stored_by_other(call: &mut Store) -> HRESULT {
    static STORING: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());
    let key = call.key_bytes();
    let mut storing = STORING.lock();
    if storing.contains(&key) {
        return S_OK;
    }
    storing.push(key.clone());
    drop(storing);
    let result = call.pass();
    STORING.lock().retain(|other| *other != key);
    result
}

static LAST_BYTE: Mutex<Option<u8>> = Mutex::new(None);

fn key_buffer(call: &mut Store) -> HRESULT {
    let mut key = call.key_bytes();
    if let (Some(last), Some(other)) = (key.last_mut(), *LAST_BYTE.lock()) {
        *last = other;
    }
    let values = call.values();
    call.store(&raw_key(&key), values)
}

/// The parents that have ended, as addresses.
static ENDED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

fn parent_ends(call: &mut DestroyObject) {
    let parent = state_object::known(call.object).map_or(0, |ended| ended.parent);
    let is_met = parent != 0
        && all_in_progress()
            .iter()
            .any(|compile| compile.parent == parent);
    if is_met {
        ENDED.lock().push(parent);
    }
    call.pass();
}
