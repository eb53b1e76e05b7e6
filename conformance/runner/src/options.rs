//! What to run, and how.

use std::ffi::OsString;
use std::io;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use conformance_catalogue::{Level, Rule, rules};
use conformance_protocol::{Settings, corpus};

use crate::debugger::Debugger;
use crate::error::RunError;
use crate::filter::Filter;
use crate::shard::Shard;
use crate::tested::Tested;
use crate::waivers::Waiver;

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
    pub(crate) fn limit(&self) -> Duration {
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

    /// Whether the corpus is one, where there is any.
    pub(crate) fn check_corpus(&self) -> Result<(), RunError> {
        let Some(path) = &self.settings.corpus else {
            return Ok(());
        };
        let files = match self.tested {
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

/// The rules about what is under test that `filter` selects and that have a test, in the order of
/// [`rules::all`].
pub fn plan(tested: &Tested, filter: &Filter) -> Vec<Rule> {
    let testable = rules::all().filter(|rule| tested.owes(*rule) && rule.untestable().is_none());
    testable.filter(|rule| filter.selects(*rule)).collect()
}
