//! `compile`: an SODB and a plugin in, a PSDB out. The plugin runs in worker processes, or in this process.

mod ask;
mod completeness;
mod in_process;
mod later;
mod object;
mod open_files;
mod printed;
mod process;
mod protocol;
mod remote;
mod renewal;
mod run;
mod same_run;
mod service;
mod stdio;
mod supervisor;
mod worker;

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fmt;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use compiler_runtime::message::Message;
use compiler_runtime::{
    ApplicationDesc, CacheSession, Engine, Factory, TargetDesc, U16CString, ValueType, ValueTypes,
};
use serde::{Deserialize, Serialize};
use shader_db::file_name;
use shader_db::psdb::{self, Psdb};
use shader_db::short_hex;
use shader_db::sodb::{self, Access, Application, Entry, Kind, Sodb};
use shader_db::temporary;

use crate::key::{FoundKey, KeyText, hex, shown};
use crate::list::PluginChoice;
use crate::report::{one_line, path_text, type_name};
use crate::shard::Shard;
use crate::{Dotted, Error, Result};
use ask::TargetQuestion;
use protocol::{Job, TypeBits};
use renewal::Outputs;
use run::{Outcome, Run};

pub(crate) use ask::{ApplicationFields, Question, TargetFields};
pub(crate) use protocol::{Task, system_path};
pub use renewal::Recompile;
pub use worker::work;

/// Bytes of stack for compiling, of which memory is used only as far as the compiler goes.
const STACK: usize = 64 << 20;

/// What to compile, for what, and where to.
#[derive(Clone, Debug)]
pub struct Options {
    /// The SODB. It is not changed.
    pub sodb: PathBuf,
    /// The PSDB for object code and metadata. One that exists is added to.
    pub output: PathBuf,
    /// The PSDB for shader PDBs. What the output has and this one has not is added.
    pub pdb: Option<PathBuf>,
    /// The PSDB for performance data, likewise.
    pub perf: Option<PathBuf>,
    /// The plugin.
    pub plugin: PluginChoice,
    /// The adapter family, by name or by index; not needed if the plugin has one only.
    pub adapter_family: Option<String>,
    /// The ABI version; 0 is the newest.
    pub abi: u64,
    /// What the output has and is compiled again.
    pub recompile: Recompile,
    /// What to replace in the application identity of the SODB.
    pub application: ApplicationChanges,
    /// Which objects are stored.
    pub selection: Selection,
    /// The number of threads that compile, or of worker processes, at most.
    pub threads: NonZeroUsize,
    /// The worker processes; without them the plugin runs in this process.
    pub workers: Option<Workers>,
}

/// Which objects of an SODB are stored. What they are made from is compiled as well.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Only this object.
    pub key: Option<KeyText>,
    /// Whether pipeline states are.
    pub psos: bool,
    /// Whether state objects are.
    pub state_objects: bool,
    /// Whether additions to state objects are.
    pub add_to_state_objects: bool,
    /// Only the objects of this shard.
    pub shard: Option<Shard>,
}

/// All objects.
impl Default for Selection {
    fn default() -> Self {
        Self {
            key: None,
            psos: true,
            state_objects: true,
            add_to_state_objects: true,
            shard: None,
        }
    }
}

