//! The values of a session whose files another process has open: a worker asks its supervisor for values in the files, and
//! sends those that the plugin stores with the report of the object.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs::File;
use std::io::Write as _;
use std::mem;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use compiler_runtime::{
    Batch, Found, Made, Store, VALUE_TYPES, ValueType, ValueTypes, Want, answer_from,
};
use parking_lot::{Mutex, MutexGuard};
use serde_bytes::Bytes;

use super::process::HUNG_UP;
use super::protocol::{
    self, Command, Content, Find, Report, Stored, TypeBits, hash_of, parse, push,
};

/// The pipes to the supervisor.
pub struct Line(Mutex<Pipes>);

struct Pipes {
    to: File,
    secret: u64,
    answers: Receiver<Vec<u8>>,
}

impl Line {
    pub fn new(to: File, secret: u64, answers: Receiver<Vec<u8>>) -> Self {
        Self(Mutex::new(Pipes {
            to,
            secret,
            answers,
        }))
    }

    pub fn send(&self, report: &Report) {
        lock(&self.0).send(report);
    }

    /// Sends a question and waits for its answer.
    fn ask(&self, question: Find) -> Vec<u8> {
        let mut pipes = lock(&self.0);
        pipes.send(&Report::Find(question));
        pipes.answers.recv().unwrap_or_else(|_| hang_up())
    }
}

impl Pipes {
    fn send(&mut self, report: &Report) {
        let frame = push(Vec::new(), self.secret, report);
        if self.to.write_all(&frame).is_err() {
            hang_up();
        }
    }
}

