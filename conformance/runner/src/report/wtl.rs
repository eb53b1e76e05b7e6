//! The report as a log of WTT Logger, in which a rule of the plan is a test. docs/spec-notes.md has the facts and their sources.

use std::io::{self, Write};

use conformance_catalogue::verdict::Verdict;
use conformance_catalogue::{Rule, rules};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesStart, Event};

use super::facts::Effect;
use super::xml::with_legal_characters;
use super::{Report, RuleReport, milliseconds};

/// The context outside every test.
const OUTSIDE: usize = 1;

/// What [`PFRollup`](Log::roll_up) counts, in its order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Pass,
    Fail,
    Blocked,
    Warn,
    Skipped,
}

impl Class {
    /// Each, with its name in a test's result and in the sum.
    const ALL: [(Self, &str, &str); 5] = [
        (Self::Pass, "Pass", "Passed"),
        (Self::Fail, "Fail", "Failed"),
        (Self::Blocked, "Blocked", "Blocked"),
        (Self::Warn, "Warn", "Warned"),
        (Self::Skipped, "Skipped", "Skipped"),
    ];
}

impl Report {
    pub(super) fn write_wtl(&self, strict: bool, to: &mut impl Write) -> io::Result<()> {
        let mut log = Log {
            xml: Writer::new_with_indent(Vec::new(), b' ', 1),
            time: 0,
        };
        let declaration = BytesDecl::new("1.0", Some("utf-16"), None);
        log.xml.write_event(Event::Decl(declaration))?;
        let mut classes = Vec::new();
        log.element("WTT-Logger", &[], |log| {
            log.begin()?;
            for (name, value) in self.facts(strict) {
                log.trace("Msg", &[("UserText", &format!("{name}: {value}"))], OUTSIDE)?;
            }
            // Outside every test, it fails the log as a whole.
            for objection in self.objections() {
                log.trace("Error", &[("UserText", &objection)], OUTSIDE)?;
            }
            for (number, rule) in self.plan.iter().enumerate() {
                let result = self.rules.iter().find(|result| result.rule == *rule);
                let class = result.map_or(Class::Blocked, |result| self.class(result, strict));
                self.write_test(log, OUTSIDE + 1 + number, *rule, result, class)?;
                classes.push(class);
            }
            log.roll_up(&classes)
        })?;
        let document = String::from_utf8(log.xml.into_inner()).map_err(io::Error::other)?;
        let units = with_legal_characters(&format!("\u{feff}{document}\n"));
        let bytes: Vec<u8> = units.encode_utf16().flat_map(u16::to_le_bytes).collect();
        to.write_all(&bytes)
    }

    fn class(&self, result: &RuleReport, strict: bool) -> Class {
        match (&result.verdict, self.effect(result, strict)) {
            (Verdict::Undecided { .. } | Verdict::ToolError { .. }, _) => Class::Blocked,
            (Verdict::NotApplicable { .. }, _) => Class::Skipped,
            (_, Effect::Holds) => Class::Pass,
            (_, Effect::Minor) => Class::Warn,
            (_, Effect::Fails) => Class::Fail,
        }
    }

    fn write_test(
        &self,
        log: &mut Log,
        context: usize,
        rule: Rule,
        result: Option<&RuleReport>,
        class: Class,
    ) -> io::Result<()> {
        let tuid = rules::tuid(rule);
        let id = context.to_string();
        let context_of_test = [
            ("ID", id.as_str()),
            ("Current", rule.id()),
            ("Parent", "WTTLOG"),
        ];
        log.empty("CTX", &context_of_test)?;
        let title = [("Title", rule.id()), ("TUID", tuid.as_str())];
        log.trace("StartTest", &title, context)?;
        let time = result.map_or(0, |result| milliseconds::of(result.elapsed));
        log.time = log.time.saturating_add(time);
        let kind = match class {
            Class::Fail => "Error",
            Class::Warn => "Warn",
            Class::Pass | Class::Blocked | Class::Skipped => "Msg",
        };
        let text = match result {
            None => Some("the run was ended before this test".to_owned()),
            Some(result) => {
                let summary = self.summary(result);
                summary.map(|summary| format!("{}: {summary}", self.word(result)))
            }
        };
        if let Some(text) = text {
            log.trace(kind, &[("UserText", &text)], context)?;
        }
        let mut repro = String::new();
        if let Some(result) = result {
            repro = self.repeat_of(result);
            if result.verdict != Verdict::Pass {
                for (name, text) in self.in_full(result) {
                    log.trace("Msg", &[("UserText", &format!("{name}: {text}"))], context)?;
                }
            }
            for line in result.output.lines() {
                log.trace("Msg", &[("UserText", &format!("printed: {line}"))], context)?;
            }
        }
        let (_, word, _) = Class::ALL[class as usize];
        let result = [("Result", word), ("Repro", &repro)];
        log.trace("EndTest", &[title, result].concat(), context)
    }
}

/// A log that is written.
struct Log {
    xml: Writer<Vec<u8>>,
    /// Milliseconds since it began.
    time: u64,
}

impl Log {
    fn element(
        &mut self,
        name: &str,
        attributes: &[(&str, &str)],
        inside: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        let start = BytesStart::new(name).with_attributes(attributes.iter().copied());
        let end = start.to_end().into_owned();
        self.xml.write_event(Event::Start(start.borrow()))?;
        inside(self)?;
        self.xml.write_event(Event::End(end))
    }

    fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) -> io::Result<()> {
        let element = BytesStart::new(name).with_attributes(attributes.iter().copied());
        self.xml.write_event(Event::Empty(element))
    }

    fn begin(&mut self) -> io::Result<()> {
        let process = [
            ("ID", "1"),
            ("Machine", ""),
            ("ProcessName", "ddi-conformance"),
            ("ProcessID", "0"),
            ("ThreadID", "0"),
            ("Frequency", "1000"),
        ];
        self.empty("RTI", &process)?;
        let outside = [("ID", "1"), ("Current", "WTTLOG"), ("Parent", "ROOT")];
        self.empty("CTX", &outside)
    }

    /// Something that happened, in a context.
    fn trace(&mut self, name: &str, attributes: &[(&str, &str)], context: usize) -> io::Result<()> {
        let (time, context) = (self.time.to_string(), context.to_string());
        let times = [("CA", time.as_str()), ("LA", time.as_str())];
        self.element(name, &[attributes, &times].concat(), |log| {
            log.empty("rti", &[("id", "1")])?;
            log.empty("ctx", &[("id", &context)])
        })
    }

    fn roll_up(&mut self, classes: &[Class]) -> io::Result<()> {
        let count = |class| classes.iter().filter(|other| **other == class).count();
        let counts = Class::ALL.map(|(class, _, name)| (name, count(class).to_string()));
        let total = classes.len().to_string();
        let counts = counts.iter().map(|(name, count)| (*name, count.as_str()));
        let counts: Vec<_> = [("Total", total.as_str())]
            .into_iter()
            .chain(counts)
            .collect();
        self.trace("PFRollup", &counts, OUTSIDE)
    }
}
