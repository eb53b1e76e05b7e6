//! A worker process as its supervisor sees it: the frames in both directions, and how the process ends.
//!
//! The supervisor waits for a process no longer than until a deadline of its own, whatever the process and its children do
//! with their pipes: threads read and write them, and a pipe end that somebody keeps open may block these for ever.

use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use process_tree::Tree;

use super::options::Workers;
use super::printed::Printed;
use super::protocol::{Begin, Malformed, Task, push, read_frame};
use super::run::TICK;
use crate::{Error, Result, exit_code};

/// How long a process may take to end after it has closed its pipes, and how long they may stay open after its end.
pub const DYING: Duration = Duration::from_secs(1);
/// How many reports may wait for the supervisor.
const WAITING: usize = 2;

/// Why a process was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Killed {
    TooLong,
    Interrupted,
    /// It sent a malformed frame, or it can send nothing more.
    Malformed,
}

/// What to do with a frame.
pub enum Heard<R> {
    /// Send this frame as the answer, and tell nobody else.
    Answer(Vec<u8>),
    /// [`Process::listen`] returns this.
    Report(R),
}

/// Hears the frames of a process in order, on a thread of its own, until the process has ended.
type Hear<R> = dyn FnMut(Vec<u8>) -> Result<Heard<R>, Malformed> + Send;

/// A running process; dropping kills it.
pub struct Process<R> {
    child: Child,
    /// None after the supervisor has killed it.
    tree: Option<Tree>,
    printed: Printed,
    commands: Sender<Vec<u8>>,
    reports: Receiver<Result<R, Malformed>>,
    hear: Arc<Mutex<Option<Box<Hear<R>>>>>,
}

