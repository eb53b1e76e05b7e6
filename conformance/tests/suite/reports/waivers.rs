//! Waivers, in every form of the report.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use clap::ValueEnum as _;
use conformance_runner::{Format, exit_code};
use serde_json::{Value, json};

use super::wtl::utf8;
use super::{HOSTILE, Journal};

const GOOD: &str = "2999-12-31";
const OVER: &str = "2000-01-01";

/// Of two rules one fails.
fn journal() -> Journal {
    let failure = json!({"verdict": "fail", "call": "f()", "expected": "S_OK", "got": "E_FAIL"});
    let pass = json!({"verdict": "pass"});
    Journal::new(&[("P-OPEN-01", pass), ("P-OPEN-02", failure)], &[])
}

impl Journal {
    /// A file of waivers beside the journal.
    fn waive(&self, rules: &[(&str, &str)]) -> PathBuf {
        let entries = rules.iter().map(|(rule, expires)| {
            // What JSON writes for a text is also what TOML writes.
            let reason = json!(format!("the reason {HOSTILE}"));
            format!("[[waiver]]\nrule = \"{rule}\"\nreason = {reason}\nlink = \"bug 1\"\nexpires = {expires}\n")
        });
        let file = self.folder.path().join("waivers.toml");
        fs::write(&file, entries.collect::<String>()).unwrap();
        file
    }

    /// Each form of the report with the waivers of these rules, as text.
    #[track_caller]
    fn with_waivers(&self, rules: &[(&str, &str)], code: u8) -> Vec<(Format, String)> {
        let file = self.waive(rules);
        let waivers = ["--waivers", file.to_str().unwrap()];
        let formats = Format::value_variants().iter();
        let report = |format: &Format| {
            let name = format.to_possible_value().unwrap();
            let bytes = self.report(name.get_name(), &waivers, code);
            let text = match format {
                Format::Wtl => utf8(&bytes),
                _ => String::from_utf8(bytes).unwrap(),
            };
            (*format, text)
        };
        formats.map(report).collect()
    }
}

fn json_of(reports: &[(Format, String)]) -> Value {
    let (_, text) = reports
        .iter()
        .find(|(format, _)| *format == Format::Json)
        .unwrap();
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_waived_failure_is_shown_and_does_not_count() {
    let reports = journal().with_waivers(&[("P-OPEN-02", GOOD)], exit_code::CONFORMANT);
    for (format, text) in &reports {
        let shown = match format {
            Format::Text => "waived P-OPEN-02",
            Format::Json | Format::Jsonl => "\"waived\":1",
            Format::Junit => "type=\"waived\"",
            Format::Sarif => "\"suppressions\"",
            Format::Wtl => "<Warn UserText=\"waived: until 2999-12-31",
            Format::Html => "data-verdict=\"waived\"",
        };
        let dense = text.replace("\": ", "\":");
        assert!(dense.contains(shown), "{format:?}: {text}");
        assert!(
            text.contains("the reason") && text.contains(GOOD),
            "{format:?}: {text}"
        );
        assert!(
            !text.contains("data-verdict=\"fail\"") && !text.contains("<failure"),
            "{format:?}"
        );
    }
    let json = json_of(&reports);
    assert_eq!(json["result"], "rules hold but for what is waived");
    assert_eq!(json["conformant"], false);
    assert_eq!(
        (&json["totals"]["fail"], &json["totals"]["waived"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(json["rules"][1]["verdict"], "fail");
    assert_eq!(json["rules"][1]["waiver"]["link"], "bug 1");
    assert_eq!(json["rules"][0]["waiver"], Value::Null);
}

#[test]
fn a_waiver_that_is_out_of_date_is_an_error_in_every_form() {
    let stale = "waivers.toml:2: P-OPEN-01 passes: remove its waiver";
    let over = "waivers.toml:2: the waiver of P-OPEN-02 expired on 2000-01-01";
    for (waivers, code, objection) in [
        (
            &[("P-OPEN-01", GOOD), ("P-OPEN-02", GOOD)][..],
            exit_code::PLUGIN_FILE,
            stale,
        ),
        (&[("P-OPEN-01", GOOD)], exit_code::NOT_CONFORMANT, stale),
        // It lets nothing pass any more.
        (&[("P-OPEN-02", OVER)], exit_code::NOT_CONFORMANT, over),
    ] {
        let reports = journal().with_waivers(waivers, code);
        for (format, text) in &reports {
            assert!(text.contains(objection), "{format:?}: {text}");
        }
        let json = json_of(&reports);
        assert_eq!(json["exit_code"], code);
        assert_eq!(json["waiver_errors"].as_array().unwrap().len(), 1);
    }
    // A rule that was not selected is not judged.
    journal().with_waivers(
        &[("P-OPEN-02", GOOD), ("P-ABI-05", GOOD)],
        exit_code::CONFORMANT,
    );
}

/// `run` on a plugin that breaks the first of two rules, and what it writes to stderr. A waived failure does not end the run.
fn run(waivers: &str, code: u8) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ddi-conformance"));
    command.args(["run", "--filter", "=P-ABI-05,=P-CVER-01"]);
    command.args(["--jobs", "1", "--fail-fast", "--waivers", waivers]);
    let output = command
        .env("DDI_LAYER", "abi-short-fails")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(code.into()), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_run_takes_waivers_and_refuses_what_is_none() {
    let journal = journal();
    let file = journal.waive(&[("P-ABI-05", GOOD)]);
    run(file.to_str().unwrap(), exit_code::CONFORMANT);
    journal.waive(&[("P-ABI-06", GOOD)]);
    run(file.to_str().unwrap(), exit_code::NOT_CONFORMANT);
    journal.waive(&[("P-ABI-99", GOOD)]);
    let error = run(file.to_str().unwrap(), exit_code::PLUGIN_FILE);
    assert!(
        error.contains("waivers.toml:2: no rule has the id \"P-ABI-99\""),
        "{error}"
    );
    let error = run("no/such/file", exit_code::PLUGIN_FILE);
    assert!(
        error.contains("cannot read the waivers no/such/file"),
        "{error}"
    );
}
