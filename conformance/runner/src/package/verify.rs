//! Verifies a package from its bytes alone.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use chrono::Utc;
use clap::ValueEnum as _;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::archive::{self, Files, MOST_BYTES};
use super::library::Library;
use super::manifest::{self, FileFacts, Manifest, RunFacts, Tool, WaiverFile};
use super::selftest::SelftestFacts;
use super::{DefectCounts, JOURNALS, SELFTEST, WAIVERS, libraries, run, waivers_of};
use crate::error::RunError;
use crate::report::{Format, Report, exit_code};
use crate::tested::library_bytes;
use crate::waivers::Waiver;

/// What came of one check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// All is as it should be.
    Ok,
    /// Something is not.
    Failed,
    /// This tool cannot do it.
    Skipped,
}

/// A check of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Its name, in one word.
    pub name: &'static str,
    /// What came of it.
    pub result: Outcome,
    /// What was looked at; of what failed, each thing that is wrong.
    pub what: Vec<String>,
}

/// What a package is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// Of the package itself, in bytes.
    pub size: usize,
    /// Of the package itself, in hexadecimal.
    pub sha256: String,
    /// What it says of itself, if that can be read.
    pub manifest: Option<Manifest>,
    /// Every check that was made, in order.
    pub checks: Vec<Check>,
}

/// What a check gives: what it looked at, or what is wrong.
type Checked = Result<String, Vec<String>>;

/// Verifies the package in a file; `tested` is a file that must be what was tested, and `defects` are those that this tool knows.
///
/// # Errors
///
/// A file cannot be read.
pub fn verify_file(
    package: &Path,
    tested: Option<&Path>,
    defects: &DefectCounts,
) -> Result<Verification, RunError> {
    let tested = tested.map(library_bytes).transpose()?;
    let mut bytes = Vec::new();
    fs::File::open(package)
        // What is larger is refused, and one byte shows it.
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|source| RunError::File {
            path: package.to_owned(),
            source,
        })?;
    Ok(verify(&bytes, tested.as_deref(), defects))
}

/// Verifies a package; `tested` are the bytes of the file that must be what was tested, and `defects` are those that this tool knows.
pub fn verify(package: &[u8], tested: Option<&[u8]>, defects: &DefectCounts) -> Verification {
    let mut this = Verification {
        size: package.len(),
        sha256: hex::encode(Sha256::digest(package)),
        manifest: None,
        checks: Vec::new(),
    };
    let Some(files) = this.check("archive", archive::read(package), |files| {
        format!("{} files, which are read in memory only", files.len())
    }) else {
        return this;
    };
    let document = files.get(manifest::NAME);
    let document = document.ok_or_else(|| format!("there is no {}", manifest::NAME));
    let Some(manifest) = this.check(
        "manifest",
        document.and_then(|document| Manifest::read(document)),
        |manifest| format!("{} of format {}", manifest::NAME, manifest.format),
    ) else {
        return this;
    };
    this.add("files", listed(&files, &manifest));
    this.manifest = Some(manifest.clone());
    if manifest.tool == Tool::this() {
        this.check_run(&files, &manifest, defects);
    } else {
        let Tool {
            version, rule_set, ..
        } = &manifest.tool;
        let by = format!(
            "the package was made by ddi-conformance {version} with the rule set {rule_set}: only that one makes the same reports again, and knows what the verdicts are of"
        );
        for name in ["run", "reports", "waivers", "defects", "selftest"] {
            this.push(name, Outcome::Skipped, vec![by.clone()]);
        }
    }
    if let Some(bytes) = tested {
        this.add("tested", is_tested(bytes, &manifest));
    }
    this
}

impl Verification {
    /// Whether every check was made and came out well.
    pub fn holds(&self) -> bool {
        self.exit_code() == exit_code::CONFORMANT
    }

    /// The exit code of the command. It says nothing of the result of the run.
    pub fn exit_code(&self) -> u8 {
        let some = |result| self.checks.iter().any(|check| check.result == result);
        if some(Outcome::Failed) {
            exit_code::NOT_CONFORMANT
        } else if some(Outcome::Skipped) {
            exit_code::INCOMPLETE
        } else {
            exit_code::CONFORMANT
        }
    }

