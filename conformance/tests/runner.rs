//! The runner against libraries that crash, hang, exit and chatter.
#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use conformance::{Event, Options, Rule, RuleReport, RunError, Verdict, exit_code, run};

use support::misbehaving::{MISBEHAVE, misbehaving};

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
    let planned: Vec<Rule> = conformance::plan(&options.tested, &options.filter);
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
