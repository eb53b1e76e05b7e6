//! The file of a trace: lines of JSON, which several processes may append to.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ddi_schema::Graph;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::blocks::{self, Blobs, Memory};
use crate::functions::Function;

/// The version of the format.
pub(crate) const FORMAT: u32 = 2;

/// One line.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    /// A number of the process by chance: process numbers return.
    process: String,
    #[serde(flatten)]
    event: Event,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Event {
    Begin(Begin),
    Bytes { sha256: String, base64: String },
    Call(Call),
    Return(Return),
}

/// The process that a part of a trace is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begin {
    /// The version of the format, which is 2.
    pub format: u32,
    /// The version of what has recorded it.
    pub version: String,
    /// The operating system.
    pub os: String,
    /// The processor's architecture.
    pub arch: String,
    /// The size of a pointer in bytes.
    pub pointer: usize,
    /// The system's number of the process.
    pub pid: u32,
    /// The plugin's library; `None` where it was linked in.
    pub plugin: Option<PathBuf>,
    /// The rule that the process has tested.
    pub rule: Option<String>,
}

/// A call of the plugin, or of the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Call {
    /// Counts the calls of the process.
    pub(crate) number: u64,
    /// Counts the threads of the process.
    pub(crate) thread: u64,
    /// Since the process began to record.
    pub(crate) nanoseconds: u64,
    /// Counts the opens of the process; `None` for the call that opens.
    pub(crate) open: Option<usize>,
    pub(crate) function: String,
    pub(crate) arguments: Map<String, Value>,
    /// What the pointers of the arguments lead to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) memory: Vec<Memory>,
}

/// Its return.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Return {
    /// The number of the call.
    pub(crate) of: u64,
    pub(crate) nanoseconds: u64,
    /// The open that it has made, of one that opens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) open: Option<usize>,
    /// What it returned, as bits; 0 where it returns nothing.
    pub(crate) result: u64,
    /// What it has written, by parameter.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) outputs: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) memory: Vec<Memory>,
}

/// Appends to a trace. A line is written at once, so that it stays whatever becomes of the process.
pub(crate) struct Writer {
    process: String,
    start: Instant,
    file: Mutex<Written>,
}

struct Written {
    file: File,
    blobs: BTreeSet<String>,
    /// A line could not be written: none follows.
    is_over: bool,
}

impl Written {
    /// A process that was killed while it wrote may have left a line without an end, so each begins with one.
    fn write(&mut self, line: &[u8]) {
        if self.is_over {
            return;
        }
        // Elsewhere to append is one step; Wine looks for the end first.
        let is_locked = cfg!(windows) && self.file.lock().is_ok();
        let written = self.file.write_all(line);
        if is_locked {
            let _ = self.file.unlock();
        }
        if let Err(error) = written {
            eprintln!("the trace ends here: {error}");
            self.is_over = true;
        }
    }
}

impl Writer {
    /// Goes on with a file, or makes it.
    pub(crate) fn append(path: &Path, begin: Begin) -> io::Result<Self> {
        let this = Self {
            process: format!("{:016x}", fastrand::u64(..)),
            start: Instant::now(),
            file: Mutex::new(Written {
                file: File::options()
                    .read(true)
                    .append(true)
                    .create(true)
                    .open(path)?,
                blobs: BTreeSet::new(),
                is_over: false,
            }),
        };
        let line = this.line(Event::Begin(begin))?;
        let mut written = this.lock();
        written.write(&line);
        let is_over = written.is_over;
        drop(written);
        if is_over {
            return Err(io::Error::other("it cannot be written"));
        }
        Ok(this)
    }

    pub(crate) fn nanoseconds(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    pub(crate) fn call(&self, call: Call, blobs: &Blobs) {
        self.write(Event::Call(call), blobs);
    }

    pub(crate) fn returned(&self, of: Return, blobs: &Blobs) {
        self.write(Event::Return(of), blobs);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Written> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn line(&self, event: Event) -> io::Result<Vec<u8>> {
        let process = self.process.clone();
        let mut line = vec![b'\n'];
        serde_json::to_writer(&mut line, &Line { process, event })?;
        line.push(b'\n');
        Ok(line)
    }

    fn write(&self, event: Event, blobs: &Blobs) {
        // The calls go on, whatever becomes of the trace.
        let Ok(line) = self.line(event) else {
            return;
        };
        let mut written = self.lock();
        for (sha256, bytes) in blobs {
            if !written.blobs.insert(sha256.clone()) {
                continue;
            }
            let (sha256, base64) = (sha256.clone(), BASE64_STANDARD.encode(bytes));
            if let Ok(line) = self.line(Event::Bytes { sha256, base64 }) {
                written.write(&line);
            }
        }
        written.write(&line);
    }
}

/// A trace that was read.
#[derive(Debug)]
pub struct Trace {
    /// The processes, in the order in which they began.
    pub processes: Vec<Process>,
    /// Whether a line is not whole, as when its process was killed.
    pub is_cut: bool,
}

/// What one process has called.
#[derive(Debug)]
pub struct Process {
    /// What its lines name it by.
    pub id: String,
    /// What it says of itself.
    pub begin: Begin,
    pub(crate) calls: Vec<Recorded>,
    pub(crate) blobs: Blobs,
}

/// A call, and what came of it.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) call: Call,
    pub(crate) function: Function,
    pub(crate) arguments: Graph,
    /// And what was written; `None` where the process ended before it returned.
    pub(crate) returned: Option<(Return, Graph)>,
    /// The call of the plugin that a callback belongs to, as an index.
    pub(crate) within: Option<usize>,
    /// The callbacks that belong to it, as indices.
    pub(crate) callbacks: Vec<usize>,
}

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The file is not there or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A line is none of a trace.
    #[error("{}, line {number}: {what}", path.display())]
    Line {
        /// The file's path.
        path: PathBuf,
        /// The line's number, from 1 on.
        number: usize,
        /// What is wrong with it.
        what: String,
    },
    /// There is nothing in it.
    #[error("{} has no call in it", path.display())]
    Empty {
        /// The file's path.
        path: PathBuf,
    },
}

