//! The plugin in worker processes. Whatever ends one costs the object that it was on, and no other.
//!
//! Each worker has a thread here, which hands objects to it, some ahead so that it need not wait, writes to the files what
//! it reports, and puts another in its place when it dies. The object that it died on is tried once more, alone; if that
//! one dies too, the object is given up. What was handed out behind it goes back to the schedule.
//!
//! Workers write no files. So one that dies, or spoils its memory first, can leave nothing half done in them, and it does
//! not matter to their content that it died.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, BufReader, Write as _};
use std::mem;
use std::process::{Child, ChildStdin, ChildStdout, Command as Process, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use compiler_runtime::message::Message;
use process_tree::Tree;
use shader_db::psdb::Psdb;

use super::object;
use super::printed::Printed;
use super::protocol::{Command, Compile, Done, Frame, Made, Malformed, Report, read_frame};
use super::run::{Run, State};
use super::worker::{self, Job};
use super::{Listener, Workers};
use crate::{Error, Result, exit_code};

/// A worker is given as many objects ahead as it compiled lately in this time,
const AHEAD: Duration = Duration::from_millis(10);
/// and no more than this.
const MOST_AHEAD: usize = 32;
/// So many processes in a row may end before they can begin.
const FAILED_STARTS: usize = 3;
/// How long a process may take to end that has closed its pipes.
pub const DYING: Duration = Duration::from_secs(10);
/// How long objects that are under way may still take after an interrupt, and a worker to end when there is nothing more.
const PATIENCE: Duration = Duration::from_secs(5);

/// The workers that have a compiled object.
type Holders = Vec<usize>;

pub struct Supervisor<'a> {
    workers: &'a Workers,
    job: &'a Job,
    run: &'a Run<Holders>,
    database: &'a Psdb,
    listener: &'a dyn Listener,
    slots: Vec<Mutex<Slot>>,
    warnings: Mutex<Vec<String>>,
}

/// What others than its thread need to know of a worker, or let it know.
#[derive(Default)]
struct Slot {
    tree: Option<Tree>,
    /// Since when it is on its object.
    since: Option<Instant>,
    /// Why it was killed.
    killed: Option<Killed>,
    /// What it has and nobody needs any more.
    unused: Vec<usize>,
}

#[derive(Clone, Copy)]
pub enum Killed {
    TooLong,
    Interrupted,
    /// What it said makes no sense.
    Malformed,
}

/// A worker, as its thread has it. Dropping kills it.
struct Worker<'a> {
    slot: &'a Mutex<Slot>,
    child: Child,
    printed: Printed,
    commands: ChildStdin,
    reports: BufReader<ChildStdout>,
    /// What it was given and has not reported.
    queue: VecDeque<Task>,
    /// How long an object takes it, lately.
    average: Option<Duration>,
    since: Instant,
}

struct Task {
    place: usize,
    /// What it makes again for this one.
    remade: Vec<usize>,
}

/// What a worker died of.
struct Death {
    how: String,
    was_interrupted: bool,
    /// Not if the plugin itself says that it can do nothing more.
    is_crash: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `count` workers; gives back warnings.
pub fn go(
    run: &Run<Holders>,
    workers: &Workers,
    count: usize,
    job: &Job,
    database: &Psdb,
    begun: Instant,
    listener: &dyn Listener,
) -> Result<Vec<String>> {
    let supervisor = Supervisor {
        workers,
        job,
        run,
        database,
        listener,
        slots: (0..count).map(|_| Mutex::default()).collect(),
        warnings: Mutex::default(),
    };
    let work = |id| {
        if let Err(error) = supervisor.drive(id) {
            run.fail(error);
        }
    };
    let tick = |interrupted| supervisor.end_what_is_late(interrupted);
    run.go(count, begun, listener, work, tick)?;
    Ok(supervisor
        .warnings
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner))
}

