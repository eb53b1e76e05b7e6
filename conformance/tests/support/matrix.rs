//! A matrix: every defect of a library against every rule. The library without a defect keeps all of
//! them, and each defect is caught by its own rule, by that rule's own assertion, and by no other.
//!
//! `DDI_MATRIX_ONLY=<name>,<name>` tries these defects only, for work on one of them, and then fails in
//! any case. `DDI_MATRIX_EVERY=<n>` tries every nth, where all take too long.

use conformance::{Level, Options, Rule, RuleReport, Verdict, run};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// One defect, or none.
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub what: &'static str,
    /// The ids of the rules that it breaks.
    pub breaks: Vec<&'static str>,
    /// How the suite is run on it.
    pub options: Options,
}

/// A case, and what the suite says of it.
struct Row<'c> {
    case: &'c Case,
    results: Vec<RuleReport>,
}

impl<'c> Row<'c> {
    fn new(case: &'c Case) -> Self {
        match run(&case.options, |_| {}) {
            Ok(report) => Self {
                case,
                results: report.rules,
            },
            Err(error) => panic!("{}: {error}", case.name),
        }
    }

    /// The results that are not what the table of defects says, in words.
    fn surprises(&self) -> impl Iterator<Item = String> {
        let breaks = &self.case.breaks;
        self.results
            .iter()
            .filter_map(move |RuleReport { rule, verdict, .. }| {
                let expected = if breaks.contains(&rule.id()) {
                    match (rule.level(), verdict) {
                        (Level::Must, Verdict::Fail(_)) | (Level::Should, Verdict::Warn(_)) => {
                            return None;
                        }
                        _ => "caught",
                    }
                } else {
                    let needs = |id: &&str| *verdict == Verdict::Skipped(format!("needs {id}"));
                    if *verdict == Verdict::Pass || breaks.iter().any(needs) {
                        return None;
                    }
                    "pass"
                };
                let (name, got) = (self.case.name, shown(verdict));
                Some(format!(
                    "{name:34} {rule:10} expected {expected}, got {got}"
                ))
            })
    }
}

fn shown(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Pass => "pass".into(),
        Verdict::Warn(failure) | Verdict::Fail(failure) => {
            format!("{}: {}: {}", verdict.word(), failure.call, failure.got)
        }
        other => format!("{other:?}"),
    }
}

/// Runs the suite for each case. A run waits more than it works, so there are more than processors.
fn rows<'c>(cases: &[&'c Case]) -> Vec<Row<'c>> {
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(Vec::new());
    let processors = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..=processors {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let row = Row::new(case);
                    rows.lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(row);
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    rows.sort_by_key(|row| cases.iter().position(|case| case.name == row.case.name));
    rows
}

/// Tries every case. The environment variable `file` names a file that the matrix is written to, as a
/// table in Markdown.
pub fn check(cases: &[Case], file: &str) {
    let only = std::env::var("DDI_MATRIX_ONLY").ok();
    let wanted = |case: &&Case| {
        only.as_ref()
            .is_none_or(|only| only.split(',').any(|name| name == case.name))
    };
    let every =
        std::env::var("DDI_MATRIX_EVERY").map_or(1, |every| every.parse().expect("a number"));
    let wanted: Vec<_> = cases.iter().step_by(every).filter(wanted).collect();
    let rows = rows(&wanted);
    if let Some(path) = std::env::var_os(file) {
        std::fs::write(path, table(&rows)).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    let surprises: Vec<_> = rows.iter().flat_map(Row::surprises).collect();
    assert!(
        surprises.is_empty(),
        "{} of the matrix:\n{}",
        surprises.len(),
        surprises.join("\n")
    );
    let tried = cases.len().div_ceil(every);
    assert_eq!(rows.len(), tried, "not every defect was tried");
}

/// What holds of every entry of a table of defects: its name, what it does, the rule that it breaks.
pub fn check_entry(name: &str, none: &str, what: &str, breaks: &str) {
    let kebab = |c: char| c.is_ascii_lowercase() || c == '-';
    assert!(name.chars().all(kebab) && name != none, "{name}");
    assert!(what.len() > 10 && !what.ends_with('.'), "{name}: {what}");
    rule(breaks);
}

/// The rule of an id.
pub fn rule(id: &str) -> Rule {
    id.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// The matrix in Markdown: what each defect is, and what the suite says of it.
fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| defect | what the library does | caught by | passed | skipped |\n|---|---|---|---|---|\n",
    );
    for row in rows {
        let caught: Vec<_> = row
            .results
            .iter()
            .filter(|result| !matches!(result.verdict, Verdict::Pass | Verdict::Skipped(_)))
            .map(|result| format!("{} ({})", result.rule, result.verdict.word()))
            .collect();
        let count = |wanted: fn(&Verdict) -> bool| {
            row.results
                .iter()
                .filter(|result| wanted(&result.verdict))
                .count()
        };
        let passed = count(|verdict| *verdict == Verdict::Pass);
        let skipped = count(|verdict| matches!(verdict, Verdict::Skipped(_)));
        let (name, what, caught) = (row.case.name, row.case.what, caught.join(", "));
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| `{name}` | {what} | {caught} | {passed} | {skipped} |"
        );
    }
    text
}
