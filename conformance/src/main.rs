//! `ddi-conformance`: tests a D3D12 compiler plugin, a compiler runtime or a user-mode driver against the rules of
//! ShaderCompilerPlugin.md and of the documents on drivers.

mod allocator;
mod clock;
mod package_command;
mod texts;
mod trace_command;

use std::io::{self, Write};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum, value_parser};
use conformance::defects;
use conformance_runner::{
    Debugger, Event, Filter, Format, Level, Options, Reporter, RunError, Settings, Shard,
    UpgradeError, Waiver, checking_plugin, exit_code, journal_report, run, selftest,
    selftest_steps, upgrade_check,
};
use indicatif::{ProgressBar, ProgressStyle};
use package_command::PackageArgs;
use plugin_host::{DdiVersions, InvalidDdiVersions};
use serde_json::Value;

use crate::trace_command::{ReplayArgs, TraceCommand, replay_trace, trace};

const EXIT_CODES: &str = "\
Exit codes:
   0  conformant: every MUST rule that applies was decided, and no rule is
      broken; with --strict, every rule that applies was decided.
      With --filter, only the selected rules count; after run --set smoke, as
      far as that set looks
   1  not conformant: a rule is broken, or its test crashed or timed out
   2  the command line is wrong
   3  a library's file, the corpus, the journal or the waivers are missing or
      cannot be read or written, the journal is of another run, or a waiver
      has expired or is of a rule that passes
   4  no test was selected, or no selected rule applies
   5  incomplete: no rule is known to be broken, but a MUST rule (with
      --strict, any rule) was not decided, or the run was interrupted
  70  the tool itself failed";

const SELFTEST_EXIT_CODES: &str = "\
Exit codes:
   0  every defect that applies was noticed
   1  a defect was not noticed
   2  the command line is wrong
   3  the plugin's file or the corpus is missing or cannot be read
   4  no defect was selected, or none applies
   5  incomplete: every defect that was tried was noticed, but some were left
      out, because their rules do not hold on the plugin itself
  70  the tool itself failed";

const UPGRADE_EXIT_CODES: &str = "\
Exit codes:
   0  the versions tell what changed
   1  they do not: an object differs under versions that promise that it does
      not; or a build breaks a rule, crashes or takes too long, so that nothing
      can be compared
   2  the command line is wrong
   3  a plugin's file or the corpus is missing or cannot be read
   5  it was interrupted
  70  the tool itself failed";

const FILTER: &str = "\
Select rules by id: a comma-separated list of patterns. \
`=P-ABI-05` is exactly that id; a pattern with `*`, `?` or `[` is a glob over the whole id; \
any other pattern selects the ids that contain it. Case does not matter";

const WAIVERS: &str = "\
A TOML file of failures that do not count: tables [[waiver]] with rule, reason, link and expires = YYYY-MM-DD. \
A waiver that has expired, or whose rule passes, is an error";

