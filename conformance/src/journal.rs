//! What the process of a test tells the runner: a file of lines, so that whatever the plugin prints
//! or destroys, everything up to the last line stays readable.
//!
//! Each line is one [`Entry`] as JSON, written with one call. The last one is [`Entry::End`]; where
//! it is missing, the process died before the test was over.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use conformance_catalogue::verdict::{Outcome, Stop};
use serde::{Deserialize, Serialize};

use crate::FaultPlan;
use crate::calls::Calls;
use crate::death::Death;
use crate::layer;

/// One line.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Entry {
    /// What the test is about to do.
    At(String),
    /// What the test says besides its verdict.
    Note(String),
    /// The fault plan that is in force from now on.
    FaultPlan(Option<String>),
    /// What the defect of the [`layer`] needs of the plugin and has not met.
    Unmet(String),
    /// A fault that ends the test.
    Fault { access: Access, address: usize },
    /// Where a process dies that nothing was known to expect: the addresses of the functions on the stack follow.
    Died { place: Place, frames: Vec<usize> },
    /// What was where the fault was.
    Watched(Watched),
    /// What the test found; `None` when the rule holds.
    Outcome(Option<Stop>),
    /// Nothing follows.
    End,
}

/// What a fault was about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Access {
    Read,
    Write,
    Jump,
    /// One or the other: the system does not say.
    Any,
}

/// Where a process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    /// What it was about to do, where it is a fault of memory.
    pub(crate) access: Option<Access>,
    pub(crate) address: usize,
    /// The address of the instruction, and the end of the stack; 0 where they are not known.
    pub(crate) code: usize,
    pub(crate) stack: usize,
}

/// The file for what the system says of the modules of a process that dies, in the folder of its journal.
pub(crate) fn modules(folder: &Path) -> PathBuf {
    folder.join("modules")
}

/// Something in memory.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Watched {
    pub(crate) what: String,
    pub(crate) start: usize,
    pub(crate) len: usize,
}

impl Watched {
    /// An access in words.
    fn accessed(&self, access: Access, address: usize) -> String {
        let access = match access {
            Access::Read => "a read",
            Access::Write => "a write",
            Access::Jump => "a jump",
            Access::Any => "an access",
        };
        let offset = address.wrapping_sub(self.start).cast_signed();
        format!("{access} {}", at_offset(offset, &self.what, self.len))
    }
}

/// Where in something, or beside it, an access was.
pub(crate) fn at_offset(offset: isize, what: &str, len: usize) -> String {
    format!("at offset {offset} of {what}, which has {len} bytes")
}

impl Entry {
    pub(crate) fn line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).expect("an entry has no maps and no failing parts");
        line.push(b'\n');
        line
    }
}

/// The writing side.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let file = File::options().append(true).create_new(true).open(path)?;
        let path = path.to_owned();
        Ok(Self { file, path })
    }

    /// Notes what the test is about to do.
    pub(crate) fn at(&self, what: impl Into<String>) {
        self.write(&Entry::At(what.into()));
    }

    /// Adds to what the report says of a rule that holds: how far the test could see, or which reading
    /// the library keeps to.
    pub(crate) fn note(&self, what: impl Into<String>) {
        self.write(&Entry::Note(what.into()));
    }

    /// Notes the fault plan of what comes next.
    pub(crate) fn under(&self, plan: Option<&FaultPlan>) {
        self.write(&Entry::FaultPlan(plan.map(FaultPlan::to_string)));
    }

    pub(crate) fn finish(&self, outcome: Outcome) {
        if let Some(need) = layer::unmet() {
            self.write(&Entry::Unmet(need.to_owned()));
        }
        self.write(&Entry::Outcome(outcome.err()));
        self.write(&Entry::End);
    }

    /// The folder that it lies in, where other files of the test belong too.
    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// A journal that cannot be written ends like one whose process died: without an end.
    fn write(&self, entry: &Entry) {
        let _ = (&self.file).write_all(&entry.line());
    }
}

/// What a journal holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Account {
    /// The last thing that the test was about to do.
    pub(crate) at: Option<String>,
    /// What the test said besides its verdict.
    pub(crate) notes: Vec<String>,
    /// The fault plan that was in force in the end.
    pub(crate) fault_plan: Option<FaultPlan>,
    /// What the defect of the [`layer`] needs of the plugin and has not met.
    pub(crate) unmet: Option<String>,
    /// What the test found, if it came to its end.
    pub(crate) outcome: Option<Outcome>,
    /// The last calls.
    pub(crate) calls: Calls,
    /// Where the process died, where a handler could say it.
    pub(crate) death: Option<Death>,
}

