//! `check`: whether a driver can use the content of PSDBs, or a plugin would keep it.

use std::fmt;
use std::path::PathBuf;

use compatibility::{Driver, Verdict, verdict, verdict_of_driver};
use serde::Serialize;
use shader_db::psdb::File;

use crate::compile::{Workers, ask};
use crate::plugin::PluginChoice;
use crate::question::offers::{Compiles, Offer, OffersQuestion, Wanted};
use crate::report::{self, incomplete, one_line, open_whole, path_text};
use crate::{Result, parse_version};

/// The intended user of the files.
pub enum User<'a> {
    /// A driver that reports this.
    Driver(Driver),
    /// The compiler of this plugin.
    Plugin(PluginChoice, &'a Workers),
}

/// What the user must do with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Nothing: it is usable.
    Usable,
    /// It is usable, and a new compilation would be better.
    ShouldRecompile,
    /// It must be compiled again.
    MustRecompile,
    /// It is for another adapter family or ABI version.
    ForAnother,
}

impl State {
    /// What a verdict of the project's table means here, and the reason.
    pub(crate) fn of(verdict: Verdict) -> (Self, Option<String>) {
        match verdict {
            Verdict::Usable => (Self::Usable, None),
            Verdict::ShouldRecompile(reason) => (Self::ShouldRecompile, Some(reason.to_string())),
            Verdict::MustRecompile(reason) => {
                let state = if reason.is_conflict() {
                    Self::ForAnother
                } else {
                    Self::MustRecompile
                };
                (state, Some(reason.to_string()))
            }
        }
    }

    /// The exit code of the program.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Usable => 0,
            Self::ShouldRecompile => 1,
            Self::MustRecompile => 3,
            Self::ForAnother => 4,
        }
    }
}

/// The text for people.
impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Usable => "usable as it is",
            Self::ShouldRecompile => "usable, and should be compiled again",
            Self::MustRecompile => "not usable: must be compiled again",
            Self::ForAnother => "not usable: it is for another target",
        })
    }
}

/// The files, and what to do with them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The worst verdict of all.
    pub verdict: State,
    files: Vec<Checked>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Checked {
    file: String,
    verdict: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(flatten)]
    target: report::Target,
    /// The verdict applies to all of them.
    groups: u64,
    values: u64,
    bytes: u64,
}

/// Reads a driver's report: the adapter family, its lowest and highest ABI version, the versions of its compiler and of its
/// profile of the application, separated by commas. The family can contain commas.
///
/// # Errors
///
/// The fault of the text.
pub fn parse_driver(text: &str) -> Result<Driver, String> {
    let mut parts = text.rsplitn(5, ',');
    let mut part = || parts.next().unwrap_or_default();
    let [profile, compiler, max, min, family] = [part(), part(), part(), part(), part()];
    if family.is_empty() {
        return Err(
            "expected FAMILY,MIN-ABI,MAX-ABI,COMPILER,PROFILE, for example GPU,1,3,1.0.0.0,0"
                .into(),
        );
    }
    let abi = |text: &str| {
        text.parse::<u64>()
            .map_err(|_| format!("`{text}` is not an ABI version"))
    };
    let version = |text: &str| parse_version(text).map_err(|error| format!("`{text}`: {error}"));
    let abi = abi(min)?..=abi(max)?;
    if abi.is_empty() {
        return Err(format!(
            "the lowest ABI version, {min}, is above the highest, {max}"
        ));
    }
    Ok(Driver {
        family: family.into(),
        abi,
        compiler: version(compiler)?,
        profile: version(profile)?,
    })
}

/// Checks PSDBs.
///
/// # Errors
///
/// [`Error::Database`](crate::Error::Database); for a plugin the errors of [`list`](crate::list::list).
pub fn check(psdbs: &[PathBuf], user: &User) -> Result<Report> {
    let mut files = Vec::new();
    for path in psdbs {
        files.push((path_text(path), open_whole(path)?));
    }
    let verdicts: Vec<(State, Option<String>)> = match user {
        User::Driver(driver) => files
            .iter()
            .map(|(_, file)| State::of(verdict_of_driver(&file.origin(), driver)))
            .collect(),
        User::Plugin(plugin, workers) => {
            let wanted = |(_, file): &(String, File)| Wanted {
                target: file.target().clone(),
                application: file.application().clone(),
            };
            let question = OffersQuestion(files.iter().map(wanted).collect());
            let offers = ask(&question, plugin, workers, &|| 0)?;
            let files = files.iter().zip(offers);
            files
                .map(|((_, file), offer)| of_plugin(file, offer))
                .collect()
        }
    };
    let mut report = Report {
        verdict: State::Usable,
        files: Vec::new(),
    };
    for ((name, file), (mut state, mut reason)) in files.into_iter().zip(verdicts) {
        let counts = file.counts()?;
        let lines = incomplete(&[&file])?;
        if state < State::MustRecompile && !lines.is_empty() {
            state = State::MustRecompile;
            reason = Some(lines.join("; "));
        }
        report.verdict = report.verdict.max(state);
        report.files.push(Checked {
            file: name,
            verdict: state,
            reason: reason.as_deref().map(one_line),
            target: file.target().into(),
            groups: counts.groups,
            values: counts.values.iter().sum(),
            bytes: counts.bytes,
        });
    }
    Ok(report)
}

fn of_plugin(file: &File, offer: Offer) -> (State, Option<String>) {
    match offer {
        Offer::Target(Compiles(now)) => {
            State::of(verdict(&file.origin(), &now.origin(file.application())))
        }
        Offer::NoFamily => {
            let family = &file.target().family;
            let text = format!("its adapter family is {family:?}, which the plugin does not have");
            (State::ForAnother, Some(text))
        }
        Offer::OtherAbis(abis) => {
            let abis: Vec<String> = abis.iter().map(u64::to_string).collect();
            let text = format!(
                "its ABI version is {}, and the plugin has {}",
                file.target().abi,
                abis.join(", ")
            );
            (State::ForAnother, Some(text))
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for file in &self.files {
            write!(f, "{}: {}", file.file, file.verdict)?;
            match &file.reason {
                None => writeln!(f)?,
                Some(reason) => writeln!(f, ": {reason}")?,
            }
            write!(f, "{}", file.target)?;
            writeln!(f, "Groups: {}", file.groups)?;
            writeln!(f, "Values: {}, {} bytes", file.values, file.bytes)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::parse_driver;

    #[test]
    fn a_driver_is_read_from_its_end() {
        let driver = parse_driver("GPU, gen 1,2,3,1.2.0.0,0x10").unwrap();
        assert_eq!(driver.family, "GPU, gen 1");
        assert_eq!(driver.abi, 2..=3);
        assert_eq!(
            (driver.compiler, driver.profile),
            (0x0001_0002_0000_0000, 16)
        );
        for text in [
            "",
            "GPU",
            "GPU,1,2,1.0",
            ",1,2,1.0,0",
            "GPU,2,1,1.0,0",
            "GPU,a,2,1.0,0",
            "GPU,1,2,1.0.0.0.0,0",
            "GPU,1,2,1.0,",
        ] {
            assert!(parse_driver(text).is_err(), "{text}");
        }
    }
}
