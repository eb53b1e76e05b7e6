//! The run of a package: what its journals are together, and every report of it.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use clap::ValueEnum as _;

use super::archive::Files;
use super::manifest::Tool;
use crate::filter::Filter;
use crate::options::plan;
use crate::report::{Format, Report, Reporter};
use crate::run_journal::{self, Journal};
use crate::tested::{Identities, Tested};

/// Reads the journals of a run, of all its parts, with their names.
pub(super) fn journals(files: &[(String, Vec<u8>)], by: &Tool) -> Result<Vec<Journal>, String> {
    let mut journals: Vec<Journal> = Vec::new();
    for (name, bytes) in files {
        let journal = Journal::parse(Path::new(name), bytes).map_err(|error| error.to_string())?;
        let (version, rule_set) = (&journal.header.version, &journal.header.rule_set);
        by.made(&format!("the journal {name}"), version, rule_set.as_deref())?;
        if journals
            .first()
            .is_some_and(|first| first.header.corpus != journal.header.corpus)
        {
            return Err(format!("the journal {name} is of another corpus"));
        }
        journals.push(journal);
    }
    Ok(journals)
}

/// The report of all of them, in which each rule of the plan has one verdict, and nothing else has one.
pub(super) fn report(names: &[(String, Vec<u8>)], journals: &[Journal]) -> Result<Report, String> {
    let parts = names.iter().zip(journals);
    let parts = parts.map(|((name, _), journal)| (Path::new(name), journal.report.clone()));
    let report = run_journal::joined(parts.collect()).map_err(|error| error.to_string())?;
    let tested = match report.tested.clone() {
        Identities::Plugin(plugin) => Tested::Plugin(plugin.map(|plugin| plugin.path)),
        Identities::Runtime { library, plugin } => Tested::Runtime {
            library: library.map(|library| library.path),
            plugin: plugin.path,
        },
        Identities::Driver { library, plugin } => Tested::Driver {
            library: library.map(|library| library.path),
            plugin: plugin.map(|plugin| plugin.path),
        },
    };
    let all = plan(&tested, &Filter::all());
    if report.of != all.len() {
        return Err(format!(
            "it says that there are {} rules, not {}",
            report.of,
            all.len()
        ));
    }
    let ids = |rules: &mut dyn Iterator<Item = crate::Rule>| -> BTreeSet<&str> {
        rules.map(crate::Rule::id).collect()
    };
    let planned = ids(&mut report.plan.iter().copied());
    if let Some(rule) = report.plan.iter().find(|rule| !all.contains(rule)) {
        return Err(format!(
            "{rule} is in the plan, and is no rule of what was tested"
        ));
    }
    if planned.len() < report.plan.len() {
        return Err("a rule is in the plan twice".into());
    }
    let decided = ids(&mut report.rules.iter().map(|result| result.rule));
    if let Some(rule) = decided.difference(&planned).next() {
        return Err(format!("{rule} has a verdict, and is not in the plan"));
    }
    let missing = planned.difference(&decided).copied().collect::<Vec<_>>();
    if !missing.is_empty() {
        return Err(format!(
            "the run is not finished: of {} rules {} have no verdict: {}; `--resume` goes on with it",
            planned.len(),
            missing.len(),
            missing.join(" ")
        ));
    }
    Ok(report)
}

/// The name of a report in a package.
pub(super) fn file_name(format: Format) -> String {
    format!("reports/{}", format.file_name())
}

/// The report in every form.
pub(super) fn reports(report: &Report, strict: bool) -> io::Result<Files> {
    let forms = Format::value_variants().iter();
    forms
        .map(|format| {
            let mut bytes = Vec::new();
            let mut reporter = Reporter::new(*format, strict);
            match format {
                // A file has no colours.
                Format::Text => {
                    let mut plain = anstream::StripStream::new(&mut bytes);
                    reporter.all(report, &mut plain)?;
                }
                _ => reporter.all(report, &mut bytes)?,
            }
            Ok((file_name(*format), bytes))
        })
        .collect()
}
