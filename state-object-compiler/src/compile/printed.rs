//! The lines that a worker process, and so its plugin, prints. The supervisor passes them on line by line, so that nobody can
//! take one for a line of this program.

use std::io::{self, BufRead as _, BufReader, Read as _};
use std::process::ChildStderr;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use crate::report::one_line;

/// A longer line is split.
const LONGEST: u64 = 4096;
/// How long the pipe of a killed process may stay open: a process that it has started may have escaped.
const PATIENCE: Duration = Duration::from_secs(1);

/// The lines of a process, which a thread of their own reads.
pub struct Printed(Receiver<()>);

impl Printed {
    /// Passes the lines on until there are no more.
    pub fn of(stream: ChildStderr, tell: fn(&str)) -> io::Result<Self> {
        let (open, closed) = mpsc::channel();
        let thread = thread::Builder::new().name("printed".into());
        thread.spawn(move || {
            let _open: mpsc::Sender<()> = open;
            let mut stream = BufReader::new(stream);
            let mut line = Vec::new();
            while let Ok(1..) = stream.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
                let text = String::from_utf8_lossy(&line);
                let text = text.trim_end();
                if !text.is_empty() {
                    tell(&one_line(text));
                }
                line.clear();
            }
        })?;
        Ok(Self(closed))
    }

    /// Waits until all lines of a process that has ended are passed on.
    pub fn wait(&self) {
        let _ = self.0.recv_timeout(PATIENCE);
    }
}