/// How worker processes are started, and what they may do.
#[derive(Clone, Debug)]
pub struct Workers {
    /// The program.
    pub exe: PathBuf,
    /// Its arguments, with which it has to call [`work`].
    pub args: Vec<OsString>,
    /// How long one object may take, and loading the plugin.
    pub timeout: Option<Duration>,
    /// Gets each line that the plugin prints, without control characters, on any thread.
    pub printed: fn(&str),
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

/// What is told while a run goes on, and asked. Progress comes from the calling thread, messages from those that compile.
pub trait Listener: Sync {
    /// Called four times a second, and at the end.
    fn progress(&self, progress: Progress);
    /// A message of the validation of the object with this key.
    fn message(&self, key: &[u8], message: &Message);
    /// How often the user has asked for the end. From the first time on no object is begun, and at the second time worker
    /// processes are killed.
    fn interrupts(&self) -> usize;
}

/// What a run did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    pub(crate) output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shard: Option<Shard>,
    /// The only object, if the selection has a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<FoundKey>,
    pub(crate) adapter_family: String,
    pub(crate) abi_version: u64,
    pub(crate) compiler_version: Dotted,
    /// Objects that were compiled and stored.
    pub(crate) compiled: usize,
    /// Objects that the output had already, in the same version.
    pub(crate) up_to_date: usize,
    /// Objects that were compiled only because others are made from them.
    pub(crate) needed: usize,
    /// Objects that an interrupted run did not come to.
    pub not_done: usize,
    /// Whether the output is still the old one, since that or the new one is in use.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) in_use: bool,
    /// Objects of the output that have no value of a type that was asked for, by its name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) without: BTreeMap<&'static str, usize>,
    /// The types of value that were asked for and that not one object of the output has. That single ones have none can be
    /// their nature: a root signature has nothing to debug.
    #[serde(skip)]
    pub never_stored: Vec<&'static str>,
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
    fn new(key: &[u8], reason: &str) -> Self {
        Self {
            key: hex(key),
            shown: shown(key),
            reason: one_line(reason),
        }
    }

    fn hex(&self) -> String {
        self.key.clone()
    }

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

impl Report {
    /// Whether all objects are in the output, with what was asked for; not if the run was interrupted.
    pub fn is_complete(&self) -> bool {
        self.failures.is_empty() && !self.is_to_be_repeated() && self.never_stored.is_empty()
    }

    /// Whether the same command has more to do: the run was interrupted, or could not put its files in their places.
    pub fn is_to_be_repeated(&self) -> bool {
        self.not_done != 0 || self.in_use
    }
}

/// No line begins with a digit: engine tools take such lines for progress.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Output: {}", self.output)?;
        if let Some(shard) = self.shard {
            writeln!(f, "Shard: {shard}")?;
        }
        if let Some(key) = &self.key {
            writeln!(f, "Key: {key}")?;
        }
        writeln!(f, "Adapter Family: {}", self.adapter_family)?;
        writeln!(f, "ABI Version: {}", self.abi_version)?;
        writeln!(f, "Compiler Version: {}", self.compiler_version)?;
        writeln!(f, "Compiled: {}", self.compiled)?;
        writeln!(f, "Up to date: {}", self.up_to_date)?;
        writeln!(f, "Failed: {}", self.failures.len())?;
        if self.not_done != 0 {
            writeln!(f, "Not done: {}", self.not_done)?;
        }
        for (name, objects) in &self.without {
            writeln!(f, "Without {name}: {objects}")?;
        }
        Ok(())
    }
}

/// Compiles. An object that fails costs only itself and what is made from it; with worker processes, also one that ends the
/// plugin's process or takes too long.
///
/// A file that is finished has the same bytes whatever the number of threads or processes, and however many of these died.
/// A run that is killed leaves a file that the next run completes.
///
/// # Errors
///
/// [`Error::Usage`], [`Error::Database`], [`Error::Plugin`], [`Error::Worker`]: the run could not begin, or the
/// infrastructure failed.
pub fn compile(options: &Options, listener: &dyn Listener) -> Result<Report> {
    for (_, path) in outputs(options) {
        file_name::check(&path)?;
    }
    let mut compiled = compile_into(options, None, listener)?;
    if compiled.report.not_done == 0 {
        later::complete(options, &mut compiled, listener)?;
    }
    let Compiled {
        mut report,
        stored,
        outputs,
    } = compiled;
    let without = completeness::without(&outputs.files, &stored)?;
    let never = completeness::never_stored(&outputs.files, stored.len(), &without)?;
    report.never_stored = never.into_iter().map(type_name).collect();
    let named = |(kind, objects)| (type_name(kind), objects);
    report.without = without.into_iter().map(named).collect();
    if outputs.is_renewal() && report.not_done == 0 {
        let output = options.output.display();
        if stored.is_empty() && !report.failures.is_empty() {
            let text = format!("nothing could be compiled: {output} stays as it was");
            report.warnings.push(text);
        } else if outputs.is_optional() && !report.failures.is_empty() {
            report.warnings.push(format!(
                "{} objects could not be compiled: {output} stays as it was, as all that it has can be used",
                report.failures.len()
            ));
        } else {
            match outputs.take_places() {
                Err(Error::Database(shader_db::Error::Busy { path })) => {
                    report.in_use = true;
                    report.warnings.push(format!(
                        "{} is in use, so {} is still what it was: all is compiled, and the same command puts it there",
                        path.display(),
                        options.output.display()
                    ));
                }
                done => done?,
            }
        }
    }
    Ok(report)
}

