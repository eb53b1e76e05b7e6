//! `ddi-conformance selftest`: what it says of good plugins, and of one that breaks a rule by itself.

use std::path::PathBuf;
use std::time::Duration;

use assert_cmd::Command;
use conformance::defects::layer;
use conformance_runner::{
    Defect, Noticed, Options, Selftest, Trial, Verdict, exit_code, rules, selftest, selftest_steps,
};
use defects::VARIABLE;
use serde_json::Value;

use crate::support::libraries::{broken, library, minimal_plugin};

/// Tries the defects of the selected rules, and counts the steps.
fn tried(plugin: Option<PathBuf>, filter: &str, defect_of_plugin: &str) -> Selftest {
    let mut options = Options::new(env!("CARGO_BIN_EXE_ddi-conformance"), plugin);
    options.filter = filter.parse().expect("a filter");
    options.env = vec![(VARIABLE.into(), defect_of_plugin.into())];
    let (layer, mut steps) = (layer(), 0);
    let result = selftest(&options, &layer, |_| steps += 1).expect("a result");
    assert_eq!(steps, selftest_steps(&options, &layer));
    result
}

/// The defects that came to nothing, with the reason.
fn others(result: &Selftest) -> Vec<(&'static str, &Noticed)> {
    let trials = result.trials.iter();
    trials
        .filter(|trial| !matches!(trial.noticed, Noticed::By(_)))
        .map(|trial| (trial.defect.name, &trial.noticed))
        .collect()
}

#[test]
fn every_defect_of_the_sample_plugin_is_noticed() {
    let result = tried(None, "P-FAM,P-ABI,P-TBL,P-CVER,P-PSO-0[12],P-SO-07", "");
    assert_eq!(others(&result), []);
    assert_eq!(result.exit_code(), exit_code::CONFORMANT);
    assert!(result.score().noticed > 70, "{:?}", result.score());
    let by_its_own = |trial: &Trial| trial.noticed == Noticed::By(vec![trial.defect.rule]);
    assert!(result.trials.iter().all(by_its_own));
}

#[test]
fn a_defect_that_cannot_show_is_not_applicable() {
    let Some(minimal) = minimal_plugin() else {
        return;
    };
    let result = tried(Some(minimal), "P-FAM,P-ABI,P-CAPS,P-PSO,P-SO", "");
    let score = result.score();
    assert_eq!(
        result.exit_code(),
        exit_code::CONFORMANT,
        "{:?}",
        others(&result)
    );
    assert!(
        score.noticed > 130 && score.not_applicable > 30,
        "{score:?}"
    );
    for (name, reason) in [
        ("families-same-names", "needs a second family"),
        ("abi-hole", "needs three ABI versions of a family"),
        (
            "session-keys-twice-of-addition",
            "needs additions to state objects",
        ),
    ] {
        let reason = Noticed::NotApplicable(reason.into());
        assert!(others(&result).contains(&(name, &reason)), "{name}");
    }
}

/// What opens otherwise than the plugins above is behind the layer what it is in front of it.
#[test]
fn a_table_of_the_plugins_own_is_as_good() {
    for defect in ["open-own-table", "open-own-and-host-table"] {
        let result = tried(Some(broken("broken-plugin")), "P-OPEN,P-TBL", defect);
        let others = others(&result);
        let need = Noticed::NotApplicable("needs an open that fills the host's table".into());
        assert!(
            others.iter().all(|(_, noticed)| **noticed == need),
            "{others:?}"
        );
        assert!((1..=3).contains(&others.len()), "{others:?}");
    }
}

#[test]
fn a_library_is_behind_the_layer_what_it_is() {
    let checking = library("checking-plugin");
    let result = tried(Some(checking), "P-OPEN,P-VER,P-CBT", "");
    assert_eq!(others(&result), []);
}

#[test]
fn a_rule_that_the_plugin_breaks_is_left_out() {
    let result = tried(
        Some(broken("broken-plugin")),
        "P-ABI-0[56]",
        "abi-short-fails",
    );
    assert_eq!(result.exit_code(), exit_code::INCOMPLETE);
    let by_itself = "the verdict of P-ABI-05 is fail on the plugin itself";
    for trial in &result.trials {
        let expected = if trial.defect.rule == rules::P_ABI_05 {
            Noticed::LeftOut(by_itself.into())
        } else {
            Noticed::By(vec![trial.defect.rule])
        };
        assert_eq!(trial.noticed, expected, "{}", trial.defect.name);
    }
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ddi-conformance"));
    command.args(["selftest"]).args(args);
    command
}

