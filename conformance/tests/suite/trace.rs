//! What is recorded is what was called, and can be called again: of the same plugin with the same result, of another one with
//! its differences.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::libraries::{broken, faulting_plugin, library};
use conformance_runner::exit_code;
use ddi_trace::{Process as RecordedProcess, Trace, TraceError};
use serde_json::Value;
use tempfile::TempDir;

/// What says how the broken plugin is broken.
const DEFECT: &str = "DDI_DEFECT";

struct Traces {
    folder: TempDir,
}

impl Traces {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("trace.jsonl")
    }
}

fn tool(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ddi-conformance"));
    command.args(arguments);
    command
}

/// The exit code, and what is printed.
fn result(command: &mut Command) -> (u8, String) {
    let output = command.output().expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("it is UTF-8");
    let code = output.status.code().expect("it was not killed");
    (u8::try_from(code).expect("a small number"), text)
}

/// Records a run of a plugin, or of the one that is linked in.
fn record(trace: &Path, plugin: Option<&Path>, rules: &str, env: &[(&str, &str)]) -> (u8, String) {
    let mut command = tool(&["run", "--set", "smoke", "--filter", rules, "--trace"]);
    command.arg(trace).args(plugin);
    command.envs(env.iter().copied());
    result(&mut command)
}

fn replay(
    trace: &Path,
    plugin: Option<&Path>,
    more: &[&str],
    env: &[(&str, &str)],
) -> (u8, String) {
    let mut command = tool(&["replay"]);
    command.arg(trace).args(plugin).args(more);
    command.envs(env.iter().copied());
    result(&mut command)
}

#[test]
fn what_was_recorded_is_the_same_when_it_is_made_again() {
    let traces = Traces::new();
    // Versions, lists, capabilities, every kind of object, additions, collections.
    let rules = "P-OPEN-06,P-VER,P-CBT-03,P-ABI-04,P-CAPS-01,P-CAPS-04,P-CAPS-05,P-FMT-01,P-PROF-03,P-PSO-01,\
                 P-SO-01,P-SO-03,P-SO-06,P-SO-07";
    let (code, text) = record(&traces.file(), None, rules, &[]);
    assert_eq!(code, exit_code::CONFORMANT, "{text}");
    let (code, text) = replay(&traces.file(), None, &[], &[]);
    assert_eq!(code, exit_code::CONFORMANT, "{text}");
    assert!(text.contains("everything is as it was recorded"), "{text}");
    // A plugin that makes every other choice.
    let other = traces.folder.path().join("other");
    let plugin = library("other-plugin");
    let (code, text) = record(
        &other,
        Some(&plugin),
        "P-OPEN-06,P-OPEN-11,P-CAPS-05,P-PSO-01,P-SO-01",
        &[],
    );
    assert_eq!(code, exit_code::CONFORMANT, "{text}");
    let (code, text) = replay(&other, Some(&plugin), &[], &[]);
    assert_eq!(code, exit_code::CONFORMANT, "{text}");

    let trace = Trace::read(&traces.file()).expect("it can be read");
    // Every function was called.
    let mut lines = Vec::new();
    for process in &trace.processes {
        lines.extend(process.lines());
    }
    for function in [
        "D3D12OpenCompilerDDI",
        "pfnGetSupportedVersions",
        "pfnSetSelectedVersion",
        "pfnFillDDITable",
        "pfnSetCallbackDDITable",
        "pfnDestroyCompilerDDI",
        "pfnGetCaps",
        "pfnEnumerateAdapterFamilies",
        "pfnGetAdapterFamilyABIVersions",
        "pfnGetApplicationProfileVersion",
        "pfnCheckFormatSupport",
        "pfnCalcPrivateCompilerSize",
        "pfnCreateCompiler",
        "pfnCompilePipelineState",
        "pfnCalcPrivateStateObjectSize",
        "pfnCompileCreateStateObject",
        "pfnCompilerCacheFindValue",
        "pfnCompilerCacheStoreValue",
        "pfnCompilerCacheSetObjectValueKeys",
    ] {
        let call = format!("{function}(");
        assert!(lines.iter().any(|line| line.contains(&call)), "{function}");
    }
}

