//! The report as SARIF 2.1.0: a result for each rule that does not hold or is undecided.

use conformance_catalogue::verdict::Verdict;
use conformance_catalogue::{Level, Rule};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::{Report, RuleReport, milliseconds};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// All but what a path of a URI may have as it is.
const NOT_OF_A_PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

impl Report {
    pub(super) fn to_sarif(&self, strict: bool) -> Value {
        let (_, library, _) = self.tested.parts();
        let artifacts = library.iter().map(|library| {
            json!({
                "location": { "uri": uri(&library.path.to_string_lossy()) },
                "hashes": { "sha-256": library.sha256 },
                "roles": ["analysisTarget"],
            })
        });
        let version = env!("CARGO_PKG_VERSION");
        json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "ddi-conformance",
                    "version": version,
                    "semanticVersion": version,
                    "rules": self.plan.iter().map(|rule| descriptor(*rule)).collect::<Vec<_>>(),
                } },
                "invocations": [{
                    "executionSuccessful": self.totals().tool_error == 0 && !self.is_interrupted(),
                    "exitCode": self.exit_code(strict),
                    "exitCodeDescription": self.result(strict),
                    "toolExecutionNotifications": self.notifications(),
                }],
                "artifacts": artifacts.collect::<Vec<_>>(),
                "results": self
                    .rules
                    .iter()
                    .filter_map(|result| self.finding(result, strict))
                    .collect::<Vec<_>>(),
            }],
        })
    }

    /// What the tool could not do, and what is wrong with the waivers.
    fn notifications(&self) -> Vec<Value> {
        let notification = |rule: Rule, level: &str, text: &str| {
            json!({
                "associatedRule": { "id": rule.id(), "index": self.index(rule) },
                "level": level,
                "message": { "text": text },
            })
        };
        let errors = self
            .rules
            .iter()
            .filter_map(|result| match &result.verdict {
                Verdict::ToolError { reason } => Some(notification(result.rule, "error", reason)),
                _ => None,
            });
        let not_tested = self
            .not_tested()
            .map(|rule| notification(rule, "warning", "the run was ended before this test"));
        let objections = self.objections().into_iter();
        let objections =
            objections.map(|text| json!({ "level": "error", "message": { "text": text } }));
        errors.chain(not_tested).chain(objections).collect()
    }

    fn finding(&self, result: &RuleReport, strict: bool) -> Option<Value> {
        let (kind, level) = match &result.verdict {
            Verdict::Undecided { .. } => ("open", "none"),
            verdict if !verdict.is_broken() => return None,
            Verdict::Warn(_) if !strict => ("fail", "warning"),
            _ => ("fail", "error"),
        };
        let location = match self.tested.parts() {
            (_, Some(library), _) => {
                let uri = uri(&library.path.to_string_lossy());
                json!({ "physicalLocation": { "artifactLocation": { "uri": uri, "index": 0 } } })
            }
            _ => json!({ "logicalLocations": [{ "name": self.tested.name(), "kind": "module" }] }),
        };
        let mut finding = json!({
            "ruleId": result.rule.id(),
            "ruleIndex": self.index(result.rule),
            "kind": kind,
            "level": level,
            "message": { "text": self.full_text(result) },
            "locations": [location],
            // What is the same finding in another run.
            "partialFingerprints": { "rule/v1": result.rule.id() },
            "properties": {
                "verdict": result.verdict.word(),
                "milliseconds": milliseconds::of(result.elapsed),
            },
        });
        // All results of a log have a list, or none has.
        let suppressions = self.waiver_of(result).map(|waiver| {
            json!({
                "kind": "external",
                "status": "accepted",
                "justification": waiver.to_string(),
            })
        });
        finding["suppressions"] = suppressions.into_iter().collect();
        Some(finding)
    }

    /// The place of a rule in the list of all.
    fn index(&self, rule: Rule) -> Option<usize> {
        self.plan.iter().position(|other| *other == rule)
    }
}

fn descriptor(rule: Rule) -> Value {
    let level = match rule.level() {
        Level::Must => "error",
        Level::Should | Level::Ambiguous => "warning",
    };
    json!({
        "id": rule.id(),
        "shortDescription": { "text": rule.reading() },
        "fullDescription": { "text": rule.why() },
        "help": { "text": format!("{} (section \"{}\")", rule.hint(), rule.section()) },
        "defaultConfiguration": { "level": level },
        "properties": {
            "level": rule.level().to_string(),
            "section": rule.section(),
            "tags": [rule.family()],
        },
    })
}

/// The URI of a file; a relative path stays one.
fn uri(path: &str) -> String {
    let encoded = |path: &str| utf8_percent_encode(path, NOT_OF_A_PATH).to_string();
    match path.split_once(':') {
        Some((drive, rest)) if drive.len() == 1 => {
            format!("file:///{drive}:{}", encoded(&rest.replace('\\', "/")))
        }
        _ if path.starts_with('/') => format!("file://{}", encoded(path)),
        // Whatever the system, as a report of a journal is the same everywhere: in a relative path it is a separator of Windows.
        _ if path.contains('\\') => {
            let path = encoded(&path.replace('\\', "/"));
            let of_server = path.starts_with("//");
            if of_server {
                format!("file:{path}")
            } else {
                path
            }
        }
        _ => encoded(path),
    }
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_uris() {
        for (path, expected) in [
            ("/lib/a b%.so", "file:///lib/a%20b%25.so"),
            (
                "C:\\Program Files\\p.dll",
                "file:///C:/Program%20Files/p.dll",
            ),
            ("build/p.so", "build/p.so"),
            ("a:b/\u{e4}.so", "file:///a:b/%C3%A4.so"),
            ("ab:c", "ab%3Ac"),
            ("build\\p q.dll", "build/p%20q.dll"),
            ("\\\\server\\share\\p.dll", "file://server/share/p.dll"),
        ] {
            assert_eq!(uri(path), expected);
        }
    }
}