/// Tests a D3D12 compiler plugin or a compiler runtime against the rules of ShaderCompilerPlugin.md.
#[derive(Parser)]
#[command(version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Test a plugin, each rule in a process of its own
    Run {
        /// The plugin's library [default: the sample plugin, which is linked in]
        plugin: Option<PathBuf>,
        /// Record every call of the plugin, with all that its arguments lead to, in this new file: see `trace` and `replay`. For
        /// a few rules: all of them fill hundreds of megabytes. The limit of time is ten times as long
        #[arg(long, value_name = "FILE")]
        trace: Option<PathBuf>,
        #[command(flatten)]
        settings: Settings,
        #[command(flatten)]
        args: RunArgs,
    },
    /// Test a compiler runtime, each rule in a process of its own
    RunRuntime {
        /// The runtime's library [default: the compiler runtime, which is linked in]
        runtime: Option<PathBuf>,
        /// The library of the plugin that the runtime loads [default: the checking plugin beside this executable]
        #[arg(long)]
        plugin: Option<PathBuf>,
        #[command(flatten)]
        args: RunArgs,
    },
    /// Test a user-mode driver, each rule in a process of its own
    RunUmd {
        /// The driver's library; without it the mock driver that is linked in
        driver: Option<PathBuf>,
        /// The library of the driver's compiler plugin, which must say the same of families and versions [default: of the mock
        /// driver the sample plugin that is linked in; of another driver none, and the rules U-ABI stay undecided]
        #[arg(long)]
        plugin: Option<PathBuf>,
        #[command(flatten)]
        args: RunArgs,
    },
    /// Show that the tests would notice defects of a plugin: put a layer with one defect after the other in front of it
    Selftest {
        /// The plugin's library [default: the sample plugin, which is linked in]
        #[arg(long, value_name = "PLUGIN")]
        on: Option<PathBuf>,
        #[command(flatten)]
        settings: Settings,
        #[command(flatten)]
        args: SelftestArgs,
    },
    /// Compare what two builds of a plugin make of the same objects, and whether their versions tell how it differs
    #[command(after_help = UPGRADE_EXIT_CODES)]
    UpgradeCheck {
        /// The library of the build that clients have
        old: PathBuf,
        /// The library of the build that is to replace it
        new: PathBuf,
        #[command(flatten)]
        settings: Settings,
        /// The limit in seconds for all compiles of one build
        #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = value_parser!(u64).range(1..))]
        timeout: u64,
        /// Count a warning as a failure
        #[arg(long)]
        strict: bool,
        /// The format of the result
        #[arg(long, default_value = "text")]
        format: TextOrJson,
    },
    /// Make a report from the journals of runs, also of one that goes on or has died; of the parts of --shard one of all
    Report {
        /// What runs wrote with --journal
        #[arg(required = true, value_name = "JOURNAL")]
        journals: Vec<PathBuf>,
        /// Count a warning as a failure, and any undecided rule as incomplete
        #[arg(long)]
        strict: bool,
        #[arg(long, value_name = "FILE", help = WAIVERS)]
        waivers: Option<PathBuf>,
        /// The format of the report
        #[arg(long, default_value = "text")]
        format: Format,
    },
    /// Show what `run --trace` recorded
    #[command(subcommand)]
    Trace(TraceCommand),
    /// Make the calls of a trace again, of the same plugin or another one, and say what is different
    Replay(ReplayArgs),
    /// Put a finished run into one file, with all that is known of it, for people who were not there; `verify` checks one
    Package(PackageArgs),
    /// List the rules
    List {
        #[arg(long, default_value = "text")]
        format: TextOrJson,
    },
    /// Explain rules: what they demand, why, and how to repair a library that breaks them
    Explain {
        #[arg(value_parser = texts::of_some_rule, help = FILTER)]
        patterns: Filter,
    },
    /// Do what the request in a folder asks
    #[command(hide = true)]
    Child { folder: PathBuf },
}

