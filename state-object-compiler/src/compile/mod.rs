//! `compile`: an SODB and a plugin in, a PSDB out. The plugin runs in this process.

use std::any::Any;
use std::collections::HashMap;
use std::ffi::c_void;
use std::fmt;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use api_sys::ID3D12CompilerStateObject;
use compiler_runtime::message::{Message, Messages};
use compiler_runtime::{
    ApplicationDesc, Compiler, Engine, Factory, StateObject, TargetDesc, U16CString, ValueType,
    ValueTypes,
};
use serde::{Deserialize, Serialize};
use shader_db::psdb;
use shader_db::sodb::{Access, Application, Entry, Kind, Sodb};
use windows_core::Interface as _;

use crate::key::{Form, KeyText, hex, shown};
use crate::list::PluginChoice;
use crate::report::{one_line, path_text};
use crate::schedule::{Graph, Schedule};
use crate::shard::Shard;
use crate::token::Token;
use crate::{Dotted, Error, Result};

/// How often progress is reported.
const PROGRESS: Duration = Duration::from_millis(250);

/// What to compile, for what, and where to.
#[derive(Clone, Debug)]
pub struct Options {
    /// The SODB. It is not changed.
    pub sodb: PathBuf,
    /// The PSDB for object code and metadata. One that exists is added to.
    pub output: PathBuf,
    /// A new PSDB for shader PDBs.
    pub pdb: Option<PathBuf>,
    /// A new PSDB for performance data.
    pub perf: Option<PathBuf>,
    /// The plugin.
    pub plugin: PluginChoice,
    /// The adapter family, by name or by index; not needed if the plugin has one only.
    pub adapter_family: Option<String>,
    /// The ABI version; 0 is the newest.
    pub abi: u64,
    /// What to replace in the application identity of the SODB.
    pub application: ApplicationChanges,
    /// Only this object, and what it is made from.
    pub key: Option<KeyText>,
    /// Whether pipeline states are compiled.
    pub psos: bool,
    /// Whether state objects are compiled.
    pub state_objects: bool,
    /// Whether additions to state objects are compiled.
    pub add_to_state_objects: bool,
    /// Only the objects of this shard.
    pub shard: Option<Shard>,
    /// The number of threads that compile.
    pub threads: NonZeroUsize,
}

/// Fields of an application identity that take the place of those of the SODB.
#[derive(Clone, Debug, Default)]
pub struct ApplicationChanges {
    /// Name.
    pub name: Option<String>,
    /// File name of the executable.
    pub exe_filename: Option<String>,
    /// Version.
    pub version: Option<u64>,
    /// Name of the engine.
    pub engine: Option<String>,
    /// Version of the engine.
    pub engine_version: Option<u64>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Since the run began.
    pub elapsed: Duration,
    /// Objects that are done, also those that failed.
    pub done: usize,
    /// Objects that failed.
    pub failed: usize,
    /// All objects of the run.
    pub total: usize,
}

/// What is told while a run goes on. Progress comes from the calling thread, messages from those that compile.
pub trait Listener: Sync {
    /// Called four times a second, and at the end.
    fn progress(&self, progress: Progress);
    /// A message of the validation of the object with this key.
    fn message(&self, key: &[u8], message: &Message);
}

/// What a run did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    pub(crate) output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shard: Option<Shard>,
    pub(crate) adapter_family: String,
    pub(crate) abi_version: u64,
    pub(crate) compiler_version: Dotted,
    /// Objects that were compiled and stored.
    pub(crate) compiled: usize,
    /// Objects that the output had already, in the same version.
    pub(crate) up_to_date: usize,
    /// Objects that were compiled only because others are made from them.
    pub(crate) needed: usize,
    /// Objects that are not in the output, in the order of the SODB.
    pub failures: Vec<Failure>,
    /// What the user may not expect.
    pub warnings: Vec<String>,
}

/// An object that could not be compiled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// In hexadecimal digits.
    key: String,
    #[serde(skip)]
    shown: String,
    reason: String,
}

impl Failure {
    /// The key, in hexadecimal digits, and the reason.
    pub(crate) fn parts(&self) -> (&str, &str) {
        (&self.key, &self.reason)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "object {}: {}", self.shown, self.reason)
    }
}

