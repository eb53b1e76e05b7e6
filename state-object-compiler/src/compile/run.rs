//! The part that both ways to run share: which objects there are, who may take which, and the outcome of each.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use shader_db::psdb::MAX_SIZE;
use shader_db::sodb::Entry;

use super::options::{Listener, Progress};
use crate::key::shown;
use crate::schedule::{Graph, Schedule};
use crate::{Error, Result};

/// Bytes of stack for compiling; the system provides memory only for the part that the compiler uses.
pub const STACK: usize = 64 << 20;
/// How often the run reports progress.
const PROGRESS: Duration = Duration::from_millis(250);
/// How often the run checks whether it must end something.
pub const TICK: Duration = Duration::from_millis(50);

/// The outcome of an object.
pub enum Outcome {
    /// Compiled, and in the output.
    Stored,
    /// It was in the output.
    UpToDate,
    /// Compiled only because another object is made from it.
    Needed,
    /// Why it is not in the output.
    Failed(String),
}

/// Why a run ends early.
enum Stop {
    Interrupted,
    Fatal(Error),
}

/// A run over objects from which others can be made; `M` is what is needed to make those.
pub struct Run<M> {
    pub entries: Vec<Entry>,
    pub graph: Graph,
    /// Whether the run must compile the object.
    members: Vec<bool>,
    /// Whether the run stores the object.
    stored: Vec<bool>,
    state: Mutex<State<M>>,
    /// There is an object to take, or there will be no more.
    ready: Condvar,
    /// A worker has ended.
    ended: Condvar,
}

pub struct State<M> {
    schedule: Schedule,
    outcomes: Vec<Option<Outcome>>,
    /// Objects from which others are still to be made, and how many.
    pub made: HashMap<usize, (M, usize)>,
    /// Objects from which nothing more is made. The taker drops them without the lock.
    pub unused: Vec<(usize, M)>,
    /// The reasons why objects that are up to date could not be made again.
    not_made: HashMap<usize, String>,
    done: usize,
    failed: usize,
    stop: Option<Stop>,
    /// The number of workers.
    workers: usize,
}

/// Whether the object can have a group. An SODB may have a key for it that no PSDB can have.
fn has_key(entry: &Entry) -> bool {
    (1..=MAX_SIZE).contains(&entry.key.len())
}

impl<M> State<M> {
    /// Whether the run begins nothing more.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some()
    }

    /// Notes that an object, which its worker has still to finish, is already in the output.
    pub fn found(&mut self, place: usize) {
        self.outcomes[place] = Some(Outcome::UpToDate);
    }

    /// How many objects a worker may take at once, so that there are more for the others.
    pub fn share(&self) -> usize {
        self.schedule.ready() / (2 * self.workers.max(1))
    }
}

