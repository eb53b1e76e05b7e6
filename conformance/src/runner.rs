//! Runs the tests: each in a process of its own, several at a time. What is under test is never loaded
//! here.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsString;
use std::io;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use conformance_catalogue::verdict::Verdict;
use conformance_catalogue::{Level, Party, Rule, rules};
use conformance_protocol::death::{Death, with_place};
use conformance_protocol::journal::{Account, Journal};
use conformance_protocol::{Request, Settings, Task, corpus, layer, record};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::debugger::Debugger;
use crate::gate::is_gate;
use crate::process::{self, Ended};
use crate::report::{Identity, Report, RuleReport};
use crate::run_journal::JournalError;
use crate::session::Session;
use crate::{Filter, Shard, Waiver};

/// What is under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tested {
    /// A plugin: its library; `None` for the sample plugin that is linked in.
    Plugin(Option<PathBuf>),
    /// A compiler runtime, with a plugin to load.
    Runtime {
        /// Its library; `None` for `compiler-runtime`, which is linked in.
        library: Option<PathBuf>,
        /// The plugin's library. The rules about hosts need the checking plugin.
        plugin: PathBuf,
    },
    /// A user-mode driver: its library; `None` for `mock-umd`, which is linked in.
    Driver {
        /// Its library.
        library: Option<PathBuf>,
        /// The library of its compiler plugin; `None` where it is not known, which for `mock-umd` is the sample plugin.
        plugin: Option<PathBuf>,
    },
}

impl Tested {
    /// Whether a rule is about what is under test.
    fn owes(&self, rule: Rule) -> bool {
        match rule.party() {
            Party::Plugin => matches!(self, Self::Plugin(_)),
            Party::Runtime | Party::Host => matches!(self, Self::Runtime { .. }),
            Party::Driver => matches!(self, Self::Driver { .. }),
        }
    }

    /// A request about it. The paths are absolute, as what is tested may change the folder.
    pub(crate) fn request(&self, task: Task) -> io::Result<Request> {
        let absolute = |path: &Option<PathBuf>| path.as_ref().map(std::path::absolute).transpose();
        let mut request = Request::new(task);
        match self {
            Self::Plugin(plugin) => request.plugin = absolute(plugin)?,
            Self::Runtime { library, plugin } => {
                request.library = absolute(library)?;
                request.plugin = Some(std::path::absolute(plugin)?);
            }
            Self::Driver { library, plugin } => {
                request.library = absolute(library)?;
                request.plugin = absolute(plugin)?;
            }
        }
        Ok(request)
    }
}

/// What to run, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The executable `ddi-conformance`, which is started again for each test.
    pub exe: PathBuf,
    /// What is under test.
    pub tested: Tested,
    /// Which rules to test.
    pub filter: Filter,
    /// The lowest level of the rules to test, of MUST, SHOULD, AMBIGUOUS.
    pub level: Level,
    /// Which part of the selected rules to test.
    pub shard: Shard,
    /// How thorough the tests are, and what they take by chance.
    pub settings: Settings,
    /// How often each test runs, unless it finds something.
    pub repeat: NonZeroU32,
    /// Whether the run ends with the first failure, crash or timeout.
    pub fail_fast: bool,
    /// What starts the process of a test; without it the runner does, with a limit of time.
    pub debugger: Option<Debugger>,
    /// How many tests run at a time.
    pub jobs: NonZeroUsize,
    /// How long one test may take.
    pub timeout: Duration,
    /// Environment variables that the processes of the tests get besides the inherited ones.
    pub env: Vec<(OsString, OsString)>,
    /// A new file for the journal, which has each verdict as it falls: [`journal_report`](crate::journal_report) reads it.
    pub journal: Option<PathBuf>,
    /// Whether the journal is there already, and the run goes on from it.
    pub resume: bool,
    /// A file for the trace of every call of the plugin: a new one, unless the run goes on from a journal. Only the tests of a
    /// plugin record; each may take ten times the limit.
    pub trace: Option<PathBuf>,
    /// The failures that do not count.
    pub waivers: Vec<Waiver>,
    /// Set it, from anywhere, to end the run: the tests in progress are killed, and the report has what was decided.
    pub interrupt: Arc<AtomicBool>,
}

