//! The last calls between host and plugin, in a file that stays whatever ends the process.
//!
//! The file is mapped into memory, so that a call costs a few stores and is noted even where the plugin dies in the
//! next instruction. It has a ring of events, `EVENTS` of them: a call, a callback, or the return of either; and counts the compiles.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Write as _};
use std::mem::offset_of;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

const EVENTS: usize = 64;
/// An event: its number from 1 on, the thread and the [`Kind`], and the name.
type Event = [AtomicU64; WORDS];
const WORDS: usize = 8;
/// So many bytes of a name are kept, which is more than the longest of the DDI has.
const NAME: usize = 8 * (WORDS - 2);

#[derive(Debug)]
#[repr(C)]
struct Ring {
    /// How many compiles have begun, and how many have returned.
    compiles: [AtomicU64; 2],
    /// How many events there were.
    count: AtomicU64,
    events: [Event; EVENTS],
}

static RING: OnceLock<&'static Ring> = OnceLock::new();

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    Call = 1,
    Callback = 2,
    Return = 3,
}

/// Where a process has its ring: in the folder of its journal.
pub(crate) fn place(folder: &Path) -> PathBuf {
    folder.join("calls")
}

/// Begins to note calls in a new file of this folder. Where that cannot be, they are not noted.
pub fn install(folder: &Path) {
    if let Ok(ring) = create(folder) {
        let _ = RING.set(ring);
    }
}

/// An empty ring in a new file.
fn create(folder: &Path) -> io::Result<&'static Ring> {
    let file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(place(folder))?;
    // A full disk shows here, and not when the ring is written to.
    (&file).write_all(&[0; size_of::<Ring>()])?;
    // SAFETY: nobody else writes to the file, and only the parent of a process that is over reads it.
    let map = unsafe { memmap2::MmapMut::map_mut(&file) }?;
    let ring: *mut Ring = Box::leak(Box::new(map)).as_mut_ptr().cast();
    // SAFETY: pages of zeros, as large as the ring, that stay until the process ends.
    Ok(unsafe { &*ring })
}

/// A number for each thread that calls or is called.
fn thread() -> u64 {
    static THREADS: AtomicUsize = AtomicUsize::new(1);
    thread_local! {
        static THREAD: Cell<usize> = const { Cell::new(0) };
    }
    // A thread that ends may call still.
    let known = THREAD.try_with(Cell::get).unwrap_or_default();
    if known != 0 {
        return known as u64;
    }
    let new = THREADS.fetch_add(1, Ordering::Relaxed);
    let _ = THREAD.try_with(|thread| thread.set(new));
    new as u64
}

fn note(ring: &Ring, kind: Kind, name: &str) {
    let number = 1 + ring.count.fetch_add(1, Ordering::Relaxed);
    let index = usize::try_from(number % EVENTS as u64).unwrap_or_default();
    let [first, second, rest @ ..] = &ring.events[index];
    first.store(0, Ordering::Relaxed);
    second.store((thread() << 8) | kind as u64, Ordering::Relaxed);
    let mut bytes = [0; NAME];
    let len = name.len().min(NAME);
    bytes[..len].copy_from_slice(&name.as_bytes()[..len]);
    for (word, bytes) in rest.iter().zip(bytes.as_chunks().0) {
        word.store(u64::from_le_bytes(*bytes), Ordering::Relaxed);
    }
    first.store(number, Ordering::Release);
}

/// A call that is in progress; its end is noted when this is dropped.
#[derive(Debug)]
pub struct InProgress {
    ring: Option<&'static Ring>,
    is_compile: bool,
}

impl InProgress {
    fn begin(ring: Option<&'static Ring>, kind: Kind, name: &str) -> Self {
        let is_compile = kind == Kind::Call && name.starts_with("pfnCompile");
        if let Some(ring) = ring {
            ring.compiles[0].fetch_add(is_compile.into(), Ordering::Relaxed);
            note(ring, kind, name);
        }
        Self { ring, is_compile }
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        if let Some(ring) = self.ring {
            ring.compiles[1].fetch_add(self.is_compile.into(), Ordering::Relaxed);
            note(ring, Kind::Return, "");
        }
    }
}

/// Notes a call of the plugin.
pub fn call(name: &str) -> InProgress {
    InProgress::begin(RING.get().copied(), Kind::Call, name)
}

/// Notes a callback.
pub fn callback(name: &str) -> InProgress {
    InProgress::begin(RING.get().copied(), Kind::Callback, name)
}

/// A function that is called once, at once: the call is noted.
#[derive(Debug)]
pub struct Noted<F> {
    function: F,
    _in_progress: InProgress,
}

impl<F> Noted<F> {
    /// The call of this name begins.
    pub fn new(name: &str, function: F) -> Self {
        Self {
            function,
            _in_progress: call(name),
        }
    }
}

impl<F> Deref for Noted<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.function
    }
}

/// A call or callback of a process that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Call {
    name: String,
    thread: u64,
    is_callback: bool,
    depth: usize,
    has_returned: bool,
}

/// The last calls of a process that is over, in their order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Calls {
    last: Vec<Call>,
    /// How many compiles had begun, and how many had returned.
    compiles: [u64; 2],
}

impl Calls {
    /// Those of the process whose journal is in a folder.
    pub fn read(folder: &Path) -> Self {
        std::fs::read(place(folder))
            .map(|bytes| Self::parse(&bytes))
            .unwrap_or_default()
    }

    /// Whether the process was in its first compile.
    pub fn is_in_first_compile(&self) -> bool {
        self.compiles == [1, 0]
    }

