//! `docs/rules.md`: every rule with its defects, and every obliging sentence of the plugin DDI with its rules.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::rules::all;
use crate::sentences::{BEYOND, Gap, SECTIONS, Section};
use crate::{Level, Party, Rule};

/// What the ids of a party's rules begin with, and whose they are.
fn heading(party: Party) -> &'static str {
    match party {
        Party::Plugin => "P: what a plugin owes its host",
        Party::Runtime => "R: what a runtime owes its caller",
        Party::Host => "H: what a host owes its plugin",
        Party::Driver => "U: what a user-mode driver owes the D3D12 runtime",
    }
}

/// A text in a cell of a table, with nothing that Markdown takes for its own, but for code.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    let (mut code, mut before) = (false, ' ');
    for c in text.chars() {
        code ^= c == '`';
        let marks = match c {
            '|' => true,
            '*' | '<' => !code,
            '_' => !code && !before.is_alphanumeric(),
            _ => false,
        };
        if marks {
            cell.push('\\');
        }
        cell.push(c);
        before = c;
    }
    cell
}

/// The text of `docs/rules.md`. `defects` has how many defects prove the test of each rule, by the id of the rule.
pub fn page(defects: &BTreeMap<&str, usize>) -> String {
    let breaking = |rule: Rule| defects.get(rule.id()).copied().unwrap_or_default();
    let mut families: Vec<Vec<Rule>> = Vec::new();
    for rule in all() {
        match families.last_mut() {
            Some(last) if last[0].family() == rule.family() => last.push(rule),
            _ => families.push(vec![rule]),
        }
    }
    let mut text = String::from(INTRODUCTION);
    let mut line = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };

    line("\n## In numbers\n");
    line("| family | rules | of these without a test | defects | sentences that name it |");
    line("|---|---|---|---|---|");
    let sentences = || SECTIONS.iter().flat_map(|section| section.sentences);
    for rules in &families {
        let of_family = rules[0].family();
        let untested = rules.iter().filter(|rule| rule.untestable().is_some());
        let defects: usize = rules.iter().map(|rule| breaking(*rule)).sum();
        let naming =
            sentences().filter(|sentence| sentence.rules.iter().any(|r| r.family() == of_family));
        let naming = if rules[0].is_of_the_plugin_ddi() {
            naming.count().to_string()
        } else {
            "–".into()
        };
        line(&format!(
            "| {of_family} | {} | {} | {defects} | {naming} |",
            rules.len(),
            untested.count()
        ));
    }
    let none = sentences().filter(|sentence| sentence.rules.is_empty());
    let untested = sentences().filter(|sentence| {
        !sentence.rules.is_empty()
            && sentence
                .rules
                .iter()
                .all(|rule| rule.untestable().is_some())
    });
    let unclear = sentences().filter(|sentence| sentence.unclear.is_some());
    line(&format!(
        "\nThe reading has {} sentences of {} sections. {} are ambiguous. {} have no rule, \
         and {} only rules that are untestable. What no rule tests, by the \
         reason, with what is left of sentences that a rule tests in part:\n",
        sentences().count(),
        SECTIONS.len(),
        unclear.count(),
        none.count(),
        untested.count(),
    ));
    line("| reason | sentences |\n|---|---|");
    for gap in Gap::ALL {
        let count = sentences()
            .filter(|sentence| sentence.gap.is_some_and(|(of, _)| of == gap))
            .count();
        line(&format!("| {}: {} | {count} |", gap.name(), gap.meaning()));
    }

    line("\n## The rules");
    let mut party = None;
    for rules in &families {
        if party != Some(rules[0].party()) {
            party = Some(rules[0].party());
            line(&format!("\n### {}", heading(rules[0].party())));
        }
        if rules[0].party() != Party::Host {
            line(&format!("\n#### {}", rules[0].family()));
        }
        line("\n| id | level | reading | section | defects | status |\n|---|---|---|---|---|---|");
        for rule in rules {
            let status = rule
                .untestable()
                .map_or("tested".into(), |why| format!("untestable: {why}"));
            let level = match rule.level() {
                Level::Ambiguous => "**AMBIGUOUS**".into(),
                level => level.to_string(),
            };
            line(&format!(
                "| {rule} | {level} | {} | {} | {} | {} |",
                cell(rule.reading()),
                rule.section(),
                breaking(*rule),
                cell(&status),
            ));
        }
    }

    line(READING);
    for Section { heading, sentences } in SECTIONS {
        line(&format!("\n### {heading}\n"));
        if sentences.is_empty() {
            line("Obliges nobody.");
            continue;
        }
        line("| words | rules | what no rule tests, and why |\n|---|---|---|");
        for sentence in *sentences {
            let rules = sentence.rules.iter().map(|rule| match rule.untestable() {
                Some(_) => format!("{rule} (untestable)"),
                None => rule.to_string(),
            });
            let mut remark = String::new();
            if let Some(unclear) = sentence.unclear {
                // Writing to a string does not fail.
                let _ = write!(remark, "**ambiguous**: {}. ", cell(unclear));
            }
            if let Some((gap, why)) = sentence.gap {
                let _ = write!(remark, "{}: {}.", gap.name(), cell(why));
            }
            line(&format!(
                "| \"{}\" | {} | {} |",
                cell(sentence.words),
                rules.collect::<Vec<_>>().join(", "),
                remark.trim_end()
            ));
        }
    }
    line("\n## Rules of no sentence\n");
    line("| rule | where it comes from |\n|---|---|");
    for (rule, reason) in BEYOND {
        line(&format!("| {rule} | {} |", cell(reason)));
    }
    text
}

const INTRODUCTION: &str = "\
# The rules, and the sentences that they come from

<!-- Generated: INSTA_UPDATE=always cargo test -p conformance --test suite rules_page. Do not edit. -->

Every rule of [`ddi-conformance`](../conformance/README.md), and every sentence of the plugin DDI in ShaderCompilerPlugin.md that
obliges somebody, with its rules or with the reason why it has none. A test compares this page with the rules, with the tables
of defects and with the reading in `conformance/catalogue/src/sentences.rs`. It fails where a sentence has neither a rule nor
a reason, and where a rule of a plugin or a host has neither a sentence nor a reason. A rule with a test and without a defect
fails the matrix; a rule with neither a test nor a reason does not compile, and neither does a defect of a rule that does not
exist.
";

const READING: &str = "
## The sentences

The sections of ShaderCompilerPlugin.md on the plugin and its DDI, in its order, with each sentence that obliges somebody, that
promises something, or whose declaration does (such as `_In_`). The words are the beginning or the heart of the sentence. An
ambiguous one can be read in more than one way; [spec-notes.md](spec-notes.md) has the readings and the choice. The part on
Microsoft's API, where most rules of R come from, and the documents of the U rules are not read here.";
