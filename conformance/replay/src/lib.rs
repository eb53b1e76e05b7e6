#![forbid(unsafe_code)]
//! Makes the calls of a trace again, of a plugin in a process of its own, and says what is different.

mod text;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use conformance_protocol::Task;
use conformance_protocol::death::with_place;
use conformance_runner::report::json::{library, tool};
use conformance_runner::{Identity, Options, RunError, Tested, child, exit_code, in_parallel};
use ddi_trace::{Difference, Step, Trace, TraceError};
use serde::Serialize;
use serde_json::{Value, json};

pub use text::write_trace;

/// What came of making the calls of a trace again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The plugin; `None` for the one that is linked in.
    pub plugin: Option<Identity>,
    /// One for each process that was selected.
    pub processes: Vec<ReplayedProcess>,
    /// Whether a line of the trace is not whole.
    pub is_cut: bool,
}

/// What came of the calls of one process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ReplayedProcess {
    /// Its number in the trace, from 1 on.
    pub number: usize,
    /// The rule that it tested.
    pub rule: Option<String>,
    /// How many calls the host has made in it.
    pub calls: usize,
    /// How many were made again.
    pub made: usize,
    /// What is different.
    pub differences: Vec<Difference>,
    /// What could not be made again, with the reason.
    pub not_made: Vec<String>,
    /// How the process died or that it took too long, and in which call.
    pub death: Option<String>,
}

impl ReplayedProcess {
    /// Whether every call was made again and everything is as it was.
    pub fn is_same(&self) -> bool {
        self.differences.is_empty() && self.not_made.is_empty() && self.death.is_none()
    }
}

/// Which processes of a trace are meant; all of them, unless something is said.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct Selected {
    /// Only the process of this number, from 1 on
    #[arg(long, value_name = "N")]
    pub process: Option<usize>,
    /// Only the processes that tested this rule
    #[arg(long, value_name = "ID")]
    pub rule: Option<String>,
}

impl Selected {
    /// The processes of a trace, with their numbers.
    pub fn of<'t>(&self, trace: &'t Trace) -> Vec<(usize, &'t ddi_trace::Process)> {
        let numbered = trace.processes.iter().enumerate();
        let numbered = numbered.map(|(index, process)| (index + 1, process));
        let is_meant = |(number, process): &(usize, &ddi_trace::Process)| {
            self.process.is_none_or(|wanted| wanted == *number)
                && self.rule.as_ref().is_none_or(|wanted| {
                    let rule = process.begin.rule.as_ref();
                    rule.is_some_and(|rule| rule.eq_ignore_ascii_case(wanted))
                })
        };
        numbered.filter(is_meant).collect()
    }
}

/// Why nothing was made again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The plugin cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// No process is selected.
    #[error("the trace has no such process; `ddi-conformance trace show` lists them")]
    NoProcess,
    /// A process of another width.
    #[error(
        "process {0} had pointers of {1} bytes: its calls need a build of this tool with such pointers"
    )]
    Width(usize, usize),
    /// The run was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// Makes the calls of the selected processes of a trace again, of the plugin of `options`, each process in one of its own, which
/// ends at the time limit of `options`. `each` is told of each process when it is over, and of how many there are.
///
/// # Errors
///
/// The trace or the plugin cannot be read, or no process is selected.
pub fn replay(
    options: &Options,
    trace: &Path,
    selected: &Selected,
    mut each: impl FnMut(&ReplayedProcess, usize),
) -> Result<Replay, ReplayError> {
    let Tested::Plugin(plugin) = &options.tested else {
        return Err(RunError::NoTests.into());
    };
    let plugin = plugin.as_deref().map(Identity::of).transpose()?;
    let read = Trace::read(trace)?;
    let processes = selected.of(&read);
    if processes.is_empty() {
        return Err(ReplayError::NoProcess);
    }
    if let Some((number, other)) = processes
        .iter()
        .find(|(_, process)| !process.is_of_this_width())
    {
        return Err(ReplayError::Width(*number, other.begin.pointer));
    }
    let folder = child::folder()?;
    let of = processes.len();
    let again = |(number, recorded): &(usize, &ddi_trace::Process)| {
        let folder = folder.path().join(number.to_string());
        let mut process = ReplayedProcess {
            number: *number,
            rule: recorded.begin.rule.clone(),
            calls: recorded.calls(),
            made: 0,
            differences: Vec::new(),
            not_made: Vec::new(),
            death: None,
        };
        if let Err(error) = make(options, trace, &recorded.id, &mut process, &folder) {
            process.death = Some(format!("cannot start a process: {error}"));
        }
        let is_interrupted = options.interrupt.load(Ordering::Relaxed);
        (!is_interrupted).then_some(process)
    };
    let replayed = in_parallel(options.jobs, &processes, again, |process| each(process, of));
    if replayed.len() < of {
        return Err(ReplayError::Interrupted);
    }
    Ok(Replay {
        plugin,
        processes: replayed,
        is_cut: read.is_cut,
    })
}

/// Has a process make the calls of one.
fn make(
    options: &Options,
    trace: &Path,
    id: &str,
    process: &mut ReplayedProcess,
    folder: &Path,
) -> std::io::Result<()> {
    let mut request = options.tested.request(Task::Replay(id.to_owned()))?;
    request.trace = Some(std::path::absolute(trace)?);
    let (ended, account) = child::ask(options, &request, folder, options.timeout)?;
    let mut during = None;
    for step in account.answers {
        match serde_json::from_value(step)? {
            Step::Call(number, function) => {
                process.made += 1;
                during = Some(format!("call {number}, {function}"));
            }
            Step::Differs(difference) => process.differences.push(difference),
            Step::NotMade(number, function, reason) => {
                process.made -= 1;
                process
                    .not_made
                    .push(format!("call {number}, {function}: {reason}"));
            }
        }
    }
    if account.outcome.is_some() {
        return Ok(());
    }
    let how = with_place(ended.how(options.timeout), account.death.as_ref());
    let during = during.unwrap_or_else(|| "before the first call".into());
    let mut lines = vec![format!("{during}: {how}")];
    lines.extend((!ended.output.is_empty()).then_some(ended.output));
    process.death = Some(lines.join("\n"));
    Ok(())
}

impl Replay {
    /// Whether every call was made again and everything is as it was.
    pub fn is_same(&self) -> bool {
        self.processes.iter().all(ReplayedProcess::is_same)
    }

    /// The exit code of the command.
    pub fn exit_code(&self) -> u8 {
        if self.is_same() {
            exit_code::CONFORMANT
        } else {
            exit_code::NOT_CONFORMANT
        }
    }

    fn result(&self) -> &'static str {
        if self.is_same() {
            "everything is as it was recorded"
        } else {
            "not everything is as it was recorded"
        }
    }

    /// The result as JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "tool": tool(),
            "plugin": self.plugin.as_ref().map(library),
            "trace_is_cut": self.is_cut,
            "result": self.result(),
            "exit_code": self.exit_code(),
            "processes": self.processes,
        })
    }
}

/// The name of a trace's process for people.
fn title(number: usize, rule: Option<&str>) -> String {
    match rule {
        Some(rule) => format!("process {number} ({rule})"),
        None => format!("process {number}"),
    }
}

/// Where a plugin was, for people.
fn of_plugin(plugin: Option<&PathBuf>) -> String {
    plugin.map_or_else(|| "linked in".into(), |plugin| plugin.display().to_string())
}
