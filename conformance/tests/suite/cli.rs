//! The command: its exit codes, and what it prints.

#[cfg(unix)]
use std::path::Path;

use assert_cmd::Command;
use broken_runtime::{OWN, RUNTIME};
use conformance_runner::{Rule, exit_code, rules};
use defects::VARIABLE;
use serde_json::Value;

use crate::support::libraries::{broken, library};
#[cfg(unix)]
use crate::support::misbehaving::{MISBEHAVE, misbehaving};

fn conformance(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ddi-conformance"));
    command.args(args).env_remove("CLICOLOR_FORCE");
    command
}

/// Rules with four different verdicts for a plugin that opens and does nothing else.
#[cfg(unix)]
const MIXED: &str = "=P-OPEN-01,=P-OPEN-04,=P-VER-01,=P-FAM-01";

fn stdout(command: &mut Command) -> String {
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

#[track_caller]
fn exits(command: &mut Command, code: u8) {
    command.assert().code(i32::from(code));
}

#[test]
fn a_conformant_plugin_exits_with_0() {
    let code = exit_code::CONFORMANT;
    exits(&mut conformance(&["run", "--filter", "=P-FAM-01"]), code);
    exits(
        &mut conformance(&["run", "--filter", "fam", "--strict", "--jobs", "1"]),
        code,
    );
    exits(&mut conformance(&["list"]), code);
    exits(&mut conformance(&["explain", "p-abi-05"]), code);
    exits(&mut conformance(&["--help"]), code);
}

/// Runs the suite on the runtime that is linked in.
fn run_runtime(plugin: &str, more: &[&str]) -> Command {
    let mut command = conformance(&["run-runtime", "--plugin"]);
    command.arg(library(plugin)).args(more);
    command
}

#[test]
fn a_conformant_runtime_exits_with_0() {
    let code = exit_code::CONFORMANT;
    exits(
        &mut run_runtime("checking-plugin", &["--filter", "H-0,R-FAC", "--strict"]),
        code,
    );
    exits(
        &mut run_runtime("sample-plugin", &["--filter", "=R-VAL-01"]),
        code,
    );
}

#[test]
fn a_broken_runtime_exits_with_1() {
    let run = |defect: &str, more: &[&str]| {
        let mut command = conformance(&["run-runtime"]);
        command
            .arg(broken("broken-runtime"))
            .arg("--plugin")
            .arg(library("checking-plugin"));
        command.args(more).env(VARIABLE, defect);
        command.env(RUNTIME, library("compiler-runtime"));
        command.env(OWN, broken("broken-runtime"));
        command
    };
    let code = exit_code::NOT_CONFORMANT;
    exits(&mut run("host-abi-zero", &["--filter", "=H-06"]), code);
    exits(&mut run("store-nothing", &["--filter", "=R-VAL-02"]), code);
    let should = ["--filter", "=R-VAL-06", "--strict"];
    exits(
        &mut run("store-in-part", &should[..2]),
        exit_code::CONFORMANT,
    );
    exits(&mut run("store-in-part", &should), code);
}

/// The first rule of a report on the plugin that takes what a buffer holds for a value that is gone.
fn gone_taken(more: &[&str]) -> Value {
    let mut command = conformance(&["run"]);
    command.arg(broken("broken-plugin")).args(more);
    command.args(["--filter", "=P-PSO-14", "--format", "json"]);
    command.env(VARIABLE, "fault-gone-taken");
    let report: Value = serde_json::from_str(&stdout(&mut command)).unwrap();
    report["rules"][0].clone()
}

#[test]
fn a_failure_under_a_fault_plan_is_made_again_with_that_plan() {
    const PLAN: &str = "find#1=NOT_FOUND";
    let swept = gone_taken(&[]);
    assert_eq!(swept["verdict"], "fail", "{swept}");
    let call = swept["call"].as_str().unwrap();
    assert!(
        call.contains(&format!("under the fault plan \"{PLAN}\"")),
        "{call}"
    );
    let repeat = swept["repeat"].as_str().unwrap();
    let option = format!(" --filter =P-PSO-14 --fault-plan \"{PLAN}\"");
    assert!(repeat.ends_with(&option), "{repeat}");
    assert_eq!(gone_taken(&["--fault-plan", PLAN])["call"], call);
    let other = gone_taken(&["--fault-plan", "find#0=E_FAIL"]);
    assert_eq!(other["verdict"], "pass", "{other}");
}

#[test]
fn a_fault_plan_selects_rules_that_can_say_something_of_it() {
    let run =
        |filter: &str, plan: &str| conformance(&["run", "--filter", filter, "--fault-plan", plan]);
    let none = exit_code::NO_TESTS;
    exits(&mut run("P-ABI", "find#0=E_FAIL"), none);
    exits(&mut run("=P-PSO-13", "find#0=E_FAIL"), none);
    exits(&mut run("=P-PSO-14", "alloc#0=null"), none);
    exits(&mut run("=P-PSO-14", "find#0"), exit_code::USAGE);
    let output = run("P-", "fetch#0=E_FAIL").output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("at character 1: 'fetch' is no callback"),
        "{error}"
    );
}

