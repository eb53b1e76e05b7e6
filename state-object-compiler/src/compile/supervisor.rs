//! The plugin in worker processes. The death of a worker costs its present object, and no other.
//!
//! Each worker has a thread here, which hands objects to it, some ahead so that it need not wait, stores their groups, and
//! starts another worker when it dies. Another thread finds values for it meanwhile, and stores the values of its reports
//! ([`Service`]). The new worker tries the object of the death again, alone; if it dies too, the supervisor gives the object
//! up. The objects handed out behind it go back to the schedule.
//!
//! Workers open no files. So one that dies, or corrupts its memory first, can leave nothing half done in them, and its death
//! does not affect their content.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use compiler_runtime::Store as _;
use compiler_runtime::message::Message;
use parking_lot::{Mutex, MutexGuard};
use serde_bytes::Bytes;
use shader_db::sodb::Kind;

use super::batches::Batches;
use super::object::{self, StoredBy};
use super::options::{Listener, Workers};
use super::process::{DYING, Killed, Process, how, twice};
use super::protocol::{Command, Compile, Done, Job, Made, Report, Task, Told, parse, push};
use super::run::{Run, State};
use super::service::{Service, StoredKeys, Taken};
use crate::{Error, Result, exit_code};

/// The supervisor hands a worker as many objects ahead as it lately compiled in this time,
const AHEAD: Duration = Duration::from_millis(10);
/// and no more than this.
const MOST_AHEAD: usize = 32;
/// How many processes in a row may end before they can begin.
const FAILED_STARTS: usize = 3;
/// How long objects under way may still take after an interrupt, and a worker to end when there is nothing more.
const PATIENCE: Duration = Duration::from_secs(5);

/// The workers that have a compiled object.
type Holders = Vec<usize>;

pub struct Supervisor<'a> {
    workers: &'a Workers,
    job: &'a Job,
    run: &'a Run<Holders>,
    database: &'a Arc<Batches>,
    stored_keys: Arc<StoredKeys>,
    listener: &'a dyn Listener,
    /// For each worker, the objects that it has and nobody needs any more.
    unused: Vec<Mutex<Vec<usize>>>,
    /// Whether the supervisor has stopped waiting for objects under way.
    is_over: AtomicBool,
    warnings: Mutex<Vec<String>>,
}

/// A worker as its thread sees it.
struct Worker {
    process: Process<Taken>,
    /// How many objects it has got that its service has not seen reported.
    under_way: Arc<AtomicUsize>,
    /// How many of the stored keys it has got.
    told: usize,
    /// The objects that it has got and not reported.
    queue: VecDeque<Given>,
    /// How long it lately takes for an object.
    average: Option<Duration>,
    /// When it began its object.
    since: Instant,
}

struct Given {
    place: usize,
    /// The objects that it makes again for this one.
    remade: Vec<usize>,
    /// How many of those it has made.
    steps: usize,
    /// Whether the supervisor must store it.
    is_stored: bool,
}

/// Why a worker has ended or must end.
struct Ended {
    killed: Option<Killed>,
    /// What the plugin reports, if it can do nothing more.
    broken: Option<String>,
}

impl Ended {
    fn by(killed: Option<Killed>) -> Self {
        Self {
            killed,
            broken: None,
        }
    }
}

