//! JSON lines, which together are the JSON report.

#[cfg(unix)]
use std::io::{BufRead as _, BufReader};
#[cfg(unix)]
use std::process::{Command, Stdio};

use serde_json::Value;

use super::Journal;

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

#[test]
fn the_lines_are_the_json_report() {
    let journal = Journal::of_all();
    let text = journal.text("jsonl", &[]);
    let mut lines: Vec<_> = text.lines().map(parsed).collect();
    let mut report = lines.pop().unwrap()["summary"].take();
    let rules = lines.iter_mut().map(|line| line["rule"].take());
    report["rules"] = rules.collect();
    assert_eq!(report, journal.json(&[]));
}

/// The whole suite takes many seconds, so it has not ended when its first verdict is read.
#[test]
#[cfg(unix)]
fn a_verdict_can_be_read_before_the_run_is_over() {
    let mut run = Command::new(env!("CARGO_BIN_EXE_ddi-conformance"))
        .args(["run", "--jobs", "1", "--format", "jsonl"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(run.stdout.take().unwrap()).lines();
    let first = parsed(&lines.next().unwrap().unwrap());
    assert!(first["rule"]["verdict"].is_string(), "{first}");
    assert!(run.try_wait().unwrap().is_none());
    run.kill().unwrap();
    run.wait().unwrap();
}
