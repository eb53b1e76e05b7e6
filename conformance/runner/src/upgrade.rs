//! Whether the versions of two builds of a plugin tell how what they make differs.
//!
//! Clients keep what the old build has made until a version says that it must be compiled again, so a build whose output
//! changes under the same versions mixes its objects with those of the old one, and a driver that derives other keys
//! finds nothing. What each version means is in [`compatibility`].

mod json;
mod text;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use compatibility::{Application, Origin, Verdict};
use conformance_catalogue::verdict::Stop;
use conformance_protocol::Task;
use conformance_protocol::build::{Build, Made, Part};
use ddi_sys::VersionNumber;
use serde::Serialize;

use crate::child;
use crate::error::RunError;
use crate::options::Options;
use crate::report::exit_code;
use crate::tested::{Identity, Tested};

/// How bad it is what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Costs clients something.
    Warning,
    /// Clients use what they should not, or do not find what they have.
    Failure,
}

/// Something that the versions do not tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Of which families, ABI versions and applications.
    pub of: Vec<String>,
    /// What the versions promise.
    pub expected: String,
    /// What there is instead; of the first of them where there are several.
    pub got: String,
}

/// What one side has for a family, an ABI version and an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Side {
    /// Version of the compiler, in four parts.
    pub compiler_version: String,
    /// Version of the application's profile, in four parts.
    pub profile_version: String,
    /// How many objects were compiled.
    pub objects: usize,
    /// How many of them failed.
    pub failed: usize,
    /// How long the compiles of objects that both sides have took.
    #[serde(rename = "nanoseconds", serialize_with = "nanoseconds")]
    pub elapsed: Duration,
    /// Bytes of object code, of objects that both sides have.
    pub code_bytes: usize,
}

fn nanoseconds<S: serde::Serializer>(elapsed: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX))
}

/// Both sides of a family, an ABI version and an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Name of the family.
    pub family: String,
    /// The ABI version.
    pub abi_version: u64,
    /// The application's executable.
    pub application: String,
    /// The old build.
    pub old: Side,
    /// The new one.
    pub new: Side,
    /// What the versions say of what the old one has made: `usable`, `should-recompile`, `must-recompile`.
    pub cache: &'static str,
    /// How many objects are the same.
    pub same: usize,
    /// How many have other keys.
    pub other_keys: usize,
    /// How many have the same keys and other object code.
    pub other_code: usize,
    /// How many compile on one side only.
    pub other_result: usize,
}