#[test]
fn the_smoke_set_makes_nothing_conformant() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal");
    let journal = journal.to_str().unwrap();
    let run = ["run", "--set", "smoke", "--seed", "7", "--format", "json"];
    let json = stdout(conformance(&run).args(["--journal", journal]));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["set"], &json["seed"]),
        (&"smoke".into(), &7_u64.into())
    );
    assert_eq!(
        (&json["conformant"], &json["exit_code"]),
        (&false.into(), &exit_code::CONFORMANT.into())
    );
    assert_eq!(json["result"], "rules hold as far as the smoke set looks");
    assert_eq!(json["rules_in_all"], json["planned"]);
    let repeat = json["rules"][0]["repeat"].as_str().unwrap();
    let options = " --set smoke --seed 7";
    assert!(repeat.ends_with(options), "{repeat}");

    let text = stdout(&mut conformance(&["report", journal]));
    let last = text.lines().last().unwrap();
    assert!(
        last.starts_with("rules hold as far as the smoke set looks: "),
        "{last}"
    );
    assert!(last.ends_with(" s, with --set smoke --seed 7"), "{last}");
    let text = stdout(&mut conformance(&["run", "--filter", "=P-FAM-01"]));
    assert!(text.trim_end().ends_with(" s"), "{text}");
}

#[test]
fn a_runtime_has_rules_of_its_own() {
    let code = exit_code::NO_TESTS;
    exits(
        &mut run_runtime("checking-plugin", &["--filter", "=P-FAM-01"]),
        code,
    );
    exits(&mut conformance(&["run", "--filter", "=R-FAC-01"]), code);
}

#[test]
fn without_the_checking_plugin_the_command_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let exe = folder
        .path()
        .join(format!("alone{}", std::env::consts::EXE_SUFFIX));
    std::fs::copy(env!("CARGO_BIN_EXE_ddi-conformance"), &exe).unwrap();
    let output = Command::new(exe).arg("run-runtime").output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(i32::from(exit_code::PLUGIN_FILE))
    );
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("checking-plugin") && error.contains("--plugin"),
        "{error}"
    );
}

#[test]
fn the_report_on_a_runtime_names_both_libraries() {
    let mut command = run_runtime(
        "checking-plugin",
        &["--filter", "=H-06", "--format", "json"],
    );
    let report: Value = serde_json::from_str(&stdout(&mut command)).unwrap();
    assert_eq!(report["runtime"], Value::Null);
    assert_eq!(
        report["plugin"]["path"],
        library("checking-plugin").to_str().unwrap()
    );
    assert_eq!(report["rules"][0]["verdict"], "pass");
    let repeat = report["rules"][0]["repeat"].as_str().unwrap();
    assert!(
        repeat.starts_with("ddi-conformance run-runtime --plugin "),
        "{repeat}"
    );
    assert!(repeat.ends_with(" --filter =H-06"), "{repeat}");
    let text = stdout(&mut run_runtime("checking-plugin", &["--filter", "=H-06"]));
    assert!(
        text.contains("the compiler runtime that is linked in\nwith "),
        "{text}"
    );
}

#[test]
fn the_report_on_a_driver_names_what_was_tested() {
    let driver = library("mock-umd");
    let run = |more: &[&str]| {
        let mut command = conformance(&["run-umd"]);
        command.args(more);
        command
    };
    let text = stdout(&mut run(&["--filter", "=U-ABI-01"]));
    assert!(
        text.contains(
            "the mock driver that is linked in\nwith the sample plugin that is linked in"
        ),
        "{text}"
    );
    // What its plugin is nobody can guess.
    let path = driver.to_str().unwrap();
    let mut alone = run(&[path, "--filter", "=U-ABI-01", "--format", "json"]);
    let report = alone.assert().code(i32::from(exit_code::INCOMPLETE));
    let report: Value = serde_json::from_slice(&report.get_output().stdout).unwrap();
    assert_eq!(report["driver"]["path"], path);
    assert_eq!(report["plugin"], Value::Null);
    assert_eq!(report["rules"][0]["verdict"], "undecided");
    let plugin = library("sample-plugin");
    let plugin = plugin.to_str().unwrap();
    let both = [
        path,
        "--plugin",
        plugin,
        "--filter",
        "=U-ABI-01",
        "--format",
        "json",
    ];
    let report: Value = serde_json::from_str(&stdout(&mut run(&both))).unwrap();
    assert_eq!(report["plugin"]["path"], plugin);
    assert_eq!(report["rules"][0]["verdict"], "pass");
    let repeat = report["rules"][0]["repeat"].as_str().unwrap();
    assert!(repeat.starts_with("ddi-conformance run-umd "), "{repeat}");
    assert!(repeat.contains(" --plugin "), "{repeat}");
}

