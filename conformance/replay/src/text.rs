//! The result for people, and what is in a trace.

use std::io::{self, Write};

use conformance_runner::report::text::{BAD, BOLD, FAINT, GOOD, ODD, name};
use ddi_trace::Trace;

use super::{Replay, ReplayedProcess, Selected, of_plugin, title};

/// So many differences of a process are shown.
const SHOWN: usize = 20;

impl Replay {
    /// Writes the result, with colours; a writer that wants none removes them.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write_text(&self, to: &mut impl Write) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        let plugin = name(self.plugin.as_ref(), "the sample plugin");
        writeln!(to, "ddi-conformance {version} replay: {plugin}\n")?;
        for process in &self.processes {
            process.write_text(to)?;
        }
        if self.is_cut {
            writeln!(to, "\n{ODD}a line of the trace is not whole{ODD:#}")?;
        }
        let style = if self.is_same() { GOOD } else { BAD };
        let calls: usize = self.processes.iter().map(|process| process.made).sum();
        writeln!(to, "\n{style}{}{style:#}: {calls} calls", self.result())
    }
}

impl ReplayedProcess {
    fn write_text(&self, to: &mut impl Write) -> io::Result<()> {
        let title = title(self.number, self.rule.as_deref());
        if self.is_same() {
            return writeln!(to, "{title}: {} calls as they were", self.made);
        }
        writeln!(
            to,
            "{BOLD}{title}{BOLD:#}: {} of {} calls made",
            self.made, self.calls
        )?;
        if let Some(death) = &self.death {
            writeln!(to, "  {BAD}died{BAD:#} {}", death.replace('\n', "\n    "))?;
        }
        for difference in self.differences.iter().take(SHOWN) {
            let (call, function) = (difference.call, &difference.function);
            writeln!(to, "  call {call}, {function}: {}", difference.what)?;
            writeln!(to, "    was {}", difference.recorded)?;
            writeln!(to, "    is  {}", difference.now)?;
        }
        for reason in self.not_made.iter().take(SHOWN) {
            writeln!(to, "  {ODD}not made{ODD:#} {reason}")?;
        }
        let more =
            [&self.differences.len(), &self.not_made.len()].map(|all| all.saturating_sub(SHOWN));
        match more.iter().sum::<usize>() {
            0 => Ok(()),
            more => writeln!(
                to,
                "  {FAINT}and {more} more; --format json has them all{FAINT:#}"
            ),
        }
    }
}

/// Writes what was called in the selected processes; of more than one only how much, unless that is asked for.
///
/// # Errors
///
/// Those of the writer.
pub fn write_trace(trace: &Trace, selected: &Selected, to: &mut impl Write) -> io::Result<()> {
    let processes = selected.of(trace);
    let is_list = processes.len() > 1 && *selected == Selected::default();
    for (number, process) in &processes {
        let begin = &process.begin;
        let title = title(*number, begin.rule.as_deref()).replace(char::is_control, " ");
        let (os, arch, calls) = (&begin.os, &begin.arch, process.calls());
        let plugin = of_plugin(begin.plugin.as_ref()).replace(char::is_control, " ");
        writeln!(
            to,
            "{BOLD}{title}{BOLD:#}: {calls} calls, plugin {plugin}, {os} {arch}"
        )?;
        if !is_list {
            for line in process.lines() {
                writeln!(to, "{line}")?;
            }
        }
    }
    if trace.is_cut {
        writeln!(to, "{ODD}a line is not whole{ODD:#}")?;
    }
    if is_list {
        writeln!(
            to,
            "{FAINT}--process N or --rule ID shows the calls, --call N one of them with all its arguments{FAINT:#}"
        )?;
    }
    Ok(())
}