/// The result of an upgrade check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpgradeReport {
    /// The old build.
    pub old: Identity,
    /// The new one.
    pub new: Identity,
    /// What both have.
    pub comparisons: Vec<Comparison>,
    /// What the versions do not tell; the worst first.
    pub findings: Vec<Finding>,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum UpgradeError {
    /// A library cannot be read, or the tool cannot do its work.
    #[error(transparent)]
    Run(#[from] RunError),
    /// It was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// The tool cannot do its work.
    #[error("{0}")]
    Tool(String),
    /// A build breaks a rule, crashes or takes too long, so that nothing can be compared.
    #[error("{} cannot be compared: {reason}; test it with `run` first", path.display())]
    Build {
        /// The library.
        path: std::path::PathBuf,
        /// What it does.
        reason: String,
    },
}

/// Compares what two builds of a plugin make of the suite's objects and of the corpus of `options`, each in a process that ends
/// at the time limit of `options`. `each` is told when one of them is done.
///
/// # Errors
///
/// A library cannot be read or does not compile the objects at all.
pub fn upgrade_check(
    options: &Options,
    old: &Path,
    new: &Path,
    mut each: impl FnMut(),
) -> Result<UpgradeReport, UpgradeError> {
    let identify = |path| Identity::of(path).map_err(UpgradeError::Run);
    let (old, new) = (identify(old)?, identify(new)?);
    options.check_corpus()?;
    let folder = child::folder()?;
    let mut made = |library: &Identity, folder: &Path| {
        let build = build_of(options, &library.path, folder);
        each();
        if options.interrupt.load(Ordering::Relaxed) {
            return Err(UpgradeError::Interrupted);
        }
        let reason = match build {
            Ok(build) => return Ok(build),
            Err(Stop::Tool(reason)) => return Err(UpgradeError::Tool(reason)),
            Err(Stop::Needs { rule, got }) => {
                let got = got.map_or_else(String::new, |got| format!(": {got}"));
                format!("{rule} does not hold{got}")
            }
            Err(Stop::FaultOf(rule)) => format!("{rule} does not hold: a memory fault"),
            Err(Stop::Broken(failure)) => format!("{}: {}", failure.call, failure.got),
            Err(
                Stop::NotApplicable(reason)
                | Stop::Undecided(reason)
                | Stop::CrashElsewhere(reason),
            ) => reason,
        };
        Err(UpgradeError::Build {
            path: library.path.clone(),
            reason,
        })
    };
    let folder = folder.path();
    let of_old = made(&old, &folder.join("old"))?;
    let of_new = made(&new, &folder.join("new"))?;
    let (comparisons, findings) = compare(&of_old, &of_new);
    Ok(UpgradeReport {
        old,
        new,
        comparisons,
        findings,
    })
}

/// What a build of a plugin makes, from a process that is given the time of one test.
fn build_of(options: &Options, plugin: &Path, folder: &Path) -> Result<Build, Stop> {
    let ask = || {
        let mut request = Tested::Plugin(Some(plugin.into())).request(Task::Build)?;
        request.settings = options.settings.clone();
        child::ask(options, &request, folder, options.timeout)
    };
    let (ended, account) = ask().map_err(|error| Stop::Tool(format!("second process: {error}")))?;
    account.answered(ended.how(options.timeout))
}

impl UpgradeReport {
    /// Whether the versions tell what changed; with `strict` a warning counts as a failure.
    pub fn holds(&self, strict: bool) -> bool {
        let worst = self.findings.iter().map(|finding| finding.severity).max();
        let limit = if strict {
            Severity::Warning
        } else {
            Severity::Failure
        };
        worst.is_none_or(|worst| worst < limit)
    }

    /// The exit code of the command.
    pub fn exit_code(&self, strict: bool) -> u8 {
        if self.holds(strict) {
            exit_code::CONFORMANT
        } else {
            exit_code::NOT_CONFORMANT
        }
    }

    fn result(&self, strict: bool) -> &'static str {
        if self.holds(strict) {
            "the versions tell what changed"
        } else {
            "the versions do not tell what changed"
        }
    }
}

/// What the versions of the new build say of what the old one has made.
fn verdict(old: &Part, new: &Part) -> Verdict {
    let application = Application {
        exe: old.application.clone(),
        name: String::new(),
        version: 0,
        engine_name: None,
        engine_version: 0,
    };
    let origin = |part: &Part| Origin {
        family: &old.family,
        abi: old.abi,
        compiler: part.compiler,
        profile: part.profile,
        application: &application,
    };
    compatibility::verdict(&origin(old), &origin(new))
}

fn side(of: &Part, other: &Part) -> Side {
    let of_both = of.objects.iter();
    let of_both = of_both.filter(|(name, _)| other.objects.contains_key(*name));
    let (mut elapsed, mut code_bytes) = (Duration::ZERO, 0);
    for (_, made) in of_both {
        elapsed += Duration::from_nanos(made.nanoseconds);
        code_bytes += made.code.values().map(|code| code.size).sum::<usize>();
    }
    let failed = of.objects.values().filter(|made| made.failure.is_some());
    Side {
        compiler_version: dotted(of.compiler),
        profile_version: dotted(of.profile),
        objects: of.objects.len(),
        failed: failed.count(),
        elapsed,
        code_bytes,
    }
}

/// How what two builds made of an object differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Difference {
    None,
    Keys,
    Code,
    Result,
}

impl Difference {
    fn of(old: &Made, new: &Made) -> Self {
        if old.failure != new.failure {
            Self::Result
        } else if old.keys != new.keys {
            Self::Keys
        } else if old.code != new.code {
            Self::Code
        } else {
            Self::None
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::None => "no difference",
            Self::Keys => "other keys",
            Self::Code => "other object code under the same keys",
            Self::Result => "another result",
        }
    }
}

/// The objects of both parts with what differs.
struct Differences<'p>(Vec<(&'p str, Difference)>);