#[test]
#[cfg(unix)]
fn a_broken_plugin_exits_with_1() {
    let Some(library) = misbehaving() else { return };
    let run = |library: &Path, behaviour: &str, more: &[&str]| {
        let mut command = conformance(&["run"]);
        command.arg(library).args(more).env(MISBEHAVE, behaviour);
        command
    };
    let code = exit_code::NOT_CONFORMANT;
    exits(
        &mut run(&library, "fail", &["--filter", "=P-OPEN-02"]),
        code,
    );
    exits(
        &mut run(&library, "abort", &["--filter", "=P-OPEN-02"]),
        code,
    );
    // Nobody looks for these processes, so there is no folder to leave their numbers in.
    let hang = ["--filter", "=P-OPEN-02", "--timeout", "1"];
    exits(
        run(&library, "hang", &hang).env("DDI_PIDS", env!("CARGO_TARGET_TMPDIR")),
        code,
    );

    // A SHOULD rule is a warning, until strictness makes it a failure.
    let opens = "open and no more";
    exits(
        &mut run(&library, opens, &["--filter", "=P-OPEN-04"]),
        exit_code::CONFORMANT,
    );
    exits(
        &mut run(&library, opens, &["--filter", "=P-OPEN-04", "--strict"]),
        code,
    );
}

#[test]
fn a_wrong_command_line_exits_with_2() {
    let code = exit_code::USAGE;
    exits(&mut conformance(&[]), code);
    exits(&mut conformance(&["run", "--no-such-option"]), code);
    exits(&mut conformance(&["run", "--filter", "P-FAM-01,"]), code);
    for (option, value) in [
        ("--jobs", "0"),
        ("--timeout", "0"),
        ("--repeat", "0"),
        ("--shard", "3/2"),
        ("--level", "may"),
    ] {
        exits(&mut conformance(&["run", option, value]), code);
    }
    exits(&mut conformance(&["run", "--resume"]), code);
    exits(&mut conformance(&["report"]), code);
    exits(&mut conformance(&["explain", "P-ABI-99"]), code);
}

#[test]
fn a_missing_plugin_exits_with_3() {
    let code = exit_code::PLUGIN_FILE;
    exits(&mut conformance(&["run", "no/such/plugin.dll"]), code);
    exits(&mut conformance(&["run", env!("CARGO_MANIFEST_DIR")]), code);
    // What never ends.
    #[cfg(unix)]
    exits(&mut conformance(&["run", "/dev/zero"]), code);
    exits(
        &mut run_runtime("sample-plugin", &["no/such/runtime.dll"]),
        code,
    );
    exits(
        &mut conformance(&["run-runtime", "--plugin", "no/such/plugin.dll"]),
        code,
    );
}

#[test]
fn no_test_exits_with_4() {
    let code = exit_code::NO_TESTS;
    exits(&mut conformance(&["run", "--filter", "no-such-rule"]), code);
    // This rule has no test.
    exits(&mut conformance(&["run", "--filter", "=P-FAM-07"]), code);
    // This one does not apply: a plugin that is linked in has no exports.
    exits(&mut conformance(&["run", "--filter", "=P-OPEN-01"]), code);
}

