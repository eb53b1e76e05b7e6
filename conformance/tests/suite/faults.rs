//! Faults inside a plugin end as verdicts, on every system, and never in the runner.

use std::path::PathBuf;

use conformance_runner::{Options, Rule, RuleReport, Verdict, exit_code, rules, run};

use crate::support::libraries::{broken, faulting_plugin};

/// What the report says of some rules for a library that misbehaves as told.
fn results(library: PathBuf, misbehaviour: &str, rules: &str) -> Vec<RuleReport> {
    let exe = env!("CARGO_BIN_EXE_ddi-conformance");
    let mut options = Options::new(exe, Some(library));
    options.filter = rules.parse().unwrap();
    options.env = vec![("DDI_MISBEHAVE".into(), misbehaviour.into())];
    run(&options, |_| {}).unwrap().rules
}

/// The verdicts of some rules for a library that misbehaves as told.
fn verdicts(library: PathBuf, misbehaviour: &str, rules: &str) -> Vec<(Rule, Verdict)> {
    let results = results(library, misbehaviour, rules).into_iter();
    results
        .map(|result| (result.rule, result.verdict))
        .collect()
}

/// What P-OPEN-02 dies of.
#[derive(Debug)]
struct Death {
    how: String,
    stack: Vec<String>,
    output: String,
}

#[track_caller]
fn death(library: PathBuf, misbehaviour: &str) -> Death {
    let results = results(library, misbehaviour, "=P-OPEN-02");
    let [
        RuleReport {
            verdict: Verdict::Crash { how, during },
            output,
            backtrace,
            calls,
            ..
        },
    ] = &results[..]
    else {
        panic!("{misbehaviour}: {results:?}");
    };
    assert_eq!(during.as_deref(), Some("D3D12OpenCompilerDDI"));
    let last = calls.last().map(String::as_str);
    assert_eq!(last, Some("D3D12OpenCompilerDDI (has not returned)"));
    Death {
        how: how.clone(),
        stack: backtrace.clone(),
        output: output.clone(),
    }
}

#[test]
fn a_fault_has_the_name_that_the_system_gives_it() {
    let Some(library) = faulting_plugin() else {
        return;
    };
    let violation = "STATUS_ACCESS_VIOLATION (0xC0000005)";
    let nothing = "";
    // MSVCRT's abort exits with 3.
    let exit = "ended without a verdict, with exit code 3";
    let illegal = "STATUS_ILLEGAL_INSTRUCTION (0xC000001D)";
    let division = "STATUS_INTEGER_DIVIDE_BY_ZERO (0xC0000094)";
    let null = "a jump to 0x0, by a null pointer";
    let cases = [
        ("abort", "SIGABRT", exit, nothing),
        ("fault", "SIGSEGV", violation, "a write to 0x12345000"),
        (
            "fault in a thread",
            "SIGSEGV",
            violation,
            "a write to 0x12345000",
        ),
        ("call null", "SIGSEGV", violation, null),
        ("trap", "SIGILL", illegal, nothing),
        ("divide by zero", "SIGFPE", division, nothing),
    ];
    for (fault, unix, windows, access) in cases {
        let death = death(library.clone(), fault);
        let expected = if cfg!(windows) { windows } else { unix };
        assert!(death.how.starts_with(expected), "{fault}: {death:?}");
        assert!(death.how.contains(access), "{fault}: {death:?}");
        if death.how != exit && cfg!(any(windows, target_env = "gnu")) {
            let mut frames = death.stack.iter();
            let is_there = frames.any(|frame| frame.contains("faulting."));
            assert!(is_there, "{fault}: {death:?}");
        }
    }
    // What the process sends itself is no fault of memory, and ends it too.
    for signal in ["SIGSEGV", "SIGABRT", "SIGFPE"] {
        if cfg!(unix) {
            let death = death(library.clone(), &format!("raise {signal}"));
            assert!(death.how.starts_with(signal), "{death:?}");
            assert!(!death.how.contains("pointer"), "{death:?}");
        }
    }
    // Wine has no room to tell of a stack overflow, and ends the process without an exception.
    let Death { how, output, .. } = death(library, "overflow the stack");
    assert!(
        how.contains("a stack overflow") || !cfg!(target_os = "linux"),
        "{how}"
    );
    let named = how.starts_with("SIGSEGV") || how.starts_with("SIGABRT") || how.contains("STACK");
    assert!(named || cfg!(windows), "{how}");
    assert!(
        output.contains("overflowed its stack") || !cfg!(windows),
        "{output}"
    );
}