/// What a run has compiled.
struct Compiled {
    report: Report,
    stored: Vec<Stored>,
    outputs: Outputs,
}

/// The key and the version of an object that the output has now.
type Stored = (Vec<u8>, u32);

/// Compiles what is selected, or of it `only` these objects.
fn compile_into(
    options: &Options,
    only: Option<&HashSet<&[u8]>>,
    listener: &dyn Listener,
) -> Result<Compiled> {
    let begun = Instant::now();
    let mut warnings = Vec::new();
    let sodb = Sodb::open(&options.sodb, Access::Read)?;
    let application = application(&sodb, options, &mut warnings)?;
    if psdb::exists(&options.output) {
        // Before a plugin is loaded.
        psdb::File::open(&options.output)?;
    }
    let question = TargetQuestion {
        adapter_family: options.adapter_family.clone(),
        abi: options.abi,
        application,
    };
    let (plugin, answer) = match &options.workers {
        None => {
            let factory = options.plugin.open()?;
            let answer = question.ask(&factory)?;
            (Place::Here(factory), answer)
        }
        Some(workers) => {
            let answer =
                question.ask_elsewhere(&options.plugin, workers, &|| listener.interrupts())?;
            (Place::Workers(workers), answer)
        }
    };
    let target = answer.target;
    let now = target.origin(&question.application);
    let outputs = Outputs::choose(outputs(options), &now, options.recompile, &mut warnings)?;
    let files = &outputs.files;
    check_together(files)?;
    let is_there = psdb::exists(&files[0].1);
    let is_new = !files.iter().any(|(_, path)| psdb::exists(path));
    // Both read every row.
    let (entries, counts) = thread::scope(|scope| {
        let counts = scope.spawn(|| sodb.counts());
        (sodb.entries(), counts.join())
    });
    let entries = entries?;
    let (mut selected, key) = options.selection.of(&sodb, &entries)?;
    let mut renewed = outputs.renewed()?;
    for (selected, entry) in selected.iter_mut().zip(&entries) {
        *selected |= renewed.remove(&entry.key);
    }
    if !renewed.is_empty() && outputs.is_optional() {
        return Err(Error::Usage(format!(
            "{} objects that {} has are not in {}, and would be lost: what can be used is compiled again only if all of it is",
            renewed.len(),
            options.output.display(),
            options.sodb.display()
        )));
    }
    if !renewed.is_empty() {
        warnings.push(format!(
            "{} objects that {} has are not in {}, and cannot be compiled again",
            renewed.len(),
            options.output.display(),
            options.sodb.display()
        ));
    }
    if let Some(only) = only {
        for (selected, entry) in selected.iter_mut().zip(&entries) {
            *selected &= only.contains(&*entry.key);
        }
    }
    if options.selection.key.is_some() && !selected.contains(&true) {
        warnings.push(match options.selection.shard {
            Some(shard) => format!("nothing is compiled: the object of this key is not in shard {shard}, or is left out"),
            None => "nothing is compiled: the object of this key is of a kind that is left out".into(),
        });
    }
    let unnamed = counts.unwrap_or_else(|panic| resume_unwind(panic))?.unnamed;
    if unnamed != 0 {
        warnings.push(format!(
            "{unnamed} objects of {} have no key and are not compiled",
            options.sodb.display()
        ));
    }

    let open = || {
        let options = psdb::Options {
            target: Some(target.clone()),
            application: Some(question.application.clone()),
            ..psdb::Options::default()
        };
        Ok::<_, Error>(Arc::new(Psdb::open(files, &options)?))
    };
    // A session puts the rows of a file that it makes, or that was not finished, in order when it closes it.
    let mut finished = Vec::new();
    for (_, path) in files.iter().filter(|(_, path)| psdb::exists(path)) {
        if psdb::File::open(path)?.is_finished() {
            finished.push(path);
        }
    }
    let mut is_added_to = !finished.is_empty();
    let is_one_of_several = is_there && files.len() > 1;
    let is_killed = is_one_of_several && finished.len() < files.len();
    if is_one_of_several && files.iter().all(|(_, path)| psdb::exists(path)) {
        // Before a session stores what a killed one has left in a journal, to all of them.
        same_run::check(files)?;
    }
    let mut output = open()?;
    let mut there = vec![false; entries.len()];
    if is_there {
        let (mut stale, incomplete);
        (there, stale, incomplete) = look(&output, &entries, &selected)?;
        let lost = completeness::lost(files)?;
        if is_killed {
            same_run::check(files)?;
        }
        if !stale.is_empty() || !incomplete.is_empty() || lost.is_some() {
            drop(output);
            if !stale.is_empty() {
                warnings.push(format!(
                    "{} objects had another version in {}, and are compiled again",
                    stale.len(),
                    options.output.display()
                ));
            }
            let mut damaged = lost.clone().unwrap_or_default();
            damaged.extend(incomplete);
            for (there, entry) in there.iter_mut().zip(&entries) {
                *there &= !damaged.contains(&entry.key);
            }
            if !damaged.is_empty() {
                warnings.push(format!(
                    "{} objects had lost values in {}, and are removed: those that are selected are compiled again",
                    damaged.len(),
                    options.output.display()
                ));
            }
            stale.extend(damaged.iter().map(Vec::as_slice));
            let paths: Vec<&PathBuf> = files.iter().map(|(_, path)| path).collect();
            psdb::remove_groups(&paths, &stale)?;
            if lost.is_some() {
                paths.iter().try_for_each(|path| psdb::remove_lost(path))?;
            }
            output = open()?;
            is_added_to = true;
        }
    }
    // What others have stored for no group stays.
    let mut kept = HashSet::new();
    if selected
        .iter()
        .zip(&there)
        .any(|(is_selected, there)| *is_selected && !there)
    {
        for path in finished {
            kept.extend(psdb::unnamed_keys(path)?);
        }
    }
    let mut report = Report {
        output: path_text(&options.output),
        shard: options.selection.shard,
        key,
        adapter_family: one_line(&target.family),
        abi_version: output.target().abi,
        compiler_version: Dotted(output.target().compiler_version),
        compiled: 0,
        up_to_date: 0,
        needed: 0,
        not_done: 0,
        in_use: false,
        without: BTreeMap::new(),
        never_stored: Vec::new(),
        failures: Vec::new(),
        warnings,
    };
    let work = Work {
        count: open_files::affordable(options.threads.get().min(entries.len())),
        entries,
        selected,
        there,
        begun,
        listener,
    };
    let (tried, stored) = match &plugin {
        Place::Here(factory) => {
            let target = TargetDesc {
                adapter_family_index: answer.family_index,
                abi_version: target.abi,
            };
            let application = to_desc(&question.application)?;
            let store = Arc::clone(&output) as _;
            let session = factory.create_session_over(store, target, &application)?;
            work.in_process(&sodb, &session, &output, &mut report)?
        }
        Place::Workers(workers) => {
            let job = Job {
                sodb: options.sodb.clone(),
                plugin: options.plugin.clone(),
                family_index: answer.family_index,
                abi: target.abi,
                application: question.application.clone(),
                types: TypeBits(output.types()),
                is_new,
            };
            work.in_workers(workers, job, sodb, &output, &mut report)?
        }
    };

    report.warnings.extend(unsteady(&output));
    output.flush()?;
    // The last of its users closes the files, which cannot fail with a word: what failed shows in the files.
    drop(output);
    for (_, path) in files {
        let done = put_in_order(path, tried, is_added_to, &kept);
        leave_to_others(done, path, &mut report.warnings)?;
    }
    Ok(Compiled {
        report,
        stored,
        outputs,
    })
}

