//! Calls at the same time, in an order that a seed decides.
//!
//! Threads whose speed decides what meets what find a race now and then. So a thread of a seeded order waits for its turn
//! before each call of the DDI and in each callback, and there the turn goes to a thread that the seed picks: the same
//! seed makes the same order. A plugin may hold a lock while it calls back, and then nobody can take the turn; after
//! [`PATIENCE`] all threads run freely, until the process ends.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use conformance_protocol::{Set, Settings};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    D3D12DDI_COMPILER_CACHE_TYPED_VALUE, D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    D3D12DDI_HRTCOMPILERCACHESESSION, E_UNEXPECTED, HRESULT, PFND3D12DDI_COMPILER_ALLOCATION, UINT,
};
use plugin_host::session::{self, CacheSession, MemoryCache, SessionScope};

/// So long does a thread wait while the turn does not move.
const PATIENCE: Duration = Duration::from_secs(2);

/// In which order scripts run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    /// One after the other.
    Alone,
    /// At the same time, each as fast as it can.
    Free,
    /// At the same time, one step at a time.
    Seeded { number: u64, seed: u64 },
}

impl Order {
    /// The orders in which a test runs its scripts at the same time.
    pub(crate) fn all(settings: &Settings) -> Vec<Self> {
        let count = match settings.set {
            Set::Smoke => 4,
            Set::Full => 8,
            Set::Soak => 64,
        };
        let seed = settings.seed;
        let seeded = (0..count).map(|number| Self::Seeded { number, seed });
        seeded.chain([Self::Free; 2]).collect()
    }
}

/// As in "by three threads, {order}".
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alone => write!(f, "one after the other"),
            Self::Free => write!(f, "as fast as they can"),
            Self::Seeded { number, seed } => write!(f, "in schedule {number} of seed {seed}"),
        }
    }
}

/// Where something is not as it should be, that in words.
pub(crate) type Compared = Result<(), String>;

/// What a thread does.
pub(crate) struct Script<'a>(Box<dyn Fn(&Turn) -> Compared + 'a>);

// SAFETY: what a script uses no other script changes (`Script::new`), and one thread runs it.
unsafe impl Sync for Script<'_> {}

impl<'a> Script<'a> {
    /// # Safety
    ///
    /// What it uses is its own, or stays as it is while it runs, or is the plugin's.
    pub(crate) unsafe fn new(script: impl Fn(&Turn) -> Compared + 'a) -> Self {
        Self(Box::new(script))
    }
}

/// Runs every script to its end, and gives the first failure.
pub(crate) fn run(order: Order, scripts: &[Script]) -> Compared {
    let turnstile = Arc::new(Turnstile::new(order, scripts.len()));
    let run = |(me, script): (usize, &Script)| {
        let turn = Turn {
            turnstile: Arc::clone(&turnstile),
            me,
        };
        OF_THREAD.set(Some(turn.clone()));
        turn.wait();
        let result = (script.0)(&turn);
        turn.leave();
        OF_THREAD.set(None);
        result
    };
    let run = &run;
    let mut scripts = scripts.iter().enumerate();
    if let Order::Alone = order {
        return scripts.try_for_each(run);
    }
    thread::scope(|scope| {
        let threads: Vec<_> = scripts
            .map(|script| scope.spawn(move || run(script)))
            .collect();
        let panicked = |_| Err("the test's thread panicked".into());
        let results = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(panicked));
        results.collect::<Vec<_>>().into_iter().collect()
    })
}

/// Whether a turn could not be taken in this process.
static IN_VAIN: AtomicBool = AtomicBool::new(false);

struct Turnstile {
    state: Mutex<State>,
    moved: Condvar,
}

struct State {
    /// Whose turn it is; `None` where nobody waits.
    turn: Option<usize>,
    /// Whether whose turn it is has taken it. A turn may come to a thread before that waits for it.
    is_taken: bool,
    /// Who has not ended yet.
    present: Vec<usize>,
    random: u64,
    /// How often the turn was given.
    moves: u64,
}

impl State {
    /// Gives the turn to somebody.
    fn pick(&mut self) {
        let random = next(&mut self.random);
        let count = self.present.len().max(1) as u64;
        let picked = usize::try_from(random % count).unwrap_or(0);
        self.turn = self.present.get(picked).copied();
        self.is_taken = false;
        self.moves += 1;
    }
}

/// SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