/// Who ends the process differs: the C++ runtime that finds no handler, or Rust's at the border.
#[test]
fn a_cpp_exception_that_leaves_the_plugin_is_a_crash() {
    let Some(library) = faulting_plugin() else {
        return;
    };
    let Death { how, output, .. } = death(library, "throw");
    assert!(output.contains("exception"), "{how}: {output}");
}

/// The rule that nothing but a result leaves a call is the one that such a plugin breaks.
#[test]
fn an_exception_that_leaves_a_call_breaks_the_rule_of_it() {
    let Some(library) = faulting_plugin() else {
        return;
    };
    let results = results(library, "throw", "=P-BND-01");
    let [
        RuleReport {
            verdict: Verdict::Fail(failure),
            output,
            ..
        },
    ] = &results[..]
    else {
        panic!("{results:?}");
    };
    assert!(failure.got.contains("D3D12OpenCompilerDDI"), "{failure:?}");
    assert!(output.contains("exception"), "{output}");
}

#[test]
fn a_panic_is_a_result_under_the_sdk_and_a_crash_without_it() {
    let library = broken("panicking");
    let Death { how, output, .. } = death(library.clone(), "panic in the export");
    assert!(output.contains("nothing is around this"), "{how}: {output}");

    let verdicts = verdicts(library, "", "=P-OPEN-02,=P-CMP-07,=P-PSO-18");
    for (rule, verdict) in &verdicts {
        match verdict {
            Verdict::Pass if *rule != rules::P_PSO_18 => {}
            Verdict::Fail(failure) if *rule == rules::P_PSO_18 => assert!(
                failure.got.contains("DXGI_ERROR_DRIVER_INTERNAL_ERROR"),
                "{}",
                failure.got
            ),
            other => panic!("{rule}: {other:?}"),
        }
    }
    assert_eq!(verdicts.len(), 3);
}

#[test]
fn one_death_is_told_once() {
    let Some(library) = faulting_plugin() else {
        return;
    };
    let exe = env!("CARGO_BIN_EXE_ddi-conformance");
    let report = |misbehaviour: &str, filter: &str| {
        let mut options = Options::new(exe, Some(library.clone()));
        options.env = vec![("DDI_MISBEHAVE".into(), misbehaviour.into())];
        options.filter = filter.parse().unwrap();
        run(&options, |_| {}).unwrap()
    };
    let deaths = |results: &[RuleReport]| {
        let crashes = results
            .iter()
            .filter(|result| matches!(result.verdict, Verdict::Crash { .. }));
        crashes.map(|result| result.rule).collect::<Vec<_>>()
    };
    let needs = |results: &[RuleReport], gate: Rule| {
        let behind = results.iter().filter(|result| match result.verdict {
            Verdict::Undecided { needs, .. } => needs == Some(gate),
            _ => false,
        });
        behind.count()
    };
    // Loading does not open, so that P-OPEN-01 holds.
    let of_open = report("throw", "*");
    let all = of_open.rules.len();
    assert_eq!(of_open.exit_code(false), exit_code::NOT_CONFORMANT);
    assert_eq!(deaths(&of_open.rules), [rules::P_OPEN_02]);
    assert_eq!(needs(&of_open.rules, rules::P_OPEN_02), all - 2);

    let of_compile = report("abort in a compile", "*");
    assert_eq!(deaths(&of_compile.rules), [rules::P_PSO_18]);
    // Whoever does not compile pipelines is tested.
    let behind = needs(&of_compile.rules, rules::P_PSO_18);
    let verdict = |rule| {
        let mut results = of_compile.rules.iter();
        let result = results.find(|result| result.rule == rule);
        result.map(|result| result.verdict.clone())
    };
    assert!((30..60).contains(&behind), "{of_compile:#?}");
    for rule in [rules::P_CAPS_01, rules::P_SO_01] {
        assert_eq!(verdict(rule), Some(Verdict::Pass), "{rule}");
    }

    // A run that goes on from another knows what that one met.
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal");
    let mut options = Options::new(exe, Some(library.clone()));
    options.env = vec![("DDI_MISBEHAVE".into(), "throw".into())];
    options.journal = Some(journal.clone());
    let whole = run(&options, |_| {}).unwrap();
    let text = std::fs::read_to_string(&journal).unwrap();
    let begun: Vec<_> = text.split_inclusive('\n').take(3).collect();
    std::fs::write(&journal, begun.concat()).unwrap();
    options.resume = true;
    let resumed = run(&options, |_| {}).unwrap();
    assert_eq!(needs(&resumed.rules, rules::P_OPEN_02), all - 2);
    assert_eq!(deaths(&resumed.rules), deaths(&whole.rules));

    // Without the gate in the plan each test stands for itself.
    let alone = report("throw", "=P-OPEN-03");
    assert_eq!(deaths(&alone.rules), [rules::P_OPEN_03]);
}