/// Makes a warning of it that a file, which has all that is to be in it, cannot be put in order because it is in use: whoever
/// has it open is the last to close it.
fn leave_to_others(done: Result<()>, path: &Path, warnings: &mut Vec<String>) -> Result<()> {
    match done {
        Err(Error::Database(shader_db::Error::Busy { .. })) => {
            warnings.push(format!(
                "{} is whole, and in use by another run or program, which is left to put it in order",
                path.display()
            ));
            Ok(())
        }
        done => done,
    }
}

/// Takes out of a file what the run has left in it that belongs to no object, and gives it its canonical form.
fn put_in_order(
    path: &Path,
    tried: bool,
    is_added_to: bool,
    kept: &HashSet<Vec<u8>>,
) -> Result<()> {
    let mut is_changed = is_added_to && tried;
    if tried {
        // Of objects that failed, or that others are made from.
        let mut unnamed = psdb::unnamed_keys(path)?;
        unnamed.retain(|key| !kept.contains(key));
        if !unnamed.is_empty() {
            psdb::remove_unnamed(path, &unnamed)?;
            is_changed = true;
        }
    }
    if is_changed || !psdb::File::open(path)?.is_finished() {
        psdb::rewrite(path)?;
    }
    Ok(())
}

/// So many values that were made with different bytes are told one by one.
const TOLD: usize = 20;

