//! The commands `trace` and `replay`.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand, value_parser};
use conformance_replay::{ReplayError, Selected, replay, write_trace};
use conformance_runner::{Options, exit_code};
use ddi_trace::Trace;

use crate::{TextOrJson, exits, failed, interrupted_by_signals, own_executable, progress};

const EXIT_CODES: &str = "\
Exit codes:
   0  every call was made again, and everything is as it was recorded
   1  something is different, or the plugin died or took too long
   2  the command line is wrong
   3  the trace or the plugin's file is missing or cannot be read
   4  the trace has no such process
   5  it was interrupted
  70  the tool itself failed";

#[derive(Subcommand)]
pub(crate) enum TraceCommand {
    /// Show what was called, with arguments and results
    Show {
        /// What `run --trace` or the tracing plugin wrote
        file: PathBuf,
        #[command(flatten)]
        selected: Selected,
        /// Only this call, with every field of what its arguments lead to
        #[arg(long, value_name = "N")]
        call: Option<u64>,
    },
}

#[derive(Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct ReplayArgs {
    /// What `run --trace` or the tracing plugin wrote
    trace: PathBuf,
    /// The plugin's library [default: the sample plugin, which is linked in]
    plugin: Option<PathBuf>,
    #[command(flatten)]
    selected: Selected,
    /// The limit in seconds for the calls of one process
    #[arg(long, value_name = "SECONDS", default_value_t = Options::TIMEOUT.as_secs(), value_parser = value_parser!(u64).range(1..))]
    timeout: u64,
    /// The format of the result
    #[arg(long, default_value = "text")]
    format: TextOrJson,
}

pub(crate) fn trace(command: TraceCommand) -> ExitCode {
    let TraceCommand::Show {
        file,
        selected,
        call,
    } = command;
    let trace = match Trace::read(&file) {
        Ok(trace) => trace,
        Err(error) => return cannot(&ReplayError::Trace(error)),
    };
    let processes = selected.of(&trace);
    if processes.is_empty() {
        return cannot(&ReplayError::NoProcess);
    }
    let mut out = anstream::stdout().lock();
    let written = match (call, &processes[..]) {
        (None, _) => write_trace(&trace, &selected, &mut out),
        (Some(call), [(_, process)]) => {
            let Some(lines) = process.call(call) else {
                eprintln!("ddi-conformance: the process has no call {call}");
                return exit_code::NO_TESTS.into();
            };
            lines.iter().try_for_each(|line| writeln!(out, "{line}"))
        }
        (Some(_), _) => {
            eprintln!(
                "ddi-conformance: each process counts its own calls: say which with --process"
            );
            return exit_code::NO_TESTS.into();
        }
    };
    exits(exit_code::CONFORMANT, written)
}

pub(crate) fn replay_trace(args: ReplayArgs) -> ExitCode {
    let exe = match own_executable() {
        Ok(exe) => exe,
        Err(code) => return code,
    };
    let mut options = Options::new(exe, args.plugin);
    options.timeout = Duration::from_secs(args.timeout);
    if let Err(code) = interrupted_by_signals(&options.interrupt) {
        return code;
    }
    let bar = progress(0);
    let result = replay(&options, &args.trace, &args.selected, |process, of| {
        bar.set_length(of as u64);
        bar.set_message(process.rule.clone().unwrap_or_default());
        bar.inc(1);
    });
    bar.finish_and_clear();
    match result {
        Ok(result) => args.format.ends_with(
            result.exit_code(),
            |out| result.write_text(out),
            || result.to_json(),
        ),
        Err(error) => cannot(&error),
    }
}

fn cannot(error: &ReplayError) -> ExitCode {
    let code = match error {
        ReplayError::Run(error) => return failed(error),
        ReplayError::Trace(_) | ReplayError::Width(..) => exit_code::PLUGIN_FILE,
        ReplayError::NoProcess => exit_code::NO_TESTS,
        ReplayError::Interrupted => exit_code::INCOMPLETE,
        _ => exit_code::TOOL_ERROR,
    };
    eprintln!("ddi-conformance: {error}");
    code.into()
}