/// No line begins with a digit: engine tools take such lines for progress.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Output: {}", self.output)?;
        if let Some(shard) = self.shard {
            writeln!(f, "Shard: {shard}")?;
        }
        writeln!(f, "Adapter Family: {}", self.adapter_family)?;
        writeln!(f, "ABI Version: {}", self.abi_version)?;
        writeln!(f, "Compiler Version: {}", self.compiler_version)?;
        writeln!(f, "Compiled: {}", self.compiled)?;
        writeln!(f, "Up to date: {}", self.up_to_date)?;
        writeln!(f, "Failed: {}", self.failures.len())
    }
}

/// Compiles. An object that fails costs only itself and what is made from it.
///
/// A file that is finished has the same bytes whatever the number of threads. A run that is killed leaves a file that
/// the next run completes.
///
/// # Errors
///
/// [`Error::Usage`], [`Error::Database`], [`Error::Plugin`]: the run could not begin, or the infrastructure failed.
pub fn compile(options: &Options, listener: &dyn Listener) -> Result<Report> {
    let begun = Instant::now();
    let mut warnings = Vec::new();
    let sodb = Sodb::open(&options.sodb, Access::Read)?;
    let application = application(&sodb, options, &mut warnings)?;
    let factory = options.plugin.open()?;
    let family = family(&factory, options.adapter_family.as_deref())?;
    let compiler_version = factory.compiler_version(family)?;
    let existed = options.output.exists();
    if existed {
        let theirs = psdb::File::open(&options.output)?.target().compiler_version;
        if theirs != compiler_version {
            return Err(Error::Usage(format!(
                "{} was compiled by version {} of the compiler, and the plugin has version {}: \
                 compile into a new file",
                options.output.display(),
                Dotted(theirs),
                Dotted(compiler_version)
            )));
        }
    }
    let mut files = vec![(
        ValueTypes::from(ValueType::ObjectCode) | ValueType::Metadata.into(),
        options.output.clone(),
    )];
    let more = [
        (ValueType::DebugPdb, &options.pdb),
        (ValueType::PerformanceData, &options.perf),
    ];
    for (kind, path) in more {
        let Some(path) = path else {
            continue;
        };
        if path.exists() || existed {
            let text = "PDBs and performance data go to new files, together with a new output";
            let path = if existed { &options.output } else { path };
            return Err(Error::Usage(format!("{} exists: {text}", path.display())));
        }
        files.push((kind.into(), path.clone()));
    }
    let target = TargetDesc {
        adapter_family_index: family,
        abi_version: options.abi,
    };

    let entries = sodb.entries()?;
    let selected = select(options, &sodb, &entries, &mut warnings)?;
    let unnamed = sodb.counts()?.unnamed;
    if unnamed != 0 {
        warnings.push(format!(
            "{unnamed} objects of {} have no key and are not compiled",
            options.sodb.display()
        ));
    }

    let session = factory.create_cache_session(&files, Some(target), Some(&application))?;
    let mut report = Report {
        output: path_text(&options.output),
        shard: options.shard,
        adapter_family: one_line(&factory.adapter_family(family)?),
        abi_version: session.target().abi_version(),
        compiler_version: Dotted(compiler_version),
        compiled: 0,
        up_to_date: 0,
        needed: 0,
        failures: Vec::new(),
        warnings,
    };
    let run = Run::new(sodb, entries, &selected, factory.create_compiler(&session)?)?;
    run.go(options.threads, begun, listener)?;
    let outcomes = std::mem::take(&mut run.lock().outcomes);
    for (place, outcome) in outcomes.into_iter().enumerate() {
        match outcome {
            Some(Outcome::Failed(reason)) => report.failures.push(Failure {
                key: hex(&run.entries[place].key),
                shown: shown(&run.entries[place].key),
                reason: one_line(&reason),
            }),
            Some(Outcome::Stored) => report.compiled += 1,
            Some(Outcome::UpToDate) => report.up_to_date += 1,
            Some(Outcome::Needed) => report.needed += 1,
            None => {}
        }
    }

    session.database().flush()?;
    // The last of the session's users closes the files, which cannot fail with a word: what failed shows in the files.
    drop(run);
    drop(session);
    for (_, path) in &files {
        if !psdb::File::open(path)?.is_finished() || (existed && report.compiled != 0) {
            psdb::rewrite(path)?;
        }
    }
    Ok(report)
}

