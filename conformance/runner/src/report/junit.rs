//! The report as JUnit XML: a suite for each family, a case for each rule of the plan. A case is red only where the run does
//! not succeed because of it, and green only where its rule holds.

use std::io::{self, Write};
use std::time::Duration;

use conformance_catalogue::Rule;
use conformance_catalogue::verdict::Verdict;
use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use super::facts::Effect;
use super::xml::with_legal_characters;
use super::{Report, RuleReport};

impl Report {
    pub(super) fn write_junit(&self, strict: bool, to: &mut impl Write) -> io::Result<()> {
        let mut junit = quick_junit::Report::new("ddi-conformance");
        junit.set_time(self.elapsed);
        for rules in self
            .plan
            .chunk_by(|one, next| one.family() == next.family())
        {
            let mut suite = TestSuite::new(rules[0].family());
            let mut time = Duration::ZERO;
            for (name, value) in self.facts(strict) {
                suite.add_property(Property::new(name, value));
            }
            for rule in rules {
                let result = self.rules.iter().find(|result| result.rule == *rule);
                time += result.map_or(Duration::ZERO, |result| result.elapsed);
                suite.add_test_case(self.case(*rule, result, strict));
            }
            suite.set_time(time);
            junit.add_test_suite(suite);
        }
        let mut suite = TestSuite::new("waivers");
        for objection in self.objections() {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_message(objection.as_str());
            suite.add_test_case(TestCase::new(objection, status));
        }
        if suite.tests > 0 {
            junit.add_test_suite(suite);
        }
        let document = junit.to_string().map_err(io::Error::other)?;
        to.write_all(with_legal_characters(&document).as_bytes())
    }

    fn case(&self, rule: Rule, result: Option<&RuleReport>, strict: bool) -> TestCase {
        let Some(result) = result else {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_type("not-tested");
            status.set_message("the run was ended before this test");
            return case(rule, status);
        };
        let mut status = match (self.effect(result, strict), &result.verdict) {
            (Effect::Holds, _) => TestCaseStatus::success(),
            (Effect::Minor, _) => TestCaseStatus::skipped(),
            (Effect::Fails, Verdict::Warn(_) | Verdict::Fail(_)) => {
                TestCaseStatus::non_success(NonSuccessKind::Failure)
            }
            (Effect::Fails, _) => TestCaseStatus::non_success(NonSuccessKind::Error),
        };
        if result.verdict != Verdict::Pass {
            let word = self.word(result);
            status.set_type(word);
            // Some readers show of a skipped case its message alone.
            let message = match self.summary(result) {
                Some(summary) => format!("{word}: {summary}"),
                None => word.to_owned(),
            };
            status.set_message(message);
            status.set_description(self.full_text(result));
        }
        let mut case = case(rule, status);
        case.set_time(result.elapsed);
        if !result.notes.is_empty() {
            case.set_system_out(result.notes.join("\n"));
        }
        if !result.output.is_empty() {
            case.set_system_err(result.output.as_str());
        }
        case
    }
}

fn case(rule: Rule, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(rule.id(), status);
    case.set_classname(format!("ddi-conformance.{}", rule.family()));
    case.add_property(Property::new("level", rule.level().to_string()));
    case.add_property(Property::new("section", rule.section()));
    case.add_property(Property::new("rule", rule.reading()));
    case
}
