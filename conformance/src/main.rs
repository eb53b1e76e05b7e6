//! `ddi-conformance`: tests a D3D12 compiler plugin against the rules of ShaderCompilerPlugin.md.

use clap::{Args, Parser, Subcommand, ValueEnum};
use conformance::process_of_a_test::{Task, run_elsewhere, run_test};
use conformance::{Filter, Options, Report, Rule, RunError, exit_code, plan, run};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

const EXIT_CODES: &str = "\
Exit codes:
   0  conformant: no MUST rule is broken, with --strict no rule at all
   1  not conformant: a rule is broken, or its test crashed or timed out
   2  the command line is wrong
   3  the plugin's file is missing or cannot be read
   4  no test was selected, or every selected one was skipped
  70  the tool itself failed";

const FILTER: &str = "\
Select rules by id: a comma-separated list of patterns. \
`=P-ABI-05` is exactly that id; a pattern with `*`, `?` or `[` is a glob over the whole id; \
anything else matches where it occurs in the id. Upper and lower case are the same";

/// Tests a D3D12 compiler plugin against the rules of ShaderCompilerPlugin.md.
#[derive(Parser)]
#[command(version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run tests, each in a process of its own
    Run(RunArgs),
    /// List the rules
    List {
        #[arg(long, default_value = "text")]
        format: Format,
    },
    /// Explain a rule: what it demands, why, and how to repair a plugin that breaks it
    Explain {
        /// The rule's id, such as P-ABI-05
        id: Rule,
    },
    #[command(hide = true)]
    Child {
        #[arg(long)]
        rule: Rule,
        #[arg(long)]
        journal: PathBuf,
        #[arg(long)]
        plugin: Option<PathBuf>,
    },
    #[command(hide = true)]
    Elsewhere {
        #[arg(long)]
        task: Task,
        #[arg(long)]
        answer: PathBuf,
        #[arg(long)]
        plugin: Option<PathBuf>,
    },
}

#[derive(Args)]
#[command(after_help = EXIT_CODES)]
struct RunArgs {
    /// The plugin's library; without it the sample plugin that is linked in
    plugin: Option<PathBuf>,
    #[arg(long, value_name = "PATTERNS", help = FILTER)]
    filter: Option<Filter>,
    /// How many tests run at a time [default: the number of processors]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Seconds that one test may take
    #[arg(long, value_name = "SECONDS", default_value_t = Options::TIMEOUT.as_secs())]
    timeout: u64,
    /// Count a broken SHOULD rule as a failure
    #[arg(long)]
    strict: bool,
    /// How the report is written
    #[arg(long, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Run(args) => run_tests(args),
        Command::List { format } => written(list(format)),
        Command::Explain { id } => written(explain(id)),
        Command::Child {
            rule,
            journal,
            plugin,
        } => run_test(rule, &journal, plugin),
        Command::Elsewhere {
            task,
            answer,
            plugin,
        } => run_elsewhere(task, &answer, plugin),
    }
}

/// The exit code of a command that only writes.
fn written(result: io::Result<()>) -> ExitCode {
    match result {
        // Who stops reading has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("ddi-conformance: cannot write: {error}");
            exit_code::TOOL_ERROR.into()
        }
        _ => ExitCode::SUCCESS,
    }
}

fn run_tests(args: RunArgs) -> ExitCode {
    let exe = match std::env::current_exe() {
        Ok(exe) => exe,
        Err(error) => {
            eprintln!("ddi-conformance: cannot find its own executable: {error}");
            return exit_code::TOOL_ERROR.into();
        }
    };
    let mut options = Options::new(exe, args.plugin);
    options.timeout = Duration::from_secs(args.timeout);
    options.filter = args.filter.unwrap_or(options.filter);
    options.jobs = args.jobs.unwrap_or(options.jobs);

    // Shown on a terminal only.
    let bar = ProgressBar::new(plan(&options.filter).len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    let result = run(&options, |result| {
        bar.set_message(result.rule.id());
        bar.inc(1);
    });
    bar.finish_and_clear();
    match result {
        Ok(report) => match write_report(&report, args.format, args.strict) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => written(Err(error)),
            _ => report.exit_code(args.strict).into(),
        },
        Err(error) => {
            eprintln!("ddi-conformance: {error}");
            match error {
                RunError::Plugin { .. } => exit_code::PLUGIN_FILE,
                RunError::NoTests => exit_code::NO_TESTS,
                RunError::Folder(_) | RunError::Accounting { .. } => exit_code::TOOL_ERROR,
            }
            .into()
        }
    }
}

fn write_report(report: &Report, format: Format, strict: bool) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    match format {
        Format::Text => report.write_text(strict, &mut out)?,
        Format::Json => writeln!(out, "{:#}", report.to_json(strict))?,
    }
    out.flush()
}

fn list(format: Format) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    match format {
        Format::Text => {
            for rule in Rule::ALL {
                let (level, reading) = (rule.level(), rule.reading());
                write!(out, "{rule:<10} {level:<6} {reading}")?;
                match rule.untestable() {
                    Some(reason) => writeln!(out, " (no test: {reason})")?,
                    None => writeln!(out)?,
                }
            }
        }
        Format::Json => {
            let rules: Vec<_> = Rule::ALL
                .iter()
                .map(|rule| {
                    json!({
                        "id": rule.id(),
                        "level": rule.level().to_string(),
                        "party": rule.party().to_string(),
                        "section": rule.section(),
                        "reading": rule.reading(),
                        "why": rule.why(),
                        "hint": rule.hint(),
                        "untestable": rule.untestable(),
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
    match rule.untestable() {
        Some(reason) => writeln!(out, "Test     none: {reason}")?,
        None => writeln!(out, "Test     ddi-conformance run PLUGIN --filter ={rule}")?,
    }
    out.flush()
}
