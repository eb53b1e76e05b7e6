//! `package.json`: what a package says of itself.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use conformance_catalogue::rules;
use conformance_protocol::Settings;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::DefectCounts;
use super::archive::Files;
use super::library::Library;
use super::selftest::SelftestFacts;
use crate::machine::Machine;
use crate::report::{Report, Totals, milliseconds};
use crate::run_journal::Journal;
use crate::tested::Identities;
use crate::waivers::Waiver;

/// Its name.
pub(super) const NAME: &str = "package.json";

/// The format that this tool writes and reads.
const FORMAT: u64 = 1;

/// What a package says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The number of this form of the document.
    pub format: u64,
    /// What made the run and the package.
    pub tool: Tool,
    /// The day, by UTC, on which the package was made, and as of which the waivers are judged.
    pub day: NaiveDate,
    /// What the journals say.
    pub run: RunFacts,
    /// The libraries of the run; none for what is linked in.
    pub libraries: Vec<Library>,
    /// With how many defects the suite's own tests try the test of each rule of the plan, by the id of the rule.
    pub defects: BTreeMap<String, usize>,
    /// The self-test, if there is one.
    pub selftest: Option<SelftestFacts>,
    /// The file of waivers, if there is one.
    pub waivers: Option<WaiverFile>,
    /// Every other file of the package, by name.
    pub files: BTreeMap<String, FileFacts>,
}

/// A build of this tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Always `ddi-conformance`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// [`rules::digest`] of it.
    pub rule_set: String,
}

/// What the journals of a run say, all of them together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(
    missing_docs,
    reason = "each is what the report of the run has under its name"
)]
pub struct RunFacts {
    pub tested: Identities,
    pub settings: Settings,
    pub env: Vec<(String, String)>,
    /// A digest of the files of the corpus, if there was one.
    pub corpus: Option<String>,
    /// Where the tests were made: of each journal, and each time that it was begun or went on.
    pub machines: Vec<Machine>,
    pub strict: bool,
    pub result: String,
    pub exit_code: u8,
    pub conformant: bool,
    pub planned: usize,
    pub rules_in_all: usize,
    pub milliseconds: u64,
    pub totals: Totals,
}

/// A file of waivers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaiverFile {
    /// As it was given.
    pub path: String,
    /// Its waivers, in its order.
    pub waivers: Vec<WaiverFacts>,
}

/// A waiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "each is what the file has under its name")]
pub struct WaiverFacts {
    pub rule: String,
    pub reason: String,
    pub link: String,
    pub expires: NaiveDate,
}

/// A file of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileFacts {
    /// In bytes.
    pub size: u64,
    /// In hexadecimal.
    pub sha256: String,
}

impl Manifest {
    /// The number of the format that this tool writes.
    pub(super) const FORMAT: u64 = FORMAT;

    /// Reads the document.
    pub(super) fn read(document: &[u8]) -> Result<Self, String> {
        let document: Value = serde_json::from_slice(document)
            .map_err(|error| format!("{NAME} is no JSON: {error}"))?;
        match document["format"].as_u64() {
            Some(FORMAT) => serde_json::from_value(document)
                .map_err(|error| format!("{NAME} is not of format {FORMAT}: {error}")),
            Some(other) => Err(format!(
                "{NAME} is of format {other}, and this tool reads format {FORMAT}: take the tool of its time"
            )),
            None => Err(format!("{NAME} does not say its format")),
        }
    }
}

impl Tool {
    /// This one.
    pub fn this() -> Self {
        Self {
            name: "ddi-conformance".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            rule_set: rules::digest(),
        }
    }

    /// Refuses what was made by a tool of another version or with other rules.
    pub(super) fn made(
        &self,
        what: &str,
        version: &str,
        rule_set: Option<&str>,
    ) -> Result<(), String> {
        if (version, rule_set) == (&self.version, Some(&self.rule_set)) {
            return Ok(());
        }
        let rules = rule_set.map_or_else(
            || "no rule set named".to_owned(),
            |rule_set| format!("the rule set {rule_set}"),
        );
        Err(format!(
            "{what} was made by ddi-conformance {version} with {rules}, not by {} with the rule set {}",
            self.version, self.rule_set
        ))
    }
}

impl RunFacts {
    /// What a report says, and the journals that it is made from.
    pub(super) fn of(report: &Report, journals: &[Journal], strict: bool) -> Self {
        let machines = journals.iter().flat_map(|journal| &journal.machines);
        let first = journals.first();
        Self {
            tested: report.tested.clone(),
            settings: report.settings.clone(),
            env: report.env.clone(),
            corpus: first.and_then(|journal| journal.header.corpus.clone()),
            machines: machines.cloned().collect(),
            strict,
            result: report.result(strict).into(),
            exit_code: report.exit_code(strict),
            conformant: report.is_conformant(strict),
            planned: report.plan.len(),
            rules_in_all: report.of,
            milliseconds: milliseconds::of(report.elapsed),
            totals: report.totals(),
        }
    }
}

/// With how many defects the suite's own tests try the test of each rule of a plan.
pub(super) fn defects_of_plan(report: &Report, counts: &DefectCounts) -> BTreeMap<String, usize> {
    let plan = report.plan.iter().map(|rule| rule.id());
    plan.map(|id| (id.to_owned(), counts.get(id).copied().unwrap_or_default()))
        .collect()
}

impl WaiverFile {
    pub(super) fn of(path: &str, waivers: &[Waiver]) -> Self {
        let waivers = waivers.iter().map(|waiver| WaiverFacts {
            rule: waiver.rule.id().into(),
            reason: waiver.reason.clone(),
            link: waiver.link.clone(),
            expires: waiver.expires,
        });
        Self {
            path: path.to_owned(),
            waivers: waivers.collect(),
        }
    }
}

impl FileFacts {
    /// Of each file but the manifest.
    pub(super) fn of(files: &Files) -> BTreeMap<String, Self> {
        let others = files.iter().filter(|(name, _)| *name != NAME);
        others
            .map(|(name, bytes)| {
                let facts = Self {
                    size: bytes.len() as u64,
                    sha256: hex::encode(Sha256::digest(bytes)),
                };
                (name.clone(), facts)
            })
            .collect()
    }
}
