//! The forms of a report, and which file of this folder writes which.

use std::io::{self, Write};

use clap::ValueEnum;

use super::Report;
use crate::Event;

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people: each verdict as it falls, then the failures in full
    Text,
    /// One JSON document
    Json,
    /// JUnit XML, for the dashboards of build servers
    Junit,
}

/// Writes a report while its run goes on, as far as its form allows.
#[derive(Clone, Copy, Debug)]
pub struct Reporter {
    /// The form.
    pub format: Format,
    /// Whether a warning counts as a failure, and any undecided rule as incomplete.
    pub strict: bool,
}

impl Reporter {
    /// Writes what an event of the run adds.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn tell(self, event: Event<'_>, to: &mut impl Write) -> io::Result<()> {
        match (self.format, event) {
            (Format::Text, Event::Begun(report)) => report.write_beginning(to),
            (Format::Text, Event::Decided(result)) => result.write_line(to),
            _ => return Ok(()),
        }?;
        to.flush()
    }

    /// Writes what is left to say when the run is over.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn end(self, report: &Report, to: &mut impl Write) -> io::Result<()> {
        let strict = self.strict;
        match self.format {
            Format::Text => report.write_end(strict, to),
            Format::Json => writeln!(to, "{:#}", report.to_json(strict)),
            Format::Junit => report.write_junit(strict, to),
        }?;
        to.flush()
    }

    /// Writes the report of a run that is over.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn all(self, report: &Report, to: &mut impl Write) -> io::Result<()> {
        self.tell(Event::Begun(report), to)?;
        for result in &report.rules {
            self.tell(Event::Decided(result), to)?;
        }
        self.end(report, to)
    }
}
