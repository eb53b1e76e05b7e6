//! The journal of a run: a file of JSON lines that has each verdict as it falls, so that what was decided is there
//! whatever happens to the run. Reports are made from it, and another run can go on from it.
//!
//! The first line is [`Line::Run`], and one [`Line::Rule`] follows for each rule. Each is written with one call. A run, also one
//! that goes on from another, begins with a [`Line::Machine`] and, if it came to its end, leaves a [`Line::End`].

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use conformance_catalogue::{Rule, rules};
use conformance_protocol::{Settings, corpus};
use serde::{Deserialize, Serialize};

use crate::error::JournalError;
use crate::machine::Machine;
use crate::report::{Report, RuleReport, milliseconds};
use crate::tested::Identities;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Run(Header),
    Machine(Machine),
    Rule(RuleReport),
    End {
        #[serde(with = "milliseconds")]
        milliseconds: Duration,
    },
}

/// What is the same for all of a run.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) version: String,
    /// [`rules::digest`]; none in the journals of older tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rule_set: Option<String>,
    tested: Identities,
    env: Vec<(String, String)>,
    settings: Settings,
    /// A digest of the files of the corpus, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) corpus: Option<String>,
    plan: Vec<Rule>,
    rules_in_all: usize,
}

impl Header {
    fn of(report: &Report) -> io::Result<Self> {
        let corpus = report.settings.corpus.as_deref();
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").into(),
            rule_set: Some(rules::digest()),
            tested: report.tested.clone(),
            env: report.env.clone(),
            settings: report.settings.clone(),
            corpus: corpus.map(corpus::digest).transpose()?,
            plan: report.plan.clone(),
            rules_in_all: report.of,
        })
    }
}

/// A journal that is written.
#[derive(Debug)]
pub(crate) struct RunJournal {
    path: PathBuf,
    file: File,
}

impl RunJournal {
    /// Begins the journal of `run`, which has no results yet, in a new file.
    pub(crate) fn create(
        path: &Path,
        run: &Report,
        machine: Machine,
    ) -> Result<Self, JournalError> {
        let file = File::options().append(true).create_new(true).open(path);
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                let what = "the file exists: --resume goes on from it, another name begins anew";
                wrong(path, what)
            }
            _ => at(path, error),
        })?;
        let this = Self {
            path: path.to_owned(),
            file,
        };
        let header = Header::of(run).map_err(|error| at(path, error));
        let written = header.and_then(|header| this.write(&Line::Run(header)));
        let written = written.and_then(|()| this.begin(machine));
        if written.is_err() {
            // No run can go on from it.
            let _ = std::fs::remove_file(path);
        }
        written.map(|()| this)
    }

    /// Goes on from the journal of a run that was the same as `run`, which gets its results. What decided nothing because of
    /// the tool is tested again.
    pub(crate) fn resume(
        path: &Path,
        run: &mut Report,
        machine: Machine,
    ) -> Result<Self, JournalError> {
        let bytes = std::fs::read(path).map_err(|error| at(path, error))?;
        let Journal {
            header,
            report,
            length,
            ..
        } = Journal::parse(path, &bytes)?;
        if header != Header::of(run).map_err(|error| at(path, error))? {
            let what = "it is of another run: the libraries, the rules, the settings, the corpus and the version must be the same";
            return Err(wrong(path, what));
        }
        let file = File::options().append(true).open(path);
        let file = file.map_err(|error| at(path, error))?;
        // What the run before was writing when it died.
        file.set_len(length).map_err(|error| at(path, error))?;
        run.rules = report.rules;
        run.rules.retain(|result| !result.verdict.is_tool_error());
        let this = Self {
            path: path.to_owned(),
            file,
        };
        this.begin(machine)?;
        Ok(this)
    }

    /// Says where the tests are made: another machine may go on.
    fn begin(&self, machine: Machine) -> Result<(), JournalError> {
        self.write(&Line::Machine(machine))
    }

    pub(crate) fn add(&self, result: &RuleReport) -> Result<(), JournalError> {
        self.write(&Line::Rule(result.clone()))
    }

    pub(crate) fn end(&self, milliseconds: Duration) -> Result<(), JournalError> {
        self.write(&Line::End { milliseconds })
    }

    fn write(&self, line: &Line) -> Result<(), JournalError> {
        let line = serde_json::to_vec(line).map_err(io::Error::other);
        let written = line.and_then(|mut line| {
            line.push(b'\n');
            (&self.file).write_all(&line)
        });
        written.map_err(|error| at(&self.path, error))
    }
}