impl<'p> Differences<'p> {
    fn new(old: &'p Part, new: &'p Part) -> Self {
        let names: BTreeSet<_> = old.objects.keys().chain(new.objects.keys()).collect();
        let objects = names.into_iter().map(|name| {
            let both = old.objects.get(name).zip(new.objects.get(name));
            let difference = both.map(|(old, new)| Difference::of(old, new));
            (name.as_str(), difference.unwrap_or(Difference::Result))
        });
        Self(objects.collect())
    }

    fn count(&self, of: Difference) -> usize {
        let objects = self.0.iter();
        objects.filter(|(_, difference)| *difference == of).count()
    }

    /// In words, how many have one of these differences, and the first of them; nothing where none has.
    fn told(&self, of: &[Difference]) -> Option<String> {
        let mut such = self
            .0
            .iter()
            .filter(|(_, difference)| of.contains(difference));
        let count = such.clone().count();
        let (name, difference) = such.next()?;
        let (all, words) = (self.0.len(), difference.words());
        Some(format!(
            "{count} of {all} objects differ, such as {name}: {words}"
        ))
    }
}

/// What both builds have for a family, an ABI version and an application.
struct Pair<'b> {
    old: &'b Part,
    new: &'b Part,
    differences: Differences<'b>,
}

impl<'b> Pair<'b> {
    fn of(old: &'b Part, new: &'b Build) -> Option<Self> {
        let new = new.0.iter().find(|new| old.is_of(new))?;
        Some(Self {
            old,
            new,
            differences: Differences::new(old, new),
        })
    }

    fn is_same(&self) -> bool {
        self.differences.count(Difference::None) == self.differences.0.len()
    }
}

fn compare(old: &Build, new: &Build) -> (Vec<Comparison>, Vec<Finding>) {
    let (mut comparisons, mut findings) = (Vec::new(), Vec::new());
    for (one, other, which) in [(old, new, "old"), (new, old, "new")] {
        let mut alone: Vec<_> = one.0.iter().collect();
        alone.retain(|part| !other.0.iter().any(|other| part.is_of(other)));
        let mut alone: Vec<_> = alone.into_iter().map(Part::target).collect();
        alone.dedup();
        if !alone.is_empty() {
            findings.push(Finding {
                severity: Severity::Note,
                of: alone,
                expected: "families and ABI versions that both builds have".into(),
                got: format!("only the {which} build has it"),
            });
        }
    }
    let pairs: Vec<_> = old.0.iter().filter_map(|old| Pair::of(old, new)).collect();
    for Pair {
        old,
        new,
        differences,
    } in &pairs
    {
        comparisons.push(comparison(old, new, differences));
        findings.extend(judged(old, new, differences));
    }
    if comparisons.is_empty() {
        findings.push(Finding {
            severity: Severity::Failure,
            of: vec!["both builds".into()],
            expected: "a family and an ABI version that both have".into(),
            got: "none, so that nothing is compared".into(),
        });
    }
    findings.extend(bumps(&pairs));
    let mut findings = merged(findings);
    findings.sort_by_key(|finding| Reverse(finding.severity));
    (comparisons, findings)
}

/// A version's four parts.
fn dotted(version: u64) -> String {
    VersionNumber::from_bits(version).to_string()
}

/// One finding for all parts that break the same promise.
fn merged(findings: Vec<Finding>) -> Vec<Finding> {
    let mut merged: Vec<Finding> = Vec::new();
    for finding in findings {
        let is_same = |known: &&mut Finding| {
            (known.severity, &known.expected) == (finding.severity, &finding.expected)
        };
        match merged.iter_mut().find(is_same) {
            Some(known) if known.severity != Severity::Note => known.of.extend(finding.of),
            _ => merged.push(finding),
        }
    }
    merged
}

fn comparison(old: &Part, new: &Part, differences: &Differences) -> Comparison {
    Comparison {
        family: old.family.clone(),
        abi_version: old.abi,
        application: old.application.clone(),
        old: side(old, new),
        new: side(new, old),
        cache: match verdict(old, new) {
            Verdict::Usable => "usable",
            Verdict::ShouldRecompile(_) => "should-recompile",
            Verdict::MustRecompile(_) => "must-recompile",
        },
        same: differences.count(Difference::None),
        other_keys: differences.count(Difference::Keys),
        other_code: differences.count(Difference::Code),
        other_result: differences.count(Difference::Result),
    }
}

