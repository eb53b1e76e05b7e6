//! What the command says of the rules themselves: `list` and `explain`.

use std::io::{self, Write};

use conformance_runner::{Filter, FilterError, Party, Rule, rules};
use serde_json::json;

use crate::TextOrJson;

/// Lists the rules.
pub fn list(format: TextOrJson) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    match format {
        TextOrJson::Text => {
            let mut party = None;
            for rule in rules::all() {
                if party.replace(rule.party()) != Some(rule.party()) {
                    let (gap, heading) = match rule.party() {
                        Party::Plugin => ("", "Rules for a plugin, toward its host: run"),
                        Party::Runtime => {
                            ("\n", "Rules for a runtime, toward its caller: run-runtime")
                        }
                        Party::Host => {
                            ("\n", "Rules for a runtime, toward its plugin: run-runtime")
                        }
                        Party::Driver => (
                            "\n",
                            "Rules for a driver, toward the D3D12 runtime: run-umd",
                        ),
                    };
                    writeln!(out, "{gap}{heading}")?;
                }
                let (level, reading) = (rule.level(), rule.reading());
                write!(out, "{rule:<10} {level:<9} {reading}")?;
                match rule.untestable() {
                    Some(reason) => writeln!(out, " (no test: {reason})")?,
                    None => writeln!(out)?,
                }
            }
        }
        TextOrJson::Json => {
            let rules: Vec<_> = rules::all()
                .map(|rule| {
                    json!({
                        "id": rule.id(),
                        "level": rule.level().to_string(),
                        "party": rule.party().to_string(),
                        "section": rule.section(),
                        "reading": rule.reading(),
                        "why": rule.why(),
                        "hint": rule.hint(),
                        "untestable": rule.untestable(),
                    })
                })
                .collect();
            writeln!(out, "{:#}", json!(rules))?;
        }
    }
    out.flush()
}

/// Explains the rules that a filter selects, with a line between them.
pub fn explain(filter: &Filter) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    for (number, rule) in selected(filter).enumerate() {
        if number > 0 {
            writeln!(out, "\n{}\n", "-".repeat(72))?;
        }
        explain_rule(rule, &mut out)?;
    }
    out.flush()
}

/// The rules that a filter selects, also those without a test.
fn selected(filter: &Filter) -> impl Iterator<Item = Rule> {
    rules::all().filter(|rule| filter.selects(*rule))
}

/// A filter that selects a rule.
pub fn of_some_rule(patterns: &str) -> Result<Filter, String> {
    let filter: Filter = patterns
        .parse()
        .map_err(|error: FilterError| error.to_string())?;
    let selects = selected(&filter).next().is_some();
    let none = "no rule has such an id; `ddi-conformance list` shows them all";
    selects.then_some(filter).ok_or_else(|| none.to_owned())
}

fn explain_rule(rule: Rule, out: &mut impl Write) -> io::Result<()> {
    let (level, party) = (rule.level(), rule.party());
    writeln!(out, "{rule}: {level}, an obligation of the {party}")?;
    writeln!(out, "\n  {}", rule.reading())?;
    writeln!(out, "\nSection  {}", rule.section())?;
    writeln!(out, "Why      {}", rule.why())?;
    writeln!(out, "Hint     {}", rule.hint())?;
    let command = match party {
        Party::Plugin => "run PLUGIN",
        Party::Runtime | Party::Host => "run-runtime RUNTIME",
        Party::Driver => "run-umd DRIVER",
    };
    match rule.untestable() {
        Some(reason) => writeln!(out, "Test     none: {reason}")?,
        None => writeln!(out, "Test     ddi-conformance {command} --filter ={rule}")?,
    }
    Ok(())
}
