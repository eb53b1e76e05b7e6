//! The runner against libraries that crash, hang, exit and chatter.
#![cfg(unix)]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use conformance_runner::{
    Effect, Event, Options, Rule, RuleReport, RunError, Session, Verdict, exit_code, rules, run,
};

use crate::support::libraries::library;
use crate::support::misbehaving::{MISBEHAVE, misbehaving};
use serde_json::Value;

/// The verdict of P-OPEN-02 for a library that does `what`; `None` where none can be compiled.
fn verdict(what: &str, change: impl FnOnce(&mut Options)) -> Option<Verdict> {
    Some(result(what, change)?.verdict)
}

/// What the report says of P-OPEN-02 for a library that does `what`.
fn result(what: &str, change: impl FnOnce(&mut Options)) -> Option<RuleReport> {
    let mut options = Options::new(env!("CARGO_BIN_EXE_ddi-conformance"), Some(misbehaving()?));
    options.filter = "=P-OPEN-02".parse().unwrap();
    options.env.push((MISBEHAVE.into(), what.into()));
    change(&mut options);
    let mut heard = 0;
    let report = run(&options, |event| {
        heard += usize::from(matches!(event, Event::Decided(_)));
    })
    .unwrap();
    assert_eq!((report.rules.len(), heard), (1, 1));
    report.rules.into_iter().next()
}

fn crash(what: &str) -> Option<(String, Option<String>, String)> {
    let result = result(what, |_| {})?;
    match result.verdict {
        Verdict::Crash { how, during } => Some((how, during, result.output)),
        other => panic!("{what}: {other:?}"),
    }
}

#[test]
fn a_crash_says_how_and_where() {
    let Some((how, during, output)) = crash("abort") else {
        return;
    };
    assert!(how.starts_with("SIGABRT"), "{how}");
    assert_eq!(during.as_deref(), Some("D3D12OpenCompilerDDI"));
    assert_eq!(output, "the last words");
    let (how, during, _) = crash("fault").unwrap();
    assert!(how.starts_with("SIGSEGV"), "{how}");
    assert_eq!(during.as_deref(), Some("D3D12OpenCompilerDDI"));
}

#[test]
fn a_crash_of_the_loader_is_a_crash() {
    let Some((how, during, _)) = crash("crash when loaded") else {
        return;
    };
    assert!(how.starts_with("SIGABRT"), "{how}");
    assert_eq!(during.as_deref(), Some("loading the library"));
}

#[test]
fn what_cannot_be_loaded_is_told_once() {
    let Some(library) = misbehaving() else {
        return;
    };
    for what in ["crash when loaded", "exit when loaded", "hang when loaded"] {
        let exe = env!("CARGO_BIN_EXE_ddi-conformance");
        let mut options = Options::new(exe, Some(library.clone()));
        options.env.push((MISBEHAVE.into(), what.into()));
        options.timeout = Duration::from_secs(1);
        let report = run(&options, |_| {}).unwrap();
        let (first, others) = report.rules.split_first().unwrap();
        assert_eq!(first.rule, rules::P_OPEN_01);
        let is_timeout = matches!(first.verdict, Verdict::Timeout { .. });
        let is_crash = matches!(first.verdict, Verdict::Crash { .. });
        assert!(
            is_timeout == what.starts_with("hang") && is_timeout != is_crash,
            "{first:?}"
        );
        let needs = |result: &RuleReport| match result.verdict {
            Verdict::Undecided { needs, .. } => needs,
            _ => None,
        };
        let all_need_it = others
            .iter()
            .all(|result| needs(result) == Some(rules::P_OPEN_01));
        assert!(all_need_it, "{what}: {others:?}");
        assert_eq!(report.plan.len(), report.rules.len());
    }
}