/// What a run tells while it goes on.
#[derive(Clone, Copy, Debug)]
pub enum Event<'r> {
    /// It begins; there are no results yet.
    Begun(&'r Report),
    /// There is the result of a rule, of this run or of the one that it goes on from.
    Decided(&'r RuleReport),
}

impl Options {
    /// How long one test may take unless something else is said.
    pub const TIMEOUT: Duration = Duration::from_mins(1);

    /// Every test of the plugin at `plugin`, or of the one that is linked in, with as many jobs as
    /// there are processors.
    pub fn new(exe: impl Into<PathBuf>, plugin: Option<PathBuf>) -> Self {
        Self::of(exe.into(), Tested::Plugin(plugin))
    }

    /// Every test of the compiler runtime at `library`, or of the one that is linked in, which is
    /// given `plugin` to load.
    pub fn for_runtime(
        exe: impl Into<PathBuf>,
        library: Option<PathBuf>,
        plugin: impl Into<PathBuf>,
    ) -> Self {
        let plugin = plugin.into();
        Self::of(exe.into(), Tested::Runtime { library, plugin })
    }

    /// Every test of the user-mode driver at `library`, or of the mock driver that is linked in. What it says of its compiler
    /// is compared with `plugin`, which for the mock driver is the sample plugin.
    pub fn for_driver(
        exe: impl Into<PathBuf>,
        library: Option<PathBuf>,
        plugin: Option<PathBuf>,
    ) -> Self {
        Self::of(exe.into(), Tested::Driver { library, plugin })
    }

    /// The rules to test: those of the [`plan`], and of them only those about faults if there is a fault plan.
    pub fn rules(&self) -> Vec<Rule> {
        let mut rules = plan(&self.tested, &self.filter);
        rules.retain(|rule| rule.level() <= self.level);
        if let Some(fault_plan) = &self.settings.fault_plan {
            rules.retain(|rule| fault_plan.is_for(*rule));
        }
        self.shard.of(&rules)
    }

    /// How long one test may take: more while its calls are recorded.
    fn limit(&self) -> Duration {
        const WHILE_TRACED: u32 = 10;
        match self.trace {
            Some(_) => self.timeout * WHILE_TRACED,
            None => self.timeout,
        }
    }

    /// The environment variables as text.
    pub(crate) fn shown_env(&self) -> Vec<(String, String)> {
        let text = |text: &OsString| text.to_string_lossy().into_owned();
        let env = self.env.iter();
        env.map(|(name, value)| (text(name), text(value))).collect()
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    fn of(exe: PathBuf, tested: Tested) -> Self {
        Self {
            exe,
            tested,
            filter: Filter::all(),
            level: Level::Ambiguous,
            shard: Shard::default(),
            settings: Settings::default(),
            repeat: NonZeroU32::MIN,
            fail_fast: false,
            debugger: None,
            jobs: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            timeout: Self::TIMEOUT,
            env: Vec::new(),
            journal: None,
            resume: false,
            trace: None,
            waivers: Vec::new(),
            interrupt: Arc::default(),
        }
    }
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A library is not there or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// No plugin is named for a runtime, and the checking plugin is not beside the executable.
    #[error("{} does not exist: build the package checking-plugin, or name another plugin, as with --plugin", path.display())]
    CheckingPlugin {
        /// Where it should be.
        path: PathBuf,
    },
    /// The corpus is not there, cannot be read or has no container, or what is tested takes none.
    #[error("the corpus {}: {source}", path.display())]
    Corpus {
        /// Its folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The filter selects no rule that has a test.
    #[error("the filter selects no test; `ddi-conformance list` shows the rules")]
    NoTests,
    /// There is a fault plan, and no selected rule is tested under one like this.
    #[error(
        "no selected rule is tested under such a fault plan: the rules P-PSO-12 and P-PSO-14 of `run` take any of find, store and keys, P-PSO-13 one in which values are there too late, P-BND-02 one of alloc"
    )]
    NoFaultPlan,
    /// The tool could not do its work.
    #[error("cannot make a folder for the results: {0}")]
    Folder(#[source] io::Error),
    /// A rule is not about what is under test, or was not selected, or no test can decide it.
    #[error("{0} is not one of the rules that are tested here")]
    NotPlanned(Rule),
    /// The journal cannot be written, or is of another run.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The trace cannot be written.
    #[error("the trace {}: {source}", path.display())]
    Trace {
        /// Its path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The results are not those of the plan.
    #[error("{planned} tests were planned, but {done} have a result")]
    Accounting {
        /// Tests in the plan.
        planned: usize,
        /// Tests with a result.
        done: usize,
    },
}

/// The checking plugin, which is beside the executable: the plugin of a runtime that needs no other.
///
/// # Errors
///
/// It is not there.
pub fn checking_plugin(exe: &Path) -> Result<PathBuf, RunError> {
    let path = exe.with_file_name(format!("{DLL_PREFIX}checking_plugin{DLL_SUFFIX}"));
    if path.is_file() {
        Ok(path)
    } else {
        Err(RunError::CheckingPlugin { path })
    }
}

/// Runs the selected tests. `each` is told of every result as it comes, in no particular order, after it is in the journal; the
/// report has them in the order of [`rules::all`].
///
/// # Errors
///
/// A library's file cannot be read, no test is selected, or the system refuses what the tool needs.
/// A library that is broken, however badly, is not an error.
pub fn run(options: &Options, mut each: impl FnMut(Event<'_>)) -> Result<Report, RunError> {
    let mut session = Session::begun(options.clone())?;
    each(Event::Begun(session.report()));
    session.open_journal()?;
    let known = session.results();
    for result in &known {
        each(Event::Decided(result));
    }
    let is_known = |rule: &Rule| known.iter().any(|result| result.rule == *rule);
    let left = session.report().plan.iter().filter(|rule| !is_known(rule));
    let (first, left): (Vec<_>, Vec<_>) = left.copied().partition(|rule| is_gate(*rule));
    let end = || options.interrupt.store(true, Ordering::Relaxed);
    let error = Mutex::new(None);
    let tested = |rule: &Rule| {
        let result = session.run_rule(*rule);
        result.unwrap_or_else(|what| {
            end();
            let mut error = error.lock().unwrap_or_else(PoisonError::into_inner);
            error.get_or_insert(what);
            None
        })
    };
    let mut decided = |result: &RuleReport| {
        each(Event::Decided(result));
        let is_minor = matches!(result.verdict, Verdict::Warn(_))
            || session.report().waiver_of(result).is_some();
        if options.fail_fast && result.verdict.is_broken() && !is_minor {
            end();
        }
    };
    // One after the other: each can close the way of the next.
    for rule in &first {
        let Some(result) = tested(rule) else {
            break;
        };
        decided(&result);
    }
    in_parallel(options.jobs, &left, tested, decided);
    if let Some(error) = error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let report = session.finish()?;
    let is_whole = report
        .rules
        .iter()
        .map(|result| &result.rule)
        .eq(&report.plan);
    if !is_whole && !options.is_interrupted() {
        return Err(RunError::Accounting {
            planned: report.plan.len(),
            done: report.rules.len(),
        });
    }
    Ok(report)
}

/// The result of a rule whose test the system did not let begin.
pub(crate) fn not_started(rule: Rule, error: &io::Error) -> RuleReport {
    let reason = format!("cannot start the test's process: {error}");
    RuleReport::new(rule, Verdict::ToolError { reason })
}

/// Does `work` for each of `items`, so many at a time, until it says `None`. `each` is told of every result as it comes; all come
/// back in the order of the items.
pub(crate) fn in_parallel<I: Sync, R: Send>(
    jobs: NonZeroUsize,
    items: &[I],
    work: impl Fn(&I) -> Option<R> + Sync,
    mut each: impl FnMut(&R),
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let mut done = thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..jobs.get().min(items.len()) {
            let sender = sender.clone();
            let (next, work) = (&next, &work);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else {
                        break;
                    };
                    let Some(result) = work(item) else {
                        break;
                    };
                    // The receiver lives as long as this scope.
                    let _ = sender.send((number, result));
                }
            });
        }
        drop(sender);
        let results = results.into_iter();
        results
            .inspect(|(_, result)| each(result))
            .collect::<Vec<_>>()
    });
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The rules about what is under test that `filter` selects and that have a test, in the order of
/// [`rules::all`].
pub fn plan(tested: &Tested, filter: &Filter) -> Vec<Rule> {
    let testable = rules::all().filter(|rule| tested.owes(*rule) && rule.untestable().is_none());
    testable.filter(|rule| filter.selects(*rule)).collect()
}