    fn parse(bytes: &[u8]) -> Self {
        let (words, _) = bytes.as_chunks::<8>();
        let compiles =
            [0, 1].map(|word| words.get(word).map_or(0, |word| u64::from_le_bytes(*word)));
        let bytes = bytes.get(offset_of!(Ring, events)..).unwrap_or_default();
        let mut events: Vec<_> = bytes
            .as_chunks::<{ 8 * WORDS }>()
            .0
            .iter()
            .map(|event| {
                let (words, _) = event.as_chunks::<8>();
                let [number, what] = [0, 1].map(|word| u64::from_le_bytes(words[word]));
                let name = String::from_utf8_lossy(&event[16..]);
                (number, what, name.trim_end_matches('\0').to_owned())
            })
            .collect();
        events.retain(|(number, ..)| *number != 0);
        events.sort_by_key(|(number, ..)| *number);
        let mut calls: Vec<Call> = Vec::new();
        for (_, what, name) in events {
            let thread = what >> 8;
            let open = |call: &&mut Call| call.thread == thread && !call.has_returned;
            if what & 0xFF == Kind::Return as u64 {
                // One whose beginning is no longer in the ring has none.
                if let Some(call) = calls.iter_mut().rev().find(open) {
                    call.has_returned = true;
                }
            } else {
                let depth = calls.iter_mut().filter(|call| open(call)).count();
                calls.push(Call {
                    name,
                    thread,
                    is_callback: what & 0xFF == Kind::Callback as u64,
                    depth,
                    has_returned: false,
                });
            }
        }
        Self {
            last: calls,
            compiles,
        }
    }

    /// The last ones, one in a line.
    pub fn lines(&self) -> Vec<String> {
        const MOST: usize = 16;
        let one_thread = self
            .last
            .iter()
            .all(|call| call.thread == self.last[0].thread);
        let last = &self.last[self.last.len().saturating_sub(MOST)..];
        let line = |call: &Call| {
            let indent = "  ".repeat(call.depth);
            let thread = if one_thread {
                String::new()
            } else {
                format!(" on thread {}", call.thread)
            };
            let state = if call.has_returned {
                ""
            } else {
                " (has not returned)"
            };
            format!("{indent}{}{thread}{state}", call.name)
        };
        last.iter().map(line).collect()
    }

    /// What a process was doing that died or took too long: the call that was in progress, and what the test noted that
    /// it was about to do.
    pub fn during(&self, at: Option<String>) -> Option<String> {
        let mut calls = self.last.iter().rev();
        let in_progress = calls.find(|call| !call.has_returned && !call.is_callback);
        let (Some(last), Some(at)) = (self.last.iter().rev().find(|call| !call.is_callback), &at)
        else {
            return at;
        };
        match in_progress {
            Some(call) if at.contains(&call.name) => Some(at.clone()),
            Some(call) => Some(format!("{}, while the test was at: {at}", call.name)),
            None if at.contains(&last.name) => Some(format!("{at}, which had returned")),
            None => Some(format!(
                "no call: {} had returned; the test was at: {at}",
                last.name
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Calls, InProgress, Kind, create, thread};

    #[test]
    fn what_is_noted_is_read() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Calls::read(folder.path()), Calls::default());
        let ring = create(folder.path()).unwrap();
        let call = |name| InProgress::begin(Some(ring), Kind::Call, name);
        let callback = |name| InProgress::begin(Some(ring), Kind::Callback, name);
        for _ in 0..100 {
            drop(call("pfnOften"));
        }
        drop(call("pfnCreateCompiler"));
        let compile = call("pfnCompilePipelineState");
        let find = callback("pfnCompilerCacheFindValue");
        let get_caps = move || {
            drop(call("pfnGetCaps"));
            thread()
        };
        let other = std::thread::spawn(get_caps).join().unwrap();
        let one = thread();
        let during = |at: &str| Calls::read(folder.path()).during(Some(at.to_owned()));
        let lines = Calls::read(folder.path()).lines();
        assert_eq!(
            lines[lines.len() - 4..],
            [
                format!("pfnCreateCompiler on thread {one}"),
                format!("pfnCompilePipelineState on thread {one} (has not returned)"),
                format!("  pfnCompilerCacheFindValue on thread {one} (has not returned)"),
                format!("pfnGetCaps on thread {other}"),
            ]
        );
        let at = "pfnCompilePipelineState (CS)";
        assert_eq!(during(at).unwrap(), at);
        let other = "the second of two";
        let expected = "pfnCompilePipelineState, while the test was at: the second of two";
        assert_eq!(during(other).unwrap(), expected);
        drop(find);
        drop(compile);
        let expected = "pfnGetCaps, which had returned";
        assert_eq!(during("pfnGetCaps").unwrap(), expected);
        let expected = "no call: pfnGetCaps had returned; the test was at: the second of two";
        assert_eq!(during(other).unwrap(), expected);
    }

    #[test]
    fn the_first_compile_is_known_after_many_callbacks() {
        let folder = tempfile::tempdir().unwrap();
        let ring = create(folder.path()).unwrap();
        let begin = |kind, name| InProgress::begin(Some(ring), kind, name);
        let is_first = || Calls::read(folder.path()).is_in_first_compile();
        assert!(!is_first());
        let compile = begin(Kind::Call, "pfnCompilePipelineState");
        for _ in 0..100 {
            drop(begin(Kind::Callback, "pfnCompilerCacheFindValue"));
        }
        assert!(is_first());
        drop(compile);
        assert!(!is_first());
        let _second = begin(Kind::Call, "pfnCompilePipelineState");
        assert!(!is_first());
    }
}
