//! A matrix: every defect of a library against every rule. The library without a defect keeps all of
//! them, and each defect is caught by its own rule, by that rule's own assertion, and by no other. What
//! leaves a rule of level MUST undecided is not conformant.
//!
//! `DDI_MATRIX_ONLY=<name>,<name>` tries these defects only, for work on one of them, and then fails in
//! any case. `DDI_MATRIX_EVERY=<n>` tries every nth, where all take too long.

use conformance::{Level, Options, Report, Rule, RuleReport, Verdict, exit_code, rules, run};
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
    /// The ids of rules that notice it now and then.
    pub sometimes: Vec<&'static str>,
    /// A rule that it keeps, and what the report says of that.
    pub notes: Option<(&'static str, &'static str)>,
    /// The rules that do not apply to it.
    pub leaves: Vec<&'static str>,
    /// Whether it leaves rules undecided that build on none of those that it breaks.
    pub undecided: bool,
    /// How the suite is run on it.
    pub options: Options,
}

/// A case, and what the suite says of it.
struct Row<'c> {
    case: &'c Case,
    report: Report,
}

impl<'c> Row<'c> {
    fn new(case: &'c Case) -> Self {
        match run(&case.options, |_| {}) {
            Ok(report) => Self { case, report },
            Err(error) => panic!("{}: {error}", case.name),
        }
    }

    /// The results that are not what the table of defects says, in words.
    fn surprises(&self) -> impl Iterator<Item = String> {
        let breaks = &self.case.breaks;
        let of_rules = self.report.rules.iter().filter_map(
            move |RuleReport {
                      rule,
                      verdict,
                      notes,
                      ..
                  }| {
                let (name, got) = (self.case.name, shown(verdict));
                let noted = |words: &str| notes.iter().any(|note| note.contains(words));
                let expected = if breaks.contains(&rule.id()) {
                    match (rule.level(), verdict) {
                        (Level::Must, Verdict::Fail(_))
                        | (Level::Should | Level::Ambiguous, Verdict::Warn(_)) => {
                            return None;
                        }
                        _ => "caught",
                    }
                } else if self.case.leaves.contains(&rule.id()) {
                    match verdict {
                        Verdict::NotApplicable(_) => return None,
                        _ => "not applicable",
                    }
                } else if self.case.sometimes.contains(&rule.id()) {
                    return None;
                } else {
                    let words = self.case.notes.filter(|(noted, _)| *noted == rule.id());
                    match (verdict, words) {
                        (Verdict::Pass, Some((_, words))) if !noted(words) => "a note",
                        (Verdict::Pass, _) => return None,
                        (Verdict::Undecided { needs: None, .. }, _) if self.case.undecided => {
                            return None;
                        }
                        (
                            Verdict::Undecided {
                                needs: Some(needs), ..
                            },
                            _,
                        ) if breaks.contains(&needs.id()) => {
                            return None;
                        }
                        _ => "pass",
                    }
                };
                Some(format!(
                    "{name:34} {rule:10} expected {expected}, got {got}, notes {notes:?}"
                ))
            },
        );
        let (name, got) = (self.case.name, self.report.exit_code(false));
        let expected = self.exit_code();
        let of_all = (got != expected)
            .then(|| format!("{name:34} expected exit code {expected}, got {got}"));
        of_rules.chain(of_all)
    }

    /// The exit code that follows from the verdicts of single rules.
    fn exit_code(&self) -> u8 {
        let must = |wanted: fn(&Verdict) -> bool| {
            let mut rules = self.report.rules.iter();
            rules.any(|result| result.rule.level() == Level::Must && wanted(&result.verdict))
        };
        if must(|verdict| matches!(verdict, Verdict::Fail(_))) {
            exit_code::NOT_CONFORMANT
        } else if self.case.undecided
            || must(|verdict| matches!(verdict, Verdict::Undecided { .. }))
        {
            exit_code::INCOMPLETE
        } else {
            exit_code::CONFORMANT
        }
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
pub fn check_entry(name: &str, none: &str, what: &str, about: Option<&str>) {
    let kebab = |c: char| c.is_ascii_lowercase() || c == '-';
    assert!(name.chars().all(kebab) && name != none, "{name}");
    assert!(what.len() > 10 && !what.ends_with('.'), "{name}: {what}");
    about.map(rule);
}

/// The rule of an id.
pub fn rule(id: &str) -> Rule {
    rules::find(id).unwrap_or_else(|error| panic!("{error}"))
}

/// The matrix in Markdown: what each defect is, and what the suite says of it.
fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| defect | what the library does | caught by | passed | undecided |\n|---|---|---|---|---|\n",
    );
    for row in rows {
        let caught: Vec<_> = row
            .report
            .rules
            .iter()
            .filter(|result| {
                !matches!(
                    result.verdict,
                    Verdict::Pass | Verdict::NotApplicable(_) | Verdict::Undecided { .. }
                )
            })
            .map(|result| format!("{} ({})", result.rule, result.verdict.word()))
            .collect();
        let count = |wanted: fn(&Verdict) -> bool| {
            row.report
                .rules
                .iter()
                .filter(|result| wanted(&result.verdict))
                .count()
        };
        let passed = count(|verdict| *verdict == Verdict::Pass);
        let undecided = count(|verdict| matches!(verdict, Verdict::Undecided { .. }));
        let (name, what, caught) = (row.case.name, row.case.what, caught.join(", "));
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| `{name}` | {what} | {caught} | {passed} | {undecided} |"
        );
    }
    text
}
