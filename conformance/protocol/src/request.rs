//! The request that a child process is started with: a file in a folder of its own, where its journal comes too.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use conformance_catalogue::Rule;
use serde::{Deserialize, Serialize};

use crate::{FaultPlan, Settings, path};

/// What a child does, and with what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// What it does.
    pub task: Task,
    /// The library of a runtime or of a user-mode driver; `None` for the one that is linked in.
    #[serde(with = "path")]
    pub library: Option<PathBuf>,
    /// The library of the plugin; `None` for the one that is linked in, or where a driver's is not known.
    #[serde(with = "path")]
    pub plugin: Option<PathBuf>,
    /// A trace whose calls are made again.
    #[serde(with = "path")]
    pub trace: Option<PathBuf>,
    /// How thorough the tests are, and what they take by chance.
    pub settings: Settings,
    /// What is different around the process.
    pub changes: Vec<ProcessChange>,
}

/// What a child does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Makes the test of this rule.
    Test(Rule),
    /// Makes the calls of the trace's process of this id again, and answers each step.
    Replay(String),
    /// Compiles what two builds of a plugin are compared by, and answers a [`Build`](crate::build::Build).
    Build,
    /// Answers the version of Wine, if that is the system.
    Wine,
    /// Opens the plugin, negotiates and lists the families.
    Families,
    /// Opens the plugin, negotiates and lists the versions of the families' compilers.
    CompilerVersions,
    /// Compiles everything for the newest target of each family.
    Products {
        /// The only object to compile, in the words of a report; without it everything.
        only: Option<String>,
        /// How many objects of everything to compile, at most.
        first: Option<usize>,
    },
    /// Compiles a pipeline in which allocations fail as this plan says.
    OutOfMemory(FaultPlan),
    /// Compiles with private memory of this alignment.
    Align(usize),
    /// Makes the calls that must fail.
    Provoke,
    /// Asks a user-mode driver for its application-specific state.
    DriverBlob,
    /// Creates a device of a user-mode driver on a runtime that has this state for it.
    DriverStatus(Vec<u8>),
    /// Compares the keys that a user-mode driver looks up with those that its plugin compiles for this ABI version.
    DriverKeys(u64),
}

/// What is different around a second process, so that whatever depends on it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProcessChange {
    /// There is nothing in the environment that an installation could have put there.
    Variables,
    /// It starts in an empty folder.
    Folder,
    /// Another user, another home, another computer.
    User,
    /// `TZ` is another time zone.
    TimeZone,
    /// `LANG` and `LC_ALL` name another locale, which is set, and whose decimal point is a comma.
    Locale,
    /// A large environment, and on Linux no random addresses: stack and libraries lie elsewhere.
    Layout,
    /// The clock is set to another day. It is the last, as one that is sensitive to time is sensitive to
    /// whatever takes time.
    Time,
}

impl ProcessChange {
    /// Every one, in the order in which each is tried alone.
    pub const ALL: [Self; 7] = [
        Self::Variables,
        Self::Folder,
        Self::User,
        Self::TimeZone,
        Self::Locale,
        Self::Layout,
        Self::Time,
    ];

    /// What a reader of a failure looks for.
    pub fn words(self) -> &'static str {
        match self {
            Self::Variables => "without the variables of this environment",
            Self::Folder => "in another folder",
            Self::User => {
                "with another user, home, temporary folder and computer in the environment"
            }
            Self::TimeZone => "with another time zone (TZ)",
            Self::Locale => "with another locale (LANG, LC_ALL, a decimal comma)",
            Self::Layout => "with a larger environment and another layout of the address space",
            Self::Time => "at another time",
        }
    }
}

/// The file of the request, in the folder of a child.
fn place(folder: &Path) -> PathBuf {
    folder.join("request")
}

impl Request {
    /// A task for what is linked in, with the usual settings.
    pub fn new(task: Task) -> Self {
        Self {
            task,
            library: None,
            plugin: None,
            trace: None,
            settings: Settings::default(),
            changes: Vec::new(),
        }
    }

    /// The command `ddi-conformance child`, which does this in a folder that exists for it.
    ///
    /// # Errors
    ///
    /// The request cannot be written.
    pub fn command(&self, exe: &Path, folder: &Path) -> io::Result<Command> {
        fs::write(place(folder), serde_json::to_vec(self)?)?;
        let mut command = Command::new(exe);
        command.arg("child").arg(folder);
        Ok(command)
    }

    /// The request in a folder.
    ///
    /// # Errors
    ///
    /// There is none that can be read.
    pub fn read(folder: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(place(folder))?)?)
    }
}