#[test]
fn the_answers_of_a_faulty_host_are_given_again() {
    let traces = Traces::new();
    for (number, plan) in [
        "find#1=E_OUTOFMEMORY",
        "store#0=ALREADY_EXISTS",
        "keys#0=E_FAIL",
        "find#*=grow",
    ]
    .into_iter()
    .enumerate()
    {
        let trace = traces.folder.path().join(number.to_string());
        let mut run = tool(&[
            "run",
            "--set",
            "smoke",
            "--filter",
            "=P-PSO-14",
            "--fault-plan",
            plan,
            "--trace",
        ]);
        let (code, text) = result(run.arg(&trace));
        assert_eq!(code, exit_code::CONFORMANT, "{plan}: {text}");
        let (code, text) = replay(&trace, None, &[], &[]);
        assert_eq!(code, exit_code::CONFORMANT, "{plan}: {text}");
        let trace = Trace::read(&trace).expect("it is a trace");
        let lines = trace.processes.iter().flat_map(RecordedProcess::lines);
        let failing =
            lines.filter(|line| line.contains("  pfnCompilerCache") && !line.contains("S_OK"));
        assert!(failing.count() > 0, "{plan}");
    }
}

#[test]
fn recording_changes_no_verdict() {
    let traces = Traces::new();
    let plugin = broken("broken-plugin");
    for (defect, rules) in [
        (
            defects::NONE,
            "P-VER,P-FAM,P-CVER,P-OPEN-12,P-CMP-01,P-PSO-01,P-PSO-07,P-MEM-01,P-BND-02",
        ),
        // One of each table.
        ("versions-overrun", "P-VER-04"),
        ("capabilities-null-entry", "P-TBL-01"),
        ("callbacks-absent-followed", "P-CBT-04"),
        ("profile-absent-not-zero", "P-PROF-02"),
        ("session-keys-twice", "P-PSO-01"),
        ("session-after-return", "P-PSO-05"),
        ("open-own-table", "P-OPEN-11"),
    ] {
        let env = [(DEFECT, defect)];
        let trace = traces.folder.path().join(defect);
        let mut plain = tool(&[
            "run", "--set", "smoke", "--filter", rules, "--format", "json",
        ]);
        plain.arg(&plugin).envs(env);
        let mut recorded = tool(&[
            "run", "--set", "smoke", "--filter", rules, "--format", "json", "--trace",
        ]);
        recorded.arg(&trace).arg(&plugin).envs(env);
        let verdicts = |command: &mut Command| {
            let (_, text) = result(command);
            let json: Value =
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
            let rules = json["rules"].as_array().expect("there are rules").clone();
            rules
                .into_iter()
                .map(|rule| (rule["id"].clone(), rule["verdict"].clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(verdicts(&mut plain), verdicts(&mut recorded), "{defect}");
    }
}

#[test]
fn another_plugin_is_told_apart_call_by_call() {
    let traces = Traces::new();
    let plugin = broken("broken-plugin");
    let none = [(DEFECT, defects::NONE)];
    let (code, text) = record(
        &traces.file(),
        Some(&plugin),
        "=P-PROF-02,=P-PSO-01,=P-CAPS-01",
        &none,
    );
    assert_eq!(code, exit_code::CONFORMANT, "{text}");
    let (code, text) = replay(&traces.file(), Some(&plugin), &[], &none);
    assert_eq!(code, exit_code::CONFORMANT, "{text}");
    for (defect, rule, expected) in [
        (
            "profile-absent-not-zero",
            "P-PROF-02",
            &[
                "pfnGetApplicationProfileVersion: pApplicationProfileVersion",
                "was 0.0.0.0",
                "is  1.0.0.0",
            ][..],
        ),
        (
            "caps-shader-unanswered",
            "P-CAPS-01",
            &["pfnGetCaps: the result", "was S_OK", "is  E_INVALIDARG"],
        ),
        (
            "session-keys-never",
            "P-PSO-01",
            &["the object's value keys", "is  no list of keys"],
        ),
        (
            "session-leaves-out",
            "P-PSO-01",
            &[
                "of the callbacks, the first",
                "was pfnCompilerCacheStoreValue(key ",
            ],
        ),
    ] {
        let (code, text) = replay(
            &traces.file(),
            Some(&plugin),
            &["--rule", rule],
            &[(DEFECT, defect)],
        );
        assert_eq!(code, exit_code::NOT_CONFORMANT, "{defect}: {text}");
        for expected in expected {
            assert!(text.contains(expected), "{defect}: {expected}: {text}");
        }
        assert!(
            text.contains("not everything is as it was recorded"),
            "{text}"
        );
    }
    let more = ["--rule", "p-prof-02", "--format", "json"];
    let (_, text) = replay(
        &traces.file(),
        Some(&plugin),
        &more,
        &[(DEFECT, "profile-absent-not-zero")],
    );
    let json: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(json["exit_code"], exit_code::NOT_CONFORMANT);
    assert_eq!(json["processes"][0]["rule"], "P-PROF-02");
    let difference = &json["processes"][0]["differences"][0];
    assert_eq!(difference["function"], "pfnGetApplicationProfileVersion");
    assert_eq!(difference["recorded"], "0.0.0.0");
}

#[test]
fn a_plugin_that_dies_has_a_last_call_and_dies_again() {
    let Some(plugin) = faulting_plugin() else {
        return;
    };
    let traces = Traces::new();
    let env = [("DDI_MISBEHAVE", "fault")];
    let (code, _) = record(&traces.file(), Some(&plugin), "=P-OPEN-02", &env);
    assert_eq!(code, exit_code::NOT_CONFORMANT);
    let (code, text) = result(tool(&["trace", "show"]).arg(traces.file()));
    assert_eq!(code, exit_code::CONFORMANT, "{text}");
    let last = text.lines().last().expect("there is a call");
    assert!(
        last.contains("D3D12OpenCompilerDDI(pOpenDDIArg: "),
        "{text}"
    );
    assert!(last.ends_with("has not returned"), "{text}");
    let (code, text) = replay(&traces.file(), Some(&plugin), &[], &env);
    assert_eq!(code, exit_code::NOT_CONFORMANT);
    assert!(
        text.contains("died call 1, D3D12OpenCompilerDDI: "),
        "{text}"
    );
    assert!(text.contains("a write to 0x12345000"), "{text}");
    // One that lives now is different, too.
    let (code, text) = replay(&traces.file(), None, &[], &[]);
    assert_eq!(code, exit_code::NOT_CONFORMANT);
    assert!(text.contains("was no return\n    is  S_OK"), "{text}");
}

#[test]
fn a_trace_is_shown_whole_by_process_and_by_call() {
    let traces = Traces::new();
    let (_, text) = record(&traces.file(), None, "=P-ABI-04,=P-PSO-01", &[]);
    assert!(text.contains("selected rules hold"), "{text}");
    let show = |more: &[&str]| result(tool(&["trace", "show"]).arg(traces.file()).args(more));
    let (code, text) = show(&[]);
    assert_eq!(code, exit_code::CONFORMANT);
    assert!(
        text.contains("(P-ABI-04): ") && text.contains("(P-PSO-01): "),
        "{text}"
    );
    assert!(text.contains("--process N or --rule ID"), "{text}");
    let (_, text) = show(&["--rule", "P-PSO-01"]);
    let compile = text
        .lines()
        .find(|line| line.contains(" pfnCompilePipelineState("))
        .expect("it compiles");
    assert!(compile.contains("-> S_OK (0x00000000)"), "{compile}");
    assert!(
        text.contains("   pfnCompilerCacheFindValue(hrtCompilerCacheSession: "),
        "{text}"
    );
    let number = compile.split_whitespace().next().expect("a number");
    let (code, text) = show(&["--rule", "P-PSO-01", "--call", number]);
    assert_eq!(code, exit_code::CONFORMANT, "{text}");
    for expected in [
        "pShaderCode: ",
        "PrimitiveTopologyType: D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE_",
        "RTVFormats: [DXGI_FORMAT_",
        "ViewInstanceCount: 0",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    for (more, expected) in [
        (&["--process", "9"][..], "the trace has no such process"),
        (
            &["--rule", "P-PSO-01", "--call", "99999"],
            "the process has no call 99999",
        ),
        (&["--call", "1"], "each process counts its own calls"),
    ] {
        let (code, text) = show(more);
        assert_eq!(code, exit_code::NO_TESTS, "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn files_that_are_no_traces_are_told_and_none_is_overwritten() {
    let traces = Traces::new();
    let file = traces.file();
    std::fs::write(&file, "mine\n").expect("it can be written");
    let (code, text) = record(&file, None, "=P-ABI-04", &[]);
    assert_eq!(code, exit_code::PLUGIN_FILE, "{text}");
    assert_eq!(
        std::fs::read_to_string(&file).expect("it can be read"),
        "mine\n"
    );
    let (code, text) = replay(&file, None, &[], &[]);
    assert_eq!(code, exit_code::PLUGIN_FILE);
    assert!(text.contains("trace.jsonl, line 1: "), "{text}");
    let (code, text) = result(tool(&["trace", "show"]).arg(traces.folder.path().join("absent")));
    assert_eq!(code, exit_code::PLUGIN_FILE);
    assert!(text.contains("cannot read "), "{text}");
}

#[test]
fn a_trace_that_is_cut_or_changed_is_read_or_refused() {
    let traces = Traces::new();
    let (code, text) = record(&traces.file(), None, "=P-ABI-04,=P-CVER-01", &[]);
    assert_eq!(code, exit_code::CONFORMANT, "{text}");
    let whole = std::fs::read(traces.file()).expect("it can be read");
    let first_line = 1 + whole[1..]
        .iter()
        .position(|byte| *byte == b'\n')
        .expect("a line");
    let all: usize = calls(&Trace::read(&traces.file()).expect("it is a trace"));
    let cut = traces.folder.path().join("cut");
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..200 {
        let at = random.usize(..whole.len());
        std::fs::write(&cut, &whole[..at]).expect("it can be written");
        let is_whole = at == 0 || whole[at - 1] == b'\n' || whole[at] == b'\n';
        match Trace::read(&cut) {
            Ok(trace) => {
                assert_eq!(trace.is_cut, !is_whole, "at {at}");
                assert!(calls(&trace) <= all);
            }
            // Without its first line nothing says that it is a trace.
            Err(TraceError::Line { number: 2, .. }) => assert!(at < first_line, "at {at}"),
            Err(error) => assert!(
                matches!(error, TraceError::Empty { .. }),
                "at {at}: {error}"
            ),
        }
    }
    // Whatever is written over it, nothing worse than an error comes of it.
    for _ in 0..300 {
        let mut changed = whole.clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..changed.len());
            changed[at] = random.u8(..);
        }
        std::fs::write(&cut, &changed).expect("it can be written");
        if let Ok(trace) = Trace::read(&cut) {
            for process in &trace.processes {
                let _ = process.lines();
                let _ = process.call(1);
            }
        }
    }
}

fn calls(trace: &Trace) -> usize {
    trace.processes.iter().map(RecordedProcess::calls).sum()
}

/// The library in a plugin's place, under a host that knows nothing of it.
#[test]
fn the_tracing_plugin_records_under_any_host() {
    let traces = Traces::new();
    let (interposer, plugin) = (library("trace-plugin"), library("sample-plugin"));
    let run = |env: &[(&str, &Path)]| {
        let mut command = tool(&[
            "run",
            "--set",
            "smoke",
            "--filter",
            "=P-OPEN-02,=P-ABI-04,=P-PSO-01",
        ]);
        command.arg(&interposer).envs(env.iter().copied());
        result(&mut command)
    };
    let file = traces.file();
    let (code, text) = run(&[("DDI_TRACED_PLUGIN", &plugin), ("DDI_TRACED_TO", &file)]);
    assert_eq!(code, exit_code::CONFORMANT, "{text}");
    let trace = Trace::read(&file).expect("it is a trace");
    assert_eq!(trace.processes.len(), 3);
    for process in &trace.processes {
        assert_eq!(process.begin.plugin.as_deref(), Some(&*plugin));
        assert!(process.calls() > 0);
    }
    let (code, text) = replay(&file, Some(&plugin), &[], &[]);
    assert_eq!(code, exit_code::CONFORMANT, "{text}");

    let (code, text) = run(&[("DDI_TRACED_PLUGIN", &plugin)]);
    assert_eq!(code, exit_code::NOT_CONFORMANT, "{text}");
    assert!(
        text.contains("trace-plugin: the environment variable DDI_TRACED_TO is not set"),
        "{text}"
    );
    let (code, text) = run(&[
        ("DDI_TRACED_PLUGIN", Path::new("absent")),
        ("DDI_TRACED_TO", &file),
    ]);
    assert_eq!(code, exit_code::NOT_CONFORMANT, "{text}");
    assert!(text.contains("trace-plugin: absent: "), "{text}");
}