/// A folder for the results, by its absolute path: what is tested may change the folder of its process.
pub(crate) fn folder() -> Result<TempDir, RunError> {
    let folder = std::path::absolute(std::env::temp_dir()).and_then(|parent| {
        let mut builder = tempfile::Builder::new();
        builder.prefix("ddi-conformance-").tempdir_in(parent)
    });
    folder.map_err(RunError::Folder)
}

/// Whether the corpus is one, where there is any.
pub(crate) fn check_corpus(options: &Options) -> Result<(), RunError> {
    let Some(path) = &options.settings.corpus else {
        return Ok(());
    };
    let files = match options.tested {
        Tested::Plugin(_) => corpus::files(path),
        _ => Err(io::Error::other("only the tests of a plugin take one")),
    };
    match files {
        Ok(_) => Ok(()),
        Err(source) => Err(RunError::Corpus {
            path: path.clone(),
            source,
        }),
    }
}

/// Makes the file of a trace; its absolute path, as what is tested may change the folder.
pub(crate) fn new_trace(path: &Path, goes_on: bool) -> Result<PathBuf, RunError> {
    let make = || {
        let mut file = std::fs::File::options();
        file.append(true)
            .create(goes_on)
            .create_new(!goes_on)
            .open(path)?;
        std::path::absolute(path)
    };
    make().map_err(|source| RunError::Trace {
        path: path.to_owned(),
        source,
    })
}