/// What is said of a plugin that does not make the same of the same.
fn unsteady(database: &Psdb) -> Vec<String> {
    let values = database.differing_values();
    let told = values.iter().take(TOLD).map(|(key, kind)| {
        let (kind, key) = (type_name(*kind), short_hex(key));
        format!(
            "the plugin is not deterministic: {kind} of value key {key} was made again with other bytes; the first stay"
        )
    });
    let mut told: Vec<String> = told.collect();
    if values.len() > TOLD {
        told.push(format!(
            "at least {} values were made again with other bytes",
            values.len()
        ));
    }
    told
}

/// Where the plugin runs.
enum Place<'a> {
    Here(Factory),
    Workers(&'a Workers),
}

/// Which selected entries the output has in the version of the SODB, the keys of those that it has in another, and of those
/// that have lost values.
type Looked<'a> = (Vec<bool>, Vec<&'a [u8]>, Vec<Vec<u8>>);

fn look<'a>(output: &Psdb, entries: &'a [Entry], selected: &[bool]) -> Result<Looked<'a>> {
    let (mut there, mut stale) = (vec![false; entries.len()], Vec::new());
    let mut incomplete = Vec::new();
    for (place, entry) in entries
        .iter()
        .enumerate()
        // What a damaged row is about is nothing that could be up to date, or another version of it.
        .filter(|(place, entry)| selected[*place] && entry.kind != Kind::Nothing)
    {
        match output.find_group(&entry.key)? {
            None => {}
            Some(version) if version == entry.version => {
                if completeness::is_whole(output, entry)? {
                    there[place] = true;
                } else {
                    incomplete.push(entry.key.clone());
                }
            }
            Some(_) => stale.push(&*entry.key),
        }
    }
    Ok((there, stale, incomplete))
}

/// The files of the output, each for the types of value in its set.
fn outputs(options: &Options) -> Vec<(ValueTypes, PathBuf)> {
    let mut files = vec![(
        ValueTypes::from(ValueType::ObjectCode) | ValueType::Metadata.into(),
        options.output.clone(),
    )];
    let more = [
        (ValueType::DebugPdb, &options.pdb),
        (ValueType::PerformanceData, &options.perf),
    ];
    for (kind, path) in more {
        files.extend(path.clone().map(|path| (kind.into(), path)));
    }
    files
}