impl Supervisor<'_> {
    /// Kills workers that take too long, and what is left of those that have ended: a process that they started may keep
    /// their pipes open.
    fn end_what_is_late(&self, interrupted: Option<Duration>) {
        let impatient = self.listener.interrupts() > 1;
        let interrupted = interrupted.is_some_and(|since| impatient || since > PATIENCE);
        for slot in &self.slots {
            let mut slot = lock(slot);
            let Some(tree) = &slot.tree else {
                continue;
            };
            let late = slot.since.map(|since| since.elapsed()) > self.workers.timeout;
            let killed = if interrupted {
                Some(Killed::Interrupted)
            } else if late && self.workers.timeout.is_some() {
                Some(Killed::TooLong)
            } else {
                None
            };
            if killed.is_some() || tree.wait(Duration::ZERO) {
                tree.kill();
                slot.killed = slot.killed.or(killed);
            }
        }
    }

    /// What the thread of each worker does.
    fn drive(&self, id: usize) -> Result<()> {
        let mut worker = None;
        // An object that a worker died on, and of what.
        let mut again: Option<(usize, String)> = None;
        let mut failed_starts = 0;
        let mut frame = Vec::new();
        loop {
            let first = match &again {
                Some(_) if self.run.is_stopped() => break,
                Some((place, _)) => *place,
                None => match self.wait_for_work(id) {
                    Some(place) => place,
                    None => break,
                },
            };
            let mut current = match worker.take() {
                Some(worker) => worker,
                None => match self.start(id, &mut frame)? {
                    Ok(worker) => worker,
                    Err(death) => {
                        if again.is_none() {
                            self.put_back([first]);
                        }
                        failed_starts += 1;
                        if death.was_interrupted {
                            break;
                        }
                        if failed_starts == FAILED_STARTS {
                            return Err(Error::Worker {
                                text: format!("it ends before it can begin: {}", death.how),
                                exit_code: exit_code::TRY_AGAIN,
                            });
                        }
                        continue;
                    }
                },
            };
            failed_starts = 0;
            let mut places = vec![first];
            if again.is_none() {
                let mut state = self.run.lock();
                self.take(&mut state, id, current.depth(), &mut places);
            }
            self.hand_out(id, &mut current, &places);
            match self.serve(id, &mut current, again.is_some(), &mut frame)? {
                None => {
                    worker = Some(current);
                    again = None;
                }
                Some(death) => {
                    let mut queue = current.queue.drain(..).map(|task| task.place);
                    let blamed = queue.next();
                    self.put_back(queue);
                    again = match (blamed, again) {
                        (Some(place), _) if death.was_interrupted => {
                            self.put_back([place]);
                            None
                        }
                        (Some(place), None) => Some((place, death.how)),
                        (Some(place), Some((_, first))) => {
                            self.give_up(id, place, &first, death);
                            None
                        }
                        (None, _) => None,
                    };
                }
            }
        }
        if let Some((place, _)) = again {
            self.put_back([place]);
        }
        if let Some(worker) = worker {
            self.finish(worker);
        }
        Ok(())
    }

    fn wait_for_work(&self, id: usize) -> Option<usize> {
        let mut state = self.run.lock();
        loop {
            if let Some(place) = self.run.take(&mut state, id) {
                return Some(place);
            }
            state = self.run.wait(state)?;
        }
    }

    fn take(&self, state: &mut State<Holders>, id: usize, count: usize, places: &mut Vec<usize>) {
        let count = count.min(state.share().max(1));
        while places.len() < count
            && let Some(place) = self.run.take(state, id)
        {
            places.push(place);
        }
    }

    /// Starts a worker, and waits until it can begin. What it dies of before is inside.
    fn start(&self, id: usize, frame: &mut Vec<u8>) -> Result<Result<Worker<'_>, Death>> {
        let mut slot = lock(&self.slots[id]);
        let (mut child, tree, printed) = start(self.workers, worker::COMPILE, &self.job.args())?;
        let (commands, reports) = child
            .stdin
            .take()
            .zip(child.stdout.take())
            .expect("both are pipes");
        *slot = Slot {
            tree: Some(tree),
            since: Some(Instant::now()),
            ..Slot::default()
        };
        drop(slot);
        let mut worker = Worker {
            slot: &self.slots[id],
            child,
            printed,
            commands,
            reports: BufReader::new(reports),
            queue: VecDeque::new(),
            average: None,
            since: Instant::now(),
        };
        match worker.listen(frame) {
            Ok(Some(Report::Ready)) => Ok(Ok(worker)),
            Ok(Some(Report::Broken { exit_code, text })) => Err(Error::Worker { text, exit_code }),
            Ok(None) => Ok(Err(self.bury(id, &mut worker, None))),
            _ => Ok(Err(self.bury(id, &mut worker, Some(Killed::Malformed)))),
        }
    }

    /// Ends what is left of a worker, and says what it died of.
    fn bury(&self, id: usize, worker: &mut Worker, killed: Option<Killed>) -> Death {
        let (killed, status) = worker.end(killed, DYING);
        for (holders, _) in self.run.lock().made.values_mut() {
            holders.retain(|holder| *holder != id);
        }
        Death {
            how: how(killed, status, self.workers.timeout),
            was_interrupted: matches!(killed, Some(Killed::Interrupted)),
            is_crash: true,
        }
    }

    /// Lets a worker end that has nothing more to do.
    fn finish(&self, mut worker: Worker) {
        let mut frame = Frame::default();
        frame.command(&Command::Finish);
        let _ = worker.commands.write_all(&frame.take());
        let text = match worker.end(None, PATIENCE) {
            (None, Ok(status)) if status.success() => return,
            (Some(Killed::Interrupted), _) => return,
            (Some(_), _) => format!("it did not end in {} s", PATIENCE.as_secs()),
            (None, status) => how(None, status, None),
        };
        let text = format!("a worker process had done its work, and then crashed: {text}");
        lock(&self.warnings).push(text);
    }

    /// Gives objects to a worker, and with each what it is made from and this worker has not.
    fn hand_out(&self, id: usize, worker: &mut Worker, places: &[usize]) {
        let mut frame = Frame::default();
        let entries = &self.run.entries;
        let mut slot = lock(&self.slots[id]);
        for place in slot.unused.drain(..) {
            frame.command(&Command::Drop(&entries[place].key));
        }
        if worker.queue.is_empty() {
            worker.since = Instant::now();
        }
        slot.since = Some(worker.since);
        drop(slot);
        let mut state = self.run.lock();
        for &place in places {
            let has = |need: usize| {
                let made = state.made.get(&need);
                made.is_some_and(|(holders, _)| holders.contains(&id))
            };
            let remade = self.run.graph.missing(place, has);
            let entry = &entries[place];
            frame.command(&Command::Compile(Compile {
                key: &entry.key,
                version: self.run.is_stored(place).then_some(entry.version),
                keep: self.run.users(place) != 0,
                needs: remade.iter().map(|need| &*entries[*need].key).collect(),
            }));
            for need in &remade {
                match state.made.get_mut(need) {
                    Some((holders, _)) => holders.push(id),
                    None => frame.command(&Command::Drop(&entries[*need].key)),
                }
            }
            worker.queue.push_back(Task { place, remade });
        }
        drop(state);
        // That it has died shows when it is listened to.
        let _ = worker.commands.write_all(&frame.take());
    }

    /// Listens to a worker until it has nothing more to do, or is dead.
    fn serve(
        &self,
        id: usize,
        worker: &mut Worker,
        alone: bool,
        frame: &mut Vec<u8>,
    ) -> Result<Option<Death>> {
        while !worker.queue.is_empty() {
            let malformed = match worker.listen(frame) {
                Ok(Some(Report::Step)) => {
                    worker.since = Instant::now();
                    lock(&self.slots[id]).since = Some(worker.since);
                    continue;
                }
                Ok(Some(Report::Done(Done {
                    result: Made::Broken(how),
                    messages,
                    ..
                }))) => {
                    if let Some(task) = worker.queue.front().filter(|_| alone) {
                        self.tell(task.place, &messages);
                    }
                    return Ok(Some(Death {
                        how,
                        is_crash: false,
                        ..self.bury(id, worker, None)
                    }));
                }
                Ok(Some(Report::Done(done))) => {
                    self.done(id, worker, &done, alone)?;
                    continue;
                }
                Ok(Some(Report::Broken { exit_code, text })) => {
                    return Err(Error::Worker { text, exit_code });
                }
                Ok(Some(Report::Ready | Report::Answer(_))) | Err(_) => Some(Killed::Malformed),
                Ok(None) => None,
            };
            return Ok(Some(self.bury(id, worker, malformed)));
        }
        Ok(None)
    }

    /// Writes what became of a worker's first object, and gives it more.
    fn done(&self, id: usize, worker: &mut Worker, done: &Done, alone: bool) -> Result<()> {
        let Some(task) = worker.queue.pop_front() else {
            return Ok(());
        };
        self.tell(task.place, &done.messages);
        let mut result = match &done.result {
            Made::Well(is_state_object) => Ok(is_state_object.then(|| vec![id])),
            Made::Failed(reason) | Made::NeedFailed(reason) | Made::Broken(reason) => {
                Err(reason.clone())
            }
        };
        let was_found = match self.store(task.place, done) {
            Err(error) if error.is_worth_a_retry() => return Err(error),
            Err(error) => {
                result = Err(error.to_string());
                false
            }
            Ok(was_found) => was_found,
        };
        let took = worker.since.elapsed();
        worker.since = Instant::now();
        worker.average = Some(
            worker
                .average
                .map_or(took, |average| (average * 3 + took) / 4),
        );
        let mut places = Vec::new();
        let mut state = self.run.lock();
        if matches!(done.result, Made::NeedFailed(_)) {
            for need in &task.remade {
                if let Some((holders, _)) = state.made.get_mut(need) {
                    holders.retain(|holder| *holder != id);
                }
            }
        }
        if was_found {
            state.found(task.place);
        }
        self.run.finish(&mut state, task.place, result, id);
        let queued = worker.queue.len();
        if !alone && queued <= worker.depth() / 2 {
            self.take(&mut state, id, worker.depth() - queued, &mut places);
        }
        self.let_go(state);
        if !places.is_empty() {
            self.hand_out(id, worker, &places);
        } else if !worker.queue.is_empty() {
            lock(&self.slots[id]).since = Some(worker.since);
        }
        Ok(())
    }

    fn tell(&self, place: usize, messages: &[Message]) {
        for message in messages {
            self.listener.message(&self.run.entries[place].key, message);
        }
    }

    /// Whether another run has stored the object meanwhile.
    fn store(&self, place: usize, done: &Done) -> Result<bool> {
        // Keys stand for content: what another worker has stored meanwhile is to be the same, which the database looks at.
        let absent = |stored| match stored {
            Err(shader_db::Error::AlreadyExists) => Ok(false),
            Err(error) => Err(error),
            Ok(()) => Ok(true),
        };
        for (key, values) in &done.values {
            if !absent(self.database.hold_value(key, values))? && values.len() > 1 {
                for value in values {
                    let value = std::slice::from_ref(value);
                    absent(self.database.hold_value(key, value))?;
                }
            }
        }
        let entry = &self.run.entries[place];
        if !matches!(done.result, Made::Well(_)) || !self.run.is_stored(place) {
            return Ok(false);
        }
        if let Some(keys) = &done.group
            && absent(self.database.store_group(&entry.key, entry.version, keys))?
        {
            return Ok(false);
        }
        object::check_version(self.database, &entry.key, entry.version)?;
        Ok(true)
    }

    fn put_back(&self, places: impl IntoIterator<Item = usize>) {
        let places: Vec<usize> = places.into_iter().collect();
        let mut state = self.run.lock();
        for place in places.into_iter().rev() {
            self.run.put_back(&mut state, place);
        }
    }

    /// An object that two workers died on is not compiled.
    fn give_up(&self, id: usize, place: usize, first: &str, death: Death) {
        let Death { how, is_crash, .. } = death;
        let reason = if is_crash { twice(first, &how) } else { how };
        let mut state = self.run.lock();
        self.run.finish(&mut state, place, Err(reason), id);
        self.let_go(state);
    }

    /// Has workers drop what nothing more is made from.
    fn let_go(&self, mut state: MutexGuard<'_, State<Holders>>) {
        let unused = mem::take(&mut state.unused);
        drop(state);
        for (place, holders) in unused {
            for holder in holders {
                lock(&self.slots[holder]).unused.push(place);
            }
        }
    }
}