impl<M: Send> Run<M> {
    /// Determines the work: of the selected objects, those that are not `there`, in the output.
    pub fn new(entries: Vec<Entry>, selected: &[bool], there: &[bool], workers: usize) -> Self {
        let graph = Graph::new(&entries);
        let up_to_date = there.iter().map(|there| there.then_some(Outcome::UpToDate));
        let mut outcomes: Vec<Option<Outcome>> = up_to_date.collect();
        let stored: Vec<bool> = selected
            .iter()
            .zip(&outcomes)
            .map(|(selected, outcome)| *selected && outcome.is_none())
            .collect();
        let mut members = stored.clone();
        let mut failed = 0;
        let mut fail = |place: usize, text: String| {
            if outcomes[place].is_none() {
                outcomes[place] = Some(Outcome::Failed(text));
                failed += 1;
            }
        };
        for (place, member) in members.iter_mut().enumerate() {
            if *member && !has_key(&entries[place]) {
                *member = false;
                let text = format!("its key in the SODB is not a blob of 1 to {MAX_SIZE} bytes");
                fail(place, text);
            }
        }
        graph.close(&mut members);
        for place in Schedule::remove_cycles(&graph, &mut members) {
            let text = "it is made from itself, or from an object that is";
            fail(place, text.into());
        }
        // A member that is up to date is made again, and does not count as done before that.
        let done = outcomes.iter().zip(&members);
        let done = done.filter(|(outcome, is_member)| outcome.is_some() && !**is_member);
        let done = done.count();
        let state = State {
            schedule: Schedule::new(&graph, &members, workers),
            outcomes,
            made: HashMap::new(),
            unused: Vec::new(),
            not_made: HashMap::new(),
            done,
            failed,
            stop: None,
            workers: 0,
        };
        Self {
            entries,
            graph,
            members,
            stored,
            state: Mutex::new(state),
            ready: Condvar::new(),
            ended: Condvar::new(),
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, State<M>> {
        self.state.lock()
    }

    /// How many objects are not done.
    pub fn left(&self) -> usize {
        self.lock().schedule.left()
    }

    /// Whether the run stores an object that it compiles.
    pub fn is_stored(&self, place: usize) -> bool {
        self.stored[place]
    }

    /// How many objects the run makes from one.
    pub fn users(&self, place: usize) -> usize {
        let users = self.graph.users[place].iter();
        users.filter(|user| self.members[**user]).count()
    }

    /// The next object for a worker, if one is ready. This also finishes the objects that cannot be made, because they are
    /// made from one that failed.
    pub fn take(&self, state: &mut State<M>, worker: usize) -> Option<usize> {
        while state.stop.is_none() {
            let place = state.schedule.take(worker)?;
            let mut needs = self.graph.needs[place].iter();
            let Some(missing) = needs.find(|need| !state.made.contains_key(need)) else {
                return Some(place);
            };
            let key = shown(&self.entries[*missing].key);
            let text = match state.not_made.get(missing) {
                Some(reason) => format!(
                    "it is made from object {key}, which is up to date, and could not be compiled once more for this: {reason}"
                ),
                None => {
                    format!("it is made from object {key}, which failed or is not a state object")
                }
            };
            self.finish(state, place, Err(text), worker);
        }
        None
    }

    /// Some objects for a worker, so that it can read them together: few enough that the others find more.
    pub fn take_some(&self, state: &mut State<M>, worker: usize, most: usize) -> VecDeque<usize> {
        let most = state.share().clamp(1, most);
        let mut places = VecDeque::new();
        while places.len() < most
            && let Some(place) = self.take(state, worker)
        {
            places.push_back(place);
        }
        places
    }

    /// Waits until there may be something to take; returns none when there will be nothing more.
    pub fn wait<'a>(
        &self,
        mut state: MutexGuard<'a, State<M>>,
    ) -> Option<MutexGuard<'a, State<M>>> {
        if state.schedule.left() == 0 || state.stop.is_some() {
            return None;
        }
        self.ready.wait(&mut state);
        Some(state)
    }

    /// Whether the run begins nothing more.
    pub fn is_stopped(&self) -> bool {
        self.lock().is_stopped()
    }

    /// Puts an object back that a worker has taken, so that another can take it.
    pub fn put_back(&self, state: &mut State<M>, place: usize) {
        state.schedule.put_back(place);
        self.ready.notify_one();
    }

    /// Sets the outcome of an object.
    pub fn finish(
        &self,
        state: &mut State<M>,
        place: usize,
        result: Result<Option<M>, String>,
        worker: usize,
    ) {
        let users = self.users(place);
        let outcome = match result {
            Ok(made) => {
                if let Some(made) = made.filter(|_| users != 0) {
                    state.made.insert(place, (made, users));
                }
                if self.stored[place] {
                    Outcome::Stored
                } else {
                    Outcome::Needed
                }
            }
            Err(reason) => Outcome::Failed(reason),
        };
        match (&state.outcomes[place], outcome) {
            (None, outcome) => {
                state.failed += usize::from(matches!(outcome, Outcome::Failed(_)));
                state.outcomes[place] = Some(outcome);
            }
            // An object that is up to date stays so, even if it could not be made again.
            (Some(_), Outcome::Failed(reason)) => {
                state.not_made.insert(place, reason);
            }
            (Some(_), _) => {}
        }
        for need in &self.graph.needs[place] {
            if let Some((_, users)) = state.made.get_mut(need) {
                *users -= 1;
                if *users == 0 {
                    let removed = state.made.remove(need);
                    state.unused.extend(removed.map(|(made, _)| (*need, made)));
                }
            }
        }
        state.done += 1;
        state
            .schedule
            .finish(&self.graph, &self.members, place, worker);
        if state.schedule.left() == 0 || !self.graph.users[place].is_empty() {
            self.ready.notify_all();
        }
    }

    /// Ends the run with an error.
    pub fn fail(&self, error: Error) {
        self.stop(Stop::Fatal(error));
    }

    fn stop(&self, stop: Stop) {
        let mut state = self.lock();
        if !matches!(state.stop, Some(Stop::Fatal(_))) {
            state.stop = Some(stop);
        }
        self.ready.notify_all();
    }

