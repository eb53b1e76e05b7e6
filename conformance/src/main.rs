//! `ddi-conformance`: tests a D3D12 compiler plugin, a compiler runtime or a user-mode driver against the rules of
//! ShaderCompilerPlugin.md and of the documents on drivers.

mod allocator;
mod clock;

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::io::{self, Write};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::builder::{PathBufValueParser, TypedValueParser as _};
use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};
use conformance::process_of_a_test::{Given, OTHER_TIME_SECONDS, Task, run_elsewhere, run_test};
use conformance::{
    Event, Filter, Level, Options, Party, Report, Rule, RunError, Settings, Shard, Tested,
    exit_code, journal_report, rules, run, selftest, selftest_steps,
};
use indicatif::{ProgressBar, ProgressStyle};
use plugin_host::{DdiVersions, InvalidDdiVersions};
use serde_json::json;

const EXIT_CODES: &str = "\
Exit codes:
   0  conformant: every MUST rule that applies was decided, and no rule is
      broken; with --strict, every rule that applies was decided.
      With --filter, only the selected rules count; with --set smoke, as far
      as that set looks
   1  not conformant: a rule is broken, or its test crashed or timed out
   2  the command line is wrong
   3  a library's file, the corpus or the journal is missing or cannot
      be read or written, or the journal is of another run
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

const FILTER: &str = "\
Select rules by id: a comma-separated list of patterns. \
`=P-ABI-05` is exactly that id; a pattern with `*`, `?` or `[` is a glob over the whole id; \
any other pattern selects the ids that contain it. Case does not matter";

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
        args: SelftestArgs,
    },
    /// Make a report from the journals of runs, also of one that goes on or has died; of the parts of --shard one of all
    Report {
        /// What runs wrote with --journal
        #[arg(required = true, value_name = "JOURNAL")]
        journals: Vec<PathBuf>,
        /// Count a warning as a failure, and any undecided rule as incomplete
        #[arg(long)]
        strict: bool,
        /// The format of the report
        #[arg(long, default_value = "text")]
        format: Format,
    },
    /// List the rules
    List {
        #[arg(long, default_value = "text")]
        format: Format,
    },
    /// Explain a rule: what it demands, why, and how to repair a library that breaks it
    Explain {
        /// The rule's id, such as P-ABI-05
        #[arg(value_parser = rules::find)]
        id: Rule,
    },
    #[command(hide = true)]
    // The paths are absolute, as what is tested may change the folder.
    Child {
        #[arg(long, value_parser = rules::find)]
        rule: Rule,
        #[arg(long)]
        journal: PathBuf,
        #[arg(long, value_parser = PathBufValueParser::new().try_map(std::path::absolute))]
        runtime: Option<PathBuf>,
        #[arg(long, value_parser = PathBufValueParser::new().try_map(std::path::absolute))]
        driver: Option<PathBuf>,
        #[arg(long, value_parser = PathBufValueParser::new().try_map(std::path::absolute))]
        plugin: Option<PathBuf>,
        #[command(flatten)]
        settings: Settings,
    },
    #[command(hide = true)]
    Elsewhere {
        #[arg(long)]
        task: Task,
        #[arg(long)]
        answer: PathBuf,
        #[command(flatten)]
        given: Given,
    },
}

#[derive(Args)]
#[command(after_help = EXIT_CODES)]
struct RunArgs {
    #[command(flatten)]
    tests: TestArgs,
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
    /// Write each verdict to this new file as it falls; it can be read while the run goes on, and after it has died
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Go on from the journal, which is there already: test what has no verdict in it
    #[arg(long, requires = "journal")]
    resume: bool,
    /// Count a warning as a failure, and any undecided rule as incomplete
    #[arg(long)]
    strict: bool,
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
}