fn at(path: &Path, source: io::Error) -> JournalError {
    let path = path.to_owned();
    JournalError { path, source }
}

fn wrong(path: &Path, what: impl Into<String>) -> JournalError {
    at(path, io::Error::other(what.into()))
}

/// What is in a journal.
pub(crate) struct Journal {
    pub(crate) header: Header,
    pub(crate) report: Report,
    /// Where the tests were made.
    pub(crate) machines: Vec<Machine>,
    /// Of its whole lines.
    length: u64,
}

impl Journal {
    /// Reads the bytes of a journal; `path` is for the error.
    pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, JournalError> {
        let whole = bytes.iter().rposition(|&byte| byte == b'\n');
        let whole = &bytes[..whole.map_or(0, |last| last + 1)];
        let mut lines = whole.split_inclusive(|&byte| byte == b'\n').enumerate();
        let read = |(number, line): (usize, &[u8])| {
            serde_json::from_slice::<Line>(line)
                .map_err(|error| wrong(path, format!("line {}: {error}", number + 1)))
        };
        let Some(Line::Run(header)) = lines.next().map(read).transpose()? else {
            return Err(wrong(path, "it does not begin with the line of a run"));
        };
        let mut report = Report {
            tested: header.tested.clone(),
            env: header.env.clone(),
            settings: header.settings.clone(),
            rules: Vec::new(),
            plan: header.plan.clone(),
            of: header.rules_in_all,
            elapsed: Duration::ZERO,
            waivers: Vec::new(),
        };
        let mut machines = Vec::new();
        for line in lines {
            match read(line)? {
                Line::Run(_) => return Err(wrong(path, "it has two runs")),
                Line::Machine(machine) => machines.push(machine),
                // A rule that was tested again has its last result.
                Line::Rule(result) => {
                    report.rules.retain(|other| other.rule != result.rule);
                    report.rules.push(result);
                }
                Line::End { milliseconds } => {
                    report.elapsed = report.elapsed.saturating_add(milliseconds);
                }
            }
        }
        report.sort();
        Ok(Self {
            header,
            report,
            machines,
            length: whole.len() as u64,
        })
    }
}

/// The report of a run, as far as its journal goes; of several runs, such as the parts of `--shard`, that of all of them.
///
/// # Errors
///
/// A file cannot be read or is no journal, or they are journals of different libraries or settings, or of one rule twice.
pub fn read(paths: &[PathBuf]) -> Result<Report, JournalError> {
    let parts = paths.iter().map(|path| {
        let bytes = std::fs::read(path).map_err(|error| at(path, error))?;
        Ok((path.as_path(), Journal::parse(path, &bytes)?.report))
    });
    joined(parts.collect::<Result<_, _>>()?)
}

/// The report of all parts of a run; the paths are for the errors.
pub(crate) fn joined(parts: Vec<(&Path, Report)>) -> Result<Report, JournalError> {
    let mut all: Option<Report> = None;
    for (path, report) in parts {
        all = Some(match all {
            None => report,
            Some(all) => all
                .joined(report)
                .map_err(|what| wrong(path, what.to_owned()))?,
        });
    }
    all.ok_or_else(|| wrong(Path::new(""), "there is none"))
}

#[cfg(test)]
mod tests {
    use super::{RunJournal, read};
    use crate::machine::Machine;
    use crate::report::{Report, RuleReport};
    use crate::tested::Identities;
    use conformance_catalogue::rules;
    use conformance_catalogue::verdict::{Verdict, failure};
    use conformance_protocol::Settings;
    use std::time::Duration;
    use std::{fs, slice};

    fn machine() -> Machine {
        Machine {
            os: "an OS".into(),
            kernel: None,
            wine: None,
            arch: "x86_64".into(),
            cpus: 2,
            tool_sha256: None,
        }
    }

    fn run() -> Report {
        let plan: Vec<_> = rules::all().take(9).collect();
        Report {
            tested: Identities::Plugin(None),
            env: vec![("A".into(), "b".into())],
            settings: Settings::default(),
            rules: vec![],
            of: plan.len(),
            plan,
            elapsed: Duration::ZERO,
            waivers: Vec::new(),
        }
    }

