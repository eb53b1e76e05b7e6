//! Plugins that conform, and differ wherever the specification leaves a choice: the suite says nothing against
//! any of them.

use std::path::PathBuf;

use conformance::{Filter, Options, Rule, Verdict, exit_code, plan, rules, run};

use crate::support::libraries::{library, minimal_plugin};
use crate::support::{is_tested_here, turn};

/// Runs the suite: every rule holds, but those in `absent`, which do not apply; of P-OPEN-11 the report
/// says whose the first table is.
fn passes(plugin: PathBuf, table: &str, absent: &[Rule]) {
    let options = Options::new(env!("CARGO_BIN_EXE_ddi-conformance"), Some(plugin));
    let turn = turn();
    let report = run(&options, |_| {}).expect("a report");
    drop(turn);
    for result in &report.rules {
        let is_absent = absent.contains(&result.rule) || !is_tested_here(result.rule);
        let holds = match result.verdict {
            Verdict::Pass => !is_absent,
            Verdict::NotApplicable { .. } => is_absent,
            _ => false,
        };
        assert!(holds, "{result:#?}");
        if result.rule == rules::P_OPEN_11 {
            assert!(result.notes.concat().contains(table), "{result:#?}");
        }
    }
    let all = plan(&options.tested, &Filter::all()).len();
    assert_eq!(report.rules.len(), all);
    assert_eq!(report.exit_code(true), exit_code::CONFORMANT);
}

#[test]
fn the_sample_plugin_passes() {
    passes(library("sample-plugin"), "the host's table", &[]);
}

#[test]
fn the_example_in_cpp_passes() {
    if let Some(plugin) = minimal_plugin() {
        // Of state objects it has generic programs alone, which nothing is made from.
        passes(plugin, "the host's table", &[rules::P_SO_03]);
    }
}

#[test]
fn the_plugin_that_chooses_otherwise_passes() {
    passes(library("other-plugin"), "a table of its own", &[]);
}

#[test]
fn the_plugin_that_compiles_on_several_threads_passes() {
    passes(library("parallel-plugin"), "the host's table", &[]);
}