impl Worker<'_> {
    /// Waits for the next report; none when there will be no more.
    fn listen<'a>(&mut self, frame: &'a mut Vec<u8>) -> Result<Option<Report<'a>>, Malformed> {
        let is_whole = read_frame(&mut self.reports, frame);
        // What follows takes us time, not the worker.
        lock(self.slot).since = None;
        is_whole?.then(|| Report::read(frame)).transpose()
    }

    /// How many objects it is to have in its queue.
    fn depth(&self) -> usize {
        let Some(average) = self.average else {
            return 1;
        };
        let count = AHEAD.as_nanos() / average.as_nanos().max(1);
        usize::try_from(count)
            .unwrap_or(MOST_AHEAD)
            .clamp(1, MOST_AHEAD)
    }

    /// Waits for the end, kills what is left then, and says how it ended and whether it was killed before that.
    fn end(
        &mut self,
        killed: Option<Killed>,
        patience: Duration,
    ) -> (Option<Killed>, io::Result<ExitStatus>) {
        let Slot {
            tree, killed: late, ..
        } = mem::take(&mut *lock(self.slot));
        let mut killed = late.or(killed);
        if let Some(tree) = tree {
            if killed.is_none() && !tree.wait(patience) {
                killed = Some(Killed::Malformed);
            }
            tree.kill();
        }
        let status = self.child.wait();
        self.printed.wait();
        (killed, status)
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        if let Some(tree) = lock(self.slot).tree.take() {
            tree.kill();
            let _ = self.child.wait();
        }
    }
}