#[test]
fn a_must_rule_that_is_not_decided_exits_with_5() {
    let code = exit_code::INCOMPLETE;
    // The sample plugin does not tell what its host does.
    let plugin = ["--filter", "=H-06,=R-VAL-01"];
    exits(&mut run_runtime("sample-plugin", &plugin), code);
    let run = |defect: &str, more: &[&str]| {
        let mut command = conformance(&["run"]);
        command
            .arg(broken("broken-plugin"))
            .args(more)
            .env(VARIABLE, defect);
        command
    };
    exits(&mut run("versions-only-future", &[]), code);
    exits(&mut run("open-second-fails", &[]), code);
    let report = stdout(&mut run(
        "versions-only-future",
        &["--filter", "=P-VER-01,=P-CMP-01", "--format", "json"],
    ));
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["conformant"], false);
    assert_eq!(report["result"], "incomplete");
    assert_eq!(report["rules"][1]["verdict"], "undecided");
    let text = stdout(&mut run(
        "open-second-fails",
        &["--filter", "=P-OPEN-02,=P-OPEN-06,=P-PROF-01"],
    ));
    for line in [
        "P-OPEN-06 SHOULD, ",
        "P-OPEN-06, which did not hold here: ",
        "open 2 of this process returned E_FAIL",
        "\nincomplete: 1 passed, 1 warned, 1 undecided of 3 selected rules",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn the_user_can_allow_a_ddi_version() {
    let run = |versions: &[&str]| {
        let mut command = conformance(&["run", "--filter", "=P-VER-07", "--format", "json"]);
        command
            .arg(broken("broken-plugin"))
            .args(versions)
            .env("DDI_DEFECT", "versions-only-future");
        let report: Value = serde_json::from_str(&stdout(&mut command)).unwrap();
        report["rules"][0].clone()
    };
    let unknown = run(&[]);
    assert_eq!(unknown["verdict"], "undecided");
    let reason = unknown["reason"].as_str().unwrap();
    assert!(
        reason.contains("12.0.3.0") && reason.contains("--ddi-versions"),
        "{reason}"
    );
    // It offers the version, and does not take it.
    let allowed = run(&["--ddi-versions", "12.0.3.0=12.80.115.0"]);
    assert_eq!(allowed["verdict"], "fail", "{allowed}");
    let code = exit_code::USAGE;
    let wrong = ["run", "--ddi-versions", "12.0.3.0"];
    exits(&mut conformance(&wrong), code);
}

#[test]
#[cfg(unix)]
fn a_failure_of_the_tool_exits_with_70() {
    let mut command = conformance(&["run", "--filter", "=P-FAM-01"]);
    exits(
        command.env("TMPDIR", "/no/such/folder"),
        exit_code::TOOL_ERROR,
    );
}

#[test]
fn the_list_has_every_rule() {
    let text = stdout(&mut conformance(&["list"]));
    let id = |line: &str| line.split(' ').next().and_then(|id| rules::find(id).ok());
    assert_eq!(
        text.lines().filter_map(id).collect::<Vec<_>>(),
        rules::all().collect::<Vec<_>>()
    );
    let json: Value =
        serde_json::from_str(&stdout(&mut conformance(&["list", "--format", "json"]))).unwrap();
    let ids: Vec<_> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, rules::all().map(Rule::id).collect::<Vec<_>>());
    insta::assert_snapshot!("list", text);
}

#[test]
fn patterns_select_the_rules_to_explain() {
    let explained = |patterns: &str| {
        let text = stdout(&mut conformance(&["explain", patterns]));
        let heads = text.lines().filter_map(|line| line.split_once(": "));
        let rules = heads.filter_map(|(id, _)| rules::find(id).ok());
        rules.collect::<Vec<_>>()
    };
    let all = rules::all();
    let family: Vec<_> = all.filter(|rule| rule.id().starts_with("P-PSO-")).collect();
    assert_eq!(explained("P-PSO"), family);
    // P-CVER-03 has no test.
    assert_eq!(
        explained("=h-06,P-CVER-0[23]"),
        [rules::P_CVER_02, rules::P_CVER_03, rules::H_06]
    );
    assert_eq!(explained("P-*,R-*,H-*,U-*").len(), rules::all().count());
    exits(&mut conformance(&["explain", "X-"]), exit_code::USAGE);
    exits(&mut conformance(&["explain", "P-["]), exit_code::USAGE);
}

#[test]
fn a_rule_is_explained() {
    insta::assert_snapshot!(
        "explain",
        stdout(&mut conformance(&["explain", "P-ABI-05"]))
    );
    insta::assert_snapshot!(
        "explain_untestable",
        stdout(&mut conformance(&["explain", "P-CVER-03"]))
    );
    insta::assert_snapshot!(
        "explain_host",
        stdout(&mut conformance(&["explain", "H-06"]))
    );
}