pub(crate) fn identify(path: &Path) -> Result<Identity, RunError> {
    let bytes = library_bytes(path)?;
    Ok(Identity {
        path: path.to_owned(),
        sha256: hex::encode(Sha256::digest(bytes)),
    })
}

/// The bytes of a library's file.
pub(crate) fn library_bytes(path: &Path) -> Result<Vec<u8>, RunError> {
    let cannot = |source| RunError::File {
        path: path.to_owned(),
        source,
    };
    // To read a FIFO or a device can take for ever.
    if !std::fs::metadata(path).map_err(cannot)?.is_file() {
        return Err(cannot(io::Error::other("not a regular file")));
    }
    std::fs::read(path).map_err(cannot)
}

/// Runs one test.
pub(crate) fn test(options: &Options, rule: Rule, folder: &Path) -> RuleReport {
    let folder = folder_of(folder, rule);
    let ended = match ended(options, rule, &folder) {
        Ok(ended) => ended,
        Err(error) => return not_started(rule, &error),
    };
    let mut account = Account::read(&folder);
    let (notes, fault_plan) = (account.notes.clone(), account.fault_plan.take());
    let calls = account.calls.lines();
    let in_first_compile = account.calls.is_in_first_compile();
    let backtrace = account.death.as_ref().map(Death::backtrace);
    let backtrace = backtrace.unwrap_or_default();
    let verdict = if Journal::is_in(&folder) {
        judge(options, rule, &ended, account)
    } else {
        let how = ended.status.map_or_else(|| "took too long".into(), how);
        let reason = format!("the test's process did not begin: {how}");
        Verdict::ToolError { reason }
    };
    let of_broken = |mut list: Vec<String>| {
        list.retain(|_| verdict.is_broken());
        list
    };
    RuleReport {
        rule,
        elapsed: ended.elapsed,
        notes,
        calls: of_broken(calls),
        in_first_compile: in_first_compile
            && matches!(verdict, Verdict::Crash { .. } | Verdict::Timeout { .. }),
        backtrace: of_broken(backtrace),
        fault_plan: fault_plan.filter(|_| verdict.is_broken()),
        output: match verdict {
            Verdict::Pass => String::new(),
            _ => ended.output,
        },
        verdict,
    }
}

/// The folder of the test of `rule`.
pub(crate) fn folder_of(folder: &Path, rule: Rule) -> PathBuf {
    folder.join(rule.id())
}

/// Has a child make the test of a rule, in a new folder.
fn ended(options: &Options, rule: Rule, folder: &Path) -> io::Result<Ended> {
    std::fs::create_dir(folder)?;
    let mut request = options.tested.request(Task::Test(rule))?;
    request.settings = options.settings.clone();
    let mut command = request.command(&options.exe, folder)?;
    command.envs(options.env.iter().map(|(name, value)| (name, value)));
    if let Tested::Runtime { .. } = options.tested {
        command.env(record::VARIABLE, folder.join("host"));
    }
    if let Some(trace) = &options.trace {
        command
            .env(layer::TRACE, trace)
            .env(layer::TRACED_RULE, rule.id());
    }
    let mut run = || match options.debugger {
        Some(debugger) => debugger.run(&command),
        None => process::run(&mut command, options.limit(), &options.interrupt),
    };
    let ended = run()?;
    if Journal::is_in(folder) || ended.status.is_none() || options.debugger.is_some() {
        return Ok(ended);
    }
    // What is tested has not been touched: it was the machine.
    run()
}

/// How a process ended that has given no verdict.
fn how(status: ExitStatus) -> String {
    process_tree::death(status).unwrap_or_else(|| {
        let code = status.code().unwrap_or_default();
        format!("ended without a verdict, with exit code {code}")
    })
}

/// What a test's process and its journal amount to.
fn judge(options: &Options, rule: Rule, ended: &Ended, account: Account) -> Verdict {
    let during = account.calls.during(account.at);
    match (account.outcome, ended.status) {
        (Some(outcome), _) => Verdict::of(rule, outcome, during),
        (None, None) => Verdict::Timeout {
            after_ms: u64::try_from(ended.elapsed.as_millis()).unwrap_or(u64::MAX),
            during,
        },
        (None, Some(status)) => {
            // That status is the debugger's.
            let how = match options.debugger {
                Some(_) => "the process died".into(),
                None => how(status),
            };
            Verdict::Crash {
                how: with_place(how, account.death.as_ref()),
                during,
            }
        }
    }
}
