//! Every defect of `broken-plugin` against every rule about plugins.
//!
//! `DDI_MATRIX=<file>` writes the result as a table in Markdown.

#[path = "../broken-plugin/src/defect.rs"]
mod defect;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "support/libraries.rs"]
mod libraries;
#[path = "support/matrix.rs"]
mod matrix;

use conformance::process_of_a_test::CLOCK_IS_OURS;
use conformance::{Filter, Options, Rule, Tested, Verdict, plan, run};
use defect::{DEFECTS, Defect, Entry, Expected, Export, NONE, Session, VARIABLE};
use libraries::broken_plugin;
use matrix::{Case, check, check_entry, rule};
use std::collections::HashSet;
use std::env::consts::DLL_EXTENSION;
use std::path::{Path, PathBuf};

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

/// How the suite is run on a library with a defect.
fn options(library: &Path, defect: &str) -> Options {
    let mut options = Options::new(env!("CARGO_BIN_EXE_ddi-conformance"), Some(library.into()));
    options.env = vec![(VARIABLE.into(), defect.into())];
    options
}

#[test]
fn each_defect_is_caught_by_its_own_rule_alone() {
    let libraries = Libraries::new();
    let none = Case {
        name: NONE,
        what: "nothing wrong",
        breaks: Vec::new(),
        sometimes: Vec::new(),
        notes: Some(("P-OPEN-11", "the host's table")),
        leaves: Vec::new(),
        undecided: false,
        options: options(&libraries.broken, NONE),
    };
    let case = |entry: &Entry| Case {
        name: entry.name,
        what: entry.what,
        breaks: match entry.expected {
            Expected::Breaks(rule) => [rule]
                .into_iter()
                .chain(entry.also.iter().map(|(rule, _)| *rule))
                .collect(),
            _ => Vec::new(),
        },
        sometimes: entry.sometimes.iter().map(|(rule, _)| *rule).collect(),
        notes: match entry.expected {
            Expected::Notes(rule, words) => Some((rule, words)),
            _ => None,
        },
        leaves: match entry.expected {
            Expected::Leaves(rule) => vec![rule],
            _ => Vec::new(),
        },
        undecided: matches!(entry.expected, Expected::Undecided),
        options: options(libraries.with(entry.defect), entry.name),
    };
    let seen = DEFECTS.iter().filter(|entry| {
        // Only where the suite can set the clock does a date change within a run.
        CLOCK_IS_OURS || entry.defect != Defect::Session(Session::CodeFromDay)
    });
    let cases: Vec<_> = [none].into_iter().chain(seen.map(case)).collect();
    check(&cases, "DDI_MATRIX");
}

#[test]
fn a_name_that_is_no_defect_opens_nothing() {
    let mut options = options(&broken_plugin("broken-plugin"), "no-defect");
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
    let breaks = |entry: &Entry| match entry.expected {
        Expected::Breaks(id) => Some(rule(id)),
        _ => None,
    };
    let broken: HashSet<Rule> = DEFECTS.iter().filter_map(breaks).collect();
    let tested: HashSet<Rule> = plan(&Tested::Plugin(None), &Filter::all())
        .into_iter()
        .collect();
    assert_eq!(broken, tested);
}

#[test]
fn the_table_of_defects_is_sound() {
    for (index, entry) in DEFECTS.iter().enumerate() {
        let Entry {
            name,
            what,
            also,
            sometimes,
            expected,
            ..
        } = entry;
        check_entry(name, NONE, what, expected.rule());
        for (other, reason) in also.iter().chain(*sometimes) {
            assert!(
                Some(rule(other)) != expected.rule().map(rule) && reason.len() > 10,
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
