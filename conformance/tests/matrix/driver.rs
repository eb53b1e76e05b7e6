//! Every defect of `broken-umd` against every rule about user-mode drivers.
//!
//! `DDI_UMD_MATRIX=<file>` writes the result as a table in Markdown.

use std::collections::HashSet;

use broken_umd::DRIVER;
use conformance_runner::{Filter, Options, Rule, Tested, Verdict, exit_code, plan, run};
use defects::{NONE, VARIABLE};

use crate::support::defects::of_driver;
use crate::support::libraries::{broken, library};
use crate::support::matrix::{Case, Expected, broken_rules, check, check_table};

const EXE: &str = env!("CARGO_BIN_EXE_ddi-conformance");

/// How the suite is run on the driver with a defect.
fn options(defect: &str) -> Options {
    let mut options = Options::for_driver(
        EXE,
        Some(broken("broken-umd")),
        Some(library("sample-plugin")),
    );
    options.env = vec![
        (VARIABLE.into(), defect.into()),
        (DRIVER.into(), library("mock-umd").into()),
    ];
    options
}

#[test]
fn each_defect_is_caught_by_its_own_rule_alone() {
    let mut cases = vec![Case::none(Expected::Passes, options(NONE))];
    let all = of_driver();
    cases.extend(
        all.iter()
            .map(|defect| Case::new(defect, options(defect.name))),
    );
    check(cases, "DDI_UMD_MATRIX");
}

#[test]
fn our_driver_keeps_every_rule() {
    let of_files = Some(library("mock-umd")).zip(Some(library("sample-plugin")));
    for files in [None, of_files] {
        let (driver, plugin) = files.unzip();
        let report = run(&Options::for_driver(EXE, driver, plugin), |_| {}).expect("a report");
        let mut verdicts = report.rules.iter().map(|result| &result.verdict);
        assert!(
            verdicts.all(|verdict| *verdict == Verdict::Pass),
            "{report:#?}"
        );
        assert_eq!(report.exit_code(true), exit_code::CONFORMANT);
    }
}

#[test]
fn every_rule_has_a_defect() {
    let tested = Tested::Driver {
        library: None,
        plugin: None,
    };
    let tested: HashSet<Rule> = plan(&tested, &Filter::all()).into_iter().collect();
    assert_eq!(broken_rules(&of_driver()), tested);
}

#[test]
fn the_table_of_defects_is_sound() {
    check_table(&of_driver());
}