    /// The result in words.
    pub fn result(&self) -> &'static str {
        match self.exit_code() {
            exit_code::CONFORMANT => "verified",
            exit_code::INCOMPLETE => "only its files are verified",
            _ => "not verified",
        }
    }

    /// What is wrong, with the name of its check.
    pub(super) fn objections(&self) -> Vec<String> {
        let bad = self
            .checks
            .iter()
            .filter(|check| check.result != Outcome::Ok);
        bad.flat_map(|check| {
            check
                .what
                .iter()
                .map(|what| format!("{}: {what}", check.name))
        })
        .collect()
    }

    fn push(&mut self, name: &'static str, result: Outcome, what: Vec<String>) {
        self.checks.push(Check { name, result, what });
    }

    fn add(&mut self, name: &'static str, checked: Checked) {
        match checked {
            Ok(what) => self.push(name, Outcome::Ok, vec![what]),
            Err(wrong) => self.push(name, Outcome::Failed, wrong),
        }
    }

    /// Adds a check on which others depend, and gives what it read.
    fn check<T>(
        &mut self,
        name: &'static str,
        read: Result<T, String>,
        what: impl FnOnce(&T) -> String,
    ) -> Option<T> {
        match read {
            Ok(read) => {
                self.push(name, Outcome::Ok, vec![what(&read)]);
                Some(read)
            }
            Err(wrong) => {
                self.push(name, Outcome::Failed, vec![wrong]);
                None
            }
        }
    }

    /// Checks what follows from the journals, which is all but the facts of the libraries.
    fn check_run(&mut self, files: &Files, manifest: &Manifest, counts: &DefectCounts) {
        let journals: Vec<_> = files
            .range(JOURNALS.to_owned()..)
            .take_while(|(name, _)| name.starts_with(JOURNALS))
            .map(|(name, bytes)| (name.clone(), bytes.clone()))
            .collect();
        let waivers = waivers(files, manifest);
        let parsed = run::journals(&journals, &manifest.tool);
        let report = parsed.and_then(|parsed| {
            let mut report = run::report(&journals, &parsed)?;
            // What is wrong with them is said below.
            report.waivers = waivers.clone().unwrap_or_default();
            let facts = RunFacts::of(&report, &parsed, manifest.run.strict);
            Ok((report, facts))
        });
        let (report, facts) = match report {
            Ok(read) => read,
            Err(wrong) => return self.push("run", Outcome::Failed, vec![wrong]),
        };
        self.add("run", said(&report, &facts, manifest));
        self.add("reports", same_reports(&report, files, manifest));
        self.add("waivers", waivers.map(|waivers| out_of_date(&waivers)));
        let defects = manifest::defects_of_plan(&report, counts);
        let sum: usize = defects.values().sum();
        self.add(
            "defects",
            same(&manifest.defects, &defects, "the defects of each rule").map(|()| {
                format!("{sum}, with which the suite's own tests try the tests of these rules")
            }),
        );
        self.add("selftest", selftest(&report, files, manifest));
    }
}

/// Whether what a manifest says is what follows from the files.
fn same<T: PartialEq>(said: &T, found: &T, what: &str) -> Result<(), Vec<String>> {
    if said == found {
        Ok(())
    } else {
        Err(vec![format!(
            "{} says otherwise of {what} than the files of the package",
            manifest::NAME
        )])
    }
}

/// Whether the files are those of the manifest, and those that a package has.
fn listed(files: &Files, manifest: &Manifest) -> Checked {
    let found = FileFacts::of(files);
    let mut wrong = Vec::new();
    for (name, listed) in &manifest.files {
        match found.get(name) {
            None => wrong.push(format!("{name} is missing")),
            Some(found) if found != listed => wrong.push(format!(
                "{name} was changed: it has {} bytes with SHA-256 {}, not {} with {}",
                found.size, found.sha256, listed.size, listed.sha256
            )),
            Some(_) => {}
        }
    }
    let mut fixed: Vec<_> = Format::value_variants()
        .iter()
        .map(|format| run::file_name(*format))
        .collect();
    fixed.extend(manifest.waivers.iter().map(|_| WAIVERS.to_owned()));
    fixed.extend(manifest.selftest.iter().map(|_| SELFTEST.to_owned()));
    for name in &fixed {
        if !manifest.files.contains_key(name) {
            wrong.push(format!("{} does not list {name}", manifest::NAME));
        }
    }
    for name in found.keys() {
        if !manifest.files.contains_key(name) {
            wrong.push(format!("{name} is not listed in {}", manifest::NAME));
        } else if !fixed.contains(name) && !name.starts_with(JOURNALS) {
            wrong.push(format!("{name} is no file of a package"));
        }
    }
    if wrong.is_empty() {
        Ok(format!(
            "{}, each with its size and SHA-256, and no other",
            found.len()
        ))
    } else {
        Err(wrong)
    }
}

