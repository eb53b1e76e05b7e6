//! Every defect of `broken-plugin` against every rule about plugins.
//!
//! `DDI_MATRIX=<file>` writes the result as a table in Markdown.

use std::collections::HashSet;
use std::env::consts::DLL_EXTENSION;
use std::path::{Path, PathBuf};

use conformance_child::CLOCK_IS_OURS;
use conformance_runner::{Filter, Options, Rule, Tested, Verdict, plan, rules, run};
use defects::{NONE, VARIABLE};

use crate::support::defects::of_plugin;
use crate::support::is_tested_here;
use crate::support::libraries::broken;
use crate::support::matrix::{Case, Defect, Expected, broken_rules, check, check_table};

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
            broken: broken("broken-plugin"),
            mangled_export: broken("mangled-export"),
            no_library,
            _folder: folder,
        }
    }

    /// The one that has a defect.
    fn with(&self, defect: &Defect) -> &Path {
        match defect.name {
            "export-mangled" => &self.mangled_export,
            "no-library" => &self.no_library,
            _ => &self.broken,
        }
    }
}

/// How the suite is run on a library with a defect.
fn options(library: &Path, defect: &str) -> Options {
    let mut options = Options::new(env!("CARGO_BIN_EXE_ddi-conformance"), Some(library.into()));
    options.env = vec![
        (VARIABLE.into(), defect.into()),
        // Where it is set, nobody reads the traces of defects that panic, and they take longer than their tests.
        ("RUST_BACKTRACE".into(), "0".into()),
    ];
    options
}

#[test]
fn each_defect_is_caught_by_its_own_rule_alone() {
    let libraries = Libraries::new();
    let none = Case::none(
        Expected::Notes(rules::P_OPEN_11, "the host's table"),
        options(&libraries.broken, NONE),
    );
    let mut defects = of_plugin();
    // Only where the suite can set the clock does a date change within a run.
    defects.retain(|defect| CLOCK_IS_OURS || defect.name != "session-code-from-day");
    defects.retain(|defect| match defect.expected {
        Expected::Breaks(rule) | Expected::Notes(rule, _) => is_tested_here(rule),
        _ => true,
    });
    let case = |defect| Case::new(defect, options(libraries.with(defect), defect.name));
    let cases: Vec<_> = [none].into_iter().chain(defects.iter().map(case)).collect();
    check(cases, "DDI_MATRIX");
}

#[test]
fn a_name_that_is_no_defect_opens_nothing() {
    let mut options = options(&broken("broken-plugin"), "no-defect");
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
    let tested: HashSet<Rule> = plan(&Tested::Plugin(None), &Filter::all())
        .into_iter()
        .collect();
    assert_eq!(broken_rules(&of_plugin()), tested);
}

#[test]
fn the_table_of_defects_is_sound() {
    check_table(&of_plugin());
}