/// The application identity of the SODB with the changes of the command line.
fn application(
    sodb: &Sodb,
    options: &Options,
    warnings: &mut Vec<String>,
) -> Result<ApplicationDesc> {
    let stored = sodb.application()?;
    let changes = &options.application;
    let base = stored.clone().unwrap_or(Application {
        exe: String::new(),
        name: String::new(),
        version: 0,
        engine_name: None,
        engine_version: 0,
    });
    let application = Application {
        exe: changes.exe_filename.clone().unwrap_or(base.exe),
        name: changes.name.clone().unwrap_or(base.name),
        version: changes.version.unwrap_or(base.version),
        engine_name: changes.engine.clone().or(base.engine_name),
        engine_version: changes.engine_version.unwrap_or(base.engine_version),
    };
    if application.name.is_empty() || application.exe.is_empty() {
        return Err(Error::Usage(format!(
            "{} does not say what application it is of: give --name and --exe-filename, or use set-identity",
            options.sodb.display()
        )));
    }
    if stored.is_some_and(|stored| stored != application) {
        warnings.push(format!(
            "the application identity differs from that of {}, by which a runtime finds the objects",
            options.sodb.display()
        ));
    }
    let engine = match &application.engine_name {
        Some(name) => Some(Engine {
            name: wide(name)?,
            version: application.engine_version,
        }),
        None => None,
    };
    Ok(ApplicationDesc {
        exe_filename: wide(&application.exe)?,
        name: wide(&application.name)?,
        version: application.version,
        engine,
    })
}

/// Text as plugins get it.
///
/// # Errors
///
/// [`Error::Usage`] for a NUL in it.
pub fn wide(text: &str) -> Result<U16CString> {
    U16CString::from_str(text).map_err(|_| Error::Usage(format!("{text:?} has a NUL in it")))
}

/// The index of the family: by its exact name, or else by number.
fn family(factory: &Factory, wanted: Option<&str>) -> Result<u32> {
    let families = factory.adapter_families()?;
    let place = match wanted {
        Some(wanted) => {
            let named = families.iter().position(|family| family == wanted);
            let numbered = || wanted.parse().ok().filter(|place| *place < families.len());
            named.or_else(numbered)
        }
        None => (families.len() == 1).then_some(0),
    };
    place
        .and_then(|place| u32::try_from(place).ok())
        .ok_or_else(|| {
            let problem = match wanted {
                Some(wanted) => format!("the plugin has no adapter family {wanted:?}"),
                None => "--adapter-family is needed, as the plugin does not have one only".into(),
            };
            let list: Vec<String> = families
                .iter()
                .enumerate()
                .map(|(place, name)| format!("{place} ({})", one_line(name)))
                .collect();
            Error::Usage(format!("{problem}; there are {}", list.join(", ")))
        })
}

fn select(
    options: &Options,
    sodb: &Sodb,
    entries: &[Entry],
    warnings: &mut Vec<String>,
) -> Result<Vec<bool>> {
    let only = match &options.key {
        None => None,
        Some(key) => {
            let exists = |key: &[u8]| entries.iter().any(|entry| entry.key == key);
            let (form, key) = key.find(|key| Ok(exists(key)))?;
            if form != Form::Text {
                warnings.push(format!("--key was taken for {}", form.name()));
            }
            Some(key)
        }
    };
    let is_selected = |entry: &Entry| {
        only.is_none_or(|key| key == entry.key)
            && match (entry.kind, &entry.parent) {
                (Kind::PipelineState, _) => options.psos,
                (Kind::StateObject(_), None) => options.state_objects,
                (Kind::StateObject(_), Some(_)) => options.add_to_state_objects,
                (Kind::Nothing, _) => true,
            }
    };
    let mut selected: Vec<bool> = entries.iter().map(is_selected).collect();
    if let Some(shard) = options.shard {
        let members = shard.members(sodb, entries)?;
        for (selected, is_member) in selected.iter_mut().zip(members) {
            *selected &= is_member;
        }
    }
    Ok(selected)
}

enum Outcome {
    Stored,
    UpToDate,
    /// Compiled only because another object is made from it.
    Needed,
    Failed(String),
}