impl<R: Send + 'static> Process<R> {
    /// Starts a process with a task.
    pub fn start(
        workers: &Workers,
        task: Task,
        hear: impl FnMut(Vec<u8>) -> Result<Heard<R>, Malformed> + Send + 'static,
    ) -> Result<Self> {
        let mut command = Command::new(&workers.exe);
        command
            .args(&workers.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let started = process_tree::patiently(|| Tree::spawn(&mut command));
        let (mut child, tree) = started.map_err(|error| Error::file(&workers.exe, error))?;
        // Only this process and the worker know the secret.
        let secret = RandomState::new().hash_one(child.id());
        let hear: Arc<Mutex<Option<Box<Hear<R>>>>> = Arc::new(Mutex::new(Some(Box::new(hear))));
        let mut threads = || {
            let input = Arc::new(Mutex::new(child.stdin.take().expect("a pipe")));
            let (commands, from) = mpsc::channel::<Vec<u8>>();
            let to = Arc::clone(&input);
            spawn("commands", move || {
                // `listen` shows that the process has died.
                from.into_iter()
                    .try_for_each(|frames| lock(&to).write_all(&frames))
            })?;
            let (to, reports) = mpsc::sync_channel(WAITING);
            let reader = Reader {
                from: BufReader::new(child.stdout.take().expect("a pipe")),
                secret,
                hear: Arc::clone(&hear),
                answers: input,
                reports: to,
            };
            spawn("reports", move || reader.run())?;
            let printed = Printed::of(child.stderr.take().expect("a pipe"), workers.printed)?;
            Ok((commands, reports, printed))
        };
        match threads() {
            Ok((commands, reports, printed)) => {
                let process = Self {
                    child,
                    tree: Some(tree),
                    printed,
                    commands,
                    reports,
                    hear,
                };
                process.send(push(Vec::new(), 0, &Begin { secret, task }));
                Ok(process)
            }
            Err(error) => {
                tree.kill();
                let _ = child.wait();
                let error: io::Error = error;
                Err(Error::Worker {
                    text: format!("cannot start a thread for it: {error}"),
                    exit_code: exit_code::TRY_AGAIN,
                })
            }
        }
    }

    pub fn send(&self, frames: Vec<u8>) {
        let _ = self.commands.send(frames);
    }

    /// Waits for the next report. If there will be none, the error is the reason to kill the process, or none if it ends by
    /// itself.
    pub fn listen(
        &self,
        deadline: Option<Instant>,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<R, Option<Killed>> {
        let mut ended: Option<Instant> = None;
        loop {
            let left = deadline.map_or(TICK, |deadline| {
                deadline.saturating_duration_since(Instant::now())
            });
            match self.reports.recv_timeout(left.min(TICK)) {
                Ok(Ok(report)) => return Ok(report),
                Ok(Err(Malformed)) => return Err(Some(Killed::Malformed)),
                Err(RecvTimeoutError::Disconnected) => return Err(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if is_interrupted() {
                return Err(Some(Killed::Interrupted));
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Err(Some(Killed::TooLong));
            }
            // A child of it may keep the pipe open.
            if let Some(tree) = self.tree.as_ref().filter(|tree| tree.wait(Duration::ZERO)) {
                let since = *ended.get_or_insert_with(|| {
                    tree.kill();
                    Instant::now()
                });
                if since.elapsed() > DYING {
                    return Err(None);
                }
            }
        }
    }

    /// Waits for the end, kills what is left then, and returns how the process ended and whether it was killed before that.
    pub fn end(
        mut self,
        killed: Option<Killed>,
        patience: Duration,
    ) -> (Option<Killed>, io::Result<ExitStatus>) {
        let tree = self.tree.take().expect("it is killed once");
        let mut killed = killed;
        if killed.is_none() && !tree.wait(patience) {
            killed = Some(Killed::Malformed);
        }
        tree.kill();
        let status = self.child.wait();
        self.printed.wait();
        (killed, status)
    }
}

impl<R> Drop for Process<R> {
    fn drop(&mut self) {
        if let Some(tree) = self.tree.take() {
            tree.kill();
            let _ = self.child.wait();
            self.printed.wait();
        }
        // The thread that hears may live longer, if somebody keeps the pipe open.
        *lock(&self.hear) = None;
    }
}

fn spawn<T: Send + 'static>(
    name: &str,
    run: impl FnOnce() -> T + Send + 'static,
) -> io::Result<()> {
    let thread = thread::Builder::new().name(name.into());
    thread.spawn(run).map(drop)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

/// Reads the frames of a process.
struct Reader<F, R> {
    from: F,
    secret: u64,
    hear: Arc<Mutex<Option<Box<Hear<R>>>>>,
    answers: Arc<Mutex<ChildStdin>>,
    reports: SyncSender<Result<R, Malformed>>,
}

impl<F: io::Read, R> Reader<F, R> {
    /// Reads until there are no more frames, or nobody wants them.
    fn run(mut self) {
        while let Some(frame) = read_frame(&mut self.from, self.secret).transpose() {
            let heard = frame.and_then(|frame| match &mut *lock(&self.hear) {
                Some(hear) => hear(frame),
                None => Err(Malformed),
            });
            let is_heard = match heard {
                // This waits for the process, but no longer than the process lives.
                Ok(Heard::Answer(frame)) => lock(&self.answers).write_all(&frame).is_ok(),
                Ok(Heard::Report(report)) => self.reports.send(Ok(report)).is_ok(),
                Err(Malformed) => {
                    let _ = self.reports.send(Err(Malformed));
                    false
                }
            };
            if !is_heard {
                return;
            }
        }
    }
}

/// What is said of a worker that is alive and cannot be understood.
const CORRUPTED: &str = "it corrupted or closed the pipe that its process reports on";

/// The exit code of a worker that has hung up.
pub const HUNG_UP: u8 = 86;

/// How a process died that was killed or ended by itself.
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
        (Some(Killed::Malformed), _) => CORRUPTED.into(),
        (None, Ok(status)) if status.code() == Some(HUNG_UP.into()) => CORRUPTED.into(),
        (None, Ok(status)) => process_tree::death(status).unwrap_or_else(|| match status.code() {
            Some(code) => format!("it ended its process with exit code {code}"),
            None => status.to_string(),
        }),
        (None, Err(error)) => error.to_string(),
    }
}

/// The text for two deaths.
pub fn twice(first: &str, second: &str) -> String {
    if first == second {
        format!("the compiler crashed twice: {second}")
    } else {
        format!("the compiler crashed twice: {first}; then: {second}")
    }
}

#[cfg(all(test, unix))]
impl<R: Send + 'static> Process<R> {
    /// A process that has sent these reports, and sends nothing more.
    pub fn saying(said: Vec<Result<R, Malformed>>) -> Self {
        let mut command = Command::new("sleep");
        command.arg("600").stderr(Stdio::piped());
        let (mut child, tree) = Tree::spawn(&mut command).unwrap();
        let (to, reports) = mpsc::sync_channel(said.len());
        for report in said {
            to.send(report).unwrap();
        }
        Self {
            printed: Printed::of(child.stderr.take().unwrap(), |_| {}).unwrap(),
            child,
            tree: Some(tree),
            commands: mpsc::channel().0,
            reports,
            hear: Arc::default(),
        }
    }
}