/// What the versions promise and the objects do not keep.
fn judged(old: &Part, new: &Part, differences: &Differences) -> Vec<Finding> {
    use Difference::{Code, Keys, Result};
    let mut findings = Vec::new();
    let mut find = |severity, expected: String, got: Option<String>| {
        findings.extend(got.map(|got| Finding {
            severity,
            of: vec![old.name()],
            expected,
            got,
        }));
    };
    let (compiler, profile) = (dotted(new.compiler), dotted(new.profile));
    if old.versions() == new.versions() {
        let expected = format!(
            "the same keys and object code, as the compiler version, {compiler}, and the profile version, {profile}, are the same"
        );
        find(
            Severity::Failure,
            expected,
            differences.told(&[Code, Keys, Result]),
        );
        return findings;
    }
    match verdict(old, new) {
        Verdict::Usable => {
            let expected = format!(
                "the same keys, as compiler version {compiler} differs from {} in the revision, which invalidates no cache",
                dotted(old.compiler)
            );
            find(Severity::Failure, expected, differences.told(&[Keys]));
        }
        Verdict::ShouldRecompile(_) => {
            let expected = format!(
                "the same keys, as compiler version {compiler} differs from {} in the build: what was compiled before can be used until it is compiled again",
                dotted(old.compiler)
            );
            find(Severity::Warning, expected, differences.told(&[Keys]));
        }
        Verdict::MustRecompile(_) => {}
    }
    let expected = "what compiles with the old build compiles with the new one".to_owned();
    find(Severity::Warning, expected, refused(old, new));
    if new.compiler < old.compiler {
        let expected = format!("a compiler version above {}", dotted(old.compiler));
        let got = format!("it is {compiler}: clients that ask for a newer cache get none");
        find(Severity::Warning, expected, Some(got));
    }
    findings
}

/// In words, what compiles with the old build alone.
fn refused(old: &Part, new: &Part) -> Option<String> {
    let objects = old.objects.iter().filter_map(|(name, made)| {
        let failure = match new.objects.get(name) {
            Some(new) => new.failure.clone()?,
            None => "the caps of the new one do not offer it".into(),
        };
        made.failure.is_none().then_some((name, failure))
    });
    let objects: Vec<_> = objects.collect();
    let (name, failure) = objects.first()?;
    let count = objects.len();
    Some(format!(
        "{count} objects fail with the new one, such as {name}: {failure}"
    ))
}

