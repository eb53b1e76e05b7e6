//! SARIF, read with the types of the crate serde-sarif, which are generated from the schema.

use serde_json::Value;
use serde_sarif::sarif::Sarif;

use super::{Journal, count};

/// The one run of the log; a member that the schema lacks or one that is missing is an error.
fn run(journal: &Journal, more: &[&str]) -> Value {
    let text = journal.text("sarif", more);
    let log: Sarif = serde_json::from_str(&text).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_value(&log).unwrap(), value);
    value["runs"][0].clone()
}

#[test]
fn results_are_what_the_json_report_has() {
    let journal = Journal::of_all();
    for (more, warn) in [(&[][..], "warning"), (&["--strict"][..], "error")] {
        let (json, run) = (journal.json(more), run(&journal, more));
        let results = run["results"].as_array().unwrap();
        let broken = ["fail", "crash", "timeout", "warn", "undecided"];
        assert_eq!(results.len() as u64, count(&json, &broken));
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!(json["planned"].as_u64().unwrap(), rules.len() as u64);
        for result in results {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(rules[index]["id"], result["ruleId"]);
            let mut of_json = json["rules"].as_array().unwrap().iter();
            let of_json = of_json.find(|rule| rule["id"] == result["ruleId"]).unwrap();
            let verdict = &of_json["verdict"];
            assert_eq!(&result["properties"]["verdict"], verdict);
            let expected = match verdict.as_str().unwrap() {
                "undecided" => ("open", "none"),
                "warn" => ("fail", warn),
                _ => ("fail", "error"),
            };
            assert_eq!(
                (&result["kind"], &result["level"]),
                (&expected.0.into(), &expected.1.into())
            );
            assert!(
                result["message"]["text"]
                    .as_str()
                    .unwrap()
                    .contains("repeat")
            );
        }
        let invocation = &run["invocations"][0];
        assert_eq!(invocation["exitCode"], json["exit_code"]);
        // An error of the tool, and the rule to which the run did not come.
        assert_eq!(invocation["executionSuccessful"], false);
        assert_eq!(
            invocation["toolExecutionNotifications"]
                .as_array()
                .unwrap()
                .len(),
            2
        );
    }
}

#[test]
fn a_rule_says_what_it_demands_and_what_to_do() {
    let run = run(&Journal::of_all(), &[]);
    let rule = &run["tool"]["driver"]["rules"][0];
    assert_eq!(rule["id"], "P-OPEN-01");
    assert_eq!(rule["defaultConfiguration"]["level"], "error");
    for field in ["shortDescription", "fullDescription", "help"] {
        assert!(
            rule[field]["text"].as_str().unwrap().ends_with(['.', ')']),
            "{field}"
        );
    }
    let section = rule["properties"]["section"].as_str().unwrap();
    assert!(rule["help"]["text"].as_str().unwrap().contains(section));
}
