//! What every form of the report says of a run and of a result.

use conformance_catalogue::verdict::Verdict;
use conformance_catalogue::{Level, Rule};

use super::{Report, RuleReport};

/// What a result does to its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The rule holds.
    Holds,
    /// The rule does not hold, or nobody knows, and the run succeeds nevertheless.
    Minor,
    /// The run does not succeed.
    Fails,
}

impl Report {
    /// What a result does to the run.
    pub(super) fn effect(&self, result: &RuleReport, strict: bool) -> Effect {
        if self.waiver_of(result).is_some() {
            Effect::Minor
        } else if self.leaves_open(result, strict) {
            Effect::Fails
        } else {
            result.effect(strict)
        }
    }

    /// Whether the result of the run depends on this rule, which was left undecided. A run that decided nothing is incomplete
    /// whatever the levels.
    pub(super) fn leaves_open(&self, result: &RuleReport, strict: bool) -> bool {
        let totals = self.totals();
        let nothing_decided = totals.pass + totals.warn + totals.waived == 0;
        matches!(result.verdict, Verdict::Undecided { .. })
            && (nothing_decided || result.effect(strict) == Effect::Fails)
    }

    /// What a result counts as, in one word.
    pub(super) fn word(&self, result: &RuleReport) -> &'static str {
        let verdict = result.verdict.word();
        self.waiver_of(result).map_or(verdict, |_| "waived")
    }

    /// What there is to say of a result in one line.
    pub fn summary(&self, result: &RuleReport) -> Option<String> {
        let summary = result.summary();
        match self.waiver_of(result) {
            None => summary,
            Some(waiver) => {
                let summary =
                    summary.map(|summary| format!("; {}: {summary}", result.verdict.word()));
                Some(format!("{waiver}{}", summary.unwrap_or_default()))
            }
        }
    }

    /// The rules of the plan that have no result, because the run was ended.
    pub(super) fn not_tested(&self) -> impl Iterator<Item = Rule> {
        let is_decided = |rule: Rule| self.rules.iter().any(|result| result.rule == rule);
        let plan = self.plan.iter().copied();
        plan.filter(move |rule| !is_decided(*rule))
    }

    /// What was tested, how, and with which result.
    pub(super) fn facts(&self, strict: bool) -> Vec<(&'static str, String)> {
        let mut facts = vec![(
            "tool",
            format!("ddi-conformance {}", env!("CARGO_PKG_VERSION")),
        )];
        let (kind, library, plugin) = self.tested.parts();
        facts.push((kind, self.tested.name()));
        facts.extend(library.map(|library| ("sha256", library.sha256.clone())));
        if let Some(plugin) = plugin {
            facts.extend([
                ("plugin", plugin.path.display().to_string()),
                ("plugin sha256", plugin.sha256.clone()),
            ]);
        }
        facts.extend([
            ("set", self.settings.set.name().to_owned()),
            ("seed", self.settings.seed.to_string()),
            ("strict", strict.to_string()),
            ("result", self.result(strict).to_owned()),
        ]);
        facts
    }

    /// A result in full, a line or more for each thing that there is to say of it.
    pub(super) fn in_full(&self, result: &RuleReport) -> Vec<(&'static str, String)> {
        let rule = result.rule;
        let mut lines = vec![
            ("rule", rule.reading().to_owned()),
            ("level", rule.level().to_string()),
            ("section", rule.section().to_owned()),
        ];
        lines.extend(
            self.waiver_of(result)
                .map(|waiver| ("waived", waiver.to_string())),
        );
        lines.extend(result.seen());
        if result.verdict.is_broken() {
            lines.push(("hint", rule.hint().to_owned()));
        }
        lines.push(("repeat", self.repeat_of(result)));
        lines
    }

    /// A result in full, as text of several lines: what the test saw, of which rule, and the command that repeats it.
    pub fn full_text(&self, result: &RuleReport) -> String {
        let lines = self.in_full(result);
        let lines = lines.iter().map(|(name, text)| {
            let text = text.replace('\n', "\n          ");
            format!("{name:<8}  {text}\n")
        });
        lines.collect()
    }
}

impl RuleReport {
    /// What it does to a run, whatever the other results are.
    pub fn effect(&self, strict: bool) -> Effect {
        let fails = match self.verdict {
            Verdict::Pass => return Effect::Holds,
            Verdict::NotApplicable { .. } => false,
            Verdict::Warn(_) => strict,
            Verdict::Undecided { .. } => strict || self.rule.level() == Level::Must,
            Verdict::Fail(_)
            | Verdict::Crash { .. }
            | Verdict::Timeout { .. }
            | Verdict::ToolError { .. } => true,
        };
        if fails { Effect::Fails } else { Effect::Minor }
    }

    /// What the test saw; nothing of a rule that holds.
    pub(super) fn seen(&self) -> Vec<(&'static str, String)> {
        let death = |how: String, during: &Option<String>| {
            let during = during.clone().map(|during| ("during", during));
            [("got", how)].into_iter().chain(during).collect()
        };
        let mut seen = match &self.verdict {
            Verdict::Pass => Vec::new(),
            Verdict::Warn(failure) | Verdict::Fail(failure) => vec![
                ("called", failure.call.clone()),
                ("expected", failure.expected.clone()),
                ("got", failure.got.clone()),
            ],
            Verdict::Crash { how, during } => death(how.clone(), during),
            Verdict::Timeout { after_ms, during } => {
                death(format!("no end after {after_ms} ms"), during)
            }
            Verdict::Undecided { needs, reason } => {
                let needs = needs.map(|rule| ("needs", format!("{rule}: {}", rule.reading())));
                let got = (!reason.is_empty()).then(|| ("got", reason.clone()));
                needs.into_iter().chain(got).collect()
            }
            Verdict::NotApplicable { reason } | Verdict::ToolError { reason } => {
                vec![("got", reason.clone())]
            }
        };
        for (name, list) in [("stack", &self.backtrace), ("calls", &self.calls)] {
            if !list.is_empty() {
                seen.push((name, list.join("\n")));
            }
        }
        seen
    }

    /// What there is to say besides the verdict.
    fn summary(&self) -> Option<String> {
        match &self.verdict {
            Verdict::Pass => (!self.notes.is_empty()).then(|| self.notes.join("; ")),
            Verdict::Warn(failure) | Verdict::Fail(failure) => {
                Some(format!("{}: {}", failure.call, failure.got))
            }
            Verdict::Crash { how, .. } => Some(how.clone()),
            Verdict::Timeout { after_ms, during } => {
                let late = || format!("no end after {after_ms} ms");
                Some(during.clone().unwrap_or_else(late))
            }
            Verdict::Undecided {
                needs: Some(rule), ..
            } => Some(format!("needs {rule}")),
            Verdict::Undecided { reason, .. }
            | Verdict::NotApplicable { reason }
            | Verdict::ToolError { reason } => Some(reason.clone()),
        }
    }
}
