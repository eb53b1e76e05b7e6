//! The forms of a report, and which file of this folder writes which.

use std::io::{self, Write};

use clap::ValueEnum;

use super::Report;
use crate::report::Event;

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people: each verdict as it falls, then the failures in full
    Text,
    /// One JSON document
    Json,
    /// JSON lines: each verdict as it falls, then the rest of the JSON document
    Jsonl,
    /// JUnit XML, for the dashboards of build servers
    Junit,
    /// SARIF 2.1.0, for code scanning: what does not hold, or is undecided
    Sarif,
    /// A log as TAEF and WTT write it, for HLK-like harnesses, in UTF-16
    Wtl,
    /// One HTML page that loads nothing
    Html,
}

impl Format {
    /// The name of a file that has a report in this form.
    pub(crate) fn file_name(self) -> &'static str {
        match self {
            Self::Text => "report.txt",
            Self::Json => "report.json",
            Self::Jsonl => "report.jsonl",
            Self::Junit => "report.junit.xml",
            Self::Sarif => "report.sarif",
            Self::Wtl => "report.wtl",
            Self::Html => "report.html",
        }
    }
}

/// Writes a report while its run goes on, as far as its form allows.
#[derive(Clone, Debug)]
pub struct Reporter {
    /// The form.
    pub format: Format,
    /// Whether a warning counts as a failure, and any undecided rule as incomplete.
    pub strict: bool,
    /// The run as it began.
    run: Option<Report>,
}

impl Reporter {
    /// One for a run that has not begun.
    pub fn new(format: Format, strict: bool) -> Self {
        let run = None;
        Self {
            format,
            strict,
            run,
        }
    }

    /// Writes what an event of the run adds.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn tell(&mut self, event: Event<'_>, to: &mut impl Write) -> io::Result<()> {
        match (self.format, event, &self.run) {
            (format, Event::Begun(report), _) => {
                self.run = Some(report.clone());
                if format == Format::Text {
                    report.write_beginning(to)?;
                }
            }
            (Format::Text, Event::Decided(result), Some(run)) => run.write_line(result, to)?,
            (Format::Jsonl, Event::Decided(result), Some(run)) => {
                run.write_rule_line(result, to)?;
            }
            _ => return Ok(()),
        }
        to.flush()
    }

    /// Writes what is left to say when the run is over.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn end(&mut self, report: &Report, to: &mut impl Write) -> io::Result<()> {
        let strict = self.strict;
        match self.format {
            Format::Text => report.write_end(strict, to),
            Format::Json => writeln!(to, "{:#}", report.to_json(strict)),
            Format::Jsonl => report.write_summary_line(strict, to),
            Format::Junit => report.write_junit(strict, to),
            Format::Wtl => report.write_wtl(strict, to),
            Format::Html => report.write_html(strict, to),
            Format::Sarif => writeln!(to, "{:#}", report.to_sarif(strict)),
        }?;
        to.flush()
    }

    /// Writes the report of a run that is over.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn all(&mut self, report: &Report, to: &mut impl Write) -> io::Result<()> {
        self.tell(Event::Begun(report), to)?;
        for result in &report.rules {
            self.tell(Event::Decided(result), to)?;
        }
        self.end(report, to)
    }
}