#[derive(Args)]
struct TestArgs {
    #[arg(long, value_name = "PATTERNS", help = FILTER)]
    filter: Option<Filter>,
    #[command(flatten)]
    settings: Settings,
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
    /// The format of the report
    #[arg(long, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

fn main() -> ExitCode {
    process_tree::take_children_along();
    match Cli::parse().command {
        Command::Run { plugin, args } => run_tests(args, |exe| Ok(Options::new(exe, plugin))),
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
        Command::Selftest { on, args } => selftest_on(on, args.tests),
        Command::Report {
            journals,
            strict,
            format,
        } => match journal_report(&journals) {
            Ok(report) => reported(&report, strict, format),
            Err(error) => failed(&error.into()),
        },
        Command::List { format } => written(list(format)),
        Command::Explain { id } => written(explain(id)),
        Command::Child {
            rule,
            journal,
            runtime,
            driver,
            plugin,
            settings,
        } => {
            let tested = match (rule.party(), plugin) {
                (Party::Runtime | Party::Host, Some(plugin)) => Tested::Runtime {
                    library: runtime,
                    plugin,
                },
                (Party::Driver, plugin) => Tested::Driver {
                    library: driver,
                    plugin,
                },
                (_, plugin) => Tested::Plugin(plugin),
            };
            run_test(rule, &journal, tested, settings)
        }
        Command::Elsewhere {
            task,
            answer,
            given,
        } => {
            if given.is_at_another_time() {
                clock::set_by(OTHER_TIME_SECONDS);
            }
            run_elsewhere(task, &answer, given)
        }
    }
}

/// The exit code of a command that only writes.
fn written(result: io::Result<()>) -> ExitCode {
    match result {
        // If the reader has closed the pipe, this is no error.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("ddi-conformance: cannot write: {error}");
            exit_code::TOOL_ERROR.into()
        }
        _ => ExitCode::SUCCESS,
    }
}

/// The checking plugin, which is beside the executable.
fn checking_plugin(exe: &Path) -> Result<PathBuf, String> {
    let plugin = exe.with_file_name(format!("{DLL_PREFIX}checking_plugin{DLL_SUFFIX}"));
    if plugin.is_file() {
        return Ok(plugin);
    }
    Err(format!(
        "{} does not exist: build the package checking-plugin, or give a plugin with --plugin",
        plugin.display()
    ))
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
    /// Puts what the command line says into `options`; the format is left.
    fn apply(self, options: &mut Options) -> Format {
        options.timeout = Duration::from_secs(self.timeout);
        options.filter = self.filter.unwrap_or_else(Filter::all);
        options.settings = self.settings;
        options.jobs = self.jobs.unwrap_or(options.jobs);
        let versions = self.ddi_versions.into_iter();
        options
            .env
            .extend(versions.map(|versions| (DdiVersions::VARIABLE.into(), versions.into())));
        self.format
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

fn run_tests(args: RunArgs, options: impl FnOnce(PathBuf) -> Result<Options, String>) -> ExitCode {
    let exe = match own_executable() {
        Ok(exe) => exe,
        Err(code) => return code,
    };
    let mut options = match options(exe) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("ddi-conformance: {error}");
            return exit_code::PLUGIN_FILE.into();
        }
    };
    options.level = match args.level {
        LeastLevel::Must => Level::Must,
        LeastLevel::Should => Level::Should,
        LeastLevel::Ambiguous => Level::Ambiguous,
    };
    options.shard = args.shard;
    options.repeat = args.repeat;
    options.fail_fast = args.fail_fast;
    options.journal = args.journal;
    options.resume = args.resume;
    let format = args.tests.apply(&mut options);
    if let Err(code) = interrupted_by_signals(&options.interrupt) {
        return code;
    }
    let bar = progress(options.rules().len());
    let result = run(&options, |event| {
        if let Event::Decided(result) = event {
            bar.set_message(result.rule.id());
            bar.inc(1);
        }
        if format == Format::Text {
            // The report is the lines as they fall, and its end. A reader that has gone shows at the end.
            let _ = bar.suspend(|| tell(event));
        }
    });
    bar.finish_and_clear();
    match result {
        Ok(report) if format == Format::Text => ended_with(report.exit_code(args.strict), |out| {
            report.write_end(args.strict, out)
        }),
        Ok(report) => reported(&report, args.strict, format),
        Err(error) => failed(&error),
    }
}

/// Writes an event of a run at once.
fn tell(event: Event<'_>) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    match event {
        Event::Begun(report) => report.write_beginning(&mut out),
        Event::Decided(result) => result.write_line(&mut out),
    }?;
    out.flush()
}

/// Writes a report that is whole.
fn reported(report: &Report, strict: bool, format: Format) -> ExitCode {
    ended_with(report.exit_code(strict), |out| match format {
        Format::Text => report.write_text(strict, out),
        Format::Json => writeln!(out, "{:#}", report.to_json(strict)),
    })
}

