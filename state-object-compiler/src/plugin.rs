//! The plugin of a command line, and the form in which it gets an application.

use std::path::{Path, PathBuf};
use std::{fs, io};

use compiler_runtime::{ApplicationDesc, Engine, Factory, U16CString};
use plugin_sdk::PluginEntry;
use sample_plugin::SamplePlugin;
use serde::{Deserialize, Serialize};
use shader_db::psdb::Application;

use crate::serial::system_path;
use crate::{Error, Result};

/// The name of the sample plugin on a command line.
const SAMPLE: &str = "sample";

/// The plugin that a command line names.
#[expect(
    clippy::unsafe_derive_deserialize,
    reason = "a worker gets what the user has named from the process that started it"
)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PluginChoice {
    /// The sample plugin, which is linked in.
    Sample,
    /// A DLL.
    File(#[serde(with = "system_path")] PathBuf),
}

impl From<&Path> for PluginChoice {
    /// `sample` is the sample plugin; a file of that name is `./sample`.
    fn from(path: &Path) -> Self {
        if path == Path::new(SAMPLE) {
            Self::Sample
        } else {
            Self::File(path.to_owned())
        }
    }
}

impl PluginChoice {
    /// The plugin as a command line names it.
    pub(crate) fn as_path(&self) -> &Path {
        match self {
            Self::Sample => Path::new(SAMPLE),
            Self::File(path) => path,
        }
    }

    /// Opens the plugin.
    ///
    /// # Errors
    ///
    /// [`Error::Plugin`]; [`Error::File`] if the system cannot open the file at the moment.
    pub fn open(&self) -> Result<Factory> {
        // SAFETY: the user names this file as a compiler plugin, to be run in this process; that it keeps the DDI's
        // contract is its author's promise. The sample plugin keeps it.
        let factory = unsafe {
            match self {
                Self::Sample => Factory::from_entry(SamplePlugin::entry_point()),
                Self::File(path) => Factory::load(path),
            }
        };
        factory.map_err(|error| {
            // Only the loader's text says that no more files can be open, or that there is no memory.
            if let Self::File(path) = self
                && let compiler_runtime::Error::Load(_) = error
                && path.is_file()
                && let Err(source) = fs::File::open(path).and_then(|file| room_for(&file))
                && let passing = Error::file(path, source)
                && passing.is_worth_a_retry()
            {
                return passing;
            }
            error.into()
        })
    }
}

/// Whether there is memory for as much as a file has.
fn room_for(library: &fs::File) -> io::Result<()> {
    /// For what the library needs besides, such as other libraries.
    const BESIDES: usize = 8 << 20;
    let size = usize::try_from(library.metadata()?.len()).unwrap_or(usize::MAX);
    let room = Vec::<u8>::new().try_reserve_exact(size.saturating_add(BESIDES));
    room.map_err(|_| io::ErrorKind::OutOfMemory.into())
}

/// An application in the form that plugins get.
pub(crate) fn to_desc(application: &Application) -> Result<ApplicationDesc> {
    let engine = match &application.engine_name {
        Some(name) => Some(Engine {
            name: wide(name)?,
            version: application.engine_version,
        }),
        None => None,
    };
    Ok(ApplicationDesc {
        exe_filename: wide(&application.exe)?,
        name: wide(&application.name)?,
        version: application.version,
        engine,
    })
}

/// Text in the form that plugins get.
fn wide(text: &str) -> Result<U16CString> {
    U16CString::from_str(text).map_err(|_| Error::Usage(format!("{text:?} has a NUL in it")))
}
