//! A matrix: every defect of a library against the rules. The library without a defect keeps all of
//! them, and each defect is caught by its own rule, by that rule's own assertion, and by no other. What
//! leaves a rule of level MUST undecided is not conformant.
//!
//! A defect that breaks rules is tried against those, as all of them take half an hour: `DDI_MATRIX_ALL=1` tries it against every
//! rule. The rules that its row names are tested with the full set, all others with the smoke set; the library without a defect
//! keeps all of them with the full set.
//!
//! `DDI_MATRIX_PART=<k>/<n>` tries the kth of n parts; a defect's name decides its part, so a part changes only with the tables.
//! `DDI_MATRIX_CHANGED=<file>` adds the defects that a change can affect: the file lists the sources that changed, a path in each
//! line, and a row is affected if one of them has the row, or the text or the test of a rule that it names. `DDI_MATRIX_ONLY=<name>,<name>`
//! tries these defects only, for work on one of them, and then fails in any case.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use conformance_runner::{
    Level, Options, Report, Rule, RuleReport, Set, Verdict, exit_code, plan, rules, run,
};
use defects::NONE;
use sha2::{Digest as _, Sha256};

/// A row of a library's table of defects, with its rules; `defects::rows!` says what it may be.
#[derive(Clone)]
pub struct Defect {
    /// Its name.
    pub name: &'static str,
    /// What the library does.
    pub what: &'static str,
    /// What the suite has to say of it.
    pub expected: Expected,
    /// Other rules that notice it too, each with the reason why that cannot be helped.
    pub also: Vec<(Rule, &'static str)>,
    /// Rules that notice it now and then, by chance.
    pub sometimes: Vec<(Rule, &'static str)>,
}

/// What the suite has to say of a library.
#[derive(Clone)]
pub enum Expected {
    /// This rule is broken.
    Breaks(Rule),
    /// Every rule holds, and of this one the report says so much.
    Notes(Rule, &'static str),
    /// Every rule holds: the specification leaves the choice.
    Passes,
    /// These rules do not apply, and every other one holds.
    Leaves(Vec<Rule>),
    /// No rule is broken, rules of level MUST are left undecided, and these do not apply.
    Undecided(Vec<Rule>),
}

impl From<&defects::Defect> for Defect {
    fn from(row: &defects::Defect) -> Self {
        let rules = |names: &[&str]| names.iter().map(|name| rule(name)).collect();
        let reasons = |reasons: &[(&str, &'static str)]| {
            let reasons = reasons.iter();
            reasons
                .map(|(name, reason)| (rule(name), *reason))
                .collect()
        };
        Self {
            name: row.name,
            what: row.what,
            expected: match row.expected {
                defects::Expected::Breaks(name) => Expected::Breaks(rule(name)),
                defects::Expected::Notes(name, words) => Expected::Notes(rule(name), words),
                defects::Expected::Passes => Expected::Passes,
                defects::Expected::Leaves(names) => Expected::Leaves(rules(names)),
                defects::Expected::Undecided(names) => Expected::Undecided(rules(names)),
            },
            also: reasons(row.also),
            sometimes: reasons(row.sometimes),
        }
    }
}

/// The rule whose constant has this name.
fn rule(name: &str) -> Rule {
    let id = name.replace('_', "-");
    rules::find(&id).unwrap_or_else(|error| panic!("{error}"))
}

/// One defect, or none.
pub struct Case {
    /// The defect.
    defect: Defect,
    /// How the suite is run on it.
    options: Options,
}

impl Case {
    /// A defect, and how the suite is run on it.
    pub fn new(defect: &Defect, options: Options) -> Self {
        Self {
            defect: defect.clone(),
            options,
        }
    }

    /// The library without a defect, of which the report says no more than `expected`.
    pub fn none(expected: Expected, options: Options) -> Self {
        let defect = Defect {
            name: NONE,
            what: "nothing wrong",
            expected,
            also: Vec::new(),
            sometimes: Vec::new(),
        };
        Self { defect, options }
    }

    /// The same against the rules that the defect breaks; against all, if it breaks none.
    fn of_its_rules(mut self) -> Self {
        if let Expected::Breaks(rule) = self.defect.expected {
            let others = self.defect.also.iter().map(|(other, _)| *other);
            let patterns: Vec<_> = [rule]
                .into_iter()
                .chain(others)
                .map(|rule| format!("={rule}"))
                .collect();
            self.options.filter = patterns.join(",").parse().expect("a filter");
        }
        self
    }

    /// Whether a source file has its row, or the text or the test of a rule that the row names.
    fn is_declared_in(&self, source: &str) -> bool {
        let rules = match &self.defect.expected {
            Expected::Breaks(rule) | Expected::Notes(rule, _) => std::slice::from_ref(rule),
            Expected::Leaves(rules) | Expected::Undecided(rules) => rules,
            Expected::Passes => &[],
        };
        let others = self.defect.also.iter().chain(&self.defect.sometimes);
        let mut rules = rules.iter().chain(others.map(|(rule, _)| rule));
        source.contains(&format!("\"{}\" ", self.defect.name))
            || rules.any(|rule| {
                let test = rule.id().to_lowercase().replace('-', "_");
                source.contains(&format!("id: \"{rule}\""))
                    || source.contains(&format!("fn {test}_"))
            })
    }

    /// Whether it breaks a rule, always.
    fn breaks(&self, rule: Rule) -> bool {
        matches!(self.defect.expected, Expected::Breaks(broken) if broken == rule)
            || self.is_noticed_by(rule)
    }

    /// Whether it breaks another rule than its own.
    fn is_noticed_by(&self, rule: Rule) -> bool {
        self.defect.also.iter().any(|(other, _)| *other == rule)
    }

    /// Whether a rule does not apply to it.
    fn leaves(&self, rule: Rule) -> bool {
        if !super::is_tested_here(rule) {
            return true;
        }
        match &self.defect.expected {
            Expected::Leaves(rules) | Expected::Undecided(rules) => rules.contains(&rule),
            _ => false,
        }
    }

    /// Whether a rule notices it now and then.
    fn sometimes(&self, rule: Rule) -> bool {
        self.defect
            .sometimes
            .iter()
            .any(|(other, _)| *other == rule)
    }

    /// What the report says of a rule that it keeps.
    fn notes(&self, rule: Rule) -> Option<&'static str> {
        match self.defect.expected {
            Expected::Notes(noted, words) if noted == rule => Some(words),
            _ => None,
        }
    }

    /// How thoroughly a rule is tested.
    fn set(&self, rule: Rule) -> Set {
        let named = self.breaks(rule)
            || self.leaves(rule)
            || self.sometimes(rule)
            || self.notes(rule).is_some();
        if named || self.defect.name == NONE {
            Set::Full
        } else {
            Set::Smoke
        }
    }

    /// Whether it leaves rules undecided that build on none of those that it breaks.
    fn undecided(&self) -> bool {
        matches!(self.defect.expected, Expected::Undecided(_))
    }
}

/// A case, and what the suite says of it.
struct Row<'c> {
    case: &'c Case,
    report: Report,
}

impl<'c> Row<'c> {
    fn new(case: &'c Case) -> Self {
        let planned = plan(&case.options.tested, &case.options.filter);
        let of_set = |set| {
            let rules = planned.iter().filter(|rule| case.set(**rule) == set);
            let ids: Vec<_> = rules.map(|rule| format!("={rule}")).collect();
            let mut options = case.options.clone();
            options.settings.set = set;
            // No filter selects nothing.
            options.filter = ids.join(",").parse().ok()?;
            match run(&options, |_| {}) {
                Ok(report) => Some(report),
                Err(error) => panic!("{}: {error}", case.defect.name),
            }
        };
        let mut reports = [Set::Full, Set::Smoke].into_iter().filter_map(of_set);
        let mut report = reports.next().expect("rules of one set");
        report.rules.extend(reports.flat_map(|other| other.rules));
        assert_eq!(report.rules.len(), planned.len(), "{}", case.defect.name);
        Self { case, report }
    }

    /// The results that are not what the table of defects says, in words.
    fn surprises(&self) -> impl Iterator<Item = String> {
        let case = self.case;
        let of_rules = self.report.rules.iter().filter_map(
            move |RuleReport {
                      rule,
                      verdict,
                      notes,
                      ..
                  }| {
                let (rule, name, got) = (*rule, case.defect.name, shown(verdict));
                let noted = |words: &str| notes.iter().any(|note| note.contains(words));
                let expected = if case.breaks(rule) {
                    match (rule.level(), verdict) {
                        (Level::Must, Verdict::Fail(_))
                        | (Level::Should | Level::Ambiguous, Verdict::Warn(_)) => {
                            return None;
                        }
                        // The process of another rule's test may die of the defect.
                        (_, Verdict::Crash { .. }) if case.is_noticed_by(rule) => return None,
                        _ => "caught",
                    }
                } else if case.leaves(rule) {
                    match verdict {
                        Verdict::NotApplicable { .. } => return None,
                        _ => "not applicable",
                    }
                } else if case.sometimes(rule) {
                    return None;
                } else {
                    match (verdict, case.notes(rule)) {
                        (Verdict::Pass, Some(words)) if !noted(words) => "a note",
                        (Verdict::Pass, _) => return None,
                        (Verdict::Undecided { needs: None, .. }, _) if case.undecided() => {
                            return None;
                        }
                        (
                            Verdict::Undecided {
                                needs: Some(needs), ..
                            },
                            _,
                        ) if case.breaks(*needs) => {
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
        let (name, got) = (self.case.defect.name, self.report.exit_code(false));
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
        } else if self.case.undecided()
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
fn run_all(cases: &[Case]) -> Vec<Row<'_>> {
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
    rows.sort_by_key(|row| {
        cases
            .iter()
            .position(|case| case.defect.name == row.case.defect.name)
    });
    rows
}

/// How many defects are tried at most because a file changed: all of a large file's would take as long as the matrix.
const CHANGED: usize = 16;

/// A number that only the defect's name decides.
fn number_of(case: &Case) -> u32 {
    let digest = Sha256::digest(case.defect.name);
    u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]])
}

/// The cases that the environment chooses; the comment of this module says how.
fn chosen(cases: Vec<Case>) -> Vec<Case> {
    let variable = |name| std::env::var(name).ok();
    let part = variable("DDI_MATRIX_PART").unwrap_or_else(|| "1/1".into());
    let (part, parts) = part.split_once('/').expect("DDI_MATRIX_PART is k/n");
    let (part, parts): (u32, u32) = (
        part.parse().expect("a number"),
        parts.parse().expect("a number"),
    );
    assert!((1..=parts).contains(&part), "DDI_MATRIX_PART is k/n");
    let (mut chosen, others): (Vec<_>, Vec<_>) = cases
        .into_iter()
        .partition(|case| number_of(case) % parts == part - 1);
    let Some(list) = variable("DDI_MATRIX_CHANGED") else {
        return chosen;
    };
    let list = std::fs::read_to_string(&list).unwrap_or_else(|error| panic!("{list}: {error}"));
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sources: Vec<_> = list
        .lines()
        .map(|path| {
            std::fs::read_to_string(repository.join(path))
                .unwrap_or_else(|error| panic!("{path}: {error}"))
        })
        .collect();
    let of_part = chosen.len();
    let mut changed: Vec<_> = others
        .into_iter()
        .filter(|case| sources.iter().any(|source| case.is_declared_in(source)))
        .collect();
    let affected = changed.len();
    changed.sort_by_key(number_of);
    changed.truncate(CHANGED);
    println!(
        "{of_part} defects of the part, {} of the {affected} others that {} changed files declare",
        changed.len(),
        sources.len()
    );
    chosen.append(&mut changed);
    chosen
}

/// Tries every case that is chosen. The environment variable `file` names a file that the matrix is written to, as a
/// table in Markdown.
pub fn check(cases: Vec<Case>, file: &str) {
    let variable = |name| std::env::var(name).ok();
    let all = variable("DDI_MATRIX_ALL").is_some();
    let only = variable("DDI_MATRIX_ONLY");
    let is_wanted = |case: &Case| {
        only.as_ref()
            .is_none_or(|only| only.split(',').any(|name| name == case.defect.name))
    };
    let chosen = chosen(cases);
    let tried = chosen.len();
    let wanted: Vec<_> = chosen
        .into_iter()
        .filter(is_wanted)
        .map(|case| if all { case } else { case.of_its_rules() })
        .collect();
    let turn = super::turn();
    let rows = run_all(&wanted);
    drop(turn);
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
    assert_eq!(rows.len(), tried, "not every defect was tried");
}

/// Checks what a compiler does not: names, texts and reasons of a table of defects.
pub fn check_table(defects: &[Defect]) {
    let kebab = |c: char| c.is_ascii_lowercase() || c == '-';
    let mut names = HashSet::from([NONE]);
    for defect in defects {
        let (name, what) = (defect.name, defect.what);
        assert!(name.chars().all(kebab) && names.insert(name), "{name}");
        assert!(what.len() > 10 && !what.ends_with('.'), "{name}: {what}");
        for (other, reason) in defect.also.iter().chain(&defect.sometimes) {
            let breaks = matches!(defect.expected, Expected::Breaks(rule) if rule == *other);
            assert!(!breaks && reason.len() > 10, "{name}: {other}");
        }
    }
}

/// The rules that the defects break.
pub fn broken_rules(defects: &[Defect]) -> HashSet<Rule> {
    let broken = defects.iter().filter_map(|defect| match defect.expected {
        Expected::Breaks(rule) => Some(rule),
        _ => None,
    });
    broken.collect()
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
                    Verdict::Pass | Verdict::NotApplicable { .. } | Verdict::Undecided { .. }
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
        let (name, what, caught) = (
            row.case.defect.name,
            row.case.defect.what,
            caught.join(", "),
        );
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| `{name}` | {what} | {caught} | {passed} | {undecided} |"
        );
    }
    text
}
