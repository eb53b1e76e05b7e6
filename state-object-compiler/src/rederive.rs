//! `verify` with an SODB and a plugin: whether the plugin makes the content of the PSDB from the SODB.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use compatibility::differences;
use compiler_runtime::message::Message;
use parking_lot::Mutex;
use shader_db::psdb::{self, File, Psdb, ValueType, ValueTypes};
use shader_db::temporary;

use crate::compile::{
    self, ApplicationChanges, Listener, Options, Progress, Recompile, Selection, Workers,
};
use crate::key::FoundKey;
use crate::plugin::PluginChoice;
use crate::report::type_name;
use crate::verify::Finding;
use crate::{Error, Result};

/// The inputs of a PSDB.
#[derive(Clone, Debug)]
pub struct Source {
    /// The SODB.
    pub sodb: PathBuf,
    /// The plugin.
    pub plugin: PluginChoice,
    /// The objects that the PSDB has.
    pub selection: Selection,
    /// The number of worker processes.
    pub threads: NonZeroUsize,
    /// The worker processes in which the plugin runs.
    pub workers: Workers,
    /// How often the user has asked for the end, as of [`Listener::interrupts`].
    pub interrupts: fn() -> usize,
}

impl Source {
    fn is_interrupted(&self) -> bool {
        (self.interrupts)() != 0
    }
}

/// The progress of a verification: how much is done, and how much there is.
pub type Steps<'a> = dyn FnMut(u64, u64) + Send + 'a;

struct Watcher<'a> {
    steps: Mutex<&'a mut Steps<'a>>,
    source: &'a Source,
}

impl Listener for Watcher<'_> {
    fn progress(&self, progress: Progress) {
        let mut steps = self.steps.lock();
        steps(progress.done as u64, progress.total as u64);
    }

    fn message(&self, _: &[u8], _: &Message) {}

    fn interrupts(&self) -> usize {
        (self.source.interrupts)()
    }
}

/// The result of the new compilation.
#[derive(Default)]
pub(crate) struct Again {
    /// The number of objects.
    pub(crate) objects: u64,
    /// The only object, if the selection has a key.
    pub(crate) key: Option<FoundKey>,
}

/// Compiles the SODB once more, into a directory that it removes even after an interrupt, and compares.
///
/// The order of a group's value keys does not count, and this compares only object code: the specification does not require
/// other values to be the same each time.
pub(crate) fn compare(
    files: &[(String, File)],
    source: &Source,
    steps: &mut Steps<'_>,
    problems: &mut Vec<Finding>,
    warnings: &mut Vec<String>,
) -> Result<Again> {
    let [(first_name, first), ..] = files else {
        return Ok(Again::default());
    };
    // From here on an interrupt must not end the process at once: it must first remove the directory.
    if source.is_interrupted() {
        return Err(Error::Interrupted);
    }
    let place = std::env::temp_dir();
    let folder = temporary::Folder::new().map_err(|error| Error::file(&place, error))?;
    let output = folder.path().join("again.psdb");
    let report = compile::compile(
        &options(files, source, folder.path(), &output)?,
        &Watcher {
            steps: Mutex::new(steps),
            source,
        },
    )?;
    if source.is_interrupted() {
        return Err(Error::Interrupted);
    }
    warnings.extend(report.warnings);
    let made = File::open(&output)?;
    check_same_maker(first_name, first, &made, warnings);
    let objects = made.counts()?.groups;

    let failures: HashMap<&str, &str> = report
        .failures
        .iter()
        .map(compile::Failure::parts)
        .collect();
    let groups = Groups::of(files, source, &output, &failures, problems)?;
    let mut missing = |key: &[u8], version| {
        problems.push(Finding {
            file: first_name.clone(),
            group: Some(hex::encode(key)),
            value_key: None,
            problem: format!("missing: the SODB has this object, in version {version}"),
        });
    };
    made.for_each_group(&mut |key, content| {
        if let Ok((version, _)) = content
            && !groups.seen.contains(key)
        {
            missing(key, version);
        }
        ControlFlow::Continue(())
    })?;
    let is_failure = |key: &&Vec<u8>| failures.contains_key(hex::encode(key).as_str());
    let failed = failures.len() - groups.seen.iter().filter(is_failure).count();
    if failed != 0 {
        warnings.push(format!(
            "{failed} objects of {} cannot be compiled, nor does the PSDB have them",
            source.sodb.display()
        ));
    }
    compare_code(files, source, &output, &made, &groups.of_value, problems)?;
    if source.is_interrupted() {
        return Err(Error::Interrupted);
    }
    Ok(Again {
        objects,
        key: report.key,
    })
}

/// The settings of the run that made the files, as far as the files show them.
fn options(
    files: &[(String, File)],
    source: &Source,
    folder: &Path,
    output: &Path,
) -> Result<Options> {
    let (_, first) = &files[0];
    let (target, application) = (first.target(), first.application());
    // The types that the user asks for decide which value keys there are.
    let mut has = [false; ValueType::ALL.len()];
    for (_, file) in files {
        for (has, count) in has.iter_mut().zip(file.counts()?.values) {
            *has |= count != 0;
        }
    }
    let when = |kind: ValueType, name| has[kind as usize].then(|| folder.join(name));
    Ok(Options {
        sodb: source.sodb.clone(),
        output: output.to_owned(),
        pdb: when(ValueType::DebugPdb, "pdb.psdb"),
        perf: when(ValueType::PerformanceData, "perf.psdb"),
        plugin: source.plugin.clone(),
        adapter_family: Some(target.family.clone()),
        abi: target.abi,
        recompile: Recompile::Must,
        application: ApplicationChanges {
            name: Some(application.name.clone()),
            exe_filename: Some(application.exe.clone()),
            version: Some(application.version),
            engine: application.engine_name.clone(),
            // Without an engine there is no version.
            engine_version: (application.engine_name.as_ref()).map(|_| application.engine_version),
        },
        selection: source.selection.clone(),
        threads: source.threads,
        workers: Some(source.workers.clone()),
    })
}

