//! The report for people, with colours, which a writer that wants none removes: a line for each rule, failures in full, one line
//! to sum up.

use std::ffi::OsStr;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use conformance_catalogue::verdict::Verdict;
use conformance_catalogue::{Level, Rule};

use super::{Report, RuleReport, exit_code};
use crate::tested::{Identities, Identity};

/// Of what is less important.
pub const FAINT: Style = Style::new().dimmed();
/// Of headings.
pub const BOLD: Style = Style::new().bold();
/// Of what is as it should be.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Of what somebody should look at.
pub const ODD: Style = AnsiColor::Yellow.on_default();
/// Of what is wrong.
pub const BAD: Style = AnsiColor::Red.on_default().bold();

/// So many of the last lines that a test's process printed are shown.
const LINES: usize = 12;

impl Report {
    /// Writes what comes before the line of each rule: what is tested.
    pub(super) fn write_beginning(&self, to: &mut impl Write) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        match &self.tested {
            Identities::Plugin(plugin) => {
                let plugin = name(plugin.as_ref(), "the sample plugin");
                writeln!(to, "ddi-conformance {version}: {plugin}\n")?;
            }
            Identities::Runtime { library, plugin } => {
                let library = name(library.as_ref(), "the compiler runtime");
                let plugin = plugin.path.display();
                writeln!(to, "ddi-conformance {version}: {library}\nwith {plugin}\n")?;
            }
            Identities::Driver { library, plugin } => {
                let driver = name(library.as_ref(), "the mock driver");
                writeln!(to, "ddi-conformance {version}: {driver}")?;
                if plugin.is_some() || library.is_none() {
                    writeln!(to, "with {}", name(plugin.as_ref(), "the sample plugin"))?;
                }
                writeln!(to)?;
            }
        }
        Ok(())
    }

    /// Writes the line of a rule.
    pub(super) fn write_line(&self, result: &RuleReport, to: &mut impl Write) -> io::Result<()> {
        let (style, word) = (self.style(result), self.word(result));
        write!(
            to,
            "{:<10} {:<9} {style}{word:<14}{style:#} {FAINT}{:>6} ms{FAINT:#}",
            result.rule,
            result.rule.level(),
            result.elapsed.as_millis(),
        )?;
        match self.summary(result) {
            Some(summary) => writeln!(to, "  {summary}"),
            None => writeln!(to),
        }
    }

    fn style(&self, result: &RuleReport) -> Style {
        match result.verdict {
            _ if self.waiver_of(result).is_some() => ODD,
            Verdict::Pass => GOOD,
            Verdict::Warn(_) | Verdict::Undecided { .. } | Verdict::ToolError { .. } => ODD,
            Verdict::Fail(_) | Verdict::Crash { .. } | Verdict::Timeout { .. } => BAD,
            Verdict::NotApplicable { .. } => FAINT,
        }
    }

    /// Writes what comes after the line of each rule: the failures in full, what was not decided, and the sum.
    pub(super) fn write_end(&self, strict: bool, to: &mut impl Write) -> io::Result<()> {
        for result in &self.rules {
            self.write_failure(result, to)?;
        }
        self.write_undecided(to)?;
        for objection in self.objections() {
            writeln!(to, "\n{BAD}waiver{BAD:#} {objection}")?;
        }
        self.write_summary(strict, to)
    }

    fn write_failure(&self, result: &RuleReport, to: &mut impl Write) -> io::Result<()> {
        if !result.verdict.is_broken() && !result.verdict.is_tool_error() {
            return Ok(());
        }
        let mut lines = result.seen();
        lines.extend(printed(result));
        lines.extend(
            self.waiver_of(result)
                .map(|waiver| ("waived", waiver.to_string())),
        );
        let rule = result.rule;
        lines.insert(0, ("rule", rule.reading().to_owned()));
        if result.verdict.is_broken() {
            lines.push(("hint", rule.hint().to_owned()));
        }
        lines.push(("repeat", self.repeat_of(result)));
        let style = self.style(result);
        let (level, section) = (rule.level(), rule.section());
        writeln!(
            to,
            "\n{style}{}{style:#} {BOLD}{rule}{BOLD:#} {level}, \"{section}\"",
            self.word(result)
        )?;
        write_lines(lines, to)
    }

    /// Writes the rules that were not decided, once for each reason.
    fn write_undecided(&self, to: &mut impl Write) -> io::Result<()> {
        type Reason<'r> = (Option<Rule>, &'r str);
        let mut reasons: Vec<(Reason<'_>, Vec<&RuleReport>)> = Vec::new();
        for result in &self.rules {
            if let Verdict::Undecided { needs, reason } = &result.verdict {
                let reason = (*needs, reason.as_str());
                match reasons.iter_mut().find(|(known, _)| *known == reason) {
                    Some((_, results)) => results.push(result),
                    None => reasons.push((reason, vec![result])),
                }
            }
        }
        for ((needs, reason), results) in reasons {
            let must = |result: &&&RuleReport| result.rule.level() == Level::Must;
            let (count, must) = (results.len(), results.iter().filter(must).count());
            let rules: Vec<_> = results.iter().map(|result| result.rule.id()).collect();
            writeln!(
                to,
                "\n{ODD}undecided{ODD:#} {BOLD}{count}{BOLD:#} of the rules, {must} of them MUST"
            )?;
            let needs = needs.map(|rule| {
                let own = match self.verdict_of(rule) {
                    Some(Verdict::Pass) => ", which holds in its own test but did not here",
                    _ => ", which did not hold here",
                };
                ("needs", format!("{rule}{own}: {}", rule.reading()))
            });
            let mut lines = Vec::from_iter(needs);
            if !reason.is_empty() {
                lines.push(("got", reason.to_owned()));
            }
            lines.push(("rules", rules.join(" ")));
            lines.extend(printed(results[0]));
            lines.push(("repeat", self.repeat_of(results[0])));
            write_lines(lines, to)?;
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
            (totals.waived, "waived"),
            (totals.undecided, "undecided"),
            (totals.not_applicable, "not applicable"),
            (totals.tool_error, "tool errors"),
        ];
        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let left = self.not_tested().count();
        if left > 0 {
            writeln!(
                to,
                "\n{ODD}not tested{ODD:#} {BOLD}{left}{BOLD:#} of the rules, as the run was ended"
            )?;
        }
        let style = match self.exit_code(strict) {
            exit_code::CONFORMANT => GOOD,
            exit_code::NOT_CONFORMANT => BAD,
            _ => ODD,
        };
        let settings = self.settings.options().join(OsStr::new(" "));
        let with = if settings.is_empty() { "" } else { ", with " };
        writeln!(
            to,
            "\n{style}{}{style:#}: {} of {} rules in {:.1} s{with}{}",
            self.result(strict),
            counts.join(", "),
            match self.plan.len() {
                all if all == self.of => all.to_string(),
                some => format!("{some} selected"),
            },
            self.elapsed.as_secs_f32(),
            settings.display(),
        )
    }
}

/// A library, by path and hash or as what is linked in.
pub fn name(library: Option<&Identity>, linked_in: &str) -> String {
    match library {
        Some(Identity { path, sha256 }) => {
            format!("{}\n{FAINT}sha256 {sha256}{FAINT:#}", path.display())
        }
        None => format!("{linked_in} that is linked in"),
    }
}

pub(crate) fn write_lines(lines: Vec<(&str, String)>, to: &mut impl Write) -> io::Result<()> {
    for (name, text) in lines {
        let text = text.replace('\n', "\n            ");
        writeln!(to, "  {FAINT}{name:<8}{FAINT:#}  {text}")?;
    }
    Ok(())
}

/// The last lines that the test's process printed.
fn printed(result: &RuleReport) -> Option<(&'static str, String)> {
    let lines: Vec<_> = result.output.lines().collect();
    let left_out = lines.len().saturating_sub(LINES);
    let more = (left_out > 0).then(|| format!("({left_out} lines more)"));
    let shown = more
        .iter()
        .map(String::as_str)
        .chain(lines[left_out..].iter().copied());
    (!lines.is_empty()).then(|| ("printed", shown.collect::<Vec<_>>().join("\n")))
}