    /// One of every verdict.
    fn results() -> Vec<RuleReport> {
        let failure = failure!(call: "f()", expected: "S_OK", got: "E_FAIL");
        let (how, during, reason) = ("SIGSEGV".to_owned(), Some("f()".into()), "x".to_owned());
        let verdicts = [
            Verdict::Pass,
            Verdict::Warn(failure.clone()),
            Verdict::Fail(failure),
            Verdict::Crash { how, during },
            Verdict::Timeout {
                after_ms: 7,
                during: None,
            },
            Verdict::NotApplicable {
                reason: reason.clone(),
            },
            Verdict::Undecided {
                needs: None,
                reason: reason.clone(),
            },
            Verdict::Undecided {
                needs: Some(rules::P_ABI_05),
                reason: reason.clone(),
            },
            Verdict::ToolError { reason },
        ];
        let results = verdicts.into_iter().zip(rules::all());
        results
            .map(|(verdict, rule)| RuleReport {
                rule,
                verdict,
                notes: vec!["a note".into()],
                output: "printed".into(),
                calls: vec!["pfnGetCaps".into()],
                in_first_compile: true,
                backtrace: vec!["plugin.dll+0x10".into()],
                fault_plan: Some("find#0=E_FAIL".parse().unwrap()),
                elapsed: Duration::from_millis(12),
            })
            .collect()
    }

    #[test]
    fn a_journal_that_is_cut_anywhere_has_what_was_decided_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let journal = RunJournal::create(&path, &run(), machine()).unwrap();
        let of_run = fs::read(&path).unwrap();
        let of_run = of_run.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        let mut ends = vec![of_run as u64];
        for result in results() {
            journal.add(&result).unwrap();
            ends.push(fs::metadata(&path).unwrap().len());
        }
        journal.end(Duration::from_millis(5)).unwrap();
        let report = read(slice::from_ref(&path)).unwrap();
        assert_eq!(report.rules, results());
        assert_eq!(report.elapsed, Duration::from_millis(5));

        let whole = fs::read(&path).unwrap();
        for len in 0..whole.len() {
            fs::write(&path, &whole[..len]).unwrap();
            let decided = ends.iter().filter(|end| **end <= len as u64).count();
            match read(slice::from_ref(&path)) {
                Ok(report) => assert_eq!(report.rules, results()[..decided - 1], "cut at {len}"),
                Err(error) => assert_eq!(decided, 0, "cut at {len}: {error}"),
            }
            if decided == 3 && len as u64 != ends[2] {
                let mut again = run();
                let journal = RunJournal::resume(&path, &mut again, machine()).unwrap();
                assert_eq!(again.rules, results()[..2]);
                journal.add(&results()[2]).unwrap();
                assert_eq!(read(slice::from_ref(&path)).unwrap().rules, results()[..3]);
            }
        }
    }

    #[test]
    fn a_run_goes_on_from_its_own_journal_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let journal = RunJournal::create(&path, &run(), machine()).unwrap();
        for result in results() {
            journal.add(&result).unwrap();
        }
        let error = RunJournal::create(&path, &run(), machine())
            .unwrap_err()
            .to_string();
        assert!(error.contains("--resume"), "{error}");
        let mut same = run();
        RunJournal::resume(&path, &mut same, machine()).unwrap();
        // The last one is an error of the tool.
        assert_eq!(same.rules, results()[..8]);
        let mut other = run();
        other.settings.seed = 1;
        let error = RunJournal::resume(&path, &mut other, machine()).unwrap_err();
        assert!(error.to_string().contains("of another run"), "{error}");
        fs::write(&path, "what\n").unwrap();
        assert!(read(&[path]).unwrap_err().to_string().contains("line 1"));
    }

    #[test]
    fn the_parts_of_a_run_are_one_report() {
        let folder = tempfile::tempdir().unwrap();
        let parts = [0, 1].map(|part| {
            let path = folder.path().join(part.to_string());
            let mut run = run();
            let mut number = 0;
            run.plan.retain(|_| {
                number += 1;
                number % 2 == part
            });
            let journal = RunJournal::create(&path, &run, machine()).unwrap();
            for result in results() {
                if run.plan.contains(&result.rule) {
                    journal.add(&result).unwrap();
                }
            }
            path
        });
        let report = read(&parts).unwrap();
        assert_eq!(report.rules, results());
        assert_eq!(report.plan, run().plan);
        let error = read(&[parts[0].clone(), parts[0].clone()]).unwrap_err();
        assert!(error.to_string().contains("twice"), "{error}");
    }
}
