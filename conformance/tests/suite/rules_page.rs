//! `docs/rules.md`: every rule with its defects, and every obliging sentence of the plugin DDI with its rules.
//!
//! `INSTA_UPDATE=always`, as for snapshots, writes the page. `DDI_SPECIFICATION=<file>` with `--ignored`
//! compares the sentences with ShaderCompilerPlugin.md, which is not part of this repository.

mod sentences;

use std::collections::HashSet;
use std::fmt::Write as _;

use conformance::rules::{all, untestable};
use conformance::{Level, Party, Rule};

use crate::support::defects::{of_api, of_driver, of_host, of_plugin};
use crate::support::matrix::{Expected, family};
use sentences::{BEYOND, Gap, SECTIONS, Section, Sentence};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/rules.md");

#[test]
fn the_page_is_up_to_date() {
    let page = page();
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(FILE, page).unwrap_or_else(|error| panic!("{FILE}: {error}"));
        return;
    }
    let committed = include_str!("../../../docs/rules.md").replace("\r\n", "\n");
    let differs = committed
        .lines()
        .zip(page.lines())
        .find(|(committed, page)| committed != page);
    assert!(
        committed == page,
        "docs/rules.md is out of date; INSTA_UPDATE=always cargo test -p conformance --test suite rules_page \
         writes it. The first line that differs: {differs:#?}"
    );
}

#[test]
fn every_sentence_has_a_rule_or_a_reason() {
    for section in SECTIONS {
        for sentence in section.sentences {
            let (heading, words) = (section.heading, sentence.words);
            assert!(
                !sentence.rules.is_empty() || sentence.gap.is_some(),
                "{heading}: {words}: no rule and no reason"
            );
            assert!(
                (1..=12).contains(&words.split_whitespace().count()),
                "{heading}: {words}: quote at most 12 words"
            );
            let reasons = sentence.gap.map(|(_, why)| why).into_iter();
            for reason in reasons.chain(sentence.unclear) {
                assert!(!reason.is_empty() && !reason.ends_with('.'), "{reason}");
            }
        }
    }
}

#[test]
fn every_rule_of_plugins_and_hosts_has_a_sentence_or_a_reason() {
    let sentences = || SECTIONS.iter().flat_map(|section| section.sentences);
    let with_sentence: HashSet<Rule> = sentences()
        .flat_map(|sentence| sentence.rules)
        .copied()
        .collect();
    let beyond: HashSet<Rule> = BEYOND.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(beyond.len(), BEYOND.len(), "a rule is there twice");
    for rule in all().filter(|rule| of_the_ddi(*rule)) {
        assert!(
            with_sentence.contains(&rule) != beyond.contains(&rule),
            "{rule}: name it at a sentence, or say in BEYOND why it has none, and not both"
        );
        assert!(
            SECTIONS
                .iter()
                .any(|section| section.heading == rule.section()),
            "{rule}: SECTIONS has no {:?}",
            rule.section()
        );
        let of_unclear = sentences().any(|s| s.unclear.is_some() && s.rules.contains(&rule));
        assert!(
            rule.level() != Level::Ambiguous || of_unclear || beyond.contains(&rule),
            "{rule}: AMBIGUOUS, but no sentence of it is unclear"
        );
    }
    for (rule, reason) in BEYOND {
        assert!(
            of_the_ddi(*rule) && reason.len() > 10 && !reason.ends_with('.'),
            "{rule}: {reason}"
        );
    }
}

/// A rule of the plugin DDI, on either side.
fn of_the_ddi(rule: Rule) -> bool {
    matches!(rule.party(), Party::Plugin | Party::Host)
}

/// Words with which a sentence obliges.
const OBLIGING: &[&str] = &[
    "must",
    "should",
    "required",
    "guaranteed",
    "expected",
    "always",
    "may not",
    "reserved",
    "only valid",
    "responsible",
    "will ",
];

#[test]
#[ignore = "needs DDI_SPECIFICATION=<ShaderCompilerPlugin.md>"]
fn every_obliging_sentence_of_the_specification_is_listed() {
    let path = std::env::var("DDI_SPECIFICATION").expect("DDI_SPECIFICATION names the file");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut missing = Vec::new();
    let mut headings = Vec::new();
    let (mut heading, mut obliging, mut body) = ("", Vec::new(), String::new());
    let mut check = |heading: &'static str, obliging: &[&str], body: &str| {
        let Some(section) = SECTIONS.iter().find(|section| section.heading == heading) else {
            return;
        };
        headings.push(heading);
        let body = plain(body);
        let quoted = |words: &str| words.split(" … ").map(plain).collect::<Vec<_>>();
        for sentence in section.sentences {
            if !quoted(sentence.words)
                .iter()
                .all(|part| body.contains(part))
            {
                missing.push(format!("{heading}: it does not say {:?}", sentence.words));
            }
        }
        for line in obliging {
            let line = plain(line);
            let listed = |s: &Sentence| quoted(s.words).iter().any(|part| line.contains(part));
            if !section.sentences.iter().any(listed) {
                missing.push(format!("{heading}: not listed: {line}"));
            }
        }
    };
    for line in text.lines().chain(["# "]) {
        if let Some(next) = line.strip_prefix('#') {
            check(heading, &obliging, &body);
            let next = next.trim_start_matches('#').trim();
            let known = SECTIONS.iter().find(|section| section.heading == next);
            heading = known.map_or("", |section| section.heading);
            obliging.clear();
            body.clear();
        } else {
            body.push_str(line);
            body.push('\n');
            // Not at every full stop: "i.e." and "1.93" have some.
            let sentences = line.split(".  ").flat_map(|part| part.split(". "));
            obliging.extend(sentences.filter(|sentence| {
                let sentence = sentence.to_lowercase();
                OBLIGING.iter().any(|word| sentence.contains(word))
            }));
        }
    }
    for section in SECTIONS {
        if !headings.contains(&section.heading) {
            missing.push(format!("no heading {:?}", section.heading));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

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

fn page() -> String {
    let defects = [of_plugin(), of_api(), of_host(), of_driver()].concat();
    let breaking = |rule: Rule| {
        let breaks =
            |expected: &Expected| matches!(expected, Expected::Breaks(broken) if *broken == rule);
        defects
            .iter()
            .filter(|defect| breaks(&defect.expected))
            .count()
    };
    let mut families: Vec<Vec<Rule>> = Vec::new();
    for rule in all() {
        match families.last_mut() {
            Some(last) if family(last[0]) == family(rule) => last.push(rule),
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
        let of_family = family(rules[0]);
        let untested = rules.iter().filter(|rule| untestable(**rule).is_some());
        let defects: usize = rules.iter().map(|rule| breaking(*rule)).sum();
        let naming =
            sentences().filter(|sentence| sentence.rules.iter().any(|r| family(*r) == of_family));
        let naming = if of_the_ddi(rules[0]) {
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
                .all(|rule| untestable(*rule).is_some())
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
            line(&format!("\n#### {}", family(rules[0])));
        }
        line("\n| id | level | reading | section | defects | status |\n|---|---|---|---|---|---|");
        for rule in rules {
            let status =
                untestable(*rule).map_or("tested".into(), |why| format!("untestable: {why}"));
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
            let rules = sentence.rules.iter().map(|rule| match untestable(*rule) {
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
of defects and with the reading in `conformance/tests/suite/rules_page/sentences.rs`. It fails where a sentence has neither a rule nor
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