/// Whether the manifest says of the run what the journals say.
fn said(report: &Report, facts: &RunFacts, manifest: &Manifest) -> Checked {
    let mut wrong = Vec::new();
    // Each part by itself, as the whole has hundreds of numbers.
    let said = serde_json::to_value(&manifest.run).unwrap_or_default();
    let found = serde_json::to_value(facts).unwrap_or_default();
    for (name, found) in found.as_object().into_iter().flatten() {
        if said[name] != *found {
            wrong.push(format!(
                "{} says of the run {name:?}: {}, the journals say {found}",
                manifest::NAME,
                said[name]
            ));
        }
    }
    let of_run = libraries(&report.tested).into_iter();
    let of_run = of_run.map(|(role, library)| {
        let path = library.path.to_string_lossy().into_owned();
        (role.to_owned(), path, library.sha256.clone())
    });
    let of_manifest = manifest.libraries.iter();
    let of_manifest = of_manifest.map(|library| {
        (
            library.role.clone(),
            library.path.clone(),
            library.sha256.clone(),
        )
    });
    if !of_run.eq(of_manifest) {
        wrong.push(format!(
            "{} has other libraries than the journals",
            manifest::NAME
        ));
    }
    if wrong.is_empty() {
        Ok(format!(
            "the journals have one verdict for each of the {} rules of the plan, and {} says the same",
            report.plan.len(),
            manifest::NAME
        ))
    } else {
        Err(wrong)
    }
}

/// Whether the reports are those that the journals make.
fn same_reports(report: &Report, files: &Files, manifest: &Manifest) -> Checked {
    let made = match run::reports(report, manifest.run.strict) {
        Ok(made) => made,
        Err(error) => return Err(vec![error.to_string()]),
    };
    let other = made
        .iter()
        .filter(|(name, bytes)| files.get(*name) != Some(*bytes));
    let other: Vec<_> = other
        .map(|(name, _)| format!("{name} is not what this tool makes of the journals"))
        .collect();
    if other.is_empty() {
        Ok(format!(
            "{}, each made again of the journals, byte by byte",
            made.len()
        ))
    } else {
        Err(other)
    }
}

/// The waivers of the package, which must be those of the manifest.
fn waivers(files: &Files, manifest: &Manifest) -> Result<Vec<Waiver>, Vec<String>> {
    let (Some(said), Some(text)) = (&manifest.waivers, files.get(WAIVERS)) else {
        return Ok(Vec::new());
    };
    let waivers =
        waivers_of(&said.path, text, manifest.day).map_err(|error| vec![error.to_string()])?;
    same(said, &WaiverFile::of(&said.path, &waivers), "the waivers")?;
    Ok(waivers)
}

/// How many there are, and which have expired since.
fn out_of_date(waivers: &[Waiver]) -> String {
    let today = Utc::now().date_naive();
    let expired: Vec<_> = waivers
        .iter()
        .filter(|waiver| waiver.expires < today)
        .map(|waiver| waiver.rule.id())
        .collect();
    match (waivers, expired.as_slice()) {
        ([], _) => "none".into(),
        (_, []) => format!("{}, as of the day of the package, and today", waivers.len()),
        _ => format!(
            "{}, as of the day of the package; expired by today: {}",
            waivers.len(),
            expired.join(" ")
        ),
    }
}

/// Whether the self-test is of the plugin of the run, and the manifest has its score.
fn selftest(report: &Report, files: &Files, manifest: &Manifest) -> Checked {
    let (Some(said), Some(document)) = (&manifest.selftest, files.get(SELFTEST)) else {
        return Ok("none".into());
    };
    let found = SelftestFacts::read(document, report, &manifest.tool)
        .map_err(|wrong| vec![format!("{SELFTEST}: {wrong}")])?;
    same(said, &found, "the self-test")?;
    Ok("of the same plugin; its score is the sum of its defects".into())
}

/// Whether a file is what was tested.
fn is_tested(bytes: &[u8], manifest: &Manifest) -> Checked {
    let tested = &manifest.run.tested;
    let (role, Some(identity), _) = tested.parts() else {
        return Err(vec![format!("{} was tested, not this file", tested.name())]);
    };
    let found = Library::of(role, identity, bytes);
    if found.sha256 != identity.sha256 {
        return Err(vec![format!(
            "this file has the SHA-256 {}, and the {role} that was tested has {}",
            found.sha256, identity.sha256
        )]);
    }
    // Another tool may see more in a file.
    if manifest.tool == Tool::this() && manifest.libraries.first() != Some(&found) {
        return Err(vec![format!(
            "{} says otherwise of the {role} than its file",
            manifest::NAME
        )]);
    }
    Ok(format!("this file is the {role} that was tested"))
}