/// Versions that differ although nothing else does: of a family's compiler, and of an application's profile.
fn bumps(pairs: &[Pair]) -> Vec<Finding> {
    let note = |of: String, what: &str, old: u64, new: u64| Finding {
        severity: Severity::Note,
        of: vec![of],
        expected: format!(
            "a difference, as the {what} version went from {} to {}",
            dotted(old),
            dotted(new)
        ),
        got: "the same keys and object code of every object".into(),
    };
    let mut notes = Vec::new();
    let mut families: Vec<Vec<&Pair>> = Vec::new();
    for pair in pairs {
        let is_of = |family: &&mut Vec<&Pair>| family[0].old.family == pair.old.family;
        match families.iter_mut().find(is_of) {
            Some(family) => family.push(pair),
            None => families.push(vec![pair]),
        }
    }
    for family in families {
        let (old, new) = (family[0].old, family[0].new);
        if old.compiler == new.compiler {
            for Pair { old, new, .. } in family.iter().filter(|pair| pair.is_same()) {
                if old.profile != new.profile {
                    notes.push(note(old.name(), "profile", old.profile, new.profile));
                }
            }
        } else if family.iter().all(|pair| pair.is_same()) {
            let of = old.family.clone();
            notes.push(note(of, "compiler", old.compiler, new.compiler));
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::{Severity, compare};
    use conformance_protocol::build::{Build, Code, Made, Part};

    fn part(compiler: u64, key: &str, code: &str) -> Part {
        let made = Made {
            failure: (code.is_empty()).then(|| "E_FAIL".to_owned()),
            keys: vec![key.to_owned()],
            code: [(key.to_owned(), Code::of(code.as_bytes()))].into(),
            nanoseconds: 1,
        };
        Part {
            family: "GPU".into(),
            abi: 1,
            application: "game.exe".into(),
            compiler,
            profile: 0,
            objects: [("object".to_owned(), made)].into(),
        }
    }

    const OLD: u64 = 0x0001_0002_0003_0004;

    #[test]
    fn versions_promise_what_the_table_of_compatibility_says() {
        use Severity::{Failure, Note, Warning};
        let old = || part(OLD, "key", "code");
        let profile = |key, code| Part {
            profile: 1,
            ..part(OLD, key, code)
        };
        let cases = [
            ("nothing", part(OLD, "key", "code"), None),
            ("other code", part(OLD, "key", "other"), Some(Failure)),
            ("other keys", part(OLD, "other", "code"), Some(Failure)),
            ("a failure", part(OLD, "key", ""), Some(Failure)),
            (
                "a revision, other code",
                part(OLD + 1, "key", "other"),
                None,
            ),
            (
                "a revision, other keys",
                part(OLD + 1, "other", "other"),
                Some(Failure),
            ),
            ("a revision alone", part(OLD + 1, "key", "code"), Some(Note)),
            (
                "a build, other code",
                part(OLD + (1 << 16), "key", "other"),
                None,
            ),
            (
                "a build, other keys",
                part(OLD + (1 << 16), "other", "other"),
                Some(Warning),
            ),
            (
                "a build, a failure",
                part(OLD + (1 << 16), "key", ""),
                Some(Warning),
            ),
            (
                "a minor, other keys",
                part(OLD + (1 << 32), "other", "other"),
                None,
            ),
            (
                "a minor alone",
                part(OLD + (1 << 32), "key", "code"),
                Some(Note),
            ),
            (
                "a major less",
                part(OLD - (1 << 48), "other", "other"),
                Some(Warning),
            ),
            ("a profile, other keys", profile("other", "other"), None),
            ("a profile alone", profile("key", "code"), Some(Note)),
        ];
        for (what, new, worst) in cases {
            let (comparisons, findings) = compare(&Build(vec![old()]), &Build(vec![new]));
            assert_eq!(comparisons.len(), 1, "{what}");
            let found = findings.first().map(|finding| finding.severity);
            assert_eq!(found, worst, "{what}: {findings:?}");
        }
    }

    #[test]
    fn a_bump_is_idle_only_where_nothing_of_the_family_differs() {
        let other = |part| Part {
            application: "other.exe".into(),
            ..part
        };
        let old = Build(vec![
            part(OLD, "key", "code"),
            other(part(OLD, "key", "code")),
        ]);
        let new = |code| {
            Build(vec![
                part(OLD + 1, "key", "code"),
                other(part(OLD + 1, "key", code)),
            ])
        };
        assert_eq!(compare(&old, &new("code")).1.len(), 1);
        assert_eq!(compare(&old, &new("changed")).1, []);
    }

    #[test]
    fn an_object_that_one_build_lacks_differs() {
        let without = |compiler| Part {
            objects: [].into(),
            ..part(compiler, "key", "code")
        };
        let worst = |old: Part, new: Part| {
            let (_, findings) = compare(&Build(vec![old]), &Build(vec![new]));
            findings.first().map(|finding| finding.severity)
        };
        let whole = |compiler| part(compiler, "key", "code");
        assert_eq!(worst(whole(OLD), without(OLD)), Some(Severity::Failure));
        assert_eq!(worst(without(OLD), whole(OLD)), Some(Severity::Failure));
        assert_eq!(worst(whole(OLD), without(OLD + 1)), Some(Severity::Warning));
        assert_eq!(worst(without(OLD), whole(OLD + 1)), None);
    }

    #[test]
    fn what_only_one_build_has_is_named() {
        let newer = Part {
            abi: 2,
            ..part(OLD, "key", "code")
        };
        let (old, new) = (part(OLD, "key", "code"), newer);
        let (_, findings) = compare(
            &Build(vec![old.clone()]),
            &Build(vec![new.clone(), old.clone()]),
        );
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(findings[0].of, ["GPU, ABI version 2"]);
        // Nothing in common is no success.
        let (comparisons, findings) = compare(&Build(vec![old]), &Build(vec![new]));
        assert_eq!(comparisons, []);
        assert_eq!(findings[0].severity, Severity::Failure);
    }
}
