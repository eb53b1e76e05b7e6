//! Every defect of `broken-plugin` against every rule: the plugin without a defect keeps all of them,
//! and each defect is caught by its own rule, by that rule's own assertion, and by no other.
//!
//! `DDI_MATRIX=<file>` writes the result as a table in Markdown. `DDI_MATRIX_ONLY=<name>,<name>`
//! tries these defects only, for work on one of them, and then fails in any case.

#[path = "../broken-plugin/src/defect.rs"]
mod defect;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "support/libraries.rs"]
mod libraries;

use conformance::{Filter, Level, Options, Rule, RuleReport, Verdict, plan, run};
use defect::{DEFECTS, Defect, Entry, Export, NONE, VARIABLE};
use libraries::broken_plugin;
use std::collections::BTreeSet;
use std::env::consts::DLL_EXTENSION;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The libraries under test.
struct Libraries {
    broken: PathBuf,
    mangled_export: PathBuf,
    no_library: PathBuf,
    _folder: tempfile::TempDir,
}

impl Libraries {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let no_library = folder
            .path()
            .join("no-library")
            .with_extension(DLL_EXTENSION);
        std::fs::write(&no_library, "This is not a library.\n").expect("a file can be written");
        Self {
            broken: broken_plugin("broken-plugin"),
            mangled_export: broken_plugin("mangled-export"),
            no_library,
            _folder: folder,
        }
    }

    /// The one that has a defect.
    fn with(&self, defect: Defect) -> &Path {
        match defect {
            Defect::Export(Export::Mangled) => &self.mangled_export,
            Defect::Export(Export::NoLibrary) => &self.no_library,
            _ => &self.broken,
        }
    }
}

/// One defect, or none, and what the suite says of it.
struct Row {
    entry: Option<&'static Entry>,
    results: Vec<RuleReport>,
}

impl Row {
    fn new(libraries: &Libraries, entry: Option<&'static Entry>) -> Self {
        let library = entry.map_or(&*libraries.broken, |entry| libraries.with(entry.defect));
        let exe = env!("CARGO_BIN_EXE_ddi-conformance");
        let mut options = Options::new(exe, Some(library.to_owned()));
        let name = entry.map_or(NONE, |entry| entry.name);
        options.env = vec![(VARIABLE.into(), name.into())];
        match run(&options, |_| {}) {
            Ok(report) => Self {
                entry,
                results: report.rules,
            },
            Err(error) => panic!("{name}: {error}"),
        }
    }

    fn name(&self) -> &'static str {
        self.entry.map_or(NONE, |entry| entry.name)
    }

    /// The rules that the defect breaks.
    fn broken(&self) -> impl Iterator<Item = &'static str> {
        self.entry.into_iter().flat_map(|entry| {
            let others = entry.also.iter().map(|(rule, _)| *rule);
            [entry.breaks].into_iter().chain(others)
        })
    }

    /// The results that are not what the table of defects says, in words.
    fn surprises(&self) -> impl Iterator<Item = String> {
        self.results
            .iter()
            .filter_map(|RuleReport { rule, verdict, .. }| {
                let expected = if self.broken().any(|id| id == rule.id()) {
                    match (rule.level(), verdict) {
                        (Level::Must, Verdict::Fail(_)) | (Level::Should, Verdict::Warn(_)) => {
                            return None;
                        }
                        _ => "caught",
                    }
                } else {
                    let needs = |id| *verdict == Verdict::Skipped(format!("needs {id}"));
                    if *verdict == Verdict::Pass || self.broken().any(needs) {
                        return None;
                    }
                    "pass"
                };
                let (name, got) = (self.name(), shown(verdict));
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

/// Runs the suite for each defect. A run waits more than it works, so there are more than processors.
fn rows(libraries: &Libraries, entries: &[Option<&'static Entry>]) -> Vec<Row> {
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(Vec::new());
    let processors = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..=processors {
            scope.spawn(|| {
                while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let row = Row::new(libraries, *entry);
                    rows.lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(row);
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    let place = |row: &Row| {
        entries
            .iter()
            .position(|e| e.map_or(NONE, |e| e.name) == row.name())
    };
    rows.sort_by_key(place);
    rows
}

#[test]
fn each_defect_is_caught_by_its_own_rule_alone() {
    let only = std::env::var("DDI_MATRIX_ONLY").ok();
    let wanted = |name: &str| {
        only.as_ref()
            .is_none_or(|only| only.split(',').any(|o| o == name))
    };
    let all = [None].into_iter().chain(DEFECTS.iter().map(Some));
    let entries: Vec<_> = all.filter(|e| wanted(e.map_or(NONE, |e| e.name))).collect();

    let rows = rows(&Libraries::new(), &entries);
    if let Some(file) = std::env::var_os("DDI_MATRIX") {
        std::fs::write(file, table(&rows)).expect("the file of DDI_MATRIX can be written");
    }

    let surprises: Vec<_> = rows.iter().flat_map(Row::surprises).collect();
    assert!(
        surprises.is_empty(),
        "{} of the matrix:\n{}",
        surprises.len(),
        surprises.join("\n")
    );
    assert_eq!(rows.len(), DEFECTS.len() + 1, "not every defect was tried");
}

#[test]
fn a_name_that_is_no_defect_opens_nothing() {
    let exe = env!("CARGO_BIN_EXE_ddi-conformance");
    let mut options = Options::new(exe, Some(broken_plugin("broken-plugin")));
    options.env = vec![(VARIABLE.into(), "no-defect".into())];
    options.filter = "=P-OPEN-02".parse().expect("a filter");
    let results = run(&options, |_| {}).expect("a report").rules;
    let refused =
        |verdict: &Verdict| matches!(verdict, Verdict::Fail(f) if f.got.contains("E_INVALIDARG"));
    assert!(
        results.len() == 1 && refused(&results[0].verdict),
        "{results:?}"
    );
}

#[test]
fn every_rule_that_has_a_test_has_a_defect() {
    let broken: BTreeSet<Rule> = DEFECTS.iter().map(|entry| rule(entry.breaks)).collect();
    let tested: BTreeSet<Rule> = plan(&Filter::all()).into_iter().collect();
    assert_eq!(broken, tested);
}

#[test]
fn the_table_of_defects_is_sound() {
    for (index, entry) in DEFECTS.iter().enumerate() {
        let Entry {
            name, what, also, ..
        } = entry;
        let kebab = |c: char| c.is_ascii_lowercase() || c == '-';
        assert!(name.chars().all(kebab) && *name != NONE, "{name}");
        assert!(what.len() > 10 && !what.ends_with('.'), "{name}: {what}");
        for (other, reason) in *also {
            assert!(
                rule(other) != rule(entry.breaks) && reason.len() > 10,
                "{name}: {other}"
            );
        }
        for other in &DEFECTS[..index] {
            assert!(
                other.name != *name && other.defect != entry.defect,
                "{name}"
            );
        }
    }
}

fn rule(id: &str) -> Rule {
    id.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// The matrix in Markdown: what each defect is, and what the suite says of it.
fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| defect | what the plugin does | caught by | passed | skipped |\n|---|---|---|---|---|\n",
    );
    for row in rows {
        let what = row.entry.map_or("nothing wrong", |entry| entry.what);
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
        let (name, caught) = (row.name(), caught.join(", "));
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| `{name}` | {what} | {caught} | {passed} | {skipped} |"
        );
    }
    text
}
