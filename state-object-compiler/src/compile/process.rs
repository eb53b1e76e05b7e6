//! A worker process as its supervisor has it: what is said to it and what it says, and how it ends.
//!
//! Whoever listens to it waits no longer than until a deadline of its own, whatever the process and what it has started do with
//! their pipes: threads read and write them, which an end that somebody keeps open may hold up for ever.

use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufReader, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use process_tree::Tree;

use super::Workers;
use super::printed::Printed;
use super::protocol::{Begin, Malformed, Task, push, read_frame};
use super::run::TICK;
use crate::{Error, Result, exit_code};

/// How long a process may take to end that has closed its pipes, and how long they may stay open when it has ended.
pub const DYING: Duration = Duration::from_secs(1);
/// So many reports may wait to be heard.
const WAITING: usize = 2;

/// Why a process was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Killed {
    TooLong,
    Interrupted,
    /// What it said makes no sense, or it can say nothing more.
    Malformed,
}

/// Dropping kills it.
pub struct Process {
    child: Child,
    /// Until it is killed.
    tree: Option<Tree>,
    printed: Printed,
    commands: Sender<Vec<u8>>,
    reports: Receiver<Result<Vec<u8>, Malformed>>,
}

impl Process {
    /// Starts a process with a task.
    pub fn start(workers: &Workers, task: Task) -> Result<Self> {
        let mut command = Command::new(&workers.exe);
        command
            .args(&workers.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let started = process_tree::patiently(|| Tree::spawn(&mut command));
        let (mut child, tree) = started.map_err(|error| Error::file(&workers.exe, error))?;
        // Nobody but this process and the worker knows it.
        let secret = RandomState::new().hash_one(child.id());
        let mut threads = || {
            let mut to = child.stdin.take().expect("a pipe");
            let (commands, from) = mpsc::channel::<Vec<u8>>();
            spawn("commands", move || {
                // That it has died shows when it is listened to.
                from.into_iter()
                    .try_for_each(|frames| to.write_all(&frames))
            })?;
            let from = child.stdout.take().expect("a pipe");
            let (to, reports) = mpsc::sync_channel(WAITING);
            spawn("reports", move || hand_on(from, secret, &to))?;
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
                };
                process.send(push(Vec::new(), 0, &Begin { secret, task }));
                Ok(process)
            }
            Err(error) => {
                tree.kill();
                let _ = child.wait();
                let error: io::Error = error;
                Err(Error::Worker {
                    text: format!("no thread for it: {error}"),
                    exit_code: exit_code::TRY_AGAIN,
                })
            }
        }
    }

    pub fn send(&self, frames: Vec<u8>) {
        let _ = self.commands.send(frames);
    }

    /// Waits for the next report. Without, it says why there will be none: what the process is to be killed for, or nothing
    /// if it ends by itself.
    pub fn listen(
        &self,
        deadline: Option<Instant>,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Vec<u8>, Option<Killed>> {
        let mut ended: Option<Instant> = None;
        loop {
            let left = deadline.map_or(TICK, |deadline| {
                deadline.saturating_duration_since(Instant::now())
            });
            match self.reports.recv_timeout(left.min(TICK)) {
                Ok(Ok(frame)) => return Ok(frame),
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
            // What it has started may keep the pipe open.
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

    /// Waits for the end, kills what is left then, and says how it ended and whether it was killed before that.
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

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(tree) = self.tree.take() {
            tree.kill();
            let _ = self.child.wait();
            self.printed.wait();
        }
    }
}

fn spawn<T: Send + 'static>(
    name: &str,
    run: impl FnOnce() -> T + Send + 'static,
) -> io::Result<()> {
    let thread = thread::Builder::new().name(name.into());
    thread.spawn(run).map(drop)
}

/// Reads reports until there are no more, or nobody wants them.
fn hand_on(from: impl io::Read, secret: u64, to: &SyncSender<Result<Vec<u8>, Malformed>>) {
    let mut from = BufReader::new(from);
    while let Some(report) = read_frame(&mut from, secret).transpose() {
        let is_last = report.is_err();
        if to.send(report).is_err() || is_last {
            return;
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

#[cfg(all(test, unix))]
impl Process {
    /// One that has said this, and says nothing more.
    pub fn saying(said: Vec<Vec<u8>>) -> Self {
        let mut command = Command::new("sleep");
        command.arg("600").stderr(Stdio::piped());
        let (mut child, tree) = Tree::spawn(&mut command).unwrap();
        let (to, reports) = mpsc::sync_channel(said.len());
        for frame in said {
            to.send(Ok(frame)).unwrap();
        }
        Self {
            printed: Printed::of(child.stderr.take().unwrap(), |_| {}).unwrap(),
            child,
            tree: Some(tree),
            commands: mpsc::channel().0,
            reports,
        }
    }
}
