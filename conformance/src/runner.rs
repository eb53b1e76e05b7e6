//! Runs the tests: each in a process of its own, several at a time. What is under test is never loaded
//! here.

use std::ffi::{OsStr, OsString};
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use host_rules::record;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::journal::Account;
use crate::process::{self, Ended};
use crate::report::{Identities, Identity, Report, RuleReport};
use crate::{Filter, Party, Rule, Settings, Verdict, corpus, rules};

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
    /// How thorough the tests are, and what they take by chance.
    pub settings: Settings,
    /// How many tests run at a time.
    pub jobs: NonZeroUsize,
    /// How long one test may take.
    pub timeout: Duration,
    /// Environment variables that the processes of the tests get besides the inherited ones.
    pub env: Vec<(OsString, OsString)>,
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
        if let Some(fault_plan) = &self.settings.fault_plan {
            rules.retain(|rule| fault_plan.is_for(*rule));
        }
        rules
    }

    fn of(exe: PathBuf, tested: Tested) -> Self {
        Self {
            exe,
            tested,
            filter: Filter::all(),
            settings: Settings::default(),
            jobs: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            timeout: Self::TIMEOUT,
            env: Vec::new(),
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
    /// The results are not those of the plan.
    #[error("{planned} tests were planned, but {done} have a result")]
    Accounting {
        /// Tests in the plan.
        planned: usize,
        /// Tests with a result.
        done: usize,
    },
}

/// Runs the selected tests. `each` is told of every result as it comes, in no particular order; the
/// report has them in the order of [`rules::all`].
///
/// # Errors
///
/// A library's file cannot be read, no test is selected, or the system refuses what the tool needs.
/// A library that is broken, however badly, is not an error.
pub fn run(options: &Options, mut each: impl FnMut(&RuleReport)) -> Result<Report, RunError> {
    let start = Instant::now();
    let tested = match &options.tested {
        Tested::Plugin(plugin) => Identities::Plugin(plugin.as_deref().map(identify).transpose()?),
        Tested::Runtime { library, plugin } => Identities::Runtime {
            library: library.as_deref().map(identify).transpose()?,
            plugin: identify(plugin)?,
        },
        Tested::Driver { library, plugin } => Identities::Driver {
            library: library.as_deref().map(identify).transpose()?,
            plugin: plugin.as_deref().map(identify).transpose()?,
        },
    };
    if let Some(path) = &options.settings.corpus {
        let files = match options.tested {
            Tested::Plugin(_) => corpus::files(path),
            _ => Err(io::Error::other("only the tests of a plugin take one")),
        };
        files.map_err(|source| RunError::Corpus {
            path: path.clone(),
            source,
        })?;
    }
    let plan = options.rules();
    if plan.is_empty() {
        return Err(match options.settings.fault_plan {
            Some(_) => RunError::NoFaultPlan,
            None => RunError::NoTests,
        });
    }
    let folder = folder()?;
    let rules = in_parallel(
        options.jobs,
        &plan,
        |rule| test(options, *rule, folder.path()),
        &mut each,
    );
    if !rules.iter().map(|result| &result.rule).eq(&plan) {
        return Err(RunError::Accounting {
            planned: plan.len(),
            done: rules.len(),
        });
    }
    Ok(Report {
        tested,
        of: self::plan(&options.tested, &Filter::all()).len(),
        env: options.env.clone(),
        settings: options.settings.clone(),
        rules,
        elapsed: start.elapsed(),
    })
}

/// Does `work` for each of `items`, so many at a time. `each` is told of every result as it comes; all come back
/// in the order of the items.
pub(crate) fn in_parallel<I: Sync, R: Send>(
    jobs: NonZeroUsize,
    items: &[I],
    work: impl Fn(&I) -> R + Sync,
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
                    // The receiver lives as long as this scope.
                    let _ = sender.send((number, work(item)));
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
    let testable =
        rules::all().filter(|rule| tested.owes(*rule) && rules::untestable(*rule).is_none());
    testable.filter(|rule| filter.selects(*rule)).collect()
}

/// A folder for the results.
pub(crate) fn folder() -> Result<TempDir, RunError> {
    let mut builder = tempfile::Builder::new();
    builder
        .prefix("ddi-conformance-")
        .tempdir()
        .map_err(RunError::Folder)
}

fn identify(path: &Path) -> Result<Identity, RunError> {
    let cannot = |source| RunError::File {
        path: path.to_owned(),
        source,
    };
    // To read a FIFO or a device can take for ever.
    if !std::fs::metadata(path).map_err(cannot)?.is_file() {
        return Err(cannot(io::Error::other("not a regular file")));
    }
    let bytes = std::fs::read(path).map_err(cannot)?;
    let sha256 = hex::encode(Sha256::digest(&bytes));
    Ok(Identity {
        path: path.to_owned(),
        sha256,
    })
}

/// Runs one test.
pub(crate) fn test(options: &Options, rule: Rule, folder: &Path) -> RuleReport {
    let journal = journal(folder, rule);
    let folder = folder.join(rule.id());
    let mut command = Command::new(&options.exe);
    command
        .arg("child")
        .args(["--rule", rule.id()])
        .arg("--journal")
        .arg(&journal)
        .args(options.settings.options());
    match &options.tested {
        Tested::Plugin(plugin) => {
            command.args(
                plugin
                    .iter()
                    .flat_map(|plugin| [OsStr::new("--plugin"), plugin.as_ref()]),
            );
        }
        Tested::Runtime { library, plugin } => {
            let library = library.iter();
            command
                .args(library.flat_map(|library| [OsStr::new("--runtime"), library.as_ref()]))
                .arg("--plugin")
                .arg(plugin)
                .env(record::VARIABLE, folder.join("host"));
        }
        Tested::Driver { library, plugin } => {
            for (name, path) in [("--driver", library), ("--plugin", plugin)] {
                let path = path.iter();
                command.args(path.flat_map(|path| [OsStr::new(name), path.as_ref()]));
            }
        }
    }
    command.envs(options.env.iter().map(|(name, value)| (name, value)));
    let mut run = || {
        std::fs::create_dir(&folder)?;
        let ended = process::run(&mut command, options.timeout)?;
        if journal.exists() || ended.status.is_none() {
            return Ok(ended);
        }
        // What is tested has not been touched: it was the machine.
        process::run(&mut command, options.timeout)
    };
    match run() {
        Ok(ended) => {
            let mut account = Account::read(&journal);
            let (notes, fault_plan) = (account.notes.clone(), account.fault_plan.take());
            let verdict = if journal.exists() {
                judge(rule, &ended, account)
            } else {
                let how = ended.status.map_or_else(|| "took too long".into(), how);
                Verdict::ToolError(format!("the test's process did not begin: {how}"))
            };
            RuleReport {
                rule,
                elapsed: ended.elapsed,
                notes,
                fault_plan: fault_plan.filter(|_| verdict.is_broken()),
                verdict,
                output: ended.output,
            }
        }
        Err(error) => RuleReport {
            rule,
            elapsed: Duration::ZERO,
            notes: Vec::new(),
            verdict: Verdict::ToolError(format!("cannot start the test's process: {error}")),
            output: String::new(),
            fault_plan: None,
        },
    }
}

/// The journal of the test of `rule`.
pub(crate) fn journal(folder: &Path, rule: Rule) -> PathBuf {
    folder.join(rule.id()).join("journal")
}

/// How a process ended that has given no verdict.
fn how(status: ExitStatus) -> String {
    process_tree::death(status).unwrap_or_else(|| {
        let code = status.code().unwrap_or_default();
        format!("ended without a verdict, with exit code {code}")
    })
}

/// What a test's process and its journal amount to.
fn judge(rule: Rule, ended: &Ended, account: Account) -> Verdict {
    let during = account.at;
    match (account.outcome, ended.status) {
        (Some(outcome), _) => Verdict::of(rule, outcome, during),
        (None, None) => Verdict::Timeout {
            after_ms: u64::try_from(ended.elapsed.as_millis()).unwrap_or(u64::MAX),
            during,
        },
        (None, Some(status)) => Verdict::Crash {
            how: how(status),
            during,
        },
    }
}