#[test]
fn a_session_tells_one_death_once_and_tries_it_again() {
    let Some(library) = misbehaving() else {
        return;
    };
    let mut options = Options::new(env!("CARGO_BIN_EXE_ddi-conformance"), Some(library));
    let what = "crash when loaded";
    options.env.push((MISBEHAVE.into(), what.into()));
    let session = Session::new(options).unwrap();
    let run = |rule| {
        let result = session.run_rule(rule).unwrap().unwrap();
        let effect = session.effect(&result, false);
        (result.verdict, effect)
    };
    let is_crash = |(verdict, effect): (Verdict, Effect)| {
        matches!(verdict, Verdict::Crash { .. }) && effect == Effect::Fails
    };
    assert!(is_crash(run(rules::P_ABI_05)), "before its gate");
    assert!(is_crash(run(rules::P_OPEN_01)));
    for rule in [rules::P_ABI_05, rules::P_OPEN_02, rules::P_PSO_18] {
        let (verdict, effect) = run(rule);
        let needs = match verdict {
            Verdict::Undecided { needs, .. } => needs,
            other => panic!("{rule}: {other:?}"),
        };
        assert_eq!((needs, effect), (Some(rules::P_OPEN_01), Effect::Minor));
    }
    assert!(is_crash(run(rules::P_OPEN_01)), "the gate again");
    let error = session.run_rule(rules::R_FAC_01).unwrap_err();
    assert!(matches!(error, RunError::NotPlanned(_)), "{error}");
    let report = session.finish().unwrap();
    let rules: Vec<_> = report.rules.iter().map(|result| result.rule).collect();
    let expected = [
        rules::P_OPEN_01,
        rules::P_OPEN_02,
        rules::P_ABI_05,
        rules::P_PSO_18,
    ];
    assert_eq!(rules, expected);
}

#[test]
fn a_debugger_starts_the_only_test() {
    let Some(library) = misbehaving() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let gdb = folder.path().join("gdb");
    fs::write(&gdb, "#!/bin/sh\necho \"$1 $2\"; shift 2; exec \"$@\"\n").unwrap();
    fs::set_permissions(&gdb, fs::Permissions::from_mode(0o755)).unwrap();
    let run = |filter: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ddi-conformance"));
        command.arg("run").arg(&library).args(["--filter", filter]);
        command.args(["--debugger", "gdb"]).env(MISBEHAVE, "abort");
        let output = command.env("PATH", folder.path()).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    let (code, text) = run("=P-OPEN-02");
    assert_eq!(code, Some(exit_code::NOT_CONFORMANT.into()), "{text}");
    assert!(text.contains("-q --args\n"), "{text}");
    assert!(text.contains("the last words\n"), "{text}");
    assert!(text.contains("the process died"), "{text}");
    let (code, text) = run("P-OPEN");
    assert_eq!(code, Some(exit_code::USAGE.into()), "{text}");
}