/// That files can be written together: side files with objects are not those of an output that is new.
fn check_together(files: &[(ValueTypes, PathBuf)]) -> Result<()> {
    let output = &files[0].1;
    if !psdb::exists(output) {
        for (_, path) in files.iter().filter(|(_, path)| psdb::exists(path)) {
            if psdb::File::open(path)?.has_groups()? {
                return Err(Error::Usage(format!(
                    "{} exists, and {} does not: give the output of the run that made it, or new files",
                    path.display(),
                    output.display()
                )));
            }
        }
    }
    Ok(())
}

/// What is to be done.
struct Work<'a> {
    entries: Vec<Entry>,
    selected: Vec<bool>,
    /// What of it the output has.
    there: Vec<bool>,
    /// Threads or processes, at most.
    count: usize,
    begun: Instant,
    listener: &'a dyn Listener,
}

/// Each way adds to the report, and gives back whether there was anything to compile, and what the output has.
impl Work<'_> {
    fn in_process(
        self,
        sodb: &Sodb,
        session: &CacheSession,
        database: &Psdb,
        report: &mut Report,
    ) -> Result<(bool, Vec<Stored>)> {
        let run = Run::new(self.entries, &self.selected, &self.there, 0);
        let left = run.left();
        if left != 0 {
            // What is found from here on stays.
            database.begin()?;
        }
        let threads = self.count.min(left);
        in_process::go(&run, threads, sodb, session, self.begun, self.listener)?;
        Ok((left != 0, report.add(&run)))
    }

    fn in_workers(
        self,
        workers: &Workers,
        mut job: Job,
        sodb: Sodb,
        database: &Arc<Psdb>,
        report: &mut Report,
    ) -> Result<(bool, Vec<Stored>)> {
        let count = self.count;
        let run = Run::new(self.entries, &self.selected, &self.there, count);
        // It may have the file to itself.
        sodb.close()?;
        let left = run.left();
        let copied = if left == 0 {
            None
        } else {
            // What is in the way of the first store is in the way of nobody yet.
            database.begin()?;
            with_its_log(&job.sodb)?
        };
        // A copy is no file of the user's, who is told of the original.
        let names = copied
            .as_ref()
            .map(|(_, copy)| (path_text(copy), path_text(&job.sodb)));
        if let Some((_, copy)) = &copied {
            job.sodb.clone_from(copy);
        }
        let renamed = |text: String| match &names {
            None => text,
            Some((copy, original)) => text.replace(copy, original),
        };
        let warnings = supervisor::go(
            &run,
            workers,
            count.min(left),
            &job,
            database,
            self.begun,
            self.listener,
        )
        .map_err(|error| match error {
            Error::Worker { text, exit_code } => Error::Worker {
                text: renamed(text),
                exit_code,
            },
            error => error,
        })?;
        drop(copied);
        report.warnings.extend(warnings);
        let stored = report.add(&run);
        for failure in &mut report.failures {
            failure.reason = renamed(std::mem::take(&mut failure.reason));
        }
        Ok((left != 0, stored))
    }
}

/// An SODB whose log was left behind can be read by one process only. The workers get a copy that has the log in it.
fn with_its_log(sodb: &Path) -> Result<Option<(temporary::Folder, PathBuf)>> {
    let beside = |path: &Path, suffix| {
        let mut name = OsString::from(path);
        name.push(suffix);
        PathBuf::from(name)
    };
    let log = beside(sodb, "-wal");
    let has_log = log.metadata().is_ok_and(|log| log.len() != 0);
    if !has_log || beside(sodb, "-shm").exists() {
        return Ok(None);
    }
    let (folder, copy) = sodb::copy_with_log(sodb)?;
    Sodb::checkpoint(&copy).map_err(|error| error.called(&copy, sodb))?;
    Ok(Some((folder, copy)))
}