/// The cause of a worker's death.
struct Death {
    how: String,
    was_interrupted: bool,
    /// False if the plugin itself reports that it can do nothing more.
    is_crash: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

/// Runs `count` workers; returns warnings.
pub fn go(
    run: &Run<Holders>,
    workers: &Workers,
    count: usize,
    job: &Job,
    database: &Arc<Batches>,
    begun: Instant,
    listener: &dyn Listener,
) -> Result<Vec<String>> {
    let supervisor = Supervisor {
        workers,
        job,
        run,
        database,
        stored_keys: Arc::default(),
        listener,
        unused: (0..count).map(|_| Mutex::default()).collect(),
        is_over: AtomicBool::new(false),
        warnings: Mutex::default(),
    };
    let work = |id| {
        if let Err(error) = supervisor.drive(id) {
            run.fail(error);
        }
    };
    let tick = |interrupted: Option<Duration>| {
        if let Err(error) = database.tick() {
            run.fail(error.into());
        }
        let is_impatient = listener.interrupts() > 1;
        if interrupted.is_some_and(|since| is_impatient || since > PATIENCE) {
            supervisor.is_over.store(true, Ordering::Relaxed);
        }
    };
    run.go(count, begun, listener, work, tick)?;
    Ok(supervisor.warnings.into_inner())
}

impl Supervisor<'_> {
    /// The work of the thread of each worker.
    fn drive(&self, id: usize) -> Result<()> {
        let mut worker = None;
        // An object on which a worker died, and how it died.
        let mut again: Option<(usize, String)> = None;
        let mut failed_starts = 0;
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
                None => match self.start(id)? {
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
                                text: format!("it ended before it was ready: {}", death.how),
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
            self.hand_out(id, &mut current, &places)?;
            let Some(ended) = self.serve(id, &mut current, again.is_some())? else {
                worker = Some(current);
                again = None;
                continue;
            };
            let mut queue = mem::take(&mut current.queue)
                .into_iter()
                .map(|given| given.place);
            let death = self.bury(id, current.process, ended);
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

    /// Starts a worker, and waits until it can begin. The inner error is an earlier death.
    fn start(&self, id: usize) -> Result<Result<Worker, Death>> {
        lock(&self.unused[id]).clear();
        let task = Task::Compile(self.job.clone());
        let under_way = Arc::default();
        let service = Service {
            database: Arc::clone(self.database),
            stored_keys: Arc::clone(&self.stored_keys),
            under_way: Arc::clone(&under_way),
        };
        let worker = Worker {
            process: Process::start(self.workers, task, move |frame| service.hear(frame))?,
            under_way,
            told: 0,
            queue: VecDeque::new(),
            average: None,
            since: Instant::now(),
        };
        let ended = match self.listen(&worker) {
            Err(killed) => Ended::by(killed),
            Ok(taken) => match parse(&taken.frame) {
                Ok(Report::Ready) => return Ok(Ok(worker)),
                Ok(Report::Broken {
                    is_worth_a_retry,
                    text,
                }) => return Err(Error::of_worker(is_worth_a_retry, text.into_owned())),
                _ => Ended::by(Some(Killed::Malformed)),
            },
        };
        Ok(Err(self.bury(id, worker.process, ended)))
    }

    /// Waits for the next report of a worker, up to its time limit.
    fn listen(&self, worker: &Worker) -> Result<Taken, Option<Killed>> {
        let timeout = self.workers.timeout;
        let deadline = timeout.and_then(|timeout| worker.since.checked_add(timeout));
        let is_over = || self.is_over.load(Ordering::Relaxed);
        worker.process.listen(deadline, &is_over)
    }

    /// Ends the rest of a worker, and returns how it died.
    fn bury(&self, id: usize, process: Process<Taken>, ended: Ended) -> Death {
        let (killed, status) = process.end(ended.killed, DYING);
        for (holders, _) in self.run.lock().made.values_mut() {
            holders.retain(|holder| *holder != id);
        }
        let is_crash = ended.broken.is_none();
        Death {
            how: ended
                .broken
                .unwrap_or_else(|| how(killed, status, self.workers.timeout)),
            was_interrupted: is_crash && killed == Some(Killed::Interrupted),
            is_crash,
        }
    }

    /// Lets a worker end that has nothing more to do.
    fn finish(&self, worker: Worker) {
        worker.process.send(push(Vec::new(), 0, &Command::Finish));
        let text = match worker.process.end(None, PATIENCE) {
            (None, Ok(status)) if status.success() => return,
            (Some(_), _) => format!("it did not end within {} s", PATIENCE.as_secs()),
            (None, status) => how(None, status, None),
        };
        let text = format!("a worker process crashed after it had done its work: {text}");
        lock(&self.warnings).push(text);
    }

    /// Hands objects to a worker, and with each the objects that it is made from and this worker lacks.
    fn hand_out(&self, id: usize, worker: &mut Worker, places: &[usize]) -> Result<()> {
        let mut there = Vec::new();
        for &place in places {
            there.push(self.is_there(place)?);
        }
        let mut frames = Vec::new();
        let mut command = |command| frames = push(mem::take(&mut frames), 0, &command);
        let entries = &self.run.entries;
        let key = |place: usize| Bytes::new(&entries[place].key);
        let stored = self.stored_keys.since(worker.told);
        worker.told += stored.len();
        command(Command::Stored(stored));
        for place in lock(&self.unused[id]).drain(..) {
            command(Command::Drop(key(place)));
        }
        if worker.queue.is_empty() {
            worker.since = Instant::now();
        }
        let mut state = self.run.lock();
        for (&place, there) in places.iter().zip(there) {
            let is_state_object = matches!(entries[place].kind, Kind::StateObject(_));
            if there == Ok(true) {
                state.found(place);
            }
            match there {
                Err(reason) => {
                    self.run.finish(&mut state, place, Err(reason), id);
                    continue;
                }
                // Other objects may be made from a state object.
                Ok(true) if !is_state_object => {
                    self.run.finish(&mut state, place, Ok(None), id);
                    continue;
                }
                Ok(_) => {}
            }
            let has = |need: usize| {
                let made = state.made.get(&need);
                made.is_some_and(|(holders, _)| holders.contains(&id))
            };
            let remade = self.run.graph.missing(place, has);
            let is_stored = self.run.is_stored(place) && there == Ok(false);
            command(Command::Compile(Compile {
                key: key(place),
                version: is_stored.then_some(entries[place].version),
                keep: self.run.users(place) != 0,
                needs: remade.iter().map(|need| key(*need)).collect(),
            }));
            for need in &remade {
                match state.made.get_mut(need) {
                    Some((holders, _)) => holders.push(id),
                    None => command(Command::Drop(key(*need))),
                }
            }
            worker.queue.push_back(Given {
                place,
                remade,
                steps: 0,
                is_stored,
            });
            worker.under_way.fetch_add(1, Ordering::AcqRel);
        }
        self.let_go(state);
        worker.process.send(frames);
        Ok(())
    }

    /// Whether another run has meanwhile stored an object that this one must store; or why it cannot be stored.
    fn is_there(&self, place: usize) -> Result<Result<bool, String>> {
        if !self.run.is_stored(place) {
            return Ok(Ok(false));
        }
        let entry = &self.run.entries[place];
        let found = self.database.find_group(&entry.key).map_err(Error::from);
        match found.and_then(|stored| object::check_version(stored, entry.version).map(|()| stored))
        {
            Err(error) if error.is_worth_a_retry() => Err(error),
            Err(error) => Ok(Err(error.to_string())),
            Ok(stored) => Ok(Ok(stored.is_some())),
        }
    }

    /// Handles the reports of a worker until it has nothing more to do, or has ended or must end.
    fn serve(&self, id: usize, worker: &mut Worker, alone: bool) -> Result<Option<Ended>> {
        while let Some(given) = worker.queue.front_mut() {
            let place = given.place;
            let (is_last_step, is_remade) =
                (given.steps == given.remade.len(), !given.remade.is_empty());
            let Taken { frame, failed } = match self.listen(worker) {
                Ok(taken) => taken,
                Err(killed) => return Ok(Some(Ended::by(killed))),
            };
            match parse(&frame) {
                Ok(Report::Step) if !is_last_step => {
                    worker.queue[0].steps += 1;
                    worker.since = Instant::now();
                }
                Ok(Report::Done(Done {
                    result: Made::Broken(how),
                    messages,
                    ..
                })) => {
                    if alone {
                        self.tell(place, messages);
                    }
                    return Ok(Some(Ended {
                        killed: None,
                        broken: Some(how),
                    }));
                }
                Ok(Report::Done(done)) if is_remade || !done.is_of_need() => {
                    if !self.done(id, worker, done, failed, alone)? {
                        return Ok(Some(Ended::by(Some(Killed::Malformed))));
                    }
                }
                Ok(Report::Broken {
                    is_worth_a_retry,
                    text,
                }) => return Err(Error::of_worker(is_worth_a_retry, text.into_owned())),
                // The service could not answer it.
                Ok(Report::Find(_)) if let Some(error) = failed => return Err(error.into()),
                Ok(
                    Report::Ready
                    | Report::Find(_)
                    | Report::Step
                    | Report::Done(_)
                    | Report::Answer(_),
                )
                | Err(_) => {
                    return Ok(Some(Ended::by(Some(Killed::Malformed))));
                }
            }
        }
        Ok(None)
    }

    /// Sets the outcome of a worker's first object, and hands it more; false if the report does not fit the object. The service
    /// has already stored the values, or failed to.
    fn done(
        &self,
        id: usize,
        worker: &mut Worker,
        done: Done,
        failed: Option<shader_db::Error>,
        alone: bool,
    ) -> Result<bool> {
        let Some(given) = worker.queue.front() else {
            return Ok(false);
        };
        let place = given.place;
        let is_state_object = matches!(self.run.entries[place].kind, Kind::StateObject(_));
        let stored = match failed {
            Some(error) => Err(error.into()),
            None => self.store_group(given, &done),
        };
        let stored = match stored {
            Err(error) if error.is_worth_a_retry() => return Err(error),
            Ok(None) => return Ok(false),
            Ok(Some(stored)) => Ok(stored),
            Err(error) => Err(error.to_string()),
        };
        let is_need = done.is_of_need();
        let result = match done.result {
            Made::Well => stored.clone().map(|_| is_state_object.then(|| vec![id])),
            Made::Failed(reason) | Made::NeedFailed(reason) | Made::Broken(reason) => Err(reason),
        };
        self.tell(place, done.messages);
        let given = worker.queue.pop_front();
        let took = worker.since.elapsed();
        worker.since = Instant::now();
        worker.average = Some(
            worker
                .average
                .map_or(took, |average| (average * 3 + took) / 4),
        );
        let mut places = Vec::new();
        let mut state = self.run.lock();
        if is_need {
            for need in given.iter().flat_map(|given| &given.remade) {
                if let Some((holders, _)) = state.made.get_mut(need) {
                    holders.retain(|holder| *holder != id);
                }
            }
        }
        if stored == Ok(StoredBy::Another) {
            state.found(place);
        }
        self.run.finish(&mut state, place, result, id);
        let queued = worker.queue.len();
        if !alone && queued <= worker.depth() / 2 {
            self.take(&mut state, id, worker.depth() - queued, &mut places);
        }
        self.let_go(state);
        if !places.is_empty() {
            self.hand_out(id, worker, &places)?;
        }
        Ok(true)
    }

    fn tell(&self, place: usize, messages: Vec<Told>) {
        for message in messages {
            if let Ok(message) = Message::try_from(message) {
                let key = &self.run.entries[place].key;
                self.listener.message(key, &message);
            }
        }
    }

    /// Stores the group of an object; none if the report does not fit the object.
    fn store_group(&self, given: &Given, done: &Done) -> Result<Option<StoredBy>> {
        let keys = match (&done.result, &done.group) {
            (Made::Failed(_) | Made::NeedFailed(_) | Made::Broken(_), _) => {
                return Ok(Some(StoredBy::ThisRun));
            }
            (Made::Well, None) if !given.is_stored => return Ok(Some(StoredBy::ThisRun)),
            (Made::Well, Some(keys)) if given.is_stored => keys,
            (Made::Well, _) => return Ok(None),
        };
        let entry = &self.run.entries[given.place];
        let keys: Vec<&[u8]> = keys.iter().map(|key| &***key).collect();
        match self.database.add_group(&entry.key, entry.version, &keys) {
            Ok(()) => Ok(Some(StoredBy::ThisRun)),
            Err(shader_db::Error::AlreadyExists) => {
                object::check_version(self.database.find_group(&entry.key)?, entry.version)?;
                Ok(Some(StoredBy::Another))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn put_back(&self, places: impl IntoIterator<Item = usize>) {
        let places: Vec<usize> = places.into_iter().collect();
        let mut state = self.run.lock();
        for place in places.into_iter().rev() {
            self.run.put_back(&mut state, place);
        }
    }

    /// Gives up an object on which two workers died.
    fn give_up(&self, id: usize, place: usize, first: &str, death: Death) {
        let Death { how, is_crash, .. } = death;
        let reason = if is_crash { twice(first, &how) } else { how };
        let mut state = self.run.lock();
        self.run.finish(&mut state, place, Err(reason), id);
        self.let_go(state);
    }

    /// Has workers drop the objects from which nothing more is made.
    fn let_go(&self, mut state: MutexGuard<'_, State<Holders>>) {
        let unused = mem::take(&mut state.unused);
        drop(state);
        for (place, holders) in unused {
            for holder in holders {
                lock(&self.unused[holder]).push(place);
            }
        }
    }
}

impl Worker {
    /// How many objects the queue of the worker should have.
    fn depth(&self) -> usize {
        let Some(average) = self.average else {
            return 1;
        };
        let count = AHEAD.as_nanos() / average.as_nanos().max(1);
        usize::try_from(count)
            .unwrap_or(MOST_AHEAD)
            .clamp(1, MOST_AHEAD)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use shader_db::psdb::ValueTypes;

    use super::super::protocol::{Malformed, TypeBits};
    use super::*;
    use crate::compile::Progress;
    use crate::compile::process::Heard;
    use crate::compile::service::tests::service;
    use crate::compile::tests::application;
    use crate::plugin::PluginChoice;
    use crate::schedule::tests::entry;

    struct Silent;

    impl Listener for Silent {
        fn progress(&self, _: Progress) {}
        fn message(&self, _: &[u8], _: &Message) {}
        fn interrupts(&self) -> usize {
            0
        }
    }

    fn said(report: &Report) -> Vec<u8> {
        postcard::to_stdvec(report).unwrap()
    }

    fn done(result: Made, group: Option<&[u8]>) -> Vec<u8> {
        said(&Report::Done(Done {
            result,
            messages: Vec::new(),
            values: Vec::new(),
            group: group.map(|key| vec![Bytes::new(key)]),
        }))
    }

    /// The result of reports on an object that is made from another, which the worker makes again for it.
    fn outcome(is_stored: bool, reports: Vec<Vec<u8>>) -> Result<Option<Ended>> {
        let (service, _folder) = service();
        let database = Arc::clone(&service.database);
        let value = [(shader_db::psdb::ValueType::ObjectCode, &b"code"[..])];
        database.add_values(b"value", &value).unwrap();
        let entries = vec![
            entry(0, None, &[]),
            entry(1, Some(0), &[]),
            entry(2, Some(1), &[]),
        ];
        let run = Run::new(entries, &[false, is_stored, true], &[false; 3], 1);
        let mut state = run.lock();
        assert_eq!(run.take(&mut state, 0), Some(0));
        run.finish(&mut state, 0, Ok(Some(Vec::new())), 0);
        assert_eq!(run.take(&mut state, 0), Some(1));
        drop(state);
        let supervisor = Supervisor {
            workers: &Workers {
                exe: "none".into(),
                args: Vec::new(),
                timeout: Some(Duration::from_millis(200)),
                printed: |_| {},
            },
            job: &Job {
                sodb: "none".into(),
                plugin: PluginChoice::Sample,
                family_index: 0,
                abi: 1,
                application: application(),
                types: TypeBits(ValueTypes::ALL),
                is_new: true,
            },
            run: &run,
            database: &database,
            stored_keys: Arc::default(),
            listener: &Silent,
            unused: vec![Mutex::default()],
            is_over: AtomicBool::new(false),
            warnings: Mutex::default(),
        };
        let under_way = Arc::clone(&service.under_way);
        let heard = |frame| match service.hear(frame) {
            Ok(Heard::Report(taken)) => Some(Ok(taken)),
            Ok(Heard::Answer(_)) => None,
            Err(Malformed) => Some(Err(Malformed)),
        };
        let mut worker = Worker {
            process: Process::saying(reports.into_iter().filter_map(heard).collect()),
            under_way,
            told: 0,
            queue: VecDeque::from([Given {
                place: 1,
                remade: vec![0],
                steps: 0,
                is_stored,
            }]),
            average: None,
            since: Instant::now(),
        };
        supervisor.serve(0, &mut worker, true)
    }

    #[test]
    fn what_was_not_asked_for_is_not_taken() {
        let step = || said(&Report::Step);
        let well = |group| done(Made::Well, group);
        let endless = vec![step(); 100];
        for (is_stored, reports) in [
            (true, endless),
            (true, vec![step(), well(None)]),
            (true, vec![said(&Report::Ready)]),
            (true, vec![said(&Report::Answer("{}"))]),
            (true, vec![b"scribble".to_vec()]),
            (false, vec![well(Some(b"value"))]),
        ] {
            let killed = outcome(is_stored, reports).ok().flatten().unwrap().killed;
            assert_eq!(killed, Some(Killed::Malformed));
        }
        // The worker has not reported the end of the object, and reports nothing more.
        let ended = outcome(true, vec![step()]).ok().flatten().unwrap();
        assert_eq!(ended.killed, None);
    }

    #[test]
    fn what_was_asked_for_is_taken() {
        let failed = || done(Made::Failed("why".into()), None);
        for (is_stored, report) in [
            (true, done(Made::Well, Some(b"value"))),
            (false, done(Made::Well, None)),
            (true, failed()),
        ] {
            assert!(outcome(is_stored, vec![report]).is_ok_and(|ended| ended.is_none()));
        }
    }

    /// A worker that can do nothing more never ends the run with an exit code of success.
    #[test]
    fn a_worker_does_not_choose_the_exit_code() {
        for (is_worth_a_retry, code) in [(true, exit_code::TRY_AGAIN), (false, exit_code::USAGE)] {
            let report = Report::Broken {
                is_worth_a_retry,
                text: "no".into(),
            };
            let error = outcome(true, vec![said(&report)]).err().unwrap();
            assert_eq!(error.exit_code(), code);
        }
    }
}
