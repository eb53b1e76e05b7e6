//! Running a process with everything that it starts, under a time limit.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use process_tree::{Tree, patiently};

/// So much of what a process prints is kept.
const TAIL: usize = 16 * 1024;

/// So often it looks whether it is interrupted.
const GLANCE: Duration = Duration::from_millis(100);

/// How a process ended.
#[derive(Debug)]
pub struct Ended {
    /// `None` when it took too long, or was interrupted, and was killed.
    pub status: Option<ExitStatus>,
    /// The end of what it printed, on both streams.
    pub output: String,
    /// How long it ran.
    pub elapsed: Duration,
}

impl Ended {
    /// How it ended, in words, where it had so long.
    pub fn how(&self, timeout: Duration) -> String {
        match self.status {
            Some(status) => process_tree::death(status).unwrap_or_else(|| status.to_string()),
            None => format!("it took longer than {} s", timeout.as_secs()),
        }
    }
}

/// Runs `command` until it ends, `timeout` is over or the interrupt is set; then kills what is left of it and of
/// everything that it started.
pub(crate) fn run(
    command: &mut Command,
    timeout: Duration,
    interrupt: &AtomicBool,
) -> io::Result<Ended> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let start = Instant::now();
    let (mut child, tree) = patiently(|| Tree::spawn(command))?;
    let tail = Arc::new(Mutex::new(VecDeque::new()));
    let readers = [
        child
            .stdout
            .take()
            .map(|stream| keep_tail(stream, Arc::clone(&tail))),
        child
            .stderr
            .take()
            .map(|stream| keep_tail(stream, Arc::clone(&tail))),
    ];
    let in_time = loop {
        let left = timeout.saturating_sub(start.elapsed());
        if tree.wait(left.min(GLANCE)) {
            break true;
        }
        if left <= GLANCE || interrupt.load(Ordering::Relaxed) {
            break false;
        }
    };
    let elapsed = start.elapsed();
    tree.kill();
    let status = child.wait()?;
    // The pipes end with their last writer. One that escaped the kill must not hold us up.
    let patience = Instant::now() + Duration::from_secs(1);
    for reader in readers.into_iter().flatten() {
        while !reader.is_finished() && Instant::now() < patience {
            thread::sleep(Duration::from_millis(1));
        }
    }
    let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
    let output = String::from_utf8_lossy(tail.make_contiguous()).into_owned();
    Ok(Ended {
        status: in_time.then_some(status),
        // What the plugin prints must not steer the terminal.
        output: output
            .trim()
            .replace(|c: char| c.is_control() && c != '\n', " "),
        elapsed,
    })
}

fn keep_tail(
    mut stream: impl Read + Send + 'static,
    tail: Arc<Mutex<VecDeque<u8>>>,
) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut buffer = [0; TAIL];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
            tail.extend(&buffer[..count]);
            let excess = tail.len().saturating_sub(TAIL);
            tail.drain(..excess);
        }
    })
}
