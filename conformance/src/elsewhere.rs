//! A second process, which some tests compare their own with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use conformance_catalogue::verdict::{Outcome, Stop};
use conformance_protocol::build::Build;
use conformance_protocol::death::with_place;
use conformance_protocol::journal::{Account, Journal};
use conformance_protocol::{FaultPlan, Settings, calls};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::arena::Surroundings;
use crate::child;
use crate::compiler::Product;
use crate::driver::Driver;
use crate::fault::{self, Watch, watched};
use crate::layer;
use crate::object::Case;
use crate::process_change::ProcessChange;
use crate::rules::driver::abi::keys_of_abi;
use crate::rules::driver::asds::{StateOfDevice, blob_of, state_of_device};
use crate::rules::plugin::bnd::{Ended, out_of_memory, provoke};
use crate::rules::plugin::mem::works_at;
use crate::rules::plugin::{cver, fam};
use crate::subject::Subject;
use crate::upgrade::build::build;
use crate::{Options, process};

/// What a second process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Task {
    /// Opens the plugin, negotiates and lists the families.
    Families,
    /// Opens the plugin, negotiates and lists the versions of the families' compilers.
    CompilerVersions,
    /// Compiles everything for the newest target of each family.
    Products,
    /// Compiles a pipeline in which allocations fail as the fault plan says.
    OutOfMemory,
    /// Compiles with private memory of an alignment.
    Align,
    /// Makes the calls that must fail.
    Provoke,
    /// Asks a user-mode driver for its application-specific state.
    DriverBlob,
    /// Creates a device of a user-mode driver on a runtime that has a state for it.
    DriverStatus,
    /// Compiles what two builds of a plugin are compared by.
    Build,
    /// Compares the keys that a user-mode driver looks up with those of its plugin.
    DriverKeys,
}

/// What a second process is given besides its task.
#[derive(Debug, Default, clap::Args)]
pub struct Given {
    /// The plugin; without it the one that is linked in.
    #[arg(long)]
    plugin: Option<PathBuf>,
    /// The user-mode driver; without it the one that is linked in.
    #[arg(long)]
    driver: Option<PathBuf>,
    /// The state that a runtime has for the driver, in a file.
    #[arg(long)]
    state: Option<PathBuf>,
    /// The ABI version that the driver's plugin compiles for.
    #[arg(long)]
    abi_version: Option<u64>,
    /// The alignment of private memory.
    #[arg(long)]
    align: Option<usize>,
    /// The only object to compile, in the words of a report; without it everything.
    #[arg(long)]
    only: Option<String>,
    /// How many objects of everything to compile, at most.
    #[arg(long)]
    first: Option<usize>,
    /// What is different around the process.
    #[arg(long = "change")]
    changes: Vec<ProcessChange>,
    #[command(flatten)]
    settings: Settings,
}

impl Given {
    /// Whether the clock of the process is to be set by [`OTHER_TIME_SECONDS`].
    pub fn is_at_another_time(&self) -> bool {
        self.changes.contains(&ProcessChange::Time)
    }
}

/// What a second process writes.
type Answer = Result<Value, Stop>;

/// The extension of its journal, beside its answer.
const JOURNAL: &str = "journal";

/// Whether the clock that a plugin sees can be set in a process of ours: the bin's `clock` says how.
/// Where it cannot, another time is a little later.
pub const CLOCK_IS_OURS: bool = cfg!(all(
    target_os = "linux",
    target_env = "gnu",
    target_pointer_width = "64"
));

/// So far is the clock of another time, where it is ours: another year, day, hour, minute and second. It is
/// the past, as one who waits until a time that he computes from this clock must not wait for a year.
pub const OTHER_TIME_SECONDS: i64 = -(((400 * 24 + 7) * 60 + 13) * 60 + 5);

/// So much later starts a process where the clock is not ours, so that one of seconds has moved.
const LATER: Duration = Duration::from_millis(2100);

/// What a second process made of each target and object, in the words of [`Case`].
#[derive(Serialize, Deserialize)]
pub(crate) struct Products {
    made: BTreeMap<String, Option<Product>>,
    /// Of what should be different, what could not be made so.
    pub(crate) unchanged: Vec<ProcessChange>,
}