/// A structured exception that the plugin handles itself is its own business.
#[cfg(windows)]
#[test]
fn an_exception_that_the_plugin_handles_is_no_fault() {
    let Some(library) = faulting_plugin() else {
        return;
    };
    let verdicts = verdicts(library, "probe", "=P-OPEN-02,=P-OPEN-04");
    assert!(
        verdicts
            .iter()
            .all(|(_, verdict)| *verdict == Verdict::Pass),
        "{verdicts:?}"
    );
}

#[cfg(windows)]
mod job {
    use super::faulting_plugin;
    use assert_cmd::cargo::cargo_bin;
    use conformance_runner::exit_code;
    use std::fs::File;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::thread;
    use std::time::{Duration, Instant};

    /// Runs a test that hangs, as does a process that it starts; each keeps a file to itself.
    fn hang(library: &Path, folder: &Path, timeout: &str) -> Child {
        Command::new(cargo_bin!("ddi-conformance"))
            .arg("run")
            .arg(library)
            .args(["--filter", "=P-OPEN-02", "--timeout", timeout])
            .env("DDI_MISBEHAVE", "hang")
            .env("DDI_PIDS", folder)
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    }

    fn waits_for(what: impl Fn() -> bool) -> bool {
        let patience = Instant::now() + Duration::from_secs(30);
        while !what() {
            if Instant::now() > patience {
                return false;
            }
            thread::sleep(Duration::from_millis(20));
        }
        true
    }

    fn files(folder: &Path) -> [std::path::PathBuf; 2] {
        ["child", "descendant"].map(|name| folder.join(name))
    }

    #[track_caller]
    fn all_end(folder: &Path) {
        for file in files(folder) {
            assert!(
                waits_for(|| File::options().write(true).open(&file).is_ok()),
                "{} is still held",
                file.display()
            );
        }
    }

    #[test]
    fn a_timeout_kills_every_descendant() {
        let Some(library) = faulting_plugin() else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let mut runner = hang(&library, folder.path(), "5");
        let code = runner.wait().unwrap().code();
        assert_eq!(code, Some(i32::from(exit_code::NOT_CONFORMANT)));
        all_end(folder.path());
    }

    #[test]
    fn a_runner_that_is_killed_takes_its_tests_along() {
        let Some(library) = faulting_plugin() else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let mut runner = hang(&library, folder.path(), "600");
        for file in files(folder.path()) {
            assert!(waits_for(|| file.exists()), "{}", file.display());
            assert!(File::options().write(true).open(&file).is_err());
        }
        runner.kill().unwrap();
        runner.wait().unwrap();
        all_end(folder.path());
    }
}
