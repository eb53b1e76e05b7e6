//! Every defect of `broken-runtime` against every rule about runtimes, with the checking plugin; those of
//! its API against the rules about the API.
//!
//! `DDI_RUNTIME_MATRIX=<file>` writes the result as a table in Markdown.

#[path = "../broken-runtime/src/defect.rs"]
mod defect;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "support/libraries.rs"]
mod libraries;
#[path = "support/matrix.rs"]
mod matrix;

use conformance::{Filter, Options, Rule, Tested, Verdict, exit_code, plan, rules, run};
use defect::{DEFECTS, Entry, Expected, NONE, VARIABLE};
use libraries::library;
use matrix::{Case, check, check_entry, rule};
use std::collections::HashSet;
use std::path::PathBuf;

const EXE: &str = env!("CARGO_BIN_EXE_ddi-conformance");

/// How the suite is run on the runtime with a defect.
fn options(defect: &str) -> Options {
    let broken = library("broken-runtime");
    let mut options = Options::for_runtime(EXE, Some(broken), library("checking-plugin"));
    options.env = vec![
        (VARIABLE.into(), defect.into()),
        ("DDI_RUNTIME".into(), library("compiler-runtime").into()),
    ];
    options
}

#[test]
fn each_defect_is_caught_by_its_own_rule_alone() {
    let none = Case {
        name: NONE,
        what: "nothing wrong",
        breaks: Vec::new(),
        sometimes: Vec::new(),
        notes: None,
        leaves: Vec::new(),
        undecided: false,
        options: options(NONE),
    };
    let case = |entry: &Entry| {
        let mut options = options(entry.name);
        if !entry.is_of_host() {
            // A method of the API that is replaced is none of the plugin's business.
            options.filter = "R-*".parse().expect("a filter");
        }
        Case {
            name: entry.name,
            what: entry.what,
            breaks: match entry.expected {
                Expected::Breaks(rule) => rule.to_vec(),
                _ => Vec::new(),
            },
            sometimes: Vec::new(),
            notes: match entry.expected {
                Expected::Notes([rule], words) => Some((rule, words)),
                _ => None,
            },
            undecided: matches!(entry.expected, Expected::Hides(..)),
            leaves: match entry.expected {
                Expected::Leaves(rules) | Expected::Hides(_, rules) => rules.to_vec(),
                _ => Vec::new(),
            },
            options,
        }
    };
    let cases: Vec<_> = [none].into_iter().chain(DEFECTS.iter().map(case)).collect();
    check(&cases, "DDI_RUNTIME_MATRIX");
}

#[test]
fn our_runtime_keeps_every_rule() {
    for library_path in [None, Some(library("compiler-runtime"))] {
        let options = Options::for_runtime(EXE, library_path, library("checking-plugin"));
        let report = run(&options, |_| {}).expect("a report");
        let all_pass = |verdict: &Verdict| *verdict == Verdict::Pass;
        assert!(
            report.rules.iter().all(|result| all_pass(&result.verdict)),
            "{report:#?}"
        );
        for rule in [rules::R_VAL_15, rules::H_13] {
            let result = report.rules.iter().find(|result| result.rule == rule);
            let notes = &result.expect("it was selected").notes;
            assert!(
                notes[0].contains("DXGI_ERROR_NOT_FOUND"),
                "{rule}: {notes:?}"
            );
        }
        assert_eq!(
            report.rules.len(),
            plan(&options.tested, &Filter::all()).len()
        );
        assert_eq!(report.exit_code(true), exit_code::CONFORMANT);
    }
}

#[test]
fn with_another_plugin_what_only_the_checking_plugin_sees_is_undecided() {
    let options = Options::for_runtime(EXE, None, library("sample-plugin"));
    let report = run(&options, |_| {}).expect("a report");
    for result in &report.rules {
        let seen_inside = [rules::R_CMP_03, rules::R_CMP_05].contains(&result.rule)
            || result.rule.id().starts_with("H-");
        let undecided = matches!(result.verdict, Verdict::Undecided { needs: None, .. });
        assert!(
            if seen_inside {
                undecided
            } else {
                result.verdict == Verdict::Pass
            },
            "{result:?}"
        );
    }
}

#[test]
fn every_rule_has_a_defect() {
    let breaks = |entry: &Entry| match entry.expected {
        Expected::Breaks([id]) => Some(rule(id)),
        _ => None,
    };
    let broken: HashSet<Rule> = DEFECTS.iter().filter_map(breaks).collect();
    let tested = Tested::Runtime {
        library: None,
        plugin: PathBuf::new(),
    };
    let tested: HashSet<Rule> = plan(&tested, &Filter::all()).into_iter().collect();
    assert_eq!(broken, tested);
}

#[test]
fn the_table_of_defects_is_sound() {
    for (index, entry) in DEFECTS.iter().enumerate() {
        for id in entry.expected.rules() {
            check_entry(entry.name, NONE, entry.what, Some(id));
        }
        for other in &DEFECTS[..index] {
            assert!(
                other.name != entry.name && other.defect != entry.defect,
                "{}",
                entry.name
            );
        }
    }
}