#[derive(Args)]
#[command(after_help = EXIT_CODES)]
struct RunArgs {
    #[command(flatten)]
    tests: TestArgs,
    /// The format of the report
    #[arg(long, default_value = "text")]
    format: Format,
    /// Test only the rules of this level, and of those above it
    #[arg(long, default_value = "ambiguous")]
    level: LeastLevel,
    /// Test only a part of the selected rules: 2/3 is the second of three. `report` puts the parts together
    #[arg(long, value_name = "I/N", default_value_t)]
    shard: Shard,
    /// Run each test so often, until it does not pass
    #[arg(long, value_name = "N", default_value = "1")]
    repeat: NonZeroU32,
    /// End the run with the first failure, crash or timeout
    #[arg(long)]
    fail_fast: bool,
    /// Run the only selected test under a debugger, without a limit of time
    #[arg(long)]
    debugger: Option<Debugger>,
    /// Write each verdict to this new file as it falls; it can be read while the run goes on, and after it has died
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Go on from the journal, which is there already: test what has no verdict in it
    #[arg(long, requires = "journal")]
    resume: bool,
    /// Count a warning as a failure, and any undecided rule as incomplete
    #[arg(long)]
    strict: bool,
    #[arg(long, value_name = "FILE", help = WAIVERS)]
    waivers: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LeastLevel {
    Must,
    Should,
    Ambiguous,
}

#[derive(Args)]
#[command(after_help = SELFTEST_EXIT_CODES)]
struct SelftestArgs {
    #[command(flatten)]
    tests: TestArgs,
    /// The format of the report
    #[arg(long, default_value = "text")]
    format: TextOrJson,
}

#[derive(Args)]
struct TestArgs {
    #[arg(long, value_name = "PATTERNS", help = FILTER)]
    filter: Option<Filter>,
    /// The number of tests that run at a time [default: the number of processors]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// The limit in seconds for one test
    #[arg(long, value_name = "SECONDS", default_value_t = Options::TIMEOUT.as_secs(), value_parser = value_parser!(u64).range(1..))]
    timeout: u64,
    /// DDI versions to accept besides the known ones: pairs of a plugin DDI version and the usermode DDI version that belongs
    /// to it, for example 12.0.3.0=12.80.118.0. Their structures must be those of a known version [default: the environment
    /// variable D3D12_COMPILER_DDI_VERSIONS]
    #[arg(long, value_name = "PAIRS", value_parser = ddi_versions)]
    ddi_versions: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TextOrJson {
    Text,
    Json,
}

type StdoutLock = anstream::AutoStream<io::StdoutLock<'static>>;

impl TextOrJson {
    /// Writes a result, and gives its exit code.
    fn ends_with(
        self,
        code: u8,
        text: impl FnOnce(&mut StdoutLock) -> io::Result<()>,
        json: impl FnOnce() -> Value,
    ) -> ExitCode {
        let mut out = anstream::stdout().lock();
        let written = match self {
            Self::Text => text(&mut out),
            Self::Json => writeln!(out, "{:#}", json()),
        };
        exits(code, written.and_then(|()| out.flush()))
    }
}

fn main() -> ExitCode {
    process_tree::take_children_along();
    match Cli::parse().command {
        Command::Run {
            plugin,
            trace,
            settings,
            args,
        } => run_tests(args, |exe| {
            let mut options = Options::new(exe, plugin);
            options.settings = settings;
            options.trace = trace;
            Ok(options)
        }),
        Command::RunRuntime {
            runtime,
            plugin,
            args,
        } => run_tests(args, |exe| {
            let plugin = plugin.map_or_else(|| checking_plugin(&exe), Ok)?;
            Ok(Options::for_runtime(exe, runtime, plugin))
        }),
        Command::RunUmd {
            driver,
            plugin,
            args,
        } => run_tests(args, |exe| Ok(Options::for_driver(exe, driver, plugin))),
        Command::Selftest { on, settings, args } => selftest_on(on, settings, args),
        Command::UpgradeCheck {
            old,
            new,
            settings,
            timeout,
            strict,
            format,
        } => checked_upgrade((&old, &new), settings, timeout, strict, format),
        Command::Report {
            journals,
            strict,
            waivers,
            format,
        } => report(&journals, waivers, Reporter::new(format, strict)),
        Command::Trace(command) => trace(command),
        Command::Replay(args) => replay_trace(args),
        Command::Package(args) => package_command::package(args),
        Command::List { format } => exits(exit_code::CONFORMANT, texts::list(format)),
        Command::Explain { patterns } => exits(exit_code::CONFORMANT, texts::explain(&patterns)),
        Command::Child { folder } => {
            let error = conformance_child::run(&folder, clock::set_by);
            eprintln!("ddi-conformance child: {error}");
            exit_code::TOOL_ERROR.into()
        }
    }
}

/// Checks the versions. The plugin host parses them again, in the processes of the tests.
fn ddi_versions(text: &str) -> Result<String, InvalidDdiVersions> {
    text.parse().map(|_: DdiVersions| text.to_owned())
}

/// This executable, which is started again for each test.
fn own_executable() -> Result<PathBuf, ExitCode> {
    std::env::current_exe().map_err(|error| {
        eprintln!("ddi-conformance: cannot find its own executable: {error}");
        exit_code::TOOL_ERROR.into()
    })
}

impl TestArgs {
    /// Puts what the command line says into `options`.
    fn apply(self, options: &mut Options) {
        options.timeout = Duration::from_secs(self.timeout);
        options.filter = self.filter.unwrap_or_else(Filter::all);
        options.jobs = self.jobs.unwrap_or(options.jobs);
        let versions = self.ddi_versions.into_iter();
        options
            .env
            .extend(versions.map(|versions| (DdiVersions::VARIABLE.into(), versions.into())));
    }
}

/// A progress bar, which appears only on a terminal.
fn progress(steps: usize) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    bar
}

fn run_tests(
    args: RunArgs,
    options: impl FnOnce(PathBuf) -> Result<Options, RunError>,
) -> ExitCode {
    let exe = match own_executable() {
        Ok(exe) => exe,
        Err(code) => return code,
    };
    let mut options = match options(exe) {
        Ok(options) => options,
        Err(error) => return failed(&error),
    };
    options.level = match args.level {
        LeastLevel::Must => Level::Must,
        LeastLevel::Should => Level::Should,
        LeastLevel::Ambiguous => Level::Ambiguous,
    };
    options.shard = args.shard;
    options.repeat = args.repeat;
    options.fail_fast = args.fail_fast;
    options.debugger = args.debugger;
    options.journal = args.journal;
    options.resume = args.resume;
    options.waivers = match waivers_in(args.waivers) {
        Ok(waivers) => waivers,
        Err(code) => return code,
    };
    args.tests.apply(&mut options);
    if options.debugger.is_some() && options.rules().len() != 1 {
        let what = "a debugger takes one test: select it with --filter =ID";
        Cli::command()
            .error(ErrorKind::ArgumentConflict, what)
            .exit();
    }
    // A debugger takes the signals of its terminal for itself.
    let handled = match options.debugger {
        Some(_) => handled_by(|| {}),
        None => interrupted_by_signals(&options.interrupt),
    };
    if let Err(code) = handled {
        return code;
    }
    let (mut reporter, mut out) = (Reporter::new(args.format, args.strict), stdout(args.format));
    let bar = progress(options.rules().len());
    let result = run(&options, |event| {
        if let Event::Decided(result) = event {
            bar.set_message(result.rule.id());
            bar.inc(1);
        }
        // A reader that has gone shows at the end.
        let _ = bar.suspend(|| reporter.tell(event, &mut out));
    });
    bar.finish_and_clear();
    match result {
        Ok(report) => exits(
            report.exit_code(args.strict),
            reporter.end(&report, &mut out),
        ),
        Err(error) => failed(&error),
    }
}

/// Makes a report from journals.
fn report(journals: &[PathBuf], waivers: Option<PathBuf>, mut reporter: Reporter) -> ExitCode {
    let waivers = match waivers_in(waivers) {
        Ok(waivers) => waivers,
        Err(code) => return code,
    };
    match journal_report(journals) {
        Ok(mut report) => {
            report.waivers = waivers;
            let written = reporter.all(&report, &mut stdout(reporter.format));
            exits(report.exit_code(reporter.strict), written)
        }
        Err(error) => failed(&error.into()),
    }
}

fn waivers_in(file: Option<PathBuf>) -> Result<Vec<Waiver>, ExitCode> {
    let waivers = file.map(|file| Waiver::read(&file)).transpose();
    waivers.map(Option::unwrap_or_default).map_err(|error| {
        eprintln!("ddi-conformance: {error}");
        exit_code::PLUGIN_FILE.into()
    })
}

/// Where a report goes: what is no text for people, nobody may change.
fn stdout(format: Format) -> Box<dyn Write> {
    match format {
        Format::Text => Box::new(anstream::stdout()),
        _ => Box::new(io::stdout()),
    }
}

/// Has Ctrl-C and SIGTERM end the run, which then reports what was decided. The second ends the process.
fn interrupted_by_signals(interrupt: &Arc<AtomicBool>) -> Result<(), ExitCode> {
    let interrupt = Arc::clone(interrupt);
    let handler = move || {
        if interrupt.swap(true, Ordering::Relaxed) {
            std::process::exit(exit_code::INCOMPLETE.into());
        }
    };
    handled_by(handler)
}

fn handled_by(handler: impl FnMut() + Send + 'static) -> Result<(), ExitCode> {
    ctrlc::set_handler(handler).map_err(|error| {
        eprintln!("ddi-conformance: cannot handle signals: {error}");
        exit_code::TOOL_ERROR.into()
    })
}

fn selftest_on(plugin: Option<PathBuf>, settings: Settings, args: SelftestArgs) -> ExitCode {
    let exe = match own_executable() {
        Ok(exe) => exe,
        Err(code) => return code,
    };
    let mut options = Options::new(exe, plugin);
    options.settings = settings;
    args.tests.apply(&mut options);
    let layer = defects::layer();
    let bar = progress(selftest_steps(&options, &layer));
    let result = selftest(&options, &layer, |step| {
        bar.set_message(step.to_owned());
        bar.inc(1);
    });
    bar.finish_and_clear();
    match result {
        Ok(result) => args.format.ends_with(
            result.exit_code(),
            |out| result.write_text(out),
            || result.to_json(),
        ),
        Err(error) => failed(&error),
    }
}

fn checked_upgrade(
    (old, new): (&Path, &Path),
    settings: Settings,
    timeout: u64,
    strict: bool,
    format: TextOrJson,
) -> ExitCode {
    if settings.fault_plan.is_some() {
        let what = "the objects are compiled without faults: leave --fault-plan out";
        Cli::command()
            .error(ErrorKind::ArgumentConflict, what)
            .exit();
    }
    let exe = match own_executable() {
        Ok(exe) => exe,
        Err(code) => return code,
    };
    let mut options = Options::new(exe, None);
    options.settings = settings;
    options.timeout = Duration::from_secs(timeout);
    if let Err(code) = interrupted_by_signals(&options.interrupt) {
        return code;
    }
    let bar = progress(2);
    bar.set_message("compiling");
    let result = upgrade_check(&options, old, new, || bar.inc(1));
    bar.finish_and_clear();
    match result {
        Ok(report) => format.ends_with(
            report.exit_code(strict),
            |out| report.write_text(strict, out),
            || report.to_json(strict),
        ),
        Err(UpgradeError::Run(error)) => failed(&error),
        Err(error) => {
            eprintln!("ddi-conformance: {error}");
            let code = match error {
                UpgradeError::Interrupted => exit_code::INCOMPLETE,
                UpgradeError::Tool(_) => exit_code::TOOL_ERROR,
                _ => exit_code::NOT_CONFORMANT,
            };
            code.into()
        }
    }
}

/// The exit code of a command whose result was written.
fn exits(code: u8, result: io::Result<()>) -> ExitCode {
    match result {
        // If the reader has closed the pipe, this is no error.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("ddi-conformance: cannot write: {error}");
            exit_code::TOOL_ERROR.into()
        }
        _ => code.into(),
    }
}

/// Says why there is no result.
fn failed(error: &RunError) -> ExitCode {
    eprintln!("ddi-conformance: {error}");
    match error {
        RunError::File { .. }
        | RunError::CheckingPlugin { .. }
        | RunError::Corpus { .. }
        | RunError::Journal(_)
        | RunError::Trace { .. } => exit_code::PLUGIN_FILE,
        RunError::NoTests | RunError::NoFaultPlan => exit_code::NO_TESTS,
        _ => exit_code::TOOL_ERROR,
    }
    .into()
}
