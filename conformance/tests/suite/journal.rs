//! The journal of a run: what is in it when the run dies, how a run goes on from it, and the reports that are made from it.

use std::fs;
use std::path::Path;
use std::process::Child;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use conformance_runner::exit_code;
use serde_json::Value;

const RULES: &str = "P-FAM,P-ABI";
const MANY: &str = "P-OPEN,P-VER,P-TBL,P-CBT,P-FAM,P-ABI,P-CAPS,P-FMT,P-MSAA";

fn conformance(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ddi-conformance"));
    command.args(args).stderr(Stdio::null());
    command
}

#[track_caller]
fn exits(command: &mut Command, code: u8) -> Output {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(code.into()), "{output:?}");
    output
}

fn run(journal: &Path, more: &[&str]) -> Command {
    let mut command = conformance(&["run", "--format", "json", "--journal"]);
    command.arg(journal).args(more);
    command
}

fn report(journals: &[&Path], code: u8) -> Value {
    let mut command = conformance(&["report", "--format", "json"]);
    command.args(journals);
    serde_json::from_slice(&exits(&mut command, code).stdout).unwrap()
}

/// A run of many rules that has decided some of them.
fn begun(journal: &Path) -> Child {
    let child = run(journal, &["--filter", MANY, "--jobs", "1"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = || {
        let text = fs::read_to_string(journal).unwrap_or_default();
        text.lines().count()
    };
    let deadline = Instant::now() + Duration::from_mins(1);
    while lines() < 5 && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(5));
    }
    child
}

/// The verdicts of a report, in its order.
fn verdicts(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let rules = report["rules"].as_array().unwrap().iter();
    rules
        .map(|rule| (text(&rule["id"]), text(&rule["verdict"])))
        .collect()
}

#[test]
fn a_report_of_the_journal_is_that_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("run.jsonl");
    let of_run = exits(&mut run(&journal, &["--filter", RULES]), 0);
    let of_run: Value = serde_json::from_slice(&of_run.stdout).unwrap();
    assert_eq!(report(&[&journal], 0), of_run);
    assert_eq!(of_run["planned"], of_run["rules"].as_array().unwrap().len());
    // It is there already.
    exits(
        &mut run(&journal, &["--filter", RULES]),
        exit_code::PLUGIN_FILE,
    );
    // It is of another run.
    let others = ["--filter", "P-VER", "--resume"];
    exits(&mut run(&journal, &others), exit_code::PLUGIN_FILE);
}

#[test]
fn a_run_goes_on_where_another_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("run.jsonl");
    let mut killed = begun(&journal);
    killed.kill().unwrap();
    killed.wait().unwrap();

    let before = report(&[&journal], exit_code::INCOMPLETE);
    let decided = verdicts(&before);
    assert!(decided.len() >= 3, "{decided:?}");
    assert!(decided.len() < 60, "it was not killed");
    assert_eq!(before["result"], "interrupted");
    // What was decided is not tested again: a result that nothing gives stays.
    let text = fs::read_to_string(&journal).unwrap();
    let marked = text.replacen("\"notes\":[]", "\"notes\":[\"of before\"]", 1);
    assert_ne!(text, marked);
    fs::write(&journal, marked).unwrap();
    let after = run(
        &journal,
        &["--filter", MANY, "--jobs", "1", "--resume", "--fail-fast"],
    )
    .output()
    .unwrap();
    assert_eq!(after.status.code(), Some(0), "{after:?}");
    let after: Value = serde_json::from_slice(&after.stdout).unwrap();
    assert_eq!(verdicts(&after)[..decided.len()], decided[..]);
    let notes = after["rules"].as_array().unwrap().iter();
    let of_before = notes.filter(|rule| rule["notes"][0] == "of before");
    assert_eq!(of_before.count(), 1);
    assert_eq!(after["planned"], verdicts(&after).len());
}

#[test]
fn the_parts_of_a_run_make_one_report() {
    let folder = tempfile::tempdir().unwrap();
    let parts = ["1/2", "2/2"].map(|part| {
        let journal = folder.path().join(part.replace('/', "-"));
        exits(&mut run(&journal, &["--filter", RULES, "--shard", part]), 0);
        journal
    });
    let whole = folder.path().join("whole");
    exits(&mut run(&whole, &["--filter", RULES]), 0);
    let [one, two] = &parts;
    let both = report(&[two, one], 0);
    assert_eq!(verdicts(&both), verdicts(&report(&[&whole], 0)));
    assert!(verdicts(&report(&[one], 0)).len() < verdicts(&both).len());
    exits(
        conformance(&["report"]).args([one, one]),
        exit_code::PLUGIN_FILE,
    );
}

#[test]
fn only_the_level_that_is_asked_for_is_tested() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("run.jsonl");
    let must = ["--filter", RULES, "--level", "must", "--repeat", "2"];
    let report = exits(&mut run(&journal, &must), 0);
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let rules = report["rules"].as_array().unwrap();
    assert!(!rules.is_empty());
    assert!(rules.iter().all(|rule| rule["level"] == "MUST"));
}

#[test]
#[cfg(unix)]
fn a_signal_ends_the_run_with_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("run.jsonl");
    let child = begun(&journal);
    // SAFETY: the process is a child that was not waited for.
    unsafe { libc::kill(child.id().cast_signed(), libc::SIGTERM) };
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(exit_code::INCOMPLETE.into()));
    let of_run: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(of_run["result"], "interrupted");
    assert_eq!(of_run, report(&[&journal], exit_code::INCOMPLETE));
    assert!(verdicts(&of_run).len() >= 3);
}
