//! The report for people: a line for each rule, failures in full, one line to sum up.

use super::{Identities, Identity, Report, RuleReport, exit_code};
use crate::Verdict;
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};

const FAINT: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const ODD: Style = AnsiColor::Yellow.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

impl Report {
    /// Writes the report, with colours; a writer that wants none removes them.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write_text(&self, strict: bool, to: &mut impl Write) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        let name = |library: &Option<Identity>, linked_in: &str| match library {
            Some(Identity { path, sha256 }) => {
                format!("{}\n{FAINT}sha256 {sha256}{FAINT:#}", path.display())
            }
            None => format!("{linked_in} that is linked in"),
        };
        match &self.tested {
            Identities::Plugin(plugin) => {
                let plugin = name(plugin, "the sample plugin");
                writeln!(to, "ddi-conformance {version}: {plugin}\n")?;
            }
            Identities::Runtime { library, plugin } => {
                let library = name(library, "the compiler runtime");
                let plugin = plugin.path.display();
                writeln!(to, "ddi-conformance {version}: {library}\nwith {plugin}\n")?;
            }
        }
        for result in &self.rules {
            let (style, word) = (style(&result.verdict), result.verdict.word());
            write!(
                to,
                "{:<10} {:<6} {style}{word:<10}{style:#} {FAINT}{:>6} ms{FAINT:#}",
                result.rule,
                result.rule.level(),
                result.elapsed.as_millis(),
            )?;
            match summary(&result.verdict) {
                Some(summary) => writeln!(to, "  {summary}")?,
                None => writeln!(to)?,
            }
        }
        for result in &self.rules {
            self.write_failure(result, to)?;
        }
        self.write_summary(strict, to)
    }

    fn write_failure(&self, result: &RuleReport, to: &mut impl Write) -> io::Result<()> {
        let mut lines = Vec::new();
        let mut death = |how: String, during: &Option<String>, output: &str| {
            lines.push(("got", how));
            lines.extend(during.clone().map(|during| ("during", during)));
            if !output.is_empty() {
                lines.push(("printed", output.to_owned()));
            }
        };
        match &result.verdict {
            Verdict::Pass | Verdict::Skipped(_) => return Ok(()),
            Verdict::Warn(failure) | Verdict::Fail(failure) => lines.extend([
                ("called", failure.call.clone()),
                ("expected", failure.expected.clone()),
                ("got", failure.got.clone()),
            ]),
            Verdict::Crash {
                how,
                during,
                output,
            } => death(how.clone(), during, output),
            Verdict::Timeout {
                after_ms,
                during,
                output,
            } => {
                death(format!("no end after {after_ms} ms"), during, output);
            }
            Verdict::ToolError(what) => lines.push(("got", what.clone())),
        }
        let rule = result.rule;
        lines.insert(0, ("rule", rule.reading().to_owned()));
        if !matches!(result.verdict, Verdict::ToolError(_)) {
            lines.push(("hint", rule.hint().to_owned()));
        }
        lines.push(("repeat", self.repeat(rule)));
        let style = style(&result.verdict);
        let (level, section) = (rule.level(), rule.section());
        writeln!(
            to,
            "\n{style}{}{style:#} {BOLD}{rule}{BOLD:#} {level}, \"{section}\"",
            result.verdict.word()
        )?;
        for (name, text) in lines {
            let text = text.replace('\n', "\n            ");
            writeln!(to, "  {FAINT}{name:<8}{FAINT:#}  {text}")?;
        }
        Ok(())
    }

    fn write_summary(&self, strict: bool, to: &mut impl Write) -> io::Result<()> {
        let totals = self.totals();
        let counts = [
            (totals.pass, "passed"),
            (totals.warn, "warned"),
            (totals.fail, "failed"),
            (totals.crash, "crashed"),
            (totals.timeout, "timed out"),
            (totals.skipped, "skipped"),
            (totals.tool_error, "tool errors"),
        ];
        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let (style, word) = match self.exit_code(strict) {
            exit_code::CONFORMANT => (GOOD, "conformant"),
            exit_code::NOT_CONFORMANT => (BAD, "not conformant"),
            _ => (ODD, "undecided"),
        };
        writeln!(
            to,
            "\n{style}{word}{style:#}: {} of {} rules in {:.1} s",
            counts.join(", "),
            self.rules.len(),
            self.elapsed.as_secs_f32(),
        )
    }
}

fn style(verdict: &Verdict) -> Style {
    match verdict {
        Verdict::Pass => GOOD,
        Verdict::Warn(_) | Verdict::ToolError(_) => ODD,
        Verdict::Fail(_) | Verdict::Crash { .. } | Verdict::Timeout { .. } => BAD,
        Verdict::Skipped(_) => FAINT,
    }
}

/// What the line of a rule says besides the verdict.
fn summary(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Pass => None,
        Verdict::Warn(failure) | Verdict::Fail(failure) => {
            Some(format!("{}: {}", failure.call, failure.got))
        }
        Verdict::Crash { how, .. } => Some(how.clone()),
        Verdict::Timeout { during, .. } => during.clone(),
        Verdict::Skipped(reason) | Verdict::ToolError(reason) => Some(reason.clone()),
    }
}