impl Products {
    /// Whether it tried one. Of the corpus it tries only what compiles.
    pub(crate) fn have(&self, case: &Case) -> bool {
        !case.object.is_generated() || self.made.contains_key(&case.to_string())
    }

    /// What it made of one; `None` where that did not compile.
    pub(crate) fn of(&self, case: &Case) -> Option<Product> {
        self.made.get(&case.to_string()).cloned().flatten()
    }
}

impl Subject<'_> {
    /// The families of the plugin in a new process that starts in an empty folder, with nothing in its
    /// environment that an installation could have put there.
    pub(crate) fn families_of_no_installation(&self) -> Result<Vec<Vec<u16>>, Stop> {
        let changes = vec![ProcessChange::Variables, ProcessChange::Folder];
        self.ask(Task::Families, |given| given.changes = changes)
    }

    /// The families of the plugin in a new process.
    pub(crate) fn families_elsewhere(&self) -> Result<Vec<Vec<u16>>, Stop> {
        self.ask(Task::Families, |_| {})
    }

    /// The versions of the families' compilers in a new process.
    pub(crate) fn compiler_versions_elsewhere(&self) -> Result<Vec<u64>, Stop> {
        self.ask(Task::CompilerVersions, |_| {})
    }

    /// What a new process makes of the first ones of everything, as many as a test has compiled.
    pub(crate) fn products_elsewhere(&self, first: usize) -> Result<Products, Stop> {
        self.ask(Task::Products, |given| given.first = Some(first))
    }

    /// What a process around which `changes` are made makes of everything that is not generated, or of `only`.
    pub(crate) fn products_after(
        &self,
        changes: &[ProcessChange],
        only: Option<&Case>,
    ) -> Result<Products, Stop> {
        self.ask(Task::Products, |given| {
            given.changes = changes.to_vec();
            given.only = only.map(ToString::to_string);
        })
    }

    /// What comes of a compile under a plan in a new process, which the plugin may end.
    pub(crate) fn out_of_memory_elsewhere(&self, plan: &FaultPlan) -> Result<Ended, Stop> {
        let plan = Some(plan.clone());
        self.ask(Task::OutOfMemory, |given| given.settings.fault_plan = plan)
    }

    /// Whether compilers and state objects work in private memory of no more than this alignment, in a new process: the
    /// refusal, if there is one.
    pub(crate) fn works_at_elsewhere(&self, align: usize) -> Result<Option<String>, Stop> {
        self.ask(Task::Align, |given| given.align = Some(align))
    }

    /// Makes the calls that must fail in a new process.
    pub(crate) fn provoke_elsewhere(&self) -> Outcome {
        self.ask(Task::Provoke, |_| {})
    }

    fn ask<T: DeserializeOwned>(
        &self,
        task: Task,
        more: impl FnOnce(&mut Given),
    ) -> Result<T, Stop> {
        let mut given = self.given();
        more(&mut given);
        ask(self.journal(), task, &given)
    }

    fn given(&self) -> Given {
        Given {
            plugin: self.path().map(Path::to_owned),
            settings: self.settings().clone(),
            ..Given::default()
        }
    }
}

impl Driver<'_> {
    /// The driver's state, from a process that exists for this: a runtime has a state before the first device is created.
    pub(crate) fn blob_elsewhere(&self) -> Result<Vec<u8>, Stop> {
        let given = Given {
            driver: self.library().map(Path::to_owned),
            ..Given::default()
        };
        ask(self.journal(), Task::DriverBlob, &given)
    }

    /// What the first device of a process makes of a state.
    pub(crate) fn status_elsewhere(&self, state: &[u8]) -> Result<StateOfDevice, Stop> {
        let file = self.journal().folder().join("state");
        std::fs::write(&file, state).map_err(|error| tool(&error))?;
        let given = Given {
            driver: self.library().map(Path::to_owned),
            state: Some(file),
            ..Given::default()
        };
        ask(self.journal(), Task::DriverStatus, &given)
    }

    /// Compares the keys that the driver looks up with those that its plugin names for an ABI version, in a process that
    /// exists for this: a driver may keep for its process what it has found. What was seen, in words.
    pub(crate) fn keys_elsewhere(&self, abi_version: u64) -> Result<String, Stop> {
        let given = Given {
            driver: self.library().map(Path::to_owned),
            plugin: self.plugin_path().map(Path::to_owned),
            abi_version: Some(abi_version),
            ..Given::default()
        };
        ask(self.journal(), Task::DriverKeys, &given)
    }
}