#[test]
fn a_real_debugger_sees_the_fault() {
    let (Some(library), Ok(_)) = (misbehaving(), Command::new("gdb").arg("--version").output())
    else {
        eprintln!("skipped: no gdb, or no C compiler");
        return;
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_ddi-conformance"));
    command.arg("run").arg(&library).env(MISBEHAVE, "fault");
    command.args(["--filter", "=P-OPEN-02", "--debugger", "gdb"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let mut commands = child.stdin.take().unwrap();
    commands
        .write_all(b"set confirm off\nrun\nbt\nrun\nbt\nquit\n")
        .unwrap();
    drop(commands);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.matches("received signal SIGSEGV").count(), 2, "{text}");
    assert!(text.contains("D3D12OpenCompilerDDI ("), "{text}");
}

#[test]
fn an_exit_is_no_verdict() {
    let Some((how, during, _)) = crash("exit") else {
        return;
    };
    assert_eq!(how, "ended without a verdict, with exit code 0");
    assert_eq!(during.as_deref(), Some("D3D12OpenCompilerDDI"));
    assert_eq!(
        crash("exit at once").unwrap().0,
        "ended without a verdict, with exit code 7"
    );
}

#[test]
fn without_its_journal_a_test_has_no_verdict() {
    let Some((how, ..)) = crash("close everything") else {
        return;
    };
    assert_eq!(how, "ended without a verdict, with exit code 0");
}

#[test]
fn a_test_that_does_not_begin_is_tried_twice() {
    let folder = tempfile::tempdir().unwrap();
    let exe = folder.path().join("exe");
    let tries = folder.path().join("tries");
    for (succeeds, expected) in [
        (2, Verdict::Pass),
        (
            3,
            Verdict::ToolError {
                reason:
                    "the test's process did not begin: ended without a verdict, with exit code 9"
                        .into(),
            },
        ),
    ] {
        let _ = fs::remove_file(&tries);
        let script = format!(
            "#!/bin/sh\necho >>'{tries}'\n[ $(wc -l <'{tries}') -ge {succeeds} ] && exec '{}' \"$@\"\necho no luck; exit 9\n",
            env!("CARGO_BIN_EXE_ddi-conformance"),
            tries = tries.display()
        );
        fs::write(&exe, script).unwrap();
        fs::set_permissions(&exe, fs::Permissions::from_mode(0o755)).unwrap();
        let mut options = Options::new(&exe, None);
        options.filter = "=P-OPEN-02".parse().unwrap();
        let report = run(&options, |_| {}).unwrap();
        assert_eq!(report.rules[0].verdict, expected);
        assert_eq!(fs::read(&tries).unwrap().len(), 2);
    }
}

#[test]
fn chatter_is_no_verdict_and_is_shown_with_the_failure() {
    let Some(result) = result("chatter", |_| {}) else {
        return;
    };
    assert!(!result.output.is_empty(), "{result:?}");
    let verdict = result.verdict;
    let Verdict::Fail(failure) = verdict else {
        panic!("{verdict:?}")
    };
    assert_eq!(failure.got, "returned E_FAIL (0x80004005)");
}

#[test]
fn a_timeout_kills_the_child_and_all_descendants() {
    let pids = tempfile::tempdir().unwrap();
    let start = Instant::now();
    let verdict = verdict("hang", |options| {
        options.timeout = Duration::from_secs(2);
        options.env.push(("DDI_PIDS".into(), pids.path().into()));
    });
    let Some(verdict) = verdict else { return };
    let Verdict::Timeout {
        after_ms, during, ..
    } = verdict
    else {
        panic!("{verdict:?}")
    };
    assert!(after_ms >= 2000 && start.elapsed() < Duration::from_secs(20));
    assert_eq!(during.as_deref(), Some("D3D12OpenCompilerDDI"));

    let mut names: Vec<_> = fs::read_dir(pids.path())
        .unwrap()
        .map(|f| f.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["child", "daemon", "grandchild"]);
    for name in names {
        // Elsewhere there is no keeper, and only the group is killed.
        if name == "daemon" && !cfg!(target_os = "linux") {
            continue;
        }
        let pid = fs::read_to_string(pids.path().join(&name)).unwrap();
        let patience = Instant::now() + Duration::from_secs(5);
        while runs(&pid) {
            assert!(
                Instant::now() < patience,
                "{} lives on as {pid}",
                name.display()
            );
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The report on a library that spoils something of its process when it is opened, and is the sample plugin otherwise. It is
/// given by a path relative to its folder.
fn spoiled(what: &str, more: &[&str], temporary: &Path, pids: &Path) -> Option<Value> {
    let plugin = misbehaving()?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_ddi-conformance"));
    command
        .current_dir(plugin.parent().unwrap())
        .arg("run")
        .arg(plugin.file_name().unwrap())
        .args(["--format", "json"])
        .args(more)
        .env("TMPDIR", temporary)
        .env("DDI_GOOD_PLUGIN", library("sample-plugin"))
        .env("DDI_PIDS", pids)
        .env(MISBEHAVE, what);
    let output = command.output().unwrap();
    let report = serde_json::from_slice(&output.stdout);
    Some(report.unwrap_or_else(|error| panic!("{what}: {error}: {output:?}")))
}

/// P-OPEN-06 opens again, P-FAM-05 asks a second process, P-CMP-09 has threads.
#[test]
fn what_spoils_its_process_has_a_verdict_of_each_rule() {
    let temporary = tempfile::tempdir().unwrap();
    for (what, all_pass) in [
        ("change the folder", Some(true)),
        ("ignore SIGCHLD", Some(true)),
        ("close the streams", Some(true)),
        ("lower the number of files", Some(false)),
        // It is no limit for root.
        ("lower the number of processes", None),
        ("lower the memory", Some(false)),
    ] {
        let rules = ["--filter", "=P-OPEN-06,=P-FAM-05,=P-CMP-09"];
        let Some(report) = spoiled(what, &rules, temporary.path(), Path::new("")) else {
            return;
        };
        let count = |verdict: &str| report["totals"][verdict].as_u64();
        assert_eq!(count("tool-error"), Some(0), "{what}: {report:#}");
        if let Some(all) = all_pass {
            assert_eq!(count("pass") == Some(3), all, "{what}: {report:#}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_hundred_tests_leave_nothing_behind() {
    let temporary = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let pids = elsewhere.path().join("pids");
    let rules = ["--filter", "=P-OPEN-02", "--repeat", "100"];
    let what = "leave a process behind";
    let Some(report) = spoiled(what, &rules, temporary.path(), &pids) else {
        return;
    };
    assert_eq!(report["rules"][0]["verdict"], "pass", "{report:#}");
    assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
    let pids = fs::read_to_string(pids).unwrap();
    assert_eq!(pids.lines().count(), 100);
    let left: Vec<_> = pids.lines().filter(|pid| runs(pid)).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Whether the process is there and no zombie.
fn runs(pid: &str) -> bool {
    match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => !stat
            .rsplit(')')
            .next()
            .is_some_and(|rest| rest.starts_with(" Z")),
        Err(_) => false,
    }
}

#[test]
fn every_planned_rule_has_one_verdict_in_the_order_of_the_list() {
    let Some(library) = misbehaving() else { return };
    let mut options = Options::new(env!("CARGO_BIN_EXE_ddi-conformance"), Some(library));
    options.jobs = 4.try_into().unwrap();
    options
        .env
        .push((MISBEHAVE.into(), "nothing in particular".into()));
    let report = run(&options, |_| {}).unwrap();
    let planned: Vec<Rule> = conformance_runner::plan(&options.tested, &options.filter);
    assert_eq!(
        report
            .rules
            .iter()
            .map(|result| result.rule)
            .collect::<Vec<_>>(),
        planned
    );
    let totals = report.totals();
    assert_eq!((totals.pass, totals.fail), (1, 1), "{totals:?}");
    assert_eq!(
        totals.undecided,
        planned.len() - 2,
        "all others need an open"
    );
    assert_eq!(report.exit_code(false), exit_code::NOT_CONFORMANT);
}

#[test]
fn what_cannot_be_run_is_an_error() {
    let exe = env!("CARGO_BIN_EXE_ddi-conformance");
    let missing = Options::new(exe, Some("/no/such/plugin.so".into()));
    assert!(matches!(run(&missing, |_| {}), Err(RunError::File { .. })));
    let mut nothing = Options::new(exe, None);
    nothing.filter = "no-such-rule".parse().unwrap();
    assert!(matches!(run(&nothing, |_| {}), Err(RunError::NoTests)));
    let mut no_exe = Options::new(Path::new("/no/such/exe"), None);
    no_exe.filter = "=P-OPEN-02".parse().unwrap();
    let report = run(&no_exe, |_| {}).unwrap();
    assert!(matches!(report.rules[0].verdict, Verdict::ToolError { .. }));
    assert_eq!(report.exit_code(false), exit_code::TOOL_ERROR);
}