impl Trace {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is no trace.
    pub fn read(path: &Path) -> Result<Self, TraceError> {
        Self::read_lines(path, b"")
    }

    /// Reads what the process of this name has called, and passes over the others unread.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub fn read_process(path: &Path, id: &str) -> Result<Self, TraceError> {
        let start = format!("{{\"process\":{},", Value::from(id));
        Self::read_lines(path, start.as_bytes())
    }

    fn read_lines(path: &Path, start: &[u8]) -> Result<Self, TraceError> {
        let unreadable = |source| TraceError::File {
            path: path.to_owned(),
            source,
        };
        let file = BufReader::new(File::open(path).map_err(unreadable)?);
        let mut this = Self {
            processes: Vec::new(),
            is_cut: false,
        };
        let mut places = BTreeMap::new();
        for (index, line) in file.split(b'\n').enumerate() {
            let line = line.map_err(unreadable)?;
            let wrong = |what: String| TraceError::Line {
                path: path.to_owned(),
                number: index + 1,
                what,
            };
            if line.is_empty() || !line.starts_with(start) {
                continue;
            }
            let line: Line = match serde_json::from_slice(&line) {
                Ok(line) => line,
                Err(_) if !this.processes.is_empty() => {
                    this.is_cut = true;
                    continue;
                }
                Err(error) => return Err(wrong(error.to_string())),
            };
            this.add(line, &mut places).map_err(wrong)?;
        }
        if this
            .processes
            .iter()
            .all(|process| process.calls.is_empty())
        {
            return Err(TraceError::Empty {
                path: path.to_owned(),
            });
        }
        for process in &mut this.processes {
            process.nest();
        }
        Ok(this)
    }

    fn add(&mut self, line: Line, places: &mut BTreeMap<String, usize>) -> Result<(), String> {
        if let Event::Begin(begin) = line.event {
            if begin.format != FORMAT {
                return Err(format!(
                    "the trace has format {}, and this tool reads format {FORMAT}",
                    begin.format
                ));
            }
            places.insert(line.process.clone(), self.processes.len());
            self.processes.push(Process {
                id: line.process,
                begin,
                calls: Vec::new(),
                blobs: Blobs::new(),
            });
            return Ok(());
        }
        let place = places.get(&line.process);
        let place = place.ok_or("a process that did not begin")?;
        let process = &mut self.processes[*place];
        match line.event {
            Event::Begin(_) => {}
            Event::Bytes { sha256, base64 } => {
                let bytes = BASE64_STANDARD
                    .decode(base64)
                    .map_err(|error| error.to_string())?;
                if hex::encode(Sha256::digest(&bytes)) != sha256 {
                    return Err("the bytes are not those of their SHA-256".into());
                }
                process.blobs.insert(sha256, bytes.into());
            }
            Event::Call(call) => {
                let function = Function::named(&call.function)
                    .ok_or_else(|| format!("{} is no function of the DDI", call.function))?;
                for parameter in function.signature().parameters() {
                    if !call.arguments.contains_key(parameter.name) {
                        return Err(format!("{} without {}", call.function, parameter.name));
                    }
                }
                let of = &function.signature().arguments;
                let arguments = blocks::read(of, &call.arguments, &call.memory, &process.blobs)?;
                process.calls.push(Recorded {
                    call,
                    function,
                    arguments,
                    returned: None,
                    within: None,
                    callbacks: Vec::new(),
                });
            }
            Event::Return(returned) => {
                let mut calls = process.calls.iter_mut().rev();
                let call = calls.find(|call| call.call.number == returned.of);
                let call = call.ok_or("the return of a call that did not begin")?;
                let of = &call.function.signature().arguments;
                let outputs =
                    blocks::read(of, &returned.outputs, &returned.memory, &process.blobs)?;
                if call.returned.replace((returned, outputs)).is_some() {
                    return Err("a second return of a call".into());
                }
            }
        }
        Ok(())
    }
}