#[test]
fn the_command_has_exit_codes_and_json() {
    let exits = |args: &[&str], code: u8| command(args).assert().code(i32::from(code));
    exits(
        &["--filter", "=P-CVER-02", "--jobs", "1"],
        exit_code::CONFORMANT,
    );
    exits(&["--filter", "=R-FAC-01"], exit_code::NO_TESTS);
    exits(&["--on", "no such file"], exit_code::PLUGIN_FILE);
    let mut json = command(&["--filter", "=P-CVER-02", "--format", "json"]);
    let output = json.output().expect("it runs").stdout;
    let json: Value = serde_json::from_slice(&output).expect("JSON");
    assert_eq!(json["result"], "all noticed");
    assert_eq!(json["score"]["noticed"], json["score"]["defects"]);
    let first = &json["defects"][0];
    assert_eq!(first["by"][0], "P-CVER-02");
    assert_eq!(
        first["repeat"],
        "DDI_LAYER=compiler-version-zero ddi-conformance run --filter =P-CVER-02"
    );
}

/// What `repeat` says.
#[test]
fn one_defect_can_be_tried_again() {
    let exits = |layer: &str, code: u8| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ddi-conformance"));
        command
            .args(["run", "--filter", "=P-CVER-01"])
            .env("DDI_LAYER", layer);
        command.assert().code(i32::from(code));
    };
    exits("none", exit_code::CONFORMANT);
    exits("compiler-version-per-call", exit_code::NOT_CONFORMANT);
    // A layer that does not exist opens nothing.
    exits("no-defect", exit_code::INCOMPLETE);
}

/// The result where these came of the defects of P-CVER-01 and further rules.
fn made_up(noticed: &[Noticed]) -> Selftest {
    let rules = [rules::P_CVER_01, rules::P_SO_06];
    let trials = noticed.iter().zip(rules.into_iter().cycle());
    let trial = |(noticed, rule): (&Noticed, _)| Trial {
        defect: Defect {
            name: "some-defect",
            what: "something is wrong",
            rule,
        },
        noticed: noticed.clone(),
        repeat: format!("DDI_LAYER=some-defect ddi-conformance run --filter ={rule}"),
    };
    Selftest {
        plugin: None,
        trials: trials.map(trial).collect(),
        elapsed: Duration::from_secs(2),
    }
}

#[test]
fn exit_codes() {
    let by = || Noticed::By(vec![rules::P_SO_06]);
    let not_applicable = || Noticed::NotApplicable("needs mesh shaders".into());
    let left_out = || Noticed::LeftOut("it fails".into());
    let tool = || Noticed::ToolError("no memory".into());
    let no = || Noticed::No(Verdict::Pass);
    for (code, noticed) in [
        (exit_code::CONFORMANT, vec![by(), not_applicable()]),
        (
            exit_code::NOT_CONFORMANT,
            vec![by(), left_out(), tool(), no()],
        ),
        (exit_code::TOOL_ERROR, vec![by(), left_out(), tool()]),
        (exit_code::INCOMPLETE, vec![by(), left_out()]),
        (exit_code::NO_TESTS, vec![not_applicable()]),
    ] {
        let result = made_up(&noticed);
        assert_eq!(result.exit_code(), code, "{noticed:?}");
        assert_eq!(result.to_json()["exit_code"], code);
    }
}

#[test]
fn the_text_says_what_was_not_noticed() {
    let result = made_up(&[
        Noticed::By(vec![rules::P_CVER_01]),
        Noticed::No(Verdict::Pass),
        Noticed::NotApplicable("needs mesh shaders".into()),
        Noticed::NotApplicable("needs mesh shaders".into()),
        Noticed::LeftOut("the verdict of P-CVER-01 is fail on the plugin itself".into()),
        Noticed::ToolError("no memory".into()),
    ]);
    let mut text = anstream::StripStream::new(Vec::new());
    result.write_text(&mut text).expect("memory can be written");
    let text = String::from_utf8(text.into_inner()).expect("UTF-8");
    insta::assert_snapshot!(
        "selftest",
        text.replace(env!("CARGO_PKG_VERSION"), "[version]")
    );
}