struct Run {
    sodb: Sodb,
    entries: Vec<Entry>,
    graph: Graph,
    /// What has to be compiled.
    members: Vec<bool>,
    /// What of it is to be stored.
    stored: Vec<bool>,
    compiler: Compiler,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    schedule: Schedule,
    outcomes: Vec<Option<Outcome>>,
    /// Compiled objects that others are still to be made from, and how many.
    made: HashMap<usize, (StateObject, usize)>,
    done: usize,
    failed: usize,
    /// What ends the run.
    fatal: Option<Error>,
}

impl Run {
    fn new(sodb: Sodb, entries: Vec<Entry>, selected: &[bool], compiler: Compiler) -> Result<Self> {
        let database = compiler.session().database();
        let graph = Graph::new(&entries);
        let mut outcomes: Vec<Option<Outcome>> = Vec::new();
        for (entry, selected) in entries.iter().zip(selected) {
            let there = if *selected {
                database.find_group(&entry.key)?
            } else {
                None
            };
            outcomes.push(match there {
                None => None,
                Some(version) if version == entry.version => Some(Outcome::UpToDate),
                Some(version) => Some(Outcome::Failed(format!(
                    "the output has version {version} and the SODB version {}: compile into a new file",
                    entry.version
                ))),
            });
        }
        let stored: Vec<bool> = selected
            .iter()
            .zip(&outcomes)
            .map(|(selected, outcome)| *selected && outcome.is_none())
            .collect();
        let mut members = stored.clone();
        graph.close(&mut members);
        let mut failed = outcomes
            .iter()
            .filter(|outcome| matches!(outcome, Some(Outcome::Failed(_))))
            .count();
        let mut done = outcomes.iter().flatten().count();
        for place in Schedule::remove_cycles(&graph, &mut members) {
            if outcomes[place].is_none() {
                let text = "it is made from itself, or from an object that is";
                outcomes[place] = Some(Outcome::Failed(text.into()));
                failed += 1;
                done += 1;
            }
        }
        let state = State {
            schedule: Schedule::new(&graph, &members),
            outcomes,
            made: HashMap::new(),
            done,
            failed,
            fatal: None,
        };
        Ok(Self {
            sodb,
            entries,
            graph,
            members,
            stored,
            compiler,
            state: Mutex::new(state),
            changed: Condvar::new(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn go(&self, threads: NonZeroUsize, begun: Instant, listener: &dyn Listener) -> Result<()> {
        let total = {
            let state = self.lock();
            state.done + state.schedule.left()
        };
        let threads = threads.get().min(self.lock().schedule.left());
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| self.work(listener));
            }
            let mut state = self.lock();
            loop {
                let progress = Progress {
                    elapsed: begun.elapsed(),
                    done: state.done,
                    failed: state.failed,
                    total,
                };
                let over = state.schedule.left() == 0 || state.fatal.is_some();
                drop(state);
                listener.progress(progress);
                if over {
                    return;
                }
                let until = Instant::now() + PROGRESS;
                state = self.lock();
                while state.schedule.left() != 0 && state.fatal.is_none() {
                    let wait = until.saturating_duration_since(Instant::now());
                    if wait.is_zero() {
                        break;
                    }
                    let waited = self.changed.wait_timeout(state, wait);
                    (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
                }
            }
        });
        self.lock().fatal.take().map_or(Ok(()), Err)
    }

    /// What each thread does.
    fn work(&self, listener: &dyn Listener) {
        let mut state = self.lock();
        while state.schedule.left() != 0 && state.fatal.is_none() {
            let Some(place) = state.schedule.take() else {
                let waited = self.changed.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let needs = self.graph.needs[place].iter();
            let missing = needs.clone().find(|need| !state.made.contains_key(need));
            let made: HashMap<&[u8], StateObject> = needs
                .filter_map(|need| {
                    let (object, _) = state.made.get(need)?;
                    Some((self.entries[*need].key.as_slice(), object.clone()))
                })
                .collect();
            let result = if let Some(missing) = missing {
                let key = shown(&self.entries[*missing].key);
                let text =
                    format!("it is made from object {key}, which failed or is no state object");
                Ok(Err(text))
            } else {
                drop(state);
                let compiled =
                    catch_unwind(AssertUnwindSafe(|| self.compile(place, &made, listener)));
                state = self.lock();
                match compiled {
                    Ok(Ok(object)) => Ok(Ok(object)),
                    Ok(Err(error)) if error.is_worth_a_retry() => Err(error),
                    Ok(Err(error)) => Ok(Err(error.to_string())),
                    Err(panic) => Ok(Err(format!("the compiler panicked: {}", text_of(&*panic)))),
                }
            };
            drop(made);
            match result {
                Err(fatal) => {
                    state.fatal.get_or_insert(fatal);
                }
                Ok(result) => self.finish(&mut state, place, result),
            }
            self.changed.notify_all();
        }
        self.changed.notify_all();
    }

    fn finish(&self, state: &mut State, place: usize, result: Result<Option<StateObject>, String>) {
        let users = &self.graph.users[place];
        let users = users.iter().filter(|user| self.members[**user]).count();
        let outcome = match result {
            Ok(object) => {
                if let Some(object) = object.filter(|_| users != 0) {
                    state.made.insert(place, (object, users));
                }
                if self.stored[place] {
                    Outcome::Stored
                } else {
                    Outcome::Needed
                }
            }
            Err(reason) => Outcome::Failed(reason),
        };
        // One that is up to date stays so, even if it could not be made once more.
        if state.outcomes[place].is_none() {
            state.failed += usize::from(matches!(outcome, Outcome::Failed(_)));
            state.outcomes[place] = Some(outcome);
        }
        for need in &self.graph.needs[place] {
            if let Some((_, users)) = state.made.get_mut(need) {
                *users -= 1;
                if *users == 0 {
                    state.made.remove(need);
                }
            }
        }
        state.done += 1;
        state.schedule.finish(&self.graph, &self.members, place);
    }

    /// Compiles one object from what was made of its parent and its collections, by key.
    fn compile(
        &self,
        place: usize,
        made: &HashMap<&[u8], StateObject>,
        listener: &dyn Listener,
    ) -> Result<Option<StateObject>> {
        let entry = &self.entries[place];
        let compiler = &self.compiler;
        let group = [(entry.key.as_slice(), entry.version)];
        let groups = if self.stored[place] { &group[..] } else { &[] };
        let mut messages = Messages::default();
        let gone = || Error::Usage("it is not in the SODB any more".into());
        let compiled = if entry.kind == Kind::PipelineState {
            let found = self.sodb.find_pipeline_state(&entry.key)?;
            let desc = found.ok_or_else(gone)?.desc;
            let raw = desc.to_raw();
            // SAFETY: the description is of live memory, as the API wants it.
            unsafe { compiler.compile_pipeline_state(groups, raw.desc(), &mut messages) }
                .map(|()| None)
        } else {
            let found = self.sodb.find_state_object(&entry.key)?.ok_or_else(gone)?;
            let absent = |key: &[u8]| {
                Error::Usage(format!(
                    "it is made from object {}, which is absent",
                    shown(key)
                ))
            };
            let mut tokens = Vec::new();
            let mut objects = HashMap::new();
            for collection in &found.desc.collections {
                let object = made.get(collection.key.as_slice());
                let object = object.ok_or_else(|| absent(&collection.key))?;
                let token = ID3D12CompilerStateObject::from(Token);
                objects.insert(token.as_raw(), object);
                tokens.push(token);
            }
            let raw = found.desc.to_compiler_raw(&tokens);
            let mut find = |pointer: *mut c_void| objects.get(&pointer).copied().cloned();
            let result = match &found.parent {
                // SAFETY: the description is of live memory, as the API wants it.
                None => unsafe {
                    compiler.compile_state_object(groups, raw.desc(), &mut find, &mut messages)
                },
                Some(parent) => {
                    let parent = made.get(parent.as_slice()).ok_or_else(|| absent(parent))?;
                    // SAFETY: as above.
                    unsafe {
                        compiler.compile_add_to_state_object(
                            groups,
                            raw.desc(),
                            parent,
                            &mut find,
                            &mut messages,
                        )
                    }
                }
            };
            result.map(Some)
        };
        for message in messages.as_slice() {
            listener.message(&entry.key, message);
        }
        Ok(compiled?)
    }
}

/// What a panic says.
fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
}
