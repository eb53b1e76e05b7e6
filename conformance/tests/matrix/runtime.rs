//! Every defect of `broken-runtime` against every rule about runtimes, with the checking plugin; those of
//! its API against the rules about the API.
//!
//! `DDI_RUNTIME_MATRIX=<file>` writes the result as a table in Markdown.

use std::collections::HashSet;
use std::path::PathBuf;

use broken_runtime::{OWN, RUNTIME};
use conformance_protocol::record::PLUGIN;
use conformance_runner::{Filter, Options, Rule, Tested, Verdict, exit_code, plan, rules, run};
use defects::{NONE, VARIABLE};

use crate::support::defects::{of_api, of_host};
use crate::support::libraries::{broken, library};
use crate::support::matrix::{Case, Defect, Expected, broken_rules, check, check_table};

const EXE: &str = env!("CARGO_BIN_EXE_ddi-conformance");

fn defects() -> Vec<Defect> {
    [of_api(), of_host()].concat()
}

/// How the suite is run on the runtime with a defect.
fn options(defect: &str) -> Options {
    let broken = broken("broken-runtime");
    let mut options = Options::for_runtime(EXE, Some(broken.clone()), library("checking-plugin"));
    options.env = vec![
        (VARIABLE.into(), defect.into()),
        (RUNTIME.into(), library("compiler-runtime").into()),
        (OWN.into(), broken.into()),
    ];
    options
}

#[test]
fn each_defect_is_caught_by_its_own_rule_alone() {
    let mut cases = vec![Case::none(Expected::Passes, options(NONE))];
    cases.extend(of_api().iter().map(|defect| {
        let mut options = options(defect.name);
        // A method of the API that is replaced is none of the plugin's business.
        options.filter = "R-*".parse().expect("a filter");
        Case::new(defect, options)
    }));
    let of_host = of_host();
    cases.extend(
        of_host
            .iter()
            .map(|defect| Case::new(defect, options(defect.name))),
    );
    check(cases, "DDI_RUNTIME_MATRIX");
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
    for plugin in ["sample-plugin", "other-plugin"] {
        keeps_what_can_be_seen(library(plugin));
    }
}

/// Runs the suite on our runtime with a plugin that does not check it.
fn keeps_what_can_be_seen(plugin: PathBuf) {
    let options = Options::for_runtime(EXE, None, plugin);
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

/// The same on our runtime, or on the broken one, with a plugin of a vendor's behind the checks.
fn behind_the_checks(mut options: Options, plugin: &str) -> Options {
    options.env.push((PLUGIN.into(), library(plugin).into()));
    options
}

#[test]
fn any_plugin_can_be_behind_the_checks() {
    for plugin in ["sample-plugin", "other-plugin"] {
        let options = Options::for_runtime(EXE, None, library("checking-plugin"));
        let report = run(&behind_the_checks(options, plugin), |_| {}).expect("a report");
        for result in &report.rules {
            let is_described = [rules::H_20, rules::H_21, rules::H_22].contains(&result.rule);
            let undecided = matches!(result.verdict, Verdict::Undecided { needs: None, .. });
            assert!(
                if is_described {
                    undecided
                } else {
                    result.verdict == Verdict::Pass
                },
                "{plugin}: {result:?}"
            );
        }
    }
}

#[test]
fn the_checks_see_a_broken_host_with_any_plugin() {
    let mut seen = HashSet::from([rules::H_20, rules::H_21, rules::H_22]);
    for defect in of_host() {
        let Expected::Breaks(rule) = defect.expected else {
            continue;
        };
        // One defect of each rule.
        if !seen.insert(rule) {
            continue;
        }
        let mut options = behind_the_checks(options(defect.name), "sample-plugin");
        options.filter = rule.id().parse().expect("a filter");
        let report = run(&options, |_| {}).expect("a report");
        let verdict = &report.rules[0].verdict;
        assert!(
            matches!(verdict, Verdict::Fail(_) | Verdict::Warn(_)),
            "{}: {verdict:?}",
            defect.name
        );
    }
}

#[test]
fn every_rule_has_a_defect() {
    let tested = Tested::Runtime {
        library: None,
        plugin: PathBuf::new(),
    };
    let tested: HashSet<Rule> = plan(&tested, &Filter::all()).into_iter().collect();
    assert_eq!(broken_rules(&defects()), tested);
}

#[test]
fn the_table_of_defects_is_sound() {
    check_table(&defects());
}