    /// Runs `work` on threads, one for each worker, and reports progress meanwhile. After an interrupt no worker takes more
    /// objects, and the run calls `tick` from time to time, with the time since then.
    pub fn go(
        &self,
        workers: usize,
        begun: Instant,
        listener: &dyn Listener,
        work: impl Fn(usize) + Sync,
        tick: impl Fn(Option<Duration>),
    ) -> Result<()> {
        let total = {
            let mut state = self.lock();
            state.workers = workers;
            state.done + state.schedule.left()
        };
        let work = &work;
        std::thread::scope(|scope| {
            for worker in 0..workers {
                let thread = std::thread::Builder::new().stack_size(STACK);
                let run = move || {
                    let _ended = Ended(self);
                    work(worker);
                };
                if let Err(source) = thread.spawn_scoped(scope, run) {
                    self.lock().workers -= 1;
                    self.fail(Error::Worker {
                        text: format!("cannot start a thread for it: {source}"),
                        exit_code: crate::exit_code::TRY_AGAIN,
                    });
                }
            }
            let mut interrupted = None;
            let mut reported = None;
            loop {
                if interrupted.is_none() && listener.interrupts() != 0 {
                    interrupted = Some(Instant::now());
                    self.stop(Stop::Interrupted);
                }
                tick(interrupted.map(|since| since.elapsed()));
                let mut state = self.lock();
                let over = state.workers == 0;
                let progress = Progress {
                    elapsed: begun.elapsed(),
                    done: state.done,
                    failed: state.failed,
                    total,
                };
                if over || reported.is_none_or(|last: Instant| last.elapsed() >= PROGRESS) {
                    drop(state);
                    reported = Some(Instant::now());
                    listener.progress(progress);
                    if over {
                        return;
                    }
                } else {
                    self.ended.wait_for(&mut state, TICK);
                }
            }
        });
        let stop = self.lock().stop.take();
        match stop {
            Some(Stop::Fatal(error)) => Err(error),
            Some(Stop::Interrupted) | None => Ok(()),
        }
    }

    /// The outcome of each object; none for those that were not selected, or not reached.
    pub fn outcomes(&self) -> Vec<Option<Outcome>> {
        std::mem::take(&mut self.lock().outcomes)
    }
}

/// Notes that a worker has ended, in whatever way.
struct Ended<'a, M: Send>(&'a Run<M>);

impl<M: Send> Drop for Ended<'_, M> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The others would wait for its object. The caller gets the panic when they have ended.
            self.0.stop(Stop::Interrupted);
        }
        self.0.lock().workers -= 1;
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::schedule::tests::entry;

    struct Silent;

    impl Listener for Silent {
        fn progress(&self, _: Progress) {}
        fn message(&self, _: &[u8], _: &compiler_runtime::message::Message) {}
        fn interrupts(&self) -> usize {
            0
        }
    }

    fn run(entries: Vec<Entry>, there: &[bool]) -> Run<u8> {
        let selected = vec![true; entries.len()];
        Run::new(entries, &selected, there, 2)
    }

    #[test]
    fn a_worker_that_panics_leaves_nobody_waiting() {
        let run = run(
            vec![entry(0, None, &[]), entry(1, Some(0), &[])],
            &[false; 2],
        );
        let work = |worker| {
            let mut state = run.lock();
            if let Some(place) = run.take(&mut state, worker) {
                drop(state);
                panic!("at {place}");
            }
            while let Some(again) = run.wait(state) {
                state = again;
            }
        };
        let go = || run.go(2, Instant::now(), &Silent, work, |_| {});
        assert!(catch_unwind(AssertUnwindSafe(go)).is_err());
    }

    #[test]
    fn what_an_object_that_cannot_be_made_would_be_made_from_is_unused() {
        let entries = vec![
            entry(0, None, &[]),
            entry(1, None, &[]),
            entry(2, None, &[0, 1]),
        ];
        let run = run(entries, &[false; 3]);
        let mut state = run.lock();
        assert_eq!(run.take(&mut state, 0), Some(0));
        run.finish(&mut state, 0, Ok(Some(7)), 0);
        assert_eq!(run.take(&mut state, 0), Some(1));
        run.finish(&mut state, 1, Err("bad".into()), 0);
        assert_eq!(run.take(&mut state, 0), None);
        assert_eq!((state.made.len(), &*state.unused), (0, &[(0, 7)][..]));
    }

    #[test]
    fn what_is_made_once_more_is_counted_once_and_says_why_it_is_not_made() {
        let run = run(
            vec![entry(0, None, &[]), entry(1, Some(0), &[])],
            &[true, false],
        );
        let mut state = run.lock();
        assert_eq!((state.done, state.schedule.left()), (0, 2));
        assert_eq!(run.take(&mut state, 0), Some(0));
        run.finish(&mut state, 0, Err("bad".into()), 0);
        assert_eq!(run.take(&mut state, 0), None);
        assert_eq!((state.done, state.failed), (2, 1));
        drop(state);
        let [Some(Outcome::UpToDate), Some(Outcome::Failed(reason))] = &run.outcomes()[..] else {
            panic!("one is up to date, and one failed");
        };
        assert!(reason.ends_with(": bad"), "{reason}");
    }
}
