//! A run in one file: its journals, its reports in every form, and what is known of the plugin, the tool and the machines, with
//! the hash of each. Who gets the file can verify it without the plugin.
//!
//! A package is no signature. Whoever can make one can make another, of a run that never was.

mod archive;
mod json;
mod library;
mod manifest;
mod run;
mod selftest;
mod text;
mod verify;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use chrono::Utc;

use crate::error::RunError;
use crate::tested::Identities;
use crate::waivers::{Waiver, WaiverError};
use archive::Files;

pub use library::{Image, Library, Pdb, Section};
pub use manifest::{FileFacts, Manifest, RunFacts, Tool, WaiverFacts, WaiverFile};
pub use selftest::SelftestFacts;
pub use verify::{Check, Outcome, Verification, verify, verify_file};

/// The file of waivers in a package.
const WAIVERS: &str = "waivers.toml";
/// The result of a self-test in a package.
const SELFTEST: &str = "selftest.json";
/// The folder of the journals in a package.
const JOURNALS: &str = "journals/";

/// How many defects of the suite's own libraries break each rule, by its id.
pub type DefectCounts = BTreeMap<&'static str, usize>;

/// What a package is made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The journals of a finished run, of all its parts.
    pub journals: Vec<PathBuf>,
    /// The file of waivers.
    pub waivers: Option<PathBuf>,
    /// What `selftest --format json` wrote of the same plugin.
    pub selftest: Option<PathBuf>,
    /// Whether a warning counts as a failure, and any undecided rule as incomplete.
    pub strict: bool,
}

/// Why there is no package.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackageError {
    /// The waivers cannot be read.
    #[error(transparent)]
    Waivers(#[from] WaiverError),
    /// A library of the run cannot be read.
    #[error(transparent)]
    Library(#[from] RunError),
    /// Another file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// What was given does not go together; this says why, and what to do.
    #[error("{0}")]
    Refused(String),
    /// The tool cannot do its work.
    #[error("cannot make the package: {0}")]
    Tool(String),
}

/// A package that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// How many files it has.
    pub files: usize,
    /// Of the package itself, in bytes.
    pub size: usize,
    /// Of the package itself, in hexadecimal.
    pub sha256: String,
}

/// Makes the package of a run, in a new file.
///
/// # Errors
///
/// A file cannot be read or written; the run is not finished, or of another tool; a library was replaced since; or the self-test is
/// of something else.
pub fn create(
    sources: &Sources,
    defects: &DefectCounts,
    output: &Path,
) -> Result<Package, PackageError> {
    let bytes = bytes_of(sources, defects)?;
    let verification = verify(&bytes, None, defects);
    let Some(manifest) = verification
        .manifest
        .as_ref()
        .filter(|_| verification.holds())
    else {
        return Err(PackageError::Tool(verification.objections().join("; ")));
    };
    let at = |source| PackageError::File {
        path: output.to_owned(),
        source,
    };
    let mut file = File::create_new(output).map_err(at)?;
    if let Err(error) = file.write_all(&bytes) {
        // A part of one is worth nothing.
        let _ = fs::remove_file(output);
        return Err(at(error));
    }
    Ok(Package {
        files: manifest.files.len() + 1,
        size: bytes.len(),
        sha256: verification.sha256,
    })
}

fn bytes_of(sources: &Sources, defects: &DefectCounts) -> Result<Vec<u8>, PackageError> {
    let tool = Tool::this();
    let mut journals = Vec::new();
    for path in &sources.journals {
        journals.push((path.display().to_string(), read(path)?));
    }
    let parsed = run::journals(&journals, &tool).map_err(PackageError::Refused)?;
    let mut report = run::report(&journals, &parsed).map_err(PackageError::Refused)?;
    let mut files: Files = journals
        .into_iter()
        .enumerate()
        .map(|(number, (_, bytes))| (format!("{JOURNALS}{:03}.jsonl", number + 1), bytes))
        .collect();

    let day = Utc::now().date_naive();
    let mut waivers = None;
    if let Some(path) = &sources.waivers {
        let text = read(path)?;
        let shown = path.to_string_lossy().into_owned();
        report.waivers = waivers_of(&shown, &text, day)?;
        waivers = Some(WaiverFile::of(&shown, &report.waivers));
        files.insert(WAIVERS.into(), text);
    }
    let mut selftest = None;
    if let Some(path) = &sources.selftest {
        let document = read(path)?;
        let facts = SelftestFacts::read(&document, &report, &tool);
        let refused =
            |what| PackageError::Refused(format!("the self-test {}: {what}", path.display()));
        selftest = Some(facts.map_err(refused)?);
        files.insert(SELFTEST.into(), document);
    }
    let libraries = libraries(&report.tested)
        .into_iter()
        .map(|(role, identity)| Library::read(role, identity));
    let libraries = libraries.collect::<Result<_, _>>()?;
    let reports = run::reports(&report, sources.strict);
    files.extend(reports.map_err(|error| PackageError::Tool(error.to_string()))?);
    let manifest = Manifest {
        format: Manifest::FORMAT,
        tool,
        day,
        run: RunFacts::of(&report, &parsed, sources.strict),
        libraries,
        defects: manifest::defects_of_plan(&report, defects),
        selftest,
        waivers,
        files: FileFacts::of(&files),
    };
    let mut document = serde_json::to_vec_pretty(&manifest)
        .map_err(|error| PackageError::Tool(error.to_string()))?;
    document.push(b'\n');
    files.insert(manifest::NAME.into(), document);
    archive::write(&files).map_err(|error| PackageError::Tool(error.to_string()))
}

fn read(path: &Path) -> Result<Vec<u8>, PackageError> {
    fs::read(path).map_err(|source| PackageError::File {
        path: path.to_owned(),
        source,
    })
}

/// The waivers of a file that has `text`, as they are on a day.
fn waivers_of(
    path: &str,
    text: &[u8],
    day: chrono::NaiveDate,
) -> Result<Vec<Waiver>, PackageError> {
    let text = std::str::from_utf8(text)
        .map_err(|error| PackageError::Refused(format!("the waivers {path}: {error}")))?;
    Ok(Waiver::parse(Path::new(path), text, day)?)
}

/// The libraries of a run with their roles, what was tested first; what is linked in is none.
fn libraries(tested: &Identities) -> Vec<(&'static str, &crate::Identity)> {
    let (kind, library, plugin) = tested.parts();
    let library = library.map(|library| (kind, library));
    let plugin = plugin.map(|plugin| ("plugin", plugin));
    library.into_iter().chain(plugin).collect()
}