/// Warns of other versions, which may make other code; that is then no fault of the files.
fn check_same_maker(name: &str, file: &File, made: &File, warnings: &mut Vec<String>) {
    for difference in differences(&file.origin(), &made.origin()) {
        warnings.push(format!(
            "{name}: {difference}, which it was compared with: the differences may have that cause"
        ));
    }
}

/// The groups of the files.
struct Groups {
    /// All keys.
    seen: HashSet<Vec<u8>>,
    /// For each value key that a group has in both, that group.
    of_value: HashMap<Vec<u8>, Vec<u8>>,
    /// Whether the run compiles all objects of the SODB again.
    is_of_all: bool,
}

impl Groups {
    fn of(
        files: &[(String, File)],
        source: &Source,
        output: &Path,
        failures: &HashMap<&str, &str>,
        problems: &mut Vec<Finding>,
    ) -> Result<Self> {
        let made = read(output)?;
        let mut groups = Self {
            seen: HashSet::new(),
            of_value: HashMap::new(),
            is_of_all: source.selection.is_of_all(),
        };
        for (name, file) in files {
            let mut result = Ok(());
            file.for_each_group(&mut |key, content| {
                if source.is_interrupted() {
                    return ControlFlow::Break(());
                }
                groups.seen.insert(key.to_vec());
                let problem = content
                    .map(|(version, keys)| groups.compare(&made, failures, key, version, keys));
                match problem {
                    Ok(Ok(Some(problem))) => problems.push(Finding {
                        file: name.clone(),
                        group: Some(hex::encode(key)),
                        value_key: None,
                        problem,
                    }),
                    Ok(Err(error)) => {
                        result = Err(error);
                        return ControlFlow::Break(());
                    }
                    // A report of the damage exists already.
                    Ok(Ok(None)) | Err(_) => {}
                }
                ControlFlow::Continue(())
            })?;
            result?;
        }
        Ok(groups)
    }

    /// The difference of a group, if there is one.
    fn compare(
        &mut self,
        made: &Psdb,
        failures: &HashMap<&str, &str>,
        key: &[u8],
        version: u32,
        keys: &[&[u8]],
    ) -> Result<Option<String>> {
        let Some(again) = made.find_group(key)? else {
            return Ok(Some(match failures.get(hex::encode(key).as_str()) {
                Some(reason) => format!("it is not compiled again: {reason}"),
                None if self.is_of_all => "the SODB has no such object".into(),
                None => "the SODB has no such object, or it is not selected".into(),
            }));
        };
        if again != version {
            return Ok(Some(format!(
                "it has version {version}, and the SODB version {again}"
            )));
        }
        let keys: HashSet<&[u8]> = keys.iter().copied().collect();
        let made = made.group_value_keys(key, again)?.unwrap_or_default();
        let (before, after, mut common) = (keys.len(), made.len(), 0);
        for value in made.into_iter().filter(|value| keys.contains(&**value)) {
            common += 1;
            self.of_value.entry(value).or_insert_with(|| key.to_vec());
        }
        Ok((common != before || common != after).then(|| {
            format!("different value keys: {before} in the file and {after} made again, {common} of them equal")
        }))
    }
}

/// Opens a session to find values and groups.
fn read(output: &Path) -> Result<Psdb> {
    let options = psdb::Options {
        access: psdb::Access::Read,
        ..psdb::Options::default()
    };
    Ok(Psdb::open(&[(ValueTypes::ALL, output)], &options)?)
}

/// Compares the object code of the value keys that both have.
fn compare_code(
    files: &[(String, File)],
    source: &Source,
    output: &Path,
    made: &File,
    groups: &HashMap<Vec<u8>, Vec<u8>>,
    problems: &mut Vec<Finding>,
) -> Result<()> {
    let session = read(output)?;
    let mut with_code: HashSet<Vec<u8>> = HashSet::new();
    let code = type_name(ValueType::ObjectCode);
    let mut differs = |file: &str, key: &[u8], problem| {
        problems.push(Finding {
            file: file.into(),
            group: groups.get(key).map(hex::encode),
            value_key: Some(hex::encode(key)),
            problem: format!("{code}: {problem}"),
        });
    };
    for (name, file) in files {
        let mut result = Ok(());
        file.for_each_value(&mut |key, kind, value| {
            if source.is_interrupted() {
                return ControlFlow::Break(());
            }
            if kind != ValueType::ObjectCode {
                return ControlFlow::Continue(());
            }
            with_code.insert(key.to_vec());
            // A report of the damage exists already.
            let Ok(value) = value else {
                return ControlFlow::Continue(());
            };
            match session.find_value(key, kind, |again| again == value) {
                Err(error) => {
                    result = Err(error);
                    return ControlFlow::Break(());
                }
                Ok(Some(false)) => differs(name, key, "different bytes are made again"),
                Ok(None) if groups.contains_key(key) => differs(name, key, "none is made again"),
                Ok(_) => {}
            }
            ControlFlow::Continue(())
        })?;
        result?;
    }
    let (first_name, _) = &files[0];
    made.for_each_value(&mut |key, kind, _| {
        if source.is_interrupted() {
            return ControlFlow::Break(());
        }
        if kind == ValueType::ObjectCode && groups.contains_key(key) && !with_code.contains(key) {
            differs(first_name, key, "missing: it is made again");
        }
        ControlFlow::Continue(())
    })?;
    Ok(())
}
