//! The report as one HTML page that loads nothing. Its content policy names the one script and the one style sheet by their
//! hashes, so that what a library printed is no markup, and would not run if it were.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use conformance_catalogue::verdict::Verdict;
use conformance_catalogue::{Level, Rule};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use super::facts::Effect;
use super::xml::with_legal_characters;
use super::{Report, RuleReport, exit_code};

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// So many of the slowest tests are in the picture.
const SLOWEST: usize = 15;

/// A rule of the plan, as the table shows it.
struct Row<'r> {
    rule: Rule,
    word: &'static str,
    colour: &'static str,
    /// Whether the run does not succeed because of it.
    fails: bool,
    /// None of a rule to which the run did not come.
    result: Option<&'r RuleReport>,
}

impl Report {
    pub(super) fn write_html(&self, strict: bool, to: &mut impl Write) -> io::Result<()> {
        let page = self.page(strict).into_string();
        to.write_all(with_legal_characters(&page).as_bytes())
    }

    fn page(&self, strict: bool) -> Markup {
        let rows = self.plan.iter().map(|rule| self.row(*rule, strict));
        let mut rows: Vec<_> = rows.collect();
        // Nobody scrolls for a failure.
        rows.sort_by_key(|row| {
            let colours = ["bad", "odd", "faint", "good"];
            let place = colours.iter().position(|colour| *colour == row.colour);
            (!row.fails, place)
        });
        // A browser takes each end of a line as a line feed before it computes a hash.
        let [style, script] = [STYLE, SCRIPT].map(|text| text.replace("\r\n", "\n"));
        let policy = format!(
            "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
            hash(&style),
            hash(&script)
        );
        let name = self.tested.name();
        let result = match self.exit_code(strict) {
            exit_code::CONFORMANT => "good",
            exit_code::NOT_CONFORMANT => "bad",
            _ => "odd",
        };
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="referrer" content="no-referrer";
                    title { "Conformance of " (name) }
                    style { (PreEscaped(&style)) }
                }
                body {
                    h1 { "Conformance of " (name) }
                    p { span.result.(result) { (self.result(strict)) } }
                    (counts(&rows))
                    @for objection in self.objections() { p.bad { (objection) } }
                    details { summary { "What was tested, and how" } (pairs(&self.facts(strict))) }
                    h2 { "Rules" }
                    (filters(&rows, &self.plan))
                    table {
                        thead { tr { th { "Rule" } th { "Level" } th { "Verdict" } th { "Time" } th { "What it demands" } } }
                        tbody { @for row in &rows { (self.table_row(row)) } }
                    }
                    (self.slowest())
                    (self.notes())
                    script { (PreEscaped(&script)) }
                }
            }
        }
    }

    fn row(&self, rule: Rule, strict: bool) -> Row<'_> {
        let result = self.rules.iter().find(|result| result.rule == rule);
        let effect = result.map_or(Effect::Fails, |result| self.effect(result, strict));
        let word = result.map_or("not-tested", |result| self.word(result));
        let colour = match (effect, result.map(|result| &result.verdict)) {
            (Effect::Holds, _) => "good",
            (Effect::Minor, Some(Verdict::NotApplicable { .. })) => "faint",
            (Effect::Fails, Some(verdict)) if verdict.is_broken() => "bad",
            _ => "odd",
        };
        Row {
            rule,
            word,
            colour,
            fails: effect == Effect::Fails,
            result,
        }
    }

    fn table_row(&self, row: &Row<'_>) -> Markup {
        let rule = row.rule;
        let level = rule.level().to_string();
        let is_open = row.colour == "bad";
        // What is open says it in full.
        let result = row
            .result
            .filter(|result| !is_open && result.verdict != Verdict::Pass);
        let summary = result.and_then(|result| self.summary(result));
        html! {
            tr id=(rule.id()) data-family=(rule.family()) data-verdict=(row.word) data-level=(level) {
                td.id { a href=(format!("#{rule}")) { (rule.id()) } }
                td.faint { (level) }
                td { span.word.(row.colour) { (row.word) } }
                td.time.faint { @if let Some(result) = row.result { (result.elapsed.as_millis()) " ms" } }
                td {
                    details open[is_open] {
                        summary { (rule.reading()) @if let Some(summary) = summary { div.faint { (summary) } } }
                        @match row.result {
                            None => p { "The run was ended before this test." },
                            Some(result) => (self.result_in_full(result)),
                        }
                    }
                }
            }
        }
    }

    fn result_in_full(&self, result: &RuleReport) -> Markup {
        let mut lines = self.in_full(result);
        // They are in the row.
        lines.retain(|(name, _)| !["rule", "level"].contains(name));
        html! {
            (pairs(&lines))
            @if !result.output.is_empty() {
                p.faint { "The end of what the test's process printed:" }
                pre { (result.output) }
            }
        }
    }

    fn slowest(&self) -> Markup {
        let mut results: Vec<_> = self.rules.iter().collect();
        results.sort_by_key(|result| std::cmp::Reverse(result.elapsed));
        results.truncate(SLOWEST);
        let longest = results
            .first()
            .map_or(1.0, |result| result.elapsed.as_secs_f32().max(0.001));
        html! {
            h2 { "The slowest tests" }
            div.chart {
                @for result in results {
                    @let share = result.elapsed.as_secs_f32() / longest * 100.0;
                    a.id href=(format!("#{}", result.rule)) { (result.rule.id()) }
                    svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {
                        rect width=(format!("{share:.1}")) height="8" {}
                    }
                    span.faint { (result.elapsed.as_millis()) " ms" }
                }
            }
            p.faint { "All tests, several at a time: " (format!("{:.1}", self.elapsed.as_secs_f32())) " s." }
        }
    }

    /// What the tests say besides, such as what a database saves by storing once what objects share.
    fn notes(&self) -> Markup {
        let noted = self.rules.iter().filter(|result| !result.notes.is_empty());
        let noted: Vec<_> = noted.collect();
        html! {
            @if !noted.is_empty() {
                h2 { "Notes of the tests" }
                dl.notes {
                    @for result in noted {
                        dt { a.id href=(format!("#{}", result.rule)) { (result.rule.id()) } }
                        dd { (result.notes.join("\n")) }
                    }
                }
            }
        }
    }
}

