//! What the process of a test tells the runner: a file of lines, so that whatever the plugin prints
//! or destroys, everything up to the last line stays readable.
//!
//! Each line is one [`Entry`] as JSON, written with one call. The last one is [`Entry::End`]; where
//! it is missing, the process died before the test was over.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use conformance_catalogue::verdict::{Outcome, Stop};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::FaultPlan;
use crate::calls::{self, Calls};
use crate::death::{Death, with_place};

/// One line.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Entry {
    /// What the test is about to do.
    At(String),
    /// What the test says besides its verdict.
    Note(String),
    /// The fault plan that is in force from now on.
    FaultPlan(Option<String>),
    /// What the defect of the [layer](crate::layer) needs of the plugin and has not met.
    Unmet(String),
    /// A fault that ends the test.
    Fault {
        /// What it was about to do.
        access: Access,
        /// Where.
        address: usize,
    },
    /// A death that nothing was known to expect.
    Died {
        /// Where the process dies.
        place: Place,
        /// The addresses of the functions on the stack.
        frames: Vec<usize>,
    },
    /// What was where the fault was.
    Watched(Watched),
    /// What the process answers to another one.
    Answer(Value),
    /// What the test found; `None` when the rule holds.
    Outcome(Option<Stop>),
    /// Nothing follows.
    End,
}

/// What a fault was about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Access {
    /// A read.
    Read,
    /// A write.
    Write,
    /// A jump.
    Jump,
    /// One or the other: the system does not say.
    Any,
}

/// Where a process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// What it was about to do, where it is a fault of memory.
    pub access: Option<Access>,
    /// The address of the access.
    pub address: usize,
    /// The address of the instruction; 0 where it is not known.
    pub code: usize,
    /// The end of the stack; 0 where it is not known.
    pub stack: usize,
}

/// The journal of the process whose folder this is.
fn place(folder: &Path) -> PathBuf {
    folder.join("journal")
}

/// The file for what the system says of the modules of a process that dies, in the folder of its journal.
pub fn modules(folder: &Path) -> PathBuf {
    folder.join("modules")
}

/// Something in memory.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watched {
    /// Its name.
    pub what: String,
    /// Its address.
    pub start: usize,
    /// How many bytes it has.
    pub len: usize,
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
pub fn at_offset(offset: isize, what: &str, len: usize) -> String {
    format!("at offset {offset} of {what}, which has {len} bytes")
}

impl Entry {
    /// Its line.
    ///
    /// # Panics
    ///
    /// Never: an entry has no maps and no failing parts.
    pub fn line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).expect("an entry has no maps and no failing parts");
        line.push(b'\n');
        line
    }
}

/// The writing side.
#[derive(Debug)]
pub struct Journal {
    file: File,
    folder: PathBuf,
}

impl Journal {
    /// Begins the one of a process, in a folder that has none.
    ///
    /// # Errors
    ///
    /// The file cannot be made.
    pub fn create(folder: &Path) -> io::Result<Self> {
        let file = File::options()
            .append(true)
            .create_new(true)
            .open(place(folder))?;
        let folder = folder.to_owned();
        Ok(Self { file, folder })
    }

    /// Whether a folder has one: whether its process has begun.
    pub fn is_in(folder: &Path) -> bool {
        place(folder).exists()
    }

    /// Removes the one of a folder, with what lies beside it.
    pub fn remove(folder: &Path) {
        for file in [place(folder), calls::place(folder), modules(folder)] {
            let _ = std::fs::remove_file(file);
        }
    }

    /// Notes what the test is about to do.
    pub fn at(&self, what: impl Into<String>) {
        self.write(&Entry::At(what.into()));
    }

    /// Adds to what the report says of a rule that holds: how far the test could see, or which reading
    /// the library keeps to.
    pub fn note(&self, what: impl Into<String>) {
        self.write(&Entry::Note(what.into()));
    }

    /// Notes the fault plan of what comes next.
    pub fn under(&self, plan: Option<&FaultPlan>) {
        self.write(&Entry::FaultPlan(plan.map(FaultPlan::to_string)));
    }

    /// Answers the process that waits for it.
    pub fn answer(&self, answer: &impl Serialize) {
        // Without an answer that process sees that this one has died.
        if let Ok(answer) = serde_json::to_value(answer) {
            self.write(&Entry::Answer(answer));
        }
    }

    /// Notes what the test found, after what the layer's defect needs and has not met, and ends.
    pub fn finish(&self, unmet: Option<&str>, outcome: Outcome) {
        if let Some(need) = unmet {
            self.write(&Entry::Unmet(need.to_owned()));
        }
        self.write(&Entry::Outcome(outcome.err()));
        self.write(&Entry::End);
    }

    /// The folder that it lies in, where other files of the test belong too.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file itself, for a handler of faults.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// A journal that cannot be written ends like one whose process died: without an end.
    fn write(&self, entry: &Entry) {
        let _ = (&self.file).write_all(&entry.line());
    }
}

/// What a journal holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// The last thing that the test was about to do.
    pub at: Option<String>,
    /// What the test said besides its verdict.
    pub notes: Vec<String>,
    /// The fault plan that was in force in the end.
    pub fault_plan: Option<FaultPlan>,
    /// What the defect of the [layer](crate::layer) needs of the plugin and has not met.
    pub unmet: Option<String>,
    /// What the process has answered.
    pub answers: Vec<Value>,
    /// What the test found, if it came to its end.
    pub outcome: Option<Outcome>,
    /// The last calls.
    pub calls: Calls,
    /// Where the process died, where a handler could say it.
    pub death: Option<Death>,
}

impl Account {
    /// Reads the journal of a folder, and what lies beside it.
    pub fn read(folder: &Path) -> Self {
        let account = std::fs::read(place(folder)).map(|bytes| Self::parse(&bytes));
        let mut account = account.unwrap_or_default();
        account.calls = Calls::read(folder);
        if let Some(death) = &mut account.death {
            death.read_modules(&modules(folder));
        }
        account
    }

    /// What a second process has answered that is over; `how` says how it ended.
    ///
    /// # Errors
    ///
    /// Why it has no answer, or that it died.
    pub fn answered<T: DeserializeOwned>(mut self, how: String) -> Result<T, Stop> {
        match self.outcome {
            Some(Ok(())) => {
                let answer = self.answers.pop().unwrap_or_default();
                let answer = serde_json::from_value(answer);
                answer.map_err(|error| Stop::Tool(format!("second process: {error}")))
            }
            Some(Err(stop)) => Err(stop),
            None => {
                let how = with_place(how, self.death.as_ref());
                let during = self.calls.during(self.at);
                let during = during.map(|at| format!(", during {at}"));
                let during = during.unwrap_or_default();
                Err(Stop::CrashElsewhere(format!(
                    "another process with the library died: {how}{during}"
                )))
            }
        }
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
                Ok(Entry::Answer(answer)) => account.answers.push(answer),
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
            Entry::Answer(1.into()),
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
        let folder = folder.path();
        let journal = Journal::create(folder).unwrap();
        journal.at("first");
        journal.note("of two");
        journal.at("second");
        journal.under(Some(&"keys#0=E_FAIL".parse().unwrap()));
        journal.answer(&1);
        assert_eq!(Account::read(folder).outcome, None);
        journal.finish(Some("a second family"), Err(Stop::needs(rules::P_FAM_01)));
        assert_eq!(Account::read(folder), Account::parse(&whole()));
        assert_eq!(Account::read(&folder.join("none")), Account::default());
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
