//! What is under test, and by which files it is known.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::io;
use std::path::{Path, PathBuf};

use conformance_catalogue::{Party, Rule};
use conformance_protocol::{Request, Task};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::RunError;

/// What is under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tested {
    /// A plugin: its library; `None` for the sample plugin that is linked in.
    Plugin(Option<PathBuf>),
    /// A compiler runtime, with a plugin to load.
    Runtime {
        /// Its library; `None` for `compiler-runtime`, which is linked in.
        library: Option<PathBuf>,
        /// The plugin's library. The rules about hosts need the checking plugin.
        plugin: PathBuf,
    },
    /// A user-mode driver: its library; `None` for `mock-umd`, which is linked in.
    Driver {
        /// Its library.
        library: Option<PathBuf>,
        /// The library of its compiler plugin; `None` where it is not known, which for `mock-umd` is the sample plugin.
        plugin: Option<PathBuf>,
    },
}

impl Tested {
    /// Whether a rule is about what is under test.
    pub(crate) fn owes(&self, rule: Rule) -> bool {
        match rule.party() {
            Party::Plugin => matches!(self, Self::Plugin(_)),
            Party::Runtime | Party::Host => matches!(self, Self::Runtime { .. }),
            Party::Driver => matches!(self, Self::Driver { .. }),
        }
    }

    /// A request about it. The paths are absolute, as what is tested may change the folder.
    ///
    /// # Errors
    ///
    /// A path is empty, or there is no folder to begin from.
    pub fn request(&self, task: Task) -> io::Result<Request> {
        let absolute = |path: &Option<PathBuf>| path.as_ref().map(std::path::absolute).transpose();
        let mut request = Request::new(task);
        match self {
            Self::Plugin(plugin) => request.plugin = absolute(plugin)?,
            Self::Runtime { library, plugin } => {
                request.library = absolute(library)?;
                request.plugin = Some(std::path::absolute(plugin)?);
            }
            Self::Driver { library, plugin } => {
                request.library = absolute(library)?;
                request.plugin = absolute(plugin)?;
            }
        }
        Ok(request)
    }
}

/// The libraries of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Identities {
    /// The plugin that was tested; `None` for the one that is linked in.
    Plugin(Option<Identity>),
    /// The compiler runtime that was tested.
    Runtime {
        /// `None` for the one that is linked in.
        library: Option<Identity>,
        /// The plugin that it was given.
        plugin: Identity,
    },
    /// The user-mode driver that was tested.
    Driver {
        /// `None` for the one that is linked in.
        library: Option<Identity>,
        /// Its compiler plugin, where the command line named one.
        plugin: Option<Identity>,
    },
}

/// A library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// As it was given.
    pub path: PathBuf,
    /// Of the file, in hexadecimal.
    pub sha256: String,
}

impl Identities {
    /// Those of what is tested, as its files are now.
    pub(crate) fn of(tested: &Tested) -> Result<Self, RunError> {
        let of = |path: &Option<PathBuf>| path.as_deref().map(Identity::of).transpose();
        Ok(match tested {
            Tested::Plugin(plugin) => Self::Plugin(of(plugin)?),
            Tested::Runtime { library, plugin } => Self::Runtime {
                library: of(library)?,
                plugin: Identity::of(plugin)?,
            },
            Tested::Driver { library, plugin } => Self::Driver {
                library: of(library)?,
                plugin: of(plugin)?,
            },
        })
    }

    /// What was tested: its kind, its library unless it is linked in, and the plugin that goes with it.
    pub(crate) fn parts(&self) -> (&'static str, Option<&Identity>, Option<&Identity>) {
        match self {
            Self::Plugin(library) => ("plugin", library.as_ref(), None),
            Self::Runtime { library, plugin } => ("runtime", library.as_ref(), Some(plugin)),
            Self::Driver { library, plugin } => ("driver", library.as_ref(), plugin.as_ref()),
        }
    }

    /// What was tested, by its path or as what is linked in.
    pub(crate) fn name(&self) -> String {
        match (self.parts(), self) {
            ((_, Some(library), _), _) => library.path.display().to_string(),
            (_, Self::Plugin(_)) => "the sample plugin that is linked in".into(),
            (_, Self::Runtime { .. }) => "the compiler runtime that is linked in".into(),
            (_, Self::Driver { .. }) => "the mock driver that is linked in".into(),
        }
    }
}

impl Identity {
    /// The library at this path, as it is now.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is no regular file.
    pub fn of(path: &Path) -> Result<Self, RunError> {
        let bytes = library_bytes(path)?;
        Ok(Self {
            path: path.to_owned(),
            sha256: hex::encode(Sha256::digest(bytes)),
        })
    }
}

/// The bytes of a library's file.
pub(crate) fn library_bytes(path: &Path) -> Result<Vec<u8>, RunError> {
    let cannot = |source| RunError::File {
        path: path.to_owned(),
        source,
    };
    // To read a FIFO or a device can take for ever.
    if !std::fs::metadata(path).map_err(cannot)?.is_file() {
        return Err(cannot(io::Error::other("not a regular file")));
    }
    std::fs::read(path).map_err(cannot)
}

/// The checking plugin, which is beside the executable: the plugin of a runtime that needs no other.
///
/// # Errors
///
/// It is not there.
pub fn checking_plugin(exe: &Path) -> Result<PathBuf, RunError> {
    let path = exe.with_file_name(format!("{DLL_PREFIX}checking_plugin{DLL_SUFFIX}"));
    if path.is_file() {
        Ok(path)
    } else {
        Err(RunError::CheckingPlugin { path })
    }
}