fn tool(error: &dyn std::fmt::Display) -> Stop {
    Stop::Tool(format!("second process: {error}"))
}

/// The name of a value on a command line.
fn name(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    let value = value.expect("no value is skipped");
    value.get_name().to_owned()
}

/// Has a process do a task.
fn ask<T: DeserializeOwned>(journal: &Journal, task: Task, given: &Given) -> Result<T, Stop> {
    journal.at("running a second process");
    let exe = std::env::current_exe().map_err(|error| tool(&error))?;
    let folder = tempfile::tempdir_in(journal.folder()).map_err(|error| tool(&error))?;
    let mut command = command(&exe, task, given, folder.path())?;
    if given.is_at_another_time() && !CLOCK_IS_OURS {
        thread::sleep(LATER);
    }
    command.stdin(Stdio::null());
    let second = process_tree::patiently(|| command.spawn());
    let mut second = second.map_err(|error| tool(&error))?;
    // The end is unknown where the plugin has this process ignore SIGCHLD.
    let status = second.wait();
    answered(folder.path(), || match status {
        Ok(status) => ended_by(status),
        Err(error) => format!("how is unknown ({error})"),
    })
}

/// What a build of a plugin makes, from a process that is given the time of one test.
pub(crate) fn build_of(options: &Options, plugin: &Path) -> Result<Build, Stop> {
    let folder = tempfile::tempdir().map_err(|error| tool(&error))?;
    let given = Given {
        plugin: Some(std::path::absolute(plugin).map_err(|error| tool(&error))?),
        settings: options.settings.clone(),
        ..Given::default()
    };
    let mut command = command(&options.exe, Task::Build, &given, folder.path())?;
    command.envs(options.env.iter().cloned());
    let ended = process::run(&mut command, options.timeout, &options.interrupt);
    let ended = ended.map_err(|error| tool(&error))?;
    answered(folder.path(), || match ended.status {
        Some(status) => ended_by(status),
        None => format!("it took longer than {} s", options.timeout.as_secs()),
    })
}

/// What a process ended by.
fn ended_by(status: ExitStatus) -> String {
    process_tree::death(status).unwrap_or_else(|| status.to_string())
}

/// Where a process writes its answer, in its folder.
fn place_of_answer(folder: &Path) -> PathBuf {
    folder.join("answer")
}

/// The process that does a task, with a folder of its own.
fn command(exe: &Path, task: Task, given: &Given, folder: &Path) -> Result<Command, Stop> {
    let mut command = Command::new(exe);
    command.args(["elsewhere", "--task", &name(&task)]);
    command.arg("--answer").arg(place_of_answer(folder));
    command.args(given.settings.options());
    let numbers = [
        ("--align", given.align.map(|align| align.to_string())),
        ("--first", given.first.map(|first| first.to_string())),
        (
            "--abi-version",
            given.abi_version.map(|version| version.to_string()),
        ),
    ];
    for (name, number) in numbers {
        if let Some(number) = number {
            command.args([name, &number]);
        }
    }
    let paths = [
        ("--plugin", &given.plugin),
        ("--driver", &given.driver),
        ("--state", &given.state),
    ];
    for (name, path) in paths {
        if let Some(path) = path {
            command.arg(name).arg(path);
        }
    }
    if let Some(only) = &given.only {
        command.arg("--only").arg(only);
    }
    for change in &given.changes {
        command.args(["--change", &name(change)]);
        let prepared = change.prepare(&mut command, folder);
        prepared.map_err(|error| tool(&error))?;
    }
    Ok(command)
}