#[test]
fn help_says_what_filters_and_exit_codes_are() {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"ddi-conformance\.exe", "ddi-conformance");
    settings.bind(|| {
        insta::assert_snapshot!("help", stdout(&mut conformance(&["run", "--help"])));
        insta::assert_snapshot!(
            "help_upgrade_check",
            stdout(&mut conformance(&["upgrade-check", "--help"]))
        );
        insta::assert_snapshot!(
            "help_runtime",
            stdout(&mut conformance(&["run-runtime", "--help"]))
        );
        insta::assert_snapshot!(
            "help_selftest",
            stdout(&mut conformance(&["selftest", "--help"]))
        );
        insta::assert_snapshot!(
            "help_package",
            stdout(&mut conformance(&["package", "--help"]))
        );
        insta::assert_snapshot!(
            "help_package_verify",
            stdout(&mut conformance(&["package", "verify", "--help"]))
        );
    });
}

/// What differs from run to run, and from system to system.
#[cfg(unix)]
fn redacted() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"\+0x[0-9a-f]+", "+[offset]");
    // How many functions of the C library are on the stack is its business.
    settings.add_filter(
        r"(libc\.so\.6\+\[offset\]\n {12})+",
        "libc.so.6+[offset] ...\n            ",
    );
    settings.add_filter(
        r"ddi-conformance \d+\.\d+\.\d+",
        "ddi-conformance [version]",
    );
    settings.add_filter(r"/\S+/libmisbehaving\.so", "[plugin]");
    settings.add_filter(r"sha256 [0-9a-f]{64}", "sha256 [hash]");
    settings.add_filter(r" +\d+ ms", " [time] ms");
    settings.add_filter(r"in \d+\.\d s", "in [time] s");
    settings.add_filter(r"SIG(\w+) \(signal \d+\)", "SIG$1 (signal [n])");
    settings
}

#[test]
#[cfg(unix)]
fn the_report_says_all_that_is_needed() {
    let Some(library) = misbehaving() else { return };
    let report = |behaviour: &str, filter: &str| {
        let mut command = conformance(&["run"]);
        command
            .arg(&library)
            .args(["--filter", filter, "--jobs", "1"])
            .env(MISBEHAVE, behaviour);
        stdout(&mut command)
    };
    let failing = report("open and no more", MIXED);
    let crashing = report("abort", "=P-OPEN-02");
    assert!(!failing.contains('\x1b'), "colours, but no terminal");
    redacted().bind(|| {
        insta::assert_snapshot!("report_of_failures", failing);
        insta::assert_snapshot!("report_of_a_crash", crashing);
    });
}

#[test]
fn colours_are_for_who_wants_them() {
    let run = || conformance(&["run", "--filter", "=P-FAM-01"]);
    assert!(stdout(run().env("CLICOLOR_FORCE", "1")).contains('\x1b'));
    assert!(!stdout(run().env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1")).contains('\x1b'));
    assert!(!stdout(&mut run()).contains('\x1b'));
}

#[test]
#[cfg(unix)]
fn the_json_report_is_one_document() {
    let Some(library) = misbehaving() else { return };
    let mut command = conformance(&["run", "--format", "json", "--strict"]);
    command
        .arg(&library)
        .args(["--filter", MIXED])
        .env(MISBEHAVE, "open and no more");
    let report: Value = serde_json::from_str(&stdout(&mut command)).unwrap();
    assert_eq!(report["tool"]["name"], "ddi-conformance");
    assert_eq!(report["plugin"]["path"], library.to_str().unwrap());
    assert_eq!(report["plugin"]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(
        (&report["strict"], &report["conformant"]),
        (&true.into(), &false.into())
    );
    assert_eq!(report["exit_code"], exit_code::NOT_CONFORMANT);
    let rules = report["rules"].as_array().unwrap();
    let verdicts: Vec<_> = rules
        .iter()
        .map(|rule| rule["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["pass", "warn", "fail", "undecided"]);
    let totals = report["totals"].as_object().unwrap();
    assert_eq!(
        totals
            .values()
            .map(|count| count.as_u64().unwrap())
            .sum::<u64>(),
        4
    );
    let size_query = "pfnGetSupportedVersions(*puEntries = 0, null)";
    assert_eq!(rules[2]["call"], size_query);
    assert_eq!(rules[2]["expected"], "S_OK and a count from 1 to 4096");
    assert_eq!(
        rules[2]["got"],
        "returned E_FAIL (0x80004005), with a count of 0"
    );
    assert!(
        rules[2]["repeat"]
            .as_str()
            .unwrap()
            .ends_with("--filter =P-VER-01")
    );
    assert_eq!(rules[3]["needs"], "P-VER-01");
    assert_eq!(
        rules[3]["reason"],
        "the size query returned E_FAIL (0x80004005), with a count of 0"
    );
}