impl Process {
    /// Whether its arguments are as large as those of this process.
    pub fn is_of_this_width(&self) -> bool {
        self.begin.pointer == size_of::<usize>()
    }

    /// How many calls the host has made, without callbacks.
    pub fn calls(&self) -> usize {
        self.calls
            .iter()
            .filter(|call| call.within.is_none())
            .count()
    }

    /// Finds out which compile call each callback belongs to: the last one with that session that had begun and not returned.
    fn nest(&mut self) {
        const SESSION: &str = "hrtCompilerCacheSession";
        for index in 0..self.calls.len() {
            let (before, rest) = self.calls.split_at_mut(index);
            let this = &mut rest[0];
            let at = this.call.nanoseconds;
            let is_in_progress = |call: &(usize, &Recorded)| {
                let returned = call.1.returned.as_ref();
                returned.is_none_or(|(returned, _)| returned.nanoseconds >= at)
            };
            let mut earlier = before.iter().enumerate().rev();
            let within = if this.function.is_callback() {
                let session = this.call.arguments.get(SESSION);
                let of_session = |call: &(usize, &Recorded)| {
                    !call.1.function.is_callback()
                        && call.1.call.arguments.get(SESSION) == session
                        && is_in_progress(call)
                };
                // A host may give several calls one session.
                let of_thread = |call: &(usize, &Recorded)| {
                    of_session(call) && call.1.call.thread == this.call.thread
                };
                earlier
                    .clone()
                    .find(of_thread)
                    .or_else(|| earlier.find(of_session))
            } else if this.function == Function::Allocation {
                earlier.find(|call| {
                    call.1.function == Function::pfnCompilerCacheFindValue
                        && call.1.call.thread == this.call.thread
                        && is_in_progress(call)
                })
            } else {
                None
            };
            this.within = within.map(|(index, _)| index);
            if let Some(within) = this.within {
                self.calls[within].callbacks.push(index);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Begin, FORMAT, Trace, TraceError, Writer};
    use crate::blocks::Blobs;
    use serde_json::json;

    fn begin() -> Begin {
        Begin {
            format: FORMAT,
            version: "1.0.0".into(),
            os: "an OS".into(),
            arch: "an architecture".into(),
            pointer: size_of::<usize>(),
            pid: 1,
            plugin: None,
            rule: None,
        }
    }

    fn call(number: u64, function: &str, thread: u64, session: &str) -> super::Call {
        serde_json::from_value(json!({
            "number": number, "thread": thread, "nanoseconds": number, "open": 0, "function": function,
            "arguments": {
                "hCompiler": "0x1", "hrtCompilerCacheSession": session, "ValueTypeFlags": 1, "pPipelineStateArg": null,
                "pValueKey": null, "pValues": null, "NumValues": 0, "pCallbackFunc": false, "pContext": null,
            },
        }))
        .unwrap()
    }

    #[test]
    fn a_process_that_is_killed_while_it_writes_costs_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace");
        let blobs = Blobs::new();
        let first = Writer::append(&path, begin()).unwrap();
        first.call(call(1, "pfnCompilePipelineState", 1, "0x5"), &blobs);
        let mut text = std::fs::read(&path).unwrap();
        text.extend(b"\n{\"process\":\"half a li");
        std::fs::write(&path, text).unwrap();
        let second = Writer::append(&path, begin()).unwrap();
        second.call(call(1, "pfnCompilePipelineState", 1, "0x5"), &blobs);
        let trace = Trace::read(&path).unwrap();
        assert!(trace.is_cut);
        assert_eq!(
            trace
                .processes
                .iter()
                .map(super::Process::calls)
                .collect::<Vec<_>>(),
            [1, 1]
        );
        let other = Trace::read_process(&path, &trace.processes[1].id).unwrap();
        assert_eq!(other.processes.len(), 1);
        std::fs::write(&path, "no trace\n").unwrap();
        assert!(matches!(
            Trace::read(&path),
            Err(TraceError::Line { number: 1, .. })
        ));
    }

    #[test]
    fn a_callback_belongs_to_the_call_of_its_thread_where_two_have_its_session() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace");
        let blobs = Blobs::new();
        let writer = Writer::append(&path, begin()).unwrap();
        writer.call(call(1, "pfnCompilePipelineState", 1, "0x5"), &blobs);
        writer.call(call(2, "pfnCompilePipelineState", 2, "0x5"), &blobs);
        for (number, thread, session) in
            [(3, 1, "0x5"), (4, 2, "0x5"), (5, 3, "0x5"), (6, 1, "0x6")]
        {
            writer.call(
                call(number, "pfnCompilerCacheFindValue", thread, session),
                &blobs,
            );
        }
        let trace = Trace::read(&path).unwrap();
        let within: Vec<_> = trace.processes[0]
            .calls
            .iter()
            .map(|call| call.within)
            .collect();
        assert_eq!(within, [None, None, Some(0), Some(1), Some(1), None]);
        assert_eq!(trace.processes[0].calls[1].callbacks, [3, 4]);
    }
}