impl Report {
    /// Adds what became of the objects, and gives back those that the output has.
    fn add<M: Send>(&mut self, run: &Run<M>) -> Vec<Stored> {
        self.not_done = run.left();
        let mut stored = Vec::new();
        for (entry, outcome) in run.entries.iter().zip(run.outcomes()) {
            if let Some(Outcome::Stored | Outcome::UpToDate) = outcome {
                stored.push((entry.key.clone(), entry.version));
            }
            match outcome {
                Some(Outcome::Failed(reason)) => {
                    self.failures.push(Failure::new(&entry.key, &reason));
                }
                Some(Outcome::Stored) => self.compiled += 1,
                Some(Outcome::UpToDate) => self.up_to_date += 1,
                Some(Outcome::Needed) => self.needed += 1,
                None => {}
            }
        }
        stored
    }
}

/// The application identity of the SODB with the changes of the command line.
fn application(sodb: &Sodb, options: &Options, warnings: &mut Vec<String>) -> Result<Application> {
    let mut stored = sodb.application()?;
    if let Some(stored) = &mut stored
        && stored.engine_name.is_none()
        && stored.engine_version != 0
    {
        warnings.push(format!(
            "{} has the version {} of an engine without a name, which is taken for 0",
            options.sodb.display(),
            Dotted(stored.engine_version)
        ));
        stored.engine_version = 0;
    }
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
    if application.engine_name.is_none() && application.engine_version != 0 {
        return Err(Error::Usage(format!(
            "--engine-version is that of no engine: {} names none, so give --engine as well",
            options.sodb.display()
        )));
    }
    if stored.is_some_and(|stored| stored != application) {
        warnings.push(format!(
            "the application identity differs from that of {}, by which a runtime finds the objects",
            options.sodb.display()
        ));
    }
    Ok(application)
}

/// An application as plugins get it.
pub(crate) fn to_desc(application: &Application) -> Result<ApplicationDesc> {
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
fn wide(text: &str) -> Result<U16CString> {
    U16CString::from_str(text).map_err(|_| Error::Usage(format!("{text:?} has a NUL in it")))
}

impl Selection {
    /// Whether nothing is left out.
    pub(crate) fn is_of_all(&self) -> bool {
        let kinds = self.psos && self.state_objects && self.add_to_state_objects;
        kinds && self.key.is_none() && self.shard.is_none()
    }

    /// Which entries of an SODB are selected, and what a key was taken for.
    fn of(&self, sodb: &Sodb, entries: &[Entry]) -> Result<(Vec<bool>, Option<FoundKey>)> {
        let only = match &self.key {
            None => None,
            Some(key) => {
                let exists = |key: &[u8]| entries.iter().any(|entry| entry.key == key);
                Some(key.find(|key| Ok(exists(key)))?)
            }
        };
        let is_selected = |entry: &Entry| {
            only.is_none_or(|(_, key)| key == entry.key)
                && match (entry.kind, &entry.parent) {
                    (Kind::PipelineState, _) => self.psos,
                    (Kind::StateObject(_), None) => self.state_objects,
                    (Kind::StateObject(_), Some(_)) => self.add_to_state_objects,
                    (Kind::Nothing, _) => true,
                }
        };
        let mut selected: Vec<bool> = entries.iter().map(is_selected).collect();
        if let Some(shard) = self.shard {
            let members = shard.members(sodb, entries)?;
            for (selected, is_member) in selected.iter_mut().zip(members) {
                *selected &= is_member;
            }
        }
        Ok((selected, only.map(FoundKey::from)))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use shader_db::psdb::{Application, Options, Psdb, Target, ValueTypes};

    pub fn application() -> Application {
        Application {
            exe: "a.exe".into(),
            name: "a".into(),
            version: 1,
            engine_name: None,
            engine_version: 0,
        }
    }

    /// A new PSDB for all types of value.
    pub fn open(folder: &Path) -> Psdb {
        let options = Options {
            target: Some(Target {
                family: "GPU".into(),
                abi: 1,
                compiler_version: 1,
                profile_version: 0,
            }),
            application: Some(application()),
            ..Options::default()
        };
        Psdb::open(&[(ValueTypes::ALL, folder.join("a.psdb"))], &options).unwrap()
    }
}