impl Turnstile {
    fn new(order: Order, count: usize) -> Self {
        let mut state = State {
            turn: None,
            is_taken: false,
            present: (0..count).collect(),
            random: 0,
            moves: 0,
        };
        if let Order::Seeded { number, seed } = order
            && !IN_VAIN.load(Ordering::Relaxed)
        {
            state.random = seed;
            state.random = next(&mut state.random) ^ number;
            state.pick();
        }
        Self {
            state: Mutex::new(state),
            moved: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread's place among those that run at the same time.
#[derive(Clone)]
pub(crate) struct Turn {
    turnstile: Arc<Turnstile>,
    me: usize,
}

impl Turn {
    /// Of a thread that need not wait for anybody.
    pub(crate) fn alone() -> Self {
        let turnstile = Arc::new(Turnstile::new(Order::Alone, 1));
        Self { turnstile, me: 0 }
    }

    /// Gives the turn to somebody and waits until it comes back: before a call of the DDI, and in a callback.
    pub(crate) fn wait(&self) {
        let mut state = self.turnstile.state();
        if state.turn == Some(self.me) && state.is_taken {
            state.pick();
            self.turnstile.moved.notify_all();
        }
        loop {
            let moves = state.moves;
            let waits = |state: &mut State| {
                state.moves == moves && state.turn.is_some_and(|turn| turn != self.me)
            };
            let waited = self
                .turnstile
                .moved
                .wait_timeout_while(state, PATIENCE, waits);
            let (next, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            state = next;
            if state.turn.is_none_or(|turn| turn == self.me) {
                state.is_taken = true;
                return;
            }
            if timeout.timed_out() {
                IN_VAIN.store(true, Ordering::Relaxed);
                state.turn = None;
                self.turnstile.moved.notify_all();
                return;
            }
        }
    }

    fn leave(&self) {
        let mut state = self.turnstile.state();
        state.present.retain(|other| *other != self.me);
        if state.turn == Some(self.me) {
            state.pick();
            self.turnstile.moved.notify_all();
        }
    }

    /// Makes a compile call in a session of its own over `cache`: what it returns, and the keys that it set.
    pub(crate) fn compile(
        &self,
        cache: &Arc<MemoryCache>,
        call: impl FnOnce(D3D12DDI_HRTCOMPILERCACHESESSION) -> HRESULT,
    ) -> (HRESULT, Vec<Vec<u8>>) {
        let scope = SessionScope::new(Arc::clone(cache) as Arc<dyn CacheSession>);
        let handle = scope.handle().handle.addr();
        of_sessions().insert(handle, self.clone());
        self.wait();
        let result = call(scope.handle());
        of_sessions().remove(&handle);
        (result, scope.end().unwrap_or_default())
    }
}

thread_local! {
    /// Whose thread this is.
    static OF_THREAD: RefCell<Option<Turn>> = const { RefCell::new(None) };
}

/// Whose the sessions are, for callbacks that come from threads of the plugin.
static OF_SESSIONS: Mutex<BTreeMap<usize, Turn>> = Mutex::new(BTreeMap::new());

fn of_sessions() -> MutexGuard<'static, BTreeMap<usize, Turn>> {
    OF_SESSIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits in a callback.
fn wait(session: D3D12DDI_HRTCOMPILERCACHESESSION) {
    let of_thread = OF_THREAD.with_borrow(Clone::clone);
    let turn = of_thread.or_else(|| of_sessions().get(&session.handle.addr()).cloned());
    if let Some(turn) = turn {
        turn.wait();
    }
}

/// The callback table: it waits, and then answers as `plugin_host::session` does.
pub(crate) const fn callbacks() -> D3D12DDI_COMPILER_CACHE_CALLBACKS {
    D3D12DDI_COMPILER_CACHE_CALLBACKS {
        pfnCompilerCacheFindValue: Some(find_value),
        pfnCompilerCacheStoreValue: Some(store_value),
        pfnCompilerCacheSetObjectValueKeys: Some(set_object_value_keys),
    }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB.
unsafe extern "system" fn find_value(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    count: UINT,
    allocate: PFND3D12DDI_COMPILER_ALLOCATION,
    context: *mut c_void,
) -> HRESULT {
    wait(session);
    let protocol = session::callbacks().pfnCompilerCacheFindValue;
    // SAFETY: the plugin's arguments as they came.
    protocol.map_or(E_UNEXPECTED, |f| unsafe {
        f(session, key, values, count, allocate, context)
    })
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CACHE_STORE_VALUE_CB.
unsafe extern "system" fn store_value(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    values: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
    count: UINT,
) -> HRESULT {
    wait(session);
    let protocol = session::callbacks().pfnCompilerCacheStoreValue;
    // SAFETY: the plugin's arguments as they came.
    protocol.map_or(E_UNEXPECTED, |f| unsafe { f(session, key, values, count) })
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB.
unsafe extern "system" fn set_object_value_keys(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    count: UINT,
) -> HRESULT {
    wait(session);
    let protocol = session::callbacks().pfnCompilerCacheSetObjectValueKeys;
    // SAFETY: the plugin's arguments as they came.
    protocol.map_or(E_UNEXPECTED, |f| unsafe { f(session, keys, count) })
}

#[cfg(test)]
mod tests {
    use super::{Order, Script, run};
    use std::sync::Mutex;

    /// In which order the threads take their steps.
    fn steps(order: Order) -> Vec<usize> {
        let steps = Mutex::new(Vec::new());
        let script = |me| {
            let steps = &steps;
            // SAFETY: the list has a lock.
            unsafe {
                Script::new(move |turn| {
                    for _ in 0..8 {
                        turn.wait();
                        steps.lock().unwrap().push(me);
                    }
                    Ok(())
                })
            }
        };
        run(order, &[script(0), script(1), script(2)]).unwrap();
        steps.into_inner().unwrap()
    }

    #[test]
    fn a_seed_makes_one_order() {
        let seeded = |number, seed| steps(Order::Seeded { number, seed });
        for _ in 0..3 {
            assert_eq!(seeded(3, 7), seeded(3, 7));
        }
        assert_ne!(seeded(3, 7), seeded(4, 7));
        assert_ne!(seeded(3, 7), seeded(3, 8));
        assert_eq!(seeded(0, 0).len(), 24);
        assert_eq!(steps(Order::Free).len(), 24);
        let alone = [[0; 8], [1; 8], [2; 8]].concat();
        assert_eq!(steps(Order::Alone), alone);
    }

    #[test]
    fn the_first_failure_is_given_when_all_have_ended() {
        // SAFETY: they use nothing.
        let scripts = unsafe {
            [
                Script::new(|_| Ok(())),
                Script::new(|_| Err("second".into())),
                Script::new(|_| Err("third".into())),
            ]
        };
        for order in [
            Order::Alone,
            Order::Free,
            Order::Seeded { number: 0, seed: 0 },
        ] {
            assert_eq!(run(order, &scripts), Err("second".to_owned()));
        }
    }
}
