//! The forms of the report, each read by a parser that is not ours, of a run that has every verdict.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use conformance_runner::exit_code;
use serde_json::{Value, json};
use tempfile::TempDir;

mod html;
mod jsonl;
mod junit;
mod sarif;
mod waivers;
mod wtl;

/// What a library can print, or a call can say: markup, quotes, control characters, the end of a section.
const HOSTILE: &str =
    "<script>alert(1)</script>\"'&amp;]]>\u{1b}[31m\u{0}\u{7}\u{fffe}</td>\r\n--><!-- \u{1F600}";

/// The journal of a run that was interrupted, with each verdict; [`HOSTILE`] is wherever a library can put it.
struct Journal {
    folder: TempDir,
}

impl Journal {
    fn new(results: &[(&str, Value)], left: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ids = results
            .iter()
            .map(|(id, _)| *id)
            .chain(left.iter().copied());
        let tested = json!({"path": HOSTILE, "sha256": "0".repeat(64)});
        let run = json!({"run": {
            "version": "0", "tested": {"plugin": tested}, "env": [["NAME", HOSTILE]],
            "settings": {"set": "full", "seed": 0, "fault_plan": null, "corpus": null},
            "plan": ids.collect::<Vec<_>>(), "rules_in_all": 140,
        }});
        let mut lines = vec![run.to_string(), String::new()];
        for (number, (id, verdict)) in results.iter().enumerate() {
            let mut rule = json!({"id": id, "notes": [], "milliseconds": number * 100});
            let fields = rule.as_object_mut().unwrap();
            fields.extend(verdict.as_object().unwrap().clone());
            lines.insert(number + 1, json!({ "rule": rule }).to_string());
        }
        fs::write(folder.path().join("run.jsonl"), lines.join("\n")).unwrap();
        Self { folder }
    }

    /// Each verdict, and a rule that the run did not come to.
    fn of_all() -> Self {
        let failure = |verdict| json!({"verdict": verdict, "call": HOSTILE, "expected": HOSTILE, "got": HOSTILE, "output": HOSTILE});
        Self::new(
            &[
                ("P-OPEN-01", json!({"verdict": "pass", "notes": [HOSTILE]})),
                ("P-OPEN-02", failure("fail")),
                ("P-OPEN-04", failure("warn")),
                (
                    "P-VER-01",
                    json!({"verdict": "crash", "how": HOSTILE, "during": HOSTILE}),
                ),
                (
                    "P-VER-02",
                    json!({"verdict": "timeout", "after_ms": 7, "during": null}),
                ),
                (
                    "P-VER-03",
                    json!({"verdict": "not-applicable", "reason": HOSTILE}),
                ),
                (
                    "P-FAM-01",
                    json!({"verdict": "undecided", "needs": "P-VER-01", "reason": HOSTILE}),
                ),
                (
                    "P-ABI-09",
                    json!({"verdict": "undecided", "needs": null, "reason": HOSTILE}),
                ),
                (
                    "P-ABI-10",
                    json!({"verdict": "tool-error", "reason": HOSTILE}),
                ),
            ],
            &["P-SO-01"],
        )
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("run.jsonl")
    }

    /// What `report` writes in a form; it exits with `code`.
    #[track_caller]
    fn report(&self, format: &str, more: &[&str], code: u8) -> Vec<u8> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ddi-conformance"));
        command.args(["report", "--format", format]).args(more);
        let output = command.arg(self.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(code.into()), "{output:?}");
        output.stdout
    }

    /// As [`report`](Self::report), of a form that is UTF-8.
    #[track_caller]
    fn text(&self, format: &str, more: &[&str]) -> String {
        String::from_utf8(self.report(format, more, exit_code::NOT_CONFORMANT)).unwrap()
    }

    fn json(&self, more: &[&str]) -> Value {
        serde_json::from_str(&self.text("json", more)).unwrap()
    }
}

/// How many rules of a JSON report have one of these verdicts.
fn count(report: &Value, verdicts: &[&str]) -> u64 {
    let of = |verdict: &&str| report["totals"][verdict].as_u64().unwrap();
    verdicts.iter().map(of).sum()
}
