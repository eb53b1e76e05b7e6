//! The layout checker: `ddi-sys`, the C header and the recorded facts, item by item.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use crate::Error;
use crate::declarations;
use crate::facts::Facts;
use crate::input::Input;
use crate::names::find;
use crate::probe::{self, Answer, Entry, Rust};
use crate::source::{Declarations, Record};
use crate::toolchain::Target;

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The type or constant that is wrong.
    pub owner: String,
    /// The member, enumerator or parameter of it, or the owner itself.
    pub item: String,
    /// The target, or `source` when the declaration itself differs from the facts.
    pub target: String,
    /// What differs, with all values.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]: {}", self.item, self.target, self.message)
    }
}

/// What a check compared and found.
#[derive(Debug, Default)]
pub struct Report {
    /// The differences, without those that only follow from another.
    pub findings: Vec<Finding>,
    /// A line for each comparison.
    pub compared: Vec<String>,
}

/// Compares declarations, compilers and facts.
#[derive(Debug)]
pub struct Checker {
    input: Input,
    facts: Facts,
    rust: Rust,
}

impl Checker {
    /// Makes a checker of a part of the crate against its facts.
    ///
    /// # Errors
    ///
    /// There is no Rust compiler.
    pub fn new(input: Input, facts: Facts) -> Result<Self, Error> {
        let rust = Rust::new()?;
        Ok(Self { input, facts, rust })
    }

    /// Checks the crate whose `lib.rs` is in `source`, and its header in the folder `header`, on
    /// those of `targets` whose compilers are here.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or a compiler refuses more than single declarations.
    pub fn check(
        &self,
        source: &Path,
        header: &Path,
        targets: &[&Target],
    ) -> Result<Report, Error> {
        let ddi = Declarations::read(source, self.input)?;
        let entries = probe::entries(&ddi, &self.facts);
        let mut report = Report {
            findings: declarations::compare(&ddi, &self.facts),
            ..Report::default()
        };
        let mut numbers = Vec::new();
        for target in targets.iter().filter(|target| target.has_rust()) {
            let rust = self.rust.ask(target, source, &entries, &self.facts)?;
            refused(&mut report.findings, target.triple, &rust);
            let compilers: Vec<_> = target.compilers_here().collect();
            if compilers.is_empty() {
                let nothing = vec![None; entries.len()];
                let place = target.triple;
                compare_numbers(
                    &mut numbers,
                    place,
                    target,
                    &entries,
                    &rust.numbers,
                    &nothing,
                );
                report
                    .compared
                    .push(format!("{place}: {} numbers", entries.len()));
            }
            for compiler in compilers {
                let c = probe::ask_c(
                    compiler.c,
                    target,
                    (header, self.input.header()),
                    &entries,
                    &self.facts,
                )?;
                let place = format!("{}, {}", target.triple, compiler.c);
                refused(&mut report.findings, &place, &c);
                compare_symbols(&mut report.findings, &place, &rust, &c);
                compare_numbers(
                    &mut numbers,
                    &place,
                    target,
                    &entries,
                    &rust.numbers,
                    &c.numbers,
                );
                report.compared.push(format!(
                    "{place}: {} numbers, {} signatures",
                    c.numbers.iter().flatten().count(),
                    c.symbols.len()
                ));
            }
        }
        let wrong: BTreeSet<String> = report
            .findings
            .iter()
            .chain(&numbers)
            .map(|finding| finding.owner.clone())
            .collect();
        numbers.retain(|finding| {
            let record = find(&ddi.records, &finding.owner);
            !record.is_some_and(|record| holds_one_of(&ddi, record, &wrong))
        });
        report.findings.append(&mut numbers);
        Ok(report)
    }
}

/// Whether a record has a member by value whose type is in `wrong`; then its own numbers are wrong only because of that.
fn holds_one_of(ddi: &Declarations, record: &Record, wrong: &BTreeSet<String>) -> bool {
    ddi.members(record).iter().any(|member| {
        let element = member.ty.split('[').next();
        element.is_some_and(|name| wrong.contains(name))
    })
}

fn refused(findings: &mut Vec<Finding>, place: &str, answer: &Answer) {
    findings.extend(answer.refusals.iter().map(|(function, message)| Finding {
        owner: function.clone(),
        item: function.clone(),
        target: place.into(),
        message: format!("not the recorded signature: {message}"),
    }));
}

fn compare_symbols(findings: &mut Vec<Finding>, place: &str, rust: &Answer, c: &Answer) {
    for (function, symbol) in &c.symbols {
        match rust.symbols.get(function) {
            Some(own) if own != symbol => findings.push(Finding {
                owner: function.clone(),
                item: function.clone(),
                target: place.into(),
                message: format!("symbol: Rust {own}, C {symbol}"),
            }),
            _ => {}
        }
    }
}

fn compare_numbers(
    findings: &mut Vec<Finding>,
    place: &str,
    target: &Target,
    entries: &[Entry],
    rust: &[Option<u32>],
    c: &[Option<u32>],
) {
    for ((entry, rust), c) in entries.iter().zip(rust).zip(c) {
        let recorded = entry
            .recorded
            .map(|(x64, x86)| if target.is_64_bit { x64 } else { x86 });
        let values = [("Rust", *rust), ("C", *c), ("recorded", recorded)];
        let mut known = values.iter().filter_map(|(_, value)| *value);
        let first = known.next();
        if known.all(|value| Some(value) == first) {
            continue;
        }
        let values = values.iter().filter_map(|(who, value)| {
            let value = (*value)?;
            Some(match entry.what {
                "value" => format!("{who} {value:#x}"),
                _ => format!("{who} {value}"),
            })
        });
        findings.push(Finding {
            owner: entry.owner.clone(),
            item: entry.item.clone(),
            target: place.into(),
            message: format!("{}: {}", entry.what, values.collect::<Vec<_>>().join(", ")),
        });
    }
}