/// What a process that is over has answered, or how it ended without.
fn answered<T: DeserializeOwned>(folder: &Path, how: impl FnOnce() -> String) -> Result<T, Stop> {
    let answer = place_of_answer(folder);
    let written = std::fs::read(&answer).ok();
    if let Some(answer) = written.and_then(|bytes| serde_json::from_slice::<Answer>(&bytes).ok()) {
        return serde_json::from_value(answer?).map_err(|error| tool(&error));
    }
    let account = Account::read(&answer.with_extension(JOURNAL));
    // A watched fault ends the process before it can answer.
    if let Some(Err(stop)) = account.outcome {
        return Err(stop);
    }
    let how = with_place(how(), account.death.as_ref());
    let during = account.calls.during(account.at);
    let during = during.map(|at| format!(", during {at}"));
    let during = during.unwrap_or_default();
    Err(Stop::CrashElsewhere(format!(
        "another process with the library died: {how}{during}"
    )))
}

/// Does `task` and writes the answer. Comes back only when that is impossible.
pub fn run_elsewhere(task: Task, answer: &Path, given: &Given) -> ExitCode {
    process_tree::behave();
    let mut unchanged = given.changes.clone();
    unchanged.retain(|change| !change.begin());
    let Ok(journal) = Journal::create(&answer.with_extension(JOURNAL)) else {
        return crate::exit_code::TOOL_ERROR.into();
    };
    fault::install(&journal);
    calls::install(journal.folder());
    // Where allocations fail a call depends on what else allocates.
    layer::IS_UNTRACED.store(task == Task::OutOfMemory, Ordering::Relaxed);
    let driver = Driver::new(given.driver.clone(), given.plugin.clone(), &journal);
    let subject = Subject::new(given.plugin.clone(), &journal, given.settings.clone());
    let done: Answer = child::caught(|| match task {
        Task::Families => fam::names(subject.open()?.capabilities()?).map(|names| to_json(&names)),
        Task::CompilerVersions => {
            cver::versions(subject.open()?.capabilities()?).map(|versions| to_json(&versions))
        }
        Task::Products => products(&subject, given, unchanged).map(|products| to_json(&products)),
        Task::Build => build(&subject).map(|build| to_json(&build)),
        Task::OutOfMemory => out_of_memory(&subject).map(|ended| to_json(&ended)),
        Task::Align => {
            let align = given.align.ok_or_else(|| tool(&"no alignment"))?;
            works_at(&subject, align).map(|refusal| to_json(&refusal))
        }
        Task::Provoke => provoke(&subject).map(|()| to_json(&())),
        Task::DriverBlob => Driver::verdict(blob_of(&driver)).map(|blob| to_json(&blob)),
        Task::DriverStatus => {
            let file = given.state.as_ref().ok_or_else(|| tool(&"no state"))?;
            let state = std::fs::read(file).map_err(|error| tool(&error))?;
            Driver::verdict(state_of_device(&driver, state)).map(|status| to_json(&status))
        }
        Task::DriverKeys => {
            let version = given.abi_version.ok_or_else(|| tool(&"no ABI version"))?;
            Driver::verdict(keys_of_abi(&driver, version)).map(|seen| to_json(&seen))
        }
    });
    // Without an answer the test sees that this process died.
    let _ = serde_json::to_vec(&done).map(|text| std::fs::write(answer, text));
    process_tree::exit_now(0)
}

fn to_json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("plain data")
}

fn products(
    subject: &Subject,
    given: &Given,
    unchanged: Vec<ProcessChange>,
) -> Result<Products, Stop> {
    let rig = subject.rig()?;
    let (mut cases, _) = rig.everything(subject.settings(), 1)?;
    cases.truncate(given.first.unwrap_or(usize::MAX));
    cases.retain(|case| match &given.only {
        Some(only) => case.to_string() == *only,
        None => given.changes.is_empty() || !case.object.is_generated(),
    });
    let product = |case: Case| {
        let made = watched(vec![Watch::needs(case.object.rule())], || {
            case.compiler.product(case.object, Surroundings::USUAL)
        })?;
        Ok((case.to_string(), made))
    };
    // In the other order than the test's own process, so that no state of the plugin is the same.
    let products = cases.into_iter().rev().map(product);
    let made = products.collect::<Result<_, Stop>>()?;
    Ok(Products { made, unchanged })
}