/// Has Ctrl-C and SIGTERM end the run, which then reports what was decided. The second ends the process.
fn interrupted_by_signals(interrupt: &Arc<AtomicBool>) -> Result<(), ExitCode> {
    let interrupt = Arc::clone(interrupt);
    let handler = move || {
        if interrupt.swap(true, Ordering::Relaxed) {
            std::process::exit(exit_code::INCOMPLETE.into());
        }
    };
    ctrlc::set_handler(handler).map_err(|error| {
        eprintln!("ddi-conformance: cannot handle signals: {error}");
        exit_code::TOOL_ERROR.into()
    })
}

fn selftest_on(plugin: Option<PathBuf>, args: TestArgs) -> ExitCode {
    let exe = match own_executable() {
        Ok(exe) => exe,
        Err(code) => return code,
    };
    let mut options = Options::new(exe, plugin);
    let format = args.apply(&mut options);
    let bar = progress(selftest_steps(&options));
    let result = selftest(&options, |step| {
        bar.set_message(step.to_owned());
        bar.inc(1);
    });
    bar.finish_and_clear();
    match result {
        Ok(result) => ended_with(result.exit_code(), |out| match format {
            Format::Text => result.write_text(out),
            Format::Json => writeln!(out, "{:#}", result.to_json()),
        }),
        Err(error) => failed(&error),
    }
}

type StdoutLock = anstream::AutoStream<io::StdoutLock<'static>>;

/// Writes a result, and gives its exit code.
fn ended_with(code: u8, write: impl FnOnce(&mut StdoutLock) -> io::Result<()>) -> ExitCode {
    let mut out = anstream::stdout().lock();
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => written(Err(error)),
        _ => code.into(),
    }
}

/// Says why there is no result.
fn failed(error: &RunError) -> ExitCode {
    eprintln!("ddi-conformance: {error}");
    match error {
        RunError::File { .. } | RunError::Corpus { .. } | RunError::Journal(_) => {
            exit_code::PLUGIN_FILE
        }
        RunError::NoTests | RunError::NoFaultPlan => exit_code::NO_TESTS,
        _ => exit_code::TOOL_ERROR,
    }
    .into()
}

fn list(format: Format) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    match format {
        Format::Text => {
            let mut party = None;
            for rule in rules::all() {
                if party.replace(rule.party()) != Some(rule.party()) {
                    let (gap, heading) = match rule.party() {
                        Party::Plugin => ("", "Rules for a plugin, toward its host: run"),
                        Party::Runtime => {
                            ("\n", "Rules for a runtime, toward its caller: run-runtime")
                        }
                        Party::Host => {
                            ("\n", "Rules for a runtime, toward its plugin: run-runtime")
                        }
                        Party::Driver => (
                            "\n",
                            "Rules for a driver, toward the D3D12 runtime: run-umd",
                        ),
                    };
                    writeln!(out, "{gap}{heading}")?;
                }
                let (level, reading) = (rule.level(), rule.reading());
                write!(out, "{rule:<10} {level:<9} {reading}")?;
                match rules::untestable(rule) {
                    Some(reason) => writeln!(out, " (no test: {reason})")?,
                    None => writeln!(out)?,
                }
            }
        }
        Format::Json => {
            let rules: Vec<_> = rules::all()
                .map(|rule| {
                    json!({
                        "id": rule.id(),
                        "level": rule.level().to_string(),
                        "party": rule.party().to_string(),
                        "section": rule.section(),
                        "reading": rule.reading(),
                        "why": rule.why(),
                        "hint": rule.hint(),
                        "untestable": rules::untestable(rule),
                    })
                })
                .collect();
            writeln!(out, "{:#}", json!(rules))?;
        }
    }
    out.flush()
}

fn explain(rule: Rule) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    let (level, party) = (rule.level(), rule.party());
    writeln!(out, "{rule}: {level}, an obligation of the {party}")?;
    writeln!(out, "\n  {}", rule.reading())?;
    writeln!(out, "\nSection  {}", rule.section())?;
    writeln!(out, "Why      {}", rule.why())?;
    writeln!(out, "Hint     {}", rule.hint())?;
    let command = match party {
        Party::Plugin => "run PLUGIN",
        Party::Runtime | Party::Host => "run-runtime RUNTIME",
        Party::Driver => "run-umd DRIVER",
    };
    match rules::untestable(rule) {
        Some(reason) => writeln!(out, "Test     none: {reason}")?,
        None => writeln!(out, "Test     ddi-conformance {command} --filter ={rule}")?,
    }
    out.flush()
}