/// Starts a worker process to do what `task` says.
pub fn start(workers: &Workers, task: &str, args: &[OsString]) -> Result<(Child, Tree, Printed)> {
    let mut process = Process::new(&workers.exe);
    process
        .args(&workers.args)
        .arg(task)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let failure = |error| Error::file(&workers.exe, error);
    let started = process_tree::patiently(|| Tree::spawn(&mut process));
    let (mut child, tree) = started.map_err(failure)?;
    let printed = Printed::of(child.stderr.take().expect("a pipe"), workers.printed);
    match printed {
        Ok(printed) => Ok((child, tree, printed)),
        Err(error) => {
            tree.kill();
            let _ = child.wait();
            Err(failure(error))
        }
    }
}

/// What a process died of, which was killed or ended by itself.
pub fn how(
    killed: Option<Killed>,
    status: io::Result<ExitStatus>,
    timeout: Option<Duration>,
) -> String {
    match (killed, status) {
        (Some(Killed::TooLong), _) => {
            let limit = timeout.unwrap_or_default();
            format!("it took longer than {} s", limit.as_secs_f64())
        }
        (Some(Killed::Interrupted), _) => "it was interrupted".into(),
        (Some(Killed::Malformed), _) => "it disturbed the reports of its process".into(),
        (None, Ok(status)) => process_tree::death(status).unwrap_or_else(|| match status.code() {
            Some(code) => format!("it ended its process with exit code {code}"),
            None => status.to_string(),
        }),
        (None, Err(error)) => error.to_string(),
    }
}

/// What is said of two deaths.
pub fn twice(first: &str, second: &str) -> String {
    if first == second {
        format!("the compiler crashed twice: {second}")
    } else {
        format!("the compiler crashed twice: {first}; then: {second}")
    }
}
