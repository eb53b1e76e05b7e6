//! The reports of `ddi-conformance --format json` on one plugin from several systems, side by side.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use serde_json::Value;

/// One rule: its id, and its verdict in each report; `None` where a report has no such rule.
type Row = (String, Vec<Option<String>>);

/// What only some systems can test; elsewhere it is not applicable.
const NOT_EVERYWHERE: [&str; 1] = ["P-BND-02"];

/// The verdicts, rule by rule.
#[derive(Debug)]
pub struct Verdicts {
    systems: Vec<String>,
    rows: Vec<Row>,
}

impl Verdicts {
    /// From the name of each system and its report.
    ///
    /// # Errors
    ///
    /// The name of a system whose report has no rules.
    pub fn new(reports: &[(String, Value)]) -> Result<Self, String> {
        let mut verdicts = Self {
            systems: reports.iter().map(|(system, _)| system.clone()).collect(),
            rows: Vec::new(),
        };
        for (index, (system, report)) in reports.iter().enumerate() {
            let rules = report["rules"].as_array().filter(|rules| !rules.is_empty());
            for rule in rules.ok_or_else(|| format!("the report of {system} has no rules"))? {
                let text = |field: &str| rule[field].as_str().map(str::to_owned);
                let id = text("id").unwrap_or_default();
                let known = verdicts.rows.iter().position(|(known, _)| *known == id);
                let row = known.unwrap_or_else(|| {
                    verdicts.rows.push((id, vec![None; reports.len()]));
                    verdicts.rows.len() - 1
                });
                verdicts.rows[row].1[index] = text("verdict");
            }
        }
        Ok(verdicts)
    }

    /// The ids of the rules whose verdicts are not the same on every system that can test them.
    pub fn differences(&self) -> Vec<&str> {
        let differs = |(id, verdicts): &&Row| {
            let is_untested = |verdict: &Option<String>| {
                NOT_EVERYWHERE.contains(&&**id) && verdict.as_deref() == Some("not-applicable")
            };
            let tested = verdicts.iter().filter(|verdict| !is_untested(verdict));
            tested.collect::<BTreeSet<_>>().len() > 1
        };
        let rows = self.rows.iter().filter(differs);
        rows.map(|(id, _)| &**id).collect()
    }
}

/// A table, and a line that sums it up.
impl Display for Verdicts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut line = |rule: &str, verdicts: &mut dyn Iterator<Item = &str>| {
            write!(f, "{rule:<10}")?;
            for (verdict, system) in verdicts.zip(&self.systems) {
                write!(f, "  {verdict:<width$}", width = system.len().max(10))?;
            }
            writeln!(f)
        };
        line("rule", &mut self.systems.iter().map(|system| &**system))?;
        for (id, verdicts) in &self.rows {
            line(
                id,
                &mut verdicts.iter().map(|v| v.as_deref().unwrap_or("none")),
            )?;
        }
        match &self.differences()[..] {
            [] => write!(
                f,
                "{} rules, equal verdicts where a system can test them",
                self.rows.len()
            ),
            rules => write!(f, "verdicts differ: {}", rules.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Verdicts;
    use serde_json::json;

    fn verdicts(other: &serde_json::Value) -> Verdicts {
        let report = json!({ "rules": [
            { "id": "P-FAM-01", "verdict": "pass" }, { "id": "P-FAM-02", "verdict": "fail" },
        ]});
        let other = json!({ "rules": other });
        Verdicts::new(&[("Linux".into(), report), ("Windows".into(), other)]).unwrap()
    }

    #[test]
    fn a_difference_is_named() {
        let same = verdicts(&json!([
            { "id": "P-FAM-01", "verdict": "pass", "milliseconds": 7 },
            { "id": "P-FAM-02", "verdict": "fail" },
        ]));
        assert_eq!(same.differences(), [""; 0]);
        let sum = "2 rules, equal verdicts where a system can test them";
        assert!(same.to_string().ends_with(sum));

        let other = verdicts(&json!([
            { "id": "P-FAM-01", "verdict": "pass" }, { "id": "P-FAM-02", "verdict": "crash" },
        ]));
        assert_eq!(other.differences(), ["P-FAM-02"]);
        assert!(other.to_string().contains("P-FAM-02    fail        crash"));

        let missing = verdicts(&json!([{ "id": "P-FAM-01", "verdict": "pass" }]));
        assert_eq!(missing.differences(), ["P-FAM-02"]);
        let more = verdicts(&json!([
            { "id": "P-FAM-01", "verdict": "pass" }, { "id": "P-FAM-02", "verdict": "fail" },
            { "id": "P-FAM-03", "verdict": "pass" },
        ]));
        assert_eq!(more.differences(), ["P-FAM-03"]);
    }

    #[test]
    fn what_one_system_cannot_test_is_no_difference() {
        let of = |id: &str, verdict: &str| {
            let report = |verdict| json!({ "rules": [{ "id": id, "verdict": verdict }] });
            let reports = [("Linux", "pass"), ("Windows", verdict)];
            let reports = reports.map(|(system, verdict)| (system.into(), report(verdict)));
            Verdicts::new(&reports).unwrap().differences().len()
        };
        assert_eq!(of("P-BND-02", "not-applicable"), 0);
        assert_eq!(of("P-BND-02", "fail"), 1);
        assert_eq!(of("P-BND-01", "not-applicable"), 1);
    }

    #[test]
    fn a_report_without_rules_compares_with_nothing() {
        let empty = Verdicts::new(&[("Windows".into(), json!({ "rules": [] }))]);
        assert!(empty.unwrap_err().contains("Windows"));
    }
}