impl Account {
    pub(crate) fn read(path: &Path) -> Self {
        let account = std::fs::read(path).map(|bytes| Self::parse(&bytes));
        let mut account = account.unwrap_or_default();
        if let Some(folder) = path.parent() {
            account.calls = Calls::read(folder);
            if let Some(death) = &mut account.death {
                death.read_modules(&modules(folder));
            }
        }
        account
    }

    fn parse(bytes: &[u8]) -> Self {
        let mut account = Self::default();
        let (mut fault, mut accessed) = (None, None);
        let mut outcome = None;
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            match serde_json::from_slice(line) {
                Ok(Entry::At(what)) => account.at = Some(what),
                Ok(Entry::Note(what)) => account.notes.push(what),
                Ok(Entry::FaultPlan(plan)) => {
                    account.fault_plan = plan.and_then(|plan| plan.parse().ok());
                }
                Ok(Entry::Unmet(need)) => account.unmet = Some(need),
                Ok(Entry::Fault { access, address }) => fault = Some((access, address)),
                Ok(Entry::Died { place, frames }) => {
                    account.death = Some(Death::new(place, frames));
                }
                Ok(Entry::Watched(watched)) => {
                    accessed = fault.map(|(access, address)| watched.accessed(access, address));
                }
                Ok(Entry::Outcome(mut stop)) => {
                    if let (Some(Stop::Broken(failure)), Some(accessed)) = (&mut stop, &accessed) {
                        failure.got = format!("{}: {accessed}", failure.got);
                    }
                    outcome = Some(stop.map_or(Ok(()), Err));
                }
                Ok(Entry::End) if line.ends_with(b"\n") => account.outcome = outcome.take(),
                Ok(Entry::End) | Err(_) => break,
            }
        }
        account
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, Account, Entry, Journal, Watched};
    use conformance_catalogue::rules;
    use conformance_catalogue::verdict::{Failure, Stop};

    fn whole() -> Vec<u8> {
        let stop = Some(Stop::needs(rules::P_FAM_01));
        [
            Entry::At("first".into()),
            Entry::Note("of two".into()),
            Entry::At("second".into()),
            Entry::FaultPlan(Some("keys#0=E_FAIL".into())),
            Entry::Unmet("a second family".into()),
            Entry::Outcome(stop),
            Entry::End,
        ]
        .iter()
        .flat_map(Entry::line)
        .collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let journal = Journal::create(&path).unwrap();
        journal.at("first");
        journal.note("of two");
        journal.at("second");
        journal.under(Some(&"keys#0=E_FAIL".parse().unwrap()));
        assert_eq!(Account::read(&path).outcome, None);
        journal.write(&Entry::Unmet("a second family".into()));
        journal.finish(Err(Stop::needs(rules::P_FAM_01)));
        assert_eq!(Account::read(&path), Account::parse(&whole()));
        assert_eq!(
            Account::read(&folder.path().join("none")),
            Account::default()
        );
    }

    #[test]
    fn a_journal_that_is_cut_anywhere_has_no_outcome() {
        let whole = whole();
        let account = Account::parse(&whole);
        assert_eq!(account.at.as_deref(), Some("second"));
        assert_eq!(account.notes, ["of two"]);
        assert_eq!(account.unmet.as_deref(), Some("a second family"));
        assert_eq!(account.outcome, Some(Err(Stop::needs(rules::P_FAM_01))));
        for len in 0..whole.len() {
            assert_eq!(Account::parse(&whole[..len]).outcome, None, "cut at {len}");
        }
    }

    #[test]
    fn a_fault_says_where_it_was() {
        let got = |access, address| {
            let failure = Failure {
                call: "a call".into(),
                expected: "nothing written past its end".into(),
                got: "memory beside it was touched".into(),
            };
            let watched = Watched {
                what: "the state object".into(),
                start: 0x1000,
                len: 16,
            };
            let entries = [
                Entry::Fault { access, address },
                Entry::Watched(watched),
                Entry::Outcome(Some(Stop::Broken(failure))),
                Entry::End,
            ];
            let bytes: Vec<u8> = entries.iter().flat_map(Entry::line).collect();
            match Account::parse(&bytes).outcome {
                Some(Err(Stop::Broken(failure))) => failure.got,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(
            got(Access::Write, 0x1018),
            "memory beside it was touched: a write at offset 24 of the state object, which has 16 bytes"
        );
        assert_eq!(
            got(Access::Read, 0x0FFC),
            "memory beside it was touched: a read at offset -4 of the state object, which has 16 bytes"
        );
    }
}