/// Ends a worker whose pipes have ended: the supervisor is gone, or the plugin has closed them.
pub fn hang_up() -> ! {
    process_tree::exit_now(HUNG_UP)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

/// How old the supervisor's last news of stored keys may be for a worker to take any other key for absent. A question takes
/// some 30 µs, which is too long for quick objects, and short against anything that takes longer than this.
const FRESH: Duration = Duration::from_millis(20);
/// How many bytes of keys the sizes in memory may have.
const REMEMBERED: usize = 2 << 20;

pub struct Remote {
    line: Arc<Line>,
    types: ValueTypes,
    /// Whether the files had no values when the run began.
    is_new: bool,
    held: Mutex<Held>,
}

struct Held {
    /// The values for the next report: of the worker's present object, and of those that it makes first.
    stored: Batch,
    group: Option<Vec<Vec<u8>>>,
    /// The sizes of values in the files, for repeated questions. The values stay in the files.
    sizes: HashMap<Box<[u8]>, [Option<u32>; VALUE_TYPES]>,
    /// Bytes of their keys.
    remembered: usize,
    /// The hashes of the known keys with values.
    keys: HashSet<u64>,
    /// When the supervisor last sent the keys of others.
    told: Option<Instant>,
}

impl Held {
    fn new(types: ValueTypes) -> Self {
        Self {
            stored: Batch::new(types),
            group: None,
            sizes: HashMap::new(),
            remembered: 0,
            keys: HashSet::new(),
            told: None,
        }
    }

    fn size(&self, key: &[u8], kind: ValueType) -> Option<u32> {
        self.sizes.get(key)?[kind as usize]
    }

    /// Whether a key has no value, as far as the worker knows.
    fn is_absent(&self, key: &[u8]) -> bool {
        self.told.is_some_and(|told| told.elapsed() < FRESH) && !self.keys.contains(&hash_of(key))
    }

    fn remember(&mut self, key: &[u8], kind: ValueType, size: u32) {
        if !self.sizes.contains_key(key) {
            if self.remembered + key.len() > REMEMBERED {
                self.sizes.clear();
                self.remembered = 0;
            }
            self.remembered += key.len();
        }
        self.sizes.entry(key.into()).or_default()[kind as usize] = Some(size);
    }
}

impl Remote {
    pub fn new(line: Arc<Line>, types: ValueTypes, is_new: bool) -> Self {
        Self {
            line,
            types,
            is_new,
            held: Mutex::new(Held::new(types)),
        }
    }

    /// Takes the keys under which others have stored values.
    pub fn hear(&self, hashes: &[u64]) {
        let mut held = lock(&self.held);
        held.keys.extend(hashes);
        held.told = self.is_new.then(Instant::now);
    }

    /// Passes to a report the values that the plugin stored since the last one, and the keys of the group.
    pub fn take<T>(&self, report: impl FnOnce(Vec<Stored>, Option<Vec<&Bytes>>) -> T) -> T {
        let mut held = lock(&self.held);
        let stored = mem::replace(&mut held.stored, Batch::new(self.types));
        let group = held.group.take();
        held.keys
            .extend(stored.values().map(|(key, _)| hash_of(key)));
        drop(held);
        let stored = stored.values().map(|(key, values)| Stored {
            key: Bytes::new(key),
            values: values
                .into_iter()
                .map(|(kind, value)| (kind as u32, Bytes::new(value)))
                .collect(),
        });
        let group = group.as_ref();
        let group = group.map(|keys| keys.iter().map(|key| Bytes::new(key)).collect());
        report(stored.collect(), group)
    }

    /// Finds values that the supervisor has; asks for a key that seems to be absent only if it `must`.
    fn look(
        &self,
        key: &[u8],
        wants: [Want; VALUE_TYPES],
        must: bool,
        found: &mut dyn FnMut(ValueType, Found<'_>),
    ) -> shader_db::Result<()> {
        let (mut values, mut sizes) = (ValueTypes::NONE, ValueTypes::NONE);
        let held = lock(&self.held);
        for kind in self.types.kinds() {
            match wants[kind as usize] {
                Want::Value => values |= kind.into(),
                Want::Size if held.size(key, kind).is_none() => sizes |= kind.into(),
                Want::Size | Want::Nothing => {}
            }
        }
        let asks = !(values | sizes).is_empty() && (must || !held.is_absent(key));
        drop(held);
        let answer = asks.then(|| {
            self.line.ask(Find {
                key: Bytes::new(key),
                values: TypeBits(values),
                sizes: TypeBits(sizes),
            })
        });
        let mut there = [const { None }; VALUE_TYPES];
        if let Some(answer) = &answer {
            there = match parse(answer) {
                Ok(Command::Found(protocol::Found::Values(there))) => there,
                Ok(Command::Found(protocol::Found::Damaged { path, reason })) => {
                    return Err(shader_db::Error::Corrupt { path, reason });
                }
                _ => hang_up(),
            };
        }
        let mut held = lock(&self.held);
        for (kind, there) in ValueType::ALL.into_iter().zip(&there) {
            match there {
                Some(Content::Size(size)) => held.remember(key, kind, *size),
                Some(Content::Value(value)) => found(kind, Found::Value(value)),
                None => {}
            }
            if wants[kind as usize] == Want::Size
                && let Some(size) = held.size(key, kind)
            {
                found(kind, Found::Size(size as usize));
            }
        }
        Ok(())
    }

    /// Whether the supervisor has a value.
    fn has_value(&self, key: &[u8], kind: ValueType) -> shader_db::Result<bool> {
        let held = lock(&self.held);
        if held.size(key, kind).is_some() || held.stored.value(key, kind).is_some() {
            return Ok(true);
        }
        drop(held);
        // All types at once: the worker need not ask again for those that exist.
        let mut has_value = false;
        self.look(key, [Want::Size; VALUE_TYPES], true, &mut |found, _| {
            has_value |= found == kind;
        })?;
        Ok(has_value)
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").finish_non_exhaustive()
    }
}

impl Store for Remote {
    fn types(&self) -> ValueTypes {
        self.types
    }

    fn find(
        &self,
        key: &[u8],
        mut wants: [Want; VALUE_TYPES],
        found: &mut dyn FnMut(ValueType, Found<'_>),
    ) -> shader_db::Result<()> {
        answer_from(&lock(&self.held).stored, key, &mut wants, found);
        self.look(key, wants, false, found)
    }

    /// Refuses a value that another object of the run has stored only if the plugin has looked for it.
    fn refuses(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> shader_db::Result<bool> {
        let held = lock(&self.held);
        Ok(values.iter().any(|(kind, _)| {
            held.size(key, *kind).is_some() || held.stored.value(key, *kind).is_some()
        }))
    }

    /// Finds none: the supervisor hands out no object that is in the output.
    fn find_group(&self, _: &[u8]) -> shader_db::Result<Option<u32>> {
        Ok(None)
    }

    /// Takes the values and the group of the worker's present object; the supervisor knows which object that is.
    fn commit(&self, made: Made<'_>) -> Result<(), compiler_runtime::Error> {
        made.check(self.types, |key, kind| self.has_value(key, kind))?;
        let mut held = lock(&self.held);
        if !made.groups.is_empty() {
            held.group = Some(made.value_keys.iter().map(|key| key.to_vec()).collect());
        }
        held.stored.append(made.values);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::{io, thread};

    use super::super::process::Heard;
    use super::super::protocol::read_frame;
    use super::super::service::tests::service;
    use super::*;

    const SECRET: u64 = 7;

    /// The values that a session finds over the pipe in each step, and how many questions it has asked until then.
    #[test]
    fn a_worker_finds_what_the_files_have_and_what_it_has_stored() {
        let (service, _folder) = service();
        let code: &[(ValueType, &[u8])] = &[(ValueType::ObjectCode, b"code")];
        service.database.add_values(b"there", code).unwrap();
        let (mut from, to) = io::pipe().unwrap();
        #[cfg(unix)]
        let to = std::os::fd::OwnedFd::from(to);
        #[cfg(windows)]
        let to = std::os::windows::io::OwnedHandle::from(to);
        let (answers, from_supervisor) = mpsc::channel();
        let questions = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&questions);
        let supervisor = thread::spawn(move || {
            while let Some(frame) = read_frame(&mut from, SECRET).unwrap() {
                count.fetch_add(1, Ordering::Relaxed);
                let Ok(Heard::Answer(answer)) = service.hear(frame) else {
                    panic!("it asks for values only");
                };
                let answer = read_frame(&mut &answer[..], 0).unwrap();
                answers.send(answer.unwrap()).unwrap();
            }
        });
        let line = Arc::new(Line::new(to.into(), SECRET, from_supervisor));
        let remote = Remote::new(line, ValueTypes::ALL, true);
        let find = |key: &[u8], want| {
            let mut all = Vec::new();
            let mut wants = [want; VALUE_TYPES];
            wants[ValueType::DebugPdb as usize] = Want::Nothing;
            let mut found = |kind, found: Found<'_>| {
                all.push(match found {
                    Found::Size(size) => (kind, size, Vec::new()),
                    Found::Value(value) => (kind, value.len(), value.to_vec()),
                });
            };
            remote.find(key, wants, &mut found).unwrap();
            (all, questions.load(Ordering::Relaxed))
        };
        let (kind, metadata) = (ValueType::ObjectCode, ValueType::Metadata);
        let value = b"code".to_vec();

        assert_eq!(find(b"there", Want::Size), (vec![(kind, 4, Vec::new())], 1));
        let both = vec![(kind, 4, value.clone())];
        assert_eq!(find(b"there", Want::Value), (both.clone(), 2));
        assert!(remote.has_value(b"there", kind).unwrap());
        assert_eq!(questions.load(Ordering::Relaxed), 2);
        assert!(!remote.has_value(b"there", metadata).unwrap());
        assert_eq!(remote.refuses(b"there", code), Ok(true));

        assert_eq!(find(b"new", Want::Size), (Vec::new(), 4));
        assert_eq!(remote.refuses(b"new", code), Ok(false));
        let commit = |values: &[(ValueType, &[u8])], groups: &[(&[u8], u32)]| {
            let mut batch = Batch::new(ValueTypes::ALL);
            batch.add_values(b"new", values).unwrap();
            let made = Made {
                values: batch,
                groups,
                value_keys: &[b"new"],
                needs_code: true,
            };
            remote.commit(made).unwrap();
        };
        // What it makes first has no group.
        commit(code, &[]);
        assert_eq!(remote.refuses(b"new", code), Ok(true));
        commit(&[(metadata, b"data")], &[(b"group", 1)]);
        let both = vec![(kind, 4, value), (metadata, 4, b"data".to_vec())];
        assert_eq!(find(b"new", Want::Value), (both, 5));

        remote.take(|values, group| {
            assert_eq!(values.iter().map(Stored::size).collect::<Vec<_>>(), [11]);
            assert_eq!(group, Some(vec![Bytes::new(b"new")]));
        });
        // From then on the supervisor has it, or, as here, does not.
        assert_eq!(find(b"new", Want::Size), (Vec::new(), 6));
        remote.take(|values, group| assert!(values.is_empty() && group.is_none()));

        // After news of stored keys, the worker does not ask for other keys for a while.
        remote.hear(&[hash_of(b"of another")]);
        lock(&remote.held).told = Instant::now().checked_add(Duration::from_hours(1));
        assert_eq!(find(b"of nobody", Want::Value), (Vec::new(), 6));
        assert!(!remote.has_value(b"of nobody", kind).unwrap());
        assert_eq!(find(b"of another", Want::Value), (Vec::new(), 8));
        assert_eq!(find(b"new", Want::Value), (Vec::new(), 9));
        lock(&remote.held).told = Instant::now().checked_sub(FRESH);
        assert_eq!(find(b"of nobody", Want::Value), (Vec::new(), 10));
        drop(remote);
        supervisor.join().unwrap();
    }

    #[test]
    fn sizes_are_remembered_up_to_a_limit() {
        let mut held = Held::new(ValueTypes::ALL);
        for number in 0_u32..10 {
            let key = number.to_be_bytes().repeat(REMEMBERED / 16);
            held.remember(&key, ValueType::ObjectCode, number);
            assert_eq!(held.size(&key, ValueType::ObjectCode), Some(number));
            let count = usize::try_from(number).unwrap() % 4 + 1;
            assert_eq!(
                (held.sizes.len(), held.remembered),
                (count, count * key.len())
            );
        }
    }
}