fn pairs(pairs: &[(&str, String)]) -> Markup {
    html! { dl { @for (name, text) in pairs { dt { (name) } dd { (text) } } } }
}

/// How many rules have which verdict, in the order of their first.
fn words(rows: &[Row<'_>]) -> Vec<(&'static str, &'static str, usize)> {
    let mut words: Vec<(&str, &str, usize)> = Vec::new();
    for row in rows {
        match words.iter_mut().find(|(word, ..)| *word == row.word) {
            Some((_, _, count)) => *count += 1,
            None => words.push((row.word, row.colour, 1)),
        }
    }
    words
}

fn counts(rows: &[Row<'_>]) -> Markup {
    html! {
        ul.counts {
            @for (word, colour, count) in words(rows) { li.(colour) { b { (count) } " " (word) } }
        }
    }
}

fn filters(rows: &[Row<'_>], plan: &[Rule]) -> Markup {
    let mut families: Vec<_> = plan.iter().map(|rule| rule.family()).collect();
    families.dedup();
    let verdicts: Vec<_> = words(rows).into_iter().map(|(word, ..)| word).collect();
    let levels = [Level::Must, Level::Should, Level::Ambiguous].map(|level| level.to_string());
    let levels: Vec<_> = levels.iter().map(String::as_str).collect();
    let filters = [
        ("family", families),
        ("verdict", verdicts),
        ("level", levels),
    ];
    html! {
        // Without the script there is nothing to choose.
        form hidden {
            @for (name, values) in filters {
                label {
                    (name)
                    select name=(name) {
                        option value="" { "all" }
                        @for value in values { option { (value) } }
                    }
                }
            }
            label { "text" input name="text" type="search"; }
            output {}
        }
    }
}

/// What a content policy calls a script or a style sheet.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}
